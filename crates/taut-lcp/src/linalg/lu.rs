//! Dense LU factorization with partial pivoting, for small matrices that are
//! not symmetric. Nothing is allocated once the largest size has been seen.

use super::{Breakdown, vectorized};

/// Columns that are brought up to date together.
const PANEL: usize = 2;

/// A square matrix, columns one after the other, and its factors in its place.
#[derive(Default)]
pub(crate) struct Lu {
    n: usize,
    a: Vec<f64>,
    /// Row exchanged with row k at step k.
    exchanged: Vec<usize>,
}

impl Lu {
    /// Room for an n×n matrix; what it holds is undefined.
    pub fn resize(&mut self, n: usize) {
        self.n = n;
        self.a.resize(n * n, 0.0);
        self.exchanged.resize(n, 0);
    }

    /// Column j.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.a[j * self.n..][..self.n]
    }

    /// Rows, and columns.
    pub fn order(&self) -> usize {
        self.n
    }

    /// Factors, column by column, with what the columns before have to say.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        vectorized(
            #[inline(always)]
            || self.factor_columns(),
        )
    }

    #[inline(always)]
    fn factor_columns(&mut self) -> Result<(), Breakdown> {
        let n = self.n;
        for first in (0..n).step_by(PANEL) {
            let width = PANEL.min(n - first);
            let (before, rest) = self.a.split_at_mut(first * n);
            let panel = &mut rest[..width * n];
            for column in panel.chunks_exact_mut(n) {
                (0..first).for_each(|k| column.swap(k, self.exchanged[k]));
            }
            if let Some((a, b)) = panel.split_at_mut_checked(n).filter(|(_, b)| b.len() == n) {
                eliminate_two(before, a, b);
            } else {
                eliminate(before, 0, panel);
            }
            for j in first..first + width {
                let (done, rest) = self.a.split_at_mut(j * n);
                let column = &mut rest[..n];
                (first..j).for_each(|k| column.swap(k, self.exchanged[k]));
                eliminate(&done[first * n..], first, column);
                let size = |&i: &usize| column[i].abs();
                let largest = |p, i| if size(&i) > size(&p) { i } else { p };
                let pivot = (j..n).reduce(largest).unwrap_or(j);
                if !(size(&pivot) > 0.0 && size(&pivot).is_finite()) {
                    return Err(Breakdown);
                }
                self.exchanged[j] = pivot;
                let scale = 1.0 / column[pivot];
                column.swap(j, pivot);
                column[j + 1..].iter_mut().for_each(|c| *c *= scale);
                if pivot != j {
                    done.chunks_exact_mut(n).for_each(|l| l.swap(j, pivot));
                }
            }
        }
        Ok(())
    }

    /// x ← A⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        (0..n).for_each(|k| x.swap(k, self.exchanged[k]));
        for k in 0..n {
            let (above, below) = x.split_at_mut(k + 1);
            let l = &self.a[k * n..][k + 1..n];
            below.iter_mut().zip(l).for_each(|(x, l)| *x -= above[k] * l);
        }
        for k in (0..n).rev() {
            let u = &self.a[k * n..][..=k];
            let (above, rest) = x.split_at_mut(k);
            rest[0] /= u[k];
            above.iter_mut().zip(u).for_each(|(x, u)| *x -= rest[0] * u);
        }
    }
}

/// Takes from a column what the factored ones before it say, those from `k` on.
#[inline(always)]
fn eliminate(before: &[f64], mut k: usize, column: &mut [f64]) {
    let n = column.len();
    for l in before.chunks_exact(n) {
        let (above, below) = column.split_at_mut(k + 1);
        below.iter_mut().zip(&l[k + 1..]).for_each(|(c, l)| *c -= above[k] * l);
        k += 1;
    }
}

/// Eliminates in two columns, by four of those before them at a time: twice the arithmetic for
/// each entry that is read.
#[inline(always)]
fn eliminate_two(before: &[f64], first: &mut [f64], second: &mut [f64]) {
    let n = first.len();
    let mut quads = before.chunks_exact(4 * n);
    let mut k = 0;
    for quad in &mut quads {
        let l: [&[f64]; 4] = std::array::from_fn(|q| &quad[q * n + k..][..n - k]);
        let top = |column: &mut [f64]| {
            let u = &mut column[k..k + 4];
            u[1] -= l[0][1] * u[0];
            u[2] -= l[0][2] * u[0] + l[1][2] * u[1];
            u[3] -= l[0][3] * u[0] + l[1][3] * u[1] + l[2][3] * u[2];
            [u[0], u[1], u[2], u[3]]
        };
        let (u, v) = (top(first), top(second));
        let m = n - k - 4;
        let [a, b, c, d] = l.map(|l| &l[4..][..m]);
        let (x, y) = (&mut first[k + 4..][..m], &mut second[k + 4..][..m]);
        for i in 0..m {
            x[i] -= u[0] * a[i] + u[1] * b[i] + u[2] * c[i] + u[3] * d[i];
            y[i] -= v[0] * a[i] + v[1] * b[i] + v[2] * c[i] + v[3] * d[i];
        }
        k += 4;
    }
    eliminate(quads.remainder(), k, first);
    eliminate(quads.remainder(), k, second);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    #[test]
    fn solves_what_needs_exchanges() {
        let mut rng = Rng::new(1);
        let mut lu = Lu::default();
        for n in [0, 1, 2, 7, 40] {
            let a: Vec<f64> = (0..n * n).map(|_| rng.range(-1.0, 1.0)).collect();
            lu.resize(n);
            for j in 0..n {
                lu.column_mut(j).copy_from_slice(&a[j * n..][..n]);
                lu.column_mut(j)[0] *= f64::from(u8::from(j > 0)); // no first pivot
            }
            if n == 1 {
                assert_eq!(lu.factor(), Err(Breakdown));
                continue;
            }
            let entry = |i: usize, j: usize| if (i, j) == (0, 0) { 0.0 } else { a[j * n + i] };
            let exact: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let row = |i: usize| (0..n).map(|j| entry(i, j) * exact[j]).sum();
            let mut x: Vec<f64> = (0..n).map(row).collect();
            lu.factor().expect("regular");
            lu.solve(&mut x);
            x.iter().zip(&exact).for_each(|(x, e)| assert!((x - e).abs() < 1e-10, "{n}: {x} {e}"));
        }
    }
}
