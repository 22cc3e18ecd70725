//! The self-dual cone |x_t| ≤ xₙ in three dimensions: Jordan products,
//! Nesterov-Todd scaling, longest steps, projections and their derivatives.
//!
//! **Reference**: Alizadeh and Goldfarb 2003, Second-order cone programming;
//! Nesterov and Todd 1997.

pub(super) type Vec3 = [f64; 3];
pub(super) type Mat3 = [[f64; 3]; 3];

pub(super) const ZERO: Mat3 = [[0.0; 3]; 3];
pub(super) const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

#[inline]
pub(super) fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn mul(a: &Mat3, x: &Vec3) -> Vec3 {
    [dot(&a[0], x), dot(&a[1], x), dot(&a[2], x)]
}

/// a b.
#[inline]
pub(super) fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j])
    })
}

/// The inverse, by cofactors of the matrix with its rows brought to one size.
#[inline]
pub(super) fn inverse(a: &Mat3) -> Mat3 {
    let scale = a.map(|r| 1.0 / r.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs())));
    let a: Mat3 = std::array::from_fn(|i| a[i].map(|x| x * scale[i]));
    let cofactor = |i: usize, j: usize| {
        let (r, s, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        a[r][c] * a[s][d] - a[r][d] * a[s][c]
    };
    let det = (0..3).map(|j| a[0][j] * cofactor(0, j)).sum::<f64>();
    std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det * scale[j]))
}

/// xₙ² − |x_t|².
#[inline]
pub(super) fn determinant(x: &Vec3) -> f64 {
    let t = x[1].hypot(x[2]);
    (x[0] - t) * (x[0] + t)
}

/// a ∘ b.
#[inline]
pub(super) fn jordan(a: &Vec3, b: &Vec3) -> Vec3 {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// The z with l ∘ z = c.
#[inline]
pub(super) fn divide(l: &Vec3, c: &Vec3) -> Vec3 {
    let n = (l[0] * c[0] - l[1] * c[1] - l[2] * c[2]) / determinant(l);
    [n, (c[1] - n * l[1]) / l[0], (c[2] - n * l[2]) / l[0]]
}

/// The scaling N with N y = N⁻¹ x: N = η [w₀ w_tᵀ; w_t I + w_t w_tᵀ/(1 + w₀)].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    w: Vec3,
    eta: f64,
}

impl Scaling {
    pub fn new(x: &Vec3, y: &Vec3) -> Self {
        let (dx, dy) = (determinant(x).sqrt(), determinant(y).sqrt());
        let (xb, yb) = (x.map(|v| v / dx), y.map(|v| v / dy));
        let g = 2.0 * (0.5 * (1.0 + dot(&xb, &yb))).sqrt();
        let w = [(xb[0] + yb[0]) / g, (xb[1] - yb[1]) / g, (xb[2] - yb[2]) / g];
        // det w = 1, also after rounding.
        Scaling { w: [(1.0 + w[1] * w[1] + w[2] * w[2]).sqrt(), w[1], w[2]], eta: (dx / dy).sqrt() }
    }

    #[inline]
    fn times(w: &Vec3, s: f64, v: &Vec3) -> Vec3 {
        let t = w[1] * v[1] + w[2] * v[2];
        let k = v[0] + t / (1.0 + w[0]);
        [s * (w[0] * v[0] + t), s * (v[1] + k * w[1]), s * (v[2] + k * w[2])]
    }

    /// N v.
    #[inline]
    pub fn apply(&self, v: &Vec3) -> Vec3 {
        Self::times(&self.w, self.eta, v)
    }

    /// N⁻¹ v.
    #[inline]
    pub fn invert(&self, v: &Vec3) -> Vec3 {
        let w = [self.w[0], -self.w[1], -self.w[2]];
        Self::times(&w, 1.0 / self.eta, v)
    }

    /// N⁻².
    pub fn inverse_square(&self) -> Mat3 {
        let (w, s) = ([self.w[0], -self.w[1], -self.w[2]], self.eta.powi(-2));
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let sign = if i != j { 0.0 } else if i == 0 { -1.0 } else { 1.0 };
                s * (2.0 * w[i] * w[j] + sign)
            })
        })
    }
}

/// The largest a with x + a d in the cone, x within it.
pub(super) fn longest(x: &Vec3, d: &Vec3) -> f64 {
    let a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = determinant(x).max(0.0);
    let discriminant = b * b - a * c;
    let mut longest = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    if discriminant >= 0.0 {
        let root = discriminant.sqrt();
        let q = -(b + if b >= 0.0 { root } else { -root });
        for r in [q / a, c / q] {
            if r > 0.0 && r < longest {
                longest = r;
            }
        }
    }
    longest
}

