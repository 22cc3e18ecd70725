//! A few boxed rows, solved exactly: the block of a contact with friction boxes,
//! of a joint, or of a contact with a polyhedral cone.
//!
//! **Problem**: w = Aλ + q, lo ≤ λ ≤ hi, at most six rows, any A.
//! **Method**: the index set that a projected step points to, then all rows that
//! violate their law turned at once, a few times; where that does not settle,
//! every index set. Free rows are solved for the *change* of λ, by elimination
//! with complete pivoting: what A leaves open stays as it was.
//! **Cost**: one or two small systems, 3⁶ at worst.
//! **Fails** where no index set works (a zero row, a singular A that is not
//! semidefinite): the best set is the answer.
//! **Reference**: Andrews22 3.2.4 (enumeration of blocks); Erleben13 5.1.

use crate::RowState;
use crate::residual::row_residual;
use crate::rounding::ELIMINATION;

/// Largest number of rows.
pub(crate) const MAX: usize = 6;
/// Rounds of turning all violating rows.
const ROUNDS: usize = 6;

pub(crate) type Vector = [f64; MAX];
type States = [RowState; MAX];

/// The rows, with λ and w as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxed<'a> {
    pub n: usize,
    /// Row by row.
    pub a: &'a [f64],
    pub lambda: Vector,
    pub w: Vector,
    pub lo: Vector,
    pub hi: Vector,
}

