//! Contacts of soft bodies: their nodes and faces against shapes, against other soft bodies (`faces`) and against themselves (`own`).
//!
//! Contacts are found twice: at the start of a step those that are near or on their way to touch, and where the answer leads those
//! that it lacks, after which it is solved again (`assemble::soft`). Of a node the nearest point of the shape counts, of a face the
//! point where the shape's field is least (`taut_sdf::face_minimum`): so a ball or a corner does not pass between nodes. Faces
//! whose nodes see the same flat side need none: there the field is linear, and its least value is at a node.
//!
//! Cost: nodes and faces times shapes whose boxes meet.

use super::field::{ShapeField, place, weights};
use super::{SoftBodyState, faces, own};
use crate::assemble::{Scene, Twist};
use crate::collide::Collider;
use crate::math::{Pose, Quat, Vec3};
use crate::shape::Geometry;
use taut_sdf::face_minimum;

/// Nodes of a soft body, and how far each takes part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Patch {
    pub(crate) soft: u32,
    pub(crate) nodes: [u32; 3],
    pub(crate) weights: [f64; 3],
}

impl Patch {
    pub(crate) fn node(soft: u32, node: u32) -> Self {
        Patch { soft, nodes: [node; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// A point of an edge, as a share of it.
    pub(super) fn of_edge(soft: u32, [a, b]: [u32; 2], share: f64) -> Self {
        Patch { soft, nodes: [a, b, b], weights: [1.0 - share, share, 0.0] }
    }

    /// The edge, if it is a point of one.
    pub(super) fn edge(&self) -> Option<[u32; 2]> {
        let [a, b, c] = self.nodes;
        (a != b && b == c).then_some([a, b])
    }

    /// The weighted mean.
    pub(crate) fn mean(&self, of: &[Vec3]) -> Vec3 {
        let part = |k: usize| of[self.nodes[k] as usize] * self.weights[k];
        part(0) + part(1) + part(2)
    }
}

/// What a soft body touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Other {
    /// A body in this slot, by its collider, at a point that moves with it, as it is at the start of the step.
    Body { slot: u32, collider: u32, point: Vec3 },
    /// A soft body.
    Soft(Patch),
}

/// A contact of a soft body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    pub(crate) own: Patch,
    pub(crate) other: Other,
    /// From the other to the own side.
    pub(crate) normal: Vec3,
    /// At the start of the step \[m\].
    pub(crate) gap: f64,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// On the own side, along the normal and both tangents \[N\].
    pub(crate) force: [f64; 3],
}

/// Identifies a contact from step to step.
pub(crate) type Key = (u32, [u32; 3], u32, [u32; 3]);

impl Touch {
    pub(crate) fn key(&self) -> Key {
        match self.other {
            Other::Body { collider, .. } => {
                (self.own.soft, self.own.nodes, collider, [u32::MAX; 3])
            }
            Other::Soft(patch) => (self.own.soft, self.own.nodes, patch.soft, patch.nodes),
        }
    }
}

/// Normals of contacts of the same features that are one contact, by the cosine of their angle, and weights, by their difference. (A box on
/// faces as large as itself has two corners on one of them: without, the second one went 6 mm deep in `beam-bridge`.)
const SAME_WAY: f64 = 0.999;
const SAME_PLACE: f64 = 0.1;

impl Touch {
    /// Whether one of those known, sorted by key, says the same.
    pub(super) fn is_known(&self, known: &[Touch]) -> bool {
        let key = self.key();
        let of = |patch: &Patch, other: &Patch| {
            patch.weights.iter().zip(other.weights).all(|(a, b)| (a - b).abs() < SAME_PLACE)
        };
        let first = known.partition_point(|t| t.key() < key);
        known[first..].iter().take_while(|t| t.key() == key).any(|t| {
            let others = match (&self.other, &t.other) {
                (Other::Soft(a), Other::Soft(b)) => of(a, b),
                _ => true,
            };
            self.normal.dot(t.normal) > SAME_WAY && of(&self.own, &t.own) && others
        })
    }
}

/// Unit vectors across a normal, the same for the same normal.
pub(crate) fn tangents(n: Vec3) -> [Vec3; 2] {
    let t = n.any_orthonormal_vector();
    [t, n.cross(t)]
}

/// What may touch a soft body in the step: colliders, and slots of soft bodies, both ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Near {
    pub(crate) colliders: Vec<u32>,
    pub(crate) softs: Vec<u32>,
}

