//! Cables that stretch: segments with tensions of their own, snaps, winches that slip or pull straight.

use super::*;

/// An elastic cable from the world over a sheave that does not turn, on which it never slips, to a load.
fn over_a_grip(ea: f64, damping: f64) -> (World, BodyId, CableId) {
    let mut world = World::new();
    let body = load(&mut world, "load", 50.0, v(0.2, 0.0, -4.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(-0.2, 0.0, -6.0)))
        .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.2).friction(f64::INFINITY))
        .via(Station::point(body, Vec3::ZERO))
        .stiffness(ea)
        .damping(damping);
    let cable = world.add_cable(cable).unwrap();
    (world, body, cable)
}

#[test]
fn what_sticks_stretches_on_its_own_side() {
    for h in [H, 1.0 / 240.0] {
        for (ea, damping) in [(1e4, 2e3), (1e5, 5e3), (1e6, 2e4)] {
            let (mut world, body, cable) = over_a_grip(ea, damping);
            for _ in 0..(20.0 / h) as usize {
                let report = world.step(h).unwrap();
                assert!(report.converged() && !report.gained_energy(), "{ea} {h}");
            }
            // The load's side ends in the middle of the wrap.
            let own = 4.0 + 0.5 * PI * 0.2;
            let sinks = 50.0 * G * own / ea;
            let sank = -4.0 - height(&world, body);
            assert!((sank / sinks - 1.0).abs() < 1e-6, "{ea} {h}: {sank} {sinks}");
            let t = world.cable(cable).unwrap().tensions().to_vec();
            assert!((t[1] / (50.0 * G) - 1.0).abs() < 1e-6 && t[0] < 1e-6, "{ea} {h}: {t:?}");
            // At rest means at rest.
            let speed = world.body(body).unwrap().velocity().length();
            assert!(speed < 1e-7, "{ea} {h}: {speed}");
        }
    }
}

#[test]
fn an_elastic_cable_slips_at_the_ratio_of_its_sheave() {
    // Two loads beyond e^(μπ) over a sheave that is fixed: the cable runs with (m₂ − E m₁)g/(m₂ + E m₁).
    let (mu, m) = (0.2, [10.0, 30.0]);
    let e = f64::exp(mu * PI);
    let mut world = World::new();
    let a = load(&mut world, "a", m[0], v(-0.2, 0.0, -5.0));
    let b = load(&mut world, "b", m[1], v(0.2, 0.0, -5.0));
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.2).friction(mu))
        .via(Station::point(b, Vec3::ZERO))
        .stiffness(1e6)
        .damping(1e4);
    let cable = world.add_cable(cable).unwrap();
    run(&mut world, 60, H);
    let acc = (m[1] - e * m[0]) * G / (m[1] + e * m[0]);
    let fell = -5.0 - height(&world, b);
    assert!((fell / (0.5 * acc) - 1.0).abs() < 2e-3, "{fell} {}", 0.5 * acc);
    let t = world.cable(cable).unwrap().tensions().to_vec();
    assert!((t[1] / t[0] / e - 1.0).abs() < 1e-6, "{t:?}");
}

