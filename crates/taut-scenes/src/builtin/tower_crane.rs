//! A tower crane hoists, moves its trolley and slews.
//!
//! Source: a tower crane with hoist of four falls, as on building sites; sizes are chosen. The hoist
//! cable runs from the drum to the trolley, twice down to the hook block, and
//! on to the end of the jib, so that the load keeps its height when the trolley moves. Without
//! mass it is one row.
//!
//! What happens: until 6 s the load of 3 t is hoisted, from 7 s to 12 s the trolley runs out, from
//! 10 s to 18 s the crane slews.

use super::Entry;
use super::parts::machine::ramp;
use crate::file::{
    Body, Cable, Collider, Control, Drive, Ground, Joint, Motor, SceneFile, Shape, Station,
};
use std::f64::consts::FRAC_PI_2;
use taut::math::Quat;

pub(super) const ENTRY: Entry = Entry {
    name: "tower-crane",
    aliases: &[],
    summary: "A tower crane with a trolley and a hoist of four falls slews its load.",
    source: "a tower crane as on building sites, sizes chosen",
    size_of: "cranes",
    default_size: 1,
    small_size: 1,
    build,
};

const HEIGHT: f64 = 30.0;
const JIB: f64 = 28.0;
const SHEAVE: f64 = 0.2;
/// Outer sheaves of the trolley.
const LEFT: f64 = -4.0 * SHEAVE;
const RIGHT: f64 = 4.0 * SHEAVE;
const DRUM: f64 = 0.35;
/// Where the trolley starts.
const REACH: f64 = 10.0;

/// `size` cranes, far apart.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hoists until 6 s at 1 m/s of cable, the trolley runs out from 7 s to 12 s, slews from \
                 10 s to 18 s.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.ground = Some(Ground::default());
    for i in 0..size {
        crane(&mut scene, i);
    }
    scene
}

fn crane(scene: &mut SceneFile, i: usize) {
    let name = |n: &str| format!("{n}{i}");
    add_tower(scene, i);
    add_trolley(scene, i);
    add_hook(scene, i);
    add_cables(scene, i);
    scene.drives.push(Drive::motor(name("hoist"), ramp(0.5, 6.0, -2.0)));
    scene.drives.push(Drive::motor(name("trolley"), ramp(7.0, 12.0, 1.5)));
    scene.drives.push(Drive::motor(name("slew"), ramp(10.0, 18.0, 0.15)));
    if i == 0 {
        let control = |what, keys, joint, most: f64| {
            Control::new(what, keys, vec![name(joint)], [-most, most])
        };
        scene.controls.extend([
            control("slew", ["a", "d"], "slew", 0.15).rate(0.1),
            control("trolley", ["w", "s"], "trolley", 1.5),
            control("hoist", ["down", "up"], "hoist", 3.0),
        ]);
    }
}

/// Where a crane stands.
fn place(i: usize) -> f64 {
    80.0 * i as f64
}

/// Drums and sheaves lie across the jib.
fn flat() -> Quat {
    Quat::from_rotation_x(FRAC_PI_2)
}

fn sheave(x: f64) -> Collider {
    Collider::new(Shape::cylinder(0.05, SHEAVE)).at([x, 0.0, 0.0]).oriented(flat())
}

/// Mast, jib and drum.
fn add_tower(scene: &mut SceneFile, i: usize) {
    let (y, name) = (place(i), |n: &str| format!("{n}{i}"));
    let mast = Body::fixed(name("mast")).shape(Shape::cuboid([0.6, 0.6, 0.5 * HEIGHT - 0.6]));
    scene.add(mast.at([0.0, y, 0.5 * HEIGHT - 0.6]).ghost());
    let jib = Body::new(name("jib")).mass(9000.0).at([0.0, y, HEIGHT]).ghost();
    let beam = Collider::new(Shape::cuboid([0.5 * JIB, 0.4, 0.4])).at([0.5 * JIB - 2.0, 0.0, 0.4]);
    let counter = Collider::new(Shape::cuboid([1.5, 1.0, 1.2])).at([-8.0, 0.0, 0.0]);
    let back = Collider::new(Shape::cuboid([3.5, 0.3, 0.2])).at([-5.0, 0.0, 0.4]);
    scene.add(jib.collider(beam).collider(back).collider(counter).inertia([2e5, 1e6, 1e6]));
    let slew = Joint::hinge("world", name("jib")).axis_a([0.0, 0.0, 1.0]).anchor_b([0.0; 3]);
    scene.join(slew.motor(Motor::velocity(0.0, 2e6)).named(name("slew")));
    let drum = Body::new(name("drum")).shape(Shape::cylinder(0.4, DRUM)).mass(600.0).ghost();
    scene.add(drum.at([-4.0, y, HEIGHT + 1.0]).oriented(flat()));
    let axle = Joint::hinge(name("jib"), name("drum")).axis_a([0.0, 1.0, 0.0]).anchor_b([0.0; 3]);
    scene.join(axle.motor(Motor::velocity(0.0, 1e5)).named(name("hoist")));
}

