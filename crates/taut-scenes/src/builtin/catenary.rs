//! A chain that hangs between two points.

use super::Entry;
use crate::file::{Body, Joint, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "catenary",
    aliases: &[],
    summary: "A chain hangs at rest between two points.",
    source: "the polygon of equal links in equilibrium",
    size_of: "links",
    default_size: 60,
    small_size: 10,
    build,
};

const LENGTH: f64 = 12.0;
const SPAN: f64 = 8.0;
const DENSITY: f64 = 2.0;

/// `size` links, 12 m in all, between points 8 m apart, in equilibrium: the
/// tangents of the links' slopes form an arithmetic series.
pub fn build(size: usize) -> SceneFile {
    let size = size.max(2);
    let notes = "12 m of 2 kg/m between points 8 m apart; starts in equilibrium.";
    let mut scene = ENTRY.scene(notes, &[("mass_ratio", 1.0)]);
    let link = LENGTH / size as f64;
    let angles = slopes(size);
    let (mut x, mut z) = (-0.5 * SPAN, 0.0);
    let mut last = ("world".to_string(), [x, 0.0, z]);
    for (i, angle) in angles.iter().enumerate() {
        let (dx, dz) = (link * angle.cos(), link * angle.sin());
        let name = format!("link{i}");
        let half = 0.5 * link;
        let body = Body::new(&name).shape(Shape::cuboid([half, 0.02, 0.02]));
        let body = body.mass(DENSITY * link).turned([0.0, 1.0, 0.0], -angle).ghost();
        scene.add(body.at([x + 0.5 * dx, 0.0, z + 0.5 * dz]));
        scene.join(Joint::ball(last.0, &name).anchor_a(last.1).anchor_b([-half, 0.0, 0.0]));
        last = (name, [half, 0.0, 0.0]);
        (x, z) = (x + dx, z + dz);
    }
    let end = Joint::ball("world", last.0).anchor_a([x, 0.0, z]).anchor_b(last.1);
    scene.join(end);
    scene
}

/// Angles of the links: tan = (i - middle) k, with k such that they span
/// [`SPAN`], found by bisection.
fn slopes(size: usize) -> Vec<f64> {
    let middle = 0.5 * (size - 1) as f64;
    let angles = |k: f64| (0..size).map(move |i| ((i as f64 - middle) * k).atan());
    let width = |k: f64| LENGTH / size as f64 * angles(k).map(f64::cos).sum::<f64>();
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let k = 0.5 * (low + high);
        if width(k) > SPAN {
            low = k;
        } else {
            high = k;
        }
    }
    angles(0.5 * (low + high)).collect()
}
