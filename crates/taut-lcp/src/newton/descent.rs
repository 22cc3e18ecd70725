//! Damped Newton on H(x) = 0, where row i of H is a function of xᵢ and yᵢ alone.
//!
//! **Problem**: y = Ãx + b̃, H(x, y) = 0, in the units of `scaled.rs`. A method is
//! the function of a row: its value h and its slopes p = ∂h/∂x and q = ∂h/∂y.
//! **Update**: (diag p + diag q Ã) d = −H; x ← clamp(x + τd) with the first
//! τ = 1, ½, ¼, … that lowers the merit θ = ½|H|² enough (projected Armijo). Where
//! the matrix is singular, p is raised a little, which makes it regular for every
//! semidefinite (even every P₀) matrix; likewise where only short steps help. Where even
//! that gives no descent, the step is that of steepest descent.
//! Smoothed (`Options::smoothed`), rows meet a parameter μ that falls tenfold whenever
//! |H| ≤ √μ: H has a regular slope everywhere, and x follows a path that ends in the answer,
//! as in an interior-point method.
//! **Stops** (Erleben13 6): `Converged` by the judge's residual; `LocalMinimum`
//! where the slope of θ vanishes but θ does not; `NonDescent` where neither Newton's
//! direction nor the slope lowers θ; `Stalled` where steps are rounding;
//! `Diverged` where θ grows without end (with a non-monotone search).
//! **Reference**: Erleben13 5.4, 5.5, 6; Grippo, Lampariello and Lucidi 1986
//! (non-monotone); Andrews22 3.3.

use super::ARMIJO;
use super::direct::Direct;
use super::scaled::Scaled;
use crate::linalg::gmres::Gmres;
use crate::rounding::BETTER;
use crate::sweeps::Rows;
use crate::{Counts, Iterate, Outcome, Probe, Problem, Status, Stop};

/// How the linear systems are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Linear {
    /// By factorization where A is given by its entries, else by GMRES.
    #[default]
    Auto,
    /// GMRES: products with A alone.
    Gmres,
}

/// What both methods can be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub max_iterations: usize,
    pub linear: Linear,
    /// Merits that a step is compared with the largest of; 1: monotone.
    pub memory: usize,
    /// Sweeps of Gauss-Seidel before the first step, where they apply.
    pub sweeps: usize,
    /// Slopes by differences, in GMRES.
    pub differences: bool,
    /// Whether rows are smoothed, less and less, and how much at first.
    pub smooth: Smooth,
    /// Steps without a better residual before it gives up.
    pub patience: usize,
}

/// How much rows are smoothed at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Smooth {
    /// Not at all.
    Never,
    /// μ as for a start that tells nothing: the square of the largest |b̃|.
    Far,
    /// μ as for a start near the answer: the square of the largest |H| there.
    Near,
}

/// Value and slopes of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub h: f64,
    pub p: f64,
    pub q: f64,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub x: f64,
    pub y: f64,
    pub lo: f64,
    pub hi: f64,
}

/// A gradient step is looked for this often.
const HALVINGS: usize = 60;
/// Newton's direction gets fewer; at first so few that another shift may do better.
const NEWTON_HALVINGS: usize = 30;
const LONG_HALVINGS: usize = 5;
/// What p is raised by, in turn.
const SHIFTS: [f64; 5] = [0.0, 1e-10, 1e-6, 1e-3, 1e-1];
/// Slopes of θ below this share of |H| are none: a local minimum.
const FLAT: f64 = 1e-10;
/// Merits beyond this multiple of the first are divergence.
const GROWTH: f64 = 1e12;
/// GMRES ends here, which is enough for a descent direction (Erleben13 eq. 105),
/// and for fast convergence later on.
const INEXACT: f64 = 1e-2;
/// What μ is multiplied by.
const SHARPER: f64 = 0.1;
/// Longest memory of merits.
pub(super) const MOST_MEMORY: usize = 16;

/// Memory of the iteration.
#[derive(Default)]
pub(super) struct Descent {
    pub a: Scaled,
    direct: Direct,
    gmres: Gmres,
    rows: Rows,
    x: Vec<f64>,
    y: Vec<f64>,
    h: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    d: Vec<f64>,
    ad: Vec<f64>,
    slope: Vec<f64>,
    trial_x: Vec<f64>,
    trial_y: Vec<f64>,
    shifted: Vec<f64>,
    merits: [f64; MOST_MEMORY],
    /// The least residual of the last run, that of λ.
    pub best: f64,
}

/// How a search for a step ended.
enum Step {
    Taken,
    /// x would not change any more.
    Rounding,
    None,
}

impl Descent {
    pub fn prepare(&mut self, problem: &Problem, options: &Options) {
        let m = problem.rows();
        self.a.load(problem);
        for v in [&mut self.x, &mut self.y, &mut self.h, &mut self.p, &mut self.q, &mut self.d] {
            v.resize(m, 0.0);
        }
        for v in [&mut self.ad, &mut self.slope, &mut self.trial_x, &mut self.trial_y] {
            v.resize(m, 0.0);
        }
        self.shifted.resize(m, 0.0);
        if self.uses_factors(options) {
            self.direct.prepare(&self.a);
        } else {
            self.gmres.resize(m);
        }
        if options.sweeps > 0 {
            self.rows.prepare(problem);
        }
    }

