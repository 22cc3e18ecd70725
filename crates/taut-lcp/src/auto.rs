//! The default: picks a method for each problem, and says which and why.
//!
//! **Problem**: whatever one of the methods accepts.
//! **Update**: none of its own. It asks, in this order:
//!
//! 1. Are there Coulomb cones? Then [`cone_newton`]; where that gets stuck, if A is given by entries, [`ncp_newton`],
//!    [`cone_admm`] and [`prox_gs`].
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

use crate::cones::cone_admm::{self, ConeAdmm};
use crate::cones::cone_newton::{self, ConeNewton};
use crate::cones::ncp_newton::{self, NcpNewton};
use crate::cones::prox_gs::{self, ProxGs};
use crate::generate::Rng;
use crate::interior::lcp_ipm::{self, LcpIpm};
use crate::newton::fischer_newton::{self, FischerNewton};
use crate::pivoting::bpp::{self, Bpp};
use crate::pivoting::lemke::{self, Lemke};
use crate::polyhedral::{DIRECTIONS, Polyhedral};
use crate::rounding::NARROW;
use crate::splitting::UNBOUNDED;
use crate::splitting::schur_bpp::{self, SchurBpp};
use crate::teaching::enumerate::{self, Enumerate};
use crate::{
    Counts, Error, Iterate, Judge, Law, Operator, Outcome, Probe, Problem, RowState, Solver,
    Status, Stop,
};

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
/// Rows up to which the last resorts are tried: Lemke's method where pivoting is out of the question, and the other
/// methods for cones where `cone_newton` gets stuck.
const LARGE: usize = 4000;
/// If `bpp` gets stuck with a relative residual up to this, what is left is rounding, and no other method is tried.
const FAR_OFF: f64 = 1e-6;
/// Other points that small problems are started from where all else fails. (Of 300 bimatrix games
/// of 4 to 18 rows 8 need one; without, they end in a ray.)
const STARTS: u64 = 8;
/// Rows up to which a problem is small in that sense, and for Lemke's method after `bpp`.
const FEW: usize = 300;
/// Random starts of `ncp_newton`, and the number of rows up to which they are tried. (By choice, not by measurement.)
const CONE_STARTS: u64 = 40;
const FEW_CONES: usize = 60;
const CONES_STUCK: &str = "cone_newton got stuck";
/// What a pivot may be below zero, for each row and relative to the largest diagonal entry.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

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

/// What every method is given.
struct Task<'a> {
    problem: &'a Problem,
    stop: &'a Stop,
    iterate: &'a mut Iterate,
    probe: &'a mut dyn Probe,
}

/// What several methods in turn have come to.
#[derive(Default)]
struct Tried {
    judge: Judge,
    counts: Counts,
    /// The outcome with the best point, that point, and its residual.
    best: Option<Outcome>,
    best_lambda: Vec<f64>,
    best_residual: f64,
    /// Whether Lemke's path ended in a ray.
    is_ray: bool,
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

    /// A matrix that pivoting is not for, or where it got stuck (`before`): one method after the other. The best
    /// point of all is the answer, and its status that of the method which found it. But where Lemke's path ended in a
    /// ray, that says more; and if A is semidefinite, nothing says more than how pivoting ended, which is for those.
    fn run_general(
        &mut self,
        task: &mut Task,
        why: &'static str,
        before: Option<Outcome>,
    ) -> Outcome {
        let problem = task.problem;
        self.tried.begin(task, before);
        // `prepare` has prepared the first of these, where it chose it, and no other.
        let is_prepared = matches!(self.method, Method::General(_));
        // Where pivoting got stuck, nothing but small problems is worth Lemke's tableau.
        let lemke_rows = if before.is_some() { FEW } else { LARGE };
        let methods: [(&mut dyn Solver, usize, bool); 4] = [
            (&mut self.lcp_ipm, usize::MAX, is_prepared),
            (&mut self.fischer_newton, usize::MAX, false),
            (&mut self.lemke, lemke_rows, false),
            (&mut self.enumerate, usize::MAX, false),
        ];
        for (method, most_rows, is_prepared) in methods {
            if problem.rows() > most_rows || method.accepts(problem).is_err() {
                continue;
            }
            if !is_prepared {
                method.prepare(problem);
            }
            if let Some(outcome) = self.tried.run(method, why, task) {
                return outcome;
            }
        }
        task.iterate.lambda.clone_from(&self.tried.best_lambda);
        let mut last = self.tried.end();
        let is_ray = self.tried.is_ray;
        if is_ray && problem.rows() <= FEW {
            let elsewhere = self.run_from_elsewhere(task, last);
            if elsewhere.status == Status::Converged {
                return elsewhere;
            }
            last.counts = elsewhere.counts;
        }
        if is_ray || before.is_some() && problem.rows() <= FEW {
            last.status = match before {
                Some(before) if is_semidefinite(problem) => before.status,
                _ if is_ray => Status::Ray,
                _ => last.status,
            };
        }
        last
    }

