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
//! * *Lost pairs*: solids that overlap with neither are pushed out by their fields: corners inside, else the deepest
//!   points of faces, certified by branch and bound.
//!
//! Names of contacts are those of corners and edges, and of flat patches for faces. Cost: about a microsecond for ten pairs of
//! triangles. When it fails: solids that overlap by more than their thickness are pushed out on the
//! wrong side.

use super::feature::{edge, face, vertex};
use super::impact::{Meeting, Way};
use super::mesh::Mesh;
use super::pair::Placed;
use super::sweep;
use super::triangle::{FLAT_ANGLE, Triangle};
use super::{Bend, Collider, ContactKey, ContactPoint, Motion};
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::shape::Geometry;
use taut_ccd::{Options, Query, additive};
use taut_sdf::{Bounds, Field, Placement, face_minimum};

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
/// Corners this share of the size beside a face are over it.
const RIM: f64 = 1e-6;
/// Slack of normal cones and arcs \[rad\].
const SLACK: f64 = 1e-6;
/// Edges that cross at a smaller sine are parallel: corners tell more of them.
const PARALLEL: f64 = 0.02;
/// Of faces behind which a corner is: no deeper than this times the least depth.
const DEEPER: f64 = 1.5;
/// Values looked at for the deepest point of a face, at most.
const VALUES: usize = 300;
/// Contacts of a pair, at most. A bolt touches its nut along turns of its thread: with 12 it rocked.
const MOST: usize = 24;
/// Contacts nearer than this share of the thickness, with like normals, are one.
const SPACING: f64 = 0.05;
/// How much a turned normal counts as distance, as a share of the thickness.
const TURNED: f64 = 0.5;
/// How much a larger gap counts against distance: what is higher by a sixth of it comes later.
const HIGHER: f64 = 6.0;
/// Gaps that differ by less than this share of the thickness are equal.
const LEVEL: f64 = 1e-3;
/// Turning is followed in chords of at most this angle \[rad\].
const CHORD: f64 = 0.1;
/// Chords that a way is cut into, at most.
const MOST_CHORDS: f64 = 4000.0;

/// How far beside a rim the field is looked at, in depths: inside a corner of 90° that is as deep.
const ASIDE: f64 = 1.5;
/// Share of the thickness by which meshes may sink in in a step, at least. With 0.01, as convex parts have, a star jammed in a ring
/// was held in every step.
const SKIN: f64 = 0.03;
/// Features deeper than this share of the thickness are left alone.
const LOST: f64 = 0.5;
/// What stands for the thickness of sheets, as a share of their size.
const SHEET: f64 = 0.02;

