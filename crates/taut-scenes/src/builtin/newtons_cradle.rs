//! Balls on strings that pass an impact on.

use super::Entry;
use crate::file::{Body, Joint, Material, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "newtons-cradle",
    aliases: &[],
    summary: "The first of a row of hanging balls falls; the last one rises.",
    source: "Newton's cradle",
    size_of: "balls",
    default_size: 5,
    small_size: 3,
    build,
};

const RADIUS: f64 = 0.05;
const GAP: f64 = 2.5e-3;
const HEIGHT: f64 = 0.5;
const SPREAD: f64 = 0.2;
const ANGLE: f64 = std::f64::consts::FRAC_PI_4;

/// `size` balls of 0.5 kg, each on two rods that keep it in the x-z plane.
/// The first is raised by 45 degrees.
pub fn build(size: usize) -> SceneFile {
    let notes = "Strings are massless rods to anchors 0.5 m above and 0.2 m aside. The balls are \
                 2.5 mm apart, more than an impact's step, so that impacts come one at a time.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.dt = 1e-3;
    scene.material("steel", Material { restitution: 1.0, ..Material::friction(0.0) });
    for i in 0..size {
        let x = (2.0 * RADIUS + GAP) * i as f64;
        let swing = if i == 0 { ANGLE } else { 0.0 };
        let at = [x - HEIGHT * swing.sin(), 0.0, -HEIGHT * swing.cos()];
        let name = format!("ball{i}");
        let ball = Body::new(&name).shape(Shape::ball(RADIUS)).mass(0.5);
        scene.add(ball.at(at).material("steel"));
        for side in [-SPREAD, SPREAD] {
            let rod = Joint::rod("world", &name, HEIGHT.hypot(SPREAD));
            scene.join(rod.anchor_a([x, side, 0.0]).anchor_b([0.0; 3]));
        }
    }
    scene
}
