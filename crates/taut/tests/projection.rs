//! The optional position projection: closes joints, leaves velocities alone.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, Frame, Integrator, Joint, World};

/// Steps a world of joints; the largest stretch, and how many projections.
fn largest_stretch(world: &mut World, length: f64, seconds: f64) -> (f64, usize) {
    let (mut most, mut projected) = (0.0_f64, 0);
    for _ in 0..(seconds / H).round() as usize {
        let report = step(world, H);
        projected += report.projected_islands;
        most = most.max(gaps(world) / length);
    }
    (most, projected)
}

#[test]
fn closes_a_chain_that_nothing_else_closes() {
    let run = |projection: bool| {
        let mut world = chain(20, 0.25, 5.0);
        world.settings_mut().integrator = Integrator::SemiImplicitEuler;
        world.settings_mut().joint_correction = 0.0;
        world.settings_mut().max_halvings = 0;
        world.settings_mut().position_projection = projection;
        largest_stretch(&mut world, 2.25, 10.0)
    };
    let ((open, none), (closed, steps)) = (run(false), run(true));
    assert!(none == 0 && steps > 100);
    assert!(closed < 2e-4 && closed < 0.01 * open, "{closed} against {open}");
}

#[test]
fn a_loaded_chain_holds_with_it() {
    let mut world = chain(100, 0.25, 500.0);
    world.settings_mut().position_projection = true;
    let e0 = step(&mut world, H).energy();
    let (stretch, _) = largest_stretch(&mut world, 10.0, 10.0);
    let e1 = step(&mut world, H).energy();
    assert!(stretch < 1e-3, "{stretch}");
    let gain = (e1 - e0) / (525.0 * G * 10.0);
    assert!(gain < 0.01 && gain > -0.08, "{gain}");
}

/// A pendulum set off its pivot is brought back at once; its velocity, which
/// the step found, stays.
#[test]
fn moves_positions_only() {
    let run = |projection: bool| {
        let mut world = World::new();
        world.settings_mut().integrator = Integrator::SemiImplicitEuler;
        world.settings_mut().joint_correction = 0.0;
        world.settings_mut().position_projection = projection;
        let bob = Body::dynamic("bob").shape(cube(0.1)).mass(2.0).position(Vec3::X);
        let bob = world.add_body(bob).expect("bob");
        let joint = Joint::ball("pivot", Frame::World, bob).anchor_b(Vec3::X * -1.0);
        let joint = world.add_joint(joint.anchor_a(Vec3::Y * 0.01)).expect("pivot");
        step(&mut world, H);
        let (a, b) = world.joint_anchors(joint).expect("pivot");
        (a.distance(b), world.body(bob).expect("bob").velocity())
    };
    let ((open, v), (closed, w)) = (run(false), run(true));
    assert!(open > 0.009 && closed < 1e-4, "{open} m, then {closed} m");
    assert_eq!(v, w);
}

/// Ropes and limits are one-sided; a hinge and a gear have angles.
#[test]
fn other_joints_keep_working() {
    let mut world = World::new();
    world.settings_mut().integrator = Integrator::SemiImplicitEuler;
    world.settings_mut().joint_correction = 0.0;
    world.settings_mut().position_projection = true;
    let ball = |name: &str, x: f64| {
        let body = Body::dynamic(name).shape(cube(0.1)).mass(2.0).collides(false);
        body.position(Vec3::X * x)
    };
    let bob = world.add_body(ball("bob", 1.0)).expect("bob");
    let rope = Joint::rope("rope", Frame::World, bob, 1.2).anchor_b(Vec3::ZERO);
    world.add_joint(rope.anchor_a(Vec3::ZERO)).expect("rope");
    let (a, b) = (ball("a", 5.0), ball("b", 7.0));
    let [a, b] = [a, b].map(|body| world.add_body(body).expect("wheel"));
    let hinge = |name, body| Joint::hinge(name, Frame::World, body).axis_a(Vec3::Y);
    let first = hinge("first", a).anchor_b(Vec3::X * -0.5).limits(-9.0, 9.0);
    let first = world.add_joint(first).expect("first");
    let second = world.add_joint(hinge("second", b)).expect("second");
    world.add_joint(Joint::gear("gear", first, second, 0.5)).expect("gear");
    for _ in 0..300 {
        let report = step(&mut world, H);
        assert!(report.max_joint_gap < 1e-3, "t = {}: {}", report.time, report.max_joint_gap);
        let angle = |id| world.joint(id).expect("hinge").angle();
        let slip = angle(first) - 0.5 * angle(second);
        assert!(slip.abs() < 1e-6, "t = {}: gear off by {slip} rad", report.time);
    }
}
