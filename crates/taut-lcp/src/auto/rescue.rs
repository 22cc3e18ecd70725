//! What `auto` does where the method of its choice has no answer: others in turn, the best point kept.

use super::{Auto, Method, Settings};
use crate::cones::cone_admm::{self, ConeAdmm};
use crate::cones::ncp_newton::{self, NcpNewton};
use crate::cones::prox_gs::{self, ProxGs};
use crate::generate::Rng;
use crate::linalg::semidefinite;
use crate::polyhedral::{DIRECTIONS, Polyhedral};
use crate::solver::settle;
use crate::{Counts, Iterate, Judge, Law, Outcome, Probe, Problem, Solver, Status, Stop};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Rows up to which the last resorts are tried: Lemke's method where pivoting is out of the question, and the other
/// methods for cones where `cone_newton` gets stuck.
pub(super) const LARGE: usize = 4000;
/// Other points that small problems are started from where all else fails. (Of 300 bimatrix games
/// of 4 to 18 rows 8 need one; without, they end in a ray.)
const STARTS: u64 = 8;
/// Rows up to which a problem is small in that sense, and for Lemke's method after `bpp`.
const FEW: usize = 300;
/// Random starts of `ncp_newton`, and the number of rows up to which they are tried. (By choice, not by measurement.)
const CONE_STARTS: u64 = 40;
const FEW_CONES: usize = 60;
const CONES_STUCK: &str = "cone_newton got stuck";

/// What every method is given.
pub(super) struct Task<'a> {
    pub(super) problem: &'a Problem,
    pub(super) stop: &'a Stop,
    pub(super) iterate: &'a mut Iterate,
    pub(super) probe: &'a mut dyn Probe,
}

/// What several methods in turn have come to.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) judge: Judge,
    counts: Counts,
    /// The outcome with the best point, that point, and its residual.
    best: Option<Outcome>,
    best_lambda: Vec<f64>,
    best_residual: f64,
    /// Whether Lemke's path ended in a ray.
    is_ray: bool,
}

impl Auto {
    /// A matrix that pivoting is not for, or where it got stuck (`before`): one method after the other. The best
    /// point of all is the answer, and its status that of the method which found it. But where Lemke's path ended in a
    /// ray, that says more; and if A is semidefinite, nothing says more than how pivoting ended, which is for those.
    pub(super) fn run_general(
        &mut self,
        task: &mut Task,
        why: &'static str,
        before: Option<Outcome>,
    ) -> Outcome {
        let problem = task.problem;
        self.tried.begin(task, before);
        // `prepare` has prepared the first of these, where it chose it, and no other.
        let is_prepared = matches!(self.method, Method::General(_));
        // Where pivoting got stuck, nothing but small problems is worth Lemke's tableau.
        let lemke_rows = if before.is_some() { FEW } else { LARGE };
        let methods: [(&mut dyn Solver, usize, bool); 4] = [
            (&mut self.lcp_ipm, usize::MAX, is_prepared),
            (&mut self.fischer_newton, usize::MAX, false),
            (&mut self.lemke, lemke_rows, false),
            (&mut self.enumerate, usize::MAX, false),
        ];
        for (method, most_rows, is_prepared) in methods {
            if problem.rows() > most_rows || method.accepts(problem).is_err() {
                continue;
            }
            if !is_prepared {
                method.prepare(problem);
            }
            if let Some(outcome) = self.tried.run(method, why, task) {
                return outcome;
            }
        }
        put_back(problem, task.iterate, &self.tried.best_lambda);
        let mut last = self.tried.end();
        let is_ray = self.tried.is_ray;
        if is_ray && problem.rows() <= FEW {
            let elsewhere = self.run_from_elsewhere(task, last);
            if elsewhere.status == Status::Converged {
                return elsewhere;
            }
            last.counts = elsewhere.counts;
        }
        if is_ray || before.is_some() && problem.rows() <= FEW {
            last.status = match before {
                Some(before) if is_semidefinite(problem) => before.status,
                _ if is_ray => Status::Ray,
                _ => last.status,
            };
        }
        last
    }

