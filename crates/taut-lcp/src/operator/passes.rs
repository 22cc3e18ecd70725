//! Passes over J: J v, and Jᵀ x.
//!
//! Rows on the same bodies lie side by side, as [`Group`]s: what they read of a
//! body is loaded once and what they add to it is written once. Compiled for
//! the registers of the machine.
//!
//! **Cost**: 6 multiplications per row and body.

use std::ops::Range;

use super::block6::{Row6, dot6};
use super::multibody::Multibody;
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
        self.structure.group_count()
    }

    /// All groups.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        (0..self.group_count()).map(|k| self.group(k))
    }

    /// The k-th group.
    #[inline(always)]
    pub(crate) fn group(&self, k: usize) -> Group<'_> {
        let rows = self.structure.group(k);
        let (first, last) = (self.structure.range(rows.start), self.structure.range(rows.end - 1));
        let jacobian = &self.jacobian[first.start..last.end];
        Group { bodies: self.structure.bodies(first), rows, jacobian }
    }

    /// out = J v of the rows from `first` on.
    pub(crate) fn products(&self, v: &[Row6], first: usize, out: &mut [f64]) {
        let end = first + out.len();
        let begin = self.structure.group_after(first);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    /// Groups of one to four rows on none to three bodies.
    fn system(rng: &mut Rng) -> Multibody {
        let mut a = Multibody::default();
        let mass = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        (0..7).for_each(|_| _ = a.push_body(mass).expect("definite"));
        for g in 0..20_usize {
            let bodies: Vec<u32> = (0..g as u32 % 4).map(|k| 2 * k + g as u32 % 2).collect();
            for _ in 0..1 + g % 5 % 4 {
                let parts: Vec<(u32, Row6)> =
                    bodies.iter().map(|&b| (b, std::array::from_fn(|_| rng.normal()))).collect();
                a.push_row(&parts, 0.0).expect("ascending");
            }
        }
        a
    }

    #[test]
    fn groups_are_the_rows_on_the_same_bodies() {
        let a = system(&mut Rng::new(1));
        assert!(a.group_count() < a.rows());
        let mut next = 0;
        for g in a.groups() {
            assert_eq!(g.rows.start, next);
            next = g.rows.end;
            assert!(g.rows.clone().all(|i| a.row(i).0 == g.bodies));
            assert!(next == a.rows() || a.row(next).0 != g.bodies);
        }
        assert_eq!(next, a.rows());
    }

    #[test]
    fn passes_agree_with_single_rows_wherever_they_begin() {
        let mut rng = Rng::new(2);
        let a = system(&mut rng);
        let v: Vec<Row6> = (0..7).map(|_| std::array::from_fn(|_| rng.normal())).collect();
        for first in 0..a.rows() {
            for end in first..=a.rows() {
                let mut out = vec![f64::NAN; end - first];
                a.products(&v, first, &mut out);
                let rows = out.iter().zip(first..);
                rows.for_each(|(o, i)| assert!((o - a.row_dot_blocks(i, &v)).abs() < 1e-12));
            }
        }
        let x: Vec<f64> =
            (0..a.rows()).map(|i| if i % 5 < 2 { 0.0 } else { rng.normal() }).collect();
        let (mut all, mut single) = (v.clone(), v.clone());
        a.add_transposed(&x, &mut all);
        (0..a.rows()).for_each(|i| a.add_row(i, x[i], &mut single));
        let entries = all.iter().flatten().zip(single.iter().flatten());
        entries.for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        a.groups().for_each(|g| g.subtract_transposed(&x[g.rows.clone()], &mut all));
        let entries = all.iter().flatten().zip(v.iter().flatten());
        entries.for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    }
}
