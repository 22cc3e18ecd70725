//! The exact field of a closed mesh.
//!
//! A tree of boxes finds the nearest point of the mesh. Whether p is inside shows the sign of its height over
//! that point along a normal: of the face, or where a side or a corner is nearest, the angle-weighted
//! pseudo-normal, which is right for every closed mesh (Bærentzen and Aanæs 2005). *Cost*: a search in the tree; more of it
//! the farther the point is from the surface.

use crate::Error;
use crate::bvh::{Bounds, Bvh};
use crate::check;
use crate::field::{Field, Sample};
use crate::triangle::{Part, nearest};
use crate::vector::{Vec3, along, cross, dot, norm, scale, sub, unit};

/// A closed mesh, checked and prepared.
#[derive(Debug, Clone)]
pub struct Surface {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    tree: Bvh,
    /// Corners of triangles, in the order of the tree.
    placed: Vec<[Vec3; 3]>,
    normals: Vec<Vec3>,
    /// Of each triangle's sides: the sum of both faces' normals.
    sides: Vec<[Vec3; 3]>,
    /// Of vertices, weighted by angle.
    corners: Vec<Vec3>,
}

/// The nearest point of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The field there.
    pub sample: Sample,
    /// The point of the mesh.
    pub point: Vec3,
    /// A triangle that has it.
    pub triangle: u32,
    /// The place of that triangle in the tree.
    pub(crate) place: u32,
}

impl Surface {
    /// Checks the mesh: it must be the surface of a solid.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        check::numbers(&vertices, &triangles)?;
        let neighbours = check::closed(&vertices, &triangles)?;
        let corners_of = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::of(&corners_of(t))).collect();
        let tree = Bvh::new(&boxes);
        check::simple(&vertices, &triangles, &tree)?;
        let placed = tree.order().iter().map(|&i| corners_of(&triangles[i as usize])).collect();
        let mut normals = Vec::with_capacity(triangles.len());
        let mut corners = vec![[0.0; 3]; vertices.len()];
        for t in &triangles {
            let p = corners_of(t);
            let n = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
            for k in 0..3 {
                let (e, f) = (sub(p[(k + 1) % 3], p[k]), sub(p[(k + 2) % 3], p[k]));
                let angle = norm(cross(e, f)).atan2(dot(e, f));
                let corner = &mut corners[t[k] as usize];
                *corner = along(*corner, angle, n);
            }
            normals.push(n);
        }
        let side = |i: usize, t: &[u32; 3], k: usize| {
            let other = neighbours.get(&[t[(k + 1) % 3], t[k]]).map_or(i, |&j| j as usize);
            along(normals[i], 1.0, normals[other])
        };
        let sides =
            triangles.iter().enumerate().map(|(i, t)| [0, 1, 2].map(|k| side(i, t, k))).collect();
        check::nested(&vertices, &triangles, &neighbours)?;
        Ok(Self { vertices, triangles, tree, placed, normals, sides, corners })
    }

    /// Its vertices.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// The least and the greatest corner of the box around it.
    pub fn bounds(&self) -> [Vec3; 2] {
        let b = self.tree.bounds();
        [b.lo, b.hi]
    }

    /// The nearest point of the mesh.
    pub fn nearest(&self, p: Vec3) -> Nearest {
        // With nothing farther than infinity there is always one; the default keeps the type simple.
        self.nearest_within(p, f64::INFINITY).unwrap_or(Nearest {
            sample: Sample { distance: f64::INFINITY, gradient: [0.0; 3] },
            point: p,
            triangle: 0,
            place: 0,
        })
    }

    /// The nearest point of the mesh, if it is no farther than `reach`.
    pub fn nearest_within(&self, p: Vec3, reach: f64) -> Option<Nearest> {
        self.search(p, reach, [])
    }

    /// With triangles that are likely to be near: the tree is not searched beyond them.
    pub(crate) fn search<const N: usize>(
        &self,
        p: Vec3,
        reach: f64,
        hints: [u32; N],
    ) -> Option<Nearest> {
        let mut best = reach * reach;
        let mut found = None;
        let mut visit = |place: u32| {
            let (q, part) = nearest(p, self.placed[place as usize]);
            let d = sub(p, q);
            let d2 = dot(d, d);
            if d2 < best || (d2 == best && found.is_none()) {
                best = d2;
                found = Some((place, q, part));
            }
            best
        };
        let mut limit = reach * reach;
        let mut last = u32::MAX;
        for hint in hints {
            if hint != last {
                limit = visit(hint);
                last = hint;
            }
        }
        self.tree.nearest(p, limit, visit);
        let (place, point, part) = found?;
        let i = self.tree.order()[place as usize];
        let n = self.normal(i, part);
        let d = sub(p, point);
        let length = norm(d);
        let out = dot(d, n) >= 0.0;
        let sign = if out { 1.0 } else { -1.0 };
        // On the surface itself the direction is that of the normal.
        let size = point.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let gradient = if length > 1e-14 * size { scale(d, sign / length) } else { unit(n) };
        Some(Nearest {
            sample: Sample { distance: sign * length, gradient },
            point,
            triangle: i,
            place,
        })
    }

    fn normal(&self, i: u32, part: Part) -> Vec3 {
        match part {
            Part::Inside => self.normals[i as usize],
            Part::Side(k) => self.sides[i as usize][k],
            Part::Corner(k) => self.corners[self.triangles[i as usize][k] as usize],
        }
    }

    /// Appends the triangles whose boxes meet the given one.
    pub fn triangles_in(&self, lo: Vec3, hi: Vec3, out: &mut Vec<u32>) {
        self.tree.meeting(&Bounds { lo, hi }, |i| {
            let b = Bounds::of(&self.corners(i));
            if b.meets(&Bounds { lo, hi }) {
                out.push(i);
            }
        });
    }
}

impl Field for Surface {
    fn sample(&self, point: Vec3) -> Sample {
        self.nearest(point).sample
    }
}
