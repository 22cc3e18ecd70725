//! The rotation of a body that nothing touches, in closed form.
//!
//! A free body keeps its angular momentum L and its energy E, not its angular
//! velocity. Any rule that iterates fails on some body at some rate (a slender
//! rod has rates that differ by the ratio of its moments), so the motion is
//! computed as Jacobi did: exact for every inertia, rate and time.
//!
//! In principal axes, m = Iω, ṁ = m × ω. m runs around the axis z of the
//! largest or the smallest moment, whichever L² − 2E·I_y says, y being the
//! axis of the middle moment and x the other:
//! m = (a cn u, b sn u, c dn u), u = u₀ + λt, with
//!
//! a² = m_x² + m_y² I_x(I_z − I_y)/(I_y(I_z − I_x)), b² = a² I_y(I_z − I_x)/(I_x(I_z − I_y)),
//! c² = m_z² + m_y² I_z(I_y − I_x)/(I_y(I_z − I_x)), λ² = c²(I_z − I_y)(I_z − I_x)/(I_x I_y I_z²),
//! k² = a² I_z(I_y − I_x)/(c² I_x(I_z − I_y)).
//!
//! No term is a difference of nearly equal ones. The attitude follows from m,
//! which points along L, and the angle ψ of a body axis e around L:
//! ψ̇ = L(2E − m_e²/I_e)/(L² − m_e²), an elliptic integral of the third kind;
//! e is x or z, whichever stays farther from L.
//!
//! Cost: a microsecond, half for symmetric tops, which turn by two constant
//! rates. Errors: rounding; momentum and energy do not depend on u₀ and ψ.
//!
//! Reference: van Zon and Schofield 2007, Numerical implementation of
//! the exact dynamics of free rigid bodies. Deviations: amplitudes without
//! cancellation, Carlson's integrals instead of theta functions.

use crate::eigen::eigen;
use crate::elliptic::Modulus;
use crate::integrate::turned;
use crate::math::{Mat3, Quat, Vec3};

// What half and twice of these change: docs/decisions/step-constants.md.

/// Moments that differ by less than this share are equal: the energy then
/// misses by less than that, without drift.
const EQUAL: f64 = 1e-11;
/// The spin is steady where |m × ω| is this share of |m||ω|.
const STEADY: f64 = 1e-15;

/// Principal moments of inertia and the directions of their axes in the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Principal {
    moments: [f64; 3],
    axes: Quat,
    /// The axis of symmetry, if two moments are equal; any if all are.
    symmetry: Option<usize>,
}

impl Principal {
    /// Of an inertia in the body's frame.
    pub(crate) fn new(inertia: Mat3) -> Self {
        let (moments, mut axes) = eigen(inertia);
        if axes.determinant() < 0.0 {
            axes.z_axis = -axes.z_axis;
        }
        let equal = |i: usize, j: usize| {
            (moments[i] - moments[j]).abs() <= EQUAL * moments[i].max(moments[j])
        };
        let symmetry = (0..3).find(|&z| equal((z + 1) % 3, (z + 2) % 3));
        Principal { moments, axes: Quat::from_mat3(&axes).normalize(), symmetry }
    }

    /// Orientation and angular velocity after the time t without torque.
    pub(crate) fn turn(&self, q: Quat, w: Vec3, t: f64) -> (Quat, Vec3) {
        let to_world = q * self.axes;
        let rate = (to_world.inverse() * w).to_array();
        let m: [f64; 3] = std::array::from_fn(|i| self.moments[i] * rate[i]);
        let (mv, wv) = (Vec3::from_array(m), Vec3::from_array(rate));
        if mv.cross(wv).length() <= STEADY * mv.length() * wv.length() {
            return (turned(q, w, t), w);
        }
        let (turn, m1) = match self.symmetry {
            Some(axis) => self.symmetric(axis, to_world * mv, mv, t),
            None => self.asymmetric(to_world * mv, m, t),
        };
        // From principal axes at the start to principal axes at the end.
        let to_world = turn.0 * to_world * turn.1;
        let rate = Vec3::from_array(std::array::from_fn(|i| m1[i] / self.moments[i]));
        ((to_world * self.axes.inverse()).normalize(), to_world * rate)
    }

    /// ω = L/I + Ωz with a constant Ω: a turn about L in space after one about
    /// z in the body.
    fn symmetric(&self, z: usize, momentum: Vec3, m: Vec3, t: f64) -> ((Quat, Quat), Vec3) {
        let across = 0.5 * (self.moments[(z + 1) % 3] + self.moments[(z + 2) % 3]);
        let own = m[z] * (1.0 / self.moments[z] - 1.0 / across);
        let axis = Vec3::AXES[z];
        let in_body = turned(Quat::IDENTITY, axis, own * t);
        let in_space = turned(Quat::IDENTITY, momentum, t / across);
        ((in_space, in_body), in_body.inverse() * m)
    }

