//! Masses and joint rows of the two stages.

use super::{Closing, acceleration, angular_change};
use crate::assemble::joints::{correction, geometry};
use crate::assemble::{IslandSolver, NOTHING, Scene, Stage};
use crate::islands::Island;
use crate::lcp::{Law, RowState};
use crate::math::{Mat3, Quat};
use crate::scene::joint::{Coupling, Geometry, Joint, Row, Side, coordinate_value, nearest_turn};
use crate::slots::JointId;

/// Beyond this turn in a step \[rad\] the factor of J̄ would lead to its pole at π.
const FARTHEST: f64 = 2.0;
/// Up to this turn in a step \[rad\] arms are followed without much loss.
const FOLLOWED: f64 = 0.5;
/// Beyond this turn about its axis in a step \[rad\] the wobble of a wheel is not followed:
/// rows that hold the axis are those of the start.
const FAST: f64 = 1.0;
/// An axis that ends this far off \[rad\] has to be followed in shorter steps.
const ASTRAY: f64 = 3e-4;

impl IslandSolver {
    /// Joint rows of a stage; returns how far rigid joints miss their
    /// positions, relative to their size.
    pub(in crate::assemble) fn push_passage_joints(
        &mut self,
        scene: &Scene,
        island: &Island,
        stage: Stage,
    ) -> f64 {
        let mut missed = 0.0_f64;
        for (k, &slot) in island.joints.iter().enumerate() {
            let Some(state) = scene.joints.at(slot) else { continue };
            self.find_rows(scene, k, state);
            let mut spins = false;
            let coupling = state.joint.kind.coupling();
            if let Some(coupling) = coupling {
                // Without a curve it is linear in the angles: what a step adds is its rate times h.
                if coupling.is_curved() {
                    let from = self.second_at_start(scene, &coupling, stage);
                    let end = coupling.row(from, |id| self.joint_at_end(scene, id));
                    self.ahead.rows.extend(end);
                }
            } else {
                let start = self.joint_geometry[k];
                let mut end = self.end_geometry(scene, slot);
                let expected = state.angle + self.turn_about(scene, &start);
                let angle = nearest_turn(end.angle(), expected);
                if state.joint.counts_turns() {
                    end.a = without_spin(&start.a, &end.a);
                    spins = self.spin(scene, &start) > FAST;
                }
                state.joint.rows(&end, angle, &mut self.ahead);
                if self.passes_a_limit() {
                    missed = f64::INFINITY;
                }
            }
            let size = if coupling.is_some() { 1.0 } else { self.length(scene, k, slot) };
            let (rows, ends) =
                (std::mem::take(&mut self.sink.rows), std::mem::take(&mut self.ahead.rows));
            for row in &rows {
                let mut ahead = ends.iter().find(|r| r.tag == row.tag);
                if spins && !row.is_linear() {
                    let off = ahead.filter(|_| row.is_workless()).map_or(0.0, |r| r.phi.abs());
                    missed = missed.max(if off > ASTRAY { off } else { 0.0 });
                    ahead = None;
                }
                let off = match stage {
                    Stage::Positions => self.push_mean_row(scene, slot, row, ahead),
                    _ => self.push_end_row(scene, slot, row, ahead),
                };
                let off = if row.is_linear() { off / size } else { off };
                missed = missed.max(off);
            }
            (self.sink.rows, self.ahead.rows) = (rows, ends);
        }
        missed
    }

    /// The second coordinate of a coupling where the step starts, for rows of mean velocities.
    fn second_at_start(&self, scene: &Scene, coupling: &Coupling, stage: Stage) -> Option<f64> {
        let id = coupling.joints().nth(1).filter(|_| matches!(stage, Stage::Positions))?;
        let state = scene.joints.get(id.index, id.generation)?;
        let g = geometry(&state.joint, scene.bodies);
        Some(coordinate_value(&state.joint, &g, state.angle))
    }

