//! Proximal Newton iterations on the scaled problem, from a point that is near.
//!
//! **Problem**: x = R(x), where R sends z = x − ρ(w̃ + δ(x − x_k)) to the law of
//! each block: the normal impulse to zero or above, the tangent to the disc of
//! that radius (associated: all three to the closest point of the cone), a box to
//! its bounds. Its solution has w̃ = −δ(x − x_k), so with x_k ← x it becomes that
//! of the problem. δ > 0 makes every piece regular, whatever the rank of A.
//! **Update**: (I − (1 − ρδ)R′ + ρR′Ã) dx = R(x) − x, shortened until the right
//! side falls below the largest of the last four; where no length does, x ← R(x).
//! **Cost**: one factorization a step. No active set is kept.
//! **Fails** far from a solution: then contacts change their state for ever.
//! **Reference**: Alart and Curnier 1991; Rockafellar 1976 (proximal points).

use super::lorentz::{Vector, identity};
use super::model::Block;
use super::system::System;
use crate::rounding::ELIMINATION;
use crate::{Probe, Problem};

/// ρ. Ã has entries of the size of one. (With ρ = 1/δ, as an augmented Lagrangian has
/// it, 4 of 19 files of FCLIB stay above 1e-9, and twice the steps are needed.)
const RHO: f64 = 1.0;
/// The inner problem is solved well enough when |R − x| is at most this share of δ|x − x_k|: the next proximal step
/// has that error anyway.
const SETTLED: f64 = 0.1;
/// Steps with the last factor at the end.
const REFINEMENTS: usize = 3;
/// Newton steps about one centre.
const STEPS: usize = 12;
/// A step must lead below the largest of so many values before.
const RECENT: usize = 4;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// First δ; it falls to a tenth with every new centre, down to the least.
    /// `None`: so large that one centre may do.
    pub first: Option<f64>,
    pub least: f64,
    /// Limit on factorizations.
    pub factorizations: usize,
    /// The shortest step that is taken.
    pub shortest: f64,
}

/// From an interior point that is near, or is the best there is.
pub(super) const NEAR: Plan =
    Plan { first: Some(1e-4), least: 1e-10, factorizations: 10, shortest: 1e-3 };
pub(super) const FAR: Plan = Plan { factorizations: 30, ..NEAR };
/// From the answer of the step before: one factorization where nothing changes
/// its state; short steps mean that much does.
pub(super) const WARM: Plan = Plan { first: None, least: 1e-9, factorizations: 5, shortest: 0.4 };
/// From the answer of the step before, where a step costs little beside an interior one. (On `spinner` 16 of 253 solves need
/// the interior point then, not 156.)
pub(super) const SMALL: Plan = Plan { factorizations: 12, shortest: 0.02, ..WARM };
/// From the answer of a problem with other compliances.
pub(super) const STIFFER: Plan = Plan { factorizations: 6, shortest: 0.1, ..WARM };

/// From the answer of a softer problem to one far off.
pub(super) const PROXIMAL: Plan = Plan { first: Some(0.1), factorizations: 60, ..NEAR };

#[derive(Default)]
pub(super) struct Polish {
    pub x: Vec<f64>,
    centre: Vec<f64>,
    w: Vec<f64>,
    /// R − x, dx and Ã dx, and a point on trial.
    f: Vec<f64>,
    dx: Vec<f64>,
    dw: Vec<f64>,
    trial: Vec<f64>,
    trial_w: Vec<f64>,
    /// The best point, and its residual.
    pub best: Vec<f64>,
    pub residual: f64,
}

impl Polish {
    /// Takes up a start, as far as the memory goes.
    pub fn start(&mut self, x: &[f64]) {
        for v in [
            &mut self.x,
            &mut self.centre,
            &mut self.w,
            &mut self.f,
            &mut self.dx,
            &mut self.dw,
            &mut self.trial,
            &mut self.trial_w,
            &mut self.best,
        ] {
            v.clear();
            v.extend_from_slice(x);
        }
        self.residual = f64::INFINITY;
    }

    /// The residual of a point.
    pub fn measure<const N: usize>(
        &mut self,
        system: &mut System<N>,
        problem: &Problem,
        x: &[f64],
    ) {
        system.velocities(x, &mut self.w);
        self.residual = system.model.judge(problem, x, &self.w).relative_residual;
    }

    /// Runs from `x`; `best` and `residual` hold the result.
    pub fn run<const N: usize>(
        &mut self,
        system: &mut System<N>,
        problem: &Problem,
        tolerance: f64,
        plan: &Plan,
        probe: &mut dyn Probe,
    ) {
        let limit = system.counts.factorizations + plan.factorizations;
        system.velocities(&self.x, &mut self.w);
        self.keep(system, problem, probe);
        let mut delta = plan.first.unwrap_or_else(|| self.delta(tolerance));
        if self.residual <= tolerance && limit > system.counts.factorizations {
            // An answer, but its last digits would add up from step to step.
            self.centre.copy_from_slice(&self.x);
            self.linearize(system, delta);
            if system.factor().is_ok() {
                self.refine(system, problem, delta, probe);
            }
            return;
        }
        while self.residual > tolerance && system.counts.factorizations < limit {
            self.centre.copy_from_slice(&self.x);
            let before = system.counts.factorizations;
            let mut recent = [0.0_f64; RECENT];
            for step in 0..STEPS {
                let (size, moved) = self.right_side::<N>(&system.model.blocks, delta);
                let is_open = size > SETTLED * delta * moved + ELIMINATION;
                if !is_open || system.counts.factorizations >= limit {
                    break;
                }
                recent[step % RECENT] = size;
                let bar = recent.iter().fold(0.0_f64, |m, r| m.max(*r));
                self.linearize(system, delta);
                if system.factor().is_err() {
                    return;
                }
                if !self.search(system, delta, bar, plan.shortest) {
                    self.kick(system, delta);
                    break;
                }
                self.keep(system, problem, probe);
                if self.residual <= tolerance {
                    return self.refine(system, problem, delta, probe);
                }
            }
            let stands = system.counts.factorizations == before;
            if stands && delta <= plan.least {
                return;
            }
            delta = (0.1 * delta).max(plan.least);
        }
    }

