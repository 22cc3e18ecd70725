//! Block principal pivoting on conjugate gradients.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: solve on the face of the index set by preconditioned conjugate
//! gradients; move every row that violates its law; repeat.
//! **Cost** per iteration: a preconditioner, a number of inner iterations that
//! grows with the root of the condition number, two products. Memory grows
//! with the rows alone: nothing is factored.
//! **Convergence**: exact to the tolerance once no row violates its law; that pivoting gets there is
//! not proven.
//! **Fails** where block pivoting wanders (`Stalled`, after `patience` pivots
//! without fewer violations; a set seen before is answered by single pivots):
//! there is no interior point behind it as there is behind `bpp`. Also where
//! conjugate gradients run out of iterations.
//! **Reference**: Ho22 alg. 10; warm start as 5.3, but free rows keep their λ
//! of the last step. Errata: line 10 must not overwrite b; go on while k < max
//! *and* the sets change; rows pivot on strict violation. Deviation: the first
//! solves are rough; the tolerance is tightened until the judge is content.
//! Adaptive regularization (alg. 9) is in `adaptive.rs`.

use super::HO22_TOLERANCE;
use crate::operator::mix;
use crate::pivoting::adaptive;
use crate::pivoting::bpp::{find_violations, pivot};
use crate::pivoting::face::Face;
use crate::pivoting::proximal::{self, Inner, Round};
use crate::sweeps::Rows;
use crate::{
    Backend, Error, Iterate, Outcome, PcgSettings, Probe, Problem, RowState, Solver, Status, Stop,
};

/// Settings of block principal pivoting on conjugate gradients.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on outer iterations. Default 1,000.
    pub max_iterations: usize,
    /// Pivots without a new minimum of violations before giving up. Default 20.
    pub patience: usize,
    /// Single pivots after a cycle. Default 5.
    pub single_pivots: usize,
    /// Residual \[m/s\] of the inner solves; `None`: as small as needed.
    pub inner_tolerance: Option<f64>,
    /// Relative tolerance of the first solves, before it is tightened.
    /// Default 1e-6.
    pub first_tolerance: f64,
    /// Sweeps of projected Gauss-Seidel before a cold start; without any it
    /// starts with all rows free. Default 20.
    pub sweeps: usize,
    /// Softening of friction rows that pivot too often; `None`: never.
    pub adaptive: Option<adaptive::Settings>,
    /// Form of the linear algebra. Default conjugate gradients; others make it
    /// plain block pivoting, to compare with.
    pub backend: Backend,
    /// Limit on inner iterations of an outer one, and the preconditioner.
    pub pcg: PcgSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_iterations: 1_000,
            patience: 20,
            single_pivots: 5,
            inner_tolerance: None,
            first_tolerance: 1e-6,
            sweeps: 20,
            adaptive: None,
            backend: Backend::Pcg,
            pcg: PcgSettings::default(),
        }
    }
}

impl Settings {
    /// What Ho22 6 measures: inner tolerance 1e-6, complementarity 1e-10,
    /// 20,000 iterations, all rows free at first.
    pub fn ho22() -> Self {
        Settings {
            max_iterations: 20_000,
            patience: 20_000,
            inner_tolerance: Some(1e-6),
            sweeps: 0,
            ..Self::default()
        }
    }

    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = |name, x: f64| {
            if x.is_finite() && x > 0.0 {
                return Ok(());
            }
            let (value, expected) = (x.to_string(), "finite and above 0");
            Err(Error::Setting { solver: "bpp_pcg", name, value, expected })
        };
        positive("first_tolerance", self.first_tolerance)?;
        positive("inner_tolerance", self.inner_tolerance.unwrap_or(1.0))?;
        self.adaptive.as_ref().map_or(Ok(()), |a| a.validate("bpp_pcg"))?;
        self.pcg.validate("bpp_pcg")
    }
}

/// The method.
pub struct BppPcg {
    settings: Settings,
    face: Face,
    rows: Rows,
    seen: Vec<u64>,
    wrong: Vec<(u32, RowState)>,
    best: Iterate,
}

impl BppPcg {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        let mut face = Face::new(Some(settings.backend), settings.adaptive.as_ref());
        face.free_solve.pcg = crate::free_solve::Pcg::new(settings.pcg.clone());
        BppPcg {
            settings,
            face,
            rows: Rows::default(),
            seen: Vec::with_capacity(1024),
            wrong: Vec::new(),
            best: Iterate::default(),
        }
    }
}

