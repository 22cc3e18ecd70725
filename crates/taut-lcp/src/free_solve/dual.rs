//! The dual backend: A_FF, sparse Cholesky.
//!
//! **Update**: write the free rows and columns of A into the panels of one
//! analysis of the whole pattern, factor what is free, solve.
//! **Cost**: that of the factor of A_FF, which fills with a clique for every
//! body with many contacts. One analysis serves every free set, pivots and
//! interior point alike; a new free set allocates nothing, and only panels that
//! have its rows, or come after such panels, are formed and factored anew.
//! **Fails** where A_FF + D is not positive definite to working precision.
//! Best on chains and cables (few rows per body).
//! **Reference**: Ho22 eq. 2.40; Peiret19 eq. 27.

use crate::linalg::several::Several;
use crate::linalg::supernodal::Supernodal;
use crate::linalg::{Breakdown, Supernodes, last, minimum_degree};
use crate::operator::{dot6, mul6};
use crate::{Multibody, Operator, Problem, Row6, RowState, Sparse};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Most rows of a group of rows with the same entries: a group is never divided,
/// and panels must not be too wide.
const LARGEST: usize = 32;
/// Most rows of a group that have no entries among themselves, which are stored
/// as zeros: those of a contact.
const LARGEST_LOOSE: usize = 3;

/// Consecutive entries of a row of A that lie one below the other in the factor.
#[derive(Clone, Copy)]
struct Piece {
    at: u32,
    slot: u32,
    length: u32,
}

#[derive(Default)]
pub(crate) struct Dual {
    /// Bodies whose rows come last in the order of elimination.
    pub(super) late: Vec<u32>,
    /// A, both triangles, where the problem does not have it in this form.
    a: Option<Sparse>,
    pub(super) factor: Supernodal,
    pub(super) several: Several,
    /// Groups of consecutive rows on the same bodies: where they start, and
    /// their neighbours, themselves included, ascending.
    starts: Vec<u32>,
    /// An analysis that is not in use yet.
    symbolic: Option<Supernodes>,
    flops: f64,
    neighbour_ptr: Vec<usize>,
    neighbours: Vec<u32>,
    /// The entries of each row of A that are eliminated with it or after it, by
    /// elimination.
    pieces: Vec<Piece>,
    piece_ptr: Vec<u32>,
    diagonals: Vec<u32>,
    /// What was added to the diagonal in the last factor.
    d: Vec<f64>,
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
    /// Order of elimination and analysis, of groups of rows in place of rows;
    /// enough to count multiplications. Before use: [`Dual::complete`].
    pub fn analyse(&mut self, problem: &Problem) {
        self.group_rows(problem);
        let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
        for g in 0..self.starts.len() as u32 - 1 {
            row_idx.extend(self.neighbours(g as usize).iter().filter(|&&other| other >= g));
            col_ptr.push(row_idx.len() as u32);
        }
        let groups = 0..self.starts.len() as u32 - 1;
        // Without an order (out of memory, say) the natural one serves.
        let order = minimum_degree(&col_ptr, &row_idx).unwrap_or_else(|_| groups.collect());
        let order = match &problem.operator {
            Operator::Multibody(a) if !self.late.is_empty() => last(order, |g| {
                let bodies = a.row(self.starts[g as usize] as usize).0;
                bodies.iter().any(|b| self.late.contains(b))
            }),
            _ => order,
        };
        let symbolic = Supernodes::with_blocks(&col_ptr, &row_idx, &order, &self.starts);
        self.flops = self.forming() + symbolic.flops();
        self.symbolic = Some(symbolic);
    }

    /// The pattern of A and the place of every entry in the factor.
    pub fn complete(&mut self, problem: &Problem) {
        self.a = None;
        if !matches!(problem.operator, Operator::Sparse(_)) {
            self.form_pattern(problem);
        }
        if let Some(symbolic) = self.symbolic.take() {
            self.factor.set_symbolic(symbolic);
        }
        self.find_pieces(problem);
        self.d.clear();
    }

