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
