//! Boxes that grow heavier towards the top.

use super::Entry;
use crate::file::{Body, Ground, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "heavy-stack",
    aliases: &[],
    summary: "A stack of boxes from 1 kg at the bottom to 1000 kg at the top stands.",
    source: "a common test of mass ratios",
    size_of: "boxes",
    default_size: 10,
    small_size: 4,
    build,
};

const HALF: f64 = 0.5;
const RATIO: f64 = 1000.0;

/// `size` unit cubes, masses in a geometric series from 1 to 1000 kg.
pub fn build(size: usize) -> SceneFile {
    let mut scene = ENTRY.scene("Starts at rest, faces touching.", &[("mass_ratio", RATIO)]);
    scene.ground = Some(Ground::default());
    for i in 0..size {
        let share = i as f64 / (size - 1).max(1) as f64;
        let z = HALF + 2.0 * HALF * i as f64;
        let body = Body::new(format!("box{i}")).shape(Shape::cuboid([HALF; 3]));
        scene.add(body.mass(RATIO.powf(share)).at([0.0, 0.0, z]));
    }
    scene
}
