//! One scene: every frame's problem, solved by every method in turn.

use std::collections::HashMap;

use cpu_time::ThreadTime;
use indicatif::{ProgressBar, ProgressStyle};
use taut_lcp::reference::{Baseline, Oracle, condition_number};
use taut_lcp::solver::solve;
use taut_lcp::{
    Backend, Counts, Iterate, Judge, Law, Problem, RowState, Solver, SolverConfig, Status, Stop,
};
use taut_scenes::file::SceneFile;

use super::figures::SceneFigures;
use super::solver::Chosen;
use crate::failure::Failure;
use crate::scene_input;

/// The condition number is estimated once in so many frames.
const CONDITION_EVERY: usize = 10;
/// The solver whose index set the oracle gets.
const REFERENCE: &str = "bpp";

/// A scene to measure.
pub struct Plan {
    pub name: String,
    pub size: Option<usize>,
    pub file: SceneFile,
    pub frames: usize,
    pub skip: usize,
}

/// One solve.
#[derive(Clone, Copy)]
pub struct Sample {
    pub seconds: f64,
    pub iterations: usize,
    pub inner: usize,
    pub factorizations: usize,
    /// Share of imaginary columns in incomplete factors, where there are any.
    pub imaginary: Option<f64>,
    pub energy_error: f64,
    pub relative_residual: f64,
    pub converged: bool,
    pub fell_back: bool,
}

/// What a frame had, whatever solved it.
pub struct Frame {
    pub number: usize,
    pub rows: usize,
    pub condition: Option<f64>,
    pub oracle: Option<f64>,
}

/// A method, its memory and its record: one entry per frame, `None` where it
/// refused the problem.
pub struct Runner {
    pub name: String,
    pub samples: Vec<Option<Sample>>,
    pub refusal: Option<String>,
    solver: Box<dyn Solver>,
    iterate: Iterate,
    judge: Judge,
}

/// All that was measured of a scene.
pub struct Record {
    pub frames: Vec<Frame>,
    pub baseline: Runner,
    pub runners: Vec<Runner>,
    pub unconverged_steps: usize,
}

/// Steps the scene and measures.
pub fn scene(plan: &Plan, solvers: &[Chosen]) -> Result<SceneFigures, Failure> {
    let mut scene = scene_input::build(&plan.file, &plan.name)?;
    let mut record = Record {
        frames: Vec::new(),
        baseline: Runner::new("baseline", Box::new(Baseline::default())),
        runners: Vec::new(),
        unconverged_steps: 0,
    };
    for chosen in solvers {
        record.runners.push(Runner::new(&chosen.label, chosen.config.build()?));
    }
    let mut oracle = BestOracle::new(solvers)?;
    let mut rows = HashMap::new();
    let bar = progress(plan);
    for number in 1..=plan.skip + plan.frames {
        let report = scene.step()?;
        record.unconverged_steps += usize::from(!report.converged());
        bar.inc(1);
        if number <= plan.skip {
            continue;
        }
        let (problem, keys) = (scene.world.problem()?, scene.world.problem_keys());
        if problem.rows() > 0 {
            record.measure(number, &problem, &keys, &rows, &mut oracle);
        }
        rows = keys.into_iter().enumerate().map(|(i, key)| (key, i)).collect();
    }
    bar.finish_and_clear();
    Ok(SceneFigures::new(plan, &scene, &record))
}

impl Record {
    /// One frame. `before` says where rows were in the frame before.
    fn measure(
        &mut self,
        number: usize,
        problem: &Problem,
        keys: &[u64],
        before: &HashMap<u64, usize>,
        oracle: &mut BestOracle,
    ) {
        self.baseline.solve(problem, keys, before);
        for runner in &mut self.runners {
            runner.solve(problem, keys, before);
        }
        let seconds = oracle.seconds(problem, keys, before, &self.runners);
        let due = self.frames.len().is_multiple_of(CONDITION_EVERY);
        let condition = if due { condition_number(problem) } else { None };
        self.frames.push(Frame { number, rows: problem.rows(), condition, oracle: seconds });
    }
}

impl Runner {
    fn new(label: &str, solver: Box<dyn Solver>) -> Self {
        Runner {
            name: label.into(),
            samples: Vec::new(),
            refusal: None,
            solver,
            iterate: Iterate::default(),
            judge: Judge::default(),
        }
    }

