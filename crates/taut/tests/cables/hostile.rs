//! Odd lengths, slack starts, fast winches, tiny and huge masses, long and short steps, against closed forms and energy.

use super::*;

const STEPS: [f64; 4] = [1.0 / 30.0, H, 1.0 / 240.0, 1.0 / 1000.0];

/// Steps a world and adds up its work; asserts what must hold in any scene.
fn go(world: &mut World, seconds: f64, h: f64, said: &str) -> (f64, usize) {
    let (mut work, mut parts) = (0.0, 0);
    for i in 0..(seconds / h).round() as usize {
        let report = world.step(h).unwrap();
        work += report.work;
        parts += report.parts;
        let (gain, most) = (report.energy_gain, report.energy_tolerance);
        assert!(gain <= most, "{said}, h {h}, step {i}: gained {gain} of {most}");
        assert!(report.converged(), "{said}, h {h}, step {i}: {:?}", report.status);
        for (_, cable) in world.cables() {
            let off = cable.stretch() / cable.length();
            let gives = cable.definition().stiffness.is_finite();
            assert!(gives || off < 1e-6, "{said}, h {h}, step {i}: too long by {off}");
            assert!(cable.tensions().iter().all(|t| t.is_finite() && *t >= 0.0));
        }
    }
    (work, parts)
}

fn top() -> Station {
    Station::point(Frame::World, Vec3::ZERO)
}

#[test]
fn a_tackle_that_rubs_at_every_sheave() {
    // Winch, six falls around five sheaves of half a turn: T falls by e^(μπ) at each, and the falls carry the load.
    let (mu, falls) = (0.08, 6);
    for h in STEPS {
        for speed in [-0.2, 0.2] {
            let mut world = World::new();
            let r = 0.1;
            let x = |i: usize| 2.0 * r * i as f64 - r * (falls - 1) as f64;
            let block = load(&mut world, "block", 500.0, v(0.0, 0.0, -8.0));
            let guide =
                Joint::slider("guide", Frame::World, block).axis_a(Vec3::Z).anchor_b(Vec3::ZERO);
            world.add_joint(guide).unwrap();
            let mut cable = Cable::new("fall").via(Station::point(Frame::World, v(x(0), 0.0, 0.0)));
            for i in 0..falls - 1 {
                let centre = v(x(i) + r, 0.0, 0.0);
                cable = cable.via(match i % 2 {
                    0 => Station::pulley(block, centre, -Vec3::Y, r).friction(mu),
                    _ => Station::pulley(Frame::World, centre, Vec3::Y, r).friction(mu),
                });
            }
            let cable = cable.via(Station::point(Frame::World, v(x(falls - 1), 0.0, 0.0)));
            let cable = world.add_cable(cable.winch(Winch::new(speed))).unwrap();
            world.set_velocity(block, Vec3::Z * (-speed / falls as f64), Vec3::ZERO).unwrap();
            let (work, _) = go(&mut world, 2.0, h, "tackle");
            let q = f64::exp(mu * PI * speed.signum());
            let sum: f64 = (0..falls as i32).map(|i| q.powi(i)).sum();
            let first = 500.0 * G / sum;
            let t = world.cable(cable).unwrap().tensions().to_vec();
            assert!((t[0] / first - 1.0).abs() < 1e-6, "{h} {speed}: {t:?} {first}");
            assert!((work / (-first * 2.0 * speed) - 1.0).abs() < 1e-3, "{h} {speed}: {work}");
        }
    }
}

#[test]
fn an_elastic_cable_over_a_rubbing_sheave_on_a_winch() {
    for h in STEPS {
        let mut world = World::new();
        let body = load(&mut world, "load", 80.0, v(0.2, 0.0, -9.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, v(-0.2, 0.0, -3.0)))
            .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.2).friction(0.15))
            .via(Station::point(body, Vec3::ZERO))
            .stiffness(3e5)
            .damping(2e4)
            .winch(Winch::new(-0.4));
        let cable = world.add_cable(cable).unwrap();
        go(&mut world, 3.0, h, "elastic");
        let before = world.energy();
        let (work, _) = go(&mut world, 1.0, h, "elastic");
        let gained = world.energy() - before;
        let ratio = f64::exp(0.15 * PI);
        // Segments that slip lose by the first order of the step.
        let off = work / gained / ratio - 1.0;
        assert!(off > -1e-3 && off < 1e-3 + 0.25 * h, "{h}: {off}");
        let t = world.cable(cable).unwrap().tensions().to_vec();
        assert!((t[0] / t[1] / ratio - 1.0).abs() < 1e-3, "{t:?}");
    }
}

