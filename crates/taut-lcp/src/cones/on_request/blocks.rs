//! The rows of a problem in small blocks, and "what are λ and w of this block
//! now, and it has changed to that", for every form of A.
//!
//! A cone is a block of its rows, three to six. Boxed rows are put together as
//! [`Grouping`] says, at most six (`bgs`: 64, in `large.rs`, cones too). A row with a zero diagonal in a matrix given
//! entry by entry (the slack of a polyhedral cone) takes the rows that it acts on
//! into its block: alone it could not be solved.

use super::boxed::{Boxed, MAX, Vector};
use super::local;
use crate::operator::{dot6, mul6};
use crate::residual::{cone_residual, row_residual, verdict};
use crate::sweeps::Rows;
use crate::{Dense, Error, Law, Operator, Problem};

/// Which boxed rows make a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Grouping {
    /// A normal row with its friction boxes; consecutive bilateral rows on the
    /// same bodies (a joint).
    #[default]
    Contact,
    /// Every law is a block of its own, as given.
    Law,
    /// Consecutive rows on the same bodies, cones included: all contacts between two bodies, up to 64
    /// rows. (PROX methods: up to six rows, no cones.)
    Pair,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Cone(Law),
    Boxed,
    /// More than that; its number in `large.rs`.
    Large(usize),
}

/// Rows of a block: their place in the list of rows, and of its matrix.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: usize,
    rows: usize,
    matrix: usize,
    kind: Kind,
}

/// λ and w of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub lambda: Vector,
    pub w: Vector,
}

/// The rows of a dense matrix without their zeros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compressed {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Compressed {
    pub fn fill(&mut self, a: &Dense) {
        self.ends.clear();
        self.columns.clear();
        self.values.clear();
        for i in 0..a.rows() {
            for (j, &v) in a.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                self.columns.push(j as u32);
                self.values.push(v);
            }
            self.ends.push(self.columns.len());
        }
    }

    #[inline]
    pub fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        let row = if i == 0 { 0 } else { self.ends[i - 1] }..self.ends[i];
        let terms = self.columns[row.clone()].iter().zip(&self.values[row]);
        terms.map(|(&j, v)| v * x[j as usize]).sum()
    }
}

/// The blocks of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub rows: Rows,
    dense: Compressed,
    list: Vec<Block>,
    members: Vec<u32>,
    matrices: Vec<f64>,
    /// By row: the row that its block is named after, and the size of that block.
    leader: Vec<u32>,
    sizes: Vec<u32>,
    is_cone: Vec<bool>,
    /// Rows that a block may have; 0: as many as fit into one contact.
    most: usize,
}

/// Refuses what no block can be solved on.
pub(crate) fn accept(solver: &'static str, problem: &Problem) -> Result<(), Error> {
    let entry = |i: usize| match &problem.operator {
        Operator::Dense(a) => a.get(i, i),
        Operator::Sparse(a) => a.get(i, i),
        Operator::General(a) => a.get(i, i),
        Operator::Multibody(a) => a.diagonal_entry(i),
    };
    match (0..problem.rows()).find(|&i| entry(i) < 0.0) {
        Some(i) => {
            let reason = format!("row {i} has a negative diagonal, {}", entry(i));
            Err(Error::Refused { solver, reason })
        }
        None => Ok(()),
    }
}

impl Blocks {
    /// Blocks that may have so many rows, where `large.rs` solves them.
    pub fn with_most(most: usize) -> Self {
        Blocks { most, ..Blocks::default() }
    }

    /// Number of blocks.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Rows of the k-th block.
    pub fn rows_of(&self, k: usize) -> &[u32] {
        let b = &self.list[k];
        &self.members[b.first..b.first + b.rows]
    }

    /// Coefficients, and whether the law is associated, if the block is a cone.
    pub fn cone(&self, k: usize) -> Option<(&[f64], bool)> {
        match &self.list[k].kind {
            Kind::Cone(law) => law.coefficients(),
            Kind::Boxed | Kind::Large(_) => None,
        }
    }

    /// The matrix of the k-th block, row by row.
    pub fn matrix(&self, k: usize) -> &[f64] {
        let b = &self.list[k];
        &self.matrices[b.matrix..b.matrix + b.rows * b.rows]
    }

