//! The step of an island whose state is not sound: bodies deep inside one another, joints
//! far open, as scenes may start, or a motion that no part of a step can follow.
//!
//! Velocities and positions are found apart, so that what positions need leaves no trace in
//! velocities, however much the demands contradict one another:
//!
//! 1. velocities after forces and impulses, with positions asking for nothing:
//!    J v⁺ = 0 for joints, ≥ 0 for contacts, with friction;
//! 2. the smallest change u of v⁺ that closes joints and pushes contacts out, no faster than
//!    [`Settings::max_correction_speed`](crate::Settings::max_correction_speed), without
//!    friction. Bodies move with v⁺ + u and keep v⁺.
//!
//! Cost: two solves. Loses energy like any step of first order. The second solve may lift
//! bodies: they pay with speed (`balance`); what is missing for those that started inside something else is
//! measured (`report.mended`). Reference: Andrews22 1.6 (position correction beside the
//! velocities); here the second problem is solved exactly, too.

use super::energy_momentum::Passage;
use super::joints::stabilization;
use super::{IslandSolver, NOTHING, Scene, Stage, Twist};
use crate::islands::Island;
use crate::lcp::Law;
use crate::math::{Mat3, Quat};
use crate::scene::joint::Row;

/// Contacts deeper than this \[m\] are not sound at the start of a run, or after an edit.
pub(super) const DEEP: f64 = 2e-3;
/// Nor are these later. (A loaded chain that is wound up sinks in by 9 mm on its way, and
/// keeps its joints closed.)
const TOO_DEEP: f64 = 5e-2;
/// Nor joints open by more than this share of their size, or this angle \[rad\].
const OPEN: f64 = 0.02;
/// Shares of its way below which a body stays where it is.
const LEAST_WAY: f64 = 1e-3;
/// Relative compliance of rows in the second solve.
pub(super) const COMPLIANCE: f64 = 1e-4;

impl IslandSolver {
    /// Whether positions are too far off for a step that moves by them.
    pub(super) fn is_far_off(&mut self, scene: &Scene, island: &Island) -> bool {
        // Cables are as long as they are, which a repair would not heed; they pull bodies into one another.
        let deep = match self.misplaced {
            true => DEEP,
            false if island.cables.is_empty() => TOO_DEEP,
            false => f64::INFINITY,
        };
        self.contacts.iter().any(|c| c.gap < -deep)
            || self.joints_open(scene, island)
            || self.cables_torn(scene, island, OPEN)
    }

    fn joints_open(&mut self, scene: &Scene, island: &Island) -> bool {
        let mut sink = std::mem::take(&mut self.ahead);
        let open = island.joints.iter().enumerate().any(|(k, &slot)| {
            let Some(state) = scene.joints.at(slot) else { return false };
            if state.joint.kind.coupling().is_some() {
                return false;
            }
            sink.rows.clear();
            state.joint.rows(&self.joint_geometry[k], state.angle, &mut sink);
            let size = self.length(scene, k, slot);
            sink.rows.iter().any(|row| {
                let scale = if row.is_linear() { size } else { 1.0 };
                row.is_workless() && row.phi.abs() > OPEN * scale
            })
        });
        self.ahead = sink;
        open
    }

