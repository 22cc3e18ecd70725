//! Storage with generational ids: an id of something removed never names
//! something added later.

/// Values in slots, in a fixed order; removed slots are used again.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T> {
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    value: Option<T>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots { entries: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// Stores a value; returns (index, generation).
    pub(crate) fn insert(&mut self, value: T) -> (u32, u32) {
        if let Some(index) = self.free.pop() {
            let entry = &mut self.entries[index as usize];
            entry.value = Some(value);
            return (index, entry.generation);
        }
        self.entries.push(Entry { generation: 0, value: Some(value) });
        (self.entries.len() as u32 - 1, 0)
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

    pub(crate) fn from_parts(entries: Vec<(u32, Option<T>)>, free: Vec<u32>) -> Self {
        let entry = |(generation, value)| Entry { generation, value };
        Slots { entries: entries.into_iter().map(entry).collect(), free }
    }
}

macro_rules! id {
    ($name:ident, $what:literal) => {
        #[doc = concat!("Names ", $what, " of one world. Ids of removed things stay invalid.")]
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

        impl From<(u32, u32)> for $name {
            fn from((index, generation): (u32, u32)) -> Self {
                $name { index, generation }
            }
        }
    };
}

id!(BodyId, "a body");
id!(JointId, "a joint");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_ids_stay_invalid() {
        let mut slots = Slots::default();
        let a = slots.insert("a");
        assert_eq!(slots.remove(a.0, a.1), Some("a"));
        let b = slots.insert("b");
        assert_eq!(a.0, b.0);
        assert_eq!(slots.get(a.0, a.1), None);
        assert_eq!(slots.get(b.0, b.1), Some(&"b"));
        assert_eq!(slots.iter().count(), 1);
    }
}
