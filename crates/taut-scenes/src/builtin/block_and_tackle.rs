//! A weight lifts a load of many times its mass by a block and tackle.
//!
//! Source: the textbook machine. A cable without mass runs from the beam through four or more
//! falls to a counterweight, which is a tenth heavier than balance asks for. What happens: the
//! load rises with (1.1 − 1) g/(1 + 1.1·falls), the counterweight sinks as many times as far. The
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
    size_of: "tackles",
    default_size: 1,
    small_size: 1,
    build,
};

const RADIUS: f64 = 0.25;
const TOP: f64 = 12.0;
const LOAD: f64 = 1000.0;

/// `size` tackles side by side, of 4, 6, 8, ... 12 falls.
pub fn build(size: usize) -> SceneFile {
    let notes = "Loads of 1 t, counterweights of 1.1 t over the number of falls; no friction.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.duration = 10.0;
    for i in 0..size {
        tackle(&mut scene, i, 4 + 2 * (i % 5));
    }
    scene
}

fn tackle(scene: &mut SceneFile, i: usize, falls: usize) {
    let (n, y) = (falls as f64, 3.0 * i as f64);
    let [beam, load, counter] = ["beam", "load", "counterweight"].map(|name| format!("{name}{i}"));
    let x = |fall: usize| 2.0 * RADIUS * fall as f64 - RADIUS * (n - 1.0);
    let flat = Quat::from_rotation_x(FRAC_PI_2);
    let disc = || Collider::new(Shape::cylinder(0.04, 0.95 * RADIUS)).oriented(flat);
    let bar = Collider::new(Shape::cuboid([RADIUS * n + 0.5, 0.15, 0.1])).at([0.0, 0.0, 0.5]);
    let mut top = Body::fixed(&beam).at([0.0, y, TOP]).collider(bar);
    let weight = Collider::new(Shape::cuboid([RADIUS * n, 0.12, 0.2])).at([0.0, 0.0, -0.6]);
    let mut block = Body::new(&load).mass(LOAD).at([0.0, y, 2.0]).collider(weight);
    let mut via = vec![Station::point(&beam, [x(0), 0.0, 0.0])];
    for fall in 0..falls {
        let centre = [x(fall) + RADIUS, 0.0, 0.0];
        let above = fall % 2 == 1;
        let (body, axis) = if above { (&beam, 1.0) } else { (&load, -1.0) };
        via.push(Station::pulley(body, centre, [0.0, axis, 0.0], RADIUS));
        let on = if above { &mut top } else { &mut block };
        on.colliders.push(disc().at(centre));
    }
    scene.add(top.ghost());
    scene.add(block.ghost());
    let pull = Body::new(&counter).shape(Shape::ball(0.2)).mass(1.1 * LOAD / n);
    scene.add(pull.at([x(falls), y, TOP - 2.0]).ghost());
    via.push(Station::point(&counter, [0.0; 3]));
    scene.string(Cable::new(format!("fall{i}"), via));
}
