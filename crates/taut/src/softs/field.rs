//! How far a point is from a shape, negative inside, and the way out.
//!
//! Exact for all shapes. Where a point is on the surface the way out is that of the face, never a difference of two points
//! that coincide: nodes at rest lie on surfaces to the last digits.

use crate::collide::convex::{Convex, Core};
use crate::collide::hull::Hull;
use crate::collide::mesh::Mesh;
use crate::math::{Pose, Vec2, Vec3};
use crate::shape::{BuiltShape, Geometry};
use parry3d_f64::bounding_volume::Aabb;
use taut_sdf::{Field, Sample};

/// Distance and way out.
pub(crate) type Place = (f64, Vec3);

/// A shape as a field.
pub(super) struct ShapeField<'a>(pub(super) &'a BuiltShape);

impl Field for ShapeField<'_> {
    fn sample(&self, point: taut_sdf::Vec3) -> Sample {
        let (distance, way) =
            place(self.0, Vec3::from(point), f64::INFINITY).unwrap_or((f64::INFINITY, Vec3::ZERO));
        Sample { distance, gradient: way.to_array() }
    }
}

/// Where a point in the shape's frame is; none if it is farther than `reach` from an open mesh.
pub(crate) fn place(shape: &BuiltShape, p: Vec3, reach: f64) -> Option<Place> {
    match &*shape.geometry {
        Geometry::HalfSpace(n) => Some((n.dot(p), *n)),
        Geometry::Convex(convex) => Some(of_convex(convex, p)),
        Geometry::Compound(parts) => {
            let of = |(pose, convex, _): &(Pose, Convex, Aabb)| {
                let (d, n) = of_convex(convex, pose.inverse_transform_point(p));
                (d, pose.rotation * n)
            };
            parts.iter().map(of).min_by(|a, b| a.0.total_cmp(&b.0))
        }
        Geometry::Mesh(mesh) => of_mesh(mesh, p, reach),
    }
}

fn of_convex(convex: &Convex, p: Vec3) -> Place {
    let (distance, way) = match &convex.core {
        Core::Point => away(p),
        Core::Segment { half } => away(p - Vec3::Z * p.z.clamp(-half, *half)),
        Core::Box { half } => of_box(*half, p),
        Core::Cylinder { half, radius } => {
            let (across, out) = across(p);
            let (d, n) = of_box(Vec3::new(*radius, *half, 1e30), Vec3::new(across, p.z, 0.0));
            (d, out * n.x + Vec3::Z * n.y)
        }
        Core::Cone { half, radius } => {
            let (across, out) = across(p);
            let (d, n) = of_cone(*half, *radius, Vec2::new(across, p.z));
            (d, out * n.x + Vec3::Z * n.y)
        }
        Core::Hull(hull) => of_hull(hull, p),
        Core::Triangle(t) => {
            let foot = nearest(p, &t.vertices);
            let (d, n) = away(p - foot);
            if d == 0.0 { (0.0, t.normal) } else { (d, n) }
        }
    };
    (distance - convex.radius, way)
}

/// From the origin.
fn away(p: Vec3) -> Place {
    (p.length(), p.try_normalize().unwrap_or(Vec3::Z))
}

/// Distance from the z axis, and the way from it.
fn across(p: Vec3) -> (f64, Vec3) {
    let flat = Vec3::new(p.x, p.y, 0.0);
    (flat.length(), flat.try_normalize().unwrap_or(Vec3::X))
}

fn of_box(half: Vec3, p: Vec3) -> Place {
    let q = p.abs() - half;
    let sign = Vec3::new(1.0_f64.copysign(p.x), 1.0_f64.copysign(p.y), 1.0_f64.copysign(p.z));
    let outside = q.max(Vec3::ZERO);
    let beyond = [q.x, q.y, q.z].iter().filter(|d| **d > 0.0).count();
    if beyond > 1 {
        return (outside.length(), outside.normalize() * sign);
    }
    let axis = match q.max_element() {
        m if m == q.x => Vec3::X,
        m if m == q.y => Vec3::Y,
        _ => Vec3::Z,
    };
    (q.max_element(), axis * sign)
}

/// In the half-plane of distance from the axis and height.
fn of_cone(half: f64, radius: f64, p: Vec2) -> (f64, Vec2) {
    let (tip, rim) = (Vec2::new(0.0, half), Vec2::new(radius, -half));
    let side = Vec2::new(2.0 * half, radius).normalize();
    let (below, beside) = (-half - p.y, side.dot(p - tip));
    let along = (tip - rim).normalize();
    let (up, in_base) = (along.dot(p - rim), p.x <= radius);
    if beside <= 0.0 && below <= 0.0 || beside > below && (0.0..=(tip - rim).length()).contains(&up)
    {
        return if beside > below { (beside, side) } else { (below, -Vec2::Y) };
    }
    if in_base && below > 0.0 {
        return (below, -Vec2::Y);
    }
    let corner = if up > 0.0 { tip } else { rim };
    let d = p - corner;
    (d.length(), d.try_normalize().unwrap_or(side))
}

