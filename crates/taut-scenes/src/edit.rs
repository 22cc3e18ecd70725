//! Scenes that grow and change while they run, and the file that describes them with them: for
//! callers who build in steps (Python does). Everything is said in the words of the file.

use crate::barrier::Barriers;
use crate::build::{self, Place, Surfaces, find_body, find_cable, find_joint};
use crate::error::SceneError;
use crate::file::{
    Body, Cable, Drive, Joint, Material, Motor, Pair, SceneFile, Settings, Shape, Winch,
};
use crate::read::data_error;
use crate::scene::Scene;
use crate::script::Script;
use crate::strict;
use serde::de::DeserializeOwned;
use taut::{BodyId, CableId, JointId, StepReport, World};

/// A part of a scene file from JSON; errors name their place in the file, which begins with `place`.
///
/// ```
/// use taut_scenes::file::Body;
/// let error = taut_scenes::part::<Body>(serde_json::json!({"mass": 2}), "bodies[3]").unwrap_err();
/// assert_eq!(error.to_string(), "bodies[3]: missing field 'name'");
/// ```
pub fn part<T: DeserializeOwned>(value: serde_json::Value, place: &str) -> Result<T, SceneError> {
    strict::deserialize(value).map_err(|e| {
        let inside = e.path().to_string();
        let inside = if inside == "." { String::new() } else { format!(".{inside}") };
        data_error(&format!("{place}{inside}"), e.inner())
    })
}

/// The shape of a file, for questions to a world.
pub fn shape(shape: &Shape) -> Result<taut::Shape, SceneError> {
    build::shape(shape, &Place::new("shape"))
}

impl Scene {
    /// The scene of a file, its world as in a snapshot. What the file names and the world no
    /// longer has (joints that broke) is left out.
    pub fn restore(file: &SceneFile, snapshot: &[u8]) -> Result<Scene, SceneError> {
        let top = Place::new("");
        build::version(file)?;
        build::check_dt(file.dt)?;
        top.positive("duration", file.duration)?;
        let world = World::restore(snapshot).map_err(|e| SceneError::new("", e.to_string()))?;
        let named = |name: &String| world.body_named(name);
        let bodies = file.bodies.iter().filter_map(|b| named(&b.name)).collect();
        let members = |list: &Vec<String>| list.iter().filter_map(named).collect();
        let groups = file.groups.iter().map(|(name, list)| (name.clone(), members(list))).collect();
        let script = Script::of_known(file, &world);
        let (dt, frames) = (file.dt, file.frames());
        let cables = known_cables(file, &world);
        let softs =
            file.soft_bodies.iter().filter_map(|s| world.soft_body_named(&s.name)).collect();
        let (barriers, surfaces) = (None, None);
        Ok(Scene { world, dt, frames, bodies, cables, softs, groups, barriers, script, surfaces })
    }

    /// Follows the script and advances by a step of `dt` seconds.
    pub fn step_by(&mut self, dt: f64) -> Result<StepReport, taut::Error> {
        self.script.apply(&mut self.world, dt)?;
        if !matches!(self.world.settings().contact, taut::ContactModel::Barrier { .. }) {
            self.barriers = None;
            return self.world.step(dt);
        }
        let mut barriers = match self.barriers.take() {
            Some(barriers) => barriers,
            None => Barriers::new(&self.world)?,
        };
        let report = barriers.step(&mut self.world, dt);
        self.barriers = Some(barriers);
        report
    }

    /// Adds a surface, or replaces the one of that name for what is added later.
    pub fn add_material(
        &mut self,
        file: &mut SceneFile,
        name: &str,
        material: Material,
    ) -> Result<(), SceneError> {
        let mut surfaces = self.surfaces(file)?;
        let added = surfaces.add(name, &material, &mut self.world);
        self.surfaces = Some(surfaces);
        added?;
        file.materials.insert(name.into(), material);
        Ok(())
    }

    /// Adds what two surfaces have together, or replaces it, for all contacts from now on.
    pub fn add_pair(&mut self, file: &mut SceneFile, pair: Pair) -> Result<(), SceneError> {
        let surfaces = self.surfaces(file)?;
        let added = surfaces.add_pair(&pair, file.pairs.len(), &mut self.world);
        self.surfaces = Some(surfaces);
        added?;
        let [a, b] = pair.materials.clone();
        let turned = [b.clone(), a.clone()];
        file.pairs.retain(|p| p.materials != [a.clone(), b.clone()] && p.materials != turned);
        file.pairs.push(pair);
        Ok(())
    }

