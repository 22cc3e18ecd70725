//! Mehrotra's interior-point method with crossover to an exact index set.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite, read as the
//! convex program min ½λᵀAλ + bᵀλ, lo ≤ λ ≤ hi.
//! **Update**: with s = λ − lo, t = hi − λ and multipliers y, z > 0 of the two
//! bounds, a Newton step on Aλ + b = y − z, s·y = t·z = σμ, which is
//! (A + Θ) dλ = −(Aλ + b) + (σμ − Δ)/s − (σμ − Δ')/t, Θ = y/s + z/t; Δ, Δ' are
//! the second-order terms of the predictor. Then the index set is read off and
//! pivoting makes it exact.
//! **Cost** per iteration: one factorization with the pattern of the whole
//! problem (one analysis for all), two solves. 10 to 25 iterations, whatever
//! the problem.
//! **Fails**: rounding stops it near 1e-9 of the scale; crossover does the
//! rest. A warm start saves it one iteration in five at best: how redundant
//! contacts share their load shows late, wherever it starts.
//! **Reference**: Mehrotra 1992; Nocedal and Wright, ch. 16.6.

use crate::pivoting::Components;
use crate::pivoting::bpp;
use crate::pivoting::face::Face;
use crate::report::Backend;
use crate::residual::row_residual;
use crate::{Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Stop};

/// Settings of the interior-point method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations, those of the crossover included. Default 2,000.
    pub max_iterations: usize,
    /// Form of the linear algebra; `None`: by predicted cost.
    pub backend: Option<Backend>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 2_000, backend: None }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct Ipm {
    settings: Settings,
    parts: Components,
}

impl Ipm {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        let Settings { max_iterations, backend } = settings;
        let pivoting = bpp::Settings { max_iterations, backend, ..Default::default() };
        Ipm { parts: Components::new(&pivoting, true), settings }
    }
}

impl Solver for Ipm {
    fn name(&self) -> &'static str {
        "ipm"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        crate::pivoting::accepts_symmetric_boxed("ipm", problem, self.settings.backend)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.parts.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.parts.run(problem, stop, iterate, probe)
    }
}

/// Whether λ is absurdly long for the problem: then there is no solution, and
/// a centre out there would hide the direction that proves it.
fn ran_away(face: &Face, problem: &Problem, lambda: &[f64]) -> bool {
    let (mut length, mut natural) = (0.0_f64, 0.0_f64);
    for i in 0..lambda.len() {
        let root = face.diagonal[i].sqrt();
        let nearest = 0.0_f64.clamp(face.lo[i], face.hi[i]).abs();
        length = length.max(root * lambda[i].abs());
        natural = natural.max(root * nearest).max(problem.b[i].abs() / root);
    }
    length > 1e6 * natural
}

/// Limit on interior iterations; Mehrotra's method needs 10 to 25.
const MAX_ITERATIONS: usize = 60;
/// An index set counts as settled when an iteration changes no more than one
/// row in so many, at a residual of this part of the first; of the last part
/// where a small compliance decides how redundant contacts share their load,
/// which shows late.
const SETTLED: (usize, f64, f64) = (50, 1e-2, 1e-7);
/// Distance of the first point from its bounds, by that of the start from the
/// answer; and the least, by the size of b.
const START: f64 = 0.3;
const LEAST_START: f64 = 1e-4;
/// Directions are refined once the residual is this part of the first.
const REFINED: f64 = 1e-5;
/// Fraction of the step to the boundary.
const TO_BOUNDARY: f64 = 0.995;

