//! Every constant of `taut-lcp`, `taut`, `taut-sdf` and `taut-ccd` says where its number comes from: a page of docs/decisions names it with its file, or
//! its comment has a figure or cites a paper (whose key has a year).

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// Name of the constant that a line defines, if that is a number or has numbers.
fn constant(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.trim_start_matches(|c: char| c != ' ').trim_start(),
        None => line,
    };
    let line = line.strip_prefix("in ").unwrap_or(line);
    let (name, kind) = line.strip_prefix("const ")?.split_once(": ")?;
    let kind = kind.split_once('=').map_or(kind, |k| k.0).trim_start_matches(['[', '(', ' ']);
    let is_number = kind.starts_with("f64") || kind.starts_with("usize");
    (is_number && !name.contains(' ')).then_some(name)
}

/// Constants of a source without a figure in their comment, tests left out.
fn unfounded(text: &str) -> Vec<&str> {
    let mut comment = String::new();
    let mut found = Vec::new();
    for line in text.lines().take_while(|l| !l.starts_with("#[cfg(test)]")) {
        let line = line.trim_start();
        if let Some(words) = line.strip_prefix("//") {
            comment += words;
        } else {
            let has_figure = comment.chars().any(|c| c.is_ascii_digit());
            found.extend(constant(line).filter(|_| !has_figure));
            comment.clear();
        }
    }
    found
}

#[test]
fn constants_say_where_they_come_from() {
    let page = |name: &str| {
        fs::read_to_string(root().join("docs/decisions").join(name)).expect("a page of constants")
    };
    let mut missing = Vec::new();
    let crates = [
        ("taut-lcp", "solver-constants.md", 50),
        ("taut", "step-constants.md", 50),
        ("taut-sdf", "geometry-constants.md", 10),
        ("taut-ccd", "geometry-constants.md", 10),
    ];
    for (name, folder, least) in crates {
        let (src, page) = (root().join("crates").join(name).join("src"), page(folder));
        let mut files = Vec::new();
        sources(&src, &mut files);
        assert!(files.len() > least, "{} files of {name}", files.len());
        for file in files {
            let own =
                file.strip_prefix(&src).expect("below it").to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&file).expect("a source");
            // (What generated problems are like is no matter of tuning.)
            for constant in unfounded(&text).into_iter().filter(|_| !own.starts_with("generate/")) {
                let [plain, list] = [format!("`{constant}`"), format!("`{constant}[")];
                let is_named = page.lines().any(|line| {
                    let here =
                        line.contains(&format!("`{own}`")) || line.contains("wherever they stand");
                    here && (line.contains(&plain) || line.contains(&list))
                });
                if !is_named {
                    missing.push(format!("{constant} of {own}: not in {folder}"));
                }
            }
        }
    }
    missing.sort();
    assert!(missing.is_empty(), "constants without a source:\n{}", missing.join("\n"));
}

#[test]
fn constants_are_found_with_their_comments() {
    let text = "/// Half a metre: 0.5.\nconst A: f64 = 0.5;\nconst B: [usize; 2] = [1, 2];\n\n/// Of Ho22.\npub(crate) const C: usize = 3;\n/// None.\npub const D: (f64, f64) = (1.0, 2.0);\n    const E: u32 = 1;\n#[cfg(test)]\nconst F: f64 = 0.0;\n";
    assert_eq!(unfounded(text), ["B", "D"]);
}
