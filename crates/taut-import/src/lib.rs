//! Machines from files: URDF, MJCF and SDFormat, as scenes of taut.
//!
//! [`read`] makes a [`SceneFile`] of a robot's file, as if it had been written by hand: links are bodies
//! (those that are fixed to one another are one), joints are joints, collision shapes are colliders.
//! [docs/ROBOTS.md](https://github.com/taut-physics/taut/blob/main/docs/ROBOTS.md) says what maps to what. What a scene cannot say is left out, and [`Imported::notes`] has a line
//! about each such thing.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! let file = folder.path().join("pendulum.urdf");
//! std::fs::write(&file, r#"<robot name="pendulum">
//!   <link name="base"/>
//!   <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
//!     <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
//!   <joint name="pivot" type="continuous"><parent link="base"/><child link="bob"/>
//!     <axis xyz="0 1 0"/></joint>
//! </robot>"#)?;
//! let machine = taut_import::read(&file, &taut_import::Options::default())?;
//! assert!(machine.notes.is_empty());
//! let mut scene = machine.scene.build()?;
//! assert!(scene.step()?.converged());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A tour
//!
//! 1. **Which files.** [`is_machine`] goes by the extension, [`read`] by the root element.
//! 2. **How.** [`Options`]: where meshes are, a base that is [free](Options::free_base), a [`Start`] in a keyframe, meshes as
//!    [convex parts](Options::decompose), [strictness](Options::strict), and scene files that [add to it](Options::with): a ground, loads, joints that close loops.
//! 3. **What comes out.** [`Imported::scene`] is a scene like any other, to change, [write](SceneFile::to_json) or [build](SceneFile::build); [`Imported::sensors_in`] has its sensors;
//!    [`Imported::notes`] say what was left out, with the line.
//! 4. **Mistakes** in a file are an [`ImportError`] with file and line. Damaged files never panic.
//! 5. **The way back.** [`export::mjcf`] and [`export::urdf`] write a scene for other programs, and note what those cannot say.
//!
//! The pendulum from above, driven, and as a model for MuJoCo:
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("pendulum.urdf");
//! # std::fs::write(&file, r#"<robot name="pendulum">
//! #   <link name="base"/>
//! #   <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
//! #     <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
//! #   <joint name="pivot" type="continuous"><parent link="base"/><child link="bob"/>
//! #     <axis xyz="0 1 0"/></joint>
//! # </robot>"#)?;
//! use taut_scenes::file::Motor;
//!
//! let mut scene = taut_import::read(&file, &taut_import::Options::default())?.scene;
//! scene.joints[0].motor = Some(Motor::position(1.0, 200.0, 20.0, 100.0)); // rad, N·m/rad, N·m·s/rad, N·m
//! let mut running = scene.build()?;
//! for _ in 0..300 {
//!     assert!(running.step()?.converged());
//! }
//! let pivot = taut_scenes::find_joint(&running.world, "pivot")?;
//! let angle = running.world.joint_position(pivot)?;
//! // The motor's spring against the weight.
//! assert!((200.0 * (1.0 - angle) - 2.0 * 9.81 * angle.sin()).abs() < 0.1, "{angle} rad");
//! let model = taut_import::export::mjcf(&scene)?;
//! assert!(model.text.contains("<actuator>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! More: [docs/ROBOTS.md](https://github.com/taut-physics/taut/blob/main/docs/ROBOTS.md), and [what came of MuJoCo's Menagerie](https://github.com/taut-physics/taut/blob/main/docs/MENAGERIE.md).
//!
//! | file | does |
//! |---|---|
//! | `xml` | elements with their lines |
//! | `urdf`, `mjcf`, `sdf` | the readers, one for each format |
//! | `machine` | what they have in common: links, the motions between them, ties that close loops |
//! | `scene`, `reel` | from a machine to a scene file; tendons of several branches |
//! | `lift` | robots that start in the ground |
//! | `with` | what a scene file adds |
//! | `unread` | notes about what no reader asks for |
//! | `mesh` | STL, OBJ, glTF, DAE and MSH, their hulls and masses |
//! | `look`, `sensor` | what is seen, what is measured |
//! | `export` | scenes as MJCF and URDF |
//! | `inertia`, `placement` | mass properties and poses |

