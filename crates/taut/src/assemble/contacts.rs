//! Rows of contacts: non-penetration, two of friction, and where the
//! material asks for them torsion and rolling (Andrews22 1.4, 1.5, 1.10.1).
//!
//! **Normal**: an open gap φ > 0 is anticipated, w = ẋₙ + φ/h ≥ 0
//! (Andrews22 eq. 12): the body arrives, and neither sinks in nor bounces
//! off. A penetration is corrected by a share γ, w = ẋₙ + γφ/h ≥ 0.
//!
//! **Restitution** acts on a contact that closes in this step. Newton's
//! ẋₙ⁺ = −e ẋₙ⁻ at the beginning of the step would add the energy of the
//! height φ; instead the energy at the surface is scaled. With g the
//! approaching acceleration, steps without contact conserve
//! E = ½ẋₙ² + gφ − ½ghẋₙ, and E⁺ = e²E gives
//! ẋₙ⁺ = −½gh + √(¼g²h² + 2(e²E − gφ)), so that a ball reaches e² times its
//! height whatever h is. Where the root does not exist the contact is
//! anticipated as usual.
//!
//! **Friction**: |λ_t| ≤ μλₙ is a disc, the rows are a box. The first tangent
//! follows the load, so that the box touches the disc where it matters: the
//! direction of the free tangential velocity, else that of the last friction
//! force; `friction` turns it where the answer lies outside the disc.

use super::{IslandSolver, Scene};
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
    pub(super) fn push_contacts(&mut self, scene: &Scene) {
        self.contact_rows.clear();
        for i in 0..self.contacts.len() {
            let mut contact = self.contacts[i];
            let normal = self.push_normal(scene, &contact);
            if contact.tangents[0] == Vec3::ZERO {
                let relative = self.free_velocity(scene, &contact);
                contact.tangents = tangents(&contact, relative);
            }
            let mut rows = ContactRows { normal, tangent: None, torsion: None, rolling: None };
            if contact.material.friction > 0.0 {
                rows.tangent = Some(self.push_tangents(scene, &contact, normal));
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

    fn push_normal(&mut self, scene: &Scene, c: &Contact) -> usize {
        let row = self.problem.b.len();
        self.rigid.push((row, 1.0));
        let lambda = scene.h * c.normal_force;
        let law = Law::Box { lo: 0.0, hi: f64::INFINITY };
        let state = if lambda > 0.0 { RowState::Free } else { RowState::Lower };
        let parts = point_parts(scene, c, c.normal);
        self.push_row(scene, parts.into_iter(), (0.0, 0.0), law, (lambda, state));
        let free = self.problem.b[row];
        self.problem.b[row] += bias(scene, c, free);
        if !c.warm && self.problem.b[row] < 0.0 {
            self.iterate.set[row] = RowState::Free;
        }
        row
    }

    fn push_tangents(&mut self, scene: &Scene, c: &Contact, normal: usize) -> usize {
        let first = self.problem.b.len();
        let mu = c.material.friction;
        let bound = mu * self.iterate.lambda[normal];
        for t in c.tangents {
            self.rigid.push((self.problem.b.len(), FRICTION_FACTOR));
            let law = Law::FrictionBox { normal, mu, bound };
            let start = box_start(scene.h * c.friction.dot(t), bound);
            let parts = point_parts(scene, c, t);
            self.push_row(scene, parts.into_iter(), (0.0, 0.0), law, start);
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
        self.push_row(scene, parts.into_iter(), (0.0, 0.0), law, start);
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

    /// Velocity of b against a at the contact before any impulse.
    fn free_velocity(&self, scene: &Scene, c: &Contact) -> Vec3 {
        let at = |slot: u32| {
            let Some(body) = scene.bodies.at(slot) else { return Vec3::ZERO };
            let free = self.v_free.get(scene.local[slot as usize] as usize);
            let (v, w) = free.copied().unwrap_or((body.v, body.w));
            v + w.cross(c.point - body.x)
        };
        at(c.b) - at(c.a)
    }
}

/// Jacobian of the relative velocity along e at the contact point.
pub(super) fn point_parts(scene: &Scene, c: &Contact, e: Vec3) -> [(u32, Vec3, Vec3); 2] {
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

/// What is added to the free normal velocity.
fn bias(scene: &Scene, c: &Contact, free: f64) -> f64 {
    let (h, s) = (scene.h, scene.settings);
    let closes = c.gap + h * free < 0.0;
    if c.material.restitution > 0.0 && closes {
        let velocity = |slot: u32| {
            let at = |b: &crate::BodyState| b.v + b.w.cross(c.point - b.x);
            scene.bodies.at(slot).map_or(Vec3::ZERO, at)
        };
        let before = c.normal.dot(velocity(c.b) - velocity(c.a));
        if before < -s.restitution_threshold
            && let Some(after) = rebound(c.material.restitution, before, free, c.gap.max(0.0), h)
        {
            return -after;
        }
    }
    if c.gap > 0.0 {
        c.gap / h
    } else {
        (s.contact_correction * c.gap / h).max(-s.max_correction_speed)
    }
}

/// Velocity after a bounce; see the head of this file.
fn rebound(e: f64, before: f64, free: f64, gap: f64, h: f64) -> Option<f64> {
    let g = (before - free) / h;
    let energy = 0.5 * before * before + g * gap - 0.5 * g * h * before;
    let root = 0.25 * g * g * h * h + 2.0 * (e * e * energy - g * gap);
    let after = -0.5 * g * h + root.max(0.0).sqrt();
    (root >= 0.0 && after > -gap / h).then_some(after)
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
