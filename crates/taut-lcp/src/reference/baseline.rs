//! The baseline of comparisons: block principal pivoting that begins with all
//! rows free and analyses and factors A_FF anew at every pivot.
//!
//! **Problem**: boxed rows, A symmetric positive definite.
//! **Update**: A_FF λ_F = −b_F − A_FT λ_T by simplicial sparse Cholesky in
//! minimum-degree order; move every row that violates its law; an index set
//! seen before is answered by five single pivots.
//! **Cost** per pivot: one symbolic analysis, one factorization. No warm
//! start, no refinement.
//! **Convergence**: finite unless sets come back; nothing guarantees that they do not.
//! **Fails** after 50 pivots (the limit of Peiret19 table 1), or where A_FF is
//! not positive definite.
//! Instead of the simplicial Cholesky it can have the skyline of Lefebvre20
//! ([`Baseline::skyline`]), factored anew or updated.
//! **Reference**: Peiret19 5.3 and table 1 (Eigen-BPP); Ho22 alg. 1;
//! Lefebvre20 alg. 2.1. Deviation: rows pivot on violations beyond the
//! tolerance that is asked for, since pivoting on equality cycles, and boxes
//! without width stay fixed.

use crate::free_solve::{Dual, Skyline, Updates};
use crate::linalg::Breakdown;
use crate::linalg::cholesky::Cholesky;
use crate::operator::mix;
use crate::pivoting::accepts_symmetric_boxed;
use crate::{
    Backend, Counts, Error, Iterate, Outcome, Probe, Problem, RowState, Solver, Status, Stop,
};

/// Pivots after which the baseline gives up.
pub const MAX_PIVOTS: usize = 50;
/// Single pivots after a cycle.
const SINGLE_PIVOTS: usize = 5;

/// The method, as a solver.
///
/// ```
/// use taut_lcp::reference::Baseline;
/// use taut_lcp::{Dense, Operator, Problem, Session, Status};
/// let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
/// let problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
/// let mut session = Session::with_solver(Box::new(Baseline::default()));
/// let answer = session.solve(&problem)?;
/// assert_eq!(answer.status(), Status::Converged);
/// assert_eq!(answer.report().counts.factorizations, 2); // all free, then the right set
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Default)]
pub struct Baseline {
    a: Dual,
    /// Instead of `a` and `compact`, if there is one.
    skyline: Option<Skyline>,
    shift: Vec<f64>,
    pattern: Option<u64>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    diagonal: Vec<f64>,
    set: Vec<RowState>,
    /// Position of each row in the compacted system.
    position: Vec<Option<u32>>,
    free: Vec<usize>,
    compact: Cholesky,
    rhs: Vec<f64>,
    seen: Vec<u64>,
}

impl Solver for Baseline {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        accepts_symmetric_boxed("baseline", problem, None)
    }

    fn prepare(&mut self, problem: &Problem) {
        let pattern = problem.operator.pattern_hash();
        if self.pattern != Some(pattern) {
            self.pattern = Some(pattern);
            match &mut self.skyline {
                Some(skyline) => skyline.analyse(problem),
                None => self.a.form(problem),
            }
        }
        match &mut self.skyline {
            Some(skyline) => skyline.assemble(problem),
            None => self.a.assemble(problem),
        }
        problem.bounds(&mut self.lo, &mut self.hi);
        self.diagonal.resize(problem.rows(), 0.0);
        problem.operator.diagonal(&mut self.diagonal);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        // Part of the tolerance, for clamping adds to what is left.
        let tolerance = 0.1 * stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(MAX_PIVOTS);
        let (mut counts, mut singles) = (Counts::default(), 0);
        self.start(1e-2 * tolerance);
        let status = loop {
            counts.iterations += 1;
            counts.factorizations += 1;
            let solved = match self.skyline.is_some() {
                true => self.solve_in_skyline(problem, iterate),
                false => self.solve_free(problem, iterate),
            };
            if solved.is_err() {
                break Status::Singular;
            }
            let moves = self.violations(iterate, tolerance);
            let worst = moves.iter().fold(0.0_f64, |w, m| w.max(m.2));
            probe.iteration(counts.iterations, worst);
            if moves.is_empty() {
                break Status::Converged;
            }
            if counts.iterations >= limit {
                break Status::IterationLimit;
            }
            let hash = self.set.iter().fold(0, |h, s| mix(h, *s as u64));
            if self.seen.contains(&hash) && singles == 0 {
                singles = SINGLE_PIVOTS;
            }
            self.seen.push(hash);
            let count = if singles > 0 { 1 } else { moves.len() };
            singles = singles.saturating_sub(1);
            // The last row first, as Murty's rule has it.
            for &(i, state, _) in moves.iter().rev().take(count) {
                self.set[i] = state;
            }
            counts.pivots += count;
        };
        for i in 0..iterate.lambda.len() {
            iterate.lambda[i] = iterate.lambda[i].clamp(self.lo[i], self.hi[i]);
        }
        iterate.set.clone_from(&self.set);
        let backend = if self.skyline.is_some() { Backend::Skyline } else { Backend::Dual };
        Outcome { backend: Some(backend), ..Outcome::new(status, counts) }
    }
}

