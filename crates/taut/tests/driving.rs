//! Driving a world: belts, target poses, force motors, filters, sleep; each against a closed form.

use taut::math::{Pose, Quat, Vec3};
use taut::{
    Body, BodyId, ContactState, Error, Frame, FrictionMode, Groups, Joint, Material, Motor, Shape,
    Sleeping, World,
};

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;
const MU: f64 = 0.5;

fn cube(name: &str, half: f64) -> Body {
    Body::dynamic(name).shape(Shape::Box { half_extents: Vec3::splat(half) }).mass(3.0)
}

fn ground() -> Body {
    Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z })
}

fn rough() -> Material {
    Material { friction: MU, ..Material::default() }
}

/// A step that must be sound; adds its work, and returns the energy after it [J].
fn sound(world: &mut World, work: &mut f64) -> Result<f64, Error> {
    let report = world.step(H)?;
    assert!(report.converged() && !report.is_torn(), "{report:?}");
    assert!(!report.gained_energy(), "gained {} J at {} s", report.energy_gain, report.time);
    *work += report.work;
    Ok(report.energy())
}

/// A belt takes a box along: it slips for √5/(μg), straight along its slip, and then rests on the belt.
#[test]
fn a_belt_takes_a_box_along() -> Result<(), Error> {
    let iterated = FrictionMode::Iterated { max_passes: 10, tolerance: 1e-6, required: false };
    for friction in [iterated, FrictionMode::Cone] {
        let mut world = World::new();
        world.settings_mut().friction = friction;
        let plate = Shape::Box { half_extents: Vec3::new(10.0, 10.0, 0.1) };
        let belt = Body::fixed("belt").position(Vec3::Z * -0.1).shape(plate).material(rough());
        let belt = world.add_body(belt.surface_velocity(Vec3::X * 2.0))?;
        let parcel = cube("parcel", 0.2).position(Vec3::Z * 0.2).velocity(Vec3::Y);
        let parcel = world.add_body(parcel.material(rough()))?;
        let mut work = 0.0;
        sound(&mut world, &mut work)?;
        let touch = world.contacts().next().map(|c| (c.state, c.friction_coefficient, c.slip));
        let Some((ContactState::Sliding, mu, slip)) = touch else { panic!("{touch:?}") };
        assert!((mu - MU).abs() < 1e-12);
        let along = Vec3::new(-2.0, 1.0, 0.0) / 5.0_f64.sqrt();
        assert!(slip.normalize().distance(along) < 1e-6, "{slip}");
        for _ in 1..60 {
            sound(&mut world, &mut work)?;
        }
        let body = world.body(parcel)?;
        assert!(body.velocity().distance(Vec3::X * 2.0) < 1e-6, "{}", body.velocity());
        // Mean velocity of the slip, then that of the belt.
        let t = 5.0_f64.sqrt() / (MU * G);
        let exact = Vec3::new(1.0, 0.5, 0.0) * t + Vec3::X * 2.0 * (1.0 - t);
        let way = body.position() - Vec3::Z * 0.2;
        assert!(way.distance(exact) < 2e-3, "{way} for {exact}");
        // The belt pushes with Δp at 2 m/s along x; slip loses the rest of it.
        assert!((work - 3.0 * 2.0 * 2.0).abs() < 1e-6, "{work} J");
        world.set_surface_velocity(belt, Vec3::ZERO)?;
        for _ in 0..60 {
            sound(&mut world, &mut work)?;
        }
        assert!(world.body(parcel)?.velocity().length() < 1e-6);
    }
    Ok(())
}

/// A crawler: its own tracks push it over the ground.
#[test]
fn tracks_push_their_body() -> Result<(), Error> {
    let mut world = World::new();
    world.add_body(ground().material(rough()))?;
    let tank = cube("tank", 0.2).position(Vec3::Z * 0.2).material(rough());
    let tank = world.add_body(tank.surface_velocity(Vec3::X * -1.5))?;
    let mut work = 0.0;
    for _ in 0..60 {
        sound(&mut world, &mut work)?;
    }
    assert!((world.body(tank)?.velocity().x - 1.5).abs() < 1e-6);
    let t = 1.5 / (MU * G);
    assert!((world.body(tank)?.position().x - 1.5 * (1.0 - 0.5 * t)).abs() < 2e-3);
    // Half of it warms the ground.
    assert!((work - 3.0 * 1.5 * 1.5).abs() < 1e-6, "{work} J");
    Ok(())
}

