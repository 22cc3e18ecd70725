//! Lemke's complementary pivoting.
//!
//! **Problem**: boxed rows, any A, symmetric or not. Boxes are brought to
//! standard form, rows with two bounds by doubling (`standard_form.rs`);
//! bilateral rows are eliminated first.
//! **Update**: an artificial variable z₀ makes w = q + Gx + z₀ feasible; then
//! the complement of the variable that left the basis enters it, and a ratio
//! test says which one leaves, until that is z₀.
//! **Convergence**: finite. Ties are broken by the lexicographic rule, so that no basis
//! comes twice, however degenerate.
//! **Cost** per pivot: N² multiplications on a dense tableau, N rows (twice
//! counted those with two bounds). N to 2N pivots are usual; 2ᴺ are possible.
//! **Fails** with a ray, when nothing leaves the basis. For P-matrices that
//! cannot happen. For copositive-plus ones (semidefinite ones, symmetric or
//! not, among them) it proves that no solution exists: `Infeasible`, with the
//! direction d ≥ 0 of the ray as certificate, for which Aᵀd ≤ 0 and bᵀd < 0.
//! Every ray is put to that test; one that does not pass says nothing and is
//! reported as `Ray`. (With P-matrices that are not semidefinite, rows with two
//! bounds may end so.) Bilateral rows whose block of A is singular end
//! `Singular`, if A is not semidefinite. Rounding adds up in the tableau: the
//! answer is solved for anew with the index set found, but the set itself may
//! be wrong where A is ill-conditioned (`Stalled`). No warm start.
//! **Reference**: Lemke 1965; Cottle, Pang and Stone, The Linear
//! Complementarity Problem, alg. 4.4.5, 4.9 (lexicographic), thm. 4.4.11 (ray);
//! Erleben13 5.1 and Andrews22 3.1.1 name it.

use super::standard_form::{Kind, StandardForm};
use crate::linalg::lu::Lu;
use crate::residual::verdict;
use crate::{Counts, Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Status, Stop};

/// Entries of the tableau below this, in units of the diagonal or of the largest
/// of their column, are rounding. (Between 1e-16 times the growth of a tableau of some hundred pivots and
/// entries that matter; 1e-13 gives the same golden counts.)
const NOISE: f64 = 1e-11;

/// Beyond this the tableau takes more than some gigabytes.
const MOST_ROWS: usize = 16_384;

/// Settings of Lemke's method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on pivots. Default 100,000.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 100_000 }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct Lemke {
    settings: Settings,
    form: StandardForm,
    tableau: Tableau,
    x: Vec<f64>,
    diagonal: Vec<f64>,
    free: Vec<usize>,
    lu: Lu,
    trial: Vec<f64>,
    unit: Vec<f64>,
    column: Vec<f64>,
    step: Vec<f64>,
    scratch: Vec<f64>,
}

/// How the path ended.
enum End {
    Solved,
    /// Along this column.
    Ray(usize),
    /// w of the bilateral row in this row is a constant, not zero.
    Contradiction(usize),
    Failed(Status),
}

impl Lemke {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Lemke {
            settings,
            form: StandardForm::default(),
            tableau: Tableau::default(),
            x: Vec::new(),
            diagonal: Vec::new(),
            free: Vec::new(),
            lu: Lu::default(),
            trial: Vec::new(),
            unit: Vec::new(),
            column: Vec::new(),
            step: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// λ_F ← −A_FF⁻¹ (b_F + A_FT λ_T), twice, if the judge finds it better.
    fn polish(&mut self, problem: &Problem, iterate: &mut Iterate) -> f64 {
        let m = problem.rows();
        self.diagonal.resize(m, 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        let mut best =
            residual(problem, &iterate.lambda, &self.diagonal, &mut iterate.w, &mut self.scratch);
        self.free.clear();
        self.free.extend((0..m).filter(|&i| iterate.set[i] == RowState::Free));
        if !self.factor_free(problem) {
            return best;
        }
        for _ in 0..2 {
            self.step.clear();
            self.step.extend(self.free.iter().map(|&i| -iterate.w[i]));
            self.lu.solve(&mut self.step);
            self.trial.clone_from(&iterate.lambda);
            for (&i, step) in self.free.iter().zip(&self.step) {
                let l = self.trial[i] + step;
                self.trial[i] = l.clamp(self.form.lo[i], self.form.hi[i]);
            }
            let (trial, column) = (&self.trial, &mut self.column);
            let better = residual(problem, trial, &self.diagonal, column, &mut self.scratch);
            if better >= best || better.is_nan() {
                break;
            }
            best = better;
            iterate.lambda.copy_from_slice(&self.trial);
            iterate.w.copy_from_slice(&self.column);
        }
        best
    }

    /// Factors A_FF. Says whether it could.
    fn factor_free(&mut self, problem: &Problem) -> bool {
        let m = problem.rows();
        self.unit.clear();
        self.unit.resize(m, 0.0);
        self.column.resize(m, 0.0);
        let Lemke { lu, free, unit, column, scratch, .. } = self;
        lu.resize(free.len());
        for (c, &j) in free.iter().enumerate() {
            unit[j] = 1.0;
            problem.operator.apply(unit, column, scratch);
            unit[j] = 0.0;
            lu.column_mut(c).iter_mut().zip(&*free).for_each(|(a, &i)| *a = column[i]);
        }
        lu.factor().is_ok()
    }
}

/// The natural residual of λ; leaves w.
fn residual(
    problem: &Problem,
    lambda: &[f64],
    diagonal: &[f64],
    w: &mut [f64],
    scratch: &mut Vec<f64>,
) -> f64 {
    problem.operator.apply(lambda, w, scratch);
    w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
    verdict(problem, lambda, w, diagonal).natural_residual
}

impl Solver for Lemke {
    fn name(&self) -> &'static str {
        "lemke"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        let solver = "lemke";
        if problem.has_cones() {
            let reason = "it has Coulomb cones; state friction as boxes or polyhedra".into();
            return Err(Error::Refused { solver, reason });
        }
        if problem.rows() > MOST_ROWS {
            let rows = problem.rows();
            let reason = format!("a tableau for {rows} rows is too large; lcp_ipm is for those");
            return Err(Error::Refused { solver, reason });
        }
        Ok(())
    }

