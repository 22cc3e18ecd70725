//! A block on an incline: sticks up to atan μ, accelerates with
//! g (sin θ − μ cos θ) beyond, whatever the direction of the slope.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, ContactState, Shape, World};

/// A block on a plane tilted by `angle` towards `heading`; returns the speed
/// after `seconds`.
fn slide(angle: f64, heading: f64, turn: f64, mu: f64, h: f64, seconds: f64) -> f64 {
    let mut world = World::new();
    let tilt = Quat::from_rotation_z(heading) * Quat::from_rotation_y(angle);
    let plane = Body::fixed("slope").shape(Shape::HalfSpace { normal: tilt * Vec3::Z });
    world.add_body(plane.material(friction(mu))).expect("slope");
    let block = Body::dynamic("block")
        .shape(cuboid(0.5, 0.4, 0.1))
        .mass(3.0)
        .material(friction(mu))
        .orientation(tilt * Quat::from_rotation_z(turn))
        .position(tilt * Vec3::Z * 0.1);
    let block = world.add_body(block).expect("block");
    for _ in 0..(seconds / h).round() as usize {
        step(&mut world, h);
    }
    world.body(block).expect("block").velocity().length()
}

#[test]
fn sticks_up_to_the_angle_of_friction() {
    for mu in [0.2, 0.5, 0.9_f64] {
        let limit = mu.atan();
        for (heading, turn) in [(0.0, 0.0), (0.4, 0.0), (0.79, 0.3), (2.0, 1.1), (-1.3, 0.7)] {
            let below = slide(limit - 0.1_f64.to_radians(), heading, turn, mu, H, 1.0);
            assert!(below < 1e-6, "μ = {mu}, heading {heading}: slid with {below} m/s");
            let above = slide(limit + 0.1_f64.to_radians(), heading, turn, mu, H, 1.0);
            assert!(above > 1e-3, "μ = {mu}, heading {heading}: stuck");
        }
    }
}

#[test]
fn accelerates_beyond_it() {
    for mu in [0.0, 0.3, 0.6_f64] {
        for degrees in [5.0, 15.0, 30.0] {
            let angle = mu.atan() + f64::to_radians(degrees);
            let expected = G * (angle.sin() - mu * angle.cos());
            for (heading, turn) in [(0.0, 0.0), (0.9, 0.2), (2.5, 0.8)] {
                let v = slide(angle, heading, turn, mu, H, 1.0);
                let error = (v / expected - 1.0).abs();
                assert!(
                    error < 0.005,
                    "μ = {mu}, {degrees}°, heading {heading}: {v} m/s, {expected}"
                );
            }
        }
    }
}

/// Right in its first step: no step with wrong friction bounds.
#[test]
fn the_first_step_is_right() {
    let angle = 0.5_f64.atan() + 0.2;
    let v = slide(angle, 0.6, 0.3, 0.5, H, H);
    let expected = G * (angle.sin() - 0.5 * angle.cos()) * H;
    assert!((v / expected - 1.0).abs() < 1e-3, "{v} {expected}");
}

/// A block sent sliding over a level floor stops after v²/2μg.
#[test]
fn stops_after_the_right_distance() {
    let mut world = World::new();
    ground(&mut world, friction(0.4));
    let v0 = Vec3::new(3.0, -2.0, 0.0);
    let block = Body::dynamic("block").shape(cuboid(0.3, 0.2, 0.05)).mass(2.0).velocity(v0);
    let block = block.position(Vec3::Z * 0.05).material(friction(0.4));
    let block = world.add_body(block).expect("block");
    let h = 1e-3;
    for _ in 0..1500 {
        step(&mut world, h);
    }
    let way = position(&world, block).truncate();
    let expected = v0.length_squared() / (2.0 * 0.4 * G);
    assert!((way.length() - expected).abs() < 0.005 * expected + h * v0.length(), "{way}");
    let sideways = way.x * v0.y - way.y * v0.x;
    assert!(sideways.abs() < 1e-6, "{sideways}");
}

#[test]
fn contacts_say_which_bounds_they_reached() {
    for (angle, expected) in [(0.3, ContactState::Sticking), (0.6, ContactState::Sliding)] {
        let mut world = World::new();
        let tilt = Quat::from_rotation_y(angle);
        let plane = Body::fixed("slope").shape(Shape::HalfSpace { normal: tilt * Vec3::Z });
        let slope = world.add_body(plane.material(friction(0.5))).expect("slope");
        let shape = cuboid(0.5, 0.4, 0.1);
        let block = Body::dynamic("block").shape(shape).mass(3.0).material(friction(0.5));
        let block = block.orientation(tilt).position(tilt * Vec3::Z * 0.1);
        let block = world.add_body(block).expect("block");
        assert_eq!(world.island(block), None);
        for _ in 0..10 {
            step(&mut world, H);
        }
        let pressing: Vec<_> = world.contacts().filter(|c| c.normal_force > 0.0).collect();
        assert!(!pressing.is_empty() && pressing.iter().all(|c| c.state == expected), "{angle}");
        let open = |c: &taut::ContactView| c.state == ContactState::Open;
        assert_eq!(
            world.contacts().filter(open).count(),
            world.contacts().count() - pressing.len()
        );
        assert_eq!((world.island(block), world.island(slope)), (Some(0), None));
    }
}