    /// The step; see the head of this file.
    pub(super) fn run_repair(&mut self, scene: &Scene, island: &Island) {
        self.push_rows(scene, island, Stage::Unrepaired);
        self.solve_with_friction(scene, island, Stage::Unrepaired, usize::MAX);
        self.answer(scene, island);
        let unrepaired = self.velocities.clone();
        let forces = self.iterate.lambda.clone();
        let contacts = self.contacts.clone();
        let first = self.report.clone();
        let joint_rows = self.joint_rows.clone();
        self.v_free.clone_from(&unrepaired);
        self.push_rows(scene, island, Stage::Repair);
        self.set_bounds(|_, _| 0.0);
        self.solve_once(scene, island);
        if self.iterate.lambda.iter().all(|l| l.is_finite()) && !self.report.is_refused() {
            self.find_velocities(island);
            self.bound_repair(scene, &unrepaired);
        }
        let moved = std::mem::replace(&mut self.velocities, unrepaired.clone());
        self.move_apart(scene, island, &unrepaired);
        let unmoved = self.energy_at_end(scene, island).1;
        self.velocities = moved;
        self.move_apart(scene, island, &unrepaired);
        let lifted = self.energy_at_end(scene, island).1 - unmoved;
        self.joint_rows = joint_rows;
        self.iterate.lambda = forces;
        self.contacts = contacts;
        self.report.work = first.work;
        self.report.friction_gap = first.friction_gap; // the second solve has no friction
        if !first.converged() {
            // The second solve must not hide that the first one failed.
            self.report.residual = first.residual;
            self.report.relative_residual = first.relative_residual;
            self.report.friction_wanders = first.friction_wanders;
            self.report.ending = first.ending;
        }
        self.balance(scene, island, false);
        self.report.mended = Some(lifted.max(0.0));
        (self.report.joint_error, self.report.worst_joint) = self.opened(scene, island);
        // Springs may store more in such a step than there is motion to pay with: 2.4 kJ of 9.1.
        let unpaid = !self.misplaced && self.is_unpaid(scene, island);
        if scene.may_halve && !island.is_loose() && unpaid {
            self.report.take_back();
        } else if unpaid {
            self.go_as_far_as_energy_reaches(scene, island);
        }
        self.leave(scene.h);
    }

    /// Springs and joints may ask for a motion that no part of a step can follow. Where it would create energy, bodies go
    /// only so far on their way as there is energy for, and lose motion for the rest: at its start there always is.
    fn go_as_far_as_energy_reaches(&mut self, scene: &Scene, island: &Island) {
        let (work, before) = (self.report.work, self.report.energy.total());
        let ends = self.passages_mut().to_vec();
        let mut share = 1.0;
        while share > 0.0 {
            share = if share > LEAST_WAY { 0.5 * share } else { 0.0 };
            self.shorten_way(scene, island, &ends, share);
            self.report.work = share * work;
            let (_, potential, _) = self.energy_at_end(scene, island);
            if potential <= before + share * work {
                break;
            }
        }
        self.balance_all(scene, island);
        self.report.given_up =
            Some("joints or springs ask for a motion that no part of the step can follow".into());
    }

    /// Bodies go a share of the way to these ends.
    fn shorten_way(&mut self, scene: &Scene, island: &Island, ends: &[Passage], share: f64) {
        for (k, &slot) in island.bodies.iter().enumerate() {
            let (Some(body), Some(end)) = (scene.bodies.at(slot), ends.get(k)) else { continue };
            let p = self.passage_mut(k);
            *p = *end;
            p.mean = (share * end.mean.0, share * end.mean.1);
            p.first = p.mean.1;
            (p.middle, p.after) = body.principal.turn(body.q, p.mean.1, 0.5 * scene.h);
            (p.x, p.q) = (body.x.lerp(end.x, share), body.q.slerp(end.q, share));
        }
    }

