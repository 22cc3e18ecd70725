//! One face of the box: tight rows at their bounds, free rows solved for.
//!
//! What all exact methods share: the index set, the face solution for it, and
//! which rows violate their law there.
//!
//! The problem solved is the *proximal* one, (A + ρ·diag A)λ + b − ρ·diag A·c
//! around a centre c, which is strictly convex even where A is singular;
//! [`super::proximal`] moves the centre until the answer is that of the
//! problem as posed. ρ = 0 where the compliance of the problem is enough.
//! Rows softened by [`super::adaptive`] have their compliance in A, everywhere.
//! How the solution on a face is found is in [`solution`].

mod solution;

use super::adaptive::{self, Adaptive};
use crate::free_solve::FreeSolve;
use crate::report::Backend;
use crate::{Counts, Iterate, Operator, Problem, RowState, Stop};

/// Proximal shift relative to the diagonal. Large enough for a factorization
/// in double precision, small enough that one or two moves of the centre do.
pub(crate) const SHIFT: f64 = 1e-8;
/// Largest shift: beyond it the centre would have to move too often.
const MAX_SHIFT: f64 = 1e-3;
/// Shifts below this would drown in the rounding of a factor.
const LEAST_SHIFT: f64 = 5e-13;
/// Relative compliance from which on no shift is needed.
const ENOUGH_COMPLIANCE: f64 = 1e-11;

#[derive(Default)]
pub(crate) struct Face {
    pub free_solve: FreeSolve,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    pub diagonal: Vec<f64>,
    pub set: Vec<RowState>,
    /// w = Aλ + b of the last λ seen.
    pub w: Vec<f64>,
    /// Whether w on free rows is known though λ or b changed since: the next
    /// solve begins without a product, and measures what it left.
    pub trusts_w: bool,
    /// Whether w is that of the λ that the next rough solution starts from: then
    /// what rows do on their way to a bound is added to it, without a product.
    pub follows: bool,
    /// Whether it stands for a subsystem: then λ must be good to the last
    /// digits, since others depend on it, and what it leaves is measured.
    /// (Solved jointly, half of the coupled steps of cranes and nets stalled.)
    pub is_part: bool,
    /// Whether A is known to be definite: then there is no shift.
    pub is_definite: bool,
    least_rho: f64,
    rho: f64,
    /// ρ·Aᵢᵢ.
    pub shift: Vec<f64>,
    pub center: Vec<f64>,
    /// Violations above this must go \[m/s\].
    pub tolerance: f64,
    /// Boxes narrower than this, times Aᵢᵢ, leave no choice \[m/s\].
    narrow: f64,
    /// Rounding errors of w, for a row with unit diagonal \[m/s\].
    rounding: f64,
    pub adaptive: Adaptive,
    /// What is added to the diagonal of the factor: ρ·Aᵢᵢ + εᵢ.
    added: Vec<f64>,
    /// Residual below which inner solves need not go \[m/s\]; only conjugate
    /// gradients can make use of it.
    pub inner: f64,
    /// What conjugate gradients left on free rows \[m/s\].
    left: f64,
    /// Whether the last solution may be refined.
    is_rough: bool,
    /// Whether w is that of the last solution, far below the tolerance.
    pub knows_w: bool,
    pub counts: Counts,
    pub max_iterations: usize,
    factored: Vec<RowState>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    pub scratch: Vec<f64>,
}

impl Face {
    pub fn new(backend: Option<Backend>, adaptive: Option<&adaptive::Settings>) -> Self {
        Face {
            free_solve: FreeSolve::new(backend),
            adaptive: Adaptive::new(adaptive.cloned()),
            ..Self::default()
        }
    }

    /// Takes up a problem: bounds, diagonal, symbolic work.
    pub fn prepare(&mut self, problem: &Problem) {
        self.take_values(problem);
        self.free_solve.prepare(problem);
    }

    /// The same where the pattern is that of the problem before.
    pub fn refill(&mut self, problem: &Problem) {
        self.take_values(problem);
        self.free_solve.refill(problem);
    }

    fn take_values(&mut self, problem: &Problem) {
        let m = problem.rows();
        problem.bounds(&mut self.lo, &mut self.hi);
        for v in [&mut self.diagonal, &mut self.w, &mut self.rhs, &mut self.step] {
            v.resize(m, 0.0);
        }
        problem.operator.diagonal(&mut self.diagonal);
        // A row without diagonal has no scale of its own.
        self.diagonal.iter_mut().filter(|a| **a <= 0.0).for_each(|a| *a = 1.0);
        self.factored.clear();
    }

