//! A forwarder grasps a log, lifts it and turns.
//!
//! Source: Lefebvre20 2.3.1.5 "forwarder", tables 2.1 and 2.2: a gripper arm
//! of 16 links and 1,900 kg grasps a log of 400 kg and lifts it by raising
//! its boom. Mass ratio 6,500:1, 250 rows, condition 1e11, friction 1. All
//! else is chosen. (The source solves vehicle and hydraulics apart from the
//! arm; here all is one system.)
//!
//! What happens: until 2.3 s the boom lowers the open grapple over the log;
//! from 2.5 s on the claws close, and press from then on with what their
//! cylinder gives. From 5 s to 8 s the boom lifts the log by 2.3 m; from 8 s
//! to 13 s the crane slews by 1.2 rad and the rotator turns the grapple; until
//! 20 s the log swings out. Only friction holds it along its axis.
//!
//! The vehicle stands on its braked wheels; x points from it to the log. The
//! arm, in kg (joints in brackets; a cylinder is barrel and piston):
//!
//! | links | kg |
//! |---|---|
//! | column (slewing hinge, motor), boom, jib (hinges), extension (slider, motor) | 300, 480, 280, 130 |
//! | cylinders that lift the boom and fold the jib | 70 + 50, 60 + 40 |
//! | cross and rotator, which hang on damped hinges about y and x | 28, 110 |
//! | grapple (hinge about z, motor) | 130 |
//! | two claws (hinges), each of two prongs of four bars | 93 each |
//! | cylinder between the claws, 30 kN | 20 + 14.8 |
//! | tie rod, so that both claws close alike | 1.2 |
//!
//! Vehicle: chassis 7,800, cab 900, 8 wheels of 300 kg. Log: 4 m long, radius
//! 0.19 m.

use super::Entry;
use super::parts::machine::{Machine, ramp};
use super::parts::strand::frame;
use crate::file::{Body, Collider, Ground, Joint, JointType, Material, Motor, SceneFile, Shape};
use std::f64::consts::FRAC_PI_2;
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "forwarder",
    aliases: &[],
    summary: "A forwarder's grapple grasps a log, lifts it and turns.",
    source: "Lefebvre20 2.3.1.5 (forwarder)",
    size_of: "forwarders side by side",
    default_size: 1,
    small_size: 1,
    build,
};

const WHEELS: [f64; 4] = [0.8, -0.7, -4.5, -6.0];
const WHEEL_RADIUS: f64 = 0.65;
/// Where the boom is hinged; its length and slope, and those of the jib.
const FOOT: Vec3 = Vec3::new(0.0, 0.0, 2.4);
const BOOM: (f64, f64) = (3.4, 0.42);
const JIB: (f64, f64) = (3.2, -0.5);
/// The claws' hinges are this far below the tip of the jib, and this far from
/// the middle.
const CLAWS_BELOW: f64 = 0.75;
const CLAWS_ASIDE: f64 = 0.16;
/// How far the claws are open at first [rad].
const OPEN: f64 = 0.8;
/// The bars of a prong of a closed claw, from its hinge (outwards, z).
const PRONG: [[f64; 2]; 5] =
    [[0.0, 0.0], [0.24, -0.25], [0.24, -0.52], [0.09, -0.7], [-0.16, -0.75]];
/// Where the cylinder acts on a closed claw.
const LEVER: [f64; 2] = [0.25, 0.15];
/// Where the tie rod acts on one of the claws, and opposite on the other:
/// upright when they are half closed.
const TIE: [f64; 2] = [0.0435, 0.09];
const LOG_HALF: f64 = 2.0;
const LOG_RADIUS: f64 = 0.19;
/// The tip swings back by this as the boom comes down.
const SWINGS_BACK: f64 = 0.078;

/// This many forwarders, 20 m apart.
pub fn build(size: usize) -> SceneFile {
    let notes = "Lowers to 2.3 s, grasps to 4.5 s, lifts 5 s to 8 s, slews to 13 s, holds.";
    let statistics = [("rows", 250.0), ("mass_ratio", 6500.0), ("condition", 1e11)];
    let mut scene = ENTRY.scene(notes, &statistics);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(1.0));
    for i in 0..size {
        let mut forwarder = Machine::on_lane(&mut scene, i, 20.0);
        forwarder.section(vehicle);
        forwarder.section(crane);
        forwarder.section(|forwarder| {
            grapple(forwarder);
            log(forwarder);
        });
        drives(&mut forwarder);
    }
    scene
}

