//! URDF: links and joints in a tree (<http://wiki.ros.org/urdf/XML>).
//!
//! The root is fixed to the world unless [`Options::free_base`] says otherwise. Joints start at 0, or at the limit
//! nearest to it; a joint that mimics another starts where that one puts it.

use crate::Options;
use crate::error::{ImportError, Notes};
use crate::inertia::Inertia;
use crate::machine::{Kind, Link, Machine, Motion, Tie, TieKind};
use crate::xml::Element;
use crate::{look, mesh, placement, unread};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use taut::math::{Mat3, Pose, Vec3};
use taut_scenes::file::{Collider, Limits, Passive, Shape};

pub(crate) fn read(
    root: &Element,
    path: &Path,
    options: &Options,
    notes: &mut Notes,
) -> Result<Machine, ImportError> {
    let base = path.parent().unwrap_or(Path::new(""));
    let mut links = BTreeMap::new();
    let colours = colours(root)?;
    for element in root.all("link") {
        let name = element.need("name")?;
        let link = read_link(element, name, (base, &colours), options, notes)?;
        if links.insert(name.to_string(), link).is_some() {
            return Err(element.error("a second link of that name"));
        }
    }
    ignored(root, notes);
    unread::note(root, unread::URDF, notes);
    let order: Vec<&str> = root.all("link").filter_map(|l| l.get("name")).collect();
    let mut machine = tree(root, &order, links, options)?;
    machine.name = root.get("name").filter(|n| !n.is_empty()).map(str::to_string);
    let mut mimics = Vec::new();
    for joint in root.all("joint") {
        let Some(element) = joint.child("mimic") else { continue };
        mimics.push(Mimic {
            element,
            joint: joint.need("name")?.into(),
            other: element.need("joint")?.into(),
            ratio: element.number_or("multiplier", 1.0)?,
            offset: element.number_or("offset", 0.0)?,
        });
    }
    add_mimics(mimics, &mut machine)?;
    Ok(machine)
}

/// A line for each kind of element that is left out.
fn ignored(root: &Element, notes: &mut Notes) {
    let known = ["link", "joint", "material"];
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for element in root.children.iter().filter(|e| !known.contains(&e.tag.as_str())) {
        *counts.entry(&element.tag).or_default() += 1;
    }
    for (tag, count) in counts {
        if let Some(first) = root.child(tag) {
            let words =
                if count == 1 { "is".into() } else { format!("and {} more are", count - 1) };
            notes.add(&first.place, format!("{} {words} left out", first.label()));
        }
    }
}

fn read_link(
    element: &Element,
    name: &str,
    (base, colours): (&Path, &BTreeMap<String, String>),
    options: &Options,
    notes: &mut Notes,
) -> Result<Link, ImportError> {
    let mut link = Link::new(name, &element.place);
    for child in &element.children {
        match child.tag.as_str() {
            "inertial" => link.inertia = inertial(child)?,
            "collision" => link.colliders.extend(collision(child, base, options, notes)?),
            "visual" => {
                let seen = shape_in(child, base, options, notes, true)?;
                let colour = child.child("material").and_then(|m| {
                    let own = m.child("color").and_then(|c| c.list("rgba").ok().flatten());
                    own.as_deref()
                        .and_then(look::colour)
                        .or_else(|| colours.get(m.get("name")?).cloned())
                });
                link.visuals.extend(seen.map(|(shape, pose)| look::visual(shape, &pose, colour)));
            }
            "material" => {}
            other => notes.add(&child.place, format!("link '{name}': {other} is left out")),
        }
    }
    Ok(link)
}

/// Colours of the materials that the robot names.
fn colours(root: &Element) -> Result<BTreeMap<String, String>, ImportError> {
    let mut colours = BTreeMap::new();
    let visuals = root.all("link").flat_map(|l| l.all("visual"));
    for material in root.all("material").chain(visuals.flat_map(|v| v.all("material"))) {
        let rgba = material.child("color").map_or(Ok(None), |c| c.list("rgba"))?;
        let colour = rgba.as_deref().and_then(look::colour);
        if let (Some(name), Some(colour)) = (material.get("name"), colour) {
            colours.insert(name.to_string(), colour);
        }
    }
    Ok(colours)
}

/// The pose of the child `origin`.
fn origin(element: &Element) -> Result<Pose, ImportError> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::IDENTITY) };
    let xyz = origin.array::<3>("xyz")?.unwrap_or_default();
    let rpy = origin.array::<3>("rpy")?.unwrap_or_default();
    Ok(Pose::from_parts(xyz.into(), placement::from_rpy(rpy)))
}

fn inertial(element: &Element) -> Result<Option<Inertia>, ImportError> {
    let pose = origin(element)?;
    let Some(mass) = element.child("mass") else { return Err(element.error("mass is missing")) };
    let mass = mass.at_least_0("value", 0.0)?;
    let Some(inertia) = element.child("inertia") else {
        return Err(element.error("inertia is missing"));
    };
    let of = |name| inertia.number_or(name, 0.0);
    let (xx, yy, zz) = (of("ixx")?, of("iyy")?, of("izz")?);
    let (xy, xz, yz) = (of("ixy")?, of("ixz")?, of("iyz")?);
    let matrix =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    if mass == 0.0 {
        return Ok(None);
    }
    Ok(Some(Inertia { mass, centre: Vec3::ZERO, matrix }.moved(&pose)))
}

