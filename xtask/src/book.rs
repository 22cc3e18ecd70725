//! The book: chapters of book/src, the pages of docs, and the docs of the crates, as one site that asks for nothing from outside.
//!
//! mdBook takes all pages from one folder. So the pages are first copied to `target/book`, at the places they have here,
//! and links to what is not part of the book become links to the repository. Then every link of the result is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::{Outcome, api, cargo, root, run, viewer};

/// The version that is installed where there is none.
const MDBOOK: &str = "0.5.4";
pub const REPOSITORY: &str = "https://github.com/taut-physics/taut/blob/main";

/// Leads to the first chapter.
const FRONT: &str = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>taut</title>\
    <meta http-equiv=\"refresh\" content=\"0; url=book/src/index.html\"></head>\
    <body><a href=\"book/src/index.html\">taut</a></body></html>\n";

/// Builds the pages, follows all links, and runs all blocks of code.
pub fn check() -> Outcome {
    pages()?;
    let all = ["--workspace", "--all-features", "--locked"];
    run(cargo(&["test", "--test", "book"]).args(all))?;
    run(&mut cargo(&["test", "--doc", "--package", "taut-book", "--all-features", "--locked"]))
}

/// Builds the pages and follows all links.
pub fn pages() -> Outcome {
    let folder = target().join("book");
    // There may be none yet.
    drop(fs::remove_dir_all(&folder));
    stage(&root(), &folder)?;
    let html = folder.join("html");
    run(Command::new(mdbook()?).arg("build").arg(&folder).arg("--dest-dir").arg(&html))?;
    // mdBook puts a copy of the first chapter here, whose links count from elsewhere.
    write(&html.join("index.html"), FRONT.as_bytes())?;
    api::add(&html)?;
    let faults = faults(&html)?;
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    println!("built: {}", html.join("index.html").display());
    Ok(())
}

/// Draws the figures of the guides anew.
pub fn figures() -> Outcome {
    viewer::book()
}

fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from)
}

/// mdBook, installed to `target/mdbook` where it is missing: a minute on two cores.
fn mdbook() -> Result<PathBuf, String> {
    let own = target().join("mdbook").join("bin").join("mdbook");
    let minor = MDBOOK.rsplit_once('.').map_or(MDBOOK, |v| v.0);
    let fits = |program: &Path| {
        let output = Command::new(program).arg("--version").stderr(Stdio::null()).output();
        output.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains(&format!("v{minor}.")))
    };
    for program in [PathBuf::from("mdbook"), own.clone()] {
        if fits(&program) {
            return Ok(program);
        }
    }
    println!("mdBook is missing; installing it to target/mdbook");
    // Not optimized: it is built more often than it runs.
    let install =
        ["install", "mdbook", "--locked", "--debug", "--no-default-features", "--version"];
    let folder = target().join("mdbook");
    // What it is built in must not take over the settings of this workspace.
    run(cargo(&install).args([MDBOOK, "--root"]).arg(&folder).env_remove("CARGO_TARGET_DIR"))?;
    Ok(own)
}

