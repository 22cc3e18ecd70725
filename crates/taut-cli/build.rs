//! Copies the built page of the viewer to where `page.rs` includes it; without
//! Node.js there is none, and an empty file stands for it.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // The folder is always there, so that a page built later is noticed.
    let dist = Path::new("../../viewer/dist");
    println!("cargo:rerun-if-changed={}", dist.display());
    let page = fs::read(dist.join("index.html")).unwrap_or_default();
    let out = env::var_os("OUT_DIR").ok_or(io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("page.html"), page)
}
