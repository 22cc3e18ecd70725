//! Joints: hinge, slide, ball, free.

use super::actuator::UNBOUNDED;
use super::{Model, WORLD};
use crate::error::ImportError;
use crate::machine::{Kind, Motion};
use crate::xml::Element;
use taut::math::{Pose, Quat, Vec3};
use taut_scenes::file::{Limits, Passive};

/// Where a joint went; in the order of `qpos`.
#[derive(Clone, Debug)]
pub(super) struct JointRef {
    pub(super) name: String,
    pub(super) link: usize,
    /// Which of the link's motions; none: the link is free.
    pub(super) motion: Option<usize>,
    /// Least and largest force of all its actuators \[N or N·m\].
    pub(super) forces: [f64; 2],
}

impl Model<'_> {
    pub(super) fn read_joint(
        &mut self,
        element: &Element,
        link: usize,
        at: Pose,
        class: &str,
    ) -> Result<(), ImportError> {
        let whole = match element.tag.as_str() {
            "joint" => self.defaults.complete(element, class)?,
            _ => element.clone(),
        };
        let index = self.joints.len();
        let name = whole.get("name").map_or_else(|| format!("joint{index}"), str::to_string);
        if !self.joint_names.insert(name.clone()) {
            return Err(element.error("a second joint of that name"));
        }
        let kind =
            if element.tag == "freejoint" { "free" } else { whole.get("type").unwrap_or("hinge") };
        let kind = match kind {
            "free" => {
                self.free_joint(&whole, link)?;
                let forces = UNBOUNDED;
                self.joints.push(JointRef { name, link, motion: None, forces });
                return Ok(());
            }
            "hinge" => Kind::Hinge,
            "slide" => Kind::Slider,
            "ball" => Kind::Ball(Quat::IDENTITY),
            other => {
                let known = "free, ball, hinge or slide";
                return Err(element.error(format!("'type': expected {known}, found '{other}'")));
            }
        };
        if self.machine.links[link].free {
            return Err(element.error("a body with a free joint has no other joint"));
        }
        let motion = self.motion(&whole, &name, kind, at)?;
        let forces = self.forces(&whole)?;
        let motions = &mut self.machine.links[link].motions;
        motions.push(motion);
        let motion = Some(motions.len() - 1);
        self.joints.push(JointRef { name, link, motion, forces });
        Ok(())
    }

    fn free_joint(&mut self, e: &Element, link: usize) -> Result<(), ImportError> {
        let own = &mut self.machine.links[link];
        if own.parent != Some(WORLD) {
            return Err(e.error("a free joint is for bodies of the world, not of other bodies"));
        }
        if own.free || !own.motions.is_empty() {
            return Err(e.error("a body with a free joint has no other joint"));
        }
        own.free = true;
        if e.get("align").map_or(self.compiler(e).align_free, |v| v == "true") {
            let message = "'align' is not read: a keyframe has the pose of the body's own frame";
            self.notes.add(&e.place, format!("{}: {message}", e.label()));
        }
        for name in ["damping", "armature", "frictionloss", "stiffness", "springdamper"] {
            if e.list(name)?.unwrap_or_default().iter().any(|x| *x != 0.0) {
                let message = format!("{}: {name} of free joints is left out", e.label());
                self.notes.add(&e.place, message);
            }
        }
        Ok(())
    }

    fn motion(
        &mut self,
        e: &Element,
        name: &str,
        kind: Kind,
        at: Pose,
    ) -> Result<Motion, ImportError> {
        let axis = Vec3::from(e.array::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let ball = matches!(kind, Kind::Ball(_));
        let Some(axis) = axis.try_normalize().or(ball.then_some(Vec3::Z)) else {
            return Err(e.error("the axis has no direction"));
        };
        let angle = |x: f64| if kind == Kind::Slider { x } else { self.compiler(e).angle(x) };
        let mut motion =
            Motion::new(name, kind, if ball { Vec3::ZERO } else { at.rotation * axis });
        motion.anchor = at * Vec3::from(e.array::<3>("pos")?.unwrap_or_default());
        motion.reference = angle(e.number_or("ref", 0.0)?);
        motion.start = motion.reference;
        motion.limits = limits(e, self.compiler(e).autolimits)?
            .map(|[min, max]| Limits { min: Some(angle(min)), max: Some(angle(max)) });
        motion.passive = Passive {
            armature: e.at_least_0("armature", 0.0)?,
            damping: first(e, "damping")?,
            friction: e.at_least_0("frictionloss", 0.0)?,
            stiffness: first(e, "stiffness")?,
            rest: angle(e.number_or("springref", 0.0)?),
        };
        let off = |name| self.disabled.has(name);
        if off("limit") {
            motion.limits = None;
        }
        let Passive { damping, friction, stiffness, .. } = &mut motion.passive;
        for (name, x) in [("damper", damping), ("frictionloss", friction), ("spring", stiffness)] {
            *x = if off(name) { 0.0 } else { *x };
        }
        let limited = motion.limits.is_some();
        let Passive { armature, friction, .. } = motion.passive;
        if ball && limited {
            let sprung = (motion.passive.stiffness, motion.passive.damping) != (0.0, 0.0);
            let message = match sprung {
                true => "limits of a ball joint with a spring or damper are left out",
                false => "its limit holds how far z tilts, not how far it twists",
            };
            self.notes.add(&e.place, format!("{}: {message}", e.label()));
        }
        if ball && (armature > 0.0 || friction > 0.0) {
            let message = "armature and frictionloss of ball joints are left out";
            self.notes.add(&e.place, format!("{}: {message}", e.label()));
        }
        if e.get("springdamper").is_some() {
            self.notes.add(&e.place, format!("{}: springdamper is left out", e.label()));
        }
        Ok(motion)
    }

    /// `actuatorfrcrange`.
    fn forces(&mut self, e: &Element) -> Result<[f64; 2], ImportError> {
        let range = e.array::<2>("actuatorfrcrange")?;
        let limited = match e.get("actuatorfrclimited") {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler(e).autolimits,
        };
        if range.is_some() && limited && e.get("actuatorgravcomp") == Some("true") {
            let message = "gravity is compensated beside actuatorfrcrange, not within it";
            self.notes.add(&e.place, format!("{}: {message}", e.label()));
        }
        Ok(match range {
            Some(range) if limited => range,
            _ => UNBOUNDED,
        })
    }
}

