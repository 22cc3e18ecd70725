//! Armature, damping, friction and springs of a joint's coordinate.

use taut::math::{Mat3, Vec3};
use taut::{Body, Frame, Integrator, Joint, Passive, World};

const INTEGRATORS: [Integrator; 3] =
    [Integrator::EnergyMomentum, Integrator::SemiImplicitEuler, Integrator::MoreauMidpoint];

/// A bob of 2 kg, 1 m beside a horizontal axis, whose own inertia is 0.1 kg·m².
fn pendulum(integrator: Integrator, passive: Passive) -> World {
    let mut world = World::new();
    world.settings_mut().integrator = integrator;
    let mut bob = Body::dynamic("bob").position(Vec3::X);
    (bob.mass, bob.inertia) = (Some(2.0), Some(Mat3::IDENTITY * 0.1));
    let bob = world.add_body(bob).unwrap();
    let hinge = Joint::hinge("hinge", Frame::World, bob)
        .anchor_a(Vec3::ZERO)
        .axis_a(Vec3::Y)
        .passive(passive);
    world.add_joint(hinge).unwrap();
    world
}

fn rate(world: &World) -> f64 {
    let id = world.body_named("bob").unwrap();
    world.body(id).unwrap().angular_velocity().y
}

#[test]
fn armature_adds_to_the_inertia_about_the_axis() {
    for integrator in INTEGRATORS {
        let mut world = pendulum(integrator, Passive { armature: 0.7, ..Passive::default() });
        let h = 1e-5;
        assert!(world.step(h).unwrap().converged());
        let expected = 2.0 * 9.81 / (0.1 + 2.0 + 0.7);
        let found = rate(&world) / h;
        assert!((found / expected - 1.0).abs() < 1e-6, "{integrator:?}: {found}, not {expected}");
    }
}

#[test]
fn a_swing_with_armature_keeps_its_energy() {
    let mut world =
        pendulum(Integrator::EnergyMomentum, Passive { armature: 0.7, ..Passive::default() });
    let id = world.body_named("bob").unwrap();
    let mut worst: f64 = 0.0;
    for _ in 0..600 {
        assert!(world.step(1.0 / 60.0).unwrap().converged());
        let (z, w) = (world.body(id).unwrap().pose().translation.z, rate(&world));
        worst = worst.max((0.5 * 2.8 * w * w + 2.0 * 9.81 * z).abs());
    }
    assert!(worst < 1e-3 * 2.0 * 9.81, "off by {worst} J");
}

#[test]
fn friction_holds_up_to_its_torque() {
    for integrator in INTEGRATORS {
        // Gravity turns with 19.62 N·m.
        let mut world = pendulum(integrator, Passive { friction: 20.0, ..Passive::default() });
        for _ in 0..60 {
            assert!(world.step(1.0 / 60.0).unwrap().converged());
        }
        assert!(rate(&world).abs() < 1e-8, "{integrator:?}");
        let mut world = pendulum(integrator, Passive { friction: 9.62, ..Passive::default() });
        let h = 1e-5;
        assert!(world.step(h).unwrap().converged());
        let found = rate(&world) / h;
        assert!((found - 10.0 / 2.1).abs() < 1e-4, "{integrator:?}: {found}");
    }
}

#[test]
fn damping_and_springs_act_beside_armature() {
    for integrator in INTEGRATORS {
        let (stiffness, damping, armature) = (40.0, 3.0, 0.9);
        let passive = Passive { stiffness, damping, armature, rest: 0.5, ..Passive::default() };
        let mut world = pendulum(integrator, passive);
        world.set_gravity(Vec3::ZERO).unwrap();
        let (inertia, h) = (2.1 + armature, 1e-4);
        let (mut x, mut v) = (-0.5, 0.0);
        for _ in 0..5000 {
            assert!(world.step(h).unwrap().converged());
            // The same by small steps of a method of second order.
            let middle = v - 0.5 * h * (stiffness * x + damping * v) / inertia;
            v -= h * (stiffness * (x + 0.5 * h * v) + damping * middle) / inertia;
            x += h * middle;
        }
        assert!((rate(&world) - v).abs() < 2e-3, "{integrator:?}: {}, not {v}", rate(&world));
    }
}

#[test]
fn wrong_values_and_kinds_are_refused() {
    let mut world = World::new();
    let mut body = Body::dynamic("b");
    (body.mass, body.inertia) = (Some(1.0), Some(Mat3::IDENTITY));
    let b = world.add_body(body).unwrap();
    let bad = Passive { armature: -1.0, ..Passive::default() };
    let refused = world.add_joint(Joint::hinge("h", Frame::World, b).passive(bad));
    assert!(refused.unwrap_err().to_string().contains("armature"));
    let refused = world.add_joint(Joint::ball("h", Frame::World, b).passive(Passive::default()));
    assert!(refused.unwrap_err().to_string().contains("hinges and sliders"));
}
