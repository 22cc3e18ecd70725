//! SDFormat: worlds of models, links with poses in any frame, joints in any graph
//! (<http://sdformat.org/spec>).
//!
//! Joints that span the links become motions, others ties that close loops. A link without a joint above it moves
//! freely, unless its model is static. As in Gazebo, links of one model do not collide unless one says `self_collide`.

mod frames;
mod include;
mod link;
mod sensor;

use crate::Options;
use crate::error::{ImportError, Notes, Place};
use crate::machine::{Kind, Machine, Motion, Spot, Tie, TieKind};
use crate::xml::Element;
use crate::{unread, urdf};
use frames::Frames;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use taut::math::{Pose, Quat, Vec3};
use taut_scenes::file::{CollisionGroups, Limits, Passive};

/// What reading needs all along.
struct Reader<'a> {
    machine: Machine,
    options: &'a Options,
    notes: &'a mut Notes,
    models: u32,
    /// For each file (`Element::model`): axes are in the frame of the model unless they say otherwise.
    axes_in_model: Vec<bool>,
}

pub(crate) fn read(
    mut root: Element,
    options: &Options,
    notes: &mut Notes,
) -> Result<Machine, ImportError> {
    let axes_in_model = include::expand(&mut root, options, notes)?;
    let root = &root;
    let mut reader =
        Reader { machine: Machine::default(), options, notes, models: 0, axes_in_model };
    let world = root.child("world");
    let holder = world.unwrap_or(root);
    let count = holder.all("model").count();
    let frames = Frames::read(holder)?;
    for child in &holder.children {
        match child.tag.as_str() {
            "model" => {
                let name = child.need("name")?;
                unread::note(child, unread::SDF, reader.notes);
                let prefix = if count > 1 { format!("{name}::") } else { String::new() };
                let pose = frames.find(name, &child.place)?;
                let first = reader.machine.links.len();
                reader.model(child, &prefix, pose, false)?;
                reader.sort(first);
                if count == 1 {
                    reader.machine.name = Some(name.to_string());
                }
            }
            "gravity" => reader.machine.gravity = Some(child.text_array::<3>()?),
            "physics" => reader.machine.step = step(child)?.or(reader.machine.step),
            "light"
            | "frame"
            | "scene"
            | "gui"
            | "spherical_coordinates"
            | "atmosphere"
            | "magnetic_field"
            | "audio"
            | "wind" => {}
            other => reader.notes.add(&child.place, format!("{other} is left out")),
        }
    }
    frames.refuse_circles()?;
    if let Some(name) = world.and_then(|w| w.get("name")) {
        reader.machine.name = Some(name.to_string());
    }
    if reader.machine.links.is_empty() {
        return Err(root.place.error("there is no link in it"));
    }
    Ok(reader.machine)
}

/// A joint, as far as its type, frames and axes are known.
struct Joint<'a> {
    element: &'a Element,
    name: String,
    parent: Option<usize>,
    child: usize,
    /// Its frame in the model.
    pose: Pose,
    /// The frames of its axes in the model.
    axes: [Quat; 2],
}

