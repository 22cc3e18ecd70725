//! GMRES: a linear system through products alone, whatever its matrix.
//!
//! **Problem**: B d = r, B square, nonsingular.
//! **Update**: the d of least |r − B d| in the span of r, Br, B²r, …, preconditioned
//! from the right by a diagonal; begun anew after [`Gmres::RESTART`] products.
//! **Cost** per iteration k: one product, 2k products of vectors.
//! **Fails**: stagnates where B is ill-conditioned; the residual says so.
//! **Reference**: Saad and Schultz 1986; Erleben13 6.

/// Its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gmres {
    /// Orthonormal vectors, one after the other.
    basis: Vec<f64>,
    /// Upper triangle of the reduced system, column by column.
    h: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    g: Vec<f64>,
    z: Vec<f64>,
}

impl Gmres {
    /// Vectors kept.
    pub const RESTART: usize = 60;

    /// Memory for n rows.
    pub fn resize(&mut self, n: usize) {
        let k = Self::RESTART.min(n.max(1));
        self.basis.resize((k + 1) * n, 0.0);
        self.h.resize(k * (k + 1), 0.0);
        self.rotations.resize(k, (0.0, 0.0));
        self.g.resize(k + 1, 0.0);
        self.z.resize(n, 0.0);
    }

    /// Solves from d = 0 until |r − B d| ≤ share·|r| or `limit` products are done.
    /// `product(x, out)` is out = B x; `inverse` the preconditioner. Returns the
    /// number of products and the share that is left.
    pub fn solve(
        &mut self,
        r: &[f64],
        d: &mut [f64],
        inverse: &[f64],
        share: f64,
        limit: usize,
        mut product: impl FnMut(&[f64], &mut [f64]),
    ) -> (usize, f64) {
        let n = r.len();
        d.fill(0.0);
        let whole = norm(r);
        if whole == 0.0 || n == 0 {
            return (0, 0.0);
        }
        let (mut done, mut left) = (0, 1.0);
        while done < limit {
            self.basis[..n].copy_from_slice(r);
            if done > 0 {
                product(d, &mut self.z);
                self.basis[..n].iter_mut().zip(&self.z).for_each(|(b, z)| *b -= z);
            }
            let before = left;
            let (products, size) =
                self.cycle(d, inverse, share * whole, limit - done, &mut product);
            done += products.max(1);
            left = size / whole;
            if left <= share || !left.is_finite() || left > 0.99 * before {
                break;
            }
        }
        (done, left)
    }

    /// One cycle from the residual in the first vector. Adds to d.
    fn cycle(
        &mut self,
        d: &mut [f64],
        inverse: &[f64],
        target: f64,
        limit: usize,
        product: &mut impl FnMut(&[f64], &mut [f64]),
    ) -> (usize, f64) {
        let n = d.len();
        let most = Self::RESTART.min(n).min(limit);
        let size = norm(&self.basis[..n]);
        if size <= target || !size.is_finite() {
            return (0, size);
        }
        self.basis[..n].iter_mut().for_each(|b| *b /= size);
        self.g.fill(0.0);
        self.g[0] = size;
        let mut k = 0;
        while k < most && self.g[k].abs() > target {
            self.z
                .iter_mut()
                .zip(inverse)
                .zip(&self.basis[k * n..])
                .for_each(|((z, p), b)| *z = p * b);
            let (old, new) = self.basis.split_at_mut((k + 1) * n);
            product(&self.z, &mut new[..n]);
            let column = &mut self.h[k * (k + 1) / 2..][..k + 1];
            for (h, v) in column.iter_mut().zip(old.chunks_exact(n)) {
                *h = v.iter().zip(&new[..n]).map(|(a, b)| a * b).sum();
                new[..n].iter_mut().zip(v).for_each(|(x, v)| *x -= *h * v);
            }
            let below = norm(&new[..n]);
            if below > 0.0 {
                new[..n].iter_mut().for_each(|x| *x /= below);
            }
            for (i, (c, s)) in self.rotations[..k].iter().enumerate() {
                let (a, b) = (column[i], column[i + 1]);
                (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
            }
            let length = column[k].hypot(below);
            if length == 0.0 || !length.is_finite() {
                break;
            }
            let (c, s) = (column[k] / length, below / length);
            self.rotations[k] = (c, s);
            column[k] = length;
            (self.g[k], self.g[k + 1]) = (c * self.g[k], -s * self.g[k]);
            k += 1;
            if below == 0.0 {
                break;
            }
        }
        let left = self.g[k.min(most)].abs();
        self.add_answer(d, inverse, k);
        (k, left)
    }

    /// Solves the triangle of k columns, and adds what it says to d.
    fn add_answer(&mut self, d: &mut [f64], inverse: &[f64], k: usize) {
        for i in (0..k).rev() {
            let mut sum = self.g[i];
            for j in i + 1..k {
                sum -= self.h[j * (j + 1) / 2 + i] * self.g[j];
            }
            self.g[i] = sum / self.h[i * (i + 1) / 2 + i];
        }
        for (j, v) in self.basis.chunks_exact(d.len()).take(k).enumerate() {
            let g = self.g[j];
            d.iter_mut().zip(v).zip(inverse).for_each(|((d, v), p)| *d += g * v * p);
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    /// A random matrix, without symmetry, with and without restarts.
    #[test]
    fn solves_what_it_is_given() {
        let mut rng = Rng::new(3);
        for n in [1, 5, 40, 150] {
            let a: Vec<f64> = (0..n * n).map(|_| rng.range(-1.0, 1.0)).collect();
            let shift = 2.0 * (n as f64).sqrt();
            let product = |x: &[f64], out: &mut [f64]| {
                for i in 0..n {
                    let row: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                    out[i] = row + shift * x[i];
                }
            };
            let r: Vec<f64> = (0..n).map(|_| rng.range(-1.0, 1.0)).collect();
            let (mut d, mut out) = (vec![0.0; n], vec![0.0; n]);
            let mut gmres = Gmres::default();
            gmres.resize(n);
            let inverse = vec![1.0 / shift; n];
            let (_, left) = gmres.solve(&r, &mut d, &inverse, 1e-10, 500, product);
            product(&d, &mut out);
            let error: Vec<f64> = out.iter().zip(&r).map(|(a, b)| a - b).collect();
            assert!(left <= 1e-10 && norm(&error) < 1e-9 * norm(&r), "{n}: {left:e}");
        }
    }
}