/// Which features touch: a corner of a triangle (0 to 2) or an edge (0 to 2), on a triangle or its edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    /// Corner `k` of triangle `i` of A on triangle `j` of B.
    CornerOnFace(u32, u8, u32),
    /// Corner `l` of triangle `j` of B on triangle `i` of A.
    FaceUnderCorner(u32, u32, u8),
    /// Edge `k` of triangle `i` of A across edge `l` of triangle `j` of B.
    EdgeOnEdge(u32, u8, u32, u8),
}

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
    found: Vec<Touch>,
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
        self.take(&now, f64::NEG_INFINITY);
        if moves {
            let turn = a.motion.angular_velocity.length() + b.motion.angular_velocity.length();
            let chords = chords(way, turn * dt, thick, a.size.min(b.size));
            let poses = |t: f64| [pose_at(a, t), pose_at(b, t)];
            let crossing = match way > FAST * thick {
                true => self.first_crossing(&now, poses, dt, chords, [FAST * thick, 1e-3 * thick]),
                false => None,
            };
            let reach = margin + (WRONG * way).min(MARGIN * thick);
            self.search(&sides(crossing.unwrap_or(dt)), reach, thick);
            self.take(&now, -margin);
        }
        // Of two with one name, such as a corner over two triangles of a patch, or now and then, either will do.
        self.contacts.sort_by_key(|(p, _)| p.feature);
        self.contacts.dedup_by_key(|(p, _)| p.feature);
        if self.contacts.is_empty() {
            self.push_out(&now, thick);
        }
        self.thin_out([a.motion, b.motion], dt, thick);
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

    /// Keeps the deepest, then again and again the one that is farthest from those kept, in place and in normal, until all
    /// are near to one or much higher. Nearly equal ones are decided by their names.
    fn thin_out(&mut self, [a, b]: [&Motion; 2], dt: f64, thick: f64) {
        let speed =
            |m: &Motion, x: Vec3| m.velocity + m.angular_velocity.cross(x - m.pose.translation);
        self.ahead.clear();
        self.ahead.extend(
            self.contacts
                .iter()
                .map(|(p, n)| p.gap + dt * n.dot(speed(b, p.point_b) - speed(a, p.point_a))),
        );
        let level = |gap: f64| (gap / (LEVEL * thick)).round();
        let count = self.contacts.len();
        let levels = self.ahead.iter().map(|&gap| level(gap));
        let lowest = (0..count).zip(levels).min_by(|(_, g), (_, h)| g.total_cmp(h));
        let Some((mut next, _)) = lowest else { return };
        let least = self.ahead[next];
        self.far.clear();
        self.far.resize(count, f64::INFINITY);
        let mut kept = Vec::new();
        loop {
            kept.push(next);
            self.far[next] = f64::NEG_INFINITY;
            let (p, n) = self.contacts[next];
            for (i, (q, m)) in self.contacts.iter().enumerate() {
                let d = p.point_a.distance(q.point_a) + TURNED * thick * n.distance(*m);
                self.far[i] = self.far[i].min(d);
            }
            let score = |i: usize| self.far[i] - HIGHER * (self.ahead[i] - least);
            let best = (0..count).max_by(|&i, &j| score(i).total_cmp(&score(j)).then(j.cmp(&i)));
            match best.filter(|&i| score(i) > SPACING * thick && kept.len() < MOST) {
                Some(i) => next = i,
                None => break,
            }
        }
        kept.sort_unstable();
        let mut at = 0;
        self.contacts.retain(|_| {
            at += 1;
            kept.binary_search(&(at - 1)).is_ok()
        });
    }

    /// Finds all features nearer to one another than `reach`.
    fn search(&mut self, [a, b]: &[Side; 2], reach: f64, thick: f64) {
        let relative = a.pose.inv_mul(&b.pose);
        let at = placement(&relative);
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        a.mesh.tree.near_pairs(&b.mesh.tree, &[at, at], reach, &mut pairs);
        self.found.clear();
        let rim = RIM * a.size.min(b.size);
        for &[i, j] in &pairs {
            let (ball_a, ball_b) = (&a.mesh.balls[i as usize], &b.mesh.balls[j as usize]);
            let far = ball_a.0.distance_squared(relative.transform_point(ball_b.0));
            if far > (ball_a.1 + ball_b.1 + reach).powi(2) {
                continue;
            }
            let ta = &a.mesh.triangles[i as usize];
            let tb = &b.mesh.triangles[j as usize];
            let moved = MovedTriangle::new(tb, &relative);
            // Both must be near to the other's plane.
            let heights = moved.vertices.map(|p| ta.height(p));
            if heights.iter().all(|h| *h > reach) {
                continue;
            }
            let backs = ta.vertices.map(|p| (p - moved.vertices[0]).dot(moved.normal));
            if backs.iter().all(|h| *h > reach) {
                continue;
            }
            let (owns_a, owns_b) = (a.mesh.owned[i as usize], b.mesh.owned[j as usize]);
            for k in 0..3 {
                if owns_a & 1 << k != 0 && backs[k] <= reach && backs[k] >= -thick {
                    let corner = Corner {
                        at: relative.inverse_transform_point(ta.vertices[k]),
                        height: backs[k],
                        mesh: a.mesh,
                        vertex: ta.vertex_ids[k],
                        turn: relative.rotation.inverse(),
                    };
                    if corner.touches(tb, b.mesh, rim) {
                        self.found.push(Touch::CornerOnFace(i, k as u8, j));
                    }
                }
                if owns_b & 1 << k != 0 && heights[k] <= reach && heights[k] >= -thick {
                    let corner = Corner {
                        at: moved.vertices[k],
                        height: heights[k],
                        mesh: b.mesh,
                        vertex: tb.vertex_ids[k],
                        turn: relative.rotation,
                    };
                    if corner.touches(ta, a.mesh, rim) {
                        self.found.push(Touch::FaceUnderCorner(i, j, k as u8));
                    }
                }
            }
            for k in (0..3).filter(|k| owns_a & 8 << k != 0 && ta.edge_limits[*k] > FLAT_ANGLE) {
                for l in (0..3).filter(|l| owns_b & 8 << l != 0 && tb.edge_limits[*l] > FLAT_ANGLE)
                {
                    if crosses((ta, k), (&moved, tb, l), reach, thick) {
                        self.found.push(Touch::EdgeOnEdge(i, k as u8, j, l as u8));
                    }
                }
            }
        }
        self.pairs = pairs;
    }

    /// Makes contacts of what was found, where the meshes are now, unless they are deeper than a bound.
    fn take(&mut self, [a, b]: &[Side; 2], least: f64) {
        let found = self.found.iter().filter_map(|&touch| contact(touch, a, b));
        self.contacts.extend(found.filter(|(point, _)| point.gap >= least));
    }

    /// Solids that overlap without a contact: corners inside, else deepest points of faces.
    fn push_out(&mut self, sides: &[Side; 2], thick: f64) {
        let [a, b] = sides;
        let (Some(_), Some(_)) = (&a.mesh.surface, &b.mesh.surface) else { return };
        let relative = a.pose.inv_mul(&b.pose);
        let at = placement(&relative);
        self.pairs.clear();
        a.mesh.tree.near_pairs(&b.mesh.tree, &[at, at], 0.0, &mut self.pairs);
        self.pairs.retain(|&[i, j]| {
            let moved = MovedTriangle::new(&b.mesh.triangles[j as usize], &relative);
            cut(&a.mesh.triangles[i as usize].vertices, &moved.vertices)
        });
        for (flip, field, mesh) in [(false, a, b), (true, b, a)] {
            let Some(surface) = &field.mesh.surface else { continue };
            let relative = field.pose.inv_mul(&mesh.pose);
            let mut deepest: Option<(f64, Vec3, u32)> = None;
            let mut last = u32::MAX;
            let side = usize::from(!flip);
            self.pairs.sort_unstable_by_key(|p| p[side]);
            for pair in &self.pairs {
                let i = pair[side];
                if i == last {
                    continue;
                }
                last = i;
                let corners = mesh.mesh.triangles[i as usize]
                    .vertices
                    .map(|p| relative.transform_point(p).to_array());
                let least = face_minimum(&**surface, corners, 0.05 * thick, VALUES);
                if least.distance < deepest.map_or(0.0, |d| d.0) {
                    deepest = Some((least.distance, least.point.into(), i));
                }
            }
            let Some((_, p, i)) = deepest else { continue };
            let s = surface.sample(p.to_array());
            let out = field.pose.transform_vector(s.gradient.into());
            if out == Vec3::ZERO {
                continue;
            }
            let on_mesh = field.pose.transform_point(p);
            let on_field = on_mesh - s.distance * out;
            let corner = vertex(1 << 29 | i);
            let (ends, normal, ids) = match flip {
                false => ([on_field, on_mesh], out, [face(0), corner]),
                true => ([on_mesh, on_field], -out, [corner, face(0)]),
            };
            let point = ContactPoint {
                point_a: ends[0],
                point_b: ends[1],
                gap: s.distance,
                feature: ContactKey { sub_a: 0, sub_b: 0, feature_a: ids[0], feature_b: ids[1] },
                bend: Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] }),
            };
            self.contacts.push((point, normal));
        }
    }

    /// The first time in [0, end] at which a corner passes a face, or an edge another one, from the front, and is deeper
    /// by a skin than at the start; what is nearer than a tolerance touches.
    fn first_crossing(
        &mut self,
        [a, b]: &[Side; 2],
        poses: impl Fn(f64) -> [Pose; 2],
        end: f64,
        chords: usize,
        [skin, tolerance]: [f64; 2],
    ) -> Option<f64> {
        let relative = |t: f64| {
            let [pa, pb] = poses(t);
            pa.inv_mul(&pb)
        };
        let mut pairs = std::mem::take(&mut self.pairs);
        let start = relative(0.0);
        let mut from = start;
        let deepest = LOST * thickness(a.mesh, b.mesh);
        let mut first = None;
        for chord in 0..chords {
            let time = |share: f64| end * (chord as f64 + share) / chords as f64;
            let to = relative(time(1.0));
            pairs.clear();
            let at = [placement(&from), placement(&to)];
            a.mesh.tree.near_pairs(&b.mesh.tree, &at, deepest.max(skin) + tolerance, &mut pairs);
            let mut least: Option<f64> = None;
            for &[i, j] in &pairs {
                let end = least.unwrap_or(1.0);
                let options = Options { end, tolerance, ..Options::default() };
                let found = Crossing {
                    a: (a.mesh, &a.mesh.triangles[i as usize], a.mesh.owned[i as usize]),
                    b: (b.mesh, &b.mesh.triangles[j as usize], b.mesh.owned[j as usize]),
                    ways: [&from, &to],
                    start: &start,
                    skin,
                    deepest,
                };
                if let Some(t) = found.first(options).filter(|t| least.is_none_or(|l| *t < l)) {
                    least = Some(t);
                }
            }
            if let Some(share) = least {
                first = Some(time(share));
                break;
            }
            from = to;
        }
        self.pairs = pairs;
        first
    }
}

