//! From a machine to a scene file.
//!
//! Links that are fixed to one another become one body, named after the one nearest to the root; links that are fixed
//! to the world become fixed bodies if they have shapes. A link with several motions in series gets a body of
//! little mass between any two of them, because a joint of the engine joins two bodies.

use crate::error::{ImportError, Notes, Place};
use crate::inertia::Inertia;
use crate::machine::{
    Kind, Link, Machine, Motion, Reel, Rope, Spot, Tendon, Through, Tie, TieKind, Twist,
};
use crate::sensor::{Measure, SensorFile};
use std::collections::{BTreeMap, BTreeSet};
use taut::math::{Mat3, Pose, Quat, Vec3};
use taut_scenes::file::{
    Body, Cable, Collider, Drive, ForceDrive, Joint, JointType, Limits, Motor, Passive, SceneFile,
    Spring, Station, Visual, wxyz,
};

/// Mass of a body between two motions of a link, as a share of the link's. Accelerations are off by as much (3e-5 in
/// `iit_softfoot`, which has 45 of them); with 1e-5 its steps are halved and take 2.5 times as long, with 1e-6 they do not end.
const BETWEEN: f64 = 1e-4;

/// Where each link went.
pub(crate) struct Layout {
    /// The link whose body it is part of; none: the world.
    pub(crate) owner: Vec<Option<usize>>,
    /// Its frame in the world at the start.
    pub(crate) world: Vec<Pose>,
    /// How it moves at the start.
    twists: Vec<Twist>,
    /// Names of the bodies.
    names: Vec<String>,
    /// Names that are taken.
    pub(crate) taken: BTreeSet<String>,
}

impl Layout {
    /// The body that a spot is on, and where on it.
    pub(crate) fn place(&self, spot: &Spot) -> (String, Pose) {
        let world = self.world_of(spot);
        let owner = spot.link.and_then(|l| self.owner[l]);
        let (name, body) = owner
            .map_or(("world".into(), Pose::IDENTITY), |o| (self.names[o].clone(), self.world[o]));
        (name, body.inv_mul(&world))
    }

    /// A sensor; none if it is fixed to the world.
    fn sensor(&self, measure: &Measure) -> Option<SensorFile> {
        let (on, pose) = match &measure.at {
            Ok(spot) => Some(self.place(spot)).filter(|(name, _)| name != "world")?,
            Err(joint) => (joint.clone(), Pose::IDENTITY),
        };
        Some(SensorFile {
            name: measure.name.clone(),
            kind: measure.kind,
            on,
            position: pose.translation.into(),
            orientation: wxyz(pose.rotation.normalize()),
            max: measure.max,
        })
    }

    pub(crate) fn world_of(&self, spot: &Spot) -> Pose {
        spot.link.map_or(Pose::IDENTITY, |l| self.world[l]) * spot.pose
    }
}

impl Tendon {
    pub(crate) fn joint(&self) -> Joint {
        let shift = |x: f64| x - self.start;
        let mut joint = Joint::tendon(self.terms.iter().cloned());
        joint.limits = self.limits.map(|l| Limits { min: l.min.map(shift), max: l.max.map(shift) });
        joint.motor = self.motor.map(|m| shifted(m, shift));
        joint.passive = (self.passive != Passive::default()).then_some(self.passive);
        joint
    }
}

/// The same motor with its position counted from the start.
fn shifted(motor: Motor, shift: impl Fn(f64) -> f64) -> Motor {
    match motor {
        Motor::Position { target, stiffness, damping, max_force } => {
            let target = if stiffness > 0.0 { shift(target) } else { 0.0 };
            Motor::Position { target, stiffness, damping, max_force }
        }
        // F − K(q + s) = (F − Ks) − Kq.
        Motor::Affine { force, stiffness, damping, min_force, max_force } => {
            let force = force + stiffness * shift(0.0);
            Motor::Affine { force, stiffness, damping, min_force, max_force }
        }
        other => other,
    }
}

