//! Rows of contacts: non-penetration, two of friction, and where the
//! material asks for them torsion and rolling (Andrews22 1.4, 1.5, 1.10.1).
//!
//! **Normal**: an open gap φ > 0 is anticipated, w = ẋₙ + φ/h ≥ 0
//! (Andrews22 eq. 12): the body arrives, and neither sinks in nor bounces
//! off. A penetration is corrected by a share γ, w = ẋₙ + γφ/h ≥ 0.
//!
//! Bounces come before (`impact`).
//!
//! **Friction**: |λ_t| ≤ μλₙ is a disc, the rows are a box. The first tangent
//! follows the load, so that the box touches the disc where it matters: the
//! direction of the free tangential velocity, else that of the last friction
//! force; `friction` turns it where the answer lies outside the disc.

use super::{IslandSolver, NOTHING, Scene, Stage};
use crate::contact::Contact;
use crate::lcp::{Law, RowState};
use crate::math::Vec3;

/// Compliance of friction relative to that of rigid rows. The friction of
/// several points on one body may be in equilibrium with itself; the larger
/// compliance keeps such stress at zero, and costs a creep of 1e-7 times the
/// speed that friction takes away in a step.
const FRICTION_FACTOR: f64 = 100.0;

/// Where the rows of a contact are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactRows {
    /// Row of the normal.
    pub(super) normal: usize,
    /// First row of the two tangents, if there is friction.
    pub(super) tangent: Option<usize>,
    pub(super) torsion: Option<usize>,
    /// First of the two rolling rows.
    pub(super) rolling: Option<usize>,
}

impl IslandSolver {
    pub(super) fn push_contacts(&mut self, scene: &Scene, stage: Stage) {
        self.contact_rows.clear();
        let cone = self.cone(scene, stage);
        for i in 0..self.contacts.len() {
            let mut contact = self.contacts[i];
            let normal = self.push_normal(scene, &contact, i);
            if contact.tangents[0] == Vec3::ZERO {
                let relative = self.free_velocity(scene, &contact);
                contact.tangents = tangents(&contact, relative);
            }
            let mut rows = ContactRows { normal, tangent: None, torsion: None, rolling: None };
            if contact.material.friction > 0.0 {
                let cone = cone.filter(|_| self.contact_bias[i].is_some());
                rows.tangent =
                    Some(self.push_tangents(scene, &contact, (i, stage), (normal, cone)));
            }
            if contact.has_torsion() {
                rows.torsion = Some(self.problem.b.len());
                let mu = contact.material.torsional_friction;
                self.push_turning(scene, &contact, (normal, mu), contact.normal);
            }
            if contact.has_rolling() {
                rows.rolling = Some(self.problem.b.len());
                let mu = contact.material.rolling_friction;
                contact.axes = self.rolling_axes(scene, &contact);
                for e in contact.axes {
                    self.push_turning(scene, &contact, (normal, mu), e);
                }
            }
            self.contacts[i] = contact;
            self.contact_rows.push(rows);
        }
    }

    /// Jacobians of the normals in a stage, and what contacts ask of them.
    pub(super) fn find_biases(&mut self, scene: &Scene, stage: Stage) {
        let mut biases = std::mem::take(&mut self.contact_bias);
        let mut normals = std::mem::take(&mut self.contact_normals);
        biases.clear();
        normals.clear();
        for (k, c) in self.contacts.iter().enumerate() {
            let start = point_parts(scene, c, c.normal);
            let (bias, parts) = match stage {
                Stage::Step | Stage::Repair => (Some(gap_bias(scene, c.gap)), start),
                Stage::Held => (Some(gap_bias(scene, c.gap.max(0.0))), start),
                Stage::Impact => (self.impacts.biases()[k], start),
                Stage::Positions => {
                    let (parts, remainder) = self.mean_normal(scene, k, start);
                    (Some(gap_bias(scene, c.gap) + remainder / scene.h), parts)
                }
                Stage::Velocities => (
                    self.closed(k).then_some(-self.impacts.late(k)),
                    self.end_normal(scene, k, start),
                ),
            };
            biases.push(bias);
            normals.push(parts);
        }
        self.contact_bias = biases;
        self.contact_normals = normals;
    }

    fn push_normal(&mut self, scene: &Scene, c: &Contact, k: usize) -> usize {
        let row = self.problem.b.len();
        self.rigid.push((row, 1.0));
        let parts = self.contact_normals[k];
        let Some(bias) = self.contact_bias[k] else {
            let start = (0.0, RowState::Lower);
            self.push_row(scene, parts.into_iter(), (0.0, 0.0, 0.0), Some(NOTHING), start);
            return row;
        };
        let lambda = scene.h * c.normal_force;
        let law = Law::Box { lo: 0.0, hi: f64::INFINITY };
        let state = if lambda > 0.0 { RowState::Free } else { RowState::Lower };
        self.push_row(scene, parts.into_iter(), (0.0, bias, 0.0), Some(law), (lambda, state));
        if !c.warm && self.problem.b[row] < 0.0 {
            self.iterate.set[row] = RowState::Free;
        }
        row
    }

