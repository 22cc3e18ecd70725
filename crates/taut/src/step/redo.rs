//! Islands that are done again in shorter parts, while the others keep what they found.
//!
//! Problem: a step that some island cannot follow is taken back and done in two parts (`halving`). The rest of the world has
//! nothing to do with that, and would be solved three times over.
//!
//! Method: islands that are to be done again are taken back, with those whose ways come near theirs, by boxes around the
//! ways. The others stay where they arrived until the parts are over: they are no part of islands, collisions and holds, and
//! their contacts stay as they are. Where what goes on in parts turns out to run into what has arrived, all of them are taken back
//! and done together.
//!
//! Cost: a pass over boxes for each step that is taken back, and for each of its parts. Joints and cables that break in a part are
//! gone, so such a step is not taken back again.

use super::halving::{Nesting, Parts};
use super::report::add_island;
use super::rest::asleep;
use crate::assemble::IslandSolver;
use crate::islands::NONE;
use crate::math::Pose;
use crate::report::{Event, StepReport};
use crate::scene::BodyState;
use crate::world::World;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};

/// Boxes around ways are wider by this share of the way: in parts bodies go otherwise.
const WIDER: f64 = 0.25;

/// Which islands go on in parts, and where the others are.
#[derive(Default)]
pub(crate) struct Redo {
    /// By island: whether it is to be done again.
    pub(super) again: Vec<bool>,
    /// By slot: box around the way of a body in the step.
    boxes: Vec<Option<Aabb>>,
    /// The fewest halvings after which something arrived that others ran into.
    met: Option<usize>,
}

impl World {
    /// Does the step at hand again in parts, for islands that are to be done again, and what is near them.
    pub(super) fn redo(
        &mut self,
        h: f64,
        parts: Parts,
        nesting: Nesting,
        tried: StepReport,
    ) -> StepReport {
        let level = nesting.level();
        let (first, next) = match parts {
            Parts::From(first) => (first, nesting.split()),
            Parts::Halves => (0.5 * h, nesting.halved()),
        };
        let lost = tried.timings;
        let before = (self.ledger, self.time, self.touching.clone());
        let counts = (self.joints.iter().count(), self.cables.iter().count());
        if self.find_boxes(level) {
            let kept = self.keep(h, level, tried);
            self.restore_saved(level);
            let solvers = self.put_away_solvers();
            let mut report = self.parts(h, first, next);
            let met = self.work.redo.met == Some(level);
            self.release(level, solvers);
            if !met || counts != (self.joints.iter().count(), self.cables.iter().count()) {
                report.merge_beside(kept);
                return report;
            }
            (self.ledger, self.time, self.touching) = before;
            self.work.redo.met = None;
        }
        self.restore_saved(level);
        let mut report = self.parts(h, first, next);
        report.timings.add(&lost);
        report
    }

    /// Both parts of a step, at this nesting.
    pub(super) fn parts(&mut self, h: f64, first: f64, nesting: Nesting) -> StepReport {
        let mut report = self.substep(first, nesting);
        report.merge(self.substep(h - first, nesting));
        report
    }

    /// Finds the ways of bodies, and adds to what is done again what is near it; false if that is all.
    fn find_boxes(&mut self, level: usize) -> bool {
        let s = &self.settings;
        // Soft bodies are taken back with all others.
        let whole =
            s.position_projection || s.contact_projection > 0 || self.softs.iter().next().is_some();
        let mut redo = std::mem::take(&mut self.work.redo);
        redo.boxes.resize(self.bodies.slots(), None);
        if !whole && redo.again.contains(&false) {
            let saved = std::mem::take(self.work.saved(level));
            let island = &self.work.islands.island;
            for (((slot, _), _), start) in self.bodies.iter().zip(saved.poses()) {
                if island[slot as usize] != NONE {
                    redo.boxes[slot as usize] = self.box_of_way(slot, &start);
                }
            }
            *self.work.saved(level) = saved;
            self.spread(&mut redo);
        }
        let some = !whole && redo.again.contains(&false);
        self.work.redo = redo;
        some
    }

    /// Islands whose ways come near those of islands that are done again are so, too.
    fn spread(&self, redo: &mut Redo) {
        let islands = &self.work.islands;
        let mut queue: Vec<usize> = (0..islands.count).filter(|&i| redo.again[i]).collect();
        while let Some(i) = queue.pop() {
            let of = |i: usize| islands.list[i].bodies.iter().map(|&slot| slot as usize);
            let all = of(i).filter_map(|slot| redo.boxes[slot]).reduce(|a, b| a.merged(&b));
            let Some(all) = all else { continue };
            for k in 0..islands.count {
                if redo.again[k] {
                    continue;
                }
                let others = || of(k).filter_map(|slot| redo.boxes[slot]);
                let near = others()
                    .filter(|b| b.intersects(&all))
                    .any(|b| of(i).filter_map(|slot| redo.boxes[slot]).any(|a| a.intersects(&b)));
                if near {
                    redo.again[k] = true;
                    queue.push(k);
                }
            }
        }
    }

    /// The box around a body at some pose; none if it has no shape.
    fn box_at(&self, slot: u32, pose: &Pose) -> Option<Aabb> {
        let colliders = self.colliders.of_body.get(slot as usize)?;
        let of = |&c: &u32| {
            let c = self.colliders.entries[c as usize].as_ref()?;
            Some(c.shape.shape.compute_aabb(&(*pose * c.local_pose * c.shape.pose)))
        };
        colliders.iter().filter_map(of).reduce(|a, b| a.merged(&b))
    }

