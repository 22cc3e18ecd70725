//! The one home of all checks: `cargo xtask check` runs them all, here and in
//! continuous integration.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command for people")]

mod api;
mod bench;
mod book;
mod check;
mod fuzz;
mod licences;
mod playground;
mod python;
mod release;
mod viewer;
#[cfg(test)]
mod walks;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask COMMAND
  check           every check: format, licences, clippy, docs, tests, Python, viewer
  viewer          build the page of `taut view`, and taut with it (needs Node.js)
  playground      build the playground, the engine in the browser, to target/playground (needs
                  Node.js; fetches the target wasm32-unknown-unknown once)
  gallery         write docs/GALLERY.md with a picture of every scene, and pages that replay
                  them to target/gallery (needs the viewer, and Chromium)
  book [--pages | --figures]
                  build the book, with the docs of the crates, to target/book/html, follow all its
                  links, run all its code;
                  --pages: without its code;
                  --figures: draw the figures of its guides anew (needs the viewer, and Chromium)
  python          build the wheel, install it in target/python, check types, run the tests
  wheel           build the wheel as it is shipped, to target/wheels
  algorithms      write ALGORITHMS.md from the registry of solvers
  golden          write what every solver does (tests/golden) anew
  schema          write schemas/scene.v1.json from the types of scene files
  pictures        draw docs/friction.svg anew
  benchmarks [TOPIC...] [--quick]
                  measure, and write the tables of docs/bench anew, with commit and machine:
                  all of them (some 20 minutes), or those of the pages named; --quick: a
                  small share, to target/bench. qp needs Python and TAUT_DATA, and is
                  skipped without
  jam [RUNS [FRAMES]]
                  how soundly a chain jams on its rod: a statistic over runs that
                  differ in rounding alone [default: 20 of 240 frames]
  study           rerun the experiments of Erleben13 and Andrews22 and write
                  docs/METHODS.md with its figures (two minutes)
  packages        make the packages and look whether they are complete
  release --dry-run
                  all of a release but the publishing: packages, least features, least Rust, a
                  crate of its own that uses them, what changed since the last tag
  licences        check licences and sources of all dependencies
  fuzz [SECONDS]  fuzz the file readers, one after the other [default: 240 each]
                  (needs a nightly toolchain and cargo-fuzz)";

const JAM: [&str; 7] =
    ["run", "--quiet", "--release", "--package", "taut-scenes", "--example", "jam"];

type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["check"] => check::run_checks(),
        ["viewer"] => viewer::build(),
        ["playground"] => playground::build(),
        ["playground", "check"] => playground::check(),
        ["gallery"] => viewer::gallery(),
        ["book"] => book::check(),
        ["book", "--pages"] => book::pages(),
        ["book", "--figures"] => book::figures(),
        ["python"] => python::check("release"),
        ["wheel"] => python::wheel(),
        ["algorithms"] => check::write_algorithms(),
        ["golden"] => check::write_golden(),
        ["schema"] => check::write_schema(),
        ["pictures"] => check::write_pictures(),
        ["benchmarks", ref topics @ ..] => bench::run(topics),
        ["jam", ref numbers @ ..] => run(cargo(&JAM).arg("--").args(numbers)),
        ["study"] => study(),
        ["packages"] => release::packages(),
        ["release", "--dry-run"] => release::dry_run(),
        ["licences"] => licences::check(),
        ["fuzz"] => fuzz::run_targets("240"),
        ["fuzz", seconds] => fuzz::run_targets(seconds),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Figures and tables of docs/METHODS.md.
fn study() -> Outcome {
    let study = ["run", "--release", "--package", "taut-lcp", "--example", "study", "docs"];
    run(cargo(&study).arg(bench::stamp()?))
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo builds to.
fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from)
}

/// A cargo command in the workspace.
fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(args);
    command
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Outcome {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(e) => Err(format!("{command:?}: {e}")),
    }
}
