//! Taking back a step that tore joints open.
//!
//! Motion that a step cannot resolve (a light link that flips between heavy
//! bodies, the crack of a whip, a slack chain that snaps taut) leaves gaps in
//! joints, whose correction would feed energy to the heavy side, or feeds it
//! at once. Such a step is rare; it is taken back and done in two halves, and
//! each of those may be halved again, until the smallest tears too. So is a step in which
//! bodies with joints are held back (`hold`) after they turned far, or where their springs have more than they
//! can pay; twice, one in which other bodies are held; and, three times, one in which bodies end deeper than they started
//! (`missed`). Measured on
//! 60 random chains with mass ratios up to 3e5 (`assemble::geometric`): 5 tear
//! or gain energy with 4 halvings, 1 with 8, mostly at 1.00 to 1.05 parts a frame.

use super::rest::asleep;
use crate::assemble::{geometry, joint_bodies};
use crate::cables::CableState;
use crate::contact::Contact;
use crate::math::{Quat, Vec3};
use crate::scene::joint::{JointKind, JointState, Reaction, RowMemory};
use crate::settings::Integrator;
use crate::slots::BodyId;
use crate::world::World;

/// What a step changes, one entry per slot in use.
#[derive(Default)]
pub(crate) struct Saved {
    bodies: Vec<SavedBody>,
    joints: Vec<SavedJoint>,
    contacts: Vec<Contact>,
    cables: Vec<CableState>,
}

struct SavedBody {
    x: Vec3,
    q: Quat,
    v: Vec3,
    w: Vec3,
    force: Vec3,
    torque: Vec3,
    lost: f64,
    frozen: bool,
}

struct SavedJoint {
    angle: f64,
    reaction: Reaction,
    motor_force: f64,
    memory: Vec<RowMemory>,
}

/// Share of an island's kinetic energy that rigid joints, which do no work,
/// may put into it in a step.
const MOST_WORK: f64 = 0.1;

/// A joint is far open beyond this share of its arms, and no less than this \[m\]. Many parts of
/// steps may each open it by less than the tolerance: a load that overlaps its own chain pulled
/// joints apart by 0.8 m in 10 s, and no part tore.
const FAR_OPEN: (f64, f64) = (0.05, 5e-3);

/// Halvings beyond these help only where bodies with joints turn by more than so much \[rad\] in
/// the smallest part. (A four-bar at 10,000 rad/s was torn at 0.65 rad.)
const ENOUGH: usize = 8;
/// Halvings of a step in which bodies without joints are held. (What is held moves on as one with what it ran into, and into others: ten plates
/// that fall into a bin end up to 34 mm deep without, 2.3 mm with one halving, 1.8 mm with two; ten stars 15, 8.8 and
/// 4.8 mm.)
const HELD: usize = 2;
/// Halvings of a step in which bodies without joints end deeper in one another than they started, by more than the margin, whatever contacts they have.
/// (Five boxes that a strong ram drives into a wall stayed 14 to 64 mm inside one another: there is no energy to push them out
/// against it. With two halvings 16 to 64 mm, with three 7 mm in one of 24 such scenes and at most 0.1 in the others.)
const DEEP: usize = 3;
const TURN: f64 = 0.3;

/// What joints hold and contacts press may turn by this much \[rad\] in a part. Impulses act in the middle of a part,
/// and a disc whose axis they tilt there has precessed by nearly its turn at the end: beyond 2.5 rad they push it the wrong
/// way. (Rounding in the axles of a symmetric car led it aside by metres in 10 s; at 1.7 rad it stays in its track to 1e-9 m.)
const ROLL: f64 = 2.0;
/// The same where joints let the axis tilt. (Tops of 100 to 5000 rad/s on a ball joint, in steady precession at 0.5 rad: without, one of 1000 rad/s
/// tilts by up to 2.0 rad and loses a seventh of its energy; with 2 rad, one of 900 rad/s, which turns by 1.9, tilts by up to 1.7.)
const TILT: f64 = 1.0;

impl World {
    /// Remembers the state but for contacts, if the step may be taken back.
    pub(super) fn save(&mut self, halvings: usize, may_halve: bool) {
        let mut saved = std::mem::take(self.work.saved(halvings));
        saved.bodies.clear();
        saved.joints.clear();
        saved.cables.clear();
        if may_halve {
            let bodies = self.bodies.iter().map(|(_, b)| SavedBody {
                x: b.x,
                q: b.q,
                v: b.v,
                w: b.w,
                force: b.force,
                torque: b.torque,
                lost: b.lost,
                frozen: b.quarantine.is_some(),
            });
            saved.bodies.extend(bodies);
            let joints = self.joints.iter().map(|(_, j)| SavedJoint {
                angle: j.angle,
                reaction: j.reaction,
                motor_force: j.motor_force,
                memory: j.memory.clone(),
            });
            saved.joints.extend(joints);
            saved.cables.extend(self.cables.iter().map(|(_, c)| c.clone()));
        }
        *self.work.saved(halvings) = saved;
    }

    /// Keeps the contacts that the step began with, which `collide` has just replaced: so they need no copy.
    pub(super) fn save_contacts(&mut self, halvings: usize, may_halve: bool) {
        if may_halve {
            let mut before = std::mem::take(&mut self.work.old_contacts);
            std::mem::swap(&mut before, &mut self.work.saved(halvings).contacts);
            self.work.old_contacts = before;
        }
    }

