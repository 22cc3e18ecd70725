//! When do two colliders on their way through a step run into one another?
//!
//! Problem: the contacts of a step are linear in its motion. A body that turns
//! far, or whose velocity the step itself changes, leaves the straight way, and
//! may be behind a wall at the end.
//!
//! Method: the exact way of the step (`integrate`) is followed by conservative
//! advancement. Along the direction n between the nearest points the gap d closes
//! by no more than ẋₙt + Σ max p·(t n × ω) + 0.8 rω²t² while bodies turn by less
//! than [`TURN`], p being points near the surface and r the farthest (a free body
//! has |ω̇| < 0.6 ω²); and by no more than ẋₙt plus what is missing to the balls
//! around the bodies, however they turn. So the time in which d is used up is free
//! of contact (B. Mirtich 1996, Impulse-based dynamic simulation, 2.3). Where
//! surfaces slide along one another that time is short; then the parts move on by
//! a tenth of their thickness, too little to pass, and a sample that overlaps is
//! bisected.
//!
//! Bodies that touch must be free to go on, and contacts are the solver's
//! business as long as they are shallow. So a pair runs into one another where
//! the kernel of the thicker part does: the part without a skin as deep as they
//! overlap at the start, and a little deeper ([`SKIN`]). The answer is the time
//! of the first touch if the parts were apart, else that of the kernel.
//!
//! Cost: one GJK per advance, a few for most pairs. Fails for parts that
//! overlap by their whole thickness: nothing stops them. Meshes are followed by `meshes`.

use super::Collider;
use super::convex::{Convex, Core};
use super::meshes;
use crate::BodyState;
use crate::math::{Pose, Vec3};
use crate::shape::Geometry;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

/// Angle up to which turning is taken to second order \[rad\].
pub(crate) const TURN: f64 = 0.25;
/// Share of the thickness by which parts may sink in in a step, at least.
pub(crate) const SKIN: f64 = 0.01;
/// [`SKIN`] of bodies that touch and can both move: the next step pushes them apart, and a body
/// that is held back in a heap stops all that falls with it. (`tower` in collapse: with [`SKIN`] its
/// logs sink in by 0.39 m where those that were held stand in the way, and it falls more slowly
/// than at a quarter of the step.)
const FREE_SKIN: f64 = 0.3;
/// Upper limit of [`SKIN`], once the sagitta of the way of a body that turns has been added to it: such a way may lead
/// through something that the body does not run into at the end.
const MOST_SKIN: f64 = 0.5;
/// By how much deeper those may sink in that are as deep already. (Without it sticks that fall
/// in touch hold one another back, step after step, and hang in the air.)
const DEEPER: f64 = 0.03;
/// Parts nearer than this share of the thickness touch.
const NEAR: f64 = 0.0025;
/// Beyond this share of the thickness parts are on the other side.
const LOST: f64 = 0.95;
/// Least advance, as a share of the thickness.
const LEAST: f64 = 0.1;
/// Most advances; a pair that needs more stops there.
const MOST: usize = 4000;

/// The way of a body through a step.
#[derive(Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) body: &'a BodyState,
    /// When it ends; 0 for a body at rest.
    pub(crate) end: f64,
    /// How it moves on from there, without turning.
    pub(crate) drift: Vec3,
}

/// A body at some time on its way.
struct Place {
    pose: Pose,
    v: Vec3,
    w: Vec3,
}

impl Way<'_> {
    fn at(&self, t: f64) -> Place {
        let b = self.body;
        let v = b.way().0;
        if t >= self.end {
            let (q, _) = b.turned(self.end);
            let x = b.x + v * self.end + self.drift * (t - self.end);
            return Place { pose: Pose::from_parts(x, q), v: self.drift, w: Vec3::ZERO };
        }
        let (q, w) = b.turned(t);
        Place { pose: Pose::from_parts(b.x + v * t, q), v, w }
    }

    /// The body's pose at some time.
    pub(crate) fn pose(&self, t: f64) -> Pose {
        self.at(t).pose
    }

    /// Box around all places of a ball around the centre of mass.
    pub(crate) fn bounds(&self, radius: f64) -> Aabb {
        let (from, to) = (self.body.x, self.body.x + self.body.way().0 * self.end);
        Aabb::new(from.min(to), from.max(to)).loosened(radius)
    }
}

