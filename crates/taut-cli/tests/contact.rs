//! `taut run --contact`: three schools on the same scenes, and what they refuse.

mod common;

use std::fs;

use common::{assert_refused, stderr, stdout, taut};

#[test]
fn three_models_run_the_same_scene() {
    for contact in ["complementarity", "penalty:stiffness=1e6,damping=100", "barrier:d_hat=2e-3"] {
        let args =
            ["run", "domino", "--size", "3", "--frames", "10", "--json", "--contact", contact];
        let output = taut(args);
        assert_eq!(output.status.code(), Some(0), "{contact}: {}", stderr(&output));
        let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(answer["frames"], 10, "{contact}");
        let depth = answer["max_penetration"].as_f64().expect("a number");
        assert!((0.0..5e-3).contains(&depth), "{contact}: {depth}");
    }
}

#[test]
fn barrier_runs_are_recorded_and_tell_newton_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let [record, newton] = ["run.taut", "newton.csv"].map(|n| folder.path().join(n));
    let mut args: Vec<std::ffi::OsString> =
        ["run", "domino", "--size", "2", "--frames", "4", "--contact", "barrier"]
            .map(Into::into)
            .to_vec();
    args.extend([
        "--record".into(),
        record.clone().into(),
        "--newton".into(),
        newton.clone().into(),
    ]);
    let output = taut(args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = fs::read_to_string(&newton).expect("a file");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("frame,iteration,speed,free,taken,contacts,gap,stiffness"));
    assert!(lines.clone().count() >= 4 && lines.all(|l| l.split(',').count() == 8), "{text}");
    // It goes on where it was, by barriers.
    let more = taut(["run".as_ref(), record.as_os_str(), "--frames".as_ref(), "2".as_ref()]);
    let text = stdout(&more);
    assert!(text.contains("2 frames") && text.contains("barrier"), "{text}");
    // Barriers that are made anew, and stiffen, may lift what stands on them; then the run says so.
    assert!(more.status.success() || text.contains("created"), "{text}");
}

#[test]
fn what_is_not_taken_is_refused() {
    let run =
        |scene: &str, rest: &[&str]| taut(["run", scene].into_iter().chain(rest.iter().copied()));
    let cradle = run("newtons-cradle", &["--contact", "barrier"]);
    assert_refused(&cradle, &["barrier", "joint0", "distance"], "a joint");
    let newton = run("domino", &["--newton", "x.csv"]);
    assert_refused(&newton, &["--newton", "barrier"], "no barrier");
    for bad in [
        "springs",
        "penalty:stiffness=0",
        "penalty:explicit=maybe",
        "barrier:d_hat=x",
        "barrier:reach=1",
        "barrier:d_hat=1e-3,d_hat=1e-4",
    ] {
        let output = run("domino", &["--contact", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}: {}", stderr(&output));
    }
    let twice = run("domino", &["--contact", "barrier:d_hat=1e-3,d_hat=1e-4"]);
    assert_refused(&twice, &["'d_hat=1e-4'", "once"], "a value twice");
    let forces = run("domino", &["--contact", "barrier", "--forces", "x.csv"]);
    assert_refused(&forces, &["--forces", "barriers"], "no forces");
    let plain = run("domino", &["--contact", "penalty:explicit=false", "--frames", "1"]);
    assert_eq!(plain.status.code(), Some(0), "{}", stderr(&plain));
}
