//! Contacts of two colliders: taken apart into convex parts, then put
//! together again into flat patches.
//!
//! Contacts of several parts that share normal and plane are one patch: a box
//! on two coplanar triangles has its four corners as contacts and none where
//! it crosses the edge between them.

use super::axis::Couple;
use super::clip::Candidate;
use super::convex::{Convex, Core};
use super::feature::{self, Feature};
use super::mesh::{self, Mesh};
use super::meshes::{self, Meshes};
use super::narrow::{Narrow, is_behind};
use super::reduce::Reducer;
use super::round;
use super::sweep::{self, Moving};
use super::{Bend, ContactKey, ContactPoint, Manifold, Motion};
use crate::math::{Pose, Vec3};
use crate::shape::Geometry;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};

/// Normals closer than this (as 1 − cosine) are one direction.
const SAME_NORMAL: f64 = 1e-6;
/// Planes closer than this share of the size are one plane.
const SAME_PLANE: f64 = 1e-3;

/// Depths below this share of the size are told by triangles.
const SHALLOW: f64 = 5e-3;
/// Contacts tell a depth that is within this factor.
const TOLD: f64 = 1.5;

/// How far a pair that grazes is moved on, as a share of the size: enough to
/// overlap by more than a sliver.
const GRAZING_WAY: f64 = 4e-3;

/// A collider in the world during one update.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) index: u32,
    pub(crate) geometry: &'a Geometry,
    pub(crate) size: f64,
    pub(crate) pose: Pose,
    pub(crate) motion: &'a Motion,
    /// Box around the collider where it is.
    pub(crate) aabb: Aabb,
    /// Half the margin and the farthest way of any of its points in the step.
    pub(crate) reach: f64,
}

impl Placed<'_> {
    /// Distance of the farthest point that turning moves.
    pub(crate) fn arm(&self) -> f64 {
        let offset = self.pose.translation.distance(self.motion.pose.translation);
        match self.geometry {
            Geometry::Convex(shape) => offset + self.size - shape.radius,
            _ => offset + self.size,
        }
    }
}

/// Contacts of one pair of parts.
#[derive(Clone, Copy, Debug)]
struct Patch {
    normal: Vec3,
    /// Heights of the patch along the normal, on A and on B.
    height: [f64; 2],
    group: usize,
    first: usize,
    end: usize,
}

/// Finds the contacts of pairs of colliders; owns the buffers.
#[derive(Debug, Default)]
pub(crate) struct PairCollider {
    narrow: Narrow,
    meshes: Meshes,
    reducer: Reducer,
    feature: Feature,
    parts_a: Vec<u32>,
    parts_b: Vec<u32>,
    points: Vec<ContactPoint>,
    patches: Vec<Patch>,
    group: Vec<ContactPoint>,
}

impl PairCollider {
    /// Appends the manifolds of a pair to `out`, sorted by key.
    pub(crate) fn collide(
        &mut self,
        a: &Placed,
        b: &Placed,
        dt: f64,
        margin: f64,
        out: &mut Vec<Manifold>,
    ) {
        self.points.clear();
        self.patches.clear();
        match (a.geometry, b.geometry) {
            (Geometry::HalfSpace(_), Geometry::HalfSpace(_)) => {}
            (Geometry::HalfSpace(n), _) => self.on_plane(b, a, *n, dt, margin, true),
            (_, Geometry::HalfSpace(n)) => self.on_plane(a, b, *n, dt, margin, false),
            (Geometry::Convex(ca), Geometry::Convex(cb)) => {
                self.parts((ca, &a.pose, a), (cb, &b.pose, b), [0, 0], dt, margin);
            }
            (ga, gb) => match meshes::meshes(ga, gb) {
                Some((ma, mb)) => self.meshes((a, ma), (b, mb), dt, margin),
                None => self.composite(a, b, dt, margin),
            },
        }
        self.assemble(a, b, out);
    }

