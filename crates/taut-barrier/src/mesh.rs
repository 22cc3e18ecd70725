//! Surfaces of triangles, and what solids within them weigh.

use std::collections::{BTreeMap, BTreeSet};

use taut_sdf::Surface;

use crate::Error;
use crate::vector::{Vec3, cross, dot, norm, sub};

/// A surface of triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    is_closed: bool,
}

/// Volume \[m³\], centre \[m\] and ∫ (x − c)(x − c)ᵀ dV \[m⁵\] of a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Volume.
    pub volume: f64,
    /// Centre of volume.
    pub centre: Vec3,
    /// Second moments about the centre.
    pub second: [Vec3; 3],
}

impl Mesh {
    /// The surface of a solid: closed, a manifold, wound counter-clockwise seen from outside, not cutting itself.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        let surface = Surface::new(vertices, triangles)?;
        let (vertices, triangles) = (surface.vertices().to_vec(), surface.triangles().to_vec());
        Ok(Self { vertices, triangles, is_closed: true })
    }

    /// A surface that may have a rim, for fixed bodies: triangles hold from both sides.
    pub fn open(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        if triangles.is_empty() {
            return Err(taut_sdf::Error::Empty.into());
        }
        if let Some(i) = vertices.iter().position(|v| !v.iter().all(|x| x.abs() < 1e75)) {
            return Err(taut_sdf::Error::Coordinate(i).into());
        }
        let mut sides: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        for (i, t) in triangles.iter().enumerate() {
            if let Some(&vertex) = t.iter().find(|&&v| v as usize >= vertices.len()) {
                let count = vertices.len();
                return Err(taut_sdf::Error::Index { triangle: i, vertex, count }.into());
            }
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            let longest = norm(sub(b, a)).max(norm(sub(c, a))).max(norm(sub(c, b)));
            if norm(cross(sub(b, a), sub(c, a))) <= 1e-12 * longest * longest {
                return Err(taut_sdf::Error::Flat(i).into());
            }
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                let count = sides.entry([a.min(b), a.max(b)]).or_insert(0);
                *count += 1;
                if *count > 2 {
                    return Err(taut_sdf::Error::EdgeNotManifold(a, b).into());
                }
            }
        }
        Ok(Self { vertices, triangles, is_closed: false })
    }

    /// Where its vertices are \[m\].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether it was made by [`Mesh::new`].
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Moved as a whole.
    #[must_use]
    pub fn moved(mut self, by: Vec3) -> Self {
        for v in &mut self.vertices {
            *v = [v[0] + by[0], v[1] + by[1], v[2] + by[2]];
        }
        self
    }

    /// Every edge once, in a fixed order.
    pub(crate) fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
        let sides = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let edges: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.into_iter().collect()
    }

    /// Moments of the solid inside: a sum over the tetrahedra of its triangles and one vertex.
    pub fn moments(&self) -> Moments {
        let o = self.vertices.first().copied().unwrap_or_default();
        let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for t in &self.triangles {
            let x = t.map(|v| sub(self.vertices[v as usize], o));
            let v = dot(x[0], cross(x[1], x[2])) / 6.0;
            let sum: Vec3 = std::array::from_fn(|i| x[0][i] + x[1][i] + x[2][i]);
            volume += v;
            for i in 0..3 {
                first[i] += v / 4.0 * sum[i];
                for j in 0..3 {
                    let squares: f64 = x.iter().map(|x| x[i] * x[j]).sum();
                    second[i][j] += v / 20.0 * (squares + sum[i] * sum[j]);
                }
            }
        }
        let c = first.map(|f| f / volume);
        let second =
            std::array::from_fn(|i| std::array::from_fn(|j| second[i][j] - volume * c[i] * c[j]));
        Moments { volume, centre: std::array::from_fn(|k| o[k] + c[k]), second }
    }
}
