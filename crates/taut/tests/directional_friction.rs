//! Friction that depends on the direction, and torsion in the cone, against equations of motion.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use taut::math::{Mat3, Quat, Vec3};
use taut::{Anisotropy, Body, BodyId, Cell, FrictionMode, Material, Shape, Texture, World};

const H: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn at_angle(angle: f64) -> Vec3 {
    Vec3::new(angle.cos(), angle.sin(), 0.0)
}

fn material(mu: f64, anisotropy: Option<Anisotropy>) -> Material {
    Material { friction: mu, anisotropy, ..Material::default() }
}

/// A block on a plane z = 0, with gravity as given.
fn block_on_plane(
    gravity: Vec3,
    friction: FrictionMode,
    plane: Material,
    block: Material,
    turned: f64,
    velocity: Vec3,
) -> (World, BodyId) {
    let mut world = World::new();
    world.settings_mut().friction = friction;
    let id = put_block(&mut world, gravity, plane, block, turned);
    world.set_velocity(id, velocity, Vec3::ZERO).expect("a block");
    (world, id)
}

fn put_block(
    world: &mut World,
    gravity: Vec3,
    plane: Material,
    block: Material,
    turned: f64,
) -> BodyId {
    world.set_gravity(gravity).expect("finite");
    let ground = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z }).material(plane);
    world.add_body(ground).expect("plane");
    let half_extents = Vec3::new(0.3, 0.2, 0.01);
    let body = Body::dynamic("block").shape(Shape::Box { half_extents }).mass(2.0);
    let body = body.position(0.01 * Vec3::Z).orientation(Quat::from_rotation_z(turned));
    world.add_body(body.material(block)).expect("block")
}

fn step(world: &mut World) {
    let report = world.step(H).expect("step");
    assert!(report.converged() && !report.gained_energy(), "{report:?}");
}

/// Gravity that makes a block slide from rest along `path` with acceleration `a` on a plane,
/// where friction is `force` (per normal force) for that path: s = a v̂ − g f.
fn slope(path: Vec3, a: f64, force: Vec3) -> Vec3 {
    a * path - G * force - G * Vec3::Z
}

/// The force of an elliptic cone per normal force, with `mu` along and across `axis`.
fn elliptic(path: Vec3, axis: Vec3, mu: [f64; 2]) -> Vec3 {
    let t = [axis, Vec3::Z.cross(axis)];
    let z = [0, 1].map(|k| mu[k] * path.dot(t[k]));
    -(t[0] * mu[0] * z[0] + t[1] * mu[1] * z[1]) / z[0].hypot(z[1])
}

/// Slides a second from rest, and compares path and speed with the closed form.
fn assert_slides(mut world: World, block: BodyId, path: Vec3, a: f64) {
    let start = world.body(block).expect("block").position();
    for _ in 0..60 {
        step(&mut world);
    }
    let body = world.body(block).expect("block");
    let moved = body.position() - start;
    let drift = path.cross(moved).z.atan2(path.dot(moved));
    assert!(drift.abs() < 1e-6, "drifts by {drift} rad from {path}");
    assert!((moved.length() / (0.5 * a) - 1.0).abs() < 1e-6, "{moved} at {a} m/s²");
    assert!((body.velocity() - a * path).length() < 1e-6, "{}", body.velocity());
}

/// On a slope a block with an elliptic cone leaves the line of steepest descent, by an angle
/// that the equation of motion gives.
#[test]
fn elliptic_friction_leads_off_the_slope() {
    let (axis, mu, a) = (at_angle(0.4), [0.15_f64, 0.6], 0.5);
    // A pair has the geometric mean, here with 1.
    let [along, across] = mu.map(|mu| mu * mu);
    let grain = material(0.9, Some(Anisotropy::Elliptic { direction: axis, along, across }));
    for k in 0..12 {
        let path = at_angle(f64::from(k) * TAU / 12.0 + 0.05);
        let gravity = slope(path, a, elliptic(path, axis, mu));
        let smooth = material(1.0, None);
        let still = Vec3::ZERO;
        let (world, block) = block_on_plane(gravity, FrictionMode::Cone, grain, smooth, 0.3, still);
        assert_slides(world, block, path, a);
    }
}

