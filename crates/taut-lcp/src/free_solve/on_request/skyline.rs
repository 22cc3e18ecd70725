//! The skyline backend: one factor of all of A a step, rows deleted from it.
//!
//! **Update**: order the rows by reverse Cuthill-McKee; factor A + D within its
//! skyline once; for a free set copy that factor and delete the tight rows, one
//! after the other. Or factor A_FF in the same skyline, from the first row on
//! whose state has changed since the last time. [`Updates`] says which.
//! **Cost**: see [`crate::linalg::skyline`]. Deleting wins while the tight rows
//! are few compared with the width of the band: a fifth of it, or so.
//! **Fails** where A + D is not positive definite to working precision. On
//! anything but chains and small mechanisms minimum-degree orders need far less
//! arithmetic, so it is chosen only when asked for.
//! **Reference**: Lefebvre20 ch. 2 (alg. 2.2) and 3 (the cache, alg. 3.1, 3.2).

use std::collections::HashMap;

use super::dual::Dual;
use crate::linalg::skyline;
use crate::linalg::{Breakdown, reverse_cuthill_mckee};
use crate::operator::mix;
use crate::{Problem, RowState, Sparse};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// A multiplication of a deletion takes so many times as long as one of a
/// factorization: it reads and writes two vectors.
const DELETE_EFFORT: f64 = 1.5;
/// The cache takes no more entries beyond this many numbers (512 MB).
const CACHE_NUMBERS: usize = 1 << 26;

/// How the factor of A_FF is come by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Updates {
    /// By the predicted cost of the next two.
    #[default]
    ByCost,
    /// A_FF is factored anew, from the first row on whose state has changed.
    Partial,
    /// Tight rows are deleted from a copy of the factor of A (Lefebvre20
    /// alg. 2.2).
    Delete,
    /// As `Delete`, but every factor on the way is kept, and the one with the
    /// most tight rows in common, from the first on, is where the next begins
    /// (Lefebvre20 alg. 3.1).
    DeleteCached,
    /// A_FF is factored anew (Lefebvre20 alg. 2.1).
    Refactor,
}

#[derive(Default)]
pub(crate) struct Skyline {
    updates: Updates,
    /// Without skyline: parts that are connected are full (Lefebvre20's first
    /// version).
    is_full: bool,
    matrix: Dual,
    order: Vec<u32>,
    inverse: Vec<u32>,
    skyline: skyline::Skyline,
    /// A within the skyline, its shift, and the shift of the factors held.
    a: Vec<f64>,
    d: Vec<f64>,
    d_factored: Vec<f64>,
    /// The factor of all rows, if there is one, and that of the active ones.
    all: Vec<f64>,
    has_all: bool,
    l: Vec<f64>,
    active: Vec<bool>,
    everyone: Vec<bool>,
    /// What `l` holds; empty if nothing.
    active_before: Vec<bool>,
    tight: Vec<usize>,
    sigma: Vec<f64>,
    x: Vec<f64>,
    /// Factors by their tight rows, as a hash.
    cache: HashMap<u64, Vec<f64>>,
}

impl Skyline {
    pub fn new(is_full: bool, updates: Updates) -> Self {
        Skyline { is_full, updates, ..Self::default() }
    }

    /// Pattern of A, its order and skyline.
    pub fn analyse(&mut self, problem: &Problem) {
        self.matrix.form(problem);
        let Some(a) = self.matrix.matrix() else { return };
        self.order = reverse_cuthill_mckee(a);
        self.inverse.resize(self.order.len(), 0);
        for (k, &i) in self.order.iter().enumerate() {
            self.inverse[i as usize] = k as u32;
        }
        let lowest = self.lowest(a);
        self.skyline = skyline::Skyline::new(a.rows(), |j| lowest[j]);
        for v in [&mut self.a, &mut self.all, &mut self.l] {
            v.clear();
            v.resize(self.skyline.entries(), 0.0);
        }
        self.x.resize(a.rows(), 0.0);
        self.d.resize(a.rows(), 0.0);
        self.active.resize(a.rows(), true);
        self.everyone.resize(a.rows(), true);
        self.forget();
    }

    /// The last row with an entry, by columns in the order of elimination.
    fn lowest(&self, a: &Sparse) -> Vec<usize> {
        let place = |&i: &u32| self.inverse[i as usize] as usize;
        let reach = |&i: &u32| a.row(i as usize).0.iter().map(place).max().unwrap_or(0);
        let mut lowest: Vec<usize> = self.order.iter().map(reach).collect();
        if self.is_full {
            // A part ends where nothing reaches beyond.
            let (mut end, mut begin) = (0, 0);
            for j in 0..lowest.len() {
                end = end.max(lowest[j]);
                if end <= j {
                    lowest[begin..=j].fill(j);
                    begin = j + 1;
                }
            }
        }
        lowest
    }

    /// Writes the values of A.
    pub fn assemble(&mut self, problem: &Problem) {
        self.matrix.assemble(problem);
        let Some(a) = self.matrix.matrix() else { return };
        self.a.fill(0.0);
        for (j, &row) in self.order.iter().enumerate() {
            let (columns, values) = a.row(row as usize);
            for (&i, &v) in columns.iter().zip(values) {
                let i = self.inverse[i as usize] as usize;
                if i >= j {
                    self.a[self.skyline.at(i, j)] = v;
                }
            }
        }
        self.forget();
    }

