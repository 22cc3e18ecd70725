//! Actuators on joints whose force is affine: g·(G·u + b₀ + b₁·g·q + b₂·g·q̇) for a control u, gain G, bias b and gear g.
//!
//! With K = −b₁g², D = −b₂g² and F = g(Gu + b₀) that is a position motor with target F/K, or, where K is 0, a damper, or
//! a force. Several actuators of a joint add up to one motor.

use super::Model;
use crate::error::ImportError;
use crate::machine::Motion;
use crate::xml::Element;
use taut_scenes::file::Motor;

/// What an actuator does, as far as it is affine.
#[derive(Clone, Debug)]
struct Actuator {
    gear: f64,
    gain: f64,
    bias: [f64; 3],
    /// Whether the bias counts.
    affine: bool,
    damping_ratio: f64,
    /// Range of the force, and whether it counts; without a word, `autolimits` decides.
    forces: Option<[f64; 2]>,
    forces_limited: Option<bool>,
    /// The same of the control.
    controls: Option<[f64; 2]>,
    controls_limited: Option<bool>,
    /// Whether its control passes a filter.
    filtered: bool,
    /// Why it is not affine.
    odd: Option<String>,
}

/// The sum of a joint's actuators.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    stiffness: f64,
    damping: f64,
    force: f64,
    most_force: f64,
}

impl Model<'_> {
    /// Adds the motors; without controls each actuator holds its joint where it starts.
    pub(super) fn add_actuators(
        &mut self,
        root: &Element,
        controls: Option<&[f64]>,
    ) -> Result<(), ImportError> {
        let mut sums: Vec<(String, Sum)> = Vec::new();
        for (i, element) in root.all("actuator").flat_map(|a| &a.children).enumerate() {
            let Some((name, own)) = self.actuator(element, controls.map(|c| c.get(i).copied()))?
            else {
                continue;
            };
            let known = sums.iter_mut().find(|(n, _)| *n == name);
            match known {
                Some((_, sum)) => {
                    if sum.most_force.is_finite() || own.most_force.is_finite() {
                        let message = "several actuators: only the sum of their forces is limited";
                        self.notes.add(&element.place, format!("joint '{name}' has {message}"));
                    }
                    sum.stiffness += own.stiffness;
                    sum.damping += own.damping;
                    sum.force += own.force;
                    sum.most_force += own.most_force;
                }
                None => sums.push((name, own)),
            }
        }
        for (name, sum) in sums {
            let joint = self.joints.iter().find(|j| j.name == name);
            let bound = joint.map_or([f64::NEG_INFINITY, f64::INFINITY], |j| j.forces);
            if bound[0] != -bound[1] && (sum.stiffness > 0.0 || sum.damping > 0.0) {
                let message = "the larger bound of actuatorfrcrange counts on both sides";
                self.notes.add(&root.place, format!("joint '{name}': {message}"));
            }
            let motor = motor(&sum, bound);
            if let Some(motion) = self.motion_named(&name) {
                motion.motor = Some(motor);
            }
        }
        Ok(())
    }

    /// The joint of an actuator and what it does there; `control` is that of the keyframe, if there is one.
    fn actuator(
        &mut self,
        element: &Element,
        control: Option<Option<f64>>,
    ) -> Result<Option<(String, Sum)>, ImportError> {
        let label = element.label();
        let mut left_out =
            |why: &str| self.notes.add(&element.place, format!("{label}: {why}: left out"));
        let parts = self.defaults.actuator(element)?;
        let mut actuator = Actuator::default();
        for part in &parts {
            actuator.add(part)?;
        }
        actuator.finish(self.compiler.autolimits, !self.disabled.has("clampctrl"));
        let joint = parts.iter().rev().find_map(|p| p.get("joint").or(p.get("jointinparent")));
        let Some(joint) = joint.map(str::to_string) else {
            left_out("acts on something other than a joint");
            return Ok(None);
        };
        if let Some(odd) = &actuator.odd {
            left_out(odd);
            return Ok(None);
        }
        let inertia = self.joint_inertia(&joint);
        let Some(motion) = self.motion_named(&joint) else {
            if self.joints.iter().any(|j| j.name == joint) {
                self.notes.add(
                    &element.place,
                    format!("{label}: acts on a ball or free joint: left out"),
                );
                return Ok(None);
            }
            return Err(element.error(format!("no joint is named '{joint}'")));
        };
        let sum = actuator.sum(motion, inertia, control);
        if sum.stiffness < 0.0 || sum.damping < 0.0 {
            self.notes
                .add(&element.place, format!("{label}: pushes away from its target: left out"));
            return Ok(None);
        }
        let uneven = actuator.forces.is_some_and(|[lo, hi]| lo != -hi);
        if uneven && (sum.stiffness > 0.0 || sum.damping > 0.0) {
            let message = "the larger bound of forcerange counts on both sides";
            self.notes.add(&element.place, format!("{label}: {message}"));
        }
        if actuator.filtered {
            let message = format!("{label}: its filter is left out: it acts at once");
            self.notes.add(&element.place, message);
        }
        if sum.stiffness == 0.0 && sum.damping > 0.0 && sum.force != 0.0 {
            let message = format!("{label}: its damper counts, its speed is left out");
            self.notes.add(&element.place, message);
        }
        Ok(Some((joint, sum)))
    }

    /// The inertia of all below a joint about its axis, with its armature, at the reference \[kg·m² or kg\].
    fn joint_inertia(&self, name: &str) -> f64 {
        let Some(joint) = self.joints.iter().find(|j| j.name == name) else { return 0.0 };
        let Some(motion) = joint.motion.map(|m| &self.machine.links[joint.link].motions[m]) else {
            return 0.0;
        };
        let links = &self.machine.links;
        let mut poses = vec![None; links.len()];
        let mut sum = crate::inertia::Inertia::NONE;
        for i in joint.link..links.len() {
            let pose = if i == joint.link {
                Some(taut::math::Pose::IDENTITY)
            } else {
                links[i].parent.and_then(|p| poses[p]).map(|p| p * links[i].pose)
            };
            poses[i] = pose;
            if let (Some(pose), Some(own)) = (pose, links[i].inertia) {
                sum = sum.plus(&own.moved(&pose));
            }
        }
        let moved = match motion.kind {
            crate::machine::Kind::Slider => sum.mass,
            _ => motion.axis.dot(sum.about(motion.anchor) * motion.axis),
        };
        moved + motion.passive.armature
    }
}

