//! Holding back bodies that would run into something.
//!
//! Problem: contacts are linear in the motion of a step. What turns far in it,
//! or bounces off one thing into another, has none where it needs them.
//!
//! Method: the way that each fast body is about to go is followed
//! (`collide::impact`). Where it runs into something, it ends there: the body turns no more in
//! the step, and drifts along with what it ran into, as one: two bodies in flight fly on, on
//! fixed things it slides along the surface. The next step finds the contact with its arms
//! as they are. Bodies connected by joints are held together. Held bodies are
//! obstacles to others, so ways are followed again until none changes; they only
//! become shorter, and clumps larger, which ends it.
//!
//! What that costs is taken from their motion (`hold_costs`); bodies that move on as one, and their momenta, are in `clumps`.
//!
//! A body is fast if its core moves by a share of its thickness or turns by more
//! than contacts anticipate; all others are left alone, to the bit. Cost: two
//! products per body, and for a fast one a few distances per neighbour.
//!
//! Fails for bodies that joints tie to a moving kinematic body: they are not
//! held, since it goes on.

use super::clumps::Clumps;
use crate::assemble::joint_bodies;
use crate::collide::impact::{Meeting, SKIN, TURN, Touch, Way, meet};
use crate::islands::Islands;
use crate::math::Vec3;
use crate::report::{Hold, StepReport};
use crate::scene::{BodyKind, BodyState};
use crate::world::World;
use parry3d_f64::bounding_volume::BoundingVolume;

/// A body whose core moves by this share of its thickness in a step is fast.
const FAST: f64 = 0.25;
/// Rounds of following ways.
const ROUNDS: usize = 16;
/// A way shorter than this share of the step gets a touching body nowhere.
const STUCK: f64 = 0.01;
/// Skin of `impact` that bodies with joints have: a machine that is held back
/// whenever a part of it sinks in stands still (`spinner` with 0.15). Not where they turn far towards something: rods of 4 cm on a hinge
/// passed stops that reach 9 mm into their way, at 40 to 500 rad/s.
const JOINTED_SKIN: f64 = 0.8;
/// A body is held in a step that loses more than this share of its way in it.
const MOST_OF_IT: f64 = 0.5;

/// How far bodies may go in the present step.
#[derive(Default)]
pub(crate) struct Holds {
    /// Bodies held back.
    pub(crate) count: usize,
    /// A body of each island where one was held while the springs on it store more than there is motion to pay with.
    pub(super) unpaid: Vec<u32>,
    /// By slot, when the way ends; empty if nothing is fast.
    pub(super) ends: Vec<f64>,
    /// By slot: whether a body is fast, turns far, has joints, touches and got nowhere.
    fast: Vec<bool>,
    turns: Vec<bool>,
    pub(super) jointed: Vec<bool>,
    pub(super) stuck: Vec<bool>,
    changed: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    near: Vec<u32>,
    pub(super) clusters: Islands,
    pub(super) clumps: Clumps,
    /// First bodies of clumps that nothing holds, and the spin about their centres that they are to have.
    pub(super) spins: Vec<(usize, Vec3)>,
}

impl Holds {
    /// How long a body moves on in a step of h.
    pub(super) fn way(&self, slot: u32, h: f64) -> f64 {
        self.ends.get(slot as usize).copied().unwrap_or(h)
    }

    /// How far a body drifts after the end of its way.
    pub(super) fn drift(&self, slot: u32, h: f64) -> Vec3 {
        match self.ends.get(slot as usize) {
            Some(&end) if end < h => (h - end) * self.clumps.drift(slot),
            _ => Vec3::ZERO,
        }
    }

    /// Bodies without joints that were held.
    pub(super) fn held_loose(&self, h: f64) -> impl Iterator<Item = u32> + '_ {
        self.held(h).filter(|&slot| self.fast[slot as usize] && !self.jointed[slot as usize])
    }

    /// Bodies with joints that were held after they turned far: in the middle of their way
    /// joints are open.
    pub(super) fn bent(&self, h: f64) -> impl Iterator<Item = u32> + '_ {
        self.held(h).filter(|&slot| self.turns[slot as usize] && self.jointed[slot as usize])
    }

    /// Pairs of colliders that may meet.
    pub(super) fn pairs(&self) -> &[(u32, u32)] {
        if self.count > 0 { &self.pairs } else { &[] }
    }

    pub(super) fn held(&self, h: f64) -> impl Iterator<Item = u32> + '_ {
        let some = (0_u32..).zip(&self.ends).filter(|_| self.count > 0);
        some.filter(move |(_, end)| **end < h).map(|(slot, _)| slot)
    }
}

