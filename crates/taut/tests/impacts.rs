//! Impacts that meet several bodies at once.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, BodyId, Material, Shape, World};

const ELASTIC: Material = Material {
    restitution: 1.0,
    friction: 0.0,
    torsional_friction: 0.0,
    rolling_friction: 0.0,
    anisotropy: None,
    surface: None,
    penalty: None,
};

/// Balls in a row along x that touch, the first `moving` of them a little apart from the rest,
/// at 1 m/s.
fn row(masses: &[f64], moving: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("gravity");
    let ball = |(i, &mass): (usize, &f64)| {
        let gap = if i < moving { 0.0 } else { 0.01 };
        let body = Body::dynamic(format!("ball{i}")).shape(Shape::Ball { radius: 0.1 }).mass(mass);
        let body = body.material(ELASTIC).position(Vec3::X * (0.2 * i as f64 + gap));
        let id = world.add_body(body).expect("ball");
        let speed = if i < moving { Vec3::X } else { Vec3::ZERO };
        world.set_velocity(id, speed, Vec3::ZERO).expect("ball");
        id
    };
    let ids = masses.iter().enumerate().map(ball).collect();
    (world, ids)
}

fn speeds(world: &World, ids: &[BodyId]) -> Vec<f64> {
    ids.iter().map(|&id| world.body(id).expect("ball").velocity().x).collect()
}

/// As many leave as arrive.
#[test]
fn touching_balls_pass_the_blow_on() {
    for moving in 1..=4 {
        let (mut world, ids) = row(&[1.0; 5], moving);
        (0..60).for_each(|_| drop(step(&mut world, H)));
        let v = speeds(&world, &ids);
        for (i, v) in v.iter().enumerate() {
            let expected = if i >= 5 - moving { 1.0 } else { 0.0 };
            assert!((v - expected).abs() < 1e-6, "{moving} arrive: {v} for ball {i}");
        }
    }
}

/// Two balls that touch, or are 1 um apart, meet two others in flight, late in a step: all stay in their order, and end where
/// the times of the impacts say. (The second one changed places with the third: what it got from the first came before it had
/// met anything.)
#[test]
fn balls_in_a_row_keep_their_order() {
    let (r, v) = (0.0256, 5.55);
    for gap in [0.0, 1e-6] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("gravity");
        let along = 2.0 * r + gap;
        let starts = [-along, 0.0, 5.0 * r, 5.0 * r + along];
        let ball = |(i, x): (usize, f64)| {
            let body = Body::dynamic(format!("ball{i}")).shape(Shape::Ball { radius: r }).mass(1.0);
            let body = body.material(ELASTIC).position(Vec3::X * x);
            let speed = if i < 2 { v } else { 0.0 };
            world.add_body(body.velocity(Vec3::X * speed)).expect("ball")
        };
        let ids: Vec<BodyId> = starts.into_iter().enumerate().map(ball).collect();
        for n in 1..=30 {
            step(&mut world, H);
            // What arrives stops where it meets the next one; what leaves goes on from there.
            let way = v * H * f64::from(n);
            let room = 3.0 * r;
            let x = |i: usize| position(&world, ids[i]).x;
            for i in 0..4 {
                let free = if i < 2 { way.min(room) } else { (way - room).max(0.0) };
                let expected = starts[i] + free;
                assert!((x(i) - expected).abs() < 1e-5, "{gap} frame {n}: ball {i} at {}", x(i));
            }
        }
    }
}

#[test]
fn unequal_balls_keep_energy_and_momentum() {
    let masses = [2.0, 1.0, 3.0, 0.5, 5.0];
    let (mut world, ids) = row(&masses, 1);
    (0..120).for_each(|_| drop(step(&mut world, H)));
    let v = speeds(&world, &ids);
    let sum = |f: &dyn Fn(f64) -> f64| masses.iter().zip(&v).map(|(m, v)| m * f(*v)).sum::<f64>();
    assert!((sum(&|v| v) - 2.0).abs() < 1e-9, "{v:?}");
    // The last blows are below the threshold, and do not bounce.
    assert!((sum(&|v| v * v) - 2.0).abs() < 1e-2, "{v:?}");
    assert!(v.windows(2).all(|w| w[0] <= w[1] + 1e-9), "{v:?} approach");
}

