//! An armoured vehicle with eight wheels drives over stairs, bumps and hills.
//!
//! Source: Lefebvre20 2.3.1.3 "vehicle parkour", tables 2.1 and 2.2: a light
//! armoured vehicle of 15,000 kg traverses stairs, small rectangular bumps
//! and hills; shafts, wheels, differentials and engine are connected by
//! constraints. Mass ratio 20,000:1, 260 rows, condition 1e19, friction 1.
//! All else is chosen.
//!
//! What happens: from 0.7 s to 2.2 s it comes to 2.8 m/s; until 7 s it drives
//! up and down stairs of four steps (0.12 m high, 0.5 m deep); until 10 s over
//! six bumps (0.1 m high, left and right in turn); until 18 s over two hills
//! (0.7 m high, 10 m long); then it brakes and stands. A wheel that hangs in the
//! air spins, as its differential lets it.
//!
//! The vehicle, x forward (kg):
//!
//! | partition | bodies |
//! |---|---|
//! | hull | hull 10,000; turret 1,500; engine 919.5 on rubber mounts |
//! | drive train | flywheel 120 (the motor, 2.5 kN·m), geared 4:1 to a pinion 0.5 and that 4:1 to the gearbox shaft 60; shafts to the front and rear 40; axle shafts 4 × 30 |
//! | each axle | 2 carriers of 60 (sliders with spring 120 kN/m and damper 12 kN·s/m, ±0.25 m); on the first two axles knuckles of 30 (hinges with motor, which steer); wheels of 200, radius 0.55 m |
//!
//! Seven differentials: gearbox to front and rear shaft, each of those to two
//! axles, each axle to two wheels.

use super::Entry;
use super::parts::machine::Machine;
use crate::file::{Body, Ground, Joint, JointType, Material, Motor, SceneFile, Shape};
use std::f64::consts::TAU;
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "vehicle",
    aliases: &["vehicle-parkour"],
    summary: "A vehicle with eight driven wheels crosses stairs, bumps and hills.",
    source: "Lefebvre20 2.3.1.3 (vehicle parkour)",
    size_of: "vehicles side by side",
    default_size: 1,
    small_size: 1,
    build,
};

const AXLES: [f64; 4] = [2.6, 1.2, -1.2, -2.6];
const SIDES: [(&str, f64); 2] = [("l", 1.2), ("r", -1.2)];
const RADIUS: f64 = 0.55;
const SPRING: f64 = 1.2e5;
const DAMPER: f64 = 1.2e4;
/// Weight on a spring at rest [N].
const LOAD: f64 = 15_696.0;
/// Of flywheel and pinion, and of pinion and gearbox shaft.
const GEAR: f64 = 4.0;
const SPEED: f64 = 2.8;
/// Steps of the stairs: height and depth.
const STEP: [f64; 2] = [0.12, 0.5];
const HILL: [f64; 2] = [0.7, 10.0];

/// This many vehicles, each on a course of its own, 9 m apart.
pub fn build(size: usize) -> SceneFile {
    let notes = "Stairs to 7 s, bumps to 10 s, hills to 18 s.";
    let statistics = [("rows", 260.0), ("mass_ratio", 20_000.0), ("condition", 1e19)];
    let mut scene = ENTRY.scene(notes, &statistics);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(1.0));
    for i in 0..size {
        let mut vehicle = Machine::on_lane(&mut scene, i, 9.0);
        vehicle.section(hull);
        vehicle.section(shafts);
        for (i, x) in AXLES.into_iter().enumerate() {
            vehicle.section(|vehicle| axle(vehicle, i, x));
        }
        differentials(&mut vehicle);
        course(&mut vehicle);
        let full = GEAR * GEAR * SPEED / RADIUS;
        vehicle.drive("flywheel", vec![(0.7, 0.0), (2.2, full), (18.4, full), (19.2, 0.0)]);
        if i == 0 {
            controls(&mut vehicle, full);
        }
    }
    scene
}

fn hull(vehicle: &mut Machine) {
    vehicle.block("hull", 10_000.0, [3.5, 0.95, 0.45], [0.0, 0.0, 1.4]);
    // Balances the engine: all springs bear the same load.
    vehicle.block("turret", 1500.0, [0.9, 0.8, 0.3], [-1.215, 0.0, 2.15]);
    vehicle.weld("hull", "turret");
    vehicle.inner("engine", 919.5, 0.35, [1.8, 0.0, 1.4]);
    vehicle.mount("hull", "engine", 5e6);
}

/// A shaft in the hull.
fn shaft(vehicle: &mut Machine, part: &str, mass: f64, half: f64, at: [f64; 3], axis: Vec3) {
    vehicle.inner(part, mass, half, at);
    let hinge = vehicle.joint(JointType::Hinge, "hull", part, axis);
    let motor = (part == "flywheel").then_some(Motor::velocity(0.0, 2500.0));
    vehicle.scene.join(Joint { motor, ..hinge });
}

