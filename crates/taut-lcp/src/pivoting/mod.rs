//! Methods that look for the index set: exact answers once it is found.
//!
//! What the default runs: `bpp.rs` (the solver, and the loop `Pivoting` below it), `components.rs`, `ladder.rs`, `proximal.rs`, `face.rs`,
//! `condensed.rs`, `monotone.rs`, `certificate.rs`, `last_digits.rs`. Where that gets stuck on small problems, or A is not
//! symmetric: `lemke.rs` on `standard_form.rs`. Only on request: `adaptive.rs` (a setting of `bpp`). Both are in `on_request/`.

pub mod bpp;
pub(crate) mod certificate;
mod components;
mod condensed;
pub(crate) mod face;
pub(crate) mod ladder;
mod last_digits;
pub(crate) mod monotone;
pub(crate) mod proximal;

// What the default does not run, unless it gets stuck: a folder of its own.
#[path = "on_request/adaptive.rs"]
pub mod adaptive;
#[path = "on_request/lemke.rs"]
pub mod lemke;
#[path = "on_request/standard_form.rs"]
mod standard_form;

pub(crate) use components::Components;

use crate::report::Backend;
use crate::{Error, Operator, Problem};

/// Refuses what methods for symmetric boxed problems cannot solve.
pub(crate) fn accepts_symmetric_boxed(
    solver: &'static str,
    problem: &Problem,
    backend: Option<Backend>,
) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::Refused { solver, reason });
    if problem.has_cones() {
        return refuse("it has Coulomb cones; state friction as boxes".into());
    }
    if backend == Some(Backend::Primal) && !matches!(problem.operator, Operator::Multibody(_)) {
        return refuse("the primal backend needs a multibody matrix".into());
    }
    if backend == Some(Backend::Dense) && matches!(problem.operator, Operator::Multibody(_)) {
        return refuse("the dense backend needs a matrix given entry by entry".into());
    }
    if matches!(problem.operator, Operator::General(_)) {
        return refuse("its matrix is stored without symmetry".into());
    }
    if !problem.operator.is_symmetric() {
        return refuse("its matrix is not symmetric".into());
    }
    match problem.operator.negative_diagonal() {
        Some(row) => {
            refuse(format!("its diagonal is negative in row {row}: it is not semidefinite"))
        }
        None => Ok(()),
    }
}
