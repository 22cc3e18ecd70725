//! taut in Python: the wheel, its types, its tests, in a virtual environment of their own.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Outcome, root, run};

/// Largest wheel that is shipped \[bytes\].
const MOST_BYTES: u64 = 6_000_000;

/// What tests and type checks need beside the wheel (`test` in pyproject.toml, and what has tests
/// that would else be skipped).
const TOOLS: [&str; 11] = [
    "maturin>=1.16,<2",
    "numpy>=1.26",
    "scipy>=1.12",
    "pytest>=8",
    "mypy>=1.11",
    "pandas>=2",
    "pyarrow>=15",
    "cloudpickle>=3",
    "gymnasium>=1.0",
    "qpsolvers>=4.3",
    "ipython>=8",
];

/// Builds the wheel, installs it, checks types, runs all tests, docstrings and examples. With the
/// profile of the tests of Rust ("dev") it shares what they built.
pub fn check(profile: &str) -> Outcome {
    let python = environment()?;
    let wheel = build(&python, profile)?;
    install(&python, &["--force-reinstall", "--no-deps"], &[&wheel.display().to_string()])?;
    run(&mut module(&python, "mypy", &[]))?;
    // What the stubs say is what there is.
    run(module(&python, "mypy.stubtest", &["taut._taut"]).current_dir(env::temp_dir()))?;
    // Docstrings are those of the package as installed.
    let mut installed = Command::new(&python);
    installed.args(["-c", "import os, taut; print(os.path.dirname(taut.__file__))"]);
    let installed = text(&mut installed)?;
    run(&mut module(&python, "pytest", &["crates/taut-py/tests", &installed]))
}

/// Builds the wheel as it is shipped, and looks at its size.
pub fn wheel() -> Outcome {
    let wheel = build(&environment()?, "wheel")?;
    let bytes = std::fs::metadata(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?.len();
    println!("{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
    if bytes > MOST_BYTES {
        return Err(format!("more than {:.0} MB", MOST_BYTES as f64 / 1e6));
    }
    Ok(())
}

fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from)
}

/// The Python of a virtual environment that has the tools.
fn environment() -> Result<PathBuf, String> {
    let folder = target().join("python");
    let python = folder.join("bin").join("python");
    if !python.exists() {
        let made = run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        made.map_err(|e| format!("{e}\nPython 3.11 or newer is needed, with venv"))?;
    }
    install(&python, &[], &TOOLS)?;
    Ok(python)
}

fn install(python: &Path, options: &[&str], packages: &[&str]) -> Outcome {
    let pip = ["install", "--quiet", "--disable-pip-version-check"];
    run(module(python, "pip", &pip).args(options).args(packages))
}

/// A wheel in a folder that holds no other.
fn build(python: &Path, profile: &str) -> Result<PathBuf, String> {
    let folder = target().join("wheels").join(profile);
    // There may be none yet.
    drop(std::fs::remove_dir_all(&folder));
    let options =
        ["build", "--quiet", "--locked", "--compression-level", "9", "--profile", profile];
    run(module(python, "maturin", &options).arg("--out").arg(&folder))?;
    let files = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let found = files
        .flatten()
        .map(|entry| entry.path())
        .find(|p| p.extension().is_some_and(|e| e == "whl"));
    found.ok_or_else(|| format!("{}: maturin left no wheel", folder.display()))
}

fn module(python: &Path, name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(python);
    command.current_dir(root()).args(["-m", name]).args(arguments);
    command
}

fn text(command: &mut Command) -> Result<String, String> {
    // Not where the package lies in its source, which would be found first.
    let output = command.current_dir(env::temp_dir()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}
