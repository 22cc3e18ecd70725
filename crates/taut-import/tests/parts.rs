//! MJCF: models in models, copies, pictures of heights, fitted shapes, rotors.

mod common;

use common::{body, folder, joint, near, read, without};
use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;
use taut_import::{Imported, Options};
use taut_scenes::file::{Drive, Motor, Shape};

const CHILD: &str = r#"<mujoco model="child"><compiler angle="radian" autolimits="false"/>
<default><joint damping="0.3"/><default class="light"><geom density="200"/></default></default>
<worldbody><body name="base" pos="0 0 0.1" euler="0 0 1.5707963267948966">
<joint name="j" axis="0 1 0" range="-0.5 0.5" limited="true"/><geom type="box" size="0.1 0.1 0.1"/>
<body name="tip" pos="0.3 0 0"><joint name="k" axis="0 0 1" range="0 1"/><geom class="light" size="0.1"/></body></body>
<body name="other"><freejoint name="f"/><geom size="0.1"/></body></worldbody>
<actuator><position joint="j" kp="3"/><motor joint="f"/></actuator></mujoco>"#;

fn attached(body: &str) -> Imported {
    let main = format!(
        r#"<mujoco><default><joint damping="5"/><geom density="1"/></default>
<asset><model name="c" file="sub/child.xml"/></asset>
<worldbody><body name="root" pos="0 0 1"><joint name="r" range="-90 90"/><geom size="0.1"/>
<frame pos="0.2 0 0" euler="0 0 90"><attach model="c" {body} prefix="L-"/></frame>
<frame pos="-0.2 0 0"><attach model="c" {body} prefix="R-"/></frame></body></worldbody></mujoco>"#
    );
    let folder = folder(&[("m.xml", &main), ("sub/child.xml", CHILD)]);
    taut_import::read(&folder.path().join("m.xml"), &Options::default()).unwrap()
}

/// The attached model keeps its angles, limits and classes, and its names are behind the prefix.
#[test]
fn models_are_attached() {
    let machine = attached(r#"body="base""#);
    assert_eq!(machine.notes, Vec::<String>::new());
    let names: Vec<&str> = machine.scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["root", "L-base", "L-tip", "R-base", "R-tip"]);
    near(body(&machine, "R-base").position, [-0.2, 0.0, 1.1]);
    near(body(&machine, "R-tip").position, [-0.2, 0.3, 1.1]);
    near(body(&machine, "L-tip").position, [-0.1, 0.0, 1.1]);
    let tip = body(&machine, "R-tip").mass.unwrap();
    near([tip], [200.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3]);
    let j = joint(&machine, "L-j");
    near([j.limits.unwrap().max.unwrap(), j.passive.unwrap().damping], [0.5, 0.3]);
    assert!(matches!(j.motor, Some(Motor::Position { stiffness: 3.0, .. })));
    assert!(joint(&machine, "L-k").limits.is_none());
    let r = joint(&machine, "r");
    near(
        [r.limits.unwrap().max.unwrap(), r.passive.unwrap().damping],
        [std::f64::consts::FRAC_PI_2, 5.0],
    );
}

#[test]
fn models_that_attach_themselves_are_refused() {
    let text = r#"<mujoco><asset><model name="c" file="m.xml"/></asset><worldbody><body name="a"><geom size="1"/>
<attach model="c" prefix="x"/></body></worldbody></mujoco>"#;
    let folder = folder(&[("m.xml", text)]);
    let error = taut_import::read(&folder.path().join("m.xml"), &Options::default()).unwrap_err();
    let message = without(&error.to_string(), folder.path());
    assert_eq!(
        message,
        "m.xml: mujoco: too many models attached; does one attach itself? (line 1)"
    );
}

/// The third copy is moved and turned twice; what refers to copies is copied.
#[test]
fn copies_are_placed_and_named() {
    let machine = read(
        "m.xml",
        r#"<mujoco><worldbody><replicate count="10" euler="0 0 90" offset="1 0 0" sep="-">
<body name="b" pos="0 0 2"><joint name="h" axis="0 1 0"/><geom size="0.1"/></body></replicate></worldbody>
<actuator><position joint="h" kp="4"/></actuator></mujoco>"#,
    );
    assert_eq!((machine.scene.bodies.len(), machine.notes.len()), (10, 0));
    near(body(&machine, "b-02").position, [1.0, 1.0, 2.0]);
    let h = joint(&machine, "h-09");
    assert!(matches!(h.motor, Some(Motor::Position { stiffness: 4.0, .. })));
}