impl Reader<'_> {
    fn model(
        &mut self,
        model: &Element,
        prefix: &str,
        pose: Pose,
        fixed: bool,
    ) -> Result<(), ImportError> {
        let fixed = fixed || is_true(model, "static");
        let frames = Frames::read(model)?;
        frames.refuse_circles()?;
        let group = 1_u32 << (self.models % 32);
        self.models += 1;
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for element in model.all("link") {
            let name = element.need("name")?;
            let mut link = self.link(element, &format!("{prefix}{name}"), &frames)?;
            link.pose = pose * frames.find(name, &element.place)?;
            link.free = !fixed;
            if !is_true(model, "self_collide") {
                let groups = CollisionGroups { membership: group, mask: !group };
                link.colliders.iter_mut().for_each(|c| c.collision_groups = Some(groups));
            }
            known.insert(name.into(), self.machine.links.len());
            self.sensors(element, prefix, &frames)?;
            self.machine.links.push(link);
        }
        for element in &model.children {
            match element.tag.as_str() {
                "model" => {
                    let name = element.need("name")?;
                    let at = pose * frames.find(name, &element.place)?;
                    self.model(element, &format!("{prefix}{name}::"), at, fixed)?;
                }
                "link" | "joint" | "frame" | "pose" | "static" | "self_collide"
                | "allow_auto_disable" => {}
                other => {
                    let label = model.label();
                    self.notes.add(&element.place, format!("{label}: {other} is left out"));
                }
            }
        }
        let mut joints = Vec::new();
        for element in model.all("joint") {
            joints.push(self.joint(element, prefix, &known, &frames)?);
            self.joint_sensors(element, prefix);
        }
        if !fixed {
            self.hang(joints, prefix, pose)?;
        }
        Ok(())
    }

    fn joint<'a>(
        &self,
        element: &'a Element,
        prefix: &str,
        known: &BTreeMap<String, usize>,
        frames: &Frames,
    ) -> Result<Joint<'a>, ImportError> {
        let name = element.need("name")?;
        let end = |tag: &str| {
            let end = element.child(tag);
            let end = end.ok_or_else(|| element.error(format!("{tag} is missing")))?;
            if end.text == "world" {
                return Ok(None);
            }
            let link = frames.link_of(&end.text).unwrap_or(&end.text);
            let all = &self.machine.links;
            let nested = || all.iter().position(|l| l.name == format!("{prefix}{link}"));
            let found = known.get(link).copied().or_else(nested);
            found.map(Some).ok_or_else(|| end.error(format!("no link is named '{}'", end.text)))
        };
        let (parent, child) = (end("parent")?, end("child")?);
        let child = child.ok_or_else(|| element.error("the world cannot be the child"))?;
        let pose = frames.find(name, &element.place)?;
        let axis = |tag: &str| self.axis_frame(element, tag, frames, pose);
        let axes = [axis("axis")?, axis("axis2")?];
        Ok(Joint { element, name: format!("{prefix}{name}"), parent, child, pose, axes })
    }

    /// The frame in the model in which an axis of a joint is written.
    fn axis_frame(
        &self,
        joint: &Element,
        tag: &str,
        frames: &Frames,
        own: Pose,
    ) -> Result<Quat, ImportError> {
        let Some(axis) = joint.child(tag) else { return Ok(own.rotation) };
        let xyz = axis.child("xyz");
        let named = xyz.and_then(|x| x.get("expressed_in")).filter(|f| !f.is_empty());
        let in_model = match axis.child("use_parent_model_frame") {
            Some(_) => is_true(axis, "use_parent_model_frame"),
            None => self.axes_in_model[joint.model],
        };
        match named {
            Some(name) => Ok(frames.find(name, &axis.place)?.rotation),
            None if in_model => Ok(Quat::IDENTITY),
            None => Ok(own.rotation),
        }
    }

    /// Makes motions of joints whose child has none above it yet, ties of the others.
    fn hang(&mut self, joints: Vec<Joint>, prefix: &str, at: Pose) -> Result<(), ImportError> {
        let mut mimics = Vec::new();
        for joint in joints {
            let links = &self.machine.links;
            let mut above = joint.parent;
            while let Some(i) = above.filter(|i| *i != joint.child) {
                above = links[i].parent;
            }
            let taken = !links[joint.child].free || above.is_some();
            let world = links[joint.child].pose;
            let spot = world.inv_mul(&(at * joint.pose));
            let turn = world.rotation.inverse() * at.rotation;
            if taken && joint.element.get("type") == Some("screw") {
                let message =
                    format!("{}: closes a loop, which it cannot: left out", joint.element.label());
                self.notes.add(&joint.element.place, message);
                continue;
            }
            let motions = self.motions(&joint, spot, turn)?;
            let Some(motions) = motions else { continue };
            if taken {
                self.tie(&joint, &motions, spot)?;
                continue;
            }
            for (tag, end) in [("axis", ""), ("axis2", ".2")] {
                let axis = joint.element.child(tag);
                let Some(element) = axis.and_then(|a| a.child("mimic")) else { continue };
                mimics.push(mimic(element, format!("{}{end}", joint.name), prefix)?);
            }
            let link = &mut self.machine.links[joint.child];
            (link.parent, link.motions, link.free) = (joint.parent, motions, false);
        }
        urdf::add_mimics(mimics, &mut self.machine)
    }

    /// Poses so far are those in the world: makes them relative to parents, which come first.
    fn sort(&mut self, first: usize) {
        let old: Vec<_> = self.machine.links.drain(first..).collect();
        let mut place = vec![usize::MAX; first + old.len()];
        (0..first).for_each(|i| place[i] = i);
        let mut done = vec![false; old.len()];
        loop {
            let before = self.machine.links.len();
            for (k, link) in old.iter().enumerate() {
                let ready = link.parent.is_none_or(|p| place[p] != usize::MAX);
                if done[k] || !ready {
                    continue;
                }
                let mut link = link.clone();
                if let Some(p) = link.parent.filter(|p| *p >= first) {
                    link.pose = old[p - first].pose.inv_mul(&link.pose);
                }
                link.parent = link.parent.map(|p| place[p]);
                (done[k], place[first + k]) = (true, self.machine.links.len());
                self.machine.links.push(link);
            }
            if self.machine.links.len() == before {
                break;
            }
        }
        for spot in self.machine.sensors.iter_mut().filter_map(|s| s.at.as_mut().ok()) {
            spot.link = spot.link.map(|l| if l >= first { place[l] } else { l });
        }
        for tie in &mut self.machine.ties {
            if let TieKind::Point(a, b) | TieKind::Frames(a, b) | TieKind::Hinge(a, b) =
                &mut tie.kind
            {
                for spot in [a, b] {
                    spot.link = spot.link.map(|l| if l >= first { place[l] } else { l });
                }
            }
        }
    }

    /// The motions of a joint at a place of its child; `turn` is the model's frame in the child's; none if it is left out.
    fn motions(
        &mut self,
        joint: &Joint,
        spot: Pose,
        turn: Quat,
    ) -> Result<Option<Vec<Motion>>, ImportError> {
        let e = joint.element;
        let axes: &[(&str, Kind)] = match e.need("type")? {
            "fixed" => &[],
            "revolute" | "continuous" => &[("axis", Kind::Hinge)],
            "prismatic" => &[("axis", Kind::Slider)],
            "screw" => return self.screw(joint, spot, turn).map(Some),
            "universal" | "revolute2" => &[("axis", Kind::Hinge), ("axis2", Kind::Hinge)],
            "ball" => {
                let mut motion = Motion::new(&joint.name, Kind::Ball(Quat::IDENTITY), Vec3::ZERO);
                motion.anchor = spot.translation;
                return Ok(Some(vec![motion]));
            }
            other => {
                let message = format!("{}: type '{other}' is not known: left out", e.label());
                self.notes.add(&e.place, message);
                return Ok(None);
            }
        };
        let mut motions = Vec::new();
        for (i, (tag, kind)) in axes.iter().enumerate() {
            let name = if i == 0 { joint.name.clone() } else { format!("{}.2", joint.name) };
            let axis = e.child(tag).ok_or_else(|| e.error(format!("{tag} is missing")))?;
            let frame = Pose::from_parts(spot.translation, turn * joint.axes[i]);
            motions.push(motion(axis, &name, *kind, frame)?);
        }
        Ok(Some(motions))
    }

    /// A screw: it slides by its pitch for each turn.
    fn screw(&mut self, joint: &Joint, spot: Pose, turn: Quat) -> Result<Vec<Motion>, ImportError> {
        let e = joint.element;
        let number = |tag| e.child(tag).map(|c| c.text_array::<1>()).transpose();
        // The one is metres per turn by the right hand, the other radians per metre by the left.
        let per_turn = number("screw_thread_pitch")?.map(|[x]| x / TAU);
        let per_metre = number("thread_pitch")?.map(|[x]| -1.0 / x);
        let Some(ratio) = per_turn.or(per_metre).filter(|r| r.is_finite()) else {
            return Err(e.error(
                "a screw needs 'screw_thread_pitch', in m, or a 'thread_pitch' other than 0",
            ));
        };
        let axis = e.child("axis").ok_or_else(|| e.error("axis is missing"))?;
        let frame = Pose::from_parts(spot.translation, turn * joint.axes[0]);
        let hinge = motion(axis, &joint.name, Kind::Hinge, frame)?;
        let mut slider = Motion::new(&format!("{}.travel", joint.name), Kind::Slider, hinge.axis);
        (slider.anchor, slider.start) = (hinge.anchor, ratio * hinge.start);
        let kind = TieKind::Gear(slider.name.clone(), hinge.name.clone(), ratio);
        let name = Some(format!("{}.thread", joint.name));
        self.machine.ties.push(Tie { name, place: e.place.clone(), kind });
        Ok(vec![slider, hinge])
    }

    /// A joint that closes a loop.
    fn tie(&mut self, joint: &Joint, motions: &[Motion], spot: Pose) -> Result<(), ImportError> {
        let e = joint.element;
        let links = &self.machine.links;
        let world = links[joint.child].pose * spot;
        let back = joint.parent.map_or(Pose::IDENTITY, |p| links[p].pose.inverse());
        let place: Place = e.place.clone();
        let frame = |pose: Pose| {
            let axis = motions.first().map_or(Vec3::Z, |m| spot.rotation.inverse() * m.axis);
            let turn = Quat::from_rotation_arc(Vec3::Z, axis.normalize_or(Vec3::Z));
            Pose::from_parts(pose.translation, pose.rotation * turn)
        };
        let a = Spot { link: joint.parent, pose: frame(back * world) };
        let b = Spot { link: Some(joint.child), pose: frame(spot) };
        let kind = match motions {
            [] => TieKind::Frames(a, b),
            [m] if m.kind == Kind::Hinge => TieKind::Hinge(a, b),
            [m] if matches!(m.kind, Kind::Ball(_)) => TieKind::Point(a, b),
            _ => {
                let message = format!("{}: closes a loop, which it cannot: left out", e.label());
                self.notes.add(&place, message);
                return Ok(());
            }
        };
        if motions.iter().any(|m| m.limits.is_some() || m.passive != Passive::default())
            || e.child("axis").is_some_and(|a| a.child("mimic").is_some())
        {
            let message = format!(
                "{}: closes a loop: its limits, dynamics and mimic are left out",
                e.label()
            );
            self.notes.add(&place, message);
        }
        self.machine.ties.push(Tie { name: Some(joint.name.clone()), place, kind });
        Ok(())
    }
}

