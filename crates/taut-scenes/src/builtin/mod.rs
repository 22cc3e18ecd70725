//! The built-in scenes. To add one: a file here, its name with `_` for `-`,
//! that holds `ENTRY` and its `build` function; a `mod` line; a line in
//! [`SCENES`].

mod beam_bridge;
mod belt_drive;
mod block_and_tackle;
mod bolt;
mod box_stack;
mod boxes;
mod bridge;
mod cable_car;
mod catenary;
mod chain;
mod chain_drop;
mod domino;
mod dress;
mod elevator;
mod forklift;
mod forwarder;
mod four_bar;
mod gears;
mod heavy_stack;
mod hook;
mod incline;
mod jelly_stack;
mod loaded_chain;
mod mobile_crane;
mod mobile_crane_cable;
mod net_truck;
mod newtons_cradle;
mod offshore;
mod offshore_cable;
mod parts;
mod rocks;
mod shackle_chain;
mod soft_gripper;
mod soft_press;
mod spinner;
mod static_tower;
mod tandem_cranes;
mod tower;
mod tower_crane;
mod trucks;
mod tyre;
mod vehicle;
mod wall;
mod winch;

use crate::error::{SceneError, hint};
use crate::file::{Meta, SceneFile};

/// Memory of a body with its contacts or joints in a step: 45 kB in `box-stack`,
/// 73 kB in `four-bar`.
const BYTES: f64 = 6e4;
/// Bodies beyond which a size is taken for a mistake: 12 GB.
const MOST_BODIES: f64 = 2e5;

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
    /// Makes it, of a size of at least 1.
    pub build: fn(usize) -> SceneFile,
}

impl Entry {
    /// Roughly how many bodies a size makes, by how the number grows from a
    /// small size to its double and that one's double: as some power.
    pub fn bodies(&self, size: usize) -> f64 {
        let count = |k: usize| {
            let file = (self.build)(k * self.small_size);
            (file.bodies.len() + file.soft_bodies.len()) as f64
        };
        let [one, two, four] = [1, 2, 4].map(count);
        let ratio = size as f64 / self.small_size as f64;
        let power = if two > one { ((four - two) / (two - one)).log2() } else { 0.0 };
        if power > 0.1 {
            one + (two - one) * (ratio.powf(power) - 1.0) / (power.exp2() - 1.0)
        } else {
            one * ratio // grows in leaps
        }
    }

    /// Refuses sizes that memory hardly holds.
    pub fn check_size(&self, size: usize) -> Result<(), SceneError> {
        let fits = |size: usize| self.bodies(size) <= MOST_BODIES;
        if size <= 4 * self.small_size || fits(size) {
            return Ok(());
        }
        let most = (0..usize::BITS - 1).map(|k| 1_usize << k).take_while(|&s| fits(s)).last();
        let (name, of, bodies) = (self.name, self.size_of, self.bodies(size));
        let (gigabytes, most) = (BYTES * bodies / 1e9, most.unwrap_or(1));
        let message = format!(
            "'{name}' with {size} {of} has about {bodies:.0e} bodies, for which a step needs \
             {gigabytes:.0e} GB; {most} {of} would do"
        );
        Err(SceneError::new("", message))
    }

    /// The scene file of a size; without one, of the default size.
    pub fn file(&self, size: Option<usize>) -> SceneFile {
        let mut file = (self.build)(size.unwrap_or(self.default_size).max(1));
        dress::dress(&mut file);
        file
    }

    /// A scene without bodies that says where it comes from: what a `build`
    /// function starts with. `notes` say what was chosen, `statistics` are
    /// the source's figures. Runs for 20 s.
    fn scene(&self, notes: &str, statistics: &[(&str, f64)]) -> SceneFile {
        let statistics = statistics.iter().map(|&(name, value)| (name.into(), value));
        SceneFile {
            name: Some(self.name.into()),
            meta: Meta {
                description: self.summary.into(),
                source: self.source.into(),
                notes: notes.into(),
                statistics: statistics.collect(),
            },
            duration: 20.0,
            ..SceneFile::default()
        }
    }
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
    forklift::ENTRY,
    mobile_crane::ENTRY,
    vehicle::ENTRY,
    offshore::ENTRY,
    forwarder::ENTRY,
    winch::ENTRY,
    loaded_chain::ENTRY,
    heavy_stack::ENTRY,
    static_tower::ENTRY,
    box_stack::ENTRY,
    newtons_cradle::ENTRY,
    domino::ENTRY,
    incline::ENTRY,
    catenary::ENTRY,
    four_bar::ENTRY,
    block_and_tackle::ENTRY,
    elevator::ENTRY,
    tower_crane::ENTRY,
    cable_car::ENTRY,
    belt_drive::ENTRY,
    mobile_crane_cable::ENTRY,
    offshore_cable::ENTRY,
    shackle_chain::ENTRY,
    hook::ENTRY,
    bolt::ENTRY,
    gears::ENTRY,
    soft_press::ENTRY,
    soft_gripper::ENTRY,
    jelly_stack::ENTRY,
    beam_bridge::ENTRY,
    tyre::ENTRY,
];

/// The scene of that name or alias.
pub fn find(name: &str) -> Result<&'static Entry, SceneError> {
    let found = SCENES.iter().find(|e| e.name == name || e.aliases.contains(&name));
    found.ok_or_else(|| {
        let known = SCENES.iter().flat_map(|e| e.aliases.iter().chain([&e.name]).copied());
        SceneError::new("", format!("no built-in scene is named '{name}'{}", hint(name, known)))
    })
}
