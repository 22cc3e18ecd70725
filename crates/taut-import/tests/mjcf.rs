//! MJCF files.

mod common;

use common::{TETRAHEDRON, body, folder, joint, near, read, refused};
use std::f64::consts::{FRAC_PI_2, PI};
use taut_import::{Options, Start, read as import};
use taut_scenes::file::{JointType, Kind, Motor, Shape};

fn model(body: &str) -> String {
    format!("<mujoco model=\"m\">\n{body}\n</mujoco>")
}

const INERTIAL: &str = r#"<inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.25"/>"#;

#[test]
fn defaults_classes_and_degrees() {
    let text = model(&format!(
        r#"<default><joint damping="1" armature="0.1"/><default class="knee"><joint damping="2" range="-90 45"/></default></default>
<worldbody><body name="a" pos="0 0 1" childclass="knee">{INERTIAL}<joint name="j" axis="0 2 0" ref="30" springref="60" stiffness="5"/>
<body name="b" euler="0 90 0">{INERTIAL}<joint name="k" class="main" type="slide" pos="1 0 0" frictionloss="3"/></body></body></worldbody>"#
    ));
    let machine = read("m.xml", &text);
    let j = joint(&machine, "j");
    let passive = j.passive.unwrap();
    assert_eq!((passive.damping, passive.armature, passive.stiffness), (2.0, 0.1, 5.0));
    // Coordinates of a scene count from the start, here 30°.
    near([passive.rest], [PI / 6.0]);
    let limits = j.limits.unwrap();
    near([limits.min.unwrap(), limits.max.unwrap()], [-120_f64.to_radians(), 15_f64.to_radians()]);
    let k = joint(&machine, "k");
    assert_eq!((k.joint_type, k.limits), (JointType::Slider, None));
    assert_eq!(k.passive.unwrap().friction, 3.0);
    near(body(&machine, "b").orientation, [(PI / 4.0).cos(), 0.0, (PI / 4.0).sin(), 0.0]);
}

