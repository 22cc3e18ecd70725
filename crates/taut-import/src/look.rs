//! What is seen: colours and shapes without contact.

use crate::mesh::Mesh;
use taut::math::Pose;
use taut_scenes::file::{Shape, Visual};

/// A colour as scenes write it, from red, green, blue and, perhaps, opacity, each from 0 to 1.
pub(crate) fn colour(rgba: &[f64]) -> Option<String> {
    let [r, g, b] = *rgba.first_chunk::<3>()?;
    let byte = |x: f64| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    Some(format!("#{:02x}{:02x}{:02x}", byte(r), byte(g), byte(b)))
}

/// A shape that is seen.
pub(crate) fn visual(shape: Shape, pose: &Pose, colour: Option<String>) -> Visual {
    let mut visual = Visual::new(shape).at(pose.translation).oriented(pose.rotation.normalize());
    visual.colour = colour;
    visual
}

/// A mesh that is seen; none if nothing of it is.
pub(crate) fn mesh(mesh: &Mesh) -> Option<Shape> {
    let seen = mesh.seen();
    let vertices = seen.vertices.into_iter().map(Into::into).collect();
    let triangles = seen.triangles;
    (!triangles.is_empty()).then_some(Shape::TriMesh { vertices, triangles })
}
