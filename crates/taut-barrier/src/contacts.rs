//! Which features may touch, and whether any do.
//!
//! Bodies whose boxes meet on the way of a step are looked at: trees over what faces and edges sweep within both boxes give pairs of vertices and
//! faces and of edges that may come nearer to one another than d̂. *Cost*: the square of the number of bodies (comparing boxes), n log n for
//! their triangles in common boxes, and the pairs found. Pairs are in a fixed order.

use std::collections::BTreeMap;
use std::ops::Range;

use taut_ccd::Kind;
use taut_sdf::{Bounds, Bvh};

use crate::barrier::barrier;
use crate::body::Body;
use crate::distance::Closest;
use crate::error::number;
use crate::exact;
use crate::plane;
use crate::stencil::{self, Potential, parallel_threshold};
use crate::system::{Plane, System};
use crate::vector::{Vec3, dot, sub};
use crate::{BodyId, Error};

/// Features that may touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub kind: Kind,
    /// Vertices, in the order of [`taut_ccd::Query`].
    pub corners: [u32; 4],
    pub threshold: f64,
    pub friction: f64,
    /// A vertex over the plane with this normal through the second corner.
    pub plane: Option<Vec3>,
    /// Factor on κ.
    pub weight: f64,
}

impl Pair {
    /// Its corners, of all places.
    pub fn of(&self, places: &[Vec3]) -> [Vec3; 4] {
        self.corners.map(|c| places[c as usize])
    }

    /// The shortest way between its features.
    pub fn closest(&self, places: &[Vec3]) -> Closest {
        match self.plane {
            Some(normal) => Closest::to_plane(&self.of(places), normal),
            None => Closest::new(self.kind, &self.of(places)),
        }
    }

    /// The barrier's value \[m⁴\], without κ.
    pub fn value(&self, places: &[Vec3], reach: f64) -> f64 {
        let x = self.of(places);
        let value = match self.plane {
            Some(normal) => barrier(plane::height(&x, normal).powi(2), reach * reach)[0],
            None => stencil::value(self.kind, &x, reach, self.threshold),
        };
        self.weight * value
    }

    /// The same with derivatives.
    pub fn potential(&self, places: &[Vec3], reach: f64, projected: bool) -> Potential {
        let x = self.of(places);
        let mut found = match self.plane {
            Some(normal) => plane::potential(&x, normal, reach, projected),
            None => stencil::potential(self.kind, &x, reach, self.threshold, projected),
        };
        if self.weight != 1.0 {
            found.value *= self.weight;
            found.gradient.iter_mut().for_each(|g| *g *= self.weight);
            found.hessian.iter_mut().flatten().for_each(|h| *h *= self.weight);
        }
        found
    }
}

/// An edge that passes through a triangle, a vertex in a half-space, or a body within another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// The body of the edge or vertex, and the other one.
    pub bodies: [BodyId; 2],
    /// An end of the edge, or the vertex \[m\].
    pub near: Vec3,
}

/// Two bodies, the smaller number first, and how far they are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// Their least distance \[m\].
    pub distance: f64,
}

/// Where vertices start and end, and half of d̂.
struct Swept<'a> {
    start: &'a [Vec3],
    end: &'a [Vec3],
    reach: f64,
}

impl Swept<'_> {
    /// The box around what at most three vertices sweep.
    fn of(&self, vertices: &[u32]) -> Bounds {
        let mut points = [[0.0; 3]; 6];
        for (k, &v) in vertices.iter().enumerate() {
            (points[2 * k], points[2 * k + 1]) = (self.start[v as usize], self.end[v as usize]);
        }
        loose(&points[..2 * vertices.len()], self.reach)
    }
}

/// Boxes of some features of a body, and a tree over them.
struct Boxes {
    names: Vec<u32>,
    boxes: Vec<Bounds>,
    tree: Bvh,
    common: Bounds,
}

impl Boxes {
    /// Those of a range that meet a box.
    fn new(range: Range<usize>, common: &Bounds, of: impl Fn(usize) -> Bounds) -> Self {
        let met = range.map(|i| (i as u32, of(i))).filter(|(_, b)| b.meets(common));
        let (names, boxes): (Vec<u32>, Vec<Bounds>) = met.unzip();
        let tree = Bvh::new(&boxes);
        Self { names, boxes, tree, common: *common }
    }

