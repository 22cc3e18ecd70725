//! Single principal pivoting with the least-index rule (Murty).
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: solve on the face of the index set; move the first row that
//! violates its law to the set it points to; repeat until none does. Singular
//! A goes through proximal iterations.
//! **Cost** per iteration: one factorization of A_FF (or of the primal
//! matrix), one solve, two products. One row changes at a time, so there are
//! at least as many iterations as rows in the wrong set.
//! **Convergence**: finite, since the rule never repeats a set of a positive
//! definite problem.
//! **Fails**: the number of pivots can grow as 2ᵐ: 255 pivots for
//! 8 rows, 4095 for 12 (Fathi 1979; the test below). "At most m pivots" (Ho22
//! 2.5.2, Andrews22 3.1.2) is wrong. So it may end `IterationLimit`; `Cycling`
//! means that rounding made a set come back.
//! **Reference**: Murty 1974; Ho22 2.5.2; Andrews22 3.1.2. Deviation: rows
//! pivot on strict violation beyond a tolerance; Ho22 eq. 2.41 to 2.44 and
//! Andrews22 eq. 120 pivot on equality, which cycles on degenerate rows.

use crate::operator::mix;
use crate::pivoting::adaptive;
use crate::pivoting::face::Face;
use crate::pivoting::proximal::{self, Inner, Round};
use crate::report::Backend;
use crate::{Error, Iterate, Outcome, Probe, Problem, Solver, Status, Stop};

/// Settings of single principal pivoting.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on pivots. Default 100,000.
    pub max_iterations: usize,
    /// Form of the linear algebra; `None`: by predicted cost.
    pub backend: Option<Backend>,
    /// Softening of friction rows that pivot too often. Default `None`: never.
    pub adaptive: Option<adaptive::Settings>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 100_000, backend: None, adaptive: None }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        self.adaptive.as_ref().map_or(Ok(()), |a| a.validate("murty"))
    }
}

/// The method.
pub struct Murty {
    settings: Settings,
    face: Face,
}

impl Murty {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Murty { face: Face::new(settings.backend, settings.adaptive.as_ref()), settings }
    }
}

impl Solver for Murty {
    fn name(&self) -> &'static str {
        "murty"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        crate::pivoting::accepts_symmetric_boxed("murty", problem, self.settings.backend)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.face.prepare(problem);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.face.start(problem, stop, self.settings.max_iterations, iterate);
        let round = Round { face: &mut self.face, problem, iterate, probe };
        proximal::run(round, stop, &mut |round| {
            let Round { face, iterate, .. } = round;
            let mut end = pivots(face, problem, iterate);
            // λ of a nearly singular face is so long that rounding in w looks
            // like violation; a larger shift makes it shorter.
            while end == Inner::Failed(Status::Cycling) && face.is_shifted() && face.raise_shift() {
                end = pivots(face, problem, iterate);
            }
            end
        })
    }
}

/// Pivots until no row violates its law.
fn pivots(face: &mut Face, problem: &Problem, iterate: &mut Iterate) -> Inner {
    // The cycle test of Brent 1980: compare with a set that is renewed after 1, 2, 4, …
    // pivots; needs no memory of all sets.
    let (mut marked, mut left, mut span) = (None, 0_usize, 1);
    loop {
        if face.out_of_iterations() {
            return Inner::Failed(Status::IterationLimit);
        }
        if face.solve(problem, &mut iterate.lambda).is_err() {
            return Inner::Failed(Status::Singular);
        }
        let lambda = &iterate.lambda;
        let mut violated = (0..lambda.len()).map(|i| (i, face.violation(i, lambda[i])));
        let Some((i, target)) = violated.find_map(|(i, to)| Some((i, to?))) else {
            return Inner::Solved;
        };
        let hash = face.set.iter().fold(0, |h, s| mix(h, *s as u64));
        if marked == Some(hash) {
            return Inner::Failed(Status::Cycling);
        }
        if left == 0 {
            (marked, left, span) = (Some(hash), span, 2 * span);
        }
        left -= 1;
        face.pivot(i, target);
        if face.soften() {
            (marked, left, span) = (None, 0, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::solve;
    use crate::{Dense, Judge, Operator, RowState};

    /// Fathi 1979, rows in reverse: A = LᵀL, L with ones on and twos below the
    /// diagonal, b = −1.
    fn fathi(m: usize) -> Problem {
        let l = |k: usize, i: usize| if i == k { 1.0 } else { 2.0 };
        let entry = |i: usize, j: usize| (i.max(j)..m).map(|k| l(k, i) * l(k, j)).sum();
        let a = (0..m * m).map(|k| entry(k / m, k % m)).collect();
        let a = Operator::Dense(Dense::from_rows(m, a).expect("square"));
        let (lo, hi) = (vec![0.0; m], vec![f64::INFINITY; m]);
        Problem::boxed(a, vec![-1.0; m], &lo, &hi).expect("valid")
    }

    /// From the set with every row at its bound.
    fn solve_from_tight(problem: &Problem, stop: &Stop) -> crate::Report {
        let mut iterate = Iterate::from_lambda(vec![0.0; problem.rows()]);
        iterate.set = vec![RowState::Lower; problem.rows()];
        let mut solver = Murty::new(Settings::default());
        solve(&mut solver, problem, stop, &mut iterate, &mut Judge::default(), &mut ())
            .expect("accepted")
    }

    #[test]
    fn exponentially_many_pivots() {
        for (m, pivots) in [(8, 255), (10, 1023)] {
            let report = solve_from_tight(&fathi(m), &Stop::default());
            assert_eq!((report.status, report.counts.pivots), (Status::Converged, pivots));
        }
    }

    #[test]
    fn too_few_pivots_are_said_to_be_so() {
        let few = Stop { max_iterations: Some(100), ..Default::default() };
        let report = solve_from_tight(&fathi(8), &few);
        assert_eq!(report.status, Status::IterationLimit);
        assert_eq!(report.counts.iterations, 100);
    }
}
