//! From a [`SceneFile`] to JSON that reads back to the same bits.

use crate::error::SceneError;
use crate::file::SceneFile;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

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
        let written = AtomicFile::create(path).and_then(|mut out| {
            out.write_all(text.as_bytes())?;
            out.commit()
        });
        let error = |e| SceneError::new("", format!("cannot be written: {e}")).in_file(&file);
        written.map_err(error)
    }
}

/// A file that appears under its name only when it is complete: written under
/// another name beside its place, then renamed. Dropped before, it vanishes.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    out: BufWriter<File>,
}

impl AtomicFile {
    /// Starts a file. Fails where it could not be renamed later.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let refuse = |why| Err(Error::new(ErrorKind::InvalidInput, why));
        let Some(name) = path.file_name() else { return refuse("it names no file") };
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return refuse("it exists and is not a regular file");
        }
        let hidden = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
        let temporary = path.with_file_name(hidden);
        let out = BufWriter::new(File::create(&temporary)?);
        Ok(AtomicFile { path: path.into(), temporary, out })
    }

    /// Gives the complete file its name.
    pub fn commit(mut self) -> std::io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        std::fs::rename(&self.temporary, &self.path)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a commit nothing has this name any more.
        drop(std::fs::remove_file(&self.temporary));
    }
}
