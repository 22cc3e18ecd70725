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
        world.step(H).unwrap();
        copy.step(H).unwrap();
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
    world.step(H).unwrap();
    // The tackle with its sling, the drum with its load: rows 1 + 2 and 1; hinge 5 and 1.
    let mut rows = world.island_rows();
    rows.sort_unstable();
    assert_eq!(rows, [4, 6]);
    let keys = world.problem_keys();
    world.step(H).unwrap();
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
        world.step(H).unwrap();
    }
    assert!((height(&world, body) + 1.5).abs() < 1e-6);
}
