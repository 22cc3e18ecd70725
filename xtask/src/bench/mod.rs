//! `cargo xtask benchmarks [TOPIC...] [--quick]`: measures, and writes the tables of docs/bench between
//! their markers. Text outside the markers stays. Every page says at which commit and on which
//! machine it was measured. Every page has its topic here.

mod example;
mod growth;
mod machines;
mod pcg;
mod qp;
mod scenes;

use std::fs;
use std::process::Command;
use std::time::Instant;

use example::lines_of;
use serde_json::Value;

use crate::{Outcome, cargo, root};

/// Tables by the names of their markers.
type Tables = Vec<(String, String)>;

/// A page of docs/bench, how long it takes on an idle machine, and what measures it; `true`: a
/// small share only.
type Topic = (&'static str, usize, fn(bool) -> Result<Tables, String>);

const TOPICS: &[Topic] = &[
    ("scenes", 7, scenes::measure_all),
    ("machines", 3, machines::measure_all),
    ("pcg", 5, pcg::measure_all),
    ("substructuring", 5, |quick| {
        let all = ["scenes", "sizes", "scaling", "nested", "cost", "auto"];
        example::tables_of("taut-scenes", "substructuring", if quick { &["cost"] } else { &all })
    }),
    ("cholesky", 1, |quick| {
        let few = ["loaded-chain:100:2", "wall:4:20"];
        example::tables_of("taut-scenes", "cholesky", if quick { &few } else { &[] })
    }),
    ("cones", 40, |quick| {
        example::tables_of("taut-scenes", "cones", &[if quick { "0.1" } else { "20" }])
    }),
    ("hard_scenes", 3, |quick| {
        let seconds = if quick { "1" } else { "60" };
        example::tables_of("taut", "hard_scenes", &["table", seconds])
    }),
    ("growth", 2, growth::measure_all),
    ("skyline", 2, |quick| {
        let frames = if quick { "40" } else { "300" };
        example::tables_of("taut-scenes", "skyline", &[frames])
    }),
    ("qp", 2, qp::measure_all),
];

/// What the command says of itself.
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
    let stamp = stamp()?;
    for (name, _, measure) in TOPICS.iter().filter(|t| named.is_empty() || named.contains(&t.0)) {
        println!("{name}");
        let start = Instant::now();
        let mut tables = measure(quick)?;
        println!("  {:.0} s", start.elapsed().as_secs_f64());
        if tables.is_empty() {
            continue;
        }
        tables.push(("stamp".into(), stamp.clone()));
        write(name, &tables, quick)?;
    }
    Ok(())
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
fn stamp() -> Result<String, String> {
    let git = |args: &[&str]| -> Result<String, String> {
        let output = Command::new("git").current_dir(root()).args(args).output();
        let output = output.map_err(|e| format!("git {args:?}: {e}"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["describe", "--always", "--abbrev=8", "--dirty"])?;
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
/// names, or one built now.
fn taut(args: &[&str]) -> Result<Value, String> {
    let run = ["run", "--quiet", "--release", "--locked", "--package", "taut-cli", "--"];
    let mut command = match std::env::var_os("TAUT") {
        Some(path) => Command::new(path),
        None => cargo(&run),
    };
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
