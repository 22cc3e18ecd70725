//! Mechanisms against their exact loop equations: slider-crank, four-bar,
//! gears, universal joint.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Frame, Joint, Motor, World};

/// A bar in the xz plane from p to q, of 1 kg.
fn bar(world: &mut World, name: &str, p: Vec3, q: Vec3) -> BodyId {
    let d = q - p;
    let turn = Quat::from_rotation_arc(Vec3::X, d.normalize());
    let body = Body::dynamic(name).shape(cuboid(0.5 * d.length(), 0.02, 0.02)).mass(1.0);
    let body = body.position(0.5 * (p + q)).orientation(turn).collides(false);
    world.add_body(body).expect("bar")
}

/// A hinge about y at a point, which is where b's anchor is.
fn pin(world: &mut World, name: &str, a: impl Into<Frame>, b: BodyId, at: Vec3) -> taut::JointId {
    let local = world.body(b).expect("b").pose().inverse_transform_point(at);
    let axis = world.body(b).expect("b").orientation().inverse() * Vec3::Y;
    let joint = Joint::hinge(name, a, b).anchor_b(local).axis_b(axis);
    world.add_joint(joint).expect("pin")
}

fn drive(world: &mut World, joint: taut::JointId, speed: f64) {
    let motor = Some(Motor::velocity(speed, 1e6));
    world.edit_joint(joint, |j| j.angle_motor = motor).expect("motor");
}

#[test]
fn slider_crank() {
    let (r, l) = (0.3, 0.8);
    let mut world = World::new();
    let crank = bar(&mut world, "crank", Vec3::ZERO, Vec3::X * r);
    let rod = bar(&mut world, "rod", Vec3::X * r, Vec3::X * (r + l));
    let piston = Body::dynamic("piston").shape(cube(0.05)).mass(2.0).collides(false);
    let piston = world.add_body(piston.position(Vec3::X * (r + l))).expect("piston");
    let main = pin(&mut world, "main", Frame::World, crank, Vec3::ZERO);
    pin(&mut world, "big end", crank, rod, Vec3::X * r);
    pin(&mut world, "small end", rod, piston, Vec3::X * (r + l));
    let guide = Joint::slider("guide", Frame::World, piston).axis_a(Vec3::X);
    world.add_joint(guide).expect("guide");
    drive(&mut world, main, 3.0);
    for _ in 0..360 {
        let report = step(&mut world, H);
        assert!(report.max_joint_gap < 1e-5, "{}", report.max_joint_gap);
        let angle = world.joint_position(main).expect("main");
        let expected = r * angle.cos() + (l * l - (r * angle.sin()).powi(2)).sqrt();
        let x = position(&world, piston).x;
        assert!((x - expected).abs() < 1e-4, "angle {angle}: {x} {expected}");
    }
    assert!((world.joint_position(main).expect("main") - 18.0).abs() < 1e-3);
}

#[test]
fn four_bar() {
    // Grashof: crank 0.2, coupler 0.6, rocker 0.5, frame 0.7.
    let (a, b, c, d) = (0.2_f64, 0.6, 0.5, 0.7);
    // Where the coupler meets the rocker for a crank angle: circles around
    // the crank pin and the rocker's pivot.
    let meet = |angle: f64| {
        let p = Vec3::new(a * angle.cos(), 0.0, a * angle.sin());
        let q = Vec3::X * d;
        let e = q - p;
        let s = (b * b - c * c + e.length_squared()) / (2.0 * e.length());
        let n = Vec3::new(-e.z, 0.0, e.x) / e.length();
        (p, p + e * (s / e.length()) + n * (b * b - s * s).sqrt())
    };
    let (p, m) = meet(0.0);
    let mut world = World::new();
    let crank = bar(&mut world, "crank", Vec3::ZERO, p);
    let coupler = bar(&mut world, "coupler", p, m);
    let rocker = bar(&mut world, "rocker", Vec3::X * d, m);
    let main = pin(&mut world, "main", Frame::World, crank, Vec3::ZERO);
    pin(&mut world, "crank pin", crank, coupler, p);
    let end = pin(&mut world, "coupler pin", coupler, rocker, m);
    pin(&mut world, "pivot", Frame::World, rocker, Vec3::X * d);
    drive(&mut world, main, -2.0);
    for _ in 0..400 {
        step(&mut world, H);
        // A positive turn about y goes from z to x.
        let angle = -world.joint_position(main).expect("main");
        let (_, expected) = meet(angle);
        let at = world.joint_anchors(end).expect("end").0;
        assert!(at.distance(expected) < 2e-4, "angle {angle}: {at} {expected}");
    }
}