    /// Cones that `cone_newton` gave up on: the other methods for cones in turn, each from nothing. If none of them has
    /// an answer, its own stays, with what it says of softer problems: `tried` has the best of the others then.
    pub(super) fn run_cones(&mut self, task: &mut Task, before: Outcome) -> Outcome {
        let problem = task.problem;
        let own = task.iterate.lambda.clone();
        self.tried.begin(task, Some(before));
        let mut start = vec![0.0; problem.rows()];
        problem.clamp(&mut start);
        let mut newton = NcpNewton::new(ncp_newton::Settings::default());
        if newton.accepts(problem).is_ok() {
            newton.prepare(problem);
            let starts = if problem.rows() <= FEW_CONES { CONE_STARTS } else { 0 };
            for seed in 0..=starts {
                task.iterate.lambda.clone_from(&start);
                if let Some(outcome) = self.tried.run(&mut newton, CONES_STUCK, task) {
                    return outcome;
                }
                scatter(problem, seed, &mut start);
            }
        }
        if let Some(outcome) = self.run_planes(task) {
            return outcome;
        }
        let mut sweeps: [Box<dyn Solver>; 2] = [
            Box::new(ConeAdmm::new(cone_admm::Settings::default())),
            Box::new(ProxGs::new(prox_gs::Settings::default())),
        ];
        for method in &mut sweeps {
            if method.accepts(problem).is_err() {
                continue;
            }
            method.prepare(problem);
            task.iterate.lambda.fill(0.0);
            problem.clamp(&mut task.iterate.lambda);
            if let Some(outcome) = self.tried.run(method.as_mut(), CONES_STUCK, task) {
                return outcome;
            }
        }
        put_back(problem, task.iterate, &own);
        Outcome { counts: self.tried.counts, ..before }
    }

    /// Friction in planes, which is a linear problem in other words: the methods for those.
    fn run_planes(&mut self, task: &mut Task) -> Option<Outcome> {
        let problem = task.problem;
        let is_linear = |law: &Law| match law.coefficients() {
            Some((mu, associated)) => mu.len() == 1 && !associated,
            None => !law.is_cone(),
        };
        if !problem.laws.iter().all(is_linear) {
            return None;
        }
        let planes = Polyhedral::new(problem, *DIRECTIONS.start()).ok()?;
        let stop = task.stop.after(self.tried.counts.iterations);
        let mut inner = Iterate::from_lambda(vec![0.0; planes.problem().rows()]);
        let mut general = Auto::new(Settings {});
        general.prepare(planes.problem());
        let mut linear = Task {
            problem: planes.problem(),
            stop: &stop,
            iterate: &mut inner,
            probe: &mut *task.probe,
        };
        let outcome = general.run_general(&mut linear, CONES_STUCK, None);
        let tried = &mut self.tried;
        tried.counts.add(&outcome.counts);
        planes.impulses(&inner.lambda, &mut task.iterate.lambda);
        task.iterate.set.clear();
        settle(problem, task.iterate);
        let verdict = tried.judge.verdict(problem, &task.iterate.lambda);
        verdict.converged(stop.tolerance).then_some(Outcome { counts: tried.counts, ..outcome })
    }

    /// `fischer_newton` from other points, none of which need be near an answer.
    fn run_from_elsewhere(&mut self, task: &mut Task, mut last: Outcome) -> Outcome {
        let Task { problem, stop, iterate, probe } = task;
        let best = &self.tried.best_lambda;
        let reach = 1.0 + best.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        for seed in 0..STARTS {
            let left = stop.after(last.counts.iterations);
            if left.max_iterations == Some(0) {
                break;
            }
            let mut rng = Rng::new(seed);
            iterate.lambda.iter_mut().for_each(|l| *l = reach * rng.uniform());
            problem.clamp(&mut iterate.lambda);
            iterate.set.clear();
            let outcome = self.fischer_newton.run(problem, &left, iterate, *probe);
            last.counts.add(&outcome.counts);
            if outcome.status == Status::Converged {
                let (counts, method) = (last.counts, self.fischer_newton.name());
                return Outcome { counts, method, why: last.why, ..outcome };
            }
        }
        put_back(problem, iterate, best);
        last
    }
}

