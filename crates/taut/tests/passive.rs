//! Armature, damping, friction and springs of a joint's coordinate.

use taut::math::{Mat3, Vec3};
use taut::{Body, Frame, Integrator, Joint, Passive, World};

const INTEGRATORS: [Integrator; 3] =
    [Integrator::EnergyMomentum, Integrator::SemiImplicitEuler, Integrator::MoreauMidpoint];

/// A bob of 2 kg, 1 m beside a horizontal axis, whose own inertia is 0.1 kg·m².
fn pendulum(integrator: Integrator, passive: Passive) -> World {
    let mut world = World::new();
    world.settings_mut().integrator = integrator;
    let mut bob = Body::dynamic("bob").position(Vec3::X);
    (bob.mass, bob.inertia) = (Some(2.0), Some(Mat3::IDENTITY * 0.1));
    let bob = world.add_body(bob).unwrap();
    let hinge = Joint::hinge("hinge", Frame::World, bob)
        .anchor_a(Vec3::ZERO)
        .axis_a(Vec3::Y)
        .passive(passive);
    world.add_joint(hinge).unwrap();
    world
}

fn rate(world: &World) -> f64 {
    let id = world.body_named("bob").unwrap();
    world.body(id).unwrap().angular_velocity().y
}

#[test]
fn armature_adds_to_the_inertia_about_the_axis() {
    for integrator in INTEGRATORS {
        let mut world = pendulum(integrator, Passive { armature: 0.7, ..Passive::default() });
        let h = 1e-5;
        assert!(world.step(h).unwrap().converged());
        let expected = 2.0 * 9.81 / (0.1 + 2.0 + 0.7);
        let found = rate(&world) / h;
        assert!((found / expected - 1.0).abs() < 1e-6, "{integrator:?}: {found}, not {expected}");
    }
}

#[test]
fn a_swing_with_armature_keeps_its_energy() {
    let mut world =
        pendulum(Integrator::EnergyMomentum, Passive { armature: 0.7, ..Passive::default() });
    let id = world.body_named("bob").unwrap();
    let mut worst: f64 = 0.0;
    for _ in 0..600 {
        assert!(world.step(1.0 / 60.0).unwrap().converged());
        let (z, w) = (world.body(id).unwrap().pose().translation.z, rate(&world));
        worst = worst.max((0.5 * 2.8 * w * w + 2.0 * 9.81 * z).abs());
    }
    assert!(worst < 1e-3 * 2.0 * 9.81, "off by {worst} J");
}

#[test]
fn friction_holds_up_to_its_torque() {
    for integrator in INTEGRATORS {
        // Gravity turns with 19.62 N·m.
        let mut world = pendulum(integrator, Passive { friction: 20.0, ..Passive::default() });
        for _ in 0..60 {
            assert!(world.step(1.0 / 60.0).unwrap().converged());
        }
        assert!(rate(&world).abs() < 1e-8, "{integrator:?}");
        let mut world = pendulum(integrator, Passive { friction: 9.62, ..Passive::default() });
        let h = 1e-5;
        assert!(world.step(h).unwrap().converged());
        let found = rate(&world) / h;
        assert!((found - 10.0 / 2.1).abs() < 1e-4, "{integrator:?}: {found}");
    }
}

#[test]
fn damping_and_springs_act_beside_armature() {
    for integrator in INTEGRATORS {
        let (stiffness, damping, armature) = (40.0, 3.0, 0.9);
        let passive = Passive { stiffness, damping, armature, rest: 0.5, ..Passive::default() };
        let mut world = pendulum(integrator, passive);
        world.set_gravity(Vec3::ZERO).unwrap();
        let (inertia, h) = (2.1 + armature, 1e-4);
        let (mut x, mut v) = (-0.5, 0.0);
        for _ in 0..5000 {
            assert!(world.step(h).unwrap().converged());
            // The same by small steps of a method of second order.
            let middle = v - 0.5 * h * (stiffness * x + damping * v) / inertia;
            v -= h * (stiffness * (x + 0.5 * h * v) + damping * middle) / inertia;
            x += h * middle;
        }
        assert!((rate(&world) - v).abs() < 2e-3, "{integrator:?}: {}, not {v}", rate(&world));
    }
}

/// A mass of 1 kg on a slider, without gravity; its spring is at rest 0.1 m away.
fn oscillator(passive: Passive) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut bob = Body::dynamic("bob");
    (bob.mass, bob.inertia) = (Some(1.0), Some(Mat3::IDENTITY * 0.1));
    let bob = world.add_body(bob).unwrap();
    let passive = Passive { rest: SWING, ..passive };
    let slider = Joint::slider("slider", Frame::World, bob).axis_a(Vec3::X).passive(passive);
    world.add_joint(slider).unwrap();
    world
}