    fn find_pieces(&mut self, problem: &Problem) {
        let Dual { a, factor, pieces, piece_ptr, diagonals, .. } = self;
        let Some(a) = given(problem).or(a.as_ref()) else { return };
        pieces.clear();
        diagonals.clear();
        piece_ptr.clear();
        piece_ptr.push(0);
        let symbolic = factor.symbolic();
        // Of rows in the panel at hand.
        let mut place = vec![0; a.rows()];
        for s in 0..symbolic.count() {
            let rows = symbolic.rows[symbolic.rows_of(s)].iter().enumerate();
            rows.for_each(|(p, &r)| place[symbolic.order[r as usize] as usize] = p as u32);
            let columns = &symbolic.order[symbolic.first[s] as usize..][..symbolic.width(s)];
            let first = factor.slot(columns[0] as usize, columns[0] as usize);
            for (c, &j) in columns.iter().enumerate() {
                let (j, top) = (j as usize, (first.at + c * first.stride) as u32);
                diagonals.push(top + c as u32);
                let begin = pieces.len();
                for (at, &i) in a.row(j).0.iter().enumerate() {
                    if symbolic.inverse[i as usize] < symbolic.inverse[j] {
                        continue;
                    }
                    let (at, slot) = (at as u32, top + place[i as usize]);
                    match pieces[begin..].last_mut() {
                        Some(p) if p.at + p.length == at && p.slot + p.length == slot => {
                            p.length += 1;
                        }
                        _ => pieces.push(Piece { at, slot, length: 1 }),
                    }
                }
                piece_ptr.push(pieces.len() as u32);
            }
        }
    }

    /// A alone.
    pub fn form(&mut self, problem: &Problem) {
        if let Some(a) = given(problem) {
            self.a = Some(a.clone());
            return;
        }
        self.group_rows(problem);
        self.form_pattern(problem);
    }

    fn form_pattern(&mut self, problem: &Problem) {
        let (mut row_ptr, mut col_idx) = (vec![0], Vec::<u32>::new());
        for g in 0..self.starts.len() - 1 {
            for _ in self.starts[g]..self.starts[g + 1] {
                for &other in self.neighbours(g) {
                    col_idx.extend(self.starts[other as usize]..self.starts[other as usize + 1]);
                }
                row_ptr.push(col_idx.len());
            }
        }
        self.accumulator.clear();
        self.accumulator.resize(problem.rows(), 0.0);
        self.a = Some(Sparse::from_pattern(row_ptr, col_idx));
    }

    fn neighbours(&self, group: usize) -> &[u32] {
        &self.neighbours[self.neighbour_ptr[group]..self.neighbour_ptr[group + 1]]
    }

    /// Groups of rows, and which of them share a body or an entry of A.
    fn group_rows(&mut self, problem: &Problem) {
        self.starts.clear();
        self.neighbour_ptr.clear();
        self.neighbour_ptr.push(0);
        self.neighbours.clear();
        let m = problem.rows();
        if let Operator::Multibody(a) = &problem.operator {
            self.starts.extend(a.groups().map(|g| g.rows.start as u32));
            self.starts.push(m as u32);
            self.list_entries(a);
            return self.find_neighbours(a);
        }
        let Operator::Sparse(a) = &problem.operator else {
            self.starts.extend((0..m as u32).step_by(LARGEST));
            self.starts.push(m as u32);
            let groups = self.starts.len() - 1;
            for _ in 0..groups {
                self.neighbours.extend(0..groups as u32);
                self.neighbour_ptr.push(self.neighbours.len());
            }
            return;
        };
        self.group_equal_rows(a);
    }

    /// Groups of consecutive rows with the same entries outside the group: the
    /// rows of a contact, or of all contacts between two bodies. The pattern is
    /// symmetric, so a row with an entry in one column of a group has all.
    fn group_equal_rows(&mut self, a: &Sparse) {
        let mut of_row = vec![0; a.rows()];
        for i in 0..a.rows() {
            if !self.starts.last().is_some_and(|&start| may_join(a, i, start as usize)) {
                self.starts.push(i as u32);
            }
            of_row[i] = self.starts.len() as u32 - 1;
        }
        self.starts.push(a.rows() as u32);
        for g in 0..self.starts.len() - 1 {
            let begin = self.neighbours.len();
            for &j in a.row(self.starts[g] as usize).0 {
                let other = of_row[j as usize];
                if self.neighbours[begin..].last() != Some(&other) {
                    self.neighbours.push(other);
                }
            }
            self.neighbour_ptr.push(self.neighbours.len());
        }
    }

