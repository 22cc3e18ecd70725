//! Six-degree compliant joint: a spring and damper along and about each axis
//! of frame A, for cables, bushings, mounts. Displacements are φᵢ = eᵢ·d with
//! e turning with a; rotations are the components of the rotation vector,
//! so that torque is linear in the angle up to half a turn. A row with
//! neither stiffness nor damping does not exist; one of infinite stiffness is
//! rigid.
//!
//! **Dampers about axes.** Where all three are alike they brake the relative angular velocity, in rows of their own, as a damper without a spring does. Else
//! spring and damper share a row, for few rows are wanted where many such joints make a rope, and the damper brakes the rate of the rotation vector: that is the same for
//! small angles, and up to π/2 times as much near half a turn.

use super::row::{Row, RowSink};
use super::{Geometry, Spring};

pub(super) fn rows(g: &Geometry, linear: &[Spring; 3], angular: &[Spring; 3], out: &mut RowSink) {
    for (i, &spring) in linear.iter().enumerate() {
        if exists(spring) {
            out.push(Row::along(i as u8, g, g.a.basis.col(i)).spring(finite(spring)));
        }
    }
    let (v, e) = g.rotation();
    let alike = angular.iter().all(|s| *s == angular[0] && s.stiffness.is_finite());
    for (i, &spring) in angular.iter().enumerate() {
        let row = Row { phi: v[i], ..Row::about(3 + i as u8, g, e.row(i)) };
        let brake = Row { has_position: false, ..Row::about(6 + i as u8, g, g.a.basis.col(i)) };
        if !alike && spring.stiffness > 0.0 {
            out.push(row.spring(finite(spring)));
            continue;
        }
        if spring.stiffness > 0.0 {
            out.push(row.spring(Some(Spring { damping: 0.0, ..spring })));
        }
        if spring.damping > 0.0 {
            out.push(brake.spring(Some(Spring { stiffness: 0.0, ..spring })));
        }
    }
}

fn exists(s: Spring) -> bool {
    s.stiffness > 0.0 || s.damping > 0.0
}

fn finite(s: Spring) -> Option<Spring> {
    s.stiffness.is_finite().then_some(s)
}
