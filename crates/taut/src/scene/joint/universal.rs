//! Universal (Cardan) joint: anchors coincide (three rows) and the first axis
//! z_a stays perpendicular to the second, z_b: φ = z_a·z_b, one row. b turns
//! about both axes, and transmits rotation about the third direction.

use super::row::{Row, RowSink};
use super::{Geometry, Joint};

pub(super) fn rows(joint: &Joint, g: &Geometry, out: &mut RowSink) {
    out.anchors(g, joint.linear_spring);
    let row = Row::perpendicular(3, g, g.a.z(), g.b.z());
    out.push(row.spring(joint.angular_spring));
}
