//! Contacts of the two stages: their normals turn and their points wander while bodies
//! move (`surface`).

use super::super::contacts::{ContactFrame, parts};
use super::rows::half_tangent;
use crate::assemble::{IslandSolver, Scene, geometric};
use crate::contact::Contact;
use crate::islands::Island;
use crate::math::{Mat3, Quat, Vec3};
use crate::surface::{Mover, Place, Surface};

/// Up to this turn against one another in a step \[rad\] bodies do not roll to other points.
const ROLLS: f64 = 1e-3;

/// The motion of a body in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    from: Vec3,
    to: Vec3,
    turn: Mat3,
}

impl Moved {
    pub(crate) fn new(from: (Vec3, Quat), to: (Vec3, Quat)) -> Self {
        Moved { from: from.0, to: to.0, turn: Mat3::from_quat(to.1 * from.1.conjugate()) }
    }
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
    /// Where contacts are at the end of the step, if their surfaces are known.
    pub(super) fn find_places(&mut self, scene: &Scene, island: &Island) {
        let mut moves = std::mem::take(&mut self.passages.moves);
        moves.clear();
        for (p, &slot) in self.passages.bodies.iter().zip(&island.bodies) {
            let Some(body) = scene.bodies.at(slot) else { continue };
            moves.push(Moved::new((body.x, body.q), (p.x, p.q)));
        }
        self.passages.moves = moves;
        let mut places = std::mem::take(&mut self.passages.places);
        places.clear();
        for c in &self.contacts {
            let (mut a, mut b) = (None, None);
            let mut place = || {
                let (a, b) = (self.moved(scene, c.a, &mut a)?, self.moved(scene, c.b, &mut b)?);
                match &c.surface {
                    Some(surface) => surface.at(a, b),
                    None => self.keeps_points(scene, c).then(|| carried(c, a, b)),
                }
            };
            places.push(place());
        }
        self.passages.places = places;
    }

    /// Whether neither body rolls over the other, so that what touches are the same points of one of them, or both. (Balls and the like
    /// are followed where they roll.)
    fn keeps_points(&self, scene: &Scene, c: &Contact) -> bool {
        if let Some(surface) = c.surface.as_ref().filter(|s| s.is_round() || s.corner().is_some()) {
            return surface.corner().is_some();
        }
        let rate = |slot: u32| self.mean_of(scene, slot).1;
        scene.h * c.normal.cross(rate(c.b) - rate(c.a)).length() <= ROLLS
    }

    /// How far the points of a contact that `keeps_points` move over a and over b in the step by the velocities at its start.
    fn slide(&self, scene: &Scene, c: &Contact, frame: &ContactFrame) -> [Vec3; 2] {
        let velocity = |slot: u32, arm: Vec3| {
            let given = || scene.bodies.at(slot).map_or((Vec3::ZERO, Vec3::ZERO), |b| b.given(0.0));
            let (v, w) =
                self.start.get(scene.local[slot as usize] as usize).copied().unwrap_or_else(given);
            v + w.cross(arm)
        };
        let slip = velocity(c.b, frame.arms[1]) - velocity(c.a, frame.arms[0]);
        let way = scene.h * (slip - c.normal * c.normal.dot(slip));
        match c.surface.as_ref().and_then(Surface::corner) {
            Some(0) => [Vec3::ZERO, -way],
            Some(_) => [way, Vec3::ZERO],
            None => [0.5 * way, -0.5 * way],
        }
    }

