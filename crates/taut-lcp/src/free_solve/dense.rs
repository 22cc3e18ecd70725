//! The dense backend: A_FF gathered into a square, dense Cholesky.
//!
//! **Update**: copy the free rows and columns of A, breadth first so that entries
//! lie near the diagonal; factor and solve, columns only as far as they reach.
//! **Cost**: half the sum of the squared lengths of columns, at most |F|³/6
//! multiplications; no analysis but the order, nothing to allocate once the
//! largest size has been seen.
//! **Fails** where A_FF + D is not positive definite to working precision.
//! For problems of up to about a hundred rows, where the bookkeeping of a sparse
//! factorization costs more than its arithmetic saves.
//! **Reference**: Ho22 eq. 2.40; Cuthill and McKee 1969 (the order).

use crate::linalg::Breakdown;
use crate::linalg::dense;
use crate::{Operator, Problem, RowState, Sparse};

const NONE: u32 = u32::MAX;
// What half and twice of these change: docs/decisions/solver-constants.md.

/// Rows from which on an order pays; smaller ones are taken as they come.
const WORTH_ORDERING: usize = 32;

#[derive(Default)]
pub(crate) struct Dense {
    /// Rows in the order of elimination, the last place of their neighbours, and
    /// the place of every row.
    order: Vec<u32>,
    last: Vec<u32>,
    place: Vec<u32>,
    /// The lower triangle of a sparse A in that order, column by column: places
    /// and values.
    col_ptr: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
    /// By elimination: how many free rows came before, and for free rows their
    /// place among those.
    before: Vec<u32>,
    rank: Vec<u32>,
    free: Vec<u32>,
    l: dense::Dense,
    rhs: Vec<f64>,
}

impl Dense {
    /// Takes up a problem. Multibody problems have no dense form here.
    pub fn assemble(&mut self, problem: &Problem) {
        let m = problem.rows();
        self.find_order(problem);
        if let Operator::Sparse(a) = &problem.operator {
            self.copy_lower(a);
        }
        // Room for every free set.
        self.l.resize(m);
        self.before.clear();
        self.before.reserve(m + 1);
        self.rank.clear();
        self.rank.reserve(m);
        self.free.clear();
        self.free.reserve(m + 1);
        self.rhs.clear();
        self.rhs.reserve(m);
    }

    fn find_order(&mut self, problem: &Problem) {
        let m = problem.rows();
        let Dense { order, last, place, .. } = self;
        order.clear();
        last.clear();
        place.clear();
        let Operator::Sparse(a) = &problem.operator else {
            order.extend(0..m as u32);
            place.extend(0..m as u32);
            return last.resize(m, m.saturating_sub(1) as u32);
        };
        if m < WORTH_ORDERING {
            order.extend(0..m as u32);
            place.extend(0..m as u32);
            last.extend((0..m).map(|i| a.row(i).0.last().map_or(0, |&j| j)));
            return;
        }
        place.resize(m, NONE);
        for seed in 0..m as u32 {
            if place[seed as usize] == NONE {
                breadth_first(a, seed, order, place);
            }
        }
        for &i in order.iter() {
            let places = a.row(i as usize).0.iter().map(|&j| place[j as usize]);
            last.push(places.max().unwrap_or(0));
        }
    }

    /// Written without a branch, which nothing could predict: what does not belong
    /// there is overwritten.
    fn copy_lower(&mut self, a: &Sparse) {
        let room = a.entries() + 1;
        self.rows.resize(self.rows.len().max(room), 0);
        self.values.resize(self.values.len().max(room), 0.0);
        self.col_ptr.clear();
        self.col_ptr.push(0);
        let mut n = 0;
        for (k, &j) in self.order.iter().enumerate() {
            // A is symmetric: its row j is its column j.
            let (rows, values) = a.row(j as usize);
            for (&i, &v) in rows.iter().zip(values) {
                let place = self.place[i as usize];
                (self.rows[n], self.values[n]) = (place, v);
                n += usize::from(place >= k as u32);
            }
            self.col_ptr.push(n as u32);
        }
    }

    pub fn factor(
        &mut self,
        problem: &Problem,
        set: &[RowState],
        d: &[f64],
    ) -> Result<(), Breakdown> {
        self.choose(set);
        let Dense { place, free, rank, l, .. } = self;
        for (p, &j) in free.iter().enumerate() {
            let (j, out) = (j as usize, l.cleared_column(p));
            match &problem.operator {
                Operator::Dense(a) => {
                    (p..free.len()).for_each(|q| out[q] = a.row(j)[free[q] as usize]);
                }
                _ => {
                    let k = place[j] as usize;
                    let column = self.col_ptr[k] as usize..self.col_ptr[k + 1] as usize;
                    let values = &self.values[column.clone()];
                    // Rows that are not free are written below the last one.
                    for (&i, &v) in self.rows[column].iter().zip(values) {
                        out[rank[i as usize] as usize] = v;
                    }
                }
            }
            out[p] += d[j];
        }
        l.factor()
    }

    /// The free rows, by elimination, and how far their columns reach.
    fn choose(&mut self, set: &[RowState]) {
        let Dense { order, last, place, before, rank, free, l, .. } = self;
        let is_free = |i: &u32| set[*i as usize] == RowState::Free;
        let mut n = 0;
        before.clear();
        before.push(0);
        free.clear();
        free.resize(order.len() + 1, 0);
        for i in order.iter() {
            free[n as usize] = *i;
            n += u32::from(is_free(i));
            before.push(n);
        }
        free.truncate(n as usize);
        rank.clear();
        rank.extend(before.windows(2).map(|b| if b[1] > b[0] { b[0] } else { n }));
        l.resize(free.len());
        let mut reach = 0;
        for (to, &i) in l.reach_mut().iter_mut().zip(free.iter()) {
            // The last free row up to the last neighbour.
            let last = last[place[i as usize] as usize] as usize;
            reach = reach.max(before[last + 1] - 1);
            *to = reach;
        }
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

/// Appends all rows that can be reached from the root, and notes their places.
fn breadth_first(a: &Sparse, root: u32, order: &mut Vec<u32>, place: &mut [u32]) {
    let mut next = order.len();
    place[root as usize] = next as u32;
    order.push(root);
    while next < order.len() {
        for &i in a.row(order[next] as usize).0 {
            if place[i as usize] == NONE {
                place[i as usize] = order.len() as u32;
                order.push(i);
            }
        }
        next += 1;
    }
}
