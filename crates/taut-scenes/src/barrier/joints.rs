//! Joints of a world as points that coincide, or stay on lines.
//!
//! | joint | points |
//! |---|---|
//! | `ball` | the anchor |
//! | `hinge` | two on its axis |
//! | `weld` | the anchor and three more |
//! | `cylindrical`, one side of which does not move | two stay on the axis |
//! | `slider`, one side of which does not move | the anchor and three more stay on lines along the axis |
//!
//! Others, and joints with limits, motors, springs, passive forces or a strength, are refused.

use taut::math::{Quat, Vec3};
use taut::{BodyId, BodyKind, Error, Frame, Joint, JointId, JointKind, World};
use taut_barrier::System;

use super::wrong;

/// Joints that start open by more than this \[m\] are refused.
const OPEN: f64 = 1e-6;
/// Points of a joint are so far from its anchor \[m\].
const ARM: f64 = 0.1;

pub(super) fn add(
    system: &mut System,
    world: &World,
    ids: &[(BodyId, usize)],
    id: JointId,
    joint: &Joint,
) -> Result<(), Error> {
    let refused = |what: &str| {
        Err(Error::Stepper(format!("contact barrier: joint '{}': {what}", joint.name)))
    };
    let extras = [
        (joint.travel_limits.is_some() || joint.angle_limits.is_some(), "limits"),
        (joint.travel_motor.is_some() || joint.angle_motor.is_some(), "motors"),
        (joint.linear_spring.is_some() || joint.angular_spring.is_some(), "springs"),
        (joint.passive.is_some(), "passive forces"),
        (joint.break_force.is_finite() || joint.break_torque.is_finite(), "a strength"),
    ];
    if let Some((_, what)) = extras.iter().find(|(is_there, _)| *is_there) {
        return refused(&format!("joints with {what} are not taken by barriers"));
    }
    let moving = |frame: Frame| {
        let id = frame.body()?;
        let moves = world.body(id).is_ok_and(|b| b.kind() != BodyKind::Fixed);
        ids.iter().find(|i| i.0 == id && moves).map(|i| i.1)
    };
    let (a, b) = (moving(joint.a), moving(joint.b));
    if a.is_none() && b.is_none() {
        return Ok(());
    }
    let (at, other) = world.joint_anchors(id)?;
    let is_point =
        matches!(joint.kind, JointKind::Ball { .. } | JointKind::Hinge | JointKind::Weld);
    if is_point && at.distance(other) > OPEN {
        return refused(&format!(
            "it starts open by {:.1e} m; barriers take closed joints",
            at.distance(other)
        ));
    }
    let frame = match joint.a.body() {
        Some(id) => world.body(id)?.orientation(),
        None => Quat::IDENTITY,
    };
    let basis = frame * joint.basis_a.unwrap_or(Quat::IDENTITY);
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|e| basis * e);
    let points = |list: &[Vec3]| list.iter().map(|p| p.to_array()).collect::<Vec<_>>();
    let mut on_lines = |list: &[Vec3]| {
        let (Some(body), None) = (b.or(a), a.and(b)) else {
            return refused("of this kind barriers take joints one side of which does not move");
        };
        for point in list {
            for e in [x, y] {
                system.join_line(body, point.to_array(), e.to_array()).map_err(wrong)?;
            }
        }
        Ok(())
    };
    match &joint.kind {
        JointKind::Ball { cone: None } => system.join_points(a, b, &points(&[at])).map_err(wrong),
        JointKind::Hinge => {
            system.join_points(a, b, &points(&[at - ARM * z, at + ARM * z])).map_err(wrong)
        }
        JointKind::Weld => {
            let list = points(&[at, at + ARM * x, at + ARM * y, at + ARM * z]);
            system.join_points(a, b, &list).map_err(wrong)
        }
        JointKind::Cylindrical => on_lines(&[other, other + ARM * z]),
        JointKind::Slider => on_lines(&[other, other + ARM * x, other + ARM * y, other + ARM * z]),
        JointKind::Ball { .. } => refused("ball joints with a cone are not taken by barriers"),
        kind => refused(&format!("joints of the kind {} are not taken by barriers", kind.name())),
    }
}