    /// Adds a body.
    pub fn add_body(&mut self, file: &mut SceneFile, body: Body) -> Result<BodyId, SceneError> {
        let surfaces = self.surfaces(file)?;
        file.bodies.push(body);
        let added = build::add_last_body(file, &surfaces, &mut self.world);
        self.surfaces = Some(surfaces);
        match added {
            Ok(id) => self.bodies.push(id),
            Err(_) => _ = file.bodies.pop(),
        }
        added
    }

    /// Adds a joint between bodies as they are now; one without a name gets one.
    pub fn add_joint(
        &mut self,
        file: &mut SceneFile,
        mut joint: Joint,
    ) -> Result<JointId, SceneError> {
        let free = |k: &usize| self.world.joint_named(&format!("joint{k}")).is_none();
        let number = (file.joints.len()..).find(free);
        joint.name = joint.name.or_else(|| number.map(|k| format!("joint{k}")));
        file.joints.push(joint);
        let added = build::add_last_joint(file, &mut self.world);
        if added.is_err() {
            file.joints.pop();
        }
        added
    }

    /// Strings a cable between bodies as they are now; one without a name gets one.
    pub fn add_cable(
        &mut self,
        file: &mut SceneFile,
        mut cable: Cable,
    ) -> Result<CableId, SceneError> {
        let free = |k: &usize| self.world.cable_named(&format!("cable{k}")).is_none();
        let number = (file.cables.len()..).find(free);
        cable.name = cable.name.or_else(|| number.map(|k| format!("cable{k}")));
        file.cables.push(cable);
        match build::add_last_cable(file, &mut self.world) {
            Ok(added) => {
                self.cables.push(added);
                Ok(added.0)
            }
            Err(e) => {
                file.cables.pop();
                Err(e)
            }
        }
    }

    /// Adds something that changes while the scene runs.
    pub fn add_drive(&mut self, file: &mut SceneFile, drive: Drive) -> Result<(), SceneError> {
        file.drives.push(drive);
        let added = self.script.add_last(file, &self.world);
        if added.is_err() {
            file.drives.pop();
        }
        added
    }

    /// Gives a joint another motor, or none. `of_angle`: that of the angle of a cylindrical joint.
    pub fn set_motor(
        &mut self,
        joint: &str,
        motor: Option<Motor>,
        of_angle: bool,
    ) -> Result<(), SceneError> {
        let id = find_joint(&self.world, joint).map_err(|m| SceneError::new("", m))?;
        let motor = build::motor(motor, "motor", &Place::new(""))?;
        let handle = if of_angle { self.world.angle_motor(id) } else { self.world.motor(id) };
        let set = handle.and_then(|mut handle| handle.set(motor));
        set.map_err(|e| SceneError::new("", e.to_string()))
    }

    /// Gives a cable another winch, or none; the cable stays as long as it is.
    pub fn set_winch(&mut self, cable: &str, winch: Option<Winch>) -> Result<(), SceneError> {
        let id = find_cable(&self.world, cable).map_err(|m| SceneError::new("", m))?;
        let winch = winch.map(|w| build::winch(w, &Place::new("winch"))).transpose()?;
        let set = self.world.set_winch(id, winch);
        set.map_err(|e| SceneError::new("", e.to_string()))
    }

    /// Changes how it is stepped; the number of threads stays.
    pub fn configure(
        &mut self,
        file: &mut SceneFile,
        settings: Settings,
    ) -> Result<(), SceneError> {
        let mut built = build::settings(&settings)?;
        built.validate().map_err(|e| SceneError::new("settings", e.to_string()))?;
        built.threads = self.world.settings().threads;
        *self.world.settings_mut() = built;
        file.settings = settings;
        Ok(())
    }

    /// Removes a body, its joints, and what drives them.
    pub fn remove_body(&mut self, file: &mut SceneFile, name: &str) -> Result<(), SceneError> {
        let id = find_body(&self.world, name).map_err(|m| SceneError::new("", m))?;
        self.world.remove_body(id).map_err(|e| SceneError::new("", e.to_string()))?;
        self.bodies.retain(|b| *b != id);
        self.groups.values_mut().for_each(|list| list.retain(|b| *b != id));
        file.groups.values_mut().for_each(|list| list.retain(|b| b != name));
        if file.ground.is_some() && name == build::GROUND {
            file.ground = None;
        }
        file.bodies.retain(|b| b.name != name);
        self.forget_removed(file);
        Ok(())
    }

