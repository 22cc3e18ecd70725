//! Motors, limits, springs, ropes and break thresholds.
mod scenes;

use scenes::*;
use taut::math::Quat;
use taut::math::Vec3;
use taut::{Body, Event, Frame, Joint, Motor, Shape, Spring, World};

/// A slider along z with a motor, carrying `mass`.
fn lift(mass: f64, motor: Motor) -> (World, taut::JointId) {
    let mut world = World::new();
    let load = Body::dynamic("load").mass(mass).box_inertia([0.1; 3]);
    let load = world.add_body(load).expect("load");
    let joint = Joint::slider("lift", Frame::World, load).axis_a(Vec3::Z).motor(motor);
    let joint = world.add_joint(joint).expect("lift");
    (world, joint)
}

#[test]
fn a_motor_stalls_at_its_force() {
    let force = 100.0;
    for (factor, rises) in [(0.99, true), (1.01, false)] {
        let (mut world, lift) = lift(factor * force / G, Motor::velocity(1.0, force));
        for _ in 0..600 {
            step(&mut world, H);
        }
        let z = world.joint_position(lift).expect("lift");
        assert_eq!(z > 0.0, rises, "load {factor}: {z}");
        if !rises {
            let expected = -0.5 * 0.01 / 1.01 * G * 100.0;
            assert!((z / expected - 1.0).abs() < 0.01, "{z} {expected}");
            let used = world.joint(lift).expect("lift").motor_force();
            assert!((used - force).abs() < 1e-9 * force, "{used}");
        }
    }
}

#[test]
fn a_motor_holds_its_speed() {
    let (mut world, lift) = lift(5.0, Motor::velocity(0.7, 1e4));
    for _ in 0..60 {
        step(&mut world, H);
    }
    assert!((world.joint_position(lift).expect("lift") - 0.7).abs() < 1e-6);
    let force = world.joint(lift).expect("lift").motor_force();
    assert!((force - 5.0 * G).abs() < 1e-6, "{force}");
}

#[test]
fn a_position_motor_sags_like_its_spring() {
    let (k, mass) = (2000.0, 4.0);
    let (mut world, lift) = lift(mass, Motor::position(0.5, k, 200.0, 1e6));
    for _ in 0..600 {
        step(&mut world, H);
    }
    let z = world.joint_position(lift).expect("lift");
    assert!((z - (0.5 - mass * G / k)).abs() < 1e-9, "{z}");
}

#[test]
fn limits_stop_a_door() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let door = Body::dynamic("door").mass(10.0).box_inertia([1.0, 0.1, 2.0]);
    let door = world.add_body(door.angular_velocity(Vec3::Z * 9.0)).expect("door");
    let hinge = Joint::hinge("hinge", Frame::World, door).axis_a(Vec3::Z).limits(-0.5, 1.0);
    let hinge = world.add_joint(hinge).expect("hinge");
    let mut largest = 0.0_f64;
    for _ in 0..60 {
        step(&mut world, H);
        largest = largest.max(world.joint_position(hinge).expect("hinge"));
    }
    assert!((largest - 1.0).abs() < 1e-6, "{largest}");
    world.set_velocity(door, Vec3::ZERO, Vec3::Z * -30.0).expect("door");
    for _ in 0..60 {
        step(&mut world, H);
    }
    assert!((world.joint_position(hinge).expect("hinge") + 0.5).abs() < 1e-6);
}

#[test]
fn angles_count_turns() {
    let mut world = World::new();
    let wheel = Body::dynamic("wheel").mass(1.0).box_inertia([1.0; 3]);
    let wheel = world.add_body(wheel).expect("wheel");
    let axle = Joint::hinge("axle", Frame::World, wheel).motor(Motor::velocity(10.0, 1e5));
    let axle = world.add_joint(axle).expect("axle");
    for _ in 0..300 {
        step(&mut world, H);
    }
    assert!((world.joint_position(axle).expect("axle") - 50.0).abs() < 1e-4);
}

/// Damped spring: static sag mg/k, whatever the step.
#[test]
fn compliant_joints_sag_by_their_stiffness() {
    let mut world = World::new();
    let body = Body::dynamic("mount").mass(3.0).box_inertia([0.2; 3]);
    let body = world.add_body(body).expect("mount");
    let linear = [Spring::RIGID, Spring::new(1e5, 10.0), Spring::new(1000.0, 50.0)];
    let angular = [Spring::new(20.0, 2.0); 3];
    let joint = Joint::compliant("bushing", Frame::World, body, [linear, angular]);
    world.add_joint(joint).expect("bushing");
    for _ in 0..900 {
        world.apply_torque(body, Vec3::Z * 5.0).expect("mount");
        step(&mut world, H);
    }
    let state = world.body(body).expect("mount");
    assert!((state.position().z + 3.0 * G / 1000.0).abs() < 1e-8, "{}", state.position());
    let (axis, angle) = state.orientation().to_axis_angle();
    assert!((angle * axis.z - 5.0 / 20.0).abs() < 1e-8, "{axis} {angle}");
}

