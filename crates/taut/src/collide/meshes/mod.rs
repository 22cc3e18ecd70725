//! Contacts of two triangle meshes: corners on faces, edges across edges (Andrews22 2.2, 2.3).
//!
//! Problem: bolts, gears and chain links have hollows. No axis separates them, and convex parts of them meet at seams
//! that are not there.
//!
//! Method: what touches is a corner of one mesh on a face of the other, or two ridges that cross. A search of
//! both trees gives the triangles that are near; each corner and each edge belongs to one of its triangles, so that it is
//! looked at once per triangle of the other mesh.
//!
//! * *Corner on face*: the corner's height over the plane, where it is over the face. On the rim of a ridge it counts only where no
//!   edge of the corner leads behind the plane: a corner that rests on a border must not feel the wall below.
//! * *Edge across edge*: n = ±e_a × e_b must lie between the normals of the two faces on either side of each edge
//!   (their arcs on the Gauss map cross, as for polyhedra); then the gap is that of the two lines, and
//!   its sign is right whether they overlap or not. Hollow and flat edges touch nothing.
//! * *Depth*: a corner behind a face is in the solid if the solid's signed distance field says so, and belongs
//!   to faces about as near as the nearest. Open meshes have no inside; there corners behind a face count while they are shallow.
//! * *Anticipation*: what touches now, and what is near where the velocities lead at the end of the step; of a pair that
//!   would be deep in one another by then, where it has sunk in by a quarter of its thickness, which continuous collision detection
//!   finds ([`Meshes::first_crossing`]). Features are fixed to their bodies; gap and normal are those of now.
//! * *Lost pairs*: where edges pass through faces, fields tell how deep solids are in one another (`overlap`). Those that are deep, or deeper
//!   than their features tell, get contacts along the shortest way out (`part`).
//!
//! Names of contacts are those of corners and edges, and of flat patches for faces. Cost: about a microsecond for ten pairs of
//! triangles. When it fails: solids that overlap by more than their thickness are pushed out on the
//! wrong side.

mod crossing;
mod overlap;
mod part;
mod thin_out;
mod touch;

pub(crate) use crossing::{meet, meet_plane};

use super::feature::{face, vertex};
use super::mesh::Mesh;
use super::pair::Placed;
use super::sweep;
use super::{Bend, ContactKey, ContactPoint};
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::shape::Geometry;
use crossing::{Limits, chords, common_way};
use overlap::Cut;
use taut_sdf::{Bounds, MovedBoxes, Placement};
use touch::{Touch, contact};

/// Contacts to come reach no farther than this share of the thickness, beyond what the pair moves.
const MARGIN: f64 = 0.25;
/// The share of the way of a step by which prediction may be wrong.
const WRONG: f64 = 0.25;
/// A pair that sinks in by more than this share of the thickness in a step is looked at where it does so.
const FAST: f64 = 0.25;
/// A pair that moves by less than this share of the thickness does not move.
const STILL: f64 = 1e-3;
/// Features nearer than this share of the thickness touch.
const TOUCH: f64 = 0.01;
/// Deeper than this share of the thickness corners and ridges do not tell which way leads out. (Pairs that start inside one another: with 1,
/// four of 16 Ls and Us stay there for 3 s, with 0.25 none.)
const LOST: f64 = 0.25;
/// Solids that are deeper in one another than this times what corners and ridges tell, and than this share of the thickness, are lost, too.
const TOLD: f64 = 1.5;
const UNTOLD: f64 = 0.05;
/// Features are looked at down to this share of the thickness.
const DEEP: f64 = 4.0;
/// What stands for the thickness of sheets, as a share of their size.
const SHEET: f64 = 0.02;

/// A mesh where it is.
#[derive(Clone, Copy)]
struct Side<'a> {
    mesh: &'a Mesh,
    pose: Pose,
    size: f64,
}

