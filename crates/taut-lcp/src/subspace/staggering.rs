//! Staggering: normal impulses and friction in turn, each solved exactly.
//!
//! **Problem**: boxed rows, symmetric positive semidefinite A; meant for friction boxes
//! whose bounds follow their normal impulse (`Law::FollowingBox`).
//! **Update**: solve all rows without friction for given friction impulses; freeze the
//! bounds ±μλₙ; solve the friction rows for given others; and again. Both are convex
//! programs, solved by any method of the registry, from the answer of the round before.
//! **Cost** per round: two solves; factors are not shared between the two.
//! **Convergence**: none is proven. With frozen bounds it is block descent of the energy
//! and converges; with bounds that follow, it may cycle where friction jams normal rows
//! (`Stalled`: no fixed point within reach; the best round is the answer).
//! **Fails**: as said; slow where normal rows and friction act strongly on each other.
//! **Reference**: Erleben13 8, eq. 110 to 112; Andrews22 3.2.5; Kaufman et al. 2008;
//! Lötstedt 1984. Deviation: boxes, not polyhedra, bound the friction.

use crate::registry::SolverConfig;
use crate::residual::verdict;
use crate::{
    Counts, Dense, Error, Iterate, Judge, Law, Multibody, Operator, Outcome, Probe, Problem,
    Solver, Sparse, Status, Stop,
};

/// Settings of staggering.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on rounds. Default 1,000.
    pub max_iterations: usize,
    /// The method that solves each half. Default `bpp`.
    pub inner: Box<SolverConfig>,
}

impl Default for Settings {
    fn default() -> Self {
        let inner = SolverConfig::Bpp(crate::pivoting::bpp::Settings::default());
        Settings { max_iterations: 1000, inner: Box::new(inner) }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        if matches!(*self.inner, SolverConfig::Staggering(_)) {
            let (value, expected) = ("staggering".into(), "another method");
            return Err(Error::Setting { solver: "staggering", name: "inner", value, expected });
        }
        self.inner.build().map(drop)
    }
}

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Rounds without a new least residual that end it.
const PATIENCE: usize = 60;

/// Rows that are solved together.
struct Half {
    rows: Vec<u32>,
    problem: Problem,
    solver: Option<Box<dyn Solver>>,
    iterate: Iterate,
    judge: Judge,
    bodies: Vec<u32>,
    image: Vec<f64>,
    scratch: Vec<f64>,
}

