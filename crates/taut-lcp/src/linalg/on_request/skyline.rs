//! Cholesky factorization within a skyline, with deletion of rows.
//!
//! **Problem**: factor a symmetric matrix whose entries lie near the diagonal;
//! then take rows and columns out of the factor, without factoring again.
//! **Update**: column j is held from the diagonal down to row s_j, dense; s_j
//! never falls. *Factor*: left-looking, four columns at a time. *Delete* row i:
//! what is left below it is L₃₃L₃₃ᵀ + σσᵀ with σ = L_{i+1…,i}, a rank-one
//! update that runs down the columns as far as σ reaches.
//! **Cost**: Σ(s_j − j)²/2 multiplications to factor; to delete, three for
//! every entry of the columns below that σ reaches.
//! **Fails** to factor where the matrix is not positive definite to working
//! precision. Deleting never fails.
//! **Reference**: Lefebvre20 alg. 2.3 to 2.6; Davis and Hager 2005. Line 16 of
//! alg. 2.3 and 2.5 lacks a factor: column k becomes
//! (√z/y)·L + (√z·x/γ)·σ, with the new σ. Without √z/y the factor is wrong in
//! the second digit already at eight rows.

use super::{Breakdown, vectorized};

/// Where the columns lie.
#[derive(Default)]
pub(crate) struct Skyline {
    /// s_j: the last row of column j.
    last: Vec<usize>,
    /// Entry (i, j) is at start[j] + i − j.
    start: Vec<usize>,
    /// First column that reaches row i.
    first: Vec<usize>,
    /// Multiplications of factoring the columns from j on, and of a deletion
    /// that runs from column j on, both with all rows.
    factor_cost: Vec<f64>,
    delete_cost: Vec<f64>,
}

impl Skyline {
    /// The skyline of a pattern: `lowest(j)` is the last row with an entry in
    /// column j, at least j.
    pub fn new(n: usize, lowest: impl Fn(usize) -> usize) -> Self {
        let mut s = Skyline::default();
        let (mut last, mut start) = (0, 0);
        for j in 0..n {
            // Entries fill in below every column that reaches further down.
            last = last.max(lowest(j)).max(j);
            s.last.push(last);
            s.start.push(start);
            start += last - j + 1;
        }
        s.start.push(start);
        let mut first = 0;
        for i in 0..n {
            while s.last[first] < i {
                first += 1;
            }
            s.first.push(first);
        }
        s.factor_cost = vec![0.0; n + 1];
        s.delete_cost = vec![0.0; n + 1];
        for j in (0..n).rev() {
            let height = (s.last[j] - j) as f64;
            s.factor_cost[j] = s.factor_cost[j + 1] + 0.5 * height * height + height;
            // A column without neighbours ends the run.
            let below = if height > 0.0 { s.delete_cost[j + 1] } else { 0.0 };
            s.delete_cost[j] = below + 3.0 * height;
        }
        s
    }

    /// Entries held.
    pub fn entries(&self) -> usize {
        self.start.last().copied().unwrap_or(0)
    }

    /// Place of entry (i, j), i ≥ j, within the skyline.
    pub fn at(&self, i: usize, j: usize) -> usize {
        self.start[j] + i - j
    }

    /// Multiplications of factoring from column `from` on.
    pub fn factor_cost(&self, from: usize) -> f64 {
        self.factor_cost[from]
    }

    /// Multiplications of deleting row i.
    pub fn delete_cost(&self, i: usize) -> f64 {
        self.delete_cost[i]
    }

    /// l ← the factor of a + diag(d) on the active rows, from column `from` on;
    /// the columns before it are right already.
    pub fn factor(
        &self,
        a: &[f64],
        d: &[f64],
        active: &[bool],
        from: usize,
        l: &mut [f64],
    ) -> Result<(), Breakdown> {
        vectorized(
            #[inline(always)]
            || {
                (from..d.len())
                    .filter(|&k| active[k])
                    .try_for_each(|k| self.column(a, d, active, k, l))
            },
        )
    }