impl Baseline {
    /// With A in reverse Cuthill-McKee order within its skyline, or with full
    /// columns, and the factor of A_FF come by in this way (Lefebvre20 ch. 2
    /// and 3).
    pub fn skyline(is_full: bool, updates: Updates) -> Self {
        Baseline { skyline: Some(Skyline::new(is_full, updates)), ..Self::default() }
    }

    /// What updating has made wrong in the last factor (Lefebvre20 table 2.4):
    /// the largest difference from the factor of A_FF, entry by entry.
    pub fn error_of_factor(&self) -> Option<f64> {
        self.skyline.as_ref().map(Skyline::error_of_factor)
    }

    /// Factors in the cache, and numbers in one factor.
    pub fn cached(&self) -> Option<(usize, usize)> {
        self.skyline.as_ref().map(|s| (s.cached(), s.entries()))
    }

    /// λ and w for the index set, within the skyline.
    fn solve_in_skyline(
        &mut self,
        problem: &Problem,
        iterate: &mut Iterate,
    ) -> Result<(), Breakdown> {
        let skyline = self.skyline.as_mut().ok_or(Breakdown)?;
        self.shift.resize(self.set.len(), 0.0);
        skyline.factor(&self.set, &self.shift)?;
        let a = skyline.matrix().ok_or(Breakdown)?;
        for i in 0..self.set.len() {
            iterate.lambda[i] = match self.set[i] {
                RowState::Lower => self.lo[i],
                RowState::Upper => self.hi[i],
                RowState::Free => 0.0,
            };
        }
        a.apply(&iterate.lambda, &mut iterate.w);
        self.rhs.clear();
        self.rhs.extend(iterate.w.iter().zip(&problem.b).map(|(w, b)| -w - b));
        skyline.solve(&self.rhs, &mut iterate.w);
        for i in 0..self.set.len() {
            if self.set[i] == RowState::Free {
                iterate.lambda[i] = iterate.w[i];
            }
        }
        let a = skyline.matrix().ok_or(Breakdown)?;
        a.apply(&iterate.lambda, &mut iterate.w);
        iterate.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        Ok(())
    }

    /// All rows free, but for boxes narrower than `width` (times Aᵢᵢ, in m/s).
    fn start(&mut self, width: f64) {
        self.seen.clear();
        self.set.clear();
        for i in 0..self.lo.len() {
            let fixed = self.diagonal[i] * (self.hi[i] - self.lo[i]) <= width;
            self.set.push(if fixed { RowState::Lower } else { RowState::Free });
        }
        self.position.resize(self.set.len(), None);
        self.rhs.reserve(self.set.len());
    }

    /// λ and w for the index set.
    fn solve_free(&mut self, problem: &Problem, iterate: &mut Iterate) -> Result<(), Breakdown> {
        let a = self.a.matrix().ok_or(Breakdown)?;
        self.free.clear();
        for i in 0..self.set.len() {
            self.position[i] = None;
            iterate.lambda[i] = match self.set[i] {
                RowState::Lower => self.lo[i],
                RowState::Upper => self.hi[i],
                RowState::Free => {
                    self.position[i] = Some(self.free.len() as u32);
                    self.free.push(i);
                    0.0
                }
            };
        }
        self.compact.clear();
        self.rhs.clear();
        for &j in &self.free {
            let (columns, values) = a.row(j);
            let mut r = -problem.b[j];
            for (&i, &v) in columns.iter().zip(values) {
                match self.position[i as usize] {
                    Some(p) if i as usize >= j => {
                        self.compact.row_idx.push(p);
                        self.compact.values.push(v);
                    }
                    Some(_) => {}
                    None => r -= v * iterate.lambda[i as usize],
                }
            }
            self.compact.col_ptr.push(self.compact.row_idx.len() as u32);
            self.rhs.push(r);
        }
        self.compact.analyse_simplicial()?;
        self.compact.factor()?;
        self.compact.solve(&mut self.rhs);
        self.free.iter().zip(&self.rhs).for_each(|(&i, &x)| iterate.lambda[i] = x);
        a.apply(&iterate.lambda, &mut iterate.w);
        iterate.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        Ok(())
    }

    /// Rows that violate their law, where they must go, and by how much \[m/s\].
    fn violations(&self, iterate: &Iterate, tolerance: f64) -> Vec<(usize, RowState, f64)> {
        let violation = |i: usize| {
            let (lambda, w, a) = (iterate.lambda[i], iterate.w[i], self.diagonal[i]);
            let (state, size) = match self.set[i] {
                RowState::Free if lambda < self.lo[i] => {
                    (RowState::Lower, a * (self.lo[i] - lambda))
                }
                RowState::Free => (RowState::Upper, a * (lambda - self.hi[i])),
                // No width: it has nowhere to go.
                _ if self.lo[i] == self.hi[i] => return None,
                RowState::Lower => (RowState::Free, -w),
                RowState::Upper => (RowState::Free, w),
            };
            (size > tolerance).then_some((i, state, size))
        };
        (0..self.set.len()).filter_map(violation).collect()
    }
}
