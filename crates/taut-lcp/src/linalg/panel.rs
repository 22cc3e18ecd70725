//! Dense kernels on the panels of [`super::supernodal`]: the product of one
//! panel subtracted from another, and the factorization of one.
//!
//! A panel lies in columns. Products of small ones are formed where they lie.
//! Of large ones a strip of rows and the rows they are multiplied by are copied
//! to packs first, in the order in which they are read: columns as far apart as a
//! tall panel's fall on the same lines of the cache and on pages of their own.
//! Both ways add in the same order, so they agree bit for bit.
//! **Reference**: Goto and van de Geijn 2008, Anatomy of high-performance matrix
//! multiplication (packing).

use std::ops::Range;

use pulp::Simd;

use super::Breakdown;

/// Columns of one register block.
pub(super) const W: usize = 6;
/// Rows of the longest strip, for the widest registers.
pub(super) const STRIP: usize = 16;
/// Rows that are packed at once, in strips.
pub(super) const ROWS: usize = 64;
/// Entries after a panel that may be read with its last strip.
pub(super) const SLACK: usize = STRIP;
/// Packs are worth their copies from this many columns of a product on, this
/// depth and this many rows. (By trial, docs/bench/growth.md; sizes of packs after Goto and van de
/// Geijn 2008.)
pub(super) const PACKED_COLUMNS: usize = 12;
pub(super) const PACKED_DEPTH: usize = 12;
pub(super) const PACKED_ROWS: usize = 48;

/// What a panel holds once it is factored: order (columns, rows) of the rows
/// kept.
#[derive(Clone, Copy, Default)]
pub(super) struct Kept {
    pub columns: usize,
    pub rows: usize,
}

/// How a panel's rows lie in the panel of an ancestor.
pub(super) struct Place<'a> {
    /// Positions of those that are columns of the ancestor.
    pub begin: usize,
    pub end: usize,
    /// Positions in the ancestor of the rows from `begin` on.
    pub relative: &'a [u32],
    /// Height of the ancestor.
    pub stride: usize,
}

impl Place<'_> {
    /// The rows that are columns of the ancestor, among those kept, and the
    /// positions in it of all rows from there on.
    #[inline(always)]
    fn kept<'a>(
        &'a self,
        positions: &[u32],
        memory: &'a mut Vec<u32>,
    ) -> (Range<usize>, &'a [u32]) {
        if positions.len() == self.begin + self.relative.len() {
            return (self.begin..self.end, self.relative);
        }
        let from = positions.partition_point(|&p| (p as usize) < self.begin);
        let count = positions[from..].partition_point(|&p| (p as usize) < self.end);
        memory.clear();
        memory.extend(positions[from..].iter().map(|&p| self.relative[p as usize - self.begin]));
        (from..from + count, memory)
    }
}

/// target −= out, on these rows and columns of it.
#[inline(always)]
pub(super) fn subtract(
    target: &mut [f64],
    stride: usize,
    rows: &[u32],
    columns: &[u32],
    out: &[[f64; STRIP]; W],
) {
    let (low, high) = (rows[0] as usize, rows[rows.len() - 1] as usize);
    let contiguous = high - low + 1 == rows.len();
    for (&column, out) in columns.iter().zip(out) {
        let target = &mut target[column as usize * stride..][..stride];
        if contiguous {
            target[low..=high].iter_mut().zip(out).for_each(|(t, u)| *t -= u);
        } else {
            rows.iter().zip(out).for_each(|(&r, u)| target[r as usize] -= u);
        }
    }
}

/// Copies of what is multiplied, in the order in which it is read.
#[derive(Default)]
pub(super) struct Packs {
    /// Positions of rows in an ancestor, where not all are kept.
    places: Vec<u32>,
    /// Strips of rows, each column by column.
    pub strips: Vec<f64>,
    /// Blocks of W rows, column by column.
    pub blocks: Vec<[f64; W]>,
}

