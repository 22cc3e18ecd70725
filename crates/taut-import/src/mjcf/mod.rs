//! MJCF, the files of MuJoCo (<https://mujoco.readthedocs.io/en/stable/XMLreference.html>).
//!
//! | file | reads |
//! |---|---|
//! | `include`, `attach`, `compiler`, `defaults`, `option` | what decides how the rest is read |
//! | `asset`, `png` | meshes, height fields |
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
mod attach;
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
mod png;
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
    /// By `Element::model`.
    compilers: Vec<compiler::Compiler>,
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
    lost: Vec<actuator::Lost>,
    /// What instances of the PID plugin say, by name.
    pids: BTreeMap<String, Element>,
    disabled: option::Disabled,
    options: &'a Options,
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
    let compilers = attach::expand(&mut root, folder, notes)?;
    let defaults = defaults::Defaults::read(&root)?;
    let assets = asset::Assets::read(&root, &compilers, &defaults, options)?;
    left_out(&root, notes);
    unread::note(&root, unread::MJCF, notes);
    let disabled = option::Disabled::read(&root, notes)?;
    let mut model = Model {
        compilers,
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
        lost: Vec::new(),
        pids: pids(&root),
        disabled,
        options,
        notes,
    };
    model.machine.gravity = gravity(&root, &model.disabled)?;
    model.machine.step = step(&root)?;
    for world in root.all("worldbody") {
        model.read_world(world)?;
    }
    // A body may be written before the joint of its parent; `qpos` goes by bodies.
    model.joints.sort_by_key(|joint| joint.link);
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

impl Model<'_> {
    /// The compiler of the model that an element is from.
    fn compiler(&self, e: &Element) -> &compiler::Compiler {
        &self.compilers[e.model]
    }
}

fn pids(root: &Element) -> BTreeMap<String, Element> {
    let plugins = root.all("extension").flat_map(|e| e.all("plugin"));
    let plugins = plugins.filter(|p| p.get("plugin") == Some("mujoco.pid"));
    let named = |i: &Element| Some((i.get("name")?.to_string(), i.clone()));
    plugins.flat_map(|p| p.all("instance")).filter_map(named).collect()
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

fn step(root: &Element) -> Result<Option<f64>, ImportError> {
    let mut step = None;
    for option in root.all("option") {
        step = option.number("timestep")?.or(step);
        if step.is_some_and(|h| h <= 0.0) {
            return Err(option.error("'timestep': expected more than 0"));
        }
    }
    Ok(step)
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
    let known = |p: &Element| p.get("plugin") == Some("mujoco.pid");
    for section in root.children.iter().filter(|c| !silent.contains(&c.tag.as_str())) {
        if section.tag == "extension" && section.children.iter().all(known) {
            continue;
        }
        let count = section.children.len();
        notes.add(&section.place, format!("{} is left out, with {count} elements", section.tag));
    }
}
