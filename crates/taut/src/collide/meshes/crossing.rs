//! When do two meshes on their way pass through one another?

use super::touch::{ASIDE, MovedTriangle, lateral};
use super::{Meshes, Side, placement, thickness};
use crate::collide::Collider;
use crate::collide::impact::{Meeting, TURN, Way};
use crate::collide::mesh::Mesh;
use crate::collide::triangle::{FLAT_ANGLE, Triangle};
use crate::math::{Pose, Vec3};
use taut_ccd::{Options, Query, additive};
use taut_sdf::{Field, Passing};

/// Turning is followed in chords of at most this angle \[rad\].
const CHORD: f64 = 0.1;
/// Chords that a way is cut into, at most.
const MOST_CHORDS: f64 = 4000.0;
/// Share of the thickness by which meshes may sink in in a step, at least. With 0.01, as convex parts have, a star jammed in a ring
/// was held in every step.
const SKIN: f64 = 0.03;
/// A way shorter than this share of the step is none. (Stars in a heap were held at once, step after step, and sank by the drift
/// of what held them.)
const STUCK: f64 = 0.01;
/// A pair whose ways together are shorter than this share of the skin is not looked at. It saves work and decides nothing: 0.4, 1.0 and 1.6 gave the same
/// bits as 0.8 in 12 frames of `bolt`, `gears`, `hook` and `shackle-chain`, and `hook` took 0.8 % more, 0.2 % less instructions with 0.4 and 1.0.
const LITTLE: f64 = 0.8;
/// Features deeper than this share of the thickness are left alone.
const LOST: f64 = 0.5;
/// Features are at the start no deeper than twice what contacts tell and this share of the thickness.
const DEEPER: f64 = 0.1;

/// What counts as passing through.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// How much deeper than at the start features may go \[m\].
    pub(super) skin: f64,
    /// What is nearer than this touches \[m\].
    pub(super) tolerance: f64,
    /// How deep the deepest contact says that the pair is \[m\].
    pub(super) told: f64,
}

impl Meshes {
    /// The first time in [0, end] at which a corner passes a face, or an edge another one, from the front, and is deeper
    /// by the skin than at the start.
    pub(super) fn first_crossing(
        &mut self,
        [a, b]: &[Side; 2],
        poses: impl Fn(f64) -> [Pose; 2],
        end: f64,
        chords: usize,
        limits: Limits,
    ) -> Option<f64> {
        let relative = |t: f64| {
            let [pa, pb] = poses(t);
            pa.inv_mul(&pb)
        };
        let Limits { skin, tolerance, told } = limits;
        let mut pairs = std::mem::take(&mut self.pairs);
        let start = relative(0.0);
        let (mut from, begin) = (start, placement(&start));
        let thick = thickness(a.mesh, b.mesh);
        let deepest = (2.0 * told + DEEPER * thick).min(LOST * thick);
        let mut first = None;
        for chord in 0..chords {
            let time = |share: f64| end * (chord as f64 + share) / chords as f64;
            let to = relative(time(1.0));
            pairs.clear();
            let at = [placement(&from), placement(&to)];
            // What is nearer to its start than that is not deeper by the skin.
            let way = Passing::straight(at, deepest.max(skin) + tolerance)
                .that_goes_farther(0.9 * skin, begin);
            a.mesh.tree.near_pairs(&b.mesh.tree, &way, &mut self.moved, &mut pairs);
            let chord = Chord { ways: [&from, &to], start: &start, skin, deepest };
            if let Some(share) = chord.first([a.mesh, b.mesh], &pairs, tolerance) {
                first = Some(time(share));
                break;
            }
            from = to;
        }
        self.pairs = pairs;
        first
    }
}

/// A straight piece of the way of mesh B, in the frame of A.
#[derive(Clone, Copy)]
struct Chord<'a> {
    /// Where B is at its ends.
    ways: [&'a Pose; 2],
    /// Where the way began, of which this is a piece.
    start: &'a Pose,
    /// How much deeper than at the start features may go, and those that are deeper than this are left alone.
    skin: f64,
    deepest: f64,
}

