//! Adding, finding, changing and removing bodies.

use super::World;
use crate::Error;
use crate::math::{Pose, Vec3};
use crate::scene::{Anisotropy, Body, BodyKind, BodyState, Material, Path, Start, Texture};
use crate::slots::{BodyId, SurfaceId, TextureId};

const WHAT: &str = "body";

impl World {
    /// Adds a body. Refuses names that are taken, shapes without size, masses
    /// that are not positive, values that are not finite.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, Error> {
        if body.name == "world" {
            return Err(Error::body("world", "this name means the world itself"));
        }
        if self.body_names.contains_key(&body.name) {
            return Err(Error::DuplicateName { name: body.name, what: WHAT });
        }
        self.check_textures(&body)?;
        let state = BodyState::new(body)?;
        let name = state.name().to_string();
        let id = BodyId::of_slot(self.bodies.insert(state));
        if let Some(state) = self.bodies.at(id.index) {
            self.colliders.set(id.index, state);
        }
        self.body_names.insert(name, id);
        Ok(id)
    }

    /// Adds a texture of directions and coefficients of friction, for
    /// [`Anisotropy::Texture`](crate::Anisotropy::Texture).
    pub fn add_texture(&mut self, texture: Texture) -> Result<TextureId, Error> {
        texture.check()?;
        self.textures.push(texture);
        Ok(TextureId::of_slot((self.textures.len() as u32 - 1, self.bodies.world())))
    }

    /// The surface of this name, for [`Material::surface`]; a new one if there is none.
    pub fn surface(&mut self, name: &str) -> SurfaceId {
        self.pairs.surface(name, self.bodies.world())
    }

    /// What two surfaces have together, in place of what their materials make of it
    /// ([`Material::with`]). Directions of its anisotropy are those of bodies of the first; its
    /// coefficients hold as they stand.
    ///
    /// ```
    /// use taut::{Material, World};
    /// let mut world = World::new();
    /// let (steel, ice) = (world.surface("steel"), world.surface("ice"));
    /// let runner = Material { friction: 0.6, surface: Some(steel), ..Material::default() };
    /// let rink = Material { friction: 0.3, surface: Some(ice), ..Material::default() };
    /// world.set_pair(steel, ice, Material { friction: 0.02, ..Material::default() })?;
    /// # let _ = (runner, rink);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn set_pair(&mut self, a: SurfaceId, b: SurfaceId, pair: Material) -> Result<(), Error> {
        if ![a, b].into_iter().all(|id| self.has_surface(id)) {
            return Err(Error::UnknownId { what: "surface" });
        }
        pair.check()?;
        if !self.has_texture(&pair) {
            return Err(Error::UnknownId { what: "texture" });
        }
        self.pairs.set(a, b, pair);
        Ok(())
    }

    fn has_texture(&self, material: &Material) -> bool {
        match material.anisotropy {
            Some(Anisotropy::Texture { id }) => {
                id.generation == self.bodies.world() && id.index() < self.textures.len()
            }
            _ => true,
        }
    }

    pub(crate) fn has_surface(&self, id: SurfaceId) -> bool {
        id.generation == self.bodies.world() && id.index() < self.pairs.names.len()
    }

    /// Whether textures and surfaces of a body are of this world.
    fn check_textures(&self, body: &Body) -> Result<(), Error> {
        for collider in &body.colliders {
            let material = body.material_of(collider);
            if !self.has_texture(&material) {
                return Err(Error::body(&body.name, "its texture is not one of this world"));
            }
            if material.surface.is_some_and(|id| !self.has_surface(id)) {
                return Err(Error::body(&body.name, "its surface is not one of this world"));
            }
        }
        Ok(())
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> Result<&BodyState, Error> {
        self.bodies.get(id.index, id.generation).ok_or(Error::UnknownId { what: WHAT })
    }

    pub(crate) fn body_mut(&mut self, id: BodyId) -> Result<&mut BodyState, Error> {
        self.bodies.get_mut(id.index, id.generation).ok_or(Error::UnknownId { what: WHAT })
    }

    /// The body of that name.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.body_names.get(name).copied()
    }

    /// All bodies, in a fixed order.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &BodyState)> {
        self.bodies.iter().map(|(id, b)| (BodyId::of_slot(id), b))
    }

    /// Removes a body with its cables and joints (and the gears on those).
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), Error> {
        self.body(id)?;
        let attached = |j: &crate::Joint| [j.a.body(), j.b.body()].contains(&Some(id));
        let joints: Vec<_> =
            self.joints().filter(|(_, j)| attached(j.definition())).map(|(id, _)| id).collect();
        for joint in joints {
            self.remove_joint(joint)?;
        }
        let through = |c: &crate::CableState| c.slots().any(|slot| slot == id.index);
        let cables: Vec<_> = self.cables().filter(|(_, c)| through(c)).map(|(id, _)| id).collect();
        for cable in cables {
            self.remove_cable(cable)?;
        }
        if let Some(state) = self.bodies.remove(id.index, id.generation) {
            self.body_names.remove(state.name());
        }
        self.colliders.remove(id.index);
        self.detach_all(id);
        self.contacts.retain(|c| c.a != id.index && c.b != id.index);
        self.gone.retain(|c| c.a != id.index && c.b != id.index);
        self.ignored.retain(|pair| pair.0 != id && pair.1 != id);
        self.list_jointed();
        self.wake_all();
        Ok(())
    }

    /// Changes a body's definition: mass, shapes, materials, kind, pose,
    /// anything. `change` sees the body as it is now. Joints stay, and so do
    /// the warm starts of what did not change. Also frees a body from
    /// quarantine.
    ///
    /// ```
    /// # use taut::{Body, Shape, World};
    /// # let mut world = World::new();
    /// # let ball = world.add_body(Body::dynamic("b").shape(Shape::Ball { radius: 0.1 }))?;
    /// world.edit_body(ball, |body| body.mass = Some(3.0))?;
    /// assert_eq!(world.body(ball)?.mass(), 3.0);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn edit_body(&mut self, id: BodyId, change: impl FnOnce(&mut Body)) -> Result<(), Error> {
        let old = self.body(id)?;
        let (force, torque) = (old.force, old.torque);
        let old_name = old.name().to_string();
        let mut body = old.definition();
        change(&mut body);
        if body.name != old_name && self.body_names.contains_key(&body.name) {
            return Err(Error::DuplicateName { name: body.name, what: WHAT });
        }
        self.check_textures(&body)?;
        let mut state = BodyState::new(body)?;
        (state.force, state.torque) = (force, torque);
        self.colliders.set(id.index, &state);
        self.body_names.remove(&old_name);
        self.body_names.insert(state.name().to_string(), id);
        *self.body_mut(id)? = state;
        self.wake_all();
        Ok(())
    }

    /// Puts a body somewhere else; its velocity stays.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), Error> {
        let body = self.body_mut(id)?;
        check_pose(body, &pose)?;
        body.path = Path::Free;
        body.q = pose.rotation.normalize();
        body.x = pose.translation + body.q * body.centre;
        body.placed = Start::Placed;
        self.wake_all();
        Ok(())
    }

    /// Sets velocity \[m/s\] and angular velocity \[rad/s\].
    pub fn set_velocity(&mut self, id: BodyId, linear: Vec3, angular: Vec3) -> Result<(), Error> {
        let body = self.body_mut(id)?;
        if !(linear.is_finite() && angular.is_finite()) {
            return Err(Error::body(body.name(), "velocity is not finite"));
        }
        if body.kind() == BodyKind::Fixed {
            return Err(Error::body(body.name(), "a fixed body has no velocity"));
        }
        if (body.v, body.w) != (linear, angular) || body.path != Path::Free {
            (body.v, body.w) = (linear, angular);
            body.path = Path::Free;
            self.wake_around(id);
        }
        Ok(())
    }

    /// Has a kinematic body be at this pose at the end of the next step, and move there with the
    /// velocity that this takes. Without another target it stands still in the step after.
    ///
    /// A path is a target before every step. Its velocity is then taken to change evenly from step
    /// to step, so that what is carried or pulled along feels the right forces.
    ///
    /// ```
    /// use taut::{Body, Shape, World, math::{Pose, Vec3}};
    /// let mut world = World::new();
    /// let plate = Shape::Box { half_extents: Vec3::new(1.0, 1.0, 0.1) };
    /// let lift = world.add_body(Body::kinematic("lift").shape(plate))?;
    /// for i in 1..=10 {
    ///     world.move_to(lift, Pose::from_translation(Vec3::Z * 0.01 * f64::from(i)))?;
    ///     world.step(0.02)?;
    /// }
    /// assert_eq!(world.body(lift)?.position().z, 0.1);
    /// assert!((world.body(lift)?.velocity().z - 0.5).abs() < 1e-12);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn move_to(&mut self, id: BodyId, pose: Pose) -> Result<(), Error> {
        let body = self.body_mut(id)?;
        check_pose(body, &pose)?;
        check_kinematic(body)?;
        body.aim(pose);
        self.wake_around(id);
        Ok(())
    }

    /// Moves a kinematic body through the next step with a mean velocity and a constant
    /// acceleration, each linear and angular \[m/s, rad/s, m/s², rad/s²\], for those who know how the
    /// velocity changes; [`World::move_to`] finds it out from the targets. It stands still in the
    /// step after.
    pub fn move_with(
        &mut self,
        id: BodyId,
        velocity: [Vec3; 2],
        acceleration: [Vec3; 2],
    ) -> Result<(), Error> {
        let body = self.body_mut(id)?;
        if !velocity.iter().chain(&acceleration).all(|v| v.is_finite()) {
            return Err(Error::body(body.name(), "velocity or acceleration is not finite"));
        }
        check_kinematic(body)?;
        let before = body.way();
        let (mean, acceleration) = (velocity.into(), acceleration.into());
        body.path = Path::Ramp { mean, acceleration };
        if mean != before {
            self.wake_around(id);
        }
        Ok(())
    }

    /// Lets the surface of a body run, in the body's frame \[m/s\]; see
    /// [`Body::surface_velocity()`].
    pub fn set_surface_velocity(&mut self, id: BodyId, velocity: Vec3) -> Result<(), Error> {
        let body = self.body_mut(id)?;
        if !velocity.is_finite() {
            return Err(Error::body(body.name(), "surface velocity is not finite"));
        }
        if body.body.surface_velocity != velocity {
            body.body.surface_velocity = velocity;
            self.wake_around(id);
        }
        Ok(())
    }

    /// Whether two bodies collide, as far as groups and joints let them. Default true.
    ///
    /// ```
    /// use taut::{Body, Shape, World};
    /// let mut world = World::new();
    /// let ball = |name: &str| Body::dynamic(name).shape(Shape::Ball { radius: 0.5 });
    /// let (a, b) = (world.add_body(ball("a"))?, world.add_body(ball("b"))?);
    /// world.set_collides(a, b, false)?;
    /// world.step(0.01)?;
    /// assert_eq!(world.contacts().count(), 0);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn set_collides(&mut self, a: BodyId, b: BodyId, collides: bool) -> Result<(), Error> {
        self.body(a)?;
        self.body(b)?;
        let pair = (a.min(b), a.max(b));
        match (self.ignored.binary_search(&pair), collides) {
            (Ok(i), true) => _ = self.ignored.remove(i),
            (Err(i), false) if a != b => self.ignored.insert(i, pair),
            _ => return Ok(()),
        }
        self.list_jointed();
        self.body_mut(a)?.placed = Start::Placed;
        self.wake_around(a);
        self.wake_around(b);
        Ok(())
    }
}

fn check_kinematic(body: &BodyState) -> Result<(), Error> {
    if body.kind() == BodyKind::Kinematic {
        return Ok(());
    }
    let reason = "only a kinematic body goes where it is told; set_pose puts any body somewhere";
    Err(Error::body(body.name(), reason))
}

fn check_pose(body: &BodyState, pose: &Pose) -> Result<(), Error> {
    let unit = (pose.rotation.length() - 1.0).abs() < 1e-6;
    if pose.is_finite() && unit {
        return Ok(());
    }
    Err(Error::body(body.name(), "pose is not finite or not of unit length"))
}
