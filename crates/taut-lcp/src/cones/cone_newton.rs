//! Exact Coulomb cones, the default: Newton's method from the last answer, an
//! interior point where that does not settle, a softer problem where neither does.
//!
//! **Problem**: cones (associated or Coulomb's law), boxes and joints; A positive
//! semidefinite, of any rank, symmetric or not.
//! **Update**, stage by stage, until the judge is content:
//! 1. from a warm start, a few proximal Newton steps at δ = 1e-8;
//! 2. the interior point of [`super::cone_ipm`] to 1e-6, then proximal Newton
//!    steps at δ from 1e-4 to 1e-6 (x = R(x − w̃ − δ(x − x_k)), R the law of each
//!    block; Q + P Ã with Q = I − (1 − δ)R′, P = R′ is factored);
//! 3. both again with shorter steps;
//! 4. a continuation: the same problem with a compliance of 1e-3 of each diagonal
//!    in the rows of cones, then a tenth of it and so on, as long as it is solved.
//!    The answer is that of the smallest compliance reached, and
//!    [`Report::softening`](crate::Report) says which; the status is then not
//!    `Converged`.
//!
//! **Cost**: one LU factorization a step, of the bodies' graph (multibody) or of
//! A's pattern. At rest and in steady sliding 1 in all; cold 9 to 35 on FCLIB's
//! files, and some 200 where it ends in stage 4.
//! **Fails**: on jammed impacts of many bodies only a softer problem may be
//! solved. A problem without solution ends as `Stalled`.
//! **Reference**: Alart and Curnier 1991; Rockafellar 1976; De Saxcé and Feng
//! 1998; Acary, Brémond and Huber 2018.

use super::interior::{BRISK, CAREFUL, Interior, Pace};
use super::polish::{NEAR, Plan, Polish, WARM};
use super::system::System;
use crate::solver::settle;
use crate::{Error, Iterate, Outcome, Probe, Problem, Softening, Solver, Status, Stop};

/// Compliances that the continuation goes through, and the most it tries first.
const SOFTEST: f64 = 1e-3;
const STIFFEST: f64 = 1e-9;

/// Settings of the method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations of all stages together; each is one factorization.
    /// Default 1,000.
    pub max_iterations: usize,
    /// Whether to go on with softer problems. Default true.
    pub soften: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 1_000, soften: true }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct ConeNewton {
    settings: Settings,
    system: System,
    interior: Interior,
    polish: Polish,
    /// The best point of the problem as posed, and its residual; the answer of a
    /// softer one.
    best: Vec<f64>,
    residual: f64,
    soft: Vec<f64>,
}

impl ConeNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ConeNewton {
            settings,
            system: System::default(),
            interior: Interior::default(),
            polish: Polish::default(),
            best: Vec::new(),
            residual: f64::INFINITY,
            soft: Vec::new(),
        }
    }
}

impl Solver for ConeNewton {
    fn name(&self) -> &'static str {
        "cone_newton"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::system::accepts("cone_newton", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.system.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let mut run = Run { problem, tolerance: stop.tolerance, limit, probe };
        let is_warm = iterate.lambda.iter().any(|l| *l != 0.0);
        self.set_start(&iterate.lambda);
        let mut solved = is_warm && self.newton(&mut run, &WARM);
        for pace in [BRISK, CAREFUL] {
            solved = solved || self.attempt(&mut run, &pace);
        }
        let mut softening = None;
        if !solved && self.settings.soften {
            softening = self.soften(&mut run);
            self.system.counts.fell_back = true;
        }
        let answer = if softening.is_some() { &self.soft } else { &self.best };
        self.system.model.unscale(problem, answer, &mut iterate.lambda);
        iterate.set.clear();
        settle(problem, iterate);
        let counts = self.system.counts;
        let status = if solved {
            Status::Converged
        } else if counts.iterations >= limit {
            Status::IterationLimit
        } else {
            Status::Stalled
        };
        let outcome = Outcome::new(status, counts);
        Outcome { backend: Some(self.system.backend()), softening, ..outcome }
    }
}

/// What all stages of a run share.
struct Run<'a> {
    problem: &'a Problem,
    tolerance: f64,
    limit: usize,
    probe: &'a mut dyn Probe,
}

impl ConeNewton {
    /// Takes up the start.
    fn set_start(&mut self, lambda: &[f64]) {
        for v in [&mut self.best, &mut self.soft] {
            v.clear();
            v.resize(lambda.len(), 0.0);
        }
        self.residual = f64::INFINITY;
        self.system.model.scaled(lambda, &mut self.best);
        self.polish.start(&self.best);
    }

    /// Newton steps from `polish.x`; whether they solve the problem at hand.
    fn newton(&mut self, run: &mut Run, plan: &Plan) -> bool {
        let left = run.limit.saturating_sub(self.system.counts.iterations);
        let plan = Plan { factorizations: plan.factorizations.min(left), ..*plan };
        self.polish.run(&mut self.system, run.problem, run.tolerance, &plan, run.probe);
        if self.system.compliance == 0.0 && self.polish.residual < self.residual {
            self.residual = self.polish.residual;
            self.best.copy_from_slice(&self.polish.best);
        }
        self.polish.residual <= run.tolerance
    }

    /// Interior point, then Newton steps.
    fn attempt(&mut self, run: &mut Run, pace: &Pace) -> bool {
        let left = run.limit.saturating_sub(self.system.counts.iterations);
        let pace = Pace { max_iterations: pace.max_iterations.min(left), ..*pace };
        self.interior.run(&mut self.system, run.problem, &pace, run.probe);
        self.polish.start(&self.interior.best);
        self.newton(run, &NEAR)
    }

    /// Solves softer problems, down to the smallest compliance that is solved;
    /// `None` if the best point of the problem as posed is the better answer.
    fn soften(&mut self, run: &mut Run) -> Option<Softening> {
        let mut reached = None;
        let mut compliance = SOFTEST;
        while compliance >= STIFFEST {
            self.system.set_compliance(compliance);
            let near = reached.is_some() && {
                self.polish.start(&self.soft);
                self.newton(run, &NEAR)
            };
            if !near && !self.attempt(run, &BRISK) {
                break;
            }
            self.soft.copy_from_slice(&self.polish.best);
            reached = Some(Softening { compliance, relative_residual: self.polish.residual });
            compliance *= 0.1;
        }
        self.system.set_compliance(0.0);
        let reached = reached?;
        // The same answer, as the problem as posed sees it.
        self.polish.start(&self.soft);
        let none = Plan { factorizations: 0, ..NEAR };
        self.polish.run(&mut self.system, run.problem, run.tolerance, &none, run.probe);
        (self.polish.residual < self.residual).then_some(reached)
    }
}
