//! Fischer-Newton: Newton on the Fischer-Burmeister function.
//!
//! **Problem**: boxed and bilateral rows, any A: also polyhedral friction cones,
//! whose A is neither symmetric nor regular.
//! **Update**: Newton on φ(x − lo, y) = 0 with φ(a, b) = a + b − √(a² + b²), which is
//! zero where a ≥ 0, b ≥ 0 and ab = 0; with an upper bound −φ(hi − x, −y), with both
//! φ(x − lo, −φ(hi − x, −y)). Units, step and safeguards are those of `descent.rs`.
//! At the kink a = b = 0 the slope is one of many: [`Kink`] says which. The penalized
//! function (`penalty`) adds a share of a₊b₊, which tells large wrong values better.
//! Where 60 steps with a falling merit do not arrive, it begins anew with a
//! non-monotone search: of 100 contact LCPs of 180 rows 90 are solved by the first, 99 by
//! the second alone, all by both.
//! **Cost** per iteration: one factorization (A given by its entries), or a GMRES
//! solve (multibody systems, whose A is never formed; or with [`Kink::Approximation`],
//! which needs no slopes at all).
//! **Convergence**: quadratic near regular answers; θ = ½|φ|² is smooth, so with P₀
//! matrices its stationary points are answers (De Luca, Facchinei and Kanzow 2000).
//! **Fails**: `LocalMinimum` where A is not P₀; slow (linear) where the answer is
//! degenerate and A singular; `IterationLimit` on badly conditioned multibody systems,
//! where GMRES gives up.
//! **Reference**: Fischer 1992; Erleben13 5.5, 6 (φ there has the other sign);
//! Billups 1995 (two bounds); Chen, Chen and Kanzow 2000 (penalized); Andrews22 3.3.2.

use super::descent::{Descent, Options, Place, Row};
use super::min_map_newton::{accept, check_memory};
use crate::generate::Rng;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop};

pub use super::descent::Linear;

/// Steps of the first try, and merits that the second one remembers.
const FIRST: usize = 60;
const BOLD: usize = 8;

/// The slope at the kink a = b = 0 (Erleben13 5.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
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
    /// A step may raise the merit up to the largest of so many before. Default 1:
    /// the merit falls with every step, in the first try. At most 16.
    pub memory: usize,
    /// Sweeps of Gauss-Seidel before the first step, on symmetric A. Default 0.
    pub sweeps: usize,
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
            memory: 1,
            sweeps: 0,
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
}

impl FischerNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        FischerNewton { settings, descent: Descent::default(), start: Vec::new() }
    }

    fn options(&self) -> Options {
        let Settings { max_iterations, linear, kink, memory, sweeps, .. } = self.settings;
        let differences = kink == Kink::Approximation;
        Options { max_iterations, linear, memory, sweeps, differences }
    }
}

/// φ and its slopes by a and b.
struct Fischer {
    kink: Kink,
    rng: Rng,
    penalty: f64,
}

impl Fischer {
    fn at(&mut self, a: f64, b: f64) -> [f64; 3] {
        let r = a.hypot(b);
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
        let phi = if sum > 0.0 { 2.0 * a * (b / (sum + r)) } else { sum - r };
        [phi, slope(a, b, r), slope(b, a, r)]
    }

    /// λφ + (1 − λ) a₊b₊.
    fn penalized(&mut self, a: f64, b: f64) -> [f64; 3] {
        let [phi, pa, pb] = self.at(a, b);
        let (share, both) = (self.penalty, a > 0.0 && b > 0.0);
        if share >= 1.0 || !both {
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

/// 1 − a/r, without cancellation where b is small.
fn slope(a: f64, b: f64, r: f64) -> f64 {
    if a > 0.0 { (b / r) * (b / (r + a)) } else { 1.0 - a / r }
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
        let mut phi = Fischer {
            kink: self.settings.kink,
            rng: Rng::new(seed),
            penalty: self.settings.penalty,
        };
        let limit = stop.max_iterations.unwrap_or(options.max_iterations);
        let is_monotone = options.memory == 1;
        let first = Stop {
            max_iterations: Some(if is_monotone { limit.min(FIRST) } else { limit }),
            ..*stop
        };
        let FischerNewton { descent, start, .. } = self;
        start.clone_from(&iterate.lambda);
        let one = descent.run(problem, &first, &options, iterate, probe, |place| phi.row(place));
        let (done, residual) = (one.counts.iterations, descent.best);
        if one.status == Status::Converged || !is_monotone || done >= limit {
            return one;
        }
        // `start` takes what was found, and gives where it began.
        std::mem::swap(&mut iterate.lambda, start);
        let rest = Stop { max_iterations: Some(limit - done), ..*stop };
        let bold = Options { memory: BOLD, ..options };
        let two = descent.run(problem, &rest, &bold, iterate, probe, |place| phi.row(place));
        let mut counts = one.counts;
        counts.add(&two.counts);
        if descent.best > residual {
            std::mem::swap(&mut iterate.lambda, start);
            return Outcome { counts, ..one };
        }
        Outcome { counts, ..two }
    }
}
