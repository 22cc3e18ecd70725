//! Steps against closed forms: weight, friction on slopes, soft bodies, errors, the same bits twice.

use taut_barrier::{Error, Mesh, Settings, Status, System};
use taut_soft::{Mass, Material, Model, Solid};

fn ground(settings: Settings) -> System {
    let mut system = System::new(settings).expect("settings");
    system.add_fixed("ground", &Mesh::ground(5.0).expect("a mesh"), 0.5).expect("a body");
    system
}

fn block(half: [f64; 3], at: [f64; 3]) -> Mesh {
    Mesh::block(half).expect("a mesh").moved(at)
}

/// At rest the normal force is the weight.
#[test]
fn normal_force_is_weight() {
    let mut system = ground(Settings { tolerance: 1e-9, ..Settings::default() });
    let cube = system
        .add_rigid("cube", &block([0.1; 3], [0.0, 0.0, 0.1008]), 1000.0, 0.5)
        .expect("a body");
    for _ in 0..150 {
        let report = system.step(0.01).expect("a step");
        assert!(report.converged() && report.gap > 0.0 && report.gap < 1e-3, "{report:?}");
        assert!(system.intersection().is_none());
    }
    let weight = system.mass(cube).expect("a body") * 9.81;
    let force = system.contact_force(cube).expect("a body");
    assert!((weight - 8.0 * 9.81).abs() < 1e-9);
    assert!((force[2] / weight - 1.0).abs() < 1e-6, "{force:?} {weight}");
    assert!(force[0].abs() < 1e-6 * weight && force[1].abs() < 1e-6 * weight);
}

/// A flat block on a slope of this share of the friction angle: its speed after 0.5 and 1 s, and the angle.
fn slope(share: f64, creep: f64) -> ([f64; 2], f64) {
    let angle = share * 0.5_f64.atan();
    let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
    let settings = Settings { gravity, creep, tolerance: 1e-8, ..Settings::default() };
    let mut system = ground(settings);
    // Not on the diagonal of the ground: pairs come and go there, and with them the law.
    let body = block([0.2, 0.2, 0.05], [0.0, 1.0, 0.0509]);
    let body = system.add_rigid("block", &body, 1000.0, 0.5).expect("a body");
    let speeds = [0, 1].map(|_| {
        for _ in 0..50 {
            assert!(system.step(0.01).expect("a step").converged());
        }
        system.velocity(body).expect("a body")[0]
    });
    (speeds, angle)
}

#[test]
fn below_the_friction_angle_it_creeps_by_the_known_law() {
    for share in [0.5, 0.95] {
        let ([_, speed], angle) = slope(share, 1e-3);
        let load = angle.tan() / 0.5;
        let law = (1.0 - (1.0 - load).sqrt()) * 1e-3;
        assert!((speed / law - 1.0).abs() < 0.01, "{share}: {speed} for {law}");
        assert!(speed < 1e-3);
    }
}

#[test]
fn above_the_friction_angle_it_slides() {
    let ([half, whole], angle) = slope(1.02, 1e-3);
    let law = 0.5 * 9.81 * (angle.sin() - 0.5 * angle.cos());
    assert!(half > 1e-2 && ((whole - half) / law - 1.0).abs() < 1e-3, "{half} {whole} for {law}");
}

#[test]
fn soft_bodies_rest_and_touch_rigid_ones() {
    let mut system = ground(Settings { tolerance: 1e-7, ..Settings::default() });
    let mesh = taut_soft::Mesh::block([0.2; 3], [2, 2, 2]).expect("a mesh").moved([0.0, 0.0, 9e-4]);
    let rubber = Material::new(Model::StableNeoHookean, 2e5, 0.3).expect("a material");
    let solid = Solid::new(mesh, rubber, 1000.0, Mass::Lumped).expect("a solid");
    let soft = system.add_soft("soft", solid, 0.5).expect("a body");
    let plate = block([0.12, 0.12, 0.02], [0.1, 0.1, 0.2220]);
    let plate = system.add_rigid("plate", &plate, 2000.0, 0.5).expect("a body");
    let mut report = None;
    for _ in 0..120 {
        let step = system.step(0.02).expect("a step");
        assert!(step.converged(), "{step:?}");
        assert!(system.intersection().is_none());
        report = Some(step);
    }
    assert!(report.is_some_and(|r| r.contacts > 8));
    let [soft_mass, plate_mass] = [soft, plate].map(|b| system.mass(b).expect("a body"));
    assert!((soft_mass - 8.0).abs() < 1e-9);
    let below = -system.contact_force(0).expect("the ground")[2];
    let above = system.contact_force(plate).expect("a body")[2];
    assert!((below / (9.81 * (soft_mass + plate_mass)) - 1.0).abs() < 1e-4, "{below}");
    assert!((above / (9.81 * plate_mass) - 1.0).abs() < 1e-4, "{above}");
    let height = system.position(plate).expect("a body")[2];
    // 0.22 m, less what the cube gives, more two gaps.
    assert!(height > 0.217 && height < 0.2205, "{height}");
}