fn is_true(element: &Element, tag: &str) -> bool {
    element.child(tag).is_some_and(|c| ["true", "1"].contains(&c.text.as_str()))
}

/// The motion of an axis that is written in a frame at the anchor, in the child.
fn motion(axis: &Element, name: &str, kind: Kind, frame: Pose) -> Result<Motion, ImportError> {
    let xyz = axis.child("xyz");
    let direction = xyz.map_or(Ok([0.0, 0.0, 1.0]), |x| x.text_array::<3>())?;
    let direction = Vec3::from(direction).try_normalize();
    let direction = direction.ok_or_else(|| axis.error("the axis has no direction"))?;
    let mut motion = Motion::new(name, kind, frame.rotation * direction);
    motion.anchor = frame.translation;
    let number = |e: Option<&Element>, tag: &str| -> Result<Option<f64>, ImportError> {
        let Some(child) = e.and_then(|e| e.child(tag)) else { return Ok(None) };
        let open = ["inf", "-inf", "+inf"].contains(&child.text.as_str());
        if open { Ok(None) } else { Ok(Some(child.text_array::<1>()?[0])) }
    };
    let limit = axis.child("limit");
    // Beyond this the format means: none.
    let within = |x: &f64| x.abs() < 1e15;
    let min = number(limit, "lower")?.filter(within);
    let max = number(limit, "upper")?.filter(within);
    if min.zip(max).is_some_and(|(a, b)| a > b) {
        return Err(axis.error("expected lower ≤ upper"));
    }
    if min.is_some() || max.is_some() {
        motion.limits = Some(Limits { min, max });
    }
    motion.start = 0.0_f64.max(min.unwrap_or(0.0)).min(max.unwrap_or(f64::INFINITY));
    let dynamics = axis.child("dynamics");
    let of = |tag| number(dynamics, tag).map(|x| x.unwrap_or(0.0));
    motion.passive = Passive {
        armature: 0.0,
        damping: of("damping")?,
        friction: of("friction")?,
        stiffness: of("spring_stiffness")?,
        rest: of("spring_reference")?,
    };
    Ok(motion)
}

