//! The dual backend: A_FF compacted, sparse Cholesky.
//!
//! **Update**: gather the free rows and columns of A, analyse (only if the
//! free set is new), factor, solve.
//! **Cost**: that of the factor of A_FF, which fills with a clique for every
//! body with many contacts; an analysis per new free set. The elimination
//! order is found once for the whole pattern and restricted to F.
//! **Fails** where A_FF + D is not positive definite to working precision.
//! Best on chains and cables (few rows per body). Masking tight rows inside
//! the full pattern would save the analysis but loses once more than a
//! quarter of the contacts are open.
//! **Reference**: Ho22 eq. 2.40; Peiret19 eq. 27.

use crate::linalg::cholesky::{Breakdown, Cholesky, minimum_degree};
use crate::operator::{dot6, mix, mul6};
use crate::{Multibody, Operator, Problem, Row6, RowState, Sparse};

const TIGHT: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Dual {
    /// A, both triangles. Formed here for multibody and dense problems too.
    a: Option<Sparse>,
    /// Elimination order of the whole pattern.
    order: Vec<u32>,
    /// Position in the compacted system, or TIGHT.
    position: Vec<u32>,
    free: Vec<u32>,
    compact: Cholesky,
    set_hash: Option<u64>,
    rhs: Vec<f64>,
    /// M⁻¹ Jᵀ, entry by entry, and the entries of J by body.
    inverse_mass_rows: Vec<Row6>,
    row_of_entry: Vec<u32>,
    entries_of_body: Vec<Vec<u32>>,
    accumulator: Vec<f64>,
}

impl Dual {
    /// Pattern of A, and its elimination order.
    pub fn analyse(&mut self, problem: &Problem) {
        self.set_hash = None;
        self.form(problem);
        let Some(a) = &self.a else { return };
        let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
        for j in 0..a.rows() {
            row_idx.extend(a.row(j).0.iter().filter(|&&i| i as usize >= j));
            col_ptr.push(row_idx.len() as u32);
        }
        // Without an order (out of memory, say) the natural one serves.
        self.order =
            minimum_degree(&col_ptr, &row_idx).unwrap_or_else(|_| (0..a.rows() as u32).collect());
        self.position = vec![TIGHT; a.rows()];
    }

    /// Pattern of A alone.
    pub fn form(&mut self, problem: &Problem) {
        let a = match &problem.operator {
            Operator::Sparse(a) => a.clone(),
            Operator::Dense(a) => full_pattern(a.rows()),
            Operator::Multibody(a) => self.multibody_pattern(a),
        };
        self.accumulator = vec![0.0; a.rows()];
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

    /// Multiplications to factor A with all rows free.
    pub fn flops(&mut self, problem: &Problem) -> f64 {
        let set = vec![RowState::Free; problem.rows()];
        self.gather(&set, &vec![0.0; problem.rows()]);
        if self.analyse_compact().is_err() {
            return f64::INFINITY;
        }
        self.compact.flops()
    }

    pub fn factor(&mut self, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        let hash = set.iter().fold(0, |h, &s| mix(h, u64::from(s == RowState::Free)));
        let known = self.set_hash == Some(hash);
        if !known {
            self.compact.clear();
            self.set_hash = None;
        }
        self.gather(set, d);
        if !known {
            self.analyse_compact()?;
            self.set_hash = Some(hash);
        }
        self.compact.factor()
    }

    pub fn solve(&mut self, r: &[f64], x: &mut [f64]) -> usize {
        self.rhs.clear();
        self.rhs.extend(self.free.iter().map(|&i| r[i as usize]));
        self.compact.solve(&mut self.rhs);
        x.fill(0.0);
        self.free.iter().zip(&self.rhs).for_each(|(&i, &v)| x[i as usize] = v);
        0
    }

    /// The lower triangle of (A + D)_FF, pattern and values.
    fn gather(&mut self, set: &[RowState], d: &[f64]) {
        let Some(a) = &self.a else { return };
        self.free.clear();
        for (i, s) in set.iter().enumerate() {
            self.position[i] = TIGHT;
            if *s == RowState::Free {
                self.position[i] = self.free.len() as u32;
                self.free.push(i as u32);
            }
        }
        let c = &mut self.compact;
        c.col_ptr.truncate(1);
        c.row_idx.clear();
        c.values.clear();
        for &j in &self.free {
            let (cols, vals) = a.row(j as usize);
            let diagonal = cols.partition_point(|&i| i < j);
            for (&i, &v) in cols[diagonal..].iter().zip(&vals[diagonal..]) {
                let p = self.position[i as usize];
                if p != TIGHT {
                    c.row_idx.push(p);
                    c.values.push(if i == j { v + d[j as usize] } else { v });
                }
            }
            c.col_ptr.push(c.row_idx.len() as u32);
        }
    }

    fn analyse_compact(&mut self) -> Result<(), Breakdown> {
        let positions = self.order.iter().map(|&i| self.position[i as usize]);
        let order: Vec<u32> = positions.filter(|&p| p != TIGHT).collect();
        self.compact.analyse(Some(&order))
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
