//! `<attach model="..." body="..." prefix="..."/>` and `<replicate count="...">`: puts parts of other models, and copies of
//! parts, in their place, before anything else is read.
//!
//! What comes of another model has its names behind the prefix, keeps its own compiler (`Element::model`) and its own default
//! classes, and brings along what refers to it: assets, contacts, equalities, tendons, actuators and sensors. A copy has its
//! number behind its names; what refers to copied things from outside is copied, too.

use super::compiler::Compiler;
use super::{defaults::MAIN, include};
use crate::error::{ImportError, Notes, Place};
use crate::xml::{self, Element};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use taut::math::{Pose, Quat, Vec3};

/// Models within models.
const MAX_DEPTH: usize = 16;
/// Models in all, and copied elements in all.
const MAX_MODELS: usize = 1000;
const MAX_COPIES: usize = 100_000;

/// Sections whose elements refer to others; tendons come first, for actuators refer to them.
const REFERRING: [&str; 5] = ["tendon", "contact", "equality", "actuator", "sensor"];

/// Attributes that name other elements.
const REFERENCES: [&str; 27] = [
    "joint",
    "joint1",
    "joint2",
    "jointinparent",
    "body",
    "body1",
    "body2",
    "geom",
    "geom1",
    "geom2",
    "site",
    "site1",
    "site2",
    "sidesite",
    "refsite",
    "slidersite",
    "cranksite",
    "tendon",
    "tendon1",
    "tendon2",
    "actuator",
    "target",
    "objname",
    "refname",
    "mesh",
    "hfield",
    "material",
];

/// Expands a model; returns the compilers of it and of all models in it, in the order of `Element::model`.
pub(super) fn expand(
    root: &mut Element,
    folder: &Path,
    notes: &mut Notes,
) -> Result<Vec<Compiler>, ImportError> {
    let mut work = Work { compilers: Vec::new(), copies: 0, notes };
    work.model(root, folder, 0)?;
    Ok(work.compilers)
}

struct Work<'a> {
    compilers: Vec<Compiler>,
    copies: usize,
    notes: &'a mut Notes,
}

