//! What a step created, taken from its velocities.
//!
//! A step keeps energy up to what its linearization leaves: contacts whose normals turn,
//! penetrations that are pushed out, joints closed to some digits. The balance
//! E⁺ − E − work of an island says how much it created. A step that created much turned
//! bodies too far and is to be halved. A little is taken back: velocities are scaled, which
//! leaves J v = 0 and J v ≥ 0 as they are. An island that nothing holds keeps its momentum: only
//! what its bodies move against their common rigid motion is scaled.
//!
//! Cost: a pass over bodies. Does nothing where kinematic bodies move the island, or where
//! there is no motion to take from. Reference: energy projection, LaBudde and
//! Greenspan 1976.

use super::energy::elastic;
use super::joints::geometry_at;
use super::{IslandSolver, Scene, Twist};
use crate::islands::Island;
use crate::math::{Mat3, Vec3};
use crate::{BodyId, BodyState};

/// Energy that a step may create before it is halved, as a share of the energy that moves.
const HALVED: f64 = 1e-3;
/// Largest share of the kinetic energy that is taken in a step.
const MOST_TAKEN: f64 = 0.9;
/// What counts as rounding, as a share of the energy that moves.
const ROUNDING: f64 = 1e-13;

impl IslandSolver {
    /// Takes back what the step created; false if that is too much for a step that may
    /// be halved.
    pub(super) fn balance(&mut self, scene: &Scene, island: &Island, may_halve: bool) -> bool {
        let (kinetic, potential, fall) = self.energy_at_end(scene, island);
        let before = self.report.energy;
        let gain = kinetic + potential - before.total() - self.report.work;
        let scale = kinetic + before.kinetic + fall;
        if gain <= ROUNDING * scale {
            return true;
        }
        if gain > HALVED * scale && may_halve {
            return false;
        }
        self.take(scene, island, gain, kinetic);
        true
    }

    /// Kinetic and potential energy at the end, and what gravity gives to the speed of
    /// bodies at rest in one step.
    fn energy_at_end(&mut self, scene: &Scene, island: &Island) -> (f64, f64, f64) {
        let (mut kinetic, mut potential, mut fall) = (0.0, 0.0, 0.0);
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let p = self.passage(k);
            let weight = body.mass * body.body.gravity_scale * scene.gravity;
            kinetic += kinetic_energy(body, p);
            potential -= weight.dot(p.x);
            fall += 0.5 * (scene.h * weight).length_squared() / body.mass;
        }
        let mut sink = std::mem::take(&mut self.ahead);
        for state in island.joints.iter().filter_map(|&slot| scene.joints.at(slot)) {
            let pose = |id: BodyId, body: &BodyState| self.end_pose(scene, id, body);
            let geometry = || geometry_at(&state.joint, scene.bodies, pose);
            potential += elastic(&state.joint, geometry, &mut sink);
        }
        self.ahead = sink;
        (kinetic, potential, fall)
    }

    /// Kinetic energy of the island at the end.
    pub(super) fn kinetic_at_end(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(k, &slot): (usize, &u32)| {
            scene.bodies.at(slot).map_or(0.0, |body| kinetic_energy(body, self.passage(k)))
        };
        island.bodies.iter().enumerate().map(of).sum()
    }

    /// Takes a gain from the velocities at the end.
    fn take(&mut self, scene: &Scene, island: &Island, gain: f64, kinetic: f64) {
        if self.foreign.iter().any(|&f| f != 0.0) {
            return;
        }
        let common = if self.is_held(scene) {
            Some((zero(), Vec3::ZERO, kinetic))
        } else {
            self.common_motion(scene, island)
        };
        let Some((motion, centre, free)) = common else { return };
        if free <= 0.0 {
            return;
        }
        let taken = gain.min(MOST_TAKEN * free);
        let s = (1.0 - taken / free).sqrt();
        for k in 0..island.bodies.len() {
            let p = self.passage_mut(k);
            let v = motion.0 + motion.1.cross(p.x - centre);
            p.v = v + s * (p.v - v);
            p.w = motion.1 + s * (p.w - motion.1);
        }
        self.report.energy_taken += taken;
    }

    /// Whether something that is not of the island holds it.
    fn is_held(&self, scene: &Scene) -> bool {
        let outside = |slot: u32| scene.local[slot as usize] == u32::MAX;
        let by_joint = self.joint_rows.iter().any(|(_, row)| {
            let parts = row.parts.iter().flatten();
            parts.clone().count() == 1 || parts.clone().any(|p| outside(p.body.index))
        });
        let touches =
            |c: &crate::contact::Contact| c.normal_force > 0.0 && (outside(c.a) || outside(c.b));
        by_joint || self.contacts.iter().any(touches)
    }

    /// The rigid motion with the momenta of the island, its centre, and the kinetic
    /// energy beside it.
    fn common_motion(&self, scene: &Scene, island: &Island) -> Option<(Twist, Vec3, f64)> {
        let bodies = || {
            let with = |(k, &slot): (usize, &u32)| Some((scene.bodies.at(slot)?, self.passage(k)));
            island.bodies.iter().enumerate().filter_map(with)
        };
        let mass: f64 = bodies().map(|(b, _)| b.mass).sum();
        let centre = bodies().map(|(b, p)| p.x * b.mass).sum::<Vec3>() / mass;
        let v = bodies().map(|(b, p)| p.v * b.mass).sum::<Vec3>() / mass;
        let (mut inertia, mut spin, mut kinetic) = (Mat3::ZERO, Vec3::ZERO, 0.0);
        for (b, p) in bodies() {
            let (r, x) = (Mat3::from_quat(p.q), p.x - centre);
            let own = r * b.inertia * r.transpose();
            let outer = Mat3::from_cols(x * x.x, x * x.y, x * x.z);
            inertia += own + (Mat3::IDENTITY * x.length_squared() - outer) * b.mass;
            spin += own * p.w + x.cross((p.v - v) * b.mass);
            kinetic += kinetic_energy(b, p);
        }
        let w = inertia.inverse() * spin;
        let common = 0.5 * (mass * v.length_squared() + w.dot(spin));
        w.is_finite().then_some(((v, w), centre, kinetic - common))
    }
}

fn kinetic_energy(body: &BodyState, p: &super::energy_momentum::Passage) -> f64 {
    let r = Mat3::from_quat(p.q);
    let spin = r * (body.inertia * (r.transpose() * p.w));
    0.5 * (body.mass * p.v.length_squared() + p.w.dot(spin))
}

fn zero() -> Twist {
    (Vec3::ZERO, Vec3::ZERO)
}
