//! Preconditioned generalized conjugate gradients.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: conjugate gradients on the free rows; a step that would leave
//! the box ends at its side, the rows that hit it become tight, and the
//! directions start anew. When the free rows are solved well enough, tight
//! rows that violate their law become free. Parts of a problem that nothing
//! connects are solved one after the other.
//! Where A may be singular, an outer iteration minimizes the energy plus
//! ½ρ(λ−c)ᵀdiag A (λ−c) around the λ it starts from (proximal point, as in
//! `pivoting/proximal.rs`), which halves the inner iterations on redundant
//! contacts without compliance.
//! **Cost** per inner iteration: a product and a P⁻¹, and a preconditioner
//! (or a part of one, see `reuse`) whenever a row hits its bound.
//! **Convergence**: the energy ½λᵀAλ + bᵀλ falls with every step, so no index set comes
//! back; on each, iterations grow with the root of the condition number.
//! **Fails** by being slow: rows hit their bounds one after the other
//! (`IterationLimit`), and conditioning as for all conjugate gradients.
//! **Reference**: Ho22 alg. 11; O'Leary 1980. Errata: r ← r − α A q comes
//! first, then z, β and q; the loops go on while there is something left *and*
//! iterations are. Deviations: the residual is updated, not computed anew,
//! when rows hit bounds; the first direction after rows were freed is the
//! gradient in the scale of the diagonal, along which they move inwards (with
//! P⁻¹r they may not, and would be tight again at once); the inner tolerance
//! is a share of the residual of the whole problem, so that it is tightened
//! until the judge is content. Warm start as 5.3, but free rows keep their λ.
//! The inner iterations are in `descent.rs`, adaptive regularization (alg. 9)
//! is in `adaptive.rs`. Rows pivot inside the
//! inner iterations too, so they reach the limit sooner than in block
//! pivoting (Ho22 6.3); each softening makes it another problem, whose energy
//! falls again.

mod descent;

use super::HO22_TOLERANCE;
use crate::free_solve::Pcg;
use crate::linalg::pcg::Vectors;
use crate::pivoting::accepts_symmetric_boxed;
use crate::pivoting::adaptive::{self, Adaptive};
use crate::pivoting::face::{constants::SHIFT, needs_shift};
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
    /// Softening of friction rows that pivot too often; `None`: never.
    pub adaptive: Option<adaptive::Settings>,
    /// Limit on inner iterations of an outer one, and the preconditioner.
    pub pcg: PcgSettings,
}

impl Default for Settings {
    fn default() -> Self {
        let mut pcg = PcgSettings::default();
        pcg.precondition.reuse = REUSE;
        Settings {
            max_iterations: 1_000,
            inner_tolerance: None,
            sweeps: 20,
            projected: true,
            adaptive: None,
            pcg,
        }
    }
}

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Share of rows that may change before a new preconditioner: rows hit their
/// bounds one by one, and a factor for each would cost more than it saves.
const REUSE: f64 = 0.001;
/// Share of the residual to which free rows are solved before others join.
const INNER_SHARE: f64 = 1e-2;

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
        self.adaptive.as_ref().map_or(Ok(()), |a| a.validate("pgcg"))?;
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
    /// ρ·Aᵢᵢ where A may be singular, and that with softened rows.
    shift: Vec<f64>,
    added: Vec<f64>,
    w: Vec<f64>,
    v: Vectors,
    /// A times a projected step.
    trial: Vec<f64>,
    adaptive: Adaptive,
    /// Violations above this must go, and free rows may be left with this.
    tolerance: f64,
    counts: Counts,
}

impl Pgcg {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Pgcg {
            pcg: Pcg::new(settings.pcg.clone()),
            adaptive: Adaptive::new(settings.adaptive.clone()),
            settings,
            pattern: None,
            rows: Rows::default(),
            lo: Vec::new(),
            hi: Vec::new(),
            diagonal: Vec::new(),
            shift: Vec::new(),
            added: Vec::new(),
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
        let rho = if needs_shift(problem, &self.diagonal) { SHIFT } else { 0.0 };
        self.shift.clear();
        self.shift.extend(self.diagonal.iter().map(|a| rho * a));
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
        self.adaptive.start(problem.rows());
        self.set_diagonal(problem);
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let mut status = self.parts(problem, limit, iterate, probe);
        self.counts.regularized = self.adaptive.softened();
        if !self.adaptive.is_kept() && self.adaptive.release() {
            // The softened problem has shown the way; now the one posed.
            self.set_diagonal(problem);
            status = self.parts(problem, limit, iterate, probe);
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

    /// Solves all parts. Says how the last one ended that failed.
    fn parts(
        &mut self,
        problem: &Problem,
        limit: usize,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Status {
        let mut status = Status::Converged;
        for part in 0..self.pcg.parts() {
            let end = self.part(problem, part, limit, iterate, probe);
            if end != Status::Converged {
                status = end;
            }
        }
        status
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
            self.update_w(problem, part, &iterate.lambda);
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
            if self.soften(problem, part, &iterate.set) {
                // Another problem.
                self.update_w(problem, part, &iterate.lambda);
                (best, stale) = (f64::INFINITY, 0);
            }
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

    /// w = Aλ + b on the rows of a part, the compliance of softened ones
    /// included.
    fn update_w(&mut self, problem: &Problem, part: usize, lambda: &[f64]) {
        self.pcg.velocities(problem, part, lambda, &mut self.w);
        let epsilon = self.adaptive.epsilon();
        if !epsilon.is_empty() {
            let rows = self.pcg.rows(part).iter().map(|&i| i as usize);
            rows.for_each(|i| self.w[i] += epsilon[i] * lambda[i]);
        }
    }

    /// Softens rows of a part that pivoted too often. Says whether there were
    /// any.
    fn soften(&mut self, problem: &Problem, part: usize, set: &[RowState]) -> bool {
        let rows = self.pcg.rows(part).iter().map(|&i| i as usize);
        let changed = self.adaptive.soften_rows(rows, set, &self.lo, &self.hi, &self.diagonal);
        if changed {
            self.set_diagonal(problem);
        }
        changed
    }

    /// What inner iterations add to the diagonal of A.
    fn set_diagonal(&mut self, problem: &Problem) {
        self.added.clone_from(&self.shift);
        let softened = self.adaptive.epsilon();
        self.added.iter_mut().zip(softened).for_each(|(d, e)| *d += e);
        self.pcg.set_diagonal(problem, &self.added);
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
                self.adaptive.note_pivot(i);
                freed += 1;
            }
        }
        self.counts.pivots += freed;
        freed
    }
}