/// Two triangles while B moves straight on between two poses in A's frame.
struct Crossing<'a> {
    a: (&'a Mesh, &'a Triangle, u8),
    b: (&'a Mesh, &'a Triangle, u8),
    ways: [&'a Pose; 2],
    /// Where the way began, of which these are a piece.
    start: &'a Pose,
    /// How much deeper than at the start features may go, and those that are deeper than this are left alone.
    skin: f64,
    deepest: f64,
}

impl Crossing<'_> {
    /// The first time at which they pass through one another, as a share. What is in front at both ends of a chord has
    /// not passed: turning by so little leads in and out again by no more than a thousandth of the size.
    fn first(&self, mut options: Options) -> Option<f64> {
        let ((mesh_a, ta, owns_a), (mesh_b, tb, owns_b)) = (self.a, self.b);
        // Whether a corner of either is deep behind the other's plane at the end, without which nothing crosses.
        let deep = |h: f64| h <= -0.5 * self.skin;
        let end = self.ways[1];
        let b_deep = tb.vertices.iter().any(|&p| deep(ta.height(end.transform_point(p))));
        let a_deep = ta.vertices.iter().any(|&p| deep(tb.height(end.inverse_transform_point(p))));
        if !a_deep && !b_deep {
            return None;
        }
        let mut least = None;
        let deeper = |p: [Vec3; 3], n: Vec3, by: f64| p.map(|p| p - by * n);
        // What is behind at the start may go deeper by the skin.
        let skin_at = |height: f64| {
            let skin = self.skin + (-height).max(0.0);
            (-height <= self.deepest).then_some(skin)
        };
        // Near a sharp edge what lies deeper by a skin is outside again; and of two outlines that coincide the corners are on
        // the rims of faces, so that the look goes a little to where the corner's solid lies.
        let inside = |mesh: &Mesh, p: Vec3, skin: f64| match &mesh.surface {
            Some(surface) if skin > 0.0 => surface.distance(p.to_array()) < -0.5 * skin,
            _ => true,
        };
        let mut ask = |query: Query, real: &dyn Fn(f64, f64) -> bool| {
            // Ways of bodies are finite, and options in range.
            if let Ok(Some(impact)) = additive::first_contact(&query, &options)
                && impact.time <= options.end
                && real(impact.u, impact.v)
            {
                options.end = impact.time;
                least = Some(impact.time);
            }
        };
        let on_face = |p: [Vec3; 3], u: f64, v: f64| p[0] + u * (p[1] - p[0]) + v * (p[2] - p[0]);
        let array = |p: Vec3| p.to_array();
        for k in 0..3 {
            if b_deep
                && owns_b & 1 << k != 0
                && let Some(skin) = skin_at(ta.height(self.start.transform_point(tb.vertices[k])))
            {
                let under = deeper(ta.vertices, ta.normal, skin);
                let corner = self.ways.map(|way| way.transform_point(tb.vertices[k]));
                let height = |i: usize| ta.height(corner[i]) + skin;
                if height(0) > 0.0 && height(1) <= 0.0 {
                    let into = mesh_b.inward(tb.vertex_ids[k]);
                    let into = ASIDE * skin * lateral(end.transform_vector(into), ta.normal);
                    let real = |u, v| inside(mesh_a, on_face(under, u, v) + into, skin);
                    ask(Query::vertex_face(corner.map(array), [under.map(array); 2]), &real);
                }
            }
            let corner = ta.vertices[k];
            if a_deep
                && owns_a & 1 << k != 0
                && let Some(skin) = skin_at(tb.height(self.start.inverse_transform_point(corner)))
            {
                let under = deeper(tb.vertices, tb.normal, skin);
                let faces = self.ways.map(|way| under.map(|p| way.transform_point(p)));
                let height =
                    |i: usize| tb.height(self.ways[i].inverse_transform_point(corner)) + skin;
                if height(0) > 0.0 && height(1) <= 0.0 {
                    let into = mesh_a.inward(ta.vertex_ids[k]);
                    let into =
                        ASIDE * skin * lateral(end.inverse_transform_vector(into), tb.normal);
                    let real = |u, v| inside(mesh_b, on_face(under, u, v) + into, skin);
                    ask(Query::vertex_face([array(corner); 2], faces.map(|f| f.map(array))), &real);
                }
            }
        }
        if !a_deep || !b_deep {
            return least;
        }
        for k in (0..3).filter(|k| owns_a & 8 << k != 0 && ta.edge_limits[*k] > FLAT_ANGLE) {
            let na = ta.ridge(k);
            let line = [ta.vertices[k], ta.vertices[(k + 1) % 3]];
            for l in (0..3).filter(|l| owns_b & 8 << l != 0 && tb.edge_limits[*l] > FLAT_ANGLE) {
                let nb = tb.ridge(l);
                let other = [tb.vertices[l], tb.vertices[(l + 1) % 3]];
                // Along the normal of both lines that leads out of A and into B.
                let gap = |way: &Pose| {
                    let [p, q] = other.map(|p| way.transform_point(p));
                    let cross = (line[1] - line[0]).cross(q - p).normalize_or_zero();
                    let out = na - way.transform_vector(nb);
                    let n = if cross.dot(out) < 0.0 { -cross } else { cross };
                    (n.dot(p - line[0]), n.dot(na))
                };
                let Some(skin) = skin_at(gap(self.start).0) else { continue };
                let height = |i: usize| {
                    let (gap, slope) = gap(self.ways[i]);
                    gap + skin * slope
                };
                if height(0) > 0.0 && height(1) <= 0.0 {
                    let line = line.map(|p| p - skin * na);
                    let others = self.ways.map(|way| other.map(|p| way.transform_point(p)));
                    let real = |u, _| inside(mesh_a, line[0] + u * (line[1] - line[0]), skin);
                    let others = others.map(|l| l.map(array));
                    ask(Query::edge_edge([line.map(array); 2], others), &real);
                }
            }
        }
        least
    }
}

