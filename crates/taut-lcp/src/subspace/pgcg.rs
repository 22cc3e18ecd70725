//! Preconditioned generalized conjugate gradients.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: conjugate gradients on the free rows; a step that would leave
//! the box ends at its side, the rows that hit it become tight, and the
//! directions start anew. When the free rows are solved well enough, tight
//! rows that violate their law become free. Parts of a problem that nothing
//! connects are solved one after the other.
//! **Cost** per inner iteration: a product and a P⁻¹, and a preconditioner
//! (or a part of one, see `reuse`) whenever a row hits its bound. The energy
//! ½λᵀAλ + bᵀλ falls with every step, so no index set comes back.
//! **Fails** by being slow: rows hit their bounds one after the other
//! (`IterationLimit`), and conditioning as for all conjugate gradients.
//! **Reference**: Ho22 alg. 11; O'Leary 1980. Errata: r ← r − α A q comes
//! first, then z, β and q; the loops go on while there is something left *and*
//! iterations are. Deviations: the residual is updated, not computed anew,
//! when rows hit bounds; the first direction after rows were freed is the
//! gradient in the scale of the diagonal, along which they move inwards (with
//! P⁻¹r they may not, and would be tight again at once); the inner tolerance
//! is a share of the residual of the whole problem, so that it is tightened
//! until the judge is content.

use crate::free_solve::Pcg;
use crate::linalg::pcg::{System, Vectors, dot, largest, step};
use crate::pivoting::accepts_symmetric_boxed;
use crate::residual::row_residual;
use crate::sweeps::Rows;
use crate::{
    Backend, Counts, Error, Iterate, Outcome, PcgSettings, Probe, Problem, RowState, Solver,
    Status, Stop,
};

/// Settings of preconditioned generalized conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on outer iterations of a part. Default 1,000.
    pub max_iterations: usize,
    /// Inner residual \[m/s\] at which rows are freed; `None`: as small as
    /// needed.
    pub inner_tolerance: Option<f64>,
    /// Sweeps of projected Gauss-Seidel before a cold start; without any it
    /// starts with all rows free. Default 20.
    pub sweeps: usize,
    /// Whether a step may go on along the sides of the box, as far as the
    /// energy falls more than up to the first side. Default `true`; Ho22 stops
    /// at the first side.
    pub projected: bool,
    /// Limit on inner iterations of an outer one, and the preconditioner.
    pub pcg: PcgSettings,
}

impl Default for Settings {
    fn default() -> Self {
        let mut pcg = PcgSettings::default();
        pcg.precondition.reuse = REUSE;
        Settings { max_iterations: 1_000, inner_tolerance: None, sweeps: 20, projected: true, pcg }
    }
}

/// Share of rows that may change before a new preconditioner: rows hit their
/// bounds one by one, and a factor for each would cost more than it saves.
const REUSE: f64 = 0.005;
/// Share of the residual to which free rows are solved before others join.
const INNER_SHARE: f64 = 1e-2;
/// Ho22 6: complementarity is asked for to this \[m/s\].
const HO22_TOLERANCE: f64 = 1e-10;

impl Settings {
    /// What Ho22 6 measures: inner tolerance 1e-6, 20,000 iterations, a new
    /// preconditioner for every free set, all rows free at first.
    pub fn ho22() -> Self {
        let mut settings = Settings {
            max_iterations: 20_000,
            inner_tolerance: Some(1e-6),
            sweeps: 0,
            projected: false,
            ..Self::default()
        };
        settings.pcg.precondition.reuse = 0.0;
        settings
    }

    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        if let Some(t) = self.inner_tolerance.filter(|t| !(t.is_finite() && *t > 0.0)) {
            let (value, expected) = (t.to_string(), "finite and above 0");
            return Err(Error::Setting {
                solver: "pgcg",
                name: "inner_tolerance",
                value,
                expected,
            });
        }
        self.pcg.validate("pgcg")
    }
}

/// The method.
pub struct Pgcg {
    settings: Settings,
    pcg: Pcg,
    pattern: Option<u64>,
    rows: Rows,
    lo: Vec<f64>,
    hi: Vec<f64>,
    diagonal: Vec<f64>,
    no_shift: Vec<f64>,
    w: Vec<f64>,
    v: Vectors,
    /// A times a projected step.
    trial: Vec<f64>,
    /// Violations above this must go, and free rows may be left with this.
    tolerance: f64,
    counts: Counts,
}

impl Pgcg {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Pgcg {
            pcg: Pcg::new(settings.pcg.clone()),
            settings,
            pattern: None,
            rows: Rows::default(),
            lo: Vec::new(),
            hi: Vec::new(),
            diagonal: Vec::new(),
            no_shift: Vec::new(),
            w: Vec::new(),
            v: Vectors::default(),
            trial: Vec::new(),
            tolerance: 0.0,
            counts: Counts::default(),
        }
    }
}

