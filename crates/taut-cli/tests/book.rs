//! The blocks of the book (`book/src`) do what it says: a chapter is followed from its beginning, in an empty folder, by
//! a reader who does nothing else.
//!
//! What a block is follows from the word behind its fence:
//!
//! - `json,file=F` (and `xml`, `python`) is the file F; `json,file=F,add=KEY` adds elements to a list of it, and
//!   `json,file=F,set=KEY` sets a field of it. Complete files are those of `book/src/files`.
//! - `console` has commands after `$ `, and lines of what they print. These must be there, in this order: whole numbers as they
//!   are, others to 2 %; `…` stands for anything. `# exit status N` says how the command before ends, if not with 0.
//! - `rust` is compiled and run by the doc tests of `taut-book`, `python` by those of `taut-py`.
//! - `sh` is what cannot be done in a test: installing. Each line must be one of [`INSTALLING`].
//! - `text` is no code: formulas.
//!
//! Numbers in sentences are behind comments: `<!-- expect run ARGS | POINTER ≈ NUMBER -->` (a figure of `taut run ARGS
//! --json`), `<!-- expect pose ARGS | BODY.COLUMN ≈ NUMBER -->` (after the last frame); also `<` and `>`. `≈`: the figure rounds to
//! the number as it is written, so write the digits that the sentence has (`1.20e4` for 12.0 kN).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::{Value, from_str, json};

/// Commands that install, and cannot be tried here.
const INSTALLING: [&str; 6] = [
    "git clone https://github.com/taut-physics/taut",
    "cd taut",
    "cargo install --path crates/taut-cli",
    "cargo xtask playground",
    "pip install .",
    "cargo add --path ../taut/crates/taut",
];

/// How far a number that a command prints may be from the one that is written.
const CLOSE: f64 = 0.02;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources() -> PathBuf {
    root().join("book/src")
}

/// The command under test; another one by `TAUT`, for whoever writes a chapter.
fn taut() -> PathBuf {
    env::var_os("TAUT").map_or_else(|| env!("CARGO_BIN_EXE_taut").into(), PathBuf::from)
}

/// A block of code, or a comment with an expectation.
#[derive(Debug)]
struct Block {
    line: usize,
    /// The word behind the fence; "expect" for comments.
    kind: String,
    file: Option<String>,
    add: Option<String>,
    set: Option<String>,
    text: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (i, line) in text.lines().enumerate() {
        let expectation =
            line.trim().strip_prefix("<!-- expect ").and_then(|l| l.strip_suffix(" -->"));
        if let Some(info) = line.strip_prefix("```") {
            if !open {
                let mut words = info.split(',');
                let kind = words.next().unwrap_or_default().to_string();
                let fields: BTreeMap<_, _> = words.filter_map(|w| w.split_once('=')).collect();
                let field = |name: &str| fields.get(name).map(ToString::to_string);
                let (file, add, set) = (field("file"), field("add"), field("set"));
                found.push(Block { line: i + 1, kind, file, add, set, text: String::new() });
            }
            open = !open;
        } else if open {
            found.last_mut().expect("an open block").text += &format!("{line}\n");
        } else if let Some(what) = expectation {
            let (kind, text) = ("expect".to_string(), what.to_string());
            found.push(Block { line: i + 1, kind, file: None, add: None, set: None, text });
        }
    }
    assert!(!open, "a block is not closed");
    found
}

/// All chapters, by their path below `book/src`.
fn chapters() -> Vec<PathBuf> {
    let summary = fs::read_to_string(sources().join("SUMMARY.md")).expect("SUMMARY.md");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let own = links.filter(|l| !l.starts_with("../") && l.ends_with(".md"));
    own.map(PathBuf::from).collect()
}

/// Someone who follows a chapter.
struct Reader {
    chapter: String,
    folder: PathBuf,
    runs: BTreeMap<String, Value>,
}

