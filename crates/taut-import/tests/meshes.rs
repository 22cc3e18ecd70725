//! Meshes of all kinds, what is seen of them, thinned hulls, height fields; and a start in the ground.

mod common;

use common::{body, near};
use taut_import::{Options, read};
use taut_scenes::file::{Body, Shape};

/// A URDF link that collides with and shows a mesh.
const URDF: &str = r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a">
<visual><geometry><mesh filename="m.EXT" scale="2 2 2"/></geometry><material name="red"/></visual>
<collision><geometry><mesh filename="m.EXT" scale="2 2 2"/></geometry></collision></link></robot>"#;

fn link(extension: &str, mesh: &[u8]) -> Body {
    let folder = common::folder(&[("r.urdf", &URDF.replace("EXT", extension))]);
    std::fs::write(folder.path().join(format!("m.{extension}")), mesh).unwrap();
    let machine = read(&folder.path().join("r.urdf"), &Options::default()).unwrap();
    assert!(machine.notes.is_empty(), "{extension}: {:?}", machine.notes);
    body(&machine, "a").clone()
}

/// The corners of a tetrahedron, its faces wound counter-clockwise.
const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

fn binary() -> (Vec<u8>, Vec<u8>) {
    let points = POINTS.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    (points, FACES.iter().flatten().flat_map(|i| i.to_le_bytes()).collect())
}

fn glb() -> Vec<u8> {
    let (points, faces) = binary();
    let mut json = r#"{"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"translation":[0,0,1],"children":[1]},{"mesh":0,"scale":[1,1,3]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4},{"bufferView":1,"componentType":5125,"count":12}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":48}],"buffers":[{"byteLength":96}]}"#
        .as_bytes()
        .to_vec();
    while !json.len().is_multiple_of(4) {
        json.push(b' ');
    }
    let length = |n: usize| (n as u32).to_le_bytes();
    let mut all = b"glTF\x02\0\0\0".to_vec();
    all.extend(length(12 + 8 + json.len() + 8 + 96));
    all.extend(length(json.len()).into_iter().chain(*b"JSON").chain(json));
    all.extend(length(96).into_iter().chain(*b"BIN\0").chain(points).chain(faces));
    all
}

const DAE: &str = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit meter="0.1"/></asset>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array count="12">0 0 0 10 0 0 0 10 0 0 0 10</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices><polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/><vcount>3 3 3 3</vcount><p>0 0 2 0 1 0  0 0 1 0 3 0  0 0 3 0 2 0  1 0 2 0 3 0</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><translate>0 0 10</translate><scale>1 1 3</scale><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"##;

fn msh() -> Vec<u8> {
    let (points, faces) = binary();
    let counts = [4_u32, 0, 0, 4].into_iter().flat_map(u32::to_le_bytes);
    counts.chain(points).chain(faces).collect()
}

#[test]
fn meshes_of_all_kinds_are_the_same() {
    // Twice as large by the URDF; glTF and DAE place it 1 m up, three times as high.
    for (extension, bytes, [low, high]) in [
        ("glb", glb(), [2.0, 8.0]),
        ("dae", DAE.as_bytes().to_vec(), [2.0, 8.0]),
        ("msh", msh(), [0.0, 2.0]),
        ("stl", common::TETRAHEDRON.as_bytes().to_vec(), [0.0, 2.0]),
    ] {
        let body = link(extension, &bytes);
        let Shape::ConvexHull { points } = &body.colliders[0].shape else { panic!() };
        assert_eq!(points.len(), 4, "{extension}");
        let heights = points.iter().map(|p| p[2]);
        near([heights.clone().fold(9.0, f64::min), heights.fold(-9.0, f64::max)], [low, high]);
        let visual = &body.visual[0];
        assert_eq!(visual.colour.as_deref(), Some("#ff0000"));
        let Shape::TriMesh { triangles, .. } = &visual.shape else { panic!() };
        assert_eq!(triangles.len(), 4, "{extension}");
    }
}

/// A sphere of many points, as OBJ.
fn sphere(rings: u32) -> String {
    use std::fmt::Write;
    let mut obj = String::new();
    for j in 0..=rings {
        for i in 0..2 * rings {
            let (s, c) = (std::f64::consts::PI * f64::from(j) / f64::from(rings)).sin_cos();
            let (t, u) = (std::f64::consts::PI * f64::from(i) / f64::from(rings)).sin_cos();
            writeln!(obj, "v {} {} {c}", s * u, s * t).unwrap();
        }
    }
    let at = |j: u32, i: u32| 1 + j * 2 * rings + i % (2 * rings);
    for j in 0..rings {
        for i in 0..2 * rings {
            let (a, b, c, d) = (at(j, i), at(j + 1, i), at(j + 1, i + 1), at(j, i + 1));
            writeln!(obj, "f {a} {b} {c} {d}").unwrap();
        }
    }
    obj
}

