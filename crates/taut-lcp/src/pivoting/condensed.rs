//! Rows in doubt, decided together: a small dense problem for the rows C that
//! pivot back and forth.
//!
//! **Problem**: where block pivoting wanders, a handful of rows mostly turn each
//! other around while all others stay. Each turn costs a face of the whole.
//! **Update**: fix the rows C at bounds and solve the face. This yields w_C, and its
//! factorization the Schur complement of C, S = J_C K_F⁻¹ J_Cᵀ + E_C. Solve the small
//! dense problem S(λ_C − λ_C⁰) + w_C with a ladder of its own, which always ends, and
//! try its index set on the whole. Rows that violate their law then join C, so in
//! the end C would hold all of them.
//! **Cost** per decision: two faces, |C| substitutions, and the ladder for |C|
//! rows, which is small change below [`MOST`] of them.
//! **Fails**: gives up where C gets too large, after [`DECISIONS`] that did not
//! hold, or where S is too ill-conditioned for its answer to hold on the whole;
//! then the interior point follows.
//! **Reference**: block elimination as in Peiret19 eq. 24, with C in place of
//! the interface. Which rows to eliminate, by what pivoting has shown, is ours.

use super::bpp;
use super::face::{Face, Role};
use super::ladder::{Ladder, Rung};
use crate::free_solve::{Breakdown, Ports};
use crate::report::Backend;
use crate::{Dense, Iterate, Law, Operator, Problem, RowState, Status, Stop};

/// Rows that are decided together, at most: beyond that it does not pay
/// (docs/SOLVERS.md).
pub(super) const MOST: usize = 48;
/// Decisions on the way to one answer, at most: what takes more does not end soon. A
/// guard: two would do for all golden counts.
const DECISIONS: usize = 4;
/// Rows are in doubt for so many faces after they have violated their law. With one,
/// `wanderers` of the golden counts take 4 % more factorizations; six change nothing.
const MEMORY: u32 = 3;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The index set of the face is worth trying.
    Made,
    /// Pivoting may go on.
    Open,
    /// No decision held.
    GivenUp,
}

/// The rows in doubt and their problem.
pub(crate) struct Condensed {
    /// C, in the order in which rows came.
    rows: Vec<u32>,
    is_in: Vec<bool>,
    /// Per row, the last face on which it violated its law; and the face at hand.
    wrong_on: Vec<u32>,
    now: u32,
    decisions: usize,
    ports: Ports,
    columns: Vec<u32>,
    problem: Problem,
    iterate: Iterate,
    ladder: Box<Ladder>,
}

impl Condensed {
    pub fn new() -> Self {
        let settings = bpp::Settings { backend: Some(Backend::Dense), ..Default::default() };
        let mut ladder = Box::new(Ladder::new(&settings, Rung::Pivoting));
        ladder.face.role = Role::Condensed;
        // Memory for as many rows as there may be: taken by a first solve.
        let unit = Problem {
            operator: Operator::Dense(Dense::identity(MOST)),
            b: vec![-1.0; MOST],
            laws: vec![Law::Box { lo: 0.0, hi: f64::INFINITY }; MOST],
        };
        let mut iterate = Iterate::from_lambda(vec![0.0; MOST]);
        iterate.w.resize(MOST, 0.0);
        ladder.prepare(&unit);
        let _ = ladder.run(&unit, &Stop::default(), &mut iterate, &mut ());
        Condensed {
            rows: Vec::with_capacity(MOST),
            is_in: Vec::new(),
            wrong_on: Vec::new(),
            now: 0,
            decisions: 0,
            ports: Ports::with_capacity(MOST),
            columns: Vec::with_capacity(MOST),
            problem: unit,
            iterate,
            ladder,
        }
    }

    /// Memory for m rows.
    pub fn prepare(&mut self, m: usize) {
        self.is_in.reserve(m.saturating_sub(self.is_in.len()));
        self.wrong_on.reserve(m.saturating_sub(self.wrong_on.len()));
    }

    /// Forgets all doubts.
    pub fn start(&mut self, m: usize) {
        self.rows.clear();
        self.is_in.clear();
        self.is_in.resize(m, false);
        self.wrong_on.clear();
        self.wrong_on.resize(m, 0);
        (self.now, self.decisions) = (MEMORY, 0);
    }

    /// Notes the rows that violate their law on the face at hand. If they have
    /// not become fewer, or once decisions have begun, decides on them.
    pub fn decide(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &mut [f64],
        wrong: &[(u32, RowState)],
        are_fewer: bool,
    ) -> Result<Decision, Breakdown> {
        self.now += 1;
        wrong.iter().for_each(|&(i, _)| self.wrong_on[i as usize] = self.now);
        let has_begun = self.decisions > 0;
        if wrong.len() > MOST || (are_fewer && !has_begun) {
            return Ok(if has_begun { Decision::GivenUp } else { Decision::Open });
        }
        let known = self.rows.len();
        let joins = |i: usize| !self.is_in[i] && self.wrong_on[i] + MEMORY > self.now;
        let new = (0..lambda.len()).filter(|&i| joins(i)).take(MOST + 1 - known);
        self.rows.extend(new.map(|i| i as u32));
        if self.rows.len() > MOST && !has_begun {
            self.rows.clear();
            return Ok(Decision::Open);
        }
        let is_last = self.decisions == DECISIONS;
        if is_last || self.rows.len() > MOST || self.rows.len() == known {
            return Ok(Decision::GivenUp);
        }
        self.decisions += 1;
        self.rows[known..].iter().for_each(|&i| self.is_in[i as usize] = true);
        let solved = self.solve(face, problem, lambda)?;
        Ok(if solved { Decision::Made } else { Decision::GivenUp })
    }

