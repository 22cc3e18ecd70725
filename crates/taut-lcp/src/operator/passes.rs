//! Passes over J: J v, and Jᵀ x.
//!
//! Rows on the same bodies lie side by side, as [`Group`]s: what they read of a
//! body is loaded once and what they add to it is written once. Compiled for
//! the registers of the machine.
//!
//! **Cost**: 6 multiplications per row and body.

use std::ops::Range;

use super::multibody::{Multibody, Row6, dot6};
use crate::linalg::vectorized;

/// Consecutive rows on the same bodies.
pub(crate) struct Group<'a> {
    pub rows: Range<usize>,
    pub bodies: &'a [u32],
    /// Row after row, body after body.
    jacobian: &'a [Row6],
}

impl<'a> Group<'a> {
    /// The Jacobians on the p-th body, row by row.
    #[inline(always)]
    pub fn on(&self, p: usize) -> impl Iterator<Item = &'a Row6> {
        // (Chunks would divide by their length.)
        let (n, jacobian) = (self.bodies.len(), self.jacobian);
        (0..self.rows.len()).map(move |row| &jacobian[n * row + p])
    }

    /// Its rows from `first` to `end`.
    #[inline(always)]
    fn within(self, first: usize, end: usize) -> Group<'a> {
        let (n, was) = (self.bodies.len(), self.rows);
        let start = was.start.max(first);
        let rows = start..was.end.min(end).max(start);
        let jacobian = &self.jacobian[n * (start - was.start)..n * (rows.end - was.start)];
        Group { rows, jacobian, ..self }
    }

    /// out += J v; `out` has the rows of the group.
    #[inline(always)]
    pub fn add_products(&self, v: &[Row6], out: &mut [f64]) {
        for (p, &b) in self.bodies.iter().enumerate() {
            let v = v[b as usize];
            out.iter_mut().zip(self.on(p)).for_each(|(o, j)| *o += dot6(j, &v));
        }
    }

    /// out += Jᵀ x; `x` has the rows of the group.
    #[inline(always)]
    pub fn add_transposed(&self, x: &[f64], out: &mut [Row6]) {
        self.transposed(x, out, |sum, j, x| *sum += j * x);
    }

    /// out −= Jᵀ x; `x` has the rows of the group.
    #[inline(always)]
    pub fn subtract_transposed(&self, x: &[f64], out: &mut [Row6]) {
        self.transposed(x, out, |sum, j, x| *sum -= j * x);
    }

    #[inline(always)]
    fn transposed(&self, x: &[f64], out: &mut [Row6], f: impl Fn(&mut f64, f64, f64)) {
        if x.iter().all(|x| *x == 0.0) {
            return; // tight rows are many
        }
        for (p, &b) in self.bodies.iter().enumerate() {
            let out = &mut out[b as usize];
            let mut sum = *out;
            for (j, &x) in self.on(p).zip(x) {
                (0..6).for_each(|k| f(&mut sum[k], j[k], x));
            }
            *out = sum;
        }
    }
}

impl Multibody {
    /// Number of groups.
    pub(crate) fn group_count(&self) -> usize {
        self.group_ptr.len()
    }

    /// All groups.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        (0..self.group_count()).map(|k| self.group(k))
    }

    /// The k-th group.
    #[inline(always)]
    pub(crate) fn group(&self, k: usize) -> Group<'_> {
        let end = self.group_ptr.get(k + 1).map_or(self.rows(), |&end| end as usize);
        let rows = self.group_ptr[k] as usize..end;
        let jacobian = &self.jacobian[self.row_ptr[rows.start]..self.row_ptr[end]];
        Group { bodies: self.row(rows.start).0, rows, jacobian }
    }

    /// out = J v of the rows from `first` on.
    pub(crate) fn products(&self, v: &[Row6], first: usize, out: &mut [f64]) {
        let end = first + out.len();
        let begin = self.group_ptr.partition_point(|&start| start as usize <= first);
        vectorized(
            #[inline(always)]
            || {
                out.fill(0.0);
                for k in begin.saturating_sub(1)..self.group_count() {
                    let g = self.group(k).within(first, end);
                    if g.rows.is_empty() {
                        break;
                    }
                    g.add_products(v, &mut out[g.rows.start - first..g.rows.end - first]);
                }
            },
        );
    }

    /// out += Jᵀ x.
    pub(crate) fn add_transposed(&self, x: &[f64], out: &mut [Row6]) {
        vectorized(
            #[inline(always)]
            || {
                for k in 0..self.group_count() {
                    let g = self.group(k);
                    g.add_transposed(&x[g.rows.clone()], out);
                }
            },
        );
    }
}
