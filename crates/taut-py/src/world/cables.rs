//! Cables: stringing them, what pulls at them, and their winches.

use super::{Inner, World};
use crate::records;
use crate::value::to_json;
use crate::{engine_error, scene_error};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use taut_scenes::part;

type Numbers<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl World {
    fn add_cable(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<String> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        let place = format!("cables[{}]", file.cables.len());
        let cable = part(to_json(value, &place)?, &place).map_err(scene_error)?;
        let id = scene.add_cable(file, cable).map_err(scene_error)?;
        Ok(scene.world.cable(id).map_err(engine_error)?.name().to_string())
    }

    fn remove_cable(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let Inner { file, scene, .. } = &mut *guard;
        scene.remove_cable(file, name).map_err(scene_error)
    }

    fn cable_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = self.lock(py)?;
        Ok(inner.scene.world.cables().map(|(_, c)| c.name().to_string()).collect())
    }

    fn has_cable(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(self.lock(py)?.scene.world.cable_named(name).is_some())
    }

    /// All cables, in the order of their names.
    fn cables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(PyArray1::from_vec(py, records::cables(&self.lock(py)?.scene.world)))
    }

    /// Tension of each span, wrap of each station, and whether it is touched.
    fn cable_parts<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>, Bound<'py, PyArray1<bool>>)> {
        let inner = self.lock(py)?;
        let cable = inner.scene.world.cable(inner.cable(name)?).map_err(engine_error)?;
        Ok((
            PyArray1::from_vec(py, cable.tensions()),
            PyArray1::from_vec(py, cable.wraps()),
            PyArray1::from_vec(py, cable.touches()),
        ))
    }

    /// The cable as a line: points, and the tension from each to the next.
    fn cable_line<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Numbers<'py>)> {
        let inner = self.lock(py)?;
        let line = inner.scene.world.cable_line(inner.cable(name)?).map_err(engine_error)?;
        let points: Vec<f64> = line.points.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        let points = PyArray1::from_vec(py, points).reshape([line.points.len(), 3])?;
        Ok((points, PyArray1::from_vec(py, line.tensions)))
    }

    /// Speed and largest force of the winch, if there is one.
    fn winch(&self, py: Python<'_>, name: &str) -> PyResult<Option<(f64, f64)>> {
        let inner = self.lock(py)?;
        let cable = inner.scene.world.cable(inner.cable(name)?).map_err(engine_error)?;
        Ok(cable.definition().winch.map(|w| (w.speed, w.max_force)))
    }

    fn set_winch(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let winch = match to_json(value, "winch")? {
            serde_json::Value::Null => None,
            value => Some(part(value, "winch").map_err(scene_error)?),
        };
        self.lock(py)?.scene.set_winch(name, winch).map_err(scene_error)
    }
}
