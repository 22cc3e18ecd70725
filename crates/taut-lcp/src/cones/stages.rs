//! The stages of [`super::cone_newton`], one after the other until the judge is content.

use super::interior::{BRISK, CAREFUL, Interior, NEAR_ENOUGH, Pace};
use super::polish::{FAR, NEAR, PROXIMAL, Plan, Polish, SMALL, STIFFER, WARM};
use super::system::System;
use crate::{Probe, Problem, Softening};

/// Residuals at which the interior point hands over to Newton steps.
const DEPTHS: [f64; 3] = [1e-6, 1e-8, 1e-10];
/// Where small problems are tried again from: x of all cones, the first δ, and steps at most. (Ropes
/// on a drum, 6 contacts: 8 steps from the first of these, where neither the interior point nor
/// softer problems end. Of 20 problems of a truck that skids, 20 contacts, the next four solve 17. A heap of
/// 12 contacts has one answer at every compliance below 3e-4, three there, and one above, on
/// another branch: softer problems do not lead to it, the last two do.)
const RESTARTS: [(Option<f64>, f64, usize); 8] = [
    (None, 1e-2, 40),
    (None, 1e-4, 40),
    (Some(10.0), 1e-2, 25),
    (Some(10.0), 1e-4, 40),
    (Some(10.0), 1e-6, 40),
    (Some(100.0), 1e-4, 40),
    (Some(0.0), 1e-4, 40),
    (Some(100.0), 1e-2, 25),
];
/// Compliance that the continuation begins with.
const FIRST: f64 = 1e-3;
/// Softest that it may go through.
const SOFTEST: f64 = 0.2;
/// Stiffest before the problem as posed.
const STIFFEST: f64 = 1e-9;
/// Compliances, and first δ, that are tried from the answer of a softer problem by long proximal
/// steps. (Of 13 problems of `tower` in collapse that end at 3e-4 to 1e-2 without, 10 are solved as
/// posed, by 10 to 44 factorizations each, and none stays above 1e-3 but one.)
const GOALS: [(f64, f64); 4] = [(FIRST, 0.1), (FIRST, 0.01), (1e-4, 0.1), (0.0, 0.1)];
/// Stiffer by less than this is not worth a step.
const LEAST_GAIN: f64 = 0.5;
/// Residual up to which more Newton steps are tried before the interior point: chains of 400 rows end at
/// 3e-8 after five, and need two more.
const CLOSE: f64 = 1e-4;
/// Iterations that must be left to try the problem as posed once more after softer ones: for
/// those who want its answer whatever it costs. (It saves 2 of 77 such problems of `wall`, 22 of
/// 47 of `rocks`, 5 of 96 of `chain-drop`, for a hundred iterations each.)
const WORTHWHILE: usize = 700;

/// N: rows of the largest cone.
#[derive(Default)]
pub(super) struct Stages<const N: usize> {
    pub system: System<N>,
    interior: Interior<N>,
    polish: Polish,
    /// The best point of the problem as posed, and its residual; the answer of a
    /// softer one.
    best: Vec<f64>,
    residual: f64,
    soft: Vec<f64>,
    /// Where the solve starts, and another start.
    start: Vec<f64>,
    pressed: Vec<f64>,
}

/// What all stages of a run share.
pub(super) struct Run<'a> {
    pub problem: &'a Problem,
    pub tolerance: f64,
    /// Limit on iterations.
    pub limit: usize,
    pub may_soften: bool,
    pub probe: &'a mut dyn Probe,
}

/// How all stages together ended.
pub(super) enum End {
    /// With an answer of the problem as posed.
    Solved,
    /// Without one; λ answers this softer problem, if there is one.
    Unsolved(Option<Softening>),
}

impl Run<'_> {
    /// Iterations that are left.
    fn left<const N: usize>(&self, system: &System<N>) -> usize {
        self.limit.saturating_sub(system.counts.iterations)
    }
}

impl<const N: usize> Stages<N> {
    /// Memory for all that may come, once the system is prepared.
    pub fn reserve(&mut self) {
        self.interior.start(&self.system);
    }

    /// Solves the problem from λ, which becomes the answer, or that of a softer problem.
    pub fn run(&mut self, run: &mut Run, lambda: &mut [f64]) -> End {
        let is_warm = lambda.iter().any(|l| *l != 0.0);
        self.set_start(lambda);
        let mut softening = None;
        let mut solved = self.attempt_all(run, is_warm);
        if !solved && run.may_soften {
            solved = self.soften(run, &mut softening);
        }
        self.system.counts.fell_back = softening.is_some();
        if !solved && run.left(&self.system) >= WORTHWHILE {
            solved = self.attempt(run, &CAREFUL);
        }
        let end = if solved { End::Solved } else { End::Unsolved(softening) };
        let answer = if matches!(end, End::Unsolved(Some(_))) { &self.soft } else { &self.best };
        self.system.model.unscale(run.problem, answer, lambda);
        end
    }

    /// The attempts at the problem as posed, each where those before it fail.
    fn attempt_all(&mut self, run: &mut Run, is_warm: bool) -> bool {
        if self.system.is_small() {
            let (near, far) = RESTARTS.split_at(2);
            return (is_warm && self.newton(run, &SMALL))
                || self.restart(run, near)
                || self.attempt(run, &BRISK)
                || self.restart(run, far);
        }
        (is_warm && self.newton(run, &WARM))
            || (self.residual <= CLOSE && self.go_on(run))
            || self.attempt(run, &BRISK)
            || (is_warm && self.start_again(run))
    }

