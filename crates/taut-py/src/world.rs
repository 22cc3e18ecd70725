//! Worlds by the names of their bodies.

use crate::problem::Problem;
use crate::records::{self, Bytes, Places, STEP_COUNTS, STEP_FLOATS, step_counts, step_floats};
use crate::value::to_json;
use crate::{Error, engine_error, lcp_error, scene_error};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use taut::math::{Pose, Quat, Vec3};
use taut::{BodyId, Event, Groups, JointId, StepReport};
use taut_scenes::file::SceneFile;
use taut_scenes::recording::{FIGURES, Figures, Header, figures};
use taut_scenes::{Scene, SceneError, builtin, find_body, find_joint, part};

/// Python looks whether Ctrl-C was pressed so often.
const LOOK: Duration = Duration::from_millis(50);

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

/// The last step of several, and what all of them said.
#[derive(Default)]
struct Steps {
    rows: Bytes,
    events: Vec<RawEvent>,
    poses: Vec<f64>,
    figures: Vec<f32>,
    error: Option<taut::Error>,
    done: usize,
}

/// Kind, whether it sleeps, why it is in quarantine, inertia.
type BodyInfo = (&'static str, bool, Option<String>, [[f64; 3]; 3]);

/// Time, kind, first body or joint, second body or reason, force, torque.
type RawEvent = (f64, &'static str, String, String, f64, f64);

fn raw_event(world: &taut::World, time: f64, event: &Event) -> RawEvent {
    let name = |id: &BodyId| world.body(*id).map(|b| b.name().to_string()).unwrap_or_default();
    match event {
        Event::ContactBegin { a, b } => (time, "contact_begin", name(a), name(b), 0.0, 0.0),
        Event::ContactEnd { a, b } => (time, "contact_end", name(a), name(b), 0.0, 0.0),
        Event::JointBroke { name, force, torque, .. } => {
            (time, "joint_broke", name.clone(), String::new(), *force, *torque)
        }
        Event::Quarantined { name, reason, .. } => {
            (time, "quarantined", name.clone(), reason.clone(), 0.0, 0.0)
        }
        _ => (time, "unknown", String::new(), String::new(), 0.0, 0.0),
    }
}

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

    /// x, y, z, qw, qx, qy, qz of each body.
    fn poses(&self, out: &mut Vec<f64>) {
        for &id in &self.scene.bodies {
            let Ok(body) = self.scene.world.body(id) else { continue };
            let (x, q) = (body.position(), body.orientation());
            out.extend([x.x, x.y, x.z, q.w, q.x, q.y, q.z]);
        }
    }

    /// Steps until `most` are done, time is up or someone says stop.
    fn steps(
        &mut self,
        most: usize,
        dt: f64,
        record: usize,
        out: &mut Steps,
        mut stop: impl FnMut() -> bool,
    ) {
        while out.done < most && out.error.is_none() {
            match self.scene.step_by(dt) {
                Ok(report) => {
                    out.done += 1;
                    out.rows.step(&report);
                    let world = &self.scene.world;
                    out.events
                        .extend(report.events.iter().map(|e| raw_event(world, report.time, e)));
                    if record > 0 && out.done.is_multiple_of(record) {
                        self.poses(&mut out.poses);
                        out.figures.extend(figures(&report, dt));
                    }
                }
                Err(e) => out.error = Some(e),
            }
            if stop() {
                return;
            }
        }
    }
}

impl Steps {
    fn into_tuple<'py>(self, py: Python<'py>, bodies: usize) -> PyResult<Bound<'py, PyTuple>> {
        let figure_count = size_of::<Figures>() / size_of::<f32>();
        let frames = self.figures.len() / figure_count;
        (
            PyArray1::from_vec(py, self.rows.0),
            self.events,
            PyArray1::from_vec(py, self.poses).reshape([frames, bodies, 7])?,
            PyArray1::from_vec(py, self.figures).reshape([frames, figure_count])?,
        )
            .into_pyobject(py)
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

/// Of what bodies have, the width of its array.
fn width(what: &str) -> PyResult<usize> {
    match what {
        "positions" | "velocities" | "angular_velocities" | "centres_of_mass" => Ok(3),
        "orientations" => Ok(4),
        "masses" => Ok(1),
        _ => Err(Error::new_err(format!("bodies have no '{what}'"))),
    }
}

fn quantity(world: &taut::World, id: BodyId, what: &str, out: &mut Vec<f64>) -> PyResult<()> {
    let body = world.body(id).map_err(engine_error)?;
    let v = match what {
        "positions" => body.position(),
        "velocities" => body.velocity(),
        "angular_velocities" => body.angular_velocity(),
        "centres_of_mass" => body.centre_of_mass(),
        "orientations" => {
            let q = body.orientation();
            out.extend([q.w, q.x, q.y, q.z]);
            return Ok(());
        }
        _ => {
            out.push(body.mass());
            return Ok(());
        }
    };
    out.extend([v.x, v.y, v.z]);
    Ok(())
}

/// Puts one body somewhere, or gives it a velocity; what is as it was is left alone.
fn set_quantity(world: &mut taut::World, id: BodyId, what: &str, values: &[f64]) -> PyResult<()> {
    let mut old = Vec::with_capacity(4);
    quantity(world, id, what, &mut old)?;
    if old == values {
        return Ok(());
    }
    let body = world.body(id).map_err(engine_error)?;
    let (pose, v, w) = (body.pose(), body.velocity(), body.angular_velocity());
    let vector = |values: &[f64]| Vec3::new(values[0], values[1], values[2]);
    let set = match what {
        "positions" => world.set_pose(id, Pose::from_parts(vector(values), pose.rotation)),
        "orientations" => {
            let q = quat([values[0], values[1], values[2], values[3]])?;
            world.set_pose(id, Pose::from_parts(pose.translation, q))
        }
        "velocities" => world.set_velocity(id, vector(values), w),
        "angular_velocities" => world.set_velocity(id, v, vector(values)),
        _ => return Err(Error::new_err(format!("{what} cannot be set"))),
    };
    set.map_err(engine_error)
}

fn step_tuple<'py>(
    py: Python<'py>,
    r: &StepReport,
    events: Vec<RawEvent>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut all: Vec<Bound<'py, PyAny>> = Vec::with_capacity(40);
    for x in step_floats(r) {
        all.push(x.into_pyobject(py)?.into_any());
    }
    for i in step_counts(r) {
        all.push(i.into_pyobject(py)?.into_any());
    }
    let vector = |v: Vec3| -> PyResult<Bound<'py, PyAny>> {
        Ok((v.x, v.y, v.z).into_pyobject(py)?.into_any())
    };
    all.push(vector(r.momentum)?);
    all.push(vector(r.angular_momentum)?);
    let status = r.status.map_or_else(|| "Nothing".to_string(), |s| format!("{s:?}"));
    all.push(status.into_pyobject(py)?.into_any());
    all.push(r.choice.map(|c| c.to_string()).unwrap_or_default().into_pyobject(py)?.into_any());
    all.push(r.torn_joint.clone().into_pyobject(py)?.into_any());
    all.push(r.refusals.clone().into_pyobject(py)?.into_any());
    all.push(events.into_pyobject(py)?.into_any());
    PyTuple::new(py, all)
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

