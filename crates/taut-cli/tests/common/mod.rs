//! What the tests of the command share.
#![allow(dead_code, reason = "each test file uses its part")]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use hdf5_pure::{FileBuilder, GroupBuilder};

/// Runs `taut` with these arguments.
pub fn taut<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taut")).args(args).output().expect("taut runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Exit status 2, a reason with each of `words`, a hint, nothing on stdout.
pub fn assert_refused(output: &Output, words: &[&str], case: &str) {
    let error = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{case}: {error}");
    assert!(output.stdout.is_empty(), "{case}: {}", stdout(output));
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{case}: {error}");
    assert!(lines[0].starts_with("taut: "), "{case}: {error}");
    assert!(lines[1].starts_with("hint: "), "{case}: {error}");
    for word in words {
        assert!(lines[0].contains(word), "{case}: '{word}' is not in: {error}");
    }
}

pub const MATRIX: &str = "%%MatrixMarket matrix coordinate real symmetric\n";
pub const VECTOR: &str = "%%MatrixMarket matrix array real general\n";

/// Two rows: A = (2 −1; −1 2), b = (−1, 1), λ ≥ 0; the answer is (0.5, 0).
pub fn good_folder() -> [(&'static str, String); 4] {
    [
        ("A.mtx", format!("{MATRIX}% a comment\n\n2 2 3\n1 1 2\n2 1 -1\n2 2 2.0\n")),
        ("b.mtx", format!("{VECTOR}2 1\n-1\n1\n")),
        ("lo.mtx", format!("{VECTOR}2 1\n0\n0\n")),
        ("hi.mtx", format!("{VECTOR}2 1\ninf\n+Inf\n")),
    ]
}

pub fn write_folder(dir: &Path, files: &[(&str, String)]) {
    fs::create_dir_all(dir).expect("a folder");
    files.iter().for_each(|(name, text)| fs::write(dir.join(name), text).expect("a file"));
}

/// An FCLIB matrix: its group's datasets.
#[derive(Clone)]
pub struct Csr {
    pub m: i32,
    pub n: i32,
    pub nz: i32,
    pub p: Vec<i32>,
    pub i: Vec<i32>,
    pub x: Vec<f64>,
}

impl Csr {
    /// The identity in compressed rows.
    pub fn identity(n: i32) -> Self {
        Csr { m: n, n, nz: -2, p: (0..=n).collect(), i: (0..n).collect(), x: vec![1.0; n as usize] }
    }

    fn write(&self, group: &mut GroupBuilder, name: &str) {
        let mut matrix = group.create_group(name);
        for (name, value) in [("m", self.m), ("n", self.n), ("nz", self.nz)] {
            matrix.create_dataset(name).with_i32_data(&[value]);
        }
        matrix.create_dataset("nzmax").with_i32_data(&[self.x.len() as i32]);
        matrix.create_dataset("p").with_i32_data(&self.p);
        matrix.create_dataset("i").with_i32_data(&self.i);
        matrix.create_dataset("x").with_f64_data(&self.x);
        group.add_group(matrix.finish());
    }
}

/// An FCLIB file: the group, its matrices and its vectors.
pub struct Fclib {
    pub group: &'static str,
    pub spacedim: i32,
    pub matrices: Vec<(&'static str, Csr)>,
    pub vectors: Vec<(&'static str, Vec<f64>)>,
}

impl Fclib {
    /// One contact in local form.
    pub fn local() -> Self {
        Fclib {
            group: "fclib_local",
            spacedim: 3,
            matrices: vec![("W", Csr::identity(3))],
            vectors: vec![("q", vec![-1.0, 0.5, 0.25]), ("mu", vec![0.5])],
        }
    }

    /// One body of unit mass, one contact.
    pub fn global() -> Self {
        let h = Csr { m: 6, n: 3, nz: 3, p: vec![0, 1, 2], i: vec![0, 1, 2], x: vec![1.0; 3] };
        Fclib {
            group: "fclib_global",
            spacedim: 3,
            matrices: vec![("M", Csr::identity(6)), ("H", h)],
            vectors: vec![("f", vec![-1.0; 6]), ("w", vec![0.0; 3]), ("mu", vec![0.5])],
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut file = FileBuilder::new();
        let mut group = file.create_group(self.group);
        group.create_dataset("spacedim").with_i32_data(&[self.spacedim]);
        self.matrices.iter().for_each(|(name, matrix)| matrix.write(&mut group, name));
        let mut vectors = group.create_group("vectors");
        for (name, values) in &self.vectors {
            vectors.create_dataset(name).with_f64_data(values);
        }
        group.add_group(vectors.finish());
        file.add_group(group.finish());
        file.finish().expect("an HDF5 file")
    }
}
