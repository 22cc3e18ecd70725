//! What `taut bench` promises its users.

mod common;

use common::{assert_refused, stderr, stdout, taut};
use serde_json::Value;
use std::fs;

fn document(args: &[&str], status: i32) -> Value {
    let out = taut([&["bench", "--json"], args].concat());
    assert_eq!(out.status.code(), Some(status), "{args:?}: {}", stderr(&out));
    serde_json::from_str(&stdout(&out)).expect("one document")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn figures_are_complete_and_agree() {
    let args = ["--scenes", "heavy-stack:4,wall:3", "--solvers", "bpp,ipm", "--frames", "12"];
    let all = document(&args, 0);
    assert_eq!(all["tolerance"], 1e-9);
    assert_eq!(all["solvers"], serde_json::json!(["bpp", "ipm"]));
    let scenes = all["scenes"].as_array().expect("a list");
    let names: Vec<&str> = scenes.iter().filter_map(|s| s["scene"].as_str()).collect();
    assert_eq!(names, ["heavy-stack", "wall"]);
    for scene in scenes {
        assert_eq!((&scene["frames"], &scene["unconverged_steps"]), (&12.into(), &0.into()));
        assert!(number(&scene["mean_rows"]) <= number(&scene["max_rows"]));
        assert!(number(&scene["condition"]) > 1.0);
        assert!(number(&scene["mass_ratio"]) >= 1.0);
        let frames = 12.0 - number(&scene["empty_frames"]);
        let (baseline, oracle) = (&scene["baseline"], &scene["oracle"]);
        assert_eq!(number(&oracle["solves"]), frames);
        // A start that is the answer costs the baseline nothing.
        let most = number(&baseline["factorizations"]).max(frames);
        assert!(number(&oracle["factorizations"]) <= most);
        for solver in scene["solvers"].as_array().expect("a list").iter().chain([baseline]) {
            method(solver, scene, frames);
        }
    }
}

fn method(solver: &Value, scene: &Value, frames: f64) {
    assert_eq!(number(&solver["solves"]), frames, "{solver}");
    assert_eq!(number(&solver["not_converged"]), 0.0);
    assert_eq!(number(&solver["share_not_converged"]), 0.0);
    assert!(number(&solver["outer_iterations"]) <= number(&solver["max_outer_iterations"]));
    assert!(number(&solver["factorizations"]) >= 0.0);
    assert!(number(&solver["inner_iterations"]) >= 0.0);
    assert!(number(&solver["max_relative_residual"]) <= 1e-9);
    assert!(number(&solver["max_energy_error"]) < 1e-12);
    let time = |s: &Value, what: &str| number(&s["solve_ms"][what]);
    assert!(time(solver, "mean") <= time(solver, "worst"));
    assert!(time(solver, "p95") <= time(solver, "worst"));
    // Every method solved every frame, so ratios are those of the means.
    for (ratio, other) in [("ratio_to_baseline", "baseline"), ("ratio_to_oracle", "oracle")] {
        let means = time(solver, "mean") / time(&scene[other], "mean");
        assert!((number(&solver[ratio]) / means - 1.0).abs() < 1e-9, "{ratio}: {solver}");
    }
    let times = solver["series"]["solve_ms"].as_array().expect("a list");
    let sum: f64 = times.iter().map(number).sum();
    assert!((sum / frames / time(solver, "mean") - 1.0).abs() < 1e-9);
}

/// Counts do not depend on the machine, nor on what else is measured.
#[test]
fn counts_repeat() {
    let counts = |solvers: &str| {
        let args = ["--scenes", "wall", "--size", "3", "--frames", "8", "--skip", "4"];
        let all = document(&[&args[..], &["--solvers", solvers]].concat(), 0);
        let scene = &all["scenes"][0];
        assert_eq!(scene["skipped_frames"], 4);
        assert_eq!(scene["series"]["frame"][0], 5);
        (scene["solvers"][0]["series"]["outer_iterations"].clone(), scene["series"]["rows"].clone())
    };
    assert_eq!(counts("ipm"), counts("ipm,bpp"));
}

#[test]
fn what_does_not_converge_is_status_1() {
    let args = ["--scenes", "heavy-stack", "--frames", "2", "--solvers"];
    let all = document(&[&args[..], &["jacobi"]].concat(), 1);
    let solver = &all["scenes"][0]["solvers"][0];
    assert_eq!(number(&solver["share_not_converged"]), 1.0);
    let all = document(&[&args[..], &["enumerate"]].concat(), 1);
    let solver = &all["scenes"][0]["solvers"][0];
    assert!(solver["refused"].as_str().is_some_and(|r| r.contains("more than 12")), "{solver}");
    let out = taut([&["bench"], &args[..], &["enumerate"]].concat());
    assert!(stdout(&out).contains("enumerate refused"), "{}", stdout(&out));
}

#[test]
fn the_report_is_one_page() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("report.html");
    let path = page.display().to_string();
    let scenes = "heavy-stack:2,four-bar";
    let out = taut(["bench", "--scenes", scenes, "--frames", "3", "--report", &path]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    for word in ["heavy-stack", "four-bar", "baseline", "oracle", "bpp", "ipm", "/baseline"] {
        assert!(stdout(&out).contains(word), "{word}: {}", stdout(&out));
    }
    let html = fs::read_to_string(page).expect("a page");
    let count = |what: &str| html.matches(what).count();
    assert_eq!((count("<svg "), count("</svg>")), (8, 8));
    assert_eq!((count("<table>"), count("</table>")), (3, 3));
    assert_eq!((count("<!DOCTYPE html>"), count("</html>")), (1, 1));
    for word in ["baseline", "oracle", "bpp", "ipm", "solve time", "energy error", "rows"] {
        assert!(html.contains(word), "{word}");
    }
    // Self-contained: nothing is loaded, and nothing runs.
    for word in ["<script", "src=", "url(", "@import", "NaN", "inf\""] {
        assert!(!html.contains(word), "{word}");
    }
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1);
}

#[test]
fn wrong_use_is_status_2() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["--scenes", "wal"], &["wal"]),
        (&["--scenes", "wall:0"], &["wall:0"]),
        (&["--scenes", "wall:x"], &["wall:x"]),
        (&["--scenes", "no-such.json"], &["no-such.json"]),
        (&["--scenes", "no-such.json:3"], &["size"]),
        (&["--scenes", ""], &["scene"]),
        (&["--solvers", "bpp,magic"], &["magic"]),
        (&["--frames", "0"], &["--frames"]),
        (&["--frames", "many"], &["--frames"]),
        (&["--size", "0"], &["--size"]),
        (&["--skip", "-1"], &["-1"]),
        (&["--report", "no/such/folder/x.html"], &["no/such/folder/x.html"]),
        (&["extra"], &["extra"]),
    ];
    for (args, words) in cases {
        let out = taut([&["bench"], *args].concat());
        assert_refused(&out, words, &args.join(" "));
    }
}
