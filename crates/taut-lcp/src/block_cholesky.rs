//! A = L Lᵀ of a sparse matrix of square blocks, with some rows left out if asked, and W = J A⁻¹ Jᵀ from it.
//!
//! **Problem**: elastic bodies have a system matrix of their own (mass, damping and stiffness, blocks of 3 per
//! node), whose inverse contacts see through a few rows: W = J A⁻¹ Jᵀ.
//! **Update**: Y = L⁻¹ Jᵀ over the reach of each row, eight rows side by side; W = Yᵀ Y, symmetric to the bit.
//! That is half of the substitutions of Andrews22 alg. 15.
//! **Cost**: one analysis per pattern; a factorization; then the entries of L within reach per row of J, and
//! half of m² products over what two rows reach both.
//! **Fails** where A is not positive definite on the rows that are kept.

use crate::Error;
use crate::linalg::several::{LANES, Lanes, Several};
use crate::linalg::supernodal::{Slot, Supernodal};
use crate::linalg::{Supernodes, minimum_degree, vectorized};

/// The factor of a sparse symmetric matrix of blocks.
///
/// ```
/// use taut_lcp::BlockCholesky;
///
/// // Two blocks of one row: [4 2; 2 3], lower triangle in compressed columns.
/// let mut a = BlockCholesky::new(&[0, 2, 3], &[0, 1, 1], 1)?;
/// a.factor(&[4.0, 2.0, 3.0], |_| true)?;
/// let mut x = [8.0, 7.0];
/// a.solve(&mut x);
/// assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub struct BlockCholesky {
    size: usize,
    factor: Supernodal,
    several: Several,
    /// Per block of the pattern: rows and columns, where they are, and whether they are held transposed.
    places: Vec<Place>,
    /// Y of all packs of eight rows, and where each pack's supernodes are in it.
    y: Vec<Lanes>,
    starts: Vec<usize>,
}

struct Place {
    row: u32,
    column: u32,
    slot: Slot,
    transposed: bool,
}

/// Entries of a factor at most: 2 GB.
const MOST_ENTRIES: usize = 1 << 28;

/// A supernode that a pack of rows does not reach.
const NONE: usize = usize::MAX;

impl BlockCholesky {
    /// Analyses a symmetric pattern of blocks of `size` rows each: the lower triangle with its diagonal, in
    /// compressed columns.
    pub fn new(col_ptr: &[u32], row_idx: &[u32], size: usize) -> Result<Self, Error> {
        check(col_ptr, row_idx, size)?;
        let too_large = || Error::Matrix("the pattern does not fit in memory".into());
        let order = minimum_degree(col_ptr, row_idx).map_err(|_| too_large())?;
        let symbolic = Supernodes::new(col_ptr, row_idx, &order, size);
        let entries: usize =
            (0..symbolic.count()).map(|s| symbolic.width(s) * symbolic.height(s)).sum();
        if entries > MOST_ENTRIES {
            let gigabytes = entries as f64 * 8e-9;
            return Err(Error::Matrix(format!(
                "its factor would take {gigabytes:.0} GB; at most 2 GB are made"
            )));
        }
        let mut factor = Supernodal::default();
        factor.set_symbolic(symbolic);
        let mut places = Vec::with_capacity(row_idx.len());
        for column in 0..col_ptr.len() - 1 {
            for &row in &row_idx[col_ptr[column] as usize..col_ptr[column + 1] as usize] {
                let (i, j) = (row as usize * size, column * size);
                let transposed = factor.is_before(i, j);
                let (slot, column) = (factor.slot(i, j), column as u32);
                places.push(Place { row, column, slot, transposed });
            }
        }
        let several = Several::default();
        Ok(BlockCholesky { size, factor, several, places, y: Vec::new(), starts: Vec::new() })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.factor.symbolic().order()
    }

    /// Entries of L, stored zeros included.
    pub fn entries(&self) -> usize {
        self.factor.entries()
    }

    /// Factors the matrix with these blocks, each row by row, in the order of the pattern, without the rows
    /// and columns that are not kept. Blocks of the diagonal are read below it only.
    pub fn factor(&mut self, blocks: &[f64], is_kept: impl Fn(usize) -> bool) -> Result<(), Error> {
        let n = self.size;
        let expected = self.places.len() * n * n;
        if blocks.len() != expected {
            return Err(Error::Size { what: "blocks", got: blocks.len(), expected });
        }
        if let Some(k) = blocks.iter().position(|x| !x.is_finite()) {
            let row = self.places[k / (n * n)].row as usize * n + k / n % n;
            return Err(Error::NotFinite { what: "A", row, value: blocks[k] });
        }
        self.factor.touch_all();
        self.factor.clear_stale();
        let values = self.factor.values_mut();
        for (p, block) in self.places.iter().zip(blocks.chunks_exact(n * n)) {
            let (i, j) = (p.row as usize * n, p.column as usize * n);
            for r in (0..n).filter(|r| is_kept(i + r)) {
                let columns = if p.row == p.column { r + 1 } else { n };
                for c in (0..columns).filter(|c| is_kept(j + c)) {
                    let (down, right) = if p.transposed { (c, r) } else { (r, c) };
                    values[p.slot.at + right * p.slot.stride + down] = block[r * n + c];
                }
            }
        }
        self.factor.set_active(is_kept);
        self.factor
            .factor()
            .map_err(|_| Error::Matrix("the matrix is not positive definite".into()))
    }