#[test]
fn ropes_pull_and_rods_push() {
    let mut world = World::new();
    let ball = |name: &str, x: f64, z: f64| {
        Body::dynamic(name).mass(1.0).box_inertia([0.1; 3]).position(Vec3::new(x, 0.0, z))
    };
    let roped = world.add_body(ball("roped", 0.0, 0.0)).expect("roped");
    let rope = Joint::rope("rope", Frame::World, roped, 1.0).anchor_a(Vec3::ZERO);
    let rope = world.add_joint(rope.anchor_b(Vec3::ZERO)).expect("rope");
    let held = world.add_body(ball("held", 5.0, 1.0)).expect("held");
    let rod = Joint::rod("rod", Frame::World, held, 1.0).anchor_a(Vec3::X * 5.0);
    world.add_joint(rod.anchor_b(Vec3::ZERO)).expect("rod");
    for n in 0..600 {
        let length = world.joint_position(rope).expect("rope");
        assert!(length < 1.0 + 1e-6, "{length}");
        let force = world.joint(rope).expect("rope").reaction().force.length();
        assert!(length > 0.99 || force == 0.0 || n > 30, "slack ropes do not pull: {force}");
        step(&mut world, H);
    }
    assert!((position(&world, roped).z + 1.0).abs() < 1e-6);
    // Balanced on top of a rod, which pushes.
    assert!((position(&world, held).z - 1.0).abs() < 1e-6);
    let tension = world.joint(rope).expect("rope").reaction().force;
    assert!((tension.z - G).abs() < 1e-6, "{tension}");
}

#[test]
fn joints_break_and_say_so() {
    let mut world = World::new();
    let load = Body::dynamic("load").mass(10.0).box_inertia([0.1; 3]);
    let load = world.add_body(load).expect("load");
    let weld = Joint::weld("weld", Frame::World, load).breaks_at(120.0, 1e3);
    let weld = world.add_joint(weld).expect("weld");
    for _ in 0..10 {
        let report = step(&mut world, H);
        assert!(report.events.is_empty());
    }
    world.apply_force(load, Vec3::Z * -30.0).expect("load");
    let report = step(&mut world, H);
    let broke = |e: &Event| matches!(e, Event::JointBroke { name, .. } if name == "weld");
    assert!(report.events.iter().any(broke), "{:?}", report.events);
    assert!(world.joint(weld).is_err());
    step(&mut world, H);
    assert!(world.body(load).expect("load").velocity().z < -0.1);
}

/// Three arms in a plane whose motors have no force limit wind up until they jam: the motors give way and the run says which. (Joints were
/// torn open by 5 cm and arms went 5 cm into one another; a frame took 3 s.)
#[test]
fn motors_without_limit_that_jam_give_way_and_say_so() {
    let mut world = World::new();
    let mut last = Frame::World;
    for (i, speed) in [10.0, -15.0, 8.0].into_iter().enumerate() {
        let shape = Shape::Capsule { half_length: 0.4, radius: 0.05 };
        let arm = Body::dynamic(format!("arm{i}")).shape(shape).mass(1.0);
        let turn = Quat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let arm = arm.position(Vec3::X * (0.5 + i as f64)).orientation(turn);
        let arm = world.add_body(arm).expect("arm");
        let hinge = Joint::hinge(format!("hinge{i}"), last, arm).anchor_b(Vec3::Z * -0.5);
        let hinge = hinge.axis_b(Vec3::Y).motor(Motor::velocity(speed, f64::INFINITY));
        world.add_joint(hinge).expect("hinge");
        last = Frame::from(arm);
    }
    let mut said = None;
    for _ in 0..60 {
        let report = world.step(H).expect("step");
        assert!(!report.is_torn() && !report.gained_energy(), "{:?}", report.torn_joint);
        assert!(report.max_joint_gap < 1e-3, "open by {} m", report.max_joint_gap);
        assert!(report.max_penetration < 2e-3, "{} m deep", report.max_penetration);
        said = said.or(report.failure.clone());
    }
    let said = said.expect("a jam");
    assert!(said.contains("no force limit and jams"), "{said}");
}

/// f − kq − dq̇ within bounds: without k a speed that it gives way from, with k a spring that only pulls.
#[test]
fn an_affine_motor_pushes_by_what_is_missing() {
    let mass = 2.0;
    let weight = mass * G;
    // 40 N, less 20 N a m/s: it rises where 40 − 20 v = mg.
    let (mut world, lift_to) = lift(mass, Motor::affine(40.0, [0.0, 20.0], [-1e3, 1e3]));
    for _ in 0..300 {
        step(&mut world, H);
    }
    let v = world.joint_velocity(lift_to).expect("lift");
    assert!((v - (40.0 - weight) / 20.0).abs() < 1e-9, "{v}");
    let force = world.joint(lift_to).expect("lift").motor_force();
    assert!((force - weight).abs() < 1e-6, "{force}");
    // However strong, it does not overshoot: half the force would do.
    let (mut world, strong) = lift(mass, Motor::affine(1e7, [0.0, 1e7], [-1e9, 1e9]));
    for _ in 0..3 {
        step(&mut world, H);
        let v = world.joint_velocity(strong).expect("lift");
        assert!((v - 1.0).abs() < 1e-4, "{v}");
    }
    // Bounds differ: 5 N upwards at most.
    let (mut world, weak) = lift(mass, Motor::affine(1e3, [0.0, 20.0], [-1e3, 5.0]));
    for _ in 0..60 {
        step(&mut world, H);
    }
    let v = world.joint_velocity(weak).expect("lift");
    assert!((v - (5.0 / mass - G)).abs() < 1e-9, "{v}");
    // A spring of 300 N/m at 0 that pushes up, never down.
    let (mut world, spring) = lift(mass, Motor::affine(0.0, [300.0, 30.0], [0.0, f64::INFINITY]));
    for _ in 0..600 {
        step(&mut world, H);
    }
    let q = world.joint_position(spring).expect("lift");
    assert!((q + weight / 300.0).abs() < 1e-6, "{q}");
    let wrong = Joint::slider("wrong", Frame::World, world.body_named("load").expect("load"));
    assert!(world.add_joint(wrong.motor(Motor::affine(0.0, [1.0, 0.0], [1.0, 0.0]))).is_err());
}
