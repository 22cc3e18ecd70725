//! All of a release but the publishing: what is packaged is complete, builds by itself, serves a crate of its own, and
//! does not break its users without saying so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Outcome, cargo, root, run, target_folder};

/// Files that every package has.
const NEEDED: [&str; 5] =
    ["Cargo.toml", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Metadata that every package has.
const FIELDS: [&str; 8] = [
    "description",
    "license",
    "repository",
    "readme",
    "keywords",
    "categories",
    "rust_version",
    "edition",
];

/// Sets of features that users choose, and no other check builds.
const LEAST: [&[&str]; 5] = [
    &["taut-lcp", "--no-default-features"],
    &["taut", "--no-default-features"],
    &["taut-live"],
    &["taut-cli", "--no-default-features"],
    &["taut-barrier"],
];

/// Everything, from the packages to a user of them.
pub fn dry_run() -> Outcome {
    packages()?;
    println!("== least features");
    least_features()?;
    println!("== least Rust");
    least_rust()?;
    println!("== a user's crate");
    user()?;
    println!("== what changed since the last tag");
    semver()?;
    println!("ready; in this order: {}", published()?.join(", "));
    println!("cargo publish --workspace does it, after: version in Cargo.toml, changelogs, a tag");
    Ok(())
}

/// Makes the packages without building them, and looks whether they are complete.
pub fn packages() -> Outcome {
    for package in metadata()? {
        let name = text(&package, "name");
        let empty = |v: &Value| {
            v.is_null() || v.as_str() == Some("") || v.as_array().is_some_and(Vec::is_empty)
        };
        if let Some(field) = FIELDS.iter().find(|f| empty(&package[**f])) {
            return Err(format!("{name}: {field} is missing in its Cargo.toml"));
        }
    }
    // Work that is not committed yet is packaged too: the check is of what is there.
    run(cargo(&["package", "--workspace", "--no-verify", "--allow-dirty", "--locked", "--quiet"])
        .args(unpublished()?.iter().flat_map(|name| ["--exclude".to_string(), name.clone()])))?;
    for name in published()? {
        let files = contents(&name)?;
        for needed in NEEDED.into_iter().chain((name == "taut-cli").then_some("page/index.html")) {
            if !files.iter().any(|f| f == needed) {
                return Err(format!("{name}: {needed} is not in its package"));
            }
        }
        println!("{name}: {} files", files.len());
    }
    Ok(())
}

/// The files of a package that was made.
fn contents(name: &str) -> Result<Vec<String>, String> {
    let output = Command::new("tar").arg("-tzf").arg(package(name)?).output();
    let output = output.map_err(|e| format!("tar does not start: {e}"))?;
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(list.lines().filter_map(|l| l.split_once('/')).map(|(_, file)| file.to_string()).collect())
}

fn package(name: &str) -> Result<PathBuf, String> {
    let path = target_folder().join("package").join(format!("{name}-{}.crate", version()?));
    if path.is_file() { Ok(path) } else { Err(format!("{}: was not made", path.display())) }
}

fn least_features() -> Outcome {
    for args in LEAST {
        run(cargo(&["check", "--locked", "--quiet", "--package"]).args(args))?;
    }
    Ok(())
}

/// Builds with the Rust that Cargo.toml promises, where it is installed.
fn least_rust() -> Outcome {
    let packages = metadata()?;
    let least = packages.first().map(|p| text(p, "rust_version")).unwrap_or_default();
    let works = |toolchain: &str| {
        let mut rustc = Command::new("rustc");
        rustc.args([toolchain, "--version"]).stderr(Stdio::null());
        let said = rustc.output().map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
        said.is_ok_and(|v| v.starts_with(&format!("rustc {least}")))
    };
    let named = [format!("+{least}"), format!("+{least}.0"), "+stable".into()];
    let Some(toolchain) = named.iter().find(|t| works(t)) else {
        println!("SKIPPED: Rust {least} is not installed (rustup toolchain install {least})");
        return Ok(());
    };
    // A folder of its own: another Rust would build everything anew, and so would the next check.
    run(Command::new("cargo")
        .args([
            toolchain.as_str(),
            "check",
            "--workspace",
            "--exclude",
            "taut-py",
            "--locked",
            "--quiet",
        ])
        .env("CARGO_TARGET_DIR", target_folder().join("least-rust"))
        .current_dir(root()))
}

/// A crate outside the tree that depends on the packages runs the example of the engine's README; the packaged command runs too.
fn user() -> Outcome {
    let folder = target_folder().join("user");
    // What was unpacked before may be of another version.
    drop(fs::remove_dir_all(&folder));
    create(&folder.join("src"))?;
    for name in published()? {
        let unpack =
            Command::new("tar").arg("-xzf").arg(package(&name)?).arg("-C").arg(&folder).status();
        if !unpack.is_ok_and(|status| status.success()) {
            return Err(format!("{name}: cannot be unpacked"));
        }
    }
    let version = version()?;
    let patches: Vec<String> = published()?
        .iter()
        .map(|name| format!("{name} = {{ path = \"{name}-{version}\" }}\n"))
        .collect();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\nmembers = [\"taut-cli-{version}\"]\n\n\
         [dependencies]\ntaut = \"{version}\"\ntaut-cli = \"{version}\"\n\n\
         [patch.crates-io]\n{}",
        patches.concat()
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    let readme = fs::read_to_string(folder.join(format!("taut-{version}/README.md")));
    let readme = readme.map_err(|e| format!("README.md of the package: {e}"))?;
    write(&folder.join("src/main.rs"), example(&readme).ok_or("README.md has no example")?)?;
    // The versions that were tested, not newer ones.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))
        .map_err(|e| format!("Cargo.lock: {e}"))?;
    let mut build = Command::new("cargo");
    build.args(["run", "--quiet"]).env("CARGO_TARGET_DIR", target_folder().join("user-build"));
    run(build.current_dir(&folder))?;
    let mut command = Command::new("cargo");
    command.args([
        "run",
        "--quiet",
        "--package",
        "taut-cli",
        "--",
        "run",
        "loaded-chain",
        "--frames",
        "10",
    ]);
    run(command.env("CARGO_TARGET_DIR", target_folder().join("user-build")).current_dir(&folder))
}

/// The first block of Rust in a text.
fn example(text: &str) -> Option<&str> {
    text.split_once("```rust\n")?.1.split_once("```").map(|(code, _)| code)
}

/// Compares the public interface with that of the last tag.
fn semver() -> Outcome {
    let described =
        Command::new("git").args(["describe", "--tags", "--abbrev=0"]).current_dir(root()).output();
    let tag = described.ok().filter(|o| o.status.success());
    let Some(tag) = tag.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()) else {
        println!("there is no tag yet: nothing to compare with");
        return Ok(());
    };
    let there =
        cargo(&["semver-checks", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        println!(
            "SKIPPED: cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)"
        );
        return Ok(());
    }
    let packages = published()?.into_iter().flat_map(|name| ["--package".to_string(), name]);
    run(cargo(&["semver-checks", "--baseline-rev", &tag]).args(packages))
}

/// The packages of the workspace.
pub fn all() -> Result<Vec<Value>, String> {
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps"]).output();
    let output = output.map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    Ok(metadata["packages"].as_array().cloned().unwrap_or_default())
}

/// Those that are published.
fn metadata() -> Result<Vec<Value>, String> {
    Ok(all()?.into_iter().filter(|p| p["publish"].is_null()).collect())
}

fn unpublished() -> Result<Vec<String>, String> {
    Ok(all()?.iter().filter(|p| !p["publish"].is_null()).map(|p| text(p, "name")).collect())
}

/// Names of what is published, each after what it depends on.
fn published() -> Result<Vec<String>, String> {
    let mut left = metadata()?;
    let mut names: Vec<String> = Vec::new();
    while !left.is_empty() {
        let waits = |package: &Value, left: &[Value]| {
            let needs = package["dependencies"].as_array().cloned().unwrap_or_default();
            needs
                .iter()
                .filter(|d| d["kind"].is_null())
                .any(|d| left.iter().any(|l| l["name"] == d["name"]))
        };
        let Some(next) = left.iter().position(|p| !waits(p, &left)) else {
            return Err("packages depend on one another in a circle".into());
        };
        names.push(text(&left.remove(next), "name"));
    }
    Ok(names)
}

fn version() -> Result<String, String> {
    metadata()?.first().map(|p| text(p, "version")).ok_or_else(|| "no packages".into())
}

fn text(package: &Value, field: &str) -> String {
    package[field].as_str().unwrap_or("").to_string()
}

fn create(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_come_after_what_they_depend_on() {
        let names = published().expect("a workspace");
        let at = |name: &str| names.iter().position(|n| n == name).expect("published");
        assert!(at("taut-lcp") < at("taut") && at("taut") < at("taut-scenes"));
        assert!(at("taut-scenes") < at("taut-live") && at("taut-live") < at("taut-cli"));
        assert!(!names.iter().any(|n| n == "xtask" || n == "taut-py" || n == "taut-web"));
    }

    #[test]
    fn readmes_begin_with_a_whole_program() {
        for name in published().expect("a workspace").iter().filter(|n| *n != "taut-cli") {
            let readme = fs::read_to_string(root().join("crates").join(name).join("README.md"));
            let readme = readme.expect("every package has one");
            assert!(example(&readme).is_some_and(|code| code.contains("fn main()")), "{name}");
        }
    }

    /// Files that the guide for contributors names are there.
    #[test]
    fn the_contribution_guide_names_files_that_exist() {
        let guide = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("a guide");
        let mut seen = 0;
        for word in guide.split('`').skip(1).step_by(2) {
            let path = word.split(' ').next().unwrap_or("");
            if path.contains('/') && !path.contains("NAME") && !path.contains("FAMILY") {
                // Tests are named after the first of their crate.
                let places = ["", "crates/taut-lcp/", "crates/taut-scenes/", "crates/taut-import/"];
                let there = places.iter().any(|p| root().join(format!("{p}{path}")).exists());
                assert!(there, "{path}");
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