/// A point of the boom's axis this far from its foot.
fn boom_point(s: f64) -> Vec3 {
    FOOT + Vec3::new(BOOM.1.cos(), 0.0, BOOM.1.sin()) * s
}

/// A point of the jib's axis this far from the boom's end.
fn jib_point(s: f64) -> Vec3 {
    boom_point(BOOM.0) + Vec3::new(JIB.1.cos(), 0.0, JIB.1.sin()) * s
}

fn tip() -> Vec3 {
    jib_point(JIB.0)
}

fn vehicle(forwarder: &mut Machine) {
    forwarder.block("chassis", 7800.0, [3.9, 0.5, 0.3], [-2.6, 0.0, 1.05]);
    forwarder.block("cab", 900.0, [0.7, 0.9, 0.8], [-3.4, 0.0, 2.2]);
    forwarder.weld("chassis", "cab");
    for (i, x) in WHEELS.into_iter().enumerate() {
        for (side, y) in [("l", 1.1), ("r", -1.1)] {
            let (name, at) = (format!("wheel-{side}{i}"), [x, y, WHEEL_RADIUS]);
            let brake = Some(Motor::velocity(0.0, 5e4));
            forwarder.wheel(&name, "chassis", 300.0, [0.3, WHEEL_RADIUS], at, brake);
        }
    }
}

fn crane(forwarder: &mut Machine) {
    forwarder.block("column", 300.0, [0.2, 0.2, 0.5], [0.0, 0.0, 1.9]);
    let slew = forwarder.joint(JointType::Hinge, "chassis", "column", Vec3::Z);
    forwarder.scene.join(slew.anchor_b([0.0, 0.0, -0.5]).motor(Motor::velocity(0.0, 1e5)));
    forwarder.arm("boom", "column", 480.0, 0.13, [FOOT, boom_point(BOOM.0)]);
    forwarder.arm("jib", "boom", 280.0, 0.11, [jib_point(0.0), jib_point(2.2)]);
    forwarder.beam("extension", 130.0, 0.08, [jib_point(1.2), tip()]);
    let slide = forwarder.joint(JointType::Slider, "jib", "extension", Vec3::Z);
    forwarder.scene.join(slide.motor(Motor::velocity(0.0, 5e4)));
    let lift = [("column", Vec3::new(0.35, 0.0, 1.5)), ("boom", boom_point(1.5))];
    forwarder.cylinder("lift", [70.0, 50.0], lift, Vec3::Y, Motor::velocity(0.0, 2e5));
    let fold = [("boom", boom_point(2.0)), ("jib", jib_point(0.8))];
    forwarder.cylinder("fold", [60.0, 40.0], fold, Vec3::Y, Motor::velocity(0.0, 1.5e5));
}

/// Cross, rotator and grapple hang on the jib's tip.
fn grapple(forwarder: &mut Machine) {
    // No spring, only a damper.
    let damper = Motor::Position { target: 0.0, stiffness: 0.0, damping: 900.0, max_force: None };
    forwarder.inner("cross", 28.0, 0.08, (tip() - Vec3::Z * 0.12).into());
    let swing = forwarder.joint(JointType::Hinge, "extension", "cross", Vec3::Y);
    forwarder.scene.join(swing.anchor_b([0.0, 0.0, 0.12]).motor(damper));
    forwarder.inner("rotator", 110.0, 0.14, (tip() - Vec3::Z * 0.45).into());
    let swing = forwarder.joint(JointType::Hinge, "cross", "rotator", Vec3::X);
    forwarder.scene.join(swing.anchor_b([0.0, 0.0, 0.2]).motor(damper));
    let pad = Collider::new(Shape::cuboid([0.1, 0.3, 0.21])).at([0.0, 0.0, -0.21]);
    let grapple = hull(forwarder, "grapple", 130.0, hinge_point(0.0));
    forwarder.scene.add(grapple.collider(pad));
    let turn = forwarder.joint(JointType::Hinge, "rotator", "grapple", Vec3::Z);
    forwarder.scene.join(turn.motor(Motor::velocity(0.0, 5e3)));
    claw(forwarder, "claw-a", 1.0, 0.22);
    claw(forwarder, "claw-b", -1.0, 0.12);
    let grip = [("claw-a", claw_point(1.0, LEVER)), ("claw-b", claw_point(-1.0, LEVER))];
    forwarder.cylinder("grip", [20.0, 14.8], grip, Vec3::Y, Motor::velocity(0.0, 3e4));
    tie(forwarder);
}

