//! Substructuring by Schur complements, the interface solved with sweeps.
//!
//! **Problem**: boxed rows on bodies, A symmetric positive semidefinite.
//! **Update**: the coupling iteration of `coupling.rs`; the interface by
//! projected Gauss-Seidel with subspace minimization: sweeps choose the index
//! set, a factorization of S_FF solves on it.
//! **Cost** per iteration: see there; all columns of S_Γ are needed, since
//! sweeps move every row.
//! **Convergence**: exact once index sets of interface and subsystems fit each other; that they
//! ever do is not proven, hence the global solve behind it.
//! **Fails** never for good: where coupling does not converge one global
//! solve does it. Matrices without bodies, or with rows that have no
//! compliance, are solved as a whole.
//! **Reference**: Peiret19 alg. 1, 5.1 (Schur-PGS-SM); Silcowitz et al. 2011.

use super::Partition;
use super::coupling::{Choice, Coupling};
use super::interface::Method;
use super::subsystem::Feel;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

const NAME: &str = "schur_pgs_sm";

/// Settings of the method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// How bodies are divided into subsystems. Default: as named by the
    /// problem, else by nested bisection.
    pub partition: Partition,
    /// Coupling iterations before the global solve. Default 50 (Peiret19 stops
    /// at 10).
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { partition: Partition::Named, max_iterations: 50 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        self.partition.validate(NAME)
    }
}

/// The method.
pub struct SchurPgsSm(Coupling);

impl SchurPgsSm {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        SchurPgsSm(Coupling::new(Choice {
            partition: settings.partition,
            max_iterations: settings.max_iterations,
            feel: Feel::Effective,
            method: Method::PgsSm,
            falls_back: true,
            is_flat: false,
        }))
    }
}

impl Solver for SchurPgsSm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        crate::pivoting::accepts_symmetric_boxed(NAME, problem, None)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.0.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.0.run(problem, stop, iterate, probe)
    }
}
