//! Contact generation: from shapes and poses to contact points.
//!
//! Problem: for every pair of colliders that touch, or may touch before the
//! step ends, find a normal and few points that span the contact patch, named
//! so that the next step recognizes them (Andrews22 2.1, 2.2).
//!
//! Method, one file each:
//!
//! 1. `pipeline`: boxes around the swept colliders in a tree give pairs.
//! 2. `pair`: colliders are taken apart into convex parts and triangles.
//! 3. `sweep`: a fast pair is examined where it comes nearest in the step;
//!    after the solve `impact` says where its way must end.
//!    Two meshes go their own way: `meshes`.
//! 4. `axis`, `box_box`: the contact normal of two convex parts.
//! 5. `feature`, `clip`: the faces or edges that touch and their overlap.
//! 6. `reduce`: coplanar contacts of a pair are merged, and only those that
//!    span the patch are kept.
//!
//! Nothing is remembered from step to step: the manifolds are a function of
//! shapes, poses and velocities, bit for bit, and come sorted.
//!
//! When it fails: see `axis` (vertex against vertex) and `sweep` (motion is
//! extrapolated with constant velocity). Shapes that overlap deeply are
//! pushed apart along the shortest way, which need not be the way they came.

mod axis;
mod box_box;
mod clip;
pub(crate) mod convex;
mod feature;
pub(crate) use feature::kind;
pub(crate) mod hull;
pub(crate) mod impact;
pub(crate) mod mesh;
pub(crate) mod meshes;
mod narrow;
mod pair;
mod pipeline;
mod query;
mod reduce;
mod round;
mod sweep;
pub(crate) mod triangle;

pub use pipeline::CollisionPipeline;
pub(crate) use query::View;
pub use query::{RayHit, ShapeHit};

use crate::math::{Pose, Vec3};
use crate::shape::{BuiltShape, Geometry};
use crate::surface::Mover;

/// Which colliders interact: A and B do if each is in a group the other's
/// mask accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups the collider belongs to, one bit each.
    pub membership: u32,
    /// The groups it collides with.
    pub mask: u32,
}

impl Groups {
    /// Member of all groups, colliding with all.
    pub const ALL: Self = Self { membership: u32::MAX, mask: u32::MAX };

    /// Member of no group, colliding with nothing.
    pub const NONE: Self = Self { membership: 0, mask: 0 };

    /// Whether the two colliders interact.
    pub fn interact(self, other: Self) -> bool {
        self.membership & other.mask != 0 && other.membership & self.mask != 0
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self::ALL
    }
}

/// A shape attached to a body.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Index of the body's entry in the motions.
    pub body: u32,
    /// The geometry.
    pub shape: BuiltShape,
    /// Pose of the shape's frame in the body's frame.
    pub local_pose: Pose,
    /// What it collides with.
    pub groups: Groups,
}

impl Collider {
    /// Whether bodies and groups let it collide with another one.
    pub(crate) fn may_meet(&self, other: &Self) -> bool {
        self.body != other.body && self.groups.interact(other.groups)
    }

    /// Distance of the farthest point that turning moves: a ball around the
    /// centre of mass has none.
    pub(crate) fn arm(&self) -> f64 {
        match &*self.shape.geometry {
            Geometry::Convex(shape) => shape.arm(&self.local_pose),
            _ => self.reach(),
        }
    }

    /// Distance of its farthest point from the centre of mass.
    pub(crate) fn reach(&self) -> f64 {
        self.local_pose.translation.length() + self.shape.size
    }
}

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Pose of the body's frame, whose origin is the centre of mass.
    pub pose: Pose,
    /// Velocity of the origin, in m/s.
    pub velocity: Vec3,
    /// Angular velocity in the world frame, in rad/s.
    pub angular_velocity: Vec3,
    /// Two static bodies do not collide with one another.
    pub is_static: bool,
}

impl Motion {
    /// That of a body that is not there.
    pub(crate) fn nowhere() -> Self {
        Motion {
            pose: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            is_static: true,
        }
    }

    /// The motion of a body that rests there.
    pub(crate) fn at_rest(&self) -> Self {
        Motion { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..*self }
    }
}

