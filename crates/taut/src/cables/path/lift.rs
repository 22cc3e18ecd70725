//! Where a cable lifts off a pulley or an edge, touches one again, or leaves it for good.
//!
//! Within a step nothing may jump: a cable lifts off where the straight way past the pulley has the same length
//! and the same gradient. Between steps it may become shorter: it lifts off beside the plane of a pulley, and leaves one for
//! good whose tangents mean nothing any more.

use super::{LEFT, Way};
use crate::cables::Cable;
use crate::cables::circle::Passing;
use crate::math::Vec3;

/// Within a step a cable lifts off and touches only where that changes its length by less than this share:
/// a tenth of what lengths are kept to.
const LEVEL: f64 = 1e-7;
/// A straight line cuts an edge where it passes within it by this share of its length.
const EDGE: f64 = 1e-12;
/// The groove of a pulley is as wide as this share of its radius to either side: a cable that lifts off farther
/// beside its plane does not come back.
const GROOVE: f64 = 0.25;
// What half and twice of these change: docs/decisions/step-constants.md.

/// Sine of the angle to the plane of a pulley at which a cable leaves it sideways.
const SIDEWAYS: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Nearer to the axis than this share of the radius a span has no tangent that means anything.
const WITHIN: f64 = 0.5;
/// A load that is nearer to the axis of its drum than this share of the radius was wound into it. (One that hangs right below the drum may come
/// a little nearer than the radius within a step.)
const WOUND_IN: f64 = 0.9;
/// An end of a cable that is nearer to the axis of a pulley than this many radii lies on its rim. (Points of a rope that ran onto one were at 0.9999
/// radii; a hook that a winch stops a hundredth of a radius below the sheave is at 1.00005.)
const RIM: f64 = 1.0 + 2e-5;
/// Wrap written for a pulley that is not touched.
pub(super) const FREE: f64 = -0.5;
/// Below this the span has passed around the end of what it touched, and it cannot catch the cable again.
const BEYOND: f64 = -1.0;

impl Way {
    /// Finds the way for stations that were placed, after a step: where it lifts off beside the plane of
    /// a pulley, or leaves one, it becomes shorter.
    pub(crate) fn settle(
        &mut self,
        cable: &Cable,
        expected: &[f64],
        touches: &[bool],
        anchors: [f64; 2],
    ) {
        self.slips = true;
        self.let_go(cable, expected, touches, anchors);
        self.slips = false;
    }

    fn let_go(&mut self, cable: &Cable, expected: &[f64], touches: &[bool], anchors: [f64; 2]) {
        self.find(cable, expected, touches, anchors);
        for k in 0..self.nodes.len() {
            if self.runs_through(cable, k, expected[k]) {
                self.wraps[k] = LEFT;
            }
        }
        let (mut wraps, mut touches) = (self.wraps.clone(), self.touches.clone());
        for _ in 0..self.nodes.len() {
            let lost = (0..self.nodes.len()).find(|&k| self.is_lost_at(cable, k));
            let Some(k) = lost.or_else(|| self.swallowed(cable)) else {
                return;
            };
            wraps.clone_from(&self.wraps);
            touches.clone_from(&self.touches);
            if !cable.is_end(k) {
                touches[k] = false;
            }
            let near = self.passing_at(k).is_some_and(|p| p.beside <= GROOVE * self.radius(k));
            wraps[k] =
                if near && self.wraps[k] < 0.0 && !self.is_beyond_at(k) { FREE } else { LEFT };
            self.find(cable, &wraps, &touches, anchors);
        }
    }

    /// Whether the cable came into a pulley within its groove, but too far beside its plane to touch it: its way would become longer at
    /// once. (It ran through the pulley without a word.)
    fn runs_through(&self, cable: &Cable, k: usize, before: f64) -> bool {
        let free = !cable.is_end(k) && !self.touches[k] && self.wraps[k] != LEFT && before > BEYOND;
        let circle = self.nodes[k].circle.filter(|_| free);
        let Some((circle, p)) = circle.and_then(|c| Some((c, self.passing_by(k)?))) else {
            return false;
        };
        p.right < circle.radius && p.is_between() && p.beside <= GROOVE * circle.radius
    }

    /// Whether an end of the cable that moves has come to the rim of a pulley: nothing that is fixed to the cable runs over one. (A rope whose
    /// mass is lumped into points was drawn off its pulley by them without a word, and both its loads fell.)
    fn is_overrun_at(&self, cable: &Cable, k: usize) -> bool {
        let Some(circle) = self.nodes[k].circle else { return false };
        let moves = |i: usize| cable.is_end(i) && cable.stations[i].frame.body().is_some();
        let beside = [k.checked_sub(1), Some(k + 1)].map(|i| i.is_some_and(moves));
        let at_rim = |p: Vec3| {
            let from = (p - circle.centre).reject_from_normalized(circle.axis);
            from.length() < RIM * circle.radius
        };
        let spans = self.spans_at(k);
        (0..2).any(|i| beside[i] && spans[i].is_some_and(|[_, other]| at_rim(other)))
    }

