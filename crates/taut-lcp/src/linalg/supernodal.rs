//! Sparse Cholesky factorization whose rows may be switched off.
//!
//! **Problem**: factor the same sparse symmetric matrix again and again, with
//! other values and with other rows and columns left out.
//! **Update**: left-looking, supernode by supernode. A panel holds the columns
//! of one supernode, dense; the outer products of its descendants are subtracted
//! from it through positions found beforehand, left-out rows and columns are
//! squeezed out of it, and it is factored. Panels whose values, rows and
//! descendants are what they were stay as they are.
//! **Cost**: one analysis serves every set of rows; a factorization costs the
//! arithmetic of the rows kept, in the pattern of all, from the panels on that
//! have changed. Nothing is allocated after the analysis. The dense work on panels
//! is in [`super::panel`].
//! **Fails** where the matrix is not positive definite to working precision.
//! **Reference**: Ng and Peyton 1993, Block sparse Cholesky algorithms; Davis,
//! Direct Methods for Sparse Linear Systems, ch. 4.

use pulp::{Arch, Simd, WithSimd};

use super::panel::{Kept, Packs, Place, SLACK, factor_panel, subtract_product};
use super::substitution::{backward, forward};
use super::supernodes::Supernodes;
use super::{Breakdown, vectorized};

/// Analysis, values and factor.
#[derive(Default)]
pub(crate) struct Supernodal {
    pub(super) symbolic: Supernodes,
    /// The panels, one after the other, each with [`SLACK`] entries of slack.
    pub(super) values: Vec<f64>,
    pub(super) starts: Vec<usize>,
    pub(super) kept: Vec<Kept>,
    /// By elimination: whether the row takes part.
    active: Vec<bool>,
    /// Panels that have to be factored anew.
    stale: Vec<bool>,
    /// Positions of the kept rows within the full panel, supernode after
    /// supernode as in `symbolic.rows`.
    positions: Vec<u32>,
    /// The kept rows themselves.
    kept_rows: Vec<u32>,
    packs: Packs,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Supernodal {
    /// Takes over an analysis.
    pub fn set_symbolic(&mut self, symbolic: Supernodes) {
        self.starts.clear();
        let mut start = 0;
        for s in 0..symbolic.count() {
            self.starts.push(start);
            start += symbolic.width(s) * symbolic.height(s) + SLACK;
        }
        let n = symbolic.order();
        self.values.clear();
        self.values.resize(start, 0.0);
        self.kept.clear();
        self.kept.resize(symbolic.count(), Kept::default());
        self.active.clear();
        self.active.resize(n, true);
        self.stale.clear();
        self.stale.resize(symbolic.count(), true);
        for v in [&mut self.positions, &mut self.kept_rows] {
            v.clear();
            v.resize(symbolic.rows.len(), 0);
        }
        self.y.clear();
        self.y.resize(n, 0.0);
        let panels = 0..symbolic.count();
        let width = panels.clone().map(|s| symbolic.width(s)).max().unwrap_or(0);
        let height = panels.map(|s| symbolic.height(s)).max().unwrap_or(0);
        self.packs.fit(width, height);
        self.z.clear();
        self.z.resize(height, 0.0);
        self.symbolic = symbolic;
    }

    /// The analysis in use.
    pub fn symbolic(&self) -> &Supernodes {
        &self.symbolic
    }

    /// Multiplications of one factorization with all rows.
    pub fn flops(&self) -> f64 {
        self.symbolic.flops()
    }

    /// Entries of the factor with all rows, stored zeros included.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Where entry (i, j) of the pattern is held, and how far the next column
    /// of its panel is.
    pub fn slot(&self, i: usize, j: usize) -> Slot {
        let (s, row, column) = self.symbolic.place(i, j);
        let stride = self.symbolic.height(s);
        Slot { at: self.starts[s] + column * stride + row, stride }
    }

    /// Whether column i is eliminated before column j.
    pub fn is_before(&self, i: usize, j: usize) -> bool {
        self.symbolic.inverse[i] < self.symbolic.inverse[j]
    }

    /// Sets all values to zero and hands them out to be added to at their
    /// slots. Of rows to be left out, only the others' columns must stay zero.
    #[cfg(test)]
    pub fn clear_values(&mut self) -> &mut [f64] {
        self.touch_all();
        self.clear_stale()
    }

    /// Says that all values change.
    pub fn touch_all(&mut self) {
        self.stale.fill(true);
    }

    /// Says that values in column i change, or in its row.
    pub fn touch(&mut self, i: usize) {
        let s = self.symbolic.of_row(i);
        self.stale[s] = true;
    }

    /// Whether the panel of column i must be written anew.
    pub fn is_stale(&self, i: usize) -> bool {
        self.stale[self.symbolic.of_row(i)]
    }

    /// Number of panels.
    pub fn panels(&self) -> usize {
        self.symbolic.count()
    }

    /// Where the values of panel s end.
    pub fn panel_end(&self, s: usize) -> usize {
        self.starts.get(s + 1).copied().unwrap_or(self.values.len())
    }

    /// The values, to be added to at their slots in panels that are stale.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Whether panel s must be written anew.
    pub fn is_panel_stale(&self, s: usize) -> bool {
        self.stale[s]
    }

    /// Sets the values of all panels to zero that changes reach, and hands them
    /// out to be added to.
    pub fn clear_stale(&mut self) -> &mut [f64] {
        for s in 0..self.symbolic.count() {
            if self.stale[s] {
                let end = self.panel_end(s);
                self.values[self.starts[s]..end].fill(0.0);
                if let Some(p) = self.symbolic.parent(s) {
                    self.stale[p] = true;
                }
            }
        }
        &mut self.values
    }

    /// Which rows take part from now on.
    pub fn set_active(&mut self, is_active: impl Fn(usize) -> bool) {
        // For the moment, 0.0 marks the rows that change.
        for ((active, &i), y) in self.active.iter_mut().zip(&self.symbolic.order).zip(&mut self.y) {
            let now = is_active(i as usize);
            *y = if *active == now { 1.0 } else { 0.0 };
            *active = now;
        }
        for s in 0..self.symbolic.count() {
            let rows = &self.symbolic.rows[self.symbolic.rows_of(s)];
            self.stale[s] |= rows.iter().any(|&r| self.y[r as usize] == 0.0);
        }
    }

    /// Factors the values.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        let done = Arch::new().dispatch(Factor(self));
        self.stale.fill(done.is_err());
        done
    }

