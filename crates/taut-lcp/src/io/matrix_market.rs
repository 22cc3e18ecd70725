//! Problems as folders of Matrix Market files.
//!
//! A folder holds `A.mtx`, `b.mtx`, `lo.mtx` and `hi.mtx`: w = Aλ + b,
//! lo ≤ λ ≤ hi. The matrix is in coordinate or array format, `symmetric`
//! (lower triangle only) or `general`; vectors are in array format with one
//! column. Numbers are `real` or `integer`, one entry a line; bounds may be
//! `inf` and `-inf`. Comments (`%`) and blank lines may stand anywhere after
//! the header, which may begin with one `%` or two.
//!
//! A `general` coordinate matrix that is symmetric to rounding (1e-12 of the
//! diagonal) is read as a sparse symmetric one; any other is stored densely
//! up to [`MAX_DENSE_ROWS`](super::MAX_DENSE_ROWS), by its entries beyond. A `general` array
//! is read as sparse only if it is symmetric to the last bit.
//!
//! Problems with cones have a fifth file, `laws.json` ([`super::laws`]).
//!
//! Numbers are written with the fewest digits that give the same bits back.
//!
//! **Reference**: Boisvert, Pozo, Remington 1996, The Matrix Market exchange
//! formats, NISTIR 5935.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{bad, laws, operator_from_entries, read_bytes, write_files};
use crate::{Dense, Error, General, Law, Operator, Problem, Sparse};

/// The files of a folder, in the order of [`read_texts`].
pub const FILES: [&str; 4] = ["A.mtx", "b.mtx", "lo.mtx", "hi.mtx"];

/// Reads the problem of a folder.
///
/// ```
/// use taut_lcp::io::matrix_market::{read_folder, write_folder};
/// use taut_lcp::{Operator, Problem, Sparse};
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path().join("problem");
/// let a = Sparse::from_lower_triplets(2, &[(0, 0, 2.0), (1, 0, -0.1), (1, 1, 3.0)])?;
/// let problem =
///     Problem::boxed(Operator::Sparse(a), vec![-1.0, 0.5], &[0.0; 2], &[f64::INFINITY; 2])?;
/// write_folder(&dir, &problem)?;
/// assert_eq!(read_folder(&dir)?.b, problem.b);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_folder(dir: &Path) -> Result<Problem, Error> {
    let [a, b, lo, hi] = FILES.map(|name| read_bytes(&dir.join(name)));
    let problem = read_texts(&dir.display().to_string(), [&a?, &b?, &lo?, &hi?])?;
    let place = dir.join(laws::FILE);
    if !place.exists() {
        return Ok(problem);
    }
    laws::apply(&read_bytes(&place)?, &place.display().to_string(), problem)
}

/// Reads a problem from the contents of its four files, in the order of
/// [`FILES`]; `dir` stands before their names in errors.
///
/// ```
/// use taut_lcp::io::matrix_market::read_texts;
/// let a = b"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2.0\n";
/// let vector = |x: &str| format!("%%MatrixMarket matrix array real general\n1 1\n{x}\n");
/// let [b, lo, hi] = ["-1", "0", "inf"].map(vector);
/// let problem = read_texts("example", [a, b.as_bytes(), lo.as_bytes(), hi.as_bytes()])?;
/// assert_eq!(problem.rows(), 1);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn read_texts(dir: &str, texts: [&[u8]; 4]) -> Result<Problem, Error> {
    let place = FILES.map(|name| Path::new(dir).join(name).display().to_string());
    let b = Vector::read(texts[1], &place[1], false)?;
    let n = b.values.len();
    let operator = read_matrix(texts[0], &place[0], n)?;
    let lo = Vector::read(texts[2], &place[2], true)?;
    let hi = Vector::read(texts[3], &place[3], true)?;
    for (v, place) in [(&lo, &place[2]), (&hi, &place[3])] {
        if v.values.len() != n {
            let message = format!("{} rows, but b.mtx has {n}", v.values.len());
            return Err(bad(place, message));
        }
    }
    for (i, (&l, &h)) in lo.values.iter().zip(&hi.values).enumerate() {
        if l > h || l == f64::INFINITY || h == f64::NEG_INFINITY {
            let line = hi.lines[i];
            let message = if l > h {
                format!("row {i}: the lower bound {l} exceeds the upper bound {h} (hi.mtx:{line})")
            } else {
                format!("row {i}: the bounds {l} and {h} (hi.mtx:{line}) leave no finite value")
            };
            return Err(bad(format!("{}:{}", place[2], lo.lines[i]), message));
        }
    }
    Problem::boxed(operator, b.values, &lo.values, &hi.values).map_err(|e| bad(dir, e.to_string()))
}

