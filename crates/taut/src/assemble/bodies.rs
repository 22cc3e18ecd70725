//! Mass blocks M̃ and free velocities v_free = v + M̃⁻¹(h f − G(ω − αω_f)).
//!
//! The gyroscopic torque is no force here: the position update turns the
//! angular momentum's carrier instead (`integrate`).

use super::{IslandSolver, Scene, Twist};
use crate::BodyState;
use crate::islands::Island;
use crate::math::Mat3;
use crate::settings::GeometricStiffness;

impl IslandSolver {
    pub(super) fn push_bodies(&mut self, scene: &Scene, island: &Island) {
        if let Some(m) = self.multibody() {
            m.clear();
        }
        self.v_free.clear();
        let alpha = match scene.settings.geometric_stiffness {
            GeometricStiffness::Off => 0.0,
            GeometricStiffness::Alpha(alpha) => alpha,
        };
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let loaded = self.geometric[k];
            let g = loaded.stiffness;
            let inertia = body.inertia() + g;
            let force = body.mass * body.body.gravity_scale * scene.gravity + body.force;
            let (v, w) = self.start[k];
            let torque = scene.h * body.torque - g * (w - alpha * loaded.rate);
            let v = v + force * (scene.h / body.mass);
            let w = if g == Mat3::ZERO {
                w + body.inverse_inertia_at(body.q) * torque
            } else {
                w + inertia.inverse() * torque
            };
            self.push_body(body, 1.0, inertia, (v, w));
        }
    }

    /// Appends a body: its mass and an inertia, both times a factor, and its free
    /// velocities.
    pub(super) fn push_body(&mut self, body: &BodyState, factor: f64, inertia: Mat3, free: Twist) {
        self.push_body_across(body, factor, (Mat3::ZERO, inertia), free);
    }

    /// Appends a body that cables hold sideways, which adds `across` to its mass.
    pub(super) fn push_body_across(
        &mut self,
        body: &BodyState,
        factor: f64,
        (across, inertia): (Mat3, Mat3),
        free: Twist,
    ) {
        let inertia = symmetric(inertia * factor);
        let k = self.v_free.len();
        self.v_free.push(free);
        let Some(m) = self.multibody() else { return };
        let pushed = if across == Mat3::ZERO {
            m.push_rigid_body(body.mass * factor, &inertia)
        } else {
            let mass = (Mat3::IDENTITY * body.mass + across) * factor;
            m.push_body(mass_block(symmetric(mass), inertia))
        };
        let refused = pushed.is_err();
        if refused {
            // The problem has no answer; the body keeps its place, so that others are found.
            let _ = m.push_rigid_body(1.0, &symmetric(Mat3::IDENTITY));
        }
        if m.body_count() > k {
            m.set_subsystem(k, body.body.subsystem);
        }
        if refused {
            let name = body.name();
            let reason = format!("body '{name}': its inertia under load is not positive definite");
            self.report.refuse(reason);
        }
    }
}

/// Symmetric to the last bit.
fn symmetric(m: Mat3) -> [[f64; 3]; 3] {
    let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis];
    let [xy, xz, yz] = [0.5 * (b.x + a.y), 0.5 * (c.x + a.z), 0.5 * (c.y + b.z)];
    [[a.x, xy, xz], [xy, b.y, yz], [xz, yz, c.z]]
}

fn mass_block(mass: [[f64; 3]; 3], inertia: [[f64; 3]; 3]) -> [[f64; 6]; 6] {
    let mut block = [[0.0; 6]; 6];
    for i in 0..3 {
        block[i][..3].copy_from_slice(&mass[i]);
        block[3 + i][3..].copy_from_slice(&inertia[i]);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::SolverConfig;
    use crate::math::Vec3;
    use crate::{Body, Shape};

    /// An inertia that loads made indefinite: the island names the body and is no success, and bodies after it are found.
    #[test]
    fn an_indefinite_inertia_is_reported() {
        let auto = SolverConfig::named("auto").and_then(|config| config.build());
        let mut island = IslandSolver::new(auto.expect("of the registry"));
        let ball = Body::dynamic("top").shape(Shape::Ball { radius: 0.1 });
        let ball = BodyState::new(ball).expect("a ball");
        let rest = (Vec3::ZERO, Vec3::ZERO);
        island.push_body(&ball, 1.0, ball.inertia(), rest);
        assert_eq!(island.report.failure(), None);
        island.push_body(&ball, 1.0, -ball.inertia(), rest);
        island.push_body(&ball, 1.0, ball.inertia(), rest);
        let failure = island.report.failure().expect("refused");
        assert!(
            failure.contains("'top'") && failure.contains("not positive definite"),
            "{failure}"
        );
        assert_eq!(island.multibody().expect("bodies").body_count(), 3);
        assert!(!island.report.converged());
    }
}