/// A convex part, or a half-space if there is a normal, on its way.
#[derive(Clone, Copy)]
struct Side<'a> {
    way: &'a Way<'a>,
    /// Pose of the part on its body.
    local: Pose,
    part: Part<'a>,
    /// Distance of the core's farthest point from the centre of mass.
    arm: f64,
    skin: f64,
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Convex(&'a Convex),
    HalfSpace(Vec3),
}

/// Two sides at some time.
struct Gap {
    /// Distance along n, negative for an overlap.
    distance: f64,
    /// From a to b, in the world.
    n: Vec3,
    /// How far the cores reach along n, to one another.
    reach: [f64; 2],
}

/// A core without its skin.
struct Kernel<'a> {
    core: &'a Core,
    skin: f64,
    centre: Vec3,
    scale: f64,
}

impl SupportMap for Kernel<'_> {
    fn local_support_point(&self, d: Vec3) -> Vec3 {
        match *self.core {
            Core::Box { half } => Core::Box { half: half - self.skin }.local_support_point(d),
            Core::Cylinder { half, radius } => {
                let (half, radius) = (half - self.skin, radius - self.skin);
                Core::Cylinder { half, radius }.local_support_point(d)
            }
            Core::Cone { .. } | Core::Hull(_) => {
                self.centre + self.scale * (self.core.local_support_point(d) - self.centre)
            }
            _ => self.core.local_support_point(d),
        }
    }
}

impl<'a> Side<'a> {
    fn new(way: &'a Way, shape: &'a Convex, local: Pose) -> Self {
        Side { way, local, part: Part::Convex(shape), arm: shape.arm(&local), skin: 0.0 }
    }

    fn thickness(&self) -> f64 {
        match self.part {
            Part::Convex(c) => c.inner,
            Part::HalfSpace(_) => f64::INFINITY,
        }
    }

    /// How far a point of the part leaves the straight line between its places at both ends of
    /// the way, if contacts are predicted there. (A tipping capsule of 60 cm dips in by 2 mm
    /// between two places on the ground.)
    fn sagitta(&self, touching: bool) -> f64 {
        let angle = (self.way.end * self.way.body.way().1.length()).min(std::f64::consts::PI);
        let predicted = touching || angle < TURN;
        if predicted { self.arm * (1.0 - (0.5 * angle).cos()) } else { 0.0 }
    }

    /// How far turning brings the part along n in the time t, to first order: a
    /// point p of it moves by t n·(ω × p), so that p·(n + t n × ω) is largest at
    /// the support point of that direction.
    fn swing(&self, place: &Place, n: Vec3, t: f64) -> f64 {
        let Part::Convex(convex) = self.part else { return 0.0 };
        let (kernel, _) = self.kernel(convex);
        let pose = place.pose * self.local;
        let reach = |d: Vec3| {
            let p = kernel.local_support_point(pose.inverse_transform_vector(d));
            d.dot(pose.transform_point(p) - place.pose.translation)
        };
        reach(n + t * n.cross(place.w)) - reach(n)
    }

    /// The point of the core that is farthest along n, and how far the surface is from the core.
    fn support(&self, convex: &'a Convex, place: &Place, n: Vec3) -> (Vec3, f64) {
        let (kernel, radius) = self.kernel(convex);
        let pose = place.pose * self.local;
        let p = kernel.local_support_point(pose.inverse_transform_vector(n));
        (pose.transform_point(p), radius)
    }

    fn kernel(&self, convex: &'a Convex) -> (Kernel<'a>, f64) {
        let centre = convex.centre();
        let scale = 1.0 - self.skin / convex.inner.max(f64::MIN_POSITIVE);
        let kernel = Kernel { core: &convex.core, skin: self.skin, centre, scale };
        (kernel, if convex.radius > 0.0 { convex.radius - self.skin } else { 0.0 })
    }
}

/// The gap of two sides at given places; no direction if the cores overlap.
fn measure(a: &Side, b: &Side, at: &[Place; 2]) -> Option<Gap> {
    let pb = at[1].pose * b.local;
    let n = match (a.part, b.part) {
        (Part::Convex(ca), Part::Convex(cb)) => {
            let ((ka, _), (kb, _)) = (a.kernel(ca), b.kernel(cb));
            let pa = at[0].pose * a.local;
            pa.transform_vector(separation(&pa.inv_mul(&pb), &ka, &kb)?)
        }
        (_, Part::HalfSpace(normal)) => -pb.transform_vector(normal),
        _ => return None,
    };
    along(a, b, at, n)
}

