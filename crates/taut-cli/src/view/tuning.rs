//! Settings of the engine that can be changed while a scene runs.

use serde::{Deserialize, Serialize};
use taut::lcp::SolverConfig;
use taut::{FrictionMode, GeometricStiffness, Settings};
use taut_scenes::Scene;
use taut_scenes::file::Integrator;

/// What a page shows and sends back. Ranges are the engine's, with bounds
/// where a slip of the finger would stop the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    dt: f64,
    substeps: usize,
    tolerance: f64,
    max_iterations: Option<usize>,
    friction: Friction,
    geometric_stiffness: Option<f64>,
    contact_correction: f64,
    joint_correction: f64,
    compliance: f64,
    integrator: Integrator,
    max_halvings: usize,
    threads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Friction {
    Cone,
    Ccp,
    LastStep,
    FrictionlessPass,
    Iterated,
}

impl Tuning {
    pub fn of(scene: &Scene) -> Self {
        let s = scene.world.settings();
        Tuning {
            dt: scene.dt,
            substeps: s.substeps,
            tolerance: s.stop.tolerance,
            max_iterations: s.stop.max_iterations,
            friction: match s.friction {
                FrictionMode::Cone => Friction::Cone,
                FrictionMode::Ccp => Friction::Ccp,
                FrictionMode::LastStep => Friction::LastStep,
                FrictionMode::FrictionlessPass => Friction::FrictionlessPass,
                FrictionMode::Iterated { .. } => Friction::Iterated,
            },
            geometric_stiffness: s.geometric_stiffness.map(|g| g.alpha),
            contact_correction: s.contact_correction,
            joint_correction: s.joint_correction,
            compliance: s.compliance,
            integrator: match s.integrator {
                taut::Integrator::EnergyMomentum => Integrator::EnergyMomentum,
                taut::Integrator::SemiImplicitEuler => Integrator::SemiImplicitEuler,
                taut::Integrator::MoreauMidpoint => Integrator::MoreauMidpoint,
            },
            max_halvings: s.max_halvings,
            threads: s.threads,
        }
    }

    /// Changes the scene, or says what is out of range.
    pub fn apply(&self, scene: &mut Scene) -> Result<(), String> {
        let limits = [
            ("substeps", self.substeps, 1..=1000),
            ("max_halvings", self.max_halvings, 0..=10),
            ("threads", self.threads, 1..=256),
        ];
        for (name, value, range) in limits {
            if !range.contains(&value) {
                return Err(format!("{name}: expected {range:?}, found {value}"));
            }
        }
        if !(self.dt > 0.0 && self.dt <= 1.0) {
            return Err(format!("dt: expected above 0 and at most 1 s, found {}", self.dt));
        }
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err(format!("tolerance: expected at least 0, found {}", self.tolerance));
        }
        let settings = self.settings(scene.world.settings());
        settings.validate().map_err(|e| e.to_string())?;
        *scene.world.settings_mut() = settings;
        scene.dt = self.dt;
        Ok(())
    }

    fn settings(&self, old: &Settings) -> Settings {
        let mut s = old.clone();
        s.substeps = self.substeps;
        s.stop.tolerance = self.tolerance;
        s.stop.max_iterations = self.max_iterations;
        s.friction = match (self.friction, old.friction) {
            (Friction::Cone, _) => FrictionMode::Cone,
            (Friction::Ccp, _) => FrictionMode::Ccp,
            (Friction::LastStep, _) => FrictionMode::LastStep,
            (Friction::FrictionlessPass, _) => FrictionMode::FrictionlessPass,
            (Friction::Iterated, same @ FrictionMode::Iterated { .. }) => same,
            (Friction::Iterated, _) => Settings::default().friction,
        };
        s.geometric_stiffness = self.geometric_stiffness.map(|alpha| GeometricStiffness { alpha });
        s.contact_correction = self.contact_correction;
        s.joint_correction = self.joint_correction;
        s.compliance = self.compliance;
        s.integrator = match self.integrator {
            Integrator::EnergyMomentum => taut::Integrator::EnergyMomentum,
            Integrator::SemiImplicitEuler => taut::Integrator::SemiImplicitEuler,
            Integrator::MoreauMidpoint => taut::Integrator::MoreauMidpoint,
        };
        s.max_halvings = self.max_halvings;
        s.threads = self.threads;
        s
    }
}

/// Sets the solver from what a page sent: `{"pgs": {"max_iterations": 50}}`.
pub fn set_solver(scene: &mut Scene, value: serde_json::Value) -> Result<(), String> {
    let config: SolverConfig = serde_json::from_value(value).map_err(|e| e.to_string())?;
    config.build().map_err(|e| e.to_string())?;
    scene.world.settings_mut().solver = config;
    Ok(())
}
