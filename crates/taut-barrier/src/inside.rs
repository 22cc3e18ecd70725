//! Whether a body starts within another one: their surfaces do not meet then, and nothing would ever get it out.
//!
//! Where no edge meets a triangle, one vertex of each connected piece of a surface tells: it is inside a closed one if the solid angles of its
//! triangles add up to 4π (van Oosterom and Strackee 1983). *Cost*: pieces times triangles, of bodies whose boxes meet, at the start.

use std::collections::BTreeMap;

use taut_sdf::Bounds;

use crate::contacts::Intersection;
use crate::system::System;
use crate::vector::{Vec3, cross, dot, norm, sub};

/// Triangles that hang together.
pub(crate) struct Piece {
    pub triangles: Vec<[u32; 3]>,
    pub is_closed: bool,
}

/// The connected pieces of a surface.
pub(crate) fn pieces(triangles: &[[u32; 3]]) -> Vec<Piece> {
    let mut parent: BTreeMap<u32, u32> = triangles.iter().flatten().map(|&v| (v, v)).collect();
    fn root(parent: &mut BTreeMap<u32, u32>, mut v: u32) -> u32 {
        while let Some(&up) = parent.get(&v).filter(|&&up| up != v) {
            let next = parent.get(&up).copied().unwrap_or(up);
            parent.insert(v, next);
            v = up;
        }
        v
    }
    for t in triangles {
        let roots = t.map(|v| root(&mut parent, v));
        let least = roots[0].min(roots[1]).min(roots[2]);
        for r in roots {
            parent.insert(r, least);
        }
    }
    let mut found: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for t in triangles {
        found.entry(root(&mut parent, t[0])).or_default().push(*t);
    }
    let piece = |triangles: Vec<[u32; 3]>| Piece { is_closed: is_closed(&triangles), triangles };
    found.into_values().map(piece).collect()
}

/// Whether every side is passed as often in one direction as in the other.
fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut sides: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            *sides.entry([a.min(b), a.max(b)]).or_insert(0) += if a < b { 1 } else { -1 };
        }
    }
    sides.values().all(|&count| count == 0)
}

/// How often triangles go around a point.
fn winding(point: Vec3, triangles: &[[u32; 3]], places: &[Vec3]) -> f64 {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| sub(places[v as usize], point));
        let (la, lb, lc) = (norm(a), norm(b), norm(c));
        let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        2.0 * dot(a, cross(b, c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// The least thickness of closed pieces \[m\]: that of their boxes, but no more than six volumes over the surface, which is the side of a
/// cube and three thicknesses of a plate; infinite if none is closed.
pub(crate) fn thickness(places: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let of = |piece: &Piece| {
        let corner = |v: u32| places[v as usize];
        let o = corner(piece.triangles[0][0]);
        let (mut volume, mut area, mut all) = (0.0, 0.0, Vec::new());
        for t in &piece.triangles {
            let [a, b, c] = t.map(|v| sub(corner(v), o));
            volume += dot(a, cross(b, c)) / 6.0;
            area += 0.5 * norm(cross(sub(b, a), sub(c, a)));
            all.extend([a, b, c]);
        }
        let bounds = Bounds::of(&all);
        let side = (0..3).map(|k| bounds.hi[k] - bounds.lo[k]).fold(f64::INFINITY, f64::min);
        side.min(6.0 * volume.abs() / area)
    };
    pieces(triangles).iter().filter(|p| p.is_closed).map(of).fold(f64::INFINITY, f64::min)
}

impl System {
    /// A body with a piece within another one's closed pieces, if there is one. Surfaces must not meet.
    pub(crate) fn within(&self, places: &[Vec3]) -> Option<Intersection> {
        let all: Vec<Vec<Piece>> =
            self.bodies.iter().map(|b| pieces(&self.faces[b.faces.clone()])).collect();
        let bounds: Vec<Bounds> = self
            .bodies
            .iter()
            .map(|b| Bounds::of(&places[b.first_vertex..b.first_vertex + b.vertices]))
            .collect();
        for a in 0..all.len() {
            for b in (0..all.len()).filter(|&b| b != a) {
                if !self.may_touch(a as u32, b as u32) || !bounds[a].meets(&bounds[b]) {
                    continue;
                }
                for piece in &all[a] {
                    let near = places[piece.triangles[0][0] as usize];
                    let closed = all[b].iter().filter(|p| p.is_closed);
                    let around: f64 = closed.map(|p| winding(near, &p.triangles, places)).sum();
                    if around > 0.5 {
                        return Some(Intersection { bodies: [a, b], near });
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;

    #[test]
    fn points_inside_are_told() {
        let mesh = Mesh::ring([1.0, 0.2], 0.0, [12, 6]).expect("a mesh");
        let around = |p| winding(p, mesh.triangles(), mesh.vertices());
        assert!((around([1.0, 0.0, 0.0]) - 1.0).abs() < 1e-12 && around([0.0; 3]).abs() < 1e-12);
        let pieces = pieces(mesh.triangles());
        assert!(pieces.len() == 1 && pieces[0].is_closed);
        let flat = Mesh::ground(1.0).expect("a mesh");
        assert_eq!(thickness(flat.vertices(), flat.triangles()), f64::INFINITY);
        let block = Mesh::block([0.5, 0.5, 0.05]).expect("a mesh");
        assert!((thickness(block.vertices(), block.triangles()) - 0.1).abs() < 1e-12);
    }
}