impl Half {
    fn new(solver: Option<Box<dyn Solver>>) -> Self {
        let operator = Operator::Dense(Dense::identity(0));
        Half {
            rows: Vec::new(),
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            solver,
            iterate: Iterate::default(),
            judge: Judge::default(),
            bodies: Vec::new(),
            image: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn prepare(&mut self, problem: &Problem, is_mine: impl Fn(&Law) -> bool) {
        self.rows.clear();
        let mine = problem.laws_by_row().filter(|(_, law)| is_mine(law));
        self.rows.extend(mine.map(|(row, _)| row as u32));
        restrict(&problem.operator, &self.rows, &mut self.bodies, &mut self.problem.operator);
        self.problem.b.clear();
        self.problem.b.resize(self.rows.len(), 0.0);
        self.problem.laws.clear();
        self.problem.laws.resize(self.rows.len(), Law::Bilateral);
        self.image.resize(self.rows.len(), 0.0);
        // Memory for a half that may be solved at the start already.
        for (law, &i) in self.problem.laws.iter_mut().zip(&self.rows) {
            *law = match problem.laws[i as usize] {
                Law::Bilateral => Law::Bilateral,
                other => {
                    let (lo, hi) = other.bounds();
                    Law::Box { lo, hi }
                }
            };
        }
        if let Some(solver) = &mut self.solver
            && solver.accepts(&self.problem).is_ok()
        {
            solver.prepare(&self.problem);
        }
    }

    /// Solves the rows of this half for λ, whose w is known.
    fn solve(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        lambda: &mut [f64],
        w: &[f64],
        counts: &mut Counts,
    ) -> Status {
        let Some(solver) = &mut self.solver else { return Status::Stalled };
        if self.rows.is_empty() {
            return Status::Converged;
        }
        let start = &mut self.iterate.lambda;
        start.clear();
        start.extend(self.rows.iter().map(|&i| lambda[i as usize]));
        self.problem.operator.apply(start, &mut self.image, &mut self.scratch);
        for (k, &i) in self.rows.iter().enumerate() {
            self.problem.b[k] = w[i as usize] - self.image[k];
            self.problem.laws[k] = match problem.laws[i as usize] {
                Law::FollowingBox { normal, mu } => {
                    let bound = mu * lambda[normal].max(0.0);
                    Law::Box { lo: -bound, hi: bound }
                }
                Law::FrictionBox { bound, .. } => Law::Box { lo: -bound, hi: bound },
                law => law,
            };
        }
        // The judge of the whole decides in the end; its scale is that of all rows.
        let share = problem.scale() / self.problem.scale();
        let stop = Stop { tolerance: (0.1 * stop.tolerance * share).min(1e-3), ..*stop };
        let report = crate::solver::solve(
            solver.as_mut(),
            &self.problem,
            &stop,
            &mut self.iterate,
            &mut self.judge,
            &mut (),
        );
        let Ok(report) = report else { return Status::Stalled };
        counts.inner += report.counts.iterations;
        counts.factorizations += report.counts.factorizations;
        counts.pivots += report.counts.pivots;
        for (k, &i) in self.rows.iter().enumerate() {
            lambda[i as usize] = self.iterate.lambda[k];
        }
        report.status
    }
}

/// The rows and columns `rows` of A, in the memory of a part of the same form.
fn restrict(a: &Operator, rows: &[u32], bodies: &mut Vec<u32>, part: &mut Operator) {
    match (a, part) {
        (Operator::Dense(a), Operator::Dense(part)) => {
            part.reshape(rows.len());
            let values = part.values_mut().chunks_exact_mut(rows.len().max(1));
            for (own, &i) in values.zip(rows) {
                own.iter_mut().zip(rows).for_each(|(v, &j)| *v = a.get(i as usize, j as usize));
            }
        }
        (Operator::Sparse(a), Operator::Sparse(part)) => {
            part.clear();
            for &i in rows {
                let (columns, values) = a.row(i as usize);
                let mine = columns.iter().zip(values);
                let mine = mine.filter_map(|(j, v)| Some((rows.binary_search(j).ok()? as u32, *v)));
                part.push_entries(mine);
            }
        }
        (Operator::Multibody(a), Operator::Multibody(part)) => {
            bodies.clear();
            bodies.extend(0..a.body_count() as u32);
            part.fill_from(a, bodies, rows, bodies);
        }
        (a, part) => {
            *part = match a {
                // (Symmetric as it is; its own form is for others.)
                Operator::Dense(_) | Operator::General(_) => Operator::Dense(Dense::identity(0)),
                Operator::Sparse(_) => Operator::Sparse(Sparse::from_pattern(vec![0], Vec::new())),
                Operator::Multibody(_) => Operator::Multibody(Multibody::default()),
            };
            if let Operator::General(a) = a {
                let values = rows.iter().flat_map(|&i| rows.iter().map(move |&j| (i, j)));
                let values = values.map(|(i, j)| a.get(i as usize, j as usize)).collect();
                if let Ok(dense) = Dense::from_rows(rows.len(), values) {
                    *part = Operator::Dense(dense);
                }
            } else {
                restrict(a, rows, bodies, part);
            }
        }
    }
}

/// The method.
pub struct Staggering {
    settings: Settings,
    halves: [Half; 2],
    diagonal: Vec<f64>,
    best: Vec<f64>,
    scratch: Vec<f64>,
}

impl Staggering {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        // (`validate` has built it before.)
        let halves = [(); 2].map(|()| Half::new(settings.inner.build().ok()));
        Staggering { settings, halves, diagonal: Vec::new(), best: Vec::new(), scratch: Vec::new() }
    }

    fn residual(&mut self, problem: &Problem, iterate: &mut Iterate) -> f64 {
        problem.operator.apply(&iterate.lambda, &mut iterate.w, &mut self.scratch);
        iterate.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        verdict(problem, &iterate.lambda, &iterate.w, &self.diagonal).natural_residual
    }
}

impl Solver for Staggering {
    fn name(&self) -> &'static str {
        "staggering"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        crate::pivoting::accepts_symmetric_boxed("staggering", problem, None)
    }

    fn takes_following_bounds(&self) -> bool {
        true
    }

    fn prepare(&mut self, problem: &Problem) {
        let is_friction =
            |law: &Law| matches!(law, Law::FrictionBox { .. } | Law::FollowingBox { .. });
        self.halves[0].prepare(problem, |law| !is_friction(law));
        self.halves[1].prepare(problem, is_friction);
        self.diagonal.resize(problem.rows(), 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        self.best.resize(problem.rows(), 0.0);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let tolerance = stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let inner = Stop { max_iterations: None, ..*stop };
        let mut counts = Counts::default();
        let (mut best, mut since) = (f64::INFINITY, 0);
        let status = loop {
            let residual = self.residual(problem, iterate);
            if counts.iterations > 0 {
                probe.iteration(counts.iterations, residual);
            }
            since += 1;
            if residual < best {
                since = if residual < 0.9 * best { 0 } else { since };
                best = residual;
                self.best.copy_from_slice(&iterate.lambda);
            }
            if residual <= tolerance {
                break Status::Converged;
            }
            if !residual.is_finite() {
                break Status::NonFinite;
            }
            if since > PATIENCE {
                break Status::Stalled;
            }
            if counts.iterations >= limit {
                break Status::IterationLimit;
            }
            counts.iterations += 1;
            let Iterate { lambda, w, .. } = iterate;
            let normal = self.halves[0].solve(problem, &inner, lambda, w, &mut counts);
            if normal == Status::Infeasible {
                break Status::Stalled;
            }
            problem.operator.apply(lambda, w, &mut self.scratch);
            w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
            self.halves[1].solve(problem, &inner, lambda, w, &mut counts);
        };
        if best.is_finite() {
            iterate.lambda.copy_from_slice(&self.best);
        }
        Outcome::new(status, counts)
    }
}
