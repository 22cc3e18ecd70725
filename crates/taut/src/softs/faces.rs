//! Contacts of soft bodies with one another: nodes on faces, and edges across edges.
//!
//! A node meets the nearest point of the other surface; of several triangles that are equally near, as at an edge, the one that faces
//! it most decides. Edges count only where they end inside one another, along the normal of both: on flat sides that meet the nodes
//! say it all. Those that pressed in the last step count from the start of this one.
//!
//! Cost: nodes times triangles, and edges times edges, within the boxes of both bodies' overlap.

use super::SoftBodyState;
use super::field::weights;
use super::own::{Meeting, meet};
use super::touch::{INSIDE, LIKELY, Motions, Other, Patch, Touch, When};
use crate::assemble::Scene;
use crate::math::Vec3;

/// Edges that end this much inside one another need a contact, as a share of the size of their bodies.
const CROSSED: f64 = 1e-6;

/// Faces that look the way of a node's own surface, by the cosine, are not what it meets: cubes with flush sides stood on one another by them, and
/// rose. Nor are edges that come along its surface: least cosine against the normal. (A block on a slab slid at a tenth of its rate, held
/// by the nodes before it.)
const ALONGSIDE: f64 = 0.3;
const FACES: f64 = 0.2;

/// A soft body on its way.
struct Side<'a> {
    slot: u32,
    soft: &'a SoftBodyState,
    u: &'a [Vec3],
    x: Vec<Vec3>,
}

/// A pair of soft bodies.
struct Pair<'a, 'b> {
    scene: &'a Scene<'b>,
    when: When,
    known: &'a [Touch],
    friction: f64,
    reach: f64,
    deepest: f64,
}

/// Appends contacts of two soft bodies, and returns how deep the deepest is.
pub(super) fn find(
    scene: &Scene,
    motions: &Motions,
    known: &[Touch],
    slots: (u32, u32),
    out: &mut Vec<Touch>,
) -> f64 {
    let side = |slot: u32| {
        let (soft, u) = (scene.softs.at(slot)?, motions.of(slot)?);
        Some(Side { slot, soft, u, x: motions.places(soft, slot, scene.h) })
    };
    let (Some(a), Some(b)) = (side(slots.0), side(slots.1)) else { return 0.0 };
    let speed = |s: &Side| s.u.iter().map(|u| u.length()).fold(0.0, f64::max);
    let margin = scene.settings.contact_margin;
    let reach = match motions.when {
        When::Start => margin + scene.h * (speed(&a) + speed(&b)),
        When::End => 0.25 * a.soft.size().min(b.soft.size()),
    };
    let (one, other) = (&a.soft.body.material, &b.soft.body.material);
    let pair = scene.pairs.of(one, other).map_or_else(|| one.with(other), |p| p.0);
    let mut pair =
        Pair { scene, when: motions.when, known, friction: pair.friction, reach, deepest: 0.0 };
    pair.nodes(&a, &b, out);
    pair.nodes(&b, &a, out);
    match motions.when {
        When::Start => pair.pressed_edges(&a, &b, out),
        When::End => pair.edges(&a, &b, out),
    }
    pair.deepest
}

