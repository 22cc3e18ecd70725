//! The walks of ARCHITECTURE.md name functions that exist.

use std::fs;
use std::path::Path;

use crate::root;

const CRATES: [&str; 3] = ["taut-lcp", "taut", "taut-scenes"];

/// All Rust sources below a folder, one after the other, and their names.
fn sources(folder: &Path, text: &mut String, files: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            sources(&path, text, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            *text += &fs::read_to_string(&path).expect("a text");
            files.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
}

/// Whether a file or folder is there, by its path from the root or from a crate's sources, or by its name alone.
fn is_there(path: &str, files: &[String]) -> bool {
    let of_crate = |c: &str| root().join("crates").join(c).join("src").join(path).exists();
    let is_name = !path.contains('/') && files.iter().any(|file| file == path);
    is_name || root().join(path).exists() || CRATES.into_iter().any(of_crate)
}

#[test]
fn walks_name_what_is_there() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (mut text, mut files) = (String::new(), Vec::new());
    for name in CRATES {
        sources(&root().join("crates").join(name).join("src"), &mut text, &mut files);
    }
    let is_defined = |kinds: &[&str], name: &str| {
        kinds.iter().map(|kind| format!("{kind} {name}")).any(|what| {
            text.match_indices(&what).any(|(at, _)| {
                let after = text[at + what.len()..].chars().next();
                after.is_some_and(|c| !c.is_alphanumeric() && c != '_')
            })
        })
    };
    let paragraphs = page.split("\n\n").filter(|p| p.contains('→'));
    let mut names = 0;
    for name in paragraphs.flat_map(|p| p.split('`').skip(1).step_by(2)) {
        if name.contains('/') || name.contains('.') {
            assert!(is_there(name, &files), "there is no file {name}");
            continue;
        }
        names += 1;
        let (owner, last) = name.rsplit_once("::").unwrap_or(("", name));
        let is_type = last.starts_with(char::is_uppercase);
        let kinds: &[&str] = if is_type { &["struct"] } else { &["fn"] };
        assert!(is_defined(kinds, last), "{name}: there is no {last}");
        if owner.starts_with(char::is_uppercase) {
            let kinds = ["struct", "trait"];
            assert!(is_defined(&kinds, owner), "{name}: there is no {owner}");
        }
    }
    assert!(names > 60, "{names} names");
}