impl Boxed<'_> {
    /// The new λ.
    pub fn solve(&self) -> Vector {
        let mut states = self.guess();
        let mut best = (f64::INFINITY, self.lambda);
        let fine = ELIMINATION * self.size();
        for _ in 0..ROUNDS {
            let (residual, lambda, next) = self.try_set(&states);
            if residual < best.0 {
                best = (residual, lambda);
            }
            if residual <= fine || next == states {
                break;
            }
            states = next;
        }
        if best.0 > fine {
            self.enumerate(fine, &mut best);
        }
        best.1
    }

    fn enumerate(&self, fine: f64, best: &mut (f64, Vector)) {
        let mut states = States::default();
        loop {
            let (residual, lambda, _) = self.try_set(&states);
            if residual < best.0 {
                *best = (residual, lambda);
            }
            if best.0 <= fine || !self.advance(&mut states) {
                return;
            }
        }
    }

    /// The next index set, like an odometer; `false` after the last.
    fn advance(&self, states: &mut States) -> bool {
        for i in 0..self.n {
            let below = self.lo[i] > f64::NEG_INFINITY;
            states[i] = match states[i] {
                RowState::Free if below => RowState::Lower,
                RowState::Free | RowState::Lower if self.hi[i] < f64::INFINITY => RowState::Upper,
                _ => RowState::Free,
            };
            if states[i] != RowState::Free {
                return true;
            }
        }
        false
    }

    fn guess(&self) -> States {
        let mut states = States::default();
        for i in 0..self.n {
            let a = self.a[i * self.n + i];
            let step = if a > 0.0 { self.w[i] / a } else { self.w[i] };
            let to = self.lambda[i] - step;
            if to <= self.lo[i] {
                states[i] = RowState::Lower;
            } else if to >= self.hi[i] {
                states[i] = RowState::Upper;
            }
        }
        states
    }

    /// Largest term of w.
    fn size(&self) -> f64 {
        let row = |i: usize| {
            let terms = (0..self.n).map(|j| (self.a[i * self.n + j] * self.lambda[j]).abs());
            terms.fold(self.w[i].abs(), f64::max)
        };
        (0..self.n).map(row).fold(0.0, f64::max)
    }

    /// Residual and λ of an index set, and the set that its violations point to.
    fn try_set(&self, states: &States) -> (f64, Vector, States) {
        let n = self.n;
        let mut lambda = self.lambda;
        for i in 0..n {
            match states[i] {
                RowState::Lower => lambda[i] = self.lo[i],
                RowState::Upper => lambda[i] = self.hi[i],
                RowState::Free => {}
            }
        }
        let w_of = |lambda: &Vector| -> Vector {
            let change = |i: usize, j: usize| self.a[i * n + j] * (lambda[j] - self.lambda[j]);
            std::array::from_fn(|i| {
                if i < n { self.w[i] + (0..n).map(|j| change(i, j)).sum::<f64>() } else { 0.0 }
            })
        };
        let w = w_of(&lambda);
        self.correct(states, &w, &mut lambda);
        let mut next = *states;
        for i in 0..n {
            if states[i] == RowState::Free && lambda[i] < self.lo[i] {
                next[i] = RowState::Lower;
            } else if states[i] == RowState::Free && lambda[i] > self.hi[i] {
                next[i] = RowState::Upper;
            }
            lambda[i] = lambda[i].clamp(self.lo[i], self.hi[i]);
        }
        let w = w_of(&lambda);
        let mut residual = 0.0_f64;
        for i in 0..n {
            let fixed = self.lo[i] == self.hi[i];
            match states[i] {
                RowState::Lower if w[i] < 0.0 && !fixed => next[i] = RowState::Free,
                RowState::Upper if w[i] > 0.0 && !fixed => next[i] = RowState::Free,
                _ => {}
            }
            let a = self.a[i * n + i];
            let a = if a > 0.0 { a } else { 1.0 };
            residual = residual.max(row_residual(lambda[i], w[i], self.lo[i], self.hi[i], a));
        }
        (residual, lambda, next)
    }

    /// λ_F −= A_FF⁻¹ w_F.
    fn correct(&self, states: &States, w: &Vector, lambda: &mut Vector) {
        let (mut free, mut count) = ([0; MAX], 0);
        for i in (0..self.n).filter(|&i| states[i] == RowState::Free) {
            free[count] = i;
            count += 1;
        }
        let mut t = [[0.0; MAX + 1]; MAX];
        for (row, &i) in t.iter_mut().zip(&free[..count]) {
            (0..count).for_each(|c| row[c] = self.a[i * self.n + free[c]]);
            row[MAX] = -w[i];
        }
        let mut columns: [usize; MAX] = std::array::from_fn(|c| c);
        let largest = t.iter().flat_map(|r| &r[..MAX]).fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut rank = 0;
        while rank < count {
            let places = (rank..count).flat_map(|r| (rank..count).map(move |c| (r, c)));
            let size = |&(r, c): &(usize, usize)| t[r][columns[c]].abs();
            let Some((r, c)) = places.reduce(|p, q| if size(&q) > size(&p) { q } else { p }) else {
                break;
            };
            if size(&(r, c)).is_nan() || size(&(r, c)) <= ELIMINATION * largest {
                break;
            }
            t.swap(rank, r);
            columns.swap(rank, c);
            let pivot = t[rank];
            for (_, row) in t[..count].iter_mut().enumerate().filter(|(k, _)| *k != rank) {
                let f = row[columns[rank]] / pivot[columns[rank]];
                (0..=MAX).for_each(|k| row[k] -= f * pivot[k]);
            }
            rank += 1;
        }
        for r in 0..rank {
            lambda[free[columns[r]]] += t[r][MAX] / t[r][columns[r]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{BoxedKind, random_boxed};
    use crate::{Judge, Operator};

    /// Every kind of block that has a solution, from a start that is not it.
    #[test]
    fn random_blocks() {
        for kind in [BoxedKind::Definite, BoxedKind::Semidefinite, BoxedKind::Degenerate] {
            for seed in 0..300 {
                let n = 1 + seed as usize % MAX;
                let p = random_boxed(n, kind, seed).expect("valid");
                let Operator::Dense(a) = &p.operator else { panic!("dense") };
                let a: Vec<f64> = (0..n).flat_map(|i| a.row(i).to_vec()).collect();
                let mut b = Boxed {
                    n,
                    a: &a,
                    lambda: [0.0; MAX],
                    w: [0.0; MAX],
                    lo: [0.0; MAX],
                    hi: [0.0; MAX],
                };
                for (i, law) in p.laws.iter().enumerate() {
                    (b.lo[i], b.hi[i]) = law.bounds();
                    b.lambda[i] = 0.3_f64.clamp(b.lo[i], b.hi[i]);
                }
                for i in 0..n {
                    b.w[i] = p.b[i] + (0..n).map(|j| a[i * n + j] * b.lambda[j]).sum::<f64>();
                }
                let v = Judge::default().verdict(&p, &b.solve()[..n]);
                assert!(v.relative_residual < 1e-9, "{kind:?} {seed}: {v:?}");
            }
        }
    }
}
