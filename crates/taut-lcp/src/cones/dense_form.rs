//! Ã as a full symmetric matrix: the small problems that are left where joints are condensed.
//!
//! Rows whose law holds their impulse (P = 0: open contacts, rows at a bound) stand apart,
//! so a Newton step factors what is closed alone.

use super::lorentz::{Matrix, Vector, mul, zero};
use super::model::{Block, Model};
use crate::linalg::Breakdown;
use crate::linalg::lu::Lu;
use crate::{Operator, Problem};

#[derive(Default)]
pub(super) struct DenseForm {
    /// Row by row, which is column by column.
    values: Vec<f64>,
    /// The blocks that are not held, and where their rows stand in the factor.
    active: Vec<(u32, u32)>,
    lu: Lu,
    part: Vec<f64>,
    image: Vec<f64>,
}

impl DenseForm {
    /// Takes up the values of A.
    pub fn refill(&mut self, problem: &Problem, model: &Model) {
        let n = problem.rows();
        self.values.clear();
        self.active.clear();
        self.active.reserve(n);
        self.lu.resize(n);
        for v in [&mut self.part, &mut self.image] {
            v.clear();
            v.resize(n, 0.0);
        }
        let Operator::Dense(a) = &problem.operator else { return };
        self.values.reserve(n * n);
        for i in 0..n {
            let of = a.row(i).iter().zip(&model.scale);
            self.values.extend(of.map(|(v, scale)| v * scale * model.scale[i]));
        }
    }

    /// out = Ã x.
    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        // What is condensed from joints alone has no rows.
        let n = x.len().max(1);
        out.fill(0.0);
        for (x, column) in x.iter().zip(self.values.chunks_exact(n)).filter(|(x, _)| **x != 0.0) {
            out.iter_mut().zip(column).for_each(|(o, a)| *o += x * a);
        }
    }

    /// Factors Q + P (Ã + diagonal) on the blocks with P ≠ 0; Q = 1 on the others.
    pub fn factor<const N: usize>(
        &mut self,
        blocks: &[Block],
        diagonal: &[f64],
        q: &[Matrix<N>],
        p: &[Matrix<N>],
    ) -> Result<(), Breakdown> {
        let n = diagonal.len();
        self.active.clear();
        let mut order = 0;
        for (k, block) in blocks.iter().enumerate().filter(|(k, _)| p[*k] != zero()) {
            self.active.push((k as u32, order));
            order += block.size() as u32;
        }
        self.lu.resize(order as usize);
        for &(l, place) in &self.active {
            let other = &blocks[l as usize];
            for c in 0..other.size() {
                let from = &self.values[(other.row + c) * n..][..n];
                let column = self.lu.column_mut(place as usize + c);
                for &(k, at) in &self.active {
                    let (block, p) = (&blocks[k as usize], &p[k as usize]);
                    let a = block.of(from);
                    let out = mul(p, &a);
                    column[at as usize..][..block.size()].copy_from_slice(&out[..block.size()]);
                }
                let (p, q) = (&p[l as usize], &q[l as usize]);
                for r in 0..other.size() {
                    column[place as usize + r] += q[r][c] + p[r][c] * diagonal[other.row + c];
                }
            }
        }
        self.lu.factor()
    }

    /// x ← (Q + P Ã)⁻¹ x.
    pub fn solve<const N: usize>(&mut self, blocks: &[Block], p: &[Matrix<N>], x: &mut [f64]) {
        // What held rows give to the others.
        let mut image = std::mem::take(&mut self.image);
        self.part.copy_from_slice(x);
        for &(k, _) in &self.active {
            blocks[k as usize].put(&mut self.part, &[0.0; N]);
        }
        self.apply(&self.part, &mut image);
        for &(k, at) in &self.active {
            let (block, p) = (&blocks[k as usize], &p[k as usize]);
            let (f, given): (Vector<N>, Vector<N>) = (block.of(x), mul(p, &block.of(&image)));
            for r in 0..block.size() {
                self.part[at as usize + r] = f[r] - given[r];
            }
        }
        self.image = image;
        let order = self.lu.order();
        self.lu.solve(&mut self.part[..order]);
        for &(k, at) in &self.active {
            let block = &blocks[k as usize];
            x[block.row..block.row + block.size()]
                .copy_from_slice(&self.part[at as usize..][..block.size()]);
        }
    }
}