    fn push_tangents(
        &mut self,
        scene: &Scene,
        c: &Contact,
        (k, stage): (usize, Stage),
        (normal, cone): (usize, Option<bool>),
    ) -> usize {
        let first = self.problem.b.len();
        let mu = c.material.friction;
        let bound = mu * self.iterate.lambda[normal];
        if let (Some(associated), Some(last)) = (cone, self.problem.laws.last_mut()) {
            *last = Law::Cone { mu: [mu, mu], associated };
        }
        for t in c.tangents {
            self.rigid.push((self.problem.b.len(), FRICTION_FACTOR));
            let law = cone.is_none().then_some(Law::FrictionBox { normal, mu, bound });
            let start = box_start(scene.h * c.friction.dot(t), bound);
            let parts = point_parts(scene, c, t);
            let parts = match stage {
                Stage::Positions => self.mean_tangent(scene, k, parts),
                Stage::Velocities => self.end_tangent(scene, k, t, parts),
                _ => parts,
            };
            self.push_row(scene, parts.into_iter(), (0.0, 0.0, t.dot(c.belt)), law, start);
        }
        first
    }

    /// A row that resists relative rotation about e.
    fn push_turning(&mut self, scene: &Scene, c: &Contact, (normal, mu): (usize, f64), e: Vec3) {
        self.rigid.push((self.problem.b.len(), FRICTION_FACTOR));
        let bound = mu * self.iterate.lambda[normal];
        let law = Law::FrictionBox { normal, mu, bound };
        let start = box_start(scene.h * c.torque.dot(e), bound);
        let parts = [(c.a, Vec3::ZERO, -e), (c.b, Vec3::ZERO, e)];
        self.push_row(scene, parts.into_iter(), (0.0, 0.0, 0.0), Some(law), start);
    }

    /// First axis along the free rolling, so that the box of its two rows is
    /// exact for it.
    fn rolling_axes(&self, scene: &Scene, c: &Contact) -> [Vec3; 2] {
        let at = |slot: u32| {
            let free = self.v_free.get(scene.local[slot as usize] as usize);
            free.map(|f| f.1).or_else(|| scene.bodies.at(slot).map(|b| b.w)).unwrap_or(Vec3::ZERO)
        };
        let rate = at(c.b) - at(c.a);
        let rolling = rate - c.normal * c.normal.dot(rate);
        if rolling.length() > 1e-9 * (1.0 + rate.length()) {
            let e = rolling.normalize();
            [e, c.normal.cross(e)]
        } else {
            c.tangents
        }
    }

    /// Velocity of b's surface against a's at the contact before any impulse.
    fn free_velocity(&self, scene: &Scene, c: &Contact) -> Vec3 {
        let at = |slot: u32| {
            let Some(body) = scene.bodies.at(slot) else { return Vec3::ZERO };
            let free = self.v_free.get(scene.local[slot as usize] as usize);
            let (v, w) = free.copied().unwrap_or((body.v, body.w));
            v + w.cross(c.point - body.x)
        };
        at(c.b) - at(c.a) + c.belt
    }
}

/// Jacobian of a contact's row on its two bodies: slot, linear, angular.
pub(super) type Parts = [(u32, Vec3, Vec3); 2];

/// Jacobian of the relative velocity along e at the contact point.
pub(super) fn point_parts(scene: &Scene, c: &Contact, e: Vec3) -> Parts {
    let arm = |slot: u32| scene.bodies.at(slot).map_or(Vec3::ZERO, |b| c.point - b.x);
    [(c.a, -e, -arm(c.a).cross(e)), (c.b, e, arm(c.b).cross(e))]
}

/// Impulse within its bounds, and the state that goes with it.
pub(super) fn box_start(lambda: f64, bound: f64) -> (f64, RowState) {
    if lambda >= bound * (1.0 - 1e-9) {
        (bound, RowState::Upper)
    } else if lambda <= -bound * (1.0 - 1e-9) {
        (-bound, RowState::Lower)
    } else {
        (lambda, RowState::Free)
    }
}

/// What is added to the normal velocity so that the gap closes, and no more.
fn gap_bias(scene: &Scene, gap: f64) -> f64 {
    let (h, s) = (scene.h, scene.settings);
    if gap > 0.0 {
        gap / h
    } else {
        let rate = s.contact_correction * gap / h.max(s.correction_time);
        rate.max(-s.max_correction_speed)
    }
}

/// First tangent along the load, second completing the frame.
fn tangents(c: &Contact, relative: Vec3) -> [Vec3; 2] {
    let n = c.normal;
    let slip = relative - n * n.dot(relative);
    let push = c.friction - n * n.dot(c.friction);
    let t = if slip.length() > 1e-9 * (1.0 + relative.length()) {
        slip.normalize()
    } else if push.length() > 1e-6 * c.normal_force {
        push.normalize()
    } else {
        n.any_orthonormal_vector()
    };
    // Once more against n: small slips carry large rounding errors.
    let t = (t - n * n.dot(t)).normalize();
    [t, n.cross(t)]
}