/// The name of a contact point: with the pair of colliders it is the key under
/// which its impulse is found again in the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// Part of a compound, or flat patch of a mesh, on side A.
    pub sub_a: u32,
    /// The same on side B.
    pub sub_b: u32,
    /// Vertex, edge or face of that part on side A.
    pub feature_a: u32,
    /// The same on side B.
    pub feature_b: u32,
}

/// What a feature of a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Vertex,
    Edge,
    Face,
}

/// How surfaces run on around a contact, A before B.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bend {
    /// Directions of edges, in the world; zero for other features.
    pub(crate) edges: [Vec3; 2],
    /// Radii of the balls that sweep the features; none for rims and cones, of which only the
    /// flat sides are known.
    pub(crate) rounds: [Option<f64>; 2],
}

impl Bend {
    /// The same after its bodies have moved.
    pub(crate) fn turned(&self, a: &impl Mover, b: &impl Mover) -> Self {
        Bend { edges: [a.direction(self.edges[0]), b.direction(self.edges[1])], ..*self }
    }
}

/// One contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// The point on the surface of A, in the world.
    pub point_a: Vec3,
    /// The point on the surface of B, in the world.
    pub point_b: Vec3,
    /// (point_b − point_a)·normal; negative: penetration.
    pub gap: f64,
    /// Its name, unique within the pair of colliders.
    pub feature: ContactKey,
    /// Unknown for rims, cones, and contacts to come.
    pub(crate) bend: Option<Bend>,
}

impl ContactPoint {
    const NONE: Self = ContactPoint {
        point_a: Vec3::ZERO,
        point_b: Vec3::ZERO,
        gap: 0.0,
        feature: ContactKey { sub_a: 0, sub_b: 0, feature_a: 0, feature_b: 0 },
        bend: None,
    };

    /// The same with A and B exchanged.
    pub(crate) fn flipped(&self) -> Self {
        let ContactKey { sub_a, sub_b, feature_a, feature_b } = self.feature;
        let turned =
            |b: Bend| Bend { edges: [b.edges[1], b.edges[0]], rounds: [b.rounds[1], b.rounds[0]] };
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            gap: self.gap,
            feature: ContactKey {
                sub_a: sub_b,
                sub_b: sub_a,
                feature_a: feature_b,
                feature_b: feature_a,
            },
            bend: self.bend.map(turned),
        }
    }

    /// What touches, on A and on B.
    pub(crate) fn kinds(&self) -> [Kind; 2] {
        [self.feature.feature_a, self.feature.feature_b].map(feature::kind)
    }
}

/// Most points a manifold may have.
pub const MAX_POINTS: usize = 8;

/// The contacts of one patch: points that share a normal.
#[derive(Clone, Copy, PartialEq)]
pub struct Manifold {
    /// Index of the first collider.
    pub collider_a: u32,
    /// Index of the second collider, greater than the first.
    pub collider_b: u32,
    /// Unit vector from A to B, in the world.
    pub normal: Vec3,
    points: [ContactPoint; MAX_POINTS],
    len: usize,
}

impl Manifold {
    fn new(collider_a: u32, collider_b: u32, normal: Vec3) -> Self {
        // Copied as a whole: a point at a time takes five times as long.
        const NONE: [ContactPoint; MAX_POINTS] = [ContactPoint::NONE; MAX_POINTS];
        Self { collider_a, collider_b, normal, points: NONE, len: 0 }
    }

    /// One point of the same colliders, with a normal of its own.
    pub(crate) fn with_point(&self, normal: Vec3, point: ContactPoint) -> Self {
        let mut one = Self::new(self.collider_a, self.collider_b, normal);
        one.push(point);
        one
    }

    fn push(&mut self, point: ContactPoint) {
        if self.len < MAX_POINTS {
            self.points[self.len] = point;
            self.len += 1;
        }
    }

    /// The contact points, sorted by their keys.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.len]
    }

    fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points[..self.len]
    }
}

impl std::fmt::Debug for Manifold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manifold")
            .field("colliders", &(self.collider_a, self.collider_b))
            .field("normal", &self.normal)
            .field("points", &self.points())
            .finish()
    }
}