/// Reads a vector: array format, one column. `name` stands in errors.
///
/// ```
/// use taut_lcp::io::matrix_market::read_vector;
/// let text = "%%MatrixMarket matrix array real general\n2 1\n1.5\n-inf\n";
/// assert_eq!(read_vector(text.as_bytes(), "x.mtx")?, [1.5, f64::NEG_INFINITY]);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn read_vector(text: &[u8], name: &str) -> Result<Vec<f64>, Error> {
    Ok(Vector::read(text, name, true)?.values)
}

/// Writes a problem into a folder, which is made if needed.
/// Friction boxes are written with their frozen bounds, cones to a file `laws.json`, which is
/// removed where there are none.
/// See [`read_folder`] for an example.
pub fn write_folder(dir: &Path, problem: &Problem) -> Result<(), Error> {
    let texts = write_texts(problem)?;
    let made = fs::create_dir_all(dir);
    made.map_err(|e| bad(dir.display().to_string(), format!("cannot be made: {e}")))?;
    let mut files: Vec<_> = FILES.iter().map(|name| dir.join(name)).zip(texts).collect();
    let of_cones = dir.join(laws::FILE);
    let Some(text) = laws::text(problem) else {
        // One of an earlier problem would be taken for a part of this.
        if of_cones.is_file() {
            let removed = fs::remove_file(&of_cones);
            removed.map_err(|e| bad(of_cones.display().to_string(), e.to_string()))?;
        }
        return write_files(&files);
    };
    files.push((of_cones, text));
    write_files(&files)
}

/// The contents of the four files, in the order of [`FILES`]: what
/// [`write_folder`] writes, but for cones.
pub fn write_texts(problem: &Problem) -> Result<[String; 4], Error> {
    problem.validate()?;
    let follows = |l: &Law| matches!(l, Law::FollowingBox { .. });
    if let Some((row, _)) = problem.laws_by_row().find(|(_, l)| follows(l)) {
        let message = "its bounds follow a normal impulse: no numbers to write".into();
        return Err(Error::Row { row, message });
    }
    let (mut lo, mut hi) = (Vec::new(), Vec::new());
    problem.bounds(&mut lo, &mut hi);
    Ok([
        matrix_text(&problem.operator),
        vector_text(&problem.b),
        vector_text(&lo),
        vector_text(&hi),
    ])
}

/// Writes a vector to a file: complete or not at all.
///
/// ```
/// use taut_lcp::io::matrix_market::{read_vector, write_vector};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("x.mtx");
/// write_vector(&path, &[0.1, f64::INFINITY])?;
/// assert_eq!(read_vector(&std::fs::read(&path)?, "x.mtx")?, [0.1, f64::INFINITY]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_vector(path: &Path, x: &[f64]) -> Result<(), Error> {
    write_files(&[(path.to_path_buf(), vector_text(x))])
}

fn vector_text(x: &[f64]) -> String {
    let mut text = format!("%%MatrixMarket matrix array real general\n{} 1\n", x.len());
    x.iter().for_each(|x| push_entry(&mut text, format_args!(""), *x));
    text
}

/// Writing to a string cannot fail.
fn push_entry(text: &mut String, indices: std::fmt::Arguments, value: f64) {
    let _ = writeln!(text, "{indices}{value:e}");
}

fn matrix_text(operator: &Operator) -> String {
    match operator {
        Operator::Sparse(a) => sparse_text(a),
        Operator::Dense(a) => {
            let n = a.rows();
            let mut text = format!("%%MatrixMarket matrix array real general\n{n} {n}\n");
            for j in 0..n {
                (0..n).for_each(|i| push_entry(&mut text, format_args!(""), a.get(i, j)));
            }
            text
        }
        Operator::General(a) => general_text(a),
        Operator::Multibody(_) => columns_text(operator),
    }
}