/// The places that a way of a tendon goes through.
pub(crate) fn stations(
    way: &[Through],
    (name, place): (&str, &Place),
    layout: &Layout,
    notes: &mut Notes,
) -> Vec<Station> {
    let mut via: Vec<Station> = Vec::new();
    for (k, through) in way.iter().enumerate() {
        let (body, at) = layout.place(through.spot());
        let Through::Wrap { at: spot, radius, sphere, side } = through else {
            let station = Station::point(body, at.translation.into());
            // Several sites may be one point.
            if via.last() != Some(&station) {
                via.push(station);
            }
            continue;
        };
        let end = |i: usize| layout.world_of(way[i].spot()).translation;
        let (ends, frame) = ([end(k - 1), end(k + 1)], layout.world_of(spot));
        let links = [way[k - 1].spot().link, way[k + 1].spot().link];
        if links[0] == links[1] && ends[0].distance(ends[1]) < 1e-9 * radius {
            // Between two sites that are one point there is nothing to wrap.
            continue;
        }
        let side = side.as_ref().map(|s| layout.world_of(s).translation);
        // One that it does not touch yet is a pulley that it may come to.
        let Some(wrap) = crate::mjcf::circle(ends, &frame, *radius, *sphere, side)
            .filter(|wrap| wrap.lies_between)
        else {
            let message = "begins within a geom that it should wrap around; it never will";
            notes.add(place, format!("tendon '{name}' {message}"));
            continue;
        };
        // From the world to the frame of the body.
        let body_pose = frame * at.inverse();
        let centre: Vec3 = body_pose.inverse() * wrap.centre;
        let axis = body_pose.rotation.inverse() * wrap.axis;
        via.push(Station::pulley(body, centre.into(), axis.into(), *radius));
    }
    via
}

fn add_rope(
    rope: &Rope,
    layout: &Layout,
    scene: &mut SceneFile,
    taken: &mut BTreeSet<String>,
    notes: &mut Notes,
) {
    let via = stations(&rope.via, (&rope.name, &rope.place), layout, notes);
    let mut cable = Cable::new(unique(&rope.name, taken), via);
    cable.length = Some(rope.length);
    if let Some([stiffness, damping]) = rope.spring {
        (cable.stiffness, cable.damping) = (Some(stiffness * rope.length), damping * rope.length);
    }
    scene.cables.push(cable);
}

impl Machine {
    /// Leaves out the tendons and cables that the engine does not take.
    fn drop_refused(&self, scene: &mut SceneFile, notes: &mut Notes) {
        let parts = |r: &Reel| 1 + r.springs.len() + r.branches.len();
        let branches: usize = self.reels.iter().map(parts).sum();
        for _ in 0..self.tendons.len() + self.ropes.len() + branches {
            let Err(error) = scene.build() else { return };
            let index = |list: &str| {
                let rest = error.place.strip_prefix(list)?.strip_prefix('[')?;
                rest.split(']').next()?.parse::<usize>().ok()
            };
            let name = match (index("cables"), index("joints")) {
                (Some(i), _) if i < scene.cables.len() => scene.cables.remove(i).name,
                (_, Some(i))
                    if scene.joints.get(i).is_some_and(|j| j.joint_type == JointType::Tendon) =>
                {
                    scene.joints.remove(i).name
                }
                _ => return,
            };
            let name = name.unwrap_or_default();
            let places = self.tendons.iter().map(|t| (&t.name, &t.place));
            let reels = self.reels.iter().map(|r| (&r.tendon.name, &r.tendon.place));
            let mut places =
                places.chain(self.ropes.iter().map(|r| (&r.name, &r.place))).chain(reels);
            let place = places.find(|(n, _)| name.starts_with(n.as_str())).map(|(_, p)| p);
            let message = format!("tendon '{name}' is left out: {}", error.message);
            notes.add(place.unwrap_or(&Place::file("")), message);
        }
    }

