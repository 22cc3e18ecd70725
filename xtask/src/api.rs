//! The docs of the crates, as a part of the book: its links to docs.rs lead there, and the docs' links to pages of the repository lead to those of
//! the book. So both are read offline, and every link between them is followed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

use crate::{Outcome, book, check, release, target_folder};

/// Where they are in the book.
pub const FOLDER: &str = "api";

/// How pages of the book write links to them: `https://docs.rs/CRATE/latest/…`.
const DOCS: &str = "https://docs.rs/";

/// What follows a reference in HTML.
const HREF: &str = "href=\"";

/// What the docs call their list of crates.
const FRONT: &str = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Crates</title>\
    <meta http-equiv=\"refresh\" content=\"0; url=../book/src/api.html\"></head>\
    <body><a href=\"../book/src/api.html\">Crates</a></body></html>\n";

/// Builds the docs and puts them beside the pages of a built book.
pub fn add(html: &Path) -> Outcome {
    check::docs()?;
    let docs = target_folder().join("doc");
    let to = html.join(FOLDER);
    book::write(&to.join("index.html"), FRONT.as_bytes())?;
    let documented = documented()?;
    for file in book::files(&docs)? {
        let name = file.strip_prefix(&docs).unwrap_or(&file);
        let own = name.strip_prefix("src").unwrap_or(name).components().next();
        let own = own.map(|c| c.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
        if docs.join(&own).join("index.html").is_file() && !documented.contains(&own) {
            continue;
        }
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        if file.extension().is_none_or(|e| e != "html") {
            book::write(&to.join(name), &bytes)?;
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        book::write(&to.join(name), to_pages(&text, &up(name, 1), html).as_bytes())?;
    }
    Ok(())
}

/// Folders of the crates that have docs: others may be left of earlier builds.
fn documented() -> Result<BTreeSet<String>, String> {
    let packages = release::all()?;
    let targets = packages.iter().filter_map(|p| p["targets"].as_array()).flatten();
    let named = targets.filter(|t| t["doc"] == true).filter_map(|t| t["name"].as_str());
    Ok(named.map(|name| name.replace('-', "_")).collect())
}

/// A link to docs.rs, as one from a page of the book to the docs beside it; nothing for other links.
pub fn beside(link: &str, page: &Path) -> Option<String> {
    let (name, rest) = link.strip_prefix(DOCS)?.split_once("/latest/")?;
    name.starts_with("taut").then(|| format!("{}{FOLDER}/{rest}", up(page, 0)))
}

/// The way from a file to the folder that its path counts from, or so many folders above.
fn up(path: &Path, above: usize) -> String {
    let folders = path.components().filter(|c| matches!(c, Component::Normal(_))).count() - 1;
    "../".repeat(folders + above)
}

/// A page of the docs with its links to the repository led to pages of the book, where it has them.
fn to_pages(text: &str, up: &str, html: &Path) -> String {
    let outside = format!("{HREF}{}/", book::REPOSITORY);
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(&outside);
    out += parts.next().unwrap_or_default();
    for part in parts {
        let (link, rest) = part.split_once('"').unwrap_or((part, ""));
        let (path, anchor) = link.find('#').map_or((link, ""), |at| (&link[..at], &link[at..]));
        let page = path.strip_suffix(".md").map(|p| format!("{p}.html"));
        match page.filter(|p| html.join(p).is_file()) {
            Some(page) => out += &format!("{HREF}{up}{page}{anchor}\"{rest}"),
            None => out += &format!("{outside}{link}\"{rest}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_book_to_the_docs_and_back() {
        let page = Path::new("book/src/theory/step.md");
        let link = "https://docs.rs/taut/latest/taut/struct.World.html#method.step";
        let there = beside(link, page).expect("a link to the docs");
        assert_eq!(there, "../../../api/taut/struct.World.html#method.step");
        assert_eq!(beside("https://docs.rs/faer/latest/faer/", page), None);
        let html = std::env::temp_dir().join(format!("taut-api-{}", std::process::id()));
        book::write(&html.join("docs/STEP.html"), b"").expect("a file");
        let text = format!(
            "<a href=\"{0}/docs/STEP.md#cables\">a</a> <a href=\"{0}/LICENSE-MIT\">b</a>",
            book::REPOSITORY
        );
        let made = to_pages(&text, &up(Path::new("taut/index.html"), 1), &html);
        drop(fs::remove_dir_all(&html));
        assert_eq!(
            made,
            format!(
                "<a href=\"../../docs/STEP.html#cables\">a</a> <a href=\"{}/LICENSE-MIT\">b</a>",
                book::REPOSITORY
            )
        );
    }
}
