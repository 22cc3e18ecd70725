//! A forklift picks up a crate and drives around a cone.
//!
//! Source: Lefebvre20 2.3.1.1 "forklift", tables 2.1 and 2.2: a warehouse
//! forklift of 3,000 kg picks up a crate of 100 kg, accelerates and turns by
//! 360 degrees around a traffic cone while friction keeps the crate on the
//! fork; the wheels skid in the turn. Mass ratio 2,700:1, 300 rows,
//! condition 1e8, friction 1. All else is chosen.
//!
//! What happens: until 3 s the truck drives its fork under the crate, which
//! stands on two blocks; from 3.2 s to 4.7 s it lifts it, until 5.5 s it tilts
//! the mast back; from 5.6 s to 6.6 s it accelerates to 2.3 m/s; from 7.2 s to
//! 13.9 s it steers left, for most of a circle of radius 1.9 m around the cone, with
//! 0.29 g; from 14.8 s it brakes; from 17 s it lets the crate down. The rear
//! wheels, steered alike, and the front ones skid in the turn.
//!
//! The crate has the material "crate", carriage and fork have "fork", both
//! with friction 1. With 0.05 on both the crate slides off in the turn.
//!
//! The truck, x forward, the driven front axle at x = 0 (kg):
//!
//! | partition | bodies |
//! |---|---|
//! | chassis | chassis with counterweight 2,025; driver 90 and engine 100 on rubber mounts; guard 64.5 |
//! | drive | drive motor 20, geared 12:1 to the cage 25 of a differential; 2 front wheels of 60, radius 0.3 m |
//! | steering | rear axle 70, which swings by ±0.05 rad; steering bar 8; 2 tie rods of 0.75; 2 knuckles of 12; 2 wheels of 35, radius 0.25 m |
//! | mast | mast 130 with 2 tilt cylinders of 10 + 6; inner mast 70 with lift cylinder 25 + 15; carriage 50, by chain twice as fast as the inner mast; 2 forks of 30 |
//! | load | crate 100, a cube of 0.8 m; cone 3 |

use super::Entry;
use super::parts::machine::{Machine, ramp};
use super::parts::strand::frame;
use crate::file::{Body, Ground, Joint, JointType, Limits, Material, Motor, SceneFile, Shape};
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "forklift",
    aliases: &[],
    summary: "A forklift picks up a crate and drives around a cone.",
    source: "Lefebvre20 2.3.1.1 (forklift)",
    size_of: "forklifts side by side",
    default_size: 1,
    small_size: 1,
    build,
};

const SIDES: [(&str, f64); 2] = [("l", 1.0), ("r", -1.0)];
const FRONT_RADIUS: f64 = 0.3;
const REAR_RADIUS: f64 = 0.25;
const REAR: f64 = -1.5;
/// Length of the knuckles' arms, which point backwards, and of the tie rods.
const ARM: f64 = 0.15;
const ROD: f64 = 0.1;
const GEAR: f64 = 12.0;
/// Where the mast stands, and the back of the fork.
const MAST: f64 = 0.35;
const FORK: f64 = MAST + 0.13;
const CRATE: f64 = 0.4;
/// The crate's distance from the back of the fork at first.
const AHEAD: f64 = 1.2;
const BLOCK: [f64; 3] = [0.15, 0.05, 0.05];
/// Centre of the circle.
const CONE: [f64; 2] = [5.7, 2.1];
const APPROACH: f64 = 0.59;
const SPEED: f64 = 2.3;
/// Travel of the steering bar in the turn.
const STEER: f64 = 0.078;

/// This many forklifts, 12 m apart.
pub fn build(size: usize) -> SceneFile {
    let notes = "Lifts to 4.7 s, drives 5.6 s to 16 s, most of a circle from 7.2 s to 13.9 s. \
                 Materials 'crate' and 'fork': 0.05 instead of 1, and the crate slides off.";
    let statistics = [("rows", 300.0), ("mass_ratio", 2700.0), ("condition", 1e8)];
    let mut scene = ENTRY.scene(notes, &statistics);
    scene.ground = Some(Ground::default());
    for name in ["default", "crate", "fork"] {
        scene.material(name, Material::friction(1.0));
    }
    for i in 0..size {
        let mut truck = Machine::on_lane(&mut scene, i, 12.0);
        truck.section(chassis);
        truck.section(drive);
        truck.section(steering);
        truck.section(mast);
        truck.section(load);
        blocks(&mut truck);
        script(&mut truck);
        if i == 0 {
            controls(&mut truck);
        }
    }
    scene
}