    /// Calls `found` with all that meet a box, in ascending order.
    fn visit(&self, bounds: &Bounds, mut found: impl FnMut(u32)) {
        if self.names.is_empty() || !bounds.meets(&self.common) {
            return;
        }
        let mut met = Vec::new();
        self.tree.meeting(bounds, |i| {
            if self.boxes[i as usize].meets(bounds) {
                met.push(self.names[i as usize]);
            }
        });
        met.sort_unstable();
        met.into_iter().for_each(&mut found);
    }
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
    pub(crate) fn may_touch(&self, a: u32, b: u32) -> bool {
        let stiff = |i: u32| self.bodies[i as usize].is_stiff();
        let moves = |i: u32| self.bodies[i as usize].nodes > 0;
        if a == b { !stiff(a) } else { (moves(a) || moves(b)) && self.pair(a, b) != Some(None) }
    }

    /// All pairs that may come within d̂ between two placements.
    pub(crate) fn find_pairs(&self, start: &[Vec3], end: &[Vec3], pairs: &mut Vec<Pair>) {
        self.find_pairs_within(self.settings.reach, start, end, pairs);
    }

    /// The same for another reach than d̂ \[m\].
    fn find_pairs_within(&self, reach: f64, start: &[Vec3], end: &[Vec3], pairs: &mut Vec<Pair>) {
        pairs.clear();
        let swept = Swept { start, end, reach: 0.5 * reach * (1.0 + 1e-9) };
        let whole = |b: &Body| {
            let range = b.first_vertex..b.first_vertex + b.vertices;
            let points = [&start[range.clone()], &end[range]].concat();
            loose(&points, swept.reach)
        };
        let bounds: Vec<Bounds> = self.bodies.iter().map(whole).collect();
        for a in 0..self.bodies.len() {
            for b in a..self.bodies.len() {
                if self.may_touch(a as u32, b as u32) && bounds[a].meets(&bounds[b]) {
                    let common = Bounds {
                        lo: [0, 1, 2].map(|k| bounds[a].lo[k].max(bounds[b].lo[k])),
                        hi: [0, 1, 2].map(|k| bounds[a].hi[k].min(bounds[b].hi[k])),
                    };
                    self.pairs_of(a, b, &common, &swept, pairs);
                }
            }
        }
        for plane in &self.planes {
            self.pairs_with(plane, &swept, pairs);
        }
    }

    /// Vertices that may come within d̂ of a plane.
    fn pairs_with(&self, plane: &Plane, swept: &Swept, pairs: &mut Vec<Pair>) {
        let (point, normal) = (self.rest[plane.corner as usize], plane.normal);
        for (b, body) in self.bodies.iter().enumerate() {
            if body.nodes == 0 || self.pair(plane.body, b as u32) == Some(None) {
                continue;
            }
            let friction = self.friction(plane.body, b as u32);
            for v in self.outside(b) {
                let at = |places: &[Vec3]| dot(normal, sub(places[v as usize], point));
                if at(swept.start).min(at(swept.end)) < 2.0 * swept.reach {
                    let corners = [v, plane.corner, plane.corner, plane.corner];
                    let (kind, plane) = (Kind::VertexFace, Some(normal));
                    let pair = Pair { kind, corners, threshold: 0.0, friction, plane, weight: 1.0 };
                    pairs.push(pair);
                }
            }
        }
    }

    /// Different bodies that are less than `reach` \[m\] apart, each pair once, with its least distance. What starts nearer than d̂ is pushed apart: barriers
    /// hold energy there.
    pub fn near(&self, reach: f64) -> Result<Vec<Near>, Error> {
        number("reach", reach, "more than 0 m", |r| r > 0.0)?;
        let (mut places, mut pairs) = (Vec::new(), Vec::new());
        self.place_all(&self.q, &mut places);
        self.find_pairs_within(reach, &places, &places, &mut pairs);
        let mut found: BTreeMap<[BodyId; 2], f64> = BTreeMap::new();
        for pair in &pairs {
            let [a, b] = self.owners(pair);
            let distance = pair.closest(&places).squared.sqrt();
            if a != b && distance < reach {
                let least = found.entry([a.min(b), a.max(b)]).or_insert(distance);
                *least = least.min(distance);
            }
        }
        Ok(found.into_iter().map(|(bodies, distance)| Near { bodies, distance }).collect())
    }

