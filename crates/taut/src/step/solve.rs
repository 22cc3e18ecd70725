//! Islands of the step at hand, and a solver for each.

use super::rest::asleep;
use crate::assemble::{IslandSolver, Scene, joint_bodies};
use crate::cables::CableState;
use crate::error::Error;
use crate::islands::{Island, Islands};
use crate::scene::BodyState;
use crate::scene::joint::JointState;
use crate::settings::FrictionMode;
use crate::slots::Slots;
use crate::world::World;

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

    /// Connects bodies by joints, cables and contacts.
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
