//! Triangle meshes prepared for contact: adjacency, edge limits, flat patches.
//!
//! Triangles that share an edge and a plane belong to one patch; contact keys
//! name the patch, so that they survive when a corner slides from one
//! triangle to the next.

use super::triangle::{FLAT_ANGLE, Triangle};
use crate::math::Vec3;
use parry3d_f64::bounding_volume::Aabb;
use std::collections::BTreeMap;
use taut_sdf::{Bounds, Bvh, Field, Surface};

/// A mesh with a search tree over its triangles.
#[derive(Debug)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) patches: Vec<u32>,
    /// Centres and radii of balls around the triangles.
    pub(crate) balls: Vec<(Vec3, f64)>,
    /// Which corners (bits 1, 2, 4) and edges (8, 16, 32) a triangle has that no earlier one has.
    pub(crate) owned: Vec<u8>,
    /// The solid that it bounds, where contacts need to know what is inside.
    pub(crate) surface: Option<Box<Surface>>,
    /// Radius of the ball that fits into its thinner parts; a guess for what is not known to be a solid.
    pub(crate) inner: f64,
    pub(crate) tree: Bvh,
    /// For each vertex those at the other ends of its edges: where its list begins, and the lists.
    neighbours: (Vec<u32>, Vec<u32>),
}

impl Mesh {
    /// Prepares a mesh whose indices are known to be valid and whose
    /// triangles have an area. `solid`: what is behind them is inside.
    pub(crate) fn new(vertices: Vec<Vec3>, indices: &[[u32; 3]], solid: bool) -> Self {
        let mut triangles: Vec<Triangle> =
            indices.iter().map(|&ids| plain_triangle(&vertices, ids, solid)).collect();
        let patches = link(&mut triangles);
        let boxes: Vec<Bounds> =
            triangles.iter().map(|t| Bounds::of(&t.vertices.map(|p| p.to_array()))).collect();
        let tree = Bvh::new(&boxes);
        let Bounds { lo, hi } = tree.bounds();
        let inner = 0.125 * (Vec3::from(hi) - Vec3::from(lo)).min_element();
        Self {
            balls: triangles.iter().map(|t| (t.centre(), t.size())).collect(),
            owned: owners(&triangles, vertices.len()),
            neighbours: neighbours(&triangles, vertices.len()),
            vertices,
            triangles,
            patches,
            surface: None,
            inner,
            tree,
        }
    }

    /// The mesh of a solid, with its distance field.
    pub(crate) fn solid(surface: Surface) -> Self {
        let vertices = surface.vertices().iter().map(|v| Vec3::from(*v)).collect();
        let mut mesh = Self::new(vertices, surface.triangles(), true);
        mesh.inner = thickness(&surface);
        mesh.surface = Some(Box::new(surface));
        mesh
    }

    /// Ways along the edges of a vertex.
    fn edges_of(&self, vertex: u32) -> impl Iterator<Item = Vec3> {
        let (starts, list) = &self.neighbours;
        let from = self.vertices[vertex as usize];
        let ends = starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize;
        list[ends].iter().map(move |&v| self.vertices[v as usize] - from)
    }

    /// Whether an edge of a vertex leads behind the plane with a normal through it.
    pub(crate) fn leads_behind(&self, vertex: u32, normal: Vec3) -> bool {
        self.edges_of(vertex).any(|e| e.dot(normal) < -BEHIND * e.length())
    }

    /// The mean direction of the edges of a vertex.
    pub(crate) fn inward(&self, vertex: u32) -> Vec3 {
        self.edges_of(vertex).map(|e| e.normalize_or_zero()).sum()
    }

    /// Appends the triangles that meet `aabb` to `out`, in ascending order.
    pub(crate) fn query(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        let first = out.len();
        let bounds = Bounds { lo: aabb.mins.to_array(), hi: aabb.maxs.to_array() };
        self.tree.meeting(&bounds, |i| {
            let t = &self.triangles[i as usize];
            if Bounds::of(&t.vertices.map(|p| p.to_array())).meets(&bounds) {
                out.push(i);
            }
        });
        out[first..].sort_unstable();
    }
}

/// Sine of the angle below a plane at which an edge leads behind it.
const BEHIND: f64 = 1e-3;

/// Triangles below whose middles is looked.
const SAMPLES: usize = 256;

/// Radius of the balls that fit in below the surface: a tenth of its area has less below it. (A tenth of its triangles is another
/// thing: a star 10 cm thick with slender triangles at its tips had 2.7 mm, and deeper contacts than that were none.)
fn thickness(surface: &Surface) -> f64 {
    let [lo, hi] = surface.bounds().map(Vec3::from);
    let count = surface.triangles().len();
    let mut balls = Vec::new();
    for i in (0..count).step_by(count.div_ceil(SAMPLES)) {
        let [a, b, c] = surface.corners(i as u32).map(Vec3::from);
        let cross = (b - a).cross(c - a);
        let (n, middle) = (cross.normalize_or_zero(), (a + b + c) / 3.0);
        let mut radius = 0.5 * (hi - lo).min_element();
        let fits = |r: f64| -surface.distance((middle - r * n).to_array()) >= 0.99 * r;
        while radius > 1e-6 * (hi - lo).max_element() && !fits(radius) {
            radius *= 0.85;
        }
        balls.push((radius, cross.length()));
    }
    balls.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut left = 0.1 * balls.iter().map(|b| b.1).sum::<f64>();
    let enough = balls.iter().find(|b| {
        left -= b.1;
        left < 0.0
    });
    enough.map_or(0.0, |b| b.0)
}

/// The first triangle of each vertex and of each edge.
fn owners(triangles: &[Triangle], count: usize) -> Vec<u8> {
    let mut vertices = vec![false; count];
    let mut edges = vec![false; 3 * triangles.len()];
    let mut owned = Vec::with_capacity(triangles.len());
    for t in triangles {
        let mut bits = 0;
        for k in 0..3 {
            if !std::mem::replace(&mut vertices[t.vertex_ids[k] as usize], true) {
                bits |= 1 << k;
            }
            if !std::mem::replace(&mut edges[t.edge_ids[k] as usize], true) {
                bits |= 8 << k;
            }
        }
        owned.push(bits);
    }
    owned
}

/// For each vertex the other ends of its edges.
fn neighbours(triangles: &[Triangle], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|t| [0, 1, 2].map(|k| [t.vertex_ids[k], t.vertex_ids[(k + 1) % 3]]))
        .flat_map(|[a, b]| [[a, b], [b, a]])
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let starts = (0..=count as u32).map(|v| pairs.partition_point(|p| p[0] < v) as u32).collect();
    (starts, pairs.iter().map(|p| p[1]).collect())
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
