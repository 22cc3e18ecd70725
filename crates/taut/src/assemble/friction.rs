//! Friction in one solve: Coulomb's cone, exactly; or a box, whose bounds and directions
//! follow the normal impulses in several passes.
//!
//! **Cones** need one pass, but where rolling, which is a box, needs more. Bounces
//! (`impact`) have boxes always: their second half knows its normal impulses.
//!
//! **Friction tensors** (`scene::anisotropy`) have cones, or boxes, whose axes and coefficients
//! follow the slip of the answer, pass after pass. A step in which they do not settle is
//! unconverged.
//!
//! **Boxes.** A solve sees friction as a box of frozen half-width. Between passes the
//! bounds become μλₙ of the answer, and where the friction impulse lies
//! outside the disc |λ_t| ≤ μλₙ, in a corner of the box, the first tangent is
//! turned along it. At a fixed point the answer obeys Coulomb's law: sliding
//! contacts have λ_t = −μλₙ along the slip, for the second tangent then
//! carries nothing and has no slip. Warm-started, a pass that changes little
//! costs little.

use super::contacts::box_start;
use super::solve::CONE_TOLERANCE;
use super::{IslandSolver, Scene, Stage};
use crate::islands::Island;
use crate::lcp::{self, Law};
use crate::math::Vec3;
use crate::settings::FrictionMode;

/// Passes over friction boxes. (Where friction is a cone, boxes remain, as those of rolling.)
const BOXES: Passes = Passes { most: 10, tolerance: 1e-6, required: false };
/// Changes of a coefficient by which cones of friction tensors count as settled, and passes.
const SETTLED: f64 = 1e-10;
const UNSETTLED: f64 = 1e-6;
const FOLLOWING: usize = 40;
/// Share of the cone from which a contact slides.
const SLIDES: f64 = 1.0 - 1e-7;
/// Excess over the disc from which a direction is corrected.
const DISC_SLACK: f64 = 1e-3;
/// Passes in which directions may turn; after them only bounds follow.
const TURNS: usize = 3;

/// Which way a contact that slides moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConeLaw {
    /// In the tangent plane.
    Coulomb,
    /// Along the normal of the cone: it opens as it slides, and the problem is convex.
    Associated,
}

/// Ends passes that lead nowhere: impacts in jammed piles have bounds that
/// wander instead of settling.
#[derive(Default)]
struct Progress {
    best: Option<f64>,
    failures: usize,
}

impl Progress {
    /// Notes the gap of a pass; true once it failed to halve three times.
    fn note_gap(&mut self, gap: f64) -> bool {
        match self.best {
            Some(best) if gap > 0.5 * best => self.failures += 1,
            _ => self.best = Some(gap),
        }
        self.failures >= 3
    }
}

/// Passes over the bounds of friction.
struct Passes {
    most: usize,
    /// How far bounds may be from μλₙ, relative to the problem's scale.
    tolerance: f64,
    /// Whether bounds that are farther off make the step one that did not converge.
    required: bool,
}

fn passes_of(mode: FrictionMode) -> Passes {
    match mode {
        FrictionMode::Cone
        | FrictionMode::Ccp
        | FrictionMode::Box
        | FrictionMode::Polyhedral { .. } => BOXES,
        FrictionMode::LastStep => Passes { most: 1, tolerance: f64::INFINITY, required: false },
        FrictionMode::FrictionlessPass => Passes { most: 2, tolerance: 0.0, required: false },
        FrictionMode::Iterated { max_passes, tolerance, required } => {
            Passes { most: max_passes, tolerance, required }
        }
    }
}

impl IslandSolver {
    /// Solves the problem of a stage in as many passes as settings and caller allow.
    pub(super) fn solve_with_friction(
        &mut self,
        scene: &Scene,
        island: &Island,
        stage: Stage,
        most: usize,
    ) {
        let mode = scene.settings.friction;
        if mode == FrictionMode::FrictionlessPass {
            self.set_bounds(|_, _| 0.0);
        }
        let Passes { most: passes, tolerance, required } = passes_of(mode);
        let follows = self.contacts.iter().any(|c| c.grip.tensor.is_some());
        let passes = if follows { passes.max(FOLLOWING) } else { passes }.min(most);
        let tolerance = scene.settings.accuracy.map_or(tolerance, |a| tolerance.max(a));
        let mut progress = Progress::default();
        for pass in 1..=passes {
            self.solve_elastic(scene, island);
            if stage == Stage::Step && pass == 1 && self.correct_curvature(scene, island) {
                self.update_geometric(scene, island);
                self.reassemble(scene, island, stage);
                self.solve_once(scene, island);
            }
            let allowed = tolerance * self.problem.scale();
            let consistent = self.report.friction_gap <= allowed;
            self.report.friction_wanders = required && !consistent;
            if follows && !self.report.is_broken() {
                self.contact_forces(scene.h);
                let change = self.follow_slip(self.cone(scene, stage).is_some());
                if pass == passes && most > passes && change > UNSETTLED {
                    self.report.friction_wanders = true;
                }
                if pass < passes && change > SETTLED {
                    self.reassemble(scene, island, stage);
                    continue;
                }
            }
            let stuck = !required && progress.note_gap(self.report.friction_gap);
            if pass == passes || stuck || self.report.is_broken() {
                break;
            }
            let turns = self.cone(scene, stage).is_none() && pass <= TURNS;
            let turned = turns && self.turn_tangents(scene, stage, allowed);
            if consistent && !turned {
                break;
            }
            let lambda = std::mem::take(&mut self.iterate.lambda);
            self.set_bounds(|normal, mu| mu * lambda[normal].max(0.0));
            self.iterate.lambda = lambda;
            self.restart_friction();
        }
    }

