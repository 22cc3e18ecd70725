//! Keyframes: where the model starts.

use super::Model;
use crate::Start;
use crate::error::ImportError;
use crate::machine::Kind;
use crate::placement;
use crate::xml::Element;
use taut::math::{Pose, Quat, Vec3};

impl Model<'_> {
    /// Puts the joints where the start says; returns the controls, if the keyframe has some.
    pub(super) fn start(
        &mut self,
        root: &Element,
        start: &Start,
    ) -> Result<Option<Vec<f64>>, ImportError> {
        let mut keys = root.all("keyframe").flat_map(|k| k.all("key"));
        let key = match start {
            Start::Reference => return Ok(Some(Vec::new())),
            Start::First => keys.next(),
            Start::Named(name) => {
                let known: Vec<&str> = keys.clone().filter_map(|k| k.get("name")).collect();
                let found = keys.find(|k| k.get("name") == Some(name));
                Some(found.ok_or_else(|| {
                    let list =
                        if known.is_empty() { "it has none".into() } else { known.join(", ") };
                    root.place.error(format!("no keyframe is named '{name}'; known: {list}"))
                })?)
            }
        };
        let Some(key) = key else {
            self.start_within_limits();
            return Ok(Some(Vec::new()));
        };
        if let Some(q) = key.list("qpos")? {
            self.set_positions(key, &q)?;
        }
        // A step cannot bring back what starts beyond a limit without pushing it.
        for (name, off) in self.start_within_limits() {
            if off > 1e-3 {
                let message = format!("joint '{name}' starts {off:.4} within, at its limit");
                self.notes.add(&key.place, format!("{}: {message}", key.label()));
            }
        }
        if let Some(v) = key.list("qvel")? {
            self.set_velocities(key, &v)?;
        }
        key.list("ctrl")
    }

    /// Joints beyond a limit start at it; returns which, and how far off they were \[rad or m\].
    fn start_within_limits(&mut self) -> Vec<(String, f64)> {
        let mut moved = Vec::new();
        for motion in self.machine.links.iter_mut().flat_map(|l| &mut l.motions) {
            let Some(limits) = motion.limits.filter(|_| !motion.is_ball()) else { continue };
            let (least, most) =
                (limits.min.unwrap_or(f64::NEG_INFINITY), limits.max.unwrap_or(f64::INFINITY));
            let start = motion.start.max(least).min(most);
            if start != motion.start {
                moved.push((motion.name.clone(), (start - motion.start).abs()));
                motion.start = start;
            }
        }
        moved
    }

    fn set_velocities(&mut self, key: &Element, mut v: &[f64]) -> Result<(), ImportError> {
        let (mut expected, found) = (0, v.len());
        for joint in &self.joints {
            let link = &mut self.machine.links[joint.link];
            let motion = joint.motion.map(|m| &mut link.motions[m]);
            let count = match motion.as_ref().map(|m| m.kind) {
                None => 6,
                Some(Kind::Ball(_)) => 3,
                Some(_) => 1,
            };
            expected += count;
            let Some((own, rest)) = v.split_at_checked(count) else { continue };
            v = rest;
            match motion {
                None => link.velocity = [Vec3::from_slice(own), Vec3::from_slice(&own[3..])],
                Some(m) if count == 3 => m.velocity = Vec3::from_slice(own),
                Some(m) => m.velocity = Vec3::X * own[0],
            }
        }
        if expected != found {
            return Err(key.error(format!("'qvel': expected {expected} numbers, found {found}")));
        }
        Ok(())
    }

    fn set_positions(&mut self, key: &Element, mut q: &[f64]) -> Result<(), ImportError> {
        let found = q.len();
        let mut take = |count: usize| {
            let (own, rest) = q.split_at_checked(count)?;
            q = rest;
            Some(own.to_vec())
        };
        let mut expected = 0;
        for joint in &self.joints {
            let link = &mut self.machine.links[joint.link];
            let motion = joint.motion.map(|m| &mut link.motions[m]);
            let count = match motion.as_ref().map(|m| m.kind) {
                None => 7,
                Some(Kind::Ball(_)) => 4,
                Some(_) => 1,
            };
            expected += count;
            let Some(own) = take(count) else { continue };
            // One of length 0 does not turn, as in MuJoCo.
            let turn = |q: &[f64]| {
                placement::from_wxyz([q[0], q[1], q[2], q[3]]).unwrap_or(Quat::IDENTITY)
            };
            match motion {
                None => {
                    link.reference.get_or_insert(link.pose);
                    link.pose = Pose::from_parts(Vec3::from_slice(&own), turn(&own[3..]));
                }
                Some(m) if count == 4 => m.kind = Kind::Ball(turn(&own)),
                Some(m) => m.start = own[0],
            }
        }
        if expected != found {
            return Err(key.error(format!("'qpos': expected {expected} numbers, found {found}")));
        }
        Ok(())
    }
}
