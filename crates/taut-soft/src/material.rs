//! What deformation costs: energy, stress and Hessian of an elastic material at a deformation gradient F.
//!
//! | model | energy per volume | for |
//! |---|---|---|
//! | [`Model::Linear`] | μ ε:ε + λ/2 tr²ε, ε = sym F − 1 | small turns and strains; exact closed forms |
//! | [`Model::Corotational`] | μ ‖F − R‖² + λ/2 tr²(RᵀF − 1) | large turns, moderate strains |
//! | [`Model::StableNeoHookean`] | μ'/2 (I − 3) + λ'/2 (J − α)² − μ'/2 ln(I + 1) | large strains; recovers from inversion |
//!
//! The last two are functions of the singular values s of F = U diag(s) Vᵀ alone. Their Hessian is diagonal in twists
//! and flips, (u_i v_jᵀ ∓ u_j v_iᵀ)/√2, with eigenvalues (ψ_i ± ψ_j)/(s_i ± s_j), and has a block of three in
//! stretches u_k v_kᵀ. So the exact Hessian and its nearest semidefinite one come from the same sum.
//! Reference: Smith, De Goes and Kim 2018 (stable neo-Hookean: μ' = 4μ/3, λ' = λ + 5μ/6, α = 1 + 3μ'/(4λ'), which
//! agrees with the linear material at rest) and 2019 (eigensystems); Andrews22 1.4.2.

use crate::Error;
use crate::error::number;
use crate::matrix::{Mat3, Vec3, column, compose, eigen, rotation_svd};

/// A law of elasticity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Model {
    /// Hooke's law of small strains. Turns by more than a few degrees look like strains to it.
    Linear,
    /// Hooke's law in axes that turn with the material.
    #[default]
    Corotational,
    /// A neo-Hookean law that stays finite at inverted elements.
    StableNeoHookean,
}

/// An elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    model: Model,
    mu: f64,
    lambda: f64,
}

/// dP/dF, rows and columns by 3 i + j of F_ij.
pub(crate) type Hessian = [[f64; 9]; 9];

impl Material {
    /// Young's modulus E \[Pa\], more than 0, and Poisson's ratio ν, −1 < ν < 0.5. Rubber, which keeps its volume, is
    /// near to 0.5: take 0.45 to 0.49.
    pub fn new(model: Model, young: f64, poisson: f64) -> Result<Self, Error> {
        number("Young's modulus", young, "more than 0 Pa", |e| e > 0.0)?;
        number(
            "Poisson's ratio",
            poisson,
            "more than -1 and less than 0.5; at 0.5 the material resists compression infinitely",
            |nu| nu > -1.0 && nu < 0.5,
        )?;
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        number("Young's modulus", lambda.max(mu), "within the range of numbers", |x| x < 1e200)?;
        Ok(Material { model, mu, lambda })
    }

    /// Its law.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Lamé's constants μ and λ \[Pa\].
    pub fn lame(&self) -> (f64, f64) {
        (self.mu, self.lambda)
    }

    /// Energy per volume \[J/m³\] at deformation gradient F; 0 at rest.
    pub fn energy(&self, f: &Mat3) -> f64 {
        match self.model {
            Model::Linear => {
                let e = strain(f);
                let squares: f64 = e.iter().flatten().map(|e| e * e).sum();
                self.mu * squares + 0.5 * self.lambda * trace(&e).powi(2)
            }
            _ => self.energy_of(rotation_svd(f).1),
        }
    }

