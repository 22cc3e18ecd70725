//! Block Jacobi: rows next to one another on the same bodies (a joint, the
//! contacts of a pair) are solved together; P is the diagonal of such blocks.
//!
//! **Cost**: small dense factors; A is not formed for multibody problems.
//! **Fails** as Jacobi between bodies; within a pair, mass and geometry are
//! exact. Contacts of a pair are often redundant: a block that cannot be
//! factored gets a shift of its diagonal, raised until it can.
//! **Reference**: the diagonal of Ho22 4, in blocks.

use super::Source;
use super::ic0_shift::raise;
use crate::linalg::Breakdown;
use crate::operator::{dot6, mul6};
use crate::rounding::ELIMINATION;
use crate::{Multibody, Sparse};

/// Most rows of a block.
const LARGEST: usize = 24;

#[derive(Default)]
pub(super) struct BlockJacobi {
    /// The block of each row, and where blocks have their values.
    block: Vec<u32>,
    start: Vec<usize>,
    /// Lower triangles, row by row, of the rows that are free.
    values: Vec<f64>,
}

impl BlockJacobi {
    pub fn shape(&mut self, m: usize, bodies: Option<&Multibody>, a: Option<&Sparse>) {
        self.block.clear();
        self.start.clear();
        let (mut size, mut total) = (0, 0);
        for i in 0..m {
            let same = i > 0
                && match (bodies, a) {
                    // Rows without bodies have nothing to do with one another.
                    (Some(a), _) => !a.row(i).0.is_empty() && a.row(i).0 == a.row(i - 1).0,
                    (_, Some(a)) => a.row(i).0 == a.row(i - 1).0,
                    _ => false,
                };
            if !same || size == LARGEST {
                total += size * (size + 1) / 2;
                self.start.push(total);
                size = 0;
            }
            size += 1;
            self.block.push(self.start.len() as u32 - 1);
        }
        self.values.resize(total + size * (size + 1) / 2, 0.0);
    }

    /// Rows of the block of row i.
    pub fn rows_beside(&self, i: u32) -> std::ops::Range<u32> {
        let other = |k: &usize| self.block[*k] != self.block[i as usize];
        let first = (0..i as usize).rev().find(other).map_or(0, |k| k + 1);
        let end = (i as usize..self.block.len()).find(other).unwrap_or(self.block.len());
        first as u32..end as u32
    }

    /// Parts of `rows` that are one block each.
    fn parts<'a>(&'a self, rows: &'a [u32]) -> impl Iterator<Item = (usize, &'a [u32])> {
        let block = |i: u32| self.block[i as usize];
        let parts = rows.chunk_by(move |&i, &j| block(i) == block(j));
        parts.map(move |part| (self.start[block(part[0]) as usize], part))
    }

    pub fn factor(&mut self, source: &Source, rows: &[u32]) {
        let mut values = std::mem::take(&mut self.values);
        for (start, part) in self.parts(rows) {
            let block = &mut values[start..][..part.len() * (part.len() + 1) / 2];
            let whole = raise(|shift| {
                load(source, part, shift, block);
                cholesky(block, part.len())
            });
            if whole.is_err() {
                // Not finite: the diagonal alone.
                load(source, part, 0.0, block);
                for i in 0..part.len() {
                    let row = &mut block[i * (i + 1) / 2..][..=i];
                    row[..i].fill(0.0);
                    row[i] = if row[i] > 0.0 { row[i].sqrt() } else { 1.0 };
                }
            }
        }
        self.values = values;
    }

    /// z = P⁻¹ r on the rows.
    pub fn solve(&self, rows: &[u32], r: &[f64], z: &mut [f64]) {
        for (start, part) in self.parts(rows) {
            let l = |i: usize, j: usize| self.values[start + i * (i + 1) / 2 + j];
            for (i, &row) in part.iter().enumerate() {
                let sum: f64 = (0..i).map(|k| l(i, k) * z[part[k] as usize]).sum();
                z[row as usize] = (r[row as usize] - sum) / l(i, i);
            }
            for i in (0..part.len()).rev() {
                let sum: f64 = (i + 1..part.len()).map(|k| l(k, i) * z[part[k] as usize]).sum();
                let z = &mut z[part[i] as usize];
                *z = (*z - sum) / l(i, i);
            }
        }
    }
}

fn load(source: &Source, part: &[u32], shift: f64, block: &mut [f64]) {
    let mut place = 0;
    for (k, &i) in part.iter().enumerate() {
        for &j in &part[..k] {
            block[place] = entry(source, i as usize, j as usize);
            place += 1;
        }
        let a = source.diagonal[i as usize];
        block[place] = (if a > 0.0 { a } else { 1.0 }) * (1.0 + shift);
        place += 1;
    }
}

/// Aᵢⱼ of two rows on the same bodies.
fn entry(source: &Source, i: usize, j: usize) -> f64 {
    match (source.bodies, source.sparse) {
        (Some(a), _) => {
            let ((bodies, x), (_, y)) = (a.row(i), a.row(j));
            let terms = bodies.iter().zip(x.iter().zip(y));
            terms.map(|(&b, (x, y))| dot6(x, &mul6(a.inverse_mass(b as usize), y))).sum()
        }
        (None, Some(a)) => a.get(i, j),
        (None, None) => 0.0,
    }
}

/// In place, on the lower triangle row by row.
fn cholesky(l: &mut [f64], n: usize) -> Result<(), Breakdown> {
    let at = |i: usize, j: usize| i * (i + 1) / 2 + j;
    for i in 0..n {
        let least = ELIMINATION * l[at(i, i)];
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| l[at(i, k)] * l[at(j, k)]).sum();
            let rest = l[at(i, j)] - sum;
            if i == j && (rest <= least || rest.is_nan()) {
                return Err(Breakdown);
            }
            l[at(i, j)] = if i == j { rest.sqrt() } else { rest / l[at(j, j)] };
        }
    }
    Ok(())
}