    fn uses_factors(&self, options: &Options) -> bool {
        options.linear == Linear::Auto && !options.differences && self.a.has_entries()
    }

    /// Sweeps where they are asked for, takes up λ and chooses the first μ; returns the merit and μ.
    fn start(
        &mut self,
        problem: &Problem,
        options: &Options,
        lambda: &mut [f64],
        smooth_row: &mut impl FnMut(Place, f64) -> Row,
    ) -> (f64, f64) {
        if options.sweeps > 0 && may_sweep(problem) {
            self.rows.sweep_both_ways(problem, lambda, options.sweeps);
        }
        self.a.take(lambda, &mut self.x);
        self.evaluate_y(problem);
        let mut merit = self.evaluate(&mut |place| smooth_row(place, 0.0));
        let size = largest(&self.a.b).powi(2);
        let mu = match options.smooth {
            Smooth::Never => 0.0,
            Smooth::Far => size,
            Smooth::Near => largest(&self.h).powi(2).min(size),
        };
        if mu > 0.0 {
            merit = self.evaluate(&mut |place| smooth_row(place, mu));
        }
        self.merits.fill(f64::NEG_INFINITY);
        self.best = f64::INFINITY;
        (merit, mu)
    }

    pub fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        options: &Options,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
        smooth_row: &mut impl FnMut(Place, f64) -> Row,
    ) -> Outcome {
        let tolerance = stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(options.max_iterations);
        let mut counts = Counts::default();
        let (mut merit, mut mu) = self.start(problem, options, &mut iterate.lambda, smooth_row);
        let mut first = merit;
        let (mut goal, mut stale) = (f64::INFINITY, 0);
        let status = loop {
            let residual = self.a.natural_residual(&self.x, &self.y);
            if counts.iterations > 0 {
                probe.iteration(counts.iterations, residual);
            }
            if residual < self.best {
                // λ holds the best point, whatever comes after it.
                self.best = residual;
                self.a.unload(problem, &self.x, &mut iterate.lambda);
            }
            if residual <= tolerance {
                break Status::Converged;
            }
            stale = if residual <= goal { 0 } else { stale + 1 };
            goal = goal.min(BETTER * residual);
            if stale > options.patience {
                break Status::Stalled;
            }
            if !merit.is_finite() {
                break Status::NonFinite;
            }
            if merit > GROWTH * first.max(1.0) {
                break Status::Diverged;
            }
            if counts.iterations >= limit {
                break Status::IterationLimit;
            }
            self.merits[counts.iterations % options.memory] = merit;
            counts.iterations += 1;
            let reference = self.merits.iter().fold(merit, |m, x| m.max(*x));
            let mut row = |place| smooth_row(place, mu);
            match self.step(problem, options, merit, reference, &mut counts, &mut row) {
                Ok(next) => merit = next,
                Err(status) => break status,
            }
            if mu > 0.0 && largest(&self.h) <= mu.sqrt() {
                mu *= SHARPER;
                merit = self.evaluate(&mut |place| smooth_row(place, mu));
                first = first.max(merit);
                self.merits.fill(f64::NEG_INFINITY);
            }
        };
        Outcome::new(status, counts)
    }

    /// One step: Newton's, with p raised as far as needed, or that of steepest descent.
    fn step(
        &mut self,
        problem: &Problem,
        options: &Options,
        merit: f64,
        reference: f64,
        counts: &mut Counts,
        row: &mut impl FnMut(Place) -> Row,
    ) -> Result<f64, Status> {
        // ∇θ = (diag p + Ãᵀ diag q) H.
        self.ad.iter_mut().zip(&self.q).zip(&self.h).for_each(|((t, q), h)| *t = q * h);
        self.a.apply_transposed(problem, &self.ad, &mut self.slope);
        for i in 0..self.h.len() {
            self.slope[i] += self.p[i] * self.h[i];
        }
        let mut rounding = false;
        // Long steps first, whatever shift they need; then short ones.
        for halvings in [LONG_HALVINGS, NEWTON_HALVINGS] {
            for shift in SHIFTS {
                if !self.newton_direction(problem, options, shift, counts, row) {
                    continue;
                }
                let along: f64 = self.slope.iter().zip(&self.d).map(|(s, d)| s * d).sum();
                if along.is_nan() || along > -1e-12 * merit {
                    continue;
                }
                match self.search(problem, merit, reference, along, halvings, row) {
                    (Step::Taken, next) => return Ok(next),
                    (Step::Rounding, _) => rounding = true,
                    (Step::None, _) => {}
                }
            }
        }
        let flat = self.slope.iter().map(|s| s * s).sum::<f64>().sqrt();
        if flat <= FLAT * (2.0 * merit).sqrt() {
            return Err(Status::LocalMinimum);
        }
        counts.fell_back = true;
        self.d.iter_mut().zip(&self.slope).for_each(|(d, s)| *d = -s);
        match self.search(problem, merit, reference, -flat * flat, HALVINGS, row) {
            (Step::Taken, next) => Ok(next),
            (Step::Rounding, _) => Err(Status::Stalled),
            (Step::None, _) => Err(if rounding { Status::Stalled } else { Status::NonDescent }),
        }
    }

    /// d = −(diag(p + shift) + diag q Ã)⁻¹ H; says whether there is one.
    fn newton_direction(
        &mut self,
        problem: &Problem,
        options: &Options,
        shift: f64,
        counts: &mut Counts,
        row: &mut impl FnMut(Place) -> Row,
    ) -> bool {
        let factors = self.uses_factors(options);
        let Descent { a, direct, gmres, x, y, h, p, q, d, ad, trial_x, shifted, .. } = self;
        shifted.iter_mut().zip(&*p).for_each(|(s, p)| *s = p + shift);
        if factors {
            counts.factorizations += 1;
            if direct.factor(a, shifted, q).is_err() {
                return false;
            }
            d.iter_mut().zip(&*h).for_each(|(d, h)| *d = -h);
            direct.solve(d);
            // Exchanges within supernodes alone let rounding grow: one correction.
            a.apply(problem, d, ad);
            for i in 0..h.len() {
                ad[i] = -h[i] - shifted[i] * d[i] - q[i] * ad[i];
            }
            direct.solve(ad);
            d.iter_mut().zip(&*ad).for_each(|(d, c)| *d += c);
            return d.iter().all(|d| d.is_finite());
        }
        // Ã has a unit diagonal.
        let inverse = trial_x;
        inverse
            .iter_mut()
            .zip(&*shifted)
            .zip(&*q)
            .for_each(|((t, p), q)| *t = 1.0 / (p + q).max(1e-3));
        ad.iter_mut().zip(&*h).for_each(|(r, h)| *r = -h);
        let share = INEXACT.min(largest(h)).max(1e-10);
        let reach = 1.0 + largest(x);
        let (products, left) = gmres.solve(ad, d, inverse, share, 2000, |v, out| {
            a.apply(problem, v, out);
            if options.differences {
                let step = 1e-7 * reach / largest(v).max(1e-300);
                for i in 0..v.len() {
                    let (lo, hi) = (a.lo[i], a.hi[i]);
                    let there = Place { x: x[i] + step * v[i], y: y[i] + step * out[i], lo, hi };
                    out[i] = (row(there).h - h[i]) / step + shift * v[i];
                }
            } else {
                for i in 0..v.len() {
                    out[i] = shifted[i] * v[i] + q[i] * out[i];
                }
            }
        });
        counts.inner += products;
        left < 0.9 && d.iter().all(|d| d.is_finite())
    }

    /// The first of τ = 1, ½, … that lowers θ enough, x clamped to its bounds.
    fn search(
        &mut self,
        problem: &Problem,
        merit: f64,
        reference: f64,
        along: f64,
        halvings: usize,
        row: &mut impl FnMut(Place) -> Row,
    ) -> (Step, f64) {
        let mut tau = 1.0;
        for _ in 0..halvings {
            let mut moved = false;
            for i in 0..self.x.len() {
                let to = (self.x[i] + tau * self.d[i]).clamp(self.a.lo[i], self.a.hi[i]);
                moved |= to != self.x[i];
                self.trial_x[i] = to;
            }
            if !moved {
                return (Step::Rounding, merit);
            }
            let Descent { a, trial_x, trial_y, .. } = self;
            a.apply(problem, trial_x, trial_y);
            trial_y.iter_mut().zip(&a.b).for_each(|(y, b)| *y += b);
            let mut next = 0.0;
            for i in 0..trial_x.len() {
                let place = Place { x: trial_x[i], y: trial_y[i], lo: a.lo[i], hi: a.hi[i] };
                next += 0.5 * row(place).h.powi(2);
            }
            if next <= reference + ARMIJO * tau * along && next < f64::INFINITY {
                std::mem::swap(&mut self.x, &mut self.trial_x);
                std::mem::swap(&mut self.y, &mut self.trial_y);
                return (Step::Taken, self.evaluate(row));
            }
            tau *= 0.5;
        }
        (Step::None, merit)
    }

    fn evaluate_y(&mut self, problem: &Problem) {
        let Descent { a, x, y, .. } = self;
        a.apply(problem, x, y);
        y.iter_mut().zip(&a.b).for_each(|(y, b)| *y += b);
    }

    /// H and its slopes; returns θ.
    fn evaluate(&mut self, row: &mut impl FnMut(Place) -> Row) -> f64 {
        let Descent { a, x, y, h, p, q, .. } = self;
        let mut merit = 0.0;
        for i in 0..x.len() {
            let at = row(Place { x: x[i], y: y[i], lo: a.lo[i], hi: a.hi[i] });
            (h[i], p[i], q[i]) = (at.h, at.p, at.q);
            merit += 0.5 * at.h * at.h;
        }
        merit
    }
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Whether sweeps make sense: a symmetric matrix without negative diagonals.
fn may_sweep(problem: &Problem) -> bool {
    problem.operator.is_symmetric()
}
