//! `taut export`: the problem of a frame, or the scene, as files.

use std::path::{Path, PathBuf};

use taut_lcp::io::matrix_market;

use crate::failure::Failure;
use crate::scene_input::SceneArgs;
use crate::{Ended, output};

/// What to write, and where to.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Write the problem of this frame, counting from 1, as Matrix Market
    /// files; without it, the scene itself as a scene file.
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    frame: Option<usize>,
    /// The folder of the problem, or the scene file (.json).
    #[arg(long)]
    out: PathBuf,
}

/// Runs to the frame and writes its problem, or writes the scene.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let json = args.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    match (args.frame, json) {
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
            "taut export SCENE --frame N --out DIR, or taut export SCENE --out FILE.json",
        )),
    }
}

fn problem(args: &Args, frame: usize) -> Result<Ended, Failure> {
    let mut scene = args.scene.build(&args.scene.file()?)?;
    let mut converged = true;
    for _ in 0..frame {
        converged = scene.step()?.converged();
    }
    let problem = scene.world.problem()?;
    if problem.rows() == 0 {
        let hint = "nothing is joined or in contact there: choose another frame";
        return Err(Failure::new(format!("frame {frame} has no rows to solve"), hint));
    }
    matrix_market::write_folder(&args.out, &problem)
        .map_err(|e| Failure::new(e.to_string(), "--out needs a folder that can be written to"))?;
    let note = if converged { "" } else { " (this frame did not converge)" };
    output::text(&format!(
        "{}: the problem of frame {frame}, {} rows{note}\n",
        args.out.display(),
        problem.rows()
    ))?;
    Ok(Ended::Done)
}

fn scene(args: &Args) -> Result<Ended, Failure> {
    let file = args.scene.file()?;
    file.write(Path::new(&args.out))?;
    let (bodies, joints) = (file.bodies.len(), file.joints.len());
    output::text(&format!("{}: {bodies} bodies, {joints} joints\n", args.out.display()))?;
    Ok(Ended::Done)
}