    /// A joint where the step ends: its definition, geometry and angle.
    fn joint_at_end<'a>(
        &self,
        scene: &Scene<'a>,
        id: JointId,
    ) -> Option<(&'a Joint, Geometry, f64)> {
        let state = scene.joints.get(id.index, id.generation)?;
        let start = geometry(&state.joint, scene.bodies);
        let end = self.end_geometry(scene, id.index);
        let angle = nearest_turn(end.angle(), state.angle + self.turn_about(scene, &start));
        Some((&state.joint, end, angle))
    }

    /// Masses in the middle of the step, and what the velocities would be
    /// without joints.
    pub(in crate::assemble) fn push_middles(&mut self, scene: &Scene, island: &Island) {
        self.v_free.clear();
        self.find_arms(scene, island);
        if let Some(m) = self.multibody() {
            m.clear();
        }
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let p = self.passages.bodies[k];
            let g = self.geometric[k].stiffness;
            let inertia = p.inertia + g;
            let half = 0.5 * scene.h;
            let across = self.geometric[k].across;
            let mut v = self.start[k].0 + half * acceleration(scene, body);
            if across != Mat3::ZERO {
                let mass = Mat3::IDENTITY * body.mass + across;
                v = mass.inverse() * (v * body.mass + across * p.mean.0);
            }
            let torque = half * body.torque - g * (p.rate - p.mean.1);
            let w = p.rate + angular_change(inertia, torque);
            // An impulse changes the mean velocity by half of what it does to the last.
            self.push_body_across(body, 2.0, (across, inertia), (v, w));
        }
    }

    /// Masses and velocities at the end of the step.
    pub(in crate::assemble) fn push_ends(&mut self, scene: &Scene, island: &Island) {
        self.v_free.clear();
        if let Some(m) = self.multibody() {
            m.clear();
        }
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let p = self.passages.bodies[k];
            let r = Mat3::from_quat(p.q);
            let inertia = r * body.inertia * r.transpose() + self.geometric[k].stiffness;
            self.push_body(body, 1.0, inertia, (p.v, p.w));
        }
    }

    /// The row J̄ of the first stage. Returns by how much φ⁺ misses its target.
    fn push_mean_row(&mut self, scene: &Scene, slot: u32, start: &Row, end: Option<&Row>) -> f64 {
        let h = scene.h;
        let mut row = *start;
        let (rate, far) = self.average(scene, &mut row, end);
        let ahead = end.filter(|e| e.has_position).map_or(row.phi + h * rate, |e| e.phi);
        let remainder = ahead - row.phi - h * rate;
        let (mut compliance, mut bias, mut missed) = (None, 0.0, 0.0);
        let mut law = match (row.lo, row.hi) {
            (f64::NEG_INFINITY, f64::INFINITY) => Law::Bilateral,
            (lo, hi) => Law::Box { lo: h * lo, hi: h * hi },
        };
        match row.spring {
            _ if row.inertia > 0.0 => (compliance, bias) = (Some(0.5 / row.inertia), -row.target),
            Some(spring) if spring.stiffness.is_finite() => {
                let (k, d) = (spring.stiffness, spring.damping);
                // The target of a servo is that of the end, so is its elongation.
                let share = if row.is_driven() { 1.0 } else { 0.5 };
                let sum = share * h * k + d;
                if sum > 0.0 {
                    compliance = Some(1.0 / (h * sum));
                    let phi = row.phi + share * remainder;
                    bias = (k * phi + d * remainder / h) / sum - row.target;
                } else {
                    law = NOTHING;
                }
            }
            _ if row.has_position => {
                // Errors are closed no faster than allowed; open limits in full.
                let wanted = if row.lo == 0.0 && row.phi > 0.0 {
                    0.0
                } else {
                    row.phi
                        - h * if self.closing == Closing::Full {
                            correction(scene, row.phi)
                        } else {
                            0.0
                        }
                };
                bias = (row.phi + remainder - wanted) / h;
                let off = ahead - wanted;
                missed = if row.lo == 0.0 { (-off).max(0.0) } else { off.abs() };
            }
            _ => bias = -row.target,
        }
        self.add_row(scene, slot, &row, (compliance, bias), law);
        if far { f64::INFINITY } else { missed }
    }

    /// Whether the end is beyond a limit that was out of reach at the start.
    fn passes_a_limit(&self) -> bool {
        let known = |row: &Row| self.sink.rows.iter().any(|r| r.tag == row.tag);
        self.ahead.rows.iter().any(|r| r.lo == 0.0 && r.phi < 0.0 && !known(r))
    }

    /// Replaces a row at the start by J̄; returns J̄v̄, and whether an arm turns too far
    /// for that.
    fn average(&self, scene: &Scene, row: &mut Row, end: Option<&Row>) -> (f64, bool) {
        let (mut rate, mut far, linear) = (0.0, false, row.is_linear());
        // The smallest part of a step has to follow well, or says that it does not.
        let smallest = !scene.may_halve && scene.settings.max_halvings > 0;
        let farthest = if smallest { FOLLOWED } else { FARTHEST };
        for (i, part) in row.parts.iter_mut().enumerate() {
            let Some(part) = part else { continue };
            let (v, w) = self.mean_twist(scene, part);
            if let Some(other) = end.and_then(|e| e.parts[i]) {
                let turned = (other.angular - part.angular).length();
                part.linear = 0.5 * (part.linear + other.linear);
                part.angular = 0.5 * (part.angular + other.angular);
                // An arm along the axis of a spin does not turn with it.
                let local = scene.local[part.body.index()] as usize;
                let begun = self.start.get(local).map_or(0.0, |t| t.1.length());
                let theta = scene.h * w.length();
                let mut longer = 1.0;
                if linear && turned > 0.1 * theta.min(1.0) * part.angular.length() {
                    longer = half_tangent(theta);
                    far |= theta.max(scene.h * begun) > farthest;
                }
                part.angular *= longer;
                if let (Some(arm), Some(end)) = (row.arms.get_mut(i), end) {
                    *arm = 0.5 * longer * (*arm + end.arms[i]);
                }
            }
            rate += part.linear.dot(v) + part.angular.dot(w);
        }
        (rate, far)
    }

    /// How far the sides of a joint turn about its axis in the step \[rad\].
    fn spin(&self, scene: &Scene, g: &Geometry) -> f64 {
        let of = |side: &Side| {
            let id = side.body?;
            let p = self.passages.bodies.get(scene.local[id.index()] as usize)?;
            Some(scene.h * p.mean.1.dot(g.a.z()).abs())
        };
        of(&g.a).unwrap_or(0.0).max(of(&g.b).unwrap_or(0.0))
    }

    /// The row of the second stage.
    fn push_end_row(&mut self, scene: &Scene, slot: u32, start: &Row, end: Option<&Row>) -> f64 {
        let i = self.problem.b.len();
        let mut row = *end.unwrap_or(start);
        row.target = start.target + 0.5 * scene.h * start.acceleration;
        row.phi = start.phi;
        (row.lo, row.hi, row.yields) = (start.lo, start.hi, start.yields);
        let servo = row.servo();
        let spring = row.spring.is_some_and(|s| s.stiffness.is_finite()) && servo.is_none();
        let lambda = self.passages.lambda.get(i).copied().unwrap_or(0.0);
        let loose = row.lo == 0.0 && lambda == 0.0 && row.has_position;
        let law = if spring || loose {
            NOTHING
        } else if row.lo == f64::NEG_INFINITY && row.hi == f64::INFINITY {
            Law::Bilateral
        } else {
            Law::Box { lo: scene.h * row.lo, hi: scene.h * row.hi }
        };
        let mut terms = (None, -row.target);
        if row.inertia > 0.0 {
            // The impulse of the first stage is taken back with its compliance.
            terms = (Some(1.0 / row.inertia), lambda / row.inertia - row.target);
        } else if let Some(damping) = servo {
            // By the velocity at the end. By the mean one, that at the end would be as far beyond the target as that at the
            // start is short of it, where the damping is strong.
            let compliance = 1.0 / (scene.h * damping);
            terms = (Some(compliance), compliance * lambda - row.target);
        }
        self.add_row(scene, slot, &row, terms, law);
        0.0
    }

    /// Appends a joint's row, if it moves some body.
    pub(in crate::assemble) fn add_row(
        &mut self,
        scene: &Scene,
        slot: u32,
        row: &Row,
        (compliance, bias): (Option<f64>, f64),
        law: Law,
    ) {
        let moves = |index: usize| scene.local[index] != u32::MAX;
        if !row.parts.iter().flatten().any(|p| moves(p.body.index())) {
            return;
        }
        if compliance.is_none() {
            self.rigid.push((self.problem.b.len(), 1.0));
        }
        let (lo, hi) = law.bounds();
        let memory = scene.joints.at(slot).and_then(|s| s.remembered(row.tag));
        let start = match memory {
            Some(m) if law != NOTHING => ((scene.h * m.force).clamp(lo, hi), m.state),
            _ if law == Law::Bilateral => (0.0, RowState::Free),
            _ => (if lo == hi { lo } else { 0.0 }, RowState::Lower),
        };
        let parts = row.parts.iter().flatten().map(|p| (p.body.index, p.linear, p.angular));
        self.push_row::<6>(scene, parts, (compliance.unwrap_or(0.0), bias, 0.0), Some(law), start);
        self.joint_rows.push((slot, *row));
    }
}

/// A side at the end with the basis of the start, turned along with its axis but not
/// about it: rows across the axis hang on that alone.
fn without_spin(start: &Side, end: &Side) -> Side {
    let q = Quat::from_rotation_arc(start.z(), end.z()) * start.q;
    Side::new(end.body, end.p, end.r, q)
}

/// tan(½θ)/(½θ), constant beyond [`FARTHEST`].
pub(in crate::assemble) fn half_tangent(theta: f64) -> f64 {
    let half = 0.5 * theta.min(FARTHEST);
    if half < 1e-4 { 1.0 + half * half / 3.0 } else { half.tan() / half }
}
