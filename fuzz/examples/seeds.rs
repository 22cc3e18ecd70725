//! Writes the inputs that fuzzing starts from into `corpus/`.

use std::fs;
use std::path::Path;

use hdf5_pure::{FileBuilder, GroupBuilder};
use taut_lcp::io::matrix_market::write_texts;
use taut_lcp::{Dense, Operator, Problem, Sparse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let folder = corpus.join("matrix_market");
    fs::create_dir_all(&folder)?;
    let sparse = Sparse::from_lower_triplets(2, &[(0, 0, 2.0), (1, 0, -0.5), (1, 1, 3.0)])?;
    let dense = Dense::from_rows(2, vec![1.0, 2.0, -2.0, 1.0])?;
    let operators = [("sparse", Operator::Sparse(sparse)), ("dense", Operator::Dense(dense))];
    for (name, operator) in operators {
        let problem = Problem::boxed(operator, vec![-1.0, 0.5], &[0.0; 2], &[1.0, f64::INFINITY])?;
        fs::write(folder.join(name), write_texts(&problem)?.join("\0"))?;
    }
    let folder = corpus.join("fclib");
    fs::create_dir_all(&folder)?;
    for nz in [-2, -1, 9] {
        fs::write(folder.join(format!("local{nz}")), local(nz)?)?;
        fs::write(folder.join(format!("global{nz}")), global(nz)?)?;
    }
    Ok(())
}

/// The identity, n×n.
fn matrix(group: &mut GroupBuilder, n: i32, nz: i32) {
    let i: Vec<i32> = (0..n).collect();
    let p: Vec<i32> = if nz < 0 { (0..=n).collect() } else { i.clone() };
    let nz = if nz < 0 { nz } else { n };
    for (name, value) in [("m", n), ("n", n), ("nz", nz), ("nzmax", n)] {
        group.create_dataset(name).with_i32_data(&[value]);
    }
    group.create_dataset("p").with_i32_data(&p);
    group.create_dataset("i").with_i32_data(&i);
    group.create_dataset("x").with_f64_data(&vec![1.0; n as usize]);
}

fn local(nz: i32) -> Result<Vec<u8>, hdf5_pure::Error> {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut w = group.create_group("W");
    matrix(&mut w, 3, nz);
    group.add_group(w.finish());
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&[-1.0, 0.5, 0.25]);
    vectors.create_dataset("mu").with_f64_data(&[0.5]);
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    file.finish()
}

fn global(nz: i32) -> Result<Vec<u8>, hdf5_pure::Error> {
    let n = if nz == -1 { 3 } else { 6 };
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_global");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    for name in ["M", "H"] {
        let mut m = group.create_group(name);
        matrix(&mut m, n, nz);
        group.add_group(m.finish());
    }
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("f").with_f64_data(&vec![1.0; n as usize]);
    vectors.create_dataset("w").with_f64_data(&vec![0.5; n as usize]);
    vectors.create_dataset("mu").with_f64_data(&vec![0.5; n as usize / 3]);
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    file.finish()
}
