//! Fischer-Newton: Newton on the Fischer-Burmeister function.
//!
//! **Problem**: boxed and bilateral rows, any A: also polyhedral friction cones,
//! whose A is neither symmetric nor regular.
//! **Update**: Newton on φ(x − lo, y) = 0 with φ(a, b) = a + b − √(a² + b²), which is
//! zero where a ≥ 0, b ≥ 0 and ab = 0; with an upper bound −φ(hi − x, −y), with both
//! φ(x − lo, −φ(hi − x, −y)). Units, step and safeguards are those of `descent.rs`.
//! At the kink a = b = 0 the slope is one of many: [`Kink`] says which. The penalized
//! function (`penalty`) adds a share of a₊b₊, which tells large wrong values better.
//! Where that gets no farther, it goes on with the smoothed function
//! φ(a, b) = a + b − √(a² + b² + 2μ), μ → 0 (zero where ab = μ: the central path of an
//! interior-point method), from the best point and then from the start, and at last with a bolder search. Plain steps
//! are the fastest (15 on contact LCPs of 180 rows, nine of ten solved); smoothed from the start it solves jammed
//! walls in 15 steps, on which the others end at 1e-6 after 200, but alone it leaves 5 of 100 contact LCPs; from the
//! best point, with μ the square of what is left there, it finds the last digits of degenerate answers.
//! **Cost** per iteration: one factorization (A given by its entries), or a GMRES
//! solve (multibody systems, whose A is never formed; or with [`Kink::Approximation`],
//! which needs no slopes at all).
//! **Convergence**: quadratic near regular answers; θ = ½|φ|² is smooth, so with P₀
//! matrices its stationary points are answers (De Luca, Facchinei and Kanzow 2000).
//! **Fails**: `LocalMinimum` where A is not P₀; slow (linear) where the answer is
//! degenerate and A singular; `IterationLimit` on badly conditioned multibody systems,
//! where GMRES gives up.
//! **Reference**: Fischer 1992; Erleben13 5.5, 6 (φ there has the other sign);
//! Billups 1995 (two bounds); Kanzow 1996 (smoothed); Chen, Chen and Kanzow 2000 (penalized);
//! Andrews22 3.3.2.

use super::descent::{Descent, Options, Place, Row, Smooth};
use super::min_map_newton::{accept, check_memory};
use crate::generate::Rng;
use crate::{Counts, Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop};

pub use super::descent::Linear;

/// Most steps of the first try. (On 100 contact LCPs it takes 26 at most where it arrives.)
const FIRST: usize = 30;
/// Most of a smoothed one from the start.
const FAR: usize = 60;
/// Most of a smoothed one from the best point. (With 15 steps 100 contact LCPs take 19.1 on average, with 25
/// 18.3. Without these tries a heap of 90 rocks, 1,725 rows, ends at 8e-6.)
const NEAR: usize = 25;
/// Steps without a better residual that end a try, but for those that no other follows. (4: 19.0 steps on
/// average, 6: 18.3, 8: 19.3.)
const PATIENCE: usize = 6;
/// Merits that smoothed tries remember. (A heap of 50 rocks, polyhedral, takes 44 steps, 52 with one merit.)
const SMOOTH_MEMORY: usize = 2;
/// Merits that the last one remembers.
const BOLD: usize = 8;

/// Where a try begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Start,
    Best,
}

/// The slope at the kink a = b = 0 (Erleben13 5.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Kink {
    /// That of a = 1, b = 0: the row is solved for.
    #[default]
    Perturbation,
    /// The middle of all slopes.
    Zero,
    /// A random one.
    Random {
        /// Seed of the random numbers.
        seed: u64,
    },
    /// None: products with the matrix are differences of φ. Implies GMRES.
    Approximation,
}

/// Settings of Fischer-Newton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on Newton steps. Default 200.
    pub max_iterations: usize,
    /// How linear systems are solved.
    pub linear: Linear,
    /// The slope at the kink.
    pub kink: Kink,
    /// A step of the first try may raise the merit up to the largest of so many before. Default 2;
    /// 1: the merit falls with every step. At most 16.
    pub memory: usize,
    /// Sweeps of Gauss-Seidel before the first step, on symmetric A. Default 0.
    pub sweeps: usize,
    /// Whether the function is smoothed from the first step on. Default false: where the plain one
    /// does not arrive.
    pub smoothed: bool,
    /// Share of φ in the penalized function, above 0, at most 1. Default 1: φ alone;
    /// 0.95 is usual. Rows with two bounds keep φ.
    pub penalty: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_iterations: 200,
            linear: Linear::Auto,
            kink: Kink::default(),
            memory: 2,
            sweeps: 0,
            smoothed: false,
            penalty: 1.0,
        }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        check_memory("fischer_newton", self.memory)?;
        if self.penalty > 0.0 && self.penalty <= 1.0 {
            return Ok(());
        }
        let (value, expected) = (self.penalty.to_string(), "above 0 and at most 1");
        Err(Error::Setting { solver: "fischer_newton", name: "penalty", value, expected })
    }
}

/// The method.
pub struct FischerNewton {
    settings: Settings,
    descent: Descent,
    start: Vec<f64>,
    best: Vec<f64>,
}

impl FischerNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        FischerNewton { settings, descent: Descent::default(), start: Vec::new(), best: Vec::new() }
    }

    fn options(&self) -> Options {
        let Settings { max_iterations, linear, kink, memory, sweeps, smoothed, .. } = self.settings;
        let differences = kink == Kink::Approximation;
        let smooth = if smoothed { Smooth::Far } else { Smooth::Never };
        let patience = usize::MAX;
        Options { max_iterations, linear, memory, sweeps, differences, smooth, patience }
    }
}

