//! Angles at any rate: gears, screws, limits and motors on wheels that turn many
//! times in a step, against closed forms.

use std::f64::consts::TAU;
use taut::math::{Mat3, Quat, Vec3};
use taut::{Body, BodyId, Frame, Joint, JointId, Motor, StepReport, World};

const RATES: [f64; 6] = [10.0, 188.0, 200.0, 1000.0, 3000.0, 10_000.0];
const STEPS: [f64; 2] = [1.0 / 60.0, 1.0 / 240.0];

fn weightless() -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    world
}

fn disc(moment: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::new(0.5, 0.5, 1.0) * moment)
}

/// A disc of a moment of inertia about z, and its hinge on the world.
fn wheel(world: &mut World, name: &str, x: f64, moment: f64, rate: f64) -> (BodyId, JointId) {
    let body = Body::dynamic(name).mass(2.0).inertia(disc(moment)).position(Vec3::X * x);
    let body = world.add_body(body.angular_velocity(Vec3::Z * rate)).expect("wheel");
    let hinge = Joint::hinge(format!("axle of {name}"), Frame::World, body);
    (body, world.add_joint(hinge.axis_a(Vec3::Z)).expect("axle"))
}

fn run(world: &mut World, h: f64, seconds: f64, mut each: impl FnMut(&World, &StepReport)) {
    for _ in 0..(seconds / h).round() as usize {
        let report = world.step(h).expect("step");
        assert!(report.converged() && !report.is_torn(), "{report:?}");
        assert!(!report.gained_energy(), "{} J created", report.energy_gain);
        each(world, &report);
    }
}

fn angle(world: &World, joint: JointId) -> f64 {
    world.joint_position(joint).expect("joint")
}

fn rate(world: &World, body: BodyId) -> f64 {
    world.body(body).expect("body").angular_velocity().z
}

/// Two wheels, one set spinning: momentum is shared by the teeth in the first
/// step, then both keep their speeds. Angles and speeds after 10 s.
#[test]
fn gears_do_not_slip() {
    for h in STEPS {
        for speed in RATES {
            let (ratio, i1, i2) = (2.5, 0.3, 0.8);
            let mut world = weightless();
            let (w1, q1) = wheel(&mut world, "first", 0.0, i1, speed);
            let (w2, q2) = wheel(&mut world, "second", 1.0, i2, 0.0);
            world.add_joint(Joint::gear("teeth", q1, q2, ratio)).expect("gear");
            run(&mut world, h, 10.0, |_, _| {});
            // An impulse p between the teeth: I₁Δω₁ = p, I₂Δω₂ = −ratio·p.
            let first = speed * i1 * ratio * ratio / (i1 * ratio * ratio + i2);
            for (name, found, expected) in [
                ("first rate", rate(&world, w1), first),
                ("second rate", rate(&world, w2), first / ratio),
                ("first angle", angle(&world, q1), 10.0 * first),
                ("second angle", angle(&world, q2), 10.0 * first / ratio),
            ] {
                let error = (found / expected - 1.0).abs();
                assert!(error < 1e-6, "{name} at {speed} rad/s, {h} s: {found} for {expected}");
            }
        }
    }
}

/// The same with half a step of motion before and after the solve.
#[test]
fn gears_do_not_slip_at_the_midpoint() {
    for speed in RATES {
        let mut world = weightless();
        world.settings_mut().integrator = taut::Integrator::MoreauMidpoint;
        let (w1, q1) = wheel(&mut world, "first", 0.0, 0.3, speed);
        let (w2, q2) = wheel(&mut world, "second", 1.0, 0.8, speed / 2.5);
        world.add_joint(Joint::gear("teeth", q1, q2, 2.5)).expect("gear");
        run(&mut world, 1.0 / 60.0, 5.0, |_, _| {});
        for (found, expected) in [
            (rate(&world, w1), speed),
            (rate(&world, w2), speed / 2.5),
            (angle(&world, q1), 5.0 * speed),
            (angle(&world, q2), 2.0 * speed),
        ] {
            assert!((found / expected - 1.0).abs() < 1e-6, "{speed}: {found} for {expected}");
        }
    }
}

