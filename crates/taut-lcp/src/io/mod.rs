//! Problems in files.
//!
//! [`matrix_market`]: problems as folders of text files, read and
//! written; cones in a file of their own ([`laws`]). `fclib` (feature `hdf5`): problems with exact Coulomb cones from
//! FCLIB's HDF5 files, read; those of contacts alone, written.
//!
//! Readers trust nothing: every count is checked against what the file can
//! hold before memory is asked for, and every error names the file and the
//! line or the dataset. Writers leave a complete file or none.

#[cfg(feature = "hdf5")]
mod condense;
#[cfg(feature = "hdf5")]
pub mod fclib;
#[cfg(feature = "hdf5")]
mod fclib_write;
pub mod laws;
pub mod matrix_market;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{Dense, Error, General, Operator, Sparse};

/// A matrix that is not symmetric is stored densely up to this size, beyond 1024
/// rows only if one entry in 1000 is given; else by its entries.
pub const MAX_DENSE_ROWS: usize = 8192;

/// Entries that differ from their mirror image by this much, relative to
/// √(Aᵢᵢ·Aⱼⱼ) or their own size, are taken for rounding errors of it.
pub(crate) const SYMMETRY_TOLERANCE: f64 = 1e-12;

/// A mistake in a file; `place` names the file, and the line or dataset.
pub(crate) fn bad(place: impl Into<String>, message: impl Into<String>) -> Error {
    Error::File { place: place.into(), message: message.into() }
}

/// The bytes of a regular file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let place = path.display().to_string();
    // Anything else (a device, a pipe) may have no end.
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => Err(bad(place, "is not a regular file")),
        Ok(_) => fs::read(path).map_err(|e| bad(place, format!("cannot be read: {e}"))),
        Err(e) => Err(bad(place, format!("cannot be read: {e}"))),
    }
}

/// Writes all files or none: each first under another name beside its place;
/// only when all are complete, they are renamed.
pub(crate) fn write_files(files: &[(PathBuf, impl AsRef<[u8]>)]) -> Result<(), Error> {
    let mut staged = Vec::with_capacity(files.len());
    let result = files.iter().try_for_each(|(path, bytes)| {
        staged.push(stage(path, bytes.as_ref())?);
        Ok(())
    });
    let result = result.and_then(|()| {
        staged.iter().zip(files).try_for_each(|(temporary, (path, _))| {
            fs::rename(temporary, path).map_err(|e| cannot_write(path, &e))
        })
    });
    if result.is_err() {
        staged.iter().for_each(|temporary| drop(fs::remove_file(temporary)));
    }
    result
}

fn cannot_write(path: &Path, why: &dyn std::fmt::Display) -> Error {
    bad(path.display().to_string(), format!("cannot be written: {why}"))
}

/// Writes a new file beside `path`; returns its name.
fn stage(path: &Path, bytes: &[u8]) -> Result<PathBuf, Error> {
    let name = path.file_name().ok_or_else(|| cannot_write(path, &"it names no file"))?;
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(cannot_write(path, &"it exists and is not a regular file"));
    }
    let hidden = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
    let temporary = path.with_file_name(hidden);
    let written = fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(temporary),
        Err(e) => {
            drop(fs::remove_file(&temporary));
            Err(cannot_write(path, &e))
        }
    }
}

/// The operator of a square matrix given by its entries, each place at most
/// once: sparse if it is symmetric to rounding (mirror images are averaged),
/// else dense, or by its entries where that is out of proportion.
pub(crate) fn operator_from_entries(
    n: usize,
    mut entries: Vec<(usize, usize, f64)>,
) -> Result<Operator, Error> {
    entries.sort_unstable_by_key(|e| (e.0, e.1));
    if let Some(lower) = lower_triangle(&entries) {
        return Ok(Operator::Sparse(Sparse::from_lower_triplets(n, &lower)?));
    }
    if !dense_fits(n, entries.len()) {
        return Ok(Operator::General(General::from_triplets(n, &entries)?));
    }
    let mut values = vec![0.0; n * n];
    entries.iter().for_each(|&(i, j, v)| values[i * n + j] = v);
    Ok(Operator::Dense(Dense::from_rows(n, values)?))
}

/// Whether a dense n×n matrix is in proportion to the entries given.
pub(crate) fn dense_fits(n: usize, entries: usize) -> bool {
    n <= 1024 || (n <= MAX_DENSE_ROWS && entries >= n * n / 1000)
}

/// The lower triangle of a matrix (entries sorted by row and column) that is
/// symmetric to rounding; `None` if it is not.
fn lower_triangle(entries: &[(usize, usize, f64)]) -> Option<Vec<(usize, usize, f64)>> {
    let find = |i, j| entries.binary_search_by_key(&(i, j), |e| (e.0, e.1)).ok();
    let get = |i, j| find(i, j).map_or(0.0, |k| entries[k].2);
    let mut lower = Vec::with_capacity(entries.len() / 2 + 1);
    for &(i, j, v) in entries {
        let mirror = get(j, i);
        let scale = v.abs().max(mirror.abs()).max((get(i, i) * get(j, j)).abs().sqrt());
        if v != mirror && (v - mirror).abs() > SYMMETRY_TOLERANCE * scale {
            return None;
        }
        let mean = if v == mirror { v } else { 0.5 * v + 0.5 * mirror };
        if i >= j {
            lower.push((i, j, mean));
        } else if find(j, i).is_none() {
            lower.push((j, i, mean));
        }
    }
    Some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetric_to_rounding_is_sparse() {
        let e = vec![(0, 0, 1.0), (0, 1, 0.5), (1, 0, 0.5 + 1e-15), (1, 1, 2.0), (0, 2, 1e-16)];
        let e = [e, vec![(2, 2, 1.0)]].concat();
        let Ok(Operator::Sparse(a)) = operator_from_entries(3, e) else { panic!("not sparse") };
        assert_eq!(a.get(0, 1), a.get(1, 0));
        assert_eq!(a.get(2, 0), 0.5e-16);
        let e = vec![(0, 0, 1.0), (0, 1, 0.5), (1, 1, 1.0)];
        assert!(matches!(operator_from_entries(2, e.clone()), Ok(Operator::Dense(_))));
        assert!(operator_from_entries(1024, e.clone()).is_ok());
        assert!(matches!(operator_from_entries(1025, e), Ok(Operator::General(_))));
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let good = dir.path().join("x.mtx");
        let nowhere = dir.path().join("no/such/y.mtx");
        let files = [(good.clone(), "1"), (nowhere, "2")];
        assert!(write_files(&files).is_err());
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 0);
        write_files(&files[..1]).expect("writable");
        assert_eq!(fs::read_to_string(good).expect("readable"), "1");
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1);
        assert!(write_files(&[(dir.path().into(), "")]).is_err());
    }
}
