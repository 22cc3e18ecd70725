//! Proximal ADMM: one linear solve with all rows, one projection onto each cone.
//!
//! **Problem**: cones, bilateral and boxed rows; A symmetric positive semidefinite,
//! or not symmetric with a small skew part (dense matrices).
//! **Update**, with penalties D on the diagonal and the dual velocity y:
//! (A + D)x = y + Dz − b − s; z = P(x̂ − D⁻¹y); y ← y − D(x̂ − z), where
//! x̂ = αx + (1 − α)z is over-relaxed and P projects onto the laws in the metric
//! D: ρAₙₙ on the normal of a cone, ρAₙₙ/μ² on its tangents, so that the cone is the
//! circular one of [`crate::residual`]; ρAᵢᵢ on boxed rows, and a small constant on
//! bilateral ones, which have nothing to project.
//! s = |μ y_t| on normal rows is De Saxcé's correction, taken anew from y in every
//! iteration; 0 for associated cones. A skew part of A acts on the last x.
//! **Penalty**: phase after phase ρ is doubled or halved, on in the direction in which
//! the residual falls faster; up where it does not fall, down where it stands still
//! (λ drifts along the null space of A). The best λ is the answer.
//! **Cost** per iteration: one substitution; one factorization per penalty, in the
//! form that is cheapest (`free_solve/`).
//! **Convergence**: linear for boxes and associated cones with ρ fixed; nothing is
//! proven with De Saxcé's correction. 14 of 19 FCLIB problems reach 1e-8 in 10,000
//! iterations, 18 reach 1e-6.
//! **Fails**: last digits are slow where contacts are redundant (`IterationLimit`);
//! `Singular` if A + D cannot be factored.
//! **Reference**: Carpentier, Le Lidec and Montaut 2024; Tasora et al. 2021; Boyd et
//! al. 2011, 3.4.1 and 3.4.3.

use super::blocks::{self, Compressed};
use crate::free_solve::FreeSolve;
use crate::report::Backend;
use crate::residual::{length, project_cone, verdict};
use crate::{
    Counts, Dense, Error, Iterate, Law, Operator, Outcome, Probe, Problem, RowState, Solver,
    Sparse, Status, Stop,
};

/// Penalty of bilateral rows, as a share of their diagonal.
const BILATERAL: f64 = 1e-6;
/// Looks at the residual before the penalty changes, and by how much it does.
const PHASE: usize = 10;
const STEP: f64 = 2.0;
/// A residual that stays within this ratio through a phase stands still.
const DRIFT: f64 = 1.1;
/// Sum of a row's skew entries, in units where diagonals are one, beyond which treating
/// them with the last x is hopeless.
const MOST_SKEW: f64 = 0.5;
/// The range of ρ.
const RANGE: (f64, f64) = (1e-6, 1e2);
/// Iterations between two looks at the exact residual.
const CHECK: usize = 10;

/// Settings of proximal ADMM.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on iterations. Default 10,000.
    pub max_iterations: usize,
    /// The first penalty ρ, relative to the diagonal of A, above 0. Default 0.1.
    pub penalty: f64,
    /// Whether ρ adapts. Default yes.
    pub adaptive: bool,
    /// Over-relaxation α, above 0 and below 2. Default 1.6.
    pub relaxation: f64,
    /// Linear algebra; `None`: the cheapest.
    pub backend: Option<Backend>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_iterations: 10_000,
            penalty: 0.1,
            adaptive: true,
            relaxation: 1.6,
            backend: None,
        }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        let bad = |name, value: f64, expected| {
            let value = value.to_string();
            Err(Error::Setting { solver: "cone_admm", name, value, expected })
        };
        if !(self.penalty >= RANGE.0 && self.penalty <= RANGE.1) {
            return bad("penalty", self.penalty, "from 1e-6 to 100");
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return bad("relaxation", self.relaxation, "above 0 and below 2");
        }
        Ok(())
    }
}

/// The method.
pub struct ConeAdmm {
    settings: Settings,
    free: FreeSolve,
    /// The symmetric part of A where A is not symmetric.
    symmetric: Option<Problem>,
    compressed: Compressed,
    set: Vec<RowState>,
    diagonal: Vec<f64>,
    /// D/ρ, and D.
    weight: Vec<f64>,
    d: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    s: Vec<f64>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    w: Vec<f64>,
    /// The best λ seen.
    best: Vec<f64>,
    scratch: Vec<f64>,
}

