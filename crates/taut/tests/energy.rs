//! Steps create no energy: what is neither motor nor user puts nothing in.
mod scenes;

use scenes::*;
use std::f64::consts::PI;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Frame, Joint, Material, Shape, World};

/// Runs on, with every step sound; returns the loss as a share of the energy that moved.
fn run(world: &mut World, h: f64, time: f64, what: &str) -> f64 {
    let start = world.energy();
    let (mut moved, steps) = (0.0_f64, (time / h).round() as usize);
    for _ in 0..steps {
        let report = step(world, h);
        let (gain, allowed) = (report.energy_gain, report.energy_tolerance);
        assert!(!report.gained_energy(), "{what}, t = {}: {gain} J of {allowed} J", report.time);
        assert!(!report.is_torn(), "{what}, t = {}: torn", report.time);
        moved = moved.max(report.kinetic_energy);
    }
    (start - world.energy()) / moved
}

fn capsule(world: &mut World, ends: [Vec3; 2], radius: f64, mass: f64, mu: f64) -> BodyId {
    let name = format!("link{}", world.bodies().count());
    let [p, q] = ends;
    let shape = Shape::Capsule { half_length: 0.5 * p.distance(q), radius };
    let turn = Quat::from_rotation_arc(Vec3::Z, (q - p).normalize());
    let body = Body::dynamic(name).shape(shape).mass(mass).material(friction(mu));
    world.add_body(body.position(0.5 * (p + q)).orientation(turn)).expect("link")
}

/// A rope of light links over a fixed drum with a load at either end.
fn rope(link: f64, loads: [f64; 2], mu: f64, n: usize, drum: f64) -> World {
    let (radius, turn) = (0.02, PI / n as f64);
    let mut world = World::new();
    let body = Body::fixed("drum").shape(Shape::Cylinder { half_height: 0.3, radius: drum });
    let lying = Quat::from_rotation_x(0.5 * PI);
    world.add_body(body.orientation(lying).material(friction(mu))).expect("drum");
    let corner = |k: usize| {
        let angle = PI + (0.5 - k as f64) * turn;
        Vec3::new(angle.cos(), 0.0, angle.sin()) * ((drum + radius) / (0.5 * turn).cos())
    };
    let length = corner(0).distance(corner(1));
    let down = |from: Vec3, k: usize| from - Vec3::Z * (length * k as f64);
    let mut corners: Vec<Vec3> = (1..=4).rev().map(|k| down(corner(0), k)).collect();
    corners.extend((0..=n).map(corner));
    corners.extend((1..=4).map(|k| down(corner(n), k)));
    let load = |world: &mut World, mass: f64, at: Vec3| {
        let name = format!("load{}", world.bodies().count());
        let body = Body::dynamic(name).shape(cube(0.15)).mass(mass).collides(false);
        world.add_body(body.position(at - Vec3::Z * 0.15)).expect("load")
    };
    let mut last = load(&mut world, loads[0], corners[0]);
    for ends in corners.windows(2) {
        let id = capsule(&mut world, [ends[0], ends[1]], radius, link, mu);
        let at = Vec3::Z * (-0.5 * length);
        world.add_joint(Joint::ball(format!("j{id:?}"), last, id).anchor_b(at)).expect("joint");
        last = id;
    }
    let end = load(&mut world, loads[1], corners[corners.len() - 1]);
    let at = Vec3::Z * (0.5 * length);
    world.add_joint(Joint::ball("last", last, end).anchor_a(at)).expect("joint");
    world
}

/// Links rock on the drum: without the curvature of the contact the rocking grows, links sink
/// in by centimetres, and pushing them out against the tension throws the loads.
#[test]
fn a_light_rope_slides_over_a_drum() {
    for (link, loads, mu, h) in [
        (0.1, [100.0, 400.0], 0.3, 1.0 / 60.0),
        (0.1, [100.0, 400.0], 0.0, 1.0 / 60.0),
        (0.1, [100.0, 400.0], 0.3, 1.0 / 240.0),
        (0.02, [2.0, 20.0], 0.1, 1.0 / 30.0),
        (2.0, [500.0, 2000.0], 0.6, 1.0 / 60.0),
        (0.02, [18.0, 20.0], 0.3, 1.0 / 60.0),
    ] {
        let mut world = rope(link, loads, mu, 6, 0.5);
        let what = format!("{link} kg, {loads:?} kg, mu {mu}, h {h}");
        run(&mut world, h, 1.0, &what);
    }
    let mut world = rope(0.05, [5.0, 50.0], 0.2, 12, 0.25);
    run(&mut world, 1.0 / 1000.0, 0.2, "short steps");
}

/// Where nothing rubs, energy stays, too.
#[test]
fn a_double_pendulum_swings_on() {
    for (links, half, most) in
        [(1, 0.5, 0.01), (2, 0.5, 0.01), (3, 0.5, 0.01), (1, 0.05, 0.05), (3, 0.05, 0.05)]
    {
        let mut world = World::new();
        let mut last = Frame::World;
        for i in 0..links {
            let shape = cuboid(half, 0.1 * half, 0.1 * half);
            let body = Body::dynamic(format!("link{i}")).shape(shape).mass(1.0);
            let body = body.position(Vec3::X * half * (1.0 + 2.0 * i as f64)).collides(false);
            let id = world.add_body(body).expect("link");
            let at = if i == 0 { Vec3::ZERO } else { Vec3::X * half };
            let joint = Joint::ball(format!("joint{i}"), last, id).anchor_a(at);
            world.add_joint(joint).expect("joint");
            last = id.into();
        }
        let what = format!("{links} links of {} m", 2.0 * half);
        let loss = run(&mut world, H, 10.0, &what);
        assert!(loss < most, "{what} lost {loss} of the energy that moved");
    }
}

