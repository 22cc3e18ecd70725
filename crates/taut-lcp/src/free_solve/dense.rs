//! The dense backend: A_FF gathered into a square, dense Cholesky.
//!
//! **Update**: copy the free rows and columns of A, factor, solve.
//! **Cost**: |F|³/6 multiplications; no analysis, nothing to allocate once the
//! largest size has been seen.
//! **Fails** where A_FF + D is not positive definite to working precision.
//! For problems of up to about a hundred rows, where the bookkeeping of a
//! sparse factorization costs more than its arithmetic saves.
//! **Reference**: Ho22 eq. 2.40.

use crate::linalg::Breakdown;
use crate::linalg::dense;
use crate::{Operator, Problem, RowState};

#[derive(Default)]
pub(crate) struct Dense {
    /// A, rows one after the other.
    a: Vec<f64>,
    free: Vec<u32>,
    l: dense::Dense,
    rhs: Vec<f64>,
}

impl Dense {
    /// Writes the values of A. Multibody problems have no dense form here.
    pub fn assemble(&mut self, problem: &Problem) {
        let m = problem.rows();
        // Room for every free set.
        self.l.resize(m);
        self.free.clear();
        self.free.reserve(m);
        self.rhs.clear();
        self.rhs.reserve(m);
        self.a.clear();
        match &problem.operator {
            Operator::Dense(a) => (0..m).for_each(|i| self.a.extend_from_slice(a.row(i))),
            Operator::Sparse(a) => {
                self.a.resize(m * m, 0.0);
                for (i, out) in self.a.chunks_exact_mut(m.max(1)).enumerate() {
                    let (columns, values) = a.row(i);
                    columns.iter().zip(values).for_each(|(&j, &v)| out[j as usize] = v);
                }
            }
            Operator::Multibody(_) => {}
        }
    }

    pub fn factor(&mut self, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        let m = set.len();
        self.free.clear();
        self.free.extend((0..m as u32).filter(|&i| set[i as usize] == RowState::Free));
        let n = self.free.len();
        self.l.resize(n);
        for (p, &j) in self.free.iter().enumerate() {
            // A is symmetric: its row j is its column j.
            let column = &self.a[j as usize * m..][..m];
            let out = self.l.column_mut(p);
            if n == m {
                out.copy_from_slice(column);
            } else {
                (p..n).for_each(|q| out[q] = column[self.free[q] as usize]);
            }
            out[p] += d[j as usize];
        }
        self.l.factor()
    }

    pub fn solve(&mut self, r: &[f64], x: &mut [f64]) -> usize {
        self.rhs.clear();
        self.rhs.extend(self.free.iter().map(|&i| r[i as usize]));
        self.l.solve(&mut self.rhs);
        x.fill(0.0);
        self.free.iter().zip(&self.rhs).for_each(|(&i, &v)| x[i as usize] = v);
        0
    }
}
