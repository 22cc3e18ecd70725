//! What adaptive regularization (Ho22 alg. 9) costs in slip.
//!
//!     cargo run --release -p taut-scenes --example slip -- SCENE SKIP FRAMES
//!
//! Steps the scene with `bpp`. The problem of each frame is also solved by
//! `bpp_pcg` without and with adaptive regularization (pivot limits 10 and 5,
//! the answer of the softened problem kept, as in Ho22), each from its own
//! answer to the frame before. Printed: outer iterations, and how far contacts
//! slip that do not in the answer of `bpp`: the distance of each contact point
//! added up over the frames, largest and mean over the contacts, beside the
//! distance that contacts slip in the answer of `bpp`.

#![allow(clippy::print_stdout)]

mod common;

use std::collections::HashMap;

use common::{Failure, Posed, carried};
use taut::lcp::matrix_free::bpp_pcg;
use taut::lcp::pivoting::adaptive;
use taut::lcp::solver::solve;
use taut::lcp::{Iterate, Judge, Law, Solver, SolverConfig, Status, Stop};
use taut_scenes::builtin;

/// A method, its memory, and the slip of each friction row.
struct Method {
    label: String,
    solver: Box<dyn Solver>,
    iterate: Iterate,
    slip: HashMap<u64, f64>,
    outer: usize,
    solved: usize,
}

impl Method {
    fn new(label: &str, config: &SolverConfig) -> Result<Self, Failure> {
        Ok(Method {
            label: label.into(),
            solver: config.build()?,
            iterate: Iterate::default(),
            slip: HashMap::new(),
            outer: 0,
            solved: 0,
        })
    }

    fn solve(&mut self, before: Option<&Posed>, now: &Posed) -> Result<(), Failure> {
        self.iterate = before.map_or(Iterate::default(), |b| carried(&self.iterate, b, now));
        let (stop, mut judge) = (Stop::default(), Judge::default());
        let solver = self.solver.as_mut();
        let report = solve(solver, &now.problem, &stop, &mut self.iterate, &mut judge, &mut ())?;
        self.outer += report.counts.iterations;
        self.solved += usize::from(report.status == Status::Converged);
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, skip, frames] = &args[..] else { return Err("SCENE SKIP FRAMES".into()) };
    let (skip, frames): (usize, usize) = (skip.parse()?, frames.parse()?);
    let mut methods = vec![Method::new("bpp", &SolverConfig::named("bpp")?)?];
    for limit in [None, Some(10), Some(5)] {
        let label = limit.map_or("bpp_pcg".into(), |l| format!("bpp_pcg, limit {l}"));
        methods.push(Method::new(&label, &regularized(limit))?);
    }
    let mut scene = builtin::find(name)?.file(None).build()?;
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let mut before = None;
    for frame in 0..skip + frames {
        let _ = scene.step()?;
        if frame < skip {
            continue;
        }
        let now = Posed::new(&scene)?;
        for method in &mut methods {
            method.solve(before.as_ref(), &now)?;
        }
        add_slip(&mut methods, &now, scene.dt);
        before = Some(now);
    }
    for m in &methods {
        let worst = m.slip.values().copied().fold(0.0, f64::max);
        let mean = m.slip.values().sum::<f64>() / m.slip.len().max(1) as f64;
        let outer = m.outer as f64 / frames as f64;
        let label = &m.label;
        println!(
            "{label:20} outer {outer:7.1}  solved {} of {frames}  slip {worst:.2e} m, mean {mean:.2e} m",
            m.solved
        );
    }
    Ok(())
}

fn regularized(limit: Option<u32>) -> SolverConfig {
    SolverConfig::BppPcg(bpp_pcg::Settings {
        patience: 300,
        max_iterations: 300,
        adaptive: limit.map(|pivot_limit| adaptive::Settings {
            pivot_limit,
            keep: true,
            ..Default::default()
        }),
        ..Default::default()
    })
}

/// The first method's own slip, and what the others add to it.
fn add_slip(methods: &mut [Method], now: &Posed, dt: f64) {
    let exact = methods[0].iterate.w.clone();
    for (k, method) in methods.iter_mut().enumerate() {
        for (i, law) in now.problem.laws_by_row() {
            if matches!(law, Law::FrictionBox { .. }) {
                let reference = if k == 0 { 0.0 } else { exact[i] };
                let slip = (method.iterate.w[i] - reference).abs() * dt;
                *method.slip.entry(now.keys[i]).or_default() += slip;
            }
        }
    }
}
