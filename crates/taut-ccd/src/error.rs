//! What is wrong with a query or its options.

/// A mistake of the caller.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A coordinate is NaN, infinite, or so large that its square is.
    #[error(
        "vertex {vertex} has coordinate {value} at the {when} of the motion; coordinates must be finite and below 1e75"
    )]
    Coordinate {
        /// Which of the four vertices, in the order of the query.
        vertex: usize,
        /// "start" or "end".
        when: &'static str,
        /// The coordinate.
        value: f64,
    },
    /// An option is out of range.
    #[error("{name} is {value}; it must be {range}")]
    Option {
        /// The field of [`crate::Options`].
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// The method has no notion of a minimum separation.
    #[error("{0} takes no minimum separation; use tight_inclusion or additive")]
    NoSeparation(&'static str),
}
