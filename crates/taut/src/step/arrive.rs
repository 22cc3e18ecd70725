//! Velocities, forces and poses that the answers of a step lead to.

use super::quarantine::{lost_reason, quarantine};
use super::rest::asleep;
use crate::integrate::advance;
use crate::islands::NONE;
use crate::math::{Mat3, Quat, Vec3};
use crate::mean::Share;
use crate::report::StepReport;
use crate::scene::{BodyKind, BodyState};
use crate::slots::BodyId;
use crate::world::World;

impl World {
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
            solver.for_each_joint(h, island, &mut memory, |slot, reactions, motor, memory| {
                if let Some(joint) = joints.at_mut(slot) {
                    joint.take_forces(reactions, motor, share);
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

    /// Moves bodies for the time h, as far as nothing holds them back.
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
            let lost = lost_reason(body).or_else(|| {
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
                lost_reason(body)
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

    /// User forces act for one step.
    pub(super) fn clear_forces(&mut self) {
        for (_, body) in self.bodies.iter_mut() {
            (body.force, body.torque) = (Vec3::ZERO, Vec3::ZERO);
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
