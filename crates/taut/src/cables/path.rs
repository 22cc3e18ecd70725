//! The way of a cable through its stations: lengths, tangents, wraps, and how they change.
//!
//! A span is a straight line from one station to the next. At a pulley with centre c and radius r it
//! begins or ends at the angle φ ∓ acos(r/D), φ and D the angle and the distance from c at which
//! the other end is: at the tangent, where the span runs in the plane of the circle. It may
//! come in askew, as into a groove. Between two pulleys both conditions are solved together (Newton;
//! one or two iterations where the circles lie in a plane).
//!
//! The length of the way is Σ l + Σ rθ, l the lengths of spans and θ the wraps. What a span
//! contributes to its rate is u·(v_b − v_a) of the points of the bodies at its ends, u its direction;
//! moving tangent points change nothing to first order where the span is a tangent. Where
//! it comes in askew they do: ∂l/∂α + r = r(1 − u·t), with t the direction of travel on the circle.
//! The adjoint of the tangent conditions adds two forces there, so that rows are exact gradients of the
//! length and no energy is created. Physically these are the forces of the groove's flanges. (D is the distance in space:
//! with the distance within the plane the two forces would have no bound where a span comes in along the axis.)
//!
//! A pulley from which the cable lifts off (θ < 0) is left out until the straight span would
//! cut into it: both ways have the same length and the same gradient there, so nothing jumps. Where
//! the straight span passes beside the plane of the pulley by z, it is shorter by ½z²(1/a + 1/b), a and b the
//! lengths to its ends: there a cable lifts off between steps only, and goes slack by that; it catches again only
//! where z makes no difference.
//!
//! A span that comes in more than 45° askew, or ends within the pulley, is beyond the model: near the axis of the
//! circle it would wind up infinitely fast, and count turns that it never made. The cable then leaves that
//! pulley for good: its wrap is −∞, an event names it, and it runs on without it, slack by what it wrapped.
//!
//! A **drum with layers** is a spiral: its radius grows by a small amount with each turn, r = r₀ + gθ/2π, and what is wound on it has the length
//! r₀θ + gθ²/4π, whose derivative is r. Tangent point and radius are found by turns. In the frame of the drum the end of the cable is fixed,
//! so the radius is a function of the tangent's angle alone, and the adjoint has its derivative, too.
//!
//! **Edges** are straight: the cable crosses one where that makes its way the shortest, and lifts off it as off a
//! pulley without radius. **Solids** are found (`lying`): the cable lies on the edges of one that is in its way.
//!
//! Cost: some tens of products per span.
//!
//! References: Müller et al. 2018, Cable joints (tangents, lift-off); Scholz et al. 2016
//! (paths over several surfaces by Newton). Deviation: grooves instead of cylinders.

mod lift;
mod lying;
mod ring;

use super::Cable;
use super::circle::Circle;
pub(crate) use super::span::{Node, Span};
use super::span::{crossing, span};
use crate::math::{Pose, Vec3};
use crate::scene::joint::{Frame, nearest_turn};
use lift::FREE;
pub(crate) use lying::{Lying, away, nearest};
use ring::Ring;
use std::f64::consts::{PI, TAU};

// What half and twice of these change: docs/decisions/step-constants.md.

/// Rounds in which the radius of a drum with layers and its wrap find one another. Each
/// brings them nearer by growth over 2π spans: three or four rounds to rounding.
const WINDINGS: usize = 20;
/// How near they come, as a share of the radius.
const WOUND: f64 = 1e-15;
/// Sweeps over edges and solids at most.
const SWEEPS: usize = 200;
/// What places on them may still move by, as a share of the edge or solid.
const PLACED: f64 = 1e-14;
/// Wrap of a pulley, or of a drum, that the cable has left for good.
pub(crate) const LEFT: f64 = f64::NEG_INFINITY;
/// A cable's way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    pub(crate) nodes: Vec<Node>,
    pub(crate) spans: Vec<Span>,
    /// Wrap of each station \[rad\], negative where the cable does not touch; of a drum, all that is wound on it; of a ring, the angle by
    /// which the cable turns.
    pub(crate) wraps: Vec<f64>,
    /// Whether the cable touches the station.
    pub(crate) touches: Vec<bool>,
    /// Angle of the circle at which the cable comes in and leaves.
    pub(crate) angles: Vec<[f64; 2]>,
    /// Σ l + Σ rθ \[m\].
    pub(crate) length: f64,
    /// Bodies whose edges it may lie on all around.
    rings: Vec<Ring>,
    /// Whether it is put around its stations for the first time.
    pub(crate) starts: bool,
    /// How it lies on the solid of each station.
    pub(crate) lying: Vec<Lying>,
    /// Whether it may slip over corners of solids: between steps.
    pub(super) slips: bool,
    /// Spans at its beginning and its end between stations that stand in the world, of a cable that does not stretch; and those of
    /// them that pull at nothing that may move.
    pub(crate) still: [usize; 2],
    pub(crate) dead: [usize; 2],
}

