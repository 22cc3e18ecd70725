//! Motors without a force limit that jam.
//!
//! A velocity motor without a limit that drives bodies into something that does not give way asks for what
//! cannot be: no impulse fulfils its row and those of contacts. What came of it was an answer that is none, of any size: joints torn,
//! hundreds of megajoules of "work" of forces that meant nothing, and seconds a frame for the search. Such a step is
//! done once more with a limit for these motors: twice what stops the whole island within a frame, and carries its
//! weight. A motor that reaches it has jammed. The step is then not converged, and says which motor; the row's memory
//! says it to the next step, which begins with the limit.

use super::{IslandSolver, Scene, Whole};
use crate::islands::Island;
use crate::lcp::RowState;
use crate::math::Vec3;
use crate::scene::joint::{JointState, Row};

/// The frame in which a motor may stop everything \[s\], and how many times what that takes it may push with.
const FRAME: f64 = 1.0 / 60.0;
const TIMES: f64 = 2.0;
/// Impulses nearer to their limit than this share are at it.
const AT_LIMIT: f64 = 1e-6;

/// The limit of a motor at this point of an island, whose rates are up to this.
fn limit(all: &Whole, is_linear: bool, point: Vec3, rate: f64, gravity: f64) -> f64 {
    let arm = (point - all.centre).length();
    let weight = all.mass * gravity;
    // Half the trace is at least the moment about any axis.
    let moment = 0.5 * (all.inertia.x_axis.x + all.inertia.y_axis.y + all.inertia.z_axis.z);
    TIMES
        * match is_linear {
            true => all.mass * rate / FRAME + weight,
            false => (moment + all.mass * arm * arm) * rate / FRAME + weight * arm,
        }
}

impl IslandSolver {
    /// Bounds the motors of the joint at hand that have no limit, where they jam or did in the last step.
    pub(super) fn bound_motors(&mut self, scene: &Scene, k: usize, state: &JointState) {
        let point = self.joint_geometry[k].b.p;
        for i in 0..self.sink.rows.len() {
            let row = self.sink.rows[i];
            let jams = |r: &Row| {
                self.yields || state.remembered(r.tag).is_some_and(|m| m.state != RowState::Free)
            };
            if !row.is_unlimited() || !jams(&row) {
                continue;
            }
            let rate = row.target.abs().max(self.sink.rate(&row).abs());
            let most = limit(&self.whole, row.is_linear(), point, rate, scene.gravity.length());
            let row = &mut self.sink.rows[i];
            (row.lo, row.hi, row.yields) = (-most, most, true);
        }
    }

    /// Weighs the island, if motors may jam in it.
    pub(super) fn weigh(&mut self, scene: &Scene, island: &Island) {
        self.yields = false;
        if !island.joints.is_empty() && !self.contacts.is_empty() {
            let bodies = island.bodies.iter().filter_map(|&slot| scene.bodies.at(slot));
            self.whole = Whole::of(bodies.map(|b| (b, b.x, b.q, (b.v, b.w))));
        }
    }

    /// Whether motors without a limit may be what keeps the smallest part of a step from an answer.
    pub(super) fn may_jam(&self, scene: &Scene) -> bool {
        let torn = self.report.joint_error > scene.settings.joint_tolerance;
        let failed = torn && !scene.may_halve || !self.report.converged();
        let unlimited = |(_, row): &(u32, Row)| row.is_unlimited();
        failed && !self.contacts.is_empty() && self.joint_rows.iter().any(unlimited)
    }

    /// Notes which motors have reached the limit that a jam gave them.
    pub(super) fn note_jams(&mut self, scene: &Scene) {
        for (i, (slot, row)) in self.joint_rows.iter().enumerate().filter(|(_, r)| r.1.yields) {
            let lambda = self.iterate.lambda.get(i).copied().unwrap_or(0.0);
            let at_limit = lambda.abs() >= (1.0 - AT_LIMIT) * scene.h * row.hi;
            let Some(set) = self.iterate.set.get_mut(i) else { continue };
            *set = match at_limit {
                true if lambda > 0.0 => RowState::Upper,
                true => RowState::Lower,
                false => RowState::Free,
            };
            if let Some(joint) = scene.joints.at(*slot).filter(|_| at_limit) {
                let name = joint.name();
                self.report.given_up = Some(format!(
                    "the motor of '{name}' has no force limit and jams: give it a max_force"
                ));
            }
        }
    }
}
