//! Soft bodies in worlds, against closed forms.

use taut::math::{Quat, Vec3};
use taut::soft::{Mesh, Model};
use taut::{Body, Material, Shape, SoftBody, World};

const H: f64 = 1.0 / 60.0;

fn slick(friction: f64) -> Material {
    Material { friction, ..Material::default() }
}

fn ground(world: &mut World, friction: f64) {
    let plane = Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane.material(slick(friction))).expect("ground");
}

fn cube(cells: usize) -> SoftBody {
    let mesh = Mesh::block([0.2; 3], [cells; 3]).expect("mesh");
    SoftBody::new("cube", mesh).mass(8.0)
}

/// A plate of up to 1,000 kg on a cube of 8 kg, ν = 0: height 0.2 (1 − (m + 4) g / (E A)).
#[test]
fn heavy_plates_stand_on_a_soft_cube() {
    for mass in [20.0, 100.0, 1000.0] {
        let mut world = World::new();
        ground(&mut world, 0.5);
        let soft = cube(2).elastic(Model::Linear, 1e6, 0.0);
        world.add_soft_body(soft).expect("soft");
        let plate = Body::dynamic("plate").mass(mass).position(Vec3::new(0.1, 0.1, 0.22));
        let shape = Shape::Box { half_extents: Vec3::new(0.15, 0.15, 0.02) };
        let plate = world.add_body(plate.shape(shape)).expect("plate");
        let mut deepest = 0.0_f64;
        for _ in 0..600 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            assert!(!report.gained_energy(), "{} J", report.energy_gain);
            deepest = deepest.max(report.max_penetration);
        }
        let height = world.body(plate).expect("plate").position().z - 0.02;
        let expected = 0.2 * (1.0 - (mass + 4.0) * 9.81 / (1e6 * 0.04));
        assert!((height - expected).abs() < 1e-6, "{mass} kg: {height}, not {expected}");
        assert!(deepest < 1e-6, "{mass} kg: {deepest} m deep");
    }
}

/// A block on an incline sticks below the angle of friction and slides above it, as a point mass does.
#[test]
fn a_soft_block_sticks_and_slides_at_the_angle_of_friction() {
    let mu = 0.5_f64;
    for slope in [0.95, 1.05] {
        let angle = (slope * mu).atan();
        let mut world = World::new();
        let tilt = Quat::from_rotation_y(angle);
        let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: tilt * Vec3::Z });
        world.add_body(plane.material(slick(mu))).expect("plane");
        let pose = taut::Pose::from_parts(Vec3::ZERO, tilt);
        let soft = cube(2).elastic(Model::Corotational, 1e6, 0.3).damping(0.0, 0.02).friction(mu);
        let soft = world.add_soft_body(soft.pose(pose)).expect("soft");
        let along = tilt * Vec3::X;
        let place = |w: &World| w.soft_body(soft).expect("soft").centre().dot(along);
        (0..60).for_each(|_| drop(world.step(H).expect("step")));
        let first = place(&world);
        let mut speeds = Vec::new();
        for _ in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            speeds.push(place(&world));
        }
        let way = place(&world) - first;
        if slope < 1.0 {
            assert!(way.abs() < 1e-5, "it crept by {way} m");
        } else {
            // Speeds of sliding grow at g (sin α − μ cos α).
            let n = speeds.len();
            let rate =
                (speeds[n - 1] - 2.0 * speeds[n / 2 - 1] + first) / (0.25 * (n as f64 * H).powi(2));
            let expected = 9.81 * (angle.sin() - mu * angle.cos());
            assert!((rate - expected).abs() < 0.02 * expected, "{rate}, not {expected}");
        }
    }
}

