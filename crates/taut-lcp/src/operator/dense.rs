//! Dense square matrices, symmetric or not, row by row.

use super::facts::Facts;
use crate::Error;

/// A square matrix stored row by row.
///
/// ```
/// use taut_lcp::Dense;
/// let a = Dense::from_rows(2, vec![2.0, 1.0, 1.0, 3.0])?;
/// assert_eq!(a.get(1, 0), 1.0);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    n: usize,
    values: Vec<f64>,
    facts: Facts,
}

impl Dense {
    /// A matrix from its rows, one after the other.
    pub fn from_rows(n: usize, values: Vec<f64>) -> Result<Self, Error> {
        let expected = n
            .checked_mul(n)
            .ok_or_else(|| Error::Matrix(format!("a dense matrix of {n} rows is too large")))?;
        if values.len() != expected {
            return Err(Error::Size { what: "dense matrix", got: values.len(), expected });
        }
        Ok(Dense { n, values, facts: Facts::default() })
    }

    /// The unit matrix.
    pub(crate) fn identity(n: usize) -> Self {
        let mut values = vec![0.0; n * n];
        (0..n).for_each(|i| values[i * n + i] = 1.0);
        Dense { n, values, facts: Facts::default() }
    }

    /// A matrix of n rows, in the memory of this one; all zero.
    pub(crate) fn reshape(&mut self, n: usize) {
        (self.n, self.facts) = (n, Facts::default());
        self.values.clear();
        self.values.resize(n * n, 0.0);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.n
    }

    /// Entry (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.n + j]
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// The values, to change in place.
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.facts = Facts::default();
        &mut self.values
    }

    pub(crate) fn apply(&self, x: &[f64], out: &mut [f64]) {
        for (i, o) in out.iter_mut().enumerate() {
            *o = self.row(i).iter().zip(x).map(|(a, x)| a * x).sum();
        }
    }

    pub(crate) fn is_symmetric(&self) -> bool {
        let same = |i, j| {
            let (a, b): (f64, f64) = (self.get(i, j), self.get(j, i));
            (a - b).abs() <= 1e-12 * (a.abs() + b.abs())
        };
        let all = || (0..self.n).all(|i| (0..i).all(|j| same(i, j)));
        *self.facts.symmetric.get_or_init(all)
    }

    pub(super) fn negative_diagonal(&self) -> Option<usize> {
        self.facts.negative(self.n, |i| self.get(i, i))
    }

    /// The first entry that is not finite, and its row.
    pub(super) fn not_finite(&self) -> Option<(usize, f64)> {
        self.facts.not_finite(self.n, |i| self.row(i))
    }
}
