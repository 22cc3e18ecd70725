//! Triangle meshes prepared for contact: adjacency, edge limits, flat patches.
//!
//! Triangles that share an edge and a plane belong to one patch; contact keys
//! name the patch, so that they survive when a corner slides from one
//! triangle to the next.

use super::sdf::Solid;
use super::triangle::{FLAT_ANGLE, Triangle};
use crate::math::Vec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use std::collections::BTreeMap;

/// A mesh with a search tree over its triangles.
#[derive(Debug)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) patches: Vec<u32>,
    /// What it bounds, if contacts with other such solids are to go by its field.
    pub(crate) solid: Option<Box<Solid>>,
    bvh: Bvh,
}

impl Mesh {
    /// Prepares a mesh whose indices are known to be valid and whose
    /// triangles have an area. `solid`: what is behind them is inside.
    pub(crate) fn new(vertices: Vec<Vec3>, indices: &[[u32; 3]], solid: bool) -> Self {
        let mut triangles: Vec<Triangle> =
            indices.iter().map(|&ids| plain_triangle(&vertices, ids, solid)).collect();
        let patches = link(&mut triangles);
        let boxes: Vec<Aabb> = triangles.iter().map(bounds).collect();
        Self {
            bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            vertices,
            triangles,
            patches,
            solid: None,
        }
    }

    /// The box around all triangles.
    pub(crate) fn bounds(&self) -> Aabb {
        self.bvh.root_aabb()
    }

    /// Appends the triangles that meet `aabb` to `out`, in ascending order.
    pub(crate) fn query(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        let first = out.len();
        out.extend(self.bvh.intersect_aabb(aabb));
        out[first..].sort_unstable();
    }
}

/// The box around a triangle.
pub(crate) fn bounds(t: &Triangle) -> Aabb {
    let [a, b, c] = t.vertices;
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

fn plain_triangle(vertices: &[Vec3], ids: [u32; 3], solid: bool) -> Triangle {
    let [a, b, c] = ids.map(|i| vertices[i as usize]);
    Triangle {
        vertices: [a, b, c],
        normal: (b - a).cross(c - a).normalize_or_zero(),
        solid,
        vertex_ids: ids,
        edge_ids: [0; 3],
        edge_limits: [f64::INFINITY; 3],
    }
}

/// The two sides of an edge met so far: triangle and edge number within it.
type Sides = Vec<(u32, usize)>;

/// Fills in edge ids and limits, and returns the patch of every triangle.
fn link(triangles: &mut [Triangle]) -> Vec<u32> {
    let mut edges: BTreeMap<[u32; 2], Sides> = BTreeMap::new();
    for (t, triangle) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (triangle.vertex_ids[i], triangle.vertex_ids[(i + 1) % 3]);
            edges.entry([a.min(b), a.max(b)]).or_default().push((t as u32, i));
        }
    }
    let mut patches: Vec<u32> = (0..triangles.len() as u32).collect();
    for (id, sides) in edges.values().enumerate() {
        for &(t, i) in sides {
            triangles[t as usize].edge_ids[i] = id as u32;
        }
        // An edge of three or more faces has no defined neighbour: leave it
        // unlimited, like a border.
        let &[(s, i), (t, j)] = sides.as_slice() else {
            continue;
        };
        let angle = signed_dihedral(&triangles[s as usize], i, &triangles[t as usize], j);
        triangles[s as usize].edge_limits[i] = angle;
        triangles[t as usize].edge_limits[j] = angle;
        if angle.abs() < FLAT_ANGLE {
            join(&mut patches, s, t);
        }
    }
    for t in 0..patches.len() as u32 {
        patches[t as usize] = root(&patches, t);
    }
    patches
}

/// The angle between two faces at a shared edge: positive for a ridge,
/// negative for a hollow, infinite if the faces are wound against each other.
fn signed_dihedral(s: &Triangle, i: usize, t: &Triangle, j: usize) -> f64 {
    if s.vertex_ids[i] == t.vertex_ids[j] {
        return f64::INFINITY;
    }
    let edge = s.edge_direction(i);
    let turn = s.normal.cross(t.normal).dot(edge);
    turn.atan2(s.normal.dot(t.normal))
}

fn root(parents: &[u32], mut t: u32) -> u32 {
    while parents[t as usize] != t {
        t = parents[t as usize];
    }
    t
}

fn join(parents: &mut [u32], s: u32, t: u32) {
    let (s, t) = (root(parents, s), root(parents, t));
    parents[s.max(t) as usize] = s.min(t);
}
