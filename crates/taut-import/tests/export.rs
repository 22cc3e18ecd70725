//! Scenes as MJCF and URDF, and back.

mod common;

use taut::math::{Quat, Vec3};
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
    let mut four_bar = builtin::find("four-bar").unwrap().file(None);
    // One that holds its speed becomes one that pulls to it.
    four_bar.joints.iter_mut().for_each(|joint| joint.motor = None);
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

/// A loop that starts open by 2 mm, and a ball joint whose spring is not at rest where it starts.
const OPEN: &str = r#"<mujoco><worldbody>
<body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/><geom size="0.05" pos="0.5 0 0" mass="1"/>
<body name="b" pos="1 0 0"><joint name="jb" type="ball" stiffness="3"/><geom size="0.05" pos="0 0.3 0" mass="1"/></body></body>
<body name="c" pos="0 0 0"><joint name="jc" axis="0 1 0"/><geom size="0.05" pos="0.5 0 0" mass="1"/></body></worldbody>
<equality><connect name="rod" body1="a" body2="c" anchor="0.4 0 -0.5"/></equality>
<keyframe><key qpos="0.002 0.9950041652780258 0 0.09983341664682815 0 -0.001"/></keyframe></mujoco>"#;

#[test]
fn loops_and_springs_keep_their_rest() {
    let scene = common::read("m.xml", OPEN).scene;
    let back = again("m.xml", &export::mjcf(&scene).unwrap());
    let joint = |s: &SceneFile, name: &str| {
        s.joints.iter().find(|j| j.name.as_deref() == Some(name)).unwrap().clone()
    };
    let (own, found) = (joint(&scene, "rod"), joint(&back, "rod"));
    for (x, y) in [(own.anchor_a, found.anchor_a), (own.anchor_b, found.anchor_b)] {
        let (x, y) = (x.unwrap(), y.unwrap());
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12), "{x:?} {y:?}");
    }
    same(&scene, &back, 20);
}

/// The axis of a hinge that closes a loop is that of its frames, where no axis is given.
#[test]
fn hinges_that_close_loops_keep_their_axes() {
    let text = r#"{"version": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}, {"name": "b", "mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0]}],
"joints": [{"type": "hinge", "name": "j", "a": "world", "b": "a", "axis_a": [0, 1, 0], "axis_b": [0, 1, 0]},
{"type": "hinge", "name": "k", "a": "a", "b": "b", "anchor_a": [1, 0, 0], "anchor_b": [0, 0, 0], "axis_a": [0, 1, 0], "axis_b": [0, 1, 0]},
{"type": "hinge", "name": "l", "a": "world", "b": "b", "anchor_a": [2, 0, 0], "anchor_b": [1, 0, 0],
"basis_a": [0.7071067811865476, -0.7071067811865476, 0, 0], "basis_b": [0.7071067811865476, -0.7071067811865476, 0, 0]}]}"#;
    let scene = SceneFile::from_json(text).unwrap();
    let text = export::mjcf(&scene).unwrap().text;
    let line = text.lines().find(|l| l.contains("name=\"l.a2\"")).unwrap();
    let at = line.split("pos=\"").nth(1).unwrap().split('"').next().unwrap();
    let at: Vec<f64> = at.split_whitespace().map(|w| w.parse().unwrap()).collect();
    assert!((at[1].abs() - 0.1).abs() < 1e-12 && at[2].abs() < 1e-12, "{line}");
}

/// A pendulum on a joint whose axis its frames say: z of `basis_a`, and the coordinate at which it starts.
fn on_frames(kind: &str, start: f64, more: &str) -> SceneFile {
    let a = Quat::from_rotation_x(-0.8);
    let b = if kind == "hinge" { a * Quat::from_rotation_z(start) } else { a };
    let anchor = if kind == "slider" { Vec3::ZERO - a * Vec3::Z * start } else { Vec3::ZERO };
    let b = if kind == "universal" {
        a * Quat::from_rotation_y(std::f64::consts::FRAC_PI_2)
    } else {
        b
    };
    let quat = |q: Quat| format!("[{}, {}, {}, {}]", q.w, q.x, q.y, q.z);
    let text = format!(
        r#"{{"version": 1, "bodies": [{{"name": "p", "mass": 1, "inertia": [0.01, 0.012, 0.013], "position": [-0.1, -0.2, -0.1], "centre_of_mass": [0.2, 0, -0.1]}}],
"joints": [{{"type": "{kind}", "name": "j", "a": "world", "b": "p", "anchor_a": [{}, {}, {}], "anchor_b": [0.1, 0.2, 0.1], "basis_a": {}, "basis_b": {}{more}}}]}}"#,
        anchor.x,
        anchor.y,
        anchor.z,
        quat(a),
        quat(b)
    );
    SceneFile::from_json(&text).unwrap()
}

