//! Projected Gauss-Seidel.
//!
//! **Problem**: boxed rows, A with positive diagonal.
//! **Update**, row after row: λᵢ ← clamp(λᵢ − wᵢ/Aᵢᵢ, loᵢ, hiᵢ), with wᵢ of
//! the newest λ.
//! **Cost** per iteration: one pass over A (or over J, for multibody
//! problems, whose A is never formed).
//! **Fails**: convergence is linear and stalls on large mass ratios and long
//! chains; the limit needs a symmetric positive semidefinite or a diagonally
//! dominant A.
//! **Reference**: Erleben13 5.2 (mind the sign of N in its splitting:
//! N = −U), Andrews22 3.2.2.

use super::Rows;
use crate::residual::row_residual;
use crate::{Counts, Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop};

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
    lo: Vec<f64>,
    hi: Vec<f64>,
}

impl Pgs {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Pgs { settings, rows: Rows::default(), lo: Vec::new(), hi: Vec::new() }
    }

    /// One sweep; returns the largest natural residual met on the way.
    fn sweep(&mut self, problem: &Problem, lambda: &mut [f64]) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..lambda.len() {
            let w = self.rows.w(problem, lambda, i);
            let (lo, hi, a) = (self.lo[i], self.hi[i], self.rows.diagonal[i]);
            worst = worst.max(row_residual(lambda[i], w, lo, hi, a));
            let next = (lambda[i] - w / a).clamp(lo, hi);
            self.rows.changed(problem, i, next - lambda[i]);
            lambda[i] = next;
        }
        worst
    }
}

impl Solver for Pgs {
    fn name(&self) -> &'static str {
        "pgs"
    }

    fn accepts(&self, _problem: &Problem) -> Result<(), Error> {
        Ok(())
    }

    fn prepare(&mut self, problem: &Problem) {
        problem.bounds(&mut self.lo, &mut self.hi);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.rows.start(problem, &iterate.lambda);
        let tolerance = stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let mut counts = Counts::default();
        while counts.iterations < limit {
            counts.iterations += 1;
            let residual = self.sweep(problem, &mut iterate.lambda);
            probe.iteration(counts.iterations, residual);
            if residual <= tolerance {
                return Outcome::new(Status::Converged, counts);
            }
        }
        Outcome::new(Status::IterationLimit, counts)
    }
}
