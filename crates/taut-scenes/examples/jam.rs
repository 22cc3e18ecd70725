//! How soundly a chain jams on its rod: a statistic over runs that differ in the seventh digit of
//! the step, since each of them hangs on rounding.
//!
//! `cargo xtask jam [RUNS [FRAMES]]`, or `cargo run --release -p taut-scenes --example jam -- [RUNS [FRAMES]]`
#![allow(clippy::print_stdout)]

use taut_scenes::builtin;

type Failure = Box<dyn std::error::Error>;

/// What counts as sound: joints open by at most this, links as deep as that \[m\].
const GAP: f64 = 0.01;
const DEPTH: f64 = 0.08;

#[derive(Default)]
struct Run {
    gap: f64,
    depth: f64,
    unconverged: usize,
    torn: usize,
    gained: bool,
}

fn run(k: usize, frames: usize) -> Result<Run, Failure> {
    let mut scene = builtin::find("chain")?.file(Some(40)).build()?;
    scene.dt *= 1.0 + 1e-7 * k as f64;
    let mut run = Run::default();
    for _ in 0..frames {
        let report = scene.step()?;
        run.gap = run.gap.max(report.max_joint_gap);
        run.depth = run.depth.max(report.max_penetration);
        run.unconverged += usize::from(!report.converged());
        run.torn += usize::from(report.is_torn());
        run.gained |= report.gained_energy();
    }
    Ok(run)
}

fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let mut number = |default: usize| match args.next() {
        Some(text) => text.parse().map_err(|_| format!("expected a number, found '{text}'")),
        None => Ok(default),
    };
    let (count, frames) = (number(20)?, number(240)?);
    let runs = (0..count).map(|k| run(k, frames)).collect::<Result<Vec<_>, _>>()?;
    let share = |name: &str, bad: &dyn Fn(&Run) -> bool| {
        println!("{name}: {} of {count}", runs.iter().filter(|r| bad(r)).count());
    };
    println!("chain of 40 links, {frames} frames");
    share("joints open by more than 1 cm", &|r| r.gap > GAP);
    share("links deeper than 8 cm", &|r| r.depth > DEPTH);
    share("with steps that did not converge", &|r| r.unconverged > 0);
    share("with torn steps", &|r| r.torn > 0);
    share("that created energy", &|r| r.gained);
    let mut gaps: Vec<f64> = runs.iter().map(|r| r.gap).collect();
    gaps.sort_by(f64::total_cmp);
    if let (Some(median), Some(largest)) = (gaps.get(gaps.len() / 2), gaps.last()) {
        println!("joint gap: median {median:.1e} m, largest {largest:.1e} m");
    }
    Ok(())
}
