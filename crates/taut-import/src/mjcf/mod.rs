//! MJCF, the files of MuJoCo (<https://mujoco.readthedocs.io/en/stable/XMLreference.html>).
//!
//! | file | reads |
//! |---|---|
//! | `include`, `compiler`, `defaults`, `option` | what decides how the rest is read |
//! | `asset` | meshes |
//! | `body` | bodies, frames, their inertia, sites |
//! | `joint`, `geom` | what bodies have |
//! | `contact`, `visual` | which geoms collide, with which friction; which are seen |
//! | `keyframe` | where the model starts |
//! | `tendon` | fixed and spatial tendons |
//! | `actuator`, `mass` | motors, and what they move |
//! | `sensor` | sensors |
//! | `equality` | connect, weld, joint, tendon |

mod actuator;
mod asset;
mod body;
mod compiler;
mod contact;
mod defaults;
mod equality;
mod geom;
mod include;
mod joint;
mod keyframe;
mod mass;
mod option;
mod sensor;
mod tendon;
mod visual;

pub(crate) use geom::{Kind, unit_inertia};
pub(crate) use tendon::circle;

use crate::Options;
use crate::error::{ImportError, Notes};
use crate::machine::{Link, Machine, Spot};
use crate::unread;
use crate::xml::Element;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A model while it is read.
struct Model<'a> {
    compiler: compiler::Compiler,
    defaults: defaults::Defaults,
    assets: asset::Assets<'a>,
    machine: Machine,
    /// Links by the names of their bodies; the first one holds what is fixed to the world.
    bodies: BTreeMap<String, usize>,
    sites: BTreeMap<String, Spot>,
    geoms: Vec<geom::Geom>,
    /// In the order of `qpos`.
    joints: Vec<joint::JointRef>,
    joint_names: BTreeSet<String>,
    tendons: Vec<tendon::Tendon>,
    disabled: option::Disabled,
    notes: &'a mut Notes,
}

/// The link that holds what is fixed to the world.
const WORLD: usize = 0;

pub(crate) fn read(
    mut root: Element,
    path: &Path,
    options: &Options,
    notes: &mut Notes,
) -> Result<Machine, ImportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    include::expand(&mut root, folder)?;
    let compiler = compiler::Compiler::read(&root)?;
    let defaults = defaults::Defaults::read(&root)?;
    let assets = asset::Assets::read(&root, &compiler, &defaults, folder, options)?;
    left_out(&root, notes);
    unread::note(&root, unread::MJCF, notes);
    let disabled = option::Disabled::read(&root, notes)?;
    let mut model = Model {
        compiler,
        defaults,
        assets,
        machine: Machine {
            name: root.get("model").filter(|n| !n.is_empty()).map(str::to_string),
            links: vec![Link::new("worldbody", &root.place)],
            meets_fixed_parent: true,
            meets_parent: disabled.has("filterparent"),
            ..Machine::default()
        },
        bodies: BTreeMap::from([("world".to_string(), WORLD)]),
        sites: BTreeMap::new(),
        geoms: Vec::new(),
        joints: Vec::new(),
        joint_names: BTreeSet::new(),
        tendons: Vec::new(),
        disabled,
        notes,
    };
    model.machine.gravity = gravity(&root, &model.disabled)?;
    for world in root.all("worldbody") {
        model.read_world(world)?;
    }
    model.finish_masses()?;
    if !model.disabled.has("contact") {
        model.add_contacts(&root)?;
    }
    model.add_visuals(&root)?;
    let controls = model.start(&root, &options.start)?;
    model.read_tendons(&root)?;
    if !model.disabled.has("actuation") {
        model.add_actuators(&root, controls.as_deref())?;
    }
    if !model.disabled.has("equality") {
        model.add_equalities(&root)?;
    }
    model.finish_tendons();
    model.add_sensors(&root)?;
    Ok(model.machine)
}

fn gravity(root: &Element, disabled: &option::Disabled) -> Result<Option<[f64; 3]>, ImportError> {
    let mut gravity = None;
    for option in root.all("option") {
        gravity = option.array("gravity")?.or(gravity);
    }
    if disabled.has("gravity") {
        return Ok(Some([0.0; 3]));
    }
    Ok(gravity)
}

/// A line for each section that is not read, and what it holds.
fn left_out(root: &Element, notes: &mut Notes) {
    let silent = [
        "compiler",
        "default",
        "asset",
        "worldbody",
        "contact",
        "equality",
        "keyframe",
        "tendon",
        "sensor",
        "actuator",
        "option",
        "visual",
        "statistic",
        "size",
        "custom",
    ];
    for section in root.children.iter().filter(|c| !silent.contains(&c.tag.as_str())) {
        let count = section.children.len();
        notes.add(&section.place, format!("{} is left out, with {count} elements", section.tag));
    }
}
