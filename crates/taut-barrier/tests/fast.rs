//! Fast bodies: nothing passes through anything, nothing hangs; and starts within one another.

use taut_barrier::{Error, HalfSpace, Mesh, Settings, Status, System};

fn weightless() -> System {
    System::new(Settings { gravity: [0.0; 3], tolerance: 1e-6, ..Settings::default() })
        .expect("settings")
}

fn ground(system: &mut System) -> usize {
    let half_space = HalfSpace { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
    system.add_half_spaces("ground", &[half_space], None, 0.0).expect("a body")
}

fn block(half: f64, at: [f64; 3]) -> Mesh {
    Mesh::block([half; 3]).expect("a mesh").moved(at)
}

/// A half-space has no rim: a body that goes a hundred times its size in a step, or far from the origin, stays above.
#[test]
fn nothing_gets_past_a_half_space() {
    for (far, velocity) in [(0.0, [60.0, 0.0, -60.0]), (1e4, [100.0, 3.0, -100.0])] {
        let mut system = System::new(Settings::default()).expect("settings");
        ground(&mut system);
        let mesh = block(0.1, [far, 0.0, 0.5]);
        let body = system.add_rigid("a", &mesh, 1000.0, 0.0).expect("a body");
        system.set_velocity(body, velocity, [0.0; 3]).expect("a body");
        for step in 0..40 {
            let report = system.step(1.0 / 60.0).expect("a step");
            assert!(report.converged(), "{far} {step}: {report:?}");
            assert_eq!(system.intersection(), None, "{far} {step}");
            let z = system.position(body).expect("a body")[2];
            assert!(z > 0.1 && z < 0.2 || step < 2, "{far} {step}: {z}");
        }
    }
}

/// Balls and boxes head-on: implicit Euler leaves both with half of the speed, or more apart; momentum stays, and they are on the sides where they were.
#[test]
fn bodies_head_on_exchange_momentum() {
    for (speed, h, is_ball) in
        [(10.0, 0.01, true), (20.0, 0.01, false), (60.0, 1.0 / 60.0, true), (200.0, 0.01, false)]
    {
        let shape = |x: f64| {
            if is_ball {
                Mesh::ball(0.1, [16, 8]).expect("a mesh").moved([x, 0.0, 0.0])
            } else {
                block(0.1, [x, 0.03 * x, 0.02 * x])
            }
        };
        let mut system = weightless();
        let a = system.add_rigid("a", &shape(0.0), 1000.0, 0.0).expect("a body");
        let b = system.add_rigid("b", &shape(0.5), 1000.0, 0.0).expect("a body");
        system.set_velocity(a, [speed, 0.0, 0.0], [0.0; 3]).expect("a body");
        for step in 0..(1.0 / speed / h) as usize + 4 {
            let report = system.step(h).expect("a step");
            assert!(report.converged(), "{speed} {step}: {report:?}");
            assert_eq!(system.intersection(), None, "{speed} {step}");
        }
        let [va, vb] = [a, b].map(|id| system.velocity(id).expect("a body")[0]);
        let [xa, xb] = [a, b].map(|id| system.position(id).expect("a body"));
        let apart = (0..3).map(|k| (xb[k] - xa[k]).powi(2)).sum::<f64>().sqrt();
        let lost =
            system.mass(a).expect("a body") * (va - speed) + system.mass(b).expect("a body") * vb;
        assert!(lost.abs() < 1e-6 * speed * system.mass(a).expect("a body"), "{va} {vb}");
        assert!(xb[0] > xa[0] && apart > 0.19, "{speed}: {xa:?} {xb:?}");
        assert!(vb > 0.3 * speed && va < 0.7 * speed, "{speed}: {va} {vb}");
    }
}

/// What is too fast for the shortest part is said.
#[test]
fn steps_that_are_too_long_say_so() {
    let mut system = weightless();
    let a = system.add_rigid("a", &block(1e-3, [0.0; 3]), 1000.0, 0.0).expect("a body");
    system.add_rigid("b", &block(1e-3, [1.0, 0.0, 0.0]), 1000.0, 0.0).expect("a body");
    system.set_velocity(a, [1e4, 0.0, 0.0], [0.0; 3]).expect("a body");
    let report = system.step(0.01).expect("a step");
    assert_eq!(report.status, Status::Unresolved, "{report:?}");
    let slow = system.step(1e-9).expect("a step");
    assert!(slow.converged() && slow.parts == 1, "{slow:?}");
}

#[test]
fn starts_within_one_another_are_refused() {
    let start = |at: [f64; 3]| {
        let mut system = weightless();
        ground(&mut system);
        system.add_rigid("large", &block(0.1, [0.0, 0.0, 0.2]), 1000.0, 0.0).expect("a body");
        system.add_rigid("small", &block(0.01, at), 1000.0, 0.0).expect("a body");
        system.check_start()
    };
    assert!(start([0.5, 0.0, 0.2]).is_ok());
    for at in [[0.02, 0.01, 0.2], [0.5, 0.0, -1.0], [0.5, 0.0, 0.005]] {
        let said = start(at).expect_err("refused");
        assert!(matches!(said, Error::Intersecting { .. }), "{at:?}: {said}");
    }
}

/// Work of a force is what it adds to a body; a lift does the work of the weight.
#[test]
fn work_is_booked() {
    let mut system = weightless();
    let body = system.add_rigid("a", &block(0.1, [0.0; 3]), 1000.0, 0.0).expect("a body");
    let mut work = 0.0;
    for _ in 0..100 {
        system.push(body, [8.0, 0.0, 0.0], [0.0; 3]).expect("a body");
        work += system.step(0.01).expect("a step").work;
    }
    assert!((work - 4.0).abs() < 1e-9, "{work}");

    let mut system = System::new(Settings::default()).expect("settings");
    let plate = Mesh::block([0.5, 0.5, 0.05]).expect("a mesh").moved([0.0, 0.0, -0.05]);
    let plate = system.add_kinematic("plate", &plate, 0.5).expect("a body");
    system.add_rigid("load", &block(0.1, [0.0, 0.0, 0.1005]), 1000.0, 0.5).expect("a body");
    system.set_velocity(plate, [0.0, 0.0, 0.5], [0.0; 3]).expect("a body");
    let before: f64 = system.energy().iter().sum();
    let work: f64 = (0..100).map(|_| system.step(0.01).expect("a step").work).sum();
    let gain = system.energy().iter().sum::<f64>() - before;
    // It is thrown to 0.5 m/s at once: as much as it has then is lost.
    assert!(work > gain && work < gain + 1.5, "{work} {gain}");
}

/// A way that ends just before another body leaves a gap from which it can go on.
#[test]
fn ways_that_end_at_touch_go_on() {
    for gap in [0.0, 1e-15, 1.5e-9, 1e-7, 1e-5] {
        let mut system = weightless();
        system.add_rigid("box", &block(0.1, [0.0; 3]), 1000.0, 0.0).expect("a body");
        let pusher = block(0.1, [-0.205 - gap, 0.0, 0.0]);
        let pusher = system.add_kinematic("pusher", &pusher, 0.0).expect("a body");
        system.set_velocity(pusher, [0.5, 0.0, 0.0], [0.0; 3]).expect("a velocity");
        for step in 0..5 {
            let report = system.step(0.01).expect("a step");
            assert!(report.converged() && report.gap > 1e-6, "{gap} {step}: {report:?}");
        }
        let v = system.velocity(0).expect("a body")[0];
        assert!(v > 0.499, "{gap}: {v}");
    }
}
