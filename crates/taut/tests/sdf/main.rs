//! Solids that are not convex.
#![allow(clippy::print_stdout)] // which pairs, for those who look

mod forms;
mod links;
mod pairs;
mod shapes;
mod sharp;
#[path = "../splitmix/mod.rs"]
mod splitmix;

use std::f64::consts::PI;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Shape, World};

use shapes::{Mesh, block, bowl, prism, ring, solid, star, tube};

/// A ring hangs in another one, crosswise: nothing but contact holds it.
#[test]
fn rings_hang_in_one_another() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let shape = solid(ring(0.1, 0.02));
        let mut world = World::new();
        let upright = Quat::from_rotation_x(0.5 * PI);
        world
            .add_body(Body::fixed("upper").orientation(upright).shape(shape.clone()))
            .expect("sound");
        let turn = Quat::from_rotation_z(0.5 * PI) * upright;
        let lower = Body::dynamic("lower").orientation(turn).shape(shape).mass(1.0);
        let lower = world.add_body(lower.position(Vec3::new(0.0, 0.0, -0.155))).expect("sound");
        let mut deepest = 0.0_f64;
        for _ in 0..240 {
            assert!(world.step(h).expect("a step").converged());
            deepest = world.contacts().map(|c| c.gap).fold(deepest, f64::min);
        }
        let z = world.body(lower).expect("there").position().z;
        assert!((z + 0.16).abs() < 0.002, "{z}");
        assert!(deepest > -2e-3, "{deepest}");
    }
}

/// A mesh that is not convex, moved by forces, is such a solid by itself.
#[test]
fn moving_meshes_rest_on_one_another() {
    let (vertices, triangles) = ring(0.1, 0.03);
    let mut world = World::new();
    world
        .add_body(Body::fixed("table").shape(solid(block(Vec3::new(0.3, 0.3, 0.05)))))
        .expect("sound");
    let body = Body::dynamic("ring").shape(Shape::TriMesh { vertices, triangles }).mass(2.0);
    let id = world.add_body(body.position(Vec3::new(0.0, 0.0, 0.085))).expect("sound");
    for _ in 0..60 {
        assert!(world.step(1.0 / 60.0).expect("a step").converged());
    }
    let body = world.body(id).expect("there");
    assert!((body.position().z - 0.08).abs() < 1e-3, "{}", body.position().z);
    assert!(body.velocity().length() < 1e-3);
}

/// A thin plate at 100 m/s moves 1.7 m in a step: it must not pass a slab of 4 cm.
#[test]
fn fast_solids_do_not_pass() {
    let mut world = World::new();
    world
        .add_body(Body::fixed("wall").shape(solid(block(Vec3::new(0.5, 0.5, 0.02)))))
        .expect("sound");
    let shape = solid(ring(0.1, 0.02));
    let body = Body::dynamic("ring").shape(shape).mass(1.0).velocity(Vec3::new(0.0, 0.0, -100.0));
    let id = world.add_body(body.position(Vec3::new(0.0, 0.0, 0.9))).expect("sound");
    for _ in 0..10 {
        let _ = world.step(1.0 / 60.0).expect("a step");
        let z = world.body(id).expect("there").position().z;
        assert!(z > 0.02, "{z}");
    }
}

