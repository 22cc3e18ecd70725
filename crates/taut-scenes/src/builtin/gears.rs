//! Two spur gears: one drives the other by contact of their teeth alone.
//!
//! | | value | |
//! |---|---|---|
//! | gears | 20 and 30 teeth, module 10 mm, involute at 20°, 48 and 40 mm wide | chosen |
//! | play | 0.2 mm at the pitch circle | chosen |
//! | drive | 100 rad/s, with at most 500 N·m; the load brakes with 20 N·m | chosen |
//! | friction | 0.05 | chosen: oil |
//! | step | 1/60 s in 32 parts | six steps a tooth |

use super::Entry;
use super::parts::solids::{extruded, gear};
use crate::file::{Body, Joint, Material, Motor, SceneFile};
use std::f64::consts::PI;

pub(super) const ENTRY: Entry = Entry {
    name: "gears",
    aliases: &["spur-gears"],
    summary: "Two spur gears of 20 and 30 teeth drive a load at 100 rad/s, by contact alone.",
    source: "Andrews22 2.3",
    size_of: "driven gears",
    default_size: 1,
    small_size: 1,
    build,
};

const MODULE: f64 = 0.01;
const PLAY: f64 = 0.0002;
const HALF_WIDTH: f64 = 0.02;
const TEETH: [usize; 2] = [20, 30];

/// A pinion and `size` gears around it, four at most.
pub fn build(size: usize) -> SceneFile {
    let notes = "Teeth are meshes that meet by contact alone.";
    let ratio = TEETH[0] as f64 / TEETH[1] as f64;
    let mut scene = ENTRY.scene(notes, &[("ratio", ratio)]);
    scene.duration = 2.0;
    scene.settings.substeps = Some(32);
    scene.material("default", Material::friction(0.05));
    add(&mut scene, "pinion", TEETH[0], [0.0; 2], 0.0, Motor::velocity(100.0, 500.0));
    let distance = 0.5 * MODULE * (TEETH[0] + TEETH[1]) as f64;
    for i in 0..size.min(4) {
        let angle = 0.5 * PI * i as f64;
        let at = [distance * angle.cos(), distance * angle.sin()];
        // A gap faces the pinion's tooth: 20 teeth have one in each quarter.
        let turn = angle + PI + PI / TEETH[1] as f64;
        add(&mut scene, &format!("gear{i}"), TEETH[1], at, turn, Motor::velocity(0.0, 20.0));
    }
    scene
}

fn add(scene: &mut SceneFile, name: &str, teeth: usize, at: [f64; 2], turn: f64, motor: Motor) {
    // The pinion is wider, as pinions are: ends in one plane would be in touch all the time.
    let half = if teeth == TEETH[0] { 1.2 * HALF_WIDTH } else { HALF_WIDTH };
    let shape = extruded(&gear(teeth, MODULE, PLAY), half);
    let body = Body::new(name).shape(shape).density(7850.0).at([at[0], at[1], 0.0]);
    scene.add(body.turned([0.0, 0.0, 1.0], turn));
    let axle = Joint::hinge("world", name).named(format!("{name}-axle")).axis_a([0.0, 0.0, 1.0]);
    scene.join(axle.anchor_a([at[0], at[1], 0.0]).motor(motor));
}
