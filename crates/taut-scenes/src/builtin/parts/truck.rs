//! A dump truck of 8000 kg, 22 bodies and 125 rows (Peiret19 7.1 "net with
//! truck" and Ho22 6.1.5 give the mass, the bodies, and "more than 120"
//! constraints; all else is chosen).
//!
//! | body | kg | joined by |
//! |---|---|---|
//! | chassis | 3120 | |
//! | cab, engine | 600, 800 | rubber mounts on the chassis |
//! | bed (loaded) | 1800 | hinge at the rear of the chassis |
//! | barrel and piston that hold the bed | 60, 40 | hinge on the chassis, slider with motor, ball joint on the bed |
//! | 2 struts | 60 | slider with spring and damper |
//! | 2 steered knuckles | 40 | hinge with motor on the strut |
//! | 4 carriers of the rear wheels | 60 | slider with spring and damper |
//! | 6 wheels | 150 | hinge |
//! | drive shaft, differential | 60, 180 | hinges; the shaft is braked |
//!
//! Gears couple the shaft with the differential and that with the rear
//! wheels. x is forward; the origin is on the ground below the chassis.

use super::add_partition;
use super::machine::Machine;
use crate::file::{JointType, Motor, SceneFile, Shape};
use std::f64::consts::FRAC_PI_2;
use taut::math::Vec3;

/// Mass of the whole truck [kg].
pub(in crate::builtin) const MASS: f64 = 8000.0;
/// Height of the chassis' underside above the ground [m].
pub(in crate::builtin) const CLEARANCE: f64 = 0.75;

const WHEEL_RADIUS: f64 = 0.5;
const WHEEL_HALF_WIDTH: f64 = 0.15;
/// Half the distance of left and right wheels.
const TRACK: f64 = 0.9;
const FRONT: f64 = 1.8;
const REAR: [f64; 2] = [-1.0, -2.1];
const SPRING: f64 = 2e5;
const DAMPER: f64 = 2e4;
/// Weight on a wheel, at which springs have their initial length [N].
const WHEEL_LOAD: f64 = 11e3;

/// Adds a truck that stands at the height of `origin`, as a partition.
pub(in crate::builtin) fn add(scene: &mut SceneFile, number: usize, origin: Vec3) {
    let first = scene.bodies.len();
    let group = 1u32 << (8 + number % 24);
    let prefix = format!("truck{number}-");
    let mut truck = Machine { scene: &mut *scene, prefix, origin, group };
    frame(&mut truck);
    for (side, y) in [("l", TRACK), ("r", -TRACK)] {
        front_wheel(&mut truck, side, y);
        rear_wheel(&mut truck, &format!("m{side}"), REAR[0], y);
        rear_wheel(&mut truck, &format!("b{side}"), REAR[1], y);
    }
    drivetrain(&mut truck);
    let names = scene.bodies[first..].iter().map(|body| body.name.clone()).collect();
    add_partition(scene, names);
}

/// Chassis, and what stands on it.
fn frame(truck: &mut Machine) {
    truck.block("chassis", 3120.0, [2.6, 0.45, 0.15], [0.0, 0.0, CLEARANCE + 0.15]);
    truck.block("cab", 600.0, [0.5, 1.05, 0.7], [1.0, 0.0, 1.8]);
    truck.block("engine", 800.0, [0.45, 0.4, 0.28], [2.05, 0.0, 1.35]);
    truck.mount("chassis", "cab", 2e6);
    truck.mount("chassis", "engine", 2e6);
    truck.block("bed", 1800.0, [1.45, 1.1, 0.5], [-1.15, 0.0, 1.8]);
    let hinge = truck.joint(JointType::Hinge, "chassis", "bed", Vec3::Y);
    truck.scene.join(hinge.anchor_b([-1.4, 0.0, -0.6]));
    let ends = [("chassis", Vec3::new(0.2, 0.0, 1.0)), ("bed", Vec3::new(-0.8, 0.0, 1.25))];
    let holds = Motor::Position { target: 0.0, stiffness: 5e6, damping: 2e5, max_force: None };
    truck.cylinder("lift", [60.0, 40.0], ends, Vec3::Y, holds);
}

/// A part that slides up and down on the chassis, on a spring.
fn suspended(truck: &mut Machine, part: &str, at: [f64; 3]) {
    truck.inner(part, 60.0, 0.1, at);
    let target = -WHEEL_LOAD / SPRING;
    let spring = Motor::Position { target, stiffness: SPRING, damping: DAMPER, max_force: None };
    let joint = truck.joint(JointType::Slider, "chassis", part, Vec3::Z);
    truck.scene.join(joint.motor(spring));
}

fn wheel(truck: &mut Machine, part: &str, on: &str, at: [f64; 3]) {
    let shape = Shape::cylinder(WHEEL_HALF_WIDTH, WHEEL_RADIUS);
    let body = truck.part(part, 150.0, shape, at).turned(Vec3::X, FRAC_PI_2);
    truck.scene.add(body);
    let hinge = truck.joint(JointType::Hinge, on, part, Vec3::Y);
    truck.scene.join(hinge);
}

fn front_wheel(truck: &mut Machine, side: &str, y: f64) {
    let [strut, knuckle] = ["strut-", "knuckle-"].map(|part| format!("{part}{side}"));
    let at = [FRONT, y, WHEEL_RADIUS];
    suspended(truck, &strut, at);
    truck.inner(&knuckle, 40.0, 0.1, at);
    let steering = Motor::Position { target: 0.0, stiffness: 5e4, damping: 5e3, max_force: None };
    let hinge = truck.joint(JointType::Hinge, &strut, &knuckle, Vec3::Z);
    truck.scene.join(hinge.motor(steering));
    wheel(truck, &format!("wheel-f{side}"), &knuckle, at);
}

fn rear_wheel(truck: &mut Machine, side: &str, x: f64, y: f64) {
    let carrier = format!("carrier-{side}");
    let at = [x, y, WHEEL_RADIUS];
    suspended(truck, &carrier, at);
    wheel(truck, &format!("wheel-{side}"), &carrier, at);
}

/// Shaft and differential, geared to the rear wheels. The shaft is braked.
fn drivetrain(truck: &mut Machine) {
    truck.inner("shaft", 60.0, 0.15, [0.0, 0.0, 0.9]);
    truck.inner("differential", 180.0, 0.25, [-1.5, 0.0, 0.6]);
    let shaft = truck.joint(JointType::Hinge, "chassis", "shaft", Vec3::X);
    truck.scene.join(shaft.motor(Motor::velocity(0.0, 2000.0)));
    let differential = truck.joint(JointType::Hinge, "chassis", "differential", Vec3::Y);
    truck.scene.join(differential);
    truck.gear("shaft", "differential", 4.0);
    for wheel in ["ml", "mr", "bl", "br"] {
        truck.gear("differential", &format!("wheel-{wheel}"), 1.0);
    }
}
