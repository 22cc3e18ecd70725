//! The backend without a factorization: conjugate gradients on (A + D)_FF.
//!
//! **Update**: for each part of the problem that nothing connects to the rest,
//! conjugate gradients with a preconditioner of that part. Multibody matrices
//! are applied through J and M⁻¹ (a geometric term is part of the blocks of
//! M), others entry by entry; A is formed only for the preconditioners that
//! need its entries.
//! **Cost** per iteration: O(entries of J) and of the preconditioner.
//! **Fails** on bad conditioning by needing very many iterations, and by
//! leaving a residual when they run out: callers look at it.
//! **Reference**: Ho22 4.2, 5.1.

use super::Dual;
use crate::linalg::Breakdown;
use crate::linalg::pcg::{System, Vectors, largest, pcg};
use crate::matrix_free::precondition::{self, Preconditioner, Source};
use crate::operator::mul6;
use crate::{Error, Multibody, Operator, Problem, Row6, RowState, Sparse};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// One solve need not be better than this; callers refine.
const ROUGH: f64 = 1e-8;

/// Settings of conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct PcgSettings {
    /// The preconditioner.
    pub precondition: precondition::Settings,
    /// Limit on inner iterations of one linear system. Default 20,000.
    pub max_iterations: usize,
}

impl Default for PcgSettings {
    fn default() -> Self {
        PcgSettings { precondition: precondition::Settings::default(), max_iterations: 20_000 }
    }
}

impl PcgSettings {
    /// Whether every setting is in its range.
    pub fn validate(&self, solver: &'static str) -> Result<(), Error> {
        self.precondition.validate(solver)
    }
}

/// Rows and bodies, part after part, and where parts start.
#[derive(Default)]
struct Parts {
    rows: Vec<u32>,
    row_start: Vec<usize>,
    bodies: Vec<u32>,
    body_start: Vec<usize>,
    /// Free rows, from the part's start on, and their number.
    free: Vec<u32>,
    free_count: Vec<usize>,
    /// Rows of the part's preconditioner, likewise.
    factored: Vec<u32>,
    factored_count: Vec<usize>,
}

/// A part of the problem with its free rows.
#[derive(Default)]
pub(crate) struct Pcg {
    pub settings: PcgSettings,
    matrix: Dual,
    parts: Parts,
    preconditioner: Preconditioner,
    is_free: Vec<bool>,
    d: Vec<f64>,
    diagonal: Vec<f64>,
    velocity: Vec<Row6>,
    v: Vectors,
}

impl Pcg {
    pub fn new(settings: PcgSettings) -> Self {
        let preconditioner = Preconditioner::new(settings.precondition.clone());
        Pcg { settings, preconditioner, ..Self::default() }
    }

    /// Takes up a pattern.
    pub fn analyse(&mut self, problem: &Problem) {
        let m = problem.rows();
        self.parts.find(problem);
        let formed = self.needs_matrix(problem);
        if formed {
            self.matrix.form(problem);
        }
        self.preconditioner.shape(problem, self.matrix.matrix().filter(|_| formed));
        self.is_free.clear();
        self.is_free.resize(m, false);
        self.diagonal.resize(m, 0.0);
        self.d.clear();
        self.d.resize(m, 0.0);
        self.v.resize(m);
        if let Operator::Multibody(a) = &problem.operator {
            self.velocity.clear();
            self.velocity.resize(a.body_count(), [0.0; 6]);
        }
    }

    fn needs_matrix(&self, problem: &Problem) -> bool {
        let multibody = matches!(problem.operator, Operator::Multibody(_));
        !multibody || self.preconditioner.needs_entries()
    }

