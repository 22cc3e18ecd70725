//! All that is kept of a run, for those who ask: tables of values for plots,
//! a scene file that repeats it, a page that replays it.

use std::io;
use std::sync::Arc;

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use taut_scenes::recording::{Header, Recorder};

use crate::frame::Kept;
use crate::replay::replay;
use crate::series::Kind;

/// More points than a plot can show are not sent.
const MOST_ROWS: usize = 4000;

/// All that is kept: cheap to copy, for frames are shared.
pub struct Everything {
    /// With what hands drove.
    pub header: Arc<Header>,
    /// Whether more happened than that: pulls, or other settings.
    pub more: bool,
    pub(crate) frames: Vec<(u32, Arc<Kept>)>,
}

impl Everything {
    /// Number, time and values of frames that are kept, as bytes: of `figures`, or `series/KIND/INDEX`;
    /// as many as plots can show, or with `?all` after it all of them.
    pub fn rows(&self, path: &str) -> Option<Vec<u8>> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let most = if query == "all" { usize::MAX } else { MOST_ROWS };
        if path == "figures" {
            return Some(self.table(most, |kept| kept.frame.figures.to_vec()));
        }
        let (kind, index) = path.strip_prefix("series/")?.split_once('/')?;
        let kind: StrDeserializer<'_, Error> = kind.into_deserializer();
        let subject = <Kind as serde::Deserialize>::deserialize(kind).ok()?.subject(index)?;
        Some(self.table(most, |kept| subject.values(kept)))
    }

    fn table(&self, most: usize, values: impl Fn(&Kept) -> Vec<f32>) -> Vec<u8> {
        let every = self.frames.len().div_ceil(most).max(1);
        let mut bytes = Vec::new();
        for (number, kept) in self.frames.iter().step_by(every) {
            bytes.extend(number.to_le_bytes());
            bytes.extend((kept.frame.time as f32).to_le_bytes());
            values(kept).iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        bytes
    }

    /// The scene file of the run, with what was driven as drives.
    pub fn scene_file(&self) -> Result<String, serde_json::Error> {
        let mut file = self.header.scene.clone();
        let end = self.frames.last().map_or(0.0, |f| f.1.frame.time);
        file.duration = if end > 0.0 { end } else { file.duration };
        if self.more {
            let notes = "Bodies were pulled, or limits, solver or steps changed, while it ran: this file does \
                         not say so, and does not repeat the run.";
            file.meta.notes = format!("{} {notes}", file.meta.notes).trim_start().to_string();
        }
        serde_json::to_string_pretty(&file)
    }

    /// The page with what is kept in it, with forces or only with motion.
    pub fn page(&self, page: &str, forces: bool) -> io::Result<String> {
        let mut recorder = Recorder::new(Vec::new(), &self.header)?;
        for (_, kept) in &self.frames {
            let mut frame = kept.frame.clone();
            if !forces {
                frame.details.clear();
            }
            recorder.push(frame)?;
        }
        Ok(replay(page, &recorder.finish()?))
    }

    /// A name for files: letters, digits and a few signs of the scene's.
    pub fn name(&self) -> String {
        let good = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
        let name = self.header.scene.name.as_deref().unwrap_or("");
        let name: String = name.chars().filter(good).take(60).collect();
        if name.is_empty() { "taut".into() } else { name }
    }
}
