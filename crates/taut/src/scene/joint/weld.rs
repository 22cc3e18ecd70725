//! Weld: anchors coincide (three rows) and b does not turn against a
//! (rotation vector, three rows).

use super::row::RowSink;
use super::{Geometry, Joint};

pub(super) fn rows(joint: &Joint, g: &Geometry, out: &mut RowSink) {
    out.anchors(g, joint.linear_spring);
    out.no_rotation(g, joint.angular_spring);
}
