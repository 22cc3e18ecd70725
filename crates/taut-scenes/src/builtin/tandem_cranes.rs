//! Two crawler cranes lift and carry a pipe together.
//!
//! Source: Peiret19 section 7.1 "tandem cranes", tables 2 and 3: two cranes
//! of about 75,000 kg suspend a pipe of 3,500 kg in the air. Each has
//! subsystems: cables, tracks and drivetrain, boom and hoist, hook. The pipe
//! starts with a velocity that makes it slide. Condition number of the
//! interface 4.8e10. Semantic partitions of 24 to 50 bodies. The source gives
//! no row count and no dimension; all but these masses is chosen.
//!
//! What happens: the pipe, lying in two slings, slides along them and swings;
//! from 4 s to 12 s the winches hoist it by 2 m; from 12 s to 18 s the booms
//! luff and bring it nearer to the cranes.
//!
//! One crane, y forward (all kg, m):
//!
//! | partition | bodies |
//! |---|---|
//! | tracks and drivetrain | car body 13,000; 2 track frames 7,000; 14 track wheels 300, radius 0.4; engine 1,500; pump shaft 100; 2 drive shafts 100; 2 final drives 250; swing gear 300 |
//! | boom and hoist | upper carriage 12,000; counterweight 22,000; cab 800; boom of 10 sections of 1.6 m, 400 each; luffing cylinder 500 + 300; 2 winch drums 600; boom head 250; hoist block 150 |
//! | cables | 2 falls of 24 links of 0.3 m, 0.7 each |
//! | hook | hook block 250, hook 100, sling of 30 links of 0.15 m, 0.35 each |
//!
//! Together 75,400. The wheels of a track are geared to its final drive, as
//! its belt of shoes would couple them; drive shafts are braked. The drum is
//! geared to the hoist block, which runs below the boom head: that stands for
//! the rope between drum and head. The pipe is 14 m long, of radius 0.4,
//! 250 kg/m, and starts with 1 m/s along its axis. Cables: 24 mm, stretch
//! 3e7 N/m, bend and twist 5 N·m/rad per joint. Friction 0.3, of the pipe in
//! its slings 0.15.

use super::Entry;
use super::parts::machine::Machine;
use super::parts::strand::{Cable, Coupling, Section, Strand, straight};
use crate::file::{Body, Drive, Ground, JointType, Material, Motor, SceneFile, Shape};
use std::f64::consts::{FRAC_PI_2, PI};
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "tandem-cranes",
    aliases: &[],
    summary: "Two crawler cranes hoist a pipe that slides in its slings, and carry it.",
    source: "Peiret19 7.1 (tandem cranes)",
    size_of: "links of a rope fall",
    default_size: 24,
    small_size: 6,
    build,
};

const PIPE_RADIUS: f64 = 0.4;
const PIPE_HALF: f64 = 7.0;
const PIPE_MASS: f64 = 3500.0;
const PIPE_SPEED: f64 = 1.0;
/// The cranes are this far to the sides, and behind the pipe.
const ASIDE: f64 = 4.0;
const BEHIND: f64 = 8.0;
/// Where the boom is hinged, in a crane's coordinates.
const BOOM_FOOT: Vec3 = Vec3::new(0.0, 1.2, 2.4);
const BOOM_SECTIONS: usize = 10;
const BOOM_SECTION: f64 = 1.6;
/// Where the luffing cylinder stands.
const LUFF_FOOT: Vec3 = Vec3::new(0.0, 3.0, 1.9);
const DRUM_RADIUS: f64 = 0.4;
/// How far the hoist block starts below the boom head.
const HOIST: f64 = 2.4;
const FALL_LINK: f64 = 0.3;
const ROPE_RADIUS: f64 = 0.012;
const CABLE: Cable = Cable { stretch: 3e7, bend: 5.0, twist: 5.0, damping_time: 0.01 };
const SLING: Cable = Cable { stretch: 3e7, bend: 500.0, twist: 500.0, damping_time: 0.02 };
const SLING_LINKS: usize = 30;
/// Height of the hook above the pipe's axis.
const HOOK: f64 = 1.5;
const HOIST_SPEED: f64 = 0.25;
const LUFF_SPEED: f64 = 0.05;
const WHEELS: usize = 7;

