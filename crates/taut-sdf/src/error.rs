//! What is wrong with a mesh or a grid.

/// A mistake of the caller.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// A coordinate is NaN, infinite or beyond 1e75.
    #[error("vertices[{0}] is not finite, or beyond 1e75")]
    Coordinate(usize),
    /// A triangle refers to a vertex that is not there.
    #[error("triangles[{triangle}] refers to vertex {vertex}, but there are {count}")]
    Index {
        /// Which triangle.
        triangle: usize,
        /// The vertex.
        vertex: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// A triangle has no area.
    #[error("triangles[{0}] has no area")]
    Flat(usize),
    /// An edge with a triangle on one side only.
    #[error("the mesh is open: edge {0}–{1} has a triangle on one side only")]
    Open(u32, u32),
    /// An edge of three or more triangles, or of two that are wound against each other.
    #[error(
        "the mesh is not a manifold: edge {0}–{1} joins more than two triangles, or two wound against each other"
    )]
    EdgeNotManifold(u32, u32),
    /// Two parts of the surface that meet in one vertex only.
    #[error("the mesh is not a manifold: parts of it meet in vertex {0} alone")]
    VertexNotManifold(u32),
    /// The triangles are wound clockwise seen from outside.
    #[error(
        "the mesh is inside out, or has no volume; wind the triangles counter-clockwise seen from outside"
    )]
    InsideOut,
    /// Two triangles cut each other.
    #[error("the mesh cuts itself: triangles[{0}] and triangles[{1}]")]
    SelfIntersecting(usize, usize),
    /// A closed part of the mesh lies inside another one and is no hollow in it, or is a hollow in nothing, or both are one.
    #[error(
        "the mesh is no solid: its closed part with triangles[{0}] lies in or on another one and is wound outwards, or in none and is wound inwards"
    )]
    Nested(usize),
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
    /// The grid is too large.
    #[error("a grid of {0} × {1} × {2} points takes more than {limit} numbers near the surface: take larger cells", limit = crate::MAX_SAMPLES)]
    TooLarge(f64, f64, f64),
}
