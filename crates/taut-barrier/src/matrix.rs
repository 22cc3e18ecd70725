//! A sparse symmetric matrix of 3 × 3 blocks that is summed from parts, and its factor.

use taut_lcp::BlockCholesky;

use crate::Error;

/// The lower triangle in compressed columns.
#[derive(Default)]
pub(crate) struct Matrix {
    columns: Vec<Vec<u32>>,
    col_ptr: Vec<u32>,
    row_idx: Vec<u32>,
    blocks: Vec<f64>,
    /// The factor, with the pattern it was analysed for.
    factor: Option<BlockCholesky>,
    analysed: (Vec<u32>, Vec<u32>),
    /// How many patterns were analysed.
    pub analyses: usize,
}

impl Matrix {
    /// An empty pattern of n blocks of the diagonal.
    pub fn start(&mut self, n: usize) {
        self.columns.resize_with(n, Vec::new);
        for (j, column) in self.columns.iter_mut().enumerate() {
            column.clear();
            column.push(j as u32);
        }
    }

    /// Makes room for the block of rows i and columns j.
    pub fn reserve(&mut self, i: u32, j: u32) {
        self.columns[i.min(j) as usize].push(i.max(j));
    }

    /// All blocks zero.
    pub fn clear(&mut self) {
        self.col_ptr.clear();
        self.col_ptr.push(0);
        self.row_idx.clear();
        for column in &mut self.columns {
            column.sort_unstable();
            column.dedup();
            self.row_idx.extend_from_slice(column);
            self.col_ptr.push(self.row_idx.len() as u32);
        }
        self.blocks.clear();
        self.blocks.resize(9 * self.row_idx.len(), 0.0);
    }

    /// The block of rows i and columns j ≤ i, row by row; `None` if there is no room for it.
    pub fn block(&mut self, i: u32, j: u32) -> Option<&mut [f64]> {
        let (from, to) = (self.col_ptr[j as usize] as usize, self.col_ptr[j as usize + 1] as usize);
        let k = self.row_idx[from..to].binary_search(&i).ok()?;
        Some(&mut self.blocks[9 * (from + k)..9 * (from + k + 1)])
    }

    /// Adds s to the diagonal of block (i, j).
    pub fn add_unit(&mut self, i: u32, j: u32, s: f64) {
        if let Some(block) = self.block(i, j) {
            (0..3).for_each(|k| block[4 * k] += s);
        }
    }

    /// Factors the rows that are kept; `false` if the matrix is not positive definite.
    pub fn factor(&mut self, is_kept: impl Fn(usize) -> bool) -> Result<bool, Error> {
        if self.factor.is_none()
            || self.analysed.0 != self.col_ptr
            || self.analysed.1 != self.row_idx
        {
            self.factor = Some(BlockCholesky::new(&self.col_ptr, &self.row_idx, 3)?);
            self.analysed = (self.col_ptr.clone(), self.row_idx.clone());
            self.analyses += 1;
        }
        let Some(factor) = &mut self.factor else { return Ok(false) };
        match factor.factor(&self.blocks, is_kept) {
            Ok(()) => Ok(true),
            Err(taut_lcp::Error::Matrix(_)) => Ok(false),
            Err(other) => Err(other.into()),
        }
    }

    /// x ← A⁻¹ x, once factored.
    pub fn solve(&mut self, x: &mut [f64]) {
        if let Some(factor) = &mut self.factor {
            factor.solve(x);
        }
    }
}
