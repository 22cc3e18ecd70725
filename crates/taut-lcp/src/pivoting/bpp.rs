//! Block principal pivoting, with a guaranteed end.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: solve on the face of the index set; move every row that
//! violates its law to the set it points to; repeat until none does. Then λ is
//! exact.
//! **Cost** per iteration: one factorization of A_FF (or of the primal
//! matrix), one solve, two products. From a warm start mostly 1 to 3.
//! **Convergence**: finite, by the methods behind it (below); block pivoting alone has no proof.
//! **Fails**: block pivoting may cycle, or wander without ever repeating a
//! set. A cycle (an index set seen before) is answered by five single pivots.
//! Where the rows that violate their law are few and do not become fewer, they
//! are decided together (`condensed.rs`); when several pivots bring no new
//! minimum of violations all the same, an interior-point
//! method finds a set near the right one, pivoting goes on from there, and if
//! that wanders too a monotone active-set method ends it. So the answer is
//! exact, or `Infeasible` with a certificate; on ill-conditioned problems
//! rounding can leave `Stalled`.
//! **Reference**: Júdice and Pires 1994; Ho22 alg. 1; Peiret19 5.3 (cycle
//! breaking, p = 5). Deviation: rows pivot on strict violation beyond a
//! tolerance, since pivoting on equality cycles on degenerate rows.

use super::adaptive;
use super::components::Components;
use super::condensed::{self, Condensed, Decision};
use super::face::Face;
use super::ladder::Rung;
use super::proximal::{Inner, Round};
use crate::free_solve::Breakdown;
use crate::operator::mix;
use crate::report::Backend;
use crate::{Error, Iterate, Operator, Outcome, Probe, Problem, RowState, Solver, Status, Stop};

/// Where more than one in so many rows violate their law, many do: pivoting then
/// improves at once or wanders, and gets one pivot without progress instead of
/// `patience` (docs/SOLVERS.md). At one in five `redundant` of the golden counts takes
/// 3 % more factorizations; small singular problems would take fewer.
const MANY_SHARE: usize = 10;
/// Where many are wrong and A is definite, a pivot must leave less than this part of
/// them. With 0.7 or 0.99 a dozen lines of the golden counts change, the sums by less
/// than 2 %.
const ENOUGH_FEWER: f64 = 0.9;
/// A brief run must halve the violations, and begin with fewer than half of this
/// share of all rows: else the interior point gets there sooner. Twice or half of it
/// changes the pivots of `ipm` in the golden counts, its factorizations by 1 to 3 %.
const BRIEF_SHARE: usize = 10;
/// Pivots with softened rows before falling back, in units of the limit on the
/// pivots of a row: softening renews the patience, so there must be another end.
const SOFTENED_PATIENCE: usize = 8;
/// Index sets remembered without allocating; a run seldom has as many.
pub(crate) const ROOM: usize = 64;

/// Settings of block principal pivoting.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations, those of the fall-back included. Default 2,000.
    pub max_iterations: usize,
    /// Pivots without a new minimum of violations before falling back; at most
    /// one while more than a tenth of the rows violate their law, and none if A
    /// is definite, too. Default 3.
    pub patience: usize,
    /// Single pivots after a cycle. Default 5.
    pub single_pivots: usize,
    /// Form of the linear algebra; `None`: by predicted cost.
    pub backend: Option<Backend>,
    /// Softening of friction rows that pivot too often. Default `None`: never.
    pub adaptive: Option<adaptive::Settings>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_iterations: 2_000,
            patience: 3,
            single_pivots: 5,
            backend: None,
            adaptive: None,
        }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        if self.patience > 0 {
            return self.adaptive.as_ref().map_or(Ok(()), |a| a.validate("bpp"));
        }
        let value = self.patience.to_string();
        Err(Error::Setting { solver: "bpp", name: "patience", value, expected: "at least 1" })
    }
}

/// The method.
pub struct Bpp {
    settings: Settings,
    parts: Components,
}

impl Bpp {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Bpp { parts: Components::new(&settings, Rung::Pivoting), settings }
    }
}

impl Solver for Bpp {
    fn name(&self) -> &'static str {
        "bpp"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::accepts_symmetric_boxed("bpp", problem, self.settings.backend)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.parts.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.parts.run(problem, stop, iterate, probe)
    }
}

/// How long a run of pivots may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As long as there is hope.
    Full,
    /// As long as violations halve with every pivot: to try an index set.
    Brief,
}

/// Why a run of pivots ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// No row violates its law: λ is exact.
    Solved,
    /// A face could not be factored.
    Singular,
    /// The limit on iterations is reached.
    OutOfIterations,
    /// A brief run did not halve the violations.
    NotHalved,
    /// Rows in doubt were decided together, and the decisions did not hold.
    Undecided,
    /// Many rows violate their law, and a pivot left nearly as many.
    TooMany,
    /// No new minimum of violations within the patience.
    NoProgress,
    /// Softened rows go on pivoting.
    Restless,
}

