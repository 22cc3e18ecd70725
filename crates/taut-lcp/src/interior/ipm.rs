//! Mehrotra's interior-point method with crossover to an exact index set.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite, read as the
//! convex program min ½λᵀAλ + bᵀλ, lo ≤ λ ≤ hi.
//! **Update**: with s = λ − lo, t = hi − λ and multipliers y, z > 0 of the two
//! bounds, a Newton step on Aλ + b = y − z, s·y = t·z = σμ, which is
//! (A + Θ) dλ = −(Aλ + b) + (σμ − Δ)/s − (σμ − Δ')/t, Θ = y/s + z/t; Δ, Δ' are
//! the second-order terms of the predictor. Then the index set is read off and
//! pivoting makes it exact.
//! **Cost** per iteration: one factorization and two solves. The pattern is that of
//! the whole problem, so one analysis serves all iterations. No solve is refined: w
//! follows from the equation that a step solves, and the primal form corrects in
//! each direction what the steps before left.
//! **Convergence**: 10 to 25 iterations, whatever the problem (measured; Mehrotra's choice
//! of σ has no proof). The set that follows is exact.
//! **Fails**: rounding stops it near 1e-9 of the scale; crossover does the rest. A
//! warm start saves one iteration in five at best: how redundant contacts share
//! their load shows late, wherever it starts.
//! **Reference**: Mehrotra 1992; Nocedal and Wright, ch. 16.6.

use super::side::Side;
use crate::pivoting::Components;
use crate::pivoting::bpp;
use crate::pivoting::face::Face;
use crate::pivoting::ladder::Rung;
use crate::pivoting::proximal::Round;
use crate::report::Backend;
use crate::residual::row_residual;
use crate::{Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Stop};

/// Limit on interior iterations: Mehrotra's method needs 10 to 25, and after more
/// than twice as many rounding is all that is left.
const MAX_ITERATIONS: usize = 60;
/// An index set has settled when an iteration changes no more than one row in so
/// many. Between 20 and 100 `redundant` of the golden counts changes by 2 %.
const FEW_CHANGES: usize = 50;
/// The residual must have fallen to this part of the first, where a shift chooses
/// among many answers. Ten times more or less changes the golden counts by 2 to 5 %,
/// either way.
const SETTLED: f64 = 1e-2;
/// And to this part, divided by the number of rows, where a small compliance decides
/// how redundant contacts share their load: that shows late, and the later the more
/// rows there are (docs/SOLVERS.md). On `wanderers` of the golden counts, which are
/// small, 1e-2 would save a tenth of the iterations.
const SETTLED_LATE: f64 = 1e-4;
/// Fewer rows than this count as so many.
const LEAST_ROWS: usize = 1000;
/// Distance of the first point from its bounds, as a part of its distance from the
/// answer. With 0.1 or 1 the golden counts of `ipm` grow by 2 to 6 %.
const START: f64 = 0.3;
/// The least distance, as a part of the size of b: at zero there is no inside.
const LEAST_START: f64 = 1e-4;
/// Part of the way to the nearest bound that a step goes (Mehrotra 1992). With 0.99
/// the golden counts of `ipm` grow by 3 %.
const TO_BOUNDARY: f64 = 0.995;
/// Shorter steps get nowhere.
const LEAST_STEP: f64 = 1e-10;
/// λ longer than this many times its natural length has run away.
const RUN_AWAY: f64 = 1e6;

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
        Ipm { parts: Components::new(&pivoting, Rung::Interior), settings }
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
    length > RUN_AWAY * natural
}

/// The interior iterations on the proximal problem of a [`Face`].
#[derive(Default)]
pub(crate) struct Interior {
    inside: Vec<RowState>,
    /// The two bounds.
    lower: Side,
    upper: Side,
    /// Number of bounds that are there.
    bounds: f64,
    theta: Vec<f64>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    /// Whether w is that of λ to rounding, not what steps have added up.
    is_exact: bool,
    iterations: usize,
    /// Index set that the last point pointed to.
    pointed_to: Vec<RowState>,
    first_residual: f64,
    /// Iteration before which the set is not tried again, and the wait after
    /// the next try.
    next_try: usize,
    wait: usize,
    pub attempt: Attempt,
}