/// A motor that is asked for a speed gets it, and its angle counts all turns.
#[test]
fn motors_reach_any_speed() {
    for h in STEPS {
        for speed in RATES {
            let mut world = weightless();
            let (body, axle) = wheel(&mut world, "wheel", 0.0, 0.3, 0.0);
            let motor = Motor::velocity(speed, 1e9);
            world.edit_joint(axle, |j| j.angle_motor = Some(motor)).expect("axle");
            run(&mut world, h, 2.0, |_, _| {});
            assert!((rate(&world, body) / speed - 1.0).abs() < 1e-6);
            let turned = angle(&world, axle);
            assert!((turned / (2.0 * speed) - 1.0).abs() < 1e-6, "{speed} {h}: {turned}");
        }
    }
}

/// A load on a screw without friction turns it: m + I(2π/lead)² moves with mg.
#[test]
fn a_screw_is_driven_back() {
    for h in STEPS {
        for lead in [0.02, 0.2] {
            let (mass, moment) = (50.0, 1e-5);
            let per_metre = TAU / lead;
            let mut world = World::new();
            let load = Body::dynamic("load").mass(mass).box_inertia([1.0; 3]);
            let load = world.add_body(load).expect("load");
            let slide = Joint::slider("slide", Frame::World, load).axis_a(Vec3::Z);
            let slide = world.add_joint(slide).expect("slide");
            let (_, axle) = wheel(&mut world, "screw", 1.0, moment, 0.0);
            let nut = Joint::gear("nut", axle, slide, per_metre);
            world.add_joint(nut).expect("nut");
            let seconds = 3.0;
            run(&mut world, h, seconds, |_, _| {});
            let acceleration = -9.81 * mass / (mass + moment * per_metre * per_metre);
            let v = world.body(load).expect("load").velocity().z;
            assert!((v / (acceleration * seconds) - 1.0).abs() < 1e-6, "{lead} {h}: {v}");
            let (travel, turns) = (angle(&world, slide), angle(&world, axle) / TAU);
            assert!((turns * lead / travel - 1.0).abs() < 1e-6, "{turns} turns, {travel} m");
            let fallen = 0.5 * acceleration * seconds * seconds;
            assert!((travel / fallen - 1.0).abs() < 1e-6, "{lead} {h}: {travel} {fallen}");
        }
    }
}

/// The screw rides on the carriage it moves.
#[test]
fn a_screw_moves_what_it_rides_on() {
    for speed in RATES {
        let mut world = weightless();
        let body = |name: &str| Body::dynamic(name).mass(3.0).box_inertia([0.2, 0.2, 0.3]);
        let carriage = world.add_body(body("carriage")).expect("carriage");
        let screw = world.add_body(body("screw")).expect("screw");
        let slide = Joint::slider("slide", Frame::World, carriage).axis_a(Vec3::Z);
        let slide = world.add_joint(slide).expect("slide");
        let axle = Joint::hinge("axle", carriage, screw).axis_a(Vec3::Z);
        let axle = axle.motor(Motor::velocity(speed, 1e9));
        let axle = world.add_joint(axle).expect("axle");
        let lead = 1e-3;
        world.add_joint(Joint::gear("nut", slide, axle, lead / TAU)).expect("nut");
        run(&mut world, 1.0 / 60.0, 5.0, |_, _| {});
        let (travel, expected) = (angle(&world, slide), 5.0 * speed * lead / TAU);
        assert!((travel / expected - 1.0).abs() < 1e-6, "{speed}: {travel} for {expected}");
    }
}

