//! Worlds by the names of their bodies: how they come to be, and their state as a whole.
//!
//! | file | does |
//! |---|---|
//! | `build` | bodies, joints, cables, materials, drives, settings |
//! | `state` | what there is: names, places, velocities, contacts, joints |
//! | `cables` | cables and their winches |
//! | `forces` | forces, motors, kinematic bodies |
//! | `query` | rays, shapes, the problem of the last step |
//! | `time` | steps, of one world and of many |

mod build;
mod cables;
mod forces;
mod query;
mod state;
mod time;

pub use time::run_batch;

use crate::records::{STEP_COUNTS, STEP_FLOATS};
use crate::value::to_json;
use crate::{Error, scene_error};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use taut::math::{Quat, Vec3};
use taut::{BodyId, CableId, JointId};
use taut_scenes::file::SceneFile;
use taut_scenes::recording::FIGURES;
use taut_scenes::{Scene, SceneError, builtin, find_body, find_cable, find_joint, part};

/// A scene that runs, and the file that describes it.
struct Inner {
    file: SceneFile,
    scene: Scene,
    /// The process in which the scene was made.
    process: u32,
}

/// A world. Its lock is held while it steps, so that other threads wait.
#[pyclass(frozen, module = "taut._taut")]
pub struct World(Arc<Mutex<Inner>>);

impl Inner {
    fn new(file: SceneFile, scene: Scene) -> Self {
        Inner { file, scene, process: std::process::id() }
    }

    /// The threads of a world do not live on in a forked child, and would be waited for in vain:
    /// there the world gets new ones.
    fn after_fork(&mut self) -> Result<(), SceneError> {
        let (threads, process) = (self.scene.world.settings().threads, std::process::id());
        if self.process != process && threads > 1 {
            let mut scene = Scene::restore(&self.file, &self.scene.world.snapshot())?;
            scene.dt = self.scene.dt;
            scene.world.settings_mut().threads = threads;
            // Dropping the old one would speak to its threads.
            std::mem::forget(std::mem::replace(&mut self.scene, scene));
        }
        self.process = process;
        Ok(())
    }

    fn build(file: SceneFile) -> Result<Self, SceneError> {
        let scene = file.build()?;
        Ok(Inner::new(file, scene))
    }

    fn body(&self, name: &str) -> PyResult<BodyId> {
        find_body(&self.scene.world, name).map_err(Error::new_err)
    }

    fn joint(&self, name: &str) -> PyResult<JointId> {
        find_joint(&self.scene.world, name).map_err(Error::new_err)
    }

    fn cable(&self, name: &str) -> PyResult<CableId> {
        find_cable(&self.scene.world, name).map_err(Error::new_err)
    }

    /// Of each span of each cable; NaN for cables that are gone.
    fn tensions(&self, out: &mut Vec<f32>) {
        for &(id, spans) in &self.scene.cables {
            match self.scene.world.cable(id) {
                Ok(cable) => out.extend(cable.tensions().iter().map(|&t| t as f32)),
                Err(_) => out.extend(std::iter::repeat_n(f32::NAN, spans)),
            }
        }
    }

    /// x, y, z, qw, qx, qy, qz of each body.
    fn poses(&self, out: &mut Vec<f64>) {
        for &id in &self.scene.bodies {
            let Ok(body) = self.scene.world.body(id) else { continue };
            let (x, q) = (body.position(), body.orientation());
            out.extend([x.x, x.y, x.z, q.w, q.x, q.y, q.z]);
        }
    }
}

fn vec3(v: [f64; 3]) -> Vec3 {
    Vec3::from(v)
}

/// Quaternions are (w, x, y, z) here.
fn quat([w, x, y, z]: [f64; 4]) -> PyResult<Quat> {
    let q = Quat::from_xyzw(x, y, z, w);
    if (q.length() - 1.0).abs() < 1e-6 {
        return Ok(q.normalize());
    }
    Err(Error::new_err(format!("orientation ({w}, {x}, {y}, {z}) is not a quaternion of length 1")))
}

fn poisoned() -> PyErr {
    Error::new_err("a step of this world failed badly; restore it from a snapshot")
}

