//! Sensors against what they should read.

use taut::math::{Pose, Quat, Vec3};
use taut::{Body, Frame, Joint, Sensor, Sensors, Shape, World};

#[test]
fn sensors_read_forces_motion_and_distance() {
    let mut world = World::new();
    let ground = Shape::HalfSpace { normal: Vec3::Z };
    world.add_body(Body::fixed("ground").shape(ground)).unwrap();
    let cube = Body::dynamic("box").shape(Shape::Box { half_extents: Vec3::splat(0.1) }).mass(2.0);
    let cube = world.add_body(cube.position(Vec3::new(3.0, 0.0, 0.1))).unwrap();
    let arm =
        Body::dynamic("arm").mass(1.5).box_inertia([0.1; 3]).position(Vec3::new(0.5, 0.0, 2.0));
    let arm = world.add_body(arm).unwrap();
    let weld =
        world.add_joint(Joint::weld("weld", Frame::World, arm).anchor_a(Vec3::Z * 2.0)).unwrap();
    // Looks down.
    let down = Pose::from_parts(Vec3::ZERO, Quat::from_rotation_x(std::f64::consts::PI));
    let mut sensors = Sensors::default();
    sensors.add("touch", Sensor::Contact { body: cube });
    sensors.add("wrench", Sensor::ForceTorque { joint: weld });
    sensors.add("height", Sensor::Range { body: arm, pose: down, max: 10.0 });
    sensors.add("below", Sensor::Range { body: cube, pose: down, max: f64::INFINITY });
    sensors.add("acceleration", Sensor::Accelerometer { body: arm, pose: down });
    sensors.read(&world).unwrap();
    for _ in 0..30 {
        let _ = world.step(1.0 / 60.0).unwrap();
        sensors.read(&world).unwrap();
    }
    let value = |name: &str, i: usize| sensors.values(name).unwrap()[i];
    assert!((value("touch", 0) - 2.0 * 9.81).abs() < 1e-6);
    // The weld carries the weight, 0.5 m beside it: −r × F about y.
    assert!((value("wrench", 2) - 1.5 * 9.81).abs() < 1e-6);
    assert!((value("wrench", 4).abs() - 0.5 * 1.5 * 9.81).abs() < 1e-6, "{}", value("wrench", 4));
    assert!((value("height", 0) - 2.0).abs() < 1e-6);
    // Its own shape does not hide the ground, at 0.1 m from its middle.
    assert!((value("below", 0) - 0.1).abs() < 1e-6, "{}", value("below", 0));
    assert!((value("acceleration", 2) + 9.81).abs() < 1e-6);
    assert_eq!(sensors.values("none"), None);
    assert_eq!(sensors.iter().count(), 5);
    world.remove_body(arm).unwrap();
    assert!(sensors.read(&world).is_err());
}

#[test]
fn an_accelerometer_off_the_axis_feels_the_centrifugal_force() {
    let mut world = World::new();
    let wheel = Body::dynamic("wheel").mass(1.0).box_inertia([1.0; 3]);
    let wheel = world.add_body(wheel.angular_velocity(Vec3::Z * 2.0)).unwrap();
    world.add_joint(Joint::hinge("axle", Frame::World, wheel).axis_a(Vec3::Z)).unwrap();
    let mut sensors = Sensors::default();
    let pose = Pose::from_parts(Vec3::X * 0.5, Quat::IDENTITY);
    sensors.add("a", Sensor::Accelerometer { body: wheel, pose });
    sensors.read(&world).unwrap();
    for _ in 0..2 {
        let _ = world.step(1e-4).unwrap();
        sensors.read(&world).unwrap();
    }
    let a = sensors.values("a").unwrap();
    // −ω²r along the arm, up against gravity; the mean over a step is that of its middle.
    assert!(
        (a[0] + 4.0 * 0.5).abs() < 1e-3 && a[1].abs() < 1e-3 && (a[2] - 9.81).abs() < 1e-6,
        "{a:?}"
    );
}
