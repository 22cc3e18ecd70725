//! The nearest face of a soft body's surface, and how far a point is outside.

use crate::matrix::{Vec3, along, cross, dot, norm, scale, sub};

/// The nearest point of a surface.
pub(crate) struct Nearest {
    /// Which triangle, and the weights of its corners.
    pub triangle: [u32; 3],
    pub weights: [f64; 3],
    /// Out of the soft body, of length 1.
    pub normal: Vec3,
    /// Negative inside.
    pub distance: f64,
}

/// By looking at all triangles. Of several that are equally near, as at an edge, the one that faces the point most decides.
pub(crate) fn nearest(p: Vec3, x: &[Vec3], triangles: &[[u32; 3]]) -> Option<Nearest> {
    let mut best: Option<(f64, f64, Nearest)> = None;
    for &triangle in triangles {
        let [a, b, c] = triangle.map(|n| x[n as usize]);
        let n = cross(sub(b, a), sub(c, a));
        let area = norm(n);
        if area == 0.0 {
            continue;
        }
        let weights = weights(p, [a, b, c]);
        let foot = along(along(scale(a, weights[0]), weights[1], b), weights[2], c);
        let (d, n) = (sub(p, foot), scale(n, 1.0 / area));
        let (length, height) = (norm(d), dot(d, n));
        let is_nearer = best.as_ref().is_none_or(|(least, facing, _)| {
            length < *least * (1.0 - 1e-9)
                || (length <= *least * (1.0 + 1e-9) && height.abs() > *facing)
        });
        if is_nearer {
            // Outside and beyond an edge the way out leads away from it.
            let beyond = height > 0.0 && height < 0.999 * length;
            let (normal, distance) =
                if beyond { (scale(d, 1.0 / length), length) } else { (n, height) };
            best = Some((length, height.abs(), Nearest { triangle, weights, normal, distance }));
        }
    }
    best.map(|b| b.2)
}

/// Barycentric coordinates of the nearest point of a triangle: of its plane, or else of its sides.
fn weights(p: Vec3, x: [Vec3; 3]) -> [f64; 3] {
    let (u, v, w) = (sub(x[1], x[0]), sub(x[2], x[0]), sub(p, x[0]));
    let (uu, uv, vv, uw, vw) = (dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w));
    let det = uu * vv - uv * uv;
    let (s, t) = ((vv * uw - uv * vw) / det, (uu * vw - uv * uw) / det);
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        return [1.0 - s - t, s, t];
    }
    let mut best = ([0.0; 3], f64::INFINITY);
    for k in 0..3 {
        let (a, b) = (x[k], x[(k + 1) % 3]);
        let e = sub(b, a);
        let s = (dot(sub(p, a), e) / dot(e, e)).clamp(0.0, 1.0);
        let d = sub(p, along(a, s, e));
        if dot(d, d) < best.1 {
            let mut weights = [0.0; 3];
            (weights[k], weights[(k + 1) % 3]) = (1.0 - s, s);
            best = (weights, dot(d, d));
        }
    }
    best.0
}