/// The n-th bounce is not higher than e²ⁿ of the start.
#[test]
fn bounces_do_not_grow() {
    for e in [1.0, 0.9, 0.5] {
        for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 997.0] {
            let mut world = World::new();
            let material = Material { restitution: e, ..ELASTIC };
            ground(&mut world, material);
            let body = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 });
            let id = world.add_body(body.material(material).position(Vec3::Z * 1.1)).expect("ball");
            let (mut highest, mut bounces, mut falling) = (0.0_f64, 0, true);
            for _ in 0..(4.0 / h) as usize {
                step(&mut world, h);
                let (z, v) =
                    (position(&world, id).z - 0.1, world.body(id).expect("ball").velocity().z);
                if falling && v > 0.0 {
                    bounces += 1;
                    highest = 0.0;
                }
                falling = v <= 0.0;
                highest = highest.max(z);
                let allowed = f64::powi(e, 2 * bounces) * (1.0 + 1e-4);
                assert!(
                    bounces == 0 || highest <= allowed,
                    "e {e}, h {h}: {highest} after {bounces}"
                );
            }
            assert!(bounces >= 3);
        }
    }
}

/// A heavy ball on a light plate on the ground still bounces.
#[test]
fn a_heavy_ball_bounces_off_a_light_plate() {
    let mut world = World::new();
    ground(&mut world, friction(0.5));
    let plate = Body::dynamic("plate").shape(cuboid(0.5, 0.5, 0.02)).mass(1.0);
    world.add_body(plate.position(Vec3::Z * 0.02)).expect("plate");
    let material = Material { restitution: 0.6, ..friction(0.3) };
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.2 }).mass(100.0);
    let ball = world.add_body(ball.material(material).position(Vec3::Z * 1.24)).expect("ball");
    let mut up = 0.0_f64;
    for _ in 0..60 {
        let report = step(&mut world, H);
        assert!(!report.gained_energy());
        up = up.max(world.body(ball).expect("ball").velocity().z);
    }
    let down = (2.0 * G).sqrt();
    assert!(up > 0.3 * down && up < 0.61 * down, "{up} m/s after {down}");
}

/// Two balls in flight that meet at a slant, without friction: the blow acts along the line of
/// their centres when they touch. Neither spins, and both momenta, energy and places are right.
#[test]
fn balls_that_meet_at_a_slant_agree_with_the_closed_form() {
    let (r, m1, m2, speed) = ([0.2, 0.1], 1.0, 2.5, 3.0);
    let apart = r[0] + r[1];
    for (k, offset) in [-0.85, -0.5, -0.2, 0.3, 0.6, 0.8].into_iter().enumerate() {
        for e in [0.5, 1.0] {
            let mut world = World::new();
            world.set_gravity(Vec3::ZERO).expect("gravity");
            let material = Material { restitution: e, ..ELASTIC };
            let ball = |i: usize| Body::dynamic(format!("{i}")).shape(Shape::Ball { radius: r[i] });
            let b = offset * apart;
            let from = Vec3::new(-1.0 - 0.013 * k as f64, b, 0.0);
            let first = ball(0).mass(m1).position(from).velocity(Vec3::X * speed);
            let first = world.add_body(first.material(material)).expect("first");
            let second = world.add_body(ball(1).mass(m2).material(material)).expect("second");
            let before = step(&mut world, H);
            let steps = 40;
            for _ in 1..steps {
                let after = step(&mut world, H);
                assert!((after.momentum - before.momentum).length() < 1e-12);
                let turned = (after.angular_momentum - before.angular_momentum).length();
                assert!(turned < 1e-12, "angular momentum changed by {turned}");
                assert!(after.kinetic_energy < before.kinetic_energy * (1.0 + 1e-12));
            }
            let n = Vec3::new((1.0 - offset * offset).sqrt(), -offset, 0.0);
            let impulse = (1.0 + e) * speed * n.x / (1.0 / m1 + 1.0 / m2);
            let (v1, v2) = (Vec3::X * speed - n * (impulse / m1), n * (impulse / m2));
            let touch = (-from.x - apart * n.x) / speed;
            let end = from + Vec3::X * (speed * touch) + v1 * (f64::from(steps) * H - touch);
            for (id, v) in [(first, v1), (second, v2)] {
                let body = world.body(id).expect("ball");
                let (wrong, spin) = (body.velocity() - v, body.angular_velocity().length());
                assert!(
                    wrong.length() < 5e-3 * speed,
                    "{offset}, {e}: {} for {v}",
                    body.velocity()
                );
                assert!(spin * r[0] < 2e-3 * speed, "{offset}, {e}: spins at {spin}");
            }
            let missed = (world.body(first).expect("first").centre_of_mass() - end).length();
            assert!(missed < 0.1 * speed * H, "{offset}, {e}: {missed} m aside");
        }
    }
}
