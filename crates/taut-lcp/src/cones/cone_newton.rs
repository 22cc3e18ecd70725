//! Exact Coulomb cones, the default: Newton's method from the last answer, an
//! interior point where that does not settle, a softer problem where neither does.
//!
//! **Problem**: cones (associated or Coulomb's law), boxes and joints; A positive
//! semidefinite, of any rank, symmetric or not.
//! **Update**: from a warm start in which nothing slips, one Cholesky factorization with its states
//! (`recall.rs`): at rest that is all. Else, where few rows have cones or bounds and many are joints, joints are condensed
//! (`condensed.rs`): the stages work on a small dense problem then. Stage by stage
//! (`stages.rs`), until the judge is content:
//! 1. from a warm start, a few proximal Newton steps at a small δ; small problems are tried from
//!    other starts, too;
//! 2. the interior point of [`super::cone_ipm`] to 1e-6, then proximal Newton
//!    steps at δ from 1e-4 on (x = R(x − w̃ − δ(x − x_k)), R the law of each
//!    block; Q + P Ã with Q = I − (1 − δ)R′, P = R′ is factored); small problems from more starts,
//!    large ones from the warm start by long proximal steps, δ from 0.1 on;
//! 3. a continuation: the same problem with a compliance of 1e-3 of each diagonal
//!    in the rows of cones (more if that fails), then a tenth of it and so on, as
//!    long as Newton steps solve it (of condensed problems: the diagonal of what is left); where
//!    that ends, long proximal steps to compliances of 1e-3, 1e-4 and to the problem as posed;
//! 4. where many iterations are left, 2 again with shorter steps;
//! 5. where all of that fails on a few contacts, sweeps of [`super::bgs`].
//!
//! `Solve::run` has the order of all this, `Stages::attempt_all` that of 1 and 2.
//!
//! Where only a compliance ends it, the answer is that of the smallest compliance reached,
//! [`Report::softening`](crate::Report) says which, and the status is not
//! `Converged`.
//!
//! **Cost**: one LU factorization a step, of the bodies' graph (multibody), of
//! A's pattern (also where bodies have few contacts: `system.rs`), or of the closed contacts alone (condensed). At rest and in steady sliding 1 in all; cold 7 to 45 on FCLIB's
//! files, some 80 where it ends in stage 3, 200 in stage 4.
//! **Convergence**: quadratic near answers where no row stands between two states; that the stages get
//! near one is not proven, Coulomb's law being no convex problem (it solves the 19 files of FCLIB measured).
//! **Fails**: on jammed impacts of many bodies only a softer problem may be
//! solved. A problem without solution ends as `Infeasible` where `certificate.rs` finds the proof, else
//! as `Stalled`.
//! **Reference**: Alart and Curnier 1991; Rockafellar 1976; De Saxcé and Feng
//! 1998; Acary, Brémond and Huber 2018.

use super::bgs::{self, Bgs};
use super::blocks::Grouping;
use super::certificate;
use super::condensed::Condensed;
use super::recall::Recall;
use super::rolling;
use super::stages::{End, Run, Stages};
use super::system::{MOST_ROWS, is_wide};
use crate::residual::verdict;
use crate::solver::settle;
use crate::{Counts, Error, Iterate, Outcome, Probe, Problem, Softening, Solver, Status, Stop};

/// Rounds of small problem and joints. (The second makes good what the condensed matrix lacks.)
const ROUNDS: usize = 4;
/// What the small problem is solved to, as a share of the tolerance: joints, which are solved apart, may leave the rest.
const SMALL_SHARE: f64 = 0.8;

/// Problems of at most so many rows are left to sweeps where all stages fail, and how many
/// of them. (Of 9,000 random problems of one to six contacts, with frictions to 30 and masses to 1:1e8, 40 fail
/// without, 21 with sweeps.)
const FEW_ROWS: usize = 60;
const SWEEPS: usize = 500;

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
    narrow: Solve<3>,
    wide: Option<Box<Solve<MOST_ROWS>>>,
}

impl ConeNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ConeNewton { settings, narrow: Solve::default(), wide: None }
    }
}

impl Solver for ConeNewton {
    fn name(&self) -> &'static str {
        "cone_newton"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::system::accepts("cone_newton", problem)
    }

    /// Nothing but memory: what has to be analysed depends on the start. (What rests needs one factorization of
    /// its own, `recall.rs`, and none of what the stages need.) `run` analyses what is new to it.
    fn prepare(&mut self, problem: &Problem) {
        if is_wide(problem) && !rolling::rolls(problem) {
            self.wide.get_or_insert_default();
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
        if is_wide(problem) {
            let wide = self.wide.get_or_insert_default();
            wide.run(&self.settings, problem, stop, iterate, probe)
        } else {
            self.narrow.run(&self.settings, problem, stop, iterate, probe)
        }
    }
}

/// The stages, on the whole problem or on its contacts alone; N: rows of the largest cone.
#[derive(Default)]
struct Solve<const N: usize> {
    recall: Recall,
    condensed: Condensed,
    stages: Stages<N>,
}

