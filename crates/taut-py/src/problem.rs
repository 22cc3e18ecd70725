//! Complementarity problems from arrays.

use crate::arrays::{Integers, copied};
use crate::laws::{Laws, named, pose};
use crate::session::change;
use crate::{Error, lcp_error};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;
use std::sync::Arc;
use taut_lcp::{Dense, Multibody, Operator, Problem as Lcp, Row6};

/// A problem; never changes.
#[pyclass(frozen, module = "taut._taut")]
pub struct Problem(pub Arc<Lcp>);

fn dense_operator(a: &PyReadonlyArray2<'_, f64>) -> PyResult<Operator> {
    let a = a.as_array();
    if a.nrows() != a.ncols() {
        return Err(Error::new_err(format!(
            "A has {} rows and {} columns: it must be square",
            a.nrows(),
            a.ncols()
        )));
    }
    let values = match a.as_slice() {
        Some(slice) => slice.to_vec(),
        None => a.iter().copied().collect(),
    };
    Ok(Operator::Dense(Dense::from_rows(a.nrows(), values).map_err(lcp_error)?))
}

#[pymethods]
impl Problem {
    /// A dense matrix.
    #[staticmethod]
    fn dense(
        a: PyReadonlyArray2<'_, f64>,
        b: PyReadonlyArray1<'_, f64>,
        laws: Laws<'_>,
    ) -> PyResult<Self> {
        Ok(Problem(Arc::new(pose(dense_operator(&a)?, copied(&b)?, laws)?)))
    }

    /// Compressed rows, or columns.
    #[staticmethod]
    fn sparse(
        start: Integers<'_>,
        indices: Integers<'_>,
        values: PyReadonlyArray1<'_, f64>,
        by_columns: bool,
        b: PyReadonlyArray1<'_, f64>,
        laws: Laws<'_>,
    ) -> PyResult<Self> {
        let (start, indices) = (start.starts("indptr")?, indices.indices("indices")?);
        let values = copied(&values)?;
        let make = if by_columns { Operator::from_columns } else { Operator::from_rows };
        Ok(Problem(Arc::new(pose(
            make(start, indices, values).map_err(lcp_error)?,
            copied(&b)?,
            laws,
        )?)))
    }

    /// A = J M⁻¹ Jᵀ + C: mass blocks (n, 6, 6), J by compressed rows of 6n columns, C as its
    /// diagonal.
    #[staticmethod]
    #[pyo3(signature = (mass, start, indices, values, compliance, b, laws))]
    fn multibody(
        mass: PyReadonlyArray3<'_, f64>,
        start: Integers<'_>,
        indices: Integers<'_>,
        values: PyReadonlyArray1<'_, f64>,
        compliance: PyReadonlyArray1<'_, f64>,
        b: PyReadonlyArray1<'_, f64>,
        laws: Laws<'_>,
    ) -> PyResult<Self> {
        let (start, indices) = (start.starts("indptr")?, indices.starts("indices")?);
        let (values, compliance) = (copied(&values)?, copied(&compliance)?);
        let mass = mass.as_array();
        let mut a = Multibody::default();
        if mass.shape()[1..] != [6, 6] {
            return Err(Error::new_err(format!(
                "M has the shape {:?}, expected (n, 6, 6)",
                mass.shape()
            )));
        }
        for block in mass.outer_iter() {
            let block = std::array::from_fn(|i| std::array::from_fn(|j| block[[i, j]]));
            a.push_body(block).map_err(lcp_error)?;
        }
        if start.len() != compliance.len() + 1 || indices.len() != values.len() {
            return Err(Error::new_err(format!(
                "J has {} rows, and C {} entries: they must be as many",
                start.len().saturating_sub(1),
                compliance.len()
            )));
        }
        let columns = 6 * mass.shape()[0];
        for (row, &c) in compliance.iter().enumerate() {
            let range = start[row]..start[row + 1];
            let bad =
                || Error::new_err(format!("J, row {row}: its starts or indices make no sense"));
            let (columns_of, values_of) =
                indices.get(range.clone()).zip(values.get(range)).ok_or_else(bad)?;
            let mut parts: Vec<(u32, Row6)> = Vec::new();
            for (&j, &v) in columns_of.iter().zip(values_of) {
                if j >= columns {
                    return Err(Error::new_err(format!("J, row {row}: column {j} of {columns}")));
                }
                let (body, k) = ((j / 6) as u32, j % 6);
                let place = parts.iter().position(|p| p.0 == body).unwrap_or_else(|| {
                    parts.push((body, [0.0; 6]));
                    parts.len() - 1
                });
                parts[place].1[k] += v;
            }
            parts.sort_by_key(|p| p.0);
            a.push_row(&parts, c).map_err(lcp_error)?;
        }
        Ok(Problem(Arc::new(pose(Operator::Multibody(a), copied(&b)?, laws)?)))
    }

