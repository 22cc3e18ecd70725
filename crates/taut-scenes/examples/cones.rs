//! Cones and boxes of friction on the built-in scenes, step by step in turns.
//!
//!     cargo run --release -p taut-scenes --example cones -- [SECONDS [CPU [SCENE...]]]
//!
//! Runs each scene (all, without names) for 20 s at its defaults, once with cones and once with boxes; no longer than
//! both together take CPU seconds of the processor (without end, if it is not given). Of the
//! cones: the share of steps at the given contact compliance, the largest compliance, steps that did
//! not converge, the worst relative residual of steps at the given compliance, and by how much friction exceeds
//! its cone at worst, as a share of the largest force of its step. Of both: factorizations,
//! CPU time and the deepest penetration.

#![allow(clippy::print_stdout)]

use cpu_time::ProcessTime;
use taut::{FrictionMode, World};
use taut_scenes::{Scene, builtin};

type Failure = Box<dyn std::error::Error>;

/// What one run adds up to.
#[derive(Default)]
struct Figures {
    steps: usize,
    softened: usize,
    unconverged: usize,
    factorizations: usize,
    cpu: f64,
    compliance: f64,
    residual: f64,
    outside: f64,
    depth: f64,
}

impl Figures {
    fn step(&mut self, scene: &mut Scene) -> Result<(), Failure> {
        let start = ProcessTime::now();
        let report = scene.step()?;
        self.cpu += start.elapsed().as_secs_f64();
        self.steps += 1;
        self.unconverged += usize::from(!report.converged());
        self.factorizations += report.factorizations;
        self.compliance = self.compliance.max(report.contact_compliance);
        self.depth = self.depth.max(report.max_penetration);
        if report.contact_compliance > 0.0 {
            self.softened += 1;
        } else {
            self.residual = self.residual.max(report.relative_residual);
        }
        self.outside = self.outside.max(outside(&scene.world));
        Ok(())
    }

    fn per_step(&self, sum: f64) -> f64 {
        sum / self.steps.max(1) as f64
    }
}

/// How far friction exceeds its cone, as a share of the largest force.
fn outside(world: &World) -> f64 {
    let excess = world.contacts().map(|c| {
        let most = c.friction_coefficient * c.normal_force;
        (c.friction.length() - most, c.force().length())
    });
    let (excess, largest) =
        excess.fold((0.0_f64, 0.0_f64), |(e, f), (excess, force)| (e.max(excess), f.max(force)));
    if largest > 0.0 { excess / largest } else { 0.0 }
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds: f64 = args.first().map_or(Ok(20.0), |s| s.parse())?;
    let cpu: f64 = args.get(1).map_or(Ok(f64::INFINITY), |s| s.parse())?;
    let all = builtin::SCENES.iter().map(|entry| entry.name.to_string());
    let names: Vec<String> = if args.len() > 2 { args[2..].to_vec() } else { all.collect() };
    println!("begin cones");
    println!(
        "| scene | steps | compliance as given | largest | not converged | residual | outside the cone | \
         factorizations | boxes | CPU ms | boxes | depth mm | boxes |"
    );
    println!("|{}", "---|".repeat(13));
    for name in names {
        row(&name, seconds, cpu)?;
    }
    println!("end cones");
    Ok(())
}

fn row(name: &str, seconds: f64, cpu: f64) -> Result<(), Failure> {
    let file = builtin::find(name)?.file(None);
    let (mut cones, mut boxes) = (file.build()?, file.build()?);
    boxes.world.settings_mut().friction = FrictionMode::Box;
    let (mut cone, mut boxed) = (Figures::default(), Figures::default());
    for _ in 0..(seconds / cones.dt).round() as usize {
        cone.step(&mut cones)?;
        boxed.step(&mut boxes)?;
        if cone.cpu + boxed.cpu > cpu {
            break;
        }
    }
    let given = 100.0 * (1.0 - cone.per_step(cone.softened as f64));
    println!(
        "| {name} | {} | {given:.1} % | {:.0e} | {} | {:.0e} | {:.0e} | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} | {:.1} |",
        cone.steps,
        cone.compliance,
        cone.unconverged,
        cone.residual,
        cone.outside,
        cone.per_step(cone.factorizations as f64),
        boxed.per_step(boxed.factorizations as f64),
        1e3 * cone.per_step(cone.cpu),
        1e3 * boxed.per_step(boxed.cpu),
        1e3 * cone.depth,
        1e3 * boxed.depth,
    );
    Ok(())
}
