//! A dense Cholesky factor that grows and shrinks by one row at a time.
//!
//! **Update**: a row is appended by one forward substitution; deleting row k
//! leaves L₃₃L₃₃ᵀ + σσᵀ in the block below it, σ being the column deleted: a
//! rank-one *update*, done with rotations, and stable.
//! **Cost**: n² multiplications at most for either.
//! **Fails** to append where the matrix is not positive definite to working
//! precision.
//! **Reference**: Davis and Hager 2005, Row modifications of a sparse Cholesky
//! factorization.

use super::Breakdown;

/// L of a matrix whose rows the caller numbers in the order of appending.
#[derive(Default)]
pub(crate) struct Growing {
    n: usize,
    stride: usize,
    /// Columns one after the other, `stride` apart.
    l: Vec<f64>,
    row: Vec<f64>,
}

impl Growing {
    /// Forgets all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.n = 0;
    }

    /// Memory for so many rows.
    pub fn reserve(&mut self, rows: usize) {
        while self.stride < rows {
            self.widen();
        }
        self.row.clear();
        self.row.reserve(rows);
    }

    /// Appends a row: its entries with the rows so far, and its diagonal.
    pub fn append(&mut self, entries: impl Iterator<Item = f64>, a: f64) -> Result<(), Breakdown> {
        let n = self.n;
        if n == self.stride {
            self.widen();
        }
        self.row.clear();
        self.row.extend(entries);
        debug_assert_eq!(self.row.len(), n);
        let mut pivot = a;
        for c in 0..n {
            let column = &self.l[c * self.stride..][c..n];
            let y = self.row[c] / column[0];
            self.row[c] = y;
            pivot -= y * y;
            self.row[c + 1..].iter_mut().zip(&column[1..]).for_each(|(r, l)| *r -= y * l);
        }
        if !(pivot > 4.0 * f64::EPSILON * a && pivot.is_finite()) {
            return Err(Breakdown);
        }
        for c in 0..n {
            self.l[c * self.stride + n] = self.row[c];
        }
        self.l[n * self.stride + n] = pivot.sqrt();
        self.n += 1;
        Ok(())
    }

    /// Deletes row k; later rows move up.
    pub fn remove(&mut self, k: usize) {
        let (n, stride) = (self.n, self.stride);
        self.row.clear();
        self.row.extend_from_slice(&self.l[k * stride..][k + 1..n]);
        for c in 0..k {
            self.l[c * stride..][k..n].copy_within(1.., 0);
        }
        for c in k..n - 1 {
            let from = (c + 1) * stride;
            self.l.copy_within(from + c + 1..from + n, c * stride + c);
        }
        self.n -= 1;
        for c in k..self.n {
            let column = &mut self.l[c * stride..][c..self.n];
            let sigma = &mut self.row[c - k..];
            let (y, x) = (column[0], sigma[0]);
            let r = y.hypot(x);
            let (cos, sin) = (y / r, x / r);
            column[0] = r;
            for (l, s) in column[1..].iter_mut().zip(&mut sigma[1..]) {
                (*l, *s) = (cos * *l + sin * *s, cos * *s - sin * *l);
            }
        }
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let x = &mut x[..self.n];
        for c in 0..self.n {
            let column = &self.l[c * self.stride..][c..self.n];
            let (above, below) = x.split_at_mut(c + 1);
            above[c] /= column[0];
            let y = above[c];
            below.iter_mut().zip(&column[1..]).for_each(|(x, l)| *x -= y * l);
        }
        for c in (0..self.n).rev() {
            let column = &self.l[c * self.stride..][c..self.n];
            let sum = super::dense::sum_of_products(&column[1..], &x[c + 1..]);
            x[c] = (x[c] - sum) / column[0];
        }
    }

    fn widen(&mut self) {
        let stride = (2 * self.stride).max(32);
        let mut l = vec![0.0; stride * stride];
        for c in 0..self.n {
            l[c * stride..][..self.n].copy_from_slice(&self.l[c * self.stride..][..self.n]);
        }
        (self.l, self.stride) = (l, stride);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    /// Rows come and go at random; the factor still solves.
    #[test]
    fn solves_after_any_history() {
        let m = 80;
        let mut rng = Rng::new(5);
        let mut a = vec![0.0; m * m];
        for i in 0..m {
            for j in 0..i {
                a[i * m + j] = rng.range(-1.0, 1.0);
                a[j * m + i] = a[i * m + j];
            }
            a[i * m + i] = m as f64;
        }
        let (mut rows, mut factor) = (Vec::<usize>::new(), Growing::default());
        for step in 0..400 {
            let shrink = !rows.is_empty() && rng.uniform() < if step < 150 { 0.2 } else { 0.6 };
            if shrink {
                let k = rng.index(rows.len());
                rows.remove(k);
                factor.remove(k);
            } else {
                let Some(new) = (0..m).find(|i| !rows.contains(i)) else { continue };
                let entries = rows.iter().map(|&j| a[new * m + j]);
                factor.append(entries, a[new * m + new]).expect("definite");
                rows.push(new);
            }
            let exact: Vec<f64> = rows.iter().map(|&i| 1.0 - i as f64 / 10.0).collect();
            let product =
                |i: &usize| rows.iter().zip(&exact).map(|(j, x)| a[i * m + j] * x).sum::<f64>();
            let mut x: Vec<f64> = rows.iter().map(product).collect();
            factor.solve(&mut x);
            for (x, e) in x.iter().zip(&exact) {
                assert!((x - e).abs() < 1e-12 * m as f64, "step {step}: {x} is not {e}");
            }
        }
    }

    #[test]
    fn dependent_rows_are_refused_and_leave_the_factor_alone() {
        let mut factor = Growing::default();
        factor.append(std::iter::empty(), 4.0).expect("definite");
        assert_eq!(factor.append([2.0].into_iter(), 1.0), Err(Breakdown));
        let mut x = [8.0];
        factor.solve(&mut x);
        assert_eq!(x, [2.0]);
    }
}
