//! Enumeration of all index sets: the test oracle.
//!
//! **Problem**: boxed rows, any A, at most 12 rows.
//! **Update**: none, a search. Every row is free, at its lower or at its upper bound. For
//! each of the (at most) 3ᵐ combinations solve A_FF λ_F = −(b + A_FT λ_T) by
//! elimination with complete pivoting, and keep the answer with the smallest
//! natural residual. Singular systems are solved too: unknowns without pivot
//! are zero. That is complete for symmetric positive semidefinite A: from any
//! solution one can walk along the null space of A_FF, which changes no w,
//! until a row meets a bound, so some solution has null directions on
//! bilateral rows only, where any value will do.
//! **Certificate**: if no set works, the projection of −b onto the cone
//! {d: Ad = 0, d meets no bound} is sought, again over all supports.
//! **Cost**: 3ᵐ·O(m³) at worst, 50 ms for m = 10, 1 s for m = 12; far less with one-sided
//! bounds (2ᵐ).
//! **Convergence**: finite, all sets are tried.
//! **Fails**: on a non-symmetric or indefinite A whose only solutions have a
//! singular A_FF (it ends `Stalled`, having tried all sets), and where λ is so long that its own last digit is
//! beyond the tolerance (`Stalled` again). Never otherwise; that is its purpose.
//! **Reference**: Erleben13 5.1 ("naive direct enumeration").

#![allow(non_snake_case)]

use crate::residual::row_residual;
use crate::rounding::ELIMINATION;
use crate::{Counts, Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Status, Stop};

/// Largest number of rows.
pub const MAX_ROWS: usize = 12;

// What half and twice of these change: docs/decisions/solver-constants.md.

/// |Ad| beyond this share of |d|, in the same units, is no rounding, whose root rows outside F may have.
const NOT_FLAT: f64 = 1e-6;

/// Enumeration has no settings.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {}