    /// λ and states of the rows in doubt, as if no other row could pivot.
    fn solve(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        lambda: &mut [f64],
    ) -> Result<bool, Breakdown> {
        self.iterate.clear();
        self.iterate.set.extend(self.rows.iter().map(|&i| face.set[i as usize]));
        for &i in &self.rows {
            let i = i as usize;
            if face.set[i] == RowState::Free {
                let has_lower = face.lo[i].is_finite();
                face.set[i] = if has_lower { RowState::Lower } else { RowState::Upper };
            }
        }
        face.solve_roughly(problem, lambda)?;
        self.condense(face, problem, lambda);
        self.ladder.prepare(&self.problem);
        self.iterate.lambda.extend(self.rows.iter().map(|&i| lambda[i as usize]));
        self.iterate.w.resize(self.rows.len(), 0.0);
        // Half of the tolerance is the face's, see there.
        let tolerance = 2.0 * face.limits.tolerance / self.problem.scale();
        let stop = Stop { tolerance, max_iterations: None };
        let outcome = self.ladder.run(&self.problem, &stop, &mut self.iterate, &mut ());
        for (k, &i) in self.rows.iter().enumerate() {
            face.set[i as usize] = self.iterate.set[k];
            lambda[i as usize] = self.iterate.lambda[k];
        }
        Ok(outcome.status == Status::Converged)
    }

    /// The problem of the rows in doubt, from the face on which they are held.
    fn condense(&mut self, face: &mut Face, problem: &Problem, lambda: &[f64]) {
        let (Operator::Multibody(a), Operator::Dense(s)) =
            (&problem.operator, &mut self.problem.operator)
        else {
            return;
        };
        let n = self.rows.len();
        self.ports.clear();
        for &i in &self.rows {
            let (bodies, j) = a.row(i as usize);
            self.ports.push(bodies.iter().copied().zip(j.iter().copied()));
        }
        self.columns.clear();
        self.columns.extend(0..n as u32);
        s.reshape(n);
        face.free_solve.effective(problem, &self.ports, &self.columns, s.values_mut());
        self.problem.b.clear();
        self.problem.laws.clear();
        for (k, &i) in self.rows.iter().enumerate() {
            let i = i as usize;
            s.values_mut()[k * n + k] += a.compliance()[i];
            let own = s.row(k).iter().zip(&self.rows).map(|(s, &j)| s * lambda[j as usize]);
            self.problem.b.push(face.w[i] - own.sum::<f64>());
            self.problem.laws.push(Law::Box { lo: face.lo[i], hi: face.hi[i] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{MultibodyOptions, multibody};
    use crate::pivoting::bpp::{Effort, Exit, Pivoting};
    use crate::pivoting::proximal::Round;

    /// Pivots from λ = 0 and nothing else, with decisions or without; and
    /// whether it got there.
    fn pivots(problem: &Problem, backend: Backend, decides: bool) -> Option<(Vec<f64>, usize)> {
        let mut face = Face::new(Some(backend), None);
        let mut pivoting = Pivoting::new(&bpp::Settings::default());
        face.prepare(problem);
        if decides {
            pivoting.prepare(problem, &mut face);
        }
        let mut iterate = Iterate::from_lambda(vec![0.0; problem.rows()]);
        face.start(problem, &Stop::default(), 2000, &iterate);
        let (face_, iterate, probe) = (&mut face, &mut iterate, &mut ());
        let mut round = Round { face: face_, problem, iterate, probe };
        let exit = pivoting.run(&mut round, Effort::Full);
        let found = (exit == Exit::Solved).then_some(face.counts.iterations);
        found.map(|iterations| (face.w, iterations))
    }

    #[test]
    fn decisions_end_what_wanders() {
        for backend in [Backend::Dual, Backend::Primal] {
            let (mut solved, mut plainly, mut saved) = (0, 0, 0);
            for seed in 0..60 {
                let options = MultibodyOptions { links: 20, pile: 8, ..Default::default() };
                let problem = multibody(&options, seed).expect("valid options");
                let with = pivots(&problem, backend, true);
                let without = pivots(&problem, backend, false);
                solved += usize::from(with.is_some());
                plainly += usize::from(without.is_some());
                if let (Some((w, n)), Some((plain, longer))) = (&with, &without) {
                    let pairs = w.iter().zip(plain);
                    let apart = pairs.fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()));
                    assert!(apart <= 1e-8 * problem.scale(), "seed {seed}: {apart:e}");
                    saved += longer.saturating_sub(*n);
                }
            }
            // 60, 51 and 19 when this was written.
            assert!(solved >= 58 && solved > plainly + 3, "{backend:?}: {solved}, {plainly}");
            assert!(saved > 5, "{backend:?}: {saved} faces saved");
        }
    }
}
