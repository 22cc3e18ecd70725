//! `taut run` and `taut export` of robots' files.

mod common;

use common::{assert_refused, stderr, stdout, taut};
use std::fs;

const URDF: &str = r#"<robot name="pendulum"><link name="base"/>
<link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pivot" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
<transmission name="t"/></robot>"#;

const MJCF: &str = r#"<mujoco model="drop"><worldbody><geom type="plane" size="1 1 1"/>
<body name="crate" pos="0 0 0.5"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"#;

#[test]
fn robots_run_and_are_exported() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("p.urdf"), URDF).expect("a file");
    fs::write(path("d.xml"), MJCF).expect("a file");
    let run = taut(["run", &path("d.xml"), "--frames", "60"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert!(stdout(&run).contains("drop"), "{}", stdout(&run));
    let export = taut(["export", &path("p.urdf"), "--out", &path("p.json")]);
    assert_eq!(export.status.code(), Some(0), "{}", stderr(&export));
    assert!(stderr(&export).contains("p.urdf: transmission 't' is left out (line 5)"));
    let run = taut(["run", &path("p.json"), "--frames", "10"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
}

#[test]
fn wrong_robots_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("p.urdf"), URDF).expect("a file");
    fs::write(path("bad.urdf"), URDF.replace("value=\"2\"", "value=\"two\"")).expect("a file");
    fs::write(path("other.xml"), "<note/>").expect("a file");
    let words = ["bad.urdf: mass: 'value': expected a finite number, found 'two' (line 2)"];
    assert_refused(&taut(["run", &path("bad.urdf")]), &words, "no number");
    let strict = taut(["run", &path("p.urdf"), "--strict"]);
    assert_refused(&strict, &["transmission 't' is left out"], "strict");
    assert_refused(&taut(["run", &path("other.xml")]), &["found element 'note'"], "other XML");
    assert_refused(&taut(["run", &path("none.urdf")]), &["none.urdf: cannot be read"], "no file");
    assert_refused(&taut(["run", "chain", "--strict"]), &["are for robots"], "a built-in scene");
    let sized = taut(["run", &path("p.urdf"), "--size", "3"]);
    assert_refused(&sized, &["a size (--size)"], "a size");
}
