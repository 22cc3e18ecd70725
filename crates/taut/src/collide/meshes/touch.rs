//! Corners on faces, edges across edges: which features of two meshes are near one another?

use super::{DEEP, Meshes, Side, placement};
use crate::collide::feature::{edge, face, vertex};
use crate::collide::mesh::Mesh;
use crate::collide::triangle::{FLAT_ANGLE, Triangle};
use crate::collide::{Bend, ContactKey, ContactPoint};
use crate::math::{Pose, Quat, Vec3};
use taut_sdf::{Field, Passing};

/// Corners this share of the size beside a face are over it.
const RIM: f64 = 1e-6;
/// Slack of normal cones and arcs \[rad\].
const SLACK: f64 = 1e-6;
/// Edges that cross at a smaller sine are parallel: corners tell more of them.
const PARALLEL: f64 = 0.02;
/// Of faces behind which a corner is: no deeper than this times the least depth. (With 1.5 both faces of a sharp tip hold a corner that is in
/// it.)
const DEEPER: f64 = 1.05;
/// A ridge that is less deep in the other solid than this share of what it would be across the ridge there lies beside that.
const BESIDE: f64 = 0.1;
/// How far along an edge from where it crosses another one that is looked at, in depths.
const ALONG: f64 = 4.0;
/// What is nearer to a face than this share of its depth is on it.
const ON_FACE: f64 = 1e-3;
/// How far beside a rim the field is looked at, in depths: inside a corner of 90° that is as deep.
pub(super) const ASIDE: f64 = 1.5;

/// Which features touch: a corner of a triangle (0 to 2) or an edge (0 to 2), on a triangle or its edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// Corner `k` of triangle `i` of A on triangle `j` of B.
    CornerOnFace(u32, u8, u32),
    /// Corner `l` of triangle `j` of B on triangle `i` of A.
    FaceUnderCorner(u32, u32, u8),
    /// Edge `k` of triangle `i` of A across edge `l` of triangle `j` of B.
    EdgeOnEdge(u32, u8, u32, u8),
}

impl Meshes {
    /// Finds all features nearer to one another than `reach`; leaves the triangles that may be so in `pairs`.
    pub(super) fn search(&mut self, [a, b]: &[Side; 2], reach: f64, thick: f64) {
        let relative = a.pose.inv_mul(&b.pose);
        let here = Passing::still(placement(&relative), reach);
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        a.mesh.tree.near_pairs(&b.mesh.tree, &here, &mut self.moved, &mut pairs);
        self.found.clear();
        let rim = RIM * a.size.min(b.size);
        // Of solids the fields say what is inside, however deep.
        let is_solid = a.mesh.surface.is_some() && b.mesh.surface.is_some();
        let deep = if is_solid { DEEP * thick } else { thick };
        let mut last = u32::MAX;
        let mut moved = MovedTriangle::NONE;
        let mut kept = 0;
        for at in 0..pairs.len() {
            let [i, j] = pairs[at];
            let tb = &b.mesh.triangles[j as usize];
            // Pairs with one triangle of B follow one another.
            if j != last {
                last = j;
                moved = MovedTriangle::new(tb, &relative);
            }
            let (ball_a, radius_b) = (&a.mesh.balls[i as usize], b.mesh.balls[j as usize].1);
            let far = ball_a.0.distance_squared(moved.centre());
            if far > (ball_a.1 + radius_b + reach).powi(2) {
                continue;
            }
            let ta = &a.mesh.triangles[i as usize];
            // Both must be near to the other's plane.
            let heights = moved.vertices.map(|p| ta.height(p));
            if heights.iter().all(|h| *h > reach) {
                continue;
            }
            let backs = ta.vertices.map(|p| (p - moved.vertices[0]).dot(moved.normal));
            if backs.iter().all(|h| *h > reach) {
                continue;
            }
            pairs[kept] = [i, j];
            kept += 1;
            let (owns_a, owns_b) = (a.mesh.owned[i as usize], b.mesh.owned[j as usize]);
            for k in 0..3 {
                if owns_a & 1 << k != 0 && backs[k] <= reach && backs[k] >= -deep {
                    let corner = Corner {
                        at: relative.inverse_transform_point(ta.vertices[k]),
                        height: backs[k],
                        mesh: a.mesh,
                        vertex: ta.vertex_ids[k],
                        turn: relative.rotation.inverse(),
                    };
                    if corner.touches(tb, b.mesh, rim, thick) {
                        self.found.push(Touch::CornerOnFace(i, k as u8, j));
                    }
                }
                if owns_b & 1 << k != 0 && heights[k] <= reach && heights[k] >= -deep {
                    let corner = Corner {
                        at: moved.vertices[k],
                        height: heights[k],
                        mesh: b.mesh,
                        vertex: tb.vertex_ids[k],
                        turn: relative.rotation,
                    };
                    if corner.touches(ta, a.mesh, rim, thick) {
                        self.found.push(Touch::FaceUnderCorner(i, j, k as u8));
                    }
                }
            }
            for k in (0..3).filter(|k| owns_a & 8 << k != 0 && ta.edge_limits[*k] > FLAT_ANGLE) {
                for l in (0..3).filter(|l| owns_b & 8 << l != 0 && tb.edge_limits[*l] > FLAT_ANGLE)
                {
                    let Some(crossing) = crosses((ta, k), (&moved, tb, l), [reach, deep], rim)
                    else {
                        continue;
                    };
                    if crossing.is_real((a.mesh, ta, k), (b.mesh, tb, l), &relative, rim) {
                        self.found.push(Touch::EdgeOnEdge(i, k as u8, j, l as u8));
                    }
                }
            }
        }
        pairs.truncate(kept);
        self.pairs = pairs;
    }
}

