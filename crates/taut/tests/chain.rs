//! Chains: tension, and the hard scenes that decide whether joints hold.
mod scenes;

use scenes::*;
use taut::World;
use taut::math::Vec3;

/// Runs a chain from its horizontal start; checks stretch and energy.
fn swing(world: &mut World, length: f64, seconds: f64, (most, loss): (f64, f64)) {
    let scale: f64 = world.bodies().map(|(_, b)| b.mass()).sum::<f64>() * G * length;
    let mut e0 = None;
    for _ in 0..(seconds / H).round() as usize {
        let report = step(world, H);
        let stretch = gaps(world) / length;
        assert!(stretch < most, "t = {}: stretch {stretch}", report.time);
        let e0 = *e0.get_or_insert(report.energy());
        let gain = (report.energy() - e0) / scale;
        assert!(gain < 0.01, "t = {}: gained {gain}", report.time);
        assert!(report.time > 10.0 || gain > -loss, "t = {}: lost {gain}", report.time);
    }
}

#[test]
fn loaded_chain_2000_to_1() {
    swing(&mut chain(100, 0.25, 500.0), 10.0, 20.0, (1e-5, 0.02));
}

#[test]
fn loaded_chain_25000_to_1() {
    swing(&mut chain(100, 0.1, 2500.0), 10.0, 10.0, (1e-5, 0.02));
}

/// Other lengths and loads hold as well. Short ones turn far in a step (up to
/// 0.3 rad): more stretch and more damping.
#[test]
fn other_chains() {
    for (links, link, load) in [
        (1, 1.0, 1000.0),
        (2, 1.0, 1000.0),
        (5, 0.1, 1000.0),
        (10, 0.25, 500.0),
        (30, 0.25, 2500.0),
        (30, 0.05, 5000.0),
        (200, 1.0, 100.0),
        (100, 0.25, 0.25),
    ] {
        let length = 0.1 * links as f64 + 0.25;
        swing(&mut chain(links, link, load), length, 20.0, (5e-3, 0.8));
    }
}

/// Hanging at rest, the tension at each joint is the weight below.
#[test]
fn tension_of_a_hanging_chain() {
    use taut::{Body, Frame, Joint};
    let mut world = World::new();
    let mut last = Frame::World;
    let mut joints = Vec::new();
    for i in 0..20 {
        let z = -(0.1 * f64::from(i) + 0.05);
        let body = Body::dynamic(format!("link{i}")).shape(cuboid(0.01, 0.01, 0.05)).mass(0.25);
        let body = world.add_body(body.position(Vec3::Z * z).collides(false)).expect("link");
        let joint = Joint::ball(format!("joint{i}"), last, body).anchor_b(Vec3::Z * 0.05);
        joints.push(world.add_joint(joint).expect("joint"));
        last = body.into();
    }
    for _ in 0..60 {
        step(&mut world, H);
    }
    for (i, &joint) in joints.iter().enumerate() {
        let force = world.joint(joint).expect("joint").reaction().force;
        let weight = 0.25 * (20 - i) as f64 * G;
        assert!((force - Vec3::Z * weight).length() < 1e-8 * weight, "{i}: {force} {weight}");
    }
}
