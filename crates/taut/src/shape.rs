//! Shapes: what a body looks like, checked and prepared for collision.
//!
//! Every shape lives in its own frame. The axes of capsules, cylinders and
//! cones are the local **z** axis. (The geometry library has cylinders and
//! cones along y; the constant rotation between the two is part of
//! [`BuiltShape`] and never seen from outside.)

mod error;
mod mass;
mod triangles;

pub use error::ShapeError;
pub use mass::MassProperties;

use crate::collide::convex::{Convex, Core};
use crate::collide::hull::Hull;
use crate::collide::mesh::Mesh;
use crate::math::{Pose, Quat, Vec3};
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::shape::{ConvexPolyhedron, SharedShape};
use parry3d_f64::transformation::try_convex_hull;
use std::sync::Arc;
use taut_sdf::Surface;

/// A shape in its own frame. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball around the origin.
    Ball {
        /// Its radius.
        radius: f64,
    },
    /// A box around the origin.
    Box {
        /// Half its edge lengths.
        half_extents: Vec3,
    },
    /// All points within `radius` of a segment on the z axis.
    Capsule {
        /// Half the distance of the centres of the two caps.
        half_length: f64,
        /// The radius.
        radius: f64,
    },
    /// A cylinder around the z axis.
    Cylinder {
        /// Half its height.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// A cone around the z axis, apex at +z, origin at half height.
    Cone {
        /// Half its height.
        half_height: f64,
        /// The radius of its base.
        radius: f64,
    },
    /// The convex hull of points.
    ConvexHull {
        /// The points; those inside the hull are ignored.
        points: Vec<Vec3>,
    },
    /// All points on one side of a plane through the origin. For fixed bodies.
    HalfSpace {
        /// The outward normal, of any length.
        normal: Vec3,
    },
    /// A triangle mesh. Each triangle holds bodies on its front, the side from
    /// which its vertices run counter-clockwise; from behind they pass. So a
    /// closed mesh is a solid if it is wound counter-clockwise seen from
    /// outside, a room if seen from inside, and an open one is terrain. A sheet
    /// that is to hold from both sides needs each triangle twice.
    TriMesh {
        /// The vertices.
        vertices: Vec<Vec3>,
        /// Indices of three vertices each.
        triangles: Vec<[u32; 3]>,
    },
    /// A solid that need not be convex, given by its surface: a closed triangle mesh, wound counter-clockwise
    /// seen from outside. Its signed distance field tells what is inside, so bolts wind into nuts, gears mesh and links
    /// hang in one another without being cut into convex parts. Closed meshes ([`Shape::TriMesh`]) of bodies that
    /// move by forces are such solids by themselves; here, a mesh that bounds no solid is an error.
    Sdf {
        /// The vertices.
        vertices: Vec<Vec3>,
        /// Indices of three vertices each.
        triangles: Vec<[u32; 3]>,
    },
    /// Terrain: heights over a rectangular grid centred at the origin, solid
    /// below.
    HeightField {
        /// Heights z, row by row: `heights[j * nx + i]` is at the i-th x and
        /// the j-th y.
        heights: Vec<f64>,
        /// Number of grid points along x.
        nx: usize,
        /// Number of grid points along y.
        ny: usize,
        /// Extent along x.
        size_x: f64,
        /// Extent along y.
        size_y: f64,
    },
    /// Several convex shapes fixed to one another.
    Compound {
        /// The parts and their poses.
        parts: Vec<(Pose, Shape)>,
    },
}

/// A shape that has been checked and prepared; cheap to clone.
#[derive(Clone)]
pub struct BuiltShape {
    pub(crate) geometry: Arc<Geometry>,
    /// The same shape for the geometry library, and its pose in our frame.
    pub(crate) shape: SharedShape,
    pub(crate) pose: Pose,
    /// Largest distance of a point from the origin (infinite: half-space).
    pub(crate) size: f64,
    /// Radius of the ball that fits into its thinnest part.
    pub(crate) inner: f64,
}

impl std::fmt::Debug for BuiltShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("BuiltShape").field(&self.geometry).finish()
    }
}

