//! Belts.

use super::*;

/// A belt around two wheels; the first is driven by a torque, the second braked by one.
fn belt(
    mu: [f64; 2],
    radii: [f64; 2],
    torques: [f64; 2],
    stretch: f64,
) -> (World, [BodyId; 2], CableId) {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let a = wheel(&mut world, "driver", v(-1.0, 0.0, 0.0), 2.0, radii[0]);
    let b = wheel(&mut world, "driven", v(1.0, 0.0, 0.0), 5.0, radii[1]);
    let belt = |length| {
        let cable = Cable::new("belt")
            .via(Station::pulley(a, Vec3::ZERO, AXLE, radii[0]).friction(mu[0]))
            .via(Station::pulley(b, Vec3::ZERO, AXLE, radii[1]).friction(mu[1]))
            .closed()
            .stiffness(1e7);
        if length > 0.0 { cable.length(length) } else { cable }
    };
    let cable = world.add_cable(belt(0.0)).unwrap();
    let way = world.cable(cable).unwrap().way();
    world.remove_cable(cable).unwrap();
    let cable = world.add_cable(belt(way / (1.0 + stretch))).unwrap();
    for (name, torque) in [("driver", torques[0]), ("driven", torques[1])] {
        let axle = world.joint_named(&format!("axle of {name}")).unwrap();
        world.motor(axle).unwrap().set(Motor::force(torque)).unwrap();
    }
    (world, [a, b], cable)
}

#[test]
fn a_belt_has_the_length_of_its_way_and_carries_torque_up_to_its_limit() {
    let (r, stretch) = ([0.2, 0.5], 1e-5);
    let (world, _, cable) = belt([0.3; 2], r, [0.0; 2], stretch);
    // Open belt: 2√(d² − (R − r)²) + π(R + r) + 2(R − r) asin((R − r)/d).
    let lean = f64::asin(0.3 / 2.0);
    let way = 2.0 * f64::sqrt(4.0 - 0.09) + PI * 0.7 + 2.0 * 0.3 * lean;
    assert!((world.cable(cable).unwrap().way() / way - 1.0).abs() < 1e-12);
    // Both spans are as long: T₁ + T₂ = 2 EA ε; the small pulley slips first.
    let ratio = f64::exp(0.3 * (PI - 2.0 * lean));
    let pre = 1e7 * stretch;
    let limit = 2.0 * pre * (ratio - 1.0) / (ratio + 1.0) * r[0];
    // Below the limit both turn together.
    let i = [0.5 * 2.0 * r[0] * r[0], 0.5 * 5.0 * r[1] * r[1]];
    let (mut world, [a, b], cable) = belt([0.3; 2], r, [0.9 * limit, 0.0], stretch);
    run(&mut world, 30, H);
    let w = [a, b].map(|id| world.body(id).unwrap().angular_velocity().y);
    let rate = 0.9 * limit / (i[0] + i[1] * (r[0] / r[1]).powi(2)) * 0.5;
    assert!((w[0] / rate - 1.0).abs() < 1e-6, "{w:?} {rate}");
    assert!((w[1] * r[1] / (w[0] * r[0]) - 1.0).abs() < 1e-6, "{w:?}");
    let t = world.cable(cable).unwrap().tensions().to_vec();
    assert!(((t[0] + t[1]) / (2.0 * pre) - 1.0).abs() < 1e-6, "{t:?}");
    // Held by the driven wheel, an overloaded driver slips at the limit.
    for sign in [1.0, -1.0] {
        let torques = [sign * 1.5 * limit, -sign * 1e9];
        let (mut world, [a, b], cable) = belt([0.3; 2], r, [torques[0], 0.0], stretch);
        let axle = world.joint_named("axle of driven").unwrap();
        world.motor(axle).unwrap().set(Motor::velocity(0.0, f64::INFINITY)).unwrap();
        run(&mut world, 30, H);
        let w = [a, b].map(|id| world.body(id).unwrap().angular_velocity().y);
        // It turns by what the belt stretches before that slips: 1.5(1 − cos ωt) reaches 1, and what the belt holds less until then is
        // (sin ωt − ωt/3)/(2ω/3) of the limit, ω² = kr²/I with k that of two halves.
        let omega = f64::sqrt(4.0 * 1e7 / way * r[0] * r[0] / i[0]);
        let turn = f64::acos(1.0 / 3.0);
        let late = 1.5 * (turn.sin() - turn / 3.0) / omega;
        let rate = sign * limit / i[0] * (0.25 + late);
        assert!((w[0] / rate - 1.0).abs() < 1e-4 && w[1].abs() < 1e-6, "{w:?} {rate}");
        let t = world.cable(cable).unwrap().tensions().to_vec();
        let got = if t[0] > t[1] { t[0] / t[1] } else { t[1] / t[0] };
        assert!((got / ratio - 1.0).abs() < 1e-7, "{t:?}");
    }
}

