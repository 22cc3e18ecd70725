//! A metal box breaks part of a brick wall.
//!
//! Source: Ho22 section 6.1.7, table 6.1: a static wall of bricks of 2.5 kg
//! with small gaps between them, so that nothing touches at the start, is hit
//! by a metal box of 10 kg; only part of it collapses. Mass ratio 4:1, 1,006
//! rows at most, condition number 1e9. Block pivoting alone fails here
//! (error 1.8e10). Here 996 rows at rest, 1,170 at most.
//!
//! | | value | |
//! |---|---|---|
//! | mass of a brick, of the box | 2.5 kg, 10 kg | source |
//! | brick | 215 × 102.5 × 65 mm | chosen: a British brick, 1750 kg/m³ |
//! | courses × bricks | 8 × 6 | chosen: 996 rows at rest |
//! | bond | shifted by a third of a brick | chosen: all bricks alike, no end tips over |
//! | gaps | 2 mm below, 10 mm beside | chosen: nothing touches at the start |
//! | box | cube of 108 mm | chosen: steel |
//! | flight | 15 m/s forward, hits after 1 s, five eighths up the wall | chosen |
//! | friction | 0.6 | chosen: brick on brick |

use super::Entry;
use crate::file::{Body, Ground, Material, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "wall",
    aliases: &[],
    summary: "A metal box hits a brick wall, part of which collapses.",
    source: "Ho22 6.1.7",
    size_of: "courses",
    default_size: 8,
    small_size: 4,
    build,
};

const BRICK: [f64; 3] = [0.215, 0.1025, 0.065];
const BRICK_MASS: f64 = 2.5;
/// Beside a brick, below a brick.
const GAPS: [f64; 2] = [0.01, 0.002];
const BOX_MASS: f64 = 10.0;
const BOX_EDGE: f64 = 0.108;
const BOX_SPEED: f64 = 15.0;
const HIT: f64 = 1.0;

/// `size` courses of three quarters as many bricks, along x.
pub fn build(size: usize) -> SceneFile {
    let notes = "Courses are shifted by a third of a brick; the box flies for 1 s.";
    let figures = [("mass_ratio", 4.0), ("rows", 1006.0), ("condition", 1e9)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.6));
    let length = (3 * size).div_ceil(4);
    for course in 0..size {
        let shift = if course % 2 == 0 { BRICK[0] / 6.0 } else { -BRICK[0] / 6.0 };
        for i in 0..length {
            let x = shift + (BRICK[0] + GAPS[0]) * (i as f64 - 0.5 * (length as f64 - 1.0));
            let z = GAPS[1] + 0.5 * BRICK[2] + (BRICK[2] + GAPS[1]) * course as f64;
            let brick = Body::new(format!("brick{course}-{i}")).mass(BRICK_MASS);
            scene.add(brick.shape(Shape::cuboid(BRICK.map(|x| 0.5 * x))).at([x, 0.0, z]));
        }
    }
    let z = 5.0 / 8.0 * (BRICK[2] + GAPS[1]) * size as f64 + 0.5 * BOX_EDGE;
    let y = -(0.5 * BRICK[1] + 0.5 * BOX_EDGE + BOX_SPEED * HIT);
    let metal = Body::new("box").shape(Shape::cuboid([0.5 * BOX_EDGE; 3])).mass(BOX_MASS);
    scene.add(metal.at([0.0, y, z]).velocity([0.0, BOX_SPEED, 0.5 * 9.81 * HIT]));
    scene
}
