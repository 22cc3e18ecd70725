//! The linear systems of the methods for cones: (Q + P Ã) x = f with Q and P
//! block by block, in the form that the matrix of the problem suggests.

use super::dense_form::DenseForm;
use super::dual_form::DualForm;
use super::lorentz::{Matrix, Vector, mul, zero};
use super::model::{Block, Model};
use super::primal_form::PrimalForm;
use crate::linalg::Breakdown;
use crate::operator::mix;
use crate::report::Backend;
use crate::rounding::{REFINEMENTS, is_refined};
use crate::{Counts, Error, MOST_TANGENTS, Multibody, Operator, Problem};

/// Rows a freedom of bodies below which contacts alone are the smaller problem. (`Spheres-i099` of FCLIB has 0.45: 7.0 ms in
/// place of 15.5.)
const FEW_ROWS: f64 = 0.6;

/// The form in use.
#[derive(Clone, Copy, Default, PartialEq)]
enum Form {
    #[default]
    Dense,
    Dual,
    Primal,
}

/// N: rows of the largest cone.
#[derive(Default)]
pub(super) struct System<const N: usize> {
    pub model: Model,
    dense: DenseForm,
    dual: DualForm,
    primal: PrimalForm<N>,
    form: Form,
    structure: Option<u64>,
    /// Compliance added to cones, relative to the diagonal; and that of each row.
    pub compliance: f64,
    softening: Vec<f64>,
    pub q: Vec<Matrix<N>>,
    pub p: Vec<Matrix<N>>,
    rest: Vec<f64>,
    image: Vec<f64>,
    pub counts: Counts,
}

impl<const N: usize> System<N> {
    /// Takes up a problem; analyses it where its structure is new.
    pub fn prepare(&mut self, problem: &Problem) {
        self.take(problem);
        let by_bodies = self.by_bodies(problem);
        let structure = mix(structure(problem), u64::from(by_bodies.is_some()));
        let is_new = self.structure != Some(structure);
        self.structure = Some(structure);
        if let Some(a) = by_bodies {
            self.form = Form::Primal;
            if is_new {
                self.primal.analyse(a, &self.model.blocks);
            }
            self.primal.refill(a, &self.model);
        } else {
            self.form = Form::Dual;
            if is_new {
                self.dual.analyse(problem, &self.model.blocks);
            }
            self.dual.refill(problem, &self.model);
        }
    }

    /// Takes up a small symmetric problem, which needs no analysis.
    pub fn prepare_dense(&mut self, problem: &Problem) {
        self.take(problem);
        self.form = Form::Dense;
        self.dense.refill(problem, &self.model);
    }

