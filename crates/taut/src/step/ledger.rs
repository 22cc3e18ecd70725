//! The energy that a run creates.
//!
//! Energy less the work put into it can only fall: friction, impacts and
//! dampers take, nothing gives. A scheme may give all the same. The ledger adds
//! up, part by part of each step, how far that balance has risen above its lowest value; up
//! to [`TOLERANCE`] of the largest kinetic energy plus the range of potential
//! energy seen so far this is taken for the error of the scheme.
//!
//! A start with overlaps or open joints is mended. Where motion does not pay for that, it counts as work put in: it is
//! measured step by step, for the bodies that were put there, until they are out.
//!
//! Only states between steps enlarge the tolerance. Within a step a rigid cable may throw a body to and fro; that
//! energy is never seen from outside, so it must not excuse a gain.

use super::rest::asleep;
use crate::assemble::{Energy, geometry, joint_bodies};
use crate::report::StepReport;
use crate::scene::{BodyState, Start};
use crate::world::{World, misaligned};

/// Rise that is taken for an error of the scheme, relative to the largest
/// kinetic energy plus the range of potential energy.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// Lifting all bodies by this much \[m\] is rounding. (A cable of 500 m and 50 points at rest
/// gained what lifts it by 1.4e-7 m, in at most 300 steps.)
const LIFT: f64 = 1e-6;

/// So is this share of the largest work that was put in or taken in a step. (A motor of 1 MN that drives boxes into a wall puts in
/// 0.8 MJ in its first step; they are at rest then, and what 60 steps under that force create is at most 6e-9 of it.)
const ROUNDED: f64 = 1e-8;

/// Bodies slower than this \[m/s\] are at rest: two that are pushed apart without gravity
/// move by the compliance of contacts.
const REST: f64 = 1e-4;

/// Bodies are out of one another, and joints closed, up to this \[m\].
const OUT: f64 = 1e-4;

/// What is kept from step to step, and in snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ledger {
    /// Rise above the lowest balance so far \[J\].
    pub(crate) rise: f64,
    /// Largest kinetic energy so far \[J\].
    pub(crate) kinetic: f64,
    /// Least and largest potential energy so far \[J\]; none before the first step.
    pub(crate) potential: Option<(f64, f64)>,
    /// What counts as rounding at rest \[J\].
    pub(crate) rounding: f64,
    /// Largest work of a step so far \[J\].
    pub(crate) flow: f64,
    /// What mending may still cost \[J\]: what was put there may contradict itself, and be pushed out for ever.
    pub(crate) mending: f64,
}

impl Ledger {
    /// Takes in a state.
    pub(crate) fn see(&mut self, energy: &Energy) {
        let potential = energy.gravity + energy.elastic;
        let (low, high) = self.potential.unwrap_or((potential, potential));
        self.potential = Some((low.min(potential), high.max(potential)));
        self.kinetic = self.kinetic.max(energy.kinetic);
    }

    /// Takes in what a step gained; a loss is negative.
    pub(crate) fn book(&mut self, gain: f64) {
        self.rise = (self.rise + gain).max(0.0);
    }

    /// Rise that is allowed \[J\].
    pub(crate) fn tolerance(&self) -> f64 {
        let range = self.potential.map_or(0.0, |(low, high)| high - low);
        TOLERANCE * (self.kinetic + range) + self.rounded()
    }

    /// What counts as rounding by now \[J\].
    fn rounded(&self) -> f64 {
        self.rounding + ROUNDED * self.flow
    }
}

impl World {
    /// Takes in the state before the first step.
    pub(crate) fn start_ledger(&mut self) {
        if self.ledger.potential.is_none() {
            self.ledger.rounding = self.rounding();
            let (bodies, joints, cables) = (&self.bodies, &self.joints, &self.cables);
            let energy = Energy::of_world(bodies, joints, cables, &self.softs, self.gravity);
            self.ledger.see(&energy);
        }
    }