/// A plate driven down onto a cube pushes no further than nothing gives way; across, it carries it along.
#[test]
fn kinematic_bodies_get_where_they_are_told() {
    let mut system = ground(Settings::default());
    system.add_rigid("cube", &block([0.1; 3], [0.0, 0.0, 0.1009]), 1000.0, 0.5).expect("a body");
    let pusher = block([0.05, 0.3, 0.05], [-0.2, 0.0, 0.1]);
    let pusher = system.add_kinematic("pusher", &pusher, 0.0).expect("a body");
    system.set_velocity(pusher, [0.5, 0.0, 0.0], [0.0; 3]).expect("a velocity");
    for k in 1..=60 {
        let report = system.step(0.01).expect("a step");
        assert!(report.converged() && report.behind <= 1e-5, "{report:?}");
        assert!(system.intersection().is_none());
        let x = system.position(pusher).expect("a body")[0];
        assert!((x - (0.005 * f64::from(k) - 0.2)).abs() < 1e-4, "{k} {x}");
    }
    let cube = system.position(1).expect("a body");
    // 0.3 m from -0.2, half a width of each, a gap within the reach.
    assert!(cube[0] > 0.25 && cube[0] < 0.252, "{cube:?}");
    assert!(system.contact_force(1).expect("a body")[0].abs() < 0.1, "pushed and held back alike");
}

#[test]
fn the_cap_is_said() {
    let mut system = ground(Settings { max_iterations: 1, ..Settings::default() });
    let cube = block([0.1; 3], [0.0, 0.0, 0.101]);
    let cube = system.add_rigid("cube", &cube, 1000.0, 0.5).expect("a body");
    system.set_velocity(cube, [0.0, 0.0, -5.0], [3.0, 0.0, 0.0]).expect("a velocity");
    let mut seen = 0;
    let report = system.step_with(0.01, |p| {
        assert!(p.taken > 0.0 && p.taken <= p.free && p.free <= 1.0);
        seen += 1;
    });
    let report = report.expect("a step");
    assert_eq!((report.status, report.iterations, seen), (Status::IterationLimit, 1, 1));
    assert!(system.intersection().is_none());
}

#[test]
fn mistakes_are_named() {
    let settings = Settings::default;
    let mesh = |v: &[[f64; 3]], t: &[[u32; 3]]| Mesh::new(v.to_vec(), t.to_vec());
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    assert!(mesh(&corners, &faces).is_ok());
    let message = |e: Result<Mesh, Error>| e.map_err(|e| e.to_string()).expect_err("an error");
    assert!(message(mesh(&corners, &faces[..3])).contains("open"));
    let twice = [faces.as_slice(), &faces[..1]].concat();
    assert!(message(mesh(&corners, &twice)).contains("not a manifold"));
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(message(mesh(&flat, &faces)).contains("no area"));
    assert!(message(Mesh::open(flat.to_vec(), faces.to_vec())).contains("no area"));

    // Open meshes are for fixed bodies.
    let mut system = System::new(settings()).expect("settings");
    let open = Mesh::ground(1.0).expect("a mesh");
    let refused = system.add_rigid("sheet", &open, 1000.0, 0.5).expect_err("open");
    assert!(refused.to_string().contains("open"), "{refused}");

    // Intersecting, and touching.
    for z in [0.05, 0.1] {
        let mut system = ground(settings());
        system.add_rigid("cube", &block([0.1; 3], [0.0, 0.0, z]), 1000.0, 0.5).expect("a body");
        let refused = system.step(0.01).expect_err("no gap").to_string();
        assert!(refused.contains("cube") && refused.contains("ground"), "{refused}");
        assert!(refused.contains("intersect or touch"), "{refused}");
    }

    // d̂ larger than what a soft body is made of.
    let mut system = System::new(Settings { reach: 0.2, ..settings() }).expect("settings");
    let mesh = taut_soft::Mesh::block([0.2; 3], [2, 2, 2]).expect("a mesh");
    let rubber = Material::new(Model::Corotational, 1e5, 0.3).expect("a material");
    system
        .add_soft("soft", Solid::new(mesh, rubber, 1000.0, Mass::Lumped).expect("a solid"), 0.5)
        .expect("a body");
    let refused = system.step(0.01).expect_err("reach");
    assert!(
        matches!(refused, Error::Reach { .. }) && refused.to_string().contains("soft"),
        "{refused}"
    );

    for bad in [
        Settings { reach: 0.0, ..settings() },
        Settings { creep: -1.0, ..settings() },
        Settings { tolerance: f64::NAN, ..settings() },
        Settings { max_iterations: 0, ..settings() },
    ] {
        assert!(System::new(bad).is_err());
    }
    assert!(ground(settings()).step(0.0).is_err());
    assert!(ground(settings()).position(0).is_err(), "fixed bodies have no frame");
    assert!(ground(settings()).position(9).is_err());
}

#[test]
fn the_same_bits_twice() {
    let run = || {
        let mut system = taut_barrier::scenes::named("spike-on-wedge", Settings::default())
            .expect("a scene")
            .expect("it builds");
        for _ in 0..20 {
            let _ = system.step(0.01).expect("a step");
        }
        (0..system.len()).filter_map(|b| system.places(b).ok()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
