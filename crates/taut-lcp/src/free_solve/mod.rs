//! "Solve (A + D)_FF x_F = r_F for this free set": what every method with a
//! factorization calls.
//!
//! A pivoting method changes F from call to call, with D = 0 or a small proximal
//! shift. An interior-point method keeps F and changes D. Both get the same forms
//! of linear algebra, behind one trait ([`form`]):
//!
//! - [`dense`]: A_FF formed, dense Cholesky; small problems;
//! - [`dual`]: A_FF formed, compacted to F, sparse Cholesky;
//! - [`primal`]: M + J_Fᵀ (C + D)_F⁻¹ J_F on the body graph, with joint
//!   refinement of velocities and impulses; multibody problems only;
//! - [`skyline`]: A in Cuthill-McKee order, factored once, tight rows deleted
//!   from that factor; on request;
//! - [`pcg`]: no factorization, conjugate gradients; only when asked for.
//!
//! The choice follows the predicted cost. With m rows on 6n degrees of
//! freedom the dual matrix has order ≤ m and fills with a clique per body,
//! the primal one has order 6n whatever m is. Away from m ≈ 6n the smaller
//! order wins; near it, the multiplications of both are counted.

mod dense;
mod dual;
mod form;
mod ports;
mod primal;

// What the default does not run, unless it gets stuck: a folder of its own.
#[path = "on_request/pcg.rs"]
pub(crate) mod pcg;
#[path = "on_request/skyline.rs"]
mod skyline;

pub(crate) use dual::Dual;
use form::Form;
pub(crate) use pcg::Pcg;
pub(crate) use ports::Ports;
pub(crate) use skyline::Skyline;
pub use skyline::Updates;

pub(crate) use crate::linalg::Breakdown;
use crate::operator::mix;
use crate::report::Backend;
use crate::{Operator, Problem, RowState};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Rows per degree of freedom below which the dual form is taken, and above
/// which the primal one, without counting: the smaller order wins.
const CLEAR_CASES: (f64, f64) = (0.7, 1.6);

/// The primal form is taken without an analysis of the dual one if it needs less
/// than so many times what that needs at least. (It needed 1.2 times that on
/// chains, 2 to 4.5 times on nets, cranes and bridges.)
const SURE: f64 = 1.5;

/// Rows up to which the dense form is taken for matrices given entry by entry: with
/// more it is no faster (docs/SOLVERS.md).
pub(crate) const DENSE_ROWS: usize = 100;

/// How far a face solution is corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Once.
    Rough,
    /// Once, from where a rough solution on another face ended.
    Next,
    /// Until the target is met.
    Full,
    /// Until the target is met, from where a rough solution on this face ended.
    Rest,
}

/// The backends, and the one in use.
#[derive(Default)]
pub(crate) struct FreeSolve {
    dense: dense::Dense,
    dual: dual::Dual,
    primal: primal::Primal,
    skyline: Skyline,
    pub pcg: Pcg,
    /// Residual at which conjugate gradients stop \[m/s\].
    pub target: f64,
    wanted: Option<Backend>,
    pub chosen: Option<Backend>,
    /// Why that one.
    pub why: &'static str,
    pattern: Option<u64>,
    /// Bodies to be eliminated last: where the answer to rows outside is asked
    /// for ([`FreeSolve::effective`]), so that few panels lie on the way.
    pub late: Vec<u32>,
}

impl FreeSolve {
    /// With a fixed backend, or (`None`) by predicted cost.
    pub fn new(wanted: Option<Backend>) -> Self {
        FreeSolve { wanted, ..Self::default() }
    }

    /// The backend in use.
    pub fn backend(&self) -> Backend {
        self.chosen.unwrap_or(Backend::Dual)
    }

    /// Takes up a problem: symbolic work if its pattern is new, and the values.
    pub fn prepare(&mut self, problem: &Problem) {
        if self.wants_dense(problem) {
            (self.chosen, self.why) = (Some(Backend::Dense), "few rows");
            self.pattern = None;
            return self.refill(problem);
        }
        let pattern = problem.operator.pattern_hash();
        let pattern = self.late.iter().fold(pattern, |h, &b| mix(h, u64::from(b)));
        if self.pattern != Some(pattern) {
            self.pattern = Some(pattern);
            self.dual.late.clone_from(&self.late);
            self.primal.late.clone_from(&self.late);
            self.choose(problem);
        }
        self.refill(problem);
    }

    /// Takes up new values of a problem whose pattern is known.
    pub fn refill(&mut self, problem: &Problem) {
        self.form().refill(problem);
    }

    /// The form in use.
    fn form(&mut self) -> &mut dyn Form {
        match self.backend() {
            Backend::Dense => &mut self.dense,
            Backend::Dual => &mut self.dual,
            Backend::Primal => &mut self.primal,
            Backend::Skyline => &mut self.skyline,
            Backend::Pcg => &mut self.pcg,
        }
    }

    fn wants_dense(&self, problem: &Problem) -> bool {
        if matches!(problem.operator, Operator::Multibody(_)) {
            return false;
        }
        match self.wanted {
            Some(wanted) => wanted == Backend::Dense,
            None => problem.rows() <= DENSE_ROWS,
        }
    }

