//! The stages of a step that only look: figures and events.

use crate::assemble::{IslandSolver, geometry};
use crate::report::{Event, StepReport, larger, worse};
use crate::scene::BodyState;
use crate::slots::JointId;
use crate::world::World;

/// A cable that does not stretch is too long beyond this share of its length, and this \[m\], which is for rounding.
const OVER_LENGTH: f64 = 1e-6;
const ROUNDING: f64 = 1e-9;

/// Adds the figures of one island.
pub(super) fn add_island(report: &mut StepReport, solver: &IslandSolver) {
    let island = &solver.report;
    report.islands += 1;
    report.rows += solver.rows();
    report.swept_islands += usize::from(island.swept);
    if island.status().is_some() {
        report.solver = island.solver;
    }
    report.choice = larger(report.choice, island.choice);
    report.status = worse(report.status, island.status());
    report.passes = report.passes.max(island.passes);
    report.residual = report.residual.max(island.residual);
    report.relative_residual = report.relative_residual.max(island.relative_residual);
    report.energy_error = report.energy_error.max(island.energy_error);
    report.friction_gap = report.friction_gap.max(island.friction_gap);
    report.contact_compliance = report.contact_compliance.max(island.contact_compliance);
    report.energy_taken += island.energy_taken;
    report.unconverged_islands += usize::from(!island.converged());
    report.refusals.extend(island.refusal().cloned());
    report.failure = report.failure.take().or_else(|| island.failure());
    add_work(report, solver);
}

/// Adds the work of one island.
pub(super) fn add_work(report: &mut StepReport, solver: &IslandSolver) {
    let island = &solver.report;
    report.iterations += island.iterations;
    report.factorizations += island.factorizations;
    report.timings.assemble += island.assemble_seconds;
    report.timings.solve += island.solve_seconds;
}

impl World {
    /// Removes joints beyond their thresholds.
    pub(super) fn break_joints(&mut self, report: &mut StepReport) {
        let broken: Vec<(JointId, Event)> = self
            .joints
            .iter()
            .filter_map(|(id, j)| {
                let (force, torque) = (j.reaction.force.length(), j.reaction.torque.length());
                let breaks = force > j.joint.break_force || torque > j.joint.break_torque;
                let joint = JointId::of_slot(id);
                let name = j.name().to_string();
                breaks.then_some((joint, Event::JointBroke { joint, name, force, torque }))
            })
            .collect();
        for (id, event) in broken {
            // A gear may be gone with the joint it stood on.
            if self.remove_joint(id).is_ok() {
                report.events.push(event);
            }
        }
    }

    /// Compares the pairs that press on one another with those of the step
    /// before.
    pub(super) fn touch_events(&mut self, report: &mut StepReport) {
        let pressing = self.contacts.iter().filter(|c| c.normal_force > 0.0);
        let mut now: Vec<_> = pressing.map(|c| (self.id_of(c.a), self.id_of(c.b))).collect();
        now.sort_unstable();
        now.dedup();
        for &(a, b) in now.iter().filter(|p| self.touching.binary_search(p).is_err()) {
            report.events.push(Event::ContactBegin { a, b });
        }
        for &(a, b) in self.touching.iter().filter(|p| now.binary_search(p).is_err()) {
            report.events.push(Event::ContactEnd { a, b });
        }
        self.touching = now;
    }

    /// The name of a collider's body.
    fn name_of(&self, collider: u32) -> String {
        let body = self.bodies.at(self.colliders.owner(collider).0);
        body.map_or("", |b| b.name()).to_string()
    }

    /// Whether two solids that were not put there are deeper in one another than they are thick.
    fn is_sunk(&self, pair: (u32, u32), gap: f64) -> bool {
        let placed =
            |c: u32| self.bodies.at(self.colliders.owner(c).0).is_some_and(BodyState::is_inside);
        self.colliders.thickness(pair).is_some_and(|thick| -gap > thick)
            && !(placed(pair.0) && placed(pair.1))
    }

    /// Momentum, penetration, gaps.
    pub(crate) fn measure(&self, report: &mut StepReport) {
        report.time = self.time;
        report.parts = 1;
        for (_, body) in self.bodies.iter() {
            if !body.is_dynamic() {
                continue;
            }
            let momentum = body.v * body.mass;
            report.momentum += momentum;
            report.angular_momentum += body.x.cross(momentum) + body.spin();
        }
        self.measure_softs(report);
        report.contacts = self.contacts.len();
        let (mut depth, mut inside) = (0.0, 0_usize);
        for c in self.contacts.iter().filter(|c| c.gap < 0.0) {
            depth -= c.gap;
            inside += 1;
        }
        // Contacts that were taken back to the start may stand behind planes beyond their faces. (0.2 m, where nothing was deeper than 0.2 mm.)
        for &(pair, gap) in &self.work.missed.starts {
            report.max_penetration = report.max_penetration.max(-gap);
            if report.sunk_pair.is_none() && self.is_sunk(pair, gap) {
                report.sunk_pair = Some([pair.0, pair.1].map(|c| self.name_of(c)));
            }
        }
        report.mean_penetration = depth / inside.max(1) as f64;
        for (_, state) in self.joints.iter() {
            let gap = state.joint.gap(&geometry(&state.joint, &self.bodies));
            report.max_joint_gap = report.max_joint_gap.max(gap);
        }
        for (_, cable) in self.cables.iter() {
            report.max_tension = report.max_tension.max(cable.last_tension());
            if cable.cable.stretches() {
                continue;
            }
            let long = cable.stretch();
            report.max_cable_error = report.max_cable_error.max(long);
            report.max_over_length = report.max_over_length.max(long / cable.length);
            if long > OVER_LENGTH * cable.length + ROUNDING && report.long_cable.is_none() {
                report.long_cable = Some(cable.name().to_string());
            }
        }
    }
}
