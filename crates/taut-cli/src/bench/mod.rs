//! `taut bench`: solvers side by side on the problems that scenes pose.

mod figures;
mod measure;
mod plot;
mod report;
mod table;

use std::path::PathBuf;

use taut_lcp::SolverConfig;

use crate::failure::Failure;
use crate::{Ended, output, scene_input};
use figures::Document;
use measure::Plan;
use report::Report;

/// Scenes that show stacks, chains, cables, impacts and piles, together in two
/// or three minutes. Those of the sources that take longer are smaller here.
const DEFAULT_SCENES: &str = "boxes,tower,spinner,chain,rocks,wall,loaded-chain,heavy-stack";

/// What to compare.
///
/// A scene is stepped with its own solver. The problem of every frame (all
/// islands, friction bounds of the last pass) is then solved by each method in
/// turn, each from its own answer to the frame before:
/// baseline, block pivoting that refactors at every pivot, from all free;
/// the solvers; and the oracle, one factorization for the index set of the answer.
/// Times are CPU times of one thread, with preparation and judgement. Steps
/// at which the baseline fails (50 pivots) are counted and left out of its means
/// and of the ratios to it. The defaults take a few minutes; time grows with
/// --frames.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Built-in scenes, NAME or NAME:SIZE, and scene files (.json).
    #[arg(long, value_delimiter = ',', default_value = DEFAULT_SCENES)]
    scenes: Vec<String>,
    /// Solvers; `taut list` shows them all.
    #[arg(long, value_delimiter = ',', default_value = "bpp,ipm")]
    solvers: Vec<String>,
    /// Frames to measure.
    #[arg(long, default_value = "60", value_parser = at_least_one())]
    frames: usize,
    /// Frames to run before measuring.
    #[arg(long, default_value = "0")]
    skip: usize,
    /// Size of built-in scenes without a :SIZE [default: that of their source].
    #[arg(long, value_parser = at_least_one())]
    size: Option<usize>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Write tables and plots to this HTML file.
    #[arg(long)]
    report: Option<PathBuf>,
}

fn at_least_one() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..)
}

/// Measures scene by scene, prints, writes the report.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let solvers = args.solvers.iter().map(|name| SolverConfig::named(name));
    let solvers = solvers.collect::<Result<Vec<_>, _>>()?;
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
    let file = scene_input::load(name, size)?;
    // Built to find mistakes now rather than after minutes.
    scene_input::build(&file, name)?;
    Ok(Plan { name: name.into(), size, file, frames: args.frames, skip: args.skip })
}
