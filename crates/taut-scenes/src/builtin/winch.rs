//! A winch drags a chain over the ground and winds it up.
//!
//! Source: Lefebvre20 2.3.1.6 "winch", tables 2.1 and 2.2: a chain of 50
//! capsule links of 1 kg joined by spherical joints, dragged along the ground
//! and wound on a 400 kg winch at constant angular velocity. Mass ratio
//! 400:1, 370 rows, condition 1e8, friction 1. All else is chosen.
//!
//! What happens: the chain lies on the ground, nearly along x. Within half a
//! second the drum comes to speed and pulls it in from below; nearly all
//! links on the ground slide. By 20 s two turns are wound, side by
//! side, and the end of the chain still drags.
//!
//! Links: 0.3 m long, radius 0.04 m; links of the chain touch one another.
//! Drum: radius 0.5 m, between flanges of radius 0.9 m that are 0.8 m apart,
//! its axis along y, 1.2 m above the ground; 0.7 rad/s, at most 20 kN·m.

use super::Entry;
use super::parts::partition;
use super::parts::strand::{Coupling, Section, Strand};
use crate::file::{Body, Collider, Drive, Ground, Joint, Material, Motor, SceneFile, Shape};
use std::f64::consts::FRAC_PI_2;
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "winch",
    aliases: &[],
    summary: "A drum winds up a chain that it drags over the ground.",
    source: "Lefebvre20 2.3.1.6 (winch)",
    size_of: "links of the chain",
    default_size: 50,
    small_size: 20,
    build,
};

const LINK: f64 = 0.3;
const RADIUS: f64 = 0.04;
const DRUM_RADIUS: f64 = 0.5;
const DRUM_HEIGHT: f64 = 1.2;
const FLANGE_RADIUS: f64 = 0.9;
/// Half the distance of the flanges, and half their thickness.
const HALF_WIDTH: f64 = 0.4;
const HALF_FLANGE: f64 = 0.03;
const SPEED: f64 = 0.7;
/// Where along the drum the chain starts, and its slope against x: turns lie
/// 2π · 0.54 m · 0.04 = 0.136 m apart.
const START: f64 = -0.3;
const SLOPE: f64 = 0.04;

/// A chain of `size` links and its drum.
pub fn build(size: usize) -> SceneFile {
    let notes = "Winds at 0.7 rad/s from 0.5 s on.";
    let statistics = [("rows", 370.0), ("mass_ratio", 400.0), ("condition", 1e8)];
    let mut scene = ENTRY.scene(notes, &statistics);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(1.0));
    drum(&mut scene);
    let chain = Strand {
        prefix: "link".into(),
        mass: 1.0,
        section: Section::Round(RADIUS),
        coupling: Coupling::Ball,
        groups: None,
        material: None,
    };
    let normal = Vec3::new(-SLOPE, 1.0, 0.0);
    let mut names = chain.lay(&mut scene, &path(size.max(1)), normal, [Some("drum"), None]);
    names.insert(0, "drum".into());
    partition(&mut scene, &names, 17);
    scene
}

/// The drum is not turned itself: its cylinders are.
fn drum(scene: &mut SceneFile) {
    let across = Quat::from_rotation_x(FRAC_PI_2);
    let round = |half: f64, radius: f64, y: f64| {
        Collider::new(Shape::cylinder(half, radius)).at([0.0, y, 0.0]).oriented(across)
    };
    let aside = HALF_WIDTH + HALF_FLANGE;
    let drum = Body::new("drum").mass(400.0).at([0.0, 0.0, DRUM_HEIGHT]);
    let drum = drum.collider(round(HALF_WIDTH, DRUM_RADIUS, 0.0));
    let drum = drum.collider(round(HALF_FLANGE, FLANGE_RADIUS, aside));
    scene.add(drum.collider(round(HALF_FLANGE, FLANGE_RADIUS, -aside)));
    let axle = Joint::hinge("world", "drum").named("axle").axis_a([0.0, 1.0, 0.0]);
    scene.join(axle.motor(Motor::velocity(0.0, 2e4)));
    scene.drives.push(Drive::motor("axle", vec![(0.0, 0.0), (0.5, SPEED)]));
}

/// Points a link apart: from the lowest point of the drum down to the ground,
/// then along it.
fn path(links: usize) -> Vec<Vec3> {
    let top = Vec3::new(0.0, START, DRUM_HEIGHT - DRUM_RADIUS - RADIUS);
    let drop = top.z - RADIUS;
    // Enough links that they come down at a slope of a third.
    let slanted = (drop * 10f64.sqrt() / LINK).ceil();
    let along = ((slanted * LINK).powi(2) - drop * drop).sqrt();
    let ahead = Vec3::new(1.0, SLOPE, 0.0).normalize();
    let foot = top + ahead * along - Vec3::Z * drop;
    let point = |i: usize| match i as f64 {
        i if i < slanted => top.lerp(foot, i / slanted),
        i => foot + ahead * (LINK * (i - slanted)),
    };
    (0..=links).map(point).collect()
}