/// Whether a side of one of two triangles passes through the other.
fn cut(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let passes = |t: &[Vec3; 3], p: Vec3, q: Vec3| {
        let (e, f) = (t[1] - t[0], t[2] - t[0]);
        let n = e.cross(f);
        let (from, to) = (n.dot(p - t[0]), n.dot(q - t[0]));
        if from * to >= 0.0 {
            return false;
        }
        let x = p + from / (from - to) * (q - p) - t[0];
        let (u, v) = (x.cross(f).dot(n), e.cross(x).dot(n));
        u >= 0.0 && v >= 0.0 && u + v <= n.length_squared()
    };
    (0..3).any(|k| passes(a, b[k], b[(k + 1) % 3]) || passes(b, a[k], a[(k + 1) % 3]))
}

/// A triangle in another frame.
struct MovedTriangle {
    vertices: [Vec3; 3],
    normal: Vec3,
}

impl MovedTriangle {
    fn new(t: &Triangle, pose: &Pose) -> Self {
        Self {
            vertices: t.vertices.map(|p| pose.transform_point(p)),
            normal: pose.transform_vector(t.normal),
        }
    }
}

/// A corner of a mesh near a triangle of another.
struct Corner<'a> {
    /// In the frame of the other mesh.
    at: Vec3,
    /// Over the triangle.
    height: f64,
    mesh: &'a Mesh,
    vertex: u32,
    /// From the frame of its mesh to that of the other one.
    turn: Quat,
}