    /// First Piola-Kirchhoff stress P = dψ/dF \[Pa\].
    pub fn stress(&self, f: &Mat3) -> Mat3 {
        match self.model {
            Model::Linear => {
                let e = strain(f);
                let pressure = self.lambda * trace(&e);
                std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        2.0 * self.mu * e[i][j] + if i == j { pressure } else { 0.0 }
                    })
                })
            }
            _ => {
                let (u, s, v) = rotation_svd(f);
                compose(&u, self.slope(s), &v)
            }
        }
    }

    /// dP/dF with rows and columns 3 i + j; with `projected` its negative eigenvalues are set to 0.
    pub fn hessian(&self, f: &Mat3, projected: bool) -> [[f64; 9]; 9] {
        if self.model == Model::Linear {
            return self.linear_hessian();
        }
        let (u, s, v) = rotation_svd(f);
        let floor = if projected { 0.0 } else { f64::NEG_INFINITY };
        let mut h = [[0.0; 9]; 9];
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let (twist, flip) = self.pair(s, i, j);
            let (a, b) = (outer(column(&u, i), column(&v, j)), outer(column(&u, j), column(&v, i)));
            let half = std::f64::consts::FRAC_1_SQRT_2;
            add_mode(&mut h, twist.max(floor), &std::array::from_fn(|k| half * (a[k] - b[k])));
            add_mode(&mut h, flip.max(floor), &std::array::from_fn(|k| half * (a[k] + b[k])));
        }
        let (values, vectors) = eigen(self.stretch_block(s));
        for k in 0..3 {
            let e = column(&vectors, k);
            let mut mode = [0.0; 9];
            for l in 0..3 {
                let d = outer(column(&u, l), column(&v, l));
                (0..9).for_each(|m| mode[m] += e[l] * d[m]);
            }
            add_mode(&mut h, values[k].max(floor), &mode);
        }
        h
    }

    fn linear_hessian(&self) -> Hessian {
        let mut h = [[0.0; 9]; 9];
        for i in 0..3 {
            for j in 0..3 {
                h[3 * i + j][3 * i + j] += self.mu;
                h[3 * i + j][3 * j + i] += self.mu;
                h[4 * i][4 * j] += self.lambda;
            }
        }
        h
    }

    /// μ', λ', α of the stable neo-Hookean law.
    fn stable(&self) -> (f64, f64, f64) {
        let m = 4.0 / 3.0 * self.mu;
        let l = self.lambda + 5.0 / 6.0 * self.mu;
        (m, l, 1.0 + 0.75 * m / l)
    }

    /// ψ of singular values.
    pub(crate) fn energy_of(&self, s: Vec3) -> f64 {
        if self.model == Model::StableNeoHookean {
            let (m, l, alpha) = self.stable();
            // I − 3 and ln((I + 1)/4) from I − 3 and J − 1, so that small strains keep their digits.
            let excess: f64 = s.iter().map(|s| (s - 1.0) * (s + 1.0)).sum();
            let change = s[0] * s[1] * s[2] - 1.0;
            0.5 * m * (excess - (excess / 4.0).ln_1p()) + l * change * (0.5 * change + 1.0 - alpha)
        } else {
            let e = s.map(|s| s - 1.0);
            let squares: f64 = e.iter().map(|e| e * e).sum();
            self.mu * squares + 0.5 * self.lambda * (e[0] + e[1] + e[2]).powi(2)
        }
    }

    /// ∂ψ/∂s_i.
    pub(crate) fn slope(&self, s: Vec3) -> Vec3 {
        if self.model == Model::StableNeoHookean {
            let (m, l, alpha) = self.stable();
            let invariant: f64 = s.iter().map(|s| s * s).sum();
            let (a, g) = (m * (1.0 - 1.0 / (invariant + 1.0)), l * (s[0] * s[1] * s[2] - alpha));
            [0, 1, 2].map(|k| a * s[k] + g * s[(k + 1) % 3] * s[(k + 2) % 3])
        } else {
            let t: f64 = s.iter().map(|s| s - 1.0).sum();
            s.map(|s| 2.0 * self.mu * (s - 1.0) + self.lambda * t)
        }
    }

    /// (ψ_i + ψ_j)/(s_i + s_j) and (ψ_i − ψ_j)/(s_i − s_j) in closed form.
    fn pair(&self, s: Vec3, i: usize, j: usize) -> (f64, f64) {
        if self.model == Model::StableNeoHookean {
            let (m, l, alpha) = self.stable();
            let invariant: f64 = s.iter().map(|s| s * s).sum();
            let a = m * (1.0 - 1.0 / (invariant + 1.0));
            let g = l * (s[0] * s[1] * s[2] - alpha) * s[3 - i - j];
            (a + g, a - g)
        } else {
            let t: f64 = s.iter().map(|s| s - 1.0).sum();
            // s falls, and only its last may be negative: s_i + s_j ≥ 0.
            let sum = (s[i] + s[j]).max(1e-12);
            (2.0 * self.mu + 2.0 * (self.lambda * t - 2.0 * self.mu) / sum, 2.0 * self.mu)
        }
    }

    /// ∂²ψ/∂s_i∂s_j.
    fn stretch_block(&self, s: Vec3) -> Mat3 {
        if self.model != Model::StableNeoHookean {
            return std::array::from_fn(|i| {
                std::array::from_fn(|j| self.lambda + if i == j { 2.0 * self.mu } else { 0.0 })
            });
        }
        let (m, l, alpha) = self.stable();
        let invariant: f64 = s.iter().map(|s| s * s).sum();
        let (a, g) = (m * (1.0 - 1.0 / (invariant + 1.0)), l * (s[0] * s[1] * s[2] - alpha));
        let b = 2.0 * m / (invariant + 1.0).powi(2);
        let c = [0, 1, 2].map(|k| s[(k + 1) % 3] * s[(k + 2) % 3]);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let rest = b * s[i] * s[j] + l * c[i] * c[j];
                rest + if i == j { a } else { g * s[3 - i - j] }
            })
        })
    }
}

fn strain(f: &Mat3) -> Mat3 {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| 0.5 * (f[i][j] + f[j][i]) - if i == j { 1.0 } else { 0.0 })
    })
}

fn trace(a: &Mat3) -> f64 {
    a[0][0] + a[1][1] + a[2][2]
}

fn outer(u: Vec3, v: Vec3) -> [f64; 9] {
    std::array::from_fn(|k| u[k / 3] * v[k % 3])
}

fn add_mode(h: &mut Hessian, value: f64, mode: &[f64; 9]) {
    for (row, a) in h.iter_mut().zip(mode) {
        row.iter_mut().zip(mode).for_each(|(h, b)| *h += value * a * b);
    }
}
