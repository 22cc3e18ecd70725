//! What is likely a mistake in how a world starts: bodies inside one another, joints
//! that are open. Steps push such bodies apart and close such joints, with motion
//! that nobody asked for; so they are named, on request.

use super::World;
use crate::assemble::geometry;
use crate::cables::CableState;
use crate::cables::solid::Solid;
use crate::collide::{Collider, CollisionPipeline, Motion};
use crate::math::{Pose, Vec3};
use crate::scene::joint::{Geometry, Joint, JointKind, JointState, Limits};
use std::collections::BTreeMap;
use std::fmt;

/// Overlaps and gaps up to this are no mistake \[m\]; of small shapes less.
pub(super) const LENGTH: f64 = 1e-3;
/// Share of the smaller shape's size that may overlap.
pub(super) const SHARE: f64 = 0.01;
/// Angles up to this are no mistake \[rad\].
const ANGLE: f64 = 0.01;
/// Strains of cables up to this are no mistake: steel breaks at a fifth of it, rope of nylon at twice as much.
const STRAIN: f64 = 0.1;
/// Points of a span that are looked at, whether they are inside a body.
const POINTS: usize = 64;

/// Something about the poses of a world that is likely a mistake.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StartWarning {
    /// Two bodies that collide are inside one another.
    Overlap {
        /// Name of one.
        a: String,
        /// Name of the other.
        b: String,
        /// How far \[m\].
        depth: f64,
    },
    /// A soft body is inside a rigid one or another soft one.
    SoftOverlap {
        /// Name of the soft body.
        soft: String,
        /// Name of the other.
        other: String,
        /// How far \[m\].
        depth: f64,
    },
    /// Nodes of a soft body move against the body that they are attached to.
    TornSoft {
        /// Name of the soft body.
        soft: String,
        /// Name of the other.
        body: String,
        /// How fast the fastest is \[m/s\].
        speed: f64,
    },
    /// A joint is open.
    OpenJoint {
        /// Its name.
        joint: String,
        /// Distance of what should coincide \[m\].
        gap: f64,
        /// Angle between what should be aligned \[rad\].
        angle: f64,
    },
    /// A belt that drives by friction is not stretched.
    LooseBelt {
        /// Its name.
        cable: String,
    },
    /// A cable starts stretched by more than a tenth.
    Stretched {
        /// Its name.
        cable: String,
        /// By which share of its length.
        strain: f64,
    },
    /// A cable starts through a body on whose edges it may lie.
    ThroughBody {
        /// Its name.
        cable: String,
        /// The name of the body.
        body: String,
    },
    /// A joint is outside its limits.
    BeyondLimit {
        /// Its name.
        joint: String,
        /// How far \[m, or rad for angles\].
        by: f64,
        /// Whether it is an angle.
        is_angle: bool,
    },
}

impl fmt::Display for StartWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartWarning::Overlap { a, b, depth } => {
                write!(f, "bodies '{a}' and '{b}' start inside one another, by {depth:.2e} m")
            }
            StartWarning::SoftOverlap { soft, other, depth } => {
                write!(f, "soft body '{soft}' starts inside '{other}', by {depth:.2e} m")
            }
            StartWarning::TornSoft { soft, body, speed } => {
                write!(
                    f,
                    "soft body '{soft}' starts at up to {speed:.2e} m/s against '{body}', which it is attached to"
                )
            }
            StartWarning::OpenJoint { joint, gap, angle } if *angle <= ANGLE => {
                write!(f, "joint '{joint}' starts open, by {gap:.2e} m")
            }
            StartWarning::OpenJoint { joint, gap, angle } => {
                write!(f, "joint '{joint}' starts open, by {gap:.2e} m and {angle:.2e} rad")
            }
            StartWarning::LooseBelt { cable } => {
                write!(
                    f,
                    "belt '{cable}' is not stretched and its axles are fixed: it carries no torque"
                )
            }
            StartWarning::Stretched { cable, strain } => {
                write!(
                    f,
                    "cable '{cable}' starts stretched by {:.1} % of its length",
                    100.0 * strain
                )
            }
            StartWarning::ThroughBody { cable, body } => {
                write!(
                    f,
                    "cable '{cable}' starts through '{body}', whose edges it is to lie on: name these in the order in which it \
                     comes to them, each in the sense in which it turns there, or the body in 'around'"
                )
            }
            StartWarning::BeyondLimit { joint, by, is_angle } => {
                let unit = if *is_angle { "rad" } else { "m" };
                write!(f, "joint '{joint}' starts beyond its limits, by {by:.2e} {unit}")
            }
        }
    }
}

impl World {
    /// What is likely a mistake in the present poses, meant to be asked before
    /// the first step: bodies that overlap by more than a millimetre (or a
    /// hundredth of the smaller one's size), soft bodies among them, nodes that move against what they are attached to, joints that are open or beyond their
    /// limits by more than a millimetre or a hundredth of a radian, belts on fixed axles that are not stretched, cables that are stretched by
    /// more than a tenth or run through a body on whose edges they are to lie.
    ///
    /// ```
    /// use taut::{Body, Shape, World, math::Vec3};
    /// let mut world = World::new();
    /// let ball = |name: &str| Body::dynamic(name).shape(Shape::Ball { radius: 0.5 });
    /// world.add_body(ball("a"))?;
    /// world.add_body(ball("b").position(Vec3::X * 0.9))?;
    /// let warning = world.start_warnings()[0].to_string();
    /// assert_eq!(warning, "bodies 'a' and 'b' start inside one another, by 1.00e-1 m");
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn start_warnings(&self) -> Vec<StartWarning> {
        let mut warnings = self.overlapping();
        warnings.extend(self.soft_starts());
        for (_, state) in self.joints.iter() {
            warnings.extend(open_joint(state, &geometry(&state.joint, &self.bodies)));
        }
        for (_, state) in self.cables.iter() {
            let cable = &state.cable;
            let rubs = cable.closed && cable.rubbing().next().is_some();
            let loose = state.length >= state.way * (1.0 - 1e-12);
            if rubs && loose && cable.stations.iter().all(|s| self.stays(s)) {
                warnings.push(StartWarning::LooseBelt { cable: cable.name.clone() });
            }
            let strain = state.stretch() / state.length;
            if strain > STRAIN {
                warnings.push(StartWarning::Stretched { cable: cable.name.clone(), strain });
            }
            warnings.extend(self.runs_through(state));
        }
        warnings
    }

