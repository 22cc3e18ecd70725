//! Contacts of the step at hand: pairs that are near, or will be, with the forces that they had.

use crate::collide::Motion;
use crate::contact;
use crate::math::{Pose, Quat, Vec3};
use crate::scene::BodyState;
use crate::world::World;

impl World {
    /// Replaces the contacts by those of the step at hand.
    pub(super) fn collide(&mut self, h: f64) {
        let work = &mut self.work;
        work.motions.clear();
        let nowhere = Motion::nowhere();
        let motion = |body: &BodyState| {
            let (velocity, angular_velocity) = body.given(0.5 * h);
            let pose = Pose::from_parts(body.x, body.q);
            Motion { pose, velocity, angular_velocity, is_static: !body.is_dynamic() }
        };
        let slots = 0..self.bodies.slots() as u32;
        work.motions.extend(slots.map(|i| self.bodies.at(i).map_or(nowhere, motion)));
        let (jointed, all) = (&self.jointed, &self.bodies);
        let some_done = all.iter().any(|(_, b)| b.done.is_some());
        let done = |slot: u32| some_done && all.at(slot).is_some_and(|b| b.done.is_some());
        let filter = |a: u32, b: u32| {
            jointed.binary_search(&(a.min(b), a.max(b))).is_err() && !done(a) && !done(b)
        };
        // Gravity may close a gap within the step too.
        let margin = self.settings.contact_margin + 2.0 * h * h * self.gravity.length();
        let table = &self.colliders;
        work.pipeline.update(&table.entries, &work.motions, h, margin, filter, &mut work.manifolds);
        let owner = |c: u32| table.owner(c);
        let moves = |slot: u32| !work.motions.get(slot as usize).is_none_or(|m| m.is_static);
        let (old, new) = (&self.contacts, &mut work.old_contacts);
        let bodies = &self.bodies;
        let frame = |slot: u32| {
            let of = |b: &BodyState| (b.x - b.q * b.centre, b.q);
            bodies.at(slot).map_or((Vec3::ZERO, Quat::IDENTITY), of)
        };
        contact::gather(
            &work.manifolds,
            owner,
            frame,
            (&self.textures, &self.pairs),
            moves,
            old,
            new,
        );
        let surface = |slot: u32| all.at(slot).map_or(Vec3::ZERO, |b| b.surface_velocity());
        if all.iter().any(|(_, b)| b.body.surface_velocity != Vec3::ZERO) {
            for c in new.iter_mut() {
                c.belt = surface(c.b) - surface(c.a);
            }
        }
        // What has arrived keeps its contacts.
        if some_done {
            new.extend(old.iter().filter(|c| done(c.a) || done(c.b)));
            new.sort_unstable_by_key(|c| c.key);
        }
        let before = self.time - work.start;
        if before > 0.0 {
            let acted = old.iter().filter(|c| c.mean.normal_force > 0.0);
            let ended = acted.filter(|c| new.binary_search_by_key(&c.key, |n| n.key).is_err());
            self.gone.extend(ended.map(|c| c.gone(before)));
        }
        std::mem::swap(&mut self.contacts, &mut work.old_contacts);
        self.find_inside();
    }

    /// Whether neither a joint nor the user keeps two slots from colliding, and both go on.
    pub(super) fn may_collide(&self, a: u32, b: u32) -> bool {
        let is_free = self.jointed.binary_search(&(a.min(b), a.max(b))).is_err();
        is_free && !self.is_done(a) && !self.is_done(b)
    }
}
