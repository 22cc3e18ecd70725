//! What stands around the built-in scenes: what things hang on, stand on, or are guided by.

use super::parts::{bar, corners, cuboid, painted};
use super::{DARK, YELLOW};
use crate::file::{Body, Finish, SceneFile, Shape, Visual};
use taut::math::{Quat, Vec3};

const STEEL: &str = "#56616c";
const RED: &str = "#9c4a34";
const GRASS: &str = "#7d8f58";
const ROCK: &str = "#8d8373";

/// What stands around, in world coordinates.
pub(super) fn scenery(name: &str, scene: &SceneFile) -> Vec<Visual> {
    let each = |start: &'static str, make: fn(&Body) -> Vec<Visual>| {
        scene.bodies.iter().filter(|b| b.name.starts_with(start)).flat_map(make).collect()
    };
    match name {
        "bridge" => bridge(scene),
        "offshore" | "offshore-cable" => {
            let water = Visual::new(Shape::cuboid([600.0, 600.0, 0.05])).at([0.0, 0.0, -0.6]);
            vec![water.colour("#2d5f7c").finish(Finish::Water)]
        }
        "newtons-cradle" => cradle(scene),
        "four-bar" => four_bars(scene),
        "catenary" => catenary(scene),
        "loaded-chain" => gallows(scene),
        "chain" => portal(scene),
        "spinner" => {
            each("ball", |ball| gantry([0.0, 0.0, 0.08], 1.0, ball.position[2] - 0.8, 0.08))
        }
        "shackle-chain" => {
            each("load", |load| gantry([0.0, 0.0, 0.06], 0.6, load.position[2] - 0.5, 0.04))
        }
        "block-and-tackle" => each("beam", tackle),
        "hook" => each("hook", hook_block),
        "belt-drive" => {
            let wheels = ["driver", "flywheel"].map(|start| each(start, pedestal));
            wheels.concat()
        }
        "gears" => gears(scene),
        "elevator" => each("sheave", shaft),
        "winch" => each("drum", winch),
        "chain-drop" => each("plane", legs),
        "soft-gripper" => each("carriage", |carriage| {
            let [x, y, _] = carriage.position;
            post([x, y + 0.14], [0.0, 1.5], 0.06).into()
        }),
        "net-truck" | "trucks" => net_frame(scene),
        "tower-crane" => each("mast", |mast| {
            let [x, y, _] = mast.position;
            vec![cuboid([1.8, 1.8, 0.3], [x, y, 0.3], "#a7a39a", Finish::Concrete)]
        }),
        "cable-car" => each("tower-b", |tower| {
            let [x, y, z] = tower.position;
            let at = Vec3::new(x, y, z + 11.5);
            vec![bar(at - Vec3::Y * 0.12, at + Vec3::Y * 0.12, 1.45, STEEL, Finish::Metal)]
        }),
        _ => Vec::new(),
    }
}

/// A post with a foot, from the ground up.
fn post([x, y]: [f64; 2], [bottom, top]: [f64; 2], thick: f64) -> [Visual; 2] {
    let half = 0.5 * (top - bottom);
    [
        painted([thick, thick, half], [x, y, bottom + half], STEEL),
        cuboid([4.0 * thick, 4.0 * thick, 0.5 * thick], [x, y, bottom], DARK, Finish::Concrete),
    ]
}

/// A beam along x on two posts, its lower side at a height.
fn gantry([x, y, z]: [f64; 3], half: f64, bottom: f64, thick: f64) -> Vec<Visual> {
    let mut parts = vec![painted([half + thick, thick, thick], [x, y, z + thick], YELLOW)];
    for side in [-half, half] {
        parts.extend(post([x + side, y], [bottom, z], thick));
        // A brace to the beam.
        let (from, to) = (Vec3::new(x + side, y, z - 0.3 * half), Vec3::new(x + 0.7 * side, y, z));
        parts.push(bar(from, to, 0.5 * thick, STEEL, Finish::Paint));
    }
    parts
}

/// A post at each end of a chain.
fn catenary(scene: &SceneFile) -> Vec<Visual> {
    let bottom = scene.bodies.iter().map(|b| b.position[2]).fold(0.0, f64::min) - 0.7;
    let ends = [scene.joints.first(), scene.joints.last()];
    let ends = ends.into_iter().flatten().filter_map(|j| j.anchor_a);
    ends.flat_map(|[x, y, _]| post([x + 0.08 * x.signum(), y], [bottom, 0.15], 0.08)).collect()
}

