//! What `taut solve` and `taut list` promise their users.

mod common;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use common::{Fclib, assert_refused, good_folder, stderr, stdout, taut, write_folder};
use serde_json::Value;

fn json(args: &[&str]) -> (Option<i32>, Value) {
    let output = taut(args);
    let value = serde_json::from_str(&stdout(&output)).expect("one JSON document");
    (output.status.code(), value)
}

#[test]
fn a_folder_is_solved_and_the_answer_written() {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("p");
    write_folder(&dir, &good_folder());
    let (dir, out) = (dir.to_str().expect("text"), root.path().join("x.mtx"));
    let (code, v) = json(&["solve", dir, "--out", out.to_str().expect("text"), "--json"]);
    assert_eq!(code, Some(0), "{v}");
    assert_eq!(v["status"], "Converged");
    assert_eq!(v["solver"], "auto");
    assert_eq!(v["tol"], 1e-9);
    assert!(v["iterations"].is_u64());
    let fields = ["natural_residual", "relative_residual", "energy_error"];
    for field in fields.iter().chain(&["solve_seconds", "wall_seconds"]) {
        assert!(v[field].as_f64().is_some_and(|x| (0.0..1.0).contains(&x)), "{field}: {v}");
    }
    let x = fs::read(&out).expect("written");
    let x = taut_lcp::io::matrix_market::read_vector(&x, "x.mtx").expect("a vector");
    assert!((x[0] - 0.5).abs() < 1e-9 && x[1].abs() < 1e-9, "{x:?}");
    assert_eq!(fs::read_dir(root.path()).expect("readable").count(), 2, "nothing else is left");
    // For people.
    let output = taut(["solve", dir]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("Converged"));
}

#[test]
fn repeated_solves_start_anew_and_the_least_time_counts() {
    let args = ["solve", "fluid:6", "--solver", "bpp", "--json"];
    let (_, once) = json(&args);
    let (code, v) = json(&[args.as_slice(), &["--repeats", "5"]].concat());
    assert_eq!(
        (code, v["repeats"].as_u64(), once["repeats"].as_u64()),
        (Some(0), Some(5), Some(1))
    );
    // A solver that remembered anything would start from the answer.
    assert!(once["iterations"].as_u64() > Some(0));
    for field in ["iterations", "factorizations", "pivots", "natural_residual"] {
        assert_eq!(v[field], once[field], "{field}");
    }
    let seconds = |field: &str| v[field].as_f64().expect("a number");
    assert!(seconds("solve_seconds") <= seconds("first_seconds"));
    assert_eq!(once["solve_seconds"], once["first_seconds"]);
}

#[test]
fn every_listed_solver_and_problem_can_be_named() {
    let (code, list) = json(&["list", "--json"]);
    assert_eq!(code, Some(0));
    let names = |key: &str| {
        let array = list[key].as_array().expect("an array").iter();
        array.map(|s| s["name"].as_str().expect("a name").to_string()).collect::<Vec<_>>()
    };
    let root = tempfile::tempdir().expect("a folder");
    write_folder(root.path(), &good_folder());
    let text = stdout(&taut(["list"]));
    for name in names("solvers") {
        assert!(text.contains(&name));
        let dir = root.path().to_str().expect("text");
        let (code, v) = json(&["solve", dir, "--solver", &name, "--json"]);
        assert_eq!((code, v["solver"].as_str()), (Some(0), Some(&*name)), "{v}");
    }
    for name in names("problems") {
        assert!(text.contains(&name));
        for problem in [format!("{name}:4"), format!("{name}:4:7")] {
            let output = taut(["solve", &problem, "--solver", "pgs", "--json"]);
            // The contact problem is not for PGS; it may refuse or not converge.
            let refused = output.status.code() == Some(2) && stderr(&output).contains("refuses");
            assert!(refused || stdout(&output).contains(&problem), "{}", stderr(&output));
        }
    }
}

#[test]
fn too_few_iterations_end_with_status_one() {
    let args = ["solve", "fluid:4", "--solver", "pgs", "--max-iterations", "1", "--json"];
    let (code, v) = json(&args);
    assert_eq!((code, v["status"].as_str()), (Some(1), Some("IterationLimit")));
    assert!(v["relative_residual"].as_f64().is_some_and(|r| r > 1e-9));
    let (code, v) = json(&["solve", "fluid:4", "--solver", "pgs", "--tol", "0.5", "--json"]);
    assert_eq!((code, v["status"].as_str()), (Some(0), Some("Converged")));
}

