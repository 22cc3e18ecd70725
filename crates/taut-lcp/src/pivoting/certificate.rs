//! The proof that a problem has no solution.
//!
//! If none exists, the moves of a proximal centre settle on a direction d with
//! Ad = 0 and bᵀd < 0 that no bound stops. How much such a d proves: every
//! solution has 0 ≤ wᵀd = λᵀAd + bᵀd, since where d is not zero w has its sign
//! or vanishes; so a solution is at least −bᵀd/|Ad| long.
//!
//! The last move is d only roughly: the moves may not have settled, and λ has
//! magnified rounding by now. So it is polished: components that a bound stops
//! are dropped, and what the rows left, D, have outside the null space is
//! solved for and subtracted, d ← d − (A + ρ·diag A)_DD⁻¹ (Ad)_D. Whatever
//! comes out is judged by what it proves.
//!
//! All lengths are in units where the diagonal of A is one.

use super::face::Face;
use crate::free_solve::Breakdown;
use crate::{Iterate, Problem, RowState};

/// A solution this long, where |b| is one, counts as none: rounding alone
/// would leave it a residual of 1e-9.
const LONGEST_SOLUTION: f64 = 1e7;
/// Judgements of one direction, polished in between.
const ATTEMPTS: usize = 4;
/// Components up to this, the largest being one, may be dropped.
const DUST: f64 = 1e-3;
/// ρ of the polishing.
const SHIFT: f64 = 1e-8;

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
        let length = shortest_solution(face, problem, d, w);
        if length > LONGEST_SOLUTION {
            return true;
        }
        // Uphill it proves nothing, polished or not.
        if length.is_nan() || length <= 0.0 || polish(face, problem, d, w, set).is_err() {
            break;
        }
    }
    d.clear();
    false
}

/// Scales d to length one and drops rows that bounds stop, for good. Says
/// whether those were small.
fn drop_stopped(face: &Face, d: &mut [f64], set: &mut [RowState]) -> bool {
    let length = (0..d.len()).fold(0.0_f64, |n, i| n.max(d[i].abs() * face.diagonal[i].sqrt()));
    let mut small = length > 0.0 && length.is_finite();
    for i in 0..d.len() {
        d[i] /= length;
        let bound = if d[i] < 0.0 { face.lo[i] } else { face.hi[i] };
        let closed = face.lo[i].is_finite() && face.hi[i].is_finite();
        if closed || (d[i] != 0.0 && bound.is_finite()) {
            small &= d[i].abs() * face.diagonal[i].sqrt() < DUST;
            (d[i], set[i]) = (0.0, RowState::Lower);
        }
    }
    small
}

/// How long a solution is at least, divided by |b|. Leaves Ad in `ad`.
fn shortest_solution(face: &mut Face, problem: &Problem, d: &[f64], ad: &mut [f64]) -> f64 {
    problem.operator.apply(d, ad, &mut face.scratch);
    let (mut descent, mut rise, mut b) = (0.0, 0.0, 0.0_f64);
    for i in 0..d.len() {
        let root = face.diagonal[i].sqrt();
        descent -= problem.b[i] * d[i];
        rise += ad[i].abs() / root;
        b = b.max(problem.b[i].abs() / root);
    }
    descent / (rise * b)
}

/// Subtracts from d what lies outside the null space of A, on free rows.
fn polish(
    face: &mut Face,
    problem: &Problem,
    d: &mut [f64],
    ad: &mut [f64],
    set: &[RowState],
) -> Result<(), Breakdown> {
    let shift: Vec<f64> = face.diagonal.iter().map(|a| SHIFT * a).collect();
    face.forget_factor();
    face.counts.factorizations += 1;
    face.free_solve.factor(problem, set, &shift)?;
    let mut step = vec![0.0; d.len()];
    for _ in 0..2 {
        face.counts.inner += face.free_solve.solve(problem, ad, &mut step);
        d.iter_mut().zip(&step).for_each(|(d, s)| *d -= s);
        problem.operator.apply(d, ad, &mut face.scratch);
    }
    Ok(())
}