/// Two cranes, with ropes of `size` links, and the pipe along x.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hoists 2 m from 4 s to 12 s, luffs from 12 s to 18 s.";
    let mut scene = ENTRY.scene(notes, &[("interface_condition", 4.8e10)]);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.3));
    scene.material("sling", Material::friction(0.15));
    let fall = FALL_LINK * size.max(1) as f64;
    let pipe_height = boom_point(1.0).z - 0.5 - HOIST - fall - 0.8 - HOOK;
    let pipe = Body::new("pipe").shape(Shape::cylinder(PIPE_HALF, PIPE_RADIUS)).mass(PIPE_MASS);
    let pipe = pipe.material("sling").velocity([PIPE_SPEED, 0.0, 0.0]);
    scene.add(pipe.at([0.0, 0.0, pipe_height]).turned([0.0, 1.0, 0.0], FRAC_PI_2));
    for (i, x) in [-ASIDE, ASIDE].into_iter().enumerate() {
        let origin = Vec3::new(x, -BEHIND, 0.0);
        let prefix = format!("crane{i}-");
        let mut crane = Machine { scene: &mut scene, prefix, origin, group: 1 << i };
        crane.section(undercarriage);
        crane.section(boom_and_hoist);
        crane.section(|crane| falls(crane, size.max(1)));
        crane.section(|crane| hook_and_sling(crane, fall));
        motors(&mut scene, i);
    }
    if let Some(hook) = scene.groups.get_mut("part-03") {
        hook.push("pipe".into());
    }
    scene
}

/// A point of the boom's axis, 0 at its foot and 1 at its head, which is
/// above the pipe.
fn boom_point(share: f64) -> Vec3 {
    let length = BOOM_SECTION * BOOM_SECTIONS as f64;
    let forward = BEHIND - BOOM_FOOT.y;
    let up = (length * length - forward * forward).sqrt();
    BOOM_FOOT + Vec3::new(0.0, forward, up) * share
}

fn undercarriage(crane: &mut Machine) {
    crane.block("car", 13_000.0, [1.5, 1.5, 0.35], [0.0, 0.0, 1.1]);
    crane.inner("engine", 1500.0, 0.5, [0.0, -1.0, 1.2]);
    crane.mount("car", "engine", 1e7);
    crane.inner("pump", 100.0, 0.15, [0.0, -0.3, 1.2]);
    let pump = crane.joint(JointType::Hinge, "engine", "pump", Vec3::Y);
    crane.scene.join(pump.motor(Motor::velocity(0.0, 500.0)));
    for (side, x) in [("l", -2.0), ("r", 2.0)] {
        track(crane, side, x);
    }
    crane.inner("swing", 300.0, 0.3, [0.0, 0.6, 1.5]);
    let swing = crane.joint(JointType::Hinge, "car", "swing", Vec3::Z);
    crane.scene.join(swing);
}

