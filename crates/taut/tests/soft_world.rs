//! Soft bodies in worlds, against closed forms.

use taut::math::{Quat, Vec3};
use taut::soft::{Mesh, Model};
use taut::{Body, Frame, Joint, Material, Motor, Shape, SoftBody, World};

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
        assert!(world.step(H).expect("step").converged());
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
        assert!(one.step(H).expect("step").converged());
        assert!(eight.step(H).expect("step").converged());
    }
    let mut copy = World::restore(&one.snapshot()).expect("snapshot");
    for _ in 0..20 {
        assert!(one.step(H).expect("step").converged());
        assert!(copy.step(H).expect("step").converged());
        assert!(eight.step(H).expect("step").converged());
    }
    let nodes =
        |w: &World| w.soft_bodies().flat_map(|(_, s)| s.positions().to_vec()).collect::<Vec<_>>();
    assert_eq!(nodes(&one), nodes(&copy));
    assert_eq!(nodes(&one), nodes(&eight));
}

/// Two soft pads hold a box while 2 μ F carries it, and let it slide at g (1 − 2 μ F / m g) where it does not.
#[test]
fn soft_pads_hold_by_coulombs_law() {
    let (mass, mu) = (10.0, 0.5);
    let least = mass * 9.81 / (2.0 * mu);
    for share in [1.02, 0.98] {
        let mut world = World::new();
        let cargo = Body::dynamic("box").mass(mass).material(slick(mu));
        let cargo = cargo.shape(Shape::Box { half_extents: Vec3::splat(0.1) });
        let cargo = world.add_body(cargo).expect("box");
        for side in [-1.0, 1.0] {
            let x = side * 0.16;
            let finger = Body::dynamic(format!("finger {side}")).mass(2.0).position(Vec3::X * x);
            let shape = Shape::Box { half_extents: Vec3::new(0.02, 0.08, 0.08) };
            let finger = world.add_body(finger.shape(shape)).expect("finger");
            let rail = Joint::slider(format!("rail {side}"), Frame::World, finger).axis_a(Vec3::X);
            world
                .add_joint(rail.motor(Motor::Force { force: -side * share * least }))
                .expect("rail");
            let mesh = Mesh::block([0.04, 0.16, 0.16], [1, 2, 2]).expect("mesh");
            let corner = Vec3::new(if side > 0.0 { 0.1 } else { -0.14 }, -0.08, -0.08);
            let pad = SoftBody::new(format!("pad {side}"), mesh).position(corner).friction(mu);
            let pad = pad.elastic(Model::Corotational, 1e6, 0.3).damping(0.0, 0.01);
            let back = pad.nodes_where(|p| (p.x - side * 0.14).abs() < 1e-9);
            let pad = world.add_soft_body(pad).expect("pad");
            world.attach(pad, back, finger).expect("attached");
        }
        let speed = |w: &World| w.body(cargo).expect("box").velocity().z;
        let mut before = 0.0;
        for frame in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            if frame == 29 {
                before = speed(&world);
            }
        }
        let rate = (before - speed(&world)) / 0.5;
        if share > 1.0 {
            assert!(speed(&world).abs() < 1e-4, "it slides at {} m/s", speed(&world));
        } else {
            let expected = 9.81 * (1.0 - share);
            assert!((rate / expected - 1.0).abs() < 0.1, "{rate} m/s², not {expected}");
        }
    }
}

/// What cannot be a soft body is refused with a reason.
#[test]
fn mistakes_are_named() {
    let mut world = World::new();
    let said = |world: &mut World, soft: SoftBody| match world.add_soft_body(soft) {
        Ok(_) => String::new(),
        Err(e) => e.to_string(),
    };
    for (young, poisson, word) in
        [(0.0, 0.3, "Young"), (1e6, 0.5, "Poisson"), (f64::NAN, 0.3, "Young")]
    {
        let message = said(&mut world, cube(1).elastic(Model::Linear, young, poisson));
        assert!(message.contains("soft body 'cube'") && message.contains(word), "{message}");
    }
    assert!(said(&mut world, cube(1).density(0.0)).contains("density"));
    assert!(said(&mut world, cube(1).pin([99])).contains("node"));
    assert_eq!(said(&mut world, cube(1)), "");
    assert!(said(&mut world, cube(1)).contains("taken"));
    world.settings_mut().integrator = taut::Integrator::MoreauMidpoint;
    assert!(world.step(H).expect_err("a wrong integrator").to_string().contains("soft bodies"));
}