impl Settings {
    /// Nothing to check.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
#[derive(Clone, Debug)]
pub struct Enumerate {
    m: usize,
    A: Matrix,
    diagonal: Vector,
    /// Sᵢ = Aᵢᵢ^(−1/2), so that SAS has a unit diagonal.
    scale: Vector,
    lo: Vec<f64>,
    hi: Vec<f64>,
    column: Vec<f64>,
    unit: Vec<f64>,
    scratch: Vec<f64>,
}

type Vector = [f64; MAX_ROWS];
type Matrix = [Vector; MAX_ROWS];
type States = [RowState; MAX_ROWS];

/// An index set, the λ that belongs to it, and its natural residual.
struct Candidate {
    states: States,
    lambda: Vector,
    residual: f64,
}

impl Enumerate {
    /// A solver.
    pub fn new(_settings: Settings) -> Self {
        Enumerate {
            m: 0,
            A: [[0.0; MAX_ROWS]; MAX_ROWS],
            diagonal: [0.0; MAX_ROWS],
            scale: [1.0; MAX_ROWS],
            lo: Vec::new(),
            hi: Vec::new(),
            column: Vec::new(),
            unit: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Takes up the problem, column by column, whatever the form of A.
    fn load(&mut self, problem: &Problem) {
        self.m = problem.rows();
        problem.bounds(&mut self.lo, &mut self.hi);
        self.unit.clear();
        self.unit.resize(self.m, 0.0);
        self.column.resize(self.m, 0.0);
        for j in 0..self.m {
            self.unit[j] = 1.0;
            problem.operator.apply(&self.unit, &mut self.column, &mut self.scratch);
            self.unit[j] = 0.0;
            (0..self.m).for_each(|i| self.A[i][j] = self.column[i]);
            let d = self.A[j][j];
            self.diagonal[j] = d;
            self.scale[j] = if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 };
        }
    }

    fn w(&self, b: &[f64], lambda: &Vector, i: usize) -> f64 {
        (0..self.m).map(|j| self.A[i][j] * lambda[j]).sum::<f64>() + b[i]
    }

    /// Adds −A_FF⁻¹ w_F to λ_F.
    fn correct(&self, b: &[f64], free: &[usize], lambda: &mut Vector) {
        let mut rhs = [0.0; MAX_ROWS];
        for (r, &i) in free.iter().enumerate() {
            rhs[r] = -self.scale[i] * self.w(b, lambda, i);
        }
        let e = self.eliminate(free, &rhs);
        for r in 0..e.rank {
            let i = free[e.pivot[r]];
            lambda[i] += self.scale[i] * e.rhs[r];
        }
    }

    /// The λ of an index set, unless it leaves its bounds clearly.
    fn candidate(&self, b: &[f64], states: &States) -> Option<Candidate> {
        let mut lambda = [0.0; MAX_ROWS];
        let (mut free, mut count) = ([0; MAX_ROWS], 0);
        for i in 0..self.m {
            match states[i] {
                RowState::Lower => lambda[i] = self.lo[i],
                RowState::Upper => lambda[i] = self.hi[i],
                RowState::Free => {
                    free[count] = i;
                    count += 1;
                }
            }
        }
        let free = &free[..count];
        self.correct(b, free, &mut lambda);
        for &i in free {
            let inside = lambda[i].clamp(self.lo[i], self.hi[i]);
            if (inside - lambda[i]).abs() > 1e-6 * (1.0 + lambda[i].abs()) {
                return None;
            }
        }
        // Twice again: refinement, for ill-conditioned A_FF.
        (0..2).for_each(|_| self.correct(b, free, &mut lambda));
        let mut residual = 0.0_f64;
        for i in 0..self.m {
            lambda[i] = lambda[i].clamp(self.lo[i], self.hi[i]);
        }
        for i in 0..self.m {
            let a = if self.diagonal[i] > 0.0 { self.diagonal[i] } else { 1.0 };
            let w = self.w(b, &lambda, i);
            residual = residual.max(row_residual(lambda[i], w, self.lo[i], self.hi[i], a));
        }
        Some(Candidate { states: *states, lambda, residual })
    }

    /// The next index set, counting like an odometer; `false` after the last.
    fn advance(&self, states: &mut States) -> bool {
        for i in 0..self.m {
            let (lo, hi) = (self.lo[i], self.hi[i]);
            let below = lo > f64::NEG_INFINITY;
            let next = match states[i] {
                _ if lo == hi => None,
                RowState::Free if below => Some(RowState::Lower),
                RowState::Free | RowState::Lower if hi < f64::INFINITY => Some(RowState::Upper),
                _ => None,
            };
            if let Some(next) = next {
                states[i] = next;
                return true;
            }
            states[i] = self.first(i);
        }
        false
    }

    fn first(&self, i: usize) -> RowState {
        if self.lo[i] == self.hi[i] { RowState::Lower } else { RowState::Free }
    }

    /// Gauss-Jordan elimination of (SAS)_FF with complete pivoting.
    fn eliminate(&self, free: &[usize], rhs: &Vector) -> Elimination {
        let n = free.len();
        let mut e = Elimination {
            n,
            rank: 0,
            t: [[0.0; MAX_ROWS]; MAX_ROWS],
            rhs: *rhs,
            pivot: [0; MAX_ROWS],
        };
        for (r, &i) in free.iter().enumerate() {
            for (c, &j) in free.iter().enumerate() {
                e.t[r][c] = self.scale[i] * self.A[i][j] * self.scale[j];
            }
        }
        while e.step() {}
        e
    }

    /// A direction with Ad = 0 and bᵀd < 0 that no bound stops, with max|d| = 1.
    fn certificate(&self, b: &[f64]) -> Option<Vector> {
        (1..1_usize << self.m).find_map(|support| {
            let (mut free, mut n) = ([0; MAX_ROWS], 0);
            for i in (0..self.m).filter(|i| support >> i & 1 == 1) {
                free[n] = i;
                n += 1;
            }
            self.certificate_on(b, &free[..n])
        })
    }

    /// The projection of −b onto the null space of A_FF (both scaled), if it
    /// is not zero and meets no bound.
    fn certificate_on(&self, b: &[f64], free: &[usize]) -> Option<Vector> {
        let basis = self.eliminate(free, &[0.0; MAX_ROWS]).null_space();
        let sb = |r: usize| self.scale[free[r]] * b[free[r]];
        let mut y = [0.0; MAX_ROWS];
        for q in basis.iter().take_while(|q| q.iter().any(|x| *x != 0.0)) {
            let along: f64 = (0..free.len()).map(|r| q[r] * sb(r)).sum();
            (0..free.len()).for_each(|r| y[r] -= along * q[r]);
        }
        let size = (0..free.len()).fold(0.0_f64, |s, r| s.max(y[r].abs()));
        let size_b = (0..free.len()).fold(0.0_f64, |s, r| s.max(sb(r).abs()));
        if size <= 1e-7 * size_b {
            return None;
        }
        let mut d = [0.0; MAX_ROWS];
        for (r, &i) in free.iter().enumerate() {
            if y[r].abs() <= 1e-9 * size {
                continue;
            }
            let open = if y[r] > 0.0 {
                self.hi[i] == f64::INFINITY
            } else {
                self.lo[i] == f64::NEG_INFINITY
            };
            if !open {
                return None;
            }
            d[i] = self.scale[i] * y[r];
        }
        // What rounding has left in A_FF d.
        let mut rest = [0.0; MAX_ROWS];
        for (r, &i) in free.iter().enumerate() {
            rest[r] = -self.scale[i] * self.w(&[0.0; MAX_ROWS], &d, i);
        }
        let e = self.eliminate(free, &rest);
        for r in 0..e.rank {
            let i = free[e.pivot[r]];
            d[i] += if d[i] == 0.0 { 0.0 } else { self.scale[i] * e.rhs[r] };
        }
        // A_FF d = 0 means Ad = 0 where A is semidefinite, nowhere else.
        let product = |i: usize| (0..self.m).map(|j| self.A[i][j] * d[j]).sum::<f64>();
        if (0..self.m).any(|i| self.scale[i] * product(i).abs() > NOT_FLAT * size) {
            return None;
        }
        let max = d.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        Some(d.map(|x| x / max))
    }

    fn is_symmetric(&self) -> bool {
        let entry = |i: usize, j: usize| self.scale[i] * self.A[i][j] * self.scale[j];
        (0..self.m).all(|i| (0..i).all(|j| (entry(i, j) - entry(j, i)).abs() <= 1e-12))
    }
}

/// A matrix on its way to reduced form.
struct Elimination {
    n: usize,
    rank: usize,
    t: Matrix,
    rhs: Vector,
    /// Column of the pivot of each of the first `rank` rows.
    pivot: [usize; MAX_ROWS],
}

impl Elimination {
    /// Eliminates one column; `false` when what is left counts as zero.
    fn step(&mut self) -> bool {
        let (n, k) = (self.n, self.rank);
        let used = |c: &usize| self.pivot[..k].contains(c);
        // Of the scaled matrix: compliances of 1e-10 stay visible, rounding of duplicate rows does not.
        let mut best = (ELIMINATION, 0, 0);
        for r in k..n {
            for c in (0..n).filter(|c| !used(c)) {
                if self.t[r][c].abs() > best.0 {
                    best = (self.t[r][c].abs(), r, c);
                }
            }
        }
        let (size, row, column) = best;
        if size <= ELIMINATION {
            return false;
        }
        self.t.swap(k, row);
        self.rhs.swap(k, row);
        let pivot = self.t[k][column];
        self.t[k][..n].iter_mut().for_each(|x| *x /= pivot);
        self.rhs[k] /= pivot;
        let (pivot_row, pivot_rhs) = (self.t[k], self.rhs[k]);
        for r in (0..n).filter(|&r| r != k) {
            let factor = self.t[r][column];
            (0..n).for_each(|c| self.t[r][c] -= factor * pivot_row[c]);
            self.rhs[r] -= factor * pivot_rhs;
        }
        self.pivot[k] = column;
        self.rank += 1;
        true
    }

