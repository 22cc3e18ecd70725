//! Limits and motors of a joint's coordinate q, an angle or a travel.
//!
//! **Limit**: q − min ≥ 0 and max − q ≥ 0 are unilateral rows with the gap
//! anticipated (they act when it would close within the step). Rows far from
//! acting are left out, for a large φ/h would loosen what counts as solved: a gap
//! of more than [`REACH`] that is more than twice the way of the step, by the
//! rate before it and the motor's. A solve that passes a limit all the same is
//! done again in halves (`assemble::curvature`).
//!
//! Equal limits are one row that holds q both ways.
//!
//! **Velocity motor**: q̇ = target, |force| ≤ max_force.
//!
//! **Position motor**: spring k and damper d towards the target, implicit
//! (Ho22 2.3.2), |force| ≤ max_force.
//!
//! **Force motor**: a row whose impulse is given, h·force.
//!
//! **Affine motor**: f − kq − dq̇ within bounds of its own on both sides: a spring and damper about q = f/k, or, without k, a damper
//! about q̇ = f/d.
//!
//! **Passive forces** ([`Passive`]): spring and damper are a row of the joint like those of compliant ones (its energy is
//! kept and counts as elastic, its force is no work), dry friction is a velocity motor with target 0. An armature a is a rotor that turns with the coordinate. Eliminated, it leaves the row
//! q̇⁺ − q̇ + λ/a = 0, q̇ the rate before the step; where rows hold for the mean velocity, q̇̄ − q̇ + λ/2a = 0.

use super::row::{Row, RowSink};
use super::{Geometry, Spring};

/// A range of a coordinate \[rad or m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Least value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

/// A motor on a coordinate.
///
/// ```
/// use taut::Motor;
/// let wheel = Motor::velocity(10.0, 50.0); // 10 rad/s, at most 50 N·m
/// let servo = Motor::position(0.5, 2000.0, 100.0, 50.0);
/// let thruster = Motor::force(30.0); // 30 N or N·m, whatever it moves
/// assert_ne!(wheel, servo);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Motor {
    /// Holds a velocity.
    Velocity {
        /// \[rad/s or m/s\].
        target: f64,
        /// \[N·m or N\].
        max_force: f64,
        /// How the target changes in the step \[rad/s² or m/s²\]; `target` is its mean.
        acceleration: f64,
    },
    /// Pulls to a position.
    Position {
        /// \[rad or m\].
        target: f64,
        /// \[N·m/rad or N/m\].
        stiffness: f64,
        /// \[N·m·s/rad or N·s/m\].
        damping: f64,
        /// \[N·m or N\].
        max_force: f64,
    },
    /// Pushes with a force, the same throughout the step.
    Force {
        /// \[N·m or N\].
        force: f64,
    },
    /// Pushes with `force` − `stiffness`·q − `damping`·q̇, within bounds.
    Affine {
        /// \[N·m or N\].
        force: f64,
        /// \[N·m/rad or N/m\].
        stiffness: f64,
        /// \[N·m·s/rad or N·s/m\].
        damping: f64,
        /// \[N·m or N\].
        min_force: f64,
        /// \[N·m or N\].
        max_force: f64,
    },
}

impl Motor {
    /// Holds a velocity with at most this force. It is reached within the step:
    /// a target that changes in time is given as its mean over the step, with the
    /// acceleration, so that forces are right, too.
    pub fn velocity(target: f64, max_force: f64) -> Self {
        Motor::Velocity { target, max_force, acceleration: 0.0 }
    }

    /// Pulls to a position like a spring and damper, with at most this force. A
    /// target that moves is given as that of the end of the step; put ahead by
    /// damping/stiffness times its rate, the damper does not hold it back.
    pub fn position(target: f64, stiffness: f64, damping: f64, max_force: f64) -> Self {
        Motor::Position { target, stiffness, damping, max_force }
    }

