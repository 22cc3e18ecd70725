//! From a [`SceneFile`] to a world.
//!
//! | file | does |
//! |---|---|
//! | `place` | checks of numbers that name their place |
//! | `body` | materials, ground, bodies, shapes |
//! | `cable` | cables |
//! | `mass` | cables with mass, as points and cables without |
//! | `joint` | joints, and which field belongs to which type |
//! | `soft_body` | soft bodies |
//! | `settings` | settings |
//! | `visual` | checks of what is only seen |

mod body;
mod cable;
mod control;
mod joint;
mod mass;
mod place;
mod settings;
mod shape;
mod soft_body;
mod visual;

use crate::error::{SceneError, hint};
use crate::file::{SceneFile, VERSION};
use crate::scene::Scene;
use crate::script::Script;
pub(crate) use body::{Surfaces, add_last as add_last_body, materials};
pub(crate) use cable::{add_last as add_last_cable, winch};
pub(crate) use joint::{add_last as add_last_joint, motor};
pub(crate) use place::Place;
pub(crate) use settings::build as settings;
pub(crate) use shape::build as shape;
use std::collections::BTreeMap;
use taut::math::Vec3;
use taut::{BodyId, World};

/// Name of the body that `ground` makes.
pub(crate) const GROUND: &str = "ground";

impl SceneFile {
    /// Checks the scene and makes its world. Errors name the place.
    pub fn build(&self) -> Result<Scene, SceneError> {
        let top = Place::new("");
        version(self)?;
        if self.cables.iter().any(|c| c.mass.is_some() || c.points.is_some()) {
            return self.divided()?.build();
        }
        top.finite("gravity", &self.gravity)?;
        check_dt(self.dt)?;
        top.positive("duration", self.duration)?;
        let mut world = World::new();
        world.set_gravity(Vec3::from(self.gravity)).map_err(|e| top.engine(e))?;
        *world.settings_mut() = settings::build(&self.settings)?;
        let surfaces = body::materials(self, &mut world)?;
        body::add_ground(self, &surfaces, &mut world)?;
        let bodies = body::add_all(self, &surfaces, &mut world)?;
        joint::add_all(self, &mut world)?;
        let cables = cable::add_all(self, &mut world)?;
        let softs = soft_body::add_all(self, &surfaces, &mut world)?;
        let groups = groups(self, &world)?;
        visual::scenery(self)?;
        visual::camera(self)?;
        control::check(self, &world)?;
        let script = Script::new(self, &world)?;
        let (dt, frames, surfaces) = (self.dt, self.frames(), Some(surfaces));
        let barriers = None;
        Ok(Scene { world, dt, frames, bodies, cables, softs, groups, barriers, script, surfaces })
    }
}

/// The longest step of a scene, in s: what is longer is a slip (ms for s), and after it all that moves is far away.
const MAX_DT: f64 = 1.0;

/// Refuses steps that no scene can be meant to have.
pub fn check_dt(dt: f64) -> Result<(), SceneError> {
    let top = Place::new("");
    top.positive("dt", dt)?;
    if dt <= MAX_DT {
        return Ok(());
    }
    Err(top.field("dt").error(format!("expected at most {MAX_DT} s, found {dt}")))
}

/// Refuses files of other versions.
pub(crate) fn version(file: &SceneFile) -> Result<(), SceneError> {
    match file.version {
        VERSION => Ok(()),
        other => Err(SceneError::new("version", format!("expected {VERSION}, found {other}"))),
    }
}

fn groups(file: &SceneFile, world: &World) -> Result<BTreeMap<String, Vec<BodyId>>, SceneError> {
    let mut groups = BTreeMap::new();
    for (name, members) in &file.groups {
        let mut ids = Vec::with_capacity(members.len());
        for (i, member) in members.iter().enumerate() {
            let place = format!("groups.{name}[{i}]");
            let id = find_body(world, member).map_err(|m| SceneError::new(&place, m))?;
            if ids.contains(&id) {
                return Err(SceneError::new(place, format!("body '{member}' is listed twice")));
            }
            ids.push(id);
        }
        groups.insert(name.clone(), ids);
    }
    Ok(groups)
}

/// The body of that name, or what to say if there is none.
pub fn find_body(world: &World, name: &str) -> Result<BodyId, String> {
    world.body_named(name).ok_or_else(|| {
        let known = world.bodies().map(|(_, b)| b.name());
        format!("no body is named '{name}'{}", hint(name, known))
    })
}

/// The joint of that name, or what to say if there is none.
pub fn find_joint(world: &World, name: &str) -> Result<taut::JointId, String> {
    world.joint_named(name).ok_or_else(|| {
        let known = world.joints().map(|(_, j)| j.name());
        format!("no joint is named '{name}'{}", hint(name, known))
    })
}

/// The cable of that name, or what to say if there is none.
pub fn find_cable(world: &World, name: &str) -> Result<taut::CableId, String> {
    world.cable_named(name).ok_or_else(|| {
        let known = world.cables().map(|(_, c)| c.name());
        format!("no cable is named '{name}'{}", hint(name, known))
    })
}
