//! Bounces reach e² of their height; impacts without restitution stop.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, Material, Shape, World};

fn drop(e: f64, height: f64) -> (World, taut::BodyId) {
    let mut world = World::new();
    let material = Material { restitution: e, ..Material::default() };
    ground(&mut world, material);
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }).material(material);
    let ball = world.add_body(ball.position(Vec3::Z * (0.1 + height))).expect("ball");
    (world, ball)
}

#[test]
fn heights_of_a_bouncing_ball() {
    for e in [1.0, 0.8, 0.5_f64] {
        let (mut world, ball) = drop(e, 1.0);
        let (mut apexes, mut rising) = (Vec::new(), false);
        while apexes.len() < 4 {
            step(&mut world, H);
            let v = world.body(ball).expect("ball").velocity().z;
            if rising && v <= 0.0 {
                apexes.push(position(&world, ball).z - 0.1);
            }
            rising = v > 0.0;
        }
        for (i, apex) in apexes.iter().enumerate() {
            let expected = e.powi(2 * (i as i32 + 1));
            assert!((apex - expected).abs() < 1.001 * G * H * H, "e = {e}: {apexes:?}");
        }
    }
}

#[test]
fn neither_sinks_in_nor_tunnels_nor_bounces_off_a_gap() {
    for speed in [1.0, 10.0, 40.0] {
        let (mut world, ball) = drop(0.0, 3.0);
        world.set_velocity(ball, Vec3::Z * -speed, Vec3::ZERO).expect("ball");
        let mut lowest = f64::INFINITY;
        for _ in 0..120 {
            step(&mut world, H);
            lowest = lowest.min(position(&world, ball).z);
        }
        assert!(lowest > 0.1 - 1e-6, "{speed} m/s: sank to {lowest}");
        let body = world.body(ball).expect("ball");
        assert!((body.position().z - 0.1).abs() < 1e-6 && body.velocity().length() < 1e-6);
    }
}