    fn solve(&mut self, problem: &Problem, keys: &[u64], before: &HashMap<u64, usize>) {
        self.iterate = carried(&self.iterate, problem, keys, before);
        let start = ThreadTime::now();
        let (stop, judge) = (Stop::default(), &mut self.judge);
        let result = solve(self.solver.as_mut(), problem, &stop, &mut self.iterate, judge, &mut ());
        let seconds = start.elapsed().as_secs_f64();
        let sample = match result {
            Ok(report) => Some(Sample {
                seconds,
                iterations: report.counts.iterations,
                inner: report.counts.inner,
                factorizations: report.counts.factorizations,
                imaginary: imaginary(&report.counts),
                energy_error: report.verdict.energy_error,
                relative_residual: report.verdict.relative_residual,
                converged: report.status == Status::Converged,
                fell_back: report.counts.fell_back,
            }),
            Err(e) => {
                self.refusal = Some(e.to_string());
                None
            }
        };
        self.samples.push(sample);
    }

    /// The index set of the last answer, if it is one.
    fn answer(&self) -> Option<&[RowState]> {
        let converged = self.samples.last().copied().flatten().is_some_and(|s| s.converged);
        converged.then_some(&self.iterate.set)
    }
}

fn imaginary(counts: &Counts) -> Option<f64> {
    let columns = counts.incomplete_columns;
    (columns > 0).then(|| counts.imaginary_columns as f64 / columns as f64)
}

/// The start from an answer to the frame before: rows are found again by
/// their names; new ones get no impulse, and press if they would close.
fn carried(
    old: &Iterate,
    problem: &Problem,
    keys: &[u64],
    before: &HashMap<u64, usize>,
) -> Iterate {
    if old.lambda.is_empty() {
        return Iterate::default();
    }
    let place = |key: &u64| before.get(key).copied();
    let impulse = |key| place(key).and_then(|i| old.lambda.get(i)).copied().unwrap_or(0.0);
    let state = |((key, law), &b): ((&u64, &Law), &f64)| {
        let new = match law {
            Law::Box { .. } if b >= 0.0 => RowState::Lower,
            _ => RowState::Free,
        };
        place(key).and_then(|i| old.set.get(i)).copied().unwrap_or(new)
    };
    let mut start = Iterate::from_lambda(keys.iter().map(impulse).collect());
    // Methods without index sets leave theirs empty; so does the start. Rows
    // and laws are one to one: the engine poses no cones.
    if old.set.len() == old.lambda.len() && problem.laws.len() == keys.len() {
        start.set = keys.iter().zip(&problem.laws).zip(&problem.b).map(state).collect();
    }
    start
}

/// The oracle in the faster of its two forms.
struct BestOracle {
    forms: [Oracle; 2],
    /// Finds the index set where no chosen solver does.
    reference: Option<Runner>,
}

impl BestOracle {
    fn new(solvers: &[Chosen]) -> Result<Self, Failure> {
        let known = solvers.iter().any(|s| s.label == REFERENCE);
        let reference = match known {
            true => None,
            false => Some(Runner::new(REFERENCE, SolverConfig::named(REFERENCE)?.build()?)),
        };
        Ok(BestOracle {
            forms: [Oracle::new(Backend::Dual), Oracle::new(Backend::Primal)],
            reference,
        })
    }

    /// CPU time of one factorization and solve for the final index set.
    fn seconds(
        &mut self,
        problem: &Problem,
        keys: &[u64],
        before: &HashMap<u64, usize>,
        runners: &[Runner],
    ) -> Option<f64> {
        if let Some(runner) = &mut self.reference {
            runner.solve(problem, keys, before);
        }
        let finder =
            self.reference.as_ref().or_else(|| runners.iter().find(|r| r.name == REFERENCE))?;
        let set = finder.answer()?;
        let mut best = None;
        for oracle in &mut self.forms {
            if !oracle.prepare(problem, set) {
                continue;
            }
            let start = ThreadTime::now();
            let solved = oracle.run(problem);
            let seconds = start.elapsed().as_secs_f64();
            if solved && best.is_none_or(|b| seconds < b) {
                best = Some(seconds);
            }
        }
        best
    }
}

/// A bar on stderr, if that is a terminal.
fn progress(plan: &Plan) -> ProgressBar {
    let bar = ProgressBar::new((plan.skip + plan.frames) as u64).with_message(plan.name.clone());
    match ProgressStyle::with_template("{msg:14} {bar:40} frame {pos} of {len}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
