//! What a world is put together from, in the words of scene files.

use super::{Inner, World};
use crate::value::to_json;
use crate::{Error, engine_error, scene_error};
use pyo3::prelude::*;
use taut_scenes::part;

#[pymethods]
impl World {
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

    fn add_pair(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        let place = format!("pairs[{}]", file.pairs.len());
        let pair = part(to_json(value, &place)?, &place).map_err(scene_error)?;
        scene.add_pair(file, pair).map_err(scene_error)
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
}
