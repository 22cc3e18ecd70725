//! Contacts that give way to changes of their force, a little.
//!
//! **Problem.** Rigid bodies leave the forces of many contacts undetermined: a wheel on two points,
//! a truck on eight wheels, a chain in a heap. What one point asks then contradicts another in the last
//! digits, and which of them slides, by nanometres, is hard to find and of no interest.
//!
//! **Update.** Rows of cones have w = Jv + C(λ − λ₀), with λ₀ the impulse that they start from: a
//! spring that remembers. A force that stays bends nothing, so nothing creeps and nothing sinks; a
//! force that changes moves its contact by C Δλ, along the normal at most 1e-4 of the speeds about. Stress that
//! nothing but compliance decides grows from step to step until a contact slides, as it does in
//! machines. Where forces jump, the problem is solved again with λ₀ ← λ, a proximal
//! step, which takes back what the spring gave way to.
//!
//! **Cost**: none at rest; one more solve, mostly of the same states, where forces jump.
//! The spring's energy, ½λᵀCλ, is at most 1e-4 of what the motion had.
//! **Fails** to follow where that is not found quickly, as in collapse: there forces that jump move
//! contacts by those 1e-4 for a step. (With joints Newton's iterations follow.)
//! **Reference**: Rockafellar 1976 (proximal points).

use super::{IslandSolver, Scene, Stage};
use crate::lcp::Operator;
use crate::settings::FrictionMode;

/// Compliance of a contact, relative to its diagonal, and to what its load is per speed: heavy
/// loads on light bodies give way no more than others. (120 frames, softened and factorizations per
/// frame without, with 1e-5 and 1e-4: `chain-drop` 79 and 146, 0 and 15, 0 and 13; `vehicle` 36 and
/// 56, 6 and 29, 0 and 3.8. With 1e-3 `wall` needs none, and springs return what can be seen.)
const GIVES: f64 = 1e-4;
/// Across the normal contacts have `GIVES` times this. Where weight may rest on normals or hang on friction it
/// rests. (A box that a plate pushes with 0.9 of what friction holds slides at 1, stays at 10; with 0.98 it
/// slides at 10, stays at 30.)
pub(super) const ACROSS: f64 = 30.0;
/// Solves at most; a stack of 160 logs that is put down sinks by 1e-7 m after two, 1e-11 m after four.
pub(super) const ROUNDS: usize = 4;
/// Factorizations of a solve that is worth another. (In collapse a wall changes more from solve to
/// solve than compliance does: without this limit it takes twice the time.)
pub(super) const QUICK: usize = 8;
/// Contacts that give way by no more than this share of the speeds about are at rest.
const UNCHANGED: f64 = 1e-10;

/// A row that gives way.
#[derive(Clone, Copy, Debug)]
struct Row {
    contact: usize,
    row: usize,
    is_normal: bool,
    compliance: f64,
    /// λ₀.
    start: f64,
}

/// How contacts of an island give way.
#[derive(Debug, Default)]
pub(super) struct Elastic {
    /// Compliance of each contact, relative to its diagonal.
    contacts: Vec<f64>,
    rows: Vec<Row>,
}

/// How far a contact gives way, relative to its diagonal, by its load and the speeds about \[m/s\].
pub(super) fn share(speed: f64, load: f64) -> f64 {
    GIVES * if load > speed { speed / load } else { 1.0 }
}

impl IslandSolver {
    /// Gives rows of cones their compliance, about the impulses that they start from.
    pub(super) fn anchor(&mut self, scene: &Scene, stage: Stage) {
        let mut rows = std::mem::take(&mut self.elastic.rows);
        rows.clear();
        // (Polyhedra are solved from nothing: there is no λ₀.)
        let solid = matches!(scene.settings.friction, FrictionMode::Polyhedral { .. });
        if self.cone(scene, stage).is_some() && !solid {
            // (In the second stage b knows nothing of the load yet.)
            if stage != Stage::Velocities {
                self.find_compliances();
            }
            for (contact, at) in self.contact_rows.iter().enumerate() {
                if let (Some(t), Some(_)) = (at.tangent, self.contact_bias[contact]) {
                    let end = t + if at.torsion == Some(t + 2) { 3 } else { 2 };
                    let row = |row| Row {
                        contact,
                        row,
                        is_normal: row == at.normal,
                        compliance: 0.0,
                        start: 0.0,
                    };
                    rows.extend((at.normal..end).map(row));
                    // (Of the points of a face the rows of rolling are the same: a heap of 8 boxes stalled in 16 of
                    // 120 steps.)
                    rows.extend(at.rolling.into_iter().flat_map(|r| r..r + 2).map(row));
                }
            }
        }
        self.elastic.rows = rows;
        self.set_anchors(scene, stage == Stage::Velocities);
    }

    /// No contact gives way by what this file says.
    pub(super) fn forget_anchors(&mut self) {
        self.elastic.rows.clear();
    }

    /// What the loads at hand let contacts give way.
    fn find_compliances(&mut self) {
        let speeds = self.contact_rows.iter().map(|rows| self.problem.b[rows.normal].abs());
        let speed = speeds.fold(0.0_f64, f64::max);
        let shares = self.contact_rows.iter().map(|rows| {
            share(speed, self.diagonal[rows.normal] * self.iterate.lambda[rows.normal])
        });
        self.elastic.contacts.clear();
        self.elastic.contacts.extend(shares);
    }

    /// Lets λ₀ be the present impulses. The second stage takes back all impulses of the first, and
    /// what its springs gave with them (`is_taken`).
    fn set_anchors(&mut self, scene: &Scene, is_taken: bool) {
        let Operator::Multibody(m) = &mut self.problem.operator else { return };
        for row in &mut self.elastic.rows {
            let i = row.row;
            let share = self.elastic.contacts.get(row.contact).copied().unwrap_or(0.0);
            let least = scene.settings.compliance;
            let share = if row.is_normal { share } else { ACROSS * share };
            let compliance = share.max(least) * self.diagonal[i];
            m.set_compliance(i, compliance);
            let lambda = self.iterate.lambda[i];
            if !is_taken {
                self.problem.b[i] += row.compliance * row.start - compliance * lambda;
            }
            (row.compliance, row.start) = (compliance, lambda);
        }
    }

    /// The impulses of the first stage, which the second took back, are λ₀.
    pub(super) fn anchor_to_first_stage(&mut self) {
        for row in &mut self.elastic.rows {
            row.start = self.passages.taken_back(row.row);
        }
    }

    /// Lets λ₀ follow the answer where that still moves contacts; `false` where it does not. (Newton's
    /// iterations on joints begin with the answer of the last one.)
    pub(super) fn follow_answer(&mut self, scene: &Scene) -> bool {
        let gave = |r: &Row| (r.compliance * (self.iterate.lambda[r.row] - r.start)).abs();
        let most = self.elastic.rows.iter().map(gave).fold(0.0_f64, f64::max);
        let failed = self.report.is_broken() || self.report.contact_compliance > 0.0;
        // Those of soft bodies are posed anew, about the answer, with every solve.
        if !failed && self.soft.gave(&self.iterate.lambda) > UNCHANGED * self.problem.scale() {
            return true;
        }
        let still = || most <= UNCHANGED * self.problem.scale();
        if failed || most == 0.0 || still() || !self.joint_rows.is_empty() || self.cable_rows() > 0
        {
            return false;
        }
        self.find_compliances();
        self.set_anchors(scene, false);
        true
    }
}
