//! Newton's method on equations whose kinks are the laws of the rows, and the
//! linear systems it needs. They run on request, and `fischer_newton` where `lcp_ipm` fails (`auto.rs`).
//!
//! `scaled.rs` is the problem in units where the diagonal of A is one, `direct.rs`
//! and `linalg/on_request/gmres.rs` solve (diag p + diag q A) d = r, `descent.rs` is the
//! iteration with its line search, and each method is one function of a row.

mod descent;
pub(crate) mod direct;
pub mod fischer_newton;
pub mod min_map_newton;
pub(crate) mod scaled;

pub use descent::Linear;

/// A step must bring the merit down by this part of what its slope promises: Armijo's rule with the customary constant.
pub(crate) const ARMIJO: f64 = 1e-4;
