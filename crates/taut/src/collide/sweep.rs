//! Anticipation: where in the coming step do two parts come nearest?
//!
//! A fast body must meet its contacts while the gap is still open, or it
//! enters the obstacle. But the normal of the present moment may be that of
//! an edge the body will pass by, and a contact there would deflect it. So a
//! pair that may move farther than the margin is advanced with its present
//! velocity to the first touch, or else to the nearest approach, and its
//! contacts are generated there (conservative advancement: the distance
//! divided by a bound of the speed along it is a time without contact;
//! Andrews22 2.2 surveys exact methods). The points, fixed to their bodies, are
//! then taken back to the present poses.
//!
//! Fails when impulses change the velocity much within the step, and for bodies
//! that turn far in it: `step::hold` makes up for both.

use super::Motion;
use super::axis::Couple;
use super::convex::{Convex, Core};
use super::impact::{TURN, separation};
use crate::math::{Pose, Quat, Vec3};

// What half and twice of these change: docs/decisions/step-constants.md.

/// Parts nearer than this share of the size count as touching.
const TOUCH: f64 = 1e-4;
/// Least advance, as a share of the thickness: too little to pass.
const LEAST: f64 = 0.1;
/// Most advances from the last sample apart to the touch.
const MOST_REFINED: usize = 8;
/// Most advances.
const MOST: usize = 200;

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

    /// See [`horizon`].
    pub(crate) fn horizon(&self) -> f64 {
        let mut local = self.pose;
        local.translation -= self.motion.pose.translation;
        horizon(self.motion, self.shape.arm(&local), self.shape.size)
    }

    /// Bound of the speed that rotation gives any point of the part.
    fn spin(&self) -> f64 {
        let reach = self.pose.transform_point(self.shape.centre()) - self.motion.pose.translation;
        let radius = reach.length() + self.shape.size + self.shape.centre().length();
        self.motion.angular_velocity.length() * radius
    }
}

/// The motion of a body as far as it moves a part: what is round about an axis through the centre of mass may
/// spin about it. (Contacts of a wheel that rolled by 0.7 rad a step meant nothing in most of it, and it slid over a
/// bump of 5 cm without a kick.) Where the body spins about that axis but for a little, the axis stays within
/// [`TURN`].
pub(crate) fn motion_of(motion: &Motion, shape: &Convex, pose: &Pose) -> Motion {
    let w = motion.angular_velocity;
    let arm = pose.translation - motion.pose.translation;
    let turning = match shape.core {
        Core::Point => Vec3::ZERO,
        Core::Segment { .. } | Core::Cylinder { .. } | Core::Cone { .. } => {
            w.reject_from_normalized(pose.transform_vector(Vec3::Z))
        }
        _ => return *motion,
    };
    let is_centred = arm.cross(w - turning).length() <= 1e-6 * shape.size * w.length();
    let spins = turning.length() <= 0.5 * TURN * w.length();
    let angular_velocity = if is_centred && spins { turning } else { w };
    Motion { angular_velocity, ..*motion }
}

/// How far ahead contacts mean something \[s\]: they are linear, and a body that
/// has turned by more than [`TURN`] is somewhere else. What it meets after that
/// `step::hold` finds. Bodies that cannot be held are looked after all the way.
pub(crate) fn horizon(motion: &Motion, arm: f64, size: f64) -> f64 {
    let w = motion.angular_velocity.length();
    let turns = !motion.is_static && arm > 1e-6 * size;
    if turns && w > 0.0 { TURN / w } else { f64::INFINITY }
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

/// Whether two moving bodies meet so far to the side of where they are that no
/// point now could stand for the place. Then one of them is fast, and
/// `step::hold` leads it there.
pub(crate) fn meet_elsewhere(a: &Moving, b: &Moving, t: f64, normal: Vec3) -> bool {
    let way = (b.motion.velocity - a.motion.velocity) * t;
    let aside = way - normal * normal.dot(way);
    let moves = !a.motion.is_static && !b.motion.is_static;
    moves && aside.length() > 0.5 * a.shape.inner.max(b.shape.inner)
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
    let inner = [a.shape.inner, b.shape.inner].into_iter().filter(|x| *x > 0.0);
    let least = inner.reduce(f64::min).map_or(touch, |inner| LEAST * inner) / speed;
    let mut best = (0.0, f64::INFINITY);
    let mut t = 0.0;
    for _ in 0..MOST {
        let (d, n) = gap(a, b, t);
        // An advance may end inside: the sample before it is the better one.
        // And a pair that slides in parallel is examined where it is.
        if d < best.1 - touch && (d > 0.0 || t == 0.0) {
            best = (t, d);
        }
        if d <= touch {
            return Some(if d <= 0.0 { near_touch(a, b, best, touch, dt) } else { best.0 });
        }
        if t >= dt {
            break;
        }
        let closing = n.dot(a.motion.velocity - b.motion.velocity) + a.spin() + b.spin();
        // Aim at half the touching distance, where the normal is still clear.
        let step = if closing > 0.0 { (d - 0.5 * touch) / closing } else { dt };
        t = (t + step.max(least)).min(dt);
    }
    (best.1 <= margin).then_some(best.0)
}

/// From a time apart nearer to the touch that a least advance went beyond: it decides the normal of
/// an impact. (Newton's method on a distance that is convex for round shapes, so that it does not
/// overshoot.)
fn near_touch(a: &Moving, b: &Moving, (mut t, mut d): (f64, f64), touch: f64, dt: f64) -> f64 {
    for _ in 0..MOST_REFINED {
        if t <= 0.0 || d <= touch || !d.is_finite() {
            break;
        }
        let closing =
            gap(a, b, t).1.dot(a.motion.velocity - b.motion.velocity) + a.spin() + b.spin();
        let next = t + (d - 0.5 * touch) / closing;
        let there = gap(a, b, next).0;
        if !(closing > 0.0 && next < dt && there > 0.0 && there < d) {
            break;
        }
        (t, d) = (next, there);
    }
    t
}

/// Distance and the direction from a to b, in the world; 0 for an overlap.
fn gap(a: &Moving, b: &Moving, t: f64) -> (f64, Vec3) {
    let (pose_a, pose_b) = (a.pose_at(t), b.pose_at(t));
    let couple = Couple { a: a.shape, b: b.shape, pose: pose_a.inv_mul(&pose_b) };
    match separation(&couple.pose, &a.shape.core, &b.shape.core) {
        Some(n) => (couple.separation(n), pose_a.transform_vector(n)),
        None => (0.0, Vec3::ZERO),
    }
}
