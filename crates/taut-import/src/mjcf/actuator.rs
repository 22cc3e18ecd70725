//! Actuators on joints and tendons whose force is affine: g·(G·u + b₀ + b₁·g·q + b₂·g·q̇) for a control u, gain G, bias b and gear g.
//!
//! With K = −b₁g², D = −b₂g² and F = g(Gu + b₀) that is a position motor with target F/K, or, where K is 0 or the range of the force
//! is not even, an affine one. Several actuators of a joint add up to one motor. A damping ratio ζ is D = 2ζ√(Km), m the mass
//! that the coordinate moves at the reference.

use super::Model;
use super::mass::Masses;
use super::tendon::Way;
use crate::error::{ImportError, Place};
use crate::machine::Thrust;
use crate::xml::Element;
use taut::math::Vec3;
use taut_scenes::file::Motor;

/// What an actuator does, as far as it is affine.
#[derive(Clone, Debug)]
struct Actuator {
    gear: f64,
    /// Of a site: force and torque per unit.
    wrench: [f64; 6],
    gain: f64,
    bias: [f64; 3],
    /// Whether the bias counts.
    affine: bool,
    damping_ratio: f64,
    /// Share of its target's range that controls have.
    inherits: f64,
    /// Range of the force, and whether it counts; without a word, `autolimits` decides.
    forces: Option<[f64; 2]>,
    forces_limited: Option<bool>,
    /// Range of the control, and whether it counts.
    controls: Option<[f64; 2]>,
    controls_limited: Option<bool>,
    /// Whether its control passes a filter.
    filtered: bool,
    /// Why it is not affine.
    odd: Option<String>,
}

/// Without bounds.
pub(super) const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The sum of a joint's or a tendon's actuators: F − Kq − Dq̇, within a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    pub(super) force: f64,
    pub(super) range: [f64; 2],
}

impl Sum {
    fn is_bounded(&self) -> bool {
        self.range != UNBOUNDED
    }
}

/// Actuators that are left out for one reason: the first of them, and how many more.
pub(super) struct Lost {
    why: String,
    label: String,
    place: Place,
    more: usize,
}

/// What an actuator acts on.
#[derive(Clone, Debug, PartialEq)]
enum Target {
    Joint(String),
    Tendon(usize),
}

/// That, with what an actuator needs to know of it.
struct ActedOn {
    target: Target,
    /// Its coordinate or length at the start.
    start: f64,
    range: Option<[f64; 2]>,
    /// Joints that it moves (link and motion), and their factors.
    terms: Vec<(usize, usize, f64)>,
}

