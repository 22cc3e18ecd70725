//! Writes contact problems as FCLIB files, in local form.
//!
//! FCLIB states exact Coulomb cones, three rows (n, t1, t2) a contact, so a
//! normal row and its two friction boxes are written as the cone they stand
//! for: A and b stay, the frozen bounds do not. What FCLIB has no place for
//! in this form (joints, limits, torsion, rolling, contacts without friction)
//! is refused.

use std::path::Path;

use hdf5_pure::{FileBuilder, GroupBuilder};

use super::{bad, write_files};
use crate::free_solve::Dual;
use crate::{Error, Law, Problem, Sparse};

/// Writes a problem to a file: complete or not at all.
///
/// ```
/// use taut_lcp::io::fclib::{read_file, write_file};
/// use taut_lcp::{Law, Operator, Problem, Sparse};
/// let a = Sparse::from_lower_triplets(3, &[(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0)])?;
/// let friction = Law::FrictionBox { normal: 0, mu: 0.5, bound: 0.1 };
/// let laws = vec![Law::Box { lo: 0.0, hi: f64::INFINITY }, friction, friction];
/// let problem = Problem::new(Operator::Sparse(a), vec![-1.0, 0.2, 0.0], laws)?;
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("contact.hdf5");
/// write_file(&path, &problem)?;
/// let read = read_file(&path)?;
/// assert_eq!(read.laws, [Law::Cone { mu: [0.5; 2], associated: false }]);
/// assert_eq!(read.b, problem.b);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn write_file(path: &Path, problem: &Problem) -> Result<(), Error> {
    let bytes = write_bytes(problem)?;
    write_files(&[(path.to_path_buf(), bytes)])
}

/// The contents of the file that [`write_file`] writes.
pub fn write_bytes(problem: &Problem) -> Result<Vec<u8>, Error> {
    problem.validate()?;
    let mu = friction_coefficients(problem)?;
    if !problem.operator.is_symmetric() {
        return Err(Error::Matrix("only symmetric matrices are written as FCLIB files".into()));
    }
    let mut a = Dual::default();
    a.form(problem);
    a.assemble(problem);
    let w = a.matrix().ok_or_else(|| Error::Matrix("the matrix could not be formed".into()))?;
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    matrix(&mut group, w)?;
    let mut vectors = group.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(&problem.b);
    vectors.create_dataset("mu").with_f64_data(&mu);
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    file.finish().map_err(|e| bad("FCLIB file", format!("cannot be made: {e}")))
}

/// μ of every contact.
fn friction_coefficients(problem: &Problem) -> Result<Vec<f64>, Error> {
    let laws: Vec<(usize, &Law)> = problem.laws_by_row().collect();
    let mut mu = Vec::new();
    let mut rest = &laws[..];
    while let Some(&(row, _)) = rest.first() {
        let (coefficient, used) = contact(rest).ok_or_else(|| Error::Row {
            row,
            message: "FCLIB files hold contacts with friction (n, t1, t2) and nothing else".into(),
        })?;
        mu.push(coefficient);
        rest = &rest[used..];
    }
    Ok(mu)
}

/// μ of the contact that the list begins with, and how many laws it takes.
fn contact(laws: &[(usize, &Law)]) -> Option<(f64, usize)> {
    if let Law::Cone { mu: [a, b], associated: false } = *laws.first()?.1 {
        return (a == b).then_some((a, 1));
    }
    let [(row, Law::Box { lo, hi }), (_, first), (_, second)] = laws.get(..3)? else {
        return None;
    };
    let friction = |law: &Law| match *law {
        Law::FrictionBox { normal, mu, .. } if normal == *row => Some(mu),
        _ => None,
    };
    let mu = friction(first)?;
    let fits = (*lo, *hi) == (0.0, f64::INFINITY) && friction(second) == Some(mu);
    // A third friction row is torsion.
    let alone = laws.get(3).is_none_or(|(_, law)| friction(law).is_none());
    (fits && alone).then_some((mu, 3))
}

/// W in compressed rows.
fn matrix(parent: &mut GroupBuilder, w: &Sparse) -> Result<(), Error> {
    let small = |n: usize| {
        i32::try_from(n).map_err(|_| Error::Matrix(format!("{n} entries are too many for FCLIB")))
    };
    let (m, nz) = (small(w.rows())?, small(w.entries())?);
    let (mut p, mut i, mut x) = (vec![0], Vec::new(), Vec::new());
    for row in 0..w.rows() {
        let (columns, values) = w.row(row);
        i.extend(columns.iter().map(|c| *c as i32));
        x.extend_from_slice(values);
        p.push(i.len() as i32);
    }
    let mut group = parent.create_group("W");
    for (name, value) in [("m", m), ("n", m), ("nz", -2), ("nzmax", nz)] {
        group.create_dataset(name).with_i32_data(&[value]);
    }
    group.create_dataset("p").with_i32_data(&p);
    group.create_dataset("i").with_i32_data(&i);
    group.create_dataset("x").with_f64_data(&x);
    parent.add_group(group.finish());
    Ok(())
}
