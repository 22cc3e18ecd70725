//! One scalar row of a joint, and the primitives that make rows.

use super::{Geometry, PASSIVE, Side, Spring};
use crate::math::Vec3;
use crate::slots::BodyId;

/// Bodies of a row at most.
pub(crate) const PARTS: usize = 6;

/// The Jacobian of a row on one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) body: BodyId,
    pub(crate) linear: Vec3,
    pub(crate) angular: Vec3,
}

impl Part {
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Part { linear: self.linear * factor, angular: self.angular * factor, ..self }
    }
}

/// w = Jv − target + γφ/h + ελ with force limits: what the assembler needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Names the row within its joint, so that warm starts find it again.
    pub(crate) tag: u8,
    /// Bodies of the row; all but couplings have two at most.
    pub(crate) parts: [Option<Part>; PARTS],
    /// From the centres of mass of the first two bodies to their anchors \[m\], averaged like the parts: about these a
    /// force at the anchor has no torque.
    pub(crate) arms: [Vec3; 2],
    /// Position error \[m or rad\].
    pub(crate) phi: f64,
    /// Change of φ in the step that Jv misses \[m or rad\].
    pub(crate) curvature: f64,
    /// Whether φ is a function of the poses; a velocity motor has none.
    pub(crate) has_position: bool,
    /// Velocity wanted, its mean over the step \[m/s or rad/s\], and how it changes in the step.
    pub(crate) target: f64,
    pub(crate) acceleration: f64,
    /// Force limits \[N or N·m\].
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    /// Give; `None`: rigid.
    pub(crate) spring: Option<Spring>,
    /// Inertia of what turns with the row and is no body; it begins with the rate `target` \[kg or kg·m²\].
    pub(crate) inertia: f64,
    /// Whether the row's force is part of the reaction at the anchor.
    pub(crate) reaction: bool,
    /// A motor without a limit that has one since it jams.
    pub(crate) yields: bool,
}

/// Collects the rows of one joint, for a step of h in which the bodies of its rows begin with
/// these velocities; neither is needed but for limits.
#[derive(Debug, Default)]
pub(crate) struct RowSink {
    pub(crate) rows: Vec<Row>,
    pub(crate) h: f64,
    pub(crate) twists: [(Vec3, Vec3); PARTS],
}

