//! The energy of an island, and the work that others do on it.
//!
//! Energy is kinetic, gravitational and elastic (springs of joints; motors
//! with a stiffness are motors). Work is what motors, kinematic bodies and
//! user forces put in. An impulse p that changes a velocity from v to v⁺ does
//! the work p·(v + v⁺)/2, exactly. What is left of a step's balance is what
//! friction, impacts and the scheme lose, or what the scheme gains and should
//! not: `step::ledger` watches that.

use super::{IslandSolver, Scene, Twist, geometry};
use crate::BodyState;
use crate::islands::Island;
use crate::math::Vec3;
use crate::scene::joint::{Joint, JointKind, JointState, Part, Row, RowSink, Spring};

/// Energies \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Energy {
    pub(crate) kinetic: f64,
    pub(crate) gravity: f64,
    pub(crate) elastic: f64,
}

impl Energy {
    /// Their sum.
    pub(crate) fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }

    pub(crate) fn add(&mut self, other: &Energy) {
        self.kinetic += other.kinetic;
        self.gravity += other.gravity;
        self.elastic += other.elastic;
    }

    /// Of an island as it is now.
    pub(crate) fn of(scene: &Scene, island: &Island, sink: &mut RowSink) -> Self {
        let mut sum = Energy::default();
        for body in island.bodies.iter().filter_map(|&slot| scene.bodies.at(slot)) {
            sum.add(&Energy::of_body(body, scene.gravity));
        }
        for state in island.joints.iter().filter_map(|&slot| scene.joints.at(slot)) {
            if has_springs(&state.joint) {
                sum.elastic += elastic(scene, state, sink);
            }
        }
        sum
    }

    fn of_body(body: &BodyState, gravity: Vec3) -> Self {
        if !body.is_dynamic() {
            return Energy::default();
        }
        let weight = body.mass * body.body.gravity_scale * gravity;
        Energy { kinetic: body.kinetic_energy(), gravity: -weight.dot(body.x), elastic: 0.0 }
    }
}

fn has_springs(joint: &Joint) -> bool {
    let gives = |s: &Spring| s.stiffness.is_finite() && s.stiffness > 0.0;
    let own = [joint.linear_spring, joint.angular_spring];
    matches!(joint.kind, JointKind::Compliant { .. }) || own.iter().flatten().any(gives)
}

/// ½kφ² of a joint's springs; ropes and struts have it only while they pull or push.
fn elastic(scene: &Scene, state: &JointState, sink: &mut RowSink) -> f64 {
    sink.rows.clear();
    state.joint.rows(&geometry(&state.joint, scene.bodies), state.angle, sink);
    let of = |row: &Row| match row.spring {
        Some(Spring { stiffness, .. }) if row.reaction && stiffness.is_finite() => {
            let phi = if row.lo == 0.0 { row.phi.min(0.0) } else { row.phi };
            0.5 * stiffness * phi * phi
        }
        _ => 0.0,
    };
    sink.rows.iter().map(of).sum()
}

impl IslandSolver {
    /// Work of motors, kinematic bodies and user forces in this step \[J\].
    pub(super) fn work(&self, scene: &Scene, island: &Island) -> f64 {
        self.work_of_forces(scene, island)
            + self.work_of_joints(scene)
            + self.work_of_contacts(scene)
    }

    fn work_of_forces(&self, scene: &Scene, island: &Island) -> f64 {
        let pushed = |b: &&BodyState| (b.force, b.torque) != (Vec3::ZERO, Vec3::ZERO);
        let mut work = 0.0;
        for (&slot, &after) in island.bodies.iter().zip(&self.velocities) {
            if let Some(body) = scene.bodies.at(slot).filter(pushed) {
                let (v, w) = mean(body, after);
                work += scene.h * (body.force.dot(v) + body.torque.dot(w));
            }
        }
        work
    }

    fn work_of_joints(&self, scene: &Scene) -> f64 {
        let mut work = 0.0;
        for ((_, row), lambda) in self.joint_rows.iter().zip(&self.iterate.lambda) {
            for part in row.parts.iter().flatten() {
                let Part { body: id, linear, angular } = part;
                let Some(body) = scene.bodies.get(id.index, id.generation) else { continue };
                let rate = |(v, w): Twist| linear.dot(v) + angular.dot(w);
                match self.velocities.get(scene.local[id.index()] as usize) {
                    Some(&after) if !row.reaction => work += lambda * rate(mean(body, after)),
                    None if row.reaction => work -= lambda * rate((body.v, body.w)),
                    _ => {}
                }
            }
        }
        work
    }

    /// Of the kinematic bodies that touch something.
    fn work_of_contacts(&self, scene: &Scene) -> f64 {
        let moves = |slot: u32| {
            let body = scene.bodies.at(slot).filter(|b| !b.is_dynamic());
            body.filter(|b| (b.v, b.w) != (Vec3::ZERO, Vec3::ZERO))
        };
        let mut work = 0.0;
        for c in &self.contacts {
            for (slot, sign) in [(c.a, 1.0), (c.b, -1.0)] {
                if let Some(body) = moves(slot) {
                    let force = c.normal * c.normal_force + c.friction;
                    let power = force.dot(body.velocity_at(c.point)) + c.torque.dot(body.w);
                    work += sign * scene.h * power;
                }
            }
        }
        work
    }
}

fn mean(body: &BodyState, (v, w): Twist) -> Twist {
    (0.5 * (body.v + v), 0.5 * (body.w + w))
}
