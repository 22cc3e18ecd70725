//! Newton on Coulomb's law as a system of equations with a slack γ for each contact.
//!
//! **Problem**: cones that are not associated (torsion and rolling included), boxes and joints, in
//! the scaled form of `model.rs`: w = Ãx + b̃, |x_t| ≤ xₙ.
//! **Equations** of a contact, ψ(a, b) = 0 where 0 ≤ a ⊥ b ≥ 0 ([`Function`]):
//! - normal: ψ(wₙ, r xₙ) = 0
//! - slip: s = w_t + γŷ = 0 with ŷ = x_t/|x_t|
//! - slack: ψ(γ, r(xₙ − |x_t|)) = 0
//!
//! **Update** ([`Scheme`]): `newton` linearizes all of them (Andrews22 eq. 199). Velocities are
//! linear in λ and left to the form of the matrix (`system.rs`); along ŷ the slip gives
//! dγ = −ŷᵀ(s + dw_t), so that γ is eliminated contact by contact and three equations are left.
//! `fixed_point` (Macklin et al. 2019) holds the compliance of friction
//! W = (|w_t| − ψ)/(|x_t| + ψ/r) from step to step, ψ = ψ(|w_t|, r(xₙ − |x_t|)): each step solves
//! Ã + W, which is symmetric. (Here by the factorization of the other scheme; that it could be
//! conjugate gradients is the point of the paper.)
//! A step is shortened until the merit ½|F|² falls below the largest of eight before; where no length
//! helps, Q is raised. `newton` begins with twenty steps of the fixed point, and takes ten more
//! where its own do not descend. Where those do not either, x goes where the law sends it.
//! **Cost** per iteration: one factorization, more where it is tried again.
//! **Convergence**: `newton` quadratically near answers where contacts neither are about to slip nor
//! to open, `fixed_point` linearly. Of 19 files of FCLIB `newton` solves 11 to 1e-8 in 200 iterations
//! with either function, `fixed_point` 11 with Fischer-Burmeister and 10 with the minimum map;
//! `cone_newton` solves all.
//! **Fails**: far from the answer |F| has minima that are none: `NonDescent`. `cone_newton` tries more.
//! **Deviations** from Andrews22 3.3: r-factors are one by the scaling (eq. 206 to 208 find them the
//! same way, by the diagonal), with a setting to try others; μ is in the scaling, so that ellipses are circles.
//! **Reference**: Andrews22 3.3, eq. 194 to 199; Macklin et al. 2019.

use super::lorentz::{Matrix, Vector, zero};
use super::model::{Block, Kind};
use super::system::{MOST_ROWS, System, is_wide};
use crate::newton::ARMIJO;
use crate::residual::length;
use crate::solver::settle;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop, Verdict};

/// What Q is raised by, in turn. The first makes redundant contacts regular.
/// (On FCLIB, with the next three: 11 of 19 from 1e-7 on, 9 from 1e-10.)
const SHIFTS: [f64; 4] = [1e-7, 1e-6, 1e-3, 1e-1];
/// Lengths of a step, halved each time, before another shift is tried.
const HALVINGS: usize = 3;
/// Steps of the fixed point before Newton's, and again where those do not lower the merit. (Without
/// any 7 of 19 are solved.)
const BEFORE: usize = 20;
const AGAIN: usize = 10;
/// Merits that a step is compared with the largest of.
const MEMORY: usize = 8;
/// How often x may be sent where the law says.
const KICKS: usize = 30;

/// The function whose zeros are the answers of 0 ≤ a ⊥ b ≥ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Function {
    /// min(a, b).
    MinMap,
    /// a + b − √(a² + b²).
    #[default]
    FischerBurmeister,
}

impl Function {
    /// Value and slopes by a and b. At the kink: a is solved for.
    #[inline]
    fn at(self, a: f64, b: f64) -> [f64; 3] {
        match self {
            Function::MinMap if a <= b => [a, 1.0, 0.0],
            Function::MinMap => [b, 0.0, 1.0],
            Function::FischerBurmeister => {
                let r = a.hypot(b);
                if r == 0.0 { [0.0, 1.0, 0.0] } else { [a + b - r, 1.0 - a / r, 1.0 - b / r] }
            }
        }
    }
}