    /// Pushes b along the coordinate with this force \[N\] or torque \[N·m\], and a against it.
    pub fn force(force: f64) -> Self {
        Motor::Force { force }
    }

    /// Pushes with `force` − `stiffness`·q − `damping`·q̇, not less than `min_force` and not more than `max_force`: a servo
    /// whose bounds differ, a speed control that gives way, a spring that only pulls.
    pub fn affine(force: f64, [stiffness, damping]: [f64; 2], [min, max]: [f64; 2]) -> Self {
        Motor::Affine { force, stiffness, damping, min_force: min, max_force: max }
    }

    /// What it aims at: velocity, position or force.
    pub fn target(&self) -> f64 {
        match *self {
            Motor::Velocity { target, .. } | Motor::Position { target, .. } => target,
            Motor::Force { force } | Motor::Affine { force, .. } => force,
        }
    }

    /// The same motor with another target; one that changes in the step is
    /// [`Motor::Velocity`] with an acceleration.
    pub fn with_target(mut self, value: f64) -> Self {
        match &mut self {
            Motor::Velocity { target, acceleration, .. } => (*target, *acceleration) = (value, 0.0),
            Motor::Position { target, .. } => *target = value,
            Motor::Force { force } | Motor::Affine { force, .. } => *force = value,
        }
        self
    }

    pub(crate) fn is_valid(&self) -> bool {
        match *self {
            Motor::Force { force } => force.is_finite(),
            Motor::Velocity { target, max_force, acceleration } => {
                target.is_finite() && max_force >= 0.0 && acceleration.is_finite()
            }
            Motor::Position { target, stiffness, damping, max_force } => {
                let spring = Spring { stiffness, damping };
                target.is_finite() && max_force >= 0.0 && spring.is_valid()
            }
            Motor::Affine { force, stiffness, damping, min_force, max_force } => {
                let spring = Spring { stiffness, damping };
                let finite = [force, stiffness, damping].iter().all(|x| x.is_finite());
                finite && spring.is_valid() && min_force <= max_force
            }
        }
    }

    /// The speed that it tends to on its own, if it tends to one.
    fn speed(&self) -> f64 {
        match *self {
            Motor::Velocity { target, .. } => target.abs(),
            Motor::Affine { force, stiffness: 0.0, damping, .. } if damping > 0.0 => {
                (force / damping).abs()
            }
            _ => 0.0,
        }
    }
}

/// What acts on a coordinate by itself, besides limits and motor.
///
/// ```
/// use taut::Passive;
/// // A geared motor: reflected inertia and dry friction.
/// let drive = Passive { armature: 0.01, friction: 0.2, ..Passive::default() };
/// assert_eq!(drive.damping, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Passive {
    /// Inertia of what turns with the coordinate, as of a rotor behind gears \[kg·m² or kg\].
    pub armature: f64,
    /// Resists in proportion to the rate \[N·m·s/rad or N·s/m\].
    pub damping: f64,
    /// Dry friction: resists with up to this \[N·m or N\].
    pub friction: f64,
    /// Pulls to `rest` \[N·m/rad or N/m\].
    pub stiffness: f64,
    /// Where the spring is at rest \[rad or m\].
    pub rest: f64,
}

impl Passive {
    pub(crate) fn is_valid(&self) -> bool {
        let forces = [self.armature, self.damping, self.friction, self.stiffness];
        forces.iter().all(|x| *x >= 0.0 && x.is_finite()) && self.rest.is_finite()
    }
}

/// Tags of rows of passive forces, from here on.
pub(crate) const PASSIVE: u8 = 16;

/// Limits farther away than this are left out, unless they come near \[rad or m\].
const REACH: f64 = 0.5;

/// A coordinate: its value and the row that measures its rate.
pub(super) struct Coordinate {
    pub(super) value: f64,
    pub(super) row: Row,
}

