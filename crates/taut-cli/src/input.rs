//! From what the user named to a problem.

use std::path::Path;

use taut_lcp::Problem;
use taut_lcp::io::{fclib, matrix_market};

use crate::failure::Failure;

/// Reads a folder of Matrix Market files or an FCLIB file.
pub fn read(path: &Path) -> Result<Problem, Failure> {
    if path.is_dir() {
        return Ok(matrix_market::read_folder(path)?);
    }
    let hdf5 = path
        .extension()
        .is_some_and(|e| ["hdf5", "h5"].iter().any(|known| e.eq_ignore_ascii_case(known)));
    if hdf5 {
        return Ok(fclib::read_file(path)?);
    }
    let place = path.display();
    let reason = match path.exists() {
        false => format!("{place}: no such folder or file"),
        true => format!("{place}: neither a folder nor a file that ends in .hdf5"),
    };
    let hint = "name a folder with A.mtx, b.mtx, lo.mtx and hi.mtx, or an FCLIB .hdf5 file";
    Err(Failure::new(reason, hint))
}
