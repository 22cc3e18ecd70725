//! Complementarity problems from arrays, and their solves.

use crate::value::to_json;
use crate::{Error, lcp_error};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use taut_lcp::{
    Dense, History, Iterate, Law, Multibody, Operator, Problem as Lcp, Row6, RowState,
    Session as Solve, SolverConfig, Stop,
};

/// A problem; never changes.
#[pyclass(frozen, module = "taut._taut")]
pub struct Problem(pub Arc<Lcp>);

/// Values of an array. Copied at once: Python may change them while a solve runs.
fn copied(array: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
    array.to_vec().map_err(|e| Error::new_err(e.to_string()))
}

/// Starts and indices of compressed rows come as 32- or 64-bit numbers.
#[derive(FromPyObject)]
enum Integers<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

impl Integers<'_> {
    fn starts(&self, what: &str) -> PyResult<Vec<usize>> {
        let list: Option<Vec<usize>> = match self {
            Integers::Short(a) => a.as_array().iter().map(|&i| usize::try_from(i).ok()).collect(),
            Integers::Long(a) => a.as_array().iter().map(|&i| usize::try_from(i).ok()).collect(),
        };
        list.ok_or_else(|| Error::new_err(format!("{what}: a number is negative")))
    }

    /// First the range, then the numbers: both loops are vectorized.
    fn indices(&self, what: &str) -> PyResult<Vec<u32>> {
        let wrong = || Error::new_err(format!("{what}: a number is negative or too large"));
        match self {
            Integers::Short(a) => {
                let a = a.as_array();
                let fits = a.iter().fold(0, |all, i| all | *i) >= 0;
                fits.then(|| a.iter().map(|&i| i as u32).collect()).ok_or_else(wrong)
            }
            Integers::Long(a) => {
                let a = a.as_array();
                let fits = a.iter().fold(0, |all, i| all | *i) >> 32 == 0;
                fits.then(|| a.iter().map(|&i| i as u32).collect()).ok_or_else(wrong)
            }
        }
    }
}

/// How rows are bounded: boxes, or one law after the other.
#[derive(FromPyObject)]
enum Laws<'py> {
    #[pyo3(transparent)]
    Boxes((PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>)),
    #[pyo3(transparent)]
    List(Vec<(String, Vec<f64>)>),
}

fn law(kind: &str, numbers: &[f64]) -> Option<Law> {
    let index = |x: f64| (x >= 0.0 && x.fract() == 0.0 && x < 4e9).then_some(x as usize);
    Some(match (kind, numbers) {
        ("bilateral", []) => Law::Bilateral,
        ("box", &[lo, hi]) => Law::Box { lo, hi },
        ("friction", &[normal, mu, bound]) => {
            Law::FrictionBox { normal: index(normal)?, mu, bound }
        }
        ("following", &[normal, mu]) => Law::FollowingBox { normal: index(normal)?, mu },
        ("cone", mu) => Law::cone(mu, false),
        ("associated", mu) => Law::cone(mu, true),
        _ => return None,
    })
}

fn pose(operator: Operator, b: Vec<f64>, laws: Laws<'_>) -> PyResult<Problem> {
    let problem = match laws {
        Laws::Boxes((lo, hi)) => Lcp::boxed(operator, b, &copied(&lo)?, &copied(&hi)?),
        Laws::List(list) => {
            let mut laws = Vec::with_capacity(list.len());
            for (i, (kind, numbers)) in list.iter().enumerate() {
                let message =
                    || Error::new_err(format!("law {i}: '{kind}' with {numbers:?} is none"));
                laws.push(law(kind, numbers).ok_or_else(message)?);
            }
            Lcp::new(operator, b, laws)
        }
    };
    Ok(Problem(Arc::new(problem.map_err(lcp_error)?)))
}

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
        pose(dense_operator(&a)?, copied(&b)?, laws)
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
        pose(make(start, indices, values).map_err(lcp_error)?, copied(&b)?, laws)
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
        pose(Operator::Multibody(a), copied(&b)?, laws)
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
        match self.0.operator {
            Operator::Dense(_) => "dense",
            Operator::Sparse(_) => "sparse",
            Operator::General(_) => "sparse, not symmetric",
            Operator::Multibody(_) => "multibody",
        }
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
        let named = |law: &Law| match *law {
            Law::Bilateral => ("bilateral", vec![]),
            Law::Box { lo, hi } => ("box", vec![lo, hi]),
            Law::FrictionBox { normal, mu, bound } => ("friction", vec![normal as f64, mu, bound]),
            Law::FollowingBox { normal, mu } => ("following", vec![normal as f64, mu]),
            _ => match law.coefficients() {
                Some((mu, true)) => ("associated", mu.to_vec()),
                Some((mu, false)) => ("cone", mu.to_vec()),
                None => ("unknown", vec![]),
            },
        };
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

