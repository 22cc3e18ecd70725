//! The playground: the engine as WebAssembly and the viewer's page around it, in one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Outcome, cargo, licences, root, run, viewer};

const TARGET: &str = "wasm32-unknown-unknown";

/// All browsers since 2023 have these instructions.
const FLAGS: &str = "-C target-feature=+simd128";

/// Builds the folder, and says how large it is.
pub fn build() -> Outcome {
    target()?;
    viewer::build_page()?;
    engine()?;
    let folder = folder();
    run(viewer::npm(&["run", "--silent", "playground"])
        .env("TAUT_WEB", engine_folder())
        .env("TAUT_PLAYGROUND", &folder))?;
    // Saved runs are pages of `taut view`'s kind.
    copy(&root().join("crates/taut-cli/page/index.html"), &folder.join("replay.html"))?;
    write(&folder.join("LICENCES.txt"), &licences::notices("taut-web", TARGET)?)?;
    let sizes = viewer::npm(&["run", "--silent", "sizes"]).env("TAUT_PLAYGROUND", &folder).output();
    let sizes = sizes.map_err(|e| format!("npm does not start: {e}"))?;
    print!("{}", String::from_utf8_lossy(&sizes.stdout));
    println!("built: {}, for any web server; python3 -m http.server -d {0}", shown(&folder));
    Ok(())
}

/// Builds it and drives it in a browser; skipped, and said to be, where the target cannot be had.
pub fn check() -> Outcome {
    if let Err(e) = target() {
        println!("SKIPPED: the playground was neither built nor tested: {e}");
        return Ok(());
    }
    build()?;
    run(viewer::npm(&["run", "--silent", "playground-test"])
        .env("CHROMIUM", viewer::chromium()?)
        .env("TAUT_PLAYGROUND", folder()))
}

fn folder() -> PathBuf {
    crate::target_folder().join("playground")
}

fn engine_folder() -> PathBuf {
    crate::target_folder().join("web-engine")
}

/// The module, and the glue that the worker calls it by.
fn engine() -> Outcome {
    run(cargo(&["build", "--profile", "web", "--target", TARGET, "-p", "taut-web", "--locked"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS))?;
    let module = crate::target_folder().join(TARGET).join("web/taut_web.wasm");
    let tools = crate::target_folder().join("tools");
    run(cargo(&["run", "--quiet", "--manifest-path", "tools/bindgen/Cargo.toml", "--locked"])
        .arg("--target-dir")
        .arg(tools)
        .arg("--")
        .args([module, engine_folder()]))
}

/// The standard library for browsers, installed where it is missing.
fn target() -> Outcome {
    if installed()? {
        return Ok(());
    }
    println!("the target {TARGET} is missing; asking rustup for it");
    run(Command::new("rustup").args(["target", "add", TARGET]).current_dir(root()))
        .map_err(|e| format!("{e}\nrustup target add {TARGET} is needed once"))
}

fn installed() -> Result<bool, String> {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("rustc does not start: {e}"))?;
    Ok(Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(drop).map_err(|e| format!("{}: {e}", from.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// A path as one would type it.
fn shown(path: &Path) -> String {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    path.strip_prefix(here).unwrap_or(&path).display().to_string()
}