    /// Books the energy of the step just done, of islands that are not to do it again.
    pub(super) fn balance_energy(&mut self, h: f64, report: &mut StepReport) {
        let mut ledger = self.ledger;
        let (mut before, mut after) = (Energy::default(), Energy::default());
        let mut work = 0.0;
        let mut mended = 0.0;
        let mut sink = std::mem::take(&mut self.work.sink);
        let scene = self.scene(h);
        let islands = &self.work.islands;
        let again = &self.work.redo.again;
        let all = self.work.solvers.iter().zip(&islands.list[..islands.count]).enumerate();
        for (_, (solver, island)) in all.filter(|(i, _)| !again.get(*i).is_some_and(|&a| a)) {
            let mut now = Energy::of(&scene, island, &mut sink);
            now.elastic += solver.report.springs;
            after.add(&now);
            if asleep(&self.bodies, island) {
                before.add(&now);
            } else {
                let report = &solver.report;
                before.add(&report.energy);
                work += report.work;
                let gain = now.total() - report.energy.total() - report.work;
                mended += report.mended.unwrap_or(0.0).min(gain).max(0.0);
            }
        }
        self.work.sink = sink;
        let mended = mended.min(ledger.mending);
        ledger.mending -= mended;
        ledger.book(after.total() - before.total() - work - mended);
        report.energy_mended = mended;
        report.work = work;
        report.kinetic_energy = after.kinetic;
        report.potential_energy = after.gravity;
        report.elastic_energy = after.elastic;
        report.energy_gain = ledger.rise;
        self.ledger = ledger;
    }

    /// Takes in the state after a step.
    pub(crate) fn see_energy(&mut self, report: &mut StepReport) {
        self.ledger.see(&Energy {
            kinetic: report.kinetic_energy,
            gravity: report.potential_energy,
            elastic: report.elastic_energy,
        });
        self.ledger.flow = self.ledger.flow.max(report.work.abs());
        report.energy_tolerance = self.ledger.tolerance();
    }

    /// What pushing out may create, per mass \[J/kg\]: half of the tolerance, of which rounding is no part. (A box
    /// of 1e7 kg that had settled on one of 1 kg by 0.2 µm was lifted again for 5 J.)
    pub(super) fn allowance(&self) -> f64 {
        let mass: f64 = self.bodies.iter().map(|(_, b)| b.mass()).sum();
        let ledger = &self.ledger;
        let left = 0.5 * (ledger.tolerance() - ledger.rounded()) - ledger.rise;
        if mass > 0.0 { (left / mass).max(0.0) } else { 0.0 }
    }

    /// All bodies lifted by [`LIFT`], and what counts as rest.
    fn rounding(&self) -> f64 {
        let soft: f64 = self.softs.iter().map(|(_, s)| s.total_mass()).sum();
        let mass = soft + self.bodies.iter().map(|(_, b)| b.mass()).sum::<f64>();
        mass * (self.gravity.length() * LIFT + 0.5 * REST * REST)
    }

    /// Which bodies are inside something, or off their joints, because they were put there; what mending them
    /// may cost: the weight of all bodies times what overlaps and open joints add up to.
    pub(super) fn find_inside(&mut self) {
        if self.bodies.iter().all(|(_, b)| b.placed == Start::Out) {
            return;
        }
        let of = |slot: u32| self.bodies.at(slot);
        let placed = |slot: u32| of(slot).is_some_and(|b| b.placed == Start::Placed);
        let is_inside = |slot: u32| of(slot).is_none_or(BodyState::is_inside);
        let mut inside = vec![false; self.bodies.slots()];
        let mut added = 0.0;
        for c in self.contacts.iter().filter(|c| c.gap < -OUT) {
            let new = placed(c.a) || placed(c.b);
            if new || (is_inside(c.a) && is_inside(c.b)) {
                (inside[c.a as usize], inside[c.b as usize]) = (true, true);
                added += if new { -c.gap } else { 0.0 };
            }
        }
        for (_, j) in self.joints.iter() {
            let g = geometry(&j.joint, &self.bodies);
            let arms = g.a.r.length() + g.b.r.length();
            let gap = j.joint.gap(&g) + arms * misaligned(&j.joint, &g);
            let ends = || joint_bodies(&j.joint, &self.joints).into_iter().flatten();
            let new = ends().any(|id| placed(id.index));
            if gap > OUT && (new || ends().all(|id| is_inside(id.index))) {
                ends().for_each(|id| inside[id.index()] = true);
                added += if new { gap } else { 0.0 };
            }
        }
        let mass: f64 = self.bodies.iter().map(|(_, b)| b.mass()).sum();
        self.ledger.mending += mass * self.gravity.length() * added;
        for ((slot, _), body) in self.bodies.iter_mut() {
            body.placed = if inside[slot as usize] { Start::Inside } else { Start::Out };
        }
    }
}
