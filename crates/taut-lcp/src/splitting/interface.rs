//! The rows between subsystems, Γ: S λ_Γ + z = w_Γ within their bounds.
//!
//! S = C_Γ + Σ Sᵢ is never put together as a whole (Peiret19 eq. 24 does).
//! Velocities w are known at the λ_Γ of the last iteration, computed without
//! S, and everything here is a change from there: w + S(λ' − λ). So only
//! columns of rows that move are needed, the free ones and few others, which
//! are asked for when a row is set free for the first time; and errors of S
//! shrink from iteration to iteration instead of staying in the answer.
//! S_FF is gathered from the columns and factored cluster by cluster (`matrix`).
//! **Cost** per pivot: a factorization of S_FF from the clusters on that have
//! changed, products with its columns.

use super::matrix::Matrix;
use super::partition::UNBOUNDED;
use super::subsystem::{Feel, Subsystem};
use super::tree::Tree;
use super::work::Work;
use crate::operator::mix;
use crate::parallel::{SHARED, for_each};
use crate::residual::row_residual;
use crate::{Dense, Error, Iterate, Multibody, Operator, Problem, RowState};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Index sets per turn that memory is set aside for.
const FACES: usize = 4;

/// How the rows of the interface are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Block principal pivoting.
    Bpp,
    /// Gauss-Seidel sweeps between the pivots.
    PgsSm,
}

pub(super) struct Interface {
    pub method: Method,
    pub feel: Feel,
    /// Its rows in the whole.
    pub rows: Vec<u32>,
    pub lambda: Vec<f64>,
    pub set: Vec<RowState>,
    /// Rows whose columns of S are wanted.
    pub wanted: Vec<bool>,
    compliance: Vec<f64>,
    /// ρ: the next λ is that of S + ρ·diag A around the last one.
    pub damping: f64,
    /// Compliance and damping together.
    softness: Vec<f64>,
    b: Vec<f64>,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    /// w of the λ that the subsystems have seen, and that λ.
    pub w: Vec<f64>,
    last: Vec<f64>,
    /// w of the λ at hand, as S has it.
    pub predicted: Vec<f64>,
    /// Diagonal of A.
    pub diagonal: Vec<f64>,
    rhs: Vec<f64>,
    matrix: Matrix,
    /// The index set that S_FF was factored for, if it is still that matrix.
    factored: Vec<RowState>,
    /// Factorizations of S_FF and rows that changed their state, so far.
    pub factorizations: usize,
    pub pivots: usize,
    /// Multiplications of the solve, those of subsystems included.
    pub work: Work,
}

impl Interface {
    pub fn new(method: Method, feel: Feel) -> Self {
        Interface {
            method,
            feel,
            rows: Vec::new(),
            lambda: Vec::new(),
            set: Vec::new(),
            wanted: Vec::new(),
            compliance: Vec::new(),
            damping: 0.0,
            softness: Vec::new(),
            b: Vec::new(),
            lo: Vec::new(),
            hi: Vec::new(),
            w: Vec::new(),
            last: Vec::new(),
            predicted: Vec::new(),
            diagonal: Vec::new(),
            rhs: Vec::new(),
            matrix: Matrix::default(),
            factored: Vec::new(),
            factorizations: 0,
            pivots: 0,
            work: Work::default(),
        }
    }

    /// Sets the damping.
    pub fn damp(&mut self, rho: f64) {
        if std::mem::replace(&mut self.damping, rho) != rho {
            self.factored.clear();
        }
        self.softness.clear();
        let rows = self.compliance.iter().zip(&self.diagonal);
        self.softness.extend(rows.map(|(c, a)| c + rho * a));
    }

