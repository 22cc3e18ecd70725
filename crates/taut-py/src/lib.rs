//! taut for Python: the native half, which the package in `python/taut` wraps.
//!
//! Everything here is primitive on purpose (names, arrays, tuples); classes, defaults and words
//! for people are in Python, where they can be read. Whatever takes long runs without Python's
//! lock, on copies of what was passed in. Nothing panics on input; mistakes become `taut.Error`
//! with the message of the engine.
//!
//! | file | does |
//! |---|---|
//! | `arrays` | arrays of Python as vectors |
//! | `laws` | laws of rows, by name |
//! | `problem` | complementarity problems from arrays |
//! | `session` | their solves |
//! | `world` | worlds by the names of their bodies |
//! | `records` | contacts, joints, cables, steps as rows of structured arrays |
//! | `recording` | recordings as bytes and back, pages that replay them |
//! | `value` | Python's values as JSON |

mod arrays;
mod laws;
mod problem;
mod recording;
mod records;
mod session;
mod value;
mod world;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::Duration;

/// Python looks whether Ctrl-C was pressed so often.
const LOOK: Duration = Duration::from_millis(50);

create_exception!(taut, Error, PyValueError, "A mistake in what was passed to taut.");
create_exception!(taut, SceneError, Error, "A mistake in a scene: the message names its place.");
create_exception!(taut, RefusedError, Error, "The solver does not handle this kind of problem.");

/// An error of the solvers.
fn lcp_error(e: taut_lcp::Error) -> PyErr {
    match e {
        taut_lcp::Error::Refused { .. } => RefusedError::new_err(e.to_string()),
        _ => Error::new_err(e.to_string()),
    }
}

/// An error of the engine.
fn engine_error(e: taut::Error) -> PyErr {
    match e {
        taut::Error::Solver(e) => lcp_error(e),
        e => Error::new_err(e.to_string()),
    }
}

/// A mistake in a scene.
fn scene_error(e: taut_scenes::SceneError) -> PyErr {
    SceneError::new_err(e.to_string())
}

/// The `taut` command, with these arguments after its name; returns the exit status.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| taut_cli::run(["taut".to_string()].into_iter().chain(arguments)))
}

/// Name, summary, limits and whether it is exact, of every solver.
#[pyfunction]
fn solvers() -> Vec<(&'static str, &'static str, &'static str, bool)> {
    let entries = taut_lcp::registry::ENTRIES.iter();
    entries.map(|e| (e.name, e.summary, e.limits, e.exact)).collect()
}

/// Name, summary, what the size counts and its default, of every built-in scene.
#[pyfunction]
fn scenes() -> Vec<(&'static str, &'static str, &'static str, usize)> {
    let entries = taut_scenes::builtin::SCENES.iter();
    entries.map(|e| (e.name, e.summary, e.size_of, e.default_size)).collect()
}

/// The native half of `taut`.
#[pymodule]
mod _taut {
    #[pymodule_export]
    use super::problem::Problem;
    #[pymodule_export]
    use super::recording::{decode_recording, encode_recording, replay_page};
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::world::{World, run_batch};
    #[pymodule_export]
    use super::{Error, RefusedError, SceneError, command, scenes, solvers};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
