//! A joint in a world: its resolved definition and what the steps left.

use super::Joint;
use crate::lcp::RowState;
use crate::math::Vec3;

/// Force and torque a joint exerts on b; a gets the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Force on b \[N\], world coordinates.
    pub force: Vec3,
    /// Torque on b about its anchor \[N·m\], world coordinates.
    pub torque: Vec3,
}

/// The answer of one row, for the next step's warm start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowMemory {
    pub(crate) tag: u8,
    /// Mean force over the step \[N or N·m\].
    pub(crate) force: f64,
    pub(crate) state: RowState,
}

/// A joint as it is in a world.
#[derive(Clone, Debug)]
pub struct JointState {
    pub(crate) joint: Joint,
    /// Angle about the axis, counting turns \[rad\].
    pub(crate) angle: f64,
    pub(crate) reaction: Reaction,
    /// Force of the motor on its coordinate \[N or N·m\].
    pub(crate) motor_force: f64,
    pub(crate) memory: Vec<RowMemory>,
}

impl JointState {
    pub(crate) fn new(joint: Joint) -> Self {
        JointState {
            joint,
            angle: 0.0,
            reaction: Reaction::default(),
            motor_force: 0.0,
            memory: Vec::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.joint.name
    }

    /// The definition, with everything that was left open filled in.
    pub fn definition(&self) -> &Joint {
        &self.joint
    }

    /// Force and torque of the last step, averaged over it, without limits
    /// and motors.
    pub fn reaction(&self) -> Reaction {
        self.reaction
    }

    /// Force \[N\] or torque \[N·m\] of the motor in the last step.
    pub fn motor_force(&self) -> f64 {
        self.motor_force
    }

    /// Angle about the axis \[rad\], counting turns (hinge, cylindrical).
    pub fn angle(&self) -> f64 {
        self.angle
    }

    pub(crate) fn remembered(&self, tag: u8) -> Option<&RowMemory> {
        self.memory.iter().find(|m| m.tag == tag)
    }
}
