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
    size_of: "bolts",
    default_size: 1,
    small_size: 1,
    build,
};

const PITCH: f64 = 0.01;
const THREAD: Thread = Thread { radius: 0.02, depth: 0.004, pitch: PITCH };
const PLAY: f64 = 0.0003;
const NUT: f64 = 0.03;
/// As many as the scene has seconds.
const TURNS: f64 = 10.0;

/// `size` bolts side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Both are meshes; threads meet by contact alone.";
    let mut scene = ENTRY.scene(notes, &[("pitch", PITCH)]);
    scene.duration = 10.0;
    scene.settings.substeps = Some(4);
    scene.material("default", Material::friction(0.1));
    let (nut, bolt) = (THREAD.nut(NUT, 0.035, PLAY), THREAD.bolt(PITCH * (TURNS + 4.0)));
    for i in 0..size {
        let x = 0.1 * i as f64;
        scene.add(Body::fixed(format!("nut{i}")).shape(nut.clone()).at([x, 0.0, 0.0]));
        // Wound in by two turns of the three.
        let name = format!("bolt{i}");
        let body = Body::new(&name).shape(bolt.clone()).density(7850.0);
        scene.add(body.at([x, 0.0, PITCH]));
        let mut spindle = Joint::between(JointType::Cylindrical, "world", &name);
        spindle.axis_a = Some([0.0, 0.0, 1.0]);
        spindle.anchor_a = Some([x, 0.0, 0.0]);
        spindle.angle_motor = Some(Motor::velocity(-TAU, 50.0));
        scene.join(spindle.named(format!("spindle{i}")));
    }
    scene
}