/// A track frame with its wheels, which a final drive couples.
fn track(crane: &mut Machine, side: &str, x: f64) {
    let [frame, shaft, drive] = ["frame-", "shaft-", "drive-"].map(|part| format!("{part}{side}"));
    crane.block(&frame, 7000.0, [0.3, 2.8, 0.25], [x, 0.0, 0.8]);
    crane.weld("car", &frame);
    crane.inner(&shaft, 100.0, 0.15, [0.5 * x, -2.0, 0.9]);
    crane.inner(&drive, 250.0, 0.3, [x, -2.7, 0.8]);
    let joint = crane.joint(JointType::Hinge, "car", &shaft, Vec3::X);
    crane.scene.join(joint.motor(Motor::velocity(0.0, 2e4)));
    let joint = crane.joint(JointType::Hinge, &frame, &drive, Vec3::X);
    crane.scene.join(joint);
    crane.gear(&shaft, &drive, 5.0);
    for i in 0..WHEELS {
        let wheel = format!("wheel-{side}{i}");
        let y = 0.9 * (i as f64 - 0.5 * (WHEELS as f64 - 1.0));
        let body = crane.part(&wheel, 300.0, Shape::cylinder(0.3, 0.4), [x, y, 0.4]);
        crane.scene.add(body.turned([0.0, 1.0, 0.0], FRAC_PI_2));
        let joint = crane.joint(JointType::Hinge, &frame, &wheel, Vec3::X);
        crane.scene.join(joint);
        crane.gear(&drive, &wheel, 1.0);
    }
}

fn boom_and_hoist(crane: &mut Machine) {
    crane.block("upper", 12_000.0, [1.4, 2.4, 0.4], [0.0, 0.6, 1.95]);
    let slew = crane.joint(JointType::Hinge, "car", "upper", Vec3::Z);
    crane.scene.join(slew.anchor_b([0.0, -0.6, 0.0]).motor(Motor::velocity(0.0, 1e6)));
    crane.gear("swing", "upper", -8.0);
    crane.block("counterweight", 22_000.0, [1.6, 0.7, 0.8], [0.0, -2.5, 2.35]);
    crane.weld("upper", "counterweight");
    crane.block("cab", 800.0, [0.5, 0.8, 0.8], [-1.2, 1.5, 3.2]);
    crane.mount("upper", "cab", 2e6);
    let mut last = "upper".to_string();
    for i in 0..BOOM_SECTIONS {
        last = boom_section(crane, i, &last);
    }
    let section = format!("boom{}", BOOM_SECTIONS / 4);
    let luff = [("upper", LUFF_FOOT), (section.as_str(), boom_point(0.25))];
    crane.cylinder("luff", [500.0, 300.0], luff, Vec3::X, Motor::velocity(0.0, 1e6));
    for (drum, y) in [("drum", -0.6), ("drum-b", -1.4)] {
        let body = crane.part(drum, 600.0, Shape::cylinder(0.6, DRUM_RADIUS), [0.0, y, 2.9]);
        crane.scene.add(body.turned([0.0, 1.0, 0.0], FRAC_PI_2).ghost());
        let joint = crane.joint(JointType::Hinge, "upper", drum, Vec3::X);
        crane.scene.join(joint.motor(Motor::velocity(0.0, 1e5)));
    }
    head(crane, &last);
}

fn boom_section(crane: &mut Machine, i: usize, last: &str) -> String {
    let name = format!("boom{i}");
    let n = BOOM_SECTIONS as f64;
    let along = boom_point(1.0) - boom_point(0.0);
    let at = boom_point((i as f64 + 0.5) / n);
    let half = 0.5 * BOOM_SECTION;
    let body = crane.part(&name, 400.0, Shape::cuboid([0.4, 0.4, half]), at);
    let tilt = (along.z).atan2(along.y);
    crane.scene.add(body.turned([1.0, 0.0, 0.0], tilt - FRAC_PI_2));
    let kind = if i == 0 { JointType::Hinge } else { JointType::Weld };
    let joint = crane.joint(kind, last, &name, Vec3::X);
    crane.scene.join(joint.anchor_b([0.0, 0.0, -half]));
    name
}

/// The boom head hangs on the boom's end; the hoist block runs below it.
fn head(crane: &mut Machine, boom: &str) {
    let tip = boom_point(1.0);
    crane.inner("head", 250.0, 0.25, (tip - Vec3::Z * 0.5).into());
    let joint = crane.joint(JointType::Universal, boom, "head", Vec3::X);
    crane.scene.join(joint.axis_b([0.0, 1.0, 0.0]).anchor_b([0.0, 0.0, 0.5]));
    crane.inner("hoist", 150.0, 0.2, (tip - Vec3::Z * (0.5 + HOIST)).into());
    let joint = crane.joint(JointType::Slider, "head", "hoist", Vec3::Z);
    crane.scene.join(joint);
    crane.gear("hoist", "drum", DRUM_RADIUS);
}