impl Packs {
    /// Makes room for panels up to this width and height.
    pub fn fit(&mut self, width: usize, height: usize) {
        self.places.clear();
        self.places.reserve(height);
        self.strips.clear();
        self.strips.resize(width * ROWS, 0.0);
        self.blocks.clear();
        self.blocks.resize(width * width.div_ceil(W), [0.0; W]);
    }

    /// Copies the rows q; past the last one, zeros.
    #[inline(always)]
    pub fn pack_blocks(&mut self, panel: &[f64], k: Kept, q: Range<usize>) {
        for c in 0..k.columns {
            let (full, rest) = panel[c * k.rows..][q.clone()].as_chunks::<W>();
            let mut blocks = self.blocks[c..].iter_mut().step_by(k.columns);
            full.iter().zip(&mut blocks).for_each(|(values, block)| *block = *values);
            if let (false, Some(block)) = (rest.is_empty(), blocks.next()) {
                *block = [0.0; W];
                block[..rest.len()].copy_from_slice(rest);
            }
        }
    }

    /// Copies these rows; where the last strip is longer, what follows.
    #[inline(always)]
    pub fn pack_rows<S: Simd>(&mut self, panel: &[f64], k: Kept, rows: Range<usize>) {
        let length = 2 * S::F64_LANES;
        let count = rows.len().div_ceil(length);
        for c in 0..k.columns {
            let column = panel[c * k.rows + rows.start..][..count * length].chunks_exact(length);
            let strips = self.strips.chunks_exact_mut(length).skip(c).step_by(k.columns);
            for (strip, values) in strips.zip(column) {
                S::as_mut_simd_f64s(strip).0.copy_from_slice(S::as_simd_f64s(values).0);
            }
        }
    }
}

/// out[q] = rows i.. of the product of the panel's first `columns` columns with
/// the rows `q` of another of the same size (of Cholesky: the same).
#[inline(always)]
pub(super) fn products<S: Simd>(
    simd: S,
    [panel, other]: [&[f64]; 2],
    k: Kept,
    i: usize,
    q: [usize; W],
    out: &mut [[f64; STRIP]; W],
) {
    let strip = 2 * S::F64_LANES;
    let mut sum = [[simd.splat_f64s(0.0); 2]; W];
    for c in 0..k.columns {
        let (column, factors) = (&panel[c * k.rows..], &other[c * k.rows..]);
        let rows = S::as_simd_f64s(&column[i..i + strip]).0;
        for (sum, q) in sum.iter_mut().zip(q) {
            let factor = simd.splat_f64s(factors[q]);
            (0..2).for_each(|h| sum[h] = simd.mul_add_f64s(factor, rows[h], sum[h]));
        }
    }
    for (out, sum) in out.iter_mut().zip(sum) {
        S::as_mut_simd_f64s(&mut out[..strip]).0.copy_from_slice(&sum);
    }
}

/// The same of packs: two registers of rows, W of columns.
#[inline(always)]
pub(super) fn packed_products<S: Simd>(
    simd: S,
    strip: &[f64],
    block: &[[f64; W]],
    out: &mut [[f64; STRIP]; W],
) {
    let mut sum = [[simd.splat_f64s(0.0); 2]; W];
    let columns = S::as_simd_f64s(strip).0.as_chunks::<2>().0;
    for (rows, factors) in columns.iter().zip(block) {
        for (sum, factor) in sum.iter_mut().zip(factors) {
            let factor = simd.splat_f64s(*factor);
            (0..2).for_each(|h| sum[h] = simd.mul_add_f64s(factor, rows[h], sum[h]));
        }
    }
    for (out, sum) in out.iter_mut().zip(sum) {
        S::as_mut_simd_f64s(&mut out[..2 * S::F64_LANES]).0.copy_from_slice(&sum);
    }
}

