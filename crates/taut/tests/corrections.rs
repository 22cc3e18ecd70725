//! `Settings::correction_time`: what it promises holds for contacts as for joints.

use taut::math::Vec3;
use taut::{Body, Error, Frame, Integrator, Joint, Shape, World};

const FRAME: f64 = 1.0 / 60.0;

fn cube() -> Shape {
    Shape::Box { half_extents: Vec3::splat(0.1) }
}

/// A penetration of 1 mm is pushed out at 0.2 of it per 1/60 s, in one step or in parts of one, and
/// leaves no speed behind by default.
#[test]
fn contacts_take_their_time() -> Result<(), Error> {
    for integrator in [Integrator::EnergyMomentum, Integrator::SemiImplicitEuler] {
        for parts in [1, 4, 64] {
            let mut world = World::new();
            world.set_gravity(Vec3::ZERO)?;
            world.settings_mut().substeps = parts;
            world.settings_mut().integrator = integrator;
            world.add_body(Body::fixed("floor").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
            let body = Body::dynamic("box").shape(cube()).position(Vec3::Z * (0.1 - 1e-3));
            let body = world.add_body(body)?;
            let _ = world.step(FRAME)?;
            let left = 0.1 - world.body(body)?.position().z;
            // The semi-implicit step keeps the speed of the first push.
            let keeps_speed = integrator == Integrator::SemiImplicitEuler;
            let share = 0.2 / parts as f64;
            let powers = if keeps_speed { 1.0 - 0.2 } else { (1.0 - share).powi(parts as i32) };
            let expected = 1e-3 * powers;
            assert!((left - expected).abs() < 2e-6, "{integrator:?}, {parts}: {left} {expected}");
            let speed = world.body(body)?.velocity().length();
            assert!(keeps_speed || speed < 1e-6, "{speed} m/s");
        }
    }
    Ok(())
}

/// A joint that is open by 1 mm closes at once where the step is 1/60 s, and by 1/e where it is
/// infinitely short.
#[test]
fn joints_take_their_time() -> Result<(), Error> {
    for parts in [1, 4, 64] {
        let mut world = World::new();
        world.settings_mut().substeps = parts;
        let body = Body::dynamic("box").shape(cube()).position(Vec3::Z * 1e-3);
        let body = world.add_body(body)?;
        let joint = Joint::slider("rail", Frame::World, body).axis_a(Vec3::X);
        world.add_joint(joint.anchor_a(Vec3::X * 0.5).anchor_b(Vec3::X * 0.5))?;
        let _ = world.step(FRAME)?;
        let expected = 1e-3 * (1.0 - 1.0 / parts as f64).powi(parts as i32);
        let left = world.body(body)?.position().z;
        assert!((left - expected).abs() < 2e-6, "{parts}: {left} {expected}");
    }
    Ok(())
}