impl<const N: usize> Solve<N> {
    fn run(
        &mut self,
        settings: &Settings,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let limit = stop.max_iterations.unwrap_or(settings.max_iterations);
        let (tolerance, may_soften) = (stop.tolerance, settings.soften);
        let lambda = &mut iterate.lambda;
        let (solved, factorizations) = self.recall.run(problem, tolerance, lambda, &iterate.w);
        if solved {
            iterate.set.clear();
            settle(problem, iterate);
            let counts = Counts { iterations: 1, factorizations, ..Counts::default() };
            let outcome = Outcome::new(Status::Converged, counts);
            return Outcome { backend: Some(self.recall.backend()), ..outcome };
        }
        let mut run = Run { problem, tolerance, limit, may_soften, probe };
        let (end, mut counts) = self.run_stages(&mut run, lambda);
        // The factorization of the states that were not the answer.
        counts.iterations += factorizations;
        counts.factorizations += factorizations;
        let (status, softening) = match end {
            End::Solved => (Status::Converged, None),
            End::Unsolved(softening) => {
                let left = limit.saturating_sub(counts.iterations);
                let (status, sweeps) = finish(problem, stop, left, softening, iterate, run.probe);
                counts.iterations += sweeps;
                (status, softening.filter(|_| status != Status::Converged))
            }
        };
        let is_over = status == Status::Stalled && counts.iterations >= limit;
        let status = if is_over { Status::IterationLimit } else { status };
        iterate.set.clear();
        settle(problem, iterate);
        let outcome = Outcome::new(status, counts);
        Outcome { backend: Some(self.stages.system.backend()), softening, ..outcome }
    }

    /// The stages, on the condensed problem where that pays, and on the whole one where it does not or where joints
    /// do not follow. How they ended, and what that took.
    fn run_stages(&mut self, run: &mut Run, lambda: &mut [f64]) -> (End, Counts) {
        let mut before = Counts::default();
        if self.condensed.take(run.problem) {
            self.stages.system.prepare_dense(&self.condensed.small);
            self.stages.reserve();
            let end = self.run_condensed(run, lambda);
            let counts = self.stages.system.counts;
            if let Some(end) = end {
                return (end, counts);
            }
            (before.iterations, before.factorizations) = (counts.iterations, counts.factorizations);
        }
        self.stages.system.prepare(run.problem);
        self.stages.reserve();
        let end = self.stages.run(run, lambda);
        let mut counts = self.stages.system.counts;
        counts.iterations += before.iterations;
        counts.factorizations += before.factorizations;
        (end, counts)
    }

    /// Solves for contacts and joints in turn; `None` where joints do not follow.
    fn run_condensed(&mut self, run: &mut Run, lambda: &mut [f64]) -> Option<End> {
        let Solve { condensed, stages, .. } = self;
        let mut end = End::Unsolved(None);
        for round in 0..=ROUNDS {
            let missing = condensed.settle(run.problem, lambda, run.tolerance);
            let judged = verdict(run.problem, lambda, &condensed.w, &condensed.diagonal);
            if missing > run.tolerance * run.problem.scale() {
                return None;
            }
            let is_answer = judged.natural_residual <= run.tolerance * run.problem.scale();
            if round > 0 && is_answer {
                return Some(End::Solved);
            }
            if round > 0 && !matches!(end, End::Solved) {
                return Some(end);
            }
            if round == ROUNDS {
                break;
            }
            condensed.pose(lambda);
            stages.system.model.set(&condensed.small);
            stages.system.model.judged.clear();
            stages.system.model.judged.extend(condensed.judged());
            stages.system.model.judged_size = run.problem.scale();
            let mut small = Run {
                problem: &condensed.small,
                tolerance: SMALL_SHARE * run.tolerance,
                limit: run.limit,
                may_soften: run.may_soften,
                probe: run.probe,
            };
            end = stages.run(&mut small, &mut condensed.lambda);
            condensed.put(lambda);
        }
        None
    }
}

/// What is left to try where the stages end without an answer: a proof that there is none, and sweeps on few
/// contacts, `left` at most. Converged, infeasible or stalled, and the number of sweeps.
fn finish(
    problem: &Problem,
    stop: &Stop,
    left: usize,
    softening: Option<Softening>,
    iterate: &mut Iterate,
    probe: &mut dyn Probe,
) -> (Status, usize) {
    if certificate::find(problem, softening.is_some(), iterate) {
        return (Status::Infeasible, 0);
    }
    let left = left.min(SWEEPS);
    if left == 0 || !problem.has_cones() || problem.rows() > FEW_ROWS {
        return (Status::Stalled, 0);
    }
    let stop = Stop { max_iterations: Some(left), ..*stop };
    let (solved, sweeps) = sweep(problem, &stop, &mut iterate.lambda, probe);
    (if solved { Status::Converged } else { Status::Stalled }, sweeps)
}

/// Solves by sweeps with an exact solve a contact; whether that is the answer, and how many there were. λ
/// stays as it was if not.
fn sweep(
    problem: &Problem,
    stop: &Stop,
    lambda: &mut [f64],
    probe: &mut dyn Probe,
) -> (bool, usize) {
    // (By law: larger blocks are solved by this method.)
    let mut bgs = Bgs::new(bgs::Settings { grouping: Grouping::Law, ..Default::default() });
    let mut iterate = Iterate::from_lambda(vec![0.0; lambda.len()]);
    bgs.prepare(problem);
    let outcome = bgs.run(problem, stop, &mut iterate, probe);
    let solved = outcome.status == Status::Converged;
    if solved {
        lambda.copy_from_slice(&iterate.lambda);
    }
    (solved, outcome.counts.iterations)
}