fn shafts(vehicle: &mut Machine) {
    shaft(vehicle, "flywheel", 120.0, 0.15, [1.2, 0.0, 1.3], Vec3::X);
    shaft(vehicle, "pinion", 0.5, 0.03, [0.2, 0.0, 1.1], Vec3::X);
    shaft(vehicle, "gearbox", 60.0, 0.12, [0.4, 0.0, 1.1], Vec3::X);
    shaft(vehicle, "front", 40.0, 0.1, [0.8, 0.0, 1.0], Vec3::X);
    shaft(vehicle, "rear", 40.0, 0.1, [-0.8, 0.0, 1.0], Vec3::X);
    for (i, x) in AXLES.into_iter().enumerate() {
        shaft(vehicle, &format!("axle{i}"), 30.0, 0.1, [x, 0.0, 0.9], Vec3::Y);
    }
}

/// Two wheels on springs; the first two axles are steered.
fn axle(vehicle: &mut Machine, i: usize, x: f64) {
    for (name, y) in SIDES {
        let [carrier, knuckle, wheel] =
            ["carrier", "knuckle", "wheel"].map(|part| format!("{part}-{name}{i}"));
        let at = [x, y, RADIUS];
        vehicle.inner(&carrier, 60.0, 0.12, at);
        let target = -LOAD / SPRING;
        let spring =
            Motor::Position { target, stiffness: SPRING, damping: DAMPER, max_force: None };
        let slide = vehicle.joint(JointType::Slider, "hull", &carrier, Vec3::Z);
        vehicle.scene.join(slide.motor(spring).limits(-0.25, 0.25));
        let steered = i < 2;
        if steered {
            vehicle.inner(&knuckle, 30.0, 0.1, at);
            let kingpin = vehicle.joint(JointType::Hinge, &carrier, &knuckle, Vec3::Z);
            vehicle.scene.join(kingpin.motor(Motor::position(0.0, 2e6, 1e5, 1e5)));
        }
        let on = if steered { &knuckle } else { &carrier };
        vehicle.wheel(&wheel, on, 200.0, [0.18, RADIUS], at, None);
    }
}

fn differentials(vehicle: &mut Machine) {
    vehicle.gear("flywheel", "pinion", GEAR);
    vehicle.gear("pinion", "gearbox", GEAR);
    vehicle.differential("gearbox", "front", "rear");
    vehicle.differential("front", "axle0", "axle1");
    vehicle.differential("rear", "axle2", "axle3");
    for i in 0..AXLES.len() {
        let [cage, left, right] = ["axle", "wheel-l", "wheel-r"].map(|part| format!("{part}{i}"));
        vehicle.differential(&cage, &left, &right);
    }
}

/// Stairs, bumps and hills.
fn course(vehicle: &mut Machine) {
    let [height, depth] = STEP;
    for i in 0..4 {
        let half = [4.0 - depth * f64::from(i), 3.0, 0.5 * height];
        let at = [8.5, 0.0, height * (f64::from(i) + 0.5)];
        obstacle(vehicle, &format!("stair{i}"), Shape::cuboid(half), at);
    }
    for i in 0..6 {
        let side = SIDES[usize::from(i % 2 == 0)].1;
        let at = [15.0 + 1.1 * f64::from(i), side, 0.05];
        obstacle(vehicle, &format!("bump{i}"), Shape::cuboid([0.12, 0.8, 0.05]), at);
    }
    let (nx, length) = (65, 2.0 * HILL[1]);
    let height = |i: usize| {
        let turns = 2.0 * i as f64 / (nx - 1) as f64;
        0.5 * HILL[0] * (1.0 - (TAU * turns).cos())
    };
    let heights = (0..2 * nx).map(|i| height(i % nx)).collect();
    let hills = Shape::HeightField { heights, nx, ny: 2, size_x: length, size_y: 8.0 };
    // A little below the ground: their ends are no edges.
    obstacle(vehicle, "hills", hills, [24.0 + 0.5 * length, 0.0, -0.002]);
}

fn obstacle(vehicle: &mut Machine, part: &str, shape: Shape, at: [f64; 3]) {
    let body = Body::fixed(vehicle.name(part)).shape(shape);
    let body = body.at(vehicle.origin + Vec3::from(at));
    vehicle.scene.add(body);
}

/// How the first vehicle is driven by hand. Both steered axles turn about one point.
fn controls(vehicle: &mut Machine, full: f64) {
    let front = &["knuckle-l0", "knuckle-r0"];
    let second = &["knuckle-l1", "knuckle-r1"];
    let controls = [
        vehicle.control("drive", ["w", "s"], &["flywheel"], [-0.5 * full, 1.5 * full]).rate(full),
        vehicle.control("steer", ["a", "d"], front, [-0.4, 0.4]),
        vehicle.control("steer the second axle", ["a", "d"], second, [-0.28, 0.28]),
    ];
    vehicle.scene.controls.extend(controls);
}
