//! Boxed problems against general QP solvers: `bench/qp_solvers.py`, with PIQP and Clarabel in an
//! environment of its own. Needs Python and the folder of problems that TAUT_DATA names.

use std::path::PathBuf;
use std::process::Command;

use super::{Tables, markdown, program};
use crate::{root, run};

const PACKAGES: [&str; 4] = ["piqp", "clarabel", "numpy", "scipy"];
const HEAD: [&str; 10] = [
    "problem",
    "taut `bpp` ms",
    "residual",
    "PIQP ms",
    "residual",
    "Clarabel ms",
    "residual",
    "taut, new process, ms",
    "taut/PIQP",
    "new process/PIQP",
];

/// Measures all problems; nothing where they are not there.
pub fn measure_all(quick: bool) -> Result<Tables, String> {
    let Some(data) = std::env::var_os("TAUT_DATA") else {
        println!("  skipped: TAUT_DATA names no folder of problems");
        return Ok(Vec::new());
    };
    let python = environment()?;
    let (rounds, repeats) = if quick { ("1", "1") } else { ("4", "6") };
    let mut command = Command::new(python);
    command.current_dir(root()).arg("bench/qp_solvers.py").arg(PathBuf::from(data).join("blcp"));
    command.args(["--rounds", rounds, "--repeats", repeats]).stderr(std::process::Stdio::inherit());
    command.arg("--taut").arg(program("taut").get_program());
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status));
    }
    Ok(tables(&String::from_utf8_lossy(&output.stdout)))
}

/// The interpreter of target/bench/venv, which has the packages.
fn environment() -> Result<PathBuf, String> {
    let folder = root().join("target/bench/venv");
    let python = folder.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let install = ["-m", "pip", "install", "--quiet"];
    run(Command::new(&python).args(install).args(PACKAGES))?;
    Ok(python)
}

/// What the script prints: a line a problem, then lines of means.
fn tables(text: &str) -> Tables {
    let lines: Vec<Vec<String>> = text
        .lines()
        .map(|line| line.split_whitespace().map(String::from).collect())
        .filter(|cells: &Vec<String>| cells.len() == HEAD.len())
        .collect();
    let means = text.lines().filter(|line| line.starts_with("geometric mean"));
    let means: String = means.map(|line| format!("- {line}\n")).collect();
    vec![("qp".into(), markdown(&HEAD, &lines)), ("qp-means".into(), means)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_problems_are_told_from_others() {
        let text = "problem  bpp ms residual piqp ms residual clarabel ms residual new ms taut/piqp new/piqp\n\
            box-1  0.28 6.7e-16 0.96 1.1e-06 4.89 8.8e-08 0.55 0.29 0.57\n\
            geometric mean of taut/piqp: 0.35, worst 0.76\n";
        let found = tables(text);
        assert_eq!(found[0].1.lines().count(), 3);
        assert!(found[0].1.contains("| box-1 | 0.28 |"));
        assert_eq!(found[1].1, "- geometric mean of taut/piqp: 0.35, worst 0.76\n");
    }
}