impl Reader {
    fn follow(&mut self, block: &Block) {
        let place = format!("{}:{}", self.chapter, block.line);
        match block.kind.as_str() {
            "console" => self.type_in(&block.text, &place),
            "expect" => self.expect(&block.text, &place),
            "sh" => {
                for line in
                    block.text.lines().map(|l| l.split('#').next().unwrap_or_default().trim())
                {
                    assert!(INSTALLING.contains(&line), "{place}: is {line} known to work?");
                }
            }
            "rust" | "text" => {}
            "python" if block.file.is_none() => {}
            "json" | "xml" | "python" => self.write(block, &place),
            other => panic!("{place}: what is to be done with '{other}'?"),
        }
    }

    fn write(&mut self, block: &Block, place: &str) {
        self.runs.clear();
        let name = block.file.as_deref().unwrap_or_else(|| panic!("{place}: which file?"));
        let path = self.folder.join(name);
        let Some(key) = block.add.as_ref().or(block.set.as_ref()) else {
            if block.kind == "json" {
                from_str::<Value>(&block.text).unwrap_or_else(|e| panic!("{place}: {e}"));
            }
            fs::write(path, &block.text).expect("a file");
            return;
        };
        let old = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{place}: {name}: {e}"));
        let mut file: Value = from_str(&old).expect("written before");
        let text =
            if block.add.is_some() { format!("[{}]", block.text) } else { block.text.clone() };
        let new: Value = from_str(&text).unwrap_or_else(|e| panic!("{place}: {e}"));
        if block.add.is_some() {
            let list = file[key]
                .as_array_mut()
                .unwrap_or_else(|| panic!("{place}: there is no list {key}"));
            list.extend(new.as_array().expect("made above").iter().cloned());
        } else {
            file[key] = new;
        }
        fs::write(path, serde_json::to_string_pretty(&file).expect("JSON")).expect("a file");
    }

    /// Commands, and what they are to print.
    fn type_in(&mut self, text: &str, place: &str) {
        for step in text.split("$ ").skip(1) {
            let mut lines = step.lines().map(str::trim_end).filter(|l| !l.trim().is_empty());
            let line = lines.next().unwrap_or_default();
            let mut expected: Vec<&str> = lines.collect();
            let status = expected.last().and_then(|l| l.strip_prefix("# exit status "));
            let status = status.map_or(0, |s| s.parse().expect("a status"));
            expected.retain(|l| !l.starts_with("# "));
            let (printed, ended) = self.command(line, place);
            // Where Node.js is missing, commands are built without the page.
            if printed.contains("cargo xtask viewer") {
                continue;
            }
            assert_eq!(ended, status, "{place}: {line}\n{printed}");
            let mut left = printed.lines();
            for wanted in expected {
                let found = left.by_ref().any(|l| agrees(wanted, l));
                assert!(
                    found,
                    "{place}: {line}: no line (behind the ones before) like\n  {wanted}\nin\n{printed}"
                );
            }
        }
    }

    /// Runs a command in the reader's folder: what it prints, and its exit status.
    fn command(&self, line: &str, place: &str) -> (String, i32) {
        let (line, target) = line.split_once(" > ").map_or((line, None), |(l, t)| (l, Some(t)));
        let words: Vec<&str> = line.split_whitespace().collect();
        let program = match words[0] {
            "taut" => taut(),
            "python3" => "python3".into(),
            other => panic!("{place}: {other} is not to be run"),
        };
        let mut command = Command::new(program);
        command.args(&words[1..]).current_dir(&self.folder);
        if words[..2] == ["taut", "view"] {
            return watch(command);
        }
        let output = command.output().unwrap_or_else(|e| panic!("{place}: {line}: {e}"));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        if let Some(name) = target {
            fs::write(self.folder.join(name.trim()), &printed).expect("a file");
        }
        (printed + &complaints, output.status.code().unwrap_or(-1))
    }

