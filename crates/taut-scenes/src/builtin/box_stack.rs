//! Equal boxes on top of one another.

use super::Entry;
use crate::file::{Body, Ground, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "box-stack",
    aliases: &[],
    summary: "A stack of equal boxes is dropped a little and comes to rest.",
    source: "the usual first test of contact",
    size_of: "boxes",
    default_size: 20,
    small_size: 5,
    build,
};

const HALF: f64 = 0.5;
const GAP: f64 = 0.01;

/// `size` unit cubes of 10 kg, each 1 cm above the one below.
pub fn build(size: usize) -> SceneFile {
    let mut scene = ENTRY.scene("Boxes start 1 cm apart.", &[("mass_ratio", 1.0)]);
    scene.ground = Some(Ground::default());
    for i in 0..size {
        let z = HALF + GAP + (2.0 * HALF + GAP) * i as f64;
        let body = Body::new(format!("box{i}")).shape(Shape::cuboid([HALF; 3]));
        scene.add(body.mass(10.0).at([0.0, 0.0, z]));
    }
    scene
}
