//! Every paper that sources and documents cite is in REFERENCES.md, and every one
//! there is cited. Keys are `Ho22`, or `Murty 1974`, `Duff and Reid 1983`,
//! `Smith et al. 2012`: a name, then a year. Code is not searched, comments are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Before a year, but no author.
const NO_AUTHORS: [&str; 2] = ["RFC", "SIGGRAPH"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Sources and documents below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules", "viewer"].contains(&name.as_str()) {
            collect(&path, files);
        } else if (name.ends_with(".rs") || name.ends_with(".md")) && name != "REFERENCES.md" {
            files.push(path);
        }
    }
}

/// The words of a document, or of the comments and references of a source.
fn words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let is_source = path.extension().is_some_and(|e| e == "rs");
    let mut words = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        let cites = line.starts_with("reference:");
        let line = match line.split_once("//") {
            Some((_, comment)) if is_source => comment.trim_start_matches(['/', '!']),
            _ if is_source && !cites => continue,
            _ => line,
        };
        words.extend(line.split_whitespace().map(String::from));
    }
    words
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.any(char::is_lowercase)
        && word.chars().all(|c| c.is_alphabetic() || "'’-".contains(c))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u32>().is_ok_and(|y| (1950..2030).contains(&y))
}

/// `Ho22`: a name and two digits.
fn is_short(word: &str) -> bool {
    let (Some(name), Some(digits)) =
        (word.get(..word.len().saturating_sub(2)), word.get(word.len().saturating_sub(2)..))
    else {
        return false;
    };
    let plain = name.chars().skip(1).all(char::is_lowercase);
    plain && is_name(name) && digits.chars().all(|c| c.is_ascii_digit())
}

/// Names with a year, or short keys, in the order of the text.
fn citations(words: &[String]) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let word = bare(word);
        if is_short(word) {
            found.push((word.into(), None));
        }
        let before = |n: usize| k.checked_sub(n).map_or("", |k| bare(&words[k]));
        let name = if before(1) == "al" { before(3) } else { before(1) };
        if is_year(word) && is_name(name) && !NO_AUTHORS.contains(&name) {
            found.push((name.into(), Some(word.into())));
        }
    }
    found
}

/// The bold keys of REFERENCES.md.
fn keys() -> Vec<String> {
    let text = fs::read_to_string(root().join("REFERENCES.md")).expect("REFERENCES.md");
    let lines = text.lines().filter_map(|l| l.strip_prefix("- **"));
    lines.filter_map(|l| l.split_once("**").map(|(key, _)| key.into())).collect()
}

#[test]
fn what_is_cited_is_listed_and_the_other_way_round() {
    let keys = keys();
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "fuzz", "docs", "book"] {
        collect(&root().join(folder), &mut files);
    }
    files.extend(["README.md", "ARCHITECTURE.md", "BENCHMARKS.md"].map(|f| root().join(f)));
    let (mut missing, mut text) = (BTreeSet::new(), String::new());
    for file in &files {
        let words = words(file);
        for (name, year) in citations(&words) {
            let known = keys.iter().any(|key| match &year {
                Some(year) => key.contains(&name) && key.ends_with(year.as_str()),
                None => *key == name,
            });
            if !known {
                missing.insert(format!(
                    "{name} {} in {}",
                    year.unwrap_or_default(),
                    file.display()
                ));
            }
        }
        text += &words.join(" ");
        text.push(' ');
    }
    assert!(missing.is_empty(), "not in REFERENCES.md:\n{missing:#?}");
    let cited = |key: &&String| text.contains(key.as_str());
    let idle: Vec<_> = keys.iter().filter(|key| !cited(key)).collect();
    assert!(idle.is_empty(), "in REFERENCES.md, but cited nowhere: {idle:?}");
}

#[test]
fn citations_are_found_in_every_form() {
    let text = "as Ho22 5.3; Duff and Reid 1983 (trees), Smith et al. 2012, in 1999 RFC 1951 U64";
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    let year = |y: &str| Some(y.to_string());
    let expected =
        [("Ho22".into(), None), ("Reid".into(), year("1983")), ("Smith".into(), year("2012"))];
    assert_eq!(citations(&words), expected);
}
