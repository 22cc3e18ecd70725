//! Real problems, in the folder that the variable TAUT_DATA names: `blcp` with boxed ones, `fclib` with
//! cones. Without it these tests are skipped, and said to be; with it
//! `cargo xtask check` runs them, too.

mod common;

use std::path::{Path, PathBuf};

use common::{stderr, stdout, taut};

fn entries(folder: &str) -> Vec<PathBuf> {
    let data = std::env::var("TAUT_DATA").expect("TAUT_DATA names the folder of problems");
    let data = Path::new(&data).join(folder);
    let listing = std::fs::read_dir(&data).unwrap_or_else(|e| panic!("{}: {e}", data.display()));
    listing.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Every boxed problem is solved to the default tolerance.
#[test]
#[ignore = "needs problems of others: TAUT_DATA"]
fn boxed_problems() {
    for dir in entries("blcp") {
        let output = taut(["solve".as_ref(), dir.as_os_str(), "--json".as_ref()]);
        assert_eq!(output.status.code(), Some(0), "{} {}", stdout(&output), stderr(&output));
    }
}

/// Every cone problem is solved to the default tolerance.
#[test]
#[ignore = "needs problems of others: TAUT_DATA"]
fn cone_problems() {
    for path in entries("fclib") {
        let output = taut(["solve".as_ref(), path.as_os_str()]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", path.display(), stderr(&output));
    }
}