impl Solver for BppPcg {
    fn name(&self) -> &'static str {
        "bpp_pcg"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        crate::pivoting::accepts_symmetric_boxed("bpp_pcg", problem, Some(self.settings.backend))
    }

    fn prepare(&mut self, problem: &Problem) {
        self.face.prepare(problem);
        self.wrong.clear();
        self.wrong.reserve(problem.rows());
        self.best.clear();
        self.best.lambda.reserve(problem.rows());
        self.best.set.reserve(problem.rows());
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let settings = &self.settings;
        if iterate.set.len() != problem.rows() && settings.sweeps > 0 {
            self.rows.sweep_both_ways(problem, &mut iterate.lambda, settings.sweeps);
        } else if iterate.set.len() != problem.rows() {
            iterate.set.clear();
            iterate.set.resize(problem.rows(), RowState::Free);
        }
        self.face.start(problem, stop, settings.max_iterations, iterate);
        match settings.inner_tolerance {
            Some(inner) => {
                (self.face.limits.inner, self.face.limits.tolerance) = (inner, HO22_TOLERANCE)
            }
            None => {
                let first = settings.first_tolerance * problem.scale();
                self.face.limits.tolerance = self.face.limits.tolerance.max(first);
            }
        }
        let BppPcg { settings, face, seen, wrong, best, .. } = self;
        let tightens = settings.inner_tolerance.is_none();
        proximal::run(Round { face, problem, iterate, probe }, stop, &mut |round| {
            // With a fixed inner tolerance there is nothing to tighten.
            if !tightens && round.face.counts.iterations > 0 {
                return Inner::Failed(Status::Stalled);
            }
            let end = pivots(settings, (seen, wrong), best, round);
            if end != Inner::Solved {
                round.iterate.lambda.clone_from(&best.lambda);
                round.face.set.clone_from(&best.set);
            }
            end
        })
    }
}

/// Ho22 alg. 10.
fn pivots(
    settings: &Settings,
    (seen, wrong): (&mut Vec<u64>, &mut Vec<(u32, RowState)>),
    best: &mut Iterate,
    round: &mut Round<'_>,
) -> Inner {
    let Round { face, problem, iterate, probe } = round;
    seen.clear();
    let (mut fewest, mut stale, mut singles) = (usize::MAX, 0, 0);
    loop {
        if face.solve(problem, &mut iterate.lambda).is_err() {
            return Inner::Failed(Status::Singular);
        }
        let worst = find_violations(face, &iterate.lambda, wrong);
        let violations = wrong.len();
        probe.iteration(face.counts.iterations, worst);
        stale += 1;
        if violations < fewest {
            (fewest, stale) = (violations, 0);
            best.lambda.clone_from(&iterate.lambda);
            best.set.clone_from(&face.set);
        }
        if violations == 0 {
            return Inner::Solved;
        }
        if face.out_of_iterations() {
            return Inner::Failed(Status::IterationLimit);
        }
        if stale > settings.patience {
            return Inner::Failed(Status::Stalled);
        }
        let hash = face.set.iter().fold(0, |h, s| mix(h, *s as u64));
        if seen.contains(&hash) && singles == 0 {
            singles = settings.single_pivots;
        }
        if seen.len() < seen.capacity() {
            seen.push(hash);
        }
        pivot(face, wrong, if singles > 0 { 1 } else { usize::MAX });
        if face.soften() {
            // Another problem: what was seen proves nothing.
            (fewest, stale) = (usize::MAX, 0);
            seen.clear();
        }
        singles = singles.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Judge;
    use crate::generate::{MultibodyOptions, multibody};
    use crate::solver::solve;

    /// Ho22 6.2.1: conjugate gradients change nothing in the pivots, as long
    /// as they are exact enough.
    #[test]
    fn as_many_outer_iterations_as_with_factors() {
        let (mut same, mut pivots) = (0, 0);
        for seed in 0..20 {
            let options =
                MultibodyOptions { links: 5, pile: 15, mass_ratio: 1e2, compliance: 1e-6 };
            let problem = multibody(&options, seed).expect("valid");
            let count = |backend| {
                let settings =
                    Settings { backend, first_tolerance: 1e-12, sweeps: 0, ..Default::default() };
                let mut solver = BppPcg::new(settings);
                let (mut iterate, stop) = (Iterate::default(), Stop::default());
                solve(&mut solver, &problem, &stop, &mut iterate, &mut Judge::default(), &mut ())
                    .expect("accepted")
                    .counts
            };
            let (direct, pcg) = (count(Backend::Dual), count(Backend::Pcg));
            assert_eq!(direct.iterations, pcg.iterations, "seed {seed}");
            assert!(pcg.inner > direct.inner);
            same += usize::from(direct.pivots == pcg.pivots);
            pivots += pcg.pivots;
        }
        assert!(same == 20 && pivots > 100, "{same} of 20, {pivots} pivots");
    }
}
