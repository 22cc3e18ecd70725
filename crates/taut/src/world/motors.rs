//! Driving motors: what changes from step to step, without a new definition of the joint.

use super::World;
use crate::Error;
use crate::assemble::joint_bodies;
use crate::scene::joint::{Joint, JointKind, Motor};
use crate::slots::JointId;

impl World {
    /// The motor of a joint: of the angle of a hinge, of the travel of a slider or a
    /// cylindrical joint, of the sum of a tendon. Errors for joints that have neither.
    ///
    /// ```
    /// use taut::{Body, Frame, Joint, Motor, World};
    /// let mut world = World::new();
    /// let rotor = world.add_body(Body::dynamic("rotor").mass(1.0).box_inertia([1.0; 3]))?;
    /// let joint = Joint::hinge("axle", Frame::World, rotor).motor(Motor::velocity(0.0, 100.0));
    /// let axle = world.add_joint(joint)?;
    /// for _ in 0..10 {
    ///     let error = 2.0 - world.joint_position(axle)?;
    ///     world.motor(axle)?.set_target(5.0 * error)?;
    ///     world.step(0.02)?;
    /// }
    /// assert!((world.joint_velocity(axle)? - world.motor(axle)?.target()?).abs() < 1e-9);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn motor(&mut self, id: JointId) -> Result<MotorHandle<'_>, Error> {
        let joint = self.joint(id)?.definition();
        let on_angle = match joint.kind {
            JointKind::Hinge | JointKind::Tendon { .. } => true,
            JointKind::Slider | JointKind::Cylindrical => false,
            _ => return Err(no_coordinate(joint)),
        };
        Ok(MotorHandle { world: self, id, on_angle })
    }

    /// The motor of the angle of a hinge or a cylindrical joint.
    pub fn angle_motor(&mut self, id: JointId) -> Result<MotorHandle<'_>, Error> {
        let joint = self.joint(id)?.definition();
        match joint.kind {
            JointKind::Hinge | JointKind::Cylindrical => {
                Ok(MotorHandle { world: self, id, on_angle: true })
            }
            _ => Err(no_coordinate(joint)),
        }
    }
}

fn no_coordinate(joint: &Joint) -> Error {
    let kind = joint.kind.name();
    Error::joint(&joint.name, format!("a {kind} has no coordinate for this motor"))
}

/// The motor of a joint, to be read and set. A change wakes what the joint moves, and nothing
/// else; setting what it is already wakes nothing.
#[must_use = "a handle does nothing by itself"]
#[derive(Debug)]
pub struct MotorHandle<'w> {
    world: &'w mut World,
    id: JointId,
    on_angle: bool,
}

impl MotorHandle<'_> {
    fn joint(&self) -> Result<&Joint, Error> {
        Ok(self.world.joint(self.id)?.definition())
    }

    /// The motor, if there is one.
    pub fn get(&self) -> Result<Option<Motor>, Error> {
        let joint = self.joint()?;
        Ok(if self.on_angle { joint.angle_motor } else { joint.travel_motor })
    }

    /// What it aims at: a velocity, a position, or a force. Errors if there is no motor.
    pub fn target(&self) -> Result<f64, Error> {
        let joint = self.joint()?;
        let motor = self.get()?.ok_or_else(|| Error::joint(&joint.name, "it has no motor"))?;
        Ok(motor.target())
    }

    /// Aims at a velocity, a position, or a force, as the motor is one of those. Errors if there is
    /// no motor, or for a target that is not finite.
    pub fn set_target(&mut self, target: f64) -> Result<(), Error> {
        let joint = self.joint()?;
        let motor = self.get()?.ok_or_else(|| Error::joint(&joint.name, "it has no motor"))?;
        self.set(Some(motor.with_target(target)))
    }

    /// Replaces the motor, or removes it.
    pub fn set(&mut self, motor: impl Into<Option<Motor>>) -> Result<(), Error> {
        let motor = motor.into();
        if motor.is_some_and(|m| !m.is_valid()) {
            let name = &self.joint()?.name;
            let reason = "the motor's target must be finite, its force and gains at least 0";
            return Err(Error::joint(name, reason));
        }
        if self.get()? == motor {
            return Ok(());
        }
        let (joints, bodies) = (&mut self.world.joints, &mut self.world.bodies);
        if let Some(state) = joints.get_mut(self.id.index, self.id.generation) {
            let joint = &mut state.joint;
            *(if self.on_angle { &mut joint.angle_motor } else { &mut joint.travel_motor }) = motor;
        }
        let state = joints.get(self.id.index, self.id.generation);
        let moved = state.map_or(Default::default(), |s| joint_bodies(&s.joint, joints));
        for id in moved.into_iter().flatten() {
            if let Some(body) = bodies.get_mut(id.index, id.generation) {
                body.wake();
            }
        }
        Ok(())
    }
}
