//! From what the user named to a problem.

use std::path::Path;

use taut_lcp::io::{fclib, matrix_market};
use taut_lcp::{Problem, generate};

use crate::failure::Failure;

/// A generated problem that can be named on the command line.
pub struct Generator {
    pub name: &'static str,
    pub size: &'static str,
    pub summary: &'static str,
    make: fn(usize, u64) -> Result<Problem, taut_lcp::Error>,
}

/// All of them.
pub const GENERATORS: &[Generator] = &[
    Generator {
        name: "multibody",
        size: "bodies",
        summary: "a chain of ball joints and a pile with friction, mass ratio 1000",
        make: multibody,
    },
    Generator {
        name: "fluid",
        size: "cells a side",
        summary: "pressures of a fluid on a grid, sparse",
        make: generate::fluid,
    },
    Generator {
        name: "contact",
        size: "contacts",
        summary: "polyhedral friction cones, not symmetric",
        make: generate::contact,
    },
    Generator {
        name: "random_pd",
        size: "rows",
        summary: "dense, positive definite",
        make: generate::random_pd,
    },
    Generator {
        name: "random_psd",
        size: "rows",
        summary: "dense, half of the eigenvalues zero",
        make: |rows, seed| generate::random_psd(rows, 0.5, seed),
    },
];

fn multibody(bodies: usize, seed: u64) -> Result<Problem, taut_lcp::Error> {
    let links = bodies / 2;
    let options = generate::MultibodyOptions { links, pile: bodies - links, ..Default::default() };
    generate::multibody(&options, seed)
}

/// Reads a folder of Matrix Market files or an FCLIB file, or generates the
/// problem NAME:SIZE or NAME:SIZE:SEED.
pub fn read(path: &Path) -> Result<Problem, Failure> {
    if path.is_dir() {
        return Ok(matrix_market::read_folder(path)?);
    }
    let known =
        |e: &std::ffi::OsStr| e.eq_ignore_ascii_case("hdf5") || e.eq_ignore_ascii_case("h5");
    if path.extension().is_some_and(known) {
        return Ok(fclib::read_file(path)?);
    }
    let place = path.display();
    if path.exists() {
        let reason = format!("{place}: neither a folder nor a file that ends in .hdf5");
        return Err(Failure::files(reason));
    }
    match path.to_str().and_then(|name| generated(name).transpose()) {
        Some(problem) => problem,
        None => Err(Failure::files(format!("{place}: no such folder or file"))),
    }
}

/// `None` if the name is not of the form `NAME:SIZE[:SEED]` with a known NAME.
fn generated(name: &str) -> Result<Option<Problem>, Failure> {
    let mut parts = name.splitn(3, ':');
    let (first, size, seed) = (parts.next(), parts.next(), parts.next());
    let generator = GENERATORS.iter().find(|g| Some(g.name) == first);
    let Some((generator, size)) = generator.zip(size) else { return Ok(None) };
    let hint = format!("{0}:{1}, or {0}:{1}:SEED", generator.name, generator.size.to_uppercase());
    let number = |text: &str| {
        let wrong = |_| Failure::new(format!("{name}: '{text}' is no whole number"), &hint);
        text.parse::<u64>().map_err(wrong)
    };
    let (size, seed) = (number(size)?, seed.map_or(Ok(0), number)?);
    let made = (generator.make)(usize::try_from(size).unwrap_or(usize::MAX), seed);
    let problem = made.map_err(|e| Failure::new(format!("{name}: {e}"), &hint))?;
    if problem.rows() == 0 {
        return Err(Failure::new(format!("{name}: the problem has no rows"), &hint));
    }
    Ok(Some(problem))
}
