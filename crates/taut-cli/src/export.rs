//! `taut export`: the problem of a frame, or the scene, as files.

use std::path::{Path, PathBuf};

use taut::FrictionMode;
use taut_lcp::io::{fclib, matrix_market};
use taut_lcp::polyhedral::Polyhedral;
use taut_lcp::{Error, Problem};

use crate::failure::Failure;
use crate::scene_input::{SceneArgs, at_least_one};
use crate::{Ended, output};

/// What to write, and where to.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Write the problem of this frame, counting from 1: to a folder as Matrix
    /// Market files, or, if all its rows are contacts, to an FCLIB file
    /// (.hdf5); friction in boxes, if the scene says nothing else. Without it, the scene itself
    /// as a scene file (.json), for MuJoCo (.xml), or as a URDF (.urdf).
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    frame: Option<usize>,
    /// The folder or file to write.
    #[arg(long)]
    out: PathBuf,
}

/// Runs to the frame and writes its problem, or writes the scene.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let extension = args.out.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    if args.frame.is_none() && ["xml", "mjcf", "urdf"].contains(&extension.as_str()) {
        return machine(args, extension == "urdf");
    }
    match (args.frame, extension == "json") {
        (Some(frame), false) => problem(args, frame),
        (None, true) => scene(args),
        (Some(_), true) => Err(Failure::new(
            format!(
                "{}: a problem is written to a folder, not to a .json file",
                args.out.display()
            ),
            "leave --frame out to write the scene, or name a folder",
        )),
        (None, false) => Err(Failure::new(
            "which frame? --frame is missing",
            "taut export SCENE --frame N --out DIR, or taut export SCENE --out FILE.json, .xml (MJCF) or .urdf",
        )),
    }
}

fn problem(args: &Args, frame: usize) -> Result<Ended, Failure> {
    let mut file = args.scene.file()?;
    // Boxes, which every solver takes, unless cones are asked for.
    file.settings.friction.get_or_insert(FrictionMode::Box);
    let mut scene = args.scene.build(&file)?;
    let mut converged = true;
    for _ in 0..frame {
        converged = scene.step()?.converged();
    }
    let mut problem = scene.world.problem()?;
    if let FrictionMode::Polyhedral { directions } = scene.world.settings().friction {
        problem = Polyhedral::new(&problem, directions)?.problem().clone();
    }
    if problem.rows() == 0 {
        let hint = "nothing is joined or in contact there: choose another frame";
        return Err(Failure::new(format!("frame {frame} has no rows to solve"), hint));
    }
    write(&args.out, &problem)?;
    let note = if converged { "" } else { " (this frame did not converge)" };
    output::text(&format!(
        "{}: the problem of frame {frame}, {} rows{note}\n",
        args.out.display(),
        problem.rows()
    ))?;
    Ok(Ended::Done)
}

/// As an FCLIB file, if the name says so, else as a folder.
fn write(out: &Path, problem: &Problem) -> Result<(), Failure> {
    let fclib =
        |e: &std::ffi::OsStr| e.eq_ignore_ascii_case("hdf5") || e.eq_ignore_ascii_case("h5");
    let (written, hint) = if out.extension().is_some_and(fclib) {
        (fclib::write_file(out, problem), "--out needs a file in a folder that can be written to")
    } else {
        (matrix_market::write_folder(out, problem), "--out needs a folder that can be written to")
    };
    written.map_err(|e| match e {
        Error::Row { .. } => Failure::new(e.to_string(), "a folder (--out DIR) can hold all rows"),
        _ => Failure::new(e.to_string(), hint),
    })
}

fn scene(args: &Args) -> Result<Ended, Failure> {
    let file = args.scene.file()?;
    file.write(Path::new(&args.out))?;
    let (bodies, joints) = (file.bodies.len(), file.joints.len());
    output::text(&format!("{}: {bodies} bodies, {joints} joints\n", args.out.display()))?;
    Ok(Ended::Done)
}

/// The scene as a robot's file, its meshes beside it.
fn machine(args: &Args, urdf: bool) -> Result<Ended, Failure> {
    let file = args.scene.file()?;
    let stem = args.out.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let made = match urdf {
        true => taut_import::export::urdf(&file, &stem)?,
        false => taut_import::export::mjcf(&file)?,
    };
    made.notes.iter().for_each(|note| output::warning(note));
    let meshes = made.meshes.iter().map(|(name, text)| (args.out.with_file_name(name), text));
    for (path, text) in meshes.chain([(args.out.clone(), &made.text)]) {
        std::fs::write(&path, text).map_err(|e| {
            let reason = format!("{}: cannot be written: {e}", path.display());
            Failure::new(reason, "--out needs a file in a folder that can be written to")
        })?;
    }
    let (bodies, joints) = (file.bodies.len(), file.joints.len());
    output::text(&format!("{}: {bodies} bodies, {joints} joints\n", args.out.display()))?;
    Ok(Ended::Done)
}
