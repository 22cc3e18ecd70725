//! The `taut` command: see the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(taut_cli::run(std::env::args_os()))
}
