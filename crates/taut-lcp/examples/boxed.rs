//! Times solvers on boxed problems in Matrix Market folders, cold and in turn.
//!
//!     cargo run --release -p taut-lcp --example boxed -- FOLDER [REPEATS] [SOLVER...]
//!
//! Prints the smallest time of a solve (analysis included), the work counted
//! and the judge's residual.

#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Instant;

use taut_lcp::io::matrix_market;
use taut_lcp::{Problem, Report, Session};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("which folder?")?);
    let repeats = args.next().map_or(Ok(20), |n| n.parse())?;
    let mut solvers: Vec<String> = args.collect();
    if solvers.is_empty() {
        solvers.push("bpp".into());
    }
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    folders.retain(|f| f.join("A.mtx").exists());
    folders.sort();
    for folder in folders {
        let problem = matrix_market::read_folder(&folder)?;
        let mut best = vec![(f64::INFINITY, None); solvers.len()];
        for _ in 0..repeats {
            for (name, best) in solvers.iter().zip(&mut best) {
                let (seconds, report) = once(name, &problem)?;
                *best = (best.0.min(seconds), Some(report));
            }
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        for (solver, (seconds, report)) in solvers.iter().zip(best) {
            let Some(r) = report else { continue };
            println!(
                "{name:18} {solver:8} {:8.3} ms  iterations {:4}  factorizations {:4}  inner {:4}  pivots {:5}  fell back {:5}  {:?} {:.1e}",
                1e3 * seconds,
                r.counts.iterations,
                r.counts.factorizations,
                r.counts.inner,
                r.counts.pivots,
                r.counts.fell_back,
                r.status,
                r.verdict.relative_residual,
            );
        }
    }
    Ok(())
}

fn once(solver: &str, problem: &Problem) -> Result<(f64, Report), Failure> {
    let mut session = Session::named(solver)?;
    let start = Instant::now();
    let report = *session.solve(problem)?.report();
    Ok((start.elapsed().as_secs_f64(), report))
}
