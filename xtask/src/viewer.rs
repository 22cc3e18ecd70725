//! The page of `taut view`: built with npm, tested in a browser.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, cargo, root, run};

/// Builds the page, and the command with the page in it.
pub fn build() -> Outcome {
    install()?;
    run(&mut npm(&["run", "--silent", "build"]))?;
    run(&mut cargo(&["build", "--release", "--package", "taut-cli", "--locked"]))?;
    println!("built: cargo run --release -- view loaded-chain");
    Ok(())
}

/// What needs no browser: types, unit tests, the build.
pub fn page() -> Outcome {
    install()?;
    for script in ["check", "test", "build"] {
        run(&mut npm(&["run", "--silent", script]))?;
    }
    Ok(())
}

/// The page in a browser, served by the command that the tests before this
/// step built.
pub fn browser() -> Outcome {
    let chromium = chromium()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let taut = target.join("debug").join("taut");
    run(npm(&["run", "--silent", "browser"]).env("CHROMIUM", chromium).env("TAUT", taut))
}

/// Pictures of all scenes, for the docs, and pages that replay them. Needs `cargo xtask viewer`.
pub fn gallery() -> Outcome {
    run(npm(&["run", "--silent", "gallery"]).env("CHROMIUM", chromium()?))
}

/// The packages of the lock file, and nothing else.
fn install() -> Outcome {
    if !works("npm") {
        return Err("npm is missing: install Node.js 20 or newer, which has it".into());
    }
    run(&mut npm(&["ci", "--no-audit", "--no-fund", "--prefer-offline"]))
}

/// Chromium, installed from Debian's packages where it is missing.
fn chromium() -> Result<PathBuf, String> {
    let named = env::var("CHROMIUM").ok();
    let known = named.iter().map(String::as_str).chain(["chromium", "chromium-browser"]);
    if let Some(found) = known.filter_map(find).next() {
        return Ok(found);
    }
    println!("Chromium is missing; asking apt-get for it");
    let apt = |args: &[&str]| run(Command::new("apt-get").args(args));
    let installed =
        apt(&["-qq", "update"]).and_then(|()| apt(&["install", "-qq", "-y", "chromium"]));
    let hint = "install Chromium, or set CHROMIUM to its path; apt-get needs root";
    installed.map_err(|e| format!("{e}\n{hint}"))?;
    find("chromium").ok_or_else(|| hint.into())
}

/// A program by its path, or by its name in PATH.
fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn works(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn npm(args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root().join("viewer")).args(args);
    command
}