/// Structure on both sides, at 0°, 45° and 90° (Andrews22 alg. 21).
#[test]
fn matchsticks_slide_as_their_angle_says() {
    let (own, mu, a) = ([0.1, 0.7], 0.4, 0.6);
    let grain = Anisotropy::Elliptic { direction: Vec3::X, along: own[0], across: own[1] };
    for (turned, d) in [(0.0, 1.0), (FRAC_PI_4, 0.5), (FRAC_PI_2, 0.0), (-FRAC_PI_4, 0.5)] {
        let pair = own.map(|own| d * own + (1.0 - d) * mu);
        for k in 0..4 {
            let path = at_angle(0.7 + f64::from(k) * FRAC_PI_2);
            let gravity = slope(path, a, elliptic(path, at_angle(0.5 * turned), pair));
            let surface = material(mu, Some(grain));
            let (world, block) =
                block_on_plane(gravity, FrictionMode::Cone, surface, surface, turned, Vec3::ZERO);
            assert_slides(world, block, path, a);
        }
    }
}

/// A pair has its own coefficients, whatever its materials have; its directions turn with bodies of
/// the surface that was named first, whichever that is.
#[test]
fn pairs_have_coefficients_of_their_own() {
    let (mu, a, turned) = ([0.15, 0.6], 0.5, 0.3);
    let fur = Anisotropy::Tensor { direction: Vec3::X, forward: 0.2, backward: 0.7, sideways: 0.4 };
    let grain = Anisotropy::Elliptic { direction: Vec3::X, along: mu[0], across: mu[1] };
    for (k, of_block) in [(0, false), (1, true), (2, false), (3, true)] {
        let path = at_angle(0.05 + 1.3 * f64::from(k));
        let axis = at_angle(if of_block { turned } else { 0.0 });
        for anisotropy in [None, Some(grain), Some(fur)] {
            // What slides over the plane along the path sees the plane slide over it the other way.
            let over = if of_block { -path } else { path };
            let tensor = [if over.dot(axis) > 0.0 { 0.2 } else { 0.7 }, 0.4];
            let along = axis * axis.dot(path);
            let force = match anisotropy {
                None => -0.35 * path,
                Some(Anisotropy::Elliptic { .. }) => elliptic(path, axis, mu),
                Some(_) => -(tensor[0] * along + tensor[1] * (path - along)),
            };
            let mut world = World::new();
            let (rail, sledge) = (world.surface("rail"), world.surface("sledge"));
            let pair = Material { friction: 0.35, anisotropy, ..Material::default() };
            let named = |surface| Material { friction: 0.9, surface: Some(surface), ..pair };
            let (first, second) = if of_block { (sledge, rail) } else { (rail, sledge) };
            world.set_pair(first, second, pair).expect("known");
            let gravity = slope(path, a, force);
            let (plane, block) = (named(rail), named(sledge));
            let id = put_block(&mut world, gravity, plane, block, turned);
            assert_slides(world, id, path, a);
        }
    }
    let mut world = World::new();
    let steel = world.surface("steel");
    assert_eq!(world.surface("steel"), steel);
    let other = (0..3).map(|k| world.surface(&format!("other{k}"))).last().expect("one");
    assert!(World::new().set_pair(steel, other, Material::default()).is_err());
}

