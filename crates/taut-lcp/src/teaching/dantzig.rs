//! Incremental pivoting in the style of Dantzig and Baraff, extended to boxes.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: rows that obey their law are kept so; the others are taken one
//! after the other, the worst first. Row j is driven: λⱼ changes by ±1, the
//! free rows by Δλ_F = ∓A_FF⁻¹ A_Fj, so that w_F stays zero, until wⱼ vanishes
//! or λⱼ meets its bound. A row on the way that meets a bound, or whose w
//! vanishes, changes its state, and the drive goes on. Singular A goes through
//! proximal iterations.
//! **Cost** per pivot: two solves with a dense factor that grows and shrinks by
//! a row (n² multiplications, n free rows), two products with A. At least one
//! pivot for every row that does not obey its law at the start.
//! **Convergence**: finite where no row is degenerate: every drive ends with one more row that obeys
//! its law, and those that did still do.
//! **Fails**: the memory of the dense factor, n² numbers. Degenerate rows may
//! cost pivots of length zero; there is no rule against cycling among them but
//! the limit on pivots.
//! **Reference**: Cottle and Dantzig 1968; Baraff 1994; Erleben13 5.1.1,
//! Andrews22 alg. 3. The change of wⱼ is Aⱼⱼ − A_jF A_FF⁻¹ A_Fj (Erleben13 has
//! the sign wrong), it bounds the step where it is positive, and λⱼ grows by α
//! in every step (Andrews22 line 13 overwrites it). Deviations: upper bounds;
//! rows that obey their law at the start are watched from the start, so a warm
//! start is possible. No adaptive regularization: it would break w_F = 0 in the
//! middle of a drive.

use crate::linalg::growing::Growing;
use crate::pivoting::face::Face;
use crate::pivoting::proximal::{self, Inner, Round};
use crate::report::Backend;
use crate::rounding::ELIMINATION;
use crate::{Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Status, Stop};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Times that all rows are looked at again after the last drive.
const ROUNDS: usize = 10;

/// Settings of incremental pivoting.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on pivots. Default 100,000.
    pub max_iterations: usize,
    /// Form of the linear algebra of the last solve; `None`: by predicted cost.
    pub backend: Option<Backend>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 100_000, backend: None }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct Dantzig {
    settings: Settings,
    face: Face,
    drive: Drive,
}

impl Dantzig {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        let face = Face::new(settings.backend, None);
        Dantzig { face, settings, drive: Drive::default() }
    }
}

impl Solver for Dantzig {
    fn name(&self) -> &'static str {
        "dantzig"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        crate::pivoting::accepts_symmetric_boxed("dantzig", problem, self.settings.backend)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.face.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let Dantzig { settings, face, drive } = self;
        face.start(problem, stop, settings.max_iterations, iterate);
        proximal::run(Round { face, problem, iterate, probe }, stop, &mut |round| {
            let Round { face, iterate, .. } = round;
            let mut end = drive.all(face, problem, &mut iterate.lambda);
            // What rounding makes of a nearly singular face, a larger shift mends.
            while end == Inner::Failed(Status::Singular) && face.is_shifted() && face.raise_shift()
            {
                end = drive.all(face, problem, &mut iterate.lambda);
            }
            end
        })
    }
}

/// What ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// This row changes to that state.
    Pivot(usize, RowState),
    /// The driven row is done.
    Done(RowState),
}

#[derive(Default)]
struct Drive {
    factor: Growing,
    /// Free rows, in the order of the factor.
    free: Vec<usize>,
    /// Rows that do not obey their law yet.
    pending: Vec<bool>,
    /// Direction of λ, and A times it.
    d: Vec<f64>,
    ad: Vec<f64>,
    column: Vec<f64>,
    unit: Vec<f64>,
    /// What a product with A needs.
    product: Vec<f64>,
    x: Vec<f64>,
}

