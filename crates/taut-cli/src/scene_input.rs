//! From what the user named to a scene.

use std::path::Path;

use taut::lcp::SolverConfig;
use taut::{ContactModel, FrictionMode};
use taut_scenes::builtin;
use taut_scenes::file::SceneFile;
use taut_scenes::recording::Recording;
use taut_scenes::{Scene, SceneError};

use crate::failure::Failure;
use crate::machine_input::MachineArgs;

/// Which scene, and what to change in it.
#[derive(Clone, clap::Args)]
pub struct SceneArgs {
    /// A built-in scene (`taut list` shows them), a scene file (.json), a robot (.urdf, .xml of
    /// MuJoCo, .sdf), or a recording.
    scene: String,
    /// Size of a built-in scene [default: that of its source].
    #[arg(long, value_parser = at_least_one, allow_negative_numbers = true)]
    size: Option<usize>,
    /// Solver; `taut list` shows them all [default: the scene's].
    #[arg(long)]
    solver: Option<String>,
    /// Law of friction: cone, ccp (the cone with the associated law), polyhedral:K (the cone
    /// in K directions), or box, last_step, frictionless_pass (boxes, from most to least
    /// exact) [default: the scene's, else cone; with a solver that takes no cones box].
    #[arg(long, value_parser = friction)]
    friction: Option<FrictionMode>,
    /// What keeps bodies apart: complementarity (exact), penalty (springs) or barrier (nothing ever
    /// intersects); the last two with values, as in penalty:explicit,stiffness=1e6,damping=10 or
    /// barrier:d_hat=1e-4,eps_v=1e-4 [default: the scene's, else complementarity].
    #[arg(long, value_parser = contact)]
    contact: Option<ContactModel>,
    /// Leave islands to sweeps that reach this relative residual for less work; 1e-3 helps heaps
    /// while they move, and costs where they rest [default: the scene's, else every island is solved exactly].
    #[arg(long, value_parser = accuracy)]
    accuracy: Option<f64>,
    /// Time step in seconds [default: the scene's].
    #[arg(long, value_parser = step, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Threads; results do not depend on it.
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    #[command(flatten)]
    machine: MachineArgs,
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// A count of frames, bodies or runs.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    let value = text.parse().ok().filter(|n| *n >= 1);
    value.ok_or_else(|| "expected a whole number of at least 1".into())
}

fn step(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|h| h.is_finite() && *h > 0.0);
    value.ok_or_else(|| "expected a positive number of seconds".into())
}

fn accuracy(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|a| *a > 0.0 && *a < 1.0);
    value.ok_or_else(|| "expected a number between 0 and 1".into())
}

fn friction(text: &str) -> Result<FrictionMode, String> {
    text.parse().map_err(|e| match e {
        taut::Error::Value { expected, .. } => format!("expected {expected}"),
        other => other.to_string(),
    })
}

fn contact(text: &str) -> Result<ContactModel, String> {
    text.parse().map_err(|e| match e {
        taut::Error::Value { name: "contact", value, expected } if value != text => {
            format!("'{value}': expected {expected}")
        }
        taut::Error::Value { name: "contact", expected, .. } => format!("expected {expected}"),
        other => other.to_string(),
    })
}

impl SceneArgs {
    /// The file of the scene, if it is in one.
    #[cfg(feature = "view")]
    pub fn path(&self) -> Option<&Path> {
        let path = Path::new(&self.scene);
        (is_json(path) || taut_import::is_machine(path)).then_some(path)
    }

