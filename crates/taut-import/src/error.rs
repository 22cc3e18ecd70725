//! What is wrong with a file, and where.

use std::rc::Rc;
use thiserror::Error;

/// A mistake in a file: one line that names the file, what was expected, and the line of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}: {message}{}", line_words(*.line))]
pub struct ImportError {
    /// The file.
    pub file: String,
    /// The line, counting from 1; 0: the file as a whole.
    pub line: u32,
    /// What is wrong, and what was expected.
    pub message: String,
}

fn line_words(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
}

/// A line of a file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) file: Rc<str>,
    pub(crate) line: u32,
}

impl Place {
    /// A file as a whole.
    pub(crate) fn file(name: &str) -> Self {
        Place { file: name.into(), line: 0 }
    }

    /// A mistake at this place.
    pub(crate) fn error(&self, message: impl Into<String>) -> ImportError {
        let mut message: String = message.into();
        if message.contains(char::is_control) {
            // One line, whatever the file has in its names.
            let plain = |c: char| match c.is_control() {
                true => c.escape_debug().to_string(),
                false => c.to_string(),
            };
            message = message.chars().map(plain).collect();
        }
        ImportError { file: self.file.to_string(), line: self.line, message }
    }
}

/// What was left out or changed, one line each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) lines: Vec<String>,
    /// Hulls that lost points: how many, how far the worst one is inside \[m\], its name and place.
    thinned: Option<(usize, f64, String, Place)>,
}

impl Notes {
    /// Counts a hull that lost points.
    pub(crate) fn thinned(&mut self, place: &Place, name: &str, inside: f64) {
        let (count, most, worst, at) =
            self.thinned.take().unwrap_or((0, 0.0, String::new(), place.clone()));
        self.thinned = Some(match inside > most {
            true => (count + 1, inside, name.into(), place.clone()),
            false => (count + 1, most, worst, at),
        });
    }

    /// Adds the line about hulls.
    pub(crate) fn finish(&mut self) {
        let Some((count, most, worst, place)) = self.thinned.take() else { return };
        let hulls = if count == 1 {
            "a hull of a mesh keeps".into()
        } else {
            format!("{count} hulls of meshes keep")
        };
        let far = 1e3 * most;
        let message =
            format!("{hulls} 256 points at most; '{worst}' is up to {far:.2} mm smaller by that");
        self.add(&place, message);
    }

    /// Adds a line that names its place; the same words are said once.
    pub(crate) fn add(&mut self, place: &Place, message: impl Into<String>) {
        let line = place.error(message).to_string();
        if !self.lines.contains(&line) {
            self.lines.push(line);
        }
    }
}