impl Drive {
    /// Drives rows until all obey their law.
    fn all(&mut self, face: &mut Face, problem: &Problem, lambda: &mut [f64]) -> Inner {
        let m = lambda.len();
        for v in [&mut self.d, &mut self.ad, &mut self.column, &mut self.unit] {
            v.clear();
            v.resize(m, 0.0);
        }
        for _ in 0..ROUNDS {
            if face.out_of_iterations() {
                return Inner::Failed(Status::IterationLimit);
            }
            // The index set may be right already, or be so after the drives.
            if face.solve(problem, lambda).is_err() {
                return Inner::Failed(Status::Singular);
            }
            if (0..m).all(|i| face.violation(i, lambda[i]).is_none()) {
                return Inner::Solved;
            }
            (0..m).for_each(|i| lambda[i] = lambda[i].clamp(face.lo[i], face.hi[i]));
            if !self.classify(face, problem, lambda) {
                return Inner::Failed(Status::Singular);
            }
            while let Some(j) = self.worst(face, lambda) {
                if let Err(status) = self.row(face, problem, lambda, j) {
                    return Inner::Failed(status);
                }
            }
        }
        Inner::Failed(Status::Stalled)
    }

    /// States of the rows that obey their law at λ; the others are pending.
    /// Factors A_FF anew; `false` if that fails.
    fn classify(&mut self, face: &mut Face, problem: &Problem, lambda: &[f64]) -> bool {
        face.update_w(problem, lambda);
        self.factor.clear();
        self.free.clear();
        self.pending.clear();
        self.pending.resize(lambda.len(), false);
        for i in 0..lambda.len() {
            let (g, doubt) = (face.gradient(i, lambda[i]), face.doubt(i));
            face.set[i] = if face.is_fixed(i) || (lambda[i] <= face.lo[i] && g >= -doubt) {
                RowState::Lower
            } else if lambda[i] >= face.hi[i] && g <= doubt {
                RowState::Upper
            } else {
                RowState::Free
            };
            if face.set[i] == RowState::Free {
                self.pending[i] = g.abs() > doubt;
                if !self.pending[i] && !self.enter(face, problem, i) {
                    return false;
                }
            }
        }
        true
    }

    /// The pending row with the largest violation.
    fn worst(&self, face: &Face, lambda: &[f64]) -> Option<usize> {
        let size = |i: usize| face.gradient(i, lambda[i]).abs() / face.diagonal[i].sqrt();
        (0..lambda.len())
            .filter(|&i| self.pending[i])
            .reduce(|best, i| if size(i) > size(best) { i } else { best })
    }

    /// Drives row j until it obeys its law.
    fn row(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &mut [f64],
        j: usize,
    ) -> Result<(), Status> {
        loop {
            let g = face.gradient(j, lambda[j]);
            if g == 0.0 || self.at_its_bound(face, lambda, j, g) {
                break self.settle(face, problem, lambda, j);
            }
            if face.out_of_iterations() {
                return Err(Status::IterationLimit);
            }
            face.counts.iterations += 1;
            self.direction(problem, j, -g.signum());
            let (t, event) = self.longest_step(face, lambda, j);
            if !t.is_finite() {
                return Err(Status::Singular);
            }
            for i in 0..lambda.len() {
                lambda[i] += t * self.d[i];
                face.w[i] += t * self.ad[i];
            }
            match event {
                Event::Pivot(i, state) => {
                    face.pivot(i, state);
                    match state {
                        RowState::Lower => lambda[i] = face.lo[i],
                        RowState::Upper => lambda[i] = face.hi[i],
                        RowState::Free => {}
                    }
                    let moved = if state == RowState::Free {
                        self.enter(face, problem, i)
                    } else {
                        self.leave(i);
                        true
                    };
                    if !moved {
                        return Err(Status::Singular);
                    }
                }
                Event::Done(state) => {
                    match state {
                        RowState::Lower => lambda[j] = face.lo[j],
                        RowState::Upper => lambda[j] = face.hi[j],
                        RowState::Free => {}
                    }
                    break self.settle(face, problem, lambda, j);
                }
            }
        }
    }

    /// Whether row j is at a bound that its gradient presses it to.
    fn at_its_bound(&self, face: &Face, lambda: &[f64], j: usize, g: f64) -> bool {
        (lambda[j] <= face.lo[j] && g >= 0.0) || (lambda[j] >= face.hi[j] && g <= 0.0)
    }

