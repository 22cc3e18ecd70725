//! Cylindrical joint: b's anchor stays on the axis of a (two rows) and the
//! axes stay parallel (two rows). Travel along and angle about the axis are
//! free, each with its own limits and motor.

use super::coordinate::Coordinate;
use super::row::RowSink;
use super::{Geometry, Joint};

pub(super) fn rows(joint: &Joint, g: &Geometry, angle: f64, out: &mut RowSink) {
    out.on_axis(g, joint.linear_spring);
    out.axes(g, joint.angular_spring);
    Coordinate::travel(g).rows(8, joint.travel_limits, joint.travel_motor, out);
    let angle = Coordinate::angle(g, angle);
    angle.rows(12, joint.angle_limits, joint.angle_motor, out);
}
