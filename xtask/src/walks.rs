//! The walks of ARCHITECTURE.md name functions that exist.

use std::fs;
use std::path::Path;

use crate::root;

/// All Rust sources below a folder, one after the other.
fn sources(folder: &Path, text: &mut String) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|e| e == "rs") {
            *text += &fs::read_to_string(&path).expect("a text");
        }
    }
}

#[test]
fn walks_name_what_is_there() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut text = String::new();
    for name in ["taut-lcp", "taut", "taut-scenes"] {
        sources(&root().join("crates").join(name).join("src"), &mut text);
    }
    let paragraphs = page.split("\n\n").filter(|p| p.starts_with("- ") && p.contains('→'));
    let mut names = 0;
    for name in paragraphs.flat_map(|p| p.split('`').skip(1).step_by(2)) {
        if name.contains('/') || name.contains('.') {
            let found = ["taut-lcp", "taut", "taut-scenes"]
                .iter()
                .any(|c| root().join("crates").join(c).join("src").join(name).exists());
            assert!(found, "there is no file {name}");
            continue;
        }
        names += 1;
        let (owner, last) = name.rsplit_once("::").unwrap_or(("", name));
        let is_type = last.starts_with(char::is_uppercase);
        let known = |what: &str| {
            let found = text.match_indices(what).any(|(at, _)| {
                let after = text[at + what.len()..].chars().next();
                after.is_some_and(|c| !c.is_alphanumeric() && c != '_')
            });
            assert!(found, "{name}: there is no '{what}'");
        };
        known(&format!("{} {last}", if is_type { "struct" } else { "fn" }));
        if owner.starts_with(char::is_uppercase) {
            known(&format!("struct {owner}"));
        }
    }
    assert!(names > 20, "{names} names");
}
