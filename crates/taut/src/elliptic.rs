//! Elliptic integrals and Jacobi's elliptic functions, as far as the free
//! rotation of a rigid body needs them.
//!
//! Integrals by Carlson's duplication (B. C. Carlson 1995, Numerical
//! computation of real or complex elliptic integrals): each round divides the
//! spread of the arguments by four, so a dozen end at rounding whatever the
//! arguments are. The amplitude by the arithmetic-geometric mean (Abramowitz
//! and Stegun 16.4). The complementary parameter k′² = 1 − k² is an argument
//! of its own: near the separatrix it is what counts.

use std::f64::consts::{FRAC_PI_2, PI};

/// Carlson's series is cut where the spread is this small: its error is the
/// sixth power.
const SPREAD: f64 = 1e-3;
/// Rounds of duplication, far more than any argument needs.
const ROUNDS: usize = 200;

/// R_F(x, y, z); at most one argument is zero.
pub(crate) fn rf(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    for _ in 0..ROUNDS {
        let mean = (x + y + z) / 3.0;
        let (dx, dy, dz) = (1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()) < SPREAD {
            let e2 = dx * dy - dz * dz;
            let e3 = dx * dy * dz;
            let series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0;
            return series / mean.sqrt();
        }
        let (a, b, c) = (x.sqrt(), y.sqrt(), z.sqrt());
        let l = a * b + b * c + c * a;
        (x, y, z) = (0.25 * (x + l), 0.25 * (y + l), 0.25 * (z + l));
    }
    f64::NAN
}

/// R_C(1, 1 + e), e > −1.
fn rc_near_one(e: f64) -> f64 {
    if e.abs() < 1e-4 {
        return 1.0 - e / 3.0 + e * e / 5.0 - e * e * e / 7.0;
    }
    let root = e.abs().sqrt();
    if e > 0.0 { root.atan() / root } else { root.atanh() / root }
}

/// R_J(x, y, z, p); at most one of x, y, z is zero, p > 0.
pub(crate) fn rj(mut x: f64, mut y: f64, mut z: f64, mut p: f64) -> f64 {
    let (mut sum, mut scale) = (0.0, 1.0);
    let delta = (p - x) * (p - y) * (p - z);
    let mut shrunk = delta;
    for _ in 0..ROUNDS {
        let mean = (x + y + z + 2.0 * p) / 5.0;
        let (dx, dy, dz) = (1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean);
        let dp = -0.5 * (dx + dy + dz);
        if dx.abs().max(dy.abs()).max(dz.abs()).max(dp.abs()) < SPREAD {
            let e2 = dx * dy + dx * dz + dy * dz - 3.0 * dp * dp;
            let e3 = dx * dy * dz + 2.0 * e2 * dp + 4.0 * dp * dp * dp;
            let e4 = (2.0 * dx * dy * dz + e2 * dp + 3.0 * dp * dp * dp) * dp;
            let e5 = dx * dy * dz * dp * dp;
            let series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0
                - 3.0 * e4 / 22.0
                - 9.0 * e2 * e3 / 52.0
                + 3.0 * e5 / 26.0;
            return scale * series / (mean * mean.sqrt()) + 6.0 * sum;
        }
        let (a, b, c, d) = (x.sqrt(), y.sqrt(), z.sqrt(), p.sqrt());
        let l = a * b + b * c + c * a;
        let product = (d + a) * (d + b) * (d + c);
        sum += scale * rc_near_one(shrunk / (product * product)) / product;
        (x, y, z, p) = (0.25 * (x + l), 0.25 * (y + l), 0.25 * (z + l), 0.25 * (p + l));
        scale *= 0.25;
        shrunk /= 64.0;
    }
    f64::NAN
}

/// A modulus, given by k² and k′² = 1 − k² > 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modulus {
    pub(crate) k2: f64,
    pub(crate) complement: f64,
}

/// Where an amplitude stands: so many half turns, and the rest in [−π/2, π/2].
fn half_turns(phi: f64) -> (f64, f64) {
    let turns = (phi / PI).round();
    (turns, (phi - turns * PI).clamp(-FRAC_PI_2, FRAC_PI_2))
}

