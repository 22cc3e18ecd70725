//! What is wrong with files is said in their words, with its place.

mod common;

use taut_import::{Options, Start, read};

const PENDULUM: &str =
    r#"<worldbody><body name="a"><joint name="j"/><geom size="0.1"/></body></worldbody>"#;

fn mjcf(more: &str) -> String {
    format!("<mujoco>{PENDULUM}\n{more}</mujoco>")
}

#[test]
fn mistakes_of_mjcf_name_what_is_wrong() {
    let copies = r#"<replicate count="2"><replicate count="400"><replicate count="300"><geom size="0.1"/></replicate></replicate></replicate>"#;
    let more = format!("<worldbody>{copies}</worldbody>");
    for (more, expected) in [
        (more.as_str(), "all copies together are more than 100000"),
        (
            r#"<default><default class="c"/><default class="c"/></default>"#,
            "a second default class is named 'c' (line 2)",
        ),
        (
            r#"<equality><joint joint1="j" joint2="j"/></equality>"#,
            "couples joint 'j' with itself (line 2)",
        ),
    ] {
        let error = common::refused("m.xml", &mjcf(more));
        assert!(error.contains(expected), "{error}");
    }
    let text = mjcf(r#"<compiler autolimits="false"/>"#).replace("\"j\"", "\"j\" range=\"-1 1\"");
    let error = common::refused("m.xml", &text);
    assert!(error.contains("'range' without 'limited'"), "{error}");
}

#[test]
fn files_that_end_too_early_say_where() {
    let error = common::refused("m.xml", "<mujoco>\n<worldbody>\n<body name=\"a\"></bo");
    assert!(error.contains("(line 3)"), "{error}");
}

#[test]
fn a_second_model_is_named() {
    let model =
        r#"<model name="m"><link name="l"><inertial><mass>1</mass></inertial></link></model>"#;
    let text = format!("<sdf version=\"1.9\"><world name=\"w\">{model}\n{model}</world></sdf>");
    let error = common::refused("m.sdf", &text);
    assert!(error.contains("model 'm': a second") && error.contains("(line 2)"), "{error}");
}

#[test]
fn urdf_has_no_keyframes_and_added_files_their_own_places() {
    let urdf = r#"<robot name="r"><link name="base"/><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l"/></joint></robot>"#;
    let more = r#"{"version": 1, "joints": [{"type": "ball", "a": "world", "b": "nolink"}]}"#;
    let folder = common::folder(&[("r.urdf", urdf), ("more.json", more)]);
    let path = folder.path().join("r.urdf");
    let options = Options { start: Start::Named("z".into()), ..Options::default() };
    let error = read(&path, &options).unwrap_err().to_string();
    assert!(error.contains("only MJCF has keyframes"), "{error}");
    let options = Options { with: vec![folder.path().join("more.json")], ..Options::default() };
    let error = read(&path, &options).unwrap_err().to_string();
    assert!(error.contains("more.json: joints[0].b: no body is named 'nolink'"), "{error}");
}

#[test]
fn frames_that_nothing_refers_to_are_checked() {
    let text = |frames: &str| {
        format!(r#"<sdf version="1.9"><model name="m">{frames}<link name="l"/></model></sdf>"#)
    };
    let circle = r#"<frame name="a" attached_to="b"/><frame name="b" attached_to="a"/>"#;
    let error = common::refused("m.sdf", &text(circle));
    assert!(error.contains("the pose of 'a' is relative to itself"), "{error}");
    let circle = r#"<frame name="a" attached_to="b"><pose relative_to="l"/></frame><frame name="b" attached_to="a"><pose relative_to="l"/></frame>"#;
    let error = common::refused("m.sdf", &text(circle));
    assert!(error.contains("'a' is attached to itself"), "{error}");
}

#[test]
fn attributes_that_stand_twice_are_named() {
    let error =
        common::refused("m.xml", "<mujoco>\n<option timestep=\"1\" timestep=\"2\"/></mujoco>");
    assert!(error.contains("attribute 'timestep' is already defined (line 2)"), "{error}");
}