    /// Columns, rows and values of a factored panel, and which rows they are.
    #[inline(always)]
    pub(super) fn panel(&self, s: usize) -> (Kept, &[f64], &[u32]) {
        let (k, at) = (self.kept[s], self.symbolic.rows_of(s).start);
        (k, &self.values[self.starts[s]..], &self.kept_rows[at..at + k.rows])
    }

    /// x ← (L Lᵀ)⁻¹ x on the rows that take part; the others stay.
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
        let (mut y, mut z) = (std::mem::take(&mut self.y), std::mem::take(&mut self.z));
        for s in 0..self.symbolic.count() {
            let (k, panel, rows) = self.panel(s);
            if rows[..k.columns].iter().all(|&r| y[r as usize] == 0.0) {
                continue; // so is all that it gives
            }
            let z = &mut z[..k.rows];
            z.iter_mut().zip(rows).for_each(|(z, &r)| *z = y[r as usize]);
            forward(panel, k, z);
            z.iter().zip(rows).for_each(|(z, &r)| y[r as usize] = *z);
        }
        for s in (0..self.symbolic.count()).rev() {
            let (k, panel, rows) = self.panel(s);
            let z = &mut z[..k.rows];
            z.iter_mut().zip(rows).for_each(|(z, &r)| *z = y[r as usize]);
            backward(panel, k, z);
            z[..k.columns].iter().zip(rows).for_each(|(z, &r)| y[r as usize] = *z);
        }
        (self.y, self.z) = (y, z);
    }
}

/// Place of an entry among the values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    pub at: usize,
    pub stride: usize,
}

struct Factor<'a>(&'a mut Supernodal);

impl WithSimd for Factor<'_> {
    type Output = Result<(), Breakdown>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Supernodal {
            symbolic,
            values,
            starts,
            kept,
            active,
            stale,
            positions,
            kept_rows,
            packs,
            ..
        } = self.0;
        for s in (0..symbolic.count()).filter(|&s| stale[s]) {
            let (done, rest) = values.split_at_mut(starts[s]);
            for (from, update) in symbolic.sources_of(s) {
                let at = symbolic.rows_of(from);
                let place = Place {
                    begin: update.begin as usize,
                    end: update.end as usize,
                    relative: symbolic.relative_of(update),
                    stride: symbolic.height(s),
                };
                let (k, panel) = (kept[from], &done[starts[from]..]);
                let positions = &positions[at.start..at.start + k.rows];
                subtract_product(simd, panel, k, positions, &place, rest, packs);
            }
            let at = symbolic.rows_of(s);
            let (rows, positions) = (&symbolic.rows[at.clone()], &mut positions[at.clone()]);
            let k = squeeze(rest, symbolic.width(s), rows, active, positions);
            let kept_rows = kept_rows[at].iter_mut().zip(&positions[..k.rows]);
            kept_rows.for_each(|(r, &p)| *r = rows[p as usize]);
            kept[s] = k;
            factor_panel(simd, rest, k, packs)?;
        }
        Ok(())
    }
}

