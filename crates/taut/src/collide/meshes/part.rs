//! Solids that overlap deeply.
//!
//! Problem: corners and ridges deep in a solid are near to several of its faces, and contacts of these contradict one another:
//! stars that were inside one another locked.
//!
//! Method: the shortest straight way on which B leaves A, of those along normals of faces that are cut and across pairs of their
//! edges. While B moves on by t n, two triangles have a point in common in one interval of t: their shadows along n have a
//! polygon in common, over which the difference of heights is linear, so that its corners tell. The union of all intervals from 0
//! on, and of those in which one solid is inside the other, ends where B is free. On that way the way left gets shorter by what was
//! gone, and no other one by more: the direction stays. Contacts along it stand where the surfaces cut one another, at the ends of
//! the cut, so that what is cut parts on all sides; as deep as the solids are in one another (`overlap`), for what was put there is
//! pushed out at a bounded speed.
//!
//! Cost: at most [`PAIRS`] pairs of triangles, 15 tests each; directions for which there is none left count as long as the outlines
//! take. When it fails: solids that are hooked into one another, so that no straight way leads out that is not longer than both.

use super::{Meshes, Side, placement};
use crate::collide::feature::{face, vertex};
use crate::collide::{Bend, ContactKey, ContactPoint};
use crate::math::{Pose, Vec3};
use taut_sdf::{Field, Passing};

/// Directions that are looked at, at most, and the cosine beyond which two are one.
const DIRECTIONS: usize = 64;
const ALIKE: f64 = 0.98;
/// Pairs of triangles that are looked at, at most.
const PAIRS: usize = 30_000;
/// Sine below which edges are parallel.
const PARALLEL: f64 = 0.05;

impl Meshes {
    /// Replaces the contacts of solids that overlap by some along the shortest way out. False if they do not overlap.
    pub(super) fn part(&mut self, sides: &[Side; 2]) -> bool {
        let depth = self.depth_of_all(sides);
        if depth <= 0.0 {
            return false;
        }
        let [a, b] = sides;
        let relative = a.pose.inv_mul(&b.pose);
        let directions = self.directions(sides, &relative);
        let Some(out) = self.shortest(sides, &relative, &directions) else { return false };
        let normal = a.pose.transform_vector(out);
        let inner = if a.size < b.size { a } else { b };
        let corners = || inner.mesh.vertices.iter().map(|&v| inner.pose.transform_point(v));
        let mut places: Vec<Vec3> = self.cuts.iter().map(|c| c.place(sides)).collect();
        if places.is_empty() {
            places.extend(corners());
        }
        let (u, v) = normal.any_orthonormal_pair();
        self.contacts.clear();
        for (i, along) in (0..).zip([u, -u, v, -v]) {
            let farthest =
                places.iter().max_by(|p, q| p.dot(along).total_cmp(&q.dot(along))).copied();
            let Some(at) = farthest else { continue };
            // All in one plane, for they are one patch.
            let at = at + normal * normal.dot(places[0] - at);
            let feature = ContactKey {
                sub_a: 0,
                sub_b: 0,
                feature_a: vertex(1 << 29 | i),
                feature_b: face(0),
            };
            let point = ContactPoint {
                point_a: at + 0.5 * depth * normal,
                point_b: at - 0.5 * depth * normal,
                gap: -depth,
                feature,
                bend: Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] }),
            };
            self.contacts.push((point, normal));
        }
        true
    }

    /// Directions in which B may leave A, in the frame of A.
    fn directions(&self, [a, b]: &[Side; 2], relative: &Pose) -> Vec<Vec3> {
        let mut list: Vec<Vec3> = Vec::new();
        let mut add = |n: Vec3| {
            let n = n.normalize_or_zero();
            let is_new = list.iter().all(|m| m.dot(n) < ALIKE) && n != Vec3::ZERO;
            if is_new && list.len() < DIRECTIONS {
                list.push(n);
            }
        };
        let triangle = |side: &Side, i: u32| side.mesh.triangles[i as usize].clone();
        for c in &self.cuts {
            add(triangle(a, c.triangles[0]).normal);
            add(-relative.transform_vector(triangle(b, c.triangles[1]).normal));
        }
        for c in &self.cuts {
            let (ta, tb) = (triangle(a, c.triangles[0]), triangle(b, c.triangles[1]));
            for k in 0..3 {
                for l in 0..3 {
                    let eb = relative.transform_vector(tb.edge_direction(l));
                    let n = ta.edge_direction(k).cross(eb);
                    if n.length_squared() > PARALLEL * PARALLEL {
                        add(n);
                        add(-n);
                    }
                }
            }
        }
        add(relative.translation);
        for t in &a.mesh.triangles {
            add(t.normal);
        }
        for t in &b.mesh.triangles {
            add(-relative.transform_vector(t.normal));
        }
        list
    }

    /// The direction in which B is free of A first.
    fn shortest(
        &mut self,
        [a, b]: &[Side; 2],
        relative: &Pose,
        directions: &[Vec3],
    ) -> Option<Vec3> {
        // What outlines take is enough.
        let reach = |side: &Side, n: Vec3| {
            side.mesh.vertices.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut list: Vec<(f64, Vec3)> = directions
            .iter()
            .map(|&n| {
                let back = relative.inverse_transform_vector(-n);
                (reach(a, n) + reach(b, back) - n.dot(relative.translation), n)
            })
            .collect();
        list.sort_by(|x, y| x.0.total_cmp(&y.0));
        let &(mut best, mut out) = list.first()?;
        let mut left = PAIRS;
        for (_, n) in list {
            if let Some(t) = self.clears([a, b], relative, n, best, &mut left) {
                (best, out) = (t, n);
            }
        }
        Some(out)
    }

    /// How far B must go along n to be free of A, if that is less than `most`.
    fn clears(
        &mut self,
        [a, b]: [&Side; 2],
        relative: &Pose,
        n: Vec3,
        most: f64,
        left: &mut usize,
    ) -> Option<f64> {
        let after = |t: f64| Pose::from_parts(relative.translation + t * n, relative.rotation);
        self.pairs.clear();
        let way = Passing::straight([placement(relative), placement(&after(most))], 0.0);
        a.mesh.tree.near_pairs(&b.mesh.tree, &way, &mut self.moved, &mut self.pairs);
        if self.pairs.len() > *left {
            return None;
        }
        *left -= self.pairs.len();
        let (u, v) = n.any_orthonormal_pair();
        let turned = |p: Vec3| Vec3::new(p.dot(u), p.dot(v), p.dot(n));
        self.spans.clear();
        let mut last = u32::MAX;
        let mut tb = [Vec3::ZERO; 3];
        for &[i, j] in &self.pairs {
            if j != last {
                last = j;
                let vertices = b.mesh.triangles[j as usize].vertices;
                tb = vertices.map(|p| turned(relative.transform_point(p)));
            }
            let ta = a.mesh.triangles[i as usize].vertices.map(turned);
            let span = meeting_span(&ta, &tb).filter(|s| s[1] >= 0.0 && s[0] < most);
            self.spans.extend(span);
        }
        self.spans.sort_by(|s, t| s[0].total_cmp(&t[0]));
        // Whether one is inside the other where none cuts the other.
        let contains = |t: f64| {
            let at = after(t);
            let inside = |side: &Side, p: Vec3| {
                side.mesh.surface.as_ref().is_some_and(|s| s.distance(p.to_array()) < 0.0)
            };
            inside(a, at.transform_point(b.mesh.vertices[0]))
                || inside(b, at.inverse_transform_point(a.mesh.vertices[0]))
        };
        let slack = 1e-9 * (a.size + b.size);
        let mut end = 0.0_f64;
        for &[from, to] in &self.spans {
            if from > end + slack && !contains(0.5 * (end + from)) {
                return Some(end);
            }
            end = end.max(to);
            if end >= most {
                return None;
            }
        }
        (!contains(end + slack)).then_some(end)
    }
}