/// A platform that follows x = A(ωt − sin ωt), accelerating with up to 0.95 μg, carries a box as
/// if it were glued to it; with 1.2 μg it does not.
#[test]
fn a_platform_carries() -> Result<(), Error> {
    for (share, holds) in [(0.95, true), (1.2, false)] {
        let mut world = World::new();
        let plate = Shape::Box { half_extents: Vec3::new(2.0, 2.0, 0.1) };
        let plate = Body::kinematic("plate").position(Vec3::Z * -0.1).shape(plate);
        let plate = world.add_body(plate.material(rough()))?;
        let load = cube("load", 0.2).position(Vec3::Z * 0.2).material(rough());
        let load = world.add_body(load)?;
        let (omega, mut work, mut most) = (3.0, 0.0, 0.0_f64);
        let a = share * MU * G / (omega * omega);
        let way = |t: f64| a * (omega * t - (omega * t).sin());
        for i in 1..=120 {
            let t = H * f64::from(i);
            world.move_to(plate, Pose::from_translation(Vec3::new(way(t), 0.0, -0.1)))?;
            sound(&mut world, &mut work)?;
            assert_eq!(world.body(plate)?.position(), Vec3::new(way(t), 0.0, -0.1));
            let rate = a * omega * (1.0 - (omega * t).cos());
            assert!((world.body(plate)?.velocity().x - rate).abs() < 0.01, "{rate}");
            let slip = world.body(load)?.position().x - way(t);
            most = most.max(slip.abs());
            if holds && i == 60 {
                let kinetic = 1.5 * world.body(load)?.velocity().length_squared();
                assert!((work - kinetic).abs() < 1e-3 * kinetic, "{work} J for {kinetic} J");
            }
        }
        assert_eq!(most < 1e-4, holds, "{most} m");
        assert!(holds || most > 0.01, "{most} m");
        // Without a target it stands.
        let _ = world.step(H)?;
        assert_eq!(world.body(plate)?.velocity(), Vec3::ZERO);
    }
    Ok(())
}

/// A lift with constant acceleration presses with m(g + a) from the third step on, in halves of steps, too.
#[test]
fn a_lift_presses_with_its_acceleration() -> Result<(), Error> {
    for substeps in [1, 4] {
        let mut world = World::new();
        world.settings_mut().substeps = substeps;
        let plate = Shape::Box { half_extents: Vec3::new(1.0, 1.0, 0.1) };
        let lift = world.add_body(Body::kinematic("lift").position(Vec3::Z * -0.1).shape(plate))?;
        world.add_body(cube("load", 0.2).position(Vec3::Z * 0.2))?;
        let mut work = 0.0;
        for i in 1..=60 {
            let t = H * f64::from(i);
            world.move_to(lift, Pose::from_translation(Vec3::Z * (t * t - 0.1)))?;
            let energy = sound(&mut world, &mut work)?;
            let force: f64 = world.contacts().map(|c| c.normal_force).sum();
            if i >= 3 {
                assert!((force - 3.0 * (G + 2.0)).abs() < 1e-3 * force, "{force} N, step {i}");
            }
            assert!(i < 60 || (work - (energy - 3.0 * G * 0.2)).abs() < 0.05, "{work} J");
        }
    }
    Ok(())
}

/// A turntable that is told its poses turns as they say, about the body's origin.
#[test]
fn a_turntable_follows_its_poses() -> Result<(), Error> {
    let mut world = World::new();
    let plate = Shape::Box { half_extents: Vec3::new(1.0, 1.0, 0.1) };
    let table = world.add_body(Body::kinematic("table").position(Vec3::Z * -0.1).shape(plate))?;
    let load = cube("load", 0.05).position(Vec3::new(0.5, 0.0, 0.05));
    let load = load.velocity(Vec3::Y * 0.75).angular_velocity(Vec3::Z * 1.5);
    let load = world.add_body(load)?;
    let mut work = 0.0;
    for i in 1..=120 {
        let turn = Quat::from_rotation_z(1.5 * H * f64::from(i));
        world.move_to(table, Pose::from_parts(Vec3::Z * -0.1, turn))?;
        sound(&mut world, &mut work)?;
        assert!(world.body(table)?.orientation().angle_between(turn) < 1e-7);
        assert!(world.body(table)?.angular_velocity().distance(Vec3::Z * 1.5) < 1e-9);
    }
    let turned = Quat::from_rotation_z(3.0) * Vec3::new(0.5, 0.0, 0.05);
    let place = world.body(load)?.position();
    assert!(place.distance(turned) < 1e-3, "{place} for {turned}");
    let falls = world.add_body(cube("falls", 0.1).position(Vec3::X * 9.0))?;
    assert!(world.move_to(falls, Pose::IDENTITY).is_err());
    let nowhere = Pose::from_translation(Vec3::splat(f64::NAN));
    assert!(world.move_to(table, nowhere).is_err());
    Ok(())
}