/// f = −L v̂ with L = ½(Q + μ), Q diagonal and other forward than backward; no law of maximum
/// dissipation.
#[test]
fn tensors_slide_as_their_law_says() {
    let (axis, mu, a) = (at_angle(-0.3), 0.2, 0.5);
    let scales = Anisotropy::Tensor { direction: axis, forward: 0.2, backward: 0.8, sideways: 0.5 };
    for k in 0..16 {
        let path = at_angle(f64::from(k) * TAU / 16.0 + 0.1);
        let (along, across) = (path.dot(axis), path.dot(Vec3::Z.cross(axis)));
        let q = if along >= 0.0 { 0.2 } else { 0.8 };
        let force = -0.5 * ((q + mu) * along * axis + (0.5 + mu) * across * Vec3::Z.cross(axis));
        let gravity = slope(path, a, force);
        let (plane, block) = (material(0.9, Some(scales)), material(mu, None));
        let (world, block) =
            block_on_plane(gravity, FrictionMode::Cone, plane, block, 0.3, Vec3::ZERO);
        assert_slides(world, block, path, a);
    }
}

/// What holds in one direction slides in the other, with cones and with boxes.
#[test]
fn scales_hold_backward_only() {
    let scales =
        |direction| Anisotropy::Tensor { direction, forward: 0.1, backward: 0.9, sideways: 0.9 };
    let boxes = FrictionMode::Iterated { max_passes: 10, tolerance: 1e-6, required: false };
    for friction in [FrictionMode::Cone, boxes] {
        for (way, slides) in [(1.0, true), (-1.0, false)] {
            let gravity = Vec3::new(way * 0.3 * G, 0.0, -G);
            let surface = material(0.1, Some(scales(Vec3::X)));
            let other = material(0.1, None);
            let (mut world, block) =
                block_on_plane(gravity, friction, surface, other, 0.2, Vec3::ZERO);
            (0..60).for_each(|_| step(&mut world));
            let body = world.body(block).expect("block");
            let expected = if slides { (0.3 - 0.1) * G } else { 0.0 };
            assert!((body.velocity().x - expected).abs() < 1e-5, "{}", body.velocity());
        }
    }
}

/// Along its axes the box has the coefficients of the ellipse.
#[test]
fn boxes_along_the_axes() {
    let axis = at_angle(0.6);
    let grain = Anisotropy::Elliptic { direction: axis, along: 0.04, across: 0.25 };
    let boxes = FrictionMode::Iterated { max_passes: 10, tolerance: 1e-6, required: false };
    for (along, mu) in [(axis, 0.2), (Vec3::Z.cross(axis), 0.5)] {
        let (plane, block) = (material(0.9, Some(grain)), material(1.0, None));
        let (mut world, block) =
            block_on_plane(-G * Vec3::Z, boxes, plane, block, 0.0, 4.0 * along);
        (0..30).for_each(|_| step(&mut world));
        let v = world.body(block).expect("block").velocity();
        assert!((v - (4.0 - 0.5 * mu * G) * along).length() < 1e-6, "{v}");
    }
}

