//! Sparse LU factorization of matrices whose pattern is symmetric, values not.
//!
//! **Problem**: factor the same pattern again and again with other values.
//! **Update**: that of [`super::supernodal`], left-looking by supernodes, with
//! two panels each: L by columns, and U by rows, which are the columns of Uᵀ. The
//! square on the diagonal lies in the first. Rows are exchanged within that square
//! only, so one analysis of the pattern serves all values.
//! **Cost**: twice that of Cholesky. Nothing is allocated after the analysis.
//! **Fails** where all of a column's candidates within its square are zero, or not
//! finite. Growth is not bounded as by exchanges among all rows: callers refine.
//! **Reference**: Schenk and Gärtner 2004, Solving unsymmetric sparse systems of
//! linear equations with PARDISO (exchanges within supernodes).

use pulp::{Arch, Simd, WithSimd};

use super::panel::{
    Kept, PACKED_COLUMNS, PACKED_DEPTH, PACKED_ROWS, Packs, ROWS, SLACK, STRIP, W, packed_products,
    products, subtract,
};
use super::supernodes::Supernodes;
use super::{Breakdown, vectorized};

/// Analysis, values and factors.
#[derive(Default)]
pub(crate) struct SupernodalLu {
    symbolic: Supernodes,
    /// The panels of L, one after the other, each with slack; then those of Uᵀ.
    values: Vec<f64>,
    starts: Vec<usize>,
    /// Where the panels of Uᵀ begin.
    upper: usize,
    /// Row exchanged with each column of a square, counted within it.
    exchanged: Vec<u32>,
    packs: Packs,
    y: Vec<f64>,
    z: Vec<f64>,
}

/// Where a block of entries is held: entry (r, c) of it at `at` + r·`row` +
/// c·`column`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spot {
    pub at: usize,
    pub row: usize,
    pub column: usize,
}

impl SupernodalLu {
    /// Takes over an analysis.
    pub fn set_symbolic(&mut self, symbolic: Supernodes) {
        self.starts.clear();
        let mut start = 0;
        for s in 0..symbolic.count() {
            self.starts.push(start);
            start += symbolic.width(s) * symbolic.height(s) + SLACK;
        }
        self.upper = start;
        self.values.clear();
        self.values.resize(2 * start, 0.0);
        self.exchanged.clear();
        self.exchanged.resize(symbolic.order(), 0);
        let panels = 0..symbolic.count();
        let width = panels.clone().map(|s| symbolic.width(s)).max().unwrap_or(0);
        let height = panels.map(|s| symbolic.height(s)).max().unwrap_or(0);
        self.packs.fit(width, height);
        self.y.clear();
        self.y.resize(symbolic.order(), 0.0);
        self.z.clear();
        self.z.resize(height, 0.0);
        self.symbolic = symbolic;
    }

    /// Multiplications of one factorization.
    pub fn flops(&self) -> f64 {
        2.0 * self.symbolic.flops()
    }

    /// Where entry (i, j) of the pattern is held; those of its block follow.
    pub fn spot(&self, i: usize, j: usize) -> Spot {
        let (s, row, column) = self.symbolic.place(i, j);
        let stride = self.symbolic.height(s);
        let at = self.starts[s] + column * stride + row;
        let is_lower = self.symbolic.inverse[i] >= self.symbolic.inverse[j];
        if is_lower || row < self.symbolic.width(s) {
            // Entries above the diagonal of the square lie in it as they are.
            let (r, c) = if is_lower { (row, column) } else { (column, row) };
            return Spot { at: self.starts[s] + c * stride + r, row: 1, column: stride };
        }
        Spot { at: self.upper + at, row: stride, column: 1 }
    }

    /// Sets all values to zero and hands them out to be added to.
    pub fn clear_values(&mut self) -> &mut [f64] {
        self.values.fill(0.0);
        &mut self.values
    }

