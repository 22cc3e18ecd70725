//! The stages of a step that move state.

use super::rest::asleep;
use crate::assemble::{IslandSolver, Scene, joint_bodies};
use crate::cables::CableState;
use crate::collide::Motion;
use crate::contact;
use crate::error::Error;
use crate::integrate::advance;
use crate::islands::{Island, Islands, NONE};
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::mean::Share;
use crate::report::{Event, StepReport};
use crate::scene::joint::JointState;
use crate::scene::{BodyKind, BodyState};
use crate::settings::FrictionMode;
use crate::slots::{BodyId, Slots};
use crate::world::World;

/// Beyond these a body is lost, and its numbers would harm others.
const MAX_SPEED: f64 = 1e9;
const MAX_DISTANCE: f64 = 1e12;

impl World {
    /// Solvers of the configured kind; a change of kind discards old ones.
    pub(super) fn prepare_solvers(&mut self) -> Result<(), Error> {
        if self.work.solver_config.as_ref() != Some(&self.settings.solver) {
            self.settings.solver.build()?;
            self.work.takes_cones = self.settings.solver.takes_cones();
            self.work.solvers.clear();
            self.work.solver_config = Some(self.settings.solver.clone());
        }
        let cones = matches!(self.settings.friction, FrictionMode::Cone | FrictionMode::Ccp);
        if cones && !self.work.takes_cones {
            let value = self.settings.solver.name().to_string();
            let expected = "a solver that takes cones, such as auto; or friction in boxes (FrictionMode::Box, --friction box)";
            return Err(Error::Value { name: "solver", value, expected });
        }
        Ok(())
    }

    /// Freezes bodies whose state is beyond all bounds.
    pub(super) fn quarantine_inputs(&mut self, report: &mut StepReport) {
        for (id, body) in self.bodies.iter_mut() {
            if body.quarantine.is_none()
                && let Some(reason) = unsound(body)
            {
                quarantine(BodyId::of_slot(id), body, reason, report);
            }
        }
    }

    pub(super) fn collide(&mut self, h: f64) {
        let work = &mut self.work;
        work.motions.clear();
        let nowhere = Motion::nowhere();
        let motion = |body: &BodyState| {
            let (velocity, angular_velocity) = body.given(0.5 * h);
            let pose = Pose::from_parts(body.x, body.q);
            Motion { pose, velocity, angular_velocity, is_static: !body.is_dynamic() }
        };
        let slots = 0..self.bodies.slots() as u32;
        work.motions.extend(slots.map(|i| self.bodies.at(i).map_or(nowhere, motion)));
        let (jointed, all) = (&self.jointed, &self.bodies);
        let some_done = all.iter().any(|(_, b)| b.done.is_some());
        let done = |slot: u32| some_done && all.at(slot).is_some_and(|b| b.done.is_some());
        let filter = |a: u32, b: u32| {
            jointed.binary_search(&(a.min(b), a.max(b))).is_err() && !done(a) && !done(b)
        };
        // Gravity may close a gap within the step too.
        let margin = self.settings.contact_margin + 2.0 * h * h * self.gravity.length();
        let table = &self.colliders;
        work.pipeline.update(&table.entries, &work.motions, h, margin, filter, &mut work.manifolds);
        let owner = |c: u32| table.owner(c);
        let moves = |slot: u32| !work.motions.get(slot as usize).is_none_or(|m| m.is_static);
        let (old, new) = (&self.contacts, &mut work.old_contacts);
        let bodies = &self.bodies;
        let frame = |slot: u32| {
            let of = |b: &BodyState| (b.x - b.q * b.centre, b.q);
            bodies.at(slot).map_or((Vec3::ZERO, Quat::IDENTITY), of)
        };
        contact::gather(
            &work.manifolds,
            owner,
            frame,
            (&self.textures, &self.pairs),
            moves,
            old,
            new,
        );
        let surface = |slot: u32| all.at(slot).map_or(Vec3::ZERO, |b| b.surface_velocity());
        if all.iter().any(|(_, b)| b.body.surface_velocity != Vec3::ZERO) {
            for c in new.iter_mut() {
                c.belt = surface(c.b) - surface(c.a);
            }
        }
        // What has arrived keeps its contacts.
        if some_done {
            new.extend(old.iter().filter(|c| done(c.a) || done(c.b)));
            new.sort_unstable_by_key(|c| c.key);
        }
        std::mem::swap(&mut self.contacts, &mut work.old_contacts);
        self.find_inside();
    }

