//! taut's supernodal Cholesky beside faer's, on the primal matrices M + Jᵀ C⁻¹ J of scenes.
//!
//! `cargo run --release -p taut-scenes --example cholesky -- [SCENE:SIZE:FRAME...]`. The table
//! comes with its name, by which `cargo xtask benchmarks cholesky` puts it in place.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use cpu_time::ThreadTime;
use taut::FrictionMode;
use taut::lcp::reference::Factors;
use taut::lcp::{Operator, SolverConfig, sweeps};
use taut_scenes::builtin;

type Failure = Box<dyn std::error::Error>;

const SCENES: [&str; 8] = [
    "loaded-chain:100:2",
    "net-truck:3:20",
    "tandem-cranes:24:20",
    "wall:8:60",
    "rocks:120:120",
    "rocks:960:120",
    "static-tower:40:2",
    "net-truck:30:2",
];
const REPEATS: usize = 7;

/// Least CPU time in ms of several runs in turn with others.
struct Least(f64);

impl Least {
    fn time(&mut self, f: impl FnOnce() -> Result<(), taut::lcp::Error>) -> Result<(), Failure> {
        let start = ThreadTime::now();
        f()?;
        self.0 = self.0.min(1e3 * start.elapsed().as_secs_f64());
        Ok(())
    }
}

fn measure(name: &str) -> Result<(), Failure> {
    let parts: Vec<&str> = name.split(':').collect();
    let [scene, size, frame] = parts[..] else { return Err("expected SCENE:SIZE:FRAME".into()) };
    let mut built = builtin::find(scene)?.file(Some(size.parse()?)).build()?;
    if scene == "rocks" {
        // Rough sweeps lead to a pile soon enough.
        let settings = built.world.settings_mut();
        settings.solver = SolverConfig::Pgs(sweeps::pgs::Settings { max_iterations: 40 });
        settings.friction = FrictionMode::LastStep;
    }
    for _ in 0..frame.parse::<usize>()? {
        let _ = built.step()?;
    }
    let problem = built.world.problem()?;
    let Operator::Multibody(a) = &problem.operator else { return Err("no bodies".into()) };
    let mut f = Factors::new(a)?;
    let mut least: [Least; 5] = std::array::from_fn(|_| Least(f64::INFINITY));
    let [analyse, analyse_faer, factor, factor_faer, one] = &mut least;
    for _ in 0..REPEATS {
        analyse.time(|| f.analyse_own())?;
        analyse_faer.time(|| f.analyse_faer())?;
        factor.time(|| f.factor_own())?;
        factor_faer.time(|| f.factor_faer())?;
        one.time(|| f.factor_own_after(a.body_count() / 2))?;
    }
    let rhs: Vec<f64> = (0..f.order()).map(|i| (i as f64).sin()).collect();
    let (mut x, mut y) = (rhs.clone(), rhs);
    f.solve_own(&mut x);
    f.solve_faer(&mut y);
    let size_of = |v: &[f64]| v.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let apart: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
    println!(
        "| {scene} {size}, frame {frame} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.3} | {:.0e} |",
        f.order(),
        analyse.0,
        analyse_faer.0,
        factor.0,
        factor_faer.0,
        factor.0 / factor_faer.0,
        one.0,
        size_of(&apart) / size_of(&y),
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut scenes: Vec<String> = std::env::args().skip(1).collect();
    if scenes.is_empty() {
        scenes = SCENES.map(String::from).into();
    }
    println!("begin cholesky");
    println!(
        "| matrix | order | analysis ms: taut | faer | factor ms: taut | faer | taut / faer | \
         taut, one body changed | difference of solutions |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for scene in &scenes {
        eprintln!("{scene}");
        measure(scene)?;
    }
    println!("end cholesky");
    Ok(())
}
