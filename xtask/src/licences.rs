//! Licences and sources of all dependencies, from `cargo metadata`.
//!
//! Security advisories are not checked: their database cannot be had from a
//! package registry.

use std::path::Path;

use serde_json::Value;

use crate::{Outcome, cargo};

/// Licences that allow use under MIT OR Apache-2.0 without further duties
/// than a notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// What is built apart from the workspace, with a lock file of its own.
const APART: [&str; 2] = ["Cargo.toml", "tools/bindgen/Cargo.toml"];

/// Checks every package of the lock files, for all platforms.
pub fn check() -> Outcome {
    for manifest in APART {
        let metadata = metadata(&["--manifest-path", manifest, "--all-features"])?;
        let packages = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
        let wrong: Vec<String> = packages.iter().filter_map(complaint).collect();
        if !wrong.is_empty() {
            return Err(wrong.join("\n"));
        }
        println!("{manifest}: {} packages, all licences allowed", packages.len());
    }
    Ok(())
}

fn metadata(args: &[&str]) -> Result<Value, String> {
    let output = cargo(&["metadata", "--format-version", "1", "--locked"])
        .args(args)
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))
}

/// The licences of all that is built into a package for a target: they ask to be part of copies.
pub fn notices(package: &str, target: &str) -> Result<String, String> {
    let metadata = metadata(&["--filter-platform", target])?;
    let all = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let (packages, nodes) = (all(&metadata["packages"]), all(&metadata["resolve"]["nodes"]));
    let first = packages.iter().find(|p| p["name"] == package).ok_or("no such package")?;
    let mut wanted = vec![first["id"].clone()];
    for i in 0.. {
        let Some(id) = wanted.get(i).cloned() else { break };
        let node = nodes.iter().find(|n| n["id"] == id).ok_or("a package without a node")?;
        for dep in all(&node["deps"]) {
            let built_in = all(&dep["dep_kinds"]).iter().any(|k| k["kind"].is_null());
            if built_in && !wanted.contains(&dep["pkg"]) {
                wanted.push(dep["pkg"].clone());
            }
        }
    }
    let mut texts: Vec<String> = packages
        .iter()
        .filter(|p| wanted.contains(&p["id"]) && !p["source"].is_null())
        .map(notice)
        .collect();
    texts.sort();
    let own = ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| read(&crate::root().join(name)));
    Ok(format!("taut\n\n{}\n{}\nIt contains:\n\n{}", own[0], own[1], texts.join("\n")))
}

/// Name, licence, and the shortest licence text that comes with a package.
fn notice(package: &Value) -> String {
    let word = |name: &str| package[name].as_str().unwrap_or("").to_string();
    let folder =
        Path::new(package["manifest_path"].as_str().unwrap_or("")).parent().map(Path::to_path_buf);
    let files = folder.and_then(|f| f.read_dir().ok()).into_iter().flatten().flatten();
    let is_licence = |path: &Path| {
        let name = path.file_name().map(|n| n.to_string_lossy().to_uppercase()).unwrap_or_default();
        path.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|l| name.starts_with(l))
    };
    let texts = files.map(|f| f.path()).filter(|p| is_licence(p)).map(|p| read(&p));
    let text = texts.filter(|t| !t.is_empty()).min_by_key(String::len).unwrap_or_default();
    format!(
        "{} {} ({})\n{}\n{text}\n",
        word("name"),
        word("version"),
        word("license"),
        word("repository")
    )
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// What is wrong with a package, if anything.
fn complaint(package: &Value) -> Option<String> {
    let name = format!("{} {}", package["name"], package["version"]);
    let licence = package["license"].as_str().unwrap_or("");
    let from_registry = match package["source"].as_str() {
        None => true, // in this workspace
        Some(source) => source.starts_with("registry+https://github.com/rust-lang/crates.io-index"),
    };
    if !from_registry {
        return Some(format!("{name}: source {} is not allowed", package["source"]));
    }
    (!allowed(licence)).then(|| format!("{name}: licence '{licence}' is not allowed"))
}

/// Whether an SPDX expression is met by the allowed licences.
fn allowed(expression: &str) -> bool {
    // Old manifests write MIT/Apache-2.0.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &tokens[..];
    let met = any(&mut rest);
    met == Some(true) && rest.is_empty()
}

/// all (OR all)*
fn any(rest: &mut &[&str]) -> Option<bool> {
    let mut met = all(rest)?;
    while let ["OR", tail @ ..] = *rest {
        *rest = tail;
        met |= all(rest)?;
    }
    Some(met)
}

/// one (AND one)*
fn all(rest: &mut &[&str]) -> Option<bool> {
    let mut met = one(rest)?;
    while let ["AND", tail @ ..] = *rest {
        *rest = tail;
        met &= one(rest)?;
    }
    Some(met)
}

/// ( any ), or a licence, or a licence WITH an exception.
fn one(rest: &mut &[&str]) -> Option<bool> {
    match *rest {
        ["(", tail @ ..] => {
            *rest = tail;
            let met = any(rest)?;
            let [")", tail @ ..] = *rest else { return None };
            *rest = tail;
            Some(met)
        }
        [licence, "WITH", exception, tail @ ..] => {
            *rest = tail;
            Some(ALLOWED.contains(&format!("{licence} WITH {exception}").as_str()))
        }
        [licence, tail @ ..] => {
            *rest = tail;
            Some(ALLOWED.contains(licence))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{allowed, notices};

    #[test]
    fn notices_have_what_is_built_in_and_nothing_else() {
        let text = notices("taut-web", "wasm32-unknown-unknown").expect("cargo metadata");
        for name in ["\nfaer ", "\nparry3d-f64 ", "\nweb-time "] {
            assert!(text.contains(name), "{name}");
        }
        // The server's, and those of tests.
        for name in ["\ntokio ", "\nproptest "] {
            assert!(!text.contains(name), "{name}");
        }
        assert!(text.matches("Permission is hereby granted").count() > 20);
    }

    #[test]
    fn expressions() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "MIT OR GPL-3.0",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(allowed(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT MIT", "OR", "MIT OR"] {
            assert!(!allowed(bad), "{bad}");
        }
    }
}
