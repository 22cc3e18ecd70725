//! Faces, edges and vertices of a convex polytope.
//!
//! Built once from the hull of a point cloud; contact generation then needs
//! only face normals, edge directions and vertex loops.

use crate::math::Vec3;
use parry3d_f64::shape::ConvexPolyhedron;

/// A convex polytope with merged coplanar faces.
#[derive(Debug)]
pub(crate) struct Hull {
    pub(crate) points: Vec<Vec3>,
    pub(crate) faces: Vec<HullFace>,
    pub(crate) edges: Vec<HullEdge>,
    /// Edge directions, parallel ones counted once.
    pub(crate) directions: Vec<Vec3>,
    pub(crate) centre: Vec3,
}

/// One face: its outward normal and its vertices in order around it.
#[derive(Debug)]
pub(crate) struct HullFace {
    pub(crate) normal: Vec3,
    pub(crate) loop_: Vec<u32>,
}

/// One edge and the index of its direction in [`Hull::directions`].
#[derive(Debug)]
pub(crate) struct HullEdge {
    pub(crate) ends: [u32; 2],
    pub(crate) direction: u32,
}

impl Hull {
    pub(crate) fn new(polyhedron: &ConvexPolyhedron) -> Self {
        let points = polyhedron.points().to_vec();
        let loops = polyhedron.vertices_adj_to_face();
        let faces = polyhedron
            .faces()
            .iter()
            .map(|face| {
                let first = face.first_vertex_or_edge as usize;
                let count = face.num_vertices_or_edges as usize;
                HullFace { normal: face.normal, loop_: loops[first..first + count].to_vec() }
            })
            .collect::<Vec<_>>();
        let (edges, directions) = edges_of(&points, &faces);
        let centre = points.iter().sum::<Vec3>() / points.len() as f64;
        Self { points, faces, edges, directions, centre }
    }

    /// The vertex farthest along `direction`.
    pub(crate) fn support(&self, direction: Vec3) -> Vec3 {
        let mut best = self.points[0];
        let mut reach = best.dot(direction);
        for &p in &self.points[1..] {
            let r = p.dot(direction);
            if r > reach {
                (best, reach) = (p, r);
            }
        }
        best
    }

    /// The face best aligned with `direction` among those that touch the
    /// support plane. The best aligned face of all need not touch it: think
    /// of a long body standing on a corner.
    pub(crate) fn support_face(&self, direction: Vec3, tolerance: f64) -> usize {
        let reach = self.support(direction).dot(direction) - tolerance;
        let mut best = (0, f64::NEG_INFINITY);
        for (i, face) in self.faces.iter().enumerate() {
            let alignment = face.normal.dot(direction);
            let touches = |&v: &u32| self.points[v as usize].dot(direction) >= reach;
            if alignment > best.1 && face.loop_.iter().any(touches) {
                best = (i, alignment);
            }
        }
        best.0
    }

    /// The edge of a given direction that lies farthest along `normal`.
    pub(crate) fn support_edge(&self, normal: Vec3, direction: u32) -> [u32; 2] {
        let height = |e: &HullEdge| {
            let [a, b] = e.ends;
            (self.points[a as usize] + self.points[b as usize]).dot(normal)
        };
        let mut best = ([0, 0], f64::NEG_INFINITY);
        for edge in self.edges.iter().filter(|e| e.direction == direction) {
            let h = height(edge);
            if h > best.1 {
                best = (edge.ends, h);
            }
        }
        best.0
    }
}

fn edges_of(points: &[Vec3], faces: &[HullFace]) -> (Vec<HullEdge>, Vec<Vec3>) {
    let mut edges = Vec::new();
    let mut directions: Vec<Vec3> = Vec::new();
    for face in faces {
        for (i, &a) in face.loop_.iter().enumerate() {
            let b = face.loop_[(i + 1) % face.loop_.len()];
            // Every edge is met twice, once in each sense.
            if a > b {
                continue;
            }
            let d = (points[b as usize] - points[a as usize]).normalize_or_zero();
            let known = directions.iter().position(|e| e.cross(d).length() < 1e-9);
            let direction = known.unwrap_or_else(|| {
                directions.push(d);
                directions.len() - 1
            });
            edges.push(HullEdge { ends: [a, b], direction: direction as u32 });
        }
    }
    (edges, directions)
}