    /// Jacobi's solution; see the head of this file.
    fn asymmetric(&self, momentum: Vec3, m: [f64; 3], t: f64) -> ((Quat, Quat), Vec3) {
        let [ix, iy, iz] = self.order(m);
        let moment = |i: usize| self.moments[i];
        let (jx, jy, jz) = (moment(ix), moment(iy), moment(iz));
        let (mx, my, mz) = (m[ix], m[iy], m[iz]);
        let (zy, zx, yx) = (jz - jy, jz - jx, jy - jx); // of equal sign
        let a2 = mx * mx + my * my * jx * zy / (jy * zx);
        let b2 = my * my + mx * mx * jy * zx / (jx * zy);
        let c2 = mz * mz + my * my * jz * yx / (jy * zx);
        let distance = mz * mz * zy / jz - mx * mx * yx / jx;
        let complement = (distance * jz / (c2 * zy)).clamp(1e-30, 1.0);
        let k2 = (a2 * jz * yx / (c2 * jx * zy)).clamp(0.0, 1.0);
        let modulus = Modulus { k2, complement };
        let (a, b, c) = (a2.sqrt(), b2.sqrt(), c2.sqrt().copysign(mz));
        let even = (iy + 3 - ix) % 3 == 1;
        let sign = c.signum() * zx.signum() * if even { 1.0 } else { -1.0 };
        let lambda = sign * (c2 * zy * zx / (jx * jy)).sqrt() / jz;

        let phi0 = (my / b).atan2(mx / a);
        let phi1 = modulus.amplitude(modulus.first(phi0) + lambda * t);
        let (sn, cn) = phi1.sin_cos();
        let dn = (complement + k2 * cn * cn).sqrt();
        let mut m1 = [0.0; 3];
        (m1[ix], m1[iy], m1[iz]) = (a * cn, b * sn, c * dn);

        // The angle of the body axis e around L.
        let l2 = a2 + c2;
        let (e, je, nearest, n) =
            if c2 >= a2 { (ix, jx, c2, -a2 / c2) } else { (iz, jz, a2, -c2 * k2 / a2) };
        // 2E − L²/I_e, without cancellation.
        let excess: f64 = (0..3).map(|i| m[i] * m[i] * (je - moment(i)) / (je * moment(i))).sum();
        // The time integral of 1/(1 − n sn²u). Near the separatrix, a spin about
        // the middle axis, φ does not tell u: what is linear in u is taken from t.
        let rest = (modulus.third_rest(n, phi1) - modulus.third_rest(n, phi0)) / lambda;
        let way = (t - n * rest) / (1.0 - n);
        let psi = l2.sqrt() * (t / je + excess / nearest * way);

        let in_space = turned(Quat::IDENTITY, momentum.normalize(), psi);
        let (m0, m1) = (Vec3::from_array(m), Vec3::from_array(m1));
        let in_body = Quat::from_mat3(&(triad(m0, e) * triad(m1, e).transpose()));
        ((in_space, in_body), m1)
    }

    /// The axes x, y, z of the solution: m runs around z, y has the middle moment.
    fn order(&self, m: [f64; 3]) -> [usize; 3] {
        let mut by_size = [0, 1, 2];
        by_size.sort_by(|&i, &j| self.moments[i].total_cmp(&self.moments[j]));
        let [low, middle, high] = by_size;
        let (jl, jm, jh) = (self.moments[low], self.moments[middle], self.moments[high]);
        let around_high = m[high] * m[high] * (jh - jm) / jh > m[low] * m[low] * (jm - jl) / jl;
        if around_high { [low, middle, high] } else { [high, middle, low] }
    }
}