/// target −= L L_Qᵀ, Q the rows of the panel that are columns of the target.
#[inline(always)]
pub(super) fn subtract_product<S: Simd>(
    simd: S,
    panel: &[f64],
    k: Kept,
    positions: &[u32],
    place: &Place,
    target: &mut [f64],
    packs: &mut Packs,
) {
    if k.columns == 0 {
        return;
    }
    let mut memory = std::mem::take(&mut packs.places);
    let (q, places) = place.kept(positions, &mut memory);
    if q.len() >= PACKED_COLUMNS && k.columns >= PACKED_DEPTH && places.len() >= PACKED_ROWS {
        subtract_packed(simd, panel, k, q, places, place.stride, target, packs);
    } else {
        subtract_in_place(simd, panel, k, q, places, place.stride, target);
    }
    packs.places = memory;
}

/// Small products, formed from the panel where it lies.
#[inline(always)]
fn subtract_in_place<S: Simd>(
    simd: S,
    panel: &[f64],
    k: Kept,
    q: Range<usize>,
    places: &[u32],
    stride: usize,
    target: &mut [f64],
) {
    let length = 2 * S::F64_LANES;
    let mut out = [[0.0; STRIP]; W];
    for j in q.clone().step_by(W) {
        let end = q.end.min(j + W);
        let columns = &places[j - q.start..end - q.start];
        let rows = std::array::from_fn(|w| (j + w).min(end - 1));
        for i in (j..k.rows).step_by(length) {
            products(simd, [panel, panel], k, i, rows, &mut out);
            let rows = &places[i - q.start..(i + length).min(k.rows) - q.start];
            subtract(target, stride, rows, columns, &out);
        }
    }
}

/// Large products, formed from packs.
#[inline(always)]
#[expect(clippy::too_many_arguments)]
fn subtract_packed<S: Simd>(
    simd: S,
    panel: &[f64],
    k: Kept,
    q: Range<usize>,
    places: &[u32],
    stride: usize,
    target: &mut [f64],
    packs: &mut Packs,
) {
    let length = 2 * S::F64_LANES;
    let mut out = [[0.0; STRIP]; W];
    packs.pack_blocks(panel, k, q.clone());
    for start in (q.start..k.rows).step_by(ROWS) {
        let stop = (start + ROWS).min(k.rows);
        packs.pack_rows::<S>(panel, k, start..stop);
        let blocks = packs.blocks.chunks_exact(k.columns);
        for (j, block) in (q.start..q.end.min(stop)).step_by(W).zip(blocks) {
            let columns = &places[j - q.start..q.end.min(j + W) - q.start];
            let strips = packs.strips.chunks_exact(k.columns * length);
            for (i, strip) in (start..stop).step_by(length).zip(strips) {
                let end = (i + length).min(stop);
                // Above the diagonal nothing is needed.
                if j < end {
                    packed_products(simd, strip, block, &mut out);
                    let rows = &places[i - q.start..end - q.start];
                    subtract(target, stride, rows, columns, &out);
                }
            }
        }
    }
}

/// Dense Cholesky of the panel's columns.
#[inline(always)]
pub(super) fn factor_panel<S: Simd>(
    simd: S,
    panel: &mut [f64],
    k: Kept,
    packs: &mut Packs,
) -> Result<(), Breakdown> {
    if k.columns >= PACKED_DEPTH && k.rows - k.columns >= PACKED_ROWS {
        factor_rows(simd, panel, k, k.columns)?;
        solve_rows(simd, panel, k, packs);
        return Ok(());
    }
    factor_rows(simd, panel, k, k.rows)
}

/// Factors the first rows of the panel, at least as many as it has columns.
#[inline(always)]
fn factor_rows<S: Simd>(simd: S, panel: &mut [f64], k: Kept, rows: usize) -> Result<(), Breakdown> {
    let (strip, h) = (2 * S::F64_LANES, k.rows);
    let mut out = [[0.0; STRIP]; W];
    for j in (0..k.columns).step_by(W) {
        let w = W.min(k.columns - j);
        let before = Kept { columns: j, rows: h };
        if j > 0 {
            for i in (j..rows).step_by(strip) {
                let q = std::array::from_fn(|q| j + q.min(w - 1));
                products(simd, [panel, panel], before, i, q, &mut out);
                for (q, out) in out[..w].iter().enumerate() {
                    let end = (i + strip).min(rows);
                    let target = &mut panel[(j + q) * h + i..(j + q) * h + end];
                    target.iter_mut().zip(out).for_each(|(t, u)| *t -= u);
                }
            }
        }
        for q in j..j + w {
            let (done, rest) = panel.split_at_mut(q * h);
            let column = &mut rest[q..rows];
            for before in done[j * h..].chunks_exact(h) {
                let factor = before[q];
                column.iter_mut().zip(&before[q..]).for_each(|(c, b)| *c -= factor * b);
            }
            let pivot = column[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(Breakdown);
            }
            column[0] = pivot.sqrt();
            let scale = 1.0 / column[0];
            column[1..].iter_mut().for_each(|c| *c *= scale);
        }
    }
    Ok(())
}