const SWING: f64 = 0.1;

/// Where the mass is from the rest of its spring, and its velocity.
fn state(world: &World) -> (f64, f64) {
    let bob = world.body(world.body_named("bob").unwrap()).unwrap();
    (bob.pose().translation.x - SWING, bob.velocity().x)
}

/// The mean of `count` periods, by the zeros of what `value` says after each step.
fn period(h: f64, count: usize, mut value: impl FnMut() -> f64) -> f64 {
    let mut zeros = Vec::new();
    let (mut before, mut n) = (value(), 1.0);
    while zeros.len() <= 2 * count {
        let now = value();
        if before * now < 0.0 {
            zeros.push(h * (n + before / (before - now)));
        }
        (before, n) = (now, n + 1.0);
    }
    (zeros[2 * count] - zeros[0]) / count as f64
}

#[test]
fn a_spring_on_a_slider_keeps_its_energy_however_stiff() {
    let h: f64 = 1.0 / 60.0;
    for omega_h in [1.0 / 6.0, 1.0, 3.0, 10.0] {
        let stiffness = (omega_h / h).powi(2);
        let mut world = oscillator(Passive { stiffness, ..Passive::default() });
        let energy = 0.5 * stiffness * SWING * SWING;
        assert!((world.energy() / energy - 1.0).abs() < 1e-12, "at the start {}", world.energy());
        for _ in 0..600 {
            let report = world.step(h).unwrap();
            assert!(report.converged());
            let (x, v) = state(&world);
            let stored = 0.5 * stiffness * x * x;
            assert!((report.elastic_energy - stored).abs() < 1e-6 * energy, "ωh = {omega_h}");
            let found = (0.5 * v * v + stored) / energy;
            assert!((found - 1.0).abs() < 1e-2, "ωh = {omega_h}: {found} of the energy");
            assert!(report.work.abs() < 1e-12, "a spring is no motor: {} J", report.work);
            assert!(report.energy_gain <= report.energy_tolerance);
        }
    }
}

#[test]
fn periods_of_springs_are_of_second_order() {
    let exact = std::f64::consts::TAU / 10.0;
    let error = |h: f64| {
        let mut world = oscillator(Passive { stiffness: 100.0, ..Passive::default() });
        period(h, 10, || {
            assert!(world.step(h).unwrap().converged());
            state(&world).0
        }) / exact
            - 1.0
    };
    // The rule of the mean: (ωh)²/12.
    let (coarse, fine) = (error(1.0 / 60.0), error(1.0 / 120.0));
    assert!((0.0020..0.0026).contains(&coarse), "off by {coarse}");
    assert!((3.5..4.5).contains(&(coarse / fine)), "{coarse} and {fine}");
}

#[test]
fn a_torsion_pendulum_swings_with_its_armature() {
    // About two turns and a half, and back.
    let (h, rest, inertia, armature, stiffness) = (1.0 / 60.0, 8.0, 0.1, 0.3, 0.9);
    let mut world = World::new();
    let mut bob = Body::dynamic("bob");
    (bob.mass, bob.inertia) = (Some(2.0), Some(Mat3::IDENTITY * inertia));
    let bob = world.add_body(bob).unwrap();
    let passive = Passive { armature, stiffness, rest, ..Passive::default() };
    let hinge = Joint::hinge("hinge", Frame::World, bob).axis_a(Vec3::Y).passive(passive);
    let hinge = world.add_joint(hinge).unwrap();
    let energy = 0.5 * stiffness * rest * rest;
    let (mut work, mut n) = (0.0, 0);
    let found = period(h, 2, || {
        let report = world.step(h).unwrap();
        assert!(report.converged());
        let (x, w) = (world.joint_position(hinge).unwrap() - rest, rate(&world));
        let stored = 0.5 * stiffness * x * x;
        assert!((report.elastic_energy - stored).abs() < 1e-6 * energy, "step {n}");
        let total = (0.5 * (inertia + armature) * w * w + stored) / energy;
        assert!((total - 1.0).abs() < 1e-3, "step {n}: {total} of the energy");
        // The rotor is no body: what it takes is work.
        work += report.work;
        let rotor = 0.5 * armature * w * w;
        assert!((work + rotor).abs() < 1e-3 * energy, "step {n}: {work} J, not -{rotor}");
        assert!(report.energy_gain <= report.energy_tolerance);
        n += 1;
        x
    });
    let expected = std::f64::consts::TAU * f64::sqrt((inertia + armature) / stiffness);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} s, not {expected}");
}