/// Finds a penalty by what it brings: phase after phase ρ goes on in the direction in
/// which the residual falls faster.
#[derive(Clone, Copy, Debug)]
struct Climb {
    looks: usize,
    /// Largest and least residual of this phase, the least of the one before, and how it
    /// fell then.
    most: f64,
    least: f64,
    before: f64,
    rate: f64,
    direction: f64,
    /// Whether the end of the range was met.
    turned: bool,
}

impl Default for Climb {
    fn default() -> Self {
        let far = f64::INFINITY;
        Climb {
            looks: 0,
            most: 0.0,
            least: far,
            before: far,
            rate: far,
            direction: STEP,
            turned: false,
        }
    }
}

impl Climb {
    /// What ρ is to be multiplied by.
    fn look(&mut self, residual: f64) -> f64 {
        self.least = self.least.min(residual);
        self.most = self.most.max(residual);
        self.looks += 1;
        if self.looks < PHASE {
            return 1.0;
        }
        let rate = self.least / self.before;
        if rate > 1.0 / DRIFT && self.most < DRIFT * self.least {
            // λ drifts along directions that A does not feel, the faster the smaller ρ.
            self.direction = 1.0 / STEP;
        } else if rate >= 1.0 && !self.turned {
            // With little penalty De Saxcé's correction may oscillate.
            self.direction = STEP;
        } else if rate > self.rate {
            self.direction = 1.0 / self.direction;
        }
        *self =
            Climb { looks: 0, most: 0.0, least: f64::INFINITY, before: self.least, rate, ..*self };
        self.direction
    }

    /// The range of ρ ends here.
    fn turn(&mut self) {
        (self.direction, self.turned) = (1.0 / self.direction, true);
    }
}