    pub(super) fn set_bounds(&mut self, value: impl Fn(usize, f64) -> f64) {
        for law in &mut self.problem.laws {
            if let Law::FrictionBox { normal, mu, bound } = law {
                *bound = value(*normal, *mu);
            }
        }
    }

    /// Impulses at a bound stay there when it moves.
    fn restart_friction(&mut self) {
        use lcp::RowState::{Free, Lower, Upper};
        for (i, law) in self.problem.laws_by_row() {
            if let Law::FrictionBox { bound, .. } = *law {
                let lambda = self.iterate.lambda[i];
                self.iterate.lambda[i] = match self.iterate.set[i] {
                    Upper => bound,
                    Lower => -bound,
                    Free => box_start(lambda, bound).0,
                };
            }
        }
    }

    /// The law of contacts in a stage where they are cones; none where they are boxes.
    pub(super) fn cone(&self, scene: &Scene, stage: Stage) -> Option<ConeLaw> {
        let friction = !matches!(stage, Stage::Impact | Stage::Repair);
        match scene.settings.friction {
            FrictionMode::Cone | FrictionMode::Polyhedral { .. } if friction => {
                Some(ConeLaw::Coulomb)
            }
            FrictionMode::Ccp if friction => Some(ConeLaw::Associated),
            _ => None,
        }
    }

    /// Lets the axes and coefficients of friction tensors follow the answer; returns the largest
    /// change of a coefficient among contacts that push. What sticks by the old and by the new ones does not count:
    /// forces that rigid bodies leave undetermined turn from pass to pass.
    fn follow_slip(&mut self, cone: bool) -> f64 {
        let mut change = 0.0_f64;
        let least = CONE_TOLERANCE * self.problem.scale();
        for (c, rows) in self.contacts.iter_mut().zip(&self.contact_rows) {
            let (Some(first), Some(_)) = (rows.tangent, c.grip.tensor) else { continue };
            let (lambda, w) = (&self.iterate.lambda[first..], &self.iterate.w[first..]);
            let n = self.iterate.lambda[rows.normal];
            if n <= 0.0 {
                continue;
            }
            let share = |k: usize| if c.grip.mu[k] > 0.0 { lambda[k] / c.grip.mu[k] } else { 0.0 };
            let load =
                if cone { share(0).hypot(share(1)) } else { share(0).abs().max(share(1).abs()) };
            let slip = c.tangents[0] * w[0] + c.tangents[1] * w[1];
            let held = c.grip.withheld(c.friction, -c.friction, c.normal);
            let slides = load >= SLIDES * n && slip.length() > least;
            let along = if slides { slip.try_normalize() } else { held };
            if let Some(d) = along.or(held) {
                let followed = c.grip.follow(d, c.normal, cone);
                c.take_axes();
                if slides || !c.grip.holds(c.friction, c.normal, c.normal_force) {
                    change = change.max(followed);
                }
            }
        }
        change
    }

    /// Turns the tangents of contacts whose friction lies outside the disc, and their rows with
    /// them; true if there were any.
    fn turn_tangents(&mut self, scene: &Scene, stage: Stage, allowed: f64) -> bool {
        let mut turned = false;
        let mut contacts = std::mem::take(&mut self.contacts);
        for (k, c) in contacts.iter_mut().enumerate() {
            let tangent = self.contact_rows[k].tangent.filter(|_| c.grip.axis == Vec3::ZERO);
            let Some(first) = tangent else { continue };
            let (l1, l2) = (self.iterate.lambda[first], self.iterate.lambda[first + 1]);
            // The disc inside the box of this solve, not the next one.
            let (_, limit) = self.problem.laws[first].bounds();
            if limit <= 0.0 || l1 * l1 + l2 * l2 <= limit * limit {
                continue;
            }
            let excess = l1.hypot(l2) - limit * (1.0 + DISC_SLACK);
            if excess * self.diagonal[first] > allowed {
                let push = c.tangents[0] * l1 + c.tangents[1] * l2;
                c.friction = push / scene.h;
                let t = (push - c.normal * c.normal.dot(push)).normalize();
                c.tangents = [t, c.normal.cross(t)];
                self.turn_rows(scene, (k, c), stage);
                turned = true;
            }
        }
        self.contacts = contacts;
        turned
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
}