impl World {
    /// Finds where the ways of this step end.
    pub(super) fn find_holds(&mut self, h: f64) {
        let mut holds = std::mem::take(&mut self.work.holds);
        holds.count = 0;
        holds.unpaid.clear();
        holds.ends.clear();
        let springs = self.settings.contact.penalty().is_some();
        if !springs && self.find_fast(h, &mut holds) {
            self.find_neighbours(h, &mut holds);
            self.follow_ways(h, &mut holds);
        }
        self.note_spins(h, &mut holds);
        self.work.holds = holds;
    }

    /// Whether some body is fast, and which.
    fn find_fast(&self, h: f64, holds: &mut Holds) -> bool {
        holds.fast.clear();
        holds.fast.resize(self.bodies.slots(), false);
        holds.turns.clear();
        holds.turns.resize(self.bodies.slots(), false);
        let mut any = false;
        for ((slot, _), body) in self.bodies.iter() {
            if !body.is_dynamic() || body.asleep || body.done.is_some() {
                continue;
            }
            let Some(colliders) = self.colliders.of_body.get(slot as usize) else { continue };
            let (v, w) = body.way();
            let (v, w) = (h * v.length(), h * w.length());
            let is_fast = |&c: &u32| {
                let Some(c) = &self.colliders.entries[c as usize] else { return false };
                let arm = c.arm();
                let turns = w > TURN && arm > 1e-6 * c.shape.size;
                turns || v + w * arm > FAST * c.shape.inner
            };
            let fast = colliders.iter().any(is_fast);
            holds.fast[slot as usize] = fast;
            holds.turns[slot as usize] = w > TURN;
            any |= fast;
        }
        any
    }

    /// Pairs of colliders that may meet, one of a fast body.
    fn find_neighbours(&mut self, h: f64, holds: &mut Holds) {
        holds.ends.extend((0..self.bodies.slots() as u32).map(|slot| match self.bodies.at(slot) {
            Some(b) if b.body.kind != BodyKind::Fixed && b.quarantine.is_none() && !b.asleep => h,
            _ => 0.0,
        }));
        holds.pairs.clear();
        let entries = &self.colliders.entries;
        let all = || (0_u32..).zip(entries).filter_map(|(i, c)| Some((i, c.as_ref()?)));
        let is_fast = |slot: u32| holds.fast[slot as usize];
        let bounds = |slot: u32, reach: f64| {
            let body = self.bodies.at(slot)?;
            let aabb = Way { body, end: h, drift: Vec3::ZERO }.bounds(reach);
            (aabb.mins.is_finite() && aabb.maxs.is_finite()).then_some(aabb)
        };
        let mut swept = Vec::new();
        for (i, c) in all().filter(|(_, c)| is_fast(c.body)) {
            let Some(aabb) = bounds(c.body, c.reach()) else { continue };
            holds.near.clear();
            self.work.pipeline.near(&aabb, &mut holds.near);
            holds.pairs.extend(holds.near.iter().map(|&j| (i.min(j), i.max(j))));
            swept.push((aabb, i));
        }
        // The tree has the ways that bodies were about to go before the solve.
        swept.sort_by(|a, b| a.0.mins.x.total_cmp(&b.0.mins.x));
        for (k, (aabb, i)) in swept.iter().enumerate() {
            let rest = swept[k + 1..].iter().take_while(|o| o.0.mins.x <= aabb.maxs.x);
            for (_, j) in rest.filter(|o| o.0.intersects(aabb)) {
                holds.pairs.push((*i.min(j), *i.max(j)));
            }
        }
        holds.pairs.sort_unstable();
        holds.pairs.dedup();
        holds.pairs.retain(|&(i, j)| {
            let (Some(Some(a)), Some(Some(b))) = (entries.get(i as usize), entries.get(j as usize))
            else {
                return false;
            };
            let ends = (a.body.min(b.body), a.body.max(b.body));
            a.may_meet(b) && self.may_collide(ends.0, ends.1)
        });
    }

