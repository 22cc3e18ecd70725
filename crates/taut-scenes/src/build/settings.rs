//! Settings.

use super::place::Place;
use crate::error::SceneError;
use crate::file::Settings;
use taut::Error;

/// The engine's settings: its defaults, and what the scene says.
pub(crate) fn build(given: &Settings) -> Result<taut::Settings, SceneError> {
    let place = Place::new("settings");
    let mut settings = taut::Settings::default();
    given.apply(&mut settings).map_err(|e| place.field("solver").engine(e))?;
    settings.validate().map_err(|e| match e {
        Error::Value { name, value, expected } => {
            place.field(name).error(format!("expected {expected}, found {value}"))
        }
        other => place.engine(other),
    })?;
    Ok(settings)
}
