//! From velocities to poses.
//!
//! Within a step nothing but its impulses acts, and those at its beginning: the
//! centre of mass goes straight, and the body turns as a free one does
//! (`free_rotation`), which keeps the world's angular momentum and the energy
//! exactly. Andrews22 1.10.1 and Ho22 2.1 add the gyroscopic term as an
//! explicit force instead, which keeps neither.

use crate::BodyState;
use crate::math::{Quat, Vec3};
use crate::scene::BodyKind;

/// Moves a body by its velocities over h.
pub(crate) fn advance(body: &mut BodyState, h: f64) {
    if body.is_dynamic() {
        body.x += body.v * h;
        (body.q, body.w) = turn(body, body.w, h);
    } else {
        let (end, velocity) = (body.given_pose(h), body.given(h));
        (body.x, body.q) = end;
        (body.v, body.w) = velocity;
    }
}

/// Orientation and rate of a body that turns on from where it is at the rate w
/// for the time h.
pub(crate) fn turn(body: &BodyState, w: Vec3, h: f64) -> (Quat, Vec3) {
    if w == Vec3::ZERO {
        (body.q, w)
    } else if body.body.kind == BodyKind::Dynamic {
        body.principal.turn(body.q, w, h)
    } else {
        (turned(body.q, w, h), w)
    }
}

/// q turned by the rate w for the time h.
pub(crate) fn turned(q: Quat, w: Vec3, h: f64) -> Quat {
    let half = w * (0.5 * h);
    let angle = half.length();
    let (sin, cos) = angle.sin_cos();
    let k = if angle > 1e-8 { sin / angle } else { 1.0 - angle * angle / 6.0 };
    let v = half * k;
    (Quat::from_xyzw(v.x, v.y, v.z, cos) * q).normalize()
}
