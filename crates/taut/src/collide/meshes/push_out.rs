//! Lost pairs: solids that overlap with no feature on another one.

use super::touch::MovedTriangle;
use super::{Meshes, Side, placement};
use crate::collide::feature::{face, vertex};
use crate::collide::{Bend, ContactKey, ContactPoint};
use crate::math::Vec3;
use taut_sdf::{Field, face_minimum};

/// Values looked at for the deepest point of a face, at most.
const VALUES: usize = 300;

impl Meshes {
    /// Solids that overlap without a contact: corners inside, else deepest points of faces.
    pub(super) fn push_out(&mut self, sides: &[Side; 2], thick: f64) {
        let [a, b] = sides;
        let (Some(_), Some(_)) = (&a.mesh.surface, &b.mesh.surface) else { return };
        let relative = a.pose.inv_mul(&b.pose);
        let at = placement(&relative);
        self.pairs.clear();
        a.mesh.tree.near_pairs(&b.mesh.tree, &[at, at], [0.0; 2], &mut self.pairs);
        self.pairs.retain(|&[i, j]| {
            let moved = MovedTriangle::new(&b.mesh.triangles[j as usize], &relative);
            cut(&a.mesh.triangles[i as usize].vertices, &moved.vertices)
        });
        for (flip, field, mesh) in [(false, a, b), (true, b, a)] {
            let Some(surface) = &field.mesh.surface else { continue };
            let relative = field.pose.inv_mul(&mesh.pose);
            let mut deepest: Option<(f64, Vec3, u32)> = None;
            let mut last = u32::MAX;
            let side = usize::from(!flip);
            self.pairs.sort_unstable_by_key(|p| p[side]);
            for pair in &self.pairs {
                let i = pair[side];
                if i == last {
                    continue;
                }
                last = i;
                let corners = mesh.mesh.triangles[i as usize]
                    .vertices
                    .map(|p| relative.transform_point(p).to_array());
                let least = face_minimum(&**surface, corners, 0.05 * thick, VALUES);
                if least.distance < deepest.map_or(0.0, |d| d.0) {
                    deepest = Some((least.distance, least.point.into(), i));
                }
            }
            let Some((_, p, i)) = deepest else { continue };
            let s = surface.sample(p.to_array());
            let out = field.pose.transform_vector(s.gradient.into());
            if out == Vec3::ZERO {
                continue;
            }
            let on_mesh = field.pose.transform_point(p);
            let on_field = on_mesh - s.distance * out;
            let corner = vertex(1 << 29 | i);
            let (ends, normal, ids) = match flip {
                false => ([on_field, on_mesh], out, [face(0), corner]),
                true => ([on_mesh, on_field], -out, [corner, face(0)]),
            };
            let point = ContactPoint {
                point_a: ends[0],
                point_b: ends[1],
                gap: s.distance,
                feature: ContactKey { sub_a: 0, sub_b: 0, feature_a: ids[0], feature_b: ids[1] },
                bend: Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] }),
            };
            self.contacts.push((point, normal));
        }
    }
}

/// Whether a side of one of two triangles passes through the other.
fn cut(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let passes = |t: &[Vec3; 3], p: Vec3, q: Vec3| {
        let (e, f) = (t[1] - t[0], t[2] - t[0]);
        let n = e.cross(f);
        let (from, to) = (n.dot(p - t[0]), n.dot(q - t[0]));
        if from * to >= 0.0 {
            return false;
        }
        let x = p + from / (from - to) * (q - p) - t[0];
        let (u, v) = (x.cross(f).dot(n), e.cross(x).dot(n));
        u >= 0.0 && v >= 0.0 && u + v <= n.length_squared()
    };
    (0..3).any(|k| passes(a, b[k], b[(k + 1) % 3]) || passes(b, a[k], a[(k + 1) % 3]))
}