#[test]
fn slack_starts_and_drops() {
    for h in STEPS {
        for (mass, stiffness) in
            [(1e-3, f64::INFINITY), (1.0, 1e4), (1e5, f64::INFINITY), (70.0, 4e3), (1e-3, 1.0)]
        {
            let mut world = World::new();
            let body = load(&mut world, "load", mass, v(0.3, 0.0, -0.4));
            let cable = Cable::new("rope").via(top()).via(Station::point(body, Vec3::ZERO));
            let cable = cable.length(3.7).stiffness(stiffness);
            let cable = world.add_cable(cable).unwrap();
            let mut lowest = 0.0_f64;
            for _ in 0..(4.0 / h) as usize {
                go(&mut world, h, h, "drop");
                lowest = lowest.min(height(&world, body));
            }
            if stiffness.is_finite() {
                // Straight fall, nearly: mg(l + s − 0.5) = ½ (EA/l) s².
                let k = stiffness / 3.7;
                let w = mass * G;
                let s = (w + f64::sqrt(w * w + 2.0 * k * w * 3.3)) / k;
                assert!(-lowest < (3.7 + s) * 1.01, "{h} {mass}: {lowest} {s}");
                assert!(-lowest > (3.7 + s) * 0.9, "{h} {mass}: {lowest} {s}");
            }
            let _ = cable;
        }
    }
}

#[test]
fn fast_winches_that_turn_round() {
    for h in STEPS {
        for max_force in [f64::INFINITY, 3e3] {
            let mut world = World::new();
            let body = load(&mut world, "load", 50.0, v(0.0, 0.0, -12.0));
            let cable = Cable::new("rope")
                .via(top())
                .via(Station::point(body, Vec3::ZERO))
                .winch(Winch::new(0.0).max_force(max_force));
            let cable = world.add_cable(cable).unwrap();
            for i in 0..40 {
                let speed = if i % 2 == 0 { -15.0 } else { 12.0 };
                world.set_winch(cable, Winch::new(speed).max_force(max_force)).unwrap();
                go(&mut world, 0.1, h, "fast");
            }
            world.set_winch(cable, Winch::new(0.0)).unwrap();
            go(&mut world, 1.0, h, "fast");
        }
    }
}

#[test]
fn a_tether_in_free_flight_keeps_momentum_and_energy() {
    for h in STEPS {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        let a = load(&mut world, "a", 1000.0, v(-1.0, 0.0, 0.0));
        let b = load(&mut world, "b", 10.0, v(99.0, 0.0, 0.0));
        world.set_velocity(a, v(0.0, -0.2, 0.1), Vec3::ZERO).unwrap();
        world.set_velocity(b, v(0.0, 20.0, 0.1), Vec3::ZERO).unwrap();
        let cable = Cable::new("tether")
            .via(Station::point(a, Vec3::ZERO))
            .via(Station::point(b, Vec3::ZERO));
        let cable = world.add_cable(cable).unwrap();
        let before = world.energy();
        go(&mut world, 20.0, h, "tether");
        assert!((world.energy() / before - 1.0).abs() < 1e-4, "{h}: {}", world.energy() / before);
        // Relative speed 20.2 m/s on 100 m: T = μ v²/l.
        let t = 1000.0 * 10.0 / 1010.0 * 20.2 * 20.2 / 100.0;
        assert!(
            (tension(&world, cable) / t - 1.0).abs() < 1e-3,
            "{h}: {}",
            tension(&world, cable) / t
        );
        let p =
            world.body(a).unwrap().velocity() * 1000.0 + world.body(b).unwrap().velocity() * 10.0;
        assert!((p - v(0.0, 0.0, 101.0)).length() < 1e-4, "{p:?}");
    }
}

