//! Questions to a world: contacts with their forces, rays, shapes.

use super::World;
use crate::Error;
use crate::collide::{Collider, Groups, View};
use crate::contact::Contact;
use crate::math::{Pose, Vec3};
use crate::shape::Shape;
use crate::slots::BodyId;

/// Which bounds a contact point of the last step reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactState {
    /// No force: the normal row is at its bound, and so is friction.
    Open,
    /// Presses, friction within its bounds: every row is free.
    Sticking,
    /// Presses, friction at a bound (or there is none).
    Sliding,
}

/// A contact point of the last step. Forces act on b, the opposite on a.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactView {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// The point, midway between the surfaces; of a contact to come, on the
    /// surface of the body that can move.
    pub point: Vec3,
    /// Unit vector from a to b.
    pub normal: Vec3,
    /// Distance of the surfaces at the start of the step; negative inside.
    pub gap: f64,
    /// Normal force, averaged over the step \[N\].
    pub normal_force: f64,
    /// Friction force, averaged over the step \[N\].
    pub friction: Vec3,
    /// Torsional and rolling torque, averaged over the step \[N·m\].
    pub torque: Vec3,
    /// Velocity of b's surface against a's along the contact, after the step \[m/s\].
    pub slip: Vec3,
    /// Coefficient of friction μ of the pair.
    pub friction_coefficient: f64,
    /// Which bounds it reached, at the end of the step.
    pub state: ContactState,
}

impl ContactView {
    /// Force on b \[N\].
    pub fn force(&self) -> Vec3 {
        self.normal * self.normal_force + self.friction
    }
}

/// Where a ray or a moving shape meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayHit {
    /// The body.
    pub body: BodyId,
    /// Distance travelled \[m\].
    pub distance: f64,
    /// The point.
    pub point: Vec3,
    /// The body's surface normal there; zero if the ray starts inside.
    pub normal: Vec3,
}