/// Two falls from the hoist block to the hook block.
fn falls(crane: &mut Machine, links: usize) {
    let top = crane.origin + boom_point(1.0) - Vec3::Z * (0.5 + HOIST);
    let length = FALL_LINK * links as f64;
    crane.inner("block", 250.0, 0.2, (top - crane.origin - Vec3::Z * (length + 0.3)).into());
    let ends = [crane.name("hoist"), crane.name("block")];
    for (side, x) in [("a", -0.15), ("b", 0.15)] {
        let from = top + Vec3::X * x;
        let points = straight(from, from - Vec3::Z * length, links);
        let ends = [Some(ends[0].as_str()), Some(ends[1].as_str())];
        rope(crane, &format!("fall-{side}"), 0.7, CABLE).lay(crane.scene, &points, Vec3::Y, ends);
    }
}

/// The hook turns on the hook block; the sling goes around the pipe.
fn hook_and_sling(crane: &mut Machine, fall: f64) {
    let block = boom_point(1.0) - Vec3::Z * (0.5 + HOIST + fall + 0.3);
    crane.inner("hook", 100.0, 0.1, (block - Vec3::Z * 0.5).into());
    let swivel = crane.joint(JointType::Hinge, "block", "hook", Vec3::Z);
    crane.scene.join(swivel);
    let centre = crane.origin + block - Vec3::Z * (0.5 + HOOK);
    let hook = crane.name("hook");
    let ends = [Some(hook.as_str()); 2];
    rope(crane, "sling", 0.35, SLING).lay(crane.scene, &sling(centre), Vec3::X, ends);
}

fn rope(crane: &Machine, name: &str, mass: f64, cable: Cable) -> Strand {
    Strand {
        prefix: crane.name(name),
        mass,
        section: Section::Round(ROPE_RADIUS),
        coupling: Coupling::Cable(cable),
        groups: Some((crane.group, !crane.group)),
        material: Some("sling"),
    }
}

/// Points of equal distance from the hook down, around the pipe and up again.
fn sling(centre: Vec3) -> Vec<Vec3> {
    // Chords of the links stay outside the pipe.
    let radius = PIPE_RADIUS + 1.55 * ROPE_RADIUS;
    let straight = (HOOK * HOOK - radius * radius).sqrt();
    // The rope leaves the pipe this far above its axis.
    let leave = (radius / HOOK).asin();
    let arc = radius * (PI + 2.0 * leave);
    let length = 2.0 * straight + arc;
    let top = Vec3::Z * HOOK;
    let around = |angle: f64| Vec3::new(0.0, angle.cos(), angle.sin()) * radius;
    let point = |s: f64| match s {
        s if s < straight => top.lerp(around(leave), s / straight),
        s if s < straight + arc => around(leave - (s - straight) / radius),
        s => around(PI - leave).lerp(top, (s - straight - arc) / straight),
    };
    (0..=SLING_LINKS).map(|i| centre + point(length * i as f64 / SLING_LINKS as f64)).collect()
}

fn motors(scene: &mut SceneFile, crane: usize) {
    let name = |joint: &str| format!("crane{crane}-{joint}");
    let turn = HOIST_SPEED / DRUM_RADIUS;
    let hoist = vec![(4.0, 0.0), (4.5, turn), (11.5, turn), (12.0, 0.0)];
    scene.drives.push(Drive::motor(name("drum"), hoist));
    let luff = vec![(12.0, 0.0), (12.5, LUFF_SPEED), (17.5, LUFF_SPEED), (18.0, 0.0)];
    scene.drives.push(Drive::motor(name("luff-piston"), luff));
}
