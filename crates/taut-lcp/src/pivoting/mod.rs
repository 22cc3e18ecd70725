//! Methods that look for the index set: exact answers once it is found.

pub mod bpp;
pub mod enumerate;
pub(crate) mod face;
mod monotone;
pub mod murty;
pub(crate) mod proximal;

pub(crate) use monotone::Monotone;

use crate::{Error, Problem};

/// Refuses what methods for symmetric boxed problems cannot solve.
pub(crate) fn accepts_symmetric_boxed(
    solver: &'static str,
    problem: &Problem,
) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::Refused { solver, reason });
    if problem.has_cones() {
        return refuse("it has Coulomb cones; state friction as boxes".into());
    }
    if !problem.operator.is_symmetric() {
        return refuse("its matrix is not symmetric".into());
    }
    let mut diagonal = vec![0.0; problem.rows()];
    problem.operator.diagonal(&mut diagonal);
    match diagonal.iter().position(|a| *a < 0.0) {
        Some(row) => refuse(format!(
            "diagonal entry {} of row {row} is negative, so the matrix is not semidefinite",
            diagonal[row]
        )),
        None => Ok(()),
    }
}