/// A belt around a driver and a driven wheel, pressed by a third on a slider with a force, or without it.
fn with_tensioner(mu: f64, press: Option<f64>) -> (World, [BodyId; 2], CableId) {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let a = wheel(&mut world, "driver", v(-1.0, 0.0, 0.0), 2.0, 0.2);
    let b = wheel(&mut world, "driven", v(1.0, 0.0, 0.0), 5.0, 0.2);
    let mut cable = Cable::new("belt")
        .via(Station::pulley(a, Vec3::ZERO, AXLE, 0.2).friction(mu))
        .via(Station::pulley(b, Vec3::ZERO, AXLE, 0.2).friction(mu));
    if let Some(force) = press {
        let idler = load(&mut world, "idler", 1.0, v(0.0, 0.0, -0.4));
        let rail = Joint::slider("rail", Frame::World, idler).axis_a(Vec3::Z).anchor_b(Vec3::ZERO);
        world.add_joint(rail.motor(Motor::force(-force))).unwrap();
        cable = cable.via(Station::pulley(idler, Vec3::ZERO, Vec3::Y, 0.1));
    }
    let cable = world.add_cable(cable.closed()).unwrap();
    let axle = world.joint_named("axle of driver").unwrap();
    world.motor(axle).unwrap().set(Motor::force(3.0)).unwrap();
    (world, [a, b], cable)
}

#[test]
fn a_gripping_belt_with_a_tensioner_drives_from_the_first_step_on() {
    for mu in [f64::INFINITY, 2.0] {
        let (mut world, [a, b], cable) = with_tensioner(mu, Some(200.0));
        assert!(world.start_warnings().is_empty());
        let mut passes = 0;
        for i in 0..60 {
            let report = world.step(H).unwrap();
            assert!(report.converged(), "{mu}, step {i}: {:?}", report.status);
            passes += report.passes;
        }
        // Wheels of m r²/2 turn alike: α = M/(I₁ + I₂).
        let rate = 3.0 / (0.5 * 7.0 * 0.04);
        for id in [a, b] {
            let w = world.body(id).unwrap().angular_velocity().y;
            assert!((w / rate - 1.0).abs() < 1e-3, "{w} {rate}");
        }
        assert!(world.cable(cable).unwrap().tensions().iter().all(|t| *t > 0.0));
        assert!(passes < 60 * 30, "{passes}");
    }
}

#[test]
fn belts_that_cannot_drive_are_named() {
    let (world, _, _) = with_tensioner(f64::INFINITY, None);
    let said: Vec<_> = world.start_warnings().iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("'belt' is not stretched"), "{said:?}");
    let (mut world, [a, b], cable) = with_tensioner(f64::INFINITY, None);
    let way = world.cable(cable).unwrap().way();
    let short = Cable::new("short")
        .via(Station::pulley(a, Vec3::ZERO, AXLE, 0.2))
        .via(Station::pulley(b, Vec3::ZERO, AXLE, 0.2))
        .closed()
        .length(0.999 * way);
    let error = world.add_cable(short.clone()).unwrap_err().to_string();
    assert!(error.contains("axles do not give way"), "{error}");
    assert!(world.add_cable(short.stiffness(1e5)).is_ok());
}

