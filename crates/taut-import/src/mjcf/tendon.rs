//! Tendons. A fixed one is a weighted sum of joint coordinates: `tendon` of a scene. A spatial one runs from site to
//! site and around spheres and cylinders: a cable, as far as it pulls; between two sites alone, a `distance`.
//!
//! A `pulley` begins a new branch, whose length counts divided by its divisor. Such tendons, and those that pull with a given or a limited
//! force, rub or have inertia, are cables that end on reels (`crate::reel`).
//!
//! A cable wraps around a circle, in place of a helix on a cylinder or a geodesic that slides on a sphere: the circle in
//! which it lies at the start.

use super::actuator::{Sum, UNBOUNDED};
use super::{Model, defaults::MAIN};
use crate::error::{ImportError, Place};
use crate::machine::{self, Branch, Moment, Reel, Rope, Spot, Through};
use crate::xml::Element;
use taut::math::{Pose, Vec3};
use taut_scenes::file::{Limits, Motor, Passive, Spring};

/// A tendon while the model is read.
#[derive(Clone, Debug)]
pub(super) struct Tendon {
    pub(super) name: String,
    place: Place,
    pub(super) way: Way,
    /// Its length at the start, and with all joints at their reference.
    pub(super) start: f64,
    pub(super) reference: f64,
    pub(super) range: Option<[f64; 2]>,
    stiffness: f64,
    damping: f64,
    /// Where the spring is at rest, from and to.
    rest: [f64; 2],
    friction: f64,
    armature: f64,
    /// What its actuators do.
    pub(super) sum: Option<Sum>,
}

/// What its length is made of.
#[derive(Clone, Debug)]
pub(super) enum Way {
    Fixed(Vec<(String, f64)>),
    Spatial(Vec<Branch>),
}

