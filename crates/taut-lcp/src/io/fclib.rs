//! Problems with exact Coulomb cones from FCLIB's HDF5 files.
//!
//! **Local form** (`/fclib_local`): u = W r + q, read as A = W, b = q.
//! **Global form** (`/fclib_global`): M v = H r + G λ + f, u = Hᵀv + w,
//! 0 = Gᵀv + b (G and b optional). M is eliminated: A = Kᵀ M⁻¹ K and
//! b = Kᵀ M⁻¹ f + (w, b) with K = (H G); the rows of G come last and are
//! bilateral. Where M consists of symmetric 6×6 blocks, the problem keeps the
//! multibody form and A is not multiplied out.
//!
//! **Rolling** (`/fclib_global_rolling`, `/fclib_local_rolling`): the same with mu_r.
//!
//! Three rows (n, t1, t2) a contact, each contact a non-associated
//! [`Law::Cone`] with its μ; two rows (n, t) in the plane (spacedim 2); five
//! (n, t1, t2, r1, r2) with rolling ([`Law::RollingCone`]).
//! Stored solutions and guesses are ignored. W is sparse if it is symmetric to rounding, else
//! dense (several published files hold a W that is not).
//!
//! A matrix is a group of `m, n, nz, nzmax, p, i, x`: nz = −2 is compressed
//! rows, −1 compressed columns, ≥ 0 triplets with row i and column p, added
//! up where they meet.
//!
//! **Reference**: Acary, Brémond, Koziara, Pérignon 2014, FCLIB: a collection
//! of discrete 3D frictional contact problems, INRIA RT-0444.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hdf5_pure::{Dataset, File};

use super::condense::condense;
pub use super::fclib_write::{write_bytes, write_file};
use super::{bad, operator_from_entries};
use crate::{Error, Law, Problem};

/// Reads a problem from a file.
///
/// ```no_run
/// let problem = taut_lcp::io::fclib::read_file("wall.hdf5".as_ref())?;
/// println!("{} contacts", problem.laws.len());
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn read_file(path: &Path) -> Result<Problem, Error> {
    read_bytes(super::read_bytes(path)?, &path.display().to_string())
}

/// Reads a problem from the contents of a file; `name` stands in errors.
///
/// ```
/// let error = taut_lcp::io::fclib::read_bytes(b"no HDF5".to_vec(), "x.hdf5").unwrap_err();
/// assert!(error.to_string().starts_with("x.hdf5: "));
/// ```
pub fn read_bytes(bytes: Vec<u8>, name: &str) -> Result<Problem, Error> {
    // The HDF5 crate means to return errors, but it is large and young: a
    // panic in it must not become one of ours.
    catch_unwind(AssertUnwindSafe(|| Reader::open(bytes, name)?.problem()))
        .unwrap_or_else(|_| Err(bad(name, "the HDF5 structure is damaged")))
}

/// A sparse matrix as it came, places sorted and distinct.
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub entries: Vec<(usize, usize, f64)>,
}

struct Reader<'a> {
    file: File,
    name: &'a str,
    /// The most bytes a dataset may claim to hold.
    limit: u64,
}

impl<'a> Reader<'a> {
    fn open(bytes: Vec<u8>, name: &'a str) -> Result<Self, Error> {
        // Compression and fill values let a dataset be larger than its file.
        let limit = 16 * bytes.len() as u64 + 65_536;
        let file = File::from_bytes(bytes)
            .map_err(|e| bad(name, format!("not a readable HDF5 file: {}", one_line(&e))))?;
        Ok(Reader { file, name, limit })
    }

    fn problem(&self) -> Result<Problem, Error> {
        let groups = self.file.root().groups();
        let groups = groups.map_err(|e| bad(self.name, one_line(&e)))?;
        let has = |name: &str| groups.iter().any(|g| g == name);
        if let Some(form) = ["fclib_local", "fclib_local_rolling"].into_iter().find(|f| has(f)) {
            self.local(form)
        } else if let Some(form) =
            ["fclib_global", "fclib_global_rolling"].into_iter().find(|f| has(f))
        {
            self.global(form)
        } else {
            Err(bad(
                self.name,
                "neither a group fclib_local nor fclib_global (or with _rolling): no FCLIB problem",
            ))
        }
    }