impl Pair<'_, '_> {
    /// Nodes of a on faces of b.
    fn nodes(&mut self, a: &Side, b: &Side, out: &mut Vec<Touch>) {
        let (lo, hi) = bounds(b.soft.skin.iter().map(|&n| b.x[n as usize]), self.reach);
        let near: Vec<u32> =
            a.soft.skin.iter().copied().filter(|&n| within(a.x[n as usize], lo, hi)).collect();
        let (lo, hi) = bounds(near.iter().map(|&n| a.x[n as usize]), self.reach);
        let faces: Vec<_> = b
            .soft
            .triangles
            .iter()
            .filter(|t| {
                let [p, q, r] = t.map(|n| b.x[n as usize]);
                let (least, most) = (p.min(q).min(r), p.max(q).max(r));
                least.cmple(hi).all() && most.cmpge(lo).all()
            })
            .collect();
        let ways = normals(a.soft, &a.x);
        for node in near {
            let p = a.x[node as usize];
            let own_way = ways[node as usize].normalize_or_zero();
            // Of a node that passed through a face on its way that one counts, not the one that it is nearest to then.
            let mut passed: Option<(Meeting, Patch)> = None;
            let mut best: Option<(f64, f64, f64, Vec3, Patch)> = None;
            for &&nodes in &faces {
                let corners = nodes.map(|n| b.x[n as usize]);
                let Some(n) =
                    (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()
                else {
                    continue;
                };
                if n.dot(own_way) > ALONGSIDE {
                    continue;
                }
                if self.when == When::End {
                    let start = (a.soft.x[node as usize], nodes.map(|n| b.soft.x[n as usize]));
                    let meeting = meet(start, (p, corners), self.when, a.soft.size());
                    if let Some(m) =
                        meeting.filter(|m| passed.as_ref().is_none_or(|b| m.deep < b.0.deep))
                    {
                        let weights = m.weights;
                        passed = Some((m, Patch { soft: b.slot, nodes, weights }));
                    }
                }
                let weights = weights(p, &corners);
                let d =
                    p - corners[0] * weights[0] - corners[1] * weights[1] - corners[2] * weights[2];
                let (length, height) = (d.length(), d.dot(n));
                let is_nearer = best.as_ref().is_none_or(|b| {
                    length < b.0 * (1.0 - 1e-9)
                        || length <= b.0 * (1.0 + 1e-9) && height.abs() > b.1
                });
                if is_nearer {
                    let beyond = height > 0.0 && height < 0.999 * length;
                    let (n, d) = if beyond { (d / length, length) } else { (n, height) };
                    best =
                        Some((length, height.abs(), d, n, Patch { soft: b.slot, nodes, weights }));
                }
            }
            if let Some((m, patch)) = passed {
                self.take((a, &Patch::node(a.slot, node)), (b, &patch), -m.deep, m.normal, out);
            } else if let Some((length, _, d, n, patch)) = best.filter(|b| b.0 <= self.reach) {
                // Beside the face, below its plane: not inside. Or an edge that slides along the surface of the node.
                if d < 0.0 && -d < 0.5 * length || n.dot(own_way) > -FACES {
                    continue;
                }
                self.take((a, &Patch::node(a.slot, node)), (b, &patch), d, n, out);
            }
        }
    }

    /// Edges that pressed in the last step, where they still cross.
    fn pressed_edges(&mut self, a: &Side, b: &Side, out: &mut Vec<Touch>) {
        for touch in &a.soft.touches {
            let Other::Soft(patch) = touch.other else { continue };
            let own = touch.own.edge().filter(|_| patch.soft == b.slot && touch.force[0] > 0.0);
            let (Some(ea), Some(eb)) = (own, patch.edge()) else { continue };
            let (pa, pb) = (ends(a, &ea), ends(b, &eb));
            let Some((s, t)) = crossing(pa, pb) else { continue };
            let Some(n) = (pa[1] - pa[0]).cross(pb[1] - pb[0]).try_normalize() else { continue };
            let n = if n.dot(touch.normal) < 0.0 { -n } else { n };
            let d = n.dot(pa[0].lerp(pa[1], s) - pb[0].lerp(pb[1], t));
            let (own, other) = (Patch::of_edge(a.slot, ea, s), Patch::of_edge(b.slot, eb, t));
            self.take((a, &own), (b, &other), d, n, out);
        }
    }

    /// Edges that end inside one another.
    fn edges(&mut self, a: &Side, b: &Side, out: &mut Vec<Touch>) {
        let size = a.soft.size().min(b.soft.size());
        let (lo, hi) = bounds(b.soft.skin.iter().map(|&n| b.x[n as usize]), 0.0);
        let (normals_a, normals_b) = (normals(a.soft, &a.x), normals(b.soft, &b.x));
        let meets = |[p, q]: [Vec3; 2], lo: Vec3, hi: Vec3| {
            p.min(q).cmple(hi).all() && p.max(q).cmpge(lo).all()
        };
        for ea in a.soft.edges.iter().filter(|e| meets(ends(a, e), lo, hi)) {
            let pa = ends(a, ea);
            let way = normals_a[ea[0] as usize] + normals_a[ea[1] as usize];
            let (lo, hi) = bounds(pa.into_iter(), CROSSED * size);
            for eb in b.soft.edges.iter().filter(|e| meets(ends(b, e), lo, hi)) {
                let pb = ends(b, eb);
                let Some((s, t)) = crossing(pa, pb) else { continue };
                let Some(n) = (pa[1] - pa[0]).cross(pb[1] - pb[0]).try_normalize() else {
                    continue;
                };
                let out_of_b = normals_b[eb[0] as usize] + normals_b[eb[1] as usize];
                let n = if n.dot(out_of_b) < 0.0 { -n } else { n };
                let d = n.dot(pa[0].lerp(pa[1], s) - pb[0].lerp(pb[1], t));
                let faces = n.dot(way.normalize_or_zero()) < -0.3
                    && n.dot(out_of_b.normalize_or_zero()) > 0.3;
                if faces && d < -CROSSED * size && d > -0.1 * size {
                    let own = Patch::of_edge(a.slot, *ea, s);
                    let other = Patch::of_edge(b.slot, *eb, t);
                    self.take((a, &own), (b, &other), d, n, out);
                }
            }
        }
    }

    /// Takes a contact that is likely, or lacks.
    fn take(
        &mut self,
        (a, own): (&Side, &Patch),
        (b, other): (&Side, &Patch),
        d: f64,
        n: Vec3,
        out: &mut Vec<Touch>,
    ) {
        let margin = self.scene.settings.contact_margin;
        let gap = n.dot(own.mean(&a.soft.x) - other.mean(&b.soft.x));
        let wanted = match self.when {
            When::End => {
                self.deepest = self.deepest.max(-d);
                d < -INSIDE * a.soft.size()
            }
            When::Start => {
                let way = (own.mean(a.u) - other.mean(b.u)) * self.scene.h;
                let near = gap < 4.0 * margin || way.length() > 0.25 * a.soft.size();
                near && gap + n.dot(way) < LIKELY * margin
            }
        };
        let touch = Touch {
            own: *own,
            other: Other::Soft(*other),
            normal: n,
            gap,
            friction: self.friction,
            force: [0.0; 3],
        };
        if wanted && n.is_finite() && !touch.is_known(self.known) {
            out.push(touch);
        }
    }
}

/// Where the ends of an edge are.
fn ends(side: &Side, edge: &[u32; 2]) -> [Vec3; 2] {
    edge.map(|n| side.x[n as usize])
}

/// Where two segments are nearest, as shares of both, within them.
pub(super) fn crossing(a: [Vec3; 2], b: [Vec3; 2]) -> Option<(f64, f64)> {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = uu * vv - uv * uv;
    if det <= 1e-6 * uu * vv {
        return None;
    }
    let (s, t) = ((uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det);
    let inner = 1e-3..=1.0 - 1e-3;
    (inner.contains(&s) && inner.contains(&t)).then_some((s, t))
}

/// Ways out at nodes, by the areas around them.
pub(super) fn normals(soft: &SoftBodyState, x: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; x.len()];
    for t in &soft.triangles {
        let [p, q, r] = t.map(|n| x[n as usize]);
        t.iter().for_each(|&n| normals[n as usize] += (q - p).cross(r - p));
    }
    normals
}

fn bounds(points: impl Iterator<Item = Vec3>, more: f64) -> (Vec3, Vec3) {
    let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (lo, hi) = points.fold(none, |(lo, hi), p| (lo.min(p), hi.max(p)));
    (lo - Vec3::splat(more), hi + Vec3::splat(more))
}

fn within(p: Vec3, lo: Vec3, hi: Vec3) -> bool {
    p.cmpge(lo).all() && p.cmple(hi).all()
}