impl Way {
    /// Puts the stations where `pose` says: slot, centre of mass and pose of a frame.
    pub(crate) fn place(
        &mut self,
        cable: &Cable,
        pose: impl Fn(Frame) -> (Option<u32>, Vec3, Pose),
    ) {
        self.nodes.clear();
        self.lying.resize_with(cable.stations.len(), Lying::default);
        for (station, own) in cable.stations.iter().zip(&mut self.lying) {
            let (slot, centre, pose) = pose(station.frame);
            own.pose = pose;
            let point = pose.transform_point(station.point);
            let circle = station.pulley.map(|p| {
                let axis = p.axis.normalize_or(Vec3::Z);
                let e1 = axis.any_orthonormal_vector();
                let turn = |v: Vec3| pose.rotation * v;
                let (axis, e1) = (turn(axis), turn(e1));
                Circle {
                    centre: point,
                    axis,
                    e1,
                    e2: axis.cross(e1),
                    radius: p.radius,
                    growth: 0.0,
                }
            });
            let edge = station.edge.map(|to| [point, pose.transform_point(to)]);
            self.nodes.push(Node {
                slot,
                centre,
                point,
                exit: point,
                arc: 0.0,
                solid: station.solid.is_some(),
                circle,
                edge,
            });
        }
        ring::find(cable, &self.nodes, &mut self.rings);
    }

    /// Finds the way for stations that were placed. Wraps are those nearest to `expected`; `anchors`
    /// are the angles at which drums hold the cable.
    pub(crate) fn find(
        &mut self,
        cable: &Cable,
        expected: &[f64],
        touches: &[bool],
        anchors: [f64; 2],
    ) {
        let count = self.nodes.len();
        self.touches.clear();
        self.touches.extend_from_slice(touches);
        self.wraps.clear();
        self.wraps.extend_from_slice(expected);
        self.lying.iter_mut().for_each(Lying::begin);
        for _ in 0..=2 * count + WINDINGS {
            let wound = [self.is_wound(cable, 0), self.is_wound(cable, count - 1)];
            self.wind(cable);
            self.connect_from(cable, anchors);
            self.measure(cable, expected, anchors);
            let unwound = wound != [self.is_wound(cable, 0), self.is_wound(cable, count - 1)];
            if !self.lift_or_touch(cable) && !unwound && !self.grows(cable) {
                break;
            }
        }
        let arc = |k: usize| match self.nodes[k].circle {
            Some(c) if self.touches[k] && self.is_wound(cable, k) => c.wound(self.wraps[k]),
            _ if self.touches[k] => self.nodes[k].arc,
            _ => 0.0,
        };
        let arcs: f64 = (0..count).map(arc).sum();
        self.length = self.spans.iter().map(|s| s.length).sum::<f64>() + arcs;
    }

    /// Gives drums with layers the radius of their outermost turn.
    pub(crate) fn wind(&mut self, cable: &Cable) {
        for k in [0, self.nodes.len() - 1] {
            if let (Some((radius, growth)), Some(circle)) =
                (self.outermost(cable, k), &mut self.nodes[k].circle)
            {
                (circle.radius, circle.growth) = (radius, growth);
            }
        }
    }

    /// Radius of the outermost turn on a drum with layers \[m\], and how it grows with the angle of the tangent \[m/rad\].
    fn outermost(&self, cable: &Cable, k: usize) -> Option<(f64, f64)> {
        let drum = cable.stations[k].pulley.filter(|p| cable.is_end(k) && p.growth > 0.0)?;
        let growth = drum.growth / TAU;
        let radius = drum.radius + growth * self.wraps[k].max(0.0);
        let empty = self.wraps[k] < 0.0;
        // The way leaves the first drum at an angle that grows with the wrap, and comes in at the last at one that shrinks.
        let along = if k == 0 { growth } else { -growth };
        Some((radius, if empty { 0.0 } else { along }))
    }

    /// Whether the radius of a drum is not yet that of its wrap.
    fn grows(&self, cable: &Cable) -> bool {
        let off = |k: usize| {
            let (radius, _) = self.outermost(cable, k)?;
            let now = self.nodes[k].circle?.radius;
            Some((radius - now).abs() > WOUND * radius)
        };
        [0, self.nodes.len() - 1].into_iter().any(|k| off(k) == Some(true))
    }