/// What contact generation sees.
#[derive(Debug)]
pub(crate) enum Geometry {
    Convex(Convex),
    /// Unit normal.
    HalfSpace(Vec3),
    Mesh(Mesh),
    /// Parts with their boxes in the frame of the compound.
    Compound(Vec<(Pose, Convex, Aabb)>),
}

impl Geometry {
    /// Radius of the ball that fits into the thinnest part; a guess for meshes.
    fn inner(&self) -> f64 {
        match self {
            Self::Convex(shape) => shape.inner,
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Compound(parts) => parts.iter().map(|p| p.1.inner).fold(f64::INFINITY, f64::min),
            Self::Mesh(mesh) => mesh.inner,
        }
    }

    pub(crate) fn part_count(&self) -> u32 {
        match self {
            Self::Compound(parts) => parts.len() as u32,
            Self::Mesh(mesh) => mesh.triangles.len() as u32,
            _ => 1,
        }
    }
}

impl Shape {
    /// The kind of shape, in words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ball { .. } => "ball",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::ConvexHull { .. } => "convex hull",
            Self::HalfSpace { .. } => "half-space",
            Self::TriMesh { .. } => "triangle mesh",
            Self::Sdf { .. } => "signed distance field",
            Self::HeightField { .. } => "height field",
            Self::Compound { .. } => "compound",
        }
    }

    /// Checks the shape and prepares it for collision.
    pub fn build(&self) -> Result<BuiltShape, ShapeError> {
        self.check()?;
        match self {
            Self::HalfSpace { normal } => {
                let n = normal.normalize();
                Ok(built(Geometry::HalfSpace(n), SharedShape::halfspace(n), f64::INFINITY))
            }
            Self::TriMesh { vertices, triangles } => {
                let solid = mass::closed_volume(vertices, triangles).is_ok();
                build_mesh(vertices.clone(), triangles.clone(), solid)
            }
            Self::Sdf { vertices, triangles } => {
                let points = vertices.iter().map(|v| v.to_array()).collect();
                let surface = Surface::new(points, triangles.clone()).map_err(ShapeError::Solid)?;
                // (A box of triangles sank into a box by 16 mm.)
                let hull = is_convex(vertices, triangles)
                    .then(|| Self::ConvexHull { points: vertices.clone() }.build().ok());
                match hull.flatten() {
                    Some(hull) => Ok(hull),
                    None => built_mesh(Mesh::solid(surface), triangles.clone()),
                }
            }
            Self::HeightField { heights, nx, ny, size_x, size_y } => {
                let (vertices, triangles) = grid(heights, *nx, *ny, *size_x, *size_y);
                build_mesh(vertices, triangles, true)
            }
            Self::Compound { parts } => build_compound(parts),
            _ => {
                let (convex, shape, pose) = self.build_convex()?;
                let size = convex.size;
                Ok(BuiltShape { pose, ..built(Geometry::Convex(convex), shape, size) })
            }
        }
    }

    /// Builds the shape for a body that moves by forces: a closed mesh that is convex becomes a hull, whose
    /// contacts with other solids are better than those of single triangles. (A cube of triangles
    /// walked about on a box.) Other closed meshes are solids with a field.
    pub(crate) fn build_moving(&self) -> Result<BuiltShape, ShapeError> {
        match self {
            Self::TriMesh { vertices, triangles }
                if self.check().is_ok() && is_convex(vertices, triangles) =>
            {
                Self::ConvexHull { points: vertices.clone() }.build().or_else(|_| self.build())
            }
            Self::TriMesh { vertices, triangles } => {
                let (vertices, triangles) = (vertices.clone(), triangles.clone());
                Self::Sdf { vertices, triangles }.build().or_else(|_| self.build())
            }
            _ => self.build(),
        }
    }

    /// For convex shapes that have been checked.
    fn build_convex(&self) -> Result<(Convex, SharedShape, Pose), ShapeError> {
        // Turns y into z.
        let upright = Pose::from_rotation(Quat::from_rotation_x(std::f64::consts::FRAC_PI_2));
        let mut pose = Pose::IDENTITY;
        let (core, radius, shape) = match *self {
            Self::Ball { radius } => (Core::Point, radius, SharedShape::ball(radius)),
            Self::Box { half_extents: h } => {
                (Core::Box { half: h }, 0.0, SharedShape::cuboid(h.x, h.y, h.z))
            }
            Self::Capsule { half_length: half, radius } => {
                (Core::Segment { half }, radius, SharedShape::capsule_z(half, radius))
            }
            Self::Cylinder { half_height: half, radius } => {
                pose = upright;
                (Core::Cylinder { half, radius }, 0.0, SharedShape::cylinder(half, radius))
            }
            Self::Cone { half_height: half, radius } => {
                pose = upright;
                (Core::Cone { half, radius }, 0.0, SharedShape::cone(half, radius))
            }
            Self::ConvexHull { ref points } => {
                let polyhedron = convex_hull(points)?;
                let hull = Core::Hull(Arc::new(Hull::new(&polyhedron)));
                (hull, 0.0, SharedShape::new(polyhedron))
            }
            _ => {
                return Err(ShapeError::BadPart { part: 0, shape: self.name() });
            }
        };
        Ok((Convex::new(core, radius), shape, pose))
    }

    /// Checks all numbers; what needs geometry is checked while building.
    fn check(&self) -> Result<(), ShapeError> {
        match self {
            Self::Ball { radius } => self.positive("radius", *radius),
            Self::Box { half_extents: h } => {
                self.positive("half_extents.x", h.x)?;
                self.positive("half_extents.y", h.y)?;
                self.positive("half_extents.z", h.z)
            }
            Self::Capsule { half_length: h, radius } => {
                self.positive("half_length", *h)?;
                self.positive("radius", *radius)
            }
            Self::Cylinder { half_height: h, radius } | Self::Cone { half_height: h, radius } => {
                self.positive("half_height", *h)?;
                self.positive("radius", *radius)
            }
            Self::ConvexHull { points } => self.finite("points", points, |p| p.is_finite()),
            Self::HalfSpace { normal } => {
                let usable = normal.is_finite() && normal.try_normalize().is_some();
                usable.then_some(()).ok_or(ShapeError::BadNormal(*normal))
            }
            Self::TriMesh { vertices, triangles } | Self::Sdf { vertices, triangles } => {
                // Inertia grows with the fifth power.
                self.finite("vertices", vertices, |p| {
                    p.is_finite() && p.abs().max_element() < 1e50
                })?;
                self.finite("triangles", triangles, |_| true)?;
                check_triangles(vertices, triangles)
            }
            Self::HeightField { heights, nx, ny, size_x, size_y } => {
                let (nx, ny, count) = (*nx, *ny, heights.len());
                if nx < 2 || ny < 2 || nx.checked_mul(ny) != Some(count) {
                    return Err(ShapeError::BadGrid { nx, ny, count });
                }
                self.positive("size_x", *size_x)?;
                self.positive("size_y", *size_y)?;
                self.finite("heights", heights, |h| h.is_finite())
            }
            Self::Compound { parts } => self.finite("parts", parts, |(pose, _)| pose.is_finite()),
        }
    }

    fn positive(&self, field: &'static str, value: f64) -> Result<(), ShapeError> {
        let shape = self.name();
        // Written so that NaN fails.
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(ShapeError::NotPositive { shape, field, value })
    }

    fn finite<T>(
        &self,
        field: &'static str,
        list: &[T],
        is_finite: impl Fn(&T) -> bool,
    ) -> Result<(), ShapeError> {
        let shape = self.name();
        if list.is_empty() {
            return Err(ShapeError::Empty { shape, field });
        }
        match list.iter().position(|x| !is_finite(x)) {
            Some(index) => Err(ShapeError::NotFinite { shape, field, index }),
            None => Ok(()),
        }
    }
}

