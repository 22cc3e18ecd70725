//! A mobile crane lifts a concrete pipe.
//!
//! Source: Lefebvre20 2.3.1.2 "mobile crane", tables 2.1 and 2.2: a crane of
//! 30,000 kg hoists a pipe of 2,000 kg with a steel cable of 70 kg and a hook
//! of 70 kg, which touches the pipe at first. Mass ratio 6,300:1, 430 rows,
//! condition 1e9, friction 1. All else is chosen.
//!
//! What happens: until 2 s the hook comes down on the pipe and lies on it;
//! from 3 s to 9 s it is hoisted, the slings become taut and the pipe rises;
//! from 9 s to 14 s the boom luffs; from 14 s to 19 s the crane slews.
//!
//! The crane, x forward (kg, m):
//!
//! | partition | bodies |
//! |---|---|
//! | carrier | frame 12,600; cab 900; engine 1,100; 8 wheels 250, radius 0.55, off the ground; 4 outriggers 300, which slide down to the ground |
//! | upper | turntable 3,000; counterweight 5,000; boom 1,700 and its two telescopes 900 and 600; luffing cylinder 250 + 150; drum 350; boom head 150; hoist block 100 |
//! | cable | 35 links of 2, 0.3 m long |
//! | load | hook 70, pipe 2,000 |
//!
//! Together 30,000 without cable and load. The hoist block runs below the
//! boom head and is geared to the drum: that stands for the rope between
//! them. The pipe is 3 m long, of radius 0.55; two slings (ropes without
//! mass) go from the hook to its ends. Cable: 24 mm, stretch 1e8 N/m, bend
//! and twist 20 N·m/rad per joint. Friction 1.

use super::Entry;
use super::parts::machine::{Machine, ramp};
use super::parts::strand::{Cable, Coupling, Section, Strand, straight};
use crate::file::{
    Body, Control, Drive, Ground, Joint, JointType, Limits, Material, Motor, SceneFile, Shape,
};
use std::f64::consts::FRAC_PI_2;
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "mobile-crane",
    aliases: &["crane"],
    summary: "A mobile crane hoists a pipe, luffs and slews.",
    source: "Lefebvre20 2.3.1.2 (mobile crane)",
    size_of: "links of the cable",
    default_size: 35,
    small_size: 12,
    build,
};

pub(super) const LINK: f64 = 0.3;
const LINK_MASS: f64 = 2.0;
pub(super) const CABLE: Cable = Cable { stretch: 1e8, bend: 20.0, twist: 20.0, damping_time: 0.02 };
const ROPE_RADIUS: f64 = 0.012;
/// Where the boom is hinged, and its slope.
pub(super) const BOOM_FOOT: Vec3 = Vec3::new(-1.2, 0.0, 2.6);
pub(super) const SLOPE: f64 = 1.0;
pub(super) const BOOM: f64 = 16.0;
/// The carrier's wheels.
pub(super) const WHEELS: [f64; 4] = [-3.2, -1.8, 1.8, 3.2];
/// From boom head to hoist block at the start.
pub(super) const HOIST: f64 = 3.0;
pub(super) const DRUM_RADIUS: f64 = 0.3;
pub(super) const HOOK: [f64; 3] = [0.2, 0.12, 0.2];
pub(super) const PIPE_RADIUS: f64 = 0.55;
const PIPE_HALF: f64 = 1.5;
/// How far the hook starts above the pipe, and is let down beyond that.
pub(super) const ABOVE: f64 = 0.1;
const SLACK: f64 = 0.02;

/// A crane whose cable has `size` links, and its load below the boom head.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hook down to 2 s, hoists 3 s to 9 s, luffs to 14 s, slews to 19 s.";
    let statistics = [("rows", 430.0), ("mass_ratio", 6300.0), ("condition", 1e9)];
    let mut scene = ENTRY.scene(notes, &statistics);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(1.0));
    let length = LINK * size.max(1) as f64;
    let mut crane =
        Machine { scene: &mut scene, prefix: String::new(), origin: Vec3::ZERO, group: 1 };
    crane.section(carrier);
    crane.section(|crane| upper(crane));
    crane.section(|crane| cable(crane, size.max(1)));
    // The load lies on the ground, or on a stand if the cable is short.
    let hook = boom_point(BOOM) - Vec3::Z * (0.4 + HOIST + length + HOOK[2]);
    crane.section(|crane| {
        let last = crane.scene.bodies.last().map_or(String::new(), |link| link.name.clone());
        load(crane, hook);
        crane.scene.join(CABLE.joint(&last, "hook", HOOK[2]).named("hook"));
    });
    let bottom = hook.z - HOOK[2] - ABOVE - 2.0 * PIPE_RADIUS;
    stand(&mut scene, hook, bottom);
    motors(&mut scene);
    scene
}

