//! Clumps: bodies that ran into one another in a step (`hold`), and move on as one for the rest of it.

use crate::math::Vec3;

/// Bodies that ran into one another, which move on together.
#[derive(Default)]
pub(super) struct Clumps {
    /// By slot: the next on the way to the first of its clump.
    pub(super) parent: Vec<u32>,
    /// Of the first: mass, infinite if something that goes its own way is in it (what is fixed, or
    /// not fast), and velocity.
    pub(super) mass: Vec<f64>,
    pub(super) velocity: Vec<Vec3>,
    /// By slot: the normal of the one fixed thing that a body ran into, along which it slides on,
    /// and the velocity of its way.
    pub(super) slides: Vec<Option<Vec3>>,
    pub(super) own: Vec<Vec3>,
}

impl Clumps {
    pub(super) fn root(&self, slot: u32) -> usize {
        let mut slot = slot;
        while self.parent[slot as usize] != slot {
            slot = self.parent[slot as usize];
        }
        slot as usize
    }

    /// The bodies of a clump, by its first.
    pub(super) fn members(&self, root: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        (0..self.parent.len() as u32).filter(move |&slot| self.root(slot) == root)
    }

    /// How a held body moves on.
    pub(super) fn drift(&self, slot: u32) -> Vec3 {
        let Some(&own) = self.own.get(slot as usize) else { return Vec3::ZERO };
        let velocity = self.velocity[self.root(slot)];
        self.slides[slot as usize].map_or(velocity, |n| {
            let slip = own - velocity;
            velocity + slip - n * n.dot(slip)
        })
    }

    /// Makes one clump of two; `false` if they were one.
    pub(super) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (first, second) = (a.min(b), a.max(b));
        if first == second {
            return false;
        }
        let (m, n) = (self.mass[first], self.mass[second]);
        let share = match (m.is_finite(), n.is_finite()) {
            (true, true) if m + n > 0.0 => n / (m + n),
            (true, false) => 1.0,
            _ => 0.0,
        };
        self.velocity[first] = self.velocity[first].lerp(self.velocity[second], share);
        self.mass[first] = m + n;
        self.parent[second] = first as u32;
        true
    }
}
