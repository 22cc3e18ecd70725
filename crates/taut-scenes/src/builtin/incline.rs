//! Boxes of different friction on a slope.

use super::Entry;
use crate::file::{Body, Material, SceneFile, Shape};
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "incline",
    aliases: &[],
    summary: "Boxes on a slope slide or stay, as their friction says.",
    source: "Coulomb's law",
    size_of: "boxes",
    default_size: 8,
    small_size: 4,
    build,
};

/// Slope of the plane in rad: 20 degrees.
const SLOPE: f64 = std::f64::consts::PI / 9.0;
const HALF: f64 = 0.25;

/// `size` boxes side by side with friction from 0.1 to 0.6; those below
/// tan 20 degrees = 0.364 slide with the acceleration g (sin a - mu cos a).
pub fn build(size: usize) -> SceneFile {
    let mut scene = ENTRY.scene("Slope 20 degrees; cubes of 0.5 m and 10 kg.", &[]);
    scene.duration = 5.0;
    // A pair has the geometric mean: with 1 here, mu^2 on a box gives mu.
    scene.material("slope", Material::friction(1.0));
    let turn = Quat::from_rotation_y(SLOPE);
    let plane = Shape::HalfSpace { normal: [0.0, 0.0, 1.0] };
    scene.add(Body::fixed("slope").shape(plane).oriented(turn).material("slope"));
    for i in 0..size {
        let mu = 0.1 + 0.5 * i as f64 / (size - 1).max(1) as f64;
        let surface = format!("mu{i}");
        scene.material(&surface, Material::friction(mu * mu));
        let y = 4.0 * HALF * (i as f64 - 0.5 * (size - 1) as f64);
        let at = turn * Vec3::new(0.0, y, HALF);
        let body = Body::new(format!("box{i}")).shape(Shape::cuboid([HALF; 3]));
        scene.add(body.mass(10.0).at(at).oriented(turn).material(surface));
    }
    scene
}