impl ConeAdmm {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        ConeAdmm {
            free: FreeSolve::new(settings.backend),
            settings,
            symmetric: None,
            compressed: Compressed::default(),
            set: Vec::new(),
            diagonal: Vec::new(),
            weight: Vec::new(),
            d: Vec::new(),
            x: Vec::new(),
            y: Vec::new(),
            s: Vec::new(),
            rhs: Vec::new(),
            step: Vec::new(),
            w: Vec::new(),
            best: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Weights of the penalty, row by row.
    fn weigh(&mut self, problem: &Problem) {
        let m = problem.rows();
        self.diagonal.resize(m, 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        let (weight, diagonal) = (&mut self.weight, &self.diagonal);
        weight.resize(m, 0.0);
        for (i, law) in problem.laws_by_row() {
            let a = if diagonal[i] > 0.0 { diagonal[i] } else { 1.0 };
            weight[i] = a;
            if let Some((mu, _)) = law.coefficients() {
                for k in 0..mu.len() {
                    // Without friction the tangent is fixed at zero; any weight will do.
                    weight[i + 1 + k] = if mu[k] > 0.0 { a / (mu[k] * mu[k]) } else { a };
                }
            }
        }
    }

    fn take_symmetric_part(&mut self, a: &Dense) {
        self.compressed.fill(a);
        let part = self.symmetric.get_or_insert_with(|| {
            let operator = Operator::Sparse(Sparse::from_pattern(vec![0], Vec::new()));
            Problem { operator, b: Vec::new(), laws: Vec::new() }
        });
        part.b.resize(a.rows(), 0.0);
        part.laws.resize(a.rows(), Law::Bilateral);
        if let Operator::Sparse(sparse) = &mut part.operator {
            fill_symmetric(a, sparse, &mut self.scratch);
        }
        self.free.prepare(part);
    }

    fn factor(&mut self, problem: &Problem, rho: f64, counts: &mut Counts) -> bool {
        self.d.clear();
        self.d.extend(self.weight.iter().map(|w| rho * w));
        for (i, law) in problem.laws_by_row() {
            if matches!(law, Law::Bilateral) {
                self.d[i] = BILATERAL * self.weight[i];
            }
        }
        counts.factorizations += 1;
        let problem = self.symmetric.as_ref().unwrap_or(problem);
        self.free.factor(problem, &self.set, &self.d).is_ok()
    }

    /// One iteration: x from z and y, then z, y and s.
    fn advance(&mut self, problem: &Problem, z: &mut [f64]) {
        let alpha = self.settings.relaxation;
        for i in 0..z.len() {
            self.rhs[i] = self.y[i] + self.d[i] * z[i] - problem.b[i] - self.s[i];
        }
        if let Some(symmetric) = &self.symmetric {
            for i in 0..z.len() {
                let known = self.compressed.row_dot(i, &self.x) + self.d[i] * self.x[i];
                self.rhs[i] -= known;
            }
            self.free.solve(symmetric, &self.rhs, &mut self.step);
            self.x.iter_mut().zip(&self.step).for_each(|(x, step)| *x += step);
        } else {
            self.free.solve(problem, &self.rhs, &mut self.x);
        }
        for (i, law) in problem.laws_by_row() {
            match law.coefficients() {
                Some((mu, associated)) => match mu.len() {
                    1 => self.cone::<2>(i, mu, associated, alpha, z),
                    2 => self.cone::<3>(i, mu, associated, alpha, z),
                    3 => self.cone::<4>(i, mu, associated, alpha, z),
                    4 => self.cone::<5>(i, mu, associated, alpha, z),
                    _ => self.cone::<6>(i, mu, associated, alpha, z),
                },
                None => self.boxed(i, law.bounds(), alpha, z),
            }
        }
    }

    fn boxed(&mut self, i: usize, (lo, hi): (f64, f64), alpha: f64, z: &mut [f64]) {
        let d = self.d[i];
        let v = alpha * self.x[i] + (1.0 - alpha) * z[i] - self.y[i] / d;
        z[i] = v.clamp(lo, hi);
        self.y[i] = d * (z[i] - v);
    }

    fn cone<const N: usize>(
        &mut self,
        i: usize,
        mu: &[f64],
        associated: bool,
        alpha: f64,
        z: &mut [f64],
    ) {
        // In the variables of the circular cone.
        let (t, d) = (with_normal::<N>(mu), self.d[i]);
        let mut v = [0.0; N];
        for k in 0..N {
            let x = alpha * self.x[i + k] + (1.0 - alpha) * z[i + k];
            if t[k] > 0.0 {
                v[k] = (x - self.y[i + k] / self.d[i + k]) / t[k];
            } else {
                // Without friction: no impulse, and y is the velocity, which is free.
                self.y[i + k] -= self.d[i + k] * x;
            }
        }
        let p = project_cone(v);
        let y: [f64; N] = std::array::from_fn(|k| d * (p[k] - v[k]));
        for k in 0..N {
            z[i + k] = t[k] * p[k];
            if t[k] > 0.0 {
                self.y[i + k] = y[k] / t[k];
            }
        }
        self.s[i] = if associated { 0.0 } else { length(&y[1..]) };
    }

    fn exact_residual(&mut self, problem: &Problem, z: &[f64]) -> f64 {
        if self.symmetric.is_some() {
            (0..z.len()).for_each(|i| self.w[i] = self.compressed.row_dot(i, z));
        } else {
            problem.operator.apply(z, &mut self.w, &mut self.scratch);
        }
        self.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        verdict(problem, z, &self.w, &self.diagonal).natural_residual
    }

    /// x = z = λ, y the velocities as far as the laws allow.
    fn start(&mut self, problem: &Problem, iterate: &mut Iterate) {
        let (lambda, w) = (&mut iterate.lambda, &iterate.w);
        self.s.fill(0.0);
        self.y.copy_from_slice(w);
        for (i, law) in problem.laws_by_row() {
            if *law == Law::Bilateral {
                self.y[i] = 0.0;
            }
            let Some((mu, associated)) = law.coefficients() else { continue };
            match mu.len() {
                1 => self.start_cone::<2>(i, mu, associated, lambda, w),
                2 => self.start_cone::<3>(i, mu, associated, lambda, w),
                3 => self.start_cone::<4>(i, mu, associated, lambda, w),
                4 => self.start_cone::<5>(i, mu, associated, lambda, w),
                _ => self.start_cone::<6>(i, mu, associated, lambda, w),
            }
        }
        self.x.copy_from_slice(lambda);
    }

    fn start_cone<const N: usize>(
        &mut self,
        i: usize,
        mu: &[f64],
        associated: bool,
        lambda: &mut [f64],
        w: &[f64],
    ) {
        let t = with_normal::<N>(mu);
        let scaled = |k: usize| if t[k] > 0.0 { lambda[i + k] / t[k] } else { 0.0 };
        let p = project_cone::<N>(std::array::from_fn(scaled));
        (0..N).for_each(|k| lambda[i + k] = t[k] * p[k]);
        let slips: [f64; N] = std::array::from_fn(|k| t[k] * w[i + k]);
        let slip = length(&slips[1..]);
        self.s[i] = if associated { 0.0 } else { slip };
        self.y[i] = (w[i] + self.s[i]).max(slip);
    }
}

/// (1, μ₁, μ₂, ..).
fn with_normal<const N: usize>(mu: &[f64]) -> [f64; N] {
    std::array::from_fn(|k| if k == 0 { 1.0 } else { mu[k - 1] })
}

/// The skew part of row i, in units where diagonals are one.
fn row_skew(a: &Dense, i: usize) -> f64 {
    let entry = |j: usize| 0.5 * (a.get(i, j) - a.get(j, i)).abs();
    let terms = (0..a.rows()).filter(|&j| entry(j) > 0.0);
    terms.map(|j| entry(j) / (a.get(i, i) * a.get(j, j)).sqrt()).sum()
}

/// The symmetric part of a dense matrix, without its zeros.
fn fill_symmetric(a: &Dense, sparse: &mut Sparse, values: &mut Vec<f64>) {
    sparse.clear();
    for i in 0..a.rows() {
        let entries = |j: usize| i == j || a.get(i, j) != 0.0 || a.get(j, i) != 0.0;
        values.clear();
        let columns = (0..a.rows()).filter(|&j| entries(j));
        values.extend(columns.clone().map(|j| 0.5 * (a.get(i, j) + a.get(j, i))));
        sparse.push_row(columns.map(|j| j as u32), values);
    }
}

impl Solver for ConeAdmm {
    fn name(&self) -> &'static str {
        "cone_admm"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        super::rolling::refuse("cone_admm", problem)?;
        blocks::accept("cone_admm", problem)?;
        if matches!(problem.operator, Operator::General(_)) {
            let reason = "A is sparse without symmetry".into();
            return Err(Error::Refused { solver: "cone_admm", reason });
        }
        let Operator::Dense(a) = &problem.operator else { return Ok(()) };
        let mut skew = (0..a.rows()).map(|i| (i, row_skew(a, i)));
        match skew.find(|(_, skew)| skew.is_nan() || *skew > MOST_SKEW) {
            Some((i, _)) => {
                let reason =
                    format!("A is not symmetric, too much for a small skew part in row {i}");
                Err(Error::Refused { solver: "cone_admm", reason })
            }
            None => Ok(()),
        }
    }