    /// Bodies move as `velocities` say, and keep the `unrepaired` ones.
    fn move_apart(&mut self, scene: &Scene, island: &Island, unrepaired: &[Twist]) {
        self.begin_passages(scene, island);
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let ((v, w), moved) = (unrepaired[k], self.velocities[k]);
            let p = self.passage_mut(k);
            p.mean = moved;
            p.first = moved.1;
            (p.middle, p.after) = body.principal.turn(body.q, moved.1, 0.5 * scene.h);
            (p.x, p.v) = (body.x + moved.0 * scene.h, v);
            // The body turns freely, and what the repair adds turns pose and rate alike.
            let (q, w_end) = body.principal.turn(body.q, w, scene.h);
            let added = Quat::from_scaled_axis((moved.1 - w) * scene.h);
            (p.q, p.w) = ((added * q).normalize(), added * w_end);
        }
    }

    /// By how much the step opens a joint, relative to its size, and the slot of the worst one:
    /// what should close, and does not, is torn.
    fn opened(&self, scene: &Scene, island: &Island) -> (f64, u32) {
        let mut worst = (0.0, u32::MAX);
        for (k, &slot) in island.joints.iter().enumerate() {
            let Some(state) = scene.joints.at(slot) else { continue };
            let before = state.joint.gap(&self.joint_geometry[k]);
            let after = state.joint.gap(&self.end_geometry(scene, slot));
            let opened = (after - before) / self.length(scene, k, slot);
            if opened > worst.0 {
                worst = (opened, slot);
            }
        }
        worst
    }

    /// Demands that contradict one another may ask for any motion: the fastest body is
    /// moved by twice the speed of corrections at most, the others in proportion.
    fn bound_repair(&mut self, scene: &Scene, unrepaired: &[Twist]) {
        // Light links that a heavy body pulls straight turn fast.
        let change =
            |(a, b): (&Twist, &Twist)| (a.0 - b.0).length().max(0.1 * (a.1 - b.1).length());
        let fastest = self.velocities.iter().zip(unrepaired).map(change).fold(0.0, f64::max);
        let most = 2.0 * scene.settings.max_correction_speed;
        if fastest > most {
            let s = most / fastest;
            for (total, unrepaired) in self.velocities.iter_mut().zip(unrepaired) {
                *total = (
                    unrepaired.0 + s * (total.0 - unrepaired.0),
                    unrepaired.1 + s * (total.1 - unrepaired.1),
                );
            }
        }
    }

    /// Masses at the start of the step, and what velocities would be without joints and contacts:
    /// before a bounce those of the start, for a repair those found, else those after the forces.
    pub(super) fn push_free(&mut self, scene: &Scene, island: &Island, stage: Stage) {
        let moved = std::mem::take(&mut self.v_free);
        if let Some(m) = self.multibody() {
            m.clear();
        }
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let r = Mat3::from_quat(body.q);
            let inertia = r * body.inertia * r.transpose();
            let (v, w) = match stage {
                Stage::Impact => self.start[k],
                Stage::Repair => moved[k],
                _ => {
                    let (v, w) = self.start[k];
                    let fall = body.body.gravity_scale * scene.gravity + body.force / body.mass;
                    let turn = body.inverse_inertia_at(body.q) * (scene.h * body.torque);
                    (v + scene.h * fall, w + turn)
                }
            };
            self.push_body(body, 1.0, inertia, (v, w));
        }
    }

    pub(super) fn push_repair_joints(&mut self, scene: &Scene, island: &Island, stage: Stage) {
        self.push_start_rows(scene, island, |row| repair_law(scene, row, stage));
    }
}

/// Law, compliance and bias of a joint's row.
fn repair_law(scene: &Scene, row: &Row, stage: Stage) -> (Law, (Option<f64>, f64)) {
    let law = match (row.lo, row.hi) {
        (f64::NEG_INFINITY, f64::INFINITY) => Law::Bilateral,
        (lo, hi) => Law::Box { lo: scene.h * lo, hi: scene.h * hi },
    };
    let gives = row.spring.is_some_and(|s| s.stiffness.is_finite());
    let idle = row.spring.is_some_and(|s| s.stiffness == 0.0 && s.damping == 0.0);
    let rigid = row.has_position && !gives;
    match stage {
        _ if idle => (NOTHING, (None, 0.0)),
        Stage::Repair if !rigid || !row.reaction => (NOTHING, (None, 0.0)),
        // An open limit is anticipated, an error left to the second solve.
        Stage::Unrepaired if rigid => {
            let open = row.lo == 0.0 && row.phi > 0.0;
            (law, (None, if open { row.phi / scene.h } else { 0.0 } - row.target))
        }
        _ => (law, stabilization(scene, row)),
    }
}