    /// The scene.
    pub(crate) fn scene(
        &self,
        notes: &mut Notes,
    ) -> Result<(SceneFile, Vec<SensorFile>), ImportError> {
        let mut layout = self.layout();
        let mut scene = SceneFile { name: self.name.clone(), ..SceneFile::default() };
        scene.gravity = self.gravity.unwrap_or(scene.gravity);
        scene.materials = self.materials.clone();
        scene.pairs = self.pairs.clone();
        for i in 0..self.links.len() {
            self.add_body(i, &layout, &mut scene, notes)?;
        }
        let mut taken = BTreeSet::new();
        for i in 0..self.links.len() {
            self.add_motions(i, &mut layout, &mut scene, &mut taken, notes);
        }
        for tie in &self.ties {
            self.add_tie(tie, &layout, &mut scene, &mut taken, notes);
        }
        for tendon in &self.tendons {
            scene.join(tendon.joint().named(unique(&tendon.name, &mut taken)));
        }
        let mut ropes = BTreeSet::new();
        for rope in &self.ropes {
            add_rope(rope, &layout, &mut scene, &mut ropes, notes);
        }
        self.add_reels(&mut layout, &mut scene, [&mut taken, &mut ropes], notes);
        self.add_thrusts(&layout, &mut scene);
        self.add_excludes(&layout, &mut scene);
        self.drop_refused(&mut scene, notes);
        let sensors = self.sensors.iter().filter_map(|s| layout.sensor(s)).collect();
        Ok((scene, sensors))
    }

    /// What pushes a body becomes one drive, at its centre of mass.
    fn add_thrusts(&self, layout: &Layout, scene: &mut SceneFile) {
        let mut sums: BTreeMap<String, [Vec3; 2]> = BTreeMap::new();
        for thrust in &self.thrusts {
            let (name, at) = layout.place(&thrust.at);
            let Some(body) = scene.bodies.iter().find(|b| b.name == name) else { continue };
            let centre = Vec3::from(body.centre_of_mass.unwrap_or_default());
            let force = at.rotation * thrust.force;
            let torque = at.rotation * thrust.torque + (at.translation - centre).cross(force);
            let sum = sums.entry(name).or_default();
            *sum = [sum[0] + force, sum[1] + torque];
        }
        for (body, both) in sums {
            let [force, torque] = both.map(|v| vec![(0.0, v.into())]);
            scene.drives.push(Drive::Force(ForceDrive { body, force, torque, local: true }));
        }
    }

