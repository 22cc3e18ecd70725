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
<extension><plugin plugin="mujoco.pid"><instance name="p"><config key="kp" value="2"/></instance></plugin></extension>
<asset><mesh name="t" file="t.stl" scale="2 2 2"/><model name="n" file="n.xml"/></asset><worldbody><geom type="plane" size="1 1 1"/>
<replicate count="3" offset="0 5 0" euler="0 0 1" sep="-"><body name="r" pos="0 9 1"><joint name="q"/><geom size="0.1"/></body></replicate>
<body name="w" pos="0 0 9"><attach model="n" body="x" prefix="n-"/><geom type="capsule" mesh="t"/><freejoint/><site name="e"/></body>
<body name="a" pos="0 0 1" euler="0 0 1" childclass="leg"><freejoint/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.1" friction="1 0.1 0.01" condim="6"/>
<site name="s" pos="1 0 0"/><body name="b" pos="1 0 0"><joint name="j" axis="0 1 0" armature="0.1" stiffness="3" springref="1"/>
<joint name="i" type="slide" frictionloss="1"/><geom type="mesh" mesh="t" contype="2" conaffinity="3"/></body></body>
<body name="c"><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/><joint name="k" type="ball" damping="1"/></body></worldbody>
<contact><exclude body1="a" body2="c"/></contact><equality><connect body1="b" body2="c" anchor="0 0 0"/><joint joint1="j" joint2="i" polycoef="0 2"/></equality>
<actuator><position joint="j" class="leg"/><motor joint="i" gear="3"/><motor site="e" gear="0 0 1"/><plugin joint="q" plugin="mujoco.pid" instance="p"/></actuator>
<tendon><spatial stiffness="1"><site site="s"/><site site="e"/></spatial><fixed><joint joint="j" coef="1"/><joint joint="i" coef="2"/></fixed></tendon>
<keyframe><key name="home" qpos="0 0 0 0 0 9 1 0 0 0 0 0 0 2 1 0 0 0 0.5 1 1 0 0 0" ctrl="1 2"/></keyframe></mujoco>"#;

const PART: &str = r#"<mujoco><compiler angle="degree"/><default><geom size="0.1"/></default><worldbody><body name="x" euler="0 0 30"><joint name="y"/><geom/></body></worldbody>
<actuator><position joint="y" kp="3"/></actuator></mujoco>"#;

const SDF: &str = r#"<sdf version="1.9"><world name="w"><gravity>0 0 -9</gravity><model name="m"><pose>0 0 1 0 0 0</pose><frame name="f" attached_to="a"><pose>0 0 1 0 0 1</pose></frame>
<link name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<link name="b"><pose relative_to="f">1 0 0 0 0 0</pose></link><link name="c"/>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
<joint name="k" type="ball"><parent>b</parent><child>c</child></joint><joint name="l" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 1 0</xyz></axis></joint></model>
<include><uri>n.sdf</uri><name>n</name><pose relative_to="m">0 0 9 0 0 0</pose></include></world></sdf>"#;

const MODEL: &str = r#"<sdf version="1.9"><model name="n"><link name="a"/><link name="b"><pose>0 0 1 0 0 0</pose><sensor name="i" type="imu"/></link>
<joint name="s" type="screw"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.1</screw_thread_pitch></joint></model></sdf>"#;

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

/// How many files; `TAUT_MUTATIONS` and `TAUT_SEED` ask for more, and for others.
fn count(least: u64) -> u64 {
    let given = std::env::var("TAUT_MUTATIONS").ok().and_then(|n| n.parse().ok());
    given.unwrap_or(least)
}