impl Corner<'_> {
    /// Whether it touches the triangle of the other mesh.
    fn touches(&self, t: &Triangle, other: &Mesh, rim: f64) -> bool {
        let mut on_rim = false;
        for i in 0..3 {
            let (a, b) = (t.vertices[i], t.vertices[(i + 1) % 3]);
            let outward = (b - a).cross(t.normal).normalize_or_zero();
            let beyond = (self.at - a).dot(outward);
            if beyond > rim {
                return false;
            }
            on_rim |= beyond > -rim && t.edge_limits[i] > FLAT_ANGLE;
        }
        if on_rim && self.mesh.leads_behind(self.vertex, self.turn.inverse() * t.normal) {
            return false;
        }
        let depth = -self.height;
        if depth <= rim {
            return true;
        }
        let Some(surface) = &other.surface else {
            // What is behind an open mesh did not come from the front if it is far behind.
            return depth <= 0.25 * t.size();
        };
        let mut p = self.at;
        if on_rim {
            // On the side of its solid.
            p += ASIDE * depth * lateral(self.turn * self.mesh.inward(self.vertex), t.normal);
        }
        let nearest = surface.nearest_within(p.to_array(), depth);
        nearest
            .is_none_or(|s| s.sample.distance < 0.0 && depth <= DEEPER * -s.sample.distance + rim)
    }
}