    /// Whether some row is not a joint.
    pub fn has_bounds(&self) -> bool {
        self.lo.iter().zip(&self.hi).any(|(&lo, &hi)| (lo, hi) != UNBOUNDED)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes its rows out of the whole. Of a structure that is new the rows
    /// stand in the order of the tree.
    pub fn fill(
        &mut self,
        (whole, a): (&Problem, &Multibody),
        parts: &[Subsystem],
        new: Option<&Tree>,
    ) {
        let n = self.len();
        let take = |out: &mut Vec<f64>, from: &dyn Fn(usize) -> f64, rows: &[u32]| {
            out.clear();
            out.extend(rows.iter().map(|&i| from(i as usize)));
        };
        take(&mut self.b, &|i| whole.b[i], &self.rows);
        take(&mut self.compliance, &|i| a.compliance()[i], &self.rows);
        take(&mut self.diagonal, &|i| a.diagonal_entry(i), &self.rows);
        take(&mut self.lo, &|i| whole.laws[i].bounds().0, &self.rows);
        take(&mut self.hi, &|i| whole.laws[i].bounds().1, &self.rows);
        self.diagonal.iter_mut().filter(|a| **a <= 0.0).for_each(|a| *a = 1.0);
        self.softness.clear();
        self.softness.reserve(n);
        self.factored.clear();
        self.factored.reserve(n);
        for v in [&mut self.w, &mut self.last, &mut self.predicted, &mut self.rhs] {
            v.clear();
            v.resize(n, 0.0);
        }
        if let Some(tree) = new {
            self.matrix.analyse(tree, parts);
        }
    }

    /// Multiplications of one factorization of S_FF.
    pub fn expected(&self) -> f64 {
        self.matrix.work(&self.set)
    }

    /// Levels of clusters.
    pub fn levels(&self) -> usize {
        self.matrix.size().1
    }

    /// Makes room for what a usual solve of so many turns notes: in each the
    /// turn, and the columns, the factor and two products for some index sets.
    pub fn reserve(&mut self, turns: usize, parts: usize) {
        let (clusters, levels) = self.matrix.size();
        self.work.reserve(FACES * turns * (3 + levels), FACES * turns * (4 * parts + clusters));
    }

    /// Takes over its part of a start. Boxes narrower than `narrow` (times
    /// Aᵢᵢ, in m/s) leave no choice.
    pub fn start(&mut self, whole: &Iterate, narrow: f64) {
        let warm = whole.set.len() == whole.lambda.len();
        self.lambda.clear();
        self.set.clear();
        (self.factorizations, self.pivots) = (0, 0);
        self.work.clear();
        for (g, &i) in self.rows.iter().enumerate() {
            let (lo, hi, l) = (self.lo[g], self.hi[g], whole.lambda[i as usize]);
            let state = if warm { whole.set[i as usize] } else { RowState::Free };
            let state = match state {
                _ if self.diagonal[g] * (hi - lo) <= narrow => RowState::Lower,
                RowState::Lower if lo == f64::NEG_INFINITY => RowState::Free,
                RowState::Upper if hi == f64::INFINITY => RowState::Free,
                RowState::Free if !warm && l <= lo => RowState::Lower,
                RowState::Free if !warm && l >= hi => RowState::Upper,
                state => state,
            };
            self.set.push(state);
            self.lambda.push(match state {
                RowState::Lower => lo,
                RowState::Upper => hi,
                RowState::Free => l.clamp(lo, hi),
            });
        }
        self.damp(0.0);
        self.want_free();
    }

    fn want_free(&mut self) {
        self.wanted.clear();
        let all = self.method == Method::PgsSm || self.feel == Feel::Bare;
        self.wanted.extend(self.set.iter().map(|s| all || *s == RowState::Free));
    }

    /// w_Γ = b_Γ + Cλ_Γ + Σ J_Γ v: what the subsystems make of λ_Γ.
    pub fn measure(&mut self, parts: &[Subsystem]) {
        for g in 0..self.len() {
            self.w[g] = self.b[g] + self.compliance[g] * self.lambda[g];
        }
        for part in parts {
            for (&g, w) in part.gamma.iter().zip(&part.w) {
                self.w[g as usize] += w;
            }
        }
        self.last.clone_from(&self.lambda);
        self.predicted.clone_from(&self.w);
    }

    /// Largest natural residual \[m/s\].
    pub fn residual(&self) -> f64 {
        let row = |g: usize| {
            row_residual(self.lambda[g], self.w[g], self.lo[g], self.hi[g], self.diagonal[g])
        };
        (0..self.len()).map(row).fold(0.0, f64::max)
    }

    /// Asks for the columns of free rows, and of others that moved.
    pub fn feel(&mut self, parts: &mut [Subsystem]) {
        for g in 0..self.len() {
            let moved = self.lambda[g] != self.last[g];
            self.wanted[g] |= moved || self.set[g] == RowState::Free;
        }
        let (wanted, feel) = (&self.wanted, self.feel);
        if !parts.iter().all(|part| part.is_felt(wanted)) {
            parts.iter_mut().for_each(|part| part.outcome.work = 0.0);
            for_each(parts, |part| part.feel(feel, wanted));
            self.work.round(parts.iter().map(|part| part.outcome.work));
        }
    }

    /// λ on the face of the index set, and w there. Says whether S_FF could be
    /// factored.
    pub fn solve_face(&mut self, parts: &mut [Subsystem]) -> bool {
        for g in 0..self.len() {
            match self.set[g] {
                RowState::Lower => self.lambda[g] = self.lo[g],
                RowState::Upper => self.lambda[g] = self.hi[g],
                RowState::Free => {}
            }
        }
        self.feel(parts);
        self.predict(parts);
        if !self.factor(parts) {
            return false;
        }
        self.rhs.clear();
        self.rhs.extend(self.predicted.iter().map(|w| -w));
        self.work.alone += self.matrix.solve(&mut self.rhs);
        for g in 0..self.len() {
            if self.set[g] == RowState::Free {
                self.lambda[g] += self.rhs[g];
            }
        }
        self.predict(parts);
        true
    }

    /// Factors S_FF if it is another than before. Says whether that was possible.
    fn factor(&mut self, parts: &mut [Subsystem]) -> bool {
        if self.factored == self.set && parts.iter().all(|part| !part.has_changed) {
            return true;
        }
        self.factorizations += 1;
        let Interface { matrix, set, factored, softness, work, .. } = self;
        let done = matrix.factor(parts, set, factored, softness, work);
        parts.iter_mut().for_each(|part| part.has_changed = false);
        self.factored.clear();
        if done {
            self.factored.extend_from_slice(&self.set);
        }
        done
    }

    /// w + (S + ρ·diag A)(λ' − λ), columns of rows that moved.
    pub fn predict(&mut self, parts: &mut [Subsystem]) {
        for g in 0..self.len() {
            let change = self.lambda[g] - self.last[g];
            self.predicted[g] = self.w[g] + self.softness[g] * change;
        }
        let (lambda, last) = (&self.lambda, &self.last);
        let entries: usize = parts.iter().map(|part| part.gamma.len() * part.gamma.len()).sum();
        if entries as f64 > SHARED {
            for_each(parts, |part| part.respond(lambda, last));
        } else {
            parts.iter_mut().for_each(|part| part.respond(lambda, last));
        }
        self.work.round(parts.iter().map(|part| part.responded));
        for part in parts {
            for (&p, y) in part.gamma.iter().zip(&part.response) {
                self.predicted[p as usize] += y;
            }
        }
    }

    /// Diagonal of S.
    pub fn felt_diagonal(&self, parts: &[Subsystem], g: usize) -> f64 {
        let of = |part: &Subsystem| {
            let q = part.gamma.binary_search(&(g as u32)).ok()?;
            Some(part.s[q * part.gamma.len() + q])
        };
        self.softness[g] + parts.iter().filter_map(of).sum::<f64>()
    }

    /// λ of one row by `change`, and what that does to w.
    pub fn move_row(&mut self, parts: &[Subsystem], g: usize, change: f64) {
        if change == 0.0 {
            return;
        }
        self.lambda[g] += change;
        self.predicted[g] += self.softness[g] * change;
        for part in parts {
            let Ok(q) = part.gamma.binary_search(&(g as u32)) else { continue };
            let n = part.gamma.len();
            for (&p, s) in part.gamma.iter().zip(&part.s[q * n..(q + 1) * n]) {
                self.predicted[p as usize] += s * change;
            }
        }
    }

    /// The problem of the interface as a whole; all columns must be known.
    pub fn problem(&self, parts: &[Subsystem]) -> Result<Problem, Error> {
        let n = self.len();
        let mut s = vec![0.0; n * n];
        for part in parts {
            let m = part.gamma.len();
            for (q, &g) in part.gamma.iter().enumerate() {
                for (p, &h) in part.gamma.iter().enumerate() {
                    let mean = 0.5 * (part.s[q * m + p] + part.s[p * m + q]);
                    s[h as usize * n + g as usize] += mean;
                }
            }
        }
        (0..n).for_each(|g| s[g * n + g] += self.softness[g]);
        let b = |g: usize| {
            let row = &s[g * n..(g + 1) * n];
            self.w[g] - row.iter().zip(&self.last).map(|(s, l)| s * l).sum::<f64>()
        };
        let b = (0..n).map(b).collect();
        let a = Operator::Dense(Dense::from_rows(n, s)?);
        Problem::boxed(a, b, &self.lo, &self.hi)
    }

    /// λ into its bounds, for what rounding left.
    pub fn clamp(&mut self) {
        for g in 0..self.len() {
            self.lambda[g] = self.lambda[g].clamp(self.lo[g], self.hi[g]);
        }
    }

    /// Writes its impulses and index set into the whole.
    pub fn give(&self, whole: &mut Iterate) {
        for (g, &i) in self.rows.iter().enumerate() {
            whole.lambda[i as usize] = self.lambda[g];
            whole.set[i as usize] = self.set[g];
        }
    }

    /// Goes on with a hash of the index set.
    pub fn hash(&self, h: u64) -> u64 {
        self.set.iter().fold(h, |h, s| mix(h, *s as u64))
    }
}
