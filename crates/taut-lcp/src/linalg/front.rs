//! Dense Cholesky factorization of the first rows of a matrix; what is left of
//! the others is their Schur complement.
//!
//! **Update**: right-looking, in blocks of columns. Each block lies as a panel of
//! [`super::panel`], whose kernels factor it and subtract its product from the
//! blocks behind it.
//! **Cost**: o³/6 + o²b/2 + ob²/2 multiplications, o rows of o + b eliminated.
//! **Fails** where the first rows are not positive definite to working precision.
//! **Reference**: Duff and Reid 1983, The multifrontal solution of indefinite
//! sparse symmetric linear equations.

use pulp::{Arch, Simd, WithSimd};

use super::panel::{Kept, Packs, Place, SLACK, factor_panel, subtract_product};
use super::substitution::{backward, forward};
use super::{Breakdown, vectorized};

/// Columns of a block.
const WIDTH: usize = 48;

/// The lower triangle of a symmetric matrix, and its partial factor.
#[derive(Default)]
pub(crate) struct Front {
    order: usize,
    eliminated: usize,
    blocks: Vec<Block>,
    values: Vec<f64>,
    /// 0, 1, 2, ...
    places: Vec<u32>,
    packs: Packs,
}

/// Columns that lie as one panel, their rows from the first column on.
#[derive(Clone, Copy, Default)]
struct Block {
    first: usize,
    end: usize,
    at: usize,
}

impl Front {
    /// Makes room for an order up to `order`, whatever is eliminated of it.
    pub fn fit(&mut self, order: usize) {
        // One more where the eliminated columns end within a block.
        let blocks = order.div_ceil(WIDTH) + 1;
        self.blocks.clear();
        self.blocks.reserve(blocks);
        self.values.clear();
        self.values.reserve(order * (order + 1) / 2 + order * WIDTH.min(order) + blocks * SLACK);
        if order > self.places.len() {
            self.places.extend(self.places.len() as u32..order as u32);
            self.packs.fit(WIDTH.min(order), order);
        }
    }

    /// A zero matrix of this order, of which the first rows will be eliminated.
    pub fn clear(&mut self, eliminated: usize, order: usize) {
        (self.order, self.eliminated) = (order, eliminated);
        self.blocks.clear();
        let (mut first, mut at) = (0, 0);
        while first < order {
            let stop = if first < eliminated { eliminated } else { order };
            let end = stop.min(first + WIDTH);
            self.blocks.push(Block { first, end, at });
            at += (end - first) * (order - first) + SLACK;
            first = end;
        }
        self.values.clear();
        self.values.resize(at, 0.0);
    }

    /// Number of rows that are eliminated.
    pub fn eliminated(&self) -> usize {
        self.eliminated
    }

    fn block_of(&self, j: usize) -> Block {
        let own = self.eliminated.div_ceil(WIDTH);
        let k = if j < self.eliminated { j / WIDTH } else { own + (j - self.eliminated) / WIDTH };
        self.blocks[k]
    }

    /// Column j from its diagonal on.
    pub fn column(&self, j: usize) -> &[f64] {
        let (b, h) = (self.block_of(j), self.order);
        let at = b.at + (j - b.first) * (h - b.first) + (j - b.first);
        &self.values[at..at + h - j]
    }

    /// Column j from its diagonal on, to be written.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        let (b, h) = (self.block_of(j), self.order);
        let at = b.at + (j - b.first) * (h - b.first) + (j - b.first);
        &mut self.values[at..at + h - j]
    }

    /// Eliminates the first rows.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        Arch::new().dispatch(Factor(self))
    }

    /// z ← L⁻¹ z; the rows that are not eliminated lose what the others make of
    /// them.
    pub fn forward(&self, z: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                for b in self.eliminated_blocks() {
                    forward(&self.values[b.at..], self.kept(b), &mut z[b.first..]);
                }
            },
        );
    }

    /// z ← L⁻ᵀ z on the eliminated rows, the others given.
    pub fn backward(&self, z: &mut [f64]) {
        vectorized(
            #[inline(always)]
            || {
                for b in self.eliminated_blocks().rev() {
                    backward(&self.values[b.at..], self.kept(b), &mut z[b.first..]);
                }
            },
        );
    }

    fn eliminated_blocks(&self) -> impl DoubleEndedIterator<Item = &Block> {
        self.blocks[..self.eliminated.div_ceil(WIDTH)].iter()
    }

    fn kept(&self, b: &Block) -> Kept {
        Kept { columns: b.end - b.first, rows: self.order - b.first }
    }
}

struct Factor<'a>(&'a mut Front);

impl WithSimd for Factor<'_> {
    type Output = Result<(), Breakdown>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Front { order, eliminated, blocks, values, places, packs } = self.0;
        for (k, b) in blocks[..eliminated.div_ceil(WIDTH)].iter().enumerate() {
            let kept = Kept { columns: b.end - b.first, rows: *order - b.first };
            factor_panel(simd, &mut values[b.at..], kept, packs)?;
            for t in &blocks[k + 1..] {
                let (done, rest) = values.split_at_mut(t.at);
                let place = Place {
                    begin: t.first - b.first,
                    end: t.end - b.first,
                    relative: &places[..*order - t.first],
                    stride: *order - t.first,
                };
                let positions = &places[..kept.rows];
                subtract_product(simd, &done[b.at..], kept, positions, &place, rest, packs);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    /// Sizes around that of a block; all, some and none of the rows eliminated.
    #[test]
    fn eliminates_as_plain_elimination_does() {
        let (mut rng, mut front) = (Rng::new(5), Front::default());
        for n in [0_usize, 1, 5, 47, 48, 49, 100, 145] {
            for o in [0, n / 3, n.saturating_sub(1), n] {
                let mut a: Vec<f64> = (0..n * n).map(|_| rng.uniform() - 0.5).collect();
                (0..n).for_each(|i| a[i * n + i] = 20.0 + n as f64);
                (0..n).for_each(|i| (0..i).for_each(|j| a[i * n + j] = a[j * n + i]));
                front.fit(n);
                front.clear(o, n);
                for j in 0..n {
                    front.column_mut(j).iter_mut().zip(j..n).for_each(|(v, i)| *v = a[i * n + j]);
                }
                let x: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
                let product =
                    |r: usize, to: usize| (0..to).map(|c| a[r * n + c] * x[c]).sum::<f64>();
                let mut z: Vec<f64> = (0..n).map(|r| product(r, o)).collect();
                front.factor().expect("positive definite");
                // The rows below see what the eliminated ones make of them.
                front.forward(&mut z);
                z[o..].iter().for_each(|z| assert!(z.abs() < 1e-12, "{n} {o}: {z}"));
                front.backward(&mut z);
                (0..o).for_each(|i| assert!((z[i] - x[i]).abs() < 1e-12, "{n} {o}: row {i}"));
                for c in 0..o {
                    for (r, s) in (c + 1..n).flat_map(|r| (c + 1..=r).map(move |s| (r, s))) {
                        a[r * n + s] -= a[r * n + c] * a[s * n + c] / a[c * n + c];
                    }
                }
                for j in o..n {
                    for (v, i) in front.column(j).iter().zip(j..n) {
                        assert!((v - a[i * n + j]).abs() < 1e-12, "{n} {o}: {i}, {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn indefinite_is_a_breakdown() {
        let mut front = Front::default();
        front.fit(2);
        front.clear(1, 2);
        assert_eq!(front.factor(), Err(Breakdown));
    }
}
