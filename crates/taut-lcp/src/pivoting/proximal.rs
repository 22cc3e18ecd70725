//! Proximal point iterations: exact answers for singular A.
//!
//! **Problem**: symmetric positive semidefinite boxed problems.
//! **Update**: c ← the solution of the strictly convex problem with matrix
//! A + ρ·diag A and gradient shifted by −ρ·diag A·c. The inner method is any
//! that finds the index set; once the set has settled, a move of the centre
//! costs one solve with the factor at hand.
//! **Cost**: that of the inner method, plus a solve per move; one or two moves
//! do when ρ = 1e-8. Where A is flat until a bound far off, a move is prolonged to that bound.
//! **Fails** only where no solution exists: then λ grows without bound along a
//! direction d with Ad = 0, bᵀd < 0 that no bound stops, which is the
//! certificate returned with [`Status::Infeasible`].
//! **Reference**: Rockafellar 1976, Monotone operators and the proximal point
//! algorithm.

use super::certificate;
use super::face::Face;
use super::last_digits;
use crate::residual::{Verdict, verdict};
use crate::rounding::BETTER;
use crate::{Iterate, Outcome, Probe, Problem, Status, Stop};

/// How an inner method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// No row violates its law.
    Solved,
    /// It gave up, for this reason.
    Failed(Status),
}

/// Rounds without a new best residual before giving up. A guard: two would do for all
/// golden counts.
const PATIENCE: usize = 5;
/// A move that leaves less than this part of the residual shows that there is a
/// solution: no certificate is looked for. It saves the search alone: without, no count changes; at 1 and beyond
/// problems without a solution take many times the iterations.
const FALLS: f64 = 0.1;
/// What rows may violate in the next round, as a part of the residual of this one. A
/// guard: no golden count changes without it.
const NEXT_TOLERANCE: f64 = 0.1;
/// How often a smaller shift is tried; a third would be below the least.
const MAX_LOWERED: usize = 2;
/// Limit on moves of the centre.
const MAX_ROUNDS: usize = 60;

/// What an inner method works on.
pub(crate) struct Round<'a> {
    /// Index set, centre and shift of the proximal problem.
    pub face: &'a mut Face,
    /// The problem as posed.
    pub problem: &'a Problem,
    pub iterate: &'a mut Iterate,
    pub probe: &'a mut dyn Probe,
}

/// λ into its bounds, w to match unless it `is_known`, and what the judge says of
/// it.
fn judge_inside(
    face: &mut Face,
    problem: &Problem,
    lambda: &mut [f64],
    mut is_known: bool,
) -> Verdict {
    for (i, l) in lambda.iter_mut().enumerate() {
        let inside = l.clamp(face.lo[i], face.hi[i]);
        is_known &= std::mem::replace(l, inside) == inside;
    }
    if !is_known {
        face.update_w(problem, lambda);
    }
    verdict(problem, lambda, &face.w, &face.diagonal)
}

/// One more move of the centre on the face of the answer. It costs a solve with
/// the factor at hand, and takes what the shift has left in the residual: where
/// A is nearly singular, w is known only to the root of that.
fn polish(face: &mut Face, problem: &Problem, iterate: &mut Iterate, residual: f64) {
    if !face.is_shifted() || face.out_of_iterations() {
        return;
    }
    face.proximal.center.copy_from_slice(&iterate.lambda);
    let solved = face.solve(problem, &mut iterate.lambda).is_ok();
    let better = judge_inside(face, problem, &mut iterate.lambda, false);
    if !solved || better.natural_residual >= residual || better.bound_violation > 0.0 {
        iterate.lambda.copy_from_slice(&face.proximal.center);
    }
}

/// Moves that leave the residual as it is follow a direction d = λ − c in which A is flat. Where a bound
/// stops it, however far off, goes there at once, if the energy falls all the way: wᵀd + t dᵀAd ≤ 0. (A
/// semidefinite problem of 10 rows with boxes of ±1e6 would take 26 moves, and gave up after five.)
fn leap(face: &mut Face, problem: &Problem, lambda: &mut [f64]) -> bool {
    let (mut d, mut ad) =
        (std::mem::take(&mut face.scratch.rhs), std::mem::take(&mut face.scratch.step));
    d.clear();
    d.extend(lambda.iter().zip(&face.proximal.center).map(|(l, c)| l - c));
    ad.resize(d.len(), 0.0);
    problem.operator.apply(&d, &mut ad, &mut face.scratch.product);
    let (mut t, mut slope, mut curvature) = (f64::INFINITY, 0.0, 0.0);
    for i in 0..d.len() {
        slope += face.w[i] * d[i];
        curvature += ad[i] * d[i];
        if d[i] != 0.0 {
            let bound = if d[i] < 0.0 { face.lo[i] } else { face.hi[i] };
            t = t.min((bound - lambda[i]) / d[i]);
        }
    }
    let leaps = t > 0.0 && t < f64::INFINITY && slope + t * curvature.max(0.0) < 0.0;
    for i in 0..if leaps { d.len() } else { 0 } {
        lambda[i] = (lambda[i] + t * d[i]).clamp(face.lo[i], face.hi[i]);
    }
    (face.scratch.rhs, face.scratch.step) = (d, ad);
    leaps
}

