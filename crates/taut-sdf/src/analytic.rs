//! Solids whose distance is a formula.

use crate::field::{Field, Sample};
use crate::vector::{Vec3, along, norm, scale, sub, unit};

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Its centre.
    pub centre: Vec3,
    /// Its radius.
    pub radius: f64,
}

impl Field for Ball {
    fn sample(&self, point: Vec3) -> Sample {
        let d = sub(point, self.centre);
        Sample { distance: norm(d) - self.radius, gradient: unit(d) }
    }
}

/// A box around the origin, along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    /// Half its edge lengths.
    pub half_extents: Vec3,
}

impl Field for Cuboid {
    fn sample(&self, point: Vec3) -> Sample {
        let beyond = [0, 1, 2].map(|k| point[k].abs() - self.half_extents[k]);
        let outside = [0, 1, 2].map(|k| beyond[k].max(0.0).copysign(point[k]));
        let distance = norm(outside);
        if distance > 0.0 {
            return Sample { distance, gradient: scale(outside, 1.0 / distance) };
        }
        let k = (0..3).max_by(|&i, &j| beyond[i].total_cmp(&beyond[j])).unwrap_or(0);
        let mut gradient = [0.0; 3];
        gradient[k] = 1.0_f64.copysign(point[k]);
        Sample { distance: beyond[k], gradient }
    }
}

/// A ring around the z axis, at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Torus {
    /// Radius of the circle in the middle of the tube.
    pub ring: f64,
    /// Radius of the tube.
    pub tube: f64,
}

impl Field for Torus {
    fn sample(&self, point: Vec3) -> Sample {
        // The nearest point of the circle; any will do on the axis.
        let around = unit([point[0], point[1], 0.0]);
        let around = if around == [0.0; 3] { [1.0, 0.0, 0.0] } else { around };
        let d = along(point, -self.ring, around);
        Sample { distance: norm(d) - self.tube, gradient: unit(d) }
    }
}