/// Orthonormal columns: across m towards the axis e, completing, along m.
fn triad(m: Vec3, e: usize) -> Mat3 {
    let along = m.normalize();
    let axis = Vec3::AXES[e];
    let across = (axis - along * along[e]).normalize();
    Mat3::from_cols(across, along.cross(across), along)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classical Runge-Kutta on q and m, in small steps.
    fn by_steps(p: &Principal, q: Quat, w: Vec3, t: f64, steps: usize) -> (Quat, Vec3) {
        let j = Vec3::from_array(p.moments);
        let h = t / steps as f64;
        let mut r = q * p.axes;
        let momentum = r * ((r.inverse() * w) * j);
        let rate = |r: Quat| {
            let w = r * ((r.inverse() * momentum) / j);
            (w, Quat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0) * r)
        };
        for _ in 0..steps {
            let (_, k1) = rate(r);
            let (_, k2) = rate(r + k1 * (0.5 * h));
            let (_, k3) = rate(r + k2 * (0.5 * h));
            let (_, k4) = rate(r + k3 * h);
            r = (r + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)).normalize();
        }
        (r * p.axes.inverse(), rate(r).0)
    }

    fn same(a: Quat, b: Quat, tolerance: f64) -> bool {
        a.dot(b).abs() > 1.0 - tolerance
    }

    fn inertia(moments: [f64; 3]) -> Mat3 {
        let r = Mat3::from_quat(Quat::from_rotation_x(0.4) * Quat::from_rotation_z(1.1));
        r * Mat3::from_diagonal(Vec3::from_array(moments)) * r.transpose()
    }

    #[test]
    fn agrees_with_small_steps() {
        let bodies = [
            [1.0, 2.0, 2.5],
            [3.0, 1.0, 2.2],
            [1.0, 1.0, 0.3],
            [2.0, 2.0, 3.5],
            [1.0, 1.000001, 1.7],
        ];
        let rates = [
            Vec3::new(1.0, 2.0, 3.0),
            Vec3::new(-3.0, 0.1, 0.02),
            Vec3::new(0.05, -2.0, 0.01),
            Vec3::new(0.0, 1e-7, 4.0),
        ];
        let q = Quat::from_rotation_y(0.8) * Quat::from_rotation_x(-0.3);
        for moments in bodies {
            let p = Principal::new(inertia(moments));
            for w in rates {
                for t in [0.01, 0.3, -0.5, 5.0] {
                    let (q1, w1) = p.turn(q, w, t);
                    let (q2, w2) = by_steps(&p, q, w, t, 20_000);
                    assert!(w1.distance(w2) < 1e-7, "{moments:?} {w} {t}: {w1} {w2}");
                    assert!(same(q1, q2, 1e-12), "{moments:?} {w} {t}: {q1} {q2}");
                }
            }
        }
    }

    /// A spin about a principal axis, up to rounding and beyond: hω, at any rate.
    #[test]
    fn principal_spins_turn_by_their_rate() {
        let bodies = [[0.2509, 0.2504, 0.0013], [1.0, 2.0, 2.5], [1.0, 1.0 + 1e-7, 1e-3]];
        for moments in bodies {
            let p = Principal::new(inertia(moments));
            let q = Quat::from_rotation_y(0.8) * Quat::from_rotation_x(-0.3);
            for axis in 0..3 {
                for off in [0.0, 1e-16, 3e-15, 1e-12, 1e-9] {
                    let aside = Vec3::new(0.6, -0.7, 0.4) * off;
                    let direction = (q * p.axes) * (Vec3::AXES[axis] + aside).normalize();
                    for (rate, t) in [(1e-3, 1e-3), (0.4, 1e-3), (30.0, 1.0 / 60.0)] {
                        let (q1, w1) = p.turn(q, direction * rate, t);
                        let exact = turned(q, direction * rate, t);
                        let error = (q1 * exact.inverse()).to_scaled_axis().length();
                        let allowed = 10.0 * off + 1e-10 * rate * t + 1e-14;
                        assert!(error < allowed, "{moments:?} {axis} {off} {rate}: {error:e}");
                        assert!(w1.distance(direction * rate) < 10.0 * rate * (off + 1e-14));
                    }
                }
            }
        }
    }

    /// Any inertia, any rate, any step: energy and momentum to rounding.
    #[test]
    fn keeps_energy_and_momentum() {
        let bodies = [
            [1.0, 1.0, 1e-6],
            [1.0, 0.9, 1e-6],
            [1.0, 1.0 - 1e-9, 1e-6],
            [1.0, 1.0, 2.0],
            [1e-9, 2e-9, 2.5e-9],
            [1.0, 2.0, 3.0],
            [1.0, 1.0 + 1e-12, 1.0 + 1e-10],
            [1e6, 2e6, 3e6],
        ];
        let directions = [
            Vec3::new(1.0, 1.0, 1.0),
            Vec3::new(0.0, 1.0, 1e-9),
            Vec3::new(1e-3, -1.0, 2e-3),
            Vec3::new(1.0, 1e-12, 0.0),
            Vec3::new(0.3, 0.0, -1e3),
        ];
        for moments in bodies {
            let i = inertia(moments);
            let p = Principal::new(i);
            for direction in directions {
                for rate in [1e-3, 5.7, 500.0, 1e5] {
                    for h in [1e-4, 1.0 / 60.0, 0.5] {
                        let (mut q, mut w) = (Quat::IDENTITY, direction * rate);
                        let at = |q: Quat, w: Vec3| {
                            let r = q * p.axes;
                            let m = (r.inverse() * w) * Vec3::from_array(p.moments);
                            (r * m, m.dot(r.inverse() * w))
                        };
                        let (l0, e0) = at(q, w);
                        for _ in 0..600 {
                            (q, w) = p.turn(q, w, h);
                        }
                        let (l, e) = at(q, w);
                        assert!(l.distance(l0) < 1e-10 * l0.length(), "{moments:?} {w} {h}");
                        assert!(
                            (e / e0 - 1.0).abs() < 1e-10,
                            "{moments:?} {direction} {rate} {h}: {}",
                            e / e0 - 1.0
                        );
                    }
                }
            }
        }
    }
}
