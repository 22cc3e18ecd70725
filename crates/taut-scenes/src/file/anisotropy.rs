//! Friction that depends on the direction along a surface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How friction depends on the direction. Directions are in the body's frame; their part along
/// the surface counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Anisotropy {
    /// An elliptic cone, which is fixed to the surface. Two such surfaces make a matchstick pair.
    Elliptic {
        /// Along the structure: grain, fibres, grooves.
        direction: [f64; 3],
        /// Coefficient along it, at least 0.
        along: f64,
        /// Coefficient across it, at least 0.
        across: f64,
    },
    /// A friction tensor: the force is −λₙ L v̂ with v̂ the direction of slip, L diagonal in the
    /// frame of the direction.
    Tensor {
        /// Forward.
        direction: [f64; 3],
        /// Coefficient of what slides forward over this surface, at least 0.
        forward: f64,
        /// Coefficient of what slides backward, at least 0.
        backward: f64,
        /// Coefficient of what slides sideways, at least 0.
        sideways: f64,
    },
    /// A grid of directions and coefficients of elliptic cones, repeated without end.
    Texture {
        /// A corner of the grid in the body's frame, in m. Default 0.
        #[serde(default)]
        origin: [f64; 3],
        /// The two edges from there, in the body's frame, in m.
        edges: [[f64; 3]; 2],
        /// Cells along the first edge.
        columns: usize,
        /// Angle (rad, from the first edge towards the second), coefficient along and coefficient
        /// across of each cell; along the first edge, then the next row.
        cells: Vec<[f64; 3]>,
    },
}
