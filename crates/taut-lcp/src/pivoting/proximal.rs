//! Proximal point iterations: exact answers for singular A.
//!
//! **Problem**: symmetric positive semidefinite boxed problems.
//! **Update**: c ← the solution of the strictly convex problem with matrix
//! A + ρ·diag A and gradient shifted by −ρ·diag A·c. The inner method is any
//! that finds the index set; once the set has settled, a move of the centre
//! costs one solve with the factor at hand.
//! **Cost**: that of the inner method, plus a solve per move; one or two moves
//! do when ρ = 1e-8.
//! **Fails** only where no solution exists: then λ grows without bound along a
//! direction d with Ad = 0, bᵀd < 0 that no bound stops, which is the
//! certificate returned with [`Status::Infeasible`].
//! **Reference**: Rockafellar 1976; METHODS facts restated in ARCHITECTURE.md.

use super::face::Face;
use crate::residual::verdict;
use crate::{Iterate, Outcome, Probe, Problem, Status, Stop};

/// How an inner method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// No row violates its law.
    Solved,
    /// It gave up, for this reason.
    Failed(Status),
}

/// Rounds without a new best residual before giving up.
const PATIENCE: usize = 5;
/// Limit on moves of the centre.
const MAX_ROUNDS: usize = 60;
/// A solution this long, where |b| and the diagonal of A are one, counts as
/// none: rounding alone would leave a residual of 1e-9.
const LONGEST_SOLUTION: f64 = 1e7;
/// Components of a certificate this small may be rounding: they are left out,
/// and the proof must hold without them.
const DUST: f64 = 1e-6;

/// Runs `inner` on the proximal problem until the problem as posed is solved.
pub(crate) fn run(
    face: &mut Face,
    problem: &Problem,
    stop: &Stop,
    iterate: &mut Iterate,
    probe: &mut dyn Probe,
    inner: &mut dyn FnMut(&mut Face, &Problem, &mut Iterate, &mut dyn Probe) -> Inner,
) -> Outcome {
    let mut best = f64::INFINITY;
    let mut stale = 0;
    let mut status = Status::Stalled;
    for _ in 0..MAX_ROUNDS {
        let end = inner(face, problem, iterate, probe);
        let lambda = &mut iterate.lambda;
        (0..lambda.len()).for_each(|i| lambda[i] = lambda[i].clamp(face.lo[i], face.hi[i]));
        face.update_w(problem, lambda);
        let v = verdict(problem, lambda, &face.w, &face.diagonal);
        probe.iteration(face.counts.iterations, v.natural_residual);
        if v.converged(stop.tolerance) {
            status = Status::Converged;
            break;
        }
        // Before giving up: when λ grows without bound, rounding in w may have
        // made the inner method fail.
        if unbounded_direction(face, problem, iterate) {
            status = Status::Infeasible;
            break;
        }
        if let Inner::Failed(s) = end {
            status = s;
            break;
        }
        stale = if v.natural_residual < 0.9 * best { 0 } else { stale + 1 };
        best = best.min(v.natural_residual);
        if stale >= PATIENCE || face.out_of_iterations() {
            break;
        }
        face.center.copy_from_slice(&iterate.lambda);
        // What is left is below the pivoting tolerance: ask for more.
        face.tolerance = face.tolerance.min(0.1 * v.natural_residual);
    }
    iterate.set.clear();
    iterate.set.extend_from_slice(&face.set);
    Outcome { status, counts: face.counts, backend: Some(face.free_solve.backend()) }
}

/// Looks for a certificate that no solution exists in the last move d of the
/// centre, and leaves it in the iterate.
///
/// If no solution exists, the moves settle on a d with Ad = 0 and bᵀd < 0 that
/// no bound stops; the part of d outside the null space shrinks by ρ with
/// every move. How good a proof d is: every solution has
/// 0 ≤ wᵀd = λᵀAd + bᵀd, so its length is at least −bᵀd/|Ad|.
fn unbounded_direction(face: &mut Face, problem: &Problem, iterate: &mut Iterate) -> bool {
    let Iterate { lambda, w: ad, certificate: d, .. } = iterate;
    let m = lambda.len();
    let root = |i: usize| face.diagonal[i].sqrt();
    d.clear();
    d.extend((0..m).map(|i| lambda[i] - face.center[i]));
    let moved = (0..m).fold(0.0_f64, |n, i| n.max((root(i) * d[i]).abs()));
    for i in 0..m {
        d[i] /= moved;
        let bound = if d[i] < 0.0 { face.lo[i] } else { face.hi[i] };
        if (bound.is_finite() && root(i) * d[i].abs() < DUST) || d[i].abs() < f64::EPSILON * DUST {
            d[i] = 0.0;
        }
    }
    let stopped = |i: usize| (if d[i] < 0.0 { face.lo[i] } else { face.hi[i] }).is_finite();
    let open =
        face.is_shifted() && (0..m).all(|i| d[i] == 0.0 || (d[i].is_finite() && !stopped(i)));
    problem.operator.apply(d, ad, &mut face.scratch);
    let descent = -(0..m).map(|i| problem.b[i] * d[i]).sum::<f64>();
    let rise: f64 = (0..m).map(|i| (ad[i] / face.diagonal[i].sqrt()).abs()).sum();
    let b = (0..m).fold(0.0_f64, |n, i| n.max(problem.b[i].abs() / face.diagonal[i].sqrt()));
    let proof = open && descent > LONGEST_SOLUTION * rise * b;
    if !proof {
        d.clear();
    }
    proof
}
