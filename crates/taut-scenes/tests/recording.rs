//! Recordings: small, true to what ran, and harmless when damaged.

use taut::lcp::SolverConfig;
use taut_scenes::builtin;
use taut_scenes::recording::{Header, NONE, Recorder, Recording, figures};

/// A run of so many frames, recorded, and the positions it ended with.
fn record(name: &str, size: usize, frames: usize) -> (Vec<u8>, Vec<[f64; 3]>) {
    let file = builtin::find(name).expect("a scene").file(Some(size));
    let mut scene = file.build().expect("a scene");
    let mut recorder = Recorder::new(Vec::new(), &Header::new(&file, &scene).0).expect("a header");
    recorder.frame(&scene, None).expect("a frame");
    for _ in 0..frames {
        let report = scene.step().expect("a step");
        recorder.frame(&scene, Some(figures(&report, scene.dt))).expect("a frame");
    }
    recorder.snapshot(&scene.world.snapshot()).expect("a snapshot");
    let end = scene.bodies.iter().map(|&id| scene.world.body(id).expect("a body").position());
    (recorder.finish().expect("bytes"), end.map(Into::into).collect())
}

#[test]
fn what_ran_comes_back() {
    let (bytes, end) = record("chain", 10, 130);
    let recording = Recording::from_bytes(&bytes).expect("a recording");
    assert_eq!(recording.frames.len(), 131);
    assert_eq!(recording.header.joints.len(), recording.scene().joints.len());
    let last = &recording.frames[130];
    for (pose, expected) in last.poses.iter().zip(&end) {
        for k in 0..3 {
            assert!((f64::from(pose[k]) - expected[k]).abs() < 1e-5, "{pose:?} {expected:?}");
        }
    }
    assert!(recording.frames[0].figures[0].is_nan() && last.figures[5] > 0.0);
    let (scene, frame) = recording.resume().expect("a scene");
    assert_eq!(frame, 130);
    assert!((scene.world.time() - last.time).abs() < 1e-12);
}

#[test]
fn frames_take_few_bytes() {
    let (short, long) = (record("chain", 20, 60).0.len(), record("chain", 20, 180).0.len());
    // The values of 120 frames of a chain that swings and strikes, each of which
    // would take four bytes.
    let numbers = 120 * 21 * 7;
    assert!(long - short < 2 * numbers, "{} bytes for {numbers} numbers", long - short);
}

#[test]
fn damaged_bytes_are_refused_or_harmless() {
    let (bytes, _) = record("newtons-cradle", 3, 20);
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut refused = 0;
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random(3) {
            let at = random(damaged.len());
            damaged[at] = random(256) as u8;
        }
        damaged.truncate(damaged.len() - random(2) * random(bytes.len()));
        match Recording::from_bytes(&damaged) {
            Ok(recording) => drop(recording.resume()),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000, "{refused}");
}

/// A chain of 60 links, which the solver splits by itself: the recording has
/// its subsystems, until a solver takes over that does not split.
#[test]
fn automatic_subsystems_are_recorded() {
    let file = builtin::find("chain").expect("a scene").file(Some(60));
    let mut scene = file.build().expect("a scene");
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let mut recorder = Recorder::new(Vec::new(), &Header::new(&file, &scene).0).expect("a header");
    recorder.frame(&scene, None).expect("a frame");
    let mut seen = Vec::new();
    for solver in ["schur_bpp", "schur_bpp", "bpp"] {
        scene.world.settings_mut().solver = SolverConfig::named(solver).expect("a solver");
        let _ = scene.step().expect("a step");
        recorder.frame(&scene, None).expect("a frame");
        seen.push(scene.bodies.iter().map(|&id| scene.world.subsystem(id)).collect::<Vec<_>>());
    }
    let recording = Recording::from_bytes(&recorder.finish().expect("bytes")).expect("a recording");
    let frames: Vec<_> = recording.frames.iter().map(|f| &f.subsystems).collect();
    assert!(frames[0].is_empty() && frames[3].is_empty(), "{frames:?}");
    for (recorded, seen) in frames[1..3].iter().zip(&seen) {
        let expected = seen.iter().map(|first| {
            let place = |id| scene.bodies.iter().position(|b| *b == id);
            first.and_then(place).map_or(NONE, |k| k as u32)
        });
        assert_eq!(**recorded, expected.collect::<Vec<_>>());
        let mut parts = recorded.iter().filter(|first| **first != NONE).collect::<Vec<_>>();
        parts.sort_unstable();
        parts.dedup();
        // 60 bodies, at most 16 in each, most of a size.
        assert!((4..12).contains(&parts.len()), "{recorded:?}");
    }
}
