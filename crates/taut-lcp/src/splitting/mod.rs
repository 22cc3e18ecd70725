//! Methods that split a system of bodies into subsystems.
//!
//! | file | does |
//! |---|---|
//! | `partition`, `minimum_degree`, `nested`, `merge` | which body belongs to which subsystem |
//! | `subsystem` | one subsystem: its problem, its solve, what the interface feels of it |
//! | `interface`, `pivots` | the rows between subsystems, and their solve |
//! | `tree`, `matrix` | clusters of subsystems, and the matrix of the interface, factored along them |
//! | `coupling` | the iteration between both, shared by the methods |
//! | `schur_bpp`, `schur_pgs_sm`, `fbic` | the methods |
//!
//! The default takes `schur_bpp`, on large systems whose subsystems are named (`auto.rs`); the other two, in `on_request/`, run on request.

mod coupling;
mod interface;
mod matrix;
mod merge;
mod minimum_degree;
mod nested;
mod partition;
mod pivots;
pub mod schur_bpp;

mod subsystem;
mod tree;
mod work;

// What the default does not run, unless it gets stuck: a folder of its own.
#[path = "on_request/fbic.rs"]
pub mod fbic;
#[path = "on_request/schur_pgs_sm.rs"]
pub mod schur_pgs_sm;

pub use partition::Partition;
pub(crate) use partition::UNBOUNDED;
pub use work::Work;