#[test]
fn cones_are_solved_and_refused_by_solvers_without_them() {
    let root = tempfile::tempdir().expect("a folder");
    for (name, file) in [("local.hdf5", Fclib::local()), ("global.H5", Fclib::global())] {
        let path = root.path().join(name);
        fs::write(&path, file.bytes()).expect("a file");
        let path = path.to_str().expect("text");
        let (code, v) = json(&["solve", path, "--json"]);
        assert_eq!((code, v["status"].as_str()), (Some(0), Some("Converged")), "{v}");
        assert!(v["softening"].is_null());
        assert!(v["choice"].as_str().is_some_and(|c| c.contains("cone_newton")), "{v}");
        assert_refused(&taut(["solve", path, "--solver", "pgs"]), &["pgs", "cone"], name);
    }
}

#[test]
fn wrong_use() {
    let root = tempfile::tempdir().expect("a folder");
    write_folder(root.path(), &good_folder());
    let dir = root.path().to_str().expect("text");
    let file = root.path().join("A.mtx");
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["no command"]),
        (&["frobnicate"], &["frobnicate"]),
        (&["solve"], &["required"]),
        (&["solve", dir, "extra"], &["extra"]),
        (&["solve", dir, "--solver", "magic"], &["magic", "pgs"]),
        (&["solve", dir, "--solver"], &["--solver"]),
        (&["solve", dir, "--tol", "-1"], &["-1"]),
        (&["solve", dir, "--tol", "nan"], &["nan"]),
        (&["solve", dir, "--tol", "x"], &["x"]),
        (&["solve", dir, "--max-iterations", "-5"], &["-5"]),
        (&["solve", dir, "--max-iterations", "1e3"], &["1e3"]),
        (&["solve", dir, "--repeats", "0"], &["0"]),
        (&["solve", dir, "--bogus"], &["--bogus"]),
        (&["solve", "no/such/folder"], &["no/such/folder", "no such"]),
        (&["solve", "no/such/file.hdf5"], &["no/such/file.hdf5"]),
        (&["solve", file.to_str().expect("text")], &["A.mtx", "neither"]),
        (&["solve", ""], &["required"]),
        (&["solve", "fluid"], &["fluid", "no such"]),
        (&["solve", "fluid:0"], &["fluid:0"]),
        (&["solve", "fluid:ten"], &["ten"]),
        (&["solve", "fluid:4:-1"], &["-1"]),
        (&["solve", "fluid:99999999999999999999"], &["99999"]),
        (&["solve", "random_pd:1000000000"], &["random_pd:1000000000"]),
        (&["list", "solvers"], &["solvers"]),
    ];
    for (args, words) in cases {
        assert_refused(&taut(*args), words, &args.join(" "));
    }
}

#[test]
fn an_output_that_cannot_be_written() {
    let root = tempfile::tempdir().expect("a folder");
    let missing = root.path().join("missing/x.mtx");
    for out in [missing.to_str().expect("text"), root.path().to_str().expect("text"), ""] {
        let output = taut(["solve", "fluid:3", "--json", "--out", out]);
        assert_refused(&output, &[out], out);
    }
    assert_eq!(fs::read_dir(root.path()).expect("readable").count(), 0);
}

#[test]
fn help_and_version_are_answers() {
    for args in [&["--help"][..], &["--version"], &["solve", "--help"], &["list", "--help"]] {
        let output = taut(args);
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [&["list", "--json"][..], &["list"], &["solve", "fluid:3"]] {
        let command = Command::new(env!("CARGO_BIN_EXE_taut"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = command.expect("taut runs");
        drop(child.stdout.take());
        let mut errors = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
        assert_eq!(child.wait().expect("ends").code(), Some(0));
        assert_eq!(errors, "");
    }
}

/// A problem without an answer comes with its proof, and the help says what the statuses mean.
#[test]
fn a_proof_is_shown() {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("squeezed");
    let matrix = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 -1\n2 2 1\n";
    let vector = |x: &str| format!("%%MatrixMarket matrix array real general\n2 1\n{x}\n{x}\n");
    fs::create_dir(&dir).expect("made");
    let texts =
        [("A", matrix.into()), ("b", vector("-1")), ("lo", vector("0")), ("hi", vector("inf"))];
    for (name, text) in texts {
        fs::write(dir.join(format!("{name}.mtx")), text).expect("written");
    }
    let dir = dir.to_str().expect("text");
    let (code, v) = json(&["solve", dir, "--json"]);
    assert_eq!((code, &v["status"]), (Some(1), &Value::from("Infeasible")), "{v}");
    let d: Vec<f64> = serde_json::from_value(v["certificate"].clone()).expect("a direction");
    assert!(d.len() == 2 && d[0] > 0.0 && (d[0] - d[1]).abs() < 1e-9 * d[0], "{d:?}");
    assert!(stdout(&taut(["solve", dir])).contains("certificate"));
    let (_, solved) = json(&["solve", "random_pd:4", "--json"]);
    assert!(solved.get("certificate").is_none(), "{solved}");
    let help = stdout(&taut(["solve", "--help"]));
    for word in ["Infeasible", "LocalMinimum", "NonDescent", "Ray", "3 to 64", "laws.json"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
