//! Mass, centre of mass and inertia, and their sums.

use taut::math::{Mat3, Pose, Quat, Vec3};

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

    /// This inertia, seen from the frame in which its own frame has this pose.
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

    /// The principal moments, the largest first, and a frame of their axes, by Jacobi's rotations.
    pub(crate) fn principal_axes(&self) -> (Vec3, Quat) {
        let (mut m, mut axes) = (self.matrix, Mat3::IDENTITY);
        // Each sweep squares what is left beside the diagonal.
        for _ in 0..12 {
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let off = m.col(j)[i];
                if off == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * off).atan2(m.col(j)[j] - m.col(i)[i]);
                let (sin, cos) = angle.sin_cos();
                let mut turn = Mat3::IDENTITY;
                turn.col_mut(i)[i] = cos;
                turn.col_mut(j)[j] = cos;
                turn.col_mut(j)[i] = sin;
                turn.col_mut(i)[j] = -sin;
                m = turn.transpose() * m * turn;
                axes *= turn;
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| m.col(*b)[*b].total_cmp(&m.col(*a)[*a]));
        let [x, y, _] = order.map(|k| axes.col(k));
        let moments = Vec3::from(order.map(|k| m.col(k)[k]));
        (moments, Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize())
    }

    /// The same shape with another mass.
    pub(crate) fn with_mass(&self, mass: f64) -> Self {
        let factor = if self.mass > 0.0 { mass / self.mass } else { 0.0 };
        Inertia { mass, centre: self.centre, matrix: self.matrix * factor }
    }
}