/// The gap along a direction: no more than the gap.
fn along(a: &Side, b: &Side, at: &[Place; 2], n: Vec3) -> Option<Gap> {
    let Part::Convex(convex) = a.part else { return None };
    let (high, radius) = a.support(convex, &at[0], n);
    let (low, other) = match b.part {
        Part::Convex(convex) => b.support(convex, &at[1], -n),
        Part::HalfSpace(_) => ((at[1].pose * b.local).translation, 0.0),
    };
    let reach = [n.dot(high), n.dot(low)];
    Some(Gap { distance: reach[1] - reach[0] - radius - other, n, reach })
}

/// Unit vector from a to b between their nearest points; none if they overlap.
pub(crate) fn separation(pose: &Pose, a: &impl SupportMap, b: &impl SupportMap) -> Option<Vec3> {
    let start = (-pose.translation).try_normalize().unwrap_or(Vec3::X);
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(pose, a, b, start));
    match gjk::closest_points(pose, a, b, f64::MAX, true, &mut simplex) {
        GJKResult::ClosestPoints(p, q, n) => (q - p).try_normalize().or(n.try_normalize()),
        _ => None,
    }
}

/// A time within which the gap does not close to `goal`.
fn advance(a: &Side, b: &Side, at: &[Place; 2], gap: &Gap, goal: f64) -> f64 {
    let closing = gap.n.dot(at[0].v - at[1].v);
    let left = gap.distance - goal;
    let (mut second, mut fastest, mut beyond) = (0.0, 0.0_f64, 0.0);
    for (side, place, reach, sign) in
        [(a, &at[0], gap.reach[0], 1.0), (b, &at[1], gap.reach[1], -1.0)]
    {
        let w = place.w.length();
        if w > 0.0 && side.arm > 0.0 {
            second += 0.8 * side.arm * w * w;
            fastest = fastest.max(w);
            beyond += side.arm - sign * (reach - gap.n.dot(place.pose.translation));
        }
    }
    let straight = |left: f64| if closing > 0.0 { left / closing } else { f64::INFINITY };
    if second == 0.0 {
        return straight(left);
    }
    let t = (left / second).sqrt().min(TURN / fastest);
    let swing = a.swing(&at[0], gap.n, t) + b.swing(&at[1], -gap.n, t);
    let closed = closing * t + swing + second * t * t;
    // It is convex in t, and 0 at 0.
    let turning = if closed > left { t * left / closed } else { t };
    if left > beyond { turning.max(straight(left - beyond)) } else { turning }
}

/// The first time in [0, end] at which the gap is at most `goal`, still open,
/// and its direction; none if there is none. The parts must be apart at first, `n` is a direction
/// that may show it. (A direction that still separates costs two support points, a new one a
/// GJK: `tower` in collapse follows ways in a third of the time.)
fn first_below(
    a: &Side,
    b: &Side,
    end: f64,
    goal: f64,
    least: f64,
    mut n: Vec3,
) -> Option<(f64, Vec3)> {
    let (mut before, mut t, mut wide) = (0.0, 0.0, goal);
    for _ in 0..MOST {
        let at = [a.way.at(t), b.way.at(t)];
        let known = along(a, b, &at, n).filter(|g| n != Vec3::ZERO && g.distance > wide);
        let Some(gap) = known.or_else(|| measure(a, b, &at)).filter(|g| g.distance > 0.0) else {
            return Some(bisect(a, b, [before, t], n, goal));
        };
        n = gap.n;
        wide = (0.5 * gap.distance).max(goal);
        if gap.distance <= goal {
            return Some((t, n));
        }
        // A body that stops on the way changes the speed at which the gap closes.
        let stops = [a.way.end, b.way.end].into_iter().filter(|e| *e > t);
        let stop = stops.fold(end, f64::min);
        let free = advance(a, b, &at, &gap, 0.5 * goal);
        if t + free >= stop {
            if stop >= end {
                return None;
            }
            (before, t) = (t, stop);
            continue;
        }
        let speed = |s: &Side, p: &Place| p.w.length() * s.arm;
        let bound = (at[0].v - at[1].v).length() + speed(a, &at[0]) + speed(b, &at[1]);
        before = t;
        t = stop.min(t + free.max(least / bound));
    }
    Some((before, n))
}

