//! Ã = J̃M⁻¹J̃ᵀ + C̃ through velocities, for multibody matrices.
//!
//! **Update**: (Q + P Ã) x = f is the same as M v = J̃ᵀx and
//! G⁻¹x = f − P J̃ v with G = (Q + P C̃)⁻¹, block by block. Eliminating x gives
//! (M + J̃ᵀ G P J̃) v = J̃ᵀ G f on the graph of the bodies.
//! **Cost**: order 6n whatever the number of rows, one analysis a graph.
//! **Fails** without refinement of both equations together, as
//! [`crate::free_solve`]'s primal form does: G is as large as contacts are stiff.

use super::lorentz::{Matrix, Vector, identity, inverse, mul, product, zero};
use super::model::{Block, Model};
use crate::linalg::supernodal_lu::{Spot, SupernodalLu};
use crate::linalg::{Breakdown, Supernodes, compressed, minimum_degree};
use crate::operator::{dot6, mul6};
use crate::rounding::is_refined;
use crate::{Block6, Multibody, Row6};

/// One more than elsewhere: with two, `cone_ipm` solves 12 problems of 13.
const REFINEMENTS: usize = 4;

/// N: rows of the largest cone.
#[derive(Default)]
pub(super) struct PrimalForm<const N: usize> {
    /// Bodies of each block, and J̃ of it: body after body, row after row.
    bodies: Vec<u32>,
    body_ptr: Vec<usize>,
    jacobian: Vec<Row6>,
    jacobian_ptr: Vec<usize>,
    /// Per block, where each pair of its bodies is held.
    pairs: Vec<Spot>,
    pair_ptr: Vec<usize>,
    diagonal: Vec<Spot>,
    /// M and M⁻¹ with the diagonal of M brought to one, and how.
    mass: Vec<Block6>,
    inverse_mass: Vec<Block6>,
    units: Vec<Row6>,
    pub compliance: Vec<f64>,
    g: Vec<Matrix<N>>,
    lu: SupernodalLu,
    v: Vec<Row6>,
    r1: Vec<Row6>,
    r2: Vec<f64>,
    jv: Vec<f64>,
}

