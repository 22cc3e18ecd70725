//! The built-in scenes. To add one: a file here, its name with `_` for `-`,
//! that holds `ENTRY` and its `build` function; a `mod` line; a line in
//! [`SCENES`].

mod boxes;
mod bridge;
mod chain;
mod chain_drop;
mod loaded_chain;
mod net_truck;
mod parts;
mod rocks;
mod spinner;
mod tandem_cranes;
mod tower;
mod trucks;
mod wall;

use crate::file::SceneFile;

/// What the list knows of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// Other names, by which sources call it.
    pub aliases: &'static [&'static str],
    /// One sentence for lists.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What the size counts.
    pub size_of: &'static str,
    /// The size of the source.
    pub default_size: usize,
    /// Size, reduced for tests, at which it still shows what it is.
    pub small_size: usize,
    /// Makes it.
    pub build: fn(usize) -> SceneFile,
}

/// All built-in scenes, in the order of the documentation.
pub const SCENES: &[Entry] = &[
    boxes::ENTRY,
    tower::ENTRY,
    spinner::ENTRY,
    chain::ENTRY,
    trucks::ENTRY,
    rocks::ENTRY,
    wall::ENTRY,
    chain_drop::ENTRY,
    net_truck::ENTRY,
    tandem_cranes::ENTRY,
    bridge::ENTRY,
    loaded_chain::ENTRY,
];

/// The scene of that name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    SCENES.iter().find(|e| e.name == name || e.aliases.contains(&name))
}
