//! Boxes fall and form stacks, side by side.
//!
//! Source: Ho22 section 6.1.1, table 6.1: boxes of 2.5 kg fall onto the
//! ground and eventually form separate stable stacks; much static friction.
//! 12,000 rows at most, condition number 1e8. Here 12,000 at rest.
//!
//! | | value | |
//! |---|---|---|
//! | mass of a box | 2.5 kg | source |
//! | boxes per stack | 10 | chosen: stacks of some height |
//! | stacks | 100 | chosen: 1000 faces of 4 contacts, 12 rows, make the source's rows |
//! | edge of a box | 0.2 m | chosen: 310 kg/m³, a full carton |
//! | gap below each box | 0.05 m | chosen: all fall |
//! | offset, turn | 1 cm, 5° | chosen (seeded): the stacks are not perfect |
//! | distance of stacks | 0.5 m | chosen: they do not meet |
//! | friction | 0.5 | chosen |

use super::Entry;
use super::parts::random::Random;
use crate::file::{Body, Ground, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "boxes",
    aliases: &[],
    summary: "Boxes fall onto the ground and form separate stacks of ten.",
    source: "Ho22 6.1.1",
    size_of: "stacks",
    default_size: 100,
    small_size: 4,
    build,
};

const MASS: f64 = 2.5;
const EDGE: f64 = 0.2;
const GAP: f64 = 0.05;
const PER_STACK: usize = 10;
const DISTANCE: f64 = 0.5;
const OFFSET: f64 = 0.01;
const TURN: f64 = 0.0873;

/// `size` stacks on a square grid.
pub fn build(size: usize) -> SceneFile {
    let notes = "Stacks of 10; 0.2 m cubes, 5 cm apart, up to 1 cm and 5 degrees off.";
    let mut scene = ENTRY.scene(notes, &[("rows", 12_000.0), ("condition", 1e8)]);
    scene.ground = Some(Ground::default());
    let mut random = Random::new(1);
    let columns = (size as f64).sqrt().ceil().max(1.0) as usize;
    for stack in 0..size {
        let corner = [stack % columns, stack / columns].map(|i| DISTANCE * i as f64);
        for level in 0..PER_STACK {
            let x = corner[0] + random.between(-OFFSET, OFFSET);
            let y = corner[1] + random.between(-OFFSET, OFFSET);
            let z = 0.5 * EDGE + GAP + (EDGE + GAP) * level as f64;
            let turn = random.between(-TURN, TURN);
            let body = Body::new(format!("box{stack}-{level}")).mass(MASS).at([x, y, z]);
            scene.add(body.shape(Shape::cuboid([0.5 * EDGE; 3])).turned([0.0, 0.0, 1.0], turn));
        }
    }
    scene
}
