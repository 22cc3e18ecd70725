//! Machines whose looks are more than paint on their shapes.

use super::parts::{bar, cab, corners, crate_of, cuboid, drum, lattice, painted, placed, wheel};
use super::{DARK, YELLOW};
use crate::file::{Body, Finish, Shape, Visual};
use std::f64::consts::{FRAC_PI_2, PI};
use taut::math::{Quat, Vec3};

const GREY: &str = "#5b6570";
const STEEL: &str = "#c3c9cf";
const CONCRETE: &str = "#a7a39a";

/// The looks of a body, where they are its own.
pub(super) fn looks(scene: &str, name: &str, body: &Body) -> Option<Vec<Visual>> {
    Some(match (scene, name) {
        ("tower-crane", "jib") => jib(),
        ("tower-crane", "trolley") => trolley(),
        ("tower-crane", "load") => crate_of([1.2, 1.2, 0.5]),
        ("rocks", "shovel") => dozer(body),
        ("bolt", "bolt" | "nut") => bolt(name, body)?,
        ("winch", "drum") => flanged(),
        ("mobile-crane-cable", "frame") => carrier(),
        ("mobile-crane-cable", "turntable") => turntable(),
        ("mobile-crane-cable", "boom") => boom(),
        ("block-and-tackle", "load") => lower_block(body),
        ("domino", _) => domino(body),
        ("incline", "slope") => hill(),
        ("incline", _) => return None,
        _ if name.starts_with("outrigger") => {
            let side = body.position[1].signum();
            let half = body.position[1].abs() - 1.0;
            outrigger(half, side)
        }
        (_, "driver" | "flywheel" | "sheave" | "drum") => match body.shape {
            Some(Shape::Cylinder { half_height, radius }) => drum(half_height, radius, YELLOW),
            _ => return None,
        },
        _ => return None,
    })
}

/// A nut with six sides, and a bolt with a head on its thread.
fn bolt(name: &str, body: &Body) -> Option<Vec<Visual>> {
    let sides = |low: f64, high: f64, colour: &str| {
        let corner = |k: u32| (f64::from(k) * PI / 3.0).sin_cos();
        let ring = |z: f64| (0..6).map(move |k| [0.041 * corner(k).1, 0.041 * corner(k).0, z]);
        let points = ring(low).chain(ring(high)).collect();
        Visual::new(Shape::ConvexHull { points }).colour(colour).finish(Finish::Metal)
    };
    if name == "nut" {
        return Some(vec![sides(0.0, 0.03, "#c9a24b")]);
    }
    let Some(Shape::Sdf { vertices, triangles }) = body.shape.clone() else { return None };
    let top = vertices.iter().map(|v| v[2]).fold(0.0, f64::max);
    let thread =
        Visual::new(Shape::TriMesh { vertices, triangles }).colour(STEEL).finish(Finish::Metal);
    Some(vec![thread, sides(top, top + 0.022, STEEL)])
}

/// Lattice beams on both sides of a peak, ties between them, a counterweight, the cab and what it
/// all turns on. The origin is 1.2 m above the mast.
fn jib() -> Vec<Visual> {
    let (front, back) = (26.0, -9.5);
    let mut parts =
        placed(lattice([14.0, 0.4, 0.4], YELLOW), Vec3::new(12.0, 0.0, 0.4), Quat::IDENTITY);
    parts.extend(placed(
        lattice([3.6, 0.4, 0.3], YELLOW),
        Vec3::new(-5.2, 0.0, 0.4),
        Quat::IDENTITY,
    ));
    parts.push(cuboid([1.0, 0.9, 1.2], [-8.2, 0.0, -0.1], CONCRETE, Finish::Concrete));
    parts.push(painted([0.75, 0.75, 0.25], [0.0, 0.0, -0.3], DARK));
    let ring = Visual::new(Shape::cylinder(0.35, 0.8)).at([0.0, 0.0, -0.85]);
    parts.push(ring.colour(GREY).finish(Finish::Metal));
    parts.extend(placed(cab([0.7, 0.6, 0.9], YELLOW), Vec3::new(0.9, -1.2, -0.3), Quat::IDENTITY));
    // What the end of the hoist cable is held by.
    for side in [-0.4, 0.4] {
        let [foot, end] = [Vec3::new(25.0, side, 0.0), Vec3::new(25.0, 0.0, -0.4)];
        parts.push(bar(foot, end, 0.07, YELLOW, Finish::Paint));
    }
    let peak = Vec3::new(0.0, 0.0, 5.6);
    for (sx, sy) in corners() {
        let foot = Vec3::new(0.7 * sx, 0.4 * sy, 0.6);
        parts.push(bar(foot, peak, 0.09, YELLOW, Finish::Paint));
    }
    for x in [0.45 * front, 0.9 * front, 0.85 * back] {
        parts.push(bar(peak, Vec3::new(x, 0.0, 0.8), 0.05, DARK, Finish::Metal));
    }
    parts
}

