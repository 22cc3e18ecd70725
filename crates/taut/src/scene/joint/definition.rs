//! What a user says about a joint.

use super::{Limits, Motor, Passive};
use crate::math::{Quat, Vec3};
use crate::slots::{BodyId, JointId};

/// One end of a joint: a body, or the world.
///
/// Wherever a `Frame` is asked for, a [`BodyId`] will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The world, which does not move; "world" in files and messages.
    World,
    /// A body.
    Body(BodyId),
}

impl From<BodyId> for Frame {
    fn from(id: BodyId) -> Self {
        Frame::Body(id)
    }
}

impl Frame {
    /// The body, unless it is the world.
    pub fn body(self) -> Option<BodyId> {
        match self {
            Frame::World => None,
            Frame::Body(id) => Some(id),
        }
    }
}

/// Stiffness and damping of a compliant row: N/m and N·s/m, or N·m/rad and
/// N·m·s/rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring {
    /// Force per displacement; infinite for a rigid row.
    pub stiffness: f64,
    /// Force per velocity.
    pub damping: f64,
}

impl Spring {
    /// A spring and damper.
    pub fn new(stiffness: f64, damping: f64) -> Self {
        Spring { stiffness, damping }
    }

    /// No give at all.
    pub const RIGID: Spring = Spring { stiffness: f64::INFINITY, damping: 0.0 };

    pub(crate) fn is_valid(&self) -> bool {
        self.stiffness >= 0.0 && self.damping >= 0.0 && self.damping.is_finite()
    }
}

/// The kind of a joint, with what only this kind has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// Anchors coincide.
    Ball {
        /// Largest angle between the two axes \[rad\].
        cone: Option<f64>,
    },
    /// Anchors and axes coincide.
    Hinge,
    /// Moves along the axis, does not turn.
    Slider,
    /// Moves along the axis and turns about it.
    Cylindrical,
    /// Anchors coincide; the axis of a stays perpendicular to an axis of b.
    Universal,
    /// Nothing moves.
    Weld,
    /// The distance of the anchors stays within a range: a rod (min = max),
    /// a rope (min = 0).
    Distance {
        /// Least distance \[m\].
        min: f64,
        /// Largest distance \[m\].
        max: f64,
    },
    /// A spring and damper for each of the six directions of frame A.
    Compliant {
        /// Along x, y, z.
        linear: [Spring; 3],
        /// About x, y, z.
        angular: [Spring; 3],
    },
    /// The coordinates of two joints keep a ratio, or one follows a curve of the other:
    /// q₁ = offset + ratio·q₂ + c₂q₂² + c₃q₂³ + c₄q₂⁴.
    Gear {
        /// The joint of q₁ (hinge or slider).
        first: JointId,
        /// The joint of q₂ (hinge or slider).
        second: JointId,
        /// q̇₁ / q̇₂, where the second coordinate is 0.
        ratio: f64,
        /// c₂, c₃ and c₄ of a cam; all 0: the ratio is constant.
        curve: [f64; 3],
        /// If not given, set when the gear is added, so that it starts without error.
        offset: Option<f64>,
    },
    /// The coordinate of the cage is the mean of two others, up to a
    /// constant: 2q₀ = q₁ + q₂ − offset. The outputs share its torque evenly.
    Differential {
        /// The joint of q₀ (hinge or slider).
        cage: JointId,
        /// The joint of q₁ (hinge or slider).
        first: JointId,
        /// The joint of q₂ (hinge or slider).
        second: JointId,
        /// Set when the differential is added, so that it starts without
        /// error.
        offset: Option<f64>,
    },
    /// A sum of the coordinates of other joints is a coordinate with limits, motor and passive forces
    /// (those of the angle) of its own.
    Tendon {
        /// Joints (hinges or sliders) and factors of their coordinates: up to six, on six bodies at most.
        terms: Vec<(JointId, f64)>,
    },
}