fn built(geometry: Geometry, shape: SharedShape, size: f64) -> BuiltShape {
    let inner = geometry.inner();
    BuiltShape { geometry: Arc::new(geometry), shape, pose: Pose::IDENTITY, size, inner }
}

/// Whether a mesh is closed and no vertex is in front of a triangle.
fn is_convex(vertices: &[Vec3], triangles: &[[u32; 3]]) -> bool {
    let size = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
    let holds = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        let Some(n) = (b - a).cross(c - a).try_normalize() else { return true };
        vertices.iter().all(|v| n.dot(v - a) <= 1e-9 * size)
    };
    mass::closed_volume(vertices, triangles).is_ok() && triangles.iter().all(holds)
}

fn build_mesh(
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    solid: bool,
) -> Result<BuiltShape, ShapeError> {
    built_mesh(Mesh::new(vertices, &triangles, solid), triangles)
}

fn built_mesh(mesh: Mesh, triangles: Vec<[u32; 3]>) -> Result<BuiltShape, ShapeError> {
    let size = mesh.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
    let empty = |_| ShapeError::Empty { shape: "triangle mesh", field: "triangles" };
    let shape = SharedShape::trimesh(mesh.vertices.clone(), triangles).map_err(empty)?;
    Ok(built(Geometry::Mesh(mesh), shape, size))
}

