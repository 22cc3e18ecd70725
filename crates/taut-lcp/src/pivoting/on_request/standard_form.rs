//! Boxed problems as standard ones: r = q + Gx, x ≥ 0, r ≥ 0, xᵀr = 0.
//!
//! A row with a lower bound alone becomes λ = lo + x, one with an upper bound
//! alone λ = hi − x, its w with the other sign. A row with both becomes two:
//! λ = lo + x with r = w + z, and the multiplier z of the upper bound with
//! r_z = hi − lo − x. Bilateral rows are marked: their x has no sign, their r
//! is zero. Rows with one possible value are left out.
//!
//! All in units where the diagonal of A is one. If A is positive semidefinite
//! so is G; if A is a P-matrix G is one too, unless rows have two bounds.

use crate::proof::Proof;
use crate::{Problem, RowState};

/// Components of a certificate up to this, the largest being one, are rounding.
const DUST: f64 = 1e-9;

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// λ = lo + x.
    Above,
    /// λ = hi − x.
    Below,
    /// λ = x, of any sign.
    Free,
    /// The multiplier of an upper bound.
    Cap,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub row: usize,
    pub kind: Kind,
}

#[derive(Default)]
pub(super) struct StandardForm {
    pub variables: Vec<Variable>,
    /// G, row by row, and q.
    pub matrix: Vec<f64>,
    pub q: Vec<f64>,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    /// Sᵢ = Aᵢᵢ^(−1/2); 1 where the diagonal is not positive.
    scale: Vec<f64>,
    /// λ where x = 0.
    base: Vec<f64>,
    column: Vec<f64>,
    unit: Vec<f64>,
    scratch: Vec<f64>,
}

impl StandardForm {
    pub fn load(&mut self, problem: &Problem) {
        let m = problem.rows();
        problem.bounds(&mut self.lo, &mut self.hi);
        self.scale.resize(m, 0.0);
        problem.operator.diagonal(&mut self.scale);
        let unit = |a: &f64| if *a > 0.0 { 1.0 / a.sqrt() } else { 1.0 };
        self.scale.iter_mut().for_each(|s| *s = unit(s));
        self.list_variables();
        self.column.resize(m, 0.0);
        self.unit.clear();
        self.unit.resize(m, 0.0);
        self.fill_q(problem);
        self.fill_matrix(problem);
    }

    fn list_variables(&mut self) {
        self.variables.clear();
        self.base.clear();
        for row in 0..self.lo.len() {
            let (lo, hi) = (self.lo[row], self.hi[row]);
            let mut push = |kind| self.variables.push(Variable { row, kind });
            self.base.push(if lo.is_finite() {
                lo
            } else if hi.is_finite() {
                hi
            } else {
                0.0
            });
            match (lo.is_finite(), hi.is_finite()) {
                _ if lo == hi => {}
                (false, false) => push(Kind::Free),
                (true, false) => push(Kind::Above),
                (false, true) => push(Kind::Below),
                (true, true) => {
                    push(Kind::Above);
                    push(Kind::Cap);
                }
            }
        }
    }

    fn fill_q(&mut self, problem: &Problem) {
        problem.operator.apply(&self.base, &mut self.column, &mut self.scratch);
        self.q.clear();
        for v in &self.variables {
            let s = self.scale[v.row];
            let w = s * (problem.b[v.row] + self.column[v.row]);
            self.q.push(match v.kind {
                Kind::Cap => (self.hi[v.row] - self.lo[v.row]) / s,
                kind => sign(kind) * w,
            });
        }
    }

    fn fill_matrix(&mut self, problem: &Problem) {
        let n = self.variables.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for c in 0..n {
            let v = self.variables[c];
            if v.kind == Kind::Cap {
                // Its x stands right before it.
                self.matrix[(c - 1) * n + c] = 1.0;
                self.matrix[c * n + c - 1] = -1.0;
                continue;
            }
            self.unit[v.row] = sign(v.kind) * self.scale[v.row];
            problem.operator.apply(&self.unit, &mut self.column, &mut self.scratch);
            self.unit[v.row] = 0.0;
            for (r, u) in self.variables.iter().enumerate().filter(|(_, u)| u.kind != Kind::Cap) {
                self.matrix[r * n + c] = sign(u.kind) * self.scale[u.row] * self.column[u.row];
            }
        }
    }

    /// λ from x, and the index set: `is_basic(k)` says whether x_k may be
    /// nonzero.
    pub fn unload(
        &self,
        x: &[f64],
        is_basic: impl Fn(usize) -> bool,
        lambda: &mut [f64],
        set: &mut Vec<RowState>,
    ) {
        lambda.copy_from_slice(&self.base);
        set.clear();
        set.resize(lambda.len(), RowState::Lower);
        for (k, v) in self.variables.iter().enumerate() {
            if v.kind == Kind::Cap {
                if is_basic(k) {
                    (lambda[v.row], set[v.row]) = (self.hi[v.row], RowState::Upper);
                }
                continue;
            }
            lambda[v.row] += sign(v.kind) * self.scale[v.row] * x[k];
            lambda[v.row] = lambda[v.row].clamp(self.lo[v.row], self.hi[v.row]);
            set[v.row] = match v.kind {
                _ if is_basic(k) => RowState::Free,
                Kind::Below => RowState::Upper,
                _ => RowState::Lower,
            };
        }
    }

    /// Whether a direction of x proves that no solution exists; it is then
    /// left in `d`, as one of λ, its largest component one.
    ///
    /// (`proof.rs`.) Components that a bound stops may be dropped where they are rounding.
    pub fn proves_infeasible(&mut self, problem: &Problem, x: &[f64], d: &mut Vec<f64>) -> bool {
        d.clear();
        d.resize(self.lo.len(), 0.0);
        for (k, v) in self.variables.iter().enumerate().filter(|(_, v)| v.kind != Kind::Cap) {
            d[v.row] = sign(v.kind) * self.scale[v.row] * x[k];
        }
        let size = d.iter().fold(0.0_f64, |s, d| s.max(d.abs()));
        let length = x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        if !(size.is_normal() && length.is_finite()) {
            return false;
        }
        for i in 0..d.len() {
            let bound = if d[i] > 0.0 { self.hi[i] } else { self.lo[i] };
            if d[i] != 0.0 && bound.is_finite() {
                if d[i].abs() > DUST * length * self.scale[i] {
                    return false;
                }
                d[i] = 0.0;
            }
            d[i] /= size;
        }
        self.unit.resize(d.len(), 0.0);
        problem.operator.diagonal(&mut self.unit);
        let proof = Proof::of(problem, &self.unit, d, &mut self.column, &mut self.scratch);
        self.unit.fill(0.0);
        proof.holds()
    }
}

/// How λ changes with x.
fn sign(kind: Kind) -> f64 {
    if kind == Kind::Below { -1.0 } else { 1.0 }
}
