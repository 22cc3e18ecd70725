//! Why a command could not run.

use taut_lcp::Error;
use taut_scenes::SceneError;

/// One line of reason, one line of advice.
pub struct Failure {
    pub reason: String,
    pub hint: String,
}

impl Failure {
    pub fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { reason: reason.into(), hint: hint.into() }
    }

    /// Something is wrong with what was to be read.
    pub fn files(reason: impl Into<String>) -> Self {
        let hint = "a problem is a folder with A.mtx, b.mtx, lo.mtx and hi.mtx (and laws.json for \
                    cones; docs/SOLVERS.md), an FCLIB file (.hdf5), or a generated one (taut list)";
        Failure::new(reason, hint)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let hint = match &error {
            Error::UnknownSolver { .. } => "taut list shows what each solver is for",
            Error::Refused { .. } => {
                "choose another one with --solver; taut list shows their limits"
            }
            Error::Setting { .. } => "taut solve --help shows the ranges",
            _ => return Failure::files(error.to_string()),
        };
        Failure::new(error.to_string(), hint)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Failure::new(error.to_string(), "docs/SCENES.md describes scene files, field by field")
    }
}

impl From<taut::Error> for Failure {
    fn from(error: taut::Error) -> Self {
        match error {
            taut::Error::Solver(e) => e.into(),
            taut::Error::Stepper(e) => Failure::new(
                e,
                "docs/CONTACT.md says what barriers take; --contact complementarity takes all",
            ),
            e => Failure::new(e.to_string(), "taut COMMAND --help shows the ranges of options"),
        }
    }
}
