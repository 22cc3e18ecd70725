//! A pile of rocks is pushed by a light shovel.
//!
//! Source: Peiret19 section 7.1 "rock pile", tables 2 to 4; Ho22 section
//! 6.1.6, table 6.1: rocks of 80 to 250 kg fall onto the ground in a pile,
//! which a stiff, lightweight shovel of 1 kg pushes. Mass ratio 250:1, 1,800
//! rows at most, condition number 1e9; of the interface 1.5e4. Partitions of
//! at most 16 bodies by minimum degree, anew in each step: none are named
//! here. Table 4 counts 12 partitions of up to 16 bodies: 120 to 190 rocks.
//! Here 1,600 rows when the pile rests.
//!
//! | | value | |
//! |---|---|---|
//! | masses | 80 to 250 kg (seeded), 1 kg | source |
//! | rocks | 120 | chosen: about the source's rows and partitions |
//! | shape | hull of 14 points (seeded) near an ellipsoid with axes 0.7 to 1.3 | chosen |
//! | density | 2600 kg/m³ | chosen: granite |
//! | start | layers of 5 × 4, 0.8 m apart; of 5k × 4k where k³ > 1 times the rocks are asked for | chosen: no two touch |
//! | shovel | 6 × 1.2 × 0.06 m, on a slider with a motor of 200 kN | chosen: stiff |
//! | push | 0.5 m/s from 4 s to 16 s | chosen: through the pile |
//! | friction | 0.5 | chosen |

use super::Entry;
use super::parts::random::Random;
use crate::file::{Body, Drive, Ground, Joint, Motor, SceneFile, Shape};
use std::f64::consts::TAU;
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "rocks",
    aliases: &["rock-pile"],
    summary: "A pile of rocks is pushed along the ground by a light, stiff shovel.",
    source: "Ho22 6.1.6; Peiret19 7.1 (rock pile)",
    size_of: "rocks",
    default_size: 120,
    small_size: 10,
    build,
};

const MASSES: [f64; 2] = [80.0, 250.0];
const DENSITY: f64 = 2600.0;
const POINTS: usize = 14;
const SPACING: f64 = 0.8;
const SHOVEL: [f64; 3] = [0.03, 3.0, 0.6];
const SHOVEL_MASS: f64 = 1.0;
const SHOVEL_START: f64 = -4.0;
const CLEARANCE: f64 = 0.01;
const SPEED: f64 = 0.5;
const FORCE: f64 = 2e5;

/// `size` rocks in layers of 5 × 4, pushed towards +x. Larger piles grow in
/// all directions.
pub fn build(size: usize) -> SceneFile {
    let notes = "Rocks are seeded hulls of granite; the shovel pushes from 4 s to 16 s.";
    let figures = [("mass_ratio", 250.0), ("rows", 1800.0), ("condition", 1e9)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.ground = Some(Ground::default());
    let mut random = Random::new(7);
    let k = (size as f64 / ENTRY.default_size as f64).cbrt().round().max(1.0) as usize;
    let (nx, ny) = (5 * k, 4 * k);
    let middle = |n: usize| 0.5 * (n - 1) as f64;
    for i in 0..size {
        let (x, y, z) = (i % nx, i / nx % ny, i / (nx * ny));
        let cell = Vec3::new(x as f64 - middle(nx), y as f64 - middle(ny), z as f64 + 0.6);
        scene.add(rock(&mut random, i).at(cell * SPACING));
    }
    let blade = Body::new("shovel").shape(Shape::cuboid(SHOVEL)).mass(SHOVEL_MASS);
    scene.add(blade.at([SHOVEL_START, 0.0, SHOVEL[2] + CLEARANCE]));
    let rail = Joint::slider("world", "shovel").named("push").axis_a([1.0, 0.0, 0.0]);
    scene.join(rail.motor(Motor::velocity(0.0, FORCE)));
    let keys = vec![(4.0, 0.0), (4.5, SPEED), (16.0, SPEED), (16.5, 0.0)];
    scene.drives.push(Drive::motor("push", keys));
    scene
}

/// A hull of points near an ellipsoid, turned at random. The mass comes from
/// the volume of the ellipsoid, of which a hull of 14 points fills about a
/// half.
fn rock(random: &mut Random, number: usize) -> Body {
    let mass = random.between(MASSES[0], MASSES[1]);
    let axes = Vec3::new(1.0, random.between(0.8, 1.3), random.between(0.7, 1.0));
    let volume = 0.5 * (2.0 / 3.0) * TAU * axes.x * axes.y * axes.z;
    let scale = (mass / (DENSITY * volume)).cbrt();
    let points = (0..POINTS).map(|k| {
        // Evenly spread over the sphere, then moved a little.
        let z = 1.0 - (2 * k + 1) as f64 / POINTS as f64;
        let angle = TAU * 0.618_034 * k as f64 + random.between(-0.4, 0.4);
        let r = (1.0 - z * z).sqrt();
        let p = Vec3::new(r * angle.cos(), r * angle.sin(), z) * random.between(0.85, 1.1);
        (p * axes * scale).into()
    });
    let shape = Shape::ConvexHull { points: points.collect() };
    let axis = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.3);
    let turn = Quat::from_scaled_axis(axis.normalize_or_zero() * random.between(0.0, TAU));
    Body::new(format!("rock{number}")).shape(shape).mass(mass).oriented(turn)
}
