//! `cargo xtask benchmarks [TOPIC...] [--quick]`: measures, and writes the tables of docs/bench between
//! their markers. Text outside the markers stays. Every page says at which commit and on which
//! machine it was measured. Every page has its topic here.
//!
//! Everything is built first. A page is written as soon as its topic is measured; a topic that fails leaves its page as
//! it was, and the others go on. So what is missing in the end is measured by naming it.

mod example;
mod growth;
mod machines;
mod pcg;
mod qp;
mod scenes;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use example::lines_of;
use serde_json::Value;

use crate::{Outcome, cargo, root, run as run_command};

/// Tables by the names of their markers.
type Tables = Vec<(String, String)>;

/// A page of docs/bench, about how many minutes it takes on an idle machine, and what measures it; `true`: a
/// small share only.
type Topic = (&'static str, usize, fn(bool) -> Result<Tables, String>);

const TOPICS: &[Topic] = &[
    ("scenes", 2, scenes::measure_all),
    ("machines", 1, machines::measure_all),
    ("pcg", 3, pcg::measure_all),
    ("substructuring", 4, |quick| {
        let all = ["scenes", "sizes", "scaling", "nested", "cost", "auto"];
        example::tables_of("substructuring", if quick { &["cost"] } else { &all })
    }),
    ("cholesky", 1, |quick| {
        let few = ["loaded-chain:100:2", "wall:4:20"];
        example::tables_of("cholesky", if quick { &few } else { &[] })
    }),
    ("cones", 4, |quick| {
        // 20 s of each scene, or what of it two runs do in 10 s of a processor.
        example::tables_of("cones", if quick { &["0.1", "1"] } else { &["20", "10"] })
    }),
    ("hard_scenes", 2, |quick| {
        let seconds = if quick { "1" } else { "60" };
        example::tables_of("hard_scenes", &["table", seconds])
    }),
    ("growth", 2, growth::measure_all),
    ("skyline", 1, |quick| {
        let frames = if quick { "40" } else { "150" };
        example::tables_of("skyline", &[frames])
    }),
    ("qp", 1, qp::measure_all),
];

/// The examples that measure.
const EXAMPLES: [&str; 6] =
    ["substructuring", "cholesky", "cones", "hard_scenes", "scale", "skyline"];

/// The topics, and how long they take.
pub fn usage() -> String {
    let topics = TOPICS.iter().map(|(name, minutes, _)| format!("{name} ({minutes} min)"));
    topics.collect::<Vec<_>>().join(", ")
}

/// Measures the topics named, or all of them.
pub fn run(words: &[&str]) -> Outcome {
    let quick = words.contains(&"--quick");
    let named: Vec<&str> = words.iter().copied().filter(|w| *w != "--quick").collect();
    if let Some(unknown) = named.iter().find(|n| TOPICS.iter().all(|t| t.0 != **n)) {
        return Err(format!("no topic '{unknown}'; there are {}", usage()));
    }
    let topics: Vec<&Topic> =
        TOPICS.iter().filter(|t| named.is_empty() || named.contains(&t.0)).collect();
    let about =
        |minutes: usize| if quick { String::new() } else { format!(", about {minutes} min") };
    println!("{} topics{}, and the build", topics.len(), about(topics.iter().map(|t| t.1).sum()));
    let stamp = stamp()?;
    build()?;
    let mut failed = Vec::new();
    for (name, minutes, measure) in topics {
        println!("{name}{}", about(*minutes));
        let start = Instant::now();
        if let Err(reason) = page(name, *measure, &stamp, quick) {
            eprintln!("  {reason}");
            failed.push(*name);
        }
        println!("  {:.0} s", start.elapsed().as_secs_f64());
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("not measured; again with `cargo xtask benchmarks {}`", failed.join(" ")))
}

/// Measures a topic and writes its page; nothing where its data are missing.
fn page(
    name: &str,
    measure: fn(bool) -> Result<Tables, String>,
    stamp: &str,
    quick: bool,
) -> Outcome {
    let mut tables = measure(quick)?;
    if tables.is_empty() {
        return Ok(());
    }
    tables.push(("stamp".into(), stamp.into()));
    write(name, &tables, quick)
}

/// Builds all programs that measure.
fn build() -> Outcome {
    let what = ["build", "--release", "--locked", "--workspace", "--all-features", "--bin", "taut"];
    let mut command = cargo(&what);
    for example in EXAMPLES {
        command.args(["--example", example]);
    }
    run_command(&mut command)
}

/// A program that [`build`] made, by its path.
fn program(path: &str) -> Command {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let mut command = Command::new(target.join("release").join(path));
    command.current_dir(root());
    command
}

/// Puts tables into their page; those of a share into a copy of it.
fn write(name: &str, tables: &Tables, quick: bool) -> Outcome {
    let page = root().join("docs/bench").join(format!("{name}.md"));
    let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
    let put = |text: String, (name, table): &(String, String)| put(&text, name, table);
    let text = tables.iter().try_fold(text, put)?;
    let target = if quick { root().join("target/bench") } else { root().join("docs/bench") };
    fs::create_dir_all(&target).map_err(|e| format!("{}: {e}", target.display()))?;
    let target = target.join(format!("{name}.md"));
    println!("  {}", target.display());
    fs::write(&target, text).map_err(|e| format!("{}: {e}", target.display()))
}

/// At which commit, and on which machine.
pub fn stamp() -> Result<String, String> {
    let git = |args: &[&str]| -> Result<String, String> {
        let output = Command::new("git").current_dir(root()).args(args).output();
        let output = output.map_err(|e| format!("git {args:?}: {e}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let mut commit = git(&["describe", "--always", "--abbrev=8"])?;
    // Pages that were just written do not count.
    if !git(&["status", "--porcelain", "--", ".", ":!docs/bench", ":!bench"])?.is_empty() {
        commit += "-dirty";
    }
    let date = git(&["log", "-1", "--format=%ad", "--date=short"])?;
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |m| m.1.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(format!("Measured at commit {commit} ({date}), one thread of {cores}, {model}.\n"))
}

/// The figures of one scene.
fn measure(scene: &str, skip: usize, frames: usize, solvers: &str) -> Result<Value, String> {
    let (skip, frames) = (skip.to_string(), frames.to_string());
    let what = ["bench", "--json", "--scenes", scene, "--skip", &skip, "--frames", &frames];
    Ok(taut(&[&what[..], &["--solvers", solvers]].concat())?["scenes"][0].clone())
}

/// The share of a measurement: all of it, or two frames after at most five.
fn share(quick: bool, skip: usize, frames: usize) -> (usize, usize) {
    if quick { (skip.min(5), frames.min(2)) } else { (skip, frames) }
}

/// The JSON document that taut prints: the command that the variable TAUT
/// names, or the one built.
fn taut(args: &[&str]) -> Result<Value, String> {
    let mut command = std::env::var_os("TAUT").map_or_else(|| program("taut"), Command::new);
    let output = command.args(args).output().map_err(|e| format!("taut {args:?}: {e}"))?;
    // Steps that did not converge (status 1) are figures, too.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("taut {args:?}: {e}"))
}

/// A table in Markdown, with a row for each that was measured.
fn table<S>(head: &[&str], measured: &[(&S, Value)], row: fn(&S, &Value) -> Vec<String>) -> String {
    let rows: Vec<_> = measured.iter().map(|(scene, figures)| row(scene, figures)).collect();
    markdown(head, &rows)
}

/// A table in Markdown.
fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    rows.iter().for_each(|cells| text += &format!("| {} |\n", cells.join(" | ")));
    text
}

/// A condition number: null if it is infinite.
fn estimate(condition: &Value) -> String {
    condition.as_f64().map_or("infinite".into(), |c| format!("{c:.0e}"))
}

/// Three digits; nothing for null.
fn number(value: &Value) -> String {
    match value.as_f64() {
        None => String::new(),
        Some(x) if x >= 99.95 => thousands(x),
        Some(x) if x >= 9.995 => format!("{x:.1}"),
        Some(x) if x >= 0.995 => format!("{x:.2}"),
        Some(x) => format!("{x:.3}"),
    }
}

fn thousands(x: f64) -> String {
    let mut digits = format!("{x:.0}");
    for place in
        (1..digits.len()).rev().filter(|p| (digits.len() - p).is_multiple_of(3)).collect::<Vec<_>>()
    {
        digits.insert(place, ',');
    }
    digits
}

/// The text with another table between the markers of that name.
fn put(text: &str, name: &str, table: &str) -> Result<String, String> {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
    let missing = || format!("the markers of '{name}' are missing");
    let (before, rest) = text.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{table}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every topic has its page, with a stamp; so has every page.
    #[test]
    fn pages_are_stamped() {
        let pages = fs::read_dir(root().join("docs/bench")).expect("docs/bench");
        let mut found = Vec::new();
        for page in pages {
            let path = page.expect("entry").path();
            let text = fs::read_to_string(&path).expect("a text");
            assert!(put(&text, "stamp", "x\n").is_ok(), "{}", path.display());
            found.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
        }
        found.sort();
        let mut topics: Vec<&str> = TOPICS.iter().map(|t| t.0).collect();
        topics.sort_unstable();
        assert_eq!(found, topics);
    }
}
