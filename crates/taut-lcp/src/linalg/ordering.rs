//! The order of elimination: faer's approximate minimum degree behind a thin
//! seam.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use super::Breakdown;

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

/// The same order, but with some rows after all others.
pub(crate) fn last(order: Vec<u32>, is_last: impl Fn(u32) -> bool) -> Vec<u32> {
    let (mut first, last): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|&i| !is_last(i));
    first.extend(last);
    first
}