/// When contacts are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// At the start of the step: what is near, or on its way.
    Start,
    /// At its end: what would be inside.
    End,
}

/// Gaps at the end of the step, as the start sees it, below which there is a contact from the start, as a share of the margin.
pub(super) const LIKELY: f64 = 0.1;
/// Nodes may end this much inside, as a share of the size of their body.
pub(super) const INSIDE: f64 = 1e-9;
/// Values of a field that the least one on a face may take.
const EVALUATIONS: usize = 400;

/// How nodes and bodies move in the step at hand.
pub(crate) struct Motions<'a> {
    pub(crate) when: When,
    /// Slots of the island's soft bodies, and the velocities of their nodes.
    pub(crate) softs: &'a [u32],
    pub(crate) u: &'a [Vec<Vec3>],
    /// Velocities of bodies, by slot.
    pub(crate) velocity: &'a dyn Fn(u32) -> Twist,
}

impl Motions<'_> {
    /// Velocities of the nodes of the soft body in a slot.
    pub(super) fn of(&self, soft: u32) -> Option<&[Vec3]> {
        let k = self.softs.iter().position(|&s| s == soft)?;
        Some(&self.u[k])
    }

    /// Where its nodes are.
    pub(super) fn places(&self, soft: &SoftBodyState, slot: u32, h: f64) -> Vec<Vec3> {
        match (self.when, self.of(slot)) {
            (When::End, Some(u)) => soft.x.iter().zip(u).map(|(x, u)| *x + *u * h).collect(),
            _ => soft.x.clone(),
        }
    }
}

/// Appends contacts that are not among those known (sorted by key), and returns how deep the deepest is.
pub(crate) fn find(scene: &Scene, motions: &Motions, known: &[Touch], out: &mut Vec<Touch>) -> f64 {
    let mut deepest = 0.0_f64;
    for &slot in motions.softs {
        let (Some(soft), Some(near)) = (scene.softs.at(slot), scene.near.get(slot as usize)) else {
            continue;
        };
        for &index in &near.colliders {
            let Some(Some(collider)) = scene.colliders.entries.get(index as usize) else {
                continue;
            };
            let mut search =
                Search { scene, motions, known, slot, soft, index, collider, deepest: 0.0 };
            search.run(out);
            deepest = deepest.max(search.deepest);
        }
        deepest = deepest.max(own::find(scene, motions, known, slot, out));
        for &other in near.softs.iter().filter(|&&other| other >= slot) {
            deepest = deepest.max(faces::find(scene, motions, known, (slot, other), out));
        }
    }
    deepest
}

/// A soft body against a collider.
struct Search<'a, 'b> {
    scene: &'a Scene<'b>,
    motions: &'a Motions<'a>,
    known: &'a [Touch],
    slot: u32,
    soft: &'a SoftBodyState,
    index: u32,
    collider: &'a Collider,
    deepest: f64,
}

impl Search<'_, '_> {
    fn run(&mut self, out: &mut Vec<Touch>) {
        let (scene, h) = (self.scene, self.scene.h);
        let Some(body) = scene.bodies.at(self.collider.body) else { return };
        let (v, w) = (self.motions.velocity)(self.collider.body);
        let start = Pose::from_parts(body.x, body.q);
        let now = match self.motions.when {
            When::Start => start,
            When::End => Pose::from_parts(
                body.x + v * h,
                (Quat::from_scaled_axis(w * h) * body.q).normalize(),
            ),
        };
        let frame = now * self.collider.local_pose;
        let x = self.motions.places(self.soft, self.slot, h);
        let reach = self.reach((v, w));
        let shape = &self.collider.shape;
        let mut seen = vec![None; x.len()];
        for &node in &self.soft.skin {
            let Some((d, n)) = place(shape, frame.inverse_transform_point(x[node as usize]), reach)
            else {
                continue;
            };
            let n = frame.rotation * n;
            seen[node as usize] = Some((d, n));
            let patch = Patch::node(self.slot, node);
            self.take(&patch, (x[node as usize], d, n), (&start, &now), out);
        }
        if !matches!(*shape.geometry, Geometry::HalfSpace(_)) {
            self.faces(&x, &seen, reach, &frame, (&start, &now), out);
        }
    }

