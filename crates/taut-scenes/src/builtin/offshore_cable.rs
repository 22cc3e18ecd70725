//! The ship with a knuckle-boom crane whose hoist cable has no mass.
//!
//! Source: `offshore`; what happens is the same. The 40 segments become one cable of the same length and stiffness.
//! Until the module knocks against the hull both go the same way; then they differ as two throws of a die do.

use super::{Entry, offshore};
use crate::file::SceneFile;

pub(super) const ENTRY: Entry = Entry {
    name: "offshore-cable",
    aliases: &[],
    summary: "The crane on a ship with a hoist cable that is a single row.",
    source: "offshore, with a cable in place of segments",
    size_of: "modules",
    default_size: 1,
    small_size: 1,
    build,
};

/// A ship and `size` modules: one that it lifts, the others on its deck, from the stern on.
pub fn build(size: usize) -> SceneFile {
    let notes = "Waves all the time; hoists 2 s to 12 s, stretches the booms to 18 s.";
    let mut scene = offshore::with_cable(ENTRY.scene(notes, &[]));
    for i in 1..size {
        scene.add(offshore::stowed(i));
    }
    scene
}
