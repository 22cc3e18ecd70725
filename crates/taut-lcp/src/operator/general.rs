//! Sparse matrices without symmetry, row by row: polyhedral friction cones.

use super::facts::Facts;
use super::sparse::by_rows;
use crate::Error;

/// A sparse square matrix of any kind. Every diagonal entry is stored, even if
/// zero.
///
/// ```
/// use taut_lcp::General;
/// // Entries of the same place are added up.
/// let a = General::from_triplets(2, &[(0, 0, 2.0), (0, 1, 1.0), (1, 0, -1.0)])?;
/// assert_eq!((a.get(0, 1), a.get(1, 0), a.get(1, 1)), (1.0, -1.0, 0.0));
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct General {
    row_ptr: Vec<usize>,
    col_idx: Vec<u32>,
    values: Vec<f64>,
    facts: Facts,
}

impl General {
    /// A matrix from its triplets (row, column, value). Duplicates are added up.
    pub fn from_triplets(n: usize, triplets: &[(usize, usize, f64)]) -> Result<Self, Error> {
        if u32::try_from(n).is_err() {
            return Err(Error::Matrix(format!("{n} rows are more than 2^32")));
        }
        if let Some((i, j, _)) = triplets.iter().find(|(i, j, _)| *i >= n || *j >= n) {
            return Err(Error::Matrix(format!("entry ({i}, {j}) lies outside {n}×{n}")));
        }
        let mut all: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, i, 0.0)).collect();
        all.extend(triplets.iter().map(|&(i, j, v)| (i as u32, j as u32, v)));
        let (row_ptr, col_idx, values) = by_rows(n, all);
        Ok(General { row_ptr, col_idx, values, facts: Facts::default() })
    }

    /// A matrix by its rows: columns ascending, every diagonal entry there.
    pub(super) fn from_sorted(row_ptr: Vec<usize>, col_idx: Vec<u32>, values: Vec<f64>) -> Self {
        General { row_ptr, col_idx, values, facts: Facts::default() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_ptr.len() - 1
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of row i, columns ascending.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let r = self.row_ptr[i]..self.row_ptr[i + 1];
        (&self.col_idx[r.clone()], &self.values[r])
    }

    /// Entry (i, j), zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (cols, vals) = self.row(i);
        cols.binary_search(&(j as u32)).map_or(0.0, |k| vals[k])
    }

    #[inline]
    pub(crate) fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        let (cols, vals) = self.row(i);
        cols.iter().zip(vals).map(|(&j, v)| v * x[j as usize]).sum()
    }

    pub(crate) fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, o)| *o = self.row_dot(i, x));
    }

    pub(crate) fn is_symmetric(&self) -> bool {
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (a.abs() + b.abs());
        let all = || {
            (0..self.rows()).all(|i| {
                let (cols, vals) = self.row(i);
                cols.iter().zip(vals).all(|(&j, &v)| same(v, self.get(j as usize, i)))
            })
        };
        *self.facts.symmetric.get_or_init(all)
    }

    pub(crate) fn pattern_hash(&self) -> u64 {
        self.facts.pattern(2, &self.row_ptr, &self.col_idx)
    }

    pub(super) fn negative_diagonal(&self) -> Option<usize> {
        self.facts.negative(self.rows(), |i| self.get(i, i))
    }

    /// The first entry that is not finite, and its row.
    pub(super) fn not_finite(&self) -> Option<(usize, f64)> {
        self.facts.not_finite(self.rows(), |i| self.row(i).1)
    }
}