/// Something beside the chain that holds its upper end.
fn gallows(scene: &SceneFile) -> Vec<Visual> {
    let long = scene.bodies.iter().map(|b| b.position[0]).fold(1.0, f64::max);
    let (thick, aside) = (0.012 * long, 0.14 * long);
    let mut parts = post([0.0, aside], [-1.08 * long, 2.0 * thick], thick).to_vec();
    let half = 0.5 * aside + thick;
    parts.push(painted([thick, half, thick], [0.0, half, thick], YELLOW));
    let brace = [Vec3::new(0.0, aside, -0.6 * aside), Vec3::new(0.0, 0.3 * aside, 0.0)];
    parts.push(bar(brace[0], brace[1], 0.6 * thick, STEEL, Finish::Paint));
    parts
}

/// Two posts that hold the rod and the end of the chain, wide enough for what swings between them.
fn portal(scene: &SceneFile) -> Vec<Visual> {
    let long = scene.bodies.iter().map(|b| b.position[0]).fold(1.0, f64::max);
    let (thick, half) = (0.014 * long, 0.28 * long);
    let mut parts = vec![painted([thick, half + thick, thick], [0.0, 0.0, thick], YELLOW)];
    for y in [-half, half] {
        parts.extend(post([0.0, y], [-1.1 * long, 0.0], thick));
    }
    if let Some(rod) = scene.bodies.iter().find(|b| b.name == "rod") {
        let at = Vec3::from(rod.position);
        let reach = Vec3::Y * half;
        parts.push(bar(at - reach, at + reach, 0.7 * thick, DARK, Finish::Metal));
    }
    parts
}

/// Posts under the ends of the beam of a tackle.
fn tackle(beam: &Body) -> Vec<Visual> {
    let [x, y, z] = beam.position;
    let half = match beam.colliders.first().map(|c| &c.shape) {
        Some(Shape::Box { half_extents }) => half_extents[0],
        _ => 1.0,
    };
    let mut parts = vec![painted([half + 0.4, 0.16, 0.12], [x, y, z + 0.72], YELLOW)];
    for side in [-half - 0.25, half + 0.25] {
        parts.extend(post([x + side, y], [0.0, z + 0.6], 0.1));
    }
    parts
}

/// The block that a crane hook is part of, on its ropes.
fn hook_block(hook: &Body) -> Vec<Visual> {
    let [x, y, z] = hook.position;
    let x = x - 0.06;
    let up = |x: f64, z: f64| Vec3::new(x, y, z);
    let mut parts = vec![
        bar(up(x, z + 0.19), up(x, z + 0.3), 0.024, "#c3c9cf", Finish::Metal),
        painted([0.1, 0.045, 0.13], [x, y, z + 0.42], YELLOW),
        painted([0.035, 0.047, 0.132], [x - 0.03, y, z + 0.42], DARK),
    ];
    for side in [-0.07, 0.07] {
        parts.push(bar(up(x + side, z + 0.5), up(x + side, z + 1.3), 0.006, DARK, Finish::Metal));
    }
    parts
}

/// A bearing on a column behind a wheel, and the floor that it stands on.
fn pedestal(wheel: &Body) -> Vec<Visual> {
    let [x, y, z] = wheel.position;
    let (behind, foot) = (y + 0.2, 0.3);
    let half = 0.5 * (z - foot);
    let axle = |y: f64| Vec3::new(x, y, z);
    vec![
        bar(axle(y - 0.12), axle(behind + 0.1), 0.03, "#c3c9cf", Finish::Metal),
        painted([0.07, 0.05, half + 0.08], [x, behind, foot + half + 0.08], STEEL),
        cuboid([0.3, 0.3, 0.03], [x, y + 0.1, foot - 0.03], DARK, Finish::Concrete),
    ]
}

/// A plate under the gears, and their shafts.
fn gears(scene: &SceneFile) -> Vec<Visual> {
    let low = |k: usize| scene.bodies.iter().map(|b| b.position[k]).fold(0.0, f64::min) - 0.24;
    let high = |k: usize| scene.bodies.iter().map(|b| b.position[k]).fold(0.0, f64::max) + 0.24;
    let (middle, half) = (|k| 0.5 * (low(k) + high(k)), |k| 0.5 * (high(k) - low(k)));
    let mut parts = vec![painted([half(0), half(1), 0.012], [middle(0), middle(1), -0.1], STEEL)];
    for body in &scene.bodies {
        let at = |z: f64| Vec3::new(body.position[0], body.position[1], z);
        parts.push(bar(at(-0.1), at(0.06), 0.02, DARK, Finish::Metal));
        parts.push(bar(at(-0.1), at(-0.05), 0.035, YELLOW, Finish::Paint));
    }
    parts
}