impl Chord<'_> {
    /// The first time, as a share of the chord, at which two of these triangles pass through one another.
    fn first(&self, [a, b]: [&Mesh; 2], pairs: &[[u32; 2]], tolerance: f64) -> Option<f64> {
        let mut least: Option<f64> = None;
        let mut last = u32::MAX;
        let mut moved = MovedTriangle::NONE;
        for &[i, j] in pairs {
            if j != last {
                last = j;
                moved = MovedTriangle::new(&b.triangles[j as usize], self.ways[1]);
            }
            // Whether a corner of either is deep behind the other's plane at the end, without which nothing crosses.
            let ta = &a.triangles[i as usize];
            let height = |p: Vec3| (p - moved.vertices[0]).dot(moved.normal);
            let heights = [ta.vertices.map(height), moved.vertices.map(|p| ta.height(p))];
            let deep = heights.map(|h| h.iter().any(|h| *h <= -0.5 * self.skin));
            if deep == [false; 2] {
                continue;
            }
            let end = least.unwrap_or(1.0);
            let options = Options { end, tolerance, ..Options::default() };
            let found = Crossing {
                a: (a, ta, a.owned[i as usize]),
                b: (b, &b.triangles[j as usize], b.owned[j as usize]),
                deep,
                heights,
                chord: *self,
            };
            if let Some(t) = found.first(options).filter(|t| least.is_none_or(|l| *t < l)) {
                least = Some(t);
            }
        }
        least
    }

    /// How deep a feature of this height at the start may get: what is behind there may go deeper by the skin.
    fn skin_at(&self, height: f64) -> Option<f64> {
        let skin = self.skin + (-height).max(0.0);
        (-height <= self.deepest).then_some(skin)
    }
}

/// Whose corners pass the other's face.
#[derive(Clone, Copy)]
enum Corners {
    OfA,
    OfB,
}

/// Two triangles while B moves straight on between two poses in A's frame.
struct Crossing<'a> {
    a: (&'a Mesh, &'a Triangle, u8),
    b: (&'a Mesh, &'a Triangle, u8),
    /// Whether corners of A and of B are behind the plane of the other one at the end.
    deep: [bool; 2],
    /// How high they are.
    heights: [[f64; 3]; 2],
    chord: Chord<'a>,
}

