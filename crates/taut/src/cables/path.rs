//! The way of a cable through its stations: lengths, tangents, wraps, and how they change.
//!
//! A span is a straight line from one station to the next. At a pulley it touches the circle
//! where it is a tangent as seen along the axis: with e(α) the radial direction at the angle α of
//! the circle with centre c and radius r, (q − c)·e(α) = r for q the other end of the span. The span
//! may come in askew, as into a groove. Between two pulleys both conditions are solved together
//! (Newton; one or two iterations where the circles lie in a plane).
//!
//! The length of the way is Σ l + Σ rθ, l the lengths of spans and θ the wraps. What a span
//! contributes to its rate is u·(v_b − v_a) of the points of the bodies at its ends, u its direction;
//! moving tangent points change nothing to first order where the span is a tangent. Where
//! it comes in askew they do: with ∂l/∂α + r = r(1 − u·t), t the direction of travel on the circle,
//! the adjoint of the tangent conditions gives two more forces, so that rows are gradients of the
//! length exactly, and no energy comes from nowhere. (Physically they are the flanges of the groove.)
//!
//! A pulley from which the cable lifts off (θ < 0) is left out until the straight span would
//! cut into it: both ways have the same length and the same gradient there, so nothing jumps.
//!
//! Cost: some tens of products per span. Fails where the end of a span lies within
//! a circle: the tangent point is then the one nearest to it.
//!
//! References: Müller et al. 2018, Cable joints (tangents, lift-off); Scholz et al. 2016
//! (paths over several surfaces by Newton). Deviation: grooves instead of cylinders.

use super::Cable;
use crate::math::{Pose, Vec3};
use crate::scene::joint::{Frame, nearest_turn};
use std::f64::consts::{PI, TAU};

/// Newton's iterations on two tangents, after these alternations.
const NEWTON: usize = 20;
const ALTERNATIONS: usize = 3;
/// Tangents shorter than this share of the radius have no direction.
const SHORT: f64 = 1e-9;

/// A station in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The slot of its body, if it has one.
    pub(crate) slot: Option<u32>,
    /// Centre of mass of the body.
    pub(crate) centre: Vec3,
    pub(crate) point: Vec3,
    pub(crate) circle: Option<Circle>,
}

/// A pulley in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    pub(crate) centre: Vec3,
    pub(crate) axis: Vec3,
    e1: Vec3,
    e2: Vec3,
    pub(crate) radius: f64,
}

impl Circle {
    fn radial(&self, angle: f64) -> Vec3 {
        let (s, c) = angle.sin_cos();
        self.e1 * c + self.e2 * s
    }

    /// The direction of travel.
    fn along(&self, angle: f64) -> Vec3 {
        let (s, c) = angle.sin_cos();
        self.e2 * c - self.e1 * s
    }

    pub(crate) fn at(&self, angle: f64) -> Vec3 {
        self.centre + self.radial(angle) * self.radius
    }

    /// The angle at which the way to a point leaves, or that from it comes in.
    fn tangent(&self, point: Vec3, leaves: bool) -> f64 {
        let d = point - self.centre;
        let (x, y) = (d.dot(self.e1), d.dot(self.e2));
        let lead = (self.radius / x.hypot(y).max(f64::MIN_POSITIVE)).min(1.0).acos();
        y.atan2(x) + if leaves { -lead } else { lead }
    }

    /// Whether a line between two points cuts in on the side on which the cable passes, between
    /// its ends.
    fn is_cut_by(&self, a: Vec3, b: Vec3) -> bool {
        let flat = |p: Vec3| ((p - self.centre).dot(self.e1), (p - self.centre).dot(self.e2));
        let ((ax, ay), (bx, by)) = (flat(a), flat(b));
        let (dx, dy) = (bx - ax, by - ay);
        let square = dx * dx + dy * dy;
        if square <= (SHORT * self.radius).powi(2) {
            return false;
        }
        let foot = -(ax * dx + ay * dy) / square;
        // The circle is on the left: its distance to the right of the centre.
        let right = (ax * dy - ay * dx) / square.sqrt();
        right < self.radius && foot > 0.0 && foot < 1.0
    }
}

/// The line between two stations, and what moving their bodies does to the length of the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Slots of the bodies at both ends.
    pub(crate) slots: [Option<u32>; 2],
    /// Gradient with respect to their motion: linear and angular.
    pub(crate) on: [(Vec3, Vec3); 2],
    /// Whether the ends are points of their bodies.
    pub(crate) fixed: [bool; 2],
    pub(crate) ends: [Vec3; 2],
    /// Arms of the ends from the centres of their bodies.
    pub(crate) arms: [Vec3; 2],
    pub(crate) length: f64,
}