fn check_step(dt: f64) -> PyResult<()> {
    if dt.is_finite() && dt > 0.0 {
        return Ok(());
    }
    Err(Error::new_err(format!("dt = {dt} is out of range: finite and positive")))
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

    // What there is.

    fn add_body(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        let place = format!("bodies[{}]", file.bodies.len());
        let body = part(to_json(value, &place)?, &place).map_err(scene_error)?;
        scene.add_body(file, body).map_err(scene_error)?;
        Ok(())
    }

    fn add_joint(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<String> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        let place = format!("joints[{}]", file.joints.len());
        let joint = part(to_json(value, &place)?, &place).map_err(scene_error)?;
        let id = scene.add_joint(file, joint).map_err(scene_error)?;
        Ok(scene.world.joint(id).map_err(engine_error)?.name().to_string())
    }

    fn add_material(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        let place = format!("materials.{name}");
        let material = part(to_json(value, &place)?, &place).map_err(scene_error)?;
        scene.add_material(file, name, material).map_err(scene_error)
    }

    fn add_drive(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        let place = format!("drives[{}]", file.drives.len());
        let drive = part(to_json(value, &place)?, &place).map_err(scene_error)?;
        scene.add_drive(file, drive).map_err(scene_error)
    }

    fn remove_body(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        scene.remove_body(file, name).map_err(scene_error)
    }

    fn remove_joint(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        scene.remove_joint(file, name).map_err(scene_error)
    }

    /// Settings as JSON, those that were given.
    fn settings(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.lock(py)?.file.settings)
            .map_err(|e| Error::new_err(e.to_string()))
    }

    fn configure(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let settings = part(to_json(value, "settings")?, "settings").map_err(scene_error)?;
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        scene.configure(file, settings).map_err(scene_error)
    }

    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.scene.world.settings().threads)
    }

    fn set_threads(&self, py: Python<'_>, threads: usize) -> PyResult<()> {
        if !(1..=4096).contains(&threads) {
            return Err(Error::new_err(format!("threads = {threads} is out of range: 1 to 4096")));
        }
        self.lock(py)?.scene.world.settings_mut().threads = threads;
        Ok(())
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.scene.world.time())
    }

    #[getter]
    fn dt(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.scene.dt)
    }

    fn set_dt(&self, py: Python<'_>, dt: f64) -> PyResult<()> {
        check_step(dt)?;
        let mut inner = self.lock(py)?;
        (inner.scene.dt, inner.file.dt) = (dt, dt);
        Ok(())
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.lock(py)?.file.name.clone().unwrap_or_default())
    }

    #[getter]
    fn frames(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.scene.frames)
    }

    #[getter]
    fn gravity(&self, py: Python<'_>) -> PyResult<[f64; 3]> {
        Ok(self.lock(py)?.scene.world.gravity().into())
    }

    fn set_gravity(&self, py: Python<'_>, gravity: [f64; 3]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        inner.scene.world.set_gravity(vec3(gravity)).map_err(engine_error)?;
        inner.file.gravity = gravity;
        Ok(())
    }

    #[getter]
    fn energy(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.lock(py)?.scene.world.energy())
    }

    /// What is odd about the poses.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = self.lock(py)?;
        Ok(inner.scene.world.start_warnings().iter().map(ToString::to_string).collect())
    }

    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = self.lock(py)?;
        let bodies = inner.scene.bodies.iter().filter_map(|&id| inner.scene.world.body(id).ok());
        Ok(bodies.map(|b| b.name().to_string()).collect())
    }

    fn joint_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = self.lock(py)?;
        Ok(inner.scene.world.joints().map(|(_, j)| j.name().to_string()).collect())
    }

    fn groups(&self, py: Python<'_>) -> PyResult<std::collections::BTreeMap<String, Vec<String>>> {
        Ok(self.lock(py)?.file.groups.clone())
    }

    fn body_count(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.lock(py)?.scene.bodies.len())
    }

    fn has_body(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(self.lock(py)?.scene.world.body_named(name).is_some())
    }

    fn has_joint(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(self.lock(py)?.scene.world.joint_named(name).is_some())
    }

    /// How a body moves, whether it sleeps, and why it was taken out of the dynamics.
    fn body_info(&self, py: Python<'_>, name: &str) -> PyResult<BodyInfo> {
        let inner = self.lock(py)?;
        let body = inner.scene.world.body(inner.body(name)?).map_err(engine_error)?;
        let inertia = body.inertia().to_cols_array_2d();
        Ok((body.kind().name(), body.is_asleep(), body.quarantine().map(str::to_string), inertia))
    }

    fn joint_kind(&self, py: Python<'_>, name: &str) -> PyResult<&'static str> {
        let inner = self.lock(py)?;
        Ok(inner
            .scene
            .world
            .joint(inner.joint(name)?)
            .map_err(engine_error)?
            .definition()
            .kind
            .name())
    }

    // State.

    /// Of all bodies at once.
    fn get<'py>(&self, py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inner = self.lock(py)?;
        let (count, width) = (inner.scene.bodies.len(), width(what)?);
        let mut out = Vec::with_capacity(count * width);
        for &id in &inner.scene.bodies {
            quantity(&inner.scene.world, id, what, &mut out)?;
        }
        PyArray1::from_vec(py, out).reshape([count, width])
    }

    /// Of all bodies at once; nothing is changed if something is wrong.
    fn set(&self, py: Python<'_>, what: &str, values: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let width = width(what)?;
        let values = values.as_array();
        let mut inner = self.lock(py)?;
        let count = inner.scene.bodies.len();
        if values.shape() != [count, width] {
            let shape = values.shape();
            return Err(Error::new_err(format!(
                "{what} has the shape ({}, {}), expected ({count}, {width})",
                shape[0], shape[1]
            )));
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::new_err(format!("{what}, body {}: not finite", k / width)));
        }
        let rows: Vec<Vec<f64>> = values.outer_iter().map(|row| row.to_vec()).collect();
        for (i, row) in rows.iter().enumerate() {
            if what == "orientations" {
                quat([row[0], row[1], row[2], row[3]])?;
            }
            let id = inner.scene.bodies[i];
            let body = inner.scene.world.body(id).map_err(engine_error)?;
            let fixed = body.kind() == taut::BodyKind::Fixed;
            if fixed && what.ends_with("velocities") && row.iter().any(|x| *x != 0.0) {
                return Err(Error::new_err(format!(
                    "body '{}': a fixed body has no velocity",
                    body.name()
                )));
            }
        }
        let ids = inner.scene.bodies.clone();
        for (id, row) in ids.into_iter().zip(&rows) {
            set_quantity(&mut inner.scene.world, id, what, row)?;
        }
        Ok(())
    }

    fn get_one<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        what: &str,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let inner = self.lock(py)?;
        width(what)?;
        let mut out = Vec::with_capacity(4);
        quantity(&inner.scene.world, inner.body(name)?, what, &mut out)?;
        Ok(PyArray1::from_vec(py, out))
    }

    fn set_one(&self, py: Python<'_>, name: &str, what: &str, values: Vec<f64>) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        if values.len() != width(what)? {
            return Err(Error::new_err(format!(
                "expected {} numbers, found {}",
                width(what)?,
                values.len()
            )));
        }
        let id = inner.body(name)?;
        set_quantity(&mut inner.scene.world, id, what, &values)
    }

    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let inner = self.lock(py)?;
        let places = Places::new(&inner.scene.bodies);
        Ok(PyArray1::from_vec(py, records::contacts(&inner.scene.world, &places)))
    }

    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let inner = self.lock(py)?;
        let places = Places::new(&inner.scene.bodies);
        Ok(PyArray1::from_vec(py, records::joints(&inner.scene.world, &places)))
    }

    /// The island of each body in the last step; −1: none.
    fn islands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let inner = self.lock(py)?;
        let island = |&id: &BodyId| inner.scene.world.island(id).map_or(-1, |i| i as i64);
        Ok(PyArray1::from_vec(py, inner.scene.bodies.iter().map(island).collect()))
    }

    // Forces and motors.

    /// Kind: force, torque, impulse, angular_impulse.
    #[pyo3(signature = (name, kind, value, point=None))]
    fn push(
        &self,
        py: Python<'_>,
        name: &str,
        kind: &str,
        value: [f64; 3],
        point: Option<[f64; 3]>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.body(name)?;
        let world = &mut inner.scene.world;
        let value = vec3(value);
        let centre = world.body(id).map_err(engine_error)?.centre_of_mass();
        let done = match (kind, point) {
            ("force", None) => world.apply_force(id, value),
            ("force", Some(p)) => world.apply_force_at(id, value, vec3(p)),
            ("torque", _) => world.apply_torque(id, value),
            ("impulse", p) => world.apply_impulse(id, value, p.map_or(centre, vec3)),
            ("angular_impulse", _) => world.apply_angular_impulse(id, value),
            _ => return Err(Error::new_err(format!("'{kind}' is no kind of push"))),
        };
        done.map_err(engine_error)
    }

    /// Forces and torques on all bodies at once.
    #[pyo3(signature = (forces, torques=None))]
    fn push_all(
        &self,
        py: Python<'_>,
        forces: PyReadonlyArray2<'_, f64>,
        torques: Option<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let ids = inner.scene.bodies.clone();
        for (torque, array) in [(false, Some(&forces)), (true, torques.as_ref())] {
            let Some(array) = array else { continue };
            let array = array.as_array();
            let what = if torque { "torques" } else { "forces" };
            if array.shape() != [ids.len(), 3] {
                return Err(Error::new_err(format!(
                    "{what} has the shape {:?}, expected ({}, 3)",
                    array.shape(),
                    ids.len()
                )));
            }
            if array.iter().any(|x| !x.is_finite()) {
                return Err(Error::new_err(format!("{what} is not finite")));
            }
        }
        for (i, &id) in ids.iter().enumerate() {
            let row = |a: &PyReadonlyArray2<'_, f64>| {
                let a = a.as_array();
                Vec3::new(a[[i, 0]], a[[i, 1]], a[[i, 2]])
            };
            inner.scene.world.apply_force(id, row(&forces)).map_err(engine_error)?;
            if let Some(torques) = &torques {
                inner.scene.world.apply_torque(id, row(torques)).map_err(engine_error)?;
            }
        }
        Ok(())
    }

    #[pyo3(signature = (joint, value, of_angle=false))]
    fn set_motor(
        &self,
        py: Python<'_>,
        joint: &str,
        value: &Bound<'_, PyAny>,
        of_angle: bool,
    ) -> PyResult<()> {
        let motor = match to_json(value, "motor")? {
            serde_json::Value::Null => None,
            value => Some(part(value, "motor").map_err(scene_error)?),
        };
        self.lock(py)?.scene.set_motor(joint, motor, of_angle).map_err(scene_error)
    }

    #[pyo3(signature = (joint, target, of_angle=false))]
    fn set_target(&self, py: Python<'_>, joint: &str, target: f64, of_angle: bool) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.joint(joint)?;
        let world = &mut inner.scene.world;
        let motor = if of_angle { world.angle_motor(id) } else { world.motor(id) };
        motor.and_then(|mut m| m.set_target(target)).map_err(engine_error)
    }

    #[pyo3(signature = (joint, of_angle=false))]
    fn target(&self, py: Python<'_>, joint: &str, of_angle: bool) -> PyResult<f64> {
        let mut inner = self.lock(py)?;
        let id = inner.joint(joint)?;
        let world = &mut inner.scene.world;
        let motor = if of_angle { world.angle_motor(id) } else { world.motor(id) };
        motor.and_then(|m| m.target()).map_err(engine_error)
    }

    fn move_to(
        &self,
        py: Python<'_>,
        name: &str,
        position: [f64; 3],
        orientation: [f64; 4],
    ) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.body(name)?;
        let pose = Pose::from_parts(vec3(position), quat(orientation)?);
        inner.scene.world.move_to(id, pose).map_err(engine_error)
    }

    fn set_collides(&self, py: Python<'_>, a: &str, b: &str, collides: bool) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let (a, b) = (inner.body(a)?, inner.body(b)?);
        inner.scene.world.set_collides(a, b, collides).map_err(engine_error)
    }

    fn set_surface_velocity(&self, py: Python<'_>, name: &str, velocity: [f64; 3]) -> PyResult<()> {
        let mut inner = self.lock(py)?;
        let id = inner.body(name)?;
        inner.scene.world.set_surface_velocity(id, vec3(velocity)).map_err(engine_error)
    }

    // Questions.

    fn ray_cast<'py>(
        &self,
        py: Python<'py>,
        origins: PyReadonlyArray2<'_, f64>,
        directions: PyReadonlyArray2<'_, f64>,
        max_distance: f64,
        mask: u32,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let (origins, directions) = (origins.as_array(), directions.as_array());
        if origins.ncols() != 3 || directions.shape() != origins.shape() {
            let message = "origins and directions must have the same shape (k, 3)";
            return Err(Error::new_err(message));
        }
        if origins.iter().chain(directions.iter()).any(|x| !x.is_finite()) || max_distance.is_nan()
        {
            return Err(Error::new_err("origins, directions and max_distance must be numbers"));
        }
        let vector = |row: numpy::ndarray::ArrayView1<'_, f64>| Vec3::new(row[0], row[1], row[2]);
        let rays: Vec<(Vec3, Vec3)> = origins
            .outer_iter()
            .zip(directions.outer_iter())
            .map(|(o, d)| (vector(o), vector(d)))
            .collect();
        let groups = Groups { membership: mask, mask: u32::MAX };
        let inner = self.lock(py)?;
        let cast = |(o, d): &(Vec3, Vec3)| inner.scene.world.ray_cast(*o, *d, max_distance, groups);
        let hits: Vec<_> = rays.iter().map(cast).collect();
        let places = Places::new(&inner.scene.bodies);
        Ok(PyArray1::from_vec(py, records::hits(&hits, &places)))
    }

    fn shape_cast<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'_, PyAny>,
        position: [f64; 3],
        orientation: [f64; 4],
        direction: [f64; 3],
        max_distance: f64,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let shape = part(to_json(shape, "shape")?, "shape")
            .and_then(|s| taut_scenes::shape(&s))
            .map_err(scene_error)?;
        let pose = Pose::from_parts(vec3(position), quat(orientation)?);
        let direction = vec3(direction);
        if !(pose.is_finite() && direction.is_finite()) || max_distance.is_nan() {
            return Err(Error::new_err("position, direction and max_distance must be numbers"));
        }
        let inner = self.lock(py)?;
        let hit = inner
            .scene
            .world
            .shape_cast(&shape, pose, direction, max_distance)
            .map_err(engine_error)?;
        let places = Places::new(&inner.scene.bodies);
        Ok(PyArray1::from_vec(py, records::hits(&[hit], &places)))
    }

    fn overlaps(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        position: [f64; 3],
        orientation: [f64; 4],
    ) -> PyResult<Vec<String>> {
        let shape = part(to_json(shape, "shape")?, "shape")
            .and_then(|s| taut_scenes::shape(&s))
            .map_err(scene_error)?;
        let pose = Pose::from_parts(vec3(position), quat(orientation)?);
        if !pose.is_finite() {
            return Err(Error::new_err("position must be finite"));
        }
        let inner = self.lock(py)?;
        let ids = inner.scene.world.overlaps(&shape, pose).map_err(engine_error)?;
        let names = ids.iter().filter_map(|&id| inner.scene.world.body(id).ok());
        Ok(names.map(|b| b.name().to_string()).collect())
    }

    /// The complementarity problem of the last step.
    fn problem(&self, py: Python<'_>) -> PyResult<Problem> {
        let inner = self.lock(py)?;
        Ok(Problem(Arc::new(inner.scene.world.problem().map_err(lcp_error)?)))
    }

    /// Header of a recording as JSON, poses now.
    fn record_header<'py>(&self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyArray2<f64>>)> {
        let inner = self.lock(py)?;
        let header = serde_json::to_string(&Header::new(&inner.file, &inner.scene).0);
        let header = header.map_err(|e| Error::new_err(e.to_string()))?;
        let mut poses = Vec::new();
        inner.poses(&mut poses);
        let count = poses.len() / 7;
        Ok((header, PyArray1::from_vec(py, poses).reshape([count, 7])?))
    }

    // Time.

    /// One step; the values of the fields of a report.
    #[pyo3(signature = (dt=None))]
    fn step<'py>(&self, py: Python<'py>, dt: Option<f64>) -> PyResult<Bound<'py, PyTuple>> {
        let (report, events) = py.detach(|| {
            let mut inner = self.0.lock().map_err(|_| poisoned())?;
            inner.after_fork().map_err(scene_error)?;
            let dt = dt.unwrap_or(inner.scene.dt);
            let report = inner.scene.step_by(dt).map_err(engine_error)?;
            let world = &inner.scene.world;
            let events = report.events.iter().map(|e| raw_event(world, report.time, e)).collect();
            PyResult::Ok((report, events))
        })?;
        step_tuple(py, &report, events)
    }

    /// Several steps: rows of figures, events, and every `record`-th frame. Ctrl-C ends it after a
    /// step.
    #[pyo3(signature = (count, dt=None, record=0))]
    fn step_many<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        dt: Option<f64>,
        record: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut out = Steps::default();
        let dt = match dt {
            Some(dt) => dt,
            None => self.lock(py)?.scene.dt,
        };
        check_step(dt)?;
        let mut bodies = self.lock(py)?.scene.bodies.len();
        while out.done < count && out.error.is_none() {
            bodies = py.detach(|| {
                let mut inner = self.0.lock().map_err(|_| poisoned())?;
                inner.after_fork().map_err(scene_error)?;
                let start = Instant::now();
                inner.steps(count, dt, record, &mut out, || start.elapsed() > LOOK);
                PyResult::Ok(inner.scene.bodies.len())
            })?;
            py.check_signals()?;
        }
        match out.error.take() {
            Some(e) => Err(engine_error(e)),
            None => out.into_tuple(py, bodies),
        }
    }
}

