//! A problem of boxed rows in units where the diagonal of A is one.
//!
//! λ = s∘x and y = s∘w with sᵢ = 1/√Aᵢᵢ, so y = Ãx + b̃ with Ã = diag(s) A diag(s).
//! A row whose diagonal is zero (the slack of a polyhedral cone) is scaled so that
//! its largest entry becomes one. Entries of Ã are kept where A has entries;
//! multibody systems are multiplied through their factors and never formed.

use crate::residual::row_residual;
use crate::{Operator, Problem};

/// The problem, scaled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled {
    pub scale: Vec<f64>,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    pub b: Vec<f64>,
    /// Ã row by row, without its zeros; no rows where it is not formed.
    pub row_ptr: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
    /// Aᵢᵢ, or 1 where that is zero: as the judge weighs rows.
    weight: Vec<f64>,
    t: Vec<f64>,
    scratch: Vec<f64>,
}

impl Scaled {
    /// Takes up a problem.
    pub fn load(&mut self, problem: &Problem) {
        let m = problem.rows();
        problem.bounds(&mut self.lo, &mut self.hi);
        self.weight.resize(m, 0.0);
        problem.operator.diagonal(&mut self.weight);
        self.copy_entries(&problem.operator);
        self.scale.clear();
        self.scale.extend(self.weight.iter().map(|&a| if a > 0.0 { 1.0 / a.sqrt() } else { 0.0 }));
        self.scale_zero_diagonals();
        for a in self.weight.iter_mut().filter(|a| **a <= 0.0) {
            *a = 1.0;
        }
        for i in 0..self.row_ptr.len().saturating_sub(1) {
            for k in self.row_ptr[i]..self.row_ptr[i + 1] {
                self.values[k] *= self.scale[i] * self.scale[self.columns[k] as usize];
            }
        }
        self.b.clear();
        self.b.extend(problem.b.iter().zip(&self.scale).map(|(b, s)| b * s));
        for i in 0..m {
            self.lo[i] /= self.scale[i];
            self.hi[i] /= self.scale[i];
        }
        self.t.resize(m, 0.0);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.b.len()
    }

    /// Whether Ã is known entry by entry.
    pub fn has_entries(&self) -> bool {
        self.row_ptr.len() == self.rows() + 1
    }

    fn copy_entries(&mut self, operator: &Operator) {
        let m = operator.rows();
        self.row_ptr.clear();
        self.columns.clear();
        self.values.clear();
        if matches!(operator, Operator::Multibody(_)) {
            return;
        }
        self.row_ptr.push(0);
        for i in 0..m {
            match operator {
                Operator::Dense(a) => {
                    for (j, &v) in a.row(i).iter().enumerate() {
                        if v != 0.0 || j == i {
                            self.columns.push(j as u32);
                            self.values.push(v);
                        }
                    }
                }
                Operator::Sparse(a) => self.copy_row(a.row(i)),
                Operator::General(a) => self.copy_row(a.row(i)),
                Operator::Multibody(_) => {}
            }
            self.row_ptr.push(self.columns.len());
        }
    }

    fn copy_row(&mut self, (columns, values): (&[u32], &[f64])) {
        self.columns.extend_from_slice(columns);
        self.values.extend_from_slice(values);
    }

    fn scale_zero_diagonals(&mut self) {
        for i in 0..self.scale.len() {
            if self.scale[i] > 0.0 {
                continue;
            }
            let mut largest = 0.0_f64;
            if self.has_rows() {
                for k in self.row_ptr[i]..self.row_ptr[i + 1] {
                    let s = self.scale[self.columns[k] as usize];
                    largest = largest.max((self.values[k] * s).abs());
                }
            }
            self.scale[i] = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        }
    }

    fn has_rows(&self) -> bool {
        self.row_ptr.len() == self.scale.len() + 1
    }

    /// out = Ã x.
    pub fn apply(&mut self, problem: &Problem, x: &[f64], out: &mut [f64]) {
        if self.has_entries() {
            for (i, out) in out.iter_mut().enumerate() {
                let row = self.row_ptr[i]..self.row_ptr[i + 1];
                let terms = self.columns[row.clone()].iter().zip(&self.values[row]);
                *out = terms.map(|(&j, v)| v * x[j as usize]).sum();
            }
            return;
        }
        let Scaled { t, scale, scratch, .. } = self;
        t.iter_mut().zip(x).zip(&*scale).for_each(|((t, x), s)| *t = x * s);
        problem.operator.apply(t, out, scratch);
        out.iter_mut().zip(&*scale).for_each(|(o, s)| *o *= s);
    }

    /// out = Ãᵀ x.
    pub fn apply_transposed(&mut self, problem: &Problem, x: &[f64], out: &mut [f64]) {
        if !self.has_entries() {
            return self.apply(problem, x, out); // symmetric
        }
        out.fill(0.0);
        for (i, x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            for k in self.row_ptr[i]..self.row_ptr[i + 1] {
                out[self.columns[k] as usize] += self.values[k] * x;
            }
        }
    }

    /// The natural residual of x with y = Ãx + b̃, in m/s, as the judge sees it.
    pub fn natural_residual(&self, x: &[f64], y: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..x.len() {
            let s = self.scale[i];
            let (lambda, w) = (x[i] * s, y[i] / s);
            let (lo, hi) = (self.lo[i] * s, self.hi[i] * s);
            worst = worst.max(row_residual(lambda, w, lo, hi, self.weight[i]));
        }
        worst
    }

    /// λ from x, within its bounds to the last bit.
    pub fn unload(&self, problem: &Problem, x: &[f64], lambda: &mut [f64]) {
        for (i, law) in problem.laws_by_row() {
            let (lo, hi) = law.bounds();
            lambda[i] = (x[i] * self.scale[i]).clamp(lo, hi);
        }
    }

    /// x from λ, within its bounds.
    pub fn take(&self, lambda: &[f64], x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            *x = (lambda[i] / self.scale[i]).clamp(self.lo[i], self.hi[i]);
        }
    }
}