/// How friction is linearized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Scheme {
    /// All equations, which are not symmetric.
    #[default]
    Newton,
    /// The compliance of friction held from step to step: symmetric.
    FixedPoint,
}

/// Settings of the method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 200.
    pub max_iterations: usize,
    /// The complementarity function.
    pub function: Function,
    /// How friction is linearized.
    pub scheme: Scheme,
    /// The r-factor, relative to the diagonal of A; above 0. Default 1.
    pub r: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_iterations: 200,
            function: Function::default(),
            scheme: Scheme::default(),
            r: 1.0,
        }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        if self.r > 0.0 && self.r.is_finite() {
            return Ok(());
        }
        let (value, expected) = (self.r.to_string(), "above 0 and finite");
        Err(Error::Setting { solver: "ncp_newton", name: "r", value, expected })
    }
}

/// The method.
pub struct NcpNewton {
    settings: Settings,
    /// For contacts of three rows, and for those with torsion or rolling.
    narrow: Walk<3>,
    wide: Option<Box<Walk<MOST_ROWS>>>,
}

impl NcpNewton {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        NcpNewton { settings, narrow: Walk::default(), wide: None }
    }
}

impl Solver for NcpNewton {
    fn name(&self) -> &'static str {
        "ncp_newton"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        let associated =
            |law: &crate::Law| law.coefficients().is_some_and(|(_, associated)| associated);
        if let Some((row, _)) = problem.laws_by_row().find(|(_, law)| associated(law)) {
            let reason = format!("row {row} begins an associated cone; cone_ipm is for those");
            return Err(Error::Refused { solver: "ncp_newton", reason });
        }
        super::rolling::refuse("ncp_newton", problem)?;
        super::system::accepts("ncp_newton", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        if is_wide(problem) {
            self.wide.get_or_insert_default().prepare(problem);
        } else {
            self.narrow.prepare(problem);
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        match &mut self.wide {
            Some(wide) if is_wide(problem) => {
                wide.run(&self.settings, problem, stop, iterate, probe)
            }
            _ => self.narrow.run(&self.settings, problem, stop, iterate, probe),
        }
    }
}

/// x, w and γ (by block; zero where there is no cone).
#[derive(Clone, Debug, Default)]
struct Point {
    x: Vec<f64>,
    w: Vec<f64>,
    gamma: Vec<f64>,
}

impl Point {
    fn resize(&mut self, rows: usize, blocks: usize) {
        for (v, n) in [(&mut self.x, rows), (&mut self.w, rows), (&mut self.gamma, blocks)] {
            v.clear();
            v.resize(n, 0.0);
        }
    }
}

/// System and points; N: rows of the largest cone.
#[derive(Default)]
struct Walk<const N: usize> {
    system: System<N>,
    here: Point,
    trial: Point,
    step: Point,
    f: Vec<f64>,
    best: Vec<f64>,
}

/// Where friction points, or would: unit vector in the entries behind the normal, and |x_t|.
#[inline]
fn heading<const N: usize>(x: &Vector<N>, w: &Vector<N>) -> (Vector<N>, f64) {
    let (long, slip) = (length(&x[1..]), length(&w[1..]));
    let mut y = [0.0; N];
    if long > 0.0 {
        (1..N).for_each(|k| y[k] = x[k] / long);
    } else if slip > 0.0 {
        (1..N).for_each(|k| y[k] = -w[k] / slip);
    }
    (y, long)
}

#[inline]
fn along<const N: usize>(y: &Vector<N>, v: &Vector<N>) -> f64 {
    (1..N).map(|k| y[k] * v[k]).sum()
}

/// Value of a bounded row and its slopes by w and x.
#[inline]
fn bounded(function: Function, r: f64, x: f64, w: f64, lo: f64, hi: f64) -> [f64; 3] {
    let (mut value, mut by_w, mut by_x) = (w, 1.0, 0.0);
    if hi < f64::INFINITY {
        let [v, a, b] = function.at(-w, r * (hi - x));
        (value, by_w, by_x) = (-v, a, r * b);
    }
    if lo > f64::NEG_INFINITY {
        let [v, a, b] = function.at(value, r * (x - lo));
        (value, by_w, by_x) = (v, a * by_w, a * by_x + r * b);
    }
    [value, by_w, by_x]
}

/// Q, P and the right side of one block, to be filled.
type BlockRows<'a, const N: usize> = (&'a mut Matrix<N>, &'a mut Matrix<N>, &'a mut Vector<N>);