impl Model<'_> {
    pub(super) fn read_tendons(&mut self, root: &Element) -> Result<(), ImportError> {
        for element in root.all("tendon").flat_map(|t| &t.children) {
            let inner = Element { tag: "tendon".into(), ..element.clone() };
            let e = self.defaults.complete(&inner, MAIN)?;
            let e = Element { tag: element.tag.clone(), ..e };
            let index = self.tendons.len();
            let name = e.get("name").map_or_else(|| format!("tendon{index}"), str::to_string);
            if self.tendons.iter().any(|t| t.name == name) {
                return Err(e.error("a second tendon of that name"));
            }
            let way = match element.tag.as_str() {
                "fixed" => Way::Fixed(self.fixed_way(element)?),
                "spatial" => Way::Spatial(self.spatial_way(element)?),
                other => return Err(e.error(format!("expected fixed or spatial, found {other}"))),
            };
            let [start, reference, at_rest] = [Moment::Start, Moment::Reference, Moment::Springs]
                .map(|moment| match &way {
                    Way::Fixed(terms) => self.sum_of(terms, moment),
                    Way::Spatial(branches) => self.length_of(branches, moment),
                });
            let rest = match e.list("springlength")?.as_deref() {
                None | Some([] | [-1.0] | [-1.0, -1.0]) => [at_rest; 2],
                Some([rest]) => [*rest; 2],
                Some([low, high, ..]) if low <= high => [*low, *high],
                Some(other) => {
                    let message = format!("'springlength': expected low ≤ high, found {other:?}");
                    return Err(e.error(message));
                }
            };
            let off = |name: &str, x: f64| if self.disabled.has(name) { 0.0 } else { x };
            let tendon = Tendon {
                name,
                place: e.place.clone(),
                way,
                start,
                reference,
                range: super::joint::limits(&e, self.compiler(&e).autolimits)?
                    .filter(|_| !self.disabled.has("limit")),
                stiffness: off("spring", super::joint::first(&e, "stiffness")?),
                damping: off("damper", super::joint::first(&e, "damping")?),
                rest,
                friction: off("frictionloss", e.at_least_0("frictionloss", 0.0)?),
                armature: e.at_least_0("armature", 0.0)?,
                sum: None,
            };
            self.tendons.push(tendon);
        }
        Ok(())
    }

    fn fixed_way(&mut self, element: &Element) -> Result<Vec<(String, f64)>, ImportError> {
        let mut terms = Vec::new();
        for term in &element.children {
            let name = term.need("joint")?.to_string();
            if self.motion_named(&name).is_none() {
                return Err(term.error(format!("no hinge or slide is named '{name}'")));
            }
            term.need("coef")?;
            terms.push((name, term.number_or("coef", 1.0)?));
        }
        if terms.is_empty() {
            return Err(element.error("has no joints"));
        }
        Ok(terms)
    }

    fn spatial_way(&mut self, element: &Element) -> Result<Vec<Branch>, ImportError> {
        let mut branches = vec![Branch { via: Vec::new(), share: 1.0 }];
        for part in &element.children {
            let through = match part.tag.as_str() {
                "site" => {
                    let site = self.site(part, "site")?;
                    Through::Point(site.ok_or_else(|| part.error("'site' is missing"))?)
                }
                "geom" => self.wrap(part)?,
                "pulley" => {
                    part.need("divisor")?;
                    let divisor = part.number_or("divisor", 1.0)?;
                    if divisor <= 0.0 {
                        let message = format!("expected a divisor above 0, found {divisor}");
                        return Err(part.error(message));
                    }
                    branches.push(Branch { via: Vec::new(), share: 1.0 / divisor });
                    continue;
                }
                other => return Err(part.error(format!("'{other}' is no part of a tendon"))),
            };
            if let Some(last) = branches.last_mut() {
                last.via.push(through);
            }
        }
        // A pulley may stand first.
        branches.retain(|b| !b.via.is_empty());
        for Branch { via, .. } in &branches {
            let ends = [via.first(), via.last()];
            let points = ends.iter().all(|e| matches!(e, Some(Through::Point(_))));
            let apart = via.windows(2).all(|w| w.iter().any(|t| matches!(t, Through::Point(_))));
            if via.len() < 2 || !points || !apart {
                let message = "runs from site to site, with a site between any two geoms";
                return Err(element.error(message));
            }
        }
        if branches.is_empty() {
            return Err(element.error("runs from site to site, and has none"));
        }
        Ok(branches)
    }

    fn wrap(&mut self, part: &Element) -> Result<Through, ImportError> {
        let name = part.need("geom")?;
        let geom = self.geoms.iter().find(|g| g.element.get("name") == Some(name));
        let geom = geom.ok_or_else(|| part.error(format!("no geom is named '{name}'")))?;
        let at = Spot { link: Some(geom.link), pose: geom.pose };
        let (radius, sphere) = match geom.kind {
            super::Kind::Sphere(radius) => (radius, true),
            super::Kind::Cylinder { radius, .. } => (radius, false),
            _ => return Err(part.error(format!("geom '{name}' is neither sphere nor cylinder"))),
        };
        Ok(Through::Wrap { at, radius, sphere, side: self.site(part, "sidesite")? })
    }

    fn sum_of(&mut self, terms: &[(String, f64)], moment: Moment) -> f64 {
        let of = |(name, factor): &(String, f64)| {
            factor * self.motion_named(name).map_or(0.0, |m| m.coordinate(moment))
        };
        terms.iter().map(of).sum()
    }

    fn length_of(&self, branches: &[Branch], moment: Moment) -> f64 {
        let poses = self.machine.poses(moment);
        let place = |s: &Spot| s.link.map_or(Pose::IDENTITY, |l| poses[l]) * s.pose;
        branches.iter().map(|b| b.share * machine::way_length(&b.via, place)).sum()
    }

    /// Joints and factors of a fixed tendon, as links and motions.
    pub(super) fn terms_of(&self, terms: &[(String, f64)]) -> Vec<(usize, usize, f64)> {
        let of = |(name, factor): &(String, f64)| {
            let joint = self.joints.iter().find(|j| j.name == *name)?;
            Some((joint.link, joint.motion?, *factor))
        };
        terms.iter().filter_map(of).collect()
    }

    /// Equality of tendons: the first is c₀ + c₁ times the second, both counted from their reference.
    pub(super) fn tendon_equality(&mut self, e: &Element) -> Result<(), ImportError> {
        let find = |name: &str| {
            let found = self.tendons.iter().position(|t| t.name == name);
            found.ok_or_else(|| e.error(format!("no tendon is named '{name}', or it was left out")))
        };
        let mut c = [0.0, 1.0, 0.0, 0.0, 0.0];
        for (own, given) in c.iter_mut().zip(e.list("polycoef")?.unwrap_or_default()) {
            *own = given;
        }
        let first = self.tendons[find(e.need("tendon1")?)?].clone();
        let second = e.get("tendon2").map(find).transpose()?.map(|k| self.tendons[k].clone());
        let mut left_out = |why: &str| {
            self.notes.add(&e.place, format!("equality of tendon '{}' {why}", first.name));
        };
        let mut value = first.reference + c[0];
        let mut whole = Tendon { sum: None, stiffness: 0.0, damping: 0.0, ..first.clone() };
        (whole.friction, whole.armature) = (0.0, 0.0);
        if let Some(second) = second {
            let (Way::Fixed(a), Way::Fixed(b)) = (&mut whole.way, &second.way) else {
                left_out("with another is left out: one of them is spatial");
                return Ok(());
            };
            if c[2..] != [0.0; 3] {
                left_out("follows the line of its polynomial");
            }
            for (name, factor) in b {
                match a.iter_mut().find(|(n, _)| n == name) {
                    Some((_, f)) => *f -= c[1] * factor,
                    None => a.push((name.clone(), -c[1] * factor)),
                }
            }
            a.retain(|(_, f)| *f != 0.0);
            value -= c[1] * second.reference;
            whole.start -= c[1] * second.start;
        }
        whole.range = Some([value, value]);
        whole.name = e.get("name").map_or_else(|| format!("{} equality", first.name), Into::into);
        self.tendons.push(whole);
        Ok(())
    }

    /// Makes joints and cables of all tendons on which something acts.
    pub(super) fn finish_tendons(&mut self) {
        for tendon in std::mem::take(&mut self.tendons) {
            match &tendon.way {
                Way::Fixed(terms) => self.finish_fixed(&tendon, terms),
                Way::Spatial(branches) => match &branches[..] {
                    [Branch { via, share: 1.0 }] if tendon.is_springs(via) => {
                        self.finish_spatial(&tendon, via);
                    }
                    _ => self.finish_reel(&tendon, branches),
                },
            }
        }
    }

    fn note(&mut self, tendon: &Tendon, message: &str) {
        self.notes.add(&tendon.place, format!("tendon '{}': {message}", tendon.name));
    }

    fn finish_fixed(&mut self, t: &Tendon, terms: &[(String, f64)]) {
        for spring in t.springs() {
            self.machine.tendons.push(machine::Tendon { terms: terms.to_vec(), ..spring });
        }
        let Some(mut tendon) = t.coordinate() else { return };
        if let Some([min, max]) = t.range {
            let off = (t.start - max).max(min - t.start);
            // What is to be equal stays as it starts.
            let (min, max) = if min == max { (t.start, t.start) } else { (min, max) };
            let (min, max) = (min.min(t.start), max.max(t.start));
            if off > 1e-3 {
                self.note(t, &format!("starts {off:.4} beyond its range, which moves by that"));
            }
            tendon.limits = Some(Limits { min: Some(min), max: Some(max) });
        }
        tendon.terms = terms.to_vec();
        self.machine.tendons.push(tendon);
    }

    /// A tendon of several branches, or one that cables alone do not make.
    fn finish_reel(&mut self, t: &Tendon, branches: &[Branch]) {
        let springs: Vec<_> = t.springs().into_iter().filter(|s| pulls(&s.motor)).collect();
        if t.stiffness > 0.0 && t.rest[0] > 0.0 {
            self.note(t, "pulls, and does not push");
        }
        let Some(mut tendon) = t.coordinate().or_else(|| (!springs.is_empty()).then(|| t.bare()))
        else {
            return;
        };
        if let Some(Motor::Force { force }) = tendon.motor.filter(pushes) {
            self.note(t, &format!("pushes with {force} N, which cables cannot: left out"));
            tendon.motor = None;
        }
        if let Some([min, max]) = t.range {
            if min > 0.0 {
                self.note(t, "a cable has no least length: the larger bound counts");
            }
            if t.start > max {
                let over = t.start - max;
                self.note(t, &format!("starts {over:.2e} longer than it may be: stays so"));
            }
            tendon.limits = Some(Limits { min: None, max: Some(max.max(t.start)) });
        }
        self.machine.reels.push(Reel { tendon, springs, branches: branches.to_vec() });
    }

    fn finish_spatial(&mut self, t: &Tendon, via: &[Through]) {
        if let Some([min, max]) = t.range {
            match via {
                [Through::Point(a), Through::Point(b)] if min > 0.0 => {
                    self.tie(t, machine::TieKind::Distance(*a, *b, [min, max], None));
                }
                _ => {
                    if min > 0.0 {
                        self.note(t, "a cable has no least length: the larger bound counts");
                    }
                    if t.start > max {
                        let over = t.start - max;
                        self.note(t, &format!("starts {over:.2e} longer than it may be: stays so"));
                    }
                    self.machine.ropes.push(t.rope(via, max.max(t.start), None));
                }
            }
        }
        if t.stiffness > 0.0 || t.damping > 0.0 {
            self.spring(t, via, t.rest, [t.stiffness, t.damping]);
        }
        if let Some(sum) = t.sum.filter(|s| s.stiffness > 0.0) {
            let length = sum.force / sum.stiffness;
            self.spring(t, via, [length; 2], [sum.stiffness, sum.damping]);
        }
    }

    /// A spring and damper along a way: between two points it pulls and pushes, elsewhere it is a cable.
    fn spring(&mut self, t: &Tendon, via: &[Through], rest: [f64; 2], [k, d]: [f64; 2]) {
        let [Through::Point(a), Through::Point(b)] = via else {
            // From 0 on there is nothing that it would push.
            if rest[0] > 0.0 {
                self.note(t, "pulls, and does not push");
            }
            return self.machine.ropes.push(t.rope(via, rest[1], Some([k, d])));
        };
        let parts = match rest[0] == rest[1] || k == 0.0 {
            true => vec![(rest, [k, d])],
            // In the dead band the damper is alone.
            false => vec![(rest, [k, 0.0]), ([t.start; 2], [0.0, d])],
        };
        for (range, [k, d]) in parts.into_iter().filter(|(_, own)| *own != [0.0; 2]) {
            let range = range.map(|x| x.max(0.0));
            let spring = Some(Spring::new(k, d));
            self.tie(t, machine::TieKind::Distance(*a, *b, range, spring));
        }
    }

    fn tie(&mut self, t: &Tendon, kind: machine::TieKind) {
        let name = Some(t.name.clone());
        self.machine.ties.push(machine::Tie { name, place: t.place.clone(), kind });
    }
}

