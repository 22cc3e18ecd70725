//! From a [`SceneFile`] to JSON that reads back to the same bits.

use crate::error::SceneError;
use crate::file::SceneFile;
use std::io::Write;
use std::path::Path;

impl SceneFile {
    /// The scene as JSON text. Refuses scenes that cannot be built: JSON has
    /// no NaN or infinity, and nobody could read them back.
    pub fn to_json(&self) -> Result<String, SceneError> {
        self.build()?;
        let text = serde_json::to_string_pretty(self);
        text.map_err(|e| SceneError::new("", format!("cannot be written: {e}")))
    }

    /// Writes the scene to a file, which is complete or absent afterwards.
    pub fn write(&self, path: &Path) -> Result<(), SceneError> {
        let file = path.display().to_string();
        let text = self.to_json().map_err(|e| e.in_file(&file))?;
        write_atomically(path, |out| out.write_all(text.as_bytes()))
            .map_err(|e| SceneError::new("", format!("cannot be written: {e}")).in_file(&file))
    }
}

/// Lets `fill` write a file under another name beside its place; only when it
/// is complete it is renamed.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    use std::io::{Error, ErrorKind};
    let name = path.file_name();
    let name = name.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "it names no file"))?;
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Err(Error::new(ErrorKind::InvalidInput, "it exists and is not a regular file"));
    }
    let hidden = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
    let temporary = path.with_file_name(hidden);
    let written = std::fs::File::create(&temporary).and_then(|file| {
        let mut out = std::io::BufWriter::new(file);
        fill(&mut out)?;
        out.into_inner()?.sync_all()
    });
    let renamed = written.and_then(|()| std::fs::rename(&temporary, path));
    if renamed.is_err() {
        drop(std::fs::remove_file(&temporary));
    }
    renamed
}