#[test]
fn too_many_copies_are_refused() {
    let message = common::refused(
        "m.xml",
        r#"<mujoco><worldbody><replicate count="1e9"><geom size="1"/></replicate></worldbody></mujoco>"#,
    );
    assert!(message.contains("'count': expected a whole number from 1 to"), "{message}");
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    // The checksum is not looked at.
    [&(body.len() as u32).to_be_bytes(), &kind[..], body, &[0; 4]].concat()
}

/// Two by two pixels with a filter each: the last row is that of least y.
#[test]
fn pictures_of_heights() {
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::fast());
    // 0 255 by differences to the left, 51 102 by differences to the row above.
    deflated.write_all(&[1, 0, 255, 2, 51, 103]).unwrap();
    let head = [0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0];
    let png = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &head),
        chunk(b"IDAT", &deflated.finish().unwrap()),
        chunk(b"IEND", &[]),
    ]
    .concat();
    let text = r#"<mujoco><asset><hfield name="h" file="h.png" size="1 1 0.5 0.1"/></asset>
<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"#;
    let folder = folder(&[("m.xml", text)]);
    std::fs::write(folder.path().join("h.png"), png).unwrap();
    let machine = taut_import::read(&folder.path().join("m.xml"), &Options::default()).unwrap();
    let Shape::HeightField { heights, .. } = &machine.scene.bodies[0].colliders[0].shape else {
        panic!("{:?}", machine.scene.bodies[0].colliders)
    };
    near([heights[0], heights[1], heights[2], heights[3]], [0.1, 0.2, 0.0, 0.5]);
}

/// A capsule fitted to a box of 2 × 4 × 12: its axis is the longest, its sizes those of MuJoCo.
#[test]
fn shapes_are_fitted_to_meshes() {
    let machine = read(
        "m.xml",
        r#"<mujoco><asset><mesh name="b" vertex="-6 -1 -2 -6 -1 2 -6 1 -2 -6 1 2 6 -1 -2 6 -1 2 6 1 -2 6 1 2"/></asset>
<worldbody><body name="a"><freejoint/><geom type="capsule" mesh="b" pos="0 0 3" mass="1"/></body></worldbody></mujoco>"#,
    );
    let collider = &body(&machine, "a").colliders[0];
    let Shape::Capsule { half_length, radius } = collider.shape else {
        panic!("{:?}", collider.shape)
    };
    near([half_length, radius], [5.25, 1.5]);
    near(collider.position, [0.0, 0.0, 3.0]);
    let [w, x, y, z] = collider.orientation;
    // z of the capsule along x of the mesh.
    near([(2.0 * (x * z + w * y)).abs()], [1.0]);
}

/// Two rotors on arms: their sum and moment about the centre of mass, within the range of the control; it hovers.
#[test]
fn rotors_push_in_the_frame_of_the_body() {
    let machine = read(
        "m.xml",
        r#"<mujoco><worldbody><body name="d" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.03" mass="1"/>
<site name="s" pos="0.2 0 0"/><site name="t" pos="-0.2 0.1 0"/></body></worldbody>
<actuator><motor site="s" gear="0 0 2 0 0 0.1" ctrlrange="0 3"/><motor site="t" gear="0 0 1 0 0 0"/></actuator>
<keyframe><key ctrl="7 3.81"/></keyframe></mujoco>"#,
    );
    assert_eq!(machine.notes, Vec::<String>::new());
    let [Drive::Force(drive)] = &machine.scene.drives[..] else {
        panic!("{:?}", machine.scene.drives)
    };
    assert!(drive.local);
    near(drive.force[0].1, [0.0, 0.0, 9.81]);
    near(drive.torque[0].1, [0.381, -6.0 * 0.2 + 3.81 * 0.2, 0.3]);
    let level = read(
        "m.xml",
        r#"<mujoco><worldbody><body name="d" pos="0 0 1" euler="90 0 0"><freejoint/><geom size="0.1" mass="1"/>
<site name="s" euler="-90 0 0"/></body></worldbody><actuator><motor site="s" gear="0 0 1"/></actuator>
<keyframe><key ctrl="9.81"/></keyframe></mujoco>"#,
    );
    let mut scene = level.scene.build().unwrap();
    for _ in 0..30 {
        assert!(scene.step().unwrap().converged());
    }
    let d = scene.world.body_named("d").unwrap();
    near(scene.world.body(d).unwrap().pose().translation.into(), [0.0, 0.0, 1.0]);
}

