//! `<include>`: puts the model of another file in its place.
//!
//! `model://NAME` is a folder with a `model.config` that names the file, looked for beside the file, in the folders above it and in
//! `--mesh-path`; other names are files. What an `include` says (name, pose, static) outweighs what the model says.

use crate::Options;
use crate::error::{ImportError, Notes};
use crate::xml::{self, Element};
use std::path::{Path, PathBuf};

/// Files within files, and files in all.
const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 1000;

/// Replaces all includes; returns for each file (`Element::model`) whether axes are in the frame of the model, as before
/// version 1.5.
pub(super) fn expand(
    root: &mut Element,
    options: &Options,
    notes: &mut Notes,
) -> Result<Vec<bool>, ImportError> {
    let mut work = Work { old: vec![super::before_1_5(root)], options, notes };
    work.expand(root, 0)?;
    Ok(work.old)
}

struct Work<'a> {
    old: Vec<bool>,
    options: &'a Options,
    notes: &'a mut Notes,
}

impl Work<'_> {
    fn expand(&mut self, element: &mut Element, depth: usize) -> Result<(), ImportError> {
        let mut children = Vec::with_capacity(element.children.len());
        for mut child in std::mem::take(&mut element.children) {
            match child.tag.as_str() {
                "include" => children.extend(self.included(&child, depth)?),
                "world" | "model" => {
                    self.expand(&mut child, depth)?;
                    children.push(child);
                }
                _ => children.push(child),
            }
        }
        element.children = children;
        Ok(())
    }

    fn included(&mut self, e: &Element, depth: usize) -> Result<Option<Element>, ImportError> {
        if depth >= MAX_DEPTH || self.old.len() > MAX_FILES {
            return Err(e.error("too many includes; does a file include itself?"));
        }
        let uri = e.child("uri").ok_or_else(|| e.error("uri is missing"))?.text.clone();
        for child in &e.children {
            if !["uri", "name", "pose", "static"].contains(&child.tag.as_str()) {
                self.notes.add(&child.place, format!("include: {} is not read", child.label()));
            }
        }
        let last = uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let mut model = match self.find(&uri, e) {
            Some(path) => match self.model(&path, e, depth)? {
                Some(model) => model,
                None => return Ok(None),
            },
            // What Gazebo's worlds have without bringing it along.
            None if last == "sun" => return Ok(None),
            None if last == "ground_plane" => {
                let message = "include: ground_plane is not there; a plane stands for it";
                self.notes.add(&e.place, message);
                xml::parse(GROUND, &e.place.file)?
            }
            None => {
                let message =
                    format!("include: '{uri}' is not there; --mesh-path FOLDER says where to look");
                return Err(e.place.error(message));
            }
        };
        if let Some(name) = e.child("name") {
            model.attributes.retain(|(n, _)| n != "name");
            model.attributes.push(("name".into(), name.text.clone()));
        }
        for tag in ["pose", "static"] {
            if let Some(own) = e.child(tag) {
                model.children.retain(|c| c.tag != tag);
                model.children.push(own.clone());
            }
        }
        Ok(Some(model))
    }

    /// The first model of a file.
    fn model(
        &mut self,
        path: &Path,
        e: &Element,
        depth: usize,
    ) -> Result<Option<Element>, ImportError> {
        let mut root = xml::read(path)?;
        if root.tag != "sdf" {
            let message = format!("include: {} is no SDFormat file: left out", path.display());
            self.notes.add(&e.place, message);
            return Ok(None);
        }
        let index = self.old.len();
        self.old.push(super::before_1_5(&root));
        mark(&mut root, index);
        self.expand(&mut root, depth + 1)?;
        let found = root.children.into_iter().find(|c| c.tag == "model");
        found.map(Some).ok_or_else(|| e.place.error(format!("{} has no model", path.display())))
    }

    /// The file that a URI means.
    fn find(&self, uri: &str, e: &Element) -> Option<PathBuf> {
        let packaged = uri.strip_prefix("model://").or_else(|| uri.strip_prefix("package://"));
        let path = packaged.unwrap_or(uri.strip_prefix("file://").unwrap_or(uri));
        let beside = Path::new(&*e.place.file).parent().unwrap_or(Path::new(""));
        let above = std::path::absolute(beside).unwrap_or_else(|_| beside.into());
        let mut folders: Vec<PathBuf> = self.options.mesh_paths.clone();
        folders.push(beside.into());
        folders.extend(above.ancestors().map(Path::to_path_buf));
        folders.iter().find_map(|folder| file_of(&folder.join(path)))
    }
}

/// A file, or that which the `model.config` of a folder names last, or its `model.sdf`.
fn file_of(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.into());
    }
    let config = path.join("model.config");
    let named = xml::read(&config).ok().and_then(|root| {
        root.all("sdf").last().map(|s| path.join(&s.text)).filter(|p| p.is_file())
    });
    named.or_else(|| Some(path.join("model.sdf")).filter(|p| p.is_file()))
}

fn mark(e: &mut Element, model: usize) {
    e.model = model;
    e.children.iter_mut().for_each(|c| mark(c, model));
}

const GROUND: &str = "<model name='ground_plane'><static>true</static><link name='link'><collision name='collision'>\
    <geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>";