impl Work<'_> {
    fn model(
        &mut self,
        root: &mut Element,
        folder: &Path,
        depth: usize,
    ) -> Result<(), ImportError> {
        let index = self.compilers.len();
        if depth >= MAX_DEPTH || index >= MAX_MODELS {
            return Err(root.error("too many models attached; does one attach itself?"));
        }
        self.compilers.push(Compiler::read(root, folder)?);
        mark(root, index);
        let assets = root.all("asset").flat_map(|a| a.all("model"));
        let files: Vec<Element> = assets.cloned().collect();
        let mut sections = Vec::new();
        for world in root.children.iter_mut().filter(|c| c.tag == "worldbody") {
            self.attach_in(world, &files, folder, depth, &mut sections)?;
        }
        root.children.append(&mut sections);
        // Copies of what was attached are copies like others.
        for i in 0..root.children.len() {
            if root.children[i].tag == "worldbody" {
                let hole = empty("worldbody", &root.place, 0);
                let mut world = std::mem::replace(&mut root.children[i], hole);
                self.replicate_in(&mut world, root)?;
                root.children[i] = world;
            }
        }
        Ok(())
    }

    fn attach_in(
        &mut self,
        element: &mut Element,
        files: &[Element],
        folder: &Path,
        depth: usize,
        sections: &mut Vec<Element>,
    ) -> Result<(), ImportError> {
        for child in &mut element.children {
            if child.tag == "attach" {
                *child = self.attached(child, files, folder, depth, sections)?;
            } else {
                self.attach_in(child, files, folder, depth, sections)?;
            }
        }
        Ok(())
    }

    /// What an `attach` stands for, as a frame; what goes with it is added to the sections.
    fn attached(
        &mut self,
        e: &Element,
        files: &[Element],
        folder: &Path,
        depth: usize,
        sections: &mut Vec<Element>,
    ) -> Result<Element, ImportError> {
        let path = find_model(e, files, folder)?;
        let mut root = xml::read(&path)?;
        let inner = path.parent().unwrap_or(Path::new("")).to_path_buf();
        include::expand(&mut root, &inner)?;
        let model = self.compilers.len();
        self.model(&mut root, &inner, depth + 1)?;
        let prefix = e.get("prefix").unwrap_or_default();
        name_assets(&mut root);
        let own_class = root.children.iter().position(|c| c.tag == "default" && c.model == model);
        prefixed(&mut root, prefix);
        let main = format!("{prefix}{MAIN}");
        let class = name_class(&mut root, own_class, main, || empty("default", &e.place, model));
        let worlds = root.children.iter().filter(|c| c.tag == "worldbody");
        let world: Vec<Element> = worlds.flat_map(|w| w.children.clone()).collect();
        let (mut all, mut kept) = (BTreeSet::new(), BTreeSet::new());
        world.iter().for_each(|c| names(c, &mut all));
        let taken = match e.get("body") {
            None => world,
            Some(body) => {
                let (name, body) = (e.need("model")?, format!("{prefix}{body}"));
                let found = world.iter().find_map(|c| body_in(c, &body));
                let missing = || e.error(format!("model '{name}' has no body '{body}'"));
                vec![found.ok_or_else(missing)?.clone()]
            }
        };
        taken.iter().for_each(|c| names(c, &mut kept));
        let lost: BTreeSet<String> = all.difference(&kept).cloned().collect();
        self.take_sections(e, &mut root, &class, lost, sections);
        let mut frame = empty("frame", &e.place, model);
        set(&mut frame, "childclass", &class);
        frame.children = taken;
        Ok(frame)
    }

    /// Assets and classes of an attached model, and what refers to the part of it that is kept.
    fn take_sections(
        &mut self,
        e: &Element,
        root: &mut Element,
        class: &str,
        mut lost: BTreeSet<String>,
        sections: &mut Vec<Element>,
    ) {
        let all = std::mem::take(&mut root.children);
        for tag in ["asset", "default"].into_iter().chain(REFERRING) {
            for section in all.iter().filter(|c| c.tag == tag) {
                let mut section = section.clone();
                if REFERRING.contains(&tag) {
                    let mut gone = Vec::new();
                    section.children.retain(|c| {
                        let keeps = !refers(c, &lost);
                        gone.extend(c.get("name").filter(|_| !keeps).map(str::to_string));
                        keeps
                    });
                    lost.extend(gone);
                }
                if tag != "default" {
                    // Elements without a class have the outermost one of their own model.
                    let plain = section.children.iter_mut().filter(|c| c.get("class").is_none());
                    plain.filter(|c| c.model == section.model).for_each(|c| set(c, "class", class));
                }
                sections.push(section);
            }
        }
        let keys = all.iter().filter(|c| c.tag == "keyframe").any(|k| !k.children.is_empty());
        if keys {
            let message = "keyframes of the model that is attached are left out";
            self.notes.add(&e.place, format!("{}: {message}", e.label()));
        }
        for option in all.iter().filter(|c| c.tag == "option") {
            if option.get("gravity").is_some() || option.child("flag").is_some() {
                let message = "gravity and flags are those of the outer model";
                self.notes.add(&option.place, format!("option of an attached model: {message}"));
            }
        }
    }

    fn replicate_in(
        &mut self,
        element: &mut Element,
        root: &mut Element,
    ) -> Result<(), ImportError> {
        for child in &mut element.children {
            self.replicate_in(child, root)?;
            if child.tag == "replicate" {
                *child = self.copies(child, root)?;
            }
        }
        Ok(())
    }

    /// The copies of what a `replicate` holds, each in a frame; what refers to it in the sections of the model is copied.
    fn copies(&mut self, e: &Element, root: &mut Element) -> Result<Element, ImportError> {
        e.need("count")?;
        let count = e.number_or("count", 0.0)?;
        let most = (MAX_COPIES - self.copies.min(MAX_COPIES)) as f64;
        if count < 1.0 || count.fract() != 0.0 || count > MAX_COPIES as f64 {
            let message =
                format!("'count': expected a whole number from 1 to {MAX_COPIES}, found {count}");
            return Err(e.error(message));
        }
        // What inner ones have copied counts, too: before anything is copied.
        if count * size(e).max(1) as f64 > most {
            let message =
                format!("'count': all copies together are more than {MAX_COPIES} elements");
            return Err(e.error(message));
        }
        self.copies += count as usize * size(e).max(1);
        let count = count as usize;
        let offset = Vec3::from(e.array::<3>("offset")?.unwrap_or_default());
        let turn = match e.array::<3>("euler")? {
            Some(angles) => self.compilers[e.model].euler(angles),
            None => Quat::IDENTITY,
        };
        let step = Pose::from_parts(offset, turn);
        let separator = e.get("sep").unwrap_or_default();
        let digits = count.to_string().len();
        let suffix = |i: usize| format!("{separator}{i:0digits$}");
        let mut inner = BTreeSet::new();
        e.children.iter().for_each(|c| names(c, &mut inner));
        for section in root.children.iter_mut().filter(|c| REFERRING.contains(&c.tag.as_str())) {
            let mut children = Vec::new();
            for child in std::mem::take(&mut section.children) {
                if !refers(&child, &inner) {
                    children.push(child);
                    continue;
                }
                if let Some(own) = child.get("name") {
                    inner.insert(own.to_string());
                }
                children.extend((0..count).map(|i| suffixed(&child, &inner, &suffix(i))));
            }
            section.children = children;
        }
        let mut frame = empty("frame", &e.place, e.model);
        let mut pose = Pose::IDENTITY;
        for i in 0..count {
            let mut copy = empty("frame", &e.place, e.model);
            let (p, q) = (pose.translation, pose.rotation.normalize());
            set(&mut copy, "pos", &format!("{} {} {}", p.x, p.y, p.z));
            set(&mut copy, "quat", &format!("{} {} {} {}", q.w, q.x, q.y, q.z));
            copy.children = e.children.iter().map(|c| suffixed(c, &inner, &suffix(i))).collect();
            frame.children.push(copy);
            pose *= step;
        }
        Ok(frame)
    }
}