impl Model<'_> {
    /// Adds the motors; without controls each actuator holds its joint where it starts.
    pub(super) fn add_actuators(
        &mut self,
        root: &Element,
        controls: Option<&[f64]>,
    ) -> Result<(), ImportError> {
        let mut sums: Vec<(Target, Sum)> = Vec::new();
        let mut masses = None;
        for (i, element) in root.all("actuator").flat_map(|a| &a.children).enumerate() {
            let control = controls.map(|c| c.get(i).copied());
            let Some((target, own)) = self.actuator(element, control, &mut masses)? else {
                continue;
            };
            let Some((_, sum)) = sums.iter_mut().find(|(t, _)| *t == target) else {
                sums.push((target, own));
                continue;
            };
            if sum.is_bounded() || own.is_bounded() {
                let message = "acts beside others: only the sum of their forces is limited";
                self.notes.add(&element.place, format!("{} {message}", element.label()));
            }
            sum.stiffness += own.stiffness;
            sum.damping += own.damping;
            sum.force += own.force;
            sum.range = [sum.range[0] + own.range[0], sum.range[1] + own.range[1]];
        }
        self.note_lost();
        for (target, sum) in sums {
            match target {
                Target::Joint(name) => self.set_motor(&name, &sum),
                Target::Tendon(index) => self.tendons[index].sum = Some(sum),
            }
        }
        Ok(())
    }

    /// Counts an actuator that is left out; those of one reason are one line, for there are models of 700 muscles.
    fn left_out<T>(&mut self, element: &Element, why: &str) -> Option<T> {
        match self.lost.iter_mut().find(|lost| lost.why == why) {
            Some(lost) => lost.more += 1,
            None => self.lost.push(Lost {
                why: why.into(),
                label: element.label(),
                place: element.place.clone(),
                more: 0,
            }),
        }
        None
    }

    fn note_lost(&mut self) {
        for Lost { why, label, place, more } in std::mem::take(&mut self.lost) {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            self.notes.add(&place, format!("{label}{more}: {why}: left out"));
        }
    }

    fn set_motor(&mut self, name: &str, sum: &Sum) {
        let joint = self.joints.iter().find(|j| j.name == name);
        let motor = motor(sum, joint.map_or(UNBOUNDED, |j| j.forces));
        if let Some(motion) = self.motion_named(name) {
            motion.motor = Some(motor);
        }
    }

    /// What an actuator acts on and what it does there; `control` is that of the keyframe, if there is one.
    fn actuator(
        &mut self,
        element: &Element,
        control: Option<Option<f64>>,
        masses: &mut Option<Option<Masses>>,
    ) -> Result<Option<(Target, Sum)>, ImportError> {
        let label = element.label();
        let parts = self.defaults.actuator(element)?;
        let mut actuator = Actuator::default();
        for part in &parts {
            actuator.add(part)?;
        }
        let named = |name| parts.iter().rev().find_map(|p| p.get(name)).map(str::to_string);
        let joint = named("joint").or(named("jointinparent"));
        let tendon = named("tendon");
        let (site, relative) = (named("site"), named("refsite").is_some());
        if element.tag == "plugin" {
            self.pid(element, &mut actuator)?;
        }
        if let Some(odd) = &actuator.odd {
            return Ok(self.left_out(element, odd));
        }
        if let (None, None, Some(site)) = (&joint, &tendon, site) {
            self.thrust(element, &actuator, &site, relative, control)?;
            return Ok(None);
        }
        let Some(acted) = self.acted_on(element, joint, tendon)? else { return Ok(None) };
        actuator.inherit(acted.range);
        actuator.finish(self.compiler(element).autolimits, !self.disabled.has("clampctrl"));
        let mut mass = 0.0;
        if actuator.damping_ratio > 0.0 {
            let masses = masses.get_or_insert_with(|| self.masses()).as_ref();
            match masses.filter(|_| !acted.terms.is_empty()).and_then(|m| m.of(&acted.terms)) {
                Some(found) => mass = found,
                None => {
                    let message =
                        format!("{label}: dampratio of what it moves is not known: left out");
                    self.notes.add(&element.place, message);
                }
            }
        }
        let sum = actuator.sum(acted.start, mass, control);
        if sum.stiffness < 0.0 || sum.damping < 0.0 {
            self.notes
                .add(&element.place, format!("{label}: pushes away from its target: left out"));
            return Ok(None);
        }
        if actuator.filtered {
            let message = format!("{label}: its filter is left out: it acts at once");
            self.notes.add(&element.place, message);
        }
        Ok(Some((acted.target, sum)))
    }

    /// What an actuator acts on; `None`, with a note, if that is nothing that can be driven.
    fn acted_on(
        &mut self,
        element: &Element,
        joint: Option<String>,
        tendon: Option<String>,
    ) -> Result<Option<ActedOn>, ImportError> {
        if let Some(joint) = joint {
            let Some(found) = self.joints.iter().find(|j| j.name == joint) else {
                return Err(element.error(format!("no joint is named '{joint}'")));
            };
            let terms = found.motion.map(|m| vec![(found.link, m, 1.0)]).unwrap_or_default();
            let Some(motion) = self.motion_named(&joint).filter(|m| !m.is_ball()) else {
                return Ok(self.left_out(element, "acts on a ball or free joint"));
            };
            let range = motion.limits.and_then(|l| Some([l.min?, l.max?]));
            let (target, start) = (Target::Joint(joint), motion.start);
            return Ok(Some(ActedOn { target, start, range, terms }));
        }
        let Some(tendon) = tendon else {
            let why = "acts on something other than a joint, a tendon or a site";
            return Ok(self.left_out(element, why));
        };
        let Some(index) = self.tendons.iter().position(|t| t.name == tendon) else {
            return Err(element.error(format!("no tendon is named '{tendon}'")));
        };
        let tendon = &self.tendons[index];
        let terms = match &tendon.way {
            Way::Fixed(terms) => self.terms_of(terms),
            Way::Spatial(_) => Vec::new(),
        };
        let (target, start, range) = (Target::Tendon(index), tendon.start, tendon.range);
        Ok(Some(ActedOn { target, start, range, terms }))
    }
}

