//! Tables of BENCHMARKS.md about substructuring, beside those of Peiret19. The
//! example of that name measures and prints them.

use crate::benchmarks::write_tables;
use crate::{Outcome, cargo};

const EXAMPLE: [&str; 7] =
    ["run", "--quiet", "--release", "--package", "taut-scenes", "--example", "substructuring"];
const PARTS: [&str; 7] = ["--", "scenes", "sizes", "scaling", "nested", "cost", "auto"];

/// Measures and rewrites the tables.
pub fn write() -> Outcome {
    let mut command = cargo(&EXAMPLE);
    command.args(PARTS).stderr(std::process::Stdio::inherit());
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    write_tables(&tables(&text)?)
}

/// What stands between "begin NAME" and "end NAME".
fn tables(text: &str) -> Result<Vec<(&str, String)>, String> {
    let mut tables = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("begin ") else { continue };
        let end = format!("end {name}");
        let mut table = String::new();
        loop {
            match lines.next() {
                Some(line) if line == end => break,
                Some(line) => table += &format!("{line}\n"),
                None => return Err(format!("table {name} has no end")),
            }
        }
        tables.push((name, table));
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_by_name() {
        let text = "begin a\n| x |\n|---|\n| 1 |\nend a\nnoise\nbegin b\nend b\n";
        let found = tables(text).expect("complete");
        assert_eq!(found, [("a", "| x |\n|---|\n| 1 |\n".into()), ("b", String::new())]);
        assert!(tables("begin a\n").is_err());
    }
}