    /// Once more about x with the same factor, which costs little and gains digits: δ(x − x_k)
    /// alone is a third of the tolerance.
    fn refine<const N: usize>(
        &mut self,
        system: &mut System<N>,
        problem: &Problem,
        delta: f64,
        probe: &mut dyn Probe,
    ) {
        for _ in 0..REFINEMENTS {
            let last = self.residual;
            self.centre.copy_from_slice(&self.x);
            self.right_side::<N>(&system.model.blocks, delta);
            system.solve(&self.f, &mut self.dx);
            self.x.iter_mut().zip(&self.dx).for_each(|(x, dx)| *x += dx);
            system.velocities(&self.x, &mut self.w);
            self.keep(system, problem, probe);
            if self.residual > 0.1 * last {
                break;
            }
        }
    }

    /// The δ at which x, moving as far as its residual says, meets the tolerance.
    /// (Smaller ones make more of redundant contacts change their state.)
    fn delta(&self, tolerance: f64) -> f64 {
        let length = self.x.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
        (0.3 * tolerance / (self.residual * length)).clamp(1e-8, 1e-4)
    }

    /// Where the law sends x.
    #[inline]
    fn aim<const N: usize>(&self, block: &Block, x: &[f64], w: &[f64], delta: f64) -> Vector<N> {
        let (x, w, c): (Vector<N>, Vector<N>, Vector<N>) =
            (block.of(x), block.of(w), block.of(&self.centre));
        std::array::from_fn(|r| x[r] - RHO * (w[r] + delta * (x[r] - c[r])))
    }

    /// f = R − x; returns |R − x| and |R − x_k|.
    fn right_side<const N: usize>(&mut self, blocks: &[Block], delta: f64) -> (f64, f64) {
        let (mut size, mut moved) = (0.0, 0.0);
        for block in blocks {
            let (r, _) = block.law::<N>(&self.aim(block, &self.x, &self.w, delta));
            let (x, c): (Vector<N>, Vector<N>) = (block.of(&self.x), block.of(&self.centre));
            let f: Vector<N> = std::array::from_fn(|i| r[i] - x[i]);
            block.put(&mut self.f, &f);
            size += f.iter().map(|f| f * f).sum::<f64>();
            moved += (0..N).map(|i| (r[i] - c[i]).powi(2)).sum::<f64>();
        }
        (size.sqrt(), moved.sqrt())
    }

    fn linearize<const N: usize>(&mut self, system: &mut System<N>, delta: f64) {
        let (one, System { model, q, p, .. }) = (identity::<N>(), system);
        for (k, block) in model.blocks.iter().enumerate() {
            let (_, slope) = block.law::<N>(&self.aim(block, &self.x, &self.w, delta));
            for r in 0..N {
                for c in 0..N {
                    q[k][r][c] = one[r][c] - (1.0 - RHO * delta) * slope[r][c];
                    p[k][r][c] = RHO * slope[r][c];
                }
            }
        }
    }

    /// Goes along the solution as far as |R − x| shrinks; `false`: not at all.
    fn search<const N: usize>(
        &mut self,
        system: &mut System<N>,
        delta: f64,
        size: f64,
        shortest: f64,
    ) -> bool {
        system.solve(&self.f, &mut self.dx);
        system.product(&self.dx, &mut self.dw);
        system.counts.iterations += 1;
        let mut a = 1.0;
        while a >= shortest {
            for i in 0..self.x.len() {
                self.trial[i] = self.x[i] + a * self.dx[i];
                self.trial_w[i] = self.w[i] + a * self.dw[i];
            }
            let mut sum = 0.0;
            for block in &system.model.blocks {
                let (r, _) = block.law::<N>(&self.aim(block, &self.trial, &self.trial_w, delta));
                let x: Vector<N> = block.of(&self.trial);
                sum += (0..N).map(|i| (r[i] - x[i]).powi(2)).sum::<f64>();
            }
            if sum.sqrt() <= (1.0 - 1e-4 * a) * size {
                std::mem::swap(&mut self.x, &mut self.trial);
                system.velocities(&self.x, &mut self.w);
                return true;
            }
            a *= 0.5;
        }
        false
    }

    /// x ← R(x), off a corner of the law that stops every step.
    fn kick<const N: usize>(&mut self, system: &mut System<N>, delta: f64) {
        for block in &system.model.blocks {
            let (r, _) = block.law::<N>(&self.aim(block, &self.x, &self.w, delta));
            block.put(&mut self.trial, &r);
        }
        std::mem::swap(&mut self.x, &mut self.trial);
        system.velocities(&self.x, &mut self.w);
    }

    /// Remembers x if it is the best so far.
    fn keep<const N: usize>(
        &mut self,
        system: &mut System<N>,
        problem: &Problem,
        probe: &mut dyn Probe,
    ) {
        let verdict = system.model.judge(problem, &self.x, &self.w);
        probe.iteration(system.counts.iterations.max(1), verdict.natural_residual);
        if verdict.relative_residual < self.residual {
            self.residual = verdict.relative_residual;
            self.best.copy_from_slice(&self.x);
        }
    }
}
