//! Tower and wall at default settings, h = 1/60 s (chains: chain.rs, stack:
//! stack.rs; 60 s of everything: the example of the same name).
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, Shape, World};

#[test]
fn tower_of_logs_under_a_heavy_box() {
    let mut world = World::new();
    ground(&mut world, friction(0.5));
    for layer in 0..40 {
        for k in 0..4 {
            let side = -0.9 + 0.6 * f64::from(k);
            let z = 0.1 + 0.2 * f64::from(layer);
            let (shape, at) = if layer % 2 == 0 {
                (cuboid(1.0, 0.1, 0.1), Vec3::new(0.0, side, z))
            } else {
                (cuboid(0.1, 1.0, 0.1), Vec3::new(side, 0.0, z))
            };
            let log = Body::dynamic(format!("log{layer}-{k}")).position(at).mass(50.0);
            world.add_body(log.shape(shape)).expect("log");
        }
    }
    let top = Body::dynamic("top").shape(cuboid(1.0, 1.0, 0.5)).mass(2500.0);
    let top = world.add_body(top.position(Vec3::Z * 8.5)).expect("top");
    for _ in 0..300 {
        let report = step(&mut world, H);
        assert!(report.max_penetration < 2e-4, "{}", report.max_penetration);
    }
    assert!(position(&world, top).distance(Vec3::Z * 8.5) < 1e-3);
}

#[test]
fn wall_hit_by_a_ball() {
    let mut world = World::new();
    ground(&mut world, friction(0.5));
    for row in 0..5 {
        for k in 0..6 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.25 };
            let x = -1.25 + 0.5 * f64::from(k) + shift;
            let at = Vec3::new(x, 0.0, 0.125 + 0.25 * f64::from(row));
            let brick = Body::dynamic(format!("brick{row}-{k}")).position(at).mass(2.5);
            world.add_body(brick.shape(cuboid(0.25, 0.125, 0.125))).expect("brick");
        }
    }
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.25 }).mass(10.0);
    let ball = ball.position(Vec3::new(0.1, -1.0, 0.6)).velocity(Vec3::Y * 10.0);
    world.add_body(ball).expect("ball");
    let (mut sum, mut deepest) = (0.0, 0.0_f64);
    for _ in 0..60 {
        let report = step(&mut world, H);
        sum += report.mean_penetration;
        deepest = deepest.max(report.max_penetration);
    }
    // Ten runs that differ in the seventh digit: 1.6 to 13 mm at the deepest.
    assert!(sum / 60.0 < 5e-4 && deepest < 0.025, "{} {deepest}", sum / 60.0);
}