    /// Takes up the start.
    fn set_start(&mut self, lambda: &[f64]) {
        for v in [&mut self.best, &mut self.soft, &mut self.start, &mut self.pressed] {
            v.clear();
            v.resize(lambda.len(), 0.0);
        }
        self.residual = f64::INFINITY;
        self.system.model.scaled(lambda, &mut self.best);
        self.start.copy_from_slice(&self.best);
        self.polish.start(&self.best);
    }

    /// Newton steps from `polish.x`; whether they solve the problem at hand.
    fn newton(&mut self, run: &mut Run, plan: &Plan) -> bool {
        let factorizations = plan.factorizations.min(run.left(&self.system));
        let plan = Plan { factorizations, ..*plan };
        self.polish.run(&mut self.system, run.problem, run.tolerance, &plan, run.probe);
        if self.system.compliance == 0.0 && self.polish.residual < self.residual {
            self.residual = self.polish.residual;
            self.best.copy_from_slice(&self.polish.best);
        }
        self.polish.residual <= run.tolerance
    }

    /// More Newton steps from the best point.
    fn go_on(&mut self, run: &mut Run) -> bool {
        self.polish.start(&self.best);
        self.newton(run, &NEAR)
    }

    /// Long proximal steps from the start.
    fn start_again(&mut self, run: &mut Run) -> bool {
        self.polish.start(&self.start);
        self.newton(run, &PROXIMAL)
    }

    /// Newton steps from elsewhere: cones pressed alike, much or little.
    fn restart(&mut self, run: &mut Run, from: &[(Option<f64>, f64, usize)]) -> bool {
        from.iter().any(|&(press, first, factorizations)| {
            let Some(press) = press else {
                self.polish.start(&self.start);
                return self.newton(run, &Plan { first: Some(first), factorizations, ..NEAR });
            };
            // (Not `soft`, which may hold the answer of a softer problem.)
            self.pressed.fill(0.0);
            for block in self.system.model.blocks.iter().filter(|b| b.is_cone()) {
                self.pressed[block.row] = press;
            }
            self.polish.start(&self.pressed);
            self.newton(run, &Plan { first: Some(first), factorizations, ..NEAR })
        })
    }

    /// Interior point, then Newton steps; from deeper inside where these fail.
    fn attempt(&mut self, run: &mut Run, pace: &Pace) -> bool {
        self.interior.start(&self.system);
        for tolerance in DEPTHS {
            let max_iterations = pace.max_iterations.min(run.left(&self.system));
            let pace = Pace { tolerance, max_iterations, ..*pace };
            self.interior.run(&mut self.system, run.problem, &pace, run.probe);
            if self.interior.residual > NEAR_ENOUGH {
                break;
            }
            let is_deep = self.interior.residual <= tolerance;
            self.polish.start(&self.interior.best);
            if self.newton(run, if is_deep { &NEAR } else { &FAR }) {
                return true;
            }
            if !is_deep {
                break;
            }
        }
        false
    }

    /// Solves softer problems from the inside; whether one of them answers the problem as posed.
    fn soften(&mut self, run: &mut Run, softening: &mut Option<Softening>) -> bool {
        let mut compliance = FIRST;
        let mut found = false;
        while !found && compliance <= SOFTEST {
            self.system.set_compliance(compliance);
            found = self.attempt(run, &BRISK);
            compliance *= 10.0;
        }
        if found && self.stiffen(run, softening) {
            return true;
        }
        for (compliance, first) in GOALS {
            if softening.is_some_and(|s| s.compliance > compliance) {
                self.system.set_compliance(compliance);
                self.polish.start(&self.soft);
                let plan = Plan { first: Some(first), ..PROXIMAL };
                if self.newton(run, &plan) && self.stiffen(run, softening) {
                    return true;
                }
            }
        }
        self.system.set_compliance(0.0);
        false
    }

    /// From the answer of a softer problem to stiffer ones, as far as Newton steps lead, or until
    /// the answer is one of the problem as posed.
    fn stiffen(&mut self, run: &mut Run, softening: &mut Option<Softening>) -> bool {
        let mut factor = 0.1;
        *softening = Some(self.keep_soft());
        let mut compliance = self.system.compliance;
        while !self.judge_soft(run) && compliance > STIFFEST && factor < LEAST_GAIN {
            self.system.set_compliance(factor * compliance);
            self.polish.start(&self.soft);
            if self.newton(run, &STIFFER) {
                *softening = Some(self.keep_soft());
                compliance *= factor;
            } else {
                factor = f64::sqrt(factor);
            }
        }
        self.system.set_compliance(0.0);
        self.judge_soft(run)
    }

    /// Measures the answer of the softer problem by the problem as posed, and keeps it if it is the best so far; whether it
    /// is an answer.
    fn judge_soft(&mut self, run: &mut Run) -> bool {
        let compliance = self.system.compliance;
        self.system.set_compliance(0.0);
        self.polish.measure(&mut self.system, run.problem, &self.soft);
        self.system.set_compliance(compliance);
        if self.polish.residual < self.residual {
            self.residual = self.polish.residual;
            self.best.copy_from_slice(&self.soft);
        }
        self.polish.residual <= run.tolerance
    }

    /// Remembers the answer of a softer problem.
    fn keep_soft(&mut self) -> Softening {
        self.soft.copy_from_slice(&self.polish.best);
        Softening { compliance: self.system.compliance, relative_residual: self.polish.residual }
    }
}
