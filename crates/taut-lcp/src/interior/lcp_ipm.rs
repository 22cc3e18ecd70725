//! An interior-point method for matrices that need not be symmetric.
//!
//! **Problem**: boxed and bilateral rows; A by its entries, symmetric or not.
//! **Update**: in the units of `newton/scaled.rs` x stays inside its box, and y is
//! split into multipliers of the bounds, y = z⁺ − z⁻. A step solves
//! (Ã + diag(z⁺/s⁺ + z⁻/s⁻)) dx = r twice, for a predictor (products s·z to zero) and
//! a corrector (products to a common σμ, second-order terms taken in); s are the
//! distances to the bounds. One step length serves x and z, so that what
//! Ãx + b̃ − z⁺ + z⁻ = 0 lacks shrinks by the same share. Where steps get stuck in a corner,
//! products are made alike again, and from then on steps have a small proximal term: where A is not monotone the path
//! may turn back before the products vanish, and plain steps end at the turn.
//! **Start**: a warm start is tried by minimum-map steps first, which is all where few rows change their state.
//! **End**: where the products are small, rows with s < z are put to their bounds and
//! the others solved for (a few minimum-map steps): the last digits cost two or three
//! factorizations.
//! **Cost** per iteration: one sparse LU factorization; 10 to 40 iterations.
//! **Convergence**: for monotone problems (A + Aᵀ ⪰ 0) with a solution, as Mehrotra's
//! method for convex programs. The polyhedral contact LCP is not monotone: there it
//! converges or says that it did not. Three starts are tried.
//! **Fails**: `Stalled` where steps become short; `Diverged` where x leaves for
//! infinity (no solution, mostly). No certificate.
//! **Reference**: Mehrotra 1992; Wright 1997 ch. 8 (monotone LCPs). Erleben13 8 leaves this to future work.

use crate::newton::direct::Direct;
use crate::newton::scaled::Scaled;
use crate::rounding::BETTER;
use crate::{Counts, Error, Iterate, Operator, Outcome, Probe, Problem, Solver, Status, Stop};

/// Settings of the interior-point method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 200.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 200 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Share of the way to the nearest bound.
const STEP: f64 = 0.995;
/// Added to the diagonal, which is one: rounding, but enough for dependent joints.
const SHIFTS: [f64; 3] = [1e-14, 1e-10, 1e-6];
/// Products below this share of the first let the end be tried.
const END: f64 = 1e-4;
/// Minimum-map steps of an end.
const END_STEPS: usize = 4;
/// Minimum-map steps from a warm start, and how many of them may leave the residual as it is.
const WARM_STEPS: usize = 10;
const WARM_PATIENCE: usize = 3;
/// x beyond this multiple of b: it leaves for infinity.
const FAR: f64 = 1e13;
/// Starts in turn, in units of the largest |b̃|: where A is not monotone, another path may
/// lead to an answer.
const STARTS: [f64; 3] = [1.0, 100.0, 0.01];
/// Steps without a better residual, so often in a row, are stuck in a corner: products are made alike again, so often at
/// most. (100 contact LCPs of 180 rows: without it 98 are solved, in 1,285 steps, once 98, in 1,148, four times all, in 804.)
const PATIENCE: usize = 6;
const CENTRINGS: usize = 4;
/// x beyond this multiple of its start is on its way to infinity, which centring would only delay. (Stuck contact LCPs
/// have 4 at most; without the limit infeasible problems take twice the steps, and end `Stalled`.)
const NEAR: f64 = 100.0;
/// Proximal term of steps after the first time. (Of 18 polyhedral LCPs of walls and rocks one, a heap of 90 rocks, ends at 2e-5
/// without it; with 1e-8 to 1e-3 all are solved.)
const PROXIMAL: f64 = 1e-6;
/// Steps shorter than this, so often in a row, are none.
const SHORT: f64 = 1e-6;
const SHORT_STEPS: usize = 8;

