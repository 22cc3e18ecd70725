//! The contact normal of two convex shapes: the direction of least overlap.
//!
//! For a unit vector n, s(n) = min over B of x·n − max over A of x·n is the
//! separation along n; its maximum over all n is the distance of disjoint
//! shapes and minus the penetration depth of overlapping ones (Andrews22 2.2;
//! the projected radius of a box is Σ hᵢ|aᵢ·n|, eq. 86 corrected). The
//! maximum is sought among
//!
//! 1. normals of flat faces of either shape,
//! 2. cross products of edge directions,
//! 3. for curved or rounded shapes, the direction found by GJK and EPA, and
//!    the directions across cylinder axes.
//!
//! s is evaluated exactly for each, so an inaccurate answer of EPA costs
//! optimality but never consistency. Faces win ties: they give patches of
//! several points, and their normals carry no rounding error.
//!
//! Fails for sharp shapes whose nearest features are two vertices or a vertex
//! and an edge: the value found is then a lower bound of their distance, and
//! the features do not overlap along the axis, so that no contact arises
//! until there is one.

use super::convex::{Convex, Core};
use crate::math::{Pose, Vec3};
use parry3d_f64::query::details::contact_support_map_support_map;
use parry3d_f64::shape::SupportMap;

/// Where an axis comes from; decides which features touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// A flat face of one of the shapes.
    Face,
    /// Edge directions number i of A and j of B.
    Edges(usize, usize),
    /// A general direction; the points are where the shapes are nearest.
    Nearest(Vec3, Vec3),
}

/// A candidate normal, in the frame of A, pointing from A to B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) normal: Vec3,
    /// Separation along the normal, radii included; negative: penetration.
    pub(crate) separation: f64,
    pub(crate) origin: Origin,
}

/// The best axis, and the runner-up to use if its features do not overlap.
#[derive(Debug)]
pub(crate) struct Axes {
    pub(crate) best: Axis,
    pub(crate) second: Option<Axis>,
}

// What half and twice of these change: docs/decisions/step-constants.md.

/// An edge axis must beat the best face by this share of the size: near
/// ties are tilted stacks, which need the patch of the face.
pub(crate) const EDGE_BIAS: f64 = 1e-3;
/// A general direction must beat the best face by this share of the size: enough for rounding errors, as a face that ties with it gives more points.
const NEAREST_BIAS: f64 = 1e-7;
/// Beyond this many dot products edge pairs are left to EPA.
const EDGE_BUDGET: usize = 20_000;

/// Two shapes and the pose of B in the frame of A.
pub(crate) struct Couple<'a> {
    pub(crate) a: &'a Convex,
    pub(crate) b: &'a Convex,
    pub(crate) pose: Pose,
}

