//! Tendons of MJCF, and what acts on them; actuators by the mass that they move.

mod common;

use common::{joint, near, read};
use taut_scenes::file::{JointType, Motor};

/// Two bodies on vertical slides.
fn lifts(rest: &str) -> String {
    format!(
        r#"<mujoco><worldbody><site name="top" pos="0 0 2"/><site name="side" pos="0.5 0 1.5"/>
<geom name="wheel" type="cylinder" size="0.1 0.05" pos="0.5 0 1" euler="90 0 0" contype="0" conaffinity="0"/>
<body name="a" pos="1 0 0"><joint name="a" type="slide" axis="0 0 1"/><geom size="0.05" mass="1"/><site name="as"/></body>
<body name="b" pos="2 0 0"><joint name="b" type="slide" axis="0 0 1" ref="0.5"/><geom size="0.05" mass="1"/></body>
</worldbody>{rest}</mujoco>"#
    )
}

#[test]
fn a_fixed_tendon_is_a_sum_with_limits_and_motor() {
    let text = lifts(
        r#"<tendon><fixed name="t" limited="true" range="-1 2" damping="0.1"><joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed></tendon>
<actuator><position tendon="t" kp="100" kv="5" gear="1"/></actuator><keyframe><key qpos="0.1 0.7" ctrl="0.3"/></keyframe>"#,
    );
    let machine = read("m.xml", &text);
    assert!(machine.notes.is_empty(), "{:?}", machine.notes);
    let tendon = joint(&machine, "t");
    assert_eq!(tendon.joint_type, JointType::Tendon);
    // Its length at the start is 2·0.1 − 0.7.
    let limits = tendon.limits.unwrap();
    near([limits.min.unwrap(), limits.max.unwrap()], [-0.5, 2.5]);
    let Some(Motor::Position { target, stiffness, damping, max_force: None }) = tendon.motor else {
        panic!("{:?}", tendon.motor)
    };
    near([target, stiffness, damping], [0.8, 100.0, 5.0]);
    near([tendon.passive.unwrap().damping], [0.1]);
    machine.scene.build().unwrap();
}

#[test]
fn equalities_of_tendons_and_polynomials_hold() {
    let text = lifts(
        r#"<tendon><fixed name="t"><joint joint="a" coef="1"/></fixed><fixed name="u"><joint joint="b" coef="1"/></fixed></tendon>
<equality><tendon tendon1="t" tendon2="u" polycoef="0 -1"/></equality>"#,
    );
    let machine = read("m.xml", &text);
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..60 {
        assert!(scene.step().unwrap().converged());
    }
    let q =
        |name: &str| scene.world.joint_position(scene.world.joint_named(name).unwrap()).unwrap();
    // One goes up as the other goes down: equal weights stand still.
    assert!((q("a") + q("b")).abs() < 1e-9 && q("a").abs() < 1e-6, "{} {}", q("a"), q("b"));
    let text = lifts(
        r#"<equality><joint joint1="a" joint2="b" polycoef="0.1 0.5 0.3 -0.2 0.1"/></equality><keyframe><key qpos="0.21056 0.7"/></keyframe>"#,
    );
    let machine = read("m.xml", &text);
    assert!(machine.notes.is_empty(), "{:?}", machine.notes);
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..10 {
        assert!(scene.step().unwrap().converged());
    }
    let q =
        |name: &str| scene.world.joint_position(scene.world.joint_named(name).unwrap()).unwrap();
    let (a, x) = (0.21056 + q("a"), 0.2 + q("b"));
    let wanted = 0.1 + x * (0.5 + x * (0.3 + x * (-0.2 + x * 0.1)));
    assert!(q("b") < -0.01 && (a - wanted).abs() < 1e-7, "{a} {wanted}");
}