    /// The bodies, if they are the smaller problem: not where cones alone have far fewer rows than these have freedoms.
    /// (Joints have nothing in Q, so that redundant ones would leave Q + P Ã singular.)
    fn by_bodies<'a>(&self, problem: &'a Problem) -> Option<&'a Multibody> {
        let Operator::Multibody(a) = &problem.operator else { return None };
        let (rows, freedoms) = (a.rows() as f64, 6.0 * a.body_count() as f64);
        let few = rows <= FEW_ROWS * freedoms && self.model.blocks.iter().all(Block::is_cone);
        (!few).then_some(a)
    }

    fn take(&mut self, problem: &Problem) {
        self.model.set(problem);
        let m = problem.rows();
        for v in [&mut self.rest, &mut self.image, &mut self.softening] {
            v.clear();
            v.resize(m, 0.0);
        }
        for v in [&mut self.q, &mut self.p] {
            v.clear();
            v.resize(self.model.blocks.len(), zero());
        }
        self.counts = Counts::default();
        self.set_compliance(0.0);
    }

    /// Whether held rows cost nothing.
    pub fn is_small(&self) -> bool {
        self.form == Form::Dense
    }

    pub fn backend(&self) -> Backend {
        match self.form {
            Form::Dense => Backend::Dense,
            Form::Dual => Backend::Dual,
            Form::Primal => Backend::Primal,
        }
    }

    /// Adds this compliance to the rows of cones, relative to their diagonal.
    pub fn set_compliance(&mut self, compliance: f64) {
        self.compliance = compliance;
        let Model { blocks, scale, diagonal, .. } = &self.model;
        for block in blocks.iter().filter(|b| b.is_cone()) {
            for i in block.row..block.row + block.size() {
                self.softening[i] = compliance * scale[i] * scale[i] * diagonal[i];
            }
        }
    }

    /// w = Ãx + b̃, with the compliance that was added.
    pub fn velocities(&mut self, x: &[f64], w: &mut [f64]) {
        self.product(x, w);
        w.iter_mut().zip(&self.model.b).for_each(|(w, b)| *w += b);
    }

    /// out = Ãx, with the compliance that was added.
    pub fn product(&mut self, x: &[f64], out: &mut [f64]) {
        match self.form {
            Form::Dense => self.dense.apply(x, out),
            Form::Dual => self.dual.apply(&self.model.blocks, x, out),
            Form::Primal => self.primal.apply(&self.model.blocks, x, out),
        }
        if self.compliance > 0.0 {
            for i in 0..x.len() {
                out[i] += self.softening[i] * x[i];
            }
        }
    }

    /// Factors Q + P Ã.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        self.counts.factorizations += 1;
        let (blocks, softening) = (&self.model.blocks, &self.softening);
        match self.form {
            Form::Dense => self.dense.factor(blocks, softening, &self.q, &self.p),
            Form::Dual => self.dual.factor(blocks, softening, &self.q, &self.p),
            Form::Primal => self.primal.factor(blocks, softening, &self.q, &self.p),
        }
    }

    /// Solves with what was factored last, without refinement.
    pub fn solve_roughly(&mut self, f: &[f64], x: &mut [f64]) {
        if self.form == Form::Primal {
            self.primal.solve_roughly(&self.model.blocks, &self.p, f, x);
        } else {
            x.copy_from_slice(f);
            self.substitute(x);
        }
    }

    /// x ← (Q + P Ã)⁻¹ x, in the forms that have that matrix.
    fn substitute(&mut self, x: &mut [f64]) {
        if self.form == Form::Dense {
            self.dense.solve(&self.model.blocks, &self.p, x);
        } else {
            self.dual.solve(x);
        }
    }

    /// Solves with what was factored last.
    pub fn solve(&mut self, f: &[f64], x: &mut [f64]) {
        if self.form == Form::Primal {
            let (blocks, matrices) = (&self.model.blocks, [&self.q[..], &self.p[..]]);
            self.counts.inner += self.primal.solve(blocks, &self.softening, matrices, f, x);
            return;
        }
        x.copy_from_slice(f);
        self.substitute(x);
        let size = f.iter().fold(0.0_f64, |s, f| s.max(f.abs()));
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            let mut image = std::mem::take(&mut self.image);
            self.product(x, &mut image);
            for (k, block) in self.model.blocks.iter().enumerate() {
                let (f, qx): (Vector<N>, _) = (block.of(f), mul(&self.q[k], &block.of(x)));
                let pw = mul(&self.p[k], &block.of(&image));
                block.put::<N>(&mut self.rest, &std::array::from_fn(|i| f[i] - qx[i] - pw[i]));
            }
            self.image = image;
            let norm = self.rest.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
            if is_refined(norm, size, last) {
                break;
            }
            last = norm;
            self.counts.inner += 1;
            let mut rest = std::mem::take(&mut self.rest);
            self.substitute(&mut rest);
            x.iter_mut().zip(&rest).for_each(|(x, d)| *x += d);
            self.rest = rest;
        }
    }
}

/// Rows of the largest cone there can be.
pub(super) const MOST_ROWS: usize = 1 + MOST_TANGENTS;

/// Whether some cone has more than three rows.
pub(super) fn is_wide(problem: &Problem) -> bool {
    problem.laws.iter().any(|law| law.rows() > 3)
}

/// A hash of all that the analysis depends on.
fn structure(problem: &Problem) -> u64 {
    let laws = problem.laws.iter().fold(7, |h, law| mix(h, law.rows() as u64));
    let h = mix(laws, problem.operator.pattern_hash());
    match &problem.operator {
        // Zeros of a dense matrix are left out.
        Operator::Dense(a) => (0..a.rows()).fold(h, |h, i| {
            a.row(i).chunks(64).fold(h, |h, part| {
                let bit = |bits, v: &f64| (bits << 1) | u64::from(*v != 0.0);
                mix(h, part.iter().fold(0_u64, bit))
            })
        }),
        _ => h,
    }
}

/// Refuses what the methods for cones cannot solve.
pub(super) fn accepts(solver: &'static str, problem: &Problem) -> Result<(), Error> {
    let negative = match &problem.operator {
        Operator::Dense(a) => (0..a.rows()).find(|&i| a.get(i, i) < 0.0),
        Operator::Sparse(a) => (0..a.rows()).find(|&i| a.get(i, i) < 0.0),
        Operator::General(a) => (0..a.rows()).find(|&i| a.get(i, i) < 0.0),
        Operator::Multibody(_) => None, // a sum of squares
    };
    match negative {
        Some(row) => {
            let reason = format!("its diagonal is negative in row {row}: it is not semidefinite");
            Err(Error::Refused { solver, reason })
        }
        None => Ok(()),
    }
}
