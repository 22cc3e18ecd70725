//! One table of three schools of contact on the same scenes: how far from Coulomb's law, how deep, what it costs.
//!
//! `cargo run --release -p taut-scenes --example contact_models [PLOT.svg]`
//!
//! *Stop*: a block of 8 kg slides on friction of 0.5 from 1.5 m/s to rest, 0.6 s. *Creep*: the same block on a slope at 0.95 of the friction angle, after 1 s. The reference is the
//! exact engine with the semi-implicit step, so that contact alone makes a difference. h = 0.01 s, CPU time. *Bounce*: a ball of 1 m/s on springs, by steps a contact. *Depth*: where
//! springs that are weaker on the way out hold a box.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::time::Duration;

use cpu_time::ProcessTime;
use taut_scenes::Scene;
use taut_scenes::file::SceneFile;

type Failure = Box<dyn std::error::Error>;

const H: f64 = 0.01;
const MU: f64 = 0.5;

/// What a model did.
struct Row {
    /// Where the block stops, and how high its middle rests \[m\].
    stop: [f64; 2],
    /// Speed on the slope \[m/s\].
    creep: f64,
    penetration: f64,
    /// Kinetic and gravitational energy at the end \[J\].
    energy: f64,
    iterations: f64,
    time: Duration,
    unsolved: usize,
}

fn scene(contact: &str, speed: f64, slope: f64) -> Result<Scene, Failure> {
    let (s, c) = (9.81 * slope.sin(), 9.81 * slope.cos());
    let text = format!(
        r#"{{"version": 1, "dt": {H}, "gravity": [{s}, 0, -{c}], "ground": {{}},
            "settings": {{"integrator": "semi_implicit_euler"}},
            "bodies": [{{"name": "block", "density": 1000, "position": [0, 0, 0.05], "velocity": [{speed}, 0, 0],
                         "shape": {{"box": {{"half_extents": [0.2, 0.2, 0.05]}}}}}}]}}"#
    );
    let mut file = SceneFile::from_json(&text)?;
    file.settings.contact = Some(contact.parse()?);
    Ok(file.build()?)
}

fn measure(contact: &str) -> Result<Row, Failure> {
    let mut scene = scene(contact, 0.0, 0.0)?;
    let block = scene.world.body_named("block").ok_or("a block")?;
    // It settles first: springs and barriers carry it elsewhere than it starts.
    for _ in 0..100 {
        let _ = scene.step()?;
    }
    scene.world.set_velocity(block, taut::math::Vec3::X * 1.5, taut::math::Vec3::ZERO)?;
    let start = scene.world.body(block)?.position().x;
    let (mut unsolved, mut penetration, mut iterations) = (0, 0.0_f64, 0);
    let clock = ProcessTime::now();
    let mut energy = 0.0;
    for _ in 0..60 {
        let report = scene.step()?;
        unsolved += usize::from(!report.converged());
        penetration = penetration.max(report.max_penetration);
        iterations += report.iterations;
        energy = report.kinetic_energy + report.potential_energy;
    }
    let time = clock.elapsed() / 60;
    let at = scene.world.body(block)?.position();
    let stop = [at.x - start, at.z];
    let creep = creep(contact)?;
    let iterations = iterations as f64 / 60.0;
    Ok(Row { stop, creep, penetration, energy, iterations, time, unsolved })
}

fn creep(contact: &str) -> Result<f64, Failure> {
    let mut scene = scene(contact, 0.0, 0.95 * MU.atan())?;
    let block = scene.world.body_named("block").ok_or("a block")?;
    for _ in 0..100 {
        let _ = scene.step()?;
    }
    Ok(scene.world.body(block)?.velocity().x)
}

fn main() -> Result<(), Failure> {
    let exact = measure("complementarity")?;
    println!(
        "| contact | stops off by [m] | rests off by [m] | creep [m/s] | deepest [m] | energy off by [J] | iterations a step | CPU ms a step | unsolved |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut plot = Vec::new();
    let penalties = ["1e4", "1e5", "1e6", "1e8"].map(|k| format!("penalty:stiffness={k}"));
    let reaches = [1.6e-2, 4e-3, 1e-3, 2.5e-4, 6.25e-5];
    let barriers = reaches.map(|d| format!("barrier:d_hat={d:e},eps_v={:e}", 10.0 * d));
    let explicit = ["penalty:explicit,stiffness=1e4,damping=300".to_string()];
    let all = std::iter::once("complementarity".to_string())
        .chain(penalties)
        .chain(explicit)
        .chain(barriers);
    for contact in all {
        let row = measure(&contact)?;
        let off = (row.stop[0] - exact.stop[0]).abs();
        let height = row.stop[1] - exact.stop[1];
        println!(
            "| `{contact}` | {off:.1e} | {height:.1e} | {:.1e} | {:.1e} | {:.1e} | {:.1} | {:.3} | {} |",
            row.creep,
            row.penetration,
            row.energy - exact.energy,
            row.iterations,
            1e3 * row.time.as_secs_f64(),
            row.unsolved
        );
        if let Some(reach) =
            contact.strip_prefix("barrier:d_hat=").and_then(|t| t.split(',').next())
        {
            plot.push((reach.parse::<f64>()?, off, row.creep.abs()));
        }
    }
    for pair in plot.windows(2) {
        let rate = |a: f64, b: f64| (a / b).ln() / (pair[0].0 / pair[1].0).ln();
        println!(
            "rate from d_hat {:.2e} to {:.2e}: stop {:.2}, creep {:.2}",
            pair[0].0,
            pair[1].0,
            rate(pair[0].1, pair[1].1),
            rate(pair[0].2, pair[1].2)
        );
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, svg(&plot))?;
    }
    bounces()?;
    depths()
}

