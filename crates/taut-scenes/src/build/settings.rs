//! Settings.

use super::place::Place;
use crate::error::SceneError;
use crate::file::{Friction, GeometricStiffness, Integrator, Settings};
use taut::lcp::SolverConfig;
use taut::{Accuracy, FrictionMode, Sleeping};

/// The engine's settings: its defaults, and what the scene says.
pub(super) fn build(file: &Settings) -> Result<taut::Settings, SceneError> {
    let place = Place::new("settings");
    let mut s = taut::Settings::default();
    if let Some(name) = &file.solver {
        let named = SolverConfig::named(name);
        s.solver = named.map_err(|e| place.field("solver").engine(e))?;
    }
    if let Some(tolerance) = file.tolerance {
        place.not_negative("tolerance", tolerance)?;
        s.stop.tolerance = tolerance;
    }
    s.accuracy = file.accuracy.map(|tolerance| Accuracy { tolerance, work: file.work });
    if file.work.is_some() && file.accuracy.is_none() {
        return Err(place.field("work").error("expected an accuracy beside it"));
    }
    s.stop.max_iterations = file.max_iterations.or(s.stop.max_iterations);
    s.substeps = file.substeps.unwrap_or(s.substeps);
    if s.substeps == 0 {
        return Err(place.field("substeps").error("expected at least 1, found 0"));
    }
    s.max_halvings = file.max_halvings.unwrap_or(s.max_halvings);
    s.position_projection = file.position_projection.unwrap_or(s.position_projection);
    if let Some(tolerance) = file.joint_tolerance {
        place.positive("joint_tolerance", tolerance)?;
        s.joint_tolerance = tolerance;
    }
    match file.integrator {
        Some(Integrator::EnergyMomentum) => s.integrator = taut::Integrator::EnergyMomentum,
        Some(Integrator::SemiImplicitEuler) => s.integrator = taut::Integrator::SemiImplicitEuler,
        Some(Integrator::MoreauMidpoint) => s.integrator = taut::Integrator::MoreauMidpoint,
        None => {}
    }
    s.friction = match file.friction {
        Some(friction) => friction_mode(friction, &place)?,
        None if s.solver.takes_cones() => FrictionMode::Cone,
        None => FrictionMode::BOX,
    };
    match file.geometric_stiffness {
        Some(GeometricStiffness::Off) => s.geometric_stiffness = None,
        Some(GeometricStiffness::Alpha(alpha)) => {
            place.share("geometric_stiffness.alpha", alpha)?;
            s.geometric_stiffness = Some(taut::GeometricStiffness { alpha });
        }
        None => {}
    }
    if let Some(f) = file.sleeping {
        let at = place.field("sleeping");
        at.not_negative("speed", f.speed)?;
        at.not_negative("angular_speed", f.angular_speed)?;
        at.not_negative("delay", f.delay)?;
        let (speed, angular_speed, delay) = (f.speed, f.angular_speed, f.delay);
        s.sleeping = Some(Sleeping { speed, angular_speed, delay });
    }
    numbers(file, &place, &mut s)?;
    s.validate().map_err(|e| place.engine(e))?;
    Ok(s)
}

fn friction_mode(friction: Friction, place: &Place) -> Result<FrictionMode, SceneError> {
    match friction {
        Friction::Cone => Ok(FrictionMode::Cone),
        Friction::Ccp => Ok(FrictionMode::Ccp),
        Friction::Box => Ok(FrictionMode::BOX),
        Friction::Polyhedral { directions } => Ok(FrictionMode::Polyhedral { directions }),
        Friction::LastStep => Ok(FrictionMode::LastStep),
        Friction::FrictionlessPass => Ok(FrictionMode::FrictionlessPass),
        Friction::Iterated { max_passes, tolerance, required } => {
            place.not_negative("friction.iterated.tolerance", tolerance)?;
            Ok(FrictionMode::Iterated { max_passes, tolerance, required })
        }
    }
}

fn numbers(file: &Settings, place: &Place, s: &mut taut::Settings) -> Result<(), SceneError> {
    let shares = [
        ("compliance", file.compliance, &mut s.compliance),
        ("joint_correction", file.joint_correction, &mut s.joint_correction),
        ("contact_correction", file.contact_correction, &mut s.contact_correction),
    ];
    for (name, value, target) in shares {
        if let Some(x) = value {
            place.share(name, x)?;
            *target = x;
        }
    }
    let sizes = [
        ("correction_time", file.correction_time, &mut s.correction_time),
        ("max_correction_speed", file.max_correction_speed, &mut s.max_correction_speed),
        ("contact_margin", file.contact_margin, &mut s.contact_margin),
        ("restitution_threshold", file.restitution_threshold, &mut s.restitution_threshold),
    ];
    for (name, value, target) in sizes {
        if let Some(x) = value {
            place.not_negative(name, x)?;
            *target = x;
        }
    }
    Ok(())
}
