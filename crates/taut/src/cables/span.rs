//! A span between two stations: tangents, ends, and the gradient of its length (`path` has the equations); and where a cable
//! crosses edges.

use super::circle::{Circle, Passing};
use crate::math::Vec3;
use crate::scene::joint::nearest_turn;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Newton's iterations on two tangents, after these alternations.
const NEWTON: usize = 20;
const ALTERNATIONS: usize = 3;

/// A station in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The slot of its body, if it has one.
    pub(crate) slot: Option<u32>,
    /// Centre of mass of the body.
    pub(crate) centre: Vec3,
    pub(crate) point: Vec3,
    /// Where the cable leaves, of a solid on which it lies, and the length on it \[m\]; else the point, and nothing.
    pub(crate) exit: Vec3,
    pub(crate) arc: f64,
    pub(crate) solid: bool,
    pub(crate) circle: Option<Circle>,
    /// Both ends of the edge that it is, if it is one; `point` is where the cable crosses it.
    pub(crate) edge: Option<[Vec3; 2]>,
}

impl Node {
    /// How a straight line passes an edge: `beside` is how far it misses its ends along it.
    pub(super) fn passing(&self, [a, b]: [Vec3; 2]) -> Option<Passing> {
        let [from, to] = self.edge?;
        let axis = (to - from).normalize_or_zero();
        let e1 = axis.any_orthonormal_vector();
        let line = Circle { centre: from, axis, e1, e2: axis.cross(e1), radius: 0.0, growth: 0.0 };
        let p = line.passing(a, b)?;
        let at = crossing([from, to], a, b);
        let length = (to - from).length();
        let off = (at - at.clamp(0.0, length)).abs();
        Some(Passing { beside: off, ..p })
    }
}

/// How far along an edge the shortest way from a to b crosses it \[m\]: the straight line of the plane that
/// both sides unfold to.
pub(super) fn crossing([from, to]: [Vec3; 2], a: Vec3, b: Vec3) -> f64 {
    let axis = (to - from).normalize_or_zero();
    let place = |p: Vec3| {
        let along = (p - from).dot(axis);
        (along, ((p - from) - axis * along).length())
    };
    let ((sa, da), (sb, db)) = (place(a), place(b));
    if da + db > 0.0 { (sa * db + sb * da) / (da + db) } else { 0.5 * (sa + sb) }
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
    pub(super) fn none(at: Vec3) -> Self {
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

/// The span from a to b, and the angles at which it leaves a and comes in at b.
pub(super) fn span(a: &Node, b: &Node) -> (Span, [f64; 2]) {
    let angles = tangents(a, b);
    let p = a.circle.map_or(a.exit, |c| c.at(angles[0]));
    let q = b.circle.map_or(b.point, |c| c.at(angles[1]));
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
    let [m_a, m_b] = adjoint(a, b, angles, u);
    if let (Some(c), true) = (a.circle, m_a != 0.0) {
        add(c.tangent(q, true).1 * -m_a, q);
    }
    if let (Some(c), true) = (b.circle, m_b != 0.0) {
        add(c.tangent(p, false).1 * m_b, p);
    }
    let span = Span {
        slots: [a.slot, b.slot],
        on,
        fixed: [a, b].map(|node| node.circle.is_none() && node.edge.is_none() && !node.solid),
        ends: [p, q],
        arms: [p - a.centre, q - b.centre],
        length,
    };
    (span, angles)
}

fn tangents(a: &Node, b: &Node) -> [f64; 2] {
    match (a.circle, b.circle) {
        (None, None) => [0.0; 2],
        (Some(c), None) => [c.tangent(b.point, true).0, 0.0],
        (None, Some(c)) => [0.0, c.tangent(a.exit, false).0],
        (Some(c_a), Some(c_b)) => {
            let mut alpha = c_a.tangent(c_b.centre, true).0;
            let mut beta = c_b.tangent(c_a.at(alpha), false).0;
            for _ in 0..ALTERNATIONS {
                alpha = c_a.tangent(c_b.at(beta), true).0;
                beta = c_b.tangent(c_a.at(alpha), false).0;
            }
            for _ in 0..NEWTON {
                let [ab, ba] = slopes(&c_a, &c_b, [alpha, beta]);
                let g_a = nearest_turn(alpha - c_a.tangent(c_b.at(beta), true).0, 0.0);
                let g_b = nearest_turn(beta - c_b.tangent(c_a.at(alpha), false).0, 0.0);
                let det = 1.0 - ab * ba;
                let (x, y) = ((g_a - ab * g_b) / det, (g_b - ba * g_a) / det);
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

/// How the tangent condition of each circle changes with the angle of the other; with its own it
/// changes by 1.
fn slopes(a: &Circle, b: &Circle, [alpha, beta]: [f64; 2]) -> [f64; 2] {
    let (_, f_a) = a.tangent(b.at(beta), true);
    let (_, f_b) = b.tangent(a.at(alpha), false);
    let slide = |f: Vec3, c: &Circle, angle: f64| {
        f.dot(c.along(angle)) * c.radius + f.dot(c.radial(angle)) * c.growth
    };
    [-slide(f_a, b, beta), -slide(f_b, a, alpha)]
}

/// Multipliers of the tangent conditions where the span comes in askew.
fn adjoint(a: &Node, b: &Node, angles: [f64; 2], u: Vec3) -> [f64; 2] {
    // The rate of the length with the angle, the arc's and the span's: with a spiral the place of the tangent moves outwards, too.
    let askew = |c: &Circle, angle: f64| {
        c.radius * (1.0 - u.dot(c.along(angle))) - c.growth * u.dot(c.radial(angle))
    };
    let x = a.circle.map_or(0.0, |c| -askew(&c, angles[0]));
    let y = b.circle.map_or(0.0, |c| askew(&c, angles[1]));
    let at_a = a.circle.map_or(a.exit, |c| c.at(angles[0]));
    let at_b = b.circle.map_or(b.point, |c| c.at(angles[1]));
    let own_a = a.circle.map_or(1.0, |c| c.own_slope(at_b, true));
    let own_b = b.circle.map_or(1.0, |c| c.own_slope(at_a, false));
    match (a.circle, b.circle) {
        (Some(c_a), Some(c_b)) => {
            let [ab, ba] = slopes(&c_a, &c_b, angles);
            let det = own_a * own_b - ab * ba;
            // The transposed system.
            let m = [(own_b * x - ba * y) / det, (own_a * y - ab * x) / det];
            if m.iter().all(|m| m.is_finite()) { m } else { [0.0; 2] }
        }
        _ => [x / own_a, y / own_b],
    }
}