    /// Removes a joint, those that couple it, and what drives them.
    pub fn remove_joint(&mut self, file: &mut SceneFile, name: &str) -> Result<(), SceneError> {
        let id = find_joint(&self.world, name).map_err(|m| SceneError::new("", m))?;
        self.world.remove_joint(id).map_err(|e| SceneError::new("", e.to_string()))?;
        self.forget_removed(file);
        Ok(())
    }

    /// Removes a cable, and what drives its winch.
    pub fn remove_cable(&mut self, file: &mut SceneFile, name: &str) -> Result<(), SceneError> {
        let id = find_cable(&self.world, name).map_err(|m| SceneError::new("", m))?;
        self.world.remove_cable(id).map_err(|e| SceneError::new("", e.to_string()))?;
        self.forget_removed(file);
        Ok(())
    }

    /// Takes joints, cables and drives that are no more out of file and script.
    fn forget_removed(&mut self, file: &mut SceneFile) {
        let world = &self.world;
        // (Joints of files that do not name them are called by their place.)
        for (i, joint) in file.joints.iter_mut().enumerate() {
            joint.name.get_or_insert_with(|| format!("joint{i}"));
        }
        let there = |name: &Option<String>| {
            name.as_ref().is_some_and(|name| world.joint_named(name).is_some())
        };
        file.joints.retain(|j| there(&j.name));
        for (i, cable) in file.cables.iter_mut().enumerate() {
            cable.name.get_or_insert_with(|| format!("cable{i}"));
        }
        let strung = |name: &String| world.cable_named(name).is_some();
        file.cables.retain(|c| c.name.as_ref().is_some_and(strung));
        file.drives.retain(|drive| match drive {
            Drive::Motor(d) => world.joint_named(&d.joint).is_some(),
            Drive::Release(d) => world.joint_named(&d.joint).is_some(),
            Drive::Body(d) => world.body_named(&d.body).is_some(),
            Drive::Force(d) => world.body_named(&d.body).is_some(),
            Drive::Winch(d) => strung(&d.cable),
            Drive::Change(_) => true,
        });
        for control in &mut file.controls {
            control.joints.retain(|name| world.joint_named(name).is_some());
            control.cables.retain(strung);
        }
        file.controls.retain(|c| !(c.joints.is_empty() && c.cables.is_empty()));
        self.cables = known_cables(file, world);
        self.script = Script::of_known(file, world);
    }

    fn surfaces(&mut self, file: &SceneFile) -> Result<Surfaces, SceneError> {
        match self.surfaces.take() {
            Some(surfaces) => Ok(surfaces),
            None => build::materials(file, &mut self.world),
        }
    }
}

