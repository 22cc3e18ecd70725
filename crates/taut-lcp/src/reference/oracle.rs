//! The oracle: what a solver would cost that knew the final index set.
//!
//! Numeric assembly, one numeric factorization and one solve of A_FF, F the
//! free rows of the answer; symbolic analysis does not count. There is one
//! oracle per form of the linear algebra; the faster of the two is the
//! oracle of a problem. The caller measures the time of [`Oracle::run`].

use crate::free_solve::FreeSolve;
use crate::pivoting::face::{constants::SHIFT, needs_shift};
use crate::{Backend, Operator, Problem, RowState};

/// One factorization for a known index set.
///
/// ```
/// use taut_lcp::reference::Oracle;
/// use taut_lcp::{Backend, Dense, Operator, Problem, RowState};
/// let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
/// let problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
/// let mut oracle = Oracle::new(Backend::Dual);
/// assert!(oracle.prepare(&problem, &[RowState::Free, RowState::Lower]));
/// assert!(oracle.run(&problem)); // the part to measure
/// assert!((oracle.impulses()[0] - 0.5).abs() < 1e-7);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub struct Oracle {
    backend: Backend,
    free_solve: FreeSolve,
    set: Vec<RowState>,
    shift: Vec<f64>,
    rhs: Vec<f64>,
    lambda: Vec<f64>,
}

impl Oracle {
    /// An oracle with this form of the linear algebra.
    pub fn new(backend: Backend) -> Self {
        Oracle {
            backend,
            free_solve: FreeSolve::new(Some(backend)),
            set: Vec::new(),
            shift: Vec::new(),
            rhs: Vec::new(),
            lambda: Vec::new(),
        }
    }

    /// Symbolic analysis for the index set `set` of an answer. Says whether
    /// the form suits the problem: it has cones or lacks symmetry, the set has
    /// another length, the primal form is wanted of a matrix that is not
    /// multibody, or the matrix cannot be factored.
    pub fn prepare(&mut self, problem: &Problem, set: &[RowState]) -> bool {
        let multibody = matches!(problem.operator, Operator::Multibody(_));
        if problem.has_cones()
            || !problem.operator.is_symmetric()
            || set.len() != problem.rows()
            || (self.backend == Backend::Primal && !multibody)
        {
            return false;
        }
        self.set.clear();
        self.set.extend_from_slice(set);
        self.shift.clear();
        self.shift.resize(set.len(), 0.0);
        problem.operator.diagonal(&mut self.shift);
        // What an exact solver adds where A may be singular.
        let relative = if needs_shift(problem, &self.shift) { SHIFT } else { 0.0 };
        self.shift.iter_mut().for_each(|s| *s *= relative);
        self.find_rhs(problem);
        self.lambda.clear();
        self.lambda.resize(set.len(), 0.0);
        self.free_solve.prepare(problem);
        self.free_solve.factor(problem, &self.set, &self.shift).is_ok()
    }

    /// Numeric assembly, factorization and solve. Says whether the matrix
    /// could be factored.
    pub fn run(&mut self, problem: &Problem) -> bool {
        self.free_solve.refill(problem);
        let factored = self.free_solve.factor(problem, &self.set, &self.shift).is_ok();
        if factored {
            self.free_solve.solve(problem, &self.rhs, &mut self.lambda);
        }
        factored
    }

    /// λ_F of the last run; zero on tight rows.
    pub fn impulses(&self) -> &[f64] {
        &self.lambda
    }

    /// −b − A_FT λ_T.
    fn find_rhs(&mut self, problem: &Problem) {
        let m = problem.rows();
        let (mut lo, mut hi) = (Vec::new(), Vec::new());
        problem.bounds(&mut lo, &mut hi);
        let tight: Vec<f64> = (0..m)
            .map(|i| match self.set[i] {
                RowState::Free => 0.0,
                RowState::Lower => lo[i],
                RowState::Upper => hi[i],
            })
            .collect();
        self.rhs.clear();
        self.rhs.resize(m, 0.0);
        problem.operator.apply(&tight, &mut self.rhs, &mut Vec::new());
        self.rhs.iter_mut().zip(&problem.b).for_each(|(r, b)| *r = -*r - b);
    }
}
