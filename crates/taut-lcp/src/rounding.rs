//! What all methods take for rounding, and how they refine.
//!
//! Each is one figure for all methods, not a tuned one for each: half and twice change counts by at most 2 %, and no status but where
//! the comment says so (docs/decisions/solver-constants.md).

/// Errors of a sum of products, in units of its largest term.
pub(crate) const SUM: f64 = 8.0 * f64::EPSILON;
/// What an elimination leaves of a pivot or a residual that should be zero, in units of the terms it began with.
pub(crate) const ELIMINATION: f64 = 1e-13;
/// Boxes narrower than this, in units where A and b are of the size of one, hold their impulse: friction of contacts
/// without load.
pub(crate) const NARROW: f64 = 1e-12;
/// Refinements of a solution at most: most need one, and more than three repeat rounding errors.
pub(crate) const REFINEMENTS: usize = 3;

/// A residual is better than those before if it is less than this share of them: smaller gains lead nowhere. (With 0.95 `lcp_ipm`
/// solves 94 of 95 problems.)
pub(crate) const BETTER: f64 = 0.9;

/// Whether refinement has come to its end: at rounding, or because the last step left more than a quarter.
pub(crate) fn is_refined(residual: f64, size: f64, last: f64) -> bool {
    residual <= ELIMINATION * size || residual > 0.25 * last
}
