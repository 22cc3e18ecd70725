//! The matrix A of w = Aλ + b, in the form its source has it.

mod block6;
mod dense;
mod facts;
mod general;
mod multibody;
mod passes;
mod rows;
mod sparse;
mod structure;
mod twofold;

pub use block6::{Block3, Block6, Row6};
pub(crate) use block6::{dot6, mul6};
pub use dense::Dense;
pub use general::General;
pub use multibody::Multibody;
pub use sparse::Sparse;

use crate::Error;

/// A dense, sparse (symmetric or not) or multibody matrix.
///
/// A solver may form A, or the primal matrix, or neither.
#[derive(Clone, Debug)]
// A problem has one of it: its size matters to no one, and callers match on what is inside.
#[allow(clippy::large_enum_variant)]
pub enum Operator {
    /// Any square matrix, symmetric or not.
    Dense(Dense),
    /// A sparse symmetric matrix.
    Sparse(Sparse),
    /// A sparse matrix of any kind.
    General(General),
    /// A = J M⁻¹ Jᵀ + C, kept apart.
    Multibody(Multibody),
}

impl Operator {
    /// What it is, in words: "dense", "sparse", "sparse, not symmetric" or "multibody".
    pub fn form(&self) -> &'static str {
        match self {
            Operator::Dense(_) => "dense",
            Operator::Sparse(_) => "sparse",
            Operator::General(_) => "sparse, not symmetric",
            Operator::Multibody(_) => "multibody",
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Operator::Dense(a) => a.rows(),
            Operator::Sparse(a) => a.rows(),
            Operator::General(a) => a.rows(),
            Operator::Multibody(a) => a.rows(),
        }
    }

    /// out = A x. `scratch` is resized as needed and holds nothing of value.
    pub fn apply(&self, x: &[f64], out: &mut [f64], scratch: &mut Vec<f64>) {
        match self {
            Operator::Dense(a) => a.apply(x, out),
            Operator::Sparse(a) => a.apply(x, out),
            Operator::General(a) => a.apply(x, out),
            Operator::Multibody(a) => a.apply(x, out, scratch),
        }
    }

    /// The diagonal of A.
    pub fn diagonal(&self, out: &mut [f64]) {
        match self {
            Operator::Dense(a) => (0..a.rows()).for_each(|i| out[i] = a.get(i, i)),
            Operator::Sparse(a) => (0..a.rows()).for_each(|i| out[i] = a.get(i, i)),
            Operator::General(a) => (0..a.rows()).for_each(|i| out[i] = a.get(i, i)),
            Operator::Multibody(a) => a.diagonal(out),
        }
    }

    /// The first row with a negative diagonal entry, which no semidefinite matrix has.
    pub(crate) fn negative_diagonal(&self) -> Option<usize> {
        match self {
            Operator::Dense(a) => a.negative_diagonal(),
            Operator::Sparse(a) => a.negative_diagonal(),
            Operator::General(a) => a.negative_diagonal(),
            Operator::Multibody(_) => None, // a sum of squares
        }
    }

    /// Whether A equals its transpose to rounding (structurally true for the
    /// sparse and the multibody form).
    pub fn is_symmetric(&self) -> bool {
        match self {
            Operator::Dense(a) => a.is_symmetric(),
            Operator::General(a) => a.is_symmetric(),
            Operator::Sparse(_) | Operator::Multibody(_) => true,
        }
    }

    /// A hash of the positions of the entries, not of their values: while it
    /// stays the same, symbolic work may be reused.
    pub fn pattern_hash(&self) -> u64 {
        match self {
            Operator::Dense(a) => a.rows() as u64,
            Operator::Sparse(a) => a.pattern_hash(),
            Operator::General(a) => a.pattern_hash(),
            Operator::Multibody(a) => a.pattern_hash(),
        }
    }

    /// Checks values, each once until they change; the structure is right by construction.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = match self {
            Operator::Dense(a) => a.not_finite(),
            Operator::Sparse(a) => a.not_finite(),
            Operator::General(a) => a.not_finite(),
            Operator::Multibody(a) => return a.check(),
        };
        bad.map_or(Ok(()), |(row, value)| Err(Error::NotFinite { what: "A", row, value }))
    }
}

/// One step of an order-dependent 64-bit hash (splitmix64's finalizer).
pub(crate) fn mix(h: u64, x: u64) -> u64 {
    let mut z = (h ^ x).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Goes on with a hash of many words, in four chains: a step of one does not
/// wait for that of another.
pub(crate) fn mix_all(h: u64, words: impl Iterator<Item = u64>) -> u64 {
    let mut chains = [h, mix(h, 1), mix(h, 2), mix(h, 3)];
    for (k, word) in words.enumerate() {
        chains[k % 4] = mix(chains[k % 4], word);
    }
    chains.into_iter().fold(h, mix)
}
