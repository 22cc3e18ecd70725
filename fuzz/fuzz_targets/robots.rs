//! A robot's file: URDF, MJCF or SDFormat, as its first byte says. An error or a scene, never a panic; a scene that can
//! be built can be written as MJCF, and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut_import::{Options, export, read};

fuzz_target!(|data: &[u8]| {
    let Some((kind, text)) = data.split_first() else { return };
    let folder = std::env::temp_dir().join(format!("taut-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let name = ["m.urdf", "m.xml", "m.sdf"][usize::from(*kind) % 3];
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    let Ok(machine) = read(&path, &Options::default()) else { return };
    let Ok(made) = export::mjcf(&machine.scene) else { return };
    std::fs::write(&path, &made.text).expect("a file");
    if name == "m.xml" {
        let _ = read(&path, &Options::default());
    }
});
