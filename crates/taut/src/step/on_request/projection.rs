//! The optional position projection at the end of a step.

use super::turns::count_turns;
use crate::assemble::{Projection, Scene};
use crate::integrate::turned;
use crate::islands::Island;
use crate::lcp::Operator;
use crate::math::{Quat, Vec3};
use crate::report::StepReport;
use crate::settings::default_solver;
use crate::world::World;

/// Errors below this \[m or rad\] are left alone.
const TOLERANCE: f64 = 1e-9;

/// Slots of bodies, and where they are.
pub(super) type Poses = Vec<(u32, Vec3, Quat)>;

/// One projection for each island.
pub(super) fn grow(projections: &mut Vec<Projection>, count: usize) {
    while projections.len() < count {
        match default_solver().build() {
            Ok(solver) => projections.push(Projection::new(solver)),
            Err(_) => return, // its settings are the defaults
        }
    }
}

impl World {
    /// Closes the joints of islands that are open; see `assemble::projection`.
    pub(super) fn project_positions(&mut self, h: f64, report: &mut StepReport) {
        if !self.settings.position_projection {
            return;
        }
        // Always exact, whatever solves the steps: it is nearly a linear system.
        let mut projections = std::mem::take(&mut self.work.projections);
        grow(&mut projections, self.work.islands.count);
        let mut closed = 0;
        for (i, projection) in projections.iter_mut().enumerate() {
            if self.work.solvers.get(i).is_some_and(|s| !s.arrivals.is_empty()) {
                continue; // closed already
            }
            closed += usize::from(self.project_island(h, i, projection));
        }
        self.work.projections = projections;
        report.projected_islands += closed;
    }

    /// True if the island was open and is less so now.
    fn project_island(&mut self, h: f64, i: usize, projection: &mut Projection) -> bool {
        if i >= self.work.islands.count || self.sleeps(i) {
            return false;
        }
        let before = projection.find_errors(&self.scene(h), &self.work.islands.list[i], &[]).joints;
        let Operator::Multibody(m) = &self.work.solvers[i].problem().operator else { return false };
        let masses = (0..m.body_count()).map(|k| m.mass(k));
        if before <= TOLERANCE || !projection.solve(&self.scene(h), masses, [].iter()) {
            return false;
        }
        let island = std::mem::take(&mut self.work.islands.list[i]);
        let poses = self.move_bodies(&island, projection);
        self.work.islands.list[i] = island;
        let after = projection.find_errors(&self.scene(h), &self.work.islands.list[i], &[]).joints;
        if after < before {
            return true;
        }
        // Too far from closed for a linear step to help.
        let island = std::mem::take(&mut self.work.islands.list[i]);
        self.move_back(&island, &poses);
        self.work.islands.list[i] = island;
        false
    }

    fn sleeps(&self, island: usize) -> bool {
        let mut bodies = self.work.islands.list[island].bodies.iter();
        bodies.all(|&slot| self.bodies.at(slot).is_some_and(|b| b.asleep))
    }

    /// Moves the bodies of an island; returns their former poses.
    pub(super) fn move_bodies(&mut self, island: &Island, projection: &Projection) -> Poses {
        let mut poses = Vec::new();
        for (&slot, &(shift, turn)) in island.bodies.iter().zip(&projection.moves) {
            if let Some(body) = self.bodies.at_mut(slot).filter(|b| b.is_dynamic()) {
                poses.push((slot, body.x, body.q));
                body.x += shift;
                body.q = turned(body.q, turn, 1.0);
            }
        }
        self.update_island_angles(island);
        poses
    }

    pub(super) fn move_back(&mut self, island: &Island, poses: &Poses) {
        for &(slot, x, q) in poses {
            if let Some(body) = self.bodies.at_mut(slot) {
                (body.x, body.q) = (x, q);
            }
        }
        self.update_island_angles(island);
    }

    fn update_island_angles(&mut self, island: &Island) {
        for &slot in &island.joints {
            if let Some(joint) = self.joints.at_mut(slot) {
                count_turns(joint, &self.bodies);
            }
        }
    }

    /// What islands read, with a step of h.
    pub(super) fn scene(&self, h: f64) -> Scene<'_> {
        Scene {
            weight: 0,
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
            late: 0.0,
            may_halve: false,
            allowance: 0.0,
            rise: 0.0,
        }
    }
}