    /// x ← A⁻¹ x on the rows that are kept; the others stay.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.factor.solve(x);
    }

    /// out += J A⁻¹ Jᵀ, `out` a square matrix row by row. Each row of J has its entries as (column, value),
    /// none of them in a row that was left out.
    pub fn add_inverse<'a>(
        &mut self,
        rows: usize,
        row: impl Fn(usize) -> &'a [(u32, f64)],
        out: &mut [f64],
    ) -> Result<(), Error> {
        if out.len() != rows * rows {
            return Err(Error::Size { what: "out", got: out.len(), expected: rows * rows });
        }
        let n = self.rows();
        for i in 0..rows {
            if let Some(&(c, _)) = row(i).iter().find(|(c, _)| *c as usize >= n) {
                let message = format!("column {c} of a matrix of {n} rows");
                return Err(Error::Row { row: i, message });
            }
        }
        let supernodes = self.factor.panels();
        let packs = rows.div_ceil(LANES);
        self.y.clear();
        self.starts.clear();
        self.starts.resize(packs * supernodes, NONE);
        for p in 0..packs {
            let members = p * LANES..((p + 1) * LANES).min(rows);
            let entries = members.clone().flat_map(|i| row(i).iter().map(|e| e.0 as usize));
            self.several.start(&self.factor, entries);
            self.several.clear(&self.factor);
            for i in members {
                for &(c, value) in row(i) {
                    self.several.row(&self.factor, c as usize)[i % LANES] += value;
                }
            }
            self.several.solve_half(&self.factor);
            for (s, rows) in self.several.reached(&self.factor) {
                self.starts[p * supernodes + s as usize] = self.y.len();
                self.y.extend_from_slice(rows);
            }
        }
        vectorized(
            #[inline(always)]
            || self.add_products(rows, out),
        );
        Ok(())
    }

    /// out += Yᵀ Y
    #[inline(always)]
    fn add_products(&self, rows: usize, out: &mut [f64]) {
        let symbolic = self.factor.symbolic();
        let supernodes = symbolic.count();
        for p in 0..rows.div_ceil(LANES) {
            for q in 0..=p {
                let mut w = [[0.0; LANES]; LANES];
                for s in 0..supernodes {
                    let (a, b) = (self.starts[p * supernodes + s], self.starts[q * supernodes + s]);
                    if a == NONE || b == NONE {
                        continue;
                    }
                    let width = symbolic.width(s);
                    for (a, b) in self.y[a..a + width].iter().zip(&self.y[b..b + width]) {
                        for (w, a) in w.iter_mut().zip(a) {
                            (0..LANES).for_each(|k| w[k] += a * b[k]);
                        }
                    }
                }
                for (i, w) in (p * LANES..rows).zip(&w) {
                    for (j, w) in (q * LANES..rows).zip(w).filter(|(j, _)| *j <= i) {
                        out[i * rows + j] += w;
                        if i != j {
                            out[j * rows + i] += w;
                        }
                    }
                }
            }
        }
    }
}

fn check(col_ptr: &[u32], row_idx: &[u32], size: usize) -> Result<(), Error> {
    let n = col_ptr.len().saturating_sub(1);
    let rises = col_ptr.windows(2).all(|w| w[0] <= w[1]);
    let ends = col_ptr.first() == Some(&0) && col_ptr.last() == Some(&(row_idx.len() as u32));
    if !rises || !ends || size == 0 {
        return Err(Error::Matrix("columns of the pattern do not rise from 0 to its end".into()));
    }
    for j in 0..n {
        let column = &row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize];
        let sorted = column.windows(2).all(|w| w[0] < w[1]);
        let last_fits = column.last().is_some_and(|&i| (i as usize) < n);
        if column.first() != Some(&(j as u32)) || !sorted || !last_fits {
            let message = format!(
                "column {j} of the pattern must begin with its diagonal and rise below {n}"
            );
            return Err(Error::Matrix(message));
        }
    }
    Ok(())
}
