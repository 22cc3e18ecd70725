//! From samples to the figures of tables and JSON.

use serde::Serialize;
use taut::BodyKind;
use taut_lcp::Stop;
use taut_scenes::Scene;

use super::measure::{Frame, Plan, Record, Runner, Sample};
use super::solver::Chosen;
use crate::summary::{Spread, mass_ratio, spread};

/// The whole run. Figures that are not finite become null.
#[derive(Serialize)]
pub struct Document {
    pub version: &'static str,
    /// Relative natural residual asked of every method.
    pub tolerance: f64,
    pub solvers: Vec<String>,
    pub scenes: Vec<SceneFigures>,
}

/// A scene and what each method took for it.
#[derive(Serialize)]
pub struct SceneFigures {
    pub scene: String,
    pub size: Option<usize>,
    pub dt: f64,
    pub bodies: usize,
    pub mass_ratio: f64,
    /// Frames run before measuring, measured, and of those without any rows.
    pub skipped_frames: usize,
    pub frames: usize,
    pub empty_frames: usize,
    /// Steps in which the scene's own solver did not converge.
    pub unconverged_steps: usize,
    pub mean_rows: f64,
    pub max_rows: usize,
    /// Largest condition number of A, estimated every tenth frame; null if
    /// infinite.
    pub condition: Option<f64>,
    pub baseline: SolverFigures,
    pub oracle: OracleFigures,
    pub solvers: Vec<SolverFigures>,
    pub series: FrameSeries,
}

/// What a method took. Means are over its solves, for the baseline over
/// those that converged.
#[derive(Serialize)]
pub struct SolverFigures {
    pub solver: String,
    pub solves: usize,
    pub outer_iterations: f64,
    pub inner_iterations: f64,
    pub factorizations: f64,
    /// Mean share of imaginary columns in incomplete factors, if there were any.
    pub imaginary_columns: Option<f64>,
    pub max_outer_iterations: usize,
    pub max_energy_error: f64,
    pub max_relative_residual: f64,
    pub solve_ms: Spread,
    /// Its time by that of the baseline, over frames the baseline solved.
    pub ratio_to_baseline: Option<f64>,
    /// Its time by that of the oracle, over frames that have one.
    pub ratio_to_oracle: Option<f64>,
    pub not_converged: usize,
    pub share_not_converged: f64,
    /// Share of solves that a fall-back method finished.
    pub share_fell_back: f64,
    /// Why it refused a problem, if it did.
    pub refused: Option<String>,
    pub series: SolverSeries,
}

/// One factorization per frame, for the index set of the answer.
#[derive(Serialize)]
pub struct OracleFigures {
    pub solves: usize,
    pub factorizations: f64,
    pub solve_ms: Spread,
    pub ratio_to_baseline: Option<f64>,
    pub series: Vec<Option<f64>>,
}

/// Frame by frame.
#[derive(Serialize)]
pub struct FrameSeries {
    pub frame: Vec<usize>,
    pub rows: Vec<usize>,
}

/// Frame by frame; null where the method refused the problem.
#[derive(Serialize)]
pub struct SolverSeries {
    pub solve_ms: Vec<Option<f64>>,
    pub outer_iterations: Vec<Option<usize>>,
    pub inner_iterations: Vec<Option<usize>>,
    pub imaginary_columns: Vec<Option<f64>>,
    pub energy_error: Vec<Option<f64>>,
    pub converged: Vec<bool>,
    pub fell_back: Vec<bool>,
}

impl Document {
    pub fn new(solvers: &[Chosen]) -> Self {
        Document {
            version: env!("CARGO_PKG_VERSION"),
            tolerance: Stop::default().tolerance,
            solvers: solvers.iter().map(|s| s.label.clone()).collect(),
            scenes: Vec::new(),
        }
    }

    /// Whether all chosen solvers converged in every frame, and all steps.
    /// The baseline may fail.
    pub fn is_good(&self) -> bool {
        let solver = |s: &SolverFigures| s.not_converged == 0 && s.refused.is_none();
        self.scenes.iter().all(|s| s.unconverged_steps == 0 && s.solvers.iter().all(solver))
    }
}

impl SceneFigures {
    pub fn new(plan: &Plan, scene: &Scene, record: &Record) -> Self {
        let frames = &record.frames;
        let rows: Vec<usize> = frames.iter().map(|f| f.rows).collect();
        let conditions = frames.iter().filter_map(|f| f.condition);
        let solver = |r: &Runner| SolverFigures::new(r, record, |_| true);
        let solved = |s: &Sample| s.converged;
        SceneFigures {
            scene: plan.file.name.clone().unwrap_or_else(|| plan.name.clone()),
            size: plan.size,
            dt: scene.dt,
            bodies: scene.world.bodies().filter(|(_, b)| b.kind() == BodyKind::Dynamic).count(),
            mass_ratio: mass_ratio(&scene.world),
            skipped_frames: plan.skip,
            frames: plan.frames,
            empty_frames: plan.frames - frames.len(),
            unconverged_steps: record.unconverged_steps,
            mean_rows: mean(rows.iter().map(|r| *r as f64)),
            max_rows: rows.iter().copied().max().unwrap_or(0),
            condition: conditions.reduce(f64::max),
            baseline: SolverFigures::new(&record.baseline, record, solved),
            oracle: OracleFigures::new(record),
            solvers: record.runners.iter().map(solver).collect(),
            series: FrameSeries { frame: frames.iter().map(|f| f.number).collect(), rows },
        }
    }
}

