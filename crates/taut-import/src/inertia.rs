//! Mass, centre of mass and inertia, and their sums.

use taut::math::{Mat3, Pose, Vec3};

/// Of a body, in some frame: mass \[kg\], centre \[m\], inertia about the centre \[kg·m²\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Inertia {
    pub(crate) mass: f64,
    pub(crate) centre: Vec3,
    pub(crate) matrix: Mat3,
}

impl Inertia {
    pub(crate) const NONE: Inertia = Inertia { mass: 0.0, centre: Vec3::ZERO, matrix: Mat3::ZERO };

    /// With principal moments along the axes of the frame, about its origin.
    pub(crate) fn principal(mass: f64, moments: Vec3) -> Self {
        Inertia { mass, centre: Vec3::ZERO, matrix: Mat3::from_diagonal(moments) }
    }

    /// The same in the frame in which its frame has this pose.
    pub(crate) fn moved(&self, pose: &Pose) -> Self {
        let r = Mat3::from_quat(pose.rotation);
        Inertia {
            mass: self.mass,
            centre: pose.transform_point(self.centre),
            matrix: r * self.matrix * r.transpose(),
        }
    }

    /// Both together.
    pub(crate) fn plus(&self, other: &Inertia) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Inertia { matrix: self.matrix + other.matrix, ..*self };
        }
        let centre = (self.centre * self.mass + other.centre * other.mass) / mass;
        let matrix = self.about(centre) + other.about(centre);
        Inertia { mass, centre, matrix }
    }

    /// The inertia about a point.
    pub(crate) fn about(&self, point: Vec3) -> Mat3 {
        let d = self.centre - point;
        let outer = Mat3::from_cols(d * d.x, d * d.y, d * d.z);
        self.matrix + (Mat3::IDENTITY * d.length_squared() - outer) * self.mass
    }

    /// The same shape with another mass.
    pub(crate) fn with_mass(&self, mass: f64) -> Self {
        let factor = if self.mass > 0.0 { mass / self.mass } else { 0.0 };
        Inertia { mass, centre: self.centre, matrix: self.matrix * factor }
    }
}