fn sparse_text(a: &Sparse) -> String {
    let n = a.rows();
    let lower = (a.entries() - n) / 2 + n; // every diagonal is stored
    let mut text = format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {lower}\n");
    for i in 0..n {
        let (cols, vals) = a.row(i);
        for (&j, &v) in cols.iter().zip(vals).take_while(|(j, _)| **j as usize <= i) {
            push_entry(&mut text, format_args!("{} {} ", i + 1, j + 1), v);
        }
    }
    text
}

fn general_text(a: &General) -> String {
    let (n, entries) = (a.rows(), a.entries());
    let mut text = format!("%%MatrixMarket matrix coordinate real general\n{n} {n} {entries}\n");
    for i in 0..n {
        let (cols, vals) = a.row(i);
        for (&j, &v) in cols.iter().zip(vals) {
            push_entry(&mut text, format_args!("{} {} ", i + 1, j + 1), v);
        }
    }
    text
}

/// Any symmetric operator, column by column.
fn columns_text(operator: &Operator) -> String {
    let n = operator.rows();
    let (mut e, mut column, mut scratch) = (vec![0.0; n], vec![0.0; n], Vec::new());
    let (mut entries, mut text) = (0, String::new());
    for j in 0..n {
        e[j] = 1.0;
        operator.apply(&e, &mut column, &mut scratch);
        e[j] = 0.0;
        for i in (j..n).filter(|&i| column[i] != 0.0 || i == j) {
            entries += 1;
            push_entry(&mut text, format_args!("{} {} ", i + 1, j + 1), column[i]);
        }
    }
    format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {entries}\n{text}")
}

/// Reads a matrix that must have n rows and columns.
fn read_matrix(text: &[u8], name: &str, n: usize) -> Result<Operator, Error> {
    let (mut lines, header) = Lines::open(text, name)?;
    let size_line = lines.size(if header.coordinate { 3 } else { 2 })?;
    let (rows, columns) = (size_line[0], size_line[1]);
    if rows != columns {
        return Err(lines.bad(format!("a square matrix is needed, not {rows} by {columns}")));
    }
    if rows == 0 {
        return Err(lines.bad("the problem has no rows"));
    }
    if rows != n {
        return Err(lines.bad(format!("{rows} rows, but b.mtx has {n}")));
    }
    let entries = if header.coordinate {
        read_coordinates(&mut lines, &header, n, size_line[2])?
    } else {
        read_array(&mut lines, &header, n)?
    };
    let operator = if header.symmetric {
        Sparse::from_lower_triplets(n, &entries).map(Operator::Sparse)
    } else if header.coordinate {
        operator_from_entries(n, entries)
    } else {
        operator_from_columns(n, &entries)
    };
    operator.map_err(|e| bad(name, e.to_string()))
}

type Entries = Vec<(usize, usize, f64)>;

/// Entries "row column value", counted from one.
fn read_coordinates(
    lines: &mut Lines,
    header: &Header,
    n: usize,
    count: usize,
) -> Result<Entries, Error> {
    lines.check_count(count, 6)?; // "1 1 1" and a line break
    let mut entries = Vec::with_capacity(count);
    while let Some(line) = lines.entry(entries.len(), count)? {
        let [i, j, v] = lines.tokens(line, "row column value")?;
        let (i, j) = (lines.index(i, n)?, lines.index(j, n)?);
        if header.symmetric && j > i {
            let place = format!("({}, {})", i + 1, j + 1);
            let message = format!("entry {place} is above the diagonal of a symmetric matrix");
            return Err(lines.bad(message));
        }
        entries.push((i, j, header.number(lines, v, false)?, lines.number));
    }
    entries.sort_unstable_by_key(|e| (e.0, e.1, e.3));
    if let Some(pair) = entries.windows(2).find(|p| (p[0].0, p[0].1) == (p[1].0, p[1].1)) {
        let (i, j, _, line) = pair[1];
        let message = format!("entry ({}, {}) was given in line {}", i + 1, j + 1, pair[0].3);
        return Err(bad(format!("{}:{line}", lines.name), message));
    }
    Ok(entries.into_iter().map(|(i, j, v, _)| (i, j, v)).collect())
}

