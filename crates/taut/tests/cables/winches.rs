//! Winches.

use super::forms::pendulum;
use super::*;

#[test]
fn a_winch_shortens_a_pendulum_and_pays_for_it() {
    let mut world = World::new();
    let body = load(&mut world, "bob", 3.0, v(3.0 * f64::sin(0.4), 0.0, -3.0 * f64::cos(0.4)));
    // At rest along the cable, so the winch starts with a jerk that gives the bob its speed.
    let toward = v(-f64::sin(0.4), 0.0, f64::cos(0.4)) * 0.2;
    world.set_velocity(body, toward, Vec3::ZERO).unwrap();
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .winch(Winch::new(-0.2));
    let cable = world.add_cable(cable).unwrap();
    let (before, mut work) = (world.energy(), 0.0);
    for _ in 0..5000 {
        work += world.step(1e-3).unwrap().work;
    }
    let state = world.cable(cable).unwrap();
    assert!((state.length() - 2.0).abs() < 1e-9 && state.stretch() < 1e-9);
    let gain = world.energy() - before;
    assert!(work > 0.0 && (gain / work - 1.0).abs() < 1e-4, "{gain} {work}");
    let p = world.body(body).unwrap().position();
    let exact = pendulum(0.4, 5.0, |t| (3.0 - 0.2 * t, -0.2));
    assert!((f64::atan2(p.x, -p.z) - exact).abs() < 1e-3, "{} {exact}", f64::atan2(p.x, -p.z));
}

#[test]
fn a_weak_winch_slips_at_its_force() {
    let mut world = World::new();
    let body = load(&mut world, "load", 100.0, v(0.0, 0.0, -2.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .winch(Winch::new(0.0).max_force(500.0));
    let cable = world.add_cable(cable).unwrap();
    run(&mut world, 60, H);
    let acc = G - 5.0;
    assert!(((-2.0 - height(&world, body)) / (0.5 * acc) - 1.0).abs() < 1e-6);
    let state = world.cable(cable).unwrap();
    assert!((state.tension() - 500.0).abs() < 1e-9 && state.stretch() < 1e-9);
}

/// A winch, a sheave that rubs, and a load that it hoists; spans of these lengths at first.
fn over_a_sheave(mu: f64, spans: [f64; 2], winch: Winch) -> (World, BodyId, CableId) {
    let mut world = World::new();
    let r = 0.2;
    let body = load(&mut world, "load", 100.0, v(r, 0.0, -spans[1]));
    // Up at the left of the sheave, over it, and down: half a turn.
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(-r, 0.0, -spans[0])))
        .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, r).friction(mu))
        .via(Station::point(body, Vec3::ZERO))
        .winch(winch);
    let cable = world.add_cable(cable).unwrap();
    (world, body, cable)
}

#[test]
fn a_winch_pulls_against_the_friction_of_its_sheave() {
    // Hoisting takes e^(μθ) mgh, lowering gives back e^(−μθ) of it, however long the spans are.
    for mu in [0.05, 0.1, 0.5] {
        for spans in [[0.5, 20.0], [5.0, 20.0], [50.0, 5.0]] {
            for speed in [-0.5, 0.5] {
                let (mut world, body, cable) = over_a_sheave(mu, spans, Winch::new(speed));
                world.set_velocity(body, v(0.0, 0.0, -speed), Vec3::ZERO).unwrap();
                let mut work = 0.0;
                for _ in 0..120 {
                    let report = world.step(H).unwrap();
                    assert!(report.converged() && !report.gained_energy());
                    work += report.work;
                }
                let rise = height(&world, body) + spans[1];
                assert!((rise + 2.0 * speed).abs() < 1e-6, "{rise}");
                let factor = f64::exp(-mu * PI * speed.signum());
                let off = work / (100.0 * G * rise) / factor - 1.0;
                assert!(off.abs() < 1e-6, "{mu} {spans:?} {speed}: {off}");
                let t = world.cable(cable).unwrap().tensions().to_vec();
                assert!((t[0] / t[1] / factor - 1.0).abs() < 1e-6, "{t:?}");
            }
        }
    }
}

