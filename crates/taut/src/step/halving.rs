//! Taking back a step that tore joints open.
//!
//! Motion that a step cannot resolve (a light link that flips between heavy
//! bodies, the crack of a whip, a slack chain that snaps taut) leaves gaps in
//! joints, whose correction would feed energy to the heavy side, or feeds it
//! at once. Such a step is rare; it is taken back and done in two halves, and
//! each of those may be halved again, until the smallest tears too. So is a step in which
//! bodies with joints are held back (`hold`) after they turned far, or where their springs have more than they
//! can pay; twice, one in which other bodies are held; three times, one in which bodies end deeper than they started
//! (`missed`); and one whose impulses go astray since contacts turn in it (`assemble::kicks`). Few bodies that are held
//! go on from where they ran into something: a ball between two walls bounces many times in a step. Only the islands
//! concerned are taken back (`redo`). Measured on
//! 60 random chains with mass ratios up to 3e5 (`assemble::geometric`): 5 tear
//! or gain energy with 4 halvings, 1 with 8, mostly at 1.00 to 1.05 parts a frame.

use super::rest::asleep;
use super::softs::SavedSoft;
use crate::assemble::{IslandSolver, geometry, joint_bodies};
use crate::cables::CableState;
use crate::contact::Contact;
use crate::math::{Pose, Quat, Vec3};
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
    /// How many contacts of the step had ended.
    gone: usize,
    cables: Vec<CableState>,
    softs: Vec<SavedSoft>,
}

impl Saved {
    /// Poses of bodies, in the order of their slots.
    pub(super) fn poses(&self) -> impl Iterator<Item = Pose> + '_ {
        self.bodies.iter().map(|b| Pose::from_parts(b.x, b.q))
    }
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
    mean: (Reaction, f64),
    memory: Vec<RowMemory>,
}

/// Share of an island's kinetic energy that rigid joints, which do no work,
/// may put into it in a step.
const MOST_WORK: f64 = 0.1;

/// A joint is far open beyond this share of its arms, and no less than this \[m\]. Many parts of
/// steps may each open it by less than the tolerance: a load that overlaps its own chain pulled
/// joints apart by 0.8 m in 10 s, and no part tore.
const FAR_OPEN: (f64, f64) = (0.05, 5e-3);

/// Halvings after which only those steps are halved in which bodies with joints turn by more than `TURN` in the smallest part.
const ENOUGH: usize = 8;
/// How far bodies with joints may turn in such a part \[rad\]. (A four-bar at 10,000 rad/s was torn at 0.65 rad.)
const TURN: f64 = 0.3;
/// Halvings of a step in which bodies without joints are held. (What is held moves on as one with what it ran into, and into others: ten plates
/// that fall into a bin end up to 34 mm deep without, 2.3 mm with one halving, 1.8 mm with two; ten stars 15, 8.8 and
/// 4.8 mm.)
const HELD: usize = 2;
/// Halvings of such a step in islands of few bodies, which cost little. (Two solids that met in flight at 300 m/s were left with 51 of 139 J after two.)
const HELD_FEW: usize = 5;
/// Halvings of a step in which bodies without joints end deeper in one another than they started, by more than the margin, whatever contacts they have.
/// (Five boxes that a strong ram drives into a wall stayed 14 to 64 mm inside one another: there is no energy to push them out
/// against it. With two halvings 16 to 64 mm, with three 7 mm in one of 24 such scenes and at most 0.1 in the others.)
const DEEP: usize = 3;
/// Halvings of a step in which solids that meet as meshes end deeper. (Rings and frames of 8 mm with a load of 50 kg on a rope passed through one another with 3.)
const PIERCED: usize = 5;
/// A step is halved if impulses along normals that turn in it may misdirect more than this share of the kinetic energy
/// (`kicks`): the first for islands of at most `FEW` bodies, which cost little, the second for larger ones. (A ball of 2 km/s
/// that hits a free plate off its centre goes off at 720 m/s without, at 44 with, as it should; a car at 40 m/s over bumps of 15 cm
/// flies 19 m high without, 1.9 with, 1.6 at 1/960 s.)
const KICK: (f64, f64) = (3e-3, 3e-2);
const FEW: usize = 4;
/// Halvings for that, and the number of bodies beyond which there is one only. (The trucks of `trucks`, with 992 bodies, end 8.4 mm deep in their
/// net within 90 frames without any, 3.7 mm with one.)
const KICKS: usize = 6;
const MANY: usize = 40;
/// Times few bodies are taken back to where they ran into something, in all. (A ball that bounces between two walls 40 times a step.)
const BOUNCES: usize = 64;
/// Parts of a step that did not converge, after which it is halved no more: shorter ones do not either. (What a jam costs is its
/// solves: a motor without a force limit takes 7,000 factorizations in the four parts of a frame.)
const FAILED: usize = 4;
/// Times nearer to the ends of a step than this share of it are its ends.
const EDGE: f64 = 1e-3;

