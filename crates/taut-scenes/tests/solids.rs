//! Scenes of solids that are not convex.

use taut::math::Vec3;
use taut_scenes::{Scene, builtin};

fn scene(name: &str, size: usize) -> Scene {
    builtin::find(name).expect("a scene").file(Some(size)).build().expect("a valid scene")
}

/// Steps, each of which must converge; the deepest penetration [m].
fn run(scene: &mut Scene, frames: usize) -> f64 {
    let mut deepest = 0.0_f64;
    for _ in 0..frames {
        let report = scene.step().expect("a step");
        assert!(report.converged() && !report.gained_energy(), "at {} s", report.time);
        deepest = deepest.max(report.max_penetration);
    }
    deepest
}

fn height(scene: &Scene, body: &str) -> f64 {
    let id = scene.world.body_named(body).expect("a body");
    scene.world.body(id).expect("a body").position().z
}

/// Links of 0.5 kg carry a tonne, one step a frame, by contact alone.
#[test]
fn a_chain_of_links_holds() {
    let mut scene = scene("shackle-chain", 8);
    let before = height(&scene, "load");
    let deepest = run(&mut scene, 120);
    assert!(deepest < 1e-7, "{deepest}");
    assert!((height(&scene, "load") - before).abs() < 1e-6);
}

/// The chain swings after a push, and stays whole.
#[test]
fn a_chain_of_links_swings() {
    let mut scene = scene("shackle-chain", 4);
    let load = scene.world.body_named("load").expect("a body");
    let push = Vec3::new(0.3, 0.1, 0.0);
    scene.world.set_velocity(load, push, Vec3::ZERO).expect("finite");
    let before = height(&scene, "load");
    let deepest = run(&mut scene, 40);
    // (1.9 mm; 0.3 mm where Newton's iterates are mixed from the first on, which opens joints elsewhere.)
    assert!(deepest < 3e-3, "{deepest}");
    let risen = height(&scene, "load") - before;
    // From v²/2g = 5 mm no more than that, and no link lets go.
    assert!(risen.abs() < 0.006, "{risen}");
}

/// The eye of a sling slides to the bottom of the hook and stays there.
#[test]
fn a_sling_slips_into_the_hook() {
    let mut scene = scene("hook", 1);
    run(&mut scene, 90);
    let id = scene.world.body_named("eye0").expect("a body");
    let eye = scene.world.body(id).expect("a body");
    assert!(eye.position().x.abs() < 0.01 && eye.velocity().length() < 0.01, "{}", eye.position());
    // The top of the ring on the bottom of the bowl: 60 mm down, less half the bars.
    assert!((eye.position().z + 0.075).abs() < 0.003, "{}", eye.position());
}

/// A turn moves the bolt by its pitch.
#[test]
fn a_bolt_winds_into_its_nut() {
    let mut scene = scene("bolt", 1);
    run(&mut scene, 6);
    let (from, start) = (height(&scene, "bolt0"), scene.world.time());
    let deepest = run(&mut scene, 18);
    let turns = scene.world.time() - start;
    let pitch = (from - height(&scene, "bolt0")) / turns;
    assert!((pitch - 0.01).abs() < 1e-4, "{pitch} m a turn");
    assert!(deepest < 1e-4, "{deepest}");
}

/// At 100 rad/s and under load, gears turn by the ratio of their teeth.
#[test]
fn gears_mesh() {
    let mut scene = scene("gears", 1);
    let angle = |scene: &Scene, name: &str| {
        let id = scene.world.joint_named(name).expect("a joint");
        scene.world.joint_position(id).expect("an angle")
    };
    run(&mut scene, 4);
    let before = [angle(&scene, "pinion-axle"), angle(&scene, "gear0-axle")];
    let deepest = run(&mut scene, 12);
    let turned =
        [angle(&scene, "pinion-axle") - before[0], angle(&scene, "gear0-axle") - before[1]];
    assert!((turned[0] - 20.0).abs() < 0.1, "{turned:?}");
    // Play is 0.2 mm of 150.
    assert!((turned[0] / turned[1] + 1.5).abs() < 0.005, "{turned:?}");
    assert!(deepest < 1e-3, "{deepest}");
}
