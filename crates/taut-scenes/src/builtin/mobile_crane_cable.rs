//! The mobile crane with a hoist cable without mass.
//!
//! Source: `mobile-crane`, whose links become one cable of the same length and stiffness. What
//! happens is the same.

use super::{Entry, mobile_crane};
use crate::file::{Body, SceneFile, Shape};
use std::f64::consts::FRAC_PI_2;

pub(super) const ENTRY: Entry = Entry {
    name: "mobile-crane-cable",
    aliases: &[],
    summary: "The mobile crane with a hoist cable that is a single row.",
    source: "mobile-crane, with a cable in place of links",
    size_of: "pipes",
    default_size: 1,
    small_size: 1,
    build,
};

/// Links of `mobile-crane` that the cable is as long as.
const LINKS: usize = 35;

/// A crane and `size` pipes, one of which it lifts.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hook down to 2 s, hoists 3 s to 9 s, luffs to 14 s, slews to 19 s.";
    let mut scene = mobile_crane::with_cable(ENTRY.scene(notes, &[]), LINKS);
    for i in 1..size {
        let pipe = Body::new(format!("pipe{i}")).shape(Shape::cylinder(1.5, 0.55)).mass(2000.0);
        scene.add(pipe.at([-10.0 - 1.5 * i as f64, 0.0, 0.55]).turned([1.0, 0.0, 0.0], FRAC_PI_2));
    }
    scene
}
