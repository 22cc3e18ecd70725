//! Rays, moving shapes and overlaps against the colliders.
//!
//! A [`View`] sees colliders where it is told they are: those of a world are where
//! their bodies are now, those of a pipeline where they were in its last update.
//! Ties go to the collider with the smallest index. Every collider is looked at.

use super::{Collider, CollisionPipeline, Groups};
use crate::math::{Pose, Vec3};
use crate::shape::{BuiltShape, Shape, ShapeError};
use parry3d_f64::query::{self, Ray, ShapeCastOptions};

/// Where a ray meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayHit {
    /// Index of the collider.
    pub collider: u32,
    /// Distance from the origin, in metres.
    pub distance: f64,
    /// The point, in the world.
    pub point: Vec3,
    /// The surface normal there; zero if the ray starts inside.
    pub normal: Vec3,
}

/// Where a moving shape meets a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapeHit {
    /// Index of the collider.
    pub collider: u32,
    /// Distance travelled until they touch, in metres.
    pub distance: f64,
    /// The point of contact, in the world.
    pub point: Vec3,
    /// The collider's surface normal there.
    pub normal: Vec3,
}

/// Colliders, and where they are.
pub(crate) struct View<'a, P: Fn(u32, &Collider) -> Pose> {
    pub(crate) colliders: &'a [Option<Collider>],
    pub(crate) pose_of: P,
}

impl<P: Fn(u32, &Collider) -> Pose> View<'_, P> {
    /// The first collider a ray meets within `max_distance`. `groups` selects
    /// the colliders it sees. None as well if `direction` has no length.
    pub(crate) fn ray_cast(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        groups: Groups,
    ) -> Option<RayHit> {
        self.ray_cast_past(None, Ray::new(origin, direction.try_normalize()?), max_distance, groups)
    }

    /// Casts a ray that does not see the colliders of one body.
    pub(crate) fn ray_cast_past(
        &self,
        body: Option<u32>,
        ray: Ray,
        max_distance: f64,
        groups: Groups,
    ) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        for (i, collider, pose) in self.visible(groups) {
            if body == Some(collider.body) {
                continue;
            }
            let limit = best.map_or(max_distance, |b| b.distance);
            let hit = collider.shape.shape.cast_ray_and_get_normal(&pose, &ray, limit, true);
            if let Some(hit) = hit
                && best.is_none_or(|b| hit.time_of_impact < b.distance)
            {
                best = Some(RayHit {
                    collider: i,
                    distance: hit.time_of_impact,
                    point: ray.point_at(hit.time_of_impact),
                    normal: hit.normal,
                });
            }
        }
        best
    }

    /// The first collider that `shape` meets on its straight way from `pose`.
    /// Pairs the geometry library cannot cast (a mesh against a mesh, say) are
    /// skipped. Errors if the shape is invalid.
    pub(crate) fn shape_cast(
        &self,
        shape: &Shape,
        pose: Pose,
        direction: Vec3,
        max_distance: f64,
    ) -> Result<Option<ShapeHit>, ShapeError> {
        let shape = shape.build()?;
        let Some(direction) = direction.try_normalize() else {
            return Ok(None);
        };
        let start = pose * shape.pose;
        let mut best: Option<ShapeHit> = None;
        for (i, collider, at) in self.visible(Groups::ALL) {
            let limit = best.map_or(max_distance, |b| b.distance);
            let options = ShapeCastOptions::with_max_time_of_impact(limit);
            let (g1, g2) = (&*collider.shape.shape, &*shape.shape);
            let cast = query::cast_shapes(&at, Vec3::ZERO, g1, &start, direction, g2, options);
            if let Ok(Some(hit)) = cast
                && best.is_none_or(|b| hit.time_of_impact < b.distance)
            {
                best = Some(ShapeHit {
                    collider: i,
                    distance: hit.time_of_impact,
                    point: at.transform_point(hit.witness1),
                    normal: at.transform_vector(hit.normal1),
                });
            }
        }
        Ok(best)
    }

    /// The colliders that overlap `shape` at `pose`, in ascending order.
    /// Errors if the shape is invalid.
    pub(crate) fn intersections(&self, shape: &Shape, pose: Pose) -> Result<Vec<u32>, ShapeError> {
        let shape: BuiltShape = shape.build()?;
        let place = pose * shape.pose;
        let overlaps = |at: &Pose, c: &Collider| {
            let test = query::intersection_test(at, &*c.shape.shape, &place, &*shape.shape);
            test.is_ok_and(|t| t.intersecting)
        };
        let seen = self.visible(Groups::ALL);
        Ok(seen.filter(|(_, c, at)| overlaps(at, c)).map(|(i, _, _)| i).collect())
    }

    /// Index, collider and pose of its geometry, for all that take part.
    fn visible(&self, groups: Groups) -> impl Iterator<Item = (u32, &Collider, Pose)> {
        let listed = self.colliders.iter().enumerate();
        listed.filter_map(move |(i, c)| {
            let c = c.as_ref()?;
            let seen = c.groups.interact(groups);
            seen.then(|| (i as u32, c, (self.pose_of)(i as u32, c) * c.shape.pose))
        })
    }
}

impl CollisionPipeline {
    fn view<'a>(
        &'a self,
        colliders: &'a [Option<Collider>],
    ) -> View<'a, impl Fn(u32, &Collider) -> Pose + 'a> {
        let known = colliders.len().min(self.poses.len());
        View { colliders: &colliders[..known], pose_of: |i, _| self.poses[i as usize] }
    }

    /// The first collider a ray meets within `max_distance`. `groups` selects
    /// the colliders it sees. None as well if `direction` has no length.
    pub fn ray_cast(
        &self,
        colliders: &[Option<Collider>],
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        groups: Groups,
    ) -> Option<RayHit> {
        self.view(colliders).ray_cast(origin, direction, max_distance, groups)
    }

    /// The first collider that `shape` meets on its straight way from `pose`.
    /// Pairs the geometry library cannot cast (a mesh against a mesh, say) are
    /// skipped. Errors if the shape is invalid.
    pub fn shape_cast(
        &self,
        colliders: &[Option<Collider>],
        shape: &Shape,
        pose: Pose,
        direction: Vec3,
        max_distance: f64,
    ) -> Result<Option<ShapeHit>, ShapeError> {
        self.view(colliders).shape_cast(shape, pose, direction, max_distance)
    }

    /// The colliders that overlap `shape` at `pose`, in ascending order.
    /// Errors if the shape is invalid.
    pub fn intersections(
        &self,
        colliders: &[Option<Collider>],
        shape: &Shape,
        pose: Pose,
    ) -> Result<Vec<u32>, ShapeError> {
        self.view(colliders).intersections(shape, pose)
    }
}