/// What can be read of a cube, ν = 0, under a plate: its mass, the forces of its contacts, and a stress that is
/// the load above by the area. Removed, it holds the plate no more.
#[test]
fn a_loaded_cube_is_read_and_removed() {
    let (g, mass, own) = (9.81, 1000.0, 8.0);
    let mut world = World::new();
    ground(&mut world, 0.5);
    let soft = cube(2).elastic(Model::Linear, 1e6, 0.0).damping(0.0, 0.02);
    let soft = world.add_soft_body(soft).expect("soft");
    assert_eq!(world.soft_body_named("cube"), Some(soft));
    assert_eq!(world.soft_body_named("plate"), None);
    let plate = Body::dynamic("plate").mass(mass).position(Vec3::new(0.1, 0.1, 0.22));
    let shape = Shape::Box { half_extents: Vec3::new(0.15, 0.15, 0.02) };
    let plate = world.add_body(plate.shape(shape)).expect("plate");
    let unloaded = world.soft_body(soft).expect("soft").von_mises();
    assert!(unloaded.iter().all(|s| s.abs() < 1e-3), "{unloaded:?}");
    for _ in 0..120 {
        assert!(world.step(H).expect("step").converged());
    }
    let state = world.soft_body(soft).expect("soft");
    assert!((state.total_mass() - own).abs() < 1e-9 * own);
    let (least, most) = (mass * g / 0.04, (mass + own) * g / 0.04);
    for stress in state.von_mises() {
        assert!(
            stress > 0.99 * least && stress < 1.01 * most,
            "{stress} Pa, not {least} to {most}"
        );
    }
    let press = |on_plate: bool| -> f64 {
        let contacts = world.soft_contacts().filter(|c| (c.body == Some(plate)) == on_plate);
        contacts.map(|c| c.normal_force).sum()
    };
    for (on_plate, load) in [(true, mass * g), (false, (mass + own) * g)] {
        let force = press(on_plate);
        assert!((force - load).abs() < 1e-3 * load, "{force} N, not {load}");
    }
    assert!(world.soft_contacts().all(|c| c.soft == soft && c.other.is_none()));

    world.remove_soft_body(soft).expect("it is there");
    assert!(world.soft_body(soft).is_err() && world.remove_soft_body(soft).is_err());
    assert_eq!((world.soft_body_named("cube"), world.soft_contacts().count()), (None, 0));
    let before = world.body(plate).expect("plate").position().z;
    for _ in 0..6 {
        assert!(world.step(H).expect("step").converged());
    }
    let fallen = before - world.body(plate).expect("plate").position().z;
    assert!((fallen - 0.5 * g * (6.0 * H).powi(2)).abs() < 0.1 * fallen, "{fallen} m");
    // Its name is free again, and its id stays invalid.
    let again = world.add_soft_body(cube(1).position(Vec3::X).pin([0])).expect("the name is free");
    assert!(again != soft && world.soft_body(soft).is_err());
    let again = world.soft_body(again).expect("soft");
    assert!(again.is_pinned(0) && !again.is_pinned(1) && !again.is_pinned(usize::MAX));
}

