//! A bolt winds into a nut.
//!
//! | | value | |
//! |---|---|---|
//! | thread | radius 20 mm, pitch 10 mm, depth 4 mm, a cosine | chosen |
//! | play | 0.3 mm in radius, a fortieth of the pitch along the axis to each side | chosen |
//! | drive | the bolt is turned at 2π rad/s, and free along its axis | chosen |
//! | friction | 0.1 | chosen: greased |

use super::Entry;
use super::parts::solids::Thread;
use crate::file::{Body, Joint, JointType, Material, Motor, SceneFile};
use std::f64::consts::TAU;

pub(super) const ENTRY: Entry = Entry {
    name: "bolt",
    aliases: &[],
    summary: "A bolt is turned and winds into a nut, by contact of their threads alone.",
    source: "Andrews22 2.3",
    size_of: "turns per ten seconds",
    default_size: 10,
    small_size: 2,
    build,
};

pub(super) const PITCH: f64 = 0.01;
const THREAD: Thread = Thread { radius: 0.02, depth: 0.004, pitch: PITCH };
const PLAY: f64 = 0.0003;
const NUT: f64 = 0.03;

/// Long enough for `size` turns.
pub fn build(size: usize) -> SceneFile {
    let notes = "Both are meshes; threads meet by contact alone.";
    let mut scene = ENTRY.scene(notes, &[("pitch", PITCH)]);
    scene.duration = 10.0;
    scene.settings.substeps = Some(4);
    scene.material("default", Material::friction(0.1));
    scene.add(Body::fixed("nut").shape(THREAD.nut(NUT, 0.035, PLAY)));
    // Wound in by two turns of the three.
    let length = PITCH * (size as f64 + 4.0);
    scene.add(Body::new("bolt").shape(THREAD.bolt(length)).density(7850.0).at([0.0, 0.0, PITCH]));
    let rate = -TAU * size as f64 / 10.0;
    let mut spindle = Joint::between(JointType::Cylindrical, "world", "bolt").named("spindle");
    spindle.axis_a = Some([0.0, 0.0, 1.0]);
    spindle.anchor_a = Some([0.0, 0.0, 0.0]);
    spindle.angle_motor = Some(Motor::velocity(rate, 50.0));
    scene.join(spindle);
    scene
}
