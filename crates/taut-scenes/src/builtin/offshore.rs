//! A knuckle-boom crane on a ship lifts a subsea module along the hull.
//!
//! Source: Lefebvre20 2.3.1.4 "offshore", tables 2.1 and 2.2: a crane of
//! 50,000 kg, rigidly attached to a ship of 5,500,000 kg, hoists a module of
//! 15,000 kg with a cable whose segments weigh less than 1 kg; the module
//! slides along the hull. Mass ratio 4,400,000:1, 350 rows, condition 1e9,
//! friction 1. All else is chosen.
//!
//! What happens: the ship heaves, rolls and pitches in waves. The module
//! hangs over the side and leans against the hull; from 2 s to 12 s the crane
//! hoists it by 3 m, and it slides and knocks along the hull; from 12 s to
//! 18 s boom and knuckle boom stretch and take it away from the ship.
//!
//! The ship, x outboard and y forward (kg, m): a box 90 long, 20 wide and 9
//! deep, its deck 5 above the water. Buoyancy carries its weight (it has no
//! gravity of its own) and acts as springs: heave 1.7e7 N/m, roll
//! 1.2e8 N·m/rad, pitch 4e9 N·m/rad; moorings of 2e6 N/m and 1e9 N·m/rad
//! hold the rest. Waves of 8 s push it with ±4 MN, ±1.5 MN·m in roll and
//! ±80 MN·m in pitch; ballast heels it away from crane and load.
//!
//! | partition | bodies |
//! |---|---|
//! | ship | ship 5,500,000; pedestal 14,000, welded |
//! | crane | slewing column 16,000; main boom 9,000; knuckle boom 5,000; two cylinders 1,500 + 900 each; drum 600; boom head 400; hoist block 200 |
//! | cable | 40 segments of 0.95, 0.2 m long |
//! | load | module 15,000, a box of 2.4 × 2.4 × 2 |
//!
//! Crane 50,000 together. The hoist block is geared to the drum, which stands
//! for the rope between them. Cable: 34 mm, stretch 6e8 N/m, bend and twist
//! 50 N·m/rad per joint; that is twice as stiff as a steel rope of its
//! thickness, which would give by 0.25 % under the module.

use super::Entry;
use super::parts::machine::{Machine, ramp};
use super::parts::strand::{Cable, Coupling, Section, Strand, straight};
use crate::file::{self, Station};
use crate::file::{Body, Drive, ForceDrive, Joint, JointType, Material, Motor};
use crate::file::{SceneFile, Shape, Spring};
use std::f64::consts::TAU;
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "offshore",
    aliases: &[],
    summary: "A crane on a ship in waves hoists a module that slides along the hull.",
    source: "Lefebvre20 2.3.1.4 (offshore)",
    size_of: "segments of the cable",
    default_size: 40,
    // With a shorter cable the module would hang above the deck.
    small_size: 40,
    build,
};

const SHIP: f64 = 5.5e6;
const SHIP_HALF: [f64; 3] = [10.0, 45.0, 4.5];
/// The ship's centre is this far above the water.
const FREEBOARD: f64 = 0.5;
const LINK: f64 = 0.2;
const LINK_MASS: f64 = 0.95;
const CABLE: Cable = Cable { stretch: 6e8, bend: 50.0, twist: 50.0, damping_time: 0.02 };
const MODULE: [f64; 3] = [1.2, 1.2, 1.0];
const MODULE_MASS: f64 = 15_000.0;
/// The boom's foot, knuckle and tip.
const FOOT: Vec3 = Vec3::new(4.0, 0.0, 9.0);
const KNUCKLE: Vec3 = Vec3::new(6.5, 0.0, 17.0);
/// The module below it just touches the hull, which heels towards it.
const TIP: Vec3 = Vec3::new(11.21, 0.0, 15.5);
const HEAD: f64 = 0.4;
const HOIST: f64 = 3.6;
const DRUM_RADIUS: f64 = 0.5;
/// Torque of ballast against that of crane and load [N·m]: more than it, so
/// that the module leans against the hull.
const BALLAST: f64 = -5e6;
const HOIST_SPEED: f64 = 0.32;

