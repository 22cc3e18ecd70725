//! Direct solvers and conjugate gradients on scenes of growing size.
//!
//!     cargo run --release -p taut-scenes --example scale -- SCENE SIZE FRAME SOLVER...
//!
//! Steps the scene to FRAME (`rocks` with rough sweeps, to save time), then
//! solves the problem of that frame cold and the one of the next frame from
//! that answer, with each solver, three times; the least time counts. Prints a line of
//! comma-separated values for each: scene, size, rows, rows of the largest island, bodies, solver, cold
//! CPU seconds, warm ones, outer and inner iterations of the warm solve, status
//! and residual of it, bytes per row that the solver holds.

#![allow(clippy::print_stdout)]

mod common;

use std::alloc::System;

use common::{Failure, Posed, carried};
use cpu_time::ThreadTime;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use taut::FrictionMode;
use taut::lcp::solver::solve;
use taut::lcp::{Iterate, Judge, Problem, Solver, SolverConfig, Stop, sweeps};
use taut_scenes::builtin;

/// The least time of so many solves counts.
const REPEATS: usize = 3;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, size, frame, solvers @ ..] = &args[..] else {
        return Err("SCENE SIZE FRAME SOLVER...".into());
    };
    let size: usize = size.parse()?;
    let mut scene = builtin::find(name)?.file(Some(size)).build()?;
    let settings = scene.world.settings_mut();
    settings.friction = FrictionMode::Box;
    if name == "rocks" {
        settings.solver = SolverConfig::Pgs(sweeps::pgs::Settings { max_iterations: 40 });
        settings.friction = FrictionMode::LastStep;
    }
    for _ in 0..frame.parse()? {
        let _ = scene.step()?;
    }
    let first = Posed::new(&scene)?;
    let _ = scene.step()?;
    let second = Posed::new(&scene)?;
    for solver in solvers {
        measure(name, size, solver, &first, &second)?;
    }
    Ok(())
}

fn measure(
    scene: &str,
    size: usize,
    name: &str,
    first: &Posed,
    next: &Posed,
) -> Result<(), Failure> {
    let (mut cold, mut warm) = (f64::INFINITY, f64::INFINITY);
    for _ in 1..REPEATS {
        let (first, second, ..) = pair(name, first, next)?;
        (cold, warm) = (cold.min(first), warm.min(second));
    }
    let region = Region::new(ALLOCATOR);
    let (first, second, report, _solver) = pair(name, first, next)?;
    (cold, warm) = (cold.min(first), warm.min(second));
    let held = region.change();
    let bytes = held.bytes_allocated as f64 - held.bytes_deallocated as f64;
    println!(
        "{scene},{size},{},{},{},{name},{cold:.6},{warm:.6},{},{},{:?},{:.1e},{:.0}",
        next.problem.rows(),
        next.largest,
        next.bodies,
        report.counts.iterations,
        report.counts.inner,
        report.status,
        report.verdict.relative_residual,
        bytes / next.problem.rows().max(1) as f64,
    );
    Ok(())
}

/// A cold solve and one that starts from its answer: seconds, report, and the solver, which holds
/// its memory.
fn pair(
    name: &str,
    first: &Posed,
    next: &Posed,
) -> Result<(f64, f64, taut::lcp::Report, Box<dyn Solver>), Failure> {
    let mut solver = SolverConfig::named(name)?.build()?;
    let mut iterate = Iterate::default();
    let (cold, ..) = timed(solver.as_mut(), &first.problem, &mut iterate)?;
    let mut start = carried(&iterate, first, next);
    let (warm, report) = timed(solver.as_mut(), &next.problem, &mut start)?;
    Ok((cold, warm, report, solver))
}

fn timed(
    solver: &mut dyn Solver,
    problem: &Problem,
    iterate: &mut Iterate,
) -> Result<(f64, taut::lcp::Report), Failure> {
    let start = ThreadTime::now();
    let (stop, mut judge) = (Stop::default(), Judge::default());
    let report = solve(solver, problem, &stop, iterate, &mut judge, &mut ())?;
    Ok((start.elapsed().as_secs_f64(), report))
}