#[test]
fn large_hulls_are_thinned_and_that_is_said() {
    let folder = common::folder(&[("r.urdf", &URDF.replace("EXT", "obj")), ("m.obj", &sphere(80))]);
    let machine = read(&folder.path().join("r.urdf"), &Options::default()).unwrap();
    assert!(machine.notes[0].contains("keeps 256 points at most"), "{:?}", machine.notes);
    let body = body(&machine, "a");
    let Shape::ConvexHull { points } = &body.colliders[0].shape else { panic!() };
    assert!(points.len() <= 256 && points.len() > 200, "{}", points.len());
    // On the sphere of 2 m, and none of it more than 2 % inside.
    for p in points {
        assert!((p.iter().map(|x| x * x).sum::<f64>().sqrt() - 2.0).abs() < 1e-9);
    }
    let far = machine.notes[0]
        .split("up to ")
        .nth(1)
        .and_then(|w| w.split(' ').next()?.parse::<f64>().ok());
    assert!(far.is_some_and(|mm| mm > 4.0 && mm < 40.0), "{:?}", machine.notes);
    let Shape::TriMesh { triangles, .. } = &body.visual[0].shape else { panic!() };
    assert!(triangles.len() <= 2000 && triangles.len() > 500, "{}", triangles.len());
}

#[test]
fn height_fields_lie_as_in_mujoco() {
    let text = r#"<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="3 2 0.5 0.1" elevation="0 1 2  3 4 10"/></asset>
<worldbody><geom type="hfield" hfield="h" pos="0 0 1"/></worldbody></mujoco>"#;
    let machine = common::read("m.xml", text);
    let Shape::HeightField { heights, nx, ny, size_x, size_y } =
        &body(&machine, "worldbody").colliders[0].shape
    else {
        panic!()
    };
    assert_eq!((*nx, *ny, *size_x, *size_y), (3, 2, 6.0, 4.0));
    // The last row comes first, and heights go from 0 to the third size.
    let heights: [f64; 6] = heights.clone().try_into().unwrap();
    near(heights, [0.15, 0.2, 0.5, 0.0, 0.05, 0.1]);
}

#[test]
fn geoms_that_are_seen_and_scenery() {
    let text = r#"<mujoco><asset><material name="blue" rgba="0 0 1 1"/></asset><worldbody><geom type="box" size="1 1 1" contype="0" conaffinity="0" material="blue"/>
<body name="a" pos="0 0 3"><freejoint/><geom size="0.1" group="3"/><geom type="box" size="0.2 0.1 0.1" contype="0" conaffinity="0" mass="0" rgba="0 1 0 1"/>
<geom size="0.3" contype="0" conaffinity="0" mass="0" rgba="0 1 0 0"/></body></worldbody></mujoco>"#;
    let machine = common::read("m.xml", text);
    assert_eq!(machine.scene.scenery.len(), 1);
    assert_eq!(machine.scene.scenery[0].colour.as_deref(), Some("#0000ff"));
    let body = body(&machine, "a");
    assert_eq!((body.colliders.len(), body.visual.len()), (1, 1));
    assert_eq!(body.visual[0].colour.as_deref(), Some("#00ff00"));
}

#[test]
fn what_starts_in_the_ground_is_lifted_and_what_starts_beyond_a_limit_moves_to_it() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 0.08"><freejoint/><geom size="0.1"/>
<body name="b" pos="0 0 0.3"><joint name="j" axis="0 1 0" range="-10 10"/><geom size="0.05"/></body></body></worldbody>
<keyframe><key qpos="0 0 0.08 1 0 0 0 0.5"/></keyframe></mujoco>"#;
    let machine = common::read("m.xml", text);
    assert!(
        machine.notes.iter().any(|n| n.contains("starts 20.0 mm higher")),
        "{:?}",
        machine.notes
    );
    assert!(machine.notes.iter().any(|n| n.contains("joint 'j' starts")), "{:?}", machine.notes);
    assert!((body(&machine, "a").position[2] - 0.1).abs() < 1e-6);
    let limits = common::joint(&machine, "j").limits.unwrap();
    near([limits.max.unwrap()], [0.0]);
    let mut scene = machine.scene.build().unwrap();
    assert!(scene.world.start_warnings().is_empty());
    assert!(scene.step().unwrap().converged());
}