impl Crossing<'_> {
    /// The first time at which they pass through one another, as a share. What is in front at both ends of a chord has
    /// not passed: turning by so little leads in and out again by no more than a thousandth of the size.
    fn first(&self, mut options: Options) -> Option<f64> {
        let mut least = None;
        for k in 0..3 {
            for whose in [Corners::OfB, Corners::OfA] {
                if let Some(time) = self.corner(k, whose, &options) {
                    options.end = time;
                    least = Some(time);
                }
            }
        }
        if self.deep != [true; 2] {
            return least;
        }
        let ((_, ta, owns_a), (_, tb, owns_b)) = (self.a, self.b);
        for k in (0..3).filter(|k| owns_a & 8 << k != 0 && ta.edge_limits[*k] > FLAT_ANGLE) {
            for l in (0..3).filter(|l| owns_b & 8 << l != 0 && tb.edge_limits[*l] > FLAT_ANGLE) {
                if let Some(time) = self.edges(k, l, &options) {
                    options.end = time;
                    least = Some(time);
                }
            }
        }
        least
    }

    /// When a corner of one passes the face of the other, lowered by the skin.
    fn corner(&self, k: usize, whose: Corners, options: &Options) -> Option<f64> {
        let ((mesh, t, owns), (solid, face, _), heights) = match whose {
            Corners::OfA => (self.a, self.b, self.heights[0]),
            Corners::OfB => (self.b, self.a, self.heights[1]),
        };
        let is_deep = heights[k] <= -self.chord.skin;
        if !is_deep || owns & 1 << k == 0 {
            return None;
        }
        let place = |way: &Pose| match whose {
            Corners::OfA => way.inverse_transform_point(t.vertices[k]),
            Corners::OfB => way.transform_point(t.vertices[k]),
        };
        let skin = self.chord.skin_at(face.height(place(self.chord.start)))?;
        let (time, x) = passes(self.chord.ways.map(place), face, skin, options.tolerance)?;
        if time > options.end {
            return None;
        }
        // Where two outlines coincide corners lie on the rims of faces: so a point is tested that is moved a little into
        // the corner's own solid.
        let (inward, end) = (mesh.inward(t.vertex_ids[k]), self.chord.ways[1]);
        let inward = match whose {
            Corners::OfA => end.inverse_transform_vector(inward),
            Corners::OfB => end.transform_vector(inward),
        };
        let into = ASIDE * skin * lateral(inward, face.normal);
        is_inside(solid, x + into, skin).then_some(time)
    }

    /// When edge l of B passes edge k of A, lowered by the skin.
    fn edges(&self, k: usize, l: usize, options: &Options) -> Option<f64> {
        let ((mesh_a, ta, _), (_, tb, _), chord) = (self.a, self.b, &self.chord);
        let (na, nb) = (ta.ridge(k), tb.ridge(l));
        let line = [ta.vertices[k], ta.vertices[(k + 1) % 3]];
        let (low, high) = (line[0].min(line[1]), line[0].max(line[1]));
        let other = [tb.vertices[l], tb.vertices[(l + 1) % 3]];
        let others = chord.ways.map(|way| other.map(|p| way.transform_point(p)));
        let [[p, q], [r, s]] = others;
        let far = Vec3::splat(chord.deepest + chord.skin + options.tolerance);
        let (first, last) = (p.min(q).min(r).min(s), p.max(q).max(r).max(s));
        if (first - far).cmpgt(high).any() || (last + far).cmplt(low).any() {
            return None;
        }
        // Along the normal of both lines that leads out of A and into B.
        let gap = |way: &Pose| {
            let [p, q] = other.map(|p| way.transform_point(p));
            let cross = (line[1] - line[0]).cross(q - p).normalize_or_zero();
            let out = na - way.transform_vector(nb);
            let n = if cross.dot(out) < 0.0 { -cross } else { cross };
            (n.dot(p - line[0]), n.dot(na))
        };
        let skin = chord.skin_at(gap(chord.start).0)?;
        let height = |i: usize| {
            let (gap, slope) = gap(chord.ways[i]);
            gap + skin * slope
        };
        let crosses = height(0) > 0.0 && height(1) <= 0.0;
        if !crosses {
            return None;
        }
        let line = line.map(|p| p - skin * na);
        let query = Query::edge_edge(
            [line.map(|p| p.to_array()); 2],
            others.map(|l| l.map(|p| p.to_array())),
        );
        // Ways of bodies are finite, and options in range.
        let impact = additive::first_contact(&query, options).ok().flatten()?;
        // Below a sharp ridge its faces are nearer than the ridge. (Stars passed through one another's tips.)
        let wedge = skin * na.dot(ta.normal);
        let is_real = || is_inside(mesh_a, line[0] + impact.u * (line[1] - line[0]), wedge);
        (impact.time <= options.end && is_real()).then_some(impact.time)
    }
}

/// Whether a point a skin below a face is inside the solid. Near a sharp edge it may be outside again.
fn is_inside(mesh: &Mesh, p: Vec3, skin: f64) -> bool {
    match &mesh.surface {
        Some(surface) if skin > 0.0 => surface.distance(p.to_array()) < -0.5 * skin,
        _ => true,
    }
}

/// When and where a point that goes straight on from one place to another passes a triangle that was lowered by a skin.
fn passes([from, to]: [Vec3; 2], t: &Triangle, skin: f64, tolerance: f64) -> Option<(f64, Vec3)> {
    let (h0, h1) = (t.height(from) + skin, t.height(to) + skin);
    if h0 <= 0.0 || h1 > 0.0 {
        return None;
    }
    let x = from.lerp(to, h0 / (h0 - h1));
    let is_over = (0..3).all(|k| {
        let out = t.edge_direction(k).cross(t.normal);
        (x - t.vertices[k]).dot(out) <= tolerance
    });
    is_over.then(|| (((h0 - tolerance) / (h0 - h1)).max(0.0), x))
}

/// How many chords follow a way.
pub(super) fn chords(way: f64, turn: f64, thick: f64, size: f64) -> usize {
    let step = thick.max(0.1 * size);
    (turn / CHORD).max(way / step).ceil().clamp(1.0, MOST_CHORDS) as usize
}

