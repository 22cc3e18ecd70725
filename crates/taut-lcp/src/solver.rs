//! The interface of every solver, and the one way to call it. [`Session`] is the
//! same with fewer arguments.
//!
//! [`Session`]: crate::Session

use crate::clock::Instant;

use crate::report::Counts;
use crate::{
    Choice, Error, Iterate, Judge, Operator, Outcome, Probe, Problem, Report, RowState, Status,
    Verdict,
};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// A start that is an answer to this share of the tolerance is taken as it is.
const START_TOLERANCE: f64 = 1e-2;
/// With cones the start counts as an answer only at `START_TOLERANCE` of at most this tolerance: looser starts would be kept
/// from step to step while a block that slides drifts, by 1e-8 m/s a step.
const CONE_START: f64 = 1e-9;

/// When to stop.
///
/// ```
/// let stop = taut_lcp::Stop { tolerance: 1e-6, ..Default::default() };
/// assert_eq!(stop.max_iterations, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Relative natural residual to reach. Default 1e-9.
    pub tolerance: f64,
    /// Limit on iterations, as [`Counts::iterations`] counts them; `None`: the solver's own, in its settings. With 0
    /// the start is judged, and nothing else. Sweeps that only choose a start (`bpp`: twenty) are no iterations.
    pub max_iterations: Option<usize>,
}

impl Default for Stop {
    fn default() -> Self {
        Stop { tolerance: 1e-9, max_iterations: None }
    }
}

impl Stop {
    /// What is left of the limit after so many iterations.
    pub(crate) fn after(&self, iterations: usize) -> Stop {
        let left = self.max_iterations.map(|limit| limit.saturating_sub(iterations));
        Stop { max_iterations: left, ..*self }
    }

    fn check(&self) -> Result<(), Error> {
        if self.tolerance.is_finite() && self.tolerance >= 0.0 {
            return Ok(());
        }
        let (value, expected) = (self.tolerance.to_string(), "finite and at least 0");
        Err(Error::Setting { solver: "solve", name: "tolerance", value, expected })
    }
}

/// A method with its memory. Use it through [`solve`].
pub trait Solver: Send + Sync {
    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// Refuses what the method cannot solve, with the reason.
    fn accepts(&self, problem: &Problem) -> Result<(), Error>;

    /// Whether it takes friction boxes whose bounds follow the normal impulse.
    fn takes_following_bounds(&self) -> bool {
        false
    }

    /// Takes up a problem: allocates, and does the symbolic work if the structure is new. It does not know the start; what
    /// depends on that may be left to [`Solver::run`], whose time it then counts in.
    fn prepare(&mut self, problem: &Problem);

    /// Solves from `iterate`, which has its λ, w and set at the right length,
    /// λ within its bounds and w = Aλ + b.
    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome;
}

/// Checks, prepares, runs, and has the answer judged: whatever the solver
/// claims, `Converged` is what the judge calls so. A warm start that is the
/// answer already costs no iteration.
///
/// ```
/// use taut_lcp::solver::solve;
/// use taut_lcp::{Dense, Iterate, Judge, Operator, Problem, SolverConfig, Status, Stop};
/// let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
/// let problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
/// let mut solver = SolverConfig::named("pgs")?.build()?;
/// let mut iterate = Iterate::default();
/// let mut judge = Judge::default();
/// let stop = Stop::default();
/// let report = solve(solver.as_mut(), &problem, &stop, &mut iterate, &mut judge, &mut ())?;
/// assert_eq!(report.status, Status::Converged);
/// assert!((iterate.lambda[0] - 0.5).abs() < 1e-8);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn solve(
    solver: &mut dyn Solver,
    problem: &Problem,
    stop: &Stop,
    iterate: &mut Iterate,
    judge: &mut Judge,
    probe: &mut dyn Probe,
) -> Result<Report, Error> {
    check(solver, problem, stop)?;
    make_start(problem, iterate);
    let warm = iterate.set.len() == problem.rows();
    let t0 = Instant::now();
    let mut verdict = judge.verdict(problem, &iterate.lambda);
    let start = Start::of(problem, stop, &verdict);
    if start == Start::Unsolved {
        solver.prepare(problem);
    }
    let t1 = Instant::now();
    let outcome = match start {
        Start::Answer => {
            settle(problem, iterate);
            Outcome::new(Status::Converged, Counts::default())
        }
        Start::Limit => {
            settle(problem, iterate);
            Outcome::new(Status::IterationLimit, Counts::default())
        }
        Start::Unsolved => {
            iterate.w.copy_from_slice(judge.velocities());
            iterate.subsystems.clear();
            solver.run(problem, stop, iterate, probe)
        }
    };
    let t2 = Instant::now();
    let done = start == Start::Answer;
    if !done {
        verdict = judge.verdict(problem, &iterate.lambda);
    }
    if verdict.converged(stop.tolerance) {
        judge.place(problem, stop.tolerance, &mut iterate.lambda, &mut verdict);
    }
    iterate.w.copy_from_slice(judge.velocities());
    let status = judged(&verdict, stop, outcome.status);
    Ok(Report {
        solver: solver.name(),
        status,
        counts: outcome.counts,
        choice: Choice { warm, done, ..choice(solver, problem, &outcome) },
        verdict,
        softening: outcome.softening.filter(|_| status != Status::Converged),
        prepare_seconds: (t1 - t0).as_secs_f64(),
        run_seconds: (t2 - t1).as_secs_f64(),
    })
}

