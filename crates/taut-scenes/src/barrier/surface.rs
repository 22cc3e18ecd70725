//! Shapes of bodies as triangles, drawn back where need be.
//!
//! Round shapes are inscribed polyhedra of [`AROUND`] corners. A half-space is one, without end or edges. *Drawing back* by δ moves every vertex to where the planes of its triangles, each moved by δ, meet: exactly where these are
//! planes of a corner, by least squares where they contradict one another (saddles of fine meshes).

use taut::math::{Mat3, Pose, Vec3};
use taut::{BodyKind, BodyState, Error, Shape};
use taut_barrier::{HalfSpace, Mesh};

use super::refused;

/// Corners around balls, capsules, cylinders and cones.
const AROUND: usize = 16;
/// Keeps the least squares definite where a vertex has one plane only.
const FLAT: f64 = 1e-9;

/// What a body is made of, where it is.
#[derive(Default)]
pub(super) struct Parts {
    pub meshes: Vec<Mesh>,
    pub half_spaces: Vec<HalfSpace>,
}

/// Surfaces of a body where it is, drawn back by δ.
pub(super) fn parts(body: &BodyState, back: f64) -> Result<Parts, Error> {
    let is_fixed = body.kind() == BodyKind::Fixed;
    let Parts { meshes: mut found, mut half_spaces } = Parts::default();
    for collider in &body.definition().colliders {
        let at = body.pose() * collider.pose;
        collect(&collider.shape, at, &mut half_spaces, &mut |vertices, triangles| {
            let points = drawn_back(&vertices, &triangles, back);
            let mesh = Mesh::new(points.clone(), triangles.clone());
            let mesh =
                if is_fixed { mesh.or_else(|_| Mesh::open(points, triangles)) } else { mesh };
            found.push(mesh.map_err(|e| refused(body.name(), &thin(&e, back)))?);
            Ok(())
        })
        .map_err(|e| match e {
            Error::Stepper(_) => e,
            other => refused(body.name(), &other.to_string()),
        })?;
    }
    if !(is_fixed || half_spaces.is_empty()) {
        return Err(refused(body.name(), "half-spaces that move are not taken by barriers"));
    }
    for HalfSpace { point, normal } in &mut half_spaces {
        (0..3).for_each(|k| point[k] -= back * normal[k]);
    }
    Ok(Parts { meshes: found, half_spaces })
}

/// What is wrong with a mesh, which was right before it was drawn back by δ.
fn thin(error: &taut_barrier::Error, back: f64) -> String {
    if back == 0.0 {
        return error.to_string();
    }
    format!(
        "it is thinner than twice the {back:.1e} m by which surfaces are drawn back, for bodies start nearer to one another than d_hat ({error}): take a smaller d_hat, or leave gaps of d_hat"
    )
}

type Take<'a> = &'a mut dyn FnMut(Vec<Vec3>, Vec<[u32; 3]>) -> Result<(), Error>;

fn collect(
    shape: &Shape,
    at: Pose,
    half_spaces: &mut Vec<HalfSpace>,
    take: Take,
) -> Result<(), Error> {
    match shape {
        Shape::Compound { parts } => {
            parts.iter().try_for_each(|(pose, part)| collect(part, at * *pose, half_spaces, take))
        }
        Shape::HalfSpace { normal } => {
            let (point, normal) = (at.translation, (at.rotation * *normal).normalize());
            half_spaces.push(HalfSpace { point: point.to_array(), normal: normal.to_array() });
            Ok(())
        }
        _ => {
            let (mut vertices, triangles) =
                shape.triangles(AROUND).map_err(|e| Error::Stepper(e.to_string()))?;
            vertices.iter_mut().for_each(|v| *v = at.transform_point(*v));
            take(vertices, triangles)
        }
    }
}

/// Vertices where the planes of their triangles meet, each moved back by δ.
fn drawn_back(vertices: &[Vec3], triangles: &[[u32; 3]], by: f64) -> Vec<[f64; 3]> {
    if by == 0.0 {
        return vertices.iter().map(|v| v.to_array()).collect();
    }
    let mut sums = vec![(Mat3::ZERO, Vec3::ZERO); vertices.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let n = (b - a).cross(c - a).normalize_or_zero();
        for &v in t {
            let (planes, normals) = &mut sums[v as usize];
            *planes += Mat3::from_cols(n * n.x, n * n.y, n * n.z);
            *normals += n;
        }
    }
    let moved = vertices.iter().zip(&sums).map(|(v, (planes, normals))| {
        let solved = (*planes + FLAT * Mat3::IDENTITY).inverse() * *normals;
        (*v - by * solved).to_array()
    });
    moved.collect()
}

/// Meshes that do not move as one; none if there are none.
pub(super) fn joined(name: &str, meshes: &[Mesh]) -> Result<Option<Mesh>, Error> {
    if let [one] = meshes {
        return Ok(Some(one.clone()));
    }
    if meshes.is_empty() {
        return Ok(None);
    }
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let base = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    // Parts may overlap: they do not move against one another.
    Mesh::open(vertices, triangles).map(Some).map_err(|e| refused(name, &e.to_string()))
}
