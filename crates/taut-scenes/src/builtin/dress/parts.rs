//! Things that scenes are dressed with, each as shapes in the frame of its body.

use crate::file::{Finish, Shape, Visual};
use std::f64::consts::{FRAC_PI_2, TAU};
use taut::math::{Quat, Vec3};

const DARK: &str = "#2b2f34";

/// A box of a colour and finish at a place.
pub(super) fn cuboid(half: [f64; 3], at: [f64; 3], colour: &str, finish: Finish) -> Visual {
    Visual::new(Shape::cuboid(half)).at(at).colour(colour).finish(finish)
}

/// A painted box.
pub(super) fn painted(half: [f64; 3], at: [f64; 3], colour: &str) -> Visual {
    cuboid(half, at, colour, Finish::Paint)
}

/// A cylinder along z.
fn disc(half: f64, radius: f64, colour: &str, finish: Finish) -> Visual {
    Visual::new(Shape::cylinder(half, radius)).colour(colour).finish(finish)
}

/// A round bar between two points.
pub(super) fn bar(from: Vec3, to: Vec3, radius: f64, colour: &str, finish: Finish) -> Visual {
    let along = to - from;
    let turn = Quat::from_rotation_arc(Vec3::Z, along.normalize_or(Vec3::Z));
    let rod = disc(0.5 * along.length().max(1e-6), radius, colour, finish);
    rod.at(from.lerp(to, 0.5)).oriented(turn)
}

/// A tyre on a rim, with a spoke that shows how it turns.
pub(super) fn wheel(half: f64, radius: f64) -> Vec<Visual> {
    let spoke =
        cuboid([0.52 * radius, 0.09 * radius, 1.06 * half], [0.0; 3], "#7d848c", Finish::Metal);
    vec![
        Visual::new(Shape::cylinder(half, radius)).finish(Finish::Rubber),
        disc(1.03 * half, 0.6 * radius, "#d3d7db", Finish::Metal),
        spoke,
        disc(1.12 * half, 0.17 * radius, DARK, Finish::Metal),
    ]
}

/// A pulley, drum or flywheel along z: a rim, a face with spokes that show how it turns, a hub.
pub(super) fn drum(half: f64, radius: f64, paint: &str) -> Vec<Visual> {
    let spoke = |turn: f64| {
        let spoke =
            cuboid([0.8 * radius, 0.07 * radius, 1.04 * half], [0.0; 3], "#3c4249", Finish::Paint);
        spoke.oriented(Quat::from_rotation_z(turn))
    };
    vec![
        disc(half, radius, "#4a5058", Finish::Metal),
        disc(1.02 * half, 0.84 * radius, paint, Finish::Paint),
        spoke(0.0),
        spoke(TAU / 6.0),
        spoke(TAU / 3.0),
        disc(1.1 * half, 0.2 * radius, DARK, Finish::Metal),
    ]
}

/// Parts moved and turned together.
pub(super) fn placed(parts: Vec<Visual>, at: Vec3, turn: Quat) -> Vec<Visual> {
    let place = |part: Visual| {
        let [w, x, y, z] = part.orientation;
        let (own, position) = (Quat::from_xyzw(x, y, z, w), Vec3::from(part.position));
        part.at(at + turn * position).oriented(turn * own)
    };
    parts.into_iter().map(place).collect()
}

/// A cab: painted below and on top, glass between, pillars at the corners.
pub(super) fn cab([x, y, z]: [f64; 3], paint: &str) -> Vec<Visual> {
    let pillar = 0.06 * x.min(y);
    let mut parts = vec![
        painted([x, y, 0.5 * z], [0.0, 0.0, -0.5 * z], paint),
        painted([x, y, 0.08 * z], [0.0, 0.0, 0.92 * z], paint),
        Visual::new(Shape::cuboid([0.95 * x, 0.95 * y, 0.42 * z]))
            .at([0.0, 0.0, 0.42 * z])
            .finish(Finish::Glass),
    ];
    for (sx, sy) in corners() {
        let at = [sx * (x - pillar), sy * (y - pillar), 0.42 * z];
        parts.push(painted([pillar, pillar, 0.42 * z], at, paint));
    }
    parts
}

