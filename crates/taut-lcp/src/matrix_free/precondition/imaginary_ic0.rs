//! IC(0) with imaginary columns: a negative pivot is no reason to stop.
//!
//! **Update**: where what is left of a diagonal is negative, its column would
//! be imaginary. Its magnitude is stored, and a sign η = −1 that turns the
//! update of later rows. P = L̃L̃ᴴ = L̂L̂ᵀ, for L̃ = L̂ diag(1 or i).
//! **Cost**: one IC(0), always.
//! **Fails** never, but the more columns are imaginary, the less P is like A.
//! **Reference**: Ho22 alg. 6. Erratum: alg. 7, which applies P⁻¹ with η, is
//! neither symmetric nor definite. η is needed while factoring only; P⁻¹ is
//! two plain triangular solves with the real L̂.

use super::Source;
use super::ic0::LEAST_PIVOT;
use super::triangle::Triangle;
use crate::Sparse;

/// Factors; returns the number of imaginary columns.
pub(super) fn factor(
    l: &mut Triangle,
    source: &Source,
    a: &Sparse,
    rows: &[u32],
    s: &[f64],
) -> usize {
    rows.iter().for_each(|&i| l.load(source, a, s, i as usize, 0.0));
    let mut imaginary = 0;
    for &i in rows {
        let i = i as usize;
        // A pivot of zero, which Ho22 has not met, would break down.
        let least = LEAST_PIVOT * l.diagonal[i];
        let d = l.eliminate(i);
        if d < 0.0 {
            l.eta[i] = -1.0;
            imaginary += 1;
        }
        l.diagonal[i] = d.abs().max(least).sqrt();
    }
    imaginary
}