/// Contacts of meshes; owns the buffers.
#[derive(Debug, Default)]
pub(crate) struct Meshes {
    pairs: Vec<[u32; 2]>,
    moved: MovedBoxes,
    found: Vec<Touch>,
    cuts: Vec<Cut>,
    /// Triangles that are near to one another where the bodies are now.
    near: Vec<[u32; 2]>,
    /// Parts of a way on which triangles meet.
    spans: Vec<[f64; 2]>,
    /// Contacts and their normals from A to B.
    pub(crate) contacts: Vec<(ContactPoint, Vec3)>,
    /// Their gaps at the end of the step, if nothing holds.
    ahead: Vec<f64>,
    far: Vec<f64>,
}

impl Meshes {
    /// Fills `contacts` with those of a pair, now and to come.
    pub(crate) fn collide(
        &mut self,
        (a, mesh_a): (&Placed, &Mesh),
        (b, mesh_b): (&Placed, &Mesh),
        dt: f64,
        margin: f64,
    ) {
        let horizon = |p: &Placed| sweep::horizon(p.motion, p.arm(), p.size);
        let dt = dt.min(horizon(a)).min(horizon(b));
        let spin = |p: &Placed| p.motion.angular_velocity.length() * p.arm();
        let way = dt * ((b.motion.velocity - a.motion.velocity).length() + spin(a) + spin(b));
        let thick = thickness(mesh_a, mesh_b);
        let margin =
            margin.min(MARGIN * thick.min(0.25 * a.size.min(b.size)).max(f64::MIN_POSITIVE));
        let sides = |t: f64| {
            let side = |p: &Placed, mesh| Side { mesh, pose: pose_at(p, t), size: p.size };
            [side(a, mesh_a), side(b, mesh_b)]
        };
        let now = sides(0.0);
        self.contacts.clear();
        // What is about to leave its place is no contact, unless it touches.
        let moves = way > STILL * thick;
        self.search(&now, if moves { margin.min(TOUCH * thick) } else { margin }, thick);
        self.near.clone_from(&self.pairs);
        self.take(&now, f64::NEG_INFINITY);
        let told = self.contacts.iter().map(|(p, _)| -p.gap).fold(0.0, f64::max);
        if moves {
            let turn = a.motion.angular_velocity.length() + b.motion.angular_velocity.length();
            let poses = |t: f64| [pose_at(a, t), pose_at(b, t)];
            let crossing = match way > FAST * thick {
                true => {
                    let (skin, tolerance) = (FAST * thick, 1e-3 * thick);
                    let limits = Limits { skin, tolerance, told };
                    let way = common_way(&now, poses, dt, [way, turn * dt]);
                    let chords = chords(way, turn * dt, thick, a.size.min(b.size));
                    self.first_crossing(&now, poses, dt, chords, limits)
                }
                false => None,
            };
            let reach = margin + (WRONG * way).min(MARGIN * thick);
            self.search(&sides(crossing.unwrap_or(dt)), reach, thick);
            self.take(&now, -margin);
        }
        // Of two with one name, such as a corner over two triangles of a patch, or now and then, either will do.
        self.contacts.sort_by_key(|(p, _)| p.feature);
        self.contacts.dedup_by_key(|(p, _)| p.feature);
        self.part_lost(&now, thick);
        self.thin_out([a.motion, b.motion], dt, thick);
    }

    /// Where features do not tell how deep solids are in one another, contacts along the way out do.
    fn part_lost(&mut self, now: &[Side; 2], thick: f64) {
        if now.iter().any(|side| side.mesh.surface.is_none()) {
            return;
        }
        let told = self.contacts.iter().map(|(p, _)| -p.gap).fold(0.0, f64::max);
        let known = if self.contacts.is_empty() { 0.0 } else { (TOLD * told).max(UNTOLD * thick) };
        self.find_cuts(now);
        let is_lost = told > LOST * thick
            || self.depth(now, known) > known
            || (self.contacts.is_empty() && self.is_one_inside(now));
        if is_lost && !self.part(now) {
            // What seems to be deep without an overlap lies beside the solid.
            self.contacts.retain(|(p, _)| -p.gap <= LOST * thick);
        }
    }

