//! Measures what adaptive regularization (Ho22 alg. 9, table 6.5) does to block
//! pivoting: iterations, how often it falls back, and what it leaves.
//!
//! `cargo run --release -p taut-scenes --example adaptive -- SCENE SIZE SKIP FRAMES`
#![allow(clippy::print_stdout)]

use std::error::Error;

use cpu_time::ThreadTime;
use taut::lcp::pivoting::{adaptive, bpp};
use taut::lcp::{Session, SolverConfig, Status};
use taut_scenes::builtin;

/// A configuration and what it took.
struct Way {
    name: String,
    config: SolverConfig,
    solves: usize,
    converged: usize,
    fell_back: usize,
    iterations: usize,
    softened: usize,
    worst: f64,
    seconds: f64,
}

/// Patient: block pivoting alone for as long as Ho22 lets it.
fn ways() -> Vec<Way> {
    let off = || None;
    let soft =
        |pivot_limit, keep| Some(adaptive::Settings { pivot_limit, keep, ..Default::default() });
    let mut ways = Vec::new();
    for (name, adaptive) in [
        ("off", off()),
        ("limit 10", soft(10, false)),
        ("limit 10, kept", soft(10, true)),
        ("limit 5, kept", soft(5, true)),
    ] {
        for (who, patience) in [("bpp", 3), ("patient", 300)] {
            let settings = bpp::Settings {
                patience,
                max_iterations: 600,
                adaptive: adaptive.clone(),
                ..Default::default()
            };
            ways.push(Way {
                name: format!("{who}, {name}"),
                config: SolverConfig::Bpp(settings),
                solves: 0,
                converged: 0,
                fell_back: 0,
                iterations: 0,
                softened: 0,
                worst: 0.0,
                seconds: 0.0,
            });
        }
    }
    ways
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |k: usize, otherwise| args.get(k).and_then(|a| a.parse().ok()).unwrap_or(otherwise);
    let name = args.first().map_or("chain", String::as_str);
    let size = args.get(1).and_then(|a| a.parse().ok());
    let mut scene = builtin::find(name)?.file(size).build()?;
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let (skip, frames, mut ways) = (number(2, 0), number(3, 100), ways());
    for k in 0..skip + frames {
        let _ = scene.step()?;
        let problem = scene.world.problem()?;
        if k < skip || problem.rows() == 0 {
            continue;
        }
        for way in &mut ways {
            let mut session = Session::new(&way.config)?;
            let start = ThreadTime::now();
            let r = *session.solve(&problem)?.report();
            way.seconds += start.elapsed().as_secs_f64();
            way.solves += 1;
            way.converged += usize::from(r.status == Status::Converged);
            way.fell_back += usize::from(r.counts.fell_back);
            way.iterations += r.counts.iterations;
            way.softened += r.counts.regularized;
            way.worst = way.worst.max(r.verdict.relative_residual);
        }
    }
    println!("{name}");
    for w in &ways {
        let share = |n: usize| 100.0 * n as f64 / w.solves.max(1) as f64;
        let mean = |x: f64| x / w.solves.max(1) as f64;
        println!(
            "  {:24} {:6.1} iterations, {:4.0} % fell back, {:4.0} % converged, {:5.1} softened, \
             residual {:.0e}, {:.2} ms",
            w.name,
            mean(w.iterations as f64),
            share(w.fell_back),
            share(w.converged),
            mean(w.softened as f64),
            w.worst,
            1e3 * mean(w.seconds)
        );
    }
    Ok(())
}
