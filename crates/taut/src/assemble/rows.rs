//! The rows of a stage: bodies, joints, cables, contacts and soft bodies, in this order, and what each row of them adds to
//! the problem.

use super::{IslandSolver, Scene, Stage, repair, row6};
use crate::islands::Island;
use crate::lcp::{Law, Multibody, Operator, RowState};
use crate::math::Vec3;

/// A row of a Jacobian on the bodies of an island, in their order.
struct Located<const N: usize> {
    parts: [(u32, [f64; 6]); N],
    count: usize,
    /// Jv of the free velocities, and of bodies that are not of the island.
    free: f64,
    foreign: f64,
}

impl<const N: usize> Located<N> {
    fn parts(&self) -> &[(u32, [f64; 6])] {
        &self.parts[..self.count]
    }
}

impl IslandSolver {
    /// Bodies and rows of a stage, from joint geometry and contacts. Returns how
    /// far rigid joints miss their positions, relative to their size.
    pub(super) fn push_rows(&mut self, scene: &Scene, island: &Island, stage: Stage) -> f64 {
        self.problem.b.clear();
        self.problem.laws.clear();
        self.iterate.clear();
        self.rigid.clear();
        self.foreign.clear();
        self.foreign_time = match stage {
            Stage::Impact => 0.0,
            Stage::Velocities => scene.h,
            _ => 0.5 * scene.h,
        };
        self.joint_rows.clear();
        let missed: f64 = match stage {
            Stage::Step => {
                self.push_bodies(scene, island);
                self.push_joints(scene, island);
                0.0
            }
            Stage::Impact => {
                self.push_free(scene, island, stage);
                self.push_impact_joints(scene, island);
                0.0
            }
            Stage::Positions => {
                self.push_middles(scene, island);
                self.push_passage_joints(scene, island, stage)
            }
            Stage::Unrepaired | Stage::Repair => {
                self.push_free(scene, island, stage);
                self.push_repair_joints(scene, island, stage);
                0.0
            }
            Stage::Velocities => {
                self.push_ends(scene, island);
                self.push_passage_joints(scene, island, stage)
            }
        };
        let missed = missed.max(self.push_cables(scene, island, stage));
        let missed = missed.max(self.push_stops(scene, stage));
        self.find_biases(scene, stage);
        self.push_contacts(scene, stage);
        if stage == Stage::Step && !island.softs.is_empty() {
            self.push_soft(scene, island);
        }
        // Demands on positions may contradict one another: soft rows then share the blame.
        let relative =
            if stage == Stage::Repair { repair::COMPLIANCE } else { scene.settings.compliance };
        self.set_compliance(relative);
        if stage == Stage::Positions {
            self.stiffen_cables(scene, island, relative);
        }
        match scene.settings.contact.penalty() {
            Some((explicit, _)) => self.pose_springs(scene, explicit),
            None => self.anchor(scene, stage),
        }
        if stage == Stage::Velocities {
            self.take_back_first_stage(scene);
            self.anchor_to_first_stage();
        }
        missed
    }

    /// The rows anew; starts from the last answer.
    pub(super) fn reassemble(&mut self, scene: &Scene, island: &Island, stage: Stage) -> f64 {
        let last = std::mem::take(&mut self.iterate);
        let mut rows = std::mem::take(&mut self.last_rows);
        if stage == Stage::Step {
            rows.clone_from(&self.joint_rows);
        }
        let missed = self.push_rows(scene, island, stage);
        if stage == Stage::Step {
            self.keep_curvature(scene, &rows);
        }
        self.last_rows = rows;
        let joints = self.tied_rows();
        let normals = self.contact_rows.iter().map(|r| r.normal);
        for i in (0..joints).chain(normals) {
            self.iterate.lambda[i] = last.lambda[i];
            self.iterate.set[i] = last.set[i];
        }
        missed
    }

    pub(super) fn multibody(&mut self) -> Option<&mut Multibody> {
        match &mut self.problem.operator {
            Operator::Multibody(m) => Some(m),
            _ => None,
        }
    }

    /// Appends a row: Jacobian by slot, compliance, b without J v_free, law,
    /// if it does not belong to the one before, and where to start. Bodies without a place in the
    /// island contribute their known velocity to b, belts (`given`) theirs.
    pub(super) fn push_row<const N: usize>(
        &mut self,
        scene: &Scene,
        parts: impl Iterator<Item = (u32, Vec3, Vec3)>,
        (compliance, bias, given): (f64, f64, f64),
        law: Option<Law>,
        start: (f64, RowState),
    ) {
        let row = self.locate::<N>(scene, parts);
        let foreign = given + row.foreign;
        if let Some(m) = self.multibody()
            && let Err(e) = m.push_row(row.parts(), compliance)
        {
            // A row without bodies keeps its place, so that those after it are found.
            let _ = m.push_row(&[], compliance);
            self.report.refuse(e);
        }
        self.problem.b.push(bias + row.free + foreign);
        self.foreign.push(foreign);
        self.problem.laws.extend(law);
        self.iterate.lambda.push(start.0);
        self.iterate.set.push(start.1);
    }

    /// A row of at most N parts, given by slots, on the bodies of the island.
    fn locate<const N: usize>(
        &self,
        scene: &Scene,
        parts: impl Iterator<Item = (u32, Vec3, Vec3)>,
    ) -> Located<N> {
        let mut row = Located { parts: [(0, [0.0; 6]); N], count: 0, free: 0.0, foreign: 0.0 };
        for (slot, linear, angular) in parts {
            let local = scene.local[slot as usize];
            if let Some(&(v, w)) = self.v_free.get(local as usize) {
                row.parts[row.count] = (local, row6(linear, angular));
                row.count += 1;
                row.free += linear.dot(v) + angular.dot(w);
            } else if let Some(body) = scene.bodies.at(slot) {
                let (v, w) = body.given(self.foreign_time);
                row.foreign += linear.dot(v) + angular.dot(w);
            }
        }
        row.parts[..row.count].sort_unstable_by_key(|p| p.0);
        row
    }

    /// Gives the rigid rows their compliance, relative to (J M̃⁻¹ Jᵀ)ᵢᵢ.
    pub(super) fn set_compliance(&mut self, relative: f64) {
        let mut diagonal = std::mem::take(&mut self.diagonal);
        let rigid = std::mem::take(&mut self.rigid);
        if let Some(m) = self.multibody() {
            diagonal.resize(m.rows(), 0.0);
            m.diagonal(&mut diagonal);
            for &(i, factor) in &rigid {
                m.set_compliance(i, factor * relative * diagonal[i]);
            }
        }
        (self.diagonal, self.rigid) = (diagonal, rigid);
    }
}
