//! `<include file="..."/>`: puts what a file's root holds in its place.

use crate::error::ImportError;
use crate::xml::{self, Element};
use std::path::Path;

/// Files within files.
const MAX_DEPTH: usize = 16;
/// Files in all: one that includes another twice, and so on, grows without end.
const MAX_FILES: usize = 1000;

/// Replaces all includes below an element; paths are relative to the folder of the main file, or
/// of the one that includes.
pub(super) fn expand(root: &mut Element, folder: &Path) -> Result<(), ImportError> {
    expand_at(root, folder, 0, &mut 0)
}

fn expand_at(
    element: &mut Element,
    folder: &Path,
    depth: usize,
    files: &mut usize,
) -> Result<(), ImportError> {
    let mut children = Vec::with_capacity(element.children.len());
    for mut child in std::mem::take(&mut element.children) {
        if child.tag != "include" {
            expand_at(&mut child, folder, depth, files)?;
            children.push(child);
            continue;
        }
        *files += 1;
        if depth >= MAX_DEPTH || *files > MAX_FILES {
            return Err(child.error("too many includes; does a file include itself?"));
        }
        let name = child.need("file")?;
        let beside = Path::new(&*child.place.file).parent().unwrap_or(Path::new(""));
        let places = [folder.join(name), beside.join(name)];
        let Some(path) = places.into_iter().find(|p| p.is_file()) else {
            return Err(child.error(format!("no file {}", folder.join(name).display())));
        };
        let mut root = xml::read(&path)?;
        expand_at(&mut root, folder, depth + 1, files)?;
        children.append(&mut root.children);
    }
    element.children = children;
    Ok(())
}
