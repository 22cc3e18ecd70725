//! Files of a test, in a folder of its own.

use std::path::Path;
use taut_import::{Imported, Options};
use taut_scenes::file::{Body, Joint};
use tempfile::TempDir;

/// A folder with files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// What a file with this text says.
#[allow(dead_code)]
pub fn read(name: &str, text: &str) -> Imported {
    let folder = folder(&[(name, text)]);
    taut_import::read(&folder.path().join(name), &Options::default()).unwrap()
}

/// Why a file with this text is refused, without the folder's name.
#[allow(dead_code)]
pub fn refused(name: &str, text: &str) -> String {
    let folder = folder(&[(name, text)]);
    let error = taut_import::read(&folder.path().join(name), &Options::default()).unwrap_err();
    without(&error.to_string(), folder.path())
}

/// A message without the name of a folder.
pub fn without(message: &str, folder: &Path) -> String {
    message.replace(&format!("{}/", folder.display()), "")
}

#[allow(dead_code)]
pub fn body<'a>(machine: &'a Imported, name: &str) -> &'a Body {
    machine.scene.bodies.iter().find(|b| b.name == name).unwrap()
}

#[allow(dead_code)]
pub fn joint<'a>(machine: &'a Imported, name: &str) -> &'a Joint {
    machine.scene.joints.iter().find(|j| j.name.as_deref() == Some(name)).unwrap()
}

/// Whether numbers agree.
#[allow(dead_code)]
pub fn near<const N: usize>(found: [f64; N], expected: [f64; N]) {
    let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close, "found {found:?}, expected {expected:?}");
}

/// A closed STL file in ASCII: the tetrahedron of the origin and three points on the axes.
#[allow(dead_code)]
pub const TETRAHEDRON: &str = "solid t
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet
facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet
endsolid t\n";
