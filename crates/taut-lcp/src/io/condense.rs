//! Eliminates the velocities of M v = K r + f, u = Kᵀv + w: gives A and b of
//! u = A r + b, with A = Kᵀ M⁻¹ K and b = Kᵀ M⁻¹ f + w.
//!
//! If M consists of symmetric positive definite 6×6 blocks, A keeps the
//! multibody form. Otherwise it is multiplied out, column by column, with a
//! sparse LU of M: one solve a row, so cost grows with rows × fill of M.

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};

use super::fclib::Matrix;
use super::{dense_fits, operator_from_entries};
use crate::{Block6, Multibody, Operator, Row6};

/// Columns solved for at once.
const BATCH: usize = 32;

/// A and b; `mass` is dof × dof, `k` dof × rows, both with sorted entries.
pub(super) fn condense(
    mass: &Matrix,
    k: &Matrix,
    f: &[f64],
    w: &[f64],
) -> Result<(Operator, Vec<f64>), String> {
    match multibody(mass, k, f, w) {
        Some((a, b)) => Ok((Operator::Multibody(a), b)),
        None => eliminate(mass, k, f, w),
    }
}

/// The multibody form, if M has it. Bodies without a row are left out.
fn multibody(mass: &Matrix, k: &Matrix, f: &[f64], w: &[f64]) -> Option<(Multibody, Vec<f64>)> {
    if !mass.rows.is_multiple_of(6) || mass.entries.iter().any(|&(i, j, _)| i / 6 != j / 6) {
        return None;
    }
    let mut blocks: Vec<Block6> = vec![[[0.0; 6]; 6]; mass.rows / 6];
    mass.entries.iter().for_each(|&(i, j, v)| blocks[i / 6][i % 6][j % 6] = v);
    if blocks.iter().any(|b| (0..6).any(|i| (0..i).any(|j| b[i][j] != b[j][i]))) {
        return None;
    }
    let mut name = vec![None; blocks.len()];
    let mut a = Multibody::default();
    k.entries.iter().for_each(|&(i, _, _)| name[i / 6] = Some(0));
    for (block, name) in blocks.into_iter().zip(&mut name).filter(|(_, name)| name.is_some()) {
        *name = Some(a.push_body(block).ok()?);
    }
    let mut rows: Vec<Vec<(u32, Row6)>> = vec![Vec::new(); k.columns];
    let mut b = w.to_vec();
    for &(i, j, v) in &k.entries {
        // Sorted by i: a body's entries of one row follow one another.
        let body = name[i / 6]?;
        if rows[j].last().is_none_or(|part| part.0 != body) {
            rows[j].push((body, [0.0; 6]));
        }
        rows[j].last_mut()?.1[i % 6] = v;
        let inverse = &a.inverse_mass(body as usize)[i % 6];
        let force = &f[i - i % 6..][..6];
        b[j] += v * (0..6).map(|c| inverse[c] * force[c]).sum::<f64>();
    }
    rows.iter().try_for_each(|parts| a.push_row(parts, 0.0)).ok()?;
    Some((a, b))
}

/// A multiplied out, for any invertible M.
fn eliminate(
    mass: &Matrix,
    k: &Matrix,
    f: &[f64],
    w: &[f64],
) -> Result<(Operator, Vec<f64>), String> {
    let (dof, rows) = (mass.rows, k.columns);
    if !dense_fits(rows, mass.entries.len() + k.entries.len()) {
        return Err(format!("{rows} rows are too many for a mass matrix that is not in blocks"));
    }
    let singular = || "the mass matrix is singular".to_string();
    let triplets: Vec<_> = mass.entries.iter().map(|&(i, j, v)| Triplet::new(i, j, v)).collect();
    let lu = SparseColMat::<usize, f64>::try_new_from_triplets(dof, dof, &triplets)
        .map_err(|e| format!("{e:?}"))?
        .sp_lu()
        .map_err(|_| singular())?;
    let y = lu.solve(Mat::from_fn(dof, 1, |i, _| f[i]));
    let mut b = w.to_vec();
    k.entries.iter().for_each(|&(i, j, v)| b[j] += v * y[(i, 0)]);
    let mut by_column = k.entries.clone();
    by_column.sort_by_key(|e| e.1);
    let column = |j: usize| {
        let begin = by_column.partition_point(|e| e.1 < j);
        by_column[begin..].iter().take_while(move |e| e.1 == j)
    };
    let mut entries = Vec::new();
    for first in (0..rows).step_by(BATCH) {
        let count = BATCH.min(rows - first);
        let mut y = Mat::<f64>::zeros(dof, count);
        (0..count).for_each(|c| column(first + c).for_each(|e| y[(e.0, c)] = e.2));
        lu.solve_in_place(y.as_mut());
        for c in 0..count {
            for i in 0..rows {
                let a: f64 = column(i).map(|e| e.2 * y[(e.0, c)]).sum();
                if !a.is_finite() {
                    return Err(singular());
                }
                if a != 0.0 {
                    entries.push((i, first + c, a));
                }
            }
        }
    }
    let operator = operator_from_entries(rows, entries).map_err(|e| e.to_string())?;
    Ok((operator, b))
}
