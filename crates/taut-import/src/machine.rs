//! What the formats have in common: links, the motions between them, and ties that close loops.

use crate::error::Place;
use crate::inertia::Inertia;
use crate::sensor::Measure;
use std::collections::BTreeMap;
use taut::math::{Pose, Quat, Vec3};
use taut_scenes::file::{Collider, Limits, Material, Motor, Pair, Passive, Spring, Visual};

/// A machine: a forest of links, and what ties them besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) name: Option<String>,
    pub(crate) gravity: Option<[f64; 3]>,
    /// The time step that the file says \[s\].
    pub(crate) step: Option<f64>,
    /// Parents stand before their children.
    pub(crate) links: Vec<Link>,
    pub(crate) ties: Vec<Tie>,
    pub(crate) tendons: Vec<Tendon>,
    pub(crate) ropes: Vec<Rope>,
    pub(crate) reels: Vec<Reel>,
    pub(crate) thrusts: Vec<Thrust>,
    pub(crate) sensors: Vec<Measure>,
    /// Links that do not collide with one another.
    pub(crate) excludes: Vec<[usize; 2]>,
    /// Links collide with parents that do not move (as in MJCF).
    pub(crate) meets_fixed_parent: bool,
    /// Links collide with all parents.
    pub(crate) meets_parent: bool,
    pub(crate) materials: BTreeMap<String, Material>,
    pub(crate) pairs: Vec<Pair>,
}

/// A link, and how it moves against its parent.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) place: Place,
    /// Its parent; none: the world.
    pub(crate) parent: Option<usize>,
    /// Its frame in that of its parent, with all motions at their reference.
    pub(crate) pose: Pose,
    /// In series, from the parent on; none: it is fixed to it.
    pub(crate) motions: Vec<Motion>,
    /// Moves freely; `pose` is then where it starts.
    pub(crate) free: bool,
    /// Where it is at the reference, if it starts elsewhere.
    pub(crate) reference: Option<Pose>,
    /// How it moves at the start if it is free: velocity of its origin in the world, angular velocity in its frame.
    pub(crate) velocity: [Vec3; 2],
    pub(crate) inertia: Option<Inertia>,
    pub(crate) colliders: Vec<Collider>,
    pub(crate) visuals: Vec<Visual>,
    pub(crate) gravity_scale: f64,
}

impl Link {
    pub(crate) fn new(name: &str, place: &Place) -> Self {
        Link {
            name: name.into(),
            place: place.clone(),
            parent: None,
            pose: Pose::IDENTITY,
            motions: Vec::new(),
            free: false,
            reference: None,
            velocity: [Vec3::ZERO; 2],
            inertia: None,
            colliders: Vec::new(),
            visuals: Vec::new(),
            gravity_scale: 1.0,
        }
    }
}

/// The kind of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Hinge,
    Slider,
    /// Its turn at the start, against the reference.
    Ball(Quat),
}

/// Where the links are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Start,
    /// All motions are at their reference.
    Reference,
    /// All springs of motions are at rest, also those without stiffness.
    Springs,
}

/// One joint of a link; anchor and axis in the link's frame.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) anchor: Vec3,
    pub(crate) axis: Vec3,
    /// The coordinate \[rad or m\] with the link where `Link::pose` has it, and at the start.
    pub(crate) reference: f64,
    pub(crate) start: f64,
    /// Its rate at the start, as x; of a ball joint the angular velocity, in the frame that it turns.
    pub(crate) velocity: Vec3,
    /// Of the coordinate, as are rest and target of what follows.
    pub(crate) limits: Option<Limits>,
    pub(crate) passive: Passive,
    pub(crate) motor: Option<Motor>,
}

impl Motion {
    pub(crate) fn new(name: &str, kind: Kind, axis: Vec3) -> Self {
        Motion {
            name: name.into(),
            kind,
            anchor: Vec3::ZERO,
            axis,
            reference: 0.0,
            start: 0.0,
            velocity: Vec3::ZERO,
            limits: None,
            passive: Passive::default(),
            motor: None,
        }
    }