    /// How a body moves in the step; that of one that is not of the island is put into `given`.
    #[inline(always)]
    fn moved<'a>(
        &'a self,
        scene: &Scene,
        slot: u32,
        given: &'a mut Option<Moved>,
    ) -> Option<&'a Moved> {
        let local = scene.local[slot as usize] as usize;
        match self.passages.moves.get(local) {
            Some(moved) => Some(moved),
            None => given_motion(scene, slot).map(|moved| &*given.insert(moved)),
        }
    }

    /// Where a body's centre of mass ends.
    #[inline(always)]
    fn moved_to(&self, scene: &Scene, slot: u32) -> Option<Vec3> {
        match self.passages.moves.get(scene.local[slot as usize] as usize) {
            Some(moved) => Some(moved.to),
            None => given_motion(scene, slot).map(|moved| moved.to),
        }
    }

    /// Whether it is known where a contact is at the end of the step.
    pub(in crate::assemble) fn has_place(&self, k: usize) -> bool {
        self.passages.places[k].is_some()
    }

    /// How much deeper than asked some contact ends \[m\].
    pub(super) fn sunk(&self) -> f64 {
        let deeper = |(c, end): (&Contact, &Option<Place>)| {
            c.gap.min(0.0) - end.map_or(f64::INFINITY, |place| place.gap)
        };
        self.contacts.iter().zip(&self.passages.places).map(deeper).fold(0.0, f64::max)
    }

    /// J̄ of a normal is the mean of start and end; what hJ̄v̄ misses of the gap comes with it. Arms of
    /// tangents are the means of start and end, as those of joints are (`rows`), so that what
    /// sticks to a turntable stays where it is on it. Before the first solve
    /// the ends are those of the bodies' own points, moved on by the slip at the start: where bodies would be by the velocities of
    /// the start knows nothing of the force that keeps them on a circle. (A box went forward and outward by ¼ω³h² rad/s.)
    pub(in crate::assemble) fn take_mean_frame(
        &self,
        scene: &Scene,
        k: usize,
        frame: &mut ContactFrame,
    ) -> f64 {
        let c = &self.contacts[k];
        let Some(place) = &self.passages.places[k] else { return 0.0 };
        let mut rate = 0.0;
        let known = self.passages.guessed && self.keeps_points(scene, c);
        let slide = known.then(|| self.slide(scene, c, frame));
        let sides = [(c.a, -place.normal), (c.b, place.normal)];
        for (side, (slot, n)) in sides.into_iter().enumerate() {
            let mut given = None;
            let Some(moved) = self.moved(scene, slot, &mut given) else { continue };
            let (from, to) = (frame.arms[side], place.point - moved.to);
            let part = &mut frame.normal[side];
            *part = (0.5 * (part.0 + n), 0.5 * (part.1 + to.cross(n)));
            let (v, w) = self.mean_of(scene, slot);
            rate += part.0.dot(v) + part.1.dot(w);
            let theta = scene.h * w.length();
            // A point that a round body rolls over does not turn with it.
            let to = slide.map_or(to, |by| moved.turn * from + by[side]);
            let turns = (to - from).length() > 0.1 * theta.min(1.0) * from.length();
            let factor = if turns { half_tangent(theta) } else { 1.0 };
            frame.arms[side] = 0.5 * factor * (from + to);
        }
        place.gap - c.gap - scene.h * rate
    }

    /// How a contact lies at the end.
    pub(in crate::assemble) fn end_frame(&self, scene: &Scene, k: usize) -> ContactFrame {
        let c = &self.contacts[k];
        let Some(place) = &self.passages.places[k] else { return ContactFrame::at_start(scene, c) };
        let arm = |slot: u32| self.moved_to(scene, slot).map_or(Vec3::ZERO, |to| place.point - to);
        let arms = [arm(c.a), arm(c.b)];
        ContactFrame { normal: parts(&arms, place.normal), arms, across: Some(place.normal) }
    }

    /// What normal forces add to the stiffness of bodies that turn.
    pub(super) fn add_contact_stiffness(&mut self, scene: &Scene) {
        for c in self.contacts.iter().filter(|c| c.normal_force > 0.0) {
            let Some(surface) = &c.surface else { continue };
            let (mut of_a, mut of_b) = (None, None);
            let (Some(a), Some(b)) =
                (self.moved(scene, c.a, &mut of_a), self.moved(scene, c.b, &mut of_b))
            else {
                continue;
            };
            let arms = surface.arms(a, b);
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

/// Where a contact ends that its bodies carry along.
fn carried(c: &Contact, a: &Moved, b: &Moved) -> Place {
    let [from_a, from_b] = c.points();
    let (to_a, to_b) = (a.point(from_a), b.point(from_b));
    let normal = (a.direction(c.normal) + b.direction(c.normal)).normalize();
    let gap = c.gap + normal.dot(to_b - to_a);
    Place { gap, normal, point: 0.5 * (to_a + to_b) }
}

/// The motion of a body that is not of the island.
fn given_motion(scene: &Scene, slot: u32) -> Option<Moved> {
    let body = scene.bodies.at(slot)?;
    if body.given(0.5 * scene.h) == (Vec3::ZERO, Vec3::ZERO) {
        return Some(Moved { from: body.x, to: body.x, turn: Mat3::IDENTITY });
    }
    Some(Moved::new((body.x, body.q), body.given_pose(scene.h)))
}
