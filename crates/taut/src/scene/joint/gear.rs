//! Gear: q₁ − ratio·q₂ − offset = 0 for the coordinates (hinge angle, slider
//! travel) of two joints, up to four bodies.

use super::coupling::Coupling;
use crate::slots::JointId;

pub(super) fn coupling(
    first: JointId,
    second: JointId,
    ratio: f64,
    offset: Option<f64>,
) -> Coupling {
    Coupling { terms: [Some((first, 1.0)), Some((second, -ratio)), None], offset }
}
