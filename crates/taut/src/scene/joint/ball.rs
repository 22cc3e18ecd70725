//! Ball joint: p_b − p_a = 0, three point rows (Ho22 A.1).
//!
//! The optional cone keeps the angle θ between the axes z_a and z_b below a
//! maximum: φ = max − θ ≥ 0. With n = z_a×z_b/|z_a×z_b|, θ̇ = ω_rel·n.

use super::row::{Row, RowSink};
use super::{Geometry, Joint};

pub(super) fn rows(joint: &Joint, g: &Geometry, cone: Option<f64>, out: &mut RowSink) {
    out.anchors(g, joint.linear_spring);
    if let Some(max) = cone {
        let normal = g.a.z().cross(g.b.z());
        let sine = normal.length();
        let angle = sine.atan2(g.a.z().dot(g.b.z()));
        // Aligned axes have no direction to turn back to, and need none.
        if sine > 1e-9 {
            let row = Row { phi: max - angle, ..Row::about(6, g, -normal / sine) };
            out.push(row.unilateral());
        }
    }
}
