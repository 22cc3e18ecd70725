//! The solution on a face: tight rows at their bounds, gradient zero on the others.
//!
//! In primal form impulses and velocities are corrected together; elsewhere each
//! correction of λ is followed by a product. While rows violate their law a *rough*
//! solution, one correction, is enough to see which; the next face goes on from it.

use super::constants::{PCG_SHARE, REFINED, STALLS};
use super::{Face, Known, Precision, Role};
use crate::free_solve::{Breakdown, Depth};
use crate::report::Backend;
use crate::rounding::REFINEMENTS;
use crate::{Operator, Problem, RowState};

impl Face {
    /// λ ← the solution on the face: tight rows at their bounds, gradient
    /// zero on free rows.
    pub fn solve(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<(), Breakdown> {
        self.solve_to(Depth::Full, problem, lambda)
    }

    /// As [`Face::solve`], but to some digits only, where impulses and velocities are corrected
    /// together: enough to see which rows violate their law, as long as some do.
    /// [`Face::refine`] finds the others.
    pub fn solve_roughly(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<(), Breakdown> {
        self.solve_to(Depth::Rough, problem, lambda)
    }

    /// Makes a rough solution a good one. Says whether it was rough.
    pub fn refine(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<bool, Breakdown> {
        if !self.known.is_rough() {
            return Ok(false);
        }
        // With a shift w is not what the equations leave.
        let depth = if self.is_shifted() { Depth::Full } else { Depth::Rest };
        match self.solve_jointly(depth, problem, lambda) {
            Some(solved) => solved?,
            None => _ = self.correct(REFINEMENTS, problem, lambda)?,
        }
        Ok(true)
    }

    fn solve_to(
        &mut self,
        depth: Depth,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<(), Breakdown> {
        self.counts.iterations += 1;
        let is_rough = depth == Depth::Rough;
        let known = std::mem::take(&mut self.known);
        let has_w = match known {
            Known::Given => true,
            Known::Followed(_) if is_rough => self.follow_to_bounds(problem, lambda),
            _ => false,
        };
        self.to_bounds(lambda);
        // With a shift w is not what the equations leave.
        let goes_on = is_rough && known == Known::Rough && !self.is_shifted();
        self.factor(problem)?;
        let depth = if goes_on { Depth::Next } else { depth };
        if let Some(solved) = self.solve_jointly(depth, problem, lambda) {
            return solved;
        }
        if !has_w {
            self.update_w(problem, lambda);
        }
        let has_bodies = matches!(problem.operator, Operator::Multibody(_));
        if is_rough && !has_bodies && !self.is_inexact() {
            let is_fine = self.correct(0, problem, lambda)? <= self.target();
            let precision = if is_fine { Precision::Fine } else { Precision::Rough };
            self.known = Known::Followed(precision);
            return Ok(());
        }
        self.correct(REFINEMENTS, problem, lambda)?;
        self.known = Known::Refined;
        Ok(())
    }

    /// Newton steps on the face, until what they leave on free rows is far below
    /// the tolerance. Says how much that is \[m/s\].
    fn correct(
        &mut self,
        refinements: usize,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<f64, Breakdown> {
        let mut last = f64::INFINITY;
        for refinement in 0..=refinements {
            let residual = self.newton_step(problem, lambda)?;
            if self.is_inexact() {
                self.limits.left = residual;
            }
            let stalls = residual > STALLS * last;
            last = residual;
            if residual <= self.target() || stalls {
                break;
            }
            self.counts.inner += usize::from(refinement > 0 && !self.is_inexact());
        }
        Ok(last)
    }

    /// Residual of a face solution that is good enough \[m/s\].
    fn target(&self) -> f64 {
        self.limits.inner.max(REFINED * self.limits.tolerance)
    }

    /// Impulses and velocities together, in the form that has both.
    fn solve_jointly(
        &mut self,
        depth: Depth,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Option<Result<(), Breakdown>> {
        if self.role == Role::Subsystem {
            return None;
        }
        let (target, is_shifted) = (self.target(), self.is_shifted());
        if is_shifted {
            let shifts = self.proximal.shift.iter().zip(&self.proximal.center).zip(&problem.b);
            self.scratch.rhs.iter_mut().zip(shifts).for_each(|(r, ((s, c), b))| *r = b - s * c);
        }
        let beta = if is_shifted { &self.scratch.rhs } else { &problem.b };
        let free_solve = &mut self.free_solve;
        let solved = free_solve.solve_face(problem, beta, target, depth, lambda, &mut self.w)?;
        if is_shifted {
            for i in 0..lambda.len() {
                self.w[i] -= self.proximal.shift[i] * (lambda[i] - self.proximal.center[i]);
            }
        }
        self.note_rounding(lambda);
        self.known = match (depth, &solved) {
            (Depth::Rough | Depth::Next, _) => Known::Rough,
            (Depth::Full | Depth::Rest, Ok((_, true))) => Known::Refined,
            (Depth::Full | Depth::Rest, _) => Known::Cold,
        };
        Some(solved.map(|(refinements, _)| self.counts.inner += refinements))
    }

    /// As [`Face::solve`], but in one step, and what that leaves is not measured: w of free rows
    /// counts as zero. `knows_w`: w is that of the λ given.
    pub fn solve_once(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        knows_w: bool,
    ) -> Result<(), Breakdown> {
        self.counts.iterations += 1;
        if self.to_bounds(lambda) || !knows_w {
            self.update_w(problem, lambda);
        }
        let step = self.direction(problem, lambda)?;
        lambda.iter_mut().zip(step).for_each(|(l, s)| *l += *s);
        for i in 0..lambda.len() {
            if self.set[i] == RowState::Free {
                self.w[i] = 0.0;
            }
        }
        self.known = Known::Given;
        Ok(())
    }

    /// Where row i is tight, if it is.
    #[inline]
    fn bound(&self, i: usize) -> Option<f64> {
        match self.set[i] {
            RowState::Lower => Some(self.lo[i]),
            RowState::Upper => Some(self.hi[i]),
            RowState::Free => None,
        }
    }

    /// λ of tight rows to their bounds. Says whether some were not there.
    fn to_bounds(&self, lambda: &mut [f64]) -> bool {
        let mut moved = false;
        for i in 0..lambda.len() {
            let Some(bound) = self.bound(i) else { continue };
            moved |= lambda[i] != bound;
            lambda[i] = bound;
        }
        moved
    }

    /// λ of tight rows to their bounds, and w with them, where A is given entry by entry. Says whether it is.
    fn follow_to_bounds(&mut self, problem: &Problem, lambda: &mut [f64]) -> bool {
        let Operator::Sparse(a) = &problem.operator else { return false };
        for i in 0..lambda.len() {
            let Some(bound) = self.bound(i) else { continue };
            let delta = bound - std::mem::replace(&mut lambda[i], bound);
            if delta != 0.0 {
                a.add_column(i, delta, &mut self.w);
                self.w[i] += self.adaptive.epsilon().get(i).map_or(0.0, |e| e * delta);
            }
        }
        true
    }

    /// Direction −(A + ρ·diag A)_FF⁻¹ g_F, zero on tight rows.
    pub fn direction(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
    ) -> Result<&mut Vec<f64>, Breakdown> {
        self.factor(problem)?;
        for i in 0..lambda.len() {
            self.scratch.rhs[i] = -self.gradient(i, lambda[i]);
        }
        if self.role == Role::Subsystem && self.is_nearly_solved() {
            self.free_solve.solve_roughly(problem, &self.scratch.rhs, &mut self.scratch.step);
            return self.finite_step();
        }
        self.free_solve.target = self.limits.inner.max(PCG_SHARE * self.limits.tolerance);
        self.counts.inner +=
            self.free_solve.solve(problem, &self.scratch.rhs, &mut self.scratch.step);
        self.finite_step()
    }

    fn finite_step(&mut self) -> Result<&mut Vec<f64>, Breakdown> {
        if self.scratch.step.iter().all(|s| s.is_finite()) {
            Ok(&mut self.scratch.step)
        } else {
            Err(Breakdown)
        }
    }

    /// Whether two digits of the next step are enough; what it leaves must be
    /// measured.
    fn is_nearly_solved(&self) -> bool {
        let rows = self.scratch.rhs.iter().zip(&self.set);
        rows.filter(|(_, s)| **s == RowState::Free).all(|(r, _)| r.abs() <= self.limits.tolerance)
    }

    fn is_inexact(&self) -> bool {
        self.free_solve.backend() == Backend::Pcg
    }

    fn factor(&mut self, problem: &Problem) -> Result<(), Breakdown> {
        let free = |s: &RowState| *s == RowState::Free;
        let same = self.factored.len() == self.set.len()
            && self.factored.iter().zip(&self.set).all(|(a, b)| free(a) == free(b));
        if same {
            return Ok(());
        }
        self.factored.clear();
        self.counts.factorizations += 1;
        loop {
            self.added.clone_from(&self.proximal.shift);
            let softened = self.adaptive.epsilon();
            self.added.iter_mut().zip(softened).for_each(|(d, e)| *d += e);
            match self.free_solve.factor(problem, &self.set, &self.added) {
                Ok(()) => break,
                Err(_) if self.raise_shift() => self.counts.factorizations += 1,
                Err(e) => return Err(e),
            }
        }
        self.factored.extend_from_slice(&self.set);
        let [columns, imaginary] = self.free_solve.pcg.take_columns();
        self.counts.incomplete_columns += columns;
        self.counts.imaginary_columns += imaginary;
        Ok(())
    }

    /// One Newton step on the face; returns the residual left on free rows.
    fn newton_step(&mut self, problem: &Problem, lambda: &mut [f64]) -> Result<f64, Breakdown> {
        let step = self.direction(problem, lambda)?;
        lambda.iter_mut().zip(step).for_each(|(l, s)| *l += *s);
        self.update_w(problem, lambda);
        let free = (0..lambda.len()).filter(|&i| self.set[i] == RowState::Free);
        Ok(free.fold(0.0, |r: f64, i| r.max(self.gradient(i, lambda[i]).abs())))
    }
}