/// A ball smaller than a cell does not pass through a face, nor does one that is fast.
#[test]
fn balls_do_not_pass_between_nodes() {
    for speed in [0.0, 10.0, 50.0] {
        let mut world = World::new();
        ground(&mut world, 0.5);
        let mesh = Mesh::block([0.3, 0.3, 0.1], [2, 2, 1]).expect("mesh");
        let soft =
            SoftBody::new("mat", mesh).elastic(Model::Corotational, 1e6, 0.3).damping(0.0, 0.01);
        world.add_soft_body(soft).expect("soft");
        let ball = Body::dynamic("ball").mass(0.5).position(Vec3::new(0.1, 0.06, 0.2));
        let ball = ball.velocity(Vec3::NEG_Z * speed).shape(Shape::Ball { radius: 0.03 });
        let ball = world.add_body(ball).expect("ball");
        for _ in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            assert!(!report.gained_energy(), "{} J", report.energy_gain);
            assert!(world.body(ball).expect("ball").position().z > 0.05, "at {speed} m/s");
        }
    }
}

/// In flight the midpoint rule keeps energy and momenta.
#[test]
fn a_soft_body_in_flight_keeps_energy_and_momenta() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("gravity");
    let soft = cube(2).elastic(Model::Corotational, 1e4, 0.3).velocity(Vec3::X);
    world.add_soft_body(soft).expect("soft");
    // A light body strikes it, to set it ringing and turning, and flies off.
    let ball = Body::dynamic("ball").mass(0.2).position(Vec3::new(0.5, 0.17, 0.17));
    let ball = ball.velocity(Vec3::NEG_X * 8.0).shape(Shape::Ball { radius: 0.04 });
    world.add_body(ball.material(slick(0.0))).expect("ball");
    for _ in 0..60 {
        world.step(H).expect("step");
    }
    let first = world.step(H).expect("step");
    assert!(first.elastic_energy > 1e-4, "it rings with {} J", first.elastic_energy);
    let mut last = first.clone();
    for _ in 0..120 {
        last = world.step(H).expect("step");
    }
    let lost = (last.energy() - first.energy()).abs() / first.energy();
    assert!(lost < 1e-9, "{lost} of its energy");
    assert!((last.momentum - first.momentum).length() < 1e-10);
    assert!((last.angular_momentum - first.angular_momentum).length() < 1e-9);
}

/// Snapshots continue to the same bits, and threads change none.
#[test]
fn snapshots_and_threads_give_the_same_bits() {
    let build = |threads: usize| {
        let mut world = World::new();
        world.settings_mut().threads = threads;
        ground(&mut world, 0.5);
        for k in 0..2 {
            let soft =
                cube(2).elastic(Model::StableNeoHookean, 1e5, 0.4).position(Vec3::X * f64::from(k));
            let soft = SoftBody::new(format!("cube{k}"), soft.mesh_at_rest().clone()).elastic(
                Model::StableNeoHookean,
                1e5,
                0.4,
            );
            let nodes = soft.nodes_where(|x| x.z > 0.199);
            let soft = world.add_soft_body(soft).expect("soft");
            let lid =
                Body::dynamic(format!("lid{k}")).position(Vec3::new(0.1 + f64::from(k), 0.1, 0.21));
            let lid = lid.shape(Shape::Box { half_extents: Vec3::new(0.1, 0.1, 0.01) });
            let lid = world.add_body(lid).expect("lid");
            world.attach(soft, nodes, lid).expect("attached");
        }
        world
    };
    let mut one = build(1);
    let mut eight = build(8);
    for _ in 0..20 {
        one.step(H).expect("step");
        eight.step(H).expect("step");
    }
    let mut copy = World::restore(&one.snapshot()).expect("snapshot");
    for _ in 0..20 {
        one.step(H).expect("step");
        copy.step(H).expect("step");
        eight.step(H).expect("step");
    }
    let nodes =
        |w: &World| w.soft_bodies().flat_map(|(_, s)| s.positions().to_vec()).collect::<Vec<_>>();
    assert_eq!(nodes(&one), nodes(&copy));
    assert_eq!(nodes(&one), nodes(&eight));
}
