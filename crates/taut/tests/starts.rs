//! Starts that are not sound: bodies inside one another, joints that are open.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, Frame, Joint, Shape, World};

/// The highest speed within a time.
fn fastest(world: &mut World, time: f64) -> f64 {
    let mut fastest = 0.0_f64;
    for _ in 0..(time / H) as usize {
        let _ = world.step(H).expect("valid step");
        for (_, body) in world.bodies() {
            fastest = fastest.max(body.velocity().length());
        }
    }
    fastest
}

#[test]
fn half_a_body_inside_another_is_pushed_out_gently() {
    let shapes =
        [cube(0.2), Shape::Ball { radius: 0.2 }, Shape::Capsule { half_length: 0.2, radius: 0.1 }];
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes {
            for ratio in [1.0, 1e3, 1e-3] {
                let mut world = World::new();
                ground(&mut world, friction(0.5));
                let low = Body::dynamic("low").shape(a.clone()).mass(1.0).position(Vec3::Z * 0.2);
                world.add_body(low).expect("low");
                let at = Vec3::new(0.03 * i as f64, 0.02, 0.4);
                let high = Body::dynamic("high").shape(b.clone()).mass(ratio).position(at);
                world.add_body(high).expect("high");
                let speed = fastest(&mut world, 2.0);
                assert!(speed < 4.0, "{a:?} {b:?} {ratio}: {speed} m/s");
            }
        }
    }
}

/// A wheel that sticks in the chassis it is mounted on: contact and joint contradict one another.
#[test]
fn a_wheel_inside_its_chassis_stays_calm() {
    let mut world = World::new();
    ground(&mut world, friction(0.8));
    let body = Body::dynamic("chassis").shape(cuboid(1.0, 0.4, 0.2)).mass(500.0);
    let chassis = world.add_body(body.position(Vec3::Z * 0.5)).expect("chassis");
    for (i, (x, y)) in
        [(0.7, 0.48), (0.7, -0.48), (-0.7, 0.48), (-0.7, -0.48)].into_iter().enumerate()
    {
        let shape = Shape::Cylinder { half_height: 0.1, radius: 0.3 };
        let turn = Quat::from_rotation_x(0.5 * std::f64::consts::PI);
        let wheel = Body::dynamic(format!("wheel{i}")).shape(shape).mass(10.0).orientation(turn);
        let wheel = world.add_body(wheel.position(Vec3::new(x, y, 0.3))).expect("wheel");
        let joint = Joint::hinge(format!("axle{i}"), chassis, wheel).axis_b(Vec3::Z).colliding();
        world.add_joint(joint).expect("axle");
    }
    let speed = fastest(&mut world, 3.0);
    assert!(speed < 2.0, "{speed} m/s");
}

/// A chain whose links start a link apart is pulled together without a jerk.
#[test]
fn open_joints_do_not_jerk() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("gravity");
    let mut last = Frame::World;
    for i in 0..5 {
        let shape = Shape::Capsule { half_length: 0.3, radius: 0.05 };
        let body =
            Body::dynamic(format!("link{i}")).shape(shape).mass(if i < 4 { 1.0 } else { 500.0 });
        let turn = Quat::from_rotation_y(0.5 * std::f64::consts::PI);
        let body = body.position(Vec3::X * (0.35 + 1.3 * i as f64)).orientation(turn);
        let id = world.add_body(body).expect("link");
        let at = if i == 0 { Vec3::ZERO } else { Vec3::Z * 0.35 };
        let joint =
            Joint::ball(format!("joint{i}"), last, id).anchor_a(at).anchor_b(Vec3::Z * -0.35);
        world.add_joint(joint).expect("joint");
        last = id.into();
    }
    let speed = fastest(&mut world, 4.0);
    assert!(speed < 1.0, "{speed} m/s");
}

