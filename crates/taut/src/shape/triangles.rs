//! Shapes as triangles, for steppers and drawings that know nothing else.

use super::{Shape, ShapeError, grid};
use crate::math::Vec3;
use parry3d_f64::transformation::try_convex_hull;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Vertices and triangles.
pub type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

impl Shape {
    /// The surface as triangles, counter-clockwise seen from outside. Round shapes are inscribed polyhedra with so many corners around, at least 3.
    /// Half-spaces have no end, and compounds no one surface: they are refused, as are shapes that are none.
    ///
    /// ```
    /// use taut::{Shape, math::Vec3};
    /// let (vertices, triangles) = Shape::Box { half_extents: Vec3::ONE }.triangles(3)?;
    /// assert_eq!((vertices.len(), triangles.len()), (8, 12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn triangles(&self, around: usize) -> Result<Triangles, ShapeError> {
        self.check()?;
        let n = around.max(3);
        let quarter = n.div_ceil(4).max(2);
        // A cap from the equator to the pole, as radius and height.
        let cap = |r: f64, z: f64, sign: f64| {
            (0..=quarter).map(move |k| {
                let (s, c) = (FRAC_PI_2 * k as f64 / quarter as f64).sin_cos();
                let radius = if k == quarter { 0.0 } else { r * c };
                [radius, sign * (z + r * s)]
            })
        };
        Ok(match self {
            Shape::Box { half_extents: h } => {
                let corner = |i: u32| {
                    let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    Vec3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z)
                };
                let faces = [
                    [0, 2, 3, 1],
                    [4, 5, 7, 6],
                    [0, 1, 5, 4],
                    [2, 6, 7, 3],
                    [0, 4, 6, 2],
                    [1, 3, 7, 5],
                ];
                let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
                ((0..8).map(corner).collect(), triangles.collect())
            }
            Shape::Ball { radius } => {
                let mut profile: Vec<_> = cap(*radius, 0.0, -1.0).collect();
                profile.reverse();
                profile.extend(cap(*radius, 0.0, 1.0).skip(1));
                lathe(&profile, n)
            }
            Shape::Capsule { half_length, radius } => {
                let mut profile: Vec<_> = cap(*radius, *half_length, -1.0).collect();
                profile.reverse();
                profile.extend(cap(*radius, *half_length, 1.0));
                lathe(&profile, n)
            }
            Shape::Cylinder { half_height: h, radius: r } => {
                lathe(&[[0.0, -h], [*r, -h], [*r, *h], [0.0, *h]], n)
            }
            Shape::Cone { half_height: h, radius: r } => {
                lathe(&[[0.0, -h], [*r, -h], [0.0, *h]], n)
            }
            Shape::ConvexHull { points } => {
                self.build()?;
                try_convex_hull(points).map_err(|_| ShapeError::FlatHull(points.len()))?
            }
            Shape::TriMesh { vertices, triangles } | Shape::Sdf { vertices, triangles } => {
                (vertices.clone(), triangles.clone())
            }
            Shape::HeightField { heights, nx, ny, size_x, size_y } => {
                grid(heights, *nx, *ny, *size_x, *size_y)
            }
            Shape::HalfSpace { .. } | Shape::Compound { .. } => {
                return Err(ShapeError::BadPart { part: 0, shape: self.name() });
            }
        })
    }
}

/// What a profile of radius and height, from pole to pole, sweeps about z.
fn lathe(profile: &[[f64; 2]], n: usize) -> Triangles {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut below: Option<(u32, bool)> = None;
    for &[r, z] in profile {
        let first = vertices.len() as u32;
        let is_pole = r == 0.0;
        for k in 0..if is_pole { 1 } else { n } {
            let (s, c) = (TAU * k as f64 / n as f64).sin_cos();
            vertices.push(Vec3::new(r * c, r * s, z));
        }
        if let Some((last, last_is_pole)) = below {
            for k in 0..n as u32 {
                let next = (k + 1) % n as u32;
                let at = |first: u32, pole: bool, k: u32| first + if pole { 0 } else { k };
                let [a, b] = [k, next].map(|k| at(last, last_is_pole, k));
                let [c, d] = [next, k].map(|k| at(first, is_pole, k));
                if !last_is_pole {
                    triangles.push([a, b, c]);
                }
                if !is_pole {
                    triangles.push([a, c, d]);
                }
            }
        }
        below = Some((first, is_pole));
    }
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut_sdf::Surface;

    /// All are closed, and have the volume of their shapes up to what chords cut off.
    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        let points =
            (0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
        for shape in [
            Shape::Box { half_extents: Vec3::new(1.0, 2.0, 3.0) },
            Shape::Ball { radius: 0.5 },
            Shape::Capsule { half_length: 0.5, radius: 0.2 },
            Shape::Cylinder { half_height: 0.5, radius: 0.2 },
            Shape::Cone { half_height: 0.5, radius: 0.2 },
            Shape::ConvexHull { points: points.collect() },
        ] {
            let (vertices, triangles) = shape.triangles(64).expect("a surface");
            let volume: f64 = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| vertices[v as usize]);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            let mass = shape.mass_properties(1.0).expect("a mass").mass;
            assert!((volume / mass - 1.0).abs() < 5e-3, "{}: {volume} of {mass}", shape.name());
            let points = vertices.iter().map(|v| v.to_array()).collect();
            assert!(Surface::new(points, triangles).is_ok(), "{}", shape.name());
        }
        assert!(Shape::HalfSpace { normal: Vec3::Z }.triangles(8).is_err());
        assert!(Shape::Ball { radius: -1.0 }.triangles(8).is_err());
    }
}
