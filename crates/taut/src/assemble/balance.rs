//! What a step created or lost that it should have kept.
//!
//! **Angular momentum.** An island that nothing holds keeps it, but for the torque of its forces.
//! A step that moves bodies along chords while they turn by arcs does not quite. What is
//! missing it gets as a common turn of all bodies, which leaves J v as it is.
//!
//! **Energy.**
//! A step keeps energy up to what its linearization leaves: contacts whose normals turn,
//! penetrations that are pushed out, joints closed to some digits. The balance
//! E⁺ − E − work of an island says how much it created. A step that created much turned
//! bodies too far and is to be halved, and so is one that opened joints which it takes much to
//! close again. A little is taken back: velocities are scaled, which
//! leaves J v = 0 and J v ≥ 0 as they are. An island that nothing holds keeps its momentum: only
//! what its bodies move against their common rigid motion is scaled. What rigid joints took, which do
//! no work, is given back the same way.
//!
//! **Pushing out** lifts bodies that have sunk in. The motion of the island pays for it; where there
//! is none, half of the ledger's tolerance. Beyond that they stay sunk.
//!
//! Cost: a pass over bodies. Does nothing where kinematic bodies move the island, or where
//! there is no motion to take from. Reference: energy projection, LaBudde and
//! Greenspan 1976.

use super::contacts::push_rate;
use super::energy::elastic;
use super::energy_momentum::Passage;
use super::whole::Whole;
use super::{IslandSolver, Scene, Twist};
use crate::BodyState;
use crate::contact::Contact;
use crate::islands::Island;
use crate::lcp::Operator;
use crate::math::{Mat3, Quat, Vec3};
use crate::scene::joint::{Side, nearest_turn};

/// Energy that a step may create before it is halved, as a share of the energy that moves.
const HALVED: f64 = 1e-3;
/// Share of the energy that moves which a step may create where there is not enough motion to take it back from: a free chain that turns by
/// 50 degrees a step comes to rest in itself, and its common turn must not gain.
const KEPT: f64 = 1e-6;
/// Largest share of the kinetic energy that is taken in a step; all of it where bodies start apart or inside one another. (Two at rest
/// whose hinge closes without gravity drifted on at 1 mm/s.)
const MOST_TAKEN: f64 = 0.9;
/// Largest share of the kinetic energy that is given back in a step.
const MOST_GIVEN: f64 = 0.1;
/// Bodies slower than this \[m/s\] are at rest: no step is halved for that. (A joint open by 1 mm, without
/// gravity, took 256 parts for 1e-19 J.)
const REST: f64 = 1e-6;
/// What rigid joints give way comes back while it lifts the island by no more than this \[m\], and by no more than one step. (Ropes that friction holds
/// on a drum at rest gained 8e-5 J of 0.2 J that had moved, where chains at rest gain what lifts them by 1e-10 m.)
const COMES_BACK: f64 = 1e-8;
/// What counts as rounding, as a share of the energy that moves.
const ROUNDING: f64 = 1e-13;
/// An island with less kinetic energy than this share of what gravity gives to bodies at rest in a step is held.
const HELD: f64 = 1e-3;

/// What a step does about joints that are open, in the order of concessions to energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// It closes them.
    Full,
    /// They stay as far open as they are.
    None,
    /// They stay as far open as they are, and Newton goes on until they do, to its last digits.
    NoneExactly,
}