/// A hinge open by 0.4 m, without gravity: both bodies are at rest again when it is closed. (They drifted on at 1.5 mm/s, which is energy.)
#[test]
fn what_a_joint_closed_comes_to_rest() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("gravity");
    let body = |name: &str, mass: f64| Body::dynamic(name).shape(cuboid(0.2, 0.1, 0.1)).mass(mass);
    let a = world.add_body(body("a", 1.0)).expect("a");
    let b = body("b", 2.0).position(Vec3::X * 0.64).orientation(Quat::from_rotation_z(1.2));
    let b = world.add_body(b).expect("b");
    let joint = Joint::hinge("hinge", a, b).anchor_a(Vec3::X * 0.32);
    world.add_joint(joint.anchor_b(Vec3::new(-0.32, 0.4, 0.1))).expect("hinge");
    for _ in 0..60 {
        let report = world.step(H).expect("valid step");
        assert!(report.converged() && !report.gained_energy(), "{} J", report.energy_gain);
    }
    for id in [a, b] {
        let speed = world.body(id).expect("body").velocity().length();
        assert!(speed < 1e-4, "{speed} m/s");
    }
}

/// A load that overlaps its own chain, which joints and contact contradict: joints that creep open,
/// however slowly, are torn, and the report says so.
#[test]
fn joints_that_creep_open_are_torn() {
    let mut world = World::new();
    let mut last = None;
    for i in 0..20 {
        let at = Vec3::X * (0.1 + 0.2 * i as f64);
        let half_extents = Vec3::new(0.1, 0.02, 0.02);
        let link = Body::dynamic(format!("link{i}")).shape(Shape::Box { half_extents }).mass(0.1);
        let link = world.add_body(link.position(at)).expect("link");
        let frame = last.map_or(Frame::World, Frame::Body);
        let joint = Joint::ball(format!("joint{i}"), frame, link).anchor_b(Vec3::X * -0.1);
        let anchor = if last.is_some() { Vec3::X * 0.1 } else { Vec3::ZERO };
        world.add_joint(joint.anchor_a(anchor)).expect("joint");
        last = Some(link);
    }
    let load = Body::dynamic("load").shape(Shape::Ball { radius: 0.3 }).mass(100.0);
    let load = world.add_body(load.position(Vec3::X * 4.0)).expect("load");
    let frame = last.map_or(Frame::World, Frame::Body);
    world.add_joint(Joint::ball("hook", frame, load).anchor_a(Vec3::X * 0.1)).expect("hook");
    let mut before = 0.0;
    for _ in 0..120 {
        let report = world.step(H).expect("valid step");
        let gap = report.max_joint_gap;
        assert!(report.is_torn() || gap < 0.03 || gap <= before, "{gap} m, and nothing said");
        before = gap;
    }
}

/// Nothing moves but what closes the joint: no shorter parts are needed for that, and nothing is lost.
#[test]
fn an_open_joint_at_rest_takes_few_parts() {
    for gap in [1e-4, 1e-3, 1e-2, 5e-2] {
        for kind in 0..3 {
            let mut world = World::new();
            world.set_gravity(Vec3::ZERO).expect("gravity");
            let body = |name: &str, mass: f64, x: f64| {
                Body::dynamic(name).shape(cube(0.1)).mass(mass).position(Vec3::X * x)
            };
            let a = world.add_body(body("a", 1.0, 0.0)).expect("a");
            let b = world.add_body(body("b", 2.0, 0.3)).expect("b");
            let joint = match kind {
                0 => Joint::ball("j", Frame::Body(a), b),
                1 => Joint::hinge("j", Frame::Body(a), b),
                _ => Joint::slider("j", Frame::Body(a), b),
            };
            let anchor = Vec3::new(-0.15, gap, 0.0);
            world.add_joint(joint.anchor_a(Vec3::X * 0.15).anchor_b(anchor)).expect("joint");
            for _ in 0..60 {
                let report = world.step(H).expect("step");
                assert!(report.converged() && !report.is_torn() && !report.gained_energy());
                assert!(report.parts <= 8, "{gap} {kind}: {} parts", report.parts);
                assert!(report.events.is_empty(), "{gap} {kind}: {:?}", report.events);
            }
            let a = world.body(a).expect("a");
            assert!(a.centre_of_mass().is_finite() && a.velocity().length() < 1e-4);
        }
    }
}
