//! Anticipation: where in the coming step do two parts come nearest?
//!
//! A fast body must meet its contacts while the gap is still open, or it
//! enters the obstacle. But the normal of the present moment may be that of
//! an edge the body will pass by, and a contact there would deflect it. So a
//! pair that may move farther than the margin is advanced with its present
//! velocity to the first touch, or else to the nearest approach, and its
//! contacts are generated there (conservative advancement: the distance
//! divided by a bound of the speed is a time without contact; Andrews22 2.2
//! surveys exact methods). The points, fixed to their bodies, are then taken
//! back to the present poses.
//!
//! Fails when forces change the velocity much within the step.

use super::Motion;
use super::convex::Convex;
use crate::math::{Pose, Quat};
use parry3d_f64::query::details::distance_support_map_support_map;

/// Parts nearer than this share of the size count as touching.
const TOUCH: f64 = 1e-4;
/// The step is cut into at most this many pieces.
const PIECES: f64 = 32.0;

/// Relative speed, as a share of the speed, up to which bodies travel together.
const ALIKE: f64 = 0.25;

/// One side of a pair: a convex part, its pose, and the motion of its body.
pub(crate) struct Moving<'a> {
    pub(crate) shape: &'a Convex,
    pub(crate) pose: Pose,
    pub(crate) motion: &'a Motion,
}

impl Moving<'_> {
    /// The pose of the part after the time `t`, at constant velocity.
    pub(crate) fn pose_at(&self, t: f64) -> Pose {
        if t == 0.0 {
            return self.pose;
        }
        let centre = self.motion.pose.translation;
        let turn = Quat::from_scaled_axis(self.motion.angular_velocity * t);
        let arm = self.pose.translation - centre;
        Pose::from_parts(centre + self.motion.velocity * t + turn * arm, turn * self.pose.rotation)
    }

    /// Bound of the speed that rotation gives any point of the part.
    fn spin(&self) -> f64 {
        let reach = self.pose.transform_point(self.shape.centre()) - self.motion.pose.translation;
        let radius = reach.length() + self.shape.size + self.shape.centre().length();
        self.motion.angular_velocity.length() * radius
    }
}

/// Bound of the relative speed of any two points of the parts.
pub(crate) fn speed_bound(a: &Moving, b: &Moving) -> f64 {
    (b.motion.velocity - a.motion.velocity).length() + a.spin() + b.spin()
}

/// Whether two bodies move nearly alike: what one meets, the other is about to.
/// Bodies whose paths cross do not, and must not be stopped where the other
/// has been.
pub(crate) fn travel_together(a: &Motion, b: &Motion) -> bool {
    let fastest = a.velocity.length().max(b.velocity.length());
    let relative = (b.velocity - a.velocity).length();
    !a.is_static && !b.is_static && relative <= ALIKE * fastest && fastest > 0.0
}

/// The time in [0, dt] at which contacts are to be generated; None if the
/// parts do not come nearer than `margin`.
pub(crate) fn contact_time(
    a: &Moving,
    b: &Moving,
    dt: f64,
    margin: f64,
    speed: f64,
) -> Option<f64> {
    if speed * dt <= margin {
        return Some(0.0);
    }
    let touch = TOUCH * a.shape.size.min(b.shape.size);
    let mut best = (0.0, f64::INFINITY);
    let mut t = 0.0;
    loop {
        let d = distance(a, b, t);
        // A piece may end inside: the sample before it is the better one.
        // And a pair that slides in parallel is examined where it is.
        if d < best.1 - touch && (d > 0.0 || t == 0.0) {
            best = (t, d);
        }
        if d <= touch {
            return Some(best.0);
        }
        if t >= dt {
            return (best.1 <= margin).then_some(best.0);
        }
        // Aim at half the touching distance, where the normal is still clear.
        t = (t + ((d - 0.5 * touch) / speed).max(dt / PIECES)).min(dt);
    }
}

fn distance(a: &Moving, b: &Moving, t: f64) -> f64 {
    let pose = a.pose_at(t).inv_mul(&b.pose_at(t));
    let cores = distance_support_map_support_map(&pose, &a.shape.core, &b.shape.core);
    cores - a.shape.radius - b.shape.radius
}