    /// Centre, shift and index set for a solve from `iterate`.
    pub fn start(&mut self, problem: &Problem, stop: &Stop, limit: usize, iterate: &Iterate) {
        self.forget_factor();
        self.resume(problem, stop, limit, iterate);
    }

    /// The same where A is still what it was: a factor stays.
    pub fn resume(&mut self, problem: &Problem, stop: &Stop, limit: usize, iterate: &Iterate) {
        self.adaptive.start(problem.rows());
        let shifted = !self.is_definite && needs_shift(problem, &self.diagonal);
        self.least_rho = if shifted { SHIFT } else { 0.0 };
        if self.least_rho != self.rho {
            self.forget_factor();
        }
        self.set_shift(self.least_rho);
        self.center.clear();
        self.center.extend_from_slice(&iterate.lambda);
        // Half for the rows that violate, half for what clamping adds.
        self.tolerance = 0.5 * stop.tolerance * problem.scale();
        self.narrow = 1e-3 * self.tolerance;
        self.max_iterations = stop.max_iterations.unwrap_or(limit);
        (self.inner, self.left) = (0.0, 0.0);
        self.counts = Counts::default();
        (self.trusts_w, self.is_rough) = (false, false);
        self.set.clear();
        if iterate.set.len() == problem.rows() {
            self.set.extend_from_slice(&iterate.set);
            (0..self.set.len()).for_each(|i| self.set[i] = self.possible(i, self.set[i]));
        } else {
            self.update_w(problem, &iterate.lambda);
            self.guess_set(&iterate.lambda);
        }
    }

    /// Whether the problem solved differs from the one posed.
    pub fn is_shifted(&self) -> bool {
        self.rho > 0.0
    }

    /// Multiplies the shift by 100, for matrices that cannot be factored or
    /// index sets that do not settle. Says whether there was room to.
    pub fn raise_shift(&mut self) -> bool {
        let raised = (100.0 * self.rho).max(SHIFT);
        let possible = raised <= MAX_SHIFT;
        if possible {
            self.set_shift(raised);
            self.forget_factor();
        }
        possible
    }

    /// Divides the shift by 100, where it is not much smaller than what makes A
    /// definite, so that moves of the centre are short. Says whether there was
    /// room to.
    pub fn lower_shift(&mut self) -> bool {
        let lowered = 0.01 * self.rho;
        let possible = lowered > LEAST_SHIFT;
        if possible {
            self.least_rho = self.least_rho.min(lowered);
            self.set_shift(lowered);
            self.forget_factor();
        }
        possible
    }

    /// Takes back all raises of the shift. Says whether there were any.
    pub fn reset_shift(&mut self) -> bool {
        let raised = self.rho > self.least_rho;
        self.set_shift(self.least_rho);
        self.forget_factor();
        raised
    }

    fn set_shift(&mut self, rho: f64) {
        self.rho = rho;
        self.shift.clear();
        self.shift.extend(self.diagonal.iter().map(|a| rho * a));
    }

    /// The index set that a projected Jacobi step from λ points to.
    pub fn guess_set(&mut self, lambda: &[f64]) {
        self.set.resize(lambda.len(), RowState::Free);
        for i in 0..lambda.len() {
            let t = lambda[i] - self.gradient(i, lambda[i]) / self.diagonal[i];
            let guess = if t <= self.lo[i] {
                RowState::Lower
            } else if t >= self.hi[i] {
                RowState::Upper
            } else {
                RowState::Free
            };
            self.set[i] = self.possible(i, guess);
        }
    }

    /// The state nearest to `state` that the bounds of row i allow.
    fn possible(&self, i: usize, state: RowState) -> RowState {
        if self.is_fixed(i) {
            return RowState::Lower;
        }
        match state {
            RowState::Lower if self.lo[i] == f64::NEG_INFINITY => RowState::Free,
            RowState::Upper if self.hi[i] == f64::INFINITY => RowState::Free,
            s => s,
        }
    }

    /// Whether the bounds of row i leave one value, as far as the tolerance
    /// can tell: boxes of unloaded contacts are as wide as rounding errors, and
    /// would turn from side to side for nothing.
    #[inline]
    pub fn is_fixed(&self, i: usize) -> bool {
        self.diagonal[i] * (self.hi[i] - self.lo[i]) <= self.narrow
    }

    /// Gradient of the proximal problem, at the λ whose w is held.
    #[inline]
    pub fn gradient(&self, i: usize, lambda: f64) -> f64 {
        self.w[i] + self.shift[i] * (lambda - self.center[i])
    }