    /// Takes up the values of A.
    pub fn assemble(&mut self, problem: &Problem) {
        if self.needs_matrix(problem) {
            self.matrix.assemble(problem);
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.preconditioner.forget(self.is_free.len());
        self.parts.factored_count.fill(0);
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.parts.free_count.len()
    }

    /// All rows of a part.
    pub fn rows(&self, part: usize) -> &[u32] {
        &self.parts.rows[self.parts.row_range(part)]
    }

    /// Free rows of a part.
    pub fn free(&self, part: usize) -> &[u32] {
        self.parts.free(part)
    }

    /// Columns of preconditioners computed, and imaginary ones, since the
    /// last call.
    pub fn take_columns(&mut self) -> [usize; 2] {
        let p = &mut self.preconditioner;
        [std::mem::take(&mut p.computed), std::mem::take(&mut p.imaginary)]
    }

    /// Free rows and preconditioner of every part.
    pub fn factor(
        &mut self,
        problem: &Problem,
        set: &[RowState],
        d: &[f64],
    ) -> Result<(), Breakdown> {
        self.set_diagonal(problem, d);
        (0..self.parts()).try_for_each(|part| self.factor_part(problem, part, set))
    }

    /// Takes over D. Another one makes preconditioners useless.
    pub fn set_diagonal(&mut self, problem: &Problem, d: &[f64]) {
        if self.d != d {
            self.forget();
            self.d.copy_from_slice(d);
        }
        problem.operator.diagonal(&mut self.diagonal);
        self.diagonal.iter_mut().zip(d).for_each(|(a, d)| *a += d);
    }

    /// Free rows and preconditioner of one part.
    pub fn factor_part(
        &mut self,
        problem: &Problem,
        part: usize,
        set: &[RowState],
    ) -> Result<(), Breakdown> {
        let range = self.parts.row_range(part);
        let Parts { rows, free, free_count, factored, factored_count, .. } = &mut self.parts;
        let mut count = 0;
        for &i in &rows[range.clone()] {
            let is_free = set[i as usize] == RowState::Free;
            self.is_free[i as usize] = is_free;
            if is_free {
                free[range.start + count] = i;
                count += 1;
            }
        }
        free_count[part] = count;
        let (bodies, formed) = match &problem.operator {
            Operator::Multibody(a) => (Some(a), self.preconditioner.needs_entries()),
            _ => (None, true),
        };
        let source = Source {
            sparse: self.matrix.matrix().filter(|_| formed),
            bodies,
            diagonal: &self.diagonal,
            is_free: &self.is_free,
        };
        let list = &mut factored[range.clone()];
        self.preconditioner.compute(&source, &rows[range], list, &mut factored_count[part])
    }

    /// x_F = (A + D)_FF⁻¹ r_F to a residual of `target`, or eight digits; x is
    /// zero elsewhere.
    /// Returns the number of iterations.
    pub fn solve(&mut self, problem: &Problem, r: &[f64], x: &mut [f64], target: f64) -> usize {
        x.fill(0.0);
        self.v.resize(r.len());
        let (mut iterations, limit) = (0, self.settings.max_iterations);
        for part in 0..self.parts() {
            let mut v = std::mem::take(&mut self.v);
            self.free(part).iter().for_each(|&i| v.r[i as usize] = r[i as usize]);
            let (mut system, free) = self.system(problem, part);
            let target = target.max(ROUGH * largest(free, &v.r));
            iterations += pcg(&mut v, free, x, &mut system, target, limit);
            self.v = v;
        }
        iterations
    }

    /// A and P of a part, and its free rows.
    pub fn system<'a>(&'a mut self, problem: &'a Problem, part: usize) -> (Part<'a>, &'a [u32]) {
        let Parts { bodies, body_start, factored, factored_count, row_start, .. } = &self.parts;
        let free = self.parts.free(part);
        let system = Part {
            problem,
            sparse: self.matrix.matrix(),
            d: &self.d,
            free,
            is_free: &self.is_free,
            factored: &factored[row_start[part]..][..factored_count[part]],
            bodies: &bodies[body_start[part]..body_start[part + 1]],
            preconditioner: &self.preconditioner,
            velocity: &mut self.velocity,
        };
        (system, free)
    }

    /// w = Aλ + b on all rows of a part.
    pub fn velocities(&mut self, problem: &Problem, part: usize, lambda: &[f64], w: &mut [f64]) {
        let rows = &self.parts.rows[self.parts.row_range(part)];
        match (&problem.operator, self.matrix.matrix()) {
            (Operator::Multibody(a), _) => {
                let bodies = self.parts.bodies(part);
                multibody_product(a, bodies, rows, lambda, w, &mut self.velocity);
            }
            (_, Some(a)) => sparse_product(a, rows, |_| true, lambda, w),
            _ => {}
        }
        rows.iter().for_each(|&i| w[i as usize] += problem.b[i as usize]);
    }
}

/// A and P of one part.
pub(crate) struct Part<'a> {
    problem: &'a Problem,
    sparse: Option<&'a Sparse>,
    d: &'a [f64],
    free: &'a [u32],
    is_free: &'a [bool],
    factored: &'a [u32],
    bodies: &'a [u32],
    preconditioner: &'a Preconditioner,
    velocity: &'a mut [Row6],
}

impl System for Part<'_> {
    fn product(&mut self, x: &[f64], out: &mut [f64]) {
        match (&self.problem.operator, self.sparse) {
            (Operator::Multibody(a), _) => {
                multibody_product(a, self.bodies, self.free, x, out, self.velocity);
            }
            (_, Some(a)) => sparse_product(a, self.free, |j| self.is_free[j], x, out),
            _ => {}
        }
        self.free.iter().for_each(|&i| out[i as usize] += self.d[i as usize] * x[i as usize]);
    }

    fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
        self.preconditioner.apply(self.free, self.factored, r, z);
    }
}

