//! Sparse symmetric matrices, both triangles stored, row by row.
//!
//! Storing both triangles doubles the memory of a triangle but gives every
//! row at once (sweeps, products, compaction), and that is what solvers ask for.

use super::facts::Facts;
use crate::Error;

/// A sparse symmetric matrix. Every diagonal entry is stored, even if zero.
///
/// ```
/// use taut_lcp::Sparse;
/// // Lower triangle; entries of the same place are added up.
/// let a = Sparse::from_lower_triplets(2, &[(0, 0, 2.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// assert_eq!(a.get(0, 1), -1.0);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    row_ptr: Vec<usize>,
    col_idx: Vec<u32>,
    values: Vec<f64>,
    facts: Facts,
}

/// Starts of rows, columns and values of entries, sorted; those of the same place are added up.
pub(super) fn by_rows(
    n: usize,
    mut entries: Vec<(u32, u32, f64)>,
) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    // A stable sort, so that sums of duplicates do not depend on its whims.
    entries.sort_by_key(|&(i, j, _)| (i, j));
    entries.dedup_by(|later, kept| {
        let same = (later.0, later.1) == (kept.0, kept.1);
        if same {
            kept.2 += later.2;
        }
        same
    });
    let mut row_ptr = vec![0; n + 1];
    entries.iter().for_each(|&(i, _, _)| row_ptr[i as usize + 1] += 1);
    (0..n).for_each(|i| row_ptr[i + 1] += row_ptr[i]);
    (row_ptr, entries.iter().map(|e| e.1).collect(), entries.iter().map(|e| e.2).collect())
}

impl Sparse {
    /// A matrix from the triplets (row, column, value) of its lower triangle
    /// (row ≥ column). Duplicates are added up.
    pub fn from_lower_triplets(n: usize, triplets: &[(usize, usize, f64)]) -> Result<Self, Error> {
        if u32::try_from(n).is_err() {
            return Err(Error::Matrix(format!("{n} rows are more than 2^32")));
        }
        let mut full: Vec<(u32, u32, f64)> = Vec::with_capacity(2 * triplets.len() + n);
        for &(i, j, v) in triplets {
            if i >= n || j >= n {
                return Err(Error::Matrix(format!("entry ({i}, {j}) lies outside {n}×{n}")));
            }
            if j > i {
                return Err(Error::Matrix(format!("entry ({i}, {j}) is above the diagonal")));
            }
            full.push((i as u32, j as u32, v));
            if i != j {
                full.push((j as u32, i as u32, v));
            }
        }
        full.extend((0..n as u32).map(|i| (i, i, 0.0)));
        let (row_ptr, col_idx, values) = by_rows(n, full);
        Ok(Sparse { row_ptr, col_idx, values, facts: Facts::default() })
    }

    /// A matrix of the given pattern (both triangles, sorted rows, all
    /// diagonals), all values zero. For the library's own assemblers.
    pub(crate) fn from_pattern(row_ptr: Vec<usize>, col_idx: Vec<u32>) -> Self {
        let values = vec![0.0; col_idx.len()];
        Sparse { row_ptr, col_idx, values, facts: Facts::default() }
    }

    /// Forgets all rows, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.facts = Facts::default();
        self.row_ptr.truncate(1);
        self.col_idx.clear();
        self.values.clear();
    }

    /// Adds a row, columns ascending. The caller sees to symmetry.
    pub(crate) fn push_row(&mut self, columns: impl Iterator<Item = u32>, values: &[f64]) {
        self.facts = Facts::default();
        self.col_idx.extend(columns);
        self.values.extend_from_slice(values);
        self.row_ptr.push(self.col_idx.len());
    }

    /// Adds a row by its entries, columns ascending. The caller sees to symmetry.
    pub(crate) fn push_entries(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        self.facts = Facts::default();
        for (column, value) in entries {
            self.col_idx.push(column);
            self.values.push(value);
        }
        self.row_ptr.push(self.col_idx.len());
    }

    /// A matrix by its rows: both triangles, columns ascending, every diagonal entry there.
    pub(super) fn from_sorted(row_ptr: Vec<usize>, col_idx: Vec<u32>, values: Vec<f64>) -> Self {
        Sparse { row_ptr, col_idx, values, facts: Facts::default() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_ptr.len() - 1
    }

    /// Number of stored entries, both triangles counted.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of row i, columns ascending.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let r = self.row_ptr[i]..self.row_ptr[i + 1];
        (&self.col_idx[r.clone()], &self.values[r])
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> (&[u32], &mut [f64]) {
        self.facts = Facts::default();
        let r = self.row_ptr[i]..self.row_ptr[i + 1];
        (&self.col_idx[r.clone()], &mut self.values[r])
    }

    /// Takes over the values of a matrix of the same pattern.
    pub(crate) fn copy_values(&mut self, other: &Sparse) {
        self.facts = Facts::default();
        self.values.copy_from_slice(&other.values);
    }

    /// Entry (i, j), zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (cols, vals) = self.row(i);
        cols.binary_search(&(j as u32)).map_or(0.0, |k| vals[k])
    }

    pub(crate) fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, o)| *o = self.row_dot(i, x));
    }

    /// (A x)ᵢ. Four sums at a time: one alone waits for every addition.
    #[inline(always)]
    pub(crate) fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        let (cols, vals) = self.row(i);
        let ((cols, last_cols), (vals, last_vals)) = (cols.as_chunks::<4>(), vals.as_chunks::<4>());
        let mut sums = [0.0; 4];
        for (c, v) in cols.iter().zip(vals) {
            (0..4).for_each(|k| sums[k] += v[k] * x[c[k] as usize]);
        }
        for (k, (&c, v)) in last_cols.iter().zip(last_vals).enumerate() {
            sums[k] += v * x[c as usize];
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// out += column i times `factor`.
    #[inline(always)]
    pub(crate) fn add_column(&self, i: usize, factor: f64, out: &mut [f64]) {
        // A is symmetric: its row i is its column i.
        let (rows, vals) = self.row(i);
        rows.iter().zip(vals).for_each(|(&j, v)| out[j as usize] += v * factor);
    }

    pub(crate) fn pattern_hash(&self) -> u64 {
        self.facts.pattern(1, &self.row_ptr, &self.col_idx)
    }

    pub(super) fn negative_diagonal(&self) -> Option<usize> {
        self.facts.negative(self.rows(), |i| self.get(i, i))
    }

    /// The first entry that is not finite, and its row.
    pub(super) fn not_finite(&self) -> Option<(usize, f64)> {
        self.facts.not_finite(self.rows(), |i| self.row(i).1)
    }
}
