//! Gravity and friction that change while a scene runs.

use serde_json::json;
use taut::math::Vec3;
use taut_scenes::Scene;
use taut_scenes::file::SceneFile;

fn file() -> SceneFile {
    let cube = |name: &str, x: f64| {
        json!({"name": name, "shape": {"box": {"half_extents": [0.2, 0.2, 0.2]}},
            "position": [x, 0, 0.2], "velocity": [3, 0, 0], "mass": 1, "material": name})
    };
    let text = json!({"version": 1, "ground": {}, "materials": {"ice": {"friction": 0.01},
        "rubber": {"friction": 0.9}}, "bodies": [cube("ice", 0.0), cube("rubber", 4.0)]});
    SceneFile::from_json(&text.to_string()).expect("valid")
}

fn bits(scene: &Scene) -> Vec<[u64; 3]> {
    let place = |&id| scene.world.body(id).expect("there").position().to_array();
    scene.bodies.iter().map(|id| place(id).map(f64::to_bits)).collect()
}

#[test]
fn what_hands_change_holds_from_then_on_in_the_file_too() {
    let file = file();
    let mut live = file.build().expect("valid");
    let step = |scene: &mut Scene, n: usize| (0..n).for_each(|_| _ = scene.step().expect("a step"));
    step(&mut live, 20);
    live.change_friction(&file, "ice", 2.0).expect("valid");
    live.change_gravity(&file, Vec3::Z * -5.0).expect("valid");
    live.change_gravity(&file, Vec3::Z * -20.0).expect("valid");
    assert_eq!(live.frictions(&file)["ice"], 2.0);
    step(&mut live, 20);
    let mut saved = file.clone();
    saved.drives.extend(live.driven());
    assert_eq!(saved.drives.len(), 1, "{:?}", saved.drives);
    let text = saved.to_json().expect("a file");
    let mut again = SceneFile::from_json(&text).and_then(|f| f.build()).expect("valid");
    step(&mut again, 19);
    assert_eq!(again.world.gravity().z, -9.81);
    step(&mut again, 21);
    assert_eq!((bits(&again), again.world.gravity().z), (bits(&live), -20.0));
    let mut unchanged = file.build().expect("valid");
    step(&mut unchanged, 40);
    assert!(bits(&unchanged) != bits(&live));
    // What starts over starts with it.
    let mut renewed = file.clone();
    live.keep_changes(&mut renewed);
    assert_eq!((renewed.gravity[2], renewed.materials["ice"].friction), (-20.0, 2.0));
}

#[test]
fn mistakes_name_their_place() {
    for (change, words) in [
        (
            json!({"time": 1, "friction": {"icy": 0.1}}),
            "drives[0].change.friction.icy: no material is named 'icy'; did you mean 'ice'?",
        ),
        (json!({"time": 1, "friction": {"ice": -0.1}}), "drives[0].change.friction.ice"),
        (json!({"time": 1, "gravity": [0, 0]}), "drives[0]"),
        (json!({"gravity": [0, 0, 1]}), "time"),
    ] {
        let mut text = serde_json::to_value(file()).expect("valid");
        text["drives"] = json!([{"change": change}]);
        let error = SceneFile::from_json(&text.to_string()).and_then(|f| f.build());
        let error = error.expect_err("wrong").to_string();
        assert!(error.contains(words), "{error}");
    }
    let file = file();
    assert!(file.build().expect("valid").change_friction(&file, "icy", 0.1).is_err());
}
