//! A hundred robots' files that are wrong: one line that says what and where, exit status 2, no panic, at once.

mod common;

use common::{stderr, taut};
use std::fs;
use std::path::Path;

/// Files beside the robot.
fn meshes(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("a file");
    let mut counted = vec![0; 84];
    counted[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    write("huge.stl", &counted);
    write("short.stl", b"abc");
    write("empty.stl", b"solid x\nendsolid x\n");
    write("nan.stl", b"solid x\nvertex nan 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid x\n");
    write("odd.stl", b"solid x\nvertex 0 0 0\nvertex 1 0 0\nendsolid x\n");
    write("far.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999\n");
    write("two.obj", b"v 0 0 0\nv 1 0 0\nf 1 2\n");
    write("word.obj", b"v 0 zero 0\n");
    write("loop.xml", b"<mujoco><include file=\"loop.xml\"/></mujoco>");
    fs::create_dir_all(folder.join("folder.stl")).expect("a folder");
}

const INERTIAL: &str = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;

/// A URDF of a base, a link `b` that holds this, and a joint that says this.
fn urdf(link: &str, joint: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a"/><link name="b">{link}</link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{joint}</joint></robot>"#
    )
}

fn urdfs() -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &str)> = Vec::new();
    for (link, words) in [
        ("", "neither mass nor shape"),
        ("<inertial/>", "mass is missing"),
        (r#"<inertial><mass value="1"/></inertial>"#, "inertia is missing"),
        (
            r#"<inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#,
            "at least 0",
        ),
        (
            r#"<inertial><mass value="nan"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#,
            "finite number",
        ),
        (
            r#"<inertial><mass value="1e999"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#,
            "finite number",
        ),
        (
            r#"<inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial>"#,
            "inertia about an axis",
        ),
        (
            r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9"/></inertial>"#,
            "inertia that no body has",
        ),
        (
            r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="5"/></inertial>"#,
            "inertia that no body has",
        ),
        (
            r#"<inertial><mass value="1 2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#,
            "expected 1 number",
        ),
        (
            r#"<inertial><origin xyz="0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#,
            "expected 3 numbers",
        ),
        ("<collision/>", "geometry is missing"),
        ("<collision><geometry/></collision>", "expected box"),
        (r#"<collision><geometry><sphere/></geometry></collision>"#, "'radius' is missing"),
        (r#"<collision><geometry><sphere radius="0"/></geometry></collision>"#, "positive length"),
        (r#"<collision><geometry><sphere radius="-1"/></geometry></collision>"#, "positive length"),
        (r#"<collision><geometry><box size="1 1"/></geometry></collision>"#, "expected 3 numbers"),
        (r#"<collision><geometry><box size="1 1 0"/></geometry></collision>"#, "positive lengths"),
        (
            r#"<collision><geometry><cylinder radius="1"/></geometry></collision>"#,
            "'length' is missing",
        ),
        (r#"<collision><geometry><mesh/></geometry></collision>"#, "'filename' is missing"),
        (
            r#"<collision><geometry><mesh filename="none.stl"/></geometry></collision>"#,
            "is not there",
        ),
        (
            r#"<collision><geometry><mesh filename="package://p/none.stl"/></geometry></collision>"#,
            "is not there",
        ),
        (
            r#"<collision><geometry><mesh filename="huge.stl"/></geometry></collision>"#,
            "for 4294967295 triangles",
        ),
        (
            r#"<collision><geometry><mesh filename="short.stl"/></geometry></collision>"#,
            "too short",
        ),
        (
            r#"<collision><geometry><mesh filename="empty.stl"/></geometry></collision>"#,
            "no triangles",
        ),
        (r#"<collision><geometry><mesh filename="nan.stl"/></geometry></collision>"#, "not finite"),
        (
            r#"<collision><geometry><mesh filename="odd.stl"/></geometry></collision>"#,
            "three vertices",
        ),
        (
            r#"<collision><geometry><mesh filename="far.obj"/></geometry></collision>"#,
            "no such vertex",
        ),
        (
            r#"<collision><geometry><mesh filename="two.obj"/></geometry></collision>"#,
            "three corners",
        ),
        (
            r#"<collision><geometry><mesh filename="word.obj"/></geometry></collision>"#,
            "three numbers",
        ),
        (
            r#"<collision><geometry><mesh filename="folder.stl"/></geometry></collision>"#,
            "is not there",
        ),
    ] {
        all.push((urdf(link, ""), words));
    }
    for (joint, words) in [
        (r#"<axis xyz="0 0 0"/>"#, "no direction"),
        (r#"<axis xyz="x y z"/>"#, "finite number"),
        (r#"<origin rpy="1 2 3 4"/>"#, "expected 3 numbers"),
        (r#"<mimic joint="none"/>"#, "no joint that moves is named 'none'"),
        (r#"<mimic joint="j"/>"#, "in a circle"),
        (r#"<mimic/>"#, "'joint' is missing"),
        (r#"<dynamics damping="-1"/>"#, "at least 0"),
        (r#"<dynamics friction="much"/>"#, "finite number"),
    ] {
        all.push((urdf(INERTIAL, joint), words));
    }
    let whole = urdf(INERTIAL, "");
    for (from, to, words) in [
        ("</robot>", "", "not valid XML"),
        (
            "<robot",
            "<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><robot",
            "not valid XML",
        ),
        ("type=\"continuous\"", "type=\"revolute\"", "limit is missing"),
        ("type=\"continuous\"", "type=\"elastic\"", "expected the type"),
        ("type=\"continuous\"", "", "'type' is missing"),
        ("<parent link=\"a\"/>", "", "parent is missing"),
        ("<parent link=\"a\"/>", "<parent link=\"c\"/>", "no link is named 'c'"),
        ("<parent link=\"a\"/>", "<parent link=\"b\"/>", "cycle"),
        ("<child link=\"b\"/>", "<child/>", "'link' is missing"),
        ("<link name=\"a\"/>", "<link name=\"a\"/><link name=\"a\"/>", "second link of that name"),
        ("<link name=\"a\"/>", "<link/>", "'name' is missing"),
        ("<link name=\"a\"/>", "", "no link is named 'a'"),
        (
            "</robot>",
            "<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>",
            "second joint of that name",
        ),
        (
            "</robot>",
            "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>",
            "cycle",
        ),
        (
            "</robot>",
            "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
            "two parents",
        ),
        ("</robot>", "<link name=\"c\"/></robot>", "two links have no parent"),
        ("robot", "machine", "expected robot"),
    ] {
        all.push((whole.replace(from, to), words));
    }
    all
}

/// An MJCF of a body `b` with a hinge `j` that holds this, and more after the world.
fn mjcf(body: &str, rest: &str) -> String {
    format!(
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><site name="s"/>
<body name="b"><joint name="j"/><geom name="g" size="0.1"/>{body}</body></worldbody>{rest}</mujoco>"#
    )
}

fn mjcfs() -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &str)> = Vec::new();
    for (body, words) in [
        ("<joint name=\"j\"/>", "second joint of that name"),
        ("<freejoint/>", "no other joint"),
        ("<joint type=\"screw\"/>", "expected free, ball, hinge or slide"),
        ("<joint axis=\"0 0 0\"/>", "no direction"),
        ("<joint range=\"2 1\"/>", "min ≤ max"),
        ("<joint damping=\"-1\"/>", "at least 0"),
        ("<joint damping=\"1 2\"/>", "higher powers"),
        ("<joint class=\"none\"/>", "no default class"),
        ("<body name=\"b\"/>", "second body of that name"),
        ("<body><freejoint/></body>", "free joint is for bodies of the world"),
        ("<geom type=\"box\" size=\"1\"/>", "has 3 positive numbers"),
        ("<geom type=\"sphere\" size=\"nan\"/>", "finite number"),
        ("<geom type=\"blob\"/>", "is not known"),
        ("<geom type=\"mesh\" mesh=\"none\"/>", "no mesh is named 'none'"),
        ("<geom type=\"plane\" size=\"1 1 1\"/>", "bodies that do not move"),
        ("<geom size=\"1\" contype=\"-1\"/>", "32 bits"),
        ("<geom size=\"1\" friction=\"-1\"/>", "at least 0"),
        ("<geom size=\"1\" quat=\"0 0 0 0\"/>", "no direction"),
        ("<geom type=\"capsule\" size=\"1\" fromto=\"1 1 1 1 1 1\"/>", "both points are the same"),
        ("<inertial pos=\"0 0 0\" mass=\"1\"/>", "inertia"),
        ("<inertial pos=\"0 0 0\" mass=\"x\" diaginertia=\"1 1 1\"/>", "finite number"),
    ] {
        all.push((mjcf(body, ""), words));
    }
    for (rest, words) in [
        ("<include file=\"loop.xml\"/>", "include"),
        ("<include file=\"none.xml\"/>", "no file"),
        ("<compiler eulerseq=\"xyw\"/>", "three of x, y, z"),
        (
            "<asset><mesh name=\"m\" file=\"huge.stl\"/></asset><worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>",
            "for 4294967295 triangles",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0 1\"/></asset><worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>",
            "three numbers",
        ),
        (
            "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 1 4000000000\"/></asset><worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody>",
            "indices of vertices",
        ),
        ("<asset><mesh name=\"m\"/><mesh name=\"m\"/></asset>", "second mesh"),
        (
            "<asset><hfield name=\"h\" nrow=\"1000000\" ncol=\"1000000\" size=\"1 1 1 1\"/></asset><worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody>",
            "at most",
        ),
        ("<contact><pair geom1=\"g\" geom2=\"none\"/></contact>", "no geom is named 'none'"),
        ("<contact><exclude body1=\"b\" body2=\"none\"/></contact>", "no body is named 'none'"),
        ("<equality><connect body1=\"b\"/></equality>", "'anchor' is missing"),
        ("<equality><weld body1=\"none\"/></equality>", "no body is named 'none'"),
        ("<equality><joint joint1=\"none\"/></equality>", "no hinge or slide is named 'none'"),
        ("<equality><tendon tendon1=\"none\"/></equality>", "no tendon is named 'none'"),
        ("<tendon><fixed name=\"t\"/></tendon>", "has no joints"),
        (
            "<tendon><fixed name=\"t\"><joint joint=\"none\" coef=\"1\"/></fixed></tendon>",
            "no hinge or slide is named 'none'",
        ),
        ("<tendon><spatial><site site=\"s\"/></spatial></tendon>", "runs from site to site"),
        ("<tendon><spatial/></tendon>", "runs from site to site"),
        ("<tendon><spatial><pulley/></spatial></tendon>", "'divisor' is missing"),
        ("<tendon><spatial><pulley divisor=\"0\"/></spatial></tendon>", "a divisor above 0"),
        ("<tendon><spatial><pulley divisor=\"nan\"/></spatial></tendon>", "finite number"),
        (
            "<tendon><spatial><site site=\"s\"/><pulley divisor=\"2\"/><site site=\"s\"/></spatial></tendon>",
            "runs from site to site",
        ),
        ("<option timestep=\"-1\"/>", "more than 0"),
        ("<option timestep=\"1 2\"/>", "expected 1 number"),
        (
            "<tendon><spatial><site site=\"s\"/><geom geom=\"floor\"/><site site=\"s\"/></spatial></tendon>",
            "neither sphere nor cylinder",
        ),
        ("<actuator><motor joint=\"none\"/></actuator>", "no joint is named 'none'"),
        ("<actuator><motor joint=\"j\" forcerange=\"1 -1\"/></actuator>", "min ≤ max"),
        ("<keyframe><key qpos=\"1 2 3\"/></keyframe>", "expected 1 numbers, found 3"),
    ] {
        all.push((mjcf("", rest), words));
    }
    all.push((
        format!(
            "<mujoco><worldbody>{}{}</worldbody></mujoco>",
            "<body>".repeat(400),
            "</body>".repeat(400)
        ),
        "nested more than",
    ));
    all.push((
        "<mujoco><worldbody><joint/></worldbody></mujoco>".into(),
        "the world has no joints",
    ));
    all
}

/// An SDFormat model of two links, with this in the second and this after them.
fn sdf(link: &str, rest: &str) -> String {
    format!(
        r#"<sdf version="1.9"><model name="m"><link name="a"/><link name="b">{link}</link>{rest}</model></sdf>"#
    )
}

fn sdfs() -> Vec<(String, &'static str)> {
    let joint = |inner: &str| {
        format!(
            "<joint name=\"j\" type=\"revolute\"><parent>a</parent><child>b</child>{inner}</joint>"
        )
    };
    vec![
        (sdf("<pose>1 2</pose>", ""), "numbers"),
        (sdf("<pose relative_to=\"none\">0 0 0 0 0 0</pose>", ""), "none"),
        (sdf("<inertial><mass>-1</mass></inertial>", ""), "at least 0"),
        (sdf("<collision name=\"c\"/>", ""), "geometry is missing"),
        (
            sdf("<collision name=\"c\"><geometry><box/></geometry></collision>", ""),
            "size is missing",
        ),
        (
            sdf(
                "<collision name=\"c\"><geometry><sphere><radius>0</radius></sphere></geometry></collision>",
                "",
            ),
            "positive length",
        ),
        (
            sdf("<collision name=\"c\"><geometry><mesh/></geometry></collision>", ""),
            "uri is missing",
        ),
        (
            sdf(
                "<collision name=\"c\"><geometry><mesh><uri>none.stl</uri></mesh></geometry></collision>",
                "",
            ),
            "is not there",
        ),
        (sdf("", "<link name=\"b\"/>"), "second"),
        (sdf("", &joint("").replace("<parent>a</parent>", "<parent>none</parent>")), "none"),
        (sdf("", &joint("<axis><xyz>0 0 0</xyz></axis>")), "direction"),
        (sdf("", &joint("<axis><xyz>1 0</xyz></axis>")), "expected 3 numbers"),
        (sdf("", &joint("").replace("<child>b<", "<child>none<")), "none"),
        ("<sdf version=\"1.9\"/>".into(), "there is no link"),
        (
            "<sdf version=\"1.9\"><world name=\"w\"><physics><max_step_size>0</max_step_size></physics></world></sdf>".into(),
            "more than 0",
        ),
    ]
}

#[test]
fn a_hundred_wrong_robots_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    meshes(dir.path());
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, files) in [("r.urdf", urdfs()), ("r.xml", mjcfs()), ("r.sdf", sdfs())] {
        let path = dir.path().join(name);
        for (text, words) in files {
            fs::write(&path, &text).expect("a file");
            let run = taut(["run", &path.display().to_string(), "--frames", "1"]);
            let said = stderr(&run);
            let errors = said.lines().filter(|l| !l.contains("warning") && !l.starts_with("hint"));
            let one = errors.clone().count() == 1 && errors.clone().any(|l| l.contains(words));
            if run.status.code() != Some(2) || !one || said.contains("panicked") {
                let text: String = text.chars().take(500).collect();
                wrong.push(format!("{text}\n  said: {said}  expected: {words}"));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 100, "{count}");
}
