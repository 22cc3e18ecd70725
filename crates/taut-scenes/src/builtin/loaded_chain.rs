//! A light chain, held at one end, with a heavy box at the other.

use super::Entry;
use crate::file::{Body, Joint, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "loaded-chain",
    aliases: &[],
    summary: "A chain of light links swings down with 500 kg at its end.",
    source: "a common test of mass ratios",
    size_of: "links",
    default_size: 100,
    small_size: 20,
    build,
};

const LINK: f64 = 0.1;
const LINK_MASS: f64 = 0.25;
const LOAD: f64 = 500.0;
const LOAD_HALF: f64 = 0.25;

/// `size` links along x, then the load. Nothing collides.
pub fn build(size: usize) -> SceneFile {
    let statistics = [("mass_ratio", LOAD / LINK_MASS)];
    let mut scene = ENTRY.scene("Starts horizontal and at rest.", &statistics);
    let mut last = "world".to_string();
    for i in 0..=size {
        let link = i < size;
        let half = if link { 0.5 * LINK } else { LOAD_HALF };
        let (name, mass, shape) = match link {
            true => (format!("link{i}"), LINK_MASS, Shape::cuboid([half, 0.01, 0.01])),
            false => ("load".into(), LOAD, Shape::cuboid([half; 3])),
        };
        let x = LINK * i as f64;
        scene.add(Body::new(&name).shape(shape).mass(mass).at([x + half, 0.0, 0.0]).ghost());
        let anchor = if i == 0 { 0.0 } else { 0.5 * LINK };
        let joint = Joint::ball(last, &name).anchor_a([anchor, 0.0, 0.0]);
        scene.join(joint.anchor_b([-half, 0.0, 0.0]));
        last = name;
    }
    scene
}