    fn radius(&self, k: usize) -> f64 {
        self.nodes[k].circle.map_or(0.0, |c| c.radius)
    }

    /// Whether the cable cannot stay at station k: it comes in too far askew, from within the pulley, or
    /// does not wrap around it.
    fn is_lost_at(&self, cable: &Cable, k: usize) -> bool {
        let holds = self.nodes[k].circle.is_some() && self.touches[k] && self.wraps[k] != LEFT;
        let lifts = !cable.is_end(k) && self.wraps[k] < 0.0 && self.may_lift(cable);
        let wound_in = cable.is_end(k) && self.is_within(k, WOUND_IN);
        let beyond = self.is_beyond_at(k) && (cable.is_end(k) || self.may_lift(cable));
        let overrun = !cable.is_end(k) && self.is_overrun_at(cable, k) && self.may_lift(cable);
        holds && (lifts || wound_in || beyond || overrun)
    }

    /// Whether enough stations are left for one to be left out.
    fn may_lift(&self, cable: &Cable) -> bool {
        !cable.closed || self.touches.iter().filter(|&&t| t).count() > 2
    }

    /// Whether the tangents of a pulley mean nothing.
    pub(crate) fn is_beyond_at(&self, k: usize) -> bool {
        let Some(circle) = self.nodes[k].circle else { return false };
        let beyond = |from: Vec3, to: Vec3| {
            let d = to - circle.centre;
            let flat = d.reject_from_normalized(circle.axis).length();
            let slope = (to - from).normalize_or_zero().dot(circle.axis).abs();
            slope > SIDEWAYS || flat < WITHIN * circle.radius
        };
        self.spans_at(k).into_iter().flatten().any(|[own, other]| beyond(own, other))
    }

    /// Whether a span at station k comes nearer to its axis than this share of the radius.
    fn is_within(&self, k: usize, share: f64) -> bool {
        let Some(circle) = self.nodes[k].circle else { return false };
        let near = |to: Vec3| {
            (to - circle.centre).reject_from_normalized(circle.axis).length()
                < share * circle.radius
        };
        self.spans_at(k).into_iter().flatten().any(|[_, other]| near(other))
    }

    /// Ends of the spans before and after station k, its own first.
    fn spans_at(&self, k: usize) -> [Option<[Vec3; 2]>; 2] {
        let before = self.last_before(k).map(|i| self.spans[i].ends);
        let after = self.spans.get(k).filter(|_| self.touches[k]).map(|s| s.ends);
        [before.map(|[a, b]| [b, a]), after]
    }

    /// How a straight line past station k would pass its pulley.
    fn passing_at(&self, k: usize) -> Option<Passing> {
        let before = self.last_before(k).map(|i| self.spans[i].ends[0])?;
        let after = self.spans.get(k).map(|s| s.ends[1])?;
        self.nodes[k].circle?.passing(before, after)
    }

    /// How the cable passes the pulley of station k, which it does not touch.
    fn passing_by(&self, k: usize) -> Option<Passing> {
        let [a, b] = self.last_before(k).map(|i| self.spans[i].ends)?;
        self.nodes[k].circle?.passing(a, b)
    }

    /// Whether it makes no difference to its length whether the cable touches station k at no wrap.
    pub(crate) fn is_level_at(&self, k: usize) -> bool {
        self.passing_at(k).is_some_and(|p| p.excess <= LEVEL)
    }

    /// Leaves out a pulley or an edge from which the cable lifts off, or takes one in; true if one changed.
    pub(super) fn lift_or_touch(&mut self, cable: &Cable) -> bool {
        for k in (0..self.nodes.len()).filter(|&k| !cable.is_end(k)) {
            let Some(circle) = self.nodes[k].circle.filter(|_| self.wraps[k] != LEFT) else {
                continue;
            };
            if self.touches[k] {
                if self.wraps[k] < 0.0 && self.may_lift(cable) && self.is_level_at(k) {
                    self.touches[k] = false;
                    return true;
                }
                continue;
            }
            let Some(p) = self.passing_by(k) else { continue };
            if p.right >= circle.radius {
                self.wraps[k] = FREE;
            } else if p.is_between() && self.wraps[k] > BEYOND && p.excess <= LEVEL {
                self.touches[k] = true;
                return true;
            } else {
                self.wraps[k] = 2.0 * BEYOND;
            }
        }
        self.lift_or_touch_edges(cable) || self.touch_solids(cable)
    }

