//! Ends that are drawn up to their guides, and cables that are too long.

use super::*;
use taut::math::Pose;

/// A cable from a load through a ring at the origin to another load; no friction.
fn through_a_ring(masses: [f64; 2], at: [Vec3; 2]) -> (World, [BodyId; 2], CableId) {
    let mut world = World::new();
    let [a, b] = [("a", 0), ("b", 1)].map(|(name, i)| load(&mut world, name, masses[i], at[i]));
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(b, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    (world, [a, b], cable)
}

#[test]
fn a_light_end_that_a_heavy_one_draws_to_its_ring_stops_there() {
    let starts = [v(0.6, 0.0, -0.8), v(1.2, 0.3, -1.6), v(0.0, 0.0, -1.0), v(-2.0, 0.5, 0.3)];
    for masses in [[100.0, 0.1], [20.0, 5.0], [1e4, 0.01], [3.0, 2.0]] {
        for at in starts {
            let (mut world, [a, b], cable) = through_a_ring(masses, [v(0.0, 0.0, -1.0), at]);
            let length = world.cable(cable).unwrap().length();
            for i in 0..200 {
                let report = world.step(H).unwrap();
                let what = format!("{masses:?} {at:?} step {i}");
                assert!(report.converged() && !report.gained_energy(), "{what}: {report:?}");
                assert!(!report.is_overlong(), "{what}: {}", report.max_over_length);
                assert!(report.max_over_length < 1e-7, "{what}: {}", report.max_over_length);
            }
            if at.x != 0.0 {
                continue; // These fly around for a while.
            }
            // The heavy one hangs on its ring by the whole length.
            let [x, y] = [a, b].map(|id| world.body(id).unwrap().position());
            assert!(y.length() < 1e-7 * length, "{masses:?} {at:?}: {y:?}");
            assert!((x.length() / length - 1.0).abs() < 1e-7, "{masses:?} {at:?}: {x:?}");
        }
    }
}

#[test]
fn a_stop_holds_no_more_than_the_cable_pulls() {
    // At its ring, with a load of 1 kg on the other end, 0.5 kg stay and 2 kg go down.
    for (mass, stays) in [(0.5, true), (2.0, false)] {
        let (mut world, [a, b], cable) =
            through_a_ring([1.0, mass], [v(0.0, 0.0, -2.0), v(0.0, 0.0, -1e-8)]);
        run(&mut world, 30, H);
        let (x, y) = (height(&world, a), height(&world, b));
        if stays {
            assert!(y.abs() < 1e-9 && (x + 2.0).abs() < 1e-7, "{x} {y}");
            assert!((tension(&world, cable) / G - 1.0).abs() < 1e-6);
        } else {
            // Atwood's machine, with both loads below the ring.
            let fell = 0.5 * G / 3.0 * 0.25;
            assert!((y / -fell - 1.0).abs() < 0.02 && (x + 2.0 + y).abs() < 1e-7, "{x} {y}");
        }
    }
}

#[test]
fn an_end_is_pulled_off_its_stop_again() {
    let (mut world, [a, b], _) =
        through_a_ring([10.0, 0.1], [v(0.0, 0.0, -1.0), v(0.0, 0.0, -0.8)]);
    run(&mut world, 240, H);
    assert!(world.body(b).unwrap().position().length() < 1e-7);
    // The heavy one is thrown up: the light end falls.
    world.set_velocity(a, Vec3::Z * 6.0, Vec3::ZERO).unwrap();
    run(&mut world, 20, H);
    assert!(height(&world, b) < -0.3, "{}", height(&world, b));
    for _ in 0..300 {
        let report = world.step(H).unwrap();
        assert!(report.converged() && !report.is_overlong() && !report.gained_energy());
    }
}

#[test]
fn a_cable_that_is_too_long_is_said() {
    let mut world = World::new();
    let body = load(&mut world, "load", 5.0, v(0.0, 0.0, -2.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO));
    world.add_cable(cable).unwrap();
    let report = world.step(H).unwrap();
    assert!(!report.is_overlong() && report.max_over_length < 1e-9, "{report:?}");
    // Put where its cable does not reach.
    world.set_pose(body, Pose::from_translation(v(0.0, 0.0, -2.3))).unwrap();
    let report = world.step(H).unwrap();
    assert_eq!(report.long_cable.as_deref(), Some("rope"));
    assert!(report.max_over_length > 1e-3, "{report:?}");
}
