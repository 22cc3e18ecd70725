//! URDF files.

mod common;

use common::{TETRAHEDRON, body, folder, joint, near, read, refused};
use std::f64::consts::FRAC_PI_2;
use taut_import::{Options, read as import};
use taut_scenes::file::{JointType, Kind, Shape};

const INERTIAL: &str = r#"<inertial><mass value="2"/><origin xyz="0 0 0.5"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0" iyz="0"/></inertial>"#;

fn arm(joints: &str) -> String {
    format!(
        r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="1 2 4"/></geometry></collision></link>
  <link name="upper">{INERTIAL}
    <collision><origin xyz="0 0 0.5" rpy="0 0 0"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
  <link name="hand">{INERTIAL}</link>
  <link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  {joints}
</robot>"#
    )
}

const JOINTS: &str = r#"
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" effort="5" velocity="1"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="slide" type="prismatic"><parent link="upper"/><child link="hand"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit lower="0.2" upper="0.4"/></joint>
  <joint name="mount" type="fixed"><parent link="hand"/><child link="tool"/><origin xyz="0 0 0.5"/></joint>"#;

#[test]
fn links_become_bodies_and_joints_joints() {
    let machine = read("arm.urdf", &arm(JOINTS));
    assert_eq!(machine.scene.name.as_deref(), Some("arm"));
    assert_eq!(machine.notes, Vec::<String>::new());
    let names: Vec<&str> = machine.scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["base", "upper", "hand"]);
    assert_eq!(body(&machine, "base").kind, Kind::Fixed);
    let shape = &body(&machine, "base").colliders[0].shape;
    assert_eq!(*shape, Shape::cuboid([0.5, 1.0, 2.0]));
    // Turned by 90° about y, z of the arm points along x of the world.
    let upper = body(&machine, "upper");
    near(upper.position, [1.0, 0.0, 0.0]);
    near(upper.orientation, [(FRAC_PI_2 / 2.0).cos(), 0.0, (FRAC_PI_2 / 2.0).sin(), 0.0]);
    near(upper.centre_of_mass.unwrap(), [0.0, 0.0, 0.5]);
    near(upper.inertia_products.unwrap(), [0.01, 0.0, 0.0]);
    let shoulder = joint(&machine, "shoulder");
    assert_eq!(shoulder.joint_type, JointType::Hinge);
    near(shoulder.axis_b.unwrap(), [0.0, 1.0, 0.0]);
    let limits = shoulder.limits.unwrap();
    assert_eq!((limits.min, limits.max), (Some(-1.0), Some(2.0)));
    let passive = shoulder.passive.unwrap();
    assert_eq!((passive.damping, passive.friction), (0.5, 0.25));
    machine.scene.build().unwrap();
}

#[test]
fn a_joint_starts_within_its_limits() {
    let machine = read("arm.urdf", &arm(JOINTS));
    // 0 is outside of 0.2 to 0.4: it starts at 0.2, and its range counts from there.
    near(body(&machine, "hand").position, [2.2, 0.0, 0.0]);
    let limits = joint(&machine, "slide").limits.unwrap();
    near([limits.min.unwrap(), limits.max.unwrap()], [0.0, 0.2]);
}

#[test]
fn fixed_links_are_part_of_their_parent() {
    let machine = read("arm.urdf", &arm(JOINTS));
    let hand = body(&machine, "hand");
    assert_eq!(hand.mass, Some(3.0));
    // Centres at 0.5 of both, the tool's frame is half a metre up.
    near(hand.centre_of_mass.unwrap(), [0.0, 0.0, 0.5]);
    near(hand.inertia.unwrap(), [1.1, 1.2, 1.25]);
}

