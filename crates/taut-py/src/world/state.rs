//! What there is: names, places, velocities, contacts, joints.

use super::time::check_step;
use super::{World, quat, vec3};
use crate::records::{self, Places};
use crate::{Error, engine_error};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use taut::BodyId;
use taut::math::{Pose, Vec3};

/// Kind, whether it sleeps, why it is in quarantine, inertia.
type BodyInfo = (&'static str, bool, Option<String>, [[f64; 3]; 3]);

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

#[pymethods]
impl World {
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
        Ok(inner.scene.start_warnings())
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

    fn groups(&self, py: Python<'_>) -> PyResult<BTreeMap<String, Vec<String>>> {
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
}