    fn local(&self, form: &str) -> Result<Problem, Error> {
        let q = self.floats(&format!("{form}/vectors/q"))?;
        let laws = self.cones(form, q.len())?;
        let w = self.matrix(&format!("{form}/W"), q.len(), q.len())?;
        let operator = operator_from_entries(w.rows, w.entries)
            .map_err(|e| self.bad(&format!("{form}/W"), e.to_string()))?;
        Problem::new(operator, q, laws).map_err(|e| bad(self.name, e.to_string()))
    }

    fn global(&self, form: &str) -> Result<Problem, Error> {
        let f = self.floats(&format!("{form}/vectors/f"))?;
        let mut w = self.floats(&format!("{form}/vectors/w"))?;
        let mut laws = self.cones(form, w.len())?;
        let mass = self.matrix(&format!("{form}/M"), f.len(), f.len())?;
        let mut k = self.matrix(&format!("{form}/H"), f.len(), w.len())?;
        if self.file.group(&format!("{form}/G")).is_ok() {
            let b = self.floats(&format!("{form}/vectors/b"))?;
            let g = self.matrix(&format!("{form}/G"), f.len(), b.len())?;
            k.entries.extend(g.entries.iter().map(|&(i, j, v)| (i, k.columns + j, v)));
            k.columns += g.columns;
            laws.extend(b.iter().map(|_| Law::Bilateral));
            w.extend(b);
        }
        let condensed = condense(&mass, &k, &f, &w);
        let (operator, b) = condensed.map_err(|message| self.bad(&format!("{form}/M"), message))?;
        Problem::new(operator, b, laws).map_err(|e| bad(self.name, e.to_string()))
    }

    /// The laws of `rows` rows: two a contact in the plane, three in space, five with rolling.
    fn cones(&self, form: &str, rows: usize) -> Result<Vec<Law>, Error> {
        let path = format!("{form}/spacedim");
        let (dimension, rolls) = (self.int(&path)?, form.ends_with("rolling"));
        let size = match dimension {
            2 | 3 if !rolls => dimension as usize,
            5 if rolls => 5,
            _ => {
                let expected = if rolls { "only 5 with rolling" } else { "only 2 and 3" };
                let message = format!("spacedim {dimension} is not supported, {expected}");
                return Err(self.bad(&path, message));
            }
        };
        if rows == 0 {
            return Err(self.bad(&format!("{form}/vectors"), "the problem has no rows"));
        }
        let mu = self.coefficients(&format!("{form}/vectors/mu"), rows, size)?;
        if !rolls {
            let tangents = size - 1;
            return Ok(mu.iter().map(|&mu| Law::cone(&[mu; 2][..tangents], false)).collect());
        }
        let rolling = self.coefficients(&format!("{form}/vectors/mu_r"), rows, size)?;
        let both = mu.into_iter().zip(rolling);
        let law = |(mu, rolling)| Law::RollingCone { mu, rolling, associated: false };
        Ok(both.map(law).collect())
    }

    /// One coefficient a contact, of so many rows each.
    fn coefficients(&self, path: &str, rows: usize, size: usize) -> Result<Vec<f64>, Error> {
        let mu = self.floats(path)?;
        if mu.len().checked_mul(size) != Some(rows) {
            let message = format!("{} contacts, but {rows} rows, not {size} each", mu.len());
            return Err(self.bad(path, message));
        }
        if let Some(i) = mu.iter().position(|mu| *mu < 0.0) {
            return Err(self.bad(path, format!("entry {i} is negative: {}", mu[i])));
        }
        Ok(mu)
    }

    fn bad(&self, path: &str, message: impl Into<String>) -> Error {
        bad(format!("{}:/{path}", self.name), message)
    }

    fn dataset(&self, path: &str) -> Result<Dataset, Error> {
        let wrong = |e| self.bad(path, one_line(&e));
        let dataset = self.file.dataset(path).map_err(wrong)?;
        let size = dataset.element_size().map_err(wrong)?;
        let chunk = dataset.chunk_shape().map_err(wrong)?.unwrap_or_default();
        for shape in [dataset.shape().map_err(wrong)?, chunk] {
            let bytes = shape.iter().try_fold(size, |s, d| s.checked_mul(*d));
            if bytes.is_none_or(|b| b > self.limit) {
                let message = format!("a shape of {shape:?} is more than the file can hold");
                return Err(self.bad(path, message));
            }
        }
        Ok(dataset)
    }