impl Coordinate {
    /// The angle about the axis; `value` may count turns.
    pub(super) fn angle(g: &Geometry, value: f64) -> Self {
        Coordinate { value, row: Row::about(0, g, g.a.z()) }
    }

    /// The travel along the axis.
    pub(super) fn travel(g: &Geometry) -> Self {
        let row = Row { phi: 0.0, ..Row::along(0, g, g.a.z()) };
        Coordinate { value: g.travel(), row }
    }

    /// Rows of limits and motor, tags `tag` to `tag + 2`.
    pub(super) fn rows(
        &self,
        tag: u8,
        limits: Option<Limits>,
        motor: Option<Motor>,
        out: &mut RowSink,
    ) {
        if let Some(Limits { min, max }) = limits {
            let driven = motor.map_or(0.0, |m| m.speed());
            if min == max {
                out.push(Row { tag, phi: self.value - min, ..self.row });
                return self.drive(tag, motor, out);
            }
            let reach = REACH + 2.0 * out.h * (out.rate(&self.row).abs() + driven);
            if self.value - min < reach {
                let row = Row { tag, phi: self.value - min, ..self.row };
                out.push(row.unilateral());
            }
            if max - self.value < reach {
                let row = negated(&self.row);
                out.push(Row { tag: tag + 1, phi: max - self.value, ..row }.unilateral());
            }
        }
        self.drive(tag, motor, out);
    }

    fn drive(&self, tag: u8, motor: Option<Motor>, out: &mut RowSink) {
        if let Some(motor) = motor {
            out.push(self.motor_row(tag + 2, motor));
        }
    }

    /// Rows of passive forces.
    pub(super) fn passive_rows(&self, passive: Option<Passive>, out: &mut RowSink) {
        let Some(passive) = passive else { return };
        let Passive { armature, damping, friction, stiffness, rest } = passive;
        let row = Row { reaction: false, ..self.row };
        if stiffness > 0.0 || damping > 0.0 {
            let spring = Some(Spring { stiffness, damping });
            out.push(Row { tag: PASSIVE, phi: self.value - rest, spring, ..row });
        }
        if armature > 0.0 {
            let target = out.rate(&row);
            out.push(Row {
                tag: PASSIVE + 2,
                has_position: false,
                target,
                inertia: armature,
                ..row
            });
        }
        if friction > 0.0 {
            let (lo, hi) = (-friction, friction);
            out.push(Row { tag: PASSIVE + 1, has_position: false, lo, hi, ..row });
        }
    }

    fn motor_row(&self, tag: u8, motor: Motor) -> Row {
        let row = Row { reaction: false, ..self.row };
        match motor {
            Motor::Velocity { target, max_force, acceleration } => Row {
                tag,
                target,
                acceleration,
                has_position: false,
                lo: -max_force,
                hi: max_force,
                ..row
            },
            Motor::Position { target, stiffness, damping, max_force } => Row {
                tag,
                phi: self.value - target,
                lo: -max_force,
                hi: max_force,
                spring: Some(Spring { stiffness, damping }),
                ..row
            },
            Motor::Force { force } => Row { tag, has_position: false, lo: force, hi: force, ..row },
            Motor::Affine { force, stiffness, damping, min_force: lo, max_force: hi } => {
                if stiffness == 0.0 && damping == 0.0 {
                    let force = force.max(lo).min(hi);
                    return self.motor_row(tag, Motor::Force { force });
                }
                let row = Row { tag, lo, hi, spring: Some(Spring { stiffness, damping }), ..row };
                if stiffness > 0.0 {
                    Row { phi: self.value - force / stiffness, ..row }
                } else {
                    Row { target: force / damping, has_position: false, ..row }
                }
            }
        }
    }
}

fn negated(row: &Row) -> Row {
    let mut row = *row;
    for part in row.parts.iter_mut().flatten() {
        part.linear = -part.linear;
        part.angular = -part.angular;
    }
    row
}