    fn prepare(&mut self, problem: &Problem) {
        self.form.load(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let Lemke { form, tableau, x, .. } = self;
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        tableau.load(form);
        let end = tableau.run(limit);
        tableau.values(x);
        form.unload(x, |k| tableau.is_basic(k), &mut iterate.lambda, &mut iterate.set);
        let mut counts = Counts { iterations: tableau.pivots, ..Default::default() };
        counts.pivots = counts.iterations;
        let status = match end {
            End::Failed(status) => status,
            End::Ray(_) | End::Contradiction(_) => {
                tableau.direction(&end, x);
                if form.proves_infeasible(problem, x, &mut iterate.certificate) {
                    Status::Infeasible
                } else {
                    iterate.certificate.clear();
                    Status::Ray
                }
            }
            End::Solved => {
                let residual = self.polish(problem, iterate);
                probe.iteration(counts.iterations, residual);
                counts.factorizations = 1;
                let good = residual <= stop.tolerance * problem.scale();
                if good { Status::Converged } else { Status::Stalled }
            }
        };
        Outcome::new(status, counts)
    }
}

/// basic = rhs + T·nonbasic. Variables are numbered: r₀ … , x₀ … , z₀.
#[derive(Default)]
struct Tableau {
    n: usize,
    /// Rows of n + 2: the nonbasic columns (z₀'s one is the last at first),
    /// then rhs.
    t: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Row or column of each variable.
    place: Vec<usize>,
    /// Whether x and r are those of a bilateral row.
    is_free: Vec<bool>,
    row: Vec<f64>,
    /// Size of q: what is far below it is rounding.
    size: f64,
    pivots: usize,
}

impl Tableau {
    fn load(&mut self, form: &StandardForm) {
        let n = form.variables.len();
        self.n = n;
        self.pivots = 0;
        self.is_free.clear();
        self.is_free.extend(form.variables.iter().map(|v| v.kind == Kind::Free));
        self.is_free.push(false); // z₀
        self.size = form.q.iter().fold(0.0_f64, |s, q| s.max(q.abs()));
        self.t.clear();
        for r in 0..n {
            self.t.extend_from_slice(&form.matrix[r * n..(r + 1) * n]);
            self.t.push(if self.is_free[r] { 0.0 } else { 1.0 });
            self.t.push(form.q[r]);
        }
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend((0..n).chain(0..=n));
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.t[row * (self.n + 2) + column]
    }

    fn rhs(&self, row: usize) -> f64 {
        self.at(row, self.n + 1)
    }

    fn is_basic(&self, x: usize) -> bool {
        self.basic.get(self.place[self.n + x]) == Some(&(self.n + x))
    }

    /// Whether the ratio test leaves this row alone: x of a bilateral row.
    fn is_unbounded(&self, row: usize) -> bool {
        let v = self.basic[row];
        self.is_free[if v < self.n { v } else { v - self.n }]
    }

    /// Exchanges the variable of a row and that of a column.
    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.n + 2;
        let p = self.at(row, column);
        self.row.clear();
        self.row.extend(self.t[row * width..][..width].iter().map(|t| -t / p));
        self.row[column] = 1.0 / p;
        for r in 0..self.n {
            let target = &mut self.t[r * width..][..width];
            if r == row {
                target.copy_from_slice(&self.row);
                continue;
            }
            let factor = std::mem::take(&mut target[column]);
            if factor != 0.0 {
                target.iter_mut().zip(&self.row).for_each(|(t, p)| *t += factor * p);
            }
        }
        let (entering, leaving) = (self.nonbasic[column], self.basic[row]);
        (self.basic[row], self.nonbasic[column]) = (entering, leaving);
        (self.place[entering], self.place[leaving]) = (row, column);
        self.pivots += 1;
    }

