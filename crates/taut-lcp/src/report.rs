//! The outcome of a solve, and the window on its iterations.

use std::fmt;

use crate::residual::Verdict;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Status {
    /// The judge's relative residual is within the tolerance.
    Converged,
    /// Out of iterations.
    IterationLimit,
    /// No further progress at this precision.
    Stalled,
    /// The merit function is flat, and not zero: a minimum, but no answer.
    LocalMinimum,
    /// No direction lowers the merit function.
    NonDescent,
    /// Iterates or residuals grow without end.
    Diverged,
    /// The index set came back, and nothing broke the cycle.
    Cycling,
    /// A linear system of the method could not be solved.
    Singular,
    /// NaN or infinity turned up.
    NonFinite,
    /// Lemke's path ended in a ray, which proves nothing for this matrix.
    Ray,
    /// No solution exists; the iterate holds a direction that proves it.
    Infeasible,
}

/// The form of the linear algebra a solver stood on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Backend {
    /// A_FF, compacted, dense Cholesky.
    Dense,
    /// A_FF, compacted, sparse Cholesky.
    Dual,
    /// M + J_Fᵀ C_F⁻¹ J_F on the body graph.
    Primal,
    /// A within its skyline, tight rows deleted from one factor.
    Skyline,
    /// Conjugate gradients on A_FF, nothing factored.
    Pcg,
}

/// Work counted by a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Counts {
    /// Outer iterations (sweeps, pivots, Newton steps).
    pub iterations: usize,
    /// Inner iterations (refinement, conjugate gradients), where there are any.
    pub inner: usize,
    /// Numeric factorizations.
    pub factorizations: usize,
    /// Rows that changed their state, summed over iterations.
    pub pivots: usize,
    /// Rows that adaptive regularization softened on the way.
    pub regularized: usize,
    /// Columns of incomplete factors computed, and those of them that were
    /// imaginary (Ho22 4.1.5).
    pub incomplete_columns: usize,
    /// See `incomplete_columns`.
    pub imaginary_columns: usize,
    /// Whether a fall-back method finished the work.
    pub fell_back: bool,
}

impl Counts {
    /// Adds the work of another part or attempt.
    pub(crate) fn add(&mut self, other: &Counts) {
        self.iterations += other.iterations;
        self.inner += other.inner;
        self.factorizations += other.factorizations;
        self.pivots += other.pivots;
        self.regularized += other.regularized;
        self.incomplete_columns += other.incomplete_columns;
        self.imaginary_columns += other.imaginary_columns;
        self.fell_back |= other.fell_back;
    }
}

/// What a solver claims; [`solve`](crate::solver::solve) has it judged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "how a run ended is all that it says"]
#[non_exhaustive]
pub struct Outcome {
    /// The solver's own view.
    pub status: Status,
    /// Work done.
    pub counts: Counts,
    /// Linear algebra used, if any.
    pub backend: Option<Backend>,
    /// Why this linear algebra; empty if there was no choice.
    pub why: &'static str,
    /// The method chosen, of a solver that chooses; else empty.
    pub method: &'static str,
    /// What the answer solves, where that is not the problem as posed.
    pub softening: Option<Softening>,
}

/// Compliance that a method added because the problem as posed did not settle:
/// the answer is that of the softer problem.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Softening {
    /// Compliance of each row of a cone, relative to its diagonal of A.
    pub compliance: f64,
    /// Relative natural residual of the softer problem.
    pub relative_residual: f64,
}

impl Outcome {
    /// An outcome without linear algebra behind it.
    pub fn new(status: Status, counts: Counts) -> Self {
        Outcome { status, counts, backend: None, why: "", method: "", softening: None }
    }
}

/// What solved a problem, and why that. Shown as one line:
///
/// ```
/// use taut_lcp::{Dense, Operator, Problem, Session};
/// let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
/// let problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
/// let mut session = Session::named("auto")?;
/// let answer = session.solve(&problem)?;
/// let line = answer.report().choice.to_string();
/// assert!(line.starts_with("dense bpp: 2 rows, cold"), "{line}");
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// Registry name of the method that did the work.
    pub method: &'static str,
    /// Linear algebra used, if any.
    pub backend: Option<Backend>,
    /// Why this linear algebra; empty if there was no choice.
    pub why: &'static str,
    /// Rows of the problem.
    pub rows: usize,
    /// Degrees of freedom of its bodies, where it has bodies.
    pub dofs: Option<usize>,
    /// Whether the start came with an index set.
    pub warm: bool,
    /// Whether the start was the answer.
    pub done: bool,
    /// Work done.
    pub counts: Counts,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.backend {
            Some(Backend::Dense) => f.write_str("dense ")?,
            Some(Backend::Dual) => f.write_str("dual ")?,
            Some(Backend::Primal) => f.write_str("primal ")?,
            Some(Backend::Skyline) => f.write_str("skyline ")?,
            Some(Backend::Pcg) => f.write_str("matrix-free ")?,
            None => {}
        }
        write!(f, "{}: {} rows", self.method, Thousands(self.rows))?;
        if let Some(dofs) = self.dofs {
            write!(f, " on {} dofs", Thousands(dofs))?;
        }
        let c = &self.counts;
        write!(f, ", {}", if self.warm { "warm" } else { "cold" })?;
        if self.done {
            return write!(f, ", the start was the answer");
        }
        if self.backend.is_some() {
            write!(
                f,
                ", {}, {}",
                count(c.pivots, "pivot"),
                count(c.factorizations, "factorization")
            )?;
        } else {
            write!(f, ", {}", count(c.iterations, "iteration"))?;
        }
        if c.fell_back {
            write!(f, ", fell back")?;
        }
        if !self.why.is_empty() {
            write!(f, " ({})", self.why)?;
        }
        Ok(())
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{} {what}{}", Thousands(n), if n == 1 { "" } else { "s" })
}

/// A number with commas.
struct Thousands(usize);

impl fmt::Display for Thousands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1000 {
            return write!(f, "{}", self.0);
        }
        write!(f, "{},{:03}", Thousands(self.0 / 1000), self.0 % 1000)
    }
}

/// The judged outcome of a solve.
#[must_use = "a solve may not have converged: look at the status"]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Registry name of the solver.
    pub solver: &'static str,
    /// How it ended, as the judge sees it.
    pub status: Status,
    /// Work done.
    pub counts: Counts,
    /// What did the work, and why.
    pub choice: Choice,
    /// Residuals and errors, of the problem as posed.
    pub verdict: Verdict,
    /// What the answer solves, where that is a softer problem.
    pub softening: Option<Softening>,
    /// Wall time of `prepare` \[s\]. Of cones it is next to nothing: their symbolic work is part of `run` (see
    /// [`Solver::prepare`](crate::Solver::prepare)).
    pub prepare_seconds: f64,
    /// Wall time of `run` \[s\].
    pub run_seconds: f64,
}

/// Sees each iteration of a solver.
pub trait Probe {
    /// Called after iteration `iteration` (from 1) with the natural residual
    /// \[m/s\] as the solver knows it. Solvers that would have to compute it
    /// for this call alone may skip iterations.
    fn iteration(&mut self, iteration: usize, natural_residual: f64);
}

/// A probe that looks away.
impl Probe for () {
    fn iteration(&mut self, _iteration: usize, _natural_residual: f64) {}
}

/// Residuals per iteration, for plots and rates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History(
    /// (iteration, natural residual \[m/s\]).
    pub Vec<(usize, f64)>,
);

impl Probe for History {
    fn iteration(&mut self, iteration: usize, natural_residual: f64) {
        self.0.push((iteration, natural_residual));
    }
}