impl IslandSolver {
    /// Takes back what the step created; false if that is too much for a step that may
    /// be halved.
    pub(super) fn balance(&mut self, scene: &Scene, island: &Island, may_halve: bool) -> bool {
        if island.bodies.len() > 1 && !self.is_tied(scene) {
            self.keep_angular_momentum(scene, island);
        }
        let (kinetic, potential, fall) = self.energy_at_end(scene, island);
        let before = self.report.energy;
        let gain = kinetic + potential - before.total() - self.report.work;
        let scale = kinetic + before.kinetic + fall;
        if may_halve && self.report.owed > HALVED * scale {
            return false;
        }
        if gain <= ROUNDING * scale {
            return true;
        }
        // In steps of microseconds from rest the motion is of the size of that. (It took up to 7 % of the first velocity.)
        if kinetic > HELD * fall && gain <= self.rounding(scene, island) {
            return true;
        }
        let common = self.common_motion(scene, island, kinetic);
        let share = if self.misplaced { 1.0 } else { MOST_TAKEN };
        let taken = common.map_or(0.0, |(_, _, free)| gain.min(share * free.max(0.0)));
        let most = if taken < gain { KEPT } else { HALVED };
        let mass: f64 = bodies(scene, island).map(|(_, b)| b.mass).sum();
        let rest = 0.5 * mass * REST * REST;
        let closing = self.pushing() + self.closing_cables(scene, island);
        if gain - closing > most * scale + rest && may_halve {
            return false;
        }
        self.report.unpaid = gain - taken;
        if let Some((motion, centre, free)) = common.filter(|_| taken > 0.0) {
            self.take(motion, centre, taken / free);
            self.report.energy_taken += taken;
        }
        true
    }

    /// Rounding of the sums that the balance subtracts from one another \[J\].
    fn rounding(&self, scene: &Scene, island: &Island) -> f64 {
        let lifted = |b: &BodyState| (b.mass * b.body.gravity_scale * scene.gravity.dot(b.x)).abs();
        let all: f64 = bodies(scene, island).map(|(_, b)| lifted(b)).sum();
        4.0 * f64::EPSILON * (all + self.report.energy.elastic)
    }

    /// Takes back all that a step created, as far as there is motion to take it from.
    pub(super) fn balance_all(&mut self, scene: &Scene, island: &Island) {
        let (kinetic, potential, _) = self.energy_at_end(scene, island);
        let gain = kinetic + potential - self.report.energy.total() - self.report.work;
        let common = self.common_motion(scene, island, kinetic);
        let taken = common.map_or(0.0, |(_, _, free)| gain.min(free).max(0.0));
        if let Some((motion, centre, free)) = common.filter(|_| taken > 0.0) {
            self.take(motion, centre, taken / free);
            self.report.energy_taken += taken;
        }
        self.report.unpaid = gain - taken;
    }

    /// Gives back what the velocities at the end lost to rigid joints, which do no work: the
    /// ringing that the second stage takes away becomes motion again.
    pub(super) fn give_back(&mut self, scene: &Scene, island: &Island, before: f64) {
        let (kinetic, potential, _) = self.energy_at_end(scene, island);
        let gain = kinetic + potential - self.report.energy.total() - self.report.work;
        let lost = (before - kinetic).min(-gain);
        let common = self.common_motion(scene, island, kinetic);
        if let Some((motion, centre, free)) = common.filter(|c| lost > 0.0 && c.2 > 0.0) {
            self.take(motion, centre, -(lost / free).min(MOST_GIVEN));
        }
    }

    /// What pushing out may cost: half the motion there is, and what the ledger allows.
    fn purse(&self, scene: &Scene, island: &Island) -> f64 {
        let mass: f64 = bodies(scene, island).map(|(_, b)| b.mass).sum();
        0.5 * self.report.energy.kinetic + scene.allowance * mass
    }

    /// Bodies at rest that have sunk in are lifted only as far as there is energy for it. What
    /// starts inside something else is pushed out at any cost.
    pub(super) fn ration_pushes(&mut self, scene: &Scene, island: &Island) {
        (self.push, self.closing) = (1.0, Closing::Full);
        let cost = |c: &Contact| c.normal_force * scene.h * -push_rate(scene, c.gap.min(0.0));
        let all: f64 = self.contacts.iter().map(cost).sum();
        if all > 0.0 && !self.misplaced {
            self.push = (self.purse(scene, island) / all).min(1.0);
        }
    }