/// Values column by column; of a symmetric matrix the lower triangle only.
fn read_array(lines: &mut Lines, header: &Header, n: usize) -> Result<Entries, Error> {
    let square = n.checked_mul(n).ok_or_else(|| lines.bad(format!("{n} rows are too many")))?;
    let count = if header.symmetric { square / 2 + n.div_ceil(2) } else { square };
    lines.check_count(count, 2)?;
    let mut entries = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let Some(line) = lines.entry(entries.len(), count)? {
        let [v] = lines.tokens(line, "one value")?;
        entries.push((i, j, header.number(lines, v, false)?));
        i += 1;
        if i == n {
            j += 1;
            i = if header.symmetric { j } else { 0 };
        }
    }
    Ok(entries)
}

/// The operator of a matrix given in full: sparse if it is symmetric to the
/// last bit, else dense, as it is.
fn operator_from_columns(n: usize, entries: &[(usize, usize, f64)]) -> Result<Operator, Error> {
    let get = |i: usize, j: usize| entries[j * n + i].2;
    if (0..n).all(|i| (0..i).all(|j| get(i, j) == get(j, i))) {
        let lower: Entries = entries.iter().filter(|e| e.0 >= e.1 && e.2 != 0.0).copied().collect();
        return Sparse::from_lower_triplets(n, &lower).map(Operator::Sparse);
    }
    let values = (0..n * n).map(|k| get(k / n, k % n)).collect();
    Dense::from_rows(n, values).map(Operator::Dense)
}

/// A vector, and the line of each entry.
struct Vector {
    values: Vec<f64>,
    lines: Vec<usize>,
}

impl Vector {
    fn read(text: &[u8], name: &str, infinite: bool) -> Result<Self, Error> {
        let (mut lines, header) = Lines::open(text, name)?;
        if header.coordinate || header.symmetric {
            return Err(lines.bad("a vector must be in 'array' format and 'general'"));
        }
        let size = lines.size(2)?;
        if size[1] != 1 {
            return Err(lines.bad(format!("a vector has one column, not {}", size[1])));
        }
        lines.check_count(size[0], 2)?; // "1" and a line break
        let mut vector = Vector { values: Vec::with_capacity(size[0]), lines: Vec::new() };
        while let Some(line) = lines.entry(vector.values.len(), size[0])? {
            let [v] = lines.tokens(line, "one value")?;
            vector.values.push(header.number(&lines, v, infinite)?);
            vector.lines.push(lines.number);
        }
        Ok(vector)
    }
}

/// What the first line promises.
struct Header {
    coordinate: bool,
    integer: bool,
    symmetric: bool,
}

impl Header {
    fn parse(line: &str) -> Result<Self, String> {
        let lower = line.to_ascii_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let [banner, object, format, field, symmetry] = words[..] else {
            return Err("expected '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'".into());
        };
        if banner.trim_start_matches('%') != "matrixmarket" || !banner.starts_with('%') {
            return Err("the first line must begin with '%%MatrixMarket'".into());
        }
        let choose = |what: &str, word: &str, known: &[&str]| {
            let found = known.iter().position(|k| *k == word);
            let known = || format!("'{word}' is no {what} read here; known: {}", known.join(", "));
            found.ok_or_else(known)
        };
        choose("object", object, &["matrix"])?;
        Ok(Header {
            coordinate: choose("format", format, &["coordinate", "array"])? == 0,
            integer: choose("field", field, &["real", "double", "integer"])? == 2,
            symmetric: choose("symmetry", symmetry, &["general", "symmetric"])? == 1,
        })
    }

    fn number(&self, lines: &Lines, token: &str, infinite: bool) -> Result<f64, Error> {
        let endless = token.trim_start_matches(['+', '-']).to_ascii_lowercase().starts_with("inf");
        let value = if self.integer && !endless {
            token.parse::<i64>().ok().map(|v| v as f64)
        } else {
            token.parse::<f64>().ok()
        };
        match value {
            None if self.integer => Err(lines.bad(format!("'{}' is no integer", shown(token)))),
            None => Err(lines.bad(format!("'{}' is no number", shown(token)))),
            Some(v) if v.is_nan() => Err(lines.bad("NaN is no value")),
            Some(v) if v.is_infinite() && !endless => {
                Err(lines.bad(format!("'{}' is too large for a number", shown(token))))
            }
            Some(v) if v.is_infinite() && !infinite => {
                Err(lines.bad(format!("'{}' is not finite; only bounds may be", shown(token))))
            }
            Some(v) => Ok(v),
        }
    }
}

