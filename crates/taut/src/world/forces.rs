//! User forces and impulses.

use super::World;
use crate::Error;
use crate::math::Vec3;
use crate::scene::BodyState;
use crate::slots::BodyId;

impl World {
    /// The body on which a force, torque or impulse acts, and perhaps at which point; one that does nothing does not
    /// wake it.
    fn pushed(&mut self, id: BodyId, values: &[Vec3]) -> Result<&mut BodyState, Error> {
        let body = self.body_mut(id)?;
        if values.iter().any(|v| !v.is_finite()) {
            return Err(Error::body(body.name(), "force, torque or point is not finite"));
        }
        if values[0] != Vec3::ZERO {
            body.wake();
        }
        Ok(body)
    }

    /// Adds a force \[N\] at the centre of mass, for the next step.
    pub fn apply_force(&mut self, id: BodyId, force: Vec3) -> Result<(), Error> {
        self.pushed(id, &[force])?.force += force;
        Ok(())
    }

    /// Adds a force \[N\] at a point in world coordinates, for the next step.
    pub fn apply_force_at(&mut self, id: BodyId, force: Vec3, point: Vec3) -> Result<(), Error> {
        let body = self.pushed(id, &[force, point])?;
        body.force += force;
        body.torque += (point - body.x).cross(force);
        Ok(())
    }

    /// Adds a torque \[N·m\] in world coordinates, for the next step.
    pub fn apply_torque(&mut self, id: BodyId, torque: Vec3) -> Result<(), Error> {
        self.pushed(id, &[torque])?.torque += torque;
        Ok(())
    }

    /// Changes the velocities at once by an impulse \[N·s\] at a point in
    /// world coordinates. Without effect on bodies that forces do not move.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, point: Vec3) -> Result<(), Error> {
        let body = self.pushed(id, &[impulse, point])?;
        if body.is_dynamic() {
            body.v += impulse / body.mass;
            body.w += body.inverse_inertia_at(body.q) * (point - body.x).cross(impulse);
        }
        Ok(())
    }

    /// Changes the angular velocity at once by an impulse \[N·m·s\].
    pub fn apply_angular_impulse(&mut self, id: BodyId, impulse: Vec3) -> Result<(), Error> {
        let body = self.pushed(id, &[impulse])?;
        if body.is_dynamic() {
            body.w += body.inverse_inertia_at(body.q) * impulse;
        }
        Ok(())
    }
}