    fn prepare(&mut self, problem: &Problem) {
        let m = problem.rows();
        for v in [&mut self.x, &mut self.y, &mut self.s, &mut self.rhs, &mut self.step, &mut self.w]
        {
            v.resize(m, 0.0);
        }
        self.d.reserve(m.saturating_sub(self.d.len()));
        self.best.clear();
        self.best.reserve(m);
        self.set.clear();
        self.set.resize(m, RowState::Free);
        self.weigh(problem);
        match &problem.operator {
            Operator::Dense(a) if !a.is_symmetric() => self.take_symmetric_part(a),
            _ => {
                self.symmetric = None;
                self.free.prepare(problem);
            }
        }
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
        let mut counts = Counts::default();
        let mut rho = self.settings.penalty;
        self.start(problem, iterate);
        if !self.factor(problem, rho, &mut counts) {
            return Outcome::new(Status::Singular, counts);
        }
        let (mut climb, mut least) = (Climb::default(), f64::INFINITY);
        while counts.iterations < limit {
            counts.iterations += 1;
            self.advance(problem, &mut iterate.lambda);
            if !counts.iterations.is_multiple_of(CHECK) {
                continue;
            }
            let residual = self.exact_residual(problem, &iterate.lambda);
            probe.iteration(counts.iterations, residual);
            if residual <= tolerance {
                return Outcome::new(Status::Converged, counts);
            }
            if !residual.is_finite() {
                return Outcome::new(Status::NonFinite, counts);
            }
            if residual < least {
                least = residual;
                self.best.clear();
                self.best.extend_from_slice(&iterate.lambda);
            }
            let factor = climb.look(residual);
            let next = (rho * factor).clamp(RANGE.0, RANGE.1);
            if factor != 1.0 && next == rho {
                climb.turn();
            }
            if self.settings.adaptive && next != rho {
                rho = next;
                if !self.factor(problem, rho, &mut counts) {
                    return Outcome::new(Status::Singular, counts);
                }
            }
        }
        // The penalty may just have gone astray.
        if self.exact_residual(problem, &iterate.lambda) > least {
            iterate.lambda.copy_from_slice(&self.best);
        }
        Outcome::new(Status::IterationLimit, counts)
    }
}