    /// A body on whose edges a cable may lie, and that a span of it runs through deeper than those that rest on it do.
    fn runs_through(&self, state: &CableState) -> Option<StartWarning> {
        let edges = state.cable.stations.iter().filter(|s| s.edge.is_some());
        let mut ids: Vec<_> = edges.filter_map(|s| s.frame.body()).collect();
        ids.dedup();
        if ids.is_empty() {
            return None;
        }
        let way = state.way_now(&self.bodies);
        let through = |id| {
            let body = self.body(id).ok()?;
            let back = body.pose().inverse();
            let shapes = body.body.colliders.iter();
            let solids = shapes.filter_map(|c| Solid::of(&c.shape, c.pose).ok()).flatten();
            let points = way.spans.iter().filter(|s| s.length > 0.0).flat_map(|s| {
                let at = |i: usize| s.ends[0].lerp(s.ends[1], i as f64 / POINTS as f64);
                (1..POINTS).map(move |i| back.transform_point(at(i)))
            });
            let inside = |solid: &std::sync::Arc<Solid>| points.clone().any(|p| solid.holds(p));
            solids.into_iter().any(|s| inside(&s)).then(|| body.name().to_string())
        };
        let body = ids.into_iter().find_map(through)?;
        Some(StartWarning::ThroughBody { cable: state.cable.name.clone(), body })
    }

    fn overlapping(&self) -> Vec<StartWarning> {
        let motion = |slot: u32| {
            let body = self.bodies.at(slot);
            Motion {
                pose: body.map_or(Pose::IDENTITY, |b| Pose::from_parts(b.x, b.q)),
                velocity: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
                is_static: !body.is_some_and(|b| b.is_dynamic()),
            }
        };
        let motions: Vec<_> = (0..self.bodies.slots() as u32).map(motion).collect();
        let filter = |a: u32, b: u32| self.jointed.binary_search(&(a.min(b), a.max(b))).is_err();
        let entries = &self.colliders.entries;
        let mut manifolds = Vec::new();
        CollisionPipeline::new().update(entries, &motions, 1e-6, 0.0, filter, &mut manifolds);
        let size = |c: &Option<Collider>| c.as_ref().map_or(0.0, |c| c.shape.size);
        let mut deepest = BTreeMap::new();
        for m in &manifolds {
            let (a, b) = (&entries[m.collider_a as usize], &entries[m.collider_b as usize]);
            let sizes = [size(a), size(b)].into_iter().filter(|s| *s > 0.0 && s.is_finite());
            let allowed = LENGTH.min(SHARE * sizes.fold(f64::INFINITY, f64::min));
            let depth = m.points().iter().map(|p| -p.gap).fold(0.0, f64::max);
            if depth > allowed {
                let owner = |i: u32| self.colliders.owner(i).0;
                let pair = (owner(m.collider_a), owner(m.collider_b));
                let most = deepest.entry((pair.0.min(pair.1), pair.0.max(pair.1))).or_insert(0.0);
                *most = depth.max(*most);
            }
        }
        let name = |slot: u32| self.bodies.at(slot).map_or("", |b| b.name()).to_string();
        let warning = |((a, b), depth)| StartWarning::Overlap { a: name(a), b: name(b), depth };
        deepest.into_iter().map(warning).collect()
    }
}

fn open_joint(state: &JointState, g: &Geometry) -> Vec<StartWarning> {
    let joint = &state.joint;
    let name = || joint.name.clone();
    let mut found = Vec::new();
    let (gap, angle) = (joint.gap(g), misaligned(joint, g));
    if gap > LENGTH || angle > ANGLE {
        found.push(StartWarning::OpenJoint { joint: name(), gap, angle });
    }
    let beyond = |limits: Option<Limits>, q: f64| {
        limits.map_or(0.0, |Limits { min, max }| (min - q).max(q - max))
    };
    let travel = beyond(joint.travel_limits, g.travel());
    if travel > LENGTH {
        found.push(StartWarning::BeyondLimit { joint: name(), by: travel, is_angle: false });
    }
    let turned = match joint.kind {
        JointKind::Ball { cone: Some(cone) } => g.a.z().angle_between(g.b.z()) - cone,
        _ => beyond(joint.angle_limits, state.angle),
    };
    if turned > ANGLE {
        found.push(StartWarning::BeyondLimit { joint: name(), by: turned, is_angle: true });
    }
    found
}

/// Angle between directions that a joint keeps together \[rad\].
pub(crate) fn misaligned(joint: &Joint, g: &Geometry) -> f64 {
    match joint.kind {
        JointKind::Hinge | JointKind::Cylindrical => g.a.z().angle_between(g.b.z()),
        JointKind::Slider | JointKind::Weld => g.rotation().0.length(),
        JointKind::Universal => {
            (g.a.z().angle_between(g.b.z()) - std::f64::consts::FRAC_PI_2).abs()
        }
        _ => 0.0,
    }
}