#[test]
fn springs_keep_energy_on_bodies_that_swing_and_turn() {
    let h = 1.0 / 60.0;
    // A bob under gravity, with spring and rotor.
    let passive = Passive { armature: 0.7, stiffness: 30.0, rest: -0.5, ..Passive::default() };
    let mut world = pendulum(Integrator::EnergyMomentum, passive);
    let start = world.energy();
    for n in 0..600 {
        let report = world.step(h).unwrap();
        assert!(report.converged());
        let w = rate(&world);
        let off = world.energy() + 0.5 * 0.7 * w * w - start;
        assert!(off.abs() < 1e-3 * 2.0 * 9.81, "step {n}: off by {off} J");
        assert!(report.energy_gain <= report.energy_tolerance);
    }
    // Two free bodies on a slider that turns.
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut body = |name: &str, x: f64| {
        let mut body = Body::dynamic(name).position(Vec3::X * x);
        (body.mass, body.inertia) = (Some(1.0), Some(Mat3::IDENTITY * 0.1));
        body.angular_velocity = Vec3::Z * 3.0;
        body.velocity = Vec3::Y * (3.0 * x);
        world.add_body(body).unwrap()
    };
    let (a, b) = (body("a", -0.5), body("b", 0.5));
    let passive = Passive { stiffness: 100.0, rest: 0.2, ..Passive::default() };
    let slider = Joint::slider("slider", a, b).anchor_a(Vec3::X * 0.5).axis_a(Vec3::X);
    world.add_joint(slider.anchor_b(Vec3::X * -0.5).passive(passive)).unwrap();
    let start = world.energy();
    for n in 0..600 {
        let report = world.step(h).unwrap();
        assert!(report.converged() && report.work.abs() < 1e-9);
        let ratio = world.energy() / start;
        assert!((ratio - 1.0).abs() < 1e-2, "step {n}: {ratio} of the energy");
        assert!(report.energy_gain <= report.energy_tolerance);
    }
}

#[test]
fn damped_springs_lose_their_logarithmic_decrement() {
    let (h, omega, zeta) = (1.0 / 60.0, 10.0_f64, 0.02);
    let (stiffness, damping) = (omega * omega, 2.0 * zeta * omega);
    let mut world = oscillator(Passive { stiffness, damping, ..Passive::default() });
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let amplitude = |(x, v): (f64, f64)| x.hypot((v + zeta * omega * x) / damped);
    let start = amplitude(state(&world));
    for n in 1..=600 {
        let report = world.step(h).unwrap();
        assert!(report.converged() && report.work.abs() < 1e-12);
        let lost = (start / amplitude(state(&world))).ln();
        let expected = zeta * omega * f64::from(n) * h;
        assert!(
            (lost - expected).abs() < 0.01 * expected + 0.003,
            "step {n}: {lost}, not {expected}"
        );
    }
}

#[test]
fn dry_friction_takes_the_same_from_each_swing_of_a_spring() {
    // 2F/k, from one turn to the next.
    let (h, stiffness, friction) = (1.0 / 240.0, 100.0, 0.5);
    let mut world = oscillator(Passive { stiffness, friction, ..Passive::default() });
    let (mut turns, mut before) = (Vec::new(), state(&world));
    for _ in 0..480 {
        let report = world.step(h).unwrap();
        assert!(report.converged() && report.work.abs() < 1e-12, "friction is no motor");
        assert!(report.energy_gain <= report.energy_tolerance);
        let now = state(&world);
        if before.1 * now.1 < 0.0 {
            turns.push(before.0.abs().max(now.0.abs()));
        }
        before = now;
    }
    let loss = 2.0 * friction / stiffness;
    for (k, found) in turns.iter().enumerate() {
        let expected = SWING - loss * (k + 1) as f64;
        assert!((found - expected).abs() < 0.1 * loss, "turn {k}: {found}, not {expected}");
    }
    assert!(turns.len() >= 5, "{} turns", turns.len());
}

#[test]
fn wrong_values_and_kinds_are_refused() {
    let mut world = World::new();
    let mut body = Body::dynamic("b");
    (body.mass, body.inertia) = (Some(1.0), Some(Mat3::IDENTITY));
    let b = world.add_body(body).unwrap();
    let bad = Passive { armature: -1.0, ..Passive::default() };
    let refused = world.add_joint(Joint::hinge("h", Frame::World, b).passive(bad));
    assert!(refused.unwrap_err().to_string().contains("armature"));
    let refused = world.add_joint(Joint::ball("h", Frame::World, b).passive(Passive::default()));
    assert!(refused.unwrap_err().to_string().contains("hinges, sliders and tendons"));
}
