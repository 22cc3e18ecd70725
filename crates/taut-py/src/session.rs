//! Solves of problems.

use crate::arrays::copied;
use crate::problem::Problem;
use crate::value::to_json;
use crate::{Error, LOOK, lcp_error};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyTuple};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;
use taut_lcp::{
    Dense, Iterate, Law, Operator, Problem as Lcp, RowState, Session as Solve, SolverConfig, Stop,
};

/// Puts another b or other bounds into a problem; unchanged if they make no sense.
pub fn change(
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
    solve: Solve<Watch>,
    config: SolverConfig,
    stop: Stop,
}

impl State {
    fn new(problem: Arc<Lcp>, config: SolverConfig, stop: Stop) -> PyResult<Self> {
        let solve = Solve::new(&config).map_err(lcp_error)?.stop(stop).with_probe(Watch::default());
        Ok(State { problem, solve, config, stop })
    }
}

/// Sees each iteration. Its history can be taken out while the session keeps it; and it looks for
/// Ctrl-C, which ends a solve by unwinding out of it: solvers have no other exit. The solver is
/// thrown away then.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Watched>>);

struct Watched {
    history: Vec<(usize, f64)>,
    looked: Instant,
}

impl Default for Watched {
    fn default() -> Self {
        Watched { history: Vec::new(), looked: Instant::now() }
    }
}

/// What a solve that was interrupted unwinds with.
struct Interrupted(PyErr);

impl Watch {
    fn take(&self) -> Vec<(usize, f64)> {
        self.0.lock().map(|mut w| std::mem::take(&mut *w).history).unwrap_or_default()
    }

    /// Whether it is time to look for Ctrl-C.
    fn is_time(&self, iteration: usize, residual: f64) -> bool {
        let Ok(mut watched) = self.0.lock() else { return false };
        watched.history.push((iteration, residual));
        let due = watched.looked.elapsed() > LOOK;
        if due {
            watched.looked = Instant::now();
        }
        due
    }
}

impl taut_lcp::Probe for Watch {
    fn iteration(&mut self, iteration: usize, residual: f64) {
        if self.is_time(iteration, residual)
            && let Err(e) = Python::attach(|py| py.check_signals())
        {
            resume_unwind(Box::new(Interrupted(e)));
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
                if own.is_empty() {
                    return Err(Error::new_err(format!("{name} has no settings")));
                }
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
        Ok(Session(Mutex::new(State::new(problem.0.clone(), config, stop)?)))
    }

    /// Replaces the problem.
    fn set_problem(&self, py: Python<'_>, problem: &Problem) -> PyResult<()> {
        self.lock(py)?.problem = problem.0.clone();
        Ok(())
    }

    /// Lets go of the problem; another one must be set before the next solve.
    fn forget_problem(&self, py: Python<'_>) -> PyResult<()> {
        let nothing = Operator::Dense(Dense::from_rows(0, Vec::new()).map_err(lcp_error)?);
        let problem = Lcp { operator: nothing, b: Vec::new(), laws: Vec::new() };
        self.lock(py)?.problem = Arc::new(problem);
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
    let watch = state.solve.probe().clone();
    watch.take();
    let start = Instant::now();
    let problem = state.problem.clone();
    let (posed, solve) = (&*problem, &mut state.solve);
    let run = move || {
        let solve = solve; // whose answer outlives this
        solve.solve(posed)
    };
    let solved = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(solved) => solved.map_err(lcp_error)?,
        Err(payload) => {
            let interrupted = payload.downcast().unwrap_or_else(|other| resume_unwind(other));
            let Interrupted(e) = *interrupted;
            *state = State::new(problem, state.config.clone(), state.stop)?;
            return Err(e);
        }
    };
    let seconds = start.elapsed().as_secs_f64();
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
        history: watch.take().into_iter().flat_map(|(k, r)| [k as f64, r]).collect(),
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