    /// Whether it turns about all axes.
    pub(crate) fn is_ball(&self) -> bool {
        matches!(self.kind, Kind::Ball(_))
    }

    /// The link's frame at the start in that at the reference.
    pub(crate) fn at_start(&self) -> Pose {
        self.moved(Moment::Start)
    }

    /// The link's frame in that at the reference.
    fn moved(&self, moment: Moment) -> Pose {
        let q = self.coordinate(moment) - self.reference;
        match self.kind {
            Kind::Slider => Pose::from_parts(self.axis * q, Quat::IDENTITY),
            Kind::Hinge => {
                crate::placement::turned(self.anchor, Quat::from_axis_angle(self.axis, q))
            }
            Kind::Ball(turn) if moment == Moment::Start => {
                crate::placement::turned(self.anchor, turn)
            }
            Kind::Ball(_) => Pose::IDENTITY,
        }
    }

    /// The coordinate of a hinge or slide.
    pub(crate) fn coordinate(&self, moment: Moment) -> f64 {
        match moment {
            Moment::Start => self.start,
            Moment::Reference => self.reference,
            Moment::Springs => self.passive.rest,
        }
    }
}

/// How a rigid body moves, in the world: its angular velocity, and the velocity of what it has at the origin. Those of motions in
/// series add.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twist {
    pub(crate) angular: Vec3,
    pub(crate) linear: Vec3,
}

impl Twist {
    /// Turns about a point.
    fn about(point: Vec3, angular: Vec3) -> Self {
        Twist { angular, linear: point.cross(angular) }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Twist { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }

    /// The velocity of a point.
    pub(crate) fn at(&self, point: Vec3) -> Vec3 {
        self.linear + self.angular.cross(point)
    }
}

impl Motion {
    /// How the link moves by it at the start, with the link's frame before it and after it.
    pub(crate) fn twist(&self, before: &Pose, after: &Pose) -> Twist {
        let axis = before.rotation * self.axis * self.velocity.x;
        match self.kind {
            Kind::Slider => Twist { angular: Vec3::ZERO, linear: axis },
            Kind::Hinge => Twist::about(*before * self.anchor, axis),
            Kind::Ball(_) => Twist::about(*before * self.anchor, after.rotation * self.velocity),
        }
    }
}

impl Link {
    /// Its frame in that of its parent, with all motions at their reference, wherever it starts.
    pub(crate) fn at_reference(&self) -> Pose {
        self.reference.unwrap_or(self.pose)
    }

    /// How it moves at the start if it is free, from its pose in the world.
    pub(crate) fn own_twist(&self, pose: &Pose) -> Twist {
        let [velocity, spin] = self.velocity;
        let turn = Twist::about(pose.translation, pose.rotation * spin);
        turn.plus(Twist { angular: Vec3::ZERO, linear: velocity })
    }
}

/// A frame on a link, or in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) link: Option<usize>,
    pub(crate) pose: Pose,
}

/// What ties links besides their motions.
#[derive(Clone, Debug)]
pub(crate) struct Tie {
    pub(crate) name: Option<String>,
    pub(crate) place: Place,
    pub(crate) kind: TieKind,
}

/// The kind of a tie.
#[derive(Clone, Debug)]
pub(crate) enum TieKind {
    /// Two points coincide.
    Point(Spot, Spot),
    /// Two frames coincide.
    Frames(Spot, Spot),
    /// Axes (z) and origins of two frames coincide.
    Hinge(Spot, Spot),
    /// The distance of two points stays within a range, or springs pull it there.
    Distance(Spot, Spot, [f64; 2], Option<Spring>),
    /// The coordinate of the first joint goes with the second's, times a ratio.
    Gear(String, String, f64),
    /// The coordinate of the first joint is a polynomial of the second's, both counted from the start: coefficients of
    /// the first to the fourth power.
    Cam(String, String, [f64; 4]),
}

/// A sum of joint coordinates that is a coordinate itself.
#[derive(Clone, Debug)]
pub(crate) struct Tendon {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) terms: Vec<(String, f64)>,
    /// Its value at the start.
    pub(crate) start: f64,
    pub(crate) limits: Option<Limits>,
    pub(crate) passive: Passive,
    pub(crate) motor: Option<Motor>,
}