    /// Finds the blocks and their matrices.
    pub fn prepare(&mut self, problem: &Problem, grouping: Grouping) {
        self.rows.prepare(problem);
        if let Operator::Dense(a) = &problem.operator {
            self.dense.fill(a);
        }
        self.find_leaders(problem, grouping);
        let m = problem.rows();
        self.members.clear();
        self.members.extend(0..m as u32);
        let leader = &self.leader;
        self.members.sort_unstable_by_key(|&i| (leader[i as usize], i));
        self.list.clear();
        self.list.reserve(problem.laws.len());
        self.matrices.clear();
        let mut first = 0;
        while first < m {
            let own = leader[self.members[first] as usize];
            let rest = self.members[first..].iter();
            let rows = rest.take_while(|&&i| leader[i as usize] == own).count();
            let matrix = self.matrices.len();
            self.list.push(Block { first, rows, matrix, kind: Kind::Boxed });
            for i in first..first + rows {
                for j in first..first + rows {
                    let (i, j) = (self.members[i] as usize, self.members[j] as usize);
                    self.matrices.push(entry(&problem.operator, i, j));
                }
            }
            first += rows;
        }
        self.find_kinds(problem);
    }

    /// Blocks come in the order of leaders, which are the first rows of their laws.
    fn find_kinds(&mut self, problem: &Problem) {
        let mut laws = problem.laws_by_row().peekable();
        for (k, block) in self.list.iter_mut().enumerate() {
            let first = self.members[block.first];
            while laws.peek().is_some_and(|(row, _)| *row < first as usize) {
                laws.next();
            }
            match laws.peek() {
                Some((_, law)) if law.coefficients().is_some() && law.rows() == block.rows => {
                    block.kind = Kind::Cone(**law);
                }
                Some((_, law)) if law.is_cone() || block.rows > MAX => block.kind = Kind::Large(k),
                _ => {}
            }
        }
    }

    /// Numbers blocks that need a problem of their own, in order, and shows them.
    pub fn for_each_large(&mut self, mut see: impl FnMut(&[u32], &[f64]) -> usize) {
        for block in &mut self.list {
            if let Kind::Large(number) = &mut block.kind {
                let rows = &self.members[block.first..block.first + block.rows];
                let matrix = &self.matrices[block.matrix..block.matrix + rows.len() * rows.len()];
                *number = see(rows, matrix);
            }
        }
    }

    /// The number of a block that needs a problem of its own.
    pub fn large(&self, k: usize) -> Option<usize> {
        match self.list[k].kind {
            Kind::Large(number) => Some(number),
            _ => None,
        }
    }

    /// λ and w of such a block.
    pub fn read(&self, problem: &Problem, lambda: &[f64], k: usize, of: &mut (Vec<f64>, Vec<f64>)) {
        of.0.clear();
        of.1.clear();
        for &i in self.rows_of(k) {
            of.0.push(lambda[i as usize]);
            of.1.push(self.w(problem, lambda, i as usize));
        }
    }

    fn find_leaders(&mut self, problem: &Problem, grouping: Grouping) {
        self.leader.clear();
        self.leader.extend(0..problem.rows() as u32);
        self.sizes.clear();
        self.sizes.resize(problem.rows(), 1);
        self.is_cone.clear();
        self.is_cone.resize(problem.rows(), false);
        for (row, law) in problem.laws_by_row() {
            if law.is_cone() {
                self.leader[row..row + law.rows()].fill(row as u32);
                self.sizes[row] = law.rows() as u32;
                self.is_cone[row] = true;
            }
        }
        if grouping == Grouping::Law {
            return;
        }
        let mut before: Option<(usize, &Law)> = None;
        for (row, law) in problem.laws_by_row() {
            if let Law::FrictionBox { normal, .. } = *law {
                self.join(row, self.leader[normal] as usize);
            }
            if let Some((last, of)) = before {
                let joints = matches!((of, law), (Law::Bilateral, Law::Bilateral));
                let wanted = joints || grouping == Grouping::Pair;
                if wanted && same_bodies(&problem.operator, last, row) {
                    let leader = self.leader[last] as usize;
                    if law.is_cone() {
                        self.join_cone(row, law.rows(), leader);
                    } else {
                        self.join(row, leader);
                    }
                }
            }
            before = Some((row, law));
        }
        self.join_slacks(problem);
    }