#[test]
fn tensions_of_a_belt_that_runs_balance_its_torque() {
    // Driven at 10 rad/s against 158 N m: the difference of tensions is the torque, and no step is divided for what is steady.
    for steps in [60.0, 500.0, 2000.0] {
        let mut world = World::new();
        let driver = wheel(&mut world, "driver", Vec3::ZERO, 15.0, 0.2);
        let driven = wheel(&mut world, "driven", v(2.0, 0.0, 0.0), 15.0, 0.2);
        let axle = world.joint_named("axle of driver").unwrap();
        world.motor(axle).unwrap().set(Motor::velocity(10.0, f64::INFINITY)).unwrap();
        let way = 4.0 + 2.0 * PI * 0.2;
        let belt = Cable::new("belt")
            .via(Station::pulley(driver, Vec3::ZERO, AXLE, 0.2).friction(0.3))
            .via(Station::pulley(driven, Vec3::ZERO, AXLE, 0.2).friction(0.3))
            .closed()
            .stiffness(1e6)
            .length(way / (1.0 + 1e3 / 1e6));
        let belt = world.add_cable(belt).unwrap();
        let (mut parts, torque) = (0, 130.0);
        let (mut told, mut late) = (0.0, 0);
        for i in 0..(3.0 * steps) as usize {
            let share = (i as f64 / (2.0 * steps)).min(1.0);
            world.apply_torque(driven, Vec3::Y * (-torque * share)).unwrap();
            let report = world.step(1.0 / steps).unwrap();
            assert!(report.converged() && !report.gained_energy());
            parts += report.parts;
            if i > (2.9 * steps) as usize {
                let t = world.cable(belt).unwrap().tensions().to_vec();
                (told, late) = (told + (t[0] - t[1]).abs() * 0.2, late + 1);
            }
        }
        let told = told / f64::from(late);
        assert!((told / torque - 1.0).abs() < 0.02, "{steps}: {told} of {torque}");
        assert!((parts as f64) < 3.3 * steps, "{parts} {steps}");
    }
}

/// Turns of a driver and of what it drives by a belt at this strain, over the later half of four seconds at 5 rad/s, against a torque.
fn turns(friction: f64, radii: [f64; 2], strain: f64, torque: f64, h: f64) -> ([f64; 2], [f64; 2]) {
    const EA: f64 = 1e5;
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let a = wheel(&mut world, "driver", v(-1.0, 0.0, 0.0), 2.0, radii[0]);
    let b = wheel(&mut world, "driven", v(1.0, 0.0, 0.0), 5.0, radii[1]);
    let belt = Cable::new("belt")
        .via(Station::pulley(a, Vec3::ZERO, AXLE, radii[0]).friction(friction))
        .via(Station::pulley(b, Vec3::ZERO, AXLE, radii[1]).friction(friction))
        .closed()
        .stiffness(EA)
        .damping(100.0);
    let cable = world.add_cable(belt.clone()).unwrap();
    let way = world.cable(cable).unwrap().way();
    world.remove_cable(cable).unwrap();
    let cable = world.add_cable(belt.length(way / (1.0 + strain))).unwrap();
    let axle = world.joint_named("axle of driver").unwrap();
    world.motor(axle).unwrap().set(Motor::velocity(5.0, f64::INFINITY)).unwrap();
    let driven = world.joint_named("axle of driven").unwrap();
    world.motor(driven).unwrap().set(Motor::force(-torque)).unwrap();
    let steps = (2.0 / h) as usize;
    run(&mut world, steps, h);
    let angle = |world: &World| [axle, driven].map(|id| world.joint(id).unwrap().angle());
    let from = angle(&world);
    run(&mut world, steps, h);
    let to = angle(&world);
    let t = world.cable(cable).unwrap().tensions();
    ([to[0] - from[0], to[1] - from[1]], [t[0], t[1]])
}

#[test]
fn a_belt_without_load_has_the_ratio_of_its_radii() {
    for h in [H, 1.0 / 240.0] {
        for friction in [0.3, 2.0, f64::INFINITY] {
            for (radii, strain) in [([0.2, 0.2], 4e-3), ([0.2, 0.5], 1e-2), ([0.3, 0.1], 1e-3)] {
                let ([a, b], t) = turns(friction, radii, strain, 0.0, h);
                let creep = 1.0 - b * radii[1] / (a * radii[0]);
                assert!(creep.abs() < 1e-7, "{h} {friction} {radii:?} {strain}: {creep}, {t:?}");
            }
        }
    }
}

#[test]
fn a_belt_creeps_by_the_difference_of_its_strains() {
    for h in [H, 1.0 / 240.0] {
        for (friction, torque) in [(0.5, 20.0), (2.0, 60.0)] {
            let ([a, b], t) = turns(friction, [0.2, 0.3], 4e-3, torque, h);
            let creep = 1.0 - b * 0.3 / (a * 0.2);
            // Material passes at v₁/(1 + ε₁) = v₂/(1 + ε₂).
            let strains = [t[0], t[1]].map(|t| 1.0 + t / 1e5);
            let (lo, hi) = (strains[0].min(strains[1]), strains[0].max(strains[1]));
            let wanted = 1.0 - lo / hi;
            assert!(((t[0] - t[1]).abs() * 0.3 / torque - 1.0).abs() < 1e-3, "{t:?}");
            assert!((creep / wanted - 1.0).abs() < 0.02, "{h} {friction}: {creep} {wanted}");
        }
    }
}
