//! What a program does with a scene that runs: finds things by name, changes friction, drives and lets go.

use taut_scenes::file::SceneFile;
use taut_scenes::{Lever, Scene, builtin, find_body, find_cable, find_joint};

fn built(text: &str) -> (SceneFile, Scene) {
    let file = SceneFile::from_json(text).expect("valid");
    let scene = file.build().expect("valid");
    (file, scene)
}

#[test]
fn names_are_found_and_mistyped_ones_are_guessed() {
    let (_, scene) = built(
        r#"{"version": 1,
            "bodies": [{"name": "load", "shape": {"ball": {"radius": 0.1}}, "position": [0, 0, 1]}],
            "joints": [{"name": "rail", "type": "slider", "a": "world", "b": "load", "axis_a": [0, 0, 1]}],
            "cables": [{"name": "rope", "via": [{"body": "world", "point": [0, 0, 3]}, {"body": "load"}]}]}"#,
    );
    let world = &scene.world;
    assert_eq!(find_body(world, "load"), Ok(scene.bodies[0]));
    assert_eq!(find_joint(world, "rail").ok(), world.joint_named("rail"));
    assert_eq!(find_cable(world, "rope"), Ok(scene.cables[0].0));
    let guess = |what: &str, name: &str, near: &str| {
        Some(format!("no {what} is named '{name}'; did you mean '{near}'?"))
    };
    assert_eq!(find_body(world, "laod").err(), guess("body", "laod", "load"));
    assert_eq!(find_joint(world, "rial").err(), guess("joint", "rial", "rail"));
    assert_eq!(find_cable(world, "ropes").err(), guess("cable", "ropes", "rope"));
    assert_eq!(find_cable(world, "pylon"), Err("no cable is named 'pylon'".into()));
}

/// A box on a slope of 0.3 rests; where its friction is taken away it slides, and the file is as it was.
#[test]
fn friction_changes_while_a_scene_runs() {
    let (file, mut scene) = built(
        r#"{"version": 1, "gravity": [2.9, 0, -9.3], "ground": {}, "materials": {"rubber": {"friction": 0.9}},
            "bodies": [{"name": "box", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}},
                        "position": [0, 0, 0.1], "material": "rubber"}]}"#,
    );
    let run = |scene: &mut Scene| {
        (0..30).for_each(|_| assert!(scene.step().expect("a step").converged()));
        scene.world.body(scene.bodies[0]).expect("there").position().x
    };
    let rests = run(&mut scene);
    assert!(rests.abs() < 1e-6, "{rests}");
    scene.change_friction(&file, "rubber", 0.0).expect("valid");
    let slid = run(&mut scene) - rests;
    // ½gt² of 30 steps, the first of which begins at rest.
    assert!((slid / (0.5 * 2.9 * 0.25) - 1.0).abs() < 0.1, "{slid}");
    let wrong = scene.change_friction(&file, "rubber", -1.0).expect_err("negative");
    assert!(wrong.to_string().starts_with("change.friction.rubber"), "{wrong}");
}

/// Whoever lets go leaves levers to their rest; what hands did until a moment can be put back.
#[test]
fn hands_let_go_and_are_put_back() {
    let entry = builtin::find("forklift").expect("a scene");
    let file = entry.file(Some(entry.small_size));
    let mut scene = file.build().expect("valid");
    let lever =
        Lever::Motor { joint: find_joint(&scene.world, "bar").expect("there"), angle: false };
    assert_eq!(scene.controls_of(&file, lever), [1]);
    let run = |scene: &mut Scene, frames: usize| {
        (0..frames).for_each(|_| drop(scene.step().expect("a step")));
        lever.target(&scene.world).expect("a motor")
    };
    scene.control(&file, 1, 1.0);
    let turned = run(&mut scene, 10);
    assert!(turned > 0.0);
    let (then, moment) = (scene.hands(), scene.world.snapshot());
    scene.let_go(&file);
    assert_eq!(run(&mut scene, 60), 0.0);
    // Back to the moment before letting go, with what hands did until then: it goes on as if nobody had.
    scene.world.load(&moment).expect("its own");
    scene.set_hands(&file, then);
    assert!(run(&mut scene, 2) > turned);
}
