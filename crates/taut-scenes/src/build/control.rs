//! Checks of controls.

use super::place::Place;
use crate::error::SceneError;
use crate::file::SceneFile;
use crate::hands::levers;
use taut::World;

const ARROWS: [&str; 4] = ["up", "down", "left", "right"];

/// Checks keys, ranges, and that there is a motor for each name.
pub(super) fn check(file: &SceneFile, world: &World) -> Result<(), SceneError> {
    for (i, control) in file.controls.iter().enumerate() {
        let place = Place::new("").item("controls", i);
        for (k, key) in control.keys.iter().enumerate() {
            let letter =
                key.len() == 1 && key.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9'));
            if !letter && !ARROWS.contains(&key.as_str()) {
                let message = format!(
                    "expected a letter a to z, a digit or one of up, down, left, right, found \"{key}\""
                );
                return Err(place.field(&format!("keys[{k}]")).error(message));
            }
        }
        if control.keys[0] == control.keys[1] {
            return Err(place.field("keys").error("expected two different keys"));
        }
        place.finite("range", &control.range)?;
        if control.range[0] >= control.range[1] {
            return Err(place.field("range").error("expected the lower end first"));
        }
        place.positive("rate", control.rate)?;
        levers(control, world).map_err(|(field, message)| place.field(&field).error(message))?;
    }
    Ok(())
}
