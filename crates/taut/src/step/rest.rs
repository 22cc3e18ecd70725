//! Falling asleep, waking, and steps in which everything sleeps.
//!
//! An island whose bodies have all been slow for a while stops being simulated
//! ([`Settings::sleeping`](crate::Settings::sleeping)), if something holds it: what flies is slow at the top of
//! its way, too. Its velocities become zero, its forces and
//! contacts stay, so that nothing ends to touch. It wakes as a whole, in the same step, when a body
//! that is awake or moves comes near, or a force, velocity or edit reaches it; edits of the world
//! (bodies, joints, gravity) wake everything.
//!
//! Where everything sleeps, a step is a look at every body: the report is that of the step before.
//! Nothing of this has to be in a snapshot: the first step after a restore is done in full, and
//! changes nothing.

use crate::assemble::joint_bodies;
use crate::islands::Island;
use crate::math::Vec3;
use crate::report::{StepReport, Timings};
use crate::scene::{BodyState, Path};
use crate::slots::Slots;
use crate::world::World;

impl World {
    /// The step of a world in which everything has slept since the last one, if it does.
    pub(super) fn rest(&mut self, h: f64) -> Option<StepReport> {
        let rests = |b: &BodyState| match b.is_dynamic() {
            true => b.asleep,
            false => (b.v, b.w) == (Vec3::ZERO, Vec3::ZERO) && b.path == Path::Free,
        };
        let still = self.settings.sleeping.is_some() && self.bodies.iter().all(|(_, b)| rests(b));
        let last = self.work.rest.take().filter(|_| still)?;
        self.time += h;
        let report = StepReport { time: self.time, ..last };
        self.work.rest = Some(report.clone());
        Some(report)
    }

    /// Remembers the report of a step in which everything slept.
    pub(super) fn note_rest(&mut self, report: &StepReport) {
        let islands = self.work.islands.count;
        let rested = islands > 0 && report.sleeping_islands == islands && report.events.is_empty();
        self.work.rest =
            rested.then(|| StepReport { timings: Timings::default(), ..report.clone() });
    }

    /// An island with a body awake, or touched or held by something that moves,
    /// wakes as a whole.
    pub(super) fn sleep_or_wake(&mut self, report: &mut StepReport) {
        let may_sleep = self.settings.sleeping.is_some();
        let islands = &self.work.islands;
        for island in &islands.list[..islands.count] {
            let (bodies, contacts) = (&self.bodies, &self.contacts);
            let sleeps = |&slot: &u32| bodies.at(slot).is_some_and(|b| b.asleep);
            let moves = |slot: u32| {
                let body = bodies.at(slot);
                body.is_some_and(|b| !b.is_dynamic() && b.way() != (Vec3::ZERO, Vec3::ZERO))
            };
            let touched = || {
                island.contacts.iter().any(|&i| {
                    let c = &contacts[i as usize];
                    moves(c.a) || moves(c.b)
                }) || island.joints.iter().filter_map(|&slot| self.joints.at(slot)).any(|j| {
                    let bodies = joint_bodies(&j.joint, &self.joints);
                    bodies.into_iter().flatten().any(|id| moves(id.index))
                }) || island.cables.iter().filter_map(|&slot| self.cables.at(slot)).any(|c| {
                    let runs = c.definition().winch.is_some_and(|w| w.speed != 0.0);
                    runs || c.slots().any(moves)
                })
            };
            if !island.bodies.iter().any(sleeps) {
                continue;
            }
            if may_sleep
                && island.softs.is_empty()
                && island.bodies.iter().all(sleeps)
                && !touched()
            {
                report.sleeping_islands += 1;
                continue;
            }
            for &slot in &island.bodies {
                if let Some(body) = self.bodies.at_mut(slot) {
                    body.wake();
                }
            }
        }
    }

    /// Counts quiet time; islands that were quiet long enough fall asleep.
    pub(super) fn fall_asleep(&mut self, h: f64) {
        let Some(limits) = self.settings.sleeping else { return };
        let (islands, scene) = (&self.work.islands, self.scene(h));
        let weightless = self.gravity == Vec3::ZERO;
        let held: Vec<bool> = self.work.solvers[..islands.count]
            .iter()
            .map(|solver| weightless || solver.rests(&scene))
            .collect();
        for (i, (island, held)) in islands.list[..islands.count].iter().zip(held).enumerate() {
            let again = self.work.redo.again.get(i) == Some(&true);
            if again || asleep(&self.bodies, island) || !island.softs.is_empty() {
                continue;
            }
            let mut quiet = f64::INFINITY;
            for &slot in &island.bodies {
                let Some(body) = self.bodies.at_mut(slot) else { continue };
                let still =
                    body.v.length() < limits.speed && body.w.length() < limits.angular_speed;
                body.quiet = if still { body.quiet + h } else { 0.0 };
                quiet = quiet.min(body.quiet);
            }
            if quiet >= limits.delay && held {
                for &slot in &island.bodies {
                    if let Some(body) = self.bodies.at_mut(slot) {
                        body.asleep = true;
                        (body.v, body.w) = (Vec3::ZERO, Vec3::ZERO);
                    }
                }
            }
        }
    }
}

/// Whether all of an island sleeps. Soft bodies never do, nor what touches them.
pub(super) fn asleep(bodies: &Slots<BodyState>, island: &Island) -> bool {
    island.softs.is_empty()
        && island.bodies.iter().all(|&slot| bodies.at(slot).is_some_and(|b| b.asleep))
}
