//! Block principal pivoting, with a guaranteed end.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: solve on the face of the index set; move every row that
//! violates its law to the set it points to; repeat until none does. Then λ is
//! exact.
//! **Cost** per iteration: one factorization of A_FF (or of the primal
//! matrix), one solve, two products. From a warm start mostly 1 to 3.
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
use super::proximal::Inner;
use crate::free_solve::Breakdown;
use crate::operator::mix;
use crate::report::Backend;
use crate::{Error, Iterate, Operator, Outcome, Probe, Problem, RowState, Solver, Status, Stop};

/// Pivots with softened rows before falling back, in units of the limit on the
/// pivots of a row.
const SOFTENED_PATIENCE: usize = 8;

/// Where a tenth of the rows, and no fewer than so many, violate their law, a
/// pivot must leave less than this part, if A is definite.
const MANY: usize = 10;
const ENOUGH_FEWER: f64 = 0.9;

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
        Bpp { parts: Components::new(&settings, false), settings }
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

/// The pivoting loop and its memory of index sets.
pub(crate) struct Pivoting {
    patience: usize,
    single_pivots: usize,
    seen: Vec<u64>,
    /// Rows that violate their law, and where they must go.
    wrong: Vec<(u32, RowState)>,
    /// For rows in doubt, on the way to the answer of a whole system of bodies.
    condensed: Option<Condensed>,
    pub start: Iterate,
}

impl Pivoting {
    pub fn new(settings: &Settings) -> Self {
        Pivoting {
            patience: settings.patience,
            single_pivots: settings.single_pivots,
            seen: Vec::with_capacity(64),
            wrong: Vec::new(),
            condensed: None,
            start: Iterate::default(),
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

    /// Pivots from the set in `face`. Ends `Failed(Cycling)` when it wanders.
    pub fn run(
        &mut self,
        face: &mut Face,
        problem: &Problem,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
        brief: bool,
    ) -> Inner {
        self.seen.clear();
        face.forget_w();
        let (mut fewest, mut patience, mut singles) = (usize::MAX, self.patience, 0);
        let extra = face.adaptive.patience();
        // Softening renews the patience, so there must be another end.
        let mut left = if extra > 0 { SOFTENED_PATIENCE * extra } else { usize::MAX };
        let may_condense = !brief && extra == 0 && !face.is_shifted();
        let mut condensed = self.condensed.as_mut().filter(|_| may_condense);
        let (lambda, m) = (&mut iterate.lambda[..], problem.rows());
        if let Some(condensed) = &mut condensed {
            condensed.start(m);
        }
        loop {
            let Ok(worst) = solve_and_find(face, problem, lambda, &mut self.wrong) else {
                return Inner::Failed(Status::Singular);
            };
            let violations = self.wrong.len();
            probe.iteration(face.counts.iterations, worst);
            if violations == 0 {
                return Inner::Solved;
            }
            if face.out_of_iterations() {
                return Inner::Failed(Status::IterationLimit);
            }
            if brief && 2 * violations > fewest.min(m / 10) {
                return Inner::Failed(Status::Cycling);
            }
            if let Some(condensed) = &mut condensed {
                let are_fewer = violations < fewest;
                match condensed.decide(face, problem, lambda, &self.wrong, are_fewer) {
                    Ok(Decision::Made) => continue,
                    Ok(Decision::Open) => {}
                    Ok(Decision::GivenUp) => return Inner::Failed(Status::Cycling),
                    Err(Breakdown) => return Inner::Failed(Status::Singular),
                }
            }
            // Where many rows are wrong, pivoting either improves at once or wanders.
            let many = 10 * violations > m;
            let slow = violations as f64 > ENOUGH_FEWER * fewest as f64;
            if many && slow && violations >= MANY && extra == 0 && !face.is_shifted() {
                return Inner::Failed(Status::Cycling);
            }
            if violations < fewest {
                (fewest, patience) = (violations, extra + if many { 1 } else { self.patience });
            } else if patience == 0 {
                return Inner::Failed(Status::Cycling);
            } else {
                patience -= 1;
            }
            // Peiret19 5.3: a set seen before starts p single pivots.
            let is_old = note(&mut self.seen, &face.set);
            singles = if is_old && singles == 0 { self.single_pivots } else { singles };
            pivot(face, &self.wrong, if singles > 0 { 1 } else { usize::MAX });
            left -= 1;
            if left == 0 {
                return Inner::Failed(Status::Cycling);
            }
            if face.soften() {
                // Another problem: what was seen proves nothing.
                fewest = usize::MAX;
                self.seen.clear();
            }
            singles = singles.saturating_sub(1);
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
pub(super) fn find_violations(
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
pub(super) fn pivot(face: &mut Face, wrong: &[(u32, RowState)], limit: usize) {
    for &(i, target) in wrong.iter().rev().take(limit) {
        face.pivot(i as usize, target);
    }
}
