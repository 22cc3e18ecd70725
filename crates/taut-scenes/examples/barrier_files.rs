//! Writes the scenes of `taut_barrier::scenes` (spikes, wedges, cliffs, nets, gears, an arch) as scene files, for `taut run FILE --contact MODEL`.
//!
//! `cargo run -p taut-scenes --example barrier_files FOLDER`
#![allow(clippy::print_stdout)]

use std::path::Path;

use taut_barrier::{Settings, scenes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    std::fs::create_dir_all(&folder)?;
    for name in scenes::NAMES {
        let system = scenes::named(name, Settings::default()).ok_or("a scene")??;
        let mut file = taut_scenes::barrier::scene_file(&system, 0.01, 1.0)?;
        file.name = Some(name.into());
        let path = Path::new(&folder).join(format!("{name}.json"));
        std::fs::write(&path, serde_json::to_string(&file)?)?;
        println!("{}", path.display());
    }
    Ok(())
}
