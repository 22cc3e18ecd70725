//! Incomplete Cholesky without fill, IC(0): L̂ in the pattern of A.
//!
//! **Cost**: the products of rows that are neighbours. **Fails**: dropping
//! fill can make a pivot negative; then there is no P, and a solver that asks
//! for one ends `Singular`. On contact problems that is the rule.
//! **Reference**: Ho22 alg. 4.

use super::Source;
use super::triangle::Triangle;
use crate::Sparse;
use crate::linalg::Breakdown;

/// Pivots below this share of their diagonal count as broken down: where rows
/// are redundant, rounding is all that is left of them, and 1/rounding in P⁻¹
/// would drown the rest.
pub(super) const LEAST_PIVOT: f64 = 1e-10;

pub(super) fn factor(
    l: &mut Triangle,
    source: &Source,
    a: &Sparse,
    rows: &[u32],
    s: &[f64],
) -> Result<(), Breakdown> {
    rows.iter().for_each(|&i| l.load(source, a, s, i as usize, 0.0));
    rows.iter().try_for_each(|&i| row(l, i as usize))
}

/// One row of L̂.
pub(super) fn row(l: &mut Triangle, i: usize) -> Result<(), Breakdown> {
    let least = LEAST_PIVOT * l.diagonal[i];
    let d = l.eliminate(i);
    if d <= least || d.is_nan() {
        return Err(Breakdown);
    }
    l.diagonal[i] = d.sqrt();
    Ok(())
}
