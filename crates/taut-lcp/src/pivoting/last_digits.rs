//! The last digits where A is singular to rounding: refinement in twice the precision.
//!
//! **Problem**: the face of the last index set, where moves of a proximal centre get nowhere because the least
//! eigenvalue of A is below the shift, and w = Aλ + b is lost in the rounding of huge λ.
//! **Update**: λ_F ← λ_F − (A + ρ·diag A)_FF⁻¹ w_F with ρ down to rounding, and w summed in twice the precision.
//! **Cost**: a factorization a shift, a product a step; only where all else ended without an answer.
//! **Fails** where the index set is wrong; then λ stays. The best that can be reached is the last digit of λ:
//! definite matrices with a least eigenvalue of 1e-10 end at 1e-6, not at 1e-3.
//! **Reference**: Ogita, Rump and Oishi 2005 (sums).

use super::face::Face;
use crate::report::Backend;
use crate::residual::verdict;
use crate::rounding::BETTER;
use crate::{Iterate, Operator, Problem, RowState};

/// ρ in turn, and steps with each at most.
const SHIFTS: [f64; 3] = [1e-12, 1e-14, 1e-15];
const STEPS: usize = 30;

/// Puts the best point met into λ, and says its natural residual, if there is one that is better.
pub(super) fn refine(face: &mut Face, problem: &Problem, iterate: &mut Iterate) -> Option<f64> {
    let by_entries = !matches!(problem.operator, Operator::Multibody(_));
    if !by_entries || face.free_solve.backend() == Backend::Pcg {
        return None;
    }
    let first = residual(face, problem, &iterate.lambda);
    let mut best = first;
    let mut lambda = iterate.lambda.clone();
    let mut shift = Vec::with_capacity(lambda.len());
    face.forget_factor();
    for rho in SHIFTS {
        shift.clear();
        shift.extend(face.diagonal.iter().map(|a| rho * a));
        face.counts.factorizations += 1;
        if face.free_solve.factor(problem, &face.set, &shift).is_err() {
            break;
        }
        lambda.copy_from_slice(&iterate.lambda);
        let mut last = residual(face, problem, &lambda);
        for _ in 0..STEPS {
            for i in 0..lambda.len() {
                face.scratch.rhs[i] = if face.set[i] == RowState::Free { -face.w[i] } else { 0.0 };
            }
            face.counts.inner +=
                1 + face.free_solve.solve(problem, &face.scratch.rhs, &mut face.scratch.step);
            for i in 0..lambda.len() {
                lambda[i] = (lambda[i] + face.scratch.step[i]).clamp(face.lo[i], face.hi[i]);
            }
            let next = residual(face, problem, &lambda);
            if next < best {
                best = next;
                iterate.lambda.copy_from_slice(&lambda);
            }
            if next.is_nan() || next > BETTER * last {
                break;
            }
            last = next;
        }
    }
    (best < first).then_some(best)
}

/// The natural residual of λ, whose w stays in the face.
fn residual(face: &mut Face, problem: &Problem, lambda: &[f64]) -> f64 {
    problem.operator.apply_twofold(lambda, &problem.b, &mut face.w, &mut face.scratch.product);
    verdict(problem, lambda, &face.w, &face.diagonal).natural_residual
}
