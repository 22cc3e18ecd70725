//! The dual backend: A_FF, sparse Cholesky.
//!
//! **Update**: write the free rows and columns of A into the panels of one
//! analysis of the whole pattern, factor what is free, solve.
//! **Cost**: that of the factor of A_FF, which fills with a clique for every
//! body with many contacts. One analysis serves every free set, pivots and
//! interior point alike; a new free set allocates nothing.
//! **Fails** where A_FF + D is not positive definite to working precision.
//! Best on chains and cables (few rows per body).
//! **Reference**: Ho22 eq. 2.40; Peiret19 eq. 27.

use crate::linalg::supernodal::Supernodal;
use crate::linalg::{Breakdown, Supernodes, last, minimum_degree};
use crate::operator::{dot6, mul6};
use crate::{Multibody, Operator, Problem, Row6, RowState, Sparse};

#[derive(Default)]
pub(crate) struct Dual {
    /// Bodies whose rows come last in the order of elimination.
    pub(super) late: Vec<u32>,
    /// A, both triangles. Formed here for multibody and dense problems too.
    a: Option<Sparse>,
    pub(super) factor: Supernodal,
    /// Where the entries of column j from the diagonal down go, column by
    /// column.
    slots: Vec<u32>,
    slot_ptr: Vec<u32>,
    pub(super) is_free: Vec<bool>,
    /// M⁻¹ Jᵀ, entry by entry, and the entries of J by body.
    pub(super) inverse_mass_rows: Vec<Row6>,
    pub(super) row_of_entry: Vec<u32>,
    pub(super) entries_of_body: Vec<Vec<u32>>,
    accumulator: Vec<f64>,
    /// How rows outside act on free rows: per row of theirs, rows and values.
    pub(super) g_ptr: Vec<usize>,
    pub(super) g: Vec<(u32, f64)>,
}

