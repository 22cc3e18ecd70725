//! Projected Gauss-Seidel.
//!
//! **Problem**: boxed rows; A symmetric positive semidefinite, or strictly
//! diagonally dominant. Zero rows are decided by the sign of b.
//! **Update**, row after row: λᵢ ← clamp(λᵢ − wᵢ/Aᵢᵢ, loᵢ, hiᵢ), with wᵢ of
//! the newest λ.
//! Bounds that follow a normal impulse (`Law::FollowingBox`) take its newest value.
//! **Cost** per iteration: one pass over A (or over J, for multibody
//! problems, whose A is never formed).
//! **Convergence**: linear on symmetric semidefinite A with an answer (Luo and Tseng 1992),
//! a contraction on dominant A.
//! **Fails** by being slow: hopeless on large mass ratios
//! and long chains (`IterationLimit`). On an infeasible problem λ grows until
//! the limit, unless a zero row proves it. With bounds that follow, nothing is proven.
//! **Reference**: Erleben13 5.2 (mind the sign of N in its splitting:
//! N = −U), 5.3 for convergence; Andrews22 3.2.2.

use super::{Rows, Sweep, fixed_point};
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

/// Settings of projected Gauss-Seidel.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on sweeps. Default 10,000.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 10_000 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
#[derive(Clone, Debug)]
pub struct Pgs {
    settings: Settings,
    rows: Rows,
}

impl Pgs {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Pgs { settings, rows: Rows::default() }
    }
}

impl Solver for Pgs {
    fn name(&self) -> &'static str {
        "pgs"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        fixed_point::accept("pgs", problem, 1.0)
    }

    fn takes_following_bounds(&self) -> bool {
        true
    }

    fn prepare(&mut self, _problem: &Problem) {}

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let sweep = |rows: &mut Rows, lambda: &mut [f64]| {
            let mut seen = Sweep::default();
            for i in 0..lambda.len() {
                rows.relax(problem, lambda, i, 1.0, &mut seen);
            }
            seen
        };
        let limit = self.settings.max_iterations;
        fixed_point::run(&mut self.rows, problem, stop, limit, iterate, probe, sweep)
    }
}
