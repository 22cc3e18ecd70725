//! Mass, centre of mass and inertia of solids of constant density.
//!
//! Closed forms for the simple shapes; polyhedra by the divergence theorem:
//! the signed tetrahedra between the origin and each triangle add up to the
//! volume and its first and second moments. Parts of a compound are added;
//! where they overlap the mass counts twice.

use super::{BuiltShape, Shape, ShapeError, convex_hull};
use crate::math::{Mat3, Vec3};
use parry3d_f64::shape::SharedShape;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Mass properties of a solid, in its shape's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MassProperties {
    /// Mass, in kg.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Vec3,
    /// Inertia about the centre of mass, in kg m².
    pub inertia: Mat3,
}

impl Shape {
    /// Mass properties for a density in kg/m³. Errors for shapes without
    /// volume and for invalid shapes.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        self.check()?;
        let unit = || self.unit_density(None);
        self.with_density(density, unit)
    }

    /// Mass properties of a shape that is built: no hull is found again.
    pub(crate) fn mass_properties_built(
        &self,
        density: f64,
        built: &BuiltShape,
    ) -> Result<MassProperties, ShapeError> {
        self.with_density(density, || self.unit_density(Some(&built.shape)))
    }

    fn with_density(
        &self,
        density: f64,
        unit: impl FnOnce() -> Result<MassProperties, ShapeError>,
    ) -> Result<MassProperties, ShapeError> {
        self.positive("density", density)?;
        let unit = unit()?;
        Ok(MassProperties {
            mass: unit.mass * density,
            centre: unit.centre,
            inertia: unit.inertia * density,
        })
    }

    fn unit_density(&self, built: Option<&SharedShape>) -> Result<MassProperties, ShapeError> {
        Ok(match self {
            Self::Ball { radius: r } => {
                let mass = 4.0 / 3.0 * PI * r.powi(3);
                diagonal(mass, Vec3::ZERO, Vec3::splat(0.4 * mass * r * r))
            }
            Self::Box { half_extents: h } => {
                let mass = 8.0 * h.x * h.y * h.z;
                let s = *h * *h;
                let inertia = Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
                diagonal(mass, Vec3::ZERO, inertia)
            }
            Self::Capsule { half_length, radius } => capsule(*half_length, *radius),
            Self::Cylinder { half_height: h, radius: r } => {
                let mass = 2.0 * PI * r * r * h;
                let side = mass * (0.25 * r * r + h * h / 3.0);
                diagonal(mass, Vec3::ZERO, Vec3::new(side, side, 0.5 * mass * r * r))
            }
            Self::Cone { half_height, radius: r } => {
                // Centroid a quarter of the height above the base.
                let h = 2.0 * half_height;
                let mass = PI * r * r * h / 3.0;
                let side = mass * (0.15 * r * r + 0.0375 * h * h);
                let centre = Vec3::new(0.0, 0.0, -0.25 * h);
                diagonal(mass, centre, Vec3::new(side, side, 0.3 * mass * r * r))
            }
            Self::ConvexHull { points } => {
                let (vertices, triangles) = match built.and_then(|b| b.as_convex_polyhedron()) {
                    Some(hull) => hull.to_trimesh(),
                    None => convex_hull(points)?.to_trimesh(),
                };
                polyhedron(&vertices, &triangles)
            }
            Self::TriMesh { vertices, triangles } | Self::Sdf { vertices, triangles } => {
                closed_volume(vertices, triangles)?;
                polyhedron(vertices, triangles)
            }
            Self::HalfSpace { .. } => return Err(ShapeError::NoVolume("a half-space")),
            Self::HeightField { .. } => return Err(ShapeError::NoVolume("a height field")),
            Self::Compound { parts } => {
                let mut whole = Moments { mass: 0.0, first: Vec3::ZERO, inertia: Mat3::ZERO };
                let shapes = built.and_then(|b| b.as_compound()).map(|c| c.shapes());
                for (part, (pose, shape)) in parts.iter().enumerate() {
                    let p = match shapes.and_then(|s| s.get(part)) {
                        Some((_, built)) => shape.unit_density(Some(built))?,
                        None => {
                            let (_, built, _) = shape.build_part(part)?;
                            shape.unit_density(Some(&built))?
                        }
                    };
                    let r = Mat3::from_quat(pose.rotation);
                    let inertia = r * p.inertia * r.transpose();
                    whole.add(p.mass, pose.transform_point(p.centre), inertia);
                }
                whole.finish()
            }
        })
    }
}

fn diagonal(mass: f64, centre: Vec3, inertia: Vec3) -> MassProperties {
    MassProperties { mass, centre, inertia: Mat3::from_diagonal(inertia) }
}

fn capsule(h: f64, r: f64) -> MassProperties {
    let cylinder = 2.0 * PI * r * r * h;
    let caps = 4.0 / 3.0 * PI * r.powi(3);
    let axial = 0.5 * cylinder * r * r + 0.4 * caps * r * r;
    // The caps: two half balls whose flat sides are h from the centre and
    // whose centroids lie 3r/8 beyond.
    let side =
        cylinder * (0.25 * r * r + h * h / 3.0) + caps * (0.4 * r * r + h * h + 0.75 * h * r);
    diagonal(cylinder + caps, Vec3::ZERO, Vec3::new(side, side, axial))
}

/// Sums of mass, first moment and inertia about the origin.
struct Moments {
    mass: f64,
    first: Vec3,
    inertia: Mat3,
}

impl Moments {
    /// Adds a body given by its inertia about its own centre.
    fn add(&mut self, mass: f64, centre: Vec3, inertia: Mat3) {
        self.mass += mass;
        self.first += mass * centre;
        self.inertia += inertia + shift(mass, centre);
    }

    fn finish(self) -> MassProperties {
        let centre = self.first / self.mass;
        MassProperties { mass: self.mass, centre, inertia: self.inertia - shift(self.mass, centre) }
    }
}

/// Inertia of a point mass at `r` about the origin.
fn shift(mass: f64, r: Vec3) -> Mat3 {
    (Mat3::IDENTITY * r.length_squared() - outer(r, r)) * mass
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Unit density solid inside a closed surface.
fn polyhedron(vertices: &[Vec3], triangles: &[[u32; 3]]) -> MassProperties {
    // Moments about a vertex: less cancellation far from the origin.
    let base = vertices[0];
    let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize] - base);
        let v = a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += s * (v / 4.0);
        second += (outer(s, s) + outer(a, a) + outer(b, b) + outer(c, c)) * (v / 20.0);
    }
    let centre = first / volume;
    let about = second - outer(centre, centre) * volume;
    let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
    MassProperties { mass: volume, centre: base + centre, inertia: Mat3::IDENTITY * trace - about }
}

/// The volume inside a surface; errors unless every edge joins two triangles
/// that are wound alike, with the outside outside.
pub(super) fn closed_volume(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<f64, ShapeError> {
    let mut edges: BTreeMap<(u32, u32), [u32; 2]> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let uses = edges.entry((from.min(to), from.max(to))).or_default();
            uses[usize::from(from > to)] += 1;
        }
    }
    if let Some((&(a, b), _)) = edges.iter().find(|(_, uses)| **uses != [1, 1]) {
        return Err(ShapeError::OpenMesh(a, b));
    }
    let base = vertices[0];
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| vertices[v as usize] - base);
        a.dot(b.cross(c)) / 6.0
    };
    let volume: f64 = triangles.iter().map(volume).sum();
    if volume > 0.0 { Ok(volume) } else { Err(ShapeError::InsideOut) }
}
