//! What all fields have in common.

use crate::vector::Vec3;

/// A field at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The distance from the surface; negative inside.
    pub distance: f64,
    /// The direction in which it grows, of length 1 (zero where there is none, as in the centre of a ball):
    /// the way out.
    pub gradient: Vec3,
}

/// A signed distance field.
pub trait Field {
    /// The field at a point.
    fn sample(&self, point: Vec3) -> Sample;

    /// The field differs between two points by no more than this times their distance. 1 for exact distances.
    fn lipschitz(&self) -> f64 {
        1.0
    }

    /// The distance alone.
    fn distance(&self, point: Vec3) -> f64 {
        self.sample(point).distance
    }
}
