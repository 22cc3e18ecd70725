//! Triangle meshes: where they are, what they hold, their hulls and masses.

mod dae;
mod decompose;
mod gltf;
mod msh;
mod obj;
mod stl;
mod thin;

use crate::Options;
use crate::error::{ImportError, Notes, Place};
use crate::inertia::Inertia;
use crate::xml::read_bytes;
use parry3d_f64::transformation::try_convex_hull;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taut::math::{Mat3, Vec3};
use taut_scenes::file::Shape;

/// Files of more bytes are refused.
const MAX_BYTES: u64 = 1 << 30;

/// Vertices and the triangles between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Reads a mesh; `place` is where it was named. With `first` only the first object of an OBJ file counts.
pub(crate) fn read(path: &Path, place: &Place, first: bool) -> Result<Mesh, ImportError> {
    let name = path.display();
    let wrong = |m: String| place.error(format!("mesh {name}: {m}"));
    let bytes = read_bytes(path, MAX_BYTES).map_err(wrong)?;
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let mesh = match extension.as_str() {
        "stl" => stl::read(&bytes),
        "obj" => obj::read(&bytes, first),
        "glb" | "gltf" => gltf::read(&bytes, path),
        "dae" => dae::read(&bytes, &name.to_string()),
        "msh" => msh::read(&bytes),
        _ => Err(format!("expected a file of the kind {KNOWN}")),
    };
    let mesh = mesh.map_err(wrong)?;
    if mesh.triangles.is_empty() {
        return Err(wrong("has no triangles".into()));
    }
    Ok(mesh)
}

/// The kinds of meshes that are read.
pub(crate) const KNOWN: &str = "STL, OBJ, glTF, DAE or MSH";

/// Whether meshes of that kind are read.
pub(crate) fn is_known(name: &str) -> bool {
    let end = name.rsplit('.').next().unwrap_or("").to_lowercase();
    ["stl", "obj", "glb", "gltf", "dae", "msh"].contains(&end.as_str())
}

/// Finds the file that a URI names: `package://NAME/PATH` and `model://NAME/PATH` in the folders above `base` and in
/// `folders`; other names relative to `base`, else in `folders`.
pub(crate) fn find(
    uri: &str,
    base: &Path,
    folders: &[PathBuf],
    place: &Place,
) -> Result<PathBuf, ImportError> {
    let packaged = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
    let mut tries: Vec<PathBuf> = Vec::new();
    if let Some(path) = packaged {
        let inner = path.split_once('/').map_or(path, |(_, rest)| rest);
        let above = std::path::absolute(base).unwrap_or_else(|_| base.into());
        for folder in folders.iter().map(PathBuf::as_path).chain(above.ancestors()) {
            tries.extend([folder.join(path), folder.join(inner)]);
        }
    } else {
        let path = Path::new(uri.strip_prefix("file://").unwrap_or(uri));
        tries.push(base.join(path));
        tries.extend(folders.iter().map(|f| f.join(path)));
        if let Some(name) = path.file_name() {
            tries.extend(folders.iter().map(|f| f.join(name)));
        }
    }
    tries.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
        place.error(format!("mesh '{uri}' is not there; --mesh-path FOLDER says where to look"))
    })
}

/// The shape of a mesh that a file names, with a scale: its hull, or, if it is only `seen`, its surface. None if it was
/// left out, with a note; what is only seen and not there is left out, too.
pub(crate) fn shape(
    (uri, scale): (&str, [f64; 3]),
    base: &Path,
    options: &Options,
    place: &Place,
    notes: &mut Notes,
    seen: bool,
) -> Result<Option<Shape>, ImportError> {
    if !is_known(uri) {
        notes.add(place, format!("mesh '{uri}' is not {KNOWN}: left out"));
        return Ok(None);
    }
    let found =
        find(uri, base, &options.mesh_paths, place).and_then(|path| read(&path, place, false));
    let mesh = match found {
        Err(error) if seen => {
            notes.lines.push(format!("{error}: it is not seen"));
            return Ok(None);
        }
        found => found?.scaled(scale),
    };
    if seen {
        return Ok(crate::look::mesh(&mesh));
    }
    if let Some(parts) = mesh.parts_if(options) {
        return Ok(Some(parts));
    }
    let Some((shape, smaller)) = mesh.hull_shape() else {
        notes.add(place, format!("mesh '{uri}' is flat: it collides with nothing"));
        return Ok(None);
    };
    if let Some(inside) = smaller {
        notes.thinned(place, uri, inside);
    }
    Ok(Some(shape))
}

impl Mesh {
    /// From corners, three for each triangle; equal ones become one vertex.
    fn from_corners(corners: &[Vec3]) -> Self {
        let mut known: HashMap<[u64; 3], u32> = HashMap::new();
        let mut mesh = Mesh::default();
        let mut index = |p: Vec3| {
            // Adding 0 makes −0 the same as 0.
            let key = [(p.x + 0.0).to_bits(), (p.y + 0.0).to_bits(), (p.z + 0.0).to_bits()];
            *known.entry(key).or_insert_with(|| {
                mesh.vertices.push(p);
                (mesh.vertices.len() - 1) as u32
            })
        };
        let triangles = corners.chunks_exact(3).map(|c| [index(c[0]), index(c[1]), index(c[2])]);
        let triangles: Vec<_> = triangles.collect();
        mesh.triangles = triangles;
        mesh
    }

