//! Friction with a direction, torsion and rolling where several things happen at once: against
//! equations of motion in short steps, closed forms, and energy.

use taut::math::{Mat3, Quat, Vec3};
use taut::{Anisotropy, Body, BodyId, FrictionMode, Integrator, Material, Shape, World};

const H: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn world(friction: FrictionMode) -> World {
    let mut world = World::new();
    world.set_gravity(-G * Vec3::Z).expect("finite");
    world.settings_mut().friction = friction;
    world
}

fn plane(world: &mut World, material: Material) {
    let body = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(body.material(material)).expect("plane");
}

fn step(world: &mut World, h: f64) {
    let report = world.step(h).expect("step");
    assert!(report.converged() && !report.gained_energy(), "{report:?}");
}

fn grain(along: f64, across: f64) -> Option<Anisotropy> {
    Some(Anisotropy::Elliptic { direction: Vec3::X, along, across })
}

/// A board whose grain turns with it: it runs straight along itself, not across. Four corners, each
/// with an ellipse fixed to the board.
#[test]
fn a_board_that_turns_takes_its_grain_along() {
    let (mass, half, mu) = (4.0, [0.4, 0.1], [0.1_f64, 0.5]);
    let (v0, w0) = (Vec3::new(3.0, 1.0, 0.0), 1.5);
    let [along, across] = mu.map(|mu| mu * mu);
    let board = Material { friction: 0.5, anisotropy: grain(along, across), ..Material::default() };
    let (mut v, mut w, mut x, mut angle) = (v0, w0, Vec3::ZERO, 0.0);
    let (dt, inertia) = (1e-5, mass * (half[0] * half[0] + half[1] * half[1]) / 3.0);
    for _ in 0..60_000 {
        let (mut force, mut torque) = (Vec3::ZERO, 0.0);
        let q = Quat::from_rotation_z(angle);
        let axes = [q * Vec3::X, q * Vec3::Y];
        for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let r = q * Vec3::new(a * half[0], b * half[1], 0.0);
            let slip = v + w * Vec3::Z.cross(r);
            let z = [0, 1].map(|k| mu[k] * slip.dot(axes[k]));
            let size = z[0].hypot(z[1]).max(1e-6);
            let f = -(mass * G / 4.0 / size) * (axes[0] * mu[0] * z[0] + axes[1] * mu[1] * z[1]);
            force += f;
            torque += r.cross(f).z;
        }
        v += dt * force / mass;
        w += dt * torque / inertia;
        x += dt * v;
        angle += dt * w;
    }
    let run = |parts: usize| {
        let mut world = world(FrictionMode::Cone);
        plane(&mut world, Material { friction: 1.0, ..Material::default() });
        let shape = Shape::Box { half_extents: Vec3::new(half[0], half[1], 1e-4) };
        let body = Body::dynamic("board").shape(shape).mass(mass).position(1e-4 * Vec3::Z);
        let body = body.velocity(v0).angular_velocity(w0 * Vec3::Z).material(board);
        let id = world.add_body(body).expect("board");
        (0..36 * parts).for_each(|_| step(&mut world, H / parts as f64));
        let body = world.body(id).expect("board");
        (body.position() - x).truncate().length() / x.length()
    };
    let (coarse, fine) = (run(1), run(4));
    assert!(coarse < 0.01, "{coarse}");
    assert!(fine < 0.5 * coarse || fine < 1e-3, "{coarse} {fine}");
}