/// Joints whose axes their frames say move about these in the files, and meet limits where they did.
#[test]
fn joints_of_frames_keep_their_axes_and_coordinates() {
    for kind in ["hinge", "slider"] {
        let more = r#", "limits": {"min": 0.2, "max": 0.35}"#;
        let scene = on_frames(kind, 0.3, more);
        let mut free = scene.build().unwrap();
        for _ in 0..20 {
            let _ = free.step().unwrap();
        }
        let id = free.world.joint_named("j").unwrap();
        let q = free.world.joint_position(id).unwrap();
        assert!((q - 0.2).abs().min((q - 0.35).abs()) < 1e-3, "the {kind} is not at a limit: {q}");
        same(&scene, &again("m.xml", &export::mjcf(&scene).unwrap()), 20);
        same(&scene, &again("m.urdf", &export::urdf(&scene, "m").unwrap()), 20);
    }
    let z = Quat::from_rotation_x(-0.8) * Vec3::Z;
    for (kind, axes) in [("cylindrical", [z, z]), ("universal", [z, Vec3::X])] {
        let text = export::mjcf(&on_frames(kind, 0.0, "")).unwrap().text;
        let found = text.lines().filter(|l| l.contains("<joint")).map(|l| {
            let word = l.split("axis=\"").nth(1).unwrap().split('"').next().unwrap();
            let x: Vec<f64> = word.split_whitespace().map(|w| w.parse().unwrap()).collect();
            Vec3::new(x[0], x[1], x[2])
        });
        let found: Vec<Vec3> = found.collect();
        assert_eq!(found.len(), 2, "{text}");
        assert!(found.iter().zip(axes).all(|(x, y)| x.distance(y) < 1e-12), "{kind}: {found:?}");
    }
}

/// Velocities of free bodies, hinges, sliders and ball joints stand in the keyframe, and are read again.
#[test]
fn velocities_go_there_and_back() {
    const MOVING: &str = r#"<mujoco><worldbody>
<body name="f" pos="0 0 5" quat="0.8 0.2 -0.4 0.4"><freejoint/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0.2" mass="2"/></body>
<body name="h" pos="3 0 1"><joint name="1" axis="0 1 0" pos="0.1 0 0"/><geom size="0.1" pos="0.2 0 0" mass="1"/>
<body name="k" pos="0.4 0 0" euler="20 0 30"><joint name="2" type="slide" axis="1 2 0"/><geom size="0.1" pos="0.1 0 0" mass="1"/>
<body name="l" pos="0.4 0 0"><joint name="3" type="ball"/><geom size="0.1" pos="0 0.3 0" mass="1"/></body></body></body></worldbody>
<keyframe><key qvel="1 2 0.5 3 -2 1 2 0.7 0.3 -0.4 0.5"/></keyframe></mujoco>"#;
    let read = common::read("m.xml", MOVING);
    assert!(read.notes.is_empty(), "{:?}", read.notes);
    let scene = read.scene;
    let body =
        |s: &SceneFile, name: &str| s.bodies.iter().find(|b| b.name == name).unwrap().clone();
    // That of the centre of mass, and of the origin of the body with its turn in the body's frame.
    let turn = Quat::from_xyzw(0.2, -0.4, 0.4, 0.8);
    let spin = turn * Vec3::new(3.0, -2.0, 1.0);
    let speed = Vec3::new(1.0, 2.0, 0.5) + spin.cross(turn * Vec3::new(0.1, 0.0, 0.2));
    common::near(body(&scene, "f").velocity, speed.to_array());
    common::near(body(&scene, "f").angular_velocity, spin.to_array());
    // 2 rad/s about y at 0.1 m from the anchor.
    common::near(body(&scene, "h").velocity, [0.0, 0.0, -0.2]);
    common::near(body(&scene, "h").angular_velocity, [0.0, 2.0, 0.0]);
    let back = again("m.xml", &export::mjcf(&scene).unwrap());
    for name in ["f", "h", "k", "l"] {
        common::near(body(&back, name).velocity, body(&scene, name).velocity);
        common::near(body(&back, name).angular_velocity, body(&scene, name).angular_velocity);
    }
    let hinged = MOVING.replace("type=\"ball\"", "").replace(" 0.3 -0.4 0.5", " 0.3");
    let made = export::urdf(&common::read("m.xml", &hinged).scene, "m").unwrap();
    assert!(made.notes.iter().any(|n| n.contains("no velocities")), "{:?}", made.notes);
    let error = common::refused("m.xml", &MOVING.replace("qvel=\"1 ", "qvel=\""));
    assert!(error.contains("'qvel': expected 11 numbers, found 10"), "{error}");
}

