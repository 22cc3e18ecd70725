//! Six-degree compliant joint: a spring and damper along and about each axis
//! of frame A, for cables, bushings, mounts. Displacements are φᵢ = eᵢ·d with
//! e turning with a; rotations are the components of the rotation vector,
//! so that torque is linear in the angle up to half a turn. A row with
//! neither stiffness nor damping does not exist; one of infinite stiffness is
//! rigid.

use super::row::{Row, RowSink};
use super::{Geometry, Spring};

pub(super) fn rows(g: &Geometry, linear: &[Spring; 3], angular: &[Spring; 3], out: &mut RowSink) {
    for (i, &spring) in linear.iter().enumerate() {
        if exists(spring) {
            out.push(Row::along(i as u8, g, g.a.basis.col(i)).spring(finite(spring)));
        }
    }
    let (v, e) = g.rotation();
    for (i, &spring) in angular.iter().enumerate() {
        if exists(spring) {
            let row = Row { phi: v[i], ..Row::about(3 + i as u8, g, e.row(i)) };
            out.push(row.spring(finite(spring)));
        }
    }
}

fn exists(s: Spring) -> bool {
    s.stiffness > 0.0 || s.damping > 0.0
}

fn finite(s: Spring) -> Option<Spring> {
    s.stiffness.is_finite().then_some(s)
}