/// The direction of d across n.
fn lateral(d: Vec3, n: Vec3) -> Vec3 {
    (d - n * n.dot(d)).normalize_or_zero()
}

/// Whether ridge `k` of a triangle and ridge `l` of another, in the frame of the first, cross within reach.
fn crosses(
    (ta, k): (&Triangle, usize),
    (moved, tb, l): (&MovedTriangle, &Triangle, usize),
    reach: f64,
    thick: f64,
) -> bool {
    let (pa, qa) = (ta.vertices[k], ta.vertices[(k + 1) % 3]);
    let (pb, qb) = (moved.vertices[l], moved.vertices[(l + 1) % 3]);
    let (ea, eb, d) = (qa - pa, qb - pb, pb - pa);
    let cross = ea.cross(eb);
    let square = cross.length_squared();
    if square <= PARALLEL * PARALLEL * ea.length_squared() * eb.length_squared() {
        return false;
    }
    // Feet of the common perpendicular, as shares of the edges.
    let (s, t) = (d.cross(eb).dot(cross) / square, d.cross(ea).dot(cross) / square);
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return false;
    }
    let unit = cross / square.sqrt();
    let gap = unit.dot(d);
    if gap.abs() > reach.max(thick) {
        return false;
    }
    [(unit, gap), (-unit, -gap)].into_iter().any(|(n, gap)| {
        gap <= reach
            && gap >= -thick
            && in_arc(n, ta.normal, ea.cross(ta.normal), ta.edge_limits[k])
            && in_arc(-n, moved.normal, eb.cross(moved.normal), tb.edge_limits[l])
    })
}

/// Whether a unit normal across an edge lies between the normal of its face and that of the face beyond.
fn in_arc(n: Vec3, normal: Vec3, outward: Vec3, limit: f64) -> bool {
    let angle = n.dot(outward.normalize_or_zero()).atan2(n.dot(normal));
    angle >= -SLACK && angle <= limit.min(std::f64::consts::FRAC_PI_2.max(limit.min(3.2))) + SLACK
}

