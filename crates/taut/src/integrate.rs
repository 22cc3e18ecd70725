//! From velocities to poses.
//!
//! A free body conserves L = I(q)ω, not ω: the orientation is turned with the
//! rate at the middle of the step, ω_m = I(q_m)⁻¹L with q_m = exp(½hω_m)q
//! (implicit midpoint, four fixed-point iterations), and then
//! ω = I(q⁺)⁻¹L. The world angular momentum is exact to rounding, the energy
//! error has no drift. Andrews22 1.10.1 and Ho22 2.1 add the gyroscopic term
//! as an explicit force instead, which conserves neither.

use crate::BodyState;
use crate::math::{Quat, Vec3};
use crate::scene::BodyKind;

/// Moves a body by its velocities over h.
pub(crate) fn advance(body: &mut BodyState, h: f64) {
    body.x += body.v * h;
    if body.w == Vec3::ZERO {
        return;
    }
    if body.body.kind != BodyKind::Dynamic {
        body.q = turned(body.q, body.w, h);
        return;
    }
    let momentum = body.spin();
    let mut rate = body.w;
    for _ in 0..4 {
        let middle = turned(body.q, rate, 0.5 * h);
        rate = body.inverse_inertia_at(middle) * momentum;
    }
    body.q = turned(body.q, rate, h);
    body.w = body.inverse_inertia_at(body.q) * momentum;
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
