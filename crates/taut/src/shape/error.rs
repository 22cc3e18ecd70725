//! What can be wrong with a shape.

use crate::math::Vec3;
use thiserror::Error;

/// Why a shape cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length must be positive and finite.
    #[error("{shape}: {field} must be positive and finite, but is {value}")]
    NotPositive {
        /// The kind of shape.
        shape: &'static str,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number in a list is NaN or infinite, or a vertex of a mesh is beyond 1e50.
    #[error("{shape}: {field}[{index}] is not finite, or too large")]
    NotFinite {
        /// The kind of shape.
        shape: &'static str,
        /// The list.
        field: &'static str,
        /// Position in the list.
        index: usize,
    },
    /// The half-space normal has no direction.
    #[error("half-space: normal must be finite and not zero, but is {0}")]
    BadNormal(Vec3),
    /// A list is empty.
    #[error("{shape}: {field} is empty")]
    Empty {
        /// The kind of shape.
        shape: &'static str,
        /// The list.
        field: &'static str,
    },
    /// The points do not span a volume.
    #[error("convex hull: the {0} points have no volume (fewer than four, or all in one plane)")]
    FlatHull(usize),
    /// A triangle refers to a vertex that does not exist.
    #[error(
        "triangle mesh: triangles[{triangle}] refers to vertex {vertex}, but there are {count}"
    )]
    BadIndex {
        /// Position of the triangle.
        triangle: usize,
        /// The index.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A triangle has no area.
    #[error("triangle mesh: triangles[{0}] has no area")]
    FlatTriangle(usize),
    /// The number of heights does not match the grid.
    #[error(
        "height field: a grid of {nx} × {ny} needs at least 2 × 2 points and nx·ny heights, but there are {count}"
    )]
    BadGrid {
        /// Points along x.
        nx: usize,
        /// Points along y.
        ny: usize,
        /// Heights given.
        count: usize,
    },
    /// A part of a compound is not convex.
    #[error(
        "compound: parts[{part}] is a {shape}, but parts must be convex; use several colliders instead"
    )]
    BadPart {
        /// Position of the part.
        part: usize,
        /// Its kind.
        shape: &'static str,
    },
    /// A part of a compound is itself invalid.
    #[error("compound: parts[{part}]: {error}")]
    InPart {
        /// Position of the part.
        part: usize,
        /// What is wrong with it.
        error: Box<ShapeError>,
    },
    /// A mesh that bounds no solid.
    #[error("signed distance field: {0}")]
    Solid(taut_sdf::Error),
    /// Mass properties asked of something without a volume.
    #[error("{0} has no volume, and so no mass; give mass and inertia explicitly")]
    NoVolume(&'static str),
    /// Mass properties asked of a mesh that is not closed.
    #[error(
        "triangle mesh: not closed, edge {0}–{1} does not join exactly two triangles wound alike"
    )]
    OpenMesh(u32, u32),
    /// Mass properties asked of a mesh that is inside out.
    #[error("triangle mesh: inside out; wind the triangles counter-clockwise seen from outside")]
    InsideOut,
}
