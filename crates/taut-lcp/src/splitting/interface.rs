//! The rows between subsystems, Γ: S λ_Γ + z = w_Γ within their bounds.
//!
//! S = C_Γ + Σ Sᵢ is put together from what each subsystem feels like
//! (Peiret19 eq. 24), and only where that changed. z comes from velocities
//! that were computed without S: z = w − Sλ at the last λ_Γ. So errors of S
//! shrink from iteration to iteration instead of staying in the answer.
//! **Cost**: that of the method that solves it, on |Γ| rows.

use super::subsystem::{Subsystem, relative};
use crate::operator::mix;
use crate::pivoting::bpp::{self, Pivoting};
use crate::pivoting::face::Face;
use crate::pivoting::proximal::Inner;
use crate::report::Backend;
use crate::residual::row_residual;
use crate::{Iterate, Law, Multibody, Operator, Problem, Sparse, Stop};

/// How the rows of the interface are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Block principal pivoting.
    Bpp,
}

/// Share of entries from which on the matrix counts as dense.
const DENSE: f64 = 0.25;

pub(super) struct Interface {
    method: Method,
    /// Its rows in the whole.
    pub rows: Vec<u32>,
    problem: Problem,
    face: Face,
    pivoting: Pivoting,
    pub iterate: Iterate,
    compliance: Vec<f64>,
    b: Vec<f64>,
    /// Where the entries of each subsystem's matrix belong, row by row.
    slots: Vec<Vec<u32>>,
    /// w of the last λ, and the diagonal of A.
    pub w: Vec<f64>,
    pub diagonal: Vec<f64>,
    product: Vec<f64>,
    pattern: u64,
}