fn collision(
    element: &Element,
    base: &Path,
    options: &Options,
    notes: &mut Notes,
) -> Result<Option<Collider>, ImportError> {
    let found = shape_in(element, base, options, notes, false)?;
    Ok(found.map(|(s, pose)| Collider::new(s).at(pose.translation).oriented(pose.rotation)))
}

/// The shape of a `collision` or a `visual`, and where it is.
fn shape_in(
    element: &Element,
    base: &Path,
    options: &Options,
    notes: &mut Notes,
    seen: bool,
) -> Result<Option<(Shape, Pose)>, ImportError> {
    let pose = origin(element)?;
    let Some(geometry) = element.child("geometry") else {
        return Err(element.error("geometry is missing"));
    };
    let Some(shape) = geometry.children.first() else {
        return Err(geometry.error("expected box, cylinder, sphere, capsule or mesh in it"));
    };
    if shape.tag == "mesh" {
        let uri = shape.need("filename")?;
        let scale = shape.array::<3>("scale")?.unwrap_or([1.0; 3]);
        let found = mesh::shape((uri, scale), base, options, &shape.place, notes, seen)?;
        return Ok(found.map(|s| (s, pose)));
    }
    Ok(geometry_shape(shape, notes)?.map(|s| (s, pose)))
}

/// A length that is positive.
fn length(element: &Element, name: &str) -> Result<f64, ImportError> {
    element.need(name)?;
    let x = element.number_or(name, 0.0)?;
    if x > 0.0 {
        return Ok(x);
    }
    Err(element.error(format!("'{name}': expected a positive length, found {x}")))
}

fn geometry_shape(element: &Element, notes: &mut Notes) -> Result<Option<Shape>, ImportError> {
    Ok(Some(match element.tag.as_str() {
        "sphere" => Shape::ball(length(element, "radius")?),
        "box" => {
            element.need("size")?;
            let size = element.array::<3>("size")?.unwrap_or_default();
            if size.iter().any(|x| *x <= 0.0) {
                return Err(
                    element.error(format!("'size': expected positive lengths, found {size:?}"))
                );
            }
            Shape::cuboid(size.map(|x| 0.5 * x))
        }
        "cylinder" => Shape::cylinder(0.5 * length(element, "length")?, length(element, "radius")?),
        "capsule" => Shape::capsule(0.5 * length(element, "length")?, length(element, "radius")?),
        other => {
            notes.add(&element.place, format!("geometry '{other}' is left out"));
            return Ok(None);
        }
    }))
}

/// Links in the order of the tree, each with the motions of the joint above it.
fn tree(
    root: &Element,
    order: &[&str],
    mut links: BTreeMap<String, Link>,
    options: &Options,
) -> Result<Machine, ImportError> {
    let mut above: BTreeMap<&str, &Element> = BTreeMap::new();
    let mut below: BTreeMap<&str, Vec<&Element>> = BTreeMap::new();
    let mut names = BTreeMap::new();
    for joint in root.all("joint") {
        if names.insert(joint.need("name")?, ()).is_some() {
            return Err(joint.error("a second joint of that name"));
        }
        let (parent, child) = (end(joint, "parent", &links)?, end(joint, "child", &links)?);
        if above.insert(child, joint).is_some() {
            return Err(joint.error(format!("link '{child}' has two parents; URDF has trees only")));
        }
        below.entry(parent).or_default().push(joint);
    }
    let mut roots = order.iter().copied().filter(|l| !above.contains_key(l));
    let Some(first) = roots.next() else {
        return Err(
            root.error("no link is the root: the joints form a cycle, or there are no links")
        );
    };
    if let Some(second) = roots.next() {
        let place = &links[second].place;
        return Err(place.error(format!("two links have no parent: '{first}' and '{second}'")));
    }
    let mut machine = Machine::default();
    let mut queue = VecDeque::from([(first, None)]);
    while let Some((name, parent)) = queue.pop_front() {
        let Some(mut link) = links.remove(name) else { continue };
        link.parent = parent;
        match above.get(name) {
            Some(joint) => hang(joint, &mut link)?,
            None => link.free = options.free_base,
        }
        machine.links.push(link);
        let index = Some(machine.links.len() - 1);
        for joint in below.remove(name).unwrap_or_default() {
            queue.push_back((end(joint, "child", &BTreeMap::new()).unwrap_or_default(), index));
        }
    }
    match links.values().next() {
        Some(left) => {
            Err(left.place.error(format!("link '{}' is part of a cycle of joints", left.name)))
        }
        None => Ok(machine),
    }
}

