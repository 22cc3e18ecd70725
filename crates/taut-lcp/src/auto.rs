//! The default: picks a method for each problem, and says which and why.
//!
//! **Problem**: whatever one of the methods accepts.
//! **Update**: none of its own. It asks, in this order:
//!
//! 1. Are there Coulomb cones? Then [`cone_newton`]; where that gets stuck, if A is given by entries and has no more than 4,000
//!    rows, `ncp_newton` from several starts; friction in planes as the linear problem that it is, by the methods of point 3;
//!    `cone_admm` and `prox_gs`.
//! 2. Is A symmetric? Then [`bpp`], which chooses the form of its linear algebra by counted multiplications and
//!    always ends (docs/bench/substructuring.md has the measurements). One exception: where subsystems are named, few
//!    rows act between them, most rows with bounds are among those few, and some of these are about to pivot,
//!    [`schur_bpp`] pivots on the interface alone. That is up to a fifth faster on large nets, and slower elsewhere.
//! 3. Is A not symmetric, or does it turn out not to be semidefinite (a negative diagonal, or `bpp` gets stuck far
//!    from an answer)? Then [`lcp_ipm`]; if that fails [`fischer_newton`]; then [`lemke`], which may prove that
//!    there is no answer; and [`enumerate`] for small problems. Where `lemke` ends in a ray that proves nothing,
//!    because A is not monotone, `fischer_newton` tries a few random starts. (`lemke` does not come first, although it is as
//!    fast below 60 rows: its tableau fails on 99 of 240 blocks of a body on four contacts with little compliance.)
//!
//! The choice depends on the problem and its start alone, never on the number of threads or on earlier solves: the
//! answers of two methods differ in their last bits, and these must be the same on every machine. So `schur_bpp` is
//! taken only where it wins on one thread.
//! **Cost**, **Convergence**, **Fails**: those of the method chosen, which
//! [`Report::choice`](crate::Report) names in one line.
//! **Reference**: none; the choice is by measurement (BENCHMARKS.md).

mod rescue;

use self::rescue::{LARGE, Task, Tried};
use crate::cones::cone_newton::{self, ConeNewton};
use crate::interior::lcp_ipm::{self, LcpIpm};
use crate::newton::fischer_newton::{self, FischerNewton};
use crate::pivoting::bpp::{self, Bpp};
use crate::pivoting::lemke::{self, Lemke};
use crate::rounding::NARROW;
use crate::splitting::UNBOUNDED;
use crate::splitting::schur_bpp::{self, SchurBpp};
use crate::teaching::enumerate::{self, Enumerate};
use crate::{Error, Iterate, Operator, Outcome, Probe, Problem, RowState, Solver, Status, Stop};

// The limits of `schur_bpp` are from docs/bench/substructuring.md, "What `auto` costs".

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Rows from which on splitting is worth its overhead.
const LEAST_SPLIT: usize = 4000;
/// Split only if at most one row in so many is on the interface: its matrix is dense.
const SMALL: usize = 10;
/// Split only if so many times more rows with bounds act between subsystems than within them.
const WITHIN: usize = 2;
/// Split only if at least so many rows of the interface are about to pivot: without pivots `bpp` is faster.
const LEAST_PIVOTS: usize = 20;
/// If `bpp` gets stuck with a relative residual up to this, what is left is rounding, and no other method is tried.
const FAR_OFF: f64 = 1e-6;

/// Settings of the choice.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {}

impl Settings {
    /// Nothing can be wrong.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The methods to choose from.
pub struct Auto {
    bpp: Bpp,
    schur_bpp: SchurBpp,
    lemke: Lemke,
    lcp_ipm: LcpIpm,
    fischer_newton: FischerNewton,
    cone_newton: ConeNewton,
    enumerate: Enumerate,
    method: Method,
    tried: Tried,
}

/// What `prepare` has chosen.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    Bpp,
    SchurBpp,
    /// One of the two above: `run` decides by the start, and prepares the one that it takes.
    ByStart,
    /// The methods of `run_general`, of which `lcp_ipm` is the first; and why.
    General(&'static str),
    ConeNewton,
}

impl Auto {
    /// A solver with these settings.
    pub fn new(_: Settings) -> Self {
        Auto {
            bpp: Bpp::new(bpp::Settings::default()),
            schur_bpp: SchurBpp::new(schur_bpp::Settings::default()),
            lemke: Lemke::new(lemke::Settings::default()),
            lcp_ipm: LcpIpm::new(lcp_ipm::Settings::default()),
            fischer_newton: FischerNewton::new(fischer_newton::Settings::default()),
            cone_newton: ConeNewton::new(cone_newton::Settings::default()),
            method: Method::Bpp,
            enumerate: Enumerate::new(enumerate::Settings::default()),
            tried: Tried::default(),
        }
    }