/// A ship whose crane has a cable of `size` segments.
pub fn build(size: usize) -> SceneFile {
    let notes = "Waves all the time; hoists 2 s to 12 s, stretches the booms to 18 s.";
    let statistics = [("rows", 350.0), ("mass_ratio", 4.4e6), ("condition", 1e9)];
    lay(ENTRY.scene(notes, &statistics), size, false)
}

/// The same ship with a cable without mass in place of segments.
pub(super) fn with_cable(scene: SceneFile) -> SceneFile {
    lay(scene, ENTRY.default_size, true)
}

/// A module on the deck, in rows of 25.
pub(super) fn stowed(i: usize) -> Body {
    let (row, place) = ((i / 25) as f64, (i % 25) as f64);
    let deck = FREEBOARD + SHIP_HALF[2] + MODULE[2];
    let body = Body::new(format!("module{i}")).shape(Shape::cuboid(MODULE)).mass(MODULE_MASS);
    body.at([-7.0, -40.0 + 3.0 * place, deck + 2.0 * MODULE[2] * row])
}

fn lay(mut scene: SceneFile, size: usize, whole: bool) -> SceneFile {
    scene.material("default", Material::friction(1.0));
    let mut crane =
        Machine { scene: &mut scene, prefix: String::new(), origin: Vec3::ZERO, group: 1 };
    crane.section(ship);
    crane.section(upper);
    if !whole {
        crane.section(|crane| cable(crane, size.max(1)));
    }
    crane.section(|crane| module(crane, LINK * size.max(1) as f64, whole));
    drives(&mut scene);
    scene
}

/// The hull on springs of water and moorings, and the crane's pedestal.
fn ship(crane: &mut Machine) {
    let ship = Body::new("ship").shape(Shape::cuboid(SHIP_HALF)).mass(SHIP);
    let ship = ship.at([0.0, 0.0, FREEBOARD]);
    crane.scene.add(Body { gravity_scale: 0.0, ..ship });
    let mut water = Joint::between(JointType::Compliant, "world", "ship").named("water");
    // Damped in about one period.
    let spring = |k: f64, d: f64| Spring::new(k, d);
    water.linear = Some([spring(2e6, 2e6), spring(2e6, 2e6), spring(1.7e7, 5e6)]);
    water.angular = Some([spring(4e9, 1.5e9), spring(1.2e8, 6e7), spring(1e9, 1e9)]);
    crane.scene.join(water.axis_a([0.0, 0.0, 1.0]).basis_a(Quat::IDENTITY));
    crane.block("pedestal", 14_000.0, [1.2, 1.2, 1.5], [2.5, 0.0, 6.5]);
    crane.weld("ship", "pedestal");
}

fn upper(crane: &mut Machine) {
    crane.block("column", 16_000.0, [1.4, 1.4, 1.0], [2.5, 0.0, 9.0]);
    let slew = crane.joint(JointType::Hinge, "pedestal", "column", Vec3::Z);
    crane.scene.join(slew.anchor_b([0.0, 0.0, -1.0]).motor(Motor::velocity(0.0, 1e7)));
    crane.arm("boom", "column", 9000.0, 0.4, [FOOT, KNUCKLE]);
    crane.arm("jib", "boom", 5000.0, 0.4, [KNUCKLE, TIP]);
    let brake = Motor::velocity(0.0, 1e7);
    let main = [("column", Vec3::new(5.0, 0.0, 8.2)), ("boom", FOOT.lerp(KNUCKLE, 0.5))];
    crane.cylinder("luff", [1500.0, 900.0], main, Vec3::Y, brake);
    let knuckle = [("boom", FOOT.lerp(KNUCKLE, 0.6)), ("jib", KNUCKLE.lerp(TIP, 0.35))];
    crane.cylinder("knuckle", [1500.0, 900.0], knuckle, Vec3::Y, brake);
    let winch = Some(Motor::velocity(0.0, 5e5));
    crane.wheel("drum", "column", 600.0, [0.6, DRUM_RADIUS], [1.5, 0.0, 10.5], winch);
    crane.inner("head", 400.0, 0.25, (TIP - Vec3::Z * HEAD).into());
    let joint = crane.joint(JointType::Universal, "jib", "head", Vec3::Y);
    crane.scene.join(joint.axis_b([1.0, 0.0, 0.0]).anchor_b([0.0, 0.0, HEAD]));
    crane.inner("hoist", 200.0, 0.2, (TIP - Vec3::Z * (HEAD + HOIST)).into());
    let joint = crane.joint(JointType::Slider, "head", "hoist", Vec3::Z);
    crane.scene.join(joint);
    crane.gear("hoist", "drum", DRUM_RADIUS);
}

