//! The default: picks a method for each problem, and says which and why.
//!
//! **Problem**: whatever one of the methods accepts.
//! **Update**: none of its own. Problems with symmetric A go to [`bpp`], which
//! chooses the form of its linear algebra by counted multiplications and always
//! ends; what made it the choice is measured in BENCHMARKS.md. Other matrices
//! go to [`lemke`].
//! **Cost** and **failures**: those of the method chosen, which
//! [`Report::choice`](crate::Report) names in one line.

use crate::pivoting::bpp::{self, Bpp};
use crate::pivoting::lemke::{self, Lemke};
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

/// Settings of the choice.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {}

impl Settings {
    /// Nothing can be wrong.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The methods to choose from.
pub struct Auto {
    bpp: Bpp,
    lemke: Lemke,
    /// Whether A is not symmetric, which leaves one method.
    skewed: bool,
}

impl Auto {
    /// A solver with these settings.
    pub fn new(_: Settings) -> Self {
        Auto {
            bpp: Bpp::new(bpp::Settings::default()),
            lemke: Lemke::new(lemke::Settings::default()),
            skewed: false,
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        self.bpp.accepts(problem).or_else(|_| self.lemke.accepts(problem)).map_err(|e| match e {
            Error::Refused { reason, .. } => Error::Refused { solver: "auto", reason },
            other => other,
        })
    }

    fn prepare(&mut self, problem: &Problem) {
        self.skewed = self.bpp.accepts(problem).is_err();
        if self.skewed { self.lemke.prepare(problem) } else { self.bpp.prepare(problem) }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        if self.skewed {
            let outcome = self.lemke.run(problem, stop, iterate, probe);
            return Outcome { method: "lemke", why: "the matrix is not symmetric", ..outcome };
        }
        Outcome { method: "bpp", ..self.bpp.run(problem, stop, iterate, probe) }
    }
}
