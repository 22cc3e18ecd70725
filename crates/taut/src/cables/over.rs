//! The shortest way from a point to another over a convex polyhedron, as a cable lies on it.
//!
//! **Problem.** Of all ways that lead around the solid near to the one that is known, the shortest: straight through the air to an edge, over
//! faces, from an edge straight through the air. It is known by the faces f₀ f₁ … fₙ whose common edges it crosses; from over f₀
//! it comes, over fₙ it leaves.
//!
//! **Given the faces**, what lies between their edges unfolds into a plane: the way is the shortest one through the gates that these edges are
//! there, which the funnel finds exactly in one pass: a straight line, or one that turns at corners. a and b have the
//! places in the plane that their distances from the first and the last edge give them.
//!
//! **The faces** follow from where a and b are. A cable that comes from above f₁ does not lie on the edge before it: f₀ is left out. One that
//! comes from below f₀ lies on that face, too, and on the edge beyond which it leaves it: another face is put before. Both
//! begin where a is in a plane. Of a single edge it lifts off where it is straight. There the length and its gradient are the same with and without: nothing jumps.
//!
//! **Corners** of a convex solid hold no cable: around the other side the way is shorter. Within a step it is held there; between steps it
//! slips to the other side, and has become shorter by that.
//!
//! The gradient of the length with respect to the solid is that of the two lines through the air, as if their ends were fixed to it: the way is the shortest.
//!
//! Cost: some tens of products for each edge that it crosses. Fails where a or b is within the solid, or the cable is wound around it more than `WINDINGS` times:
//! then there is no way.
//!
//! References: Mitchell, Mount and Papadimitriou 1987 (unfolding); Lee and Preparata 1984 (funnel).

mod funnel;

use self::funnel::funnel;
use super::solid::{Face, Polyhedron, SurfacePath};
use crate::math::{Vec2, Vec3};
use std::f64::consts::TAU;

/// Sides on which a cable that cuts a solid is tried to be put around it.
const TRIES: usize = 16;
/// The first of them \[rad\]: an angle at which symmetric scenes have no corner in the plane.
const FIRST: f64 = 0.137;
/// Rounds, for each face of the solid, in which faces are put to a way or left out, and in which it slips over corners: few are needed from step
/// to step.
const ROUNDS: usize = 4;
/// Times that a cable may be wound around a solid: a way beyond is none.
const WINDINGS: usize = 100;

/// A polyhedron and the two points beside it between which a cable runs; lines deeper within than `rounding` cut it.
pub(super) struct Ends<'a> {
    pub(super) body: &'a Polyhedron,
    pub(super) a: Vec3,
    pub(super) b: Vec3,
    pub(super) rounding: f64,
}

