//! "What is wᵢ now, and λᵢ has changed by δ", for every form of A.
//!
//! Dense and sparse rows are multiplied out. A multibody system keeps the
//! velocities v = M⁻¹Jᵀλ, so that a row costs O(its bodies), not O(its
//! neighbours).

use crate::residual::row_residual;
use crate::{Law, Multibody, Operator, Problem, Row6, Sparse};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// A change of λᵢ by less than this, times Aᵢᵢ and by the size of b, is none.
const NO_CHANGE: f64 = 1e-12;
/// Changes of this size, relative to λ, are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Row access for sweeps. Holds bounds, and the velocities of a multibody
/// system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub diagonal: Vec<f64>,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    /// What [`Rows::all_w`] computed last.
    pub w: Vec<f64>,
    pub velocity: Vec<f64>,
    /// M⁻¹jᵀ of each part of a row, and the first part of each row; empty: computed as needed.
    answers: Vec<Row6>,
    first: Vec<usize>,
    /// Rows whose bounds follow a normal impulse: that row, and μ. Empty: none.
    follows: Vec<Option<(u32, f64)>>,
}

/// What one sweep saw. All in m/s.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sweep {
    /// Largest natural residual met on the way.
    pub residual: f64,
    /// Largest Aᵢᵢ|Δλᵢ|.
    pub change: f64,
    /// Largest Aᵢᵢ|λᵢ|.
    pub size: f64,
}

impl Sweep {
    /// Whether nothing moves but for rounding: Erleben13 eq. 109, in the units of w.
    pub fn has_stalled(&self) -> bool {
        self.change <= ROUNDING * self.size
    }
}

impl Rows {
    /// Memory for a problem.
    pub fn prepare(&mut self, problem: &Problem) {
        let m = problem.rows();
        for v in [&mut self.diagonal, &mut self.lo, &mut self.hi, &mut self.w] {
            v.reserve(m.saturating_sub(v.len()));
        }
        if let Operator::Multibody(a) = &problem.operator {
            self.velocity.reserve((6 * a.body_count()).saturating_sub(self.velocity.len()));
        }
    }

