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
    let mut rows = Vec::new();
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
        if let (Wall::Separating, Some(path)) = (wall, arguments.get(1)) {
            record(path, &frames, size, 0.5 * options.cell)?;
        }
    }
    if let Some(path) = arguments.first() {
        std::fs::write(path, picture(&rows, size, 0.5 * options.cell))?;
        println!("{path} written");
    }
    Ok(())
}

/// Just turned: the water that lay on the floor, deeper at one side, lies against the ceiling.
fn turned(options: &Options) -> Result<Liquid, taut_fluid::Error> {
    Liquid::new(options, |x| x[1] > 0.5 + 0.3 * x[0])
}

/// A recording with a ball for every third particle.
fn record(
    path: &str,
    frames: &[Vec<[f64; 3]>],
    size: [f64; 3],
    r: f64,
) -> Result<(), Box<dyn Error>> {
    let pick = |frame: &[[f64; 3]]| -> Vec<[f64; 3]> {
        // Upright in the viewer, whose z is up.
        frame.iter().step_by(3).map(|x| [x[0] - 0.5 * size[0], x[2], x[1]]).collect()
    };
    let first = pick(frames.first().map_or(&[][..], Vec::as_slice));
    let bodies: Vec<_> = (0..first.len())
        .map(|k| {
            serde_json::json!({
                "name": format!("drop{k}"),
                "shape": {"ball": {"radius": r}},
                "position": first[k],
                "kind": "kinematic",
            })
        })
        .collect();
    let scene = serde_json::json!({
        "version": 1, "duration": frames.len() as f64 * DT, "dt": DT, "bodies": bodies,
    });
    let scene = taut_scenes::file::SceneFile::from_json(&scene.to_string())?;
    let info = |k: usize| BodyInfo { name: format!("drop{k}"), mass: 0.0 };
    let header = Header { scene, bodies: (0..first.len()).map(info).collect(), joints: Vec::new() };
    let mut recorder = Recorder::new(std::fs::File::create(path)?, &header)?;
    for (n, frame) in frames.iter().enumerate() {
        let pose = |x: [f64; 3]| [x[0], x[1], x[2], 1.0, 0.0, 0.0, 0.0].map(|v| v as f32);
        recorder.push(Frame {
            time: (n + 1) as f64 * DT,
            figures: [f32::NAN; FIGURES.len()],
            poses: pick(frame).into_iter().map(pose).collect(),
            subsystems: Vec::new(),
            tensions: Vec::new(),
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
