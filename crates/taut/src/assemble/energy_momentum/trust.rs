//! Whether a step by mean velocities can be trusted: what it lost, and why.

use super::FRAME;
use crate::assemble::joints::correction;
use crate::assemble::repair::DEEP;
use crate::assemble::{IslandSolver, NOTHING, Scene};
use crate::islands::Island;
use crate::math::Vec3;

/// Share of the kinetic energy that joints may take in a step before it is halved, as long as
/// it is not shorter than this \[s\].
const LOST: f64 = 0.03;
const LEAST_LOSSY: f64 = FRAME / 200.0;
/// Joints that give way at this share of the velocities at their anchors were kicked.
const KICK: f64 = 1e-3;

impl IslandSolver {
    /// Whether bodies without joints sink in so deep that the mean velocities do not say
    /// where they go.
    pub(super) fn has_run_astray(&self, island: &Island) -> bool {
        island.is_loose() && self.sunk() > DEEP
    }

    /// Whether contacts, limits or motors had a say in the velocities at the end.
    pub(super) fn jumps(&self) -> bool {
        let acts = |i: usize| {
            let rigid = match self.joint_rows.get(i) {
                Some((_, row)) => row.is_workless() || self.problem.laws[i] == NOTHING,
                None => self.is_steady(i),
            };
            !rigid && self.iterate.lambda[i] != 0.0
        };
        (0..self.problem.b.len()).any(acts)
    }

    /// Whether the start contradicts the joints, as after an edit: velocities, so that an impact
    /// follows, or places, so that closing them moves bodies.
    pub(super) fn is_kicked(&mut self, scene: &Scene, island: &Island) -> bool {
        let (mut most, mut gross) = self.cable_kick(scene, island);
        for (k, &slot) in island.joints.iter().enumerate() {
            let Some(state) = scene.joints.at(slot) else { continue };
            self.find_rows(scene, k, state);
            for row in self.sink.rows.iter().filter(|row| row.is_workless()) {
                let mut rate = correction(scene, row.phi);
                for part in row.parts.iter().flatten() {
                    let body = scene.bodies.at(part.body.index);
                    let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w));
                    let start = self.start.get(scene.local[part.body.index()] as usize);
                    let (v, w) = start.copied().unwrap_or(still);
                    let (v, w) = (part.linear.dot(v), part.angular.dot(w));
                    rate += v + w;
                    gross = gross.max(v.abs()).max(w.abs());
                }
                most = most.max(rate.abs());
            }
        }
        most > KICK * gross
    }

    /// Whether joints alone took more from the motion than can be given back: it cannot be
    /// followed in a step so long. Contacts, limits and motors may take what they like.
    pub(super) fn is_lossy(&mut self, scene: &Scene, island: &Island) -> bool {
        let (kinetic, _, fall) = self.energy_at_end(scene, island);
        let before = self.passages.before - self.passages.damped;
        scene.h > LEAST_LOSSY
            && before - kinetic > LOST * (before + fall)
            && !self.jumps()
            && !self.is_kicked(scene, island)
    }
}