/// Steps of 1/60 s: each converges, none creates energy. Returns the deepest penetration.
fn run(world: &mut World, frames: usize) -> f64 {
    let (mut start, mut deepest) = (None, 0.0_f64);
    let (mut kinetic, mut low, mut high) = (0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..frames {
        let r = world.step(1.0 / 60.0).expect("a step");
        assert!(r.converged(), "at {} s: {:?}", r.time, r.status);
        kinetic = kinetic.max(r.kinetic_energy);
        (low, high) = (low.min(r.potential_energy), high.max(r.potential_energy));
        let gain = r.energy() - *start.get_or_insert(r.energy());
        assert!(gain <= 1e-4 * (kinetic + high - low) + 1e-9, "{gain} J at {} s", r.time);
        deepest = deepest.max(r.max_penetration);
    }
    deepest
}

fn add(world: &mut World, name: &str, shape: Shape, at: Vec3) -> BodyId {
    let name = format!("{name}{}", world.bodies().count());
    world.add_body(Body::dynamic(name).shape(shape).density(1000.0).position(at)).expect("sound")
}

fn fix(world: &mut World, shape: Shape, at: Vec3) {
    let name = format!("fixed{}", world.bodies().count());
    world.add_body(Body::fixed(name).shape(shape).position(at)).expect("sound");
}

fn at(world: &World, id: BodyId) -> Vec3 {
    world.body(id).expect("there").position()
}

fn speed(world: &World, id: BodyId) -> f64 {
    world.body(id).expect("there").velocity().length()
}

fn ground(world: &mut World) {
    fix(world, Shape::HalfSpace { normal: Vec3::Z }, Vec3::ZERO);
}

/// A star falls through a hole of its form, 2 % wider, onto the ground.
#[test]
fn a_star_falls_through_its_hole() {
    let mut world = World::new();
    ground(&mut world);
    let wide: Vec<_> = star(0.1, 0.06, 5).iter().map(|p| p.map(|x| 1.02 * x)).collect();
    fix(&mut world, solid(tube(&wide, &star(0.2, 0.2, 5), 0.0, 0.1)), Vec3::ZERO);
    let id =
        add(&mut world, "star", solid(prism(&star(0.1, 0.06, 5), -0.04, 0.04)), Vec3::Z * 0.16);
    let deepest = run(&mut world, 90);
    assert!(
        (at(&world, id).z - 0.04).abs() < 1e-4 && deepest < 1e-4,
        "{} {deepest}",
        at(&world, id)
    );
}

/// Half on the rim of a table, with a point of it over the edge: on a box and on a cylinder, whose edges it tips over.
#[test]
fn a_star_rests_on_the_rim_of_a_table() {
    let tables = [
        Shape::Box { half_extents: Vec3::new(0.2, 0.2, 0.05) },
        Shape::Cylinder { half_height: 0.05, radius: 0.2 },
    ];
    for table in tables {
        let mut world = World::new();
        fix(&mut world, table, Vec3::ZERO);
        let star = solid(prism(&star(0.1, 0.06, 5), -0.04, 0.04));
        let id = add(&mut world, "star", star, Vec3::new(0.17, 0.0, 0.12));
        let deepest = run(&mut world, 90);
        assert!(
            deepest < 1e-6 && (at(&world, id).z - 0.09).abs() < 1e-5,
            "{deepest} {}",
            at(&world, id)
        );
        assert!(speed(&world, id) < 1e-6);
    }
}

/// A ring hangs on a peg, from 1 mm to 100 m.
#[test]
fn rings_hang_on_pegs_of_any_size() {
    for size in [0.005, 1.0, 500.0] {
        let scaled = |(v, t): Mesh| solid((v.iter().map(|p| size * p).collect(), t));
        let turn = Quat::from_rotation_y(0.5 * PI);
        let mut world = World::new();
        let peg = prism(&star(0.05, 0.05, 8), -0.3, 0.3);
        world.add_body(Body::fixed("peg").orientation(turn).shape(scaled(peg))).expect("sound");
        let body = Body::dynamic("ring").orientation(turn).shape(scaled(ring(0.2, 0.03)));
        let body = body.density(1000.0).position(Vec3::new(0.0, 0.0, -0.11) * size);
        let id = world.add_body(body).expect("sound");
        // One falls by a hundredth of its size in 10 s · √(size/500).
        let frames = if size > 1.0 { 300 } else { 120 };
        let deepest = run(&mut world, frames);
        assert!(deepest < 1e-5 * size.max(0.01), "{size}: {deepest}");
        let z = at(&world, id).z / size;
        assert!(z > -0.125 && z < -0.115, "{size}: {z}");
    }
}

/// Thin bowls that lie in one another.
#[test]
fn bowls_nest() {
    let mut world = World::new();
    ground(&mut world);
    add(&mut world, "large", solid(bowl(0.2, 0.01)), Vec3::Z * 0.2);
    let id = add(&mut world, "small", solid(bowl(0.17, 0.01)), Vec3::new(0.002, 0.0, 0.2));
    let deepest = run(&mut world, 60);
    assert!(deepest < 5e-4, "{deepest}");
    let p = at(&world, id);
    assert!((p.z - 0.18).abs() < 0.005 && p.x.abs() < 0.03, "{p}");
}

/// Plates of 2 mm with a hole fly at one another at 100 m/s, 1.7 m a step: they meet, and lose most of their energy.
#[test]
fn thin_plates_do_not_pass() {
    for (aside, turn) in [(0.0, 0.0), (0.01, 0.0), (0.02, 0.7)] {
        let plate = tube(&star(0.05, 0.05, 2), &star(0.12, 0.12, 2), -0.001, 0.001);
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("finite");
        let mut bodies = [-1.0, 1.0].map(|side| {
            let turn = Quat::from_rotation_z(if side > 0.0 { turn } else { 0.0 });
            let body =
                Body::dynamic(format!("plate{side}")).shape(solid(plate.clone())).density(7850.0);
            let body = body.position(Vec3::new(aside * side, 0.0, 0.4 * side)).orientation(turn);
            world.add_body(body.velocity(Vec3::new(0.0, 0.0, -50.0 * side))).expect("sound")
        });
        let before: f64 =
            2.0 * 0.5 * 50.0_f64.powi(2) * world.body(bodies[0]).expect("there").mass();
        let report = world.step(1.0 / 60.0).expect("a step");
        assert!(report.converged());
        assert!(
            report.kinetic_energy < 0.5 * before,
            "{aside}: {} of {before}",
            report.kinetic_energy
        );
        if aside == 0.0 {
            bodies.sort_by(|a, b| at(&world, *a).z.total_cmp(&at(&world, *b).z));
            let apart = at(&world, bodies[1]).z - at(&world, bodies[0]).z;
            assert!(apart > 0.00199, "{apart}");
        }
    }
}

/// Stars that spin by a radian a step strike one another; nothing is gained. (Holds may take momentum.)
#[test]
fn spinning_stars_strike() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let shape = solid(prism(&star(0.1, 0.05, 6), -0.02, 0.02));
    let body = |x: f64| {
        Body::dynamic(format!("star{x}")).shape(shape.clone()).density(1000.0).position(Vec3::new(
            x,
            0.08 * x,
            0.0,
        ))
    };
    world.add_body(body(0.0).angular_velocity(Vec3::Z * 60.0)).expect("sound");
    let moving = body(0.25).velocity(-2.0 * Vec3::X).angular_velocity(Vec3::Z * 40.0);
    world.add_body(moving).expect("sound");
    let deepest = run(&mut world, 60);
    assert!(deepest < 2e-3, "{deepest}");
}

