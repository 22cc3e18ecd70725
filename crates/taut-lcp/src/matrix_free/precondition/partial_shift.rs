//! IC(0), shifted only where it broke down.
//!
//! **Update**: where the pivot of row i is not positive, the diagonals of row
//! i and of all columns it uses grow by 2ᵖ γ of themselves, p the number of
//! times they were shifted before; the rows from the first of these on are
//! factored anew.
//! **Cost**: a part of a factorization per breakdown, and there are many.
//! **Fails** as IC(0) with a shift of all rows, but later.
//! **Reference**: Ho22 4.1.4 (Chen et al.), γ = 1e-4. Deviation: row i is
//! shifted too, or a row without neighbours could never be mended.

use super::Source;
use super::ic0;
use super::triangle::Triangle;
use crate::Sparse;
use crate::linalg::Breakdown;

const GAMMA: f64 = 1e-4;
/// Breakdowns per row before giving up.
const PATIENCE: usize = 64;

pub(super) fn factor(
    l: &mut Triangle,
    source: &Source,
    a: &Sparse,
    rows: &[u32],
    s: &[f64],
    shifts: &mut [f64],
) -> Result<(), Breakdown> {
    rows.iter().for_each(|&i| shifts[i as usize] = 0.0);
    rows.iter().for_each(|&i| l.load(source, a, s, i as usize, 0.0));
    let (mut next, mut breakdowns) = (0, 0);
    while next < rows.len() {
        let i = rows[next] as usize;
        if ic0::row(l, i).is_ok() {
            next += 1;
            continue;
        }
        breakdowns += 1;
        if breakdowns > PATIENCE * rows.len() {
            return Err(Breakdown);
        }
        // γ, 3γ, 7γ, …: the sums of 2ᵖ γ.
        for &j in l.columns(i).iter().chain([&rows[next]]) {
            shifts[j as usize] = 2.0 * shifts[j as usize] + GAMMA;
        }
        let first = l.columns(i).first().copied().unwrap_or(rows[next]);
        next = rows.partition_point(|&j| j < first);
        rows[next..].iter().for_each(|&j| l.load(source, a, s, j as usize, shifts[j as usize]));
    }
    Ok(())
}
