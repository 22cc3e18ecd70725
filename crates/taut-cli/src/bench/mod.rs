//! `taut bench`: solvers side by side on the problems that scenes pose.

mod figures;
mod measure;
mod plot;
mod problems;
mod report;
mod solver;
mod table;

use std::path::PathBuf;

use taut::FrictionMode;

use crate::failure::Failure;
use crate::{Ended, output, scene_input};
use figures::Document;
use measure::Plan;
use report::Report;

/// Scenes that show stacks, chains, cables, piles and impacts, at the size of
/// their sources; of the slow ones there, none.
const DEFAULT_SCENES: &str = "boxes,tower,spinner,chain,rocks,wall,loaded-chain,heavy-stack";

/// How it is measured; stands below the options.
const HELP: &str = "\
A scene is stepped with its own solver and, if it says nothing else, with boxes of friction, for
most methods take no cones. The problem of every frame (all islands, friction bounds of
the last pass) is solved by each method in turn, each from its own answer to the frame before:
  baseline  block pivoting from all free that analyses and factors anew at every pivot, at most 50;
            steps at which it fails are left out of its means and of the ratios to it
  oracle    one factorization for the index set of the answer, symbolic work excluded
  solvers   those of --solvers
Times are CPU times of one thread, with preparation and judgement. The defaults take one to three
minutes; time grows with --frames, and much with sweeps (pgs, psor, jacobi) and murty.
Exit status: 0 all solvers converged in all frames, 1 some did not or refused, 2 wrong use.";

/// What to compare.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Built-in scenes, NAME or NAME:SIZE, and scene files (.json).
    #[arg(long, value_delimiter = ',', default_value = DEFAULT_SCENES)]
    scenes: Vec<String>,
    /// Measure on these problems instead of scenes: folders, FCLIB files and generated
    /// problems (NAME:SIZE:SEED), as `taut solve` takes them. With --json the residual of
    /// every iteration is part of the document.
    #[arg(long, value_delimiter = ',')]
    problems: Vec<String>,
    /// Relative natural residual to reach on --problems, as of `taut solve`.
    #[arg(long, default_value = "1e-9", value_parser = crate::solve::tolerance, allow_negative_numbers = true, requires = "problems")]
    tol: f64,
    /// Solvers; `taut list` shows them all. NAME:SETTING=VALUE changes a
    /// setting (NAME:A.B=VALUE one within another); NAME:ho22 takes Ho22's.
    #[arg(long, value_delimiter = ',', default_value = "bpp,ipm")]
    solvers: Vec<String>,
    /// Frames to measure.
    #[arg(long, default_value = "120", value_parser = scene_input::at_least_one, allow_negative_numbers = true)]
    frames: usize,
    /// Frames to run before measuring.
    #[arg(long, default_value = "0")]
    skip: usize,
    /// Size of built-in scenes without a :SIZE [default: that of their source].
    #[arg(long, value_parser = scene_input::at_least_one, allow_negative_numbers = true)]
    size: Option<usize>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Write tables and plots to this HTML file.
    #[arg(long)]
    report: Option<PathBuf>,
}

/// Measures scene by scene, prints, writes the report.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let solvers = args.solvers.iter().map(|given| solver::config(given));
    let solvers = solvers.collect::<Result<Vec<_>, _>>()?;
    if !args.problems.is_empty() {
        return problems::run(&args.problems, &solvers, args.tol, args.json);
    }
    // Everything is looked up before anything is measured.
    let scenes = args.scenes.iter().map(|name| plan(args, name));
    let plans = scenes.collect::<Result<Vec<_>, _>>()?;
    let report = args.report.as_deref().map(Report::create).transpose()?;
    let mut document = Document::new(&solvers);
    for plan in &plans {
        document.scenes.push(measure::scene(plan, &solvers)?);
    }
    if let Some(report) = report {
        report.write(&document)?;
    }
    if args.json {
        output::json(&document)?;
    } else {
        output::text(&table::text(&document))?;
    }
    Ok(if document.is_good() { Ended::Done } else { Ended::Unconverged })
}

/// What NAME, NAME:SIZE or FILE.json asks for.
fn plan(args: &Args, given: &str) -> Result<Plan, Failure> {
    let sized = given.rsplit_once(':').and_then(|(name, size)| {
        let size = size.parse::<usize>().ok().filter(|s| *s > 0)?;
        Some((name, Some(size)))
    });
    let (name, size) = sized.unwrap_or((given, None));
    let is_file = name.to_ascii_lowercase().ends_with(".json");
    let size = size.or(args.size.filter(|_| !is_file));
    let mut file = scene_input::load(name, size)?;
    // Most methods take no cones.
    file.settings.friction.get_or_insert(FrictionMode::Box);
    // Built to find mistakes now rather than after minutes.
    scene_input::build(&file, name)?;
    Ok(Plan { name: name.into(), size, file, frames: args.frames, skip: args.skip })
}