/// A limit stops what comes at it, however fast; energy never rises.
#[test]
fn limits_stop_fast_wheels() {
    for h in STEPS {
        for speed in RATES {
            for sign in [1.0, -1.0] {
                let mut world = weightless();
                let (body, axle) = wheel(&mut world, "wheel", 0.0, 0.3, sign * speed);
                world.edit_joint(axle, |j| *j = j.clone().limits(-10.0, 10.0)).expect("axle");
                let mut largest = 0.0_f64;
                run(&mut world, h, 2.0, |world, _| {
                    largest = largest.max(angle(world, axle).abs());
                });
                assert!(largest < 10.0 + 1e-6, "{speed} {h}: {largest}");
                let last = angle(&world, axle);
                assert!((last - sign * 10.0).abs() < 1e-5 + 1e-7 * speed, "{speed} {h}: {last}");
                assert!(rate(&world, body).abs() < 1e-6 * speed);
            }
        }
    }
}

/// A motor drives into a limit and stays there; a position motor goes to an
/// angle many turns away.
#[test]
fn motors_stop_at_limits_and_servos_count_turns() {
    for speed in RATES {
        let mut world = weightless();
        let (_, stopped) = wheel(&mut world, "stopped", 0.0, 0.3, 0.0);
        let stop = Motor::velocity(speed, 1e3);
        world.edit_joint(stopped, |j| *j = j.clone().limits(-1.0, 7.0).motor(stop)).expect("axle");
        let (_, servo) = wheel(&mut world, "servo", 3.0, 0.3, 0.0);
        let motor = Motor::position(speed, 400.0, 40.0, 1e9);
        world.edit_joint(servo, |j| j.angle_motor = Some(motor)).expect("axle");
        run(&mut world, 1.0 / 60.0, 10.0, |_, _| {});
        assert!((angle(&world, stopped) - 7.0).abs() < 1e-6, "{}", angle(&world, stopped));
        assert!((angle(&world, servo) / speed - 1.0).abs() < 1e-6, "{}", angle(&world, servo));
    }
}

/// A limit far away on the other side of a gear: nothing says before the solve how
/// fast its wheel will be.
#[test]
fn limits_stop_what_gears_drive() {
    for speed in RATES {
        let mut world = weightless();
        let (_, driven) = wheel(&mut world, "driven", 0.0, 0.01, 0.0);
        let (_, stopped) = wheel(&mut world, "stopped", 1.0, 0.01, 0.0);
        let motor = Motor::velocity(speed, 500.0);
        world.edit_joint(driven, |j| j.angle_motor = Some(motor)).expect("axle");
        world.edit_joint(stopped, |j| *j = j.clone().limits(-3.0, 9.0)).expect("axle");
        world.add_joint(Joint::gear("teeth", stopped, driven, 2.0)).expect("gear");
        let mut largest = 0.0_f64;
        run(&mut world, 1.0 / 60.0, 3.0, |world, _| {
            largest = largest.max(angle(world, stopped));
        });
        assert!((largest - 9.0).abs() < 1e-4, "{speed}: {largest}");
        assert!((angle(&world, stopped) - 9.0).abs() < 1e-4, "{speed}");
    }
}

/// Gears on a carrier that moves itself: a geared pair spins up on a free frame,
/// and angular momentum stays zero.
#[test]
fn gears_ride_on_a_free_frame() {
    for speed in RATES {
        let mut world = weightless();
        let frame = Body::dynamic("frame").mass(20.0).box_inertia([4.0, 5.0, 6.0]);
        let frame = world.add_body(frame).expect("frame");
        let mut axles = Vec::new();
        for (name, x, moment) in [("first", -1.0, 0.02), ("second", 1.0, 0.05)] {
            let body = Body::dynamic(name).mass(1.0).inertia(disc(moment));
            let body = world.add_body(body.position(Vec3::X * x)).expect("wheel");
            let axle = Joint::hinge(format!("axle {name}"), frame, body).axis_a(Vec3::Z);
            axles.push(world.add_joint(axle).expect("axle"));
        }
        world.add_joint(Joint::gear("teeth", axles[0], axles[1], -2.0)).expect("gear");
        let motor = Motor::velocity(speed, 1.0);
        world.edit_joint(axles[0], |j| j.angle_motor = Some(motor)).expect("axle");
        run(&mut world, 1.0 / 60.0, 10.0, |_, r| {
            assert!(r.angular_momentum.length() < 1e-6 * speed, "{}", r.angular_momentum);
        });
        let (first, second) = (angle(&world, axles[0]), angle(&world, axles[1]));
        assert!((first / second + 2.0).abs() < 1e-6, "{speed}: {first} {second}");
    }
}

