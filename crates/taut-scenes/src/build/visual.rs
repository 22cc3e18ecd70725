//! Checks of what viewers show. The engine has no use for it.

use super::place::Place;
use super::shape;
use crate::error::{SceneError, hint};
use crate::file::{Body, SceneFile, Visual};

/// Checks colours and shapes of a body that are only seen.
pub(super) fn check(body: &Body, place: &Place) -> Result<(), SceneError> {
    colour(body.colour.as_deref(), place)?;
    all(&body.visual, "visual", place)
}

/// Checks what stands around.
pub(super) fn scenery(file: &SceneFile) -> Result<(), SceneError> {
    all(&file.scenery, "scenery", &Place::new(""))
}

fn all(visuals: &[Visual], list: &str, place: &Place) -> Result<(), SceneError> {
    for (i, visual) in visuals.iter().enumerate() {
        let at = place.item(list, i);
        shape::build(&visual.shape, &at.field("shape"))?;
        at.finite("position", &visual.position)?;
        at.rotation("orientation", visual.orientation)?;
        colour(visual.colour.as_deref(), &at)?;
    }
    Ok(())
}

pub(super) fn colour(text: Option<&str>, place: &Place) -> Result<(), SceneError> {
    let Some(text) = text else { return Ok(()) };
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(());
    }
    let message = format!("expected a colour such as \"#d98b3a\", found \"{text}\"");
    Err(place.field("colour").error(message))
}

/// Checks the view at the start.
pub(super) fn camera(file: &SceneFile) -> Result<(), SceneError> {
    let Some(camera) = &file.camera else { return Ok(()) };
    let place = Place::new("camera");
    place.finite("eye", &camera.eye)?;
    place.finite("target", &camera.target)?;
    if camera.eye == camera.target {
        return Err(place.field("eye").error("expected another place than the target"));
    }
    let Some(name) = &camera.follow else { return Ok(()) };
    let known = || file.bodies.iter().map(|b| b.name.as_str());
    if known().any(|other| other == name) {
        return Ok(());
    }
    let message = format!("no body is named '{name}'{}", hint(name, known()));
    Err(place.field("follow").error(message))
}
