//! A plain control loop: read the joints, set a force, step.
//!
//! A pole on a cart is kept upright by the force on the cart alone, with the gains of a
//! linear-quadratic regulator. `cargo run --release -p taut --example balance`

#![allow(clippy::print_stdout)]

use taut::math::Vec3;
use taut::{Body, Error, Frame, Joint, Motor, Shape, World};

fn main() -> Result<(), Error> {
    let mut world = World::new();
    let cart = Shape::Box { half_extents: Vec3::new(0.2, 0.1, 0.05) };
    let cart = world.add_body(Body::dynamic("cart").shape(cart).mass(1.0))?;
    let rail = Joint::slider("rail", Frame::World, cart).axis_a(Vec3::X).motor(Motor::force(0.0));
    let rail = world.add_joint(rail)?;
    let pole = Shape::Box { half_extents: Vec3::new(0.02, 0.02, 0.5) };
    let pole = Body::dynamic("pole").position(Vec3::Z * 0.5).shape(pole).mass(0.2);
    // A push to begin with.
    let pole = world.add_body(pole.angular_velocity(Vec3::Y * 0.4))?;
    let pivot = Joint::hinge("pivot", cart, pole).anchor_a(Vec3::ZERO).axis_a(Vec3::Y);
    let pivot = world.add_joint(pivot)?;

    for frame in 0..=300 {
        let (x, v) = (world.joint_position(rail)?, world.joint_velocity(rail)?);
        let (angle, rate) = (world.joint_position(pivot)?, world.joint_velocity(pivot)?);
        world.motor(rail)?.set_target(2.0 * x + 4.0 * v + 30.0 * angle + 8.0 * rate)?;
        let report = world.step(1.0 / 60.0)?;
        if frame % 30 == 0 {
            println!(
                "{:4.1} s: cart at {x:6.3} m, pole at {:6.2}°",
                report.time,
                angle.to_degrees()
            );
        }
    }
    Ok(())
}
