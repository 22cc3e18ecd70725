//! Files that are broken at random: an error or a scene, never a panic.

mod common;

use taut_import::{Options, read};

const URDF: &str = r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="t.stl" scale="1 1 1"/></geometry></collision></link>
<link name="b"><inertial><mass value="2"/><origin xyz="0 0 0.5" rpy="0 0 1"/><inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 2 0"/><limit lower="-1" upper="2"/>
<dynamics damping="0.5" friction="0.25"/></joint><link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><mimic joint="j" multiplier="2" offset="0.1"/><limit lower="0" upper="1"/></joint></robot>"#;

const MJCF: &str = r#"<mujoco model="m"><compiler angle="radian" eulerseq="XYZ" boundmass="0.1"/><option gravity="0 0 -9"/>
<default><geom density="500"/><default class="leg"><joint damping="1" range="-1 1"/><position kp="10"/></default></default>
<asset><mesh name="t" file="t.stl" scale="2 2 2"/></asset><worldbody><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1" euler="0 0 1" childclass="leg"><freejoint/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1" friction="1 0.1 0.01" condim="6"/>
<site name="s" pos="1 0 0"/><body name="b" pos="1 0 0"><joint name="j" axis="0 1 0" armature="0.1" stiffness="3" springref="1"/>
<joint name="i" type="slide" frictionloss="1"/><geom type="mesh" mesh="t" contype="2" conaffinity="3"/></body></body>
<body name="c"><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/><joint name="k" type="ball" damping="1"/></body></worldbody>
<contact><exclude body1="a" body2="c"/></contact><equality><connect body1="b" body2="c" anchor="0 0 0"/><joint joint1="j" joint2="i" polycoef="0 2"/></equality>
<actuator><position joint="j" class="leg"/><motor joint="i" gear="3"/></actuator>
<keyframe><key name="home" qpos="0 0 2 1 0 0 0 0.5 1 1 0 0 0" ctrl="1 2"/></keyframe></mujoco>"#;

const SDF: &str = r#"<sdf version="1.9"><world name="w"><gravity>0 0 -9</gravity><model name="m"><pose>0 0 1 0 0 0</pose><frame name="f" attached_to="a"><pose>0 0 1 0 0 1</pose></frame>
<link name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<link name="b"><pose relative_to="f">1 0 0 0 0 0</pose></link><link name="c"/>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
<joint name="k" type="ball"><parent>b</parent><child>c</child></joint><joint name="l" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint></model></world></sdf>"#;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// Replaces, doubles or removes a word (between quotes, spaces or tags), or cuts the text.
fn broken(text: &str, random: &mut Random) -> String {
    let odd = [
        "",
        "0",
        "-1",
        "1e308",
        "-1e308",
        "1e-320",
        "nan",
        "inf",
        "4294967296",
        "a",
        "b",
        "world",
        "0 0 0",
        "free",
        "mesh",
        "1 2 3 4 5 6 7",
        "\u{1F916}",
    ];
    let mut text = text.to_string();
    for _ in 0..=random.below(2) {
        let ends: Vec<usize> =
            text.char_indices().filter(|(_, c)| "\" <>=/".contains(*c)).map(|(i, _)| i).collect();
        if ends.len() < 3 {
            break;
        }
        let k = random.below(ends.len() - 1);
        let (from, to) = (ends[k] + 1, ends[k + 1]);
        let word = text[from..to].to_string();
        match random.below(10) {
            0 => text.replace_range(from..to, &format!("{word} {word}")),
            1 => {
                let far = ends[(k + 1 + random.below(20)).min(ends.len() - 1)];
                text.replace_range(from..far.max(from), "");
            }
            _ => text.replace_range(from..to, odd[random.below(odd.len())]),
        }
    }
    text
}

#[test]
fn broken_files_never_panic() {
    let mut random = Random(7);
    for (name, text) in [("m.urdf", URDF), ("m.xml", MJCF), ("m.sdf", SDF)] {
        let folder = common::folder(&[("t.stl", common::TETRAHEDRON), (name, text)]);
        let path = folder.path().join(name);
        let whole = read(&path, &Options::default()).unwrap();
        whole.scene.build().unwrap();
        let (mut scenes, mut errors) = (0, 0);
        for _ in 0..300 {
            std::fs::write(&path, broken(text, &mut random)).unwrap();
            match read(&path, &Options::default()) {
                Ok(machine) => {
                    scenes += 1;
                    // What is wrong with numbers alone the scene may say.
                    let _ = machine.scene.build();
                }
                Err(e) => {
                    errors += 1;
                    assert_eq!(e.to_string().lines().count(), 1, "{e}");
                }
            }
        }
        assert!(scenes > 20 && errors > 20, "{name}: {scenes} scenes, {errors} errors");
    }
}