    /// Takes up the problem and λ.
    pub fn start(&mut self, problem: &Problem, lambda: &[f64]) {
        problem.bounds(&mut self.lo, &mut self.hi);
        self.diagonal.resize(problem.rows(), 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        self.w.resize(problem.rows(), 0.0);
        if let Operator::Multibody(a) = &problem.operator {
            a.velocities(lambda, &mut self.velocity);
        }
        self.answers.clear();
        self.follows.clear();
        if problem.has_following_bounds() {
            self.follows.resize(problem.rows(), None);
            for (i, law) in problem.laws_by_row() {
                if let Law::FollowingBox { normal, mu } = *law {
                    self.follows[i] = Some((normal as u32, mu));
                    self.follow(i, lambda);
                }
            }
        }
    }

    /// Takes up a multibody system for many sweeps, in which frozen bounds follow, too. Returns the
    /// number of parts of all rows.
    pub fn start_following(&mut self, problem: &Problem, a: &Multibody, lambda: &[f64]) -> usize {
        self.start(problem, lambda);
        self.follows.resize(problem.rows(), None);
        for (i, law) in problem.laws_by_row() {
            if let Law::FrictionBox { normal, mu, .. } = *law {
                self.follows[i] = Some((normal as u32, mu));
            }
        }
        self.first.clear();
        for i in 0..a.rows() {
            self.first.push(self.answers.len());
            let (bodies, row) = a.row(i);
            self.answers.extend(bodies.iter().zip(row).map(|(&b, j)| a.answer(b, j)));
        }
        self.answers.len()
    }

    /// Brings the bounds of row i to where the normal impulse is.
    #[inline]
    fn follow(&mut self, i: usize, lambda: &[f64]) {
        if let Some(Some((normal, mu))) = self.follows.get(i) {
            let bound = mu * lambda[*normal as usize].max(0.0);
            (self.lo[i], self.hi[i]) = (-bound, bound);
        }
    }

    /// Bounds of all rows that follow their normal impulse.
    pub fn follow_all(&mut self, lambda: &[f64]) {
        (0..self.follows.len()).for_each(|i| self.follow(i, lambda));
    }

    /// wᵢ = (Aλ + b)ᵢ.
    #[inline]
    pub fn w(&self, problem: &Problem, lambda: &[f64], i: usize) -> f64 {
        let product = match &problem.operator {
            Operator::Dense(a) => a.row(i).iter().zip(lambda).map(|(a, l)| a * l).sum::<f64>(),
            Operator::Sparse(a) => a.row_dot(i, lambda),
            Operator::General(a) => a.row_dot(i, lambda),
            Operator::Multibody(a) => a.row_dot(i, &self.velocity) + a.compliance()[i] * lambda[i],
        };
        product + problem.b[i]
    }

    /// All of w = Aλ + b at once. Velocities of a multibody system are
    /// computed anew on the way, so what rounding has added up is gone.
    pub fn all_w(&mut self, problem: &Problem, lambda: &[f64]) {
        problem.operator.apply(lambda, &mut self.w, &mut self.velocity);
        self.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
    }

    /// The natural residual of λ as the judge will see it: one product with A.
    pub fn residual(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        self.all_w(problem, lambda);
        self.follow_all(lambda);
        self.residual_here(lambda)
    }

    /// The natural residual of the λ that `all_w` was last asked for: no product.
    pub fn residual_here(&self, lambda: &[f64]) -> f64 {
        (0..lambda.len()).fold(0.0, |r, i| self.row_residual(i, lambda[i], self.w[i]).max(r))
    }

    /// Projected step of row i: clamp(λᵢ − step·wᵢ, loᵢ, hiᵢ), noted in `sweep`.
    /// A row with Aᵢᵢ = 0 is a zero row (anything else was refused), so its w
    /// is constant, and its sign says at which bound λᵢ belongs.
    pub fn project(&self, i: usize, lambda: f64, w: f64, step: f64, sweep: &mut Sweep) -> f64 {
        let a = self.diagonal[i];
        sweep.residual = sweep.residual.max(self.row_residual(i, lambda, w));
        let next = self.next(i, lambda, w, step);
        sweep.change = sweep.change.max(a * (next - lambda).abs());
        sweep.size = sweep.size.max(a * next.abs());
        next
    }

    #[inline]
    fn next(&self, i: usize, lambda: f64, w: f64, step: f64) -> f64 {
        let (lo, hi) = (self.lo[i], self.hi[i]);
        if self.diagonal[i] > 0.0 {
            (lambda - step * w).clamp(lo, hi)
        } else if w > 0.0 && lo.is_finite() {
            lo
        } else if w < 0.0 && hi.is_finite() {
            hi
        } else {
            lambda
        }
    }

    /// One relaxation of row i in place, with the newest λ (Erleben13 eq. 57:
    /// the step ω wᵢ/Aᵢᵢ first, the projection after it).
    pub fn relax(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        i: usize,
        omega: f64,
        sweep: &mut Sweep,
    ) {
        let w = self.w(problem, lambda, i);
        self.follow(i, lambda);
        let next = self.project(i, lambda[i], w, omega / self.diagonal[i], sweep);
        self.changed(problem, i, next - lambda[i]);
        lambda[i] = next;
    }

    /// One projected Gauss-Seidel step of row i, without a look at residuals; returns Aᵢᵢ|Δλᵢ|.
    #[inline]
    pub fn step(&mut self, problem: &Problem, lambda: &mut [f64], i: usize) -> f64 {
        let w = self.w(problem, lambda, i);
        self.follow(i, lambda);
        let next = self.next(i, lambda[i], w, 1.0 / self.diagonal[i]);
        self.set(problem, lambda, i, next)
    }

    /// λᵢ becomes `next`; returns Aᵢᵢ|Δλᵢ|.
    #[inline]
    pub fn set(&mut self, problem: &Problem, lambda: &mut [f64], i: usize, next: f64) -> f64 {
        let delta = next - lambda[i];
        self.changed(problem, i, delta);
        lambda[i] = next;
        self.diagonal[i] * delta.abs()
    }

    /// Some sweeps of projected Gauss-Seidel, forward and backward in turn:
    /// what puts most rows into their state before an exact method starts.
    pub fn sweep_both_ways(&mut self, problem: &Problem, lambda: &mut [f64], sweeps: usize) {
        self.start(problem, lambda);
        if let Operator::Sparse(a) = &problem.operator {
            return self.sweep_columns(problem, a, lambda, sweeps);
        }
        for k in 0..sweeps {
            for i in 0..lambda.len() {
                self.step(problem, lambda, if k % 2 == 0 { i } else { lambda.len() - 1 - i });
            }
        }
    }

    /// Sweeps in both directions, with w kept up to date column by column: rows that stay where
    /// they are, half of them at their bounds, cost nothing.
    fn sweep_columns(&mut self, problem: &Problem, a: &Sparse, lambda: &mut [f64], sweeps: usize) {
        self.all_w(problem, lambda);
        let least = NO_CHANGE * problem.scale();
        for k in 0..sweeps {
            let mut moved = false;
            for i in 0..lambda.len() {
                let i = if k % 2 == 0 { i } else { lambda.len() - 1 - i };
                let diagonal = self.diagonal[i];
                let next = self.next(i, lambda[i], self.w[i], 1.0 / diagonal);
                let delta = next - lambda[i];
                if delta == 0.0 || (diagonal > 0.0 && diagonal * delta.abs() <= least) {
                    continue;
                }
                moved = true;
                lambda[i] = next;
                a.add_column(i, delta, &mut self.w);
            }
            if !moved {
                break;
            }
        }
    }

    /// Notes that λᵢ was changed by `delta`.
    #[inline]
    pub fn changed(&mut self, problem: &Problem, i: usize, delta: f64) {
        let Operator::Multibody(a) = &problem.operator else { return };
        if delta == 0.0 {
            return;
        }
        let (bodies, rows) = a.row(i);
        if !self.answers.is_empty() {
            let velocity = self.velocity.as_chunks_mut::<6>().0;
            for (&body, answer) in bodies.iter().zip(&self.answers[self.first[i]..]) {
                let v = &mut velocity[body as usize];
                (0..6).for_each(|k| v[k] += answer[k] * delta);
            }
            return;
        }
        for (&body, j) in bodies.iter().zip(rows) {
            let t = crate::operator::mul6(a.inverse_mass(body as usize), j);
            let v = &mut self.velocity[6 * body as usize..][..6];
            (0..6).for_each(|k| v[k] += t[k] * delta);
        }
    }

    fn row_residual(&self, i: usize, lambda: f64, w: f64) -> f64 {
        let a = if self.diagonal[i] > 0.0 { self.diagonal[i] } else { 1.0 };
        row_residual(lambda, w, self.lo[i], self.hi[i], a)
    }
}