    /// `run ARGS | POINTER OP NUMBER`, `pose ARGS | BODY.COLUMN OP NUMBER`.
    fn expect(&mut self, text: &str, place: &str) {
        let (what, claim) = text.split_once(" | ").unwrap_or_else(|| panic!("{place}: no claim"));
        let (mode, arguments) = what.split_once(' ').unwrap_or_else(|| panic!("{place}: of what?"));
        let words: Vec<&str> = claim.rsplitn(3, ' ').collect();
        let [number, relation, name] = words[..] else { panic!("{place}: {claim}") };
        let wanted: f64 = number.parse().unwrap_or_else(|e| panic!("{place}: {number}: {e}"));
        let report = self.report(arguments, place);
        let value = match mode {
            "run" => report.pointer(name).and_then(Value::as_f64),
            _ => report["poses"][name].as_f64(),
        };
        let value = value.unwrap_or_else(|| panic!("{place}: there is no {name}"));
        let holds = match relation {
            "<" => value < wanted,
            ">" => value > wanted,
            _ => rounds_to(value, number),
        };
        assert!(holds, "{place}: {name} is {value}, not {relation} {wanted}");
    }

    /// What `taut run` says with `--json`, and the poses after the last frame.
    fn report(&mut self, arguments: &str, place: &str) -> Value {
        if let Some(known) = self.runs.get(arguments) {
            return known.clone();
        }
        let poses = self.folder.join("poses-of-the-test.csv");
        let mut command = Command::new(taut());
        command
            .arg("run")
            .args(arguments.split_whitespace())
            .arg("--json")
            .arg("--poses")
            .arg(&poses);
        let output = command.current_dir(&self.folder).output().expect("taut runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut report: Value = from_str(&text).unwrap_or_else(|e| {
            panic!("{place}: {e}: {}", String::from_utf8_lossy(&output.stderr))
        });
        let table = fs::read_to_string(&poses).expect("poses");
        let mut last = json!({});
        let columns: Vec<&str> = table.lines().next().unwrap_or_default().split(',').collect();
        let end =
            table.lines().last().and_then(|l| l.split(',').next()).unwrap_or_default().to_string();
        for row in table.lines().map(|l| l.split(',').collect::<Vec<_>>()).filter(|r| r[0] == end) {
            for (name, value) in columns.iter().zip(&row).skip(3) {
                last[format!("{}.{name}", row[2])] = json!(value.parse::<f64>().expect("a number"));
            }
        }
        report["poses"] = last;
        self.runs.insert(arguments.to_string(), report.clone());
        report
    }
}

