//! SDFormat files.

mod common;

use common::{body, joint as joint_named, near, read, refused};
use taut_scenes::file::{JointType, Kind};

const INERTIAL: &str = "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>";

#[test]
fn poses_relative_to_frames() {
    let text = format!(
        r#"<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0</pose>
<frame name="f" attached_to="a"><pose>0 0 0.5 0 0 1.5707963267948966</pose></frame>
<link name="a"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link>
<link name="b"><pose relative_to="f">1 0 0 0 0 0</pose>{INERTIAL}</link>
<joint name="base" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="revolute"><pose>0 0 0.25 0 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1e16</upper></limit><dynamics><damping>0.5</damping></dynamics></axis></joint>
</model></sdf>"#
    );
    let machine = read("m.sdf", &text);
    let b = body(&machine, "b");
    near(b.position, [1.0, 1.0, 1.5]);
    let j = joint_named(&machine, "j");
    assert_eq!((j.joint_type, j.a.as_deref()), (JointType::Hinge, Some("world")));
    near(j.anchor_a.unwrap(), [1.0, 1.0, 1.75]);
    near(j.axis_a.unwrap(), [0.0, 1.0, 0.0]);
    let limits = j.limits.unwrap();
    assert_eq!((limits.min, limits.max), (Some(-1.0), None));
    assert_eq!(j.passive.unwrap().damping, 0.5);
}

/// A crank, a rod and a rocker; the rocker's joint to the world is 1 m below its frame.
#[test]
fn loops_are_closed() {
    let link = |name: &str, x: f64, z: f64| {
        format!("<link name=\"{name}\"><pose>{x} 0 {z} 0 0 0</pose>{INERTIAL}</link>")
    };
    let joint = |name: &str, parent: &str, child: &str, z: f64| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><pose>0 0 {z} 0 0 0</pose><parent>{parent}</parent>
<child>{child}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        )
    };
    let text = format!(
        "<sdf version=\"1.9\"><model name=\"m\">{}{}{}{}{}{}{}</model></sdf>",
        link("crank", 0.0, 0.0),
        link("rod", 0.0, 1.0),
        link("rocker", 2.0, 1.0),
        joint("w", "world", "crank", 0.0),
        joint("x", "crank", "rod", 0.0),
        joint("y", "rod", "rocker", 0.0),
        joint("z", "world", "rocker", -1.0),
    );
    let machine = read("m.sdf", &text);
    assert_eq!(machine.scene.joints.len(), 4);
    assert!(machine.scene.joints.iter().all(|j| j.joint_type == JointType::Hinge));
    near(joint_named(&machine, "z").anchor_a.unwrap(), [2.0, 0.0, 0.0]);
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..30 {
        assert!(scene.step().unwrap().converged());
    }
    let rocker = scene.world.body(scene.bodies[2]).unwrap().pose();
    let pivot = rocker * taut::math::Vec3::new(0.0, 0.0, -1.0);
    assert!(pivot.distance(taut::math::Vec3::new(2.0, 0.0, 0.0)) < 1e-6, "{pivot}");
}

#[test]
fn worlds_have_models_that_stand_or_fall() {
    let model = |name: &str, fixed: bool, z: f64| {
        format!(
            "<model name=\"{name}\"><static>{fixed}</static><pose>0 0 {z} 0 0 0</pose><link name=\"l\">{INERTIAL}<collision name=\"c\"><geometry><box><size>1 1 1</size></box></geometry><surface><friction><ode><mu>0.3</mu></ode></friction></surface></collision></link></model>"
        )
    };
    let text = format!(
        "<sdf version=\"1.6\"><world name=\"w\"><gravity>0 0 -3.7</gravity>{}{}<plugin name=\"p\"/></world></sdf>",
        model("floor", true, 0.0),
        model("crate", false, 1.0),
    );
    let machine = read("w.sdf", &text);
    assert_eq!(machine.scene.gravity, [0.0, 0.0, -3.7]);
    assert_eq!(machine.notes.len(), 1);
    assert_eq!(body(&machine, "floor::l").kind, Kind::Fixed);
    assert_eq!(body(&machine, "crate::l").kind, Kind::Dynamic);
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..30 {
        assert!(scene.step().unwrap().converged());
    }
    let rest = scene.world.body(scene.bodies[1]).unwrap();
    assert!((rest.pose().translation.z - 1.0).abs() < 1e-3);
}

#[test]
fn mistakes_are_one_line_with_the_line() {
    let model =
        |inside: &str| format!("<sdf version=\"1.9\"><model name=\"m\">\n{inside}\n</model></sdf>");
    let cases = [
        (
            model(
                "<link name=\"a\"><pose relative_to=\"b\"/></link>\n<link name=\"b\"><pose relative_to=\"a\"/></link>",
            ),
            "the pose of 'a' is relative to itself (line 2)",
        ),
        (
            model("<link name=\"a\"><pose>1 2</pose></link>"),
            "pose: expected 6 numbers, found 2 (line 2)",
        ),
        (
            model("<link name=\"a\"/><link name=\"a\"/>"),
            "link 'a': a second link, joint, frame or model of that name (line 2)",
        ),
        (
            model(
                "<link name=\"a\"/>\n<joint name=\"j\" type=\"ball\"><parent>x</parent><child>a</child></joint>",
            ),
            "parent: no link is named 'x' (line 3)",
        ),
        ("<sdf version=\"1.9\"/>".into(), "there is no link in it (line 1)"),
    ];
    for (text, expected) in cases {
        assert_eq!(refused("m.sdf", &text), format!("m.sdf: {expected}"), "{text}");
    }
}