/// Puts another b or other bounds into a problem; unchanged if they make no sense.
fn change(
    problem: &mut Lcp,
    b: Option<PyReadonlyArray1<'_, f64>>,
    lo: Option<PyReadonlyArray1<'_, f64>>,
    hi: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<()> {
    let rows = problem.rows();
    let sized =
        |what: &str, array: Option<PyReadonlyArray1<'_, f64>>| -> PyResult<Option<Vec<f64>>> {
            let Some(array) = array else { return Ok(None) };
            let vec = copied(&array)?;
            if vec.len() != rows {
                return Err(Error::new_err(format!(
                    "{what} has {} entries, expected {rows}",
                    vec.len()
                )));
            }
            Ok(Some(vec))
        };
    let (b, lo, hi) = (sized("b", b)?, sized("lo", lo)?, sized("hi", hi)?);
    let before = (b.as_ref().map(|_| problem.b.clone()), problem.laws.clone());
    if lo.is_some() || hi.is_some() {
        let boxes = |law: &Law| matches!(law, Law::Bilateral | Law::Box { .. });
        if !problem.laws.iter().all(boxes) {
            return Err(Error::new_err("lo and hi are for problems of boxes"));
        }
        for (i, law) in problem.laws.iter_mut().enumerate() {
            let (old_lo, old_hi) = law.bounds();
            let lo = lo.as_ref().map_or(old_lo, |lo| lo[i]);
            let hi = hi.as_ref().map_or(old_hi, |hi| hi[i]);
            *law = if lo == f64::NEG_INFINITY && hi == f64::INFINITY {
                Law::Bilateral
            } else {
                Law::Box { lo, hi }
            };
        }
    }
    if let Some(b) = b {
        problem.b = b;
    }
    problem.validate().map_err(|e| {
        problem.laws = before.1;
        if let Some(b) = before.0 {
            problem.b = b;
        }
        lcp_error(e)
    })
}

/// A solver with its memory, and a problem to solve again and again.
#[pyclass(frozen, module = "taut._taut")]
pub struct Session(Mutex<State>);

struct State {
    problem: Arc<Lcp>,
    solve: Solve<Shared>,
}

/// A history that can be taken out while the session keeps it.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<History>>);

impl taut_lcp::Probe for Shared {
    fn iteration(&mut self, iteration: usize, residual: f64) {
        if let Ok(mut history) = self.0.lock() {
            history.iteration(iteration, residual);
        }
    }
}

/// The method of that name with settings in place of its defaults.
fn configured(name: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<SolverConfig> {
    let config = SolverConfig::named(name).map_err(lcp_error)?;
    let Some(settings) = settings else { return Ok(config) };
    let wrong = |e: serde_json::Error| Error::new_err(format!("settings of {name}: {e}"));
    let mut value = serde_json::to_value(&config).map_err(wrong)?;
    let given = to_json(settings.as_any(), "settings")?;
    if let (Some(own), Some(given)) =
        (value.get_mut(config.name()).and_then(|v| v.as_object_mut()), given.as_object())
    {
        for (key, entry) in given {
            if !own.contains_key(key) {
                let known: Vec<&str> = own.keys().map(String::as_str).collect();
                let message = format!("{name} has no setting '{key}'; known: {}", known.join(", "));
                return Err(Error::new_err(message));
            }
            own.insert(key.clone(), entry.clone());
        }
    } else if given.as_object().is_some_and(|given| !given.is_empty()) {
        return Err(Error::new_err(format!("{name} has no settings")));
    }
    let config: SolverConfig = serde_json::from_value(value).map_err(wrong)?;
    config.build().map_err(lcp_error)?;
    Ok(config)
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (problem, solver, tolerance, max_iterations=None, settings=None))]
    fn new(
        problem: &Problem,
        solver: &str,
        tolerance: f64,
        max_iterations: Option<usize>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let config = configured(solver, settings)?;
        let stop = Stop { tolerance, max_iterations };
        let solve = Solve::new(&config).map_err(lcp_error)?.stop(stop).probe(Shared::default());
        Ok(Session(Mutex::new(State { problem: problem.0.clone(), solve })))
    }

    /// Replaces the problem.
    fn set_problem(&self, py: Python<'_>, problem: &Problem) -> PyResult<()> {
        self.lock(py)?.problem = problem.0.clone();
        Ok(())
    }

    /// Another b, or other bounds.
    #[pyo3(signature = (b=None, lo=None, hi=None))]
    fn update(
        &self,
        py: Python<'_>,
        b: Option<PyReadonlyArray1<'_, f64>>,
        lo: Option<PyReadonlyArray1<'_, f64>>,
        hi: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let mut state = self.lock(py)?;
        change(Arc::make_mut(&mut state.problem), b, lo, hi)
    }

    /// The problem as it is.
    #[getter]
    fn problem(&self, py: Python<'_>) -> PyResult<Problem> {
        Ok(Problem(self.lock(py)?.problem.clone()))
    }

    /// Solves from x0, from the last answer, or (`cold`) from nothing. The answer is
    /// (x, w, states, certificate, history, floats, counts, names).
    #[pyo3(signature = (x0=None, cold=false))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        x0: Option<PyReadonlyArray1<'_, f64>>,
        cold: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let x0 = x0.as_ref().map(copied).transpose()?;
        let answer = py.detach(|| {
            let mut guard = self.0.lock().map_err(|_| poisoned())?;
            answer(&mut guard, x0, cold)
        })?;
        answer.into_tuple(py)
    }
}

