//! The part of a convex core that faces a direction: a polygon, a segment or
//! a point, with names that persist while the core moves.
//!
//! A disc is represented by six rim points. While it is parallel to the
//! other surface they are fixed to the body, so that a standing cylinder has
//! the same contacts in every step; once it is tilted, they are counted from
//! the lowest rim point, which is then exact, and rolling stays smooth.

use super::convex::{Convex, Core};
use crate::math::{Pose, Vec3};

/// Kind bits of a feature id; the low 30 bits number the features of a kind.
const EDGE: u32 = 1 << 30;
const FACE: u32 = 2 << 30;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Number of rim points that stand for a disc.
const RIM: usize = 6;
/// A disc tilted by less than this angle (as a sine) counts as parallel.
const RIM_TILT: f64 = 2e-4;
/// Ids of rim points counted from the lowest one start here.
const ROLLING: u32 = 16;
const APEX: u32 = 99;

/// Id of an edge inside a flat patch, which bounds nothing.
pub(crate) const INNER: u32 = u32::MAX;

/// The id of vertex `i`.
pub(crate) fn vertex(i: u32) -> u32 {
    i & !(EDGE | FACE)
}

/// The id of edge `i`.
pub(crate) fn edge(i: u32) -> u32 {
    vertex(i) | EDGE
}

/// The id of face `i`.
pub(crate) fn face(i: u32) -> u32 {
    vertex(i) | FACE
}

/// What an id names.
pub(crate) fn kind(id: u32) -> super::Kind {
    match id & (EDGE | FACE) {
        0 => super::Kind::Vertex,
        EDGE => super::Kind::Edge,
        _ => super::Kind::Face,
    }
}

/// Vertices come before edges and faces when duplicates are merged.
pub(crate) fn is_vertex(id: u32) -> bool {
    id & (EDGE | FACE) == 0
}

/// A polygon (in order around it), a segment or a point.
#[derive(Debug, Default)]
pub(crate) struct Feature {
    pub(crate) points: Vec<Vec3>,
    pub(crate) vertex_ids: Vec<u32>,
    /// `edge_ids[i]` names the edge from point `i` to point `i + 1`.
    pub(crate) edge_ids: Vec<u32>,
    pub(crate) face_id: u32,
    /// Plane normal; zero unless the feature is a polygon.
    pub(crate) normal: Vec3,
    /// Centre and radius if the polygon stands for a disc.
    pub(crate) disc: Option<(Vec3, f64)>,
}

impl Feature {
    fn clear(&mut self) {
        self.points.clear();
        self.vertex_ids.clear();
        self.edge_ids.clear();
        self.face_id = face(0);
        self.normal = Vec3::ZERO;
        self.disc = None;
    }

    fn push(&mut self, point: Vec3, vertex_id: u32, edge_id: u32) {
        self.points.push(point);
        self.vertex_ids.push(vertex(vertex_id));
        self.edge_ids.push(edge(edge_id));
    }

    /// Radius of the ball that sweeps the feature of a shape to its surface; none for rims
    /// and cones, whose points roll.
    pub(crate) fn round(&self, shape: &Convex) -> Option<f64> {
        match shape.core {
            Core::Cylinder { radius, .. } if self.points.len() == 2 => Some(radius),
            Core::Cylinder { .. } | Core::Cone { .. } => None,
            _ => Some(shape.radius),
        }
    }

    /// Moves the feature by `pose`.
    pub(crate) fn transform(&mut self, pose: &Pose) {
        for p in &mut self.points {
            *p = pose.transform_point(*p);
        }
        self.normal = pose.transform_vector(self.normal);
        self.disc = self.disc.map(|(c, r)| (pose.transform_point(c), r));
    }

    /// Replaces the feature by what `shape` shows towards the unit vector `n`.
    pub(crate) fn set_support(&mut self, shape: &Convex, n: Vec3) {
        self.clear();
        match &shape.core {
            Core::Point => self.push(Vec3::ZERO, 0, 0),
            Core::Segment { half } => self.set_axis(*half, n),
            Core::Box { half } => self.set_box_face(*half, n),
            Core::Cylinder { half, radius } => self.set_cylinder(*half, *radius, n),
            Core::Cone { half, radius } => self.set_cone(*half, *radius, n),
            Core::Hull(hull) => {
                let f = hull.support_face(n, 1e-6 * shape.size);
                self.normal = hull.faces[f].normal;
                self.face_id = face(f as u32);
                let ids = &hull.faces[f].loop_;
                for (i, &v) in ids.iter().enumerate() {
                    let w = ids[(i + 1) % ids.len()];
                    self.push(hull.points[v as usize], v, edge_name(v, w));
                }
            }
            Core::Triangle(t) => {
                self.normal = t.normal;
                for i in 0..3 {
                    self.push(t.vertices[i], t.vertex_ids[i], t.edge_ids[i]);
                }
                self.drop_edge_on_face(n);
                for i in (0..3).filter(|&i| self.points.len() == 3 && t.is_inner_edge(i)) {
                    self.edge_ids[i] = INNER;
                }
            }
        }
    }