impl Couple<'_> {
    /// The smaller of the two sizes: the length scale of all tolerances.
    pub(crate) fn size(&self) -> f64 {
        self.a.size.min(self.b.size)
    }

    fn support_b(&self, direction: Vec3) -> Vec3 {
        let local = self.pose.inverse_transform_vector(direction);
        self.pose.transform_point(self.b.core.local_support_point(local))
    }

    /// s(n), radii included.
    pub(crate) fn separation(&self, n: Vec3) -> f64 {
        let a = self.a.core.local_support_point(n);
        (self.support_b(-n) - a).dot(n) - self.a.radius - self.b.radius
    }

    fn axis(&self, normal: Vec3, origin: Origin) -> Axis {
        Axis { normal, separation: self.separation(normal), origin }
    }

    /// Finds the contact normal. None if the shapes are farther apart than
    /// `margin`.
    pub(crate) fn axes(&self, margin: f64) -> Option<Axes> {
        if let Some(axis) = self.segments() {
            return (axis.separation <= margin).then_some(Axes { best: axis, second: None });
        }
        let face = self.best_face();
        if let Some(face) = face {
            if face.separation > margin {
                return None;
            }
            if self.is_certain(&face) {
                return Some(Axes { best: face, second: None });
            }
        }
        let other = self.best_other(face);
        let (best, second) = match (face, other) {
            (Some(f), Some(o)) if o.separation > f.separation + self.bias(&o) => (o, Some(f)),
            (Some(f), o) => (f, o),
            (None, Some(o)) => (o, None),
            (None, None) => return None,
        };
        (best.separation <= margin).then_some(Axes { best, second })
    }

    fn bias(&self, axis: &Axis) -> f64 {
        match axis.origin {
            Origin::Edges(..) => EDGE_BIAS * self.size(),
            _ => NEAREST_BIAS * self.size(),
        }
    }

    fn best_face(&self) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        let slack = 1e-6 * self.size();
        let mut consider = |n: Vec3| {
            let axis = self.axis(n, Origin::Face);
            if best.is_none_or(|b| axis.separation > b.separation + slack) {
                best = Some(axis);
            }
        };
        self.a.for_each_face_normal(&mut consider);
        self.b.for_each_face_normal(|m| consider(-self.pose.transform_vector(m)));
        best
    }

    /// True if the deepest point of one shape lies over the face of the other
    /// from which the axis comes, and nearer to it than to the face's border:
    /// then no other direction separates better.
    fn is_certain(&self, face: &Axis) -> bool {
        let depth = (-face.separation).max(0.0);
        let n = face.normal;
        let inverse = self.pose.inverse();
        let b_point = self.support_b(-n);
        let a_point = inverse.transform_point(self.a.core.local_support_point(n));
        over_face(self.a, n, b_point, depth)
            || over_face(self.b, inverse.transform_vector(-n), a_point, depth)
    }

    fn best_other(&self, face: Option<Axis>) -> Option<Axis> {
        let mut best: Option<Axis> = None;
        let mut consider = |axis: Axis| {
            if best.is_none_or(|b| axis.separation > b.separation) {
                best = Some(axis);
            }
        };
        let (count_a, count_b) = (self.a.edge_direction_count(), self.b.edge_direction_count());
        let cost = self.a.support_cost() + self.b.support_cost();
        let many_edges = count_a * count_b * cost > EDGE_BUDGET;
        if !many_edges {
            self.for_each_edge_axis(&mut consider);
        }
        self.for_each_cylinder_axis(&mut consider);
        let rounded = self.a.radius + self.b.radius > 0.0;
        let curved = self.a.is_curved() || self.b.is_curved();
        let apart = face.is_none_or(|f| f.separation > -self.a.radius - self.b.radius);
        if curved || many_edges || rounded && apart || count_a * count_b == 0 {
            self.nearest().into_iter().for_each(consider);
        }
        best
    }

    fn for_each_edge_axis(&self, consider: &mut impl FnMut(Axis)) {
        let towards_b = self.pose.transform_point(self.b.centre()) - self.a.centre();
        for j in 0..self.b.edge_direction_count() {
            let e = self.pose.transform_vector(self.b.edge_direction(j));
            for i in 0..self.a.edge_direction_count() {
                let n = self.a.edge_direction(i).cross(e);
                let length = n.length();
                if length > 1e-3 {
                    let n = n / length.copysign(n.dot(towards_b));
                    consider(self.axis(n, Origin::Edges(i, j)));
                }
            }
        }
    }

    /// Directions across the axis of a cylinder, towards the other shape:
    /// EPA is poor where two curved sides just touch.
    fn for_each_cylinder_axis(&self, consider: &mut impl FnMut(Axis)) {
        let t = self.pose.transform_point(self.b.centre()) - self.a.centre();
        let axes = [(self.a, Vec3::Z), (self.b, self.pose.transform_vector(Vec3::Z))];
        for (shape, axis) in axes {
            if !matches!(shape.core, Core::Cylinder { .. }) {
                continue;
            }
            if let Some(n) = (t - t.dot(axis) * axis).try_normalize() {
                let a = self.a.core.local_support_point(n);
                consider(self.axis(n, Origin::Nearest(a, self.support_b(-n))));
            }
        }
    }

    /// GJK, or EPA if the cores overlap.
    pub(crate) fn nearest(&self) -> Option<Axis> {
        let far = f64::MAX;
        let c = contact_support_map_support_map(&self.pose, &self.a.core, &self.b.core, far)?;
        let n = c.normal1.try_normalize()?;
        let b = self.pose.transform_point(c.point2);
        Some(self.axis(n, Origin::Nearest(c.point1, b)))
    }

    /// Two balls, two capsules or one of each, in closed form.
    fn segments(&self) -> Option<Axis> {
        let half = |shape: &Convex| match shape.core {
            Core::Point => Some(0.0),
            Core::Segment { half } => Some(half),
            _ => None,
        };
        let (ha, hb) = (half(self.a)?, half(self.b)?);
        let d = self.pose.transform_vector(Vec3::Z);
        let (s, t) = nearest_on_segments(ha, self.pose.translation, d, hb);
        let (a, b) = (s * Vec3::Z, self.pose.translation + t * d);
        let across = Vec3::Z.cross(d).try_normalize().unwrap_or(Vec3::X);
        // Crossing axes: push apart across both.
        let n = (b - a).try_normalize().unwrap_or(across);
        Some(self.axis_at(n, a, b))
    }

    fn axis_at(&self, n: Vec3, a: Vec3, b: Vec3) -> Axis {
        Axis {
            normal: n,
            separation: (b - a).dot(n) - self.a.radius - self.b.radius,
            origin: Origin::Nearest(a, b),
        }
    }
}