    fn choose(&mut self, problem: &Problem) {
        if self.wanted == Some(Backend::Skyline) {
            self.skyline.analyse(problem);
            (self.chosen, self.why) = (Some(Backend::Skyline), "asked for");
            return;
        }
        if self.wanted == Some(Backend::Pcg) {
            self.pcg.analyse(problem);
            self.chosen = Some(Backend::Pcg);
            return;
        }
        let Operator::Multibody(a) = &problem.operator else {
            self.dual.analyse(problem);
            self.dual.complete(problem);
            (self.chosen, self.why) = (Some(Backend::Dual), "");
            return;
        };
        let ratio = a.rows() as f64 / (6 * a.body_count()).max(1) as f64;
        let clear = match ratio {
            r if r < CLEAR_CASES.0 => Some((Backend::Dual, "few rows per degree of freedom")),
            r if r > CLEAR_CASES.1 => Some((Backend::Primal, "many rows per degree of freedom")),
            _ => None,
        };
        let wanted = self.wanted.filter(|&w| w != Backend::Dense).map(|w| (w, "asked for"));
        let mut decided = wanted.or(clear);
        if decided.is_none_or(|d| d.0 == Backend::Primal) {
            self.primal.analyse(a);
        }
        if decided.is_none() && self.primal.flops() < SURE * Dual::least_flops(a) {
            decided = Some((Backend::Primal, "few multiplications"));
        }
        if decided.is_none_or(|d| d.0 == Backend::Dual) {
            self.dual.analyse(problem);
        }
        let (chosen, why) = decided.unwrap_or_else(|| {
            let primal_wins = self.primal.flops() < self.dual.flops();
            let chosen = if primal_wins { Backend::Primal } else { Backend::Dual };
            (chosen, "fewer multiplications")
        });
        if chosen == Backend::Dual {
            self.dual.complete(problem);
        }
        (self.chosen, self.why) = (Some(chosen), why);
    }

    /// Factors (A + D)_FF, F the rows whose state is free. In primal form
    /// every free row needs C + D > 0.
    pub fn factor(
        &mut self,
        problem: &Problem,
        set: &[RowState],
        d: &[f64],
    ) -> Result<(), Breakdown> {
        self.form().factor(problem, set, d)
    }

    /// x_F = (A + D)_FF⁻¹ r_F with the last factorization; x is zero
    /// elsewhere. Returns the number of refinement steps.
    pub fn solve(&mut self, problem: &Problem, r: &[f64], x: &mut [f64]) -> usize {
        let target = self.target;
        self.form().solve(problem, r, x, target)
    }

    /// As [`FreeSolve::solve`], but without refinement: two or three digits.
    pub fn solve_roughly(&mut self, problem: &Problem, r: &[f64], x: &mut [f64]) {
        let target = self.target;
        self.form().solve_roughly(problem, r, x, target);
    }

    /// λ on the face of the free rows, if the form in use finds it directly from
    /// a λ nearby: see [`primal::Primal::solve_face`].
    pub fn solve_face(
        &mut self,
        problem: &Problem,
        beta: &[f64],
        target: f64,
        depth: Depth,
        lambda: &mut [f64],
        g: &mut [f64],
    ) -> Option<Result<(usize, bool), Breakdown>> {
        self.form().solve_face(problem, beta, target, depth, lambda, g)
    }

    /// Whether the form in use has an inverse effective mass; then memory for that
    /// of so many rows on two bodies.
    pub fn reserve_effective(&mut self, rows: usize) -> bool {
        self.chosen.is_some() && self.form().reserve_effective(rows)
    }

    /// Columns of the inverse effective mass that rows outside feel, with the
    /// last factorization. Multibody problems only.
    pub fn effective(
        &mut self,
        problem: &Problem,
        ports: &Ports,
        columns: &[u32],
        out: &mut [f64],
    ) {
        self.form().effective(problem, ports, columns, out);
    }

    /// Multiplications of one factorization with all rows, and of one
    /// substitution forward and backward.
    pub fn work(&self) -> (f64, f64) {
        match self.backend() {
            Backend::Primal => (self.primal.flops(), 2.0 * self.primal.k.entries() as f64),
            _ => (self.dual.flops(), 2.0 * self.dual.factor.entries() as f64),
        }
    }

    /// Begins a path of steps, each with a factor of its own, at λ.
    pub fn begin_path(&mut self, problem: &Problem, lambda: &[f64]) {
        self.form().begin_path(problem, lambda);
    }

    /// The direction (A + D)_FF⁻¹ r_F from a point of the path, which is λ if it
    /// has moved since the last call.
    pub fn direction(
        &mut self,
        problem: &Problem,
        r: &[f64],
        lambda: Option<&[f64]>,
        x: &mut [f64],
    ) {
        if !self.form().direction(problem, r, lambda, x) {
            self.solve(problem, r, x);
        }
    }

    /// Goes so far along the last direction.
    pub fn go(&mut self, alpha: f64) {
        self.form().go(alpha);
    }
}