impl Default for Actuator {
    fn default() -> Self {
        Actuator {
            gear: 1.0,
            gain: 1.0,
            bias: [0.0; 3],
            affine: false,
            damping_ratio: 0.0,
            forces: None,
            forces_limited: None,
            controls: None,
            controls_limited: None,
            filtered: false,
            odd: None,
        }
    }
}

impl Actuator {
    /// Takes over what an element says, that of a class or the actuator itself.
    fn add(&mut self, e: &Element) -> Result<(), ImportError> {
        if let Some(gear) = e.list("gear")? {
            self.gear = gear.first().copied().unwrap_or(self.gear);
        }
        let limited = |name, old| match e.get(name) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => None,
            None => old,
        };
        self.forces = e.array::<2>("forcerange")?.or(self.forces);
        self.forces_limited = limited("forcelimited", self.forces_limited);
        self.controls = e.array::<2>("ctrlrange")?.or(self.controls);
        self.controls_limited = limited("ctrllimited", self.controls_limited);
        for [lo, hi] in [self.forces, self.controls].into_iter().flatten() {
            if lo > hi {
                return Err(e.error(format!("expected a range of min ≤ max, found {lo} and {hi}")));
            }
        }
        self.affine |= ["position", "velocity"].contains(&e.tag.as_str());
        match e.tag.as_str() {
            "motor" => (self.gain, self.bias, self.affine) = (1.0, [0.0; 3], false),
            "position" => {
                let kp = e.number_or("kp", self.gain)?;
                (self.gain, self.bias[1]) = (kp, -kp);
                if let Some(kv) = e.number("kv")? {
                    self.bias[2] = -kv;
                }
                self.damping_ratio = e.at_least_0("dampratio", self.damping_ratio)?;
            }
            "velocity" => {
                let kv = e.number_or("kv", if self.bias[2] < 0.0 { -self.bias[2] } else { 1.0 })?;
                (self.gain, self.bias) = (kv, [0.0, 0.0, -kv]);
            }
            "general" => self.general(e)?,
            other => self.odd = Some(format!("{other} is no affine force")),
        }
        Ok(())
    }

    fn general(&mut self, e: &Element) -> Result<(), ImportError> {
        match e.get("dyntype") {
            None | Some("none") => {}
            Some("filter" | "filterexact") => self.filtered = true,
            Some(other) => self.odd = Some(format!("the activation '{other}' is not known")),
        }
        if !matches!(e.get("gaintype"), None | Some("fixed")) {
            self.odd = Some("its gain is not fixed".into());
        }
        match e.get("biastype") {
            None => {}
            Some("none") => self.affine = false,
            Some("affine") => self.affine = true,
            Some(_) => self.odd = Some("its bias is not affine".into()),
        }
        if let Some(gain) = e.list("gainprm")?.and_then(|g| g.first().copied()) {
            self.gain = gain;
        }
        for (own, given) in self.bias.iter_mut().zip(e.list("biasprm")?.unwrap_or_default()) {
            *own = given;
        }
        Ok(())
    }

    /// Drops ranges that do not count.
    fn finish(&mut self, auto: bool, clamps: bool) {
        self.forces = self.forces.filter(|_| self.forces_limited.unwrap_or(auto));
        let counts = clamps && self.controls_limited.unwrap_or(auto);
        self.controls = self.controls.filter(|_| counts);
    }

    fn sum(&self, motion: &Motion, inertia: f64, control: Option<Option<f64>>) -> Sum {
        let g = self.gear;
        let bias = if self.affine { self.bias } else { [0.0; 3] };
        let stiffness = -bias[1] * g * g;
        // Less than critical damping of what hangs on the joint.
        let ratio = 2.0 * self.damping_ratio * (stiffness * inertia).max(0.0).sqrt();
        let damping = -bias[2] * g * g + ratio;
        let [least, most] = self.forces.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let most_force = least.abs().max(most.abs()) * g.abs();
        let force = match control {
            // A keyframe without controls: held where it starts.
            None => stiffness * motion.start,
            Some(control) => {
                let [lo, hi] = self.controls.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                let u = control.unwrap_or(0.0).max(lo).min(hi);
                let force = self.gain * u + bias[0];
                let constant = stiffness == 0.0 && damping == 0.0;
                g * if constant { force.max(least).min(most) } else { force }
            }
        };
        Sum { stiffness, damping, force, most_force }
    }
}

fn motor(sum: &Sum, [least, most]: [f64; 2]) -> Motor {
    let Sum { stiffness, damping, force, most_force } = *sum;
    let largest = most_force.min(least.abs().max(most.abs()));
    let max_force = largest.is_finite().then_some(largest);
    if stiffness > 0.0 {
        let target = force / stiffness;
        return Motor::Position { target, stiffness, damping, max_force };
    }
    if damping > 0.0 {
        return Motor::Position { target: 0.0, stiffness: 0.0, damping, max_force };
    }
    Motor::Force { force: force.max(least).min(most) }
}
