//! Dense Cholesky factorization of small matrices.
//!
//! Left-looking, four columns at a time: the update of a panel by all columns
//! before it keeps its sums in registers. Columns may end before the last row
//! ([`Dense::reach_mut`]); then they are left out of panels below their end. For orders up to a few hundred this
//! beats general libraries, whose set-up costs more than the work, and up to
//! [`crate::free_solve`]'s limit sparse ones too.

use pulp::{Arch, Simd, WithSimd};

use super::{Breakdown, vectorized};

/// Columns of a panel.
const W: usize = 4;
/// Columns are padded to a multiple of this: twice the widest register.
const STRIP: usize = 16;

/// A square matrix, columns one after the other, and its factor L Lᵀ.
#[derive(Default)]
pub(crate) struct Dense {
    n: usize,
    stride: usize,
    a: Vec<f64>,
    /// Last row of each column that may have an entry.
    reach: Vec<u32>,
    /// Inverses of the diagonal of L.
    inverse: Vec<f64>,
}

impl Dense {
    /// Room for an n×n matrix; what it holds is undefined. All columns reach to
    /// the last row.
    pub fn resize(&mut self, n: usize) {
        // Whole strips for registers of any width, and a row to spare; columns a multiple of 256
        // bytes apart would share their cache lines.
        let stride = (n + 1).next_multiple_of(STRIP);
        self.stride = if stride.is_multiple_of(32) { stride + STRIP } else { stride };
        self.n = n;
        self.a.resize(self.stride * n, 0.0);
        self.reach.clear();
        self.reach.resize(n, n.saturating_sub(1) as u32);
        self.inverse.resize(n, 0.0);
    }

    /// For each column the last row that may have an entry: not above the
    /// diagonal, nor above those of earlier columns. Columns that reach less far
    /// must be cleared before they are written: [`Dense::cleared_column`].
    pub fn reach_mut(&mut self) -> &mut [u32] {
        &mut self.reach
    }

    /// Column j, zero from the diagonal down as far as anything reads it; and one
    /// entry more, which nothing reads.
    pub fn cleared_column(&mut self, j: usize) -> &mut [f64] {
        // The last panel that it takes part in begins at its end or before.
        let panel = (self.reach[j] as usize + W - 1).min(self.n - 1);
        let end = (self.reach[panel] as usize + 1).next_multiple_of(STRIP).min(self.n);
        let column = &mut self.a[j * self.stride..][..=self.n];
        column[j..end].fill(0.0);
        column
    }

    /// Column j; rows above the diagonal are not read.
    #[cfg(test)]
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.a[j * self.stride..][..self.n]
    }

    /// L in place of the lower triangle.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        let Dense { n, stride, a, reach, inverse } = self;
        Arch::new().dispatch(Factor { n: *n, stride: *stride, a, reach, inverse })
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || self.substitute(x),
        );
    }

    #[inline(always)]
    fn substitute(&self, x: &mut [f64]) {
        let x = &mut x[..self.n];
        for (j, l) in self.a.chunks_exact(self.stride.max(1)).enumerate() {
            let (above, below) = x[..=self.reach[j] as usize].split_at_mut(j + 1);
            above[j] *= self.inverse[j];
            let xj = above[j];
            below.iter_mut().zip(&l[j + 1..]).for_each(|(x, l)| *x -= xj * l);
        }
        for (j, l) in self.a.chunks_exact(self.stride.max(1)).enumerate().rev() {
            let end = self.reach[j] as usize + 1;
            let (above, below) = x[..end].split_at_mut(j + 1);
            above[j] = (above[j] - sum_of_products(&l[j + 1..end], below)) * self.inverse[j];
        }
    }
}

struct Factor<'a> {
    n: usize,
    stride: usize,
    a: &'a mut [f64],
    reach: &'a [u32],
    inverse: &'a mut [f64],
}

impl WithSimd for Factor<'_> {
    type Output = Result<(), Breakdown>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Factor { n, stride, a, reach, inverse } = self;
        // The first column that reaches the panel.
        let mut first = 0;
        for j in (0..n).step_by(W) {
            while (reach[first] as usize) < j {
                first += 1;
            }
            let end = reach[(j + W).min(n) - 1] as usize + 1;
            let (before, panel) = a.split_at_mut(j * stride);
            let before = &before[first * stride..];
            if j + W <= n {
                // From above the diagonal to below the last row: what is
                // written there is never read.
                let strip = 2 * S::F64_LANES;
                for i in (j - j % strip..end).step_by(strip) {
                    update_strip(simd, before, panel, stride, j, i);
                }
            } else {
                update_corner(before, panel, n, stride, j);
            }
            let inverse = &mut inverse[j..(j + W).min(n)];
            factor_panel(panel, end, stride, j, inverse)?;
        }
        Ok(())
    }
}

