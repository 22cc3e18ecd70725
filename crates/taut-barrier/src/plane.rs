//! Vertices over a plane without end: a half-space, exactly.
//!
//! **Problem**: a ground has no rim and no inner edges, and must not end where a body gets to. Triangles that reach as far are inexact: collision detection tells gaps down
//! to 3e-8 of their edges. **Update**: of a solid over a half-space some vertex is the lowest, so vertices are enough. Its height is n·(x − p), linear in x: the barrier's
//! Hessian is a multiple of n nᵀ, and the share of a way until a tenth of the height is left is known in closed form. **Fails**: nowhere; heights are as exact as
//! coordinates are.

use crate::barrier::barrier;
use crate::stencil::Potential;
use crate::vector::{Vec3, dot, sub};

/// The share of the way to the plane that is gone at most.
const SHARE: f64 = 0.9;

/// The half-space below a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Of the plane \[m\].
    pub point: Vec3,
    /// Away from it, of length 1.
    pub normal: Vec3,
}

/// Height of the first corner over the plane through the second.
pub(crate) fn height(x: &[Vec3; 4], normal: Vec3) -> f64 {
    dot(normal, sub(x[0], x[1]))
}

/// The barrier of d², with derivatives by the first corner; the second one has minus the gradient. \[m⁴\]
pub(crate) fn potential(x: &[Vec3; 4], normal: Vec3, reach: f64, projected: bool) -> Potential {
    let d = height(x, normal);
    let [value, b1, b2] = barrier(d * d, reach * reach);
    let (slope, mut curve) = (2.0 * d * b1, 4.0 * d * d * b2 + 2.0 * b1);
    if projected {
        curve = curve.max(0.0);
    }
    let mut result = Potential { value, gradient: [0.0; 12], hessian: [[0.0; 12]; 12] };
    for i in 0..3 {
        result.gradient[i] = slope * normal[i];
        result.gradient[3 + i] = -slope * normal[i];
        for j in 0..3 {
            let part = curve * normal[i] * normal[j];
            result.hessian[i][j] = part;
            result.hessian[i][3 + j] = -part;
            result.hessian[3 + i][j] = -part;
            result.hessian[3 + i][3 + j] = part;
        }
    }
    result
}

/// The share of the way until a tenth of the height is left; none if more is left at the end.
pub(crate) fn first_contact(start: &[Vec3; 4], end: &[Vec3; 4], normal: Vec3) -> Option<f64> {
    let (from, to) = (height(start, normal), height(end, normal));
    (to < (1.0 - SHARE) * from).then(|| SHARE * from / (from - to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_value() {
        let normal = [0.6, 0.0, 0.8];
        let at = |d: f64| [[1.0 + 0.6 * d, 3.0, 0.8 * d], [1.0, 2.0, 0.0], [0.0; 3], [0.0; 3]];
        for d in [1e-5, 2e-4, 9e-4] {
            let e = 1e-6 * d;
            let [m, x, p] = [d - e, d, d + e].map(|d| potential(&at(d), normal, 1e-3, false));
            let slope = (p.value - m.value) / (2.0 * e);
            let along: f64 = (0..3).map(|k| x.gradient[k] * normal[k]).sum();
            assert!((along / slope - 1.0).abs() < 1e-5, "{d}: {along} {slope}");
            let rise = (p.gradient[0] - m.gradient[0]) / (2.0 * e);
            let found: f64 = (0..3).map(|k| x.hessian[0][k] * normal[k]).sum();
            assert!((found / rise - 1.0).abs() < 1e-4, "{d}: {found} {rise}");
        }
        let share = first_contact(&at(1.0), &at(-1.0), normal).expect("it goes through");
        assert!((share - 0.45).abs() < 1e-12, "{share}");
        assert_eq!(first_contact(&at(1.0), &at(0.5), normal), None);
    }
}