    fn run(&mut self, limit: usize) -> End {
        if let Some(end) = self.eliminate_free() {
            return end;
        }
        let z0 = 2 * self.n;
        // z₀ just large enough; of equal rows the last is lexicographically least.
        let worst = (0..self.n)
            .filter(|&r| !self.is_unbounded(r) && self.rhs(r) < 0.0)
            .reduce(|best, r| if self.rhs(r) <= self.rhs(best) { r } else { best });
        let Some(mut row) = worst else { return End::Solved };
        let mut column = self.n;
        loop {
            if self.pivots >= limit {
                return End::Failed(Status::IterationLimit);
            }
            let leaving = self.basic[row];
            self.pivot(row, column);
            if !self.rhs(row).is_finite() {
                return End::Failed(Status::NonFinite);
            }
            if leaving == z0 {
                return End::Solved;
            }
            let complement = if leaving < self.n { leaving + self.n } else { leaving - self.n };
            column = self.place[complement];
            match self.blocking_row(column) {
                Some(next) => row = next,
                None => return End::Ray(column),
            }
        }
    }

    /// Brings the x of bilateral rows into the basis, the largest pivot first.
    /// Where none is left, w of such a row must not depend on anything.
    fn eliminate_free(&mut self) -> Option<End> {
        loop {
            let mut best = (NOISE, 0, 0);
            for r in (0..self.n).filter(|&r| self.basic[r] < self.n && self.is_unbounded(r)) {
                for c in 0..self.n {
                    let v = self.nonbasic[c];
                    if v >= self.n && self.is_free[v - self.n] && self.at(r, c).abs() > best.0 {
                        best = (self.at(r, c).abs(), r, c);
                    }
                }
            }
            if best.0 == NOISE {
                break;
            }
            self.pivot(best.1, best.2);
        }
        for r in (0..self.n).filter(|&r| self.basic[r] < self.n && self.is_unbounded(r)) {
            let depends = (0..self.n).any(|c| {
                let is_x = self.nonbasic[c] >= self.n;
                is_x && self.at(r, c).abs() > 1e3 * NOISE
            });
            if depends {
                return Some(End::Failed(Status::Singular));
            }
            if self.rhs(r).abs() > NOISE * self.size {
                return Some(End::Contradiction(r));
            }
        }
        None
    }

    /// The row that blocks the variable of a column: the least ratio, z₀
    /// first, then by the lexicographic rule.
    fn blocking_row(&self, column: usize) -> Option<usize> {
        let size = (0..self.n).fold(1.0_f64, |s, r| s.max(self.at(r, column).abs()));
        let blocks = |&r: &usize| !self.is_unbounded(r) && self.at(r, column) < -NOISE * size;
        let ratio = |r: usize| self.rhs(r).max(0.0) / -self.at(r, column);
        let least = (0..self.n).filter(blocks).map(ratio).fold(f64::INFINITY, f64::min);
        let tie = least + 1e-12 * (least + self.size);
        let mut tied = (0..self.n).filter(blocks).filter(|&r| ratio(r) <= tie);
        let first = tied.next()?;
        Some(tied.fold(first, |best, r| {
            let z0 = 2 * self.n;
            if self.basic[best] == z0 || (self.basic[r] != z0 && !self.is_less(r, best, column)) {
                best
            } else {
                r
            }
        }))
    }

    /// Compares rows of the inverse of the basis, divided by their pivots.
    fn is_less(&self, a: usize, b: usize, column: usize) -> bool {
        let (pa, pb) = (-self.at(a, column), -self.at(b, column));
        for k in (0..self.n).filter(|&k| !self.is_free[k]) {
            let place = self.place[k];
            let is_basic = self.basic.get(place) == Some(&k);
            let entry = |r: usize| match is_basic {
                true => f64::from(u8::from(place == r)),
                false => -self.at(r, place),
            };
            let (x, y) = (entry(a) / pa, entry(b) / pb);
            if (x - y).abs() > NOISE * (x.abs() + y.abs()) {
                return x < y;
            }
        }
        false
    }

    /// Values of all x.
    fn values(&self, x: &mut Vec<f64>) {
        x.clear();
        x.extend(
            (0..self.n).map(
                |k| {
                    if self.is_basic(k) { self.rhs(self.place[self.n + k]) } else { 0.0 }
                },
            ),
        );
    }

    /// How all x change along a ray; or the combination of bilateral rows
    /// whose w is a negative constant.
    fn direction(&self, end: &End, x: &mut Vec<f64>) {
        x.clear();
        x.resize(self.n, 0.0);
        match *end {
            End::Ray(column) => {
                for k in (0..self.n).filter(|&k| self.is_basic(k)) {
                    x[k] = self.at(self.place[self.n + k], column);
                }
                if let Some(x) =
                    self.nonbasic[column].checked_sub(self.n).and_then(|k| x.get_mut(k))
                {
                    *x = 1.0;
                }
            }
            End::Contradiction(row) => {
                let downhill = -self.rhs(row).signum();
                for c in (0..=self.n).filter(|&c| self.nonbasic[c] < self.n) {
                    x[self.nonbasic[c]] = -downhill * self.at(row, c);
                }
                x[self.basic[row]] = downhill;
            }
            End::Solved | End::Failed(_) => {}
        }
    }
}
