//! The page of `taut view`: built with npm, tested in a browser.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, cargo, root, run};

/// Builds the page, and the command with the page in it.
pub fn build() -> Outcome {
    build_page()?;
    run(&mut cargo(&["build", "--release", "--package", "taut-cli", "--locked"]))?;
    println!("built: cargo run --release -- view loaded-chain");
    Ok(())
}

/// Builds the page alone.
pub fn build_page() -> Outcome {
    install()?;
    run(&mut npm(&["run", "--silent", "build"]))
}

/// What needs no browser: types, unit tests, the build. A page that was committed before its sources changed is
/// an error; the build mends it.
pub fn page() -> Outcome {
    install()?;
    let before = sources_of_page();
    for script in ["check", "test", "build"] {
        run(&mut npm(&["run", "--silent", script]))?;
    }
    if before == sources_of_page() {
        return Ok(());
    }
    Err(format!("{PAGE} was older than viewer/; it is built anew now: commit it"))
}

const PAGE: &str = "crates/taut-cli/page/index.html";

/// The number of its sources that the page holds.
fn sources_of_page() -> Option<String> {
    let page = std::fs::read_to_string(root().join(PAGE)).ok()?;
    let (number, _) = page.split_once("<!-- sources ")?.1.split_once(' ')?;
    Some(number.to_string())
}

/// The page in a browser, served by the command that the tests before this
/// step built.
pub fn browser() -> Outcome {
    let chromium = chromium()?;
    let taut = crate::target_folder().join("debug").join("taut");
    run(npm(&["run", "--silent", "browser"]).env("CHROMIUM", chromium).env("TAUT", taut))
}

/// Pictures of all scenes, for the docs, and pages that replay them. Needs `cargo xtask viewer`.
pub fn gallery() -> Outcome {
    run(npm(&["run", "--silent", "gallery"]).env("CHROMIUM", chromium()?))
}

/// Pictures of the guides of the book. Needs `cargo xtask viewer`.
pub fn book() -> Outcome {
    run(npm(&["run", "--silent", "book"]).env("CHROMIUM", chromium()?))
}

/// The packages of the lock file, and nothing else.
fn install() -> Outcome {
    if !works("npm") {
        return Err("npm is missing: install Node.js 20 or newer, which has it".into());
    }
    run(&mut npm(&["ci", "--no-audit", "--no-fund", "--prefer-offline"]))
}

/// Chromium, installed from Debian's packages where it is missing.
pub fn chromium() -> Result<PathBuf, String> {
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

pub fn npm(args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root().join("viewer")).args(args);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The same number as in `viewer/vite.config.ts`: FNV-1a of all that the page is made of.
    fn sources() -> std::io::Result<String> {
        let viewer = root().join("viewer");
        let mut names =
            ["index.html", "package-lock.json", "vite.config.ts"].map(String::from).to_vec();
        for entry in fs::read_dir(viewer.join("src"))? {
            names.push(format!("src/{}", entry?.file_name().to_string_lossy()));
        }
        names.sort();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for name in names {
            let text = fs::read_to_string(viewer.join(&name))?.replace("\r\n", "\n");
            for byte in format!("{name}\n{text}").bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        Ok(format!("{hash:016x}"))
    }

    #[test]
    fn the_page_is_that_of_its_sources() {
        let expected = sources().expect("readable");
        assert_eq!(
            sources_of_page(),
            Some(expected),
            "crates/taut-cli/page/index.html is older than viewer/: run cargo xtask viewer, and commit it"
        );
    }
}
