//! Joints, as `{"type": "ball", "a": "world", "b": "link0", ...}`.
//!
//! One struct holds the fields of all types, so that an error in a file can
//! name its place; the check of which field belongs to which type is part of
//! building the scene.

use super::{is_default, wxyz};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use taut::math::Quat;

/// The type of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointType {
    /// Anchors coincide. May have `cone`.
    Ball,
    /// Anchors and axes coincide. May have `limits` and `motor` of the angle.
    Hinge,
    /// b moves along the axis and does not turn. May have `limits` and
    /// `motor` of the travel.
    Slider,
    /// b moves along the axis and turns about it. May have `limits` and
    /// `motor` of the travel, `angle_limits` and `angle_motor`.
    Cylindrical,
    /// Anchors coincide; the axis of a stays perpendicular to that of b.
    Universal,
    /// Nothing moves.
    Weld,
    /// The distance of the anchors stays `length` (default: as it is at the
    /// start), or between `min` and `max`: rods and ropes.
    Distance,
    /// Springs and dampers `linear` along and `angular` about the axes of
    /// frame a.
    Compliant,
    /// The coordinates (angle or travel) of the joints `first` and `second`
    /// keep a `ratio`, or the first follows a `curve` of the second.
    Gear,
    /// The coordinate (angle or travel) of the joint `cage` is the mean of
    /// those of `first` and `second`, which share its torque evenly.
    Differential,
    /// The sum of the coordinates (angle or travel) of the joints in `terms`, each times its factor, is a coordinate itself.
    /// May have `limits`, `motor` and `passive` (without a spring).
    Tendon,
}

/// A part of the sum of a tendon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// Name of a joint, a hinge or slider.
    pub joint: String,
    /// What its coordinate is multiplied with.
    pub factor: f64,
}

/// A joint between two bodies, or a body and the world.
///
/// Anchors, axes and bases are given in the frame of their body, for
/// "world" in world coordinates. What is not given follows from the initial
/// poses: the other side's anchor or axis, b's origin if no anchor is given,
/// a's z if no axis is. An anchor of a distance joint that is not given is the
/// origin of its body (in the world a rope, with `max` alone, then ends where its
/// other end is; the end of a rod must be given). Angles and travel count from the initial pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Its type.
    #[serde(rename = "type")]
    pub joint_type: JointType,
    /// Its name, unique among the joints. Default "joint" and its index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of the first body, or "world". Not for gears, differentials and tendons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// Name of the second body, or "world". Not for gears, differentials and tendons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Anchor in the frame of a, in m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_a: Option<[f64; 3]>,
    /// Anchor in the frame of b, in m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_b: Option<[f64; 3]>,
    /// Axis in the frame of a, of any length but zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis_a: Option<[f64; 3]>,
    /// Axis in the frame of b, of any length but zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis_b: Option<[f64; 3]>,
    /// Basis (w, x, y, z) in the frame of a, whose z is the axis.
    /// Default: from the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis_a: Option<[f64; 4]>,
    /// Basis (w, x, y, z) in the frame of b. Default: agrees with `basis_a`
    /// in the initial pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis_b: Option<[f64; 4]>,
    /// ball: largest angle between the two axes, in rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<f64>,
    /// hinge: range of the angle in rad; slider, cylindrical: of the travel in m; tendon: of the sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// hinge: drives the angle; slider, cylindrical: the travel; tendon: the sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<Motor>,
    /// hinge, slider, tendon: what acts on the coordinate by itself. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passive: Option<Passive>,
    /// cylindrical: range of the angle in rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle_limits: Option<Limits>,
    /// cylindrical: drives the angle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle_motor: Option<Motor>,
    /// distance: the distance, in place of `min` and `max`, in m. Default,
    /// without these: that of the anchors at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// distance: the least distance in m. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// distance: the largest distance in m. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// compliant: springs along x, y, z of frame a. Default: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear: Option<[Spring; 3]>,
    /// compliant: springs about x, y, z of frame a. Default: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular: Option<[Spring; 3]>,
    /// differential: name of the joint of the cage, a hinge or slider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cage: Option<String>,
    /// gear, differential: name of the first joint, a hinge or slider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// gear, differential: name of the second joint, a hinge or slider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// gear: rate of the first coordinate per rate of the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// gear: what the second, third and fourth power of the second coordinate add to the first, as on a cam. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<[f64; 3]>,
    /// gear: the first coordinate where the second is 0. Default: such that it starts without error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// tendon: what its sum is made of, one to six joints on six bodies at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<Term>>,
    /// Give of what holds anchors (or the distance). Default: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear_spring: Option<Spring>,
    /// Give of what holds directions. Default: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_spring: Option<Spring>,
    /// Breaks beyond this force, in N. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// Breaks beyond this torque, in N·m. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
    /// Whether the two bodies collide with one another. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub collides: bool,
}

