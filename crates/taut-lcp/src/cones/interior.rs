//! The interior iterations of [`super::cone_ipm`], on the scaled problem.

use super::lorentz::{Scaling, Vector, divide, dot, identity, jordan, longest, tangent, zero};
use super::model::{Block, JOINT, Kind};
use super::system::System;
use crate::{Probe, Problem};

/// Added to Ã on rows of cones, relative to 1 (Ã is scaled): keeps the Newton matrix regular.
const CONE: f64 = 1e-12;
/// Steps shorter than this show that the central path bends: then that term grows, to
/// between these. (On FCLIB's files 343 factorizations in place of 411, and two of 36
/// walls more are solved.)
const HELD: f64 = 0.3;
/// The least and the largest proximal term of such steps.
const PROXIMAL: (f64, f64) = (1e-6, 1e-2);
/// Predictors shorter than this say little: no second-order term then.
const SHORT: f64 = 0.1;
/// How much of its distance to the cone y may lose when curvature is absorbed.
const INWARD: f64 = 0.3;
/// A residual from which Newton steps lead to the answer. From larger ones (`wall` in collapse) none does.
pub(super) const NEAR_ENOUGH: f64 = 1e-3;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Relative residual to reach.
    pub tolerance: f64,
    /// Share of the step to the boundary.
    pub to_boundary: f64,
    /// Smoothing of |y_t|, relative to β.
    pub smoothing: f64,
    pub max_iterations: usize,
    /// Iterations without a new best.
    pub patience: usize,
}

/// The first attempt. (A smoothing of 0.03 costs a tenth more iterations on
/// FCLIB's files.)
pub(super) const BRISK: Pace =
    Pace { tolerance: 1e-6, to_boundary: 0.995, smoothing: 0.003, max_iterations: 60, patience: 8 };
/// The second: nearer to the central path.
pub(super) const CAREFUL: Pace =
    Pace { to_boundary: 0.9, max_iterations: 100, patience: 20, ..BRISK };

/// N: rows of the largest cone.
#[derive(Default)]
pub(super) struct Interior<const N: usize> {
    /// Impulses; of cones the dual point, of boxes the multipliers of the lower
    /// and of the upper bound, and the distances from them.
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    s: Vec<f64>,
    t: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    dx: Vec<f64>,
    dy: Vec<f64>,
    dz: Vec<f64>,
    /// Per block: N; N⁻¹c, or c/s and c/t of a box; |y_t| smoothed, and its slope (0, d).
    scaling: Vec<Scaling<N>>,
    aim: Vec<Vector<N>>,
    height: Vec<f64>,
    slope: Vec<Vector<N>>,
    /// Proximal term of cones.
    proximal: f64,
    /// The best point, and its residual.
    pub best: Vec<f64>,
    pub residual: f64,
}

impl<const N: usize> Interior<N> {
    /// Goes on from where it is; `best` and `residual` hold the result.
    pub fn run(
        &mut self,
        system: &mut System<N>,
        problem: &Problem,
        pace: &Pace,
        probe: &mut dyn Probe,
    ) {
        let mut since = 0;
        for _ in 0..pace.max_iterations {
            let beta = self.gap(&system.model.blocks);
            system.velocities(&self.x, &mut self.w);
            let verdict = system.model.judge(problem, &self.x, &self.w);
            system.counts.iterations += 1;
            probe.iteration(system.counts.iterations, verdict.natural_residual);
            since += 1;
            if verdict.relative_residual < self.residual {
                self.residual = verdict.relative_residual;
                self.best.copy_from_slice(&self.x);
                since = 0;
            }
            if self.residual <= pace.tolerance || since > pace.patience || !beta.is_finite() {
                return;
            }
            self.smooth(&system.model.blocks, pace.smoothing * beta);
            self.linearize(system);
            if system.factor().is_err() {
                return;
            }
            self.step(system, pace, beta);
        }
    }

    /// Begins in the middle of the cones.
    pub fn start(&mut self, system: &System<N>) {
        let blocks = &system.model.blocks;
        let m = system.model.b.len();
        for v in [
            &mut self.x,
            &mut self.y,
            &mut self.z,
            &mut self.s,
            &mut self.t,
            &mut self.w,
            &mut self.f,
            &mut self.dx,
            &mut self.dy,
            &mut self.dz,
            &mut self.best,
        ] {
            v.clear();
            v.resize(m, 0.0);
        }
        self.scaling.resize(blocks.len(), Scaling::default());
        self.aim.resize(blocks.len(), [0.0; N]);
        self.height.resize(blocks.len(), 0.0);
        self.slope.resize(blocks.len(), [0.0; N]);
        self.residual = f64::INFINITY;
        self.proximal = CONE;
        for block in blocks {
            let i = block.row;
            match block.kind {
                Kind::Cone { .. } => (self.x[i], self.y[i]) = (1.0, 1.0),
                Kind::Free => {}
                Kind::Fixed { at } => self.x[i] = at,
                Kind::Box { lo, hi } => {
                    let inside = (0.5 * (hi - lo)).min(1.0);
                    self.x[i] = 0.0_f64.clamp(lo + inside, (hi - inside).max(lo + inside));
                    (self.s[i], self.t[i]) = (self.x[i] - lo, hi - self.x[i]);
                    (self.y[i], self.z[i]) = (1.0 / self.s[i], 1.0 / self.t[i]);
                }
            }
        }
    }

