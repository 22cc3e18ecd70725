//! One file with every shape, joint, motor and drive builds, runs and reads
//! back; the examples of docs/SCENES.md do, too.

use taut_scenes::file::SceneFile;

const ALL: &str = r#"{
 "version": 1, "name": "everything", "dt": 0.01, "duration": 0.5,
 "meta": {"description": "a bit of all", "statistics": {"rows": 3}},
 "settings": {"solver": "bpp", "tolerance": 1e-8, "max_iterations": 500, "substeps": 2,
   "friction": {"iterated": {"max_passes": 5, "tolerance": 1e-5}},
   "integrator": "semi_implicit_euler", "geometric_stiffness": {"alpha": 0.8},
   "compliance": 1e-9, "joint_correction": 0.9, "contact_correction": 0.3,
   "max_correction_speed": 5, "contact_margin": 0.002, "restitution_threshold": 0.1,
   "joint_tolerance": 0.02, "max_halvings": 2, "sleeping": {"delay": 1}},
 "materials": {"default": {"friction": 0.3}, "rubber": {"friction": 0.9, "restitution": 0.5,
   "torsional_friction": 0.01, "rolling_friction": 0.01},
   "plank": {"anisotropy": {"elliptic": {"direction": [1, 0, 0], "along": 0.2, "across": 0.8}}},
   "fur": {"anisotropy": {"tensor": {"direction": [1, 0, 0], "forward": 0.1, "backward": 0.9,
    "sideways": 0.5}}},
   "tiles": {"anisotropy": {"texture": {"edges": [[1, 0, 0], [0, 1, 0]], "columns": 2,
    "cells": [[0, 0.1, 0.6], [1.57, 0.1, 0.6]]}}}},
 "pairs": [{"materials": ["rubber", "fur"], "together": {"friction": 0.4}},
  {"materials": ["plank", "default"], "together": {"friction": 0.2, "restitution": 0.1,
   "anisotropy": {"elliptic": {"direction": [0, 1, 0], "along": 0.2, "across": 0.3}}}}],
 "ground": {"height": -1, "material": "rubber"},
 "bodies": [
  {"name": "ball", "shape": {"ball": {"radius": 0.1}}, "position": [0, 0, 1], "material": "fur"},
  {"name": "box", "shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}, "position": [1, 0, 1],
   "orientation": [0.7071, 0.7071, 0, 0], "material": "rubber"},
  {"name": "capsule", "shape": {"capsule": {"half_length": 0.2, "radius": 0.1}},
   "position": [2, 0, 1], "velocity": [0, 1, 0], "angular_velocity": [0, 0, 1]},
  {"name": "cylinder", "shape": {"cylinder": {"half_height": 0.2, "radius": 0.1}},
   "position": [3, 0, 1], "gravity_scale": 0.5, "material": "plank"},
  {"name": "cone", "shape": {"cone": {"half_height": 0.2, "radius": 0.1}}, "position": [4, 0, 1]},
  {"name": "hull", "shape": {"convex_hull": {"points": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0],
   [0, 0, 0.2]]}}, "position": [5, 0, 1]},
  {"name": "parts", "position": [6, 0, 1], "shape": {"compound": {"parts": [
   {"shape": {"ball": {"radius": 0.1}}, "position": [0.2, 0, 0]},
   {"shape": {"box": {"half_extents": [0.1, 0.1, 0.1]}}}]}}},
  {"name": "two", "position": [7, 0, 1], "density": 500, "colliders": [
   {"shape": {"ball": {"radius": 0.1}}, "position": [0.2, 0, 0], "material": "rubber"},
   {"shape": {"ball": {"radius": 0.1}}, "density": 0, "collision_groups": {"membership": 2}}]},
  {"name": "bare", "position": [8, 0, 1], "mass": 2, "inertia": [1, 1, 1],
   "inertia_products": [0.1, 0, 0], "centre_of_mass": [0, 0, 0.1]},
  {"name": "slope", "kind": "fixed", "material": "tiles", "shape": {"half_space": {"normal": [0, 0, 1]}},
   "position": [0, 0, -2], "collision_groups": {"mask": 1}},
  {"name": "sheet", "kind": "fixed", "position": [0, 5, -1], "shape": {"tri_mesh": {
   "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}}},
  {"name": "solid", "position": [0, 7, 1], "shape": {"sdf": {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
   "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}}},
  {"name": "terrain", "kind": "fixed", "position": [9, 5, -1], "shape": {"height_field": {
   "heights": [0, 0, 0, 0.1, 0, 0], "nx": 3, "ny": 2, "size_x": 4, "size_y": 2}}},
  {"name": "belt", "kind": "kinematic", "position": [0, 9, 0], "collides": false,
   "shape": {"box": {"half_extents": [1, 1, 0.1]}}, "velocity": [0.1, 0, 0]}],
 "joints": [
  {"type": "gear", "name": "gear", "first": "hinge", "second": "slider", "ratio": 2},
  {"type": "ball", "a": "world", "b": "ball", "cone": 1.5, "linear_spring": {"stiffness": 1e5}},
  {"type": "hinge", "name": "hinge", "a": "world", "b": "box", "axis_a": [0, 1, 0],
   "limits": {"max": 10}, "motor": {"velocity": {"target": 1}}},
  {"type": "slider", "name": "slider", "a": "box", "b": "capsule", "axis_a": [1, 0, 0],
   "limits": {"min": -3, "max": 3}},
  {"type": "cylindrical", "name": "screw", "a": "world", "b": "cylinder",
   "motor": {"position": {"target": 0.1, "stiffness": 1000, "damping": 50, "max_force": 1e4}},
   "angle_motor": {"velocity": {"target": 1, "max_force": 5}}, "angle_limits": {"min": -9}},
  {"type": "universal", "a": "world", "b": "cone", "axis_a": [0, 0, 1], "axis_b": [1, 0, 0]},
  {"type": "weld", "name": "weld", "a": "hull", "b": "cone", "break_force": 1e9,
   "break_torque": 1e9, "angular_spring": {"stiffness": 1e4, "damping": 10}},
  {"type": "distance", "a": "parts", "b": "two", "length": 1, "collides": true},
  {"type": "distance", "name": "rope", "a": "world", "b": "parts", "max": 0.5},
  {"type": "compliant", "a": "world", "b": "bare", "linear": [{}, {"stiffness": 100,
   "damping": 1}, {"stiffness": 0}], "angular": [{}, {}, {"stiffness": 0, "damping": 0.1}],
   "basis_a": [1, 0, 0, 0]}],
 "groups": {"left": ["ball", "box"], "right": ["two"]},
 "drives": [
  {"motor": {"joint": "hinge", "keys": [[0, 0], [0.2, 2]]}},
  {"motor": {"joint": "screw", "coordinate": "angle", "keys": [[0, 1]]}},
  {"body": {"body": "belt", "velocity": [[0, [0, 0, 0]], [0.1, [1, 0, 0]]],
   "angular_velocity": [[0, [0, 0, 1]]]}},
  {"force": {"body": "two", "force": [[0, [0, 5, 0]]], "torque": [[0.1, [0, 0, 1]]]}},
  {"release": {"joint": "rope", "time": 0.3}}]
}"#;

#[test]
fn all_of_the_format_runs() {
    let file = SceneFile::from_json(ALL).expect("a scene");
    let copy = SceneFile::from_json(&file.to_json().expect("JSON")).expect("the same");
    assert_eq!(copy, file);
    let mut scene = file.build().expect("a scene");
    assert_eq!((scene.frames, scene.bodies.len()), (50, 14));
    assert_eq!(scene.groups["left"].len(), 2);
    for frame in 0..50 {
        assert!(scene.step().expect("a step").converged(), "frame {frame}");
    }
    assert!(scene.world.joint_named("rope").is_none(), "released");
    let belt = scene.world.body(scene.bodies[13]).expect("the belt");
    assert_eq!(belt.velocity().to_array(), [1.0, 0.0, 0.0]);
    let hinge = scene.world.joint_named("hinge").expect("a hinge");
    // The integral of the drive's speed.
    let turned = scene.world.joint_position(hinge).expect("an angle");
    assert!((turned - 0.8).abs() < 0.02, "{turned}");
}

#[test]
fn the_documented_examples_hold() {
    let page = include_str!("../../../docs/SCENES.md");
    let block = |start: &str| {
        let from = page.find(&format!("```json\n{start}")).expect(start) + 8;
        &page[from..from + page[from..].find("```").expect("the end")]
    };
    let first = block("{\"version\": 1,");
    SceneFile::from_json(first).and_then(|f| f.build()).expect("the first example");
    let hinge = block("{\"type\": \"hinge\"");
    let panel = "{\"name\": \"panel\", \"shape\": {\"box\": {\"half_extents\": [1, 1, 1]}}}";
    let text = format!("{{\"version\": 1, \"bodies\": [{panel}], \"joints\": [{hinge}]}}");
    SceneFile::from_json(&text).and_then(|f| f.build()).expect("the hinge");
    let drives = block("[{\"motor\":");
    let body = |name: &str, kind: &str| {
        format!(
            "{{\"name\": \"{name}\", \"kind\": \"{kind}\", \"shape\": {{\"ball\": {{\"radius\": 1}}}}}}"
        )
    };
    let bodies = [body("shovel", "kinematic"), body("crate", "dynamic")].join(", ");
    let hinge = |name: &str, rest: &str| {
        format!(
            "{{\"type\": \"hinge\", \"name\": \"{name}\", \"a\": \"world\", \"b\": \"crate\"{rest}}}"
        )
    };
    let motor = ", \"motor\": {\"velocity\": {\"target\": 0}}";
    let joints = [hinge("slew", motor), hinge("hook", "")].join(", ");
    let cable = "{\"name\": \"hoist\", \"winch\": {}, \"via\": \
                 [{\"body\": \"world\", \"point\": [0, 0, 5]}, {\"body\": \"crate\"}]}";
    let text = format!(
        "{{\"version\": 1, \"materials\": {{\"ice\": {{}}}}, \"bodies\": [{bodies}], \
         \"joints\": [{joints}], \"cables\": [{cable}], \"drives\": {drives}}}"
    );
    SceneFile::from_json(&text).and_then(|f| f.build()).expect("the drives");
    let cable = block("{\"name\": \"hoist\"");
    let at = |name: &str, x: f64, z: f64| {
        format!(
            "{{\"name\": \"{name}\", \"position\": [{x}, 0, {z}], \"shape\": {{\"ball\": {{\"radius\": 1}}}}}}"
        )
    };
    let bodies = [at("drum", -1.0, 5.0), at("jib", -4.0, 5.0), at("hook", 5.0, 2.0)].join(", ");
    let text = format!("{{\"version\": 1, \"bodies\": [{bodies}], \"cables\": [{cable}]}}");
    SceneFile::from_json(&text).and_then(|f| f.build()).expect("the cable");
}