/// A triangle in another frame.
pub(super) struct MovedTriangle {
    pub(super) vertices: [Vec3; 3],
    pub(super) normal: Vec3,
}

impl MovedTriangle {
    pub(super) const NONE: Self = Self { vertices: [Vec3::ZERO; 3], normal: Vec3::ZERO };

    fn centre(&self) -> Vec3 {
        let [a, b, c] = self.vertices;
        (a + b + c) / 3.0
    }

    pub(super) fn new(t: &Triangle, pose: &Pose) -> Self {
        Self {
            vertices: t.vertices.map(|p| pose.transform_point(p)),
            normal: pose.transform_vector(t.normal),
        }
    }
}

/// A corner of a mesh near a triangle of another.
struct Corner<'a> {
    /// In the frame of the other mesh.
    at: Vec3,
    /// Over the triangle.
    height: f64,
    mesh: &'a Mesh,
    vertex: u32,
    /// From the frame of its mesh to that of the other one.
    turn: Quat,
}

impl Corner<'_> {
    /// Whether it touches the triangle of the other mesh.
    fn touches(&self, t: &Triangle, other: &Mesh, rim: f64, thick: f64) -> bool {
        let mut on_rim = false;
        for i in 0..3 {
            let (a, b) = (t.vertices[i], t.vertices[(i + 1) % 3]);
            let outward = (b - a).cross(t.normal).normalize_or_zero();
            let beyond = (self.at - a).dot(outward);
            if beyond > rim {
                return false;
            }
            on_rim |= beyond > -rim && t.edge_limits[i] > FLAT_ANGLE;
        }
        if on_rim && self.mesh.leads_behind(self.vertex, self.turn.inverse() * t.normal) {
            return false;
        }
        let depth = -self.height;
        if depth <= rim {
            return true;
        }
        let Some(surface) = &other.surface else {
            // What is behind an open mesh did not come from the front if it is far behind.
            return depth <= 0.25 * t.size();
        };
        let mut p = self.at;
        if on_rim {
            // On the side of its solid.
            p += ASIDE
                * depth.min(thick)
                * lateral(self.turn * self.mesh.inward(self.vertex), t.normal);
        }
        match surface.nearest_within(p.to_array(), depth) {
            Some(s) => s.sample.distance < 0.0 && depth <= DEEPER * -s.sample.distance + rim,
            // It is deeper than that, or far outside.
            None => surface.distance(p.to_array()) < 0.0,
        }
    }
}

