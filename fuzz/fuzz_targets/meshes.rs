//! A mesh file: STL, OBJ, glTF, DAE or MSH, as its first byte says. An error or a hull, never a panic, and no memory that
//! its counts ask for and its bytes do not fill.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_import::{Options, read};

fuzz_target!(|data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    let folder = std::env::temp_dir().join(format!("taut-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let end = ["stl", "obj", "glb", "gltf", "dae", "msh"][usize::from(*kind) % 6];
    std::fs::write(folder.join(format!("m.{end}")), bytes).expect("a file");
    let robot = folder.join("mesh.urdf");
    let geometry = format!("<geometry><mesh filename=\"m.{end}\"/></geometry>");
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"><visual>{geometry}</visual><collision>{geometry}</collision></link></robot>"
    );
    std::fs::write(&robot, text).expect("a file");
    let _ = read(&robot, &Options::default());
});