#[test]
fn mimicking_joints_become_gears_and_start_where_they_belong() {
    let joints = JOINTS.replace(
        r#"<axis xyz="0 0 1"/><limit lower="0.2""#,
        r#"<axis xyz="0 0 1"/><mimic joint="shoulder" multiplier="0.1" offset="0.3"/><limit lower="0.2""#,
    );
    let machine = read("arm.urdf", &arm(&joints));
    let gear = machine.scene.joints.iter().find(|j| j.joint_type == JointType::Gear).unwrap();
    assert_eq!(gear.first.as_deref(), Some("slide"));
    assert_eq!(gear.ratio, Some(0.1));
    near(body(&machine, "hand").position, [2.3, 0.0, 0.0]);
    machine.scene.build().unwrap();
}

#[test]
fn floating_and_planar_joints() {
    let joints = JOINTS.replace(r#"type="revolute""#, r#"type="floating""#);
    let machine = read("arm.urdf", &arm(&joints));
    assert!(machine.scene.joints.iter().all(|j| j.b.as_deref() != Some("upper")));
    let joints = JOINTS.replace(r#"type="revolute""#, r#"type="planar""#);
    let machine = read("arm.urdf", &arm(&joints));
    assert_eq!(machine.notes.len(), 1, "{:?}", machine.notes);
    let kinds: Vec<_> = machine.scene.joints.iter().take(3).map(|j| j.joint_type).collect();
    assert_eq!(kinds, [JointType::Slider, JointType::Slider, JointType::Hinge]);
    let mut scene = machine.scene.build().unwrap();
    assert!(scene.step().unwrap().converged());
}

#[test]
fn a_link_without_mass_between_two_joints_gets_a_little() {
    let text = format!(
        r#"<robot name="r"><link name="a"/><link name="b"/><link name="c">{INERTIAL}</link>
<joint name="x" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="y" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint></robot>"#
    );
    let machine = read("r.urdf", &text);
    near([body(&machine, "b").mass.unwrap()], [2e-4]);
    assert!(machine.notes[0].contains("link 'b' has no mass; it gets 0.0001 of that of 'c'"));
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..30 {
        assert!(scene.step().unwrap().converged());
    }
}

#[test]
fn meshes_are_found_in_packages_and_search_paths() {
    let robot = |uri: &str| {
        format!(
            r#"<robot name="r"><link name="l">{INERTIAL}<collision><geometry><mesh filename="{uri}" scale="2 2 2"/>
</geometry></collision></link></robot>"#
        )
    };
    let (packaged, plain) = (robot("package://bot/meshes/t.stl"), robot("t.stl"));
    let folder = folder(&[
        ("bot/urdf/a.urdf", packaged.as_str()),
        ("bot/urdf/b.urdf", plain.as_str()),
        ("bot/meshes/t.stl", TETRAHEDRON),
    ]);
    let path = |name: &str| folder.path().join("bot").join(name);
    let options = Options { free_base: true, ..Options::default() };
    let machine = import(&path("urdf/a.urdf"), &options).unwrap();
    let Shape::ConvexHull { points } = &machine.scene.bodies[0].colliders[0].shape else {
        panic!()
    };
    assert_eq!(points.len(), 4);
    assert!(points.contains(&[0.0, 2.0, 0.0]));
    let missing = import(&path("urdf/b.urdf"), &options).unwrap_err().to_string();
    assert!(
        missing
            .ends_with("mesh 't.stl' is not there; --mesh-path FOLDER says where to look (line 2)"),
        "{missing}"
    );
    let options = Options { mesh_paths: vec![path("meshes")], ..options };
    assert!(import(&path("urdf/b.urdf"), &options).is_ok());
}

#[test]
fn what_is_left_out_is_told_and_strict_refuses_it() {
    let text = r#"<robot name="r"><link name="l"/><transmission name="t"/><transmission name="u"/>
<gazebo reference="l"/></robot>"#;
    let folder = folder(&[("r.urdf", text)]);
    let path = folder.path().join("r.urdf");
    let notes = import(&path, &Options::default()).unwrap().notes;
    let notes: Vec<String> = notes.iter().map(|n| common::without(n, folder.path())).collect();
    assert_eq!(
        notes,
        [
            "r.urdf: gazebo is left out (line 2)",
            "r.urdf: transmission 't' and 1 more are left out (line 1)"
        ]
    );
    let strict = Options { strict: true, ..Options::default() };
    assert!(import(&path, &strict).unwrap_err().to_string().contains("refused"));
}

#[test]
fn mistakes_are_one_line_with_the_line() {
    let link = |name: &str| format!(r#"<link name="{name}">{INERTIAL}</link>"#);
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>"#
        )
    };
    let robot = |inside: &[String]| format!("<robot name=\"r\">\n{}\n</robot>", inside.join("\n"));
    let (a, b) = (link("a"), link("b"));
    let cases = [
        (robot(&[a.clone(), a.clone()]), "link 'a': a second link of that name (line 4)"),
        (robot(&[a.clone(), joint("j", "a", "x")]), "child: no link is named 'x' (line 4)"),
        (
            robot(&[a.clone(), b.clone(), joint("j", "a", "b"), joint("k", "b", "a")]),
            "robot 'r': no link is the root: the joints form a cycle, or there are no links (line 1)",
        ),
        (robot(&[a.clone(), b.clone()]), "two links have no parent: 'a' and 'b' (line 4)"),
        (
            robot(&[a.clone(), b.clone(), joint("j", "a", "b").replace("continuous", "screw")]),
            "joint 'j': expected the type revolute, continuous, prismatic, fixed, floating or planar, found 'screw' (line 6)",
        ),
        (
            robot(&[a.clone(), b.clone(), joint("j", "a", "b").replace("continuous", "revolute")]),
            "joint 'j': limit is missing, which revolute and prismatic joints need (line 6)",
        ),
        (
            robot(&[a.replace("value=\"2\"", "value=\"NaN\"")]),
            "mass: 'value': expected a finite number, found 'NaN' (line 2)",
        ),
        (
            robot(&[a.replace("value=\"2\"", "value=\"-2\"")]),
            "mass: 'value': expected at least 0, found -2 (line 2)",
        ),
        (
            robot(&[a.clone(), b.replace("0.25", "0").replace("0.2", "0"), joint("j", "a", "b")]),
            "link 'b' moves, but its inertia about an axis is [0.1, 0.0, 0.0] (line 4)",
        ),
        (
            robot(&[a, "<link name=\"b\"/>".into(), joint("j", "a", "b")]),
            "link 'b' moves, but has neither mass nor shape (line 4)",
        ),
        (
            "<robot><link></robot>".into(),
            "not valid XML: expected 'link' tag, not 'robot' (line 1)",
        ),
        (
            "<html/>".into(),
            "expected robot (URDF), mujoco (MJCF) or sdf (SDFormat), found element 'html' (line 1)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused("r.urdf", &text), format!("r.urdf: {expected}"), "{text}");
    }
}

#[test]
fn hostile_files_are_refused_quickly() {
    let bomb = r#"<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>"#;
    assert!(refused("bomb.urdf", bomb).contains("not valid XML"));
    let deep = format!("{}{}", "<robot>".repeat(100_000), "</robot>".repeat(100_000));
    assert!(refused("deep.urdf", &deep).contains("nested more than 300 deep"));
    let circle = (0..50).map(|i| {
        format!(
            r#"<link name="l{i}">{INERTIAL}</link><joint name="j{i}" type="continuous"><parent link="l{}"/><child link="l{i}"/></joint>"#,
            (i + 1) % 50
        )
    });
    let circle: String = circle.collect();
    assert!(refused("circle.urdf", &format!("<robot>{circle}</robot>")).contains("cycle"));
    let ring = JOINTS.replace(r#"<limit lower="-1""#, r#"<mimic joint="slide"/><limit lower="-1""#);
    let ring =
        ring.replace(r#"<limit lower="0.2""#, r#"<mimic joint="shoulder"/><limit lower="0.2""#);
    assert!(refused("ring.urdf", &arm(&ring)).contains("in a circle"));
}

#[test]
fn what_is_not_read_is_noted() {
    let text = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpi="1 0 0"/><dynamics dampping="1"/>
<limit effort="1" velocity="1"/><spring k="3"/></joint></robot>"#;
    let expected = [
        "'rpi' of origin is not read (line 2)",
        "'dampping' of dynamics is not read (line 2)",
        "spring of joint 'j' is not read (line 3)",
    ];
    let notes = read("r.urdf", text).notes;
    assert!(
        notes.len() == 3 && notes.iter().zip(expected).all(|(n, e)| n.ends_with(e)),
        "{notes:?}"
    );
}

/// An L: its hull holds the corner, its convex parts do not; they are kept in a folder.
#[test]
fn meshes_in_convex_parts() {
    let obj = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1
f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
    let text = r#"<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><mesh filename="l.obj"/></geometry></collision></link></robot>"#;
    let folder = common::folder(&[("m.urdf", text), ("l.obj", obj)]);
    let options = taut_import::Options {
        decompose: true,
        mesh_cache: Some(folder.path().join("cache")),
        free_base: true,
        ..taut_import::Options::default()
    };
    let read = || taut_import::read(&folder.path().join("m.urdf"), &options).unwrap();
    let first = read();
    let taut_scenes::file::Shape::Compound { parts } =
        &common::body(&first, "l").colliders[0].shape
    else {
        panic!("one shape")
    };
    assert!((2..=6).contains(&parts.len()), "{} parts", parts.len());
    let mut volume = 0.0;
    for part in parts {
        let taut_scenes::file::Shape::ConvexHull { points } = &part.shape else {
            panic!("no hull")
        };
        let span = |k: usize| {
            let of = points.iter().map(|p| p[k]);
            (of.clone().fold(f64::MAX, f64::min), of.fold(f64::MIN, f64::max))
        };
        let [x, y, z] = [span(0), span(1), span(2)];
        // No part holds much of the corner that is cut out.
        assert!(x.1 < 1.1 || y.1 < 1.1, "{x:?} {y:?}");
        volume += (x.1 - x.0) * (y.1 - y.0) * (z.1 - z.0);
    }
    assert!((2.8..3.4).contains(&volume), "{volume}");
    assert_eq!(std::fs::read_dir(folder.path().join("cache")).unwrap().count(), 1);
    assert_eq!(read().scene, first.scene);
}

#[test]
fn a_scene_file_closes_the_loop_of_a_urdf() {
    let inertial = r#"<inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>"#;
    let text = format!(
        r#"<robot name="r"><link name="base"/><link name="a">{inertial}</link><link name="b">{inertial}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint></robot>"#
    );
    let loops = r#"{"version": 1, "joints": [{"type": "ball", "name": "pin", "a": "world", "b": "b", "anchor_a": [2, 0, 0], "anchor_b": [1, 0, 0]}]}"#;
    let folder = common::folder(&[
        ("m.urdf", &text),
        ("loops.json", loops),
        ("bad.json", &loops.replace("\"b\", \"anchor_a", "\"none\", \"anchor_a")),
    ]);
    let read = |name: &str| {
        let with = vec![folder.path().join(name)];
        let options = taut_import::Options { with, ..Default::default() };
        taut_import::read(&folder.path().join("m.urdf"), &options)
    };
    let mut scene = read("loops.json").unwrap().scene.build().unwrap();
    for _ in 0..30 {
        assert!(scene.step().unwrap().converged());
    }
    let b = scene.world.body(scene.world.body_named("b").unwrap()).unwrap();
    let end = b.pose() * taut::math::Vec3::X;
    assert!(end.distance(taut::math::Vec3::new(2.0, 0.0, 0.0)) < 1e-6, "{end}");
    let error = common::without(&read("bad.json").unwrap_err().to_string(), folder.path());
    assert!(error.contains("bad.json") && error.contains("none"), "{error}");
}
