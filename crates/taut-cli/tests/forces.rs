//! `taut run --forces`, and what is said about the start of a scene.

mod common;

use common::{assert_refused, stderr, stdout, taut};
use std::fs;
use std::path::Path;

fn write(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn ball(name: &str, z: f64) -> String {
    format!(
        r#"{{"name": "{name}", "mass": 2, "shape": {{"ball": {{"radius": 0.1}}}},
            "position": [3, 0, {z}]}}"#
    )
}

fn scene(bodies: &[String], joints: &[&str]) -> String {
    let (bodies, joints) = (bodies.join(","), joints.join(","));
    format!(r#"{{"version": 1, "ground": {{}}, "bodies": [{bodies}], "joints": [{joints}]}}"#)
}

/// The weight of a box that rests, and the tensions of a chain that hangs: each
/// joint carries what is below it.
#[test]
fn forces_are_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let crate_ = r#"{"name": "crate,1", "mass": 10, "position": [0, 0, 0.25],
                     "shape": {"box": {"half_extents": [0.25, 0.25, 0.25]}}}"#;
    let bodies = [crate_.to_string(), ball("b0", 4.5), ball("b1", 4.0), ball("b2", 3.5)];
    let joints = [
        r#"{"type": "ball", "name": "j0", "a": "world", "b": "b0", "anchor_a": [3, 0, 5]}"#,
        r#"{"type": "ball", "name": "j1", "a": "b0", "b": "b1", "anchor_a": [0, 0, 0]}"#,
        r#"{"type": "distance", "name": "j2", "a": "b1", "b": "b2"}"#,
        r#"{"type": "slider", "name": "lift", "a": "world", "b": "b2", "axis_a": [0, 0, 1],
            "motor": {"velocity": {"target": -1, "max_force": 1}}}"#,
    ];
    let file = write(dir.path(), "scene.json", &scene(&bodies, &joints));
    let csv = dir.path().join("forces.csv").display().to_string();
    let out = taut(["run", &file, "--frames", "60", "--forces", &csv]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = fs::read_to_string(&csv).expect("the forces");
    let mut lines = text.lines();
    let columns = "frame,time,kind,name,a,b,x,y,z,fx,fy,fz,tx,ty,tz,motor";
    assert_eq!(lines.next(), Some(columns));
    let last: Vec<_> = lines.filter(|line| line.starts_with("60,")).collect();
    let g = 9.81;
    let crate_ = last.iter().filter(|l| l.contains(",contact,,ground,\"crate,1\","));
    // The quoted name has a comma of its own.
    let number = |line: &str, i: usize| line.split(',').nth(i).and_then(|x| x.parse::<f64>().ok());
    let weight: f64 = crate_.filter_map(|line| number(line, 12)).sum();
    assert!((weight - 10.0 * g).abs() < 1e-6, "{weight}");
    let joint = |name: &str| {
        let found = last.iter().find(|l| l.contains(&format!(",joint,{name},")));
        let line = found.unwrap_or_else(|| panic!("no row of {name}: {last:?}"));
        (number(line, 11).expect("fz"), number(line, 15).expect("motor"))
    };
    let motor = joint("lift").1;
    assert!((motor.abs() - 1.0).abs() < 1e-6, "{motor}");
    for (name, below) in [("j0", 3.0), ("j1", 2.0), ("j2", 1.0)] {
        let expected = below * 2.0 * g - motor;
        assert!((joint(name).0 - expected).abs() < 1e-4, "{name}: {:?}", joint(name));
    }
    // Every joint in every frame.
    assert_eq!(text.matches(",joint,").count(), 4 * 60);
    let nowhere = dir.path().join("none").join("forces.csv").display().to_string();
    let out = taut(["run", &file, "--forces", &nowhere]);
    assert_refused(&out, &["cannot be written"], "no folder");
}

#[test]
fn odd_starts_are_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let fine = write(dir.path(), "fine.json", &scene(&[ball("a", 1.0), ball("b", 2.0)], &[]));
    let out = taut(["run", &fine, "--frames", "1", "--json"]);
    assert!(!stderr(&out).contains("warning"), "{}", stderr(&out));
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!(answer["warnings"], serde_json::json!([]));

    let bodies: Vec<_> =
        (0..13).map(|i| ball(&format!("b{i}"), 1.0 + 0.15 * f64::from(i))).collect();
    let open = r#"{"type": "ball", "name": "open", "a": "world", "b": "b12",
                   "anchor_a": [3, 0, 4], "anchor_b": [0, 0, 0]}"#;
    let odd = write(dir.path(), "odd.json", &scene(&bodies, &[open]));
    let out = taut(["run", &odd, "--frames", "1", "--json"]);
    let text = stderr(&out);
    assert!(text.contains("warning: bodies 'b0' and 'b1' start inside one another"), "{text}");
    assert!(text.contains("5.00e-2 m") && text.contains("and 3 more"), "{text}");
    assert_eq!(text.matches("warning").count(), 11, "{text}");
    let answer: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one document");
    assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(11), "{answer}");
}

#[test]
fn absurd_sizes_are_refused() {
    for name in ["box-stack", "wall", "vehicle", "net-truck"] {
        let out = taut(["run", name, "--size", "100000000000"]);
        assert_refused(&out, &["bodies", "would do"], name);
    }
}

/// The tension of a cable that a load hangs on.
#[test]
fn tensions_are_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let csv = dir.path().join("forces.csv").display().to_string();
    let scene = format!(
        r#"{{"version": 1, "bodies": [{}], "cables": [{{"name": "rope",
            "via": [{{"body": "world", "point": [3, 0, 2]}}, {{"body": "load"}}]}}]}}"#,
        ball("load", 0.0)
    );
    let file = write(dir.path(), "scene.json", &scene);
    let out = taut(["run", &file, "--frames", "30", "--forces", &csv]);
    assert!(out.status.success(), "{out:?}");
    let text = fs::read_to_string(&csv).expect("the forces");
    let last = text.lines().last().expect("a row");
    let cells: Vec<&str> = last.split(',').collect();
    assert_eq!(cells[2..6], ["cable", "rope", "world", "load"]);
    let tension: f64 = cells[15].parse().expect("a number");
    assert!((tension - 19.62).abs() < 1e-6, "{tension}");
}