impl World {
    fn new(inner: Inner) -> Self {
        World(Arc::new(Mutex::new(inner)))
    }

    /// Waits without Python's lock while another thread steps.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        self.0.lock_py_attached(py).map_err(|_| poisoned())
    }
}

#[pymethods]
impl World {
    #[classattr]
    const STEP_FLOATS: [&'static str; STEP_FLOATS.len()] = STEP_FLOATS;
    #[classattr]
    const STEP_COUNTS: [&'static str; STEP_COUNTS.len()] = STEP_COUNTS;
    #[classattr]
    const FIGURES: [&'static str; FIGURES.len()] = FIGURES;

    /// From a scene file's words.
    #[staticmethod]
    fn from_value(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let file: SceneFile = part(to_json(value, "scene")?, "scene").map_err(scene_error)?;
        Ok(World::new(Inner::build(file).map_err(scene_error)?))
    }

    /// From the text of a scene file.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: String) -> PyResult<Self> {
        let built = py.detach(|| SceneFile::from_json(&text).and_then(Inner::build));
        Ok(World::new(built.map_err(scene_error)?))
    }

    /// From a scene file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let built = py.detach(|| {
            SceneFile::read(&path).and_then(Inner::build).map_err(|mut e| {
                e.file = e.file.or_else(|| Some(path.display().to_string()));
                e
            })
        });
        Ok(World::new(built.map_err(scene_error)?))
    }

    /// A built-in scene.
    #[staticmethod]
    #[pyo3(signature = (name, size=None))]
    fn builtin(py: Python<'_>, name: &str, size: Option<usize>) -> PyResult<Self> {
        let entry = builtin::find(name).map_err(scene_error)?;
        if let Some(size) = size {
            entry.check_size(size).map_err(scene_error)?;
        }
        let built = py.detach(|| Inner::build(entry.file(size)));
        Ok(World::new(built.map_err(scene_error)?))
    }

    /// From the description and a snapshot.
    #[staticmethod]
    #[pyo3(signature = (json, snapshot, threads=1))]
    fn restore(py: Python<'_>, json: String, snapshot: Vec<u8>, threads: usize) -> PyResult<Self> {
        let restored = py.detach(|| {
            let file: SceneFile = serde_json::from_str(&json).map_err(|e| SceneError {
                file: None,
                place: String::new(),
                message: e.to_string(),
            })?;
            let mut scene = Scene::restore(&file, &snapshot)?;
            scene.world.settings_mut().threads = threads;
            Ok(Inner::new(file, scene))
        });
        Ok(World::new(restored.map_err(scene_error)?))
    }

    /// A world of its own in the same state.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let inner = self.lock(py)?;
        let mut scene =
            Scene::restore(&inner.file, &inner.scene.world.snapshot()).map_err(scene_error)?;
        scene.dt = inner.scene.dt;
        scene.world.settings_mut().threads = inner.scene.world.settings().threads;
        Ok(World::new(Inner::new(inner.file.clone(), scene)))
    }

    /// The description as JSON, as it is kept in pickles.
    fn description(&self, py: Python<'_>) -> PyResult<String> {
        let inner = self.lock(py)?;
        serde_json::to_string(&inner.file).map_err(|e| Error::new_err(e.to_string()))
    }

    /// The text of a scene file, if a file can say it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.lock(py)?.file.to_json().map_err(scene_error)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock(py)?.scene.world.snapshot();
        Ok(PyBytes::new(py, &bytes))
    }

    /// Back to a snapshot of this world; unchanged if it is none.
    fn load(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let mut scene = Scene::restore(&inner.file, snapshot).map_err(scene_error)?;
        let known = |b: &taut_scenes::file::Body| scene.world.body_named(&b.name).is_some();
        if !inner.file.bodies.iter().all(known)
            || scene.world.bodies().count() != inner.scene.world.bodies().count()
        {
            return Err(Error::new_err("snapshot: its bodies are not those of this world"));
        }
        scene.dt = inner.scene.dt;
        scene.world.settings_mut().threads = inner.scene.world.settings().threads;
        inner.scene = scene;
        Ok(())
    }
}