#[test]
fn three_sheaves_that_grip_hold_three_spans_apart() {
    // Loads hang from rings between gripping sheaves; each span has the tension of its own loads.
    let mut world = World::new();
    let mut cable = Cable::new("rope").via(Station::point(Frame::World, v(-1.0, 0.0, -3.0)));
    let mut loads = Vec::new();
    for i in 0..3 {
        let x = 2.0 * f64::from(i);
        let mass = 10.0 * f64::from(i + 1);
        let grip = Station::pulley(Frame::World, v(x, 0.0, 0.0), Vec3::Y, 0.1);
        let ring = load(&mut world, &format!("l{i}"), mass, v(x + 1.0, 0.0, -3.0));
        loads.push((mass, ring));
        cable = cable.via(grip.friction(f64::INFINITY)).via(Station::point(ring, Vec3::ZERO));
    }
    let cable =
        cable.via(Station::point(Frame::World, v(6.0, 0.0, 0.0))).stiffness(1e5).damping(3e3);
    let cable = world.add_cable(cable).unwrap();
    for _ in 0..1200 {
        let report = world.step(H).unwrap();
        assert!(!report.gained_energy());
    }
    let t = world.cable(cable).unwrap().tensions().to_vec();
    for (i, &(mass, ring)) in loads.iter().enumerate() {
        // Both spans at the ring have one tension, 2T cos α = mg with the angle that they hang at.
        assert!((t[2 * i + 1] / t[2 * i + 2] - 1.0).abs() < 1e-9, "{t:?}");
        let p = world.body(ring).unwrap().position();
        let top = [2.0 * i as f64 + 0.1, if i == 2 { 6.0 } else { 2.0 * (i + 1) as f64 - 0.1 }];
        let rise = |x: f64| -p.z / (x - p.x).hypot(p.z);
        let hold = t[2 * i + 1] * (rise(top[0]) + rise(top[1]));
        assert!((hold / (mass * G) - 1.0).abs() < 0.02, "{i}: {hold} {}", mass * G);
    }
    // The side that nothing pulls (a share of the wrap that turns with the other one is its own).
    assert!(t[0] < 0.05, "{t:?}");
}

