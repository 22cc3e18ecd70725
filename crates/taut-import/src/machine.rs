//! What the formats have in common: links, the motions between them, and ties that close loops.

use crate::error::Place;
use crate::inertia::Inertia;
use std::collections::BTreeMap;
use taut::math::{Pose, Quat, Vec3};
use taut_scenes::file::{Collider, Limits, Material, Motor, Pair, Passive};

/// A machine: a forest of links, and what ties them besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) name: Option<String>,
    pub(crate) gravity: Option<[f64; 3]>,
    /// Parents stand before their children.
    pub(crate) links: Vec<Link>,
    pub(crate) ties: Vec<Tie>,
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
    pub(crate) inertia: Option<Inertia>,
    pub(crate) colliders: Vec<Collider>,
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
            inertia: None,
            colliders: Vec::new(),
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
            limits: None,
            passive: Passive::default(),
            motor: None,
        }
    }

    /// The link's frame at the start in that at the reference.
    pub(crate) fn at_start(&self) -> Pose {
        let q = self.start - self.reference;
        match self.kind {
            Kind::Slider => Pose::from_parts(self.axis * q, Quat::IDENTITY),
            Kind::Hinge => {
                crate::placement::turned(self.anchor, Quat::from_axis_angle(self.axis, q))
            }
            Kind::Ball(turn) => crate::placement::turned(self.anchor, turn),
        }
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
    /// The coordinate of the first joint goes with the second's, times a ratio.
    Gear(String, String, f64),
}
