//! Robots that start with their feet in the ground: lifted out of it.
//!
//! MuJoCo's soft contacts push them out; rigid ones would do that at once, with energy that comes from nowhere.

use crate::error::Notes;
use crate::machine::Machine;
use taut::StartWarning;
use taut::math::{Quat, Vec3};
use taut_scenes::file::{Body, Kind, SceneFile, Shape};

/// How deep neighbours have to be inside one another at the start \[m\].
const DEEP: f64 = 1e-3;

impl Machine {
    /// Moves links that are free out of the planes that something on them starts in, with a note; returns whether it did.
    pub(crate) fn lift(&mut self, scene: &SceneFile, notes: &mut Notes) -> bool {
        if !self.links.iter().any(|l| l.free) || scene.bodies.iter().all(|b| plane(b).is_none()) {
            return false;
        }
        let Ok(built) = scene.build() else { return false };
        let mut lifts: Vec<(usize, Vec3)> = Vec::new();
        for warning in built.world.start_warnings() {
            let StartWarning::Overlap { a, b, depth } = warning else { continue };
            let normal = |name: &str| scene.bodies.iter().find(|o| o.name == name).and_then(plane);
            let (other, normal) = match (normal(&a), normal(&b)) {
                (Some(n), None) => (b, n),
                (None, Some(n)) => (a, n),
                _ => continue,
            };
            let Some(root) = self.free_root(&other) else { continue };
            match lifts.iter_mut().find(|(r, _)| *r == root) {
                Some((_, known)) if known.length() < depth => *known = normal * depth,
                Some(_) => {}
                None => lifts.push((root, normal * depth)),
            }
        }
        for &(root, by) in &lifts {
            let link = &mut self.links[root];
            link.pose.translation += by;
            let far = 1e3 * by.length();
            notes.add(
                &link.place,
                format!("'{}' starts {far:.1} mm higher: it was in the ground", link.name),
            );
        }
        !lifts.is_empty()
    }

    /// Links that start inside the fixed ones they hang on do not collide with them, for the joint between them holds them there;
    /// with a note. Returns whether there are some.
    pub(crate) fn part_neighbours(&mut self, scene: &SceneFile, notes: &mut Notes) -> bool {
        let near = |k: usize| self.fixed_neighbour(k).is_some();
        if self.meets_parent || !(0..self.links.len()).any(near) {
            return false;
        }
        let Ok(built) = scene.build() else { return false };
        let before = self.excludes.len();
        for warning in built.world.start_warnings() {
            let StartWarning::Overlap { a, b, depth } = warning else { continue };
            let link = |name: &str| self.links.iter().position(|l| l.name == name);
            let (Some(i), Some(k)) = (link(&a), link(&b)) else { continue };
            let joined = self.fixed_neighbour(i) == Some(k) || self.fixed_neighbour(k) == Some(i);
            if depth > DEEP && joined {
                self.excludes.push([i, k]);
                let far = 1e3 * depth;
                let message = format!(
                    "'{a}' and '{b}' start {far:.1} mm inside one another, where a joint holds them: they do not collide"
                );
                notes.add(&self.links[i].place, message);
            }
        }
        self.excludes.len() > before
    }

    /// The link with shapes that a link hangs on by its joint, if that does not move; not the world itself.
    fn fixed_neighbour(&self, k: usize) -> Option<usize> {
        let link = &self.links[k];
        let above = link.parent.filter(|_| !link.motions.is_empty())?;
        let mut next = Some(above);
        while let Some(i) = next {
            if self.links[i].free || !self.links[i].motions.is_empty() {
                return None;
            }
            next = self.links[i].parent;
        }
        let shaped = self.links[above].parent.is_some() && !self.links[above].colliders.is_empty();
        shaped.then_some(above)
    }

    /// The free link that the body of that name hangs on.
    fn free_root(&self, name: &str) -> Option<usize> {
        let mut link = self.links.iter().position(|l| l.name == name);
        while let Some(i) = link {
            if self.links[i].free {
                return Some(i);
            }
            link = self.links[i].parent;
        }
        None
    }
}

/// The normal of a fixed body that is a plane and nothing else.
fn plane(body: &Body) -> Option<Vec3> {
    let [collider] = &body.colliders[..] else { return None };
    let Shape::HalfSpace { normal } = &collider.shape else { return None };
    if body.kind != Kind::Fixed || body.shape.is_some() {
        return None;
    }
    let turn = |[w, x, y, z]: [f64; 4]| Quat::from_xyzw(x, y, z, w).normalize();
    (turn(body.orientation) * (turn(collider.orientation) * Vec3::from(*normal))).try_normalize()
}