#[test]
fn orientations_in_all_ways() {
    let ways = [
        (r#"quat="0 0 0 2""#, [0.0, 0.0, 0.0, 1.0]),
        (r#"axisangle="0 0 3 3.141592653589793""#, [0.0, 0.0, 0.0, 1.0]),
        (r#"xyaxes="-1 0 0 0 -2 0""#, [0.0, 0.0, 0.0, 1.0]),
        (r#"zaxis="1 0 0""#, [0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt(), 0.0]),
        // Fixed axes: first about z by 90°, then about x by 90°.
        (r#"euler="1.5707963267948966 1.5707963267948966 0""#, [0.5, 0.5, -0.5, 0.5]),
    ];
    for (way, expected) in ways {
        let text = model(&format!(
            r#"<compiler angle="radian" eulerseq="ZXY"/><worldbody><body name="a" {way}><freejoint/>{INERTIAL}</body></worldbody>"#
        ));
        let q = body(&read("m.xml", &text), "a").orientation;
        let sign =
            if q.iter().zip(&expected).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        near(q, expected.map(|x| sign * x));
    }
}

#[test]
fn mass_of_geoms() {
    let text = model(
        r#"<worldbody><body name="a"><freejoint/><geom type="box" size="1 2 3" density="10"/>
<geom type="capsule" fromto="0 0 -1 0 0 1" size="0.5" mass="0"/><geom size="1" pos="0 0 4" mass="480"/></body></worldbody>"#,
    );
    let machine = read("m.xml", &text);
    let a = body(&machine, "a");
    assert_eq!(a.mass, Some(960.0));
    near(a.centre_of_mass.unwrap(), [0.0, 0.0, 2.0]);
    let along = 480.0 * (1.0 + 4.0) / 3.0 + 480.0 * 0.4;
    near([a.inertia.unwrap()[2]], [along]);
    assert_eq!(a.colliders.len(), 3);
    assert_eq!(a.colliders[1].shape, Shape::capsule(1.0, 0.5));
}

#[test]
fn a_mesh_has_the_mass_of_its_volume_and_collides_as_its_hull() {
    let text = model(
        r#"<compiler meshdir="meshes"/><asset><mesh file="t.stl" scale="1 1 6"/></asset>
<worldbody><body name="a"><freejoint/><geom type="mesh" mesh="t" density="3"/></body></worldbody>"#,
    );
    let folder = folder(&[("m.xml", text.as_str()), ("meshes/t.stl", TETRAHEDRON)]);
    let machine = import(&folder.path().join("m.xml"), &Options::default()).unwrap();
    let a = body(&machine, "a");
    near([a.mass.unwrap()], [3.0]);
    near(a.centre_of_mass.unwrap(), [0.25, 0.25, 1.5]);
    // ∫x² dV of a tetrahedron with legs 1, 1, 6 about its centre is V·3/80·leg².
    let square = |leg: f64| 3.0 * 3.0 / 80.0 * leg * leg;
    near([a.inertia.unwrap()[0]], [square(1.0) + square(6.0)]);
    assert!(matches!(a.colliders[0].shape, Shape::ConvexHull { ref points } if points.len() == 4));
}

#[test]
fn geoms_collide_by_their_bits_and_rub_with_the_larger_friction() {
    let text = model(
        r#"<worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.25"/>
<body name="a"><freejoint/><geom size="1" contype="2" conaffinity="1" friction="0.5 0.01 0.001" condim="4"/>
<geom size="2" contype="0" conaffinity="0" mass="0"/></body>
<body name="b"><freejoint/><geom size="1" contype="0" conaffinity="2" friction="2" priority="1"/></body></worldbody>"#,
    );
    let machine = read("m.xml", &text);
    let floor = body(&machine, "worldbody");
    assert_eq!(floor.kind, Kind::Fixed);
    let (a, b) = (body(&machine, "a"), body(&machine, "b"));
    assert_eq!(a.colliders.len(), 1, "what meets nothing is no collider");
    let meet = |x: &taut_scenes::file::Body, y: &taut_scenes::file::Body| {
        let (x, y) =
            (x.colliders[0].collision_groups.unwrap(), y.colliders[0].collision_groups.unwrap());
        x.membership & y.mask != 0 && y.membership & x.mask != 0
    };
    assert!(meet(floor, a) && meet(a, b) && !meet(floor, b) && !meet(a, a));
    let name = |x: &taut_scenes::file::Body| x.colliders[0].material.clone().unwrap();
    let pair = |x, y| {
        let both = [name(x), name(y)];
        machine.scene.pairs.iter().find(|p| p.materials == both).unwrap().together.clone()
    };
    assert_eq!(pair(floor, a).friction, 0.5);
    assert_eq!(pair(floor, a).torsional_friction, 0.01);
    assert_eq!(pair(a, b).friction, 2.0);
    assert_eq!(pair(a, b).torsional_friction, 0.0);
    machine.scene.build().unwrap();
}

#[test]
fn actuators_become_motors() {
    let joints = "position velocity general motor";
    let bodies: String = joints
        .split(' ')
        .map(|n| {
            format!(
                r#"<body name="{n}" pos="0 0 9">{INERTIAL}<joint name="{n}" range="-3 3"/></body>"#
            )
        })
        .collect();
    let text = model(&format!(
        r#"<compiler angle="radian"/><default><position kp="100" forcerange="-5 5"/></default><worldbody>{bodies}</worldbody>
<actuator><position joint="position" kv="3" gear="2"/><velocity joint="velocity" kv="7"/>
<general joint="general" gainprm="4" biastype="affine" biasprm="1 -4 -2"/><motor joint="motor" gear="3"/></actuator>
<keyframe><key name="home" qpos="0.5 0 0 0" ctrl="1 0 0.25 2"/></keyframe>"#
    ));
    let machine = read("m.xml", &text);
    let motor = |name| joint(&machine, name).motor.unwrap();
    // A target of u = 1 for twice the angle is 0.5, which is where it starts.
    let Motor::Position { target, stiffness, damping, max_force } = motor("position") else {
        panic!()
    };
    near([target, stiffness, damping, max_force.unwrap()], [0.0, 400.0, 12.0, 10.0]);
    let Motor::Affine { force, stiffness, damping, .. } = motor("velocity") else { panic!() };
    assert_eq!((force, stiffness, damping), (0.0, 0.0, 7.0));
    let Motor::Position { target, stiffness, damping, .. } = motor("general") else { panic!() };
    near([target, stiffness, damping], [0.5, 4.0, 2.0]);
    assert_eq!(motor("motor"), Motor::Force { force: 6.0 });
    let limits = joint(&machine, "position").limits.unwrap();
    near([limits.min.unwrap()], [-3.5]);
}

#[test]
fn keyframes_place_the_machine() {
    let text = model(&format!(
        r#"<worldbody><body name="a" pos="1 0 0">{INERTIAL}<freejoint/><body name="b" pos="1 0 0">{INERTIAL}<joint/></body></body></worldbody>
<keyframe><key name="up" qpos="0 0 5 1 0 0 0 0"/><key name="turned" qpos="0 0 2 1 0 0 0 1.5707963267948966"/></keyframe>"#
    ));
    let folder = folder(&[("m.xml", text.as_str())]);
    let at = |start| {
        let options = Options { start, ..Options::default() };
        let machine = import(&folder.path().join("m.xml"), &options);
        machine.map(|m| (body(&m, "a").position, body(&m, "b").position, body(&m, "b").orientation))
    };
    assert_eq!(at(Start::First).unwrap().0, [0.0, 0.0, 5.0]);
    assert_eq!(at(Start::Reference).unwrap().1, [2.0, 0.0, 0.0]);
    let (_, b, q) = at(Start::Named("turned".into())).unwrap();
    near(b, [1.0, 0.0, 2.0]);
    near(q, [(FRAC_PI_2 / 2.0).cos(), 0.0, 0.0, (FRAC_PI_2 / 2.0).sin()]);
    let missing = at(Start::Named("down".into())).unwrap_err().to_string();
    assert!(missing.contains("no keyframe is named 'down'; known: up, turned"), "{missing}");
}

#[test]
fn without_a_keyframe_joints_start_within_their_limits() {
    let text = model(&format!(
        r#"<compiler angle="radian"/><worldbody><body name="a">{INERTIAL}<joint name="j" type="slide" range="0.5 1"/></body></worldbody>"#
    ));
    let folder = folder(&[("m.xml", text.as_str())]);
    let at = |start| {
        let options = Options { start, ..Options::default() };
        body(&import(&folder.path().join("m.xml"), &options).unwrap(), "a").position
    };
    assert_eq!(at(Start::First), [0.0, 0.0, 0.5]);
    assert_eq!(at(Start::Reference), [0.0, 0.0, 0.0]);
}

#[test]
fn equalities_close_loops_and_couple_joints() {
    let link = |name: &str, pos: &str, inside: &str| {
        format!(
            r#"<body name="{name}" pos="{pos}">{INERTIAL}<joint name="{name}" axis="0 1 0"/>{inside}</body>"#
        )
    };
    let bodies = link("crank", "0 0 0", &link("rod", "0 0 1", "")) + &link("rocker", "2 0 0", "");
    let text = model(&format!(
        r#"<worldbody>{bodies}</worldbody><equality><connect body1="rod" body2="rocker" anchor="2 0 0"/>
<joint joint1="crank" joint2="rocker" polycoef="0 -2 0 0 0"/><joint joint1="rod" polycoef="0 1 3"/></equality>"#
    ));
    let machine = read("m.xml", &text);
    let ball = machine.scene.joints.iter().find(|j| j.joint_type == JointType::Ball).unwrap();
    near(ball.anchor_a.unwrap(), [2.0, 0.0, 0.0]);
    near(ball.anchor_b.unwrap(), [0.0, 0.0, 1.0]);
    let gear = machine.scene.joints.iter().find(|j| j.joint_type == JointType::Gear).unwrap();
    assert_eq!(gear.ratio, Some(-2.0));
    let held = joint(&machine, "rod").limits.unwrap();
    assert_eq!((held.min, held.max), (Some(0.0), Some(0.0)));
    machine.scene.build().unwrap();
}

#[test]
fn includes_frames_and_excludes() {
    let main = model(
        r#"<include file="part.xml"/><worldbody><frame pos="0 0 1" euler="0 0 90"><body name="b" pos="1 0 0"><freejoint/><geom size="0.1"/></body></frame></worldbody>
<contact><exclude body1="a" body2="b"/></contact>"#,
    );
    let part = r#"<mujocoinclude><worldbody><body name="a"><freejoint/><geom size="0.1"/></body></worldbody></mujocoinclude>"#;
    let ring = r#"<mujoco><include file="ring.xml"/></mujoco>"#;
    let folder = folder(&[("m.xml", main.as_str()), ("part.xml", part), ("ring.xml", ring)]);
    let machine = import(&folder.path().join("m.xml"), &Options::default()).unwrap();
    near(body(&machine, "b").position, [0.0, 1.0, 1.0]);
    let apart = machine.scene.joints.iter().find(|j| j.joint_type == JointType::Compliant).unwrap();
    assert!(!apart.collides);
    let endless = import(&folder.path().join("ring.xml"), &Options::default()).unwrap_err();
    assert!(endless.to_string().contains("too many includes"), "{endless}");
}

#[test]
fn mistakes_are_one_line_with_the_line() {
    let body =
        |inside: &str| model(&format!("<worldbody><body name=\"a\">\n{inside}</body></worldbody>"));
    let cases = [
        (body("<joint/>"), "link 'a' moves, but has neither mass nor shape (line 2)"),
        (body("<joint axis=\"0 0 0\"/>"), "joint: the axis has no direction (line 3)"),
        (body("<joint class=\"x\"/>"), "joint: no default class is named 'x' (line 3)"),
        (
            body("<joint range=\"2 1\"/>"),
            "joint: 'range': expected min ≤ max, found [2.0, 1.0] (line 3)",
        ),
        (
            body("<joint type=\"screw\"/>"),
            "joint: 'type': expected free, ball, hinge or slide, found 'screw' (line 3)",
        ),
        (
            body("<geom type=\"box\" size=\"1 0 1\"/>"),
            "geom: 'size': a box has 3 positive numbers, found [1.0, 0.0, 1.0] (line 3)",
        ),
        (
            body("<geom size=\"inf\"/>"),
            "geom: 'size': expected a finite number, found 'inf' (line 3)",
        ),
        (body("<geom type=\"mesh\" mesh=\"x\"/>"), "geom: no mesh is named 'x' (line 3)"),
        (body("<body name=\"a\"/>"), "body 'a': a second body of that name (line 3)"),
        (
            body("<joint/><geom type=\"plane\" size=\"1 1 1\"/>"),
            "geom: a plane is for bodies that do not move (line 3)",
        ),
        (
            model("<worldbody/>\n<keyframe><key qpos=\"1\"/></keyframe>"),
            "key: 'qpos': expected 0 numbers, found 1 (line 3)",
        ),
        (
            model("<worldbody/>\n<equality><joint joint1=\"x\"/></equality>"),
            "joint: no hinge or slide is named 'x' (line 3)",
        ),
        (
            model(
                "<asset><mesh name=\"t\" vertex=\"0 0 0\" face=\"0 1 2\"/></asset>\n<worldbody><geom type=\"mesh\" mesh=\"t\"/></worldbody>",
            ),
            "mesh 't': 'face': expected indices of vertices (line 2)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused("m.xml", &text), format!("m.xml: {expected}"), "{text}");
    }
}

/// Whether the notes are these, without file and line.
fn noted(machine: &taut_import::Imported, expected: &[&str]) {
    let words = |l: &String| l.split_once("m.xml: ").map(|(_, w)| w.to_string()).unwrap();
    let found: Vec<String> = machine.notes.iter().map(words).collect();
    let same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(f, e)| f.starts_with(&format!("{e} (line ")));
    assert!(same, "found {found:?}, expected {expected:?}");
}

#[test]
fn what_is_not_read_is_noted() {
    let text = model(&format!(
        r#"<option density="1.2" actuatorgroupdisable="1" wind="0 0 0" timestep="0.1"><flag override="enable" energy="enable"/></option>
<default><joint armature="0.5"/></default><worldbody><body name="a"><joint name="f" type="free" damping="2"/>{INERTIAL}</body>
<body name="b">{INERTIAL}<joint name="j" dampping="3" solreflimit="1 1"/><geom size="1" rgba="1 0 0 1" frction="2"/></body></worldbody>
<actuator><position joint="j" kp="3" timeconst="0.1" forcerange="-1 2"/><position joint="j" kp="3" forcerange="-1 1"/></actuator>"#
    ));
    noted(
        &read("m.xml", &text),
        &[
            "'actuatorgroupdisable' of option is not read",
            "'dampping' of joint 'j' is not read",
            "'frction' of geom is not read",
            "'timeconst' of position is not read",
            "flag 'override' is not read",
            "option: density: forces of fluids are left out",
            "joint 'f': damping of free joints is left out",
            "joint 'f': armature of free joints is left out",
            "position acts beside others: only the sum of their forces is limited",
        ],
    );
}

#[test]
fn flags_disable_parts_of_the_model() {
    let text = |flags: &str| {
        model(&format!(
            r#"<option><flag {flags}/></option><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-10 10" damping="1" stiffness="2" frictionloss="3"/>{INERTIAL}<geom size="0.1"/></body>
<body name="b"><freejoint/>{INERTIAL}</body></worldbody><equality><weld body1="a" body2="b"/></equality>
<actuator><motor joint="j" ctrlrange="-1 1"/></actuator><keyframe><key ctrl="5"/></keyframe>"#
        ))
    };
    let whole = read("m.xml", &text(""));
    let j = joint(&whole, "j");
    assert_eq!(j.motor, Some(Motor::Force { force: 1.0 }));
    assert!(j.limits.is_some() && !j.collides && whole.scene.joints.len() == 2);
    assert_eq!(whole.scene.bodies.iter().map(|b| b.colliders.len()).sum::<usize>(), 2);

    let part = read("m.xml", &text(r#"contact="disable" limit="disable" spring="disable""#));
    let j = joint(&part, "j");
    let passive = j.passive.unwrap();
    assert_eq!((passive.damping, passive.stiffness, passive.friction), (1.0, 0.0, 3.0));
    assert_eq!(j.limits, None);
    assert!(part.scene.bodies.iter().all(|b| b.colliders.is_empty()));

    let part = read("m.xml", &text(r#"constraint="disable" damper="disable" actuation="disable""#));
    let j = joint(&part, "j");
    let passive = j.passive.unwrap();
    assert_eq!((passive.damping, passive.stiffness, passive.friction), (0.0, 2.0, 0.0));
    assert_eq!((j.limits, j.motor, part.scene.joints.len()), (None, None, 1));

    let flags = r#"clampctrl="disable" filterparent="disable" gravity="disable""#;
    let part = read("m.xml", &text(flags));
    let j = joint(&part, "j");
    assert_eq!(j.motor, Some(Motor::Force { force: 5.0 }));
    assert!(j.collides);
    assert_eq!(part.scene.gravity, [0.0; 3]);
}

#[test]
fn a_force_stays_within_a_range_that_is_not_symmetric() {
    for (range, control, force) in
        [("-1 4", -3.0, -2.0), ("-1 4", 9.0, 8.0), ("1 4", 0.0, 2.0), ("-4 1", 3.0, 2.0)]
    {
        let text = model(&format!(
            r#"<worldbody><body name="a">{INERTIAL}<joint name="j"/></body></worldbody>
<actuator><motor joint="j" gear="2" forcerange="{range}"/></actuator><keyframe><key ctrl="{control}"/></keyframe>"#
        ));
        assert_eq!(joint(&read("m.xml", &text), "j").motor, Some(Motor::Force { force }));
    }
}

/// A ball joint that starts 1 rad off, without gravity: half a swing later it is 1 rad off on the other side.
#[test]
fn the_spring_of_a_ball_joint_rests_at_the_reference() {
    let (sin, cos) = 0.5_f64.sin_cos();
    let text = model(&format!(
        r#"<option gravity="0 0 0"/><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
<joint type="ball" stiffness="0.1"/></body></worldbody><keyframe><key qpos="{cos} {sin} 0 0"/></keyframe>"#
    ));
    let mut file = read("m.xml", &text).scene;
    file.dt = PI / 500.0;
    let mut scene = file.build().unwrap();
    for _ in 0..500 {
        assert!(scene.step().unwrap().converged());
    }
    let turn = scene.world.body(scene.bodies[0]).unwrap().pose().rotation;
    let angle = 2.0 * (turn.x / turn.w).atan();
    assert!((angle + 1.0).abs() < 0.02, "{angle}");
}

/// A damper brakes the angular velocity however far the joint has turned: ω = ω₀ exp(−ct/I) where all moments are alike.
#[test]
fn the_damper_of_a_ball_joint_brakes_what_turns() {
    for spring in ["", "stiffness=\"1e-9\""] {
        let text = model(&format!(
            r#"<option gravity="0 0 0"/><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
<joint type="ball" damping="0.05" {spring}/></body></worldbody><keyframe><key qpos="0 0 0 1" qvel="1 0 0.3"/></keyframe>"#
        ));
        let mut file = read("m.xml", &text).scene;
        file.dt = 0.01;
        let mut scene = file.build().unwrap();
        for _ in 0..200 {
            assert!(scene.step().unwrap().converged());
        }
        let body = scene.world.body(scene.bodies[0]).unwrap();
        // Of second order in the step: (1 − x/2)/(1 + x/2) for exp(−x).
        let expected = 1.09_f64.sqrt() * ((1.0 - 0.0025) / (1.0 + 0.0025_f64)).powi(200);
        let spin = body.angular_velocity().length();
        assert!((spin - expected).abs() < 1e-6, "{spin} instead of {expected}");
    }
}

#[test]
fn frames_of_inertia_are_told_not_to_be_read() {
    let free = |a: &str| {
        format!(r#"<worldbody><body name="a"><freejoint {a}/>{INERTIAL}</body></worldbody>"#)
    };
    let notes = |text: &str| read("m.xml", &model(text)).notes;
    assert!(notes(&free("align=\"false\"")).is_empty());
    let compiler = "<compiler alignfree=\"true\"/>";
    for text in [free("align=\"true\""), format!("{compiler}{}", free(""))] {
        let notes = notes(&text);
        assert!(notes.iter().any(|n| n.contains("'align' is not read")), "{notes:?}");
    }
}

#[test]
fn points_without_faces_are_their_hull() {
    let text = model(
        r#"<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 6"/></asset>
<worldbody><body name="a"><freejoint/><geom type="mesh" mesh="t" density="3"/></body></worldbody>"#,
    );
    near([body(&read("m.xml", &text), "a").mass.unwrap()], [3.0]);
}

#[test]
fn impossible_bodies_are_refused_with_the_line() {
    let world = |inside: &str| model(&format!("<worldbody>\n{inside}</worldbody>"));
    let cases = [
        (
            world(&format!(
                "<body name=\"a\">{INERTIAL}<freejoint/><body>\n<freejoint/></body></body>"
            )),
            "freejoint: a free joint is for bodies of the world, not of other bodies (line 4)",
        ),
        (
            world(&format!("<body>{INERTIAL}<freejoint/>\n<joint name=\"j\"/></body>")),
            "joint 'j': a body with a free joint has no other joint (line 4)",
        ),
        (
            world("<body name=\"a\"><joint/><inertial mass=\"1\" diaginertia=\"1 1 3\"/></body>"),
            "link 'a' has an inertia that no body has: [1.0, 1.0, 3.0], [0.0, 0.0, 0.0] kg·m² (line 3)",
        ),
        (
            world("<body name=\"a\"><joint/><geom type=\"sdf\"/></body>"),
            "link 'a' moves, but has neither mass nor shape; what was left out: m.xml: geom: sdf is left out (line 3) (line 3)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused("m.xml", &text), format!("m.xml: {expected}"), "{text}");
    }
}

#[test]
fn steps_of_the_file_are_taken_on_request() {
    let text = r#"<mujoco><option timestep="0.002"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody>
<keyframe><key qpos="0 0 2 0 0 0 0"/></keyframe></mujoco>"#;
    let folder = common::folder(&[("m.xml", text)]);
    let step = |file_step| {
        let options = taut_import::Options { file_step, ..Default::default() };
        taut_import::read(&folder.path().join("m.xml"), &options).unwrap().scene.dt
    };
    assert_eq!(step(false), 1.0 / 60.0);
    assert_eq!(step(true), 0.002);
    // A quaternion of no length does not turn.
    let machine = common::read("m.xml", text);
    assert_eq!(machine.scene.bodies[0].orientation, [1.0, 0.0, 0.0, 0.0]);
    let wrong = text.replace("0.002", "0");
    assert!(common::refused("m.xml", &wrong).contains("'timestep': expected more than 0"));
}

#[test]
fn what_says_a_place_twice_is_refused() {
    let geom = |g: &str| refused("m.xml", &format!("<mujoco><worldbody>{g}</worldbody></mujoco>"));
    let both = geom(r#"<geom type="sphere" size="0.1" pos="1 0 0" fromto="0 0 0 1 1 1"/>"#);
    assert_eq!(
        both,
        "m.xml: geom: 'fromto' is for a capsule, cylinder, box or ellipsoid, not for a sphere (line 1)"
    );
    let both = geom(r#"<geom type="capsule" size="0.1" pos="1 0 0" fromto="0 0 0 1 1 1"/>"#);
    assert!(both.contains("both 'pos' and 'fromto' say where it is"), "{both}");
    let both = geom(r#"<geom size="0.1" quat="1 0 0 0" euler="0 0 1"/>"#);
    assert!(both.contains("both 'quat' and 'euler' say how it is turned"), "{both}");
}

/// A weld is meant at the reference, wherever a keyframe puts its bodies, and a given place is that of the anchor.
#[test]
fn welds_are_meant_at_the_reference() {
    let text = |weld: &str, q: &str| {
        format!(
            r#"<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>
<body name="f" pos="0.5 0 1"><freejoint/><geom size="0.1"/><site name="s" pos="0.1 0 0"/></body></worldbody>
<equality><weld body1="a" body2="f" {weld}/></equality><keyframe><key qpos="0 {q} 1 0 0 0"/></keyframe></mujoco>"#
        )
    };
    let gap = |text: &str| {
        let mut scene = read("m.xml", text).scene.build().unwrap();
        scene.step().unwrap().max_joint_gap
    };
    // It starts 0.2 m away from where the weld wants it.
    let machine = read("m.xml", &text("name=\"w\"", "0.7 0 1"));
    near(joint(&machine, "w").anchor_a.unwrap(), [0.5, 0.0, 0.0]);
    // The anchor of f, not its origin, is at 0.5.
    assert!(gap(&text(r#"anchor="0.1 0 0" relpose="0.5 0 0 1 0 0 0""#, "0.4 0 1")) < 1e-9);
}

#[test]
fn weight_of_uneven_parts_is_noted() {
    let text = r#"<mujoco><worldbody><body name="b" gravcomp="1"><joint/><geom size="0.1" mass="1"/>
<body name="tip" pos="1 0 0"><geom size="0.1" mass="1"/></body></body></worldbody></mujoco>"#;
    noted(
        &read("m.xml", text),
        &[
            "link 'b' has parts with different gravcomp, whose weight acts at its centre of mass: a torque of up to 4.91 N·m is left out",
        ],
    );
}
