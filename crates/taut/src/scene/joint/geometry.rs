//! Where the two frames of a joint are.

use crate::math::{Mat3, Quat, Vec3};
use crate::slots::BodyId;
use std::f64::consts::{PI, TAU};

/// One side of a joint, in world coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) body: Option<BodyId>,
    /// The anchor.
    pub(crate) p: Vec3,
    /// Anchor minus centre of mass.
    pub(crate) r: Vec3,
    /// Orientation of the joint's basis.
    pub(crate) q: Quat,
    /// The basis as a matrix, whose columns are x, y, z.
    pub(crate) basis: Mat3,
}

impl Side {
    pub(crate) fn new(body: Option<BodyId>, p: Vec3, r: Vec3, q: Quat) -> Self {
        Side { body, p, r, q, basis: Mat3::from_quat(q) }
    }

    pub(crate) fn x(&self) -> Vec3 {
        self.basis.x_axis
    }

    pub(crate) fn y(&self) -> Vec3 {
        self.basis.y_axis
    }

    pub(crate) fn z(&self) -> Vec3 {
        self.basis.z_axis
    }
}

/// Both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) a: Side,
    pub(crate) b: Side,
    /// p_b − p_a.
    pub(crate) d: Vec3,
}

impl Geometry {
    pub(crate) fn new(a: Side, b: Side) -> Self {
        Geometry { a, b, d: b.p - a.p }
    }

    /// Angle of b's basis about the z of a, in (−π, π].
    pub(crate) fn angle(&self) -> f64 {
        let x = self.b.x();
        x.dot(self.a.y()).atan2(x.dot(self.a.x()))
    }

    /// Rate of that angle for bodies that turn at these rates, as long as the
    /// axes nearly coincide. Taking each rate along the body's own axis makes
    /// it constant for wheels that spin freely.
    pub(crate) fn angle_rate(&self, w_a: Vec3, w_b: Vec3) -> f64 {
        w_b.dot(self.b.z()) - w_a.dot(self.a.z())
    }

    /// Travel of b's anchor along the z of a.
    pub(crate) fn travel(&self) -> f64 {
        self.a.z().dot(self.d)
    }

    /// Rotation vector ϑ of b against a, in a's basis, |ϑ| ≤ π, and the
    /// matrix E with ϑ̇ = E ω_rel (ω_rel in world coordinates).
    ///
    /// With R = exp[ϑ] and Ṙ = [ω]R, ϑ̇ = J_l⁻¹(ϑ) ω, where
    /// J_l⁻¹ = 1 − ½[ϑ] + c[ϑ]², c = 1/θ² − (1 + cos θ)/(2θ sin θ).
    pub(crate) fn rotation(&self) -> (Vec3, Mat3) {
        let mut q = self.a.q.conjugate() * self.b.q;
        if q.w < 0.0 {
            q = -q;
        }
        let s = Vec3::new(q.x, q.y, q.z);
        let sin_half = s.length();
        let angle = 2.0 * sin_half.atan2(q.w);
        let v = if sin_half > 1e-12 { s * (angle / sin_half) } else { s * 2.0 };
        let c = if angle > 1e-3 {
            // (1 + cos θ)/sin θ = cot(θ/2), finite up to θ = π.
            1.0 / (angle * angle) - q.w / sin_half / (2.0 * angle)
        } else {
            1.0 / 12.0 + angle * angle / 720.0
        };
        let k = skew(v);
        let inverse_left = Mat3::IDENTITY - k * 0.5 + k * k * c;
        (v, inverse_left * self.a.basis.transpose())
    }
}

/// The angle, known up to whole turns, that is nearest to `expected`.
pub(crate) fn nearest_turn(angle: f64, expected: f64) -> f64 {
    expected + (angle - expected + PI).rem_euclid(TAU) - PI
}

/// The matrix of v ↦ a×v.
pub(crate) fn skew(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}