    /// Factors the values.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        Arch::new().dispatch(Factor(self))
    }

    /// x ← A⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (y, &i) in self.y.iter_mut().zip(&self.symbolic.order) {
            *y = x[i as usize];
        }
        vectorized(
            #[inline(always)]
            || self.substitute(),
        );
        for (y, &i) in self.y.iter().zip(&self.symbolic.order) {
            x[i as usize] = *y;
        }
    }

    #[inline(always)]
    fn substitute(&mut self) {
        let SupernodalLu { symbolic, values, starts, upper, exchanged, y, z, .. } = self;
        let (lower, upper) = values.split_at(*upper);
        for s in 0..symbolic.count() {
            let (h, w) = (symbolic.height(s), symbolic.width(s));
            let (rows, panel) = (&symbolic.rows[symbolic.rows_of(s)], &lower[starts[s]..]);
            let z = &mut z[..h];
            z.iter_mut().zip(rows).for_each(|(z, &r)| *z = y[r as usize]);
            let first = symbolic.first[s] as usize;
            for c in 0..w {
                z.swap(c, exchanged[first + c] as usize);
            }
            for c in 0..w {
                let (top, below) = z.split_at_mut(c + 1);
                let column = &panel[c * h + c + 1..][..h - c - 1];
                below.iter_mut().zip(column).for_each(|(z, l)| *z -= top[c] * l);
            }
            z.iter().zip(rows).for_each(|(z, &r)| y[r as usize] = *z);
        }
        for s in (0..symbolic.count()).rev() {
            let (h, w) = (symbolic.height(s), symbolic.width(s));
            let rows = &symbolic.rows[symbolic.rows_of(s)];
            let (square, right) = (&lower[starts[s]..], &upper[starts[s]..]);
            let z = &mut z[..h];
            z.iter_mut().zip(rows).for_each(|(z, &r)| *z = y[r as usize]);
            let (top, below) = z.split_at_mut(w);
            for (c, top) in top.iter_mut().enumerate() {
                *top -= super::dense::sum_of_products(&right[c * h + w..][..h - w], below);
            }
            for c in (0..w).rev() {
                let column = &square[c * h..][..=c];
                top[c] /= column[c];
                let (above, rest) = top.split_at_mut(c);
                above.iter_mut().zip(column).for_each(|(t, u)| *t -= rest[0] * u);
            }
            top.iter().zip(rows).for_each(|(z, &r)| y[r as usize] = *z);
        }
    }
}

struct Factor<'a>(&'a mut SupernodalLu);

impl WithSimd for Factor<'_> {
    type Output = Result<(), Breakdown>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let SupernodalLu { symbolic, values, starts, upper, exchanged, packs, .. } = self.0;
        let (lower, upper) = values.split_at_mut(*upper);
        for s in 0..symbolic.count() {
            let (l_done, l) = lower.split_at_mut(starts[s]);
            let (u_done, u) = upper.split_at_mut(starts[s]);
            let (w, h) = (symbolic.width(s), symbolic.height(s));
            for (from, update) in symbolic.sources_of(s) {
                let k = Kept { columns: symbolic.width(from), rows: symbolic.height(from) };
                let (fl, fu) = (&l_done[starts[from]..], &u_done[starts[from]..]);
                let (begin, end) = (update.begin as usize, update.end as usize);
                let places = symbolic.relative_of(update);
                let mut part = Part { k, begin, end, first: begin, places, stride: h };
                part.subtract(simd, [fl, fu], l, packs);
                part.first = end;
                part.subtract(simd, [fu, fl], u, packs);
            }
            let first = symbolic.first[s] as usize;
            let exchanged = &mut exchanged[first..first + w];
            factor_square(l, w, h, exchanged)?;
            below(simd, l, w, h);
            right(simd, l, u, w, h, exchanged);
        }
        Ok(())
    }
}

/// The product of some rows of a panel with those rows of another that are
/// columns of the target.
struct Part<'a> {
    k: Kept,
    /// Positions of the rows that are columns of the target.
    begin: usize,
    end: usize,
    /// The first row that is multiplied.
    first: usize,
    /// Positions in the target of the rows from `begin` on.
    places: &'a [u32],
    stride: usize,
}

