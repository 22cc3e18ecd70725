//! Public functions that no other test calls, each against a closed form.

use taut::math::Vec3;
use taut::{Anisotropy, Body, Cell, Frame, Joint, Material, Motor, Shape, Texture, World};

const H: f64 = 1.0 / 60.0;

fn floating(mass: f64, inertia: [f64; 3]) -> (World, taut::BodyId) {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let body = Body::dynamic("body").mass(mass).box_inertia(inertia);
    let body = world.add_body(body).expect("a body");
    (world, body)
}

/// A force off the centre is that force and a torque; an angular impulse turns at once.
#[test]
fn forces_at_points_and_angular_impulses() {
    let (mut world, body) = floating(2.0, [1.0; 3]);
    let (mut other, same) = floating(2.0, [1.0; 3]);
    let (force, point) = (Vec3::new(0.0, 3.0, 0.0), Vec3::new(0.5, 0.0, 0.0));
    world.apply_force_at(body, force, point).expect("finite");
    other.apply_force(same, force).expect("finite");
    other.apply_torque(same, Vec3::Z * 1.5).expect("finite");
    let _ = world.step(H).expect("a step");
    let _ = other.step(H).expect("a step");
    let motion = |w: &World, id| w.body(id).map(|b| (b.velocity(), b.angular_velocity()));
    assert_eq!(motion(&world, body), motion(&other, same));
    let (v, w) = motion(&world, body).expect("a body");
    assert!((v.y - 1.5 * H).abs() < 1e-12 && w.z > 0.0, "{v} {w}");
    assert!(world.apply_force_at(body, force, Vec3::NAN).is_err());

    let (mut world, body) = floating(2.0, [1.0; 3]);
    let inertia = world.body(body).expect("a body").definition().inertia.expect("given").x_axis.x;
    world.apply_angular_impulse(body, Vec3::X * 0.3).expect("finite");
    let w = world.body(body).expect("a body").angular_velocity();
    assert!((w.x - 0.3 / inertia).abs() < 1e-12 && w.y == 0.0, "{w}");
}

/// Textures and surfaces of another world are refused, though that world counts them alike; those of a world are
/// valid in what its snapshot restores.
#[test]
fn textures_and_surfaces_are_of_one_world() {
    let cell = Cell { angle: 0.0, along: 0.1, across: 0.6 };
    let texture =
        || Texture { origin: Vec3::ZERO, edges: [Vec3::X, Vec3::Y], columns: 1, cells: vec![cell] };
    let (mut world, mut other) = (World::new(), World::new());
    let [own, foreign] = [&mut world, &mut other].map(|w| w.add_texture(texture()).expect("one"));
    let [ice, foreign_ice] = [&mut world, &mut other].map(|w| w.surface("ice"));
    assert!(own != foreign && own.index() == foreign.index());
    assert!(ice != foreign_ice && ice == world.surface("ice"));
    let block = |name: &str, id, surface| {
        let anisotropy = Some(Anisotropy::Texture { id });
        let material = Material { anisotropy, surface: Some(surface), ..Material::default() };
        let shape = Shape::Box { half_extents: Vec3::splat(0.1) };
        Body::dynamic(name).material(material).shape(shape)
    };
    for (id, surface, what) in [(foreign, ice, "texture"), (own, foreign_ice, "surface")] {
        let error = world.add_body(block("wrong", id, surface)).expect_err(what).to_string();
        assert!(error.contains(what), "{error}");
    }
    let pair = Material::default();
    assert!(world.set_pair(ice, foreign_ice, pair).is_err());
    let grained = Material { anisotropy: Some(Anisotropy::Texture { id: foreign }), ..pair };
    assert!(world.set_pair(ice, ice, grained).is_err());
    world.set_pair(ice, ice, pair).expect("its own");
    world.add_body(block("right", own, ice)).expect("its own");
    let bytes = world.snapshot();
    let mut restored = World::restore(&bytes).expect("a snapshot");
    assert_eq!(restored.snapshot(), bytes);
    restored.add_body(block("again", own, ice)).expect("ids stay valid");
    assert!(restored.add_body(block("wrong", foreign, ice)).is_err());
    other.load(&bytes).expect("a snapshot");
    other.add_body(block("loaded", foreign, foreign_ice)).expect("ids of that world stay valid");
    assert!(other.add_body(block("wrong", own, ice)).is_err());
}