#[test]
fn the_force_of_a_winch_is_that_at_its_end() {
    // 100 kg hang behind a sheave with e^(μπ) = 1.37: a winch holds them with 1/1.37 of their weight, and hoists with
    // 1.37 times it.
    let (mu, weight) = (0.1, 100.0 * G);
    let ratio = f64::exp(mu * PI);
    for (force, speed, moves) in [
        (weight / ratio * 1.001, 0.0, 0.0),
        (weight / ratio * 0.9, 0.0, -1.0),
        (weight * ratio * 1.001, -0.3, 0.3),
        (weight * ratio * 0.999, -0.3, 0.0),
    ] {
        let winch = Winch::new(speed).max_force(force);
        let (mut world, body, cable) = over_a_sheave(mu, [3.0, 30.0], winch);
        if moves > 0.0 {
            world.set_velocity(body, v(0.0, 0.0, moves), Vec3::ZERO).unwrap();
        }
        run(&mut world, 60, H);
        let rise = height(&world, body) + 30.0;
        let state = world.cable(cable).unwrap();
        assert!(state.stretch() < 1e-6, "{}", state.stretch());
        assert!(state.tensions()[0] <= force * (1.0 + 1e-9), "{:?} {force}", state.tensions());
        if moves < 0.0 {
            // It runs out: m a = mg − E F.
            let a = G - ratio * force / 100.0;
            assert!((rise / (-0.5 * a) - 1.0).abs() < 1e-6, "{rise} {a}");
        } else {
            assert!((rise - moves).abs() < 1e-6, "{force} {speed}: {rise}");
        }
    }
}