fn of_hull(hull: &Hull, p: Vec3) -> Place {
    let height =
        |f: &crate::collide::hull::HullFace| f.normal.dot(p - hull.points[f.loop_[0] as usize]);
    let mut most = (f64::NEG_INFINITY, Vec3::Z);
    for face in &hull.faces {
        let h = height(face);
        if h > most.0 {
            most = (h, face.normal);
        }
    }
    if most.0 <= 0.0 {
        return most;
    }
    // Outside: above the highest face, or nearest to one that sees the point.
    let foot = p - most.1 * most.0;
    let inside = |f: &crate::collide::hull::HullFace| {
        f.normal.dot(foot - hull.points[f.loop_[0] as usize]) <= 1e-12 * most.0.max(1e-3)
    };
    if hull.faces.iter().all(inside) {
        return most;
    }
    let mut best = (f64::INFINITY, Vec3::Z);
    for face in hull.faces.iter().filter(|f| height(f) > 0.0) {
        let first = hull.points[face.loop_[0] as usize];
        for pair in face.loop_[1..].windows(2) {
            let foot =
                nearest(p, &[first, hull.points[pair[0] as usize], hull.points[pair[1] as usize]]);
            let d = p - foot;
            if d.length() < best.0 {
                best = (d.length(), d.try_normalize().unwrap_or(face.normal));
            }
        }
    }
    best
}

fn of_mesh(mesh: &Mesh, p: Vec3, reach: f64) -> Option<Place> {
    if let Some(surface) = &mesh.surface {
        let sample = surface.nearest(p.to_array()).sample;
        return Some((sample.distance, Vec3::from(sample.gradient)));
    }
    // An open mesh: in front of its nearest triangle, of several at an edge the one that faces the point most.
    let mut found = Vec::new();
    let reach = reach.min(1e6);
    mesh.query(&Aabb::new(p - Vec3::splat(reach), p + Vec3::splat(reach)), &mut found);
    let mut best: Option<(f64, f64, Place)> = None;
    for t in found.iter().map(|&i| &mesh.triangles[i as usize]) {
        let d = p - nearest(p, &t.vertices);
        let (length, height) = (d.length(), d.dot(t.normal));
        let is_better = best.is_none_or(|(least, facing, _)| {
            length < least * (1.0 - 1e-9) || length <= least * (1.0 + 1e-9) && height.abs() > facing
        });
        if is_better {
            let beyond = height > 0.0 && height < 0.999 * length;
            let place = if beyond { (length, d / length) } else { (height, t.normal) };
            best = Some((length, height.abs(), place));
        }
    }
    best.filter(|b| b.0 <= reach).map(|b| b.2)
}

/// The nearest point of a triangle.
fn nearest(p: Vec3, t: &[Vec3; 3]) -> Vec3 {
    let w = weights(p, t);
    t[0] * w[0] + t[1] * w[1] + t[2] * w[2]
}

/// Barycentric coordinates of the nearest point of a triangle: of its plane, or else of its sides.
pub(crate) fn weights(p: Vec3, t: &[Vec3; 3]) -> [f64; 3] {
    let (u, v, w) = (t[1] - t[0], t[2] - t[0], p - t[0]);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = uu * vv - uv * uv;
    let (s, r) = ((vv * uw - uv * vw) / det, (uu * vw - uv * uw) / det);
    if s >= 0.0 && r >= 0.0 && s + r <= 1.0 {
        return [1.0 - s - r, s, r];
    }
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for k in 0..3 {
        let (a, b) = (t[k], t[(k + 1) % 3]);
        let s = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        let d = (p - a - (b - a) * s).length_squared();
        if d < best.1 {
            let mut weights = [0.0; 3];
            (weights[k], weights[(k + 1) % 3]) = (1.0 - s, s);
            best = (weights, d);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    /// Distances are those of the geometry library, and the way out is their gradient.
    #[test]
    fn distances_and_ways_out() {
        let corners = |k: usize| {
            let s = |b: usize| if k >> b & 1 == 0 { -0.3 } else { 0.4 };
            Vec3::new(s(0), 0.5 * s(1) + 0.2 * s(0), s(2))
        };
        let shapes = [
            Shape::Ball { radius: 0.4 },
            Shape::Box { half_extents: Vec3::new(0.3, 0.4, 0.2) },
            Shape::Capsule { half_length: 0.3, radius: 0.2 },
            Shape::Cylinder { half_height: 0.3, radius: 0.25 },
            Shape::Cone { half_height: 0.3, radius: 0.25 },
            Shape::ConvexHull { points: (0..8).map(corners).collect() },
        ];
        for shape in shapes {
            let built = shape.build().expect("shape");
            let mut seed = 7_u64;
            let mut random = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
            for _ in 0..300 {
                let p = Vec3::new(random(), random(), random()) * 1.6;
                let (d, n) = place(&built, p, 1.0).expect("place");
                let local = built.pose.inverse_transform_point(p);
                let found = built.shape.project_local_point(local, false);
                let expected =
                    (found.point - local).length() * if found.is_inside { -1.0 } else { 1.0 };
                assert!(
                    (d - expected).abs() < 1e-6,
                    "{} at {p}: {d}, not {expected}",
                    shape.name()
                );
                assert!((n.length() - 1.0).abs() < 1e-9);
                let next = place(&built, p + n * 1e-6, 1.0).expect("place").0;
                assert!((next - d - 1e-6).abs() < 1e-9, "{} at {p}: the way out", shape.name());
            }
        }
    }
}
