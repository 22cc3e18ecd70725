//! Hinge: anchors coincide (three point rows) and the axis of b stays
//! perpendicular to x and y of a (two rows); the angle about z is free
//! (Ho22 A.2). Limits and motor act on the angle, which counts turns.

use super::coordinate::Coordinate;
use super::row::RowSink;
use super::{Geometry, Joint};

pub(super) fn rows(joint: &Joint, g: &Geometry, angle: f64, out: &mut RowSink) {
    out.anchors(g, joint.linear_spring);
    out.axes(g, joint.angular_spring);
    let angle = Coordinate::angle(g, angle);
    angle.rows(8, joint.angle_limits, joint.angle_motor, out);
    angle.passive_rows(joint.passive, out);
}
