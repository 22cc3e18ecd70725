//! Real problems, where a copy of the data lies beside the project
//! (`../shared/data`); otherwise nothing is tested here.

mod common;

use std::path::{Path, PathBuf};

use common::{stderr, stdout, taut};

fn entries(folder: &str) -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(folder);
    let Ok(listing) = std::fs::read_dir(data) else { return Vec::new() };
    listing.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Every boxed problem is solved to the default tolerance.
#[test]
fn boxed_problems() {
    for dir in entries("blcp") {
        let output = taut(["solve".as_ref(), dir.as_os_str(), "--json".as_ref()]);
        assert_eq!(output.status.code(), Some(0), "{} {}", stdout(&output), stderr(&output));
    }
}

/// Every cone problem is solved to the default tolerance, or has rolling friction.
#[test]
fn cone_problems() {
    for path in entries("fclib") {
        let output = taut(["solve".as_ref(), path.as_os_str()]);
        let reason = stderr(&output);
        let refused = output.status.code() == Some(2) && reason.contains("rolling friction");
        assert!(refused || output.status.code() == Some(0), "{}: {reason}", path.display());
    }
}