/// The rows below the columns, whose triangle is factored, strip by strip.
#[inline(always)]
fn solve_rows<S: Simd>(simd: S, panel: &mut [f64], k: Kept, packs: &mut Packs) {
    let (length, n) = (2 * S::F64_LANES, k.columns);
    packs.pack_blocks(panel, k, 0..n);
    for start in (n..k.rows).step_by(ROWS) {
        let stop = (start + ROWS).min(k.rows);
        packs.pack_rows::<S>(panel, k, start..stop);
        let count = (stop - start).div_ceil(length);
        for strip in packs.strips.chunks_exact_mut(n * length).take(count) {
            solve_strip(simd, strip, &packs.blocks, n);
        }
        for c in 0..n {
            let column = panel[c * k.rows + start..c * k.rows + stop].chunks_mut(length);
            let strips = packs.strips.chunks_exact(length).skip(c).step_by(n);
            for (values, strip) in column.zip(strips) {
                values.iter_mut().zip(strip).for_each(|(v, s)| *v = *s);
            }
        }
    }
}

/// One strip of them.
#[inline(always)]
fn solve_strip<S: Simd>(simd: S, strip: &mut [f64], blocks: &[[f64; W]], n: usize) {
    let length = 2 * S::F64_LANES;
    let mut out = [[0.0; STRIP]; W];
    for (j, block) in (0..n).step_by(W).zip(blocks.chunks_exact(n)) {
        let (done, rest) = strip.split_at_mut(j * length);
        packed_products(simd, done, &block[..j], &mut out);
        for q in 0..W.min(n - j) {
            let (before, rest) = rest.split_at_mut(q * length);
            let x = &mut rest[..length];
            x.iter_mut().zip(&out[q]).for_each(|(x, u)| *x -= u);
            for (before, factors) in before.chunks_exact(length).zip(&block[j..]) {
                let factor = factors[q];
                x.iter_mut().zip(before).for_each(|(x, b)| *x -= factor * b);
            }
            let scale = 1.0 / block[j + q][q];
            x.iter_mut().for_each(|x| *x *= scale);
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, WithSimd};

    use super::*;
    use crate::generate::Rng;

    struct Factor<'a>(&'a mut [f64], Kept, &'a mut Packs);

    impl WithSimd for Factor<'_> {
        type Output = Result<(), Breakdown>;

        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            factor_panel(simd, self.0, self.1, self.2)
        }
    }

    struct Subtract<'a>(&'a [f64], Kept, &'a [u32], &'a Place<'a>, &'a mut [f64], &'a mut Packs);

    impl WithSimd for Subtract<'_> {
        /// The target, without packs.
        type Output = Vec<f64>;

        fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
            let Subtract(panel, k, positions, place, target, packs) = self;
            let (mut plain, mut memory) = (target.to_vec(), Vec::new());
            let (q, places) = place.kept(positions, &mut memory);
            subtract_in_place(simd, panel, k, q, places, place.stride, &mut plain);
            subtract_product(simd, panel, k, positions, place, target, packs);
            plain
        }
    }

    /// Sizes around each threshold: of blocks, of strips, of packs.
    const WIDTHS: [usize; 9] = [1, 5, 6, 7, 11, 12, 13, 64, 67];
    const HEIGHTS: [usize; 8] = [0, 1, 8, 47, 48, 49, 64, 131];

    fn random(length: usize, rng: &mut Rng) -> Vec<f64> {
        (0..length).map(|_| rng.uniform() - 0.5).collect()
    }

    #[test]
    fn factors_as_plain_cholesky_does() {
        let (mut rng, mut packs) = (Rng::new(3), Packs::default());
        for (n, below) in WIDTHS.into_iter().flat_map(|n| HEIGHTS.map(|h| (n, h))) {
            let k = Kept { columns: n, rows: n + below };
            let mut panel = random(n * k.rows + SLACK, &mut rng);
            (0..n).for_each(|c| panel[c * k.rows + c] = 20.0 + n as f64);
            let mut plain = panel.clone();
            for c in 0..n {
                let pivot = plain[c * k.rows + c].sqrt();
                (c..k.rows).for_each(|r| plain[c * k.rows + r] /= pivot);
                for d in c + 1..n {
                    let factor = plain[c * k.rows + d];
                    (d..k.rows)
                        .for_each(|r| plain[d * k.rows + r] -= factor * plain[c * k.rows + r]);
                }
            }
            packs.fit(n, k.rows);
            Arch::new().dispatch(Factor(&mut panel, k, &mut packs)).expect("positive definite");
            for (c, r) in (0..n).flat_map(|c| (c..k.rows).map(move |r| (c, r))) {
                let error = panel[c * k.rows + r] - plain[c * k.rows + r];
                assert!(error.abs() < 1e-13, "{n} columns, {below} rows below: {c}, {r}");
            }
        }
    }

    /// The columns of the target are rows 3.. of the panel; every fourth row
    /// of the target is none of the panel's.
    #[test]
    fn subtracts_products_with_any_rows_left_out() {
        let (mut rng, mut packs) = (Rng::new(4), Packs::default());
        for (depth, below, q) in WIDTHS.into_iter().flat_map(|d| {
            HEIGHTS[1..].iter().flat_map(move |&b| [1, 6, 11, 12, 13, 64].map(move |q| (d, b, q)))
        }) {
            let begin = depth + 3;
            let (q, height) = (q.min(below), begin + below);
            let relative: Vec<u32> = (0..below as u32).map(|r| r + r / 3).collect();
            let stride = relative[below - 1] as usize + 1;
            let place = Place { begin, end: begin + q, relative: &relative, stride };
            for share in [1.0, 0.8] {
                let kept = (0..height as u32).filter(|_| rng.uniform() < share);
                let positions: Vec<u32> = kept.collect();
                let columns = positions.iter().filter(|&&p| (p as usize) < depth).count();
                let k = Kept { columns, rows: positions.len() };
                let panel = random(columns * k.rows + SLACK, &mut rng);
                let mut target = random(stride * stride, &mut rng);
                let mut plain = target.clone();
                let places: Vec<(usize, usize)> = (0..k.rows)
                    .filter(|&r| positions[r] as usize >= begin)
                    .map(|r| (r, relative[positions[r] as usize - begin] as usize))
                    .collect();
                let is_column = |r: usize| (positions[r] as usize) < begin + q;
                for &(c, column) in places.iter().filter(|&&(c, _)| is_column(c)) {
                    for &(r, row) in places.iter().filter(|&&(r, _)| r >= c) {
                        plain[column * stride + row] -= (0..columns)
                            .map(|d| panel[d * k.rows + c] * panel[d * k.rows + r])
                            .sum::<f64>();
                    }
                }
                packs.fit(depth.max(q), height);
                let subtract = Subtract(&panel, k, &positions, &place, &mut target, &mut packs);
                let in_place = Arch::new().dispatch(subtract);
                for (c, r) in (0..stride).flat_map(|c| (c..stride).map(move |r| (c, r))) {
                    assert_eq!(target[c * stride + r], in_place[c * stride + r]);
                    let error = target[c * stride + r] - plain[c * stride + r];
                    assert!(error.abs() < 1e-13, "{depth}, {below}, {q}, {share}: {c}, {r}");
                }
            }
        }
    }
}
