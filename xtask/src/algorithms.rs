//! ALGORITHMS.md: the registry of solvers as a page.

use std::fs;

use taut_lcp::registry::{ENTRIES, Entry};

use crate::{Outcome, root};

const LIBRARY: &str = "crates/taut-lcp";

/// Writes the page.
pub fn write() -> Outcome {
    fs::write(root().join("ALGORITHMS.md"), page()).map_err(|e| format!("ALGORITHMS.md: {e}"))
}

/// Checks that the page is up to date, and that the files it names exist.
pub fn check() -> Outcome {
    for entry in ENTRIES {
        for path in [file(entry), test(entry)] {
            if !root().join(&path).is_file() {
                return Err(format!("the registry's entry '{}' names {path}: no file", entry.name));
            }
        }
    }
    match fs::read_to_string(root().join("ALGORITHMS.md")) {
        Ok(text) if text == page() => Ok(()),
        _ => Err("ALGORITHMS.md is out of date: run cargo xtask algorithms".into()),
    }
}

/// `::sweeps::pgs` is `crates/taut-lcp/src/sweeps/pgs.rs`.
fn file(entry: &Entry) -> String {
    format!("{LIBRARY}/src{}.rs", entry.module.replace("::", "/"))
}

fn test(entry: &Entry) -> String {
    format!("{LIBRARY}/{}", entry.test)
}

fn page() -> String {
    let mut page = String::from(
        "# Algorithms\n\n\
         Generated from `crates/taut-lcp/src/registry.rs` by `cargo xtask algorithms`; do not \
         edit.\n\
         A method that is *exact* ends with the exact answer (to rounding) on every symmetric \
         positive semidefinite boxed problem.\n\n\
         | name | file | what it does | exact | reference | limits | test |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for e in ENTRIES {
        let (file, test) = (file(e), test(e));
        let (file_name, test_name) = (short(&file), short(&test));
        let exact = if e.exact { "yes" } else { "no" };
        page += &format!(
            "| `{}` | [{file_name}]({file}) | {} | {exact} | {} | {} | [{test_name}]({test}) |\n",
            e.name,
            cell(e.summary),
            cell(e.reference),
            cell(e.limits),
        );
    }
    page
}

/// The path inside `src` or the package.
fn short(path: &str) -> &str {
    path.trim_start_matches(LIBRARY).trim_start_matches('/').trim_start_matches("src/")
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