fn chassis(truck: &mut Machine) {
    truck.block("chassis", 2025.0, [0.9, 0.5, 0.3], [-0.95, 0.0, 0.62]);
    truck.inner("driver", 90.0, 0.2, [-0.9, 0.0, 1.3]);
    truck.mount("chassis", "driver", 2e5);
    truck.inner("engine", 100.0, 0.2, [-1.3, 0.0, 0.8]);
    truck.mount("chassis", "engine", 1e6);
    truck.block("guard", 64.5, [0.6, 0.45, 0.04], [-0.8, 0.0, 2.1]);
    truck.weld("chassis", "guard");
}

/// Motor, differential and front wheels.
fn drive(truck: &mut Machine) {
    truck.inner("motor", 20.0, 0.1, [-0.4, 0.0, 0.5]);
    let motor = truck.joint(JointType::Hinge, "chassis", "motor", Vec3::X);
    truck.scene.join(motor.motor(Motor::velocity(0.0, 400.0)));
    truck.inner("cage", 25.0, 0.1, [0.0, 0.0, FRONT_RADIUS]);
    let cage = truck.joint(JointType::Hinge, "chassis", "cage", Vec3::Y);
    truck.scene.join(cage);
    for (name, side) in SIDES {
        let at = [0.0, 0.5 * side, FRONT_RADIUS];
        let shape = [0.1, FRONT_RADIUS];
        truck.wheel(&format!("front-{name}"), "chassis", 60.0, shape, at, None);
    }
    truck.gear("motor", "cage", GEAR);
    truck.differential("cage", "front-l", "front-r");
}

/// A bar on the rear axle moves both knuckles by tie rods.
fn steering(truck: &mut Machine) {
    truck.inner("axle", 70.0, 0.08, [REAR, 0.0, REAR_RADIUS]);
    let swing = truck.joint(JointType::Hinge, "chassis", "axle", Vec3::X);
    truck.scene.join(swing.limits(-0.05, 0.05));
    truck.inner("bar", 8.0, 0.05, [REAR - ARM, 0.0, REAR_RADIUS]);
    let slide = truck.joint(JointType::Slider, "axle", "bar", Vec3::Y);
    truck.scene.join(slide.motor(Motor::position(0.0, 2e6, 1e5, 2e4)));
    for (name, side) in SIDES {
        let [knuckle, rod] = ["knuckle", "rod"].map(|part| format!("{part}-{name}"));
        let at = Vec3::new(REAR, 0.45 * side, REAR_RADIUS);
        truck.inner(&knuckle, 12.0, 0.06, at.into());
        let kingpin = truck.joint(JointType::Hinge, "axle", &knuckle, Vec3::Z);
        truck.scene.join(kingpin);
        let shape = [0.08, REAR_RADIUS];
        truck.wheel(&format!("rear-{name}"), &knuckle, 35.0, shape, at, None);
        let middle = at - Vec3::new(ARM, 0.5 * ROD * side, 0.0);
        let body = truck.part(&rod, 0.75, Shape::cylinder(0.5 * ROD, 0.01), middle);
        truck.scene.add(body.oriented(frame(Vec3::Y * side, Vec3::Z)).ghost());
        let inner = truck.joint(JointType::Universal, "bar", &rod, Vec3::X).axis_b([0.0, 1.0, 0.0]);
        truck.scene.join(inner.anchor_b([0.0, 0.0, -0.5 * ROD]));
        let outer = Joint::ball(truck.name(&knuckle), truck.name(&rod));
        truck.scene.join(outer.anchor_b([0.0, 0.0, 0.5 * ROD]));
    }
}

