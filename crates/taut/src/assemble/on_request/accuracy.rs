//! Islands that need not be exact: sweeps where they do, factorizations where not.
//!
//! Problem: an ordinary pile (mass ratio 1, a few layers) is near its answer when it starts from the
//! last step, and sweeps bring it to three digits before a factorization is done.
//!
//! Method: where [`Settings::accuracy`](crate::Settings::accuracy) asks for it, each problem of the
//! island is swept first (`lcp::sweeps::following`: friction follows its normal impulses, no
//! passes). If the judge calls that converged at the tolerance asked for, it stands. Else the
//! exact solver goes on from there, unless work is limited: then the island moves with what it has,
//! and the step is not converged.
//!
//! Cost: sweeps in vain are given up after six or so. Fails where sweeps do: chains, tall stacks.
//! Islands with joints are solved exactly, unless work is limited.

use super::{IslandSolver, Scene};
use crate::islands::Island;
use crate::lcp::Status;
use crate::lcp::sweeps::following::Effort;

impl IslandSolver {
    /// The island's part of the work that a step may do.
    pub(super) fn allow_work(&mut self, scene: &Scene, island: &Island) {
        let work = scene.settings.work;
        let share = island.weight() as f64 / scene.weight.max(1) as f64;
        let substeps = scene.settings.substeps as f64;
        self.allowed = work.map(|work| (work as f64 * share / substeps) as u64);
    }

    /// Whether the present problem is left to sweeps.
    pub(super) fn solve_by_sweeps(&mut self, scene: &Scene) -> bool {
        let Some(tolerance) = scene.settings.accuracy else { return false };
        // Joints are closed at position level, to more digits than sweeps are good for.
        let jointed = !self.joint_rows.is_empty() || self.cable_rows() > 0;
        if scene.settings.work.is_none() && jointed {
            return false;
        }
        let left = self.allowed.map(|work| work.saturating_sub(self.report.swept_work));
        let effort = Effort { tolerance, work: left };
        let t0 = taut_lcp::clock::Instant::now();
        let (problem, iterate) = (&mut self.problem, &mut self.iterate);
        let swept = self.following.solve(problem, &effort, iterate, &mut self.judge);
        self.report.solve_seconds += t0.elapsed().as_secs_f64();
        let Ok(Some(swept)) = swept else { return false };
        self.report.swept_work += swept.work;
        let done = swept.report.status == Status::Converged;
        if !done && scene.settings.work.is_none() {
            self.report.iterations += swept.report.counts.iterations;
            return false;
        }
        self.report.swept = true;
        let finite = swept.report.status != Status::NonFinite;
        self.report.take(Ok(swept.report), tolerance, tolerance);
        if !done && finite {
            // It goes on with what it has, and says so.
            self.report.out_of_work = true;
            self.report.end(Status::Converged);
        }
        true
    }
}
