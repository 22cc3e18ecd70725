//! Soft bodies.

use super::place::Place;
use super::{Surfaces, find_body, shape, visual};
use crate::error::SceneError;
use crate::file::{Region, SceneFile, SoftBody, SoftMesh, SoftModel};
use taut::math::Vec3;
use taut::soft::{Mesh, Model};
use taut::{SoftBodyId, World};

/// Nodes this near to a region are in it \[m\]: rounding of what is written in files.
const NEAR: f64 = 1e-9;

/// All soft bodies, in their order.
pub(super) fn add_all(
    file: &SceneFile,
    surfaces: &Surfaces,
    world: &mut World,
) -> Result<Vec<SoftBodyId>, SceneError> {
    (0..file.soft_bodies.len()).map(|i| add(file, i, surfaces, world)).collect()
}

fn add(
    file: &SceneFile,
    i: usize,
    surfaces: &Surfaces,
    world: &mut World,
) -> Result<SoftBodyId, SceneError> {
    let (soft, place) = (&file.soft_bodies[i], Place::new("").item("soft_bodies", i));
    if let Some(j) = file.soft_bodies[..i].iter().position(|s| s.name == soft.name) {
        let message = format!("the name '{}' is taken by soft_bodies[{j}]", soft.name);
        return Err(place.field("name").error(message));
    }
    let built = build(soft, surfaces, &place)?;
    let mut attached = Vec::new();
    for (k, to) in soft.attached.iter().enumerate() {
        let place = place.item("attached", k);
        let body = find_body(world, &to.body).map_err(|m| place.field("body").error(m))?;
        attached.push((nodes(&built, &to.within, &place.field("within"))?, body, place));
    }
    let id = world.add_soft_body(built).map_err(|e| place.engine(e))?;
    for (nodes, body, place) in attached {
        world.attach(id, nodes, body).map_err(|e| place.engine(e))?;
    }
    Ok(id)
}

fn build(
    soft: &SoftBody,
    surfaces: &Surfaces,
    place: &Place,
) -> Result<taut::SoftBody, SceneError> {
    if soft.name.is_empty() {
        return Err(place.field("name").error("expected a name, found an empty string"));
    }
    let at = place.field("mesh");
    let mut mesh = mesh(&soft.mesh).map_err(|e| at.engine(e))?;
    if soft.quadratic {
        mesh = mesh.quadratic().map_err(|e| at.engine(e))?;
    }
    let pose = shape::pose(soft.position, soft.orientation, place)?;
    let model = match soft.model {
        SoftModel::Linear => Model::Linear,
        SoftModel::Corotational => Model::Corotational,
        SoftModel::StableNeoHookean => Model::StableNeoHookean,
    };
    place.positive("young", soft.young)?;
    let surface = surfaces.named(soft.material.as_deref(), None, place)?;
    let mut built = taut::SoftBody::new(soft.name.clone(), mesh)
        .elastic(model, soft.young, soft.poisson)
        .damping(soft.damping[0], soft.damping[1])
        .material(surface)
        .velocity(place.vector("velocity", soft.velocity)?)
        .angular_velocity(place.vector("angular_velocity", soft.angular_velocity)?)
        .pose(pose);
    match (soft.mass, soft.density) {
        (Some(_), Some(_)) => {
            return Err(place.field("mass").error("expected a mass or a density, found both"));
        }
        (Some(mass), None) => {
            place.positive("mass", mass)?;
            built = built.mass(mass);
        }
        (None, density) => {
            // What the filling cut off has its mass in the rest.
            let share = match &soft.mesh {
                SoftMesh::Surface { vertices, triangles, .. } => {
                    volume(vertices, triangles) / built.mesh_at_rest().volume()
                }
                _ => 1.0,
            };
            built = built.density(share * density.unwrap_or(1000.0));
        }
    }
    visual::colour(soft.colour.as_deref(), place)?;
    for (k, region) in soft.pinned.iter().enumerate() {
        let held = nodes(&built, region, &place.item("pinned", k))?;
        built = built.pin(held);
    }
    Ok(built)
}

fn mesh(mesh: &SoftMesh) -> Result<Mesh, taut::soft::Error> {
    match mesh {
        SoftMesh::Block { size, cells } => Mesh::block(*size, *cells),
        SoftMesh::Cylinder { radius, height, cells } => Mesh::cylinder(*radius, *height, *cells),
        SoftMesh::Tube { radii, height, cells } => Mesh::tube(*radii, *height, *cells),
        SoftMesh::Tetrahedra { nodes, elements } => Mesh::linear(nodes.clone(), elements),
        SoftMesh::Surface { vertices, triangles, cell } => {
            Mesh::filled(vertices.clone(), triangles.clone(), *cell)
        }
        SoftMesh::Gmsh { text } => Mesh::from_gmsh(text),
    }
}

/// What a closed surface encloses.
fn volume(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|n| Vec3::from(vertices[n as usize]));
        a.dot(b.cross(c)) / 6.0
    };
    triangles.iter().map(of).sum()
}

/// Nodes in a region; that there are none is a mistake.
fn nodes(soft: &taut::SoftBody, region: &Region, place: &Place) -> Result<Vec<usize>, SceneError> {
    let (lo, hi) = (place.vector("min", region.min)?, place.vector("max", region.max)?);
    let near = Vec3::splat(NEAR);
    let inside = |x: Vec3| x.cmpge(lo - near).all() && x.cmple(hi + near).all();
    let found = soft.nodes_where(inside);
    if found.is_empty() {
        return Err(place.error("expected a region with nodes of the soft body, found none in it"));
    }
    Ok(found)
}
