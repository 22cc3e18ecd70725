//! Free rotation: the world angular momentum is conserved to rounding.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, World};

fn spinner(w: Vec3) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let turn = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(0.2);
    let body = Body::dynamic("spinner").shape(cuboid(0.5, 0.2, 0.1)).mass(3.0).orientation(turn);
    world.add_body(body.angular_velocity(w)).expect("spinner");
    world
}

#[test]
fn angular_momentum_of_an_asymmetric_body() {
    for w in [Vec3::new(0.01, 5.0, 0.02), Vec3::new(3.0, -7.0, 11.0), Vec3::new(0.0, 0.0, 30.0)] {
        let mut world = spinner(w);
        let before = world.bodies().next().expect("one").1.spin();
        for _ in 0..3600 {
            step(&mut world, H);
        }
        let after = world.bodies().next().expect("one").1.spin();
        assert!(after.distance(before) < 1e-10 * before.length(), "{before} became {after}");
    }
}

#[test]
fn energy_has_no_drift() {
    let mut world = spinner(Vec3::new(0.01, 5.0, 0.02));
    let e0 = world.bodies().next().expect("one").1.kinetic_energy();
    for _ in 0..6000 {
        let e = step(&mut world, 1e-3).kinetic_energy;
        assert!((e / e0 - 1.0).abs() < 1e-4, "{e} {e0}");
    }
}

/// A fast symmetric top precesses: with L fixed, its axis goes round it with
/// the rate L/I₁.
#[test]
fn free_precession() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let inertia = taut::math::Mat3::from_diagonal(Vec3::new(1.0, 1.0, 1.8));
    let w = Vec3::new(0.5, 0.0, 4.0);
    let body = Body::dynamic("top").mass(1.0).inertia(inertia).angular_velocity(w);
    let top = world.add_body(body).expect("top");
    let momentum = inertia * w;
    let rate = momentum.length();
    let (h, n) = (1e-3, 2000);
    for _ in 0..n {
        step(&mut world, h);
    }
    let turned = Quat::from_axis_angle(momentum.normalize(), rate * h * f64::from(n)) * Vec3::Z;
    let axis = world.body(top).expect("top").orientation() * Vec3::Z;
    assert!(axis.distance(turned) < 1e-4, "{axis} {turned}");
}