impl Solver for Pgcg {
    fn name(&self) -> &'static str {
        "pgcg"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        accepts_symmetric_boxed("pgcg", problem, None)
    }

    fn prepare(&mut self, problem: &Problem) {
        let m = problem.rows();
        let pattern = problem.operator.pattern_hash();
        if self.pattern != Some(pattern) {
            self.pattern = Some(pattern);
            self.pcg.analyse(problem);
        }
        self.pcg.assemble(problem);
        problem.bounds(&mut self.lo, &mut self.hi);
        self.diagonal.resize(m, 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        self.diagonal.iter_mut().filter(|a| **a <= 0.0).for_each(|a| *a = 1.0);
        self.no_shift.clear();
        self.no_shift.resize(m, 0.0);
        self.w.resize(m, 0.0);
        self.trial.resize(m, 0.0);
        self.v.resize(m);
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.counts = Counts::default();
        self.tolerance = 0.5 * stop.tolerance * problem.scale();
        if self.settings.inner_tolerance.is_some() {
            self.tolerance = HO22_TOLERANCE;
        }
        self.start(problem, iterate);
        self.pcg.set_diagonal(problem, &self.no_shift);
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let mut status = Status::Converged;
        for part in 0..self.pcg.parts() {
            let end = self.part(problem, part, limit, iterate, probe);
            if end != Status::Converged {
                status = end;
            }
        }
        [self.counts.incomplete_columns, self.counts.imaginary_columns] = self.pcg.take_columns();
        Outcome { backend: Some(Backend::Pcg), ..Outcome::new(status, self.counts) }
    }
}

impl Pgcg {
    /// Index set and λ inside the box.
    fn start(&mut self, problem: &Problem, iterate: &mut Iterate) {
        let m = problem.rows();
        let Iterate { lambda, set, .. } = iterate;
        if set.len() != m {
            set.clear();
            set.resize(m, RowState::Free);
            self.rows.sweep_both_ways(problem, lambda, self.settings.sweeps);
            if self.settings.sweeps > 0 {
                for i in 0..m {
                    set[i] = match lambda[i] {
                        l if l <= self.lo[i] => RowState::Lower,
                        l if l >= self.hi[i] => RowState::Upper,
                        _ => RowState::Free,
                    };
                }
            }
        }
        for i in 0..m {
            if self.lo[i] == self.hi[i] {
                set[i] = RowState::Lower;
            }
            match set[i] {
                RowState::Lower if self.lo[i].is_finite() => lambda[i] = self.lo[i],
                RowState::Upper if self.hi[i].is_finite() => lambda[i] = self.hi[i],
                _ => set[i] = RowState::Free,
            }
        }
    }