fn build_compound(parts: &[(Pose, Shape)]) -> Result<BuiltShape, ShapeError> {
    let mut convex_parts = Vec::with_capacity(parts.len());
    let mut shapes = Vec::with_capacity(parts.len());
    let mut size: f64 = 0.0;
    for (i, (pose, part)) in parts.iter().enumerate() {
        let (convex, shape, turn) = part.build_part(i)?;
        size = size.max(pose.translation.length() + convex.size);
        let aabb = shape.compute_aabb(&(*pose * turn));
        convex_parts.push((*pose, convex, aabb));
        shapes.push((*pose * turn, shape));
    }
    let shape = SharedShape::compound(shapes);
    Ok(built(Geometry::Compound(convex_parts), shape, size))
}

impl Shape {
    fn build_part(&self, part: usize) -> Result<(Convex, SharedShape, Pose), ShapeError> {
        use Shape::{Compound, HalfSpace, HeightField, Sdf, TriMesh};
        let mesh = matches!(self, HeightField { .. } | Sdf { .. } | TriMesh { .. });
        if mesh || matches!(self, Compound { .. } | HalfSpace { .. }) {
            return Err(ShapeError::BadPart { part, shape: self.name() });
        }
        let result = self.check().and_then(|()| self.build_convex());
        result.map_err(|error| ShapeError::InPart { part, error: Box::new(error) })
    }
}

pub(crate) fn convex_hull(points: &[Vec3]) -> Result<ConvexPolyhedron, ShapeError> {
    let flat = || ShapeError::FlatHull(points.len());
    if points.len() < 4 {
        return Err(flat());
    }
    let (vertices, triangles) = try_convex_hull(points).map_err(|_| flat())?;
    let volume = mass::closed_volume(&vertices, &triangles).map_err(|_| flat())?;
    let size = vertices.iter().map(|v| v.distance(vertices[0])).fold(0.0, f64::max);
    if volume < 1e-9 * size.powi(3) {
        return Err(flat());
    }
    ConvexPolyhedron::from_convex_mesh(vertices, &triangles).ok_or_else(flat)
}

fn check_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    let count = vertices.len();
    for (i, triangle) in triangles.iter().enumerate() {
        if let Some(&vertex) = triangle.iter().find(|&&v| v as usize >= count) {
            return Err(ShapeError::BadIndex { triangle: i, vertex, count });
        }
        let [a, b, c] = triangle.map(|v| vertices[v as usize]);
        let scale = (b - a).length_squared().max((c - a).length_squared());
        let area = (b - a).cross(c - a).length();
        // A NaN from overflow fails as well.
        if area.is_nan() || area <= 1e-12 * scale {
            return Err(ShapeError::FlatTriangle(i));
        }
    }
    Ok(())
}

/// Vertices and triangles of a height field, normals upwards.
fn grid(heights: &[f64], nx: usize, ny: usize, sx: f64, sy: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let place = |i: usize, n: usize, size: f64| size * (i as f64 / (n - 1) as f64 - 0.5);
    let vertex = |k: usize| Vec3::new(place(k % nx, nx, sx), place(k / nx, ny, sy), heights[k]);
    let vertices = (0..nx * ny).map(vertex).collect();
    let mut triangles = Vec::with_capacity(2 * (nx - 1) * (ny - 1));
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let a = (j * nx + i) as u32;
            let (b, c) = (a + 1, a + nx as u32);
            triangles.push([a, b, c + 1]);
            triangles.push([a, c + 1, c]);
        }
    }
    (vertices, triangles)
}