/// How far two meshes go against one another where they may meet: what is far from the other one goes farthest. (Of a bolt of 14 cm
/// 3 cm are in its nut.) `way` and `turn` are those of the whole bodies.
pub(super) fn common_way(
    [a, b]: &[Side; 2],
    poses: impl Fn(f64) -> [Pose; 2],
    end: f64,
    [way, turn]: [f64; 2],
) -> f64 {
    if turn > CHORD {
        return way;
    }
    let ways = [0.0, end].map(|t| {
        let [pa, pb] = poses(t);
        pa.inv_mul(&pb)
    });
    let (at, back) = (ways.map(|w| placement(&w)), ways.map(|w| placement(&w.inverse())));
    // By less than this arcs leave their chords.
    let sagitta = way * turn;
    way.min(b.mesh.tree.common_way(&a.mesh.tree, &at, &back, sagitta))
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
    let (way, turn) = ((va + vb) * end, (wa + wb) * end);
    // What drifts on may come back.
    let drifts = way_a.drift != Vec3::ZERO || way_b.drift != Vec3::ZERO;
    let way = if drifts { way } else { common_way(&sides, poses, end, [way, turn]) };
    let chords = chords(way, turn, thick, a.shape.size.min(b.shape.size));
    let skin = skin.max(SKIN);
    // What moves by less than the skin does not get deeper by it.
    if chords == 1 && way < LITTLE * skin * thick {
        return None;
    }
    let mut meshes = Meshes::default();
    meshes.search(&sides, near, thick);
    meshes.take(&sides, f64::NEG_INFINITY);
    let told = meshes.contacts.iter().map(|(p, _)| -p.gap).fold(0.0, f64::max);
    let limits = Limits { skin: skin * thick, tolerance: 0.1 * near, told };
    let time = meshes.first_crossing(&sides, poses, end, chords, limits)?;
    if !meshes.found.is_empty() {
        return Some(Meeting { time, touching: true, n: None });
    }
    let limits = Limits { skin: 0.0, tolerance: near, told };
    let touch = meshes.first_crossing(&sides, poses, time, chords, limits);
    // What seems to touch at the start, without a contact, passes beside something there.
    let touch = touch.filter(|&t| t > STUCK * end);
    Some(Meeting { time: touch.unwrap_or(time), touching: false, n: None })
}

/// When a mesh sinks into a half-space by more than the share `skin` of its thickness: corners sink in, none of them by more than at the start and the skin. (Stars that
/// tumbled out of a funnel stayed 20 mm deep in the ground.)
pub(crate) fn meet_plane(
    (a, way_a, mesh): (&Collider, &Way, &Mesh),
    (b, way_b, normal): (&Collider, &Way, Vec3),
    end: f64,
    skin: f64,
) -> Option<Meeting> {
    let thick = thickness(mesh, mesh);
    let near = 1e-3 * thick.max(1e-3 * a.shape.size);
    // The normal in the mesh's frame, and how high its origin is.
    let frame = |t: f64| {
        let (mesh, plane) = (way_a.pose(t) * a.local_pose, way_b.pose(t) * b.local_pose);
        let n = plane.transform_vector(normal);
        (mesh.inverse_transform_vector(n), n.dot(mesh.translation - plane.translation))
    };
    let start = frame(0.0);
    let height = |(n, h): (Vec3, f64), v: Vec3| h + n.dot(v);
    let least = mesh.vertices.iter().map(|&v| height(start, v)).fold(f64::INFINITY, f64::min);
    let touching = least <= near;
    let [(va, wa), (vb, _)] = [way_a, way_b].map(|w| w.body.way());
    let turn = end * wa.length();
    // What turns a little was to be there at the end of the step, not on the way.
    let dip = if touching || turn < TURN { a.reach() * (1.0 - (0.5 * turn).cos()) } else { 0.0 };
    let skin = (skin.max(SKIN) * thick + dip).min(skin.max(LOST) * thick);
    let way = end * ((va - vb).length() + wa.length() * a.reach());
    if least.max(0.0) + skin > way {
        return None;
    }
    let sinks = |t: f64, skin: f64| {
        let then = frame(t);
        mesh.vertices.iter().any(|&v| height(then, v) < height(start, v).min(0.0) - skin)
    };
    let steps = chords(way, turn, thick, a.shape.size);
    let first = |end: f64, skin: f64| {
        let time = |k: usize| end * k as f64 / steps as f64;
        let k = (1..=steps).find(|&k| sinks(time(k), skin))?;
        let (mut low, mut high) = (time(k - 1), time(k));
        for _ in 0..40 {
            let t = 0.5 * (low + high);
            if sinks(t, skin) { high = t } else { low = t }
        }
        Some(low)
    };
    let mut time = first(end, skin)?;
    if !touching {
        time = first(time, -near).unwrap_or(time);
    }
    let out = (way_b.pose(time) * b.local_pose).transform_vector(normal);
    Some(Meeting { time, touching, n: Some(-out) })
}