/// Parameters (along unit directions, from the centres) of the nearest points
/// of the segments |s| ≤ ha on the z axis and c + t d, |t| ≤ hb.
fn nearest_on_segments(ha: f64, c: Vec3, d: Vec3, hb: f64) -> (f64, f64) {
    let cosine = d.z;
    let sine2 = d.x * d.x + d.y * d.y;
    let mut s = if sine2 > 1e-12 {
        // Minimum over both lines, then clamped below.
        (c.z - cosine * c.dot(d)) / sine2
    } else {
        // Parallel: the middle of the overlap.
        let (low, high) = (c.z - hb, c.z + hb);
        0.5 * (low.max(-ha) + high.min(ha))
    };
    s = s.clamp(-ha, ha);
    let t = (s * cosine - c.dot(d)).clamp(-hb, hb);
    let s = (c.z + t * cosine).clamp(-ha, ha);
    let t = (s * cosine - c.dot(d)).clamp(-hb, hb);
    (s, t)
}

/// Whether `p` projects into the face of `shape` with normal `n`, at least
/// `inset` away from its border. False if there is no such face.
fn over_face(shape: &Convex, n: Vec3, p: Vec3, inset: f64) -> bool {
    match &shape.core {
        Core::Box { half } => {
            let m = n.abs();
            let over = |k: usize| m[k] > 0.5 || p[k].abs() <= half[k] - inset;
            m.max_element() > 1.0 - 1e-12 && (0..3).all(over)
        }
        Core::Cylinder { radius, .. } => {
            n.z.abs() > 1.0 - 1e-12 && p.x.hypot(p.y) <= radius - inset
        }
        Core::Cone { radius, .. } => n.z < 1e-12 - 1.0 && p.x.hypot(p.y) <= radius - inset,
        Core::Hull(hull) => hull.faces.iter().any(|face| {
            face.normal.dot(n) > 1.0 - 1e-12
                && loop_contains(face.loop_.iter().map(|&v| hull.points[v as usize]), n, p, inset)
        }),
        Core::Triangle(t) => {
            t.normal.dot(n).abs() > 1.0 - 1e-12
                && loop_contains(t.vertices.iter().copied(), t.normal, p, inset)
        }
        _ => false,
    }
}

fn loop_contains(points: impl Iterator<Item = Vec3> + Clone, n: Vec3, p: Vec3, inset: f64) -> bool {
    let next = points.clone().cycle().skip(1);
    points.zip(next).all(|(a, b)| {
        let inward = n.cross(b - a).normalize_or_zero();
        (p - a).dot(inward) >= inset
    })
}
