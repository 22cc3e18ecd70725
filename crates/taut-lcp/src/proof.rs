//! What proves that a problem has no solution.
//!
//! A direction d that no law stops. Where d is not zero w has its sign or vanishes, so dᵀw ≥ 0 for every solution; but
//! dᵀw = (Aᵀd)ᵀλ + bᵀd, and if that is negative for every λ within its bounds, there is none. (A symmetric and
//! semidefinite: Ad = 0 and bᵀd < 0 will do.) In cones of Coulomb's law d has nothing but normals (wₙ ≥ 0, while w_t may
//! be anything); associated ones d lies within (w is in the dual cone).
//!
//! Numbers leave something in Aᵀd along rows without bounds. It must be so small that only a solution of 1e7 times the
//! size of b could make use of it, and no more than rounding.
//!
//! All lengths are in units where the diagonal of A is one.

use crate::{Operator, Problem};

/// A solution this long, where |b| is one, counts as none: rounding alone would leave it a residual of 1e-9.
const LONGEST_SOLUTION: f64 = 1e7;
/// What |Aᵀd| may be, as a share of |d|: rounding. (The matrix of rows (1 + 1e-8, -1) and (-1, 1) is definite, and has
/// a solution of 2e8; of 1,300 random ones with least eigenvalues of 1e-8 to 1e-10 every fourth was called infeasible.)
const ROUNDING: f64 = 1e-13;
/// What |Aᵀd| may be, row by row, where A is given by entries: of these, as of d, the last digits alone are in doubt, and
/// Aᵀd is summed in twice the precision. (Rows (1, -1) and (-1, 1 + 2e-13) are definite, too.)
const DIGITS: f64 = 64.0 * f64::EPSILON;

/// How much a direction proves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof {
    /// −bᵀd, less what λ at its bounds may add.
    pub descent: f64,
    /// |Aᵀd| along rows without bounds, and how much is rounding.
    leak: f64,
    rounding: f64,
    /// The largest |b|.
    b: f64,
}

impl Proof {
    /// Weighs a direction that no law stops, and leaves Aᵀd in `y`.
    pub fn of(
        problem: &Problem,
        diagonal: &[f64],
        d: &[f64],
        y: &mut [f64],
        scratch: &mut Vec<f64>,
    ) -> Self {
        problem.operator.apply_transposed_twofold(d, y, scratch);
        let mut proof = Proof { descent: 0.0, leak: 0.0, rounding: 0.0, b: 0.0 };
        let mut size = 0.0;
        let mut weigh = |i: usize, (lo, hi): (f64, f64)| {
            let root = if diagonal[i] > 0.0 { diagonal[i].sqrt() } else { 1.0 };
            size += d[i].abs() * root;
            proof.descent -= problem.b[i] * d[i];
            proof.b = proof.b.max(problem.b[i].abs() / root);
            let bound = if y[i] > 0.0 { hi } else { lo };
            if bound.is_finite() {
                proof.descent -= y[i] * bound;
            } else {
                proof.leak += y[i].abs() / root;
            }
        };
        for (i, law) in problem.laws_by_row() {
            weigh(i, law.bounds());
            (1..law.rows()).for_each(|k| weigh(i + k, (f64::NEG_INFINITY, f64::INFINITY)));
        }
        proof.rounding = size
            * match problem.operator {
                Operator::Multibody(_) => ROUNDING,
                _ => ROUNDING.min(DIGITS * d.len() as f64),
            };
        proof
    }

    /// Whether there is no solution.
    pub fn holds(&self) -> bool {
        let is_long = self.descent > 0.0 && self.descent > LONGEST_SOLUTION * self.leak * self.b;
        self.descent.is_finite() && is_long && self.leak <= self.rounding
    }
}