/// Two bodies that a joint holds and that move against it meet without a bounce: what they lose
/// is not given back.
#[test]
fn a_kick_is_an_impact() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("gravity");
    let add = |world: &mut World, name: &str, x: f64| {
        let body = Body::dynamic(name).shape(cube(0.1)).mass(1.0).collides(false);
        world.add_body(body.position(Vec3::X * x)).expect("body")
    };
    let (a, b) = (add(&mut world, "a", -0.2), add(&mut world, "b", 0.2));
    world.add_joint(Joint::weld("weld", a, b).anchor_a(Vec3::X * 0.2)).expect("weld");
    world.set_velocity(a, Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO).expect("velocity");
    step(&mut world, H);
    // Half of each momentum; across the line between them they turn about their centre.
    let square = 2.0 * (0.2_f64.powi(2) + 0.04 / 6.0);
    let spin = 0.2 * 1.0 / square;
    let exact = 0.5 + 0.5 * square * spin * spin;
    let kinetic = world.energy();
    assert!((kinetic - exact).abs() < 1e-3 * exact, "{kinetic} J of {exact} J");
}

/// A heavy body sinks into a light one by compliance; lifting it again is not free.
#[test]
fn stacks_of_1_g_to_10_t_create_nothing() {
    for n in [3, 8] {
        let mut world = World::new();
        world.settings_mut().friction = taut::FrictionMode::Cone;
        ground(&mut world, friction(0.5));
        for i in 0..n {
            let mass = 1e-3 * 1e7_f64.powf(f64::from(i) / f64::from(n - 1));
            let body = Body::dynamic(format!("box{i}")).shape(cube(0.5)).mass(mass);
            world.add_body(body.position(Vec3::Z * (0.5 + f64::from(i)))).expect("box");
        }
        run(&mut world, H, 2.0, &format!("{n} boxes"));
    }
}

#[test]
fn loaded_chains_swing_on() {
    for (links, link, load) in [(100, 0.25, 500.0), (30, 0.25, 500.0), (10, 1.0, 100.0)] {
        let mut world = chain(links, link, load);
        let what = format!("{links} links of {link} kg");
        let loss = run(&mut world, H, 10.0, &what);
        assert!(loss < 0.02, "{what}: lost {loss} of the energy that moved");
        let length = 0.1 * links as f64;
        assert!(gaps(&world) < 1e-5 * length, "{what}: open by {} m", gaps(&world));
    }
}

/// Rods that turn by radians in a step, thrown on a slab.
#[test]
fn thrown_rods_come_to_rest() {
    let mut world = World::new();
    let slab = Body::fixed("slab").shape(cuboid(50.0, 50.0, 0.05)).material(friction(0.4));
    world.add_body(slab.position(Vec3::Z * -0.05)).expect("slab");
    for i in 0..12 {
        let place = Vec3::new(i as f64 % 4.0 - 1.5, (i / 4) as f64 - 1.0, 1.0 + 0.3 * i as f64);
        let turn = Quat::from_rotation_y(0.4 * i as f64) * Quat::from_rotation_x(i as f64);
        let shape = Shape::Capsule { half_length: 0.5, radius: 0.01 };
        let body = Body::dynamic(format!("rod{i}")).shape(shape).mass(0.5).material(friction(0.4));
        let id = world.add_body(body.position(place).orientation(turn)).expect("rod");
        let spin = Vec3::new(4.0 - i as f64, 6.0, 0.5 * i as f64);
        world.set_velocity(id, Vec3::Z * -10.0, spin).expect("rod");
    }
    run(&mut world, H, 4.0, "rods");
    for (_, body) in world.bodies().filter(|(_, b)| b.name().starts_with("rod")) {
        assert!(body.position().z > -0.02, "fell to {}", body.position().z);
    }
}

/// Boxes of all sizes that land on one another, with and without a bounce.
#[test]
fn tumbling_boxes_settle() {
    for e in [0.0, 0.3, 0.8] {
        let mut world = World::new();
        let material = Material { restitution: e, ..friction(0.5) };
        ground(&mut world, material);
        for i in 0..10 {
            let half = 0.1 + 0.02 * (i * 7 % 5) as f64;
            let place =
                Vec3::new(0.1 * (i % 3) as f64, 0.07 * (i % 4) as f64, 0.4 + 0.5 * i as f64);
            let turn = Quat::from_rotation_x(0.7 * i as f64) * Quat::from_rotation_y(i as f64);
            let body =
                Body::dynamic(format!("box{i}")).shape(cuboid(half, 0.1, 0.15)).material(material);
            world.add_body(body.position(place).orientation(turn)).expect("box");
        }
        run(&mut world, H, 4.0, &format!("boxes, e = {e}"));
    }
}

#[test]
fn a_spring_swings_on() {
    let mut world = World::new();
    let cart = world.add_body(Body::dynamic("cart").shape(cube(0.1)).mass(2.0)).expect("cart");
    let slider = Joint::slider("rail", Frame::World, cart).axis_a(Vec3::X);
    world.add_joint(slider).expect("rail");
    let pull = Joint::rod("spring", Frame::World, cart, 1.0).anchor_a(Vec3::X * -1.0);
    world.add_joint(pull.anchor_b(Vec3::ZERO).linear_spring(200.0, 0.0)).expect("spring");
    world.set_velocity(cart, Vec3::X, Vec3::ZERO).expect("cart");
    let loss = run(&mut world, H, 20.0, "spring");
    assert!(loss.abs() < 1e-4, "lost {loss}");
}
