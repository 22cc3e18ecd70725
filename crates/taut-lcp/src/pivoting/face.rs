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

mod known;
mod solution;

pub(crate) use known::Role;
use known::{Known, Precision};

use super::adaptive::{self, Adaptive};
use crate::free_solve::FreeSolve;
use crate::report::Backend;
use crate::rounding::SUM;
use crate::{Counts, Iterate, Operator, Problem, RowState, Stop};

/// The constants of a face.
pub(crate) mod constants {
    /// Proximal shift relative to the diagonal. Large enough for a factorization
    /// in double precision (√ε), small enough that one or two moves of the centre do.
    pub const SHIFT: f64 = 1e-8;
    /// What a shift is raised or lowered by: from `SHIFT` two raises stay below
    /// `MAX_SHIFT`, and two lower it to `LEAST_SHIFT`.
    pub const SHIFT_FACTOR: f64 = 100.0;
    /// Largest shift: beyond it the centre would have to move too often.
    pub const MAX_SHIFT: f64 = 1e-3;
    /// Shifts below this would drown in the rounding of a factor.
    pub const LEAST_SHIFT: f64 = 5e-13;
    /// Relative compliance from which on no shift is needed: it makes A definite
    /// by more than a factorization loses (10⁵ ε).
    pub const ENOUGH_COMPLIANCE: f64 = 1e-11;
    /// What rows on the face may violate, as a part of what the judge allows: half
    /// for them, half for what clamping to bounds adds.
    pub const PIVOTING_SHARE: f64 = 0.5;
    /// Boxes narrower than this part of the tolerance, in m/s, are fixed: unloaded
    /// contacts have friction bounds of rounding's size (docs/SOLVERS.md: a falling
    /// wall is solved 3 to 4 times faster).
    pub const FIXED_WIDTH: f64 = 1e-3;
    /// Violations below this part of the tolerance are doubtful. As far below it as
    /// rounding allows: with redundant contacts λ depends on violations far smaller
    /// than w.
    pub const DOUBT: f64 = 1e-3;
    /// λ beyond a bound counts from this part of the doubt on: it costs no rounding
    /// of w.
    pub const DOUBT_OF_LAMBDA: f64 = 0.1;
    /// Residual of a face solution that is good enough, as a part of the tolerance.
    pub const REFINED: f64 = 1e-2;
    /// Residual that conjugate gradients leave, as a part of the tolerance: half of
    /// `REFINED`, so that one solve is enough.
    pub const PCG_SHARE: f64 = 5e-3;
    /// A refinement that leaves more than this part of the residual is the last.
    pub const STALLS: f64 = 0.1;
}
use constants::*;

/// The proximal term ½ρ(λ − c)ᵀ diag A (λ − c).
#[derive(Default)]
pub(crate) struct Proximal {
    /// ρ without raises.
    least_rho: f64,
    rho: f64,
    /// ρ·Aᵢᵢ.
    pub shift: Vec<f64>,
    pub center: Vec<f64>,
}

/// Velocities that do not count \[m/s\].
#[derive(Default)]
pub(crate) struct Limits {
    /// Violations above this must go.
    pub tolerance: f64,
    /// Boxes narrower than this, times Aᵢᵢ, leave no choice.
    narrow: f64,
    /// Rounding errors of w, for a row with unit diagonal.
    rounding: f64,
    /// Inner solves need not go below this; only conjugate gradients can make use
    /// of it.
    pub inner: f64,
    /// What conjugate gradients left on free rows.
    left: f64,
}

/// Memory that a face lends to the files of `pivoting/`, so that they allocate none. The rule: whoever uses a vector
/// fills it first, and nothing in it outlives the call. Who calls the face while using one takes it
/// (`std::mem::take`), and puts it back with one entry per row.
#[derive(Default)]
pub(super) struct Scratch {
    /// A right-hand side, one entry per row: of `free_solve`.
    pub rhs: Vec<f64>,
    /// Its solution, one entry per row; `direction` returns it.
    pub step: Vec<f64>,
    /// What a product with A needs.
    pub product: Vec<f64>,
}

/// A face: index set, solution, and what it takes to find one.
///
/// Who changes `set` need not tell: the factor is compared with it. Who uses `free_solve` with another set or diagonal
/// calls `forget_factor`. Who changes `w` by other means than the methods of the face calls `note_given` or `note_refined` where the next
/// solution is to begin with it; what else is known then stands in [`Known`].
#[derive(Default)]
pub(crate) struct Face {
    pub role: Role,
    pub free_solve: FreeSolve,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    pub diagonal: Vec<f64>,
    pub set: Vec<RowState>,
    /// w = Aλ + b of the last λ seen.
    pub w: Vec<f64>,
    known: Known,
    pub proximal: Proximal,
    pub limits: Limits,
    pub(super) adaptive: Adaptive,
    pub counts: Counts,
    pub max_iterations: usize,
    /// The set that `free_solve` was factored for; empty if there is none.
    factored: Vec<RowState>,
    /// What was added to its diagonal: ρ·Aᵢᵢ + εᵢ.
    added: Vec<f64>,
    pub(super) scratch: Scratch,
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

