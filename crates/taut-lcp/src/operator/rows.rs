//! From compressed rows or columns, as others keep sparse matrices, to an operator: the same one,
//! bit for bit, that a file with these entries gives.
//!
//! Cost: a few passes over the entries.

use super::{Dense, General, Operator, Sparse};
use crate::Error;
use crate::io::{SYMMETRY_TOLERANCE, dense_fits};

/// Compressed rows.
struct Rows {
    start: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Operator {
    /// A square matrix by compressed rows (CSR): the entries of row i are those from `start[i]` to
    /// `start[i + 1]`. Columns may come in any order, entries of the same place are added up.
    /// Sparse if it is symmetric to rounding (mirror images are averaged); else dense, or by its
    /// entries where that is out of proportion.
    ///
    /// ```
    /// use taut_lcp::Operator;
    /// let a = Operator::from_rows(vec![0, 2, 4], vec![0, 1, 0, 1], vec![2.0, 1.0, 1.0, 2.0])?;
    /// assert!(matches!(a, Operator::Sparse(_)));
    /// # Ok::<(), taut_lcp::Error>(())
    /// ```
    pub fn from_rows(
        start: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, Error> {
        let rows = Rows { start, columns, values };
        rows.check("row")?;
        rows.operator()
    }

    /// An operator from compressed columns (CSC).
    pub fn from_columns(
        start: Vec<usize>,
        rows: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, Error> {
        let columns = Rows { start, columns: rows, values };
        columns.check("column")?;
        // A symmetric matrix is its own transpose.
        if columns.is_symmetric() {
            return Ok(columns.sparse());
        }
        columns.check_indices()?;
        Ok(columns.transposed().any_operator())
    }
}

impl Rows {
    fn count(&self) -> usize {
        self.start.len() - 1
    }

    fn check(&self, what: &str) -> Result<(), Error> {
        let n = self.start.len().checked_sub(1);
        let n = n.ok_or_else(|| Error::Matrix(format!("the list of {what} starts is empty")))?;
        if self.values.len() != self.columns.len() {
            let (got, expected) = (self.values.len(), self.columns.len());
            return Err(Error::Size { what: "values", got, expected });
        }
        let ordered = self.start.windows(2).all(|w| w[0] <= w[1]);
        if !ordered || self.start[0] != 0 || self.start[n] != self.values.len() {
            let message = format!("{what} starts must rise from 0 to the number of entries");
            return Err(Error::Matrix(message));
        }
        if u32::try_from(n).is_err() {
            return Err(Error::Matrix(format!("{n} rows are more than 2^32")));
        }
        Ok(())
    }

    /// No index beyond the last row.
    fn check_indices(&self) -> Result<(), Error> {
        let n = self.count();
        match self.columns.iter().max().filter(|&&j| j as usize >= n) {
            Some(index) => Err(Error::Matrix(format!("index {index} lies outside {n}×{n}"))),
            None => Ok(()),
        }
    }

    fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Of rows whose starts were checked.
    fn operator(self) -> Result<Operator, Error> {
        // What others keep is mostly this already, and one pass shows it.
        if self.is_symmetric() {
            return Ok(self.sparse());
        }
        self.check_indices()?;
        Ok(self.any_operator())
    }

    /// The operator of a symmetric matrix with sorted rows.
    fn sparse(self) -> Operator {
        Operator::Sparse(Sparse::from_sorted(self.start, self.columns, self.values))
    }

    fn any_operator(self) -> Operator {
        let (rows, given) = self.canonical();
        let n = rows.count();
        if rows.is_symmetric() {
            return rows.sparse();
        }
        if let Some(mean) = rows.mean(&rows.transposed()) {
            return mean.sparse();
        }
        if dense_fits(n, given) {
            let mut values = vec![0.0; n * n];
            for i in 0..n {
                let (columns, row) = rows.row(i);
                columns.iter().zip(row).for_each(|(&j, v)| values[i * n + j as usize] = *v);
            }
            // The length is right.
            if let Ok(dense) = Dense::from_rows(n, values) {
                return Operator::Dense(dense);
            }
        }
        Operator::General(General::from_sorted(rows.start, rows.columns, rows.values))
    }

    /// Whether columns ascend, each place once.
    fn is_sorted(&self) -> bool {
        (0..self.count()).all(|i| self.row(i).0.is_sorted_by(|a, b| a < b))
    }

    /// Columns ascending, each place once, every diagonal entry there; and the number of places
    /// that were given.
    fn canonical(self) -> (Rows, usize) {
        let n = self.count();
        let whole = |i: usize| self.row(i).0.binary_search(&(i as u32)).is_ok();
        if self.is_sorted() && (0..n).all(whole) {
            let given = self.values.len();
            return (self, given);
        }
        let mut out = Rows { start: vec![0], columns: Vec::new(), values: Vec::new() };
        let mut given = 0;
        let mut row: Vec<(u32, f64)> = Vec::new();
        for i in 0..n {
            let (columns, values) = self.row(i);
            row.clear();
            row.extend(columns.iter().copied().zip(values.iter().copied()));
            // A stable sort, so that sums of duplicates do not depend on its whims.
            row.sort_by_key(|e| e.0);
            row.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 += later.1;
                }
                same
            });
            given += row.len();
            if let Err(place) = row.binary_search_by_key(&(i as u32), |e| e.0) {
                row.insert(place, (i as u32, 0.0));
            }
            out.columns.extend(row.iter().map(|e| e.0));
            out.values.extend(row.iter().map(|e| e.1));
            out.start.push(out.columns.len());
        }
        (out, given)
    }