/// The frame of a lift: posts, rings, guide rails, floors, and what carries the machine.
fn shaft(sheave: &Body) -> Vec<Visual> {
    let [x, y, top] = sheave.position;
    let (left, right, deep) = (x - 2.1, x + 0.85, 1.15);
    let (middle, half) = (0.5 * (left + right), 0.5 * (right - left));
    let mut parts = Vec::new();
    for (sx, sy) in corners() {
        let at = [middle + sx * half, y + sy * deep];
        parts.extend(post(at, [0.0, top + 0.3], 0.07));
    }
    for (rail, aside) in [(x - 1.0, 0.87), (x + 0.4, 0.68)] {
        for side in [-aside, aside] {
            let half = [0.03, 0.03, 0.5 * top];
            parts.push(cuboid(half, [rail, y + side, 0.5 * top], "#c3c9cf", Finish::Metal));
        }
    }
    for floor in 0..6 {
        let z = 0.9 + 4.0 * f64::from(floor) - 0.1;
        for side in [-deep, deep] {
            parts.push(painted([half, 0.05, 0.05], [middle, y + side, z], STEEL));
        }
        for end in [left, right] {
            parts.push(painted([0.05, deep, 0.05], [end, y, z], STEEL));
        }
        // A landing at the car's side.
        parts.push(cuboid(
            [0.7, deep + 0.3, 0.1],
            [left - 0.75, y, z - 0.1],
            "#b4b0a7",
            Finish::Concrete,
        ));
    }
    parts.push(painted([half, 0.12, 0.12], [middle, y + 0.35, top], YELLOW));
    parts.push(painted([half, 0.12, 0.12], [middle, y - 0.35, top], YELLOW));
    parts
}

/// Two trestles that carry the drum, and its motor.
fn winch(drum: &Body) -> Vec<Visual> {
    let [x, y, z] = drum.position;
    let axle = |side: f64| Vec3::new(x, y + side, z);
    let mut parts = vec![bar(axle(-0.7), axle(1.0), 0.07, "#c3c9cf", Finish::Metal)];
    for side in [-0.62, 0.62] {
        for foot in [-0.85, 0.85] {
            let foot = Vec3::new(x + foot, y + side, 0.06);
            parts.push(bar(foot, axle(side), 0.06, YELLOW, Finish::Paint));
        }
        parts.push(painted([1.1, 0.08, 0.06], [x, y + side, 0.06], YELLOW));
        parts.push(painted([0.12, 0.06, 0.12], [x, y + side, z], DARK));
    }
    parts.push(painted([0.3, 0.22, 0.3], [x, y + 1.15, z], "#2f6fb3"));
    parts.push(painted([0.35, 0.25, 0.5 * (z - 0.3)], [x, y + 1.15, 0.5 * (z - 0.3)], STEEL));
    parts
}

/// Legs under the corners of a tilted plate.
fn legs(plate: &Body) -> Vec<Visual> {
    let [w, x, y, z] = plate.orientation;
    let turn = Quat::from_xyzw(x, y, z, w);
    let Some(Shape::Box { half_extents }) = plate.shape else { return Vec::new() };
    let floor = -2.5;
    let mut parts = Vec::new();
    for (sx, sy) in corners() {
        let inner = Vec3::new(sx * (half_extents[0] - 0.2), sy * (half_extents[1] - 0.2), -0.05);
        let top = Vec3::from(plate.position) + turn * inner;
        parts.extend(post([top.x, top.y], [floor, top.z], 0.08));
    }
    parts
}

/// The frame that a net is tied to, on posts.
fn net_frame(scene: &SceneFile) -> Vec<Visual> {
    let ground = scene.ground.as_ref().map_or(-5.0, |g| g.height);
    let strand = |b: &&Body| {
        let mut letters = b.name.chars();
        matches!(letters.next(), Some('x' | 'y'))
            && letters.next().is_some_and(|c| c.is_ascii_digit())
    };
    let reach = |k: usize| {
        let ends = scene.bodies.iter().filter(strand).map(|b| b.position[k]);
        ends.fold(0.0, f64::max) + 0.1
    };
    let (x, y, thick) = (reach(0), reach(1), 0.09);
    let mut parts = Vec::new();
    for side in [-1.0, 1.0] {
        parts.push(painted([x + thick, thick, thick], [0.0, side * y, 0.0], YELLOW));
        parts.push(painted([thick, y + thick, thick], [side * x, 0.0, 0.0], YELLOW));
    }
    for (sx, sy) in corners() {
        parts.extend(post([sx * x, sy * y], [ground, 0.0], thick));
    }
    parts
}