#[test]
fn a_bead_on_a_cable_runs_along_its_ellipse() {
    for h in [1.0 / 60.0, 1.0 / 240.0, 1e-3] {
        let mut world = World::new();
        // Foci at ±3, length 10: x²/25 + z²/16 = 1.
        let (x, z) = (4.0, -4.0 * f64::sqrt(1.0 - 16.0 / 25.0));
        let bead = load(&mut world, "bead", 2.0, v(x, 0.0, z));
        let cable = Cable::new("wire")
            .via(Station::point(Frame::World, v(-3.0, 0.0, 0.0)))
            .via(Station::point(bead, Vec3::ZERO))
            .via(Station::point(Frame::World, v(3.0, 0.0, 0.0)));
        let cable = world.add_cable(cable).unwrap();
        assert!((world.cable(cable).unwrap().length() - 10.0).abs() < 1e-9);
        let before = world.energy();
        for _ in 0..(5.0 / h) as usize {
            go(&mut world, h, h, "bead");
            let p = world.body(bead).unwrap().position();
            let off = p.x * p.x / 25.0 + p.z * p.z / 16.0 - 1.0;
            assert!(off.abs() < 1e-5, "{h}: {off} at {p:?}");
        }
        let swing = 2.0 * G * (4.0 + z);
        assert!(
            (world.energy() - before).abs() < 0.01 * swing,
            "{h}: {}",
            (world.energy() - before) / swing
        );
    }
}

#[test]
fn tiny_and_huge() {
    for h in STEPS {
        for (mass, length) in [(1e-6, 1e-3), (1e-3, 1e5), (1e7, 0.05), (1e6, 1e4)] {
            let mut world = World::new();
            let body = load(&mut world, "load", mass, v(0.0, 0.0, -length));
            let cable = Cable::new("rope").via(top()).via(Station::point(body, Vec3::ZERO));
            let cable = world.add_cable(cable).unwrap();
            go(&mut world, 0.5, h, "tiny and huge");
            let off = tension(&world, cable) / (mass * G) - 1.0;
            assert!(off.abs() < 1e-7, "{h} {mass} {length}: {off}");
        }
        // Atwood's machine with 1 g against 1000 t.
        let mut world = World::new();
        let a = load(&mut world, "a", 1e-3, v(-0.1, 0.0, -90.0));
        let b = load(&mut world, "b", 1e6, v(0.1, 0.0, -1.0));
        let cable = Cable::new("rope")
            .via(Station::point(a, Vec3::ZERO))
            .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.1).friction(0.1))
            .via(Station::point(b, Vec3::ZERO));
        world.add_cable(cable).unwrap();
        go(&mut world, 1.0, h, "Atwood");
        assert!((height(&world, b) + 1.0 + 0.5 * G).abs() < 1e-5, "{}", height(&world, b));
    }
}

#[test]
fn a_gram_between_ten_tonnes() {
    for mass in [1.0, 1e-3] {
        let mut world = ring_under_ten_tonnes(mass);
        let (_, parts) = go(&mut world, 5.0, H, "ring");
        assert!(parts < 600, "{mass}: {parts} parts of 300");
    }
}

#[test]
fn two_winches_pull_against_one_another() {
    for h in STEPS {
        let mut world = World::new();
        let sled = load(&mut world, "sled", 30.0, v(0.0, 0.0, 0.0));
        let rail = Joint::slider("rail", Frame::World, sled).axis_a(Vec3::X).anchor_b(Vec3::ZERO);
        world.add_joint(rail).unwrap();
        for (name, x, force) in [("left", -10.0, 400.0), ("right", 10.0, 700.0)] {
            let cable = Cable::new(name)
                .via(Station::point(Frame::World, v(x, 0.0, 0.0)))
                .via(Station::point(sled, Vec3::ZERO))
                .winch(Winch::new(-1.0).max_force(force));
            world.add_cable(cable).unwrap();
        }
        // The stronger one wins: it takes in at its speed once the sled is as fast, against 400 N.
        go(&mut world, 3.0, h, "tug of war");
        let t: Vec<_> = world.cables().map(|(_, c)| c.tensions()[0]).collect();
        assert!((t[0] - 400.0).abs() < 1e-3 && (t[1] - 400.0).abs() < 1e-3, "{h}: {t:?}");
        let speed = world.body(sled).unwrap().velocity().x;
        assert!((speed - 1.0).abs() < 1e-6, "{h}: {speed}");
    }
}

