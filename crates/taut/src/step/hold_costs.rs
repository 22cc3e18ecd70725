//! What holding bodies back costs them.
//!
//! Problem: a body that is not where it would be (`hold`) has not done the work that it got its speed from, and springs on it
//! have not got what they gave.
//!
//! Method: that work is taken out of its kinetic energy, so that a hold never adds energy, and impacts happen at full
//! speed all the same: the share of a step's weight in it is small. What springs gave is taken from the whole island.
//!
//! Fails where there is less motion than that work: the island is noted as unpaid, and `halving` does its step again in halves.

use crate::assemble::Energy;
use crate::math::Vec3;
use crate::scene::Start;
use crate::world::World;

impl World {
    /// Takes the work that held bodies have not done out of their energy.
    pub(super) fn pay_for_holds(&mut self, h: f64) {
        let holds = std::mem::take(&mut self.work.holds);
        self.keep_spins(&holds);
        if holds.count > 0 {
            for slot in 0..holds.ends.len() {
                let single = !holds.jointed[slot];
                if single && holds.ends[slot] < h {
                    let drift = holds.clumps.drift(slot as u32);
                    let along = holds.clumps.slides[slot];
                    self.pay(&[slot as u32], h - holds.ends[slot], drift, along);
                }
            }
            for cluster in &holds.clusters.list[..holds.clusters.count] {
                let first = cluster.bodies[0] as usize;
                if holds.jointed[first] && holds.ends[first] < h {
                    let drift = holds.clumps.drift(cluster.bodies[0]);
                    self.pay(&cluster.bodies, h - holds.ends[first], drift, None);
                }
            }
        }
        if holds.count > 0 {
            self.slow_clumps(h, &holds);
        }
        self.work.holds = holds;
        if self.work.holds.count > 0 {
            self.settle_holds(h);
        }
    }

    /// What springs gave for the rest of the way, and all else that a hold creates, is taken
    /// from all bodies of the island alike, which leaves its joints at rest: from what they move, or, where nothing
    /// holds the island, from what they move beside their common motion, so that it keeps both momenta. (Three
    /// boxes in flight, two of them on a spring, lost 3.5 % of theirs.) Where that is not enough, the step led over a
    /// hill of the potential, and is halved if it may be. (A spring that a step does not resolve, ωh = 9, threw a body
    /// through its anchor; held on the other side, the spring had 325 J of 231.)
    fn settle_holds(&mut self, h: f64) {
        for i in 0..self.work.islands.count {
            let mut sink = std::mem::take(&mut self.work.sink);
            let island = &self.work.islands.list[i];
            let held = |&slot: &u32| self.work.holds.way(slot, h) < h;
            let kept = !island.bodies.iter().any(held);
            let scene = self.scene(h);
            let energy = Energy::of(&scene, island, &mut sink);
            let is_free = !self.work.solvers[i].is_tied(&scene);
            self.work.sink = sink;
            let report = &self.work.solvers[i].report;
            let gain = energy.total() - report.energy.total() - report.work;
            if kept || gain <= 0.0 {
                continue;
            }
            let all = self.whole(island.bodies.iter().copied());
            let (mass, centre) = (all.mass, all.centre);
            // A body alone has nothing but its spin to pay with.
            let alone = all.kinetic - 0.5 * mass * all.v.length_squared();
            let ((v, w), kinetic) = match all.motion() {
                _ if !is_free => ((Vec3::ZERO, Vec3::ZERO), energy.kinetic),
                Some(motion) if island.bodies.len() > 1 => motion,
                _ => ((all.v, Vec3::ZERO), alone),
            };
            let inside =
                |&slot: &u32| self.bodies.at(slot).is_some_and(|b| b.placed == Start::Inside);
            let mends = self.work.islands.list[i].bodies.iter().any(inside);
            if !mends && gain - kinetic > mass * self.allowance() {
                self.work.holds.unpaid.push(self.work.islands.list[i].bodies[0]);
            }
            if kinetic <= 0.0 {
                continue;
            }
            let share = (1.0 - gain / kinetic).max(0.0).sqrt();
            for &slot in &self.work.islands.list[i].bodies {
                if let Some(body) = self.bodies.at_mut(slot).filter(|b| b.is_dynamic()) {
                    let v = v + w.cross(body.x - centre);
                    body.v = v + share * (body.v - v);
                    body.w = w + share * (body.w - w);
                }
            }
        }
    }

    /// Takes the work of the way that bodies did not go, for the time `lost`: of a body that slides
    /// along something from what it moves across it and turns.
    fn pay(&mut self, slots: &[u32], lost: f64, drift: Vec3, slides: Option<Vec3>) {
        let (mut power, mut kinetic) = (0.0, 0.0);
        let along = |v: Vec3| slides.map_or(Vec3::ZERO, |n| v - n * n.dot(v));
        for body in slots.iter().filter_map(|&s| self.bodies.at(s)).filter(|b| b.is_dynamic()) {
            let weight = body.mass * body.body.gravity_scale * self.gravity;
            power += (weight + body.force).dot(body.moved - drift) + body.torque.dot(body.w);
            kinetic += body.kinetic_energy() - 0.5 * body.mass * along(body.v).length_squared();
        }
        if power > 0.0 && kinetic > 0.0 {
            let share = (1.0 - power * lost / kinetic).max(0.0).sqrt();
            for &s in slots {
                if let Some(body) = self.bodies.at_mut(s).filter(|b| b.is_dynamic()) {
                    body.v = along(body.v).lerp(body.v, share);
                    body.w *= share;
                }
            }
        }
    }
}
