//! Soft bodies that turn while they are held, attached or near something, and how scenes with them start.

use taut::math::Vec3;
use taut::soft::{Mesh, Model};
use taut::{Body, Frame, Joint, Shape, SoftBody, StartWarning, World};

const H: f64 = 1.0 / 60.0;

fn still(world: &mut World) {
    world.set_gravity(Vec3::ZERO).expect("gravity");
}

fn ground(world: &mut World) {
    let plane = Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane).expect("ground");
}

/// A wheel of 60 kg with a tyre of rubber, attached node by node, spins on.
#[test]
fn a_wheel_with_a_soft_tyre_spins_on() {
    for young in [4e6, 4e8] {
        let mut world = World::new();
        still(&mut world);
        let rate = Vec3::Z * 16.6;
        let rim = Body::dynamic("rim").mass(60.0).angular_velocity(rate);
        let rim = rim.shape(Shape::Cylinder { half_height: 0.15, radius: 0.28 });
        let rim = world.add_body(rim).expect("rim");
        let mesh = Mesh::tube([0.28, 0.5], 0.3, [2, 20, 1]).expect("mesh");
        let tyre = SoftBody::new("tyre", mesh).position(Vec3::Z * -0.15).density(1100.0);
        let tyre = tyre.elastic(Model::Corotational, young, 0.4).angular_velocity(rate);
        let inner = tyre.nodes_where(|x| x.x.hypot(x.y) < 0.281);
        let tyre = world.add_soft_body(tyre).expect("tyre");
        world.attach(tyre, inner, rim).expect("attached");
        assert_eq!(world.start_warnings(), []);
        let energy = world.energy();
        let mut first = None;
        for _ in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            assert!(!report.gained_energy(), "{} J", report.energy_gain);
            let spin = report.angular_momentum;
            let first = *first.get_or_insert(spin);
            let off = (spin - first).length() / first.length();
            assert!(off < 1e-6, "{off} of its angular momentum");
        }
        // (A tyre of 4 MPa stretches, rings, and loses that.)
        let lost = 1.0 - world.energy() / energy;
        let most = if young < 1e7 { 0.03 } else { 1e-3 };
        assert!(lost < most, "{lost} of its energy");
    }
}

/// A bar that hangs on one of its nodes swings on, above a ground as without.
#[test]
fn a_bar_on_a_node_swings_on() {
    for has_ground in [false, true] {
        let mut world = World::new();
        if has_ground {
            ground(&mut world);
        }
        let mesh = Mesh::block([1.0, 0.05, 0.05], [10, 1, 1]).expect("mesh");
        let bar = SoftBody::new("bar", mesh).elastic(Model::Corotational, 5e7, 0.3);
        let bar = bar.position(Vec3::Z * 2.0).pin_where(|x| x == Vec3::Z * 2.0);
        world.add_soft_body(bar).expect("bar");
        let start = world.energy();
        for _ in 0..300 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            assert!(!report.gained_energy(), "{} J", report.energy_gain);
        }
        // It can fall by 12 J.
        let lost = start - world.energy();
        assert!(lost.abs() < 0.1, "{lost} J of 12 J");
    }
}

/// What starts inside something is said, and what touches is not.
#[test]
fn soft_bodies_that_start_inside_others_are_named() {
    let cube = |name: &str, at: Vec3| {
        SoftBody::new(name, Mesh::block([0.2; 3], [2; 3]).expect("mesh")).position(at)
    };
    let mut world = World::new();
    ground(&mut world);
    world.add_soft_body(cube("a", Vec3::ZERO)).expect("a");
    world.add_soft_body(cube("b", Vec3::new(0.2, 0.02, 0.0))).expect("b");
    assert_eq!(world.start_warnings(), []);
    world.add_soft_body(cube("deep", Vec3::new(1.0, 0.0, -0.03))).expect("deep");
    world.add_soft_body(cube("c", Vec3::new(0.15, 0.01, 0.15))).expect("c");
    // A ball that no node is in.
    world.add_soft_body(cube("full", Vec3::X * 2.0)).expect("full");
    let ball = Body::dynamic("ball").position(Vec3::new(2.05, 0.06, 0.06));
    world.add_body(ball.shape(Shape::Ball { radius: 0.02 })).expect("ball");
    let said: Vec<(String, String, f64)> = world
        .start_warnings()
        .into_iter()
        .map(|w| match w {
            StartWarning::SoftOverlap { soft, other, depth } => (soft, other, depth),
            other => panic!("{other}"),
        })
        .collect();
    let pairs: Vec<(&str, &str)> = said.iter().map(|s| (s.0.as_str(), s.1.as_str())).collect();
    assert_eq!(pairs, [("a", "c"), ("b", "c"), ("deep", "ground"), ("full", "ball")]);
    assert!((said[2].2 - 0.03).abs() < 1e-12, "{said:?}");
}

