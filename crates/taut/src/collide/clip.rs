//! Contact points of two features seen along the contact normal.
//!
//! Both features are projected onto a plane across the normal. The corners of
//! the overlap of two convex polygons are the vertices of one inside the
//! other and the crossings of their edges; heights above the plane give the
//! gaps. (Andrews22 2.2 clips the incident face by the side planes of the
//! reference face. The corners are the same, but here each has the name of
//! the two features that make it, whichever face is the reference.)
//!
//! Vertices count as inside up to a tolerance, so that boxes aligned with one
//! another keep their corners when they shift by a rounding error.
//!
//! Fails (returns no point) when the projections do not overlap: the caller
//! then falls back on another axis.

use super::feature::{Feature, INNER};
use crate::math::{Vec2, Vec3};

/// A contact before duplicates are removed and the patch is reduced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) a: Vec3,
    pub(crate) b: Vec3,
    pub(crate) gap: f64,
    pub(crate) feature_a: u32,
    pub(crate) feature_b: u32,
    /// Directions of the edges that touch, in the frame of A.
    pub(crate) edges: [Vec3; 2],
}

/// Buffers for the projected points.
#[derive(Debug, Default)]
pub(crate) struct Clipper {
    a: Vec<Vec2>,
    b: Vec<Vec2>,
}

impl Clipper {
    /// Appends the contact points between `fa` and `fb` along the unit normal
    /// `n` (from A to B) to `out`; they lie on the cores. `tolerance` is a
    /// length.
    pub(crate) fn clip(
        &mut self,
        fa: &Feature,
        fb: &Feature,
        n: Vec3,
        tolerance: f64,
        out: &mut Vec<Candidate>,
    ) {
        let (u, v) = n.any_orthonormal_pair();
        let flat = |p: &Vec3| Vec2::new(u.dot(*p), v.dot(*p));
        self.a.clear();
        self.a.extend(fa.points.iter().map(flat));
        self.b.clear();
        self.b.extend(fb.points.iter().map(flat));
        for (i, &p) in self.a.iter().enumerate() {
            let a = fa.points[i];
            if covers(fb, &self.b, n, (a, p), tolerance) {
                let gap = height(fb, &self.b, n, a, p);
                out.push(Candidate {
                    a,
                    b: a + gap * n,
                    gap,
                    feature_a: fa.vertex_ids[i],
                    feature_b: name_under(fb),
                    edges: [Vec3::ZERO, edge_under(fb)],
                });
            }
        }
        for (i, &p) in self.b.iter().enumerate() {
            let b = fb.points[i];
            if covers(fa, &self.a, n, (b, p), tolerance) {
                let gap = -height(fa, &self.a, n, b, p);
                out.push(Candidate {
                    a: b - gap * n,
                    b,
                    gap,
                    feature_a: name_under(fa),
                    feature_b: fb.vertex_ids[i],
                    edges: [edge_under(fa), Vec3::ZERO],
                });
            }
        }
        self.crossings(fa, fb, n, out);
    }

    fn crossings(&self, fa: &Feature, fb: &Feature, n: Vec3, out: &mut Vec<Candidate>) {
        let next = |i: usize, count: usize| if i + 1 == count { 0 } else { i + 1 };
        for i in 0..edge_count(self.a.len()) {
            let i1 = next(i, self.a.len());
            if fa.edge_ids[i] == INNER {
                continue;
            }
            let (from, to) = (self.a[i], self.a[i1]);
            for j in 0..edge_count(self.b.len()) {
                let j1 = next(j, self.b.len());
                let crossing = crossing(from, to, self.b[j], self.b[j1]);
                let Some((s, t)) = crossing.filter(|_| fb.edge_ids[j] != INNER) else {
                    continue;
                };
                let a = fa.points[i].lerp(fa.points[i1], s);
                let gap = (fb.points[j].lerp(fb.points[j1], t) - a).dot(n);
                out.push(Candidate {
                    a,
                    b: a + gap * n,
                    gap,
                    feature_a: fa.edge_ids[i],
                    feature_b: fb.edge_ids[j],
                    edges: [direction(fa, i, i1), direction(fb, j, j1)],
                });
            }
        }
    }
}

