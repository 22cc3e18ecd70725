//! The mobile crane with a hoist cable without mass.
//!
//! Source: `mobile-crane`; what happens is the same. Its 35 links become one cable of the same length and stiffness. Parts that never move against one another are one body of the same masses in the same places:
//!
//! | body | parts |
//! |---|---|
//! | carrier | frame, cab, engine, wheels, outriggers, which stand on a round pad each |
//! | turntable | turntable, counterweight |
//! | boom | boom, telescopes |

use super::Entry;
use super::mobile_crane::{
    ABOVE, BOOM, BOOM_FOOT, CABLE, DRUM_RADIUS, HOIST, HOOK, LINK, PIPE_RADIUS, SLOPE, WHEELS,
    boom_point, hoist, load, motors, stand,
};
use super::parts::machine::Machine;
use crate::file::{
    Body, Cable, Collider, CollisionGroups, Ground, JointType, Material, Motor, SceneFile, Shape,
    Station,
};
use std::f64::consts::{FRAC_PI_2, PI};
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "mobile-crane-cable",
    aliases: &[],
    summary: "The mobile crane with a hoist cable that is a single row.",
    source: "mobile-crane, with a cable in place of links",
    size_of: "pipes",
    default_size: 1,
    small_size: 1,
    build,
};

/// Links of `mobile-crane` that the cable is as long as, below its hoist block.
const LINKS: usize = 35;
/// Radius of the pads of the outriggers.
const PAD: f64 = 0.25;

/// A crane and `size` pipes, one of which it lifts.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hook down to 2 s, hoists 3 s to 9 s, luffs to 14 s, slews to 19 s.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(1.0));
    let mut crane =
        Machine { scene: &mut scene, prefix: String::new(), origin: Vec3::ZERO, group: 1 };
    crane.section(carrier);
    crane.section(upper);
    let below = LINK * LINKS as f64;
    let hook = boom_point(BOOM) - Vec3::Z * (0.4 + HOIST + below + HOOK[2]);
    crane.section(|crane| load(crane, hook));
    cable(&mut crane, below);
    stand(&mut scene, hook, hook.z - HOOK[2] - ABOVE - 2.0 * PIPE_RADIUS);
    motors(&mut scene);
    for i in 1..size {
        let pipe = Body::new(format!("pipe{i}")).shape(Shape::cylinder(1.5, 0.55)).mass(2000.0);
        scene.add(pipe.at([-10.0 - 1.5 * i as f64, 0.0, 0.55]).turned([1.0, 0.0, 0.0], FRAC_PI_2));
    }
    scene
}

/// A box of this mass as part of a body.
fn cuboid(mass: f64, half: [f64; 3], at: impl Into<[f64; 3]>) -> Collider {
    let volume = 8.0 * half[0] * half[1] * half[2];
    Collider::new(Shape::cuboid(half)).at(at).density(mass / volume)
}

/// A part that has mass and touches nothing.
fn inner(part: Collider) -> Collider {
    let nothing = CollisionGroups { membership: 0, mask: 0 };
    Collider { collision_groups: Some(nothing), ..part }
}

fn carrier(crane: &mut Machine) {
    let mut body = Body::new("frame").groups(crane.group, !crane.group);
    body = body.collider(cuboid(12_600.0, [4.2, 1.0, 0.3], [0.0, 0.0, 1.2]));
    body = body.collider(cuboid(900.0, [0.7, 1.1, 0.8], [4.6, 0.0, 2.1]));
    body = body.collider(inner(cuboid(1100.0, [0.4; 3], [2.6, 0.0, 1.3])));
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    for x in WHEELS {
        for y in [1.15, -1.15] {
            let density = 250.0 / (0.4 * PI * 0.55 * 0.55);
            let wheel = Collider::new(Shape::cylinder(0.2, 0.55)).at([x, y, 0.6]).oriented(flat);
            body = body.collider(wheel.density(density));
        }
    }
    for x in [4.0, -4.0] {
        for y in [2.4, -2.4] {
            let leg = cuboid(300.0, [0.25, 0.25, 0.5 * (1.0 - PAD)], [x, y, 0.5 * (1.0 + PAD)]);
            let pad = Collider::new(Shape::ball(PAD)).at([x, y, PAD]).density(0.0);
            body = body.collider(leg).collider(pad);
        }
    }
    crane.scene.add(body);
}

fn upper(crane: &mut Machine) {
    let centre = Vec3::new(-0.8, 0.0, 1.9);
    let turntable = Body::new("turntable").groups(crane.group, !crane.group).at(centre);
    let weight = Vec3::new(-3.2, 0.0, 2.2) - centre;
    let turntable = turntable.collider(cuboid(3000.0, [2.0, 1.0, 0.3], [0.0; 3]));
    crane.scene.add(turntable.collider(cuboid(5000.0, [0.5, 1.2, 0.6], weight)));
    let slew = crane.joint(JointType::Hinge, "frame", "turntable", Vec3::Z);
    crane.scene.join(slew.anchor_b([0.8, 0.0, 0.0]).motor(Motor::velocity(0.0, 5e5)));
    let mut boom = Body::new("boom").groups(crane.group, !crane.group).at(BOOM_FOOT);
    let parts = [(1700.0, 0.0, 7.0), (900.0, 6.0, 5.5), (600.0, 11.0, 5.0)];
    for (i, (mass, from, length)) in parts.into_iter().enumerate() {
        let (width, half) = (0.05 * i as f64, 0.5 * length);
        let at = [0.0, 0.0, from + half];
        boom = boom.collider(cuboid(mass, [0.3 - width, 0.25 - width, half], at));
    }
    crane.scene.add(boom.oriented(Quat::from_rotation_y(FRAC_PI_2 - SLOPE)));
    let foot = crane.joint(JointType::Hinge, "turntable", "boom", Vec3::Y);
    crane.scene.join(foot.anchor_b([0.0; 3]));
    let luff = [("turntable", Vec3::new(0.6, 0.0, 2.1)), ("boom", boom_point(4.5))];
    crane.cylinder("luff", [250.0, 150.0], luff, Vec3::Y, Motor::velocity(0.0, 2e6));
    let holds = Some(Motor::velocity(0.0, 5e4));
    crane.wheel("drum", "turntable", 350.0, [0.4, DRUM_RADIUS], [-2.0, 0.0, 2.5], holds);
    hoist(crane, "boom");
}

/// From the hoist block to the hook. It gives as the links do: EA = k·l of one.
fn cable(crane: &mut Machine, length: f64) {
    let via = vec![Station::point("hoist", [0.0; 3]), Station::point("hook", [0.0, 0.0, HOOK[2]])];
    let stiffness = CABLE.stretch * LINK;
    let damping = stiffness * CABLE.damping_time;
    let rope = Cable::new("hoist-cable", via);
    let (length, stiffness) = (Some(length), Some(stiffness));
    crane.scene.string(Cable { length, stiffness, damping, ..rope });
}