/// A point of the boom's axis this far from its foot.
pub(super) fn boom_point(s: f64) -> Vec3 {
    BOOM_FOOT + Vec3::new(SLOPE.cos(), 0.0, SLOPE.sin()) * s
}

fn carrier(crane: &mut Machine) {
    crane.block("frame", 12_600.0, [4.2, 1.0, 0.3], [0.0, 0.0, 1.2]);
    crane.block("cab", 900.0, [0.7, 1.1, 0.8], [4.6, 0.0, 2.1]);
    crane.mount("frame", "cab", 2e6);
    crane.inner("engine", 1100.0, 0.4, [2.6, 0.0, 1.3]);
    crane.mount("frame", "engine", 5e6);
    for (i, x) in WHEELS.into_iter().enumerate() {
        for (side, y) in [("l", 1.15), ("r", -1.15)] {
            let brake = Some(Motor::velocity(0.0, 2e4));
            let at = [x, y, 0.6];
            crane.wheel(&format!("wheel-{side}{i}"), "frame", 250.0, [0.2, 0.55], at, brake);
        }
    }
    for (end, x) in [("f", 4.0), ("b", -4.0)] {
        for (side, y) in [("l", 2.4), ("r", -2.4)] {
            let foot = format!("outrigger-{end}{side}");
            crane.block(&foot, 300.0, [0.25, 0.25, 0.5], [x, y, 0.5]);
            let slide = crane.joint(JointType::Slider, "frame", &foot, Vec3::Z);
            let holds = Motor::position(0.0, 5e7, 2e6, 1e6);
            crane.scene.join(slide.motor(holds).limits(-0.5, 0.5));
        }
    }
}

fn upper(crane: &mut Machine) {
    crane.block("turntable", 3000.0, [2.0, 1.0, 0.3], [-0.8, 0.0, 1.9]);
    let slew = crane.joint(JointType::Hinge, "frame", "turntable", Vec3::Z);
    crane.scene.join(slew.anchor_b([0.8, 0.0, 0.0]).motor(Motor::velocity(0.0, 5e5)));
    crane.block("counterweight", 5000.0, [0.5, 1.2, 0.6], [-3.2, 0.0, 2.2]);
    crane.weld("turntable", "counterweight");
    boom(crane);
    crane.wheel("drum", "turntable", 350.0, [0.4, DRUM_RADIUS], [-2.0, 0.0, 2.5], None);
    hoist(crane, "telescope1");
    if let Some(drum) = crane.scene.joints.iter_mut().find(|j| j.name.as_deref() == Some("drum")) {
        drum.motor = Some(Motor::velocity(0.0, 5e4));
    }
}

/// The boom head below the tip of a part, and the hoist block below it, geared to the drum.
pub(super) fn hoist(crane: &mut Machine, on: &str) {
    let tip = boom_point(BOOM);
    crane.inner("head", 150.0, 0.2, (tip - Vec3::Z * 0.4).into());
    let joint = crane.joint(JointType::Universal, on, "head", Vec3::Y);
    crane.scene.join(joint.axis_b([1.0, 0.0, 0.0]).anchor_b([0.0, 0.0, 0.4]));
    crane.inner("hoist", 100.0, 0.15, (tip - Vec3::Z * (0.4 + HOIST)).into());
    let joint = crane.joint(JointType::Slider, "head", "hoist", Vec3::Z);
    crane.scene.join(joint);
    crane.gear("hoist", "drum", DRUM_RADIUS);
}