    fn layout(&self) -> Layout {
        let (mut owner, mut world, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let mut twists: Vec<Twist> = Vec::new();
        let mut taken = BTreeSet::from(["world".to_string(), "ground".to_string()]);
        for (i, link) in self.links.iter().enumerate() {
            let parent = link.parent.map_or(Pose::IDENTITY, |p| world[p]);
            let mut pose = parent * link.pose;
            let mut twist = match link.parent {
                Some(p) if !link.free => twists[p],
                _ => link.own_twist(&pose),
            };
            for motion in &link.motions {
                let before = pose;
                pose *= motion.at_start();
                twist = twist.plus(motion.twist(&before, &pose));
            }
            world.push(pose);
            twists.push(twist);
            let fixed = link.motions.is_empty() && !link.free;
            owner.push(if fixed { link.parent.and_then(|p| owner[p]) } else { Some(i) });
            names.push(unique(&link.name, &mut taken));
        }
        Layout { owner, world, twists, names, taken }
    }

    fn add_body(
        &self,
        i: usize,
        layout: &Layout,
        scene: &mut SceneFile,
        notes: &mut Notes,
    ) -> Result<(), ImportError> {
        let link = &self.links[i];
        let name = &layout.names[i];
        match layout.owner[i] {
            None if !link.colliders.is_empty() => {
                let (colliders, visual) = (link.colliders.clone(), link.visuals.clone());
                let body = Body { colliders, visual, ..Body::fixed(name) };
                scene.add(placed(body, &layout.world[i]));
            }
            None => {
                let seen = link.visuals.iter().map(|v| moved_visual(v, &layout.world[i]));
                scene.scenery.extend(seen);
            }
            Some(owner) if owner == i => {
                let body = self.moving_body(i, layout, notes)?;
                scene.add(moving(placed(body, &layout.world[i]), layout.twists[i]));
            }
            _ => {}
        }
        Ok(())
    }

    /// The body of a link and all that are fixed to it.
    fn moving_body(
        &self,
        i: usize,
        layout: &Layout,
        notes: &mut Notes,
    ) -> Result<Body, ImportError> {
        let link = &self.links[i];
        let mut body = Body::new(&layout.names[i]);
        let (mut sum, mut weight) = (Inertia::NONE, 0.0);
        // First moment of what weighs, and whether all parts weigh alike.
        let (mut moment, mut scales) = (Vec3::ZERO, BTreeSet::new());
        for (k, part) in self.links.iter().enumerate().filter(|(k, _)| layout.owner[*k] == Some(i))
        {
            let pose =
                if k == i { Pose::IDENTITY } else { layout.world[i].inv_mul(&layout.world[k]) };
            if let Some(inertia) = &part.inertia {
                let own = inertia.moved(&pose);
                sum = sum.plus(&own);
                weight += own.mass * part.gravity_scale;
                moment += own.centre * (own.mass * part.gravity_scale);
                scales.extend((own.mass > 0.0).then_some(part.gravity_scale.to_bits()));
            }
            body.colliders.extend(part.colliders.iter().map(|c| moved(c, &pose)));
            body.visual.extend(part.visuals.iter().map(|v| moved_visual(v, &pose)));
        }
        if sum.mass > 0.0 {
            set_inertia(&mut body, &sum)
                .map_err(|m| link.place.error(format!("link '{}' {m}", link.name)))?;
            body.gravity_scale = weight / sum.mass;
            let off = (moment - sum.centre * weight).length();
            if scales.len() > 1 && off > 1e-9 * sum.mass {
                let torque = off * Vec3::from(self.gravity.unwrap_or([0.0, 0.0, -9.81])).length();
                let message =
                    "has parts with different gravcomp, whose weight acts at its centre of mass";
                let lost = format!("a torque of up to {torque:.2} N·m is left out");
                notes.add(&link.place, format!("link '{}' {message}: {lost}", link.name));
            }
        } else if body.colliders.is_empty() {
            // Joints in series are often written so.
            let Some(next) = self.next_with_mass(i) else {
                let lost = |l: &&String| l.contains("left out") || l.contains("no mass");
                let cause = notes.lines.iter().find(lost);
                let cause = cause.map_or(String::new(), |l| format!("; what was left out: {l}"));
                let message = "moves, but has neither mass nor shape";
                return Err(link.place.error(format!("link '{}' {message}{cause}", link.name)));
            };
            let message = format!("has no mass; it gets {BETWEEN} of that of '{}'", next.name);
            notes.add(&link.place, format!("link '{}' {message}", link.name));
            let visual = std::mem::take(&mut body.visual);
            return Ok(Body { visual, ..between(next, &layout.names[i]) });
        } else {
            let message = "has no mass; it gets that of its shapes at 1000 kg/m³";
            notes.add(&link.place, format!("link '{}' {message}", link.name));
        }
        Ok(body)
    }

    /// The first link below that has mass.
    fn next_with_mass(&self, i: usize) -> Option<&Link> {
        let mut below = vec![false; self.links.len()];
        below[i] = true;
        for (k, link) in self.links.iter().enumerate().skip(i + 1) {
            below[k] = link.parent.is_some_and(|p| below[p]);
            if below[k] && link.inertia.is_some_and(|own| own.mass > 0.0) {
                return Some(link);
            }
        }
        None
    }

    fn add_motions(
        &self,
        i: usize,
        layout: &mut Layout,
        scene: &mut SceneFile,
        taken: &mut BTreeSet<String>,
        notes: &mut Notes,
    ) {
        let link = &self.links[i];
        let base = link.parent.map_or(Pose::IDENTITY, |p| layout.world[p]) * link.pose;
        let mut frame = base;
        let mut twist = link.parent.map_or(Twist::default(), |p| layout.twists[p]);
        let (mut a, mut a_pose) = self.side(link.parent, layout, scene);
        let count = link.motions.len();
        let still = link.parent.is_none_or(|p| layout.owner[p].is_none());
        for (k, motion) in link.motions.iter().enumerate() {
            let anchor = frame * motion.anchor;
            let axis = frame.rotation * motion.axis;
            let before = frame;
            frame *= motion.at_start();
            twist = twist.plus(motion.twist(&before, &frame));
            let (b, b_pose) = if k + 1 == count {
                (layout.names[i].clone(), layout.world[i])
            } else {
                let name = unique(&format!("{}.{}", link.name, motion.name), &mut layout.taken);
                let mut body = between(link, &name);
                if still && link.motions[..=k].iter().all(|m| m.kind == Kind::Slider) {
                    // It never turns: any inertia will do, and one of a radius of 1 m makes well scaled rows.
                    body.inertia = body.mass.map(|m| [m; 3]);
                }
                scene.add(moving(placed(body, &frame), twist));
                (name, frame)
            };
            // A slider has moved from its anchor at the reference.
            let anchor = if motion.kind == Kind::Slider { frame * motion.anchor } else { anchor };
            let mut joint = joint(motion, &a, &b).named(unique(&motion.name, taken));
            joint.collides |= self.meets_parent;
            let rotations = [before.rotation, frame.rotation];
            scene.join(in_frames(joint, [&a_pose, &b_pose], rotations, anchor, axis));
            (a, a_pose) = (b, b_pose);
        }
        if count > 1 {
            let bodies = if count == 2 { "a body" } else { "bodies" };
            let message = format!(
                "link '{}' has {count} joints in series; {bodies} of {BETWEEN} of its mass stand between them",
                link.name
            );
            notes.add(&link.place, message);
        }
    }

    /// The body that a joint to a link takes, and its pose.
    fn side(&self, link: Option<usize>, layout: &Layout, scene: &SceneFile) -> (String, Pose) {
        let world = || ("world".to_string(), Pose::IDENTITY);
        let Some(link) = link else { return world() };
        match layout.owner[link] {
            Some(owner) => (layout.names[owner].clone(), layout.world[owner]),
            None if self.meets_fixed_parent => world(),
            None => {
                let name = &layout.names[link];
                match scene.bodies.iter().any(|b| b.name == *name) {
                    true => (name.clone(), layout.world[link]),
                    false => world(),
                }
            }
        }
    }

    fn add_tie(
        &self,
        tie: &Tie,
        layout: &Layout,
        scene: &mut SceneFile,
        taken: &mut BTreeSet<String>,
        notes: &mut Notes,
    ) {
        let joint = match &tie.kind {
            TieKind::Cam(first, second, [ratio, curve @ ..]) => {
                let mut joint = Joint::gear(first.clone(), second.clone(), *ratio);
                joint.curve = (*curve != [0.0; 3]).then_some(*curve);
                joint
            }
            TieKind::Distance(a, b, [min, max], spring) => {
                let ((a, at_a), (b, at_b)) = (layout.place(a), layout.place(b));
                let mut joint = Joint::between(JointType::Distance, a, b).colliding();
                (joint.min, joint.max, joint.linear_spring) = (Some(*min), Some(*max), *spring);
                joint.anchor_a(at_a.translation).anchor_b(at_b.translation)
            }
            TieKind::Gear(first, second, ratio) => {
                Joint::gear(first.clone(), second.clone(), *ratio)
            }
            TieKind::Point(a, b) | TieKind::Frames(a, b) | TieKind::Hinge(a, b) => {
                let ((a, at_a), (b, at_b)) = (layout.place(a), layout.place(b));
                if a == b {
                    notes.add(&tie.place, "ties a body to itself, which says nothing: left out");
                    return;
                }
                let joint_type = match tie.kind {
                    TieKind::Point(..) => JointType::Ball,
                    TieKind::Hinge(..) => JointType::Hinge,
                    _ => JointType::Weld,
                };
                let mut joint = Joint::between(joint_type, a, b).colliding();
                joint = joint.anchor_a(at_a.translation).anchor_b(at_b.translation);
                if joint_type != JointType::Ball {
                    joint.basis_a = Some(wxyz(at_a.rotation));
                    joint.basis_b = Some(wxyz(at_b.rotation));
                }
                joint
            }
        };
        let name = tie.name.clone().unwrap_or_else(|| format!("tie{}", scene.joints.len()));
        scene.join(joint.named(unique(&name, taken)));
    }

    /// A joint that holds nothing keeps two bodies from colliding.
    fn add_excludes(&self, layout: &Layout, scene: &mut SceneFile) {
        let mut done = BTreeSet::new();
        let series = self.links.iter().enumerate().filter(|(_, l)| l.motions.len() > 1);
        let series = series.filter(|_| !self.meets_parent);
        let series = series.filter_map(|(i, l)| Some([l.parent?, i]));
        for [a, b] in self.excludes.iter().copied().chain(series) {
            let name = |i: usize| layout.names[layout.owner[i].unwrap_or(i)].clone();
            let (a, b) = (name(a), name(b));
            let known = |n: &String| scene.bodies.iter().any(|body| body.name == *n);
            let joined = scene.joints.iter().any(|j| {
                let sides = (j.a.as_deref(), j.b.as_deref());
                let same = sides == (Some(&a), Some(&b)) || sides == (Some(&b), Some(&a));
                same && !j.collides
            });
            if a == b || joined || !known(&a) || !known(&b) || !done.insert([a.clone(), b.clone()])
            {
                continue;
            }
            let mut joint = Joint::between(JointType::Compliant, &a, &b);
            let free = [Spring::new(0.0, 0.0); 3];
            (joint.linear, joint.angular) = (Some(free), Some(free));
            scene.join(joint.named(format!("apart {a} {b}")));
        }
    }
}

/// A joint of a motion, without its place.
fn joint(motion: &Motion, a: &str, b: &str) -> Joint {
    let shift = |x: f64| x - motion.start;
    let passive = motion.passive;
    let (joint_type, limits) = match motion.kind {
        Kind::Hinge => (JointType::Hinge, motion.limits),
        Kind::Slider => (JointType::Slider, motion.limits),
        Kind::Ball(_) if (passive.stiffness, passive.damping) != (0.0, 0.0) => {
            let spring = Spring::new(passive.stiffness, passive.damping);
            let rigid = Spring::default();
            let mut joint = Joint::between(JointType::Compliant, a, b);
            (joint.linear, joint.angular) = (Some([rigid; 3]), Some([spring; 3]));
            return joint;
        }
        Kind::Ball(_) => {
            let cone = motion.limits.and_then(|l| l.max);
            return Joint { cone, ..Joint::ball(a, b) };
        }
    };
    let mut joint = Joint::between(joint_type, a, b);
    joint.limits = limits.map(|l| Limits { min: l.min.map(shift), max: l.max.map(shift) });
    joint.motor = motion.motor.map(|m| shifted(m, shift));
    if passive != Passive::default() {
        let rest = if passive.stiffness > 0.0 { shift(passive.rest) } else { 0.0 };
        joint.passive = Some(Passive { rest, ..passive });
    }
    joint
}

/// A joint in the frames of its bodies: its anchor and axis in the world, and how the link's frame is turned before the
/// motion and after it.
fn in_frames(
    joint: Joint,
    [a, b]: [&Pose; 2],
    [before, after]: [Quat; 2],
    anchor: Vec3,
    axis: Vec3,
) -> Joint {
    let mut joint = joint.anchor_a(a.inverse() * anchor).anchor_b(b.inverse() * anchor);
    let (to_a, to_b) = (a.rotation.inverse(), b.rotation.inverse());
    if joint.cone.is_some() {
        // How far z is from where it is at the reference.
        joint = joint.axis_a(to_a * before * Vec3::Z).axis_b(to_b * after * Vec3::Z);
    }
    if joint.joint_type == JointType::Compliant {
        // Springs of a ball joint rest at the reference.
        joint.basis_a = Some(wxyz((to_a * before).normalize()));
        joint.basis_b = Some(wxyz((to_b * after).normalize()));
    }
    if axis == Vec3::ZERO { joint } else { joint.axis_a(to_a * axis).axis_b(to_b * axis) }
}

/// A light body between two motions of a link.
fn between(link: &Link, name: &str) -> Body {
    let whole = link.inertia.unwrap_or_default();
    let mass = BETWEEN * if whole.mass > 0.0 { whole.mass } else { 1.0 };
    let m = whole.matrix;
    let largest = m.x_axis.x.max(m.y_axis.y).max(m.z_axis.z);
    let moment = if largest > 0.0 { BETWEEN * largest } else { BETWEEN };
    let mut body = Body::new(name).mass(mass).inertia([moment; 3]);
    body.gravity_scale = link.gravity_scale;
    body
}

/// Mass properties in the frame of the body.
fn set_inertia(body: &mut Body, sum: &Inertia) -> Result<(), String> {
    let m = sum.matrix;
    let diagonal = [m.x_axis.x, m.y_axis.y, m.z_axis.z];
    let products = [m.x_axis.y, m.y_axis.z, m.z_axis.x];
    if !sum.mass.is_finite() || diagonal.iter().any(|x| !x.is_finite()) {
        return Err("has a mass or inertia beyond all numbers".into());
    }
    if diagonal.iter().any(|x| *x <= 0.0) {
        return Err(format!("moves, but its inertia about an axis is {diagonal:?}"));
    }
    // The largest principal moment is at most half their sum, up to the rounding that the engine allows.
    let half = 0.5 * (diagonal[0] + diagonal[1] + diagonal[2]);
    let rest = Mat3::IDENTITY * (half * 1.0025) - m;
    if !positive(&m) || !positive(&rest) {
        return Err(format!("has an inertia that no body has: {diagonal:?}, {products:?} kg·m²"));
    }
    body.mass = Some(sum.mass);
    body.centre_of_mass = Some(sum.centre.into());
    body.inertia = Some(diagonal);
    body.inertia_products = (products != [0.0; 3]).then_some(products);
    Ok(())
}

/// Whether a symmetric matrix is positive definite, by its leading minors.
fn positive(m: &Mat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.x_axis.y;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

fn placed(mut body: Body, pose: &Pose) -> Body {
    body.position = pose.translation.into();
    body.orientation = wxyz(pose.rotation.normalize());
    body
}

/// A body in its place, with its velocities.
fn moving(mut body: Body, twist: Twist) -> Body {
    if twist != Twist::default() {
        let [w, x, y, z] = body.orientation;
        let pose = Pose::from_parts(body.position.into(), Quat::from_xyzw(x, y, z, w));
        let centre: Vec3 = pose * Vec3::from(body.centre_of_mass.unwrap_or_default());
        body.velocity = twist.at(centre).into();
        body.angular_velocity = twist.angular.into();
    }
    body
}

fn moved(collider: &Collider, pose: &Pose) -> Collider {
    let (position, orientation) = moved_place(collider.position, collider.orientation, pose);
    Collider { position, orientation, ..collider.clone() }
}

fn moved_visual(visual: &Visual, pose: &Pose) -> Visual {
    let (position, orientation) = moved_place(visual.position, visual.orientation, pose);
    Visual { position, orientation, ..visual.clone() }
}

fn moved_place(position: [f64; 3], [w, x, y, z]: [f64; 4], pose: &Pose) -> ([f64; 3], [f64; 4]) {
    let whole = *pose * Pose::from_parts(position.into(), Quat::from_xyzw(x, y, z, w));
    (whole.translation.into(), wxyz(whole.rotation.normalize()))
}

/// The name, or the name and a number if it is taken.
pub(crate) fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.to_string();
    let mut k = 2;
    while free.is_empty() || taken.contains(&free) {
        free = format!("{name}-{k}");
        k += 1;
    }
    taken.insert(free.clone());
    free
}