    /// Whether columns ascend within rows, each place once, every diagonal entry is there, and the
    /// matrix is its own transpose. Rows are walked in order, so the mirror images of their entries are
    /// met in order, too: one cursor a row finds them. What lies left of the diagonal is thus checked
    /// from the rows before. (A cursor that runs beyond the end of its row is noticed when its row is
    /// walked.)
    fn is_symmetric(&self) -> bool {
        let mut next = self.start.clone();
        next.pop();
        (0..self.count()).all(|i| {
            let (columns, values) = self.row(i);
            let below = next[i] - self.start[i];
            let mut last = i as u32;
            // All entries left of the diagonal were met.
            columns.get(below) == Some(&last)
                && columns[below + 1..].iter().zip(&values[below + 1..]).all(|(&j, v)| {
                    let ascends = j > last;
                    last = j;
                    let Some(cursor) = next.get_mut(j as usize) else { return false };
                    let mirror = *cursor;
                    *cursor += 1;
                    ascends
                        && self.columns.get(mirror) == Some(&(i as u32))
                        && self.values[mirror] == *v
                })
        })
    }

    /// Columns of the answer ascend within rows if each place is given once.
    fn transposed(&self) -> Rows {
        let n = self.count();
        let mut start = vec![0; n + 1];
        self.columns.iter().for_each(|&j| start[j as usize + 1] += 1);
        (0..n).for_each(|i| start[i + 1] += start[i]);
        let mut next = start.clone();
        let mut out = Rows {
            start,
            columns: vec![0; self.columns.len()],
            values: vec![0.0; self.values.len()],
        };
        for i in 0..n {
            let (columns, values) = self.row(i);
            for (&j, &v) in columns.iter().zip(values) {
                let place = &mut next[j as usize];
                out.columns[*place] = i as u32;
                out.values[*place] = v;
                *place += 1;
            }
        }
        out
    }

