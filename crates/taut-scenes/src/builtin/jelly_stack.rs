//! Soft cubes on one another.

use super::Entry;
use crate::file::{Ground, Material, SceneFile, SoftBody, SoftMesh, wxyz};
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "jelly-stack",
    aliases: &[],
    summary: "Soft cubes drop onto one another, each turned a little, and come to rest.",
    source: "Andrews22 4: contact of soft bodies",
    size_of: "cubes",
    default_size: 4,
    small_size: 2,
    build,
};

/// Edge of a cube in m, and cells along it.
const EDGE: f64 = 0.3;
const CELLS: usize = 2;

/// `size` cubes.
pub fn build(size: usize) -> SceneFile {
    let mut scene =
        ENTRY.scene("Cubes of 0.3 m and 27 kg, E = 0.2 MPa, nu = 0.3, gaps of 5 cm.", &[]);
    scene.duration = 5.0;
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.6));
    for i in 0..size {
        let turn = Quat::from_rotation_z(0.15 * i as f64);
        let corner = turn * Vec3::new(-0.5 * EDGE, -0.5 * EDGE, 0.0);
        let at = corner + Vec3::Z * (0.02 + (EDGE + 0.05) * i as f64);
        let mesh = SoftMesh::Block { size: [EDGE; 3], cells: [CELLS; 3] };
        scene.soften(SoftBody {
            position: at.to_array(),
            orientation: wxyz(turn),
            young: 2e5,
            damping: [0.0, 0.01],
            ..SoftBody::new(format!("jelly{i}"), mesh)
        });
    }
    scene
}
