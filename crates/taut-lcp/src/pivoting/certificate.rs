//! The proof that a problem has no solution.
//!
//! If none exists, the moves of a proximal centre settle on a direction d with
//! Ad = 0 and bᵀd < 0 that no bound stops (`proof.rs` says how much that proves).
//!
//! The last move is d only roughly: the moves may not have settled, and λ has
//! magnified rounding by now. So it is polished: components that a bound stops
//! are dropped, and what the rows left, D, have outside the null space is
//! solved for and subtracted, d ← d − (A + ρ·diag A)_DD⁻¹ (Ad)_D. Whatever
//! comes out is judged by what it proves.
//!
//! All lengths are in units where the diagonal of A is one.

use super::face::Face;
use super::face::constants::SHIFT;
use crate::free_solve::Breakdown;
use crate::proof::Proof;
use crate::{Iterate, Problem, RowState};

/// Judgements of one direction, polished in between.
pub(crate) const ATTEMPTS: usize = 4;

/// Looks for a certificate in the last move of the centre, and leaves it in
/// the iterate.
pub(super) fn find(face: &mut Face, problem: &Problem, iterate: &mut Iterate) -> bool {
    let Iterate { lambda, w, certificate: d, set, .. } = iterate;
    d.clear();
    d.extend(lambda.iter().zip(&face.proximal.center).map(|(l, c)| l - c));
    set.clear();
    set.resize(d.len(), RowState::Free);
    for _ in 0..ATTEMPTS {
        if !face.is_shifted() || !drop_stopped(face, d, set) {
            break;
        }
        let proof = Proof::of(problem, &face.diagonal, d, w, &mut face.scratch.product);
        if proof.holds() {
            return true;
        }
        // Uphill it proves nothing, polished or not.
        if proof.descent.is_nan()
            || proof.descent <= 0.0
            || polish(face, problem, d, w, set).is_err()
        {
            break;
        }
    }
    d.clear();
    false
}

/// Scales d to length one and drops rows that bounds stop, for good. Says
/// whether there is a direction.
fn drop_stopped(face: &Face, d: &mut [f64], set: &mut [RowState]) -> bool {
    let length = (0..d.len()).fold(0.0_f64, |n, i| n.max(d[i].abs() * face.diagonal[i].sqrt()));
    for i in 0..d.len() {
        d[i] /= length;
        let bound = if d[i] < 0.0 { face.lo[i] } else { face.hi[i] };
        let closed = face.lo[i].is_finite() && face.hi[i].is_finite();
        if closed || (d[i] != 0.0 && bound.is_finite()) {
            (d[i], set[i]) = (0.0, RowState::Lower);
        }
    }
    length > 0.0 && length.is_finite()
}

/// Subtracts from d what lies outside the null space of A, on free rows.
fn polish(
    face: &mut Face,
    problem: &Problem,
    d: &mut [f64],
    ad: &mut [f64],
    set: &[RowState],
) -> Result<(), Breakdown> {
    let (mut shift, mut step) =
        (std::mem::take(&mut face.scratch.rhs), std::mem::take(&mut face.scratch.step));
    shift.clear();
    shift.extend(face.diagonal.iter().map(|a| SHIFT * a));
    step.resize(d.len(), 0.0);
    face.forget_factor();
    face.counts.factorizations += 1;
    let factored = face.free_solve.factor(problem, set, &shift);
    for _ in 0..if factored.is_ok() { 2 } else { 0 } {
        face.counts.inner += face.free_solve.solve(problem, ad, &mut step);
        d.iter_mut().zip(&step).for_each(|(d, s)| *d -= s);
        problem.operator.apply_twofold(d, &[], ad, &mut face.scratch.product);
    }
    (face.scratch.rhs, face.scratch.step) = (shift, step);
    factored
}
