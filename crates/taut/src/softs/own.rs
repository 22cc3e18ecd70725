//! Contacts of a soft body with itself: nodes on faces, and edges across edges.
//!
//! What is near in a body is mostly its other side, so distance says nothing. A node meets a face that it is in front of at the start of the
//! step, and an edge another one that its surface looks at: at the start where they are as near as the margin, at the end where the
//! answer leads one through the other. Where on the face or edge is told by the moment of passing, for paths that are straight
//! (Andrews22 2.2). Faces around a node, and those next to them, never meet it: between them elements would turn inside out first.
//!
//! Cost: sorting along an axis, and boxes of ways that overlap there.
//! **Fails** to part what is put inside itself: a node behind a face is taken for its other side.

use super::SoftBodyState;
use super::faces::{crossing, normals};
use super::field::weights;
use super::touch::{INSIDE, LIKELY, Motions, Other, Patch, Touch, When};
use crate::assemble::Scene;
use crate::math::Vec3;

/// Nodes may be this much behind a face at the start, as a share of the size of the body: what a step leaves.
const BEHIND: f64 = 1e-5;
/// Edges that end this much inside one another need a contact, as a share of the size of the body.
const CROSSED: f64 = 1e-6;
/// Edges look at one another: least share of the way out of each along the normal.
const FACING: f64 = 0.3;

/// A soft body on its way.
struct Way<'a, 'b> {
    scene: &'a Scene<'b>,
    when: When,
    known: &'a [Touch],
    slot: u32,
    soft: &'a SoftBodyState,
    size: f64,
    /// Nodes at the end of the step.
    end: Vec<Vec3>,
    deepest: f64,
}

/// A box around a way, and what goes it.
struct Swept {
    lo: Vec3,
    hi: Vec3,
    index: usize,
}

/// Appends contacts of a soft body with itself, and returns how deep the deepest is.
pub(crate) fn find(
    scene: &Scene,
    motions: &Motions,
    known: &[Touch],
    slot: u32,
    out: &mut Vec<Touch>,
) -> f64 {
    let (Some(soft), Some(u)) = (scene.softs.at(slot), motions.of(slot)) else { return 0.0 };
    let end = soft.x.iter().zip(u).map(|(x, u)| *x + *u * scene.h).collect();
    let (when, size) = (motions.when, soft.size());
    let mut way = Way { scene, when, known, slot, soft, size, end, deepest: 0.0 };
    way.nodes(out);
    way.edges(out);
    way.deepest
}

impl Way<'_, '_> {
    fn swept(&self, nodes: &[u32], index: usize) -> Swept {
        let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let places = nodes.iter().flat_map(|&n| [self.soft.x[n as usize], self.end[n as usize]]);
        let (lo, hi) = places.fold(none, |(lo, hi), p| (lo.min(p), hi.max(p)));
        let margin = Vec3::splat(self.scene.settings.contact_margin);
        Swept { lo: lo - margin, hi: hi + margin, index }
    }

