//! What the two PROX methods share: r-factors, proximal points, back-tracking.
//!
//! A cone's normal goes to n = max(0, λₙ − r wₙ), its tangents to the point of the
//! ellipse |λ_t/μ| ≤ n closest to λ_t − r w_t (Andrews22 eq. 226); associated cones
//! to the point of the cone closest to y − r z in the variables of
//! [`crate::residual`]; boxed and bilateral rows to clamp(λ − r w).
//!
//! **r-factors** ([`Factors`]): one for all rows, 1/λ_max(A) by power iteration;
//! one per row, 1/Aᵢᵢ; or a block a contact, diag(Aₙₙ, A_tt)⁻¹.
//! All are multiplied by a factor that back-tracking adapts.
//!
//! Where Andrews22 3.4.4 misleads: the closest point of an ellipse must be sought
//! in the metric R⁻¹ of the tangents, or a fixed point does not obey Coulomb's law
//! (−R w_t, not −w_t, would be normal to the ellipse). So both tangents share one
//! r (local), and the blocked strategy projects in the metric A_tt. Its measure of
//! progress, |Δλ|, falls with R whatever λ does; R⁻¹Δλ does not.

use super::blocks::{Blocks, Grouping, State};
use super::boxed::Vector;
use super::local::on_disk;
use crate::residual::project_cone;
use crate::sweeps::Sweep;
use crate::{Counts, Error, Iterate, Outcome, Probe, Problem, Status, Stop};

/// Products with A to estimate its largest eigenvalue.
const POWER_STEPS: usize = 20;
/// Growth of R⁻¹Δλ against its best that is divergence: back to the best λ, with a
/// smaller R. (Alg. 11 and 12 take any growth for it; even the largest of ten iterations
/// as yardstick ends PROX Jacobi with R = 0 on 12 of 19 FCLIB problems, for no step is so
/// small that the largest entry always falls.)
const GROWTH: f64 = 4.0;
/// Iterations without a new best after which R is reduced, too. (With 100, two FCLIB
/// problems that converge end at 1e-7, with an R that is too small.)
const PATIENCE: usize = 1000;
/// Below this share of its start R can do nothing more.
const LEAST: f64 = 1e-6;

/// The r-factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Factors {
    /// One for all rows.
    Global,
    /// One per row, and one for both tangents of a cone.
    #[default]
    Local,
    /// A block for the tangents of a cone.
    Blocked,
}

/// Settings of the PROX methods.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 10,000.
    pub max_iterations: usize,
    /// The r-factors. Default local.
    pub factors: Factors,
    /// What r-factors are multiplied by when an iteration diverges, above 0 and
    /// below 1. Default `None`: 0.9 for local ones, else 0.5 (Erleben 2017).
    pub reduction: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 10_000, factors: Factors::default(), reduction: None }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        match self.reduction {
            Some(nu) if !(nu > 0.0 && nu < 1.0) => Err(Error::Setting {
                solver: "prox",
                name: "reduction",
                value: nu.to_string(),
                expected: "above 0 and below 1",
            }),
            _ => Ok(()),
        }
    }
}

/// Blocks, r-factors, and the last λ that was kept.
#[derive(Clone, Debug)]
pub(crate) struct Prox {
    settings: Settings,
    blocks: Blocks,
    /// λ one iteration ago, and the best one.
    before: Vec<f64>,
    best: Vec<f64>,
    /// 1/r of all rows, for global factors; else 0.
    global: f64,
}

impl Prox {
    pub fn new(settings: Settings) -> Self {
        Prox {
            settings,
            blocks: Blocks::default(),
            before: Vec::new(),
            best: Vec::new(),
            global: 0.0,
        }
    }

    pub fn prepare(&mut self, problem: &Problem) {
        self.blocks.prepare(problem, Grouping::Law);
        for v in [&mut self.before, &mut self.best] {
            v.clear();
            v.reserve(problem.rows());
        }
    }

