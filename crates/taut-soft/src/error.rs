//! What is wrong with a mesh, a material or a step.

/// A mistake of the caller, or a system that cannot be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No elements.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("nodes[{0}] is not finite")]
    Coordinate(usize),
    /// An element refers to a node that is not there, or twice to one.
    #[error("elements[{element}] refers to node {node} twice, or there are only {count} nodes")]
    Index {
        /// Which element.
        element: usize,
        /// The node.
        node: u32,
        /// How many nodes there are.
        count: usize,
    },
    /// An element has no volume.
    #[error("elements[{0}] is degenerate: it has no volume")]
    Degenerate(usize),
    /// An element is inside out.
    #[error(
        "elements[{0}] is inverted: its fourth corner must be on the side of the first three from which they are seen counter-clockwise; a quadratic one may be folded by its middle nodes"
    )]
    Inverted(usize),
    /// A node of no element would have no mass.
    #[error("nodes[{0}] belongs to no tetrahedron")]
    LooseNode(usize),
    /// Three elements share a face, or two that lie on the same side of it.
    #[error("elements[{0}] and elements[{1}] overlap at a face, or share it with a third one")]
    Overlap(usize, usize),
    /// Two quadratic elements share an edge, but not its middle node: a gap opens there.
    #[error("the mesh has a hole: edge {0}–{1} has two different middle nodes")]
    Hole(u32, u32),
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
    /// Nothing would be left of its motion.
    #[error(
        "it is too stiff for its mass: rounding would eat its motion (Young's modulus too large, the density too small, or elements far too flat or small)"
    )]
    TooStiff,
    /// A surface that cannot be filled.
    #[error("the surface cannot be filled: {0}")]
    Surface(String),
    /// A surface in which no tetrahedron of this size fits.
    #[error("the surface is thinner everywhere than tetrahedra of {0} m: take smaller ones")]
    Thin(f64),
    /// A gmsh file that cannot be read.
    #[error("line {line} of the mesh file: {message}")]
    File {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// A node, body or list that does not fit.
    #[error("{what}: {got}, but there are {count}")]
    Range {
        /// What was named.
        what: &'static str,
        /// What it was.
        got: usize,
        /// How many there are.
        count: usize,
    },
    /// The solver refused a matrix or a problem.
    #[error(transparent)]
    Problem(#[from] taut_lcp::Error),
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
