//! Questions about the poses as they are: rays, shapes, and what is odd at the start.
mod scenes;

use scenes::*;
use taut::math::{Pose, Quat, Vec3};
use taut::{Body, Frame, Groups, Joint, Shape, StartWarning, World};

/// Queries see bodies where they are: before the first step, after a move, a new
/// shape or a removal, and after a step.
#[test]
fn queries_see_the_present_poses() {
    let mut world = World::new();
    let down = |world: &World| {
        let hit = world.ray_cast(Vec3::Z * 10.0, -Vec3::Z, 100.0, Groups::ALL);
        hit.map(|hit| (hit.body, hit.point.z))
    };
    assert_eq!(down(&world), None);
    let plane = ground(&mut world, friction(0.5));
    assert_eq!(down(&world), Some((plane, 0.0)));
    let body = world.add_body(Body::dynamic("box").shape(cube(0.5)).position(Vec3::Z * 3.0));
    let body = body.expect("box");
    assert_eq!(down(&world), Some((body, 3.5)));
    let probe = Shape::Ball { radius: 0.1 };
    let at = |z: f64| Pose::from_translation(Vec3::Z * z);
    assert_eq!(world.overlaps(&probe, at(3.0)).expect("valid"), [body]);
    let cast = world.shape_cast(&probe, at(9.0), -Vec3::Z, 100.0).expect("valid");
    assert!(cast.is_some_and(|hit| hit.body == body && (hit.distance - 5.4).abs() < 1e-4));
    let turned = Pose::from_parts(Vec3::Z * 5.0, Quat::from_rotation_x(0.0));
    world.set_pose(body, turned).expect("box");
    assert_eq!(down(&world), Some((body, 5.5)));
    world.edit_body(body, |b| *b = b.clone().shape(cube(1.0))).expect("box");
    assert_eq!(down(&world), Some((body, 6.0)));
    step(&mut world, H);
    let top = position(&world, body).z + 1.0;
    assert!(down(&world).is_some_and(|(_, z)| (z - top).abs() < 1e-12), "after the step");
    world.remove_body(body).expect("box");
    assert_eq!(down(&world), Some((plane, 0.0)));
}

#[test]
fn odd_starts_are_named() {
    let mut world = World::new();
    ground(&mut world, friction(0.5));
    let add = |world: &mut World, name: &str, at: Vec3| {
        let body = Body::dynamic(name).shape(cube(0.5)).position(at);
        world.add_body(body).expect("a body")
    };
    // On the ground, within tolerance; in the ground; in one another.
    add(&mut world, "resting", Vec3::new(0.0, 0.0, 0.4995));
    assert_eq!(world.start_warnings(), []);
    add(&mut world, "sunk", Vec3::new(5.0, 0.0, 0.45));
    add(&mut world, "left", Vec3::new(10.0, 0.0, 2.0));
    add(&mut world, "right", Vec3::new(10.8, 0.0, 2.0));
    let overlaps: Vec<_> = world.start_warnings();
    let depth = |a: &str, b: &str| {
        overlaps.iter().find_map(|w| match w {
            StartWarning::Overlap { a: x, b: y, depth } if x == a && y == b => Some(*depth),
            _ => None,
        })
    };
    assert_eq!(overlaps.len(), 2, "{overlaps:?}");
    assert!(depth("ground", "sunk").is_some_and(|d| (d - 0.05).abs() < 1e-9), "{overlaps:?}");
    assert!(depth("left", "right").is_some_and(|d| (d - 0.2).abs() < 1e-9), "{overlaps:?}");
    // Jointed bodies do not collide; their joint may be open.
    let mut world = World::new();
    let (a, b) = (add(&mut world, "a", Vec3::ZERO), add(&mut world, "b", Vec3::X * 0.5));
    let fine = Joint::ball("fine", a, b);
    world.add_joint(fine).expect("a joint");
    assert_eq!(world.start_warnings(), []);
    let open = Joint::ball("open", a, b).anchor_a(Vec3::ZERO).anchor_b(Vec3::ZERO);
    world.add_joint(open).expect("a joint");
    let tilt = Vec3::new(0.2, 0.0, 1.0);
    let skew = Joint::hinge("skew", Frame::World, b).axis_a(Vec3::Z).axis_b(tilt);
    world.add_joint(skew).expect("a joint");
    let rope = Joint::rope("rope", Frame::World, a, 1.0).anchor_a(Vec3::Z * 3.0);
    world.add_joint(rope).expect("a joint");
    let slider = Joint::slider("slider", Frame::World, a).limits(0.1, 0.5);
    world.add_joint(slider).expect("a joint");
    let text: Vec<_> = world.start_warnings().iter().map(ToString::to_string).collect();
    let expected = [
        "joint 'open' starts open, by 5.00e-1 m",
        "joint 'skew' starts open, by 0.00e0 m and 1.97e-1 rad",
        "joint 'rope' starts open, by 2.00e0 m",
        "joint 'slider' starts beyond its limits, by 1.00e-1 m",
    ];
    assert_eq!(text, expected);
}
