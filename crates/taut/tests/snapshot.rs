//! Snapshots continue with identical bits; damaged ones are refused.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, Joint, Material, Motor, Shape, World};

/// A bit of everything, in motion.
fn mixture() -> World {
    let mut world = chain(10, 0.2, 50.0);
    ground(&mut world, Material { restitution: 0.3, ..friction(0.5) });
    for i in 0..12 {
        let x = f64::from(i);
        let shape = match i % 4 {
            0 => cube(0.2),
            1 => Shape::Ball { radius: 0.2 },
            2 => Shape::Capsule { half_length: 0.2, radius: 0.1 },
            _ => Shape::Cylinder { half_height: 0.2, radius: 0.15 },
        };
        let body = Body::dynamic(format!("piece{i}")).shape(shape).mass(1.0 + x);
        let at = Vec3::new(5.0 + 0.3 * (x * 1.3).sin(), 0.2 * x.cos(), 0.3 + 0.45 * x);
        world.add_body(body.position(at).orientation(Quat::from_rotation_x(x))).expect("piece");
    }
    let (a, b) = (world.body_named("piece3"), world.body_named("piece4"));
    let hinge = Joint::hinge("hinge", a.expect("a"), b.expect("b"));
    let hinge = hinge.axis_a(Vec3::X).motor(Motor::velocity(2.0, 5.0)).limits(-9.0, 9.0);
    world.add_joint(hinge).expect("hinge");
    let removed = world.body_named("piece7").expect("piece7");
    world.remove_body(removed).expect("piece7");
    world
}

fn bits(world: &World) -> Vec<u64> {
    let state = world.bodies().flat_map(|(_, b)| {
        let q = b.orientation();
        let values = [b.position(), b.velocity(), b.angular_velocity()];
        values.into_iter().flat_map(|v| v.to_array()).chain([q.w, q.x, q.y, q.z])
    });
    state.map(f64::to_bits).collect()
}

#[test]
fn continues_with_identical_bits() {
    let mut world = mixture();
    for _ in 0..60 {
        let _ = world.step(H).expect("step");
    }
    let bytes = world.snapshot();
    let mut copy = World::restore(&bytes).expect("snapshot");
    assert_eq!(copy.snapshot(), bytes);
    for n in 0..60 {
        let _ = world.step(H).expect("step");
        let _ = copy.step(H).expect("step");
        assert_eq!(bits(&world), bits(&copy), "step {n} after the snapshot");
    }
    assert_eq!(copy.snapshot(), world.snapshot());
}

#[test]
fn same_bits_with_any_number_of_threads() {
    let run = |threads: usize| {
        let mut world = mixture();
        world.settings_mut().threads = threads;
        for _ in 0..90 {
            let _ = world.step(H).expect("step");
        }
        bits(&world)
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(4));
}

#[test]
fn damaged_bytes_are_refused() {
    let mut world = mixture();
    let _ = world.step(H).expect("step");
    let bytes = world.snapshot();
    assert!(World::restore(&[]).is_err());
    assert!(World::restore(b"something else entirely").is_err());
    for n in (0..bytes.len()).step_by(97) {
        assert!(World::restore(&bytes[..n]).is_err(), "cut at {n}");
    }
    for n in (0..bytes.len()).step_by(131) {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[n] ^= 1 << bit;
            let error = World::restore(&damaged).err().map(|e| e.to_string());
            assert!(error.is_some_and(|e| e.contains("snapshot")), "bit {bit} of byte {n}");
        }
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(World::restore(&longer).is_err());
}

/// Bodies and joints of one world are not those of another, even if it was
/// built in the same way; a snapshot keeps them.
#[test]
fn ids_belong_to_their_world() {
    let (mut one, mut other) = (mixture(), mixture());
    let body = one.body_named("piece3").expect("piece3");
    let joint = one.joint_named("hinge").expect("hinge");
    assert!(other.body(body).is_err() && other.joint(joint).is_err());
    assert!(other.apply_force(body, Vec3::X).is_err());
    assert!(other.remove_body(body).is_err() && other.remove_joint(joint).is_err());
    assert!(other.add_joint(Joint::gear("gear", joint, joint, 1.0)).is_err());
    assert!(other.add_joint(Joint::ball("foreign", taut::Frame::World, body)).is_err());
    let _ = one.step(H).expect("step");
    let _ = other.step(H).expect("step");
    assert_eq!(other.contacts_of(body).count(), 0);
    assert!(other.island(body).is_none());
    let bytes = one.snapshot();
    let copy = World::restore(&bytes).expect("snapshot");
    assert_eq!(copy.body(body).expect("same id").name(), "piece3");
    // Another world that takes the place of one keeps that one's ids.
    let own = other.body_named("piece3").expect("piece3");
    other.load(&bytes).expect("snapshot");
    assert_eq!(other.body(own).expect("same id").name(), "piece3");
    assert!(other.body(body).is_err());
    assert_eq!(bits(&other), bits(&one));
    let _ = one.step(H).expect("step");
    let _ = other.step(H).expect("step");
    assert_eq!(bits(&other), bits(&one));
}

/// Sixty more steps, and a hash of all they lead to.
fn hash_after_a_second(mut world: World) -> u64 {
    for _ in 0..60 {
        let _ = world.step(H).expect("step");
    }
    let state = bits(&world).into_iter().flat_map(u64::to_le_bytes);
    let all = state.chain(world.snapshot());
    all.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The test runs itself as the other process, with the file in a variable.
#[test]
#[allow(clippy::print_stdout)]
fn continues_with_identical_bits_in_another_process() {
    const FILE: &str = "TAUT_TEST_SNAPSHOT";
    if let Some(file) = std::env::var_os(FILE) {
        let world = World::restore(&std::fs::read(file).expect("file")).expect("snapshot");
        println!("hash={:016x}", hash_after_a_second(world));
        return;
    }
    let mut world = mixture();
    for _ in 0..60 {
        let _ = world.step(H).expect("step");
    }
    let file = std::env::temp_dir().join(format!("taut-snapshot-{}", std::process::id()));
    std::fs::write(&file, world.snapshot()).expect("file");
    let output = std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["continues_with_identical_bits_in_another_process", "--exact", "--nocapture"])
        .env(FILE, &file)
        .output();
    std::fs::remove_file(&file).expect("file");
    let output = output.expect("another process");
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = format!("hash={:016x}", hash_after_a_second(world));
    assert!(output.status.success() && text.contains(&expected), "{expected}, child: {text}");
}