    /// Whether a station is not a drum that has run empty.
    fn is_wound(&self, cable: &Cable, k: usize) -> bool {
        !cable.is_end(k) || self.wraps[k] >= 0.0
    }

    /// Spans, with empty drums as the points that hold the cable.
    fn connect_from(&mut self, cable: &Cable, anchors: [f64; 2]) {
        let last = self.nodes.len() - 1;
        let empty = |way: &Way, k: usize| {
            let circle = way.nodes[k].circle.filter(|_| !way.is_wound(cable, k));
            circle.map(|c| (k, way.nodes[k], c))
        };
        let drums = [empty(self, 0), empty(self, last)];
        for ((k, node, circle), anchor) in
            drums.into_iter().zip(anchors).filter_map(|(d, a)| Some((d?, a)))
        {
            self.nodes[k] =
                Node { point: circle.at(anchor), exit: circle.at(anchor), circle: None, ..node };
        }
        self.connect(cable);
        for (k, node, circle) in drums.into_iter().flatten() {
            self.nodes[k] = node;
            if k == 0 {
                self.angles[k][1] = circle.tangent(self.spans[0].ends[1], true).0;
            } else if let Some(i) = self.last_before(k) {
                self.angles[k][0] = circle.tangent(self.spans[i].ends[0], false).0;
            }
        }
    }

    /// The next station after k that the cable touches.
    fn next(&self, k: usize) -> usize {
        let n = self.nodes.len();
        let mut after = (1..=n).map(|i| (k + i) % n);
        after.find(|&i| self.touches[i]).unwrap_or(k)
    }

    /// Spans between the stations that the cable touches; span k begins at station k.
    pub(crate) fn connect(&mut self, cable: &Cable) {
        let n = self.nodes.len();
        self.place_loose(cable);
        self.spans.clear();
        self.angles.clear();
        self.angles.resize(n, [0.0; 2]);
        for k in 0..cable.spans() {
            if !self.touches[k] {
                self.spans.push(Span::none(self.nodes[k].point));
                continue;
            }
            let to = self.next(k);
            let (span, angles) = span(&self.nodes[k], &self.nodes[to]);
            self.angles[k][1] = angles[0];
            self.angles[to][0] = angles[1];
            self.spans.push(span);
        }
    }

    /// Puts the cable where it crosses each edge that it touches and goes over each solid, one after the other until nothing changes.
    fn place_loose(&mut self, cable: &Cable) {
        let n = self.nodes.len();
        let loose = |k: usize| self.nodes[k].edge.is_some() || cable.stations[k].solid.is_some();
        if !(0..n).any(loose) {
            return;
        }
        for _ in 0..SWEEPS {
            let mut moved = 0.0_f64;
            for k in 0..n {
                if self.touches[k] {
                    moved = moved.max(self.place_at(cable, k));
                }
            }
            if moved <= PLACED {
                break;
            }
        }
    }

    /// The same at one station; how far it moves, as a share of the edge or solid.
    fn place_at(&mut self, cable: &Cable, k: usize) -> f64 {
        let solid = cable.solid(k);
        if self.nodes[k].edge.is_none() && solid.is_none() {
            return 0.0;
        }
        let n = self.nodes.len();
        let beside = |step: usize| {
            let mut list = (1..n).map(|i| (k + i * step) % n);
            list.find(|&i| self.touches[i]).filter(|&i| cable.closed || (i < k) == (step > 1))
        };
        let (Some(i), Some(j)) = (beside(n - 1), beside(1)) else { return 0.0 };
        let own = &self.nodes[k];
        let end = |other: usize, seen: Vec3| match &self.nodes[other] {
            Node { circle: Some(c), .. } => c.at(c.tangent(seen, other == i).0),
            node if other == i => node.exit,
            node => node.point,
        };
        let ends = [end(i, own.point), end(j, own.exit)];
        if let Some(solid) = solid {
            return self.lie_on(solid, k, ends) / solid.size;
        }
        let Some([from, to]) = own.edge else { return 0.0 };
        let length = (to - from).length();
        let at = crossing([from, to], ends[0], ends[1]).clamp(0.0, length);
        let point = from + (to - from) * (at / length);
        let moved = (point - own.point).length() / length;
        (self.nodes[k].point, self.nodes[k].exit) = (point, point);
        moved
    }

