//! Frames of a model: links, joints, frames and nested models, each with a pose relative to another.

use crate::error::{ImportError, Place};
use crate::placement;
use crate::xml::Element;
use std::collections::BTreeMap;
use taut::math::{Pose, Quat};

/// The pose of an element `pose`: x y z roll pitch yaw, or with a quaternion (x, y, z, w).
pub(super) fn pose(e: &Element) -> Result<Pose, ImportError> {
    if e.text.is_empty() {
        return Ok(Pose::IDENTITY);
    }
    if e.get("rotation_format") == Some("quat_xyzw") {
        let [x, y, z, a, b, c, w] = e.text_array::<7>()?;
        let turn = placement::from_wxyz([w, a, b, c]);
        let turn = turn.ok_or_else(|| e.error("the quaternion is zero"))?;
        return Ok(Pose::from_parts([x, y, z].into(), turn));
    }
    let [x, y, z, roll, pitch, yaw] = e.text_array::<6>()?;
    let scale = if e.get("degrees") == Some("true") { 1_f64.to_radians() } else { 1.0 };
    let turn: Quat = placement::from_rpy([roll * scale, pitch * scale, yaw * scale]);
    Ok(Pose::from_parts([x, y, z].into(), turn))
}

/// Frames of a model.
pub(super) struct Frames {
    /// By name: relative to which, and where.
    poses: BTreeMap<String, (String, Pose)>,
    /// What frames and joints are attached to.
    attached: BTreeMap<String, String>,
    places: BTreeMap<String, Place>,
}

const MODEL: &str = "__model__";

impl Frames {
    pub(super) fn read(model: &Element) -> Result<Self, ImportError> {
        let (poses, attached, places) = Default::default();
        let mut frames = Frames { poses, attached, places };
        frames.add(model, "")?;
        Ok(frames)
    }

    /// Refuses frames that are relative or attached to themselves, also those that nothing refers to.
    pub(super) fn refuse_circles(&self) -> Result<(), ImportError> {
        let relative: BTreeMap<&str, &str> =
            self.poses.iter().map(|(name, (around, _))| (name.as_str(), around.as_str())).collect();
        let attached: BTreeMap<&str, &str> =
            self.attached.iter().map(|(name, link)| (name.as_str(), link.as_str())).collect();
        let most = self.poses.len() + 2;
        for (name, place) in &self.places {
            let circles = |next: &BTreeMap<&str, &str>| {
                let steps = std::iter::successors(Some(name.as_str()), |n| next.get(n).copied());
                steps.take(most).count() == most
            };
            if circles(&relative) {
                return Err(place.error(format!("the pose of '{name}' is relative to itself")));
            }
            if circles(&attached) {
                return Err(place.error(format!("'{name}' is attached to itself")));
            }
        }
        Ok(())
    }

    /// The frames of a model, with a prefix if it is nested.
    fn add(&mut self, model: &Element, prefix: &str) -> Result<(), ImportError> {
        // The model's own frame is that which the outer one has of it.
        let within = |name: &str| match name {
            "world" => name.to_string(),
            MODEL => prefix.strip_suffix("::").unwrap_or(MODEL).to_string(),
            _ => format!("{prefix}{name}"),
        };
        for e in &model.children {
            let around = match e.tag.as_str() {
                "link" | "model" => MODEL,
                "frame" => e.get("attached_to").filter(|f| !f.is_empty()).unwrap_or(MODEL),
                "joint" => e.child("child").map_or("", |c| &c.text),
                _ => continue,
            };
            let own = e.child("pose");
            let relative = own.and_then(|p| p.get("relative_to")).filter(|f| !f.is_empty());
            let at = own.map_or(Ok(Pose::IDENTITY), pose)?;
            let name = within(e.need("name")?);
            let held = match e.tag.as_str() {
                "frame" => e.get("attached_to").filter(|f| !f.is_empty()),
                // The frame of a joint is fixed to its child.
                "joint" => e.child("child").map(|c| c.text.as_str()),
                _ => None,
            };
            self.attached.extend(held.map(|l| (name.clone(), within(l))));
            let second = "a second link, joint, frame or model of that name";
            if self.poses.contains_key(&name) {
                return Err(e.error(second));
            }
            if e.tag == "model" {
                self.add(e, &format!("{name}::"))?;
            }
            self.places.insert(name.clone(), e.place.clone());
            let around = within(relative.unwrap_or(around));
            if self.poses.insert(name, (around, at)).is_some() {
                return Err(e.error(second));
            }
        }
        Ok(())
    }

    /// The pose of a frame in that of the model.
    pub(super) fn find(&self, name: &str, place: &Place) -> Result<Pose, ImportError> {
        let (mut pose, mut next) = (Pose::IDENTITY, name);
        for _ in 0..=self.poses.len() {
            if next == MODEL || next == "world" {
                return Ok(pose);
            }
            let Some((around, at)) = self.poses.get(next) else {
                return Err(place.error(format!("no frame is named '{next}'")));
            };
            (pose, next) = (*at * pose, around);
        }
        Err(place.error(format!("the pose of '{name}' is relative to itself")))
    }

    /// The link that a frame is attached to, if it is a frame or a joint.
    pub(super) fn link_of(&self, name: &str) -> Option<&str> {
        let mut link = self.attached.get(name)?;
        for _ in 0..self.attached.len() {
            link = self.attached.get(link).unwrap_or(link);
        }
        Some(link)
    }
}
