//! An interior-point method on exact cones, associated or not.
//!
//! **Problem**: cones, boxes and joints, in the scaled form x, y ∈ L (the cone
//! |x_t| ≤ xₙ), x ∘ y = 0, y − h(y_t) eₙ = Ãx + b̃; for Coulomb's law h = |y_t|
//! (De Saxcé's term), for the associated law h = 0, and the problem is convex.
//! **Update**: h is smoothed, √(|y_t|² + ε²) − ε with ε = 0.003 β, d its slope and
//! β = xᵀy a contact. With Nesterov and Todd's scaling N y = N⁻¹x = l and
//! E = I − eₙ(0, dᵀ), a Newton step on x ∘ y = σβe is
//! (Ã + E N⁻²) dx = E N⁻¹c − (Ãx + b̃ + h eₙ − y), dy = N⁻¹c − N⁻²dx;
//! c = −l is Mehrotra's predictor, which chooses σ and the second-order term of
//! the corrector. Afterwards y moves inwards by what h rises above its tangent,
//! so that the equation is met to 1 − a after a step a: without that, walls stall.
//! Boxes have the usual barrier, joints a proximal term of 1e-10; that of cones grows
//! from 1e-12 to 1e-2 while steps are short.
//! Where that ends above the tolerance, but near (1e-3), up to 30 proximal Newton steps (`polish.rs`) give the last digits,
//! as crossover does in [`ipm`](crate::interior::ipm).
//! **Cost** per iteration: one LU factorization (E is not symmetric), two refined
//! solves. 8 to 25 iterations, 60 where contacts jam.
//! **Convergence**: with associated cones as Mehrotra's method for convex programs; with Coulomb's law
//! nothing is proven.
//! **Fails**: the central path of
//! Coulomb's law may fold, then β stalls. It starts from the middle of the cones
//! and gains nothing from a warm start.
//! **Reference**: De Saxcé and Feng 1998; Nesterov and Todd 1997; Mehrotra 1992;
//! Acary, Brémond and Huber 2018 (the laws and other methods).

use super::interior::{BRISK, Interior, NEAR_ENOUGH, Pace};
use super::polish::{FAR, Plan, Polish};
use super::rolling;
use super::system::{MOST_ROWS, System, is_wide};
use crate::solver::settle;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop};

/// Settings of the method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 60.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 60 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct ConeIpm {
    settings: Settings,
    /// For contacts of three rows, and for those with torsion or rolling.
    narrow: Walk<3>,
    wide: Option<Box<Walk<MOST_ROWS>>>,
}

impl ConeIpm {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ConeIpm { settings, narrow: Walk::default(), wide: None }
    }
}

impl Solver for ConeIpm {
    fn name(&self) -> &'static str {
        "cone_ipm"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::system::accepts("cone_ipm", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        if rolling::rolls(problem) {
            return;
        }
        if is_wide(problem) {
            self.wide.get_or_insert_default().prepare(problem);
        } else {
            self.narrow.prepare(problem);
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        if rolling::rolls(problem) {
            return rolling::run(self, problem, stop, iterate, probe);
        }
        match &mut self.wide {
            Some(wide) if is_wide(problem) => {
                wide.run(&self.settings, problem, stop, iterate, probe)
            }
            _ => self.narrow.run(&self.settings, problem, stop, iterate, probe),
        }
    }
}

/// System and point; N: rows of the largest cone.
#[derive(Default)]
struct Walk<const N: usize> {
    system: System<N>,
    interior: Interior<N>,
    polish: Polish,
}

impl<const N: usize> Walk<N> {
    fn prepare(&mut self, problem: &Problem) {
        self.system.prepare(problem);
        self.polish.start(&self.system.model.b); // its memory
    }

    fn run(
        &mut self,
        settings: &Settings,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let limit = stop.max_iterations.unwrap_or(settings.max_iterations);
        let pace = Pace { tolerance: stop.tolerance, max_iterations: limit, ..BRISK };
        self.interior.start(&self.system);
        self.interior.run(&mut self.system, problem, &pace, probe);
        let Walk { system, interior, polish } = self;
        // The last digits: where contacts are redundant or stand between two states, what is inside is as far
        // from the answer as the root of the gap, and the factors end before that does.
        let left = limit.saturating_sub(system.counts.iterations);
        if interior.residual > stop.tolerance && interior.residual <= NEAR_ENOUGH && left > 0 {
            polish.start(&interior.best);
            let plan = Plan { factorizations: left.min(FAR.factorizations), ..FAR };
            polish.run(system, problem, stop.tolerance, &plan, probe);
            if polish.residual < interior.residual {
                interior.residual = polish.residual;
                interior.best.copy_from_slice(&polish.best);
            }
        }
        iterate.set.clear();
        if self.interior.residual.is_finite() {
            self.system.model.unscale(problem, &self.interior.best, &mut iterate.lambda);
        }
        settle(problem, iterate);
        let counts = self.system.counts;
        let status = if self.interior.residual <= stop.tolerance {
            Status::Converged
        } else if counts.iterations >= limit {
            Status::IterationLimit
        } else {
            Status::Stalled
        };
        Outcome { backend: Some(self.system.backend()), ..Outcome::new(status, counts) }
    }
}