    /// Whether neither a joint nor the user keeps two slots from colliding, and both go on.
    pub(super) fn may_collide(&self, a: u32, b: u32) -> bool {
        let is_free = self.jointed.binary_search(&(a.min(b), a.max(b))).is_err();
        is_free && !self.is_done(a) && !self.is_done(b)
    }

    pub(super) fn find_islands(&mut self) {
        let touches = self.contacts.iter().map(|c| (c.a, c.b));
        let softs = self.softs.slots() as u32;
        let ties = self.soft_ties();
        let islands = &mut self.work.islands;
        let is_soft = |slot: u32| self.softs.at(slot).is_some();
        let softs = Softs { count: softs, is_there: &is_soft, ties: &ties };
        connect(islands, &self.bodies, &self.joints, &self.cables, touches, &softs);
    }

    /// Solves the islands that are awake and `wanted`.
    pub(super) fn solve_islands(
        &mut self,
        h: f64,
        may_halve: bool,
        wanted: impl Fn(&Island) -> bool + Sync,
    ) {
        let count = self.work.islands.count;
        while self.work.solvers.len() < count {
            match self.settings.solver.build() {
                Ok(solver) => self.work.solvers.push(IslandSolver::new(solver)),
                Err(_) => return, // checked in `prepare_solvers`
            }
        }
        let awake = |island: &&Island| !asleep(&self.bodies, island);
        let islands = self.work.islands.list[..count].iter();
        let weight = islands.filter(awake).map(Island::weight).sum();
        let scene = Scene {
            weight,
            bodies: &self.bodies,
            joints: &self.joints,
            cables: &self.cables,
            contacts: &self.contacts,
            softs: &self.softs,
            near: &self.work.near,
            colliders: &self.colliders,
            pairs: &self.pairs,
            local: &self.work.islands.local,
            settings: &self.settings,
            gravity: self.gravity,
            h,
            late: self.time + 0.5 * h - self.work.middle,
            may_halve,
            allowance: self.allowance(),
            rise: self.ledger.rise,
        };
        let awake = |island: &Island| !asleep(&self.bodies, island);
        let run = |(solver, island): (&mut IslandSolver, &Island)| {
            if awake(island) && wanted(island) {
                solver.run(&scene, island);
            }
        };
        let solvers = &mut self.work.solvers[..count];
        let list = &self.work.islands.list[..count];
        #[cfg(feature = "parallel")]
        if let Some(pool) = pool(&mut self.work.threads, self.settings.threads) {
            use rayon::prelude::*;
            pool.install(|| solvers.par_iter_mut().zip(list).for_each(run));
            return;
        }
        solvers.iter_mut().zip(list).for_each(run);
    }

