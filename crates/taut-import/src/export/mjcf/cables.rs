//! Cables and reels as spatial tendons.
//!
//! A pulley between two points becomes a cylinder that the tendon wraps around, with a site on the side on which it does. Reels
//! (`crate::reel`) go back to what they were read from: the tendon on their sliders becomes one with a branch for each of
//! their cables, and the divisors are what its factors were. Written as they are, light bodies on stiff limits, they would run away.

use super::super::{OPEN, escaped, numbers, wxyz};
use super::{Writer, cable_site};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use taut::math::{Quat, Vec3};
use taut_scenes::file::{Body, Cable, JointType, SceneFile, Station};

/// Reels of a scene.
#[derive(Debug, Default)]
pub(super) struct Reels {
    /// The cable that ends on a reel, by the name of the reel's slider.
    cables: BTreeMap<String, usize>,
    bodies: BTreeSet<String>,
}

impl Reels {
    pub(super) fn find(file: &SceneFile) -> Self {
        let mut reels = Reels::default();
        for body in file.bodies.iter().filter(|b| is_bare(b)) {
            let here = |end: &Option<String>| end.as_ref() == Some(&body.name);
            let mut joints = file.joints.iter().filter(|j| here(&j.a) || here(&j.b));
            let (Some(slider), None) = (joints.next(), joints.next()) else { continue };
            let plain = slider.motor.is_none() && slider.passive.is_none();
            let name = slider
                .name
                .as_ref()
                .filter(|_| slider.joint_type == JointType::Slider && here(&slider.b) && plain);
            let on = |c: &Cable| c.via.iter().any(|s| s.body == body.name);
            let mut cables = file.cables.iter().enumerate().filter(|(_, c)| on(c));
            let (Some(name), Some((k, cable)), None) = (name, cables.next(), cables.next()) else {
                continue;
            };
            if ends_on(cable, body) {
                reels.cables.insert(name.clone(), k);
                reels.bodies.insert(body.name.clone());
            }
        }
        reels.keep_pulled(file);
        reels
    }

    /// Reels are what tendons act on, and nothing else does.
    fn keep_pulled(&mut self, file: &SceneFile) {
        let mut pulled: BTreeSet<&String> = BTreeSet::new();
        let mut other: BTreeSet<&String> = BTreeSet::new();
        for joint in &file.joints {
            let terms = joint.terms.iter().flatten().map(|t| &t.joint);
            let whole = joint
                .terms
                .iter()
                .flatten()
                .all(|t| self.cables.contains_key(&t.joint) && t.factor < 0.0);
            (if whole { &mut pulled } else { &mut other }).extend(terms);
            other.extend([&joint.first, &joint.second, &joint.cage].into_iter().flatten());
        }
        let cables = &file.cables;
        let bodies = &mut self.bodies;
        self.cables.retain(|name, k| {
            let keep = pulled.contains(name) && !other.contains(name);
            if let (false, Some(end)) = (keep, cables[*k].via.last()) {
                bodies.remove(&end.body);
            }
            keep
        });
    }

    pub(super) fn is_body(&self, name: &str) -> bool {
        self.bodies.contains(name)
    }

    /// The cable that a slider takes in.
    pub(super) fn cable(&self, slider: &str) -> Option<usize> {
        self.cables.get(slider).copied()
    }

    fn has_cable(&self, k: usize) -> bool {
        self.cables.values().any(|own| *own == k)
    }
}

/// Nothing to be seen or touched, without weight.
fn is_bare(body: &Body) -> bool {
    let seen = body.shape.is_some() || !body.colliders.is_empty() || !body.visual.is_empty();
    !seen && body.gravity_scale == 0.0 && body.mass.is_some()
}

/// Whether a cable that does not stretch ends on a body, at its origin, after a point.
fn ends_on(cable: &Cable, body: &Body) -> bool {
    let [.., before, end] = &cable.via[..] else { return false };
    let end_is = end.body == body.name && is_point(end) && end.point == [0.0; 3];
    end_is && is_point(before) && cable.via.len() > 2 && cable.stiffness.is_none()
}