/// Two cubes on one another, nu = 0: each is as high as its load says, contacts bear what is above them, and nothing sinks in.
#[test]
fn stacked_cubes_bear_what_is_above_them() {
    let mut world = World::new();
    ground(&mut world, 0.5);
    for k in 0..2 {
        let mesh = Mesh::block([0.2; 3], [2 + k; 3]).expect("mesh");
        let soft = SoftBody::new(format!("cube{k}"), mesh).mass(8.0).damping(0.0, 0.02);
        let soft = soft.elastic(Model::Linear, 1e5, 0.0).position(Vec3::Z * 0.2 * k as f64);
        world.add_soft_body(soft).expect("soft");
    }
    let mut deepest = 0.0_f64;
    for _ in 0..240 {
        let report = world.step(H).expect("step");
        assert!(report.converged(), "{:?}", report.failure);
        assert!(!report.gained_energy(), "{} J", report.energy_gain);
        deepest = deepest.max(report.max_penetration);
    }
    assert!(deepest < 1e-6, "{deepest} m deep");
    let ids: Vec<_> = world.soft_bodies().map(|(id, _)| id).collect();
    let load = |between: bool| -> f64 {
        let all = world.soft_contacts().filter(|c| c.other.is_some() == between);
        all.map(|c| c.normal_force).sum()
    };
    // (Normals lean by what surfaces bend.)
    assert!((load(true) / (8.0 * 9.81) - 1.0).abs() < 5e-3, "{} N", load(true));
    assert!((load(false) / (16.0 * 9.81) - 1.0).abs() < 5e-3, "{} N", load(false));
    // Nodes of one mesh press on faces of another, unevenly: means of the upper sides are those of an even load to a tenth of the sinking.
    let top = |k: usize| {
        let state = world.soft_body(ids[k]).expect("soft");
        let rest = state.mesh().nodes().iter().map(|x| x[2]);
        let highest = rest.clone().fold(0.0, f64::max);
        let x: Vec<f64> = rest
            .zip(state.positions())
            .filter(|(z, _)| *z > highest - 1e-9)
            .map(|(_, x)| x.z)
            .collect();
        x.iter().sum::<f64>() / x.len() as f64
    };
    let sunk = |load: f64| 0.2 * load * 9.81 / (1e5 * 0.04);
    let (lower, upper) = (0.2 - top(0), 0.4 - top(1));
    assert!((lower / sunk(12.0) - 1.0).abs() < 0.1, "{lower}, not {}", sunk(12.0));
    assert!((upper / (sunk(12.0) + sunk(4.0)) - 1.0).abs() < 0.1, "{upper}");
}

/// Two soft cubes that run into one another keep their momentum, and create no energy.
#[test]
fn soft_bodies_that_collide_keep_momentum() {
    for (friction, offset) in [(0.0, 0.0), (0.5, 0.07)] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("gravity");
        for k in 0..2 {
            let side = if k == 0 { -1.0 } else { 1.0 };
            let mesh = Mesh::block([0.2; 3], [2; 3]).expect("mesh");
            let soft = SoftBody::new(format!("cube{k}"), mesh).mass(if k == 0 { 8.0 } else { 2.0 });
            let soft = soft.elastic(Model::Corotational, 1e5, 0.3).friction(friction);
            let at = Vec3::new(0.13 * side, 0.5 * offset * side, 0.01 * side);
            let soft = soft.position(at).velocity(Vec3::X * -2.0 * side);
            world.add_soft_body(soft).expect("soft");
        }
        let mut touched = 0;
        let first = Vec3::X * (16.0 - 4.0);
        for _ in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            assert!(!report.gained_energy(), "{} J", report.energy_gain);
            assert!((report.momentum - first).length() < 1e-9, "{}", report.momentum - first);
            touched += report.soft_contacts;
        }
        assert!(touched > 4, "they met in {touched} contacts");
        let x: Vec<f64> = world.soft_bodies().map(|(_, s)| s.centre().x).collect();
        assert!(x[1] - x[0] > 0.15, "one is in the other: {x:?}");
    }
}