#[test]
fn a_spatial_tendon_is_a_cable() {
    let way = r#"<site site="top"/><geom geom="wheel" sidesite="side"/><site site="as"/>"#;
    let text = lifts(&format!(
        r#"<tendon><spatial name="w" limited="true" range="0 2.5">{way}</spatial>
<spatial name="k" stiffness="100" damping="3" springlength="0.5"><site site="top"/><site site="as"/></spatial>
<spatial name="d" limited="true" range="1 3"><site site="top"/><site site="as"/></spatial></tendon>
<actuator><position tendon="w" kp="200" kv="10"/></actuator><keyframe><key qpos="0 0.5" ctrl="1.5"/></keyframe>"#
    ));
    let machine = read("m.xml", &text);
    let cables = &machine.scene.cables;
    assert_eq!(cables.len(), 2, "{:?}", machine.notes);
    let rope = &cables[0];
    near([rope.length.unwrap()], [2.5]);
    let pulley = rope.via[1].pulley.as_ref().unwrap();
    // Over the wheel from left to right: about +y.
    near([pulley.radius, pulley.axis[1].signum()], [0.1, 1.0]);
    near([cables[1].length.unwrap(), cables[1].stiffness.unwrap()], [1.5, 300.0]);
    let strut = joint(&machine, "k");
    let spring = strut.linear_spring.unwrap();
    near([strut.min.unwrap(), strut.max.unwrap()], [0.5, 0.5]);
    near([spring.stiffness.unwrap(), spring.damping], [100.0, 3.0]);
    let distance = joint(&machine, "d");
    near([distance.min.unwrap(), distance.max.unwrap()], [1.0, 3.0]);
    let mut scene = machine.scene.build().unwrap();
    assert!(scene.step().unwrap().converged());
    let refused =
        lifts(r#"<tendon><spatial><site site="top"/><site site="none"/></spatial></tendon>"#);
    assert!(common::refused("m.xml", &refused).contains("no site is named 'none'"));
}

/// Damping ratios: the figures are those that MuJoCo 4.0.0 makes of this model.
#[test]
fn damping_ratios_are_of_the_mass_that_moves() {
    let text = r#"<mujoco><worldbody><body name="a"><freejoint/><geom size=".2" mass="5"/>
<body name="b" pos="0.2 0 0"><joint name="j" axis="0 1 0" armature="0.1"/><geom type="box" size=".3 .1 .1" pos=".3 0 0" mass="2"/>
<body name="c" pos=".6 0 0"><joint name="k" axis="0 0 1"/><geom type="box" size=".2 .1 .1" pos=".2 0 0" mass="1"/></body></body></body></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed></tendon>
<actuator><position joint="j" kp="50" dampratio="1"/><position joint="k" kp="50" dampratio="0.5" gear="3"/><position tendon="t" kp="20" dampratio="1"/></actuator></mujoco>"#;
    let machine = read("m.xml", text);
    for (name, expected) in [("j", 5.681_367_53), ("k", 9.0 * 0.392_915_89), ("t", 1.147_358_98)] {
        let Some(Motor::Position { damping, .. }) = joint(&machine, name).motor else { panic!() };
        assert!((damping / expected - 1.0).abs() < 1e-7, "{name}: {damping}");
    }
}

#[test]
fn velocity_actuators_drive_and_ranges_are_inherited() {
    let text = lifts(
        r#"<actuator><velocity joint="a" kv="20"/><velocity joint="b" kv="10" forcerange="-50 50"/></actuator><keyframe><key qpos="0 0.5" ctrl="2 3"/></keyframe>"#,
    );
    let machine = read("m.xml", &text);
    let motor = |force, damping, most: Option<f64>| {
        let min_force = most.map(|x: f64| -x);
        Some(Motor::Affine { force, stiffness: 0.0, damping, min_force, max_force: most })
    };
    assert_eq!(joint(&machine, "a").motor, motor(40.0, 20.0, None));
    assert_eq!(joint(&machine, "b").motor, motor(30.0, 10.0, Some(50.0)));
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..120 {
        let _ = scene.step().unwrap();
    }
    let speed =
        |name: &str| scene.world.joint_velocity(scene.world.joint_named(name).unwrap()).unwrap();
    // F − Dq̇ = mg.
    assert!((speed("a") - (40.0 - 9.81) / 20.0).abs() < 1e-6, "{}", speed("a"));
    assert!((speed("b") - (30.0 - 9.81) / 10.0).abs() < 1e-6, "{}", speed("b"));
    let text = lifts("").replace("ref=\"0.5\"", "range=\"-1 3\"").replace(
        "</mujoco>",
        r#"<actuator><position joint="b" kp="10" inheritrange="0.5"/></actuator><keyframe><key qpos="0 0" ctrl="9"/></keyframe></mujoco>"#,
    );
    // The middle 1 and half of the half-range 2.
    let machine = read("m.xml", &text);
    let Some(Motor::Position { target, .. }) = joint(&machine, "b").motor else { panic!() };
    near([target], [2.0]);
}

#[test]
fn sensors_measure_what_they_name() {
    let text = lifts(
        r#"<sensor><accelerometer name="acc" site="as"/><gyro name="gyro" site="as"/><jointpos name="pos" joint="a"/><force name="ft" site="as"/>
<rangefinder name="far" site="as"/><touch name="touch" site="as"/><framequat name="q" objtype="site" objname="as"/></sensor>"#,
    );
    let machine = read("m.xml", &text);
    assert!(
        machine.notes.iter().any(|n| n.contains("framequat 'q' is left out")),
        "{:?}",
        machine.notes
    );
    let mut scene = machine.scene.build().unwrap();
    let mut sensors = machine.sensors_in(&scene.world).unwrap();
    sensors.read(&scene.world).unwrap();
    near([sensors.values("acc").unwrap()[2]], [9.81]);
    let _ = scene.step().unwrap();
    sensors.read(&scene.world).unwrap();
    // It falls along its slide: nothing is felt, and nothing is above but sky.
    assert!(sensors.values("acc").unwrap()[2].abs() < 1e-9);
    assert!(sensors.values("pos").unwrap()[1] < -0.1);
    assert_eq!(sensors.values("far").unwrap(), [f64::INFINITY]);
    assert_eq!(
        (sensors.values("ft").unwrap().len(), sensors.values("touch").unwrap()),
        (6, &[0.0][..])
    );
}

/// A load on a rope over a block of two parts, each of which counts half.
const PULLEYS: &str = r#"<mujoco><worldbody>
<site name="a" pos="0 0 2"/><site name="b" pos="1 0 2"/><site name="c" pos="1.2 0 2"/>
<body name="load" pos="0 0 1"><joint name="z1" type="slide" axis="0 0 1"/><geom size="0.1" mass="3"/><site name="l"/></body>
<body name="block" pos="1.1 0 1"><joint name="z2" type="slide" axis="0 0 1"/><geom size="0.1" mass="5"/>
<site name="m" pos="-0.1 0 0"/><site name="n" pos="0.1 0 0"/></body></worldbody>
<tendon><spatial name="rope" range="0 2"><site site="l"/><site site="a"/>
<pulley divisor="2"/><site site="b"/><site site="m"/><pulley divisor="2"/><site site="n"/><site site="c"/></spatial></tendon></mujoco>"#;

#[test]
fn branches_of_a_tendon_count_by_their_divisors() {
    let machine = common::read("m.xml", PULLEYS);
    assert_eq!(machine.scene.cables.len(), 3);
    let mut scene = machine.scene.build().unwrap();
    let height = |s: &taut_scenes::Scene, name: &str| {
        s.world.body(s.world.body_named(name).unwrap()).unwrap().position().z
    };
    // The rope holds load + 2·(half of the block) in length: L = (2 − z1) + (2 − z2)/2·2 = 2, so z1 + z2 keeps.
    for _ in 0..20 {
        assert!(scene.step().unwrap().converged());
    }
    let (load, block) = (height(&scene, "load"), height(&scene, "block"));
    // (Rows of light bodies give: 2.2e-6 m here.)
    assert!((load + block - 2.0).abs() < 1e-5, "{load} + {block}");
    // Tension T lifts the load, and T/2 twice the block: z1'' = T/3 − g = −z2'' = g − T/5.
    let t = 2.0 * 9.81 / (1.0 / 3.0 + 1.0 / 5.0);
    let time = 20.0 / 60.0;
    let expected = 0.5 * (t / 3.0 - 9.81) * time * (time + 1.0 / 60.0);
    assert!((load - 1.0 - expected).abs() < 0.02, "{load}: {expected}");
}

#[test]
fn actuators_pull_tendons_with_a_force() {
    let given = PULLEYS.replace(" range=\"0 2\"", "").replace(
        "</mujoco>",
        "<actuator><motor tendon=\"rope\" gear=\"-1\"/></actuator><keyframe><key ctrl=\"60\"/></keyframe></mujoco>",
    );
    let machine = common::read("m.xml", &given);
    assert!(machine.notes.is_empty(), "{:?}", machine.notes);
    let mut scene = machine.scene.build().unwrap();
    assert!(scene.step().unwrap().converged());
    for (name, force, mass) in [("load", 60.0, 3.0), ("block", 60.0, 5.0)] {
        let body = scene.world.body(scene.world.body_named(name).unwrap()).unwrap();
        let found = body.velocity().z * 60.0;
        assert!((found - (force / mass - 9.81)).abs() < 1e-3, "{name}: {found}");
    }
    let pushed = given.replace("ctrl=\"60\"", "ctrl=\"-60\"");
    let notes = common::read("m.xml", &pushed).notes;
    assert!(notes[0].contains("pushes with 60 N, which cables cannot"), "{notes:?}");
}

/// A load on a post pulls its tendon down onto a cylinder that it did not touch at the start: it hangs where the way over the cylinder
/// has the length of the tendon, not where a straight one has.
#[test]
fn a_tendon_comes_to_a_geom_later() {
    let text = r#"<mujoco><worldbody><site name="s" pos="-1 0 1"/>
<geom name="drum" type="cylinder" size="0.2 0.1" pos="0 0 0.55" euler="90 0 0" contype="0" conaffinity="0"/>
<body name="load" pos="1 0 1"><joint name="post" type="slide" axis="0 0 1" damping="20"/><inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><site name="e"/></body></worldbody>
<tendon><spatial name="t" limited="true" range="0 2.3"><site site="s"/><geom geom="drum"/><site site="e"/></spatial></tendon></mujoco>"#;
    let machine = common::read("m.xml", text);
    assert!(machine.notes.is_empty(), "{:?}", machine.notes);
    let mut scene = machine.scene.build().unwrap();
    for _ in 0..600 {
        assert!(scene.step().unwrap().converged());
    }
    let z = scene.world.body(scene.bodies[scene.bodies.len() - 1]).unwrap().pose().translation.z;
    // Tangents from both ends, and the arc between them.
    let (left, right) = ((-1.0_f64, 1.0 - 0.55), (1.0_f64, z - 0.55));
    let (a, b) = (left.0.hypot(left.1), right.0.hypot(right.1));
    let angle = left.1.atan2(left.0) - right.1.atan2(right.0);
    let arc = angle - (0.2 / a).acos() - (0.2 / b).acos();
    let way = (a * a - 0.04).sqrt() + (b * b - 0.04).sqrt() + 0.2 * arc;
    assert!(arc > 0.0 && (way - 2.3).abs() < 1e-6, "{way} with {arc} rad on the drum");
}

/// A slide of 1 kg without weight, and what acts on a tendon of its coordinate.
fn on_slide(joint: &str, rest: &str) -> String {
    format!(
        r#"<mujoco><option gravity="0 0 0"/><worldbody><site name="w" pos="0 0 2"/>
<body><joint name="a" type="slide" axis="0 0 1" {joint}/><geom size="0.1" mass="1"/><site name="s"/></body></worldbody>{rest}</mujoco>"#
    )
}

/// How far the slide went, and its rate, after a time in steps of h.
fn slid(text: &str, time: f64, h: f64) -> [f64; 2] {
    let mut file = read("m.xml", text).scene;
    file.dt = h;
    let mut scene = file.build().unwrap();
    for _ in 0..(time / h).round() as usize {
        assert!(scene.step().unwrap().converged());
    }
    let id = scene.world.joint_named("a").unwrap();
    [scene.world.joint_position(id).unwrap(), scene.world.joint_velocity(id).unwrap()]
}

/// kv·(v' − v), within its range, on a fixed tendon and on a spatial one.
#[test]
fn velocity_actuators_of_tendons_push_by_what_is_missing() {
    let fixed = r#"<tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon>"#;
    let drive = |range: &str| {
        let kv = format!(r#"<actuator><velocity tendon="t" kv="2" {range}/></actuator>"#);
        on_slide("", &format!(r#"{fixed}{kv}<keyframe><key ctrl="3"/></keyframe>"#))
    };
    // v = 3(1 − e^(−2t)), with 6 N at the start.
    let [_, v] = slid(&drive(""), 0.5, 1e-4);
    assert!((v - 3.0 * (1.0 - (-1.0_f64).exp())).abs() < 2e-4, "{v}");
    // At most 1 N.
    let [_, v] = slid(&drive("forcerange=\"-4 1\""), 0.5, 1e-3);
    assert!((v - 0.5).abs() < 1e-9, "{v}");
    // It does not ring, however strong.
    let strong = drive("").replace("kv=\"2\"", "kv=\"1e5\"");
    let [_, v] = slid(&strong, 3.0 / 60.0, 1.0 / 60.0);
    assert!((v - 3.0).abs() < 0.01, "{v}");
    // A cable pulls its end up: shorter by 0.5 m/s.
    let spatial = r#"<tendon><spatial name="t"><site site="w"/><site site="s"/></spatial></tendon>
<actuator><velocity tendon="t" kv="2"/></actuator><keyframe><key ctrl="-0.5"/></keyframe>"#;
    let [_, v] = slid(&on_slide("", spatial), 0.5, 1e-3);
    assert!((v - 0.5 * (1.0 - (-1.0_f64).exp())).abs() < 1e-3, "{v}");
}

/// `springlength="lo hi"`: no force in between, K times what is beyond outside.
#[test]
fn springs_of_tendons_have_a_dead_band() {
    let band = |q: f64, v: f64, spatial: bool| {
        let way = match spatial {
            false => {
                r#"<fixed stiffness="100" springlength="-0.5 0.25"><joint joint="a" coef="1"/></fixed>"#
            }
            // 2 − q: the same band, upside down.
            true => {
                r#"<spatial stiffness="100" springlength="1.75 2.5"><site site="w"/><site site="s"/></spatial>"#
            }
        };
        on_slide(
            "",
            &format!(r#"<tendon>{way}</tendon><keyframe><key qpos="{q}" qvel="{v}"/></keyframe>"#),
        )
    };
    for spatial in [false, true] {
        let [q, v] = slid(&band(-0.1, 0.4, spatial), 0.5, 1e-2);
        assert!((q - 0.2).abs() < 1e-9 && (v - 0.4).abs() < 1e-9, "{q} {v}");
        // From outside it swings with ω = 10 rad/s about the end of the band.
        let swing = 1.0 - 1.0_f64.cos();
        let [q, _] = slid(&band(-0.6, 0.0, spatial), 0.1, 1e-4);
        assert!((q - 0.1 * swing).abs() < 1e-4, "{q}");
        let [q, _] = slid(&band(0.3, 0.0, spatial), 0.1, 1e-4);
        assert!((q + 0.05 * swing).abs() < 1e-4, "{q}");
    }
    let refused = band(0.0, 0.0, false).replace("-0.5 0.25", "0.5 0.25");
    assert!(common::refused("m.xml", &refused).contains("low ≤ high"));
}

/// Without a word the spring of a tendon rests where the springs of joints do.
#[test]
fn tendons_rest_where_joints_do() {
    for way in [
        r#"<fixed stiffness="50"><joint joint="a" coef="2"/></fixed>"#,
        r#"<spatial stiffness="200"><site site="w"/><site site="s"/></spatial>"#,
    ] {
        let text = on_slide(
            r#"ref="0.3" springref="0.1" damping="40""#,
            &format!("<tendon>{way}</tendon>"),
        );
        let [q, _] = slid(&text, 3.0, 1e-2);
        // From where it starts.
        assert!((q + 0.2).abs() < 1e-3, "{q}");
    }
}

#[test]
fn what_does_not_exist_is_refused() {
    let text = on_slide("", r#"<actuator><motor tendon="t"/></actuator>"#);
    assert!(common::refused("m.xml", &text).contains("no tendon is named 't' (line 2)"));
}

/// A servo whose bounds differ: each counts on its own side.
#[test]
fn ranges_of_force_need_not_be_even() {
    let text =
        on_slide("", r#"<actuator><position joint="a" kp="100" forcerange="-1 5"/></actuator>"#);
    for (ctrl, force) in [("10", 5.0), ("-10", -1.0)] {
        let key = format!(r#"<keyframe><key ctrl="{ctrl}"/></keyframe></mujoco>"#);
        let [_, v] = slid(&text.replace("</mujoco>", &key), 0.2, 1e-2);
        assert!((v - 0.2 * force).abs() < 1e-9, "{v}");
    }
}