/// Stripes of ice and of sand: what a ball-footed sledge loses on each.
#[test]
fn textures_are_where_they_should_be() {
    let mut world = World::new();
    world.settings_mut().friction = FrictionMode::Cone;
    let cell = |along: f64| Cell { angle: FRAC_PI_2, along: 0.9, across: along * along };
    let texture = world.add_texture(Texture {
        origin: Vec3::ZERO,
        edges: [2.0 * Vec3::X, Vec3::Y],
        columns: 2,
        cells: vec![cell(0.05), cell(0.45)],
    });
    let anisotropy = Some(Anisotropy::Texture { id: texture.expect("sound") });
    let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane.material(material(0.9, anisotropy))).expect("plane");
    let foot = Body::dynamic("sledge").shape(Shape::Ball { radius: 0.01 }).mass(1.0);
    let foot = foot.position(0.01 * Vec3::Z).velocity(4.0 * Vec3::X);
    // It does not roll.
    let foot = foot.inertia(Mat3::from_diagonal(1e9 * Vec3::ONE)).material(material(1.0, None));
    let foot = world.add_body(foot).expect("sledge");
    let mut before = 0.0;
    let mut energy = 8.0;
    for _ in 0..120 {
        step(&mut world);
        let body = world.body(foot).expect("sledge");
        let (x, v) = (body.position().x, body.velocity().x);
        // A step belongs to the stripe in which it begins.
        let mu = if (before - 2.0 * (before / 2.0_f64).floor()) < 1.0 { 0.05 } else { 0.45 };
        energy -= mu * 9.81 * (x - before);
        if v < 1e-6 {
            break; // the step in which it stops ends before its end
        }
        assert!((0.5 * v * v - energy).abs() < 1e-6, "{x} m: {v} m/s, {energy} J");
        before = x;
    }
    assert!(before > 2.5, "{before}");
    assert!(world.add_body(Body::fixed("p").shape(Shape::Ball { radius: 1.0 })).is_ok());
    let foreign = World::new().add_body(
        Body::fixed("p").shape(Shape::Ball { radius: 1.0 }).material(material(0.5, anisotropy)),
    );
    assert!(foreign.expect_err("not its texture").to_string().contains("texture"));
}

/// Snapshots keep all of it.
#[test]
fn snapshots_continue_to_the_same_bits() {
    let scales =
        Anisotropy::Tensor { direction: Vec3::X, forward: 0.1, backward: 0.9, sideways: 0.5 };
    let grain = Anisotropy::Elliptic { direction: Vec3::Y, along: 0.1, across: 0.5 };
    let plane = Material { torsional_friction: 0.02, ..material(0.5, Some(scales)) };
    let start = Vec3::new(1.0, 2.0, 0.0);
    let (mut world, block) = block_on_plane(
        -G * Vec3::Z,
        FrictionMode::Cone,
        plane,
        material(0.4, Some(grain)),
        0.4,
        start,
    );
    (0..10).for_each(|_| step(&mut world));
    let mut copy = World::restore(&world.snapshot()).expect("snapshot");
    for _ in 0..10 {
        step(&mut world);
        step(&mut copy);
    }
    let (a, b) = (world.body(block).expect("a"), copy.body(block).expect("b"));
    assert_eq!((a.position(), a.velocity()), (b.position(), b.velocity()));
}

/// v and ω of a body on points with torsion, by the equations of motion in short steps: where it
/// stops, how far it turns, and when it ends.
fn spin_down(
    mut v: Vec3,
    mut w: f64,
    (mass, inertia): (f64, f64),
    (mu, torsion): (f64, f64),
    points: &[Vec3],
) -> (Vec3, f64, f64) {
    let (mut x, mut angle, dt) = (Vec3::ZERO, 0.0, 2e-5);
    let first = [v.length(), w.abs()];
    let mut t = 0.0;
    while v.length() > 1e-4 * first[0] || w.abs() > 1e-4 * first[1] {
        let (mut force, mut torque) = (Vec3::ZERO, 0.0);
        let load = mass * G / points.len() as f64;
        for p in points {
            let r = Quat::from_rotation_z(angle) * *p;
            let slip = v + w * Vec3::Z.cross(r);
            let z = (mu * slip.length()).hypot(torsion * w).max(1e-7);
            let f = -load * mu * mu * slip / z;
            force += f;
            torque += r.cross(f).z - load * torsion * torsion * w / z;
        }
        v += dt * force / mass;
        w += dt * torque / inertia;
        x += dt * v;
        angle += dt * w;
        t += dt;
        assert!(t < 10.0, "{v} {w}");
    }
    (x, angle, t)
}

