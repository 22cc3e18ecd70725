//! Convex solids that a cable may lie on: balls, and polyhedra with their faces and neighbours.
//!
//! Made once of the shapes of a body. Cylinders and cones have `SIDES` sides and the same circumference; a capsule is a cylinder and
//! two balls. `over` finds the ways over a polyhedron.

use super::over::Ends;
use crate::collide::hull::Hull;
use crate::math::{Pose, Vec3};
use crate::shape::{Shape, convex_hull};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Sides of cylinders and cones: a circle is off by 0.04 % of its radius, and the ways around it by 0.1 % of what they wrap.
const SIDES: usize = 64;
/// A line that is deeper in a solid than this share of its size cuts it: rounding of poses and of crossings.
pub(super) const ROUNDING: f64 = 1e-9;
/// A point that is deeper than this share of the size is within it, and no cable leads there over the surface. (Contacts let things
/// sink in by far less.)
const WITHIN: f64 = 1e-2;

/// Angle between neighbouring points of a way over a ball \[rad\]; they are drawn, its length is exact.
const ARC: f64 = 0.2;

/// A convex solid, in the frame of its body.
#[derive(Debug)]
pub(crate) struct Solid {
    pub(super) form: Form,
    pub(crate) centre: Vec3,
    /// Distance of the farthest point from the centre, and of the nearest one of the surface \[m\].
    pub(crate) size: f64,
    pub(super) inner: f64,
    /// What it was made of.
    pub(crate) source: (Shape, Pose),
}

#[derive(Debug)]
pub(super) enum Form {
    Ball,
    Polyhedron(Polyhedron),
}

/// Corners, and faces that know their neighbours.
#[derive(Debug, Default)]
pub(super) struct Polyhedron {
    pub(super) points: Vec<Vec3>,
    pub(super) faces: Vec<Face>,
}

/// A face: outward normal, height of its plane over the origin, corners counter-clockwise as seen from outside, and the
/// face beyond the edge from each corner to the next.
#[derive(Debug)]
pub(super) struct Face {
    pub(super) normal: Vec3,
    pub(super) height: f64,
    pub(super) corners: Vec<u32>,
    pub(super) beyond: Vec<u32>,
}

impl Face {
    /// How far a point is above its plane \[m\].
    pub(super) fn above(&self, p: Vec3) -> f64 {
        self.normal.dot(p) - self.height
    }
}

/// How a cable lies on a solid, in the frame of its body.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfacePath {
    /// Where it comes to the surface, crosses edges, and leaves.
    pub(crate) points: Vec<Vec3>,
    /// Length on the surface \[m\].
    pub(crate) arc: f64,
    /// Angle by which it turns \[rad\].
    pub(crate) turn: f64,
}

impl Solid {
    /// The solids of a shape that cables may lie on; none if it is not convex, or made of such. Refuses one whose faces do not close.
    pub(crate) fn of(shape: &Shape, pose: Pose) -> Result<Vec<Arc<Solid>>, String> {
        let at = |z: f64| pose * Pose::from_translation(Vec3::Z * z);
        match shape {
            Shape::Ball { .. } => Ok(vec![Solid::ball(shape, pose)]),
            Shape::Capsule { half_length, radius } => {
                let ball = Shape::Ball { radius: *radius };
                let shaft = Shape::Cylinder { half_height: *half_length, radius: *radius };
                let mut list = Solid::of(&shaft, pose)?;
                list.extend([half_length, &-half_length].map(|&z| Solid::ball(&ball, at(z))));
                Ok(list)
            }
            Shape::Compound { parts } => {
                let mut list = Vec::new();
                for (own, part) in parts {
                    list.extend(Solid::of(part, pose * *own)?);
                }
                Ok(list)
            }
            _ => polyhedron(shape).into_iter().map(|p| Solid::faceted(shape, pose, p)).collect(),
        }
    }

    fn ball(shape: &Shape, pose: Pose) -> Arc<Solid> {
        let size = if let Shape::Ball { radius } = shape { *radius } else { 0.0 };
        let source = (shape.clone(), pose);
        Arc::new(Solid { form: Form::Ball, centre: pose.translation, size, inner: size, source })
    }

    fn faceted(
        shape: &Shape,
        pose: Pose,
        (points, loops): (Vec<Vec3>, Loops),
    ) -> Result<Arc<Solid>, String> {
        let points: Vec<Vec3> = points.iter().map(|&p| pose.transform_point(p)).collect();
        let centre = points.iter().sum::<Vec3>() / points.len() as f64;
        let faces = faces(&points, &loops)
            .ok_or("a hull whose faces do not close: one has an edge without a neighbour")?;
        let far = points.iter().map(|p| (*p - centre).length());
        let size = far.fold(0.0, f64::max);
        let inner = faces.iter().map(|f| -f.above(centre)).fold(f64::INFINITY, f64::min);
        let form = Form::Polyhedron(Polyhedron { points, faces });
        Ok(Arc::new(Solid { form, centre, size, inner, source: (shape.clone(), pose) }))
    }

