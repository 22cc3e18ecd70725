//! The geometric stiffness of joints, which decides whether a loaded chain
//! holds.
//!
//! A joint's force f acts on a body at the arm r. When the body turns by δθ,
//! the arm turns with it, and so the torque changes by
//! (δθ×r)×f = [f]ₓ[r]ₓ δθ. Explicit steps ignore it and become unstable once
//! h²·f·r exceeds the inertia: light links under a heavy load. Implicitly it
//! adds G = −h²[f]ₓ[r]ₓ = h²((f·r)1 − r fᵀ) to the inertia, with f from the
//! last step. The symmetric part of the sum over a body's joints is kept,
//! and of it the positive semidefinite part, so that M̃ stays block-diagonal
//! and positive definite.
//!
//! That supposes a force that keeps its direction. In a swinging chain it
//! turns with the links, at the rate ω_f, and the torque changes only by
//! −G(ω − ω_f). So (M + G)v⁺ = Mv + αGω_f + hf + Jᵀλ. What ω_f is decides
//! what is damped. Shakes of neighbours against one another, which the step
//! cannot resolve, must be; the common swing must not. A joint between two
//! bodies of effective masses m at the ends of arms r shakes sideways with the
//! stiffness k = f(1/r_a + 1/r_b), at the frequency ω² = k/(m_a + m_b), and the
//! step resolves it as far as s = h²ω² is small. So ω_f is the field of rates
//! smoothed by (G + L)ω_f = Gω (`smoothing`), L the graph Laplacian of the
//! joints with the weights 3s·h²f(r_a + r_b): a wave of the chain with
//! h²ω² = s keeps 1/(1 + 3s) of its rate in ω_f and loses about 3s² of its
//! energy in a step, not s; a rigid turn of the whole keeps all. The weights G
//! make the smoothing a contraction in the norm that counts; without them wild
//! neighbours with small G drive those with large G, and a rope at rest over a
//! rod starts to shake.
//!
//! Forces of a first solve replace those of the last step (`curvature`, which
//! solves twice anyway): where a slack chain snaps taut, the last forces say
//! nothing.
//!
//! Bodies with G well below their inertia are stable without it, and would
//! only be damped: with g = tr G / tr I, G is scaled by g²/(g² + 0.05²).
//!
//! Measured (h = 1/60 s, horizontal start; loss in 10 s, of m·g·length):
//!
//! | links, load | ω_f = mean of neighbours, α = 0.85 | smoothed, α = 0.9 |
//! |---|---|---|
//! | 100 of 0.25 kg, 500 kg | 5.8 % | 5.2 % |
//! | 100 of 0.1 kg, 2500 kg | 4.4 % | 2.4 % |
//! | 50 of 0.25 kg, 500 kg | 8.6 % | 5.2 % |
//! | 20 of 0.25 kg, 500 kg | 17 % | 9 % |
//!
//! Chains shorter than 2 m go slack at the turn and snap taut, which costs
//! energy at any step. With ω_f = ω, the usual choice, chains of 2 to 30 links
//! break. Of 120 random chains (1 to 125 links of 5 g to 10 kg, 3 kg to 5 t, 1
//! to 8 substeps, 20 s), with halving (`step::halving`), 117 stretch by less
//! than 1 % and gain less than 3 % of energy. The other three have ratios of
//! 120,000:1 to 210,000:1 on 4 to 10 links; the worst stretches by 11 %.
//!
//! References: Tournier et al. 2015, Stable constrained dynamics; Andrews et
//! al. 2017, Geometric stiffness. Deviations: their tensors couple bodies,
//! here only the block of each body is kept; they have no ω_f.

use crate::eigen::eigen;
use crate::math::{Mat3, Vec3};

/// Ratio of geometric stiffness to inertia below which the former fades out.
const FADE: f64 = 0.05;
/// Loads whose stiffness is less than this share of the inertia do nothing, and
/// their powers would leave the range of numbers.
pub(super) const NEGLIGIBLE: f64 = 1e-20;

/// What the joints of one body add up to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loaded {
    /// Sum of −h²[f]ₓ[r]ₓ.
    pub(crate) stiffness: Mat3,
    /// ω_f.
    pub(crate) rate: Vec3,
    /// (½h)² times the stiffness against sideways motion by cables.
    pub(crate) across: Mat3,
    /// One over the length of the shortest such cable \[1/m\].
    pub(crate) near: f64,
}