#[test]
fn an_elastic_cable_on_a_winch_keeps_its_ledger() {
    for (stiffness, damping) in [(2e4, 0.0), (2e4, 500.0), (1e6, 1e4), (1e9, 1e5)] {
        for speed in [-0.5, 0.5] {
            for h in [1.0 / 30.0, H, 1.0 / 500.0] {
                let mut world = World::new();
                let body = load(&mut world, "load", 50.0, v(0.0, 0.0, -6.0));
                let cable = Cable::new("rope")
                    .via(Station::point(Frame::World, Vec3::ZERO))
                    .via(Station::point(body, Vec3::ZERO))
                    .stiffness(stiffness)
                    .damping(damping)
                    .winch(Winch::new(speed));
                let cable = world.add_cable(cable).unwrap();
                let (before, mut work, mut parts) = (world.energy(), 0.0, 0);
                let steps = (2.0 / h).round() as usize;
                for i in 0..steps {
                    let report = world.step(h).unwrap();
                    let said = format!("{stiffness} {damping} {speed} {h} {i}");
                    assert!(!report.gained_energy(), "{said}: gained {}", report.energy_gain);
                    work += report.work;
                    parts += report.parts;
                }
                // Jerks that shorter steps resolve take up to 32 parts.
                assert!(parts <= steps + 80, "{stiffness} {damping} {speed} {h}: {parts} parts");
                let gain = world.energy() - before;
                assert!(gain <= work + 1e-3 * work.abs(), "{gain} {work}");
                if damping == 0.0 {
                    assert!((gain - work).abs() < 0.03 * work.abs(), "{h}: {gain} {work}");
                }
                assert!((world.cable(cable).unwrap().length() - 6.0 - 2.0 * speed).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_winch_stops_before_its_load_reaches_it() {
    for (falls, stop) in [(1, None), (1, Some(0.5)), (2, None)] {
        let mut world = World::new();
        let body = load(&mut world, "load", 100.0, v(0.1, 0.0, -5.0));
        let mut winch = Winch::new(-1.0);
        winch.stop = stop;
        let top = if falls == 1 { v(0.1, 0.0, 0.0) } else { Vec3::ZERO };
        let mut cable = Cable::new("rope").via(Station::point(Frame::World, top));
        if falls == 2 {
            cable = cable
                .via(Station::pulley(body, Vec3::ZERO, -Vec3::Y, 0.1))
                .via(Station::point(Frame::World, v(0.2, 0.0, 0.0)));
        } else {
            cable = cable.via(Station::point(body, Vec3::ZERO));
        }
        let cable = world.add_cable(cable.winch(winch)).unwrap();
        world.set_velocity(body, Vec3::Z / f64::from(falls), Vec3::ZERO).unwrap();
        let (mut work, mut said) = (0.0, 0);
        for i in 0..1200 {
            let report = world.step(H).unwrap();
            let gained = (report.energy_gain, report.energy_tolerance);
            assert!(
                report.converged() && gained.0 <= gained.1,
                "{falls} {stop:?} {i}: {gained:?} {:?} {} {:?}",
                report.status,
                report.friction_gap,
                report.refusals
            );
            work += report.work;
            let stops = |e: &&Event| matches!(e, Event::WinchStopped { .. });
            said += report.events.iter().filter(stops).count();
        }
        assert_eq!(said, 1, "{falls} falls");
        let state = world.cable(cable).unwrap();
        let first = if falls == 1 { 5.0 } else { 10.0 + 0.1 * PI };
        let least = stop.unwrap_or(0.01 * first);
        let left = -height(&world, body);
        assert!((left - least).abs() < 0.04 && state.stretch() < 1e-6, "{left} {least}");
        assert!((work / (100.0 * G * (5.0 - left)) - 1.0).abs() < 0.01, "{work}");
        // It pays out again.
        world.set_winch(cable, Winch::new(0.5)).unwrap();
        run(&mut world, 60, H);
        assert!((height(&world, body) + left + 0.5 / f64::from(falls)).abs() < 1e-5);
    }
    // A cable between things that do not give way.
    let mut world = World::new();
    let body = load(&mut world, "load", 100.0, v(0.0, 0.0, -5.0));
    world.add_joint(Joint::weld("held", Frame::World, body).anchor_b(Vec3::ZERO)).unwrap();
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .winch(Winch::new(-0.5));
    let cable = world.add_cable(cable).unwrap();
    let mut said = 0;
    for _ in 0..300 {
        let report = world.step(H).unwrap();
        said += usize::from(report.events.iter().any(|e| matches!(e, Event::WinchStopped { .. })));
    }
    assert!(said >= 1 && world.cable(cable).unwrap().length() > 4.95);
}

#[test]
fn a_fast_winch_stops_and_its_load_goes_on_by_its_inertia() {
    for speed in [2.0, 10.0, 50.0] {
        let mut world = World::new();
        let body = load(&mut world, "load", 10.0, v(0.0, 0.0, -30.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .winch(Winch::new(-speed).stop(2.0));
        let cable = world.add_cable(cable).unwrap();
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..(60.0 * 29.0 / speed) as usize {
            let report = world.step(H).unwrap();
            assert!(report.converged() && !report.gained_energy());
            highest = highest.max(height(&world, body));
            // Not a hair beyond its stop.
            assert!(world.cable(cable).unwrap().length() > 2.0 - 1e-9);
        }
        if speed < 3.0 {
            let thrown = speed * speed / (2.0 * G);
            assert!((highest + 2.0 - thrown).abs() < 2e-3, "{highest}");
        }
    }
}

#[test]
fn a_winch_that_slips_on_a_cable_that_stretches_works_by_what_it_takes_in() {
    // It pulls with its force F: the load gets F d, and with the strain ε = F/EA of what it takes in half of F ε more stays in the springs.
    for (ea, damping, h) in [(1e4, 1e2, H), (1e5, 1e2, H), (1e5, 0.0, 1.0 / 240.0), (1e6, 1e4, H)] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        let body = load(&mut world, "load", 100.0, v(30.0, 0.0, 0.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .winch(Winch::new(-20.0).max_force(500.0))
            .stiffness(ea)
            .damping(damping);
        let cable = world.add_cable(cable).unwrap();
        let mut work = 0.0;
        for _ in 0..(3.0 / h) as usize {
            work += world.step(h).unwrap().work;
        }
        let taken = 30.0 - world.cable(cable).unwrap().length();
        let strain = 500.0 / ea;
        let exact = 500.0 * taken * (1.0 + 0.5 * strain);
        // Until the cable is stretched for the first time it pulls with less.
        let first = 0.5 * 500.0 * strain * 30.0;
        let off = (work - exact).abs();
        assert!(off < first + 1e-3 * exact, "{ea} {damping} {h}: {work} {exact}");
    }
}

#[test]
fn a_winch_behind_a_station_that_holds_the_cable_is_refused() {
    let mut world = World::new();
    let body = load(&mut world, "load", 100.0, v(0.2, 0.0, -5.0));
    for stiffness in [f64::INFINITY, 1e5] {
        let cable = Cable::new("hoist")
            .via(Station::point(Frame::World, v(-0.2, 0.0, -5.0)))
            .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.2).friction(f64::INFINITY))
            .via(Station::point(body, Vec3::ZERO))
            .stiffness(stiffness);
        let held = world.add_cable(cable.clone()).unwrap();
        world.remove_cable(held).unwrap();
        let error = world.add_cable(cable.winch(Winch::new(-0.5))).unwrap_err().to_string();
        assert!(error.contains("hoist") && error.contains("station 1"), "{error}");
    }
}
