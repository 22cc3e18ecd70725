//! Joints that contradict one another share the error softly.
//!
//! **Problem.** The axes of a door's two hinges are 0.1 µm apart, a welded frame does not close by a millimetre. Rows as stiff as those of
//! joints then press on one another with a stress that no load explains, δ/(h c) for a misfit δ, and what turns under it is braked.
//!
//! **Update.** Only joints that close loops can do that. Where their impulses would be more than [`SUSPICIOUS`], the first problem
//! of a step is solved once more with rows that give way by [`TRIAL`] of their diagonal. Loads stay what they were; joints whose impulses fall by half
//! or more contradict one another, by δ = h c λ. For the rest of the step these have the compliance at which the weight of the bodies at hand bends them by
//! a third of δ, and the step says how large δ is.
//!
//! **Cost**: one solve where loops are loaded as much, two where they contradict themselves. **Fails** where a loop carries several times the weight of its bodies
//! and contradicts itself: it then bends by more than δ.

use super::{IslandSolver, Scene, Stage};
use crate::islands::{Island, NONE};
use crate::lcp::{Operator, RowState};

/// Accelerations that impulses of joints mean for the bodies at hand \[m/s²\], beyond which they may be those of a contradiction: a misfit of 1 nm
/// makes them 1,800 at 1/60 s.
const SUSPICIOUS: f64 = 1000.0;
/// Compliance of a trial, relative to the diagonal.
const TRIAL: f64 = 1e-5;
/// Impulses that fall to less than this share are those of a contradiction.
const FALLS: f64 = 0.5;
/// Share of the misfit by which weight bends joints that contradict one another, and their largest relative compliance.
const BENDS: (f64, f64) = (0.3, 0.1);
/// Weight of a mass \[m/s²\].
const WEIGHT: f64 = 10.0;

/// What is known of contradictions in the step at hand.
#[derive(Debug, Default)]
pub(super) struct Misfit {
    /// Slots of joints that give way, and the factor on the world's compliance.
    soft: Vec<u32>,
    factor: f64,
    /// For loops: roots of bodies.
    parent: Vec<u32>,
    lambda: Vec<f64>,
    set: Vec<RowState>,
}

impl Misfit {
    pub(super) fn forget(&mut self) {
        self.soft.clear();
    }

    /// The factor on the compliance of a joint's rigid rows.
    pub(super) fn factor(&self, slot: u32) -> f64 {
        if self.soft.contains(&slot) { self.factor } else { 1.0 }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }
}

impl IslandSolver {
    /// Looks for joints that contradict one another once the first problem of a step is solved; solves it anew where there are some.
    pub(super) fn share_misfit(&mut self, scene: &Scene, island: &Island, passes: usize) {
        let rigid = scene.settings.compliance;
        let suspicious = rigid > 0.0
            && rigid < TRIAL
            && self.iterate.lambda.iter().all(|l| l.is_finite())
            && (0..self.joint_rows.len()).any(|i| self.is_suspicious(scene, i));
        if !suspicious || !self.has_loops(scene, island) {
            return;
        }
        // Stress that no load explains may be beyond what can be solved to the last digits.
        let (ending, residual) = (self.report.ending.clone(), self.report.relative_residual);
        self.misfit.lambda.clone_from(&self.iterate.lambda);
        self.misfit.set.clone_from(&self.iterate.set);
        let stressed = |i: usize| self.is_suspicious(scene, i);
        let all = (0..self.joint_rows.len()).filter(|&i| stressed(i)).map(|i| self.joint_rows[i].0);
        let mut soft: Vec<u32> = all.collect();
        soft.dedup();
        self.misfit.soft = soft;
        self.misfit.factor = TRIAL / rigid;
        self.solve_softly(scene, island, passes);
        let misfit = self.find_misfit(scene);
        if misfit > 0.0 && self.report.is_usable() {
            let share = BENDS.0 * misfit / (WEIGHT * scene.h * scene.h);
            self.misfit.factor = share.clamp(rigid, BENDS.1) / rigid;
            self.report.misfit = misfit;
            return self.solve_softly(scene, island, passes);
        }
        self.misfit.forget();
        (self.report.ending, self.report.relative_residual) = (ending, residual);
        self.reassemble(scene, island, Stage::Positions);
        self.iterate.lambda.clone_from(&self.misfit.lambda);
        self.iterate.set.clone_from(&self.misfit.set);
    }

    fn solve_softly(&mut self, scene: &Scene, island: &Island, passes: usize) {
        self.reassemble(scene, island, Stage::Positions);
        self.solve_with_friction(scene, island, Stage::Positions, passes);
    }

    /// Whether a rigid row has an impulse that may be that of a contradiction.
    fn is_suspicious(&self, scene: &Scene, i: usize) -> bool {
        let (_, row) = &self.joint_rows[i];
        let most = SUSPICIOUS * scene.h;
        // The same for a turn, of what is a metre long.
        row.is_workless() && self.diagonal[i] * self.iterate.lambda[i].abs() > most
    }

    /// Keeps the joints whose impulses the trial made much less; returns by how much they contradict one another, 0 for not at all.
    fn find_misfit(&mut self, scene: &Scene) -> f64 {
        let Operator::Multibody(m) = &self.problem.operator else { return 0.0 };
        let (mut misfit, mut found) = (0.0_f64, Vec::new());
        for (i, (slot, row)) in self.joint_rows.iter().enumerate() {
            let (before, after) = (self.misfit.lambda[i].abs(), self.iterate.lambda[i].abs());
            let large = self.diagonal[i] * before > SUSPICIOUS * scene.h;
            if row.is_workless() && large && after < FALLS * before {
                misfit = misfit.max(scene.h * m.compliance()[i] * after);
                found.push(*slot);
            }
        }
        found.dedup();
        self.misfit.soft = found;
        misfit
    }

    /// Whether joints of the island close a loop.
    fn has_loops(&mut self, scene: &Scene, island: &Island) -> bool {
        let outside = island.bodies.len();
        self.misfit.parent.clear();
        self.misfit.parent.extend(0..=outside as u32);
        for (g, &slot) in self.joint_geometry.iter().zip(&island.joints) {
            let joint = scene.joints.at(slot);
            if joint.is_none_or(|j| j.joint.kind.coupling().is_some()) {
                continue;
            }
            let node = |side: &crate::scene::joint::Side| {
                let local = side.body.map_or(NONE, |id| scene.local[id.index()]);
                if local == NONE { outside } else { local as usize }
            };
            let (a, b) = (self.misfit.root(node(&g.a)), self.misfit.root(node(&g.b)));
            if a == b {
                return true;
            }
            self.misfit.parent[a] = b as u32;
        }
        false
    }

    /// By how much a row of the first stage gives way in this step because of a contradiction \[m or rad\].
    pub(super) fn shared(&self, scene: &Scene, slot: u32, row: usize) -> f64 {
        let factor = self.misfit.factor(slot);
        if factor == 1.0 {
            return 0.0;
        }
        let diagonal = self.diagonal.get(row).copied().unwrap_or(0.0);
        scene.h * factor * scene.settings.compliance * diagonal * self.first_impulse(row)
    }
}