    /// Velocities and forces of the solved islands, in their order.
    pub(super) fn apply_answers(&mut self, h: f64, report: &mut StepReport) {
        let share = Share::new(self.time - self.work.start, h);
        let work = &mut self.work;
        let mut memory = Vec::new();
        work.subsystems.resize(work.islands.island.len(), NONE);
        for (solver, island) in work.solvers.iter().zip(&work.islands.list[..work.islands.count]) {
            if asleep(&self.bodies, island) {
                continue;
            }
            for (&slot, &(v, w)) in island.bodies.iter().zip(&solver.velocities) {
                if let Some(body) = self.bodies.at_mut(slot) {
                    (body.v, body.w) = (v, w);
                }
            }
            for (&slot, &arrival) in island.bodies.iter().zip(&solver.arrivals) {
                if let Some(body) = self.bodies.at_mut(slot) {
                    body.arrival = Some(arrival);
                }
            }
            for (&i, contact) in island.contacts.iter().zip(&solver.contacts) {
                self.contacts[i as usize].take_answer(contact, share);
            }
            if let Some(of) = &solver.subsystems {
                note_subsystems(&mut work.subsystems, &island.bodies, of);
            }
            let joints = &mut self.joints;
            solver.for_each_joint(h, island, &mut memory, |slot, reaction, motor, memory| {
                if let Some(joint) = joints.at_mut(slot) {
                    joint.take_forces(reaction, motor, share);
                    joint.memory.clear();
                    joint.memory.extend_from_slice(memory);
                }
            });
            let cables = &mut self.cables;
            solver.for_each_cable(h, island, |slot, way, forces, (set, acting), (paid, stops)| {
                if let Some(cable) = cables.at_mut(slot) {
                    cable.remember(way, forces, set, acting, share);
                    (cable.length, cable.paid) = (cable.length + paid, paid);
                    cable.stopped[0] = stops;
                }
            });
            super::softs::take_answers(&mut self.softs, solver, island, report);
            super::report::add_island(report, solver);
        }
    }

    pub(super) fn advance_bodies(&mut self, h: f64, report: &mut StepReport) {
        self.find_holds(h);
        report.held_bodies += self.work.holds.count;
        self.expect_turns(h);
        for (id, body) in self.bodies.iter_mut() {
            let stays = body.quarantine.is_some() || body.asleep || body.done.is_some();
            if body.kind() == BodyKind::Fixed || stays {
                continue;
            }
            let (x, q) = (body.x, body.q);
            body.moved = body.way().0;
            let way = self.work.holds.way(id.0, h);
            body.lost += h - way;
            let lost = unsound(body).or_else(|| {
                match body.arrival {
                    Some(end) if way >= h => (body.x, body.q) = (end.x, end.q),
                    Some(end) => {
                        body.x += end.mean.0 * way;
                        let q = body.turned(way).0;
                        body.w = rate_on_the_way(body, end.q, q);
                        body.q = q;
                    }
                    None => advance(body, way), // kinematic bodies, too
                }
                body.x += self.work.holds.drift(id.0, h);
                unsound(body)
            });
            body.arrival = None;
            if let Some(reason) = lost {
                (body.x, body.q) = (x, q);
                quarantine(BodyId::of_slot(id), body, reason, report);
            }
        }
        self.pay_for_holds(h);
        self.update_angles();
        self.advance_cables();
    }

    pub(super) fn clear_forces(&mut self) {
        for (_, body) in self.bodies.iter_mut() {
            (body.force, body.torque) = (Vec3::ZERO, Vec3::ZERO);
        }
    }
}

/// Soft bodies in islands: how many slots they have, which are in use, and what they may touch, by slots that count on from
/// those of the bodies.
pub(super) struct Softs<'a> {
    pub(super) count: u32,
    pub(super) is_there: &'a dyn Fn(u32) -> bool,
    pub(super) ties: &'a [(u32, u32)],
}

/// No soft bodies.
pub(super) const NO_SOFTS: Softs<'static> = Softs { count: 0, is_there: &|_| false, ties: &[] };

