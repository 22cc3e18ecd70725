//! The nearest point of a triangle, and on which part of it that lies.

use crate::vector::{Vec3, along, cross, dot, norm, sub};

/// A part of a triangle; sides and corners are numbered from 0, side i runs from corner i to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Corner(usize),
    Side(usize),
    Inside,
}

/// The point of a triangle nearest to p: the regions of a triangle, one after the other.
#[inline]
pub(crate) fn nearest(p: Vec3, [a, b, c]: [Vec3; 3]) -> (Vec3, Part) {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Part::Corner(0));
    }
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Part::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (along(a, d1 / (d1 - d3), ab), Part::Side(0));
    }
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Part::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (along(a, d2 / (d2 - d6), ac), Part::Side(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (along(b, w, sub(c, b)), Part::Side(1));
    }
    let sum = va + vb + vc;
    (along(along(a, vb / sum, ab), vc / sum, ac), Part::Inside)
}

/// Whether the segment p q passes through the triangle; to end there is not to pass.
pub(crate) fn is_cut([a, b, c]: [Vec3; 3], p: Vec3, q: Vec3) -> bool {
    let (ab, ac, pq, ap) = (sub(b, a), sub(c, a), sub(q, p), sub(p, a));
    let n = cross(ab, ac);
    let slope = dot(n, pq);
    if slope.abs() <= 1e-12 * norm(n) * norm(pq) {
        return false;
    }
    let t = -dot(n, ap) / slope;
    let x = along(ap, t, pq);
    let size = dot(n, n);
    let (u, v) = (dot(cross(x, ac), n) / size, dot(cross(ab, x), n) / size);
    const RIM: f64 = 1e-9;
    t > RIM && t < 1.0 - RIM && u > -RIM && v > -RIM && u + v < 1.0 + RIM
}
