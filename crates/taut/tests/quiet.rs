//! Whatever rests, rests as quietly as a box on a plane.
mod scenes;

use scenes::*;
use std::f64::consts::FRAC_PI_2;
use taut::math::{Quat, Vec3};
use taut::{Body, Collider, Shape, World};

const MU: f64 = 0.5;

fn fixed(world: &mut World, name: &str, shape: Shape, at: Vec3, turn: Quat) {
    let body = Body::fixed(name).shape(shape).material(friction(MU));
    world.add_body(body.position(at).orientation(turn)).expect("fixed body");
}

fn free(world: &mut World, name: &str, shape: Shape, at: Vec3, turn: Quat) {
    let body = Body::dynamic(name).shape(shape).mass(10.0).material(friction(MU));
    world.add_body(body.position(at).orientation(turn)).expect("body");
}

/// After 3 s nothing moves, and for one more second nothing drifts.
fn rests(name: &str, world: &mut World) {
    let places = |world: &World| -> Vec<_> { world.bodies().map(|(_, b)| b.pose()).collect() };
    for _ in 0..180 {
        step(world, H);
    }
    let before = places(world);
    for _ in 0..60 {
        step(world, H);
        for (_, b) in world.bodies() {
            let (v, w) = (b.velocity().length(), b.angular_velocity().length());
            assert!(v < 1e-6 && w < 1e-5, "{name}: {} moves: {v} m/s, {w} rad/s", b.name());
        }
    }
    for (p, q) in before.iter().zip(places(world)) {
        let drift = p.translation.distance(q.translation);
        assert!(drift < 1e-6, "{name}: drifts {drift} m in a second");
    }
}

/// |x|, |y| ≤ 2 at z = 0, in squares of 0.5 m cut along alternating diagonals.
fn mesh() -> Shape {
    let n = 9;
    let vertices = (0..n * n)
        .map(|k| Vec3::new(0.5 * f64::from(k % n) - 2.0, 0.5 * f64::from(k / n) - 2.0, 0.0))
        .collect();
    let mut triangles = Vec::new();
    for (i, j) in (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j))) {
        let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            .map(|(i, j)| u32::try_from(i + n * j).expect("small"));
        let halves = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        triangles.extend(halves);
    }
    Shape::TriMesh { vertices, triangles }
}

#[test]
fn box_on_a_mesh_and_on_a_height_field() {
    let terrain =
        Shape::HeightField { heights: vec![0.0; 81], nx: 9, ny: 9, size_x: 4.0, size_y: 4.0 };
    for (name, ground) in [("mesh", mesh()), ("height field", terrain)] {
        for (x, angle) in [(0.0, 0.0), (0.13, 0.4), (0.25, 0.785)] {
            let mut world = World::new();
            fixed(&mut world, "ground", ground.clone(), Vec3::ZERO, Quat::IDENTITY);
            let turn = Quat::from_rotation_z(angle);
            free(&mut world, "box", cube(0.3), Vec3::new(x, 0.07, 0.3), turn);
            free(&mut world, "lid", cube(0.2), Vec3::new(x, 0.07, 0.8), Quat::IDENTITY);
            rests(name, &mut world);
        }
    }
}

#[test]
fn cylinders_on_a_plane() {
    let shape = Shape::Cylinder { half_height: 0.4, radius: 0.2 };
    let lying = Quat::from_rotation_y(FRAC_PI_2);
    for (name, z, turn) in [("standing", 0.4, Quat::IDENTITY), ("lying", 0.2, lying)] {
        let mut world = World::new();
        ground(&mut world, friction(MU));
        let oblique = Quat::from_rotation_z(0.3) * turn;
        free(&mut world, "cylinder", shape.clone(), Vec3::Z * z, oblique);
        rests(name, &mut world);
    }
}

/// Two capsules side by side between walls, a third on top of both.
#[test]
fn a_pile_of_parallel_capsules() {
    let mut world = World::new();
    let (half_length, radius) = (0.4, 0.1);
    ground(&mut world, friction(MU));
    let along_x = Quat::from_rotation_y(FRAC_PI_2);
    let spread = 0.12;
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let wall = Vec3::Y * (side * (spread + radius + 0.05));
        fixed(&mut world, &format!("{name} wall"), cuboid(1.0, 0.05, 0.2), wall, Quat::IDENTITY);
        let at = Vec3::new(0.0, side * spread, radius);
        free(&mut world, name, Shape::Capsule { half_length, radius }, at, along_x);
    }
    let rise = (4.0 * radius * radius - spread * spread).sqrt();
    let top = Vec3::new(0.05, 0.0, radius + rise);
    free(&mut world, "top", Shape::Capsule { half_length, radius }, top, along_x);
    rests("capsules", &mut world);
}

/// A capsule in a groove of two inclined planks.
#[test]
fn a_capsule_in_a_groove() {
    let mut world = World::new();
    let (half_length, radius) = (0.4, 0.1);
    let plank = |side: f64| {
        let turn = Quat::from_rotation_x(-side * 0.6);
        let at = turn * Vec3::new(0.0, side * 0.5, -0.05);
        let pose = taut::math::Pose::from_parts(at, turn);
        Collider { pose, ..Collider::new(cuboid(1.0, 0.5, 0.05)) }
    };
    let groove = Body::fixed("groove").collider(plank(-1.0)).collider(plank(1.0));
    world.add_body(groove.material(friction(MU))).expect("groove");
    let along_x = Quat::from_rotation_y(FRAC_PI_2);
    let at = Vec3::Z * (radius / 0.6_f64.cos());
    free(&mut world, "capsule", Shape::Capsule { half_length, radius }, at, along_x);
    rests("groove", &mut world);
}
