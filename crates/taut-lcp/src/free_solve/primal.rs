//! The primal backend: K = M + J_Fᵀ E_F⁻¹ J_F, E = C + D, on the body graph.
//!
//! **Update**: (J M⁻¹ Jᵀ + E) x = r is the same as M v = Jᵀ x, J v + E x = r;
//! eliminating x gives K v = Jᵀ E⁻¹ r, x = E⁻¹ (r − J v).
//! **Cost**: order 6n whatever the number of rows; the pattern is that of the
//! body graph for every free set, so one analysis serves all pivots.
//! **Fails** without refinement: at a compliance of 1e-10 of the diagonal K is
//! so ill-conditioned that x is wrong in the third digit. One step of *joint*
//! refinement, on both equations, restores the accuracy of the dual form;
//! refining x alone does not. Needs E > 0 on every free row.
//! **Reference**: the elimination is that of Andrews22 1.9 read backwards.

use crate::linalg::cholesky::{Breakdown, Cholesky, minimum_degree};
use crate::operator::mul6;
use crate::{Multibody, Row6, RowState};

/// Refinement stops here: more steps would only repeat rounding errors.
const MAX_REFINEMENTS: usize = 3;
/// Relative residual at which refinement stops.
const REFINEMENT_TARGET: f64 = 1e-13;

/// Consecutive rows on the same bodies.
#[derive(Clone, Copy)]
struct Group {
    start: u32,
    end: u32,
    /// First of its pairs in `Primal::slots`.
    slot: u32,
}

#[derive(Default)]
pub(crate) struct Primal {
    k: Cholesky,
    groups: Vec<Group>,
    /// Per pair of bodies of a group: index of the off-diagonal block within
    /// its block column.
    slots: Vec<u32>,
    is_free: Vec<bool>,
    /// E⁻¹ of the free rows, and E.
    inverse_e: Vec<f64>,
    e: Vec<f64>,
    v: Vec<f64>,
    r1: Vec<f64>,
    r2: Vec<f64>,
}

impl Primal {
    /// Pattern of K for all rows, elimination order, groups of rows.
    pub fn analyse(&mut self, a: &Multibody) {
        self.group_rows(a);
        let columns = self.block_columns(a);
        self.slots.clear();
        for g in &mut self.groups {
            g.slot = self.slots.len() as u32;
            let bodies = a.row(g.start as usize).0;
            for (p, &low) in bodies.iter().enumerate() {
                for high in &bodies[p + 1..] {
                    let column = &columns[low as usize];
                    self.slots.push(column.partition_point(|b| b < high) as u32);
                }
            }
        }
        self.k.clear();
        expand_pattern(&columns, &mut self.k);
        let order = body_order(&columns);
        // A failed analysis leaves K without one; `factor` then reports it.
        let _ = self.k.analyse(order.as_deref());
    }

    fn group_rows(&mut self, a: &Multibody) {
        self.groups.clear();
        for i in 0..a.rows() {
            match self.groups.last_mut() {
                Some(g) if a.row(g.start as usize).0 == a.row(i).0 => g.end += 1,
                _ => self.groups.push(Group { start: i as u32, end: i as u32 + 1, slot: 0 }),
            }
        }
    }

    /// For every body, the higher bodies it shares a row with, ascending.
    fn block_columns(&self, a: &Multibody) -> Vec<Vec<u32>> {
        let mut columns = vec![Vec::new(); a.body_count()];
        for g in &self.groups {
            let bodies = a.row(g.start as usize).0;
            for (p, &low) in bodies.iter().enumerate() {
                columns[low as usize].extend_from_slice(&bodies[p + 1..]);
            }
        }
        for c in &mut columns {
            c.sort_unstable();
            c.dedup();
        }
        columns
    }

    /// Multiplications of one factorization.
    pub fn flops(&self) -> f64 {
        self.k.flops()
    }

    pub fn factor(&mut self, a: &Multibody, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        let m = a.rows();
        self.is_free.clear();
        self.is_free.extend(set.iter().map(|&s| s == RowState::Free));
        self.e.clear();
        self.e.extend((0..m).map(|i| a.compliance()[i] + d[i]));
        self.inverse_e.clear();
        self.inverse_e.extend((0..m).map(|i| if self.is_free[i] { 1.0 / self.e[i] } else { 0.0 }));
        if self.inverse_e.iter().any(|e| !e.is_finite()) {
            return Err(Breakdown);
        }
        self.assemble(a);
        self.k.factor()
    }

    fn assemble(&mut self, a: &Multibody) {
        let k = &mut self.k;
        k.values.fill(0.0);
        for b in 0..a.body_count() {
            add_diagonal_block(&k.col_ptr, &mut k.values, b, a.mass(b));
        }
        for g in &self.groups {
            let rows = g.start as usize..g.end as usize;
            if !rows.clone().any(|i| self.is_free[i]) {
                continue;
            }
            let bodies = a.row(rows.start).0;
            let mut slot = g.slot as usize;
            for (p, &low) in bodies.iter().enumerate() {
                let low = low as usize;
                for q in p..bodies.len() {
                    let mut block = [[0.0; 6]; 6];
                    for i in rows.clone().filter(|&i| self.is_free[i]) {
                        let j = a.row(i).1;
                        add_outer(&mut block, &j[q], &j[p], self.inverse_e[i]);
                    }
                    if q == p {
                        add_diagonal_block(&k.col_ptr, &mut k.values, low, &block);
                    } else {
                        let at = self.slots[slot] as usize;
                        slot += 1;
                        add_lower_block(&k.col_ptr, &mut k.values, low, at, &block);
                    }
                }
            }
        }
    }