/// The range, if it counts.
pub(super) fn limits(e: &Element, auto: bool) -> Result<Option<[f64; 2]>, ImportError> {
    let range = e.array::<2>("range")?;
    let limited = match e.get("limited") {
        Some("true") => true,
        Some("false") => false,
        _ if !auto && e.model == 0 && range.is_some_and(|r| r != [0.0, 0.0]) => {
            let message = "'range' without 'limited', and autolimits is off: expected limited=\"true\" or \"false\"";
            return Err(e.error(message));
        }
        _ => auto && range.is_some_and(|r| r[0] != r[1]),
    };
    let range = range.unwrap_or_default();
    if limited && range[0] > range[1] {
        return Err(e.error(format!("'range': expected min ≤ max, found {range:?}")));
    }
    Ok(limited.then_some(range))
}

/// The first number of a list, which may go on with coefficients of higher powers.
pub(super) fn first(e: &Element, name: &str) -> Result<f64, ImportError> {
    let list = e.list(name)?.unwrap_or_default();
    if list.iter().skip(1).any(|x| *x != 0.0) {
        return Err(e.error(format!("'{name}': forces of higher powers are not known")));
    }
    match list.first() {
        Some(x) if *x < 0.0 => Err(e.error(format!("'{name}': expected at least 0, found {x}"))),
        x => Ok(x.copied().unwrap_or(0.0)),
    }
}
