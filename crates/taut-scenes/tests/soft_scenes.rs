//! Scenes with soft bodies.

use taut_scenes::builtin::find;

/// Runs a built-in scene; every step converges, no energy is created, nothing inverts. Returns it, and the deepest penetration.
fn run(name: &str, frames: usize) -> (taut_scenes::Scene, f64) {
    run_of(name, find(name).expect("a scene").small_size, frames)
}

fn run_of(name: &str, size: usize, frames: usize) -> (taut_scenes::Scene, f64) {
    let file = find(name).expect("a scene").file(Some(size));
    let mut scene = file.build().expect(name);
    let mut deepest = 0.0_f64;
    for frame in 0..frames {
        let report = scene.step().expect("a step");
        assert!(report.converged(), "{name}, frame {frame}: {:?}", report.failure);
        assert!(!report.gained_energy(), "{name}, frame {frame}: {} J", report.energy_gain);
        assert_eq!(report.inverted, None, "{name}, frame {frame}");
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

/// Cubes that are turned against one another meet by nodes and edges, and do not sink in.
#[test]
fn jelly_comes_to_rest() {
    let (scene, deepest) = run("jelly-stack", 150);
    assert!(deepest < 2e-3, "{deepest} m deep");
    for (_, soft) in scene.world.soft_bodies() {
        let fastest = soft.velocities().iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 0.1, "{} moves at {fastest} m/s", soft.name());
    }
}

/// Boxes have more than one corner on a face of the beam. (With one contact a face they were 6 mm deep.)
#[test]
fn boxes_do_not_sink_into_the_beam() {
    let (_, deepest) = run("beam-bridge", 60);
    assert!(deepest < 1e-3, "{deepest} m deep");
}

/// The tyre bears the weight of all, and rolls over the bump.
#[test]
fn the_tyre_rolls_over_the_bump() {
    let (scene, deepest) = run("tyre", 30);
    let soft: f64 = scene.world.soft_bodies().map(|(_, s)| s.total_mass()).sum();
    let mass = 2500.0 + 60.0 + soft;
    let load: f64 = scene.world.soft_contacts().map(|c| c.normal_force).sum();
    // It still bounces a little.
    assert!((load / (mass * 9.81) - 1.0).abs() < 0.05, "{load} N, not {}", mass * 9.81);
    assert!(deepest < 1e-6, "{deepest} m deep");
    let (scene, deepest) = run("tyre", 200);
    let rim = scene.world.body_named("rim0").expect("a rim");
    let x = scene.world.body(rim).expect("a rim").position().x;
    assert!(x > 2.1, "it got to {x} m");
    assert!(deepest < 1e-3, "{deepest} m deep");
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

/// A closed surface is filled, has the mass of what it encloses, and stands on the ground; one with a hole is refused.
#[test]
fn surfaces_are_filled() {
    use taut_scenes::file::SceneFile;
    // A prism of 0.3 m x 0.3 m x 0.2 m, by its corners.
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from))
        .map(|[x, y, z]| [0.3 * x, 0.3 * y, 0.2 * z])
        .collect();
    let mut sides = vec![[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4]];
    sides.extend([[2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]);
    let file = |sides: &[[u32; 3]], cell: f64| {
        let mesh =
            serde_json::json!({"surface": {"vertices": corners, "triangles": sides, "cell": cell}});
        let soft = serde_json::json!({"name": "block", "mesh": mesh, "young": 2e5, "density": 500, "damping": [0, 0.02]});
        let scene = serde_json::json!({"version": 1, "ground": {}, "soft_bodies": [soft]});
        SceneFile::from_json(&scene.to_string()).expect("a scene").build()
    };
    let mut scene = file(&sides, 0.1).expect("a scene");
    let mass = 500.0 * 0.3 * 0.3 * 0.2;
    let soft = scene.world.soft_body(scene.softs[0]).expect("soft");
    assert!((soft.total_mass() - mass).abs() < 1e-9 * mass, "{} kg", soft.total_mass());
    for _ in 0..60 {
        let report = scene.step().expect("a step");
        assert!(report.converged() && !report.gained_energy(), "{:?}", report.failure);
        assert!(report.max_penetration < 1e-6, "{} m deep", report.max_penetration);
    }
    let load: f64 = scene.world.soft_contacts().map(|c| c.normal_force).sum();
    assert!((load / (mass * 9.81) - 1.0).abs() < 0.02, "{load} N");
    let open = file(&sides[1..], 0.1).expect_err("it has a hole").to_string();
    assert!(open.contains("soft_bodies[0].mesh") && open.contains("surface"), "{open}");
    assert!(file(&sides, 0.0).is_err());
}

/// The step in which the jellies land takes a thousand factorizations, and settles. (It was cut off at 500.)
#[test]
fn jellies_land() {
    let size = find("jelly-stack").expect("a scene").default_size;
    run_of("jelly-stack", size, 20);
}