/// Soft bodies and pairs of materials are left out with a word.
#[test]
fn soft_bodies_and_pairs_are_told() {
    let soft = builtin::find("soft-press").unwrap().file(None);
    let notes = export::mjcf(&soft).unwrap().notes;
    assert!(notes.iter().any(|n| n.contains("soft body")), "{notes:?}");
    let text = r#"{"version": 1, "ground": {"material": "ice"}, "materials": {"ice": {"friction": 0.1}, "rubber": {"friction": 0.9}},
"pairs": [{"materials": ["ice", "rubber"], "together": {"friction": 0.3}}, {"materials": ["ice", "ice"], "together": {"friction": 0.1}}],
"bodies": [{"name": "b", "shape": {"ball": {"radius": 0.1}}, "material": "rubber", "position": [0, 0, 1]}]}"#;
    let notes = export::mjcf(&SceneFile::from_json(text).unwrap()).unwrap().notes;
    let told: Vec<_> = notes.iter().filter(|n| n.contains("pair of materials")).collect();
    assert!(told.len() == 1 && told[0].contains("friction 0.9, not 0.3"), "{notes:?}");
}

/// Limits of URDF let joints move and push; those that are held are so by an equality in MJCF.
#[test]
fn limits_are_what_formats_need() {
    let motor = r#", "limits": {"min": -1, "max": 1}, "motor": {"position": {"target": 0, "stiffness": 10, "damping": 1, "max_force": 7}}"#;
    let text = export::urdf(&on_frames("hinge", 0.0, motor), "m").unwrap().text;
    assert!(text.contains("effort=\"7\"") && !text.contains("velocity=\"0\""), "{text}");
    let text = export::urdf(&on_frames("slider", 0.0, ""), "m").unwrap().text;
    assert!(text.contains("effort=\"10000000000\""), "{text}");
    let held = on_frames("hinge", 0.3, r#", "limits": {"min": 0.3, "max": 0.3}"#);
    let made = export::mjcf(&held).unwrap();
    let line = made.text.lines().find(|l| l.contains("joint1=\"j\"")).unwrap();
    let c: f64 =
        line.split("polycoef=\"").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(c.abs() < 1e-12 && made.text.contains("<equality solref"), "{}", made.text);
    assert!(!made.text.contains("range="), "{}", made.text);
    same(&held, &again("m.xml", &made), 20);
}

/// A load and a block on a rope with branches, which a motor pulls and a spring, too.
const HOIST: &str = r#"<mujoco><worldbody>
<site name="a" pos="0 0 2"/><site name="b" pos="1 0 2"/><site name="c" pos="1.2 0 2"/>
<body name="load" pos="0 0 1"><joint type="slide" axis="0 0 1"/><geom size="0.1" mass="3"/><site name="l"/></body>
<body name="block" pos="1.1 0 1"><joint type="slide" axis="0 0 1"/><geom size="0.1" mass="5"/>
<site name="m" pos="-0.1 0 0"/><site name="n" pos="0.1 0 0"/></body></worldbody>
<tendon><spatial name="rope" range="0 2.1" armature="0.3" damping="2" stiffness="40" springlength="0 1.5"><site site="l"/><site site="a"/>
<pulley divisor="2"/><site site="b"/><site site="m"/><pulley divisor="2"/><site site="n"/><site site="c"/></spatial></tendon>
<actuator><position tendon="rope" kp="30" forcerange="-100 0"/></actuator><keyframe><key ctrl="1"/></keyframe></mujoco>"#;

/// Reels go back to the branches that they were read from.
#[test]
fn reels_become_tendons_with_pulleys() {
    let scene = common::read("m.xml", HOIST).scene;
    let made = export::mjcf(&scene).unwrap();
    let text = &made.text;
    assert!(made.notes.is_empty(), "{:?}", made.notes);
    assert!(!text.contains("reel\"") && !text.contains("<body name=\"rope"), "{text}");
    assert_eq!(text.matches("<pulley divisor=\"2\"/>").count(), 4, "rope and its spring: {text}");
    assert!(text.contains("armature=\"0.3\"") && text.contains("range=\"0 2.1\""), "{text}");
    // What it pulls to is a length again, 2 m at the start: 30 N/m · 1 m.
    let text = text.replace("-0 ", "0 ");
    assert!(text.contains("forcerange=\"-100 0\"") && text.contains("ctrl=\"30"), "{text}");
    let back = again("m.xml", &made);
    let (mut a, mut b) = (scene.build().unwrap(), back.build().unwrap());
    for _ in 0..20 {
        assert!(a.step().unwrap().converged() && b.step().unwrap().converged());
    }
    for name in ["load", "block"] {
        let z = |s: &taut_scenes::Scene| {
            s.world.body(s.world.body_named(name).unwrap()).unwrap().position().z
        };
        assert!((z(&a) - z(&b)).abs() < 1e-5, "{name}: {} {}", z(&a), z(&b));
    }
}

/// A cable over a sheave, and a motor that holds a drum.
#[test]
fn sheaves_and_brakes_are_written() {
    let text = r#"{"version": 1, "bodies": [{"name": "drum", "mass": 1, "inertia": [1, 1, 1]},
{"name": "a", "mass": 1, "inertia": [1, 1, 1], "position": [-1.2, 0, -1]}, {"name": "b", "mass": 1, "inertia": [1, 1, 1], "position": [-0.8, 0, -2]}],
"joints": [{"type": "hinge", "name": "j", "a": "world", "b": "drum", "axis_a": [0, 1, 0], "motor": {"velocity": {"target": 0, "max_force": 70}}, "passive": {"friction": 5}}],
"cables": [{"name": "rope", "via": [{"body": "a"}, {"body": "world", "point": [-1, 0, 0], "pulley": {"axis": [0, 1, 0], "radius": 0.2}}, {"body": "b"}]}]}"#;
    let scene = SceneFile::from_json(text).unwrap();
    let made = export::mjcf(&scene).unwrap();
    assert!(made.notes.iter().all(|n| n.contains("dry friction of its force")), "{:?}", made.notes);
    assert!(made.text.contains("frictionloss=\"75\"") && !made.text.contains("<velocity"));
    // Both hang down, so the cable lies on the upper half: 1 + 2 + 0.2π.
    let side = made.text.lines().find(|l| l.contains("<site name=\"rope.1\"")).unwrap();
    let at = side.split("pos=\"").nth(1).unwrap().split('"').next().unwrap();
    let at: Vec<f64> = at.split_whitespace().map(|w| w.parse().unwrap()).collect();
    assert!((at[0] + 1.0).abs() < 1e-9 && (at[2] - 0.3).abs() < 1e-9, "{side}");
    let back = again("m.xml", &made);
    let (own, found) = (&back.cables[0], 3.0 + 0.2 * std::f64::consts::PI);
    assert!((own.length.unwrap() - found).abs() < 1e-9, "{:?}", own.length);
    assert!(own.via[1].pulley.is_some());
}

/// MuJoCo's dampers of tendons act while these are slack; a cable's does not, and that is said.
#[test]
fn damping_of_cables_is_said() {
    let text = |damping: f64| {
        format!(
            r#"{{"version": 1, "bodies": [{{"name": "a", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, -1]}}],
"cables": [{{"name": "rope", "stiffness": 5000, "damping": {damping}, "via": [{{"body": "world"}}, {{"body": "a"}}]}}]}}"#
        )
    };
    for damping in [0.0, 200.0] {
        let made = export::mjcf(&SceneFile::from_json(&text(damping)).unwrap()).unwrap();
        let said = made.notes.iter().any(|n| n.contains("damping acts there while it is slack"));
        assert_eq!(said, damping > 0.0, "{:?}", made.notes);
    }
}
