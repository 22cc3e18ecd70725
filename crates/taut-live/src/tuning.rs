//! Settings of the engine that can be changed while a scene runs.

use serde::{Deserialize, Serialize};
use taut::lcp::SolverConfig;
use taut::math::Vec3;
use taut::{FrictionMode, GeometricStiffness, Integrator, Settings};
use taut_scenes::Scene;

/// What a page shows and sends back. Ranges are the engine's, with bounds
/// where a slip of the finger would stop the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    dt: f64,
    /// Downward, in m/s².
    gravity: f64,
    substeps: usize,
    tolerance: f64,
    max_iterations: Option<usize>,
    /// As the command has it.
    friction: String,
    geometric_stiffness: Option<f64>,
    contact_correction: f64,
    joint_correction: f64,
    compliance: f64,
    integrator: Integrator,
    max_halvings: usize,
    threads: usize,
}

impl Tuning {
    pub fn of(scene: &Scene) -> Self {
        let s = scene.world.settings();
        Tuning {
            dt: scene.dt,
            gravity: 0.0 - scene.world.gravity().z,
            substeps: s.substeps,
            tolerance: s.tolerance,
            max_iterations: s.max_iterations,
            friction: s.friction.to_string(),
            geometric_stiffness: match s.geometric_stiffness {
                GeometricStiffness::Off => None,
                GeometricStiffness::Alpha(alpha) => Some(alpha),
            },
            contact_correction: s.contact_correction,
            joint_correction: s.joint_correction,
            compliance: s.compliance,
            integrator: s.integrator,
            max_halvings: s.max_halvings,
            threads: s.threads,
        }
    }

    /// Gravity, where it is another one than that of a world.
    pub fn gravity(&self, now: Vec3) -> Option<Vec3> {
        let given = Vec3 { z: -self.gravity, ..now };
        (given != now).then_some(given)
    }

    /// Whether more than gravity differs.
    pub fn differs(&self, other: &Tuning) -> bool {
        *self != Tuning { gravity: self.gravity, ..other.clone() }
    }

    /// Changes the scene but for its gravity, or says what is out of range.
    pub fn apply(&self, scene: &mut Scene) -> Result<(), String> {
        let limits =
            [("max_halvings", self.max_halvings, 0..=12), ("threads", self.threads, 1..=256)];
        for (name, value, range) in limits {
            if !range.contains(&value) {
                return Err(format!("{name}: expected {range:?}, found {value}"));
            }
        }
        taut_scenes::check_dt(self.dt).map_err(|e| e.to_string())?;
        let settings = self.settings(scene.world.settings())?;
        settings.validate().map_err(|e| e.to_string())?;
        *scene.world.settings_mut() = settings;
        scene.dt = self.dt;
        Ok(())
    }

    fn settings(&self, old: &Settings) -> Result<Settings, String> {
        let mut s = old.clone();
        s.substeps = self.substeps;
        s.tolerance = self.tolerance;
        s.max_iterations = self.max_iterations;
        if self.friction != old.friction.to_string() {
            s.friction = self.friction.parse().map_err(|e: taut::Error| e.to_string())?;
        }
        s.geometric_stiffness =
            self.geometric_stiffness.map_or(GeometricStiffness::Off, GeometricStiffness::Alpha);
        s.contact_correction = self.contact_correction;
        s.joint_correction = self.joint_correction;
        s.compliance = self.compliance;
        s.integrator = self.integrator;
        s.max_halvings = self.max_halvings;
        s.threads = self.threads;
        Ok(s)
    }
}

/// Sets the solver from what a page sent: `{"pgs": {"max_iterations": 50}}`.
pub fn set_solver(scene: &mut Scene, value: serde_json::Value) -> Result<(), String> {
    let config: SolverConfig = serde_json::from_value(value).map_err(|e| e.to_string())?;
    config.build().map_err(|e| e.to_string())?;
    let settings = scene.world.settings_mut();
    // A solver that takes no cones would end the run.
    if !config.takes_cones() && settings.friction == FrictionMode::Cone {
        settings.friction = FrictionMode::Box;
    }
    settings.solver = config;
    Ok(())
}