/// A range; a missing end is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// A motor on an angle or a travel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Motor {
    /// Holds a velocity.
    Velocity {
        /// The velocity in rad/s or m/s.
        target: f64,
        /// Largest torque or force in N·m or N. Default: unlimited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_force: Option<f64>,
    },
    /// Pulls to a position like a spring and damper.
    Position {
        /// The position in rad or m.
        target: f64,
        /// Stiffness in N·m/rad or N/m.
        stiffness: f64,
        /// Damping in N·m·s/rad or N·s/m. Default 0.
        #[serde(default)]
        damping: f64,
        /// Largest torque or force in N·m or N. Default: unlimited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_force: Option<f64>,
    },
    /// Pushes with a force, whatever it moves.
    Force {
        /// The torque or force in N·m or N.
        force: f64,
    },
    /// Pushes with `force` − `stiffness`·q − `damping`·q̇, within bounds.
    Affine {
        /// Torque or force at q = 0 and at rest, in N·m or N.
        force: f64,
        /// Stiffness in N·m/rad or N/m. Default 0.
        #[serde(default)]
        stiffness: f64,
        /// Damping in N·m·s/rad or N·s/m. Default 0.
        #[serde(default)]
        damping: f64,
        /// Least torque or force in N·m or N. Default: unlimited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_force: Option<f64>,
        /// Largest torque or force in N·m or N. Default: unlimited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_force: Option<f64>,
    },
}

/// What acts on the angle of a hinge or the travel of a slider by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Passive {
    /// Inertia of what turns with it, as of a rotor behind gears, in kg·m² or kg. Default 0.
    #[serde(skip_serializing_if = "is_default")]
    pub armature: f64,
    /// Damping in N·m·s/rad or N·s/m. Default 0.
    #[serde(skip_serializing_if = "is_default")]
    pub damping: f64,
    /// Dry friction, the largest torque or force, in N·m or N. Default 0.
    #[serde(skip_serializing_if = "is_default")]
    pub friction: f64,
    /// Stiffness of a spring in N·m/rad or N/m. Default 0.
    #[serde(skip_serializing_if = "is_default")]
    pub stiffness: f64,
    /// Where the spring is at rest, in rad or m. Default 0: as at the start.
    #[serde(skip_serializing_if = "is_default")]
    pub rest: f64,
}

/// A spring and damper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Spring {
    /// Stiffness in N/m or N·m/rad; 0: none. Default: rigid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Damping in N·s/m or N·m·s/rad. Default 0.
    pub damping: f64,
}

impl Spring {
    /// A spring and damper.
    pub fn new(stiffness: f64, damping: f64) -> Self {
        Spring { stiffness: Some(stiffness), damping }
    }
}

impl Motor {
    /// Holds a velocity with at most this force.
    pub fn velocity(target: f64, max_force: f64) -> Self {
        Motor::Velocity { target, max_force: Some(max_force) }
    }

    /// Pushes with a force.
    pub fn force(force: f64) -> Self {
        Motor::Force { force }
    }

    /// Pulls to a position with at most this force.
    pub fn position(target: f64, stiffness: f64, damping: f64, max_force: f64) -> Self {
        Motor::Position { target, stiffness, damping, max_force: Some(max_force) }
    }
}

impl Joint {
    fn new(joint_type: JointType) -> Self {
        Joint {
            joint_type,
            name: None,
            a: None,
            b: None,
            anchor_a: None,
            anchor_b: None,
            axis_a: None,
            axis_b: None,
            basis_a: None,
            basis_b: None,
            cone: None,
            limits: None,
            motor: None,
            passive: None,
            angle_limits: None,
            angle_motor: None,
            length: None,
            min: None,
            max: None,
            linear: None,
            angular: None,
            cage: None,
            first: None,
            second: None,
            ratio: None,
            curve: None,
            offset: None,
            terms: None,
            linear_spring: None,
            angular_spring: None,
            break_force: None,
            break_torque: None,
            collides: false,
        }
    }

