//! The energy of an island, and the work that others do on it.
//!
//! Energy is kinetic, gravitational and elastic (springs of joints, those of
//! passive forces too; motors with a stiffness are motors). Work is what motors, kinematic bodies and
//! user forces put in, and what armatures give, which are no bodies. An impulse p that changes a velocity from v to v⁺ does
//! the work p·(v + v⁺)/2, exactly. What is left of a step's balance is what
//! friction, impacts and the scheme lose, or what the scheme gains and should
//! not: `step::ledger` watches that.

use super::{IslandSolver, Scene, Twist, geometry};
use crate::BodyState;
use crate::cables::CableState;
use crate::islands::Island;
use crate::math::Vec3;
use crate::scene::joint::{
    Geometry, Joint, JointKind, JointState, Row, RowSink, Spring, nearest_turn,
};
use crate::slots::Slots;
use crate::softs::SoftBodyState;

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
            sum.elastic += elastic_now(state, scene.bodies, sink);
        }
        let cables = island.cables.iter().filter_map(|&slot| scene.cables.at(slot));
        sum.elastic += cables.map(|c| c.elastic_now(scene.bodies)).sum::<f64>();
        for soft in island.softs.iter().filter_map(|&slot| scene.softs.at(slot)) {
            sum.add(&Energy::of_soft(soft, scene.gravity));
        }
        sum
    }

    /// Of all bodies, joints, cables and soft bodies.
    pub(crate) fn of_world(
        bodies: &Slots<BodyState>,
        joints: &Slots<JointState>,
        cables: &Slots<CableState>,
        softs: &Slots<SoftBodyState>,
        gravity: Vec3,
    ) -> Self {
        let mut sum = Energy::default();
        let mut sink = RowSink::default();
        bodies.iter().for_each(|(_, body)| sum.add(&Energy::of_body(body, gravity)));
        for (_, state) in joints.iter() {
            sum.elastic += elastic_now(state, bodies, &mut sink);
        }
        for (_, cable) in cables.iter() {
            sum.elastic += cable.elastic_now(bodies);
        }
        softs.iter().for_each(|(_, soft)| sum.add(&Energy::of_soft(soft, gravity)));
        sum
    }

    fn of_soft(soft: &SoftBodyState, gravity: Vec3) -> Self {
        let [elastic, kinetic] = soft.energy();
        let weight = |(x, m): (&Vec3, &f64)| -m * gravity.dot(*x);
        Energy { kinetic, gravity: soft.x.iter().zip(&soft.masses).map(weight).sum(), elastic }
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
    let passive = joint.passive.is_some_and(|p| p.stiffness > 0.0);
    matches!(joint.kind, JointKind::Compliant { .. }) || passive || own.iter().flatten().any(gives)
}

/// [`elastic`] of a joint as it is now.
fn elastic_now(state: &JointState, bodies: &Slots<BodyState>, sink: &mut RowSink) -> f64 {
    let placed = || {
        let g = geometry(&state.joint, bodies);
        (g, nearest_turn(g.angle(), state.angle))
    };
    elastic(&state.joint, placed, sink)
}

/// ½kφ² of a joint's springs, by where it is and its angle; ropes and struts have it only while they pull or push.
pub(super) fn elastic(
    joint: &Joint,
    placed: impl FnOnce() -> (Geometry, f64),
    sink: &mut RowSink,
) -> f64 {
    if !has_springs(joint) {
        return 0.0;
    }
    sink.rows.clear();
    let (geometry, angle) = placed();
    joint.rows(&geometry, angle, sink);
    let of = |row: &Row| match row.spring {
        Some(Spring { stiffness, .. }) if !row.is_driven() && stiffness.is_finite() => {
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
        let velocity = |k: usize| {
            let (before, after) = (self.start.get(k)?, *self.velocities.get(k)?);
            // Beside soft bodies the step is implicit Euler and bodies move by hv⁺: the work of a force is that times this way.
            // Then ΔE − work = −½ΔvᵀMΔv; with the mean velocity gravity would seem to create mgh Δv/2 while a motor lifts.
            if !island.softs.is_empty() {
                return Some(after);
            }
            Some((0.5 * (before.0 + after.0), 0.5 * (before.1 + after.1)))
        };
        self.work_of_forces(scene, island, velocity)
            + self.work_of_rows(scene, |i| self.iterate.lambda[i], velocity)
    }

    fn work_of_forces(
        &self,
        scene: &Scene,
        island: &Island,
        velocity: impl Fn(usize) -> Option<Twist>,
    ) -> f64 {
        let pushed = |b: &&BodyState| (b.force, b.torque) != (Vec3::ZERO, Vec3::ZERO);
        let mut work = 0.0;
        for (k, &slot) in island.bodies.iter().enumerate() {
            let body = scene.bodies.at(slot).filter(pushed);
            if let (Some(body), Some((v, w))) = (body, velocity(k)) {
                work += scene.h * (body.force.dot(v) + body.torque.dot(w));
            }
        }
        work
    }

    /// Of motors and kinematic bodies, by the impulse of each row and the
    /// velocity of each body that they acted at.
    pub(super) fn work_of_rows(
        &self,
        scene: &Scene,
        lambda: impl Fn(usize) -> f64,
        velocity: impl Fn(usize) -> Option<Twist>,
    ) -> f64 {
        let mut work = 0.0;
        for (i, (_, row)) in self.joint_rows.iter().enumerate() {
            if !row.is_driven() {
                work -= lambda(i) * self.foreign[i];
                continue;
            }
            for part in row.parts.iter().flatten() {
                let local = scene.local[part.body.index()] as usize;
                if let Some((v, w)) = velocity(local) {
                    work += lambda(i) * (part.linear.dot(v) + part.angular.dot(w));
                }
            }
        }
        for (i, &foreign) in self.foreign.iter().enumerate().skip(self.joint_rows.len()) {
            if foreign != 0.0 {
                work -= lambda(i) * foreign;
            }
        }
        work
    }
}
