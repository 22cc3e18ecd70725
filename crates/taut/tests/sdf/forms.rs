//! Non-convex solids against closed forms.

use super::shapes::{Mesh, prism, ring, solid, star, tube};
use super::{add, at, fix, ground, run, speed};
use std::f64::consts::PI;
use taut::math::{Quat, Vec3};
use taut::{Body, Frame, Joint, Material, Motor, World};

const G: f64 = 9.81;

/// Without friction.
fn smooth() -> Material {
    Material { friction: 0.0, ..Material::default() }
}

fn wider(outline: &[[f64; 2]], by: f64) -> Vec<[f64; 2]> {
    outline.iter().map(|p| p.map(|x| by * x)).collect()
}

/// A polygon without a point that sees all others, from −half to +half along z, by the triangles of its lid.
fn slab(outline: &[[f64; 2]], lid: &[[u32; 3]], half: f64) -> Mesh {
    let n = outline.len() as u32;
    let ring = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z));
    let vertices = ring(-half).chain(ring(half)).collect();
    let sides = (0..n).flat_map(|i| {
        let j = (i + 1) % n;
        [[i, j, n + j], [i, n + j, n + i]]
    });
    let lids = lid.iter().flat_map(|&[a, b, c]| [[a, c, b], [n + a, n + b, n + c]]);
    (vertices, sides.chain(lids).collect())
}

/// A key falls freely through its lock, and cannot turn in it.
#[test]
fn a_key_falls_through_its_lock() {
    let key = [
        [0.03, -0.01],
        [0.05, -0.01],
        [0.05, 0.01],
        [0.03, 0.01],
        [0.02, 0.03],
        [-0.03, 0.03],
        [-0.03, -0.03],
        [0.02, -0.03],
    ];
    let around = key.map(|[x, y]: [f64; 2]| {
        let (s, c) = y.atan2(x).sin_cos();
        [0.08 * c, 0.08 * s]
    });
    let lock = solid(tube(&wider(&key, 1.01), &around, -0.5, 0.5));
    let key = Body::dynamic("key").shape(solid(prism(&key, -0.1, 0.1))).density(1000.0);
    let mut world = World::new();
    world.add_body(Body::fixed("lock").shape(lock.clone()).material(smooth())).expect("sound");
    let falling = key.clone().material(smooth()).position(Vec3::Z * 0.4);
    let id = world.add_body(falling).expect("sound");
    let deepest = run(&mut world, 18);
    let t = world.time();
    assert!((at(&world, id).z - (0.4 - 0.5 * G * t * t)).abs() < 1e-9 && deepest < 1e-9);

    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    fix(&mut world, lock, Vec3::ZERO);
    let id = world.add_body(key.angular_velocity(Vec3::Z * 20.0)).expect("sound");
    let deepest = run(&mut world, 30);
    let turned = world.body(id).expect("there").orientation().to_scaled_axis().length();
    assert!(turned < 0.05 && deepest < 1e-6, "{turned} {deepest}");
}

/// A T hangs by its arms in a slot, and slides along it where that is inclined.
#[test]
fn a_slider_hangs_in_its_slot() {
    let slot = [
        [-0.06, -0.05],
        [0.06, -0.05],
        [0.06, 0.05],
        [0.011, 0.05],
        [0.011, 0.02],
        [0.041, 0.02],
        [0.041, -0.021],
        [-0.041, -0.021],
        [-0.041, 0.02],
        [-0.011, 0.02],
        [-0.011, 0.05],
        [-0.06, 0.05],
    ];
    let lid = [
        [0, 1, 6],
        [0, 6, 7],
        [1, 5, 6],
        [1, 2, 5],
        [2, 4, 5],
        [2, 3, 4],
        [0, 7, 8],
        [0, 8, 11],
        [8, 9, 11],
        [9, 10, 11],
    ];
    let tee = [
        [-0.04, -0.02],
        [0.04, -0.02],
        [0.04, 0.019],
        [0.01, 0.019],
        [0.01, 0.08],
        [-0.01, 0.08],
        [-0.01, 0.019],
        [-0.04, 0.019],
    ];
    let tee_lid = [[0, 1, 2], [0, 2, 3], [0, 3, 6], [0, 6, 7], [3, 4, 5], [3, 5, 6]];
    for slope in [0.0, 0.3_f64] {
        // Its opening down, along x.
        let turn = Quat::from_rotation_y(slope)
            * Quat::from_rotation_x(PI)
            * Quat::from_rotation_z(0.5 * PI)
            * Quat::from_rotation_x(0.5 * PI);
        let mut world = World::new();
        let body = Body::fixed("slot").shape(solid(slab(&slot, &lid, 1.0))).material(smooth());
        world.add_body(body.orientation(turn)).expect("sound");
        let body = Body::dynamic("tee").shape(solid(slab(&tee, &tee_lid, 0.1))).density(1000.0);
        let id = world.add_body(body.material(smooth()).orientation(turn)).expect("sound");
        // Falls by 1 mm first.
        let deepest = run(&mut world, 6);
        let (from, v, start) = (at(&world, id), speed(&world, id), world.time());
        let deepest = deepest.max(run(&mut world, 24));
        let t = world.time() - start;
        let way = at(&world, id).distance(from);
        let exact = v * t + 0.5 * G * slope.sin() * t * t;
        assert!((way - exact).abs() < 1e-6 && deepest < 1e-6, "{way} {exact} {deepest}");
    }
}