impl SolverFigures {
    /// `counted` says which solves enter the means.
    fn new(runner: &Runner, record: &Record, counted: impl Fn(&Sample) -> bool) -> Self {
        let all = || runner.samples.iter().flatten();
        let samples: Vec<&Sample> = all().filter(|s| counted(s)).collect();
        let count = |f: fn(&Sample) -> usize| mean(samples.iter().map(|s| f(s) as f64));
        let worst = |f: fn(&Sample) -> f64| samples.iter().map(|s| f(s)).fold(0.0, f64::max);
        let times: Vec<f64> = samples.iter().map(|s| 1e3 * s.seconds).collect();
        // A problem that was refused was not solved, either.
        let failed = runner.samples.len() - all().filter(|s| s.converged).count();
        let time = |s: &Option<Sample>| s.filter(|s| counted(s)).map(|s| s.seconds);
        let mine: Vec<Option<f64>> = runner.samples.iter().map(time).collect();
        let oracle: Vec<Option<f64>> = record.frames.iter().map(|f| f.oracle).collect();
        SolverFigures {
            solver: runner.name.clone(),
            solves: all().count(),
            outer_iterations: count(|s| s.iterations),
            inner_iterations: count(|s| s.inner),
            factorizations: count(|s| s.factorizations),
            imaginary_columns: mean_of_some(samples.iter().map(|s| s.imaginary)),
            max_outer_iterations: samples.iter().map(|s| s.iterations).max().unwrap_or(0),
            max_energy_error: worst(|s| s.energy_error),
            max_relative_residual: worst(|s| s.relative_residual),
            solve_ms: spread(&times),
            ratio_to_baseline: ratio(&mine, &baseline_times(record)),
            ratio_to_oracle: ratio(&mine, &oracle),
            not_converged: failed,
            share_not_converged: failed as f64 / runner.samples.len().max(1) as f64,
            share_fell_back: mean(samples.iter().map(|s| f64::from(u8::from(s.fell_back)))),
            refused: runner.refusal.clone(),
            series: SolverSeries::new(&runner.samples),
        }
    }
}

impl SolverSeries {
    fn new(samples: &[Option<Sample>]) -> Self {
        SolverSeries {
            solve_ms: samples.iter().map(|s| s.map(|s| 1e3 * s.seconds)).collect(),
            outer_iterations: samples.iter().map(|s| s.map(|s| s.iterations)).collect(),
            inner_iterations: samples.iter().map(|s| s.map(|s| s.inner)).collect(),
            imaginary_columns: samples.iter().map(|s| s.and_then(|s| s.imaginary)).collect(),
            energy_error: samples.iter().map(|s| s.map(|s| s.energy_error)).collect(),
            converged: samples.iter().map(|s| s.is_some_and(|s| s.converged)).collect(),
            fell_back: samples.iter().map(|s| s.is_some_and(|s| s.fell_back)).collect(),
        }
    }
}

impl OracleFigures {
    fn new(record: &Record) -> Self {
        let seconds: Vec<Option<f64>> = record.frames.iter().map(|f: &Frame| f.oracle).collect();
        let series: Vec<Option<f64>> = seconds.iter().map(|s| s.map(|s| 1e3 * s)).collect();
        let times: Vec<f64> = series.iter().flatten().copied().collect();
        OracleFigures {
            solves: times.len(),
            factorizations: if times.is_empty() { 0.0 } else { 1.0 },
            solve_ms: spread(&times),
            ratio_to_baseline: ratio(&seconds, &baseline_times(record)),
            series,
        }
    }
}

/// Times of the frames that the baseline solved.
fn baseline_times(record: &Record) -> Vec<Option<f64>> {
    let samples = &record.baseline.samples;
    samples.iter().map(|s| s.filter(|s| s.converged).map(|s| s.seconds)).collect()
}

/// Sum by sum, over the frames that both have.
fn ratio(mine: &[Option<f64>], other: &[Option<f64>]) -> Option<f64> {
    let both = mine.iter().zip(other).filter_map(|(a, b)| a.zip(*b));
    let (a, b) = both.fold((0.0, 0.0), |sum, t| (sum.0 + t.0, sum.1 + t.1));
    (b > 0.0).then(|| a / b)
}

fn mean_of_some(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let some: Vec<f64> = values.flatten().collect();
    (!some.is_empty()).then(|| mean(some.into_iter()))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = values.fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + v));
    if n > 0.0 { sum / n } else { 0.0 }
}