impl Ends<'_> {
    /// Faces through which the straight line from a to b goes in and out, if it cuts the solid.
    pub(super) fn entry_and_exit(&self) -> Option<(u32, u32)> {
        let Ends { body, a, b, rounding: depth } = *self;
        let (mut from, mut to) = ((0.0, None), (1.0, None));
        for (i, face) in body.faces.iter().enumerate() {
            let (x, y) = (face.above(a) + depth, face.above(b) + depth);
            match (x >= 0.0, y >= 0.0) {
                (true, true) => return None,
                (true, false) if from.1.is_none() || x / (x - y) > from.0 => {
                    from = (x / (x - y), Some(i as u32));
                }
                (false, true) if to.1.is_none() || x / (x - y) < to.0 => {
                    to = (x / (x - y), Some(i as u32));
                }
                _ => {}
            }
        }
        if from.0 >= to.0 {
            return None;
        }
        let nearest = |p: Vec3| {
            let heights = body.faces.iter().map(|f| f.above(p)).enumerate();
            heights.max_by(|x, y| x.1.total_cmp(&y.1)).map(|(i, _)| i as u32)
        };
        Some((from.1.or_else(|| nearest(a))?, to.1.or_else(|| nearest(b))?))
    }

    /// The shortest of the ways around a solid that the straight line cuts.
    pub(super) fn around(&self, faces: &mut Vec<u32>) -> Option<SurfacePath> {
        let (first, last) = self.entry_and_exit()?;
        if first == last {
            return None;
        }
        let along = (self.b - self.a).normalize_or_zero();
        let (u, v) = along.any_orthonormal_pair();
        let mut best: Option<(f64, SurfacePath)> = None;
        for i in 0..TRIES {
            let (s, c) = (FIRST + TAU * i as f64 / TRIES as f64).sin_cos();
            let Some(mut list) = self.section_faces((first, last), u * c + v * s) else { continue };
            let Some(path) = self.follow(&mut list, true) else { continue };
            let length = self.length(&path);
            if best.as_ref().is_none_or(|(l, _)| length < *l) {
                *faces = list;
                best = Some((length, path));
            }
        }
        best.map(|(_, path)| path)
    }

    /// Faces along the section of the solid with the plane of a line and a direction, on the side to which that points.
    fn section_faces(&self, (first, last): (u32, u32), up: Vec3) -> Option<Vec<u32>> {
        let Ends { body, a, b, .. } = *self;
        let along = (b - a).normalize_or_zero();
        let across = along.cross(up);
        let entry = body.faces.get(first as usize)?;
        let (x, y) = (entry.above(a).max(0.0), entry.above(b));
        let mut p = if x > y { a + (b - a) * (x / (x - y)) } else { a };
        let mut list = vec![first];
        let mut from = None;
        while *list.last()? != last {
            let face = &body.faces[*list.last()? as usize];
            let (next, t) = leaves(body, face, p, face.normal.cross(across), from)?;
            p += face.normal.cross(across) * t;
            from = list.last().copied();
            list.push(next);
            if list.len() > body.faces.len() {
                return None;
            }
        }
        Some(list)
    }

    /// The way that follows from one over these faces, which change; `None` where it lifts off.
    pub(super) fn follow(&self, faces: &mut Vec<u32>, slips: bool) -> Option<SurfacePath> {
        for _ in 0..ROUNDS * self.body.faces.len() {
            let path = self.fit_faces(faces)?;
            if !(slips && self.slip_over_corner(faces, &path)) {
                return Some(path);
            }
        }
        // Each slip made it shorter. It is the shortest over its faces, held at a corner until the next step as within a step.
        self.fit_faces(faces)
    }

    /// Puts faces before and behind, or leaves some out, until both ends see them as they are; `None` where the way lifts off, or both
    /// ends never do.
    fn fit_faces(&self, faces: &mut Vec<u32>) -> Option<SurfacePath> {
        let Ends { body, a, b, rounding } = *self;
        let face = |f: u32| &body.faces[f as usize];
        for _ in 0..ROUNDS * body.faces.len() {
            while faces.len() > 1 && face(faces[1]).above(a) > 0.0 {
                faces.remove(0);
            }
            while faces.len() > 1 && face(faces[faces.len() - 2]).above(b) > 0.0 {
                faces.pop();
            }
            if faces.len() < 2 {
                return None;
            }
            let path = self.path(self.unfold_and_shorten(faces)?);
            if !self.presses(faces, &path) {
                faces.clear();
                return None;
            }
            let (first, last) = (faces[0], faces[faces.len() - 1]);
            let beyond = |end: Vec3, at: Vec3, own: u32, next: u32| {
                let n = face(own).normal;
                let ray = (end - at) - n * n.dot(end - at);
                let low = face(own).above(end) < -rounding;
                leaves(body, face(own), at, ray, Some(next)).filter(|_| low).map(|(f, _)| f)
            };
            let (p, q) = (path.points[0], path.points[path.points.len() - 1]);
            let before = beyond(a, p, first, faces[1]);
            let behind = beyond(b, q, last, faces[faces.len() - 2]);
            if before.is_none() && behind.is_none() {
                return Some(path);
            }
            if faces.len() > WINDINGS * body.faces.len() {
                break;
            }
            if let Some(f) = before {
                faces.insert(0, f);
            }
            faces.extend(behind);
        }
        faces.clear();
        None
    }

    /// Whether a way that touches one point alone bends towards the solid there; with more it lies on faces between them, and both its ends see to that.
    fn presses(&self, faces: &[u32], path: &SurfacePath) -> bool {
        let Ends { body, a, b, .. } = *self;
        let p = path.points[0];
        if path.points.iter().any(|q| *q != p) {
            return true;
        }
        let out: Vec3 = faces.iter().map(|&f| body.faces[f as usize].normal).sum();
        let bend = (b - p).normalize_or_zero() + (a - p).normalize_or_zero();
        bend.dot(out) < 0.0
    }

    /// Where the shortest way from a to b crosses the edges between these faces.
    fn unfold_and_shorten(&self, faces: &[u32]) -> Option<Vec<Vec3>> {
        let Ends { body, a, b, .. } = *self;
        let ends: Option<Vec<[u32; 2]>> =
            faces.windows(2).map(|w| gate(body, w[0], w[1])).collect();
        let ends = ends?;
        let at = |c: u32| body.points[c as usize];
        let place = |p: Vec3, [l, r]: [Vec3; 2]| {
            let x = (r - l).normalize_or_zero();
            let along = (p - l).dot(x);
            (along, (p - l - x * along).length())
        };
        let first = ends.first()?.map(at);
        let mut gates = vec![[Vec2::ZERO, Vec2::new((first[1] - first[0]).length(), 0.0)]];
        let (x, y) = place(a, first);
        let start = Vec2::new(x, -y);
        for (w, &f) in ends.windows(2).zip(&faces[1..]) {
            let [from, to] = [w[0].map(at), w[1].map(at)];
            let flat = *gates.last()?;
            let ex = (flat[1] - flat[0]).normalize_or_zero();
            let ey = Vec2::new(-ex.y, ex.x);
            let x = (from[1] - from[0]).normalize_or_zero();
            let y = body.faces[f as usize].normal.cross(x);
            gates.push(to.map(|p| {
                let d = p - from[0];
                flat[0] + ex * d.dot(x) + ey * d.dot(y)
            }));
        }
        let (x, y) = place(b, ends.last()?.map(at));
        let [l, r] = *gates.last()?;
        let ex = (r - l).normalize_or_zero();
        let goal = l + ex * x + Vec2::new(-ex.y, ex.x) * y;
        let shares = funnel(start, goal, &gates);
        // Corners to the bit: it is by them that a way is seen to be held there.
        let point = |([l, r], s): (&[u32; 2], &f64)| match *s {
            s if s <= 0.0 => at(*l),
            s if s >= 1.0 => at(*r),
            s => at(*l) + (at(*r) - at(*l)) * s,
        };
        Some(ends.iter().zip(&shares).map(point).collect())
    }

    /// The way over these points, its length and its turn.
    fn path(&self, points: Vec<Vec3>) -> SurfacePath {
        let Ends { a, b, .. } = *self;
        let arc = points.windows(2).map(|w| (w[1] - w[0]).length()).sum();
        let whole = std::iter::once(a).chain(points.iter().copied()).chain(std::iter::once(b));
        let (mut turn, mut last, mut before) = (0.0, None::<Vec3>, None::<Vec3>);
        for p in whole {
            if let Some(u) = before.and_then(|q| (p - q).try_normalize()) {
                turn += last.map_or(0.0, |w| w.cross(u).length().atan2(w.dot(u)));
                last = Some(u);
            }
            before = Some(p);
        }
        SurfacePath { points, arc, turn }
    }

    /// Length of the whole way.
    fn length(&self, path: &SurfacePath) -> f64 {
        let (p, q) = (path.points[0], path.points[path.points.len() - 1]);
        (p - self.a).length() + path.arc + (self.b - q).length()
    }

    /// Lets the way slip over a corner to its other side, if it is shorter there or lifts off; whether it did.
    fn slip_over_corner(&self, faces: &mut Vec<u32>, now: &SurfacePath) -> bool {
        let Ends { body, rounding, .. } = *self;
        let length = self.length(now);
        let n = now.points.len();
        let mut i = 0;
        while i < n {
            let Some(corner) = body.points.iter().position(|&c| c == now.points[i]) else {
                i += 1;
                continue;
            };
            let end = (i..n).take_while(|&j| now.points[j] == now.points[i]).last().unwrap_or(i);
            // Crossing i leads from face i to face i + 1.
            if let Some(other) = other_side(body, corner as u32, &faces[i..=end + 1]) {
                let mut list = faces[..=i].to_vec();
                list.extend(other);
                list.extend_from_slice(&faces[end + 1..]);
                let other = self.fit_faces(&mut list);
                if other.is_none_or(|path| self.length(&path) < length - rounding) {
                    *faces = list;
                    return true;
                }
            }
            i = end + 1;
        }
        false
    }
}

