//! Measures Lefebvre20's tables 2.3, 2.4 and 3.1 on its scenes: pivoting from
//! all rows free, with the factor of A_FF computed anew, or with tight rows
//! deleted from the factor of A, in full columns and within the skyline, with
//! and without a cache of factors.
//!
//! `cargo run --release -p taut-scenes --example skyline -- [FRAMES] [SCENE…]`
//!
//! Prints the tables of docs/bench/skyline.md; in brackets the figures of Lefebvre20.
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

/// A scene of Lefebvre20, how many frames of it are run at most, and what it says: how many times as
/// fast deleting is, in full columns and within the skyline (table 2.3), and the least, largest, mean
/// and median error of the factor (table 2.4).
struct Source {
    name: &'static str,
    frames: usize,
    faster: [&'static str; 2],
    errors: [&'static str; 4],
}

const SOURCES: &[Source] = &[
    Source {
        name: "mobile-crane",
        frames: 600,
        faster: ["2.7", "3.6"],
        errors: ["7e-12", "3e-10", "5e-11", "4e-11"],
    },
    Source {
        name: "winch",
        frames: 40,
        faster: ["0.9", "1.3"],
        errors: ["0", "7e-11", "6e-13", "1e-13"],
    },
    Source {
        name: "vehicle",
        frames: 400,
        faster: ["1.4", "1.4"],
        errors: ["3e-13", "8e-10", "2e-12", "7e-13"],
    },
    Source {
        name: "offshore",
        frames: 600,
        faster: ["1.7", "2.3"],
        errors: ["0", "1e-8", "1e-9", "6e-11"],
    },
    Source {
        name: "forklift",
        frames: 600,
        faster: ["1.3", "1.5"],
        errors: ["0", "1e-11", "1e-12", "1e-12"],
    },
    Source {
        name: "forwarder",
        frames: 600,
        faster: ["1.2", "1.6"],
        errors: ["1e-10", "7e-8", "4e-9", "3e-9"],
    },
];

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
        Way::new("skyline, by cost", Baseline::skyline(false, Updates::ByCost)),
        Way::new("minimum degree, simplicial", Baseline::default()),
        Way::new("bpp, skyline", pivoting(Some(Backend::Skyline))),
        Way::new("bpp", pivoting(None)),
    ]
}

/// What deleting leaves wrong in the last factor, and what the cache held.
#[derive(Default)]
struct Extra {
    errors: Vec<f64>,
    cached: Vec<f64>,
    cached_bytes: f64,
    rows: Vec<f64>,
    tight: Vec<f64>,
    pivots: Vec<f64>,
    failed: usize,
    /// Frames without pivots.
    still: usize,
}

fn measure(scene: &str, frames: usize) -> Result<(Vec<Way>, Extra), Box<dyn Error>> {
    let mut scene = builtin::find(scene)?.file(None).build()?;
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let (mut ways, mut extra) = (ways(), Extra::default());
    for number in 0..frames {
        let _ = scene.step()?;
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
            extra.still += 1;
            continue;
        }
        extra.rows.push(problem.rows() as f64);
        extra.tight.push(tight as f64 / problem.rows() as f64);
        extra.pivots.push(pivots as f64);
        frame(&problem, &mut ways, &mut extra);
    }
    Ok((ways, extra))
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
    let mut deleting = Baseline::skyline(false, Updates::Delete);
    let _ = run(&mut deleting, problem, &mut iterate);
    extra.errors.extend(deleting.error_of_factor());
    let mut cached = Baseline::skyline(false, Updates::DeleteCached);
    let _ = run(&mut cached, problem, &mut iterate);
    if let Some((entries, numbers)) = cached.cached() {
        extra.cached.push(entries as f64);
        extra.cached_bytes = extra.cached_bytes.max(8.0 * (entries * numbers) as f64);
    }
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len().max(1) as f64
}

