//! Scene files by barriers: the same worlds, reports and recordings; nothing intersects; what is not taken is named.

use taut_scenes::Scene;
use taut_scenes::file::SceneFile;

fn scene(text: &str) -> Scene {
    let file = SceneFile::from_json(text).expect("a scene file");
    file.build().expect("a scene")
}

/// With barriers, and what is given beside.
fn with(rest: &str) -> String {
    format!(
        r#"{{"version": 1, "dt": 0.01, "duration": 0.5,
            "settings": {{"contact": {{"barrier": {{"d_hat": 1e-3, "eps_v": 1e-3}}}}}},
            {rest}}}"#
    )
}

fn run(scene: &mut Scene, steps: usize) {
    for k in 0..steps {
        let report = scene.step().expect("a step");
        assert!(report.converged(), "step {k}: {:?}", report.failure);
        let barriers = scene.barriers().expect("it runs by barriers");
        assert_eq!(barriers.system().intersection(), None, "step {k}");
        assert!(barriers.system().joint_gap() < 1e-9, "step {k}");
    }
}

fn said(text: &str) -> String {
    let mut scene = scene(text);
    scene.step().expect_err("refused").to_string()
}

/// A stack that touches at the start stands, its surfaces drawn back; a ball comes to rest beside it.
#[test]
fn a_stack_that_touches_stands() {
    let bodies = r#""ground": {}, "bodies": [
        {"name": "low", "shape": {"box": {"half_extents": [0.2, 0.2, 0.1]}}, "position": [0, 0, 0.1]},
        {"name": "high", "shape": {"box": {"half_extents": [0.15, 0.15, 0.1]}}, "position": [0.02, 0.01, 0.3]},
        {"name": "ball", "shape": {"ball": {"radius": 0.1}}, "position": [0.6, 0, 0.15]}]"#;
    let mut scene = scene(&with(bodies));
    run(&mut scene, 60);
    let drawn_back = scene.barriers().expect("barriers").drawn_back();
    assert!((drawn_back - 0.5e-3).abs() < 1e-8, "{drawn_back}");
    let high = scene.world.body_named("high").expect("a body");
    let p = scene.world.body(high).expect("a body").position();
    assert!((p.z - 0.3).abs() < 2e-3 && (p.x - 0.02).abs() < 1e-4, "{p}");
    let ball = scene.world.body_named("ball").expect("a body");
    let z = scene.world.body(ball).expect("a body").position().z;
    assert!(z > 0.095 && z < 0.102, "{z}");
    assert!((scene.world.time() - 0.6).abs() < 1e-12);
}

/// A door on a hinge, a bob on a ball joint, a slider on a rail, a welded sign: as the exact engine has them, but for the damping of implicit Euler.
#[test]
fn joints_move_as_in_the_exact_engine() {
    let parts = r#""ground": {"height": -2}, "bodies": [
        {"name": "post", "kind": "fixed", "shape": {"box": {"half_extents": [0.05, 0.05, 1]}}},
        {"name": "door", "shape": {"box": {"half_extents": [0.4, 0.02, 0.5]}}, "position": [0.5, 0, 0], "angular_velocity": [0, 0, 1], "velocity": [0, 0.45, 0]},
        {"name": "bob", "mass": 2, "shape": {"ball": {"radius": 0.05}}, "position": [-1, 0, 0.5]},
        {"name": "sledge", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [3, 0, 0], "velocity": [0, 1, 0]},
        {"name": "sign", "shape": {"box": {"half_extents": [0.1, 0.02, 0.1]}}, "position": [3, 0, 0.4]}],
      "joints": [
        {"type": "hinge", "a": "post", "b": "door", "anchor_a": [0.05, 0, 0], "axis_a": [0, 0, 1]},
        {"type": "ball", "a": "world", "b": "bob", "anchor_a": [-2, 0, 0.5]},
        {"type": "slider", "a": "world", "b": "sledge", "axis_a": [0, 1, 0]},
        {"type": "weld", "a": "sledge", "b": "sign"}]"#;
    let ends = |text: &str, barrier: bool| {
        let mut scene = scene(text);
        if barrier {
            run(&mut scene, 30);
        } else {
            (0..30).for_each(|_| assert!(scene.step().expect("a step").converged()));
        }
        ["door", "bob", "sledge", "sign"].map(|name| {
            let id = scene.world.body_named(name).expect("a body");
            scene.world.body(id).expect("a body").position()
        })
    };
    let barrier = with(parts);
    let exact =
        barrier.replace(r#"{"barrier": {"d_hat": 1e-3, "eps_v": 1e-3}}"#, r#""complementarity""#);
    let (found, wanted) = (ends(&barrier, true), ends(&exact, false));
    for (found, wanted) in found.into_iter().zip(wanted) {
        // First order in the step: what falls for 0.3 s is ½ght, 1.5 cm, lower.
        assert!(found.distance(wanted) < 2e-2, "{found} for {wanted}");
    }
}