impl JointKind {
    /// The name of the kind, as in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Ball { .. } => "ball",
            JointKind::Hinge => "hinge",
            JointKind::Slider => "slider",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Universal => "universal",
            JointKind::Weld => "weld",
            JointKind::Distance { .. } => "distance",
            JointKind::Compliant { .. } => "compliant",
            JointKind::Gear { .. } => "gear",
            JointKind::Differential { .. } => "differential",
            JointKind::Tendon { .. } => "tendon",
        }
    }
}

/// A joint, ready to be added to a world.
///
/// Anchors and axes are given in the frame of their body (in world
/// coordinates for [`Frame::World`]). What is not given follows from the
/// poses at the moment of [`World::add_joint`](crate::World::add_joint): the
/// other side's anchor or axis, b's origin if no anchor is given at all, a's
/// z if no axis is. The anchors of a distance joint do not coincide: one that is
/// not given is the origin of its body (in the world a rope then ends where its
/// other end is; the end of a rod must be given). Angles and travel count from that moment's pose.
///
/// ```
/// use taut::{Body, Frame, Joint, World, math::Vec3};
/// let mut world = World::new();
/// let door = world.add_body(Body::dynamic("door").mass(10.0).box_inertia([1.0, 0.1, 2.0]))?;
/// let hinge = Joint::hinge("hinge", Frame::World, door)
///     .anchor_b(Vec3::new(-0.5, 0.0, 0.0))
///     .axis_a(Vec3::Z)
///     .limits(-0.5, 2.0);
/// world.add_joint(hinge)?;
/// # Ok::<(), taut::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a joint does nothing until it is added to a world"]
pub struct Joint {
    /// Its name, unique among the joints of a world.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// First end.
    pub a: Frame,
    /// Second end.
    pub b: Frame,
    /// Anchor in the frame of a \[m\].
    pub anchor_a: Option<Vec3>,
    /// Anchor in the frame of b \[m\].
    pub anchor_b: Option<Vec3>,
    /// Axis in the frame of a.
    pub axis_a: Option<Vec3>,
    /// Axis in the frame of b.
    pub axis_b: Option<Vec3>,
    /// Basis in the frame of a, whose z is the axis; follows from the axis.
    pub basis_a: Option<Quat>,
    /// Basis in the frame of b; follows from the axis and the poses.
    pub basis_b: Option<Quat>,
    /// Range of the travel along the axis \[m\] (slider, cylindrical).
    pub travel_limits: Option<Limits>,
    /// Range of the angle about the axis \[rad\] (hinge, cylindrical).
    pub angle_limits: Option<Limits>,
    /// Drives the travel.
    pub travel_motor: Option<Motor>,
    /// Drives the angle.
    pub angle_motor: Option<Motor>,
    /// Armature, damping, friction and spring of the coordinate (hinge, slider; a tendon has no spring).
    pub passive: Option<Passive>,
    /// Give of the rows that hold anchors; `None`: rigid.
    pub linear_spring: Option<Spring>,
    /// Give of the rows that hold directions; `None`: rigid.
    pub angular_spring: Option<Spring>,
    /// The joint breaks when its reaction force exceeds this \[N\].
    pub break_force: f64,
    /// The joint breaks when its reaction torque exceeds this \[N·m\].
    pub break_torque: f64,
    /// Whether the two bodies collide with one another. Default no.
    pub collide: bool,
}

impl Joint {
    fn new(name: impl Into<String>, kind: JointKind, a: Frame, b: Frame) -> Self {
        Joint {
            name: name.into(),
            kind,
            a,
            b,
            anchor_a: None,
            anchor_b: None,
            axis_a: None,
            axis_b: None,
            basis_a: None,
            basis_b: None,
            travel_limits: None,
            angle_limits: None,
            travel_motor: None,
            angle_motor: None,
            passive: None,
            linear_spring: None,
            angular_spring: None,
            break_force: f64::INFINITY,
            break_torque: f64::INFINITY,
            collide: false,
        }
    }

    /// Anchors coincide; all rotations are free.
    pub fn ball(name: impl Into<String>, a: impl Into<Frame>, b: impl Into<Frame>) -> Self {
        Self::new(name, JointKind::Ball { cone: None }, a.into(), b.into())
    }

