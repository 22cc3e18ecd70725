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

/// The link lies on its side in a model that is turned by 90° about z.
#[test]
fn axes_are_in_the_frame_that_the_version_means() {
    let axis = |version: &str, attribute: &str, more: &str| {
        let text = format!(
            r#"<sdf version="{version}"><model name="m"><pose>0 0 1 0 0 1.5707963267948966</pose>
<link name="l"><pose>0 0 0 1.5707963267948966 0 0</pose>{INERTIAL}</link><joint name="j" type="revolute"><parent>world</parent>
<child>l</child><axis><xyz {attribute}>0 1 0</xyz>{more}</axis></joint></model></sdf>"#
        );
        let machine = read("m.sdf", &text);
        assert!(machine.notes.is_empty(), "{:?}", machine.notes);
        joint_named(&machine, "j").axis_a.unwrap()
    };
    let (in_model, in_joint) = ([-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let parent = "<use_parent_model_frame>true</use_parent_model_frame>";
    near(axis("1.4", "", ""), in_model);
    near(axis("1.6", "", ""), in_joint);
    near(axis("1.6", "", parent), in_model);
    near(axis("1.11", "", ""), in_joint);
    near(axis("1.11", "expressed_in=\"__model__\"", ""), in_model);
}

/// A lift and one that sinks twice as fast: with equal masses m, m·a + 4m·a = −m·g + 2m·g.
#[test]
fn mimic_is_a_gear() {
    let lift = |name: &str, x: f64, mimic: &str| {
        format!(
            "<link name=\"{name}\"><pose>{x} 0 0 0 0 0</pose>{INERTIAL}</link><joint name=\"j{name}\" type=\"prismatic\"><parent>world</parent>
<child>{name}</child><axis><xyz>0 0 1</xyz>{mimic}</axis></joint>"
        )
    };
    let mimic = "<mimic joint=\"ja\"><multiplier>-2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>";
    let text = format!(
        "<sdf version=\"1.11\"><model name=\"m\">{}{}</model></sdf>",
        lift("a", 0.0, ""),
        lift("b", 1.0, mimic)
    );
    let machine = read("m.sdf", &text);
    near(body(&machine, "b").position, [1.0, 0.0, 1.0]);
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..60 {
        assert!(scene.step().unwrap().converged());
    }
    let speed = |i: usize| scene.world.body(scene.bodies[i]).unwrap().velocity().z;
    let g = 9.81;
    let time = 60.0 * machine.scene.dt;
    assert!((speed(0) - 0.2 * g * time).abs() < 1e-3, "{}", speed(0));
    assert!((speed(1) + 0.4 * g * time).abs() < 2e-3, "{}", speed(1));
}

#[test]
fn inertia_by_density_and_bounce() {
    let text = r#"<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"/>
<collision name="c"><pose>0 0 1 0 0 0</pose><density>500</density><geometry><box><size>0.2 0.2 0.2</size></box></geometry>
<surface><bounce><restitution_coefficient>0.8</restitution_coefficient></bounce></surface></collision></link></model></sdf>"#;
    let machine = read("m.sdf", text);
    let a = body(&machine, "a");
    near([a.mass.unwrap()], [4.0]);
    near(a.centre_of_mass.unwrap(), [0.0, 0.0, 1.0]);
    near(a.inertia.unwrap(), [4.0 * 0.04 / 6.0; 3]);
    let material = &machine.scene.materials[a.colliders[0].material.as_ref().unwrap()];
    assert_eq!(material.restitution, 0.8);
}

#[test]
fn what_is_not_read_is_noted() {
    let text = r#"<sdf version="1.11"><model name="m" placement_frame="a"><link name="a"><kinematic>true</kinematic><self_collide>false</self_collide>
<inertial><mass>1</mass></inertial><collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry>
<surface><friction><ode><mu>1</mu><mu2>2</mu2><slip1>0</slip1></ode></friction><contact><collide_bitmask>2</collide_bitmask></contact></surface></collision></link></model></sdf>"#;
    let expected = [
        "'placement_frame' of model 'm' is not read (line 1)",
        "kinematic of link 'a' is not read (line 1)",
        "collide_bitmask of contact is not read (line 3)",
        "collision 'c': mu2 is not read (line 2)",
    ];
    let notes = read("m.sdf", text).notes;
    assert!(
        notes.len() == 4 && notes.iter().zip(expected).all(|(n, e)| n.ends_with(e)),
        "{notes:?}"
    );
    let lost = text.replace("<mass>1</mass>", "<pose relative_to=\"x\"/>");
    assert_eq!(refused("m.sdf", &lost), "m.sdf: no frame is named 'x' (line 2)");
}

/// A model of another file, twice, with names and poses of its own; its mesh lies beside it.
#[test]
fn models_are_included() {
    let arm = format!(
        r#"<sdf version="1.9"><model name="arm"><pose>9 9 9 0 0 0</pose><link name="a">{INERTIAL}
<collision name="c"><geometry><mesh><uri>t.stl</uri></mesh></geometry></collision></link></model></sdf>"#
    );
    let world = r#"<sdf version="1.9"><world name="w"><frame name="table"><pose>0 0 2 0 0 0</pose></frame>
<include><uri>model://arm</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>
<include><uri>model://arm</uri><name>right</name><pose relative_to="table">0 1 0 0 0 0</pose><static>true</static></include>
<include><uri>model://sun</uri></include></world></sdf>"#;
    let files = [
        ("w.sdf", world),
        ("arm/model.config", "<model><sdf version=\"1.9\">arm.sdf</sdf></model>"),
        ("arm/arm.sdf", &arm),
        ("arm/t.stl", common::TETRAHEDRON),
    ];
    let folder = common::folder(&files);
    let options = taut_import::Options::default();
    let machine = taut_import::read(&folder.path().join("w.sdf"), &options).unwrap();
    assert_eq!(machine.notes, Vec::<String>::new());
    near(body(&machine, "left::a").position, [1.0, 0.0, 0.0]);
    let right = body(&machine, "right::a");
    assert_eq!(right.kind, Kind::Fixed);
    near(right.position, [0.0, 1.0, 2.0]);
    let missing = refused(
        "w.sdf",
        "<sdf version=\"1.9\"><world name=\"w\"><include><uri>model://crate</uri></include></world></sdf>",
    );
    assert_eq!(
        missing,
        "w.sdf: include: 'model://crate' is not there; --mesh-path FOLDER says where to look (line 1)"
    );
}

/// Poses of what is in links, and of joints, in frames of nested models.
#[test]
fn poses_relative_to_nested_frames() {
    let text = format!(
        r#"<sdf version="1.9"><model name="m"><model name="n"><pose>0 0 1 0 0 1.5707963267948966</pose>
<link name="a"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link></model>
<link name="b"><pose relative_to="n::a">1 0 0 0 0 0</pose>{INERTIAL}
<collision name="c"><pose relative_to="n">0 0 0 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
<joint name="j" type="fixed"><parent>n::a</parent><child>b</child></joint></model></sdf>"#
    );
    let machine = read("m.sdf", &text);
    assert_eq!(machine.notes, Vec::<String>::new());
    let a = body(&machine, "n::a");
    near(a.position, [0.0, 1.0, 1.0]);
    near(a.centre_of_mass.unwrap(), [0.5, 0.0, 0.0]);
    near(a.colliders[0].position, [-1.0, 0.0, 0.0]);
}

/// A nut on a thread of 0.01 m a turn falls by turning: m g s = ½ m v² + ½ I ω², v = ω·0.01/2π.
#[test]
fn screws_turn_as_they_travel() {
    for (pitch, sign) in [
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 1.0),
        ("<thread_pitch>12.566370614359172</thread_pitch>", -1.0),
    ] {
        let text = format!(
            r#"<sdf version="1.9"><model name="m"><link name="nut">{INERTIAL}</link>
<joint name="s" type="screw"><parent>world</parent><child>nut</child><axis><xyz>0 0 1</xyz></axis>{pitch}</joint></model></sdf>"#
        );
        let machine = read("m.sdf", &text);
        let mut scene = machine.scene.build().unwrap();
        for _ in 0..60 {
            assert!(scene.step().unwrap().converged());
        }
        let nut = scene.world.body_named("nut").unwrap();
        let nut = scene.world.body(nut).unwrap();
        let (fall, v) = (nut.pose().translation.z, nut.velocity().z);
        let per_radian = 0.5 / std::f64::consts::TAU;
        let w = nut.angular_velocity().z;
        assert!((v - sign * per_radian * w).abs() < 1e-9 * v.abs(), "{v} m/s, {w} rad/s");
        // The body between slider and hinge has a ten thousandth of the mass.
        let acceleration = 9.81 / (1.0 + 0.1 / (2.0 * per_radian * per_radian));
        assert!((v + acceleration).abs() < 2e-4 * acceleration, "{v}, {acceleration}");
        assert!((fall + 0.5 * acceleration).abs() < 2e-4 * acceleration, "{fall}");
    }
}

#[test]
fn sensors_are_named() {
    let text = format!(
        r#"<sdf version="1.9"><model name="m"><link name="a">{INERTIAL}
<sensor name="imu" type="imu"><pose>0 0 0.1 0 0 0</pose></sensor><sensor name="eye" type="camera"/>
<sensor name="ray" type="ray"><ray><scan><horizontal><samples>1</samples></horizontal></scan><range><max>5</max></range></ray></sensor></link>
<link name="b"><pose>0 0 1 0 0 0</pose>{INERTIAL}</link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><sensor name="ft" type="force_torque"/></joint></model></sdf>"#
    );
    let machine = read("m.sdf", &text);
    let names: Vec<&str> = machine.sensors.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["a::imu.acceleration", "a::imu.rate", "a::ray", "j::ft"]);
    assert_eq!(machine.notes.len(), 1);
    assert!(machine.notes[0].contains("sensors of type 'camera' are left out"));
    let scene = machine.scene.build().unwrap();
    machine.sensors_in(&scene.world).unwrap();
}

