//! Tables that an example measures and prints, between "begin NAME" and "end NAME".

use super::{Tables, program};

/// The tables of an example run with these arguments.
pub fn tables_of(example: &str, args: &[&str]) -> Result<Tables, String> {
    tables(&printed(example, args)?)
}

/// The lines that an example prints.
pub fn lines_of(example: &str, args: &[&str]) -> Result<Vec<String>, String> {
    Ok(printed(example, args)?.lines().map(String::from).collect())
}

fn printed(example: &str, args: &[&str]) -> Result<String, String> {
    let mut command = program(&format!("examples/{example}"));
    command.args(args).stderr(std::process::Stdio::inherit());
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What stands between "begin NAME" and "end NAME".
fn tables(text: &str) -> Result<Tables, String> {
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
        tables.push((name.into(), table));
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
        let expected = [("a", "| x |\n|---|\n| 1 |\n"), ("b", "")];
        assert_eq!(found, expected.map(|(name, table)| (name.to_string(), table.to_string())));
        assert!(tables("begin a\n").is_err());
    }
}
