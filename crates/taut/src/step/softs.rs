//! Soft bodies in a step: what may touch them, which islands they are of, and what answers make of them.

use crate::assemble::IslandSolver;
use crate::error::Error;
use crate::islands::Island;
use crate::math::{Pose, Vec3};
use crate::report::{Inverted, StepReport};
use crate::settings::Integrator;
use crate::shape::Geometry;
use crate::slots::Slots;
use crate::softs::{Attachment, Near, SoftBodyState, Touch};
use crate::world::World;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};

/// What a step changes of a soft body.
pub(super) struct SavedSoft {
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    attachments: Vec<Attachment>,
    touches: Vec<Touch>,
}

impl SavedSoft {
    pub(super) fn of(soft: &SoftBodyState) -> Self {
        SavedSoft {
            x: soft.x.clone(),
            v: soft.v.clone(),
            attachments: soft.attachments.clone(),
            touches: soft.touches.clone(),
        }
    }

    pub(super) fn restore(&self, soft: &mut SoftBodyState) {
        soft.place(&self.x, &self.v);
        soft.attachments.clone_from(&self.attachments);
        soft.touches.clone_from(&self.touches);
    }
}

impl World {
    /// Refuses settings that soft bodies do not go with.
    pub(super) fn check_softs(&self) -> Result<(), Error> {
        let midpoint = self.settings.integrator == Integrator::MoreauMidpoint;
        if midpoint && self.softs.iter().next().is_some() {
            let (value, expected) = (
                "moreau_midpoint".into(),
                "energy_momentum or semi_implicit_euler, where there are soft bodies",
            );
            return Err(Error::Value { name: "integrator", value, expected });
        }
        Ok(())
    }

    /// Finds what may touch soft bodies in a step of h.
    pub(super) fn find_near(&mut self, h: f64) {
        if self.softs.iter().next().is_none() {
            return;
        }
        let margin = self.settings.contact_margin + 2.0 * h * h * self.gravity.length();
        let mut near = std::mem::take(&mut self.work.near);
        near.resize_with(self.softs.slots(), Near::default);
        let boxes: Vec<Option<Aabb>> =
            (0..self.colliders.entries.len()).map(|index| self.swept_box(index, h)).collect();
        let own = |soft: &SoftBodyState| soft.aabb().loosened(margin + h * soft.speed());
        for ((slot, _), soft) in self.softs.iter() {
            let near = &mut near[slot as usize];
            near.colliders.clear();
            near.softs.clear();
            let aabb = own(soft);
            for (index, other) in boxes.iter().enumerate() {
                let Some(Some(collider)) = self.colliders.entries.get(index) else { continue };
                let meets = self
                    .reaches(index, &aabb, h)
                    .unwrap_or_else(|| other.as_ref().is_some_and(|other| other.intersects(&aabb)));
                let may =
                    collider.groups.interact(soft.body.groups) && !soft.is_attached(collider.body);
                if meets && may {
                    near.colliders.push(index as u32);
                }
            }
            for ((other, _), state) in self.softs.iter() {
                let may = state.body.groups.interact(soft.body.groups);
                if other != slot && may && own(state).intersects(&aabb) {
                    near.softs.push(other);
                }
            }
        }
        self.work.near = near;
    }

    /// Whether a half space, whose box is everything, reaches into a box; none for other shapes, and where it turns.
    fn reaches(&self, index: usize, aabb: &Aabb, h: f64) -> Option<bool> {
        let collider = self.colliders.entries.get(index)?.as_ref()?;
        let Geometry::HalfSpace(normal) = *collider.shape.geometry else { return None };
        let body = self.bodies.at(collider.body)?;
        let frame = Pose::from_parts(body.x, body.q) * collider.local_pose;
        let (v, w) = body.given(0.5 * h);
        let n = frame.rotation * normal;
        let (centre, half) = (0.5 * (aabb.mins + aabb.maxs), 0.5 * (aabb.maxs - aabb.mins));
        let lowest = n.dot(centre - frame.translation) - n.abs().dot(half);
        (w == Vec3::ZERO).then_some(lowest < h * v.length())
    }

    /// The box around a collider and its way in a step of h.
    fn swept_box(&self, index: usize, h: f64) -> Option<Aabb> {
        let collider = self.colliders.entries.get(index)?.as_ref()?;
        let body = self.bodies.at(collider.body)?;
        let pose = Pose::from_parts(body.x, body.q) * collider.local_pose * collider.shape.pose;
        let (v, w) = body.given(0.5 * h);
        let arm = collider.reach();
        let turn = if arm.is_finite() { arm * w.length() } else { 0.0 };
        Some(collider.shape.shape.compute_aabb(&pose).loosened(h * (v.length() + turn)))
    }

    /// Slots that soft bodies connect, those of soft bodies counting on from those of bodies.
    pub(super) fn soft_ties(&self) -> Vec<(u32, u32)> {
        let first = self.bodies.slots() as u32;
        let mut ties = Vec::new();
        for ((slot, _), soft) in self.softs.iter() {
            let own = first + slot;
            let Some(near) = self.work.near.get(slot as usize) else { continue };
            let bodies = near.colliders.iter().map(|&c| self.colliders.owner(c).0);
            ties.extend(bodies.map(|body| (body, own)));
            ties.extend(near.softs.iter().map(|&other| (own, first + other)));
            ties.extend(soft.attachments.iter().map(|a| (a.body.index, own)));
        }
        ties
    }

    /// Momentum and what is inside out.
    pub(super) fn measure_softs(&self, report: &mut StepReport) {
        for (_, soft) in self.softs.iter() {
            for ((x, v), m) in soft.x.iter().zip(&soft.v).zip(&soft.masses) {
                report.momentum += *v * *m;
                report.angular_momentum += x.cross(*v * *m);
            }
            let inverted = soft.inverted();
            if inverted > 0 {
                let none = || Inverted { samples: 0, body: soft.name().to_string() };
                report.inverted.get_or_insert_with(none).samples += inverted;
            }
            report.soft_contacts += soft.touches.len();
        }
    }
}

/// Moves the soft bodies of an island, and keeps the forces on them.
pub(super) fn take_answers(
    softs: &mut Slots<SoftBodyState>,
    solver: &IslandSolver,
    island: &Island,
    report: &mut StepReport,
) {
    let mut pulls = solver.soft.pulls.iter();
    for (&slot, (x, v)) in island.softs.iter().zip(&solver.soft.arrivals) {
        let Some(soft) = softs.at_mut(slot) else { continue };
        soft.place(x, v);
        soft.touches.clear();
        soft.touches.extend(solver.soft.touches.iter().filter(|t| t.own.soft == slot));
        for (a, pull) in soft.attachments.iter_mut().zip(&mut pulls) {
            a.force = *pull;
        }
    }
    if !island.softs.is_empty() {
        report.max_penetration = report.max_penetration.max(solver.soft.deepest);
    }
}
