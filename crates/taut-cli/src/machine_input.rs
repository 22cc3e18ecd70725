//! From a robot's file to a scene.

use std::path::{Path, PathBuf};

use taut_import::{Options, Start};
use taut_scenes::file::SceneFile;

use crate::failure::Failure;
use crate::output;

/// How to read URDF, MJCF and SDFormat files.
#[derive(Clone, clap::Args, Default)]
pub struct MachineArgs {
    /// A folder in which meshes of a robot's file are looked for; may be given several times.
    #[arg(long)]
    mesh_path: Vec<PathBuf>,
    /// Refuse robots' files with something that is left out.
    #[arg(long)]
    strict: bool,
    /// Meshes that are not convex collide as convex parts (V-HACD), in place of as their hulls.
    #[arg(long)]
    decompose: bool,
    /// A folder in which the parts of --decompose are kept.
    #[arg(long, requires = "decompose")]
    mesh_cache: Option<PathBuf>,
    /// The keyframe in which an MJCF model starts, or "none" [default: the first, if there is one].
    #[arg(long)]
    keyframe: Option<String>,
    /// Let the root of a URDF move freely, in place of fixing it to the world.
    #[arg(long)]
    free_base: bool,
    /// Step as the robot's file says (MJCF timestep, SDFormat max_step_size), in place of 1/60 s.
    #[arg(long)]
    file_step: bool,
    /// A scene file (.json) whose bodies, joints, cables … are added to the robot: joints that close loops, a ground; may be given several times.
    #[arg(long)]
    with: Vec<PathBuf>,
}

impl MachineArgs {
    /// Whether one of them was given.
    pub fn any(&self) -> bool {
        let given = self.strict || self.free_base || self.decompose || self.file_step;
        given || !self.mesh_path.is_empty() || !self.with.is_empty() || self.keyframe.is_some()
    }

    /// The scene of a robot's file; what is left out is told on stderr.
    pub fn load(&self, path: &Path) -> Result<SceneFile, Failure> {
        let start = match self.keyframe.as_deref() {
            None => Start::First,
            Some("none") => Start::Reference,
            Some(name) => Start::Named(name.into()),
        };
        let options = Options {
            mesh_paths: self.mesh_path.clone(),
            strict: self.strict,
            free_base: self.free_base,
            decompose: self.decompose,
            mesh_cache: self.mesh_cache.clone(),
            start,
            file_step: self.file_step,
            with: self.with.clone(),
        };
        let hint = "docs/ROBOTS.md says what is read of URDF, MJCF and SDFormat";
        let read = taut_import::read(path, &options);
        let machine = read.map_err(|e| Failure::new(e.to_string(), hint))?;
        machine.notes.iter().for_each(|note| output::warning(note));
        Ok(machine.scene)
    }
}
