//! A lower triangle row by row, in the pattern of A: what all factors without
//! fill share.

use super::Source;
use crate::Sparse;

/// L̂ with room for every row of the pattern. Rows that are not free keep
/// their room and are not looked at.
#[derive(Default)]
pub(super) struct Triangle {
    ptr: Vec<usize>,
    /// Entries of each row that are in use.
    len: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    pub diagonal: Vec<f64>,
    /// 1 for real columns, −1 for imaginary ones.
    pub eta: Vec<f64>,
    work: Vec<f64>,
}

impl Triangle {
    /// Room for the lower triangle of A.
    pub fn shape(&mut self, a: &Sparse) {
        let m = a.rows();
        self.ptr.clear();
        self.ptr.push(0);
        for i in 0..m {
            let below = a.row(i).0.partition_point(|&j| (j as usize) < i);
            self.ptr.push(self.ptr[i] + below);
        }
        self.len.clear();
        self.len.resize(m, 0);
        self.columns.resize(self.ptr[m], 0);
        self.values.resize(self.ptr[m], 0.0);
        for (v, fill) in [(&mut self.diagonal, 1.0), (&mut self.eta, 1.0), (&mut self.work, 0.0)] {
            v.clear();
            v.resize(m, fill);
        }
    }

    /// Row i of S (A + D)_FF S, its diagonal multiplied by 1 + shift.
    pub fn load(&mut self, source: &Source, a: &Sparse, s: &[f64], i: usize, shift: f64) {
        let (columns, values) = a.row(i);
        let mut p = self.ptr[i];
        for (&j, v) in columns.iter().zip(values).take_while(|(j, _)| (**j as usize) < i) {
            if source.is_free[j as usize] {
                self.columns[p] = j;
                self.values[p] = s[i] * v * s[j as usize];
                p += 1;
            }
        }
        self.len[i] = (p - self.ptr[i]) as u32;
        let diagonal = if source.diagonal[i] > 0.0 { source.diagonal[i] } else { 1.0 };
        self.diagonal[i] = s[i] * diagonal * s[i] * (1.0 + shift);
        self.eta[i] = 1.0;
    }

    /// Columns of row i below the diagonal.
    pub fn columns(&self, i: usize) -> &[u32] {
        &self.columns[self.ptr[i]..][..self.len[i] as usize]
    }

    /// Row i of the factor from the rows before it, and what is left of its
    /// diagonal: Ho22 alg. 4 and 6, row by row,
    /// L̂ᵢⱼ = ηⱼ (Aᵢⱼ − Σ ηₖ L̂ᵢₖ L̂ⱼₖ) / L̂ⱼⱼ, d = Aᵢᵢ − Σ ηₖ L̂ᵢₖ².
    pub fn eliminate(&mut self, i: usize) -> f64 {
        let Triangle { ptr, len, columns, values, diagonal, eta, work } = self;
        let range = ptr[i]..ptr[i] + len[i] as usize;
        let (before, own) = values.split_at_mut(range.start);
        let own = &mut own[..range.len()];
        let own_columns = &columns[range];
        own_columns.iter().zip(own.iter()).for_each(|(&j, &v)| work[j as usize] = v);
        let mut d = diagonal[i];
        for (&j, value) in own_columns.iter().zip(own) {
            let j = j as usize;
            // `work` holds ηₖ L̂ᵢₖ of the columns done, zeros off the pattern.
            let row = ptr[j]..ptr[j] + len[j] as usize;
            let pairs = columns[row.clone()].iter().zip(&before[row]);
            let sum: f64 = pairs.map(|(&k, l)| l * work[k as usize]).sum();
            let t = (work[j] - sum) / diagonal[j];
            work[j] = t;
            *value = eta[j] * t;
            d -= *value * t;
        }
        own_columns.iter().for_each(|&j| work[j as usize] = 0.0);
        d
    }

    /// L̂ ← S⁻¹ L̂.
    pub fn unscale(&mut self, rows: &[u32], s: &[f64]) {
        for &i in rows {
            let i = i as usize;
            let row = &mut self.values[self.ptr[i]..][..self.len[i] as usize];
            row.iter_mut().for_each(|v| *v /= s[i]);
            self.diagonal[i] /= s[i];
        }
    }

    /// z = (L̂L̂ᵀ)⁻¹ r on the rows.
    pub fn solve(&self, rows: &[u32], r: &[f64], z: &mut [f64]) {
        for &i in rows {
            let i = i as usize;
            let range = self.ptr[i]..self.ptr[i] + self.len[i] as usize;
            let entries = self.columns[range.clone()].iter().zip(&self.values[range]);
            let sum: f64 = entries.map(|(&j, l)| l * z[j as usize]).sum();
            z[i] = (r[i] - sum) / self.diagonal[i];
        }
        for &i in rows.iter().rev() {
            let i = i as usize;
            z[i] /= self.diagonal[i];
            let (zi, range) = (z[i], self.ptr[i]..self.ptr[i] + self.len[i] as usize);
            for (&j, l) in self.columns[range.clone()].iter().zip(&self.values[range]) {
                z[j as usize] -= l * zi;
            }
        }
    }
}