fn empty(tag: &str, place: &Place, model: usize) -> Element {
    Element {
        tag: tag.into(),
        attributes: Vec::new(),
        children: Vec::new(),
        text: String::new(),
        place: place.clone(),
        model,
    }
}

fn set(e: &mut Element, name: &str, value: &str) {
    e.attributes.retain(|(n, _)| n != name);
    e.attributes.push((name.into(), value.into()));
}

fn mark(e: &mut Element, model: usize) {
    e.model = model;
    e.children.iter_mut().for_each(|c| mark(c, model));
}

/// Elements in an element.
fn size(e: &Element) -> usize {
    e.children.iter().map(|c| 1 + size(c)).sum()
}

/// The file of the model that an `attach` names.
fn find_model(e: &Element, files: &[Element], folder: &Path) -> Result<PathBuf, ImportError> {
    let name = e.need("model")?;
    let stem = |file: &str| Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned());
    let named = |f: &&Element| match f.get("name") {
        Some(own) => own == name,
        None => f.get("file").and_then(stem).as_deref() == Some(name),
    };
    let asset = files.iter().find(named);
    let asset = asset.ok_or_else(|| e.error(format!("no model is named '{name}'")))?;
    let path: PathBuf = folder.join(asset.need("file")?);
    if !path.is_file() {
        return Err(asset.error(format!("no file {}", path.display())));
    }
    Ok(path)
}

/// The name of the class of all defaults of a model, which are child `own` of its root: its own, or `main`. Without
/// any, `none` becomes that class.
fn name_class(
    root: &mut Element,
    own: Option<usize>,
    main: String,
    none: impl Fn() -> Element,
) -> String {
    let Some(k) = own else {
        let mut none = none();
        set(&mut none, "class", &main);
        root.children.push(none);
        return main;
    };
    if let Some(class) = root.children[k].get("class") {
        return class.to_string();
    }
    set(&mut root.children[k], "class", &main);
    main
}

/// Assets that are named after their files get those names.
fn name_assets(root: &mut Element) {
    let assets = root.children.iter_mut().filter(|c| c.tag == "asset");
    for asset in assets.flat_map(|a| &mut a.children).filter(|c| c.get("name").is_none()) {
        let stem = asset.get("file").and_then(|f| Path::new(f).file_stem());
        if let Some(stem) = stem.map(|s| s.to_string_lossy().into_owned()) {
            set(asset, "name", &stem);
        }
    }
}

/// Puts a prefix before all names and references.
fn prefixed(e: &mut Element, prefix: &str) {
    // The world has no other name.
    let world = |n: &str, v: &str| v == "world" && n.starts_with("body");
    for (name, value) in &mut e.attributes {
        let known = ["name", "class", "childclass"].contains(&name.as_str());
        if (known || REFERENCES.contains(&name.as_str())) && !world(name, value) {
            *value = format!("{prefix}{value}");
        }
    }
    e.children.iter_mut().for_each(|c| prefixed(c, prefix));
}

/// The element with a suffix behind all of these names.
fn suffixed(e: &Element, inner: &BTreeSet<String>, suffix: &str) -> Element {
    let mut copy = e.clone();
    for (name, value) in &mut copy.attributes {
        let names = name == "name" || REFERENCES.contains(&name.as_str());
        if names && inner.contains(value.as_str()) {
            value.push_str(suffix);
        }
    }
    copy.children = e.children.iter().map(|c| suffixed(c, inner, suffix)).collect();
    copy
}

/// The names of an element and of all in it.
fn names(e: &Element, all: &mut BTreeSet<String>) {
    all.extend(e.get("name").map(str::to_string));
    e.children.iter().for_each(|c| names(c, all));
}

/// Whether an element, or one in it, refers to one of these names.
fn refers(e: &Element, names: &BTreeSet<String>) -> bool {
    let own = |(n, v): &(String, String)| REFERENCES.contains(&n.as_str()) && names.contains(v);
    e.attributes.iter().any(own) || e.children.iter().any(|c| refers(c, names))
}

fn body_in<'a>(e: &'a Element, name: &str) -> Option<&'a Element> {
    if e.tag == "body" && e.get("name") == Some(name) {
        return Some(e);
    }
    e.children.iter().find_map(|c| body_in(c, name))
}
