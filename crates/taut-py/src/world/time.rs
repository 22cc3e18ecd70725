//! Steps, of one world and of many.

use super::{Inner, World, poisoned};
use crate::records::{Bytes, step_counts, step_floats};
use crate::{Error, LOOK, engine_error, scene_error};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use taut::math::Vec3;
use taut::{BodyId, CableId, Event, StepReport};
use taut_scenes::recording::{Figures, figures};

/// What several steps said.
#[derive(Default)]
struct Steps {
    rows: Bytes,
    events: Vec<RawEvent>,
    poses: Vec<f64>,
    figures: Vec<f32>,
    tensions: Vec<f32>,
    error: Option<taut::Error>,
    done: usize,
}

/// Time, kind, first body, joint or cable, second body or reason, force, torque.
type RawEvent = (f64, &'static str, String, String, f64, f64);

fn raw_event(world: &taut::World, time: f64, event: &Event) -> RawEvent {
    let name = |id: &BodyId| world.body(*id).map(|b| b.name().to_string()).unwrap_or_default();
    let cable_name =
        |id: &CableId| world.cable(*id).map(|c| c.name().to_string()).unwrap_or_default();
    match event {
        Event::ContactBegin { a, b } => (time, "contact_begin", name(a), name(b), 0.0, 0.0),
        Event::ContactEnd { a, b } => (time, "contact_end", name(a), name(b), 0.0, 0.0),
        Event::JointBroke { name, force, torque, .. } => {
            (time, "joint_broke", name.clone(), String::new(), *force, *torque)
        }
        Event::CableBroke { name, tension, .. } => {
            (time, "cable_broke", name.clone(), String::new(), *tension, 0.0)
        }
        Event::CableTaut { cable } => {
            (time, "cable_taut", cable_name(cable), String::new(), 0.0, 0.0)
        }
        Event::CableSlack { cable } => {
            (time, "cable_slack", cable_name(cable), String::new(), 0.0, 0.0)
        }
        Event::Quarantined { name, reason, .. } => {
            (time, "quarantined", name.clone(), reason.clone(), 0.0, 0.0)
        }
        _ => (time, "unknown", String::new(), String::new(), 0.0, 0.0),
    }
}

impl Inner {
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
                        self.tensions(&mut out.tensions);
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
        let spans = self.tensions.len() / frames.max(1);
        (
            PyArray1::from_vec(py, self.rows.0),
            self.events,
            PyArray1::from_vec(py, self.poses).reshape([frames, bodies, 7])?,
            PyArray1::from_vec(py, self.figures).reshape([frames, figure_count])?,
            PyArray1::from_vec(py, self.tensions).reshape([frames, spans])?,
        )
            .into_pyobject(py)
    }
}

fn step_tuple<'py>(
    py: Python<'py>,
    r: &StepReport,
    events: Vec<RawEvent>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut all: Vec<Bound<'py, PyAny>> = Vec::with_capacity(45);
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
    all.push(r.longest_hold.as_ref().map(|hold| hold.body.clone()).into_pyobject(py)?.into_any());
    all.push(r.refusals.clone().into_pyobject(py)?.into_any());
    all.push(r.failure.clone().into_pyobject(py)?.into_any());
    all.push(events.into_pyobject(py)?.into_any());
    PyTuple::new(py, all)
}

pub(super) fn check_step(dt: f64) -> PyResult<()> {
    if dt.is_finite() && dt > 0.0 {
        return Ok(());
    }
    Err(Error::new_err(format!("dt = {dt} is out of range: finite and positive")))
}

#[pymethods]
impl World {
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
    check_different(&worlds)?;
    let stop = AtomicBool::new(false);
    let one = |world: &Arc<Mutex<Inner>>| {
        let mut out = Steps::default();
        let mut inner = world.lock().map_err(|_| poisoned())?;
        inner.after_fork().map_err(scene_error)?;
        let dt = dt.unwrap_or(inner.scene.dt);
        inner.steps(count, dt, record, &mut out, || stop.load(Ordering::Relaxed));
        PyResult::Ok((out, inner.scene.bodies.len()))
    };
    let results = py.detach(|| on_threads(&worlds, threads, &stop, &one))?;
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

/// Refuses a list in which a world stands twice: it would wait for itself.
fn check_different(worlds: &[Arc<Mutex<Inner>>]) -> PyResult<()> {
    let mut addresses: Vec<_> = worlds.iter().map(|w| Arc::as_ptr(w) as usize).collect();
    addresses.sort_unstable();
    if addresses.windows(2).any(|w| w[0] == w[1]) {
        return Err(Error::new_err("the same world stands twice in the list"));
    }
    Ok(())
}

/// Calls `one` for each world, on so many threads, while the calling thread looks for Ctrl-C, which sets `stop`.
/// Results by world.
fn on_threads<T: Send>(
    worlds: &[Arc<Mutex<Inner>>],
    threads: usize,
    stop: &AtomicBool,
    one: &(impl Fn(&Arc<Mutex<Inner>>) -> T + Sync),
) -> PyResult<Vec<Option<T>>> {
    let next = AtomicUsize::new(0);
    let (report, reports) = mpsc::channel();
    let mut results = Vec::new();
    results.resize_with(worlds.len(), || None);
    std::thread::scope(|scope| {
        let reports = reports; // moved in here
        for _ in 0..threads.clamp(1, worlds.len().max(1)) {
            let (report, next) = (report.clone(), &next);
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
    })?;
    Ok(results)
}