    /// Depth of a line that is rounding \[m\].
    pub(super) fn rounding(&self) -> f64 {
        ROUNDING * self.size
    }

    fn ends<'a>(&self, body: &'a Polyhedron, a: Vec3, b: Vec3) -> Ends<'a> {
        Ends { body, a, b, rounding: self.rounding() }
    }

    /// The point itself, or the nearest of the surface if it is a little within; `None` where it is deeper.
    fn outside(&self, p: Vec3) -> Option<Vec3> {
        let deep = WITHIN * self.size;
        match &self.form {
            Form::Ball => {
                let d = (p - self.centre).length();
                if d < self.size - deep {
                    return None;
                }
                let least = self.size * (1.0 + ROUNDING);
                Some(if d < least { self.centre + (p - self.centre) * (least / d) } else { p })
            }
            Form::Polyhedron(body) => {
                let above = |f: &Face| (f.above(p), f.normal);
                let (h, n) = body.faces.iter().map(above).max_by(|a, b| a.0.total_cmp(&b.0))?;
                if h < -deep { None } else { Some(p - n * h.min(0.0)) }
            }
        }
    }

    /// Whether a point is so deep within that no cable leads there.
    pub(crate) fn holds(&self, p: Vec3) -> bool {
        self.outside(p).is_none()
    }

    /// Whether the straight line from a to b cuts it.
    pub(crate) fn is_cut(&self, a: Vec3, b: Vec3) -> bool {
        match &self.form {
            Form::Ball => self.arc_over(a, b, None).is_some(),
            Form::Polyhedron(body) => self.ends(body, a, b).entry_and_exit().is_some(),
        }
    }

    /// The shortest way around it from a to b of those that begin on different sides, and the faces that it leads over.
    pub(crate) fn around(&self, a: Vec3, b: Vec3, faces: &mut Vec<u32>) -> Option<SurfacePath> {
        faces.clear();
        let (a, b) = (self.outside(a)?, self.outside(b)?);
        match &self.form {
            Form::Ball => self.arc_over(a, b, None),
            Form::Polyhedron(body) => self.ends(body, a, b).around(faces),
        }
    }

    /// The way from a to b that follows from one over these faces: it comes to others and leaves some, and is `None` where it lifts
    /// off. `slips`: whether it may run over a corner, beyond which it is shorter.
    pub(crate) fn follow(
        &self,
        a: Vec3,
        b: Vec3,
        faces: &mut Vec<u32>,
        slips: bool,
    ) -> Option<SurfacePath> {
        let (a, b) = (self.outside(a)?, self.outside(b)?);
        match &self.form {
            Form::Ball => self.arc_over(a, b, None),
            Form::Polyhedron(body) => self.ends(body, a, b).follow(faces, slips),
        }
    }

    /// The way over a ball on the side on which the line came to it, even if the straight line is beyond it by now.
    pub(super) fn hold(&self, a: Vec3, b: Vec3, side: Vec3) -> Option<SurfacePath> {
        let (a, b) = (self.outside(a)?, self.outside(b)?);
        self.arc_over(a, b, Some(side))
    }

    /// Whether it is a ball, which has no faces by which a way could be followed.
    pub(super) fn is_ball(&self) -> bool {
        matches!(self.form, Form::Ball)
    }

    /// The arc of a great circle on a ball, if the straight line cuts it; on this side, if one is told, the long way round.
    fn arc_over(&self, a: Vec3, b: Vec3, side: Option<Vec3>) -> Option<SurfacePath> {
        let (p, q, r) = (a - self.centre, b - self.centre, self.size);
        let (da, db) = (p.length(), q.length());
        let e1 = p.try_normalize()?;
        let across = q - e1 * q.dot(e1);
        let mut e2 = across.try_normalize().unwrap_or_else(|| e1.any_orthonormal_vector());
        let mut whole = across.length().atan2(q.dot(e1));
        let middle = e1 * (0.5 * whole).cos() + e2 * (0.5 * whole).sin();
        if side.is_some_and(|s| s.dot(middle) < 0.0) {
            (e2, whole) = (-e2, TAU - whole);
        }
        let lead = |d: f64| (r / d.max(r)).acos();
        let (from, to) = (lead(da), whole - lead(db));
        let turn = to - from;
        if turn <= 0.0 {
            return None;
        }
        let steps = (turn / ARC).ceil() as usize;
        let at = |i: usize| {
            let angle = from + turn * i as f64 / steps as f64;
            self.centre + (e1 * angle.cos() + e2 * angle.sin()) * r
        };
        Some(SurfacePath { points: (0..=steps).map(at).collect(), arc: r * turn, turn })
    }

    /// Whether faces are some of it.
    pub(crate) fn has_faces(&self, faces: &[u32]) -> bool {
        match &self.form {
            Form::Ball => faces.is_empty(),
            Form::Polyhedron(body) => {
                let beside = |f: u32, g: u32| body.faces[f as usize].beyond.contains(&g);
                faces.iter().all(|&f| (f as usize) < body.faces.len())
                    && faces.windows(2).all(|w| beside(w[0], w[1]))
            }
        }
    }
}