/// A ring slides down a slope without friction.
#[test]
fn a_ring_slides_down_a_slope() {
    let turn = Quat::from_rotation_y(0.3);
    let mut world = World::new();
    let plate = [[-3.0, -1.0], [3.0, -1.0], [3.0, 1.0], [-3.0, 1.0]];
    let body = Body::fixed("slope").shape(solid(prism(&plate, -0.05, 0.05))).material(smooth());
    world.add_body(body.orientation(turn)).expect("sound");
    let body = Body::dynamic("ring").shape(solid(ring(0.2, 0.05))).density(1000.0);
    let body = body.material(smooth());
    let start = turn * (0.1 * Vec3::Z);
    let id = world.add_body(body.orientation(turn).position(start)).expect("sound");
    let deepest = run(&mut world, 40);
    let t = world.time();
    let way = at(&world, id).distance(start);
    let exact = 0.5 * G * 0.3_f64.sin() * t * t;
    assert!((way - exact).abs() < 1e-6 && deepest < 1e-6, "{way} {exact} {deepest}");
}

/// A star-shaped shaft drives a hub around it.
#[test]
fn a_shaft_drives_its_hub() {
    let outline = star(0.05, 0.035, 8);
    let mut world = World::new();
    let shaft = add(&mut world, "shaft", solid(prism(&outline, -0.1, 0.1)), Vec3::ZERO);
    let hub = solid(tube(&wider(&outline, 1.01), &star(0.09, 0.09, 8), -0.04, 0.04));
    let hub = add(&mut world, "hub", hub, Vec3::ZERO);
    for (name, body, target, most) in [("drive", shaft, 10.0, 100.0), ("load", hub, 0.0, 5.0)] {
        let axle = Joint::hinge(name, Frame::World, body).axis_a(Vec3::Z);
        world.add_joint(axle.motor(Motor::velocity(target, most))).expect("sound");
    }
    for _ in 0..40 {
        assert!(world.step(1.0 / 240.0).expect("a step").converged());
    }
    for _ in 0..40 {
        let report = world.step(1.0 / 240.0).expect("a step");
        assert!(report.converged() && report.max_penetration < 1e-6);
        let rate = world.body(hub).expect("there").angular_velocity().z;
        assert!((rate - 10.0).abs() < 1e-3, "{rate}");
    }
}

/// Stars that tumble onto the ground do not sink in, and lie on it at last. (They stayed 20 mm deep.)
#[test]
fn tumbling_stars_lie_on_the_ground() {
    let shape = solid(prism(&star(0.035, 0.02, 5), -0.012, 0.012));
    for i in 0..6 {
        let mut world = World::new();
        ground(&mut world);
        let a = f64::from(i);
        let turn = Quat::from_scaled_axis(Vec3::new(1.0, a, 2.0 - a));
        let spin = 40.0 * Vec3::new(a.sin(), a.cos(), 0.3 * a);
        let body = Body::dynamic("star").shape(shape.clone()).density(1000.0).orientation(turn);
        let body = body.position(Vec3::Z * 0.2).velocity(-3.0 * Vec3::Z).angular_velocity(spin);
        let id = world.add_body(body).expect("sound");
        let deepest = run(&mut world, 120);
        assert!(deepest < 5e-4, "{i}: {deepest}");
        let z = at(&world, id).z;
        assert!((0.012 - 1e-4..0.036).contains(&z), "{i}: {z}");
    }
}