impl Loaded {
    /// A body that turns at the given rate, before its joints are added.
    pub(crate) fn turning(rate: Vec3) -> Self {
        Loaded { stiffness: Mat3::ZERO, rate, across: Mat3::ZERO, near: 0.0 }
    }

    /// By how much a move of a body of this mass turns the cables that hold it, as far as they
    /// hold it more than its inertia does \[rad\].
    pub(crate) fn swing(&self, by: Vec3, mass: f64) -> f64 {
        let held = self.across * by;
        held.length() * self.near / mass.max(trace(self.across))
    }

    /// What a move of a body changes of the sideways force of its cables, as a share of its weight.
    pub(crate) fn weighed(&self, by: Vec3, mass: f64, scene: &super::Scene) -> f64 {
        let fall = 0.5 * scene.h * scene.h * scene.gravity.length() * mass;
        if fall > 0.0 { (self.across * by).length() / fall } else { 0.0 }
    }

    /// How far cables make a body of this mass shake sideways faster than the step can follow: 0 to 1.
    pub(crate) fn unresolved_across(&self, mass: f64) -> f64 {
        super::unresolved(0.5 * trace(self.across) / mass)
    }

    /// From the sum to G: its definite part, faded out where the inertia
    /// needs no help.
    pub(crate) fn finish(&mut self, inertia: Mat3) {
        let g = definite_part(self.stiffness);
        let ratio = trace(g) / trace(inertia);
        let fade = ratio * ratio / (ratio * ratio + FADE * FADE);
        self.stiffness = if ratio > NEGLIGIBLE { g * fade } else { Mat3::ZERO };
    }
}

fn trace(m: Mat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// −h²[f]ₓ[r]ₓ, symmetric part.
pub(crate) fn of_force(h: f64, force: Vec3, r: Vec3) -> Mat3 {
    let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
    let sum = outer(r, force) + outer(force, r);
    (Mat3::IDENTITY * force.dot(r) - sum * 0.5) * (h * h)
}

/// Geometric stiffness of the force along the arm only: h²(f·r)(1 − r̂r̂ᵀ).
pub(crate) fn along_arm(h: f64, force: Vec3, r: Vec3) -> Mat3 {
    let Some(e) = r.try_normalize() else { return Mat3::ZERO };
    let outer = Mat3::from_cols(e * e.x, e * e.y, e * e.z);
    (Mat3::IDENTITY - outer) * (h * h * force.dot(r))
}

/// The part of a symmetric matrix with non-negative eigenvalues.
pub(crate) fn definite_part(m: Mat3) -> Mat3 {
    if m == Mat3::ZERO || is_definite(m) {
        return m;
    }
    let (values, vectors) = eigen(m);
    let mut sum = Mat3::ZERO;
    for i in 0..3 {
        let v = vectors.col(i);
        let k = values[i].max(0.0);
        sum += Mat3::from_cols(v * (k * v.x), v * (k * v.y), v * (k * v.z));
    }
    sum
}

/// Whether the leading minors of a symmetric matrix are positive beyond rounding.
fn is_definite(m: Mat3) -> bool {
    let (a, b, c) = (m.x_axis.x, m.y_axis.y, m.z_axis.z);
    let (d, e, f) = (m.x_axis.y, m.x_axis.z, m.y_axis.z);
    let second = a * b - d * d;
    let third = c * second - a * f * f - b * e * e + 2.0 * d * e * f;
    const CLEAR: f64 = 1e-12;
    a > 0.0 && second > CLEAR * (a * b).abs() && third > CLEAR * (a * b * c).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulled_arm_resists_turning_but_not_about_itself() {
        let g = definite_part(of_force(0.1, Vec3::new(0.0, 0.0, 200.0), Vec3::new(0.0, 0.0, 0.5)));
        assert!((g.x_axis.x - 1.0).abs() < 1e-14 && (g.y_axis.y - 1.0).abs() < 1e-14);
        assert!(g.z_axis.z.abs() < 1e-14);
        let pushed = of_force(0.1, Vec3::new(0.0, 0.0, -200.0), Vec3::new(0.0, 0.0, 0.5));
        assert!(definite_part(pushed).to_cols_array().iter().all(|x| x.abs() < 1e-14));
    }
}
