//! What is wrong with a scene, and where.

use thiserror::Error;

/// A mistake in a scene: one line that names the file (if it came from one),
/// the place in it, and what was expected.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{}{message}", prefix(.file.as_deref()), prefix(Some(.place)))]
pub struct SceneError {
    /// The file, if the scene came from one.
    pub file: Option<String>,
    /// The place, such as `joints[3].anchor_a[1]`; empty: the file as a whole.
    pub place: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

fn prefix(part: Option<&str>) -> String {
    part.filter(|p| !p.is_empty()).map(|p| format!("{p}: ")).unwrap_or_default()
}

impl SceneError {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        SceneError { file: None, place: place.into(), message: message.into() }
    }

    /// The same mistake, in that file.
    pub(crate) fn in_file(self, file: impl Into<String>) -> Self {
        SceneError { file: Some(file.into()), ..self }
    }
}

/// The known name nearest to a mistyped one, if one is near.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |k: &&str| strsim::jaro_winkler(name, k);
    let best = known.into_iter().max_by(|a, b| near(a).total_cmp(&near(b)))?;
    (near(&best) > 0.75).then_some(best)
}

/// `; did you mean ...?`, or nothing.
pub(crate) fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|k| format!("; did you mean '{k}'?")).unwrap_or_default()
}