    /// Solves with joint refinement; returns the number of refinement steps.
    pub fn solve(&mut self, a: &Multibody, r: &[f64], x: &mut [f64]) -> usize {
        x.fill(0.0);
        self.v.clear();
        self.v.resize(6 * a.body_count(), 0.0);
        self.r1.clear();
        self.r1.resize(self.v.len(), 0.0);
        self.r2.clear();
        self.r2.extend((0..x.len()).map(|i| if self.is_free[i] { r[i] } else { 0.0 }));
        let scale = self.r2.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
        self.correct(a, x);
        let mut last = f64::INFINITY;
        for step in 0..MAX_REFINEMENTS {
            self.residuals(a, r, x);
            let norm = self.r2.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
            // One step always: r2 alone does not show the error of M v = Jᵀ x.
            if step > 0 && (norm <= REFINEMENT_TARGET * scale || norm > 0.25 * last) {
                return step;
            }
            last = norm;
            self.correct(a, x);
        }
        MAX_REFINEMENTS
    }

    /// K dv = r1 + Jᵀ E⁻¹ r2; dx = E⁻¹ (r2 − J dv); adds both.
    fn correct(&mut self, a: &Multibody, x: &mut [f64]) {
        let r1 = self.r1.as_chunks_mut::<6>().0;
        for i in 0..x.len() {
            a.add_row(i, self.inverse_e[i] * self.r2[i], r1);
        }
        self.k.solve(&mut self.r1);
        let dv = self.r1.as_chunks::<6>().0;
        for i in 0..x.len() {
            if self.is_free[i] {
                x[i] += self.inverse_e[i] * (self.r2[i] - a.row_dot_blocks(i, dv));
            }
        }
        self.v.iter_mut().zip(&self.r1).for_each(|(v, dv)| *v += dv);
    }

    /// r1 = Jᵀ x − M v; r2 = r − J v − E x.
    fn residuals(&mut self, a: &Multibody, r: &[f64], x: &[f64]) {
        let (v, r1) = (self.v.as_chunks::<6>().0, self.r1.as_chunks_mut::<6>().0);
        for (b, r1) in r1.iter_mut().enumerate() {
            *r1 = mul6(a.mass(b), &v[b]).map(|p| -p);
        }
        for i in 0..x.len() {
            if self.is_free[i] {
                a.add_row(i, x[i], r1);
                self.r2[i] = r[i] - a.row_dot_blocks(i, v) - self.e[i] * x[i];
            }
        }
    }
}

fn add_outer(block: &mut [[f64; 6]; 6], row: &Row6, column: &Row6, s: f64) {
    for r in 0..6 {
        let sr = s * row[r];
        for c in 0..6 {
            block[r][c] += sr * column[c];
        }
    }
}

/// Column 6b + c of the lower triangle starts with its 6 − c entries of the
/// diagonal block, then six entries per off-diagonal block.
fn add_diagonal_block(col_ptr: &[u32], values: &mut [f64], b: usize, block: &[[f64; 6]; 6]) {
    for c in 0..6 {
        let start = col_ptr[6 * b + c] as usize;
        for r in c..6 {
            values[start + r - c] += block[r][c];
        }
    }
}

fn add_lower_block(
    col_ptr: &[u32],
    values: &mut [f64],
    b: usize,
    slot: usize,
    block: &[[f64; 6]; 6],
) {
    for c in 0..6 {
        let start = col_ptr[6 * b + c] as usize + 6 - c + 6 * slot;
        for r in 0..6 {
            values[start + r] += block[r][c];
        }
    }
}

/// The scalar pattern of a block pattern.
fn expand_pattern(columns: &[Vec<u32>], k: &mut Cholesky) {
    for (b, above) in columns.iter().enumerate() {
        for c in 0..6 {
            k.row_idx.extend((c..6).map(|r| (6 * b + r) as u32));
            k.row_idx.extend(above.iter().flat_map(|&i| (0..6).map(move |r| 6 * i + r)));
            k.col_ptr.push(k.row_idx.len() as u32);
        }
    }
}

/// Minimum degree on the bodies, each standing for its six columns: the graph
/// is 36 times smaller than that of K.
fn body_order(columns: &[Vec<u32>]) -> Option<Vec<u32>> {
    let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
    for (b, above) in columns.iter().enumerate() {
        row_idx.push(b as u32);
        row_idx.extend_from_slice(above);
        col_ptr.push(row_idx.len() as u32);
    }
    let order = minimum_degree(&col_ptr, &row_idx).ok()?;
    Some(order.iter().flat_map(|&b| (0..6).map(move |c| 6 * b + c)).collect())
}
