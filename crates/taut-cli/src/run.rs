//! `taut run`: a scene from its first frame to its last.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use cpu_time::ProcessTime;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use taut::{JointId, StepReport};
use taut_scenes::file::SceneFile;
use taut_scenes::recording::{self, Frame, Header, Recorder};
use taut_scenes::{AtomicFile, Scene};

use crate::failure::Failure;
use crate::forces::Forces;
use crate::poses::Poses;
use crate::scene_input::{SceneArgs, at_least_one};
use crate::summary::{Figures, Summary};
use crate::{Ended, output, page};

/// Warnings about the start that are said in full.
const MOST_WARNINGS: usize = 10;

/// What to run, and what to keep of it.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Frames to run [default: the scene's duration].
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    frames: Option<usize>,
    /// Write the state of every body after every frame to this CSV file.
    #[arg(long)]
    poses: Option<PathBuf>,
    /// Write the place and velocity of every node of every soft body after every frame to this CSV file.
    #[arg(long)]
    nodes: Option<PathBuf>,
    /// Write the forces of every joint, cable and contact in every frame to this CSV file.
    #[arg(long)]
    forces: Option<PathBuf>,
    /// With --contact barrier: write every Newton step of every frame to this CSV file.
    #[arg(long)]
    newton: Option<PathBuf>,
    /// Write a recording for replay to this file.
    #[arg(long)]
    record: Option<PathBuf>,
    /// Write a page that replays the run in any browser to this file.
    #[arg(long)]
    html: Option<PathBuf>,
    /// Put velocities, contacts and forces into the recording and the page too, which makes them
    /// many times as large.
    #[arg(long)]
    with_forces: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    scene: &'a str,
    #[serde(flatten)]
    figures: &'a Figures,
    /// What was odd at the start.
    warnings: &'a [String],
    poses: Option<String>,
    nodes: Option<String>,
    forces: Option<String>,
    record: Option<String>,
    html: Option<String>,
}

/// Runs, writes, reports. A recording is continued where it ends.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let (file, mut scene, done) = match args.scene.recording()? {
        Some(recording) => {
            let (scene, frame) = args.scene.resume(&recording)?;
            (recording.header.scene, scene, frame)
        }
        None => {
            let file = args.scene.file()?;
            let scene = args.scene.build(&file)?;
            (file, scene, 0)
        }
    };
    if scene.begin_barriers()?.is_some() {
        if args.forces.is_some() || args.with_forces {
            let hint = "leave them out, or take another --contact";
            return Err(Failure::new(
                "--forces and --with-forces: barriers tell no forces of contacts and joints",
                hint,
            ));
        }
    } else if args.newton.is_some() {
        return Err(Failure::new("--newton is for --contact barrier", "leave it out"));
    }
    // A recording goes on where it was; it does not start.
    let warnings = if done == 0 { warnings(&scene) } else { Vec::new() };
    warnings.iter().for_each(|text| output::warning(text));
    let frames = args.frames.unwrap_or(scene.frames.saturating_sub(done)).max(1);
    let outputs = Outputs::create(args, &file, &scene)?;
    let summary = simulate(&mut scene, frames, outputs)?;
    let figures = summary.figures(&scene.world, scene.dt);
    let name = file.name.as_deref().unwrap_or("scene");
    if args.json {
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|p| p.display().to_string());
        output::json(&Answer {
            scene: name,
            figures: &figures,
            warnings: &warnings,
            poses: shown(&args.poses),
            nodes: shown(&args.nodes),
            forces: shown(&args.forces),
            record: shown(&args.record),
            html: shown(&args.html),
        })?;
    } else {
        output::text(&table(name, &figures))?;
    }
    Ok(if summary.is_good() { Ended::Done } else { Ended::Unconverged })
}