impl<const N: usize> PrimalForm<N> {
    pub fn analyse(&mut self, a: &Multibody, blocks: &[Block]) {
        for v in [&mut self.body_ptr, &mut self.jacobian_ptr, &mut self.pair_ptr] {
            v.clear();
            v.push(0);
        }
        self.bodies.clear();
        let mut columns: Vec<Vec<u32>> = (0..a.body_count() as u32).map(|b| vec![b]).collect();
        let (mut jacobians, mut pairs) = (0, 0);
        for block in blocks {
            let mut of: Vec<u32> =
                (0..block.size()).flat_map(|r| a.row(block.row + r).0).copied().collect();
            of.sort_unstable();
            of.dedup();
            for (p, &low) in of.iter().enumerate() {
                columns[low as usize].extend_from_slice(&of[p + 1..]);
            }
            jacobians += of.len() * block.size();
            pairs += of.len() * of.len();
            self.bodies.extend(of);
            self.body_ptr.push(self.bodies.len());
            self.jacobian_ptr.push(jacobians);
            self.pair_ptr.push(pairs);
        }
        let (col_ptr, row_idx) = compressed(columns);
        let order = minimum_degree(&col_ptr, &row_idx)
            .unwrap_or_else(|_| (0..a.body_count() as u32).collect());
        self.lu.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &order, 6));
        let lu = &self.lu;
        self.diagonal.clear();
        self.diagonal.extend((0..a.body_count()).map(|b| lu.spot(6 * b, 6 * b)));
        self.pairs.clear();
        for k in 0..blocks.len() {
            let of = &self.bodies[self.body_ptr[k]..self.body_ptr[k + 1]];
            for &p in of {
                self.pairs.extend(of.iter().map(|&q| lu.spot(6 * p as usize, 6 * q as usize)));
            }
        }
        self.jacobian.clear();
        self.jacobian.resize(jacobians, [0.0; 6]);
        for v in [&mut self.v, &mut self.r1, &mut self.units] {
            v.clear();
            v.resize(a.body_count(), [0.0; 6]);
        }
        for v in [&mut self.mass, &mut self.inverse_mass] {
            v.clear();
            v.resize(a.body_count(), [[0.0; 6]; 6]);
        }
        for v in [&mut self.r2, &mut self.jv, &mut self.compliance] {
            v.clear();
            v.resize(a.rows(), 0.0);
        }
        self.g.clear();
        self.g.resize(blocks.len(), zero());
    }

    /// Takes up the values.
    pub fn refill(&mut self, a: &Multibody, model: &Model) {
        for b in 0..a.body_count() {
            let (m, inverse) = (a.mass(b), a.inverse_mass(b));
            let unit: Row6 = std::array::from_fn(|k| 1.0 / m[k][k].sqrt());
            self.units[b] = unit;
            for i in 0..6 {
                for j in 0..6 {
                    self.mass[b][i][j] = m[i][j] * unit[i] * unit[j];
                    self.inverse_mass[b][i][j] = inverse[i][j] / (unit[i] * unit[j]);
                }
            }
        }
        self.jacobian.fill([0.0; 6]);
        for (k, block) in model.blocks.iter().enumerate() {
            let of = &self.bodies[self.body_ptr[k]..self.body_ptr[k + 1]];
            for r in 0..block.size() {
                let (scale, (bodies, rows)) = (model.scale[block.row + r], a.row(block.row + r));
                for (b, j) in bodies.iter().zip(rows) {
                    let Ok(p) = of.binary_search(b) else { continue };
                    let unit = &self.units[*b as usize];
                    self.jacobian[self.jacobian_ptr[k] + p * block.size() + r] =
                        std::array::from_fn(|c| scale * unit[c] * j[c]);
                }
                self.compliance[block.row + r] = scale * scale * a.compliance()[block.row + r];
            }
        }
    }

    /// out = Ã x.
    pub fn apply(&mut self, blocks: &[Block], x: &[f64], out: &mut [f64]) {
        let mut v = std::mem::take(&mut self.v);
        v.fill([0.0; 6]);
        self.add_transposed(blocks, x, &mut v);
        for (v, inverse) in v.iter_mut().zip(&self.inverse_mass) {
            *v = mul6(inverse, v);
        }
        self.products(blocks, &v, out);
        for (o, (c, x)) in out.iter_mut().zip(self.compliance.iter().zip(x)) {
            *o += c * x;
        }
        self.v = v;
    }

    /// Factors M + J̃ᵀ G P J̃, C̃ with `softening` added.
    pub fn factor(
        &mut self,
        blocks: &[Block],
        softening: &[f64],
        q: &[Matrix<N>],
        p: &[Matrix<N>],
    ) -> Result<(), Breakdown> {
        let target = self.lu.clear_values();
        for (spot, mass) in self.diagonal.iter().zip(&self.mass) {
            add(target, spot, mass);
        }
        for (k, block) in blocks.iter().enumerate() {
            let size = block.size();
            let mut e = q[k];
            for (r, row) in e.iter_mut().enumerate() {
                for (c, e) in row[..size].iter_mut().enumerate() {
                    let i = block.row + c;
                    *e += p[k][r][c] * (self.compliance[i] + softening[i]);
                }
            }
            self.g[k] = if size == 1 {
                let mut g = zero();
                g[0][0] = 1.0 / e[0][0];
                g
            } else {
                // Past the end of a smaller cone there is nothing to invert.
                let one = identity::<N>();
                e[size..].copy_from_slice(&one[size..]);
                e[..size].iter_mut().for_each(|row| row[size..].fill(0.0));
                inverse(&e)
            };
            let gp = product(&self.g[k], &p[k]);
            if gp.iter().flatten().all(|g| *g == 0.0) {
                continue;
            }
            let n = self.body_ptr[k + 1] - self.body_ptr[k];
            let j = &self.jacobian[self.jacobian_ptr[k]..self.jacobian_ptr[k + 1]];
            let pairs = &self.pairs[self.pair_ptr[k]..self.pair_ptr[k + 1]];
            for left in 0..n {
                for right in 0..n {
                    let (jl, jr) = (&j[left * size..][..size], &j[right * size..][..size]);
                    let mut block = [[0.0; 6]; 6];
                    for r in 0..size {
                        let mut row = [0.0; 6];
                        for c in 0..size {
                            (0..6).for_each(|i| row[i] += gp[r][c] * jr[c][i]);
                        }
                        for i in 0..6 {
                            (0..6).for_each(|c| block[i][c] += jl[r][i] * row[c]);
                        }
                    }
                    add(target, &pairs[left * n + right], &block);
                }
            }
        }
        self.lu.factor()
    }

    /// Solves (Q + P Ã) x = f without refinement.
    pub fn solve_roughly(&mut self, blocks: &[Block], p: &[Matrix<N>], f: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        let (mut v, mut r1) = (std::mem::take(&mut self.v), std::mem::take(&mut self.r1));
        v.fill([0.0; 6]);
        r1.fill([0.0; 6]);
        self.r2.copy_from_slice(f);
        self.correct(blocks, p, &mut r1, &mut v, x);
        (self.v, self.r1) = (v, r1);
    }

    /// Solves (Q + P Ã) x = f; returns the number of refinements.
    pub fn solve(
        &mut self,
        blocks: &[Block],
        softening: &[f64],
        [q, p]: [&[Matrix<N>]; 2],
        f: &[f64],
        x: &mut [f64],
    ) -> usize {
        x.fill(0.0);
        let (mut v, mut r1) = (std::mem::take(&mut self.v), std::mem::take(&mut self.r1));
        v.fill([0.0; 6]);
        r1.fill([0.0; 6]);
        self.r2.copy_from_slice(f);
        let size = f.iter().fold(0.0_f64, |s, f| s.max(f.abs()));
        let mut last = f64::INFINITY;
        let mut steps = 0;
        loop {
            self.correct(blocks, p, &mut r1, &mut v, x);
            if steps == REFINEMENTS {
                break;
            }
            self.residuals(blocks, softening, [q, p], f, x, &v, &mut r1);
            let norm = self.r2.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
            // One step always: r2 alone does not show the error of M v = J̃ᵀx.
            if steps > 0 && is_refined(norm, size, last) {
                break;
            }
            last = norm;
            steps += 1;
        }
        (self.v, self.r1) = (v, r1);
        steps
    }

    /// Adds the solution for r1 and r2.
    fn correct(
        &mut self,
        blocks: &[Block],
        p: &[Matrix<N>],
        r1: &mut [Row6],
        v: &mut [Row6],
        x: &mut [f64],
    ) {
        for (k, block) in blocks.iter().enumerate() {
            block.put(&mut self.jv, &mul(&self.g[k], &block.of(&self.r2)));
        }
        let jv = std::mem::take(&mut self.jv);
        self.add_transposed(blocks, &jv, r1);
        self.jv = jv;
        self.lu.solve(r1.as_flattened_mut());
        let mut jv = std::mem::take(&mut self.jv);
        self.products(blocks, r1, &mut jv);
        self.jv = jv;
        for (k, block) in blocks.iter().enumerate() {
            let (pjv, r2) = (mul(&p[k], &block.of(&self.jv)), block.of::<N>(&self.r2));
            let rest: Vector<N> = std::array::from_fn(|i| r2[i] - pjv[i]);
            let dx = mul(&self.g[k], &rest);
            for r in 0..block.size() {
                x[block.row + r] += dx[r];
            }
        }
        for (v, dv) in v.iter_mut().zip(r1.iter()) {
            (0..6).for_each(|k| v[k] += dv[k]);
        }
    }

    /// r1 = J̃ᵀx − M v; r2 = f − Q x − P (J̃ v + C̃ x).
    #[expect(clippy::too_many_arguments)]
    fn residuals(
        &mut self,
        blocks: &[Block],
        softening: &[f64],
        [q, p]: [&[Matrix<N>]; 2],
        f: &[f64],
        x: &[f64],
        v: &[Row6],
        r1: &mut [Row6],
    ) {
        for ((r1, v), mass) in r1.iter_mut().zip(v).zip(&self.mass) {
            *r1 = mul6(mass, v).map(|p| -p);
        }
        self.add_transposed(blocks, x, r1);
        let mut jv = std::mem::take(&mut self.jv);
        self.products(blocks, v, &mut jv);
        for i in 0..x.len() {
            jv[i] += (self.compliance[i] + softening[i]) * x[i];
        }
        for (k, block) in blocks.iter().enumerate() {
            let f: Vector<N> = block.of(f);
            let (qx, pw) = (mul(&q[k], &block.of(x)), mul(&p[k], &block.of(&jv)));
            block.put::<N>(&mut self.r2, &std::array::from_fn(|i| f[i] - qx[i] - pw[i]));
        }
        self.jv = jv;
    }

    /// out += J̃ᵀ x.
    fn add_transposed(&self, blocks: &[Block], x: &[f64], out: &mut [Row6]) {
        for (k, block) in blocks.iter().enumerate() {
            let (x, size): (Vector<N>, _) = (block.of(x), block.size());
            let of = &self.bodies[self.body_ptr[k]..self.body_ptr[k + 1]];
            let j = &self.jacobian[self.jacobian_ptr[k]..self.jacobian_ptr[k + 1]];
            for (&b, rows) in of.iter().zip(j.chunks_exact(size)) {
                let out = &mut out[b as usize];
                for (row, x) in rows.iter().zip(x) {
                    (0..6).for_each(|c| out[c] += row[c] * x);
                }
            }
        }
    }

    /// out = J̃ v.
    fn products(&self, blocks: &[Block], v: &[Row6], out: &mut [f64]) {
        for (k, block) in blocks.iter().enumerate() {
            let size = block.size();
            let of = &self.bodies[self.body_ptr[k]..self.body_ptr[k + 1]];
            let j = &self.jacobian[self.jacobian_ptr[k]..self.jacobian_ptr[k + 1]];
            let mut sum = [0.0; N];
            for (&b, rows) in of.iter().zip(j.chunks_exact(size)) {
                for (sum, row) in sum.iter_mut().zip(rows) {
                    *sum += dot6(row, &v[b as usize]);
                }
            }
            block.put(out, &sum);
        }
    }
}

/// Adds a block, given by rows.
#[inline]
fn add(target: &mut [f64], spot: &Spot, block: &Block6) {
    for (r, row) in block.iter().enumerate() {
        for (c, v) in row.iter().enumerate() {
            target[spot.at + r * spot.row + c * spot.column] += v;
        }
    }
}