fn wheel(world: &mut World, name: &str, x: f64, inertia: f64) -> (BodyId, taut::JointId) {
    let tensor = taut::math::Mat3::from_diagonal(Vec3::splat(inertia));
    let body = Body::dynamic(name).mass(1.0).inertia(tensor).position(Vec3::X * x);
    let id = world.add_body(body).expect("wheel");
    let joint = Joint::hinge(format!("axle of {name}"), Frame::World, id).axis_a(Vec3::Y);
    (id, world.add_joint(joint).expect("axle"))
}

#[test]
fn gear_ratio_and_reflected_inertia() {
    let mut world = World::new();
    let ((a, axle_a), (_, axle_b)) =
        (wheel(&mut world, "a", 0.0, 0.5), wheel(&mut world, "b", 1.0, 2.0));
    let ratio = -3.0;
    world.add_joint(Joint::gear("gear", axle_a, axle_b, ratio)).expect("gear");
    for _ in 0..120 {
        world.apply_torque(a, Vec3::Y * 4.0).expect("a");
        step(&mut world, H);
        let (qa, qb) = (world.joint_position(axle_a), world.joint_position(axle_b));
        let (qa, qb) = (qa.expect("a"), qb.expect("b"));
        assert!((qa - ratio * qb).abs() < 1e-7 * (1.0 + qa.abs()), "{qa} {qb}");
    }
    let w = world.body(a).expect("a").angular_velocity().y;
    let expected = 4.0 * 2.0 / (0.5 + 2.0 / (ratio * ratio));
    assert!((w / expected - 1.0).abs() < 1e-6, "{w} {expected}");
}

/// The cage's torque T is shared evenly: with λ on each output and T − 2λ on
/// the cage, λ = (2T/I₀) / (1/I₁ + 1/I₂ + 4/I₀).
#[test]
fn differential_shares_torque_evenly() {
    let mut world = World::new();
    let ((cage, q0), (a, q1), (b, q2)) = (
        wheel(&mut world, "cage", 0.0, 0.5),
        wheel(&mut world, "a", 1.0, 2.0),
        wheel(&mut world, "b", 2.0, 3.0),
    );
    world.add_joint(Joint::differential("differential", q0, q1, q2)).expect("differential");
    for _ in 0..120 {
        world.apply_torque(cage, Vec3::Y * 4.0).expect("cage");
        step(&mut world, H);
        let [q0, q1, q2] = [q0, q1, q2].map(|q| world.joint_position(q).expect("an angle"));
        assert!((q1 + q2 - 2.0 * q0).abs() < 1e-7 * (1.0 + q0.abs()), "{q0} {q1} {q2}");
    }
    let torque = 2.0 * 4.0 / 0.5 / (1.0 / 2.0 + 1.0 / 3.0 + 4.0 / 0.5);
    for (wheel, inertia) in [(a, 2.0), (b, 3.0)] {
        let w = world.body(wheel).expect("a wheel").angular_velocity().y;
        let expected = torque / inertia * 120.0 * H;
        assert!((w / expected - 1.0).abs() < 1e-6, "{w} {expected}");
    }
    world.remove_joint(q1).expect("an axle");
    assert!(world.joint_named("differential").is_none(), "it goes with what it couples");
}

#[test]
fn rack_and_pinion() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let (_, axle) = wheel(&mut world, "pinion", 0.0, 0.1);
    let rack = Body::dynamic("rack").mass(2.0).box_inertia([1.0, 0.1, 0.1]);
    let rack = world.add_body(rack.position(Vec3::Z * -0.2)).expect("rack");
    let guide = Joint::slider("guide", Frame::World, rack).axis_a(Vec3::X);
    let guide = world.add_joint(guide).expect("guide");
    world.add_joint(Joint::gear("mesh", guide, axle, 0.2)).expect("mesh");
    drive(&mut world, axle, 5.0);
    for _ in 0..60 {
        step(&mut world, H);
    }
    let (x, angle) = (world.joint_position(guide), world.joint_position(axle));
    let (x, angle) = (x.expect("guide"), angle.expect("axle"));
    assert!((angle - 5.0).abs() < 1e-3 && (x - 0.2 * angle).abs() < 1e-8, "{x} {angle}");
}