    /// The bodies of a pair.
    pub(crate) fn owners(&self, pair: &Pair) -> [BodyId; 2] {
        let last = if pair.kind == Kind::VertexFace { 1 } else { 2 };
        [0, last].map(|k| self.owner(pair.corners[k]) as usize)
    }

    /// Vertices of a body that its triangles have.
    pub(crate) fn outside(&self, body: usize) -> impl Iterator<Item = u32> + '_ {
        let body = &self.bodies[body];
        (body.first_vertex as u32..(body.first_vertex + body.vertices) as u32)
            .filter(|&v| self.vertices[v as usize].is_outside)
    }

    /// A vertex on or below a half-space, if there is one.
    fn below(&self, places: &[Vec3]) -> Option<Intersection> {
        for plane in &self.planes {
            let point = self.rest[plane.corner as usize];
            for (b, body) in self.bodies.iter().enumerate() {
                if body.nodes == 0 || self.pair(plane.body, b as u32) == Some(None) {
                    continue;
                }
                let height = |v: u32| dot(plane.normal, sub(places[v as usize], point));
                if let Some(v) = self.outside(b).find(|&v| height(v) <= 0.0) {
                    let bodies = [b, plane.body as usize];
                    return Some(Intersection { bodies, near: places[v as usize] });
                }
            }
        }
        None
    }

    /// Those of two bodies, whose boxes have `common` in common.
    fn pairs_of(&self, a: usize, b: usize, common: &Bounds, swept: &Swept, pairs: &mut Vec<Pair>) {
        let friction = self.friction(a as u32, b as u32);
        for (a, b) in if a == b { vec![(a, b)] } else { vec![(a, b), (b, a)] } {
            let faces =
                Boxes::new(self.bodies[b].faces.clone(), common, |f| swept.of(&self.faces[f]));
            for v in self.outside(a) {
                faces.visit(&swept.of(&[v]), |f| {
                    let [x, y, z] = self.faces[f as usize];
                    if ![x, y, z].contains(&v) {
                        let corners = [v, x, y, z];
                        pairs.push(Pair {
                            kind: Kind::VertexFace,
                            corners,
                            threshold: 0.0,
                            friction,
                            plane: None,
                            weight: 1.0,
                        });
                    }
                });
            }
        }
        let edges = Boxes::new(self.bodies[b].edges.clone(), common, |e| swept.of(&self.edges[e]));
        for e in self.bodies[a].edges.clone() {
            let [x, y] = self.edges[e];
            edges.visit(&swept.of(&[x, y]), |f| {
                let [z, w] = self.edges[f as usize];
                if (a != b || f as usize > e) && ![z, w].contains(&x) && ![z, w].contains(&y) {
                    let corners = [x, y, z, w];
                    let threshold = parallel_threshold(&corners.map(|v| self.rest[v as usize]));
                    let (kind, plane) = (Kind::EdgeEdge, None);
                    pairs.push(Pair { kind, corners, threshold, friction, plane, weight: 1.0 });
                }
            });
        }
    }

    /// An edge that meets a triangle, or a vertex that is not above a half-space, if there is one; the first is decided without rounding, for the places
    /// of vertices as numbers.
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
                let bodies =
                    [self.owner(a) as usize, self.owner(self.faces[f as usize][0]) as usize];
                return Some(Intersection { bodies, near: of(a) });
            }
        }
        self.below(&places)
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
        if let Some(Intersection { bodies: [a, b], near }) = self.within(&places) {
            return Err(Error::Intersecting { a: name(a), b: name(b), near });
        }
        let mut pairs = Vec::new();
        self.find_pairs(&places, &places, &mut pairs);
        for pair in &pairs {
            let distance = pair.closest(&places).squared.sqrt();
            let [a, b] = self.owners(pair);
            if distance <= 0.0 {
                let near = places[pair.corners[0] as usize];
                return Err(Error::Intersecting { a: name(a), b: name(b), near });
            }
            let reach = self.settings.reach;
            if a == b && distance < reach {
                return Err(Error::Reach { reach, body: name(a), distance });
            }
        }
        self.is_checked = true;
        Ok(())
    }
}