fn before_1_5(root: &Element) -> bool {
    let version = root.get("version").unwrap_or("1.12");
    let mut parts = version.split('.').map(|p| p.trim().parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next().unwrap_or(0)) <= (Some(1), 4)
}

/// q = multiplier·(q' − reference) + offset.
fn mimic<'a>(
    element: &'a Element,
    joint: String,
    prefix: &str,
) -> Result<urdf::Mimic<'a>, ImportError> {
    let value = |tag: &str, default: f64| match element.child(tag) {
        Some(child) => child.text_array::<1>().map(|[x]| x),
        None => Ok(default),
    };
    let ratio = value("multiplier", 1.0)?;
    let end = if element.get("axis") == Some("axis2") { ".2" } else { "" };
    let other = format!("{prefix}{}{end}", element.need("joint")?);
    let offset = value("offset", 0.0)? - ratio * value("reference", 0.0)?;
    Ok(urdf::Mimic { element, joint, other, ratio, offset })
}

/// The step of a `physics`, if it says one.
fn step(physics: &Element) -> Result<Option<f64>, ImportError> {
    let Some(given) = physics.child("max_step_size") else { return Ok(None) };
    let [step] = given.text_array::<1>()?;
    if step <= 0.0 {
        return Err(given.error("expected more than 0"));
    }
    Ok(Some(step))
}
