//! Differential: q₁ + q₂ − 2q₀ − offset = 0 for the coordinates of two
//! outputs and the cage between them, up to six bodies.
//!
//! The row's force λ acts with λ on either output and with −2λ on the cage:
//! both outputs get the same torque, half of the cage's, at whatever speeds.

use super::coupling::Coupling;
use crate::slots::JointId;

pub(super) fn coupling(
    cage: JointId,
    first: JointId,
    second: JointId,
    offset: Option<f64>,
) -> Coupling {
    let mut coupling = Coupling { offset, ..Coupling::default() };
    let terms = [Some((first, 1.0)), Some((second, 1.0)), Some((cage, -2.0))];
    coupling.terms[..3].copy_from_slice(&terms);
    coupling
}