/// The beginning of a token, fit for a one-line message.
fn shown(token: &str) -> String {
    token.chars().take(40).flat_map(char::escape_debug).collect()
}

/// The lines of a file that hold something, with their numbers.
struct Lines<'a> {
    name: &'a str,
    bytes: usize,
    rest: std::slice::Split<'a, u8, fn(&u8) -> bool>,
    /// Number of the line last read, from one.
    number: usize,
}

impl<'a> Lines<'a> {
    fn open(text: &'a [u8], name: &'a str) -> Result<(Self, Header), Error> {
        let newline: fn(&u8) -> bool = |c| *c == b'\n';
        let mut lines = Lines { name, bytes: text.len(), rest: text.split(newline), number: 0 };
        let first = lines.any()?.unwrap_or("");
        let header = Header::parse(first).map_err(|message| lines.bad(message))?;
        Ok((lines, header))
    }

    fn bad(&self, message: impl Into<String>) -> Error {
        bad(format!("{}:{}", self.name, self.number.max(1)), message)
    }

    /// The next line, whatever it holds.
    fn any(&mut self) -> Result<Option<&'a str>, Error> {
        let Some(line) = self.rest.next() else { return Ok(None) };
        self.number += 1;
        let text = std::str::from_utf8(line).map_err(|_| self.bad("the line is not text"))?;
        Ok(Some(text.trim()))
    }

    /// The next line that is neither blank nor a comment.
    fn next(&mut self) -> Result<Option<&'a str>, Error> {
        while let Some(line) = self.any()? {
            if !line.is_empty() && !line.starts_with('%') {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// The size line, `count` numbers.
    fn size(&mut self, count: usize) -> Result<Vec<usize>, Error> {
        let line = self.next()?.ok_or_else(|| self.bad("the file ends before its size line"))?;
        let sizes: Option<Vec<usize>> =
            line.split_whitespace().map(|word| word.parse().ok()).collect();
        let fits = sizes.filter(|s| s.len() == count);
        let wrong = || format!("expected a size line of {count} counts, not '{}'", shown(line));
        fits.ok_or_else(|| self.bad(wrong()))
    }

    /// Refuses counts that cannot be true, before memory is asked for.
    fn check_count(&self, count: usize, bytes_each: usize) -> Result<(), Error> {
        let most = (self.bytes + 1) / bytes_each;
        if count <= most {
            return Ok(());
        }
        let bytes = self.bytes;
        Err(self.bad(format!("{count} entries promised, but {bytes} bytes hold at most {most}")))
    }

    /// The line of entry `read` (from zero) of `count`, `None` after the last.
    fn entry(&mut self, read: usize, count: usize) -> Result<Option<&'a str>, Error> {
        match self.next()? {
            Some(_) if read == count => {
                Err(self.bad(format!("more than the {count} entries promised")))
            }
            None if read < count => {
                Err(self.bad(format!("the file ends after {read} of {count} entries")))
            }
            line => Ok(line),
        }
    }

    /// Exactly N words.
    fn tokens<const N: usize>(&self, line: &'a str, form: &str) -> Result<[&'a str; N], Error> {
        let mut words = line.split_whitespace();
        let tokens = std::array::from_fn(|_| words.next().unwrap_or(""));
        if tokens[N - 1].is_empty() || words.next().is_some() {
            return Err(self.bad(format!("expected '{form}', not '{}'", shown(line))));
        }
        Ok(tokens)
    }

    /// A one-based index, returned zero-based.
    fn index(&self, token: &str, n: usize) -> Result<usize, Error> {
        match token.parse::<usize>() {
            Ok(0) => Err(self.bad("index 0: indices count from 1")),
            Ok(i) if i <= n => Ok(i - 1),
            Ok(i) => Err(self.bad(format!("index {i} lies outside 1 to {n}"))),
            Err(_) => Err(self.bad(format!("'{}' is no index", shown(token)))),
        }
    }
}
