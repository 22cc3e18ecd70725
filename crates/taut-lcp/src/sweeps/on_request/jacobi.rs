//! Projected Jacobi.
//!
//! **Problem**: boxed rows; A symmetric positive semidefinite, or strictly
//! diagonally dominant. Zero rows are decided by the sign of b.
//! **Update**, all rows at once: λᵢ ← clamp(λᵢ − sᵢwᵢ, loᵢ, hiᵢ) with w of the
//! old λ. The step is sᵢ = θ/Aᵢᵢ with a given damping θ, or by default
//! sᵢ = min(1/Aᵢᵢ, 1.9/Rᵢ), where R bounds A from above:
//! - dense and sparse: Rᵢ = Σⱼ|Aᵢⱼ| (diag(R) − A is diagonally dominant);
//! - multibody: Rᵢ = Cᵢᵢ + Σ over bodies k of nₖ Jᵢₖ Mₖ⁻¹ Jᵢₖᵀ with nₖ rows on
//!   body k, as if each body were split among its rows (|Σ x|² ≤ n Σ |x|²).
//!
//! **Convergence**: linear. A ≤ diag(R) < 2 diag(1/s): projected gradient descent in that
//! metric converges for every semidefinite A; on dominant A it contracts in the
//! maximum norm. θ = 1 is the textbook method, which needs dominance.
//! **Cost** per iteration: one product with A.
//! **Fails**: slower than Gauss-Seidel by a factor of two at best, and by the
//! number of rows a body has at worst; its merit is that rows are independent.
//! With a given θ it may diverge (`NonFinite` or `IterationLimit`).
//! **Reference**: Erleben13 5.2 (mind the sign: N = −(L + U)); Andrews22
//! 3.2.1. The splitting of bodies: Tonge, Benevolenski, Voroshilov 2012.

use super::fixed_point::{self, row_sums};
use super::{Rows, Sweep};
use crate::{Error, Iterate, Multibody, Operator, Outcome, Probe, Problem, Solver, Stop};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Share of the bound that the automatic step uses; 2 is the limit.
const SAFETY: f64 = 1.9;

/// Settings of projected Jacobi.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 10,000.
    pub max_iterations: usize,
    /// The damping θ of every row, above 0 and below 2. Default `None`: as
    /// large as convergence allows, row by row, and at most 1.
    pub damping: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 10_000, damping: None }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        match self.damping {
            Some(theta) if !(theta > 0.0 && theta < 2.0) => Err(Error::Setting {
                solver: "jacobi",
                name: "damping",
                value: theta.to_string(),
                expected: "above 0 and below 2",
            }),
            _ => Ok(()),
        }
    }
}

/// The method.
#[derive(Clone, Debug)]
pub struct Jacobi {
    settings: Settings,
    rows: Rows,
    step: Vec<f64>,
    rows_of_body: Vec<u32>,
}

impl Jacobi {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Jacobi { settings, rows: Rows::default(), step: Vec::new(), rows_of_body: Vec::new() }
    }
}

/// Rᵢ of a multibody system, row by row.
fn split_bound(a: &Multibody, rows_of_body: &mut Vec<u32>, bound: &mut [f64]) {
    rows_of_body.clear();
    rows_of_body.resize(a.body_count(), 0);
    for i in 0..a.rows() {
        a.row(i).0.iter().for_each(|&body| rows_of_body[body as usize] += 1);
    }
    for (i, bound) in bound.iter_mut().enumerate() {
        let (bodies, parts) = a.row(i);
        *bound = a.compliance()[i];
        for (&body, j) in bodies.iter().zip(parts) {
            let t = crate::operator::mul6(a.inverse_mass(body as usize), j);
            let own: f64 = (0..6).map(|k| j[k] * t[k]).sum();
            *bound += f64::from(rows_of_body[body as usize]) * own;
        }
    }
}

impl Solver for Jacobi {
    fn name(&self) -> &'static str {
        "jacobi"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        fixed_point::accept("jacobi", problem, self.settings.damping.unwrap_or(1.0))
    }

    fn takes_following_bounds(&self) -> bool {
        true
    }

    fn prepare(&mut self, problem: &Problem) {
        let m = problem.rows();
        self.step.resize(m, 0.0);
        self.rows.diagonal.resize(m, 0.0);
        problem.operator.diagonal(&mut self.rows.diagonal);
        let diagonal = &self.rows.diagonal;
        if let Some(theta) = self.settings.damping {
            (0..m).for_each(|i| self.step[i] = theta / diagonal[i]);
            return;
        }
        if let Operator::Multibody(a) = &problem.operator {
            split_bound(a, &mut self.rows_of_body, &mut self.step);
        }
        for (i, step) in self.step.iter_mut().enumerate() {
            let bound = row_sums(&problem.operator, i).map_or(*step, |(a, others)| a + others);
            *step = (1.0 / diagonal[i]).min(SAFETY / bound);
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let step = &self.step;
        let sweep = |rows: &mut Rows, lambda: &mut [f64]| {
            let mut seen = Sweep::default();
            rows.all_w(problem, lambda);
            rows.follow_all(lambda);
            for (i, l) in lambda.iter_mut().enumerate() {
                *l = rows.project(i, *l, rows.w[i], step[i], &mut seen);
            }
            seen
        };
        let limit = self.settings.max_iterations;
        fixed_point::run(&mut self.rows, problem, stop, limit, iterate, probe, sweep)
    }
}