    /// Two convex parts. Of two that travel together one may be stopped by a
    /// third body while the other goes on, as in a stack that lands: if they
    /// do not meet otherwise, each is also tried against the other at rest.
    fn parts(
        &mut self,
        (shape_a, pose_a, a): (&Convex, &Pose, &Placed),
        (shape_b, pose_b, b): (&Convex, &Pose, &Placed),
        subs: [u32; 2],
        dt: f64,
        margin: f64,
    ) {
        let motion_a = sweep::motion_of(a.motion, shape_a, pose_a);
        let motion_b = sweep::motion_of(b.motion, shape_b, pose_b);
        let a_moves = Moving { shape: shape_a, pose: *pose_a, motion: &motion_a };
        let b_moves = Moving { shape: shape_b, pose: *pose_b, motion: &motion_b };
        let first = self.points.len();
        self.approach(&a_moves, &b_moves, subs, dt, margin);
        if self.points.len() > first || !sweep::travel_together(a.motion, b.motion) {
            return;
        }
        let (rest_a, rest_b) = (a.motion.at_rest(), b.motion.at_rest());
        let a_rests = Moving { shape: shape_a, pose: *pose_a, motion: &rest_a };
        let b_rests = Moving { shape: shape_b, pose: *pose_b, motion: &rest_b };
        self.approach(&a_moves, &b_rests, subs, dt, margin);
        if self.points.len() == first {
            self.approach(&a_rests, &b_moves, subs, dt, margin);
        }
    }

    /// Two convex parts in given motion.
    fn approach(&mut self, ma: &Moving, mb: &Moving, subs: [u32; 2], dt: f64, margin: f64) {
        let (pose_a, pose_b) = (ma.pose, mb.pose);
        let dt = dt.min(ma.horizon()).min(mb.horizon());
        let speed = sweep::speed_bound(ma, mb);
        let Some(t) = sweep::contact_time(ma, mb, dt, margin, speed) else {
            return;
        };
        let reach = margin + dt * speed;
        let mut t = t;
        let mut found = self.contact_at(ma, mb, t, reach);
        if found.is_none() && slides_on(ma, mb, dt * speed, margin) {
            t = dt;
            found = self.contact_at(ma, mb, t, reach);
        }
        if self.narrow.grazing && t > 0.0 {
            // Past the sliver it shows which faces really meet.
            t = dt.min(t + GRAZING_WAY * ma.shape.size.min(mb.shape.size) / speed);
            found = self.contact_at(ma, mb, t, reach);
        }
        let Some((then, relative, n)) = found else {
            return;
        };
        let rounds = self.narrow.rounds(ma.shape, mb.shape);
        let [ra, rb] = rounds.map(|r| r.unwrap_or(0.0));
        let normal = then.transform_vector(n);
        // What is in front of a thin solid now does not meet its back.
        let was_behind = || {
            let pose = pose_a.inv_mul(&pose_b);
            is_behind(&Couple { a: ma.shape, b: mb.shape, pose }).is_some()
        };
        if t > 0.0 && (was_behind() || sweep::meet_elsewhere(ma, mb, t, normal)) {
            return;
        }
        let first = self.points.len();
        for c in &self.narrow.candidates {
            let (point_a, point_b, gap) = if t == 0.0 {
                (pose_a.transform_point(c.a), pose_a.transform_point(c.b), c.gap)
            } else {
                // Centres of round features are fixed to their bodies, and the
                // points of contact wander while these turn.
                let point_a = pose_a.transform_point(c.a - ra * n) + ra * normal;
                let local = relative.inverse_transform_point(c.b + rb * n);
                let point_b = pose_b.transform_point(local) - rb * normal;
                (point_a, point_b, (point_b - point_a).dot(normal))
            };
            if gap <= reach {
                // Corners and faces have none.
                let has = |side: usize| c.edges[side] != Vec3::ZERO;
                let mut edges = [Vec3::ZERO; 2];
                if has(0) {
                    edges[0] = pose_a.transform_vector(c.edges[0]);
                }
                if has(1) && t == 0.0 {
                    edges[1] = pose_a.transform_vector(c.edges[1]);
                } else if has(1) {
                    let local = relative.inverse_transform_vector(c.edges[1]);
                    edges[1] = pose_b.transform_vector(local);
                }
                let bend = Some(Bend { edges, rounds });
                let point = contact_point(point_a, point_b, gap, subs, c);
                self.points.push(ContactPoint { bend, ..point });
            }
        }
        self.close_patch(normal, first);
    }

