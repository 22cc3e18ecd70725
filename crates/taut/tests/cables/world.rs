//! Cables in islands, snapshots and with other solvers.

use super::*;

/// A crane in small: a tackle with friction, a winch, a drum, an elastic sling.
fn everything() -> World {
    let mut world = World::new();
    let block = load(&mut world, "block", 50.0, v(0.0, 0.0, -4.0));
    let pull = load(&mut world, "pull", 20.0, v(0.6, 0.0, -2.0));
    let hung = load(&mut world, "hung", 30.0, v(0.1, 0.0, -6.0));
    let drum = wheel(&mut world, "drum", v(3.0, 0.0, 0.0), 20.0, 0.3);
    let other = load(&mut world, "other", 40.0, v(3.3, 0.0, -5.0));
    let cables = [
        Cable::new("tackle")
            .via(Station::point(Frame::World, v(-0.2, 0.0, 0.0)))
            .via(Station::pulley(block, Vec3::ZERO, -Vec3::Y, 0.2).friction(0.1))
            .via(Station::pulley(Frame::World, v(0.4, 0.0, 0.0), Vec3::Y, 0.2).friction(0.2))
            .via(Station::point(pull, Vec3::ZERO)),
        Cable::new("sling")
            .via(Station::point(block, Vec3::ZERO))
            .via(Station::point(hung, Vec3::ZERO))
            .stiffness(1e5)
            .damping(1e3)
            .winch(Winch::new(-0.05)),
        Cable::new("drum")
            .via(Station::pulley(drum, Vec3::ZERO, AXLE, 0.3).turns(5.0))
            .via(Station::point(other, Vec3::ZERO)),
    ];
    for cable in cables {
        world.add_cable(cable).unwrap();
    }
    world
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut world = everything();
    (0..40).for_each(|_| _ = world.step(H).unwrap());
    let mut copy = World::restore(&world.snapshot()).unwrap();
    for _ in 0..40 {
        let _ = world.step(H).unwrap();
        let _ = copy.step(H).unwrap();
    }
    for ((_, a), (_, b)) in world.bodies().zip(copy.bodies()) {
        assert_eq!((a.position(), a.velocity()), (b.position(), b.velocity()), "{}", a.name());
    }
    for ((_, a), (_, b)) in world.cables().zip(copy.cables()) {
        assert_eq!((a.tensions(), a.wraps(), a.length()), (b.tensions(), b.wraps(), b.length()));
    }
    let mut damaged = world.snapshot();
    damaged.truncate(damaged.len() / 2);
    assert!(World::restore(&damaged).is_err());
}

#[test]
fn every_exact_solver_finds_the_same_tensions() {
    let reference = {
        let mut world = everything();
        world.settings_mut().friction = taut::FrictionMode::BOX;
        run(&mut world, 20, H);
        world.cables().flat_map(|(_, c)| c.tensions().to_vec()).collect::<Vec<_>>()
    };
    for name in ["bpp", "lemke", "schur_bpp", "ipm", "murty"] {
        let config = taut::lcp::SolverConfig::named(name).expect("known");
        let mut world = everything();
        world.settings_mut().solver = config;
        world.settings_mut().friction = taut::FrictionMode::BOX;
        run(&mut world, 20, H);
        let found: Vec<_> = world.cables().flat_map(|(_, c)| c.tensions().to_vec()).collect();
        for (a, b) in reference.iter().zip(&found) {
            assert!((a - b).abs() < 1e-5 * (1.0 + a), "{name}: {found:?}, not {reference:?}");
        }
    }
}

#[test]
fn cables_connect_islands_and_wake_what_they_hold() {
    let mut world = everything();
    let _ = world.step(H).unwrap();
    // The tackle with its sling, the drum with its load: rows 1 + 2 and 1; hinge 5 and 1.
    let mut rows = world.island_rows();
    rows.sort_unstable();
    assert_eq!(rows, [4, 6]);
    let keys = world.problem_keys();
    let _ = world.step(H).unwrap();
    assert_eq!(world.problem_keys(), keys);
    // At rest all sleeps; a winch wakes what it moves.
    let mut world = World::new();
    world.settings_mut().sleeping = Some(taut::Sleeping::default());
    let body = load(&mut world, "load", 5.0, v(0.0, 0.0, -2.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .winch(Winch::new(0.0));
    let cable = world.add_cable(cable).unwrap();
    run(&mut world, 200, H);
    assert!(world.body(body).unwrap().is_asleep());
    world.set_winch(cable, Winch::new(-1.0)).unwrap();
    for _ in 0..30 {
        let _ = world.step(H).unwrap();
    }
    assert!((height(&world, body) + 1.5).abs() < 1e-6);
}

#[test]
fn cables_are_found_by_name_and_drawn_where_they_are() {
    let mut world = World::new();
    let body = load(&mut world, "load", 5.0, v(0.0, 0.0, -2.0));
    let rope = Cable::new("rope").via(Station::point(Frame::World, Vec3::ZERO));
    let rope = world.add_cable(rope.via(Station::point(body, Vec3::ZERO))).unwrap();
    assert_eq!(world.cable_named("rope"), Some(rope));
    assert_eq!(world.cable_named("string"), None);
    run(&mut world, 60, H);
    let line = world.cable_line(rope).unwrap();
    assert_eq!(line.points.len(), 2);
    assert!(line.points[1].distance(v(0.0, 0.0, -2.0)) < 1e-9, "{:?}", line.points);
    assert!((line.tensions[0] / (5.0 * G) - 1.0).abs() < 1e-9, "{:?}", line.tensions);
    world.remove_cable(rope).unwrap();
    assert_eq!(world.cable_named("rope"), None);
    assert!(world.cable_line(rope).is_err());
}

/// Each point has its share of the mass and stands in the middle of its part; the ends are half a part from them.
#[test]
fn a_cable_is_divided_evenly() {
    let world = World::new();
    let at = |x: f64| Station::point(Frame::World, v(x, 0.0, 0.0));
    let line = Cable::new("line").via(at(0.0)).via(at(8.0));
    let divided = world.divide_cable(&line, 1.5, 4).unwrap();
    let expected = [1.0, 3.0, 5.0, 7.0].map(|x| (3.0, v(x, 0.0, 0.0)));
    for (found, expected) in divided.points.iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 1e-12 && found.1.distance(expected.1) < 1e-12);
    }
    let lengths: Vec<f64> = divided.parts.iter().map(|part| part.1).collect();
    assert_eq!((divided.points.len(), lengths), (4, vec![1.0, 2.0, 2.0, 2.0, 1.0]));
    assert!(
        world.divide_cable(&line, -1.0, 4).is_err() && world.divide_cable(&line, 1.5, 0).is_err()
    );
}