/// The face beyond the edge over which a ray from a point of a face leaves it, and the ray parameter t there; not the one it came from.
fn leaves(
    body: &Polyhedron,
    face: &Face,
    p: Vec3,
    ray: Vec3,
    from: Option<u32>,
) -> Option<(u32, f64)> {
    let mut best: Option<(u32, f64)> = None;
    for (i, &beyond) in face.beyond.iter().enumerate() {
        let [u, v] = ends(body, face, i);
        let inward = face.normal.cross(v - u).normalize_or_zero();
        let speed = -ray.dot(inward);
        if Some(beyond) == from || speed <= 0.0 {
            continue;
        }
        let t = ((p - u).dot(inward) / speed).max(0.0);
        if best.is_none_or(|(_, least)| t < least) {
            best = Some((beyond, t));
        }
    }
    best
}

fn ends(body: &Polyhedron, face: &Face, i: usize) -> [Vec3; 2] {
    let next = (i + 1) % face.corners.len();
    [face.corners[i], face.corners[next]].map(|c| body.points[c as usize])
}

/// The edge over which the way comes from a face to its neighbour: its left and its right end.
fn gate(body: &Polyhedron, from: u32, to: u32) -> Option<[u32; 2]> {
    let face = &body.faces[to as usize];
    let i = face.beyond.iter().position(|&f| f == from)?;
    Some([face.corners[i], face.corners[(i + 1) % face.corners.len()]])
}