fn seed() -> u64 {
    std::env::var("TAUT_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(7)
}

#[test]
fn broken_files_never_panic() {
    let mut random = Random(seed());
    for (name, text) in [("m.urdf", URDF), ("m.xml", MJCF), ("m.sdf", SDF)] {
        let parts =
            [("t.stl", common::TETRAHEDRON), ("n.xml", PART), ("n.sdf", MODEL), (name, text)];
        let folder = common::folder(&parts);
        let path = folder.path().join(name);
        let whole = read(&path, &Options::default()).unwrap();
        whole.scene.build().unwrap();
        let (mut scenes, mut errors) = (0, 0);
        for _ in 0..count(300) {
            std::fs::write(&path, broken(text, &mut random)).unwrap();
            match read(&path, &Options::default()) {
                Ok(machine) => {
                    scenes += 1;
                    // What is wrong with numbers alone the scene may say; what can be built can be written, and read again.
                    if let Ok(made) = taut_import::export::mjcf(&machine.scene) {
                        std::fs::write(folder.path().join("again.xml"), &made.text).unwrap();
                        let _ = read(&folder.path().join("again.xml"), &Options::default());
                    }
                    let _ = taut_import::export::urdf(&machine.scene, "m");
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

const OBJ: &str = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 2 2 1\nf 4 3 2 1\nf 1/1 2/2/2 6 5\nf -7 -6 -5 -4 -3\nf 1 2 3 4 5 6 7\n";
const GLTF: &str = r#"{"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"scale":[1,2,3]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3}],"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}"#;
const DAE: &str = r##"<COLLADA><asset><unit meter="0.1"/></asset><library_geometries><geometry id="g"><mesh><source id="s"><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices><triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3 0 3 1 1 3 2</p></triangles></mesh></geometry></library_geometries></COLLADA>"##;

/// Bytes of a binary STL, of MuJoCo's mesh and height files, and of a picture.
fn binary() -> Vec<(&'static str, Vec<u8>)> {
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0_u32, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let numbers = |p: &[f32]| p.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let words = |p: &[u32]| p.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut stl = [vec![0; 80], words(&[4])].concat();
    for face in faces {
        stl.extend(numbers(&[0.0; 3]));
        face.iter().for_each(|&i| stl.extend(numbers(&corners[i as usize])));
        stl.extend([0, 0]);
    }
    let msh = [words(&[4, 0, 0, 4]), numbers(corners.as_flattened()), words(faces.as_flattened())];
    let heights = [words(&[2, 3]), numbers(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])];
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut deflated, &[1, 0, 9, 9, 4, 3, 3, 3]).unwrap();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let head: &[u8] = &[0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0];
    for (kind, body) in [("IHDR", head), ("IDAT", &deflated.finish().unwrap()), ("IEND", &[])] {
        png.extend((body.len() as u32).to_be_bytes());
        png.extend([kind.as_bytes(), body, &[0; 4]].concat());
    }
    vec![("m.stl", stl), ("m.msh", msh.concat()), ("h.bin", heights.concat()), ("h.png", png)]
}

/// Changes, removes or doubles some bytes.
fn broken_bytes(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_within(at..),
            2 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&[0xff; 4]),
            _ if at < bytes.len() => bytes[at] = random.below(256) as u8,
            _ => {}
        }
    }
    bytes
}

#[test]
fn broken_meshes_and_heights_never_panic() {
    let mut random = Random(seed());
    let texts = [("m.stl", common::TETRAHEDRON), ("m.obj", OBJ), ("m.gltf", GLTF), ("m.dae", DAE)];
    let texts = texts.map(|(name, text)| (name, text.as_bytes().to_vec()));
    for (name, bytes) in binary().into_iter().chain(texts) {
        let robot = match name.strip_prefix("h.") {
            Some(_) => format!(
                "<mujoco><asset><hfield name=\"h\" file=\"{name}\" size=\"1 1 1 1\"/></asset><worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody></mujoco>"
            ),
            None => format!(
                "<mujoco><asset><mesh name=\"h\" file=\"{name}\"/></asset><worldbody><body><freejoint/><geom type=\"mesh\" mesh=\"h\"/><geom type=\"box\" mesh=\"h\"/></body></worldbody></mujoco>"
            ),
        };
        let folder = common::folder(&[("m.xml", &robot)]);
        let (mut scenes, mut errors) = (0, 0);
        for _ in 0..count(200) {
            std::fs::write(folder.path().join(name), broken_bytes(&bytes, &mut random)).unwrap();
            match read(&folder.path().join("m.xml"), &Options::default()) {
                Ok(machine) => {
                    scenes += 1;
                    let _ = machine.scene.build();
                }
                Err(e) => {
                    errors += 1;
                    assert_eq!(e.to_string().lines().count(), 1, "{e}");
                }
            }
        }
        assert!(scenes + errors > 0 && errors > 10, "{name}: {scenes} scenes, {errors} errors");
    }
}
