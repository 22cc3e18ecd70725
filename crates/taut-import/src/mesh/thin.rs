//! Fewer points: hulls that collide and meshes that are seen need no thousands of them.

use super::Mesh;
use std::collections::HashMap;
use taut::math::Vec3;

/// A hull that collides has this many points at most: two hulls of 13,000 points would take seconds for one contact.
const MOST_POINTS: usize = 256;
/// Points farther than this share of its size outside what is left are kept, as far as there is room.
pub(super) const CLOSE: f64 = 1e-3;
/// A mesh that is seen has this many triangles at most.
const MOST_TRIANGLES: usize = 2000;

impl Mesh {
    /// A hull of fewer of its points, and how far it is inside this one \[m\].
    ///
    /// Points that lie farthest in directions all around come first; then, round by round, the farthest one outside of each
    /// face of the hull of those, until none is far outside or there are enough.
    pub(super) fn thinned_hull(self) -> (Mesh, f64) {
        if self.vertices.len() <= MOST_POINTS {
            return (self, 0.0);
        }
        let size = self.size();
        let mut chosen: Vec<usize> = (0..MOST_POINTS / 2)
            .map(|i| {
                // Directions on a spiral around the sphere.
                let z = 1.0 - (2.0 * i as f64 + 1.0) / (MOST_POINTS / 2) as f64;
                let (sin, cos) = (2.399_963_229_728_653 * i as f64).sin_cos();
                let around = (1.0 - z * z).sqrt();
                self.farthest(Vec3::new(around * cos, around * sin, z))
            })
            .collect();
        loop {
            chosen.sort_unstable();
            chosen.dedup();
            let points = chosen.iter().map(|&i| self.vertices[i]).collect();
            let Some(hull) = (Mesh { vertices: points, triangles: Vec::new() }).hull() else {
                return (self, 0.0);
            };
            let (mut outside, most) = self.outside(&hull);
            if most <= CLOSE * size || chosen.len() >= MOST_POINTS || outside.is_empty() {
                return (hull, most);
            }
            outside.sort_by(|a, b| b.0.total_cmp(&a.0));
            // A round adds an eighth of what may be, the farthest first.
            let room = (MOST_POINTS - chosen.len()).min(MOST_POINTS / 8);
            chosen.extend(outside.iter().take(room).map(|(_, i)| i));
        }
    }

    pub(super) fn size(&self) -> f64 {
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &v in &self.vertices {
            (least, most) = (least.min(v), most.max(v));
        }
        (most - least).length()
    }

    fn farthest(&self, direction: Vec3) -> usize {
        let far = |i: &usize| self.vertices[*i].dot(direction);
        (0..self.vertices.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }

    /// The vertex farthest outside of each face of a hull, with its distance; and the largest of these.
    fn outside(&self, hull: &Mesh) -> (Vec<(f64, usize)>, f64) {
        let mut far = Vec::new();
        for &t in &hull.triangles {
            let [a, b, c] = hull.corners(t);
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            let i = self.farthest(normal);
            let distance = (self.vertices[i] - a).dot(normal);
            if distance > 0.0 {
                far.push((distance, i));
            }
        }
        let most = far.iter().map(|f| f.0).fold(0.0, f64::max);
        (far, most)
    }

    /// The same surface with fewer triangles, for the eye: vertices in one cell of a grid become one.
    pub(crate) fn seen(&self) -> Mesh {
        let size = self.size();
        let mut cell = 1e-5 * size;
        loop {
            let mesh = self.clustered(cell);
            if mesh.triangles.len() <= MOST_TRIANGLES || cell > size {
                return mesh;
            }
            cell = (1.4 * cell).max(2e-3 * size);
        }
    }

    fn clustered(&self, cell: f64) -> Mesh {
        let mut cells: HashMap<[i64; 3], u32> = HashMap::new();
        let mut sums: Vec<(Vec3, f64)> = Vec::new();
        let key = |v: Vec3| v.to_array().map(|x| (x / cell).floor() as i64);
        let index: Vec<u32> = self
            .vertices
            .iter()
            .map(|&v| {
                let i = *cells.entry(key(v)).or_insert(sums.len() as u32);
                if i as usize == sums.len() {
                    sums.push((Vec3::ZERO, 0.0));
                }
                let sum = &mut sums[i as usize];
                (sum.0, sum.1) = (sum.0 + v, sum.1 + 1.0);
                i
            })
            .collect();
        let vertices: Vec<Vec3> =
            sums.iter().map(|&(sum, count)| rounded(sum / count, cell)).collect();
        let corner = |t: &[u32; 3]| t.map(|i| index[i as usize]);
        let area = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| vertices[i as usize]);
            (b - a).cross(c - a).length_squared()
        };
        let solid = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && area(*t) > 0.0;
        let triangles = self.triangles.iter().map(corner).filter(solid).collect();
        Mesh { triangles, vertices }
    }
}

/// To a tenth of a cell, which spares digits in files.
fn rounded(v: Vec3, cell: f64) -> Vec3 {
    let unit = 10_f64.powf((0.1 * cell).log10().floor());
    let digits = (1.0 / unit).round();
    if digits.is_finite() && digits >= 1.0 { (v * digits).round() / digits } else { v }
}