    /// Whether nodes are the same or share an edge.
    fn are_beside(&self, a: u32, b: u32) -> bool {
        a == b || self.soft.edges.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    fn nodes(&mut self, out: &mut Vec<Touch>) {
        let soft = self.soft;
        let nodes: Vec<Swept> =
            soft.skin.iter().enumerate().map(|(k, n)| self.swept(&[*n], k)).collect();
        let faces: Vec<Swept> =
            soft.triangles.iter().enumerate().map(|(k, t)| self.swept(t, k)).collect();
        for (node, face) in pairs(nodes, faces) {
            let (node, face) = (soft.skin[node], soft.triangles[face]);
            if !face.iter().any(|&n| self.are_beside(node, n)) {
                self.node(node, face, out);
            }
        }
    }

    /// A node and a face that it is in front of.
    fn node(&mut self, node: u32, nodes: [u32; 3], out: &mut Vec<Touch>) {
        let place = |x: &[Vec3]| (x[node as usize], nodes.map(|n| x[n as usize]));
        let (start, end) = (place(&self.soft.x), place(&self.end));
        let Some(meeting) = meet(start, end, self.when, self.size) else { return };
        let Meeting { normal, weights, deep } = meeting;
        let (own, other) =
            (Patch::node(self.slot, node), Patch { soft: self.slot, nodes, weights });
        self.take(own, other, normal, deep, out);
    }

    fn edges(&mut self, out: &mut Vec<Touch>) {
        let soft = self.soft;
        let swept = || soft.edges.iter().enumerate().map(|(k, e)| self.swept(e, k)).collect();
        let ways = normals(soft, &soft.x);
        let found: Vec<(usize, usize)> =
            pairs(swept(), swept()).into_iter().filter(|(a, b)| a < b).collect();
        for (a, b) in found {
            let (a, b) = (soft.edges[a], soft.edges[b]);
            if !a.iter().any(|&i| b.iter().any(|&j| self.are_beside(i, j))) {
                self.edge(a, b, &ways, out);
            }
        }
    }

    /// Two edges whose surfaces look at one another.
    fn edge(&mut self, a: [u32; 2], b: [u32; 2], ways: &[Vec3], out: &mut Vec<Touch>) {
        let way = |e: [u32; 2]| (ways[e[0] as usize] + ways[e[1] as usize]).normalize_or_zero();
        let (out_of_a, out_of_b) = (way(a), way(b));
        let ends = |e: [u32; 2], x: &[Vec3]| e.map(|n| x[n as usize]);
        let height = |pa: [Vec3; 2], pb: [Vec3; 2]| {
            let n = (pa[1] - pa[0]).cross(pb[1] - pb[0]).try_normalize()?;
            let n = if n.dot(out_of_b - out_of_a) < 0.0 { -n } else { n };
            Some((n, n.dot(pa[0] - pb[0])))
        };
        let start = [ends(a, &self.soft.x), ends(b, &self.soft.x)];
        let end = [ends(a, &self.end), ends(b, &self.end)];
        let (Some((n, h0)), Some((_, h1))) = (height(start[0], start[1]), height(end[0], end[1]))
        else {
            return;
        };
        let looks = n.dot(out_of_b) > FACING && n.dot(out_of_a) < -FACING;
        if !looks || h0 < -BEHIND * self.size {
            return;
        }
        let time = match self.when {
            When::Start => 0.0,
            When::End if h1 < -CROSSED * self.size => h0.max(0.0) / (h0.max(0.0) - h1),
            When::End => return,
        };
        let at = |k: usize| [0, 1].map(|i| start[k][i].lerp(end[k][i], time));
        let (pa, pb) = (at(0), at(1));
        let Some((s, t)) = crossing(pa, pb) else { return };
        let apart = (pa[0].lerp(pa[1], s) - pb[0].lerp(pb[1], t)).length();
        let near = h0.max(0.0) * (1.0 - time) + 1e-3 * (h0 - h1).abs() + BEHIND * self.size;
        if apart > near {
            return;
        }
        let (own, other) = (Patch::of_edge(self.slot, a, s), Patch::of_edge(self.slot, b, t));
        self.take(own, other, n, -h1, out);
    }

    /// Takes a contact that is likely, or lacks.
    fn take(&mut self, own: Patch, other: Patch, normal: Vec3, deep: f64, out: &mut Vec<Touch>) {
        let x = &self.soft.x;
        let gap = normal.dot(own.mean(x) - other.mean(x));
        let wanted = match self.when {
            When::End => {
                self.deepest = self.deepest.max(deep);
                deep > INSIDE * self.size
            }
            When::Start => {
                let margin = self.scene.settings.contact_margin;
                let after = normal.dot(own.mean(&self.end) - other.mean(&self.end));
                gap < 4.0 * margin && after < LIKELY * margin
            }
        };
        let friction = self.soft.body.material.with(&self.soft.body.material).friction;
        let (other, force) = (Other::Soft(other), [0.0; 3]);
        let touch = Touch { own, other, normal, gap, friction, force };
        if wanted && normal.is_finite() && !touch.is_known(self.known) {
            out.push(touch);
        }
    }
}

/// Where a node meets a face.
pub(super) struct Meeting {
    pub(super) normal: Vec3,
    pub(super) weights: [f64; 3],
    /// How far it is behind the face at the end.
    pub(super) deep: f64,
}

/// A node that is in front of a face at the start: where it is, or where it passes through on its way to the end, if it does.
pub(super) fn meet(
    start: (Vec3, [Vec3; 3]),
    end: (Vec3, [Vec3; 3]),
    when: When,
    size: f64,
) -> Option<Meeting> {
    let height = |(p, corners): (Vec3, [Vec3; 3])| {
        let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
        Some((n, n.dot(p - corners[0])))
    };
    let ((n0, h0), (n1, h1)) = (height(start)?, height(end)?);
    if h0 < -BEHIND * size || (when == When::End && h1 >= 0.0) {
        return None;
    }
    let time = if when == When::Start { 0.0 } else { h0.max(0.0) / (h0.max(0.0) - h1) };
    let normal = n0.lerp(n1, time).try_normalize()?;
    let corners = [0, 1, 2].map(|k| start.1[k].lerp(end.1[k], time));
    let p = start.0.lerp(end.0, time);
    let weights = weights(p, &corners);
    let foot = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
    let aside = (p - foot).reject_from(normal).length();
    // (Heights are not linear in time; beside the face by what that leaves is on it.)
    let near = 1e-9 * size + 1e-3 * time * (end.0 - start.0).length();
    (aside <= near).then_some(Meeting { normal, weights, deep: -h1 })
}

/// Pairs whose boxes overlap, in a fixed order.
fn pairs(a: Vec<Swept>, b: Vec<Swept>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let all: Vec<(Swept, bool)> =
        a.into_iter().map(|s| (s, true)).chain(b.into_iter().map(|s| (s, false))).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&i, &j| all[i].0.lo.x.total_cmp(&all[j].0.lo.x).then(i.cmp(&j)));
    for (k, &i) in order.iter().enumerate() {
        let (one, first) = &all[i];
        for &j in order[k + 1..].iter().take_while(|&&j| all[j].0.lo.x <= one.hi.x) {
            let (other, second) = &all[j];
            let meet = one.lo.cmple(other.hi).all() && other.lo.cmple(one.hi).all();
            if first != second && meet {
                let (a, b) = if *first { (one, other) } else { (other, one) };
                found.push((a.index, b.index));
            }
        }
    }
    found
}