    /// Cones that `cone_newton` gave up on: the other methods for cones in turn, each from nothing. If none of them has
    /// an answer, its own stays, with what it says of softer problems: `tried` has the best of the others then.
    fn run_cones(&mut self, task: &mut Task, before: Outcome) -> Outcome {
        let problem = task.problem;
        let own = task.iterate.lambda.clone();
        self.tried.begin(task, Some(before));
        let mut start = vec![0.0; problem.rows()];
        put_inside(problem, &mut start);
        let mut newton = NcpNewton::new(ncp_newton::Settings::default());
        if newton.accepts(problem).is_ok() {
            newton.prepare(problem);
            let starts = if problem.rows() <= FEW_CONES { CONE_STARTS } else { 0 };
            for seed in 0..=starts {
                task.iterate.lambda.clone_from(&start);
                if let Some(outcome) = self.tried.run(&mut newton, CONES_STUCK, task) {
                    return outcome;
                }
                scatter(problem, seed, &mut start);
            }
        }
        if let Some(outcome) = self.run_planes(task) {
            return outcome;
        }
        let mut sweeps: [Box<dyn Solver>; 2] = [
            Box::new(ConeAdmm::new(cone_admm::Settings::default())),
            Box::new(ProxGs::new(prox_gs::Settings::default())),
        ];
        for method in &mut sweeps {
            if method.accepts(problem).is_err() {
                continue;
            }
            method.prepare(problem);
            task.iterate.lambda.fill(0.0);
            put_inside(problem, &mut task.iterate.lambda);
            if let Some(outcome) = self.tried.run(method.as_mut(), CONES_STUCK, task) {
                return outcome;
            }
        }
        task.iterate.lambda = own;
        Outcome { counts: self.tried.counts, ..before }
    }

    /// Friction in planes, which is a linear problem in other words: the methods for those.
    fn run_planes(&mut self, task: &mut Task) -> Option<Outcome> {
        let problem = task.problem;
        let is_linear = |law: &Law| match law.coefficients() {
            Some((mu, associated)) => mu.len() == 1 && !associated,
            None => !law.is_cone(),
        };
        if !problem.laws.iter().all(is_linear) {
            return None;
        }
        let planes = Polyhedral::new(problem, *DIRECTIONS.start()).ok()?;
        let stop = task.stop.after(self.tried.counts.iterations);
        let mut inner = Iterate::from_lambda(vec![0.0; planes.problem().rows()]);
        let mut general = Auto::new(Settings {});
        general.prepare(planes.problem());
        let mut linear = Task {
            problem: planes.problem(),
            stop: &stop,
            iterate: &mut inner,
            probe: &mut *task.probe,
        };
        let outcome = general.run_general(&mut linear, CONES_STUCK, None);
        let tried = &mut self.tried;
        tried.counts.add(&outcome.counts);
        planes.impulses(&inner.lambda, &mut task.iterate.lambda);
        let verdict = tried.judge.verdict(problem, &task.iterate.lambda);
        verdict.converged(stop.tolerance).then_some(Outcome { counts: tried.counts, ..outcome })
    }

    /// `fischer_newton` from other points, none of which need be near an answer.
    fn run_from_elsewhere(&mut self, task: &mut Task, mut last: Outcome) -> Outcome {
        let Task { problem, stop, iterate, probe } = task;
        let best = &self.tried.best_lambda;
        let reach = 1.0 + best.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        for seed in 0..STARTS {
            let left = stop.after(last.counts.iterations);
            if left.max_iterations == Some(0) {
                break;
            }
            let mut rng = Rng::new(seed);
            iterate.lambda.iter_mut().for_each(|l| *l = reach * rng.uniform());
            put_inside(problem, &mut iterate.lambda);
            let outcome = self.fischer_newton.run(problem, &left, iterate, *probe);
            last.counts.add(&outcome.counts);
            if outcome.status == Status::Converged {
                let (counts, method) = (last.counts, self.fischer_newton.name());
                return Outcome { counts, method, why: last.why, ..outcome };
            }
        }
        iterate.lambda.copy_from_slice(best);
        last
    }
}

