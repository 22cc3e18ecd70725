//! Adding, finding and removing soft bodies, and fixing their nodes to bodies.

use super::World;
use crate::Error;
use crate::math::Vec3;
use crate::slots::{BodyId, SoftBodyId};
use crate::softs::{Attachment, Other, SoftBody, SoftBodyState, Touch, tangents};

const WHAT: &str = "soft body";

/// A contact point of a soft body in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoftContact {
    /// The soft body.
    pub soft: SoftBodyId,
    /// The body that it touches, if it is a rigid one.
    pub body: Option<BodyId>,
    /// The soft body that it touches, if it is one; perhaps the same.
    pub other: Option<SoftBodyId>,
    /// Where it is on the soft body, after the step \[m\].
    pub point: Vec3,
    /// Unit vector to the soft body.
    pub normal: Vec3,
    /// Force on the soft body along it \[N\].
    pub normal_force: f64,
    /// Friction on the soft body \[N\].
    pub friction: Vec3,
    /// Coefficient of friction.
    pub friction_coefficient: f64,
}

impl World {
    /// Adds a soft body. Refuses names that are taken, materials without stiffness or with ν = 0.5, nodes that do not exist.
    pub fn add_soft_body(&mut self, body: SoftBody) -> Result<SoftBodyId, Error> {
        if self.soft_names.contains_key(&body.name) {
            return Err(Error::DuplicateName { name: body.name, what: WHAT });
        }
        if body.material.surface.is_some_and(|id| !self.has_surface(id)) {
            return Err(Error::soft(&body.name, "its surface is not one of this world"));
        }
        let state = SoftBodyState::new(body)?;
        let name = state.name().to_string();
        let id = SoftBodyId::of_slot(self.softs.insert(state));
        self.soft_names.insert(name, id);
        self.wake_all();
        Ok(id)
    }

    /// A soft body.
    pub fn soft_body(&self, id: SoftBodyId) -> Result<&SoftBodyState, Error> {
        self.softs.get(id.index, id.generation).ok_or(Error::UnknownId { what: WHAT })
    }

    /// The soft body of that name.
    pub fn soft_body_named(&self, name: &str) -> Option<SoftBodyId> {
        self.soft_names.get(name).copied()
    }

    /// All soft bodies, in a fixed order.
    pub fn soft_bodies(&self) -> impl Iterator<Item = (SoftBodyId, &SoftBodyState)> {
        self.softs.iter().map(|(id, s)| (SoftBodyId::of_slot(id), s))
    }

    /// Removes a soft body.
    pub fn remove_soft_body(&mut self, id: SoftBodyId) -> Result<(), Error> {
        let state = self.softs.remove(id.index, id.generation);
        let state = state.ok_or(Error::UnknownId { what: WHAT })?;
        self.soft_names.remove(state.name());
        self.work.near.clear();
        self.wake_all();
        Ok(())
    }

    /// Fixes nodes of a soft body to where they are on a body, which it then does not collide with.
    ///
    /// ```
    /// use taut::soft::Mesh;
    /// use taut::{Body, Shape, SoftBody, World, math::Vec3};
    /// let mut world = World::new();
    /// let rod = SoftBody::new("rod", Mesh::beam(0.5, [0.05; 2], 4)?);
    /// let end = rod.nodes_where(|x| x.x > 0.499);
    /// let rod = rod.pin_where(|x| x.x < 0.001);
    /// let rod = world.add_soft_body(rod)?;
    /// let bob = Body::dynamic("bob").position(Vec3::new(0.55, 0.025, 0.025));
    /// let bob = world.add_body(bob.shape(Shape::Box { half_extents: Vec3::splat(0.05) }))?;
    /// world.attach(rod, end, bob)?;
    /// for _ in 0..30 {
    ///     assert!(world.step(1.0 / 60.0)?.converged());
    /// }
    /// // It hangs on the rod; without, it would have fallen by 1.2 m.
    /// assert!(world.body(bob)?.position().z > -0.6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach(
        &mut self,
        soft: SoftBodyId,
        nodes: impl IntoIterator<Item = usize>,
        body: BodyId,
    ) -> Result<(), Error> {
        let to = self.body(body)?;
        let (x, q) = (to.x, to.q);
        let state = self.softs.get_mut(soft.index, soft.generation);
        let state = state.ok_or(Error::UnknownId { what: WHAT })?;
        let mut new = Vec::new();
        for node in nodes {
            let wrong = |reason: String| Err(Error::soft(&state.body.name, reason));
            let Some(&at) = state.x.get(node) else {
                return wrong(format!("there is no node {node}: it has {}", state.x.len()));
            };
            let taken =
                state.attachments.iter().chain(&new).any(|a: &Attachment| a.node as usize == node);
            if taken {
                return wrong(format!("node {node} is attached to a body already"));
            }
            if state.is_pinned(node) {
                return wrong(format!(
                    "node {node} is pinned, and cannot be attached to a body as well"
                ));
            }
            let local = q.conjugate() * (at - x);
            new.push(Attachment { node: node as u32, body, local, force: Vec3::ZERO });
        }
        state.attachments.extend(new);
        self.wake_all();
        Ok(())
    }

    /// Contact points of soft bodies in the last step, open ones included, in a fixed order.
    pub fn soft_contacts(&self) -> impl Iterator<Item = SoftContact> {
        self.softs.iter().flat_map(move |(id, soft)| {
            soft.touches.iter().map(move |t| self.soft_view(SoftBodyId::of_slot(id), soft, t))
        })
    }

    fn soft_view(&self, soft: SoftBodyId, state: &SoftBodyState, t: &Touch) -> SoftContact {
        let [t1, t2] = tangents(t.normal);
        let (body, other) = match t.other {
            Other::Body { slot, .. } => (Some(self.id_of(slot)), None),
            Other::Soft(patch) => {
                let generation = self.softs.generation(patch.soft);
                (None, Some(SoftBodyId { index: patch.soft, generation }))
            }
        };
        SoftContact {
            soft,
            body,
            other,
            point: t.own.mean(&state.x),
            normal: t.normal,
            normal_force: t.force[0],
            friction: t1 * t.force[1] + t2 * t.force[2],
            friction_coefficient: t.friction,
        }
    }

    /// Lets go of a body that is removed.
    pub(super) fn detach_all(&mut self, id: BodyId) {
        for (_, soft) in self.softs.iter_mut() {
            soft.attachments.retain(|a| a.body != id);
            let on = |t: &Touch| matches!(t.other, Other::Body { slot, .. } if slot == id.index);
            soft.touches.retain(|t| !on(t));
        }
        self.work.near.clear();
    }
}
