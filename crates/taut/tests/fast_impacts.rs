//! Impacts within a step in which bodies go far: the way of a step at 60 Hz is many times their size.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Frame, Joint, Material, Passive, Shape, World};

fn velocity(world: &World, id: BodyId) -> Vec3 {
    world.body(id).expect("body").velocity()
}

/// A ball without restitution that hits a free plate off its centre goes on with it, as the closed form says, and not sideways.
#[test]
fn a_shot_at_a_free_plate_does_not_go_off_sideways() {
    for (speed, x, y) in [(240.0, 0.12, -0.05), (850.0, 0.1, 0.03), (1700.0, -0.08, 0.15)] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("gravity");
        let plate = Body::dynamic("plate").shape(cuboid(0.5, 0.5, 0.002)).mass(4.0);
        world.add_body(plate).expect("plate");
        let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.02 }).mass(0.1);
        let ball = world.add_body(ball.position(Vec3::new(x, y, 2.0))).expect("ball");
        world.set_velocity(ball, -speed * Vec3::Z, Vec3::ZERO).expect("ball");
        for _ in 0..1 + (2.0 / speed / H).ceil() as usize {
            let report = step(&mut world, H);
            assert!(!report.gained_energy(), "{speed}: gained {} J", report.energy_gain);
        }
        let inertia = 4.0 / 3.0 * (0.25 + 4e-6);
        let impulse = speed / (1.0 / 0.1 + 1.0 / 4.0 + (x * x + y * y) / inertia);
        let (v, expected) = (velocity(&world, ball), impulse / 0.1 - speed);
        assert!((v.z / expected - 1.0).abs() < 0.03, "{speed}: {v}, expected {expected}");
        assert!(v.truncate().length() < 0.2 * expected.abs(), "{speed}: {v}");
    }
}

/// A ball that bounces between two walls many times a step keeps its speed, and is not called stuck.
#[test]
fn a_ball_bounces_many_times_a_step() {
    for (speed, x) in [(90.0, 0.1), (100.0, 0.1), (130.0, -0.03), (230.0, 0.1)] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("gravity");
        let elastic = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
        for (name, at) in [("left", -0.3), ("right", 0.3)] {
            let wall = Body::fixed(name).shape(cuboid(0.1, 1.0, 1.0)).material(elastic);
            world.add_body(wall.position(at * Vec3::X)).expect("wall");
        }
        let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }).material(elastic);
        let ball = world.add_body(ball.position(x * Vec3::X)).expect("ball");
        world.set_velocity(ball, speed * Vec3::X, Vec3::ZERO).expect("ball");
        for _ in 0..10 {
            let report = step(&mut world, H);
            assert_eq!(report.held_steps(), 0, "{speed}");
            assert!(!report.gained_energy(), "{speed}: gained {} J", report.energy_gain);
        }
        let v = velocity(&world, ball);
        assert!((v.length() / speed - 1.0).abs() < 1e-5, "{speed}: {v}");
    }
}

/// A car on springs: chassis, four carriers, four wheels.
fn car(world: &mut World, speed: f64) -> BodyId {
    let v = speed * Vec3::X;
    let chassis = Body::dynamic("chassis").shape(cuboid(1.5, 0.6, 0.2)).mass(800.0);
    let chassis = world.add_body(chassis.position(Vec3::Z * 0.7)).expect("chassis");
    world.set_velocity(chassis, v, Vec3::ZERO).expect("chassis");
    for (k, (x, y)) in [(1.2, 0.8), (1.2, -0.8), (-1.2, 0.8), (-1.2, -0.8)].into_iter().enumerate()
    {
        let at = Vec3::new(x, y, 0.35);
        let carrier = Body::dynamic(format!("carrier{k}")).mass(15.0).box_inertia([0.3; 3]);
        let carrier = world.add_body(carrier.position(at)).expect("carrier");
        world.set_velocity(carrier, v, Vec3::ZERO).expect("carrier");
        let wheel = Shape::Cylinder { half_height: 0.1, radius: 0.35 };
        let wheel =
            Body::dynamic(format!("wheel{k}")).shape(wheel).mass(20.0).material(friction(0.9));
        let across = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let wheel = world.add_body(wheel.position(at).orientation(across)).expect("wheel");
        world.set_velocity(wheel, v, speed / 0.35 * Vec3::Y).expect("wheel");
        let spring = Passive { stiffness: 2e4, damping: 1500.0, rest: -0.1, ..Passive::default() };
        let strut = Joint::slider(format!("strut{k}"), chassis, carrier).axis_a(Vec3::Z);
        world.add_joint(strut.limits(-0.2, 0.2).passive(spring)).expect("strut");
        let axle = Joint::hinge(format!("axle{k}"), carrier, wheel).axis_a(Vec3::Y);
        world.add_joint(axle).expect("axle");
    }
    chassis
}

/// A car that runs over bumps jumps as high as in shorter steps say.
#[test]
fn a_car_does_not_take_off_over_bumps() {
    for speed in [38.0, 40.0] {
        let mut world = World::new();
        ground(&mut world, friction(0.9));
        let chassis = car(&mut world, speed);
        for k in 0..8 {
            let bump = Shape::Cylinder { half_height: 2.0, radius: 0.3 };
            let across = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
            let at = Vec3::new(4.0 + 2.2 * f64::from(k), 0.0, -0.15);
            let bump = Body::fixed(format!("bump{k}")).shape(bump).position(at).orientation(across);
            world.add_body(bump).expect("bump");
        }
        let mut highest = 0.0_f64;
        for _ in 0..90 {
            let report = step(&mut world, H);
            assert!(!report.gained_energy(), "{speed}: gained {} J", report.energy_gain);
            highest = highest.max(position(&world, chassis).z);
        }
        // At a sixteenth of the step 1.6 m.
        assert!(highest < 2.5, "{speed}: {highest} m");
    }
}

/// A step that one island needs in parts is done as a whole by another: to the bit as if it were alone.
#[test]
fn parts_are_for_those_who_need_them() {
    let run = |with_ball: bool| {
        let mut world = World::new();
        let bob = Body::dynamic("bob").shape(cube(0.1)).position(Vec3::X);
        let bob = world.add_body(bob).expect("bob");
        let arm = Joint::ball("arm", Frame::World, bob).anchor_a(Vec3::ZERO);
        world.add_joint(arm).expect("arm");
        if with_ball {
            let elastic = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
            for (name, at) in [("left", 9.7), ("right", 10.3)] {
                let wall = Body::fixed(name).shape(cuboid(0.1, 3.0, 3.0)).material(elastic);
                world.add_body(wall.position(at * Vec3::X)).expect("wall");
            }
            let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }).material(elastic);
            let ball = world.add_body(ball.position(10.03 * Vec3::X)).expect("ball");
            world.set_velocity(ball, 83.0 * Vec3::X, Vec3::ZERO).expect("ball");
        }
        let mut parts = 0;
        for _ in 0..30 {
            parts += step(&mut world, H).parts;
        }
        let body = world.body(bob).expect("bob");
        (parts, body.position(), body.velocity())
    };
    let (alone, beside) = (run(false), run(true));
    assert!(alone.0 == 30 && beside.0 > 60, "{} and {} parts", alone.0, beside.0);
    assert_eq!((alone.1, alone.2), (beside.1, beside.2));
}