    /// Makes the next concession, if the step created energy that it has not given back; false if it did not, or if there is none
    /// left. When the step is done again nothing is pushed out, then no joint is closed, and then Newton goes on to the end. (Joints of
    /// a bridge that had opened by 0.1 mm lifted 20 t at rest. What Newton leaves of joints, 0.6 µm, lifted 1.5 t that hang over a drum at rest by
    /// 0.4 µm a step.)
    pub(super) fn concede(&mut self, scene: &Scene, island: &Island) -> bool {
        if self.misplaced || !self.is_unpaid(scene, island) {
            return false;
        }
        let sunk = self.contacts.iter().any(|c| c.gap < 0.0);
        if sunk && self.push > 0.0 {
            self.push = 0.0;
            return true;
        }
        let next = match self.closing {
            _ if island.joints.is_empty() => None,
            Closing::Full => Some(Closing::None),
            Closing::None => Some(Closing::NoneExactly),
            Closing::NoneExactly => None,
        };
        self.closing = next.unwrap_or(self.closing);
        next.is_some()
    }

    /// Whether the step created more than may be, and has no motion to give it back from.
    pub(super) fn is_unpaid(&self, scene: &Scene, island: &Island) -> bool {
        let mass: f64 = bodies(scene, island).map(|(_, b)| b.mass).sum();
        let rounding = COMES_BACK * mass * scene.gravity.length();
        let back = (self.given_way().min(rounding) - scene.rise).max(0.0);
        self.report.unpaid > (scene.allowance + 0.5 * REST * REST) * mass + back
    }

    /// What rigid joints give way by their compliance under load, h c λ, costs c λ² to close in the next step: it comes
    /// back. (Of a chain that hangs at rest nothing else pays for it; without, its joints open by 8e-7 m in two minutes.)
    fn given_way(&self) -> f64 {
        let Operator::Multibody(m) = &self.problem.operator else { return 0.0 };
        let rigid = self.joint_rows.iter().enumerate().filter(|(_, (_, row))| row.is_workless());
        rigid.map(|(i, _)| m.compliance()[i] * self.first_impulse(i).powi(2)).sum()
    }

    /// What it costs at most to push out what has sunk in, and to close joints: no shorter step
    /// makes that less. (The wheels of `net-truck` lift its 8 t by some mm.)
    fn pushing(&self) -> f64 {
        let out: f64 = self.contacts.iter().map(|c| c.normal_force * (-c.gap).max(0.0)).sum();
        out + self.cost_of_closing()
    }

    /// What it cost at most to push out what had been put inside something else, and to close joints that
    /// had been put apart, where `repair` has not measured it.
    pub(super) fn note_mending(&mut self, scene: &Scene) {
        let is_inside = |slot: u32| scene.bodies.at(slot).is_none_or(BodyState::is_inside);
        let inside = |c: &&Contact| c.gap < 0.0 && is_inside(c.a) && is_inside(c.b);
        let cost = |c: &Contact| c.normal_force * scene.h * -push_rate(scene, c.gap);
        let pushed = || self.contacts.iter().filter(inside).map(cost).sum::<f64>();
        let mended = self.report.mended.unwrap_or_else(|| pushed() + self.cost_of_closing());
        self.report.mended = self.misplaced.then_some(mended);
    }

    /// Kinetic and potential energy at the end, and what gravity gives to the speed of
    /// bodies at rest in one step.
    pub(super) fn energy_at_end(&mut self, scene: &Scene, island: &Island) -> (f64, f64, f64) {
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
        for (k, &slot) in island.joints.iter().enumerate() {
            let Some(state) = scene.joints.at(slot) else { continue };
            let placed = || {
                let end = self.end_geometry(scene, slot);
                let expected = state.angle + self.turn_about(scene, &self.joint_geometry[k]);
                (end, nearest_turn(end.angle(), expected))
            };
            potential += elastic(&state.joint, placed, &mut sink);
        }
        self.ahead = sink;
        potential += self.elastic_at_end(scene, island);
        (kinetic, potential, fall)
    }

    /// Kinetic energy of the island at the end.
    pub(super) fn kinetic_at_end(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(k, &slot): (usize, &u32)| {
            scene.bodies.at(slot).map_or(0.0, |body| kinetic_energy(body, self.passage(k)))
        };
        island.bodies.iter().enumerate().map(of).sum()
    }

