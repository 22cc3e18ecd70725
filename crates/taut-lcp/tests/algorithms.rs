//! ALGORITHMS.md is the registry of solvers as a page, and every file it
//! names exists. `cargo xtask algorithms` writes it anew.

use std::fs;
use std::path::{Path, PathBuf};

use taut_lcp::registry::{ENTRIES, Entry};

const LIBRARY: &str = "crates/taut-lcp";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_page_is_up_to_date() {
    let path = root().join("ALGORITHMS.md");
    if std::env::var_os("TAUT_WRITE_ALGORITHMS").is_some() {
        fs::write(&path, page()).expect("writable");
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    assert!(text == page(), "ALGORITHMS.md is out of date: run cargo xtask algorithms");
}

#[test]
fn files_and_tests_exist() {
    for entry in ENTRIES {
        for path in [file(entry), test(entry)] {
            assert!(root().join(&path).is_file(), "'{}' names {path}: no file", entry.name);
        }
    }
}

/// A method's file bears its name, and its docs say what a reader wants to know.
#[test]
fn files_say_what_they_do() {
    const WORDS: [&str; 6] = ["Problem", "Update", "Cost", "Convergence", "Fails", "Reference"];
    for entry in ENTRIES {
        let path = file(entry);
        assert!(path.ends_with(&format!("/{}.rs", entry.name)), "'{}': {path}", entry.name);
        let text = fs::read_to_string(root().join(&path)).unwrap_or_default();
        let docs: Vec<_> = text.lines().filter(|l| l.starts_with("//!")).collect();
        for word in WORDS {
            let said = docs.iter().any(|l| l.contains(&format!("**{word}**")));
            assert!(said, "{path}: its docs lack **{word}**");
        }
    }
}

/// `::pivoting::bpp` is `crates/taut-lcp/src/pivoting/bpp.rs`, and `::sweeps::pgs`, which the default does not run,
/// `crates/taut-lcp/src/sweeps/on_request/pgs.rs`.
fn file(entry: &Entry) -> String {
    let (folder, stem) = entry.module.rsplit_once("::").unwrap_or(("", entry.module));
    let folder = format!("{LIBRARY}/src{}", folder.replace("::", "/"));
    let apart = format!("{folder}/on_request/{stem}.rs");
    if root().join(&apart).is_file() { apart } else { format!("{folder}/{stem}.rs") }
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