    /// Generates contacts where the parts are after the time `t`. Returns the
    /// pose of A then, that of B relative to it, and the normal in A's frame.
    fn contact_at(
        &mut self,
        a: &Moving,
        b: &Moving,
        t: f64,
        reach: f64,
    ) -> Option<(Pose, Pose, Vec3)> {
        let then = a.pose_at(t);
        let couple = Couple { a: a.shape, b: b.shape, pose: then.inv_mul(&b.pose_at(t)) };
        let n = self.narrow.contact(&couple, reach)?;
        Some((then, couple.pose, n))
    }

    fn close_patch(&mut self, normal: Vec3, first: usize) {
        let end = self.points.len();
        if first == end {
            return;
        }
        let p = &self.points[first];
        self.patches.push(Patch {
            normal,
            height: [p.point_a.dot(normal), p.point_b.dot(normal)],
            group: usize::MAX,
            first,
            end,
        });
    }

    /// Two meshes.
    fn meshes(&mut self, a: (&Placed, &Mesh), b: (&Placed, &Mesh), dt: f64, margin: f64) {
        self.meshes.collide(a, b, dt, margin);
        self.take_meshes(false);
    }

    /// Every contact is a patch, joined later where they share a plane.
    fn take_meshes(&mut self, flip: bool) {
        for k in 0..self.meshes.contacts.len() {
            let (mut point, mut normal) = self.meshes.contacts[k];
            if flip {
                (point, normal) = (point.flipped(), -normal);
            }
            let first = self.points.len();
            self.points.push(point);
            self.close_patch(normal, first);
        }
    }

    /// At least one mesh or compound, not two meshes, no half-space.
    fn composite(&mut self, a: &Placed, b: &Placed, dt: f64, margin: f64) {
        let mut parts_a = std::mem::take(&mut self.parts_a);
        let mut parts_b = std::mem::take(&mut self.parts_b);
        let reach = a.reach + b.reach;
        list_parts(a, &b.aabb.loosened(reach), &mut parts_a);
        list_parts(b, &a.aabb.loosened(reach), &mut parts_b);
        self.narrow.lost = false;
        self.part_pairs((a, &parts_a), (b, &parts_b), dt, margin);
        if self.narrow.lost && self.points.is_empty() {
            // A body that sticks in a fold of a mesh must still be pushed out.
            self.narrow.lenient = true;
            self.part_pairs((a, &parts_a), (b, &parts_b), dt, margin);
            self.narrow.lenient = false;
        }
        self.parts_a = parts_a;
        self.parts_b = parts_b;
        self.check_depth(a, b);
    }

    fn drop_deeper(&mut self, most: f64) {
        let mut end = 0;
        for patch in &mut self.patches {
            let first = end;
            for k in patch.first..patch.end {
                if -self.points[k].gap <= most {
                    self.points[end] = self.points[k];
                    end += 1;
                }
            }
            (patch.first, patch.end) = (first, end);
        }
        self.points.truncate(end);
        self.patches.retain(|p| p.first < p.end);
    }

