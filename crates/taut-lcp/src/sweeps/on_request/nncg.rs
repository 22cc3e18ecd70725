//! Nonsmooth nonlinear conjugate gradients.
//!
//! **Problem**: as [`pgs`](super::pgs).
//! **Update**: what a sweep of Gauss-Seidel changes, g = λ' − λ, stands for a gradient;
//! conjugate gradients make use of it: p ← g + βp, λ ← λ + τp.
//! - A symmetric and bounds fixed: τ and β minimize the energy ½λᵀAλ + bᵀλ over g and the
//!   last five steps at once, and λ is clamped. The steps are those that were done, clamped:
//!   what they do to w is known, and no conjugacy is lost where bounds come and go. Where energy
//!   does not fall, the swept λ is taken and the steps are forgotten.
//! - Else, and with `line_search` off, as in the paper: τ = 1,
//!   β = |g|²/|last g|² (weighed by the diagonal of A), begun anew where β > 1 (`conjugate.rs`).
//!
//! **Deviations** from the paper, besides the exact steps: it keeps one direction. A forward sweep is
//! not a symmetric map, so that one is too few (`disks2d-734` of the 18 problems below: 20,000
//! sweeps with one or two, 183 with three, 132 with five, 187 with eight). After a hundred
//! iterations, and with bilateral rows from the start, sweeps go forward and backward, which is symmetric:
//! half as fast where a few dozen will do, four times as fast on chains.
//! On 18 boxed contact problems it takes 15 to over 1,000 times fewer sweeps than `pgs` on the ten for which
//! `pgs` takes more than 1,000 and it arrives, 3 to 11 times fewer on the seven of 70 to 800 sweeps; with
//! tall stacks (`gen-stacks-852`) neither arrives. The paper's form takes 2 to 10 times fewer.
//! **Cost** per iteration: three passes over A (or J), the sweep and two products; four where it goes both
//! ways; one in the paper's form.
//! **Convergence**: with exact steps the energy falls as with `pgs`; near the answer,
//! where the index set has settled, it is preconditioned conjugate gradients.
//! **Fails**: as `pgs`, later.
//! **Reference**: Andrews22 alg. 10, eq. 173 (line search); Silcowitz, Niebe and
//! Erleben 2010.

use super::conjugate::Conjugate;
use super::{Rows, Sweep, fixed_point};
use crate::linalg::growing::Growing;
use crate::{Error, Iterate, Law, Outcome, Probe, Problem, Solver, Stop};

/// Settings of nonsmooth nonlinear conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 10,000.
    pub max_iterations: usize,
    /// Whether steps minimize the energy, where there is one. Default true.
    pub line_search: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 10_000, line_search: true }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Steps that are kept; the module's words say why.
const STEPS: usize = 5;

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Iterations whose sweeps go forward alone, where there are no bilateral rows.
pub const ONE_WAY: usize = 100;

/// The method.
pub struct Nncg {
    settings: Settings,
    rows: Rows,
    memory: Memory,
    conjugate: Conjugate,
}

/// A change of λ, and what it does to w.
#[derive(Default)]
struct Step {
    v: Vec<f64>,
    av: Vec<f64>,
}

/// Vectors of an iteration.
#[derive(Default)]
struct Memory {
    before: Vec<f64>,
    swept: Vec<f64>,
    /// Before the iteration; empty at the start.
    w: Vec<f64>,
    scratch: Vec<f64>,
    /// What the sweep did, and the last steps, newest first.
    steps: [Step; 1 + STEPS],
    /// How many of these there are.
    count: usize,
    /// Iterations left whose sweeps go forward alone.
    one_way: usize,
    gram: Growing,
    /// Which of them are independent, and how far to go along each.
    along: Vec<(usize, f64)>,
    shares: Vec<f64>,
}

impl Nncg {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Nncg {
            settings,
            rows: Rows::default(),
            memory: Memory::default(),
            conjugate: Conjugate::default(),
        }
    }
}

impl Memory {
    fn start(&mut self, problem: &Problem) {
        let rows = problem.rows();
        self.w.clear();
        self.count = 0;
        self.one_way = if problem.laws.contains(&Law::Bilateral) { 0 } else { ONE_WAY };
        self.w.reserve(rows);
        self.gram.reserve(1 + STEPS);
        self.along.clear();
        self.along.reserve(1 + STEPS);
        self.shares.clear();
        self.shares.reserve(1 + STEPS);
        for v in [&mut self.before, &mut self.swept] {
            v.resize(rows, 0.0);
        }
        for step in &mut self.steps {
            step.v.resize(rows, 0.0);
            step.av.resize(rows, 0.0);
        }
    }