/// Of a time when the parts are apart and one when they overlap: a time between
/// when they touch.
fn bisect(a: &Side, b: &Side, [mut low, mut high]: [f64; 2], n: Vec3, goal: f64) -> (f64, Vec3) {
    let mut n = n;
    for _ in 0..50 {
        let t = 0.5 * (low + high);
        match measure(a, b, &[a.way.at(t), b.way.at(t)]) {
            Some(gap) if gap.distance > 0.0 => {
                (low, n) = (t, gap.n);
                if gap.distance <= goal {
                    break;
                }
            }
            _ => high = t,
        }
    }
    (low, n)
}

/// A meeting: when, and whether the parts touched at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    pub(crate) time: f64,
    pub(crate) touching: bool,
    /// From a to b; none of those with several parts, for what slides along one may run into
    /// another.
    pub(crate) n: Option<Vec3>,
}

/// When two parts run into one another.
fn parts_meet(a: &Side, b: &Side, end: f64, skin: f64, touch: Option<Touch>) -> Option<Meeting> {
    let (ta, tb) = (a.thickness(), b.thickness());
    let thick = [ta, tb].into_iter().filter(|t| *t > 0.0 && t.is_finite()).reduce(f64::min);
    let start = [a.way.at(0.0), b.way.at(0.0)];
    let gap = |a: &Side, b: &Side, n: Option<Vec3>, enough: f64| {
        let known = n.and_then(|n| along(a, b, &start, n)).filter(|g| g.distance > enough);
        let found = known.or_else(|| measure(a, b, &start));
        found.map_or((-1.0, Vec3::ZERO), |g| (g.distance, g.n))
    };
    let near = NEAR * thick.unwrap_or(0.1 * a.arm.min(b.arm));
    let (whole, n) = match touch {
        Some(touch) if touch.gap <= near => (touch.gap, touch.n),
        _ => gap(a, b, touch.map(|t| t.n), near),
    };
    let Some(thick) = thick else {
        let apart = whole > near;
        let (time, n) = apart.then(|| first_below(a, b, end, near, 0.0, n))??;
        return Some(Meeting { time, touching: false, n: n.try_normalize() });
    };
    let shrink_a = ta.is_finite() && (ta >= tb || tb.is_infinite());
    let kernels = |skin: f64| {
        let (mut ka, mut kb) = (*a, *b);
        if shrink_a {
            ka.skin = skin
        } else {
            kb.skin = skin
        }
        (ka, kb)
    };
    let apart = |skin: f64| {
        let (ka, kb) = kernels(skin);
        gap(&ka, &kb, Some(n), near).0 > near
    };
    let are_free = a.way.body.is_dynamic() && b.way.body.is_dynamic();
    let skin = if whole <= near && are_free { skin.max(FREE_SKIN) } else { skin };
    let dip = a.sagitta(whole <= near) + b.sagitta(whole <= near);
    let mut skin = (skin * thick + dip).min(MOST_SKIN.max(skin) * thick);
    if whole <= near && !apart(skin) {
        let margin = if are_free { DEEPER * thick } else { 0.0 };
        skin = (depth(apart, [skin, LOST * thick], NEAR * thick)? + margin).min(LOST * thick);
    }
    let (ka, kb) = kernels(skin);
    let (time, n) = first_below(&ka, &kb, end, near, LEAST * thick, n)?;
    if is_behind(a, n, time) || is_behind(b, -n, time) {
        return None;
    }
    if whole <= near {
        return Some(Meeting { time, touching: true, n: n.try_normalize() });
    }
    let (time, n) = first_below(a, b, time, near, 0.1 * LEAST * thick, n).unwrap_or((time, n));
    Some(Meeting { time, touching: false, n: n.try_normalize() })
}