    /// Of round bodies in solids: where contacts do not tell how deep, one that does.
    fn check_depth(&mut self, a: &Placed, b: &Placed) {
        let Some(sunk) = round::sunk(a, b) else { return };
        let (small, depth) = (SHALLOW * a.size.min(b.size), sunk.depth.max(0.0));
        self.drop_deeper(TOLD * depth + small);
        let told = self.points.iter().map(|p| -p.gap).fold(0.0, f64::max);
        if depth <= TOLD * told + small || sunk.out == Vec3::ZERO {
            return;
        }
        self.points.clear();
        self.patches.clear();
        let (on_solid, normal) = (sunk.at + depth * sunk.out, sunk.out);
        let (ends, normal) = match sunk.flip {
            false => ([on_solid, sunk.at], normal),
            true => ([sunk.at, on_solid], -normal),
        };
        let id = feature::face(0);
        self.points.push(ContactPoint {
            point_a: ends[0],
            point_b: ends[1],
            gap: -depth,
            feature: ContactKey { sub_a: 0, sub_b: 0, feature_a: id, feature_b: id },
            bend: Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] }),
        });
        self.close_patch(normal, 0);
    }

    fn part_pairs(
        &mut self,
        (a, parts_a): (&Placed, &[u32]),
        (b, parts_b): (&Placed, &[u32]),
        dt: f64,
        margin: f64,
    ) {
        let reach = a.reach + b.reach;
        for &i in parts_a {
            with_part(a, i, |shape_a, pose_a, sub_a, box_a| {
                for &j in parts_b {
                    with_part(b, j, |shape_b, pose_b, sub_b, box_b| {
                        if box_a.loosened(reach).intersects(&box_b) {
                            let (pa, pb) = ((shape_a, pose_a, a), (shape_b, pose_b, b));
                            self.parts(pa, pb, [sub_a, sub_b], dt, margin);
                        }
                    });
                }
            });
        }
    }

    /// Anything against a half-space: the points of the shape that face it.
    /// No sweep is needed, as the normal is the same wherever the shape goes.
    fn on_plane(&mut self, a: &Placed, plane: &Placed, n: Vec3, dt: f64, margin: f64, flip: bool) {
        let n = plane.pose.transform_vector(n);
        let origin = plane.pose.translation;
        let speed = (plane.motion.velocity - a.motion.velocity).length()
            + a.motion.angular_velocity.length()
                * (a.size + a.pose.translation.distance(a.motion.pose.translation));
        let arm = a.arm();
        let reach = margin + dt.min(sweep::horizon(a.motion, arm, a.size)) * speed;
        // Nearly all of a pile is far above the ground. (Meshes look where the step leads.)
        let height = (a.pose.translation - origin).dot(n);
        let is_far = height - a.size > reach + 1e-9 * (height.abs() + a.size);
        if is_far && !matches!(a.geometry, Geometry::Mesh(_)) {
            return;
        }
        let normal = if flip { n } else { -n };
        let first = self.points.len();
        let push = |points: &mut Vec<ContactPoint>, p: Vec3, sub: u32, id: u32, r: Option<f64>| {
            let gap = (p - origin).dot(n);
            if gap > reach {
                return;
            }
            let q = p - gap * n;
            let (mut key, mut ends) = ([sub, 0, id, feature::face(0)], [p, q]);
            if flip {
                key = [0, sub, feature::face(0), id];
                ends = [q, p];
            }
            points.push(ContactPoint {
                point_a: ends[0],
                point_b: ends[1],
                gap,
                feature: ContactKey {
                    sub_a: key[0],
                    sub_b: key[1],
                    feature_a: key[2],
                    feature_b: key[3],
                },
                bend: Some(Bend {
                    edges: [Vec3::ZERO; 2],
                    rounds: if flip { [Some(0.0), r] } else { [r, Some(0.0)] },
                }),
            });
        };
        if let Geometry::Mesh(mesh) = a.geometry {
            self.meshes.on_plane((a, mesh), (plane, n), dt, reach);
            self.take_meshes(flip);
        } else {
            for i in 0..a.geometry.part_count() {
                with_part(a, i, |shape, pose, sub, _| {
                    self.feature.set_support(shape, pose.inverse_transform_vector(-n));
                    let round = self.feature.round(shape);
                    for (k, &p) in self.feature.points.iter().enumerate() {
                        let p = pose.transform_point(p) - shape.radius * n;
                        push(&mut self.points, p, sub, self.feature.vertex_ids[k], round);
                    }
                });
            }
        }
        self.close_patch(normal, first);
    }

    /// Joins patches of the same plane and reduces each to a manifold.
    fn assemble(&mut self, a: &Placed, b: &Placed, out: &mut Vec<Manifold>) {
        let size = a.size.min(b.size);
        let start = out.len();
        for i in 0..self.patches.len() {
            let p = self.patches[i];
            let leader = self.patches[..i].iter().position(|q| {
                let level = |k: usize| (p.height[k] - q.height[k]).abs() < SAME_PLANE * size;
                p.normal.dot(q.normal) > 1.0 - SAME_NORMAL && (level(0) || level(1))
            });
            self.patches[i].group = leader.map_or(i, |l| self.patches[l].group);
        }
        for g in 0..self.patches.len() {
            if self.patches[g].group != g {
                continue;
            }
            let Patch { normal, first, end, .. } = self.patches[g];
            // Filled where it stays: a manifold is more than a kilobyte.
            out.push(Manifold::new(a.index, b.index, normal));
            let Some(manifold) = out.last_mut() else { continue };
            if self.patches[g + 1..].iter().all(|p| p.group != g) {
                self.reducer.reduce(&self.points[first..end], size, manifold);
                continue;
            }
            self.group.clear();
            for p in self.patches.iter().filter(|p| p.group == g) {
                self.group.extend_from_slice(&self.points[p.first..p.end]);
            }
            // The members' normals may differ by the grouping tolerance.
            for p in &mut self.group {
                p.gap = (p.point_b - p.point_a).dot(normal);
            }
            self.reducer.reduce(&self.group, size, manifold);
        }
        let found = &mut out[start..];
        make_keys_unique(found);
        found.sort_by_key(|m| m.points().first().map(|p| p.feature));
    }
}