/// Scales on a table that is shaken to and fro move what lies on it one way.
#[test]
fn scales_carry_a_load_along() {
    let (forward, backward, mu) = (0.1, 0.7, 0.3);
    let direction = Vec3::X;
    let scales = Anisotropy::Tensor { direction, forward, backward, sideways: 0.3 };
    let mut world = world(FrictionMode::Cone);
    let table =
        Body::kinematic("table").shape(Shape::Box { half_extents: Vec3::new(2.0, 2.0, 0.1) });
    let surface = Material { friction: 0.5, anisotropy: Some(scales), ..Material::default() };
    let table = world.add_body(table.position(-0.1 * Vec3::Z).material(surface)).expect("table");
    let load = Body::dynamic("load").shape(Shape::Box { half_extents: Vec3::new(0.1, 0.1, 0.02) });
    let load = load.mass(1.0).position(0.02 * Vec3::Z);
    let load = load.material(Material { friction: mu, ..Material::default() });
    let load = world.add_body(load).expect("load");
    let speed = |t: f64| 0.6 * (12.0 * t).sin();
    let (mut x, mut v, fine) = (0.0, 0.0, 400);
    for n in 0..240 {
        let t = f64::from(n) * H;
        let mean = (0..32).map(|k| speed(t + H * (f64::from(k) + 0.5) / 32.0)).sum::<f64>() / 32.0;
        world.set_velocity(table, mean * Vec3::X, Vec3::ZERO).expect("kinematic");
        step(&mut world, H);
        for k in 0..fine {
            let slip: f64 = v - speed(t + H * (f64::from(k) + 0.5) / f64::from(fine));
            let q = if slip >= 0.0 { forward } else { backward };
            let most = 0.5 * (q + mu) * G * H / f64::from(fine);
            v -= slip.clamp(-most, most);
            x += v * H / f64::from(fine);
        }
    }
    let found = world.body(load).expect("load").position();
    assert!(x > 0.5 && (found.x / x - 1.0).abs() < 0.02, "{found} instead of {x}");
    assert!(found.y.abs() < 1e-6, "{found}");
}

/// A ball that rolls and spins: rolling friction brakes the one, torsion the other.
#[test]
fn a_ball_that_rolls_and_spins() {
    let (radius, mass, v0, w0) = (0.1, 2.0, 1.0, 20.0);
    let (torsion, rolling) = (2e-3, 1e-3);
    let mut world = world(FrictionMode::Cone);
    let surface = Material {
        friction: 0.6,
        torsional_friction: torsion,
        rolling_friction: rolling,
        ..Material::default()
    };
    plane(&mut world, surface);
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius }).mass(mass);
    let rate = Vec3::new(0.0, v0 / radius, w0);
    let ball = ball.position(radius * Vec3::Z).velocity(v0 * Vec3::X).angular_velocity(rate);
    let ball = world.add_body(ball.material(surface)).expect("ball");
    (0..60).for_each(|_| step(&mut world, H));
    let body = world.body(ball).expect("ball");
    let inertia = 0.4 * mass * radius * radius;
    let spin = w0 - torsion * mass * G / inertia;
    let speed = v0 - rolling * G / (1.4 * radius);
    assert!((body.angular_velocity().z / spin - 1.0).abs() < 2e-3, "{}", body.angular_velocity());
    assert!((body.velocity().x / speed - 1.0).abs() < 2e-3, "{}", body.velocity());
    (0..1200).for_each(|_| step(&mut world, H));
    let body = world.body(ball).expect("ball");
    assert!(body.velocity().length() < 1e-6 && body.angular_velocity().length() < 1e-6);
}

/// Torsion at every contact of a heap: within the ellipsoid, and energy falls.
#[test]
fn a_heap_with_torsion() {
    for friction in [FrictionMode::Cone, FrictionMode::Ccp] {
        let (mu, torsion) = (0.5, 0.02);
        let surface = Material { friction: mu, torsional_friction: torsion, ..Material::default() };
        let mut world = world(friction);
        plane(&mut world, surface);
        for k in 0..12 {
            let q = Quat::from_scaled_axis(Vec3::new(f64::from(k), 0.7, 0.3 * f64::from(k)));
            let at = Vec3::new(
                0.3 * f64::from(k % 2),
                0.3 * f64::from(k / 2 % 2),
                0.35 * f64::from(1 + k / 4),
            );
            let shape = Shape::Box { half_extents: Vec3::new(0.12, 0.1, 0.08) };
            let stone = Body::dynamic(format!("stone {k}")).shape(shape).mass(3.0);
            let spin = Vec3::new(0.0, 0.0, f64::from(k));
            let stone = stone.position(at).orientation(q).angular_velocity(spin);
            world.add_body(stone.material(surface)).expect("stone");
        }
        for _ in 0..90 {
            let report = world.step(H).expect("step");
            assert!(report.converged() && report.contact_compliance <= 1e-3, "{report:?}");
            let most = world.contacts().map(|c| c.normal_force).fold(0.0, f64::max);
            for c in world.contacts() {
                let twist = c.torque.dot(c.normal) / torsion;
                let excess = (c.friction.length() / mu).hypot(twist) - c.normal_force;
                assert!(excess <= 1e-7 * most, "{excess} N of {most}");
            }
        }
    }
}