/// Ten thousand times as heavy as the ring it lies on.
#[test]
fn a_heavy_solid_rests_on_a_light_one() {
    let mut world = World::new();
    ground(&mut world);
    add(&mut world, "light", solid(ring(0.2, 0.05)), Vec3::Z * 0.05);
    let heavy =
        Body::dynamic("heavy").shape(solid(prism(&star(0.3, 0.28, 3), -0.1, 0.1))).mass(1e5);
    let id = world.add_body(heavy.position(Vec3::Z * 0.205)).expect("sound");
    let deepest = run(&mut world, 120);
    assert!(
        deepest < 1e-6 && (at(&world, id).z - 0.2).abs() < 1e-5,
        "{deepest} {}",
        at(&world, id)
    );
}

/// Equal cubes, corner on corner.
#[test]
fn cubes_of_triangles_stack() {
    let mut world = World::new();
    ground(&mut world);
    let cube = solid(block(Vec3::splat(0.1)));
    let ids: Vec<BodyId> = (0..4)
        .map(|i| add(&mut world, "cube", cube.clone(), Vec3::Z * (0.1 + 0.2 * f64::from(i))))
        .collect();
    let deepest = run(&mut world, 120);
    let top = at(&world, ids[3]);
    assert!(deepest < 1e-9 && (top - Vec3::Z * 0.7).length() < 1e-7, "{deepest} {top}");
}

/// On hills, with balls and boxes on top.
#[test]
fn solids_lie_on_terrain_among_others() {
    let mut world = World::new();
    let heights = (0..81).map(|i| 0.15 * (f64::from(i) * 2.3).sin().abs()).collect();
    fix(
        &mut world,
        Shape::HeightField { heights, nx: 9, ny: 9, size_x: 2.0, size_y: 2.0 },
        Vec3::ZERO,
    );
    let star = solid(prism(&star(0.1, 0.06, 5), -0.04, 0.04));
    let ids = [
        add(&mut world, "ring", solid(ring(0.2, 0.05)), Vec3::Z * 0.5),
        add(&mut world, "star", star, Vec3::new(0.1, 0.1, 0.8)),
        add(&mut world, "ball", Shape::Ball { radius: 0.1 }, Vec3::new(0.0, 0.0, 1.1)),
        add(
            &mut world,
            "box",
            Shape::Box { half_extents: Vec3::splat(0.08) },
            Vec3::new(0.2, 0.0, 1.4),
        ),
    ];
    // (2.4 mm seen: what falls on a free body sinks in for a step.)
    let deepest = run(&mut world, 150);
    assert!(deepest < 5e-3, "{deepest}");
    assert!(ids.iter().all(|&id| at(&world, id).z > 0.0), "fell through");
}

#[test]
fn meshes_that_bound_no_solid_are_errors() {
    let (vertices, triangles) = ring(0.1, 0.02);
    let error = |vertices: &[Vec3], triangles: &[[u32; 3]]| {
        let shape = Shape::Sdf { vertices: vertices.to_vec(), triangles: triangles.to_vec() };
        let mut world = World::new();
        let body = Body::dynamic("part").shape(shape).mass(1.0);
        world.add_body(body).expect_err("no solid").to_string()
    };
    let open = error(&vertices, &triangles[1..]);
    assert!(open.contains("open") && open.contains("part"), "{open}");
    let turned: Vec<_> = triangles.iter().map(|t| [t[1], t[0], t[2]]).collect();
    assert!(error(&vertices, &turned).contains("inside out"));
    let (wide, triangles) = ring(0.05, 0.08);
    assert!(error(&wide, &triangles).contains("cuts itself"));
    assert!(error(&[], &[]).contains("empty"), "{}", error(&[], &[]));
}