impl World {
    /// All contact points of the last step, open ones included, in a fixed order; last those that only its earlier parts had, where
    /// it was done in several.
    ///
    /// ```
    /// use taut::{Body, Shape, World, math::Vec3};
    /// let mut world = World::new();
    /// world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
    /// let shape = Shape::Box { half_extents: Vec3::splat(0.5) };
    /// world.add_body(Body::dynamic("box").position(Vec3::Z * 0.5).shape(shape).mass(2.0))?;
    /// world.step(0.01)?;
    /// let weight: f64 = world.contacts().map(|c| c.normal_force).sum();
    /// assert!((weight - 2.0 * 9.81).abs() < 1e-6);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn contacts(&self) -> impl Iterator<Item = ContactView> {
        self.contacts.iter().chain(&self.gone).map(|c| self.view(c))
    }

    /// The contact points of one body.
    pub fn contacts_of(&self, id: BodyId) -> impl Iterator<Item = ContactView> {
        self.contacts().filter(move |c| c.a == id || c.b == id)
    }

    fn view(&self, c: &Contact) -> ContactView {
        let at = |slot: u32| self.bodies.at(slot).map_or(Vec3::ZERO, |b| b.velocity_at(c.point));
        let slip = at(c.b) - at(c.a) + c.belt;
        ContactView {
            a: self.id_of(c.a),
            b: self.id_of(c.b),
            point: c.point,
            normal: c.normal,
            gap: c.gap,
            normal_force: c.mean.normal_force,
            friction: c.mean.friction,
            torque: c.mean.torque,
            slip: slip - c.normal * c.normal.dot(slip),
            friction_coefficient: c.material.friction,
            state: state(c),
        }
    }

    /// The island of a body in the last step: bodies of equal number were
    /// solved together. `None` for what does not move by forces, and before
    /// the first step.
    pub fn island(&self, id: BodyId) -> Option<usize> {
        let number = *self.work.islands.island.get(id.index as usize)?;
        (self.body(id).is_ok() && number != crate::islands::NONE).then_some(number as usize)
    }

    /// The first body of the subsystem that the solver put a body in, in the
    /// last step that it had to solve: bodies with the same one were solved
    /// together. `None` where the solver does not split systems.
    ///
    /// ```
    /// use taut::lcp::SolverConfig;
    /// use taut::{Body, Frame, FrictionMode, Joint, World, math::Vec3};
    /// let mut world = World::new();
    /// world.settings_mut().solver = SolverConfig::named("schur_bpp")?;
    /// world.settings_mut().friction = FrictionMode::Box;
    /// let (mut last, mut links) = (Frame::World, Vec::new());
    /// for i in 0..40 {
    ///     let link = Body::dynamic(format!("link{i}")).mass(1.0).box_inertia([0.1; 3]);
    ///     let link = world.add_body(link.position(Vec3::new(0.2 * f64::from(i), 0.0, 0.0)))?;
    ///     let joint = Joint::ball(format!("joint{i}"), last, link);
    ///     world.add_joint(joint.anchor_b(Vec3::new(-0.1, 0.0, 0.0)))?;
    ///     last = link.into();
    ///     links.push(link);
    /// }
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.subsystem(links[0]), Some(links[0]));
    /// let end = world.subsystem(links[39]);
    /// assert!(end.is_some() && end != Some(links[0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn subsystem(&self, id: BodyId) -> Option<BodyId> {
        let first = *self.work.subsystems.get(id.index as usize)?;
        (self.body(id).is_ok() && first != crate::islands::NONE).then(|| self.id_of(first))
    }

    pub(crate) fn id_of(&self, slot: u32) -> BodyId {
        BodyId { index: slot, generation: self.bodies.generation(slot) }
    }

    fn owner(&self, collider: u32) -> BodyId {
        self.id_of(self.colliders.owner(collider).0)
    }

    /// Colliders where their bodies are now.
    fn places(&self) -> View<'_, impl Fn(u32, &Collider) -> Pose> {
        let pose = |slot: u32| {
            let body = self.bodies.at(slot);
            body.map_or(Pose::IDENTITY, |b| Pose::from_parts(b.x, b.q))
        };
        let pose_of = move |_: u32, c: &Collider| pose(c.body) * c.local_pose;
        View { colliders: &self.colliders.entries, pose_of }
    }

    /// The first body a ray meets within `max_distance` \[m\], as bodies are
    /// now. Only colliders that interact with `groups` are seen.
    pub fn ray_cast(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        groups: Groups,
    ) -> Option<RayHit> {
        let hit = self.places().ray_cast(origin, direction, max_distance, groups)?;
        Some(RayHit {
            body: self.owner(hit.collider),
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
        })
    }

    /// How far the first body other than one's own is along a ray \[m\].
    pub(crate) fn distance_ahead(
        &self,
        own: BodyId,
        from: Vec3,
        along: Vec3,
        max: f64,
    ) -> Option<f64> {
        let ray = parry3d_f64::query::Ray::new(from, along.try_normalize()?);
        let hit = self.places().ray_cast_past(Some(own.index), ray, max, Groups::default())?;
        Some(hit.distance)
    }

    /// The first body that `shape` meets on its straight way from `pose`, as
    /// bodies are now.
    pub fn shape_cast(
        &self,
        shape: &Shape,
        pose: Pose,
        direction: Vec3,
        max_distance: f64,
    ) -> Result<Option<RayHit>, Error> {
        let hit = self.places().shape_cast(shape, pose, direction, max_distance);
        let hit = hit.map_err(|e| Error::body("(shape cast)", e.to_string()))?;
        Ok(hit.map(|hit| RayHit {
            body: self.owner(hit.collider),
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
        }))
    }

    /// The bodies that overlap `shape` at `pose`, as bodies are now.
    pub fn overlaps(&self, shape: &Shape, pose: Pose) -> Result<Vec<BodyId>, Error> {
        let hits = self.places().intersections(shape, pose);
        let hits = hits.map_err(|e| Error::body("(overlap)", e.to_string()))?;
        let mut bodies: Vec<_> = hits.into_iter().map(|i| self.owner(i)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        Ok(bodies)
    }
}

fn state(c: &Contact) -> ContactState {
    if c.normal_force <= 0.0 {
        return ContactState::Open;
    }
    let share = |force: f64, mu: f64| if mu > 0.0 { force / mu } else { 0.0 };
    let [t1, t2] = c.tangents.map(|t| c.friction.dot(t));
    let slip = share(t1, c.grip.mu[0]).hypot(share(t2, c.grip.mu[1]));
    let spin = share(c.torque.dot(c.normal), c.material.torsional_friction);
    let smooth = c.grip.most() == 0.0;
    let slides = smooth || slip.hypot(spin) >= (1.0 - 1e-6) * c.normal_force;
    if slides { ContactState::Sliding } else { ContactState::Sticking }
}
