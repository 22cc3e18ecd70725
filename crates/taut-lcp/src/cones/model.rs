//! The scaled problem that the methods for cones work on.
//!
//! λ = Q D x and w̃ = D w / Q, so w̃ = Ãx + b̃ with Ã = D A D. For a cone
//! D = σ diag(1, μ₁, μ₂, ..)/κ with σ = (mean diagonal of n, t1, t2)^-½ and κ the mean of μ₁, μ₂
//! (in the plane of n and t, and μ), or its root where that is smaller:
//! then the impulses of every contact lie in the self-dual cone |x_t| ≤ xₙ and
//! all entries are of the size of one. For any other row D = Aᵢᵢ^-½. A tangent
//! without friction has D = 0: its impulse is zero whatever x is.

use super::lorentz::{Matrix, Vector, project, slide, zero};
use crate::residual::{Verdict, verdict};
use crate::rounding::NARROW;
use crate::{Law, Problem};

/// Least κ: the start, one in all cones, would lie far out beyond.
pub(super) const LEAST_KAPPA: f64 = 1e-2;
/// What joints get in scaled terms, where they have no compliance or no barrier: what is left of w shrinks by this
/// factor an iteration, and contradictory joints stay regular.
pub(super) const JOINT: f64 = 1e-10;

/// What a block of rows obeys, in scaled terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Cone { associated: bool },
    Free,
    Box { lo: f64, hi: f64 },
    Fixed { at: f64 },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub row: usize,
    rows: usize,
    pub kind: Kind,
}

impl Block {
    pub fn size(&self) -> usize {
        self.rows
    }

    pub fn is_cone(&self) -> bool {
        matches!(self.kind, Kind::Cone { .. })
    }

    /// Its part of a vector, past the end zeros.
    #[inline]
    pub fn of<const N: usize>(&self, v: &[f64]) -> Vector<N> {
        let mut x = [0.0; N];
        if self.rows == 1 {
            x[0] = v[self.row];
        } else if self.rows == N {
            x.copy_from_slice(&v[self.row..self.row + N]);
        } else {
            x[..self.rows].copy_from_slice(&v[self.row..self.row + self.rows]);
        }
        x
    }

    #[inline]
    pub fn put<const N: usize>(&self, v: &mut [f64], x: &Vector<N>) {
        v[self.row..self.row + self.rows].copy_from_slice(&x[..self.rows]);
    }

    /// Where the law sends z = x − ρ w̃, and the derivative.
    #[inline]
    pub fn law<const N: usize>(&self, z: &Vector<N>) -> (Vector<N>, Matrix<N>) {
        let one = |x: f64, p: f64| {
            let (mut r, mut slope) = ([0.0; N], zero());
            (r[0], slope[0][0]) = (x, p);
            (r, slope)
        };
        match self.kind {
            Kind::Cone { associated: true } => project(z),
            Kind::Cone { associated: false } => slide(z),
            Kind::Free => one(z[0], 1.0),
            Kind::Fixed { at } => one(at, 0.0),
            Kind::Box { lo, .. } if z[0] <= lo => one(lo, 0.0),
            Kind::Box { hi, .. } if z[0] >= hi => one(hi, 0.0),
            Kind::Box { .. } => one(z[0], 1.0),
        }
    }
}

#[derive(Default)]
pub(super) struct Model {
    pub blocks: Vec<Block>,
    /// D, row by row.
    pub scale: Vec<f64>,
    /// Q.
    pub size: f64,
    pub b: Vec<f64>,
    /// Diagonal of A.
    pub diagonal: Vec<f64>,
    /// The diagonal and the size that the judge goes by.
    pub judged: Vec<f64>,
    pub judged_size: f64,
    /// λ and w of the last judgement.
    pub lambda: Vec<f64>,
    w: Vec<f64>,
}