/// The id of the part of a feature that lies under a vertex of the other.
fn name_under(f: &Feature) -> u32 {
    match f.points.len() {
        1 => f.vertex_ids[0],
        2 => f.edge_ids[0],
        _ => f.face_id,
    }
}

/// The direction of the segment that lies under a vertex of the other, if it is one.
fn edge_under(f: &Feature) -> Vec3 {
    if f.points.len() == 2 { direction(f, 0, 1) } else { Vec3::ZERO }
}

fn direction(f: &Feature, i: usize, j: usize) -> Vec3 {
    (f.points[j] - f.points[i]).normalize_or_zero()
}

fn edge_count(points: usize) -> usize {
    match points {
        0 | 1 => 0,
        2 => 1,
        k => k,
    }
}

/// How far one travels along `n` from `x` (projected: `p`) to the feature.
fn height(f: &Feature, projected: &[Vec2], n: Vec3, x: Vec3, p: Vec2) -> f64 {
    let slope = f.normal.dot(n);
    if slope != 0.0 {
        return (f.points[0] - x).dot(f.normal) / slope;
    }
    let foot = match (&f.points[..], projected) {
        (&[a, b, ..], &[pa, pb, ..]) => {
            let d = pb - pa;
            let length2 = d.length_squared();
            let t = if length2 > 0.0 { (p - pa).dot(d) / length2 } else { 0.5 };
            a.lerp(b, t.clamp(0.0, 1.0))
        }
        _ => f.points[0],
    };
    (foot - x).dot(n)
}

/// Whether `x` (projected: `p`) lies over or under the feature. Discs are
/// taken as they are, not as their polygons.
fn covers(f: &Feature, projected: &[Vec2], n: Vec3, (x, p): (Vec3, Vec2), tolerance: f64) -> bool {
    let Some((centre, radius)) = f.disc else {
        return contains(projected, p, tolerance);
    };
    let foot = x + height(f, projected, n, x, p) * n;
    foot.distance(centre) <= radius + tolerance
}

/// Whether `p` lies in a convex polygon, on a segment or at a point.
fn contains(polygon: &[Vec2], p: Vec2, tolerance: f64) -> bool {
    match *polygon {
        [] => false,
        [a] => p.distance(a) <= tolerance,
        [a, b] => {
            let d = b - a;
            let t = ((p - a).dot(d) / d.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            p.distance(a + t * d) <= tolerance
        }
        _ => {
            // The loop may turn either way, depending on the side it is seen
            // from; a point inside lies on the same side of all edges.
            let (mut below, mut above) = (false, false);
            let mut a = polygon[polygon.len() - 1];
            for &b in polygon {
                let d = b - a;
                let area = d.perp_dot(p - a);
                // Compares squares of distances: a root for each side would take longer.
                let outside = area * area > tolerance * tolerance * d.length_squared();
                below |= outside && area < 0.0;
                above |= outside && area > 0.0;
                if below && above {
                    return false;
                }
                a = b;
            }
            true
        }
    }
}

/// Parameters in (0, 1) at which two segments cross, unless parallel.
fn crossing(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> Option<(f64, f64)> {
    let (e, f) = (b - a, d - c);
    let area = e.perp_dot(f);
    if area * area <= 1e-16 * e.length_squared() * f.length_squared() {
        return None;
    }
    // Most edges miss one another, which shows before dividing.
    let (s, t) = ((c - a).perp_dot(f), (c - a).perp_dot(e));
    let between = |x: f64| x * area > 0.0 && x.abs() < area.abs();
    (between(s) && between(t)).then(|| (s / area, t / area))
}