    /// Iterates until the exact residual is within tolerance, nothing moves any
    /// more, or the limit is reached; all blocks at once, or one after the other.
    pub fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
        at_once: bool,
    ) -> Outcome {
        let tolerance = stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let local = self.settings.factors == Factors::Local;
        let reduction = self.settings.reduction.unwrap_or(if local { 0.9 } else { 0.5 });
        let mut counts = Counts::default();
        let lambda = &mut iterate.lambda;
        self.blocks.start(problem, lambda);
        self.global = 0.0;
        if self.settings.factors == Factors::Global {
            self.estimate(problem);
            self.blocks.start(problem, lambda);
        }
        let (mut factor, mut best, mut waited) = (1.0_f64, f64::INFINITY, 0);
        while counts.iterations < limit {
            counts.iterations += 1;
            self.before.clear();
            self.before.extend_from_slice(lambda);
            let seen = self.iterate(problem, lambda, factor, at_once);
            // R⁻¹Δλ says how good λ was before this iteration.
            waited += 1;
            if seen.change < best {
                std::mem::swap(&mut self.best, &mut self.before);
                (best, waited) = (seen.change, 0);
            }
            let diverges = seen.change.is_nan() || seen.change > GROWTH * best;
            if diverges {
                lambda.copy_from_slice(&self.best);
                self.blocks.start(problem, lambda);
            }
            if diverges || waited >= PATIENCE {
                (factor, waited) = (factor * reduction, 0);
                if factor < LEAST {
                    return Outcome::new(Status::Stalled, counts);
                }
            }
            if diverges {
                continue;
            }
            probe.iteration(counts.iterations, seen.residual);
            let stalled = seen.has_stalled();
            if seen.residual <= tolerance || stalled {
                if self.blocks.exact_residual(problem, lambda) <= tolerance {
                    return Outcome::new(Status::Converged, counts);
                }
                if stalled {
                    return Outcome::new(Status::Stalled, counts);
                }
            }
        }
        Outcome::new(Status::IterationLimit, counts)
    }

    /// The largest eigenvalue of A, by products with a vector that has a part in
    /// every direction.
    fn estimate(&mut self, problem: &Problem) {
        let m = problem.rows();
        self.before.clear();
        self.before.extend((0..m).map(|i| 1.0 + 0.5 * ((i * 7919) % 1009) as f64 / 1009.0));
        for _ in 0..POWER_STEPS {
            let length = self.before.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length.is_nan() || length <= 0.0 {
                break;
            }
            self.before.iter_mut().for_each(|x| *x /= length);
            self.blocks.all_w(problem, &self.before);
            for i in 0..m {
                self.before[i] = self.blocks.rows.w[i] - problem.b[i];
            }
            self.global = self.before.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        factor: f64,
        at_once: bool,
    ) -> Sweep {
        let mut seen = Sweep::default();
        if at_once {
            self.blocks.all_w(problem, lambda);
        }
        for k in 0..self.blocks.count() {
            let state = if at_once {
                self.blocks.state_of_all(lambda, k)
            } else {
                self.blocks.state(problem, lambda, k)
            };
            seen.residual = seen.residual.max(self.blocks.residual(k, &state));
            let next = self.proximal(k, &state, factor, at_once);
            let scale = |a: f64| if self.global > 0.0 { self.global } else { a } / factor;
            if at_once {
                for (r, &i) in self.blocks.rows_of(k).iter().enumerate() {
                    let a = scale(self.blocks.rows.diagonal[i as usize]);
                    seen.change = seen.change.max(a * (next[r] - state.lambda[r]).abs());
                    seen.size = seen.size.max(a * next[r].abs());
                    lambda[i as usize] = next[r];
                }
            } else {
                for (r, &i) in self.blocks.rows_of(k).iter().enumerate() {
                    let a = scale(self.blocks.rows.diagonal[i as usize]);
                    seen.change = seen.change.max(a * (next[r] - state.lambda[r]).abs());
                    seen.size = seen.size.max(a * next[r].abs());
                }
                self.blocks.set(problem, lambda, k, &next);
            }
        }
        seen
    }

    /// The proximal point of the k-th block.
    fn proximal(&self, k: usize, state: &State, factor: f64, at_once: bool) -> Vector {
        let a = self.blocks.matrix(k);
        let stiffness = |a: f64| if self.global > 0.0 { self.global } else { a } / factor;
        let mut next = state.lambda;
        let Some((mu, associated)) = self.blocks.cone(k) else {
            let i = self.blocks.rows_of(k)[0] as usize;
            let (lo, hi) = (self.blocks.rows.lo[i], self.blocks.rows.hi[i]);
            next[0] = step(next[0], state.w[0], stiffness(a[0]), lo, hi);
            return next;
        };
        match mu.len() {
            1 => self.proximal_cone::<2, 1>(a, state, mu, associated, factor, at_once),
            2 => self.proximal_cone::<3, 2>(a, state, mu, associated, factor, at_once),
            3 => self.proximal_cone::<4, 3>(a, state, mu, associated, factor, at_once),
            4 => self.proximal_cone::<5, 4>(a, state, mu, associated, factor, at_once),
            _ => self.proximal_cone::<6, 5>(a, state, mu, associated, factor, at_once),
        }
    }

    /// The proximal point of a cone of N rows, T of them behind the normal.
    fn proximal_cone<const N: usize, const T: usize>(
        &self,
        a: &[f64],
        state: &State,
        mu: &[f64],
        associated: bool,
        factor: f64,
        at_once: bool,
    ) -> Vector {
        let stiffness = |a: f64| if self.global > 0.0 { self.global } else { a } / factor;
        let a: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| a[N * i + j]));
        let mu: [f64; T] = std::array::from_fn(|k| mu[k]);
        if associated {
            let trace = (0..T).fold(a[0][0], |s, k| s + mu[k] * mu[k] * a[k + 1][k + 1]);
            return associate::<N>(state, &mu, stiffness(trace));
        }
        let mut next = state.lambda;
        next[0] = step(next[0], state.w[0], stiffness(a[0][0]), 0.0, f64::INFINITY);
        // One after the other: tangents feel the new normal (eq. 229).
        let moved = if at_once { 0.0 } else { next[0] - state.lambda[0] };
        let w: [f64; T] = std::array::from_fn(|k| state.w[k + 1] + a[k + 1][0] * moved);
        let old: [f64; T] = std::array::from_fn(|k| state.lambda[k + 1]);
        let mut metric = [[0.0; T]; T];
        if self.settings.factors == Factors::Blocked {
            metric = std::array::from_fn(|i| std::array::from_fn(|j| a[i + 1][j + 1] / factor));
        } else {
            let slip = stiffness((1..=T.min(2)).fold(0.0, |s, k| a[k][k].max(s)));
            // Turning rows have units of their own: one r for both tangents, one for each turn.
            for k in 0..T {
                metric[k][k] = if k < 2 { slip } else { stiffness(a[k + 1][k + 1]) };
            }
        }
        let y = tangents(&metric, w, old, mu, next[0]);
        next[1..=T].copy_from_slice(&y);
        next
    }
}