impl Exit {
    /// Whether pivoting got nowhere, so that another method should go on.
    pub fn wanders(self) -> bool {
        match self {
            Exit::Solved | Exit::Singular | Exit::OutOfIterations => false,
            Exit::NotHalved | Exit::Undecided | Exit::TooMany => true,
            Exit::NoProgress | Exit::Restless => true,
        }
    }
}

impl From<Exit> for Inner {
    fn from(exit: Exit) -> Inner {
        match exit {
            Exit::Solved => Inner::Solved,
            Exit::Singular => Inner::Failed(Status::Singular),
            Exit::OutOfIterations => Inner::Failed(Status::IterationLimit),
            _ => Inner::Failed(Status::Cycling),
        }
    }
}

/// How far a run has come.
struct Course {
    /// The least number of violations so far.
    fewest: usize,
    /// Pivots left without a new minimum.
    patience: usize,
    /// Single pivots left to break a cycle.
    singles: usize,
    /// Pivots left with softened rows.
    left: usize,
}

impl Course {
    fn new(patience: usize, extra: usize) -> Self {
        let left = if extra > 0 { SOFTENED_PATIENCE * extra } else { usize::MAX };
        Course { fewest: usize::MAX, patience, singles: 0, left }
    }

    /// Whether the violations are half of the fewest, and few among m rows.
    fn halves(&self, violations: usize, m: usize) -> bool {
        2 * violations <= self.fewest.min(m / BRIEF_SHARE)
    }

    /// Whether nearly as many rows violate their law as did at best.
    fn is_slow(&self, violations: usize) -> bool {
        violations as f64 > ENOUGH_FEWER * self.fewest as f64
    }

    /// Notes a number of violations. A new minimum renews the patience; says
    /// whether some is left.
    fn spend_patience(&mut self, violations: usize, renewed: usize) -> bool {
        if violations < self.fewest {
            (self.fewest, self.patience) = (violations, renewed);
        } else if self.patience == 0 {
            return false;
        } else {
            self.patience -= 1;
        }
        true
    }

    /// How many rows may pivot at once. Peiret19 5.3: a set seen before starts p
    /// single pivots.
    fn block(&mut self, is_old: bool, p: usize) -> usize {
        if is_old && self.singles == 0 {
            self.singles = p;
        }
        let block = if self.singles > 0 { 1 } else { usize::MAX };
        self.singles = self.singles.saturating_sub(1);
        block
    }
}

/// The pivoting loop and its memory of index sets.
pub(crate) struct Pivoting {
    patience: usize,
    single_pivots: usize,
    seen: Vec<u64>,
    /// Rows that violate their law, and where they must go.
    wrong: Vec<(u32, RowState)>,
    /// For rows in doubt, on the way to the answer of a whole system of bodies.
    condensed: Option<Condensed>,
}

impl Pivoting {
    pub fn new(settings: &Settings) -> Self {
        Pivoting {
            patience: settings.patience,
            single_pivots: settings.single_pivots,
            seen: Vec::with_capacity(ROOM),
            wrong: Vec::new(),
            condensed: None,
        }
    }

    /// Memory; and rows in doubt are decided together, where bodies and the form
    /// of the linear algebra allow it.
    pub fn prepare(&mut self, problem: &Problem, face: &mut Face) {
        let m = problem.rows();
        self.wrong.clear();
        self.wrong.reserve(m);
        let has_bodies = matches!(problem.operator, Operator::Multibody(_));
        if has_bodies && face.free_solve.reserve_effective(condensed::MOST) {
            self.condensed.get_or_insert_with(Condensed::new).prepare(m);
        } else {
            self.condensed = None;
        }
    }

    /// Pivots from the set in the face.
    pub fn run(&mut self, round: &mut Round<'_>, effort: Effort) -> Exit {
        let Round { face, problem, iterate, probe } = round;
        if face.out_of_iterations() {
            return Exit::OutOfIterations;
        }
        let (lambda, m) = (&mut iterate.lambda[..], problem.rows());
        self.seen.clear();
        face.forget_w();
        // Rows that may be softened need time to be found indecisive.
        let extra = face.adaptive.patience();
        let is_definite = extra == 0 && !face.is_shifted();
        let mut course = Course::new(self.patience, extra);
        let may_condense = effort == Effort::Full && is_definite;
        let mut condensed = self.condensed.as_mut().filter(|_| may_condense);
        condensed.iter_mut().for_each(|c| c.start(m));
        loop {
            let Ok(worst) = solve_and_find(face, problem, lambda, &mut self.wrong) else {
                return Exit::Singular;
            };
            let violations = self.wrong.len();
            probe.iteration(face.counts.iterations, worst);
            if violations == 0 {
                return Exit::Solved;
            }
            if face.out_of_iterations() {
                return Exit::OutOfIterations;
            }
            if effort == Effort::Brief && !course.halves(violations, m) {
                return Exit::NotHalved;
            }
            if let Some(condensed) = &mut condensed {
                let are_fewer = violations < course.fewest;
                match condensed.decide(face, problem, lambda, &self.wrong, are_fewer) {
                    Ok(Decision::Made) => continue,
                    Ok(Decision::Open) => {}
                    Ok(Decision::GivenUp) => return Exit::Undecided,
                    Err(Breakdown) => return Exit::Singular,
                }
            }
            let are_many = MANY_SHARE * violations > m;
            if is_definite && are_many && course.is_slow(violations) {
                return Exit::TooMany;
            }
            let renewed = extra + if are_many { 1 } else { self.patience };
            if !course.spend_patience(violations, renewed) {
                return Exit::NoProgress;
            }
            let is_old = note(&mut self.seen, &face.set);
            pivot(face, &self.wrong, course.block(is_old, self.single_pivots));
            course.left -= 1;
            if course.left == 0 {
                return Exit::Restless;
            }
            if face.soften() {
                // Another problem: what was seen proves nothing.
                course.fewest = usize::MAX;
                self.seen.clear();
            }
        }
    }
}