    fn floats(&self, path: &str) -> Result<Vec<f64>, Error> {
        let values = self.dataset(path)?.read_f64().map_err(|e| self.bad(path, one_line(&e)))?;
        match values.iter().position(|v| !v.is_finite()) {
            Some(i) => Err(self.bad(path, format!("entry {i} is not finite: {}", values[i]))),
            None => Ok(values),
        }
    }

    fn ints(&self, path: &str) -> Result<Vec<i64>, Error> {
        self.dataset(path)?.read_i64().map_err(|e| self.bad(path, one_line(&e)))
    }

    fn int(&self, path: &str) -> Result<i64, Error> {
        match self.ints(path)?[..] {
            [value] => Ok(value),
            ref values => Err(self.bad(path, format!("{} values, expected one", values.len()))),
        }
    }

    /// A matrix that must have this size.
    fn matrix(&self, path: &str, rows: usize, columns: usize) -> Result<Matrix, Error> {
        let at = |name: &str| format!("{path}/{name}");
        let (m, n) = (self.int(&at("m"))?, self.int(&at("n"))?);
        if usize::try_from(m) != Ok(rows) || usize::try_from(n) != Ok(columns) {
            let message = format!("{m} by {n}, but the vectors ask for {rows} by {columns}");
            return Err(self.bad(path, message));
        }
        let (p, i) = (self.ints(&at("p"))?, self.ints(&at("i"))?);
        let x = self.floats(&at("x"))?;
        if i.len() != x.len() {
            let message = format!("i has {} entries, x has {}", i.len(), x.len());
            return Err(self.bad(path, message));
        }
        let entries = match self.int(&at("nz"))? {
            -2 => compressed(&p, &i, &x, rows, columns),
            -1 => compressed(&p, &i, &x, columns, rows)
                .map(|e| e.into_iter().map(|(j, i, v)| (i, j, v)).collect()),
            nz => triplets(nz, &p, &i, &x, rows, columns),
        };
        let entries = entries.map_err(|message| self.bad(path, message))?;
        Ok(Matrix { rows, columns, entries: summed(entries) })
    }
}

type Entries = Vec<(usize, usize, f64)>;

/// Compressed rows; swap the roles for compressed columns.
fn compressed(p: &[i64], i: &[i64], x: &[f64], rows: usize, n: usize) -> Result<Entries, String> {
    if p.len() != rows + 1 || p[0] != 0 {
        return Err(format!("p must have {} entries and begin with 0", rows + 1));
    }
    let mut entries = Vec::with_capacity(x.len());
    for row in 0..rows {
        let range = usize::try_from(p[row]).ok().zip(usize::try_from(p[row + 1]).ok());
        let range = range.filter(|r| r.0 <= r.1 && r.1 <= x.len());
        let (begin, end) = range.ok_or_else(|| format!("p[{}] = {}", row + 1, p[row + 1]))?;
        for k in begin..end {
            entries.push((row, index(i[k], n, "i", k)?, x[k]));
        }
    }
    Ok(entries)
}

fn triplets(
    nz: i64,
    p: &[i64],
    i: &[i64],
    x: &[f64],
    rows: usize,
    columns: usize,
) -> Result<Entries, String> {
    let count = usize::try_from(nz).map_err(|_| format!("nz = {nz} is no known format"))?;
    if p.len() != i.len() || count > i.len() {
        return Err(format!("nz = {nz}, but i has {} entries and p has {}", i.len(), p.len()));
    }
    let entry = |k| Ok((index(i[k], rows, "i", k)?, index(p[k], columns, "p", k)?, x[k]));
    (0..count).map(entry).collect()
}

fn index(value: i64, n: usize, what: &str, k: usize) -> Result<usize, String> {
    let index = usize::try_from(value).ok().filter(|i| *i < n);
    index.ok_or_else(|| format!("{what}[{k}] = {value} lies outside 0 to {}", n.saturating_sub(1)))
}

/// Sorted, and entries of the same place added up in their order.
fn summed(mut entries: Entries) -> Entries {
    entries.sort_by_key(|e| (e.0, e.1));
    entries.dedup_by(|later, kept| {
        let same = (later.0, later.1) == (kept.0, kept.1);
        if same {
            kept.2 += later.2;
        }
        same
    });
    entries
}

/// The message of another crate, cut to one line.
fn one_line(error: &hdf5_pure::Error) -> String {
    error.to_string().chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
