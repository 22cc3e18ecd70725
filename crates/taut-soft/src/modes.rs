//! The lowest eigenfrequencies of a body: K x = ω² M x with K at rest.
//!
//! **Update**: inverse iteration on a block of vectors, K⁻¹M, with Rayleigh and Ritz's best frequencies of the
//! block (Bathe 1971). **Cost**: one factorization, and substitutions until the frequencies stay. **Fails** where K is
//! singular: a body that is not held has frequencies of 0.

use taut_lcp::BlockCholesky;
use taut_lcp::generate::Rng;

use crate::matrix::{Vec3, eigen};
use crate::{Error, SoftBody};

/// Vectors of a block, and so the most frequencies.
const BLOCK: usize = 12;
/// Frequencies that can be asked for; the others speed up the search.
pub const MOST_MODES: usize = 8;

impl SoftBody {
    /// The lowest frequencies \[Hz\] about the shape at rest, at most [`MOST_MODES`]. Nodes must be pinned so that the
    /// body can neither move nor turn as a whole.
    pub fn frequencies(&self, count: usize) -> Result<Vec<f64>, Error> {
        let n = self.positions().len();
        if count > MOST_MODES {
            return Err(Error::Range {
                what: "frequencies, of at most 8",
                got: count,
                count: MOST_MODES,
            });
        }
        let (col_ptr, row_idx) = self.solid.pattern();
        let mut factor = BlockCholesky::new(col_ptr, row_idx, 3)?;
        let mut k = Vec::new();
        self.solid.stiffness(self.solid.mesh().nodes(), true, &mut k);
        factor.factor(&k, |i| !self.is_pinned(i / 3, i % 3))?;
        let mut rng = Rng::new(1);
        let random = |_| (0..n).map(|_| [0; 3].map(|_| rng.range(-1.0, 1.0))).collect();
        let mut x: Vec<Vec<Vec3>> = (0..BLOCK).map(random).collect();
        x.iter_mut().for_each(|x| self.clear_pinned(x));
        let mut last = vec![0.0; count];
        for iteration in 1..=200 {
            let frequencies = self.ritz(&mut factor, &mut x);
            let moved = last.iter().zip(&frequencies).map(|(a, b)| (a / b - 1.0).abs());
            let change = moved.fold(0.0, f64::max);
            last = frequencies[..count].to_vec();
            if change < 1e-9 && iteration > 3 {
                break;
            }
        }
        Ok(last)
    }

    /// x ← K⁻¹M x, combined to the best approximations of modes; their frequencies, rising.
    fn ritz(&self, factor: &mut BlockCholesky, x: &mut [Vec<Vec3>]) -> [f64; BLOCK] {
        let inner = |a: &[Vec3], b: &[Vec3]| -> f64 {
            a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| a * b).sum()
        };
        let zero = vec![[0.0; 3]; x[0].len()];
        let mut products = Vec::new();
        // yᵀ K y = yᵀ M x with y = K⁻¹ M x
        for x in x.iter_mut() {
            let mut p = zero.clone();
            self.solid.add_mass(1.0, x, &mut p);
            self.clear_pinned(&mut p);
            x.clone_from(&p);
            factor.solve(x.as_flattened_mut());
            products.push(p);
        }
        let masses: Vec<Vec<Vec3>> = x
            .iter()
            .map(|x| {
                let mut m = zero.clone();
                self.solid.add_mass(1.0, x, &mut m);
                m
            })
            .collect();
        // In the basis that makes the mass diagonal, an ordinary problem.
        let gram: [[f64; BLOCK]; BLOCK] =
            std::array::from_fn(|i| std::array::from_fn(|j| inner(&x[i], &masses[j])));
        let (values, vectors) = eigen(gram);
        let most = values.iter().fold(0.0_f64, |a, b| a.max(*b));
        let scaled: [[f64; BLOCK]; BLOCK] = std::array::from_fn(|i| {
            std::array::from_fn(|k| vectors[i][k] / values[k].max(1e-15 * most).sqrt())
        });
        let stiffness: [[f64; BLOCK]; BLOCK] = std::array::from_fn(|i| {
            std::array::from_fn(|j| 0.5 * (inner(&x[i], &products[j]) + inner(&x[j], &products[i])))
        });
        let small: [[f64; BLOCK]; BLOCK] = std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                let mut sum = 0.0;
                for i in 0..BLOCK {
                    for j in 0..BLOCK {
                        sum += scaled[i][a] * stiffness[i][j] * scaled[j][b];
                    }
                }
                sum
            })
        });
        let (squares, mix) = eigen(small);
        let mut order: [usize; BLOCK] = std::array::from_fn(|k| k);
        order.sort_by(|&a, &b| squares[a].total_cmp(&squares[b]));
        let old = x.to_vec();
        for (x, &k) in x.iter_mut().zip(&order) {
            x.fill([0.0; 3]);
            for (i, old) in old.iter().enumerate() {
                let weight: f64 = (0..BLOCK).map(|a| scaled[i][a] * mix[a][k]).sum();
                for (x, o) in x.as_flattened_mut().iter_mut().zip(old.as_flattened()) {
                    *x += weight * o;
                }
            }
        }
        order.map(|k| squares[k].max(0.0).sqrt() / std::f64::consts::TAU)
    }
}
