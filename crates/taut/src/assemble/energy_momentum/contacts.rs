//! Contacts of the two stages: their normals turn and their points wander while bodies
//! move (`surface`).

use super::super::contacts::Parts;
use super::rows::half_tangent;
use crate::assemble::{IslandSolver, Scene, geometric};
use crate::contact::Contact;
use crate::math::{Mat3, Quat, Vec3};
use crate::surface::{Mover, Place};

/// The motion of a body in the step.
struct Moved {
    from: Vec3,
    to: Vec3,
    turn: Quat,
}

impl Mover for Moved {
    fn point(&self, p: Vec3) -> Vec3 {
        self.to + self.turn * (p - self.from)
    }

    fn direction(&self, e: Vec3) -> Vec3 {
        self.turn * e
    }
}

impl IslandSolver {
    fn moved(&self, scene: &Scene, slot: u32) -> Option<Moved> {
        let body = scene.bodies.at(slot)?;
        let local = scene.local[slot as usize] as usize;
        let (to, q) = match self.passages.bodies.get(local) {
            Some(p) => (p.x, p.q),
            None => body.given_pose(scene.h),
        };
        Some(Moved { from: body.x, to, turn: q * body.q.conjugate() })
    }

    /// A contact at the end of the step, where its surfaces are known.
    pub(super) fn contact_at_end(&self, scene: &Scene, c: &Contact) -> Option<Place> {
        c.surface?.at(&self.moved(scene, c.a)?, &self.moved(scene, c.b)?)
    }

    /// How much deeper than asked some contact ends \[m\].
    pub(super) fn sunk(&self, scene: &Scene) -> f64 {
        let deeper = |c: &Contact| {
            let end = self.contact_at_end(scene, c).map_or(f64::INFINITY, |place| place.gap);
            c.gap.min(0.0) - end
        };
        self.contacts.iter().map(deeper).fold(0.0, f64::max)
    }

    /// The Jacobian of a direction at the end of the step.
    fn end_parts(&self, scene: &Scene, c: &Contact, place: &Place, e: Vec3) -> Parts {
        let arm = |slot: u32| self.moved(scene, slot).map_or(Vec3::ZERO, |m| place.point - m.to);
        [(c.a, -e, -arm(c.a).cross(e)), (c.b, e, arm(c.b).cross(e))]
    }

    /// J̄ of a normal, the mean of start and end, and what hJ̄v̄ misses of the gap.
    pub(in crate::assemble) fn mean_normal(
        &self,
        scene: &Scene,
        k: usize,
        start: Parts,
    ) -> (Parts, f64) {
        let c = &self.contacts[k];
        let Some(place) = self.contact_at_end(scene, c) else { return (start, 0.0) };
        let end = self.end_parts(scene, c, &place, place.normal);
        let mut rate = 0.0;
        let mut parts = start;
        for (part, end) in parts.iter_mut().zip(end) {
            *part = (part.0, 0.5 * (part.1 + end.1), 0.5 * (part.2 + end.2));
            let body = scene.bodies.at(part.0);
            let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| b.given(0.5 * scene.h));
            let local = scene.local[part.0 as usize] as usize;
            let (v, w) = self.passages.bodies.get(local).map_or(still, |p| p.mean);
            rate += part.1.dot(v) + part.2.dot(w);
        }
        (parts, place.gap - c.gap - scene.h * rate)
    }

    /// The Jacobian of a normal at the end.
    pub(in crate::assemble) fn end_normal(&self, scene: &Scene, k: usize, start: Parts) -> Parts {
        let c = &self.contacts[k];
        match self.contact_at_end(scene, c) {
            Some(place) => self.end_parts(scene, c, &place, place.normal),
            None => start,
        }
    }

    /// J̄ of a tangent: arms are the means of start and end, as those of joints are
    /// (`rows`), so that what sticks to a turntable stays where it is on it.
    pub(in crate::assemble) fn mean_tangent(&self, scene: &Scene, k: usize, start: Parts) -> Parts {
        let c = &self.contacts[k];
        let Some(place) = self.contact_at_end(scene, c) else { return start };
        let mut parts = start;
        for (slot, linear, angular) in &mut parts {
            let Some(body) = scene.bodies.at(*slot) else { continue };
            let Some(moved) = self.moved(scene, *slot) else { continue };
            let (from, to) = (c.point - body.x, place.point - moved.to);
            let local = scene.local[*slot as usize] as usize;
            let still = body.given(0.5 * scene.h).1;
            let rate = self.passages.bodies.get(local).map_or(still, |p| p.mean.1);
            let theta = scene.h * rate.length();
            // A point that a round body rolls over does not turn with it.
            let turns = (to - from).length() > 0.1 * theta.min(1.0) * from.length();
            let factor = if turns { half_tangent(theta) } else { 1.0 };
            *angular = (0.5 * factor * (from + to)).cross(*linear);
        }
        parts
    }

    /// The Jacobian of a tangent at the end.
    pub(in crate::assemble) fn end_tangent(
        &self,
        scene: &Scene,
        k: usize,
        t: Vec3,
        start: Parts,
    ) -> Parts {
        let c = &self.contacts[k];
        let Some(place) = self.contact_at_end(scene, c) else { return start };
        let turned = t - place.normal * place.normal.dot(t);
        match turned.try_normalize() {
            Some(t) => self.end_parts(scene, c, &place, t),
            None => start,
        }
    }

    /// What normal forces add to the stiffness of bodies that turn.
    pub(super) fn add_contact_stiffness(&mut self, scene: &Scene) {
        for c in self.contacts.iter().filter(|c| c.normal_force > 0.0) {
            let Some(surface) = c.surface else { continue };
            let (Some(a), Some(b)) = (self.moved(scene, c.a), self.moved(scene, c.b)) else {
                continue;
            };
            let arms = surface.arms(&a, &b);
            let sides = [(c.a, a.to, c.normal, arms[0]), (c.b, b.to, -c.normal, arms[1])];
            for (slot, centre, n, arm) in sides {
                let Some((centre_of_other, axis)) = arm else { continue };
                let Some(sum) = self.geometric.get_mut(scene.local[slot as usize] as usize) else {
                    continue;
                };
                let (force, y) = (n * c.normal_force, centre_of_other - centre);
                let half = 0.5 * scene.h;
                match axis {
                    None => sum.stiffness += geometric::along_arm(half, force, y),
                    Some(e) => {
                        let k = half * half * force.dot(y).max(0.0);
                        sum.stiffness += Mat3::from_cols(e * e.x, e * e.y, e * e.z) * k;
                    }
                }
            }
        }
    }
}