/// Islands of bodies that joints, cables or these pairs of slots connect.
pub(super) fn connect(
    islands: &mut Islands,
    bodies: &Slots<BodyState>,
    joints: &Slots<JointState>,
    cables: &Slots<CableState>,
    touches: impl Iterator<Item = (u32, u32)> + Clone,
    softs: &Softs,
) {
    let count = bodies.slots() as u32;
    let dynamic = |i: u32| match i.checked_sub(count) {
        None => bodies.at(i).is_some_and(|b| b.is_dynamic() && b.done.is_none()),
        Some(soft) => (softs.is_there)(soft),
    };
    islands.start(bodies.slots(), bodies.slots() + softs.count as usize, dynamic);
    for &(a, b) in softs.ties {
        islands.connect(a, b);
    }
    for (_, joint) in joints.iter() {
        let mut first = None;
        for body in joint_bodies(&joint.joint, joints).into_iter().flatten() {
            if dynamic(body.index) {
                islands.connect(*first.get_or_insert(body.index), body.index);
            }
        }
    }
    for (_, cable) in cables.iter() {
        let mut first = None;
        for slot in cable.slots().filter(|&slot| dynamic(slot)) {
            islands.connect(*first.get_or_insert(slot), slot);
        }
    }
    for (a, b) in touches.clone() {
        islands.connect(a, b);
    }
    islands.finish();
    for ((slot, _), joint) in joints.iter() {
        let bodies = joint_bodies(&joint.joint, joints);
        if let Some(island) = islands.of(bodies.into_iter().flatten().map(|b| b.index)) {
            island.joints.push(slot);
        }
    }
    for ((slot, _), cable) in cables.iter() {
        if let Some(island) = islands.of(cable.slots()) {
            island.cables.push(slot);
        }
    }
    for (i, (a, b)) in touches.enumerate() {
        if let Some(island) = islands.of([a, b]) {
            island.contacts.push(i as u32);
        }
    }
}

/// The rate that a body has at the orientation q on the way to that of `end`, where it would have
/// the rate that it has: with the same angular momentum, as it turns freely; with the same
/// energy, if that takes less.
fn rate_on_the_way(body: &BodyState, end: Quat, q: Quat) -> Vec3 {
    let inertia = |q: Quat| {
        let r = Mat3::from_quat(q);
        r * body.inertia * r.transpose()
    };
    let momentum = inertia(end) * body.w;
    let w = inertia(q).inverse() * momentum;
    let rises = w.dot(momentum) > body.w.dot(momentum) * (1.0 + 1e-12);
    if rises || !w.is_finite() { q * (end.conjugate() * body.w) } else { w }
}

/// Why a body cannot take part, if it cannot.
fn unsound(body: &BodyState) -> Option<&'static str> {
    if !(body.v.is_finite() && body.w.is_finite()) {
        Some("its velocity is not finite")
    } else if !(body.x.is_finite() && body.q.is_finite()) {
        Some("its pose is not finite")
    } else if body.v.length() > MAX_SPEED || body.w.length() > MAX_SPEED {
        Some("its speed exceeds 1e9 m/s or rad/s")
    } else if body.x.length() > MAX_DISTANCE {
        Some("it is more than 1e12 m away")
    } else {
        None
    }
}

fn quarantine(id: BodyId, body: &mut BodyState, reason: &str, report: &mut StepReport) {
    body.freeze(reason);
    let name = body.name().to_string();
    report.events.push(Event::Quarantined { body: id, name, reason: reason.into() });
}

/// The thread pool for so many threads; `None` for one.
#[cfg(feature = "parallel")]
fn pool(
    pool: &mut Option<(usize, rayon::ThreadPool)>,
    threads: usize,
) -> Option<&rayon::ThreadPool> {
    if threads <= 1 {
        return None;
    }
    if pool.as_ref().is_none_or(|p| p.0 != threads) {
        let new = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        *pool = new.ok().map(|p| (threads, p));
    }
    pool.as_ref().map(|p| &p.1)
}

/// Gives the bodies of an island the first slot of their subsystem; none where
/// the island was not split.
fn note_subsystems(all: &mut [u32], bodies: &[u32], of: &[u32]) {
    let mut first = Vec::new();
    for (k, &slot) in bodies.iter().enumerate() {
        // Subsystems are numbered in the order of their first bodies.
        let number = of.get(k).map(|&s| s as usize);
        if number == Some(first.len()) {
            first.push(slot);
        }
        all[slot as usize] = number.and_then(|s| first.get(s).copied()).unwrap_or(NONE);
    }
}