/// Tangent rows with γ held as x and w have it, the symmetric fixed point: divided by 1 + W, for W is infinite where
/// nothing presses.
fn hold_slack<const N: usize>(
    &Settings { function, r, .. }: &Settings,
    shift: f64,
    x: &Vector<N>,
    w: &Vector<N>,
    (q, p, f): BlockRows<N>,
) {
    let long = heading(x, w).1;
    let slip = length(&w[1..]);
    let psi = function.at(slip, r * (x[0] - long))[0];
    let (above, below) = ((slip - psi).max(0.0), (long + psi / r).max(0.0));
    let sum = above + below;
    let (one, soft) = if sum > 0.0 { (below, above) } else { (1.0, 0.0) };
    let sum = if sum > 0.0 { sum } else { 1.0 };
    for i in 1..N {
        p[i][i] = one / sum;
        q[i][i] = soft / sum + shift;
        f[i] = -(one * w[i] + soft * x[i]) / sum;
    }
}

/// Tangent rows of Newton's method, γ eliminated.
fn follow_slack<const N: usize>(
    &Settings { function, r, .. }: &Settings,
    shift: f64,
    x: &Vector<N>,
    w: &Vector<N>,
    gamma: f64,
    (q, p, f): BlockRows<N>,
) {
    let (y, long) = heading(x, w);
    let [slack, a, b] = function.at(gamma, r * (x[0] - long));
    let c = r * b;
    // Across ŷ: dw + (γ/|x_t|) dx = −w, divided by 1 + γ/|x_t|.
    let turn = gamma.max(0.0);
    let (one, soft) =
        if long + turn > 0.0 { (long / (long + turn), turn / (long + turn)) } else { (1.0, 0.0) };
    let known = along(&y, &y) > 0.0;
    let slip = along(&y, w) + gamma;
    for i in 1..N {
        for j in 1..N {
            let yy = y[i] * y[j];
            let across = f64::from(u8::from(i == j)) - yy;
            p[i][j] = one * across + a * yy;
            q[i][j] = soft * across + c * yy;
        }
        q[i][0] = -c * y[i];
        q[i][i] += shift;
        let across = w[i] - y[i] * along(&y, w);
        f[i] = -one * across + y[i] * (slack - a * slip);
    }
    if !known {
        (1..N).for_each(|i| f[i] = -w[i]);
    }
}

/// How a walk ends at this point, if it does.
fn ends(best: f64, tolerance: f64, verdict: &Verdict, is_last: bool) -> Option<Status> {
    if best <= tolerance {
        return Some(Status::Converged);
    }
    if !verdict.natural_residual.is_finite() {
        return Some(Status::NonFinite);
    }
    is_last.then_some(Status::IterationLimit)
}

impl<const N: usize> Walk<N> {
    fn prepare(&mut self, problem: &Problem) {
        self.system.prepare(problem);
        let blocks = self.system.model.blocks.len();
        for point in [&mut self.here, &mut self.trial, &mut self.step] {
            point.resize(problem.rows(), blocks);
        }
        for v in [&mut self.f, &mut self.best] {
            v.clear();
            v.resize(problem.rows(), 0.0);
        }
    }

