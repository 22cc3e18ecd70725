//! Force-based coupling of subsystems, for comparison.
//!
//! **Problem**: boxed rows on bodies, A symmetric positive semidefinite.
//! **Update**: the coupling iteration of `coupling.rs` with A_Γ in place
//! of S_Γ: the interface sees the bodies next to it, not what they are part
//! of. That is block Gauss-Seidel with two blocks.
//! **Cost** per iteration: one solve of the interface (its factor stays) and
//! of each subsystem.
//! **Convergence**: linear, as block Gauss-Seidel.
//! **Fails** by being slow: hundreds of iterations are usual where subsystems are stiff and light at the interface.
//! **Reference**: Lacoursière 2007; Peiret19 4.1 and table 1 (FBIC).

use super::Partition;
use super::coupling::{Choice, Coupling};
use super::interface::Method;
use super::subsystem::Feel;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

const NAME: &str = "fbic";

/// Settings of the method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// How bodies are divided into subsystems. Default: as named by the
    /// problem, else by nested bisection.
    pub partition: Partition,
    /// Coupling iterations. Default 250, as Peiret19 table 1.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { partition: Partition::Named, max_iterations: 250 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        self.partition.validate(NAME)
    }
}

/// The method.
pub struct Fbic(Coupling);

impl Fbic {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Fbic(Coupling::new(Choice {
            partition: settings.partition,
            max_iterations: settings.max_iterations,
            feel: Feel::Bare,
            method: Method::Bpp,
            falls_back: false,
            is_flat: false,
        }))
    }
}

impl Solver for Fbic {
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