    fn follow_ways(&mut self, h: f64, holds: &mut Holds) {
        let slots = self.bodies.slots();
        for list in [&mut holds.jointed, &mut holds.stuck, &mut holds.changed] {
            list.clear();
            list.resize(slots, false);
        }
        if holds.pairs.is_empty() {
            return;
        }
        self.find_clusters(holds);
        self.start_clumps(holds);
        for round in 0..ROUNDS {
            let before = std::mem::take(&mut holds.changed);
            holds.changed.resize(slots, false);
            for k in 0..holds.pairs.len() {
                let (i, j) = holds.pairs[k];
                let [Some(a), Some(b)] =
                    [i, j].map(|i| self.colliders.entries[i as usize].as_ref())
                else {
                    continue;
                };
                if round > 0 && !before[a.body as usize] && !before[b.body as usize] {
                    continue;
                }
                let ways = [a.body, b.body].map(|slot| {
                    let (end, drift) = (holds.ends[slot as usize], holds.clumps.drift(slot));
                    self.bodies.at(slot).map(|body| Way { body, end, drift })
                });
                let [Some(way_a), Some(way_b)] = ways else { continue };
                let touch = self.touch(i, j);
                let some = |list: &[bool]| list[a.body as usize] || list[b.body as usize];
                // Contacts of what turns far and is still apart were predicted along straight lines, or not at all.
                let is_unforeseen = some(&holds.turns) && touch.is_none_or(|t| t.gap > 0.0);
                let deep = some(&holds.jointed) && !is_unforeseen;
                let skin = if deep { JOINTED_SKIN } else { SKIN };
                holds.near.clear();
                let m = meet((a, &way_a), (b, &way_b), h, skin, touch, &mut holds.near);
                if let Some(m) = m.filter(|m| m.time < h) {
                    self.hold(a.body, b.body, h, &m, holds);
                    self.hold(b.body, a.body, h, &m, holds);
                }
            }
            if !holds.changed.contains(&true) {
                break;
            }
        }
        let moves = |s: u32| self.bodies.at(s).is_some_and(BodyState::is_dynamic);
        let held = (0..slots as u32).filter(|&s| moves(s) && holds.ends[s as usize] < h);
        holds.count = held.filter(|&s| self.bodies.at(s).is_some_and(|b| !b.asleep)).count();
    }

    /// The nearest contact of two colliders.
    fn touch(&self, i: u32, j: u32) -> Option<Touch> {
        let first = self.contacts.partition_point(|c| (c.key.0, c.key.1) < (i, j));
        let of_pair = self.contacts[first..].iter().take_while(|c| (c.key.0, c.key.1) == (i, j));
        let nearest = of_pair.min_by(|c, d| c.gap.total_cmp(&d.gap))?;
        Some(Touch { n: nearest.normal, gap: nearest.gap })
    }

    /// Each body alone, or with those that joints connect it to.
    fn start_clumps(&self, holds: &mut Holds) {
        let Holds { clumps, clusters, jointed, ends, fast, .. } = holds;
        let slots = 0..self.bodies.slots() as u32;
        clumps.parent.clear();
        clumps.parent.extend(slots.clone());
        clumps.slides.clear();
        clumps.slides.resize(slots.len(), None);
        clumps.mass.clear();
        clumps.own.clear();
        for slot in slots {
            let body = self.bodies.at(slot).filter(|_| ends[slot as usize] > 0.0);
            let held = body.filter(|b| b.is_dynamic() && fast[slot as usize]);
            clumps.mass.push(held.map_or(f64::INFINITY, |b| b.mass));
            clumps.own.push(body.map_or(Vec3::ZERO, |b| b.way().0));
        }
        clumps.velocity.clone_from(&clumps.own);
        for cluster in clusters.list.iter().take(clusters.count) {
            let first = cluster.bodies[0];
            if jointed[first as usize] {
                cluster.bodies.iter().for_each(|&slot| {
                    clumps.join(first, slot);
                });
            }
        }
    }

    /// Ends the way of a fast body that runs into another one, and of those connected to it; from
    /// then on both are one clump.
    fn hold(&self, slot: u32, other: u32, h: f64, m: &Meeting, holds: &mut Holds) {
        let s = slot as usize;
        if !holds.fast[s] {
            return;
        }
        let is_first = holds.ends[s] == h && !holds.jointed[s];
        let clumps = &mut holds.clumps;
        let is_new = clumps.join(slot, other);
        // What it slides along leads into something.
        let runs_on = clumps.slides[s].is_some() && m.time > holds.ends[s];
        let root = clumps.root(slot);
        if is_first {
            clumps.slides[s] = m.n.filter(|_| !clumps.mass[root].is_finite());
        } else if is_new || runs_on {
            clumps.slides[s] = None;
        }
        if is_first || is_new || runs_on {
            let moves = |k: usize| self.bodies.at(k as u32).is_some_and(BodyState::is_dynamic);
            for k in 0..holds.ends.len() {
                let moves_on = holds.ends[k] < h && holds.clumps.root(k as u32) == root;
                holds.changed[k] |= moves_on && moves(k);
            }
        }
        if holds.ends[s] <= m.time {
            return;
        }
        let mut end = |s: usize| {
            holds.ends[s] = holds.ends[s].min(m.time);
            holds.changed[s] = true;
            holds.stuck[s] |= m.touching && m.time < STUCK * h;
        };
        match holds.clusters.island.get(s) {
            Some(&cluster) if holds.jointed[s] => {
                let bodies = &holds.clusters.list[cluster as usize].bodies;
                bodies.iter().for_each(|&s| end(s as usize));
            }
            _ => end(s),
        }
    }