/// A frame with wheels on the jib and sheaves below.
fn trolley() -> Vec<Visual> {
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    let mut parts = vec![painted([1.2, 0.45, 0.06], [0.0, 0.0, 0.3], DARK)];
    for x in [-0.8, 0.0, 0.8] {
        parts.extend(placed(drum(0.06, 0.2, YELLOW), Vec3::new(x, 0.0, 0.0), flat));
        parts.push(painted([0.06, 0.12, 0.16], [x, 0.0, 0.14], DARK));
    }
    parts
}

/// A bulldozer, of which the body is the blade: its lower edge is the ground.
fn dozer(blade: &Body) -> Vec<Visual> {
    let (half, floor) = match blade.shape {
        Some(Shape::Box { half_extents }) => (half_extents, -half_extents[2]),
        _ => ([0.03, 3.0, 0.6], -0.6),
    };
    let [_, wide, tall] = half;
    let mut parts = vec![painted([0.06, wide, tall], [-0.03, 0.0, 0.0], YELLOW)];
    parts.push(cuboid([0.05, wide, 0.06], [0.0, 0.0, floor + 0.06], STEEL, Finish::Metal));
    parts.extend((-3..=3).map(|k| {
        painted([0.08, 0.04, 0.9 * tall], [-0.12, 0.31 * wide * f64::from(k), 0.0], YELLOW)
    }));
    for side in [-1.0, 1.0] {
        let track = [-2.9, side * 1.25, floor + 0.5];
        parts.push(cuboid([1.25, 0.3, 0.5], track, DARK, Finish::Rubber));
        for end in [-1.25, 1.25] {
            let [x, y, z] = [track[0] + end, track[1], track[2]];
            let at = |y: f64| Vec3::new(x, y, z);
            parts.push(bar(at(y - 0.3), at(y + 0.3), 0.5, DARK, Finish::Rubber));
            parts.push(bar(at(y - 0.32), at(y + 0.32), 0.3, GREY, Finish::Metal));
        }
        let arm =
            [Vec3::new(-2.6, side * 1.65, floor + 0.5), Vec3::new(-0.1, side * 1.65, floor + 0.4)];
        parts.push(bar(arm[0], arm[1], 0.1, YELLOW, Finish::Paint));
    }
    parts.push(painted([1.3, 0.9, 0.35], [-2.9, 0.0, floor + 0.95], YELLOW));
    parts.push(painted([0.75, 0.6, 0.4], [-2.0, 0.0, floor + 1.6], YELLOW));
    parts.push(cuboid([0.02, 0.5, 0.3], [-1.24, 0.0, floor + 1.6], DARK, Finish::Matt));
    parts.extend(placed(
        cab([0.6, 0.75, 0.75], YELLOW),
        Vec3::new(-3.4, 0.0, floor + 2.0),
        Quat::IDENTITY,
    ));
    parts.push(bar(
        Vec3::new(-2.0, 0.35, floor + 1.9),
        Vec3::new(-2.0, 0.35, floor + 2.6),
        0.06,
        DARK,
        Finish::Metal,
    ));
    parts
}

/// The drum of the winch with its flanges, along y.
fn flanged() -> Vec<Visual> {
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    let core = Visual::new(Shape::cylinder(0.4, 0.5)).oriented(flat);
    let mut parts = vec![core.colour(GREY).finish(Finish::Metal)];
    for y in [-0.43, 0.43] {
        parts.extend(placed(drum(0.03, 0.9, "#c8372d"), Vec3::new(0.0, y, 0.0), flat));
    }
    parts
}

/// A leg with its foot, and the beam to the frame that it slides along.
fn outrigger(half: f64, side: f64) -> Vec<Visual> {
    vec![
        painted([0.14, 0.14, 0.46], [0.0, 0.0, 0.04], YELLOW),
        painted([0.32, 0.32, 0.05], [0.0, 0.0, -0.45], DARK),
        painted([0.16, 0.5 * half + 0.1, 0.12], [0.0, -side * (0.5 * half + 0.05), 0.5], YELLOW),
        painted([0.2, 0.2, 0.14], [0.0, 0.0, 0.5], DARK),
    ]
}

/// Frame, cab, wheels and outriggers of a mobile crane in one body.
fn carrier() -> Vec<Visual> {
    let mut parts = vec![
        painted([4.2, 1.0, 0.3], [0.0, 0.0, 1.2], YELLOW),
        painted([4.1, 0.6, 0.12], [0.0, 0.0, 0.8], DARK),
    ];
    parts.extend(placed(cab([0.7, 1.1, 0.8], YELLOW), Vec3::new(4.6, 0.0, 2.1), Quat::IDENTITY));
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    for x in [-3.2, -1.8, 1.8, 3.2] {
        for y in [1.15, -1.15] {
            parts.extend(placed(wheel(0.2, 0.55), Vec3::new(x, y, 0.6), flat));
        }
    }
    for x in [4.0, -4.0] {
        for side in [1.0, -1.0] {
            let at = Vec3::new(x, 2.4 * side, 0.5);
            parts.extend(placed(outrigger(1.4, side), at, Quat::IDENTITY));
        }
    }
    parts
}

