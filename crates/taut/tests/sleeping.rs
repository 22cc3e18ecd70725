//! Sleeping that can be trusted: a settled scene costs nothing, wakes at once, and its contacts go
//! on.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, BodyId, Event, Material, Shape, Sleeping, Timings, World};

/// Two stacks of three boxes on the ground, far from one another, after 1.5 s.
fn asleep() -> (World, [BodyId; 6]) {
    let mut world = World::new();
    world.settings_mut().sleeping = Some(Sleeping::default());
    ground(&mut world, Material::default());
    let ids = std::array::from_fn(|i| {
        let at = Vec3::new(5.0 * (i / 3) as f64, 0.0, 0.5 + (i % 3) as f64);
        let body = Body::dynamic(format!("box{i}")).shape(cube(0.5)).mass(1.0).position(at);
        world.add_body(body).expect("box")
    });
    for _ in 0..90 {
        step(&mut world, H);
    }
    assert!(ids.iter().all(|&id| world.body(id).expect("box").is_asleep()));
    (world, ids)
}

fn awake(world: &World, ids: &[BodyId]) -> usize {
    ids.iter().filter(|&&id| !world.body(id).expect("box").is_asleep()).count()
}

#[test]
fn a_settled_scene_costs_nothing_and_says_the_same() {
    let (mut world, ids) = asleep();
    let poses = |world: &World| world.bodies().map(|(_, b)| b.pose()).collect::<Vec<_>>();
    let (before, first) = (poses(&world), step(&mut world, H));
    for i in 1..=100 {
        let report = step(&mut world, H);
        assert_eq!(report.timings, Timings::default(), "nothing was done");
        assert_eq!((report.islands, report.sleeping_islands), (0, 2));
        assert!(report.events.is_empty());
        assert_eq!((report.contacts, report.energy()), (first.contacts, first.energy()));
        assert!((report.time - first.time - f64::from(i) * H).abs() < 1e-9);
    }
    assert_eq!(poses(&world), before);
    assert_eq!(awake(&world, &ids), 0);
    // Contacts are still there, with the weight on them.
    let push: f64 = world.contacts().map(|c| c.normal_force).fold(0.0, f64::max);
    assert!((push - 3.0 * G / 4.0).abs() < 0.1, "{push}");
}

/// After a restore the first step is done in full; it leads to the same bits.
#[test]
fn a_snapshot_of_a_sleeping_world_goes_on_with_the_same_bits() {
    let (mut world, ids) = asleep();
    step(&mut world, H);
    let mut other = World::restore(&world.snapshot()).expect("restored");
    for i in 0..40 {
        if i == 10 {
            for world in [&mut world, &mut other] {
                world.apply_impulse(ids[2], Vec3::X * 2.0, Vec3::new(0.0, 0.0, 2.7)).expect("box");
            }
        }
        let (a, b) = (world.step(H).expect("step"), other.step(H).expect("step"));
        assert_eq!((a.events, a.sleeping_islands), (b.events, b.sleeping_islands));
        assert!(world.snapshot() == other.snapshot(), "step {i}");
    }
}

#[test]
fn a_force_wakes_its_island_in_the_same_step_and_no_other() {
    let (mut world, ids) = asleep();
    world.apply_force(ids[2], Vec3::X * 50.0).expect("box");
    let report = step(&mut world, H);
    assert_eq!((report.islands, report.sleeping_islands), (1, 1));
    assert_eq!(awake(&world, &ids), 3);
    assert!(world.body(ids[2]).expect("box").velocity().x > 0.5, "it moves at once");
}

#[test]
fn a_ball_that_comes_near_wakes_what_it_hits() {
    let (mut world, ids) = asleep();
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.2 }).mass(2.0);
    let ball = world.add_body(ball.position(Vec3::new(-2.0, 0.0, 2.5))).expect("ball");
    for _ in 0..60 {
        step(&mut world, H); // an edit woke all; the stacks fall asleep again
        world
            .set_pose(ball, taut::math::Pose::from_translation(Vec3::new(-2.0, 0.0, 2.5)))
            .expect("ball");
    }
    world.set_velocity(ball, Vec3::X * 8.0, Vec3::ZERO).expect("ball");
    let mut hit = None;
    for i in 0..60 {
        let report = step(&mut world, H);
        let begins = |e: &Event| matches!(e, Event::ContactBegin { .. });
        if hit.is_none() && report.events.iter().any(begins) {
            hit = Some(i);
            assert!(world.body(ids[2]).expect("top").velocity().x > 0.5, "it is pushed at once");
        }
    }
    assert!(hit.is_some());
}

#[test]
fn contacts_end_where_support_goes_and_not_before() {
    let (mut world, ids) = asleep();
    world.remove_body(ids[3]).expect("box");
    let mut ended = 0;
    for _ in 0..3 {
        let report = step(&mut world, H);
        // (The two above it fall together, and press on one another no longer.)
        let of_it =
            |e: &&Event| matches!(e, Event::ContactEnd { a, b } if [*a, *b].contains(&ids[3]));
        ended += report.events.iter().filter(of_it).count();
    }
    assert_eq!(ended, 2, "of the box that is gone, on both of its sides");
    assert!(world.body(ids[4]).expect("box").velocity().z < -0.1, "it falls");
}

#[test]
fn a_moving_floor_wakes_and_switching_off_wakes() {
    let (mut world, ids) = asleep();
    world.settings_mut().sleeping = None;
    let report = step(&mut world, H);
    assert_eq!((report.islands, report.sleeping_islands), (2, 0));
    assert_eq!(awake(&world, &ids), 6);
    let mut world = World::new();
    world.settings_mut().sleeping = Some(Sleeping::default());
    let floor = Body::kinematic("floor").shape(cuboid(2.0, 2.0, 0.5)).material(friction(0.8));
    let floor = world.add_body(floor.position(Vec3::Z * -0.5)).expect("floor");
    let load = Body::dynamic("load").shape(cube(0.2)).mass(1.0).material(friction(0.8));
    let load = world.add_body(load.position(Vec3::Z * 0.2)).expect("load");
    for _ in 0..60 {
        step(&mut world, H);
    }
    assert!(world.body(load).expect("load").is_asleep());
    world.set_velocity(floor, Vec3::X * 0.05, Vec3::ZERO).expect("floor");
    step(&mut world, H);
    assert!((world.body(load).expect("load").velocity().x - 0.05).abs() < 1e-3);
}

/// What flies is slow at the top of its way, and at the start. (With a delay of 0 a ball hung there for ever.)
#[test]
fn nothing_sleeps_in_the_air() {
    let mut world = World::new();
    world.settings_mut().sleeping = Some(Sleeping { delay: 0.0, ..Sleeping::default() });
    ground(&mut world, Material::default());
    let error = world.step(H).expect_err("no delay").to_string();
    assert!(error.contains("sleeping.delay"), "{error}");
    world.settings_mut().sleeping = Some(Sleeping { speed: 0.5, angular_speed: 0.5, delay: 1e-3 });
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }).mass(1.0);
    let ball = world.add_body(ball.position(Vec3::Z).velocity(Vec3::Z * 2.0)).expect("ball");
    for _ in 0..120 {
        step(&mut world, H);
    }
    let ball = world.body(ball).expect("ball");
    assert!(ball.is_asleep() && (ball.position().z - 0.1).abs() < 1e-3, "{}", ball.position());
}