    /// Which row every entry of J is in, and which entries act on a body.
    fn list_entries(&mut self, a: &Multibody) {
        self.row_of_entry.clear();
        self.entries_of_body.iter_mut().for_each(Vec::clear);
        self.entries_of_body.resize(a.body_count(), Vec::new());
        for i in 0..a.rows() {
            for &b in a.row(i).0 {
                self.entries_of_body[b as usize].push(self.row_of_entry.len() as u32);
                self.row_of_entry.push(i as u32);
            }
        }
    }

    fn find_neighbours(&mut self, a: &Multibody) {
        let groups = self.starts.len() - 1;
        let mut of_body: Vec<Vec<u32>> = vec![Vec::new(); a.body_count()];
        for g in 0..groups {
            let bodies = a.row(self.starts[g] as usize).0;
            bodies.iter().for_each(|&b| of_body[b as usize].push(g as u32));
        }
        let mut mark = vec![u32::MAX; groups];
        for g in 0..groups as u32 {
            let from = self.neighbours.len();
            mark[g as usize] = g;
            self.neighbours.push(g);
            for &b in a.row(self.starts[g as usize] as usize).0 {
                for &other in &of_body[b as usize] {
                    if std::mem::replace(&mut mark[other as usize], g) != g {
                        self.neighbours.push(other);
                    }
                }
            }
            self.neighbours[from..].sort_unstable();
            self.neighbour_ptr.push(self.neighbours.len());
        }
    }

    /// A, once formed and assembled.
    pub fn matrix(&self) -> Option<&Sparse> {
        self.a.as_ref()
    }