/// An arm of two links in a nested model, on a joint of the outer one.
#[test]
fn nested_models_with_joints() {
    let text = format!(
        r#"<sdf version="1.9"><model name="m"><link name="base"><pose>0 0 5 0 0 0</pose>{INERTIAL}</link>
<model name="arm"><pose>1 0 0 0 0 0</pose><link name="a"><pose>0 1 0 0 0 0</pose>{INERTIAL}</link>
<link name="b"><pose>0 2 0 0 0 0</pose>{INERTIAL}</link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint></model>
<joint name="k" type="revolute"><parent>base</parent><child>arm::a</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"#
    );
    let machine = read("m.sdf", &text);
    near(body(&machine, "arm::a").position, [1.0, 1.0, 0.0]);
    near(body(&machine, "arm::b").position, [1.0, 2.0, 0.0]);
    near(joint_named(&machine, "arm::j").anchor_b.unwrap(), [0.0; 3]);
    near(joint_named(&machine, "k").anchor_a.unwrap(), [1.0, 1.0, -5.0]);
}

/// A joint whose parent is a frame on another joint; its axis is in that frame.
#[test]
fn frames_on_joints() {
    let text = format!(
        r#"<sdf version="1.9"><model name="m"><link name="a">{INERTIAL}</link>
<link name="b"><pose relative_to="j">0.5 0 0 0 0 0</pose>{INERTIAL}</link><link name="c"><pose relative_to="f">0 0 1 0 0 0</pose>{INERTIAL}</link>
<joint name="j" type="revolute"><pose relative_to="a">1 0 0 0 0 1.5707963267948966</pose><parent>a</parent><child>b</child><axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>
<frame name="f" attached_to="j"><pose>0 0 0.25 0 0 0</pose></frame>
<joint name="k" type="prismatic"><parent>f</parent><child>c</child><axis><xyz expressed_in="f">1 0 0</xyz></axis></joint></model></sdf>"#
    );
    let machine = read("m.sdf", &text);
    near(body(&machine, "b").position, [1.0, 0.5, 0.0]);
    near(body(&machine, "c").position, [1.0, 0.0, 1.25]);
    near(joint_named(&machine, "j").axis_a.unwrap(), [0.0, 1.0, 0.0]);
    let k = joint_named(&machine, "k");
    assert_eq!(k.a.as_deref(), Some("b"));
    near(k.axis_b.unwrap(), [1.0, 0.0, 0.0]);
}

#[test]
fn errors_are_one_line() {
    let message = refused(
        "m.sdf",
        "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\n\"<</link></model></sdf>",
    );
    assert_eq!(message.lines().count(), 1, "{message}");
    let named = refused(
        "m.urdf",
        "<robot name=\"r\"><link name=\"a&#10;b\"/><link name=\"a&#10;b\"/></robot>",
    );
    assert_eq!(named, "m.urdf: link 'a\\nb': a second link of that name (line 1)");
}