/// How much haste is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Start as near to the answer as λ seems to be, and stop where the index set
    /// has settled.
    #[default]
    First,
    /// Start as if λ were as far from the answer as b is large, and go to the end.
    Second,
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
    pub fn run(&mut self, round: &mut Round<'_>) -> Progress {
        let Round { face, problem, iterate, probe } = round;
        face.reset_shift();
        let lambda = &mut iterate.lambda;
        self.measure_anew(face, problem, lambda);
        let progress = loop {
            if self.iterations == MAX_ITERATIONS || face.out_of_iterations() {
                break Progress::Ended;
            }
            // The proximal shift regularizes the steps alone: with the centre
            // at λ the gradient is that of the problem as posed.
            face.proximal.center.copy_from_slice(lambda);
            let (mu, residual) = self.measure(face, lambda);
            if residual <= face.limits.tolerance && !self.is_exact {
                self.measure_anew(face, problem, lambda);
                continue;
            }
            self.iterations += 1;
            face.counts.iterations += 1;
            probe.iteration(face.counts.iterations, residual);
            if residual <= face.limits.tolerance {
                break Progress::Ended;
            }
            if self.note_point(face, lambda, residual) {
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
        face.proximal.center.copy_from_slice(lambda);
        face.reset_shift();
        // A larger shift keeps the answer nearer to this point, where the
        // index set is right.
        if face.is_shifted() {
            face.raise_shift();
        }
        progress
    }

    /// w of λ, by a product.
    fn measure_anew(&mut self, face: &mut Face, problem: &Problem, lambda: &[f64]) {
        face.update_w(problem, lambda);
        face.free_solve.begin_path(problem, lambda);
        self.is_exact = true;
    }

    /// Notes the index set that this point leads to; whether it is worth trying now. Each time that it is, the next try waits twice as long.
    fn note_point(&mut self, face: &Face, lambda: &[f64], residual: f64) -> bool {
        let mut changed = 0;
        for i in 0..lambda.len() {
            let state = self.state(face, i);
            changed += usize::from(std::mem::replace(&mut self.pointed_to[i], state) != state);
        }
        let few = changed * FEW_CHANGES <= lambda.len();
        let late = SETTLED_LATE / lambda.len().max(LEAST_ROWS) as f64;
        let part = if face.is_shifted() { SETTLED } else { late };
        let small = residual <= part * self.first_residual;
        if self.iterations == 1 {
            self.first_residual = residual;
        }
        let is_first = self.attempt == Attempt::First;
        let due = is_first && few && small && self.iterations >= self.next_try;
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
        self.lower.prepare(m);
        self.upper.prepare(m);
        for v in [&mut self.theta, &mut self.rhs, &mut self.step] {
            v.resize(m, 0.0);
        }
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
            let multiplier = |w: f64, bound: f64| {
                if bound.is_finite() && !fixed { w.max(distance * root) } else { 0.0 }
            };
            self.lower.push(lambda[i] - lo, multiplier(face.w[i], lo));
            self.upper.push(hi - lambda[i], multiplier(-face.w[i], hi));
        }
        self.bounds = (self.lower.count() + self.upper.count()).max(1) as f64;
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
        match self.attempt {
            Attempt::First => (START * residual).clamp(LEAST_START * size, size),
            Attempt::Second => size,
        }
    }

    /// Mean complementarity \[J\], and the natural residual of λ \[m/s\].
    fn measure(&self, face: &Face, lambda: &[f64]) -> (f64, f64) {
        let mut residual = 0.0_f64;
        for i in 0..lambda.len() {
            let (lo, hi) = (face.lo[i], face.hi[i]);
            let r = row_residual(lambda[i], face.w[i], lo, hi, face.diagonal[i]);
            residual = residual.max(r);
        }
        ((self.lower.complementarity() + self.upper.complementarity()) / self.bounds, residual)
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
        self.lower.invert();
        self.upper.invert();
        self.factor(face, problem)?;
        self.direction(face, problem, 0.0, Some(lambda))?;
        let alpha = self.longest_step(0.0);
        let (lower, upper) = (&mut self.lower, &mut self.upper);
        let after = lower.predict(&self.step, alpha, 1.0) + upper.predict(&self.step, alpha, -1.0);
        let target = mu * (after / (self.bounds * mu)).powi(3).clamp(0.0, 1.0);
        self.direction(face, problem, target, None)?;
        let alpha = (TO_BOUNDARY * self.longest_step(target)).min(1.0);
        self.lower.go(&self.step, target, alpha, 1.0);
        self.upper.go(&self.step, target, alpha, -1.0);
        face.free_solve.go(alpha);
        for i in 0..lambda.len() {
            lambda[i] += alpha * self.step[i];
            // A dλ, from the equation that the step solves.
            face.w[i] += alpha * (self.rhs[i] - self.theta[i] * self.step[i]);
        }
        self.is_exact = false;
        (alpha > LEAST_STEP).then_some(())
    }

    /// Factors A + Θ + ρ·diag A, with a larger shift if need be.
    fn factor(&mut self, face: &mut Face, problem: &Problem) -> Option<()> {
        loop {
            self.theta.copy_from_slice(&face.proximal.shift);
            self.lower.add_theta(&mut self.theta);
            self.upper.add_theta(&mut self.theta);
            face.counts.factorizations += 1;
            match face.free_solve.factor(problem, &self.inside, &self.theta) {
                Ok(()) => return Some(()),
                Err(_) if face.raise_shift() => {}
                Err(_) => return None,
            }
        }
    }

    /// Solves for `step` with target complementarity `target`; `lambda` is given
    /// if it has moved.
    fn direction(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        target: f64,
        lambda: Option<&[f64]>,
    ) -> Option<()> {
        self.rhs.iter_mut().zip(&face.w).for_each(|(r, w)| *r = -w);
        self.lower.add_rhs(target, 1.0, &mut self.rhs);
        self.upper.add_rhs(target, -1.0, &mut self.rhs);
        face.free_solve.direction(problem, &self.rhs, lambda, &mut self.step);
        self.step.iter().all(|s| s.is_finite()).then_some(())
    }

    /// Largest step that keeps slacks and multipliers non-negative. One length
    /// for both: A couples them, so separate ones would undo the Newton step.
    fn longest_step(&self, target: f64) -> f64 {
        let lower = self.lower.fastest(&self.step, target, 1.0);
        1.0 / self.upper.fastest(&self.step, target, -1.0).max(lower).max(TO_BOUNDARY)
    }

    /// Tight where the multiplier outweighs the slack, in velocity units.
    fn state(&self, face: &Face, i: usize) -> RowState {
        let a = face.diagonal[i];
        let outweighs = |side: &Side| side.y[i] > a * side.s[i];
        let (lower, upper) = (outweighs(&self.lower), outweighs(&self.upper));
        // Of two, the one that does by more.
        let (y, z) = (self.lower.y[i] * self.upper.s[i], self.upper.y[i] * self.lower.s[i]);
        if face.is_fixed(i) || (lower && (!upper || y >= z)) {
            RowState::Lower
        } else if upper {
            RowState::Upper
        } else {
            RowState::Free
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{MultibodyOptions, multibody};

    /// Without pivoting, from zero: the residual falls to the tolerance, the index
    /// set is the right one, and all slacks and multipliers stay positive.
    #[test]
    fn the_path_leads_to_the_index_set() {
        let options = MultibodyOptions { links: 5, pile: 15, mass_ratio: 1e2, compliance: 1e-6 };
        for backend in [Backend::Dual, Backend::Primal] {
            let problem = multibody(&options, 2).expect("valid");
            let m = problem.rows();
            let mut face = Face::new(Some(backend), None);
            let mut interior = Interior { attempt: Attempt::Second, ..Default::default() };
            let mut iterate = Iterate::from_lambda(vec![0.0; m]);
            face.prepare(&problem);
            face.start(&problem, &Stop::default(), 2000, &iterate);
            interior.prepare(m);
            interior.start(&mut face, &problem, &mut iterate.lambda);
            let (face, iterate, probe) = (&mut face, &mut iterate, &mut ());
            let mut round = Round { face, problem: &problem, iterate, probe };
            assert_eq!(interior.run(&mut round), Progress::Ended);
            assert!((5..40).contains(&interior.iterations), "{}", interior.iterations);
            for side in [&interior.lower, &interior.upper] {
                assert!(side.s.iter().all(|s| *s > 0.0) && side.y.iter().all(|y| *y >= 0.0));
            }
            let Round { face, iterate, .. } = round;
            face.solve(&problem, &mut iterate.lambda).expect("definite");
            let wrong = (0..m).filter(|&i| face.violation(i, iterate.lambda[i]).is_some());
            assert_eq!(wrong.count(), 0, "{backend:?}");
        }
    }
}