fn cable(crane: &mut Machine, segments: usize) {
    let top = TIP - Vec3::Z * (HEAD + HOIST);
    let points = straight(top, top - Vec3::Z * (LINK * segments as f64), segments);
    let strand = Strand {
        prefix: "cable".into(),
        mass: LINK_MASS,
        section: Section::Round(0.017),
        coupling: Coupling::Cable(CABLE),
        groups: Some((1, !1)),
        material: None,
    };
    strand.lay(crane.scene, &points, Vec3::Y, [Some("hoist"), None]);
}

/// The module hangs on the cable by a pin at its top, beside the hull.
fn module(crane: &mut Machine, length: f64, whole: bool) {
    let last = crane.scene.bodies.last().map_or(String::new(), |link| link.name.clone());
    let pin = TIP - Vec3::Z * (HEAD + HOIST + length);
    let module = Body::new("module").shape(Shape::cuboid(MODULE)).mass(MODULE_MASS);
    let lug = Vec3::Z * MODULE[2];
    crane.scene.add(module.at(pin - lug));
    if whole {
        return hoist(crane, length, lug);
    }
    let joint = Joint::ball(last, "module").named("lug");
    crane.scene.join(joint.anchor_b(lug));
}

/// One cable from the hoist block to the module; it gives as the segments do, whose EA is k·l of one.
fn hoist(crane: &mut Machine, length: f64, lug: Vec3) {
    let via = vec![Station::point("hoist", [0.0; 3]), Station::point("module", lug.into())];
    let stiffness = CABLE.stretch * LINK;
    let damping = stiffness * CABLE.damping_time;
    let rope = file::Cable::new("hoist-cable", via);
    let (length, stiffness) = (Some(length), Some(stiffness));
    crane.scene.string(file::Cable { length, stiffness, damping, ..rope });
}

fn drives(scene: &mut SceneFile) {
    let hoist = ramp(2.0, 12.0, HOIST_SPEED / DRUM_RADIUS);
    scene.drives.push(Drive::motor("drum", hoist));
    scene.drives.push(Drive::motor("luff-piston", ramp(12.0, 18.0, -0.05)));
    scene.drives.push(Drive::motor("knuckle-piston", ramp(12.0, 18.0, 0.04)));
    // A wave of 8 s that grows within its first period.
    let wave = |t: f64, lag: f64| (TAU * t / 8.0 - lag).sin() * (t / 8.0).min(1.0);
    let times = (0..=200).map(|i| 0.25 * f64::from(i));
    let force = times.clone().map(|t| (t, [0.0, 0.0, 4e6 * wave(t, 0.0)]));
    let torque = times.map(|t| (t, [8e7 * wave(t, 1.0), BALLAST + 1.5e6 * wave(t, 0.5), 0.0]));
    let (force, torque) = (force.collect(), torque.collect());
    scene.drives.push(Drive::Force(ForceDrive {
        body: "ship".into(),
        force,
        torque,
        local: false,
    }));
}