    /// Anchors coincide; b turns about the axis.
    pub fn hinge(name: impl Into<String>, a: impl Into<Frame>, b: impl Into<Frame>) -> Self {
        Self::new(name, JointKind::Hinge, a.into(), b.into())
    }

    /// b moves along the axis and does not turn.
    pub fn slider(name: impl Into<String>, a: impl Into<Frame>, b: impl Into<Frame>) -> Self {
        Self::new(name, JointKind::Slider, a.into(), b.into())
    }

    /// b moves along the axis and turns about it.
    pub fn cylindrical(name: impl Into<String>, a: impl Into<Frame>, b: impl Into<Frame>) -> Self {
        Self::new(name, JointKind::Cylindrical, a.into(), b.into())
    }

    /// Anchors coincide; the axis of a (z of its basis) stays perpendicular
    /// to the second axis, which is fixed to b ([`Joint::axis_b`]; default:
    /// any direction perpendicular to the axis of a).
    pub fn universal(name: impl Into<String>, a: impl Into<Frame>, b: impl Into<Frame>) -> Self {
        Self::new(name, JointKind::Universal, a.into(), b.into())
    }

    /// Nothing moves between a and b.
    pub fn weld(name: impl Into<String>, a: impl Into<Frame>, b: impl Into<Frame>) -> Self {
        Self::new(name, JointKind::Weld, a.into(), b.into())
    }

    /// The anchors keep the distance `length` \[m\].
    pub fn rod(
        name: impl Into<String>,
        a: impl Into<Frame>,
        b: impl Into<Frame>,
        length: f64,
    ) -> Self {
        Self::new(name, JointKind::Distance { min: length, max: length }, a.into(), b.into())
    }

    /// The anchors stay within the distance `max` \[m\]: pulls, never pushes.
    pub fn rope(
        name: impl Into<String>,
        a: impl Into<Frame>,
        b: impl Into<Frame>,
        max: f64,
    ) -> Self {
        Self::new(name, JointKind::Distance { min: 0.0, max }, a.into(), b.into())
    }

    /// Springs and dampers along and about the axes of frame A. A stiffness
    /// of infinity is rigid; zero stiffness and damping leave it free.
    pub fn compliant(
        name: impl Into<String>,
        a: impl Into<Frame>,
        b: impl Into<Frame>,
        [linear, angular]: [[Spring; 3]; 2],
    ) -> Self {
        Self::new(name, JointKind::Compliant { linear, angular }, a.into(), b.into())
    }

    /// Keeps q̇₁ = ratio·q̇₂ for the angles of hinges or the travels of
    /// sliders, in any combination (rad, m).
    pub fn gear(name: impl Into<String>, first: JointId, second: JointId, ratio: f64) -> Self {
        let curve = [0.0; 3];
        let kind = JointKind::Gear { first, second, ratio, curve, offset: None };
        Self::new(name, kind, Frame::World, Frame::World)
    }

    /// The first coordinate follows a curve of the second, as on a cam: q₁ = offset + c₁q₂ + c₂q₂² + c₃q₂³ + c₄q₂⁴,
    /// with the offset with which it starts without error.
    pub fn cam(
        name: impl Into<String>,
        first: JointId,
        second: JointId,
        [ratio, curve @ ..]: [f64; 4],
    ) -> Self {
        let kind = JointKind::Gear { first, second, ratio, curve, offset: None };
        Self::new(name, kind, Frame::World, Frame::World)
    }

