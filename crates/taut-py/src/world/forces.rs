//! Forces, motors, and what is moved by hand.

use super::{World, quat, vec3};
use crate::value::to_json;
use crate::{Error, engine_error, scene_error};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use taut::math::{Pose, Vec3};
use taut_scenes::part;

#[pymethods]
impl World {
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
}
