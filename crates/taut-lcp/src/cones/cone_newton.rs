//! Exact Coulomb cones, the default: Newton's method from the last answer, an
//! interior point where that does not settle.

use super::interior::{Interior, Pace};
use super::polish::{Plan, Polish};
use super::system::System;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop};

/// Settings of the method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations of all stages together. Default 1,000.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 1_000 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct ConeNewton {
    settings: Settings,
    system: System,
    interior: Interior,
    polish: Polish,
}

impl ConeNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ConeNewton {
            settings,
            system: System::default(),
            interior: Interior::default(),
            polish: Polish::default(),
        }
    }
}

impl Solver for ConeNewton {
    fn name(&self) -> &'static str {
        "cone_newton"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::system::accepts("cone_newton", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.system.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let v = std::env::var("V").is_ok();
        let pace = Pace::default();
        self.interior.run(&mut self.system, problem, &pace, probe);
        if v {
            println!("ipm {:e} fac {}", self.interior.residual, self.system.counts.factorizations);
        }
        self.polish.start(&self.interior.best);
        let plan = Plan::default();
        self.polish.run(&mut self.system, problem, stop.tolerance, &plan, probe);
        if v {
            println!("pol {:e} fac {}", self.polish.residual, self.system.counts.factorizations);
        }
        iterate.set.clear();
        self.system.model.unscale(problem, &self.polish.best, &mut iterate.lambda);
        let counts = self.system.counts;
        let _ = self.settings.max_iterations;
        Outcome {
            backend: Some(self.system.backend()),
            ..Outcome::new(Status::Stalled, counts)
        }
    }
}
