//! A suspension bridge sways after a gust.
//!
//! Source: Peiret19 section 7.7, figures 11 to 13: 128 planks, 893 bodies,
//! 1,278 constraints, all bilateral, for measurements of scaling. The source
//! describes no more; this arrangement has these very numbers for 128 planks:
//!
//! | | bodies | joints |
//! |---|---|---|
//! | planks | 128 | 2: the first and last, hinged to the abutments |
//! | links between planks, 2 sides | 254 | 508 |
//! | hangers, 2 a plank | 256 | 512 |
//! | segments of the two main cables | 254 | 256 |
//! | the world | 1 | |
//! | together | 893 | 1278 |
//!
//! All but the two hinges are ball joints: 3,838 rows. All dimensions are
//! chosen: planks of 2 × 0.25 × 0.05 m, 20 kg (timber), 0.4 m apart; the deck
//! in a parabola with a sag of 3 % of the span, so that it can sway; main
//! cables with a sag of 10 %, 0.8 m above the deck at its middle, segments of
//! 2 kg; hangers of 1 kg; links of 0.5 kg. Mass ratio 40:1. It starts at rest,
//! except for a sideways velocity of the planks, 1 m/s in the middle and none
//! at the ends, and sways like a pendulum. Nothing collides.
//! Partitions: sections of 8 planks and what hangs on them, 16 for the 16
//! threads of the source.

use super::Entry;
use super::parts::add_partition;
use super::parts::strand::frame;
use crate::file::{Body, Joint, SceneFile, Shape};
use std::f64::consts::PI;
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "bridge",
    aliases: &[],
    summary: "A suspension bridge of planks, hangers and cables sways after a gust.",
    source: "Peiret19 7.7 (bridge)",
    size_of: "planks",
    default_size: 128,
    small_size: 16,
    build,
};

const SPACING: f64 = 0.4;
const PLANK: [f64; 3] = [0.125, 1.0, 0.025];
const PLANK_MASS: f64 = 20.0;
const LINK_MASS: f64 = 0.5;
const HANGER_MASS: f64 = 1.0;
const SEGMENT_MASS: f64 = 2.0;
const SHORTEST_HANGER: f64 = 0.8;
/// Sag of the main cables and of the deck over the span.
const SAG: f64 = 0.1;
const DECK_SAG: f64 = 0.03;
const BAR_RADIUS: f64 = 0.01;
const GUST: f64 = 1.0;
const SECTION: usize = 8;

/// `size` planks along x, at least 2.
pub fn build(size: usize) -> SceneFile {
    let size = size.max(2);
    let notes = "The arrangement has the bodies and joints of the source's figure 11.";
    let mut scene = ENTRY.scene(notes, &[("bodies", 893.0), ("joints", 1278.0)]);
    for i in 0..size {
        let first = scene.bodies.len();
        plank(&mut scene, i, size);
        for (side, y) in [("l", PLANK[1]), ("r", -PLANK[1])] {
            section(&mut scene, i, size, side, y);
        }
        let names: Vec<_> = scene.bodies[first..].iter().map(|b| b.name.clone()).collect();
        match (i % SECTION, scene.groups.last_entry()) {
            (1.., Some(mut last)) => last.get_mut().extend(names),
            _ => add_partition(&mut scene, names),
        }
    }
    joints(&mut scene, size);
    scene
}

fn plank(scene: &mut SceneFile, i: usize, size: usize) {
    let gust = GUST * (PI * i as f64 / (size - 1) as f64).sin();
    let body = Body::new(format!("plank{i}")).shape(Shape::cuboid(PLANK)).mass(PLANK_MASS);
    scene.add(body.at(deck(i, size)).velocity([0.0, gust, 0.0]).ghost());
}

/// The hanger of a plank, and the link and the segment to the next one.
fn section(scene: &mut SceneFile, i: usize, size: usize, side: &str, y: f64) {
    let across = Vec3::Y * y;
    let foot = deck(i, size) + across;
    bar(scene, &format!("hanger{i}{side}"), HANGER_MASS, foot, node(i, size) + across);
    if i + 1 < size {
        let next = deck(i + 1, size) + across - Vec3::X * PLANK[0];
        bar(scene, &format!("link{i}{side}"), LINK_MASS, foot + Vec3::X * PLANK[0], next);
        let (from, to) = (node(i, size) + across, node(i + 1, size) + across);
        bar(scene, &format!("segment{i}{side}"), SEGMENT_MASS, from, to);
    }
}

/// Centre of the i-th plank. Planks are level, links follow the slope.
fn deck(i: usize, size: usize) -> Vec3 {
    parabola(i, size, DECK_SAG)
}

/// Where the i-th hangers meet the main cables, but for y.
fn node(i: usize, size: usize) -> Vec3 {
    let span = SPACING * (size - 1) as f64;
    parabola(i, size, SAG) + Vec3::Z * (SHORTEST_HANGER + (SAG - DECK_SAG) * span)
}

/// The i-th point of a parabola between points at height 0.
fn parabola(i: usize, size: usize, sag: f64) -> Vec3 {
    let span = SPACING * (size - 1) as f64;
    let x = SPACING * i as f64;
    let s = 2.0 * x / span - 1.0;
    Vec3::new(x, 0.0, sag * span * (s * s - 1.0))
}

/// A bar from one point to another, z along it.
fn bar(scene: &mut SceneFile, name: &str, mass: f64, from: Vec3, to: Vec3) {
    let along = to - from;
    let shape = Shape::capsule(0.5 * along.length() - BAR_RADIUS, BAR_RADIUS);
    let body = Body::new(name).shape(shape).mass(mass).at(from + 0.5 * along);
    scene.add(body.oriented(frame(along, Vec3::Y)).ghost());
}

fn joints(scene: &mut SceneFile, size: usize) {
    let lengths: Vec<_> = scene.bodies.iter().map(|b| (b.name.clone(), half_length(b))).collect();
    let lengths: std::collections::BTreeMap<_, _> = lengths.into_iter().collect();
    let half = |name: &str| lengths.get(name).copied().unwrap_or(0.0);
    let mut join = |a: &str, bar: &str, end: f64| {
        scene.join(Joint::ball(a, bar).anchor_b([0.0, 0.0, end * half(bar)]));
    };
    for side in ["l", "r"] {
        for i in 0..size {
            let hanger = format!("hanger{i}{side}");
            join(&format!("plank{i}"), &hanger, -1.0);
            // The last hanger meets the end of the segment before it.
            let segment = format!("segment{}{side}", i.min(size - 2));
            join(&segment, &hanger, 1.0);
            if i + 1 == size {
                join("world", &segment, 1.0);
                continue;
            }
            let last = if i == 0 { "world".into() } else { format!("segment{}{side}", i - 1) };
            join(&last, &segment, -1.0);
            let link = format!("link{i}{side}");
            join(&format!("plank{i}"), &link, -1.0);
            join(&format!("plank{}", i + 1), &link, 1.0);
        }
    }
    for i in [0, size - 1] {
        scene.join(Joint::hinge("world", format!("plank{i}")).axis_a([0.0, 1.0, 0.0]));
    }
}

/// Half the length of a bar, from its centre to its ends.
fn half_length(body: &Body) -> f64 {
    match body.shape {
        Some(Shape::Capsule { half_length, radius }) => half_length + radius,
        _ => 0.0,
    }
}