/// A soft block on a soft slab sticks below the angle of friction and slides above it.
#[test]
fn soft_blocks_stick_and_slide_on_one_another() {
    let mu = 0.4_f64;
    for slope in [0.93, 1.07] {
        let angle = (slope * mu).atan();
        let mut world = World::new();
        world.set_gravity(Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81).expect("gravity");
        let slab = Mesh::block([1.2, 0.3, 0.1], [6, 2, 1]).expect("mesh");
        let slab = SoftBody::new("slab", slab).elastic(Model::Corotational, 3e7, 0.3);
        let slab = slab.damping(0.0, 0.001).friction(mu).pin_where(|x| x.z < 1e-9);
        world.add_soft_body(slab).expect("slab");
        let soft = cube(2).elastic(Model::Corotational, 3e7, 0.3).damping(0.0, 0.001).friction(mu);
        let soft = world.add_soft_body(soft.position(Vec3::new(0.05, 0.05, 0.1))).expect("soft");
        let place = |w: &World| w.soft_body(soft).expect("soft").centre().x;
        (0..30).for_each(|_| drop(world.step(H).expect("step")));
        let mut places = vec![place(&world)];
        for _ in 0..60 {
            let report = world.step(H).expect("step");
            assert!(report.converged(), "{:?}", report.failure);
            places.push(place(&world));
        }
        let way = places[60] - places[0];
        if slope < 1.0 {
            assert!(way.abs() < 1e-4, "it crept by {way} m");
        } else {
            let rate = (places[60] - 2.0 * places[30] + places[0]) / (30.0 * H).powi(2);
            let expected = 9.81 * (angle.sin() - mu * angle.cos());
            assert!((rate - expected).abs() < 0.05 * expected + 0.01, "{rate}, not {expected}");
        }
    }
}

/// A body like a C: a block without the cells between its arms.
fn letter_c() -> Mesh {
    let block = Mesh::block([0.3, 0.1, 0.2], [6, 2, 4]).expect("mesh");
    let middle = |e: &[u32]| -> Vec3 {
        e.iter().map(|&n| Vec3::from(block.nodes()[n as usize])).sum::<Vec3>() / 4.0
    };
    let stays = |e: &&[u32]| {
        let p = middle(e);
        p.x < 0.05 || !(0.05..0.15).contains(&p.z)
    };
    let mut numbers = std::collections::BTreeMap::new();
    let elements: Vec<Vec<u32>> = block.elements().filter(stays).map(<[u32]>::to_vec).collect();
    for &n in elements.iter().flatten() {
        let next = numbers.len() as u32;
        numbers.entry(n).or_insert(next);
    }
    let mut nodes = vec![[0.0; 3]; numbers.len()];
    numbers.iter().for_each(|(&from, &to)| nodes[to as usize] = block.nodes()[from as usize]);
    let elements: Vec<[u32; 4]> =
        elements.iter().map(|e| [0, 1, 2, 3].map(|k| numbers[&e[k]])).collect();
    Mesh::linear(nodes, &elements).expect("a letter")
}

/// The upper arm of a C that is too soft to hold it falls onto the lower one and lies there.
#[test]
fn an_arm_does_not_pass_through_the_other() {
    let mut world = World::new();
    ground(&mut world, 0.5);
    let soft = SoftBody::new("c", letter_c()).elastic(Model::StableNeoHookean, 1e4, 0.3);
    let soft = soft.damping(0.0, 0.02).density(300.0);
    let soft = world.add_soft_body(soft).expect("soft");
    let mut own = 0;
    for frame in 0..60 {
        let report = world.step(H).expect("step");
        assert!(report.converged(), "{frame}: {:?}", report.failure);
        assert!(!report.gained_energy(), "{frame}: {} J", report.energy_gain);
        assert!(report.max_penetration < 1e-5, "{frame}: {} m", report.max_penetration);
        own += world.soft_contacts().filter(|c| c.other == Some(soft)).count();
        let state = world.soft_body(soft).expect("soft");
        let ends = |z: f64| {
            let at = state.mesh().nodes().iter().zip(state.positions());
            let at = at.filter(|(r, _)| r[0] > 0.29 && (r[2] - z).abs() < 1e-9);
            at.map(|(_, x)| x.z).fold(1.0, f64::min)
        };
        let (lower, upper) = (ends(0.05), ends(0.15));
        assert!(upper > lower - 1e-3, "{frame}: the arm at {upper} m is below {lower} m");
    }
    assert!(own > 0, "the arms did not meet");
}
