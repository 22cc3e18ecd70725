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

fn deepest(world: &World) -> f64 {
    world.contacts().map(|c| -c.gap).fold(0.0, f64::max)
}

/// A world without gravity and corrections, in which only projections move bodies.
fn still(rounds: usize) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("gravity");
    let settings = world.settings_mut();
    settings.contact_correction = 0.0;
    settings.contact_projection = rounds;
    world
}

fn ball(name: &str, mass: f64, x: f64) -> Body {
    let shape = taut::Shape::Ball { radius: 0.1 };
    Body::dynamic(name).shape(shape).mass(mass).position(Vec3::X * x)
}

/// Two balls of 1 and 3 kg, 1 cm inside one another: parted in one round, in the ratio of their
/// masses, without a velocity; their centre of mass stays.
#[test]
fn balls_part_by_their_masses() {
    for (rounds, depth) in [(0, 0.01), (1, 0.0), (4, 0.0)] {
        let mut world = still(rounds);
        let a = world.add_body(ball("a", 1.0, 0.0)).expect("a");
        let b = world.add_body(ball("b", 3.0, 0.19)).expect("b");
        let report = step(&mut world, H);
        let at = |id| world.body(id).expect("ball").position().x;
        let way = if rounds == 0 { 0.0 } else { 0.01 };
        assert!((at(a) + 0.75 * way).abs() < 1e-8 && (at(b) - 0.19 - 0.25 * way).abs() < 1e-8);
        assert_eq!(report.projected_islands, rounds.min(1));
        for id in [a, b] {
            let body = world.body(id).expect("ball");
            assert!(body.velocity().length() + body.angular_velocity().length() < 1e-12);
        }
        step(&mut world, H); // contacts are those of the start of a step
        assert!((deepest(&world) - depth).abs() < 1e-7, "{rounds}: {}", deepest(&world));
    }
}

/// A tilted box sunk into the ground turns as it comes out: more rounds leave less.
#[test]
fn several_rounds_leave_less() {
    let left = |rounds: usize| {
        let mut world = still(rounds);
        ground(&mut world, taut::Material::default());
        let tilted = taut::math::Quat::from_rotation_y(0.3);
        let body = Body::dynamic("box").shape(cube(0.5)).mass(2.0).orientation(tilted);
        world.add_body(body.position(Vec3::Z * 0.5)).expect("box");
        step(&mut world, H);
        step(&mut world, H);
        deepest(&world)
    };
    let [none, one, many] = [0, 1, 8].map(left);
    assert!(none > 0.05 && one < 0.5 * none && many < 1e-7, "{none} {one} {many}");
}

/// A ball that sinks in is pushed out with the pendulum that hangs on it; the joint stays closed. One
/// that a joint holds inside is left as it is.
#[test]
fn joints_stay_closed() {
    let mut world = still(8);
    ground(&mut world, taut::Material::default());
    let sunk = ball("sunk", 2.0, 0.0).position(Vec3::Z * 0.08);
    let sunk = world.add_body(sunk).expect("sunk");
    let bob = ball("bob", 1.0, 0.0).position(Vec3::new(0.5, 0.0, 0.5));
    let bob = world.add_body(bob).expect("bob");
    let joint = Joint::ball("arm", sunk, bob).anchor_a(Vec3::new(0.2, 0.0, 0.3));
    let joint = world.add_joint(joint.anchor_b(Vec3::new(-0.3, 0.0, -0.12))).expect("arm");
    let held = ball("held", 1.0, 5.0).position(Vec3::new(5.0, 0.0, 0.05));
    let held = world.add_body(held).expect("held");
    let fixed = Joint::ball("nail", Frame::World, held).anchor_a(Vec3::new(5.0, 0.0, 0.05));
    let fixed = world.add_joint(fixed.anchor_b(Vec3::ZERO)).expect("nail");
    step(&mut world, H);
    for joint in [joint, fixed] {
        let (a, b) = world.joint_anchors(joint).expect("joint");
        assert!(a.distance(b) < 1e-6, "{}", a.distance(b));
    }
    let height = |id| world.body(id).expect("ball").position().z;
    // (Closing the joint again lifts it by a trifle.)
    assert!((-1e-6..1e-4).contains(&(height(sunk) - 0.1)), "{}", height(sunk));
    assert!((height(held) - 0.05).abs() < 1e-6, "{}", height(held));
}

/// What is lifted gains energy, and the ledger says how much: m g times the way.
#[test]
fn lifting_is_booked() {
    let mut world = still(4);
    world.set_gravity(Vec3::Z * -G).expect("gravity");
    ground(&mut world, taut::Material::default());
    let sunk = ball("sunk", 2.0, 0.0).position(Vec3::Z * 0.09);
    let sunk = world.add_body(sunk).expect("sunk");
    let report = step(&mut world, H);
    let z = world.body(sunk).expect("ball").position().z;
    assert!((z - 0.1).abs() < 1e-6, "{z}");
    let gain = report.energy_gain;
    assert!((gain - 2.0 * G * 0.01).abs() < 1e-3, "{gain} J");
    for _ in 0..60 {
        let report = step(&mut world, H);
        assert_eq!(report.projected_islands, 0, "it rests");
    }
}

#[test]
fn rounds_have_a_bound() {
    let mut world = World::new();
    world.settings_mut().contact_projection = 101;
    let refused = world.step(H).expect_err("too many").to_string();
    assert!(refused.contains("contact_projection"), "{refused}");
}
