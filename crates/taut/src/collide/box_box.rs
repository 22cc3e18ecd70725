//! The separating axis of two boxes (Andrews22 2.2, eq. 86 corrected: the
//! projected radius of a box is Σ hᵢ|aᵢ·l|).
//!
//! The same choice as the general search of [`super::axis`], written out for
//! the most frequent pair: fifteen axes, no support function.

use super::axis::{Axes, Axis, EDGE_BIAS, Origin};
use crate::math::{Mat3, Pose, Vec3};

// What half and twice of these change: docs/decisions/step-constants.md.

/// Edges whose angle has a smaller sine count as parallel.
const PARALLEL: f64 = 1e-3;
/// Edges this near to one another, relative to the boxes, touch.
const TOUCH: f64 = 1e-4;
/// Cosines of the angle between two faces that may have an edge each in touch: neither the same face nor corners of a grid.
const SLANTED: std::ops::Range<f64> = 0.2..0.999;

/// The contact normal in the frame of A (half extents `ha`), for B with half
/// extents `hb` at `pose`. None if the boxes are farther apart than `margin`.
pub(crate) fn axes(ha: Vec3, hb: Vec3, pose: &Pose, margin: f64) -> Option<Axes> {
    let r = Mat3::from_quat(pose.rotation);
    let t = pose.translation;
    let size = ha.length().min(hb.length());
    let abs = Mat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
    // Separations along the axes of A and of B.
    let along_a = t.abs() - ha - abs * hb;
    let along_b = (r.transpose() * t).abs() - hb - abs.transpose() * ha;
    if along_a.max_element() > margin || along_b.max_element() > margin {
        return None;
    }
    let (face, best) = best_face(along_a, along_b, 1e-6 * size);
    let direction = if face < 3 { unit(face) } else { r.col(face - 3) };
    let face = Axis {
        normal: direction * 1f64.copysign(direction.dot(t)),
        separation: best,
        origin: Origin::Face,
    };
    let face = between_edges(ha, hb, &r, t, (along_a, along_b), &face).unwrap_or(face);
    let edge = best_edge(ha, hb, &r, &abs, t);
    let axes = match edge {
        Some(e) if e.separation > margin => return None,
        Some(e) if e.separation > best + EDGE_BIAS * size => Axes { best: e, second: Some(face) },
        _ => Axes { best: face, second: edge },
    };
    Some(axes)
}

/// Index 0 to 2: axes of A, 3 to 5: of B; later ones must be better by
/// `slack`.
fn best_face(along_a: Vec3, along_b: Vec3, slack: f64) -> (usize, f64) {
    let mut best = (0, along_a.x);
    let rest = [along_a.y, along_a.z, along_b.x, along_b.y, along_b.z];
    for (i, s) in rest.into_iter().enumerate() {
        if s > best.1 + slack {
            best = (i + 1, s);
        }
    }
    best
}

/// The normal of two parallel edges that touch: any between those of two faces separates the boxes as well, and the
/// one midway favours neither. (Cards that lean on one another had the normal of one of them, and stood only where friction
/// at the top held its slant: from μ = tan φ on, in place of ½ tan φ.)
fn between_edges(
    ha: Vec3,
    hb: Vec3,
    r: &Mat3,
    t: Vec3,
    (along_a, along_b): (Vec3, Vec3),
    face: &Axis,
) -> Option<Axis> {
    let size = ha.length().min(hb.length());
    let slack = 1e-6 * size + 0.3 * face.separation.abs();
    let (i, j) = (along_a.max_position(), along_b.max_position());
    let is_touch = face.separation.abs() <= TOUCH * size;
    if !is_touch || (along_a[i] - along_b[j]).abs() > slack {
        return None;
    }
    let towards = |d: Vec3| d * 1f64.copysign(d.dot(t));
    let (a, b) = (towards(unit(i)), towards(r.col(j)));
    if !SLANTED.contains(&a.dot(b)) {
        return None;
    }
    let normal = (a + b).normalize();
    let radius_b = (r.transpose() * normal).abs().dot(hb);
    let separation = normal.dot(t) - normal.abs().dot(ha) - radius_b;
    let is_edge = separation >= face.separation - slack;
    is_edge.then_some(Axis { normal, separation, origin: Origin::Face })
}

fn best_edge(ha: Vec3, hb: Vec3, r: &Mat3, abs: &Mat3, t: Vec3) -> Option<Axis> {
    /// The two axes behind each, in turn.
    const NEXT: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];
    let (b, abs) = (r.to_cols_array_2d(), abs.to_cols_array_2d());
    let (ha, hb, d) = (ha.to_array(), hb.to_array(), t.to_array());
    let mut best: Option<(f64, usize, usize)> = None;
    for i in 0..3 {
        let (i1, i2) = NEXT[i];
        for j in 0..3 {
            let (j1, j2) = NEXT[j];
            // The cross product of edges i of A and j of B is −b along i1, and b along i2.
            let (y, z) = (-b[j][i2], b[j][i1]);
            let length = (y * y + z * z).sqrt();
            if length < PARALLEL {
                continue;
            }
            let radius_a = ha[i1] * abs[j][i2] + ha[i2] * abs[j][i1];
            let radius_b = hb[j1] * abs[j2][i] + hb[j2] * abs[j1][i];
            let distance = d[i1] * y + d[i2] * z;
            let s = (distance.abs() - radius_a - radius_b) / length;
            if best.is_none_or(|b| s > b.0) {
                best = Some((s, i, j));
            }
        }
    }
    best.map(|(separation, i, j)| {
        let l = unit(i).cross(r.col(j));
        let normal = l / l.length().copysign(t.dot(l));
        Axis { normal, separation, origin: Origin::Edges(i, j) }
    })
}

fn unit(i: usize) -> Vec3 {
    [Vec3::X, Vec3::Y, Vec3::Z][i]
}