impl Part<'_> {
    /// target −= panel · otherᵀ.
    #[inline(always)]
    fn subtract<S: Simd>(
        &self,
        simd: S,
        panels: [&[f64]; 2],
        target: &mut [f64],
        packs: &mut Packs,
    ) {
        let (columns, rows) = (self.end - self.begin, self.k.rows - self.first);
        let large = columns >= PACKED_COLUMNS && self.k.columns >= PACKED_DEPTH;
        if rows == 0 {
        } else if large && rows >= PACKED_ROWS {
            self.subtract_packed(simd, panels, target, packs);
        } else {
            self.subtract_in_place(simd, panels, target);
        }
    }

    #[inline(always)]
    fn subtract_in_place<S: Simd>(&self, simd: S, panels: [&[f64]; 2], target: &mut [f64]) {
        let length = 2 * S::F64_LANES;
        let mut out = [[0.0; STRIP]; W];
        for j in (self.begin..self.end).step_by(W) {
            let end = self.end.min(j + W);
            let columns = &self.places[j - self.begin..end - self.begin];
            let q = std::array::from_fn(|w| (j + w).min(end - 1));
            for i in (self.first..self.k.rows).step_by(length) {
                products(simd, panels, self.k, i, q, &mut out);
                let stop = (i + length).min(self.k.rows);
                let rows = &self.places[i - self.begin..stop - self.begin];
                subtract(target, self.stride, rows, columns, &out);
            }
        }
    }

    #[inline(always)]
    fn subtract_packed<S: Simd>(
        &self,
        simd: S,
        [panel, other]: [&[f64]; 2],
        target: &mut [f64],
        packs: &mut Packs,
    ) {
        let (k, length) = (self.k, 2 * S::F64_LANES);
        let mut out = [[0.0; STRIP]; W];
        packs.pack_blocks(other, k, self.begin..self.end);
        for start in (self.first..k.rows).step_by(ROWS) {
            let stop = (start + ROWS).min(k.rows);
            packs.pack_rows::<S>(panel, k, start..stop);
            let blocks = packs.blocks.chunks_exact(k.columns);
            for (j, block) in (self.begin..self.end).step_by(W).zip(blocks) {
                let columns = &self.places[j - self.begin..self.end.min(j + W) - self.begin];
                let strips = packs.strips.chunks_exact(k.columns * length);
                for (i, strip) in (start..stop).step_by(length).zip(strips) {
                    packed_products(simd, strip, block, &mut out);
                    let end = (i + length).min(stop);
                    let rows = &self.places[i - self.begin..end - self.begin];
                    subtract(target, self.stride, rows, columns, &out);
                }
            }
        }
    }
}

/// LU of the square with exchanges of its rows.
#[inline(always)]
fn factor_square(
    panel: &mut [f64],
    w: usize,
    h: usize,
    exchanged: &mut [u32],
) -> Result<(), Breakdown> {
    for j in 0..w {
        let (before, rest) = panel.split_at_mut(j * h);
        let column = &mut rest[..w];
        for k in 0..j {
            column.swap(k, exchanged[k] as usize);
        }
        for k in 0..j {
            let (above, below) = column.split_at_mut(k + 1);
            let l = &before[k * h + k + 1..][..w - k - 1];
            below.iter_mut().zip(l).for_each(|(c, l)| *c -= above[k] * l);
        }
        let mut pivot = j;
        for i in j + 1..w {
            if column[i].abs() > column[pivot].abs() {
                pivot = i;
            }
        }
        let size = column[pivot].abs();
        if !(size > 0.0 && size.is_finite()) {
            return Err(Breakdown);
        }
        exchanged[j] = pivot as u32;
        column.swap(j, pivot);
        let scale = 1.0 / column[j];
        column[j + 1..].iter_mut().for_each(|c| *c *= scale);
        (0..j).for_each(|k| before[k * h..][..w].swap(j, pivot));
    }
    Ok(())
}

/// Rows below the square: L ← L U⁻¹, in blocks of columns.
#[inline(always)]
fn below<S: Simd>(simd: S, panel: &mut [f64], w: usize, h: usize) {
    let length = 2 * S::F64_LANES;
    let mut out = [[0.0; STRIP]; W];
    for j in (0..w).step_by(W) {
        let n = W.min(w - j);
        if j > 0 {
            for i in (w..h).step_by(length) {
                // Σ over the columns before of L[i, k]·U[k, j + q].
                let mut sum = [[simd.splat_f64s(0.0); 2]; W];
                for k in 0..j {
                    let rows = S::as_simd_f64s(&panel[k * h + i..][..length]).0;
                    for (q, sum) in sum.iter_mut().enumerate() {
                        let factor = simd.splat_f64s(panel[(j + q.min(n - 1)) * h + k]);
                        (0..2).for_each(|r| sum[r] = simd.mul_add_f64s(factor, rows[r], sum[r]));
                    }
                }
                for (out, sum) in out.iter_mut().zip(sum) {
                    S::as_mut_simd_f64s(&mut out[..length]).0.copy_from_slice(&sum);
                }
                let end = (i + length).min(h);
                for (q, out) in out[..n].iter().enumerate() {
                    let target = &mut panel[(j + q) * h + i..(j + q) * h + end];
                    target.iter_mut().zip(out).for_each(|(t, u)| *t -= u);
                }
            }
        }
        for c in j..j + n {
            let (done, rest) = panel.split_at_mut(c * h);
            let (top, column) = rest[..h].split_at_mut(w);
            for k in j..c {
                let before = &done[k * h + w..][..h - w];
                column.iter_mut().zip(before).for_each(|(x, b)| *x -= top[k] * b);
            }
            let scale = 1.0 / top[c];
            column.iter_mut().for_each(|x| *x *= scale);
        }
    }
}