impl Dual {
    /// Pattern of A, its elimination order and analysis.
    pub fn analyse(&mut self, problem: &Problem) {
        self.form(problem);
        let Some(a) = &self.a else { return };
        let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
        for j in 0..a.rows() {
            row_idx.extend(a.row(j).0.iter().filter(|&&i| i as usize >= j));
            col_ptr.push(row_idx.len() as u32);
        }
        // Without an order (out of memory, say) the natural one serves.
        let order =
            minimum_degree(&col_ptr, &row_idx).unwrap_or_else(|_| (0..a.rows() as u32).collect());
        let order = match &problem.operator {
            Operator::Multibody(a) if !self.late.is_empty() => {
                let is_late = |i: u32| a.row(i as usize).0.iter().any(|b| self.late.contains(b));
                last(order, is_late)
            }
            _ => order,
        };
        self.factor.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &order, 1));
        self.slots.clear();
        for j in 0..a.rows() {
            for &i in &row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize] {
                self.slots.push(self.factor.slot(i as usize, j).at as u32);
            }
        }
        self.slot_ptr = col_ptr;
    }

    /// Pattern of A alone.
    pub fn form(&mut self, problem: &Problem) {
        let a = match &problem.operator {
            Operator::Sparse(a) => a.clone(),
            Operator::Dense(a) => full_pattern(a.rows()),
            Operator::Multibody(a) => self.multibody_pattern(a),
        };
        self.accumulator.clear();
        self.accumulator.resize(a.rows(), 0.0);
        self.a = Some(a);
    }

    /// A, once formed and assembled.
    pub fn matrix(&self) -> Option<&Sparse> {
        self.a.as_ref()
    }

    /// Writes the values of A.
    pub fn assemble(&mut self, problem: &Problem) {
        match (&problem.operator, &mut self.a) {
            (Operator::Sparse(a), Some(mine)) => mine.copy_values(a),
            (Operator::Dense(a), Some(mine)) => {
                (0..a.rows()).for_each(|i| mine.row_mut(i).1.copy_from_slice(a.row(i)));
            }
            (Operator::Multibody(a), _) => self.assemble_multibody(a),
            _ => {}
        }
    }

    /// Multiplications of one solve with all rows free: to form A through the
    /// bodies, to factor it.
    pub fn flops(&self) -> f64 {
        let formed: f64 = self.entries_of_body.iter().map(|e| (e.len() as f64).powi(2)).sum();
        12.0 * formed + self.factor.flops()
    }

    pub fn factor(&mut self, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        let Some(a) = &self.a else { return Err(Breakdown) };
        self.is_free.clear();
        self.is_free.extend(set.iter().map(|&s| s == RowState::Free));
        let values = self.factor.clear_values();
        for j in (0..set.len()).filter(|&j| self.is_free[j]) {
            let (rows, entries) = a.row(j);
            let slots = &self.slots[self.slot_ptr[j] as usize..self.slot_ptr[j + 1] as usize];
            let diagonal = rows.len() - slots.len();
            for ((&i, &v), &slot) in rows[diagonal..].iter().zip(&entries[diagonal..]).zip(slots) {
                if self.is_free[i as usize] {
                    values[slot as usize] = v;
                }
            }
            values[slots[0] as usize] += d[j];
        }
        self.factor.set_active(|i| self.is_free[i]);
        self.factor.factor()
    }

    pub fn solve(&mut self, r: &[f64], x: &mut [f64]) -> usize {
        for i in 0..x.len() {
            x[i] = if self.is_free[i] { r[i] } else { 0.0 };
        }
        self.factor.solve(x);
        0
    }

    fn multibody_pattern(&mut self, a: &Multibody) -> Sparse {
        self.row_of_entry.clear();
        self.entries_of_body.clear();
        self.entries_of_body.resize(a.body_count(), Vec::new());
        for i in 0..a.rows() {
            for &b in a.row(i).0 {
                self.entries_of_body[b as usize].push(self.row_of_entry.len() as u32);
                self.row_of_entry.push(i as u32);
            }
        }
        let (mut row_ptr, mut col_idx) = (vec![0], Vec::<u32>::new());
        let mut neighbours = Vec::new();
        for i in 0..a.rows() {
            neighbours.clear();
            neighbours.push(i as u32);
            for &b in a.row(i).0 {
                let entries = self.entries_of_body[b as usize].iter();
                neighbours.extend(entries.map(|&e| self.row_of_entry[e as usize]));
            }
            neighbours.sort_unstable();
            neighbours.dedup();
            col_idx.extend_from_slice(&neighbours);
            row_ptr.push(col_idx.len());
        }
        Sparse::from_pattern(row_ptr, col_idx)
    }

    /// A = J M⁻¹ Jᵀ + C: row i gathers, through each of its bodies b, the
    /// products J_ib · (M_b⁻¹ J_jbᵀ).
    fn assemble_multibody(&mut self, a: &Multibody) {
        let Some(mine) = &mut self.a else { return };
        self.inverse_mass_rows.clear();
        for i in 0..a.rows() {
            let (bodies, rows) = a.row(i);
            let products = bodies.iter().zip(rows);
            self.inverse_mass_rows
                .extend(products.map(|(&b, j)| mul6(a.inverse_mass(b as usize), j)));
        }
        for i in 0..a.rows() {
            self.accumulator[i] += a.compliance()[i];
            let (bodies, rows) = a.row(i);
            for (&b, j) in bodies.iter().zip(rows) {
                for &e in &self.entries_of_body[b as usize] {
                    let t = &self.inverse_mass_rows[e as usize];
                    self.accumulator[self.row_of_entry[e as usize] as usize] += dot6(j, t);
                }
            }
            let (cols, values) = mine.row_mut(i);
            for (&j, v) in cols.iter().zip(values) {
                *v = std::mem::take(&mut self.accumulator[j as usize]);
            }
        }
    }
}

fn full_pattern(n: usize) -> Sparse {
    let row_ptr = (0..=n).map(|i| i * n).collect();
    let col_idx = (0..n * n).map(|k| (k % n) as u32).collect();
    Sparse::from_pattern(row_ptr, col_idx)
}