/// Of two triangles with coordinates of which the third is along a way: how far the second one must go on it to meet the first.
fn meeting_span(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<[f64; 2]> {
    let bounds = |t: &[Vec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let ((la, ha), (lb, hb)) = (bounds(a), bounds(b));
    if la.x > hb.x || lb.x > ha.x || la.y > hb.y || lb.y > ha.y {
        return None;
    }
    let mut span = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |t: f64| span = [span[0].min(t), span[1].max(t)];
    for k in 0..3 {
        if let Some(z) = height_at(b, a[k]) {
            add(a[k].z - z);
        }
        if let Some(z) = height_at(a, b[k]) {
            add(z - b[k].z);
        }
        for l in 0..3 {
            let (p, e) = (a[k], a[(k + 1) % 3] - a[k]);
            let (q, f) = (b[l], b[(l + 1) % 3] - b[l]);
            let (det, d) = (e.x * f.y - e.y * f.x, q - p);
            let (s, t) = (d.x * f.y - d.y * f.x, d.x * e.y - d.y * e.x);
            let (s, t) = if det < 0.0 { (-s, -t) } else { (s, t) };
            let size = det.abs();
            if size > 0.0 && s >= 0.0 && s <= size && t >= 0.0 && t <= size {
                add(p.z + s / size * e.z - q.z - t / size * f.z);
            }
        }
    }
    (span[0] <= span[1]).then_some(span)
}

/// The height of a triangle over a point, if it is there; of one that is seen from its edge corners and edges tell enough.
fn height_at(t: &[Vec3; 3], p: Vec3) -> Option<f64> {
    let (e, f, x) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let area = e.x * f.y - e.y * f.x;
    let (u, v) = (x.x * f.y - x.y * f.x, e.x * x.y - e.y * x.x);
    let (u, v) = if area < 0.0 { (-u, -v) } else { (u, v) };
    let size = area.abs();
    let is_in = size > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= size;
    is_in.then(|| t[0].z + u / size * e.z + v / size * f.z)
}
