//! Shapes, as `{"box": {"half_extents": [1, 1, 1]}}`.

use super::{UPRIGHT, wxyz};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use taut::math::Quat;

/// A shape in its own frame. Lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A ball around the origin.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// A box around the origin.
    Box {
        /// Half its edge lengths.
        half_extents: [f64; 3],
    },
    /// All points within `radius` of a segment on the z axis.
    Capsule {
        /// Half the distance of the centres of the two caps.
        half_length: f64,
        /// The radius.
        radius: f64,
    },
    /// A cylinder around the z axis.
    Cylinder {
        /// Half its height.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// A cone around the z axis, apex at +z, origin at half height.
    Cone {
        /// Half its height.
        half_height: f64,
        /// The radius of its base.
        radius: f64,
    },
    /// The convex hull of points.
    ConvexHull {
        /// The points; those inside the hull are ignored.
        points: Vec<[f64; 3]>,
    },
    /// All points on one side of a plane through the origin. For fixed bodies.
    HalfSpace {
        /// The outward normal, of any length.
        normal: [f64; 3],
    },
    /// A triangle mesh. Each triangle holds bodies on its front, the side from
    /// which its vertices run counter-clockwise; from behind they pass.
    TriMesh {
        /// The vertices.
        vertices: Vec<[f64; 3]>,
        /// Indices of three vertices each.
        triangles: Vec<[u32; 3]>,
    },
    /// A solid that need not be convex: a closed triangle mesh, wound counter-clockwise seen from outside, that does
    /// not cut itself.
    Sdf {
        /// The vertices.
        vertices: Vec<[f64; 3]>,
        /// Indices of three vertices each.
        triangles: Vec<[u32; 3]>,
    },
    /// Terrain: heights over a rectangular grid centred at the origin, solid
    /// below.
    HeightField {
        /// Heights z, row by row: `heights[j * nx + i]` is at the i-th x and
        /// the j-th y.
        heights: Vec<f64>,
        /// Number of grid points along x, at least 2.
        nx: usize,
        /// Number of grid points along y, at least 2.
        ny: usize,
        /// Extent along x.
        size_x: f64,
        /// Extent along y.
        size_y: f64,
    },
    /// Several convex shapes fixed to one another.
    Compound {
        /// The parts.
        parts: Vec<Part>,
    },
}

/// A part of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its shape, which must be convex.
    pub shape: Shape,
    /// Position in the frame of the compound, in m. Default (0, 0, 0).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation (w, x, y, z) in the frame of the compound.
    /// Default (1, 0, 0, 0).
    #[serde(default = "upright")]
    pub orientation: [f64; 4],
}

impl Part {
    /// A part at a place.
    pub fn new(shape: Shape, position: impl Into<[f64; 3]>, q: Quat) -> Self {
        Part { shape, position: position.into(), orientation: wxyz(q) }
    }
}

impl Shape {
    /// A ball.
    pub fn ball(radius: f64) -> Self {
        Shape::Ball { radius }
    }

    /// A box.
    pub fn cuboid(half_extents: impl Into<[f64; 3]>) -> Self {
        Shape::Box { half_extents: half_extents.into() }
    }

    /// A capsule along z.
    pub fn capsule(half_length: f64, radius: f64) -> Self {
        Shape::Capsule { half_length, radius }
    }

    /// A cylinder along z.
    pub fn cylinder(half_height: f64, radius: f64) -> Self {
        Shape::Cylinder { half_height, radius }
    }
}

fn upright() -> [f64; 4] {
    UPRIGHT
}