    /// The method in use, and why, where that is not plain from its own words.
    fn chosen(&mut self) -> (&mut dyn Solver, &'static str) {
        match self.method {
            Method::Bpp | Method::ByStart => (&mut self.bpp, ""),
            Method::SchurBpp => (&mut self.schur_bpp, "rows between subsystems pivot"),
            Method::General(why) => (&mut self.lcp_ipm, why),
            Method::ConeNewton => (&mut self.cone_newton, ""),
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        let accepts = if problem.has_cones() {
            self.cone_newton.accepts(problem)
        } else {
            self.bpp.accepts(problem).or_else(|_| self.lcp_ipm.accepts(problem))
        };
        accepts.map_err(|e| match e {
            Error::Refused { reason, .. } => Error::Refused { solver: "auto", reason },
            other => other,
        })
    }

    fn prepare(&mut self, problem: &Problem) {
        // (A refusal allocates its reason.)
        self.method = if problem.has_cones() {
            Method::ConeNewton
        } else if self.bpp.accepts(problem).is_err() {
            Method::General(why_general(&problem.operator))
        } else if is_divisible(problem) {
            Method::ByStart
        } else {
            Method::Bpp
        };
        if self.method != Method::ByStart {
            self.chosen().0.prepare(problem);
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        if self.method == Method::ByStart {
            let pivots = points_to_pivots(problem, iterate);
            self.method = if pivots { Method::SchurBpp } else { Method::Bpp };
            self.chosen().0.prepare(problem);
        }
        let mut task = Task { problem, stop, iterate, probe };
        if let Method::General(why) = self.method {
            return self.run_general(&mut task, why, None);
        }
        let (solver, why) = self.chosen();
        let method = solver.name();
        let outcome = solver.run(problem, stop, task.iterate, task.probe);
        let outcome = Outcome { method, ..outcome };
        // Matrices of bodies are semidefinite; others may not be, or have boxes as large as rounding's inverse.
        if is_stuck(&outcome) && !matches!(problem.operator, Operator::Multibody(_)) {
            let verdict = self.tried.judge.verdict(problem, &task.iterate.lambda);
            if self.method == Method::Bpp && verdict.relative_residual > FAR_OFF {
                let why = "pivoting got stuck, as where the matrix is not semidefinite";
                return self.run_general(&mut task, why, Some(outcome));
            }
            if self.method == Method::ConeNewton && problem.rows() <= LARGE {
                return self.run_cones(&mut task, outcome);
            }
        }
        let why = if why.is_empty() { outcome.why } else { why };
        Outcome { why, ..outcome }
    }
}

/// Whether another method may have an answer where this one has none.
fn is_stuck(outcome: &Outcome) -> bool {
    matches!(outcome.status, Status::Stalled | Status::Cycling | Status::Singular)
}

/// Why pivoting is not for a matrix.
fn why_general(a: &Operator) -> &'static str {
    match a {
        a if !a.is_symmetric() => "the matrix is not symmetric",
        Operator::General(_) => "the matrix is stored without symmetry",
        _ => "the diagonal has a negative entry",
    }
}

/// Whether subsystems are named, with few rows between them but most of the rows
/// with bounds.
fn is_divisible(problem: &Problem) -> bool {
    let Operator::Multibody(a) = &problem.operator else { return false };
    if a.rows() < LEAST_SPLIT || (0..a.body_count()).any(|b| a.subsystem(b).is_none()) {
        return false;
    }
    let (mut interface, mut within, mut between) = (0, 0, 0);
    for (i, law) in problem.laws_by_row() {
        let of = |b: u32| a.subsystem(b as usize);
        let is_within = a.row(i).0.windows(2).all(|p| of(p[0]) == of(p[1]));
        interface += usize::from(!is_within);
        if law.bounds() != UNBOUNDED {
            *(if is_within { &mut within } else { &mut between }) += 1;
        }
    }
    interface <= a.rows() / SMALL && between > WITHIN * within
}

/// Whether the start points to pivots: a projected Jacobi step from λ, whose w is
/// known, leaves the index set. Without a set everything may pivot.
fn points_to_pivots(problem: &Problem, start: &Iterate) -> bool {
    let Operator::Multibody(a) = &problem.operator else { return false };
    if start.set.len() != problem.rows() {
        return true;
    }
    // Narrow boxes have nothing to pivot.
    let narrow = NARROW * problem.scale();
    let mut pivots = 0;
    for (i, law) in problem.laws_by_row() {
        let ((lo, hi), diagonal) = (law.bounds(), a.diagonal_entry(i));
        if (lo, hi) == UNBOUNDED || diagonal * (hi - lo) <= narrow {
            continue;
        }
        let next = diagonal * start.lambda[i] - start.w[i];
        let state = if next <= diagonal * lo {
            RowState::Lower
        } else if next >= diagonal * hi {
            RowState::Upper
        } else {
            RowState::Free
        };
        pivots += usize::from(state != start.set[i]);
    }
    pivots >= LEAST_PIVOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{WallOptions, contact, wall};
    use crate::solver::solve;
    use crate::{Judge, Law, Multibody, Report, Row6};

    const LINKS: u32 = 670;

    /// Two chains of 670 bodies on rods of three rows, whose ends touch; or not
    /// each other, but one the ground.
    fn chains(touch: bool) -> Problem {
        let mut a = Multibody::default();
        let mut laws = Vec::new();
        let axis = |k: usize, sign: f64| -> Row6 {
            std::array::from_fn(|i| if i == k { sign } else { 0.0 })
        };
        for chain in 0..2 {
            for link in 0..LINKS {
                let mass =
                    std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
                let body = a.push_body(mass).expect("definite");
                a.set_subsystem(body as usize, Some(chain));
                for k in 0..3 {
                    let row = [(body.wrapping_sub(1), axis(k, -1.0)), (body, axis(k, 1.0))];
                    let parts = if link == 0 { &row[1..] } else { &row[..] };
                    a.push_row(parts, 1e-6).expect("in order");
                    laws.push(Law::Bilateral);
                }
            }
        }
        let end = if touch {
            vec![(LINKS - 1, axis(2, -1.0)), (2 * LINKS - 1, axis(2, 1.0))]
        } else {
            vec![(2 * LINKS - 1, axis(2, 1.0))]
        };
        a.push_row(&end, 1e-6).expect("in order");
        laws.push(Law::Box { lo: 0.0, hi: f64::INFINITY });
        let b = (0..a.rows()).map(|i| (i as f64).sin() - 0.5).collect();
        Problem { operator: Operator::Multibody(a), b, laws }
    }

    fn run(problem: &Problem, solver: &mut dyn Solver) -> (Report, Iterate) {
        let mut iterate = Iterate::default();
        let (stop, mut judge) = (Stop::default(), Judge::default());
        let report = solve(solver, problem, &stop, &mut iterate, &mut judge, &mut ());
        (report.expect("accepted"), iterate)
    }

    #[test]
    fn picks_by_what_couples() {
        let skewed = contact(1, 3).expect("valid");
        let cones = wall(&WallOptions { layers: 1, ..Default::default() }).expect("valid");
        let cases = [
            (chains(true), "schur_bpp"),
            (chains(false), "bpp"),
            (skewed, "lcp_ipm"),
            (cones, "cone_newton"),
        ];
        for (problem, method) in &cases {
            let mut auto = Auto::new(Settings::default());
            let (report, answer) = run(problem, &mut auto);
            assert_eq!((report.status, report.choice.method), (Status::Converged, *method));
            if !["lcp_ipm", "cone_newton"].contains(method) {
                let (_, exact) = run(problem, &mut Bpp::new(bpp::Settings::default()));
                let pairs = answer.lambda.iter().zip(&exact.lambda);
                assert!(pairs.fold(0.0_f64, |d, (a, b)| d.max((a - b).abs())) < 1e-6, "{method}");
            }
        }
        // From its answer, with another b, nothing pivots.
        let mut auto = Auto::new(Settings::default());
        let (_, mut answer) = run(&cases[0].0, &mut auto);
        assert_eq!(answer.subsystems.len(), 2 * LINKS as usize);
        let mut next = cases[0].0.clone();
        next.b.iter_mut().for_each(|b| *b *= 1.01);
        let (stop, mut judge) = (Stop::default(), Judge::default());
        let report = solve(&mut auto, &next, &stop, &mut answer, &mut judge, &mut ());
        let report = report.expect("accepted");
        assert_eq!((report.status, report.choice.method), (Status::Converged, "bpp"));
        assert!(answer.subsystems.is_empty());
        assert!(
            run(&cases[0].0, &mut Auto::new(Settings::default()))
                .0
                .choice
                .to_string()
                .contains("subsystems")
        );
    }
}
