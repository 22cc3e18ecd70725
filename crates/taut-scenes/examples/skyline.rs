//! Measures Lefebvre20's tables 2.3, 2.4 and 3.1 on its scenes: pivoting from
//! all rows free, with the factor of A_FF computed anew, or with tight rows
//! deleted from the factor of A, in full columns and within the skyline, with
//! and without a cache of factors.
//!
//! `cargo run --release -p taut-scenes --example skyline -- [FRAMES] [SCENE…]`
#![allow(clippy::print_stdout)]

use std::error::Error;

use cpu_time::ThreadTime;
use taut::lcp::pivoting::bpp::{self, Bpp};
use taut::lcp::reference::{Baseline, Updates};
use taut::lcp::{Backend, Iterate, Outcome, Problem, RowState, Solver, Status, Stop};
use taut_scenes::builtin;

/// Each solve is timed so often; the least counts.
const REPEATS: usize = 3;
/// One frame in so many is measured.
const EVERY: usize = 4;
/// Lefebvre20 table 2.1.
const MAX_PIVOTS: usize = 35;

/// A way to solve, and what it took, frame by frame.
struct Way {
    name: &'static str,
    solver: Box<dyn Solver>,
    seconds: Vec<f64>,
}

impl Way {
    fn new(name: &'static str, solver: impl Solver + 'static) -> Self {
        Way { name, solver: Box::new(solver), seconds: Vec::new() }
    }

    fn mean(&self) -> f64 {
        1e3 * self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64
    }
}

/// CPU seconds of one run from the start, forming A excluded, and its outcome.
fn run(solver: &mut dyn Solver, problem: &Problem, iterate: &mut Iterate) -> (f64, Outcome) {
    let stop = Stop { max_iterations: Some(MAX_PIVOTS), ..Stop::default() };
    iterate.clear();
    iterate.lambda.resize(problem.rows(), 0.0);
    iterate.w.resize(problem.rows(), 0.0);
    solver.prepare(problem);
    let start = ThreadTime::now();
    let outcome = solver.run(problem, &stop, iterate, &mut ());
    (start.elapsed().as_secs_f64(), outcome)
}

fn ways() -> Vec<Way> {
    let pivoting = |backend| {
        Bpp::new(bpp::Settings { backend, patience: MAX_PIVOTS, ..bpp::Settings::default() })
    };
    vec![
        Way::new("full, anew", Baseline::skyline(true, Updates::Refactor)),
        Way::new("full, deleted", Baseline::skyline(true, Updates::Delete)),
        Way::new("skyline, anew", Baseline::skyline(false, Updates::Refactor)),
        Way::new("skyline, deleted", Baseline::skyline(false, Updates::Delete)),
        Way::new("full, cached", Baseline::skyline(true, Updates::DeleteCached)),
        Way::new("skyline, cached", Baseline::skyline(false, Updates::DeleteCached)),
        Way::new("skyline, partial", Baseline::skyline(false, Updates::Partial)),
        Way::new("skyline, by cost", Baseline::skyline(false, Updates::ByCost)),
        Way::new("minimum degree, simplicial", Baseline::default()),
        Way::new("bpp, skyline", pivoting(Some(Backend::Skyline))),
        Way::new("bpp", pivoting(None)),
    ]
}

/// What deleting leaves wrong in the last factor, and what the cache held.
#[derive(Default)]
struct Extra {
    errors: [Vec<f64>; 2],
    cached: Vec<f64>,
    cached_bytes: f64,
    rows: Vec<f64>,
    tight: Vec<f64>,
    pivots: Vec<f64>,
    failed: usize,
}

fn measure(scene: &str, frames: usize) -> Result<(), Box<dyn Error>> {
    let mut scene = builtin::find(scene)?.file(None).build()?;
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let (mut ways, mut extra) = (ways(), Extra::default());
    for number in 0..frames {
        scene.step()?;
        if !number.is_multiple_of(EVERY) {
            continue;
        }
        let problem = scene.world.problem()?;
        let mut iterate = Iterate::default();
        let (_, outcome) = run(ways[0].solver.as_mut(), &problem, &mut iterate);
        let (status, pivots) = (outcome.status, outcome.counts.iterations);
        let tight = iterate.set.iter().filter(|s| **s != RowState::Free).count();
        extra.failed += usize::from(status != Status::Converged);
        // As in the tables: frames without pivoting say nothing.
        if pivots < 2 {
            continue;
        }
        extra.rows.push(problem.rows() as f64);
        extra.tight.push(tight as f64 / problem.rows() as f64);
        extra.pivots.push(pivots as f64);
        frame(&problem, &mut ways, &mut extra);
    }
    print(&ways, &extra);
    Ok(())
}

fn frame(problem: &Problem, ways: &mut [Way], extra: &mut Extra) {
    let mut iterate = Iterate::default();
    let mut best = vec![f64::INFINITY; ways.len()];
    for _ in 0..REPEATS {
        for (way, best) in ways.iter_mut().zip(&mut best) {
            *best = best.min(run(way.solver.as_mut(), problem, &mut iterate).0);
        }
    }
    ways.iter_mut().zip(best).for_each(|(way, best)| way.seconds.push(best));
    for (is_full, errors) in [true, false].into_iter().zip(&mut extra.errors) {
        let mut solver = Baseline::skyline(is_full, Updates::Delete);
        run(&mut solver, problem, &mut iterate);
        errors.extend(solver.error_of_factor());
    }
    let mut cached = Baseline::skyline(false, Updates::DeleteCached);
    run(&mut cached, problem, &mut iterate);
    if let Some((entries, numbers)) = cached.cached() {
        extra.cached.push(entries as f64);
        extra.cached_bytes = extra.cached_bytes.max(8.0 * (entries * numbers) as f64);
    }
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len().max(1) as f64
}

fn print(ways: &[Way], extra: &Extra) {
    println!(
        "{} frames with pivots, {} failed; rows {:.0}, tight {:.1} %, pivots {:.1}",
        extra.rows.len(),
        extra.failed,
        mean(&extra.rows),
        100.0 * mean(&extra.tight),
        mean(&extra.pivots)
    );
    let (full, anew) = (ways[0].mean(), ways[2].mean());
    for way in ways {
        let ms = way.mean();
        println!(
            "  {:26} {ms:8.3} ms   {:5.2}x of full   {:5.2}x of skyline",
            way.name,
            full / ms,
            anew / ms
        );
    }
    for (name, errors) in ["full", "skyline"].iter().zip(&extra.errors) {
        let mut e = errors.clone();
        e.sort_by(f64::total_cmp);
        if let (Some(min), Some(max)) = (e.first(), e.last()) {
            let (mean, median) = (mean(&e), e[e.len() / 2]);
            println!("  error, {name}: {min:.2e} {max:.2e} {mean:.2e} {median:.2e}");
        }
    }
    println!("  cache: {:.1} factors, {:.2} MB", mean(&extra.cached), 1e-6 * extra.cached_bytes);
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).peekable();
    let frames = args.peek().and_then(|a| a.parse().ok());
    if frames.is_some() {
        args.next();
    }
    let mut scenes: Vec<String> = args.collect();
    if scenes.is_empty() {
        let all = ["mobile-crane", "winch", "vehicle", "offshore", "forklift", "forwarder"];
        scenes = all.map(String::from).into();
    }
    for scene in scenes {
        println!("{scene}");
        measure(&scene, frames.unwrap_or(1200))?;
    }
    Ok(())
}
