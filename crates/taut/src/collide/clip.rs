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

/// A feature seen along the normal: its points, and its sides in the same order.
#[derive(Debug, Default)]
struct Outline {
    points: Vec<Vec2>,
    sides: Vec<Side>,
}

/// A side of an outline, and the square of its length.
#[derive(Clone, Copy, Debug)]
struct Side {
    start: Vec2,
    along: Vec2,
    square: f64,
}

impl Outline {
    fn take(&mut self, points: impl Iterator<Item = Vec2>) {
        self.points.clear();
        self.points.extend(points);
        self.sides.clear();
        let points = &self.points[..];
        let sides = if points.len() > 2 { points.len() } else { points.len().saturating_sub(1) };
        self.sides.extend((0..sides).map(|i| {
            let start = points[i];
            let along = points[next(i, points.len())] - start;
            Side { start, along, square: along.length_squared() }
        }));
    }
}

/// The index behind i, around a polygon.
fn next(i: usize, count: usize) -> usize {
    if i + 1 == count { 0 } else { i + 1 }
}

/// Buffers for the outlines.
#[derive(Debug, Default)]
pub(crate) struct Clipper {
    a: Outline,
    b: Outline,
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
        self.a.take(fa.points.iter().map(flat));
        self.b.take(fb.points.iter().map(flat));
        for (i, &p) in self.a.points.iter().enumerate() {
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
        for (i, &p) in self.b.points.iter().enumerate() {
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
        for (i, side) in self.a.sides.iter().enumerate() {
            if fa.edge_ids[i] == INNER {
                continue;
            }
            let i1 = next(i, fa.points.len());
            for (j, other) in self.b.sides.iter().enumerate() {
                let crossing = crossing(side, other);
                let Some((s, t)) = crossing.filter(|_| fb.edge_ids[j] != INNER) else {
                    continue;
                };
                let j1 = next(j, fb.points.len());
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

/// How far one travels along `n` from `x` (projected: `p`) to the feature.
fn height(f: &Feature, seen: &Outline, n: Vec3, x: Vec3, p: Vec2) -> f64 {
    let slope = f.normal.dot(n);
    if slope != 0.0 {
        return (f.points[0] - x).dot(f.normal) / slope;
    }
    let foot = match (&f.points[..], &seen.points[..]) {
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
fn covers(f: &Feature, seen: &Outline, n: Vec3, (x, p): (Vec3, Vec2), tolerance: f64) -> bool {
    let Some((centre, radius)) = f.disc else {
        return contains(seen, p, tolerance);
    };
    let foot = x + height(f, seen, n, x, p) * n;
    foot.distance(centre) <= radius + tolerance
}

/// Whether `p` lies in a convex polygon, on a segment or at a point.
fn contains(outline: &Outline, p: Vec2, tolerance: f64) -> bool {
    match outline.points[..] {
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
            for side in &outline.sides {
                let area = side.along.perp_dot(p - side.start);
                // Compares squares of distances: a root for each side would take longer.
                let square = area * area.abs();
                let limit = tolerance * tolerance * side.square;
                below |= square < -limit;
                above |= square > limit;
            }
            !(below && above)
        }
    }
}

/// Parameters in (0, 1) at which two sides cross, unless parallel.
fn crossing(a: &Side, b: &Side) -> Option<(f64, f64)> {
    let area = a.along.perp_dot(b.along);
    let way = b.start - a.start;
    // Most edges miss one another, which shows before dividing.
    let between = |x: f64| x * area > 0.0 && x.abs() < area.abs();
    let t = way.perp_dot(a.along);
    if !between(t) || area * area <= 1e-16 * a.square * b.square {
        return None;
    }
    let s = way.perp_dot(b.along);
    between(s).then(|| (s / area, t / area))
}