/// The link that a joint names; `links` may be empty, once all names were checked.
fn end<'a>(
    joint: &'a Element,
    which: &str,
    links: &BTreeMap<String, Link>,
) -> Result<&'a str, ImportError> {
    let Some(element) = joint.child(which) else {
        return Err(joint.error(format!("{which} is missing")));
    };
    let name = element.need("link")?;
    if !links.is_empty() && !links.contains_key(name) {
        return Err(element.error(format!("no link is named '{name}'")));
    }
    Ok(name)
}

/// Hangs a link on the joint above it.
fn hang(joint: &Element, link: &mut Link) -> Result<(), ImportError> {
    link.pose = origin(joint)?;
    let name = joint.need("name")?;
    let axis = match joint.child("axis") {
        Some(axis) => axis.array::<3>("xyz")?.unwrap_or([1.0, 0.0, 0.0]),
        None => [1.0, 0.0, 0.0],
    };
    let kind = joint.need("type")?;
    let moves = !["fixed", "floating"].contains(&kind);
    let axis = Vec3::from(axis).try_normalize();
    let Some(axis) = axis.or((!moves).then_some(Vec3::X)) else {
        return Err(joint.error("the axis has no direction"));
    };
    let motions = match kind {
        "fixed" => vec![],
        "floating" => {
            link.free = true;
            vec![]
        }
        "revolute" | "continuous" => vec![Motion::new(name, Kind::Hinge, axis)],
        "prismatic" => vec![Motion::new(name, Kind::Slider, axis)],
        "planar" => {
            let x = axis.any_orthonormal_vector();
            vec![
                Motion::new(&format!("{name}.x"), Kind::Slider, x),
                Motion::new(&format!("{name}.y"), Kind::Slider, axis.cross(x)),
                Motion::new(name, Kind::Hinge, axis),
            ]
        }
        other => {
            let known = "revolute, continuous, prismatic, fixed, floating or planar";
            return Err(joint.error(format!("expected the type {known}, found '{other}'")));
        }
    };
    link.motions = motions;
    let limited = ["revolute", "prismatic"].contains(&kind);
    if let Some(motion) = link.motions.last_mut() {
        read_coordinate(joint, limited, motion)?;
    }
    Ok(())
}

fn read_coordinate(joint: &Element, limited: bool, motion: &mut Motion) -> Result<(), ImportError> {
    if let Some(limit) = joint.child("limit").filter(|_| limited) {
        let (min, max) = (limit.number_or("lower", 0.0)?, limit.number_or("upper", 0.0)?);
        if min > max {
            return Err(limit.error(format!("expected lower ≤ upper, found {min} and {max}")));
        }
        motion.limits = Some(Limits { min: Some(min), max: Some(max) });
        motion.start = 0.0_f64.clamp(min, max);
    } else if limited {
        return Err(joint.error("limit is missing, which revolute and prismatic joints need"));
    }
    if let Some(dynamics) = joint.child("dynamics") {
        let (damping, friction) =
            (dynamics.at_least_0("damping", 0.0)?, dynamics.at_least_0("friction", 0.0)?);
        motion.passive = Passive { damping, friction, ..Passive::default() };
    }
    Ok(())
}

/// A joint that goes with another: q = ratio·q' + offset.
pub(crate) struct Mimic<'a> {
    pub(crate) element: &'a Element,
    pub(crate) joint: String,
    pub(crate) other: String,
    pub(crate) ratio: f64,
    pub(crate) offset: f64,
}

/// Ties joints that go with others, and starts them where those put them.
pub(crate) fn add_mimics(mimics: Vec<Mimic>, machine: &mut Machine) -> Result<(), ImportError> {
    let mimicking: Vec<String> = mimics.iter().map(|m| m.joint.clone()).collect();
    let mut waiting = VecDeque::from(mimics);
    let mut settled: Vec<String> = Vec::new();
    let mut idle = 0;
    while let Some(mimic) = waiting.pop_front() {
        let Mimic { element, joint, other, ratio, offset } = &mimic;
        let mut all = machine.links.iter().flat_map(|l| &l.motions);
        let Some(theirs) = all.find(|m| m.name == *other).map(|m| m.start) else {
            return Err(element.error(format!("no joint that moves is named '{other}'")));
        };
        if mimicking.contains(other) && !settled.contains(other) {
            idle += 1;
            if idle > waiting.len() + 1 {
                return Err(element.error("joints mimic one another in a circle"));
            }
            waiting.push_back(mimic);
            continue;
        }
        idle = 0;
        let mut all = machine.links.iter_mut().flat_map(|l| &mut l.motions);
        let Some(motion) = all.find(|m| m.name == *joint) else {
            return Err(element.error("a joint that does not move mimics another"));
        };
        motion.start = ratio * theirs + offset;
        machine.ties.push(Tie {
            name: Some(format!("{joint} mimics {other}")),
            place: element.place.clone(),
            kind: TieKind::Gear(joint.clone(), other.clone(), *ratio),
        });
        settled.push(mimic.joint);
    }
    Ok(())
}