mod error;
pub mod export;
mod inertia;
mod lift;
mod look;
mod machine;
mod mesh;
mod mjcf;
mod placement;
mod reel;
mod scene;
mod sdf;
mod sensor;
mod unread;
mod urdf;
mod with;
mod xml;

pub use error::ImportError;
pub use sensor::{SensorFile, SensorKind};

use error::{Notes, Place};
use std::path::{Path, PathBuf};
use taut_scenes::file::SceneFile;

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders in which meshes are looked for, besides those that the file names.
    pub mesh_paths: Vec<PathBuf>,
    /// Refuses files with something that is left out.
    pub strict: bool,
    /// The root of a URDF moves freely, in place of being fixed to the world.
    pub free_base: bool,
    /// Meshes that are not convex collide as convex parts (V-HACD), in place of as their hulls.
    pub decompose: bool,
    /// A folder in which those parts are kept from one reading to the next.
    pub mesh_cache: Option<PathBuf>,
    /// Where an MJCF model starts.
    pub start: Start,
    /// Steps as long as the file says (`timestep` of MJCF, `max_step_size` of SDFormat), in place of those of a scene (1/60 s).
    pub file_step: bool,
    /// Scene files whose bodies, joints, cables … are added: joints that close loops, a ground.
    pub with: Vec<PathBuf>,
}

/// Where a model starts that has keyframes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// In its first keyframe, if it has one.
    #[default]
    First,
    /// As its bodies are written.
    Reference,
    /// In the keyframe of that name.
    Named(String),
}

/// A machine, as a scene.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scene.
    pub scene: SceneFile,
    /// Sensors that the file names (MJCF).
    pub sensors: Vec<SensorFile>,
    /// What was left out or changed, one line each.
    pub notes: Vec<String>,
}

impl Imported {
    /// The sensors of the file in a world that was built of its scene.
    pub fn sensors_in(&self, world: &taut::World) -> Result<taut::Sensors, taut::Error> {
        sensor::in_world(&self.sensors, world)
    }
}

/// Whether a file is one of those that are read here, by its extension.
///
/// ```
/// use std::path::Path;
/// assert!(taut_import::is_machine(Path::new("robots/arm.URDF")));
/// assert!(!taut_import::is_machine(Path::new("scene.json")));
/// ```
pub fn is_machine(path: &Path) -> bool {
    let known = ["urdf", "xml", "mjcf", "sdf", "world"];
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_lowercase);
    extension.is_some_and(|e| known.contains(&e.as_str()))
}

/// Reads a machine. What the file is its root element says.
pub fn read(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let root = xml::read(path)?;
    let mut notes = Notes::default();
    if let (Start::Named(name), false) = (&options.start, root.tag == "mujoco") {
        let message = format!("has no keyframe '{name}': only MJCF has keyframes");
        return Err(root.place.error(message));
    }
    let mut machine = match root.tag.as_str() {
        "robot" => urdf::read(&root, path, options, &mut notes)?,
        "mujoco" => mjcf::read(root, path, options, &mut notes)?,
        "sdf" => sdf::read(root, options, &mut notes)?,
        other => {
            let expected = "expected robot (URDF), mujoco (MJCF) or sdf (SDFormat)";
            return Err(root.place.error(format!("{expected}, found element '{other}'")));
        }
    };
    notes.finish();
    let (mut scene, mut sensors) = machine.scene(&mut notes)?;
    if options.start != Start::Reference {
        let parted = machine.part_neighbours(&scene, &mut notes);
        if machine.lift(&scene, &mut notes) || parted {
            (scene, sensors) = machine.scene(&mut Notes::default())?;
        }
    }
    if let Some(step) = machine.step.filter(|_| options.file_step) {
        scene.dt = step;
    }
    for extra in &options.with {
        with::add(&mut scene, extra)?;
    }
    if scene.name.is_none() {
        scene.name = path.file_stem().map(|s| s.to_string_lossy().into_owned());
    }
    if options.strict && !notes.lines.is_empty() {
        let (first, rest) = (&notes.lines[0], notes.lines.len() - 1);
        let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
        return Err(Place::file(&path.display().to_string())
            .error(format!("refused, because it is to be read as it stands: {first}{more}")));
    }
    Ok(Imported { scene, sensors, notes: notes.lines })
}

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
