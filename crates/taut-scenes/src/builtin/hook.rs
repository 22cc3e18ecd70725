//! The eye of a sling slips into a crane hook and carries a load.
//!
//! | | value | |
//! |---|---|---|
//! | hook | bar 40 mm thick, bent to a bowl of 60 mm, its shank above | chosen |
//! | eye | ring of 16 mm bar, 70 mm wide inside | chosen |
//! | load | 500 kg on a rope of 0.5 m | chosen |
//! | friction | 0.2 | chosen |
//! | step | 1/60 s in 16 parts | with 4 the eye of 0.4 kg, struck by 500 kg, sank in by 4 mm |

use super::Entry;
use super::parts::solids::bar;
use crate::file::{Body, Joint, Material, SceneFile, Shape};
use std::f64::consts::{PI, TAU};
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "hook",
    aliases: &["crane-hook"],
    summary: "The eye of a sling drops on the tip of a crane hook, slips in and carries a load.",
    source: "Andrews22 2.3",
    size_of: "hooks",
    default_size: 1,
    small_size: 1,
    build,
};

const BOWL: f64 = 0.06;
const BAR: f64 = 0.02;
const EYE: f64 = 0.043;
const EYE_BAR: f64 = 0.008;
const ROPE: f64 = 0.5;

const LOAD: f64 = 500.0;

/// `size` hooks side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hook and eye are solids that are not convex.";
    let mut scene = ENTRY.scene(notes, &[("mass_ratio", 1242.0)]);
    scene.duration = 10.0;
    scene.settings.substeps = Some(16);
    scene.material("default", Material::friction(0.2));
    for i in 0..size {
        add(&mut scene, i, 0.5 * i as f64);
    }
    scene
}

/// A hook, the eye around its rising part with the top just above the bar, and the load.
fn add(scene: &mut SceneFile, i: usize, y: f64) {
    let [hook, eye, load] = ["hook", "eye", "load"].map(|name| format!("{name}{i}"));
    // From the shank down the back, through the bowl and up to the tip.
    let mut points: Vec<Vec3> = [0.2, 0.1, 0.05].map(|z| Vec3::new(-BOWL, 0.0, z)).into();
    points.extend((0..=16).map(|i| {
        let (s, c) = (PI + 1.15 * PI * i as f64 / 16.0).sin_cos();
        Vec3::new(BOWL * c, 0.0, BOWL * s)
    }));
    let shape = bar(&points, false, BAR, Vec3::Y, 16);
    scene.add(Body::fixed(&hook).shape(shape).at([0.0, y, 0.0]));
    let around = (0..24).map(|i| (TAU * i as f64 / 24.0).sin_cos());
    let ring: Vec<Vec3> = around.map(|(s, c)| Vec3::new(0.0, EYE * c, EYE * s)).collect();
    let shape = bar(&ring, true, EYE_BAR, Vec3::X, 12);
    let at = [0.03, y, -0.045];
    scene.add(Body::new(&eye).shape(shape).density(7850.0).at(at));
    let body = Body::new(&load).shape(Shape::cuboid([0.15; 3])).mass(LOAD);
    scene.add(body.at([at[0], y, at[2] - EYE - ROPE - 0.15]).ghost());
    let rope = Joint::rope(eye, load, ROPE).named(format!("rope{i}"));
    scene.join(rope.anchor_a([0.0, 0.0, -EYE]).anchor_b([0.0, 0.0, 0.15]));
}
