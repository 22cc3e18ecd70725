//! Storage with generational ids: an id of something removed never names
//! something added later, and an id of one world nothing in another: every
//! world counts its generations from a number of its own.

use std::sync::atomic::{AtomicU32, Ordering};

/// A number for a new world, far from those of the worlds before it (a Weyl
/// sequence: the gaps between n of them are at least 2³²/3n).
pub(crate) fn new_world() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9)
}

/// Values in slots, in a fixed order; removed slots are used again.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T> {
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
    /// Generation of slots that are new.
    first: u32,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    value: Option<T>,
}

impl<T> Slots<T> {
    /// No slots yet, for the world of that number.
    pub(crate) fn of_world(first: u32) -> Self {
        Slots { entries: Vec::new(), free: Vec::new(), first }
    }

    /// The number of the world.
    pub(crate) fn world(&self) -> u32 {
        self.first
    }

    /// Stores a value; returns (index, generation).
    pub(crate) fn insert(&mut self, value: T) -> (u32, u32) {
        if let Some(index) = self.free.pop() {
            let entry = &mut self.entries[index as usize];
            entry.value = Some(value);
            return (index, entry.generation);
        }
        self.entries.push(Entry { generation: self.first, value: Some(value) });
        (self.entries.len() as u32 - 1, self.first)
    }

    /// Takes a value out, if the id is current.
    pub(crate) fn remove(&mut self, index: u32, generation: u32) -> Option<T> {
        let entry = self.entries.get_mut(index as usize)?;
        if entry.generation != generation {
            return None;
        }
        let value = entry.value.take()?;
        entry.generation = entry.generation.wrapping_add(1);
        self.free.push(index);
        Some(value)
    }

    pub(crate) fn get(&self, index: u32, generation: u32) -> Option<&T> {
        let entry = self.entries.get(index as usize)?;
        if entry.generation == generation { entry.value.as_ref() } else { None }
    }

    pub(crate) fn get_mut(&mut self, index: u32, generation: u32) -> Option<&mut T> {
        let entry = self.entries.get_mut(index as usize)?;
        if entry.generation == generation { entry.value.as_mut() } else { None }
    }

    /// The value in a slot, whatever its generation.
    pub(crate) fn at(&self, index: u32) -> Option<&T> {
        self.entries.get(index as usize)?.value.as_ref()
    }

    pub(crate) fn at_mut(&mut self, index: u32) -> Option<&mut T> {
        self.entries.get_mut(index as usize)?.value.as_mut()
    }

    /// The generation of a slot.
    pub(crate) fn generation(&self, index: u32) -> u32 {
        self.entries.get(index as usize).map_or(0, |e| e.generation)
    }

    /// Number of slots, used or not.
    pub(crate) fn slots(&self) -> usize {
        self.entries.len()
    }

    /// Values with (index, generation), by index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ((u32, u32), &T)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(i, e)| Some(((i as u32, e.generation), e.value.as_ref()?)))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = ((u32, u32), &mut T)> {
        let entries = self.entries.iter_mut().enumerate();
        entries.filter_map(|(i, e)| Some(((i as u32, e.generation), e.value.as_mut()?)))
    }

    /// Everything there is, for a snapshot: the slots and the free list.
    pub(crate) fn parts(&self) -> (impl Iterator<Item = (u32, Option<&T>)>, &[u32]) {
        (self.entries.iter().map(|e| (e.generation, e.value.as_ref())), &self.free)
    }

    pub(crate) fn from_parts(entries: Vec<(u32, Option<T>)>, free: Vec<u32>, first: u32) -> Self {
        let entry = |(generation, value)| Entry { generation, value };
        Slots { entries: entries.into_iter().map(entry).collect(), free, first }
    }
}

macro_rules! id {
    ($name:ident, $what:literal) => {
        #[doc = concat!("Names ", $what, " of one world, and of what is restored from its snapshots. \
            Ids of removed things stay invalid, and worlds do not know the ids of others.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name {
            pub(crate) index: u32,
            pub(crate) generation: u32,
        }

        impl $name {
            /// Slot of the id: small, dense numbers for tables beside a world.
            pub fn index(self) -> usize {
                self.index as usize
            }
        }

        impl $name {
            /// Only a world makes ids.
            pub(crate) fn of_slot((index, generation): (u32, u32)) -> Self {
                $name { index, generation }
            }
        }
    };
}

id!(BodyId, "a body");
id!(JointId, "a joint");
id!(CableId, "a cable");
id!(SoftBodyId, "a soft body");
// Nothing of these is ever removed: their generation is the number of the world, and snapshots leave it out.
id!(TextureId, "a texture");
id!(SurfaceId, "a surface with a name (see [`World::surface`](crate::World::surface))");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_ids_stay_invalid() {
        let mut slots = Slots::of_world(new_world());
        let a = slots.insert("a");
        assert_eq!(slots.remove(a.0, a.1), Some("a"));
        let b = slots.insert("b");
        assert_eq!(a.0, b.0);
        assert_eq!(slots.get(a.0, a.1), None);
        assert_eq!(slots.get(b.0, b.1), Some(&"b"));
        assert_eq!(slots.iter().count(), 1);
    }
}
