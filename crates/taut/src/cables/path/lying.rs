//! Cables that lie on solids: where they come to one, how they go over it, and where they lift off.
//!
//! A station with a solid is touched where the straight line past it would cut it. What it adds to the way is the arc between the place
//! where the cable comes to the surface and the one where it leaves (`over`); both move on the body, and by the
//! shortness of the way rows are as if they did not.
//!
//! A line that jumps past a solid within a step is caught: the way is followed from the line of the start, in as many parts that
//! none moves by more than half of the distance from the middle of the solid to its surface.

use super::{FREE, LEFT, Way};
use crate::cables::Cable;
use crate::cables::segments::Mark;
use crate::cables::solid::{Solid, SurfacePath};
use crate::math::{Pose, Vec3};

/// Parts in which the line past a solid is followed through a step, at most.
const PARTS: f64 = 1000.0;
/// Times that a solid takes the cable while a way is sought. (Two that lie across one another took it in turns, 88 times in each of the ways
/// that a step looks at.)
const TAKEN: usize = 3;
/// Halvings that find where it touches first.
const HALVINGS: usize = 30;

/// A cable at a solid.
#[derive(Clone, Debug)]
pub(crate) struct Lying {
    /// Where the solid is.
    pub(crate) pose: Pose,
    /// Faces that the cable went over at the start, and those that it goes over now.
    told: Vec<u32>,
    pub(crate) faces: Vec<u32>,
    /// Ends of the straight line past it at the start of the step, as the body sees them.
    came: Option<[Vec3; 2]>,
    /// Side on which a line that came to a ball within the step touched it first, as the body sees it.
    side: Option<Vec3>,
    /// How often it came to lie there while this way was sought.
    taken: usize,
    /// How it lies there, in the world.
    pub(crate) path: SurfacePath,
}

impl Default for Lying {
    fn default() -> Self {
        Lying {
            pose: Pose::IDENTITY,
            told: Vec::new(),
            faces: Vec::new(),
            came: None,
            side: None,
            taken: 0,
            path: SurfacePath::default(),
        }
    }
}

impl Lying {
    pub(super) fn begin(&mut self) {
        self.faces.clone_from(&self.told);
        self.side = None;
        self.taken = 0;
    }

    fn seen(&self, p: Vec3) -> Vec3 {
        self.pose.inverse_transform_point(p)
    }

    fn take(&mut self, path: SurfacePath) {
        self.path = path;
        for p in &mut self.path.points {
            *p = self.pose.transform_point(*p);
        }
    }
}

impl Way {
    /// Tells the faces of solids that the cable goes over at the start, and the lines past them.
    pub(crate) fn recall(&mut self, faces: &[Vec<u32>], came: &[Option<[Vec3; 2]>]) {
        for (k, own) in self.lying.iter_mut().enumerate() {
            own.told.clear();
            own.told.extend(faces.get(k).into_iter().flatten());
            own.came = came.get(k).copied().flatten();
        }
    }

    /// Faces of each solid that the cable goes over.
    pub(crate) fn faces(&self) -> impl Iterator<Item = &[u32]> {
        self.lying.iter().map(|l| &l.faces[..])
    }

    /// Ends of the straight line past each solid that the cable does not touch, as the body sees them.
    pub(crate) fn lines<'a>(
        &'a self,
        cable: &'a Cable,
    ) -> impl Iterator<Item = Option<[Vec3; 2]>> + 'a {
        (0..self.nodes.len()).map(move |k| {
            cable.stations[k].solid.filter(|_| !self.touches[k])?;
            let ends = self.spans[self.last_before(k)?].ends;
            Some(ends.map(|p| self.lying[k].seen(p)))
        })
    }

    /// Where the cable comes to the solid of a station and where it leaves it.
    pub(crate) fn mark(&self, k: usize) -> Mark {
        let before = self.last_before(k).filter(|_| self.nodes[k].solid && self.touches[k])?;
        let turn = self.lying[k].pose.rotation.inverse();
        let at = |p: Vec3, span: usize| {
            let [a, b] = self.spans[span].ends;
            [self.lying[k].seen(p), turn * (b - a).normalize_or_zero()]
        };
        Some([at(self.nodes[k].point, before), at(self.nodes[k].exit, k)])
    }

    /// Puts the cable onto a solid between two points, or lifts it off; how far its ends moved \[m\].
    pub(super) fn lie_on(&mut self, solid: &Solid, k: usize, [a, b]: [Vec3; 2]) -> f64 {
        let own = &mut self.lying[k];
        let (a, b) = (own.seen(a), own.seen(b));
        let path = match own.side.filter(|_| !self.slips) {
            Some(side) => solid.hold(a, b, side),
            None => solid.follow(a, b, &mut own.faces, self.slips),
        };
        match path {
            Some(path) => own.take(path),
            None => {
                (self.touches[k], self.wraps[k]) = (false, FREE);
                return f64::INFINITY;
            }
        }
        let (Some(&p), Some(&q)) = (own.path.points.first(), own.path.points.last()) else {
            return 0.0;
        };
        let node = &mut self.nodes[k];
        let moved = (p - node.point).length().max((q - node.exit).length());
        (node.point, node.exit, node.arc) = (p, q, own.path.arc);
        moved
    }

    /// Lets the cable touch a solid that its straight line cuts, or cut on its way through the step; true if one changed.
    pub(super) fn touch_solids(&mut self, cable: &Cable) -> bool {
        for k in 0..self.nodes.len() {
            let Some(solid) = cable.solid(k).filter(|_| !self.touches[k] && self.wraps[k] != LEFT)
            else {
                continue;
            };
            if self.lying[k].taken == TAKEN {
                continue;
            }
            let Some(i) = self.last_before(k) else { continue };
            let ends = self.spans[i].ends.map(|p| self.lying[k].seen(p));
            let mut faces = Vec::new();
            let came = self.lying[k].came.filter(|_| solid.is_ball() && !self.slips);
            let side = came.and_then(|came| side_of(solid, came, ends));
            let path = match side {
                Some(side) => solid.hold(ends[0], ends[1], side),
                None => found(solid, self.lying[k].came, ends, &mut faces),
            };
            let Some(path) = path else { continue };
            (self.lying[k].faces, self.lying[k].side) = (faces, side);
            self.lying[k].take(path);
            let points = &self.lying[k].path.points;
            if let (Some(&p), Some(&q)) = (points.first(), points.last()) {
                (self.nodes[k].point, self.nodes[k].exit) = (p, q);
                self.touches[k] = true;
                self.lying[k].taken += 1;
                return true;
            }
        }
        false
    }

    /// The first solid that has one of the stations beside it deep within: no way leads around it.
    pub(crate) fn swallowed(&self, cable: &Cable) -> Option<usize> {
        let at = |i: usize, k: usize| {
            let node = &self.nodes[i];
            let p =
                node.circle.map_or(node.point, |c| c.at(c.tangent(self.nodes[k].point, i < k).0));
            self.lying[k].seen(p)
        };
        let named = |i: &usize| cable.stations[*i].solid.is_none() && self.touches[*i];
        (0..self.nodes.len()).filter(|&k| self.wraps[k] != LEFT).find(|&k| {
            let n = self.nodes.len();
            let before = (1..n).map(|i| (k + n - i) % n).find(named);
            let after = (1..n).map(|i| (k + i) % n).find(named);
            let holds =
                |solid: &Solid| before.into_iter().chain(after).any(|i| solid.holds(at(i, k)));
            cable.solid(k).is_some_and(holds)
        })
    }
}