type Loops = Vec<Vec<u32>>;

/// Corners of a convex shape, and those of each face.
fn polyhedron(shape: &Shape) -> Option<(Vec<Vec3>, Loops)> {
    match *shape {
        Shape::Box { half_extents: h } => {
            let base = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
            Some(prism(base.map(|(x, y)| (x * h.x, y * h.y)).to_vec(), h.z))
        }
        Shape::Cylinder { half_height, radius } => Some(prism(circle(radius), half_height)),
        Shape::Cone { half_height, radius } => {
            let mut points: Vec<Vec3> =
                circle(radius).iter().map(|&(x, y)| Vec3::new(x, y, -half_height)).collect();
            points.push(Vec3::Z * half_height);
            let n = SIDES as u32;
            let mut loops: Loops = (0..n).map(|i| vec![i, (i + 1) % n, n]).collect();
            loops.push((0..n).rev().collect());
            Some((points, loops))
        }
        Shape::ConvexHull { ref points } => {
            let hull = Hull::new(&convex_hull(points).ok()?);
            let loops = hull.faces.iter().map(|f| f.loop_.clone()).collect();
            Some((hull.points, loops))
        }
        _ => None,
    }
}

/// Corners of a polygon with the circumference of a circle, counter-clockwise.
fn circle(radius: f64) -> Vec<(f64, f64)> {
    let half = PI / SIDES as f64;
    let r = radius * half / half.sin();
    let at = |i: usize| {
        let (s, c) = (TAU * i as f64 / SIDES as f64).sin_cos();
        (r * c, r * s)
    };
    (0..SIDES).map(at).collect()
}

/// A prism of this height to both sides on a polygon, counter-clockwise as seen from +z.
fn prism(base: Vec<(f64, f64)>, half: f64) -> (Vec<Vec3>, Loops) {
    let n = base.len() as u32;
    let level = |z: f64| base.iter().map(move |&(x, y)| Vec3::new(x, y, z));
    let points = level(-half).chain(level(half)).collect();
    let side = |i: u32| vec![i, (i + 1) % n, n + (i + 1) % n, n + i];
    let mut loops: Loops = (0..n).map(side).collect();
    loops.push((0..n).rev().collect());
    loops.push((n..2 * n).collect());
    (points, loops)
}

/// The faces of these loops; `None` if an edge has no neighbour.
fn faces(points: &[Vec3], loops: &Loops) -> Option<Vec<Face>> {
    let edge = |list: &[u32], i: usize| (list[i], list[(i + 1) % list.len()]);
    let behind = |a: u32, b: u32| {
        let has = |list: &Vec<u32>| (0..list.len()).any(|i| edge(list, i) == (b, a));
        loops.iter().position(has).map(|f| f as u32)
    };
    let face = |corners: &Vec<u32>| {
        let at = |i: usize| points[corners[i % corners.len()] as usize];
        // Newell: the sum over the loop, which no three corners in a row spoil.
        let sum: Vec3 = (0..corners.len()).map(|i| (at(i) - at(0)).cross(at(i + 1) - at(0))).sum();
        let normal = sum.normalize_or_zero();
        let edges = (0..corners.len()).map(|i| edge(corners, i));
        let beyond = edges.map(|(a, b)| behind(a, b)).collect::<Option<_>>()?;
        let height = corners.iter().map(|&c| normal.dot(points[c as usize])).sum::<f64>()
            / corners.len() as f64;
        Some(Face { normal, height, beyond, corners: corners.clone() })
    };
    loops.iter().map(face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_that_do_not_close_are_none() {
        let (points, mut loops) = polyhedron(&Shape::Box { half_extents: Vec3::ONE }).unwrap();
        assert!(faces(&points, &loops).is_some());
        // The face without its neighbour bordered on the first.
        loops.pop();
        assert!(faces(&points, &loops).is_none());
    }
}
