//! The table of all colliders, as contact generation sees it. Indices stay
//! with their collider, so that contacts are recognized.

use crate::collide::Collider as Placed;
use crate::collide::meshes::thickness_of;
use crate::math::Pose;
use crate::scene::{BodyState, Material};

/// Colliders by index; removed ones leave a gap that is used again.
#[derive(Default)]
pub(crate) struct ColliderTable {
    pub(crate) entries: Vec<Option<Placed>>,
    pub(crate) materials: Vec<Material>,
    free: Vec<u32>,
    /// Indices of each body's colliders, by slot.
    pub(crate) of_body: Vec<Vec<u32>>,
}

impl ColliderTable {
    /// Enters the colliders of a body, keeping the indices it had.
    pub(crate) fn set(&mut self, slot: u32, body: &BodyState) {
        let s = slot as usize;
        if self.of_body.len() <= s {
            self.of_body.resize(s + 1, Vec::new());
        }
        while self.of_body[s].len() > body.built.len() {
            self.pop(s);
        }
        while self.of_body[s].len() < body.built.len() {
            let index = self.free.pop().unwrap_or(self.entries.len() as u32);
            if index as usize == self.entries.len() {
                self.entries.push(None);
                self.materials.push(Material::default());
            }
            self.of_body[s].push(index);
        }
        for (k, &index) in self.of_body[s].iter().enumerate() {
            let collider = &body.body.colliders[k];
            let to_centre = Pose::from_translation(-body.centre);
            self.materials[index as usize] = body.body.material_of(collider);
            self.entries[index as usize] = Some(Placed {
                body: slot,
                shape: body.built[k].clone(),
                local_pose: to_centre * collider.pose,
                groups: body.body.groups_of(collider),
            });
        }
    }

    fn pop(&mut self, slot: usize) {
        if let Some(index) = self.of_body[slot].pop() {
            self.entries[index as usize] = None;
            self.free.push(index);
        }
    }

    /// Removes the colliders of a body.
    pub(crate) fn remove(&mut self, slot: u32) {
        if let Some(list) = self.of_body.get(slot as usize) {
            for _ in 0..list.len() {
                self.pop(slot as usize);
            }
        }
    }

    /// Body slot and material of a collider.
    pub(crate) fn owner(&self, index: u32) -> (u32, Material) {
        let body = self.entries[index as usize].as_ref().map_or(u32::MAX, |c| c.body);
        (body, self.materials[index as usize])
    }

    /// The thickness of two solids that meet as meshes.
    pub(crate) fn thickness(&self, (i, j): (u32, u32)) -> Option<f64> {
        let of = |i: u32| self.entries.get(i as usize)?.as_ref();
        thickness_of(&of(i)?.shape.geometry, &of(j)?.shape.geometry)
    }

    /// Indices by slot and the free list: what a snapshot needs.
    pub(crate) fn parts(&self) -> (&[Vec<u32>], &[u32], usize) {
        (&self.of_body, &self.free, self.entries.len())
    }

    pub(crate) fn from_parts(of_body: Vec<Vec<u32>>, free: Vec<u32>, len: usize) -> Self {
        let entries = (0..len).map(|_| None).collect();
        ColliderTable { entries, materials: vec![Material::default(); len], free, of_body }
    }
}