/// A face of four corners that is not flat is cut along its shorter diagonal; of two objects the first counts.
#[test]
fn wavefront_faces_and_objects() {
    let obj = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nv 0 0 1\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5
o b\nv 9 9 9\nv 10 9 9\nv 9 10 9\nv 9 9 10\nf 6 8 7\nf 6 7 9\nf 7 8 9\nf 8 6 9\n";
    let text = r#"<mujoco><asset><mesh name="m" file="m.obj" inertia="exact"/></asset><worldbody><body name="a"><freejoint/>
<geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>"#;
    let folder = folder(&[("m.xml", text), ("m.obj", obj)]);
    let machine = taut_import::read(&folder.path().join("m.xml"), &Options::default()).unwrap();
    // Two tetrahedra on both sides of the diagonal between the corners that are not raised, which is the shorter one.
    near([body(&machine, "a").mass.unwrap()], [1.0 / 6.0 + 1.5 / 6.0]);
}

/// MuJoCo's PID plugin is a spring and a damper.
#[test]
fn the_pid_plugin() {
    let machine = read(
        "m.xml",
        r#"<mujoco><extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="2"/>
<config key="kd" value="0.5"/></instance></plugin></extension>
<worldbody><body name="b"><joint name="h"/><geom size="0.1"/></body></worldbody>
<actuator><plugin joint="h" plugin="mujoco.pid" instance="i" actdim="1"/></actuator></mujoco>"#,
    );
    assert_eq!(machine.notes, Vec::<String>::new());
    let motor = joint(&machine, "h").motor.unwrap();
    let expected = Motor::Position { target: 0.0, stiffness: 2.0, damping: 0.5, max_force: None };
    assert_eq!(motor, expected);
}

/// A body that is written before the joint of its parent: positions of keyframes go by bodies.
#[test]
fn keyframes_go_by_bodies() {
    let machine = read(
        "m.xml",
        r#"<mujoco><worldbody><body name="a"><body name="b" pos="1 0 0"><joint name="k" axis="0 0 1"/><geom size="0.1"/></body>
<joint name="j" type="slide" axis="0 0 1"/><geom size="0.1"/></body></worldbody><keyframe><key qpos="3 0"/></keyframe></mujoco>"#,
    );
    near(body(&machine, "b").position, [1.0, 0.0, 3.0]);
    near(body(&machine, "b").orientation, [1.0, 0.0, 0.0, 0.0]);
}

/// Muscles of one reason are one line.
#[test]
fn actuators_that_are_left_out_are_counted() {
    let muscles = "<muscle name=\"m\" joint=\"h\"/>".repeat(3);
    let text = format!(
        "<mujoco><worldbody><body name=\"b\"><joint name=\"h\"/><geom size=\"0.1\"/></body></worldbody><actuator>{muscles}</actuator></mujoco>"
    );
    let notes = read("m.xml", &text).notes;
    let said: Vec<&str> = notes.iter().filter_map(|n| n.split("m.xml: ").nth(1)).collect();
    assert_eq!(said, ["muscle 'm' and 2 more: muscle is no affine force: left out (line 1)"]);
}

/// A shoulder that starts 2 cm inside the base it turns on: the joint holds it there, so they do not collide.
#[test]
fn neighbours_inside_one_another() {
    let text = r#"<mujoco><worldbody><body name="base"><geom type="box" size="0.1 0.1 0.1"/>
<body name="arm" pos="0 0 0.18"><joint name="j"/><geom type="box" size="0.1 0.1 0.1"/></body></body></worldbody></mujoco>"#;
    let machine = read("m.xml", text);
    let expected = "'base' and 'arm' start 20.0 mm inside one another, where a joint holds them: they do not collide (line 1)";
    assert!(
        machine.notes.len() == 1 && machine.notes[0].ends_with(expected),
        "{:?}",
        machine.notes
    );
    let mut scene = machine.scene.build().unwrap();
    let report = scene.step().unwrap();
    assert!(report.converged() && report.max_joint_gap < 1e-9);
    // Where they merely touch they collide as ever.
    assert!(read("m.xml", &text.replace("0.18", "0.2")).notes.is_empty());
}