fn mast(truck: &mut Machine) {
    truck.block("mast", 130.0, [0.05, 0.35, 0.9], [MAST, 0.0, 1.1]);
    let hinge = truck.joint(JointType::Hinge, "chassis", "mast", Vec3::Y);
    truck.scene.join(hinge.anchor_b([0.0, 0.0, -0.9]));
    for (name, side) in SIDES {
        let from = ("chassis", Vec3::new(-0.25, 0.4 * side, 0.8));
        let to = ("mast", Vec3::new(MAST, 0.4 * side, 0.95));
        let motor = Motor::position(0.0, 5e6, 5e4, 3e4);
        truck.cylinder(&format!("tilt-{name}"), [10.0, 6.0], [from, to], Vec3::Y, motor);
    }
    truck.block("inner", 70.0, [0.04, 0.3, 0.85], [MAST + 0.02, 0.0, 1.1]);
    let slide = truck.joint(JointType::Slider, "mast", "inner", Vec3::Z);
    truck.scene.join(slide);
    let lift = [("mast", Vec3::new(MAST, 0.0, 0.25)), ("inner", Vec3::new(MAST, 0.0, 1.6))];
    truck.cylinder("lift", [25.0, 15.0], lift, Vec3::Y, Motor::velocity(0.0, 3e4));
    let piston = Some(truck.name("lift-piston"));
    for joint in truck.scene.joints.iter_mut().filter(|j| j.name == piston) {
        joint.limits = Some(Limits { min: Some(-0.01), max: Some(0.75) });
    }
    truck.block("carriage", 50.0, [0.03, 0.4, 0.3], [FORK - 0.03, 0.0, 0.36]);
    let slide = truck.joint(JointType::Slider, "inner", "carriage", Vec3::Z);
    truck.scene.join(slide);
    // The chain: as far above the inner mast as that is above the outer one.
    truck.gear("carriage", "inner", 1.0);
    for (name, side) in SIDES {
        let fork = format!("fork-{name}");
        truck.block(&fork, 30.0, [0.5, 0.06, 0.025], [FORK + 0.5, 0.18 * side, 0.045]);
        truck.weld("carriage", &fork);
    }
    let touching = [truck.name("carriage"), truck.name("fork-l"), truck.name("fork-r")];
    for body in truck.scene.bodies.iter_mut().filter(|b| touching.contains(&b.name)) {
        body.material = Some("fork".into());
    }
}

/// Where the crate stands at first, on its blocks.
fn crate_place(truck: &Machine) -> Vec3 {
    truck.origin + Vec3::new(FORK + AHEAD + CRATE, 0.0, 2.0 * BLOCK[2] + CRATE)
}

fn load(truck: &mut Machine) {
    let load = Body::new(truck.name("crate")).shape(Shape::cuboid([CRATE; 3])).mass(100.0);
    let load = load.at(crate_place(truck)).material("crate");
    truck.scene.add(load);
    let cone = Body::new(truck.name("cone")).shape(Shape::Cone { half_height: 0.25, radius: 0.15 });
    let at = truck.origin + Vec3::new(CONE[0], CONE[1], 0.25);
    truck.scene.add(cone.mass(3.0).at(at));
}

/// The blocks are between the tracks of the wheels: the truck drives over
/// them.
fn blocks(truck: &mut Machine) {
    for (name, side) in SIDES {
        let block = Body::fixed(truck.name(&format!("block-{name}"))).shape(Shape::cuboid(BLOCK));
        let at = crate_place(truck);
        truck.scene.add(block.at([at.x, at.y + 0.31 * side, BLOCK[2]]));
    }
}

fn script(truck: &mut Machine) {
    let motor = |speed: f64| GEAR * speed / FRONT_RADIUS;
    let mut drive = ramp(0.5, 3.0, motor(APPROACH));
    let full = motor(SPEED);
    drive.extend([(5.6, 0.0), (6.6, full), (14.8, full), (16.0, 0.0)]);
    truck.drive("motor", drive);
    truck.drive("bar", vec![(7.2, 0.0), (8.2, STEER), (12.93, STEER), (13.93, 0.0)]);
    let mut lift = ramp(3.2, 4.7, 0.15);
    lift.extend(ramp(17.0, 18.5, -0.14));
    truck.drive("lift-piston", lift);
    for (name, _) in SIDES {
        truck.drive(&format!("tilt-{name}-piston"), vec![(4.5, 0.0), (5.5, -0.05)]);
    }
}

/// How the first truck is driven by hand.
fn controls(truck: &mut Machine) {
    let motor = |speed: f64| GEAR * speed / FRONT_RADIUS;
    let range = [motor(-1.2), motor(SPEED)];
    let controls = [
        truck.control("drive", ["w", "s"], &["motor"], range).rate(motor(SPEED)),
        truck.control("steer", ["a", "d"], &["bar"], [-STEER, STEER]),
        truck.control("lift", ["up", "down"], &["lift-piston"], [-0.15, 0.15]).rate(0.5),
        truck
            .control("tilt", ["right", "left"], &["tilt-l-piston", "tilt-r-piston"], [-0.05, 0.03])
            .rate(0.05)
            .staying(),
    ];
    truck.scene.controls.extend(controls);
}
