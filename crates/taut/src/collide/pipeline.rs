//! The collision update of one step: boxes, pairs, manifolds.
//!
//! Boxes around the swept colliders live in a bounding volume tree that is
//! refitted in every step; half-spaces, whose boxes are unbounded, are tested
//! against all. The tree is a cache: its shape depends on history, the set of
//! overlapping boxes does not, and the pairs are sorted.

use super::pair::{PairCollider, Placed};
use super::{Collider, Manifold, Motion};
use crate::math::{Pose, Vec3};
use crate::shape::Geometry;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};

/// Finds contacts and answers queries; keeps buffers from step to step, but
/// nothing that influences a result.
#[derive(Default)]
pub struct CollisionPipeline {
    pub(crate) bvh: Bvh,
    workspace: BvhWorkspace,
    /// For each collider: whether the tree holds it.
    in_tree: Vec<bool>,
    pub(crate) planes: Vec<u32>,
    pub(crate) poses: Vec<Pose>,
    boxes: Vec<Aabb>,
    reaches: Vec<f64>,
    pairs: Vec<(u32, u32)>,
    pair_collider: PairCollider,
}

impl std::fmt::Debug for CollisionPipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pairs = self.pairs.len();
        f.debug_struct("CollisionPipeline").field("pairs", &pairs).finish_non_exhaustive()
    }
}

impl CollisionPipeline {
    /// A pipeline without colliders.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `out` by the manifolds of all pairs that touch or may touch
    /// within `dt`, sorted by colliders and keys.
    ///
    /// `colliders[i]` is `None` for a removed collider; those whose body has
    /// no motion, or a motion that is not finite, are left out as well.
    /// `filter` says whether two bodies may collide. A pair has contacts with
    /// gaps up to `margin` plus its relative motion in `dt`.
    pub fn update(
        &mut self,
        colliders: &[Option<Collider>],
        motions: &[Motion],
        dt: f64,
        margin: f64,
        filter: impl Fn(u32, u32) -> bool,
        out: &mut Vec<Manifold>,
    ) {
        out.clear();
        self.place(colliders, motions, dt, margin);
        self.find_pairs(colliders, motions, filter);
        for &(i, j) in &self.pairs {
            let placed = |i: u32| self.placed(colliders, motions, i);
            if let (Some(a), Some(b)) = (placed(i), placed(j)) {
                self.pair_collider.collide(&a, &b, dt, margin, out);
            }
        }
    }

    /// Replaces `out` by the manifolds of one pair at rest, its bodies at these places.
    pub(crate) fn collide_at(
        &mut self,
        colliders: &[Option<Collider>],
        (i, j): (u32, u32),
        at: &[Motion; 2],
        margin: f64,
        out: &mut Vec<Manifold>,
    ) {
        out.clear();
        let placed = |index: u32, motion: usize| {
            let collider = colliders.get(index as usize)?.as_ref()?;
            let pose = at[motion].pose * collider.local_pose;
            Some(Placed {
                index,
                geometry: &collider.shape.geometry,
                size: collider.shape.size,
                pose,
                motion: &at[motion],
                aabb: collider.shape.shape.compute_aabb(&(pose * collider.shape.pose)),
                reach: 0.5 * margin,
            })
        };
        if let (Some(a), Some(b)) = (placed(i, 0), placed(j, 1)) {
            self.pair_collider.collide(&a, &b, 0.0, margin, out);
        }
    }

    /// The pairs whose boxes overlapped in the last update, sorted.
    #[doc(hidden)]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Appends the colliders that may be in a box to `out`, half-spaces
    /// included.
    pub(crate) fn near(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        out.extend(self.bvh.intersect_aabb(aabb));
        out.extend_from_slice(&self.planes);
    }

    fn placed<'a>(
        &self,
        colliders: &'a [Option<Collider>],
        motions: &'a [Motion],
        index: u32,
    ) -> Option<Placed<'a>> {
        let i = index as usize;
        let collider = colliders[i].as_ref()?;
        Some(Placed {
            index,
            geometry: &collider.shape.geometry,
            size: collider.shape.size,
            pose: self.poses[i],
            motion: &motions[collider.body as usize],
            aabb: self.boxes[i],
            reach: self.reaches[i],
        })
    }

    /// Brings poses, boxes and the tree up to date.
    fn place(&mut self, colliders: &[Option<Collider>], motions: &[Motion], dt: f64, margin: f64) {
        self.planes.clear();
        let count = colliders.len().max(self.in_tree.len());
        self.in_tree.resize(count, false);
        self.poses.resize(count, Pose::IDENTITY);
        self.boxes.resize(count, Aabb::new(Vec3::ZERO, Vec3::ZERO));
        self.reaches.resize(count, 0.0);
        for i in 0..count {
            let collider = colliders.get(i).and_then(|c| c.as_ref());
            let motion = collider.and_then(|c| motions.get(c.body as usize));
            let swept = match (collider, motion) {
                (Some(c), Some(m)) if is_finite(m) => self.place_one(i, c, m, dt, margin),
                _ => None,
            };
            if let Some(aabb) = swept {
                self.bvh.insert_or_update_partially(aabb, i as u32, 0.0);
            } else if self.in_tree[i] {
                self.bvh.remove(i as u32);
            }
            self.in_tree[i] = swept.is_some();
        }
        self.in_tree.truncate(colliders.len());
        self.bvh.refit(&mut self.workspace);
        self.bvh.optimize_incremental(&mut self.workspace);
    }

    /// The box around the path of a collider; None for a half-space.
    fn place_one(
        &mut self,
        i: usize,
        c: &Collider,
        m: &Motion,
        dt: f64,
        margin: f64,
    ) -> Option<Aabb> {
        let pose = m.pose * c.local_pose;
        self.poses[i] = pose;
        if matches!(*c.shape.geometry, Geometry::HalfSpace(_)) {
            self.planes.push(i as u32);
            return None;
        }
        let aabb = c.shape.shape.compute_aabb(&(pose * c.shape.pose));
        let radius = c.shape.size + c.local_pose.translation.length();
        let spin = 0.5 * margin + dt * m.angular_velocity.length() * radius;
        let way = m.velocity * dt;
        self.boxes[i] = aabb;
        self.reaches[i] = spin + way.length();
        let swept = Aabb::new(aabb.mins + way.min(Vec3::ZERO), aabb.maxs + way.max(Vec3::ZERO));
        Some(swept.loosened(spin))
    }

    fn find_pairs(
        &mut self,
        colliders: &[Option<Collider>],
        motions: &[Motion],
        filter: impl Fn(u32, u32) -> bool,
    ) {
        self.pairs.clear();
        let pairs = &mut self.pairs;
        let wanted = |i: u32, j: u32| {
            let (Some(a), Some(b)) = (&colliders[i as usize], &colliders[j as usize]) else {
                return false;
            };
            let still = |c: &Collider| motions[c.body as usize].is_static;
            !(still(a) && still(b)) && a.may_meet(b) && filter(a.body, b.body)
        };
        let mut consider = |i: u32, j: u32| {
            let (i, j) = (i.min(j), i.max(j));
            if wanted(i, j) {
                pairs.push((i, j));
            }
        };
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut consider);
        for &p in &self.planes {
            for i in (0..colliders.len()).filter(|&i| self.in_tree[i]) {
                consider(p, i as u32);
            }
        }
        pairs.sort_unstable();
    }
}

fn is_finite(m: &Motion) -> bool {
    m.pose.is_finite() && m.velocity.is_finite() && m.angular_velocity.is_finite()
}