    /// The mean of a canonical matrix and its transpose, if they differ by rounding alone.
    fn mean(&self, turned: &Rows) -> Option<Rows> {
        let n = self.count();
        let diagonal = |i: usize| {
            let (columns, values) = self.row(i);
            columns.binary_search(&(i as u32)).map_or(0.0, |k| values[k])
        };
        let diagonal: Vec<f64> = (0..n).map(diagonal).collect();
        let mut out = Rows { start: vec![0], columns: Vec::new(), values: Vec::new() };
        for i in 0..n {
            let ((a, u), (b, v)) = (self.row(i), turned.row(i));
            let (mut k, mut l) = (0, 0);
            while k < a.len() || l < b.len() {
                let j = match (a.get(k), b.get(l)) {
                    (Some(&p), Some(&q)) => p.min(q),
                    (p, q) => *p.or(q)?,
                };
                let own = if a.get(k) == Some(&j) { u[k] } else { 0.0 };
                let mirror = if b.get(l) == Some(&j) { v[l] } else { 0.0 };
                k += usize::from(a.get(k) == Some(&j));
                l += usize::from(b.get(l) == Some(&j));
                let product: f64 = diagonal[i] * diagonal[j as usize];
                let scale = own.abs().max(mirror.abs()).max(product.abs().sqrt());
                if own != mirror && (own - mirror).abs() > SYMMETRY_TOLERANCE * scale {
                    return None;
                }
                out.columns.push(j);
                out.values.push(if own == mirror { own } else { 0.5 * own + 0.5 * mirror });
            }
            out.start.push(out.columns.len());
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;
    use crate::io::operator_from_entries;

    /// Rows and triplets of a random matrix; `kind` 0: symmetric, 1: to rounding, 2: not.
    fn random(n: usize, kind: usize, seed: u64) -> (Rows, Vec<(usize, usize, f64)>) {
        let mut rng = Rng::new(seed);
        let mut entries = Vec::new();
        for i in 0..n {
            entries.push((i, i, 4.0 + rng.range(0.0, 1.0)));
            for j in 0..i {
                if rng.range(0.0, 1.0) < 0.1 {
                    let v = rng.range(-1.0, 1.0);
                    let off = [0.0, 1e-15, 0.5][kind];
                    entries.push((i, j, v));
                    entries.push((j, i, v + off));
                }
            }
        }
        let mut start = vec![0];
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for i in 0..n {
            // In reverse, to be sorted.
            for &(_, j, v) in entries.iter().rev().filter(|e| e.0 == i) {
                columns.push(j as u32);
                values.push(v);
            }
            start.push(columns.len());
        }
        (Rows { start, columns, values }, entries)
    }

    #[test]
    fn rows_and_columns_give_what_a_file_gives() {
        for (n, kind) in [(7, 0), (40, 0), (40, 1), (40, 2), (1100, 0), (1100, 1), (1100, 2)] {
            let (rows, entries) = random(n, kind, 5);
            let expected = operator_from_entries(n, entries).expect("valid");
            let turned = rows.transposed();
            let Rows { start, columns, values } = rows;
            let by_rows = Operator::from_rows(start, columns, values).expect("valid");
            let Rows { start, columns, values } = turned;
            let by_columns = Operator::from_columns(start, columns, values).expect("valid");
            for operator in [by_rows, by_columns] {
                match (operator, &expected) {
                    (Operator::Dense(a), Operator::Dense(b)) => assert_eq!(a, *b),
                    (Operator::Sparse(a), Operator::Sparse(b)) => assert_eq!(a, *b),
                    (Operator::General(a), Operator::General(b)) => assert_eq!(a, *b),
                    (a, b) => panic!("{n} {kind}: {a:?} is not {b:?}"),
                }
            }
        }
    }

    #[test]
    fn duplicates_are_added_up_and_diagonals_filled_in() {
        let a = Operator::from_rows(vec![0, 3, 4], vec![1, 0, 1, 0], vec![1.0, 2.0, 1.0, 2.0]);
        let Ok(Operator::Sparse(a)) = a else { panic!("not sparse") };
        assert_eq!((a.get(0, 1), a.get(1, 0), a.get(1, 1), a.entries()), (2.0, 2.0, 0.0, 4));
    }

    #[test]
    fn sorted_rows_without_diagonals_are_filled_in() {
        // Their mirror images would lie in the next row, or beyond the last.
        for (start, columns, values) in [
            (vec![0, 2, 2], vec![0, 1], vec![1.0, 3.0]),
            (vec![0, 2, 3, 5], vec![0, 1, 0, 0, 2], vec![1.0, 3.0, 3.0, 3.0, 1.0]),
            (vec![0, 2, 2, 4], vec![0, 1, 0, 2], vec![1.0, 3.0, 3.0, 1.0]),
        ] {
            let n = start.len() - 1;
            let entry = |i: usize| (start[i]..start[i + 1]).map(move |k| (i, k));
            let entries: Vec<(usize, usize, f64)> =
                (0..n).flat_map(entry).map(|(i, k)| (i, columns[k] as usize, values[k])).collect();
            let expected = operator_from_entries(n, entries).expect("valid");
            let a = Operator::from_rows(start.clone(), columns, values).expect("valid");
            assert_eq!(format!("{a:?}"), format!("{expected:?}"));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let bad = [
            (vec![], vec![], vec![]),
            (vec![0, 2], vec![0], vec![1.0]),
            (vec![1, 1], vec![0], vec![1.0]),
            (vec![0, 1], vec![1], vec![1.0]),
            (vec![0, 1], vec![0], vec![1.0, 2.0]),
            (vec![0, 2, 1], vec![0], vec![1.0]),
        ];
        for (start, columns, values) in bad {
            let a = Operator::from_rows(start.clone(), columns.clone(), values.clone());
            assert!(a.is_err());
            assert!(Operator::from_columns(start, columns, values).is_err());
        }
        // What is not finite is found when the problem is posed.
        let nan = Operator::from_rows(vec![0, 1], vec![0], vec![f64::NAN]).expect("a matrix");
        assert!(crate::Problem::boxed(nan, vec![0.0], &[0.0], &[1.0]).is_err());
    }
}