/// φ and its slopes by a and b.
struct Fischer {
    kink: Kink,
    rng: Rng,
    penalty: f64,
    /// μ of the smoothed function φ(a, b) = a + b − √(a² + b² + 2μ), zero where ab = μ.
    mu: f64,
}

impl Fischer {
    fn at(&mut self, a: f64, b: f64) -> [f64; 3] {
        let twice = 2.0 * self.mu;
        let r = a.hypot(b).hypot(twice.sqrt());
        if r == 0.0 {
            let (x, y) = match self.kink {
                Kink::Perturbation | Kink::Approximation => (1.0, 0.0),
                Kink::Zero => (0.0, 0.0),
                Kink::Random { .. } => {
                    let (x, y) = (self.rng.normal(), self.rng.normal());
                    let length = x.hypot(y).max(1.0);
                    (x / length, y / length)
                }
            };
            return [0.0, 1.0 - x, 1.0 - y];
        }
        let sum = a + b;
        // Without cancellation where both are positive.
        let phi = if sum > 0.0 { 2.0 * a * (b / (sum + r)) - twice / (sum + r) } else { sum - r };
        [phi, slope(a, b, twice, r), slope(b, a, twice, r)]
    }

    /// λφ + (1 − λ) a₊b₊.
    fn penalized(&mut self, a: f64, b: f64) -> [f64; 3] {
        let [phi, pa, pb] = self.at(a, b);
        let (share, both) = (self.penalty, a > 0.0 && b > 0.0);
        if share >= 1.0 || !both || self.mu > 0.0 {
            return [share * phi, share * pa, share * pb];
        }
        let rest = 1.0 - share;
        [share * phi + rest * a * b, share * pa + rest * b, share * pb + rest * a]
    }

    fn row(&mut self, Place { x, y, lo, hi }: Place) -> Row {
        match (lo.is_finite(), hi.is_finite()) {
            (false, false) => Row { h: y, p: 0.0, q: 1.0 },
            (true, true) if lo == hi => Row { h: x - lo, p: 1.0, q: 0.0 },
            (true, false) => {
                let [h, p, q] = self.penalized(x - lo, y);
                Row { h, p, q }
            }
            (false, true) => {
                let [h, p, q] = self.penalized(hi - x, -y);
                Row { h: -h, p, q }
            }
            (true, true) => {
                let [above, pa, qa] = self.at(hi - x, -y);
                let [h, p, q] = self.at(x - lo, -above);
                Row { h, p: p + q * pa, q: q * qa }
            }
        }
    }
}

/// 1 − a/r with r² = a² + b² + 2μ, without cancellation where b is small.
fn slope(a: f64, b: f64, twice_mu: f64, r: f64) -> f64 {
    if a > 0.0 { (b / r) * (b / (r + a)) + (twice_mu / r) / (r + a) } else { 1.0 - a / r }
}

/// Counts the iterations of a try behind those of the tries before.
struct Later<'a> {
    before: usize,
    probe: &'a mut dyn Probe,
}

impl Probe for Later<'_> {
    fn iteration(&mut self, iteration: usize, natural_residual: f64) {
        self.probe.iteration(self.before + iteration, natural_residual);
    }
}

impl Solver for FischerNewton {
    fn name(&self) -> &'static str {
        "fischer_newton"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        accept("fischer_newton", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        let options = self.options();
        self.descent.prepare(problem, &options);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let options = self.options();
        let seed = if let Kink::Random { seed } = self.settings.kink { seed } else { 0 };
        let Settings { kink, penalty, smoothed, .. } = self.settings;
        let mut phi = Fischer { kink, rng: Rng::new(seed), penalty, mu: 0.0 };
        let mut row = |place, mu| {
            phi.mu = mu;
            phi.row(place)
        };
        // Tries from the start, and from the best point so far, which is the answer in the end.
        let limit = stop.max_iterations.unwrap_or(options.max_iterations);
        let far = Options { smooth: Smooth::Far, memory: SMOOTH_MEMORY, ..options };
        let near = Options { smooth: Smooth::Near, patience: PATIENCE, ..far };
        let all = [
            (Options { patience: PATIENCE, ..options }, FIRST, From::Start),
            (near, NEAR, From::Best),
            (far, FAR, From::Start),
            (near, NEAR, From::Best),
            (Options { memory: BOLD, ..options }, limit, From::Start),
        ];
        let plan = if smoothed { &[(options, limit, From::Start)][..] } else { &all[..] };
        let FischerNewton { descent, start, best, .. } = self;
        start.clone_from(&iterate.lambda);
        best.clone_from(&iterate.lambda);
        let mut end = Outcome::new(Status::IterationLimit, Counts::default());
        let mut residual = f64::INFINITY;
        for (options, most, from) in plan {
            let left = limit - end.counts.iterations;
            iterate.lambda.clone_from(if *from == From::Best { best } else { start });
            let stop = Stop { max_iterations: Some(left.min(*most)), ..*stop };
            let mut later = Later { before: end.counts.iterations, probe: &mut *probe };
            let one = descent.run(problem, &stop, options, iterate, &mut later, &mut row);
            let counts = std::mem::take(&mut end.counts);
            if descent.best < residual {
                residual = descent.best;
                best.clone_from(&iterate.lambda);
                end = one;
            }
            end.counts = counts;
            end.counts.add(&one.counts);
            if one.status == Status::Converged || end.counts.iterations >= limit {
                break;
            }
        }
        if residual < f64::INFINITY {
            iterate.lambda.clone_from(best);
        }
        if end.status != Status::Converged && end.counts.iterations >= limit {
            end.status = Status::IterationLimit;
        }
        end
    }
}