    /// Writes the values of A.
    pub fn assemble(&mut self, problem: &Problem) {
        self.factor.touch_all();
        match (&problem.operator, &mut self.a) {
            // Formed alone; a factor reads A where it is.
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
        self.flops
    }

    fn forming(&self) -> f64 {
        12.0 * self.entries_of_body.iter().map(|e| (e.len() as f64).powi(2)).sum::<f64>()
    }

    /// What forming and factoring take at least. Rows on the same body are
    /// neighbours; two rows seldom share more than two. A factor with n entries
    /// in m columns takes n²/m multiplications if all columns are alike, else
    /// more.
    pub fn least_flops(a: &Multibody) -> f64 {
        let mut rows = vec![0.0_f64; a.body_count()];
        for g in a.groups() {
            g.bodies.iter().for_each(|&b| rows[b as usize] += g.rows.len() as f64);
        }
        let pairs: f64 = rows.iter().map(|r| r * r).sum();
        12.0 * pairs + (0.25 * pairs).powi(2) / a.rows().max(1) as f64
    }

    pub fn factor(
        &mut self,
        problem: &Problem,
        set: &[RowState],
        d: &[f64],
    ) -> Result<(), Breakdown> {
        let Some(a) = given(problem).or(self.a.as_ref()) else { return Err(Breakdown) };
        if self.d.len() != d.len() {
            self.factor.touch_all();
        } else {
            let changed = (0..d.len()).filter(|&j| d[j] != self.d[j]);
            changed.for_each(|j| self.factor.touch(j));
        }
        self.d.clear();
        self.d.extend_from_slice(d);
        self.is_free.clear();
        self.is_free.extend(set.iter().map(|&s| s == RowState::Free));
        self.factor.set_active(|i| self.is_free[i]);
        self.factor.clear_stale();
        for k in 0..set.len() {
            let j = self.factor.symbolic().order[k] as usize;
            if !self.is_free[j] || !self.factor.is_stale(j) {
                continue;
            }
            let values = self.factor.values_mut();
            let entries = a.row(j).1;
            // Entries of rows that are left out are written too, and not read.
            for p in &self.pieces[self.piece_ptr[k] as usize..self.piece_ptr[k + 1] as usize] {
                let to = &mut values[p.slot as usize..][..p.length as usize];
                to.iter_mut().zip(&entries[p.at as usize..]).for_each(|(v, e)| *v += e);
            }
            values[self.diagonals[k] as usize] += d[j];
        }
        self.factor.factor()
    }

    pub fn solve(&mut self, r: &[f64], x: &mut [f64]) -> usize {
        for i in 0..x.len() {
            x[i] = if self.is_free[i] { r[i] } else { 0.0 };
        }
        self.factor.solve(x);
        0
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

/// A, if it was given entry by entry.
fn given(problem: &Problem) -> Option<&Sparse> {
    match &problem.operator {
        Operator::Sparse(a) => Some(a),
        _ => None,
    }
}

/// Whether row i may join the group of the rows from `start` up to it.
fn may_join(a: &Sparse, i: usize, start: usize) -> bool {
    let size = i - start;
    let outside = |row: usize| {
        let columns = a.row(row).0;
        let before = columns.partition_point(|&j| (j as usize) < start);
        let after = columns.partition_point(|&j| j as usize <= i);
        (&columns[..before], &columns[after..])
    };
    let is_neighbour = || a.row(i).0.binary_search(&(i as u32 - 1)).is_ok();
    size < LARGEST && outside(i) == outside(start) && (size < LARGEST_LOOSE || is_neighbour())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use crate::generate::Rng;

    /// Contacts of three rows in a ring, each with its neighbours, whose rows have
    /// no entries among themselves; dominant.
    fn ring(contacts: usize, rng: &mut Rng) -> Problem {
        let mut lower = Vec::new();
        for i in 0..3 * contacts {
            lower.push((i, i, 20.0));
            for j in 0..i {
                let gap = i / 3 - j / 3;
                if gap == 1 || gap == contacts - 1 {
                    lower.push((i, j, rng.uniform() - 0.5));
                }
            }
        }
        let m = 3 * contacts;
        let a = Sparse::from_lower_triplets(m, &lower).expect("a lower triangle");
        let operator = Operator::Sparse(a);
        Problem { operator, b: vec![0.0; m], laws: vec![Law::Bilateral; m] }
    }

    #[test]
    fn rows_of_a_contact_are_one_group_and_any_may_be_left_out() {
        let mut rng = Rng::new(3);
        let problem = ring(20, &mut rng);
        let mut dual = Dual::default();
        dual.analyse(&problem);
        assert_eq!(dual.starts, (0..=20).map(|g| 3 * g).collect::<Vec<u32>>());
        dual.complete(&problem);
        dual.assemble(&problem);
        for share in [1.0, 0.5, 0.9, 0.1] {
            let m = problem.rows();
            let set: Vec<_> = (0..m)
                .map(|_| if rng.uniform() < share { RowState::Free } else { RowState::Lower })
                .collect();
            let is_free = |i: usize| set[i] == RowState::Free;
            let d: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
            let exact: Vec<f64> =
                (0..m).map(|i| if is_free(i) { rng.uniform() } else { 0.0 }).collect();
            let (mut r, mut x) = (vec![0.0; m], vec![0.0; m]);
            problem.operator.apply(&exact, &mut r, &mut Vec::new());
            (0..m).for_each(|i| r[i] += d[i] * exact[i]);
            dual.factor(&problem, &set, &d).expect("dominant");
            dual.solve(&r, &mut x);
            (0..m).for_each(|i| assert!((x[i] - exact[i]).abs() < 1e-12, "{share}: row {i}"));
        }
    }

    /// Rows that nothing connects are not made one dense block.
    #[test]
    fn strangers_stay_apart() {
        let lower: Vec<_> = (0..50).map(|i| (i, i, 1.0)).collect();
        let a = Sparse::from_lower_triplets(50, &lower).expect("a lower triangle");
        let mut dual = Dual::default();
        let operator = Operator::Sparse(a);
        let problem = Problem { operator, b: vec![0.0; 50], laws: vec![Law::Bilateral; 50] };
        dual.group_rows(&problem);
        let largest = dual.starts.windows(2).map(|s| s[1] - s[0]).max();
        assert_eq!(largest, Some(LARGEST_LOOSE as u32));
    }
}