/// What joints hold and contacts press may turn by this much \[rad\] in a part. Impulses act in the middle of a part,
/// and a disc whose axis they tilt there has precessed by nearly its turn at the end: beyond 2.5 rad they push it the wrong
/// way. (Rounding in the axles of a symmetric car led it aside by metres in 10 s; at 1.7 rad it stays in its track to 1e-9 m.)
const ROLL: f64 = 2.0;
/// What may turn in a part \[rad\] where joints let its axis tilt. (Tops of 100 to 5000 rad/s on a ball joint, in steady precession at 0.5 rad: without, one of 1000 rad/s
/// tilts by up to 2.0 rad and loses a seventh of its energy; with 2 rad, one of 900 rad/s, which turns by 1.9, tilts by up to 1.7.)
const TILT: f64 = 1.0;

/// How a step that is taken back is done again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parts {
    Halves,
    /// In two parts, the first of so many seconds.
    From(f64),
}

/// How often a step was taken back to come to a part of it: done in halves, and in parts before and after an impact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nesting {
    pub(super) halvings: usize,
    pub(super) splits: usize,
}

impl Nesting {
    pub(super) fn level(self) -> usize {
        self.halvings + self.splits
    }

    pub(super) fn halved(self) -> Self {
        Nesting { halvings: self.halvings + 1, ..self }
    }

    pub(super) fn split(self) -> Self {
        Nesting { splits: self.splits + 1, ..self }
    }
}