/// Cables of a file that the world has, and how many spans each has.
fn known_cables(file: &SceneFile, world: &World) -> Vec<(CableId, usize)> {
    let known = |(i, cable): (usize, &Cable)| {
        let name = cable.name.clone().unwrap_or_else(|| format!("cable{i}"));
        let id = world.cable_named(&name)?;
        Some((id, world.cable(id).ok()?.tensions().len()))
    };
    file.cables.iter().enumerate().filter_map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(value: serde_json::Value) -> Body {
        part(value, "bodies[0]").expect("a body")
    }

    #[test]
    fn a_scene_that_grew_is_the_scene_of_its_file() {
        let text = r#"{"version": 1, "ground": {}}"#;
        let mut file = SceneFile::from_json(text).expect("valid");
        let mut scene = file.build().expect("valid");
        let rubber = part(json!({"friction": 0.9}), "materials.rubber").expect("valid");
        scene.add_material(&mut file, "rubber", rubber).expect("valid");
        let ball = json!({"name": "ball", "shape": {"ball": {"radius": 0.1}},
            "position": [0, 0, 1], "material": "rubber"});
        scene.add_body(&mut file, body(ball)).expect("valid");
        let slider = json!({"type": "slider", "a": "world", "b": "ball", "axis_a": [1, 0, 0],
            "motor": {"velocity": {"target": 0}}});
        let slider = part(slider, "joints[0]").expect("valid");
        scene.add_joint(&mut file, slider).expect("valid");
        let drive = json!({"motor": {"joint": "joint0", "keys": [[0, 0], [1, 2]]}});
        let drive = part(drive, "drives[0]").expect("valid");
        scene.add_drive(&mut file, drive).expect("valid");
        let settings = part(json!({"substeps": 2}), "settings").expect("valid");
        scene.configure(&mut file, settings).expect("valid");
        let mut again = SceneFile::from_json(&file.to_json().expect("valid"))
            .and_then(|file| file.build())
            .expect("valid");
        for _ in 0..30 {
            assert!(scene.step().expect("steps").converged());
            let _ = again.step().expect("steps");
        }
        let place = |s: &Scene| s.world.body(s.bodies[0]).map(|b| b.position());
        assert_eq!(place(&scene), place(&again));
        assert!(place(&scene).expect("there").x > 0.1);
        // A copy goes on in the same way, drives included.
        let mut copy = Scene::restore(&file, &scene.world.snapshot()).expect("valid");
        for _ in 0..30 {
            let _ = scene.step().expect("steps");
            let _ = copy.step().expect("steps");
        }
        assert_eq!(place(&scene), place(&copy));
        // And knows its surfaces.
        let other = json!({"name": "other", "shape": {"ball": {"radius": 0.1}},
            "position": [0, 3, 1], "material": "rubber"});
        copy.add_body(&mut file.clone(), body(other)).expect("valid");
        scene.remove_body(&mut file, "ball").expect("there");
        assert!(file.bodies.is_empty() && file.joints.is_empty() && file.drives.is_empty());
        let _ = scene.step().expect("steps");
        assert!(scene.remove_body(&mut file, "ball").is_err());
        scene.remove_body(&mut file, "ground").expect("there");
        assert_eq!(file.ground, None);
    }

    #[test]
    fn cables_come_and_go_with_their_file() {
        let mut file = SceneFile::default();
        let mut scene = file.build().expect("valid");
        let ball = json!({"name": "load", "shape": {"ball": {"radius": 0.1}}, "mass": 2.0});
        scene.add_body(&mut file, body(ball)).expect("valid");
        let rope = |name: Option<&str>| -> Cable {
            let via = json!([{"body": "world", "point": [0, 0, 3]}, {"body": "load"}]);
            part(json!({"via": via, "name": name, "winch": {"speed": 0}}), "cables[0]")
                .expect("one")
        };
        let id = scene.add_cable(&mut file, rope(None)).expect("valid");
        assert_eq!(scene.cables, [(id, 1)]);
        let taken = scene.add_cable(&mut file, rope(Some("cable0"))).expect_err("taken");
        assert_eq!(taken.to_string(), "cables[1].name: the name 'cable0' is taken by cables[0]");
        assert_eq!((file.cables.len(), scene.cables.len()), (1, 1));
        let winch = Winch { speed: -0.5, max_force: None, stop: None };
        scene.set_winch("cable0", Some(winch)).expect("valid");
        assert!(scene.set_winch("cable9", None).is_err());
        let _ = scene.step_by(0.5).expect("steps");
        assert!((scene.world.cable(id).expect("there").length() - 2.75).abs() < 1e-12);
        let drive = part(json!({"winch": {"cable": "cable0", "keys": [[0, 0]]}}), "drives[0]");
        scene.add_drive(&mut file, drive.expect("valid")).expect("valid");
        scene.remove_cable(&mut file, "cable0").expect("there");
        assert!(file.cables.is_empty() && file.drives.is_empty() && scene.cables.is_empty());
        assert!(scene.remove_cable(&mut file, "cable0").is_err());
    }

    #[test]
    fn mistakes_name_their_place_and_change_nothing() {
        let mut file = SceneFile::default();
        let mut scene = file.build().expect("valid");
        let error = part::<Body>(json!({"name": "b", "mass": "heavy"}), "bodies[0]");
        assert_eq!(
            error.expect_err("wrong").to_string(),
            "bodies[0].mass: expected a number, found string \"heavy\""
        );
        let bad = body(json!({"name": "b", "mass": -1.0}));
        let error = scene.add_body(&mut file, bad).expect_err("wrong");
        assert!(error.to_string().starts_with("bodies[0].mass"), "{error}");
        let bad = part(json!({"type": "hinge", "a": "world", "b": "b"}), "joints[0]");
        assert!(scene.add_joint(&mut file, bad.expect("valid")).is_err());
        assert!(file.bodies.is_empty() && file.joints.is_empty());
        let settings = part(json!({"substeps": 0}), "settings").expect("valid");
        assert!(scene.configure(&mut file, settings).is_err());
    }
}