    /// The box around the way of a body from a pose to where it is.
    fn box_of_way(&self, slot: u32, start: &Pose) -> Option<Aabb> {
        let body = self.bodies.at(slot)?;
        let (from, to) =
            (self.box_at(slot, start)?, self.box_at(slot, &Pose::from_parts(body.x, body.q))?);
        let size = from.half_extents().length().min(to.half_extents().length());
        let turn = start.rotation.angle_between(body.q);
        let way = start.translation.distance(body.x) + 2.0 * size * turn.min(1.0);
        Some(from.merged(&to).loosened(self.settings.contact_margin + WIDER * way))
    }

    /// Leaves islands that are not done again where they are, and books their step.
    fn keep(&mut self, h: f64, level: usize, tried: StepReport) -> StepReport {
        let mut report =
            StepReport { sleeping_islands: tried.sleeping_islands, ..StepReport::default() };
        let again = |i: usize| self.work.redo.again[i];
        let islands = &self.work.islands;
        let of = self.work.solvers.iter().zip(&islands.list[..islands.count]).enumerate();
        for (_, (solver, _)) in of.filter(|(i, (_, s))| !again(*i) && !asleep(&self.bodies, s)) {
            add_island(&mut report, solver);
        }
        report.timings = tried.timings;
        self.fall_asleep(h);
        self.balance_energy(h, &mut report);
        for i in 0..self.work.islands.count {
            if self.work.redo.again[i] {
                continue;
            }
            for &slot in &self.work.islands.list[i].bodies {
                if let Some(body) = self.bodies.at_mut(slot) {
                    body.done = Some(level);
                    report.held_bodies += usize::from(self.work.holds.way(slot, h) < h);
                }
            }
        }
        let stays = |e: &Event| match e {
            Event::Quarantined { body, .. } => self.is_done(body.index),
            _ => true,
        };
        report.events = tried.events.into_iter().filter(stays).collect();
        self.work.redo.again.clear();
        report
    }

    /// Whether a body has reached the end of a step in which others go on.
    pub(super) fn is_done(&self, slot: u32) -> bool {
        self.bodies.at(slot).is_some_and(|b| b.done.is_some())
    }

    /// Solvers of the islands that are kept, with the first slot of each.
    fn put_away_solvers(&mut self) -> Vec<(u32, IslandSolver)> {
        let mut kept = Vec::new();
        let islands = &self.work.islands;
        for (i, solver) in std::mem::take(&mut self.work.solvers).into_iter().enumerate() {
            let first = islands.list.get(i).filter(|_| i < islands.count).map(|s| s.bodies[0]);
            match first.filter(|&slot| self.is_done(slot)) {
                Some(slot) => kept.push((slot, solver)),
                None => self.work.solvers.push(solver),
            }
        }
        kept
    }

    /// Lets what was kept take part again, with its solvers.
    fn release(&mut self, level: usize, kept: Vec<(u32, IslandSolver)>) {
        let mut of_slot: Vec<Option<IslandSolver>> = Vec::new();
        of_slot.resize_with(self.bodies.slots(), || None);
        let mut spare = Vec::new();
        for (i, solver) in std::mem::take(&mut self.work.solvers).into_iter().enumerate() {
            let islands = &self.work.islands;
            match islands.list.get(i).filter(|_| i < islands.count) {
                Some(island) => of_slot[island.bodies[0] as usize] = Some(solver),
                None => spare.push(solver),
            }
        }
        kept.into_iter().for_each(|(slot, solver)| of_slot[slot as usize] = Some(solver));
        for (_, body) in self.bodies.iter_mut().filter(|(_, b)| b.done == Some(level)) {
            body.done = None;
        }
        self.find_islands();
        let islands = &self.work.islands;
        for island in &islands.list[..islands.count] {
            let own = island.bodies.iter().find_map(|&slot| of_slot[slot as usize].take());
            match own.or_else(|| spare.pop()) {
                Some(solver) => self.work.solvers.push(solver),
                None => break, // they are built where they are needed
            }
        }
        self.work.solvers.extend(of_slot.into_iter().flatten().chain(spare));
    }

    /// Notes where bodies that went on in a part of length h ran into some that had arrived.
    pub(super) fn note_meetings(&mut self, h: f64) {
        let done: Vec<(u32, usize)> =
            self.bodies.iter().filter_map(|((slot, _), b)| Some((slot, b.done?))).collect();
        if done.is_empty() {
            return;
        }
        let goes_on = |b: &BodyState| b.is_dynamic() && b.done.is_none() && !b.asleep;
        let mut pairs = Vec::new();
        for ((slot, _), body) in self.bodies.iter().filter(|(_, b)| goes_on(b)) {
            let pose = Pose::from_parts(body.x, body.q);
            let Some(end) = self.box_at(slot, &pose) else { continue };
            let way = h * body.moved;
            let back = Aabb::new(end.mins - way, end.maxs - way).merged(&end);
            let is_fast = way.length() > end.half_extents().min_element();
            for &(other, depth) in &done {
                let boxes = &self.work.redo.boxes;
                let near = boxes[other as usize].is_some_and(|b| b.intersects(&back));
                if near && self.jointed.binary_search(&(slot.min(other), slot.max(other))).is_err()
                {
                    pairs.push((slot, other, depth, is_fast));
                }
            }
        }
        for (slot, other, depth, is_fast) in pairs {
            if is_fast || self.overlap(slot, other) {
                let met = self.work.redo.met.unwrap_or(depth);
                self.work.redo.met = Some(met.min(depth));
            }
        }
    }

    /// Whether two bodies are in one another.
    fn overlap(&mut self, a: u32, b: u32) -> bool {
        let mut missed = std::mem::take(&mut self.work.missed);
        let found = missed.overlap(self, [a, b]);
        self.work.missed = missed;
        found
    }
}
