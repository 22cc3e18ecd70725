//! Clumps: bodies that ran into one another in a step (`hold`), and move on as one for the rest of it.
//!
//! A clump that nothing holds keeps both momenta: what its members would have had at the ends of their ways, they have where
//! they stopped. Clumps in which bodies touch and get nowhere lose half of their turning and of their speeds against one
//! another, all alike.

use super::hold::Holds;
use crate::assemble::Whole;
use crate::math::Vec3;
use crate::scene::BodyState;
use crate::world::World;

/// Bodies that ran into one another, which move on together.
#[derive(Default)]
pub(super) struct Clumps {
    /// By slot: the next on the way to the first of its clump.
    pub(super) parent: Vec<u32>,
    /// Of the first: mass, infinite if something that goes its own way is in it (what is fixed, or
    /// not fast), and velocity.
    pub(super) mass: Vec<f64>,
    pub(super) velocity: Vec<Vec3>,
    /// By slot: the normal of the one fixed thing that a body ran into, along which it slides on,
    /// and the velocity of its way.
    pub(super) slides: Vec<Option<Vec3>>,
    pub(super) own: Vec<Vec3>,
}

impl Clumps {
    pub(super) fn root(&self, slot: u32) -> usize {
        let mut slot = slot;
        while self.parent[slot as usize] != slot {
            slot = self.parent[slot as usize];
        }
        slot as usize
    }

    /// The bodies of a clump, by its first.
    pub(super) fn members(&self, root: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        (0..self.parent.len() as u32).filter(move |&slot| self.root(slot) == root)
    }

    /// How a held body moves on.
    pub(super) fn drift(&self, slot: u32) -> Vec3 {
        let Some(&own) = self.own.get(slot as usize) else { return Vec3::ZERO };
        let velocity = self.velocity[self.root(slot)];
        self.slides[slot as usize].map_or(velocity, |n| {
            let slip = own - velocity;
            velocity + slip - n * n.dot(slip)
        })
    }

    /// Makes one clump of two; `false` if they were one.
    pub(super) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (first, second) = (a.min(b), a.max(b));
        if first == second {
            return false;
        }
        let (m, n) = (self.mass[first], self.mass[second]);
        let share = match (m.is_finite(), n.is_finite()) {
            (true, true) if m + n > 0.0 => n / (m + n),
            (true, false) => 1.0,
            _ => 0.0,
        };
        self.velocity[first] = self.velocity[first].lerp(self.velocity[second], share);
        self.mass[first] = m + n;
        self.parent[second] = first as u32;
        true
    }
}

impl World {
    /// Notes the spin that clumps have at the ends of their ways, of those that nothing holds.
    pub(super) fn note_spins(&self, h: f64, holds: &mut Holds) {
        holds.spins.clear();
        if holds.count == 0 {
            return;
        }
        let mut roots: Vec<usize> = holds.held(h).map(|s| holds.clumps.root(s)).collect();
        roots.sort_unstable();
        roots.dedup();
        let scene = self.scene(h);
        let is_free = |slot: u32| {
            let awake = |b: &BodyState| b.is_dynamic() && !b.asleep && b.quarantine.is_none();
            let island = self.work.islands.island[slot as usize] as usize;
            !holds.jointed[slot as usize]
                && self.bodies.at(slot).is_some_and(awake)
                && self.work.solvers.get(island).is_some_and(|solver| !solver.is_tied(&scene))
        };
        for root in roots {
            let members = || holds.clumps.members(root);
            if members().all(is_free) {
                let end = |b: &'_ BodyState| b.arrival.map_or((b.x, b.q), |a| (a.x, a.q));
                let bodies = members().filter_map(|slot| self.bodies.at(slot));
                let all = Whole::of(bodies.map(|b| (b, end(b).0, end(b).1, (b.v, b.w))));
                holds.spins.push((root, all.spin));
            }
        }
    }

    /// Bodies of a clump as one, where they are.
    pub(super) fn whole(&self, slots: impl Iterator<Item = u32> + Clone) -> Whole {
        let bodies = slots.filter_map(|slot| self.bodies.at(slot));
        Whole::of(bodies.map(|b| (b, b.x, b.q, (b.v, b.w))))
    }

    /// Turns clumps that nothing holds so that they have the spin of the ends of their ways, which they do not come to.
    pub(super) fn keep_spins(&mut self, holds: &Holds) {
        for &(root, due) in &holds.spins {
            let members = || holds.clumps.members(root);
            let all = self.whole(members());
            let turn = all.inertia.inverse() * (due - all.spin);
            if !turn.is_finite() {
                continue;
            }
            for slot in members() {
                if let Some(body) = self.bodies.at_mut(slot) {
                    body.v += turn.cross(body.x - all.centre);
                    body.w += turn;
                }
            }
        }
    }

    /// Clumps in which a body touches and gets nowhere lose half of their turning and of their
    /// speeds against one another, or against what is fixed; those that nothing holds half of what they move beside their common
    /// motion. (Of 120 pairs of solids that met in flight 15 lost up to half of their angular momentum.)
    pub(super) fn slow_clumps(&mut self, h: f64, holds: &Holds) {
        let clumps = &holds.clumps;
        let is_held = |s: usize| holds.stuck[s] && holds.ends[s] < h;
        let stuck: Vec<u32> =
            (0..holds.ends.len() as u32).filter(|&s| is_held(s as usize)).collect();
        let mut roots: Vec<usize> = stuck.iter().map(|&s| clumps.root(s)).collect();
        roots.sort_unstable();
        roots.dedup();
        for root in roots {
            let members = || clumps.members(root);
            let spins = holds.spins.iter().any(|(first, _)| *first == root);
            let all = self.whole(members());
            if let Some(((v, w), _)) = all.motion().filter(|_| spins) {
                for slot in members() {
                    if let Some(body) = self.bodies.at_mut(slot) {
                        let v = v + w.cross(body.x - all.centre);
                        (body.v, body.w) = (v.lerp(body.v, 0.5), w.lerp(body.w, 0.5));
                    }
                }
                continue;
            }
            let is_free = |b: &BodyState| b.is_dynamic() && !b.asleep && b.quarantine.is_none();
            let is_fixed = !members().all(|s| self.bodies.at(s).is_some_and(is_free));
            let (mut mass, mut momentum) = (0.0, Vec3::ZERO);
            for body in members().filter_map(|s| self.bodies.at(s)).filter(|b| b.is_dynamic()) {
                mass += body.mass;
                momentum += body.mass * body.v;
            }
            let common = if is_fixed { clumps.velocity[root] } else { momentum / mass };
            for slot in members() {
                // (On fixed things those that got away do.)
                let stays = is_fixed && !holds.stuck[slot as usize];
                let Some(body) = self.bodies.at_mut(slot).filter(|b| b.is_dynamic() && !stays)
                else {
                    continue;
                };
                let off = body.v - common;
                let along = clumps.slides[slot as usize].filter(|_| is_fixed);
                let off = along.map_or(off, |n| n * n.dot(off));
                body.v -= 0.5 * off;
                body.w *= 0.5;
            }
        }
    }
}