/// Signs of x and y of four corners.
pub(super) fn corners() -> [(f64, f64); 4] {
    [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
}

/// A tub with walls, and a load in it.
pub(super) fn tub([x, y, z]: [f64; 3], paint: &str, load: &str) -> Vec<Visual> {
    let wall = 0.05 * y;
    vec![
        painted([x, y, wall], [0.0, 0.0, wall - z], paint),
        painted([wall, y, z], [x - wall, 0.0, 0.0], paint),
        painted([wall, y, 0.9 * z], [wall - x, 0.0, -0.1 * z], paint),
        painted([x, wall, z], [0.0, y - wall, 0.0], paint),
        painted([x, wall, z], [0.0, wall - y, 0.0], paint),
        cuboid(
            [x - 2.0 * wall, y - 2.0 * wall, 0.8 * z],
            [0.0, 0.0, -0.12 * z],
            load,
            Finish::Matt,
        ),
    ]
}

/// A lattice of four chords and diagonals in place of a box, along its longest axis.
pub(super) fn lattice(half: [f64; 3], paint: &str) -> Vec<Visual> {
    let axis = (0..3).max_by(|&i, &j| half[i].total_cmp(&half[j])).unwrap_or(2);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let point = |along: f64, su: f64, sv: f64| {
        let mut p = [0.0; 3];
        (p[axis], p[u], p[v]) = (along, su * half[u] * 0.92, sv * half[v] * 0.92);
        Vec3::from(p)
    };
    let (chord, brace) = (0.11 * half[u].min(half[v]), 0.06 * half[u].min(half[v]));
    let long = half[axis];
    let panels = (long / half[u].min(half[v]) / 1.3).round().max(1.0);
    let mut parts = Vec::new();
    for (k, (su, sv)) in corners().into_iter().enumerate() {
        parts.push(bar(point(-long, su, sv), point(long, su, sv), chord, paint, Finish::Paint));
        let (tu, tv) = corners()[(k + 1) % 4];
        for i in 0..panels as usize {
            let (from, to) = (2.0 * i as f64 / panels - 1.0, 2.0 * (i + 1) as f64 / panels - 1.0);
            let (from, to) = if (i + k).is_multiple_of(2) { (from, to) } else { (to, from) };
            let ends = (point(from * long, su, sv), point(to * long, tu, tv));
            parts.push(bar(ends.0, ends.1, brace, paint, Finish::Paint));
        }
    }
    parts
}

/// A link of a chain along an axis of its body, turned by a quarter where `odd`: two sides and two
/// ends of round wire. `reach` is half its length from joint to joint.
pub(super) fn link(axis: Vec3, reach: f64, wire: f64, odd: bool) -> Vec<Visual> {
    let turn = Quat::from_rotation_arc(Vec3::Z, axis);
    let turn = if odd { turn * Quat::from_rotation_z(FRAC_PI_2) } else { turn };
    let (width, long) = (1.9 * wire, reach + 0.3 * wire);
    let steel = |half: f64| Visual::new(Shape::capsule(half, wire)).finish(Finish::Metal);
    let across = Quat::from_rotation_y(FRAC_PI_2);
    let side = |x: f64| steel(long).at(turn * Vec3::new(x, 0.0, 0.0)).oriented(turn);
    let end = |z: f64| steel(width).at(turn * Vec3::new(0.0, 0.0, z)).oriented(turn * across);
    vec![side(width), side(-width), end(long), end(-long)]
}

/// A solid between two circles around z.
pub(super) fn frustum([low, high]: [(f64, f64); 2]) -> Shape {
    let ring = |(radius, z): (f64, f64)| {
        (0..20).map(move |i| {
            let (sin, cos) = (TAU * f64::from(i) / 20.0).sin_cos();
            [radius * cos, radius * sin, z]
        })
    };
    Shape::ConvexHull { points: ring(low).chain(ring(high)).collect() }
}

/// A traffic cone with a white band.
pub(super) fn cone(half: f64, radius: f64) -> Vec<Visual> {
    let at =
        |share: f64| (radius * (1.0 - share) * 0.8 + 0.04 * radius, half * (2.0 * share - 1.0));
    let orange =
        |from, to| Visual::new(frustum([at(from), at(to)])).colour("#f26a1b").finish(Finish::Paint);
    let band = Visual::new(frustum([at(0.4), at(0.62)])).colour("#f4f4f0").finish(Finish::Paint);
    let foot =
        cuboid([radius, radius, 0.04 * half], [0.0, 0.0, -0.96 * half], "#f26a1b", Finish::Matt);
    vec![orange(0.02, 0.4), band, orange(0.62, 0.98), foot]
}

/// A pipe or a log: a cylinder with ends of another colour.
pub(super) fn ended(
    half: f64,
    radius: f64,
    [side, end]: [&str; 2],
    inner: f64,
    finish: Finish,
) -> Vec<Visual> {
    vec![
        disc(half, radius, side, finish),
        disc(half + 0.01 * radius, inner * radius, end, Finish::Matt),
    ]
}

/// A crate of boards.
pub(super) fn crate_of([x, y, z]: [f64; 3]) -> Vec<Visual> {
    let board = |half: [f64; 3], at: [f64; 3]| cuboid(half, at, "#c1935a", Finish::Wood);
    let mut parts = vec![cuboid([0.95 * x, 0.95 * y, 0.97 * z], [0.0; 3], "#8c6638", Finish::Wood)];
    for height in [-0.78, -0.26, 0.26, 0.78] {
        parts.push(board([0.985 * x, 0.985 * y, 0.22 * z], [0.0, 0.0, height * z]));
    }
    for (sx, sy) in corners() {
        parts.push(board([0.12 * x, 0.12 * y, z], [0.88 * sx * x, 0.88 * sy * y, 0.0]));
    }
    parts
}

/// Somebody who sits.
pub(super) fn person(half: f64) -> Vec<Visual> {
    let part = |shape, z: f64, colour: &str| {
        Visual::new(shape).at([0.0, 0.0, z]).colour(colour).finish(Finish::Matt)
    };
    vec![
        part(Shape::capsule(0.9 * half, 0.85 * half), -0.2 * half, "#e8862a"),
        part(Shape::ball(0.62 * half), 2.0 * half, "#d9a684"),
        part(Shape::ball(0.66 * half), 2.15 * half, "#f2c230"),
    ]
}

/// A hull with deck and bridge, its bow towards +y, as long and wide as a box.
pub(super) fn ship([x, y, z]: [f64; 3]) -> Vec<Visual> {
    let outline = |wide: f64, bow: f64, z: f64| {
        let (x, y) = (wide * x, y);
        [[x, -y, z], [-x, -y, z], [x, 0.72 * y, z], [-x, 0.72 * y, z], [0.0, bow * y, z]]
    };
    let hull = |low: [[f64; 3]; 5], high: [[f64; 3]; 5]| Shape::ConvexHull {
        points: [low, high].concat(),
    };
    let lower = hull(outline(0.8, 0.86, -z), outline(1.0, 1.0, -0.2 * z));
    let upper = hull(outline(1.0, 1.0, -0.2 * z), outline(1.0, 1.06, 0.94 * z));
    let deck = hull(outline(0.97, 1.0, 0.94 * z), outline(0.97, 1.0, z));
    let coloured = |shape, colour: &str| Visual::new(shape).colour(colour).finish(Finish::Paint);
    let aft = -0.8 * y;
    let mut parts =
        vec![coloured(lower, "#8e2f2a"), coloured(upper, "#24364b"), coloured(deck, "#6f7a72")];
    parts.push(painted([0.75 * x, 0.12 * y, z], [0.0, aft, 2.0 * z], "#e9ebec"));
    parts.push(painted([0.6 * x, 0.08 * y, 0.45 * z], [0.0, aft, 3.45 * z], "#e9ebec"));
    let windows =
        Visual::new(Shape::cuboid([0.62 * x, 0.082 * y, 0.15 * z])).at([0.0, aft, 3.55 * z]);
    parts.push(windows.colour("#1d2a36").finish(Finish::Glass));
    parts.push(painted([0.2 * x, 0.04 * y, 0.8 * z], [0.0, aft - 0.06 * y, 4.5 * z], "#c8372d"));
    parts
}
