//! What several built-in scenes are made of.

pub(super) mod machine;
pub(super) mod net;
pub(super) mod random;
pub(super) mod strand;
pub(super) mod truck;

use super::Entry;
use crate::file::{Meta, SceneFile};

/// An empty scene of 20 s at 60 Hz: the time step of Ho22 (section 6) and
/// Peiret19 (section 7), and a duration that lets every scene end.
pub(super) fn scene(entry: &Entry, notes: &str, statistics: &[(&str, f64)]) -> SceneFile {
    SceneFile {
        name: Some(entry.name.into()),
        meta: Meta {
            description: entry.summary.into(),
            source: entry.source.into(),
            notes: notes.into(),
            statistics: statistics.iter().map(|(name, x)| (name.to_string(), *x)).collect(),
        },
        duration: 20.0,
        ..SceneFile::default()
    }
}

/// Makes bodies in their order into partitions of at most `size` bodies.
/// Partitions are the groups whose names start with "part-".
pub(super) fn partition(scene: &mut SceneFile, names: &[String], size: usize) {
    for members in names.chunks(size.max(1)) {
        add_partition(scene, members.to_vec());
    }
}

/// Makes bodies into one more partition.
pub(super) fn add_partition(scene: &mut SceneFile, members: Vec<String>) {
    let number = scene.groups.keys().filter(|name| name.starts_with("part-")).count();
    scene.groups.insert(format!("part-{number:02}"), members);
}
