//! Methods that split a system of bodies into subsystems.
//!
//! | file | does |
//! |---|---|
//! | `partition`, `minimum_degree`, `nested`, `merge` | which body belongs to which subsystem |
//! | `subsystem` | one subsystem: its problem, its solve, what the interface feels of it |
//! | `interface`, `matrix`, `pivots` | the rows between subsystems, and their solve |
//! | `coupling` | the iteration between both, shared by the methods |
//! | `schur_bpp`, `schur_pgs_sm`, `fbic` | the methods |

mod coupling;
pub mod fbic;
mod interface;
mod matrix;
mod merge;
mod minimum_degree;
mod nested;
mod partition;
mod pivots;
pub mod schur_bpp;
pub mod schur_pgs_sm;

mod subsystem;
mod work;

pub use partition::Partition;
pub use work::Work;

/// Calls `f` for every item: on the threads of the rayon pool that the caller
/// runs in, or one after the other if there is none. Items do not see one
/// another, so the result is the same.
pub(crate) fn for_each<T: Send>(items: &mut [T], f: impl Fn(&mut T) + Send + Sync) {
    #[cfg(feature = "parallel")]
    if items.len() > 1 && rayon::current_thread_index().is_some() {
        use rayon::prelude::*;
        items.par_iter_mut().with_max_len(1).for_each(f);
        return;
    }
    items.iter_mut().for_each(f);
}
