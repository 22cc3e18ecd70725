//! Licences and sources of all dependencies, from `cargo metadata`.
//!
//! Security advisories are not checked: their database cannot be had from a
//! package registry.

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

/// Checks every package of the lock file, for all platforms.
pub fn check() -> Outcome {
    let output = cargo(&["metadata", "--format-version", "1", "--locked", "--all-features"])
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: no packages")?;
    let wrong: Vec<String> = packages.iter().filter_map(complaint).collect();
    if wrong.is_empty() {
        println!("{} packages, all licences allowed", packages.len());
        return Ok(());
    }
    Err(wrong.join("\n"))
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
    use super::allowed;

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
