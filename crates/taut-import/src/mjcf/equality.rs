//! Equalities: connect, weld, joint, tendon.

use super::{Model, WORLD, defaults::MAIN};
use crate::error::ImportError;
use crate::machine::{Motion, Spot, Tie, TieKind};
use crate::placement;
use crate::xml::Element;
use taut::math::{Pose, Quat, Vec3};
use taut_scenes::file::Limits;

impl Model<'_> {
    pub(super) fn add_equalities(&mut self, root: &Element) -> Result<(), ImportError> {
        for element in root.all("equality").flat_map(|e| &e.children) {
            let inner = Element { tag: "equality".into(), ..element.clone() };
            let whole = self.defaults.complete(&inner, MAIN)?;
            let whole = Element { tag: element.tag.clone(), ..whole };
            if whole.get("active") == Some("false") {
                continue;
            }
            let kind = match element.tag.as_str() {
                "connect" => self.connect(&whole)?,
                "weld" => self.weld(&whole)?,
                "joint" => self.joint_equality(&whole)?,
                "tendon" => {
                    self.tendon_equality(&whole)?;
                    None
                }
                other => {
                    self.notes.add(&whole.place, format!("equality {other} is left out"));
                    None
                }
            };
            if let Some(kind) = kind {
                let name = whole.get("name").map(str::to_string);
                self.machine.ties.push(Tie { name, place: whole.place.clone(), kind });
            }
        }
        Ok(())
    }

    fn body(&self, e: &Element, which: &str) -> Result<usize, ImportError> {
        let Some(name) = e.get(which) else { return Ok(WORLD) };
        let found = self.bodies.get(name).copied();
        found.ok_or_else(|| e.error(format!("no body is named '{name}'")))
    }

    pub(super) fn site(&self, e: &Element, which: &str) -> Result<Option<Spot>, ImportError> {
        let Some(name) = e.get(which) else { return Ok(None) };
        let found = self.sites.get(name).copied();
        found.map(Some).ok_or_else(|| e.error(format!("no site is named '{name}'")))
    }

    /// Where a link is with all joints at their reference, where anchors and welds are meant.
    fn at_reference(&self, link: usize) -> Pose {
        let mut pose = Pose::IDENTITY;
        let mut next = Some(link);
        while let Some(i) = next {
            pose = self.machine.links[i].at_reference() * pose;
            next = self.machine.links[i].parent;
        }
        pose
    }

    fn connect(&self, e: &Element) -> Result<Option<TieKind>, ImportError> {
        if let (Some(a), Some(b)) = (self.site(e, "site1")?, self.site(e, "site2")?) {
            return Ok(Some(TieKind::Point(a, b)));
        }
        e.need("body1")?;
        e.need("anchor")?;
        let (a, b) = (self.body(e, "body1")?, self.body(e, "body2")?);
        let anchor = Vec3::from(e.array::<3>("anchor")?.unwrap_or_default());
        let world = self.reference_of(a) * anchor;
        let other = self.reference_of(b).inverse() * world;
        let spot = |link, p| Spot { link: Some(link), pose: Pose::from_parts(p, Quat::IDENTITY) };
        Ok(Some(TieKind::Point(spot(a, anchor), spot(b, other))))
    }

    fn weld(&self, e: &Element) -> Result<Option<TieKind>, ImportError> {
        if let (Some(a), Some(b)) = (self.site(e, "site1")?, self.site(e, "site2")?) {
            return Ok(Some(TieKind::Frames(a, b)));
        }
        e.need("body1")?;
        let (a, b) = (self.body(e, "body1")?, self.body(e, "body2")?);
        let given = e.array::<7>("relpose")?.filter(|p| p[3..] != [0.0; 4]);
        let relative = match given {
            Some([x, y, z, q @ ..]) => {
                let turn = placement::from_wxyz(q);
                let turn = turn.ok_or_else(|| e.error("'relpose' has no direction"))?;
                Pose::from_parts(Vec3::new(x, y, z), turn)
            }
            None => self.reference_of(a).inv_mul(&self.reference_of(b)),
        };
        // A given place is that of the anchor, a point of body 2; else all points of a weld coincide.
        let anchor = e.array::<3>("anchor")?.filter(|_| given.is_some()).unwrap_or_default();
        let anchor = Pose::from_parts(anchor.into(), Quat::IDENTITY);
        let spot = |link, pose| Spot { link: Some(link), pose };
        Ok(Some(TieKind::Frames(spot(a, relative), spot(b, anchor))))
    }

    fn reference_of(&self, link: usize) -> Pose {
        if link == WORLD { Pose::IDENTITY } else { self.at_reference(link) }
    }

    /// The motion of a hinge or slide.
    pub(super) fn motion_named(&mut self, name: &str) -> Option<&mut Motion> {
        let joint = self.joints.iter().find(|j| j.name == name)?;
        self.machine.links[joint.link].motions.get_mut(joint.motion?)
    }

    /// q₁ − ref₁ = c₀ + c₁x + …, x = q₂ − ref₂.
    fn joint_equality(&mut self, e: &Element) -> Result<Option<TieKind>, ImportError> {
        let mut c = [0.0, 1.0, 0.0, 0.0, 0.0];
        for (own, given) in c.iter_mut().zip(e.list("polycoef")?.unwrap_or_default()) {
            *own = given;
        }
        let first = e.need("joint1")?.to_string();
        let second = e.get("joint2").map(str::to_string);
        if second.as_ref() == Some(&first) {
            return Err(e.error(format!("couples joint '{first}' with itself")));
        }
        let missing = |name: &str| e.error(format!("no hinge or slide is named '{name}'"));
        let x = match &second {
            Some(name) => {
                let motion = self.motion_named(name).ok_or_else(|| missing(name))?;
                motion.start - motion.reference
            }
            None => 0.0,
        };
        let wanted = if second.is_some() { derivative(&c, 0, x) } else { c[0] };
        let motion = self.motion_named(&first).ok_or_else(|| missing(&first))?;
        let value = motion.reference + wanted;
        let off = motion.start - value;
        let Some(second) = second else {
            motion.limits = Some(Limits { min: Some(value), max: Some(value) });
            motion.start = value;
            if off.abs() > 1e-3 {
                let message =
                    format!("equality: joint '{first}' starts {off:.4} from its keyframe");
                self.notes.add(&e.place, message);
            }
            return Ok(None);
        };
        if off.abs() > 1e-3 {
            let message = format!("equality: joint '{first}' starts {off:.4} off, and stays so");
            self.notes.add(&e.place, message);
        }
        // The same polynomial about the start.
        let mut about = [0.0; 4];
        let mut factorial = 1.0;
        for k in 1..5 {
            factorial *= k as f64;
            about[k - 1] = derivative(&c, k, x) / factorial;
        }
        Ok(Some(TieKind::Cam(first, second, about)))
    }
}

/// The k-th derivative of a polynomial.
fn derivative(c: &[f64; 5], k: usize, x: f64) -> f64 {
    let term = |n: usize| {
        let factor: f64 = (n - k + 1..=n).map(|i| i as f64).product();
        c[n] * factor * x.powi((n - k) as i32)
    };
    (k..5).map(term).sum()
}