/// Whether slow parts without a contact may have one on the next triangle of a
/// mesh: where it rises from a hollow it would else be found too late.
fn slides_on(a: &Moving, b: &Moving, way: f64, margin: f64) -> bool {
    let is_triangle = |m: &Moving| matches!(m.shape.core, Core::Triangle(_));
    let moves = way > 1e-4 * a.shape.size.min(b.shape.size);
    (is_triangle(a) || is_triangle(b)) && moves && way <= margin
}

fn contact_point(a: Vec3, b: Vec3, gap: f64, subs: [u32; 2], c: &Candidate) -> ContactPoint {
    ContactPoint {
        point_a: a,
        point_b: b,
        gap,
        feature: ContactKey {
            sub_a: subs[0],
            sub_b: subs[1],
            feature_a: c.feature_a,
            feature_b: c.feature_b,
        },
        bend: None,
    }
}

/// Numbers the parts of `a` that may meet the world box `other`.
fn list_parts(a: &Placed, other: &Aabb, out: &mut Vec<u32>) {
    out.clear();
    match a.geometry {
        Geometry::Mesh(mesh) => mesh.query(&other.transform_by(&a.pose.inverse()), out),
        Geometry::Compound(parts) => {
            let meets = |i: &u32| parts[*i as usize].2.transform_by(&a.pose).intersects(other);
            out.extend((0..parts.len() as u32).filter(meets));
        }
        _ => out.push(0),
    }
}

/// Calls `f` with part `i`: shape, world pose, key number and world box.
fn with_part(a: &Placed, i: u32, f: impl FnOnce(&Convex, &Pose, u32, Aabb)) {
    match a.geometry {
        Geometry::Convex(shape) => f(shape, &a.pose, 0, a.aabb),
        Geometry::Compound(parts) => {
            if let Some((pose, shape, aabb)) = parts.get(i as usize) {
                f(shape, &(a.pose * *pose), i, aabb.transform_by(&a.pose));
            }
        }
        Geometry::Mesh(mesh) => {
            let triangle = &mesh.triangles[i as usize];
            let aabb = mesh::bounds(triangle).transform_by(&a.pose);
            let shape = Convex::new(Core::Triangle(triangle.clone()), 0.0);
            f(&shape, &a.pose, mesh.patches[i as usize], aabb);
        }
        Geometry::HalfSpace(_) => {}
    }
}

/// Names that occur twice in a pair get a number in their unused bits.
fn make_keys_unique(manifolds: &mut [Manifold]) {
    if let [one] = manifolds
        && one.points().is_sorted_by(|p, q| p.feature < q.feature)
    {
        return; // Most pairs have one patch, and its names differ.
    }
    for i in 0..manifolds.len() {
        for k in 0..manifolds[i].points().len() {
            while is_taken(manifolds, i, k) {
                let key = &mut manifolds[i].points_mut()[k].feature;
                key.feature_b = key.feature_b.wrapping_add(1 << 24);
            }
        }
        manifolds[i].points_mut().sort_unstable_by_key(|p| p.feature);
    }
}

fn is_taken(manifolds: &[Manifold], i: usize, k: usize) -> bool {
    let key = manifolds[i].points()[k].feature;
    let earlier = manifolds[..i].iter().flat_map(|m| m.points());
    let mut same = earlier.chain(&manifolds[i].points()[..k]);
    same.any(|p| p.feature == key)
}