    /// w = Aλ + b, the compliance of softened rows included.
    pub fn update_w(&mut self, problem: &Problem, lambda: &[f64]) {
        self.is_rough = false;
        problem.operator.apply(lambda, &mut self.w, &mut self.scratch);
        self.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        let softened = self.adaptive.epsilon().iter().zip(lambda);
        self.w.iter_mut().zip(softened).for_each(|(w, (e, l))| *w += e * l);
        self.note_rounding(lambda);
    }

    fn note_rounding(&mut self, lambda: &[f64]) {
        // A is semidefinite: |Aᵢⱼλⱼ| ≤ √Aᵢᵢ · √Aⱼⱼ|λⱼ|.
        let terms = lambda.iter().zip(&self.diagonal).map(|(l, a)| l * l * a);
        self.rounding = 8.0 * f64::EPSILON * terms.fold(0.0, f64::max).sqrt();
    }

    /// out = (A + ρ·diag A) s.
    pub fn product(&mut self, problem: &Problem, s: &[f64], out: &mut [f64]) {
        problem.operator.apply(s, out, &mut self.scratch);
        (0..s.len()).for_each(|i| out[i] += self.shift[i] * s[i]);
        let softened = self.adaptive.epsilon().iter().zip(s);
        out.iter_mut().zip(softened).for_each(|(o, (e, s))| *o += e * s);
    }

    /// Notes that `free_solve` was used with another set or diagonal.
    pub fn forget_factor(&mut self) {
        self.factored.clear();
        self.is_rough = false;
    }

    /// Whether λ, with the w held, solves its face and obeys all laws.
    pub fn is_solved(&self, lambda: &[f64]) -> bool {
        let left = |i: usize| self.gradient(i, lambda[i]).abs();
        let settled = |i: usize| self.set[i] != RowState::Free || left(i) <= 1e-2 * self.tolerance;
        (0..lambda.len()).all(|i| settled(i) && self.violation(i, lambda[i]).is_none())
    }

    /// Moves row i to another state.
    pub fn pivot(&mut self, i: usize, target: RowState) {
        self.set[i] = target;
        self.counts.pivots += 1;
        self.adaptive.note_pivot(i);
    }

    /// Softens rows that pivoted too often. Says whether there were any.
    pub fn soften(&mut self) -> bool {
        let changed = self.adaptive.soften(&self.set, &self.lo, &self.hi, &self.diagonal);
        if changed {
            self.counts.regularized = self.adaptive.softened();
            self.follows = false;
            self.forget_factor();
        }
        changed
    }

    /// Makes all rows as hard as posed. Says whether some were not.
    pub fn harden(&mut self) -> bool {
        let changed = self.adaptive.release();
        if changed {
            self.forget_factor();
        }
        changed
    }

    /// Violations of row i up to this may be rounding, or what conjugate
    /// gradients left \[m/s\]. As far below the
    /// tolerance asked for as rounding allows, because with redundant contacts
    /// λ depends on violations far smaller than w.
    #[inline]
    pub fn doubt(&self, i: usize) -> f64 {
        let rounding = self.left.max(self.rounding * self.diagonal[i].sqrt());
        rounding.max(1e-3 * self.tolerance).min(self.tolerance)
    }

    /// Where row i must go, if it violates its law beyond doubt.
    /// Strictly: pivoting on equality would cycle on degenerate rows.
    #[inline]
    pub fn violation(&self, i: usize, lambda: f64) -> Option<RowState> {
        // Most rows do not; then doubt need not be known.
        let (by, target) = match self.set[i] {
            RowState::Free if lambda < self.lo[i] => (self.lo[i] - lambda, RowState::Lower),
            RowState::Free => (lambda - self.hi[i], RowState::Upper),
            RowState::Lower => (-self.gradient(i, lambda), RowState::Free),
            RowState::Upper => (self.gradient(i, lambda), RowState::Free),
        };
        if by <= 0.0 {
            return None;
        }
        let is_beyond = match target {
            RowState::Free => by > self.doubt(i) && !self.is_fixed(i),
            _ => by > 0.1 * self.doubt(i) / self.diagonal[i],
        };
        is_beyond.then_some(target)
    }

    /// Whether the iteration limit is reached.
    pub fn out_of_iterations(&self) -> bool {
        self.counts.iterations >= self.max_iterations
    }
}

/// Whether A may be singular as far as its compliance tells.
pub(crate) fn needs_shift(problem: &Problem, diagonal: &[f64]) -> bool {
    let Operator::Multibody(a) = &problem.operator else { return true };
    a.compliance().iter().zip(diagonal).any(|(c, a)| *c < ENOUGH_COMPLIANCE * a)
}
