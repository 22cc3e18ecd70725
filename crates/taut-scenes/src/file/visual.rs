//! What viewers show. Nothing here influences the motion.

use super::{Shape, UPRIGHT, wxyz};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use taut::math::Quat;

/// What a surface looks like it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// Without gloss.
    Matt,
    /// Painted metal.
    Paint,
    /// Bare metal.
    Metal,
    /// Black rubber, such as tyres.
    Rubber,
    /// Wood.
    Wood,
    /// Concrete or stone.
    Concrete,
    /// Glass, seen through.
    Glass,
    /// The top of a box of water, with waves that viewers may move.
    Water,
}

/// A shape that is seen and does not collide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Visual {
    /// The shape.
    pub shape: Shape,
    /// Position of its origin in the body's frame, in m. Default (0, 0, 0).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation (w, x, y, z) in the body's frame. Default (1, 0, 0, 0).
    #[serde(default = "upright")]
    pub orientation: [f64; 4],
    /// Its colour, "#rrggbb". Default: the body's, or as its finish is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
    /// What it looks like it is made of. Default: as the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
}

/// Where a viewer looks from at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Camera {
    /// Where the eye is, in m.
    pub eye: [f64; 3],
    /// What it looks at, in m.
    pub target: [f64; 3],
    /// The body that it goes along with. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow: Option<String>,
}

impl Visual {
    /// A shape at the body's origin.
    pub fn new(shape: Shape) -> Self {
        let (position, orientation) = ([0.0; 3], UPRIGHT);
        Visual { shape, position, orientation, colour: None, finish: None }
    }

    /// Sets the position in the body's frame, in m.
    pub fn at(mut self, position: impl Into<[f64; 3]>) -> Self {
        self.position = position.into();
        self
    }

    /// Sets the orientation in the body's frame.
    pub fn oriented(mut self, q: Quat) -> Self {
        self.orientation = wxyz(q);
        self
    }

    /// Sets the colour, "#rrggbb".
    pub fn colour(mut self, colour: impl Into<String>) -> Self {
        self.colour = Some(colour.into());
        self
    }

    /// Sets what it looks like it is made of.
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = Some(finish);
        self
    }
}

fn upright() -> [f64; 4] {
    UPRIGHT
}
