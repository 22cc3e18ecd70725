//! Files that lie, and files that are broken: one clear line each, exit
//! status 2, no output file.

mod common;

use std::fs;

use common::{Csr, Fclib, MATRIX, VECTOR, assert_refused, good_folder, taut, write_folder};

/// One file of a good folder replaced (`text` without a header gets the usual
/// one of its file), and what the message must contain.
const FOLDERS: &[(&str, &str, &[&str])] = &[
    ("A.mtx", "!", &["A.mtx:1"]),
    ("A.mtx", "!2 2 1\n1 1 2\n", &["A.mtx:1", "MatrixMarket"]),
    ("A.mtx", "!MatrixMarket matrix coordinate real symmetric\n2 2 0\n", &["A.mtx:1"]),
    ("A.mtx", "!%%MatrixMarket matrix coordinate real\n2 2 0\n", &["A.mtx:1", "expected"]),
    ("A.mtx", "!%%MatrixMarket tensor coordinate real symmetric\n", &["A.mtx:1", "tensor"]),
    ("A.mtx", "!%%MatrixMarket matrix dense real symmetric\n", &["A.mtx:1", "dense"]),
    ("A.mtx", "!%%MatrixMarket matrix coordinate complex symmetric\n", &["complex"]),
    ("A.mtx", "!%%MatrixMarket matrix coordinate pattern symmetric\n", &["pattern"]),
    ("A.mtx", "!%%MatrixMarket matrix coordinate real skew-symmetric\n", &["skew-symmetric"]),
    ("A.mtx", "", &["A.mtx:2", "size line"]),
    ("A.mtx", "% only\n% comments\n", &["A.mtx", "size line"]),
    ("A.mtx", "2 2\n", &["A.mtx:2", "size line"]),
    ("A.mtx", "2 2 1 7\n1 1 1\n", &["A.mtx:2", "size line"]),
    ("A.mtx", "2 2 -1\n", &["A.mtx:2", "-1"]),
    ("A.mtx", "2.0 2 1\n1 1 1\n", &["A.mtx:2", "2.0"]),
    ("A.mtx", "2 3 1\n1 1 1\n", &["A.mtx:2", "2 by 3"]),
    ("A.mtx", "3 3 1\n1 1 1\n", &["A.mtx:2", "3 rows", "b.mtx"]),
    ("A.mtx", "0 0 0\n", &["A.mtx:2", "no rows"]),
    ("A.mtx", "2 2 1000000000\n1 1 1\n", &["A.mtx:2", "1000000000 entries", "bytes"]),
    ("A.mtx", "2 2 18446744073709551615\n1 1 1\n", &["A.mtx:2"]),
    ("A.mtx", "2 2 99999999999999999999999\n1 1 1\n", &["A.mtx:2"]),
    ("A.mtx", "2 2 3\n1 1 2\n2 2 2\n", &["A.mtx", "ends after 2 of 3"]),
    ("A.mtx", "2 2 1\n1 1 2\n2 2 2\n", &["A.mtx:4", "more than the 1"]),
    ("A.mtx", "2 2 1\n0 0 2\n", &["A.mtx:3", "count from 1"]),
    ("A.mtx", "2 2 1\n3 1 2\n", &["A.mtx:3", "index 3", "1 to 2"]),
    ("A.mtx", "2 2 1\n-1 1 2\n", &["A.mtx:3", "'-1'"]),
    ("A.mtx", "2 2 1\n1.5 1 2\n", &["A.mtx:3", "'1.5'"]),
    ("A.mtx", "2 2 1\n1 2 2\n", &["A.mtx:3", "above the diagonal"]),
    ("A.mtx", "2 2 2\n1 1 2\n1 1 2\n", &["A.mtx:4", "(1, 1)", "line 3"]),
    ("A.mtx", "2 2 1\n1 1\n", &["A.mtx:3", "row column value"]),
    ("A.mtx", "2 2 1\n1 1 2 x\n", &["A.mtx:3", "row column value"]),
    ("A.mtx", "2 2 1\n1 1 two\n", &["A.mtx:3", "'two'"]),
    ("A.mtx", "2 2 1\n1 1 nan\n", &["A.mtx:3", "NaN"]),
    ("A.mtx", "2 2 1\n1 1 inf\n", &["A.mtx:3", "not finite"]),
    ("A.mtx", "2 2 1\n1 1 1e999\n", &["A.mtx:3", "too large"]),
    ("A.mtx", "2 2 1\n1 1 2\n\u{1b}[31m\n", &["A.mtx:4", "more than"]),
    (
        "A.mtx",
        "!%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n1 1 2.5\n",
        &["integer"],
    ),
    ("A.mtx", "!%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n", &["ends after 3 of 4"]),
    ("A.mtx", "!%%MatrixMarket matrix array real symmetric\n2 2\n1\n0\n0\n4\n", &["A.mtx:6"]),
    ("b.mtx", "2 1\n1\nnan\n", &["b.mtx:4", "NaN"]),
    ("b.mtx", "2 1\n1\n-inf\n", &["b.mtx:4", "not finite"]),
    ("b.mtx", "2 1\n1\n", &["b.mtx", "ends after 1 of 2"]),
    ("b.mtx", "2 1\n1\n2\n3\n", &["b.mtx:5", "more than the 2"]),
    ("b.mtx", "2 1\n1 2\n", &["b.mtx:3", "one value"]),
    ("b.mtx", "1 2\n1\n2\n", &["b.mtx:2", "one column"]),
    ("b.mtx", "2\n1\n2\n", &["b.mtx:2", "size line"]),
    ("b.mtx", "4000000000 1\n1\n2\n", &["b.mtx:2", "bytes"]),
    ("b.mtx", "3 1\n1\n2\n3\n", &["A.mtx", "2 rows", "3"]),
    ("b.mtx", "0 1\n", &["A.mtx"]),
    ("b.mtx", "!%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 1\n", &["array"]),
    ("lo.mtx", "1 1\n0\n", &["lo.mtx", "1 rows", "2"]),
    ("lo.mtx", "2 1\n0\nNaN\n", &["lo.mtx:4", "NaN"]),
    ("lo.mtx", "2 1\n0\ninf\n", &["lo.mtx:4", "no finite value"]),
    ("lo.mtx", "2 1\n0\n1d0\n", &["lo.mtx:4", "'1d0'"]),
    ("hi.mtx", "2 1\n-1\n1\n", &["lo.mtx:3", "hi.mtx:3", "exceed"]),
    ("hi.mtx", "2 1\n-inf\n1\n", &["lo.mtx:3", "exceed"]),
    ("hi.mtx", "3 1\n1\n1\n1\n", &["hi.mtx", "3 rows"]),
];

