//! Ã entry by entry, for matrices that are given so: Q + P Ã is factored as a
//! sparse matrix of blocks.
//!
//! Rows of one block share their columns. The pattern is made symmetric; A need
//! not be. Of multibody problems A is formed first.

use super::lorentz::{Matrix, identity, zero};
use super::model::{Block, Model};
use crate::free_solve::Dual;
use crate::linalg::supernodal_lu::{Spot, SupernodalLu};
use crate::linalg::{Breakdown, Supernodes, compressed, minimum_degree};
use crate::{Operator, Problem};

#[derive(Default)]
pub(super) struct DualForm {
    /// A of a multibody problem.
    formed: Dual,
    /// Per block row, its columns (those of blocks side by side), and its values
    /// row after row.
    columns: Vec<u32>,
    column_ptr: Vec<usize>,
    values: Vec<f64>,
    value_ptr: Vec<usize>,
    /// Per block row, the blocks in it, and where the factors hold them.
    neighbours: Vec<(u32, Spot)>,
    neighbour_ptr: Vec<usize>,
    lu: SupernodalLu,
}

impl DualForm {
    pub fn analyse(&mut self, problem: &Problem, blocks: &[Block]) {
        if let Operator::Multibody(_) = problem.operator {
            self.formed.form(problem);
        }
        let graph = self.block_graph(problem, blocks);
        let lower = graph
            .iter()
            .enumerate()
            .map(|(i, row)| row.iter().copied().filter(|&j| j as usize >= i).collect());
        let (col_ptr, row_idx) = compressed(lower.collect());
        let order = minimum_degree(&col_ptr, &row_idx)
            .unwrap_or_else(|_| (0..blocks.len() as u32).collect());
        let mut starts: Vec<u32> = blocks.iter().map(|b| b.row as u32).collect();
        starts.push(problem.rows() as u32);
        self.lu.set_symbolic(Supernodes::with_blocks(&col_ptr, &row_idx, &order, &starts));
        self.columns.clear();
        self.neighbours.clear();
        (self.column_ptr, self.value_ptr, self.neighbour_ptr) = (vec![0], vec![0], vec![0]);
        let mut values = 0;
        for (block, row) in blocks.iter().zip(&graph) {
            for &j in row {
                let other = &blocks[j as usize];
                self.neighbours.push((j, self.lu.spot(block.row, other.row)));
                self.columns.extend((other.row..other.row + other.size()).map(|c| c as u32));
            }
            values +=
                block.size() * (self.columns.len() - self.column_ptr[self.column_ptr.len() - 1]);
            self.column_ptr.push(self.columns.len());
            self.value_ptr.push(values);
            self.neighbour_ptr.push(self.neighbours.len());
        }
        self.values.clear();
        self.values.resize(values, 0.0);
    }

    /// Takes up the values of A.
    pub fn refill(&mut self, problem: &Problem, model: &Model) {
        if let Operator::Multibody(_) = problem.operator {
            self.formed.assemble(problem);
        }
        self.values.fill(0.0);
        for (k, block) in model.blocks.iter().enumerate() {
            let columns = &self.columns[self.column_ptr[k]..self.column_ptr[k + 1]];
            let n = columns.len();
            for r in 0..block.size() {
                let i = block.row + r;
                let row = &mut self.values[self.value_ptr[k] + r * n..][..n];
                match &problem.operator {
                    Operator::Dense(a) => {
                        row.iter_mut().zip(columns).for_each(|(v, &j)| *v = a.get(i, j as usize));
                    }
                    Operator::Sparse(a) => spread(a.row(i), columns, row),
                    Operator::General(a) => spread(a.row(i), columns, row),
                    Operator::Multibody(_) => {
                        if let Some(a) = self.formed.matrix() {
                            spread(a.row(i), columns, row);
                        }
                    }
                }
                for (v, &j) in row.iter_mut().zip(columns) {
                    *v *= model.scale[i] * model.scale[j as usize];
                }
            }
        }
    }