/// Notes an index set. Says whether it was seen before.
fn note(seen: &mut Vec<u64>, set: &[RowState]) -> bool {
    let hash = set.iter().fold(0, |h, s| mix(h, *s as u64));
    let is_old = seen.contains(&hash);
    seen.push(hash);
    is_old
}

/// The face solution, good if no row violates its law, and the rows that do.
fn solve_and_find(
    face: &mut Face,
    problem: &Problem,
    lambda: &mut [f64],
    wrong: &mut Vec<(u32, RowState)>,
) -> Result<f64, Breakdown> {
    face.solve_roughly(problem, lambda)?;
    let worst = find_violations(face, lambda, wrong);
    if wrong.is_empty() && face.refine(problem, lambda)? {
        return Ok(find_violations(face, lambda, wrong));
    }
    Ok(worst)
}

/// The rows that violate their law, where they must go, and the largest violation
/// \[m/s\].
pub(crate) fn find_violations(
    face: &Face,
    lambda: &[f64],
    wrong: &mut Vec<(u32, RowState)>,
) -> f64 {
    wrong.clear();
    let mut worst = 0.0_f64;
    for i in 0..lambda.len() {
        let Some(target) = face.violation(i, lambda[i]) else { continue };
        wrong.push((i as u32, target));
        let size = match face.set[i] {
            RowState::Free => {
                face.diagonal[i] * (face.lo[i] - lambda[i]).max(lambda[i] - face.hi[i])
            }
            _ => face.gradient(i, lambda[i]).abs(),
        };
        worst = worst.max(size);
    }
    worst
}

/// Moves violating rows, the last ones first, at most `limit` of them.
pub(crate) fn pivot(face: &mut Face, wrong: &[(u32, RowState)], limit: usize) {
    for &(i, target) in wrong.iter().rev().take(limit) {
        face.pivot(i as usize, target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_and_is_renewed() {
        let mut course = Course::new(2, 0);
        assert!(course.spend_patience(7, 2), "the first is a minimum");
        assert!(course.spend_patience(9, 2) && course.spend_patience(7, 2), "two without one");
        assert!(!course.spend_patience(8, 2), "the third ends it");
        assert!(course.spend_patience(6, 1) && course.spend_patience(6, 1), "renewed by a minimum");
        assert!(!course.spend_patience(6, 1));
    }

    #[test]
    fn brief_runs_must_halve_and_slow_ones_are_told() {
        let mut course = Course::new(3, 0);
        assert!(course.halves(5, 100) && !course.halves(6, 100), "a twentieth at first");
        course.spend_patience(4, 3);
        assert!(course.halves(2, 100) && !course.halves(3, 100));
        assert!(!course.is_slow(3) && course.is_slow(4));
    }

    #[test]
    fn an_old_set_starts_single_pivots() {
        let mut course = Course::new(3, 0);
        let blocks = [false, true, false, true, false].map(|is_old| course.block(is_old, 3));
        assert_eq!(blocks, [usize::MAX, 1, 1, 1, usize::MAX]);
    }

    #[test]
    fn only_softened_rows_have_a_last_pivot() {
        assert_eq!(Course::new(3, 0).left, usize::MAX);
        assert_eq!(Course::new(3, 2).left, 2 * SOFTENED_PATIENCE);
    }

    #[test]
    fn exits_say_what_happens_next() {
        assert_eq!(Inner::from(Exit::Solved), Inner::Solved);
        assert_eq!(Inner::from(Exit::Singular), Inner::Failed(Status::Singular));
        assert_eq!(Inner::from(Exit::OutOfIterations), Inner::Failed(Status::IterationLimit));
        for exit in
            [Exit::NotHalved, Exit::Undecided, Exit::TooMany, Exit::NoProgress, Exit::Restless]
        {
            assert!(exit.wanders());
            assert_eq!(Inner::from(exit), Inner::Failed(Status::Cycling));
        }
        assert!(![Exit::Solved, Exit::Singular, Exit::OutOfIterations].iter().any(|e| e.wanders()));
    }

    #[test]
    fn an_old_set_is_known_again() {
        let (mut seen, set) = (Vec::new(), [RowState::Free, RowState::Upper]);
        assert!(!note(&mut seen, &set) && note(&mut seen, &set));
        assert!(!note(&mut seen, &[RowState::Upper, RowState::Free]));
    }
}
