//! No target: writes the inputs that fuzzing starts from into `corpus/`.
//! It is built like the targets, so that all share one build of the library.

use std::error::Error;
use std::fs;
use std::path::Path;

use hdf5_pure::{FileBuilder, GroupBuilder};
use taut_lcp::io::matrix_market::write_texts;
use taut_lcp::{Dense, Operator, Problem, Sparse};

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let folder = corpus.join("matrix_market");
    fs::create_dir_all(&folder)?;
    let sparse = Sparse::from_lower_triplets(2, &[(0, 0, 2.0), (1, 0, -0.5), (1, 1, 3.0)])?;
    let dense = Dense::from_rows(2, vec![1.0, 2.0, -2.0, 1.0])?;
    for (name, operator) in
        [("sparse", Operator::Sparse(sparse)), ("dense", Operator::Dense(dense))]
    {
        let problem = Problem::boxed(operator, vec![-1.0, 0.5], &[0.0; 2], &[1.0, f64::INFINITY])?;
        fs::write(folder.join(name), write_texts(&problem)?.join("\0"))?;
    }
    let folder = corpus.join("fclib");
    fs::create_dir_all(&folder)?;
    for nz in [-2, -1, 0] {
        fs::write(folder.join(format!("local{nz}")), local(nz)?)?;
        fs::write(folder.join(format!("global{nz}")), global(nz)?)?;
    }
    robots(&corpus)
}

/// A small robot of each format, and a small mesh of each kind; the first byte says which.
fn robots(corpus: &Path) -> Result<(), Box<dyn Error>> {
    let inertial = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>";
    let urdf = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{inertial}</link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 0\"/></joint></robot>"
    );
    let mjcf = "<mujoco><default><joint damping=\"1\"/></default><worldbody><site name=\"s\"/><geom type=\"plane\" size=\"1 1 1\"/><body name=\"b\"><joint name=\"j\" range=\"-1 1\"/><geom size=\"0.1\"/><site name=\"t\" pos=\"1 0 0\"/></body></worldbody><tendon><fixed name=\"f\"><joint joint=\"j\" coef=\"2\"/></fixed><spatial stiffness=\"1\"><site site=\"s\"/><site site=\"t\"/></spatial></tendon><actuator><position tendon=\"f\" kp=\"3\" dampratio=\"1\"/></actuator><keyframe><key qpos=\"0.5\" ctrl=\"1\"/></keyframe></mujoco>";
    let sdf = "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"/><link name=\"b\"><pose>1 0 0 0 0 0</pose></link><joint name=\"j\" type=\"revolute\"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>";
    let reels = "<mujoco><option timestep=\"0.01\"/><worldbody><site name=\"a\"/><body name=\"b\"><joint type=\"slide\"/><geom name=\"g\" size=\"0.1\"/><site name=\"s\" pos=\"1 0 0\"/><body pos=\"1 0 0\"><joint type=\"ball\" stiffness=\"1\"/><geom type=\"box\" size=\"1 1 1\"/><site name=\"t\" pos=\"0 1 0\"/></body></body></worldbody><tendon><spatial name=\"r\" range=\"0 9\" frictionloss=\"1\"><site site=\"a\"/><site site=\"s\"/><pulley divisor=\"2\"/><site site=\"s\"/><geom geom=\"g\" sidesite=\"t\"/><site site=\"t\"/></spatial></tendon><equality><connect site1=\"a\" site2=\"t\"/><weld body1=\"b\"/></equality><actuator><motor tendon=\"r\" gear=\"-2\"/><general tendon=\"r\" biastype=\"affine\" biasprm=\"0 -1 -1\" forcerange=\"-1 1\"/></actuator><keyframe><key qpos=\"1 0 0 0 0\" ctrl=\"3 1\"/></keyframe><sensor><gyro site=\"s\"/></sensor></mujoco>";
    let folder = corpus.join("robots");
    fs::create_dir_all(&folder)?;
    for (k, text) in [urdf.as_str(), mjcf, sdf, "", reels].iter().enumerate() {
        fs::write(folder.join(k.to_string()), [&[k as u8], text.as_bytes()].concat())?;
    }
    let stl = "solid t\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendsolid\n";
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\n";
    let gltf = "{\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"scale\":[1,2,3]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";
    let dae = "<COLLADA><asset><unit meter=\"0.1\"/></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"s\"><float_array>0 0 0 1 0 0 0 1 0</float_array></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices><triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>";
    let folder = corpus.join("meshes");
    fs::create_dir_all(&folder)?;
    for (k, text) in [(0, stl), (1, obj), (3, gltf), (4, dae)] {
        fs::write(folder.join(k.to_string()), [&[k as u8], text.as_bytes()].concat())?;
    }
    Ok(())
}

/// The identity, n×n: compressed rows (−2) or columns (−1), or triplets.
fn matrix(parent: &mut GroupBuilder, name: &str, n: i32, scheme: i32) {
    let i: Vec<i32> = (0..n).collect();
    let p: Vec<i32> = if scheme < 0 { (0..=n).collect() } else { i.clone() };
    let nz = if scheme < 0 { scheme } else { n };
    let mut group = parent.create_group(name);
    for (name, value) in [("m", n), ("n", n), ("nz", nz), ("nzmax", n)] {
        group.create_dataset(name).with_i32_data(&[value]);
    }
    group.create_dataset("p").with_i32_data(&p);
    group.create_dataset("i").with_i32_data(&i);
    group.create_dataset("x").with_f64_data(&vec![1.0; i.len()]);
    parent.add_group(group.finish());
}

fn vectors(parent: &mut GroupBuilder, values: &[(&str, &[f64])]) {
    let mut group = parent.create_group("vectors");
    for (name, values) in values {
        group.create_dataset(name).with_f64_data(values);
    }
    parent.add_group(group.finish());
}

fn local(scheme: i32) -> Result<Vec<u8>, hdf5_pure::Error> {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    matrix(&mut group, "W", 3, scheme);
    vectors(&mut group, &[("q", &[-1.0, 0.5, 0.25]), ("mu", &[0.5])]);
    file.add_group(group.finish());
    file.finish()
}

fn global(scheme: i32) -> Result<Vec<u8>, hdf5_pure::Error> {
    // Three unknowns cannot be the block of a body: the other way to eliminate M.
    let n = if scheme == -1 { 3 } else { 6 };
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_global");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    matrix(&mut group, "M", n, scheme);
    matrix(&mut group, "H", n, scheme);
    let (f, w, mu) = ([1.0; 6], [0.5; 6], [0.5; 2]);
    let n = n as usize;
    vectors(&mut group, &[("f", &f[..n]), ("w", &w[..n]), ("mu", &mu[..n / 3])]);
    file.add_group(group.finish());
    file.finish()
}
