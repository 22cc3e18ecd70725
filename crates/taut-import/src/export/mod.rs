//! Scenes as robots' files: MJCF, and URDF where the scene is a tree.
//!
//! | file | does |
//! |---|---|
//! | `tree` | bodies as a forest: which joint hangs each body on which, and which joints close loops |
//! | `mjcf`, `urdf` | the writers |
//!
//! Masses, poses, anchors and axes are those of the scene once it is built. What a format cannot say is left out, with a
//! line in [`Exported::notes`].

mod mjcf;
mod tree;
mod urdf;

pub use mjcf::mjcf;
pub use urdf::urdf;

use taut::math::{Quat, Vec3};
use taut_scenes::file::SceneFile;

/// A bound that is none, for formats that need a number.
const OPEN: f64 = 1e10;

/// A robot's file.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The file itself.
    pub text: String,
    /// Meshes that it names, each with its file name and content (OBJ).
    pub meshes: Vec<(String, String)>,
    /// What was left out or changed, one line each.
    pub notes: Vec<String>,
}

impl Exported {
    fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !self.notes.contains(&line) {
            self.notes.push(line);
        }
    }
}

/// Says which soft bodies a format does not have.
fn soft_bodies(file: &SceneFile, out: &mut Exported) {
    for soft in &file.soft_bodies {
        out.note(format!("soft body '{}' is left out", soft.name));
    }
}

/// Text within quotes.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

fn numbers(list: &[f64]) -> String {
    // −0 is 0.
    list.iter().map(|x| (x + 0.0).to_string()).collect::<Vec<_>>().join(" ")
}

fn vector(v: Vec3) -> String {
    numbers(&v.to_array())
}

fn wxyz(q: Quat) -> String {
    let q = q.normalize();
    numbers(&[q.w, q.x, q.y, q.z])
}
