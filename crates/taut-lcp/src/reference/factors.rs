//! One matrix, two factorizations by supernodes: taut's own (`linalg::supernodal`) and faer's.
//!
//! The matrix is that of the primal form with all rows free, M + Jᵀ C⁻¹ J. Both get it in the
//! order of approximate minimum degree, taut's of the graph of bodies, faer's of the entries. What
//! faer's is not asked for, since it cannot: leaving rows out on the same analysis, keeping panels
//! that no change reaches.

use crate::linalg::cholesky::Cholesky;
use crate::linalg::supernodal::Supernodal;
use crate::linalg::{Supernodes, compressed, minimum_degree};
use crate::{Error, Multibody};

/// Entries on and below the diagonal, and both factorizations.
pub struct Factors {
    own: Supernodal,
    faer: Cholesky,
    /// Lower triangle of the graph of bodies, in compressed columns.
    graph: (Vec<u32>, Vec<u32>),
    /// For each entry of `faer`, where `own` has it, and in which column.
    slots: Vec<(usize, u32)>,
}

/// Rows per body.
const SIZE: usize = 6;

impl Factors {
    /// Assembles the matrix. Errors where a row has no compliance.
    pub fn new(a: &Multibody) -> Result<Self, Error> {
        let bodies = a.body_count();
        let mut columns: Vec<Vec<u32>> = (0..bodies as u32).map(|b| vec![b]).collect();
        for i in 0..a.rows() {
            let (on, _) = a.row(i);
            for (k, &first) in on.iter().enumerate() {
                columns[first as usize].extend_from_slice(&on[k + 1..]);
            }
        }
        let graph = compressed(columns);
        let mut factors = Factors {
            own: Supernodal::default(),
            faer: Cholesky::default(),
            graph,
            slots: Vec::new(),
        };
        factors.lay_out();
        factors.fill(a)?;
        Ok(factors)
    }

    /// The pattern, entry by entry.
    fn lay_out(&mut self) {
        let (col_ptr, row_idx) = &self.graph;
        for column in 0..(col_ptr.len() - 1) * SIZE {
            let block = column / SIZE;
            for &b in &row_idx[col_ptr[block] as usize..col_ptr[block + 1] as usize] {
                let rows = b * SIZE as u32..(b + 1) * SIZE as u32;
                self.faer.row_idx.extend(rows.filter(|&r| r as usize >= column));
            }
            self.faer.col_ptr.push(self.faer.row_idx.len() as u32);
        }
        self.faer.values.resize(self.faer.row_idx.len(), 0.0);
    }

    fn fill(&mut self, a: &Multibody) -> Result<(), Error> {
        for body in 0..a.body_count() {
            let mass = *a.mass(body);
            self.add(body, body, |r, c| mass[r][c]);
        }
        for i in 0..a.rows() {
            let weight = 1.0 / a.compliance()[i];
            if !weight.is_finite() {
                let message = "has no compliance, so that there is no primal form".into();
                return Err(Error::Row { row: i, message });
            }
            let (on, jacobian) = a.row(i);
            for (k, &column) in on.iter().enumerate() {
                for (m, &row) in on.iter().enumerate().skip(k) {
                    let (j, l) = (jacobian[k], jacobian[m]);
                    self.add(row as usize, column as usize, |r, c| weight * l[r] * j[c]);
                }
            }
        }
        Ok(())
    }

    /// Adds a block of two bodies to the entries on and below the diagonal.
    fn add(&mut self, row: usize, column: usize, value: impl Fn(usize, usize) -> f64) {
        for c in 0..SIZE {
            let j = column * SIZE + c;
            let entries = self.faer.col_ptr[j] as usize..self.faer.col_ptr[j + 1] as usize;
            let rows = &self.faer.row_idx[entries.clone()];
            for r in (0..SIZE).filter(|r| row * SIZE + r >= j) {
                let wanted = (row * SIZE + r) as u32;
                if let Ok(at) = rows.binary_search(&wanted) {
                    self.faer.values[entries.start + at] += value(r, c);
                }
            }
        }
    }

    /// Order of the matrix.
    pub fn order(&self) -> usize {
        self.faer.order()
    }

    /// taut's symbolic analysis.
    pub fn analyse_own(&mut self) -> Result<(), Error> {
        let (col_ptr, row_idx) = &self.graph;
        let order = minimum_degree(col_ptr, row_idx).map_err(|_| failed("order"))?;
        self.own.set_symbolic(Supernodes::new(col_ptr, row_idx, &order, SIZE));
        self.slots.clear();
        for j in 0..self.faer.order() {
            let entries = self.faer.col_ptr[j] as usize..self.faer.col_ptr[j + 1] as usize;
            for &i in &self.faer.row_idx[entries] {
                let i = i as usize;
                let column = if self.own.is_before(i, j) { i } else { j };
                self.slots.push((self.own.slot(i, j).at, column as u32));
            }
        }
        Ok(())
    }

    /// faer's symbolic analysis.
    pub fn analyse_faer(&mut self) -> Result<(), Error> {
        self.faer.analyse_supernodal().map_err(|_| failed("analysis"))
    }

    /// taut's numeric factorization of all panels, values written anew.
    pub fn factor_own(&mut self) -> Result<(), Error> {
        self.own.touch_all();
        self.refactor()
    }

    /// taut's numeric factorization after the values of one body changed: of the panels that this reaches.
    pub fn factor_own_after(&mut self, body: usize) -> Result<(), Error> {
        (0..SIZE).for_each(|r| self.own.touch(body * SIZE + r));
        self.refactor()
    }

    fn refactor(&mut self) -> Result<(), Error> {
        self.own.clear_stale();
        for (k, &(at, column)) in self.slots.iter().enumerate() {
            if self.own.is_stale(column as usize) {
                self.own.values_mut()[at] += self.faer.values[k];
            }
        }
        self.own.factor().map_err(|_| failed("taut's factorization"))
    }

    /// faer's numeric factorization.
    pub fn factor_faer(&mut self) -> Result<(), Error> {
        self.faer.factor().map_err(|_| failed("faer's factorization"))
    }

    /// x ← A⁻¹ x by taut's factor.
    pub fn solve_own(&mut self, x: &mut [f64]) {
        self.own.solve(x);
    }

    /// x ← A⁻¹ x by faer's factor.
    pub fn solve_faer(&mut self, x: &mut [f64]) {
        self.faer.solve(x);
    }
}

fn failed(what: &str) -> Error {
    Error::Matrix(format!("{what} failed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operator;
    use crate::generate::{MultibodyOptions, multibody};

    #[test]
    fn both_factors_solve_the_same_system() {
        let options =
            MultibodyOptions { links: 20, pile: 20, compliance: 1e-6, ..Default::default() };
        let problem = multibody(&options, 1).expect("valid options");
        let Operator::Multibody(a) = &problem.operator else { panic!("not of bodies") };
        let mut f = Factors::new(a).expect("compliant");
        f.analyse_own().expect("order");
        f.analyse_faer().expect("analysis");
        f.factor_own().expect("definite");
        f.factor_faer().expect("definite");
        let rhs: Vec<f64> = (0..f.order()).map(|i| (i as f64).sin()).collect();
        let (mut x, mut y, mut z) = (rhs.clone(), rhs.clone(), rhs);
        f.solve_own(&mut x);
        f.solve_faer(&mut y);
        f.factor_own_after(3).expect("definite");
        f.solve_own(&mut z);
        let size = x.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-6 * size), "{x:?} {y:?}");
        assert_eq!(x, z);
    }
}
