//! Capstans, sheaves and rings that rub.

use super::*;

/// Two loads over a fixed drum with friction; returns the world, both loads and the cable.
pub(crate) fn over_drum(
    left: f64,
    right: f64,
    mu: f64,
    turns: f64,
) -> (World, [BodyId; 2], CableId) {
    let mut world = World::new();
    let a = load(&mut world, "a", left, v(-0.3, 0.0, -50.0));
    let b = load(&mut world, "b", right, v(0.3, 0.0, -50.0));
    let drum = Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.3).friction(mu).turns(turns);
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(drum)
        .via(Station::point(b, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    (world, [a, b], cable)
}

#[test]
fn capstan_holds_up_to_its_ratio_and_slips_beyond_both_ways() {
    for ratio in [1.1_f64, 2.0, 10.0, 111.0, 1e3, 1e4] {
        for turns in [0.0, 2.0] {
            let wrap = PI + 2.0 * PI * turns;
            let mu = ratio.ln() / wrap;
            for flip in [false, true] {
                let masses =
                    |share: f64| if flip { (share * 10.0, 10.0) } else { (10.0, share * 10.0) };
                // Just within: it holds.
                let (l, r) = masses(ratio * (1.0 - 1e-6));
                let (mut world, [a, b], cable) = over_drum(l, r, mu, turns);
                run(&mut world, 60, H);
                let moved = (height(&world, a) + 50.0).abs().max((height(&world, b) + 50.0).abs());
                assert!(moved < 1e-6, "{ratio} {turns} {flip}: {moved}");
                let t = world.cable(cable).unwrap().tensions().to_vec();
                assert!((t[0] / (l * G) - 1.0).abs() < 1e-6 && (t[1] / (r * G) - 1.0).abs() < 1e-6);
                // Beyond: it slips with exactly that ratio of tensions.
                let (l, r) = masses(ratio * 1.5);
                let (mut world, [a, b], cable) = over_drum(l, r, mu, turns);
                run(&mut world, 60, H);
                let t = world.cable(cable).unwrap().tensions().to_vec();
                let got = if flip { t[0] / t[1] } else { t[1] / t[0] };
                assert!((got / ratio - 1.0).abs() < 1e-7, "{ratio} {turns} {flip}: {got}");
                // heavy·(g − a) = E·light·(g + a)
                let (heavy, light) = (15.0 * ratio, 10.0);
                let acc = G * (heavy - ratio * light) / (heavy + ratio * light);
                let fallen = -50.0 - height(&world, if flip { a } else { b });
                assert!((fallen / (0.5 * acc) - 1.0).abs() < 1e-6, "{ratio}: {fallen} {acc}");
            }
        }
    }
}

/// Car and counterweight over a traction sheave with a motor.
fn elevator(car: f64, counter: f64, mu: f64, motor: Motor) -> (World, BodyId, BodyId, CableId) {
    let mut world = World::new();
    let a = load(&mut world, "car", car, v(-0.4, 0.0, -30.0));
    let b = load(&mut world, "counterweight", counter, v(0.4, 0.0, -30.0));
    let sheave = wheel(&mut world, "sheave", Vec3::ZERO, 50.0, 0.4);
    let axle = world.joint_named("axle of sheave").unwrap();
    world.motor(axle).unwrap().set(motor).unwrap();
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::pulley(sheave, Vec3::ZERO, AXLE, 0.4).friction(mu))
        .via(Station::point(b, Vec3::ZERO));
    let cable = world.add_cable(cable).unwrap();
    (world, a, sheave, cable)
}

#[test]
fn an_elevator_has_the_traction_of_its_sheave() {
    let mu = 0.2;
    let ratio = f64::exp(mu * PI);
    // Held by the brake: it holds up to a ratio of e^(μπ), and no further.
    let brake = Motor::velocity(0.0, f64::INFINITY);
    let (mut world, car, _, _) = elevator(1000.0 * ratio * (1.0 - 1e-6), 1000.0, mu, brake);
    run(&mut world, 60, H);
    assert!((height(&world, car) + 30.0).abs() < 1e-6);
    let (mut world, car, _, cable) = elevator(1000.0 * ratio * 1.2, 1000.0, mu, brake);
    run(&mut world, 60, H);
    let t = world.cable(cable).unwrap().tensions().to_vec();
    assert!((t[0] / t[1] / ratio - 1.0).abs() < 1e-7, "{t:?}");
    let acc = G * (1.2 - 1.0) / (1.2 + 1.0);
    assert!(((-30.0 - height(&world, car)) / (0.5 * acc) - 1.0).abs() < 1e-6);
    // Driven: with 1200 kg against 1000 kg the car starts at no more than the limit, however
    // strong the motor. Positive turns about y move the cable from the car to the counterweight.
    let pull = Motor::velocity(50.0, 1e6);
    let (mut world, car, sheave, cable) = elevator(1200.0, 1000.0, mu, pull);
    run(&mut world, 30, H);
    let t = world.cable(cable).unwrap().tensions().to_vec();
    assert!((t[0] / t[1] / ratio - 1.0).abs() < 1e-7, "{t:?}");
    let acc = G * (ratio * 1000.0 - 1200.0) / (ratio * 1000.0 + 1200.0);
    let rise = height(&world, car) + 30.0;
    assert!((rise / (0.5 * acc * 0.25) - 1.0).abs() < 1e-5, "{rise} {acc}");
    assert!(world.body(sheave).unwrap().angular_velocity().y > 40.0);
    // A sheave that turns slowly takes the car along without slip.
    let slow = Motor::velocity(1.0, 1e6);
    let (mut world, car, _, _) = elevator(1200.0, 1000.0, mu, slow);
    for _ in 0..120 {
        let _ = world.step(H).unwrap();
    }
    let before = height(&world, car);
    run(&mut world, 60, H);
    assert!((height(&world, car) - before - 0.4).abs() < 1e-7);
}