    /// β: mean of the complementarity products.
    fn gap(&self, blocks: &[Block]) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for block in blocks {
            let i = block.row;
            match block.kind {
                Kind::Cone { .. } => {
                    sum += dot::<N>(&block.of(&self.x), &block.of(&self.y));
                    count += 1.0;
                }
                Kind::Box { .. } => {
                    for (s, y) in [(self.s[i], self.y[i]), (self.t[i], self.z[i])] {
                        if s < f64::INFINITY {
                            sum += s * y;
                            count += 1.0;
                        }
                    }
                }
                Kind::Free | Kind::Fixed { .. } => {}
            }
        }
        sum / f64::max(count, 1.0)
    }

    /// h = √(|y_t|² + ε²) − ε of every cone that has De Saxcé's term.
    fn smooth(&mut self, blocks: &[Block], epsilon: f64) {
        for (k, block) in blocks.iter().enumerate() {
            (self.height[k], self.slope[k]) = (0.0, [0.0; N]);
            if block.kind == (Kind::Cone { associated: false }) {
                let mut y: Vector<N> = block.of(&self.y);
                y[0] = 0.0;
                let root = (dot(&y, &y) + epsilon * epsilon).sqrt();
                if root > 0.0 {
                    self.height[k] = root - epsilon;
                    self.slope[k] = y.map(|y| y / root);
                }
            }
        }
    }

    /// Writes the blocks of the Newton matrix.
    fn linearize(&mut self, system: &mut System<N>) {
        let System { model, q, p, .. } = system;
        for (k, block) in model.blocks.iter().enumerate() {
            let i = block.row;
            (p[k], q[k]) = (identity(), zero());
            match block.kind {
                Kind::Cone { .. } => {
                    self.scaling[k] = Scaling::new(&block.of(&self.x), &block.of(&self.y));
                    let mut a = self.scaling[k].inverse_square();
                    let d = self.slope[k];
                    for j in 0..N {
                        let mut fall = d[1] * a[1][j];
                        (2..N).for_each(|r| fall += d[r] * a[r][j]);
                        a[0][j] -= fall;
                        a[j][j] += self.proximal;
                    }
                    q[k] = a;
                }
                Kind::Free => q[k][0][0] = JOINT,
                Kind::Fixed { .. } => (q[k][0][0], p[k]) = (1.0, zero()),
                Kind::Box { .. } => {
                    q[k][0][0] = self.y[i] / self.s[i] + self.z[i] / self.t[i];
                }
            }
        }
    }

    /// Solves for the direction that `aim` asks for.
    fn direct(&mut self, system: &mut System<N>, refined: bool) {
        for (k, block) in system.model.blocks.iter().enumerate() {
            let (i, u) = (block.row, self.aim[k]);
            match block.kind {
                Kind::Cone { .. } => {
                    let (d, mut e) = (self.slope[k], u);
                    (1..N).for_each(|r| e[0] -= d[r] * u[r]);
                    for r in 0..block.size() {
                        self.f[i + r] = e[r] - (self.w[i + r] - self.y[i + r]);
                    }
                    self.f[i] -= self.height[k];
                }
                Kind::Free => self.f[i] = -self.w[i],
                Kind::Fixed { .. } => self.f[i] = 0.0,
                Kind::Box { .. } => {
                    self.f[i] = u[0] - u[1] - (self.w[i] - self.y[i] + self.z[i]);
                }
            }
        }
        if refined {
            system.solve(&self.f, &mut self.dx);
        } else {
            system.solve_roughly(&self.f, &mut self.dx);
        }
        for (k, block) in system.model.blocks.iter().enumerate() {
            let (i, u) = (block.row, self.aim[k]);
            if block.is_cone() {
                let n = &self.scaling[k];
                let turned = n.invert(&n.invert(&block.of(&self.dx)));
                block.put::<N>(&mut self.dy, &std::array::from_fn(|r| u[r] - turned[r]));
            } else {
                let dx = self.dx[i];
                self.dy[i] = u[0] - self.y[i] / self.s[i].max(f64::MIN_POSITIVE) * dx;
                self.dz[i] = u[1] + self.z[i] / self.t[i].max(f64::MIN_POSITIVE) * dx;
            }
        }
    }

    /// The longest step that stays inside.
    fn longest(&self, blocks: &[Block]) -> f64 {
        let mut a = f64::INFINITY;
        let to_zero = |v: f64, d: f64| if d < 0.0 { -v / d } else { f64::INFINITY };
        for block in blocks {
            let i = block.row;
            match block.kind {
                Kind::Cone { .. } => {
                    a = a.min(longest::<N>(&block.of(&self.x), &block.of(&self.dx)));
                    a = a.min(longest::<N>(&block.of(&self.y), &block.of(&self.dy)));
                }
                Kind::Box { .. } => {
                    let dx = self.dx[i];
                    a = a.min(to_zero(self.s[i], dx)).min(to_zero(self.t[i], -dx));
                    a = a.min(to_zero(self.y[i], self.dy[i]));
                    a = a.min(to_zero(self.z[i], self.dz[i]));
                }
                Kind::Free | Kind::Fixed { .. } => {}
            }
        }
        a
    }

    /// Predictor and corrector, then goes.
    fn step(&mut self, system: &mut System<N>, pace: &Pace, beta: f64) {
        for (k, block) in system.model.blocks.iter().enumerate() {
            self.aim[k] = block.of::<N>(&self.y).map(|y| -y);
            if !block.is_cone() {
                self.aim[k][1] = -self.z[block.row];
            }
        }
        self.direct(system, false);
        let a = self.longest(&system.model.blocks).min(1.0);
        let ratio = (self.gap_after(&system.model.blocks, a) / beta).max(0.0);
        let centring = if a > SHORT { ratio.powi(3) } else { ratio.powi(2).max(0.3) };
        let centring = centring.clamp(1e-6, 1.0);
        self.aim_inside(&system.model.blocks, centring * beta, a > SHORT);
        self.direct(system, true);
        let a = (pace.to_boundary * self.longest(&system.model.blocks)).min(1.0);
        self.proximal = if a < HELD {
            (self.proximal * 100.0).clamp(PROXIMAL.0, PROXIMAL.1)
        } else {
            (self.proximal * 0.1).max(CONE)
        };
        self.go(&system.model.blocks, a, pace.smoothing);
    }

    /// β after a step.
    fn gap_after(&self, blocks: &[Block], a: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for block in blocks {
            let i = block.row;
            match block.kind {
                Kind::Cone { .. } => {
                    for r in i..i + block.size() {
                        sum += (self.x[r] + a * self.dx[r]) * (self.y[r] + a * self.dy[r]);
                    }
                    count += 1.0;
                }
                Kind::Box { .. } => {
                    let dx = a * self.dx[i];
                    if self.s[i] < f64::INFINITY {
                        sum += (self.s[i] + dx) * (self.y[i] + a * self.dy[i]);
                        count += 1.0;
                    }
                    if self.t[i] < f64::INFINITY {
                        sum += (self.t[i] - dx) * (self.z[i] + a * self.dz[i]);
                        count += 1.0;
                    }
                }
                Kind::Free | Kind::Fixed { .. } => {}
            }
        }
        sum / f64::max(count, 1.0)
    }

    /// Aims at x ∘ y = `target` e, with the second-order terms of the predictor.
    fn aim_inside(&mut self, blocks: &[Block], target: f64, second: bool) {
        for (k, block) in blocks.iter().enumerate() {
            let i = block.row;
            if block.is_cone() {
                let n = &self.scaling[k];
                let l = n.apply(&block.of(&self.y));
                let mut c = jordan(&l, &l).map(|v| -v);
                c[0] += target;
                if second {
                    let (dx, dy) = (block.of(&self.dx), block.of(&self.dy));
                    let term = jordan(&n.invert(&dx), &n.apply(&dy));
                    (0..N).for_each(|r| c[r] -= term[r]);
                }
                self.aim[k] = n.invert(&divide(&l, &c));
            } else if let Kind::Box { .. } = block.kind {
                let (dx, s, t) = (self.dx[i], self.s[i], self.t[i]);
                let (ds, dt) =
                    if second { (dx * self.dy[i], -dx * self.dz[i]) } else { (0.0, 0.0) };
                self.aim[k][0] = (target - ds) / s - self.y[i];
                self.aim[k][1] = (target - dt) / t - self.z[i];
            }
        }
    }

    /// Goes so far. |y_t| is convex: what it rises above its tangent moves y
    /// further inside, and its equation is then met as if it were linear.
    fn go(&mut self, blocks: &[Block], a: f64, smoothing: f64) {
        for (k, block) in blocks.iter().enumerate() {
            let i = block.row;
            let (dx, dy): (Vector<N>, Vector<N>) = (block.of(&self.dx), block.of(&self.dy));
            self.height[k] += a * dot(&self.slope[k], &dy);
            for r in 0..block.size() {
                self.x[i + r] += a * dx[r];
                self.y[i + r] += a * dy[r];
            }
            if let Kind::Box { .. } = block.kind {
                self.s[i] += a * dx[0];
                self.t[i] -= a * dx[0];
                self.z[i] += a * self.dz[i];
            }
        }
        let epsilon = smoothing * self.gap(blocks);
        for (k, block) in blocks.iter().enumerate() {
            if block.kind == (Kind::Cone { associated: false }) {
                let y: Vector<N> = block.of(&self.y);
                let t = tangent(&y);
                let rise = (t * t + epsilon * epsilon).sqrt() - epsilon - self.height[k];
                self.y[block.row] += rise.max(-INWARD * (y[0] - t));
            }
        }
    }
}