/// The method.
#[derive(Default)]
pub struct LcpIpm {
    settings: Settings,
    a: Scaled,
    direct: Direct,
    x: Vec<f64>,
    /// Ãx + b̃.
    y: Vec<f64>,
    z: [Vec<f64>; 2],
    s: [Vec<f64>; 2],
    dz: [Vec<f64>; 2],
    /// Second-order terms.
    delta: [Vec<f64>; 2],
    dx: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    r: Vec<f64>,
    end_x: Vec<f64>,
    end_y: Vec<f64>,
}

impl LcpIpm {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        LcpIpm { settings, ..Self::default() }
    }

    fn has(&self, side: usize, i: usize) -> bool {
        let (lo, hi) = (self.a.lo[i], self.a.hi[i]);
        lo != hi && if side == 0 { lo.is_finite() } else { hi.is_finite() }
    }

    fn bounded(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = 0..self.x.len();
        rows.flat_map(|i| [(0, i), (1, i)]).filter(|&(side, i)| self.has(side, i))
    }

    fn start(&mut self, size: f64) {
        let m = self.x.len();
        for i in 0..m {
            let (lo, hi) = (self.a.lo[i], self.a.hi[i]);
            self.x[i] = match (lo.is_finite(), hi.is_finite()) {
                (true, true) if lo == hi => lo,
                // Within the bounds, nearest to zero.
                (true, true) => {
                    let (a, b) = (lo + size, hi - size);
                    if a < b { 0.0_f64.clamp(a, b) } else { 0.5 * lo + 0.5 * hi }
                }
                (true, false) => (lo + size).max(0.0),
                (false, true) => (hi - size).min(0.0),
                (false, false) => 0.0,
            };
            for side in 0..2 {
                let has = self.has(side, i);
                let s = if side == 0 { self.x[i] - lo } else { hi - self.x[i] };
                let s = if has { s.max(f64::MIN_POSITIVE) } else { 1.0 };
                self.s[side][i] = s;
                // A bound far off has no more weight than the others.
                self.z[side][i] = if has { size.min(size * (size / s)) } else { 0.0 };
            }
        }
    }

    /// Moves x off its bounds, and multipliers off zero, as far as rows are off their laws: by δ, the relative
    /// residual in the units of b̃, so that all products are at least δ².
    fn recentre(&mut self, relative_residual: f64) {
        let delta = relative_residual * self.a.b.iter().fold(0.0_f64, |s, b| s.max(b.abs()));
        for i in 0..self.x.len() {
            let (lo, hi) = (self.a.lo[i], self.a.hi[i]);
            if lo == hi {
                continue;
            }
            let (least, most) = (lo + delta, hi - delta);
            self.x[i] = if least < most { self.x[i].clamp(least, most) } else { 0.5 * (lo + hi) };
            for side in 0..2 {
                if self.has(side, i) {
                    let s = if side == 0 { self.x[i] - lo } else { hi - self.x[i] };
                    self.s[side][i] = s.max(f64::MIN_POSITIVE);
                    self.z[side][i] = self.z[side][i].max(delta * (delta / self.s[side][i]));
                }
            }
        }
    }

    /// Mean product of slack and multiplier.
    fn mu(&self) -> f64 {
        let (sum, count) = self.bounded().fold((0.0, 0_usize), |(sum, count), (side, i)| {
            (sum + self.s[side][i] * self.z[side][i], count + 1)
        });
        if count == 0 { 0.0 } else { sum / count as f64 }
    }

    fn evaluate(&mut self, problem: &Problem) {
        let LcpIpm { a, x, y, .. } = self;
        a.apply(problem, x, y);
        y.iter_mut().zip(&a.b).for_each(|(y, b)| *y += b);
    }

    /// Factors Ã + diag(z⁺/s⁺ + z⁻/s⁻ + proximal); fixed rows stay.
    fn factor(&mut self, proximal: f64, counts: &mut Counts) -> bool {
        for shift in SHIFTS.map(|shift| shift.max(proximal)) {
            for i in 0..self.x.len() {
                let fixed = self.a.lo[i] == self.a.hi[i];
                let theta = self.z[0][i] / self.s[0][i] + self.z[1][i] / self.s[1][i];
                (self.p[i], self.q[i]) = if fixed { (1.0, 0.0) } else { (theta + shift, 1.0) };
            }
            counts.factorizations += 1;
            if self.direct.factor(&self.a, &self.p, &self.q).is_ok() {
                return true;
            }
        }
        false
    }

    /// dx and dz for products that go to `target`, or with second-order terms.
    fn direction(&mut self, problem: &Problem, target: f64) {
        let m = self.x.len();
        for i in 0..m {
            if self.q[i] == 0.0 {
                self.r[i] = 0.0;
                continue;
            }
            self.r[i] = -self.y[i];
            for side in 0..2 {
                if self.z[side][i] > 0.0 {
                    let term = (target - self.delta[side][i]) / self.s[side][i];
                    self.r[i] += if side == 0 { term } else { -term };
                }
            }
        }
        self.dx.copy_from_slice(&self.r);
        self.direct.solve(&mut self.dx);
        // One correction.
        let LcpIpm { a, direct, dx, end_y, r, p, q, .. } = self;
        a.apply(problem, dx, end_y);
        for i in 0..m {
            r[i] -= p[i] * dx[i] + q[i] * end_y[i];
        }
        direct.solve(r);
        dx.iter_mut().zip(&*r).for_each(|(d, r)| *d += r);
        for side in 0..2 {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            for i in 0..m {
                let (s, z) = (self.s[side][i], self.z[side][i]);
                self.dz[side][i] = if z > 0.0 {
                    (target - self.delta[side][i] - z * sign * self.dx[i]) / s - z
                } else {
                    0.0
                };
            }
        }
    }

    /// The longest step that keeps slacks and multipliers positive.
    fn longest(&self) -> f64 {
        let mut most = 1.0 / STEP;
        for (side, i) in self.bounded() {
            let ds = if side == 0 { self.dx[i] } else { -self.dx[i] };
            for (value, change) in [(self.s[side][i], ds), (self.z[side][i], self.dz[side][i])] {
                if change < 0.0 {
                    most = f64::min(most, -value / change);
                }
            }
        }
        most
    }

    /// One predictor and corrector; returns the length of the step.
    fn step(&mut self, problem: &Problem, mu: f64, last: f64) -> f64 {
        self.delta.iter_mut().for_each(|d| d.fill(0.0));
        self.direction(problem, 0.0);
        let affine = self.longest().min(1.0);
        let mut after = 0.0;
        let mut count = 0_usize;
        for (side, i) in self.bounded() {
            let ds = if side == 0 { self.dx[i] } else { -self.dx[i] };
            after +=
                (self.s[side][i] + affine * ds) * (self.z[side][i] + affine * self.dz[side][i]);
            count += 1;
        }
        let share = if count == 0 || mu == 0.0 { 0.0 } else { after / count as f64 / mu };
        // After a short step the centre comes first.
        let least = if last < 0.1 { 0.5 } else { 0.0 };
        let sigma = share.max(0.0).powi(3).clamp(least, 1.0);
        for side in 0..2 {
            for i in 0..self.x.len() {
                let ds = if side == 0 { self.dx[i] } else { -self.dx[i] };
                self.delta[side][i] = if least > 0.0 { 0.0 } else { ds * self.dz[side][i] };
            }
        }
        self.direction(problem, sigma * mu);
        let alpha = (STEP * self.longest()).min(1.0);
        for i in 0..self.x.len() {
            let step = alpha * self.dx[i];
            self.x[i] += step;
            for side in 0..2 {
                if self.z[side][i] > 0.0 {
                    self.s[side][i] += if side == 0 { step } else { -step };
                    self.z[side][i] += alpha * self.dz[side][i];
                }
            }
        }
        alpha
    }

    /// Rows with s < z at their bounds, the others solved for, and again from there.
    /// Returns the least residual met; `end_x` is its point.
    fn end(&mut self, problem: &Problem, enough: f64, counts: &mut Counts) -> f64 {
        self.dx.copy_from_slice(&self.x);
        for i in 0..self.x.len() {
            let (lo, hi) = (self.a.lo[i], self.a.hi[i]);
            let at = |side: usize| self.has(side, i) && self.s[side][i] < self.z[side][i];
            let bound = if lo == hi || at(0) { Some(lo) } else { at(1).then_some(hi) };
            self.put(i, bound, self.x[i], self.y[i]);
        }
        self.min_map(problem, enough, END_STEPS, 0, counts)
    }

    /// The equation of a row in the next minimum-map step, slopes as in min_map_newton.rs.
    fn put(&mut self, i: usize, bound: Option<f64>, x: f64, y: f64) {
        (self.p[i], self.q[i]) = if bound.is_some() { (1.0, 0.0) } else { (SHIFTS[0], 1.0) };
        self.r[i] = bound.map_or(-y, |b| b - x);
    }

    /// The equations of all rows at `dx`, whose y is `end_y`.
    fn put_all(&mut self) {
        for i in 0..self.x.len() {
            let (x, y, lo, hi) = (self.dx[i], self.end_y[i], self.a.lo[i], self.a.hi[i]);
            let at_lo = lo == hi || y >= x - lo;
            let bound = if at_lo { Some(lo) } else { (y <= x - hi).then_some(hi) };
            self.put(i, bound, x, y);
        }
    }

    /// Minimum-map steps from λ, while more are worth it than leave the residual as it is.
    fn end_from(
        &mut self,
        problem: &Problem,
        lambda: &[f64],
        goal: &Goal,
        counts: &mut Counts,
    ) -> f64 {
        self.a.take(lambda, &mut self.dx);
        let LcpIpm { a, dx, end_y, .. } = self;
        a.apply(problem, dx, end_y);
        end_y.iter_mut().zip(&a.b).for_each(|(y, b)| *y += b);
        self.put_all();
        let before = counts.factorizations;
        let most = WARM_STEPS.min(goal.limit);
        let ended = self.min_map(problem, goal.tolerance, most, WARM_PATIENCE, counts);
        counts.iterations += counts.factorizations - before;
        ended
    }

    /// Minimum-map steps from the equations at hand; returns the least residual met, whose point is `end_x`.
    fn min_map(
        &mut self,
        problem: &Problem,
        enough: f64,
        steps: usize,
        mut patience: usize,
        counts: &mut Counts,
    ) -> f64 {
        let m = self.x.len();
        let mut best = f64::INFINITY;
        for _ in 0..steps {
            counts.factorizations += 1;
            if self.direct.factor(&self.a, &self.p, &self.q).is_err() {
                break;
            }
            self.direct.solve(&mut self.r);
            for i in 0..m {
                let to = (self.dx[i] + self.r[i]).clamp(self.a.lo[i], self.a.hi[i]);
                self.dx[i] = if to.is_nan() { self.dx[i] } else { to };
            }
            let LcpIpm { a, dx, end_y, .. } = self;
            a.apply(problem, dx, end_y);
            end_y.iter_mut().zip(&a.b).for_each(|(y, b)| *y += b);
            let residual = a.natural_residual(dx, end_y);
            if residual < best {
                best = residual;
                self.end_x.copy_from_slice(&self.dx);
            } else if patience == 0 || residual.is_nan() {
                break;
            } else {
                patience -= 1;
            }
            if best <= enough {
                break;
            }
            self.put_all();
        }
        best
    }
}

