//! Incomplete Cholesky with a drop tolerance, ICT.
//!
//! **Update**, column by column: take what the columns before leave of the
//! column; of the entries at least τⱼ = ε‖aⱼ‖ large keep the p largest.
//! A pivot that is not positive: all over again with A + γ diag A.
//! **Cost**: grows as ε falls; with ε = 0 and no limit it is the complete
//! factorization without an ordering.
//! **Fails** as IC(0) with a shift, later.
//! **Reference**: Ho22 alg. 5, 4.1.3. Errata: entries are compared by their
//! absolute values; ‖aⱼ‖ is that of the scaled column. Deviation: a column is
//! dropped from once, when it is complete, not while it is updated.

use super::{Settings, Source, ic0::LEAST_PIVOT, ic0_shift};
use crate::Sparse;
use crate::linalg::Breakdown;

const NONE: u32 = u32::MAX;

/// L̂ column by column, room for `fill` entries each.
#[derive(Default)]
pub(super) struct Columns {
    fill: usize,
    len: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    /// Columns by the row of their next entry: first[row] → next[column] → …
    first: Vec<u32>,
    next: Vec<u32>,
    /// Entries of each column that are above the present row.
    passed: Vec<u32>,
    /// The column at work: values, whether a row is in it, its rows.
    work: Vec<f64>,
    is_in: Vec<bool>,
    nonzeros: Vec<u32>,
}

impl Columns {
    pub fn shape(&mut self, m: usize, fill: usize) {
        self.fill = fill.min(m);
        self.rows.resize(m * self.fill, 0);
        self.values.resize(m * self.fill, 0.0);
        for v in [&mut self.len, &mut self.passed] {
            v.clear();
            v.resize(m, 0);
        }
        for v in [&mut self.first, &mut self.next] {
            v.clear();
            v.resize(m, NONE);
        }
        self.diagonal.resize(m, 1.0);
        self.work.clear();
        self.work.resize(m, 0.0);
        self.is_in.clear();
        self.is_in.resize(m, false);
        self.nonzeros.clear();
        self.nonzeros.reserve(m);
    }

    fn put(&mut self, i: u32, value: f64) {
        if !std::mem::replace(&mut self.is_in[i as usize], true) {
            self.nonzeros.push(i);
        }
        self.work[i as usize] += value;
    }

    /// Scatters the column and subtracts what the ones before say of it;
    /// returns its pivot and the norm of its part below the diagonal.
    fn gather(&mut self, source: &Source, a: &Sparse, s: &[f64], j: usize, shift: f64) -> [f64; 2] {
        let (rows, values) = a.row(j);
        let diagonal = if source.diagonal[j] > 0.0 { source.diagonal[j] } else { 1.0 };
        let mut d = s[j] * diagonal * s[j] * (1.0 + shift);
        let mut norm = d * d;
        for (&i, v) in rows.iter().zip(values) {
            if i as usize > j && source.is_free[i as usize] {
                let v = s[i as usize] * v * s[j];
                norm += v * v;
                self.put(i, v);
            }
        }
        let mut k = std::mem::replace(&mut self.first[j], NONE);
        while k != NONE {
            let column = k as usize;
            let start = column * self.fill;
            let place = start + self.passed[column] as usize;
            let l = self.values[place];
            d -= l * l;
            for q in place + 1..start + self.len[column] as usize {
                self.put(self.rows[q], -l * self.values[q]);
            }
            k = self.next[column];
            self.passed[column] += 1;
            self.link(column);
        }
        [d, norm.sqrt()]
    }

    /// Puts a column into the list of the row of its next entry.
    fn link(&mut self, column: usize) {
        if self.passed[column] < self.len[column] {
            let row = self.rows[column * self.fill + self.passed[column] as usize] as usize;
            self.next[column] = self.first[row];
            self.first[row] = column as u32;
        }
    }

    /// Divides by the pivot, drops, and stores what is left, by row.
    fn store(&mut self, j: usize, pivot: f64, threshold: f64) {
        let Columns { work, nonzeros, is_in, .. } = self;
        let root = pivot.sqrt();
        nonzeros.retain(|&i| {
            let i = i as usize;
            work[i] /= root;
            let keep = work[i].abs() >= threshold && work[i] != 0.0;
            if !keep {
                (work[i], is_in[i]) = (0.0, false);
            }
            keep
        });
        if nonzeros.len() > self.fill {
            let size = |i: &u32| work[*i as usize].abs();
            nonzeros.select_nth_unstable_by(self.fill, |x, y| {
                size(y).total_cmp(&size(x)).then(x.cmp(y))
            });
        }
        let kept = nonzeros.len().min(self.fill);
        nonzeros[..kept].sort_unstable();
        let start = j * self.fill;
        for (k, &i) in nonzeros.iter().enumerate() {
            if k < kept {
                (self.rows[start + k], self.values[start + k]) = (i, work[i as usize]);
            }
            (work[i as usize], is_in[i as usize]) = (0.0, false);
        }
        nonzeros.clear();
        self.diagonal[j] = root;
        (self.len[j], self.passed[j]) = (kept as u32, 0);
        self.link(j);
    }

    /// Forgets the column at work.
    fn clear(&mut self) {
        for i in self.nonzeros.drain(..) {
            (self.work[i as usize], self.is_in[i as usize]) = (0.0, false);
        }
    }

    /// L̂ ← S⁻¹ L̂.
    pub fn unscale(&mut self, columns: &[u32], s: &[f64]) {
        for &j in columns {
            let j = j as usize;
            self.diagonal[j] /= s[j];
            for q in j * self.fill..j * self.fill + self.len[j] as usize {
                self.values[q] /= s[self.rows[q] as usize];
            }
        }
    }

    /// z = (L̂L̂ᵀ)⁻¹ r.
    pub fn solve(&self, columns: &[u32], r: &[f64], z: &mut [f64]) {
        columns.iter().for_each(|&j| z[j as usize] = r[j as usize]);
        let entries = |j: usize| {
            let range = j * self.fill..j * self.fill + self.len[j] as usize;
            self.rows[range.clone()].iter().zip(&self.values[range])
        };
        for &j in columns {
            let j = j as usize;
            z[j] /= self.diagonal[j];
            let zj = z[j];
            entries(j).for_each(|(&i, l)| z[i as usize] -= l * zj);
        }
        for &j in columns.iter().rev() {
            let j = j as usize;
            let sum: f64 = entries(j).map(|(&i, l)| l * z[i as usize]).sum();
            z[j] = (z[j] - sum) / self.diagonal[j];
        }
    }
}

pub(super) fn factor(
    l: &mut Columns,
    source: &Source,
    a: &Sparse,
    rows: &[u32],
    s: &[f64],
    settings: &Settings,
) -> Result<(), Breakdown> {
    ic0_shift::raise(|shift| {
        rows.iter().for_each(|&j| l.first[j as usize] = NONE);
        for &j in rows {
            let [d, norm] = l.gather(source, a, s, j as usize, shift);
            let least = LEAST_PIVOT * s[j as usize].powi(2) * source.diagonal[j as usize];
            if d <= least || d.is_nan() {
                l.clear();
                return Err(Breakdown);
            }
            l.store(j as usize, d, settings.drop_tolerance * norm);
        }
        Ok(())
    })
}