/// Coulomb and Contensou: what spins slides farther, what slides spins longer, and both end
/// together.
#[test]
fn a_spinning_disc_stops_sliding_and_spinning_together() {
    let (mu, torsion, mass, inertia) = (0.3, 0.05, 2.0, 0.02);
    let (v, w) = (Vec3::new(1.5, 0.0, 0.0), 30.0);
    let mut world = World::new();
    world.set_gravity(-G * Vec3::Z).expect("finite");
    world.settings_mut().friction = FrictionMode::Cone;
    let surface = Material { torsional_friction: torsion, ..material(mu, None) };
    let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane.material(surface)).expect("plane");
    // One point, and a body that stays upright.
    let disc = Body::dynamic("disc").shape(Shape::Ball { radius: 0.01 }).mass(mass);
    let disc = disc.inertia(Mat3::from_diagonal(Vec3::new(1e9, 1e9, inertia)));
    let disc = disc.position(0.01 * Vec3::Z).velocity(v).angular_velocity(w * Vec3::Z);
    let disc = world.add_body(disc.material(surface)).expect("disc");
    let (x, angle, end) = spin_down(v, w, (mass, inertia), (mu, torsion), &[Vec3::ZERO]);
    let (mut turned, mut found) = (0.0, [0.0; 2]);
    let mut last = w;
    for n in 1..=120 {
        step(&mut world);
        let body = world.body(disc).expect("disc");
        turned += 0.5 * H * (last + body.angular_velocity().z);
        last = body.angular_velocity().z;
        for c in world.contacts() {
            let (f, t) = (c.friction.length() / mu, c.torque.z / torsion);
            assert!(f.hypot(t) <= c.normal_force * (1.0 + 1e-7), "{f} {t} {}", c.normal_force);
        }
        if body.velocity().length() > 1e-6 * v.length() {
            found[0] = f64::from(n) * H;
        }
        if last.abs() > 1e-9 * w {
            found[1] = f64::from(n) * H;
        }
    }
    let body = world.body(disc).expect("disc");
    assert!(body.velocity().length() < 1e-6 && last.abs() < 1e-6, "{} {last}", body.velocity());
    assert!((body.position().x / x.x - 1.0).abs() < 0.01, "{} not {x}", body.position());
    assert!((turned / angle - 1.0).abs() < 0.01, "{turned} rad, not {angle}");
    assert!((found[0] - found[1]).abs() <= 2.0 * H, "{found:?}");
    assert!((found[0] - end).abs() <= 2.0 * H, "{found:?} {end}");
    // Without torsion it stops at v²/2μg.
    assert!(body.position().x > 1.1 * v.length_squared() / (2.0 * mu * G));
}

/// The same with four corners, each with torsion, and short steps that converge.
#[test]
fn a_plate_with_torsion_at_its_corners() {
    let (mu, torsion, mass, half) = (0.3, 0.1, 10.0, 0.3);
    let (v, w) = (Vec3::new(1.5, 0.8, 0.0), 8.0);
    let mut world = World::new();
    world.set_gravity(-G * Vec3::Z).expect("finite");
    world.settings_mut().friction = FrictionMode::Cone;
    let surface = Material { torsional_friction: torsion, ..material(mu, None) };
    let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane.material(surface)).expect("plane");
    let shape = Shape::Box { half_extents: Vec3::new(half, half, 5e-4) };
    let plate = Body::dynamic("plate").shape(shape).mass(mass).position(5e-4 * Vec3::Z);
    let plate = plate.velocity(v).angular_velocity(w * Vec3::Z).material(surface);
    let plate = world.add_body(plate).expect("plate");
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        .map(|(a, b)| Vec3::new(a * half, b * half, 0.0));
    let inertia = mass * 2.0 * half * half / 3.0;
    let (x, _, _) = spin_down(v, w, (mass, inertia), (mu, torsion), &corners);
    (0..120).for_each(|_| step(&mut world));
    let body = world.body(plate).expect("plate");
    let missed = (body.position() - x).truncate().length() / x.length();
    assert!(missed < 0.01, "{} instead of {x}", body.position());
    assert!(body.velocity().length() < 1e-6, "{}", body.velocity());
}