impl Tried {
    /// Forgets earlier solves. Takes over the outcome of the method that ran `before`, with its point, if one did.
    fn begin(&mut self, task: &Task, before: Option<Outcome>) {
        let lambda = &task.iterate.lambda;
        self.best_residual = f64::INFINITY;
        if before.is_some() {
            self.best_residual = self.judge.verdict(task.problem, lambda).natural_residual;
        }
        self.best_lambda.clone_from(lambda);
        self.counts = before.map_or_else(Default::default, |o| o.counts);
        self.best = before;
        self.is_ray = false;
    }

    /// Runs one more method with what is left of the limit; its outcome, if that is an answer or a proof. Else
    /// the better point is kept.
    fn run(
        &mut self,
        method: &mut dyn Solver,
        why: &'static str,
        task: &mut Task,
    ) -> Option<Outcome> {
        let Task { problem, stop, iterate, probe } = task;
        let stop = stop.after(self.counts.iterations);
        if stop.max_iterations == Some(0) {
            return None;
        }
        // Of another method's point; those that say which rows are free write their own.
        iterate.set.clear();
        let outcome = method.run(problem, &stop, iterate, *probe);
        self.counts.add(&outcome.counts);
        self.counts.fell_back |= self.best.is_some();
        let mut outcome = Outcome { method: method.name(), why, ..outcome };
        let verdict = self.judge.verdict(problem, &iterate.lambda);
        if verdict.converged(stop.tolerance) || outcome.status == Status::Infeasible {
            return Some(Outcome { counts: self.counts, ..outcome });
        }
        if outcome.status == Status::Converged {
            outcome.status = Status::Stalled; // by the judge's sums
        }
        self.is_ray |= outcome.status == Status::Ray;
        let residual = verdict.natural_residual;
        if self.best.is_none() || residual < self.best_residual {
            (self.best_residual, self.best) = (residual, Some(outcome));
            self.best_lambda.clone_from(&iterate.lambda);
        }
        None
    }

    /// The outcome with the best point.
    fn end(&self) -> Outcome {
        let best = self.best.unwrap_or_else(|| Outcome::new(Status::Stalled, self.counts));
        Outcome { counts: self.counts, ..best }
    }
}

/// λ of another point, and the set that goes with it: what the method tried last left there is not of this one.
fn put_back(problem: &Problem, iterate: &mut Iterate, lambda: &[f64]) {
    iterate.lambda.clear();
    iterate.lambda.extend_from_slice(lambda);
    iterate.set.clear();
    settle(problem, iterate);
}

/// A start somewhere in the cones: normals as large as b would have them, times 1e-1 to 1e1.
fn scatter(problem: &Problem, seed: u64, lambda: &mut [f64]) {
    let mut rng = Rng::new(seed);
    let mut diagonal = vec![0.0; lambda.len()];
    problem.operator.diagonal(&mut diagonal);
    for (i, law) in problem.laws_by_row() {
        let unit = problem.scale() / if diagonal[i] > 0.0 { diagonal[i] } else { 1.0 };
        lambda[i] = unit * 10.0_f64.powf(2.0 * rng.uniform() - 1.0);
        let all = law.coefficients().map_or(&[][..], |(mu, _)| mu);
        for (k, mu) in all.iter().enumerate() {
            let along = (2.0 * rng.uniform() - 1.0) / (all.len() as f64).sqrt();
            lambda[i + 1 + k] = mu * along * lambda[i];
        }
    }
    problem.clamp(lambda);
}

/// Whether A + Aᵀ is semidefinite but for rounding.
fn is_semidefinite(problem: &Problem) -> bool {
    let m = problem.rows();
    let (mut unit, mut column, mut scratch) = (vec![0.0; m], vec![0.0; m], Vec::new());
    let mut a = vec![0.0; m * m];
    for j in 0..m {
        unit[j] = 1.0;
        problem.operator.apply(&unit, &mut column, &mut scratch);
        unit[j] = 0.0;
        for i in 0..m {
            a[i * m + j] += 0.5 * column[i];
            a[j * m + i] += 0.5 * column[i];
        }
    }
    semidefinite::holds(&mut a, m)
}