    /// Row j is done: finds its state, and takes away what rounding left in
    /// w_F.
    fn settle(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &mut [f64],
        j: usize,
    ) -> Result<(), Status> {
        self.pending[j] = false;
        let state = if lambda[j] <= face.lo[j] {
            RowState::Lower
        } else if lambda[j] >= face.hi[j] {
            RowState::Upper
        } else {
            RowState::Free
        };
        face.pivot(j, state);
        if state == RowState::Free && !self.enter(face, problem, j) {
            return Err(Status::Singular);
        }
        face.update_w(problem, lambda);
        self.x.clear();
        self.x.extend(self.free.iter().map(|&i| -face.gradient(i, lambda[i])));
        self.factor.solve(&mut self.x);
        self.free.iter().zip(&self.x).for_each(|(&i, x)| lambda[i] += x);
        face.update_w(problem, lambda);
        Ok(())
    }

    /// d: one in row j, with sign, and what keeps w_F as it is.
    fn direction(&mut self, problem: &Problem, j: usize, sign: f64) {
        self.unit[j] = 1.0;
        problem.operator.apply(&self.unit, &mut self.column, &mut self.product);
        self.unit[j] = 0.0;
        self.x.clear();
        self.x.extend(self.free.iter().map(|&i| -sign * self.column[i]));
        self.factor.solve(&mut self.x);
        self.d.fill(0.0);
        self.d[j] = sign;
        self.free.iter().zip(&self.x).for_each(|(&i, x)| self.d[i] = *x);
        problem.operator.apply(&self.d, &mut self.ad, &mut self.product);
    }

    /// How far λ can go along d, and what happens there (Erleben13 eq. 42, 43,
    /// with both bounds).
    fn longest_step(&self, face: &Face, lambda: &[f64], j: usize) -> (f64, Event) {
        let change = |i: usize| self.ad[i] + face.proximal.shift[i] * self.d[i];
        let unit = face.diagonal[j].sqrt();
        let (d, dg, g) = (self.d[j], change(j), face.gradient(j, lambda[j]));
        let mut best = (f64::INFINITY, Event::Done(RowState::Free));
        let mut limit = |t: f64, event: Event| {
            if t.max(0.0) < best.0 {
                best = (t.max(0.0), event);
            }
        };
        if d * dg > ELIMINATION * face.diagonal[j] {
            limit(-g / dg, Event::Done(RowState::Free));
        }
        if d > 0.0 {
            limit(face.hi[j] - lambda[j], Event::Done(RowState::Upper));
        } else {
            limit(lambda[j] - face.lo[j], Event::Done(RowState::Lower));
        }
        for &i in &self.free {
            let d = self.d[i];
            if d.abs() * face.diagonal[i].sqrt() <= ELIMINATION * unit {
                continue;
            }
            if d > 0.0 {
                limit((face.hi[i] - lambda[i]) / d, Event::Pivot(i, RowState::Upper));
            } else {
                limit((face.lo[i] - lambda[i]) / d, Event::Pivot(i, RowState::Lower));
            }
        }
        for i in 0..lambda.len() {
            let dg = change(i);
            let loosens = match face.set[i] {
                RowState::Free => false,
                RowState::Lower => dg < 0.0,
                RowState::Upper => dg > 0.0,
            };
            let noise = ELIMINATION * unit * face.diagonal[i].sqrt();
            if loosens && dg.abs() > noise && !face.is_fixed(i) {
                limit(-face.gradient(i, lambda[i]) / dg, Event::Pivot(i, RowState::Free));
            }
        }
        best
    }

    /// Row i becomes free. Says whether A_FF is definite with it.
    fn enter(&mut self, face: &mut Face, problem: &Problem, i: usize) -> bool {
        self.unit[i] = 1.0;
        problem.operator.apply(&self.unit, &mut self.column, &mut self.product);
        self.unit[i] = 0.0;
        let entries = self.free.iter().map(|&k| self.column[k]);
        let done = self.factor.append(entries, self.column[i] + face.proximal.shift[i]).is_ok();
        if done {
            self.free.push(i);
        }
        done
    }

    /// Row i is free no more.
    fn leave(&mut self, i: usize) {
        if let Some(k) = self.free.iter().position(|&f| f == i) {
            self.factor.remove(k);
            self.free.remove(k);
        }
    }
}
