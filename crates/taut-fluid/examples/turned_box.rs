//! A box half full of water is turned upside down: with walls that only push the water falls, with
//! walls that hold it hangs from the ceiling.
//!
//! `cargo run --release -p taut-fluid --example turned_box [PICTURE.svg [RECORDING.taut]]` writes a picture of
//! both, and a recording that `taut view RECORDING.taut` shows. With `--cells N` instead it measures
//! pressure solves in a cube of N³ cells.

#![allow(clippy::print_stdout, reason = "an example reports to people")]

use std::error::Error;
use taut_fluid::{Liquid, Options, Wall, picture};
use taut_scenes::recording::{BodyInfo, FIGURES, Frame, Header, Recorder};

/// Steps of 1/120 s, and those that are shown.
const DT: f64 = 1.0 / 120.0;
const STEPS: usize = 240;
const SHOWN: [usize; 4] = [1, 24, 60, 240];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, cells] = &arguments[..]
        && flag == "--cells"
    {
        return measure(cells.parse()?);
    }
    let options = Options { cells: [32, 32, 1], cell: 1.0 / 32.0, ..Options::default() };
    let (mut rows, mut motions) = (Vec::new(), Vec::new());
    let mut size = [1.0; 3];
    for wall in [Wall::Separating, Wall::Sticking] {
        let mut liquid = turned(&Options { wall, ..options.clone() })?;
        size = liquid.size();
        let (mut row, mut worst, mut frames) = (Vec::new(), 0.0_f64, Vec::new());
        for step in 1..=STEPS {
            worst = worst.max(liquid.step(DT)?.divergence);
            frames.push(liquid.particles().to_vec());
            if SHOWN.contains(&step) {
                let words = format!("{wall:?}, {:.2} s", step as f64 * DT);
                row.push((words, liquid.particles().to_vec()));
            }
        }
        println!(
            "{wall:?}: divergence at most {worst:.1e} 1/s; liquid from {:.2} to {:.2} m",
            liquid.lowest(),
            liquid.highest()
        );
        rows.push(row);
        motions.push(frames);
    }
    if let Some(path) = arguments.first() {
        std::fs::write(path, picture(&rows, size, 0.5 * options.cell))?;
        println!("{path} written");
    }
    if let Some(path) = arguments.get(1) {
        record(path, &motions, size, 0.5 * options.cell)?;
    }
    Ok(())
}

/// Just turned: the water that lay on the floor, deeper at one side, lies against the ceiling.
fn turned(options: &Options) -> Result<Liquid, taut_fluid::Error> {
    Liquid::new(options, |x| x[1] > 0.5 + 0.3 * x[0])
}

/// A recording of both boxes side by side, with a ball for every third particle.
fn record(
    path: &str,
    motions: &[Vec<Vec<[f64; 3]>>],
    size: [f64; 3],
    r: f64,
) -> Result<(), Box<dyn Error>> {
    // Upright in the viewer, whose z is up.
    let place = |k: usize, x: [f64; 3]| [x[0] + 1.3 * size[0] * k as f64, x[2], x[1]];
    let (middle, half) = (size.map(|s| 0.5 * s), 2.0 * r + 0.5 * size[2]);
    let walls = [
        ([middle[0], -r, middle[2]], [middle[0] + 2.0 * r, half, r]),
        ([middle[0], size[1] + r, middle[2]], [middle[0] + 2.0 * r, half, r]),
        ([-r, middle[1], middle[2]], [r, half, middle[1]]),
        ([size[0] + r, middle[1], middle[2]], [r, half, middle[1]]),
    ];
    let still = |k: usize| walls.map(|(x, _)| place(k, x));
    let drops = |k: usize, n: usize| {
        let all = motions[k].get(n).map_or(&[][..], Vec::as_slice);
        all.iter().step_by(3).map(move |x| place(k, *x))
    };
    let mut bodies = Vec::new();
    for k in 0..motions.len() {
        for (x, (_, half_extents)) in still(k).into_iter().zip(walls) {
            let shape = serde_json::json!({"box": {"half_extents": half_extents}});
            bodies.push((shape, "fixed", x));
        }
        bodies.extend(
            drops(k, 0).map(|x| (serde_json::json!({"ball": {"radius": r}}), "kinematic", x)),
        );
    }
    let name = |k: usize| format!("body{k}");
    let described = bodies.iter().enumerate().map(|(k, (shape, kind, position))| {
        serde_json::json!({"name": name(k), "shape": shape, "position": position, "kind": kind})
    });
    let steps = motions.first().map_or(0, Vec::len);
    let scene = serde_json::json!({
        "version": 1, "name": "turned box: walls that push, walls that hold", "dt": DT,
        "duration": steps as f64 * DT, "bodies": described.collect::<Vec<_>>(),
    });
    let scene = taut_scenes::file::SceneFile::from_json(&scene.to_string())?;
    let (centre, inertia) = ([0.0; 3], [0.0; 6]);
    let info = |k: usize| BodyInfo { name: name(k), mass: 0.0, centre, inertia };
    let header = Header {
        scene,
        bodies: (0..bodies.len()).map(info).collect(),
        joints: Vec::new(),
        skins: Vec::new(),
    };
    let mut recorder = Recorder::new(std::fs::File::create(path)?, &header)?;
    for n in 0..steps {
        let pose = |x: [f64; 3]| [x[0], x[1], x[2], 1.0, 0.0, 0.0, 0.0].map(|v| v as f32);
        let places = (0..motions.len()).flat_map(|k| still(k).into_iter().chain(drops(k, n)));
        recorder.push(Frame {
            time: (n + 1) as f64 * DT,
            figures: [f32::NAN; FIGURES.len()],
            poses: places.map(pose).collect(),
            subsystems: Vec::new(),
            tensions: Vec::new(),
            details: Vec::new(),
            skins: Vec::new(),
        })?;
    }
    recorder.finish()?;
    println!("{path} written");
    Ok(())
}

/// Pressure solves of a pool with a slope, which begins to slosh.
fn measure(n: usize) -> Result<(), Box<dyn Error>> {
    let options =
        Options { cells: [n, n, n], cell: 1.0 / n as f64, particles: 1, ..Options::default() };
    let mut liquid = Liquid::new(&options, |x| x[1] < 0.9 + 0.08 * x[0])?;
    for step in 1..=3 {
        let before = cpu_time::ProcessTime::now();
        let report = liquid.step(0.2 / n as f64)?;
        println!(
            "{n}³ cells, step {step}: {} rows, {} iterations, {} of conjugate gradients, {:.2} s CPU, divergence {:.1e} 1/s",
            report.rows,
            report.iterations,
            report.inner,
            before.elapsed().as_secs_f64(),
            report.divergence
        );
    }
    Ok(())
}
