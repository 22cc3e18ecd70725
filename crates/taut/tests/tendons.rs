//! Joints that couple others: sums with limits and motors, and curves.

use taut::math::Vec3;
use taut::{Body, Frame, Joint, JointId, Motor, Passive, World};

const H: f64 = 1.0 / 60.0;

/// A body of 1 kg on a vertical slider.
fn lift(world: &mut World, name: &str, x: f64) -> JointId {
    let body = Body::dynamic(name).mass(1.0).box_inertia([0.1; 3]).position(Vec3::X * x);
    let body = world.add_body(body).unwrap();
    world.add_joint(Joint::slider(name, Frame::World, body).axis_a(Vec3::Z)).unwrap()
}

#[test]
fn a_tendon_shares_its_force_by_its_factors() {
    let mut world = World::new();
    let (a, b) = (lift(&mut world, "a", 0.0), lift(&mut world, "b", 1.0));
    // Factors 1 and 1: each body gets the whole force F = k(target − q₁ − q₂) = mg.
    let motor = Motor::position(0.3, 500.0, 50.0, f64::INFINITY);
    let tendon = Joint::tendon("t", vec![(a, 1.0), (b, 1.0)]).motor(motor);
    let tendon = world.add_joint(tendon).unwrap();
    for _ in 0..600 {
        assert!(world.step(H).unwrap().converged());
    }
    let sum = world.joint_position(a).unwrap() + world.joint_position(b).unwrap();
    assert!((sum - world.joint_position(tendon).unwrap()).abs() < 1e-12);
    assert!((sum - (0.3 - 9.81 / 500.0)).abs() < 1e-6, "{sum}");
    assert!((world.joint(tendon).unwrap().motor_force() - 9.81).abs() < 1e-4);
    assert!(world.joint_velocity(tendon).unwrap().abs() < 1e-6);
    // Driven from outside, like a motor of a hinge.
    world.motor(tendon).unwrap().set_target(0.5).unwrap();
    for _ in 0..600 {
        let _ = world.step(H).unwrap();
    }
    assert!((world.joint_position(tendon).unwrap() - (0.5 - 9.81 / 500.0)).abs() < 1e-6);
}

#[test]
fn limits_of_a_tendon_hold_and_equal_ones_lock() {
    for (limits, expected) in [([-0.2, 0.4], -0.2), ([0.0, 0.0], 0.0)] {
        let mut world = World::new();
        let (a, b) = (lift(&mut world, "a", 0.0), lift(&mut world, "b", 1.0));
        let tendon = Joint::tendon("t", vec![(a, 1.0), (b, 1.0)]).limits(limits[0], limits[1]);
        let passive = Passive { damping: 1.0, ..Passive::default() };
        let tendon = world.add_joint(tendon.passive(passive)).unwrap();
        for _ in 0..300 {
            assert!(world.step(H).unwrap().converged());
        }
        let sum = world.joint_position(tendon).unwrap();
        assert!((sum - expected).abs() < 1e-8, "{sum}");
    }
}

#[test]
fn a_cam_keeps_its_curve_and_its_energy() {
    let mut world = World::new();
    let crank = Body::dynamic("crank").mass(1.0).box_inertia([0.5, 0.1, 0.5]);
    let crank = world.add_body(crank.angular_velocity(Vec3::Y * 2.0)).unwrap();
    let crank =
        world.add_joint(Joint::hinge("crank", Frame::World, crank).axis_a(Vec3::Y)).unwrap();
    let follower = lift(&mut world, "follower", 1.0);
    let c = [0.1, 0.05, -0.02, 0.01];
    world.add_joint(Joint::cam("cam", follower, crank, c)).unwrap();
    // The follower moves along from the first step on.
    let _ = world.step(1e-9).unwrap();
    let energy = World::energy;
    let before = energy(&world);
    let (mut worst, mut drift) = (0.0_f64, 0.0_f64);
    for _ in 0..600 {
        assert!(world.step(H).unwrap().converged());
        let (q, y) =
            (world.joint_position(crank).unwrap(), world.joint_position(follower).unwrap());
        let wanted = q * (c[0] + q * (c[1] + q * (c[2] + q * c[3])));
        worst = worst.max((y - wanted).abs());
        drift = drift.max((energy(&world) - before).abs());
    }
    assert!(worst < 1e-6, "{worst:e}");
    // Measured: 1.9e-3 J in 10 s, of some joules that go to and fro.
    assert!(drift < 5e-3, "{drift:e}");
    // A copy goes on as the world does.
    let mut copy = World::restore(&world.snapshot()).unwrap();
    let _ = world.step(H).unwrap();
    let _ = copy.step(H).unwrap();
    assert_eq!(world.joint_position(crank).unwrap(), copy.joint_position(crank).unwrap());
}

#[test]
fn wrong_tendons_are_refused() {
    let mut world = World::new();
    let ids: Vec<_> = (0..7).map(|i| lift(&mut world, &format!("l{i}"), f64::from(i))).collect();
    let all = ids.iter().map(|&id| (id, 1.0)).collect();
    let spring = Passive { stiffness: 1.0, ..Passive::default() };
    let pair = || vec![(ids[0], 1.0), (ids[1], 1.0)];
    for (joint, words) in [
        (Joint::tendon("t", all), "one to 6 joints"),
        (Joint::tendon("t", Vec::new()), "one to 6 joints"),
        (Joint::tendon("t", vec![(ids[0], 1.0), (ids[0], 1.0)]), "with itself"),
        (Joint::tendon("t", vec![(ids[0], f64::NAN)]), "not finite"),
        (Joint::tendon("t", pair()).passive(spring), "no passive spring"),
        (Joint::cam("t", ids[0], ids[1], [1.0, f64::INFINITY, 0.0, 0.0]), "not finite"),
    ] {
        let error = world.add_joint(joint).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // With a joint the tendon on it goes, too.
    let tendon = world.add_joint(Joint::tendon("t", pair())).unwrap();
    world.remove_joint(ids[0]).unwrap();
    assert!(world.joint(tendon).is_err());
}