/// The least skin within bounds that leaves parts apart, to a tolerance; none
/// if none does.
fn depth(
    apart: impl Fn(f64) -> bool,
    [mut low, mut high]: [f64; 2],
    tolerance: f64,
) -> Option<f64> {
    if !apart(high) {
        return None;
    }
    while high - low > tolerance {
        let middle = 0.5 * (low + high);
        if apart(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Whether something that a triangle has in the direction `n` lies behind it.
fn is_behind(side: &Side, n: Vec3, t: f64) -> bool {
    let Part::Convex(Convex { core: Core::Triangle(triangle), .. }) = side.part else {
        return false;
    };
    let pose = side.way.at(t).pose * side.local;
    n.dot(pose.transform_vector(triangle.normal)) < 0.0
}

/// The nearest contact of two colliders at the start of the step.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    /// From a to b.
    pub(crate) n: Vec3,
    pub(crate) gap: f64,
}

/// When two colliders run into one another within `end`, parts sinking in by
/// more than the share `skin` of their thickness.
pub(crate) fn meet(
    (a, way_a): (&Collider, &Way),
    (b, way_b): (&Collider, &Way),
    end: f64,
    skin: f64,
    touch: Option<Touch>,
    triangles: &mut Vec<u32>,
) -> Option<Meeting> {
    if matches!(*a.shape.geometry, Geometry::HalfSpace(_)) {
        let touch = touch.map(|t| Touch { n: -t.n, ..t });
        return match *b.shape.geometry {
            Geometry::HalfSpace(_) => None,
            _ => {
                let m = meet((b, way_b), (a, way_a), end, skin, touch, triangles);
                m.map(|m| Meeting { n: m.n.map(|n| -n), ..m })
            }
        };
    }
    if let Some((ma, mb)) = meshes::meshes(&a.shape.geometry, &b.shape.geometry) {
        return meshes::meet((a, way_a, ma), (b, way_b, mb), end, skin);
    }
    if let (Geometry::Mesh(mesh), Geometry::HalfSpace(n)) = (&*a.shape.geometry, &*b.shape.geometry)
    {
        return meshes::meet_plane((a, way_a, mesh), (b, way_b, *n), end, skin);
    }
    // (Which part of a mesh or compound a contact is of is not known here.)
    let has_parts =
        |c: &Collider| matches!(*c.shape.geometry, Geometry::Mesh(_) | Geometry::Compound(_));
    let is_single = !has_parts(a) && !has_parts(b);
    let touch = touch.filter(|_| is_single);
    let mut first: Option<Meeting> = None;
    for_each_side((a, way_a), (b, way_b), triangles, &mut |side_a, triangles| {
        for_each_side((b, way_b), (a, way_a), triangles, &mut |side_b, _| {
            let end = first.map_or(end, |f| f.time);
            let found = parts_meet(&side_a, &side_b, end, skin, touch);
            if let Some(m) = found.filter(|m| first.is_none_or(|f| m.time < f.time)) {
                first = Some(m);
            }
        });
    });
    first.map(|m| Meeting { n: m.n.filter(|_| is_single), ..m })
}

/// Calls `f` with each part of a collider that may meet the other one.
fn for_each_side(
    (c, way): (&Collider, &Way),
    (other, other_way): (&Collider, &Way),
    triangles: &mut Vec<u32>,
    f: &mut dyn FnMut(Side, &mut Vec<u32>),
) {
    match &*c.shape.geometry {
        Geometry::Convex(shape) => {
            f(Side::new(way, shape, c.local_pose), triangles);
        }
        Geometry::HalfSpace(n) => {
            let part = Part::HalfSpace(*n);
            f(Side { way, local: c.local_pose, part, arm: 0.0, skin: 0.0 }, triangles);
        }
        Geometry::Compound(parts) => {
            for (pose, shape, _) in parts {
                f(Side::new(way, shape, c.local_pose * *pose), triangles);
            }
        }
        Geometry::Mesh(mesh) => {
            let pose = way.at(0.0).pose * c.local_pose;
            let (v, w) = way.body.way();
            let own = way.end * (v.length() + w.length() * c.reach());
            let near = other_way.bounds(other.reach() + own).transform_by(&pose.inverse());
            let from = triangles.len();
            mesh.query(&near, triangles);
            for k in from..triangles.len() {
                let triangle = &mesh.triangles[triangles[k] as usize];
                let shape = Convex::new(Core::Triangle(triangle.clone()), 0.0);
                f(Side::new(way, &shape, c.local_pose), triangles);
            }
            triangles.truncate(from);
        }
    }
}