    /// Solves one part: Ho22 alg. 11.
    fn part(
        &mut self,
        problem: &Problem,
        part: usize,
        limit: usize,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Status {
        let first = self.counts.iterations;
        let mut best = f64::INFINITY;
        let mut stale = 0;
        loop {
            self.pcg.velocities(problem, part, &iterate.lambda, &mut self.w);
            let residual = self.residual(part, &iterate.lambda);
            probe.iteration(self.counts.iterations, residual);
            if residual <= self.tolerance {
                return Status::Converged;
            }
            if !residual.is_finite() {
                return Status::NonFinite;
            }
            if self.counts.iterations - first >= limit {
                return Status::IterationLimit;
            }
            stale = if residual < 0.5 * best { 0 } else { stale + 1 };
            best = best.min(residual);
            let freed = self.free_rows(part, &mut iterate.set);
            let inner = match self.settings.inner_tolerance {
                Some(_) if freed == 0 && stale > 0 => return Status::Stalled,
                Some(t) => t,
                None => (INNER_SHARE * residual).max(0.1 * self.tolerance),
            };
            self.counts.iterations += 1;
            if self.pcg.factor_part(problem, part, &iterate.set).is_err() {
                return Status::Singular;
            }
            let moved = self.descend(problem, part, inner, iterate);
            if !moved || stale > 100 {
                return Status::Stalled;
            }
        }
    }

    fn residual(&self, part: usize, lambda: &[f64]) -> f64 {
        let row = |&i: &u32| {
            let i = i as usize;
            row_residual(lambda[i], self.w[i], self.lo[i], self.hi[i], self.diagonal[i])
        };
        self.pcg.rows(part).iter().map(row).fold(0.0, f64::max)
    }

    /// Frees tight rows that violate their law (Ho22 eq. 2.43, 2.44, but
    /// beyond a tolerance: degenerate rows would come and go for ever).
    fn free_rows(&mut self, part: usize, set: &mut [RowState]) -> usize {
        let mut freed = 0;
        let tolerance = 0.5 * self.tolerance;
        for &i in self.pcg.rows(part) {
            let i = i as usize;
            let violates = match set[i] {
                RowState::Lower => self.w[i] < -tolerance,
                RowState::Upper => self.w[i] > tolerance,
                RowState::Free => false,
            };
            if violates && self.lo[i] < self.hi[i] {
                set[i] = RowState::Free;
                freed += 1;
            }
        }
        self.counts.pivots += freed;
        freed
    }

    /// Conjugate gradients inside the box, to a residual of `inner` on the
    /// free rows. Says whether anything changed.
    fn descend(
        &mut self,
        problem: &Problem,
        part: usize,
        inner: f64,
        iterate: &mut Iterate,
    ) -> bool {
        let mut v = std::mem::take(&mut self.v);
        let Iterate { lambda, set, .. } = iterate;
        for &i in self.pcg.rows(part) {
            let i = i as usize;
            v.r[i] = if set[i] == RowState::Free { -self.w[i] } else { 0.0 };
            v.z[i] = v.r[i] / self.diagonal[i];
        }
        let (mut begun, mut rz_before, mut moved) = (false, f64::INFINITY, false);
        for _ in 0..self.settings.pcg.max_iterations {
            let (mut system, free) = self.pcg.system(problem, part);
            if largest(free, &v.r) <= inner {
                break;
            }
            if begun {
                system.precondition(&v.r, &mut v.z);
            }
            let rz = dot(free, &v.r, &v.z);
            let beta = rz / rz_before;
            for &i in free {
                let i = i as usize;
                v.q[i] = v.z[i] + if beta > 0.0 { beta * v.q[i] } else { 0.0 };
            }
            system.product(&v.q, &mut v.aq);
            let qaq = dot(free, &v.q, &v.aq);
            let alpha_cg = if qaq > 0.0 { rz / qaq } else { f64::INFINITY };
            let alpha_max = longest_step(free, lambda, &v.q, &self.lo, &self.hi);
            let alpha = alpha_cg.min(alpha_max);
            if !alpha.is_finite() || rz <= 0.0 || rz.is_nan() {
                break;
            }
            self.counts.inner += 1;
            moved = true;
            // The gradient was for the first step only.
            rz_before = if begun { rz } else { f64::INFINITY };
            begun = true;
            if alpha_cg < alpha_max {
                step(free, alpha, &v.q, lambda);
                step(free, -alpha, &v.aq, &mut v.r);
                continue;
            }
            rz_before = f64::INFINITY;
            let energy = alpha * (0.5 * alpha * qaq - rz);
            let bounds = (&self.lo[..], &self.hi[..]);
            let far = self.settings.projected && alpha_cg.is_finite();
            if !(far
                && project(
                    &mut system,
                    free,
                    lambda,
                    bounds,
                    alpha_cg,
                    energy,
                    &mut v,
                    &mut self.trial,
                ))
            {
                step(free, alpha, &v.q, lambda);
                step(free, -alpha, &v.aq, &mut v.r);
            }
            self.hit(part, alpha, lambda, set, &mut v);
            if self.pcg.factor_part(problem, part, set).is_err() {
                break;
            }
        }
        self.v = v;
        moved
    }

    /// Rows that the step brought to a bound become tight (Ho22 alg. 11,
    /// lines 14 and 15).
    fn hit(
        &mut self,
        part: usize,
        alpha: f64,
        lambda: &mut [f64],
        set: &mut [RowState],
        v: &mut Vectors,
    ) {
        for &i in self.pcg.free(part) {
            let i = i as usize;
            // As far as rounding tells.
            let rounding = 4.0 * f64::EPSILON * (lambda[i].abs() + (alpha * v.q[i]).abs());
            let state = if v.q[i] < 0.0 && lambda[i] <= self.lo[i] + rounding {
                RowState::Lower
            } else if v.q[i] > 0.0 && lambda[i] >= self.hi[i] - rounding {
                RowState::Upper
            } else {
                continue;
            };
            lambda[i] = if state == RowState::Lower { self.lo[i] } else { self.hi[i] };
            (set[i], v.r[i], v.q[i]) = (state, 0.0, 0.0);
            self.counts.pivots += 1;
        }
    }
}

/// The step α q, projected onto the box: taken if it lowers the energy by
/// more than `energy` says.
#[allow(clippy::too_many_arguments)]
fn project(
    system: &mut dyn System,
    free: &[u32],
    lambda: &mut [f64],
    (lo, hi): (&[f64], &[f64]),
    alpha: f64,
    energy: f64,
    v: &mut Vectors,
    product: &mut [f64],
) -> bool {
    for &i in free {
        let i = i as usize;
        v.z[i] = (lambda[i] + alpha * v.q[i]).clamp(lo[i], hi[i]) - lambda[i];
    }
    system.product(&v.z, product);
    let change = 0.5 * dot(free, &v.z, product) - dot(free, &v.r, &v.z);
    if change >= energy || change.is_nan() {
        return false;
    }
    step(free, 1.0, &v.z, lambda);
    step(free, -1.0, product, &mut v.r);
    true
}

/// How far λ can go along q inside its box: Ho22 eq. 5.1.
fn longest_step(free: &[u32], lambda: &[f64], q: &[f64], lo: &[f64], hi: &[f64]) -> f64 {
    let mut alpha = f64::INFINITY;
    for &i in free {
        let i = i as usize;
        let room = if q[i] < 0.0 {
            (lo[i] - lambda[i]) / q[i]
        } else if q[i] > 0.0 {
            (hi[i] - lambda[i]) / q[i]
        } else {
            continue;
        };
        alpha = alpha.min(room.max(0.0));
    }
    alpha
}