/// Whether a motor makes a tendon longer.
fn pushes(motor: &Motor) -> bool {
    matches!(motor, Motor::Force { force } if *force > 0.0)
}

/// Whether it only makes a tendon shorter.
fn pulls(motor: &Option<Motor>) -> bool {
    matches!(motor, Some(Motor::Affine { max_force: Some(0.0), .. }))
}

impl Tendon {
    /// Its length, on which nothing acts.
    fn bare(&self) -> machine::Tendon {
        machine::Tendon {
            name: self.name.clone(),
            place: self.place.clone(),
            terms: Vec::new(),
            start: self.start,
            limits: None,
            passive: Passive::default(),
            motor: None,
        }
    }

    /// What acts on its length besides its spring, without its limits; nothing, if there are none either.
    fn coordinate(&self) -> Option<machine::Tendon> {
        let motor = self.sum.map(|sum| super::actuator::motor(&sum, UNBOUNDED));
        let motor = motor.filter(|m| *m != Motor::Force { force: 0.0 });
        let passive = Passive {
            damping: self.damping,
            friction: self.friction,
            armature: self.armature,
            ..Passive::default()
        };
        let idle = self.range.is_none() && motor.is_none() && passive == Passive::default();
        (!idle).then(|| machine::Tendon { passive, motor, ..self.bare() })
    }

