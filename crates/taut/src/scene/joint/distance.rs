//! Distance joint: with length l = |d| and direction u = d/l, l̇ = u·ḋ, so its
//! rows are point rows along u. A rod (min = max) is one bilateral row; a
//! rope has max − l ≥ 0, a strut l − min ≥ 0, both unilateral and
//! anticipated. Where the anchors coincide u is undefined: the rope row is
//! left out (it cannot act), a rod takes the world's z.

use super::row::{Row, RowSink};
use super::{Geometry, Joint};
use crate::math::Vec3;

pub(super) fn rows(joint: &Joint, g: &Geometry, (min, max): (f64, f64), out: &mut RowSink) {
    let length = g.d.length();
    let u = if length > 1e-12 { g.d / length } else { Vec3::Z };
    if min == max {
        let row = Row { phi: length - max, ..Row::point(0, g, u) };
        out.push(row.spring(joint.linear_spring));
        return;
    }
    if max.is_finite() && length > 1e-12 {
        let row = Row { phi: max - length, ..Row::point(1, g, -u) };
        out.push(row.spring(joint.linear_spring).unilateral());
    }
    if min > 0.0 {
        let row = Row { phi: length - min, ..Row::point(2, g, u) };
        out.push(row.spring(joint.linear_spring).unilateral());
    }
}