/// What slides along the axes meets the same friction whatever the step and the law.
#[test]
fn steps_and_laws_agree_along_the_axes() {
    let boxes = FrictionMode::Iterated { max_passes: 10, tolerance: 1e-6, required: false };
    let euler = Integrator::SemiImplicitEuler;
    let midpoint = Integrator::MoreauMidpoint;
    let scales = |along, back| {
        let (direction, forward, backward) = (Vec3::X, along, back);
        Some(Anisotropy::Tensor { direction, forward, backward, sideways: 0.4 })
    };
    for friction in [FrictionMode::Cone, boxes] {
        for integrator in [euler, midpoint, Integrator::EnergyMomentum] {
            for (anisotropy, other, along, mu) in [
                (grain(0.04, 0.25), 1.0, Vec3::X, 0.2),
                (grain(0.04, 0.25), 1.0, -Vec3::Y, 0.5),
                (scales(0.1, 0.7), 0.1, Vec3::X, 0.1),
                (scales(0.1, 0.7), 0.1, -Vec3::X, 0.4),
                (scales(0.1, 0.7), 0.1, Vec3::Y, 0.25),
            ] {
                let mut world = world(friction);
                world.settings_mut().integrator = integrator;
                plane(&mut world, Material { friction: 0.9, anisotropy, ..Material::default() });
                let shape = Shape::Box { half_extents: Vec3::new(0.3, 0.3, 1e-3) };
                let body = Body::dynamic("block").shape(shape).mass(1.0).position(1e-3 * Vec3::Z);
                let body = body.velocity(3.0 * along);
                let body = body.material(Material { friction: other, ..Material::default() });
                let id: BodyId = world.add_body(body).expect("block");
                for _ in 0..12 {
                    let report = world.step(H).expect("step");
                    assert!(report.converged(), "{report:?}");
                }
                let v = world.body(id).expect("block").velocity();
                let expected = 3.0 - mu * G * H * 12.0;
                let off = (v.dot(along) - expected).abs();
                assert!(off < 1e-6, "{friction:?} {integrator:?} {along}: {v}, {expected}");
                assert!(v.cross(along).z.abs() < 1e-6, "{friction:?} {integrator:?}: {v}");
            }
        }
    }
}

/// What spins on a slope slides down, however well friction would hold it: as fast as the ellipsoid
/// says.
#[test]
fn spinning_takes_the_grip_away() {
    let (mu, torsion, mass) = (0.5, 0.02, 1.0);
    let surface = Material { friction: mu, torsional_friction: torsion, ..Material::default() };
    let mut world = world(FrictionMode::Cone);
    // A slope that friction would hold without the spin: tan = 0.3 < 0.5.
    world.set_gravity(Vec3::new(0.3 * G, 0.0, -G)).expect("finite");
    plane(&mut world, surface);
    let top = Body::dynamic("top").shape(Shape::Ball { radius: 0.01 }).mass(mass);
    let top = top.inertia(Mat3::from_diagonal(Vec3::new(1e9, 1e9, 1e9)));
    let top = top.position(0.01 * Vec3::Z).angular_velocity(50.0 * Vec3::Z).material(surface);
    let top = world.add_body(top).expect("top");
    (0..600).for_each(|_| step(&mut world, H));
    // At 50 rad/s, which nothing slows: v grows to where μ²v/|z| = 0.3, z = (μv, μ_τω).
    let spin: f64 = torsion * 50.0;
    let share = 0.3 / mu;
    let creep = spin / mu * share / f64::sqrt(1.0 - share * share);
    let v = world.body(top).expect("top").velocity().x;
    assert!((v / creep - 1.0).abs() < 1e-3, "{v} m/s, not {creep}");
}