#[test]
fn folders() {
    assert!(FOLDERS.len() >= 40);
    let root = tempfile::tempdir().expect("a folder");
    for (k, (name, text, words)) in FOLDERS.iter().enumerate() {
        let header = if *name == "A.mtx" { MATRIX } else { VECTOR };
        let text = match text.strip_prefix('!') {
            Some(whole) => whole.to_string(),
            None => format!("{header}{text}"),
        };
        let dir = root.path().join(k.to_string());
        write_folder(&dir, &good_folder());
        fs::write(dir.join(name), &text).expect("a file");
        let out = dir.join("x.mtx");
        let output = taut(["solve".as_ref(), dir.as_os_str(), "--out".as_ref(), out.as_ref()]);
        assert_refused(&output, words, &format!("{name}: {text:?}"));
        assert_eq!(fs::read_dir(&dir).expect("readable").count(), 4, "no output file");
    }
}

#[test]
fn folders_that_lack_a_file_or_hold_no_text() {
    let root = tempfile::tempdir().expect("a folder");
    for (k, (missing, _)) in good_folder().iter().enumerate() {
        let dir = root.path().join(k.to_string());
        write_folder(&dir, &good_folder());
        fs::remove_file(dir.join(missing)).expect("removed");
        assert_refused(&taut(["solve".as_ref(), dir.as_os_str()]), &[missing], missing);
        fs::create_dir(dir.join(missing)).expect("a folder");
        let words = [*missing, "regular file"];
        assert_refused(&taut(["solve".as_ref(), dir.as_os_str()]), &words, missing);
        fs::remove_dir(dir.join(missing)).expect("removed");
        fs::write(dir.join(missing), b"%%MatrixMarket \xff\xfe\n").expect("a file");
        let words = [*missing, "not text"];
        assert_refused(&taut(["solve".as_ref(), dir.as_os_str()]), &words, missing);
    }
}

/// Every prefix of every file is an error, except where only the last line
/// break is missing.
#[test]
fn truncated_folders() {
    let root = tempfile::tempdir().expect("a folder");
    for (name, text) in good_folder() {
        write_folder(root.path(), &good_folder());
        // Shorter numbers are still numbers; cut before the last line.
        let last = text.trim_end().rfind('\n').expect("lines") + 1;
        for cut in (0..last).step_by(3) {
            fs::write(root.path().join(name), &text[..cut]).expect("a file");
            let output = taut(["solve".as_ref(), root.path().as_os_str()]);
            assert_refused(&output, &[name], &format!("{name} cut at {cut}"));
        }
    }
}

