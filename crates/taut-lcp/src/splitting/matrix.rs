//! S_FF of the interface, gathered from what subsystems feel like, and its
//! Cholesky factor: dense, or sparse where rows of few subsystems meet.

use super::subsystem::Subsystem;
use crate::RowState;
use crate::linalg::dense::Dense;
use crate::linalg::supernodal::Supernodal;
use crate::linalg::{Supernodes, compressed, minimum_degree};

/// Up to so many rows, and from this share of entries on, dense.
const DENSE_ROWS: usize = 200;
const DENSE_SHARE: f64 = 0.25;

#[derive(Default)]
pub(super) struct Matrix {
    is_sparse: bool,
    sparse: Supernodal,
    /// Where the lower triangle of each subsystem's matrix goes.
    slots: Vec<Vec<u32>>,
    diagonal: Vec<u32>,
    dense: Dense,
    /// Free rows, and the place of each among them.
    free: Vec<u32>,
    place: Vec<u32>,
    /// Free rows of one subsystem: their place there, and among the free ones.
    own: Vec<(u32, u32)>,
    x: Vec<f64>,
}

impl Matrix {
    /// Takes up an interface of n rows.
    pub fn analyse(&mut self, n: usize, parts: &[Subsystem]) {
        let entries: usize = parts.iter().map(|p| p.gamma.len() * p.gamma.len()).sum();
        self.is_sparse = n > DENSE_ROWS && (entries as f64) < DENSE_SHARE * (n * n) as f64;
        if self.is_sparse {
            self.analyse_sparse(n, parts);
        } else {
            self.dense.resize(n);
        }
        for v in [&mut self.free, &mut self.place] {
            v.clear();
            v.reserve(n);
        }
        self.own.clear();
        self.own.reserve(n);
        self.x.clear();
        self.x.reserve(n);
    }

    fn analyse_sparse(&mut self, n: usize, parts: &[Subsystem]) {
        let mut columns: Vec<Vec<u32>> = (0..n as u32).map(|g| vec![g]).collect();
        for part in parts {
            for (k, &g) in part.gamma.iter().enumerate() {
                columns[g as usize].extend_from_slice(&part.gamma[k..]);
            }
        }
        let (col_ptr, row_idx) = compressed(columns);
        let order = minimum_degree(&col_ptr, &row_idx).unwrap_or_else(|_| (0..n as u32).collect());
        self.sparse.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &order, 1));
        let at = |p: u32, q: u32| self.sparse.slot(p as usize, q as usize).at as u32;
        self.slots.resize_with(parts.len(), Vec::new);
        for (slots, part) in self.slots.iter_mut().zip(parts) {
            slots.clear();
            for (k, &q) in part.gamma.iter().enumerate() {
                slots.extend(part.gamma[k..].iter().map(|&p| at(p, q)));
            }
        }
        self.diagonal.clear();
        self.diagonal.extend((0..n as u32).map(|g| at(g, g)));
    }

    /// Multiplications of one factorization.
    pub fn work(&self, set: &[RowState]) -> f64 {
        let free = set.iter().filter(|s| **s == RowState::Free).count() as f64;
        if self.is_sparse { self.sparse.flops() } else { free * free * free / 6.0 }
    }

    /// Gathers and factors S_FF; the columns of free rows must be known.
    pub fn factor(&mut self, parts: &[Subsystem], set: &[RowState], compliance: &[f64]) -> bool {
        self.free.clear();
        self.place.clear();
        for (g, s) in set.iter().enumerate() {
            self.place.push(self.free.len() as u32);
            if *s == RowState::Free {
                self.free.push(g as u32);
            }
        }
        let is_free = |g: u32| set[g as usize] == RowState::Free;
        if self.is_sparse {
            let values = self.sparse.clear_values();
            for (part, slots) in parts.iter().zip(&self.slots) {
                let n = part.gamma.len();
                let mut slots = slots.iter();
                for (q, &g) in part.gamma.iter().enumerate() {
                    for (p, &slot) in (q..n).zip(&mut slots) {
                        if is_free(g) && is_free(part.gamma[p]) {
                            values[slot as usize] += part.s[q * n + p];
                        }
                    }
                }
            }
            self.free.iter().for_each(|&g| {
                values[self.diagonal[g as usize] as usize] += compliance[g as usize];
            });
            self.sparse.set_active(|g| is_free(g as u32));
            return self.sparse.factor().is_ok();
        }
        self.dense.resize(self.free.len());
        for (k, &g) in self.free.iter().enumerate() {
            let column = self.dense.column_mut(k);
            column[k..].fill(0.0);
            column[k] = compliance[g as usize];
        }
        for part in parts {
            let n = part.gamma.len();
            let free = part.gamma.iter().enumerate().filter(|(_, g)| is_free(**g));
            self.own.clear();
            self.own.extend(free.map(|(q, &g)| (q as u32, self.place[g as usize])));
            for (k, &(q, place)) in self.own.iter().enumerate() {
                let column = self.dense.column_mut(place as usize);
                let s = &part.s[q as usize * n..][..n];
                for &(p, place) in &self.own[k..] {
                    column[place as usize] += s[p as usize];
                }
            }
        }
        self.dense.factor().is_ok()
    }

    /// x ← S_FF⁻¹ x on free rows.
    pub fn solve(&mut self, set: &[RowState], x: &mut [f64]) {
        if self.is_sparse {
            debug_assert_eq!(set.len(), x.len());
            return self.sparse.solve(x);
        }
        self.x.clear();
        self.x.extend(self.free.iter().map(|&g| x[g as usize]));
        self.dense.solve(&mut self.x);
        self.free.iter().zip(&self.x).for_each(|(&g, v)| x[g as usize] = *v);
    }
}