    /// Rows with a zero diagonal and those they act on.
    fn join_slacks(&mut self, problem: &Problem) {
        if let Operator::Dense(a) = &problem.operator {
            for i in (0..a.rows()).filter(|&i| a.get(i, i) == 0.0) {
                let acts = |j: usize| a.get(i, j) != 0.0 || a.get(j, i) != 0.0;
                for j in (0..a.rows()).filter(|&j| acts(j)) {
                    self.join(j, self.leader[i] as usize);
                }
            }
        }
        if let Operator::General(a) = &problem.operator {
            for i in (0..a.rows()).filter(|&i| a.get(i, i) == 0.0) {
                for &j in a.row(i).0 {
                    self.join(j as usize, self.leader[i] as usize);
                }
            }
        }
    }

    /// Puts a row that is alone into a block, if there is room.
    fn join(&mut self, row: usize, leader: usize) {
        let alone = self.leader[row] as usize == row && self.sizes[row] == 1;
        let room = (self.sizes[leader] as usize) < self.most.max(MAX);
        if alone && row != leader && room && !(self.most == 0 && self.is_cone[leader]) {
            self.leader[row] = leader as u32;
            self.sizes[leader] += 1;
        }
    }

    /// All rows of a cone join the block of `leader`, where blocks may be large.
    fn join_cone(&mut self, row: usize, rows: usize, leader: usize) {
        if row != leader && self.sizes[leader] as usize + rows <= self.most {
            self.leader[row..row + rows].fill(leader as u32);
            self.sizes[leader] += rows as u32;
        }
    }

    /// Takes up λ.
    pub fn start(&mut self, problem: &Problem, lambda: &[f64]) {
        self.rows.start(problem, lambda);
    }

    #[inline]
    fn w(&self, problem: &Problem, lambda: &[f64], i: usize) -> f64 {
        match &problem.operator {
            Operator::Dense(_) => self.dense.row_dot(i, lambda) + problem.b[i],
            _ => self.rows.w(problem, lambda, i),
        }
    }

    /// All of w = Aλ + b, into `self.rows.w`.
    pub fn all_w(&mut self, problem: &Problem, lambda: &[f64]) {
        if matches!(problem.operator, Operator::Dense(_)) {
            for i in 0..lambda.len() {
                self.rows.w[i] = self.dense.row_dot(i, lambda) + problem.b[i];
            }
        } else {
            self.rows.all_w(problem, lambda);
        }
    }

    /// λ and w of the k-th block.
    #[inline]
    pub fn state(&self, problem: &Problem, lambda: &[f64], k: usize) -> State {
        let mut state = State { lambda: [0.0; MAX], w: [0.0; MAX] };
        for (r, &i) in self.rows_of(k).iter().enumerate() {
            state.lambda[r] = lambda[i as usize];
            state.w[r] = self.w(problem, lambda, i as usize);
        }
        state
    }

    /// λ and w of block k, with w as last computed for all rows.
    #[inline]
    pub fn state_of_all(&self, lambda: &[f64], k: usize) -> State {
        let mut state = State { lambda: [0.0; MAX], w: [0.0; MAX] };
        for (r, &i) in self.rows_of(k).iter().enumerate() {
            state.lambda[r] = lambda[i as usize];
            state.w[r] = self.rows.w[i as usize];
        }
        state
    }

    /// The natural residual of the k-th block.
    #[inline]
    pub fn residual(&self, k: usize, state: &State) -> f64 {
        let rows = self.rows_of(k);
        let a = |i: u32| match self.rows.diagonal[i as usize] {
            a if a > 0.0 => a,
            _ => 1.0,
        };
        if let Some((mu, associated)) = self.cone(k) {
            let n = rows.len();
            return cone_residual(&state.lambda[..n], &state.w[..n], mu, associated, a(rows[0]));
        }
        let row = |(r, &i): (usize, &u32)| {
            let (lo, hi) = (self.rows.lo[i as usize], self.rows.hi[i as usize]);
            row_residual(state.lambda[r], state.w[r], lo, hi, a(i))
        };
        rows.iter().enumerate().map(row).fold(0.0, f64::max)
    }

