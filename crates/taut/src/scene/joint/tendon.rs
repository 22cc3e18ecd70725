//! Tendon: the sum Σ factor·q of the coordinates (hinge angle, slider travel) of up to six joints is a coordinate itself:
//! limits, motor, damping and friction act on it as on that of a hinge, and through it on all of the joints. Equal
//! limits hold it where it is to be. The tendons of a hand, telescopes driven by one chain.

use super::Joint;
use super::coordinate::Coordinate;
use super::coupling::Coupling;
use super::row::{Row, RowSink};
use crate::slots::JointId;

pub(super) fn coupling(terms: &[(JointId, f64)]) -> Coupling {
    let mut coupling = Coupling::default();
    for (own, term) in coupling.terms.iter_mut().zip(terms) {
        *own = Some(*term);
    }
    coupling
}

pub(super) fn rows(joint: &Joint, row: Row, out: &mut RowSink) {
    let sum = Coordinate { value: row.phi, row: Row { phi: 0.0, ..row } };
    sum.rows(8, joint.angle_limits, joint.angle_motor, out);
    sum.passive_rows(joint.passive, out);
}
