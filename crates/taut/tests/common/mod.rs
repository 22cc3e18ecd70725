//! Two colliders, one update: what every contact test needs.
#![allow(dead_code)]

use taut::collide::{Collider, CollisionPipeline, ContactPoint, Groups, Manifold, Motion};
use taut::math::{Pose, Quat, Vec3};
use taut::shape::Shape;

pub fn collider(body: u32, shape: &Shape) -> Option<Collider> {
    Some(Collider {
        body,
        shape: shape.build().unwrap(),
        local_pose: Pose::IDENTITY,
        groups: Groups::ALL,
    })
}

pub fn at_rest(pose: Pose) -> Motion {
    Motion { pose, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, is_static: false }
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

/// Position and a rotation about z.
pub fn turned(x: f64, y: f64, z: f64, angle: f64) -> Pose {
    Pose::from_parts(Vec3::new(x, y, z), Quat::from_rotation_z(angle))
}

/// Position, lying along x: the shape's z axis becomes x.
pub fn lying(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_parts(Vec3::new(x, y, z), Quat::from_rotation_y(std::f64::consts::FRAC_PI_2))
}

pub fn moving(a: &Shape, ma: Motion, b: &Shape, mb: Motion, dt: f64, margin: f64) -> Vec<Manifold> {
    let mut out = Vec::new();
    let colliders = [collider(0, a), collider(1, b)];
    CollisionPipeline::new().update(&colliders, &[ma, mb], dt, margin, |_, _| true, &mut out);
    check(&out);
    out
}

pub const MARGIN: f64 = 1e-3;

/// Manifolds of two resting shapes.
pub fn manifolds(a: &Shape, pa: Pose, b: &Shape, pb: Pose) -> Vec<Manifold> {
    moving(a, at_rest(pa), b, at_rest(pb), 1.0 / 60.0, MARGIN)
}

/// The only manifold of two resting shapes.
pub fn single(a: &Shape, pa: Pose, b: &Shape, pb: Pose) -> Manifold {
    let found = manifolds(a, pa, b, pb);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0]
}

/// What holds for all manifolds.
pub fn check(found: &[Manifold]) {
    let mut keys = Vec::new();
    for m in found {
        assert!(m.collider_a < m.collider_b);
        assert!((m.normal.length() - 1.0).abs() < 1e-12, "{m:?}");
        assert!(!m.points().is_empty());
        for (i, p) in m.points().iter().enumerate() {
            let gap = (p.point_b - p.point_a).dot(m.normal);
            assert!((gap - p.gap).abs() < 1e-12, "{p:?} {gap}");
            assert!(p.point_a.is_finite() && p.point_b.is_finite());
            for q in &m.points()[..i] {
                assert!(p.point_a.distance(q.point_a) > 1e-6, "duplicate {m:#?}");
            }
            keys.push((m.collider_a, m.collider_b, p.feature));
        }
        assert!(m.points().is_sorted_by_key(|p| p.feature));
    }
    let firsts: Vec<_> =
        found.iter().map(|m| (m.collider_a, m.collider_b, m.points()[0].feature)).collect();
    assert!(firsts.is_sorted(), "{firsts:?}");
    keys.sort();
    let count = keys.len();
    keys.dedup();
    assert_eq!(keys.len(), count, "keys are not unique");
}

/// Asserts that the points of a manifold, on B, are exactly these.
pub fn assert_points(m: &Manifold, expected: &[[f64; 3]], tolerance: f64) {
    assert_eq!(m.points().len(), expected.len(), "{m:#?}");
    for e in expected {
        let e = Vec3::from_array(*e);
        let near = |p: &ContactPoint| p.point_b.distance(e) < tolerance;
        assert!(m.points().iter().any(near), "no point at {e}: {m:#?}");
    }
}

pub fn cube(h: f64) -> Shape {
    Shape::Box { half_extents: Vec3::splat(h) }
}

pub fn plane() -> Shape {
    Shape::HalfSpace { normal: Vec3::Z }
}

/// The square |x|, |y| ≤ h at z = 0 as two triangles.
pub fn two_triangles(h: f64) -> Shape {
    Shape::TriMesh {
        vertices: vec![
            Vec3::new(-h, -h, 0.0),
            Vec3::new(h, -h, 0.0),
            Vec3::new(h, h, 0.0),
            Vec3::new(-h, h, 0.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// A height field of slope dz/dx over |x|, |y| ≤ 2 with 9 × 9 points.
pub fn terrain(slope: f64) -> Shape {
    let heights = (0..81).map(|k| slope * (4.0 * (k % 9) as f64 / 8.0 - 2.0)).collect();
    Shape::HeightField { heights, nx: 9, ny: 9, size_x: 4.0, size_y: 4.0 }
}

/// Pseudo-random numbers in [0, 1), the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51afd7ed558ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    pub fn vector(&mut self, scale: f64) -> Vec3 {
        let mut c = || self.range(-scale, scale);
        Vec3::new(c(), c(), c())
    }

    pub fn pose(&mut self, scale: f64) -> Pose {
        Pose::from_parts(self.vector(scale), Quat::from_scaled_axis(self.vector(3.0)))
    }
}
