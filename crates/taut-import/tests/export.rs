//! Scenes as MJCF and URDF, and back.

mod common;

use taut_import::{Options, export, read};
use taut_scenes::builtin;
use taut_scenes::file::SceneFile;

/// Reads what was written.
fn again(name: &str, made: &export::Exported) -> SceneFile {
    let folder = common::folder(&[(name, &made.text)]);
    for (mesh, text) in &made.meshes {
        std::fs::write(folder.path().join(mesh), text).unwrap();
    }
    read(&folder.path().join(name), &Options::default()).unwrap().scene
}

/// Bodies that move are where they were, with the same masses, and fall alike for a while.
fn same(a: &SceneFile, b: &SceneFile, frames: usize) {
    let (mut a, mut b) = (a.build().unwrap(), b.build().unwrap());
    for frame in 0..=frames {
        for (_, body) in a.world.bodies().filter(|(_, b)| b.mass() > 0.0 && b.mass().is_finite()) {
            let id = b.world.body_named(body.name()).unwrap_or_else(|| panic!("{}", body.name()));
            let other = b.world.body(id).unwrap();
            assert!((body.mass() / other.mass() - 1.0).abs() < 1e-9, "{}", body.name());
            let apart = body.centre_of_mass().distance(other.centre_of_mass());
            let most = if frame == 0 { 1e-9 } else { 1e-6 };
            assert!(apart < most, "{} is {apart:e} m off in frame {frame}", body.name());
        }
        let _ = a.step().unwrap();
        let _ = b.step().unwrap();
    }
}

const ARM: &str = r#"<mujoco model="arm"><worldbody><geom type="plane" size="1 1 1"/><body name="base" pos="0 0 1">
<geom type="box" size="0.06 0.1 0.1" rgba="1 0 0 1"/>
<body name="upper" pos="0.1 0 0"><joint name="shoulder" axis="0 1 0" damping="0.2" armature="0.01" range="-90 90"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="2"/>
<body name="fore" pos="0.4 0 0" euler="0 0 20"><joint name="elbow" axis="0 0 1" pos="0.01 0 0"/><geom type="cylinder" size="0.03 0.2" pos="0.2 0 0" euler="0 90 0" mass="1"/>
<body name="tip" pos="0.4 0 0"><joint name="slide" type="slide" axis="1 0 0" stiffness="50" range="-0.1 0.1"/><geom size="0.05" mass="0.5"/></body></body></body></body>
<body name="ball" pos="0 1 1"><freejoint/><geom size="0.1" mass="3"/></body></worldbody>
<actuator><position joint="shoulder" kp="100" kv="10"/><motor joint="elbow"/></actuator>
<keyframe><key qpos="0.3 0.2 0.02 0 1 1 1 0 0 0" ctrl="0.5 0.4"/></keyframe></mujoco>"#;

#[test]
fn mjcf_goes_there_and_back() {
    let scene = common::read("arm.xml", ARM).scene;
    let made = export::mjcf(&scene).unwrap();
    same(&scene, &again("arm.xml", &made), 20);
    let four_bar = builtin::find("four-bar").unwrap().file(None);
    same(&four_bar, &again("m.xml", &export::mjcf(&four_bar).unwrap()), 20);
}

#[test]
fn trees_go_to_urdf_and_back() {
    let mut scene = common::read("arm.xml", ARM).scene;
    let made = export::urdf(&scene, "arm").unwrap();
    assert!(made.notes[0].contains("neither motors"));
    // What URDF cannot say.
    for joint in &mut scene.joints {
        joint.motor = None;
        if let Some(passive) = &mut joint.passive {
            (passive.armature, passive.stiffness) = (0.0, 0.0);
        }
    }
    same(&scene, &again("arm.urdf", &made), 20);
    let loops = builtin::find("four-bar").unwrap().file(None);
    let error = export::urdf(&loops, "m").unwrap_err().to_string();
    assert!(error.contains("URDF has trees only"), "{error}");
}

#[test]
fn what_mjcf_cannot_say_is_told() {
    let crane = builtin::find("mobile-crane-cable").unwrap().file(None);
    let made = export::mjcf(&crane).unwrap();
    assert!(made.notes.iter().any(|n| n.contains("drives are left out")), "{:?}", made.notes);
    assert!(made.text.starts_with("<mujoco"));
}