/// A cylindrical joint has two coordinates: the angle is driven, limited and read on its own.
#[test]
fn the_angle_of_a_cylindrical_joint() {
    let (mut world, body) = floating(1.0, [1.0; 3]);
    let joint = Joint::cylindrical("screw", Frame::World, body)
        .axis_a(Vec3::Z)
        .angle_motor(Motor::velocity(0.0, 1e6))
        .angle_limits(-10.0, 0.5);
    let screw = world.add_joint(joint).expect("a joint");
    world.angle_motor(screw).expect("an angle").set_target(2.0).expect("finite");
    for _ in 0..6 {
        assert!(world.step(H).expect("a step").converged());
    }
    assert!((world.joint_angle_velocity(screw).expect("an angle") - 2.0).abs() < 1e-6);
    assert!(world.joint_velocity(screw).expect("a travel").abs() < 1e-9);
    for _ in 0..60 {
        let _ = world.step(H).expect("a step");
    }
    let turned = world.joint(screw).expect("a joint").angle();
    assert!((turned - 0.5).abs() < 1e-3, "{turned}");
    let weld = Joint::weld("weld", Frame::World, body);
    let weld = world.add_joint(weld).expect("a joint");
    assert!(world.angle_motor(weld).is_err());
    assert_eq!(Motor::force(1.0).with_target(3.0).target(), 3.0);
    assert_eq!(Motor::velocity(1.0, 2.0).with_target(3.0).target(), 3.0);
}

/// A hinge whose directions give: a torque across its axis turns it by torque over stiffness.
#[test]
fn springs_across_a_hinge() {
    let (mut world, body) = floating(1.0, [1.0; 3]);
    let joint = Joint::hinge("soft", Frame::World, body).axis_a(Vec3::Z).angular_spring(50.0, 20.0);
    world.add_joint(joint).expect("a joint");
    for _ in 0..600 {
        world.apply_torque(body, Vec3::X).expect("finite");
        let _ = world.step(H).expect("a step");
    }
    let axis = world.body(body).expect("a body").pose().rotation * Vec3::Z;
    let tilt = axis.cross(Vec3::Z).length().asin();
    assert!((tilt - 1.0 / 50.0).abs() < 2e-4, "{tilt}");
}

/// A kinematic body moved with mean velocity and acceleration is where these lead.
#[test]
fn a_kinematic_body_is_moved_with_a_velocity() {
    let mut world = World::new();
    let plate = Body::kinematic("plate").shape(Shape::Ball { radius: 0.5 });
    let plate = world.add_body(plate).expect("a body");
    for _ in 0..3 {
        let velocity = [Vec3::X * 2.0, Vec3::ZERO];
        world.move_with(plate, velocity, [Vec3::X * 0.1, Vec3::ZERO]).expect("finite");
        let _ = world.step(H).expect("a step");
    }
    let x = world.body(plate).expect("a body").position().x;
    assert!((x - 6.0 * H).abs() < 1e-12, "{x}");
    let _ = world.step(H).expect("a step");
    assert_eq!(world.body(plate).expect("a body").position().x, x);
    assert!(world.move_with(plate, [Vec3::NAN; 2], [Vec3::ZERO; 2]).is_err());
}

/// The phases of a step are parts of it.
#[test]
fn phases_are_parts_of_the_step() {
    let mut world = World::new();
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.5 });
    world.add_body(ball).expect("a body");
    let timings = world.step(H).expect("a step").timings;
    let phases = timings.phases();
    assert_eq!(phases.map(|p| p.0)[0], "collide");
    let sum: f64 = phases.iter().map(|p| p.1).sum();
    assert!(sum <= timings.total * (1.0 + 1e-9) && phases.iter().all(|p| p.1 >= 0.0));
}