/// Columns right of the square: U ← L⁻¹ P U, held as columns of Uᵀ.
#[inline(always)]
fn right<S: Simd>(simd: S, square: &[f64], u: &mut [f64], w: usize, h: usize, exchanged: &[u32]) {
    for c in 0..w {
        let p = exchanged[c] as usize;
        if p != c {
            let (low, high) = u.split_at_mut(p * h);
            low[c * h + w..c * h + h].swap_with_slice(&mut high[w..h]);
        }
    }
    let length = 2 * S::F64_LANES;
    let mut out = [[0.0; STRIP]; W];
    for j in (0..w).step_by(W) {
        let n = W.min(w - j);
        if j > 0 {
            let before = Kept { columns: j, rows: h };
            let q = std::array::from_fn(|q| j + q.min(n - 1));
            for i in (w..h).step_by(length) {
                products(simd, [u, square], before, i, q, &mut out);
                let end = (i + length).min(h);
                for (q, out) in out[..n].iter().enumerate() {
                    let target = &mut u[(j + q) * h + i..(j + q) * h + end];
                    target.iter_mut().zip(out).for_each(|(t, u)| *t -= u);
                }
            }
        }
        for c in j + 1..j + n {
            let (done, rest) = u.split_at_mut(c * h);
            let column = &mut rest[w..h];
            for k in j..c {
                let before = &done[k * h + w..][..h - w];
                let factor = square[k * h + c];
                column.iter_mut().zip(before).for_each(|(x, b)| *x -= factor * b);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;
    use crate::linalg::{compressed, minimum_degree};

    /// Random symmetric patterns of blocks, values of no symmetry.
    #[test]
    fn solves_without_symmetry() {
        let mut rng = Rng::new(3);
        for (n, size) in [(0, 1), (1, 1), (9, 1), (60, 3), (200, 1), (40, 6), (300, 3)] {
            let columns = (0..n as u32).map(|j| {
                let below = (j + 1..n as u32).filter(|_| rng.uniform() < 4.0 / n as f64);
                std::iter::once(j).chain(below).collect()
            });
            let (col_ptr, row_idx) = compressed(columns.collect());
            let order = minimum_degree(&col_ptr, &row_idx).expect("order");
            let mut lu = SupernodalLu::default();
            lu.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &order, size));
            let m = n * size;
            let mut a = vec![0.0; m * m];
            for _ in 0..2 {
                for j in 0..n {
                    for &i in &row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize] {
                        for (r, c) in (0..size).flat_map(|r| (0..size).map(move |c| (r, c))) {
                            let (r, c) = (i as usize * size + r, j * size + c);
                            a[r * m + c] = rng.uniform() - 0.5;
                            a[c * m + r] = rng.uniform() - 0.5;
                        }
                    }
                }
                for c in 0..m {
                    // The pivots lie off the diagonal.
                    a[(c - c % size + (c + 1) % size) * m + c] = 20.0;
                }
                lu.clear_values();
                for (i, j) in (0..m).flat_map(|i| (0..m).map(move |j| (i, j))) {
                    if a[i * m + j] != 0.0 {
                        let (bi, bj) = (i - i % size, j - j % size);
                        let s = lu.spot(bi, bj);
                        lu.values[s.at + (i - bi) * s.row + (j - bj) * s.column] += a[i * m + j];
                    }
                }
                lu.factor().expect("regular");
                let exact: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
                let row = |i: usize| (0..m).map(|j| a[i * m + j] * exact[j]).sum();
                let mut x: Vec<f64> = (0..m).map(row).collect();
                lu.solve(&mut x);
                x.iter().zip(&exact).for_each(|(x, e)| assert!((x - e).abs() < 1e-9, "{n} {size}"));
            }
        }
        assert!(SupernodalLu::default().flops() == 0.0);
    }

    #[test]
    fn singular_is_a_breakdown() {
        let mut lu = SupernodalLu::default();
        lu.set_symbolic(Supernodes::new(&[0, 2, 3], &[0, 1, 1], &[0, 1], 1));
        lu.clear_values().fill(1.0);
        assert_eq!(lu.factor(), Err(Breakdown));
    }
}
