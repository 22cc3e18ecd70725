//! Writes an ordinary pile as a scene file: boxes of one size and mass, turned at random, dropped
//! onto the ground in layers of six by six.
//!
//! `cargo run --release -p taut-scenes --example pile -- 288 > pile.json`, then
//! `taut run pile.json --accuracy 1e-3`.
#![allow(clippy::print_stdout)]

use taut_scenes::file::{Body, Ground, SceneFile, Shape};

const EDGE: f64 = 0.4;
const PITCH: f64 = 0.72;
const ACROSS: usize = 6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = std::env::args().nth(1).map_or(Ok(288), |n| n.parse())?;
    println!("{}", pile(count).to_json()?);
    Ok(())
}

fn pile(count: usize) -> SceneFile {
    let mut scene = SceneFile { name: Some(format!("pile of {count}")), ..SceneFile::default() };
    scene.ground = Some(Ground::default());
    scene.duration = 10.0;
    let mut random = Random(7);
    for i in 0..count {
        let (layer, place) = (i / (ACROSS * ACROSS), i % (ACROSS * ACROSS));
        let [x, y] = [place % ACROSS, place / ACROSS].map(|k| PITCH * k as f64);
        let z = 0.5 + PITCH * layer as f64;
        let axis = [random.signed(), random.signed(), random.signed() + 1.5];
        let body = Body::new(format!("box{i}")).mass(1.0).at([x, y, z]);
        scene.add(body.shape(Shape::cuboid([0.5 * EDGE; 3])).turned(axis, 3.0 * random.signed()));
    }
    scene
}

/// A linear congruential generator, so that the file is always the same.
struct Random(u64);

impl Random {
    /// Between −1 and 1.
    fn signed(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
