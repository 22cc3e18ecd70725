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

use super::adaptive::{self, Adaptive};
use crate::free_solve::{Breakdown, Depth, FreeSolve};
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
/// Residual that conjugate gradients leave, relative to the tolerance.
const PCG_SHARE: f64 = 5e-3;
/// Refinement of one face solution.
const MAX_REFINEMENTS: usize = 3;

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

    /// λ ← the solution on the face: tight rows at their bounds, gradient
    /// zero on free rows.
    pub fn solve(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<(), Breakdown> {
        self.solve_to(Depth::Full, problem, lambda)
    }

    /// The same to some digits, where impulses and velocities are corrected
    /// together: enough to see which rows violate their law, as long as some do.
    /// [`Face::refine`] finds the others.
    pub fn solve_roughly(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<(), Breakdown> {
        self.solve_to(Depth::Rough, problem, lambda)
    }

    /// Makes a rough solution a good one. Says whether it was rough.
    pub fn refine(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<bool, Breakdown> {
        let was_rough = std::mem::take(&mut self.is_rough);
        if was_rough {
            // With a shift w is not what the equations leave.
            let depth = if self.is_shifted() { Depth::Full } else { Depth::Rest };
            match self.solve_jointly(depth, problem, lambda) {
                Some(solved) => solved?,
                None => _ = self.correct(MAX_REFINEMENTS, problem, lambda)?,
            }
        }
        Ok(was_rough)
    }

    fn solve_to(
        &mut self,
        depth: Depth,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<(), Breakdown> {
        self.counts.iterations += 1;
        // With a shift w is not what the equations leave.
        let goes_on = std::mem::take(&mut self.is_rough) && !self.is_shifted();
        let is_rough = depth == Depth::Rough;
        let mut trusts_w = std::mem::take(&mut self.trusts_w);
        if std::mem::take(&mut self.follows) && is_rough {
            trusts_w |= self.follow_to_bounds(problem, lambda);
        }
        self.to_bounds(lambda);
        self.factor(problem)?;
        let depth = if is_rough && goes_on { Depth::Next } else { depth };
        if let Some(solved) = self.solve_jointly(depth, problem, lambda) {
            self.is_rough = is_rough;
            return solved;
        }
        if !trusts_w {
            self.update_w(problem, lambda);
        }
        self.knows_w = true;
        let has_bodies = matches!(problem.operator, Operator::Multibody(_));
        if is_rough && !has_bodies && !self.is_inexact() {
            self.is_rough = self.correct(0, problem, lambda).map(|left| left > self.target())?;
            self.follows = true;
            return Ok(());
        }
        self.correct(MAX_REFINEMENTS, problem, lambda).map(|_| ())
    }

    /// Newton steps on the face, until what they leave on free rows is far below
    /// the tolerance. Says how much that is \[m/s\].
    fn correct(
        &mut self,
        refinements: usize,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<f64, Breakdown> {
        let mut last = f64::INFINITY;
        for refinement in 0..=refinements {
            let residual = self.newton_step(problem, lambda)?;
            if self.is_inexact() {
                self.left = residual;
            }
            let stalls = residual > 0.1 * last;
            last = residual;
            if residual <= self.target() || stalls {
                break;
            }
            self.counts.inner += usize::from(refinement > 0 && !self.is_inexact());
        }
        Ok(last)
    }

    /// Residual of a face solution that is good enough \[m/s\].
    fn target(&self) -> f64 {
        self.inner.max(1e-2 * self.tolerance)
    }

    /// Impulses and velocities together, in the form that has both.
    fn solve_jointly(
        &mut self,
        depth: Depth,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Option<Result<(), Breakdown>> {
        if self.is_part {
            return None;
        }
        let (target, is_shifted) = (self.target(), self.is_shifted());
        if is_shifted {
            let shifts = self.shift.iter().zip(&self.center).zip(&problem.b);
            self.rhs.iter_mut().zip(shifts).for_each(|(r, ((s, c), b))| *r = b - s * c);
        }
        let beta = if is_shifted { &self.rhs } else { &problem.b };
        let free_solve = &mut self.free_solve;
        let solved = free_solve.solve_face(problem, beta, target, depth, lambda, &mut self.w)?;
        if is_shifted {
            for i in 0..lambda.len() {
                self.w[i] -= self.shift[i] * (lambda[i] - self.center[i]);
            }
        }
        self.note_rounding(lambda);
        Some(solved.map(|(refinements, met)| {
            self.counts.inner += refinements;
            self.knows_w = met;
        }))
    }

    /// The same, but what the one step leaves is not measured: w of free rows
    /// counts as zero. w may be known for the λ given.
    pub fn solve_once(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        knows_w: bool,
    ) -> Result<(), Breakdown> {
        self.counts.iterations += 1;
        if self.to_bounds(lambda) || !knows_w {
            self.update_w(problem, lambda);
        }
        let step = self.direction(problem, lambda)?;
        lambda.iter_mut().zip(step).for_each(|(l, s)| *l += *s);
        for i in 0..lambda.len() {
            if self.set[i] == RowState::Free {
                self.w[i] = 0.0;
            }
        }
        self.trusts_w = true;
        Ok(())
    }

    /// λ of tight rows to their bounds. Says whether some were not there.
    fn to_bounds(&self, lambda: &mut [f64]) -> bool {
        let mut moved = false;
        for i in 0..lambda.len() {
            let bound = match self.set[i] {
                RowState::Lower => self.lo[i],
                RowState::Upper => self.hi[i],
                RowState::Free => continue,
            };
            moved |= lambda[i] != bound;
            lambda[i] = bound;
        }
        moved
    }

    /// The same, and w with them, where A is given entry by entry; says whether.
    fn follow_to_bounds(&mut self, problem: &Problem, lambda: &mut [f64]) -> bool {
        let Operator::Sparse(a) = &problem.operator else { return false };
        for i in 0..lambda.len() {
            let bound = match self.set[i] {
                RowState::Lower => self.lo[i],
                RowState::Upper => self.hi[i],
                RowState::Free => continue,
            };
            let delta = bound - std::mem::replace(&mut lambda[i], bound);
            if delta != 0.0 {
                a.add_column(i, delta, &mut self.w);
                self.w[i] += self.adaptive.epsilon().get(i).map_or(0.0, |e| e * delta);
            }
        }
        true
    }

    /// Whether λ, with the w held, solves its face and obeys all laws.
    pub fn is_solved(&self, lambda: &[f64]) -> bool {
        let left = |i: usize| self.gradient(i, lambda[i]).abs();
        let settled = |i: usize| self.set[i] != RowState::Free || left(i) <= 1e-2 * self.tolerance;
        (0..lambda.len()).all(|i| settled(i) && self.violation(i, lambda[i]).is_none())
    }

    /// Direction −(A + ρ·diag A)_FF⁻¹ g_F, zero on tight rows.
    pub fn direction(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
    ) -> Result<&mut Vec<f64>, Breakdown> {
        self.factor(problem)?;
        for i in 0..lambda.len() {
            self.rhs[i] = -self.gradient(i, lambda[i]);
        }
        if self.is_part && self.is_nearly_solved() {
            self.free_solve.solve_roughly(problem, &self.rhs, &mut self.step);
            return self.finite_step();
        }
        self.free_solve.target = self.inner.max(PCG_SHARE * self.tolerance);
        self.counts.inner += self.free_solve.solve(problem, &self.rhs, &mut self.step);
        self.finite_step()
    }

    fn finite_step(&mut self) -> Result<&mut Vec<f64>, Breakdown> {
        if self.step.iter().all(|s| s.is_finite()) { Ok(&mut self.step) } else { Err(Breakdown) }
    }

    /// Whether two digits of the next step are enough; what it leaves must be
    /// measured.
    fn is_nearly_solved(&self) -> bool {
        let rows = self.rhs.iter().zip(&self.set);
        rows.filter(|(_, s)| **s == RowState::Free).all(|(r, _)| r.abs() <= self.tolerance)
    }

    fn is_inexact(&self) -> bool {
        self.free_solve.backend() == Backend::Pcg
    }

    fn factor(&mut self, problem: &Problem) -> Result<(), Breakdown> {
        let free = |s: &RowState| *s == RowState::Free;
        let same = self.factored.len() == self.set.len()
            && self.factored.iter().zip(&self.set).all(|(a, b)| free(a) == free(b));
        if same {
            return Ok(());
        }
        self.factored.clear();
        self.counts.factorizations += 1;
        loop {
            self.added.clone_from(&self.shift);
            let softened = self.adaptive.epsilon();
            self.added.iter_mut().zip(softened).for_each(|(d, e)| *d += e);
            match self.free_solve.factor(problem, &self.set, &self.added) {
                Ok(()) => break,
                Err(_) if self.raise_shift() => self.counts.factorizations += 1,
                Err(e) => return Err(e),
            }
        }
        self.factored.extend_from_slice(&self.set);
        let [columns, imaginary] = self.free_solve.pcg.take_columns();
        self.counts.incomplete_columns += columns;
        self.counts.imaginary_columns += imaginary;
        Ok(())
    }

    /// One Newton step on the face; returns the residual left on free rows.
    fn newton_step(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<f64, Breakdown> {
        let step = self.direction(problem, lambda)?;
        lambda.iter_mut().zip(step).for_each(|(l, s)| *l += *s);
        self.update_w(problem, lambda);
        let free = (0..lambda.len()).filter(|&i| self.set[i] == RowState::Free);
        Ok(free.fold(0.0, |r: f64, i| r.max(self.gradient(i, lambda[i]).abs())))
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