/// The direction of d across n.
pub(super) fn lateral(d: Vec3, n: Vec3) -> Vec3 {
    (d - n * n.dot(d)).normalize_or_zero()
}

/// Whether ridge `k` of a triangle and ridge `l` of another, in the frame of the first, cross within reach.
fn crosses(
    (ta, k): (&Triangle, usize),
    (moved, tb, l): (&MovedTriangle, &Triangle, usize),
    [reach, deep]: [f64; 2],
    rim: f64,
) -> Option<Cross> {
    let (pa, qa) = (ta.vertices[k], ta.vertices[(k + 1) % 3]);
    let (pb, qb) = (moved.vertices[l], moved.vertices[(l + 1) % 3]);
    let (ea, eb, d) = (qa - pa, qb - pb, pb - pa);
    let cross = ea.cross(eb);
    let square = cross.length_squared();
    if square <= PARALLEL * PARALLEL * ea.length_squared() * eb.length_squared() {
        return None;
    }
    // Feet of the common perpendicular, as shares of the edges.
    let (s, t) = (d.cross(eb).dot(cross) / square, d.cross(ea).dot(cross) / square);
    // Of a corner over a ridge one of its edges crosses it, whatever rounding does. (A ring sank in until its corner was behind a face.)
    let beyond = |x: f64, e: Vec3| (x - x.clamp(0.0, 1.0)).abs() * e.length();
    if beyond(s, ea) > rim || beyond(t, eb) > rim {
        return None;
    }
    let unit = cross / square.sqrt();
    let gap = unit.dot(d);
    if gap.abs() > reach.max(deep) {
        return None;
    }
    let (_, gap) = [(unit, gap), (-unit, -gap)].into_iter().find(|&(n, gap)| {
        gap <= reach
            && gap >= -deep
            && in_arc(n, ta.normal, ea.cross(ta.normal), ta.edge_limits[k])
            && in_arc(-n, moved.normal, eb.cross(moved.normal), tb.edge_limits[l])
    })?;
    Some(Cross { gap, edges: [ea, eb], feet: [pa + s * ea, pb + t * eb], shares: [s, t] })
}

/// Two ridges that cross, in the frame of A.
struct Cross {
    gap: f64,
    edges: [Vec3; 2],
    feet: [Vec3; 2],
    shares: [f64; 2],
}

impl Cross {
    /// Whether each ridge that is behind the other one passes through a face of that. (Of two sharp tips that touch, ridges on their far
    /// sides cross, too, and what slides down a wall is far below its upper edge.)
    fn is_real(
        &self,
        (mesh_a, ta, k): (&Mesh, &Triangle, usize),
        (mesh_b, tb, l): (&Mesh, &Triangle, usize),
        relative: &Pose,
        rim: f64,
    ) -> bool {
        if self.gap >= -rim {
            return true;
        }
        let of_b = |v: Vec3| relative.inverse_transform_vector(v);
        let way = [of_b(self.feet[0] - self.feet[1]), self.feet[1] - self.feet[0]];
        let foot = [relative.inverse_transform_point(self.feet[0]), self.feet[1]];
        let edge = [of_b(self.edges[0]), self.edges[1]];
        let near = rim + ON_FACE * self.gap.abs();
        [(mesh_b, tb, l), (mesh_a, ta, k)].into_iter().enumerate().all(|(i, (mesh, t, side))| {
            let Some(surface) = &mesh.surface else { return true };
            let range = -self.shares[i]..=1.0 - self.shares[i];
            let on_edge = |s: f64| (foot[i] + s * edge[i]).to_array();
            let [first, last] = t.behind(side, way[i], edge[i]);
            let is_on =
                |s: f64| range.contains(&s) && surface.nearest_within(on_edge(s), near).is_some();
            if !is_on(first) && !is_on(last) {
                return false;
            }
            let far = ALONG * self.gap.abs() / edge[i].length();
            let (first, last) =
                (first.max(*range.start()).max(-far), last.min(*range.end()).min(far));
            let deep = BESIDE * self.gap.abs() * t.normal.dot(t.ridge(side));
            [0.25, 0.5, 0.75]
                .into_iter()
                .any(|x| surface.distance(on_edge(first + x * (last - first))) <= -deep)
        })
    }
}