/// A part whose shapes are yet to come.
fn hull(forwarder: &Machine, part: &str, mass: f64, at: Vec3) -> Body {
    let body = Body::new(forwarder.name(part)).mass(mass).at(forwarder.origin + at);
    body.groups(forwarder.group, !forwarder.group)
}

/// The hinge of the claw on that side (1 or -1), or the middle (0).
fn hinge_point(side: f64) -> Vec3 {
    tip() + Vec3::new(CLAWS_ASIDE * side, 0.0, -CLAWS_BELOW)
}

fn opened(side: f64) -> Quat {
    Quat::from_rotation_y(-OPEN * side)
}

/// Where a point (outwards, z) of the claw on that side is at first.
fn claw_point(side: f64, [out, z]: [f64; 2]) -> Vec3 {
    hinge_point(side) + opened(side) * Vec3::new(out * side, 0.0, z)
}

/// A claw of two prongs, `half_gap` to either side of the middle.
fn claw(forwarder: &mut Machine, part: &str, side: f64, half_gap: f64) {
    let mut claw = hull(forwarder, part, 93.0, hinge_point(side)).oriented(opened(side));
    for y in [-half_gap, half_gap] {
        for bar in PRONG.windows(2) {
            let [from, to] = [bar[0], bar[1]].map(|[out, z]| Vec3::new(out * side, y, z));
            let shape = Shape::cuboid([0.02, 0.04, 0.5 * from.distance(to) + 0.01]);
            let turn = frame(to - from, Vec3::Y);
            claw = claw.collider(Collider::new(shape).at(from.lerp(to, 0.5)).oriented(turn));
        }
    }
    forwarder.scene.add(claw);
    let hinge = forwarder.joint(JointType::Hinge, "grapple", part, Vec3::Y);
    forwarder.scene.join(hinge);
}

fn tie(forwarder: &mut Machine) {
    let [from, to] = [claw_point(1.0, TIE), claw_point(-1.0, TIE.map(|x| -x))];
    let half = 0.5 * from.distance(to);
    let rod = forwarder.part("tie", 1.2, Shape::cylinder(half, 0.01), from.lerp(to, 0.5));
    forwarder.scene.add(rod.oriented(frame(to - from, Vec3::Y)).ghost());
    let hinge = forwarder.joint(JointType::Hinge, "claw-a", "tie", Vec3::Y);
    let ball = Joint::ball(forwarder.name("claw-b"), forwarder.name("tie"));
    forwarder.scene.join(hinge.anchor_b([0.0, 0.0, -half]));
    forwarder.scene.join(ball.anchor_b([0.0, 0.0, half]));
}

/// The log lies across, where the grapple comes down.
fn log(forwarder: &mut Machine) {
    let at = Vec3::new(tip().x - SWINGS_BACK, 0.0, LOG_RADIUS) + forwarder.origin;
    let log = Body::new(forwarder.name("log")).shape(Shape::cylinder(LOG_HALF, LOG_RADIUS));
    forwarder.scene.add(log.mass(400.0).at(at).turned(Vec3::X, FRAC_PI_2));
}

fn drives(forwarder: &mut Machine) {
    let mut lift = ramp(0.3, 2.3, -0.064);
    lift.extend(ramp(5.0, 8.0, 0.12));
    forwarder.drive("lift-piston", lift);
    forwarder.drive("grip-piston", vec![(2.5, 0.0), (2.6, 0.2)]);
    let slew = |speed: f64| vec![(8.0, 0.0), (9.0, speed), (12.0, speed), (13.0, 0.0)];
    forwarder.drive("column", slew(0.3));
    forwarder.drive("grapple", slew(0.2));
}