impl Modulus {
    /// The quarter period K.
    pub(crate) fn quarter(self) -> f64 {
        rf(0.0, self.complement, 1.0)
    }

    /// F(φ): the argument u with am u = φ.
    pub(crate) fn first(self, phi: f64) -> f64 {
        let (turns, rest) = half_turns(phi);
        let (s, c) = rest.sin_cos();
        let part = s * rf(c * c, c * c + self.complement * s * s, 1.0);
        if turns == 0.0 { part } else { part + 2.0 * turns * self.quarter() }
    }

    /// ∫cos²θ dθ / ((1 − n sin²θ)√(1 − k² sin²θ)) from 0 to φ, for n ≤ 0: the part of
    /// (1 − n)Π(n; φ) = F(φ) − n·this that is not F. Where k² → 1 it stays small
    /// at φ → π/2, and rounding of φ does no harm, while F and Π become infinite.
    pub(crate) fn third_rest(self, n: f64, phi: f64) -> f64 {
        let (turns, rest) = half_turns(phi);
        let part = |s: f64, c2: f64| {
            let s2 = s * s;
            let delta = c2 + self.complement * s2;
            s * rf(c2, delta, 1.0) + (n - 1.0) / 3.0 * s * s2 * rj(c2, delta, 1.0, 1.0 - n * s2)
        };
        let (s, c) = rest.sin_cos();
        let rest = part(s, c * c);
        if turns == 0.0 { rest } else { rest + 2.0 * turns * part(1.0, 0.0) }
    }

    /// am u.
    pub(crate) fn amplitude(self, u: f64) -> f64 {
        let half = 2.0 * self.quarter();
        let turns = (u / half).round();
        turns * PI + self.amplitude_within(u - turns * half)
    }

    /// am u for |u| ≤ K.
    fn amplitude_within(self, u: f64) -> f64 {
        let (mut a, mut b) = (1.0_f64, self.complement.sqrt());
        let mut c = self.k2.sqrt();
        let mut ratios = [0.0; 64];
        let mut n = 0;
        let mut power = 1.0;
        while c > f64::EPSILON * a && n < ratios.len() {
            (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
            ratios[n] = c / a;
            n += 1;
            power *= 2.0;
        }
        let mut phi = power * a * u;
        for ratio in ratios[..n].iter().rev() {
            phi = 0.5 * (phi + (ratio * phi.sin()).clamp(-1.0, 1.0).asin());
        }
        phi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Midpoint sums of the defining integrals.
    fn by_sum(n: f64, k2: f64, phi: f64, rest: bool) -> f64 {
        let pieces = 200_000;
        let step = phi / f64::from(pieces);
        let at = |i: i32| {
            let s2 = ((f64::from(i) + 0.5) * step).sin().powi(2);
            let above = if rest { 1.0 - s2 } else { 1.0 };
            above / ((1.0 - n * s2) * (1.0 - k2 * s2).sqrt())
        };
        (0..pieces).map(at).sum::<f64>() * step
    }

    #[test]
    fn integrals_are_their_definitions() {
        for k2 in [0.0, 0.3, 0.9, 0.999] {
            let modulus = Modulus { k2, complement: 1.0 - k2 };
            for phi in [0.1, 1.2, FRAC_PI_2, -0.7, 4.0, -9.5] {
                let first = modulus.first(phi);
                assert!((first - by_sum(0.0, k2, phi, false)).abs() < 1e-8, "F {k2} {phi}");
                for n in [0.0, -0.2, -1.0] {
                    let third = modulus.third_rest(n, phi);
                    assert!((third - by_sum(n, k2, phi, true)).abs() < 1e-8, "Pi {k2} {n} {phi}");
                }
            }
        }
    }

    #[test]
    fn amplitude_inverts_the_first_integral() {
        for complement in [1.0, 0.5, 1e-3, 1e-9, 1e-20] {
            let modulus = Modulus { k2: 1.0 - complement, complement };
            for phi in [0.0, 0.3, -1.0, 1.5, 2.0, -7.0, 100.0] {
                let back = modulus.amplitude(modulus.first(phi));
                assert!(
                    (back - phi).abs() < 1e-11 * (1.0 + phi.abs()),
                    "{complement} {phi} {back}"
                );
            }
        }
    }
}