    /// Bodies connected by joints and cables; those tied to a moving kinematic body are
    /// not held.
    fn find_clusters(&self, holds: &mut Holds) {
        let dynamic = |i: u32| self.bodies.at(i).is_some_and(BodyState::is_dynamic);
        holds.clusters.start(self.bodies.slots(), self.bodies.slots(), dynamic);
        for (_, joint) in self.joints.iter() {
            let ends = joint_bodies(&joint.joint, &self.joints).into_iter().flatten();
            self.tie(ends.map(|id| id.index), holds);
        }
        for (_, cable) in self.cables.iter() {
            self.tie(cable.slots(), holds);
        }
        holds.clusters.finish();
        for cluster in &holds.clusters.list[..holds.clusters.count] {
            let driven = cluster.bodies.iter().any(|&s| holds.stuck[s as usize]);
            for &s in &cluster.bodies {
                holds.stuck[s as usize] = false;
                holds.fast[s as usize] &= !driven;
            }
        }
    }

    /// Makes one cluster of the bodies of a joint or a cable. Marks it as `stuck` for the moment if something drives it.
    fn tie(&self, slots: impl Iterator<Item = u32>, holds: &mut Holds) {
        let (mut first, mut driven) = (None, false);
        for slot in slots {
            let body = self.bodies.at(slot);
            if body.is_some_and(BodyState::is_dynamic) {
                holds.jointed[slot as usize] = true;
                holds.clusters.connect(*first.get_or_insert(slot), slot);
            } else {
                driven |= body.is_some_and(|b| b.way() != (Vec3::ZERO, Vec3::ZERO));
            }
        }
        if let Some(first) = first.filter(|_| driven) {
            holds.stuck[first as usize] = true;
        }
    }

    /// Counts the steps in a row for which bodies were held back.
    pub(super) fn count_holds(&mut self, dt: f64, report: &mut StepReport) {
        let mut longest = 0;
        for (_, body) in self.bodies.iter_mut() {
            let is_held = body.lost > MOST_OF_IT * dt;
            body.held = if is_held { body.held.saturating_add(1) } else { 0 };
            body.lost = 0.0;
            longest = longest.max(body.held);
        }
        let first = self.bodies.iter().find(|(_, body)| longest > 0 && body.held == longest);
        let hold =
            |body: &BodyState| Hold { steps: longest as usize, body: body.name().to_string() };
        report.longest_hold = first.map(|(_, body)| hold(body));
    }
}

#[cfg(test)]
mod tests {
    use crate::report::StepReport;
    use crate::{Body, Error, Shape, World};

    /// Steps in a row are counted, also across a snapshot; one that is not lost begins anew.
    #[test]
    fn held_steps_are_counted() -> Result<(), Error> {
        let mut world = World::new();
        for name in ["a", "b"] {
            world.add_body(Body::dynamic(name).shape(Shape::Ball { radius: 0.1 }))?;
        }
        let dt = 0.01;
        let lose = |world: &mut World, shares: [f64; 2]| {
            for ((_, body), share) in world.bodies.iter_mut().zip(shares) {
                body.lost = share * dt;
            }
            let mut report = StepReport::default();
            world.count_holds(dt, &mut report);
            let held = report.longest_hold.as_ref().map(|hold| hold.body.clone());
            (report.held_steps(), held, report.is_stuck())
        };
        let b = || Some("b".to_string());
        assert_eq!(lose(&mut world, [0.4, 0.6]), (1, b(), false));
        assert_eq!(lose(&mut world, [0.9, 0.6]), (2, b(), false));
        let mut world = World::restore(&world.snapshot())?;
        assert_eq!(lose(&mut world, [0.9, 1.0]), (3, b(), false));
        assert_eq!(lose(&mut world, [0.9, 1.0]), (4, b(), false));
        assert_eq!(lose(&mut world, [0.0, 1.0]), (5, b(), true));
        assert_eq!(lose(&mut world, [0.6, 0.1]), (1, Some("a".to_string()), false));
        assert_eq!(lose(&mut world, [0.0, 0.0]), (0, None, false));
        Ok(())
    }
}