#[test]
fn a_snap_has_its_peak_and_keeps_its_energy() {
    // 100 kg fall 2 m until the cable of 3 m is taut; then ½k s² = mg s + ½mv².
    for (ea, h) in [(1e5, H), (3e5, H), (1e6, H), (1e6, 1.0 / 240.0)] {
        let mut world = World::new();
        let m = 100.0;
        let body = load(&mut world, "load", m, v(0.0, 0.0, -1.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .stiffness(ea)
            .length(3.0);
        world.add_cable(cable).unwrap();
        let (k, fall) = (ea / 3.0, 2.0);
        let exact = m * G + f64::sqrt((m * G).powi(2) + 2.0 * k * m * G * fall);
        let (mut peak, mut back, start) = (0.0_f64, f64::NEG_INFINITY, world.energy());
        let mut parts = 0;
        for i in 0..(2.0 / h) as usize {
            let report = world.step(h).unwrap();
            parts += report.parts;
            assert!(report.converged() && !report.gained_energy(), "{ea}: {i}");
            peak = peak.max(report.max_tension);
            if peak > 0.0 {
                back = back.max(height(&world, body));
            }
        }
        assert!((peak / exact - 1.0).abs() < 0.05, "{ea} {h}: {peak} of {exact}");
        assert!(back > -1.1, "{ea} {h}: back to {back}");
        let lost = (start - world.energy()) / (m * G * fall);
        assert!(lost < 0.05, "{ea} {h}: {lost}");
        assert!((parts as f64) < 3.0 * 2.0 / h, "{parts}");
    }
}

#[test]
fn a_winch_that_pulls_its_cable_straight_stops() {
    for h in [H, 0.002] {
        for (mass, speed) in [(10.0, -0.5), (1000.0, -2.0), (0.1, -10.0)] {
            let mut world = World::new();
            let body = load(&mut world, "ring", mass, v(0.0, 0.0, -1.0));
            let cable = Cable::new("rope")
                .via(Station::point(Frame::World, v(-2.0, 0.0, 0.0)))
                .via(Station::point(body, Vec3::ZERO))
                .via(Station::point(Frame::World, v(2.0, 0.0, 0.0)))
                .winch(Winch::new(speed));
            let cable = world.add_cable(cable).unwrap();
            let (mut work, start, mut said) = (0.0, world.energy(), 0);
            for i in 0..(1.5 / h) as usize {
                let report = world.step(h).unwrap();
                work += report.work;
                let gained = (report.energy_gain, report.energy_tolerance);
                assert!(gained.0 <= gained.1, "{h} {mass} {speed} {i}: {gained:?}");
                said += report
                    .events
                    .iter()
                    .filter(|e| matches!(e, Event::WinchStopped { .. }))
                    .count();
            }
            let state = world.cable(cable).unwrap();
            assert!(said >= 1 && state.stretch() < 1e-6 * state.length(), "{h} {mass} {speed}");
            assert!(state.length() >= 4.0 && state.length() < 4.3, "{}", state.length());
            let gain = world.energy() - start;
            assert!(gain <= work + 1e-3 * work.abs() + 1e-6, "{h} {mass} {speed}: {gain} {work}");
        }
    }
}

#[test]
fn a_winch_that_slips_works_at_the_speed_it_has() {
    for (mass, ea) in [(100.0, f64::INFINITY), (100.0, 1e6), (40.0, f64::INFINITY), (40.0, 1e5)] {
        for speed in [-1.0, 0.5, -5.0] {
            let mut world = World::new();
            let body = load(&mut world, "load", mass, v(0.0, 0.0, -30.0));
            let cable = Cable::new("rope")
                .via(Station::point(Frame::World, Vec3::ZERO))
                .via(Station::point(body, Vec3::ZERO))
                .stiffness(ea)
                .winch(Winch::new(speed).max_force(500.0));
            world.add_cable(cable).unwrap();
            let (mut work, start) = (0.0, world.energy());
            for i in 0..120 {
                let report = world.step(H).unwrap();
                work += report.work;
                let gained = (report.energy_gain, report.energy_tolerance);
                assert!(
                    report.converged() && gained.0 <= gained.1,
                    "{mass} {ea} {speed} {i}: {gained:?}"
                );
            }
            let gain = world.energy() - start;
            // Beyond its force it runs out, and takes 500 N for each metre.
            if mass > 51.0 && speed < 0.0 && ea.is_infinite() {
                let rise = height(&world, body) + 30.0;
                assert!((work / (500.0 * rise) - 1.0).abs() < 1e-6, "{work} {rise}");
                assert!((gain / work - 1.0).abs() < 1e-6, "{gain} {work}");
            }
            assert!(gain <= work + 1e-4 * work.abs() + 1e-3, "{mass} {ea} {speed}: {gain} {work}");
        }
    }
}

#[test]
fn a_sheave_that_grips_turns_between_two_springs() {
    // A wheel on a hinge, which a stretched cable goes around and grips: I θ¨ = −2kR²θ with k = EA/rest of a side. (What
    // ran over the wheel was counted twice: √2 times as fast, and eight times the energy after 20 s.)
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let wheel = Body::dynamic("wheel").shape(Shape::Cylinder { half_height: 0.05, radius: 0.2 });
    let wheel = world.add_body(wheel.mass(10.0).angular_velocity(Vec3::Z)).unwrap();
    world.add_joint(Joint::hinge("axle", Frame::World, wheel).axis_a(Vec3::Z)).unwrap();
    let side = 3.0 + 0.5 * PI * 0.2;
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(-3.0, -0.2, 0.0)))
        .via(Station::pulley(wheel, Vec3::ZERO, Vec3::Z, 0.2).friction(f64::INFINITY))
        .via(Station::point(Frame::World, v(-3.0, 0.2, 0.0)))
        .stiffness(100.0)
        .length(side);
    world.add_cable(cable).unwrap();
    let omega = (2.0 * (100.0 / (0.5 * side)) * 0.04 / 0.2_f64).sqrt();
    let (mut turns, mut last, mut most) = (0, 1.0, 0.0_f64);
    let start = world.energy();
    for _ in 0..1200 {
        let _ = world.step(H).unwrap();
        let rate = world.body(wheel).unwrap().angular_velocity().z;
        turns += usize::from(rate * last < 0.0);
        (last, most) = (rate, most.max(rate.abs()));
    }
    assert!(most < 1.0 + 1e-3, "{most}");
    assert!((world.energy() - start).abs() < 0.05, "{} {start}", world.energy());
    let expected = 20.0 * omega / PI;
    assert!((turns as f64 - expected).abs() < 1.5, "{turns} of {expected}");
}

