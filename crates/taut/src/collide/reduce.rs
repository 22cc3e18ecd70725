//! From all contacts of a patch to the few that span it.
//!
//! Where two flat surfaces meet, the gap is an affine function of the place,
//! so the contacts at the corners of the patch imply all others: points inside
//! the convex hull are dropped. While more than four corners are left, those
//! that cut off little area go too. Nearly equal candidates are decided by
//! their names and not by rounding errors, so that the choice is the same in
//! every step of a body at rest.
//!
//! A point deeper than all that are kept is always kept, and so is one deeper
//! than the corners imply where it is: patches may be only nearly flat.

use super::feature::is_vertex;
use super::{ContactKey, ContactPoint, MAX_POINTS, Manifold};
use crate::math::{Vec2, Vec3};

// What half and twice of these change: docs/decisions/step-constants.md.

/// Points closer than this share of the size are one.
const MERGE: f64 = 1e-3;
/// Patches narrower than this share of their length are lines.
const LINE: f64 = 1e-3;
/// A corner that cuts off less than this share of the area may go while more
/// than four are left.
const MINOR_CORNER: f64 = 0.03;
/// A corner that cuts off less than this share always goes.
const FLAT_CORNER: f64 = 1e-4;
/// Corners that cut off areas that differ by less than this share of the whole are alike: their names decide.
const TIE: f64 = 1e-3;
/// Points deeper by this share of the size than those that are kept imply are kept, too.
const DENT: f64 = 1e-4;

/// Buffers of the reduction. Points are large: they are named by their index, and stay where they are.
#[derive(Debug, Default)]
pub(crate) struct Reducer {
    /// Points of A and B seen along the normal.
    seen: Vec<[Vec2; 2]>,
    /// What they are sorted by.
    names: Vec<(u8, ContactKey, usize)>,
    order: Vec<usize>,
    flat: Vec<(Vec2, usize)>,
    hull: Vec<(Vec2, usize)>,
}

impl Reducer {
    /// Fills `out` from `points`. `size` is the length scale of the smaller shape.
    pub(crate) fn reduce(&mut self, points: &[ContactPoint], size: f64, out: &mut Manifold) {
        let (u, v) = out.normal.any_orthonormal_pair();
        let seen = |p: Vec3| Vec2::new(u.dot(p), v.dot(p));
        self.seen.clear();
        self.seen.extend(points.iter().map(|p| [seen(p.point_a), seen(p.point_b)]));
        self.order.clear();
        self.order.extend(0..points.len());
        if self.is_quadrangle() && self.are_apart(points, MERGE * size) {
            self.take_corners(points, out);
            return;
        }
        self.sort_and_merge(points, MERGE * size);
        if self.is_quadrangle() {
            self.take_corners(points, out);
        } else {
            self.find_span(points, size, out);
        }
    }

    /// Sorts by name, and leaves one of those that coincide.
    fn sort_and_merge(&mut self, points: &[ContactPoint], tolerance: f64) {
        self.names.clear();
        self.names.extend(points.iter().enumerate().map(|(i, p)| (rank(p), p.feature, i)));
        self.names.sort_unstable();
        self.order.clear();
        self.order.extend(self.names.iter().map(|name| name.2));
        self.merge(points, tolerance);
    }

    /// All points left, by name.
    fn take_corners(&mut self, points: &[ContactPoint], out: &mut Manifold) {
        self.order.sort_unstable_by_key(|&i| points[i].feature);
        self.order.iter().for_each(|&i| out.push(points[i]));
    }