/// A viewer has started when it says where; then it is ended.
fn watch(mut command: Command) -> (String, i32) {
    command.args(["--no-open", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("taut runs");
    let mut line = String::new();
    let out = child.stdout.take().expect("piped");
    BufReader::new(out).read_line(&mut line).expect("a line");
    let runs = line.contains("http://127.0.0.1:");
    if runs {
        child.kill().expect("still there");
    }
    let output = child.wait_with_output().expect("an end");
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    (line + &complaints, i32::from(!runs))
}

/// Whether a figure rounds to a number as it is written: 12,007 is `1.20e4`, and is not `1.21e4`.
fn rounds_to(value: f64, written: &str) -> bool {
    let (digits, exponent) = written.split_once('e').unwrap_or((written, "0"));
    let places = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    let power = exponent.parse::<f64>().expect("an exponent") - places as f64;
    let wanted: f64 = written.parse().expect("a number");
    (value - wanted).abs() <= 0.5 * 10f64.powf(power) * (1.0 + 1e-9)
}

/// Whether a line is as it is written in the book: words, whole numbers, and other numbers to 2 %.
fn agrees<'a>(wanted: &'a str, line: &'a str) -> bool {
    let mut found = line.split_whitespace();
    for word in wanted.split_whitespace() {
        if word == "…" {
            return true;
        }
        let Some(other) = found.next() else { return false };
        let plain =
            |w: &'a str| w.trim_end_matches([',', ':', ')', '%', ';']).trim_start_matches('(');
        let (a, b) = (plain(word), plain(other));
        let same = match (a.parse::<f64>(), b.parse::<f64>()) {
            _ if a.parse::<i64>().is_ok() && b.parse::<i64>().is_ok() => a == b,
            (Ok(a), Ok(b)) => (a - b).abs() <= CLOSE * a.abs(),
            _ => word == other,
        };
        if !same {
            return false;
        }
    }
    found.next().is_none()
}

/// Complete files of the guides, for readers who do not want to type: those that following them gives.
fn compare_files(folder: &Path, chapter: &str, text: &str) {
    let names: BTreeSet<&str> = text
        .split("](")
        .skip(1)
        .filter_map(|r| r.split(')').next()?.rsplit_once("files/").map(|f| f.1))
        .collect();
    for name in names {
        let made = fs::read_to_string(folder.join(name))
            .unwrap_or_else(|e| panic!("{chapter}: {name}: {e}"));
        let kept = sources().join("files").join(name);
        if env::var_os("TAUT_WRITE_BOOK").is_some() {
            fs::write(&kept, &made).expect("a file");
        }
        let there = fs::read_to_string(&kept).unwrap_or_else(|e| panic!("{}: {e}", kept.display()));
        assert!(
            there == made,
            "{chapter}: {name} is not what following it gives (TAUT_WRITE_BOOK=1 writes it)"
        );
    }
}

fn follow(chapter: &Path) {
    let text = fs::read_to_string(sources().join(chapter))
        .unwrap_or_else(|e| panic!("{}: {e}", chapter.display()));
    let folder = tempfile::tempdir().expect("a folder");
    let chapter = chapter.display().to_string();
    let mut reader =
        Reader { chapter: chapter.clone(), folder: folder.path().into(), runs: BTreeMap::new() };
    blocks(&text).iter().for_each(|block| reader.follow(block));
    compare_files(folder.path(), &chapter, &text);
}

/// Chapters of a folder, side by side.
fn follow_all(chosen: impl Fn(&Path) -> bool) {
    let only = env::var("CHAPTER").unwrap_or_default();
    let chapters: Vec<_> = chapters()
        .into_iter()
        .filter(|c| chosen(c) && c.to_string_lossy().contains(&only))
        .collect();
    assert!(!chapters.is_empty() || !only.is_empty());
    chapters.iter().for_each(|chapter| follow(chapter));
}

#[test]
fn guides_can_be_followed() {
    follow_all(|c| c.starts_with("guides"));
}

#[test]
fn other_chapters_can_be_followed() {
    follow_all(|c| !c.starts_with("guides"));
}

/// Rust and Python that nobody runs would be forgotten.
#[test]
fn every_language_has_its_test() {
    let doc_tests = fs::read_to_string(root().join("book/lib.rs")).expect("book/lib.rs");
    let pytest =
        fs::read_to_string(root().join("crates/taut-py/tests/test_docs.py")).expect("test_docs.py");
    for chapter in chapters() {
        let text = fs::read_to_string(sources().join(&chapter)).expect("a chapter");
        let name = chapter.display().to_string();
        let has = |kind: &str| blocks(&text).iter().any(|b| b.kind == kind && b.file.is_none());
        assert!(
            !has("rust") || doc_tests.contains(&format!("src/{name}")),
            "{name}: not in book/lib.rs"
        );
        assert!(
            !has("python") || pytest.contains(&format!("book/src/{name}")),
            "{name}: not in test_docs.py"
        );
    }
}

#[test]
fn numbers_are_compared_and_words_are_not_skipped() {
    assert!(agrees("tension at most 9810 N", "  tension   at most 9.812e3 N"));
    assert!(!agrees("size 100 bodies", "size 101 bodies"));
    assert!(rounds_to(12_007.7, "1.20e4") && !rounds_to(12_007.7, "1.21e4"));
    assert!(rounds_to(0.992, "0.99") && !rounds_to(0.992, "0.999"));
    assert!(!agrees("tension at most 9810 N", "tension at most 9000 N"));
    assert!(!agrees("joint gap 1", "joint gap 1 mm"));
    assert!(agrees("speed … ", "speed 3 times"));
    assert!(!agrees("none", "none left"));
}
