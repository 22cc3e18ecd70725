//! Scenes as data: the file format, and the built-in scenes of the literature.
//!
//! A [`file::SceneFile`] is what a JSON file holds. Built-in scenes are
//! functions that return one, so whatever a built-in scene does a file can do.
//! [`SceneFile::build`](file::SceneFile::build) makes a [`Scene`]: a world,
//! its step and its script.

pub mod builtin;
pub mod file;