/// The interior iterations on the proximal problem of a [`Face`].
#[derive(Default)]
pub(crate) struct Interior {
    inside: Vec<RowState>,
    /// λ − lo and hi − λ. Held apart from λ, because the difference of two
    /// nearly equal numbers may come out as zero.
    s: Vec<f64>,
    t: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    theta: Vec<f64>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    /// Second-order terms of the predictor, for the two bounds.
    delta: Vec<[f64; 2]>,
    iterations: usize,
    /// Index set that the last point pointed to.
    pointed_to: Vec<RowState>,
    first_residual: f64,
    residual: f64,
    /// Iteration before which the set is not tried again, and the wait after
    /// the next try.
    next_try: usize,
    wait: usize,
    /// Whether to stop where the index set has settled.
    pub may_stop_early: bool,
    /// Whether to start as if λ were as far from the answer as b is large.
    pub from_afar: bool,
}

/// Why [`Interior::run`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The index set is worth trying; calling again goes on.
    Settled,
    /// Solved, or as far as rounding and limits allow.
    Ended,
}

impl Interior {
    /// Goes on until the index set seems to have settled, or to the end.
    /// Leaves an approximate λ in the iterate and the index set it points to
    /// in the face.
    pub fn run(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Progress {
        face.reset_shift();
        let lambda = &mut iterate.lambda;
        let progress = loop {
            if self.iterations == MAX_ITERATIONS || face.out_of_iterations() {
                break Progress::Ended;
            }
            self.iterations += 1;
            face.counts.iterations += 1;
            face.update_w(problem, lambda);
            // The proximal shift regularizes the steps alone: with the centre
            // at λ the gradient is that of the problem as posed.
            face.center.copy_from_slice(lambda);
            let (mu, residual) = self.measure(face, lambda);
            self.residual = residual;
            probe.iteration(face.counts.iterations, residual);
            if residual <= face.tolerance {
                break Progress::Ended;
            }
            if self.has_settled(face, lambda, residual) {
                break Progress::Settled;
            }
            if self.newton(face, problem, lambda, mu).is_none() {
                break Progress::Ended; // rounding: what was reached has to do
            }
        };
        if ran_away(face, problem, lambda) {
            (0..lambda.len()).for_each(|i| lambda[i] = 0.0_f64.clamp(face.lo[i], face.hi[i]));
            face.update_w(problem, lambda);
            face.guess_set(lambda);
        } else {
            (0..lambda.len()).for_each(|i| face.set[i] = self.state(face, i));
        }
        face.center.copy_from_slice(lambda);
        face.reset_shift();
        // A larger shift keeps the answer nearer to this point, where the
        // index set is right.
        if face.is_shifted() {
            face.raise_shift();
        }
        progress
    }

    /// Whether it is worth trying the index set of this point.
    fn has_settled(&mut self, face: &Face, lambda: &[f64], residual: f64) -> bool {
        let mut changed = 0;
        for i in 0..lambda.len() {
            let state = self.state(face, i);
            changed += usize::from(std::mem::replace(&mut self.pointed_to[i], state) != state);
        }
        let few = changed * SETTLED.0 <= lambda.len();
        let part = if face.is_shifted() { SETTLED.1 } else { SETTLED.2 };
        let small = residual <= part * self.first_residual;
        if self.iterations == 1 {
            self.first_residual = residual;
        }
        let due = self.may_stop_early && few && small && self.iterations >= self.next_try;
        if due {
            self.wait *= 2;
            self.next_try = self.iterations + self.wait;
        }
        due
    }

    /// Memory for m rows.
    pub fn prepare(&mut self, m: usize) {
        self.pointed_to.clear();
        self.pointed_to.resize(m, RowState::Free);
        self.inside.clear();
        self.inside.reserve(m);
        for v in [&mut self.s, &mut self.t, &mut self.y, &mut self.z] {
            v.clear();
            v.reserve(m);
        }
        for v in [&mut self.theta, &mut self.rhs, &mut self.step] {
            v.resize(m, 0.0);
        }
        self.delta.resize(m, [0.0; 2]);
    }

    /// From the λ given, moved well inside its box: as far from every bound as
    /// it is from the answer, by its residual, and multipliers as large as w or
    /// that; in units where every diagonal entry of A is one.
    pub fn start(&mut self, face: &mut Face, problem: &Problem, lambda: &mut [f64]) {
        let m = lambda.len();
        (self.iterations, self.next_try, self.wait) = (0, 0, 1);
        self.prepare(m);
        face.update_w(problem, lambda);
        let distance = self.distance(face, problem, lambda);
        for i in 0..m {
            let (lo, hi, root) = (face.lo[i], face.hi[i], face.diagonal[i].sqrt());
            let fixed = face.is_fixed(i);
            self.inside.push(if fixed { RowState::Lower } else { RowState::Free });
            let room = (distance / root).min(0.5 * (hi - lo));
            lambda[i] =
                if fixed { lo } else { lambda[i].clamp(lo + room, (hi - room).max(lo + room)) };
            self.s.push(lambda[i] - lo);
            self.t.push(hi - lambda[i]);
            let multiplier = |w: f64, bound: f64| {
                if bound.is_finite() && !fixed { w.max(distance * root) } else { 0.0 }
            };
            self.y.push(multiplier(face.w[i], lo));
            self.z.push(multiplier(-face.w[i], hi));
        }
    }

    /// How far λ seems to be from the answer, in units where every diagonal
    /// entry of A is one.
    fn distance(&self, face: &Face, problem: &Problem, lambda: &[f64]) -> f64 {
        let (mut residual, mut size) = (0.0_f64, f64::MIN_POSITIVE);
        for i in 0..lambda.len() {
            let (a, w) = (face.diagonal[i], face.w[i]);
            let r = row_residual(lambda[i], w, face.lo[i], face.hi[i], a);
            residual = residual.max(r / a.sqrt());
            size = size.max(problem.b[i].abs() / a.sqrt());
        }
        if self.from_afar { size } else { (START * residual).clamp(LEAST_START * size, size) }
    }

    /// Mean complementarity \[J\], and the natural residual of λ \[m/s\].
    fn measure(&self, face: &Face, lambda: &[f64]) -> (f64, f64) {
        let (mut sum, mut count, mut residual) = (0.0, 0, 0.0_f64);
        for i in 0..lambda.len() {
            let g = face.gradient(i, lambda[i]);
            let (lo, hi) = (face.lo[i], face.hi[i]);
            residual = residual.max(row_residual(lambda[i], g, lo, hi, face.diagonal[i]));
            for (slack, multiplier) in [(self.s[i], self.y[i]), (self.t[i], self.z[i])] {
                if multiplier > 0.0 {
                    sum += slack * multiplier;
                    count += 1;
                }
            }
        }
        (sum / f64::from(count.max(1)), residual)
    }

    /// Predictor and corrector. `None` if the factorization fails or no step
    /// is possible.
    fn newton(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &mut [f64],
        mu: f64,
    ) -> Option<()> {
        self.factor(face, problem)?;
        self.delta.fill([0.0; 2]);
        self.direction(face, problem, lambda, 0.0, false)?;
        let alpha = self.longest_step(0.0);
        let mu_affine = self.complementarity_after(alpha);
        let sigma = (mu_affine / mu).powi(3).clamp(0.0, 1.0);
        for i in 0..lambda.len() {
            let (dy, dz) = self.multiplier_steps(i, 0.0);
            self.delta[i] = [self.step[i] * dy, -self.step[i] * dz];
        }
        let refine = self.residual <= REFINED * self.first_residual;
        self.direction(face, problem, lambda, sigma * mu, refine)?;
        let alpha = (TO_BOUNDARY * self.longest_step(sigma * mu)).min(1.0);
        for i in 0..lambda.len() {
            let (dy, dz) = self.multiplier_steps(i, sigma * mu);
            self.y[i] += alpha * dy;
            self.z[i] += alpha * dz;
            lambda[i] += alpha * self.step[i];
            self.s[i] += alpha * self.step[i];
            self.t[i] -= alpha * self.step[i];
        }
        (alpha > 1e-10).then_some(())
    }

    /// Factors A + Θ + ρ·diag A, with a larger shift if need be.
    fn factor(&mut self, face: &mut Face, problem: &Problem) -> Option<()> {
        loop {
            for i in 0..self.theta.len() {
                self.theta[i] = face.shift[i];
                if self.y[i] > 0.0 {
                    self.theta[i] += self.y[i] / self.s[i];
                }
                if self.z[i] > 0.0 {
                    self.theta[i] += self.z[i] / self.t[i];
                }
            }
            face.counts.factorizations += 1;
            match face.free_solve.factor(problem, &self.inside, &self.theta) {
                Ok(()) => return Some(()),
                Err(_) if face.raise_shift() => {}
                Err(_) => return None,
            }
        }
    }

    /// Solves for `step` with target complementarity `target`. The predictor
    /// shows how far one can go; digits do not matter to it.
    fn direction(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &[f64],
        target: f64,
        refine: bool,
    ) -> Option<()> {
        for i in 0..lambda.len() {
            let mut r = -face.gradient(i, lambda[i]);
            if self.y[i] > 0.0 {
                r += (target - self.delta[i][0]) / self.s[i];
            }
            if self.z[i] > 0.0 {
                r -= (target - self.delta[i][1]) / self.t[i];
            }
            self.rhs[i] = r;
        }
        if refine {
            face.counts.inner += face.free_solve.solve(problem, &self.rhs, &mut self.step);
        } else {
            face.free_solve.solve_roughly(problem, &self.rhs, &mut self.step);
        }
        self.step.iter().all(|s| s.is_finite()).then_some(())
    }

    /// Steps of the two multipliers of row i that go with `step`.
    fn multiplier_steps(&self, i: usize, target: f64) -> (f64, f64) {
        let (mut dy, mut dz) = (0.0, 0.0);
        if self.y[i] > 0.0 {
            let s = self.s[i];
            dy = (target - self.delta[i][0] - self.y[i] * self.step[i]) / s - self.y[i];
        }
        if self.z[i] > 0.0 {
            let t = self.t[i];
            dz = (target - self.delta[i][1] + self.z[i] * self.step[i]) / t - self.z[i];
        }
        (dy, dz)
    }

    /// Largest step that keeps slacks and multipliers non-negative. One length
    /// for both: A couples them, so separate ones would undo the Newton step.
    fn longest_step(&self, target: f64) -> f64 {
        let mut alpha = 1.0 / TO_BOUNDARY;
        let mut limit = |value: f64, step: f64| {
            if step < 0.0 {
                alpha = f64::min(alpha, -value / step);
            }
        };
        for i in 0..self.step.len() {
            let (dy, dz) = self.multiplier_steps(i, target);
            if self.y[i] > 0.0 {
                limit(self.y[i], dy);
                limit(self.s[i], self.step[i]);
            }
            if self.z[i] > 0.0 {
                limit(self.z[i], dz);
                limit(self.t[i], -self.step[i]);
            }
        }
        alpha
    }

    fn complementarity_after(&self, alpha: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for i in 0..self.step.len() {
            let (dy, dz) = self.multiplier_steps(i, 0.0);
            if self.y[i] > 0.0 {
                let s = self.s[i] + alpha * self.step[i];
                sum += s * (self.y[i] + alpha * dy);
                count += 1;
            }
            if self.z[i] > 0.0 {
                let t = self.t[i] - alpha * self.step[i];
                sum += t * (self.z[i] + alpha * dz);
                count += 1;
            }
        }
        sum / f64::from(count.max(1))
    }

    /// Tight where the multiplier outweighs the slack, in velocity units.
    fn state(&self, face: &Face, i: usize) -> RowState {
        let a = face.diagonal[i];
        let (lower, upper) = (self.y[i] / (a * self.s[i]), self.z[i] / (a * self.t[i]));
        if face.is_fixed(i) || (self.y[i] > 0.0 && lower > 1.0 && lower >= upper) {
            RowState::Lower
        } else if self.z[i] > 0.0 && upper > 1.0 {
            RowState::Upper
        } else {
            RowState::Free
        }
    }
}
