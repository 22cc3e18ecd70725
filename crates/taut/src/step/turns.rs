//! Angles that count turns.
//!
//! Poses tell an angle up to whole turns. Which turn follows from the rates:
//! before bodies move by h, the angle of a hinge goes on by h times its rate;
//! after that it is set to the measured angle nearest to this expectation. The
//! expectation has to be right to half a turn only, and at any rate it is:
//! within a step bodies turn freely, wheels about their axes at constant rates.
//! (The nearest to the old angle, without the rates, slips from half a turn a
//! step on: 188 rad/s at 60 Hz.)
//!
//! When it fails: where axes part by so much that a turn about one is not a
//! turn about the other. Such a step tears the joint and is halved.

use crate::BodyState;
use crate::assemble::geometry;
use crate::math::Vec3;
use crate::scene::joint::{JointState, Side, nearest_turn};
use crate::slots::Slots;
use crate::world::World;

/// Sets the angle of a joint to the measured one nearest to what it is.
pub(super) fn count_turns(state: &mut JointState, bodies: &Slots<BodyState>) {
    state.angle = nearest_turn(geometry(&state.joint, bodies).angle(), state.angle);
}

impl World {
    /// Turns the angles of joints on by their rates.
    pub(super) fn expect_turns(&mut self, h: f64) {
        let bodies = &self.bodies;
        let rate = |side: &Side| {
            let body = side.body.and_then(|id| bodies.get(id.index, id.generation));
            body.map_or(Vec3::ZERO, |b| b.way().1)
        };
        let holds = &self.work.holds;
        for (_, state) in self.joints.iter_mut().filter(|(_, s)| s.joint.counts_turns()) {
            let g = geometry(&state.joint, bodies);
            let slots = [g.a.body, g.b.body].into_iter().flatten().map(|id| id.index);
            if slots.clone().any(|slot| bodies.at(slot).is_some_and(|b| b.done.is_some())) {
                continue;
            }
            let way = slots.map(|slot| holds.way(slot, h)).fold(0.0, f64::max);
            state.angle += way * g.angle_rate(rate(&g.a), rate(&g.b));
        }
        self.expect_wraps(h);
    }

    /// Measures the angles of joints.
    pub(crate) fn update_angles(&mut self) {
        for (_, state) in self.joints.iter_mut().filter(|(_, s)| s.joint.counts_turns()) {
            count_turns(state, &self.bodies);
        }
    }
}