/// The turntable with its counterweight and the operator's cab.
fn turntable() -> Vec<Visual> {
    let mut parts = vec![
        painted([2.0, 1.0, 0.3], [0.0; 3], YELLOW),
        painted([0.5, 1.2, 0.6], [-2.4, 0.0, 0.3], GREY),
    ];
    parts.extend(placed(cab([0.7, 0.4, 0.7], YELLOW), Vec3::new(1.2, -1.3, 0.5), Quat::IDENTITY));
    parts
}

/// Three boxes, one in the other.
fn boom() -> Vec<Visual> {
    let parts = [(0.0, 7.0, YELLOW), (6.0, 5.5, "#e9ebec"), (11.0, 5.0, "#e9ebec")];
    let part = |(i, (from, long, colour)): (usize, (f64, f64, &str))| {
        let thin = 0.05 * i as f64;
        painted([0.3 - thin, 0.25 - thin, 0.5 * long], [0.0, 0.0, from + 0.5 * long], colour)
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Cheeks and sheaves of the lower block, and the weight that hangs on it.
fn lower_block(load: &Body) -> Vec<Visual> {
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    let sheaves = load.colliders.iter().filter(|c| matches!(c.shape, Shape::Cylinder { .. }));
    let mut parts: Vec<Visual> = sheaves
        .flat_map(|c| placed(drum(0.05, 0.22, YELLOW), Vec3::from(c.position), flat))
        .collect();
    let wide = load.colliders.first().map_or(1.0, |c| match c.shape {
        Shape::Box { half_extents } => half_extents[0],
        _ => 1.0,
    });
    for y in [-0.09, 0.09] {
        parts.push(painted([0.9 * wide, 0.02, 0.16], [0.0, y, -0.16], DARK));
    }
    parts.push(painted([0.06, 0.06, 0.2], [0.0, 0.0, -0.4], DARK));
    parts.push(cuboid([0.75, 0.5, 0.42], [0.0, 0.0, -0.95], CONCRETE, Finish::Concrete));
    parts.push(painted([0.76, 0.06, 0.43], [0.0, 0.0, -0.95], GREY));
    parts
}

/// A stone with its line and pips, on both faces.
fn domino(body: &Body) -> Vec<Visual> {
    let Some(Shape::Box { half_extents: [x, y, z] }) = body.shape else { return Vec::new() };
    let digits: String = body.name.chars().filter(char::is_ascii_digit).collect();
    let number: usize = digits.parse().unwrap_or(0);
    let face = if number == 0 { "#c8372d" } else { "#f1ebdc" };
    let mark = if number == 0 { "#f1ebdc" } else { "#2b2f34" };
    let mut parts = vec![painted([x, y, z], [0.0; 3], face)];
    parts.push(cuboid([1.02 * x, 0.8 * y, 0.012 * z], [0.0; 3], mark, Finish::Matt));
    let turn = Quat::from_rotation_y(FRAC_PI_2);
    for (count, middle) in [(number % 6 + 1, 0.5 * z), ((5 * number + 2) % 6 + 1, -0.5 * z)] {
        for [u, v] in pips(count) {
            let pip = Visual::new(Shape::cylinder(1.03 * x, 0.12 * y));
            let pip = pip.at([0.0, 0.5 * y * u, middle + 0.25 * z * v]).oriented(turn);
            parts.push(pip.colour(mark).finish(Finish::Matt));
        }
    }
    parts
}

/// Where pips are on a half of a stone.
fn pips(count: usize) -> Vec<[f64; 2]> {
    let pairs = [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 0.0], [-1.0, 0.0]];
    let mut all = pairs[..count / 2 * 2].to_vec();
    if count % 2 == 1 {
        all.push([0.0, 0.0]);
    }
    all
}

/// A hill with a flat side along the plane, which goes on as far as boxes slide.
fn hill() -> Vec<Visual> {
    let (up, down, wide) = (-4.0, 34.0, 5.0);
    let slope = PI / 9.0;
    let foot = down * slope.sin();
    // In the frame of the plane, whose x points down the hill.
    let level = |x: f64| {
        let (s, c) = slope.sin_cos();
        let below = Vec3::new(x * c, 0.0, -foot);
        Vec3::new(below.x * c - below.z * s, 0.0, below.x * s + below.z * c)
    };
    let mut points = Vec::new();
    for y in [-wide, wide] {
        for p in [Vec3::X * up, Vec3::X * down, level(up)] {
            points.push([p.x, y, p.z]);
        }
    }
    let hill = Visual::new(Shape::ConvexHull { points });
    let mut parts = vec![hill.colour("#b3a184").finish(Finish::Wood)];
    // A line every two metres.
    parts.extend((-1..=16).map(|k| {
        cuboid([0.02, wide, 0.004], [2.0 * f64::from(k), 0.0, 0.0], "#8f7d60", Finish::Matt)
    }));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pips_as_on_stones() {
        for count in 1..=6 {
            assert_eq!(pips(count).len(), count);
        }
    }
}
