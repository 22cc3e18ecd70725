//! Functions that grow without bound as a distance goes to zero.
//!
//! [`barrier`] is the logarithm clamped to local support, twice continuously differentiable (Andrews22 eq. 292).
//! [`layers`] is a sum of quadratic penalties (eq. 289 and 290) of ever thinner and stiffer layers; it diverges at distance 0, not
//! at g = 0 as the text has it. Reference: Li et al. 2020; Harmon et al. 2009.

/// −(d − d̂)² ln(d/d̂) below d̂, else 0: value, first and second derivative by d. Steppers pass squared distances for both, as Li et al. 2020
/// do. Infinite value at d ≤ 0.
pub fn barrier(d: f64, reach: f64) -> [f64; 3] {
    if d >= reach {
        return [0.0; 3];
    }
    if d <= 0.0 {
        return [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
    }
    let (log, ratio, gap) = ((d / reach).ln(), reach / d, reach - d);
    [-gap * gap * log, gap * (2.0 * log - ratio + 1.0), (ratio + 2.0) * ratio - 2.0 * log - 3.0]
}

/// Σ over layers l = 1, 2, … of ½ k l³ min(0, d − η l^(−1/4))²: value, first and second derivative by the distance d. At d
/// the layers l < (η/d)⁴ act; from the thousandth on they are summed by the formula of Euler and Maclaurin.
pub fn layers(d: f64, thickness: f64, stiffness: f64) -> [f64; 3] {
    if d >= thickness {
        return [0.0; 3];
    }
    if d <= 0.0 {
        return [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
    }
    // A layer that begins at d adds nothing.
    let count = ((thickness / d).powi(4)).floor();
    let (s3, s11, s10) = (power_sum(3.0, count), power_sum(2.75, count), power_sum(2.5, count));
    // Σ k l³ (d − η l^(−1/4))ⁿ, n = 2, 1, 0
    let square = d * d * s3 - 2.0 * d * thickness * s11 + thickness * thickness * s10;
    [0.5 * stiffness * square, stiffness * (d * s3 - thickness * s11), stiffness * s3]
}

/// Σ l^p for l = 1 … n.
fn power_sum(p: f64, n: f64) -> f64 {
    const EXACT: f64 = 1000.0;
    let first = n.min(EXACT);
    let sum: f64 = (1..=first as usize).map(|l| (l as f64).powf(p)).sum();
    if n <= EXACT {
        return sum;
    }
    let f = |x: f64, k: f64| x.powf(p - k);
    let tail = |x: f64| {
        f(x, -1.0) / (p + 1.0) + 0.5 * f(x, 0.0) + p / 12.0 * f(x, 1.0)
            - p * (p - 1.0) * (p - 2.0) / 720.0 * f(x, 3.0)
    };
    sum + tail(n) - tail(EXACT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_summed_one_by_one() {
        for d in [0.99, 0.7, 0.3, 0.15, 0.1] {
            let (eta, k) = (1.0_f64, 2.5);
            let mut sum = [0.0; 3];
            let mut l = 1.0_f64;
            while eta * l.powf(-0.25) > d {
                let (g, k) = (d - eta * l.powf(-0.25), k * l.powi(3));
                sum = [sum[0] + 0.5 * k * g * g, sum[1] + k * g, sum[2] + k];
                l += 1.0;
            }
            let found = layers(d, eta, k);
            for i in 0..3 {
                // At (η/d)⁴ layers, a last one within rounding of d may be counted, which has no energy.
                let slack = if i == 2 { 5.0 / l } else { 1e-9 };
                assert!((found[i] / sum[i] - 1.0).abs() < slack, "{d} {i} {found:?} {sum:?}");
            }
        }
        assert_eq!(layers(1.0, 1.0, 2.5), [0.0; 3]);
        assert_eq!(layers(0.0, 1.0, 2.5)[0], f64::INFINITY);
    }

    #[test]
    fn barrier_is_smooth_to_its_end() {
        let reach = 1e-3;
        assert_eq!(barrier(reach, reach), [0.0; 3]);
        assert!(barrier(reach * (1.0 - 1e-7), reach).iter().all(|b| b.abs() < 1e-6));
        assert_eq!(barrier(0.0, reach)[0], f64::INFINITY);
        for d in [1e-9, 1e-5, 3e-4, 9e-4] {
            let e = 1e-6 * d;
            let (m, b, p) = (barrier(d - e, reach), barrier(d, reach), barrier(d + e, reach));
            for k in 0..2 {
                let slope = (p[k] - m[k]) / (2.0 * e);
                assert!((slope / b[k + 1] - 1.0).abs() < 1e-6, "{d} {k}");
            }
        }
    }
}
