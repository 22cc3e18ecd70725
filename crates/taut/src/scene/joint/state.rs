//! A joint in a world: its resolved definition and what the steps left.

use super::Joint;
use crate::lcp::RowState;
use crate::math::Vec3;
use crate::mean::Share;

/// Force and torque a joint exerts on b; a gets the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reaction {
    /// Force on b \[N\], world coordinates.
    pub force: Vec3,
    /// Torque on b about its anchor \[N·m\], world coordinates.
    pub torque: Vec3,
}

impl Reaction {
    /// Adds a force along what a unit of it does on b.
    pub(crate) fn add(&mut self, (linear, angular): (Vec3, Vec3), force: f64) {
        self.force += linear * force;
        self.torque += angular * force;
    }
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
    /// At the end of the last part of the step.
    pub(crate) reaction: Reaction,
    /// Force of the motor on its coordinate \[N or N·m\], in the last part of the step.
    pub(crate) motor_force: f64,
    /// Both, averaged over the step.
    pub(crate) mean: (Reaction, f64),
    pub(crate) memory: Vec<RowMemory>,
}

impl JointState {
    pub(crate) fn new(joint: Joint) -> Self {
        JointState {
            joint,
            angle: 0.0,
            reaction: Reaction::default(),
            motor_force: 0.0,
            mean: (Reaction::default(), 0.0),
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

    /// Force and torque of the last step, averaged over it: with limits, without motors and passive forces.
    pub fn reaction(&self) -> Reaction {
        self.mean.0
    }

    /// Force \[N\] or torque \[N·m\] of the motor in the last step, averaged over it.
    pub fn motor_force(&self) -> f64 {
        self.mean.1
    }

    /// Takes over the forces of a part of the step: its reaction at the end, and that which acted.
    pub(crate) fn take_forces(&mut self, reactions: [Reaction; 2], motor: f64, share: Share) {
        let [at_end, acted] = reactions;
        (self.reaction, self.motor_force) = (at_end, motor);
        let mean = &mut self.mean;
        mean.0.force = share.mean(mean.0.force, acted.force);
        mean.0.torque = share.mean(mean.0.torque, acted.torque);
        mean.1 = share.mean(mean.1, motor);
    }

    /// Angle about the axis \[rad\], counting turns (hinge, cylindrical).
    pub fn angle(&self) -> f64 {
        self.angle
    }

    pub(crate) fn remembered(&self, tag: u8) -> Option<&RowMemory> {
        self.memory.iter().find(|m| m.tag == tag)
    }
}