impl Model<'_> {
    /// MuJoCo's PID plugin: a spring and a damper, without the integral.
    fn pid(&mut self, element: &Element, actuator: &mut Actuator) -> Result<(), ImportError> {
        if element.get("plugin").is_some_and(|p| p != "mujoco.pid") {
            return Ok(());
        }
        let instance = element.get("instance").unwrap_or_default();
        let shared = self.pids.get(instance);
        let configs = shared.map_or(&element.children, |shared| &shared.children);
        let [kp, ki, kd] = ["kp", "ki", "kd"].map(|key| {
            let config = configs.iter().find(|c| c.get("key") == Some(key));
            config.map_or(Ok(0.0), |c| c.at_least_0("value", 0.0))
        });
        let (kp, ki, kd) = (kp?, ki?, kd?);
        if shared.is_none() && configs.is_empty() {
            return Ok(());
        }
        actuator.filtered |= element.get("dyntype").is_some_and(|d| d != "none");
        actuator.odd = None;
        (actuator.gain, actuator.bias, actuator.affine) = (kp, [0.0, -kp, -kd], true);
        if ki > 0.0 {
            let message = "its integral part is left out, so loads push it from its target";
            self.notes.add(&element.place, format!("{}: {message}", element.label()));
        }
        Ok(())
    }

    /// An actuator on a site: a force and a torque that turn with it.
    fn thrust(
        &mut self,
        element: &Element,
        actuator: &Actuator,
        site: &str,
        relative: bool,
        control: Option<Option<f64>>,
    ) -> Result<(), ImportError> {
        let Some(at) = self.sites.get(site).copied() else {
            return Err(element.error(format!("no site is named '{site}'")));
        };
        let moved = actuator.affine && actuator.bias[1..] != [0.0; 2];
        if relative || moved || actuator.damping_ratio > 0.0 {
            let why = "follows the place of a site, which motors of joints cannot";
            self.left_out::<()>(element, why);
            return Ok(());
        }
        let mut own = actuator.clone();
        own.finish(self.compiler(element).autolimits, !self.disabled.has("clampctrl"));
        own.gear = 1.0;
        let force = own.sum(0.0, 0.0, Some(control.flatten())).force;
        let [x, y, z, a, b, c] = own.wrench.map(|g| g * force);
        let thrust = Thrust { at, force: Vec3::new(x, y, z), torque: Vec3::new(a, b, c) };
        self.machine.thrusts.push(thrust);
        Ok(())
    }
}

impl Default for Actuator {
    fn default() -> Self {
        Actuator {
            gear: 1.0,
            wrench: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            gain: 1.0,
            bias: [0.0; 3],
            affine: false,
            damping_ratio: 0.0,
            inherits: 0.0,
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
            self.wrench.iter_mut().zip(&gear).for_each(|(own, given)| *own = *given);
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
                self.inherits = e.at_least_0("inheritrange", self.inherits)?;
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

    /// Takes over the range of its target.
    fn inherit(&mut self, range: Option<[f64; 2]>) {
        if let Some([lo, hi]) = range.filter(|_| self.inherits > 0.0) {
            let (middle, half) = (0.5 * (lo + hi), 0.5 * (hi - lo) * self.inherits);
            self.controls = Some([middle - half, middle + half]);
        }
    }

    /// Drops ranges that do not count.
    fn finish(&mut self, auto: bool, clamps: bool) {
        let counts = |range: &[f64; 2], limited: Option<bool>| {
            limited.unwrap_or(auto && range[0] < range[1])
        };
        self.forces = self.forces.filter(|r| counts(r, self.forces_limited));
        self.controls = self.controls.filter(|r| clamps && counts(r, self.controls_limited));
    }

    fn sum(&self, start: f64, mass: f64, control: Option<Option<f64>>) -> Sum {
        let g = self.gear;
        let bias = if self.affine { self.bias } else { [0.0; 3] };
        let stiffness = -bias[1] * g * g;
        let ratio = 2.0 * self.damping_ratio * (stiffness * mass).max(0.0).sqrt();
        let damping = -bias[2] * g * g + ratio;
        let [least, most] = self.forces.unwrap_or(UNBOUNDED);
        let range = match self.forces {
            Some(_) if g > 0.0 => [g * least, g * most],
            Some(_) if g < 0.0 => [g * most, g * least],
            _ => UNBOUNDED,
        };
        let force = match control {
            // A keyframe without controls: held where it starts.
            None => stiffness * start,
            Some(control) => {
                let [lo, hi] = self.controls.unwrap_or(UNBOUNDED);
                let u = control.unwrap_or(0.0).max(lo).min(hi);
                let force = self.gain * u + bias[0];
                let constant = stiffness == 0.0 && damping == 0.0;
                g * if constant { force.max(least).min(most) } else { force }
            }
        };
        Sum { stiffness, damping, force, range }
    }
}

/// The motor of a sum whose force is also within other bounds.
pub(super) fn motor(sum: &Sum, [least, most]: [f64; 2]) -> Motor {
    let Sum { stiffness, damping, force, range } = *sum;
    let within = |x: f64| x.max(least).min(most);
    if stiffness == 0.0 && damping == 0.0 {
        return Motor::Force { force: within(force) };
    }
    let [min, max] = range.map(within);
    if stiffness > 0.0 && min == -max {
        let max_force = max.is_finite().then_some(max);
        return Motor::Position { target: force / stiffness, stiffness, damping, max_force };
    }
    let finite = |x: f64| x.is_finite().then_some(x);
    Motor::Affine { force, stiffness, damping, min_force: finite(min), max_force: finite(max) }
}