    /// The exact λ of the k-th block, all others as they are.
    pub fn solve(&self, k: usize, state: &State) -> Vector {
        let (a, n) = (self.matrix(k), self.list[k].rows);
        if let Some((mu, associated)) = self.cone(k) {
            return match n {
                2 => solve_cone::<2, 1>(a, state, mu, associated),
                3 => solve_cone::<3, 2>(a, state, mu, associated),
                4 => solve_cone::<4, 3>(a, state, mu, associated),
                5 => solve_cone::<5, 4>(a, state, mu, associated),
                _ => solve_cone::<6, 5>(a, state, mu, associated),
            };
        }
        let (mut lo, mut hi) = ([0.0; MAX], [0.0; MAX]);
        for (r, &i) in self.rows_of(k).iter().enumerate() {
            (lo[r], hi[r]) = (self.rows.lo[i as usize], self.rows.hi[i as usize]);
        }
        Boxed { n, a, lambda: state.lambda, w: state.w, lo, hi }.solve()
    }

    /// Sets λ of the k-th block, whatever its size. Returns the largest Aᵢᵢ|Δλᵢ| and Aᵢᵢ|λᵢ|.
    pub fn set(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        k: usize,
        next: &[f64],
    ) -> (f64, f64) {
        let Block { first, rows, .. } = self.list[k];
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        for r in 0..rows {
            let i = self.members[first + r] as usize;
            let (delta, a) = (next[r] - lambda[i], self.rows.diagonal[i]);
            self.rows.changed(problem, i, delta);
            lambda[i] = next[r];
            change = change.max(a * delta.abs());
            size = size.max(a * next[r].abs());
        }
        (change, size)
    }

    /// The natural residual of λ as the judge will see it.
    pub fn exact_residual(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        self.all_w(problem, lambda);
        verdict(problem, lambda, &self.rows.w, &self.rows.diagonal).natural_residual
    }
}

/// The exact λ of a cone of N rows, whose matrix is given row by row.
fn solve_cone<const N: usize, const T: usize>(
    a: &[f64],
    state: &State,
    mu: &[f64],
    associated: bool,
) -> Vector {
    let a: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| a[N * i + j]));
    let start: [f64; N] = std::array::from_fn(|i| state.lambda[i]);
    let own = |i: usize| (0..N).map(|j| a[i][j] * start[j]).sum::<f64>();
    let q = std::array::from_fn(|i| state.w[i] - own(i));
    let next = local::solve::<N, T>(&a, q, mu, associated, start);
    std::array::from_fn(|k| if k < N { next[k] } else { 0.0 })
}

/// Entry (i, j) of A.
fn entry(operator: &Operator, i: usize, j: usize) -> f64 {
    match operator {
        Operator::Dense(a) => a.get(i, j),
        Operator::Sparse(a) => a.get(i, j),
        Operator::General(a) => a.get(i, j),
        Operator::Multibody(a) if i == j => a.diagonal_entry(i),
        Operator::Multibody(a) => {
            let ((bodies, rows), (others, columns)) = (a.row(i), a.row(j));
            let mut sum = 0.0;
            for (body, row) in bodies.iter().zip(rows) {
                if let Some(k) = others.iter().position(|other| other == body) {
                    sum += dot6(row, &mul6(a.inverse_mass(*body as usize), &columns[k]));
                }
            }
            sum
        }
    }
}

/// Whether two rows act on the same bodies, where there are bodies.
fn same_bodies(operator: &Operator, i: usize, j: usize) -> bool {
    match operator {
        Operator::Multibody(a) => a.row(i).0 == a.row(j).0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{MultibodyOptions, contact, multibody};

    fn sizes(problem: &Problem, grouping: Grouping) -> Vec<usize> {
        let mut blocks = Blocks::default();
        blocks.prepare(problem, grouping);
        (0..blocks.count()).map(|k| blocks.rows_of(k).len()).collect()
    }

    #[test]
    fn blocks_are_joints_and_contacts() {
        let options = MultibodyOptions { links: 2, pile: 3, ..Default::default() };
        let p = multibody(&options, 1).expect("valid");
        let contacts = (p.rows() - 6) / 3;
        assert_eq!(sizes(&p, Grouping::Contact), vec![3; 2 + contacts]);
        assert_eq!(sizes(&p, Grouping::Law), vec![1; p.rows()]);
        assert_eq!(sizes(&p, Grouping::Pair).iter().sum::<usize>(), p.rows());
    }

    /// Normal, four directions and slack of a polyhedral cone find together.
    #[test]
    fn slacks_take_their_contact() {
        let p = contact(3, 1).expect("valid");
        assert_eq!(sizes(&p, Grouping::Contact), vec![6; p.rows() / 6]);
    }
}
