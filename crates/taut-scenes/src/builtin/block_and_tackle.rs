//! A weight lifts a load of many times its mass by a block and tackle.
//!
//! Source: the textbook machine. A cable without mass runs from the block or the beam through
//! `size` falls to a counterweight, which is a tenth heavier than balance asks for. What happens: the
//! load rises with (1.1 − 1) g/(1 + 1.1·falls), the counterweight sinks `falls` times as far. The
//! whole cable is one row of the problem.

use super::Entry;
use crate::file::{Body, Cable, Collider, SceneFile, Shape, Station};
use std::f64::consts::FRAC_PI_2;
use taut::math::Quat;

pub(super) const ENTRY: Entry = Entry {
    name: "block-and-tackle",
    aliases: &["tackle"],
    summary: "A small weight lifts a large one by a block and tackle.",
    source: "a textbook machine: mechanical advantage by the number of falls",
    size_of: "falls",
    default_size: 4,
    small_size: 4,
    build,
};

const RADIUS: f64 = 0.25;
const TOP: f64 = 12.0;
const LOAD: f64 = 1000.0;

/// A tackle of `size` falls.
pub fn build(size: usize) -> SceneFile {
    let notes = "A load of 1 t, a counterweight of 1.1 t over the number of falls; no friction.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.duration = 10.0;
    let n = size as f64;
    let x = |fall: usize| 2.0 * RADIUS * fall as f64 - RADIUS * (n - 1.0);
    let odd = size % 2 == 1;
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    let disc = || Collider::new(Shape::cylinder(0.04, 0.95 * RADIUS)).oriented(flat);
    let beam = Shape::cuboid([RADIUS * n + 0.5, 0.15, 0.1]);
    let mut top =
        Body::fixed("beam").at([0.0, 0.0, TOP]).collider(Collider::new(beam).at([0.0, 0.0, 0.5]));
    let half = [RADIUS * n.max(2.0), 0.12, 0.2];
    let weight = Collider::new(Shape::cuboid(half)).at([0.0, 0.0, -0.6]);
    let mut block = Body::new("load").mass(LOAD).at([0.0, 0.0, 2.0]).collider(weight);
    let first = [x(0), 0.0, 0.0];
    let mut via = vec![Station::point(if odd { "load" } else { "beam" }, first)];
    for i in 0..size {
        let above = (i % 2 == 0) == odd;
        let centre = [x(i) + RADIUS, 0.0, 0.0];
        let (body, axis) = if above { ("beam", 1.0) } else { ("load", -1.0) };
        via.push(Station::pulley(body, centre, [0.0, axis, 0.0], RADIUS));
        let on = if above { &mut top } else { &mut block };
        on.colliders.push(disc().at(centre));
    }
    scene.add(top.ghost());
    scene.add(block.ghost());
    let mass = 1.1 * LOAD / n;
    let pull = Body::new("counterweight").shape(Shape::ball(0.2)).mass(mass);
    scene.add(pull.at([x(size), 0.0, TOP - 2.0]).ghost());
    via.push(Station::point("counterweight", [0.0; 3]));
    scene.string(Cable::new("fall", via));
    scene
}