/// The rods that the balls hang on, and what carries them.
fn cradle(scene: &SceneFile) -> Vec<Visual> {
    let anchors = || scene.joints.iter().filter_map(|j| j.anchor_a);
    let most = anchors().map(|a| a[0]).fold(0.0, f64::max);
    let deep = scene.bodies.iter().map(|b| b.position[2]).fold(0.0, f64::min);
    let (middle, half) = (0.5 * most, 0.5 * most + 0.12);
    let wood = |half, at| cuboid(half, at, "#8a5a33", Finish::Wood);
    let mut parts = vec![wood([half + 0.05, 0.26, 0.02], [middle, 0.0, deep - 0.16])];
    for y in [0.2, -0.2] {
        parts.push(cuboid([half, 0.008, 0.008], [middle, y, 0.0], "#c3c9cf", Finish::Metal));
        for x in [middle - half, middle + half] {
            let tall = 0.5 * (0.15 - deep);
            parts.push(cuboid([0.008, 0.008, tall], [x, y, -tall], "#c3c9cf", Finish::Metal));
        }
    }
    parts
}

/// The fixed bar of each linkage, with a foot at both ends.
fn four_bars(scene: &SceneFile) -> Vec<Visual> {
    let named = |start: &'static str| move |b: &&Body| b.name.starts_with(start);
    let cranks = scene.bodies.iter().filter(named("crank"));
    let rockers = scene.bodies.iter().filter(named("rocker"));
    let mut parts = Vec::new();
    for (crank, rocker) in cranks.zip(rockers) {
        let ([x, y, _], end) = (crank.position, rocker.position[0] + 0.04);
        let (middle, half) = (0.5 * (x + end), 0.5 * (end - x) + 0.1);
        parts.push(cuboid([half, 0.07, 0.02], [middle, y, -0.06], "#5b646d", Finish::Paint));
        for x in [x, end] {
            parts.push(cuboid([0.025, 0.05, 0.03], [x, y, -0.02], YELLOW, Finish::Paint));
        }
    }
    parts
}

/// A pylon at each end of the bridge, as high as its cables reach, the banks that they stand on,
/// and the stays behind them.
fn bridge(scene: &SceneFile) -> Vec<Visual> {
    let along = |pick: fn(f64, f64) -> f64, start| {
        scene.bodies.iter().map(|b| b.position[0]).fold(start, pick)
    };
    let top = scene.bodies.iter().map(|b| b.position[2]).fold(0.0, f64::max) + 0.6;
    let (first, last) = (along(f64::min, f64::MAX), along(f64::max, f64::MIN));
    let (bottom, wide) = (-6.0, 4.0);
    let mut parts = Vec::new();
    for (x, out) in [(first - 0.5, -1.0), (last + 0.5, 1.0)] {
        for y in [1.15, -1.15] {
            let half = [0.22, 0.16, 0.5 * top + 0.3];
            parts.push(painted(half, [x, y, 0.5 * top - 0.3], RED));
            let stay = [Vec3::new(x, y, top), Vec3::new(x + 1.3 * out * top, y, 0.0)];
            parts.push(bar(stay[0], stay[1], 0.03, STEEL, Finish::Metal));
        }
        for z in [top - 0.2, -0.35] {
            parts.push(painted([0.2, 1.15, 0.16], [x, 0.0, z], RED));
        }
        let (half, middle) = (0.8 * top + 1.0, x + out * (0.8 * top + 0.75));
        let tall = 0.5 * (-0.2 - bottom);
        let rock = [half, wide, tall];
        parts.push(cuboid(rock, [middle, 0.0, bottom + tall], ROCK, Finish::Concrete));
        parts.push(cuboid(
            [half + 0.05, wide + 0.05, 0.1],
            [middle, 0.0, -0.12],
            GRASS,
            Finish::Matt,
        ));
        parts.push(cuboid([half, 1.0, 0.02], [middle, 0.0, -0.01], "#b3a184", Finish::Matt));
    }
    parts
}
