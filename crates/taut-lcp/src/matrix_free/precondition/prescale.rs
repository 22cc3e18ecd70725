//! Scaling before a factorization: L̂L̂ᵀ ≈ S (A + D) S, P = S⁻¹ L̂L̂ᵀ S⁻¹.
//!
//! Without rounding, IC(0) does not see the scaling; shifts and drop
//! tolerances do: relative to a matrix with unit diagonal they mean the same
//! for a bolt and for a truck. S is folded into the factor, so applying P
//! costs nothing more.
//! **Reference**: Ho22 4.1.6 (called pre-shifting in its title; it says "the
//! inverse of the diagonals", but only their roots keep S A S in scale).

use super::Source;
use crate::Sparse;

/// How a matrix is scaled before it is factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Prescale {
    /// Not at all.
    None,
    /// To a unit diagonal.
    #[default]
    Diagonal,
    /// By the root of each column's Euclidean norm.
    ColumnNorm,
}

/// The diagonal of S for the free rows.
pub(super) fn scale(kind: Prescale, source: &Source, a: &Sparse, rows: &[u32], s: &mut [f64]) {
    for &i in rows {
        let i = i as usize;
        let size = match kind {
            Prescale::None => 1.0,
            Prescale::Diagonal => source.diagonal[i],
            Prescale::ColumnNorm => {
                let (cols, values) = a.row(i);
                let free = cols.iter().zip(values).filter(|(j, _)| source.is_free[**j as usize]);
                free.map(|(_, v)| v * v).sum::<f64>().sqrt()
            }
        };
        s[i] = if size > 0.0 { 1.0 / size.sqrt() } else { 1.0 };
    }
}