/// A force and a torque in a frame on a link, which turn with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thrust {
    pub(crate) at: Spot,
    pub(crate) force: Vec3,
    pub(crate) torque: Vec3,
}

/// A cable without mass.
#[derive(Clone, Debug)]
pub(crate) struct Rope {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) via: Vec<Through>,
    /// Its rest length \[m\].
    pub(crate) length: f64,
    /// Stiffness \[N/m\] and damping \[N·s/m\], if it stretches.
    pub(crate) spring: Option<[f64; 2]>,
}

/// A tendon that is a sum of lengths: each branch counts by its share.
#[derive(Clone, Debug)]
pub(crate) struct Reel {
    /// Its length as a coordinate; terms come with the scene.
    pub(crate) tendon: Tendon,
    /// Its spring.
    pub(crate) springs: Vec<Tendon>,
    pub(crate) branches: Vec<Branch>,
}

/// A part of a tendon between two pulleys, and the share of its length that counts.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) via: Vec<Through>,
    pub(crate) share: f64,
}

/// What a cable goes through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Through {
    Point(Spot),
    /// Around a sphere, or a cylinder about z; past the point `side`, if there is one.
    Wrap {
        at: Spot,
        radius: f64,
        sphere: bool,
        side: Option<Spot>,
    },
}

impl Through {
    /// Where it is.
    pub(crate) fn spot(&self) -> &Spot {
        match self {
            Through::Point(spot) | Through::Wrap { at: spot, .. } => spot,
        }
    }
}

/// Length of a way; wraps that it does not touch have no part in it.
pub(crate) fn way_length(via: &[Through], place: impl Fn(&Spot) -> Pose) -> f64 {
    let mut length = 0.0;
    let mut last: Option<Vec3> = None;
    for (k, through) in via.iter().enumerate() {
        let here = place(through.spot()).translation;
        let Through::Wrap { at, radius, sphere, side } = through else {
            let wrapped = k > 0 && !matches!(via[k - 1], Through::Point(_));
            length += last.filter(|_| !wrapped).map_or(0.0, |p| p.distance(here));
            last = Some(here);
            continue;
        };
        let next = via.get(k + 1).map(|n| place(n.spot()).translation);
        let (Some(before), Some(after)) = (last, next) else { continue };
        let side = side.as_ref().map(|s| place(s).translation);
        let ends = [before, after];
        let circle = crate::mjcf::circle(ends, &place(at), *radius, *sphere, side);
        length += match circle {
            Some(c) if c.touches => wrapped_length(ends, c.centre, c.axis, *radius),
            _ => before.distance(after),
        };
    }
    length
}

/// Length of the way from one point around a circle to another, in the plane of the circle and along its axis.
fn wrapped_length(ends: [Vec3; 2], centre: Vec3, axis: Vec3, radius: f64) -> f64 {
    let [p, n] = ends.map(|e| (e - centre).reject_from(axis));
    let (dp, dn) = (p.length(), n.length());
    let between = axis.dot(p.cross(n)).atan2(p.dot(n)).rem_euclid(std::f64::consts::TAU);
    let wrap = (between - (radius / dp).acos() - (radius / dn).acos()).max(0.0);
    let square = |d: f64| (d * d - radius * radius).max(0.0).sqrt();
    let flat = square(dp) + square(dn) + radius * wrap;
    flat.hypot((ends[1] - ends[0]).dot(axis))
}

impl Machine {
    /// Where the links are in the world.
    pub(crate) fn poses(&self, moment: Moment) -> Vec<Pose> {
        let mut world: Vec<Pose> = Vec::new();
        for link in &self.links {
            let own = if moment == Moment::Start { link.pose } else { link.at_reference() };
            let pose = link.parent.map_or(Pose::IDENTITY, |p| world[p]) * own;
            world.push(link.motions.iter().fold(pose, |pose, m| pose * m.moved(moment)));
        }
        world
    }
}
