//! schemas/scene.v1.json: the format of scene files for editors and checkers.

use std::fs;

use crate::{Outcome, root};

const FILE: &str = "schemas/scene.v1.json";

/// Writes the schema.
pub fn write() -> Outcome {
    let path = root().join(FILE);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(|e| format!("{FILE}: {e}"))?;
    fs::write(path, taut_scenes::schema_text()).map_err(|e| format!("{FILE}: {e}"))
}

/// Checks that the schema is up to date.
pub fn check() -> Outcome {
    match fs::read_to_string(root().join(FILE)) {
        Ok(text) if text == taut_scenes::schema_text() => Ok(()),
        _ => Err(format!("{FILE} is out of date: run cargo xtask schema")),
    }
}