    /// Replaces the feature by the edge of direction number `direction` that
    /// lies farthest along `n`.
    pub(crate) fn set_support_edge(&mut self, shape: &Convex, n: Vec3, direction: usize) {
        self.clear();
        match &shape.core {
            Core::Box { half } => {
                let mut a =
                    Vec3::new(half.x.copysign(n.x), half.y.copysign(n.y), half.z.copysign(n.z));
                let mut b = a;
                a[direction] = -half[direction];
                b[direction] = half[direction];
                let (v, w) = (corner_id(a), corner_id(b));
                self.push(a, v, edge_name(v, w));
                self.push(b, w, edge_name(v, w));
            }
            Core::Hull(hull) => {
                let [v, w] = hull.support_edge(n, direction as u32);
                self.push(hull.points[v as usize], v, edge_name(v, w));
                self.push(hull.points[w as usize], w, edge_name(v, w));
            }
            Core::Triangle(t) => {
                let j = (direction + 1) % 3;
                self.push(t.vertices[direction], t.vertex_ids[direction], t.edge_ids[direction]);
                self.push(t.vertices[j], t.vertex_ids[j], t.edge_ids[direction]);
            }
            _ => self.set_support(shape, n),
        }
    }

    /// A segment that points along `n` shows only its end.
    fn set_axis(&mut self, half: f64, n: Vec3) {
        if n.z < 0.7 {
            self.push(Vec3::new(0.0, 0.0, -half), 0, 0);
        }
        if n.z > -0.7 {
            self.push(Vec3::new(0.0, 0.0, half), 1, 0);
        }
    }

    fn set_box_face(&mut self, half: Vec3, n: Vec3) {
        let m = n.abs();
        // Ties go to z, then y: the same choice for any tiny perturbation is
        // impossible, but faces that tie share the edge that touches.
        let k = if m.z >= m.y && m.z >= m.x {
            2
        } else if m.y >= m.x {
            1
        } else {
            0
        };
        let sign = 1f64.copysign(n[k]);
        self.face_id = face(2 * k as u32 + u32::from(sign > 0.0));
        self.normal[k] = sign;
        let corner = |s: f64, t: f64| {
            let signs = match k {
                0 => Vec3::new(sign, s, t),
                1 => Vec3::new(t, sign, s),
                _ => Vec3::new(s, t, sign),
            };
            signs * half
        };
        let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        for (c, &p) in corners.iter().enumerate() {
            let (v, w) = (corner_id(p), corner_id(corners[(c + 1) % 4]));
            self.push(p, v, edge_name(v, w));
        }
    }

    fn set_cylinder(&mut self, half: f64, radius: f64, n: Vec3) {
        let side = n.x.hypot(n.y);
        if n.z.abs() >= side {
            self.set_disc(half.copysign(n.z), radius, n);
            return;
        }
        let (x, y) = (radius * n.x / side, radius * n.y / side);
        // The ends carry the names of the rolling rim points they coincide
        // with, so that a falling coin keeps its lowest contact.
        self.push(Vec3::new(x, y, -half), ROLLING, 64);
        self.push(Vec3::new(x, y, half), ROLLING + 8, 64);
    }

    fn set_cone(&mut self, half: f64, radius: f64, n: Vec3) {
        let side = n.x.hypot(n.y);
        // Normal of the slant line towards n, in the plane of n and the axis.
        let slant = (2.0 * half).hypot(radius);
        let towards_slant = (side * 2.0 * half + n.z * radius) / slant;
        if -n.z >= towards_slant {
            self.set_disc(-half, radius, n);
            return;
        }
        let (x, y) = if side > 0.0 { (n.x / side, n.y / side) } else { (1.0, 0.0) };
        self.push(Vec3::new(radius * x, radius * y, -half), ROLLING, 64);
        self.push(Vec3::new(0.0, 0.0, half), APEX, 64);
    }

    fn set_disc(&mut self, z: f64, radius: f64, n: Vec3) {
        let cap = if z > 0.0 { 8 } else { 0 };
        let side = n.x.hypot(n.y);
        let rolling = side >= RIM_TILT;
        let start = if rolling { n.y.atan2(n.x) } else { 0.0 };
        let first = cap + if rolling { ROLLING } else { 0 };
        self.normal = Vec3::new(0.0, 0.0, 1f64.copysign(z));
        self.face_id = face(cap);
        self.disc = Some((Vec3::new(0.0, 0.0, z), radius));
        for k in 0..RIM {
            let (s, c) = (start + k as f64 * std::f64::consts::TAU / RIM as f64).sin_cos();
            let id = first + k as u32;
            self.push(Vec3::new(radius * c, radius * s, z), id, id);
        }
    }

    /// A triangle seen almost edge-on is the edge (or corner) it shows: its
    /// plane says nothing about heights along `n`.
    fn drop_edge_on_face(&mut self, n: Vec3) {
        if self.normal.dot(n).abs() > 0.1 {
            return;
        }
        self.normal = Vec3::ZERO;
        let lowest =
            (0..3).min_by(|&i, &j| self.points[i].dot(n).total_cmp(&self.points[j].dot(n)));
        if let Some(i) = lowest {
            // The edge opposite the lowest vertex starts at its successor.
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (p, q, e) = (self.points[j], self.points[k], self.edge_ids[j]);
            let (v, w) = (self.vertex_ids[j], self.vertex_ids[k]);
            self.points.clear();
            self.vertex_ids.clear();
            self.edge_ids.clear();
            self.push(p, v, e);
            self.push(q, w, e);
        }
    }
}

fn corner_id(p: Vec3) -> u32 {
    u32::from(p.x > 0.0) | u32::from(p.y > 0.0) << 1 | u32::from(p.z > 0.0) << 2
}

/// One name for an edge, whichever end is named first.
fn edge_name(a: u32, b: u32) -> u32 {
    (a.min(b) & 0x7fff) << 15 | (a.max(b) & 0x7fff)
}
