//! Gear: q₁ − ratio·q₂ − c₂q₂² − c₃q₂³ − c₄q₂⁴ − offset = 0 for the coordinates (hinge angle, slider
//! travel) of two joints, up to four bodies. The curve is that of a cam; without it the ratio is constant.

use super::coupling::Coupling;
use crate::slots::JointId;

pub(super) fn coupling(
    [first, second]: [JointId; 2],
    ratio: f64,
    curve: [f64; 3],
    offset: Option<f64>,
) -> Coupling {
    let mut coupling = Coupling { curve: curve.map(|c| -c), offset, ..Coupling::default() };
    coupling.terms[..2].copy_from_slice(&[Some((first, 1.0)), Some((second, -ratio))]);
    coupling
}
