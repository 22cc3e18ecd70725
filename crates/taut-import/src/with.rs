//! What a scene file adds to a robot: joints that close its loops, a ground, loads.

use crate::error::{ImportError, Place};
use std::path::Path;
use taut_scenes::file::SceneFile;

/// Adds what the file holds, but for settings of the run.
pub(crate) fn add(scene: &mut SceneFile, path: &Path) -> Result<(), ImportError> {
    let place = Place::file(&path.display().to_string());
    let extra = SceneFile::read(path).map_err(|e| match e.place.as_str() {
        "" => place.error(e.message),
        inner => place.error(format!("{inner}: {}", e.message)),
    })?;
    let taken = |name: &String| place.error(format!("the robot has a material '{name}', too"));
    for (name, material) in extra.materials {
        if scene.materials.insert(name.clone(), material.clone()).is_some_and(|old| old != material)
        {
            return Err(taken(&name));
        }
    }
    let before = [
        ("pairs[", scene.pairs.len()),
        ("bodies[", scene.bodies.len()),
        ("joints[", scene.joints.len()),
        ("cables[", scene.cables.len()),
        ("soft_bodies[", scene.soft_bodies.len()),
        ("drives[", scene.drives.len()),
    ];
    scene.ground = extra.ground.or(scene.ground.take());
    scene.pairs.extend(extra.pairs);
    scene.bodies.extend(extra.bodies);
    scene.joints.extend(extra.joints);
    scene.cables.extend(extra.cables);
    scene.soft_bodies.extend(extra.soft_bodies);
    scene.groups.extend(extra.groups);
    scene.drives.extend(extra.drives);
    scene.controls.extend(extra.controls);
    scene.scenery.extend(extra.scenery);
    scene.build().map(drop).map_err(|e| {
        let inner = in_file(&e.place, &before);
        place.error(format!("{inner}: {}", e.message))
    })
}

/// A place of the whole scene as one of the file, which is counted from what the robot had before it.
fn in_file(place: &str, before: &[(&str, usize)]) -> String {
    let own = before.iter().find_map(|(list, count)| {
        let (index, rest) = place.strip_prefix(list)?.split_once(']')?;
        let index = index.parse::<usize>().ok()?.checked_sub(*count)?;
        Some(format!("{list}{index}]{rest}"))
    });
    own.unwrap_or_else(|| place.to_string())
}