impl Span {
    /// A span that is part of another.
    fn none(at: Vec3) -> Self {
        Span {
            slots: [None; 2],
            on: [(Vec3::ZERO, Vec3::ZERO); 2],
            fixed: [true; 2],
            ends: [at; 2],
            arms: [Vec3::ZERO; 2],
            length: 0.0,
        }
    }

    pub(crate) fn direction(&self) -> Vec3 {
        (self.ends[1] - self.ends[0]).normalize_or_zero()
    }
}

/// A cable's way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    pub(crate) nodes: Vec<Node>,
    pub(crate) spans: Vec<Span>,
    /// Wrap of each station \[rad\]; of a drum, all that is wound on it; of a ring, the angle by
    /// which the cable turns.
    pub(crate) wraps: Vec<f64>,
    /// Whether the cable touches the station.
    pub(crate) touches: Vec<bool>,
    /// Angle of the circle at which the cable comes in and leaves.
    pub(crate) angles: Vec<[f64; 2]>,
    /// Σ l + Σ rθ \[m\].
    pub(crate) length: f64,
}

impl Way {
    /// Puts the stations where `pose` says: slot, centre of mass and pose of a frame.
    pub(crate) fn place(
        &mut self,
        cable: &Cable,
        pose: impl Fn(Frame) -> (Option<u32>, Vec3, Pose),
    ) {
        self.nodes.clear();
        for station in &cable.stations {
            let (slot, centre, pose) = pose(station.frame);
            let point = pose.transform_point(station.point);
            let circle = station.pulley.map(|p| {
                let axis = p.axis.normalize_or(Vec3::Z);
                let e1 = axis.any_orthonormal_vector();
                let turn = |v: Vec3| pose.rotation * v;
                let (axis, e1) = (turn(axis), turn(e1));
                Circle { centre: point, axis, e1, e2: axis.cross(e1), radius: p.radius }
            });
            self.nodes.push(Node { slot, centre, point, circle });
        }
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
        for _ in 0..=count {
            self.connect(cable);
            self.measure(cable, expected, anchors);
            if !self.lift_or_touch(cable) {
                break;
            }
        }
        let arcs = self.nodes.iter().zip(&self.wraps).zip(&self.touches);
        let arc = |((node, wrap), touches): ((&Node, &f64), &bool)| match node.circle {
            Some(circle) if *touches => circle.radius * wrap,
            _ => 0.0,
        };
        self.length = self.spans.iter().map(|s| s.length).sum::<f64>() + arcs.map(arc).sum::<f64>();
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

    fn measure(&mut self, cable: &Cable, expected: &[f64], anchors: [f64; 2]) {
        let n = self.nodes.len();
        for k in 0..n {
            let [comes, leaves] = self.angles[k];
            let near = |wrap: f64| nearest_turn(wrap, expected[k]);
            self.wraps[k] = match self.nodes[k].circle {
                _ if !self.touches[k] => 0.0,
                Some(_) if cable.is_end(k) && k == 0 => near(leaves - anchors[0]),
                Some(_) if cable.is_end(k) => near(anchors[1] - comes),
                Some(_) => near(leaves - comes),
                None if cable.is_end(k) => 0.0,
                None => {
                    let before = self.last_before(k).map(|i| self.spans[i].direction());
                    let after = self.spans.get(k).map(Span::direction);
                    let turn = |(a, b): (Vec3, Vec3)| a.cross(b).length().atan2(a.dot(b));
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

    /// Leaves out a pulley from which the cable lifts off, or takes one in; true if one changed.
    fn lift_or_touch(&mut self, cable: &Cable) -> bool {
        for k in (0..self.nodes.len()).filter(|&k| !cable.is_end(k)) {
            let Some(circle) = self.nodes[k].circle else { continue };
            if self.touches[k] {
                let others = self.touches.iter().filter(|&&t| t).count() > 2;
                if self.wraps[k] < 0.0 && others {
                    self.touches[k] = false;
                    return true;
                }
            } else if let Some(i) = self.last_before(k)
                && let [a, b] = self.spans[i].ends
                && circle.is_cut_by(a, b)
            {
                self.touches[k] = true;
                return true;
            }
        }
        false
    }
}

/// The least wrap of a cable that is put around a pulley: in [−π/2, 3π/2), below nothing where it
/// does not touch.
pub(crate) fn first_wrap(raw: f64) -> f64 {
    (raw + 0.5 * PI).rem_euclid(TAU) - 0.5 * PI
}

/// The span from a to b, and the angles at which it leaves a and comes in at b.
fn span(a: &Node, b: &Node) -> (Span, [f64; 2]) {
    let angles = tangents(a, b);
    let end = |node: &Node, angle: f64| node.circle.map_or(node.point, |c| c.at(angle));
    let (p, q) = (end(a, angles[0]), end(b, angles[1]));
    let d = q - p;
    let length = d.length();
    let u = if length > 1e-12 { d / length } else { Vec3::ZERO };
    let mut on = [(Vec3::ZERO, Vec3::ZERO); 2];
    let mut add = |force: Vec3, at: Vec3| {
        // On b; a gets the opposite along the same line.
        on[0].0 -= force;
        on[0].1 -= (at - a.centre).cross(force);
        on[1].0 += force;
        on[1].1 += (at - b.centre).cross(force);
    };
    add(u, q);
    let [m_a, m_b] = adjoint(a, b, angles, (p, q), u);
    if let (Some(c), true) = (a.circle, m_a != 0.0) {
        add(c.radial(angles[0]) * m_a, q);
    }
    if let (Some(c), true) = (b.circle, m_b != 0.0) {
        add(c.radial(angles[1]) * -m_b, p);
    }
    let span = Span {
        slots: [a.slot, b.slot],
        on,
        fixed: [a.circle.is_none(), b.circle.is_none()],
        ends: [p, q],
        arms: [p - a.centre, q - b.centre],
        length,
    };
    (span, angles)
}

fn tangents(a: &Node, b: &Node) -> [f64; 2] {
    match (a.circle, b.circle) {
        (None, None) => [0.0; 2],
        (Some(c), None) => [c.tangent(b.point, true), 0.0],
        (None, Some(c)) => [0.0, c.tangent(a.point, false)],
        (Some(c_a), Some(c_b)) => {
            let mut alpha = c_a.tangent(c_b.centre, true);
            let mut beta = c_b.tangent(c_a.at(alpha), false);
            for _ in 0..ALTERNATIONS {
                alpha = c_a.tangent(c_b.at(beta), true);
                beta = c_b.tangent(c_a.at(alpha), false);
            }
            for _ in 0..NEWTON {
                let [[aa, ab], [ba, bb]] = slopes(&c_a, &c_b, [alpha, beta]);
                let g_a = (c_b.at(beta) - c_a.centre).dot(c_a.radial(alpha)) - c_a.radius;
                let g_b = (c_a.at(alpha) - c_b.centre).dot(c_b.radial(beta)) - c_b.radius;
                let det = aa * bb - ab * ba;
                let (x, y) = ((bb * g_a - ab * g_b) / det, (aa * g_b - ba * g_a) / det);
                if !(x.is_finite() && y.is_finite()) || x.abs().max(y.abs()) > 1.0 {
                    break;
                }
                alpha -= x;
                beta -= y;
                if x.abs().max(y.abs()) < 1e-15 {
                    break;
                }
            }
            [alpha, beta]
        }
    }
}

/// Derivatives of the two tangent conditions with respect to the two angles.
fn slopes(a: &Circle, b: &Circle, [alpha, beta]: [f64; 2]) -> [[f64; 2]; 2] {
    let (p, q) = (a.at(alpha), b.at(beta));
    let (t_a, t_b) = (a.along(alpha), b.along(beta));
    [
        [(q - a.centre).dot(t_a), b.radius * t_b.dot(a.radial(alpha))],
        [a.radius * t_a.dot(b.radial(beta)), (p - b.centre).dot(t_b)],
    ]
}

/// Forces on the tangent conditions where the span comes in askew.
fn adjoint(a: &Node, b: &Node, angles: [f64; 2], (p, q): (Vec3, Vec3), u: Vec3) -> [f64; 2] {
    let alpha = a.circle.map(|c| c.radius * (1.0 - u.dot(c.along(angles[0]))));
    let beta = b.circle.map(|c| -c.radius * (1.0 - u.dot(c.along(angles[1]))));
    let fine = |slope: f64, c: &Circle| slope.abs() > SHORT * c.radius;
    match (a.circle, b.circle) {
        (Some(c_a), Some(c_b)) => {
            let [[aa, ab], [ba, bb]] = slopes(&c_a, &c_b, angles);
            let det = aa * bb - ab * ba;
            let (x, y) = (-alpha.unwrap_or(0.0), -beta.unwrap_or(0.0));
            // The transposed system.
            let m = [(bb * x - ba * y) / det, (aa * y - ab * x) / det];
            if fine(aa, &c_a) && fine(bb, &c_b) && m.iter().all(|m| m.is_finite()) {
                m
            } else {
                [0.0; 2]
            }
        }
        (Some(c), None) => {
            let slope = (q - c.centre).dot(c.along(angles[0]));
            [if fine(slope, &c) { -alpha.unwrap_or(0.0) / slope } else { 0.0 }, 0.0]
        }
        (None, Some(c)) => {
            let slope = (p - c.centre).dot(c.along(angles[1]));
            [0.0, if fine(slope, &c) { -beta.unwrap_or(0.0) / slope } else { 0.0 }]
        }
        (None, None) => [0.0; 2],
    }
}