    /// Takes up a problem whose pattern is that of the problem before: no symbolic work.
    pub fn refill(&mut self, problem: &Problem) {
        self.take_values(problem);
        self.free_solve.refill(problem);
    }

    fn take_values(&mut self, problem: &Problem) {
        let m = problem.rows();
        problem.bounds(&mut self.lo, &mut self.hi);
        for v in [&mut self.diagonal, &mut self.w, &mut self.scratch.rhs, &mut self.scratch.step] {
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

    /// Centre, shift and index set for a solve from `iterate`, where A is still what it was: a factor stays.
    pub fn resume(&mut self, problem: &Problem, stop: &Stop, limit: usize, iterate: &Iterate) {
        self.adaptive.start(problem.rows());
        let shifted = self.role != Role::Condensed && needs_shift(problem, &self.diagonal);
        self.proximal.least_rho = if shifted { SHIFT } else { 0.0 };
        if self.proximal.least_rho != self.proximal.rho {
            self.forget_factor();
        }
        self.set_shift(self.proximal.least_rho);
        self.proximal.center.clear();
        self.proximal.center.extend_from_slice(&iterate.lambda);
        let tolerance = PIVOTING_SHARE * stop.tolerance * problem.scale();
        let (narrow, rounding) = (FIXED_WIDTH * tolerance, self.limits.rounding);
        self.limits = Limits { tolerance, narrow, rounding, inner: 0.0, left: 0.0 };
        self.max_iterations = stop.max_iterations.unwrap_or(limit);
        self.counts = Counts::default();
        self.known = Known::Cold;
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
        self.proximal.rho > 0.0
    }

    /// Makes the shift a hundred times larger, for matrices that cannot be factored or
    /// index sets that do not settle. Says whether there was room to.
    pub fn raise_shift(&mut self) -> bool {
        let raised = (SHIFT_FACTOR * self.proximal.rho).max(SHIFT);
        let possible = raised <= MAX_SHIFT;
        if possible {
            self.set_shift(raised);
            self.forget_factor();
        }
        possible
    }

    /// Makes the shift a hundred times smaller, where it is not much smaller than what makes A
    /// definite, so that moves of the centre are short. Says whether there was
    /// room to.
    pub fn lower_shift(&mut self) -> bool {
        let lowered = (1.0 / SHIFT_FACTOR) * self.proximal.rho;
        let possible = lowered > LEAST_SHIFT;
        if possible {
            self.proximal.least_rho = self.proximal.least_rho.min(lowered);
            self.set_shift(lowered);
            self.forget_factor();
        }
        possible
    }

    /// Takes back all raises of the shift. Says whether there were any.
    pub fn reset_shift(&mut self) -> bool {
        let raised = self.proximal.rho > self.proximal.least_rho;
        self.set_shift(self.proximal.least_rho);
        self.forget_factor();
        raised
    }

    fn set_shift(&mut self, rho: f64) {
        self.proximal.rho = rho;
        self.proximal.shift.clear();
        self.proximal.shift.extend(self.diagonal.iter().map(|a| rho * a));
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
        self.diagonal[i] * (self.hi[i] - self.lo[i]) <= self.limits.narrow
    }

    /// Gradient of the proximal problem, at the λ whose w is held.
    #[inline]
    pub fn gradient(&self, i: usize, lambda: f64) -> f64 {
        self.w[i] + self.proximal.shift[i] * (lambda - self.proximal.center[i])
    }

    /// w = Aλ + b, the compliance of softened rows included.
    pub fn update_w(&mut self, problem: &Problem, lambda: &[f64]) {
        self.known = self.known.no_longer_solved();
        problem.operator.apply(lambda, &mut self.w, &mut self.scratch.product);
        self.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        let softened = self.adaptive.epsilon().iter().zip(lambda);
        self.w.iter_mut().zip(softened).for_each(|(w, (e, l))| *w += e * l);
        self.note_rounding(lambda);
    }

    fn note_rounding(&mut self, lambda: &[f64]) {
        // A is semidefinite: |Aᵢⱼλⱼ| ≤ √Aᵢᵢ · √Aⱼⱼ|λⱼ|.
        let terms = lambda.iter().zip(&self.diagonal).map(|(l, a)| l * l * a);
        self.limits.rounding = SUM * terms.fold(0.0, f64::max).sqrt();
    }

    /// Whether rounding in w is as large as the tolerance.
    pub fn is_lost_in_rounding(&self) -> bool {
        let largest = self.diagonal.iter().fold(0.0_f64, |m, a| m.max(*a));
        self.limits.rounding * largest.sqrt() > self.limits.tolerance
    }

    /// out = (A + ρ·diag A) s.
    pub fn product(&mut self, problem: &Problem, s: &[f64], out: &mut [f64]) {
        problem.operator.apply(s, out, &mut self.scratch.product);
        (0..s.len()).for_each(|i| out[i] += self.proximal.shift[i] * s[i]);
        let softened = self.adaptive.epsilon().iter().zip(s);
        out.iter_mut().zip(softened).for_each(|(o, (e, s))| *o += e * s);
    }

    /// Notes that `free_solve` was used with another set or diagonal.
    pub fn forget_factor(&mut self) {
        self.factored.clear();
        self.known = self.known.no_longer_solved();
    }

    /// Whether λ, with the w held, solves its face and obeys all laws.
    pub fn is_solved(&self, lambda: &[f64]) -> bool {
        let left = |i: usize| self.gradient(i, lambda[i]).abs();
        let settled =
            |i: usize| self.set[i] != RowState::Free || left(i) <= REFINED * self.limits.tolerance;
        (0..lambda.len()).all(|i| settled(i) && self.violation(i, lambda[i]).is_none())
    }

    /// Notes that w of the free rows is known, whatever else changed.
    pub fn note_given(&mut self) {
        self.known = Known::Given;
    }

    /// Notes that w is that of a λ which solves its face far below the tolerance.
    pub fn note_refined(&mut self) {
        self.known = Known::Refined;
    }

    /// Whether w is that of a solution far below the tolerance.
    pub fn has_w(&self) -> bool {
        self.known.has_w()
    }

    /// Notes that w is not that of the λ to come.
    pub fn forget_w(&mut self) {
        if matches!(self.known, Known::Followed(_)) {
            self.known = Known::Cold;
        }
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
            self.forget_w();
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
    /// gradients left \[m/s\].
    #[inline]
    pub fn doubt(&self, i: usize) -> f64 {
        let Limits { tolerance, rounding, left, .. } = self.limits;
        left.max(rounding * self.diagonal[i].sqrt()).max(DOUBT * tolerance).min(tolerance)
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
            _ => by > DOUBT_OF_LAMBDA * self.doubt(i) / self.diagonal[i],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{MultibodyOptions, multibody, random_pd};

    /// A face of all rows at the start of a solve.
    fn face(problem: &Problem, backend: Option<Backend>) -> (Face, Vec<f64>) {
        let mut face = Face::new(backend, None);
        let iterate = Iterate::from_lambda(vec![0.0; problem.rows()]);
        face.prepare(problem);
        face.start(problem, &Stop::default(), 100, &iterate);
        (face, iterate.lambda)
    }

    #[test]
    fn what_is_known_follows_from_what_was_done() {
        let options = MultibodyOptions { links: 3, pile: 5, mass_ratio: 10.0, compliance: 1e-6 };
        let bodies = multibody(&options, 1).expect("valid");
        let (mut f, mut lambda) = face(&bodies, Some(Backend::Primal));
        assert_eq!(f.known, Known::Cold);
        f.solve_roughly(&bodies, &mut lambda).expect("definite");
        assert_eq!(f.known, Known::Rough);
        assert_eq!(f.refine(&bodies, &mut lambda), Ok(true));
        assert_eq!((f.known, f.known.has_w()), (Known::Refined, true));
        assert_eq!(f.refine(&bodies, &mut lambda), Ok(false), "nothing to refine");
        f.forget_factor();
        assert_eq!(f.known, Known::Cold);
        let (mut f, mut lambda) = face(&bodies, Some(Backend::Dual));
        f.solve_roughly(&bodies, &mut lambda).expect("definite");
        assert_eq!(f.known, Known::Refined, "no rough solution in dual form");
        let entries = random_pd(12, 3).expect("valid");
        let (mut f, mut lambda) = face(&entries, None);
        f.solve_roughly(&entries, &mut lambda).expect("definite");
        assert!(matches!(f.known, Known::Followed(_)));
        f.forget_w();
        assert_eq!(f.known, Known::Cold);
    }

    /// A shift goes up as far as allowed and back, and only if A may be singular.
    #[test]
    fn shifts_go_up_and_down() {
        let entries = random_pd(6, 1).expect("valid");
        let (mut f, _) = face(&entries, None);
        assert!(f.is_shifted(), "entries tell nothing of compliance");
        let mut raises = 0;
        while f.raise_shift() {
            raises += 1;
        }
        assert_eq!(raises, 2);
        assert!(f.reset_shift() && !f.reset_shift());
        assert!(f.lower_shift() && f.lower_shift() && !f.lower_shift());
        let mut condensed = Face { role: Role::Condensed, ..Face::new(None, None) };
        condensed.prepare(&entries);
        let start = Iterate::from_lambda(vec![0.0; 6]);
        condensed.start(&entries, &Stop::default(), 100, &start);
        assert!(!condensed.is_shifted());
    }
}
