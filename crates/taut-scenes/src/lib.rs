//! Scenes as data: the file format, and the built-in scenes of the literature.
//!
//! A [`file::SceneFile`] is what a JSON file holds. Built-in scenes are
//! functions that return one, so whatever a built-in scene does a file can do.
//! [`SceneFile::build`](file::SceneFile::build) makes a [`Scene`]: a world,
//! its step and its script.
//!
//! ```
//! use taut_scenes::file::SceneFile;
//! let file = SceneFile::from_json(
//!     r#"{"version": 1,
//!         "bodies": [{"name": "bob", "mass": 5, "shape": {"ball": {"radius": 0.1}},
//!                     "position": [1, 0, 0]}],
//!         "joints": [{"type": "ball", "a": "world", "b": "bob", "anchor_a": [0, 0, 0]}]}"#,
//! )?;
//! let mut scene = file.build()?;
//! for _ in 0..30 {
//!     assert!(scene.step()?.converged());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A tour
//!
//! 1. **A file.** [`SceneFile::from_json`](file::SceneFile::from_json) reads one; a mistake is a [`SceneError`] with its place (`bodies[2].mass`) and line.
//!    [`schema_text`] is the schema that editors understand. Written in Rust, a file is made of the types of [`mod@file`].
//! 2. **Built-in ones.** [`builtin::SCENES`] is the list, [`builtin::find`] looks one up, [`builtin::Entry::file`] makes its file for a size.
//! 3. **A run.** [`SceneFile::build`](file::SceneFile::build) gives a [`Scene`]; [`Scene::step`] follows the script (`drives`) and advances by a frame. [`Scene::world`] is the engine's
//!    world, with all that it can be asked.
//! 4. **Changes while it runs.** [`Scene::drive`] and [`Scene::control`] move levers ([`Lever`]) as a driver would, [`Scene::add_body`] and its kin edit; [`Scene::keep_changes`] writes what was
//!    changed into the file.
//! 5. **Recordings.** [`recording::Recorder`] writes frames, [`recording::Recording`] reads them, and [goes on](recording::Recording::resume) from the last.
//! 6. **Contact by barriers** in place of the exact one: [`barrier`].
//!
//! A built-in scene, smaller than usual, recorded and read again:
//!
//! ```
//! use taut_scenes::builtin;
//! use taut_scenes::recording::{Header, Recorder, Recording};
//!
//! let file = builtin::find("newtons-cradle")?.file(Some(3));
//! let mut scene = file.build()?;
//! let mut recorder = Recorder::new(Vec::new(), &Header::new(&file, &scene).0)?;
//! for _ in 0..10 {
//!     assert!(scene.step()?.converged());
//!     recorder.frame(&scene, None)?;
//! }
//! let recording = Recording::from_bytes(&recorder.finish()?)?;
//! assert_eq!(recording.scene().name.as_deref(), Some("newtons-cradle"));
//! assert_eq!(recording.frames.len(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every field of a file: [docs/SCENES.md](https://github.com/taut-physics/taut/blob/main/docs/SCENES.md); pictures of the built-in ones: [docs/GALLERY.md](https://github.com/taut-physics/taut/blob/main/docs/GALLERY.md). Robots' files become scenes by `taut-import`.

pub mod barrier;
mod build;
pub mod builtin;
mod change;
mod edit;
mod error;
pub mod file;
mod hands;
mod read;
pub mod recording;
mod scene;
mod script;
mod strict;
mod write;

pub use build::{check_dt, find_body, find_cable, find_joint};
pub use edit::{part, shape};
pub use error::SceneError;
pub use hands::{Hands, Lever};
pub use scene::Scene;
pub use write::AtomicFile;

/// The JSON schema of scene files, as text.
pub fn schema_text() -> String {
    let schema = schemars::schema_for!(file::SceneFile);
    // A schema is plain JSON: it can always be written.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
