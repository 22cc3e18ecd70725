//! How deep are two solids in one another?
//!
//! Problem: corners on faces and ridges across ridges tell depths while these are small. Of arms that lie crosswise in one another they
//! may tell nothing, or that of tips far away: Ls that started 60 mm deep had contacts 5 mm deep, and stayed.
//!
//! Method: surfaces that overlap cut one another, and where they do an edge of one passes through a face of the other. These places
//! divide the edge into sections; the field of the other solid at their middles, and at the corners where they end, tells the depth. Cost: six
//! tests for a pair of triangles whose boxes overlap, and a value of a field for a section that may be deeper than what is known.

use super::touch::MovedTriangle;
use super::{Meshes, Side};
use crate::collide::mesh::Mesh;
use crate::math::{Pose, Vec3};
use taut_sdf::{Field, Surface};

/// Where in a section the field is looked at.
const LOOKS: [f64; 3] = [0.5, 0.25, 0.75];

/// An edge that passes through a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Whether the edge is one of B.
    pub(super) of_b: bool,
    edge: u32,
    /// Of A and of B.
    pub(super) triangles: [u32; 2],
    /// Which edge of its triangle.
    pub(super) side: u8,
    share: f64,
}

impl Cut {
    /// The ends of the edge, in the frame of its mesh.
    fn ends(&self, mesh: &Mesh) -> [Vec3; 2] {
        let t = &mesh.triangles[self.triangles[usize::from(self.of_b)] as usize];
        let k = usize::from(self.side);
        [t.vertices[k], t.vertices[(k + 1) % 3]]
    }

    /// Where it is, in the world.
    pub(super) fn place(&self, sides: &[Side; 2]) -> Vec3 {
        let side = &sides[usize::from(self.of_b)];
        let [p, q] = self.ends(side.mesh);
        side.pose.transform_point(p.lerp(q, self.share))
    }
}

impl Meshes {
    /// Finds all edges that pass through faces of the other mesh, among the triangles in `near`.
    pub(super) fn find_cuts(&mut self, [a, b]: &[Side; 2]) {
        let relative = a.pose.inv_mul(&b.pose);
        self.cuts.clear();
        let mut last = u32::MAX;
        let mut moved = MovedTriangle::NONE;
        for &[i, j] in &self.near {
            let tb = &b.mesh.triangles[j as usize];
            if j != last {
                last = j;
                moved = MovedTriangle::new(tb, &relative);
            }
            let ta = &a.mesh.triangles[i as usize];
            let heights = moved.vertices.map(|p| ta.height(p));
            let backs = ta.vertices.map(|p| (p - moved.vertices[0]).dot(moved.normal));
            let (owns_a, owns_b) = (a.mesh.owned[i as usize], b.mesh.owned[j as usize]);
            for k in 0..3 {
                let l = (k + 1) % 3;
                for (of_b, owns, [from, to], line, face) in [
                    (false, owns_a, [backs[k], backs[l]], &ta.vertices, &moved.vertices),
                    (true, owns_b, [heights[k], heights[l]], &moved.vertices, &ta.vertices),
                ] {
                    if owns & 8 << k == 0 || from * to > 0.0 || from == to {
                        continue;
                    }
                    let share = from / (from - to);
                    if is_over(face, line[k].lerp(line[l], share)) {
                        let edge = if of_b { tb.edge_ids[k] } else { ta.edge_ids[k] };
                        self.cuts.push(Cut { of_b, edge, triangles: [i, j], side: k as u8, share });
                    }
                }
            }
        }
        self.cuts.sort_unstable_by(|c, d| {
            (c.of_b, c.edge).cmp(&(d.of_b, d.edge)).then(c.share.total_cmp(&d.share))
        });
    }

    /// The depth of the deepest sections, if it is more than `known`.
    pub(super) fn depth(&self, [a, b]: &[Side; 2], known: f64) -> f64 {
        let mut most = known;
        let of = |c: &Cut| (c.of_b, c.edge);
        for cuts in self.cuts.chunk_by(|c, d| of(c) == of(d)) {
            let (own, other) = if cuts[0].of_b { (b, a) } else { (a, b) };
            let Some(field) = &other.mesh.surface else { continue };
            let to_field = other.pose.inv_mul(&own.pose);
            let [p, q] = cuts[0].ends(own.mesh).map(|p| to_field.transform_point(p));
            let shares = cuts.iter().map(|c| c.share);
            let starts = [0.0].into_iter().chain(shares.clone());
            for (from, to) in starts.zip(shares.chain([1.0])) {
                let (first, last) = (from == 0.0, to == 1.0);
                // Between two places on the surface none is deeper than half their distance.
                if !first && !last && 0.5 * (to - from) * p.distance(q) <= most {
                    continue;
                }
                let mut looks = LOOKS;
                if first {
                    looks[1] = 0.0;
                }
                if last {
                    looks[2] = 1.0;
                }
                for x in looks {
                    most = deeper(field, p.lerp(q, from + x * (to - from)), most);
                }
            }
        }
        if most > known { most } else { 0.0 }
    }

    /// The same with all corners, and whether there is any overlap: of solids one of which is inside the other nothing is cut.
    pub(super) fn depth_of_all(&self, sides: &[Side; 2]) -> f64 {
        let mut most = self.depth(sides, 0.0);
        let [a, b] = sides;
        for (own, other) in [(a, b), (b, a)] {
            let Some(field) = &other.mesh.surface else { continue };
            let to_field: Pose = other.pose.inv_mul(&own.pose);
            let step = own.mesh.vertices.len().div_ceil(CORNERS);
            for &v in own.mesh.vertices.iter().step_by(step) {
                most = deeper(field, to_field.transform_point(v), most);
            }
        }
        most
    }

    /// Whether one solid is all inside the other one, if nothing is cut.
    pub(super) fn is_one_inside(&self, [a, b]: &[Side; 2]) -> bool {
        let is_in = |own: &Side, other: &Side| {
            let Some(field) = &other.mesh.surface else { return false };
            let v = other.pose.inv_mul(&own.pose).transform_point(own.mesh.vertices[0]);
            deeper(field, v, 0.0) > 0.0
        };
        self.cuts.is_empty() && (is_in(a, b) || is_in(b, a))
    }
}

/// Corners that are looked at, at most.
const CORNERS: usize = 200;

/// The depth of a point in a solid, if it is deeper than what is known.
fn deeper(field: &Surface, p: Vec3, known: f64) -> f64 {
    let [lo, hi] = field.bounds().map(Vec3::from);
    let least = (p - lo).min(hi - p).min_element();
    if least <= known { known } else { known.max(-field.distance(p.to_array())) }
}

/// Whether a point of the plane of a triangle is in it.
fn is_over(t: &[Vec3; 3], p: Vec3) -> bool {
    let (e, f, x) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let n = e.cross(f);
    let (u, v) = (x.cross(f).dot(n), e.cross(x).dot(n));
    u >= 0.0 && v >= 0.0 && u + v <= n.length_squared()
}