/// The trolley with its three sheaves, on the rail of the jib.
fn add_trolley(scene: &mut SceneFile, i: usize) {
    let (y, name) = (place(i), |n: &str| format!("{n}{i}"));
    let trolley = Body::new(name("trolley")).mass(400.0).at([REACH, y, HEIGHT - 0.4]).ghost();
    let plate = Collider::new(Shape::cuboid([1.1, 0.3, 0.08])).at([0.0, 0.0, 0.35]);
    let trolley = trolley.collider(plate).collider(sheave(LEFT)).collider(sheave(0.0));
    scene.add(trolley.collider(sheave(RIGHT)).inertia([100.0; 3]));
    let rail =
        Joint::slider(name("jib"), name("trolley")).axis_a([1.0, 0.0, 0.0]).anchor_b([0.0; 3]);
    let rail = rail.limits(-7.0, JIB - 5.0 - REACH);
    scene.join(rail.motor(Motor::velocity(0.0, 1e5)).named(name("trolley")));
}

/// The block of the hook with its two sheaves, and the load.
fn add_hook(scene: &mut SceneFile, i: usize) {
    let (y, name) = (place(i), |n: &str| format!("{n}{i}"));
    let block = Body::new(name("hook")).mass(200.0).at([REACH, y, 4.0]).ghost();
    let plate = Collider::new(Shape::cuboid([0.6, 0.06, 0.2])).at([0.0, 0.0, -0.4]);
    let block = block.collider(plate).collider(sheave(-2.0 * SHEAVE));
    scene.add(block.collider(sheave(2.0 * SHEAVE)).inertia([20.0; 3]));
    let load = Body::new(name("load")).shape(Shape::cuboid([1.2, 1.2, 0.5])).mass(3000.0);
    scene.add(load.at([REACH, y, 1.6]));
}

/// The hoist, over the drum and the sheaves of the trolley, twice down to the block and up again; and four slings.
fn add_cables(scene: &mut SceneFile, i: usize) {
    let name = |n: &str| format!("{n}{i}");
    let (across, back) = ([0.0, 1.0, 0.0], [0.0, -1.0, 0.0]);
    let hoist = vec![
        Station::pulley(name("drum"), [0.0; 3], [0.0, 0.0, -1.0], DRUM).turns(8.0),
        Station::pulley(name("trolley"), [LEFT, 0.0, 0.0], across, SHEAVE),
        Station::pulley(name("hook"), [-2.0 * SHEAVE, 0.0, 0.0], back, SHEAVE),
        Station::pulley(name("trolley"), [0.0; 3], across, SHEAVE),
        Station::pulley(name("hook"), [2.0 * SHEAVE, 0.0, 0.0], back, SHEAVE),
        Station::pulley(name("trolley"), [RIGHT, 0.0, 0.0], across, SHEAVE),
        Station::point(name("jib"), [JIB - 3.0, 0.0, -0.4]),
    ];
    scene.string(Cable { stiffness: Some(4e7), damping: 4e6, ..Cable::new(name("hoist"), hoist) });
    for (k, (x, y)) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)].into_iter().enumerate()
    {
        let sling = vec![
            Station::point(name("hook"), [0.0, 0.0, -0.6]),
            Station::point(name("load"), [x, y, 0.5]),
        ];
        scene.string(Cable {
            stiffness: Some(1e7),
            damping: 1e5,
            ..Cable::new(format!("sling{k}-{i}"), sling)
        });
    }
}
