//! The mobile crane with a hoist cable without mass.
//!
//! Source: `mobile-crane`, whose links become one cable of the same length and stiffness. What
//! happens is the same.

use super::{Entry, mobile_crane};
use crate::file::SceneFile;

pub(super) const ENTRY: Entry = Entry {
    name: "mobile-crane-cable",
    aliases: &[],
    summary: "The mobile crane with a hoist cable that is a single row.",
    source: "mobile-crane, with a cable in place of links",
    size_of: "lengths of a link",
    default_size: 35,
    small_size: 12,
    build,
};

/// A crane whose cable is as long as `size` links.
pub fn build(size: usize) -> SceneFile {
    let notes = "Hook down to 2 s, hoists 3 s to 9 s, luffs to 14 s, slews to 19 s.";
    mobile_crane::with_cable(ENTRY.scene(notes, &[]), size)
}
