//! Projected Gauss-Seidel with subspace minimization (PGS-SM).
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: a few Gauss-Seidel sweeps; then, k_sm times or until no row
//! meets a bound, solve for the rows strictly inside, F, those at their bounds
//! staying there, and project: λ ← clamp(λ + t d), d_F = −A_FF⁻¹ w_F. Where F
//! is right and nothing is projected, λ is exact.
//! **Cost** per iteration: k_pgs passes over A (or J), k_sm factorizations and
//! solves at most.
//! **Convergence**: the energy falls with every sweep and every subspace step, so it is as sure as
//! sweeps; exact as soon as F is right.
//! **Fails**: rows are released by sweeps alone, so that on large piles it is
//! not much faster than they are (`IterationLimit`; Andrews22 3.2.6 says the
//! same). Small systems and joints are its home.
//! **Reference**: Andrews22 alg. 9; Silcowitz et al. 2010; Peiret19 5.1 (k_sm
//! = 1). A set is right where v_L ≥ 0 and v_U ≤ 0; Andrews22 has the
//! signs the other way round. Deviations: t is halved until the energy falls
//! (as printed, t = 1, projection can undo what the sweeps gained, and nothing
//! then says that the method ends); bounds of friction stay frozen (line 13);
//! where A may be singular the subspace has a proximal term around λ, which
//! vanishes at the answer.

use crate::pivoting::face::Face;
use crate::pivoting::monotone::{Monotone, Stride};
use crate::report::Backend;
use crate::sweeps::{Rows, Sweep};
use crate::{
    Counts, Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Status, Stop, pivoting,
};

/// Settings of PGS-SM.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on outer iterations. Default 1,000.
    pub max_iterations: usize,
    /// Sweeps per iteration, k_pgs, at least 1. Default 10.
    pub sweeps: usize,
    /// Subspace solves per iteration, k_sm. Default 5.
    pub subspace_solves: usize,
    /// Form of the linear algebra; `None`: by predicted cost.
    pub backend: Option<Backend>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 1_000, sweeps: 10, subspace_solves: 5, backend: None }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        if self.sweeps > 0 {
            return Ok(());
        }
        let (value, expected) = (self.sweeps.to_string(), "at least 1");
        Err(Error::Setting { solver: "pgs_sm", name: "sweeps", value, expected })
    }
}

/// The method.
pub struct PgsSm {
    settings: Settings,
    rows: Rows,
    face: Face,
    newton: Monotone,
}

impl PgsSm {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        PgsSm {
            face: Face::new(settings.backend, None),
            rows: Rows::default(),
            newton: Monotone::default(),
            settings,
        }
    }

    /// Phase I: returns what the last sweep saw.
    fn sweep(&mut self, problem: &Problem, lambda: &mut [f64]) -> Sweep {
        let mut seen = Sweep::default();
        for _ in 0..self.settings.sweeps {
            seen = Sweep::default();
            for i in 0..lambda.len() {
                self.rows.relax(problem, lambda, i, 1.0, &mut seen);
            }
        }
        seen
    }

    /// Phase II: solves with rows at their bounds held there. Returns the
    /// natural residual; `None` if A cannot be factored.
    fn minimize(&mut self, problem: &Problem, lambda: &mut [f64], tolerance: f64) -> Option<f64> {
        let face = &mut self.face;
        let mut residual = f64::INFINITY;
        for _ in 0..self.settings.subspace_solves {
            for i in 0..lambda.len() {
                face.set[i] = if lambda[i] <= face.lo[i] || face.is_fixed(i) {
                    RowState::Lower
                } else if lambda[i] >= face.hi[i] {
                    RowState::Upper
                } else {
                    RowState::Free
                };
            }
            face.proximal.center.copy_from_slice(lambda);
            face.update_w(problem, lambda);
            let stride = self.newton.step(face, problem, lambda).ok()?;
            residual = self.rows.residual(problem, lambda);
            // No row met a bound, so F would be the same (Andrews22 eq. 168).
            if residual <= tolerance || stride != Stride::Cut {
                break;
            }
        }
        Some(residual)
    }
}

impl Solver for PgsSm {
    fn name(&self) -> &'static str {
        "pgs_sm"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        pivoting::accepts_symmetric_boxed("pgs_sm", problem, self.settings.backend)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.face.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let tolerance = stop.tolerance * problem.scale();
        self.face.start(problem, stop, self.settings.max_iterations, iterate);
        self.rows.start(problem, &iterate.lambda);
        let mut counts = Counts::default();
        let mut status = Status::IterationLimit;
        while counts.iterations < self.face.max_iterations {
            counts.iterations += 1;
            counts.inner += self.settings.sweeps;
            let seen = self.sweep(problem, &mut iterate.lambda);
            let mut residual = self.rows.residual(problem, &iterate.lambda);
            if residual > tolerance && self.settings.subspace_solves > 0 {
                match self.minimize(problem, &mut iterate.lambda, tolerance) {
                    Some(r) => residual = r,
                    None => status = Status::Singular,
                }
            }
            probe.iteration(counts.iterations, residual);
            if residual <= tolerance {
                status = Status::Converged;
            } else if !residual.is_finite() {
                status = Status::NonFinite;
            } else if seen.has_stalled() {
                status = Status::Stalled;
            }
            if status != Status::IterationLimit {
                break;
            }
        }
        counts.factorizations = self.face.counts.factorizations;
        self.face.guess_set(&iterate.lambda);
        iterate.set.clone_from(&self.face.set);
        let free_solve = &self.face.free_solve;
        let (backend, why) = (Some(free_solve.backend()), free_solve.why);
        Outcome { backend, why, ..Outcome::new(status, counts) }
    }
}