/// Steps of several worlds at the same time: what `step_many` gives for each of them. Each world is
/// stepped by one thread, so results do not depend on their number.
#[pyfunction]
#[pyo3(signature = (worlds, count, threads, dt=None, record=0))]
pub fn run_batch<'py>(
    py: Python<'py>,
    worlds: Vec<PyRef<'py, World>>,
    count: usize,
    threads: usize,
    dt: Option<f64>,
    record: usize,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    if let Some(dt) = dt {
        check_step(dt)?;
    }
    let worlds: Vec<Arc<Mutex<Inner>>> = worlds.iter().map(|w| w.0.clone()).collect();
    let mut addresses: Vec<_> = worlds.iter().map(|w| Arc::as_ptr(w) as usize).collect();
    addresses.sort_unstable();
    if addresses.windows(2).any(|w| w[0] == w[1]) {
        return Err(Error::new_err("the same world stands twice in the list"));
    }
    let (stop, next) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (report, reports) = mpsc::channel();
    let one = |world: &Arc<Mutex<Inner>>| {
        let mut out = Steps::default();
        let mut inner = world.lock().map_err(|_| poisoned())?;
        inner.after_fork().map_err(scene_error)?;
        let dt = dt.unwrap_or(inner.scene.dt);
        inner.steps(count, dt, record, &mut out, || stop.load(Ordering::Relaxed));
        PyResult::Ok((out, inner.scene.bodies.len()))
    };
    let mut results: Vec<Option<PyResult<(Steps, usize)>>> = Vec::new();
    results.resize_with(worlds.len(), || None);
    let interrupted = py.detach(|| {
        let reports = reports; // moved in here
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, worlds.len().max(1)) {
                let (report, worlds, next, one) = (report.clone(), &worlds, &next, &one);
                scope.spawn(move || {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(world) = worlds.get(i) else { return };
                        // The receiver outlives this thread.
                        _ = report.send((i, one(world)));
                    }
                });
            }
            drop(report);
            // The calling thread looks for Ctrl-C.
            loop {
                match reports.recv_timeout(LOOK) {
                    Ok((i, result)) => results[i] = Some(result),
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(e) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            next.store(worlds.len(), Ordering::Relaxed);
                            return Err(e);
                        }
                    }
                }
            }
        })
    });
    interrupted?;
    let mut all = Vec::with_capacity(results.len());
    for (i, result) in results.into_iter().enumerate() {
        let missing = || Error::new_err(format!("world {i}: a step failed badly"));
        let (mut out, bodies) = result.ok_or_else(missing)??;
        if let Some(e) = out.error.take() {
            return Err(Error::new_err(format!("world {i}: {e}")));
        }
        all.push(out.into_tuple(py, bodies)?);
    }
    Ok(all)
}