    /// out = Ã x.
    pub fn apply(&self, blocks: &[Block], x: &[f64], out: &mut [f64]) {
        for (k, block) in blocks.iter().enumerate() {
            let columns = &self.columns[self.column_ptr[k]..self.column_ptr[k + 1]];
            let n = columns.len();
            for r in 0..block.size() {
                let row = &self.values[self.value_ptr[k] + r * n..][..n];
                let (mut even, mut odd) = (0.0, 0.0);
                let (c2, c1) = columns.as_chunks::<2>();
                let (v2, v1) = row.as_chunks::<2>();
                for (c, v) in c2.iter().zip(v2) {
                    even += v[0] * x[c[0] as usize];
                    odd += v[1] * x[c[1] as usize];
                }
                c1.iter().zip(v1).for_each(|(&c, v)| even += v * x[c as usize]);
                out[block.row + r] = even + odd;
            }
        }
    }

    /// Factors Q + P (Ã + diagonal).
    pub fn factor<const N: usize>(
        &mut self,
        blocks: &[Block],
        diagonal: &[f64],
        q: &[Matrix<N>],
        p: &[Matrix<N>],
    ) -> Result<(), Breakdown> {
        let target = self.lu.clear_values();
        for (k, block) in blocks.iter().enumerate() {
            let size = block.size();
            let first = self.column_ptr[k];
            let n = self.column_ptr[k + 1] - first;
            let rows = &self.values[self.value_ptr[k]..self.value_ptr[k + 1]];
            let (p, is_identity, is_zero) = (&p[k], p[k] == identity(), p[k] == zero());
            let mut at = 0;
            for &(j, spot) in &self.neighbours[self.neighbour_ptr[k]..self.neighbour_ptr[k + 1]] {
                let width = blocks[j as usize].size();
                for r in (0..size).filter(|_| !is_zero) {
                    for c in 0..width {
                        let v = if is_identity {
                            rows[r * n + at + c]
                        } else {
                            (0..size).map(|s| p[r][s] * rows[s * n + at + c]).sum()
                        };
                        target[spot.at + r * spot.row + c * spot.column] = v;
                    }
                }
                if j as usize == k {
                    for (r, c) in (0..size).flat_map(|r| (0..size).map(move |c| (r, c))) {
                        target[spot.at + r * spot.row + c * spot.column] +=
                            q[k][r][c] + p[r][c] * diagonal[block.row + c];
                    }
                }
                at += width;
            }
        }
        self.lu.factor()
    }

    /// x ← (Q + P Ã)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.lu.solve(x);
    }

    /// The blocks that each block of rows meets, itself included, ascending.
    fn block_graph(&self, problem: &Problem, blocks: &[Block]) -> Vec<Vec<u32>> {
        let mut of_row = vec![0_u32; problem.rows()];
        for (k, block) in blocks.iter().enumerate() {
            of_row[block.row..block.row + block.size()].fill(k as u32);
        }
        let mut graph: Vec<Vec<u32>> = (0..blocks.len() as u32).map(|k| vec![k]).collect();
        for i in 0..problem.rows() {
            let mut meet = |j: usize| {
                let (k, l) = (of_row[i], of_row[j]);
                if graph[k as usize].last() != Some(&l) {
                    graph[k as usize].push(l);
                }
                if graph[l as usize].last() != Some(&k) {
                    graph[l as usize].push(k);
                }
            };
            match &problem.operator {
                Operator::Dense(a) => {
                    let entries = a.row(i).iter().enumerate();
                    entries.filter(|(_, a)| **a != 0.0).for_each(|(j, _)| meet(j));
                }
                Operator::Sparse(a) => a.row(i).0.iter().for_each(|&j| meet(j as usize)),
                Operator::General(a) => a.row(i).0.iter().for_each(|&j| meet(j as usize)),
                Operator::Multibody(_) => {
                    let of_row = self.formed.matrix().map(|a| a.row(i).0);
                    of_row.into_iter().flatten().for_each(|&j| meet(j as usize));
                }
            }
        }
        for row in &mut graph {
            row.sort_unstable();
            row.dedup();
        }
        graph
    }
}

/// Puts a row's stored values where its columns are; both ascend.
fn spread((stored, values): (&[u32], &[f64]), columns: &[u32], row: &mut [f64]) {
    let mut at = 0;
    for (&j, v) in stored.iter().zip(values) {
        while at < columns.len() && columns[at] < j {
            at += 1;
        }
        if at < columns.len() && columns[at] == j {
            row[at] = *v;
        }
    }
}