/// clamp(λ − w/a): a zero row goes to the bound that its w points to, if any.
fn step(lambda: f64, w: f64, a: f64, lo: f64, hi: f64) -> f64 {
    if a > 0.0 {
        (lambda - w / a).clamp(lo, hi)
    } else if w > 0.0 && lo.is_finite() {
        lo
    } else if w < 0.0 && hi.is_finite() {
        hi
    } else {
        lambda
    }
}

/// The λ_t of the ellipsoid |λ_t/μ| ≤ n with least ½|λ_t − old|² in the metric, plus
/// wᵀλ_t.
fn tangents<const T: usize>(
    metric: &[[f64; T]; T],
    w: [f64; T],
    old: [f64; T],
    mu: [f64; T],
    n: f64,
) -> [f64; T] {
    let s: [[f64; T]; T] =
        std::array::from_fn(|i| std::array::from_fn(|j| mu[i] * metric[i][j] * mu[j]));
    let c = std::array::from_fn(|i| mu[i] * (0..T).fold(w[i], |c, j| c - metric[i][j] * old[j]));
    let (y, _) = on_disk(&s, c, n);
    std::array::from_fn(|k| mu[k] * y[k])
}

/// The point of an associated cone closest to y − z/a.
fn associate<const N: usize>(state: &State, mu: &[f64], a: f64) -> Vector {
    let (mut y, mut z) = ([0.0; N], [0.0; N]);
    (y[0], z[0]) = (state.lambda[0], state.w[0]);
    for (k, &mu) in mu.iter().enumerate() {
        if mu > 0.0 {
            (y[k + 1], z[k + 1]) = (state.lambda[k + 1] / mu, mu * state.w[k + 1]);
        }
    }
    let a = if a > 0.0 { a } else { 1.0 };
    let p = project_cone::<N>(std::array::from_fn(|k| y[k] - z[k] / a));
    std::array::from_fn(|k| match k {
        0 => p[0],
        k if k < N => mu[k - 1] * p[k],
        _ => 0.0,
    })
}
