//! Which features may touch, and whether any do.
//!
//! A tree of boxes over what faces and edges sweep in a step gives pairs of vertices and faces and of edges that may come nearer to one another
//! than d̂ on the way. *Cost*: n log n for n triangles, and the pairs found. Pairs are in a fixed order.

use taut_ccd::Kind;
use taut_sdf::{Bounds, Bvh};

use crate::distance::Closest;
use crate::exact;
use crate::stencil::parallel_threshold;
use crate::system::System;
use crate::vector::Vec3;
use crate::{BodyId, Error};

/// Features that may touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub kind: Kind,
    /// Vertices, in the order of [`taut_ccd::Query`].
    pub corners: [u32; 4],
    pub threshold: f64,
    pub friction: f64,
}

impl Pair {
    /// Its corners, of all places.
    pub fn of(&self, places: &[Vec3]) -> [Vec3; 4] {
        self.corners.map(|c| places[c as usize])
    }
}

/// An edge that passes through a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// The body of the edge, and that of the triangle.
    pub bodies: [BodyId; 2],
    /// An end of the edge \[m\].
    pub near: Vec3,
}

/// The box around points, wider by `reach`.
fn loose(points: &[Vec3], reach: f64) -> Bounds {
    let bounds = Bounds::of(points);
    Bounds { lo: bounds.lo.map(|x| x - reach), hi: bounds.hi.map(|x| x + reach) }
}

impl System {
    fn owner(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize].body
    }

    /// Whether two bodies, or one of them itself, may touch.
    fn may_touch(&self, a: u32, b: u32) -> bool {
        let stiff = |i: u32| self.bodies[i as usize].is_stiff();
        let moves = |i: u32| self.bodies[i as usize].nodes > 0;
        if a == b { !stiff(a) } else { moves(a) || moves(b) }
    }

    /// All pairs that may come within d̂ between two placements.
    pub(crate) fn find_pairs(&self, start: &[Vec3], end: &[Vec3], pairs: &mut Vec<Pair>) {
        pairs.clear();
        let reach = self.settings.reach * (1.0 + 1e-9);
        let swept = |vertices: &[u32], by: f64| {
            let mut points = [[0.0; 3]; 6];
            for (k, &v) in vertices.iter().enumerate() {
                (points[2 * k], points[2 * k + 1]) = (start[v as usize], end[v as usize]);
            }
            loose(&points[..2 * vertices.len()], by)
        };
        let boxes: Vec<Bounds> = self.faces.iter().map(|f| swept(f, reach)).collect();
        let tree = Bvh::new(&boxes);
        let mut found = Vec::new();
        for v in (0..self.vertices.len() as u32).filter(|&v| self.vertices[v as usize].is_outside) {
            let bounds = swept(&[v], 0.0);
            found.clear();
            tree.meeting(&bounds, |f| {
                let face = self.faces[f as usize];
                let fits = self.may_touch(self.owner(v), self.owner(face[0]));
                if fits && !face.contains(&v) && boxes[f as usize].meets(&bounds) {
                    found.push(f);
                }
            });
            found.sort_unstable();
            for &f in &found {
                let [a, b, c] = self.faces[f as usize];
                let friction = self.friction(self.owner(v), self.owner(a));
                pairs.push(Pair { kind: Kind::VertexFace, corners: [v, a, b, c], threshold: 0.0, friction });
            }
        }
        let boxes: Vec<Bounds> = self.edges.iter().map(|e| swept(e, 0.5 * reach)).collect();
        let tree = Bvh::new(&boxes);
        for (i, &[a, b]) in self.edges.iter().enumerate() {
            found.clear();
            tree.meeting(&boxes[i], |j| {
                let other = self.edges[j as usize];
                let fits = (j as usize) > i && self.may_touch(self.owner(a), self.owner(other[0]));
                let shares = other.contains(&a) || other.contains(&b);
                if fits && !shares && boxes[j as usize].meets(&boxes[i]) {
                    found.push(j);
                }
            });
            found.sort_unstable();
            for &j in &found {
                let [c, d] = self.edges[j as usize];
                let corners = [a, b, c, d];
                let threshold = parallel_threshold(&corners.map(|v| self.rest[v as usize]));
                let friction = self.friction(self.owner(a), self.owner(c));
                pairs.push(Pair { kind: Kind::EdgeEdge, corners, threshold, friction });
            }
        }
    }

    /// An edge that meets a triangle, if there is one: decided without rounding, for the places of vertices as numbers.
    pub fn intersection(&self) -> Option<Intersection> {
        let mut places = Vec::new();
        self.place_all(&self.q, &mut places);
        let of = |v: u32| places[v as usize];
        let boxes: Vec<Bounds> = self.faces.iter().map(|f| Bounds::of(&f.map(of))).collect();
        let tree = Bvh::new(&boxes);
        for &[a, b] in &self.edges {
            let bounds = Bounds::of(&[of(a), of(b)]);
            let mut found: Option<u32> = None;
            tree.meeting(&bounds, |f| {
                let face = self.faces[f as usize];
                let fits = self.may_touch(self.owner(a), self.owner(face[0]));
                if fits
                    && found.is_none_or(|g| f < g)
                    && !face.contains(&a)
                    && !face.contains(&b)
                    && boxes[f as usize].meets(&bounds)
                    && exact::meet([of(a), of(b)], face.map(of))
                {
                    found = Some(f);
                }
            });
            if let Some(f) = found {
                let bodies = [self.owner(a) as usize, self.owner(self.faces[f as usize][0]) as usize];
                return Some(Intersection { bodies, near: of(a) });
            }
        }
        None
    }

    /// Refuses starts at which surfaces intersect or touch, and barriers that reach across features of soft bodies.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        if self.is_checked {
            return Ok(());
        }
        let name = |i: usize| self.bodies[i].name.clone();
        if let Some(Intersection { bodies: [a, b], near }) = self.intersection() {
            return Err(Error::Intersecting { a: name(a), b: name(b), near });
        }
        let mut places = Vec::new();
        self.place_all(&self.q, &mut places);
        let mut pairs = Vec::new();
        self.find_pairs(&places, &places, &mut pairs);
        for pair in &pairs {
            let distance = Closest::new(pair.kind, &pair.of(&places)).squared.sqrt();
            let last = if pair.kind == Kind::VertexFace { 1 } else { 2 };
            let (a, b) = (self.owner(pair.corners[0]), self.owner(pair.corners[last]));
            if distance <= 0.0 {
                let near = places[pair.corners[0] as usize];
                return Err(Error::Intersecting { a: name(a as usize), b: name(b as usize), near });
            }
            let reach = self.settings.reach;
            if a == b && distance < reach {
                return Err(Error::Reach { reach, body: name(a as usize), distance });
            }
        }
        self.is_checked = true;
        Ok(())
    }
}
