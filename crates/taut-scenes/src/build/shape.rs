//! Shapes.

use super::place::Place;
use crate::error::SceneError;
use crate::file::{Part, Shape};
use taut::math::{Pose, Vec3};

/// The engine's shape, its numbers checked.
pub(crate) fn build(shape: &Shape, place: &Place) -> Result<taut::Shape, SceneError> {
    match *shape {
        Shape::Ball { radius } => {
            place.field("ball").positive("radius", radius)?;
            Ok(taut::Shape::Ball { radius })
        }
        Shape::Box { half_extents } => {
            let at = place.field("box");
            for (i, &h) in half_extents.iter().enumerate() {
                at.positive(&format!("half_extents[{i}]"), h)?;
            }
            Ok(taut::Shape::Box { half_extents: Vec3::from(half_extents) })
        }
        Shape::Capsule { half_length, radius } => {
            let at = place.field("capsule");
            at.positive("half_length", half_length)?;
            at.positive("radius", radius)?;
            Ok(taut::Shape::Capsule { half_length, radius })
        }
        Shape::Cylinder { half_height, radius } => {
            round(&place.field("cylinder"), half_height, radius)?;
            Ok(taut::Shape::Cylinder { half_height, radius })
        }
        Shape::Cone { half_height, radius } => {
            round(&place.field("cone"), half_height, radius)?;
            Ok(taut::Shape::Cone { half_height, radius })
        }
        Shape::HalfSpace { normal } => {
            let normal = place.field("half_space").direction("normal", normal)?;
            Ok(taut::Shape::HalfSpace { normal })
        }
        _ => listed(shape, place),
    }
}

fn round(place: &Place, half_height: f64, radius: f64) -> Result<(), SceneError> {
    place.positive("half_height", half_height)?;
    place.positive("radius", radius)
}

/// What is wrong with the geometry of a shape, which the engine found when it built a body of it: the
/// place of the innermost shape that cannot be built.
pub(super) fn fault(shape: &Shape, place: &Place) -> Option<SceneError> {
    if let Shape::Compound { parts } = shape {
        let at = place.field("compound");
        let of_part = |(i, p): (usize, &Part)| fault(&p.shape, &at.item("parts", i).field("shape"));
        if let Some(error) = parts.iter().enumerate().find_map(of_part) {
            return Some(error);
        }
    }
    build(shape, place).ok()?.build().err().map(|e| place.engine(e))
}

/// Shapes given by lists; the engine checks their geometry.
fn listed(shape: &Shape, place: &Place) -> Result<taut::Shape, SceneError> {
    Ok(match shape {
        Shape::ConvexHull { points } => {
            taut::Shape::ConvexHull { points: vectors(points, "points", place, "convex_hull")? }
        }
        Shape::TriMesh { vertices, triangles } => taut::Shape::TriMesh {
            vertices: vectors(vertices, "vertices", place, "tri_mesh")?,
            triangles: triangles.clone(),
        },
        Shape::Sdf { vertices, triangles } => taut::Shape::Sdf {
            vertices: vectors(vertices, "vertices", place, "sdf")?,
            triangles: triangles.clone(),
        },
        Shape::HeightField { heights, nx, ny, size_x, size_y } => {
            let at = place.field("height_field");
            at.finite("heights", heights)?;
            at.positive("size_x", *size_x)?;
            at.positive("size_y", *size_y)?;
            let (heights, nx, ny) = (heights.clone(), *nx, *ny);
            taut::Shape::HeightField { heights, nx, ny, size_x: *size_x, size_y: *size_y }
        }
        Shape::Compound { parts } => {
            let at = place.field("compound");
            let parts = parts.iter().enumerate().map(|(i, p)| part(p, &at.item("parts", i)));
            taut::Shape::Compound { parts: parts.collect::<Result<_, _>>()? }
        }
        _ => return build(shape, place),
    })
}

fn part(part: &Part, place: &Place) -> Result<(Pose, taut::Shape), SceneError> {
    let pose = pose(part.position, part.orientation, place)?;
    Ok((pose, build(&part.shape, &place.field("shape"))?))
}

/// A pose from position and quaternion.
pub(super) fn pose(x: [f64; 3], q: [f64; 4], place: &Place) -> Result<Pose, SceneError> {
    let x = place.vector("position", x)?;
    Ok(Pose::from_parts(x, place.rotation("orientation", q)?))
}

fn vectors(
    list: &[[f64; 3]],
    field: &str,
    place: &Place,
    kind: &str,
) -> Result<Vec<Vec3>, SceneError> {
    let at = place.field(kind);
    let each = list.iter().enumerate();
    each.map(|(i, &v)| at.vector(&format!("{field}[{i}]"), v)).collect()
}
