//! Minimum-map Newton.
//!
//! **Problem**: boxed and bilateral rows, any A.
//! **Update**: Newton on H(x) = mid(x − hi, y, x − lo) = 0 (for a row with a lower
//! bound min(x − lo, y)), in units where A has a unit diagonal; the step and its
//! safeguards are those of `descent.rs`. A row is either solved for (y = 0) or put to
//! its bound: block pivoting with a line search.
//! **Cost** per iteration: one factorization (A given by its entries), or a GMRES
//! solve (multibody systems, whose A is never formed).
//! **Convergence**: in finitely many steps from near the answer, where A_FF is
//! regular. Erleben13 finds 3 to 5 iterations on fluids of 1,000 cells, and failure
//! on every contact LCP, whose A_FF is singular. Here p is raised a little where that
//! happens, which solves part of them; the rest ends in `LocalMinimum` or `NonDescent`.
//! **Fails**: far from the answer θ has local minima: `LocalMinimum`, `NonDescent`,
//! `Stalled`.
//! **Reference**: Erleben13 5.4, 6; Andrews22 3.3.1.

use super::descent::{Descent, MOST_MEMORY, Options, Place, Row, Smooth};
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Stop};

pub use super::descent::Linear;

/// Settings of minimum-map Newton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on Newton steps. Default 200.
    pub max_iterations: usize,
    /// How linear systems are solved.
    pub linear: Linear,
    /// A step may raise the merit up to the largest of so many before. Default 1:
    /// the merit falls with every step. At most 16.
    pub memory: usize,
    /// Sweeps of Gauss-Seidel before the first step, on symmetric A. Default 0.
    pub sweeps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 200, linear: Linear::Auto, memory: 1, sweeps: 0 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        check_memory("min_map_newton", self.memory)
    }
}

pub(super) fn check_memory(solver: &'static str, memory: usize) -> Result<(), Error> {
    if (1..=MOST_MEMORY).contains(&memory) {
        return Ok(());
    }
    let (value, expected) = (memory.to_string(), "1 to 16");
    Err(Error::Setting { solver, name: "memory", value, expected })
}

/// Refuses what has no boxes.
pub(super) fn accept(solver: &'static str, problem: &Problem) -> Result<(), Error> {
    if problem.has_cones() {
        let reason = "it has Coulomb cones; cone_newton is for those".into();
        return Err(Error::Refused { solver, reason });
    }
    Ok(())
}

/// The method.
pub struct MinMapNewton {
    settings: Settings,
    descent: Descent,
}

impl MinMapNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        MinMapNewton { settings, descent: Descent::default() }
    }

    fn options(&self) -> Options {
        let Settings { max_iterations, linear, memory, sweeps } = self.settings;
        let (smooth, patience) = (Smooth::Never, usize::MAX);
        Options { max_iterations, linear, memory, sweeps, differences: false, smooth, patience }
    }
}

/// mid(x − hi, y, x − lo) and its slopes.
fn min_map(Place { x, y, lo, hi }: Place) -> Row {
    if y >= x - lo {
        Row { h: x - lo, p: 1.0, q: 0.0 }
    } else if y <= x - hi {
        Row { h: x - hi, p: 1.0, q: 0.0 }
    } else {
        Row { h: y, p: 0.0, q: 1.0 }
    }
}

impl Solver for MinMapNewton {
    fn name(&self) -> &'static str {
        "min_map_newton"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        accept("min_map_newton", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        let options = self.options();
        self.descent.prepare(problem, &options);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let options = self.options();
        self.descent.run(problem, stop, &options, iterate, probe, &mut |place, _| min_map(place))
    }
}
