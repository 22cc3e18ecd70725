//! Exact Coulomb cones, the default: Newton's method from the last answer, an
//! interior point where that does not settle, a softer problem where neither does.
//!
//! **Problem**: cones (associated or Coulomb's law), boxes and joints; A positive
//! semidefinite, of any rank, symmetric or not.
//! **Update**, stage by stage, until the judge is content:
//! 1. from a warm start, a few proximal Newton steps at a small δ;
//! 2. the interior point of [`super::cone_ipm`] to 1e-6, then proximal Newton
//!    steps at δ from 1e-4 on (x = R(x − w̃ − δ(x − x_k)), R the law of each
//!    block; Q + P Ã with Q = I − (1 − δ)R′, P = R′ is factored);
//! 3. a continuation: the same problem with a compliance of 1e-3 of each diagonal
//!    in the rows of cones (more if that fails), then a tenth of it and so on, as
//!    long as Newton steps solve it;
//! 4. where many iterations are left, 2 again with shorter steps.
//!
//! Where only 3 ends, the answer is that of the smallest compliance reached,
//! [`Report::softening`](crate::Report) says which, and the status is not
//! `Converged`.
//!
//! **Cost**: one LU factorization a step, of the bodies' graph (multibody) or of
//! A's pattern. At rest and in steady sliding 1 in all; cold 7 to 45 on FCLIB's
//! files, some 80 where it ends in stage 3, 200 in stage 4.
//! **Fails**: on jammed impacts of many bodies only a softer problem may be
//! solved. A problem without solution ends as `Stalled`.
//! **Reference**: Alart and Curnier 1991; Rockafellar 1976; De Saxcé and Feng
//! 1998; Acary, Brémond and Huber 2018.

use super::interior::{BRISK, CAREFUL, Interior, Pace};
use super::polish::{FAR, NEAR, Plan, Polish, WARM};
use super::system::{MOST_ROWS, System, is_wide};
use crate::solver::settle;
use crate::{Error, Iterate, Outcome, Probe, Problem, Softening, Solver, Status, Stop};

/// Residuals at which the interior point hands over to Newton steps.
const DEPTHS: [f64; 3] = [1e-6, 1e-8, 1e-10];
/// Compliances that the continuation begins with, and may go through.
const FIRST: f64 = 1e-3;
const SOFTEST: f64 = 0.2;
const STIFFEST: f64 = 1e-9;

/// A residual after warm steps that more of them will bring down: chains of 400 rows end at
/// 3e-8 after five, and need two more.
const CLOSE: f64 = 1e-4;
/// A residual of the interior point that no Newton step brings down (`wall` in collapse).
const HOPELESS: f64 = 1e-3;
/// Iterations that must be left to try the problem as posed once more after softer ones: for
/// those who want its answer whatever it costs. (It saves 2 of 77 such problems of `wall`, 22 of
/// 47 of `rocks`, 5 of 96 of `chain-drop`, for a hundred iterations each.)
const WORTHWHILE: usize = 500;

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
    /// For contacts of three rows, and for those with torsion or rolling.
    narrow: Stages<3>,
    wide: Option<Box<Stages<MOST_ROWS>>>,
    is_wide: bool,
}

impl ConeNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ConeNewton { settings, narrow: Stages::default(), wide: None, is_wide: false }
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
        self.is_wide = is_wide(problem);
        if self.is_wide {
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
        match &mut self.wide {
            Some(wide) if self.is_wide => wide.run(&self.settings, problem, stop, iterate, probe),
            _ => self.narrow.run(&self.settings, problem, stop, iterate, probe),
        }
    }
}

/// All stages; N: rows of the largest cone.
#[derive(Default)]
struct Stages<const N: usize> {
    system: System<N>,
    interior: Interior<N>,
    polish: Polish,
    /// The best point of the problem as posed, and its residual; the answer of a
    /// softer one.
    best: Vec<f64>,
    residual: f64,
    soft: Vec<f64>,
}

impl<const N: usize> Stages<N> {
    fn prepare(&mut self, problem: &Problem) {
        self.system.prepare(problem);
        self.interior.start(&self.system); // its memory, whether it is used or not
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
        let mut run = Run { problem, tolerance: stop.tolerance, limit, probe };
        let is_warm = iterate.lambda.iter().any(|l| *l != 0.0);
        self.set_start(&iterate.lambda);
        let mut solved = is_warm && self.newton(&mut run, &WARM);
        solved = solved || self.residual <= CLOSE && self.go_on(&mut run);
        solved = solved || self.attempt(&mut run, &BRISK);
        let mut softening = None;
        if !solved && settings.soften {
            softening = self.soften(&mut run);
            self.system.counts.fell_back = true;
        }
        if !solved && run.left(&self.system) >= WORTHWHILE && self.attempt(&mut run, &CAREFUL) {
            (solved, softening) = (true, None);
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

impl Run<'_> {
    /// Iterations that are left.
    fn left<const N: usize>(&self, system: &System<N>) -> usize {
        self.limit.saturating_sub(system.counts.iterations)
    }
}

impl<const N: usize> Stages<N> {
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
        let factorizations = plan.factorizations.min(run.left(&self.system));
        let plan = Plan { factorizations, ..*plan };
        self.polish.run(&mut self.system, run.problem, run.tolerance, &plan, run.probe);
        if self.system.compliance == 0.0 && self.polish.residual < self.residual {
            self.residual = self.polish.residual;
            self.best.copy_from_slice(&self.polish.best);
        }
        self.polish.residual <= run.tolerance
    }

    /// More Newton steps from the best point.
    fn go_on(&mut self, run: &mut Run) -> bool {
        self.polish.start(&self.best);
        self.newton(run, &NEAR)
    }

    /// Interior point, then Newton steps; from deeper inside where these fail.
    fn attempt(&mut self, run: &mut Run, pace: &Pace) -> bool {
        self.interior.start(&self.system);
        for tolerance in DEPTHS {
            let max_iterations = pace.max_iterations.min(run.left(&self.system));
            let pace = Pace { tolerance, max_iterations, ..*pace };
            self.interior.run(&mut self.system, run.problem, &pace, run.probe);
            if self.interior.residual > HOPELESS {
                break;
            }
            let is_deep = self.interior.residual <= tolerance;
            self.polish.start(&self.interior.best);
            if self.newton(run, if is_deep { &NEAR } else { &FAR }) {
                return true;
            }
            if !is_deep {
                break;
            }
        }
        false
    }

    /// Solves softer problems, down to the smallest compliance that is solved.
    fn soften(&mut self, run: &mut Run) -> Option<Softening> {
        let mut reached = None;
        let mut compliance = FIRST;
        self.system.set_compliance(compliance);
        while reached.is_none() && compliance <= SOFTEST {
            if self.attempt(run, &BRISK) {
                reached = Some(compliance);
            } else {
                compliance *= 10.0;
                self.system.set_compliance(compliance);
            }
        }
        let mut best = reached.map(|compliance| self.keep_soft(compliance));
        while best.is_some() && compliance > STIFFEST {
            compliance *= 0.1;
            self.system.set_compliance(compliance);
            self.polish.start(&self.soft);
            if !self.newton(run, &NEAR) {
                break;
            }
            best = Some(self.keep_soft(compliance));
        }
        self.system.set_compliance(0.0);
        best
    }

    /// Remembers the answer of a softer problem.
    fn keep_soft(&mut self, compliance: f64) -> Softening {
        self.soft.copy_from_slice(&self.polish.best);
        Softening { compliance, relative_residual: self.polish.residual }
    }
}
