//! A heavy plate on a light soft cube.
//!
//! Source: Andrews22 1.4.2; linear material with ν = 0, so that the height is known: 0.2 (1 − (m + 4) g / (E A)) m.

use super::Entry;
use crate::file::{Body, Ground, SceneFile, Shape, SoftBody, SoftMesh, SoftModel};

pub(super) const ENTRY: Entry = Entry {
    name: "soft-press",
    aliases: &[],
    summary: "A plate of 1,000 kg stands on a soft cube of 8 kg.",
    source: "Andrews22 1.4.2, with a closed form",
    size_of: "presses",
    default_size: 1,
    small_size: 1,
    build,
};

/// Cells along an edge of a cube.
const CELLS: usize = 4;

/// `size` presses side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Cube of 0.2 m and 8 kg, E = 1 MPa, nu = 0; the plate ends at 0.15075 m.";
    let mut scene = ENTRY.scene(notes, &[("mass_ratio", 125.0), ("height", 0.150_753_8)]);
    scene.duration = 10.0;
    scene.ground = Some(Ground::default());
    for i in 0..size {
        let y = 0.6 * i as f64;
        let plate = Body::new(format!("plate{i}")).shape(Shape::cuboid([0.16, 0.16, 0.02]));
        scene.add(plate.mass(1000.0).at([0.0, y, 0.22]));
        let mesh = SoftMesh::Block { size: [0.2; 3], cells: [CELLS; 3] };
        scene.soften(SoftBody {
            position: [-0.1, y - 0.1, 0.0],
            model: SoftModel::Linear,
            poisson: 0.0,
            mass: Some(8.0),
            damping: [0.0, 0.02],
            ..SoftBody::new(format!("cube{i}"), mesh)
        });
    }
    scene
}