impl Solver for LcpIpm {
    fn name(&self) -> &'static str {
        "lcp_ipm"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        let refuse =
            |reason: &str| Err(Error::Refused { solver: "lcp_ipm", reason: reason.into() });
        if problem.has_cones() {
            return refuse("it has Coulomb cones; state friction as boxes or polyhedra");
        }
        if matches!(problem.operator, Operator::Multibody(_)) {
            return refuse("it needs a matrix given by its entries; ipm is for multibody systems");
        }
        Ok(())
    }

    fn prepare(&mut self, problem: &Problem) {
        let m = problem.rows();
        self.a.load(problem);
        self.direct.prepare(&self.a);
        let LcpIpm { x, y, z, s, dz, delta, dx, p, q, r, end_x, end_y, .. } = self;
        for v in [x, y, dx, p, q, r, end_x, end_y] {
            v.resize(m, 0.0);
        }
        for v in [z, s, dz, delta].into_iter().flatten() {
            v.resize(m, 0.0);
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let tolerance = stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let mut counts = Counts::default();
        let size = self.a.b.iter().fold(0.0_f64, |s, b| s.max(b.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let mut best = f64::INFINITY;
        let mut status = Status::Stalled;
        if iterate.lambda.iter().any(|l| *l != 0.0) {
            let goal = Goal { tolerance, limit, size };
            best = self.end_from(problem, &iterate.lambda, &goal, &mut counts);
            if best < f64::INFINITY {
                self.a.unload(problem, &self.end_x, &mut iterate.lambda);
            }
            probe.iteration(counts.iterations, best);
            if best <= tolerance {
                return Outcome::new(Status::Converged, counts);
            }
        }
        for start in STARTS {
            if counts.iterations >= limit {
                return Outcome::new(Status::IterationLimit, counts);
            }
            self.start(start * size);
            let goal = Goal { tolerance, limit, size: start * size };
            status = self.attempt(problem, &goal, &mut best, &mut counts, iterate, probe);
            if status == Status::Converged {
                break;
            }
        }
        Outcome::new(status, counts)
    }
}

/// When an attempt ends.
struct Goal {
    tolerance: f64,
    limit: usize,
    /// Size of x at the start.
    size: f64,
}

impl LcpIpm {
    /// From one start to its end; λ holds the best point of all attempts.
    fn attempt(
        &mut self,
        problem: &Problem,
        goal: &Goal,
        best: &mut f64,
        counts: &mut Counts,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Status {
        let Goal { tolerance, limit, size } = *goal;
        self.evaluate(problem);
        let first = self.mu().max(f64::MIN_POSITIVE);
        let (mut last, mut short) = (1.0, 0);
        let (mut better, mut stale, mut centred) = (f64::INFINITY, 0, 0);
        loop {
            let mut mu = self.mu();
            let residual = self.a.natural_residual(&self.x, &self.y);
            stale = if residual <= better { 0 } else { stale + 1 };
            better = better.min(BETTER * residual);
            let longest = self.x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            if stale > PATIENCE && centred < CENTRINGS && longest <= NEAR * size {
                self.recentre((residual / problem.scale()).min(1.0));
                self.evaluate(problem);
                (stale, short, last, mu) = (0, 0, 1.0, self.mu());
                centred += 1;
            }
            if counts.iterations > 0 {
                probe.iteration(counts.iterations, residual);
            }
            keep_better(&self.a, problem, residual, &self.x, best, iterate);
            if *best > tolerance && (mu <= END * first || counts.iterations >= limit) {
                let ended = self.end(problem, tolerance, counts);
                keep_better(&self.a, problem, ended, &self.end_x, best, iterate);
            }
            if *best <= tolerance {
                return Status::Converged;
            }
            if !(residual.is_finite() && mu.is_finite()) {
                return Status::NonFinite;
            }
            if longest > FAR * size {
                return Status::Diverged;
            }
            if counts.iterations >= limit {
                return Status::IterationLimit;
            }
            if short >= SHORT_STEPS || mu < 1e-30 * first {
                return Status::Stalled;
            }
            counts.iterations += 1;
            let proximal = if centred > 0 { PROXIMAL } else { 0.0 };
            if !self.factor(proximal, counts) {
                return Status::Singular;
            }
            last = self.step(problem, mu, last);
            short = if last < SHORT { short + 1 } else { 0 };
            self.evaluate(problem);
        }
    }
}

/// λ holds the best point of all.
fn keep_better(
    a: &Scaled,
    problem: &Problem,
    residual: f64,
    x: &[f64],
    best: &mut f64,
    iterate: &mut Iterate,
) {
    if residual < *best {
        *best = residual;
        a.unload(problem, x, &mut iterate.lambda);
    }
}