/// A line of the table of ways.
fn times(source: &Source, ways: &[Way], extra: &Extra) -> String {
    if extra.rows.is_empty() {
        return format!("| {} | 0 of {}{} |", source.name, extra.still, " |".repeat(12));
    }
    let ms = |name: &str| ways.iter().find(|w| w.name == name).map_or(f64::NAN, Way::mean);
    let full = ms("full, anew");
    let faster =
        |name: &str, theirs: &str| format!("{:.2}, {:.1}× ({theirs}×)", ms(name), full / ms(name));
    let mut line = format!(
        "| {} | {} of {} | {:.0} | {:.1} % | {:.1} | {full:.2} | {} | {}",
        source.name,
        extra.rows.len(),
        extra.rows.len() + extra.still,
        mean(&extra.rows),
        100.0 * mean(&extra.tight),
        mean(&extra.pivots),
        faster("full, deleted", source.faster[0]),
        faster("skyline, deleted", source.faster[1]),
    );
    let rest =
        ["skyline, anew", "skyline, by cost", "minimum degree, simplicial", "bpp, skyline", "bpp"];
    rest.iter().for_each(|name| line += &format!(" | {:.2}", ms(name)));
    line + &format!(" | {} |", extra.failed)
}

/// A line of the table of errors within the skyline.
fn errors(source: &Source, extra: &Extra) -> String {
    let mut e = extra.errors.clone();
    e.sort_by(f64::total_cmp);
    let (Some(min), Some(max)) = (e.first(), e.last()) else {
        return format!("| {} | | | | |", source.name);
    };
    let own = [*min, *max, mean(&e), e[e.len() / 2]];
    let cells =
        own.iter().zip(source.errors).map(|(own, theirs)| format!(" {own:.0e} ({theirs}) |"));
    format!("| {} |{}", source.name, cells.collect::<String>())
}

/// A line of the table of the cache.
fn cache(source: &Source, ways: &[Way], extra: &Extra) -> String {
    if extra.rows.is_empty() {
        return format!("| {} | | | | |", source.name);
    }
    let ms = |name: &str| ways.iter().find(|w| w.name == name).map_or(f64::NAN, Way::mean);
    format!(
        "| {} | {:.1}× | {:.1}× | {:.0} | {:.1} |",
        source.name,
        ms("full, cached") / ms("full, deleted"),
        ms("skyline, cached") / ms("skyline, deleted"),
        mean(&extra.cached),
        1e-6 * extra.cached_bytes,
    )
}

fn print(name: &str, head: &[&str], lines: &[String]) {
    println!("begin {name}\n| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    lines.iter().for_each(|line| println!("{line}"));
    println!("end {name}");
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).peekable();
    let frames = args.peek().and_then(|a| a.parse().ok());
    if frames.is_some() {
        args.next();
    }
    let named: Vec<String> = args.collect();
    let mut lines = [Vec::new(), Vec::new(), Vec::new()];
    for source in SOURCES.iter().filter(|s| named.is_empty() || named.iter().any(|n| n == s.name)) {
        let (ways, extra) = measure(source.name, frames.unwrap_or(600).min(source.frames))?;
        lines[0].push(times(source, &ways, &extra));
        lines[1].push(errors(source, &extra));
        lines[2].push(cache(source, &ways, &extra));
    }
    let ways = [
        "scene",
        "frames with pivots",
        "rows",
        "tight",
        "pivots",
        "full, anew",
        "full, deleted",
        "skyline, deleted",
        "skyline, anew",
        "skyline, by cost",
        "minimum degree",
        "`bpp`, skyline",
        "`bpp`",
        "plain pivoting failed",
    ];
    print("skyline", &ways, &lines[0]);
    print("skyline-errors", &["scene", "least", "largest", "mean", "median"], &lines[1]);
    let cache = ["scene", "full: with / without cache", "skyline", "factors", "MB, most"];
    print("skyline-cache", &cache, &lines[2]);
    Ok(())
}