/// Force motors give F/m and M/I exactly, and their work is what the motion has.
#[test]
fn force_motors() -> Result<(), Error> {
    let mut world = World::new();
    let cart = world.add_body(cube("cart", 0.1))?;
    let rail = Joint::slider("rail", Frame::World, cart).axis_a(Vec3::X).motor(Motor::force(30.0));
    let rail = world.add_joint(rail)?;
    let wheel = Body::dynamic("wheel").position(Vec3::Y * 5.0).mass(2.0).box_inertia([1.0; 3]);
    let inertia = 2.0 / 6.0;
    let wheel = world.add_body(wheel)?;
    let axle = Joint::hinge("axle", Frame::World, wheel).axis_a(Vec3::Z).motor(Motor::force(1.0));
    let axle = world.add_joint(axle)?;
    let mut work = 0.0;
    for _ in 0..60 {
        sound(&mut world, &mut work)?;
        assert_eq!(world.joint(rail)?.motor_force(), 30.0);
    }
    assert!((world.joint_velocity(rail)? - 10.0).abs() < 1e-9);
    assert!((world.joint_position(rail)? - 5.0).abs() < 1e-9);
    assert!((world.joint_velocity(axle)? - 1.0 / inertia).abs() < 1e-9);
    assert!((world.joint_position(axle)? - 0.5 / inertia).abs() < 1e-9);
    assert!((work - (150.0 + 0.5 / inertia)).abs() < 1e-6, "{work} J");
    // A brake.
    world.motor(rail)?.set_target(-60.0)?;
    for _ in 0..30 {
        sound(&mut world, &mut work)?;
    }
    assert!(world.joint_velocity(rail)?.abs() < 1e-9);
    assert!(world.motor(rail)?.set_target(f64::NAN).is_err());
    world.motor(rail)?.set(None)?;
    assert!(world.motor(rail)?.set_target(1.0).is_err());
    let ball = world.add_joint(Joint::ball("tie", wheel, cart))?;
    assert!(world.motor(ball).is_err());
    Ok(())
}

/// Rates of coordinates are what positions do.
#[test]
fn joint_velocities() -> Result<(), Error> {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO)?;
    let mut joints = Vec::new();
    for (i, kind) in ["hinge", "slider", "cylindrical", "distance"].into_iter().enumerate() {
        let x = Vec3::X * 3.0 * i as f64;
        let body = cube(kind, 0.1).position(x + Vec3::Y);
        let id = world.add_body(body.velocity(Vec3::new(0.3, 0.2, 0.4)))?;
        let joint = match kind {
            "hinge" => Joint::hinge(kind, Frame::World, id).axis_a(Vec3::Z).anchor_a(x),
            "slider" => Joint::slider(kind, Frame::World, id).axis_a(Vec3::Z),
            "cylindrical" => Joint::cylindrical(kind, Frame::World, id).axis_a(Vec3::Z),
            _ => Joint::rope(kind, Frame::World, id, 50.0).anchor_a(x),
        };
        joints.push(world.add_joint(joint)?);
    }
    let _ = world.step(1e-4)?;
    let read = |world: &World| -> Result<Vec<(f64, f64)>, Error> {
        joints.iter().map(|&j| Ok((world.joint_position(j)?, world.joint_velocity(j)?))).collect()
    };
    let before = read(&world)?;
    let _ = world.step(1e-4)?;
    for ((q, _), (q1, rate)) in before.into_iter().zip(read(&world)?) {
        assert!(((q1 - q) / 1e-4 - rate).abs() < 1e-3 && rate.abs() > 0.1, "{q} {q1} {rate}");
    }
    Ok(())
}