    /// A joint of a type other than gear and differential between two bodies ("world" is the
    /// world).
    pub fn between(joint_type: JointType, a: impl Into<String>, b: impl Into<String>) -> Self {
        Joint { a: Some(a.into()), b: Some(b.into()), ..Joint::new(joint_type) }
    }

    /// A ball joint.
    pub fn ball(a: impl Into<String>, b: impl Into<String>) -> Self {
        Joint::between(JointType::Ball, a, b)
    }

    /// A hinge.
    pub fn hinge(a: impl Into<String>, b: impl Into<String>) -> Self {
        Joint::between(JointType::Hinge, a, b)
    }

    /// A slider.
    pub fn slider(a: impl Into<String>, b: impl Into<String>) -> Self {
        Joint::between(JointType::Slider, a, b)
    }

    /// A weld.
    pub fn weld(a: impl Into<String>, b: impl Into<String>) -> Self {
        Joint::between(JointType::Weld, a, b)
    }

    /// A rope: anchors at most `max` (in m) apart.
    pub fn rope(a: impl Into<String>, b: impl Into<String>, max: f64) -> Self {
        Joint { max: Some(max), ..Joint::between(JointType::Distance, a, b) }
    }

    /// A rod: anchors `length` (in m) apart.
    pub fn rod(a: impl Into<String>, b: impl Into<String>, length: f64) -> Self {
        Joint { length: Some(length), ..Joint::between(JointType::Distance, a, b) }
    }

    /// A gear between two named joints.
    pub fn gear(first: impl Into<String>, second: impl Into<String>, ratio: f64) -> Self {
        Joint {
            first: Some(first.into()),
            second: Some(second.into()),
            ratio: Some(ratio),
            ..Joint::new(JointType::Gear)
        }
    }

    /// A tendon: the sum of coordinates of named joints, each with its factor.
    pub fn tendon(terms: impl IntoIterator<Item = (String, f64)>) -> Self {
        let terms = terms.into_iter().map(|(joint, factor)| Term { joint, factor }).collect();
        Joint { terms: Some(terms), ..Joint::new(JointType::Tendon) }
    }

    /// A differential from the joint of its cage to two others.
    pub fn differential(
        cage: impl Into<String>,
        first: impl Into<String>,
        second: impl Into<String>,
    ) -> Self {
        Joint {
            cage: Some(cage.into()),
            first: Some(first.into()),
            second: Some(second.into()),
            ..Joint::new(JointType::Differential)
        }
    }

    /// Names the joint.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the anchor in the frame of a, in m.
    pub fn anchor_a(mut self, p: impl Into<[f64; 3]>) -> Self {
        self.anchor_a = Some(p.into());
        self
    }

    /// Sets the anchor in the frame of b, in m.
    pub fn anchor_b(mut self, p: impl Into<[f64; 3]>) -> Self {
        self.anchor_b = Some(p.into());
        self
    }

    /// Sets the axis in the frame of a.
    pub fn axis_a(mut self, axis: impl Into<[f64; 3]>) -> Self {
        self.axis_a = Some(axis.into());
        self
    }

    /// Sets the axis in the frame of b.
    pub fn axis_b(mut self, axis: impl Into<[f64; 3]>) -> Self {
        self.axis_b = Some(axis.into());
        self
    }

    /// Sets the basis in the frame of a.
    pub fn basis_a(mut self, q: Quat) -> Self {
        self.basis_a = Some(wxyz(q));
        self
    }

    /// Sets the range of the angle or travel.
    pub fn limits(mut self, min: f64, max: f64) -> Self {
        self.limits = Some(Limits { min: Some(min), max: Some(max) });
        self
    }

    /// Sets the motor of the angle or travel.
    pub fn motor(mut self, motor: Motor) -> Self {
        self.motor = Some(motor);
        self
    }

    /// Lets what holds anchors, or the distance, give.
    pub fn linear_spring(mut self, stiffness: f64, damping: f64) -> Self {
        self.linear_spring = Some(Spring::new(stiffness, damping));
        self
    }

    /// Lets what holds directions give.
    pub fn angular_spring(mut self, stiffness: f64, damping: f64) -> Self {
        self.angular_spring = Some(Spring::new(stiffness, damping));
        self
    }

    /// Lets the two bodies collide with one another.
    pub fn colliding(mut self) -> Self {
        self.collides = true;
        self
    }
}