    /// Its spring, from two halves: one pushes below the least length at rest, one pulls above the largest.
    fn springs(&self) -> Vec<machine::Tendon> {
        if self.stiffness == 0.0 {
            return Vec::new();
        }
        let [low, high] = self.rest;
        let half = |end: &str, rest: f64, [min_force, max_force]: [Option<f64>; 2]| {
            let (stiffness, damping) = (self.stiffness, 0.0);
            let force = stiffness * rest;
            let motor = Some(Motor::Affine { force, stiffness, damping, min_force, max_force });
            machine::Tendon { name: format!("{}.{end}", self.name), motor, ..self.bare() }
        };
        vec![half("pushes", low, [Some(0.0), None]), half("pulls", high, [None, Some(0.0)])]
    }

    /// A cable along its way.
    fn rope(&self, via: &[Through], length: f64, spring: Option<[f64; 2]>) -> Rope {
        let (name, place) = (self.name.clone(), self.place.clone());
        Rope { name, place, via: via.to_vec(), length, spring }
    }

    /// Whether cables that stretch, or do not, are all there is to it; between two points also what pushes.
    fn is_springs(&self, via: &[Through]) -> bool {
        let two = matches!(via, [Through::Point(_), Through::Point(_)]);
        let idle = |s: Sum| s.stiffness == 0.0 && s.damping == 0.0 && s.force == 0.0;
        let pulls = |s: Sum| s.stiffness > 0.0 && s.force > 0.0 && s.range == UNBOUNDED;
        let damped = self.damping > 0.0 && self.stiffness == 0.0 && !two;
        let inert = self.friction == 0.0 && self.armature == 0.0 && !damped;
        inert && self.sum.is_none_or(|s| idle(s) || pulls(s))
    }
}