    /// The factors at hand are of another matrix.
    fn forget(&mut self) {
        self.has_all = false;
        self.active_before.clear();
        self.cache.clear();
    }

    pub fn factor(&mut self, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        self.tight.clear();
        for (k, &i) in self.order.iter().enumerate() {
            self.active[k] = set[i as usize] == RowState::Free;
            self.d[k] = d[i as usize];
            if !self.active[k] {
                self.tight.push(k);
            }
        }
        if self.d != self.d_factored {
            self.forget();
            self.d_factored.clone_from(&self.d);
        }
        let changed = self.first_change();
        let updates = match self.updates {
            Updates::ByCost => self.cheaper(changed),
            other => other,
        };
        let done = match updates {
            Updates::Refactor => self.refactor(0),
            Updates::Partial | Updates::ByCost => self.refactor(changed),
            Updates::Delete => self.delete(),
            Updates::DeleteCached => self.delete_cached(),
        };
        match done {
            Ok(()) => self.active_before.clone_from(&self.active),
            Err(Breakdown) => self.active_before.clear(),
        }
        done
    }

    /// The first row whose state differs from that in `l`.
    fn first_change(&self) -> usize {
        if self.active_before.is_empty() {
            return 0;
        }
        let differs = |(a, b): (&bool, &bool)| a != b;
        let first = self.active.iter().zip(&self.active_before).position(differs);
        first.unwrap_or(self.active.len())
    }

    fn cheaper(&self, changed: usize) -> Updates {
        let free = 1.0 - self.tight.len() as f64 / self.active.len().max(1) as f64;
        let refactor = self.skyline.factor_cost(changed) * free * free;
        let first = if self.has_all { 0.0 } else { self.skyline.factor_cost(0) };
        let delete: f64 = self.tight.iter().map(|&i| self.skyline.delete_cost(i)).sum();
        if first + DELETE_EFFORT * delete < refactor { Updates::Delete } else { Updates::Partial }
    }

    fn refactor(&mut self, from: usize) -> Result<(), Breakdown> {
        self.skyline.factor(&self.a, &self.d, &self.active, from, &mut self.l)
    }

    fn factor_all(&mut self) -> Result<(), Breakdown> {
        if !self.has_all {
            self.skyline.factor(&self.a, &self.d, &self.everyone, 0, &mut self.all)?;
            self.has_all = true;
        }
        Ok(())
    }

    /// Lefebvre20 alg. 2.2, lines 7 to 11.
    fn delete(&mut self) -> Result<(), Breakdown> {
        self.factor_all()?;
        self.l.copy_from_slice(&self.all);
        for &i in &self.tight {
            self.skyline.delete(i, &mut self.l, &mut self.sigma);
        }
        Ok(())
    }

    /// Lefebvre20 alg. 3.1, lines 8 to 13, and alg. 3.2. Deviation: a set is
    /// known by its hash.
    fn delete_cached(&mut self) -> Result<(), Breakdown> {
        self.factor_all()?;
        let key = |key: u64, i: usize| mix(key, i as u64);
        let (mut known, mut best) = (0, None);
        let mut hash = 0;
        for &i in &self.tight {
            hash = key(hash, i);
            if !self.cache.contains_key(&hash) {
                break;
            }
            (known, best) = (known + 1, Some(hash));
        }
        let source = best.and_then(|hash| self.cache.get(&hash)).unwrap_or(&self.all);
        self.l.copy_from_slice(source);
        let mut hash = best.unwrap_or(0);
        for &i in &self.tight[known..] {
            self.skyline.delete(i, &mut self.l, &mut self.sigma);
            hash = key(hash, i);
            if (self.cache.len() + 1) * self.l.len() <= CACHE_NUMBERS {
                self.cache.insert(hash, self.l.clone());
            }
        }
        Ok(())
    }

    pub fn solve(&mut self, r: &[f64], x: &mut [f64]) -> usize {
        for (y, &i) in self.x.iter_mut().zip(&self.order) {
            *y = r[i as usize];
        }
        self.skyline.solve(&self.l, &self.active, &mut self.x);
        for (y, &i) in self.x.iter().zip(&self.order) {
            x[i as usize] = *y;
        }
        0
    }

    /// A, once formed and assembled.
    pub fn matrix(&self) -> Option<&Sparse> {
        self.matrix.matrix()
    }

    /// Largest difference between the factor at hand and that of A_FF factored
    /// anew, over the entries of free rows.
    pub fn error_of_factor(&self) -> f64 {
        let mut exact = vec![0.0; self.l.len()];
        if self.skyline.factor(&self.a, &self.d, &self.active, 0, &mut exact).is_err() {
            return f64::NAN;
        }
        self.skyline.difference(&self.l, &exact, &self.active)
    }

    /// Factors held by the cache.
    pub fn cached(&self) -> usize {
        self.cache.len()
    }

    /// Numbers in one factor.
    pub fn entries(&self) -> usize {
        self.l.len()
    }
}