/// What is odd about the start of a scene, in at most eleven lines.
pub fn warnings(scene: &Scene) -> Vec<String> {
    let mut lines = scene.start_warnings();
    let more = lines.len().saturating_sub(MOST_WARNINGS);
    lines.truncate(MOST_WARNINGS);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The files of a run; they appear when it is over.
struct Outputs {
    poses: Option<(PathBuf, Poses)>,
    nodes: Option<(PathBuf, Poses)>,
    forces: Option<(PathBuf, Forces)>,
    record: Option<(PathBuf, Recorder<AtomicFile>)>,
    html: Option<(AtomicFile, PathBuf, Recorder<Vec<u8>>)>,
    newton: Option<(AtomicFile, PathBuf)>,
    /// Joints of the recording, where it is to have forces.
    joints: Option<Vec<JointId>>,
}

fn cannot_write(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    let place = path.display().to_string();
    move |e| {
        let hint = match e.kind() {
            ErrorKind::NotFound => "its folder does not exist",
            _ => "name a file in a folder that can be written to",
        };
        Failure::new(format!("{place}: cannot be written: {e}"), hint)
    }
}

impl Outputs {
    fn create(args: &Args, file: &SceneFile, scene: &Scene) -> Result<Self, Failure> {
        let (header, joints) = Header::new(file, scene);
        let joints = args.with_forces.then_some(joints);
        let (poses, nodes) = (None, None);
        let mut outputs =
            Outputs { poses, nodes, forces: None, record: None, html: None, newton: None, joints };
        if let Some(path) = &args.newton {
            let started = AtomicFile::create(path).and_then(|mut out| {
                writeln!(out, "frame,iteration,speed,free,taken,contacts,gap,stiffness")?;
                Ok(out)
            });
            outputs.newton = Some((started.map_err(cannot_write(path))?, path.clone()));
        }
        if let Some(path) = &args.poses {
            outputs.poses = Some((path.clone(), Poses::create(path).map_err(cannot_write(path))?));
        }
        if let Some(path) = &args.nodes {
            outputs.nodes =
                Some((path.clone(), Poses::of_nodes(path).map_err(cannot_write(path))?));
        }
        if let Some(path) = &args.forces {
            let forces = Forces::create(path).map_err(cannot_write(path))?;
            outputs.forces = Some((path.clone(), forces));
        }
        let first = outputs.seen(scene, None);
        if let Some(path) = &args.record {
            let started = AtomicFile::create(path).and_then(|out| {
                let mut recorder = Recorder::new(out, &header)?;
                recorder.keep(first.clone(), scene)?;
                Ok(recorder)
            });
            outputs.record = Some((path.clone(), started.map_err(cannot_write(path))?));
        }
        if let Some(path) = &args.html {
            let out = AtomicFile::create(path).map_err(cannot_write(path))?;
            let mut recorder = Recorder::new(Vec::new(), &header).map_err(cannot_write(path))?;
            recorder.push(first).map_err(cannot_write(path))?;
            outputs.html = Some((out, path.clone(), recorder));
        }
        Ok(outputs)
    }

    /// The scene as it is now.
    fn seen(&self, scene: &Scene, figures: Option<recording::Figures>) -> Frame {
        let details = self.joints.as_ref().map(|joints| recording::details(scene, joints));
        Frame { details: details.unwrap_or_default(), ..Frame::of(scene, figures) }
    }

    fn frame(&mut self, frame: usize, scene: &Scene, report: &StepReport) -> Result<(), Failure> {
        if let Some((path, poses)) = &mut self.poses {
            poses.frame(frame, scene).map_err(cannot_write(path))?;
        }
        if let Some((path, nodes)) = &mut self.nodes {
            nodes.nodes(frame, scene).map_err(cannot_write(path))?;
        }
        if let Some((path, forces)) = &mut self.forces {
            forces.frame(frame, scene).map_err(cannot_write(path))?;
        }
        if let (Some((out, path)), Some(barriers)) = (&mut self.newton, scene.barriers()) {
            for p in barriers.progress() {
                writeln!(
                    out,
                    "{frame},{},{:e},{},{},{},{:e},{:e}",
                    p.iteration, p.speed, p.free, p.taken, p.contacts, p.gap, p.stiffness
                )
                .map_err(cannot_write(path))?;
            }
        }
        if self.record.is_none() && self.html.is_none() {
            return Ok(());
        }
        let seen = self.seen(scene, Some(recording::figures(report, scene.dt)));
        if let Some((path, record)) = &mut self.record {
            record.keep(seen.clone(), scene).map_err(cannot_write(path))?;
        }
        if let Some((_, path, recorder)) = &mut self.html {
            recorder.push(seen).map_err(cannot_write(path))?;
        }
        Ok(())
    }

    fn finish(self, scene: &Scene) -> Result<(), Failure> {
        if let Some((path, poses)) = self.poses {
            poses.finish().map_err(cannot_write(&path))?;
        }
        if let Some((path, nodes)) = self.nodes {
            nodes.finish().map_err(cannot_write(&path))?;
        }
        if let Some((path, forces)) = self.forces {
            forces.finish().map_err(cannot_write(&path))?;
        }
        if let Some((out, path)) = self.newton {
            out.commit().map_err(cannot_write(&path))?;
        }
        if let Some((path, mut record)) = self.record {
            let finished = record.snapshot(&scene.world.snapshot()).and_then(|()| record.finish());
            finished.and_then(AtomicFile::commit).map_err(cannot_write(&path))?;
        }
        if let Some((mut out, path, recorder)) = self.html {
            let recording = recorder.finish().map_err(cannot_write(&path))?;
            let html = page::replay(page::PAGE, &recording);
            let written = out.write_all(html.as_bytes()).and_then(|()| out.commit());
            written.map_err(cannot_write(&path))?;
        }
        Ok(())
    }
}

fn simulate(scene: &mut Scene, frames: usize, mut outputs: Outputs) -> Result<Summary, Failure> {
    let bar = progress(frames);
    let mut summary = Summary::new(&scene.world);
    for frame in 1..=frames {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let report = scene.step()?;
        summary.cpu_ms.push(1e3 * cpu.elapsed().as_secs_f64());
        summary.wall += wall.elapsed().as_secs_f64();
        summary.add(&report, &scene.world, scene.dt);
        outputs.frame(frame, scene, &report)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    outputs.finish(scene)?;
    Ok(summary)
}

/// A bar on stderr, if that is a terminal.
fn progress(frames: usize) -> ProgressBar {
    let bar = ProgressBar::new(frames as u64);
    let template = "{bar:40} frame {pos} of {len}, {per_sec}, {eta} left";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn table(name: &str, f: &Figures) -> String {
    let unconverged = match (f.first_unconverged_frame, &f.first_unconverged_reason) {
        (Some(frame), Some(why)) => {
            format!("{} of {} steps; first frame {frame}: {why}", f.unconverged_steps, f.frames)
        }
        _ => "none".into(),
    };
    let mut lines = vec![
        ("speed", speed(f)),
        ("unconverged", unconverged),
        ("penetration", format!("at most {}", length(f.max_penetration))),
        ("joint gap", format!("at most {}", length(f.max_joint_gap))),
        ("at rest", rest(&f.resting)),
        ("size", size(f)),
        ("solver", f.choice.clone().unwrap_or_else(|| f.solver.into())),
        ("solve time", times(&f.solve_ms)),
        ("step time", times(&f.step_ms)),
        ("CPU time", times(&f.cpu_ms)),
    ];
    if f.cables > 0 {
        lines.insert(4, ("tension", format!("at most {:.4e} N", f.max_tension)));
        lines.insert(5, ("over-length", format!("at most {:.1e} of a cable", f.max_over_length)));
    }
    lines.extend(f.phases_ms.iter().map(|&(name, ms)| (name, phase(ms, f.step_ms.mean))));
    lines.push(("energy", energy(f)));
    if f.halved_steps > 0 {
        lines.push((
            "halved",
            format!("{} of {} steps were done in parts", f.halved_steps, f.frames),
        ));
    }
    lines.extend(what_went_wrong(f));
    let seconds = f.simulated_seconds;
    let solver = f.solver;
    let head = format!("{name}: {} frames, {seconds:.4} s, solver {solver}\n", f.frames);
    let body = lines.iter().map(|(what, value)| format!("  {what:13}  {value}\n"));
    head + &body.collect::<String>()
}

/// What was not as it should be, and what gave way: nothing in a sound run.
fn what_went_wrong(f: &Figures) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if f.softened_steps > 0 {
        let (steps, most) = (f.softened_steps, f.max_contact_compliance);
        let said = format!(
            "gave way in {steps} of {} steps, compliance at most {most:.0e}, residual of the law \
             as posed at most {:.1e}",
            f.frames, f.max_relative_residual,
        );
        lines.push(("contacts", said));
    }
    if f.torn_steps > 0 {
        let first = f.torn_joint.as_deref().unwrap_or("");
        let said =
            format!("{} steps left joints open, first '{first}'; try more substeps", f.torn_steps);
        lines.push(("torn", said));
    }
    if f.stuck_steps > 0 {
        let first = f.stuck_body.as_deref().unwrap_or("");
        let said = format!(
            "in {} steps a body stood still, held back for up to {} in a row, first '{first}'; try \
             more substeps",
            f.stuck_steps, f.longest_held
        );
        lines.push(("stuck", said));
    }
    if let Some([a, b]) = &f.sunk_pair {
        let said = format!(
            "in {} steps solids were deeper in one another than half their thickness, first '{a}' and '{b}'; they may have passed through one another; try more substeps",
            f.sunk_steps
        );
        lines.push(("sunk", said));
    }
    if let Some(body) = &f.inverted_body {
        let said = format!(
            "after {} of {} steps elements of soft bodies were inside out, at up to {} samples, first in '{body}'; at the end at {}",
            f.inverted_steps, f.frames, f.max_inverted, f.inverted_at_end
        );
        lines.push(("inverted", said));
    }
    if let Some(name) = &f.long_cable {
        let said = format!(
            "in {} steps a cable that does not stretch was too long, by up to {:.1e} of its length, first '{name}'; try more substeps",
            f.overlong_steps, f.max_over_length
        );
        lines.push(("too long", said));
    }
    if let (Some(frame), Some(tolerance)) = (f.first_gained_frame, f.energy_tolerance) {
        let said = format!(
            "{:.3e} J, from frame {frame} on more than the {tolerance:.1e} J that count as sound; \
             try more substeps",
            f.energy_created
        );
        lines.push(("created", said));
    }
    if f.energy_mended > 1e-9 {
        let said =
            "put in to part what starts inside one another, and to close joints that start open";
        lines.push(("mended", format!("{:.3e} J {said}", f.energy_mended)));
    }
    if f.broken_joints > 0 {
        lines.push(("broken joints", f.broken_joints.to_string()));
    }
    let lists = [
        ("broken cables", &f.broken_cables),
        ("left pulleys", &f.left_pulleys),
        ("winch stopped", &f.stopped_winches),
    ];
    for (what, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        lines.push((what, list.join(", ")));
    }
    if !f.quarantined.is_empty() {
        lines.push(("lost bodies", f.quarantined.join(", ")));
    }
    lines
}

fn speed(f: &Figures) -> String {
    let factor = f.real_time_factor;
    let words = match factor {
        x if x >= 1.0 => format!("{x:.1} times faster than real time"),
        x => format!("{:.1} times slower than real time", 1.0 / x),
    };
    format!("{words} ({:.3} ms CPU per frame)", 1e3 * f.cpu_seconds_per_frame)
}

fn rest(r: &crate::rest::RestFigures) -> String {
    match (r.median_acceleration, r.p95_acceleration, r.max_acceleration) {
        (Some(half), Some(most), Some(max)) => format!(
            "{} bodies, acceleration half below {half:.0e} m/s², 95 % below {most:.0e} m/s², \
             worst {max:.0e} m/s²",
            r.bodies
        ),
        _ => "no body".into(),
    }
}

fn size(f: &Figures) -> String {
    format!(
        "{} bodies, {} joints, {} rows, {} contacts, mass ratio {:.0}",
        f.bodies, f.joints, f.max_rows, f.max_contacts, f.mass_ratio
    )
}

fn times(t: &crate::summary::Spread) -> String {
    format!("mean {:.3} ms, 95 % below {:.3} ms, worst {:.3} ms", t.mean, t.p95, t.worst)
}

/// Time of a phase, and its share of the step.
fn phase(ms: f64, step_ms: f64) -> String {
    format!("mean {ms:.3} ms, {:.0} % of the step", 100.0 * ms / step_ms.max(f64::MIN_POSITIVE))
}

fn energy(f: &Figures) -> String {
    let change = f.energy_end - f.energy_start;
    format!("changed by {change:+.3} J, highest {:+.3} J above the start", f.max_energy_gain)
}

/// A length with three digits and a fitting unit.
fn length(x: f64) -> String {
    match x {
        0.0 => "0".into(),
        x if x >= 0.1 => format!("{x:.3} m"),
        x if x >= 1e-4 => format!("{:.3} mm", 1e3 * x),
        x => format!("{:.2e} mm", 1e3 * x),
    }
}