    #[inline(always)]
    fn column(
        &self,
        a: &[f64],
        d: &[f64],
        active: &[bool],
        k: usize,
        l: &mut [f64],
    ) -> Result<(), Breakdown> {
        let (before, rest) = l.split_at_mut(self.start[k]);
        let target = &mut rest[..=self.last[k] - k];
        target.copy_from_slice(&a[self.start[k]..self.start[k + 1]]);
        target[0] += d[k];
        let mut four = [0; 4];
        let mut count = 0;
        for j in (self.first[k]..k).filter(|&j| active[j]) {
            four[count] = j;
            count += 1;
            if count == 4 {
                self.subtract_four(before, four, k, target);
                count = 0;
            }
        }
        for &j in &four[..count] {
            let source = &before[self.start[j] + k - j..self.start[j + 1]];
            let f = source[0];
            target.iter_mut().zip(source).for_each(|(t, s)| *t -= f * s);
        }
        let pivot = target[0];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(Breakdown);
        }
        let scale = 1.0 / pivot.sqrt();
        target.iter_mut().for_each(|t| *t *= scale);
        Ok(())
    }

    /// target −= the outer products of four columns, the first being shortest.
    #[inline(always)]
    fn subtract_four(&self, before: &[f64], four: [usize; 4], k: usize, target: &mut [f64]) {
        let [p, q, r, s] = four.map(|j| &before[self.start[j] + k - j..self.start[j + 1]]);
        let (fp, fq, fr, fs) = (p[0], q[0], r[0], s[0]);
        let n = p.len();
        for i in 0..n {
            target[i] -= (fp * p[i] + fq * q[i]) + (fr * r[i] + fs * s[i]);
        }
        for (f, source) in [(fq, q), (fr, r), (fs, s)] {
            target[n..].iter_mut().zip(&source[n..]).for_each(|(t, s)| *t -= f * s);
        }
    }

    /// Deletes row i from the factor. Rows before it must not be deleted later.
    pub fn delete(&self, i: usize, l: &mut [f64], sigma: &mut Vec<f64>) {
        sigma.resize(self.last.len(), 0.0);
        vectorized(
            #[inline(always)]
            || self.update_below(i, l, sigma),
        );
    }

    /// Lefebvre20 alg. 2.5; σ is held at its rows.
    #[inline(always)]
    fn update_below(&self, i: usize, l: &mut [f64], sigma: &mut [f64]) {
        let mut end = self.last[i];
        sigma[i + 1..=end].copy_from_slice(&l[self.start[i] + 1..self.start[i + 1]]);
        let mut beta = 1.0;
        let mut k = i;
        while k < end {
            k += 1;
            let x = sigma[k];
            if x == 0.0 {
                continue;
            }
            // σ reaches as far down as the columns it has met.
            if self.last[k] > end {
                sigma[end + 1..=self.last[k]].fill(0.0);
                end = self.last[k];
            }
            let column = &mut l[self.start[k]..self.start[k + 1]];
            // With u = x/y and β' = β + u²: z = y²β'/β, γ = y²β'.
            let u = x / column[0];
            let grown = beta + u * u;
            let p = (grown / beta).sqrt();
            let q = p * u / grown;
            beta = grown;
            column[0] *= p;
            for (l, s) in column[1..].iter_mut().zip(&mut sigma[k + 1..=self.last[k]]) {
                *s -= u * *l;
                *l = p * *l + q * *s;
            }
        }
    }

    /// x ← (L Lᵀ)⁻¹ x on the active rows; zero on the others.
    pub fn solve(&self, l: &[f64], active: &[bool], x: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || self.substitute(l, active, x),
        );
    }

    /// Largest |l − other| over the entries of active rows.
    pub fn difference(&self, l: &[f64], other: &[f64], active: &[bool]) -> f64 {
        let columns = (0..self.last.len()).filter(|&j| active[j]);
        let entries = columns.flat_map(|j| {
            let rows = (j..=self.last[j]).filter(|&i| active[i]);
            rows.map(move |i| self.at(i, j))
        });
        entries.fold(0.0, |d, k| f64::max(d, (l[k] - other[k]).abs()))
    }

    #[inline(always)]
    fn substitute(&self, l: &[f64], active: &[bool], x: &mut [f64]) {
        for j in 0..x.len() {
            if !active[j] {
                x[j] = 0.0;
                continue;
            }
            let column = &l[self.start[j]..self.start[j + 1]];
            let (above, below) = x.split_at_mut(j + 1);
            above[j] /= column[0];
            let y = above[j];
            below.iter_mut().zip(&column[1..]).for_each(|(x, l)| *x -= y * l);
        }
        for j in (0..x.len()).rev() {
            if !active[j] {
                x[j] = 0.0;
                continue;
            }
            let column = &l[self.start[j]..self.start[j + 1]];
            let below = &x[j + 1..=self.last[j]];
            x[j] = (x[j] - super::dense::sum_of_products(&column[1..], below)) / column[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    /// A random dominant matrix within a random skyline.
    fn random(n: usize, width: usize, rng: &mut Rng) -> (Skyline, Vec<f64>) {
        let lowest: Vec<usize> = (0..n).map(|j| (j + rng.index(width)).min(n - 1)).collect();
        let skyline = Skyline::new(n, |j| lowest[j]);
        let mut a = vec![0.0; skyline.entries()];
        for j in 0..n {
            a[skyline.at(j, j)] = 2.0 * width as f64;
            (j + 1..=lowest[j]).for_each(|i| a[skyline.at(i, j)] = rng.range(-1.0, 1.0));
        }
        (skyline, a)
    }

    /// Lefebvre20 erratum: deleting rows gives the factor of the rest, to the
    /// last digits.
    #[test]
    fn deleting_is_as_good_as_factoring() {
        let mut rng = Rng::new(7);
        for (n, width) in [(1, 1), (8, 8), (50, 9), (200, 30)] {
            for share in [0.0, 0.1, 0.5, 1.0] {
                let (skyline, a) = random(n, width, &mut rng);
                let active: Vec<bool> = (0..n).map(|_| rng.uniform() >= share).collect();
                let d = vec![0.5; n];
                let mut factored = vec![0.0; a.len()];
                skyline.factor(&a, &d, &active, 0, &mut factored).expect("definite");
                let mut l = vec![0.0; a.len()];
                skyline.factor(&a, &d, &vec![true; n], 0, &mut l).expect("definite");
                let mut sigma = Vec::new();
                (0..n).filter(|&i| !active[i]).for_each(|i| skyline.delete(i, &mut l, &mut sigma));
                for j in (0..n).filter(|&j| active[j]) {
                    for i in (j..=skyline.last[j]).filter(|&i| active[i]) {
                        let (x, y) = (l[skyline.at(i, j)], factored[skyline.at(i, j)]);
                        assert!((x - y).abs() < 1e-13 * width as f64, "{n} {i} {j}: {x} {y}");
                    }
                }
                check_solution(&skyline, &a, &d, &active, &l, &mut rng);
            }
        }
    }

    fn check_solution(
        skyline: &Skyline,
        a: &[f64],
        d: &[f64],
        active: &[bool],
        l: &[f64],
        rng: &mut Rng,
    ) {
        let n = d.len();
        let exact: Vec<f64> =
            active.iter().map(|&on| if on { rng.range(-1.0, 1.0) } else { 0.0 }).collect();
        let mut b: Vec<f64> = (0..n).map(|i| d[i] * exact[i]).collect();
        for j in 0..n {
            b[j] += a[skyline.at(j, j)] * exact[j];
            for i in j + 1..=skyline.last[j] {
                b[i] += a[skyline.at(i, j)] * exact[j];
                b[j] += a[skyline.at(i, j)] * exact[i];
            }
        }
        skyline.solve(l, active, &mut b);
        b.iter().zip(&exact).for_each(|(x, e)| assert!((x - e).abs() < 1e-12, "{x} is not {e}"));
    }

    /// Columns before the first change stay as they are.
    #[test]
    fn factoring_goes_on_from_any_column() {
        let mut rng = Rng::new(3);
        let (skyline, a) = random(60, 12, &mut rng);
        let d = vec![0.0; 60];
        let mut active = vec![true; 60];
        active[4] = false;
        let mut l = vec![0.0; a.len()];
        skyline.factor(&a, &d, &active, 0, &mut l).expect("definite");
        active[30] = false;
        skyline.factor(&a, &d, &active, 30, &mut l).expect("definite");
        check_solution(&skyline, &a, &d, &active, &l, &mut rng);
    }

    #[test]
    fn indefinite_is_a_breakdown() {
        let skyline = Skyline::new(2, |_| 1);
        let mut l = vec![0.0; 3];
        let a = [1.0, 2.0, 1.0];
        assert_eq!(skyline.factor(&a, &[0.0; 2], &[true; 2], 0, &mut l), Err(Breakdown));
        assert_eq!(skyline.factor(&a, &[0.0; 2], &[true, false], 0, &mut l), Ok(()));
    }
}
