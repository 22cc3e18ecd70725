//! Projected successive over-relaxation.
//!
//! **Problem**: boxed rows; A symmetric positive semidefinite, or diagonally
//! dominant enough for the relaxation: ω Σ|Aᵢⱼ| < min(ω, 2 − ω) Aᵢᵢ (j ≠ i).
//! **Update**, row after row: λᵢ ← clamp(λᵢ − ω wᵢ/Aᵢᵢ, loᵢ, hiᵢ), with wᵢ of
//! the newest λ, 0 < ω < 2; rows ascending, descending, or both in turn. On
//! symmetric A each step lowers the energy ½λᵀAλ + bᵀλ (Erleben13 eq. 58).
//! **Cost** per iteration: one pass over A (or J); two if symmetric.
//! **Convergence**: linear on symmetric semidefinite A with an answer, for every ω in (0, 2) (Luo and Tseng 1992).
//! **Fails**: as [`pgs`](super::pgs), though a good ω halves the iterations;
//! a bad one (near 2) doubles them. What is good depends on the problem: 1.4
//! for the fluid of Erleben13 (figure 4), often 1 for contact.
//! **Reference**: Erleben13 5.3 (Mangasarian's form: relax, then project; b is
//! scaled by ω with the rest, which 5.2 forgets). Andrews22 3.2.3.

use super::{Rows, Sweep, fixed_point};
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

/// The order of rows in a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Direction {
    /// First row to last.
    #[default]
    Forward,
    /// Last row to first.
    Backward,
    /// Forward, then backward: one iteration is two passes.
    Symmetric,
}

/// Settings of projected successive over-relaxation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 10,000.
    pub max_iterations: usize,
    /// The relaxation parameter ω, above 0 and below 2. Default 1.4.
    pub relaxation: f64,
    /// The order of rows. Default forward.
    pub direction: Direction,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 10_000, relaxation: 1.4, direction: Direction::Forward }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        if self.relaxation > 0.0 && self.relaxation < 2.0 {
            return Ok(());
        }
        let (value, expected) = (self.relaxation.to_string(), "above 0 and below 2");
        Err(Error::Setting { solver: "psor", name: "relaxation", value, expected })
    }
}

/// The method.
#[derive(Clone, Debug)]
pub struct Psor {
    settings: Settings,
    rows: Rows,
}

impl Psor {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Psor { settings, rows: Rows::default() }
    }
}

impl Solver for Psor {
    fn name(&self) -> &'static str {
        "psor"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        fixed_point::accept("psor", problem, self.settings.relaxation)
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
        let Settings { max_iterations, relaxation, direction } = self.settings;
        let sweep = |rows: &mut Rows, lambda: &mut [f64]| {
            let mut seen = Sweep::default();
            if direction != Direction::Backward {
                for i in 0..lambda.len() {
                    rows.relax(problem, lambda, i, relaxation, &mut seen);
                }
            }
            if direction != Direction::Forward {
                for i in (0..lambda.len()).rev() {
                    rows.relax(problem, lambda, i, relaxation, &mut seen);
                }
            }
            seen
        };
        fixed_point::run(&mut self.rows, problem, stop, max_iterations, iterate, probe, sweep)
    }
}