/// What the start leaves to do.
#[derive(PartialEq)]
enum Start {
    /// Nothing: it is the answer.
    Answer,
    /// Nothing: no iteration is allowed.
    Limit,
    /// All of it.
    Unsolved,
}

impl Start {
    fn of(problem: &Problem, stop: &Stop, verdict: &Verdict) -> Self {
        // Things at rest start from their answer. Only from a good one: the last
        // digits would otherwise add up from step to step.
        let most = if problem.has_cones() { CONE_START } else { f64::INFINITY };
        if verdict.converged(START_TOLERANCE * stop.tolerance.min(most)) {
            Start::Answer
        } else if stop.max_iterations == Some(0) {
            Start::Limit
        } else {
            Start::Unsolved
        }
    }
}

/// Which method ran, on what; not how it started.
fn choice(solver: &dyn Solver, problem: &Problem, outcome: &Outcome) -> Choice {
    Choice {
        method: if outcome.method.is_empty() { solver.name() } else { outcome.method },
        backend: outcome.backend,
        why: outcome.why,
        rows: problem.rows(),
        dofs: match &problem.operator {
            Operator::Multibody(a) => Some(6 * a.body_count()),
            _ => None,
        },
        warm: false,
        done: false,
        counts: outcome.counts,
    }
}

/// Refuses what is no problem, and what the solver does not take.
fn check(solver: &dyn Solver, problem: &Problem, stop: &Stop) -> Result<(), Error> {
    stop.check()?;
    problem.validate()?;
    if problem.has_following_bounds() && !solver.takes_following_bounds() {
        let reason = "bounds follow normal impulses; sweeps and staggering are for those".into();
        return Err(Error::Refused { solver: solver.name(), reason });
    }
    solver.accepts(problem)
}

/// How a solve ended: the judge has the last word on `Converged`.
fn judged(verdict: &Verdict, stop: &Stop, claimed: Status) -> Status {
    match claimed {
        _ if verdict.converged(stop.tolerance) => Status::Converged,
        _ if !verdict.natural_residual.is_finite() => Status::NonFinite,
        Status::Converged => Status::Stalled,
        other => other,
    }
}

/// The index set of a point that has none: rows at a bound are held there, others are free.
pub(crate) fn settle(problem: &Problem, iterate: &mut Iterate) {
    if iterate.set.len() == problem.rows() {
        return;
    }
    iterate.set.clear();
    iterate.set.resize(problem.rows(), RowState::Free);
    for (row, law) in problem.laws_by_row() {
        let (lo, hi) = law.bounds();
        if iterate.lambda[row] <= lo {
            iterate.set[row] = RowState::Lower;
        } else if iterate.lambda[row] >= hi {
            iterate.set[row] = RowState::Upper;
        }
    }
}

/// Brings the iterate to the problem's size and λ inside its bounds: a warm
/// start where the length fits and the values are finite, else zeros.
fn make_start(problem: &Problem, iterate: &mut Iterate) {
    let m = problem.rows();
    iterate.certificate.clear();
    iterate.certificate.reserve(m);
    iterate.set.reserve(m.saturating_sub(iterate.set.len()));
    if iterate.lambda.len() != m || iterate.lambda.iter().any(|l| !l.is_finite()) {
        iterate.lambda.clear();
        iterate.lambda.resize(m, 0.0);
        iterate.set.clear();
    }
    iterate.w.clear();
    iterate.w.resize(m, 0.0);
    problem.clamp(&mut iterate.lambda);
}