/// Copies all pages of the book, as it is at `root`, to `folder`.
fn stage(root: &Path, folder: &Path) -> Outcome {
    let summary = read(&root.join("book/src/SUMMARY.md"))?;
    let mut listed = BTreeSet::new();
    let here = Path::new("book/src");
    let moved = rewrite(&summary, |target| {
        let path = normal(&here.join(target));
        listed.insert(path.clone());
        Ok(path.display().to_string())
    })?;
    let pages = folder.join("pages");
    write(&pages.join("SUMMARY.md"), moved.as_bytes())?;
    copy(&root.join("book/book.toml"), &folder.join("book.toml"))?;
    let mut others = BTreeSet::new();
    for page in &listed {
        let text = read(&root.join(page))?;
        let parent = page.parent().unwrap_or(Path::new(""));
        for line in text.lines().filter_map(|l| l.split("{{#include ").nth(1)) {
            let name = line.split("}}").next().unwrap_or_default();
            others.insert(normal(&parent.join(name)));
        }
        let text =
            measured(&text, &root.join(parent)).map_err(|e| format!("{}: {e}", page.display()))?;
        let text = rewrite(&text, |link| {
            if let Some(docs) = api::beside(link, page) {
                return Ok(docs);
            }
            if link.contains(':') {
                return Ok(link.to_string());
            }
            let (path, anchor) = link.split_once('#').map_or((link, ""), |(p, a)| (p, a));
            let file = normal(&parent.join(path));
            if !root.join(&file).exists() {
                return Err(format!("{}: {link} leads nowhere", page.display()));
            }
            let is_page = file.extension().is_some_and(|e| e == "md");
            if listed.contains(&file) {
                return Ok(link.to_string());
            }
            if is_page || root.join(&file).is_dir() {
                let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
                return Ok(format!("{REPOSITORY}/{}{anchor}", file.display()));
            }
            others.insert(file);
            Ok(link.to_string())
        })?;
        write(&pages.join(page), text.as_bytes())?;
    }
    others.iter().try_for_each(|file| copy(&root.join(file), &pages.join(file)))
}

/// A page with its lines `{{#measured FILE NAME}}` replaced: what stands in FILE between the markers of that name, or below that
/// heading, and the line there that says when it was measured. So no number is copied by hand.
fn measured(text: &str, folder: &Path) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let what = line.trim().strip_prefix("{{#measured ").and_then(|l| l.strip_suffix("}}"));
        let Some((file, name)) = what.and_then(|w| w.split_once(' ')) else {
            out += line;
            continue;
        };
        let page = read(&normal(&folder.join(file)))?;
        let between = |name: &str| {
            let (_, rest) = page.split_once(&format!("<!-- begin {name} -->"))?;
            rest.split_once(&format!("<!-- end {name} -->")).map(|(found, _)| found.trim())
        };
        let below = || {
            let (_, rest) = page.split_once(&format!("\n## {name}\n"))?;
            let section = rest.split("\n## ").next()?;
            section.split("\n\n").find(|part| part.trim_start().starts_with('|'))
        };
        let found = between(name).or_else(below).ok_or_else(|| format!("{file} has no {name}"))?;
        let stamp = between("stamp").map(|s| format!("*{s}* ")).unwrap_or_default();
        out += &format!("{found}\n\n{stamp}From [this page]({file}).\n");
    }
    Ok(out)
}