/// A boom with two telescopes, held by the luffing cylinder.
fn boom(crane: &mut Machine) {
    let parts = [("boom", 1700.0, 0.0, 7.0), ("telescope0", 900.0, 6.0, 5.5)];
    let parts = parts.into_iter().chain([("telescope1", 600.0, 11.0, 5.0)]);
    let turn = Quat::from_rotation_y(FRAC_PI_2 - SLOPE);
    let mut last = "turntable";
    for (i, (name, mass, from, length)) in parts.enumerate() {
        let half = 0.5 * length;
        let shape = Shape::cuboid([0.3 - 0.05 * i as f64, 0.25 - 0.05 * i as f64, half]);
        let body = crane.part(name, mass, shape, boom_point(from + half)).oriented(turn);
        crane.scene.add(body);
        let joint = if i == 0 {
            crane.joint(JointType::Hinge, last, name, Vec3::Y)
        } else {
            let slide = crane.joint(JointType::Slider, last, name, Vec3::Z);
            slide.motor(Motor::velocity(0.0, 2e5))
        };
        crane.scene.join(joint.anchor_b([0.0, 0.0, -half]));
        last = name;
    }
    let luff = [("turntable", Vec3::new(0.6, 0.0, 2.1)), ("boom", boom_point(4.5))];
    crane.cylinder("luff", [250.0, 150.0], luff, Vec3::Y, Motor::velocity(0.0, 2e6));
    if let Some(slide) =
        crane.scene.joints.iter_mut().find(|j| j.name.as_deref() == Some("luff-piston"))
    {
        slide.limits = Some(Limits { min: Some(-0.5), max: Some(0.6) });
    }
}

fn cable(crane: &mut Machine, links: usize) {
    let top = boom_point(BOOM) - Vec3::Z * (0.4 + HOIST);
    let points = straight(top, top - Vec3::Z * (LINK * links as f64), links);
    let strand = Strand {
        prefix: "cable".into(),
        mass: LINK_MASS,
        section: Section::Round(ROPE_RADIUS),
        coupling: Coupling::Cable(CABLE),
        groups: Some((1, !1)),
        material: None,
    };
    strand.lay(crane.scene, &points, Vec3::Y, [Some("hoist"), None]);
}

/// The hook, and slings from it to the ends of the pipe.
pub(super) fn load(crane: &mut Machine, hook: Vec3) {
    crane.scene.add(Body::new("hook").shape(Shape::cuboid(HOOK)).mass(70.0).at(hook));
    let pipe = Body::new("pipe").shape(Shape::cylinder(PIPE_HALF, PIPE_RADIUS)).mass(2000.0);
    let centre = hook - Vec3::Z * (HOOK[2] + ABOVE + PIPE_RADIUS);
    crane.scene.add(pipe.at(centre).turned(Vec3::X, FRAC_PI_2));
    // Pipe and hook touch until the slings have lifted the hook off by 0.3 m.
    let rise = 2.0 * HOOK[2] + 0.3;
    let length = (rise * rise + PIPE_HALF * PIPE_HALF).sqrt();
    for (side, z) in [("l", -PIPE_HALF), ("r", PIPE_HALF)] {
        let sling = Joint::rope("hook", "pipe", length).named(format!("sling-{side}"));
        let sling = sling.anchor_a([0.0, 0.0, HOOK[2]]).anchor_b([0.0, PIPE_RADIUS, z]);
        crane.scene.join(sling.colliding());
    }
}

/// What the pipe lies on, where its lowest point is above the ground.
pub(super) fn stand(scene: &mut SceneFile, hook: Vec3, bottom: f64) {
    let half = 0.5 * bottom;
    if half > 0.0 {
        let shape = Shape::cuboid([0.8, PIPE_HALF, half]);
        scene.add(Body::fixed("stand").shape(shape).at([hook.x, 0.0, half]));
    }
}

/// What the crane does by itself, and how it is driven by hand.
pub(super) fn motors(scene: &mut SceneFile) {
    // Down until the hook lies on the pipe; 1.5 s at full speed.
    let mut hoist = ramp(0.0, 2.0, -(ABOVE + SLACK) / 1.5 / DRUM_RADIUS);
    hoist.extend(ramp(3.0, 9.0, 0.4 / DRUM_RADIUS));
    scene.drives.push(Drive::motor("drum", hoist));
    scene.drives.push(Drive::motor("luff-piston", ramp(9.0, 14.0, 0.06)));
    scene.drives.push(Drive::motor("turntable", ramp(14.0, 19.0, 0.12)));
    let control = |name, keys, joint: &str, most: f64| {
        Control::new(name, keys, vec![joint.into()], [-most, most]).rate(2.0 * most)
    };
    scene.controls.extend([
        control("slew", ["a", "d"], "turntable", 0.15),
        control("boom", ["w", "s"], "luff-piston", 0.08),
        control("hoist", ["up", "down"], "drum", 0.5 / DRUM_RADIUS),
    ]);
}