/// The contact of two features where they are.
fn contact(touch: Touch, a: &Side, b: &Side) -> Option<(ContactPoint, Vec3)> {
    let corner = |side: &Side, i: u32, k: u8| {
        let t = &side.mesh.triangles[i as usize];
        (side.pose.transform_point(t.vertices[k as usize]), t.vertex_ids[k as usize])
    };
    let plane = |side: &Side, i: u32| {
        let t = &side.mesh.triangles[i as usize];
        let n = side.pose.transform_vector(t.normal);
        (side.pose.transform_point(t.vertices[0]), n, side.mesh.patches[i as usize])
    };
    let mut edges = [Vec3::ZERO; 2];
    let (point_a, point_b, gap, normal, feature) = match touch {
        Touch::CornerOnFace(i, k, j) => {
            let ((x, id), (p, out, patch)) = (corner(a, i, k), plane(b, j));
            let gap = (x - p).dot(out);
            let feature =
                ContactKey { sub_a: 0, sub_b: patch, feature_a: vertex(id), feature_b: face(0) };
            (x, x - gap * out, gap, -out, feature)
        }
        Touch::FaceUnderCorner(i, j, l) => {
            let ((x, id), (p, out, patch)) = (corner(b, j, l), plane(a, i));
            let gap = (x - p).dot(out);
            let feature =
                ContactKey { sub_a: patch, sub_b: 0, feature_a: face(0), feature_b: vertex(id) };
            (x - gap * out, x, gap, out, feature)
        }
        Touch::EdgeOnEdge(i, k, j, l) => {
            let (ta, tb) = (&a.mesh.triangles[i as usize], &b.mesh.triangles[j as usize]);
            let (k, l) = (k as usize, l as usize);
            let ea = a.pose.transform_vector(ta.edge_direction(k));
            let eb = b.pose.transform_vector(tb.edge_direction(l));
            let out = a.pose.transform_vector(ta.ridge(k)) - b.pose.transform_vector(tb.ridge(l));
            let (pa, pb) =
                (a.pose.transform_point(ta.vertices[k]), b.pose.transform_point(tb.vertices[l]));
            let cross = ea.cross(eb);
            let square = cross.length_squared();
            if square < 0.25 * PARALLEL * PARALLEL {
                return None;
            }
            let n = cross / square.sqrt();
            let n = if n.dot(out) < 0.0 { -n } else { n };
            let d = pb - pa;
            let (s, t) = (d.cross(eb).dot(cross) / square, d.cross(ea).dot(cross) / square);
            edges = [ea, eb];
            let ids = [edge(ta.edge_ids[k]), edge(tb.edge_ids[l])];
            let feature = ContactKey { sub_a: 0, sub_b: 0, feature_a: ids[0], feature_b: ids[1] };
            (pa + s * ea, pb + t * eb, n.dot(d), n, feature)
        }
    };
    let bend = Some(Bend { edges, rounds: [Some(0.0); 2] });
    Some((ContactPoint { point_a, point_b, gap, feature, bend }, normal))
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

/// How many chords follow a way.
fn chords(way: f64, turn: f64, thick: f64, size: f64) -> usize {
    let step = thick.max(0.1 * size);
    (turn / CHORD).max(way / step).ceil().clamp(1.0, MOST_CHORDS) as usize
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

/// When two meshes pass through one another on their ways, sinking in by more than the share `skin` of their thickness.
pub(crate) fn meet(
    (a, way_a, mesh_a): (&Collider, &Way, &Mesh),
    (b, way_b, mesh_b): (&Collider, &Way, &Mesh),
    end: f64,
    skin: f64,
) -> Option<Meeting> {
    let thick = thickness(mesh_a, mesh_b);
    let near = 1e-3 * thick.max(1e-3 * a.shape.size.min(b.shape.size));
    let bounds = |c: &Collider, w: &Way| match w.end > 0.0 {
        true => {
            let (v, w) = w.body.way();
            (v.length() + w.length() * c.reach(), w.length())
        }
        false => (0.0, 0.0),
    };
    let ((va, wa), (vb, wb)) = (bounds(a, way_a), bounds(b, way_b));
    let poses = |t: f64| [way_a.pose(t) * a.local_pose, way_b.pose(t) * b.local_pose];
    let [pose_a, pose_b] = poses(0.0);
    let sides = [
        Side { mesh: mesh_a, pose: pose_a, size: a.shape.size },
        Side { mesh: mesh_b, pose: pose_b, size: b.shape.size },
    ];
    let mut meshes = Meshes::default();
    let chords = chords((va + vb) * end, (wa + wb) * end, thick, a.shape.size.min(b.shape.size));
    let skin = skin.max(SKIN);
    let time = meshes.first_crossing(&sides, poses, end, chords, [skin * thick, 0.1 * near])?;
    meshes.search(&sides, near, thick);
    if !meshes.found.is_empty() {
        return Some(Meeting { time, touching: true, n: None });
    }
    let touch = meshes.first_crossing(&sides, poses, time, chords, [0.0, near]);
    Some(Meeting { time: touch.unwrap_or(time), touching: false, n: None })
}