/// Whether a unit normal across an edge lies between the normal of its face and that of the face beyond.
fn in_arc(n: Vec3, normal: Vec3, outward: Vec3, limit: f64) -> bool {
    let angle = n.dot(outward.normalize_or_zero()).atan2(n.dot(normal));
    angle >= -SLACK && angle <= limit.min(std::f64::consts::FRAC_PI_2.max(limit.min(3.2))) + SLACK
}

/// The contact of two features where they are.
pub(super) fn contact(touch: Touch, a: &Side, b: &Side) -> Option<(ContactPoint, Vec3)> {
    let corner = |side: &Side, i: u32, k: u8| {
        let t = &side.mesh.triangles[i as usize];
        (side.pose.transform_point(t.vertices[k as usize]), t.vertex_ids[k as usize])
    };
    let plane = |side: &Side, i: u32| {
        let t = &side.mesh.triangles[i as usize];
        let n = side.pose.transform_vector(t.normal);
        (side.pose.transform_point(t.vertices[0]), n, side.mesh.patches[i as usize])
    };
    let mut edges = [Vec3::ZERO; 2];
    let (point_a, point_b, gap, normal, feature) = match touch {
        Touch::CornerOnFace(i, k, j) => {
            let ((x, id), (p, out, patch)) = (corner(a, i, k), plane(b, j));
            let gap = (x - p).dot(out);
            let feature =
                ContactKey { sub_a: 0, sub_b: patch, feature_a: vertex(id), feature_b: face(0) };
            (x, x - gap * out, gap, -out, feature)
        }
        Touch::FaceUnderCorner(i, j, l) => {
            let ((x, id), (p, out, patch)) = (corner(b, j, l), plane(a, i));
            let gap = (x - p).dot(out);
            let feature =
                ContactKey { sub_a: patch, sub_b: 0, feature_a: face(0), feature_b: vertex(id) };
            (x - gap * out, x, gap, out, feature)
        }
        Touch::EdgeOnEdge(i, k, j, l) => {
            let (ta, tb) = (&a.mesh.triangles[i as usize], &b.mesh.triangles[j as usize]);
            let (k, l) = (k as usize, l as usize);
            let ea = a.pose.transform_vector(ta.edge_direction(k));
            let eb = b.pose.transform_vector(tb.edge_direction(l));
            let out = a.pose.transform_vector(ta.ridge(k)) - b.pose.transform_vector(tb.ridge(l));
            let (pa, pb) =
                (a.pose.transform_point(ta.vertices[k]), b.pose.transform_point(tb.vertices[l]));
            let cross = ea.cross(eb);
            let square = cross.length_squared();
            if square < 0.25 * PARALLEL * PARALLEL {
                return None;
            }
            let n = cross / square.sqrt();
            let n = if n.dot(out) < 0.0 { -n } else { n };
            let d = pb - pa;
            let (s, t) = (d.cross(eb).dot(cross) / square, d.cross(ea).dot(cross) / square);
            edges = [ea, eb];
            let ids = [edge(ta.edge_ids[k]), edge(tb.edge_ids[l])];
            let feature = ContactKey { sub_a: 0, sub_b: 0, feature_a: ids[0], feature_b: ids[1] };
            (pa + s * ea, pb + t * eb, n.dot(d), n, feature)
        }
    };
    let bend = Some(Bend { edges, rounds: [Some(0.0); 2] });
    Some((ContactPoint { point_a, point_b, gap, feature, bend }, normal))
}
