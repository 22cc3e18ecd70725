//! (diag p + diag q Ã) d = r by factorization, for matrices given by their entries.
//!
//! Up to [`SMALL`] rows dense, with exchanges among all rows; beyond, sparse, with
//! exchanges within supernodes. Rows that touch a zero diagonal (the directions of
//! a polyhedral cone and their slack) are kept in one block, so that the slack finds
//! a pivot. **Cost**: one factorization; nothing is allocated while the pattern
//! stays. **Fails** where the matrix is singular to the last digit.

use super::scaled::Scaled;
use crate::linalg::lu::Lu;
use crate::linalg::supernodal_lu::SupernodalLu;
use crate::linalg::{Breakdown, Supernodes, compressed, minimum_degree};
use crate::operator::{mix, mix_all};

/// Dense up to this many rows: textbook problems, whose diagonals may be anything.
const SMALL: usize = 60;
/// A zero diagonal with more entries in its row than this keeps to itself.
const LARGEST_BLOCK: usize = 20;

#[derive(Default)]
pub(crate) struct Direct {
    dense: Lu,
    sparse: SupernodalLu,
    pattern: Option<u64>,
    /// Where the sparse factors hold each entry of Ã, and each diagonal.
    at: Vec<usize>,
    diagonal_at: Vec<usize>,
    /// Row i of the problem is row place[i] of the factors.
    place: Vec<u32>,
    permuted: Vec<f64>,
}

impl Direct {
    /// Symbolic work, where the pattern is new.
    pub fn prepare(&mut self, a: &Scaled) {
        let m = a.rows();
        if m <= SMALL {
            self.dense.resize(m);
            return;
        }
        let zeros = (0..m).filter(|&i| diagonal(a, i) == 0.0).map(|i| i as u64);
        let hash = mix_all(m as u64, a.row_ptr.iter().map(|&p| p as u64));
        let hash = mix_all(hash, a.columns.iter().map(|&c| u64::from(c)));
        let hash = mix_all(mix(hash, 1), zeros);
        if self.pattern != Some(hash) {
            self.analyse(a);
            self.pattern = Some(hash);
        }
    }

    fn analyse(&mut self, a: &Scaled) {
        let m = a.rows();
        let leader = leaders(a);
        let mut members: Vec<u32> = (0..m as u32).collect();
        members.sort_by_key(|&i| (leader[i as usize], i));
        let mut block_of = vec![0_u32; m];
        let mut starts = Vec::new();
        self.place.clear();
        self.place.resize(m, 0);
        for (k, &i) in members.iter().enumerate() {
            if k == 0 || leader[members[k - 1] as usize] != leader[i as usize] {
                starts.push(k as u32);
            }
            block_of[i as usize] = starts.len() as u32 - 1;
            self.place[i as usize] = k as u32;
        }
        let blocks = starts.len();
        starts.push(m as u32);
        let mut lower: Vec<Vec<u32>> = (0..blocks as u32).map(|k| vec![k]).collect();
        for i in 0..m {
            for &j in &a.columns[a.row_ptr[i]..a.row_ptr[i + 1]] {
                let (k, l) = (block_of[i], block_of[j as usize]);
                let column = &mut lower[k.min(l) as usize];
                if column.last() != Some(&k.max(l)) {
                    column.push(k.max(l));
                }
            }
        }
        let (col_ptr, row_idx) = compressed(lower);
        let order =
            minimum_degree(&col_ptr, &row_idx).unwrap_or_else(|_| (0..blocks as u32).collect());
        self.sparse.set_symbolic(Supernodes::with_blocks(&col_ptr, &row_idx, &order, &starts));
        let Direct { sparse, place, at, diagonal_at, permuted, .. } = self;
        at.clear();
        diagonal_at.clear();
        for i in 0..m {
            let row = place[i] as usize;
            for &j in &a.columns[a.row_ptr[i]..a.row_ptr[i + 1]] {
                at.push(sparse.spot(row, place[j as usize] as usize).at);
            }
            diagonal_at.push(sparse.spot(row, row).at);
        }
        permuted.resize(m, 0.0);
    }

    /// Factors diag(p) + diag(q) Ã.
    pub fn factor(&mut self, a: &Scaled, p: &[f64], q: &[f64]) -> Result<(), Breakdown> {
        let m = a.rows();
        if m <= SMALL {
            for j in 0..m {
                self.dense.column_mut(j).fill(0.0);
            }
            for i in 0..m {
                for k in a.row_ptr[i]..a.row_ptr[i + 1] {
                    self.dense.column_mut(a.columns[k] as usize)[i] += q[i] * a.values[k];
                }
                self.dense.column_mut(i)[i] += p[i];
            }
            return self.dense.factor();
        }
        let target = self.sparse.clear_values();
        for i in 0..m {
            for k in a.row_ptr[i]..a.row_ptr[i + 1] {
                target[self.at[k]] = q[i] * a.values[k];
            }
            target[self.diagonal_at[i]] += p[i];
        }
        self.sparse.factor()
    }

    /// x ← (diag(p) + diag(q) Ã)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        if x.len() <= SMALL {
            return self.dense.solve(x);
        }
        for (i, &k) in self.place.iter().enumerate() {
            self.permuted[k as usize] = x[i];
        }
        self.sparse.solve(&mut self.permuted);
        for (i, &k) in self.place.iter().enumerate() {
            x[i] = self.permuted[k as usize];
        }
    }
}

fn diagonal(a: &Scaled, i: usize) -> f64 {
    let row = a.row_ptr[i]..a.row_ptr[i + 1];
    let k = a.columns[row.clone()].binary_search(&(i as u32));
    k.map_or(0.0, |k| a.values[row.start + k])
}

/// The first row of each row's block.
fn leaders(a: &Scaled) -> Vec<u32> {
    let m = a.rows();
    let mut leader: Vec<u32> = (0..m as u32).collect();
    for i in 0..m {
        let row = &a.columns[a.row_ptr[i]..a.row_ptr[i + 1]];
        if diagonal(a, i) != 0.0 || row.len() > LARGEST_BLOCK {
            continue;
        }
        let first = row.iter().map(|&j| leader[j as usize]).min().unwrap_or(i as u32);
        // Only rows that stand alone join: blocks of contacts never meet.
        for &j in row {
            if leader[j as usize] == j {
                leader[j as usize] = first;
            }
        }
        leader[i] = first;
    }
    // A block may have joined another.
    for i in 0..m {
        while leader[i] != leader[leader[i] as usize] {
            leader[i] = leader[leader[i] as usize];
        }
    }
    leader
}
