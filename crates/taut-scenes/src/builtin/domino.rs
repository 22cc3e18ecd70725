//! A row of dominoes.

use super::Entry;
use crate::file::{Body, Ground, Material, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "domino",
    aliases: &["dominoes"],
    summary: "A row of dominoes falls, one after the other.",
    source: "a common test of contact",
    size_of: "dominoes",
    default_size: 40,
    small_size: 6,
    build,
};

const HALF: [f64; 3] = [0.05, 0.15, 0.3];
const SPACING: f64 = 0.3;
const MASS: f64 = 1.0;
const PUSH: f64 = 2.0;

/// `size` dominoes along x; the first has been pushed.
pub fn build(size: usize) -> SceneFile {
    let notes = "Dominoes of 0.1 x 0.3 x 0.6 m, 0.3 m apart, friction 0.4; the first turns about \
                 its lower edge at 2 rad/s.";
    let mut scene = ENTRY.scene(notes, &[("mass_ratio", 1.0)]);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.4));
    for i in 0..size {
        let domino = Body::new(format!("domino{i}")).shape(Shape::cuboid(HALF)).mass(MASS);
        let domino = domino.at([SPACING * i as f64, 0.0, HALF[2]]);
        // About the edge at (HALF[0], 0, -HALF[2]) from the centre.
        let pushed = i == 0;
        scene.add(match pushed {
            true => domino.angular_velocity([0.0, PUSH, 0.0]).velocity([
                PUSH * HALF[2],
                0.0,
                PUSH * HALF[0],
            ]),
            false => domino,
        });
    }
    scene
}
