//! Joints: what is common to all of them. Each kind has its own file, whose
//! header derives its rows.
//!
//! A joint connects frame A (of body a, or of the world) with frame B. Each
//! frame is an anchor and a basis (x, y, z) fixed to its body; z is the joint
//! axis. With d = p_b − p_a the vector between the anchors, r the arm from a
//! body's centre of mass to its anchor and ω_rel = ω_b − ω_a, rows are built
//! from four primitives, each exact to first order (tests compare them with
//! finite differences):
//!
//! | primitive | φ | φ̇ |
//! |---|---|---|
//! | point along world axis e | e·d | e·(ṗ_b − ṗ_a) |
//! | point along axis e turning with a | e·d | e·(ṗ_b − ṗ_a) + ω_a·(e×d) |
//! | u_a perpendicular to u_b | u_a·u_b | ω_rel·(u_b×u_a) |
//! | rotation vector ϑ of b against a | ϑᵢ | (J_l⁻¹(ϑ) Rᵀω_rel)ᵢ |
//!
//! Ho22 app. A and Andrews22 1.3 derive the same rows; the rotation vector
//! replaces their quaternion error, because it is linear in the angle up to
//! half a turn, which compliant joints need.
//!
//! A row states w = φ̇ − target + γφ/h + ελ. Rigid rows have γ = 1 and the
//! world's relative compliance; a spring k with damper d has
//! ε = 1/(h²k + hd), γ = hk/(hk + d) (Ho22 2.3.2). λ is bounded by the row's
//! force limits times h.

mod ball;
mod compliant;
mod coordinate;
mod coupling;
mod cylindrical;
mod definition;
mod differential;
mod distance;
mod gear;
mod geometry;
mod hinge;
mod row;
mod slider;
mod state;
mod tendon;
mod universal;
mod weld;

pub(crate) use coordinate::PASSIVE;
pub use coordinate::{Limits, Motor, Passive};
pub(crate) use coupling::{Coupling, coordinate_value};
pub use definition::{Frame, Joint, JointKind, Spring};
pub(crate) use geometry::{Geometry, Side, nearest_turn};
pub(crate) use row::{PARTS, Part, Row, RowSink};
pub(crate) use state::RowMemory;
pub use state::{JointState, Reaction};

use definition::JointKind as Kind;

impl Joint {
    /// Appends the rows of this joint, except those of couplings, which need
    /// the geometry of other joints.
    pub(crate) fn rows(&self, g: &Geometry, angle: f64, out: &mut RowSink) {
        match &self.kind {
            Kind::Ball { cone } => ball::rows(self, g, *cone, out),
            Kind::Hinge => hinge::rows(self, g, angle, out),
            Kind::Slider => slider::rows(self, g, out),
            Kind::Cylindrical => cylindrical::rows(self, g, angle, out),
            Kind::Universal => universal::rows(self, g, out),
            Kind::Weld => weld::rows(self, g, out),
            Kind::Distance { min, max } => distance::rows(self, g, (*min, *max), out),
            Kind::Compliant { linear, angular } => compliant::rows(g, linear, angular, out),
            Kind::Gear { .. } | Kind::Differential { .. } | Kind::Tendon { .. } => {}
        }
    }

    /// Whether it has an angle that counts turns.
    pub(crate) fn counts_turns(&self) -> bool {
        matches!(self.kind, Kind::Hinge | Kind::Cylindrical)
    }

    /// The largest distance by which a rigid row misses its target \[m\]:
    /// what users see as a gap. Angles are left out.
    pub(crate) fn gap(&self, g: &Geometry) -> f64 {
        match &self.kind {
            _ if self.linear_spring.is_some_and(|s| s.stiffness.is_finite()) => 0.0,
            Kind::Ball { .. } | Kind::Hinge | Kind::Universal | Kind::Weld => g.d.length(),
            Kind::Slider | Kind::Cylindrical => g.d.reject_from(g.a.z()).length(),
            Kind::Distance { min, max } => {
                let length = g.d.length();
                (length - max).max(min - length).max(0.0)
            }
            Kind::Compliant { .. }
            | Kind::Gear { .. }
            | Kind::Differential { .. }
            | Kind::Tendon { .. } => 0.0,
        }
    }
}

#[cfg(test)]
mod tests;
