//! Answers to a few digits: sweeps where they do, exact where not, and never called converged
//! where they are not.
mod scenes;

use scenes::*;
use taut::math::{Quat, Vec3};
use taut::{Body, World};

/// Boxes turned at random, dropped in layers of three by three.
fn heap(count: usize, accuracy: Option<f64>, work: Option<u64>) -> World {
    let mut world = World::new();
    world.settings_mut().accuracy = accuracy;
    world.settings_mut().work = work;
    ground(&mut world, friction(0.5));
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for i in 0..count {
        let (layer, place) = (i / 9, i % 9);
        let at = Vec3::new((place % 3) as f64, (place / 3) as f64, 0.6 + layer as f64) * 0.72;
        let turn = Quat::from_scaled_axis(Vec3::new(random(), random(), random()));
        let body = Body::dynamic(format!("box{i}")).shape(cube(0.2)).mass(1.0);
        let body = body.material(friction(0.5)).position(at).orientation(turn);
        world.add_body(body).expect("box");
    }
    world
}

/// Largest speed of a body.
fn speed(world: &World) -> f64 {
    world.bodies().map(|(_, b)| b.velocity().length()).fold(0.0, f64::max)
}

#[test]
fn a_heap_is_left_to_sweeps_and_comes_to_rest() {
    let mut worlds = [heap(36, None, None), heap(36, Some(1e-3), None)];
    let (mut factorizations, mut swept, mut islands) = ([0, 0], 0, 0);
    for _ in 0..240 {
        for (world, sum) in worlds.iter_mut().zip(&mut factorizations) {
            let report = step(world, H);
            *sum += report.factorizations;
            if world.settings().accuracy.is_some() {
                swept += report.swept_islands;
                islands += report.islands;
                // (Of contacts that gave way the report has the residual of those that do not.)
                let good = report.relative_residual <= 1e-3 || report.contact_compliance > 0.0;
                assert!(good, "{}", report.relative_residual);
            } else {
                assert_eq!(report.swept_islands, 0);
            }
        }
    }
    // Impacts are hard for sweeps, what lies is easy.
    assert!(4 * factorizations[1] < 3 * factorizations[0], "{factorizations:?}");
    assert!(2 * swept > islands, "{swept} of {islands}");
    // When the last box stops tumbling is chance; that all of them do is not.
    let loose = &mut worlds[1];
    let mut more = 0;
    while speed(loose) > 1e-2 && more < 600 {
        step(loose, H);
        more += 1;
    }
    assert!(speed(loose) <= 1e-2, "{} m/s", speed(loose));
}

/// A budget is kept, results do not hang on threads, and what is missed is said.
#[test]
fn limited_work_is_said_where_it_does_not_suffice() {
    let run = |work: u64| {
        let mut world = heap(27, Some(1e-3), Some(work));
        let mut missed = 0;
        for _ in 0..90 {
            let report = world.step(H).expect("valid step");
            assert_eq!(report.factorizations, 0);
            if report.converged() {
                // (Of contacts that gave way the report has the residual of those that do not.)
                let good = report.relative_residual <= 1e-3 || report.contact_compliance > 0.0;
                assert!(good, "{}", report.relative_residual);
            }
            missed += usize::from(!report.converged());
        }
        missed
    };
    let (few, many) = (run(50_000_000), run(20_000));
    assert!(few < 10 && many > 10, "{few} {many}");
    let poses = |threads: usize| {
        let mut world = heap(27, Some(1e-3), Some(20_000));
        world.settings_mut().threads = threads;
        (0..60).for_each(|_| drop(world.step(H).expect("valid step")));
        world.bodies().map(|(_, b)| b.pose()).collect::<Vec<_>>()
    };
    assert_eq!(poses(1), poses(2));
}

#[test]
fn chains_and_tall_stacks_are_solved_exactly_all_the_same() {
    let mut world = chain(20, 0.1, 100.0);
    world.settings_mut().accuracy = Some(1e-3);
    for _ in 0..60 {
        assert_eq!(step(&mut world, H).swept_islands, 0);
    }
    assert!(gaps(&world) < 1e-4, "{}", gaps(&world));
    world.settings_mut().accuracy = Some(0.0);
    assert!(world.step(H).is_err());
}
