//! Stacks: forces equal the weights above, nothing moves.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, Shape, World};

fn stack(masses: &[f64]) -> World {
    let mut world = World::new();
    ground(&mut world, friction(0.5));
    for (i, &mass) in masses.iter().enumerate() {
        let body = Body::dynamic(format!("box{i}")).shape(cube(0.5)).mass(mass);
        world.add_body(body.position(Vec3::Z * (0.5 + i as f64))).expect("box");
    }
    world
}

/// The force between level i and the one below equals the weight above.
fn check_forces(world: &World, masses: &[f64], tolerance: f64) {
    for i in 0..masses.len() {
        let id = world.body_named(&format!("box{i}")).expect("box");
        let below = world.contacts().filter(|c| c.b == id && c.normal.z > 0.5);
        let above = world.contacts().filter(|c| c.a == id && c.normal.z < -0.5);
        let force: f64 = below.chain(above).map(|c| c.normal_force).sum();
        let weight: f64 = masses[i..].iter().sum::<f64>() * G;
        let error = (force / weight - 1.0).abs();
        assert!(error < tolerance, "level {i}: {force} N instead of {weight} N");
    }
}

#[test]
fn forces_equal_the_weights_above() {
    let heavy_top: Vec<f64> = (0..10).map(|i| 1000_f64.powf(f64::from(i) / 9.0)).collect();
    let heavy_on_light_on_heavy = [1000.0, 1.0, 1000.0, 0.1, 500.0];
    for masses in [&[2.0, 2.0, 2.0][..], &heavy_top, &heavy_on_light_on_heavy] {
        let mut world = stack(masses);
        for n in 0..120 {
            step(&mut world, H);
            if n % 40 == 39 {
                check_forces(&world, masses, 1e-8);
            }
        }
    }
}

#[test]
fn a_heavy_stack_stands() {
    let masses: Vec<f64> = (0..10).map(|i| 1000_f64.powf(f64::from(i) / 9.0)).collect();
    let mut world = stack(&masses);
    let top = world.body_named("box9").expect("top");
    for _ in 0..600 {
        let report = step(&mut world, H);
        assert!(report.max_penetration < 1e-4, "{}", report.max_penetration);
    }
    assert!(position(&world, top).distance(Vec3::Z * 9.5) < 1e-4);
}

/// Boxes that fall together, one above the other: when the lowest is stopped,
/// those above must meet it although they did not approach before.
#[test]
fn a_falling_stack_lands_without_overlap() {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z };
    world.add_body(Body::fixed("floor").shape(plane)).expect("valid");
    for i in 0..6 {
        let cube = Shape::Box { half_extents: Vec3::splat(0.25) };
        let at = Vec3::Z * (1.25 + 0.55 * f64::from(i));
        world.add_body(Body::dynamic(format!("b{i}")).shape(cube).position(at)).expect("valid");
    }
    for _ in 0..120 {
        let report = world.step(1.0 / 60.0).expect("valid step");
        assert!(report.max_penetration < 1e-4, "{} m deep", report.max_penetration);
    }
}