    /// Those of the points left that span the patch.
    fn find_span(&mut self, points: &[ContactPoint], size: f64, out: &mut Manifold) {
        self.flat.clear();
        self.flat.extend(self.order.iter().map(|&i| (self.seen[i][0], i)));
        if self.flat.len() <= 2 {
            std::mem::swap(&mut self.flat, &mut self.hull);
        } else {
            self.find_hull();
            self.simplify(points);
        }
        // By name, so that the points at the end hardly move.
        self.names.clear();
        self.names.extend(self.hull.iter().map(|&(_, i)| (0, points[i].feature, i)));
        self.names.sort_unstable();
        self.names.iter().for_each(|name| out.push(points[name.2]));
        self.keep_dents(points, DENT * size, out);
        self.keep_deepest(points, DENT * size, out);
        out.points_mut().sort_unstable_by_key(|p| p.feature);
    }

    /// Whether the points left are the four corners of a polygon, all of which stay: what clipping
    /// one face by another mostly leaves. What is near a limit is left to [`Self::find_span`], which says the
    /// same of the rest. (It took 4,500 instructions a patch of `boxes`, a quarter of its collision.)
    fn is_quadrangle(&self) -> bool {
        let [a, b, c, d] = self.order[..] else { return false };
        let [a, b, c, d] = [a, b, c, d].map(|i| self.seen[i][0]);
        // Corners of one face come in the order around it, crossings edge by edge.
        is_wide([a, b, c, d]) || is_wide([a, b, d, c]) || is_wide([a, c, b, d])
    }

    /// Whether no two points are one: see [`Self::merge`].
    fn are_apart(&self, points: &[ContactPoint], tolerance: f64) -> bool {
        let is_apart = |i: usize, j: usize| {
            let far = |side: usize| {
                let d = self.seen[i][side] - self.seen[j][side];
                d.length_squared() > tolerance * tolerance
            };
            far(0) && far(1) && points[i].feature != points[j].feature
        };
        (0..points.len()).all(|i| (0..i).all(|j| is_apart(i, j)))
    }

    /// Drops points that have the name of an earlier one, or coincide with it seen
    /// along the normal (on one side is enough: anticipated contacts of one corner
    /// with two triangles differ on the other); but the deeper one survives if
    /// they differ in depth.
    fn merge(&mut self, points: &[ContactPoint], tolerance: f64) {
        let mut kept = 0;
        for k in 0..self.order.len() {
            let i = self.order[k];
            let (p, [a, b]) = (&points[i], self.seen[i]);
            let near = |d: Vec2| d.length_squared() <= tolerance * tolerance;
            let twin = self.order[..kept].iter().position(|&j| {
                let [c, d] = self.seen[j];
                near(a - c) || near(b - d) || p.feature == points[j].feature
            });
            match twin {
                Some(t) if p.gap < points[self.order[t]].gap - tolerance => self.order[t] = i,
                Some(_) => {}
                None => {
                    self.order[kept] = i;
                    kept += 1;
                }
            }
        }
        self.order.truncate(kept);
    }

    /// Andrew's monotone chain.
    fn find_hull(&mut self) {
        let by_place = |p: &(Vec2, usize), q: &(Vec2, usize)| {
            p.0.x.total_cmp(&q.0.x).then(p.0.y.total_cmp(&q.0.y))
        };
        self.flat.sort_unstable_by(by_place);
        self.hull.clear();
        let turns_left = |h: &[(Vec2, usize)], p: Vec2| {
            let [.., a, b] = h else { return true };
            (b.0 - a.0).perp_dot(p - b.0) > 0.0
        };
        for half in 0..2 {
            let start = self.hull.len();
            for k in 0..self.flat.len() {
                let q = if half == 0 { self.flat[k] } else { self.flat[self.flat.len() - 1 - k] };
                while self.hull.len() - start >= 2 && !turns_left(&self.hull[start..], q.0) {
                    self.hull.pop();
                }
                self.hull.push(q);
            }
            // The last point of each half is the first of the other.
            self.hull.pop();
        }
    }

