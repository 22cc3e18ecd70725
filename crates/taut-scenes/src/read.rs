//! From JSON to a [`SceneFile`], with errors that name their place.

use crate::error::{SceneError, hint};
use crate::file::{SceneFile, VERSION};
use crate::strict;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;

/// Files of more bytes are refused.
const MAX_BYTES: u64 = 1 << 30;

impl SceneFile {
    /// Reads a scene from JSON text. What it says is checked when it is
    /// built; cables with mass are divided at once ([`SceneFile::divided`]).
    ///
    /// ```
    /// use taut_scenes::file::SceneFile;
    /// let text = r#"{"version": 1, "bodies": [{"name": "b", "mass": "heavy"}]}"#;
    /// let error = SceneFile::from_json(text).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bodies[0].mass: expected a number, found string \"heavy\" (line 1, column 55)"
    /// );
    /// ```
    pub fn from_json(text: &str) -> Result<Self, SceneError> {
        let mut input = serde_json::Deserializer::from_str(text);
        let scene: Result<SceneFile, _> = strict::deserialize(&mut input);
        let ended = input.end();
        match scene {
            Ok(scene) if ended.is_ok() && scene.version == VERSION => scene.divided(),
            // The version decides how all else is read: what is wrong with it comes first.
            scene => {
                check_version(text)?;
                scene.map_err(|e| data_error(&e.path().to_string(), e.inner()))
            }
        }
    }

    /// Reads a scene from a file. It is named after the file unless it has a
    /// name.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let file = path.display().to_string();
        let text = read_text(path).map_err(|m| SceneError::new("", m).in_file(&file))?;
        let mut scene = SceneFile::from_json(&text).map_err(|e| e.in_file(&file))?;
        if scene.name.is_none() {
            scene.name = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        }
        Ok(scene)
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let meta = std::fs::metadata(path).map_err(|e| format!("cannot be read: {e}"))?;
    // Anything else (a device, a pipe) may have no end.
    if !meta.is_file() {
        return Err("is not a regular file".into());
    }
    if meta.len() > MAX_BYTES {
        return Err(format!("has {} bytes; at most {MAX_BYTES} are read", meta.len()));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".into())
}

/// Whether the text is JSON, and of this version.
fn check_version(text: &str) -> Result<(), SceneError> {
    #[derive(Deserialize)]
    struct Head {
        version: Option<serde_json::Value>,
    }
    let syntax = |e| SceneError::new("", format!("not valid JSON: {}", in_words(&e)));
    let whole: Result<IgnoredAny, _> = serde_json::from_str(text);
    whole.map_err(syntax)?;
    let Ok(head) = serde_json::from_str::<Head>(text) else {
        return Err(SceneError::new("", "expected an object that starts {\"version\": 1, ...}"));
    };
    match head.version {
        Some(v) if v.as_u64() == Some(VERSION.into()) => Ok(()),
        Some(v) => Err(SceneError::new("version", format!("expected {VERSION}, found {v}"))),
        None => Err(SceneError::new("version", format!("missing; expected {VERSION}"))),
    }
}

/// "reason (line L, column C)".
fn in_words(e: &serde_json::Error) -> String {
    let (line, column) = (e.line(), e.column());
    let text = e.to_string();
    if line == 0 {
        return text; // It did not come from text.
    }
    let end = format!(" at line {line} column {column}");
    format!("{} (line {line}, column {column})", text.strip_suffix(&end).unwrap_or(&text))
}

/// An error of valid JSON that is not a scene.
pub(crate) fn data_error(path: &str, e: &serde_json::Error) -> SceneError {
    let text = in_words(e);
    let (reason, position) = text.rsplit_once(" (line").unwrap_or((&text, ""));
    let position = if position.is_empty() { String::new() } else { format!(" (line{position}") };
    let mut path = path.trim_start_matches('.').to_string();
    if reason.starts_with("missing field") && path.is_empty() {
        path = "scene".into();
    }
    SceneError::new(path, format!("{}{position}", rewrite(reason)))
}

/// serde's words in ours.
fn rewrite(reason: &str) -> String {
    if let Some((found, expected)) = expectation(reason) {
        return format!("expected {expected}, found {found}");
    }
    if reason == "expected value" {
        return "expected a name, or an object with exactly one field".into();
    }
    if reason == "trailing characters" {
        return "more values than expected".into();
    }
    if let Some(name) = quoted(reason, "unknown field `") {
        let known: Vec<&str> = names(reason).collect();
        let hint = if ["fixed", "static", "kinematic", "dynamic"].contains(&name)
            && known.contains(&"kind")
        {
            format!("; did you mean \"kind\": \"{}\"?", name.replace("static", "fixed"))
        } else {
            hint(name, known.iter().copied())
        };
        let list = if hint.is_empty() { format!("; known: {}", known.join(", ")) } else { hint };
        return format!("unknown field '{name}'{list}");
    }
    if let Some(name) = quoted(reason, "unknown variant `") {
        let list: Vec<&str> = names(reason).collect();
        let hint = hint(name, list.iter().copied());
        return format!("expected one of {}, found '{name}'{hint}", list.join(", "));
    }
    reason.replace('`', "'")
}

/// What "invalid type: F, expected E" and its like found and expected.
fn expectation(reason: &str) -> Option<(String, String)> {
    let kinds = ["invalid type: ", "invalid value: ", "invalid length "];
    let rest = kinds.iter().find_map(|k| reason.strip_prefix(k))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let found = match found.split_once(' ').map_or(found, |f| f.0) {
        "map" => "an object".into(),
        "sequence" => "a list".into(),
        "unit" => "only a name".into(),
        _ => shortened(found.replace('`', "")),
    };
    Some((found, expected_words(expected)))
}

/// What was found, without its end where that is long: it may be a whole mesh file.
fn shortened(found: String) -> String {
    const MOST: usize = 60;
    match found.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &found[..at]),
        None => found,
    }
}

fn expected_words(expected: &str) -> String {
    let length = ["an array of length ", "a tuple of size "];
    if let Some(n) = length.iter().find_map(|l| expected.strip_prefix(l)) {
        return format!("a list of {n} values");
    }
    match expected {
        "f64" => "a number".into(),
        "u32" | "usize" | "u64" => "a whole number, at least 0".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        e if e.starts_with("struct ") => "an object".into(),
        e => e.to_string(),
    }
}

fn quoted<'a>(reason: &'a str, start: &str) -> Option<&'a str> {
    reason.strip_prefix(start)?.split('`').next()
}

/// The names in backquotes after the first.
fn names(reason: &str) -> impl Iterator<Item = &str> {
    reason.split('`').skip(3).step_by(2)
}