    /// Takes a share of the kinetic energy that bodies have beside a common motion.
    fn take(&mut self, motion: Twist, centre: Vec3, share: f64) {
        let s = (1.0 - share).sqrt();
        for p in self.passages_mut() {
            let v = motion.0 + motion.1.cross(p.x - centre);
            p.v = v + s * (p.v - v);
            p.w = motion.1 + s * (p.w - motion.1);
        }
    }

    /// Whether something that is not of the island may change its momentum.
    pub(crate) fn is_tied(&self, scene: &Scene) -> bool {
        let outside = |slot: u32| scene.local[slot as usize] == u32::MAX;
        let fixed = |side: &Side| side.body.is_none_or(|id| outside(id.index));
        self.joint_geometry.iter().any(|g| fixed(&g.a) || fixed(&g.b))
            || self.cables_hold(scene)
            || self.contacts.iter().any(|c| outside(c.a) || outside(c.b))
    }

    /// Whether something that is not of the island carries it.
    pub(crate) fn rests(&self, scene: &Scene) -> bool {
        let outside = |slot: u32| scene.local[slot as usize] == u32::MAX;
        let fixed = |side: &Side| side.body.is_none_or(|id| outside(id.index));
        let presses = |c: &Contact| c.normal_force > 0.0 && (outside(c.a) || outside(c.b));
        self.joint_geometry.iter().any(|g| fixed(&g.a) || fixed(&g.b))
            || self.cables_hold(scene)
            || self.contacts.iter().any(presses)
    }

    /// Turns the island so that its angular momentum about its centre is what it was, and what
    /// forces added.
    fn keep_angular_momentum(&mut self, scene: &Scene, island: &Island) {
        let before = Whole::of(bodies(scene, island).map(|(_, b)| (b, b.x, b.q, (b.v, b.w))));
        let after = Whole::of(bodies(scene, island).map(|(k, b)| (b, self.passage(k))).map(end));
        let centre = 0.5 * (before.centre + after.centre);
        let mut due = before.spin;
        for (k, b) in bodies(scene, island) {
            let arm = 0.5 * (b.x + self.passage(k).x) - centre;
            let force = b.force + b.mass * b.body.gravity_scale * scene.gravity;
            due += scene.h * (arm.cross(force) + b.torque);
        }
        let turn = after.inertia.inverse() * (due - after.spin);
        if turn.is_finite() {
            for k in 0..island.bodies.len() {
                let p = self.passage_mut(k);
                p.v += turn.cross(p.x - after.centre);
                p.w += turn;
            }
        }
    }

    /// The motion that must stay, the centre it is about, and the kinetic energy beside it:
    /// none for an island that is held, that with its momenta for one that is not.
    fn common_motion(
        &self,
        scene: &Scene,
        island: &Island,
        kinetic: f64,
    ) -> Option<(Twist, Vec3, f64)> {
        if self.foreign.iter().any(|&f| f != 0.0) {
            return None;
        }
        if self.is_tied(scene) {
            return Some((zero(), Vec3::ZERO, kinetic));
        }
        let all = Whole::of(bodies(scene, island).map(|(k, b)| (b, self.passage(k))).map(end));
        let (motion, free) = all.motion()?;
        Some((motion, all.centre, free))
    }
}

/// The bodies of an island with their place in it.
fn bodies<'a>(
    scene: &'a Scene,
    island: &'a Island,
) -> impl Iterator<Item = (usize, &'a BodyState)> + Clone {
    let with = |(k, &slot): (usize, &u32)| Some((k, scene.bodies.at(slot)?));
    island.bodies.iter().enumerate().filter_map(with)
}

/// A body at the end of the step.
fn end<'a>((b, p): (&'a BodyState, &Passage)) -> (&'a BodyState, Vec3, Quat, Twist) {
    (b, p.x, p.q, (p.v, p.w))
}

fn kinetic_energy(body: &BodyState, p: &Passage) -> f64 {
    let r = Mat3::from_quat(p.q);
    let spin = r * (body.inertia * (r.transpose() * p.w));
    0.5 * (body.mass * p.v.length_squared() + p.w.dot(spin))
}

fn zero() -> Twist {
    (Vec3::ZERO, Vec3::ZERO)
}
