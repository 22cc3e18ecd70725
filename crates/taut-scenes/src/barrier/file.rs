//! A barrier system as a scene file, so that its bodies can run by any model of contact.

use serde_json::json;
use taut_barrier::System;

use crate::SceneError;
use crate::file::SceneFile;

/// The scene file of a system of rigid, fixed and kinematic bodies without joints, by barriers of its settings. Bodies that move are solids of the same mass,
/// uniform within their surfaces.
pub fn scene_file(system: &System, dt: f64, duration: f64) -> Result<SceneFile, SceneError> {
    let wrong = |e: taut_barrier::Error| SceneError::new("", e.to_string());
    let (mut bodies, mut materials) = (Vec::new(), serde_json::Map::new());
    for id in 0..system.len() {
        let name = system.name(id).map_err(wrong)?;
        let vertices = system.places(id).map_err(wrong)?;
        let triangles = system.triangles(id).map_err(wrong)?;
        let mesh = json!({"vertices": vertices, "triangles": triangles});
        let mass = system.mass(id).map_err(wrong)?;
        let (kind, shape) = match (system.is_driven(id).map_err(wrong)?, mass > 0.0) {
            (true, _) => ("kinematic", "sdf"),
            (_, true) => ("dynamic", "sdf"),
            _ => ("fixed", "tri_mesh"),
        };
        let mut body =
            json!({"name": name, "kind": kind, "shape": {shape: mesh}, "material": name});
        if kind != "fixed" {
            body["velocity"] = json!(system.velocity(id).map_err(wrong)?);
            body["angular_velocity"] = json!(system.angular_velocity(id).map_err(wrong)?);
        }
        if kind == "dynamic" {
            body["mass"] = json!(mass);
        }
        bodies.push(body);
        let friction = system.friction_of(id).map_err(wrong)?;
        materials.insert(name.into(), json!({"friction": friction}));
    }
    let settings = system.settings();
    let barrier = json!({"d_hat": settings.reach, "eps_v": settings.creep});
    let file = json!({
        "version": 1, "dt": dt, "duration": duration, "gravity": settings.gravity, "materials": materials,
        "settings": {"contact": {"barrier": barrier}}, "bodies": bodies
    });
    SceneFile::from_json(&file.to_string())
}
