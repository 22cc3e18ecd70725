//! Rolling without slipping, and resistance to rolling and turning.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, Material, Shape, World};

/// A ball on a slope accelerates with 5/7 g sin θ.
#[test]
fn a_ball_rolls_down_a_slope() {
    let angle = 0.3_f64;
    let mut world = World::new();
    let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
    world
        .add_body(Body::fixed("slope").shape(Shape::HalfSpace { normal }).material(friction(0.5)))
        .expect("slope");
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.2 }).position(normal * 0.2);
    let ball = world.add_body(ball).expect("ball");
    for _ in 0..120 {
        step(&mut world, H);
    }
    let body = world.body(ball).expect("ball");
    let expected = 5.0 / 7.0 * G * angle.sin() * 2.0;
    let v = body.velocity().length();
    assert!((v / expected - 1.0).abs() < 1e-3, "{v} {expected}");
    let slip = body.velocity_at(body.position() - normal * 0.2).length();
    assert!(slip < 1e-6 * v, "slips with {slip} m/s");
}

/// A sliding ball ends rolling with 5/7 of its speed.
#[test]
fn a_thrown_ball_starts_to_roll() {
    let mut world = World::new();
    ground(&mut world, friction(0.3));
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }).position(Vec3::Z * 0.1);
    let ball = ball.velocity(Vec3::new(4.0, 3.0, 0.0)).material(friction(0.3));
    let ball = world.add_body(ball).expect("ball");
    for _ in 0..600 {
        step(&mut world, 1.0 / 240.0);
    }
    let v = world.body(ball).expect("ball").velocity();
    let expected = Vec3::new(4.0, 3.0, 0.0) * (5.0 / 7.0);
    assert!(v.distance(expected) < 0.005 * expected.length(), "{v} {expected}");
}

/// Rolling resistance stops a ball with the deceleration (5/7) g c/r.
#[test]
fn rolling_and_torsional_resistance() {
    let material = Material { rolling_friction: 0.01, torsional_friction: 0.02, ..friction(0.5) };
    let mut world = World::new();
    ground(&mut world, friction(0.5));
    let r = 0.1;
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: r }).material(material);
    let ball = ball.position(Vec3::Z * r).velocity(Vec3::X).angular_velocity(Vec3::Y / r);
    let ball = world.add_body(ball).expect("ball");
    let shape = Shape::Ball { radius: r };
    let top = Body::dynamic("top").shape(shape).material(material).mass(1.0);
    let spin = 20.0;
    let top = top.position(Vec3::new(0.0, 3.0, r)).angular_velocity(Vec3::Z * spin);
    let top = world.add_body(top).expect("top");
    let (h, t) = (1.0 / 240.0, 0.5);
    for _ in 0..(t / h) as usize {
        step(&mut world, h);
    }
    let v = world.body(ball).expect("ball").velocity().x;
    let expected = 1.0 - 5.0 / 7.0 * G * 0.01 / r * t;
    assert!((v - expected).abs() < 0.01, "{v} {expected}");
    let w = world.body(top).expect("top").angular_velocity().z;
    let expected = spin - 0.02 * G / (0.4 * r * r) * t;
    assert!((w - expected.max(0.0)).abs() < 0.01 * spin, "{w} {expected}");
}