    /// One iteration with exact steps.
    fn exact(&mut self, rows: &mut Rows, problem: &Problem, lambda: &mut [f64]) -> Sweep {
        if self.w.is_empty() {
            rows.all_w(problem, lambda);
            self.w.extend_from_slice(&rows.w);
        }
        self.before.copy_from_slice(lambda);
        let mut seen = Sweep::default();
        (0..lambda.len()).for_each(|i| rows.relax(problem, lambda, i, 1.0, &mut seen));
        if self.one_way == 0 {
            (0..lambda.len()).rev().for_each(|i| rows.relax(problem, lambda, i, 1.0, &mut seen));
        }
        self.one_way = self.one_way.saturating_sub(1);
        self.swept.copy_from_slice(lambda);
        let Step { v: g, av: ag } = &mut self.steps[0];
        for (g, (l, before)) in g.iter_mut().zip(lambda.iter().zip(&self.before)) {
            *g = l - before;
        }
        problem.operator.apply(g, ag, &mut self.scratch);
        self.minimize();
        for (i, l) in lambda.iter_mut().enumerate() {
            let change: f64 = self.along.iter().map(|&(k, t)| t * self.steps[k].v[i]).sum();
            *l = (self.before[i] + change).clamp(rows.lo[i], rows.hi[i]);
        }
        rows.all_w(problem, lambda);
        // E(λ') − E(λ) = ½(λ' − λ)ᵀ(w' + w), without cancellation.
        let sums = self.w.iter().zip(&rows.w).map(|(w, next)| w + next);
        let changes = lambda.iter().zip(&self.before).map(|(l, before)| l - before);
        let gain: f64 = changes.zip(sums).map(|(d, w)| 0.5 * d * w).sum();
        if gain.is_nan() || gain >= 0.0 {
            lambda.copy_from_slice(&self.swept);
            rows.all_w(problem, lambda);
            self.count = 0;
        }
        // The step is the newest; the oldest makes room for what the next sweep does.
        self.steps.rotate_right(1);
        self.count = (self.count + 1).min(STEPS);
        let Step { v, av } = &mut self.steps[1];
        for i in 0..lambda.len() {
            v[i] = lambda[i] - self.before[i];
            av[i] = rows.w[i] - self.w[i];
        }
        self.w.copy_from_slice(&rows.w);
        seen.residual = rows.residual_here(lambda);
        seen
    }

    /// How far to go along what the sweep did and the last steps: to the least energy.
    fn minimize(&mut self) {
        let Memory { w, steps, count, gram, along, shares, .. } = self;
        gram.clear();
        along.clear();
        shares.clear();
        for (k, Step { v, av }) in steps.iter().enumerate().take(1 + *count) {
            let entries = along.iter().map(|&(other, _)| dot(v, &steps[other].av));
            // What depends on newer ones is left out.
            if gram.append(entries, dot(v, av)).is_ok() {
                along.push((k, 0.0));
                shares.push(-dot(v, w));
            }
        }
        gram.solve(shares);
        along.iter_mut().zip(shares).for_each(|(a, t)| a.1 = *t);
    }
}

/// One iteration as in the paper, where λ may leave its bounds before a sweep.
fn plain(
    conjugate: &mut Conjugate,
    first: bool,
    rows: &mut Rows,
    problem: &Problem,
    lambda: &mut [f64],
) -> Sweep {
    if first {
        conjugate.start(lambda, &rows.velocity);
    } else {
        conjugate.go_on(lambda, &mut rows.velocity, &rows.diagonal);
    }
    conjugate.begin(lambda, &rows.velocity);
    let mut seen = Sweep::default();
    (0..lambda.len()).for_each(|i| rows.relax(problem, lambda, i, 1.0, &mut seen));
    seen
}

impl Solver for Nncg {
    fn name(&self) -> &'static str {
        "nncg"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        fixed_point::accept("nncg", problem, 1.0)
    }

    fn takes_following_bounds(&self) -> bool {
        true
    }

    fn prepare(&mut self, problem: &Problem) {
        self.rows.prepare(problem);
        self.memory.start(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let Nncg { settings, rows, memory, conjugate } = self;
        memory.start(problem);
        let has_energy = problem.operator.is_symmetric() && !problem.has_following_bounds();
        let exact = settings.line_search && has_energy;
        let mut first = true;
        let sweep = |rows: &mut Rows, lambda: &mut [f64]| {
            if exact {
                memory.exact(rows, problem, lambda)
            } else {
                plain(conjugate, std::mem::take(&mut first), rows, problem, lambda)
            }
        };
        fixed_point::run(rows, problem, stop, settings.max_iterations, iterate, probe, sweep)
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
