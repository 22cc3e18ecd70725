//! Pendulums: period, and convergence of the second order in h.
mod scenes;

use scenes::*;
use taut::math::{Mat3, Vec3};
use taut::{Body, Frame, Integrator, Joint, World};

/// A compound pendulum on a hinge, released at a small angle; its period from
/// the zero crossings of the angle over about ten swings.
fn period(h: f64, amplitude: f64, hinge: bool) -> f64 {
    let mut world = World::new();
    let (sin, cos) = amplitude.sin_cos();
    let body = Body::dynamic("rod")
        .shape(cuboid(0.02, 0.03, 0.5))
        .mass(2.0)
        .orientation(taut::math::Quat::from_rotation_y(-amplitude))
        .position(Vec3::new(0.5 * sin, 0.0, -0.5 * cos));
    let rod = world.add_body(body).expect("rod");
    let joint = if hinge {
        Joint::hinge("pivot", Frame::World, rod).axis_a(Vec3::Y)
    } else {
        Joint::ball("pivot", Frame::World, rod)
    };
    world.add_joint(joint.anchor_a(Vec3::ZERO)).expect("pivot");
    let mut crossings = Vec::new();
    let mut last = position(&world, rod).x;
    let mut t = 0.0;
    while crossings.len() < 11 {
        step(&mut world, h);
        t += h;
        let x = position(&world, rod).x;
        if last > 0.0 && x <= 0.0 {
            crossings.push(t - h * x / (x - last));
        }
        last = x;
    }
    (crossings[10] - crossings[0]) / 10.0
}

/// T = 2π√(I/mgl)·(1 + θ²/16 + 11θ⁴/3072).
fn exact(amplitude: f64) -> f64 {
    let m = 2.0;
    let inertia = m / 12.0 * (0.04 * 0.04 + 1.0) + m * 0.25;
    let small = std::f64::consts::TAU * (inertia / (m * G * 0.5)).sqrt();
    small * (1.0 + amplitude.powi(2) / 16.0 + 11.0 * amplitude.powi(4) / 3072.0)
}

#[test]
fn period_of_a_compound_pendulum() {
    for hinge in [true, false] {
        let t = period(1e-3, 0.1, hinge);
        let error = (t / exact(0.1) - 1.0).abs();
        assert!(error < 1e-4, "hinge {hinge}: {t} s instead of {}", exact(0.1));
    }
}

/// The state after one second converges with the second order.
#[test]
fn second_order_in_h() {
    let at = |h: f64| {
        let mut world = World::new();
        let body = Body::dynamic("bob").mass(1.0).box_inertia([0.2; 3]).position(Vec3::X);
        let bob = world.add_body(body).expect("bob");
        let joint = Joint::ball("pivot", Frame::World, bob).anchor_a(Vec3::ZERO);
        world.add_joint(joint).expect("pivot");
        for _ in 0..(0.9 / h).round() as usize {
            step(&mut world, h);
        }
        position(&world, bob)
    };
    let reference = at(0.9 / 65536.0);
    let errors: Vec<f64> =
        [1024.0, 2048.0, 4096.0].iter().map(|n| at(0.9 / n).distance(reference)).collect();
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.5..4.5).contains(&ratio), "ratio {ratio} of errors {errors:?}");
    }
}

/// Moreau's midpoint rule keeps the energy of a pendulum better.
#[test]
fn midpoint_option() {
    let mut world = World::new();
    world.settings_mut().integrator = Integrator::MoreauMidpoint;
    world.settings_mut().correction_time = 0.0;
    let body = Body::dynamic("bob").mass(1.0).box_inertia([0.2; 3]).position(Vec3::X);
    let bob = world.add_body(body).expect("bob");
    world.add_joint(Joint::ball("pivot", Frame::World, bob).anchor_a(Vec3::ZERO)).expect("pivot");
    let mut e0 = None;
    for _ in 0..600 {
        let e = step(&mut world, 1e-3).energy();
        let e0 = *e0.get_or_insert(e);
        assert!((e - e0).abs() < 0.02 * G, "{e} {e0}");
    }
    assert!((position(&world, bob).length() - 1.0).abs() < 1e-4);
}

/// The first velocity of a rod on a hinge, over the step, is its acceleration, however short the step is: what rounding of the energy
/// seems to create is not taken from it.
#[test]
fn steps_of_nanoseconds_begin_with_the_acceleration() {
    let (mass, arm, inertia) = (2.0, 0.5, 0.1);
    for z in [0.3, 3.0, 7.0, 20.0] {
        for h in [1e-6, 1e-7, 1e-8] {
            let mut world = World::new();
            let mut rod = Body::dynamic("rod").position(Vec3::new(arm, 0.0, z));
            (rod.mass, rod.inertia) = (Some(mass), Some(Mat3::IDENTITY * inertia));
            let rod = world.add_body(rod).unwrap();
            let hinge = Joint::hinge("hinge", Frame::World, rod).axis_a(Vec3::Y);
            let hinge = hinge.anchor_a(Vec3::Z * z).anchor_b(Vec3::NEG_X * arm);
            world.add_joint(hinge).unwrap();
            assert!(world.step(h).unwrap().converged());
            let rate = world.body(rod).unwrap().angular_velocity().y / h;
            let expected = mass * G * arm / (inertia + mass * arm * arm);
            assert!((rate / expected - 1.0).abs() < 1e-8, "{z} {h}: {rate}");
        }
    }
}
