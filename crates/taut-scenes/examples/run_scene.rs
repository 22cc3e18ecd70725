//! Runs a built-in scene and prints its figures.
//!
//! `cargo run --release -p taut-scenes --example run_scene -- NAME [SIZE [SECONDS [POSES.csv [EVERY [LINES]]]]]`
//!
//! SIZE 0 is the scene's default, negative its reduced size; SECONDS 0 its
//! duration. POSES.csv gets the poses of every EVERY-th frame; figures of
//! every LINES-th frame (60) are printed, and the first unconverged ones.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::{BufWriter, Write};
use taut_scenes::{Scene, builtin};

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct Figures {
    rows: usize,
    rows_max: usize,
    unconverged: usize,
    depth: f64,
    gap: f64,
    seconds: f64,
    passes: usize,
    factorizations: usize,
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().ok_or("which scene?")?;
    let number = |i: usize| args.get(i).map_or(Ok(0.0), |s| s.parse::<f64>());
    let entry = builtin::find(name)?;
    let size = match number(1)? {
        0.0 => entry.default_size,
        s if s < 0.0 => entry.small_size,
        s => s as usize,
    };
    let file = (entry.build)(size);
    let mut scene = file.build()?;
    let frames = match number(2)? {
        s if s > 0.0 => (s / scene.dt).round() as usize,
        _ => scene.frames,
    };
    let mut poses = match args.get(3) {
        Some(path) => Some(BufWriter::new(File::create(path)?)),
        None => None,
    };
    let every = (number(4)? as usize).max(1);
    let lines = match number(5)? {
        n if n >= 1.0 => n as usize,
        _ => 60,
    };
    let mut figures = Figures::default();
    for frame in 0..frames {
        if let Some(out) = poses.as_mut().filter(|_| frame % every == 0) {
            write_poses(&scene, frame, out)?;
        }
        step(&mut scene, frame, lines, &mut figures)?;
    }
    if let Some(out) = poses.as_mut() {
        write_poses(&scene, frames, out)?;
    }
    summary(name, size, &scene, frames, &figures);
    Ok(())
}

fn step(scene: &mut Scene, frame: usize, lines: usize, f: &mut Figures) -> Result<(), Failure> {
    let r = scene.step()?;
    f.rows += r.rows;
    f.rows_max = f.rows_max.max(r.rows);
    f.depth = f.depth.max(r.max_penetration);
    f.gap = f.gap.max(r.max_joint_gap);
    f.seconds += r.timings.total;
    f.passes += r.passes;
    f.factorizations += r.factorizations;
    let bad = !r.converged();
    f.unconverged += usize::from(bad);
    if bad && f.unconverged <= 20 || frame.is_multiple_of(lines) {
        println!(
            "{frame:5} {:?} rows {} contacts {} passes {} fact {} rel {:.1e} fgap {:.1e} depth {:.1e} gap {:.1e} E {:.4e} ms {:.1} {:?}",
            r.status,
            r.rows,
            r.contacts,
            r.passes,
            r.factorizations,
            r.relative_residual,
            r.friction_gap,
            r.max_penetration,
            r.max_joint_gap,
            r.energy(),
            1e3 * r.timings.total,
            r.refusals
        );
    }
    Ok(())
}

fn write_poses(scene: &Scene, frame: usize, out: &mut impl Write) -> Result<(), Failure> {
    for id in &scene.bodies {
        let b = scene.world.body(*id)?;
        let (p, q) = (b.position(), b.orientation());
        let name = b.name();
        writeln!(out, "{frame},{name},{},{},{},{},{},{},{}", p.x, p.y, p.z, q.w, q.x, q.y, q.z)?;
    }
    Ok(())
}

fn summary(name: &str, size: usize, scene: &Scene, frames: usize, f: &Figures) {
    let n = frames.max(1) as f64;
    println!(
        "{name} size {size}: bodies {} rows mean {:.0} max {} unconverged {}/{frames} depth {:.2e} gap {:.2e} rtf {:.3} ms {:.2} passes {:.2} fact {:.1}",
        scene.bodies.len(),
        f.rows as f64 / n,
        f.rows_max,
        f.unconverged,
        f.depth,
        f.gap,
        n * scene.dt / f.seconds.max(1e-12),
        1e3 * f.seconds / n,
        f.passes as f64 / n,
        f.factorizations as f64 / n
    );
}