/// A rotor on a frame that yaws: the bearing's torque turns its momentum, and
/// the axes stay together.
#[test]
fn rotors_keep_their_axis_on_a_frame_that_yaws() {
    for speed in RATES {
        let (moment, yaw) = (0.3, 1.0);
        let mut world = weightless();
        let frame = Body::kinematic("frame").angular_velocity(Vec3::X * yaw);
        let frame = world.add_body(frame).expect("frame");
        let rotor = Body::dynamic("rotor").mass(2.0).inertia(disc(moment));
        let rotor = rotor.angular_velocity(Vec3::new(yaw, 0.0, speed));
        let rotor = world.add_body(rotor).expect("rotor");
        let axle = Joint::hinge("axle", frame, rotor).axis_a(Vec3::Z);
        let axle = world.add_joint(axle).expect("axle");
        let axis = |world: &World, id| world.body(id).expect("body").orientation() * Vec3::Z;
        for _ in 0..60 {
            let report = world.step(1.0 / 60.0).expect("step");
            assert!(report.converged() && !report.is_torn(), "{speed}: {report:?}");
            let apart = axis(&world, frame).angle_between(axis(&world, rotor));
            assert!(apart < 6e-3, "{speed}: {apart}");
        }
        let torque = world.joint(axle).expect("axle").reaction().torque.length();
        let expected = moment * speed * yaw;
        assert!((torque / expected - 1.0).abs() < 1e-2, "{speed}: {torque} for {expected}");
        assert!((angle(&world, axle) / speed - 1.0).abs() < 1e-4, "{}", angle(&world, axle));
    }
}

/// A wheel hung off its centre cannot be followed at any rate. Then the report
/// names the joint, or says that energy was created.
#[test]
fn wheels_off_their_centre_are_right_or_said_to_be_wrong() {
    for speed in RATES {
        for arm in [1e-3, 0.1] {
            let mut world = weightless();
            let wheel = Body::dynamic("wheel").mass(2.0).inertia(disc(0.3));
            let wheel = wheel.position(Vec3::X * arm).velocity(Vec3::Y * arm * speed);
            let wheel = wheel.angular_velocity(Vec3::Z * speed);
            let wheel = world.add_body(wheel).expect("wheel");
            let axle = Joint::hinge("axle", Frame::World, wheel).axis_a(Vec3::Z);
            world.add_joint(axle.anchor_a(Vec3::ZERO)).expect("axle");
            let mut said = false;
            for _ in 0..60 {
                let report = world.step(1.0 / 60.0).expect("step");
                assert!(!report.is_torn() || report.torn_joint.as_deref() == Some("axle"));
                said |= report.is_torn() || !report.converged() || report.gained_energy();
            }
            let kept = rate(&world, wheel) / speed;
            assert!(said || (kept - 1.0).abs() < 0.02, "{speed} rad/s, {arm} m: {kept}");
        }
    }
}

