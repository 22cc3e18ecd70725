//! PROX Jacobi: all contacts at once, each moved to its proximal point.
//!
//! **Problem**: cones, bilateral and boxed rows; any A without negative
//! diagonals.
//! **Update**, all blocks at once: λ ← prox(λ − R(Aλ + b)), see
//! `cones/on_request/prox.rs`. The ellipse of the tangents has the size of the new normal
//! impulse, not of the old one as in line 7 of alg. 11: contacts stay independent,
//! and fixed points are the same.
//! **Cost** per iteration: one product with A and a 2×2 problem a contact.
//! **Convergence**: a contraction for R small enough and A definite (Foerg et al.
//! 2006); back-tracking finds how small.
//! **Fails**: many rows on a body need an R as many times smaller, so it is the
//! slowest of the family; its merit is that contacts are independent. A warm start
//! saves little, for R has to be found anew.
//! **Reference**: Andrews22 alg. 11, eq. 227 and 228; Erleben 2017.

use super::blocks;
use super::prox::Prox;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

pub use super::prox::{Factors, Settings};

/// The method.
#[derive(Clone, Debug)]
pub struct ProxJacobi(Prox);

impl ProxJacobi {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ProxJacobi(Prox::new(settings))
    }
}

impl Solver for ProxJacobi {
    fn name(&self) -> &'static str {
        "prox_jacobi"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::rolling::refuse("prox_jacobi", problem)?;
        blocks::accept("prox_jacobi", problem)
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
        self.0.run(problem, stop, iterate, probe, true)
    }
}