#[test]
fn a_winch_on_a_spring_stops() {
    // A load of 1 t is hoisted by 1 m/s up to the winch, and bounces. (With every bounce the winch took in more: 3.4 MJ.)
    let mut world = World::new();
    let body = load(&mut world, "load", 1000.0, v(0.0, 0.0, -5.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .stiffness(1e6)
        .winch(Winch::new(-1.0));
    world.add_cable(cable).unwrap();
    let mut work = 0.0;
    for _ in 0..720 {
        let report = world.step(H).unwrap();
        work += report.work;
        assert!(!report.gained_energy());
    }
    assert!(work < 1e5, "{work}");
    assert!(height(&world, body).abs() < 0.5, "{}", height(&world, body));
}

/// Two loads on a sheave of 0.2 m with inertia, the second one thrown up at 3 m/s, so that its side becomes slack and snaps.
fn thrown(friction: f64, ea: f64) -> (World, [BodyId; 3], CableId) {
    let mut world = World::new();
    let a = load(&mut world, "a", 3.0, v(-0.2, 0.0, -1.5));
    let b = load(&mut world, "b", 2.5, v(0.2, 0.0, -1.5));
    world.set_velocity(b, Vec3::Z * 3.0, Vec3::ZERO).unwrap();
    let sheave = wheel(&mut world, "sheave", Vec3::ZERO, 2.5, 0.2);
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::pulley(sheave, Vec3::ZERO, AXLE, 0.2).friction(friction))
        .via(Station::point(b, Vec3::ZERO))
        .stiffness(ea);
    let cable = world.add_cable(cable).unwrap();
    (world, [a, b, sheave], cable)
}

#[test]
fn what_pulls_over_a_rubbing_sheave_is_what_is_told() {
    // The sheave swings between both sides; steps that resolve that find one answer, and what they tell is what moves the loads.
    let mut peaks = Vec::new();
    for steps in [60.0, 240.0, 1000.0, 4000.0] {
        let (mut world, [_, b, _], cable) = thrown(0.5, 1e3);
        let (mut peak, mut speed, h) = (0.0_f64, 3.0, 1.0 / steps);
        for i in 0..(0.65 * steps) as usize {
            let report = world.step(h).unwrap();
            assert!(report.converged() && !report.gained_energy());
            let now = world.body(b).unwrap().velocity().z;
            let force = 2.5 * ((now - speed) / h + G);
            let told = world.cable(cable).unwrap().tensions()[1];
            assert!((force - told).abs() < 0.02 + 1e-6 * told, "{steps} {i}: {force} {told}");
            (peak, speed) = (peak.max(told), now);
        }
        peaks.push(peak);
    }
    assert!((peaks[0] / peaks[3] - 1.0).abs() < 0.05, "{peaks:?}");
    assert!((peaks[1] / peaks[3] - 1.0).abs() < 0.01, "{peaks:?}");
}

#[test]
fn an_elastic_cable_that_slips_over_a_capstan_falls_as_one_that_does_not_stretch() {
    for (ratio, ea, steps) in
        [(1e4, 1e8, 60.0), (1e4, 1e8, 240.0), (1e4, 1e8, 1000.0), (100.0, 1e6, 240.0)]
    {
        let mut world = World::new();
        let m = 1.2 * ratio;
        let a = load(&mut world, "a", m, v(-0.3, 0.0, -2.0));
        let b = load(&mut world, "b", 1.0, v(0.3, 0.0, -4.0));
        let capstan = Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.3);
        let cable = Cable::new("rope")
            .via(Station::point(a, Vec3::ZERO))
            .via(capstan.friction(f64::ln(ratio) / PI))
            .via(Station::point(b, Vec3::ZERO))
            .stiffness(ea)
            .damping(0.01 * ea);
        world.add_cable(cable).unwrap();
        let mut half = 0.0;
        for i in 0..(1.2 * steps) as usize {
            let report = world.step(1.0 / steps).unwrap();
            assert!(!report.gained_energy());
            if i + 1 == (0.6 * steps) as usize {
                half = world.body(a).unwrap().velocity().z;
            }
        }
        let acc = (half - world.body(a).unwrap().velocity().z) / 0.6;
        let exact = (m - ratio) * G / (m + ratio);
        assert!((acc / exact - 1.0).abs() < 5e-3, "{ratio} {steps}: {acc} of {exact}");
    }
}

