//! What is wrong with a mesh, a body or a step.

/// A mistake of the caller.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A mesh that is open, not a manifold, inside out, or has triangles without area.
    #[error(transparent)]
    Mesh(#[from] taut_sdf::Error),
    /// A soft body, or its mesh.
    #[error(transparent)]
    Soft(#[from] taut_soft::Error),
    /// The linear system was refused.
    #[error(transparent)]
    Matrix(#[from] taut_lcp::Error),
    /// A query of continuous collision detection was refused.
    #[error(transparent)]
    Collision(#[from] taut_ccd::Error),
    /// Two surfaces cut each other, or touch, or one is within the other.
    #[error(
        "{a} and {b} intersect or touch, or one is inside the other, near {near:?}: barriers need a gap, and keep what is apart apart"
    )]
    Intersecting {
        /// A body.
        a: String,
        /// Another one, or the same.
        b: String,
        /// Where.
        near: [f64; 3],
    },
    /// A soft body's own features are nearer to each other than the barrier reaches.
    #[error(
        "the barrier reaches {reach} m, but features of {body} are {distance} m apart: take less, or a coarser mesh"
    )]
    Reach {
        /// d̂.
        reach: f64,
        /// The body.
        body: String,
        /// How far.
        distance: f64,
    },
    /// A number out of range.
    #[error("{name} is {value}; it must be {range}")]
    Number {
        /// Which number.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A body that is not there, or of another kind.
    #[error("body {0} is not there, or is not {1}")]
    Body(usize, &'static str),
}

/// The value, if it is finite and `is_right`.
pub(crate) fn number(
    name: &'static str,
    value: f64,
    range: &'static str,
    is_right: impl Fn(f64) -> bool,
) -> Result<f64, Error> {
    if value.is_finite() && is_right(value) {
        Ok(value)
    } else {
        Err(Error::Number { name, value, range })
    }
}
