//! A line of conveyors: a belt carries parcels, a kinematic gate lets them pass now and then,
//! letters pass below it at any time, a light curtain sees what goes by, and a force-driven cart
//! takes it away.
//!
//! `cargo run --release -p taut --example conveyor_line`
#![allow(clippy::print_stdout)]

use taut::{Body, BodyKind, Error, Frame, Groups, Joint, Motor, Pose, Shape, Vec3, World};

const H: f64 = 1.0 / 60.0;
/// Letters collide with everything but the gate, which meets only what is not a letter.
const LETTERS: Groups = Groups { membership: 0b10, mask: u32::MAX };
const GATE: Groups = Groups { membership: 0b01, mask: !0b10 };

fn block(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { half_extents: Vec3::new(x, y, z) }
}

/// The gate opens every six seconds, for two. (What it came down upon it would crush: a kinematic
/// body goes where it is told.)
fn gate_at(t: f64) -> Pose {
    let phase = t % 6.0 - 3.0;
    let lift = (2.0 - 2.0 * (phase - 1.0).abs()).clamp(0.0, 1.0);
    Pose::from_translation(Vec3::new(0.0, 0.0, 0.25 + 0.8 * lift * lift * (3.0 - 2.0 * lift)))
}

fn main() -> Result<(), Error> {
    let mut world = World::new();
    let belt = Body::fixed("belt").shape(block(3.0, 0.5, 0.1)).position(Vec3::Z * -0.1);
    world.add_body(belt.surface_velocity(Vec3::X * 0.5))?;
    let gate = Body::kinematic("gate").shape(block(0.05, 0.4, 0.2)).groups(GATE);
    let gate = world.add_body(gate.position(gate_at(0.0).translation))?;
    let parcel = Body::dynamic("parcel").shape(block(0.15, 0.15, 0.15)).mass(2.0);
    let parcel = world.add_body(parcel.position(Vec3::new(-1.5, 0.0, 0.15)))?;
    let letter = Body::dynamic("letter").shape(block(0.15, 0.1, 0.01)).mass(0.1).groups(LETTERS);
    let letter = world.add_body(letter.position(Vec3::new(-2.0, 0.0, 0.01)))?;
    let cart = Body::dynamic("cart").shape(block(0.6, 0.6, 0.05)).mass(20.0);
    let cart = world.add_body(cart.position(Vec3::new(3.7, 0.0, -0.3)))?;
    let rail = Joint::slider("rail", Frame::World, cart).axis_a(Vec3::X).motor(Motor::force(0.0));
    let rail = world.add_joint(rail)?;
    let (curtain, curtain_at) = (block(0.01, 0.5, 0.5), Vec3::new(2.5, 0.0, 0.5));

    let (mut seen, mut gain) = (Vec::new(), 0.0);
    for _ in 0..900 {
        let t = world.time();
        world.move_to(gate, gate_at(t + H))?;
        // The cart is held where it is until both are on it, then pushed away.
        let (x, v) = (world.joint_position(rail)?, world.joint_velocity(rail)?);
        let load: f64 = world.contacts_of(cart).map(|c| c.normal_force).sum();
        let full = load > 0.9 * 2.1 * 9.81 && seen.len() == 2;
        world.motor(rail)?.set_target(if full { 40.0 } else { -400.0 * x - 150.0 * v })?;
        let report = world.step(H)?;
        if !report.converged() {
            println!("{:.2} s: this step did not converge", report.time);
        }
        gain = report.energy_gain / report.energy_tolerance;
        for id in world.overlaps(&curtain, Pose::from_translation(curtain_at))? {
            if world.body(id)?.kind() == BodyKind::Dynamic && !seen.contains(&id) {
                seen.push(id);
                println!("{t:5.2} s: the {} passes the curtain", world.body(id)?.name());
            }
        }
        if x > 2.0 {
            println!("{t:5.2} s: the cart leaves at {v:.2} m/s");
            break;
        }
    }
    let height = |id| world.body(id).map(|b| b.position().z);
    println!("parcel at {:.2} m, letter at {:.2} m", height(parcel)?, height(letter)?);
    println!("energy from nowhere: {gain:.1e} of what is tolerated");
    Ok(())
}