/// How a line lies on a solid that it cuts, or cut on its way from where it came.
fn found(
    solid: &Solid,
    came: Option<[Vec3; 2]>,
    [a, b]: [Vec3; 2],
    faces: &mut Vec<u32>,
) -> Option<SurfacePath> {
    let [from, to] = came.unwrap_or([a, b]);
    let far = (a - from).length().max((b - to).length());
    let reach = 0.5 * solid.inner;
    let near = |p: Vec3, q: Vec3| away(solid.centre, p, q) <= solid.size + far;
    if !near(a, b) {
        return None;
    }
    let parts = (far / reach).ceil().clamp(1.0, PARTS);
    let at = |t: f64| (from.lerp(a, t), to.lerp(b, t));
    let mut path = None;
    for i in 1..=parts as usize {
        let t = i as f64 / parts;
        let (p, q) = at(t);
        path = match path {
            Some(_) => solid.follow(p, q, faces, false),
            None => None,
        };
        if path.is_none() && solid.is_cut(p, q) {
            // From where it just touches: deeper within, the shorter side may be the one that it did not come from.
            let (mut free, mut cut) = ((i - 1) as f64 / parts, t);
            for _ in 0..HALVINGS {
                let mid = 0.5 * (free + cut);
                let (p, q) = at(mid);
                if solid.is_cut(p, q) { cut = mid } else { free = mid }
            }
            let (first, second) = at(cut);
            path = solid.around(first, second, faces);
            path = path.and_then(|_| solid.follow(p, q, faces, false));
            if path.is_none() {
                path = solid.around(p, q, faces);
            }
        }
    }
    path
}

/// The side of a ball on which a line first touches it on its way from where it came.
fn side_of(ball: &Solid, [from, to]: [Vec3; 2], [a, b]: [Vec3; 2]) -> Option<Vec3> {
    let at = |t: f64| (from.lerp(a, t), to.lerp(b, t));
    let cut = |t: f64| {
        let (p, q) = at(t);
        ball.is_cut(p, q)
    };
    let far = (a - from).length().max((b - to).length());
    let parts = (far / (0.5 * ball.inner)).ceil().clamp(1.0, PARTS);
    let hit = (1..=parts as usize).map(|i| i as f64 / parts).find(|&t| cut(t))?;
    let (mut free, mut touching) = (hit - 1.0 / parts, hit);
    for _ in 0..HALVINGS {
        let mid = 0.5 * (free + touching);
        if cut(mid) { touching = mid } else { free = mid }
    }
    let (p, q) = at(touching);
    (nearest(ball.centre, p, q) - ball.centre).try_normalize()
}

/// Distance of a point from a straight line between two others \[m\].
pub(crate) fn away(c: Vec3, p: Vec3, q: Vec3) -> f64 {
    (nearest(c, p, q) - c).length()
}

/// The point of a straight line between two others that is nearest to one.
pub(crate) fn nearest(c: Vec3, p: Vec3, q: Vec3) -> Vec3 {
    let d = q - p;
    let square = d.length_squared();
    let t = if square > 0.0 { ((c - p).dot(d) / square).clamp(0.0, 1.0) } else { 0.0 };
    p + d * t
}