impl Session {
    fn lock<'a>(&'a self, py: Python<'_>) -> PyResult<MutexGuard<'a, State>> {
        self.0.lock_py_attached(py).map_err(|_| poisoned())
    }
}

fn poisoned() -> PyErr {
    Error::new_err("a solve of this solver failed badly; make a new one")
}

/// What a solve ended with, before Python sees it.
struct Answered {
    x: Vec<f64>,
    w: Vec<f64>,
    states: Vec<i8>,
    certificate: Vec<f64>,
    history: Vec<f64>,
    report: taut_lcp::Report,
    seconds: f64,
}

fn answer(state: &mut State, x0: Option<Vec<f64>>, cold: bool) -> PyResult<Answered> {
    let rows = state.problem.rows();
    if let Some(x0) = x0 {
        if x0.len() != rows {
            return Err(Error::new_err(format!("x0 has {} entries, expected {rows}", x0.len())));
        }
        if let Some(row) = x0.iter().position(|x| !x.is_finite()) {
            return Err(Error::new_err(format!("x0, row {row}: {} is not finite", x0[row])));
        }
        state.solve.start_from(Iterate::from_lambda(x0));
    } else if cold {
        state.solve.start_cold();
    }
    // The probe belongs to the session: emptied here, read below.
    let history = state.solve.watcher().0.clone();
    let take = || history.lock().map(|mut h| std::mem::take(&mut h.0)).unwrap_or_default();
    take();
    let start = std::time::Instant::now();
    let solved = state.solve.solve(&state.problem);
    let seconds = start.elapsed().as_secs_f64();
    let solved = solved.map_err(lcp_error)?;
    let number = |s: &RowState| match s {
        RowState::Free => 0,
        RowState::Lower => -1,
        RowState::Upper => 1,
    };
    Ok(Answered {
        x: solved.lambda().to_vec(),
        w: solved.velocities().to_vec(),
        states: solved.set().iter().map(number).collect(),
        certificate: solved.certificate().to_vec(),
        history: take().into_iter().flat_map(|(k, r)| [k as f64, r]).collect(),
        report: *solved.report(),
        seconds,
    })
}

impl Answered {
    fn into_tuple<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (r, v, c) = (&self.report, &self.report.verdict, &self.report.counts);
        let softening = r.softening.map_or((0.0, 0.0), |s| (s.compliance, s.relative_residual));
        let floats = [
            v.relative_residual,
            v.natural_residual,
            v.energy_error,
            v.energy_error_sum,
            v.bound_violation,
            v.friction_gap,
            softening.0,
            self.seconds,
        ];
        let counts = [c.iterations, c.inner, c.factorizations, c.pivots, v.worst_row];
        let rows = self.history.len() / 2;
        let history = PyArray1::from_vec(py, self.history).reshape([rows, 2])?;
        (
            PyArray1::from_vec(py, self.x),
            PyArray1::from_vec(py, self.w),
            PyArray1::from_vec(py, self.states),
            PyArray1::from_vec(py, self.certificate),
            history,
            floats.into_pyobject(py)?,
            counts.into_pyobject(py)?,
            (format!("{:?}", r.status), r.solver, r.choice.to_string()),
        )
            .into_pyobject(py)
    }
}
