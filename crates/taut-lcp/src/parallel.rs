//! Work for the threads of the rayon pool that the caller runs in; where there
//! is none, for the caller's own.
//!
//! Items and chunks do not see one another, and chunks do not depend on the
//! number of threads: neither do results.

use std::ops::Range;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Multiplications that are worth several threads.
pub(crate) const SHARED: f64 = 1e5;
/// Entries that are worth a thread.
pub(crate) const CHUNK: usize = 1024;

/// Whether there are threads to share work with.
#[cfg(feature = "parallel")]
fn is_shared() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

/// Calls `f` for every item.
pub(crate) fn for_each<T: Send>(items: &mut [T], f: impl Fn(&mut T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if items.len() > 1 && is_shared() {
        items.par_iter_mut().with_max_len(1).for_each(f);
        return;
    }
    items.iter_mut().for_each(f);
}

/// Calls `f` with chunks of `out` and the places where they begin; with all of
/// it if it is short.
pub(crate) fn in_chunks<T: Send>(out: &mut [T], f: impl Fn(usize, &mut [T]) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if out.len() >= 2 * CHUNK && is_shared() {
        let chunks = out.par_chunks_mut(CHUNK).enumerate();
        chunks.for_each(|(k, chunk)| f(k * CHUNK, chunk));
        return;
    }
    f(0, out);
}

/// The first thing that `f` finds in chunks of 0..n, if it does: `f` must find
/// the first one of its chunk.
pub(crate) fn first_in_chunks<R: Send>(
    n: usize,
    f: impl Fn(Range<usize>) -> Option<R> + Send + Sync,
) -> Option<R> {
    #[cfg(feature = "parallel")]
    if n >= 2 * CHUNK && is_shared() {
        let chunks = (0..n.div_ceil(CHUNK)).into_par_iter();
        return chunks.find_map_first(|k| f(k * CHUNK..n.min((k + 1) * CHUNK)));
    }
    f(0..n)
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_is_found_on_any_number_of_threads() {
        let bad = [2500, 2501, 7000];
        let find = || first_in_chunks(9000, |mut rows| rows.find(|i| bad.contains(i)));
        assert_eq!(find(), Some(2500));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
        assert_eq!(pool.install(find), Some(2500));
        let nothing = || first_in_chunks(9000, |_| None::<usize>);
        assert_eq!(pool.install(nothing), None);
    }
}