/// A driven pusher moves a box; a force lifts another; a soft block lands.
#[test]
fn drives_forces_and_soft_bodies() {
    let parts = r#""ground": {}, "bodies": [
        {"name": "pusher", "kind": "kinematic", "shape": {"box": {"half_extents": [0.05, 0.2, 0.1]}}, "position": [-0.3, 0, 0.12], "velocity": [0.5, 0, 0]},
        {"name": "box", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [0, 0, 0.101]},
        {"name": "rocket", "mass": 2, "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [2, 0, 0.101]}],
      "soft_bodies": [{"name": "jelly", "mesh": {"block": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "young": 1e5, "position": [1, 0, 0.15]}],
      "drives": [{"force": {"body": "rocket", "force": [[0, [0, 0, 39.24]]]}}]"#;
    let parsed = SceneFile::from_json(&with(parts));
    let mut scene = parsed.expect("a scene file").build().expect("a scene");
    run(&mut scene, 40);
    let at = |name: &str| {
        let id = scene.world.body_named(name).expect("a body");
        scene.world.body(id).expect("a body").position()
    };
    assert!((at("pusher").x + 0.1).abs() < 1e-3, "{}", at("pusher"));
    assert!(at("box").x > 0.04 && at("box").x < 0.06, "{}", at("box"));
    // ½ g t², with implicit Euler's t² + ht.
    let wanted = 0.101 + 0.5 * 9.81 * 0.4 * 0.41;
    assert!((at("rocket").z - wanted).abs() < 1e-3, "{}", at("rocket"));
    let soft = scene.world.soft_bodies().next().expect("a soft body").1;
    let lowest = soft.positions().iter().map(|x| x.z).fold(1.0, f64::min);
    assert!(lowest > 0.0 && lowest < 0.02, "{lowest}");
}

#[test]
fn what_is_not_taken_is_named() {
    let bar = r#"{"name": "bar", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [0, 0, 1]}"#;
    let one = |joint: &str| said(&with(&format!(r#""bodies": [{bar}], "joints": [{joint}]"#)));
    let motor = one(
        r#"{"name": "m", "type": "hinge", "a": "world", "b": "bar", "axis_a": [0, 0, 1], "limits": {"min": -1, "max": 1}}"#,
    );
    assert!(motor.contains("'m'") && motor.contains("limits"), "{motor}");
    let rope = one(
        r#"{"name": "r", "type": "distance", "a": "world", "b": "bar", "anchor_a": [0, 0, 2], "min": 0, "max": 1}"#,
    );
    assert!(rope.contains("'r'") && rope.contains("distance"), "{rope}");
    let cone = with(&format!(r#""bodies": [{bar}]"#));
    let boxes = said(&cone.replace(r#""settings": {"#, r#""settings": {"friction": "box", "#));
    assert!(boxes.contains("friction"), "{boxes}");
    let inside = r#"{"name": "inside", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [0.05, 0, 1]}"#;
    let cut = said(&with(&format!(r#""bodies": [{bar}, {inside}]"#)));
    assert!(cut.contains("bar") && cut.contains("inside") && cut.contains("intersect"), "{cut}");
}

/// A body within another one, or below the ground, has nothing that keeps it out.
#[test]
fn starts_within_one_another_are_refused() {
    let large = r#"{"name": "large", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [0, 0, 0.11]}"#;
    let small = |z: f64| {
        format!(
            r#"{{"name": "small", "shape": {{"box": {{"half_extents": [0.01, 0.01, 0.01]}}}}, "position": [0, 0, {z}]}}"#
        )
    };
    for z in [0.11, -1.0] {
        let said = said(&with(&format!(r#""ground": {{}}, "bodies": [{large}, {}]"#, small(z))));
        assert!(said.contains("small") && said.contains("inside"), "{z}: {said}");
    }
}

/// The ledger knows what a force does, and that nothing is created.
#[test]
fn work_of_a_force_is_in_the_ledger() {
    let parts = r#""gravity": [0, 0, 0],
        "bodies": [{"name": "a", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}}],
        "drives": [{"force": {"body": "a", "force": [[0, [8, 0, 0]], [2, [8, 0, 0]]]}}]"#;
    let mut scene = scene(&with(parts));
    let reports: Vec<_> = (0..100).map(|_| scene.step().expect("a step")).collect();
    let work: f64 = reports.iter().map(|r| r.work).sum();
    assert!((work - 4.0).abs() < 1e-6, "{work}");
    let last = &reports[99];
    assert!((last.kinetic_energy - 4.0).abs() < 1e-6 && last.energy_tolerance > 0.0);
    assert!(last.energy_gain < last.energy_tolerance, "{}", last.energy_gain);
}

fn cube(name: &str, half: f64, x: f64, gap: f64) -> String {
    let z = half + gap;
    format!(
        r#"{{"name": "{name}", "shape": {{"box": {{"half_extents": [{half}, {half}, {half}]}}}}, "position": [{x}, 0, {z}]}}"#
    )
}

fn height(scene: &Scene, name: &str) -> f64 {
    let id = scene.world.body_named(name).expect("a body");
    scene.world.body(id).expect("a body").position().z
}

/// What starts on the ground, or a hair above or below, stays: a box of 8 g beside one of a tonne, for which κ is. (Beside 8 t it went up by 4 cm.)
#[test]
fn what_starts_nearer_than_d_hat_stays() {
    for gap in [0.0, 1e-9, 1e-5, 1e-4, 5e-4, 9.9e-4, -1e-5, -9e-4] {
        let bodies = [cube("heavy", 0.5, 0.0, gap), cube("light", 0.01, 1.0, gap)].join(",");
        let text = with(&format!(r#""ground": {{}}, "bodies": [{bodies}]"#));
        let mut scene = scene(&text.replace(r#""dt": 0.01"#, r#""dt": 0.001"#));
        for k in 0..60 {
            let report = scene.step().expect("a step");
            assert!(report.converged() && !report.gained_energy(), "{gap} {k}: {report:?}");
            for (name, half) in [("heavy", 0.5), ("light", 0.01)] {
                let up = height(&scene, name) - half - gap;
                assert!(up < 1e-12 && up > -1.01e-3, "{gap} {k}: {name} is {up} above");
            }
        }
        let back = scene.barriers().expect("barriers").drawn_back();
        assert!((back - 0.5 * (1e-3 - gap)).abs() < 1e-8, "{gap}: {back}");
        assert!(scene.start_warnings().iter().any(|w| w.contains("drawn back")) || back < 1e-5);
    }
}

/// Rigid bodies make up for soft ones, whose surfaces are not drawn back.
#[test]
fn soft_bodies_on_the_ground_stay() {
    for gap in [0.0, 1e-4] {
        let soft = format!(
            r#"{{"name": "jelly", "mesh": {{"block": {{"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}}}}, "young": 1e5, "position": [0, 0, {gap}]}}"#
        );
        let heavy = cube("heavy", 0.5, 1.0, gap);
        let text = format!(r#""ground": {{}}, "bodies": [{heavy}], "soft_bodies": [{soft}]"#);
        let mut scene = scene(&with(&text).replace(r#""dt": 0.01"#, r#""dt": 0.002"#));
        for k in 0..20 {
            let report = scene.step().expect("a step");
            assert!(report.converged() && !report.gained_energy(), "{gap} {k}: {report:?}");
            let soft = scene.world.soft_bodies().next().expect("a soft body").1;
            let lowest = soft.positions().iter().map(|x| x.z).fold(1.0, f64::min);
            assert!(lowest < gap + 1e-9 && lowest > gap - 1.1e-3, "{gap} {k}: {lowest}");
            assert!(report.max_penetration < 2.2e-3, "{}", report.max_penetration);
        }
    }
}

/// Two soft bodies cannot be drawn back: that is said, and what they gain is created.
#[test]
fn energy_of_a_start_is_told() {
    let soft = |name: &str, z: f64| {
        format!(
            r#"{{"name": "{name}", "mesh": {{"block": {{"size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}}}}, "young": 1e5, "position": [0, 0, {z}]}}"#
        )
    };
    let softs = [soft("low", 0.1), soft("high", 0.3 + 1e-4)].join(",");
    let mut scene = scene(&with(&format!(r#""soft_bodies": [{softs}]"#)).replace("0.01", "0.002"));
    scene.begin_barriers().expect("it begins");
    let said = scene.start_warnings().join("; ");
    assert!(said.contains("'low' and 'high'") && said.contains("1.0e-4 m"), "{said}");
    let gained = (0..5).any(|_| scene.step().expect("a step").gained_energy());
    assert!(gained, "0.15 J of what barriers held");
}

/// Surfaces stay as they are where the world is changed, and where a recording goes on.
#[test]
fn what_was_drawn_back_stays_so() {
    use taut_scenes::recording::{Header, Recorder, Recording};
    let text = with(&format!(r#""ground": {{}}, "bodies": [{}]"#, cube("a", 0.1, 0.0, 4e-4)));
    let file = SceneFile::from_json(&text).expect("a scene file");
    let mut scene = file.build().expect("a scene");
    run(&mut scene, 40);
    let (back, at) = (scene.barriers().expect("barriers").drawn_back(), height(&scene, "a"));
    assert!((back - 3e-4).abs() < 1e-8, "{back}");
    let mut recorder = Recorder::new(Vec::new(), &Header::new(&file, &scene).0).expect("a header");
    recorder.frame(&scene, None).expect("a frame");
    recorder.snapshot(&scene.world.snapshot()).expect("a snapshot");
    let recording = Recording::from_bytes(&recorder.finish().expect("bytes")).expect("a recording");
    let (mut resumed, _) = recording.resume().expect("a scene");
    resumed.begin_barriers().expect("it goes on");
    let id = scene.world.body_named("a").expect("a body");
    scene
        .world
        .set_velocity(id, taut::math::Vec3::X * 0.1, taut::math::Vec3::ZERO)
        .expect("a push");
    for scene in [&mut scene, &mut resumed] {
        for _ in 0..10 {
            let report = scene.step().expect("a step");
            assert!(report.converged() && !report.gained_energy(), "{report:?}");
        }
        assert_eq!(scene.barriers().expect("barriers").drawn_back(), back);
        assert!((height(scene, "a") - at).abs() < 1e-6, "{} {at}", height(scene, "a"));
    }
}

/// Messages are in coordinates of the scene, and name the way out.
#[test]
fn messages_name_places_and_ways_out() {
    // They touch the ground, and are 5 cm inside one another: near an end of an edge.
    let high = cube("high", 0.1, 0.03, 0.15);
    let text =
        with(&format!(r#""ground": {{}}, "bodies": [{}, {high}]"#, cube("low", 0.1, 0.0, 0.0)));
    let said = said(&text);
    let at = said.split(['[', ']']).nth(1).expect("a place");
    let near: Vec<f64> = at.split(',').map(|x| x.trim().parse().expect("a number")).collect();
    let is = |k: usize, of: &[f64]| of.iter().any(|x| (near[k] - x).abs() < 1e-9);
    let is_corner =
        is(0, &[-0.1, 0.1, -0.07, 0.13]) && is(1, &[-0.1, 0.1]) && is(2, &[0.0, 0.2, 0.15, 0.35]);
    assert!(is_corner, "{said}");
    assert!(said.contains("low") && said.contains("high") && said.contains("apart"), "{said}");

    // Thinner than what it is drawn back by.
    let plate = r#"{"name": "plate", "shape": {"box": {"half_extents": [0.1, 0.1, 0.0004]}}, "position": [0, 0, 0.0005]}"#;
    let thin = self::said(&with(&format!(r#""ground": {{}}, "bodies": [{plate}]"#)));
    assert!(
        thin.contains("plate") && thin.contains("thinner") && thin.contains("smaller d_hat"),
        "{thin}"
    );

    // Features below d̂ are slow.
    let grain = r#"{"name": "grain", "shape": {"box": {"half_extents": [0.0004, 0.0004, 0.0004]}}, "position": [0, 0, 0.5]}"#;
    let mut scene = scene(&with(&format!(r#""ground": {{}}, "bodies": [{grain}]"#)));
    scene.begin_barriers().expect("it begins");
    let slow = scene.start_warnings().join("; ");
    assert!(slow.contains("grain") && slow.contains("8.0e-4") && slow.contains("slow"), "{slow}");

    // A d̂ that is too small for what bodies give way by.
    let text = with(&format!(r#""ground": {{}}, "bodies": [{}]"#, cube("a", 0.1, 0.0, 0.05)));
    let mut scene = self::scene(&text.replace(r#""d_hat": 1e-3"#, r#""d_hat": 1e-7"#));
    let failure = (0..30).find_map(|_| scene.step().expect("a step").failure).expect("a failure");
    assert!(failure.contains("larger d_hat") && failure.contains("smaller dt"), "{failure}");
}

/// Explicit springs tell from which step on they blow up, before they do.
#[test]
fn explicit_springs_warn_of_long_steps() {
    let said = |contact: &str| {
        let text = with(&format!(r#""ground": {{}}, "bodies": [{}]"#, cube("a", 0.1, 0.0, 0.05)));
        let mut file = SceneFile::from_json(&text).expect("a scene file");
        file.settings.contact = Some(contact.parse().expect("a model"));
        file.build().expect("a scene").start_warnings().join("; ")
    };
    // 2/√(6k/m): a cube rocks on four corners with ω² = 6k/m.
    let long = said("penalty:explicit,stiffness=1e6");
    assert!(
        long.contains("'a'") && long.contains("2.31e-3 s") && long.contains("1.00e-2 s"),
        "{long}"
    );
    assert_eq!(said("penalty:explicit,stiffness=5e4"), "");
    assert_eq!(said("penalty:stiffness=1e6"), "");
}

/// Scenes of the barrier crate are scene files, too: nothing intersects.
#[test]
fn unit_scenes_run_as_files() {
    use taut_barrier::{Settings, scenes};
    for name in scenes::NAMES {
        let system = scenes::named(name, Settings::default()).expect("a scene").expect("it builds");
        let file = taut_scenes::barrier::scene_file(&system, 0.01, 1.0).expect("a file");
        let mut scene = file.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        let is_large = ["wrecking-ball", "chain-net-4", "chain-net-8", "arch-25", "bolt-and-nut"];
        if is_large.contains(&name) {
            let begun = scene.begin_barriers().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(begun.expect("barriers").system().intersection(), None, "{name}");
        } else {
            run(&mut scene, 10);
        }
    }
}
