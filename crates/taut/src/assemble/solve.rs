//! From the problem of an island, as it is posed, to its answer: from the outer loop to the inner one.
//!
//! Contacts that give way are posed anew about the answer (`elastic`), bounds of cables that rub follow their tensions (`cables`), and
//! the solver has the problem as it then is. Passes over boxes of friction are around all that (`friction`).

use super::elastic::{QUICK, ROUNDS};
use super::{IslandSolver, Scene, Stage};
use crate::islands::Island;
use crate::lcp;
use crate::scene::joint::{Part, Row};
use crate::settings::FrictionMode;
use taut_lcp::clock::Instant;

/// Relative residual of problems with cones: the last digit of a slip that turns is lost.
pub(super) const CONE_TOLERANCE: f64 = 1e-8;
/// Relative residual of problems with cones while Newton's iterations are on their way. (1e-3 takes a quarter fewer factorizations on
/// `chain-drop` and a quarter more on `vehicle`, 1e-5 as many as 1e-4.)
const ROUGH: f64 = 1e-4;
/// Iterations on cones: too few for `cone_newton` to try hard problems again as they stand.
const CONE_ITERATIONS: usize = 800;
/// Share of what a row of b is a sum of that rounding leaves uncertain.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl IslandSolver {
    /// Solves, and again about the answer as long as that moves contacts and is found quickly.
    pub(super) fn solve_elastic(&mut self, scene: &Scene, island: &Island) {
        for round in 1.. {
            let before = self.report.factorizations;
            self.solve_once(scene, island);
            let cost = self.report.factorizations - before;
            if round == ROUNDS || cost > QUICK || !self.follow_answer(scene) {
                return;
            }
        }
    }

    /// Solves, again and again until the bounds of cables that rub fit their tensions.
    pub(super) fn solve_once(&mut self, scene: &Scene, island: &Island) {
        for pass in 0.. {
            self.solve_as_posed(scene);
            if !self.follow_tensions(scene, island, pass) {
                break;
            }
        }
    }

    fn solve_as_posed(&mut self, scene: &Scene) {
        self.report.passes += 1;
        let has_soft = self.soft.is_posed();
        if self.problem.b.is_empty() || !has_soft && self.solve_by_sweeps(scene) {
            return;
        }
        // With boxes there is none to look for.
        let has_cones = self.cone(scene, Stage::Step).is_some() && self.problem.has_cones();
        if has_soft {
            self.pose_whole(scene.settings.compliance, has_cones);
        }
        let mut stop = scene.settings.stop();
        if has_cones {
            stop.max_iterations.get_or_insert(CONE_ITERATIONS);
            stop.tolerance = stop.tolerance.max(if self.rough { ROUGH } else { CONE_TOLERANCE });
        }
        let t0 = Instant::now();
        let friction = scene.settings.friction;
        if let (true, FrictionMode::Polyhedral { directions }) = (has_cones, friction) {
            let result = self.solve_polyhedral(directions, &stop);
            self.report.solve_seconds += t0.elapsed().as_secs_f64();
            let known = self.known_to(scene, &result, stop.tolerance);
            return self.report.take(result, stop.tolerance, known);
        }
        let result = lcp::solver::solve(
            self.solver.as_mut(),
            self.soft.whole.as_ref().unwrap_or(&self.problem),
            &stop,
            &mut self.iterate,
            &mut self.judge,
            &mut (),
        );
        self.report.solve_seconds += t0.elapsed().as_secs_f64();
        // A start that is the answer needs no solver.
        if result.as_ref().is_ok_and(|report| report.counts.iterations > 0) {
            let found = self.subsystems.get_or_insert_default();
            found.clear();
            found.extend_from_slice(&self.iterate.subsystems);
        }
        let known = self.known_to(scene, &result, stop.tolerance);
        self.report.take(result, stop.tolerance, known);
    }

    /// The tolerance, or where a solve missed it and that is more, the share of max|b| to which rows of joints are known. Their b is
    /// a sum of rates of bodies and of places by h. In free fall these cancel to the last digit, and what is left says nothing:
    /// redundant joints contradict one another by it. Other rows, and those of cables, are not excused.
    fn known_to(
        &self,
        scene: &Scene,
        result: &Result<lcp::Report, lcp::Error>,
        tolerance: f64,
    ) -> f64 {
        let joints = self.joint_rows.len();
        let missed =
            |r: &lcp::Report| r.status != lcp::Status::Converged && r.verdict.worst_row < joints;
        if self.cable_rows() > 0 || !result.as_ref().is_ok_and(missed) {
            return tolerance;
        }
        let size = |row: &Row| {
            let of = |part: &Part| {
                let Some(body) = scene.bodies.at(part.body.index) else { return 0.0 };
                let local = scene.local[part.body.index()] as usize;
                let (v, w) = self.v_free.get(local).copied().unwrap_or((body.v, body.w));
                part.linear.length() * (v.length() + body.x.length() / scene.h)
                    + part.angular.length() * (w.length() + 1.0 / scene.h)
            };
            row.parts.iter().flatten().map(of).sum::<f64>()
        };
        let largest = self.joint_rows.iter().map(|(_, row)| size(row)).fold(0.0, f64::max);
        let known = ROUNDING * largest / self.problem.scale();
        if known.is_finite() { tolerance.max(known) } else { tolerance }
    }

    /// Solves with polyhedra in place of cones; the report is that of the polyhedral problem.
    fn solve_polyhedral(
        &mut self,
        directions: usize,
        stop: &lcp::Stop,
    ) -> Result<lcp::Report, lcp::Error> {
        let problem = self.soft.whole.as_ref().unwrap_or(&self.problem);
        let polyhedral = lcp::polyhedral::Polyhedral::new(problem, directions)?;
        let mut iterate = lcp::Iterate::default();
        if self.iterate.lambda.len() == self.problem.rows() {
            let _ = self.judge.verdict(&self.problem, &self.iterate.lambda);
            let (lambda, w) = (&self.iterate.lambda, self.judge.velocities());
            polyhedral.start(&self.problem, lambda, w, &mut iterate.lambda);
        }
        let solver = self.solver.as_mut();
        let report = lcp::solver::solve(
            solver,
            polyhedral.problem(),
            stop,
            &mut iterate,
            &mut self.judge,
            &mut (),
        )?;
        polyhedral.impulses(&iterate.lambda, &mut self.iterate.lambda);
        let _ = self.judge.verdict(problem, &self.iterate.lambda);
        self.iterate.w.clear();
        self.iterate.w.extend_from_slice(self.judge.velocities());
        self.iterate.set.clear();
        self.iterate.set.resize(self.problem.rows(), lcp::RowState::Free);
        Ok(report)
    }
}
