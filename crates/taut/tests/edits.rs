//! Edits in mid-run leave the warm starts of everything else alone.
mod scenes;

use scenes::*;
use taut::math::Vec3;
use taut::{Body, BodyId, StepReport, World};

/// Ten boxes, the heaviest on top, and a floater that came before them.
fn stack() -> (World, BodyId) {
    let mut world = World::new();
    let floater = world.add_body(floater("first", 50.0)).expect("floater");
    ground(&mut world, friction(0.5));
    for i in 0..10 {
        let mass = 1000_f64.powf(f64::from(i) / 9.0);
        let body = Body::dynamic(format!("box{i}")).shape(cube(0.5)).mass(mass);
        world.add_body(body.position(Vec3::Z * (0.5 + f64::from(i)))).expect("box");
    }
    (world, floater)
}

/// A body that touches nothing, so that all rows are the stack's.
fn floater(name: &str, x: f64) -> Body {
    let at = Vec3::new(x, 0.0, 50.0);
    Body::dynamic(name).shape(cube(0.2)).position(at).gravity_scale(0.0)
}

fn forces(world: &World) -> Vec<f64> {
    world.contacts().map(|c| c.normal_force).collect()
}

/// A step right after an edit: no dearer than `settled`, the same forces.
fn continues(world: &mut World, before: &[f64], settled: &StepReport) {
    let report = step(world, H);
    assert!(report.iterations <= settled.iterations.max(2), "the warm start is lost");
    assert_eq!(report.passes, settled.passes);
    let after = forces(world);
    assert_eq!(after.len(), before.len());
    for (a, b) in after.iter().zip(before) {
        assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{b} N became {a} N");
    }
}

#[test]
fn an_untouched_stack_keeps_its_warm_start() {
    let (mut world, first) = stack();
    let mut settled = step(&mut world, H);
    for _ in 0..240 {
        settled = step(&mut world, H);
    }
    assert!(settled.iterations <= 2, "{} iterations at rest", settled.iterations);
    let before = forces(&world);
    assert_eq!(before.len(), 40);
    let added = world.add_body(floater("added", 60.0)).expect("floater");
    continues(&mut world, &before, &settled);
    world.remove_body(first).expect("first");
    continues(&mut world, &before, &settled);
    world.edit_body(added, |b| b.mass = Some(3.0)).expect("added");
    continues(&mut world, &before, &settled);
    // Takes the slot that was freed before those of the stack.
    world.add_body(floater("again", 70.0)).expect("floater");
    world.remove_body(added).expect("added");
    continues(&mut world, &before, &settled);
}
