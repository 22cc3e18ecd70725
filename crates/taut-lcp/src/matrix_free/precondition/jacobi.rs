//! Jacobi: P = diag(A + D).
//!
//! **Cost**: nothing to speak of; A is never formed. **Fails** by being slow:
//! the number of iterations grows with the square root of the mass ratio.
//! **Reference**: Ho22 4.

use super::Source;

/// 1/(A + D)ᵢᵢ; rows without diagonal count as one.
pub(super) fn invert(source: &Source, rows: &[u32], inverse: &mut [f64]) {
    for &i in rows {
        let a = source.diagonal[i as usize];
        inverse[i as usize] = if a > 0.0 { 1.0 / a } else { 1.0 };
    }
}