    /// Whether a step of h at this depth may be taken back.
    pub(super) fn may_halve(&self, h: f64, halvings: usize) -> bool {
        let s = &self.settings;
        halvings < s.max_halvings
            && (halvings < ENOUGH || self.turns_far(h))
            && self.work.torn_joint.is_none()
            && s.integrator != Integrator::MoreauMidpoint
            && s.work.is_none()
            && (self.joints.iter().next().is_some() || self.cables.iter().next().is_some())
    }

    /// Whether a step at this depth may be taken back because bodies without joints are held, or end deep.
    pub(super) fn may_split(&self, halvings: usize) -> bool {
        let s = &self.settings;
        halvings < DEEP.min(s.max_halvings)
            && s.integrator == Integrator::EnergyMomentum
            && s.work.is_none()
    }

    /// Whether that is the case.
    pub(super) fn is_to_split(&self, h: f64, halvings: usize) -> bool {
        let held = halvings < HELD && self.work.holds.stops_loose(h);
        held || self.work.missed.left > self.settings.contact_margin
    }

    /// Whether a body with joints turns too far in h to be followed.
    fn turns_far(&self, h: f64) -> bool {
        let far = |(_, j): (_, &JointState)| {
            let mut ends = joint_bodies(&j.joint, &self.joints).into_iter().flatten();
            let rate = |id: BodyId| self.bodies.at(id.index).map_or(0.0, |b| b.w.length());
            ends.any(|id| h * rate(id) > TURN)
        };
        self.joints.iter().any(far)
    }

    /// Whether a body with joints that something presses on, or whose axis they let tilt, turns too far in h.
    pub(super) fn rolls_far(&self, h: f64) -> bool {
        let rate = |slot: u32| self.bodies.at(slot).map_or(0.0, |b| b.w.length());
        let pressed = |slot: u32| {
            let touches = |c: &Contact| c.normal_force > 0.0 && (c.a == slot || c.b == slot);
            self.contacts.iter().any(touches)
        };
        let far = |(_, j): (_, &JointState)| {
            let mut ends = joint_bodies(&j.joint, &self.joints).into_iter().flatten();
            let tilts = matches!(j.joint.kind, JointKind::Ball { .. } | JointKind::Universal);
            let turn = |id: BodyId| h * rate(id.index);
            ends.any(|id| tilts && turn(id) > TILT || turn(id) > ROLL && pressed(id.index))
        };
        self.joints.iter().any(far)
    }

    /// Whether the step just taken is to be done again in halves.
    pub(super) fn is_to_halve(&mut self, h: f64, halvings: usize, may_halve: bool) -> bool {
        if !may_halve {
            // The smallest part tears too (joints that contradict one
            // another, say): smaller steps are no help in this one.
            let smallest = halvings >= self.settings.max_halvings.min(ENOUGH) && halvings > 0;
            // What joints feed to their bodies there is the ledger's to say: it may be what closes
            // those that start open.
            if smallest && self.work.torn_joint.is_none() {
                self.work.torn_joint = self.torn_joint(f64::INFINITY);
            }
            return false;
        }
        let holds = &self.work.holds;
        self.torn_joint(MOST_WORK).is_some() || holds.bends_joints(h) || holds.unpaid
    }

    /// A joint that the step bent beyond tolerance, or of an island whose
    /// joints fed more than a share of their energy to their bodies.
    fn torn_joint(&self, most_work: f64) -> Option<u32> {
        let list = &self.work.islands.list[..self.work.islands.count];
        let awake = self.work.solvers.iter().zip(list).filter(|(_, i)| !asleep(&self.bodies, i));
        awake
            .map(|(solver, _)| &solver.report)
            .find(|r| r.joint_error > self.settings.joint_tolerance || r.joint_work > most_work)
            .map(|r| r.worst_joint)
    }

    /// Remembers how far joints are open. (Where everything sleeps, none opens.)
    pub(super) fn remember_gaps(&mut self) {
        let gap = |j: &JointState| j.joint.gap(&geometry(&j.joint, &self.bodies));
        self.work.gaps.clear();
        if self.work.rest.is_some() {
            return;
        }
        self.work.gaps.extend(self.joints.iter().map(|((slot, _), j)| (slot, gap(j))));
    }

    /// A rigid joint that is far open now, and farther than it was. (One that starts open closes.)
    pub(super) fn opened_joint(&self) -> Option<u32> {
        let is_torn = |&(slot, before): &(u32, f64)| {
            let Some(JointState { joint, .. }) = self.joints.at(slot) else { return false };
            let g = geometry(joint, &self.bodies);
            let far = (FAR_OPEN.0 * (g.a.r.length() + g.b.r.length())).max(FAR_OPEN.1);
            joint.gap(&g) > before.max(far)
        };
        self.work.gaps.iter().find(|gap| is_torn(gap)).map(|gap| gap.0)
    }

    /// Back to the state before the step.
    pub(super) fn restore_saved(&mut self, halvings: usize) {
        let mut saved = std::mem::take(self.work.saved(halvings));
        for ((_, b), s) in self.bodies.iter_mut().zip(&saved.bodies) {
            (b.x, b.q, b.v, b.w) = (s.x, s.q, s.v, s.w);
            (b.force, b.torque, b.lost) = (s.force, s.torque, s.lost);
            if !s.frozen {
                b.quarantine = None;
            }
        }
        for ((_, j), s) in self.joints.iter_mut().zip(&mut saved.joints) {
            (j.angle, j.reaction, j.motor_force) = (s.angle, s.reaction, s.motor_force);
            std::mem::swap(&mut j.memory, &mut s.memory);
        }
        for ((_, c), s) in self.cables.iter_mut().zip(&saved.cables) {
            c.clone_from(s);
        }
        self.contacts.clone_from(&saved.contacts);
        *self.work.saved(halvings) = saved;
    }
}
