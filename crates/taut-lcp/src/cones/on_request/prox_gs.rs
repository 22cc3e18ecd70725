//! PROX Gauss-Seidel: contact after contact, each moved to its proximal point.
//!
//! **Problem**: cones, bilateral and boxed rows; any A without negative
//! diagonals.
//! **Update**, block after block: λ_B ← prox(λ_B − R_B(Aλ + b)_B) with the newest
//! λ, see `cones/on_request/prox.rs`.
//! **Cost** per iteration: one pass over A (or J) and a 2×2 problem a contact.
//! **Convergence**: linear where it converges; with blocked factors it is `bgs` with
//! blocks solved by one step, normal before tangents.
//! **Fails**: as `bgs` on large mass ratios and tall stacks (`IterationLimit`).
//! **Reference**: Andrews22 alg. 12, eq. 229; errata: eq. 230 and 231 must read
//! z = λ − R(Jw + b), w ← w + (M⁻¹Jᵀ)Δλ.

use super::blocks;
use super::prox::Prox;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

pub use super::prox::{Factors, Settings};

/// The method.
#[derive(Clone, Debug)]
pub struct ProxGs(Prox);

impl ProxGs {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ProxGs(Prox::new(settings))
    }
}

impl Solver for ProxGs {
    fn name(&self) -> &'static str {
        "prox_gs"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::rolling::refuse("prox_gs", problem)?;
        blocks::accept("prox_gs", problem)
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
        self.0.run(problem, stop, iterate, probe, false)
    }
}
