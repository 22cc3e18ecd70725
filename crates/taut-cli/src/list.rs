//! `taut list`: what can be chosen.

use serde::Serialize;
use taut_lcp::registry::ENTRIES;
use taut_scenes::builtin::SCENES;

use crate::failure::Failure;
use crate::input::GENERATORS;
use crate::{Ended, output};

/// What to list, and how.
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listing {
    scenes: Vec<Scene>,
    solvers: Vec<Solver>,
    problems: Vec<Generated>,
}

#[derive(Serialize)]
struct Scene {
    name: &'static str,
    aliases: &'static [&'static str],
    summary: &'static str,
    source: &'static str,
    size: usize,
    size_of: &'static str,
}

#[derive(Serialize)]
struct Solver {
    name: &'static str,
    exact: bool,
    summary: &'static str,
    limits: &'static str,
    reference: &'static str,
}

#[derive(Serialize)]
struct Generated {
    name: &'static str,
    size: &'static str,
    summary: &'static str,
}

/// Lists the built-in scenes, the solvers of the registry and the generators.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let scenes = SCENES.iter().map(|e| Scene {
        name: e.name,
        aliases: e.aliases,
        summary: e.summary,
        source: e.source,
        size: e.default_size,
        size_of: e.size_of,
    });
    let solvers = ENTRIES.iter().map(|e| Solver {
        name: e.name,
        exact: e.exact,
        summary: e.summary,
        limits: e.limits,
        reference: e.reference,
    });
    let problems =
        GENERATORS.iter().map(|g| Generated { name: g.name, size: g.size, summary: g.summary });
    let (solvers, problems) = (solvers.collect(), problems.collect());
    let listing = Listing { scenes: scenes.collect(), solvers, problems };
    if args.json {
        output::json(&listing)?;
    } else {
        output::text(&table(&listing))?;
    }
    Ok(Ended::Done)
}

fn table(listing: &Listing) -> String {
    let mut text = scenes(&listing.scenes);
    let width = listing.solvers.iter().map(|s| s.name.len()).max().unwrap_or(0);
    text += "\nSolvers (* exact on symmetric positive semidefinite problems)\n";
    for s in &listing.solvers {
        let star = if s.exact { '*' } else { ' ' };
        text += &format!("{star} {:width$}  {}\n", s.name, s.summary);
        text += &format!("  {:width$}  limits: {}\n", "", s.limits);
    }
    text += "\nGenerated problems, NAME:SIZE[:SEED]\n";
    let width = listing.problems.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for p in &listing.problems {
        text += &format!("  {:width$}  {} (size: {})\n", p.name, p.summary, p.size);
    }
    text
}

fn scenes(scenes: &[Scene]) -> String {
    let width = scenes.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let mut text = String::from("Scenes (size with --size)\n");
    for s in scenes {
        text += &format!("  {:width$}  {} (size: {} {})\n", s.name, s.summary, s.size, s.size_of);
        if !s.aliases.is_empty() {
            text += &format!("  {:width$}  also: {}\n", "", s.aliases.join(", "));
        }
    }
    text
}
