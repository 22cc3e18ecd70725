//! Closed forms without friction.

use super::*;

#[test]
fn tension_is_the_load_from_a_kilogram_to_a_thousand_tonnes() {
    for mass in [1.0, 50.0, 1e3, 1e6] {
        let mut world = World::new();
        let body = load(&mut world, "load", mass, v(0.0, 0.0, -3.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO));
        let cable = world.add_cable(cable).unwrap();
        run(&mut world, 60, H);
        let off = tension(&world, cable) / (mass * G) - 1.0;
        assert!(off.abs() < 1e-9, "{mass}: {off}");
        assert!((height(&world, body) + 3.0).abs() < 1e-9);
        assert_eq!(world.problem().unwrap().rows(), 1);
    }
}

#[test]
fn atwood_machine_with_the_inertia_of_its_pulley() {
    for (left, right, pulley) in [(1.0, 2.0, 4.0), (10.0, 1.0, 0.5), (1.0, 1000.0, 100.0)] {
        let mut world = World::new();
        let a = load(&mut world, "a", left, v(-0.5, 0.0, -10.0));
        let b = load(&mut world, "b", right, v(0.5, 0.0, -10.0));
        let sheave = wheel(&mut world, "sheave", Vec3::ZERO, pulley, 0.5);
        let cable = Cable::new("rope")
            .via(Station::point(a, Vec3::ZERO))
            .via(Station::pulley(sheave, Vec3::ZERO, AXLE, 0.5).friction(f64::INFINITY))
            .via(Station::point(b, Vec3::ZERO));
        let cable = world.add_cable(cable).unwrap();
        assert!((world.cable(cable).unwrap().wraps()[1] - PI).abs() < 1e-12);
        let steps = 30;
        run(&mut world, steps, H);
        let t = steps as f64 * H;
        // I/r² of a disc is half its mass.
        let inertia = left + right + 0.5 * pulley;
        let a_exact = (right - left) * G / inertia;
        let fallen = -10.0 - height(&world, b);
        let off = fallen / (0.5 * a_exact * t * t) - 1.0;
        assert!(off.abs() < 1e-8, "{left} {right} {pulley}: {off}");
        let t = world.cable(cable).unwrap().tensions().to_vec();
        assert!((t[0] / (left * (G + a_exact)) - 1.0).abs() < 1e-8, "{t:?}");
        assert!((t[1] / (right * (G - a_exact)) - 1.0).abs() < 1e-8, "{t:?}");
    }
}

#[test]
fn without_friction_the_pulley_stands_still() {
    let mut world = World::new();
    let a = load(&mut world, "a", 1.0, v(-0.5, 0.0, -10.0));
    let b = load(&mut world, "b", 3.0, v(0.5, 0.0, -10.0));
    let sheave = wheel(&mut world, "sheave", Vec3::ZERO, 4.0, 0.5);
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::pulley(sheave, Vec3::ZERO, AXLE, 0.5))
        .via(Station::point(b, Vec3::ZERO));
    world.add_cable(cable).unwrap();
    run(&mut world, 30, H);
    let (t, exact) = (30.0 * H, 2.0 * G / 4.0);
    assert!(((-10.0 - height(&world, b)) / (0.5 * exact * t * t) - 1.0).abs() < 1e-9);
    assert!(world.body(sheave).unwrap().angular_velocity().length() < 1e-9);
}

/// A block with sheaves below, one above: the cable runs from the block or the ceiling through n
/// falls to a free end that a weight pulls.
pub(crate) fn tackle(
    falls: usize,
    load_mass: f64,
    pull_mass: f64,
) -> (World, BodyId, BodyId, CableId) {
    let mut world = World::new();
    let block = load(&mut world, "block", load_mass, v(0.0, 0.0, -20.0));
    let r = 0.1;
    // All sheaves in a row along x; falls are 2r apart, and vertical.
    let mut cable = Cable::new("fall");
    let x = |fall: usize| 2.0 * r * fall as f64 - r * (falls - 1) as f64;
    let odd = falls % 2 == 1;
    cable = match odd {
        true => cable.via(Station::point(block, v(x(0), 0.0, 0.0))),
        false => cable.via(Station::point(Frame::World, v(x(0), 0.0, 0.0))),
    };
    for i in 0..falls {
        let above = (i % 2 == 0) == odd;
        let centre = v(x(i) + r, 0.0, 0.0);
        cable = cable.via(match above {
            true => Station::pulley(Frame::World, centre, Vec3::Y, r),
            false => Station::pulley(block, centre, -Vec3::Y, r),
        });
    }
    let pull = load(&mut world, "pull", pull_mass, v(x(falls), 0.0, -5.0));
    let cable = world.add_cable(cable.via(Station::point(pull, Vec3::ZERO))).unwrap();
    (world, block, pull, cable)
}

