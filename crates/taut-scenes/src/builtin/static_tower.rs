//! Crossed layers of logs under a heavy block.

use super::Entry;
use crate::file::{Body, Ground, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "static-tower",
    aliases: &[],
    summary: "A tower of 160 crossed logs carries 2500 kg.",
    source: "Ho22 6.1, the tower before it is hit",
    size_of: "layers of four logs",
    default_size: 40,
    small_size: 6,
    build,
};

const LOGS: usize = 4;
const LENGTH: f64 = 2.0;
const THICKNESS: f64 = 0.2;
const LOG_MASS: f64 = 50.0;
const LOAD: f64 = 2500.0;

/// `size` layers of four logs, each across the one below, and the load.
pub fn build(size: usize) -> SceneFile {
    let notes = "Logs of 2 x 0.2 x 0.2 m and 50 kg, 0.6 m apart; the block is 2 x 2 x 1 m.";
    let mut scene = ENTRY.scene(notes, &[("mass_ratio", LOAD / LOG_MASS)]);
    scene.ground = Some(Ground::default());
    let (half, thin) = (0.5 * LENGTH, 0.5 * THICKNESS);
    let spacing = (LENGTH - THICKNESS) / (LOGS - 1) as f64;
    for layer in 0..size {
        for k in 0..LOGS {
            let side = thin - half + spacing * k as f64;
            let z = thin + THICKNESS * layer as f64;
            let (extents, at) = match layer % 2 {
                0 => ([half, thin, thin], [0.0, side, z]),
                _ => ([thin, half, thin], [side, 0.0, z]),
            };
            let log = Body::new(format!("log{layer}-{k}")).shape(Shape::cuboid(extents));
            scene.add(log.mass(LOG_MASS).at(at));
        }
    }
    let z = THICKNESS * size as f64 + 0.5;
    let block = Body::new("load").shape(Shape::cuboid([half, half, 0.5]));
    scene.add(block.mass(LOAD).at([0.0, 0.0, z]));
    scene
}