/// A page with its links to other pages replaced. Blocks of code have none.
fn rewrite(
    text: &str,
    mut new: impl FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let (mut out, mut code) = (String::with_capacity(text.len()), false);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            out += line;
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            let (before, after) = rest.split_at(at + 2);
            out += before;
            let Some(end) = after.find(')') else {
                rest = after;
                break;
            };
            let link = &after[..end];
            let here = link.is_empty() || link.starts_with('#') || link.contains(' ');
            out += &if here { link.to_string() } else { new(link)? };
            rest = &after[end..];
        }
        out += rest;
    }
    Ok(out)
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// What is wrong with a built site: links that lead nowhere, and what it would fetch from outside.
fn faults(site: &Path) -> Result<Vec<String>, String> {
    let files = files(site)?;
    let mut pages = BTreeMap::new();
    let mut found = Vec::new();
    for file in &files {
        let kind = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if kind == "html" {
            pages.insert(file.clone(), read(file)?);
        } else if kind == "css" {
            let text = read(file)?;
            if text.contains("url(http")
                || text.contains("url(\"http")
                || text.contains("url(//")
                || text.contains("@import")
            {
                found.push(format!("{}: fetches from outside", file.display()));
            }
        }
    }
    if pages.is_empty() {
        return Err(format!("{}: no page", site.display()));
    }
    let anchors: BTreeMap<_, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| (path.clone(), attributes(text, " id=\"").collect()))
        .collect();
    let sources = site.join(api::FOLDER).join("src");
    for (path, text) in &pages {
        let name = path.strip_prefix(site).unwrap_or(path).display();
        for tag in ["<script", "<link", "<img", "<iframe", "<source", "<video", "<audio"] {
            for part in text.split(tag).skip(1).filter_map(|rest| rest.split('>').next()) {
                let asks = attributes(part, "src=\"").chain(attributes(part, "href=\""));
                found.extend(
                    asks.filter(|a| a.contains("//")).map(|a| format!("{name}: fetches {a}")),
                );
            }
        }
        if text.contains("class=\"playground\"") {
            found.push(format!("{name}: asks the Rust playground"));
        }
        for link in attributes(text, "href=\"").chain(attributes(text, "src=\"")) {
            // (Scripts have links with holes.)
            if link.contains(':') || link.starts_with("//") || link.contains("${") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((link, ""), |(p, a)| (p, a));
            let target = if file.is_empty() {
                path.clone()
            } else {
                normal(&path.parent().unwrap_or(site).join(file))
            };
            let known = anchors.get(&target);
            // Scripts mark ranges of lines of sources (#7-9), which are no places, and take places along to where a page has moved to.
            let moved = pages.get(&target).is_some_and(|t| t.contains("http-equiv=\"refresh\""));
            let anchor = if moved || target.starts_with(&sources) { "" } else { anchor };
            if known.is_none() && !target.is_file() {
                found.push(format!("{name}: {link} leads nowhere"));
            } else if !anchor.is_empty() && known.is_some_and(|ids| !ids.contains(anchor)) {
                found.push(format!("{name}: {link}: there is no such place on that page"));
            }
        }
    }
    Ok(found)
}

/// Values of an attribute, by its name with ` ="`.
fn attributes<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(name).skip(1).filter_map(|rest| rest.split('"').next())
}

/// All files below a folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

pub fn write(path: &Path, bytes: &[u8]) -> Outcome {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, bytes)).map_err(|e| format!("{}: {e}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let bytes = fs::read(from).map_err(|e| format!("{}: {e}", from.display()))?;
    write(to, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every page can be copied: whatever it links to is here.
    #[test]
    fn all_links_of_the_sources_lead_somewhere() {
        let folder = env::temp_dir().join(format!("taut-book-{}", std::process::id()));
        let staged = stage(&root(), &folder);
        drop(fs::remove_dir_all(&folder));
        staged.expect("no dead link");
    }

    #[test]
    fn links_are_rewritten_and_code_is_left_alone() {
        let text = "a [b](c.md#d) ![e](f.svg)\n```\n[g](h.md)\n```\n[i](https://j) [k](#l)\n";
        let new =
            |link: &str| Ok(if link.contains(':') { link.into() } else { format!("x/{link}") });
        let seen = rewrite(text, new).expect("text");
        assert_eq!(
            seen,
            "a [b](x/c.md#d) ![e](x/f.svg)\n```\n[g](h.md)\n```\n[i](https://j) [k](#l)\n"
        );
    }

    #[test]
    fn what_is_wrong_with_a_site_is_found() {
        let folder = env::temp_dir().join(format!("taut-site-{}", std::process::id()));
        let page = "<h1 id=\"top\"></h1><a href=\"#top\"></a><a href=\"gone.html\"></a><a href=\"#nowhere\"></a>\
                    <a href=\"https://fine.org\"></a><script src=\"https://cdn.org/x.js\"></script>";
        write(&folder.join("index.html"), page.as_bytes()).expect("a file");
        let found = faults(&folder);
        drop(fs::remove_dir_all(&folder));
        let found = found.expect("a site");
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].contains("cdn.org")
                && found[1].contains("gone")
                && found[2].contains("nowhere"),
            "{found:?}"
        );
    }
}