fn is_point(station: &Station) -> bool {
    station.pulley.is_none() && station.edge.is_none()
}

/// Whether a cable is what a spatial tendon can be: through points, and around pulleys that have points on both sides.
fn is_plain(cable: &Cable) -> bool {
    let other = cable.closed || cable.winch.is_some() || cable.mass.is_some();
    let other = other || !cable.around.is_empty();
    let stations = cable.via.iter().enumerate().all(|(i, s)| {
        let between = |i: Option<usize>| i.and_then(|i| cable.via.get(i)).is_some_and(is_point);
        let smooth = !s.grips && s.edge.is_none();
        let least = s.pulley.as_ref().is_none_or(|p| p.turns == 0.0 && p.growth == 0.0);
        let apart = s.pulley.is_none() || between(i.checked_sub(1)) && between(Some(i + 1));
        smooth && least && apart
    });
    !other && stations
}

impl Writer<'_> {
    /// Sites of the points of all cables, and what they wrap around.
    pub(super) fn find_cable_sites(&mut self) {
        for (k, cable) in self.file.cables.iter().enumerate().filter(|(_, c)| is_plain(c)) {
            for (i, station) in cable.via.iter().enumerate() {
                if self.reels.is_body(&station.body) {
                    continue;
                }
                let body = (station.body != "world").then(|| station.body.clone());
                let name = cable_site(cable.name.as_deref(), k, i);
                match &station.pulley {
                    None => self.site(body, &name, station.point.into(), None),
                    Some(pulley) => {
                        let (axis, r) = (Vec3::from(pulley.axis), pulley.radius);
                        let centre = Vec3::from(station.point);
                        let out = self.side_of(k, i, axis, r);
                        self.site(body.clone(), &name, centre + out * (1.5 * r), None);
                        let turn = Quat::from_rotation_arc(Vec3::Z, axis.normalize_or(Vec3::Z));
                        let line = format!(
                            "<geom name=\"{}.wrap\" type=\"cylinder\" size=\"{r} {}\" pos=\"{}\" quat=\"{}\" contype=\"0\" conaffinity=\"0\" group=\"4\" mass=\"0\"/>",
                            escaped(&name),
                            0.1 * r,
                            numbers(&centre.to_array()),
                            wxyz(turn)
                        );
                        self.sites.push((body, line));
                    }
                }
            }
        }
    }

    /// From the middle of a pulley to that of the arc on which the cable lies, in the frame of the pulley's body.
    fn side_of(&self, k: usize, i: usize, axis: Vec3, r: f64) -> Vec3 {
        let cable = &self.file.cables[k];
        let world = self.tree.world;
        let body = world.body_named(&cable.via[i].body).and_then(|id| world.body(id).ok());
        let turn = body.map_or(Quat::IDENTITY, |b| b.pose().rotation);
        let axis = (turn * axis).normalize_or(Vec3::Z);
        let [before, centre, after] = [i - 1, i, i + 1].map(|n| self.world_of(&cable.via[n]));
        // Where the cable goes as it comes and as it leaves: along the tangents, at the angle asin(r/|d|) to the centre.
        let tangent = |d: Vec3, r: f64| {
            let d = d.reject_from(axis);
            let straight = (d.length_squared() - r * r).max(0.0).sqrt();
            (d * straight + d.cross(axis) * r).normalize_or_zero()
        };
        let (comes, leaves) = (tangent(centre - before, r), tangent(after - centre, -r));
        let state = world.cable_named(&self.cable_name(k)).and_then(|id| world.cable(id).ok());
        let touches = state.is_some_and(|c| c.touches().get(i) == Some(&true));
        let (around, past) = (comes - leaves, (comes + leaves).cross(axis));
        let out = if touches && around.length() > 1e-6 { around } else { past };
        turn.inverse() * out.normalize_or(axis.any_orthonormal_vector())
    }

    fn world_of(&self, station: &Station) -> Vec3 {
        let world = self.tree.world;
        let found = world.body_named(&station.body).and_then(|id| world.body(id).ok());
        let point = Vec3::from(station.point);
        found.map_or(point, |b| b.pose() * point)
    }

    /// The way of a cable; without the part that runs on to a reel.
    fn way(&self, k: usize) -> String {
        let cable = &self.file.cables[k];
        let part = |(i, station): (usize, &Station)| {
            let name = escaped(&cable_site(cable.name.as_deref(), k, i));
            match station.pulley {
                None => format!("<site site=\"{name}\"/>"),
                Some(_) => format!("<geom geom=\"{name}.wrap\" sidesite=\"{name}\"/>"),
            }
        };
        let stations = cable.via.iter().enumerate();
        stations.filter(|(_, s)| !self.reels.is_body(&s.body)).map(part).collect()
    }

    fn cable_name(&self, k: usize) -> String {
        self.file.cables[k].name.clone().unwrap_or_else(|| format!("cable{k}"))
    }

    pub(super) fn cables(&mut self) {
        for (k, cable) in self.file.cables.iter().enumerate() {
            if self.reels.has_cable(k) {
                continue;
            }
            let name = self.cable_name(k);
            if !is_plain(cable) {
                let what = "drums, sheaves without a point between, edges, bodies in the way, belts, winches or mass";
                let message = "is left out, and what hangs on it falls: MJCF has no cables with";
                self.out.note(format!("cable '{name}' {message} {what}"));
                continue;
            }
            if cable.break_tension.is_some() || cable.via.iter().any(|s| s.friction > 0.0) {
                self.out.note(format!("cable '{name}': breaking and friction are left out"));
            }
            if cable.stiffness.is_some() && cable.damping > 0.0 {
                let message = "its damping acts there while it is slack, too";
                self.out.note(format!("cable '{name}': {message}"));
            }
            let found = self.tree.world.cable_named(&name);
            let length =
                found.and_then(|id| self.tree.world.cable(id).ok()).map_or(0.0, |c| c.length());
            let law = match cable.stiffness {
                Some(ea) => format!(
                    "stiffness=\"{}\" damping=\"{}\" springlength=\"0 {length}\"",
                    ea / length,
                    cable.damping / length
                ),
                None => format!("limited=\"true\" range=\"0 {length}\""),
            };
            let (name, way) = (escaped(&name), self.way(k));
            let _ = writeln!(self.tendons, "    <spatial name=\"{name}\" {law}>{way}</spatial>");
        }
    }

    /// The branches of a tendon on reels, and its length at the start. None: it acts on other joints, too. Else an error says why there is
    /// no such tendon.
    pub(super) fn branches(
        &self,
        terms: &[(String, f64)],
    ) -> Option<Result<(String, f64), String>> {
        let (mut ways, mut length) = (String::new(), 0.0);
        for (slider, factor) in terms {
            let k = self.reels.cable(slider)?;
            let (cable, name) = (&self.file.cables[k], self.cable_name(k));
            let state = self.tree.world.cable_named(&name);
            let state = state.and_then(|id| self.tree.world.cable(id).ok())?;
            let [.., before, end] = &cable.via[..] else { return None };
            if !is_plain(cable) {
                return Some(Err(format!("its cable '{name}' is none that MJCF has")));
            }
            let share = -factor;
            length += share * (state.way() - self.world_of(before).distance(self.world_of(end)));
            if terms.len() > 1 || share != 1.0 {
                let _ = write!(ways, "<pulley divisor=\"{}\"/>", 1.0 / share);
            }
            ways.push_str(&self.way(k));
        }
        Some(Ok((ways, length)))
    }
}

/// A range for an attribute.
pub(super) fn range([min, max]: [f64; 2]) -> String {
    format!("limited=\"true\" range=\"{} {}\"", min.max(-OPEN), max.min(OPEN))
}