    /// The recording, if one was named.
    pub fn recording(&self) -> Result<Option<Recording>, Failure> {
        let path = Path::new(&self.scene);
        let scene = is_json(path) || taut_import::is_machine(path);
        if scene || !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
            return Ok(None);
        }
        let bytes = std::fs::read(path).map_err(|e| {
            Failure::new(format!("{}: cannot be read: {e}", self.scene), "is it yours to read?")
        })?;
        if !Recording::begins(&bytes) {
            let reason = format!("{}: neither a scene file nor a recording", self.scene);
            return Err(Failure::new(
                reason,
                "scene files end in .json, robots in .urdf, .xml or .sdf",
            ));
        }
        if self.size.is_some()
            || self.dt.is_some()
            || self.friction.is_some()
            || self.contact.is_some()
            || self.accuracy.is_some()
        {
            let hint = "leave them out: a recording has its scene and its settings";
            return Err(Failure::new(
                "--size, --dt, --friction, --contact and --accuracy are not for recordings",
                hint,
            ));
        }
        let read = Recording::from_bytes(&bytes);
        Ok(Some(read.map_err(|e| in_file(e, &self.scene))?))
    }

    /// The scene of a recording, as it was at the end, and its frame.
    pub fn resume(&self, recording: &Recording) -> Result<(Scene, usize), Failure> {
        let (mut scene, frame) = recording.resume().map_err(|e| in_file(e, &self.scene))?;
        if let Some(solver) = &self.solver {
            scene.world.settings_mut().solver = SolverConfig::named(solver)?;
        }
        scene.world.settings_mut().threads = self.threads.into();
        Ok((scene, frame))
    }

    /// The scene as a file, with what the user changed.
    pub fn file(&self) -> Result<SceneFile, Failure> {
        let mut file = load_with(&self.scene, self.size, &self.machine)?;
        if let Some(solver) = &self.solver {
            SolverConfig::named(solver)?;
            file.settings.solver = Some(solver.clone());
        }
        if self.accuracy.is_some() {
            file.settings.accuracy = Some(self.accuracy);
        }
        file.settings.contact = self.contact.or(file.settings.contact);
        file.settings.friction = self.friction.or(file.settings.friction);
        file.dt = self.dt.unwrap_or(file.dt);
        Ok(file)
    }

    /// The scene of a file.
    pub fn build(&self, file: &SceneFile) -> Result<Scene, Failure> {
        let mut scene = build(file, &self.scene)?;
        scene.world.settings_mut().threads = self.threads.into();
        Ok(scene)
    }
}

/// The scene file of that name, or the built-in scene, of a size.
pub fn load(name: &str, size: Option<usize>) -> Result<SceneFile, Failure> {
    load_with(name, size, &MachineArgs::default())
}

fn load_with(name: &str, size: Option<usize>, machine: &MachineArgs) -> Result<SceneFile, Failure> {
    let path = Path::new(name);
    let is_machine = taut_import::is_machine(path);
    if machine.any() && !is_machine {
        return Err(Failure::new(
            "--mesh-path, --strict, --keyframe, --free-base and --with are for robots",
            "leave them out, or name a .urdf, .xml or .sdf file",
        ));
    }
    if is_json(path) || is_machine {
        if size.is_some() {
            let hint = "leave the size out, or name a scene that taut list shows";
            return Err(Failure::new(
                "a size (--size) is for built-in scenes, not for files",
                hint,
            ));
        }
        return if is_machine { machine.load(path) } else { Ok(SceneFile::read(path)?) };
    }
    let entry = builtin::find(name).map_err(|e| {
        Failure::new(e.to_string(), "taut list shows the scenes; files end in .json")
    })?;
    if let Some(size) = size {
        let hint = "taut list says what the size of a scene counts";
        entry.check_size(size).map_err(|e| Failure::new(e.to_string(), hint))?;
    }
    Ok(entry.file(size))
}

/// The scene of a file; errors name it as the user did.
pub fn build(file: &SceneFile, name: &str) -> Result<Scene, Failure> {
    Ok(file.build().map_err(|e| in_file(e, name))?)
}

fn in_file(mut error: SceneError, name: &str) -> SceneError {
    error.file = error.file.or_else(|| Some(name.into()));
    error
}
