//! Scenes with soft bodies.

use taut_scenes::builtin::find;

/// Runs a built-in scene; every step converges, no energy is created, nothing inverts. Returns it, and the deepest penetration.
fn run(name: &str, frames: usize) -> (taut_scenes::Scene, f64) {
    let entry = find(name).expect("a scene");
    let file = entry.file(Some(entry.small_size));
    let mut scene = file.build().expect(name);
    let mut deepest = 0.0_f64;
    for frame in 0..frames {
        let report = scene.step().expect("a step");
        assert!(report.converged(), "{name}, frame {frame}: {:?}", report.failure);
        assert!(!report.gained_energy(), "{name}, frame {frame}: {} J", report.energy_gain);
        assert_eq!(report.inverted_elements, 0, "{name}, frame {frame}");
        deepest = deepest.max(report.max_penetration);
    }
    (scene, deepest)
}

#[test]
fn the_press_stands_where_it_should() {
    let (scene, deepest) = run("soft-press", 600);
    let plate = scene.world.body_named("plate0").expect("plate");
    let height = scene.world.body(plate).expect("plate").position().z - 0.02;
    let expected = 0.2 * (1.0 - 1004.0 * 9.81 / 4e4);
    assert!((height - expected).abs() < 1e-6, "{height}, not {expected}");
    assert!(deepest < 1e-6, "{deepest} m deep");
}

/// A motor lifts fingers, pads and box at 0.2 m/s: what it works is all there is.
#[test]
fn the_gripper_lifts_without_creating_energy() {
    let (scene, deepest) = run("soft-gripper", 150);
    let cargo = scene.world.body_named("box0").expect("box");
    let height = scene.world.body(cargo).expect("box").position().z;
    assert!(height > 0.15 + 0.1, "the box is at {height} m");
    assert!(deepest < 1e-5, "{deepest} m deep");
}

/// A file with soft bodies comes back as it was, recordings hold their surfaces, and snapshots continue to the same bits.
#[test]
fn files_recordings_and_snapshots_keep_soft_bodies() {
    use taut_scenes::recording::{Header, Recorder, Recording};
    let entry = find("soft-gripper").expect("a scene");
    let file = entry.file(Some(entry.small_size));
    let text = serde_json::to_string(&file).expect("text");
    let again = taut_scenes::file::SceneFile::from_json(&text).expect("a scene");
    assert_eq!(file, again);
    let mut scene = file.build().expect("a scene");
    let (header, _) = Header::new(&file, &scene);
    let mut recorder = Recorder::new(Vec::new(), &header).expect("a recorder");
    for _ in 0..10 {
        assert!(scene.step().expect("a step").converged());
        recorder.frame(&scene, None).expect("a frame");
    }
    recorder.snapshot(&scene.world.snapshot()).expect("a snapshot");
    let bytes = recorder.finish().expect("bytes");
    let recording = Recording::from_bytes(&bytes).expect("a recording");
    let nodes: u32 = recording.header.skins.iter().map(|s| s.nodes).sum();
    let last = recording.frames.last().expect("a frame");
    assert_eq!(last.skins.len(), nodes as usize);
    let soft = scene.world.soft_body(scene.softs[0]).expect("a soft body");
    let first = soft.mesh().surface_nodes()[0] as usize;
    assert!((f64::from(last.skins[0][0]) - soft.positions()[first].x).abs() < 2e-4);
    let (mut resumed, _) = recording.resume().expect("a scene");
    assert!(scene.step().expect("a step").converged());
    assert!(resumed.step().expect("a step").converged());
    let one = scene.world.soft_body(scene.softs[1]).expect("soft").positions();
    assert_eq!(one, resumed.world.soft_body(resumed.softs[1]).expect("soft").positions());
}