/// Runs `inner` on the proximal problem until the problem as posed is solved.
pub(crate) fn run(
    mut round: Round<'_>,
    stop: &Stop,
    inner: &mut dyn FnMut(&mut Round<'_>) -> Inner,
) -> Outcome {
    let mut status = solve(&mut round, stop, inner);
    let Round { face, problem, iterate, .. } = round;
    // What plain sums call converged may be rounding, too.
    let is_rounding = status == Status::Converged && face.is_lost_in_rounding();
    if (is_rounding || matches!(status, Status::Stalled | Status::Cycling | Status::Singular))
        && let Some(residual) = last_digits::refine(face, problem, iterate)
    {
        let is_answer = residual <= stop.tolerance * problem.scale();
        status = if is_answer { Status::Converged } else { status };
    }
    iterate.set.clear();
    iterate.set.extend_from_slice(&face.set);
    let (backend, why) = (face.free_solve.chosen, face.free_solve.why);
    Outcome { backend, why, ..Outcome::new(status, face.counts) }
}

fn solve(
    round: &mut Round<'_>,
    stop: &Stop,
    inner: &mut dyn FnMut(&mut Round<'_>) -> Inner,
) -> Status {
    let (mut best, mut stale) = (f64::INFINITY, 0);
    let mut way_out = WayOut { may_reset: true, lowered: 0 };
    let mut status = Status::Stalled;
    for _ in 0..MAX_ROUNDS {
        let end = inner(round);
        let Round { face, problem, iterate, probe } = round;
        let is_known = end == Inner::Solved && face.has_w();
        let v = judge_inside(face, problem, &mut iterate.lambda, is_known);
        if !face.adaptive.is_kept() && face.harden() {
            // The softened problem has shown the way; now the one posed.
            face.proximal.center.copy_from_slice(&iterate.lambda);
            continue;
        }
        probe.iteration(face.counts.iterations, v.natural_residual);
        if v.converged(stop.tolerance) {
            polish(face, problem, iterate, v.natural_residual);
            return Status::Converged;
        }
        // Without a solution the residual does not fall. Before giving up, too:
        // when λ grows without bound, rounding in w may have made the inner method
        // fail.
        let share = v.natural_residual / best;
        let is_over = end != Inner::Solved || face.out_of_iterations();
        if (is_over || share > FALLS) && certificate::find(face, problem, iterate) {
            return Status::Infeasible;
        }
        if face.out_of_iterations() {
            return Status::IterationLimit;
        }
        if let Inner::Failed(s) = end {
            (status, stale) = (s, PATIENCE);
        } else {
            stale = if share < BETTER { 0 } else { stale + 1 };
            best = best.min(v.natural_residual);
        }
        if stale >= PATIENCE {
            if !way_out.take(face, end) {
                return status;
            }
            (stale, status) = (0, Status::Stalled);
        }
        if stale > 0 && end == Inner::Solved && leap(face, problem, &mut iterate.lambda) {
            stale = 0;
        }
        face.proximal.center.copy_from_slice(&iterate.lambda);
        // What is left is below the pivoting tolerance: ask for more.
        face.limits.tolerance = face.limits.tolerance.min(NEXT_TOLERANCE * v.natural_residual);
    }
    status
}

/// What is left to try where moves of the centre get nowhere.
struct WayOut {
    may_reset: bool,
    lowered: usize,
}

impl WayOut {
    /// Takes the next way out: changes the shift of the face. Says whether there was one.
    fn take(&mut self, face: &mut Face, end: Inner) -> bool {
        // Raised, the shift may have made moves too short to get there.
        if std::mem::take(&mut self.may_reset) && face.reset_shift() {
            return true;
        }
        // And so it does where A is definite by no more than the shift.
        let moves = end == Inner::Solved && self.lowered < MAX_LOWERED;
        let found = moves && face.lower_shift();
        self.lowered += usize::from(found);
        found
    }
}
