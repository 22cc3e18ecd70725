//! Every check, cheap ones first.

use std::process::Stdio;
use std::time::Instant;

use crate::{Outcome, book, cargo, licences, playground, python, release, run, viewer};

/// The same packages and features in each step, so that as much as possible
/// is built once.
const ALL: [&str; 3] = ["--workspace", "--all-features", "--locked"];

type Step = fn() -> Outcome;

/// Runs all checks; stops at the first that fails.
pub fn run_checks() -> Outcome {
    let steps: [(&str, Step); 13] = [
        ("format", || run(&mut cargo(&["fmt", "--all", "--check"]))),
        ("licences", licences::check),
        ("packages", release::packages),
        ("page", viewer::page),
        ("clippy", clippy),
        ("without features", bare),
        ("docs", docs),
        ("book", book::pages),
        ("tests", tests),
        ("doc tests", || run(cargo(&["test", "--doc"]).args(ALL))),
        ("Python", || python::check("dev")),
        ("browser", viewer::browser),
        ("playground", playground::check),
    ];
    let mut times = Vec::new();
    for (name, step) in steps {
        println!("== {name}");
        let start = Instant::now();
        step().map_err(|message| format!("{name}: FAILED\n{message}"))?;
        times.push(format!("{name} {:.0} s", start.elapsed().as_secs_f64()));
    }
    println!("== all checks passed: {}", times.join(", "));
    Ok(())
}

fn clippy() -> Outcome {
    run(cargo(&["clippy", "--all-targets"]).args(ALL).args(["--", "-D", "warnings"]))?;
    // The library alone, as others depend on it.
    let alone = ["clippy", "--package", "taut-lcp", "--locked", "--", "-D", "warnings"];
    run(&mut cargo(&alone))
}

/// The command must build where nobody watches.
fn bare() -> Outcome {
    run(&mut cargo(&["check", "--package", "taut-cli", "--no-default-features", "--locked"]))
}

/// The docs of all crates, without warnings.
pub fn docs() -> Outcome {
    run(cargo(&["doc", "--no-deps"]).args(ALL).env("RUSTDOCFLAGS", "-D warnings"))
}

/// With nextest where it is installed: it runs test files side by side.
fn tests() -> Outcome {
    let nextest = cargo(&["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if nextest {
        run(cargo(&["nextest", "run"]).args(ALL))?;
    } else {
        run(cargo(&["test", "--lib", "--bins", "--tests"]).args(ALL))?;
    }
    if std::env::var_os("TAUT_DATA").is_some() {
        return run(cargo(&["test", "--test", "shared_data", "--test", "family"])
            .args(ALL)
            .args(["--", "--ignored"]));
    }
    println!("skipped: problems of others, in a folder that TAUT_DATA would name");
    Ok(())
}

/// Writes ALGORITHMS.md: the test that compares it with the registry does so
/// when asked to, and is built as in every other run of the tests.
pub fn write_algorithms() -> Outcome {
    run(cargo(&["test", "--test", "algorithms"]).args(ALL).env("TAUT_WRITE_ALGORITHMS", "1"))
}

/// Writes the golden counts of all solvers, in the same way.
pub fn write_golden() -> Outcome {
    run(cargo(&["test", "--test", "golden"]).args(ALL).env("TAUT_WRITE_GOLDEN", "1"))
}

/// Draws docs/friction.svg.
pub fn write_pictures() -> Outcome {
    let args = ["run", "--release", "-p", "taut", "--example", "friction_pictures"];
    let output = cargo(&args).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("cargo does not start: {e}"))?;
    if !output.status.success() {
        return Err("the pictures were not drawn".into());
    }
    let path = crate::root().join("docs/friction.svg");
    std::fs::write(&path, output.stdout).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes the schema of scene files, in the same way.
pub fn write_schema() -> Outcome {
    run(cargo(&["test", "--test", "schema"]).args(ALL).env("TAUT_WRITE_SCHEMA", "1"))
}
