//! Substructuring by Schur complements, the interface solved by pivoting.
//!
//! **Problem**: boxed rows on bodies, A symmetric positive semidefinite.
//! **Update**: the coupling iteration of `coupling.rs`; the interface by
//! block principal pivoting.
//! **Cost** per iteration: see there; the Cholesky factor of S_Γ once per pivot at
//! the interface, from the clusters on that it reaches.
//! **Convergence**: exact once index sets of interface and subsystems fit each other; that they
//! ever do is not proven, hence the global solve behind it.
//! **Fails** never for good: where coupling does not converge one global
//! solve does it. Matrices without bodies, or with rows that have no
//! compliance, are solved as a whole, and so are partitions that multiply the
//! work instead of dividing it.
//! **Reference**: Peiret19 alg. 1, 5.1 (Schur-BPP).

use super::Partition;
use super::coupling::{Choice, Coupling};
use super::interface::Method;
use super::subsystem::Feel;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

const NAME: &str = "schur_bpp";

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
pub struct SchurBpp(Coupling);

impl SchurBpp {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        SchurBpp(Coupling::new(Choice {
            partition: settings.partition,
            max_iterations: settings.max_iterations,
            feel: Feel::Effective,
            method: Method::Bpp,
            falls_back: true,
            is_flat: false,
        }))
    }

    /// A solver whose interface is not nested, for comparison.
    pub fn flat(settings: Settings) -> Self {
        let mut solver = Self::new(settings);
        solver.0.choice.is_flat = true;
        solver
    }

    /// Levels of clusters in which the interface of the last solve was factored;
    /// 0 if the problem was solved as a whole.
    pub fn levels(&self) -> usize {
        self.0.levels()
    }

    /// What the last solve multiplied.
    pub fn work(&self) -> &super::Work {
        self.0.work()
    }
}

impl Solver for SchurBpp {
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