type Change = (&'static str, fn(&mut Fclib), &'static [&'static str]);

fn w(file: &mut Fclib) -> &mut Csr {
    &mut file.matrices[0].1
}

const LOCAL: &[Change] = &[
    ("plane", |f| f.spacedim = 2, &["mu", "not 2 each"]),
    ("four rows", |f| f.spacedim = 4, &["spacedim", "4"]),
    ("no q", |f| drop(f.vectors.remove(0)), &["vectors/q"]),
    ("no mu", |f| drop(f.vectors.remove(1)), &["vectors/mu"]),
    ("no W", |f| f.matrices.clear(), &["fclib_local/W"]),
    ("empty", |f| f.vectors = vec![("q", vec![]), ("mu", vec![])], &["fclib_local"]),
    ("q too long", |f| f.vectors[0].1.push(0.0), &["mu", "4 rows"]),
    ("two mu", |f| f.vectors[1].1.push(0.0), &["mu", "2 contacts"]),
    ("negative mu", |f| f.vectors[1].1[0] = -1.0, &["mu", "negative"]),
    ("NaN in q", |f| f.vectors[0].1[1] = f64::NAN, &["q", "entry 1", "NaN"]),
    ("inf in mu", |f| f.vectors[1].1[0] = f64::INFINITY, &["mu", "not finite"]),
    ("inf in W", |f| w(f).x[2] = f64::INFINITY, &["W/x", "entry 2"]),
    ("m too small", |f| w(f).m = 2, &["W", "2 by 3"]),
    ("m a gigabyte", |f| w(f).m = 1_000_000_000, &["W", "1000000000"]),
    ("n negative", |f| w(f).n = -3, &["W", "-3"]),
    ("p short", |f| w(f).p.truncate(3), &["W", "4 entries"]),
    ("p backwards", |f| w(f).p = vec![0, 2, 1, 3], &["W", "p[2] = 1"]),
    ("p beyond", |f| w(f).p[3] = 2_000_000_000, &["W", "p[3]"]),
    ("p negative", |f| w(f).p[1] = -1, &["W", "p["]),
    ("p from 1", |f| w(f).p[0] = 1, &["W", "begin with 0"]),
    ("index beyond", |f| w(f).i[1] = 3, &["W", "i[1] = 3", "0 to 2"]),
    ("index negative", |f| w(f).i[1] = -1, &["W", "i[1] = -1"]),
    ("x short", |f| w(f).x.truncate(2), &["W", "x has 2"]),
    ("unknown format", |f| w(f).nz = -7, &["W", "nz = -7"]),
    ("nz beyond", |f| w(f).nz = 1_000_000, &["W", "nz = 1000000"]),
    ("other group", |f| f.group = "something", &["no FCLIB problem"]),
    ("rolling", |f| f.group = "fclib_local_rolling", &["spacedim 3", "only 5"]),
];

const GLOBAL: &[Change] = &[
    ("no f", |f| drop(f.vectors.remove(0)), &["vectors/f"]),
    ("f short", |f| f.vectors[0].1.truncate(5), &["M", "6 by 6"]),
    ("H too narrow", |f| f.matrices[1].1.n = 2, &["H", "6 by 2"]),
    ("H row beyond", |f| f.matrices[1].1.i[0] = 6, &["H", "i[0] = 6"]),
    ("H column beyond", |f| f.matrices[1].1.p[2] = 3, &["H", "p[2] = 3"]),
    ("no mass", |f| w(f).x = vec![0.0; 6], &["M", "singular"]),
    ("no mass at all", |f| (w(f).p, w(f).i, w(f).x) = (vec![0; 7], vec![], vec![]), &["M"]),
    ("G without b", |f| f.matrices.push(("G", Csr::identity(6))), &["vectors/b"]),
];

#[test]
fn fclib_files() {
    let root = tempfile::tempdir().expect("a folder");
    let (path, out) = (root.path().join("p.hdf5"), root.path().join("x.mtx"));
    let cases = LOCAL.iter().map(|c| (Fclib::local(), c));
    for (mut file, (case, change, words)) in
        cases.chain(GLOBAL.iter().map(|c| (Fclib::global(), c)))
    {
        change(&mut file);
        fs::write(&path, file.bytes()).expect("a file");
        let output = taut(["solve".as_ref(), path.as_os_str(), "--out".as_ref(), out.as_ref()]);
        assert_refused(&output, &[&["p.hdf5"], *words].concat(), case);
        assert!(!out.exists());
    }
}

#[test]
fn truncated_fclib_files() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("p.hdf5");
    let bytes = Fclib::global().bytes();
    for cut in (0..bytes.len() - 1).step_by(61) {
        fs::write(&path, &bytes[..cut]).expect("a file");
        assert_refused(&taut(["solve".as_ref(), path.as_os_str()]), &["p.hdf5"], &cut.to_string());
    }
}