    fn simplify(&mut self, points: &[ContactPoint]) {
        let area = polygon_area(&self.hull);
        if self.keep_ends_of_line(area) {
            return;
        }
        while self.hull.len() > 3 {
            let Some((k, cut)) = self.least_corner(points, area) else {
                return;
            };
            let share = cut / area;
            let minor = self.hull.len() > 4 && share < MINOR_CORNER;
            if self.hull.len() <= MAX_POINTS && !minor && share >= FLAT_CORNER {
                return;
            }
            self.hull.remove(k);
        }
    }

    /// Reduces a narrow patch to its two ends.
    fn keep_ends_of_line(&mut self, area: f64) -> bool {
        // No two corners are farther apart than half the perimeter, whose square is at most n²/4 times the largest
        // one of a side: most patches are wide at a glance.
        let n = self.hull.len();
        let side = |k: usize| self.hull[k].0.distance_squared(self.hull[(k + 1) % n].0);
        let longest = (0..n).map(side).fold(0.0, f64::max);
        if area > LINE * 0.25 * (n * n) as f64 * longest * (1.0 + 1e-9) {
            return false;
        }
        let mut far = (0, 0, 0.0);
        for (i, p) in self.hull.iter().enumerate() {
            for (j, q) in self.hull.iter().enumerate().skip(i + 1) {
                let d = p.0.distance_squared(q.0);
                if d > far.2 {
                    far = (i, j, d);
                }
            }
        }
        if area > LINE * far.2 || self.hull.len() < 3 {
            return false;
        }
        let ends = [self.hull[far.0], self.hull[far.1]];
        self.hull.clear();
        self.hull.extend(ends);
        true
    }

    /// Keeps points that the corners do not imply: over the ridge of a mesh, or
    /// supports of several heights, the gap is not affine.
    fn keep_dents(&self, points: &[ContactPoint], tolerance: f64, out: &mut Manifold) {
        if self.hull.len() < 3 {
            return;
        }
        for &(p, i) in &self.flat {
            let dropped = self.hull.iter().all(|h| h.1 != i);
            if dropped && points[i].gap < self.implied_gap(points, p) - tolerance {
                out.push(points[i]);
            }
        }
    }

    /// The gap at a place, interpolated between the three corners around it, or
    /// extrapolated from the nearest three.
    fn implied_gap(&self, points: &[ContactPoint], p: Vec2) -> f64 {
        let (a, first) = self.hull[0];
        let mut best = (f64::NEG_INFINITY, f64::INFINITY);
        for pair in self.hull[1..].windows(2) {
            let [(b, second), (c, third)] = *pair else { continue };
            let area = (b - a).perp_dot(c - a);
            let (s, t) = ((p - a).perp_dot(c - a) / area, (b - a).perp_dot(p - a) / area);
            let inside = s.min(t).min(1.0 - s - t);
            if inside > best.0 {
                let [g, g1, g2] = [first, second, third].map(|i| points[i].gap);
                best = (inside, g + s * (g1 - g) + t * (g2 - g));
            }
        }
        best.1
    }

    /// The corner whose removal loses least area; among nearly equal ones,
    /// the one with the greatest name.
    fn least_corner(&self, points: &[ContactPoint], area: f64) -> Option<(usize, f64)> {
        let n = self.hull.len();
        let mut best: Option<(usize, f64)> = None;
        for k in 0..n {
            let (before, after) =
                (if k == 0 { n } else { k } - 1, if k + 1 == n { 0 } else { k + 1 });
            let (a, b, c) = (self.hull[before].0, self.hull[k].0, self.hull[after].0);
            let cut = 0.5 * (b - a).perp_dot(c - b);
            let name = |k: usize| points[self.hull[k].1].feature;
            let better = best.is_none_or(|(l, least)| {
                let slack = TIE * area;
                cut < least - slack || cut < least + slack && name(k) > name(l)
            });
            if better {
                best = Some((k, cut));
            }
        }
        best
    }

