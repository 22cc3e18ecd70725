//! Bodies that fall on one another do not sink in.

#[allow(dead_code)] // other tests use the rest
mod splitmix;

use splitmix::Random;
use taut::math::{Quat, Vec3};
use taut::{Body, Shape, World};

/// Pieces of one shape that fall, turned at random, onto the ground, into a bin if that has a width.
fn heap(shape: &Shape, count: usize, seed: u64, bin: f64, apart: f64) -> World {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z };
    world.add_body(Body::fixed("ground").shape(plane)).expect("sound");
    let walls = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    for (k, (x, y)) in walls.into_iter().enumerate().filter(|_| bin > 0.0) {
        let half = |e: f64| if e == 0.0 { bin + 0.1 } else { 0.05 };
        let wall = Shape::Box { half_extents: Vec3::new(half(x), half(y), 0.3) };
        let at = Vec3::new(x * (bin + 0.05), y * (bin + 0.05), 0.3);
        world.add_body(Body::fixed(format!("wall{k}")).shape(wall).position(at)).expect("sound");
    }
    let mut random = Random(seed);
    let wide = if bin > 0.0 { 0.6 * bin } else { 0.05 };
    for i in 0..count {
        let (x, y) = (random.real(-wide, wide), random.real(-wide, wide));
        let [a, b, c, d] = [(); 4].map(|()| random.real(-1.0, 1.0));
        let spin = [(); 3].map(|()| random.real(-4.0, 4.0));
        let body = Body::dynamic(format!("b{i}"))
            .shape(shape.clone())
            .density(1000.0)
            .position(Vec3::new(x, y, 0.25 + apart * i as f64))
            .orientation(Quat::from_xyzw(a, b, c, d).normalize())
            .angular_velocity(Vec3::from_array(spin));
        world.add_body(body).expect("sound");
    }
    world
}

/// The deepest penetration in so many steps of 1/60 s, none of which creates energy \[m\].
fn deepest(mut world: World, frames: usize) -> f64 {
    let (mut least, mut deepest) = (f64::INFINITY, 0.0_f64);
    let start = world.energy();
    for _ in 0..frames {
        let report = world.step(1.0 / 60.0).expect("a step");
        assert!(report.converged(), "at {} s: {:?}", report.time, report.status);
        let gain = report.energy() - least.min(start);
        assert!(gain <= 1e-4 * start, "{gain} J at {} s", report.time);
        least = least.min(report.energy());
        deepest = deepest.max(report.max_penetration);
    }
    deepest
}

/// One touches the other with an edge, lands and turns: its corner had no contact, and went up to 20 mm deep.
#[test]
fn two_boxes_fall_on_one_another() {
    let cube = Shape::Box { half_extents: Vec3::splat(0.1) };
    for seed in 0..20 {
        let deep = deepest(heap(&cube, 2, seed, 0.0, 0.4), 90);
        assert!(deep < 2e-3, "{deep} m with seed {seed}");
    }
}

/// 20 mm deep before steps with holds were halved, and missed contacts found.
#[test]
fn boxes_fall_into_a_bin() {
    let shape = Shape::Box { half_extents: Vec3::new(0.05, 0.04, 0.03) };
    let deep = deepest(heap(&shape, 12, 1, 0.2, 0.16), 90);
    assert!(deep < 4e-3, "{deep}");
}

/// 32 mm deep before.
#[test]
fn plates_fall_into_a_bin() {
    let shape = Shape::Box { half_extents: Vec3::new(0.06, 0.06, 0.005) };
    let deep = deepest(heap(&shape, 10, 4, 0.2, 0.16), 90);
    assert!(deep < 3e-3, "{deep}");
}

/// 11 mm deep before.
#[test]
fn angles_fall_into_a_bin() {
    let (a, b) = (0.06, -0.01);
    let outline = [[-a, -a], [a, -a], [a, b], [b, b], [b, a], [-a, a]];
    let ring = |z: f64| outline.map(|[x, y]| Vec3::new(x, y, z));
    let vertices = [ring(-0.02), ring(0.02)].concat();
    let mut triangles = Vec::new();
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, 6 + j], [i, 6 + j, 6 + i]]);
    }
    for i in 1..5 {
        triangles.extend([[0, i + 1, i], [6, 6 + i, 7 + i]]);
    }
    let shape = Shape::Sdf { vertices, triangles };
    let deep = deepest(heap(&shape, 10, 1, 0.2, 0.16), 90);
    assert!(deep < 5e-3, "{deep}");
}