#[test]
fn a_side_that_is_slack_does_not_push_where_the_cable_grips() {
    // While its side is slack the load flies freely; the other one turns the sheave by its own spring.
    for (ea, h) in [(1e3, H), (1e3, 1.0 / 200.0), (1e5, 1.0 / 200.0)] {
        let (mut world, [_, b, _], _) = thrown(f64::INFINITY, ea);
        let mut highest = f64::NEG_INFINITY;
        for i in 0..(2.0 / h) as usize {
            let report = world.step(h).unwrap();
            assert!(!report.gained_energy(), "{ea} {h} {i}: gained {} J", report.energy_gain);
            let first = (i as f64) * h < 0.34; // Then the sheave has taken up the slack.
            highest = if first { highest.max(height(&world, b)) } else { highest };
        }
        let free = -1.5 + 9.0 / (2.0 * G);
        assert!((highest - free).abs() < 2e-3, "{ea} {h}: {highest} {free}");
    }
}

#[test]
fn a_damper_holds_a_cable_that_becomes_taut_in_the_first_step() {
    // Overdamped, just taut: the tension rises to the weight and little beyond, in steps that do not resolve the rise. (1678 N were told, and it broke.)
    let peak = |h: f64| {
        let mut world = World::new();
        let body = load(&mut world, "load", 100.0, v(0.0, 0.0, -4.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .stiffness(1e6)
            .damping(1e5);
        world.add_cable(cable).unwrap();
        (0..(1.0 / h) as usize).map(|_| world.step(h).unwrap().max_tension).fold(0.0, f64::max)
    };
    for h in [H, 1.0 / 240.0, 1.0 / 960.0] {
        let most = peak(h);
        assert!(most > 981.0 - 1e-6 && most < 1.1 * 1013.0, "{h}: {most}");
    }
}

#[test]
fn what_breaks_a_cable_is_the_largest_tension_told() {
    let mut world = World::new();
    let body = load(&mut world, "load", 100.0, v(0.0, 0.0, -4.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .break_tension(500.0);
    world.add_cable(cable).unwrap();
    let report = world.step(H).unwrap();
    let told = report.events.iter().find_map(|e| match e {
        Event::CableBroke { tension, .. } => Some(*tension),
        _ => None,
    });
    assert!(told.is_some_and(|t| t > 500.0) && told == Some(report.max_tension), "{told:?}");
}

#[test]
fn a_cable_between_things_that_are_held_pulls_by_its_stretch_and_breaks() {
    let build = |stiffness: f64, speed: f64| {
        let mut world = World::new();
        let post = Body::kinematic("post").position(Vec3::X).velocity(Vec3::X * speed);
        let post = world.add_body(post.collides(false)).unwrap();
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(post, Vec3::ZERO))
            .stiffness(stiffness)
            .break_tension(2500.0);
        world.add_cable(cable).map(|cable| (world, cable))
    };
    let (mut world, cable) = build(1e4, 0.5).unwrap();
    for i in 1..=29 {
        let report = world.step(H).unwrap();
        let exact = 1e4 * 0.5 * H * f64::from(i);
        assert!(
            (tension(&world, cable) - exact).abs() < 1e-6
                && report.max_tension == tension(&world, cable),
            "{i}"
        );
    }
    run(&mut world, 2, H);
    assert!(world.cable(cable).is_err(), "it broke at 2500 N");
    let error = build(f64::INFINITY, 0.5).err().unwrap().to_string();
    assert!(error.contains("stiffness"), "{error}");
}