    fn keep_deepest(&self, points: &[ContactPoint], tolerance: f64, out: &mut Manifold) {
        let kept = self.order.iter().map(|&i| &points[i]);
        let deepest = kept.min_by(|p, q| p.gap.total_cmp(&q.gap));
        let least = out.points().iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let Some(p) = deepest.filter(|p| p.gap < least - tolerance) else {
            return;
        };
        let full = out.points().len() == MAX_POINTS;
        match out.points_mut().iter_mut().max_by(|p, q| p.gap.total_cmp(&q.gap)) {
            Some(highest) if full => *highest = *p,
            _ => out.push(*p),
        }
    }
}

/// Whether four points, in the order around them, are corners of a polygon that is neither a line nor has a corner
/// that may go.
fn is_wide([a, b, c, d]: [Vec2; 4]) -> bool {
    let edges = [b - a, c - b, d - c, a - d];
    let area = 0.5 * (c - a).perp_dot(d - b);
    let turns = |k: usize| 0.5 * edges[k].perp_dot(edges[(k + 1) % 4]) * area.signum();
    let lengths = edges.iter().map(|e| e.length_squared()).sum::<f64>();
    // Twice the sum of the squared edges is at least the square of any distance.
    area.abs() > 2.0 * LINE * lengths && (0..4).all(|k| turns(k) > 2.0 * FLAT_CORNER * area.abs())
}

/// Vertices of A, then vertices of B, then crossings of edges.
fn rank(p: &ContactPoint) -> u8 {
    match (is_vertex(p.feature.feature_a), is_vertex(p.feature.feature_b)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}

fn polygon_area(hull: &[(Vec2, usize)]) -> f64 {
    let n = hull.len();
    0.5 * (0..n).map(|k| hull[k].0.perp_dot(hull[(k + 1) % n].0)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::generate::Rng;

    /// Four points, and four with twins, are reduced to the same as by all the steps, whatever they look like: squares,
    /// slivers, dents, in the order of a polygon or not.
    #[test]
    fn corners_that_stay_are_those_of_all_steps() {
        let (mut rng, mut corners) = (Rng::new(5), 0);
        for case in 0..4000 {
            let narrow = 10_f64.powf(-5.0 * rng.uniform());
            let shake = 10_f64.powf(-5.0 * rng.uniform());
            let mut places = [[0.0, 0.0], [1.0, 0.0], [1.0, narrow], [0.0, narrow]];
            places.iter_mut().flatten().for_each(|x| *x += shake * rng.range(-1.0, 1.0));
            match case % 3 {
                0 => places.swap(1, 2),
                1 => places.swap(2, 3),
                _ => {}
            }
            let near = 1e-4 * rng.uniform();
            let place =
                |k: usize| [places[k % 4][0] + if k < 4 { 0.0 } else { near }, places[k % 4][1]];
            let point = |k: usize, gap: f64| ContactPoint {
                point_a: Vec3::new(place(k)[0], place(k)[1], 0.0),
                point_b: Vec3::new(place(k)[0], place(k)[1], gap),
                gap,
                feature: ContactKey { feature_a: (7 * k as u32 + 3) % 11, ..Default::default() },
                ..Default::default()
            };
            let count = if case % 2 == 0 { 4 } else { 6 };
            let points: Vec<_> =
                (0..count).map(|k| point(k, 1e-3 * rng.range(-1.0, 1.0))).collect();
            let (mut quick, mut full) = (Reducer::default(), Reducer::default());
            let [mut one, mut other] = [Manifold::new(0, 1, Vec3::Z); 2];
            quick.reduce(&points, 1.0, &mut one);
            full.seen.clone_from(&quick.seen);
            full.sort_and_merge(&points, MERGE);
            corners += usize::from(full.is_quadrangle());
            full.find_span(&points, 1.0, &mut other);
            assert_eq!(one.points(), other.points(), "{places:?}");
        }
        assert!((500..3500).contains(&corners), "{corners}");
    }
}