/// Two registers of rows from i on: panel −= L[i.., ..j] L[j..j + W, ..j]ᵀ.
#[inline(always)]
fn update_strip<S: Simd>(
    simd: S,
    before: &[f64],
    panel: &mut [f64],
    stride: usize,
    j: usize,
    i: usize,
) {
    let strip = 2 * S::F64_LANES;
    let mut sum = [[simd.splat_f64s(0.0); 2]; W];
    for column in before.chunks_exact(stride) {
        let (factors, rows) = (&column[j..j + W], S::as_simd_f64s(&column[i..i + strip]).0);
        for q in 0..W {
            let factor = simd.splat_f64s(factors[q]);
            for h in 0..2 {
                sum[q][h] = simd.mul_add_f64s(factor, rows[h], sum[q][h]);
            }
        }
    }
    for q in 0..W {
        let target = S::as_mut_simd_f64s(&mut panel[q * stride + i..][..strip]).0;
        (0..2).for_each(|h| target[h] = simd.sub_f64s(target[h], sum[q][h]));
    }
}

/// The last panel, if it is narrower than W.
#[inline(always)]
fn update_corner(before: &[f64], panel: &mut [f64], n: usize, stride: usize, j: usize) {
    for column in before.chunks_exact(stride) {
        for c in j..n {
            for r in c..n {
                panel[(c - j) * stride + r] -= column[c] * column[r];
            }
        }
    }
}

/// Factors the panel whose first column is j and that ends before row n, all
/// earlier ones subtracted.
#[inline(always)]
fn factor_panel(
    panel: &mut [f64],
    n: usize,
    stride: usize,
    j: usize,
    inverse: &mut [f64],
) -> Result<(), Breakdown> {
    for q in j..j + inverse.len() {
        let (done, rest) = panel.split_at_mut((q - j) * stride);
        let column = &mut rest[q..n];
        for before in done.chunks_exact(stride) {
            let factor = before[q];
            column.iter_mut().zip(&before[q..n]).for_each(|(c, b)| *c -= factor * b);
        }
        let pivot = column[0];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(Breakdown);
        }
        let scale = 1.0 / pivot.sqrt();
        column.iter_mut().for_each(|c| *c *= scale);
        inverse[q - j] = scale;
    }
    Ok(())
}

/// Many sums at a time: one alone waits for every addition.
#[inline(always)]
pub(super) fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let ((chunks_a, rest_a), (chunks_b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in chunks_a.iter().zip(chunks_b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    (0..4).map(|k| sums[k] + sums[k + 4]).sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = LLᵀ with a known L gives L back, and the solution of a known system.
    #[test]
    fn factors_and_solves_all_sizes() {
        let sizes = (0..23).chain([64, 77, 150]);
        for (n, width) in sizes.flat_map(|n| [(n, n), (n, 1), (n, 5), (n, 30)]) {
            let reach = |j: usize| (j + width + 3 * (j / 7 % 3)).min(n - 1);
            let end = |j: usize| (0..=j).map(reach).max().unwrap_or(0);
            let l = |i: usize, j: usize| match i.cmp(&j) {
                std::cmp::Ordering::Less => 0.0,
                _ if i > end(j) => 0.0,
                std::cmp::Ordering::Equal => 12.0 + j as f64,
                std::cmp::Ordering::Greater => ((3 * i + 5 * j) % 7) as f64 - 3.0,
            };
            let entry = |i: usize, j: usize| (0..n).map(|k| l(i, k) * l(j, k)).sum::<f64>();
            let mut a = Dense::default();
            // What was there before must not matter.
            a.resize(n);
            (0..n).for_each(|j| a.column_mut(j).fill(f64::NAN));
            (0..n).for_each(|j| a.reach_mut()[j] = end(j) as u32);
            for j in 0..n {
                let column = a.cleared_column(j);
                (j..=end(j)).for_each(|i| column[i] = entry(i, j));
            }
            let exact: Vec<f64> = (0..n).map(|i| 1.0 - i as f64).collect();
            let mut x: Vec<f64> =
                (0..n).map(|i| (0..n).map(|j| entry(i, j) * exact[j]).sum()).collect();
            a.factor().expect("positive definite");
            for j in 0..n {
                let column = a.column_mut(j);
                (j..=end(j))
                    .for_each(|i| assert!((column[i] - l(i, j)).abs() < 1e-9, "{n} {i} {j}"));
            }
            a.solve(&mut x);
            x.iter().zip(&exact).for_each(|(x, e)| assert!((x - e).abs() < 1e-9, "{n}: {x} {e}"));
        }
    }

    #[test]
    fn indefinite_is_a_breakdown() {
        let mut a = Dense::default();
        for (n, value) in [(1, f64::NAN), (2, 1.0)] {
            a.resize(n);
            (0..n).for_each(|j| a.column_mut(j).fill(value));
            assert_eq!(a.factor(), Err(Breakdown));
        }
    }
}