    /// Fills `contacts` with corners of a mesh A that are nearer than `reach` to a plane of B, with a normal out of it.
    pub(crate) fn on_plane(
        &mut self,
        (a, mesh): (&Placed, &Mesh),
        (b, out): (&Placed, Vec3),
        dt: f64,
        reach: f64,
    ) {
        self.contacts.clear();
        let local = a.pose.inverse_transform_vector(out);
        let height = (a.pose.translation - b.pose.translation).dot(out);
        for (i, &v) in (0..).zip(&mesh.vertices) {
            let gap = height + local.dot(v);
            if gap > reach {
                continue;
            }
            let p = a.pose.transform_point(v);
            let feature =
                ContactKey { sub_a: 0, sub_b: 0, feature_a: vertex(i), feature_b: face(0) };
            let bend = Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] });
            let point = ContactPoint { point_a: p, point_b: p - gap * out, gap, feature, bend };
            self.contacts.push((point, -out));
        }
        let thick = if mesh.inner > 0.0 { mesh.inner } else { 0.1 * a.size };
        self.thin_out([a.motion, b.motion], dt, thick);
    }

    /// Makes contacts of what was found, where the meshes are now, unless they are deeper than a bound.
    fn take(&mut self, [a, b]: &[Side; 2], least: f64) {
        let found = self.found.iter().filter_map(|&touch| contact(touch, a, b));
        self.contacts.extend(found.filter(|(point, _)| point.gap >= least));
    }
}

/// The meshes of a pair that is to meet as such: two meshes, or a solid one and a convex body with flat faces.
pub(crate) fn meshes<'a>(a: &'a Geometry, b: &'a Geometry) -> Option<(&'a Mesh, &'a Mesh)> {
    match (a, b) {
        (Geometry::Mesh(a), Geometry::Mesh(b)) => Some((a, b)),
        (Geometry::Mesh(a), Geometry::Convex(b)) if a.surface.is_some() => {
            Some((a, b.polyhedron()?))
        }
        (Geometry::Convex(a), Geometry::Mesh(b)) if b.surface.is_some() => {
            Some((a.polyhedron()?, b))
        }
        _ => None,
    }
}

/// The thickness of a pair of solids that meet as meshes: the radius of the ball that fits into the thinner one.
pub(crate) fn thickness_of(a: &Geometry, b: &Geometry) -> Option<f64> {
    let (a, b) = meshes(a, b).filter(|(a, b)| a.surface.is_some() && b.surface.is_some())?;
    Some(thickness(a, b))
}

/// The thickness of the thinner one that has any; of two flat sheets a share of their size.
fn thickness(a: &Mesh, b: &Mesh) -> f64 {
    let some = [a.inner, b.inner].into_iter().filter(|t| *t > 0.0);
    some.reduce(f64::min).unwrap_or_else(|| {
        let extent = |m: &Mesh| {
            let Bounds { lo, hi } = m.tree.bounds();
            (Vec3::from(hi) - Vec3::from(lo)).max_element()
        };
        SHEET * extent(a).min(extent(b))
    })
}

fn placement(pose: &Pose) -> Placement {
    let m = Mat3::from_quat(pose.rotation);
    let row = |k: usize| m.row(k).to_array();
    Placement { rotation: [row(0), row(1), row(2)], origin: pose.translation.to_array() }
}

fn pose_at(p: &Placed, t: f64) -> Pose {
    if t == 0.0 {
        return p.pose;
    }
    let centre = p.motion.pose.translation;
    let turn = Quat::from_scaled_axis(p.motion.angular_velocity * t);
    let arm = p.pose.translation - centre;
    Pose::from_parts(centre + p.motion.velocity * t + turn * arm, turn * p.pose.rotation)
}