    /// The mesh with every vertex mapped; `flips` if that mirrors it.
    pub(crate) fn mapped(&self, map: impl Fn(Vec3) -> Vec3, flips: bool) -> Self {
        let turn = |&[a, b, c]: &[u32; 3]| if flips { [a, c, b] } else { [a, b, c] };
        Mesh {
            vertices: self.vertices.iter().map(|&v| map(v)).collect(),
            triangles: self.triangles.iter().map(turn).collect(),
        }
    }

    /// The mesh, larger by these factors.
    pub(crate) fn scaled(&self, scale: [f64; 3]) -> Self {
        let s = Vec3::from(scale);
        self.mapped(|v| v * s, s.x * s.y * s.z < 0.0)
    }

    /// Its convex hull; none if it is flat.
    pub(crate) fn hull(&self) -> Option<Mesh> {
        let (vertices, triangles) = try_convex_hull(&self.vertices).ok()?;
        let size = vertices.iter().map(|v| v.distance(vertices[0])).fold(0.0, f64::max);
        let hull = Mesh { vertices, triangles };
        (hull.volume_from(hull.surface_centre(), false) > 1e-8 * size.powi(3)).then_some(hull)
    }

    /// Its hull as a shape, of not too many points; and by how much that makes it smaller, if by more than a thousandth \[m\].
    pub(crate) fn hull_shape(&self) -> Option<(Shape, Option<f64>)> {
        let hull = self.hull()?;
        let size = hull.size();
        let (thinned, inside) = hull.thinned_hull();
        let smaller = (inside > thin::CLOSE * size).then_some(inside);
        let points = thinned.vertices.into_iter().map(Vec3::into).collect();
        Some((Shape::ConvexHull { points }, smaller))
    }

    fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|i| self.vertices[i as usize])
    }

    /// The centre of its surface.
    fn surface_centre(&self) -> Vec3 {
        let (mut sum, mut area) = (Vec3::ZERO, 0.0);
        for &t in &self.triangles {
            let [a, b, c] = self.corners(t);
            let own = 0.5 * (b - a).cross(c - a).length();
            sum += (a + b + c) * (own / 3.0);
            area += own;
        }
        if area > 0.0 { sum / area } else { Vec3::ZERO }
    }

    fn volume_from(&self, point: Vec3, absolute: bool) -> f64 {
        self.triangles.iter().map(|&t| tetrahedron(self.corners(t), point, absolute)).sum()
    }

    /// Mass properties at density 1 as a solid; with `absolute` no part of it counts as hollow
    /// (what MJCF calls legacy). None if it has no volume.
    pub(crate) fn solid(&self, absolute: bool) -> Option<Inertia> {
        let inside = self.surface_centre();
        let (mut volume, mut sum) = (0.0, Vec3::ZERO);
        for &t in &self.triangles {
            let [a, b, c] = self.corners(t);
            let v = tetrahedron([a, b, c], inside, absolute);
            volume += v;
            sum += (a + b + c + inside) * (0.25 * v);
        }
        if volume.is_nan() || volume <= 1e-15 {
            return None;
        }
        let centre = sum / volume;
        // Without regard to signs the volume depends on the point; that of the centre counts.
        let (mut volume, mut second) = (0.0, Mat3::ZERO);
        for &t in &self.triangles {
            let corners = self.corners(t);
            let v = tetrahedron(corners, centre, absolute);
            volume += v;
            let [a, b, c] = corners.map(|p| p - centre);
            let outer = |p: Vec3| Mat3::from_cols(p * p.x, p * p.y, p * p.z);
            // ∫ x xᵀ over a tetrahedron with a corner in the origin.
            second += (outer(a) + outer(b) + outer(c) + outer(a + b + c)) * (v / 20.0);
        }
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        Some(Inertia { mass: volume, centre, matrix: Mat3::IDENTITY * trace - second })
    }

    /// Mass properties of its surface, 1 kg/m².
    pub(crate) fn shell(&self) -> Inertia {
        let centre = self.surface_centre();
        let (mut area, mut second) = (0.0, Mat3::ZERO);
        for &t in &self.triangles {
            let [a, b, c] = self.corners(t).map(|p| p - centre);
            let own = 0.5 * (b - a).cross(c - a).length();
            let outer = |p: Vec3| Mat3::from_cols(p * p.x, p * p.y, p * p.z);
            second += (outer(a) + outer(b) + outer(c) + outer(a + b + c)) * (own / 12.0);
            area += own;
        }
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        Inertia { mass: area, centre, matrix: Mat3::IDENTITY * trace - second }
    }
}

/// The volume between a triangle and a point.
fn tetrahedron([a, b, c]: [Vec3; 3], point: Vec3, absolute: bool) -> f64 {
    let v = (a - point).dot((b - point).cross(c - point)) / 6.0;
    if absolute { v.abs() } else { v }
}