    /// Makes Σ factor·q of hinge angles and slider travels a coordinate, with limits, motor and passive forces.
    ///
    /// ```
    /// use taut::{Body, Frame, Joint, Motor, World, math::Vec3};
    /// let mut world = World::new();
    /// let mut fingers = Vec::new();
    /// for (name, x) in [("left", -0.1), ("right", 0.1)] {
    ///     let finger = Body::dynamic(name).mass(0.1).box_inertia([0.01; 3]).position(Vec3::X * x);
    ///     let finger = world.add_body(finger)?;
    ///     fingers.push(world.add_joint(Joint::slider(name, Frame::World, finger).axis_a(Vec3::X))?);
    /// }
    /// // One motor moves both, each half of the way.
    /// let grip = Joint::tendon("grip", fingers.iter().map(|&f| (f, 0.5)).collect());
    /// let grip = world.add_joint(grip.motor(Motor::position(0.04, 1e3, 10.0, 100.0)))?;
    /// for _ in 0..200 {
    ///     world.step(0.01)?;
    /// }
    /// assert!((world.joint_position(grip)? - 0.04).abs() < 1e-3);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn tendon(name: impl Into<String>, terms: Vec<(JointId, f64)>) -> Self {
        Self::new(name, JointKind::Tendon { terms }, Frame::World, Frame::World)
    }

    /// Keeps q̇₁ + q̇₂ = 2q̇₀ for the angles of hinges (or travels of
    /// sliders), q₀ that of the cage: its torque is shared evenly.
    pub fn differential(
        name: impl Into<String>,
        cage: JointId,
        first: JointId,
        second: JointId,
    ) -> Self {
        let kind = JointKind::Differential { cage, first, second, offset: None };
        Self::new(name, kind, Frame::World, Frame::World)
    }

    /// Anchor in the frame of a \[m\].
    pub fn anchor_a(mut self, p: Vec3) -> Self {
        self.anchor_a = Some(p);
        self
    }

    /// Anchor in the frame of b \[m\].
    pub fn anchor_b(mut self, p: Vec3) -> Self {
        self.anchor_b = Some(p);
        self
    }

    /// Axis in the frame of a, of any length but zero.
    pub fn axis_a(mut self, axis: Vec3) -> Self {
        self.axis_a = Some(axis);
        self
    }

    /// Axis in the frame of b, of any length but zero.
    pub fn axis_b(mut self, axis: Vec3) -> Self {
        self.axis_b = Some(axis);
        self
    }

    /// Range of the joint's coordinate: angle \[rad\] of a hinge, travel \[m\]
    /// of a slider or cylindrical joint.
    pub fn limits(mut self, min: f64, max: f64) -> Self {
        match self.kind {
            JointKind::Slider | JointKind::Cylindrical => {
                self.travel_limits = Some(Limits { min, max });
            }
            _ => self.angle_limits = Some(Limits { min, max }),
        }
        self
    }

    /// Range of the angle of a cylindrical joint \[rad\].
    pub fn angle_limits(mut self, min: f64, max: f64) -> Self {
        self.angle_limits = Some(Limits { min, max });
        self
    }

    /// Largest angle between the two axes of a ball joint \[rad\].
    pub fn cone(mut self, angle: f64) -> Self {
        if let JointKind::Ball { cone } = &mut self.kind {
            *cone = Some(angle);
        }
        self
    }

    /// Drives the joint's coordinate: angle of a hinge, travel of a slider or
    /// cylindrical joint.
    pub fn motor(mut self, motor: Motor) -> Self {
        match self.kind {
            JointKind::Slider | JointKind::Cylindrical => self.travel_motor = Some(motor),
            _ => self.angle_motor = Some(motor),
        }
        self
    }

    /// Drives the angle of a cylindrical joint.
    pub fn angle_motor(mut self, motor: Motor) -> Self {
        self.angle_motor = Some(motor);
        self
    }

    /// What acts on the angle of a hinge or the travel of a slider by itself.
    pub fn passive(mut self, passive: Passive) -> Self {
        self.passive = Some(passive);
        self
    }

    /// Lets the rows that hold anchors (or the distance) give.
    pub fn linear_spring(mut self, stiffness: f64, damping: f64) -> Self {
        self.linear_spring = Some(Spring { stiffness, damping });
        self
    }

    /// Lets the rows that hold directions give.
    pub fn angular_spring(mut self, stiffness: f64, damping: f64) -> Self {
        self.angular_spring = Some(Spring { stiffness, damping });
        self
    }

    /// The joint is removed, with an event, once its force \[N\] or torque
    /// \[N·m\] exceeds these.
    pub fn breaks_at(mut self, force: f64, torque: f64) -> Self {
        self.break_force = force;
        self.break_torque = torque;
        self
    }

    /// Lets the two bodies collide with one another.
    pub fn colliding(mut self) -> Self {
        self.collide = true;
        self
    }
}