impl World {
    /// Remembers the state but for contacts, if the step may be taken back.
    pub(super) fn save(&mut self, nesting: Nesting, may_return: bool) {
        let mut saved = std::mem::take(self.work.saved(nesting.level()));
        saved.bodies.clear();
        saved.joints.clear();
        saved.cables.clear();
        saved.softs.clear();
        saved.gone = self.gone.len();
        if may_return {
            saved.softs.extend(self.softs.iter().map(|(_, s)| SavedSoft::of(s)));
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
                mean: j.mean,
                memory: j.memory.clone(),
            });
            saved.joints.extend(joints);
            saved.cables.extend(self.cables.iter().map(|(_, c)| c.clone()));
        }
        *self.work.saved(nesting.level()) = saved;
    }

    /// Keeps the contacts that the step began with, which `collide` has just replaced: so they need no copy.
    pub(super) fn save_contacts(&mut self, nesting: Nesting, may_return: bool) {
        if may_return {
            let mut before = std::mem::take(&mut self.work.old_contacts);
            std::mem::swap(&mut before, &mut self.work.saved(nesting.level()).contacts);
            self.work.old_contacts = before;
        }
    }

    /// Whether a step of h at this nesting may be taken back.
    pub(super) fn may_halve(&self, h: f64, nesting: Nesting) -> bool {
        let s = &self.settings;
        nesting.halvings < s.max_halvings
            && (nesting.halvings < ENOUGH || self.turns_far(h))
            && self.work.torn_joint.is_none()
            && self.work.failed < FAILED
            && s.integrator != Integrator::MoreauMidpoint
            && s.work.is_none()
            && (self.joints.iter().next().is_some() || self.cables.iter().next().is_some())
    }

    /// Whether a step may be taken back because bodies without joints are held, or end deep, or because of an impact.
    pub(super) fn may_split(&self) -> bool {
        let s = &self.settings;
        s.max_halvings > 0
            && self.work.failed < FAILED
            && s.integrator == Integrator::EnergyMomentum
            && s.work.is_none()
    }

    /// Marks the islands to be halved for one of those reasons.
    fn find_deep(&self, h: f64, Nesting { halvings, .. }: Nesting, again: &mut [bool]) {
        let most = self.settings.max_halvings;
        let few = |slot: u32| {
            let islands = &self.work.islands;
            let island = islands.list.get(islands.island[slot as usize] as usize);
            island.is_some_and(|island| island.bodies.len() <= FEW)
        };
        let limit = |slot: u32| if few(slot) { HELD_FEW } else { HELD };
        let held = self.work.holds.held_loose(h).filter(|&slot| halvings < limit(slot).min(most));
        let sunk = self.work.missed.sunk.iter().filter(|_| halvings < DEEP.min(most));
        let pierced = self.work.missed.pierced.iter().filter(|_| halvings < PIERCED.min(most));
        for slot in held.chain(sunk.copied()).chain(pierced.copied()) {
            self.mark(slot, again);
        }
        let islands = &self.work.islands;
        let all = self.work.solvers.iter().zip(&islands.list[..islands.count]).enumerate();
        for (i, (solver, island)) in all.filter(|(_, (_, s))| !asleep(&self.bodies, s)) {
            let count = island.bodies.len();
            let limit = if count <= MANY { KICKS } else { 1 };
            let kick = if count <= FEW { KICK.0 } else { KICK.1 };
            again[i] |= halvings < most.min(limit) && solver.report.kick > kick;
        }
    }

    /// Marks islands of few bodies in which one without joints was held: they do the step again in two parts, split at the moment of
    /// the hit. Returns the earliest such moment.
    fn find_early(
        &self,
        h: f64,
        Nesting { splits, .. }: Nesting,
        again: &mut [bool],
    ) -> Option<f64> {
        let mut first = None;
        for slot in self.work.holds.held_loose(h) {
            let islands = &self.work.islands;
            let island = islands.list.get(islands.island[slot as usize] as usize);
            let Some(island) = island else { continue };
            let end = self.work.holds.way(slot, h);
            let within = end > EDGE * h && end < (1.0 - EDGE) * h;
            if within && may_bounce(island.bodies.len(), splits) {
                first = Some(end.min(first.unwrap_or(end)));
                self.mark(slot, again);
            }
        }
        first
    }

    /// Has the island of a body done again.
    fn mark(&self, slot: u32, again: &mut [bool]) {
        if let Some(again) = again.get_mut(self.work.islands.island[slot as usize] as usize) {
            *again = true;
        }
    }

    /// Whether a body with joints turns too far in h to be followed.
    fn turns_far(&self, h: f64) -> bool {
        let far = |(_, j): (_, &JointState)| {
            let mut ends = joint_bodies(&j.joint, &self.joints).into_iter().flatten();
            let rate = |id: BodyId| self.rate(id.index);
            ends.any(|id| h * rate(id) > TURN)
        };
        self.joints.iter().any(far)
    }

    /// How fast a body turns that goes on \[rad/s\].
    fn rate(&self, slot: u32) -> f64 {
        self.bodies.at(slot).filter(|b| b.done.is_none()).map_or(0.0, |b| b.w.length())
    }

    /// Whether a body with joints that something presses on, or whose axis they let tilt, turns too far in h.
    pub(super) fn rolls_far(&self, h: f64) -> bool {
        let pressed = |slot: u32| {
            let touches = |c: &Contact| c.normal_force > 0.0 && (c.a == slot || c.b == slot);
            self.contacts.iter().any(touches)
        };
        let far = |(_, j): (_, &JointState)| {
            let mut ends = joint_bodies(&j.joint, &self.joints).into_iter().flatten();
            let tilts = matches!(j.joint.kind, JointKind::Ball { .. } | JointKind::Universal);
            let turn = |id: BodyId| h * self.rate(id.index);
            ends.any(|id| tilts && turn(id) > TILT || turn(id) > ROLL && pressed(id.index))
        };
        self.joints.iter().any(far)
    }

    /// Finds the islands that are to do the step just taken again, and in which parts; none if there are no such islands.
    pub(super) fn find_again(
        &mut self,
        h: f64,
        nesting: Nesting,
        (may_halve, may_split): (bool, bool),
    ) -> Option<Parts> {
        let mut again = std::mem::take(&mut self.work.redo.again);
        again.clear();
        again.resize(self.work.islands.count, false);
        if may_halve {
            self.find_torn(h, &mut again);
        } else {
            self.note_torn_joint(nesting.halvings);
        }
        let mut first = None;
        if may_split {
            let torn = again.contains(&true);
            first = self.find_early(h, nesting, &mut again);
            if first.is_none() || torn {
                first = None;
                if nesting.halvings < PIERCED {
                    self.find_pierced(h);
                }
                self.find_deep(h, nesting, &mut again);
            }
        }
        self.work.redo.again = again;
        let parts = first.map_or(Parts::Halves, Parts::From);
        self.work.redo.again.contains(&true).then_some(parts)
    }

    /// Notes the joint that even the smallest part tears (joints that contradict one another, say): smaller steps are no help.
    fn note_torn_joint(&mut self, halvings: usize) {
        let smallest = halvings >= self.settings.max_halvings.min(ENOUGH) && halvings > 0;
        // What joints feed to their bodies there is the ledger's to say: it may be what closes
        // those that start open.
        if smallest && self.work.torn_joint.is_none() {
            let torn = self.torn(f64::INFINITY).next();
            self.work.torn_joint = torn.map(|i| self.work.solvers[i].report.worst_joint);
        }
    }

    /// Finds the islands that tore, or whose bodies with joints were held where they may not be.
    fn find_torn(&self, h: f64, again: &mut [bool]) {
        self.torn(MOST_WORK).for_each(|i| again[i] = true);
        let holds = &self.work.holds;
        for slot in holds.bent(h).chain(holds.unpaid.iter().copied()) {
            self.mark(slot, again);
        }
    }

    /// Islands with a joint that the step bent beyond tolerance, or whose
    /// joints fed more than a share of their energy to their bodies.
    fn torn(&self, most_work: f64) -> impl Iterator<Item = usize> + '_ {
        let list = &self.work.islands.list[..self.work.islands.count];
        let all = self.work.solvers.iter().zip(list).enumerate();
        let awake = all.filter(|(_, (_, island))| !asleep(&self.bodies, island));
        let is_torn = move |(i, (solver, _)): (usize, (&IslandSolver, _))| {
            let (r, most) = (&solver.report, self.settings.joint_tolerance);
            (r.joint_error > most || r.joint_work > most_work).then_some(i)
        };
        awake.filter_map(is_torn)
    }

    /// Remembers how far joints are open. (Where everything sleeps, none opens.)
    pub(crate) fn remember_gaps(&mut self) {
        let gap = |j: &JointState| j.joint.gap(&geometry(&j.joint, &self.bodies));
        self.work.gaps.clear();
        if self.work.rest.is_some() {
            return;
        }
        self.work.gaps.extend(self.joints.iter().map(|((slot, _), j)| (slot, gap(j))));
    }

    /// A rigid joint that is far open now, and farther than it was. (One that starts open closes.)
    pub(crate) fn opened_joint(&self) -> Option<u32> {
        let is_torn = |&(slot, before): &(u32, f64)| {
            let Some(JointState { joint, .. }) = self.joints.at(slot) else { return false };
            let g = geometry(joint, &self.bodies);
            let far = (FAR_OPEN.0 * (g.a.r.length() + g.b.r.length())).max(FAR_OPEN.1);
            joint.gap(&g) > before.max(far)
        };
        self.work.gaps.iter().find(|gap| is_torn(gap)).map(|gap| gap.0)
    }

    /// Takes bodies, joints, cables and contacts of the islands that are to go on in parts back to the state before the step.
    pub(super) fn restore_saved(&mut self, level: usize) {
        let saved = std::mem::take(self.work.saved(level));
        let done: Vec<bool> =
            (0..self.bodies.slots() as u32).map(|slot| self.is_done(slot)).collect();
        let of_done = |j: &JointState, joints: &_| {
            let mut ends = joint_bodies(&j.joint, joints).into_iter().flatten();
            ends.any(|id| done[id.index()])
        };
        let stay: Vec<bool> = self.joints.iter().map(|(_, j)| of_done(j, &self.joints)).collect();
        for ((_, b), s) in self.bodies.iter_mut().zip(&saved.bodies) {
            if b.done.is_some() {
                continue;
            }
            (b.x, b.q, b.v, b.w) = (s.x, s.q, s.v, s.w);
            (b.force, b.torque, b.lost) = (s.force, s.torque, s.lost);
            if !s.frozen {
                b.quarantine = None;
            }
        }
        let joints = self.joints.iter_mut().zip(&saved.joints).zip(stay);
        for (((_, j), s), _) in joints.filter(|(_, stays)| !stays) {
            (j.angle, j.reaction, j.motor_force) = (s.angle, s.reaction, s.motor_force);
            j.mean = s.mean;
            j.memory.clone_from(&s.memory);
        }
        for ((_, c), s) in self.cables.iter_mut().zip(&saved.cables) {
            if !c.slots().any(|slot| done[slot as usize]) {
                c.clone_from(s);
            }
        }
        for ((_, soft), s) in self.softs.iter_mut().zip(&saved.softs) {
            s.restore(soft);
        }
        let stays = |c: &Contact| done[c.a as usize] || done[c.b as usize];
        self.gone.truncate(saved.gone);
        self.contacts.retain(stays);
        self.contacts.extend(saved.contacts.iter().filter(|c| !stays(c)));
        self.contacts.sort_unstable_by_key(|c| c.key);
        *self.work.saved(level) = saved;
    }
}

/// Whether an island of so many bodies may be taken back to where one of them ran into something, after so many times.
pub(super) fn may_bounce(bodies: usize, splits: usize) -> bool {
    bodies <= FEW && splits * bodies < BOUNCES
}