/// Two shafts at an angle β joined by a universal joint:
/// tan θ₂ = tan θ₁ / cos β (in the right zero).
#[test]
fn universal_joint() {
    let beta = 0.5_f64;
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let along = Vec3::new(beta.cos(), 0.0, beta.sin());
    let shaft = |name: &str, direction: Vec3, at: Vec3| {
        let turn = Quat::from_rotation_arc(Vec3::X, direction);
        Body::dynamic(name).mass(1.0).box_inertia([0.5, 0.1, 0.1]).position(at).orientation(turn)
    };
    let a = world.add_body(shaft("a", Vec3::X, -0.5 * Vec3::X)).expect("a");
    let b = world.add_body(shaft("b", along, 0.5 * along)).expect("b");
    let bearing_a = Joint::hinge("bearing a", Frame::World, a).axis_a(Vec3::X);
    let bearing_a = world.add_joint(bearing_a).expect("bearing");
    let bearing_b = Joint::hinge("bearing b", Frame::World, b).axis_a(along);
    let bearing_b = world.add_joint(bearing_b).expect("bearing");
    // The cross: y of a, and at the start the perpendicular to y in b.
    let cross = Joint::universal("cross", a, b).anchor_b(Vec3::X * -0.5).axis_a(Vec3::Y);
    world.add_joint(cross.axis_b(Vec3::Z)).expect("cross");
    drive(&mut world, bearing_a, 2.0);
    for _ in 0..240 {
        step(&mut world, H);
        let t1 = world.joint_position(bearing_a).expect("a");
        let t2 = world.joint_position(bearing_b).expect("b");
        // sin t1 cos t2 = cos β cos t1 sin t2, or with cos β on the other
        // side, depending on which axis starts in the plane of the shafts.
        let (s1, c1) = t1.sin_cos();
        let (s2, c2) = t2.sin_cos();
        let error =
            (s2 * c1 * beta.cos() - s1 * c2).abs().min((s2 * c1 - s1 * c2 * beta.cos()).abs());
        assert!(error < 1e-3, "{t1} {t2}: {error}");
    }
}

type Join = fn(String, BodyId, BodyId) -> Joint;

/// A ring of bodies in the xy plane, each joined to the next about its middle.
fn ring(count: usize, height: f64, join: Join) -> World {
    let mut world = World::new();
    let at = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        Vec3::new(angle.cos(), angle.sin(), 0.0) + Vec3::new(3.1, -2.7, height)
    };
    let add = |k: usize| {
        let turn = Quat::from_rotation_z(0.7 * k as f64);
        let body = Body::dynamic(format!("body{k}")).shape(cuboid(0.2, 0.1, 0.15)).mass(2.0);
        world.add_body(body.position(at(k)).orientation(turn).collides(false)).expect("body")
    };
    let bodies: Vec<_> = (0..count).map(add).collect();
    for (k, &a) in bodies.iter().enumerate() {
        let b = bodies[(k + 1) % count];
        let middle = 0.5 * (at(k) + at((k + 1) % count));
        let joint = join(format!("joint{k}"), a, b);
        let local = world.body(b).expect("body").pose().inverse_transform_point(middle);
        world.add_joint(joint.anchor_b(local)).expect("joint");
    }
    world
}

/// Closed loops that hold one another more often than they need to fall as one body does: all rates of their joints cancel, and what
/// rounding leaves of these asks for nothing. (No step of sixty converged, and what had to be done otherwise fell by 4.93 m.)
#[test]
fn redundant_loops_fall() {
    let (weld, hinge): (Join, Join) = (Joint::weld, Joint::hinge);
    let scenes: [(usize, f64, Join); 5] =
        [(3, 0.0, weld), (3, 2000.0, weld), (6, 0.0, hinge), (12, 50.0, hinge), (40, 0.0, weld)];
    for (count, height, join) in scenes {
        let mut world = ring(count, height, join);
        let start: Vec<_> = world.bodies().map(|(_, b)| b.position()).collect();
        for _ in 0..60 {
            let report = step(&mut world, H);
            assert!(report.relative_residual <= 1e-9, "{}", report.relative_residual);
        }
        for ((_, body), start) in world.bodies().zip(start) {
            let way = body.position() - start;
            assert!(way.distance(Vec3::Z * (-0.5 * G)) < 1e-9 * (1.0 + height), "{count}: {way}");
        }
    }
}
