//! What every form of the linear algebra can do, and what some can do besides.
//!
//! The methods of [`Form`] without a body are what each form must do; the others
//! are abilities that some have, with what happens without them.

use super::dense::Dense;
use super::dual::Dual;
use super::primal::Primal;
use super::{Breakdown, Depth, Pcg, Ports, Skyline};
use crate::{Operator, Problem, RowState};

/// One form of the linear algebra.
pub(crate) trait Form {
    /// Takes up new values of a problem whose pattern is known.
    fn refill(&mut self, problem: &Problem);

    /// Factors (A + D)_FF, F the rows whose state is free.
    fn factor(&mut self, problem: &Problem, set: &[RowState], d: &[f64]) -> Result<(), Breakdown>;

    /// x_F = (A + D)_FF⁻¹ r_F with the last factorization; x is zero elsewhere. What
    /// iterates stops at a residual of `target`. Returns the number of iterations or
    /// refinements.
    fn solve(&mut self, problem: &Problem, r: &[f64], x: &mut [f64], target: f64) -> usize;

    /// As [`Form::solve`], but to two or three digits, if that is cheaper.
    fn solve_roughly(&mut self, problem: &Problem, r: &[f64], x: &mut [f64], target: f64) {
        self.solve(problem, r, x, target);
    }

    /// Impulses and velocities of a face together: see [`Primal::solve_face`], which returns the number of
    /// refinements and whether the target was met. `None`: the form has no velocities.
    fn solve_face(
        &mut self,
        _: &Problem,
        _beta: &[f64],
        _target: f64,
        _: Depth,
        _lambda: &mut [f64],
        _g: &mut [f64],
    ) -> Option<Result<(usize, bool), Breakdown>> {
        None
    }

    /// Begins a path of steps, each with a factor of its own, at λ.
    fn begin_path(&mut self, _: &Problem, _lambda: &[f64]) {}

    /// The direction (A + D)_FF⁻¹ r_F from a point of the path, which is λ if it has
    /// moved since the last call: see [`Primal::direction`]. Says whether the form
    /// has such paths; else [`Form::solve`] gives the direction.
    fn direction(&mut self, _: &Problem, _r: &[f64], _: Option<&[f64]>, _x: &mut [f64]) -> bool {
        false
    }

    /// Goes so far along the last direction.
    fn go(&mut self, _alpha: f64) {}

    /// Whether [`Form::effective`] works; then takes memory for so many rows on two
    /// bodies.
    fn reserve_effective(&mut self, _rows: usize) -> bool {
        false
    }

    /// Columns of the inverse effective mass that rows outside feel, with the last
    /// factorization.
    fn effective(&mut self, _: &Problem, _: &Ports, _columns: &[u32], _out: &mut [f64]) {}
}

impl Form for Dense {
    fn refill(&mut self, problem: &Problem) {
        self.assemble(problem);
    }

    fn factor(&mut self, problem: &Problem, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        self.factor(problem, set, d)
    }

    fn solve(&mut self, _: &Problem, r: &[f64], x: &mut [f64], _: f64) -> usize {
        self.solve(r, x)
    }
}

impl Form for Dual {
    fn refill(&mut self, problem: &Problem) {
        self.assemble(problem);
    }

    fn factor(&mut self, problem: &Problem, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        self.factor(problem, set, d)
    }

    fn solve(&mut self, _: &Problem, r: &[f64], x: &mut [f64], _: f64) -> usize {
        self.solve(r, x)
    }

    fn reserve_effective(&mut self, rows: usize) -> bool {
        self.several.reserve(&self.factor);
        self.reserve_coupling(rows);
        true
    }

    fn effective(&mut self, problem: &Problem, ports: &Ports, columns: &[u32], out: &mut [f64]) {
        if let Operator::Multibody(a) = &problem.operator {
            self.effective(a, ports, columns, out);
        }
    }
}

/// Chosen for multibody problems alone.
impl Form for Primal {
    fn refill(&mut self, problem: &Problem) {
        if let Operator::Multibody(a) = &problem.operator {
            self.refill(a);
        }
    }

    fn factor(&mut self, problem: &Problem, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        let Operator::Multibody(a) = &problem.operator else { return Err(Breakdown) };
        self.factor(a, set, d)
    }

    fn solve(&mut self, problem: &Problem, r: &[f64], x: &mut [f64], _: f64) -> usize {
        let Operator::Multibody(a) = &problem.operator else { return 0 };
        self.solve(a, r, x)
    }

    fn solve_roughly(&mut self, problem: &Problem, r: &[f64], x: &mut [f64], _: f64) {
        if let Operator::Multibody(a) = &problem.operator {
            self.solve_roughly(a, r, x);
        }
    }

    fn solve_face(
        &mut self,
        problem: &Problem,
        beta: &[f64],
        target: f64,
        depth: Depth,
        lambda: &mut [f64],
        g: &mut [f64],
    ) -> Option<Result<(usize, bool), Breakdown>> {
        let Operator::Multibody(a) = &problem.operator else { return None };
        Some(self.solve_face(a, beta, target, depth, lambda, g))
    }

    fn begin_path(&mut self, problem: &Problem, lambda: &[f64]) {
        if let Operator::Multibody(a) = &problem.operator {
            self.begin_path(a, lambda);
        }
    }

    fn direction(
        &mut self,
        problem: &Problem,
        r: &[f64],
        at: Option<&[f64]>,
        x: &mut [f64],
    ) -> bool {
        let Operator::Multibody(a) = &problem.operator else { return false };
        self.direction(a, r, at, x);
        true
    }

    fn go(&mut self, alpha: f64) {
        self.go(alpha);
    }

    fn reserve_effective(&mut self, _: usize) -> bool {
        self.several.reserve(&self.k);
        true
    }

    fn effective(&mut self, _: &Problem, ports: &Ports, columns: &[u32], out: &mut [f64]) {
        self.effective(ports, columns, out);
    }
}

impl Form for Skyline {
    fn refill(&mut self, problem: &Problem) {
        self.assemble(problem);
    }

    fn factor(&mut self, _: &Problem, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        self.factor(set, d)
    }

    fn solve(&mut self, _: &Problem, r: &[f64], x: &mut [f64], _: f64) -> usize {
        self.solve(r, x)
    }
}

impl Form for Pcg {
    fn refill(&mut self, problem: &Problem) {
        self.assemble(problem);
    }

    fn factor(&mut self, problem: &Problem, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        self.factor(problem, set, d)
    }

    fn solve(&mut self, problem: &Problem, r: &[f64], x: &mut [f64], target: f64) -> usize {
        self.solve(problem, r, x, target)
    }
}