/// The circle of a wrap in the world.
pub(crate) struct Circle {
    pub(crate) centre: Vec3,
    /// By the right hand along the way.
    pub(crate) axis: Vec3,
    /// Both neighbours of the way are outside.
    pub(crate) lies_between: bool,
    /// The straight way between them goes through it, or passes on the wrong side.
    pub(crate) touches: bool,
}

/// Where a wrap's circle lies.
pub(crate) fn circle(
    [before, after]: [Vec3; 2],
    frame: &Pose,
    radius: f64,
    sphere: bool,
    side: Option<Vec3>,
) -> Option<Circle> {
    let (c, along) = (frame.translation, after - before);
    let mut z = frame.rotation * Vec3::Z;
    if sphere {
        let toward = side.unwrap_or(before.lerp(after, 0.5)) - c;
        z = (before - c)
            .cross(after - c)
            .try_normalize()
            .or_else(|| toward.cross(along).try_normalize())?;
    }
    let flat = |p: Vec3| (p - c).reject_from(z);
    let (p, n) = (flat(before), flat(after));
    let t = n - p;
    let share = if t.length_squared() > 0.0 {
        (-p.dot(t) / t.length_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let nearest = p + t * share;
    let aside = side.map(flat).filter(|s| s.length() > 1e-12);
    let touches = nearest.length() < radius || aside.is_some_and(|s| s.dot(nearest) < 0.0);
    let middle = aside.unwrap_or(nearest);
    let turns = z.cross(middle).dot(t);
    let axis = if turns < 0.0 { -z } else { z };
    // Along the axis where the unrolled way passes, or the straight one.
    let (a, b) = ((before - c).dot(z), (after - c).dot(z));
    let (dp, dn) = (p.length(), n.length());
    let unrolled = if dp + dn > 0.0 { dp / (dp + dn) } else { 0.5 };
    let centre = c + z * (a + (b - a) * if touches { unrolled } else { share });
    let lies_between = p.length() > radius && n.length() > radius;
    Some(Circle { centre, axis, lies_between, touches: touches && lies_between })
}