impl Model {
    /// Takes up a problem.
    pub fn set(&mut self, problem: &Problem) {
        let m = problem.rows();
        for v in [&mut self.scale, &mut self.b, &mut self.diagonal, &mut self.lambda, &mut self.w] {
            v.clear();
            v.resize(m, 0.0);
        }
        problem.operator.diagonal(&mut self.diagonal);
        self.judged.clone_from(&self.diagonal);
        self.judged_size = problem.scale();
        for (i, law) in problem.laws_by_row() {
            self.scale_law(i, law);
        }
        self.size = 0.0;
        for i in 0..m {
            self.b[i] = self.scale[i] * problem.b[i];
            self.size = self.size.max(self.b[i].abs());
        }
        if !(self.size > 0.0 && self.size.is_finite()) {
            self.size = 1.0;
        }
        self.b.iter_mut().for_each(|b| *b /= self.size);
        self.blocks.clear();
        for (row, law) in problem.laws_by_row() {
            let kind = match law.coefficients() {
                Some((_, associated)) => Kind::Cone { associated },
                None => self.bounded(row, law.bounds()),
            };
            self.blocks.push(Block { row, rows: law.rows(), kind });
        }
    }

    fn scale_law(&mut self, i: usize, law: &Law) {
        let root = |a: f64| if a > 0.0 { 1.0 / a.sqrt() } else { 1.0 };
        let Some((mu, _)) = law.coefficients() else {
            self.scale[i] = root(self.diagonal[i]);
            return;
        };
        let slides = &mu[..mu.len().min(2)];
        let rows = 1 + slides.len();
        let sigma = root(self.diagonal[i..i + rows].iter().sum::<f64>() / rows as f64);
        let kappa = (slides.iter().sum::<f64>() / slides.len() as f64).max(LEAST_KAPPA);
        // Above one, half of it in the normal, half in the tangents. (Of 1,481 small problems with planted answers and
        // friction of 0.3 to 1,000, 30 fail in place of 52.)
        let kappa = kappa.min(kappa.sqrt());
        self.scale[i] = sigma / kappa;
        for (k, mu) in mu.iter().enumerate() {
            self.scale[i + 1 + k] = sigma * mu / kappa;
        }
    }

    fn bounded(&self, row: usize, (lo, hi): (f64, f64)) -> Kind {
        let unit = self.size * self.scale[row];
        let (lo, hi) = (lo / unit, hi / unit);
        if lo == f64::NEG_INFINITY && hi == f64::INFINITY {
            Kind::Free
        } else if hi - lo <= NARROW {
            Kind::Fixed { at: 0.5 * (lo + hi) }
        } else {
            Kind::Box { lo, hi }
        }
    }

    /// x of an impulse λ; on tangents without friction zero.
    pub fn scaled(&self, lambda: &[f64], x: &mut [f64]) {
        for i in 0..x.len() {
            let unit = self.size * self.scale[i];
            x[i] = if unit > 0.0 { lambda[i] / unit } else { 0.0 };
        }
        for block in &self.blocks {
            if let Kind::Fixed { at } = block.kind {
                x[block.row] = at;
            }
        }
    }

    /// λ of x, within its bounds.
    pub fn unscale(&self, problem: &Problem, x: &[f64], lambda: &mut [f64]) {
        for i in 0..x.len() {
            lambda[i] = self.size * self.scale[i] * x[i];
        }
        for (i, law) in problem.laws_by_row() {
            let (lo, hi) = law.bounds();
            lambda[i] = lambda[i].clamp(lo, hi);
        }
    }

    /// What the judge says of x, whose w̃ is known.
    pub fn judge(&mut self, problem: &Problem, x: &[f64], w: &[f64]) -> Verdict {
        let mut lambda = std::mem::take(&mut self.lambda);
        self.unscale(problem, x, &mut lambda);
        self.lambda = lambda;
        let mut cut = 0.0;
        for i in 0..w.len() {
            // (Velocities along tangents without friction are free.)
            let d = self.scale[i];
            self.w[i] = if d > 0.0 { self.size * w[i] / d } else { 0.0 };
            cut += self.judged[i] * (self.size * d * x[i] - self.lambda[i]).abs();
        }
        let verdict = verdict(problem, &self.lambda, &self.w, &self.judged);
        // w is that of x, not of λ: they differ by no more than what the bounds cut off. (A heap at rest was "solved"
        // to 5e-10 with normals of open contacts at -2e-9 Ns, and to 1e-8 without.)
        let natural_residual = verdict.natural_residual + cut;
        Verdict {
            natural_residual,
            relative_residual: natural_residual / self.judged_size,
            ..verdict
        }
    }
}