#[test]
fn block_and_tackle_multiplies_by_its_falls() {
    for falls in [1, 2, 3, 4, 6, 8, 12] {
        let (mut world, block, pull, cable) = tackle(falls, 100.0, 100.0 / falls as f64);
        run(&mut world, 60, H);
        let n = falls as f64;
        let off = tension(&world, cable) * n / (100.0 * G) - 1.0;
        assert!(off.abs() < 1e-9, "{falls} falls: {off}");
        assert!((height(&world, block) + 20.0).abs() < 1e-9);
        assert_eq!(world.problem().unwrap().rows(), 1);
        // Ten per cent more pull: a_block = (n p − m) g/(m + n² p), the pull goes n times as far.
        let (mut world, block, pull_two, _) = tackle(falls, 100.0, 110.0 / n);
        run(&mut world, 60, H);
        let a = (110.0 - 100.0) * G / (100.0 + n * 110.0);
        let rise = height(&world, block) + 20.0;
        let off = rise / (0.5 * a) - 1.0;
        assert!(off.abs() < 1e-9, "{falls} falls: {off:e}");
        let sunk = -5.0 - height(&world, pull_two);
        assert!((sunk / (n * rise) - 1.0).abs() < 1e-9);
        let _ = pull;
    }
}

#[test]
fn stretch_is_force_times_length_over_stiffness() {
    for (mass, stiffness) in [(1.0, 1e3), (100.0, 1e5), (1e4, 1e9), (1e6, 1e8)] {
        let mut world = World::new();
        let body = load(&mut world, "load", mass, v(0.0, 0.0, -4.0));
        // Critical damping of the mass on the spring EA/L.
        let damping = 2.0 * f64::sqrt(mass * stiffness / 4.0) * 4.0;
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .stiffness(stiffness)
            .damping(damping);
        let cable = world.add_cable(cable).unwrap();
        run(&mut world, 600, H);
        let stretch = world.cable(cable).unwrap().stretch();
        let off = stretch / (mass * G * 4.0 / stiffness) - 1.0;
        assert!(off.abs() < 1e-9, "{mass} {stiffness}: {off}");
        assert!((tension(&world, cable) / (mass * G) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn an_elastic_cable_bounces_at_its_frequency_and_keeps_its_energy() {
    let mut world = World::new();
    let body = load(&mut world, "load", 10.0, v(0.0, 0.0, -2.0));
    let cable = Cable::new("bungee")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .stiffness(800.0);
    world.add_cable(cable).unwrap();
    let (before, h) = (world.energy(), 1e-3);
    let omega = f64::sqrt(400.0 / 10.0);
    let sag = 10.0 * G / 400.0;
    let mut worst = 0.0_f64;
    for i in 1..=3000 {
        let _ = world.step(h).unwrap();
        let exact = -2.0 - sag * (1.0 - (omega * h * f64::from(i)).cos());
        worst = worst.max((height(&world, body) - exact).abs());
    }
    assert!(worst < 1e-4 * sag, "{worst}");
    assert!((world.energy() - before).abs() < 1e-6 * 10.0 * G * sag, "{}", world.energy() - before);
}

#[test]
fn slack_cables_do_not_push_and_say_when_they_pull() {
    let mut world = World::new();
    let body = load(&mut world, "load", 2.0, v(0.0, 0.0, -1.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO))
        .length(1.5);
    let cable = world.add_cable(cable).unwrap();
    let (mut events, mut lowest) = (Vec::new(), 0.0_f64);
    for i in 0..60 {
        let report = world.step(H).unwrap();
        events.extend(report.events.into_iter().map(|e| (i, e)));
        lowest = lowest.min(height(&world, body));
        let t = f64::from(i + 1) * H;
        if 0.5 * G * t * t < 0.45 {
            assert_eq!(tension(&world, cable), 0.0);
            assert!((height(&world, body) + 1.0 + 0.5 * G * t * t).abs() < 1e-9);
        }
    }
    assert!(lowest > -1.5 - 1e-6, "{lowest}");
    assert_eq!(events.first().map(|e| &e.1), Some(&Event::CableTaut { cable }));
    assert!((tension(&world, cable) - 2.0 * G).abs() < 1e-6);
    world.set_velocity(body, v(0.0, 0.0, 1.0), Vec3::ZERO).unwrap();
    let report = world.step(H).unwrap();
    assert!(report.events.contains(&Event::CableSlack { cable }));
}

#[test]
fn a_cable_breaks_at_its_load() {
    let mut world = World::new();
    let body = load(&mut world, "load", 10.0, v(0.0, 0.0, -1.0));
    let make = |name: &str, limit: f64| {
        Cable::new(name)
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .break_tension(limit)
    };
    let strong = world.add_cable(make("strong", 99.0)).unwrap();
    run(&mut world, 5, H);
    assert!(world.cable(strong).is_ok());
    world.remove_cable(strong).unwrap();
    let weak = world.add_cable(make("weak", 97.0)).unwrap();
    let report = world.step(H).unwrap();
    assert!(
        report
            .events
            .iter()
            .any(|e| matches!(e, Event::CableBroke { cable, .. } if *cable == weak))
    );
    assert!(world.cable(weak).is_err());
}

/// Simple pendulum by a fine integration: angle after the time t from rest at `start`, with length
/// l(t) and its rate.
pub(crate) fn pendulum(start: f64, t: f64, length: impl Fn(f64) -> (f64, f64)) -> f64 {
    let steps = 200_000;
    let h = t / f64::from(steps);
    let (mut angle, mut rate) = (start, 0.0);
    let slope = |t: f64, angle: f64, rate: f64| {
        let (l, dl) = length(t);
        (rate, -(G * angle.sin() + 2.0 * dl * rate) / l)
    };
    for i in 0..steps {
        let t = f64::from(i) * h;
        let k1 = slope(t, angle, rate);
        let k2 = slope(t + 0.5 * h, angle + 0.5 * h * k1.0, rate + 0.5 * h * k1.1);
        let k3 = slope(t + 0.5 * h, angle + 0.5 * h * k2.0, rate + 0.5 * h * k2.1);
        let k4 = slope(t + h, angle + h * k3.0, rate + h * k3.1);
        angle += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        rate += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    angle
}

#[test]
fn a_pendulum_on_a_cable_keeps_its_period_and_energy() {
    let mut world = World::new();
    let body = load(&mut world, "bob", 3.0, v(2.0 * f64::sin(0.5), 0.0, -2.0 * f64::cos(0.5)));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(body, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    let before = world.energy();
    let mut longest = 0.0_f64;
    for _ in 0..6000 {
        let report = world.step(1.0 / 600.0).unwrap();
        longest = longest.max(report.max_cable_error);
        assert!(tension(&world, cable) >= 0.0);
    }
    assert!(longest < 1e-9, "{longest}");
    let swing = 3.0 * G * 2.0 * (1.0 - f64::cos(0.5));
    let lost = (before - world.energy()) / swing;
    assert!(lost.abs() < 1e-4, "lost {lost}");
    let p = world.body(body).unwrap().position();
    let exact = pendulum(0.5, 10.0, |_| (2.0, 0.0));
    assert!((f64::atan2(p.x, -p.z) - exact).abs() < 5e-3, "{} {exact}", f64::atan2(p.x, -p.z));
}

#[test]
fn a_pendulum_wraps_around_a_cylinder_and_lets_go_again() {
    // Hung at the top of a cylinder of radius r at the origin, at its right side; swings to the left
    // wrap it. With the wrap angle ψ ≥ 0 the free length is l − rψ, and the bob is where the
    // tangent at ψ leads. θ is the angle of the free part from straight down, to the left positive.
    let (r, l, start) = (0.3, 2.0, 0.9_f64);
    // θ ≥ 0: free length l − rθ, potential by z = −r sin θ·(−1)…; integrate T = ½m((l − rθ)θ̇)².
    // θ < 0: a pendulum of length l about the point (r, 0).
    let point = |theta: f64| {
        if theta >= 0.0 {
            let (s, c) = theta.sin_cos();
            (r * c - (l - r * theta) * s, -r * s - (l - r * theta) * c)
        } else {
            (r - l * theta.sin(), -l * theta.cos())
        }
    };
    let slope = |theta: f64, rate: f64| {
        let free = if theta >= 0.0 { l - r * theta } else { l };
        // d/dt(free²·θ̇) = −r·free·θ̇² … − g·free·sin θ
        let curve = if theta >= 0.0 { r * rate * rate } else { 0.0 };
        (rate, (curve - G * theta.sin()) / free)
    };
    let mut world = World::new();
    let (x, z) = point(-start);
    let body = load(&mut world, "bob", 1.0, v(x, 0.0, z));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(r, 0.0, 1e-3)))
        .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, r))
        .via(Station::point(body, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    let (mut theta, mut rate) = (-start, 0.0);
    let h = 1e-3;
    let (mut wrapped, mut lifted, mut worst) = (0, 0, 0.0_f64);
    for _ in 0..4000 {
        let _ = world.step(h).unwrap();
        for _ in 0..10 {
            let h = 0.1 * h;
            let k1 = slope(theta, rate);
            let k2 = slope(theta + 0.5 * h * k1.0, rate + 0.5 * h * k1.1);
            let k3 = slope(theta + 0.5 * h * k2.0, rate + 0.5 * h * k2.1);
            let k4 = slope(theta + h * k3.0, rate + h * k3.1);
            theta += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            rate += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        let (x, z) = point(theta);
        let p = world.body(body).unwrap().position();
        worst = worst.max(f64::hypot(p.x - x, p.z - z));
        let state = world.cable(cable).unwrap();
        assert!(state.stretch() < 1e-6);
        wrapped += usize::from(state.touches()[1]);
        lifted += usize::from(!state.touches()[1]);
    }
    assert!(worst < 5e-3, "{worst}");
    assert!(wrapped > 500 && lifted > 500);
}

#[test]
fn a_drum_winds_its_load_up() {
    // Turned by a motor at a constant rate, through many turns.
    let mut world = World::new();
    let drum = wheel(&mut world, "drum", Vec3::ZERO, 20.0, 0.25);
    let body = load(&mut world, "load", 100.0, v(0.25, 0.0, -20.0));
    let cable = Cable::new("rope")
        .via(Station::pulley(drum, Vec3::ZERO, AXLE, 0.25).turns(3.0))
        .via(Station::point(body, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    assert!((world.cable(cable).unwrap().length() - 20.0 - 1.5 * PI).abs() < 1e-12);
    let axle = world.joint_named("axle of drum").unwrap();
    // A positive turn about y pays out at the right side.
    world.motor(axle).unwrap().set(Motor::velocity(-8.0, 1e6)).unwrap();
    for _ in 0..300 {
        let _ = world.step(H).unwrap();
    }
    let state = world.cable(cable).unwrap();
    assert!((state.wraps()[0] - 6.0 * PI - 8.0 * 5.0).abs() < 1e-6, "{}", state.wraps()[0]);
    assert!((height(&world, body) + 20.0 - 0.25 * 8.0 * 5.0).abs() < 1e-6);
    assert!((state.tension() / (100.0 * G) - 1.0).abs() < 1e-6);
    let torque = world.joint(axle).unwrap().motor_force();
    assert!((torque + 100.0 * G * 0.25).abs() < 1e-3, "{torque}");
    // Let go, it runs back as an Atwood machine of one side.
    world.motor(axle).unwrap().set(None).unwrap();
    world.set_velocity(body, Vec3::ZERO, Vec3::ZERO).unwrap();
    world.set_velocity(drum, Vec3::ZERO, Vec3::ZERO).unwrap();
    let start = height(&world, body);
    run(&mut world, 60, H);
    let acc = 100.0 * G / (100.0 + 10.0);
    assert!(((start - height(&world, body)) / (0.5 * acc) - 1.0).abs() < 1e-6);
}

#[test]
fn a_load_that_is_wound_into_its_drum_is_said() {
    let mut world = World::new();
    let drum = wheel(&mut world, "drum", Vec3::ZERO, 20.0, 0.3);
    let body = load(&mut world, "load", 10.0, v(0.3, 0.0, -2.0));
    let cable = Cable::new("rope")
        .via(Station::pulley(drum, Vec3::ZERO, AXLE, 0.3).turns(1.0))
        .via(Station::point(body, Vec3::ZERO));
    world.add_cable(cable).unwrap();
    let axle = world.joint_named("axle of drum").unwrap();
    world.motor(axle).unwrap().set(Motor::velocity(-3.0, 500.0)).unwrap();
    let left = |event: &Event| matches!(event, Event::CableLeft { station: 0, .. });
    assert!((0..240).any(|_| world.step(H).unwrap().events.iter().any(left)));
}

#[test]
fn a_drum_with_layers_pulls_faster_and_weaker_the_more_is_on_it() {
    // A cable of 20 mm, ten turns side by side: each turn adds 2 mm. 100 turns are ten layers.
    let (r, growth, start) = (0.25, 0.002, 3.0);
    let radius = |turns: f64| r + growth * turns;
    let arc = |turns: f64| 2.0 * PI * turns * (r + 0.5 * growth * turns);
    let mut world = World::new();
    let drum = wheel(&mut world, "drum", Vec3::ZERO, 20.0, r);
    let body = load(&mut world, "load", 100.0, v(radius(start), 0.0, -250.0));
    let cable = Cable::new("rope")
        .via(Station::pulley(drum, Vec3::ZERO, AXLE, r).turns(start).growth(growth))
        .via(Station::point(body, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    assert!((world.cable(cable).unwrap().length() - 250.0 - arc(start)).abs() < 1e-9);
    let axle = world.joint_named("axle of drum").unwrap();
    world.motor(axle).unwrap().set(Motor::velocity(-2.0 * PI, 1e6)).unwrap();
    run(&mut world, 60 * 97, H);
    let state = world.cable(cable).unwrap();
    assert!((state.wraps()[0] - 200.0 * PI).abs() < 1e-3, "{}", state.wraps()[0]);
    assert!(state.stretch() < 1e-6);
    // It hangs ever so little askew, for it follows the drum's side.
    let hoisted = height(&world, body) + 250.0;
    assert!((hoisted - (arc(100.0) - arc(start))).abs() < 2e-3, "{hoisted}");
    let torque = -world.joint(axle).unwrap().motor_force();
    assert!((torque / (100.0 * G * radius(100.0)) - 1.0).abs() < 2e-3, "{torque}");
    // Let go, it unwinds and keeps its energy, through all layers and beyond the last turn.
    world.motor(axle).unwrap().set(None).unwrap();
    let before = world.energy();
    run(&mut world, 60 * 7, H);
    let off = (world.energy() - before) / (100.0 * G * hoisted);
    assert!(off.abs() < 1e-6, "{off}");
    assert!(height(&world, body) < -100.0, "{}", height(&world, body));
}

#[test]
fn a_differential_hoist_pulls_twice_over_the_difference_of_its_radii() {
    // Two drums on one shaft, one pays out what the other winds up, a loose block between.
    let mut world = World::new();
    let shaft = wheel(&mut world, "shaft", Vec3::ZERO, 20.0, 0.3);
    let (big, small) = (0.3, 0.2);
    let block = load(&mut world, "block", 500.0, v(0.25, 0.0, -10.0));
    // Right of the big drum down to the block's sheave, up to the right of the small one.
    let cable = Cable::new("chain")
        .via(Station::pulley(shaft, Vec3::ZERO, AXLE, big).turns(10.0))
        .via(Station::pulley(block, Vec3::ZERO, Vec3::Y, 0.05))
        .via(Station::pulley(shaft, Vec3::ZERO, AXLE, small).turns(10.0));
    assert!(world.add_cable(cable).is_ok());
    let axle = world.joint_named("axle of shaft").unwrap();
    world.motor(axle).unwrap().set(Motor::velocity(0.0, f64::INFINITY)).unwrap();
    run(&mut world, 120, H);
    let torque = world.joint(axle).unwrap().motor_force().abs();
    let exact = 0.5 * 500.0 * G * (big - small);
    assert!((torque / exact - 1.0).abs() < 0.02, "{torque} {exact}");
}

#[test]
fn through_its_own_body_twice() {
    // A cable through two rings of the body that it holds: a sling.
    let mut world = World::new();
    let body = load(&mut world, "beam", 10.0, v(0.0, 0.0, -2.0));
    let cable = Cable::new("sling")
        .via(Station::point(Frame::World, v(-1.0, 0.0, 0.0)))
        .via(Station::point(body, v(-1.0, 0.0, 0.0)))
        .via(Station::point(body, v(1.0, 0.0, 0.0)))
        .via(Station::point(Frame::World, v(1.0, 0.0, 0.0)));
    let cable = world.add_cable(cable).unwrap();
    run(&mut world, 60, H);
    assert!((tension(&world, cable) / (5.0 * G) - 1.0).abs() < 1e-9);
}

#[test]
fn light_blocks_between_heavy_loads_hold() {
    // A ring of ten kilograms between cables under ten tonnes.
    let mut world = ring_under_ten_tonnes(10.0);
    let (mut parts, before) = (0, world.energy());
    for _ in 0..300 {
        let report = world.step(H).unwrap();
        parts += report.parts;
        assert!(report.max_cable_error < 1e-6, "{}", report.max_cable_error);
        assert!(!report.gained_energy());
        assert!(report.converged());
    }
    let kinetic = 0.5 * 1e4 * 0.25;
    let lost = (before - world.energy()) / kinetic;
    assert!(parts < 350 && lost < 0.01, "{parts} parts, lost {lost}");
}

/// A cable that comes to a pulley beside its plane leaves it, and says so. (It ran through the pulley without a word.)
#[test]
fn a_cable_that_runs_through_a_pulley_is_said() {
    for (sideways, said) in [(0.0, false), (0.02, true), (0.2, true)] {
        let mut world = World::new();
        let bob = load(&mut world, "bob", 2.0, v(0.0, 0.0, 1.0));
        let cable = Cable::new("c")
            .via(Station::point(Frame::World, v(0.0, 0.0, 2.0)))
            .via(Station::pulley(Frame::World, v(-0.15, 0.0, 1.4), Vec3::Y, 0.1))
            .via(Station::point(bob, Vec3::ZERO));
        world.add_cable(cable).unwrap();
        world.set_velocity(bob, v(-1.5, sideways, 0.0), Vec3::ZERO).unwrap();
        let left = |event: &Event| matches!(event, Event::CableLeft { station: 1, .. });
        let seen = (0..30).filter(|_| world.step(H).unwrap().events.iter().any(left)).count();
        assert_eq!(seen, usize::from(said), "{sideways} m/s");
    }
}

/// Turns around a bollard stay where the straight line clears it by a millimetre. (They were dropped.)
#[test]
fn turns_are_kept_where_the_line_is_clear() {
    for clear in [-1e-3, 0.0, 1e-3] {
        let mut world = World::new();
        let body = load(&mut world, "load", 10.0, v(3.0, 0.0, 0.0));
        let cable = Cable::new("c")
            .via(Station::point(Frame::World, v(-3.0, 0.0, 0.0)))
            .via(Station::pulley(Frame::World, v(0.0, 0.0, -0.2 - clear), Vec3::Y, 0.2).turns(3.0))
            .via(Station::point(body, Vec3::ZERO));
        let cable = world.add_cable(cable).unwrap();
        let length = world.cable(cable).unwrap().length();
        assert!((length - 6.0 - 1.2 * PI).abs() < 1e-3, "{clear}: {length}");
        run(&mut world, 3, H);
        let state = world.cable(cable).unwrap();
        assert!((state.wraps()[1] - 6.0 * PI).abs() < 0.1, "{clear}: {:?}", state.wraps());
    }
}