/// The faces around a corner between the first and the last of these, on the other side of it.
fn other_side(body: &Polyhedron, corner: u32, run: &[u32]) -> Option<Vec<u32>> {
    let (first, next, last) = (run[0], *run.get(1)?, *run.last()?);
    let beside = |f: u32, not: u32| {
        let face = &body.faces[f as usize];
        let k = face.corners.iter().position(|&c| c == corner)?;
        let n = face.corners.len();
        [face.beyond[k], face.beyond[(k + n - 1) % n]].into_iter().find(|&g| g != not)
    };
    let (mut list, mut from, mut at) = (Vec::new(), next, first);
    loop {
        let to = beside(at, from)?;
        if to == last {
            return Some(list);
        }
        if list.len() > body.faces.len() {
            return None;
        }
        list.push(to);
        (from, at) = (at, to);
    }
}

#[cfg(test)]
mod tests {
    use crate::cables::solid::{Solid, SurfacePath};
    use crate::math::{Pose, Vec3};
    use crate::shape::Shape;
    use std::f64::consts::TAU;

    /// Length of the whole way.
    fn length(a: Vec3, b: Vec3, path: &SurfacePath) -> f64 {
        let (p, q) = (path.points[0], path.points[path.points.len() - 1]);
        (p - a).length() + path.arc + (b - q).length()
    }

    fn around(solid: &Solid, a: Vec3, b: Vec3) -> f64 {
        let path = solid.around(a, b, &mut Vec::new()).unwrap();
        length(a, b, &path)
    }

    #[test]
    fn over_a_box_the_way_is_that_of_unfolded_faces() {
        let solid = &Solid::of(&Shape::Box { half_extents: Vec3::ONE }, Pose::IDENTITY).unwrap()[0];
        // From face to face over an edge, straight and askew.
        let way = around(solid, Vec3::new(-0.5, -0.6, 1.0), Vec3::new(1.0, 0.7, -0.5));
        assert!((way - f64::hypot(3.0, 1.3)).abs() < 1e-12, "{way}");
        // Over two edges, from below the top on the left to below it on the right.
        let way = around(solid, Vec3::new(-3.0, 0.2, 0.0), Vec3::new(3.0, 0.2, 0.5));
        let exact = f64::hypot(2.0, 1.0) + 2.0 + f64::hypot(2.0, 0.5);
        assert!((way - exact).abs() < 1e-12, "{way} {exact}");
    }

    #[test]
    fn over_a_cylinder_the_way_is_a_helix() {
        let shape = Shape::Cylinder { half_height: 3.0, radius: 1.0 };
        let solid = &Solid::of(&shape, Pose::IDENTITY).unwrap()[0];
        let (a, b) = (Vec3::new(-3.0, -0.4, -1.0), Vec3::new(2.5, -0.3, 1.4));
        let tangent = |x: f64, y: f64| (f64::hypot(x, y).powi(2) - 1.0).sqrt();
        let lead = |x: f64, y: f64| (1.0 / f64::hypot(x, y)).acos();
        let whole = (-0.3_f64).atan2(2.5) - (-0.4_f64).atan2(-3.0);
        let flat =
            tangent(3.0, 0.4) + tangent(2.5, 0.3) + whole.abs() - lead(3.0, 0.4) - lead(2.5, 0.3);
        let exact = flat.hypot(2.4);
        let way = around(solid, a, b);
        assert!((way / exact - 1.0).abs() < 5e-4, "{way} {exact}");
    }

