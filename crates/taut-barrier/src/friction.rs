//! Friction as a potential of displacements, lagged and smoothed.
//!
//! D = μ λ f₀(|u|), u the tangential part of what the nearest points moved against each other since the step began. Normal, weights and
//! normal force λ are those of an iterate before (lagged), so that D is a function of positions alone, and convex. f₀' = f₁ rises from 0 to 1
//! within ε = h ε_v: below that bodies creep. A load of r times the limit creeps at (1 − √(1 − r)) ε_v.
//! Deviations from Andrews22 eq. 295 to 298: u = Tᵀ(q − qᵗ); here T is not needed, for the projector 1 − n nᵀ does the same.
//! Reference: Li et al. 2020, section 5.

use crate::distance::{Closest, Gradient};
use crate::stencil::Potential;
use crate::vector::{Vec3, along, dot, norm, scale};

/// f₀, f₁/s and f₂ at the displacement s: a potential of the force f₁, which is 1 beyond `width`.
pub fn smooth(s: f64, width: f64) -> [f64; 3] {
    if s >= width {
        return [s, 1.0 / s, 0.0];
    }
    let y = s / width;
    [width * (y * y * (1.0 - y / 3.0) + 1.0 / 3.0), (2.0 - y) / width, 2.0 * (1.0 - y) / width]
}

/// What is lagged of a contact.
#[derive(Debug, Clone, Copy)]
pub struct Lagged {
    weights: [f64; 4],
    normal: Vec3,
    /// μ λ
    limit: f64,
}

impl Lagged {
    /// Of the shortest way between two features, with the greatest force of friction, μ times the normal force.
    pub fn new(closest: &Closest, limit: f64) -> Self {
        let distance = closest.squared.sqrt();
        let normal =
            if distance > 0.0 { scale(closest.difference, 1.0 / distance) } else { [0.0; 3] };
        Self { weights: closest.weights, normal, limit }
    }

    /// Its greatest force.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// u, if the corners have moved so.
    pub fn slip(&self, moved: &[Vec3; 4]) -> Vec3 {
        let u: Vec3 = std::array::from_fn(|k| (0..4).map(|i| self.weights[i] * moved[i][k]).sum());
        along(u, -dot(self.normal, u), self.normal)
    }

    /// D where the corners have moved so. `width` is h ε_v \[m\].
    pub fn value(&self, moved: &[Vec3; 4], width: f64) -> f64 {
        self.limit * smooth(norm(self.slip(moved)), width)[0]
    }

    /// The gradient alone: minus the forces of friction.
    pub fn gradient(&self, moved: &[Vec3; 4], width: f64) -> Gradient {
        let u = self.slip(moved);
        let share = self.limit * smooth(norm(u), width)[1];
        std::array::from_fn(|k| share * self.weights[k / 3] * u[k % 3])
    }

    /// Value, gradient and Hessian, which is semidefinite.
    pub fn potential(&self, moved: &[Vec3; 4], width: f64) -> Potential {
        let u = self.slip(moved);
        let s = norm(u);
        let [f0, f1_over_s, f2] = smooth(s, width);
        let (n, w) = (self.normal, self.weights);
        let t = if s > 0.0 { scale(u, 1.0 / s) } else { [0.0; 3] };
        // f₂ along u, f₁/s across; both are the same where s = 0.
        let along_u = if s > 0.0 { f2 - f1_over_s } else { 0.0 };
        let block = |i: usize, j: usize| {
            let unit = if i == j { 1.0 } else { 0.0 };
            self.limit * (f1_over_s * (unit - n[i] * n[j]) + along_u * t[i] * t[j])
        };
        Potential {
            value: self.limit * f0,
            gradient: std::array::from_fn(|k| self.limit * f1_over_s * w[k / 3] * u[k % 3]),
            hessian: std::array::from_fn(|r| {
                std::array::from_fn(|c| w[r / 3] * w[c / 3] * block(r % 3, c % 3))
            }),
        }
    }
}
