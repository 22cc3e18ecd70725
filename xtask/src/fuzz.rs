//! Fuzzing of the file readers with cargo-fuzz on a nightly toolchain.

use std::process::Command;

use crate::{Outcome, root, run};

const TARGETS: [&str; 4] = ["matrix_market", "fclib", "robots", "meshes"];

/// Fuzzes each reader for so many seconds. An input that panics, takes more
/// than 10 s or 256 MB at once is a finding and is kept in `fuzz/artifacts`.
pub fn run_targets(seconds: &str) -> Outcome {
    let seconds: u32 = seconds.parse().map_err(|_| format!("'{seconds}' is no number"))?;
    run(&mut fuzz("seeds"))?;
    for target in TARGETS {
        run(fuzz(target).arg("--").args([
            &format!("-max_total_time={seconds}"),
            "-max_len=16384",
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-malloc_limit_mb=256",
            "-print_final_stats=1",
        ]))?;
    }
    Ok(())
}

fn fuzz(target: &str) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root()).args(["+nightly", "fuzz", "run", target]);
    command
}
