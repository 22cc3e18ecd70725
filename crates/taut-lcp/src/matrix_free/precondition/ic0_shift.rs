//! IC(0) of A + γ diag A, γ raised until no pivot is negative.
//!
//! **Cost**: a factorization per attempt. **Fails** to help where γ must be
//! large: then P says little about the directions in which A is soft.
//! **Reference**: Ho22 4.1.2.

use super::Source;
use super::ic0;
use super::triangle::Triangle;
use crate::Sparse;
use crate::linalg::Breakdown;

/// The first γ after none, and what it is multiplied by.
const GAMMAS: (f64, f64) = (1e-4, 4.0);
/// With such a γ every matrix is dominated by its diagonal.
const LARGEST: f64 = 1e5;

pub(super) fn factor(
    l: &mut Triangle,
    source: &Source,
    a: &Sparse,
    rows: &[u32],
    s: &[f64],
) -> Result<(), Breakdown> {
    raise(|shift| {
        rows.iter().for_each(|&i| l.load(source, a, s, i as usize, shift));
        rows.iter().try_for_each(|&i| ic0::row(l, i as usize))
    })
}

/// Tries without a shift, then with larger and larger ones.
pub(super) fn raise(
    mut attempt: impl FnMut(f64) -> Result<(), Breakdown>,
) -> Result<(), Breakdown> {
    let mut shift = 0.0;
    while attempt(shift).is_err() {
        shift = (GAMMAS.1 * shift).max(GAMMAS.0);
        if shift > LARGEST {
            return Err(Breakdown);
        }
    }
    Ok(())
}
