//! What `taut run` and `taut export` promise their users.

mod common;

use common::{assert_refused, stderr, stdout, taut};
use std::fs;
use std::path::Path;

const COLUMNS: &str = "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";

/// The example of the documentation.
const CHAIN: &str = r#"{"version": 1, "gravity": [0, 0, -9.81], "dt": 0.0166666666666667,
 "materials": {"default": {"friction": 0.5, "restitution": 0}},
 "ground": {"height": 0, "material": "default"},
 "bodies": [{"name": "b,0", "mass": 0.25, "shape": {"box": {"half_extents": [0.05, 0.01, 0.01]}},
             "position": [0.05, 0, 1], "orientation": [1, 0, 0, 0], "velocity": [0, 0, 0],
             "angular_velocity": [0, 0, 0], "collides": true},
            {"name": "crate", "density": 300, "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}},
             "position": [3, 0, 0.1]}],
 "joints": [{"type": "ball", "a": "world", "b": "b,0", "anchor_a": [0, 0, 1],
             "anchor_b": [-0.05, 0, 0]}]}"#;

fn write(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder").map(|e| e.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|n| n.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn run_reports_what_happened() {
    let out = taut(["run", "loaded-chain", "--size", "5", "--frames", "30", "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!(answer["scene"], "loaded-chain");
    assert_eq!(answer["frames"], 30);
    assert_eq!(answer["solver"], "auto");
    let choice = answer["choice"].as_str().expect("a line");
    assert!(choice.starts_with("dual bpp: 18 rows on 36 dofs, warm"), "{choice}");
    assert_eq!(answer["unconverged_steps"], 0);
    assert_eq!(answer["mass_ratio"], 2000.0);
    assert!((answer["dt"].as_f64().expect("a number") - 1.0 / 60.0).abs() < 1e-15);
    let numbers = ["max_penetration", "max_joint_gap", "cpu_seconds_per_frame", "real_time_factor"];
    for field in numbers {
        assert!(answer[field].as_f64().is_some_and(|x| x >= 0.0), "{field}: {answer}");
    }
    assert!(answer["max_joint_gap"].as_f64().is_some_and(|x| x < 1e-2), "{answer}");
    let text = stdout(&taut(["run", "heavy-stack", "--frames", "3", "--size", "3"]));
    for word in ["real time", "unconverged", "none", "penetration", "joint gap"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!text.contains("tension"), "{text}");
    let text = stdout(&taut(["run", "elevator", "--frames", "3"]));
    assert!(text.contains("  tension        at most "), "{text}");
}

/// A scene of loads (name, mass, position, velocity) and one cable.
fn with_cable(loads: &[(&str, f64, [f64; 3], [f64; 3])], cable: serde_json::Value) -> String {
    let body = |&(name, mass, position, velocity): &(&str, f64, [f64; 3], [f64; 3])| {
        let inertia = [0.01 * mass; 3];
        serde_json::json!({"name": name, "mass": mass, "inertia": inertia, "position": position,
                           "velocity": velocity, "collides": false})
    };
    let bodies: Vec<_> = loads.iter().map(body).collect();
    serde_json::json!({"version": 1, "duration": 2, "bodies": bodies, "cables": [cable]})
        .to_string()
}

#[test]
fn run_says_what_became_of_cables() {
    let dir = folder();
    let hung = [("a", 10.0, [0.0, 0.0, -1.0], [0.0; 3])];
    let ends = serde_json::json!([{"body": "world"}, {"body": "a"}]);
    let sheave = serde_json::json!([{"body": "a"},
        {"body": "world", "pulley": {"axis": [0, 1, 0], "radius": 0.2}}, {"body": "b"}]);
    let swung =
        [("a", 10.0, [-0.2, 0.0, -3.0], [0.0; 3]), ("b", 9.0, [0.2, 0.0, -3.0], [0.0, 9.0, 0.0])];
    let cases = [
        (
            with_cable(&hung, serde_json::json!({"via": ends, "break_tension": 50})),
            ("broken_cables", 0),
        ),
        (
            with_cable(&hung, serde_json::json!({"via": ends, "winch": {"speed": -1}})),
            ("stopped_winches", 0),
        ),
        (with_cable(&swung, serde_json::json!({"via": sheave})), ("left_pulleys", 1)),
    ];
    for (text, (list, code)) in cases {
        let file = write(dir.path(), "scene.json", &text);
        let out = taut(["run", &file, "--json"]);
        assert_eq!(out.status.code(), Some(code), "{list}: {}", stderr(&out));
        let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
        assert_eq!(answer[list].as_array().map(Vec::len), Some(1), "{list}: {answer}");
        assert!(answer[list][0].as_str().is_some_and(|s| s.contains("'cable0'")), "{answer}");
    }
    // A cable with mass is a chain of points.
    let line = serde_json::json!({"name": "line", "mass": 2, "points": 10, "length": 12,
        "via": [{"body": "world"}, {"body": "world", "point": [10, 0, 0]}]});
    let file = write(dir.path(), "line.json", &with_cable(&[], line));
    let out = taut(["run", &file, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!((&answer["bodies"], &answer["max_rows"]), (&10.into(), &11.into()), "{answer}");
}

#[test]
fn run_says_that_a_cable_is_too_long() {
    // A load between a post and a cart that drives away: one of two cables that do not stretch has to.
    let scene = serde_json::json!({"version": 1, "gravity": [0, 0, 0], "bodies": [
        {"name": "load", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0]},
        {"name": "cart", "kind": "kinematic", "position": [2, 0, 0], "velocity": [1, 0, 0]}],
        "cables": [{"name": "back", "via": [{"body": "world"}, {"body": "load"}]},
                   {"name": "front", "via": [{"body": "load"}, {"body": "cart"}]}]});
    let dir = folder();
    let file = write(dir.path(), "scene.json", &scene.to_string());
    let out = taut(["run", &file, "--frames", "20"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    let text = stdout(&out);
    assert!(text.contains("too long       in 20 steps a cable that does not stretch"), "{text}");
    let out = taut(["run", &file, "--frames", "20", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!(answer["overlong_steps"], 20, "{answer}");
    assert!(answer["max_over_length"].as_f64().is_some_and(|x| x > 0.1), "{answer}");
}

#[test]
fn options_change_the_scene() {
    let out = taut([
        "run",
        "heavy-stack",
        "--size",
        "2",
        "--frames",
        "4",
        "--dt",
        "0.01",
        "--solver",
        "pgs",
        "--threads",
        "2",
        "--json",
    ]);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!((&answer["solver"], &answer["dt"]), (&"pgs".into(), &0.01.into()));
    assert_eq!(answer["threads"], 2);
}

#[test]
fn poses_are_complete_and_exact() {
    let dir = folder();
    let scene = write(dir.path(), "chain.json", CHAIN);
    let poses = dir.path().join("poses.csv");
    let poses = poses.to_str().expect("a path");
    let out = taut(["run", &scene, "--frames", "12", "--poses", poses, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!(answer["scene"], "chain");
    let text = fs::read_to_string(poses).expect("poses");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(COLUMNS));
    let rows: Vec<&str> = lines.collect();
    assert_eq!(rows.len(), 2 * 12);
    assert!(rows[0].starts_with("1,0.0166666666666667,\"b,0\","), "{}", rows[0]);
    assert!(rows[23].starts_with("12,0.2"), "{}", rows[23]);
    assert!(rows[23].contains(",crate,3.0"), "{}", rows[23]);
    let first: Vec<&str> = rows[1].split(',').collect();
    assert_eq!(first.len(), COLUMNS.split(',').count());
    assert!(first[3..].iter().all(|x| x.parse::<f64>().is_ok()), "{first:?}");
    assert_eq!(names(dir.path()), ["chain.json", "poses.csv"]);
    // The same run gives the same bytes.
    taut(["run", &scene, "--frames", "12", "--poses", poses]);
    assert_eq!(fs::read_to_string(poses).expect("poses"), text);
}

#[test]
fn a_step_that_does_not_converge_is_told() {
    let dir = folder();
    let text = CHAIN.replace(
        "\"version\": 1,",
        "\"version\": 1, \"settings\": \
        {\"solver\": \"pgs\", \"max_iterations\": 1, \"tolerance\": 1e-14},",
    );
    let scene = write(dir.path(), "loose.json", &text);
    let out = taut(["run", &scene, "--frames", "5", "--json"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert!(answer["unconverged_steps"].as_u64().is_some_and(|n| n > 0), "{answer}");
    let text = stdout(&taut(["run", &scene, "--frames", "5"]));
    assert!(text.contains("first frame"), "{text}");
}

#[test]
fn wrong_use_gets_a_line_and_a_hint() {
    let dir = folder();
    let bad = write(dir.path(), "bad.json", r#"{"version": 1, "bodies": [{"name": "b"}]}"#);
    let good = write(dir.path(), "good.json", CHAIN);
    let nowhere = dir.path().join("no/such/poses.csv").display().to_string();
    let here = dir.path().display().to_string();
    let cases: &[(&[&str], &[&str])] = &[
        (&["run"], &["SCENE"]),
        (&["run", "loaded-chian"], &["loaded-chian", "loaded-chain"]),
        (&["run", "none.json"], &["none.json", "cannot be read"]),
        (&["run", &bad], &["bad.json", "bodies[0]", "'b'"]),
        (&["run", &good, "--size", "3"], &["--size"]),
        (&["run", &good, "--solver", "magic"], &["magic"]),
        (&["run", &good, "--frames", "0"], &["--frames", "0"]),
        (&["run", &good, "--dt", "0"], &["--dt", "positive"]),
        (&["run", &good, "--dt", "nan"], &["--dt", "positive"]),
        (&["run", &good, "--threads", "0"], &["--threads"]),
        (&["run", &good, "--poses", &nowhere], &["poses.csv", "cannot be written"]),
        (&["run", &good, "--record", &here], &["cannot be written", "not a regular file"]),
        (&["export", &good, "--out", &here], &["--frame"]),
        (&["export", &good, "--frame", "1"], &["--out"]),
        (&["export", &good, "--frame", "1", "--out", "x.json"], &["x.json", "folder"]),
    ];
    for (args, words) in cases {
        assert_refused(&taut(*args), words, &args.join(" "));
    }
    assert_eq!(names(dir.path()), ["bad.json", "good.json"]);
}

#[test]
fn exported_problems_can_be_solved() {
    let dir = folder();
    let out = dir.path().join("problem").display().to_string();
    // Two islands: a chain and a crate on the ground.
    let scene = write(dir.path(), "chain.json", CHAIN);
    let done = taut(["export", &scene, "--frame", "3", "--out", &out]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    assert!(stdout(&done).contains("15 rows"), "{}", stdout(&done));
    assert_eq!(names(Path::new(&out)), ["A.mtx", "b.mtx", "hi.mtx", "lo.mtx"]);
    let solved = taut(["solve", &out, "--json"]);
    assert_eq!(solved.status.code(), Some(0), "{}", stderr(&solved));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&solved)).expect("a document");
    assert_eq!(answer["rows"], 15);
}

/// With cones there is a fifth file, and the problem read back has the same answer.
#[test]
fn exported_cones_can_be_solved() {
    let dir = folder();
    let out = dir.path().join("problem").display().to_string();
    let twist = CHAIN.replace("\"bodies\"", "\"settings\": {\"friction\": \"cone\"}, \"bodies\"");
    let scene = write(dir.path(), "chain.json", &twist);
    let done = taut(["export", &scene, "--frame", "3", "--out", &out]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    assert_eq!(names(Path::new(&out)), ["A.mtx", "b.mtx", "hi.mtx", "laws.json", "lo.mtx"]);
    let read = taut_lcp::io::matrix_market::read_folder(Path::new(&out)).expect("readable");
    let mut world = taut_scenes::file::SceneFile::read(Path::new(&scene)).expect("a scene");
    world.name = None;
    let mut scene = world.build().expect("a scene");
    (0..3).for_each(|_| assert!(scene.step().expect("a step").converged()));
    let problem = scene.world.problem().expect("a problem");
    assert!(problem.has_cones());
    assert_eq!(read.laws, problem.laws);
    let stop = taut_lcp::Stop::default();
    let answer = |p: &taut_lcp::Problem| {
        let mut session = taut_lcp::Session::named("auto").expect("a solver").stop(stop);
        let solved = session.solve(p).expect("accepted");
        assert_eq!(solved.status(), taut_lcp::Status::Converged);
        solved.lambda().to_vec()
    };
    let (a, b) = (answer(&read), answer(&problem));
    let most = b.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    // Four corners share a load in many ways: sums agree, and so do velocities.
    let mut judge = taut_lcp::Judge::default();
    let _ = judge.verdict(&problem, &a);
    let w = judge.velocities().to_vec();
    let _ = judge.verdict(&problem, &b);
    let off = w.iter().zip(judge.velocities()).fold(0.0_f64, |s, (a, b)| s.max((a - b).abs()));
    assert!(off < 1e-8 && most > 0.0, "{off}");
    let solved = taut(["solve", &out, "--json"]);
    assert_eq!(solved.status.code(), Some(0), "{}", stderr(&solved));
}

#[test]
fn contacts_can_be_exported_as_fclib() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let out = path("stack.hdf5");
    let args = ["export", "heavy-stack", "--size", "2", "--frame", "3", "--out", &out];
    let done = taut(args);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    // It can be read back and solved; solvers of boxes refuse its cones.
    assert_eq!(taut(["solve", &out]).status.code(), Some(0));
    assert_refused(&taut(["solve", &out, "--solver", "bpp"]), &["cones"], "cones");
    let scene = write(dir.path(), "chain.json", CHAIN);
    let refused = taut(["export", &scene, "--frame", "3", "--out", &path("chain.hdf5")]);
    assert_refused(&refused, &["row 0", "FCLIB"], "joints");
    assert_eq!(names(dir.path()), ["chain.json", "stack.hdf5"]);
}

#[test]
fn exported_scenes_run_to_the_same_bits() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let file = path("scene.json");
    let done = taut(["export", "four-bar", "--out", &file]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    for (scene, poses) in [("four-bar", path("a.csv")), (file.as_str(), path("b.csv"))] {
        let out = taut(["run", scene, "--frames", "20", "--poses", &poses]);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    }
    let read = |name: &str| fs::read(path(name)).expect("poses");
    assert!(read("a.csv") == read("b.csv"));
}

#[test]
fn recordings_hold_scene_and_frames() {
    let dir = folder();
    let scene = write(dir.path(), "chain.json", CHAIN);
    let file = dir.path().join("chain.rec");
    let out = taut(["run", &scene, "--frames", "7", "--record", file.to_str().expect("a path")]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let bytes = fs::read(&file).expect("a recording");
    let recording = taut_scenes::recording::Recording::from_bytes(&bytes).expect("a recording");
    let names: Vec<_> = recording.header.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["b,0", "crate"]);
    assert_eq!(recording.scene().name.as_deref(), Some("chain"));
    assert_eq!(recording.frames.len(), 8); // the start, and seven steps
    for (value, expected) in recording.frames[0].poses[1].iter().zip([3.0, 0.0, 0.1, 1.0, 0.0]) {
        assert!((value - expected).abs() < 1e-5, "{value} {expected}");
    }
    let (frame, end) = &recording.snapshots[0];
    assert_eq!((recording.snapshots.len(), *frame), (1, 7));
    let world = taut::World::restore(end).expect("a world");
    let link = world.body_named("b,0").map(|id| world.body(id).expect("a body").position().x);
    assert!(link.is_some_and(|x| (x as f32 - recording.frames[7].poses[0][0]).abs() < 1e-5));
    for length in [0, 7, 11, 20, bytes.len() - 1] {
        let cut = taut_scenes::recording::Recording::from_bytes(&bytes[..length]);
        assert!(cut.is_err(), "{length}");
    }
}

#[test]
fn a_recording_is_continued_to_the_same_bits() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let run = |scene: &str, frames: &str, record: &str, poses: &str| {
        let out = taut([
            "run", scene, "--size", "4", "--frames", frames, "--record", record, "--poses", poses,
        ]);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    };
    run("tandem-cranes", "12", &path("whole.rec"), &path("whole.csv"));
    run("tandem-cranes", "8", &path("first.rec"), &path("first.csv"));
    let (rest, poses) = (path("rest.rec"), path("rest.csv"));
    let out =
        taut(["run", &path("first.rec"), "--frames", "4", "--record", &rest, "--poses", &poses]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    // All but the number of the frame.
    let last = |name: &str, frame: &str| -> Vec<String> {
        let text = fs::read_to_string(path(name)).expect("poses");
        let rows = text.lines().filter_map(|l| l.split_once(',')).filter(|l| l.0 == frame);
        rows.map(|l| l.1.to_string()).collect()
    };
    let whole = last("whole.csv", "12");
    assert!(whole.len() > 10 && whole == last("rest.csv", "4"));
    let answer = taut(["run", &path("first.rec"), "--size", "3"]);
    assert_refused(&answer, &["--size"], "a recording has its size");
}

#[test]
fn every_listed_scene_can_be_named() {
    let out = taut(["list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    let scenes = list["scenes"].as_array().expect("scenes");
    assert!(scenes.len() >= 9);
    for scene in scenes {
        let name = scene["name"].as_str().expect("a name");
        assert!(taut_scenes::builtin::find(name).is_ok(), "{name}");
        assert!(stdout(&taut(["list"])).contains(name), "{name}");
    }
}
