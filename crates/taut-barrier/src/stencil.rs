//! The barrier between two features, as a function of where their four corners are: m(c) b(D, d̂²).
//!
//! D is the squared distance (`distance.rs`), b the clamped logarithm (`barrier.rs`). Between edges that are nearly parallel the nearest
//! points jump along them; m = −(c/ε)² + 2c/ε, c = |e₁ × e₂|², goes to zero there, so that the product is smooth (Li et al. 2020,
//! eq. 24 to 26; Andrews22 does not mention it). ε = 1e-3 |e₁|²|e₂|² of the edges at rest. Contacts of parallel edges are
//! held by points and edges, points and triangles meanwhile.

use taut_ccd::Kind;

use crate::barrier::barrier;
use crate::distance::{Closest, Gradient, Hessian, Region};
use crate::psd::project_differences;
use crate::vector::{Vec3, cross, dot, sub};

/// A function of four corners, with derivatives.
#[derive(Debug, Clone)]
pub struct Potential {
    /// Its value.
    pub value: f64,
    /// ∇
    pub gradient: Gradient,
    /// ∇²
    pub hessian: Hessian,
}

/// ε of the mollifier of two edges at rest \[m⁴\].
pub fn parallel_threshold(rest: &[Vec3; 4]) -> f64 {
    let (a, b) = (sub(rest[1], rest[0]), sub(rest[3], rest[2]));
    1e-3 * dot(a, a) * dot(b, b)
}

/// |e₁ × e₂|²
fn cross_squared(x: &[Vec3; 4]) -> f64 {
    let n = cross(sub(x[1], x[0]), sub(x[3], x[2]));
    dot(n, n)
}

/// m of two edges: value, and first and second derivative by c. 1 for a vertex and a face.
pub(crate) fn mollifier(kind: Kind, x: &[Vec3; 4], threshold: f64) -> [f64; 3] {
    if kind == Kind::VertexFace {
        return [1.0, 0.0, 0.0];
    }
    let share = cross_squared(x) / threshold;
    // Without a threshold, an edge has no length: it is no edge, and its ends do the work.
    if share.is_nan() {
        return [0.0; 3];
    }
    if share >= 1.0 {
        return [1.0, 0.0, 0.0];
    }
    let value = share * (2.0 - share);
    [value, 2.0 * (1.0 - share) / threshold, -2.0 / (threshold * threshold)]
}

/// The value alone. `reach` is d̂ \[m\], `threshold` that of [`parallel_threshold`]. The unit is m⁴.
pub fn value(kind: Kind, x: &[Vec3; 4], reach: f64, threshold: f64) -> f64 {
    let closest = Closest::new(kind, x);
    if closest.squared >= reach * reach {
        return 0.0;
    }
    mollifier(kind, x, threshold)[0] * barrier(closest.squared, reach * reach)[0]
}

/// Value, gradient and Hessian; with `projected` the Hessian is the nearest semidefinite one.
pub fn potential(
    kind: Kind,
    x: &[Vec3; 4],
    reach: f64,
    threshold: f64,
    projected: bool,
) -> Potential {
    let closest = Closest::new(kind, x);
    let [b, b1, b2] = barrier(closest.squared, reach * reach);
    let [m, m1, m2] = mollifier(kind, x, threshold);
    let (g, h) = (closest.gradient(), closest.hessian(x));
    let mut result = Potential {
        value: m * b,
        gradient: g.map(|g| m * b1 * g),
        hessian: std::array::from_fn(|i| {
            std::array::from_fn(|j| m * (b2 * g[i] * g[j] + b1 * h[i][j]))
        }),
    };
    let is_mollified = m1 != 0.0;
    if is_mollified {
        let (c1, c2) = cross_derivatives(x);
        for i in 0..12 {
            result.gradient[i] += b * m1 * c1[i];
            for j in 0..12 {
                result.hessian[i][j] += b1 * m1 * (g[i] * c1[j] + c1[i] * g[j])
                    + b * (m2 * c1[i] * c1[j] + m1 * c2[i][j]);
            }
        }
    }
    if projected {
        let corners: &[usize] = match closest.region {
            _ if is_mollified => &[0, 1, 2, 3],
            Region::PointPoint(i, j) => &[i, j],
            Region::PointEdge(p, [i, j]) => &[p, i, j],
            _ => &[0, 1, 2, 3],
        };
        project_differences(&mut result.hessian, corners);
    }
    result
}

/// Gradient and Hessian of c = |u × v|², u and v the edges.
fn cross_derivatives(x: &[Vec3; 4]) -> (Gradient, Hessian) {
    let (u, v) = (sub(x[1], x[0]), sub(x[3], x[2]));
    let n = cross(u, v);
    let (by_u, by_v) = (cross(v, n), cross(n, u));
    let (uu, uv, vv) = (dot(u, u), dot(u, v), dot(v, v));
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let sign = [-1.0, 1.0, -1.0, 1.0];
    let gradient =
        std::array::from_fn(|k| 2.0 * sign[k / 3] * if k < 6 { by_u[k % 3] } else { by_v[k % 3] });
    let hessian = std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            let (i, j) = (r % 3, c % 3);
            let block = match (r < 6, c < 6) {
                (true, true) => 2.0 * (vv * unit(i, j) - v[i] * v[j]),
                (false, false) => 2.0 * (uu * unit(i, j) - u[i] * u[j]),
                (true, false) => 4.0 * u[i] * v[j] - 2.0 * v[i] * u[j] - 2.0 * uv * unit(i, j),
                (false, true) => 4.0 * v[i] * u[j] - 2.0 * u[i] * v[j] - 2.0 * uv * unit(i, j),
            };
            sign[r / 3] * sign[c / 3] * block
        })
    });
    (gradient, hessian)
}