    #[test]
    fn ways_change_by_their_gradient_and_do_not_jump() {
        // The length as b moves around a box and a hull: each small move changes it by no more than that, and by the direction of the last span.
        let points = vec![
            Vec3::new(1.0, 0.2, 0.1),
            Vec3::new(-0.8, 0.9, -0.3),
            Vec3::new(-0.2, -1.1, 0.4),
            Vec3::new(0.1, 0.3, 1.2),
            Vec3::new(0.3, -0.2, -1.0),
            Vec3::new(0.7, 0.8, 0.6),
        ];
        let mut free = 0;
        for shape in [
            Shape::Box { half_extents: Vec3::new(1.0, 0.7, 0.5) },
            Shape::ConvexHull { points },
            Shape::Ball { radius: 0.9 },
            Shape::Cone { half_height: 0.8, radius: 0.7 },
        ] {
            let solid = &Solid::of(&shape, Pose::IDENTITY).unwrap()[0];
            let a = Vec3::new(-2.5, 0.3, 0.2);
            let mut faces = Vec::new();
            let (mut last, mut touched, mut lifted) = (None::<(Vec3, f64)>, 0, 0);
            for i in 0..60_000 {
                let t = 2.2 * (std::f64::consts::TAU * i as f64 / 6e4).sin();
                let b = Vec3::new(2.5 * t.cos(), 2.0 * t.sin(), 0.5 * (3.0 * t).sin());
                let mut path = solid.follow(a, b, &mut faces, false);
                if path.is_none() && solid.is_cut(a, b) {
                    path = solid.around(a, b, &mut faces);
                }
                let now = path.as_ref().map_or((b - a).length(), |l| length(a, b, l));
                let from = path.as_ref().map_or(a, |l| l.points[l.points.len() - 1]);
                touched += usize::from(path.is_some());
                lifted += usize::from(path.is_none());
                if let Some((old, was)) = last {
                    let by = (b - from).normalize().dot(b - old);
                    assert!((now - was - by).abs() < 1e-5, "{shape:?} {i}: {} {by}", now - was);
                }
                last = Some((b, now));
            }
            assert!(touched > 1000, "{shape:?}: {touched}");
            free += lifted;
        }
        // Held at corners, the one over the box never lifts off.
        assert!(free > 10_000, "{free}");
    }

    #[test]
    fn a_way_over_one_edge_lifts_off_where_it_is_straight() {
        // It clung to the edge until its free end was in the plane of a face, 0.3 m beyond.
        let half_extents = Vec3::new(0.5, 1.0, 0.125);
        let at = Pose::from_translation(Vec3::new(1.0, 0.0, -1.375));
        let solid = &Solid::of(&Shape::Box { half_extents }, at).unwrap()[0];
        let mut faces = Vec::new();
        let b = |x: f64| Vec3::new(x, 0.0, -2.3);
        assert!(solid.around(Vec3::ZERO, b(1.2), &mut faces).is_some());
        // The straight line passes the edge at (0.5, −1.5) where b is at x = 2.3/3.
        assert!(solid.follow(Vec3::ZERO, b(2.3 / 3.0 + 1e-6), &mut faces, false).is_some());
        assert!(solid.follow(Vec3::ZERO, b(2.3 / 3.0 - 1e-6), &mut faces, false).is_none());
    }

    #[test]
    fn a_way_over_a_corner_slips_off() {
        let solid = &Solid::of(&Shape::Box { half_extents: Vec3::ONE }, Pose::IDENTITY).unwrap()[0];
        let mut faces = Vec::new();
        let at = |y: f64| (Vec3::new(-2.0, y, 1.2), Vec3::new(2.0, y, -1.0));
        let (a, b) = at(0.0);
        assert!(solid.around(a, b, &mut faces).is_some());
        let (a, b) = at(0.9);
        assert!(solid.follow(a, b, &mut faces, true).is_some());
        // Beyond the end of the edge it is held at the corner within a step, and lifts off after it.
        let (a, b) = at(1.1);
        let held = solid.follow(a, b, &mut faces.clone(), false).unwrap();
        assert_eq!(held.points, [Vec3::new(1.0, 1.0, 1.0)]);
        assert!(solid.follow(a, b, &mut faces, true).is_none());
    }

    #[test]
    fn a_way_may_be_wound_around_several_times() {
        // With more than two turns it ended on a face, and led from there through the solid.
        let solid = &Solid::of(&Shape::Box { half_extents: Vec3::ONE }, Pose::IDENTITY).unwrap()[0];
        let at = |angle: f64| Vec3::new(3.0 * angle.cos(), 3.0 * angle.sin(), 0.0);
        let a = at(0.0);
        let mut faces = Vec::new();
        let (mut path, mut turns) = (None, 0.0);
        for i in 1..=5000 {
            turns = 1e-3 * f64::from(i);
            let b = at(TAU * turns);
            path = match path {
                Some(_) => solid.follow(a, b, &mut faces, true),
                None => solid.around(a, b, &mut faces),
            };
        }
        let path = path.unwrap();
        assert!((path.turn / (TAU * turns) - 1.0).abs() < 0.2, "{} {turns}", path.turn);
        // All around the girth, but for what leads to its ends.
        assert!((path.arc - 8.0 * turns).abs() < 8.0, "{} {turns}", path.arc);
    }
}
