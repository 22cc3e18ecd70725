//! The `taut` command, as a library: [`run`] is all of it. `taut --help` says what it does.
//!
//! Exit status: 0 done, 1 ran but did not converge, 2 wrong use or bad input,
//! with a one-line reason and a hint on stderr.

mod bench;
mod export;
mod failure;
mod forces;
mod input;
mod list;
mod machine_input;
mod output;
mod page;
mod poses;
mod rest;
mod run;
mod scene_input;
mod solve;
mod summary;
mod view;

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use failure::Failure;

/// Stiff multibody systems with frictional contact: problems and solvers.
#[derive(Parser)]
#[command(name = "taut", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scene.
    Run(run::Args),
    /// Write the problem of a frame, or the scene itself, to files.
    Export(export::Args),
    /// Compare solvers on the problems of scenes, with times and ratios.
    Bench(bench::Args),
    /// Solve a complementarity problem.
    Solve(solve::Args),
    /// Watch a scene run, or a recording, in a browser.
    View(view::Args),
    /// List the scenes, the solvers and the problems that can be generated.
    List(list::Args),
}

/// How a command that ran ended.
enum Ended {
    Done,
    Unconverged,
}

/// Runs the command with these arguments, the first of which is its name; returns the exit status.
pub fn run<A: Into<OsString> + Clone>(args: impl IntoIterator<Item = A>) -> u8 {
    let result = match Cli::try_parse_from(args) {
        Ok(cli) => match cli.command {
            Command::Run(args) => run::run(&args),
            Command::Export(args) => export::run(&args),
            Command::Bench(args) => bench::run(&args),
            Command::Solve(args) => solve::run(&args),
            Command::View(args) => view::run(&args),
            Command::List(args) => list::run(&args),
        },
        Err(e) => usage(&e),
    };
    match result {
        Ok(Ended::Done) => 0,
        Ok(Ended::Unconverged) => 1,
        Err(failure) => {
            output::failure(&failure);
            2
        }
    }
}

/// A page that replays a recording (its bytes) in any browser.
pub fn replay_page(recording: &[u8]) -> String {
    page::replay(page::PAGE, recording)
}

/// The problem that the command reads under this name: a folder, an FCLIB file, or `NAME:SIZE[:SEED]`.
pub fn read_problem(name: &Path) -> Result<taut_lcp::Problem, String> {
    input::read(name).map_err(|f| f.reason)
}

/// Help and version are answers; everything else is wrong use.
fn usage(error: &clap::Error) -> Result<Ended, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::text(&error.render().to_string())?;
            Ok(Ended::Done)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Err(Failure::new("no command given", "taut --help lists the commands"))
        }
        _ => {
            // "error: REASON", where a list may follow in indented lines.
            let text = error.render().to_string();
            let reason: Vec<&str> =
                text.split("\n\n").next().unwrap_or("").lines().map(str::trim).collect();
            let reason = reason.join(" ");
            let reason = reason.strip_prefix("error: ").unwrap_or(&reason).to_string();
            Err(Failure::new(reason, "taut --help, or taut COMMAND --help, shows the usage"))
        }
    }
}