    fn measure(&mut self, cable: &Cable, expected: &[f64], anchors: [f64; 2]) {
        let n = self.nodes.len();
        for k in 0..n {
            let [comes, leaves] = self.angles[k];
            let near = |wrap: f64| nearest_turn(wrap, expected[k]);
            self.wraps[k] = match self.nodes[k].circle {
                Some(_) if expected[k] == LEFT => LEFT,
                _ if !self.touches[k] => expected[k].min(FREE),
                _ if cable.stations[k].solid.is_some() => self.lying[k].path.turn,
                Some(_) if cable.is_end(k) && k == 0 => near(leaves - anchors[0]),
                Some(_) if cable.is_end(k) => near(anchors[1] - comes),
                Some(_) => near(leaves - comes),
                None if cable.is_end(k) => 0.0,
                None => {
                    let before = self.last_before(k).map(|i| self.spans[i].direction());
                    let after = self.spans.get(k).map(Span::direction);
                    let axis = self.nodes[k].edge.map(|[from, to]| to - from);
                    let turn = |(a, b): (Vec3, Vec3)| {
                        let (across, along) = (a.cross(b), a.dot(b));
                        let over = axis.is_none_or(|axis| across.dot(axis) >= 0.0);
                        let turn = across.length().atan2(along);
                        if over { turn } else { -turn }
                    };
                    before.zip(after).map_or(0.0, turn)
                }
            };
        }
    }

    /// The span that comes in at station k.
    pub(crate) fn last_before(&self, k: usize) -> Option<usize> {
        let n = self.nodes.len();
        let mut before = (1..n).map(|i| (k + n - i) % n);
        before.find(|&i| self.touches[i]).filter(|&i| i < self.spans.len())
    }
}

/// The least wrap of a cable that is put around a pulley: in [−π/2, 3π/2), below nothing where it
/// does not touch.
pub(crate) fn first_wrap(raw: f64) -> f64 {
    (raw + 0.5 * PI).rem_euclid(TAU) - 0.5 * PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cables::Station;
    use crate::math::Quat;

    /// Rows are gradients of the length, also where spans come in askew.
    #[test]
    fn gradients_are_those_of_the_length() {
        let first = Station::point(Frame::World, Vec3::new(0.3, -2.0, 0.4));
        let last = Station::point(Frame::World, Vec3::new(3.0, -1.0, 0.8));
        gradients_agree([first, last], [0.0; 2]);
        // Drums with layers that grow fast.
        let drum =
            |s: Station, axis: Vec3| Station::pulley(s.frame, s.point, axis, 0.2).growth(0.1);
        let first = drum(first, Vec3::new(0.1, 0.2, 1.0));
        let last = drum(last, Vec3::new(0.1, 0.3, -1.0));
        gradients_agree([first, last], [20.0, 13.0]);
    }

    fn gradients_agree([first, last]: [Station; 2], wound: [f64; 2]) {
        let cable = Cable::new("c")
            .via(first)
            .via(Station::pulley(
                Frame::World,
                Vec3::new(0.1, 0.0, 0.2),
                Vec3::new(0.2, 0.1, 1.0),
                0.5,
            ))
            .via(Station::pulley(
                Frame::World,
                Vec3::new(2.0, 0.5, -0.3),
                Vec3::new(0.4, -0.3, -1.0),
                0.3,
            ))
            .via(last);
        // Each station on a body of its own, turned and moved by small amounts.
        let at = |moves: [(Vec3, Vec3); 4]| {
            let mut way = Way::default();
            let next = std::cell::Cell::new(0);
            way.place(&cable, |_| {
                let k = next.get();
                next.set(k + 1);
                let centre = Vec3::new(0.2 * k as f64, 0.1, -0.1);
                let turn = Quat::from_scaled_axis(moves[k].1);
                let x = centre + moves[k].0;
                (Some(k as u32), x, Pose::from_parts(x - turn * centre, turn))
            });
            way.find(&cable, &[wound[0], 1.5, 1.5, wound[1]], &[true; 4], [0.0; 2]);
            way
        };
        let still = [(Vec3::ZERO, Vec3::ZERO); 4];
        let way = at(still);
        for k in 0..4 {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                for angular in [false, true] {
                    let e = 1e-6;
                    let moved = |s: f64| {
                        let mut moves = still;
                        moves[k] =
                            if angular { (Vec3::ZERO, axis * s) } else { (axis * s, Vec3::ZERO) };
                        at(moves).length
                    };
                    let slope = (moved(e) - moved(-e)) / (2.0 * e);
                    let of = |span: &Span| -> f64 {
                        let part = |side: usize| {
                            let (linear, turn) = span.on[side];
                            let own = span.slots[side] == Some(k as u32);
                            if own {
                                if angular { turn.dot(axis) } else { linear.dot(axis) }
                            } else {
                                0.0
                            }
                        };
                        part(0) + part(1)
                    };
                    let row: f64 = way.spans.iter().map(of).sum();
                    assert!((slope - row).abs() < 1e-8, "{k} {axis:?} {angular}: {slope} {row}");
                }
            }
        }
    }
}
