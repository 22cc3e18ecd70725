//! Questions to a world.

use super::{World, quat, vec3};
use crate::problem::Problem;
use crate::records::{self, Places};
use crate::value::to_json;
use crate::{Error, engine_error, scene_error};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;
use taut::Groups;
use taut::math::{Pose, Vec3};
use taut_scenes::part;
use taut_scenes::recording::Header;

#[pymethods]
impl World {
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
        Ok(Problem(Arc::new(inner.scene.world.problem().map_err(engine_error)?)))
    }

    /// Header of a recording as JSON, poses and tensions now.
    #[expect(clippy::type_complexity, reason = "a text and two arrays")]
    fn record_header<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(String, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f32>>)> {
        let inner = self.lock(py)?;
        let header = serde_json::to_string(&Header::new(&inner.file, &inner.scene).0);
        let header = header.map_err(|e| Error::new_err(e.to_string()))?;
        let mut poses = Vec::new();
        inner.poses(&mut poses);
        let count = poses.len() / 7;
        let mut tensions = Vec::new();
        inner.tensions(&mut tensions);
        let poses = PyArray1::from_vec(py, poses).reshape([count, 7])?;
        Ok((header, poses, PyArray1::from_vec(py, tensions)))
    }
}
