//! The walks of ARCHITECTURE.md name functions that exist.

use std::fs;
use std::path::{Path, PathBuf};

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

/// The file that defines a function, by its type or module and its name.
fn place_of(owner: &str, name: &str, folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            place_of(owner, name, &path, found);
            continue;
        }
        let is_type = owner.starts_with(char::is_uppercase);
        if !is_type && path.file_stem().is_none_or(|stem| stem != owner) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let (mut of_it, mut is_here) = (!is_type, false);
        for line in text.lines() {
            if is_type && line.starts_with("impl") {
                let kind = line.rsplit(" for ").next().unwrap_or(line);
                of_it = kind.split(|c: char| !c.is_alphanumeric()).any(|word| word == owner);
            }
            let after = line.split_once("fn ").map_or("", |line| line.1);
            let ends = |rest: &str| rest.starts_with(['(', '<']);
            is_here |= of_it && after.strip_prefix(name).is_some_and(ends);
        }
        found.extend(is_here.then_some(path));
    }
}

/// From scene file to pose a contact comes to each file once: what is left is not come back to.
#[test]
fn the_walk_of_a_contact_comes_to_each_file_once() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let start = page.find("The walk of a contact").expect("the walk of a contact");
    let end = start + page[start..].find("Where contacts are springs").expect("its end");
    let (walk, default_step) = page[start..end].split_once("The default step,").expect("two parts");
    // The default step stands where it is called.
    let call = walk.find("- `World::solve_missed").expect("what comes after");
    let (first, rest) = walk.split_at(call);
    let (mut places, mut last) = (Vec::new(), PathBuf::new());
    let walk = [first, default_step, rest].concat();
    for name in walk.split('`').skip(1).step_by(2).filter(|name| name.contains("::")) {
        let (owner, last_name) = name.rsplit_once("::").unwrap_or(("", name));
        let owner = owner.rsplit("::").next().unwrap_or(owner);
        let mut found = Vec::new();
        for name in CRATES {
            let src = root().join("crates").join(name).join("src");
            place_of(owner, last_name, &src, &mut found);
        }
        assert_eq!(found.len(), 1, "{name} is in {found:?}");
        let place = found.swap_remove(0);
        if place != last {
            assert!(!places.contains(&place), "{name} leads back to {}", place.display());
            places.push(place.clone());
            last = place;
        }
    }
    assert!(places.len() > 20, "{} files", places.len());
}
