//! Taking back a step that tore joints open.
//!
//! Motion that a step cannot resolve (a light link that flips between heavy
//! bodies, the crack of a whip) leaves gaps in joints, whose correction would
//! feed energy to the heavy side. Such a step is rare; it is taken back and
//! done in two halves, and each of those may be halved again.

use crate::assemble::geometry;
use crate::contact::Contact;
use crate::math::{Quat, Vec3};
use crate::scene::joint::{JointKind, Reaction, RowMemory};
use crate::settings::Integrator;
use crate::world::World;

/// What a step changes, one entry per slot in use.
#[derive(Default)]
pub(crate) struct Saved {
    bodies: Vec<SavedBody>,
    joints: Vec<SavedJoint>,
    contacts: Vec<Contact>,
    /// Worst relative gap of joints before the step.
    gap: f64,
}

struct SavedBody {
    x: Vec3,
    q: Quat,
    v: Vec3,
    w: Vec3,
    force: Vec3,
    torque: Vec3,
    frozen: bool,
}

struct SavedJoint {
    reaction: Reaction,
    motor_force: f64,
    memory: Vec<RowMemory>,
}

/// Joints at the centres of their bodies have no arms \[m\]: any gap that grows
/// counts. Measured: with 1e-3 a ring nailed at the centre of a link tears.
const LEAST_LENGTH: f64 = 1e-9;

impl World {
    /// Remembers the state, if the step may be taken back.
    pub(super) fn save(&mut self, halvings: usize) {
        let mut saved = std::mem::take(self.work.saved(halvings));
        saved.bodies.clear();
        saved.joints.clear();
        saved.contacts.clear();
        if self.may_halve(halvings) {
            let bodies = self.bodies.iter().map(|(_, b)| SavedBody {
                x: b.x,
                q: b.q,
                v: b.v,
                w: b.w,
                force: b.force,
                torque: b.torque,
                frozen: b.quarantine.is_some(),
            });
            saved.bodies.extend(bodies);
            let joints = self.joints.iter().map(|(_, j)| SavedJoint {
                reaction: j.reaction,
                motor_force: j.motor_force,
                memory: j.memory.clone(),
            });
            saved.joints.extend(joints);
            saved.contacts.extend_from_slice(&self.contacts);
            saved.gap = self.relative_gap();
        }
        *self.work.saved(halvings) = saved;
    }

    fn may_halve(&self, halvings: usize) -> bool {
        let s = &self.settings;
        halvings < s.max_halvings
            && s.integrator == Integrator::SemiImplicitEuler
            && self.joints.iter().next().is_some()
    }

    /// Whether joints are open beyond tolerance, and more so than before.
    pub(super) fn tore_joints(&mut self, halvings: usize) -> bool {
        if !self.may_halve(halvings) {
            return false;
        }
        let before = self.work.saved(halvings).gap;
        let gap = self.relative_gap();
        gap > self.settings.joint_tolerance && gap > 1.5 * before
    }

    /// Largest gap of a rigid joint, relative to its arms (and, for rods and
    /// ropes, its length).
    fn relative_gap(&self) -> f64 {
        let rigid = self.joints.iter().filter(|(_, j)| j.joint.linear_spring.is_none());
        let relative = rigid.map(|(_, j)| {
            let g = geometry(&j.joint, &self.bodies);
            let arms = |id: Option<_>, r: Vec3| id.map_or(0.0, |_| r.length());
            let rod = matches!(j.joint.kind, JointKind::Distance { .. });
            let own = if rod { g.a.p.distance(g.b.p) } else { 0.0 };
            let length = arms(g.a.body, g.a.r) + arms(g.b.body, g.b.r) + own;
            j.joint.gap(&g) / length.max(LEAST_LENGTH)
        });
        relative.fold(0.0, f64::max)
    }

    /// Back to the state before the step.
    pub(super) fn restore_saved(&mut self, halvings: usize) {
        let mut saved = std::mem::take(self.work.saved(halvings));
        for ((_, b), s) in self.bodies.iter_mut().zip(&saved.bodies) {
            (b.x, b.q, b.v, b.w) = (s.x, s.q, s.v, s.w);
            (b.force, b.torque) = (s.force, s.torque);
            if !s.frozen {
                b.quarantine = None;
            }
        }
        for ((_, j), s) in self.joints.iter_mut().zip(&mut saved.joints) {
            (j.reaction, j.motor_force) = (s.reaction, s.motor_force);
            std::mem::swap(&mut j.memory, &mut s.memory);
        }
        self.contacts.clone_from(&saved.contacts);
        *self.work.saved(halvings) = saved;
    }
}
