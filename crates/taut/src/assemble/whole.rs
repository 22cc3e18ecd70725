//! Several bodies as if they were one: what they move by as a whole keeps both momenta, whatever becomes of the rest.

use super::Twist;
use crate::BodyState;
use crate::math::{Mat3, Quat, Vec3};

/// Bodies as one.
#[derive(Default)]
pub(crate) struct Whole {
    pub(crate) mass: f64,
    pub(crate) centre: Vec3,
    pub(crate) v: Vec3,
    /// About the centre.
    pub(crate) inertia: Mat3,
    pub(crate) spin: Vec3,
    pub(crate) kinetic: f64,
}

impl Whole {
    /// Of bodies with their places, orientations and velocities.
    pub(crate) fn of<'a>(
        bodies: impl Iterator<Item = (&'a BodyState, Vec3, Quat, Twist)> + Clone,
    ) -> Self {
        let mut all = Whole { inertia: Mat3::ZERO, ..Whole::default() };
        for (b, x, _, (v, _)) in bodies.clone() {
            all.mass += b.mass;
            all.centre += x * b.mass;
            all.v += v * b.mass;
        }
        all.centre /= all.mass;
        all.v /= all.mass;
        for (b, x, q, (v, w)) in bodies {
            let (r, x) = (Mat3::from_quat(q), x - all.centre);
            let own = r * b.inertia * r.transpose();
            let outer = Mat3::from_cols(x * x.x, x * x.y, x * x.z);
            all.inertia += own + (Mat3::IDENTITY * x.length_squared() - outer) * b.mass;
            all.spin += own * w + x.cross((v - all.v) * b.mass);
            all.kinetic += 0.5 * (b.mass * v.length_squared() + w.dot(own * w));
        }
        all
    }

    /// How they move as one, with both of their momenta, and the kinetic energy beside that.
    pub(crate) fn motion(&self) -> Option<(Twist, f64)> {
        let w = self.inertia.inverse() * self.spin;
        let common = 0.5 * (self.mass * self.v.length_squared() + w.dot(self.spin));
        w.is_finite().then_some(((self.v, w), self.kinetic - common))
    }
}
