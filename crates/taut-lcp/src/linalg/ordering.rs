//! The order of elimination: faer's approximate minimum degree behind a thin
//! seam, and reverse Cuthill-McKee.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::Breakdown;
use crate::Sparse;

/// Approximate minimum degree order of a symmetric pattern, given by its lower
/// triangle in compressed columns.
pub(crate) fn minimum_degree(col_ptr: &[u32], row_idx: &[u32]) -> Result<Vec<u32>, Breakdown> {
    let n = col_ptr.len() - 1;
    let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
    let request = amd::order_maybe_unsorted_scratch::<u32>(n, row_idx.len());
    let mut memory = MemBuffer::try_new(request).map_err(|_| Breakdown)?;
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, col_ptr, None, row_idx);
    let stack = MemStack::new(&mut memory);
    amd::order_maybe_unsorted(&mut forward, &mut inverse, pattern, Default::default(), stack)
        .map_err(|_| Breakdown)?;
    Ok(forward)
}

/// A pattern in compressed columns from the rows of each column, in any order
/// and some of them more than once.
pub(crate) fn compressed(mut columns: Vec<Vec<u32>>) -> (Vec<u32>, Vec<u32>) {
    let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
    for c in &mut columns {
        c.sort_unstable();
        c.dedup();
        row_idx.extend_from_slice(c);
        col_ptr.push(row_idx.len() as u32);
    }
    (col_ptr, row_idx)
}

/// The same order, but with some rows after all others.
pub(crate) fn last(order: Vec<u32>, is_last: impl Fn(u32) -> bool) -> Vec<u32> {
    let (mut first, last): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|&i| !is_last(i));
    first.extend(last);
    first
}

/// Reverse Cuthill-McKee order of a symmetric pattern, both triangles: breadth
/// first from a vertex at the rim, neighbours by degree, all reversed. Entries
/// come to lie near the diagonal; connected parts stay together.
/// Reference: Cuthill and McKee 1969; George and Liu 1979 (the rim).
pub(crate) fn reverse_cuthill_mckee(a: &Sparse) -> Vec<u32> {
    let degree = |i: u32| a.row(i as usize).0.len();
    let mut order: Vec<u32> = Vec::with_capacity(a.rows());
    let mut visited = vec![false; a.rows()];
    let mut by_degree: Vec<u32> = (0..a.rows() as u32).collect();
    by_degree.sort_by_key(|&i| (degree(i), i));
    for seed in by_degree {
        if visited[seed as usize] {
            continue;
        }
        let begin = order.len();
        // The last vertex of a search lies at the rim, that of a second one at
        // the other side.
        let mut root = seed;
        for _ in 0..2 {
            breadth_first(a, root, &mut order, &mut visited);
            root = order[order.len() - 1];
            order.drain(begin..).for_each(|i| visited[i as usize] = false);
        }
        breadth_first(a, root, &mut order, &mut visited);
    }
    order.reverse();
    order
}

/// Appends all that can be reached from the root.
fn breadth_first(a: &Sparse, root: u32, order: &mut Vec<u32>, visited: &mut [bool]) {
    let mut next = order.len();
    visited[root as usize] = true;
    order.push(root);
    while next < order.len() {
        let end = order.len();
        for &i in a.row(order[next] as usize).0 {
            if !std::mem::replace(&mut visited[i as usize], true) {
                order.push(i);
            }
        }
        order[end..].sort_by_key(|&i| (a.row(i as usize).0.len(), i));
        next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path in random order becomes a band of width one, part after part.
    #[test]
    fn paths_become_bands() {
        let mut rng = crate::generate::Rng::new(2);
        let n = 40;
        let mut names: Vec<usize> = (0..n).collect();
        (0..n).for_each(|i| names.swap(i, rng.index(n)));
        let broken_at = 25;
        let edges = (1..n).filter(|&i| i != broken_at).map(|i| (names[i - 1], names[i]));
        let lower: Vec<_> = edges.map(|(i, j)| (i.max(j), i.min(j), 1.0)).collect();
        let a = Sparse::from_lower_triplets(n, &lower).expect("in range");
        let order = reverse_cuthill_mckee(&a);
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k);
        assert!(lower.iter().all(|&(i, j, _)| place[i].abs_diff(place[j]) == 1));
    }
}