impl Interface {
    pub fn new(method: Method, settings: &bpp::Settings) -> Self {
        let operator = Operator::Sparse(Sparse::from_pattern(vec![0], Vec::new()));
        Interface {
            method,
            rows: Vec::new(),
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            face: Face::default(),
            pivoting: Pivoting::new(settings),
            iterate: Iterate::default(),
            compliance: Vec::new(),
            b: Vec::new(),
            slots: Vec::new(),
            w: Vec::new(),
            diagonal: Vec::new(),
            product: Vec::new(),
            pattern: 0,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes its rows out of the whole; the pattern of S if it is new.
    pub fn fill(&mut self, whole: &Problem, a: &Multibody, parts: &[Subsystem]) {
        let n = self.len();
        self.b.clear();
        self.b.extend(self.rows.iter().map(|&i| whole.b[i as usize]));
        self.compliance.clear();
        self.compliance.extend(self.rows.iter().map(|&i| a.compliance()[i as usize]));
        self.problem.laws.clear();
        self.problem.laws.extend(self.rows.iter().map(|&i| {
            let (lo, hi) = whole.laws[i as usize].bounds();
            Law::Box { lo, hi }
        }));
        for v in [&mut self.problem.b, &mut self.w, &mut self.product, &mut self.diagonal] {
            v.clear();
            v.resize(n, 0.0);
        }
        for (d, &i) in self.diagonal.iter_mut().zip(&self.rows) {
            *d = a.diagonal_entry(i as usize);
        }
        let pattern = parts.iter().fold(mix(3, n as u64), |h, part| {
            part.gamma.iter().fold(mix(h, part.gamma.len() as u64), |h, &g| mix(h, u64::from(g)))
        });
        if pattern != self.pattern {
            self.pattern = pattern;
            self.analyse(parts);
        }
    }

    /// Rows are coupled that act on the same subsystem.
    fn analyse(&mut self, parts: &[Subsystem]) {
        let n = self.len();
        let mut columns: Vec<Vec<u32>> = (0..n as u32).map(|g| vec![g]).collect();
        for part in parts {
            for &g in &part.gamma {
                columns[g as usize].extend_from_slice(&part.gamma);
            }
        }
        let (mut row_ptr, mut col_idx) = (vec![0], Vec::new());
        for c in &mut columns {
            c.sort_unstable();
            c.dedup();
            col_idx.extend_from_slice(c);
            row_ptr.push(col_idx.len());
        }
        self.slots.resize_with(parts.len(), Vec::new);
        for (slots, part) in self.slots.iter_mut().zip(parts) {
            slots.clear();
            for &p in &part.gamma {
                let row = &columns[p as usize];
                let place = |q: &u32| row.partition_point(|c| c < q) as u32;
                slots.extend(part.gamma.iter().map(place));
            }
        }
        let dense = col_idx.len() as f64 > DENSE * (n * n) as f64;
        self.face = Face::new(dense.then_some(Backend::Dense), None);
        self.face.is_definite = true;
        self.problem.operator = Operator::Sparse(Sparse::from_pattern(row_ptr, col_idx));
    }

    /// Takes over its part of a start.
    pub fn start(&mut self, whole: &Iterate) {
        self.iterate.lambda.clear();
        self.iterate.lambda.extend(self.rows.iter().map(|&i| whole.lambda[i as usize]));
        self.iterate.set.clear();
        if whole.set.len() == whole.lambda.len() {
            self.iterate.set.extend(self.rows.iter().map(|&i| whole.set[i as usize]));
        }
    }

    /// w_Γ = b_Γ + Cλ_Γ + Σ J_Γ v.
    pub fn measure(&mut self, parts: &[Subsystem]) {
        for g in 0..self.len() {
            self.w[g] = self.b[g] + self.compliance[g] * self.iterate.lambda[g];
        }
        for part in parts {
            for (&g, w) in part.gamma.iter().zip(&part.w) {
                self.w[g as usize] += w;
            }
        }
    }

    /// Largest natural residual \[m/s\].
    pub fn residual(&self) -> f64 {
        let row = |g: usize| {
            let (lo, hi) = self.problem.laws[g].bounds();
            let a = if self.diagonal[g] > 0.0 { self.diagonal[g] } else { 1.0 };
            row_residual(self.iterate.lambda[g], self.w[g], lo, hi, a)
        };
        (0..self.len()).map(row).fold(0.0, f64::max)
    }

    /// Puts S together, if some subsystem feels different.
    fn assemble(&mut self, parts: &[Subsystem]) {
        let Operator::Sparse(s) = &mut self.problem.operator else { return };
        for g in 0..self.rows.len() {
            s.row_mut(g).1.fill(0.0);
        }
        for (part, slots) in parts.iter().zip(&self.slots) {
            let n = part.gamma.len();
            for (p, &g) in part.gamma.iter().enumerate() {
                let values = s.row_mut(g as usize).1;
                let own = &part.s[p * n..(p + 1) * n];
                for (&slot, v) in slots[p * n..(p + 1) * n].iter().zip(own) {
                    values[slot as usize] += v;
                }
            }
        }
        for g in 0..self.rows.len() {
            let (columns, values) = s.row_mut(g);
            let diagonal = columns.partition_point(|&c| (c as usize) < g);
            values[diagonal] += self.compliance[g];
        }
    }

    /// Solves for λ_Γ and its index set. Says whether it did, with how many
    /// pivots and factorizations.
    pub fn solve(&mut self, parts: &[Subsystem], stop: &Stop, scale: f64) -> (bool, usize, usize) {
        let new = parts.iter().any(|p| p.outcome.changed);
        if new {
            self.assemble(parts);
            self.face.prepare(&self.problem);
        }
        let Interface { problem, face, pivoting, iterate, product, w, .. } = self;
        problem.operator.apply(&iterate.lambda, product, &mut face.scratch);
        for (b, (w, p)) in problem.b.iter_mut().zip(w.iter().zip(product.iter())) {
            *b = w - p;
        }
        let stop = relative(stop, scale, problem);
        if new {
            face.start(problem, &stop, usize::MAX, iterate);
        } else {
            face.resume(problem, &stop, usize::MAX, iterate);
        }
        let solved = match self.method {
            Method::Bpp => pivoting.run(face, problem, iterate, &mut (), false) == Inner::Solved,
        };
        iterate.set.clone_from(&face.set);
        for (g, l) in iterate.lambda.iter_mut().enumerate() {
            *l = l.clamp(face.lo[g], face.hi[g]);
        }
        (solved && !face.is_shifted(), face.counts.pivots, face.counts.factorizations)
    }

    /// Writes its impulses and index set into the whole.
    pub fn give(&self, whole: &mut Iterate) {
        for (g, &i) in self.rows.iter().enumerate() {
            whole.lambda[i as usize] = self.iterate.lambda[g];
            whole.set[i as usize] = self.iterate.set[g];
        }
    }

    /// Goes on with a hash of the index set.
    pub fn hash(&self, h: u64) -> u64 {
        self.iterate.set.iter().fold(h, |h, s| mix(h, *s as u64))
    }
}