#[test]
fn a_ring_rubs_by_the_angle_of_the_cable() {
    // A rope over a hook at right angles: e^(μπ/2).
    let ratio = f64::exp(0.3 * FRAC_PI_2);
    for (share, holds) in [(1.0 - 1e-6, true), (1.1, false)] {
        let mut world = World::new();
        let a = load(&mut world, "a", 10.0 * ratio * share, v(0.0, 0.0, -5.0));
        let sled = load(&mut world, "sled", 10.0, v(-5.0, 0.0, 0.0));
        let rail = Joint::slider("rail", Frame::World, sled).axis_a(Vec3::X).anchor_b(Vec3::ZERO);
        // A force as large as its weight pulls the sled away.
        world.add_joint(rail.motor(Motor::force(-10.0 * G))).unwrap();
        let cable = Cable::new("rope")
            .via(Station::point(sled, Vec3::ZERO))
            .via(Station::point(Frame::World, Vec3::ZERO).friction(0.3))
            .via(Station::point(a, Vec3::ZERO));
        let cable = world.add_cable(cable).unwrap();
        run(&mut world, 30, H);
        let t = world.cable(cable).unwrap().tensions().to_vec();
        let fallen = -5.0 - height(&world, a);
        assert_eq!(fallen < 1e-6, holds, "{fallen}");
        if !holds {
            assert!((t[1] / t[0] / ratio - 1.0).abs() < 1e-7, "{t:?}");
        }
    }
}

/// Three bodies that slide on a cable, two of them with friction. (Five of 150 steps were called unconverged, for what an early iteration of
/// Newton had left.)
#[test]
fn rings_that_slide_and_rub_converge() {
    let mut world = World::new();
    let rings = [
        (44.961460796005376, -0.7573863548297063, v(-0.24511816581350265, 0.0, 0.6810962254389759)),
        (1.277428933878489, -0.9114825700678348, v(0.07684519113951271, 0.0, -0.3512062205902502)),
        (93.69724847368705, -1.3761275223633438, v(-0.6038871705457589, 0.0, 0.38990910725373285)),
    ];
    let mut cable = Cable::new("c").via(Station::point(Frame::World, v(-1.5, 0.0, 0.0)));
    let places = [-0.5, 0.0, 0.5].into_iter().zip([0.0, 0.2529610628983938, 0.4947005149556448]);
    for (i, ((mass, z, velocity), (x, friction))) in rings.into_iter().zip(places).enumerate() {
        let ball = Body::dynamic(format!("r{i}")).shape(Shape::Ball { radius: 0.1 }).mass(mass);
        let ball = ball.position(v(x, 0.0, z)).velocity(velocity).collides(false);
        let ball = world.add_body(ball).unwrap();
        cable = cable.via(Station::point(ball, v(0.0, 0.0, 0.1)).friction(friction));
    }
    let cable = cable.via(Station::point(Frame::World, v(1.5, 0.0, -0.4940678079451365)));
    world.add_cable(cable).unwrap();
    for frame in 0..150 {
        let report = world.step(H).unwrap();
        assert!(report.converged(), "frame {frame}: {:?}", report.failure);
        assert!(!report.gained_energy(), "frame {frame}");
    }
}

/// What a rigid cable holds beyond a fixed sheave pulls at nothing: it is told as a cable has it that stretches ever so little, never beyond what acted on it. (A
/// dead span was told to pull with 1e8 N, and broke.)
#[test]
fn a_dead_span_pulls_with_no_more_than_what_acted_on_it() {
    for (friction, welded) in
        [(0.3, false), (1.0, false), (f64::INFINITY, false), (1.0, true), (f64::INFINITY, true)]
    {
        let mut world = World::new();
        let body = load(&mut world, "bob", 10.0, v(1.5, 0.0, -1.0));
        let mut frame = Frame::World;
        if welded {
            let sheave = load(&mut world, "sheave", 5.0, Vec3::ZERO);
            let mut axle = Joint::weld("axle", Frame::World, sheave);
            axle.break_force = 2000.0;
            world.add_joint(axle).unwrap();
            frame = Frame::Body(sheave);
        }
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, v(-0.2, 0.0, -2.0)))
            .via(Station::pulley(frame, Vec3::ZERO, Vec3::Y, 0.2).friction(friction))
            .via(Station::point(body, Vec3::ZERO))
            .break_tension(350.0);
        let cable = world.add_cable(cable).unwrap();
        let (mut most, mut dead) = (0.0_f64, 0.0_f64);
        for i in 0..360 {
            let report = world.step(H).unwrap();
            assert!(report.converged() && !report.gained_energy(), "{friction} {i}");
            let state = world.cable(cable).unwrap_or_else(|_| {
                panic!("{friction} {welded}: broke at {} N", report.max_tension)
            });
            let (t, wrap) = (state.tensions(), state.wraps()[1].max(0.0));
            most = most.max(t[1]);
            dead = dead.max(t[0]);
            assert!(dead <= most * (1.0 + 1e-6), "{friction} {welded} {i}: {t:?}");
            let e = (friction * wrap).exp();
            let within = t[0] >= t[1] / e * (1.0 - 1e-6) && t[0] <= t[1] * e * (1.0 + 1e-6);
            assert!(within, "{friction} {welded} {i}: {t:?} {e}");
        }
        // Down from 26° it pulls with less than 3 mg.
        assert!(most > 10.0 * G && most < 30.0 * G, "{friction} {welded}: {most}");
        assert!(world.joint_named("axle").is_some() == welded);
    }
}