/// Moves the rows and columns that take part to the front of the panel.
#[inline(always)]
fn squeeze(
    panel: &mut [f64],
    width: usize,
    rows: &[u32],
    active: &[bool],
    positions: &mut [u32],
) -> Kept {
    let (h, mut kept) = (rows.len(), Kept::default());
    for (p, &row) in rows.iter().enumerate() {
        positions[kept.rows] = p as u32;
        kept.rows += usize::from(active[row as usize]);
        kept.columns += usize::from(active[row as usize] && p < width);
    }
    if kept.rows < h {
        for c in 0..kept.columns {
            let from = positions[c] as usize * h;
            for r in c..kept.rows {
                panel[c * kept.rows + r] = panel[from + positions[r] as usize];
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;
    use crate::linalg::minimum_degree;

    /// A random pattern of n blocks of `size`, and a dominant matrix on it.
    fn random(n: usize, size: usize, rng: &mut Rng) -> (Vec<u32>, Vec<u32>, Vec<f64>) {
        let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
        for j in 0..n as u32 {
            row_idx.push(j);
            row_idx.extend((j + 1..n as u32).filter(|_| rng.uniform() < 3.0 / n as f64));
            col_ptr.push(row_idx.len() as u32);
        }
        let order = n * size;
        let mut a = vec![0.0; order * order];
        for j in 0..n {
            for &i in &row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize] {
                for (r, c) in (0..size).flat_map(|r| (0..size).map(move |c| (r, c))) {
                    let (r, c) = (i as usize * size + r, j * size + c);
                    let v = if r == c { 20.0 * size as f64 } else { rng.uniform() - 0.5 };
                    (a[r * order + c], a[c * order + r]) = (v, v);
                }
            }
        }
        (col_ptr, row_idx, a)
    }

    #[test]
    fn solves_with_any_rows_left_out() {
        let mut rng = Rng::new(1);
        for (n, size) in [(1, 1), (7, 1), (40, 1), (150, 1), (3, 6), (30, 6), (25, 3), (90, 6)] {
            let (col_ptr, row_idx, a) = random(n, size, &mut rng);
            let amd = minimum_degree(&col_ptr, &row_idx).expect("order");
            let mut c = Supernodal::default();
            c.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &amd, size));
            let m = n * size;
            for share in [1.0, 0.6, 0.1, 0.0, 1.0] {
                let active: Vec<bool> = (0..m).map(|_| rng.uniform() < share).collect();
                c.clear_values();
                for i in 0..m {
                    for j in (0..=i).filter(|&j| a[i * m + j] != 0.0) {
                        let slot = c.slot(i, j);
                        let keep = active[i] && active[j];
                        c.values[slot.at] += if keep { a[i * m + j] } else { 0.0 };
                    }
                }
                c.set_active(|i| active[i]);
                c.factor().expect("positive definite");
                let exact: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
                let kept = |i: usize| if active[i] { exact[i] } else { 0.0 };
                let mut x: Vec<f64> =
                    (0..m).map(|i| (0..m).map(|j| a[i * m + j] * kept(j)).sum()).collect();
                c.solve(&mut x);
                for i in (0..m).filter(|&i| active[i]) {
                    assert!((x[i] - exact[i]).abs() < 1e-12, "{n} {size} {share}: row {i}");
                }
            }
        }
    }

    /// Writes a into the panels that are stale.
    fn write(c: &mut Supernodal, a: &[f64], active: &[bool]) {
        let m = active.len();
        c.clear_stale();
        for i in 0..m {
            for j in (0..=i).filter(|&j| a[i * m + j] != 0.0 && active[i] && active[j]) {
                let (slot, first) = (c.slot(i, j), if c.is_before(i, j) { i } else { j });
                if c.is_stale(first) {
                    c.values_mut()[slot.at] = a[i * m + j];
                }
            }
        }
    }

    #[test]
    fn what_changes_do_not_reach_stays() {
        let mut rng = Rng::new(2);
        for (n, size) in [(60, 1), (200, 1), (40, 6), (90, 6)] {
            let (col_ptr, row_idx, mut a) = random(n, size, &mut rng);
            let amd = minimum_degree(&col_ptr, &row_idx).expect("order");
            let analysed = || {
                let mut c = Supernodal::default();
                c.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &amd, size));
                c
            };
            let (m, mut kept) = (n * size, analysed());
            let mut active = vec![true; m];
            let mut spared = 0;
            for _ in 0..20 {
                let (i, j) = (rng.index(m), rng.index(m));
                a[i * m + i] += 1.0;
                active[j] = !active[j];
                kept.touch(i);
                kept.set_active(|i| active[i]);
                write(&mut kept, &a, &active);
                spared += (0..kept.panels()).filter(|&s| !kept.is_panel_stale(s)).count();
                kept.factor().expect("positive definite");
                let mut fresh = analysed();
                fresh.set_active(|i| active[i]);
                write(&mut fresh, &a, &active);
                fresh.factor().expect("positive definite");
                let rhs: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
                let (mut x, mut y) = (rhs.clone(), rhs);
                kept.solve(&mut x);
                fresh.solve(&mut y);
                assert_eq!(x, y);
            }
            assert!(spared > 0);
        }
    }

    #[test]
    fn indefinite_is_a_breakdown() {
        let mut c = Supernodal::default();
        c.set_symbolic(Supernodes::new(&[0, 2, 3], &[0, 1, 1], &[0, 1], 1));
        c.clear_values().fill(1.0);
        assert_eq!(c.factor(), Err(Breakdown));
    }
}