/// Where z goes, and the derivative, by the associated law: the closest point
/// of the cone.
pub(super) fn project(z: &Vec3) -> (Vec3, Mat3) {
    let t = z[1].hypot(z[2]);
    if t <= z[0] {
        return (*z, IDENTITY);
    }
    if t <= -z[0] {
        return ([0.0; 3], ZERO);
    }
    let (d, n) = ([z[1] / t, z[2] / t], 0.5 * (z[0] + t));
    let mut p = ZERO;
    p[0] = [0.5, 0.5 * d[0], 0.5 * d[1]];
    for i in 0..2 {
        p[i + 1][0] = 0.5 * d[i];
        for j in 0..2 {
            let eye = f64::from(u8::from(i == j));
            p[i + 1][j + 1] = 0.5 * d[i] * d[j] + n / t * (eye - d[i] * d[j]);
        }
    }
    ([n, n * d[0], n * d[1]], p)
}

/// The same by Coulomb's law: the normal first, then the tangent onto the disc
/// of that radius.
pub(super) fn slide(z: &Vec3) -> (Vec3, Mat3) {
    // (NaN must not pass as open.)
    if z[0] <= 0.0 {
        return ([0.0; 3], ZERO);
    }
    let (n, t) = (z[0], z[1].hypot(z[2]));
    if t <= n {
        return (*z, IDENTITY);
    }
    let d = [z[1] / t, z[2] / t];
    let mut p = ZERO;
    p[0][0] = 1.0;
    for i in 0..2 {
        p[i + 1][0] = d[i];
        for j in 0..2 {
            let eye = f64::from(u8::from(i == j));
            p[i + 1][j + 1] = n / t * (eye - d[i] * d[j]);
        }
    }
    ([n, n * d[0], n * d[1]], p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    fn inner(rng: &mut Rng) -> Vec3 {
        let t = [rng.normal(), rng.normal()];
        [t[0].hypot(t[1]) + 0.01 + rng.uniform(), t[0], t[1]]
    }

    fn close(a: &Vec3, b: &Vec3, tolerance: f64) -> bool {
        (0..3).all(|i| (a[i] - b[i]).abs() <= tolerance * (1.0 + a[i].abs()))
    }

    #[test]
    fn scaling_joins_two_points() {
        let mut rng = Rng::new(1);
        for _ in 0..50 {
            let (x, y) = (inner(&mut rng), inner(&mut rng));
            let n = Scaling::new(&x, &y);
            let l = n.apply(&y);
            assert!(close(&l, &n.invert(&x), 1e-9));
            assert!(close(&mul(&n.inverse_square(), &x), &y, 1e-9));
            assert!(close(&jordan(&l, &divide(&l, &y)), &y, 1e-9));
            let a = n.inverse_square();
            assert!(close(&mul(&inverse(&a), &mul(&a, &x)), &x, 1e-8));
        }
    }

    #[test]
    fn longest_steps_end_on_the_cone() {
        let mut rng = Rng::new(2);
        for _ in 0..50 {
            let (x, d) = (inner(&mut rng), [rng.normal(), rng.normal(), rng.normal()]);
            let a = longest(&x, &d);
            let at = |a: f64| std::array::from_fn(|i| x[i] + a * d[i]);
            if a.is_finite() {
                let end: Vec3 = at(a);
                assert!((end[0] - end[1].hypot(end[2])).abs() < 1e-9 * (1.0 + a));
                assert!(determinant(&at(0.99 * a)) > 0.0 && at(0.99 * a)[0] > 0.0);
            } else {
                assert!(d[0] >= d[1].hypot(d[2]));
            }
        }
    }

    /// Derivatives against differences.
    #[test]
    fn derivatives_of_both_laws() {
        let mut rng = Rng::new(3);
        for law in [project, slide] {
            for _ in 0..50 {
                let z = [rng.normal(), rng.normal(), rng.normal()];
                let (r, p) = law(&z);
                let dz = [rng.normal(), rng.normal(), rng.normal()].map(|d| 1e-7 * d);
                let next = law(&std::array::from_fn(|i| z[i] + dz[i])).0;
                let linear = mul(&p, &dz);
                assert!((0..3).all(|i| (next[i] - r[i] - linear[i]).abs() < 1e-11));
            }
        }
    }
}