const BILATERAL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Row {
    /// A row on the bodies of the two sides; the world has no part.
    pub(crate) fn between(tag: u8, g: &Geometry, a: (Vec3, Vec3), b: (Vec3, Vec3)) -> Self {
        let part = |side: &Side, (linear, angular): (Vec3, Vec3)| {
            side.body.map(|body| Part { body, linear, angular })
        };
        let (lo, hi) = BILATERAL;
        Row {
            tag,
            parts: [part(&g.a, a), part(&g.b, b), None, None, None, None],
            arms: [g.a.r, g.b.r],
            phi: 0.0,
            curvature: 0.0,
            has_position: true,
            target: 0.0,
            acceleration: 0.0,
            lo,
            hi,
            spring: None,
            inertia: 0.0,
            reaction: true,
            yields: false,
        }
    }

    /// e·d with e fixed in the world.
    pub(crate) fn point(tag: u8, g: &Geometry, e: Vec3) -> Self {
        let a = (-e, -g.a.r.cross(e));
        let b = (e, g.b.r.cross(e));
        Row { phi: e.dot(g.d), ..Row::between(tag, g, a, b) }
    }

    /// e·d with e turning with a: force on a acts at b's anchor.
    pub(crate) fn along(tag: u8, g: &Geometry, e: Vec3) -> Self {
        let a = (-e, -(g.a.r + g.d).cross(e));
        let b = (e, g.b.r.cross(e));
        Row { phi: e.dot(g.d), ..Row::between(tag, g, a, b) }
    }

    /// Relative rotation about n; φ is left to the caller.
    pub(crate) fn about(tag: u8, g: &Geometry, n: Vec3) -> Self {
        Row::between(tag, g, (Vec3::ZERO, -n), (Vec3::ZERO, n))
    }

    /// u_a·u_b, for two axes that shall stay perpendicular.
    pub(crate) fn perpendicular(tag: u8, g: &Geometry, u_a: Vec3, u_b: Vec3) -> Self {
        Row { phi: u_a.dot(u_b), ..Row::about(tag, g, u_b.cross(u_a)) }
    }

    /// Force on b and torque about the anchor for a unit impulse.
    pub(crate) fn on_b(&self) -> (Vec3, Vec3) {
        let [r_a, r_b] = self.arms;
        match self.parts {
            [_, Some(b), ..] => (b.linear, b.angular - r_b.cross(b.linear)),
            [Some(a), None, ..] => (-a.linear, r_a.cross(a.linear) - a.angular),
            _ => (Vec3::ZERO, Vec3::ZERO),
        }
    }

    /// Whether φ is a length.
    pub(crate) fn is_linear(&self) -> bool {
        self.parts.iter().flatten().any(|p| p.linear != Vec3::ZERO)
    }

    /// Whether the row, while it holds, does no work.
    pub(crate) fn is_workless(&self) -> bool {
        let bilateral = (self.lo, self.hi) == BILATERAL;
        bilateral && self.spring.is_none() && self.target == 0.0 && self.has_position
    }

    /// Whether a motor or a rotor pushes: what that puts in is work. Springs, dampers and friction of a coordinate are
    /// the joint's own, and springs store energy.
    pub(crate) fn is_driven(&self) -> bool {
        !self.reaction && (self.tag < PASSIVE || self.inertia > 0.0)
    }

    /// Whether a motor holds its velocity whatever it takes.
    pub(crate) fn is_unlimited(&self) -> bool {
        let bilateral = (self.lo, self.hi) == BILATERAL;
        let gives = self.inertia > 0.0 || self.spring.is_some();
        bilateral && self.is_driven() && !self.has_position && !gives
    }

    /// The damping of a motor that pulls to a velocity as far as it is missing.
    pub(crate) fn servo(&self) -> Option<f64> {
        let spring = self.spring.filter(|_| self.is_driven() && !self.has_position)?;
        (spring.stiffness == 0.0).then_some(spring.damping)
    }

    pub(crate) fn spring(self, spring: Option<Spring>) -> Self {
        Row { spring, ..self }
    }

    /// Only pushes φ up (λ ≥ 0, φ ≥ 0).
    pub(crate) fn unilateral(self) -> Self {
        Row { lo: 0.0, ..self }
    }
}

impl RowSink {
    /// Jv of a row.
    pub(crate) fn rate(&self, row: &Row) -> f64 {
        let parts = row.parts.iter().zip(&self.twists);
        let of = |(part, (v, w)): (&Option<Part>, &(Vec3, Vec3))| {
            part.map_or(0.0, |p| p.linear.dot(*v) + p.angular.dot(*w))
        };
        parts.map(of).sum()
    }

    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Three rows that hold the anchors together. Tags 0 to 2.
    pub(crate) fn anchors(&mut self, g: &Geometry, spring: Option<Spring>) {
        for (tag, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            self.push(Row::point(tag as u8, g, e).spring(spring));
        }
    }

    /// Two rows that keep b's anchor on the axis of a. Tags 0 and 1.
    pub(crate) fn on_axis(&mut self, g: &Geometry, spring: Option<Spring>) {
        self.push(Row::along(0, g, g.a.x()).spring(spring));
        self.push(Row::along(1, g, g.a.y()).spring(spring));
    }

    /// Two rows that keep the axes parallel. Tags 3 and 4.
    pub(crate) fn axes(&mut self, g: &Geometry, spring: Option<Spring>) {
        self.push(Row::perpendicular(3, g, g.a.x(), g.b.z()).spring(spring));
        self.push(Row::perpendicular(4, g, g.a.y(), g.b.z()).spring(spring));
    }

    /// Three rows on the rotation vector. Tags 3 to 5.
    pub(crate) fn no_rotation(&mut self, g: &Geometry, spring: Option<Spring>) {
        let (v, e) = g.rotation();
        for i in 0..3 {
            let row = Row { phi: v[i], ..Row::about(3 + i as u8, g, e.row(i)) };
            self.push(row.spring(spring));
        }
    }
}