    /// The same for edges: nothing jumps there, for the cable runs along them without cost. The one that it passes deepest comes first;
    /// of one that is named twice, the one nearer to the middle of its run, so that it has neighbours to both sides.
    fn lift_or_touch_edges(&mut self, cable: &Cable) -> bool {
        let n = self.nodes.len();
        let lifts =
            |&k: &usize| self.nodes[k].edge.is_some() && self.touches[k] && self.wraps[k] < 0.0;
        if let Some(k) = (0..n).find(lifts) {
            (self.touches[k], self.wraps[k]) = (false, FREE);
            return true;
        }
        for k in 0..n {
            self.watch_edge(cable, k);
        }
        let is_edge = |k: usize| self.nodes[k].edge.is_some();
        let mut deepest: Option<(f64, usize, usize)> = None;
        let mut first = 0;
        for k in 0..n {
            first = if k > 0 && is_edge(k - 1) { first } else { k };
            let Some(depth) = self.touches_edge(cable, k) else { continue };
            let last = (k..n).take_while(|&i| is_edge(i)).last().unwrap_or(k);
            let aside = (2 * k).abs_diff(first + last);
            if deepest.is_none_or(|(d, a, _)| depth > d || depth == d && aside < a) {
                deepest = Some((depth, aside, k));
            }
        }
        if let Some((_, _, k)) = deepest {
            self.touches[k] = true;
        }
        deepest.is_some()
    }

    /// How deep the straight line past an edge cuts into its body \[m\], if the edge takes it.
    fn touches_edge(&self, cable: &Cable, k: usize) -> Option<f64> {
        let p =
            self.passing_edge(cable, k).filter(|p| self.wraps[k] > BEYOND && p.deep && p.takes)?;
        Some(p.depth)
    }

    /// How the straight line passes an edge that the cable does not touch.
    fn passing_edge(&self, cable: &Cable, k: usize) -> Option<Beside> {
        let i = self.last_before(k).filter(|_| !cable.is_end(k) && !self.touches[k])?;
        let ends = self.spans[i].ends;
        let p = self.nodes[k].passing(ends)?;
        let ring = self.rings.iter().find(|r| r.stations.contains(&k));
        // Rounding, along a face whose other edge it touches, does not count.
        let least = ring.map_or(EDGE * (ends[1] - ends[0]).length(), |r| r.rounding());
        let cuts = ring.is_none_or(|r| self.starts || r.is_cut(ends));
        let (depth, takes) = (-p.right, p.is_across() && cuts);
        Some(Beside { depth, deep: depth > least, takes, level: p.turning(depth) <= LEVEL })
    }

    /// Notes which side of an edge the cable passes on: one that came around its end, around that of the span, or out of the body,
    /// is on the other side, and not taken by it before it has come back.
    fn watch_edge(&mut self, cable: &Cable, k: usize) {
        let Some(p) = self.passing_edge(cable, k) else { return };
        if !p.deep || p.takes && p.level {
            self.wraps[k] = FREE;
        } else if !p.takes {
            self.wraps[k] = 2.0 * BEYOND;
        }
    }
}

/// How a straight line passes an edge.
struct Beside {
    /// How far on the wrong side \[m\], and whether it is there.
    depth: f64,
    deep: bool,
    /// Whether it cuts into the body between the ends of the edge.
    takes: bool,
    /// Whether it makes no difference to its length if the edge takes it.
    level: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cables::Station;
    use crate::math::Pose;
    use crate::scene::joint::Frame;

    /// An edge takes a cable that comes down on it, and none that came around its end or around that of the span.
    #[test]
    fn edges_take_what_comes_from_their_side() {
        let cable = |end: Vec3| {
            Cable::new("c")
                .via(Station::point(Frame::World, Vec3::new(-2.0, 0.0, 0.5)))
                .via(Station::edge(Frame::World, -Vec3::Y, Vec3::Y))
                .via(Station::point(Frame::World, end))
        };
        let mut state = (vec![0.0; 3], vec![true, false, true]);
        let mut go = |x: f64, y: f64, z: f64| {
            let cable = cable(Vec3::new(x, y, z));
            let mut way = Way::default();
            way.place(&cable, |_| (None, Vec3::ZERO, Pose::IDENTITY));
            way.find(&cable, &state.0, &state.1, [0.0; 2]);
            state = (way.wraps.clone(), way.touches.clone());
            way.touches[1]
        };
        // Down on it, and up again.
        assert!(!go(2.0, 0.0, 1.0));
        assert!(go(2.0, 0.0, -1.0));
        assert!(!go(2.0, 0.0, 1.0));
        // Around its end, and back below: metres away, it is no business of the edge.
        assert!(!go(2.0, 9.0, 1.0));
        assert!(!go(2.0, 9.0, -4.0));
        assert!(!go(2.0, 0.0, -4.0));
        assert!(!go(2.0, 0.0, -0.6));
        // Up through where the body is not any more, it is above and taken again.
        assert!(!go(2.0, 0.0, 1.0));
        assert!(go(2.0, 0.0, -1.0));
        assert!(!go(2.0, 0.0, 1.0));
        // Around the end of the span.
        assert!(!go(-1.0, 0.0, 1.0));
        assert!(!go(-1.0, 0.0, 0.0));
        assert!(!go(-1.0, 0.0, -4.0));
        assert!(!go(2.0, 0.0, -4.0));
    }
}