#[test]
fn a_moving_pulley_hoists_twice_as_fast() {
    // A kinematic body carries a sheave up; one end is fixed, the load hangs on the other.
    for h in STEPS {
        let mut world = World::new();
        let carrier = Body::kinematic("carrier")
            .shape(Shape::Ball { radius: 0.1 })
            .velocity(v(0.0, 0.0, 0.5));
        let carrier = world.add_body(carrier.collides(false)).unwrap();
        let body = load(&mut world, "load", 20.0, v(0.3, 0.0, -6.0));
        world.set_velocity(body, v(0.0, 0.0, 1.0), Vec3::ZERO).unwrap();
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, v(-0.3, 0.0, -4.0)))
            .via(Station::pulley(carrier, Vec3::ZERO, Vec3::Y, 0.3).friction(0.05))
            .via(Station::point(body, Vec3::ZERO));
        let cable = world.add_cable(cable).unwrap();
        let (work, _) = go(&mut world, 2.0, h, "carrier");
        assert!((height(&world, body) + 4.0).abs() < 1e-5, "{h}: {}", height(&world, body));
        let t = world.cable(cable).unwrap().tensions().to_vec();
        assert!((t[0] / t[1] / f64::exp(0.05 * PI) - 1.0).abs() < 1e-6, "{t:?}");
        assert!((work / ((t[0] + t[1]) * 1.0) - 1.0).abs() < 1e-3, "{h}: {work} {t:?}");
    }
}

#[test]
fn a_line_with_mass_takes_a_load() {
    // 200 m of 2 kg/m with 40 points, slack, and a load that swings on its lower end.
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let mut world = World::new();
        let body = load(&mut world, "load", 300.0, v(60.0, 5.0, -80.0));
        world.set_velocity(body, v(3.0, 4.0, 0.0), Vec3::ZERO).unwrap();
        let cable =
            Cable::new("line").via(top()).via(Station::point(body, Vec3::ZERO)).length(110.0);
        world.add_cable_with_mass(cable, 2.0, 40).unwrap();
        let (_, parts) = go(&mut world, 10.0, h, "line");
        assert!(parts as f64 <= 10.5 / h, "{parts}");
    }
}

#[test]
fn a_sheave_that_is_swung_at_askew() {
    // A load on a sheave swings across its plane, up to 30°, and past it.
    for h in STEPS {
        for speed in [2.0, 5.0, 12.0] {
            let mut world = World::new();
            let a = load(&mut world, "a", 10.0, v(-0.2, 0.0, -3.0));
            let b = load(&mut world, "b", 9.0, v(0.2, 0.0, -5.0));
            let cable = Cable::new("rope")
                .via(Station::point(a, Vec3::ZERO))
                .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.2).friction(0.1))
                .via(Station::point(b, Vec3::ZERO));
            world.add_cable(cable).unwrap();
            world.set_velocity(b, v(0.3, speed, 0.0), Vec3::ZERO).unwrap();
            go(&mut world, 4.0, h, "askew");
        }
    }
}

#[test]
fn both_ends_of_a_cable_on_one_body_hold_it() {
    // A beam on a sling through a ring: each leg has mg/(2 cos α).
    let mut world = World::new();
    let beam = load(&mut world, "beam", 20.0, v(0.0, 0.0, -2.0));
    let sling = Cable::new("sling")
        .via(Station::point(beam, v(-1.0, 0.0, 0.0)))
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(beam, v(1.0, 0.0, 0.0)));
    let sling = world.add_cable(sling).unwrap();
    run(&mut world, 60, H);
    let exact = 0.5 * 20.0 * G * f64::hypot(1.0, 2.0) / 2.0;
    assert!((tension(&world, sling) / exact - 1.0).abs() < 1e-9, "{}", tension(&world, sling));
    // Both ends and nothing between them: its length cannot change.
    let closed =
        Cable::new("loop").via(Station::point(beam, Vec3::X)).via(Station::point(beam, -Vec3::X));
    assert!(matches!(world.add_cable(closed), Err(Error::Cable { .. })));
}