/// Groups of bodies and pairs keep bodies from colliding, also after a snapshot.
#[test]
fn filters() -> Result<(), Error> {
    let mut world = World::new();
    world.add_body(ground().groups(Groups { membership: 0b01, mask: u32::MAX }))?;
    let ghost = Groups { membership: 0b10, mask: 0b01 };
    let stack = |name: &str, z: f64| cube(name, 0.2).position(Vec3::Z * z);
    let a = world.add_body(stack("a", 0.2).groups(ghost))?;
    let b = world.add_body(stack("b", 1.0).groups(ghost))?;
    let c = world.add_body(stack("c", 2.0))?;
    let meets =
        |world: &World, a: BodyId, b: BodyId| world.contacts_of(a).any(|k| k.a == b || k.b == b);
    world.set_collides(c, a, false)?;
    world.set_collides(b, c, false)?;
    let mut world = World::restore(&world.snapshot())?;
    for _ in 0..90 {
        let _ = world.step(H)?;
        assert!(!meets(&world, a, b) && !meets(&world, a, c) && !meets(&world, b, c));
    }
    for id in [a, b, c] {
        assert!((world.body(id)?.position().z - 0.2).abs() < 1e-3);
    }
    world.set_collides(a, c, true)?;
    let _ = world.step(H)?;
    assert!(meets(&world, a, c));
    world.remove_body(c)?;
    assert!(world.set_collides(a, c, false).is_err());
    Ok(())
}

/// A driven world sleeps while nothing changes; a change wakes what it drives, and nothing else.
#[test]
fn driven_worlds_sleep() -> Result<(), Error> {
    let mut world = World::new();
    world.settings_mut().sleeping = Some(Sleeping::default());
    world.add_body(ground())?;
    let idle = world.add_body(cube("idle", 0.2).position(Vec3::new(5.0, 0.0, 0.2)))?;
    let cart = world.add_body(cube("cart", 0.2).position(Vec3::Z * 1.0))?;
    let rail = Joint::slider("rail", Frame::World, cart).axis_a(Vec3::X);
    let rail = world.add_joint(rail.motor(Motor::velocity(0.0, 1e4)))?;
    let hook = world.add_body(Body::kinematic("hook").position(Vec3::new(-3.0, 0.0, 3.0)))?;
    let load = cube("load", 0.1).position(Vec3::new(-3.0, 0.0, 2.0));
    let load = world.add_body(load)?;
    world.add_joint(Joint::ball("rope", hook, load).anchor_a(Vec3::ZERO))?;
    let asleep = |world: &World| -> Result<[bool; 3], Error> {
        Ok([
            world.body(idle)?.is_asleep(),
            world.body(cart)?.is_asleep(),
            world.body(load)?.is_asleep(),
        ])
    };
    for _ in 0..60 {
        world.motor(rail)?.set_target(0.0)?;
        let _ = world.step(H)?;
    }
    assert_eq!(asleep(&world)?, [true; 3]);
    world.motor(rail)?.set_target(0.5)?;
    let _ = world.step(H)?;
    assert_eq!(asleep(&world)?, [true, false, true]);
    assert!((world.body(cart)?.velocity().x - 0.5).abs() < 1e-9);
    world.move_to(hook, Pose::from_translation(Vec3::new(-3.0, 0.0, 3.01)))?;
    let _ = world.step(H)?;
    assert_eq!(asleep(&world)?, [true, false, false]);
    Ok(())
}

/// A snapshot keeps belts and targets, to the bit.
#[test]
fn snapshots_keep_drives() -> Result<(), Error> {
    let mut world = World::new();
    let plate = Shape::Box { half_extents: Vec3::new(2.0, 2.0, 0.1) };
    let lift = Body::kinematic("lift").shape(plate).surface_velocity(Vec3::X);
    let lift = world.add_body(lift)?;
    let load = world.add_body(cube("load", 0.2).position(Vec3::Z * 0.3))?;
    let drive = |world: &mut World, i: u32| -> Result<(), Error> {
        world.move_to(lift, Pose::from_translation(Vec3::Z * 1e-4 * f64::from(i * i)))?;
        if i == 7 {
            *world = World::restore(&world.snapshot())?;
        }
        world.step(H).map(|_| ())
    };
    let mut other = World::restore(&world.snapshot())?;
    for i in 0..20 {
        drive(&mut world, i)?;
        other.move_to(lift, Pose::from_translation(Vec3::Z * 1e-4 * f64::from(i * i)))?;
        let _ = other.step(H)?;
    }
    assert_eq!(world.body(load)?.pose(), other.body(load)?.pose());
    assert!(world.body(load)?.velocity().x > 0.5);
    Ok(())
}