impl Tried {
    /// Forgets earlier solves. Takes over the outcome of the method that ran `before`, with its point, if one did.
    fn begin(&mut self, task: &Task, before: Option<Outcome>) {
        let lambda = &task.iterate.lambda;
        self.best_residual = f64::INFINITY;
        if before.is_some() {
            self.best_residual = self.judge.verdict(task.problem, lambda).natural_residual;
        }
        self.best_lambda.clone_from(lambda);
        self.counts = before.map_or_else(Default::default, |o| o.counts);
        self.best = before;
        self.is_ray = false;
    }

    /// Runs one more method with what is left of the limit; its outcome, if that is an answer or a proof. Else
    /// the better point is kept.
    fn run(
        &mut self,
        method: &mut dyn Solver,
        why: &'static str,
        task: &mut Task,
    ) -> Option<Outcome> {
        let Task { problem, stop, iterate, probe } = task;
        let stop = stop.after(self.counts.iterations);
        if stop.max_iterations == Some(0) {
            return None;
        }
        let outcome = method.run(problem, &stop, iterate, *probe);
        self.counts.add(&outcome.counts);
        self.counts.fell_back |= self.best.is_some();
        let mut outcome = Outcome { method: method.name(), why, ..outcome };
        let verdict = self.judge.verdict(problem, &iterate.lambda);
        if verdict.converged(stop.tolerance) || outcome.status == Status::Infeasible {
            return Some(Outcome { counts: self.counts, ..outcome });
        }
        if outcome.status == Status::Converged {
            outcome.status = Status::Stalled; // by the judge's sums
        }
        self.is_ray |= outcome.status == Status::Ray;
        let residual = verdict.natural_residual;
        if self.best.is_none() || residual < self.best_residual {
            (self.best_residual, self.best) = (residual, Some(outcome));
            self.best_lambda.clone_from(&iterate.lambda);
        }
        None
    }

    /// The outcome with the best point.
    fn end(&self) -> Outcome {
        let best = self.best.unwrap_or_else(|| Outcome::new(Status::Stalled, self.counts));
        Outcome { counts: self.counts, ..best }
    }
}

/// A start somewhere in the cones: normals as large as b would have them, times 1e-1 to 1e1.
fn scatter(problem: &Problem, seed: u64, lambda: &mut [f64]) {
    let mut rng = Rng::new(seed);
    let mut diagonal = vec![0.0; lambda.len()];
    problem.operator.diagonal(&mut diagonal);
    for (i, law) in problem.laws_by_row() {
        let unit = problem.scale() / if diagonal[i] > 0.0 { diagonal[i] } else { 1.0 };
        lambda[i] = unit * 10.0_f64.powf(2.0 * rng.uniform() - 1.0);
        let all = law.coefficients().map_or(&[][..], |(mu, _)| mu);
        for (k, mu) in all.iter().enumerate() {
            let along = (2.0 * rng.uniform() - 1.0) / (all.len() as f64).sqrt();
            lambda[i + 1 + k] = mu * along * lambda[i];
        }
    }
    put_inside(problem, lambda);
}

/// λ into its bounds.
fn put_inside(problem: &Problem, lambda: &mut [f64]) {
    for (i, law) in problem.laws_by_row() {
        let (lo, hi) = law.bounds();
        lambda[i] = lambda[i].clamp(lo, hi);
    }
}

/// Whether A + Aᵀ is semidefinite but for rounding: it has a Cholesky factor with a little more on its diagonal.
fn is_semidefinite(problem: &Problem) -> bool {
    let m = problem.rows();
    let (mut unit, mut column, mut scratch) = (vec![0.0; m], vec![0.0; m], Vec::new());
    let mut a = vec![0.0; m * m];
    for j in 0..m {
        unit[j] = 1.0;
        problem.operator.apply(&unit, &mut column, &mut scratch);
        unit[j] = 0.0;
        for i in 0..m {
            a[i * m + j] += 0.5 * column[i];
            a[j * m + i] += 0.5 * column[i];
        }
    }
    let largest = (0..m).fold(f64::MIN_POSITIVE, |s, i| s.max(a[i * m + i]));
    for j in 0..m {
        let pivot = a[j * m + j] + ROUNDING * m as f64 * largest;
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        for i in j + 1..m {
            let factor = a[i * m + j] / pivot;
            (j + 1..m).for_each(|k| a[i * m + k] -= factor * a[j * m + k]);
        }
    }
    true
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
    use crate::{Multibody, Report, Row6, Status};

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