    fn run(
        &mut self,
        settings: &Settings,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let limit = stop.max_iterations.unwrap_or(settings.max_iterations);
        self.system.model.scaled(&iterate.lambda, &mut self.here.x);
        self.system.velocities(&self.here.x, &mut self.here.w);
        self.reset_slack();
        let mut best = f64::INFINITY;
        let mut merits = [0.0_f64; MEMORY];
        let (mut iteration, mut kicks, mut soft_until) = (0, 0, 0);
        let fixed = Settings { scheme: Scheme::FixedPoint, ..settings.clone() };
        let status = loop {
            let verdict = self.measure(problem);
            if iteration > 0 {
                probe.iteration(iteration, verdict.natural_residual);
            }
            if verdict.relative_residual < best {
                best = verdict.relative_residual;
                self.best.copy_from_slice(&self.trial.x);
            }
            if let Some(end) = ends(best, stop.tolerance, &verdict, iteration >= limit) {
                break end;
            }
            merits[iteration % MEMORY] = self.merit(&self.here, settings);
            iteration += 1;
            let bar = merits.iter().fold(0.0_f64, |m, x| m.max(*x));
            let soft = iteration <= BEFORE || iteration < soft_until;
            if self.advance(if soft { &fixed } else { settings }, bar) {
                continue;
            }
            if soft_until + 1 < iteration {
                // The law of friction held for some steps, from γ as x and w have it.
                soft_until = iteration + AGAIN;
                self.reset_slack();
                merits.fill(f64::INFINITY);
                continue;
            }
            soft_until = iteration;
            self.system.counts.fell_back = true;
            kicks += 1;
            if kicks > KICKS {
                break Status::NonDescent;
            }
            self.kick();
            merits.fill(0.0);
        };
        self.system.counts.iterations = iteration;
        if best.is_finite() {
            self.system.model.unscale(problem, &self.best, &mut iterate.lambda);
        }
        self.end(problem, status, iterate)
    }

    fn end(&self, problem: &Problem, status: Status, iterate: &mut Iterate) -> Outcome {
        iterate.set.clear();
        settle(problem, iterate);
        let counts = self.system.counts;
        Outcome { backend: Some(self.system.backend()), ..Outcome::new(status, counts) }
    }

    /// The judge's view of x within its bounds, which is `trial`: w of what lies outside would
    /// belong to another λ.
    fn measure(&mut self, problem: &Problem) -> Verdict {
        let Walk { system, here, trial, .. } = self;
        trial.x.copy_from_slice(&here.x);
        for block in &system.model.blocks {
            let x = &mut trial.x[block.row];
            match block.kind {
                Kind::Free => {}
                Kind::Fixed { at } => *x = at,
                // (Not `clamp`: bounds of matrices near the smallest numbers are not numbers.)
                Kind::Box { lo, hi } => *x = x.max(lo).min(hi),
                Kind::Cone { .. } => *x = x.max(0.0),
            }
        }
        system.velocities(&trial.x, &mut trial.w);
        system.model.judge(problem, &trial.x, &trial.w)
    }

    /// One step, shortened; `false` where none lowers the merit.
    fn advance(&mut self, settings: &Settings, bar: f64) -> bool {
        for shift in SHIFTS {
            self.linearize(settings, shift);
            if self.system.factor().is_err() {
                continue;
            }
            self.system.solve(&self.f, &mut self.step.x);
            self.system.product(&self.step.x, &mut self.step.w);
            if self.step.x.iter().any(|d| !d.is_finite()) {
                continue;
            }
            self.step_slack();
            let mut length = 1.0;
            for _ in 0..HALVINGS {
                let Walk { here, trial, step, .. } = self;
                for (to, (from, d)) in [
                    (&mut trial.x, (&here.x, &step.x)),
                    (&mut trial.w, (&here.w, &step.w)),
                    (&mut trial.gamma, (&here.gamma, &step.gamma)),
                ] {
                    for (t, (f, d)) in to.iter_mut().zip(from.iter().zip(d)) {
                        *t = f + length * d;
                    }
                }
                if settings.scheme == Scheme::FixedPoint {
                    slack_of::<N>(&self.system.model.blocks, &mut self.trial);
                }
                if self.merit(&self.trial, settings) <= (1.0 - ARMIJO * length) * bar {
                    std::mem::swap(&mut self.here, &mut self.trial);
                    // Sums of steps drift from Ãx + b̃.
                    self.system.velocities(&self.here.x, &mut self.here.w);
                    return true;
                }
                length *= 0.5;
            }
        }
        false
    }