/// out = (J M⁻¹ Jᵀ + C) x through the velocities of the bodies; x counts as
/// zero off the rows.
fn multibody_product(
    a: &Multibody,
    bodies: &[u32],
    rows: &[u32],
    x: &[f64],
    out: &mut [f64],
    v: &mut [Row6],
) {
    bodies.iter().for_each(|&b| v[b as usize] = [0.0; 6]);
    rows.iter().for_each(|&i| a.add_row(i as usize, x[i as usize], v));
    bodies.iter().for_each(|&b| {
        v[b as usize] = mul6(a.inverse_mass(b as usize), &v[b as usize]);
    });
    for &i in rows {
        let i = i as usize;
        out[i] = a.row_dot_blocks(i, v) + a.compliance()[i] * x[i];
    }
}

/// out = A x; x counts as zero off the rows, which `has` knows.
fn sparse_product(
    a: &Sparse,
    rows: &[u32],
    has: impl Fn(usize) -> bool,
    x: &[f64],
    out: &mut [f64],
) {
    for &i in rows {
        let (columns, values) = a.row(i as usize);
        let entry = |(&j, v): (&u32, &f64)| if has(j as usize) { v * x[j as usize] } else { 0.0 };
        out[i as usize] = columns.iter().zip(values).map(entry).sum();
    }
}

impl Parts {
    fn row_range(&self, part: usize) -> std::ops::Range<usize> {
        self.row_start[part]..self.row_start[part + 1]
    }

    fn free(&self, part: usize) -> &[u32] {
        &self.free[self.row_start[part]..][..self.free_count[part]]
    }

    fn bodies(&self, part: usize) -> &[u32] {
        &self.bodies[self.body_start[part]..self.body_start[part + 1]]
    }

    /// Bodies are connected by rows; rows of other matrices by entries.
    fn find(&mut self, problem: &Problem) {
        let m = problem.rows();
        let (rows, bodies) = match &problem.operator {
            Operator::Multibody(a) => {
                // Rows without bodies are nodes of their own, after the bodies.
                let n = a.body_count();
                let node = |i: usize| a.row(i).0.first().map_or(n + i, |&b| b as usize);
                let mut nodes = Forest::new(n + m);
                for i in 0..m {
                    a.row(i).0.iter().for_each(|&b| nodes.join(node(i), b as usize));
                }
                (nodes.labels((0..m).map(node)), nodes.labels_of_others(n))
            }
            Operator::Sparse(a) => {
                let mut nodes = Forest::new(m);
                for i in 0..m {
                    a.row(i).0.iter().for_each(|&j| nodes.join(i, j as usize));
                }
                (nodes.labels(0..m), Vec::new())
            }
            Operator::Dense(_) | Operator::General(_) => (vec![0; m], Vec::new()),
        };
        let count = rows.iter().max().map_or(0, |c| *c as usize + 1);
        sort_by_label(&rows, count, &mut self.rows, &mut self.row_start);
        sort_by_label(&bodies, count, &mut self.bodies, &mut self.body_start);
        for v in [&mut self.free, &mut self.factored] {
            v.resize(m, 0);
        }
        for v in [&mut self.free_count, &mut self.factored_count] {
            v.clear();
            v.resize(count, 0);
        }
    }
}

const UNLABELLED: u32 = u32::MAX;

/// Places with label 0, 1, …, each ascending, and where labels start.
/// Unlabelled places are left out.
fn sort_by_label(labels: &[u32], count: usize, sorted: &mut Vec<u32>, start: &mut Vec<usize>) {
    start.clear();
    start.resize(count + 1, 0);
    let labelled = || labels.iter().enumerate().filter(|(_, l)| **l != UNLABELLED);
    labelled().for_each(|(_, &l)| start[l as usize + 1] += 1);
    (0..count).for_each(|c| start[c + 1] += start[c]);
    sorted.clear();
    sorted.resize(start[count], 0);
    let mut next = start.clone();
    for (i, &l) in labelled() {
        sorted[next[l as usize]] = i as u32;
        next[l as usize] += 1;
    }
}

/// Union-find.
struct Forest {
    parent: Vec<u32>,
    label: Vec<u32>,
}

impl Forest {
    fn new(n: usize) -> Self {
        Forest { parent: (0..n as u32).collect(), label: vec![UNLABELLED; n] }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.root(i), self.root(j));
        self.parent[i.max(j)] = i.min(j) as u32;
    }

    /// Labels of the trees of these nodes, in the order in which they come.
    fn labels(&mut self, nodes: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut count = 0;
        let mut label = |node| {
            let root = self.root(node);
            if self.label[root] == UNLABELLED {
                self.label[root] = count;
                count += 1;
            }
            self.label[root]
        };
        nodes.map(&mut label).collect()
    }

    /// Labels of the first n nodes, given to their trees before.
    fn labels_of_others(&mut self, n: usize) -> Vec<u32> {
        (0..n)
            .map(|i| {
                let root = self.root(i);
                self.label[root]
            })
            .collect()
    }
}