    /// A folder of Matrix Market files, an FCLIB file, or NAME:SIZE[:SEED].
    #[staticmethod]
    fn read(py: Python<'_>, name: PathBuf) -> PyResult<Self> {
        let problem = py.detach(|| taut_cli::read_problem(&name));
        Ok(Problem(Arc::new(problem.map_err(Error::new_err)?)))
    }

    /// The same matrix and laws with another b, or other bounds.
    #[pyo3(signature = (b=None, lo=None, hi=None))]
    fn replace(
        &self,
        b: Option<PyReadonlyArray1<'_, f64>>,
        lo: Option<PyReadonlyArray1<'_, f64>>,
        hi: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let mut problem = (*self.0).clone();
        change(&mut problem, b, lo, hi)?;
        Ok(Problem(Arc::new(problem)))
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn form(&self) -> &'static str {
        self.0.operator.form()
    }

    #[getter]
    fn b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.b)
    }

    /// Lower and upper bounds; tangents of cones count as unbounded.
    fn bounds<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let (mut lo, mut hi) = (Vec::new(), Vec::new());
        self.0.bounds(&mut lo, &mut hi);
        (PyArray1::from_vec(py, lo), PyArray1::from_vec(py, hi))
    }

    /// The laws by name, with their numbers.
    fn laws(&self) -> Vec<(&'static str, Vec<f64>)> {
        self.0.laws.iter().map(named).collect()
    }

    /// A x.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let x = copied(&x)?;
        let rows = self.0.rows();
        if x.len() != rows {
            return Err(Error::new_err(format!("x has {} entries, expected {rows}", x.len())));
        }
        let mut out = vec![0.0; rows];
        py.detach(|| self.0.operator.apply(&x, &mut out, &mut Vec::new()));
        Ok(PyArray1::from_vec(py, out))
    }

    /// All entries: (row starts, columns, values). Of multibody systems A is formed.
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (start, columns, values) = py.detach(|| entries(&self.0.operator));
        (
            PyArray1::from_vec(py, start),
            PyArray1::from_vec(py, columns),
            PyArray1::from_vec(py, values),
        )
            .into_pyobject(py)
    }

    /// Masses, J and C of a multibody system: (blocks, row starts, columns, values, C).
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Operator::Multibody(a) = &self.0.operator else { return Ok(None) };
        let mass: Vec<f64> =
            (0..a.body_count()).flat_map(|i| a.mass(i).as_flattened().to_vec()).collect();
        let (mut start, mut columns, mut values) = (vec![0_i64], Vec::new(), Vec::new());
        for i in 0..a.rows() {
            let (bodies, rows) = a.row(i);
            for (&body, row) in bodies.iter().zip(rows) {
                columns.extend((0..6).map(|k| 6 * i64::from(body) + k));
                values.extend_from_slice(row);
            }
            start.push(columns.len() as i64);
        }
        let mass = PyArray1::from_vec(py, mass).reshape([a.body_count(), 6, 6])?;
        let parts = (
            mass,
            PyArray1::from_vec(py, start),
            PyArray1::from_vec(py, columns),
            PyArray1::from_vec(py, values),
            PyArray1::from_slice(py, a.compliance()),
        );
        Ok(Some(parts.into_pyobject(py)?))
    }
}

/// Compressed rows of any operator.
fn entries(operator: &Operator) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
    let n = operator.rows();
    let (mut start, mut columns, mut values) = (vec![0_i64], Vec::new(), Vec::new());
    let (mut unit, mut column, mut scratch) = (vec![0.0; n], vec![0.0; n], Vec::new());
    for i in 0..n {
        match operator {
            Operator::Sparse(a) => {
                let (c, v) = a.row(i);
                columns.extend(c.iter().map(|&c| i64::from(c)));
                values.extend_from_slice(v);
            }
            Operator::General(a) => {
                let (c, v) = a.row(i);
                columns.extend(c.iter().map(|&c| i64::from(c)));
                values.extend_from_slice(v);
            }
            Operator::Dense(a) => {
                columns.extend(0..n as i64);
                values.extend_from_slice(a.row(i));
            }
            Operator::Multibody(_) => {
                // Symmetric: its column is its row.
                unit[i] = 1.0;
                operator.apply(&unit, &mut column, &mut scratch);
                unit[i] = 0.0;
                for (j, &v) in column.iter().enumerate().filter(|e| *e.1 != 0.0) {
                    columns.push(j as i64);
                    values.push(v);
                }
            }
        }
        start.push(columns.len() as i64);
    }
    (start, columns, values)
}
