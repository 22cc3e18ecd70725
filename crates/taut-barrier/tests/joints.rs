//! Joints as constraints: closed to rounding, whatever collides.

use taut_barrier::{BodyId, Error, Mesh, Settings, System, Weight};

/// A box of 20 × 4 × 4 cm with its middle at x.
fn bar(system: &mut System, name: &str, x: f64) -> BodyId {
    let mesh = Mesh::block([0.1, 0.02, 0.02]).expect("a mesh").moved([x, 0.0, 1.0]);
    system.add_rigid(name, &mesh, 1000.0, 0.3).expect("a body")
}

/// A chain of bars with hinges along y, from the world; its end falls on a post.
#[test]
fn hinges_hold_while_bars_collide() {
    let mut system = System::new(Settings::default()).expect("settings");
    let post = Mesh::block([0.05, 0.2, 0.3]).expect("a mesh").moved([0.3, 0.0, 0.5]);
    system.add_fixed("post", &post, 0.3).expect("a body");
    let mut last = None;
    let mut bars = Vec::new();
    for k in 0..4 {
        let x = 0.1 + 0.21 * k as f64;
        let id = bar(&mut system, &format!("bar{k}"), x);
        let at = x - 0.105;
        let points = [[at, -0.02, 1.0], [at, 0.02, 1.0]];
        system.join_points(last, Some(id), &points).expect("a hinge");
        if let Some(before) = last {
            system.set_pair(before, id, None).expect("a pair");
            // The same once more changes nothing.
            system.join_points(last, Some(id), &points).expect("a hinge");
        }
        last = Some(id);
        bars.push(id);
    }
    for k in 0..60 {
        let report = system.step(0.01).expect("a step");
        assert!(report.converged(), "{k}: {report:?}");
        assert!(system.joint_gap() < 1e-12, "{k}: {}", system.joint_gap());
        assert_eq!(system.intersection(), None, "{k}");
    }
    let touched = bars.iter().any(|&b| system.contact_force(b).expect("a force")[2].abs() > 1e-3);
    assert!(touched, "nothing met the post");
    // It swings in the plane of x and z.
    for id in bars {
        assert!(system.position(id).expect("a place")[1].abs() < 1e-6);
    }
}

/// A bob on a ball joint falls as a pendulum does: energy is lost by implicit Euler alone, and the rod has its length.
#[test]
fn a_pendulum_has_its_period() {
    let settings = Settings { gravity: [0.0, 0.0, -9.81], ..Settings::default() };
    let mut system = System::new(settings).expect("settings");
    let unit = |x: f64| [[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x]];
    let weight = Weight { mass: 2.0, centre: [0.05, 0.0, -1.0], inertia: unit(1e-3) };
    let bob = system.add_weighted("bob", &[], &weight, 0.0).expect("a body");
    system.join_points(None, Some(bob), &[[0.0; 3]]).expect("a joint");
    let (h, mut crossings, mut last) = (1e-3, Vec::new(), 0.05);
    for k in 0..2500 {
        assert!(system.step(h).expect("a step").converged());
        let p = system.position(bob).expect("a place");
        if last > 0.0 && p[0] <= 0.0 || last < 0.0 && p[0] >= 0.0 {
            crossings.push(f64::from(k) * h);
        }
        last = p[0];
        let length: f64 = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Affine bodies are not quite rigid: a pull F at the arm L stretches by F L/(8kV), here 1.2e-5.
        assert!((length - weight.centre.iter().map(|x| x * x).sum::<f64>().sqrt()).abs() < 2e-5);
    }
    let l2 = 1.0 + 0.05_f64.powi(2);
    let period = std::f64::consts::TAU * ((l2 + 1e-3 / 2.0) / (9.81 * l2.sqrt())).sqrt();
    let found = 2.0 * (crossings[1] - crossings[0]);
    assert!((found / period - 1.0).abs() < 3e-3, "{found} for {period}");
}

/// Welded to the world it stays; a force in the next step moves what is free.
#[test]
fn welds_hold_and_pushes_push() {
    let settings = Settings { gravity: [0.0; 3], ..Settings::default() };
    let mut system = System::new(settings).expect("settings");
    let (held, free) = (bar(&mut system, "held", 0.0), bar(&mut system, "free", 0.5));
    let corners = [[0.0, 0.0, 1.0], [0.1, 0.0, 1.0], [0.0, 0.1, 1.0], [0.0, 0.0, 1.1]];
    system.join_points(None, Some(held), &corners).expect("a weld");
    let mass = system.mass(free).expect("a mass");
    for _ in 0..10 {
        for id in [held, free] {
            system.push(id, [0.0, mass, 0.0], [0.0, 0.0, 1e-3]).expect("a push");
        }
        assert!(system.step(0.01).expect("a step").converged());
    }
    assert!(system.velocity(held).expect("held").iter().all(|v| v.abs() < 1e-9));
    assert!((system.velocity(free).expect("free")[1] - 0.1).abs() < 1e-9);
    let inertia = mass / 12.0 * (0.2 * 0.2 + 0.04 * 0.04);
    let spin = system.angular_velocity(free).expect("free")[2];
    assert!((spin / (0.1 * 1e-3 / inertia) - 1.0).abs() < 1e-3, "{spin}");
}

#[test]
fn joints_need_a_body_that_moves_and_inertia_is_that_of_a_solid() {
    let mut system = System::new(Settings::default()).expect("settings");
    let ground = system.add_fixed("ground", &Mesh::ground(1.0).expect("a mesh"), 0.5).expect("it");
    let joined = system.join_points(None, Some(ground), &[[0.0; 3]]);
    assert!(matches!(joined, Err(Error::Body(..))), "{joined:?}");
    let inertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]];
    let weight = Weight { mass: 1.0, centre: [0.0; 3], inertia };
    let added = system.add_weighted("odd", &[], &weight, 0.5);
    assert!(added.is_err_and(|e| e.to_string().contains("inertia")));
}
