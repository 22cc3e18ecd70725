//! Slider: b's anchor stays on the axis of a (two rows whose directions turn
//! with a) and b does not turn against a (rotation vector, three rows). The
//! travel along z is free; limits and motor act on it (Ho22 A.3).

use super::coordinate::Coordinate;
use super::row::RowSink;
use super::{Geometry, Joint};

pub(super) fn rows(joint: &Joint, g: &Geometry, out: &mut RowSink) {
    out.on_axis(g, joint.linear_spring);
    out.no_rotation(g, joint.angular_spring);
    let travel = Coordinate::travel(g);
    travel.rows(8, joint.travel_limits, joint.travel_motor, out);
    travel.passive_rows(joint.passive, out);
}