    /// ½|F|².
    fn merit(&self, point: &Point, settings: &Settings) -> f64 {
        let Settings { function, r, .. } = *settings;
        let mut sum = 0.0;
        for (k, block) in self.system.model.blocks.iter().enumerate() {
            let (x, w): (Vector<N>, Vector<N>) = (block.of(&point.x), block.of(&point.w));
            sum += match block.kind {
                Kind::Free => w[0] * w[0],
                Kind::Fixed { at } => (x[0] - at).powi(2),
                Kind::Box { lo, hi } => bounded(function, r, x[0], w[0], lo, hi)[0].powi(2),
                Kind::Cone { .. } => {
                    let (y, long) = heading(&x, &w);
                    let gamma = point.gamma[k];
                    let slip: f64 = (1..N).map(|i| (w[i] + gamma * y[i]).powi(2)).sum();
                    let normal = function.at(w[0], r * x[0])[0];
                    let slack = function.at(gamma, r * (x[0] - long))[0];
                    normal * normal + slip + slack * slack
                }
            };
        }
        0.5 * sum
    }

    /// Q, P and the right side of (Q + P Ã) dx = f.
    fn linearize(&mut self, settings: &Settings, shift: f64) {
        let Settings { function, scheme, r, .. } = *settings;
        let Walk { system, here, f, .. } = self;
        let System { model, q, p, .. } = system;
        for (k, block) in model.blocks.iter().enumerate() {
            let (x, w): (Vector<N>, Vector<N>) = (block.of(&here.x), block.of(&here.w));
            let (mut qk, mut pk, mut fk) = (zero::<N>(), zero::<N>(), [0.0; N]);
            let [value, by_w, by_x] = match block.kind {
                Kind::Free => [w[0], 1.0, 0.0],
                Kind::Fixed { at } => [x[0] - at, 0.0, 1.0],
                Kind::Box { lo, hi } => bounded(function, r, x[0], w[0], lo, hi),
                Kind::Cone { .. } => bounded(function, r, x[0], w[0], 0.0, f64::INFINITY),
            };
            (qk[0][0], pk[0][0], fk[0]) = (by_x + shift, by_w, -value);
            if block.is_cone() {
                let rows = (&mut qk, &mut pk, &mut fk);
                match scheme {
                    Scheme::FixedPoint => hold_slack(settings, shift, &x, &w, rows),
                    Scheme::Newton => follow_slack(settings, shift, &x, &w, here.gamma[k], rows),
                }
            }
            (q[k], p[k]) = (qk, pk);
            block.put(f, &fk);
        }
    }

    /// dγ = −ŷᵀ(s + dw_t).
    fn step_slack(&mut self) {
        let Walk { system, here, step, .. } = self;
        for (k, block) in system.model.blocks.iter().enumerate().filter(|(_, b)| b.is_cone()) {
            let (x, w): (Vector<N>, Vector<N>) = (block.of(&here.x), block.of(&here.w));
            let dw: Vector<N> = block.of(&step.w);
            let (y, _) = heading(&x, &w);
            step.gamma[k] = if along(&y, &y) > 0.0 {
                -here.gamma[k] - along(&y, &w) - along(&y, &dw)
            } else {
                -here.gamma[k]
            };
        }
    }

    fn reset_slack(&mut self) {
        slack_of::<N>(&self.system.model.blocks, &mut self.here);
    }

    /// x where the law sends it, γ as x and w have it.
    fn kick(&mut self) {
        let Walk { system, here, .. } = self;
        for block in &system.model.blocks {
            let (x, w): (Vector<N>, Vector<N>) = (block.of(&here.x), block.of(&here.w));
            let aim: Vector<N> = std::array::from_fn(|i| x[i] - w[i]);
            block.put(&mut here.x, &block.law::<N>(&aim).0);
        }
        system.velocities(&here.x, &mut here.w);
        self.reset_slack();
    }
}

/// γ ≥ 0 that makes the slip equation nearest to true.
fn slack_of<const N: usize>(blocks: &[Block], point: &mut Point) {
    for (k, block) in blocks.iter().enumerate() {
        point.gamma[k] = 0.0;
        if block.is_cone() {
            let (x, w): (Vector<N>, Vector<N>) = (block.of(&point.x), block.of(&point.w));
            let (y, _) = heading(&x, &w);
            point.gamma[k] = (-along(&y, &w)).max(0.0);
        }
    }
}
