//! A beam of rubber between two supports, with boxes on it.

use super::Entry;
use crate::file::{Body, Ground, Material, Region, SceneFile, Shape, SoftBody, SoftMesh};

pub(super) const ENTRY: Entry = Entry {
    name: "beam-bridge",
    aliases: &[],
    summary: "Boxes drop onto a soft beam that is held at both ends, and it bends under them.",
    source: "Timoshenko's beam, of quadratic tetrahedra",
    size_of: "boxes",
    default_size: 4,
    small_size: 2,
    build,
};

const LENGTH: f64 = 4.0;
const HEIGHT: f64 = 1.0;

/// `size` boxes along the beam.
pub fn build(size: usize) -> SceneFile {
    let notes = "Beam of 4 m x 0.4 m x 0.15 m, 264 kg, E = 30 MPa, nu = 0.3; boxes of 20 kg.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.duration = 8.0;
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.8));
    let ends = [-0.5 * LENGTH - 0.2, 0.5 * LENGTH + 0.2];
    for (name, x) in ["left", "right"].into_iter().zip(ends) {
        let pier = Body::fixed(name).shape(Shape::cuboid([0.2, 0.4, 0.5 * HEIGHT + 0.05]));
        scene.add(pier.at([x, 0.0, 0.5 * HEIGHT + 0.05]));
    }
    let end = |x: f64| Region { min: [x - 0.01, -1.0, 0.0], max: [x + 0.01, 1.0, 2.0] };
    let mesh = SoftMesh::Block { size: [LENGTH, 0.4, 0.15], cells: [8, 1, 1] };
    scene.soften(SoftBody {
        quadratic: true,
        position: [-0.5 * LENGTH, -0.2, HEIGHT],
        young: 3e7,
        density: Some(1100.0),
        damping: [0.0, 0.01],
        pinned: vec![end(-0.5 * LENGTH), end(0.5 * LENGTH)],
        ..SoftBody::new("beam", mesh)
    });
    for i in 0..size {
        let x = LENGTH * ((i as f64 + 1.0) / (size as f64 + 1.0) - 0.5);
        let cargo = Body::new(format!("box{i}")).shape(Shape::cuboid([0.12; 3])).mass(20.0);
        scene.add(cargo.at([x, 0.0, HEIGHT + 0.15 + 0.12 + 0.2]));
    }
    scene
}