    /// An orthonormal basis of the null space, row by row; zeros follow.
    fn null_space(&self) -> Matrix {
        let mut basis = [[0.0; MAX_ROWS]; MAX_ROWS];
        let unpivoted = (0..self.n).filter(|c| !self.pivot[..self.rank].contains(c));
        for (count, c) in unpivoted.enumerate() {
            let mut q = [0.0; MAX_ROWS];
            q[c] = 1.0;
            (0..self.rank).for_each(|r| q[self.pivot[r]] = -self.t[r][c]);
            for _ in 0..2 {
                for p in &basis[..count] {
                    let along: f64 = p.iter().zip(&q).map(|(p, q)| p * q).sum();
                    (0..self.n).for_each(|k| q[k] -= along * p[k]);
                }
            }
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            basis[count] = q.map(|x| x / length);
        }
        basis
    }
}

impl Solver for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        let m = problem.rows();
        let reason = if m > MAX_ROWS {
            format!("{m} rows are more than {MAX_ROWS}; use an exact method such as bpp")
        } else if problem.has_cones() {
            "it has cones; enumeration handles boxed rows".into()
        } else {
            return Ok(());
        };
        Err(Error::Refused { solver: "enumerate", reason })
    }

    fn prepare(&mut self, problem: &Problem) {
        self.load(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let scale = problem.scale();
        let most = stop.max_iterations.unwrap_or(usize::MAX);
        let mut counts = Counts::default();
        let mut states = [RowState::Free; MAX_ROWS];
        (0..self.m).for_each(|i| states[i] = self.first(i));
        let mut best: Option<Candidate> = None;
        let mut is_cut = false;
        loop {
            counts.iterations += 1;
            let found = self.candidate(&problem.b, &states);
            let limit = best.as_ref().map_or(f64::INFINITY, |c| c.residual);
            if let Some(c) = found.filter(|c| c.residual < limit) {
                probe.iteration(counts.iterations, c.residual);
                best = Some(c);
            }
            let done = best.as_ref().is_some_and(|c| c.residual <= 4.0 * f64::EPSILON * scale);
            if done || !self.advance(&mut states) {
                break;
            }
            if counts.iterations >= most {
                is_cut = true;
                break;
            }
        }
        if let Some(c) = &best {
            iterate.lambda.copy_from_slice(&c.lambda[..self.m]);
            iterate.set.clear();
            iterate.set.extend_from_slice(&c.states[..self.m]);
        }
        if best.is_some_and(|c| c.residual <= stop.tolerance * scale) {
            return Outcome::new(Status::Converged, counts);
        }
        if is_cut {
            return Outcome::new(Status::IterationLimit, counts);
        }
        match self.certificate(&problem.b).filter(|_| self.is_symmetric()) {
            Some(d) => {
                iterate.certificate.extend_from_slice(&d[..self.m]);
                Outcome::new(Status::Infeasible, counts)
            }
            None => Outcome::new(Status::Stalled, counts),
        }
    }
}
