//! Linear algebra: sparse factorizations that leave rows out, dense ones for
//! small matrices.
//!
//! Only on request run `skyline.rs` (under `free_solve/on_request/skyline.rs`), `pcg.rs` (conjugate gradients) and `gmres.rs` (a
//! setting of the methods of `newton/`).

pub(crate) mod cholesky;
pub(crate) mod dense;
pub(crate) mod front;
pub(crate) mod growing;
pub(crate) mod lu;
mod ordering;
mod panel;
pub(crate) mod semidefinite;
pub(crate) mod several;
mod substitution;
pub(crate) mod supernodal;
pub(crate) mod supernodal_lu;
mod supernodes;
mod vectorized;

// What the default does not run, unless it gets stuck: a folder of its own.
#[path = "on_request/gmres.rs"]
pub(crate) mod gmres;
#[path = "on_request/pcg.rs"]
pub(crate) mod pcg;
#[path = "on_request/skyline.rs"]
pub(crate) mod skyline;

pub(crate) use ordering::{compressed, last, minimum_degree, reverse_cuthill_mckee};
pub(crate) use supernodes::Supernodes;
pub(crate) use vectorized::vectorized;

/// The matrix is not positive definite to working precision, or too large to
/// be indexed or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breakdown;