/// How fast a ball of 1 m/s comes back from springs with ω = 100/s, by steps in the half period that a contact takes.
fn bounces() -> Result<(), Failure> {
    println!(
        "\n| steps a contact | h√(k/m) | explicit | implicit | explicit, share 0.25 | implicit, share 0.25 |\n|---|---|---|---|---|---|"
    );
    for steps in [3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0] {
        let h = std::f64::consts::PI / (100.0 * steps);
        print!("| {steps} | {:.3} |", 100.0 * h);
        for (share, explicit) in [(1.0, true), (1.0, false), (0.25, true), (0.25, false)] {
            let text = format!(
                r#"{{"version": 1, "dt": {h}, "gravity": [0, 0, 0], "ground": {{}}, "bodies": [{{"name": "ball", "mass": 1,
                    "shape": {{"ball": {{"radius": 0.1}}}}, "position": [0, 0, {}], "velocity": [0, 0, -1]}}]}}"#,
                0.1 + 0.5 * h
            );
            let mut file = SceneFile::from_json(&text)?;
            file.settings.contact =
                Some(format!("penalty:explicit={explicit},stiffness=1e4,share={share}").parse()?);
            let mut scene = file.build()?;
            let ball = scene.bodies[0];
            let mut speed = -1.0;
            for _ in 0..(20.0 * steps) as usize {
                let _ = scene.step()?;
                let body = scene.world.body(ball)?;
                speed = body.velocity().z;
                if speed > 0.0 && body.position().z > 0.1 {
                    break;
                }
            }
            print!(" {speed:.4} |");
        }
        println!();
    }
    Ok(())
}

/// How deep a box of 8 kg rests that fell from 0.1 m onto springs of 1e5 N/m at four corners, which are weaker on the way out.
fn depths() -> Result<(), Failure> {
    println!("\n| share | rests deep by [m] | mg/4k [m] | mg/4k share [m] |\n|---|---|---|---|");
    let deep = 8.0 * 9.81 / 4e5;
    for share in [1.0, 0.5, 0.1, 0.01] {
        let text = format!(
            r#"{{"version": 1, "dt": {H}, "ground": {{}}, "bodies": [{{"name": "box", "position": [0, 0, 0.2],
                "shape": {{"box": {{"half_extents": [0.1, 0.1, 0.1]}}}}}}]}}"#
        );
        let mut file = SceneFile::from_json(&text)?;
        file.settings.contact = Some(format!("penalty:share={share}").parse()?);
        let mut scene = file.build()?;
        for _ in 0..1000 {
            let _ = scene.step()?;
        }
        let rests = 0.1 - scene.world.body(scene.bodies[0])?.position().z;
        println!("| {share} | {rests:.2e} | {deep:.2e} | {:.2e} |", deep / share);
    }
    Ok(())
}

/// d̂, how far off it stops, how fast it creeps.
type Point = (f64, f64, f64);

/// A curve: name, colour, what it shows of a point.
type Curve = (&'static str, &'static str, fn(&Point) -> f64);

/// Errors over d̂, both by decades.
fn svg(points: &[Point]) -> String {
    let place = |x: f64, y: f64| (60.0 + 130.0 * (x.log10() + 5.0), 20.0 + 40.0 * -y.log10());
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"520\" height=\"360\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"520\" height=\"360\" fill=\"white\"/>\n",
    );
    for k in 1..=7 {
        let (_, y) = place(1e-5, 10.0_f64.powi(-k));
        let _ = writeln!(
            out,
            "<path d=\"M60 {y}H500\" stroke=\"#ddd\"/><text x=\"10\" y=\"{y}\">1e-{k}</text>"
        );
    }
    for k in 2..=5 {
        let (x, _) = place(10.0_f64.powi(-k), 1.0);
        let _ = writeln!(
            out,
            "<path d=\"M{x} 20V320\" stroke=\"#ddd\"/><text x=\"{x}\" y=\"340\">1e-{k}</text>"
        );
    }
    let series: [Curve; 2] = [("stop, m", "#06c", |p| p.1), ("creep, m/s", "#c30", |p| p.2)];
    for (k, (name, colour, of)) in series.into_iter().enumerate() {
        let line: Vec<String> = points
            .iter()
            .map(|p| {
                let (x, y) = place(p.0, of(p).max(1e-8));
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        let _ =
            writeln!(out, "<text x=\"80\" y=\"{}\" fill=\"{colour}\">{name}</text>", 40 + 16 * k);
    }
    out + "<text x=\"260\" y=\"355\">d̂ in m</text>\n</svg>\n"
}
