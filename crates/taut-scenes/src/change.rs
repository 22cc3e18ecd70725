//! Gravity and friction that change at a time, as a script or a hand says.

use crate::build::Place;
use crate::error::{SceneError, hint};
use crate::file::{Change, DEFAULT_MATERIAL, Drive, Material, Pair, SceneFile};
use crate::scene::Scene;
use std::collections::BTreeMap;
use taut::math::Vec3;
use taut::{Error, World};

/// A change, and what pairs of surfaces have from then on.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    change: Change,
    pairs: Vec<([String; 2], taut::Material)>,
}

/// All changes in the order of their times, and how many of them are made.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    all: Vec<Timed>,
    made: usize,
}

impl Changes {
    /// Those of a file, and of hands. Errors name the place in the file.
    pub(crate) fn new(file: &SceneFile, hands: &[Change]) -> Result<Self, SceneError> {
        let scripted = file.drives.iter().enumerate().filter_map(|(i, drive)| match drive {
            Drive::Change(change) => Some((format!("drives[{i}].change"), change)),
            _ => None,
        });
        let mut given: Vec<_> =
            scripted.chain(hands.iter().map(|c| ("change".into(), c))).collect();
        for (place, change) in &given {
            let place = Place::new(place);
            place.number("time", change.time)?;
            if let Some(gravity) = change.gravity {
                place.vector("gravity", gravity)?;
            }
        }
        given.sort_by(|a, b| a.1.time.total_cmp(&b.1.time));
        let mut materials = file.materials.clone();
        let timed = given.into_iter().map(|(place, change)| {
            let pairs = pairs(file, change, &mut materials, &Place::new(place))?;
            Ok(Timed { change: change.clone(), pairs })
        });
        Ok(Changes { all: timed.collect::<Result<_, _>>()?, made: 0 })
    }

    /// Makes those that are due by a time.
    pub(crate) fn make(&mut self, until: f64, world: &mut World) -> Result<(), Error> {
        let due = self.all.partition_point(|c| c.change.time <= until);
        for timed in self.all.get(self.made..due).unwrap_or_default() {
            timed.make(world)?;
        }
        self.made = due;
        Ok(())
    }

    /// Takes those up to a time as made.
    pub(crate) fn skip(&mut self, until: f64) {
        self.made = self.all.partition_point(|c| c.change.time <= until);
    }

    fn friction(&self, name: &str) -> Option<f64> {
        let made = self.all.get(..self.made).unwrap_or_default();
        made.iter().rev().find_map(|c| c.change.friction.get(name).copied())
    }
}

impl Timed {
    fn make(&self, world: &mut World) -> Result<(), Error> {
        let gravity = self.change.gravity.map_or(world.gravity(), Vec3::from);
        for ([a, b], together) in &self.pairs {
            let (a, b) = (world.surface(a), world.surface(b));
            world.set_pair(a, b, *together)?;
        }
        // What sleeps wakes up.
        if gravity != world.gravity() || !self.pairs.is_empty() {
            world.set_gravity(gravity)?;
        }
        Ok(())
    }
}

/// What the pairs of surfaces that change have together, by the rule for pairs; those that the
/// file lists stay as they are. Refuses surfaces whose friction depends on the direction.
fn pairs(
    file: &SceneFile,
    change: &Change,
    materials: &mut BTreeMap<String, Material>,
    place: &Place,
) -> Result<Vec<([String; 2], taut::Material)>, SceneError> {
    materials.entry(DEFAULT_MATERIAL.into()).or_default();
    for (name, &friction) in &change.friction {
        let place = place.field("friction");
        place.not_negative(name, friction)?;
        let known = hint(name, materials.keys().map(String::as_str));
        let Some(material) = materials.get_mut(name) else {
            return Err(place.field(name).error(format!("no material is named '{name}'{known}")));
        };
        material.friction = friction;
    }
    let mut pairs = Vec::new();
    for name in change.friction.keys() {
        let own = &materials[name];
        for (other, theirs) in materials.iter() {
            let both = [name.as_str(), other.as_str()];
            let listed = |p: &Pair| p.materials == both || p.materials == [both[1], both[0]];
            if file.pairs.iter().any(listed) {
                continue;
            }
            if own.anisotropy.is_some() || theirs.anisotropy.is_some() {
                let message =
                    "its friction depends on the direction, or that of a surface it meets";
                return Err(place.field("friction").field(name).error(message));
            }
            let plain = |m: &crate::file::Material| taut::Material {
                friction: m.friction,
                restitution: m.restitution,
                torsional_friction: m.torsional_friction,
                rolling_friction: m.rolling_friction,
                anisotropy: None,
                surface: None,
                penalty: m.penalty,
            };
            let together = plain(own).with(&plain(theirs));
            pairs.push((both.map(Into::into), together));
        }
    }
    Ok(pairs)
}

impl Scene {
    /// Changes gravity from now on; kept with what hands do.
    pub fn change_gravity(&mut self, file: &SceneFile, gravity: Vec3) -> Result<(), SceneError> {
        let gravity = Some(gravity.into());
        self.change(file, |change| change.gravity = gravity)
    }

    /// Changes the friction of a surface from now on; kept with what hands do. Pairs that the file
    /// lists stay as they are.
    pub fn change_friction(
        &mut self,
        file: &SceneFile,
        material: &str,
        friction: f64,
    ) -> Result<(), SceneError> {
        self.change(file, |change| _ = change.friction.insert(material.into(), friction))
    }

    fn change(
        &mut self,
        file: &SceneFile,
        edit: impl FnOnce(&mut Change),
    ) -> Result<(), SceneError> {
        let time = self.world.time();
        let mut changes = self.script.hands.changes.clone();
        if changes.last().is_none_or(|last| last.time != time) {
            changes.push(Change { time, ..Change::default() });
        }
        if let Some(change) = changes.last_mut() {
            edit(change);
        }
        let mut resolved = Changes::new(file, &changes)?;
        resolved.skip(time - 0.5 * self.dt);
        let engine = |e: Error| SceneError::new("", e.to_string());
        resolved.make(time, &mut self.world).map_err(engine)?;
        self.script.hands.changes = changes;
        self.script.changes = resolved;
        Ok(())
    }

    /// Surfaces and their friction now.
    pub fn frictions(&self, file: &SceneFile) -> BTreeMap<String, f64> {
        let plain = (DEFAULT_MATERIAL.to_string(), Material::default().friction);
        let own = file.materials.iter().map(|(name, m)| (name.clone(), m.friction));
        let mut all: BTreeMap<_, _> = [plain].into_iter().chain(own).collect();
        for (name, friction) in &mut all {
            *friction = self.script.changes.friction(name).unwrap_or(*friction);
        }
        all
    }

    /// Puts gravity and friction as hands changed them into a file, to start with them.
    pub fn keep_changes(&self, file: &mut SceneFile) {
        for change in &self.script.hands.changes {
            file.gravity = change.gravity.unwrap_or(file.gravity);
            for (name, &friction) in &change.friction {
                file.materials.entry(name.clone()).or_default().friction = friction;
            }
        }
    }
}
