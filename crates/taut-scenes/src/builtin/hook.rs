//! The eye of a sling slips into a crane hook and carries a load.
//!
//! | | value | |
//! |---|---|---|
//! | hook | bar 40 mm thick, bent to a bowl of 60 mm, its shank above | chosen |
//! | eye | ring of 16 mm bar, 70 mm wide inside | chosen |
//! | load | 500 kg on a rope of 0.5 m | chosen |
//! | friction | 0.2 | chosen |
//! | step | 1/60 s in 16 parts | as in `shackle-chain` |

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
    size_of: "hundreds of kilograms",
    default_size: 5,
    small_size: 1,
    build,
};

const BOWL: f64 = 0.06;
const BAR: f64 = 0.02;
const EYE: f64 = 0.043;
const EYE_BAR: f64 = 0.008;
const ROPE: f64 = 0.5;

/// A load of `size` hundred kilograms.
pub fn build(size: usize) -> SceneFile {
    let mut scene = ENTRY.scene("Hook and eye are meshes that meet by their signed distance fields.", &[]);
    scene.duration = 10.0;
    scene.settings.substeps = Some(16);
    scene.material("default", Material::friction(0.2));
    // From the shank down the back, through the bowl and up to the tip.
    let mut points = vec![Vec3::new(-BOWL, 0.0, 0.2), Vec3::new(-BOWL, 0.0, 0.1), Vec3::new(-BOWL, 0.0, 0.05)];
    points.extend((0..=16).map(|i| {
        let (s, c) = (PI + 1.15 * PI * i as f64 / 16.0).sin_cos();
        Vec3::new(BOWL * c, 0.0, BOWL * s)
    }));
    scene.add(Body::fixed("hook").shape(bar(&points, false, BAR, Vec3::Y, 16)));
    let ring: Vec<Vec3> = (0..24)
        .map(|i| {
            let (s, c) = (TAU * i as f64 / 24.0).sin_cos();
            Vec3::new(0.0, EYE * c, EYE * s)
        })
        .collect();
    // Around the rising part of the hook, its top just above the bar.
    let eye_at = [0.03, 0.0, -0.045];
    let eye = Body::new("eye").shape(bar(&ring, true, EYE_BAR, Vec3::X, 12)).density(7850.0);
    scene.add(eye.at(eye_at));
    let load = Body::new("load").shape(Shape::cuboid([0.15; 3])).mass(100.0 * size as f64);
    scene.add(load.at([eye_at[0], 0.0, eye_at[2] - EYE - ROPE - 0.15]).ghost());
    let rope = Joint::rope("eye", "load", ROPE).named("rope").anchor_a([0.0, 0.0, -EYE]);
    scene.join(rope.anchor_b([0.0, 0.0, 0.15]));
    scene
}