/// A four-bar linkage that a motor turns: where rocker and coupler are, and how fast, follows from
/// the crank's angle.
#[test]
fn a_linkage_follows_its_crank_at_any_rate() {
    let (crank, coupler, rocker, base) = (0.5_f64, 2.0_f64, 1.2_f64, Vec3::X * 2.0);
    let tip = |a: Vec3| {
        let d = base - a;
        let along = (coupler * coupler - rocker * rocker + d.length_squared()) / (2.0 * d.length());
        let across = (coupler * coupler - along * along).sqrt();
        a + (d * along + Vec3::Z.cross(d) * across) / d.length()
    };
    for speed in [10.0, 200.0, 10_000.0] {
        let mut world = weightless();
        let a = Vec3::Y * crank;
        let b = tip(a);
        let mut bar = |name: &str, from: Vec3, to: Vec3| {
            let (d, mass) = (to - from, 1.0);
            let moment = mass * d.length_squared() / 12.0;
            let turn = taut::math::Quat::from_rotation_z(d.y.atan2(d.x));
            let body = Body::dynamic(name).mass(mass).orientation(turn);
            let body = body.inertia(Mat3::from_diagonal(Vec3::new(1e-3, moment, moment)));
            world.add_body(body.position(0.5 * (from + to))).expect("bar")
        };
        let bars = [bar("crank", Vec3::ZERO, a), bar("coupler", a, b), bar("rocker", base, b)];
        let axle = Joint::hinge("axle", Frame::World, bars[0]).anchor_a(Vec3::ZERO).axis_a(Vec3::Z);
        let axle = world.add_joint(axle).expect("axle");
        let motor = Motor::velocity(speed, f64::INFINITY);
        world.edit_joint(axle, |j| j.angle_motor = Some(motor)).expect("axle");
        for (name, first, second, at) in [
            ("low", Frame::Body(bars[0]), bars[1], 0.5 * crank),
            ("high", Frame::Body(bars[1]), bars[2], 0.5 * coupler),
        ] {
            let pin = Joint::hinge(name, first, second).anchor_a(Vec3::X * at).axis_a(Vec3::Z);
            world.add_joint(pin).expect("pin");
        }
        let foot = Joint::hinge("foot", Frame::World, bars[2]).anchor_a(base).axis_a(Vec3::Z);
        world.add_joint(foot).expect("foot");
        run(&mut world, 1.0 / 60.0, 0.1, |world, _| {
            let a = 2.0 * world.body(bars[0]).expect("crank").centre_of_mass();
            let b = tip(a);
            let rocker = world.body(bars[2]).expect("rocker");
            let missed = (rocker.centre_of_mass() - 0.5 * (base + b)).length();
            assert!(missed < 1e-5, "{speed} rad/s: {missed} m");
            let (u, s) = (b - a, Vec3::Z.cross(b - base));
            let expected = (rate(world, bars[0]) * Vec3::Z.cross(a)).dot(u) / s.dot(u);
            let wrong = (rocker.angular_velocity().z - expected) / speed;
            assert!(wrong.abs() < 1e-4, "{speed} rad/s: {wrong}");
            assert!((rate(world, bars[0]) / speed - 1.0).abs() < 1e-6);
        });
    }
}

/// A top on a point, in steady precession: it keeps its tilt at any rate.
#[test]
fn fast_tops_keep_their_tilt() {
    let (tilt, arm, gravity) = (0.5_f64, 0.3, 9.81);
    let moments = Vec3::new(0.005, 0.005, 0.01);
    let about_point = moments.x + arm * arm - moments.z;
    for spin in [240.0, 300.0, 500.0, 900.0, 1000.0, 2000.0] {
        // mgl = C s W − (A − C) W² cos, with the slow one of two solutions.
        let (a, b) = (about_point * tilt.cos(), moments.z * spin);
        let precession = (b - (b * b - 4.0 * a * gravity * arm).sqrt()) / (2.0 * a);
        let axis = Vec3::new(tilt.sin(), 0.0, tilt.cos());
        let w = axis * spin + (Vec3::Z - axis * tilt.cos()) * precession;
        let mut world = World::new();
        let body = Body::dynamic("top").mass(1.0).inertia(Mat3::from_diagonal(moments));
        let body = body.position(axis * arm).orientation(Quat::from_rotation_y(tilt));
        let body = body.angular_velocity(w).velocity(w.cross(axis * arm));
        let top = world.add_body(body).expect("top");
        let joint = Joint::ball("point", Frame::World, top).anchor_a(Vec3::ZERO);
        world.add_joint(joint.anchor_b(-Vec3::Z * arm)).expect("point");
        run(&mut world, 1.0 / 60.0, 2.0, |world, _| {
            let x = world.body(top).expect("top").centre_of_mass();
            let now = (x.z / arm).acos();
            assert!((now - tilt).abs() < 2e-3, "{spin} rad/s: {now}");
        });
    }
}
