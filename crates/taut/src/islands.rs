//! Islands: dynamic bodies connected by joints or contacts, not through
//! fixed ones. Each is a problem of its own.
//!
//! Union-find with the least slot as root, then one pass: the numbering
//! depends on slots alone. Cost: nearly linear in bodies and connections.

/// One island: slots of its bodies, joints and cables, indices of its contacts, all
/// ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    pub(crate) bodies: Vec<u32>,
    pub(crate) joints: Vec<u32>,
    pub(crate) cables: Vec<u32>,
    pub(crate) contacts: Vec<u32>,
    /// Slots of soft bodies.
    pub(crate) softs: Vec<u32>,
}

impl Island {
    /// How much work it is, roughly: its contacts, joints and cables.
    pub(crate) fn weight(&self) -> usize {
        self.contacts.len() + self.joints.len() + self.cables.len()
    }

    /// The first of its slots: soft bodies count on from those of the bodies.
    pub(crate) fn first(&self, bodies: usize) -> usize {
        let soft = || self.softs.first().map_or(0, |&s| bodies + s as usize);
        self.bodies.first().map_or_else(soft, |&b| b as usize)
    }

    /// Whether nothing but contacts acts on its bodies.
    pub(crate) fn is_loose(&self) -> bool {
        self.joints.is_empty() && self.cables.is_empty()
    }
}

/// No island: the body is fixed, kinematic or absent.
pub(crate) const NONE: u32 = u32::MAX;

/// Builds islands, reusing its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    parent: Vec<u32>,
    /// Slots of bodies.
    bodies: u32,
    /// Island of each slot, or [`NONE`].
    pub(crate) island: Vec<u32>,
    /// Index of each slot within its island.
    pub(crate) local: Vec<u32>,
    pub(crate) list: Vec<Island>,
    /// Number of islands in use; `list` may be longer.
    pub(crate) count: usize,
}

impl Islands {
    /// Starts anew; `dynamic(slot)` says which slots take part. Those from `bodies` on are soft bodies.
    pub(crate) fn start(&mut self, bodies: usize, slots: usize, dynamic: impl Fn(u32) -> bool) {
        self.bodies = bodies as u32;
        self.parent.clear();
        self.parent.extend((0..slots as u32).map(|i| if dynamic(i) { i } else { NONE }));
    }

    /// Connects two slots, if both take part.
    pub(crate) fn connect(&mut self, a: u32, b: u32) {
        if let (Some(a), Some(b)) = (self.root(a), self.root(b)) {
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }

    fn root(&mut self, mut i: u32) -> Option<u32> {
        if self.parent[i as usize] == NONE {
            return None;
        }
        while self.parent[i as usize] != i {
            let up = self.parent[i as usize];
            self.parent[i as usize] = self.parent[up as usize];
            i = up;
        }
        Some(i)
    }

    /// Numbers the islands by their least slot and lists their bodies.
    pub(crate) fn finish(&mut self) {
        let slots = self.parent.len();
        self.island.clear();
        self.island.resize(slots, NONE);
        self.local.clear();
        self.local.resize(slots, NONE);
        self.count = 0;
        for island in &mut self.list {
            island.bodies.clear();
            island.joints.clear();
            island.cables.clear();
            island.contacts.clear();
            island.softs.clear();
        }
        for i in 0..slots as u32 {
            let Some(root) = self.root(i) else { continue };
            if root == i {
                self.island[i as usize] = self.count as u32;
                self.count += 1;
                if self.list.len() < self.count {
                    self.list.push(Island::default());
                }
            }
            let number = self.island[root as usize];
            self.island[i as usize] = number;
            if i >= self.bodies {
                self.list[number as usize].softs.push(i - self.bodies);
                continue;
            }
            let bodies = &mut self.list[number as usize].bodies;
            self.local[i as usize] = bodies.len() as u32;
            bodies.push(i);
        }
    }

    /// The island of the first of these slots that has one.
    pub(crate) fn of(&mut self, slots: impl IntoIterator<Item = u32>) -> Option<&mut Island> {
        let number = slots.into_iter().map(|s| self.island[s as usize]).find(|&n| n != NONE)?;
        self.list.get_mut(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connected_through_dynamic_slots_only() {
        let mut islands = Islands::default();
        islands.start(6, 6, |i| i != 2);
        for (a, b) in [(5, 3), (3, 0), (1, 2), (2, 4)] {
            islands.connect(a, b);
        }
        islands.finish();
        let bodies: Vec<_> = islands.list.iter().map(|i| i.bodies.clone()).collect();
        assert_eq!(bodies, [vec![0, 3, 5], vec![1], vec![4]]);
        assert_eq!(islands.local, [0, 0, NONE, 1, 0, 2]);
    }
}