    /// How far away what matters can be.
    fn reach(&self, (v, w): Twist) -> f64 {
        let arm = self.collider.reach();
        let turn = if w.length() > 0.0 && arm.is_finite() { arm * w.length() } else { 0.0 };
        let speed = self.motions.of(self.slot).unwrap_or(&[]).iter().map(|u| u.length());
        let speed = speed.fold(0.0, f64::max) + v.length() + turn;
        self.scene.settings.contact_margin + self.scene.h * speed
    }

    /// Points of faces that are nearer than their corners.
    fn faces(
        &mut self,
        x: &[Vec3],
        seen: &[Option<(f64, Vec3)>],
        reach: f64,
        frame: &Pose,
        poses: (&Pose, &Pose),
        out: &mut Vec<Touch>,
    ) {
        let field = ShapeField(&self.collider.shape);
        let soft = self.soft;
        for nodes in &soft.triangles {
            let [Some(a), Some(b), Some(c)] = nodes.map(|n| seen[n as usize]) else { continue };
            let corners = nodes.map(|n| x[n as usize]);
            let across = (corners[1] - corners[0]).length().max((corners[2] - corners[0]).length());
            let least = a.0.min(b.0).min(c.0);
            let flat = a.1.dot(b.1) > 1.0 - 1e-12 && a.1.dot(c.1) > 1.0 - 1e-12;
            if flat || least > across + reach {
                continue;
            }
            let local = corners.map(|p| frame.inverse_transform_point(p).to_array());
            let found = face_minimum(&field, local, 1e-6 * across, EVALUATIONS);
            if found.distance > least - 1e-6 * across || found.distance > reach {
                continue;
            }
            let point = frame.transform_point(Vec3::from(found.point));
            let weights = weights(point, &corners);
            if weights.iter().any(|w| *w > 1.0 - 1e-6) {
                continue;
            }
            let Some(out_of_soft) =
                (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()
            else {
                continue;
            };
            let Some((d, n)) = place(&self.collider.shape, Vec3::from(found.point), reach) else {
                continue;
            };
            // Within a face the field falls across it; at a corner that just touches, its own way out says little.
            let inner = weights.iter().all(|w| *w > 1e-6);
            let n = if inner || d < 1e-6 * across { -out_of_soft } else { frame.rotation * n };
            let patch = Patch { soft: self.slot, nodes: *nodes, weights };
            self.take(&patch, (point, d, n), poses, out);
        }
    }

    /// Takes a contact that is likely, or lacks.
    fn take(
        &mut self,
        patch: &Patch,
        (point, d, n): (Vec3, f64, Vec3),
        (start, now): (&Pose, &Pose),
        out: &mut Vec<Touch>,
    ) {
        let (scene, h) = (self.scene, self.scene.h);
        let margin = scene.settings.contact_margin;
        let slot = self.collider.body;
        // The point of the body, back where it is at the start.
        let own = start.transform_point(now.inverse_transform_point(point - n * d));
        let x0 = patch.mean(&self.soft.x);
        let gap = n.dot(x0 - own);
        let wanted = match self.motions.when {
            When::End => {
                self.deepest = self.deepest.max(-d);
                d < -INSIDE * self.soft.size()
            }
            When::Start => {
                let (v, w) = (self.motions.velocity)(slot);
                let v = v + w.cross(own - start.translation);
                let u = self.motions.of(self.slot).map_or(Vec3::ZERO, |u| patch.mean(u));
                let way = h * (u - v);
                let inner = self.collider.shape.inner.min(0.5 * self.soft.size());
                let near = gap < 4.0 * margin || way.length() > 0.5 * inner;
                near && gap + n.dot(way) < LIKELY * margin
            }
        };
        if !wanted || !n.is_finite() {
            return;
        }
        let other = Other::Body { slot, collider: self.index, point: own };
        let (soft, rigid) =
            (&self.soft.body.material, &scene.colliders.materials[self.index as usize]);
        let pair = scene.pairs.of(soft, rigid).map_or_else(|| soft.with(rigid), |p| p.0);
        let touch =
            Touch { own: *patch, other, normal: n, gap, friction: pair.friction, force: [0.0; 3] };
        if !touch.is_known(self.known) {
            out.push(touch);
        }
    }
}
