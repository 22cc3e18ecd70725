//! A monotone active-set method: projected Newton with a line search.
//!
//! **Problem**: the strictly convex proximal problem of [`super::face`].
//! **Update**: rows at a bound that push outward are tight, all others free;
//! along the Newton direction d of that face, λ ← clamp(λ + t d) with t halved
//! until the energy ½λᵀAλ + bᵀλ has fallen enough. A full step without
//! violations is the exact answer.
//! **Cost** per iteration: one factorization, one product per trial.
//! **Fails** never on strictly convex problems in exact arithmetic (the energy
//! falls in every step), but far from the answer it may need as many
//! iterations as there are rows to turn: it is the last rung of a ladder.
//! **Reference**: Bertsekas 1982, Projected Newton methods, whose condition
//! (no coupling with rows that push outward) makes d a descent direction.

use super::face::Face;
use super::proximal::{Inner, Round};
use crate::free_solve::Breakdown;
use crate::newton::ARMIJO;
use crate::{Problem, RowState, Status};

/// Trials of one line search: then the step is shorter than rounding.
const TRIALS: usize = 40;

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stride {
    /// All the way, within all bounds: λ solves its face.
    Full,
    /// Some of the way, or along a bound.
    Cut,
    /// No trial lowers the energy.
    Nowhere,
}

#[derive(Default)]
pub(crate) struct Monotone {
    start: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl Monotone {
    pub fn run(&mut self, round: &mut Round<'_>) -> Inner {
        let Round { face, problem, iterate, .. } = round;
        let lambda = &mut iterate.lambda;
        let m = lambda.len();
        (0..m).for_each(|i| lambda[i] = lambda[i].clamp(face.lo[i], face.hi[i]));
        while !face.out_of_iterations() {
            face.counts.iterations += 1;
            face.update_w(problem, lambda);
            choose_set(face, lambda);
            let stride = match self.step(face, problem, lambda) {
                Err(Breakdown) => return Inner::Failed(Status::Singular),
                Ok(Stride::Nowhere) => return Inner::Failed(Status::Stalled),
                Ok(stride) => stride,
            };
            face.update_w(problem, lambda);
            face.note_refined();
            if stride == Stride::Full && (0..m).all(|i| face.violation(i, lambda[i]).is_none()) {
                return Inner::Solved;
            }
        }
        Inner::Failed(Status::IterationLimit)
    }

    /// One step from λ, whose w the face holds, along the Newton direction of
    /// its index set.
    pub fn step(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<Stride, Breakdown> {
        for v in [&mut self.start, &mut self.gradient, &mut self.step, &mut self.product] {
            v.resize(lambda.len(), 0.0);
        }
        self.start.copy_from_slice(lambda);
        (0..lambda.len()).for_each(|i| self.gradient[i] = face.gradient(i, lambda[i]));
        self.direction.clone_from(face.direction(problem, lambda)?);
        Ok(self.search(face, problem, lambda))
    }

    /// Backtracks along the projected direction.
    fn search(&mut self, face: &mut Face, problem: &Problem, lambda: &mut [f64]) -> Stride {
        let mut t = 1.0;
        for _ in 0..TRIALS {
            let mut projected = false;
            for i in 0..lambda.len() {
                let wanted = self.start[i] + t * self.direction[i];
                lambda[i] = wanted.clamp(face.lo[i], face.hi[i]);
                projected |= lambda[i] != wanted;
                self.step[i] = lambda[i] - self.start[i];
            }
            face.product(problem, &self.step, &mut self.product);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let slope = dot(&self.gradient, &self.step);
            let change = slope + 0.5 * dot(&self.step, &self.product);
            if change <= ARMIJO * slope && slope <= 0.0 {
                return if t == 1.0 && !projected { Stride::Full } else { Stride::Cut };
            }
            t *= 0.5;
        }
        lambda.copy_from_slice(&self.start);
        Stride::Nowhere
    }
}

/// Tight: at a bound, and pushing outward or at rest.
fn choose_set(face: &mut Face, lambda: &[f64]) {
    for i in 0..lambda.len() {
        let g = face.gradient(i, lambda[i]);
        face.set[i] = if face.is_fixed(i) || (lambda[i] <= face.lo[i] && g >= 0.0) {
            RowState::Lower
        } else if lambda[i] >= face.hi[i] && g <= 0.0 {
            RowState::Upper
        } else {
            RowState::Free
        };
    }
}