/// Nodes that start against the body they are attached to are said; with its motion they are not.
#[test]
fn nodes_that_start_against_their_body_are_named() {
    for turns in [false, true] {
        let mut world = World::new();
        let arm = Body::kinematic("arm").angular_velocity(Vec3::Y * 20.0);
        let half_extents = Vec3::new(0.5, 0.05, 0.05);
        let arm = world.add_body(arm.shape(Shape::Box { half_extents })).expect("arm");
        let mut foot = SoftBody::new("foot", Mesh::block([0.1; 3], [2; 3]).expect("mesh"));
        foot = foot.position(Vec3::new(0.5, -0.05, -0.05));
        if turns {
            foot = foot.velocity(Vec3::Z * -11.0).angular_velocity(Vec3::Y * 20.0);
        }
        let nodes = foot.nodes_where(|x| x.x < 0.501);
        let foot = world.add_soft_body(foot).expect("foot");
        world.attach(foot, nodes, arm).expect("attached");
        let warnings = world.start_warnings();
        assert_eq!(warnings.is_empty(), turns, "{warnings:?}");
    }
}

/// What could only fail in a step is refused.
#[test]
fn what_cannot_move_is_refused() {
    let mesh = Mesh::block([0.2; 3], [2; 3]).expect("mesh");
    let mut world = World::new();
    for young in [1e20, 1e17] {
        let stiff = SoftBody::new("stiff", mesh.clone()).elastic(Model::Corotational, young, 0.3);
        let error = world.add_soft_body(stiff).expect_err("too stiff").to_string();
        assert!(error.contains("too stiff"), "{error}");
    }
    let steel = SoftBody::new("steel", mesh.clone()).elastic(Model::Corotational, 2e11, 0.3);
    world.add_soft_body(steel.density(7850.0)).expect("steel");
    let body = Body::dynamic("body").shape(Shape::Ball { radius: 0.1 });
    let body = world.add_body(body).expect("body");
    let held = world.add_soft_body(SoftBody::new("held", mesh).pin([0])).expect("held");
    let error = world.attach(held, [1, 0], body).expect_err("pinned").to_string();
    assert!(error.contains("node 0 is pinned"), "{error}");
}

/// A soft foot at the end of an arm that turns goes round with it: that brakes, and creates no energy.
#[test]
fn a_foot_goes_round_with_its_arm() {
    for hinged in [true, false] {
        let mut world = World::new();
        still(&mut world);
        let rate = Vec3::Y * 20.0;
        let half_extents = Vec3::new(1.0, 0.05, 0.05);
        let arm = Body::dynamic("arm").mass(10.0).angular_velocity(rate);
        let arm = world.add_body(arm.shape(Shape::Box { half_extents })).expect("arm");
        if hinged {
            let hinge = Joint::hinge("hinge", Frame::World, arm).axis_a(Vec3::Y);
            world.add_joint(hinge).expect("hinge");
        }
        let foot = SoftBody::new("foot", Mesh::block([0.1; 3], [2; 3]).expect("mesh"));
        let foot = foot.position(Vec3::new(1.0, -0.05, -0.05)).angular_velocity(rate);
        let foot = foot.velocity(rate.cross(Vec3::X * 1.05));
        let nodes = foot.nodes_where(|x| x.x < 1.001);
        let foot = world.add_soft_body(foot).expect("foot");
        world.attach(foot, nodes, arm).expect("attached");
        let energy = world.energy();
        for _ in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            assert!(!report.gained_energy(), "{} J", report.energy_gain);
        }
        assert!(world.energy() < energy);
    }
}
