//! What several built-in scenes are made of.

pub(super) mod machine;
pub(super) mod net;
pub(super) mod random;
pub(super) mod solids;
pub(super) mod strand;
pub(super) mod truck;

use crate::file::SceneFile;

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
