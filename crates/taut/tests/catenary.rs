//! A chain between two points hangs in a catenary.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, Frame, Joint, World};

/// Solves 2a sinh(d/2a) = length for a.
fn parameter(length: f64, d: f64) -> f64 {
    let (mut low, mut high) = (1e-2, 1e3);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (0.5 * d / a).sinh() > length { low = a } else { high = a }
    }
    low
}

#[test]
fn shape_and_end_tensions() {
    let (n, length, span, mass) = (60, 3.0, 2.0, 0.1);
    let link = length / f64::from(n);
    let a = parameter(length, span);
    // Start on the catenary: point at arc length s from the lowest point.
    let at = |s: f64| {
        let x = a * (s / a).asinh();
        Vec3::new(x, 0.0, a * (x / a).cosh())
    };
    let node = |i: i32| at(-0.5 * length + link * f64::from(i));
    let mut world = World::new();
    let mut last = Frame::World;
    let mut joints = Vec::new();
    for i in 0..n {
        let (p, q) = (node(i), node(i + 1));
        let turn = Quat::from_rotation_arc(Vec3::X, (q - p).normalize());
        let body = Body::dynamic(format!("link{i}")).shape(cuboid(0.5 * link, 0.01, 0.01));
        let body = body.mass(mass).position(0.5 * (p + q)).orientation(turn).collides(false);
        let body = world.add_body(body).expect("link");
        let anchor = if i == 0 { p } else { Vec3::X * 0.5 * link };
        let joint = Joint::ball(format!("joint{i}"), last, body).anchor_a(anchor);
        joints.push(world.add_joint(joint.anchor_b(Vec3::X * -0.5 * link)).expect("joint"));
        last = body.into();
    }
    let joint = Joint::ball("end", last, Frame::World).anchor_a(Vec3::X * 0.5 * link);
    joints.push(world.add_joint(joint.anchor_b(node(n))).expect("end"));
    for _ in 0..600 {
        step(&mut world, H);
    }
    let sag = (0..n).map(|i| world.joint_anchors(joints[i as usize]).expect("joint").0.z);
    let lowest = sag.fold(f64::INFINITY, f64::min);
    assert!((lowest - a).abs() < 2e-3, "lowest point {lowest} instead of {a}");
    // End tension T = w·(height over the directrix), w = weight per length.
    let weight = mass / link * G;
    let tension = |i: usize| world.joint(joints[i]).expect("joint").reaction().force.length();
    let expected = weight * node(n).z;
    for i in [0, n as usize] {
        let error = (tension(i) / expected - 1.0).abs();
        assert!(error < 3e-3, "{} N instead of {expected} N", tension(i));
    }
    let horizontal = world.joint(joints[0]).expect("joint").reaction().force.x.abs();
    assert!((horizontal / (weight * a) - 1.0).abs() < 3e-3, "{horizontal}");
}
